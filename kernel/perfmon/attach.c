// SPDX-License-Identifier: GPL-2.0-only
/*
 * perfmon2: attaching a context to a thread or a CPU, and letting go.
 *
 * An attachment begins by PFM_LOAD_CONTEXT and can end by PFM_UNLOAD_CONTEXT,
 * close, the thread's exit, its exec of a program that the owner may not trace,
 * or the CPU's going offline: any of them on any CPU while another is under way.
 * ctx->lock makes it one event: the first to find the context loaded ends the
 * attachment, the others find nothing to do. Only PFM_LOAD and
 * PFM_UNLOAD hold ctx->mutex; exec could not take it, since a load may wait
 * for that exec to finish.
 *
 * When the thread's pointer to the context is set, either the hooks see it at
 * the next switch, or the thread may be running and gets an interprocessor call:
 * pfm_host_keep() and pfm_host_may_run() see to that. It is read by the hooks
 * with interrupts off, which is why contexts are freed by RCU.
 */
#include <linux/capability.h>
#include <linux/cpu.h>
#include <linux/cred.h>
#include <linux/pid.h>
#include <linux/ptrace.h>
#include <linux/sched/clock.h>
#include <linux/sched/coredump.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/smp.h>

#include "clock.h"
#include "compat.h"
#include "host.h"
#include "hw.h"
#include "pfm.h"
#include "setswitch.h"
#include "timer.h"
#include "tree.h"

/**
 * pfm_attach_begin() - the software half of attaching a context
 * @a: the attachment; its cred is the context's old one afterwards
 *
 * Context: the context's lock, interrupts off; on the CPU where the context is about to be
 * live, if it is.
 */
void pfm_attach_begin(struct pfm_attach *a)
{
	struct pfm_context *ctx = a->ctx;
	const struct cred *old = ctx->cred;

	pfm_assert_live(ctx);
	ctx->load++;
	ctx->clock = 0;
	/* A thread that issues commands, or is monitored itself, is of no kind. */
	ctx->kind = 0;
	pfm_setswitch_load(ctx, a->set);
	WRITE_ONCE(ctx->state, PFM_LOADED);
	WRITE_ONCE(ctx->started, false);
	WRITE_ONCE(ctx->gone, false);
	ctx->blocked = false;
	ctx->self = a->self;
	ctx->own = a->own;
	ctx->blocker = a->blocker;
	WRITE_ONCE(ctx->cred, a->cred);
	a->cred = old;
}

/**
 * pfm_attach_end() - the software half of letting go
 * @ctx: context
 * @arg: struct pfm_detach, filled in for pfm_attach_finish()
 *
 * Context: pfm_reach_call().
 * Return: 0, or -EBUSY if the context is not loaded.
 */
int pfm_attach_end(struct pfm_context *ctx, void *arg)
{
	static const DECLARE_BITMAP(none, PFM_PMCS_MAX);
	struct pfm_detach *d = arg;

	pfm_assert_live(ctx);
	if (ctx->state == PFM_UNLOADED)
		return -EBUSY;

	pfm_runstate_stop(ctx);
	pfm_rules_thread(ctx, PFM_THREAD_UNLOAD);
	if (ctx->cpu >= 0)
		pfm_runstate_out(ctx, local_clock());
	if (pfm_is_system(ctx)) {
		pfm_sched_unwant();
		pfm_hw_leave();
		RCU_INIT_POINTER(*this_cpu_ptr(&pfm_cpu.sys), NULL);
	} else if (ctx->task) {
		pfm_host_withdraw(ctx->task, &d->entry);
	} else {
		/* Nobody walks the members: they find out. */
		WRITE_ONCE(ctx->tree->dead, true);
	}

	/* Still loaded: close(), which drops the file's reference, waits for the lock. */
	pfm_context_get(ctx);
	d->ctx = ctx;
	d->task = ctx->task;
	d->blocker = pfm_block_orphan(ctx);
	d->held = pfm_reserve_take(ctx, 0, none);
	ctx->task = NULL;
	WRITE_ONCE(ctx->state, PFM_UNLOADED);
	pfm_session_close(pfm_is_system(ctx));
	return 0;
}

/**
 * pfm_attach_finish() - the part of letting go that may sleep, when the locks are gone
 * @detach: struct pfm_detach; nothing happens if no attachment has ended
 *
 * In an exec, and in a CPU's going offline, others' locks are held: ctx->mutex cannot be
 * taken here.
 *
 * Context: process.
 */
void pfm_attach_finish(void *detach)
{
	struct pfm_detach *d = detach;

	if (!d->ctx)
		return;
	wake_up_all(&d->ctx->block_wait);
	if (d->held)
		pfm_reserve_put(d->held);
	pfm_session_unhook(pfm_is_system(d->ctx));
	if (d->task)
		put_task_struct(d->task);
	pfm_block_release(d->blocker);
	pfm_context_put(d->ctx);
	pfm_host_release(&d->entry);
}

/* By pfm_host_keep(). */
static int pfm_attach_publish(struct task_struct *task, void *arg)
{
	struct pfm_attach *a = arg;
	struct pfm_context *ctx = a->ctx;

	lockdep_assert_held(&task->pi_lock);
	/* Pairs with the pi_lock in __pfm_attach_exit(). */
	if (task->flags & PF_EXITING)
		return -ESRCH;
	if (!pfm_tree_free(task, &a->stale))
		return -EBUSY;

	raw_spin_lock(&ctx->lock);
	pfm_attach_begin(a);
	ctx->task = get_task_struct(task);
	pfm_host_publish(task, ctx, &a->entry);
	raw_spin_unlock(&ctx->lock);
	return pfm_host_may_run(task);
}

/*
 * The thread was running when the pointer was set. If it still is, here,
 * then no hook has seen the pointer yet. If not, a hook has or will.
 */
static void pfm_attach_go_live(void *info)
{
	struct pfm_context *ctx = info;

	raw_spin_lock(&ctx->lock);
	if (ctx->task == current && ctx->cpu < 0)
		pfm_runstate_in(ctx, local_clock());
	raw_spin_unlock(&ctx->lock);
}

static void pfm_attach_undo(bool system)
{
	pfm_session_close(system);
	pfm_session_unhook(system);
}

static int pfm_attach_thread(struct pfm_attach *a, struct task_struct *task)
{
	unsigned long flags;
	int ret;

	ret = pfm_host_keep(task, pfm_attach_publish, a);
	if (ret <= 0)
		return ret;
	if (task == current) {
		local_irq_save(flags);
		pfm_attach_go_live(a->ctx);
		local_irq_restore(flags);
	} else {
		smp_call_function_single(task_cpu(task), pfm_attach_go_live,
					 a->ctx, 1);
	}
	return 0;
}

/*
 * The rights are those of ptrace. exec_update_lock keeps the thread's
 * credentials as they were checked until it is attached; after that, exec
 * looks for itself.
 */
static int pfm_attach_other(struct pfm_attach *a, struct task_struct *task)
{
	struct rw_semaphore *sem = &task->signal->exec_update_lock;
	int ret;

	if (task->flags & PF_KTHREAD)
		return -EPERM;
	/* The kernel's part of such a thread runs its work under locks. */
	if ((task->flags & PF_USER_WORKER) && a->blocker)
		return -EPERM;
	ret = down_read_interruptible(sem);
	if (ret)
		return ret;
	if (pfm_host_may_access(task, PTRACE_MODE_ATTACH_REALCREDS))
		ret = pfm_attach_thread(a, task);
	else
		ret = -EPERM;
	up_read(sem);
	return ret;
}

/**
 * pfm_attach_find() - a thread, referenced
 * @pid: its number in the caller's name space
 *
 * Context: process.
 * Return: the thread, for put_task_struct(); or NULL.
 */
struct task_struct *pfm_attach_find(pid_t pid)
{
	struct task_struct *task;

	rcu_read_lock();
	task = pfm_host_find(pid);
	if (task)
		get_task_struct(task);
	rcu_read_unlock();
	return task;
}

static int pfm_attach_load_thread(struct pfm_attach *a, pid_t pid)
{
	struct task_struct *task = pfm_attach_find(pid);
	int ret;

	if (!task)
		return -ESRCH;

	ret = -EINVAL;
	if (task == current && (a->ctx->flags & PFM_FL_NOTIFY_BLOCK))
		goto put;
	ret = pfm_block_prepare(a->ctx, &a->blocker);
	if (ret)
		goto put;
	ret = pfm_host_prepare(&a->entry);
	if (ret)
		goto release;
	/*
	 * Turning hooks on patches text under the locks of CPU hotplug, for which
	 * no exec of the target should have to wait.
	 */
	ret = pfm_session_get(false);
	if (ret)
		goto release_entry;
	a->self = same_thread_group(task, current);
	a->own = task == current;
	if (task == current)
		ret = pfm_attach_thread(a, task);
	else
		ret = pfm_attach_other(a, task);
	pfm_tree_forget(&a->stale);
	if (!ret)
		goto put;
	pfm_attach_undo(false);
release_entry:
	pfm_host_release(&a->entry);
release:
	pfm_block_release(a->blocker);
put:
	put_task_struct(task);
	return ret;
}

static int pfm_attach_load_cpu(struct pfm_attach *a, pid_t pid)
{
	struct pfm_context *ctx = a->ctx;
	unsigned long flags;
	struct pfm_cpu *c;
	int ret;

	if (pid != task_pid_vnr(current))
		return -EINVAL;
	ret = pfm_session_get(true);
	if (ret)
		return ret;
	/* The CPU may be on its way down, past the point where it lets go. */
	cpus_read_lock();
	local_irq_save(flags);
	c = this_cpu_ptr(&pfm_cpu);
	if (rcu_access_pointer(c->sys)) {
		ret = -EBUSY;
	} else {
		raw_spin_lock(&ctx->lock);
		c->busy_since = local_clock();
		pfm_attach_begin(a);
		pfm_runstate_in(ctx, local_clock());
		pfm_sched_want(ctx);
		rcu_assign_pointer(c->sys, ctx);
		raw_spin_unlock(&ctx->lock);
	}
	local_irq_restore(flags);
	cpus_read_unlock();

	if (ret)
		pfm_attach_undo(true);
	return ret;
}

/* After the thread is published, where it runs: that can be another CPU. */
static int pfm_attach_loaded(struct pfm_context *ctx, void *unused)
{
	/* The attachment may have ended meanwhile. */
	if (ctx->state != PFM_UNLOADED)
		pfm_rules_thread(ctx, PFM_THREAD_LOAD);
	return 0;
}

static bool pfm_attach_admits(struct pfm_context *ctx)
{
	struct pfm_set *set;
	unsigned long id;

	if (!pfm_regmap.rules)
		return true;
	xa_for_each(&ctx->sets, id, set)
		if (!pfm_rules_admits(ctx, set))
			return false;
	return true;
}

/**
 * pfm_attach_load() - PFM_LOAD_CONTEXT (3.1.7)
 * @ctx: context
 * @req: argument
 *
 * Context: process, ctx->mutex.
 * Return: 0; -EINVAL for flags of the load, no such set, or a flag that does not suit
 * the target; -EBADF for a descriptor of no tree; -EBUSY if the context is loaded, the target is taken, or the context
 * has programmed the hardware, and others have that, or contexts of the other kind some of
 * the same registers; -ESRCH, -EPERM of the thread; -EINTR;
 * -ENOMEM, or what keeps the hooks from being turned on.
 */
int pfm_attach_load(struct pfm_context *ctx, const pfarg_load_t *req)
{
	struct pfm_attach a = { .ctx = ctx };
	DECLARE_BITMAP(pmcs, PFM_PMCS_MAX);
	unsigned int mark;
	bool unloaded;
	int ret;

	lockdep_assert_held(&ctx->mutex);
	if (req->load_flags && !(ctx->flags & PFM_FL_TREE))
		return -EINVAL;
	/*
	 * The context cannot become loaded while we hold the mutex. The lock makes sure
	 * that an exit on another CPU is done with the queue, too.
	 */
	raw_spin_lock_irq(&ctx->lock);
	unloaded = ctx->state == PFM_UNLOADED;
	mark = pfm_message_mark(&ctx->queue);
	raw_spin_unlock_irq(&ctx->lock);
	if (!unloaded)
		return -EBUSY;
	a.set = pfm_set_find(ctx, req->load_set);
	if (!a.set)
		return -EINVAL;
	if (!pfm_attach_admits(ctx))
		return -EINVAL;
	if (ctx->uses && !pfm_access_may_hold())
		return -EPERM;
	ret = pfm_set_link(ctx);
	if (!ret && ctx->uses) {
		pfm_reserve_needs(ctx, pmcs);
		ret = pfm_reserve_hold(ctx, ctx->uses, pmcs);
	}
	if (ret)
		return ret;

	a.cred = get_current_cred();
	if (pfm_is_system(ctx))
		ret = pfm_attach_load_cpu(&a, req->load_pid);
	else if (pfm_is_joiner(ctx))
		ret = pfm_tree_join(&a, req->load_pid, req->load_flags);
	else if (ctx->flags & PFM_FL_TREE)
		ret = pfm_tree_load(&a, req->load_pid, req->load_flags);
	else
		ret = pfm_attach_load_thread(&a, req->load_pid);
	put_cred(a.cred);
	if (ret) {
		pfm_reserve_yield(ctx);
		return ret;
	}
	pfm_message_drop(&ctx->queue, mark);
	if (pfm_regmap.rules)
		pfm_reach_call_any(ctx, pfm_attach_loaded, NULL);
	return ret;
}

/**
 * pfm_attach_unload() - PFM_UNLOAD_CONTEXT (3.1.8)
 * @ctx: context
 *
 * Context: process, ctx->mutex.
 * Return: 0; -EBUSY if the context is not loaded, or system-wide on another
 * CPU.
 */
int pfm_attach_unload(struct pfm_context *ctx)
{
	struct pfm_detach d = { NULL };
	int ret;

	pfm_tree_halt(ctx);
	if (ctx->joined)
		ret = pfm_reach_call(ctx, pfm_slot_end, NULL);
	else
		ret = pfm_reach_call(ctx, pfm_attach_end, &d);
	pfm_attach_finish(&d);
	pfm_tree_settle(ctx);
	return ret;
}

/**
 * pfm_attach_close() - let go of whatever the context is attached to
 * @ctx: context, of which the caller holds the file
 *
 * There are no zombies: when this returns the context is unloaded.
 *
 * Context: process; ctx->mutex may be held by another command.
 */
void pfm_attach_close(struct pfm_context *ctx)
{
	struct pfm_detach d = { NULL };

	pfm_tree_halt(ctx);
	if (ctx->joined)
		pfm_reach_call_any(ctx, pfm_slot_end, NULL);
	else
		pfm_reach_call_any(ctx, pfm_attach_end, &d);
	pfm_attach_finish(&d);
	pfm_tree_settle(ctx);
}

/* The end of an attachment to a certain thread. [s] */
struct pfm_attach_self {
	struct pfm_detach detach;
	struct task_struct *task;
};

static int pfm_attach_end_self(struct pfm_context *ctx, void *arg)
{
	struct pfm_attach_self *self = arg;

	return ctx->task == self->task ? pfm_attach_end(ctx, &self->detach) : 0;
}

/**
 * pfm_attach_close_self() - let go of a thread, if it still is the target
 * @ctx:  context, of which the caller holds the file
 * @task: thread
 *
 * Context: as pfm_attach_close().
 */
void pfm_attach_close_self(struct pfm_context *ctx, struct task_struct *task)
{
	struct pfm_attach_self self = { .task = task };

	pfm_reach_call_any(ctx, pfm_attach_end_self, &self);
	pfm_attach_finish(&self.detach);
}

/**
 * pfm_attach_hang_up() - end an attachment and say so
 * @ctx:  context; nothing happens if it is not loaded
 * @tell: by a message; otherwise readers that wait find the context hung up
 * @d:    out: for pfm_attach_finish()
 *
 * Context: ctx->lock, interrupts off; on the CPU where the context is live, if it is.
 */
void pfm_attach_hang_up(struct pfm_context *ctx, bool tell, struct pfm_detach *d)
{
	if (pfm_attach_end(ctx, d))
		return;
	if (tell)
		pfm_message_end(&ctx->queue);
	else
		/* Pairs with pfm_file_read(). */
		smp_store_release(&ctx->gone, true);
	pfm_notify_wake(ctx);
}

/* The context is the thread's, current's: detach it. */
static void pfm_attach_leave(struct task_struct *task, struct pfm_context *ctx,
			     bool tell, struct pfm_detach *d)
{
	unsigned long flags;

	local_irq_save(flags);
	pfm_clock_refresh();
	raw_spin_lock(&ctx->lock);
	/* The context may have been unloaded, and loaded elsewhere, since. */
	if (ctx->task == task)
		pfm_attach_hang_up(ctx, tell, d);
	raw_spin_unlock(&ctx->lock);
	local_irq_restore(flags);
}

/**
 * pfm_attach_is_open_in() - whether a table of descriptors has the context's
 * @ctx:   context
 * @files: table, which cannot be freed meanwhile
 *
 * The process that created the context has the descriptor until it closes it (ctx->holder).
 * If that one descriptor is all that holds the file, no other table has it. Only if the
 * file is held several times, by a reader who waits or by other processes, or if the
 * creator has closed the descriptor or a copy of it, the table has to be searched.
 *
 * The caller has found the context under rcu_read_lock(), which it holds. If the file has
 * been closed since, the answer can be anything: close() has ended the attachment before.
 *
 * Context: process, rcu_read_lock().
 * Return: whether it has.
 */
bool pfm_attach_is_open_in(struct pfm_context *ctx, struct files_struct *files)
{
	const void *holder = READ_ONCE(ctx->holder);

	if (files == holder)
		return true;
	if (holder && !pfm_mapping_others(ctx))
		return false;
	return pfm_holder_listed(files, ctx->file);
}

/**
 * __pfm_attach_exit() - the hook of a thread's exit
 * @task: current, which has set PF_EXITING and has its files yet
 *
 * Taking pi_lock orders this against pfm_attach_publish(): either that sees
 * PF_EXITING, or this sees the context.
 *
 * If the thread's own process holds the descriptor, no END message is queued
 * (3.3.6). Other processes that hold it, and wait, find the context hung up.
 *
 * Context: process.
 */
void __pfm_attach_exit(struct task_struct *task)
{
	struct pfm_detach d = { NULL };
	struct pfm_context *ctx;

	rcu_read_lock();
	raw_spin_lock_irq(&task->pi_lock);
	ctx = pfm_host_context(task);
	raw_spin_unlock_irq(&task->pi_lock);
	if (pfm_is_tree(ctx)) {
		rcu_read_unlock();
		/* A member's tree stays. */
		pfm_tree_exit(task, pfm_tree_of(ctx));
		return;
	}
	if (ctx)
		pfm_attach_leave(task, ctx, !pfm_attach_is_open_in(ctx, task->files), &d);
	rcu_read_unlock();
	pfm_host_finish(&d, pfm_attach_finish);
}

/**
 * pfm_attach_may_trace() - whether an owner may trace current's new program
 * @owner: credentials that attached the context
 * @task:  current, whose credentials are the new program's
 *
 * What ptrace would ask. Security modules are asked for the capability only.
 *
 * Context: process, under exec_update_lock; may not sleep.
 * Return: whether they may.
 */
bool pfm_attach_may_trace(const struct cred *owner,
				 struct task_struct *task)
{
	const struct cred *c = current_cred();
	struct mm_struct *mm = task->mm;

	/* Most owners lack the capability and need none: no news for an audit. */
	if (pfm_host_capable(owner, c->user_ns, CAP_SYS_PTRACE) &&
	    pfm_host_capable(owner, mm->user_ns, CAP_SYS_PTRACE))
		return true;

	return uid_eq(owner->uid, c->euid) && uid_eq(owner->uid, c->suid) &&
	       uid_eq(owner->uid, c->uid) && gid_eq(owner->gid, c->egid) &&
	       gid_eq(owner->gid, c->sgid) && gid_eq(owner->gid, c->gid) &&
	       get_dumpable(mm) == SUID_DUMP_USER &&
	       owner->user_ns == c->user_ns &&
	       cap_issubset(c->cap_permitted, owner->cap_permitted);
}

/**
 * __pfm_attach_exec() - the hook of a thread's exec
 * @task: current, with the new program's credentials and memory
 *
 * An ordinary exec keeps the context (3.1.7). If the owner may not trace the new
 * program, which is set-user-ID or unreadable, the attachment ends: otherwise the
 * context would show the owner what ptrace does not.
 *
 * Context: process, under exec_update_lock.
 */
void __pfm_attach_exec(struct task_struct *task)
{
	struct pfm_detach d = { NULL };
	struct pfm_context *ctx;
	const struct cred *owner = NULL;
	bool tree;

	rcu_read_lock();
	ctx = pfm_host_context(task);
	tree = pfm_is_tree(ctx);
	if (ctx && !tree) {
		/* Detached, it may be without a file, and its cred gone. */
		raw_spin_lock_irq(&ctx->lock);
		if (ctx->task == task)
			owner = get_cred(ctx->cred);
		raw_spin_unlock_irq(&ctx->lock);
		if (owner && !pfm_attach_may_trace(owner, task))
			pfm_attach_leave(task, ctx, true, &d);
		put_cred(owner);
	}
	rcu_read_unlock();
	pfm_host_finish(&d, pfm_attach_finish);
	if (tree)
		pfm_tree_exec(task);
	pfm_image_exec(task);
}

/**
 * pfm_attach_offline() - this CPU goes offline
 * @cpu: its number
 *
 * No thread has ended, so there is no END message (3.3.6): readers that wait get
 * POLLHUP and end of file.
 *
 * Context: process, on that CPU, under the hotplug lock.
 * Return: 0.
 */
int pfm_attach_offline(unsigned int cpu)
{
	struct pfm_detach d = { NULL };
	struct pfm_context *ctx;

	rcu_read_lock();
	local_irq_disable();
	pfm_clock_refresh();
	ctx = rcu_dereference(*this_cpu_ptr(&pfm_cpu.sys));
	if (ctx) {
		raw_spin_lock(&ctx->lock);
		if (rcu_access_pointer(*this_cpu_ptr(&pfm_cpu.sys)) == ctx &&
		    !pfm_attach_end(ctx, &d)) {
			/* Pairs with pfm_file_read(). */
			smp_store_release(&ctx->gone, true);
			pfm_notify_wake(ctx);
		}
		raw_spin_unlock(&ctx->lock);
	}
	local_irq_enable();
	rcu_read_unlock();
	pfm_timer_cancel(cpu);
	pfm_attach_finish(&d);
	return 0;
}
