/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perfmon2: what the core wants of the kernel around it, if it is a module of a
 * kernel that was built without it. What each name means stands in
 * kernel/perfmon/host/host.h, the header of the core that is a part of the kernel's
 * source; this one says only how a module gets it.
 *
 * Functions that are not exported are called through pfm_resolve_...: static
 * calls, which resolve.c sets.
 */
#ifndef _PERFMON_HOST_H
#define _PERFMON_HOST_H

#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/fs.h>
#include <linux/hash.h>
#include <linux/init.h>
#include <linux/irq_work.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/pid.h>
#include <linux/ptrace.h>
#include <linux/rculist.h>
#include <linux/rcupdate.h>
#include <linux/sched/clock.h>
#include <linux/slab.h>
#include <linux/static_call.h>
#include <linux/sysctl.h>
#include <linux/workqueue.h>

struct pfm_context;
struct pfm_thread;

/* An initialisation that fails calls them, too. */
#define __pfm_exit

#define PFM_HOST_NAME	"module"

#define PFM_HOST_PARAM(name, variable, type) \
	module_param_named(name, variable, type, 0444)

/* main.c calls them in this order. */
int pfm_host_init(void);
int pfm_host_arch_init(void);
int pfm_host_files_init(void);
#define PFM_HOST_INIT(fn)	int __init pfm_host_init(void) { return fn(); }
#define PFM_HOST_ARCH_INIT(fn)	int __init pfm_host_arch_init(void) { return fn(); }
#define PFM_HOST_FILES_INIT(fn)	int __init pfm_host_files_init(void) { return fn(); }

/* It is the run queue's number, which a module cannot see. */
#define PFM_HOST_RUNNABLE(description)

static inline unsigned int pfm_host_runnable(void)
{
	return 0;
}

/* device.c */
int pfm_device_call(struct file *file, int fd, int op, void __user *uarg, int narg);
long pfm_device_ioctl(struct file *file, unsigned int cmd, unsigned long arg);
#define PFM_HOST_CALL(fn)						\
int pfm_device_call(struct file *file, int fd, int op,			\
		    void __user *uarg, int narg)			\
{									\
	return fn(file, fd, op, uarg, narg);				\
}
#define PFM_HOST_FILE_CALL				\
	.unlocked_ioctl	= pfm_device_ioctl,		\
	.compat_ioctl	= compat_ptr_ioctl,

/* threads.c */
struct pfm_host_entry {
	struct pfm_thread *thread;
};

/* What a look into the table needs of its entries: the beginning of a pfm_thread. */
struct pfm_thread_link {
	struct hlist_node node;			/* [f] */
	const struct task_struct *task;		/* [c] */
	struct pfm_context *ctx;		/* [c] */
};

extern struct hlist_head *pfm_threads_table;
extern unsigned int pfm_threads_bits;

/* At every switch of threads, twice: inline. */
static __always_inline struct pfm_thread_link *pfm_threads_look(const struct task_struct *task)
{
	struct pfm_thread_link *t;

	hlist_for_each_entry_rcu(t, &pfm_threads_table[hash_ptr(task, pfm_threads_bits)],
				 node, rcu_read_lock_any_held())
		if (t->task == task)
			return t;
	return NULL;
}

static __always_inline struct pfm_context *pfm_host_context(const struct task_struct *task)
{
	struct pfm_thread_link *t = pfm_threads_look(task);

	return t ? t->ctx : NULL;
}

/* The calls of a program come with the file of a context, or of the device. */
static __always_inline struct file *pfm_host_peek(int fd)
{
	return NULL;
}

int pfm_threads_new(struct pfm_host_entry *entry);
int pfm_threads_new_now(struct pfm_host_entry *entry);
void pfm_threads_free(struct pfm_host_entry *entry);
void pfm_threads_add(struct task_struct *task, struct pfm_context *ctx,
		     struct pfm_host_entry *entry);
void pfm_threads_remove(struct task_struct *task, struct pfm_host_entry *entry);
void pfm_threads_finish(struct pfm_host_entry *entry, const void *detach,
			size_t size, void (*fn)(void *detach));

#define pfm_host_prepare	pfm_threads_new
#define pfm_host_prepare_now	pfm_threads_new_now
#define pfm_host_release	pfm_threads_free
#define pfm_host_publish	pfm_threads_add
#define pfm_host_withdraw	pfm_threads_remove

/* Hooks may not sleep here. */
#define pfm_host_finish(detach, fn) \
	pfm_threads_finish(&(detach)->entry, detach, sizeof(*(detach)), fn)

static inline int pfm_host_keep(struct task_struct *task,
				int (*fn)(struct task_struct *task, void *arg),
				void *arg)
{
	unsigned long flags;
	int ret;

	raw_spin_lock_irqsave(&task->pi_lock, flags);
	ret = fn(task, arg);
	raw_spin_unlock_irqrestore(&task->pi_lock, flags);
	return ret;
}

#define pfm_host_birth		pfm_host_keep

/*
 * Nothing keeps the thread where it is. A hook on a CPU that has missed the entry
 * looked before it was there, and the thread came to that CPU before that: so
 * task_cpu(), asked after this barrier, says that CPU or one that the thread moved to
 * later, whose hook has seen the entry. The interprocessor call cannot come
 * between the hook and the end of the switch, since interrupts are off there.
 */
static inline int pfm_host_may_run(const struct task_struct *task)
{
	smp_mb();
	return 1;
}

/* hooks.c */
#define PFM_HOST_HOOKS	struct pfm_thread
int pfm_hooks_get(bool system);
void pfm_hooks_put(bool system);
int pfm_hooks_faults_get(void);
void pfm_hooks_faults_put(void);
#define pfm_host_hooks_get	pfm_hooks_get
#define pfm_host_hooks_put	pfm_hooks_put
#define pfm_host_faults_get	pfm_hooks_faults_get
#define pfm_host_faults_put	pfm_hooks_faults_put

/* The run queue's clock cannot be read: this is a moment later. */
static __always_inline u64 pfm_host_clock(void)
{
	return local_clock();
}

static __always_inline bool pfm_host_interrupts_were_on(struct pt_regs *regs)
{
	return regs && !regs_irqs_disabled(regs);
}

/* A little longer than time really stands still. */
static __always_inline bool pfm_host_no_time(void)
{
	return system_state == SYSTEM_SUSPEND;
}

/*
 * perf_events calls the hook with preemption off. Without a local APIC the tick runs the
 * work: a thread that is to be blocked goes on until then.
 */
static inline void pfm_host_settle(struct irq_work *work)
{
	while (arch_irq_work_has_interrupt() && irq_work_is_busy(work))
		cpu_relax();
}

/* main.c; it is empty before the module's text goes. */
extern struct workqueue_struct *pfm_main_wq;	/* set once */

static inline bool pfm_host_queue_work(struct work_struct *work)
{
	return queue_work(pfm_main_wq, work);
}

/* resolve.c */
typedef unsigned long long pfm_resolve_runtime_fn(struct task_struct *task);
typedef bool pfm_resolve_may_access_fn(struct task_struct *task, unsigned int mode);
typedef int pfm_resolve_munmap_fn(struct mm_struct *mm, unsigned long start,
				  size_t len, struct list_head *uf);
typedef void pfm_resolve_freeze_fn(void);
typedef void pfm_resolve_thaw_fn(bool always_leave);
DECLARE_STATIC_CALL(pfm_resolve_runtime, pfm_resolve_runtime_fn);
DECLARE_STATIC_CALL(pfm_resolve_may_access, pfm_resolve_may_access_fn);
DECLARE_STATIC_CALL(pfm_resolve_munmap, pfm_resolve_munmap_fn);
DECLARE_STATIC_CALL(pfm_resolve_freeze, pfm_resolve_freeze_fn);
DECLARE_STATIC_CALL(pfm_resolve_thaw, pfm_resolve_thaw_fn);
typedef unsigned int pfm_resolve_stack_regs_fn(struct pt_regs *regs, unsigned long *ips,
					       unsigned int max, unsigned int skip);
typedef unsigned int pfm_resolve_stack_user_fn(unsigned long *ips, unsigned int max);
typedef bool pfm_resolve_may_read_user_fn(void);
typedef int pfm_resolve_in_sched_fn(unsigned long addr);
DECLARE_STATIC_CALL(pfm_resolve_in_sched, pfm_resolve_in_sched_fn);
DECLARE_STATIC_CALL(pfm_resolve_stack_regs, pfm_resolve_stack_regs_fn);
DECLARE_STATIC_CALL(pfm_resolve_stack_user, pfm_resolve_stack_user_fn);
DECLARE_STATIC_CALL(pfm_resolve_may_read_user, pfm_resolve_may_read_user_fn);

static inline u64 pfm_host_runtime(struct task_struct *task)
{
	return static_call(pfm_resolve_runtime)(task);
}

static inline bool pfm_host_may_access(struct task_struct *task, unsigned int mode)
{
	return static_call(pfm_resolve_may_access)(task, mode);
}

static inline int pfm_host_munmap(struct mm_struct *mm, unsigned long start,
				  size_t len)
{
	return static_call(pfm_resolve_munmap)(mm, start, len, NULL);
}

static inline void pfm_host_freeze(void)
{
	static_call_cond(pfm_resolve_freeze)();
}

static inline void pfm_host_thaw(void)
{
	static_call_cond(pfm_resolve_thaw)(false);
}

static inline bool pfm_host_is_scheduler(unsigned long ip)
{
	return static_call(pfm_resolve_in_sched)(ip);
}

static inline unsigned int pfm_host_stack_regs(struct pt_regs *regs, unsigned long *ips,
					       unsigned int max)
{
	return static_call(pfm_resolve_stack_regs)(regs, ips, max, 0);
}

static inline unsigned int pfm_host_stack_user(const struct pt_regs *regs,
					       unsigned long *ips, unsigned int max)
{
	return static_call(pfm_resolve_stack_user)(ips, max);
}

static inline bool pfm_host_may_read_user(void)
{
	return static_call(pfm_resolve_may_read_user)();
}

static inline struct task_struct *pfm_host_find(pid_t pid)
{
	return pid_task(find_vpid(pid), PIDTYPE_PID);
}

/* security_capable() asks the same of the credentials that it is given. */
static inline bool pfm_host_capable(const struct cred *cred,
				    struct user_namespace *ns, int cap)
{
	const struct cred *old = override_creds(cred);
	const unsigned int used = current->flags & PF_SUPERPRIV;
	bool ok = ns_capable_noaudit(ns, cap);

	revert_creds(old);
	/* It was not current that has used a right. */
	if (!used)
		current->flags &= ~PF_SUPERPRIV;
	return ok;
}

/* The hook may come after the program is loaded: without ftrace it does. */
static inline bool pfm_host_executes(const struct task_struct *task)
{
	return task->in_execve;
}

/* A thread may call the core long after the last descriptor is closed. */
static inline void pfm_host_pin(void)
{
	__module_get(THIS_MODULE);
}

static inline void pfm_host_unpin(void)
{
	module_put(THIS_MODULE);
}

/* The hook may not sleep here. */
static inline char *pfm_host_get_path_buffer(void)
{
	return kmalloc(PATH_MAX, GFP_NOWAIT | __GFP_NOWARN);
}

static inline void pfm_host_put_path_buffer(char *buf)
{
	kfree(buf);
}

/* main.c */
void pfm_main_sysctl(struct ctl_table *table);
void pfm_main_sysctl_remove(void);
#define pfm_host_sysctl		pfm_main_sysctl
#define pfm_host_sysctl_remove	pfm_main_sysctl_remove

#endif /* _PERFMON_HOST_H */
