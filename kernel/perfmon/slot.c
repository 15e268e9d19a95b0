// SPDX-License-Identifier: GPL-2.0-only
/*
 * perfmon2: slots: what counts for the members of a tree, one on each CPU.
 *
 * A slot is a context that no program has a descriptor of, with copies of the sets of the
 * tree's sum; or a context of a program that has joined the tree. It is live on its own CPU
 * only, while a member runs there: so each member meets the slot of its CPU, no two CPUs ever
 * want the same one, and a switch from a member to another member leaves the slot as it is.
 *
 * That last is for slots that count in hardware only, and is what pfm_tree_here is for. A
 * slot that counts what belongs to each thread, its faults, its switches, its CPU time, is
 * left and entered at each switch, and slot->task is the member that runs.
 */
#include <linux/cpu.h>
#include <linux/mutex.h>
#include <linux/sched/clock.h>
#include <linux/slab.h>

#include "clock.h"
#include "host.h"
#include "pfm.h"
#include "soft.h"
#include "tree.h"

DEFINE_PER_CPU(struct pfm_context *, pfm_tree_here);	/* [p] */

/*
 * Taken inside of a context's mutex, and inside of the lock of CPU hotplug; nothing that
 * takes one of those may be called under it.
 */
static DEFINE_MUTEX(pfm_slot_mutex);
static LIST_HEAD(pfm_slot_trees);	/* [f] */

/* Members that run on this CPU meet the slot without a hook from now on, or not. */
static void pfm_slot_settle(struct pfm_context *slot, struct task_struct *task,
			    struct pfm_context *target)
{
	struct pfm_context *here = slot->each ? NULL : target;

	slot->task = slot->each ? task : NULL;
	__this_cpu_write(pfm_tree_here, here);
}

/*
 * A member, which has had @runtime ns of CPU time, runs on this CPU from now on. What is
 * counted of it begins where it is.
 */
static void pfm_slot_enter(struct pfm_context *slot, struct task_struct *task,
			   struct pfm_context *target, u64 runtime, u64 now)
{
	slot->task = task;
	if (slot->each) {
		/* If an estimate was too high by something, this member makes up for it. */
		slot->clock = runtime + slot->ahead;
		if (pfm_runstate_counting(slot))
			pfm_soft_base(slot, slot->set, slot->set->used);
	}
	pfm_runstate_in(slot, now);
	pfm_slot_settle(slot, task, target);
}

/**
 * pfm_slot_leave() - a slot whose member leaves this CPU, or the tree
 * @slot: slot that is live here
 * @now:  local_clock(), or the run queue's clock
 *
 * Context: @slot's lock, interrupts off. If the slot has to do with a clock, the time has
 * been taken.
 */
void pfm_slot_leave(struct pfm_context *slot, u64 now)
{
	u64 thread;

	pfm_assert_live(slot);
	__this_cpu_write(pfm_tree_here, NULL);
	pfm_runstate_out(slot, now);
	if (slot->each) {
		thread = pfm_clock_here(this_cpu_ptr(&pfm_cpu)).thread;
		slot->ahead = slot->clocked && slot->clock > thread ? slot->clock - thread : 0;
	}
	slot->task = NULL;
}

/**
 * __pfm_tree_out() - a member is about to be switched out
 * @prev:   current
 * @target: its pointer
 *
 * Context: run queue lock, interrupts off; the thread's CPU time is up to date and cannot
 * change before the switch.
 */
void __pfm_tree_out(struct task_struct *prev, struct pfm_context *target)
{
	struct pfm_tree *tree = pfm_tree_of(target);
	struct pfm_context *slot = rcu_dereference_sched(tree->slots[smp_processor_id()]);
	u64 now;

	if (!slot)
		return;
	raw_spin_lock(&slot->lock);
	if (slot->cpu == smp_processor_id()) {
		pfm_stat_inc(PFM_STAT_SCHED_OUT);
		now = pfm_host_clock();
		__this_cpu_write(pfm_cpu.switching, true);
		if (slot->clocked)
			now = pfm_clock_set(this_cpu_ptr(&pfm_cpu),
					    prev->se.sum_exec_runtime, now);
		pfm_slot_leave(slot, now);
		__this_cpu_write(pfm_cpu.switching, false);
	}
	raw_spin_unlock(&slot->lock);
}

/**
 * __pfm_tree_in() - a member has been switched in
 * @next:   current, or the thread that is about to be
 * @target: its pointer
 *
 * Context: run queue lock, interrupts off; the thread's CPU time has not changed since it
 * was switched out.
 */
void __pfm_tree_in(struct task_struct *next, struct pfm_context *target)
{
	struct pfm_tree *tree = pfm_tree_of(target);
	struct pfm_context *slot = rcu_dereference_sched(tree->slots[smp_processor_id()]);
	u64 now;

	if (!slot) {
		if (!READ_ONCE(tree->dead) &&
		    (!tree->joined || READ_ONCE(tree->sum->started)))
			atomic_long_inc(&tree->missed);
		return;
	}
	raw_spin_lock(&slot->lock);
	if (slot->state != PFM_UNLOADED && slot->cpu < 0) {
		pfm_stat_inc(PFM_STAT_SCHED_IN);
		now = pfm_host_clock();
		if (slot->clocked)
			now = pfm_clock_set(this_cpu_ptr(&pfm_cpu),
					    next->se.sum_exec_runtime, now);
		pfm_slot_enter(slot, next, target, next->se.sum_exec_runtime, now);
	}
	raw_spin_unlock(&slot->lock);
}

/**
 * pfm_slot_go_live() - if current has become a member, its slot is live from now on
 * @tree: struct pfm_tree
 *
 * current may have met no hook since.
 *
 * Context: interrupts off, not in a switch of threads.
 */
void pfm_slot_go_live(void *tree)
{
	struct pfm_context *target = pfm_host_context(current);
	struct pfm_context *slot;

	if (pfm_tree_of(target) != tree)
		return;
	slot = rcu_dereference_sched(((struct pfm_tree *)tree)->slots[smp_processor_id()]);
	if (!slot)
		return;
	if (slot->clocked)
		pfm_clock_refresh();
	raw_spin_lock(&slot->lock);
	if (slot->state != PFM_UNLOADED && slot->cpu < 0)
		pfm_slot_enter(slot, current, target,
			       pfm_clock_here(this_cpu_ptr(&pfm_cpu)).thread, local_clock());
	raw_spin_unlock(&slot->lock);
}

/*
 * A command changes a slot's registers, where it is live: meanwhile the slot knows the
 * member that runs, since it may have to begin with counts of that thread.
 */
static void pfm_slot_meet(struct pfm_context *slot)
{
	pfm_assert_live(slot);
	if (slot->cpu < 0 || slot->task)
		return;
	slot->task = current;
	slot->clock = 0;
	slot->ahead = 0;
	__this_cpu_write(pfm_tree_here, NULL);
}

/* What a slot is told by hooks follows from what the sum is. */
static void pfm_slot_follow(struct pfm_context *slot, const struct pfm_context *sum)
{
	slot->clocked = sum->clocked;
	slot->heeds = sum->heeds;
	slot->faults = sum->faults;
	slot->each = sum->each;
	slot->no_hard = sum->no_hard;
	slot->uses = sum->uses;
}

/**
 * pfm_slot_change() - run a piece of a command that writes registers
 * @slot: slot
 * @arg:  struct pfm_slot_change
 *
 * Context: pfm_reach_call_any().
 * Return: what the piece returned.
 */
int pfm_slot_change(struct pfm_context *slot, void *arg)
{
	const struct pfm_slot_change *change = arg;
	struct pfm_vector v = *change->v;
	int ret;

	pfm_slot_meet(slot);
	pfm_slot_follow(slot, change->sum);
	ret = change->piece(slot, &v);
	if (slot->cpu >= 0)
		pfm_slot_settle(slot, current, pfm_host_context(current));
	return ret;
}

/* The sets of the sum as they are now, of which there are no others while it is loaded. */
static int pfm_slot_copy_sets(struct pfm_context *slot, struct pfm_context *sum)
{
	struct pfm_set *from, *to;
	unsigned long id;

	xa_for_each(&sum->sets, id, from) {
		to = pfm_set_find(slot, id) ?: pfm_set_new(slot, id);
		if (IS_ERR(to))
			return PTR_ERR(to);
		raw_spin_lock_irq(&sum->lock);
		pfm_set_copy(to, from);
		raw_spin_unlock_irq(&sum->lock);
		cond_resched();
	}
	return pfm_set_link(slot);
}

static void pfm_slot_close(struct pfm_context *slot)
{
	/* These are the sum's. */
	slot->faults = false;
	pfm_context_close(slot);
}

static struct pfm_context *pfm_slot_new(struct pfm_tree *tree, u16 first)
{
	struct pfm_context *sum = tree->sum;
	struct pfm_attach a = {};
	struct pfm_context *slot;
	int ret;

	slot = pfm_context_new_slot(sum);
	if (IS_ERR(slot))
		return slot;
	pfm_notify_init(slot);
	mutex_lock_nested(&slot->mutex, SINGLE_DEPTH_NESTING);
	ret = pfm_slot_copy_sets(slot, sum);
	mutex_unlock(&slot->mutex);
	if (ret) {
		pfm_slot_close(slot);
		return ERR_PTR(ret);
	}
	a.ctx = slot;
	a.set = pfm_set_find(slot, first);
	a.cred = get_cred(tree->cred);
	raw_spin_lock_irq(&slot->lock);
	pfm_slot_follow(slot, sum);
	pfm_attach_begin(&a);
	/* A PFM_START that comes after this goes to all slots, and waits for us. */
	slot->started = READ_ONCE(sum->started);
	raw_spin_unlock_irq(&slot->lock);
	put_cred(a.cred);
	return slot;
}

/**
 * pfm_slot_make_all() - give a tree its slots
 * @tree:  new tree, whose sum is not loaded yet
 * @first: set of the sum that is to be active first
 *
 * On success the tree gets one for each CPU that comes, too, until pfm_slot_close_all(). Or,
 * if contexts are to join it, they can do so from now on.
 *
 * Context: process, the sum's mutex.
 * Return: 0, or -ENOMEM, also at the limits.
 */
int pfm_slot_make_all(struct pfm_tree *tree, struct pfm_set *first)
{
	struct pfm_context *slot;
	int cpu, ret = 0;

	cpus_read_lock();
	mutex_lock(&pfm_slot_mutex);
	for_each_online_cpu(cpu) {
		if (tree->joined)
			break;
		slot = pfm_slot_new(tree, first->id);
		if (IS_ERR(slot)) {
			ret = PTR_ERR(slot);
			break;
		}
		rcu_assign_pointer(tree->slots[cpu], slot);
	}
	if (!ret)
		list_add(&tree->list, &pfm_slot_trees);
	mutex_unlock(&pfm_slot_mutex);
	cpus_read_unlock();
	return ret;
}

/**
 * pfm_slot_online() - a CPU comes: trees get a slot there
 * @cpu: its number
 *
 * Without memory for it, what members do there is missed, and said to be.
 *
 * Context: process, on that CPU, under the hotplug lock; no member can run there yet.
 */
void pfm_slot_online(unsigned int cpu)
{
	struct pfm_context *slot;
	struct pfm_tree *tree;

	mutex_lock(&pfm_slot_mutex);
	list_for_each_entry(tree, &pfm_slot_trees, list) {
		if (tree->joined || rcu_access_pointer(tree->slots[cpu]))
			continue;
		slot = pfm_slot_new(tree, tree->sum->set->id);
		if (!IS_ERR(slot))
			rcu_assign_pointer(tree->slots[cpu], slot);
	}
	mutex_unlock(&pfm_slot_mutex);
}

/**
 * pfm_slot_end() - a slot stops, leaves its CPU and is unloaded
 * @slot:   slot
 * @unused: NULL
 *
 * The tree still has it, and the registers that it has claimed stay claimed: the caller, or
 * the next command of the program whose context it is, gives them back (pfm_slot_part(),
 * pfm_slot_close_all()).
 *
 * Context: pfm_reach_call().
 * Return: 0, or -EBUSY if the slot was unloaded already.
 */
int pfm_slot_end(struct pfm_context *slot, void *unused)
{
	if (slot->state == PFM_UNLOADED)
		return -EBUSY;
	pfm_runstate_stop(slot);
	if (slot->cpu >= 0)
		pfm_slot_leave(slot, local_clock());
	WRITE_ONCE(slot->state, PFM_UNLOADED);
	return 0;
}

/* ... of one that is a program's, perhaps: readers that wait find it hung up. */
static int pfm_slot_hang_up(struct pfm_context *slot, void *unused)
{
	int ret = pfm_slot_end(slot, NULL);

	if (ret || !slot->joined)
		return ret;
	/* Pairs with pfm_file_read(). */
	smp_store_release(&slot->gone, true);
	pfm_notify_wake(slot);
	return 0;
}

/**
 * pfm_slot_hang_up_all() - the contexts that have joined a tree have nothing to count any more
 * @tree: tree without a member, and dead; nothing happens if it has hidden slots
 *
 * Their programs give back what they hold, by their next commands: see pfm_slot_part().
 *
 * Context: any but NMI, under rcu_read_lock().
 */
void pfm_slot_hang_up_all(struct pfm_tree *tree)
{
	struct pfm_context *slot;
	unsigned long flags;
	int cpu;

	if (!tree->joined)
		return;
	/* Pairs with pfm_slot_join(): it sees @dead, or we see the slot. */
	smp_mb();
	for_each_possible_cpu(cpu) {
		slot = rcu_dereference(tree->slots[cpu]);
		if (!slot)
			continue;
		raw_spin_lock_irqsave(&slot->lock, flags);
		/* A program may have had it part, and join another tree. */
		if (slot->joined == tree)
			pfm_slot_hang_up(slot, NULL);
		raw_spin_unlock_irqrestore(&slot->lock, flags);
	}
}

/**
 * pfm_slot_join() - make a program's context the slot of this CPU
 * @tree: tree of which contexts are slots; the reference becomes the context's on success
 * @a:    the attachment
 *
 * Context: process, the mutex of the context; somebody holds the sum's file.
 * Return: 0; -EBUSY if there is another slot; -ESRCH if the tree has no members any more.
 */
int pfm_slot_join(struct pfm_tree *tree, struct pfm_attach *a)
{
	struct pfm_context *ctx = a->ctx;
	int cpu, ret = 0;

	cpus_read_lock();
	mutex_lock(&pfm_slot_mutex);
	cpu = raw_smp_processor_id();
	if (list_empty(&tree->list)) {
		ret = -ESRCH;
	} else if (rcu_access_pointer(tree->slots[cpu])) {
		ret = -EBUSY;
	} else {
		raw_spin_lock_irq(&ctx->lock);
		pfm_attach_begin(a);
		/* A PFM_START that comes after this goes to all slots, and waits for us. */
		ctx->started = READ_ONCE(tree->sum->started);
		/* Samples are of a thread, which it has to know. */
		ctx->each = true;
		ctx->joined = tree;
		raw_spin_unlock_irq(&ctx->lock);
		rcu_assign_pointer(tree->slots[cpu], ctx);
		/* Pairs with pfm_slot_hang_up_all(). */
		smp_mb();
		/* The end may have found it, or not. */
		if (READ_ONCE(tree->dead))
			pfm_reach_call_any(ctx, pfm_slot_hang_up, NULL);
		else
			smp_call_function_single(cpu, pfm_slot_go_live, tree, 1);
	}
	mutex_unlock(&pfm_slot_mutex);
	cpus_read_unlock();
	return ret;
}

/**
 * pfm_slot_part() - a context is no slot any more
 * @ctx: context that has joined a tree, and is unloaded since
 *
 * Context: process; ctx->mutex, or nobody else has the context any more.
 */
void pfm_slot_part(struct pfm_context *ctx)
{
	static const DECLARE_BITMAP(none, PFM_PMCS_MAX);
	struct pfm_tree *tree = ctx->joined;
	unsigned int held;
	int cpu;

	mutex_lock(&pfm_slot_mutex);
	for_each_possible_cpu(cpu)
		if (rcu_access_pointer(tree->slots[cpu]) == ctx)
			RCU_INIT_POINTER(tree->slots[cpu], NULL);
	mutex_unlock(&pfm_slot_mutex);
	raw_spin_lock_irq(&ctx->lock);
	ctx->joined = NULL;
	ctx->each = false;
	held = pfm_reserve_take(ctx, 0, none);
	raw_spin_unlock_irq(&ctx->lock);
	if (held)
		pfm_reserve_put(held);
	pfm_session_close(false);
	pfm_session_unhook(false);
	pfm_tree_put(tree);
}

/**
 * pfm_slot_end_all() - have no slot count any more, or be live
 * @tree: tree, whose attachment has ended, or is about to be ended by the caller
 *
 * What they have counted stays until pfm_slot_close_all().
 *
 * Context: process; only one of these, and of those, at a time.
 */
void pfm_slot_end_all(struct pfm_tree *tree)
{
	struct pfm_context *slot;
	int cpu;

	mutex_lock(&pfm_slot_mutex);
	list_del_init(&tree->list);
	/* From now on none comes. One that has joined may part by itself: not meanwhile. */
	for_each_possible_cpu(cpu) {
		slot = rcu_dereference_protected(tree->slots[cpu],
						 lockdep_is_held(&pfm_slot_mutex));
		if (slot)
			pfm_reach_call_any(slot, pfm_slot_hang_up, NULL);
	}
	mutex_unlock(&pfm_slot_mutex);
}

/**
 * pfm_slot_close_all() - have no slots any more
 * @tree: tree that is dead, or was never loaded; its slots may still be live
 *
 * Context: process.
 */
void pfm_slot_close_all(struct pfm_tree *tree)
{
	struct pfm_context *slot;
	int cpu;

	pfm_slot_end_all(tree);
	if (tree->joined)
		return;
	/* Otherwise the sum was never loaded with it. */
	if (tree->sum->tree == tree)
		pfm_sum_fold(tree->sum);
	for_each_possible_cpu(cpu) {
		slot = rcu_dereference_protected(tree->slots[cpu], true);
		if (!slot)
			continue;
		RCU_INIT_POINTER(tree->slots[cpu], NULL);
		/* What is to be seen of it afterwards. */
		WRITE_ONCE(tree->sum->throttled, tree->sum->throttled + slot->throttled);
		pfm_slot_close(slot);
		cond_resched();
	}
}

/**
 * pfm_slot_each() - run a function on all slots of a tree
 * @tree: tree, referenced
 * @fn:   called as by pfm_reach_call_any(); on all of them, whatever it returns
 * @arg:  its argument
 *
 * Context: process.
 * Return: 0 if it did so on any, or if there is none; what the last one returned otherwise.
 */
int pfm_slot_each(struct pfm_tree *tree, pfm_reach_fn fn, void *arg)
{
	struct pfm_context *slot;
	int cpu, one, ret = 0;
	bool done = false;

	mutex_lock(&pfm_slot_mutex);
	/* Otherwise they are about to be closed. */
	if (!list_empty(&tree->list)) {
		for_each_possible_cpu(cpu) {
			slot = rcu_dereference_protected(tree->slots[cpu],
							 lockdep_is_held(&pfm_slot_mutex));
			if (!slot)
				continue;
			one = pfm_reach_call_any(slot, fn, arg);
			done |= !one;
			ret = one ?: ret;
		}
	}
	mutex_unlock(&pfm_slot_mutex);
	return done ? 0 : ret;
}
