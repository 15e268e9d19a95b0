/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perfmon2: what the core wants of the kernel around it, if it is a part of
 * that kernel's source: the graft.
 *
 * Each thread has a pointer to its context, the scheduler calls hooks that
 * static keys turn on, and everything of the kernel can be called. Where that
 * is not so, another header of this name stands before this one in the
 * compiler's path. Both define the same names, and the core asks for nothing
 * else that a part of the kernel could not have.
 *
 * All of it is inline: the graft pays nothing for the choice.
 */
#ifndef _PERFMON_HOST_H
#define _PERFMON_HOST_H

#include <linux/cgroup.h>
#include <linux/cpu.h>
#include <linux/fdtable.h>
#include <linux/fs.h>
#include <linux/init.h>
#include <linux/irq_work.h>
#include <linux/jump_label_ratelimit.h>
#include <linux/mm.h>
#include <linux/moduleparam.h>
#include <linux/ptrace.h>
#include <linux/rcupdate.h>
#include <linux/sched/cputime.h>
#include <linux/sched/debug.h>
#include <linux/sched/task.h>
#include <linux/security.h>
#include <linux/stacktrace.h>
#include <linux/syscalls.h>
#include <linux/sysctl.h>
#include <linux/timekeeping.h>
#include <linux/workqueue.h>
#include <asm/tlb.h>

#include <perfmon/hooks.h>
#include <perfmon/stack.h>

#include "../../sched/sched.h"

struct pfm_context;

/*
 * What undoes an initialisation. Nobody ends the graft: it is freed with the
 * memory of what is needed only at boot.
 */
#define __pfm_exit	__exit

/* What has the core: /sys/kernel/perfmon/host. */
#define PFM_HOST_NAME	"kernel"

/* A parameter on the kernel's command line that programs cannot change, @type as of module_param(). */
#define PFM_HOST_PARAM(name, variable, type) core_param(name, variable, type, 0444)

/* When the core, the architecture and the files of the core are initialised. */
#define PFM_HOST_INIT(fn)	subsys_initcall(fn)
#define PFM_HOST_ARCH_INIT(fn)	subsys_initcall_sync(fn)
#define PFM_HOST_FILES_INIT(fn)	fs_initcall(fn)

/* The descriptions, ended by commas, of registers that only some hosts have. */
#define PFM_HOST_RUNNABLE(description)	description,

/*
 * The entry of programs: the system call. @fn takes the context's file, or
 * NULL if that is named by the descriptor, and the arguments of perfmonctl().
 */
#define PFM_HOST_CALL(fn)						\
SYSCALL_DEFINE4(perfmonctl, int, fd, int, op, void __user *, uarg,	\
		int, narg)						\
{									\
	return fn(NULL, fd, op, uarg, narg);				\
}

/*
 * File operations that stand in for the system call. A kernel with the graft has the system
 * call, so there are none.
 */
#define PFM_HOST_FILE_CALL

/*
 * What a thread needs to have a context. It has a pointer. [s]
 */
struct pfm_host_entry {
};

/**
 * pfm_host_prepare() - make what a thread needs to have a context
 * @entry: out; afterwards pfm_host_publish() or pfm_host_release() is to follow
 *
 * Context: process.
 * Return: 0, or -ENOMEM.
 */
static inline int pfm_host_prepare(struct pfm_host_entry *entry)
{
	return 0;
}

/**
 * pfm_host_prepare_now() - the same, where nothing may sleep
 * @entry: as there
 *
 * Context: any but NMI.
 * Return: 0, or -ENOMEM.
 */
static inline int pfm_host_prepare_now(struct pfm_host_entry *entry)
{
	return 0;
}

/**
 * pfm_host_release() - free that
 * @entry: from pfm_host_prepare() or pfm_host_withdraw()
 *
 * Context: any but NMI.
 */
static inline void pfm_host_release(struct pfm_host_entry *entry)
{
}

/**
 * pfm_host_context() - the context of a thread, or its tree: see pfm_tree_of()
 * @task: thread
 *
 * Context: interrupts or preemption off, or rcu_read_lock(): until these end
 * the context stays.
 * Return: the context, which may have been detached since, or the tree, which may be dead;
 * or NULL.
 */
static __always_inline struct pfm_context *pfm_host_context(const struct task_struct *task)
{
	return rcu_dereference_check(task->pfm_context, rcu_read_lock_sched_held());
}

/**
 * pfm_host_peek() - the file of one of current's descriptors, without a reference
 * @fd: descriptor
 *
 * Context: rcu_read_lock().
 * Return: the file, which may be on its way to be freed; or NULL.
 */
static __always_inline struct file *pfm_host_peek(int fd)
{
	return files_lookup_fd_rcu(current->files, fd);
}

/**
 * pfm_host_publish() - give a thread a context
 * @task:  thread without one
 * @ctx:   context, initialised; or a tree
 * @entry: from pfm_host_prepare(), which is @task's from now on
 *
 * Context: in the function that pfm_host_keep() calls; ctx->lock.
 */
static __always_inline void pfm_host_publish(struct task_struct *task,
					     struct pfm_context *ctx,
					     struct pfm_host_entry *entry)
{
	rcu_assign_pointer(task->pfm_context, ctx);
}

/**
 * pfm_host_withdraw() - take it away again
 * @task:  thread that has one
 * @entry: out: for pfm_host_release()
 *
 * Context: ctx->lock.
 */
static __always_inline void pfm_host_withdraw(struct task_struct *task,
					      struct pfm_host_entry *entry)
{
	RCU_INIT_POINTER(task->pfm_context, NULL);
}

/**
 * pfm_host_keep() - call a function while a thread neither exits nor is given a context
 * @task: thread
 * @fn:   function; with @task->pi_lock and interrupts off
 * @arg:  for it
 *
 * In the graft @task is not switched in or out, either.
 *
 * Context: process.
 * Return: what @fn has returned.
 */
static __always_inline int pfm_host_keep(struct task_struct *task,
					 int (*fn)(struct task_struct *task, void *arg),
					 void *arg)
{
	return task_call_func(task, fn, arg);
}

/**
 * pfm_host_birth() - call a function on a thread that has just been made
 * @child: thread, which has not run yet
 * @fn:    function; with @child->pi_lock and interrupts off
 * @arg:   for it
 *
 * Context: process; current has made the thread.
 * Return: what @fn has returned.
 */
static __always_inline int pfm_host_birth(struct task_struct *child,
					  int (*fn)(struct task_struct *task, void *arg),
					  void *arg)
{
	unsigned long flags;
	int ret;

	raw_spin_lock_irqsave(&child->pi_lock, flags);
	ret = fn(child, arg);
	raw_spin_unlock_irqrestore(&child->pi_lock, flags);
	return ret;
}

/**
 * pfm_host_may_run() - whether a thread can be running without having met the hooks
 * @task: thread that pfm_host_publish() has just given a context
 *
 * Context: in the function that pfm_host_keep() calls.
 * Return: 1 if it may be running on task_cpu(), which has to be asked by an
 * interprocessor call; 0 if it is not.
 */
static __always_inline int pfm_host_may_run(const struct task_struct *task)
{
	return task_curr(task);
}

/**
 * pfm_host_finish() - do what is left of the end of an attachment, in a hook
 * @detach: structure with a member entry, from pfm_host_withdraw(); @fn gets it, or a copy
 * @fn:     does it; may sleep; calls pfm_host_release()
 *
 * In the graft, hooks that end an attachment may sleep.
 *
 * Context: exit or exec of the thread.
 */
#define pfm_host_finish(detach, fn)	(fn)(detach)

/**
 * pfm_host_hooks_get() - turn the hooks on
 * @system: those, too, that only contexts of CPUs need
 *
 * When this returns every CPU runs the hooks.
 *
 * Context: process; no lock that CPU hotplug, or an exec, waits for.
 * Return: 0, or -errno if the hooks cannot be turned on.
 */
static inline int pfm_host_hooks_get(bool system)
{
	/* Have lockdep see what is locked where text is patched. */
	if (IS_ENABLED(CONFIG_PROVE_LOCKING)) {
		cpus_read_lock();
		cpus_read_unlock();
	}
	static_branch_deferred_inc(&pfm_key);
	if (system)
		static_branch_deferred_inc(&pfm_sys_key);
	return 0;
}

/**
 * pfm_host_hooks_put() - they are needed no more
 * @system: as for pfm_host_hooks_get()
 *
 * They go off a second later, since patching the kernel's text is expensive and
 * sessions come in bursts.
 *
 * Context: process.
 */
static inline void pfm_host_hooks_put(bool system)
{
	if (system)
		static_branch_slow_dec_deferred(&pfm_sys_key);
	static_branch_slow_dec_deferred(&pfm_key);
}

/**
 * pfm_host_faults_get() - have page faults come to the hook while hooks are on
 *
 * In the graft they do anyway.
 *
 * Context: process; no lock that CPU hotplug waits for.
 * Return: 0, or -errno if they cannot.
 */
static inline int pfm_host_faults_get(void)
{
	return 0;
}

/**
 * pfm_host_faults_put() - they need not any more
 *
 * Context: process.
 */
static inline void pfm_host_faults_put(void)
{
}

/* The static keys, in the one file that counts sessions. */
#define PFM_HOST_HOOKS						\
	DEFINE_STATIC_KEY_DEFERRED_FALSE(pfm_key, HZ);		\
	DEFINE_STATIC_KEY_DEFERRED_FALSE(pfm_sys_key, HZ)

/**
 * pfm_host_clock() - when this switch of threads began
 *
 * Context: the scheduler's hooks of a switch.
 * Return: local_clock() as of then, which the scheduler may not have brought up
 * to date for this switch.
 */
static __always_inline u64 pfm_host_clock(void)
{
	return this_rq()->clock;
}

/**
 * pfm_host_interrupts_were_on() - whether interrupts were on in the interrupted code
 * @regs: its registers, or NULL
 *
 * On PowerPC interrupts can be off by a mask in memory; but what comes as an NMI there has
 * interrupted nothing else, so that the level says it all.
 *
 * Context: NMI.
 * Return: true if they were; false if not, or if it cannot be told.
 */
static __always_inline bool pfm_host_interrupts_were_on(struct pt_regs *regs)
{
#ifdef CONFIG_GENERIC_ENTRY
	return regs && !regs_irqs_disabled(regs);
#else
	return regs && user_mode(regs);
#endif
}

/**
 * pfm_host_no_time() - whether time stands still: no timer can be set
 *
 * Context: any.
 * Return: whether the machine is being suspended or woken.
 */
#define pfm_host_no_time()	timekeeping_suspended

/**
 * pfm_host_settle() - have an irq_work of this CPU run before going on
 * @work: one that current alone waits for
 *
 * Context: a hook of a page fault of current; interrupts on.
 */
static inline void pfm_host_settle(struct irq_work *work)
{
	irq_work_sync(work);
}

/**
 * pfm_host_queue_work() - have a worker do something, on any CPU
 * @work: what
 *
 * Context: any but NMI.
 * Return: false if it was queued already.
 */
static inline bool pfm_host_queue_work(struct work_struct *work)
{
	return queue_work(system_unbound_wq, work);
}

/**
 * pfm_host_runnable() - threads that run or could run on this CPU
 *
 * Context: interrupts off, or NMI.
 * Return: how many there are.
 */
static __always_inline unsigned int pfm_host_runnable(void)
{
	return READ_ONCE(this_rq()->nr_running);
}

/**
 * pfm_host_runtime() - the CPU time of a thread
 * @task: thread
 *
 * Context: any; no lock of the scheduler's; not NMI.
 * Return: nanoseconds, as of now.
 */
static __always_inline u64 pfm_host_runtime(struct task_struct *task)
{
	return task_sched_runtime(task);
}

/**
 * pfm_host_find() - a thread
 * @pid: its number in the caller's name space
 *
 * Context: rcu_read_lock().
 * Return: it, or NULL.
 */
static __always_inline struct task_struct *pfm_host_find(pid_t pid)
{
	return find_task_by_vpid(pid);
}

/**
 * pfm_host_may_access() - whether the caller may trace, or look at, a thread
 * @task: thread
 * @mode: PTRACE_MODE_...
 *
 * Context: process; takes @task's alloc_lock.
 * Return: whether it may.
 */
static __always_inline bool pfm_host_may_access(struct task_struct *task,
						unsigned int mode)
{
	return ptrace_may_access(task, mode);
}

/**
 * pfm_host_capable() - whether credentials have a capability; no news for an audit
 * @cred: credentials
 * @ns:   in this name space
 * @cap:  CAP_...
 *
 * Context: process; may not sleep.
 * Return: whether they have.
 */
static __always_inline bool pfm_host_capable(const struct cred *cred,
					     struct user_namespace *ns, int cap)
{
	return security_capable(cred, ns, cap, CAP_OPT_NOAUDIT) == 0;
}

/**
 * pfm_host_munmap() - remove a part of an address space
 * @mm:    the caller's
 * @start: address, of a page
 * @len:   bytes, whole pages
 *
 * Context: process, mmap_lock for writing.
 * Return: 0, or -errno.
 */
static __always_inline int pfm_host_munmap(struct mm_struct *mm,
					   unsigned long start, size_t len)
{
	return do_munmap(mm, start, len, NULL);
}

/**
 * pfm_host_freeze() - the caller counts as frozen for its control group
 *
 * Context: process, without locks.
 */
static __always_inline void pfm_host_freeze(void)
{
	cgroup_enter_frozen();
}

/**
 * pfm_host_thaw() - it does no more
 *
 * Context: as pfm_host_freeze().
 */
static __always_inline void pfm_host_thaw(void)
{
	cgroup_leave_frozen(false);
}

/**
 * pfm_host_executes() - is a thread in execve(), and may still be attached?
 * @task: thread
 *
 * Until the hook of exec has asked again whether the owner may trace it, where it will
 * begin is not for the owner to know. Here the hook comes before there is such a place.
 *
 * Context: any, NMI too.
 * Return: true or false.
 */
static __always_inline bool pfm_host_executes(const struct task_struct *task)
{
	return false;
}

/**
 * pfm_host_pin() - the core's text is needed until pfm_host_unpin()
 *
 * Context: process, in a call of a program.
 */
static __always_inline void pfm_host_pin(void)
{
}

/**
 * pfm_host_unpin() - it is not, but for the return from the caller
 *
 * Context: any but NMI.
 */
static __always_inline void pfm_host_unpin(void)
{
}

/**
 * pfm_host_get_path_buffer() - memory for the path of a file
 *
 * Context: the hook of a mapping.
 * Return: PATH_MAX bytes, or NULL.
 */
static __always_inline char *pfm_host_get_path_buffer(void)
{
	return __getname();
}

/**
 * pfm_host_put_path_buffer() - free it
 * @buf: from pfm_host_get_path_buffer()
 *
 * Context: as there.
 */
static __always_inline void pfm_host_put_path_buffer(char *buf)
{
	__putname(buf);
}

#ifdef CONFIG_PERFMON_STACKS
/**
 * pfm_host_is_scheduler() - whether code is the scheduler's, by which a thread waits
 * @ip: address of an instruction
 *
 * Context: any, NMI too.
 * Return: true or false.
 */
static __always_inline bool pfm_host_is_scheduler(unsigned long ip)
{
	return in_sched_functions(ip);
}

/**
 * pfm_host_stack_regs() - the calls in the kernel that led to where registers are
 * @regs: of the kernel
 * @ips:  out
 * @max:  how many there is room for
 *
 * Context: any, NMI too.
 * Return: how many there are, the innermost first.
 */
static __always_inline unsigned int pfm_host_stack_regs(struct pt_regs *regs,
							unsigned long *ips,
							unsigned int max)
{
	if (IS_ENABLED(CONFIG_PERFMON_ARCH_STACKS))
		return pfm_arch_stack_kernel(regs, ips, max);
	return stack_trace_save_regs(regs, ips, max, 0);
}

/**
 * pfm_host_stack_user() - the calls in the program that current runs, by its frames
 * @regs: the program's registers, for pfm_arch_stack_user(); the kernel's own walker takes
 *        task_pt_regs()
 * @ips:  out
 * @max:  how many there is room for
 *
 * Context: any, NMI too; current has an address space, in which the CPU is.
 * Return: how many there are, the innermost first.
 */
static __always_inline unsigned int pfm_host_stack_user(const struct pt_regs *regs,
							unsigned long *ips,
							unsigned int max)
{
	if (IS_ENABLED(CONFIG_PERFMON_ARCH_STACKS))
		return pfm_arch_stack_user(regs, ips, max);
	return stack_trace_save_user(ips, max);
}

/**
 * pfm_host_may_read_user() - whether user addresses are those of current's program here
 *
 * Context: any, NMI too.
 * Return: false in the midst of a change of address spaces.
 */
static __always_inline bool pfm_host_may_read_user(void)
{
	/* Not every architecture that has NMIs says more than "yes". */
	if (IS_ENABLED(CONFIG_PERFMON_ARCH_STACKS) && in_nmi() && !task_curr(current))
		return false;
	return nmi_uaccess_okay();
}
#endif

/**
 * pfm_host_sysctl() - make files of /proc/sys/kernel
 * @table: of files, with an empty last entry
 *
 * Context: process.
 */
#define pfm_host_sysctl(table)	register_sysctl_init("kernel", table)

/**
 * pfm_host_sysctl_remove() - remove them
 *
 * Context: process.
 */
static inline void pfm_host_sysctl_remove(void)
{
}

#endif /* _PERFMON_HOST_H */
