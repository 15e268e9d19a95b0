// SPDX-License-Identifier: GPL-2.0-only
/*
 * perfmon2: the sum of a tree: commands on the context that the program has.
 *
 * Each command acts on the sum first, as if that was attached to a thread on no CPU: so all
 * errors are found. Then it goes to the slots. What the sum's counters hold is what was
 * written to them; each slot has begun with the same values. So a counter of the tree is its
 * value in the sum and, for each slot, by how much the slot's has grown.
 */
#include <linux/sched/clock.h>
#include <linux/time64.h>

#include "pfm.h"
#include "tree.h"

/* Whether there are slots that the sum is the sum of. */
static bool pfm_sum_has_parts(const struct pfm_context *ctx)
{
	return unlikely(ctx->tree) && !ctx->tree->joined;
}

/**
 * pfm_sum_call() - a command without a vector, which the sum has carried out
 * @ctx: context; nothing happens unless it is loaded on a tree
 * @fn:  what it does where a context is live
 * @arg: its argument
 *
 * Context: process, ctx->mutex.
 * Return: 0 if it succeeded on any slot, or there is none; what it returned otherwise.
 */
int pfm_sum_call(struct pfm_context *ctx, pfm_reach_fn fn, void *arg)
{
	return unlikely(ctx->tree) ? pfm_slot_each(ctx->tree, fn, arg) : 0;
}

/**
 * pfm_sum_look() - find out whether counters are of what each thread has for itself
 * @ctx: context of a tree, or that is about to be; once they are, slots are told for good
 *
 * Context: process, ctx->mutex.
 */
void pfm_sum_look(struct pfm_context *ctx)
{
	struct pfm_set *set;
	unsigned long id;

	ctx->each |= ctx->clocked || ctx->faults;
	if (ctx->each)
		return;
	xa_for_each(&ctx->sets, id, set)
		if (set->events)
			ctx->each = true;
}

/* What the sum has found right of a vector: all that it has looked at, but the last if @ret. */
static struct pfm_vector pfm_sum_right(const struct pfm_vector *v, int ret)
{
	return (struct pfm_vector){ .elem = v->elem, .n = v->done - (ret && v->done) };
}

/**
 * pfm_sum_repeat() - write to all slots what was written to the sum
 * @ctx:   context; nothing happens unless it is loaded on a tree
 * @v:     vector of the command
 * @ret:   what the command returns: the last element that was looked at failed, or 0
 * @piece: does a piece of the vector
 *
 * Context: process, ctx->mutex.
 * Return: @ret.
 */
int pfm_sum_repeat(struct pfm_context *ctx, const struct pfm_vector *v, int ret,
		   pfm_reach_fn piece)
{
	struct pfm_vector done = pfm_sum_right(v, ret);
	struct pfm_slot_change change = { .sum = ctx, .piece = piece, .v = &done };

	if (!pfm_sum_has_parts(ctx))
		return ret;
	pfm_sum_look(ctx);
	while (done.done < done.n) {
		pfm_slot_each(ctx->tree, pfm_slot_change, &change);
		done.done = pfm_vector_end(&done);
	}
	return ret;
}

/* Elements of which something is added up. [s] */
struct pfm_sum_part {
	struct pfm_context *sum;
	void *elem;
	unsigned int from;
	unsigned int to;
};

/* Goes through @v in pieces; all elements but the last one, if @ret, are right. */
static void pfm_sum_add(struct pfm_context *ctx, const struct pfm_vector *v, int ret,
			pfm_reach_fn fn)
{
	struct pfm_vector done = pfm_sum_right(v, ret);
	struct pfm_sum_part part = { .sum = ctx, .elem = v->elem };

	while (done.done < done.n) {
		part.from = done.done;
		part.to = done.done = pfm_vector_end(&done);
		pfm_slot_each(ctx->tree, fn, &part);
	}
}

static int pfm_sum_add_pmds(struct pfm_context *slot, void *arg)
{
	const struct pfm_sum_part *part = arg;
	struct pfm_set *set, *base;
	pfarg_pmd_t *req;
	unsigned int n, i;

	pfm_runstate_update(slot);
	for (n = part->from; n < part->to; n++) {
		req = (pfarg_pmd_t *)part->elem + n;
		i = pfm_pmu_find_pmd(req->reg_num);
		set = pfm_set_find(slot, req->reg_set);
		base = pfm_set_find(part->sum, req->reg_set);
		if (!set || !base || !(pfm_regmap.counters & BIT_ULL(i)))
			continue;
		req->reg_value = pfm_set_fit(set, i, req->reg_value + set->pmds[i].value -
					     base->pmds[i].value);
	}
	return 0;
}

/**
 * pfm_sum_read() - add to the values of counters what slots have counted
 * @ctx: context; nothing happens unless it is loaded on a tree
 * @v:   elements of PFM_READ_PMDS: those of the sum
 * @ret: what the command returns: the last element that was looked at failed, or 0
 *
 * Slots are looked at one after the other, while members run. Each has at least what it had
 * at the last look, and so has the sum.
 *
 * Context: process, ctx->mutex.
 * Return: @ret.
 */
int pfm_sum_read(struct pfm_context *ctx, const struct pfm_vector *v, int ret)
{
	if (pfm_sum_has_parts(ctx))
		pfm_sum_add(ctx, v, ret, pfm_sum_add_pmds);
	return ret;
}

static int pfm_sum_add_sets(struct pfm_context *slot, void *arg)
{
	const struct pfm_sum_part *part = arg;
	struct timespec64 ts;
	pfarg_setinfo_t *info;
	struct pfm_set *set;
	unsigned int n;

	for (n = part->from; n < part->to; n++) {
		info = (pfarg_setinfo_t *)part->elem + n;
		set = pfm_set_find(slot, info->set_id);
		if (!set)
			continue;
		ts = ns_to_timespec64(pfm_set_act_ns(slot, set, local_clock()));
		ts = timespec64_add(ts, (struct timespec64){
			info->set_act_duration.tv_sec, info->set_act_duration.tv_nsec });
		info->set_runs += set->runs;
		info->set_act_duration.tv_sec = ts.tv_sec;
		info->set_act_duration.tv_nsec = ts.tv_nsec;
	}
	return 0;
}

/**
 * pfm_sum_getinfo() - add to what is said of sets what it is on all CPUs
 * @ctx: context; nothing happens unless it is loaded on a tree
 * @v:   elements of PFM_GETINFO_EVTSETS: those of the sum
 * @ret: what the command returns: the last element that was looked at failed, or 0
 *
 * How often a set was active, and for how long while a member ran.
 *
 * Context: process, ctx->mutex.
 * Return: @ret.
 */
int pfm_sum_getinfo(struct pfm_context *ctx, const struct pfm_vector *v, int ret)
{
	if (pfm_sum_has_parts(ctx))
		pfm_sum_add(ctx, v, ret, pfm_sum_add_sets);
	return ret;
}

/* Of one set. The slots are not live any more. */
static void pfm_sum_fold_set(struct pfm_context *sum, struct pfm_set *set)
{
	struct pfm_tree *tree = sum->tree;
	u64 base[PFM_PMDS_MAX];
	struct pfm_context *slot;
	struct pfm_set *part;
	unsigned int i;
	int cpu;

	for (i = 0; i < pfm_regmap.num_pmds; i++)
		base[i] = set->pmds[i].value;
	for_each_possible_cpu(cpu) {
		slot = rcu_dereference_protected(tree->slots[cpu], true);
		part = slot ? pfm_set_find(slot, set->id) : NULL;
		if (!part)
			continue;
		set->runs += part->runs;
		set->act_ns += part->act_ns;
		for (i = 0; i < pfm_regmap.num_pmds; i++)
			if (pfm_regmap.counters & BIT_ULL(i))
				set->pmds[i].value = pfm_set_fit(set, i, set->pmds[i].value +
							part->pmds[i].value - base[i]);
	}
}

/**
 * pfm_sum_fold() - add to a sum for good what its slots have counted
 * @sum: context whose attachment to its tree has ended, and whose slots are not live
 *
 * Context: process; the context's mutex, or nobody else has it any more.
 */
void pfm_sum_fold(struct pfm_context *sum)
{
	struct pfm_set *set;
	unsigned long id;

	xa_for_each(&sum->sets, id, set) {
		raw_spin_lock_irq(&sum->lock);
		pfm_sum_fold_set(sum, set);
		raw_spin_unlock_irq(&sum->lock);
		cond_resched();
	}
}
