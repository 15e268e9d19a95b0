// SPDX-License-Identifier: GPL-2.0-only
/*
 * perfmon2: the timer of a CPU, for whatever the live contexts wait for, the running
 * thread's and the CPU's: the overflow of a task clock, the time-out of a set, the
 * next look at the counters of the hardware.
 *
 * It is set when a context becomes live, at each switch of threads, and
 * hardly ever cancelled: one that comes too early finds out what is left and is
 * set again, which happens at most once for each time that it was set. So a
 * context's coming and going costs a comparison, not two operations on the
 * timer queue. Set by its own handler it costs none: the handler says when, and the
 * kernel, which holds the queue's lock anyway after it, puts the timer back.
 *
 * The handler runs with interrupts off on the CPU that set it. While a context
 * is live elsewhere, or nowhere, its time does not pass.
 */
#include <linux/ktime.h>
#include <linux/sched/clock.h>

#include "clock.h"
#include "compat.h"
#include "host.h"
#include "hw.h"
#include "pfm.h"
#include "setswitch.h"
#include "soft.h"
#include "timer.h"

/**
 * __pfm_timer_arm() - the rest of pfm_timer_arm()
 * @ctx: context; nothing happens unless it runs and is live here
 * @now: local_clock(), or the scheduler's last look at it
 *
 * Context: as pfm_timer_arm().
 */
void __pfm_timer_arm(struct pfm_context *ctx, u64 now)
{
	struct pfm_cpu *c = this_cpu_ptr(&pfm_cpu);
	u64 left = U64_MAX, at;

	pfm_assert_live(ctx);
	if (ctx->cpu < 0 || !pfm_runstate_running(ctx))
		return;
	if (ctx->set->flags & PFM_SETFL_TIME_SWITCH)
		left = pfm_set_left(ctx, ctx->set, now);
	if (ctx->set->sw[PFM_SW_TASK_CLOCK])
		left = min(left, pfm_soft_left(ctx));
	if (ctx->set->hard)
		left = min(left, pfm_regmap.poll);
	if (left > S64_MAX)
		return;

	left = max_t(u64, left, PFM_TIMER_MIN);
	at = now + left;
	if (c->timer_at && c->timer_at <= at)
		return;
	/*
	 * To start a timer takes a lock, which an NMI may not. And between
	 * pfm_sleep_suspend() and pfm_sleep_resume(), which may both get here, the clock of
	 * timers stands still: the irq_work runs when interrupts are on again, which is
	 * after timekeeping_resume().
	 */
	if (in_nmi() || unlikely(pfm_host_no_time())) {
		irq_work_queue(&c->work);
		return;
	}
	c->timer_at = at;
	if (c->timer_runs)
		hrtimer_set_expires(&c->timer, ktime_add_ns(ktime_get(), left));
	else
		hrtimer_start(&c->timer, ns_to_ktime(left), HRTIMER_MODE_REL_PINNED_HARD);
}

/**
 * pfm_timer_cancel() - forget the timer of a CPU that comes or goes
 * @cpu: its number
 *
 * A timer that is set later on a CPU that goes offline moves to another CPU, where its
 * handler finds that it is not that CPU's.
 *
 * Context: process, interrupts on, on that CPU.
 * Return: 0.
 */
int pfm_timer_cancel(unsigned int cpu)
{
	hrtimer_cancel(this_cpu_ptr(&pfm_cpu.timer));
	this_cpu_write(pfm_cpu.timer_at, 0);
	return 0;
}

/*
 * The clocks are not the same one: CPU time may stand still in between, and
 * the timer may have been set for another thread. What is not due yet waits
 * for the next one.
 */
static void pfm_timer_expire(struct pfm_context *ctx, u64 now)
{
	if (pfm_setswitch_expired(ctx, now))
		pfm_runstate_freeze(ctx);
	else if (pfm_runstate_counting(ctx))
		pfm_runstate_sync(ctx, ctx->set->hard |
				  ctx->set->sw[PFM_SW_TASK_CLOCK]);
	/* An overflow may have masked monitoring, or switched the set. */
	if (pfm_runstate_running(ctx) && pfm_setswitch_expired(ctx, now)) {
		pfm_setswitch_to(ctx, ctx->set->next);
		return;
	}
	if (pfm_runstate_counting(ctx))
		pfm_hw_start(ctx);
	pfm_timer_arm(ctx, now);
}

/* A context that is live here: only this CPU ends that. Whether it runs. */
static bool pfm_timer_look(struct pfm_context *ctx, u64 now)
{
	bool runs;

	raw_spin_lock(&ctx->lock);
	runs = pfm_runstate_running(ctx);
	if (runs)
		pfm_timer_expire(ctx, now);
	raw_spin_unlock(&ctx->lock);
	return runs;
}

/*
 * The time for all that the handler looks at. Most contexts have nothing to do with the
 * thread's time, which takes the run queue's lock to ask for.
 */
static u64 pfm_timer_now(const struct pfm_cpu *c, const struct pfm_context *cpu)
{
	if (likely(!(c->live && c->live->clocked) && !(cpu && cpu->clocked)))
		return local_clock();
	pfm_clock_refresh();
	return pfm_clock_here(c).now;
}

/*
 * Interrupts are off, so that between here and the return to the kernel nothing but this can
 * set the timer.
 */
static enum hrtimer_restart pfm_timer_handler(struct hrtimer *timer)
{
	struct pfm_cpu *c = this_cpu_ptr(&pfm_cpu);
	struct pfm_context *cpu;
	bool ran = false;
	u64 now;

	pfm_stat_inc(PFM_STAT_INTERRUPTS);
	/* The CPU that set this timer went offline: nothing is live there. */
	if (timer != &c->timer) {
		pfm_stat_inc(PFM_STAT_SPURIOUS);
		return HRTIMER_NORESTART;
	}

	cpu = pfm_attach_of_cpu(c);
	now = pfm_timer_now(c, cpu);
	c->timer_at = 0;
	c->timer_runs = true;
	/* Each sets it anew for what it waits for. */
	if (c->live)
		ran = pfm_timer_look(c->live, now);
	if (cpu)
		ran |= pfm_timer_look(cpu, now);
	c->timer_runs = false;
	if (!ran)
		pfm_stat_inc(PFM_STAT_SPURIOUS);
	return c->timer_at ? HRTIMER_RESTART : HRTIMER_NORESTART;
}

/**
 * pfm_timer_init_cpu() - prepare a possible CPU
 * @cpu: its number
 *
 * Context: boot.
 */
void pfm_timer_init_cpu(int cpu)
{
	struct hrtimer *timer = &per_cpu(pfm_cpu, cpu).timer;

	hrtimer_setup(timer, pfm_timer_handler, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
}

/**
 * pfm_timer_exit_cpu() - undo that
 * @cpu: its number
 *
 * Context: process; nothing is live any more.
 */
void __pfm_exit pfm_timer_exit_cpu(int cpu)
{
	hrtimer_cancel(&per_cpu(pfm_cpu, cpu).timer);
}
