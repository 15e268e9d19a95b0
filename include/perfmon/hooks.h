/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perfmon2: what the rest of the kernel calls: it includes this, and the core. While no
 * context is attached to anything a hook costs a no-op, or a load and a test without
 * CONFIG_JUMP_LABEL; but perfmon_sched_fork() is a store, always. Nothing at
 * all without CONFIG_PERFMON. Documentation/design.rst says why each hook
 * exists and what it was measured to cost.
 */
#ifndef _PERFMON_HOOKS_H
#define _PERFMON_HOOKS_H

#include <linux/jump_label_ratelimit.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>

struct pfm_context;
struct vm_area_struct;

/* What a hook comes to in the core, which may be a module. */
void __pfm_sched_out(struct task_struct *prev, struct pfm_context *ctx);
void __pfm_sched_in(struct task_struct *next, struct pfm_context *ctx);
void __pfm_sched_cpu(struct task_struct *prev, struct task_struct *next);
void __pfm_sched_migrate(int cpu);
void __pfm_sched_fault(bool major);
void __pfm_attach_exit(struct task_struct *task);
void __pfm_attach_exec(struct task_struct *task);
void __pfm_image_mmap(struct vm_area_struct *vma);
void __pfm_image_fork(struct task_struct *child);
void __pfm_tree_out(struct task_struct *prev, struct pfm_context *target);
void __pfm_tree_in(struct task_struct *next, struct pfm_context *target);
void __pfm_tree_fork(struct task_struct *child);

/*
 * A thread's pointer names its context, or, with this bit, the tree of which the thread is a
 * member.
 */
#define PFM_TREE_TAG		1UL

static __always_inline bool pfm_is_tree(const struct pfm_context *target)
{
	return (unsigned long)target & PFM_TREE_TAG;
}

/*
 * The tree, as its members' pointers say it, for whichever member runs on this CPU: its slot
 * counts already, and goes on when another member comes.
 */
DECLARE_PER_CPU(struct pfm_context *, pfm_tree_here);

/* On while a context is attached to a CPU, plus a second. */
extern struct static_key_false_deferred pfm_sys_key;

/*
 * What the contexts that are live on this CPU have to be told. Most count in hardware, and
 * want none of it: then a hook costs a load and a test. Changes with interrupts off.
 */
#define PFM_WANTS_SWITCHES	1U	/* the CPU's context: switches of threads */
#define PFM_WANTS_FAULTS	2U	/* ... page faults of all threads */
#define PFM_WANTS_OWN_FAULTS	4U	/* current's context: its page faults */
DECLARE_PER_CPU(unsigned int, pfm_wants);

static __always_inline bool pfm_wants_any(unsigned int what)
{
	return unlikely(this_cpu_read(pfm_wants) & what);
}

#ifdef CONFIG_PERFMON

/* On while a context is attached to a thread or a CPU, plus a second. */
extern struct static_key_false_deferred pfm_key;

/*
 * Before the switch from @prev to @next. The run queue's lock is held,
 * interrupts are off, the CPU time of @prev is up to date.
 */
static inline void perfmon_sched_out(struct task_struct *prev,
				     struct task_struct *next)
{
	if (static_branch_unlikely(&pfm_key.key)) {
		struct pfm_context *ctx = rcu_dereference_sched(prev->pfm_context);

		if (unlikely(ctx)) {
			if (!pfm_is_tree(ctx))
				__pfm_sched_out(prev, ctx);
			else if (ctx != this_cpu_read(pfm_tree_here) ||
				 ctx != rcu_access_pointer(next->pfm_context))
				__pfm_tree_out(prev, ctx);
		}
		if (static_branch_unlikely(&pfm_sys_key.key) &&
		    pfm_wants_any(PFM_WANTS_SWITCHES))
			__pfm_sched_cpu(prev, next);
	}
}

/* After the switch to current, which is no argument: it costs a load. Locks as above. */
static inline void perfmon_sched_in(void)
{
	if (static_branch_unlikely(&pfm_key.key)) {
		struct pfm_context *ctx = rcu_dereference_sched(current->pfm_context);

		if (unlikely(ctx)) {
			if (!pfm_is_tree(ctx))
				__pfm_sched_in(current, ctx);
			else if (ctx != this_cpu_read(pfm_tree_here))
				__pfm_tree_in(current, ctx);
		}
	}
}

/* A thread moves to @cpu. Interrupts are off. */
static inline void perfmon_sched_migrate(int cpu)
{
	if (static_branch_unlikely(&pfm_sys_key.key))
		__pfm_sched_migrate(cpu);
}

/* The new thread @child has a copy of its parent's pointer; that of a tree perfmon_fork() hands on. */
static inline void perfmon_sched_fork(struct task_struct *child)
{
	RCU_INIT_POINTER(child->pfm_context, NULL);
}

/* current has made @child, which is in all lists, and has not run yet. Process context. */
static inline void perfmon_fork(struct task_struct *child)
{
	if (static_branch_unlikely(&pfm_key.key)) {
		/* Into the lists first, then the look at our pointer: see __pfm_tree_fork(). */
		smp_mb();
		if (unlikely(pfm_is_tree(rcu_access_pointer(current->pfm_context))))
			__pfm_tree_fork(child);
		__pfm_image_fork(child);
	}
}

/* current had a page fault, which has been accounted. Process context. */
static inline void perfmon_sched_fault(bool major)
{
	if (static_branch_unlikely(&pfm_key.key) &&
	    pfm_wants_any(PFM_WANTS_FAULTS | PFM_WANTS_OWN_FAULTS))
		__pfm_sched_fault(major);
}

/* @task is current, is exiting and still has its files. */
static inline void perfmon_exit(struct task_struct *task)
{
	if (static_branch_unlikely(&pfm_key.key))
		__pfm_attach_exit(task);
}

/* @task is current and has committed the credentials of a new program. */
static inline void perfmon_exec(struct task_struct *task)
{
	if (static_branch_unlikely(&pfm_key.key))
		__pfm_attach_exec(task);
}

/* current has got @vma, and holds its mmap_lock for writing. May sleep. */
static inline void perfmon_mmap(struct vm_area_struct *vma)
{
	if (static_branch_unlikely(&pfm_key.key))
		__pfm_image_mmap(vma);
}

#else

static inline void perfmon_sched_out(struct task_struct *prev,
				     struct task_struct *next) { }
static inline void perfmon_sched_in(void) { }
static inline void perfmon_sched_migrate(int cpu) { }
static inline void perfmon_sched_fork(struct task_struct *child) { }
static inline void perfmon_fork(struct task_struct *child) { }
static inline void perfmon_sched_fault(bool major) { }
static inline void perfmon_exit(struct task_struct *task) { }
static inline void perfmon_exec(struct task_struct *task) { }
static inline void perfmon_mmap(struct vm_area_struct *vma) { }

#endif /* CONFIG_PERFMON */
#endif /* _PERFMON_HOOKS_H */
