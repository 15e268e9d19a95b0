/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perfmon2 on PowerPC: a file of special-purpose registers in memory, of 32 bits. It
 * counts as faults what the manuals forbid or leave undefined, and what would go wrong
 * although it is allowed.
 */
#ifndef _PPC_PERFMON_TESTS_REGFILE_H
#define _PPC_PERFMON_TESTS_REGFILE_H

#include <kunit/test.h>

#include "../ppc.h"

/* For the suites' init and exit. */
int pfm_sprs_init(struct kunit *test);
void pfm_sprs_exit(struct kunit *test);

/*
 * An empty file with @counters counters and, if @mmcr2, that register. Reserved bits of
 * MMCR0 are those in @mmcr0_rsvd.
 */
void pfm_sprs_make(unsigned int counters, bool mmcr2, u32 mmcr0_rsvd);

/* The SPR of counter @n, from 1. */
unsigned int pfm_sprs_pmc(unsigned int n);

u32 pfm_sprs_get(unsigned int spr);
void pfm_sprs_set(unsigned int spr, u32 value);

/* @events for each counter that counts, in supervisor or in problem state. */
void pfm_sprs_run(u32 events, bool supervisor);

/* The event select of counter @n as the processor sees it, 0 if it stands still. */
u32 pfm_sprs_event(unsigned int n);

/* Whether an interrupt is due; the processor then clears PMXE, unless it is a 604. */
bool pfm_sprs_interrupts(void);
void pfm_sprs_signal(bool clears);

/* Faults, and writes, since the last call. */
unsigned int pfm_sprs_faults(void);
unsigned int pfm_sprs_writes(void);

#endif /* _PPC_PERFMON_TESTS_REGFILE_H */
