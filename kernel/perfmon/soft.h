/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perfmon2: the software PMU, see soft.c; for rooms that bring its counters up to date.
 */
#ifndef _KERNEL_PERFMON_SOFT_H
#define _KERNEL_PERFMON_SOFT_H

#include "pfm.h"

/* soft.c */
u64 __pfm_soft_sync(struct pfm_context *ctx, u64 mask);
void __pfm_soft_base(struct pfm_context *ctx, struct pfm_set *set, u64 mask);
u64 pfm_soft_left(const struct pfm_context *ctx);

/* The common ways past soft.c, for sets that count in hardware only. */

static __always_inline u64 pfm_soft_sync(struct pfm_context *ctx, u64 mask)
{
	return ctx->set->events ? __pfm_soft_sync(ctx, mask) : 0;
}

static __always_inline void pfm_soft_base(struct pfm_context *ctx, struct pfm_set *set,
					  u64 mask)
{
	if (set->events)
		__pfm_soft_base(ctx, set, mask);
}

#endif /* _KERNEL_PERFMON_SOFT_H */
