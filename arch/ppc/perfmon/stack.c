// SPDX-License-Identifier: GPL-2.0-only
/*
 * perfmon2: the stacks of PowerPC's kernels and programs.
 *
 * Linux 6.1 has no walk of user stacks that others could use, and its walk of kernel
 * stacks from registers takes the word above the interrupted function's frame, which is
 * of an earlier call, for a return address, and goes past interrupts without looking where
 * they came in. What is read here, and what of it is an address, is in frame.c.
 *
 * A walk may run in an NMI (64 bits): it takes no lock, and where memory cannot be read it
 * ends.
 */
#include <linux/compiler.h>
#include <linux/elf-em.h>
#include <linux/hardirq.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/sched.h>
#include <linux/uaccess.h>

#include <asm/processor.h>
#include <asm/ptrace.h>
#include <asm/reg.h>

#include <perfmon/format.h>
#include <perfmon/stack.h>

#include "frame.h"
#include "host.h"

static bool stack_read_user(void *to, unsigned long from, size_t size)
{
	return !copy_from_user_nofault(to, (const void __user *)from, size);
}

static bool stack_read_code(void *to, unsigned long from, size_t size)
{
	return !copy_from_kernel_nofault(to, (const void *)from, size);
}

/* Of current's own stack, or of this CPU's: not of whatever else lies there. */
static bool stack_read_kernel(void *to, unsigned long from, size_t size)
{
	return validate_sp(from, current, STACK_FRAME_OVERHEAD) &&
	       !copy_from_kernel_nofault(to, (const void *)from, size);
}

static const struct pfm_ppc_stack stack_of_kernel = {
	.frame = stack_read_kernel,
	.code = stack_read_code,
	.word = sizeof(long),
	.area = THREAD_SIZE,
};

static const struct pfm_ppc_stack stack_of_user = {
	.frame = stack_read_user,
	.code = stack_read_user,
	.word = sizeof(long),
};

static const struct pfm_ppc_stack stack_of_user32 = {
	.frame = stack_read_user,
	.code = stack_read_user,
	.word = sizeof(u32),
};

static struct pfm_ppc_place stack_place(const struct pt_regs *regs)
{
	return (struct pfm_ppc_place){
		.ip = regs->nip, .link = regs->link, .gpr = regs->gpr,
	};
}

/*
 * The registers of what was interrupted, if @frame is that of an interrupt of the kernel.
 * Its back chain is their register 1 then. NULL if it is none, or where the kernel was
 * entered from user level.
 */
static const struct pt_regs *stack_interrupted(const struct pfm_ppc_frame *frame)
{
	const struct pt_regs *regs = (const void *)(frame->sp + STACK_FRAME_OVERHEAD);
	unsigned long marker, msr, sp;
	const unsigned long *at = (const unsigned long *)frame->sp + STACK_FRAME_MARKER;

	if (!frame->sp || !validate_sp(frame->sp, current, STACK_FRAME_WITH_PT_REGS) ||
	    copy_from_kernel_nofault(&marker, at, sizeof(marker)) ||
	    marker != STACK_FRAME_REGS_MARKER ||
	    copy_from_kernel_nofault(&sp, &regs->gpr[1], sizeof(sp)) ||
	    copy_from_kernel_nofault(&msr, &regs->msr, sizeof(msr)))
		return NULL;
	return sp == frame->back && !(msr & MSR_PR) ? regs : NULL;
}

/**
 * pfm_arch_stack_kernel() - the calls in the kernel that led to where registers are
 * @regs: of the kernel, of current on this CPU
 * @ips:  out
 * @max:  how many there is room for, at least 1
 *
 * Where an interrupt came into the kernel, both sides of it are there. All but the first
 * are in the kernel's text, or a module's.
 *
 * Context: any, NMI too.
 * Return: how many there are, the innermost first.
 */
unsigned int pfm_arch_stack_kernel(const struct pt_regs *regs, unsigned long *ips,
				   unsigned int max)
{
	struct pfm_ppc_frame frame;
	struct pfm_ppc_place at;
	unsigned int n = 0;
	bool more;

	while (regs && n < max) {
		at = stack_place(regs);
		/* An interrupt may be that of a jump to where no text is. */
		if (n && !kernel_text_address(at.ip))
			break;
		ips[n++] = at.ip;
		more = pfm_ppc_frame_first(&stack_of_kernel, &at, &frame);
		regs = NULL;
		while (more && n < max && kernel_text_address(frame.ret)) {
			ips[n++] = frame.ret;
			regs = stack_interrupted(&frame);
			more = !regs && pfm_ppc_frame_next(&stack_of_kernel, &frame);
		}
	}
	return n;
}

/**
 * pfm_arch_stack_user() - the calls in the program that current runs
 * @regs: where the program is
 * @ips:  out
 * @max:  how many there is room for, at least 1
 *
 * In the midst of an exec an NMI finds the memory of the program that ends, where @regs are.
 *
 * Context: any, NMI too; current has an address space.
 * Return: how many there are, the innermost first.
 */
unsigned int pfm_arch_stack_user(const struct pt_regs *regs, unsigned long *ips,
				 unsigned int max)
{
	const struct pfm_ppc_place at = stack_place(regs);

	return pfm_ppc_frames(is_32bit_task() ? &stack_of_user32 : &stack_of_user, &at,
			      ips, max);
}

/**
 * pfm_arch_stack_switch() - where current has called the scheduler
 * @regs: out
 *
 * Context: a hook of the scheduler's switch, interrupts off.
 * Return: whether it is known.
 */
bool pfm_arch_stack_switch(struct pt_regs *regs)
{
	struct pfm_ppc_frame frame = { .sp = current_stack_pointer };
	bool scheduler = false;

	frame.back = *(const unsigned long *)frame.sp;
	while (pfm_ppc_frame_next(&stack_of_kernel, &frame) &&
	       kernel_text_address(frame.ret)) {
		if (pfm_host_is_scheduler(frame.ret)) {
			scheduler = true;
		} else if (scheduler) {
			regs->nip = frame.ret;
			regs->gpr[1] = frame.sp;
			regs->msr = mfmsr();
			return true;
		}
	}
	return false;
}

/**
 * pfm_arch_user_state_max() - how many registers pfm_arch_user_state() gives at most
 *
 * Context: any.
 * Return: how many.
 */
unsigned int pfm_arch_user_state_max(void)
{
	return 34;
}

/* r0, r9 to r12: what a system call leaves of the program's is nothing. */
#define PPC_USER_LOST	0x1e01U

/**
 * pfm_arch_user_state() - the registers of the program that current runs
 * @regs:  all of user level
 * @hit:   what an interrupt here found, or NULL
 * @to:    out
 * @state: out
 *
 * Every entry to the kernel writes all of them before an interrupt can come. Of those that a
 * system call does not keep for the program (r0, r9 to r12) it may write its own: they are 0.
 *
 * Context: any, NMI too.
 * Return: how many there are.
 */
unsigned int pfm_arch_user_state(const struct pt_regs *regs, const struct pt_regs *hit,
				 u64 *to, struct pfm_user_state *state)
{
	const unsigned long mask = is_32bit_task() ? U32_MAX : ULONG_MAX;
	const u32 lost = trap_is_syscall((struct pt_regs *)regs) ? PPC_USER_LOST : 0;
	unsigned int i;

	for (i = 0; i < 32; i++)
		to[i] = lost >> i & 1 ? 0 : regs->gpr[i] & mask;
	to[i++] = regs->link & mask;
	to[i++] = regs->nip & mask;
	state->machine = is_32bit_task() ? EM_PPC : EM_PPC64;
	state->sp = to[1];
	return i;
}
