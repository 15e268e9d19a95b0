// SPDX-License-Identifier: GPL-2.0-only
/*
 * perfmon2: the stacks of 32-bit programs on x86.
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
#include <asm/stacktrace.h>

#include <perfmon/stack.h>

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
