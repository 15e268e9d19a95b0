// SPDX-License-Identifier: GPL-2.0-only
/*
 * perfmon2: what follows from the overflow of a 64-bit counter (3.4.3).
 *
 * With a sampling format, the format decides (3.5.14). Without one: if the counter's
 * control has PFM_REGFL_OVFL_NOTIFY, a message is queued and monitoring is masked, so
 * that the program finds all registers as they were at the overflow; PFM_RESTART
 * loads the long reset values. Otherwise the short reset values are loaded at once
 * and monitoring goes on.
 *
 * Runs where runstate.c does. It is in the kernel because a period must end
 * at the event that ends it, not when a program is scheduled to look at it.
 */
#include <linux/sched/clock.h>

#include "hw.h"
#include "pfm.h"
#include "setswitch.h"
#include "soft.h"
#include "timer.h"

static void pfm_overflow_reset_one(struct pfm_set *set, unsigned int i,
				   bool is_long)
{
	const struct pfm_pmd_desc *d = pfm_regmap.pmd[i];
	struct pfm_reset *r = pfm_set_reset(set, i);
	u64 base = is_long ? r->long_reset : r->short_reset;

	if (!pfm_pmu_can_write(d))
		return;
	if (set->random & BIT_ULL(i))
		base += pfm_random_next(&r->random, r->random_mask);
	base = pfm_set_fit(set, i, base);
	set->pmds[i].value = base;
	r->last_reset = base;
	set->unarmed |= BIT_ULL(i);
}

/* Whether a counter of the hardware has counted as much since it overflowed as before. */
static bool pfm_overflow_is_overtaken(const struct pfm_set *set, unsigned int i)
{
	const u64 last = pfm_set_reset(set, i)->last_reset;

	return set->hard & BIT_ULL(i) && last && set->pmds[i].value >= -last;
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
 * Context: ctx->lock, interrupts off; on the CPU where the context is live, if it is.
 */
void pfm_overflow_reset(struct pfm_context *ctx, u64 ovfl, bool is_long)
{
	struct pfm_set *set = ctx->set;
	u64 also = 0, rest;
	unsigned int i;

	pfm_assert_live(ctx);
	for (rest = ovfl; rest; rest &= rest - 1) {
		i = __ffs64(rest);
		also |= set->pmcs[pfm_regmap.ctrl[i]].reset_pmds;
		if (unlikely(pfm_overflow_is_overtaken(set, i)))
			pfm_lane_of(this_cpu_ptr(&pfm_cpu), ctx)->overtaken = true;
		if (is_long || pfm_set_reset(set, i)->short_reset ||
		    (set->random & BIT_ULL(i)))
			pfm_overflow_reset_one(set, i, is_long);
		else
			pfm_set_reset(set, i)->last_reset = 0;
	}
	for (rest = also & ~ovfl; rest; rest &= rest - 1)
		pfm_overflow_reset_one(set, __ffs64(rest), is_long);
}

/**
 * pfm_overflow_reset_read() - reset a register that has been read (6.2.2)
 * @ctx: context
 * @set: one of its sets, not necessarily the active one; its counters stand still
 * @i:   PMD; the reset_pmds of its control are reset with it
 *
 * With the long values. If the counter has overflowed before, and waits for
 * PFM_RESTART, that loads them again.
 *
 * Context: ctx->lock, interrupts off; on the CPU where the context is live, if it is.
 */
void pfm_overflow_reset_read(struct pfm_context *ctx, struct pfm_set *set,
			     unsigned int i)
{
	unsigned int pmc = pfm_regmap.ctrl[i];
	u64 rest = BIT_ULL(i);

	pfm_assert_live(ctx);
	if (pmc != PFM_NONE)
		rest |= set->pmcs[pmc].reset_pmds;
	for (; rest; rest &= rest - 1)
		pfm_overflow_reset_one(set, __ffs64(rest), true);
}

/*
 * Without a format: if a counter with PFM_REGFL_OVFL_NOTIFY overflowed, notify, block
 * if the context says so, and mask; otherwise reset all counters at once.
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
 * __pfm_overflow_real() - tell overflows from wraps of counters without emulation
 * @ctx:     context, up to date
 * @wrapped: counters of the active set that have wrapped, or are to be looked at for this
 *
 * A counter of the hardware with PFM_REGFL_NO_64BIT_EMUL is cut to its width.
 *
 * Context: ctx->lock, interrupts off or NMI; on the CPU where the context is live, if
 * it is.
 * Return: those whose wrap is an overflow.
 */
u64 __pfm_overflow_real(struct pfm_context *ctx, u64 wrapped)
{
	struct pfm_set *set = ctx->set;
	u64 rest;

	pfm_assert_live(ctx);
	for (rest = wrapped & set->raw & set->hard; rest; rest &= rest - 1)
		set->pmds[__ffs64(rest)].value &= pfm_regmap.max[__ffs64(rest)];
	return wrapped & ~set->raw;
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
 * Whatever has found the overflow, an interrupt, a switch of threads or a fault, it
 * counts against interrupts_max (4.1): what a format does about it may take long,
 * and here it is done under ctx->lock, maybe under a run queue's.
 *
 * Context: ctx->lock, interrupts off; on the CPU where the context is live, if it is.
 */
void pfm_overflow_handle(struct pfm_context *ctx, u64 ovfl, u64 mask)
{
	struct pfm_set *set = ctx->set;
	pfm_ovfl_ctrl_t ctrl;
	bool ran = pfm_hw_stop(ctx);
	u64 reached, reset;

	pfm_assert_live(ctx);
	ovfl |= pfm_hw_sync(ctx, ran ? set->used : set->used & ~mask);
	if (set->used & ~mask)
		ovfl |= pfm_soft_sync(ctx, set->used & ~mask);
	ovfl = pfm_overflow_real(ctx, ovfl);
	pfm_stat_add(PFM_STAT_OVERFLOWS, hweight64(ovfl));

	reached = pfm_setswitch_count(ctx, ovfl);
	reset = ctx->format ? pfm_format_overflow(ctx, ovfl, &ctrl) :
			      pfm_overflow_plain(set, ovfl, &ctrl);
	/* A full queue masks: otherwise the program would never learn of this overflow. */
	if (ctrl.notify_user && !pfm_notify_overflow(ctx, ovfl))
		ctrl.mask_monitoring = 1;

	/* Masking goes before all resets. */
	set->ovfl |= ovfl;
	if (ctrl.mask_monitoring) {
		ctx->switch_due = reached;
		pfm_runstate_mask(ctx);
	} else if (reached) {
		pfm_setswitch_to(ctx, set->next);
	} else {
		pfm_overflow_reset(ctx, reset, false);
		set->ovfl &= ~reset;
		if (ran)
			pfm_hw_start(ctx);
		pfm_timer_changed(ctx);
	}
	if (ctrl.block_thread)
		pfm_notify_block(ctx);
	if (ctrl.notify_user || ctx->blocked)
		pfm_notify_wake(ctx);
	if (unlikely(pfm_throttle_is_too_many(ctx)))
		pfm_throttle_context(ctx);
}
