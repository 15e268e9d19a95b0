/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perfmon2 on PowerPC: a file of special-purpose registers in memory, of 970 and of POWER8
 * to 10. It counts as faults what the manuals forbid or leave undefined, and what would go
 * wrong although it is allowed.
 */
#ifndef _PPC_PERFMON_TESTS_REGFILE64_H
#define _PPC_PERFMON_TESTS_REGFILE64_H

#include <kunit/test.h>

#include "../ppc.h"

enum pfm_sprs64_kind { SPRS_970, SPRS_POWER8, SPRS_POWER9, SPRS_POWER10 };
enum pfm_sprs64_level { SPRS_PROBLEM, SPRS_SUPERVISOR, SPRS_HYPERVISOR };

/* For the suites' init and exit. */
int pfm_sprs64_init(struct kunit *test);
void pfm_sprs64_exit(struct kunit *test);

/* A file whose registers hold what firmware might have left. */
void pfm_sprs64_make(enum pfm_sprs64_kind kind);

/* From now on a counter alerts when it becomes negative, not while it is. */
void pfm_sprs64_edge(void);

u64 pfm_sprs64_get(unsigned int spr);
void pfm_sprs64_set(unsigned int spr, u64 value);

/* The event of counter @n, from 1, as the processor sees it; its unit; its combination. */
struct pfm_sprs64_event {
	u8 select;
	u8 unit;
	u8 combine;
};
struct pfm_sprs64_event pfm_sprs64_event(unsigned int n);

/* Whether counter @n counts its event in @level. */
bool pfm_sprs64_counts(unsigned int n, enum pfm_sprs64_level level);

/* @events for each counter that counts in @level. */
void pfm_sprs64_run(u32 events, enum pfm_sprs64_level level);

/* Whether the interrupt is asserted. */
bool pfm_sprs64_interrupts(void);

/* Whether programs can read the counters. */
bool pfm_sprs64_open(void);

/* Faults, and writes, since the last call. */
unsigned int pfm_sprs64_faults(void);
unsigned int pfm_sprs64_writes(void);

#endif /* _PPC_PERFMON_TESTS_REGFILE64_H */
