// SPDX-License-Identifier: GPL-2.0-only
/*
 * perfmon2: slots: what counts for the members of a tree, one on each CPU.
 *
 * A slot is a context that no program has a descriptor of, with copies of the sets of the
 * tree's sum. It is live on its own CPU only, while a member runs there: so each member
 * meets the slot of its CPU, no two CPUs ever want the same one, and a switch from a member
 * to another member leaves the slot as it is.
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
		if (!READ_ONCE(tree->dead))
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
 * On success the tree gets one for each CPU that comes, too, until pfm_slot_close_all().
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
		if (rcu_access_pointer(tree->slots[cpu]))
			continue;
		slot = pfm_slot_new(tree, tree->sum->set->id);
		if (!IS_ERR(slot))
			rcu_assign_pointer(tree->slots[cpu], slot);
	}
	mutex_unlock(&pfm_slot_mutex);
}

/* The software half of letting go of a slot, where it is live. */
static int pfm_slot_end(struct pfm_context *slot, void *unused)
{
	if (slot->cpu >= 0) {
		pfm_runstate_stop(slot);
		pfm_slot_leave(slot, local_clock());
	}
	WRITE_ONCE(slot->state, PFM_UNLOADED);
	return 0;
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
	mutex_unlock(&pfm_slot_mutex);
	/* From now on only the caller changes which slots there are. */
	for_each_possible_cpu(cpu) {
		slot = rcu_dereference_protected(tree->slots[cpu], true);
		if (slot)
			pfm_reach_call_any(slot, pfm_slot_end, NULL);
	}
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
	/* Otherwise the sum was never loaded with it. */
	if (tree->sum->tree == tree)
		pfm_sum_fold(tree->sum);
	for_each_possible_cpu(cpu) {
		slot = rcu_dereference_protected(tree->slots[cpu], true);
		if (!slot)
			continue;
		RCU_INIT_POINTER(tree->slots[cpu], NULL);
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
