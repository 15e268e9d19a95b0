/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perfmon2: the timer of a CPU, see timer.c; for rooms that change what it waits for.
 */
#ifndef _KERNEL_PERFMON_TIMER_H
#define _KERNEL_PERFMON_TIMER_H

#include <linux/percpu.h>
#include <linux/sched/clock.h>

#include "pfm.h"

/*
 * A timer is not set closer than this, or a program could take its CPU away
 * from everybody with a period of a nanosecond.
 */
#define PFM_TIMER_MIN	(10 * NSEC_PER_USEC)

/* timer.c */
void __pfm_timer_arm(struct pfm_context *ctx, u64 now);
int pfm_timer_cancel(unsigned int cpu);
void pfm_timer_init_cpu(int cpu);
void pfm_timer_exit_cpu(int cpu);

/* Whether the set waits for a moment of its own: few do. */
static __always_inline bool pfm_timer_is_asked(const struct pfm_set *set)
{
	return unlikely((set->flags & PFM_SETFL_TIME_SWITCH) || set->sw[PFM_SW_TASK_CLOCK]);
}

/**
 * pfm_timer_arm() - have the timer come no later than the context needs it
 * @ctx: context; nothing happens unless it runs and is live here
 * @now: local_clock(), or the scheduler's last look at it
 *
 * Most sets need it for the look at the hardware's counters alone, for which it is set
 * already but for the first time.
 *
 * Context: ctx->lock, interrupts off; run queue locks may be held. In an NMI,
 * and while the machine is being suspended or woken, it is done a moment later.
 */
static __always_inline void pfm_timer_arm(struct pfm_context *ctx, u64 now)
{
	const struct pfm_set *set = ctx->set;
	u64 at;

	if (!pfm_timer_is_asked(set)) {
		if (!set->hard)
			return;
		at = __this_cpu_read(pfm_cpu.timer_at);
		if (likely(at && at <= now + pfm_regmap.poll))
			return;
	}
	__pfm_timer_arm(ctx, now);
}

/**
 * pfm_timer_changed() - as pfm_timer_arm(), after values have changed
 * @ctx: context
 *
 * The clock is read only if there is something to wait for: most overflows
 * come without.
 *
 * Context: as pfm_timer_arm().
 */
static __always_inline void pfm_timer_changed(struct pfm_context *ctx)
{
	if (pfm_timer_is_asked(ctx->set))
		__pfm_timer_arm(ctx, local_clock());
}

#endif /* _KERNEL_PERFMON_TIMER_H */
