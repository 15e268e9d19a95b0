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
#include <linux/export.h>
#include <linux/mm_types.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
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
 * A thread without an address space (an exiting one, a kernel thread) runs in that
 * of another thread and must not show its stack. While an exec or a switch of
 * threads changes the address space, an NMI finds the same in any thread.
 */
static unsigned int pfm_stack_user(const struct pfm_ovfl_data *data,
				   unsigned long *ips, unsigned int max)
{
	struct pt_regs *regs = data->regs;
	unsigned int n;

	if (!regs || !user_mode(regs))
		regs = pfm_sample_user_regs(current);
	if (!regs || !current->mm || !pfm_host_may_read_user())
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
