/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perfmon2: from one event set to the next, see setswitch.c; for rooms that have to look
 * whether one is due, or that choose one.
 */
#ifndef _KERNEL_PERFMON_SETSWITCH_H
#define _KERNEL_PERFMON_SETSWITCH_H

#include "pfm.h"

/* setswitch.c */
void pfm_setswitch_activate(struct pfm_context *ctx, struct pfm_set *set);
void pfm_setswitch_load(struct pfm_context *ctx, struct pfm_set *set);
void pfm_setswitch_to(struct pfm_context *ctx, struct pfm_set *set);
u64 __pfm_setswitch_count(struct pfm_context *ctx, u64 ovfl);
bool __pfm_setswitch_expired(const struct pfm_context *ctx, u64 now);
int pfm_setswitch_start(struct pfm_context *ctx, u16 id);

/* The common ways past setswitch.c, for contexts with one set. */

static __always_inline u64 pfm_setswitch_count(struct pfm_context *ctx, u64 ovfl)
{
	return unlikely(ctx->set->flags & PFM_SETFL_OVFL_SWITCH) ?
	       __pfm_setswitch_count(ctx, ovfl) : 0;
}

static __always_inline bool pfm_setswitch_expired(const struct pfm_context *ctx, u64 now)
{
	return unlikely(ctx->set->flags & PFM_SETFL_TIME_SWITCH) &&
	       __pfm_setswitch_expired(ctx, now);
}

#endif /* _KERNEL_PERFMON_SETSWITCH_H */
