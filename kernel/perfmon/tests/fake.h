/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A PMU in memory for unit tests: four counters of 40 bits, of which 32 can be written,
 * and one register that starts and stops them.
 *
 * The context is live on the CPU where the test runs, which stays the same.
 */
#ifndef _PFM_TESTS_FAKE_H
#define _PFM_TESTS_FAKE_H

#include "fixture.h"

#define FAKE_MAX	GENMASK_ULL(39, 0)
#define FAKE_COUNTERS	4
#define FAKE_FILTER	4

struct pfm_fake {
	u64 ctr[FAKE_COUNTERS];
	u64 sel[FAKE_COUNTERS + 1];
	u64 running;
	u64 ovfl;
	bool interrupt;		/* pending */
	bool blind;		/* has no status register */
	bool frozen;		/* when it was acknowledged */
	bool busy;		/* an event happens with each read */
	u32 set_flags;		/* of the last start */
	struct task_struct *task;
	unsigned int starts;
	unsigned int stops;
	unsigned int programs;
	unsigned int resets;
	unsigned int rests;
	u64 rested;		/* controls, by the last rest */
	unsigned int reads;
	unsigned int writes;
};

extern struct pfm_fake pfm_fake;

extern const struct pfm_pmu pfm_fake_pmu;
extern const struct pfm_pmu pfm_fake_deaf;	/* without an interrupt */
extern const struct pfm_pmu pfm_fake_shared;
extern const struct pfm_pmu pfm_fake_halves;
extern const struct pfm_pmu pfm_fake_gated;
extern const struct pfm_pmu pfm_fake_unsettled;	/* to program a control takes the counters */

/* A context for test->priv, with @pmu for the hardware; and its end. */
int pfm_fake_init(struct kunit *test, const struct pfm_pmu *pmu);
void pfm_fake_exit(struct kunit *test);

/* The counters that run see n events. */
void pfm_fake_count(u64 n);
/* The same, event by event, interrupts and all. */
void pfm_fake_happen(unsigned int n);
/*
 * Its interrupt; as an NMI, which may not wait for a lock; as one that has interrupted code
 * with interrupts on, so that whoever has a lock is another CPU.
 */
bool pfm_fake_interrupt(void);
bool pfm_fake_nmi(void);
bool pfm_fake_nmi_outside(void);

/* Elements of PFM_WRITE_PMCS, PFM_WRITE_PMDS; a statistic of this CPU. */
int pfm_fake_pmc(struct pfm_context *ctx, u16 set, u16 n, u64 value, u32 flags);
int pfm_fake_pmd(struct pfm_context *ctx, u16 set, u16 n, u64 value, u64 reset);
unsigned long pfm_fake_stat(enum pfm_stat s);

/* The overflow messages in the queue, which are taken out. */
unsigned int pfm_fake_messages(struct pfm_context *ctx);

#endif /* _PFM_TESTS_FAKE_H */
