/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perfmon2: the counters of the hardware, see hw.c; for rooms that start, stop, read or
 * change them.
 */
#ifndef _KERNEL_PERFMON_HW_H
#define _KERNEL_PERFMON_HW_H

#include "pfm.h"

/* hw.c */
extern bool pfm_hw_over;		/* [w] */
void pfm_hw_attached(struct pfm_context *ctx, struct pfm_set *set);
void pfm_hw_changed(struct pfm_context *ctx, struct pfm_set *set, unsigned int pmc);
void __pfm_hw_start(struct pfm_context *ctx);
bool __pfm_hw_stop(struct pfm_context *ctx);
bool pfm_hw_stop_beside(struct pfm_context *ctx);
u64 __pfm_hw_sync(struct pfm_context *ctx, u64 mask);
u64 __pfm_hw_freeze(struct pfm_context *ctx);
void pfm_hw_forget(struct pfm_context *ctx, struct pfm_set *set);
void pfm_hw_disown(unsigned int lanes);
void pfm_hw_leave(void);
void pfm_hw_reset(void);
void pfm_hw_end(void);
void __pfm_hw_wipe(const struct pfm_context *ctx);

/* The common ways past hw.c, for sets that count in software only. */

static __always_inline void pfm_hw_start(struct pfm_context *ctx)
{
	if (ctx->set->in_use)
		__pfm_hw_start(ctx);
}

/* A field of the context's lane, in one instruction: see pfm_lane_of(). */
#define pfm_hw_lane_read(ctx, field)					\
	(static_branch_unlikely(&pfm_sys_key.key) && pfm_is_system(ctx) ?	\
	 __this_cpu_read(pfm_cpu.lane[PFM_LANE_CPU].field) :		\
	 __this_cpu_read(pfm_cpu.lane[PFM_LANE_THREAD].field))

static __always_inline bool pfm_hw_stop(struct pfm_context *ctx)
{
	if (!ctx->set->in_use)
		return false;
	if (static_branch_unlikely(&pfm_sys_key.key))
		return pfm_hw_stop_beside(ctx);
	return __this_cpu_read(pfm_cpu.lane[PFM_LANE_THREAD].run.pmds) && __pfm_hw_stop(ctx);
}

static __always_inline u64 pfm_hw_sync(struct pfm_context *ctx, u64 mask)
{
	return ctx->set->hard & mask ? __pfm_hw_sync(ctx, mask) : 0;
}

/* Stop the counters, and bring them up to date: as pfm_hw_stop(), then pfm_hw_sync() of all. */
static __always_inline u64 pfm_hw_freeze(struct pfm_context *ctx)
{
	if (!ctx->set->in_use)
		return 0;
	if (likely(!static_branch_unlikely(&pfm_sys_key.key) &&
		   __this_cpu_read(pfm_cpu.lane[PFM_LANE_THREAD].run.pmds)))
		return __pfm_hw_freeze(ctx);
	pfm_hw_stop(ctx);
	return pfm_hw_sync(ctx, ctx->set->used);
}

/*
 * The context is about to leave this CPU, or its active set, and its counters stand still: what
 * they hold, whoever is next need not ask them, if that is known.
 */
static __always_inline void pfm_hw_tell(const struct pfm_context *ctx)
{
	const struct pfm_set *set = ctx->set;

	if (set->hard && set->stamp && set->stamp == pfm_hw_lane_read(ctx, stamp))
		__this_cpu_write(pfm_cpu.known, set->hard);
}

/* The context leaves this CPU: what its counters hold is for no other. */
static __always_inline void pfm_hw_wipe(const struct pfm_context *ctx)
{
	if (unlikely(pfm_hw_lane_read(ctx, dirty)))
		__pfm_hw_wipe(ctx);
}

#endif /* _KERNEL_PERFMON_HW_H */
