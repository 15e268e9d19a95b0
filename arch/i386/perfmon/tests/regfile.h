/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perfmon2 on x86: a file of registers in memory, that knows what the silicon
 * would have answered with #GP.
 */
#ifndef _X86_PERFMON_TESTS_REGFILE_H
#define _X86_PERFMON_TESTS_REGFILE_H

#include <kunit/test.h>

#include "../x86.h"

enum pfm_regfile_kind {
	PFM_REGFILE_PLAIN,
	PFM_REGFILE_COUNTER,	/* written in full */
	PFM_REGFILE_COUNTER32,	/* the lower half is, its sign extended to peer bits; the
				 * upper half is ignored */
	PFM_REGFILE_ALIAS,		/* another address of its peer, which is a counter */
	PFM_REGFILE_FROM,	/* bits 62 and 61 are written as those below, and read 0 */
	PFM_REGFILE_RDONLY,
	PFM_REGFILE_CLEAR,		/* ones clear bits of its peer */
	PFM_REGFILE_SHARED,	/* the kernel's: as firmware leaves it, it is 0 */
};

struct pfm_regfile_reg {
	u32 msr;
	u32 peer;
	enum pfm_regfile_kind kind;
	u64 rsvd;		/* #GP if one of these is written 1 */
	u64 value;
	unsigned int writes;
	bool wrapped;		/* and has not been written since */
};

/* For the suites' init and exit. */
int pfm_regfile_init(struct kunit *test);
void pfm_regfile_exit(struct kunit *test);

/* A family's description, which must be one, until the end of the test. */
const struct pfm_pmu *pfm_regfile_described(struct kunit *test,
					    const struct pfm_pmu *pmu);

/* An empty file; the same on one. */
void pfm_regfile_new(void);
const struct pfm_pmu *pfm_regfile_use(struct kunit *test, const struct pfm_pmu *pmu);

/*
 * The operations of @pmu. They run with interrupts off, and some families keep
 * things of this CPU's: so that is how the tests call them.
 */
void pfm_regfile_reset(const struct pfm_pmu *pmu, const u64 *v);
void pfm_regfile_rest(const struct pfm_pmu *pmu, const unsigned long *pmcs);
void pfm_regfile_program(const struct pfm_pmu *pmu, const unsigned long *changed,
			 const u64 *v);
void pfm_regfile_start(const struct pfm_pmu *pmu, u64 pmds, const u64 *v);
void pfm_regfile_stop(const struct pfm_pmu *pmu, u64 pmds, const u64 *v);
u64 pfm_regfile_read(const struct pfm_pmu *pmu, unsigned int i);
void pfm_regfile_write(const struct pfm_pmu *pmu, unsigned int i, u64 value);
bool pfm_regfile_still(const struct pfm_pmu *pmu, u64 pmds);
bool pfm_regfile_acknowledge(const struct pfm_pmu *pmu, u64 pmds);

void pfm_regfile_add(u32 msr, enum pfm_regfile_kind kind, u64 rsvd);
void pfm_regfile_add_peer(u32 msr, enum pfm_regfile_kind kind, u64 rsvd, u32 peer);

/* Intel's last branches, from Nehalem to Haswell; whether any is recorded. */
void pfm_regfile_add_lbr(void);
void pfm_regfile_add_lbr_kind(enum pfm_regfile_kind from);
bool pfm_regfile_lbr_is_on(void);

/* PFM_REGFILE_CLEAR has an effect only if this register is not 0. */
void pfm_regfile_clears_if(u32 msr);

/*
 * Counter @msr, whose bit in the global status is @bit, wraps and interrupts: LVTPC is
 * masked. If it is unmasked before the counter is written or its status cleared, the
 * interrupt comes again; what overflows while it is masked is lost.
 */
void pfm_regfile_overflow(u32 msr, unsigned int bit);
bool pfm_regfile_masked(void);
/* Since the last call: interrupts that came again; starts while LVTPC was masked. */
unsigned int pfm_regfile_again(void);
unsigned int pfm_regfile_lost(void);

/* program() makes up for an erratum: it may write what has not changed, and twice. */
void pfm_regfile_may_write_more(void);

u64 pfm_regfile_get(u32 msr);
void pfm_regfile_set(u32 msr, u64 value);

/* Accesses that would have faulted, writes, and reads, since the last call. */
unsigned int pfm_regfile_faults(void);
unsigned int pfm_regfile_writes(void);
unsigned int pfm_regfile_reads(void);

/*
 * Everything that any PMU has to do right, with thousands of random values for
 * its control registers. @counting looks at the registers, as the manual says,
 * for the counters that count, as positions. PMCs stand @shift MSRs from where
 * the description says.
 */
void pfm_regfile_drive(struct kunit *test, const struct pfm_pmu *pmu,
		       u64 (*counting)(void), u32 shift);

#endif /* _X86_PERFMON_TESTS_REGFILE_H */
