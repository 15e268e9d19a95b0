// SPDX-License-Identifier: GPL-2.0-only
/*
 * perfmon2: what follows from the overflow of a 64-bit counter (3.4.3).
 *
 * With a sampling format that is the format's decision (3.5.14). Without: a
 * counter whose control asks for it notifies, and monitoring is masked so that
 * whoever is told finds all registers as they were; PFM_RESTART loads the long
 * reset values. Otherwise the short ones are loaded at once and monitoring
 * goes on.
 *
 * Runs where monitor.c does. It is in the kernel because a period must end
 * at the event that ends it, not when a program gets to look.
 */
#include <linux/sched/clock.h>

#include "pfm.h"

/* Who has less than one of so many parts of the limit is not throttled by it. */
#define PFM_OVERFLOW_SHARE	16

static void pfm_overflow_reset_one(struct pfm_set *set, unsigned int i,
				   bool is_long)
{
	const struct pfm_pmd_desc *d = pfm_regmap.pmd[i];
	struct pfm_pmd *p = &set->pmds[i];
	u64 base = is_long ? p->long_reset : p->short_reset;

	if (d->flags & PFM_PMD_RDONLY)
		return;
	if (set->random & BIT_ULL(i))
		base += pfm_random_next(&p->random, p->random_mask);
	p->value = (base & ~d->rsvd) | (d->def & d->rsvd);
	p->last_reset = p->value;
	set->rearm |= BIT_ULL(i);
}

/**
 * pfm_overflow_reset() - load reset values (3.4.1, 3.4.2)
 * @ctx:     context, up to date
 * @ovfl:    counters of the active set that overflowed; the reset_pmds of
 *           their controls are reset with them
 * @is_long: load the long values, not the short ones
 *
 * An overflowed counter with a short value of 0 has been loaded with it by
 * wrapping around: what it has counted since is kept (3.4.3).
 *
 * Context: see above.
 */
void pfm_overflow_reset(struct pfm_context *ctx, u64 ovfl, bool is_long)
{
	struct pfm_set *set = ctx->set;
	u64 also = 0, rest;
	unsigned int i;

	for (rest = ovfl; rest; rest &= rest - 1) {
		i = __ffs64(rest);
		also |= set->pmcs[pfm_regmap.ctrl[i]].reset_pmds;
		if (is_long || set->pmds[i].short_reset ||
		    (set->random & BIT_ULL(i)))
			pfm_overflow_reset_one(set, i, is_long);
		else
			set->pmds[i].last_reset = 0;
	}
	for (rest = also & ~ovfl; rest; rest &= rest - 1)
		pfm_overflow_reset_one(set, __ffs64(rest), is_long);
}

/* Queue the message. False if it is lost. */
static bool pfm_overflow_tell(struct pfm_context *ctx, u64 ovfl)
{
	if ((ctx->flags & PFM_FL_OVFL_NO_MSG) ||
	    pfm_message_overflow(&ctx->queue, ctx->set->id, ovfl))
		return true;
	pfm_stat_inc(PFM_STAT_LOST);
	return false;
}

static void pfm_overflow_block(struct pfm_context *ctx)
{
	if (ctx->flags & PFM_FL_NOTIFY_BLOCK)
		ctx->blocked = true;
}

/*
 * Too many in this second, of which some share is this context's: another one that
 * has few is not to blame. Up to a point.
 */
static bool pfm_overflow_too_many(struct pfm_context *ctx, u64 now)
{
	struct pfm_cpu *c = this_cpu_ptr(&pfm_cpu);
	u64 max = READ_ONCE(pfm_config.interrupts_max);

	if (now - c->second >= NSEC_PER_SEC) {
		c->second = now;
		c->interrupts = 0;
	}
	/* Its own second: it may come and go. */
	if (now - ctx->second >= NSEC_PER_SEC) {
		ctx->second = now;
		ctx->interrupts = 0;
	}
	ctx->interrupts++;
	if (c->interrupts >= max &&
	    (ctx->interrupts >= max / PFM_OVERFLOW_SHARE ||
	     c->interrupts / 2 >= max))
		return true;
	/* Not what is masked: or restarts without end would use up the rest. */
	c->interrupts++;
	return false;
}

/**
 * pfm_overflow_limit() - an interrupt with an overflow has been handled
 * @ctx:   context, up to date
 * @now:   local_clock()
 * @storm: they leave no time to others
 *
 * If so, or if there were too many in this second (4.1), the context is masked,
 * unless it is, and its owner is told, whether he asked to be or not: with a
 * period like this the machine does nothing else. The message names the counters
 * that wait for a reset, none if they have got it.
 *
 * Context: see above; or NMI.
 */
void pfm_overflow_limit(struct pfm_context *ctx, u64 now, bool storm)
{
	storm |= pfm_overflow_too_many(ctx, now);
	if (!storm || !pfm_monitor_running(ctx))
		return;
	pfm_stat_inc(PFM_STAT_THROTTLED);
	ctx->throttled++;
	pfm_monitor_mask(ctx);
	pfm_overflow_tell(ctx, ctx->set->ovfl);
	pfm_overflow_block(ctx);
	pfm_message_notify(ctx);
}

/*
 * Without a format: whoever asked is told, and blocked, and monitoring masked;
 * else all is reset at once.
 */
static u64 pfm_overflow_plain(const struct pfm_set *set, u64 ovfl,
			      pfm_ovfl_ctrl_t *ctrl)
{
	bool notify = ovfl & set->notify;

	*ctrl = (pfm_ovfl_ctrl_t){
		.notify_user = notify,
		.block_thread = notify,
		.mask_monitoring = notify,
	};
	return ovfl;
}

/**
 * pfm_overflow_handle() - counters have overflowed
 * @ctx:  context that counts
 * @ovfl: counters of the active set
 * @mask: counters that have just been brought up to date, @ovfl among them
 *
 * The others are brought up to date, too: whatever is read, reset or masked
 * now is as of this moment, and what overflows with them belongs to the same
 * event. May leave the context masked, or with another active set: one that
 * is due while the context gets masked comes with PFM_RESTART (3.7.7).
 *
 * Context: see above.
 */
void pfm_overflow_handle(struct pfm_context *ctx, u64 ovfl, u64 mask)
{
	struct pfm_set *set = ctx->set;
	pfm_ovfl_ctrl_t ctrl;
	bool ran = pfm_hw_stop(ctx);
	u64 reached, reset;

	ovfl |= pfm_hw_sync(ctx, ran ? set->used : set->used & ~mask);
	if (set->used & ~mask)
		ovfl |= pfm_soft_sync(ctx, set->used & ~mask);
	pfm_stat_add(PFM_STAT_OVERFLOWS, hweight64(ovfl));

	reached = pfm_switch_count(set, ovfl);
	reset = ctx->format ? pfm_format_overflow(ctx, ovfl, &ctrl) :
			      pfm_overflow_plain(set, ovfl, &ctrl);
	/* A full queue masks: what was to be told would be forgotten. */
	if (ctrl.notify_user && !pfm_overflow_tell(ctx, ovfl))
		ctrl.mask_monitoring = 1;

	/* Masking goes before all resets. */
	set->ovfl |= ovfl;
	if (ctrl.mask_monitoring) {
		ctx->switch_due = reached;
		pfm_monitor_mask(ctx);
	} else if (reached) {
		pfm_switch_to(ctx, set->next);
	} else {
		pfm_overflow_reset(ctx, reset, false);
		set->ovfl &= ~reset;
		if (ran)
			pfm_hw_start(ctx);
		pfm_timer_rearm(ctx);
	}
	if (ctrl.block_thread)
		pfm_overflow_block(ctx);
	if (ctrl.notify_user || ctx->blocked)
		pfm_message_notify(ctx);
}

/* What the format says to PFM_RESTART: by default reset, and go on. */
static int pfm_overflow_ask(struct pfm_context *ctx, pfm_ovfl_ctrl_t *ctrl)
{
	if (ctx->format)
		return pfm_format_restart(ctx, ctrl);
	if (ctx->state != PFM_MASKED)
		return -EBUSY;
	*ctrl = (pfm_ovfl_ctrl_t){ .reset_ovfl_pmds = 1 };
	return 0;
}

/**
 * pfm_overflow_restart() - PFM_RESTART (3.1.9), by pfm_context_call()
 * @ctx:    context
 * @unused: NULL
 *
 * The thread that is blocked, if any, is the caller's to wake.
 *
 * Context: see above.
 * Return: 0; -EBUSY if the context is not loaded, or not masked and without a
 * format; or what the format says, and nothing has changed.
 */
int pfm_overflow_restart(struct pfm_context *ctx, void *unused)
{
	pfm_ovfl_ctrl_t ctrl;
	bool masked;
	int ret;

	if (ctx->state == PFM_UNLOADED)
		return -EBUSY;
	/* An overflow that is found now came before the restart, and may mask. */
	if (ctx->format)
		pfm_monitor_hold(ctx);
	masked = ctx->state == PFM_MASKED;
	ret = pfm_overflow_ask(ctx, &ctrl);
	if (ret) {
		pfm_monitor_release(ctx);
		return ret;
	}

	if (masked && (ctx->switch_due || (ctx->started &&
			pfm_switch_expired(ctx, local_clock())))) {
		pfm_stat_inc(PFM_STAT_SWITCHES);
		pfm_switch_activate(ctx, ctx->set->next);
	}
	if (ctrl.reset_ovfl_pmds) {
		pfm_overflow_reset(ctx, ctx->set->ovfl, true);
		ctx->set->ovfl = 0;
	}
	ctx->blocked = false;
	if (ctrl.mask_monitoring && !masked)
		pfm_monitor_mask(ctx);
	else if (!ctrl.mask_monitoring && masked)
		pfm_monitor_unmask(ctx);
	else if (!masked)
		pfm_monitor_release(ctx);
	return 0;
}
