// SPDX-License-Identifier: GPL-2.0-only
/*
 * perfmon2: trees: a context that counts a thread and all threads and processes that it
 * makes (PFM_FL_TREE). An addition to the specification.
 *
 * A member's pointer names the tree, tagged by its lowest bit, where that of a thread with a
 * context of its own names the context. Nobody ever walks the members: whoever makes a
 * thread hands its pointer on (__pfm_tree_fork()), at an exit it is dropped, and how many
 * there are is all that is known of them.
 *
 * What the program has a descriptor of is the tree's sum. It is loaded while the tree
 * exists, but never live. On each CPU a slot counts for whichever member runs there
 * (slot.c); reads add the slots to the sum (sum.c).
 *
 * Of a tree that is to be sampled the slots are contexts of programs, each with a format and
 * a buffer, that have joined it (PFM_LOADFL_SLOTS, PFM_LOADFL_JOIN). Then the sum counts
 * nothing: it starts and stops them all, and its end is theirs.
 *
 * The attachment ends when the last member is gone, or by PFM_UNLOAD_CONTEXT, or close: the
 * first of them to find the sum loaded, under its lock, ends it. Members that are left have
 * stale pointers then, to a tree that is dead: hooks find nothing to do for it, and it stays,
 * with the hooks, until the last of them has exited, executed a program, or got another
 * context.
 */
#include <linux/cred.h>
#include <linux/file.h>
#include <linux/rcupdate.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/task_work.h>

#include "attach.h"
#include "clock.h"
#include "compat.h"
#include "host.h"
#include "pfm.h"
#include "tree.h"

#define PFM_TREE_LOAD_FLAGS	(PFM_LOADFL_ALL | PFM_LOADFL_EXEC | PFM_LOADFL_THREADS | \
				 PFM_LOADFL_CHILDREN | PFM_LOADFL_SLOTS)

/* What a member's pointer is. */
static struct pfm_context *pfm_tree_tag(struct pfm_tree *tree)
{
	return (struct pfm_context *)((unsigned long)tree | PFM_TREE_TAG);
}

/**
 * pfm_tree_put() - drop a reference
 * @tree: tree
 *
 * Context: any but NMI.
 */
void pfm_tree_put(struct pfm_tree *tree)
{
	if (!refcount_dec_and_test(&tree->ref))
		return;
	pfm_host_hooks_put(false);
	put_cred(tree->cred);
	kfree_rcu(tree, rcu);
}

/*
 * A thread is no member any more. If it was the last one, and the attachment has not ended,
 * it ends now; @d is filled in then, for pfm_attach_finish(). Whoever waits finds a message,
 * or, if not @tell, the context hung up.
 */
static void pfm_tree_drop(struct pfm_tree *tree, bool tell, struct pfm_detach *d)
{
	struct pfm_context *sum;
	unsigned long flags;

	if (!atomic_dec_and_test(&tree->members))
		return;
	rcu_read_lock();
	if (!READ_ONCE(tree->dead)) {
		sum = tree->sum;
		raw_spin_lock_irqsave(&sum->lock, flags);
		/* PFM_UNLOAD_CONTEXT may have come first. */
		if (!tree->dead)
			pfm_attach_hang_up(sum, tell, d);
		raw_spin_unlock_irqrestore(&sum->lock, flags);
		pfm_slot_hang_up_all(tree);
	}
	rcu_read_unlock();
	pfm_tree_put(tree);
}

/**
 * pfm_tree_free() - let a thread have another context if its tree is dead
 * @task:  thread
 * @stale: out: for pfm_tree_forget(), once the locks are gone
 *
 * Context: in the function that pfm_host_keep() calls.
 * Return: whether the thread has no context now.
 */
bool pfm_tree_free(struct task_struct *task, struct pfm_stale *stale)
{
	struct pfm_context *target = pfm_host_context(task);
	struct pfm_tree *tree = pfm_tree_of(target);

	lockdep_assert_held(&task->pi_lock);
	if (!target)
		return true;
	if (!tree || !READ_ONCE(tree->dead))
		return false;
	pfm_host_withdraw(task, &stale->entry);
	stale->tree = tree;
	return true;
}

/**
 * pfm_tree_forget() - a thread does not point to its dead tree any more
 * @stale: from pfm_tree_free(), or zeroed: nothing happens
 *
 * Context: any but NMI.
 */
void pfm_tree_forget(struct pfm_stale *stale)
{
	struct pfm_detach none = { NULL };

	if (!stale->tree)
		return;
	pfm_tree_drop(stale->tree, false, &none);
	pfm_host_release(&stale->entry);
}

/* What makes a thread a member. [s] */
struct pfm_tree_birth {
	struct pfm_tree *tree;
	struct pfm_attach *first;	/* of the first member, or NULL */
	struct pfm_host_entry entry;
	struct pfm_stale stale;
};

/* By pfm_host_keep(). */
static int pfm_tree_publish(struct task_struct *task, void *arg)
{
	struct pfm_tree_birth *b = arg;
	struct pfm_context *sum = b->tree->sum;

	lockdep_assert_held(&task->pi_lock);
	/* Pairs with the pi_lock in __pfm_attach_exit(). */
	if (task->flags & PF_EXITING)
		return -ESRCH;
	if (pfm_host_context(task) == pfm_tree_tag(b->tree))
		return 0;
	if (!pfm_tree_free(task, &b->stale))
		return -EBUSY;
	if (b->first) {
		raw_spin_lock(&sum->lock);
		pfm_attach_begin(b->first);
		/* It is the slots' sets that are active. */
		sum->set->runs--;
		sum->tree = b->tree;
		raw_spin_unlock(&sum->lock);
	}
	/* The load has one of its own: there is no last member to leave meanwhile. */
	atomic_inc(&b->tree->members);
	pfm_host_publish(task, pfm_tree_tag(b->tree), &b->entry);
	pfm_host_may_run(task);
	return 1;
}

/*
 * Makes a thread a member, if nothing is against it. 1 if it has become one, 0 if it was
 * one, or -errno.
 */
static int pfm_tree_add(struct pfm_tree *tree, struct task_struct *task,
			struct pfm_attach *first)
{
	struct pfm_tree_birth b = { .tree = tree, .first = first };
	bool member;
	int ret;

	rcu_read_lock();
	member = pfm_host_context(task) == pfm_tree_tag(tree);
	rcu_read_unlock();
	if (member)
		return 0;
	ret = pfm_host_prepare_now(&b.entry);
	if (!ret)
		ret = pfm_host_keep(task, pfm_tree_publish, &b);
	pfm_host_release(&b.entry);
	pfm_tree_forget(&b.stale);
	return ret;
}

/* What a look at threads has found. [s] */
struct pfm_tree_pass {
	unsigned int added;		/* new members */
	unsigned int missed;		/* that cannot be members */
	bool again;			/* some could not be asked now */
};

/* All threads of a process. RCU keeps those that there are now. */
static void pfm_tree_add_threads(struct pfm_tree *tree, struct task_struct *leader,
				 struct pfm_tree_pass *pass)
{
	struct task_struct *t;
	int ret;

	for_each_thread(leader, t) {
		ret = pfm_tree_add(tree, t, NULL);
		if (ret > 0)
			pass->added++;
		else if (ret < 0 && ret != -ESRCH)
			pass->missed++;
	}
}

/* Whether the process of @leader was made by one that has a member. */
static bool pfm_tree_is_child(struct pfm_tree *tree, struct task_struct *leader)
{
	return pfm_host_context(rcu_dereference(leader->real_parent)) == pfm_tree_tag(tree);
}

/*
 * All processes that come from members. Each is asked for its rights as a whole, while it
 * executes no other program.
 */
static void pfm_tree_add_children(struct pfm_tree *tree, struct pfm_tree_pass *pass)
{
	struct task_struct *leader;

	for_each_process(leader) {
		struct rw_semaphore *sem = &leader->signal->exec_update_lock;

		if (!pfm_tree_is_child(tree, leader))
			continue;
		if (!down_read_trylock(sem)) {
			pass->again = true;
			continue;
		}
		if (same_thread_group(leader, current) ||
		    pfm_host_may_access(leader, PTRACE_MODE_ATTACH_REALCREDS))
			pfm_tree_add_threads(tree, leader, pass);
		else
			pass->missed++;
		up_read(sem);
	}
}

/*
 * Adds the threads that there are beside the first member, by looks at all of them until a
 * look finds none that is new: a thread that is made meanwhile is a member by birth, or its
 * parent was no member when it looked, and then it can be found by the next look at least
 * (see __pfm_tree_fork()).
 */
static int pfm_tree_add_all(struct pfm_tree *tree, struct task_struct *first,
			    unsigned int flags)
{
	struct pfm_tree_pass pass;

	do {
		if (fatal_signal_pending(current))
			return -EINTR;
		cond_resched();
		pass = (struct pfm_tree_pass){};
		rcu_read_lock();
		if (pid_alive(first))
			pfm_tree_add_threads(tree, first, &pass);
		if (flags & PFM_LOADFL_CHILDREN)
			pfm_tree_add_children(tree, &pass);
		rcu_read_unlock();
	} while (pass.added || pass.again);
	atomic_long_add(pass.missed, &tree->missed);
	return 0;
}

/* The rights are those of ptrace; exec_update_lock keeps them, as in pfm_attach_other(). */
static int pfm_tree_add_first(struct pfm_tree *tree, struct task_struct *task,
			      struct pfm_attach *a, unsigned int flags)
{
	struct rw_semaphore *sem = &task->signal->exec_update_lock;
	int ret;

	if (task->flags & PF_KTHREAD)
		return -EPERM;
	ret = down_read_interruptible(sem);
	if (ret)
		return ret;
	if (same_thread_group(task, current) ||
	    pfm_host_may_access(task, PTRACE_MODE_ATTACH_REALCREDS))
		ret = pfm_tree_add(tree, task, a);
	else
		ret = -EPERM;
	if (ret > 0)
		ret = flags & PFM_LOADFL_THREADS ? pfm_tree_add_all(tree, task, flags) : 0;
	up_read(sem);
	return ret;
}

static struct pfm_tree *pfm_tree_new(struct pfm_attach *a)
{
	struct pfm_tree *tree;

	tree = kzalloc(struct_size(tree, slots, nr_cpu_ids), GFP_KERNEL_ACCOUNT);
	if (!tree)
		return NULL;
	refcount_set(&tree->ref, 2);
	atomic_set(&tree->members, 1);
	tree->sum = a->ctx;
	tree->cred = get_cred(a->cred);
	INIT_LIST_HEAD(&tree->list);
	return tree;
}

/**
 * pfm_tree_load() - PFM_LOAD_CONTEXT of a tree
 * @a:     the attachment: context, first set, credentials
 * @pid:   first member, in the caller's name space
 * @flags: PFM_LOADFL_...
 *
 * Context: process, ctx->mutex.
 * Return: 0; -EINVAL for flags; -EBUSY if the first member is taken; -ESRCH, -EPERM of it;
 * -EINTR; -ENOMEM, also at the limits; or what keeps the hooks from being turned on.
 */
int pfm_tree_load(struct pfm_attach *a, pid_t pid, unsigned int flags)
{
	struct pfm_detach d = { NULL };
	struct task_struct *task;
	struct pfm_tree *tree;
	int ret;

	if ((flags & ~PFM_TREE_LOAD_FLAGS) ||
	    !(flags & PFM_LOADFL_ALL) == !(flags & PFM_LOADFL_SLOTS))
		return -EINVAL;
	if ((flags & PFM_LOADFL_CHILDREN) && !(flags & PFM_LOADFL_THREADS))
		return -EINVAL;
	task = pfm_attach_find(pid);
	if (!task)
		return -ESRCH;
	ret = -ENOMEM;
	tree = pfm_tree_new(a);
	if (!tree)
		goto put_task;
	tree->joined = flags & PFM_LOADFL_SLOTS;
	pfm_sum_look(a->ctx);
	ret = pfm_slot_make_all(tree, a->set);
	if (ret)
		goto close;
	ret = pfm_session_get(false);
	if (ret)
		goto close;
	/* While there are members, be the tree dead: none may exit without a hook. */
	ret = pfm_host_hooks_get(false);
	if (ret)
		goto undo;
	if (flags & PFM_LOADFL_EXEC)
		tree->armed = task;

	ret = pfm_tree_add_first(tree, task, a, flags);
	if (!a->ctx->tree) {
		pfm_host_hooks_put(false);
		goto undo;
	}
	/* Some members may be running, and have met no hook since. */
	on_each_cpu(pfm_slot_go_live, tree, 1);
	/* A caller who was killed, and did not look at all threads, has to begin anew. */
	if (ret) {
		pfm_slot_end_all(tree);
		pfm_reach_call_any(a->ctx, pfm_attach_end, &d);
		pfm_attach_finish(&d);
		d.ctx = NULL;
	}
	/* The load is no member any more. All others may be gone by now. */
	pfm_tree_drop(tree, true, &d);
	pfm_attach_finish(&d);
	put_task_struct(task);
	return ret;

undo:
	pfm_session_close(false);
	pfm_session_unhook(false);
close:
	pfm_slot_close_all(tree);
	put_cred(tree->cred);
	kfree(tree);
put_task:
	put_task_struct(task);
	return ret;
}

/* The tree of a context that is loaded on one, referenced; or an error pointer. */
static struct pfm_tree *pfm_tree_get(struct pfm_context *sum)
{
	struct pfm_tree *tree = ERR_PTR(-EINVAL);

	raw_spin_lock_irq(&sum->lock);
	if (sum->tree && !sum->tree->joined)
		tree = ERR_PTR(-EBUSY);
	else if (sum->tree && sum->tree->dead)
		tree = ERR_PTR(-ESRCH);
	else if (sum->tree)
		tree = sum->tree;
	if (!IS_ERR(tree))
		refcount_inc(&tree->ref);
	raw_spin_unlock_irq(&sum->lock);
	return tree;
}

/*
 * What a context shows of members is what its tree's owner may see of them, by the checks of
 * loads and execs.
 */
static int pfm_tree_join_sum(struct pfm_attach *a, struct pfm_context *sum)
{
	struct pfm_tree *tree = pfm_tree_get(sum);
	int ret;

	if (IS_ERR(tree))
		return PTR_ERR(tree);
	ret = pfm_access_covers(a->cred, tree->cred) ? pfm_session_get(false) : -EPERM;
	if (ret)
		goto put;
	ret = pfm_slot_join(tree, a);
	if (!ret)
		return 0;
	pfm_session_close(false);
	pfm_session_unhook(false);
put:
	pfm_tree_put(tree);
	return ret;
}

/**
 * pfm_tree_join() - PFM_LOAD_CONTEXT with PFM_LOADFL_JOIN
 * @a:     the attachment: context with a format, first set, credentials
 * @fd:    descriptor of the sum
 * @flags: PFM_LOADFL_...
 *
 * The context counts the members while they run on the CPU on which the caller is now.
 *
 * Context: process, ctx->mutex.
 * Return: 0; -EINVAL for flags, or if the sum is not loaded; -EBADF if @fd is no context;
 * -EBUSY if the sum counts by itself, or another context has the CPU; -EPERM if the caller
 * has less rights than who loaded the sum; -ESRCH if all members are gone; or what keeps the
 * hooks from being turned on.
 */
int pfm_tree_join(struct pfm_attach *a, int fd, unsigned int flags)
{
	struct pfm_context *sum;
	struct fd f;
	int ret;

	if (flags != PFM_LOADFL_JOIN)
		return -EINVAL;
	f = fdget(fd);
	if (fd_empty(f))
		return -EBADF;
	sum = pfm_file_context(fd_file(f));
	ret = sum ? pfm_tree_join_sum(a, sum) : -EBADF;
	fdput(f);
	return ret;
}

/*
 * current leaves its tree. Its slot is left first, on this CPU: it would count for another
 * thread otherwise, until the next switch.
 */
static void pfm_tree_leave(struct task_struct *task, struct pfm_tree *tree, bool exit)
{
	struct pfm_detach d = { NULL };
	struct pfm_context *slot;
	unsigned long flags;
	bool tell = true;
	bool left;

	rcu_read_lock();
	/* Asked only if it is likely to matter: the answer is for the last one. */
	if (exit && atomic_read(&tree->members) == 1 && !READ_ONCE(tree->dead))
		tell = !pfm_attach_is_open_in(tree->sum, task->files);
	local_irq_save(flags);
	slot = rcu_dereference(tree->slots[smp_processor_id()]);
	if (slot) {
		if (slot->clocked)
			pfm_clock_refresh();
		raw_spin_lock(&slot->lock);
		if (slot->cpu == smp_processor_id())
			pfm_slot_leave(slot, local_clock());
		raw_spin_unlock(&slot->lock);
	}
	/* If the tree is dead, a load may give the thread another context right now. */
	raw_spin_lock(&task->pi_lock);
	left = pfm_host_context(task) == pfm_tree_tag(tree);
	if (left)
		pfm_host_withdraw(task, &d.entry);
	raw_spin_unlock(&task->pi_lock);
	local_irq_restore(flags);
	cmpxchg(&tree->armed, task, NULL);
	rcu_read_unlock();
	if (!left)
		return;
	pfm_tree_drop(tree, tell, &d);
	if (d.ctx)
		pfm_host_finish(&d, pfm_attach_finish);
	else
		pfm_host_release(&d.entry);
}

/**
 * pfm_tree_exit() - a member exits
 * @task: current
 * @tree: its tree
 *
 * Context: process: the hook of a thread's exit.
 */
void pfm_tree_exit(struct task_struct *task, struct pfm_tree *tree)
{
	pfm_tree_leave(task, tree, true);
}

/* Counting begins: by current, on its way to the first instruction of the new program. */
static void pfm_tree_exec_work(struct callback_head *work)
{
	struct pfm_tree *tree = container_of(work, struct pfm_tree, exec_work);
	struct pfm_context *sum;

	rcu_read_lock();
	if (!READ_ONCE(tree->dead)) {
		sum = tree->sum;
		raw_spin_lock_irq(&sum->lock);
		if (!tree->dead)
			pfm_runstate_start(sum);
		raw_spin_unlock_irq(&sum->lock);
	}
	rcu_read_unlock();
	pfm_slot_each(tree, pfm_control_start_here, NULL);
	pfm_tree_put(tree);
	pfm_host_unpin();
}

/**
 * pfm_tree_exec() - a member executes another program
 * @task: current, with the new program's credentials and memory
 *
 * If the owner may not trace the new program, the member leaves; others stay.
 *
 * Context: process, under exec_update_lock: the hook of a thread's exec.
 */
void pfm_tree_exec(struct task_struct *task)
{
	struct pfm_tree *tree;

	/* If it is dead, a load of another context can drop current from it. */
	rcu_read_lock();
	tree = pfm_tree_of(pfm_host_context(task));
	if (tree && !refcount_inc_not_zero(&tree->ref))
		tree = NULL;
	rcu_read_unlock();
	if (!tree)
		return;
	if (READ_ONCE(tree->dead) || !pfm_attach_may_trace(tree->cred, task)) {
		pfm_tree_leave(task, tree, false);
	} else if (READ_ONCE(tree->armed) == task &&
		   cmpxchg(&tree->armed, task, NULL) == task) {
		pfm_host_pin();
		refcount_inc(&tree->ref);
		init_task_work(&tree->exec_work, pfm_tree_exec_work);
		WARN_ON_ONCE(task_work_add(task, &tree->exec_work, TWA_RESUME));
	}
	pfm_tree_put(tree);
}

/* By pfm_host_keep(), or of a thread that no other can reach so. */
static int pfm_tree_publish_child(struct task_struct *child, void *arg)
{
	struct pfm_tree_birth *b = arg;

	if (pfm_host_context(child))
		return -EBUSY;
	pfm_host_publish(child, pfm_tree_tag(b->tree), &b->entry);
	return 0;
}

/**
 * __pfm_tree_fork() - a member has made a thread, which becomes a member
 * @child: new thread, which can be found already, and has not run yet
 *
 * A load that looks for threads may be under way. It first makes current a member, and then
 * looks at the list of threads again; current is here after the child was put into that
 * list, and a full barrier. So the child is made a member here, or found there, or both.
 *
 * A load of another context can have found the child, too: that one has it then.
 *
 * Context: process.
 */
void __pfm_tree_fork(struct task_struct *child)
{
	struct pfm_tree_birth b = {};
	struct pfm_detach none = { NULL };
	int ret;

	/* The idle thread of a CPU that comes. */
	if (!child->pid)
		return;
	rcu_read_lock();
	b.tree = pfm_tree_of(pfm_host_context(current));
	/* Only another load changes current's pointer, if the tree is dead. */
	if (!b.tree || READ_ONCE(b.tree->dead) || !atomic_inc_not_zero(&b.tree->members)) {
		rcu_read_unlock();
		return;
	}
	ret = pfm_host_prepare_now(&b.entry);
	if (!ret)
		ret = pfm_host_birth(child, pfm_tree_publish_child, &b);
	if (ret && !(ret == -EBUSY && pfm_host_context(child) == pfm_tree_tag(b.tree)))
		atomic_long_inc(&b.tree->missed);
	rcu_read_unlock();
	if (ret) {
		pfm_host_release(&b.entry);
		/* Not the last one, while current is a member. */
		pfm_tree_drop(b.tree, true, &none);
	}
}

/**
 * pfm_tree_halt() - nothing counts for a tree any more
 * @ctx: context, whose attachment is about to be ended; nothing happens if it has no tree
 *
 * The end gives the PMU's registers back, in which slots may be counting.
 *
 * Context: process; ctx->mutex, or nobody else has the context any more.
 */
void pfm_tree_halt(struct pfm_context *ctx)
{
	if (ctx->tree)
		pfm_slot_end_all(ctx->tree);
}

/**
 * pfm_tree_settle() - a context whose attachment to a tree has ended gets what was counted
 * @ctx: context; nothing happens unless that is so
 *
 * One that had joined gives back what it needed for that.
 *
 * Context: process; ctx->mutex, or nobody else has the context any more.
 */
void pfm_tree_settle(struct pfm_context *ctx)
{
	struct pfm_tree *tree = ctx->tree;

	if (ctx->joined && READ_ONCE(ctx->state) == PFM_UNLOADED)
		pfm_slot_part(ctx);
	if (!tree || !READ_ONCE(tree->dead))
		return;
	pfm_slot_close_all(tree);
	raw_spin_lock_irq(&ctx->lock);
	ctx->missed = atomic_long_read(&tree->missed);
	ctx->tree = NULL;
	raw_spin_unlock_irq(&ctx->lock);
	pfm_tree_put(tree);
}

/**
 * pfm_tree_counts() - what there is to show of a tree, or of the last one
 * @ctx:       context
 * @members:   out: threads
 * @missed:    out: pfm_tree.missed
 * @throttled: in, out: how often slots were masked for their interrupts is added
 *
 * Context: ctx->lock.
 * Return: false if the context is no tree's.
 */
bool pfm_tree_counts(const struct pfm_context *ctx, unsigned int *members,
		     unsigned long *missed, u64 *throttled)
{
	const struct pfm_tree *tree = ctx->tree ?: ctx->joined;
	const struct pfm_context *slot;
	int cpu;

	lockdep_assert_held(&ctx->lock);
	if (!tree) {
		*members = 0;
		*missed = ctx->missed;
		return ctx->flags & PFM_FL_TREE;
	}
	*members = READ_ONCE(tree->dead) ? 0 : atomic_read(&tree->members);
	*missed = atomic_long_read(&tree->missed);
	if (tree->joined)
		return true;
	rcu_read_lock();
	for_each_possible_cpu(cpu) {
		slot = rcu_dereference(tree->slots[cpu]);
		*throttled += slot ? READ_ONCE(slot->throttled) : 0;
	}
	rcu_read_unlock();
	return true;
}
