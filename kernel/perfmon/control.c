// SPDX-License-Identifier: GPL-2.0-only
/*
 * perfmon2: the commands that have monitoring begin, end and go on: PFM_START, PFM_STOP,
 * PFM_RESTART.
 *
 * Each goes to where the context is live, by pfm_reach_call().
 */
#include <linux/sched/clock.h>
#include <linux/string.h>
#include <linux/wait.h>

#include "pfm.h"
#include "setswitch.h"

/**
 * pfm_control_start_here() - PFM_START, where the context is live
 * @ctx: context
 * @arg: pfarg_start_t, checked, or NULL
 *
 * Context: pfm_reach_call(), pfm_reach_own().
 * Return: 0; -EBUSY if the context is not loaded; -EINVAL if there is no such set.
 */
int pfm_control_start_here(struct pfm_context *ctx, void *arg)
{
	const pfarg_start_t *req = arg;
	int ret = 0;

	if (ctx->state == PFM_UNLOADED)
		return -EBUSY;
	if (req)
		ret = pfm_setswitch_start(ctx, req->start_set);
	if (!ret)
		pfm_runstate_start(ctx);
	return ret;
}

/**
 * pfm_control_start() - PFM_START (3.1.5)
 * @ctx: context
 * @req: names the set to begin with, or NULL
 *
 * Context: process, ctx->mutex.
 * Return: 0; -EBUSY if the context is not loaded; -EINVAL if there is no such set; and
 * see pfm_reach_call().
 */
int pfm_control_start(struct pfm_context *ctx, pfarg_start_t *req)
{
	int ret;

	if (req && memchr_inv(req->start_pad, 0, sizeof(req->start_pad)))
		return -EINVAL;
	ret = pfm_reach_call(ctx, pfm_control_start_here, req);
	if (!ret)
		pfm_sum_call(ctx, pfm_control_start_here, req);
	return ret;
}

/**
 * pfm_control_stop_here() - PFM_STOP, where the context is live
 * @ctx: context
 * @unused: NULL
 *
 * Context: pfm_reach_call(), pfm_reach_own().
 * Return: 0, or -EBUSY if the context is not loaded.
 */
int pfm_control_stop_here(struct pfm_context *ctx, void *unused)
{
	if (ctx->state == PFM_UNLOADED)
		return -EBUSY;
	pfm_runstate_stop(ctx);
	return 0;
}

/**
 * pfm_control_stop() - PFM_STOP (3.1.6)
 * @ctx: context
 *
 * Context: process, ctx->mutex.
 * Return: 0; -EBUSY if the context is not loaded; and see pfm_reach_call().
 */
int pfm_control_stop(struct pfm_context *ctx)
{
	int ret = pfm_reach_call(ctx, pfm_control_stop_here, NULL);

	if (!ret)
		pfm_sum_call(ctx, pfm_control_stop_here, NULL);
	return ret;
}

/* What the format says to PFM_RESTART: by default reset, and go on. */
static int pfm_control_ask(struct pfm_context *ctx, pfm_ovfl_ctrl_t *ctrl)
{
	if (ctx->format)
		return pfm_format_restart(ctx, ctrl);
	if (ctx->state != PFM_MASKED)
		return -EBUSY;
	*ctrl = (pfm_ovfl_ctrl_t){ .reset_ovfl_pmds = 1 };
	return 0;
}

/* Whether PFM_RESTART, when it unmasks @ctx, has to go to the next set. */
static bool pfm_control_switch_is_due(const struct pfm_context *ctx)
{
	return ctx->switch_due ||
	       (ctx->started && pfm_setswitch_expired(ctx, local_clock()));
}

static int pfm_control_restart_here(struct pfm_context *ctx, void *unused)
{
	pfm_ovfl_ctrl_t ctrl;
	bool masked;
	int ret;

	pfm_assert_live(ctx);
	if (ctx->state == PFM_UNLOADED)
		return -EBUSY;
	/* An overflow that is found now came before the restart, and may mask. */
	if (ctx->format)
		pfm_runstate_freeze(ctx);
	masked = ctx->state == PFM_MASKED;
	ret = pfm_control_ask(ctx, &ctrl);
	if (ret) {
		pfm_runstate_thaw(ctx);
		return ret;
	}

	/* A switch that is due waits until monitoring resumes (3.7.7). */
	if (masked && !ctrl.mask_monitoring && pfm_control_switch_is_due(ctx)) {
		pfm_stat_inc(PFM_STAT_SETSWITCHES);
		pfm_setswitch_activate(ctx, ctx->set->next);
	}
	if (ctrl.reset_ovfl_pmds) {
		pfm_overflow_reset(ctx, ctx->set->ovfl, true);
		ctx->set->ovfl = 0;
	}
	ctx->blocked = false;
	if (ctrl.mask_monitoring && !masked)
		pfm_runstate_mask(ctx);
	else if (!ctrl.mask_monitoring && masked)
		pfm_runstate_unmask(ctx);
	else if (!masked)
		pfm_runstate_thaw(ctx);
	return 0;
}

/**
 * pfm_control_restart() - PFM_RESTART (3.1.9)
 * @ctx: context
 *
 * A format can answer that monitoring stays masked. Then the active set stays,
 * too, with its switch still due; but the thread that is blocked, if any, is
 * released by this PFM_RESTART as by any other, and runs unmonitored.
 *
 * Context: process, ctx->mutex.
 * Return: 0; -EBUSY if the context is not loaded, or not masked and without a
 * format; what the format says, and nothing has changed; and see pfm_reach_call().
 */
int pfm_control_restart(struct pfm_context *ctx)
{
	int ret;

	/* It is slots that were masked, for their interrupts. */
	if (unlikely(ctx->tree))
		return pfm_sum_call(ctx, pfm_control_restart_here, NULL);
	ret = pfm_reach_call(ctx, pfm_control_restart_here, NULL);
	if (!ret)
		wake_up_all(&ctx->block_wait);
	return ret;
}
