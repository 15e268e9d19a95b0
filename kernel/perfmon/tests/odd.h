/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a PMU can have beside counters that wrap, on a PMU in memory: counters of different
 * widths, one that interrupts as long as its highest bit is 1, registers that do not count,
 * data registers that programs can read at any time, and a control that others use, too.
 *
 * The context is live on the CPU where the test runs, which stays the same.
 */
#ifndef _PFM_TESTS_ODD_H
#define _PFM_TESTS_ODD_H

#include "fixture.h"

#define ODD_WIDE	0	/* PMD and PMC: 48 bits, wraps */
#define ODD_LEVEL	1	/* 31 bits, and one that is its condition */
#define ODD_BUFFER	2	/* can be written, but for the lowest bit */
#define ODD_STATUS	3	/* cannot */
#define ODD_RECORD	4	/* nor can this, which is cleared */
#define ODD_CAPTURE	2	/* the PMC of these three */
#define ODD_RANGE	3	/* a PMC that a debugger uses, too */
#define ODD_PMCS	4
#define ODD_PMDS	5

#define ODD_NEGATIVE	BIT_ULL(31)

struct pfm_odd {
	u64 reg[5];
	u64 running;
	bool interrupt;
	unsigned int writes[5];
	unsigned int torn;	/* buffers read while they may change */
	unsigned int held;	/* PFM_HOLD_... */
	unsigned int alone;	/* how often PFM_HOLD_CLAIMED was held alone */
	struct pfm_context *ending;	/* whose attachment ends when that is asked for ... */
	unsigned int ended;	/* ... and what it had */
	bool debugger;		/* has what is to be claimed */
	u64 range;		/* the register that it has */
};
extern struct pfm_odd odd;

extern u64 odd_poll;	/* ns between two looks of the timer */

extern const struct pfm_pmc_desc odd_pmcs[ODD_PMCS];
extern const struct pfm_pmd_desc odd_pmds[ODD_PMDS];

/* The operations, for a description with some flags, a rate, and what else it has. */
int odd_acquire(const struct pfm_pmu *pmu, unsigned int what);
void odd_release(const struct pfm_pmu *pmu, unsigned int what);
void odd_program(const struct pfm_pmu *pmu, const unsigned long *changed,
		 const struct pfm_run *run);
void odd_reset(const struct pfm_pmu *pmu, const u64 *v);
void odd_start(const struct pfm_pmu *pmu, const struct pfm_run *run);
void odd_stop(const struct pfm_pmu *pmu, const struct pfm_run *run);
u64 odd_read(const struct pfm_pmu *pmu, unsigned int i);
void odd_write(const struct pfm_pmu *pmu, unsigned int i, u64 value);
bool odd_acknowledge(const struct pfm_pmu *pmu, const struct pfm_run *run);
bool odd_selects(const struct pfm_pmu *pmu, unsigned int num, u64 value);

#define ODD_PMU(n, f, r, ...) {						\
	.name = n, .pmcs = odd_pmcs, .pmds = odd_pmds,			\
	.num_pmcs = ODD_PMCS, .num_pmds = ODD_PMDS,			\
	.width = 32, .flags = f, .rate = r, .selects = odd_selects,	\
	.acquire = odd_acquire, .release = odd_release, .reset = odd_reset, \
	.program = odd_program, .start = odd_start, .stop = odd_stop,	\
	.read = odd_read,						\
	.write = odd_write, .acknowledge = odd_acknowledge,		\
	__VA_ARGS__							\
}

/* Events of what runs; a buffer sees other things, if it is asked to. */
void odd_count(u64 n);
void odd_interrupt(void);

/* The commands. */
void odd_pmc(struct kunit *test, struct pfm_context *ctx, u16 set, u16 n, u64 value,
	     u32 flags);
void odd_pmd(struct kunit *test, struct pfm_context *ctx, u16 n, u64 value, u64 reset);

/* Each test begins with a context, test->priv, on this PMU. */
int odd_init_with(struct kunit *test, const struct pfm_pmu *pmu);
void odd_exit(struct kunit *test);

#endif /* _PFM_TESTS_ODD_H */
