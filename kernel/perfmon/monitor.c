// SPDX-License-Identifier: GPL-2.0-only
/*
 * perfmon2: when a context counts and when it does not.
 *
 * It counts while it is loaded, started by PFM_START, not masked by an
 * overflow and not looking away from an excluded idle thread. Masked is not
 * stopped: PFM_RESTART ends the one, PFM_START the other, and a context can
 * be both (3.1.9). Every change between counting and not counting is here,
 * and so is what a switch of threads does to it.
 *
 * Everything here runs under ctx->lock with interrupts off, on the CPU where
 * the context is live if it is on any; pfm_context_call() and the hooks see
 * to that, and have refreshed the task clock.
 */
#include <linux/sched/clock.h>

#include "pfm.h"

/**
 * pfm_monitor_counting() - whether events of the target count now
 * @ctx: context
 *
 * A thread that is on no CPU still counts in this sense: it may be moved.
 *
 * Context: see above.
 * Return: whether they do.
 */
bool pfm_monitor_counting(const struct pfm_context *ctx)
{
	return ctx->state == PFM_LOADED && ctx->started && !ctx->idle;
}

/* The registers begin, or cease, to be at work on this CPU. */
static void pfm_monitor_enter(struct pfm_context *ctx, u64 now)
{
	ctx->set->since = now;
	pfm_soft_arm(ctx);
}

static void pfm_monitor_leave(struct pfm_context *ctx, u64 now)
{
	if (now > ctx->set->since)
		ctx->set->act_ns += now - ctx->set->since;
	pfm_soft_disarm();
}

/* From not counting to counting: what happened before does not count. */
static void pfm_monitor_resume(struct pfm_context *ctx, u64 now)
{
	pfm_soft_base(ctx, ctx->set, ctx->set->used);
	if (ctx->cpu >= 0)
		pfm_monitor_enter(ctx, now);
}

/**
 * pfm_monitor_sync() - bring counters up to date and see to their overflows
 * @ctx:  context that counts
 * @mask: PMDs
 *
 * May leave the context masked.
 *
 * Context: see above.
 */
void pfm_monitor_sync(struct pfm_context *ctx, u64 mask)
{
	u64 wrapped = pfm_soft_sync(ctx, mask);

	if (unlikely(wrapped))
		pfm_overflow_handle(ctx, wrapped);
}

/**
 * pfm_monitor_start() - PFM_START (3.1.5)
 * @ctx: loaded context; nothing happens if it is started
 *
 * Context: see above.
 */
void pfm_monitor_start(struct pfm_context *ctx)
{
	if (ctx->started)
		return;
	ctx->started = true;
	if (pfm_monitor_counting(ctx))
		pfm_monitor_resume(ctx, local_clock());
}

/**
 * pfm_monitor_stop() - PFM_STOP (3.1.6)
 * @ctx: loaded context; nothing happens if it is stopped
 *
 * An overflow that is found now is handled as any other.
 *
 * Context: see above.
 */
void pfm_monitor_stop(struct pfm_context *ctx)
{
	if (pfm_monitor_counting(ctx))
		pfm_monitor_sync(ctx, ctx->set->used);
	if (pfm_monitor_counting(ctx) && ctx->cpu >= 0)
		pfm_monitor_leave(ctx, local_clock());
	ctx->started = false;
}

/**
 * pfm_monitor_mask() - no event counts until PFM_RESTART
 * @ctx: context that counts, up to date
 *
 * Context: see above.
 */
void pfm_monitor_mask(struct pfm_context *ctx)
{
	if (ctx->cpu >= 0)
		pfm_monitor_leave(ctx, local_clock());
	ctx->state = PFM_MASKED;
}

/**
 * pfm_monitor_unmask() - undo pfm_monitor_mask()
 * @ctx: masked context
 *
 * Context: see above.
 */
void pfm_monitor_unmask(struct pfm_context *ctx)
{
	ctx->state = PFM_LOADED;
	if (pfm_monitor_counting(ctx))
		pfm_monitor_resume(ctx, local_clock());
}

/**
 * pfm_monitor_idle() - the idle thread comes or goes (PFM_SETFL_EXCL_IDLE)
 * @ctx:  system-wide context of this CPU
 * @idle: it comes
 * @now:  local_clock(), or the scheduler's last look at it
 *
 * Context: see above.
 */
void pfm_monitor_idle(struct pfm_context *ctx, bool idle, u64 now)
{
	if (!(ctx->set->flags & PFM_SETFL_EXCL_IDLE))
		idle = false;
	if (idle == ctx->idle)
		return;
	if (idle) {
		if (pfm_monitor_counting(ctx))
			pfm_monitor_sync(ctx, ctx->set->used);
		if (pfm_monitor_counting(ctx))
			pfm_monitor_leave(ctx, now);
		ctx->idle = true;
	} else {
		ctx->idle = false;
		if (pfm_monitor_counting(ctx))
			pfm_monitor_resume(ctx, now);
	}
}

/**
 * pfm_monitor_in() - the context becomes live on this CPU
 * @ctx: loaded context that is live nowhere
 * @now: as above
 *
 * Its counters kept what they had when they last were on a CPU, so whatever
 * happened since, as a move from CPU to CPU, is found now.
 *
 * Context: see above.
 */
void pfm_monitor_in(struct pfm_context *ctx, u64 now)
{
	ctx->cpu = smp_processor_id();
	__this_cpu_write(pfm_cpu.live, ctx);
	if (pfm_monitor_counting(ctx)) {
		pfm_monitor_enter(ctx, now);
		pfm_monitor_sync(ctx, ctx->set->used);
	}
}

/**
 * pfm_monitor_out() - the context leaves this CPU
 * @ctx: context that is live here
 * @now: as above
 *
 * Context: see above.
 */
void pfm_monitor_out(struct pfm_context *ctx, u64 now)
{
	if (pfm_monitor_counting(ctx))
		pfm_monitor_sync(ctx, ctx->set->used);
	if (pfm_monitor_counting(ctx))
		pfm_monitor_leave(ctx, now);
	ctx->cpu = -1;
	__this_cpu_write(pfm_cpu.live, NULL);
}

/**
 * pfm_monitor_act_ns() - for how long a set was active and counted
 * @ctx: context
 * @set: one of its sets
 *
 * Context: see above.
 * Return: nanoseconds.
 */
u64 pfm_monitor_act_ns(const struct pfm_context *ctx,
		       const struct pfm_set *set)
{
	u64 ns = set->act_ns, now;

	if (set == ctx->set && ctx->cpu >= 0 && pfm_monitor_counting(ctx)) {
		now = local_clock();
		if (now > set->since)
			ns += now - set->since;
	}
	return ns;
}
