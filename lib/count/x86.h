/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* x86 but for Pentium 4. */
#ifndef COUNT_X86_H
#define COUNT_X86_H

#include "family.h"
#include "needs.h"

/* Bits of PerfEvtSel that choose an event, beside its number and unit mask. */
#define X86_EDGE	(1ULL << 18)
#define X86_ANY		(1ULL << 21)	/* thread */
#define X86_INV		(1ULL << 23)
#define X86_CMASK_SHIFT	24
#define X86_CMASK_MAX	0xff

/* The tables of x86_models.c. */
extern const struct model intel_models[], amd_models[], p6_models[];
extern const struct event_register x86_least_registers[];
extern const struct limit x86_least_limits[];

#endif /* COUNT_X86_H */
