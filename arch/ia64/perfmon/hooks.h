/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perfmon2 on IA-64: what the architecture's part of the kernel calls. Nothing at all
 * without CONFIG_PERFMON.
 */
#ifndef _IA64_PERFMON_HOOKS_H
#define _IA64_PERFMON_HOOKS_H

#include <linux/ptrace.h>
#include <linux/sched.h>

bool pfm_debug_begin(void);
void pfm_debug_end(void);

#ifdef CONFIG_IA64

/*
 * In thread.flags, and not for children: the thread was switched out in a system call that
 * had the thread's psr.pp (struct pfm_ia64_file).
 */
#define PERFMON_THREAD_CALL	(1U << 8)

#ifdef CONFIG_PERFMON

/* The stopped thread @task is to get debug registers. False: it cannot, perfmon has them. */
static inline bool perfmon_debug_begin(struct task_struct *task)
{
	return task->thread.flags & IA64_THREAD_DBG_VALID || pfm_debug_begin();
}

/* @task executes another program or exits: it gives its debug registers back. */
static inline void perfmon_debug_end(struct task_struct *task)
{
	if (task->thread.flags & IA64_THREAD_DBG_VALID) {
		task->thread.flags &= ~IA64_THREAD_DBG_VALID;
		pfm_debug_end();
	}
}

/*
 * A signal's handler returns, or a debugger writes psr, and wants the user mask @um: what
 * @regs are to have of it. A program that may not use the PMU keeps psr.up as it is: another
 * one has it started or stopped, maybe while the handler ran.
 */
static inline unsigned long perfmon_user_mask(const struct pt_regs *regs, unsigned long um)
{
	if (!(regs->cr_ipsr & IA64_PSR_SP))
		return um;
	return (um & ~IA64_PSR_UP) | (regs->cr_ipsr & IA64_PSR_UP);
}

#else

static inline bool perfmon_debug_begin(struct task_struct *task) { return true; }
static inline void perfmon_debug_end(struct task_struct *task) { }
static inline unsigned long perfmon_user_mask(const struct pt_regs *regs, unsigned long um)
{
	return um;
}

#endif /* CONFIG_PERFMON */
#endif /* CONFIG_IA64 */
#endif /* _IA64_PERFMON_HOOKS_H */
