// SPDX-License-Identifier: GPL-2.0-only
/*
 * perfmon2: stacks on x86: those of 32-bit programs, and of a thread that switches.
 *
 * arch_stack_walk_user() takes all frames for those of the kernel's word size, and begins
 * at task_pt_regs(). What is walked here is a program of 32 bits, under either kernel, from
 * where the overflow found it.
 */
#include <linux/limits.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/uaccess.h>

#include <asm/ptrace.h>
#include <asm/segment.h>
#include <asm/stacktrace.h>
#include <asm/unwind.h>

#include <perfmon/stack.h>

#include "host.h"

/**
 * pfm_arch_stack_foreign() - the calls in the 32-bit program that current runs
 * @regs: where the program is
 * @ips:  out
 * @max:  how many there is room for, at least 1
 *
 * Context: any, NMI too; current has an address space.
 * Return: how many there are, the innermost first; 0 if the program has 64 bits.
 */
unsigned int pfm_arch_stack_foreign(const struct pt_regs *regs, unsigned long *ips,
				    unsigned int max)
{
	struct stack_frame_ia32 frame;
	unsigned long fp = regs->bp;
	unsigned int n = 0;

	if (user_64bit_mode(task_pt_regs(current)))
		return 0;
	for (ips[n++] = regs->ip; n < max; ips[n++] = frame.return_address) {
		if (fp < regs->sp ||
		    copy_from_user_nofault(&frame, (void __user *)fp,
					   sizeof(frame)) ||
		    !frame.return_address || frame.return_address == U32_MAX)
			break;
		fp = frame.next_frame;
	}
	return n;
}

/* The stack and the frame pointer where the instruction is to which @state has come. */
static bool stack_pointers(const struct unwind_state *state, struct pt_regs *regs)
{
#if defined(CONFIG_UNWINDER_ORC)
	regs->sp = state->sp;
	regs->bp = state->bp;
	return true;
#elif defined(CONFIG_UNWINDER_FRAME_POINTER)
	/* It has come there from the frame of the function that was called. */
	if (!state->bp)
		return false;
	regs->sp = (unsigned long)(state->bp + 2);
	regs->bp = READ_ONCE_NOCHECK(*state->bp);
	return true;
#else
	return false;
#endif
}

/**
 * pfm_arch_stack_switch() - where current has called the scheduler
 * @regs: out
 *
 * Our own functions, and those of a tracepoint, are above the scheduler's.
 *
 * Context: a hook of the scheduler's switch, interrupts off.
 * Return: whether it is known.
 */
bool pfm_arch_stack_switch(struct pt_regs *regs)
{
	struct unwind_state state;
	bool scheduler = false;
	unsigned long ip;

	for (unwind_start(&state, current, NULL, NULL); !unwind_done(&state);
	     unwind_next_frame(&state)) {
		ip = unwind_get_return_address(&state);
		if (!ip)
			break;
		if (pfm_host_is_scheduler(ip)) {
			scheduler = true;
		} else if (scheduler) {
			regs->ip = ip;
			regs->cs = __KERNEL_CS;
			return stack_pointers(&state, regs);
		}
	}
	return false;
}
