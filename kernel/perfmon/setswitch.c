// SPDX-License-Identifier: GPL-2.0-only
/*
 * perfmon2: from one event set to the next (3.7.6).
 *
 * A set is left when its time is over, when one of its counters has overflowed
 * as often as its threshold says, or because PFM_START names another one. All
 * that happens where the context is live: for a thread, in the thread itself.
 *
 * A set that is left keeps what it has counted, and which of its counters
 * overflowed last. Those are reset when it comes next (3.7.7): with the short
 * values, or with the long ones if PFM_RESTART brings it.
 *
 * Runs where runstate.c does. Switching allocates nothing, and touches only
 * the two sets: the chain was linked by PFM_LOAD_CONTEXT.
 */
#include <linux/sched/clock.h>

#include "hw.h"
#include "pfm.h"
#include "setswitch.h"

/*
 * hrtimers and local_clock() are two clocks: a timer that comes at most this much
 * early counts as on time.
 */
#define PFM_SETSWITCH_SLACK	NSEC_PER_USEC

/**
 * pfm_setswitch_activate() - make a set the active one
 * @ctx: context, loaded or being loaded; it does not run, or the caller has
 *       paused it
 * @set: one of its sets, not necessarily another one
 *
 * Context: ctx->lock, interrupts off; on the CPU where the context is live, if it is.
 */
void pfm_setswitch_activate(struct pfm_context *ctx, struct pfm_set *set)
{
	u64 rest;

	pfm_assert_live(ctx);
	/* set_switch_pmds shows nothing of earlier attachments (3.1.12). */
	if (set->load != ctx->load) {
		set->load = ctx->load;
		if (set->in_use)
			pfm_hw_attached(ctx, set);
		set->switched = 0;
	}
	set->runs++;
	set->left = set->timeout;
	for (rest = set->triggers; rest; rest &= rest - 1) {
		struct pfm_reset *r = pfm_set_reset(set, __ffs64(rest));

		r->thres_left = r->thres;
	}
	ctx->set = set;
	ctx->switch_due = false;
	ctx->away = pfm_runstate_leaves_out(set, ctx->kind);
}

/* What overflowed last in a set is reset when it comes (3.7.7). */
static void pfm_setswitch_reset(struct pfm_context *ctx)
{
	struct pfm_set *set = ctx->set;

	if (!set->ovfl)
		return;
	pfm_overflow_reset(ctx, set->ovfl, false);
	set->ovfl = 0;
}

/**
 * pfm_setswitch_load() - make a set the first active one of an attachment
 * @ctx: context that is being loaded
 * @set: one of its sets
 *
 * A counter that overflowed in an earlier attachment and has not been written since
 * would otherwise have 2^64 events to go, and a trigger would never come again
 * (3.1.8 allows attachments without end).
 *
 * Context: ctx->lock, interrupts off; on the CPU where the context is live, if it is.
 */
void pfm_setswitch_load(struct pfm_context *ctx, struct pfm_set *set)
{
	pfm_assert_live(ctx);
	pfm_setswitch_activate(ctx, set);
	pfm_setswitch_reset(ctx);
}

/**
 * pfm_setswitch_to() - leave the active set for another one, or for itself
 * @ctx: loaded context, up to date
 * @set: one of its sets
 *
 * Context: ctx->lock, interrupts off; on the CPU where the context is live, if it is.
 */
void pfm_setswitch_to(struct pfm_context *ctx, struct pfm_set *set)
{
	u64 now = local_clock();

	pfm_assert_live(ctx);
	pfm_stat_inc(PFM_STAT_SETSWITCHES);
	pfm_runstate_pause(ctx, now);
	pfm_hw_tell(ctx);
	pfm_setswitch_activate(ctx, set);
	if (ctx->state == PFM_LOADED)
		pfm_setswitch_reset(ctx);
	pfm_runstate_resume(ctx, now);
}

/**
 * __pfm_setswitch_count() - count overflows down (3.7.6)
 * @ctx:  loaded context, whose active set switches by overflows
 * @ovfl: counters of the active set that have just overflowed
 *
 * Context: ctx->lock, interrupts off; on the CPU where the context is live, if it is.
 * Return: those whose threshold is reached; the switch is the caller's.
 */
u64 __pfm_setswitch_count(struct pfm_context *ctx, u64 ovfl)
{
	struct pfm_set *set = ctx->set;
	u64 rest, reached = 0;

	pfm_assert_live(ctx);
	for (rest = ovfl & set->triggers; rest; rest &= rest - 1) {
		struct pfm_reset *r = pfm_set_reset(set, __ffs64(rest));

		if (r->thres_left && !--r->thres_left)
			reached |= rest & -rest;
	}
	if (reached)
		set->switched = reached;
	return reached;
}

/**
 * __pfm_setswitch_expired() - whether the time-out of the active set is over
 * @ctx: loaded context, whose active set switches by time
 * @now: local_clock(), or the scheduler's last look at it
 *
 * Context: ctx->lock, interrupts off; on the CPU where the context is live, if it is.
 * Return: whether it is.
 */
bool __pfm_setswitch_expired(const struct pfm_context *ctx, u64 now)
{
	pfm_assert_live(ctx);
	return pfm_set_left(ctx, ctx->set, now) < PFM_SETSWITCH_SLACK;
}

/**
 * pfm_setswitch_start() - PFM_START names a set (3.1.5)
 * @ctx: loaded context
 * @id:  number of a set
 *
 * The set that is active already stays as it is. Most programs have sets take turns: the
 * array is asked for other sets only.
 *
 * Context: ctx->lock, interrupts off; on the CPU where the context is live, if it is.
 * Return: 0, or -EINVAL if there is no such set.
 */
int pfm_setswitch_start(struct pfm_context *ctx, u16 id)
{
	struct pfm_set *set = ctx->set;

	pfm_assert_live(ctx);
	if (set->id == id)
		return 0;
	set = set->next->id == id ? set->next : pfm_set_find(ctx, id);
	if (!set)
		return -EINVAL;
	/* This may switch, or mask, by itself. */
	pfm_runstate_freeze(ctx);
	if (set != ctx->set)
		pfm_setswitch_to(ctx, set);
	else
		pfm_runstate_thaw(ctx);
	return 0;
}
