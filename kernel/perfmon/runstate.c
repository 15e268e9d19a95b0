// SPDX-License-Identifier: GPL-2.0-only
/*
 * perfmon2: when a context counts and when it does not.
 *
 * A context runs while it is loaded, started by PFM_START and not masked by an
 * overflow; it counts while it runs, and a system-wide one only while no thread runs
 * that the active set leaves out (PFM_SETFL_EXCL_...). Masked is not stopped:
 * PFM_RESTART ends the one, PFM_START the other, and a context can be both (3.1.9).
 * Every change between running and not running is here, and so is what a switch of
 * threads does to it.
 *
 * Everything here runs under ctx->lock with interrupts off, on the CPU where
 * the context is live if it is on any; pfm_reach_call() and the hooks see
 * to that, and have refreshed the task clock.
 */
#include <linux/sched/clock.h>

#include "clock.h"
#include "hw.h"
#include "pfm.h"
#include "setswitch.h"
#include "soft.h"
#include "timer.h"

/* The context runs, and is live on this CPU, from now on. */
static void pfm_runstate_enter(struct pfm_context *ctx, u64 now)
{
	ctx->set->left_at = now;
	ctx->set->since = now;
	pfm_timer_arm(ctx, now);
}

/**
 * pfm_runstate_resume() - from not running to running, if nothing is against it
 * @ctx: context
 * @now: local_clock(), or the run queue's clock
 *
 * Events before this moment do not count.
 *
 * Context: ctx->lock, interrupts off; on the CPU where the context is live, if it is.
 */
void pfm_runstate_resume(struct pfm_context *ctx, u64 now)
{
	pfm_assert_live(ctx);
	if (!pfm_runstate_running(ctx))
		return;
	if (!ctx->away)
		pfm_soft_base(ctx, ctx->set, ctx->set->used);
	if (ctx->cpu < 0)
		return;
	pfm_runstate_enter(ctx, now);
	if (!ctx->away)
		pfm_hw_start(ctx);
}

/* The active set has run here until @now. */
static __always_inline void pfm_runstate_add_up(struct pfm_context *ctx, u64 now)
{
	struct pfm_set *set = ctx->set;

	set->left -= min(set->left, pfm_clock_since(set->left_at, now));
	if (!ctx->away)
		set->act_ns += pfm_clock_since(set->since, now);
}

/* The context, whose counters stand still, is to run no more, or to leave this CPU. */
static __always_inline void pfm_runstate_leave(struct pfm_context *ctx, u64 now)
{
	if (ctx->cpu >= 0 && pfm_runstate_running(ctx))
		pfm_runstate_add_up(ctx, now);
}

/**
 * pfm_runstate_pause() - add up the times of a context that is to run no more
 * @ctx: context, up to date; nothing happens unless it runs, and is live here
 * @now: local_clock(), or the run queue's clock
 *
 * What the hardware has counted since it was brought up to date is dropped; after
 * pfm_runstate_freeze() that is nothing.
 *
 * Context: ctx->lock, interrupts off; on the CPU where the context is live, if it is.
 */
void pfm_runstate_pause(struct pfm_context *ctx, u64 now)
{
	pfm_assert_live(ctx);
	if (ctx->cpu < 0 || !pfm_runstate_running(ctx))
		return;
	if (pfm_hw_stop(ctx))
		pfm_hw_forget(ctx, ctx->set);
	pfm_runstate_add_up(ctx, now);
}

/*
 * Counters have gone on beyond their wrap in hardware: arm them. For that they have to
 * be stopped; overflows until then are handled first. Counters that stand still are armed
 * when they start.
 */
static noinline void pfm_runstate_rearm(struct pfm_context *ctx)
{
	if (!pfm_hw_stop(ctx))
		return;
	pfm_runstate_update(ctx);
	if (pfm_runstate_counting(ctx))
		pfm_hw_start(ctx);
}

/**
 * pfm_runstate_sync() - bring counters up to date and see to their overflows
 * @ctx:  context that counts
 * @mask: PMDs
 *
 * May leave the context masked, or with another active set.
 *
 * Context: ctx->lock, interrupts off; on the CPU where the context is live, if it is.
 */
void pfm_runstate_sync(struct pfm_context *ctx, u64 mask)
{
	u64 wrapped = pfm_soft_sync(ctx, mask) | pfm_hw_sync(ctx, mask);

	pfm_assert_live(ctx);
	if (unlikely(wrapped))
		wrapped = pfm_overflow_real(ctx, wrapped);
	if (unlikely(wrapped))
		pfm_overflow_handle(ctx, wrapped, mask);
	else if (unlikely(ctx->set->unarmed & ctx->set->hard))
		pfm_runstate_rearm(ctx);
}

/**
 * pfm_runstate_update() - bring the active set up to date, if it counts
 * @ctx: context
 *
 * May leave the context masked, or with another active set.
 *
 * Context: ctx->lock, interrupts off; on the CPU where the context is live, if it is.
 */
void pfm_runstate_update(struct pfm_context *ctx)
{
	bool ran;

	pfm_assert_live(ctx);
	if (!pfm_runstate_counting(ctx))
		return;
	/* Registers that do not count are read when they stand still. */
	ran = unlikely(ctx->set->uncounted) && pfm_hw_stop(ctx);
	pfm_runstate_sync(ctx, ctx->set->used);
	if (ran && pfm_runstate_counting(ctx))
		pfm_hw_start(ctx);
}

/* If an overflow has switched sets, the counters of the new one run. */
static noinline void pfm_runstate_halt_after(struct pfm_context *ctx, u64 wrapped)
{
	wrapped = pfm_overflow_real(ctx, wrapped);
	if (!wrapped)
		return;
	pfm_overflow_handle(ctx, wrapped, ctx->set->used);
	if (pfm_hw_stop(ctx))
		pfm_hw_forget(ctx, ctx->set);
}

static __always_inline void pfm_runstate_halt(struct pfm_context *ctx)
{
	u64 wrapped;

	if (!pfm_runstate_counting(ctx)) {
		pfm_hw_stop(ctx);
		return;
	}
	wrapped = pfm_hw_freeze(ctx);
	wrapped |= pfm_soft_sync(ctx, ctx->set->used);
	if (unlikely(wrapped))
		pfm_runstate_halt_after(ctx, wrapped);
}

/**
 * pfm_runstate_freeze() - bring the active set up to date, and keep it there
 * @ctx: context; pfm_runstate_thaw() is to follow, or pfm_runstate_pause()
 *
 * As pfm_runstate_update(), but the hardware's counters stand still from before
 * to after: they can be changed, or left, and no event is lost or counted
 * twice.
 *
 * Context: ctx->lock, interrupts off; on the CPU where the context is live, if it is.
 */
void pfm_runstate_freeze(struct pfm_context *ctx)
{
	pfm_assert_live(ctx);
	pfm_runstate_halt(ctx);
}

/**
 * pfm_runstate_thaw() - undo pfm_runstate_freeze(), after changes
 * @ctx: context; nothing happens unless it counts
 *
 * Context: ctx->lock, interrupts off; on the CPU where the context is live, if it is.
 */
void pfm_runstate_thaw(struct pfm_context *ctx)
{
	pfm_assert_live(ctx);
	if (pfm_runstate_counting(ctx))
		pfm_hw_start(ctx);
	/* Counters that were chosen just now: set the timer for the first look at them. */
	if (ctx->set->hard)
		pfm_timer_arm(ctx, local_clock());
	else
		pfm_timer_changed(ctx);
}

/**
 * pfm_runstate_start() - PFM_START (3.1.5)
 * @ctx: loaded context; nothing happens if it is started
 *
 * Context: ctx->lock, interrupts off; on the CPU where the context is live, if it is.
 */
void pfm_runstate_start(struct pfm_context *ctx)
{
	pfm_assert_live(ctx);
	/* The program may have stopped it by an instruction of its own. */
	pfm_rules_thread(ctx, PFM_THREAD_START);
	if (ctx->started)
		return;
	WRITE_ONCE(ctx->started, true);
	pfm_runstate_resume(ctx, local_clock());
}

/**
 * pfm_runstate_stop() - PFM_STOP (3.1.6)
 * @ctx: loaded context; nothing happens if it is stopped
 *
 * An overflow that is found now is handled as any other.
 *
 * Context: ctx->lock, interrupts off; on the CPU where the context is live, if it is.
 */
void pfm_runstate_stop(struct pfm_context *ctx)
{
	pfm_assert_live(ctx);
	pfm_runstate_halt(ctx);
	pfm_runstate_leave(ctx, local_clock());
	WRITE_ONCE(ctx->started, false);
	pfm_rules_thread(ctx, PFM_THREAD_STOP);
}

/**
 * pfm_runstate_mask() - no event counts until PFM_RESTART
 * @ctx: context that runs, up to date
 *
 * Context: ctx->lock, interrupts off; on the CPU where the context is live, if it is.
 */
void pfm_runstate_mask(struct pfm_context *ctx)
{
	pfm_assert_live(ctx);
	pfm_runstate_pause(ctx, pfm_clock_now());
	WRITE_ONCE(ctx->state, PFM_MASKED);
}

/**
 * pfm_runstate_unmask() - undo pfm_runstate_mask()
 * @ctx: masked context
 *
 * Context: ctx->lock, interrupts off; on the CPU where the context is live, if it is.
 */
void pfm_runstate_unmask(struct pfm_context *ctx)
{
	pfm_assert_live(ctx);
	WRITE_ONCE(ctx->state, PFM_LOADED);
	pfm_runstate_resume(ctx, local_clock());
}

/**
 * pfm_runstate_next() - a CPU switches to a thread that sets may leave out
 * @ctx:  system-wide context of this CPU
 * @kind: pfm_runstate_kind() of the next thread
 * @now:  local_clock(), or the run queue's clock
 *
 * While a thread runs that the active set leaves out, the set's time-out goes on
 * and its own time does not (3.7.6, 6.2.3). An overflow interrupt that comes after
 * this and before the switch can make another set the active one: @kind is kept, and
 * not asked of current, which is still the last thread then.
 *
 * A PMU that can leave such a thread out by itself, and not the interrupts that come
 * while it runs (5.5.1), goes on; then the set's own time does, too.
 *
 * Context: ctx->lock, interrupts off; on the CPU where the context is live, if it is.
 */
void pfm_runstate_next(struct pfm_context *ctx, u32 kind, u64 now)
{
	const bool was = ctx->away;

	pfm_assert_live(ctx);
	/* From one thread that counts to another, as most switches are: nothing to do. */
	if (was == pfm_runstate_leaves_out(ctx->set, kind)) {
		ctx->kind = kind;
		return;
	}
	/* What this finds is the last thread's. It may switch to a set with other flags. */
	if (!was)
		pfm_runstate_freeze(ctx);
	ctx->kind = kind;
	if (ctx->away == pfm_runstate_leaves_out(ctx->set, kind)) {
		pfm_runstate_thaw(ctx);
		return;
	}
	pfm_runstate_pause(ctx, now);
	ctx->away = !ctx->away;
	pfm_runstate_resume(ctx, now);
}

/**
 * pfm_runstate_in() - the context becomes live on this CPU
 * @ctx: loaded context that is live nowhere
 * @now: local_clock(), or the run queue's clock
 *
 * Its counters kept their values while the thread was on no CPU. The only event that
 * can have happened to the thread meanwhile is a migration, which is found now.
 *
 * Context: ctx->lock, interrupts off; on the CPU where the context is live, if it is.
 */
void pfm_runstate_in(struct pfm_context *ctx, u64 now)
{
	pfm_assert_live(ctx);
	WRITE_ONCE(ctx->cpu, smp_processor_id());
	if (!pfm_is_system(ctx)) {
		__this_cpu_write(pfm_cpu.live, ctx);
		if (ctx->faults)
			__this_cpu_or(pfm_wants, PFM_WANTS_OWN_FAULTS);
	}
	if (pfm_runstate_running(ctx)) {
		pfm_runstate_enter(ctx, now);
		if (ctx->set->sw[PFM_SW_MIGRATIONS]) {
			__this_cpu_write(pfm_cpu.switching, true);
			pfm_runstate_sync(ctx, ctx->set->sw[PFM_SW_MIGRATIONS]);
			__this_cpu_write(pfm_cpu.switching, false);
		}
		/* A thread that never runs for long is on time, too. */
		if (pfm_runstate_running(ctx) && pfm_setswitch_expired(ctx, now))
			pfm_setswitch_to(ctx, ctx->set->next);
	}
	if (unlikely(ctx->set->in_use) && pfm_runstate_counting(ctx))
		pfm_hw_start(ctx);
}

/**
 * pfm_runstate_out() - the context leaves this CPU
 * @ctx: context that is live here
 * @now: local_clock(), or the run queue's clock
 *
 * Context: ctx->lock, interrupts off; on the CPU where the context is live, if it is.
 */
void pfm_runstate_out(struct pfm_context *ctx, u64 now)
{
	pfm_assert_live(ctx);
	pfm_runstate_halt(ctx);
	pfm_runstate_leave(ctx, now);
	pfm_hw_tell(ctx);
	pfm_hw_wipe(ctx);
	WRITE_ONCE(ctx->cpu, -1);
	if (!pfm_is_system(ctx)) {
		__this_cpu_write(pfm_cpu.live, NULL);
		if (ctx->faults)
			__this_cpu_and(pfm_wants, ~PFM_WANTS_OWN_FAULTS);
	}
}
