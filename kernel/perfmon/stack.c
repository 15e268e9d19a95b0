// SPDX-License-Identifier: GPL-2.0-only
/*
 * perfmon2: the calls that led to an overflow, for sampling formats.
 *
 * The walks are the kernel's own, or those of <perfmon/stack.h>. That of a kernel stack
 * reads nothing but stacks, tables, and text under RCU, and may run in an NMI. That of a
 * user stack is safe with interrupts off, since page faults fail; but pfm_stack_user()
 * has to check that the memory is the thread's own. Both are of overflows that hit the
 * thread that runs.
 */
#include <linux/align.h>
#include <linux/export.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/uaccess.h>
#include <asm/irq_regs.h>
#include <asm/ptrace.h>

#include <perfmon/format.h>
#include <perfmon/stack.h>

#include "host.h"
#include "pfm.h"

/* For an architecture all of whose programs have frames that Linux's walk knows. */
unsigned int __weak pfm_arch_stack_foreign(const struct pt_regs *regs, unsigned long *ips,
					   unsigned int max)
{
	return 0;
}

/* For one whose kernel stacks only Linux can walk. */
bool __weak pfm_arch_stack_switch(struct pt_regs *regs)
{
	return false;
}

/* For one that does not say which registers an unwinder needs. */
unsigned int __weak pfm_arch_user_state_max(void)
{
	return 0;
}

unsigned int __weak pfm_arch_user_state(const struct pt_regs *regs, const struct pt_regs *hit,
					u64 *to, struct pfm_user_state *state)
{
	return 0;
}

/* No interrupt writes here: it has registers of its own. [p] */
static DEFINE_PER_CPU(struct pt_regs, pfm_stack_regs);

/**
 * pfm_stack_switch() - where current has called the scheduler
 *
 * The instruction, stack and frame pointer are right, from which pfm_sample_stack_kernel()
 * begins; all other registers are 0.
 *
 * Context: a hook of the scheduler's switch, interrupts off.
 * Return: registers of the kernel, until the next call on this CPU; NULL if it is not known.
 */
struct pt_regs *pfm_stack_switch(void)
{
	struct pt_regs *regs = this_cpu_ptr(&pfm_stack_regs);

	return pfm_arch_stack_switch(regs) ? regs : NULL;
}

/*
 * Where the program is, whose memory may be read. A thread without an address space (an
 * exiting one, a kernel thread) runs in that of another thread and must not show its stack.
 * While an exec or a switch of threads changes the address space, an NMI finds the same in
 * any thread.
 */
static struct pt_regs *pfm_stack_program(const struct pfm_ovfl_data *data)
{
	struct pt_regs *regs = data->regs;

	if (!regs || !user_mode(regs))
		regs = pfm_sample_user_regs(current);
	return regs && current->mm && pfm_host_may_read_user() ? regs : NULL;
}

static unsigned int pfm_stack_user(const struct pfm_ovfl_data *data,
				   unsigned long *ips, unsigned int max)
{
	struct pt_regs *regs = pfm_stack_program(data);
	unsigned int n;

	if (!regs)
		return 0;
	n = pfm_arch_stack_foreign(regs, ips, max);
	return n ?: pfm_host_stack_user(regs, ips, max);
}

/*
 * @ips holds @n longs, and has room for as many u64. A mark of the end, which
 * some walks leave, does not count. Returns how many there are.
 */
static unsigned int pfm_stack_widen(u64 *ips, unsigned int n)
{
	const unsigned long *walked = (unsigned long *)ips;
	unsigned int len = 0, i;

	while (len < n && walked[len] != ULONG_MAX)
		len++;
	if (sizeof(*walked) < sizeof(*ips))
		for (i = len; i--; )
			ips[i] = walked[i];
	return len;
}

/**
 * pfm_sample_stack_kernel() - the calls in the kernel that led to an overflow
 * @data: of the handler
 * @ips:  out: where the overflow hit, @data->ip, and return addresses, the innermost
 *	  first
 * @max:  how many there is room for, at least 1
 *
 * What the registers in @data are, the kernel's or user level's, is the core's
 * decision: for contexts whose creator may not see the kernel there are no such calls.
 *
 * Context: as the handler, NMI too.
 * Return: how many there are; 0 if the overflow hit user level, or a thread that is not
 * the one that runs.
 */
unsigned int pfm_sample_stack_kernel(const struct pfm_ovfl_data *data, u64 *ips,
				     unsigned int max)
{
	if (!max || data->task != current || !data->regs || user_mode(data->regs))
		return 0;
	return pfm_stack_widen(ips, pfm_host_stack_regs(data->regs,
							(unsigned long *)ips, max));
}
EXPORT_SYMBOL_GPL(pfm_sample_stack_kernel);

/**
 * pfm_sample_stack_user() - the calls in the program that led to an overflow
 * @data: of the handler
 * @ips:  out: where user level was left, and return addresses, the innermost first
 * @max:  how many there is room for, at least 1
 *
 * The program has to keep frame pointers, where its frames are not chained anyway: a walk
 * ends at the first that is none. What is not in memory ends it, too: nothing is paged in.
 *
 * Context: as the handler, NMI too.
 * Return: how many there are; 0 if the thread has no user level, or is not the one that
 * runs.
 */
unsigned int pfm_sample_stack_user(const struct pfm_ovfl_data *data, u64 *ips,
				   unsigned int max)
{
	if (!max || data->task != current)
		return 0;
	return pfm_stack_widen(ips, pfm_stack_user(data, (unsigned long *)ips, max));
}
EXPORT_SYMBOL_GPL(pfm_sample_stack_user);

/**
 * pfm_sample_user_state_max() - how many registers pfm_sample_user_state() can give
 *
 * Context: any.
 * Return: PFM_SAMPLE_USER_REGS or less; 0 if this architecture has none to give.
 */
unsigned int pfm_sample_user_state_max(void)
{
	return pfm_arch_user_state_max();
}
EXPORT_SYMBOL_GPL(pfm_sample_user_state_max);

/*
 * An interrupt that came while the kernel was writing the program's registers, or restoring
 * them, has found a part of them, or its own are there now.
 */
static bool pfm_stack_is_torn(const struct pt_regs *regs, struct pt_regs *hit)
{
	unsigned long sp;

	if (!hit || hit == regs || user_mode(hit))
		return false;
	sp = kernel_stack_pointer(hit);
	return sp > (unsigned long)regs && sp <= (unsigned long)(regs + 1);
}

/**
 * pfm_sample_user_state() - the registers that the program had where it left user level
 * @data:  of the handler
 * @regs:  out: room for pfm_sample_user_state_max() registers
 * @state: out: what they are
 *
 * They are those that who unwinds the program's stack needs, and none that a program could
 * not read itself.
 *
 * Context: as the handler, NMI too.
 * Return: how many there are; 0 if the thread has no user level, is not the one that runs, or
 * was about to enter the kernel or to leave it.
 */
unsigned int pfm_sample_user_state(const struct pfm_ovfl_data *data, u64 *regs,
				   struct pfm_user_state *state)
{
	struct pt_regs *hit = get_irq_regs(), *user;

	if (data->task != current)
		return 0;
	user = pfm_stack_program(data);
	if (!user || pfm_stack_is_torn(user, hit))
		return 0;
	return pfm_arch_user_state(user, hit, regs, state);
}
EXPORT_SYMBOL_GPL(pfm_sample_user_state);

/**
 * pfm_sample_user_memory() - memory of the program that an overflow hit
 * @data: of the handler
 * @to:	  out: aligned to 8 bytes
 * @from: address in the program
 * @size: bytes
 *
 * What is not in memory, or the program may not read itself, ends it: nothing is paged in.
 *
 * Context: as the handler, NMI too.
 * Return: how many bytes there are, a multiple of 8; 0 if the thread has no user level, or is
 * not the one that runs.
 */
size_t pfm_sample_user_memory(const struct pfm_ovfl_data *data, void *to, u64 from,
			      size_t size)
{
	size_t done, n;

	if (data->task != current || from >= TASK_SIZE_MAX || !pfm_stack_program(data))
		return 0;
	size = min_t(u64, size, TASK_SIZE_MAX - from);
	pagefault_disable();
	for (done = 0; done < size; done += n) {
		const void __user *user = (const void __user *)(unsigned long)(from + done);

		/* Not in all ways of copying it is exact how much was there: pages are. */
		n = min_t(size_t, size - done, PAGE_SIZE - offset_in_page(from + done));
		/* copy_from_user() would take locks to look at where it copies to. */
		if (!access_ok(user, n) || raw_copy_from_user(to + done, user, n))
			break;
	}
	pagefault_enable();
	return ALIGN_DOWN(done, sizeof(u64));
}
EXPORT_SYMBOL_GPL(pfm_sample_user_memory);
