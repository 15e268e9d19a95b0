// SPDX-License-Identifier: GPL-2.0-only
/*
 * perfmon2: stacks on x86: those of 32-bit programs, and of a thread that switches; and the
 * registers that a program's are unwound with.
 *
 * arch_stack_walk_user() takes all frames for those of the kernel's word size, and begins
 * at task_pt_regs(). What is walked here is a program of 32 bits, under either kernel, from
 * where the overflow found it.
 */
#include <linux/elf-em.h>
#include <linux/limits.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/uaccess.h>

#ifdef CONFIG_X86_32
#include <asm/cpu_entry_area.h>
#endif
#include <asm/ptrace.h>
#include <asm/segment.h>
#include <asm/stacktrace.h>
#include <asm/unwind.h>

#include <perfmon/format.h>
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

/**
 * pfm_arch_user_state_max() - how many registers pfm_arch_user_state() gives at most
 *
 * Context: any.
 * Return: how many.
 */
unsigned int pfm_arch_user_state_max(void)
{
	return IS_ENABLED(CONFIG_X86_64) ? 17 : 9;
}

static unsigned int state_of_32(const struct pt_regs *regs, u64 *to)
{
	to[0] = (u32)regs->ax;
	to[1] = (u32)regs->cx;
	to[2] = (u32)regs->dx;
	to[3] = (u32)regs->bx;
	to[4] = (u32)regs->sp;
	to[5] = (u32)regs->bp;
	to[6] = (u32)regs->si;
	to[7] = (u32)regs->di;
	to[8] = (u32)regs->ip;
	return 9;
}

#ifdef CONFIG_X86_64
static unsigned int state_of_64(const struct pt_regs *regs, u64 *to)
{
	to[0] = regs->ax;
	to[1] = regs->dx;
	to[2] = regs->cx;
	to[3] = regs->bx;
	to[4] = regs->si;
	to[5] = regs->di;
	to[6] = regs->bp;
	to[7] = regs->sp;
	to[8] = regs->r8;
	to[9] = regs->r9;
	to[10] = regs->r10;
	to[11] = regs->r11;
	to[12] = regs->r12;
	to[13] = regs->r13;
	to[14] = regs->r14;
	to[15] = regs->r15;
	to[16] = regs->ip;
	return 17;
}

static bool state_is_written_over(const struct pt_regs *hit)
{
	return false;
}
#else
static unsigned int state_of_64(const struct pt_regs *regs, u64 *to)
{
	return 0;
}

/*
 * An NMI that comes while the kernel is on its way to or from user level, on the stack of the
 * entry, is handled at the top of the thread's own: where the program's registers were.
 */
static bool state_is_written_over(const struct pt_regs *hit)
{
	const unsigned long at = (unsigned long)hit - CPU_ENTRY_AREA_BASE;

	return hit && !user_mode((struct pt_regs *)hit) && at < CPU_ENTRY_AREA_MAP_SIZE;
}
#endif

/**
 * pfm_arch_user_state() - the registers of the program that current runs
 * @regs:  all of user level
 * @hit:   what an interrupt here found, or NULL
 * @to:    out
 * @state: out
 *
 * Context: any, NMI too.
 * Return: how many there are; 0 if an NMI has written over them.
 */
unsigned int pfm_arch_user_state(const struct pt_regs *regs, const struct pt_regs *hit,
				 u64 *to, struct pfm_user_state *state)
{
	if (state_is_written_over(hit))
		return 0;
	state->sp = regs->sp;
	if (IS_ENABLED(CONFIG_X86_64) && user_64bit_mode((struct pt_regs *)regs)) {
		state->machine = EM_X86_64;
		return state_of_64(regs, to);
	}
	state->sp = (u32)regs->sp;
	state->machine = EM_386;
	return state_of_32(regs, to);
}
