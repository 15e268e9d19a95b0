/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perfmon2 on x86: a file of registers in memory, that knows what the silicon
 * would have answered with #GP.
 */
#ifndef _X86_PERFMON_TESTS_FILE_H
#define _X86_PERFMON_TESTS_FILE_H

#include <kunit/test.h>

#include "../x86.h"

enum pfm_file_kind {
	PFM_FILE_PLAIN,
	PFM_FILE_COUNTER,	/* written in full */
	PFM_FILE_COUNTER32,	/* the lower half is, its sign extended to peer bits */
	PFM_FILE_ALIAS,		/* another address of its peer, which is a counter */
	PFM_FILE_RDONLY,
	PFM_FILE_CLEAR,		/* ones clear bits of its peer */
};

struct pfm_file_reg {
	u32 msr;
	u32 peer;
	enum pfm_file_kind kind;
	u64 rsvd;		/* #GP if one of these is written 1 */
	u64 value;
	unsigned int writes;
};

/* For the suites' init and exit. */
int pfm_file_init(struct kunit *test);
void pfm_file_exit(struct kunit *test);

/* Where tables are overwritten by the next description. */
int pfm_file_init_alone(struct kunit *test);

/* An empty file, and @pmu on it, to be called as the core does. */
const struct pfm_pmu *pfm_file_use(struct kunit *test, const struct pfm_pmu *pmu);

void pfm_file_add(u32 msr, enum pfm_file_kind kind, u64 rsvd);
void pfm_file_add_peer(u32 msr, enum pfm_file_kind kind, u64 rsvd, u32 peer);

/* PFM_FILE_CLEAR has an effect only if this register is not 0. */
void pfm_file_clears_if(u32 msr);

u64 pfm_file_get(u32 msr);
void pfm_file_set(u32 msr, u64 value);

/* Accesses that would have faulted, and writes, since the last call. */
unsigned int pfm_file_faults(void);
unsigned int pfm_file_writes(void);

/*
 * Everything that any PMU has to do right, with thousands of random values for
 * its control registers. @counting looks at the registers, as the manual says,
 * for the counters that count, as positions. PMCs stand @shift MSRs from where
 * the description says.
 */
void pfm_file_drive(struct kunit *test, const struct pfm_pmu *pmu,
		    u64 (*counting)(void), u32 shift);

#endif /* _X86_PERFMON_TESTS_FILE_H */
