/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perfmon2 on IA-64: what the architecture's part of the kernel calls. Nothing at all
 * without CONFIG_PERFMON.
 */
#ifndef _IA64_PERFMON_HOOKS_H
#define _IA64_PERFMON_HOOKS_H

#include <linux/atomic.h>
#include <linux/ptrace.h>
#include <linux/sched.h>

bool pfm_debug_begin(void);
void pfm_debug_end(void);

#ifdef CONFIG_IA64

#ifdef CONFIG_PERFMON

/**
 * perfmon_debug_begin() - a debugger is about to write a thread's debug registers
 * @task: the thread, which is stopped
 *
 * Context: the debugger; may sleep.
 * Return: false if it cannot have them, since a context uses some (section 5.6.3).
 */
static inline bool perfmon_debug_begin(struct task_struct *task)
{
	return task->thread.flags & IA64_THREAD_DBG_VALID || pfm_debug_begin();
}

/**
 * perfmon_debug_end() - a thread gives its debug registers back
 * @task: the thread, which executes another program or exits
 *
 * Context: the thread itself; or its parent's, of a child that could not be made.
 */
static inline void perfmon_debug_end(struct task_struct *task)
{
	if (task->thread.flags & IA64_THREAD_DBG_VALID) {
		task->thread.flags &= ~IA64_THREAD_DBG_VALID;
		pfm_debug_end();
	}
}

/**
 * perfmon_set_psr() - what a handler's return or a debugger makes of a thread's psr
 * @regs:  the thread's at user level
 * @value: new value
 * @mask:  bits of it that are to be taken
 *
 * While psr.sp is 1 the program may not use the PMU, and psr.up stays as it is: a command of
 * the program that monitors the thread has set it, maybe while the handler ran (sections 5.3
 * and 5.7), or sets it at this moment, in an interrupt or on another CPU.
 *
 * Context: the thread itself, or its debugger while it is stopped.
 */
static inline void perfmon_set_psr(struct pt_regs *regs, unsigned long value,
				   unsigned long mask)
{
	typeof(regs->cr_ipsr) take, new, old = READ_ONCE(regs->cr_ipsr);

	do {
		take = old & IA64_PSR_SP ? mask & ~IA64_PSR_UP : mask;
		new = (old & ~take) | (value & take);
	} while (!try_cmpxchg(&regs->cr_ipsr, &old, new));
}

#else

static inline bool perfmon_debug_begin(struct task_struct *task) { return true; }
static inline void perfmon_debug_end(struct task_struct *task) { }
static inline void perfmon_set_psr(struct pt_regs *regs, unsigned long value,
				   unsigned long mask)
{
	regs->cr_ipsr = (regs->cr_ipsr & ~mask) | (value & mask);
}

#endif /* CONFIG_PERFMON */
#endif /* CONFIG_IA64 */
#endif /* _IA64_PERFMON_HOOKS_H */
