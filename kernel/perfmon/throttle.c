// SPDX-License-Identifier: GPL-2.0-only
/*
 * perfmon2: a context whose overflows are too many is masked (4.1).
 *
 * There are two reasons: the CPU has had as many overflows in this second as the
 * administrator allows (interrupts_max), or the PMU's interrupts leave no time for
 * anything else. The program gets a message, and goes on by PFM_RESTART.
 *
 * Runs where runstate.c does.
 */
#include <linux/jiffies.h>

#include "pfm.h"

/* Contexts with less than interrupts_max / PFM_THROTTLE_SHARE are exempt. */
#define PFM_THROTTLE_SHARE	16

/*
 * A storm: more than PFM_THROTTLE_STORM back-to-back interrupts (each ordinary one takes
 * PFM_THROTTLE_CALM off the count) that took PFM_THROTTLE_STORM_NS together.
 */
#define PFM_THROTTLE_STORM	256
#define PFM_THROTTLE_CALM	16U
#define PFM_THROTTLE_STORM_NS	(NSEC_PER_SEC / 2)
#define PFM_THROTTLE_OVERHEAD	(10 * NSEC_PER_MSEC)

/**
 * pfm_throttle_is_storm() - whether interrupts of the PMU leave no time for others
 * @l:     the lane of the context whose interrupts they are
 * @begin: local_clock() at which the one that is being handled began, in nanoseconds
 * @end:   local_clock() now
 *
 * When kernel-level events are sampled, returning from one overflow interrupt can
 * cause the next. On a slow machine that starves everything long before
 * interrupts_max is reached. One slow interrupt proves nothing: a virtual CPU may
 * have been descheduled in it. One that arrived while we were still handling the
 * last does: all the time since then was overhead. The same holds if, by the time of its
 * handler, a counter has counted as many events again as its period has: then the way into
 * the handler, which may be much longer than the handler, causes the next interrupt.
 *
 * Context: interrupts off, at the end of such an interrupt; or NMI.
 * Return: whether it is a storm by now. Then the count begins anew.
 */
bool pfm_throttle_is_storm(struct pfm_lane *l, u64 begin, u64 end)
{
	const bool overhead = l->deferred || l->overtaken;
	u64 spent = end - begin;

	if (overhead)
		spent = min_t(u64, end - l->ended, PFM_THROTTLE_OVERHEAD);
	if (begin - l->ended > spent && !overhead)
		l->storm -= min(l->storm, PFM_THROTTLE_CALM);
	else
		l->storm++;
	l->deferred = false;
	l->overtaken = false;
	l->spent = l->storm ? l->spent + spent : 0;
	l->ended = end;
	if (l->storm <= PFM_THROTTLE_STORM || l->spent <= PFM_THROTTLE_STORM_NS)
		return false;
	/* The next context starts from zero. */
	l->storm = 0;
	l->spent = 0;
	return true;
}

/**
 * pfm_throttle_is_too_many() - count an overflow against interrupts_max
 * @ctx: context that has overflowed
 *
 * The CPU has a count, and so has the context, which moves between CPUs. Each begins
 * anew with the first overflow after a second. That is measured in jiffies, which are
 * exact enough, the same on all CPUs, and free.
 *
 * Context: ctx->lock, interrupts off or NMI; on the CPU where the context is live, if
 * it is.
 * Return: true if the CPU has used up interrupts_max and the context has
 * a relevant share of it; above twice the limit, whatever its share.
 */
bool pfm_throttle_is_too_many(struct pfm_context *ctx)
{
	struct pfm_cpu *c = this_cpu_ptr(&pfm_cpu);
	u64 max = READ_ONCE(pfm_config.interrupts_max);
	unsigned long now = jiffies;

	pfm_assert_live(ctx);
	if (now - c->interrupts_at >= HZ) {
		c->interrupts_at = now;
		c->interrupts = 0;
	}
	if (now - ctx->interrupts_at >= HZ) {
		ctx->interrupts_at = now;
		ctx->interrupts = 0;
	}
	ctx->interrupts++;
	if (c->interrupts >= max &&
	    (ctx->interrupts >= max / PFM_THROTTLE_SHARE ||
	     c->interrupts / 2 >= max))
		return true;
	/*
	 * Interrupts that get masked are not counted: endless restarts would use up
	 * the others' allowance.
	 */
	c->interrupts++;
	return false;
}

/**
 * pfm_throttle_context() - a context overflows so often that others suffer
 * @ctx: context, up to date
 *
 * If the context runs, it is masked and gets a message even if no counter has
 * PFM_REGFL_OVFL_NOTIFY: with a period like this the machine does nothing else. The
 * message names the counters that wait for a reset, none if they were reset. A program
 * that wants no messages, and has not asked to be told of these overflows, need not
 * come with a PFM_RESTART: its thread does not wait for one.
 *
 * Context: ctx->lock, interrupts off or NMI; on the CPU where the context is live, if
 * it is.
 */
void pfm_throttle_context(struct pfm_context *ctx)
{
	pfm_assert_live(ctx);
	if (!pfm_runstate_running(ctx))
		return;
	pfm_stat_inc(PFM_STAT_THROTTLED);
	WRITE_ONCE(ctx->throttled, ctx->throttled + 1);
	pfm_runstate_mask(ctx);
	pfm_notify_overflow(ctx, ctx->set->ovfl);
	if (!(ctx->flags & PFM_FL_OVFL_NO_MSG))
		pfm_notify_block(ctx);
	pfm_notify_wake(ctx);
}
