// SPDX-License-Identifier: GPL-2.0-only
/*
 * The PMUs of 970 and of POWER8 to 11, on registers in memory.
 */
#include <linux/irqflags.h>
#include <linux/prandom.h>

#include "../../../../kernel/perfmon/tests/fixture.h"
#include "regfile64.h"

#define MMCR0		795
#define PMC(n)		(786 + (n))
#define SIAR		796
#define SDAR		797
#define FC		0x80000000ULL
#define PMAE		0x04000000ULL

/* Of POWER's controls: levels that are left out. */
#define NOT_S		BIT_ULL(32)
#define NOT_P		BIT_ULL(33)
#define NOT_H		BIT_ULL(34)
#define USER		(NOT_S | NOT_H)

/* Of PMC0 of 970. */
#define FCS		0x40000000ULL
#define FCP		0x20000000ULL
#define FCH		0x1ULL

#define ROUNDS		1000

struct power_model {
	u32 pvr;
	enum pfm_sprs64_kind kind;
	unsigned int counters;
};

static const struct power_model power_models[] = {
	{ 0x003c0300, SPRS_970, 8 },
	{ 0x004d0200, SPRS_POWER8, 6 },
	{ 0x004e1202, SPRS_POWER9, 6 },
	{ 0x00800200, SPRS_POWER10, 6 },
	{ 0x00821200, SPRS_POWER10, 6 },
};

#define power_for_each(m)	\
	for (m = power_models; m < power_models + ARRAY_SIZE(power_models); m++)

static const struct pfm_pmu *power_describe(u32 pvr, bool silent)
{
	const struct pfm_ppc_cpu cpu = { .pvr = pvr, .silent = silent };

	return pfm_power_describe(&cpu) ?: pfm_ppc970_describe(&cpu);
}

/* The operations run with interrupts off. */
static void power_go(const struct pfm_pmu *pmu, u64 pmds, const u64 *v, bool changed)
{
	const struct pfm_run run = { .pmds = pmds, .v = v };
	unsigned long flags;

	local_irq_save(flags);
	if (changed)
		pmu->program(pmu, NULL, &run);
	pmu->start(pmu, &run);
	local_irq_restore(flags);
}

static void power_halt(const struct pfm_pmu *pmu)
{
	static const struct pfm_run nothing;
	unsigned long flags;

	local_irq_save(flags);
	pmu->stop(pmu, &nothing);
	local_irq_restore(flags);
}

static bool power_ack(const struct pfm_pmu *pmu, u64 pmds)
{
	const struct pfm_run run = { .pmds = pmds };
	unsigned long flags;
	bool any;

	local_irq_save(flags);
	any = pmu->acknowledge(pmu, &run);
	local_irq_restore(flags);
	return any;
}

static u64 power_read(const struct pfm_pmu *pmu, unsigned int i)
{
	unsigned long flags;
	u64 value;

	local_irq_save(flags);
	value = pmu->read(pmu, i);
	local_irq_restore(flags);
	return value;
}

static const struct pfm_pmu *power_use(struct kunit *test, const struct power_model *m,
				       u64 *v)
{
	const struct pfm_pmu *pmu = power_describe(m->pvr, false);
	unsigned long flags;
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, pmu);
	KUNIT_ASSERT_EQ(test, pfm_pmu_validate(pmu), 0);
	pfm_sprs64_make(m->kind);
	for (i = 0; i < pmu->num_pmcs; i++)
		v[i] = pmu->pmcs[i].def;
	local_irq_save(flags);
	pmu->reset(pmu, v);
	local_irq_restore(flags);
	return pmu;
}

/* The position of the control of counter @n, from 1. */
static unsigned int power_control(const struct power_model *m, unsigned int n)
{
	return m->kind == SPRS_970 ? n : n - 1;
}

/* An event that counter @n has, in problem state by default. */
static u64 power_some(const struct power_model *m, unsigned int n)
{
	if (m->kind == SPRS_970)
		return 9;
	return USER | (n == 5 ? 0xfa : n == 6 ? 0xf4 : 0x02);
}

static void power_test_processors(struct kunit *test)
{
	static const struct {
		u32 pvr;
		const char *name;	/* NULL: none of these families */
		unsigned int counters;
		unsigned int flags;
	} known[] = {
		{ 0x00350201 }, { 0x003a0100 }, { 0x003f0201 }, { 0x004a0201 },
		{ 0x00830100 }, { 0x80010201 }, { 0x00700100 },
		{ 0x00390202, "PowerPC 970", 8, PFM_PMU_USER_READ },
		{ 0x003c0300, "PowerPC 970", 8, PFM_PMU_USER_READ },
		{ 0x00440101, "PowerPC 970", 8, PFM_PMU_USER_READ },
		{ 0x00450100, "PowerPC 970", 8, PFM_PMU_USER_READ },
		{ 0x004b0201, "POWER8", 6 }, { 0x004c0100, "POWER8", 6 },
		{ 0x004d0200, "POWER8", 6 }, { 0x004e1200, "POWER9", 6 },
		{ 0x004e0203, "POWER9", 6 }, { 0x00800200, "POWER10", 6 },
		{ 0x00660200, "POWER8", 6 }, { 0x00821200, "POWER11", 6 },
	};
	const struct pfm_pmu *pmu;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(known); i++) {
		pmu = power_describe(known[i].pvr, false);
		KUNIT_EXPECT_EQ_MSG(test, !!pmu, !!known[i].name, "PVR %08x", known[i].pvr);
		if (!pmu || !known[i].name)
			continue;
		KUNIT_EXPECT_STREQ(test, pmu->name, known[i].name);
		KUNIT_EXPECT_EQ(test, pmu->num_pmds, known[i].counters);
		KUNIT_EXPECT_EQ(test, pmu->width, 31U);
		KUNIT_EXPECT_EQ(test, pmu->flags, known[i].flags);
		KUNIT_EXPECT_EQ(test, pmu->rollback, 256U);
		/* An emulator's. */
		KUNIT_EXPECT_PTR_EQ(test, power_describe(known[i].pvr, true), NULL);
	}
}

static void power_test_registers(struct kunit *test)
{
	static const u64 rsvd970[] = { ~0x61bf0001ULL, ~0x1fULL, ~0x1fULL, ~0x1fULL, ~0x1fULL,
				       ~0x1fULL, ~0x1fULL, ~0x1fULL, ~0x1fULL,
				       ~0xd86ff0ff00000003ULL };
	const struct power_model *m;
	const struct pfm_pmu *pmu;
	unsigned int i;
	u64 v[10];

	power_for_each(m) {
		pmu = power_use(test, m, v);
		KUNIT_ASSERT_EQ(test, pmu->num_pmcs, m->kind == SPRS_970 ? 10 : m->counters);
		for (i = 0; i < pmu->num_pmcs; i++) {
			u64 free = i >= 4 ? 0x7000f00ffULL :
				   m->kind == SPRS_POWER8 ? 0x7000ff8ffULL : 0x7000ffcffULL;

			KUNIT_EXPECT_EQ(test, pmu->pmcs[i].num,
					m->kind == SPRS_970 ? i : i + 1);
			KUNIT_EXPECT_EQ(test, pmu->pmcs[i].rsvd,
					m->kind == SPRS_970 ? rsvd970[i] : ~free);
			KUNIT_EXPECT_FALSE(test, pmu->selects(pmu, pmu->pmcs[i].num, v[i]));
			KUNIT_EXPECT_FALSE(test, pmu->kernel(pmu, pmu->pmcs[i].num, v[i]));
		}
		for (i = 0; i < pmu->num_pmds; i++) {
			KUNIT_EXPECT_EQ(test, pmu->pmds[i].num, i + 1);
			KUNIT_EXPECT_EQ(test, pmu->pmds[i].ctrl, i + 1);
			KUNIT_EXPECT_EQ(test, pmu->pmds[i].index, (u64)PMC(i + 1));
		}
		/* What reset has left: closed to programs where that is possible, and clean. */
		KUNIT_EXPECT_EQ(test, pfm_sprs64_open(), m->kind == SPRS_970);
		for (i = 1; i <= m->counters; i++)
			KUNIT_EXPECT_EQ(test, pfm_sprs64_get(PMC(i)), 0ULL);
		KUNIT_EXPECT_EQ(test, pfm_sprs64_get(SIAR), 0ULL);
		KUNIT_EXPECT_EQ(test, pfm_sprs64_get(SDAR), 0ULL);
		KUNIT_EXPECT_FALSE(test, pfm_sprs64_interrupts());
		KUNIT_EXPECT_EQ(test, pfm_sprs64_faults(), 0U);
	}
}

static void power_test_values(struct kunit *test)
{
	const struct pfm_pmu *p970 = power_describe(0x003c0300, false);
	const struct pfm_pmu *p9 = power_describe(0x004e1200, false);
	unsigned int n;

	for (n = 1; n <= 6; n++) {
		u64 event = n == 5 ? 0xfa : n == 6 ? 0xf4 : 0x1e;

		KUNIT_EXPECT_TRUE(test, p9->accepts(p9, n, USER | event));
		KUNIT_EXPECT_TRUE(test, p9->accepts(p9, n, USER | event | n << 16));
		KUNIT_EXPECT_FALSE(test, p9->accepts(p9, n, USER | event | (n + 1) << 16));
		KUNIT_EXPECT_TRUE(test, p9->accepts(p9, n, USER));
		KUNIT_EXPECT_EQ(test, p9->accepts(p9, n, USER | 0x02), n <= 4);
		KUNIT_EXPECT_TRUE(test, p9->selects(p9, n, event));
		KUNIT_EXPECT_FALSE(test, p9->selects(p9, n, n << 16));
		KUNIT_EXPECT_TRUE(test, p9->kernel(p9, n, event));
		KUNIT_EXPECT_TRUE(test, p9->kernel(p9, n, event | NOT_S | NOT_P));
		KUNIT_EXPECT_TRUE(test, p9->kernel(p9, n, event | NOT_H));
		KUNIT_EXPECT_FALSE(test, p9->kernel(p9, n, event | USER));
	}
	KUNIT_EXPECT_FALSE(test, p9->accepts(p9, 5, 0xf4));
	KUNIT_EXPECT_FALSE(test, p9->accepts(p9, 6, 0xfa));

	KUNIT_EXPECT_TRUE(test, p970->selects(p970, 1, 0));
	KUNIT_EXPECT_TRUE(test, p970->selects(p970, 8, 9));
	KUNIT_EXPECT_FALSE(test, p970->selects(p970, 8, 8));
	KUNIT_EXPECT_FALSE(test, p970->selects(p970, 0, 0));
	KUNIT_EXPECT_FALSE(test, p970->selects(p970, 9, ~0ULL));
	KUNIT_EXPECT_TRUE(test, p970->kernel(p970, 0, FCS));
	KUNIT_EXPECT_TRUE(test, p970->kernel(p970, 0, FCH | FCP));
	KUNIT_EXPECT_FALSE(test, p970->kernel(p970, 0, FCS | FCH));
	KUNIT_EXPECT_FALSE(test, p970->kernel(p970, 1, 9));
}

/* Whether the processor counts what @pmds and @v say, and nothing else. */
static void power_compare(struct kunit *test, const struct power_model *m, u64 pmds,
			  const u64 *v)
{
	struct pfm_sprs64_event e;
	unsigned int n;
	u64 c, levels;
	bool on;

	for (n = 1; n <= m->counters; n++) {
		c = v[power_control(m, n)];
		on = pmds & BIT_ULL(n - 1);
		e = pfm_sprs64_event(n);
		if (m->kind == SPRS_970) {
			on = on && c != 8;
			levels = ~v[0] & FCP ? BIT(SPRS_PROBLEM) : 0;
			levels |= ~v[0] & FCS ? BIT(SPRS_SUPERVISOR) : 0;
			levels |= ~v[0] & FCH ? BIT(SPRS_HYPERVISOR) : 0;
			if (on)
				KUNIT_EXPECT_EQ(test, e.select, (u8)c);
		} else {
			levels = ~c & NOT_P ? BIT(SPRS_PROBLEM) : 0;
			levels |= ~c & NOT_S ? BIT(SPRS_SUPERVISOR) : 0;
			levels |= ~c & NOT_H ? BIT(SPRS_HYPERVISOR) : 0;
			if (on && n <= 4) {
				KUNIT_EXPECT_EQ(test, e.select, (u8)c);
				KUNIT_EXPECT_EQ(test, e.unit, (u8)(c >> 12 & 0xf));
				KUNIT_EXPECT_EQ(test, e.combine, m->kind == SPRS_POWER8 ?
						(u8)(c >> 11 & 1) : (u8)(c >> 10 & 3));
			}
		}
		levels = on ? levels : 0;
		KUNIT_EXPECT_EQ(test, pfm_sprs64_counts(n, SPRS_PROBLEM),
				!!(levels & BIT(SPRS_PROBLEM)));
		KUNIT_EXPECT_EQ(test, pfm_sprs64_counts(n, SPRS_SUPERVISOR),
				!!(levels & BIT(SPRS_SUPERVISOR)));
		KUNIT_EXPECT_EQ(test, pfm_sprs64_counts(n, SPRS_HYPERVISOR),
				!!(levels & BIT(SPRS_HYPERVISOR)));
	}
	KUNIT_EXPECT_EQ(test, pfm_sprs64_open(), m->kind == SPRS_970);
}

static u64 power_value(const struct pfm_pmu *pmu, unsigned int i, struct rnd_state *rnd)
{
	const struct pfm_pmc_desc *c = &pmu->pmcs[i];
	u64 value;

	do {
		value = (u64)prandom_u32_state(rnd) << 32 | prandom_u32_state(rnd);
		value = (value & ~c->rsvd) | (c->def & c->rsvd);
	} while (pmu->accepts && !pmu->accepts(pmu, c->num, value) &&
		 !pmu->accepts(pmu, c->num, value &= ~0xf00ffULL));
	return value;
}

/* As a set of a program is, with counters that wrap; and once more without anything new. */
static void power_round(struct kunit *test, const struct power_model *m,
			const struct pfm_pmu *pmu, struct rnd_state *rnd, u64 *v)
{
	u64 pmds = prandom_u32_state(rnd) & GENMASK_ULL(pmu->num_pmds - 1, 0), value;
	unsigned int i = prandom_u32_state(rnd) % pmu->num_pmcs;

	v[i] = power_value(pmu, i, rnd);
	i = prandom_u32_state(rnd) % pmu->num_pmds;
	value = prandom_u32_state(rnd) & GENMASK(30, 0);
	pmu->write(pmu, i, value);
	KUNIT_EXPECT_EQ(test, power_read(pmu, i), value);

	for (i = 0; i < 2; i++) {
		pfm_sprs64_writes();
		power_go(pmu, pmds, v, !i);
		/* Some wrapped. */
		if (i)
			KUNIT_EXPECT_LE(test, pfm_sprs64_writes(), 1 + pmu->num_pmds);
		power_compare(test, m, pmds, v);
		pfm_sprs64_run(prandom_u32_state(rnd) >> 1, prandom_u32_state(rnd) % 3);
		pfm_sprs64_writes();
		power_halt(pmu);
		KUNIT_EXPECT_EQ(test, pfm_sprs64_writes(), 1U);
		KUNIT_EXPECT_FALSE(test, pfm_sprs64_interrupts());
		power_compare(test, m, 0, v);
	}
}

static void power_test_drive(struct kunit *test)
{
	const struct power_model *m;
	const struct pfm_pmu *pmu;
	struct rnd_state rnd;
	unsigned int i;
	u64 v[10];

	power_for_each(m) {
		pmu = power_use(test, m, v);
		prandom_seed_state(&rnd, m->pvr);
		power_go(pmu, 0, v, false);
		power_compare(test, m, 0, v);
		power_halt(pmu);
		for (i = 0; i < ROUNDS && test->status == KUNIT_SUCCESS; i++)
			power_round(test, m, pmu, &rnd, v);
		KUNIT_EXPECT_EQ_MSG(test, pfm_sprs64_faults(), 0U, "PVR %08x", m->pvr);
	}
}

/* Each level is counted where it is asked for. */
static void power_test_levels(struct kunit *test)
{
	static const struct {
		u64 power, ppc970;
		u64 count;
	} cases[] = {
		{ USER, FCS | FCH, 1 }, { NOT_P | NOT_H, FCP | FCH, 10 },
		{ NOT_P | NOT_S, FCP | FCS, 100 }, { 0, 0, 111 },
		{ USER | NOT_P, FCS | FCH | FCP, 0 },
	};
	const struct power_model *m;
	const struct pfm_pmu *pmu;
	unsigned int i, n;
	u64 v[10];

	power_for_each(m) {
		pmu = power_use(test, m, v);
		for (i = 0; i < ARRAY_SIZE(cases); i++) {
			for (n = 1; n <= m->counters; n++) {
				v[power_control(m, n)] = m->kind == SPRS_970 ? 9 :
					(power_some(m, n) & ~USER) | cases[i].power;
				pmu->write(pmu, n - 1, 0);
			}
			if (m->kind == SPRS_970)
				v[0] = cases[i].ppc970;
			power_go(pmu, GENMASK_ULL(m->counters - 1, 0), v, true);
			pfm_sprs64_run(1, SPRS_PROBLEM);
			pfm_sprs64_run(10, SPRS_SUPERVISOR);
			pfm_sprs64_run(100, SPRS_HYPERVISOR);
			power_halt(pmu);
			for (n = 1; n <= m->counters; n++)
				KUNIT_EXPECT_EQ(test, power_read(pmu, n - 1), cases[i].count);
		}
		KUNIT_EXPECT_EQ(test, pfm_sprs64_faults(), 0U);
	}
}

/* Without a change a switch out and in takes two writes; other counters two more. */
static void power_test_writes(struct kunit *test)
{
	const struct power_model *m;
	const struct pfm_pmu *pmu;
	u64 v[10];

	power_for_each(m) {
		pmu = power_use(test, m, v);
		v[power_control(m, 1)] = power_some(m, 1);
		v[power_control(m, 3)] = power_some(m, 3);
		power_go(pmu, BIT(0) | BIT(2), v, true);
		pfm_sprs64_writes();
		power_halt(pmu);
		power_go(pmu, BIT(0) | BIT(2), v, false);
		KUNIT_EXPECT_EQ(test, pfm_sprs64_writes(), 2U);
		power_halt(pmu);
		pfm_sprs64_writes();
		power_go(pmu, BIT(0), v, false);
		KUNIT_EXPECT_LE(test, pfm_sprs64_writes(), 3U);
		power_compare(test, m, BIT(0), v);
	}
}

/* Each counter in turn starts one event before its wrap, beside one that goes on counting. */
static void power_test_overflow(struct kunit *test)
{
	const struct power_model *m;
	const struct pfm_pmu *pmu;
	unsigned int i, j;
	u64 v[10], pmds;

	power_for_each(m) {
		pmu = power_use(test, m, v);
		for (i = 0; i < m->counters; i++) {
			j = (i + 1) % m->counters;
			pmds = BIT_ULL(i) | BIT_ULL(j);
			if (m->kind == SPRS_970)
				v[0] = FCS | FCH;
			v[power_control(m, i + 1)] = power_some(m, i + 1);
			v[power_control(m, j + 1)] = power_some(m, j + 1);
			pmu->write(pmu, i, 0x7fffffff);
			power_go(pmu, pmds, v, true);
			KUNIT_EXPECT_FALSE(test, pfm_sprs64_interrupts());
			pfm_sprs64_run(1, SPRS_PROBLEM);
			KUNIT_EXPECT_TRUE(test, pfm_sprs64_interrupts());
			KUNIT_EXPECT_EQ(test, power_read(pmu, i), 0ULL);
			/* It counts on until it is stopped. */
			pfm_sprs64_run(5, SPRS_PROBLEM);
			pfm_sprs64_writes();
			power_halt(pmu);
			KUNIT_EXPECT_FALSE(test, pfm_sprs64_interrupts());
			KUNIT_EXPECT_TRUE(test, power_ack(pmu, 0));
			KUNIT_EXPECT_EQ(test, power_read(pmu, i), 5ULL);
			power_go(pmu, pmds, v, false);
			KUNIT_EXPECT_FALSE(test, pfm_sprs64_interrupts());
			KUNIT_EXPECT_EQ(test, pfm_sprs64_writes(), 3U);
			power_halt(pmu);
			KUNIT_EXPECT_FALSE(test, power_ack(pmu, 0));
			KUNIT_EXPECT_EQ(test, power_read(pmu, i), 5ULL);
			/* A sample, whose period is written, takes three writes. */
			pmu->write(pmu, i, 0x7fffffff);
			power_go(pmu, pmds, v, false);
			pfm_sprs64_run(1, SPRS_PROBLEM);
			pfm_sprs64_writes();
			power_halt(pmu);
			KUNIT_EXPECT_TRUE(test, power_ack(pmu, 0));
			pmu->write(pmu, i, 0x7fffffff);
			power_go(pmu, pmds, v, false);
			KUNIT_EXPECT_EQ(test, pfm_sprs64_writes(), 3U);
			power_halt(pmu);
			pmu->write(pmu, i, 0);
		}
		KUNIT_EXPECT_EQ(test, pfm_sprs64_faults(), 0U);
	}
}

/* An interrupt that cannot be handled now is off until the next start. */
static void power_test_not_now(struct kunit *test)
{
	const struct power_model *m;
	const struct pfm_pmu *pmu;
	u64 v[10];

	power_for_each(m) {
		pmu = power_use(test, m, v);
		v[power_control(m, 2)] = power_some(m, 2);
		v[power_control(m, 3)] = power_some(m, 3);
		pmu->write(pmu, 1, 0x7fffffff);
		pmu->write(pmu, 2, 0x7ffffff0);
		power_go(pmu, BIT(1) | BIT(2), v, true);
		pfm_sprs64_run(1, SPRS_PROBLEM);
		KUNIT_EXPECT_TRUE(test, pfm_sprs64_interrupts());
		KUNIT_EXPECT_TRUE(test, power_ack(pmu, BIT(1) | BIT(2)));
		KUNIT_EXPECT_FALSE(test, pfm_sprs64_interrupts());
		/* Both go on, and the other one wraps without an interrupt. */
		pfm_sprs64_run(20, SPRS_PROBLEM);
		KUNIT_EXPECT_FALSE(test, pfm_sprs64_interrupts());
		power_halt(pmu);
		KUNIT_EXPECT_EQ(test, power_read(pmu, 1), 20ULL);
		KUNIT_EXPECT_EQ(test, power_read(pmu, 2), 5ULL);
		power_go(pmu, BIT(1) | BIT(2), v, false);
		KUNIT_EXPECT_TRUE(test, pfm_sprs64_get(MMCR0) & PMAE);
		KUNIT_EXPECT_FALSE(test, pfm_sprs64_interrupts());
		KUNIT_EXPECT_EQ(test, pfm_sprs64_faults(), 0U);
		power_halt(pmu);
	}
}

/*
 * One that became negative between the look at MMCR0 and the stop, and is another set's: one
 * interrupt, and the next start is in order.
 */
static void power_test_left_negative(struct kunit *test)
{
	const struct power_model *m;
	const struct pfm_pmu *pmu;
	unsigned int n;
	u64 v[10];

	power_for_each(m) {
		pmu = power_use(test, m, v);
		v[power_control(m, 2)] = power_some(m, 2);
		for (n = 1; n <= m->counters; n++)
			pfm_sprs64_set(PMC(n), 0x80000000 + n);
		power_go(pmu, BIT(1), v, true);
		KUNIT_EXPECT_TRUE(test, pfm_sprs64_interrupts());
		pfm_sprs64_faults();
		power_halt(pmu);
		KUNIT_EXPECT_TRUE(test, power_ack(pmu, 0));
		power_go(pmu, BIT(1), v, false);
		KUNIT_EXPECT_FALSE(test, pfm_sprs64_interrupts());
		KUNIT_EXPECT_EQ(test, pfm_sprs64_faults(), 0U);
		for (n = 1; n <= m->counters; n++)
			KUNIT_EXPECT_EQ(test, power_read(pmu, n - 1), (u64)n);
		power_halt(pmu);
	}
}

/*
 * The same where the processor interrupts when a counter becomes negative, not while it is: the
 * start does not, what reads the counter finds the turn, and the next turn interrupts.
 */
static void power_test_edge(struct kunit *test)
{
	const struct power_model *m;
	const struct pfm_pmu *pmu;
	unsigned int i;
	u64 v[10];

	power_for_each(m) {
		pmu = power_use(test, m, v);
		pfm_sprs64_edge();
		v[power_control(m, 2)] = power_some(m, 2);
		for (i = 0; i < 3; i++) {
			power_go(pmu, BIT(1), v, !i);
			power_halt(pmu);
			pfm_sprs64_set(PMC(2), 0x80000005);
			KUNIT_EXPECT_EQ(test, power_read(pmu, 1), 5ULL);
			power_go(pmu, BIT(1), v, false);
			KUNIT_EXPECT_FALSE(test, pfm_sprs64_interrupts());
			pfm_sprs64_run(0x7ffffffa, SPRS_PROBLEM);
			KUNIT_EXPECT_FALSE(test, pfm_sprs64_interrupts());
			pfm_sprs64_run(1, SPRS_PROBLEM);
			KUNIT_EXPECT_TRUE(test, pfm_sprs64_interrupts());
			power_halt(pmu);
			KUNIT_EXPECT_TRUE(test, power_ack(pmu, 0));
			KUNIT_EXPECT_EQ(test, power_read(pmu, 1), 0ULL);
		}
		KUNIT_EXPECT_EQ(test, pfm_sprs64_faults(), 0U);
	}
}

/*
 * The core looks at a counter before 2^31 events can have happened, at what the fastest of
 * each family completes: 5 instructions a cycle at 2.7 GHz, and 8 at 4.2.
 */
static void power_test_poll(struct kunit *test)
{
	const struct power_model *m;
	const struct pfm_pmu *real;
	u64 poll;

	power_for_each(m) {
		real = pfm_fixture_swap(test, power_describe(m->pvr, false));
		migrate_disable();
		poll = pfm_fixture_poll_late();
		migrate_enable();
		pfm_fixture_swap(test, real);
		KUNIT_EXPECT_LT_MSG(test, poll * (m->kind == SPRS_970 ? 14 : 34), BIT_ULL(31),
				    "PVR %08x", m->pvr);
	}
}

static struct kunit_case power_cases[] = {
	KUNIT_CASE(power_test_processors),
	KUNIT_CASE(power_test_registers),
	KUNIT_CASE(power_test_values),
	KUNIT_CASE(power_test_drive),
	KUNIT_CASE(power_test_levels),
	KUNIT_CASE(power_test_writes),
	KUNIT_CASE(power_test_overflow),
	KUNIT_CASE(power_test_not_now),
	KUNIT_CASE(power_test_left_negative),
	KUNIT_CASE(power_test_edge),
	KUNIT_CASE(power_test_poll),
	{}
};

static struct kunit_suite power_suite = {
	.name = "perfmon-ppc-power",
	.init = pfm_sprs64_init,
	.exit = pfm_sprs64_exit,
	.test_cases = power_cases,
};
kunit_test_suite(power_suite);
