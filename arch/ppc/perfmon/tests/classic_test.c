// SPDX-License-Identifier: GPL-2.0-only
#include <linux/irqflags.h>
#include <linux/prandom.h>

#include "pfm.h"
#include "regfile.h"

/* FCM1, FCM0, FCECE, TBEE and TRIGGER: an error of ours wherever they are 1. */
#define NEVER		0x1a402000U

#define FC		0x80000000U
#define FCS		0x40000000U
#define FCP		0x20000000U
#define PMXE		0x04000000U
#define MMCR0		952
#define ROUNDS		1000

struct classic_model {
	u32 pvr;
	unsigned int counters;
	bool mmcr2;
	bool silent;
	bool mirrors;
};

/* One of each. */
static const struct classic_model classic_models[] = {
	{ 0x00040103, 2, false, false, false },
	{ 0x00090204, 4, false, false, false },
	{ 0x00080301, 4, false, true, true },
	{ 0x70020102, 4, false, false, true },
	{ 0x000c0209, 4, true, true, true },
	{ 0x800c1103, 4, true, false, true },
	{ 0x80010201, 6, true, false, true },
};

static const struct pfm_pmu *classic_use(struct kunit *test,
					 const struct classic_model *m)
{
	const struct pfm_ppc_cpu cpu = { .pvr = m->pvr };
	const struct pfm_pmu *pmu = pfm_classic_describe(&cpu);

	KUNIT_ASSERT_NOT_NULL(test, pmu);
	KUNIT_ASSERT_EQ(test, pfm_pmu_validate(pmu), 0);
	pfm_sprs_make(m->counters, m->mmcr2, NEVER);
	return pmu;
}

/* The operations run with interrupts off. */
static void classic_off(const struct pfm_pmu *pmu, const u64 *v)
{
	unsigned long flags;

	local_irq_save(flags);
	pmu->reset(pmu, v);
	local_irq_restore(flags);
}

static void classic_go(const struct pfm_pmu *pmu, u64 pmds, const u64 *v)
{
	const struct pfm_run run = { .pmds = pmds, .v = v };
	unsigned long flags;

	local_irq_save(flags);
	pmu->start(pmu, &run);
	local_irq_restore(flags);
}

static void classic_halt(const struct pfm_pmu *pmu, u64 pmds, const u64 *v)
{
	const struct pfm_run run = { .pmds = pmds, .v = v };
	unsigned long flags;

	local_irq_save(flags);
	pmu->stop(pmu, &run);
	local_irq_restore(flags);
}

static bool classic_ack(const struct pfm_pmu *pmu, u64 pmds)
{
	const struct pfm_run run = { .pmds = pmds };
	unsigned long flags;
	bool any;

	local_irq_save(flags);
	any = pmu->acknowledge(pmu, &run);
	local_irq_restore(flags);
	return any;
}

static void classic_defaults(const struct pfm_pmu *pmu, u64 *v)
{
	unsigned int i;

	for (i = 0; i < pmu->num_pmcs; i++)
		v[i] = pmu->pmcs[i].def;
}

static void classic_test_processors(struct kunit *test)
{
	static const struct {
		u32 pvr;
		unsigned int counters;	/* 0: none of the family */
		bool silent;		/* unless the administrator accepts it */
	} known[] = {
		{ 0x00010001 }, { 0x00030001 }, { 0x00060101 }, { 0x00810011 },
		{ 0x00390202 }, { 0x004e1200 },
		{ 0x00040103, 2 },
		{ 0x00090204, 4 }, { 0x000a0202, 4 },
		{ 0x00080301, 4, true }, { 0x00083214, 4, true }, { 0x00087210, 4, true },
		{ 0x70000100, 4, true }, { 0x70000202, 4, true }, { 0x70000203, 4 },
		{ 0x700002b2, 4, true }, { 0x700002b3, 4 },
		{ 0x70010202, 4, true }, { 0x70010203, 4 }, { 0x70010301, 4 },
		{ 0x70020101, 4 },
		{ 0x000c0209, 4, true },
		{ 0x800c1102, 4, true }, { 0x800c1103, 4 }, { 0x800c1104, 4 },
		{ 0x80000201, 6 }, { 0x80010303, 6 }, { 0x80020101, 6 },
		{ 0x80030102, 6 }, { 0x80040202, 6 }, { 0x80050000 },
	};
	const struct pfm_pmu *pmu;
	struct pfm_ppc_cpu cpu;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(known); i++) {
		cpu = (struct pfm_ppc_cpu){ .pvr = known[i].pvr };
		pmu = pfm_classic_describe(&cpu);
		KUNIT_EXPECT_EQ_MSG(test, pmu ? pmu->num_pmds : 0, known[i].counters,
				    "PVR %08x", cpu.pvr);
		if (!pmu)
			continue;
		KUNIT_EXPECT_EQ_MSG(test, !!(pmu->flags & PFM_PMU_NO_INTERRUPT),
				    known[i].silent, "PVR %08x", cpu.pvr);
		cpu.pmi = true;
		pmu = pfm_classic_describe(&cpu);
		KUNIT_ASSERT_NOT_NULL(test, pmu);
		KUNIT_EXPECT_FALSE(test, pmu->flags & PFM_PMU_NO_INTERRUPT);
		/* Nobody accepts an interrupt that has been seen not to come. */
		cpu.silent = true;
		pmu = pfm_classic_describe(&cpu);
		KUNIT_ASSERT_NOT_NULL(test, pmu);
		KUNIT_EXPECT_TRUE(test, pmu->flags & PFM_PMU_NO_INTERRUPT);
		KUNIT_EXPECT_EQ(test, pmu->width, 32U);
	}
}

static void classic_test_registers(struct kunit *test)
{
	static const u64 rsvd[] = { ~0x61bf0000ULL, ~0x7fULL, ~0x3fULL, ~0x1fULL,
				    ~0x1fULL, ~0x1fULL, ~0x3fULL, ~0x80000000ULL };
	const struct classic_model *m;
	const struct pfm_pmu *pmu;
	unsigned int i;

	for (m = classic_models; m < classic_models + ARRAY_SIZE(classic_models); m++) {
		pmu = classic_use(test, m);
		KUNIT_EXPECT_EQ(test, pmu->num_pmds, m->counters);
		KUNIT_EXPECT_EQ(test, pmu->num_pmcs, 1 + m->counters + m->mmcr2);
		KUNIT_EXPECT_EQ(test, pmu->width, m->silent ? 32U : 31U);
		KUNIT_EXPECT_EQ(test, !!(pmu->flags & PFM_PMU_USER_READ), m->mirrors);
		KUNIT_EXPECT_EQ(test, pmu->pmcs[0].def, (u64)FCS);
		for (i = 0; i < pmu->num_pmcs; i++)
			KUNIT_EXPECT_EQ(test, pmu->pmcs[i].rsvd, rsvd[pmu->pmcs[i].num]);
		for (i = 0; i < pmu->num_pmds; i++) {
			KUNIT_EXPECT_EQ(test, pmu->pmds[i].num, i + 1);
			KUNIT_EXPECT_EQ(test, pmu->pmds[i].index, (u64)pfm_sprs_pmc(i + 1));
		}
	}
}

static void classic_test_values(struct kunit *test)
{
	const struct pfm_pmu *pmu = classic_use(test, &classic_models[6]);

	KUNIT_EXPECT_FALSE(test, pmu->selects(pmu, 0, FCS));
	KUNIT_EXPECT_FALSE(test, pmu->selects(pmu, 0, 0));
	KUNIT_EXPECT_FALSE(test, pmu->selects(pmu, 7, 0x80000000));
	KUNIT_EXPECT_FALSE(test, pmu->selects(pmu, 1, 0));
	KUNIT_EXPECT_TRUE(test, pmu->selects(pmu, 1, 2));
	KUNIT_EXPECT_TRUE(test, pmu->selects(pmu, 6, 1));
	KUNIT_EXPECT_TRUE(test, pmu->kernel(pmu, 0, 0));
	KUNIT_EXPECT_TRUE(test, pmu->kernel(pmu, 0, FCP));
	KUNIT_EXPECT_FALSE(test, pmu->kernel(pmu, 0, FCS));
	KUNIT_EXPECT_FALSE(test, pmu->kernel(pmu, 1, 2));
}

/* Whether the processor counts what @pmds and @v say, and nothing else. */
static void classic_compare(struct kunit *test, const struct pfm_pmu *pmu, u64 pmds,
			    const u64 *v)
{
	u32 levels = FCS | FCP | 0x01bf0000;
	unsigned int n;

	for (n = 1; n <= pmu->num_pmds; n++)
		KUNIT_EXPECT_EQ_MSG(test, pfm_sprs_event(n),
				    pmds & BIT(n - 1) ? (u32)v[n] : 0, "counter %u", n);
	KUNIT_EXPECT_EQ(test, pfm_sprs_get(MMCR0) & levels, (u32)v[0]);
	if (pmu->pmcs[pmu->num_pmcs - 1].num == 7)
		KUNIT_EXPECT_EQ(test, pfm_sprs_get(944), (u32)v[pmu->num_pmcs - 1]);
}

static u64 classic_value(const struct pfm_pmc_desc *c, struct rnd_state *rnd)
{
	u64 value = (u64)prandom_u32_state(rnd) << 32 | prandom_u32_state(rnd);

	return (value & ~c->rsvd) | (c->def & c->rsvd);
}

/* As a set of a program is, with counters that wrap; and twice without anything new. */
static void classic_round(struct kunit *test, const struct pfm_pmu *pmu,
			  struct rnd_state *rnd, u64 *v)
{
	u64 pmds = prandom_u32_state(rnd) & GENMASK_ULL(pmu->num_pmds - 1, 0), value;
	unsigned int i = prandom_u32_state(rnd) % pmu->num_pmcs;

	v[i] = classic_value(&pmu->pmcs[i], rnd);
	i = prandom_u32_state(rnd) % pmu->num_pmds;
	value = prandom_u32_state(rnd) & GENMASK(pmu->width - 1, 0);
	pmu->write(pmu, i, value);
	KUNIT_EXPECT_EQ(test, pmu->read(pmu, i), value);

	for (i = 0; i < 2; i++) {
		pfm_sprs_writes();
		classic_go(pmu, pmds, v);
		/* Some wrap: the file has none of their interrupts taken. */
		if (i)
			KUNIT_EXPECT_LE(test, pfm_sprs_writes(), 1 + pmu->num_pmds);
		classic_compare(test, pmu, pmds, v);
		pfm_sprs_run(prandom_u32_state(rnd) >> 1, false);
		pfm_sprs_writes();
		classic_halt(pmu, pmds, v);
		KUNIT_EXPECT_EQ(test, pfm_sprs_writes(), 1U);
		KUNIT_EXPECT_EQ(test, pfm_sprs_get(MMCR0), FC);
	}
}

static void classic_test_drive(struct kunit *test)
{
	u64 v[8];
	const struct classic_model *m;
	const struct pfm_pmu *pmu;
	struct rnd_state rnd;
	unsigned int i, n;

	for (m = classic_models; m < classic_models + ARRAY_SIZE(classic_models); m++) {
		pmu = classic_use(test, m);
		prandom_seed_state(&rnd, m->pvr);
		classic_defaults(pmu, v);
		/* As some firmware might leave it. */
		for (n = 1; n <= m->counters; n++)
			pfm_sprs_set(pfm_sprs_pmc(n), ~0U);
		pfm_sprs_set(MMCR0, 0x0400c042);
		classic_off(pmu, v);
		for (n = 1; n <= m->counters; n++)
			KUNIT_EXPECT_EQ(test, pfm_sprs_get(pfm_sprs_pmc(n)), 0U);
		classic_go(pmu, 0, v);
		classic_compare(test, pmu, 0, v);
		classic_halt(pmu, 0, v);
		for (i = 0; i < ROUNDS && test->status == KUNIT_SUCCESS; i++)
			classic_round(test, pmu, &rnd, v);
		KUNIT_EXPECT_EQ_MSG(test, pfm_sprs_faults(), 0U, "PVR %08x", m->pvr);
	}
}

/* Each level is counted where it is asked for. */
static void classic_test_levels(struct kunit *test)
{
	const struct pfm_pmu *pmu = classic_use(test, &classic_models[6]);
	u64 v[8];

	classic_defaults(pmu, v);
	classic_off(pmu, v);
	v[1] = 2;
	classic_go(pmu, BIT(0), v);
	pfm_sprs_run(1, true);
	pfm_sprs_run(10, false);
	classic_halt(pmu, BIT(0), v);
	KUNIT_EXPECT_EQ(test, pmu->read(pmu, 0), 10ULL);
	v[0] = FCP;
	classic_go(pmu, BIT(0), v);
	pfm_sprs_run(100, true);
	pfm_sprs_run(1000, false);
	classic_halt(pmu, BIT(0), v);
	v[0] = 0;
	classic_go(pmu, BIT(0), v);
	pfm_sprs_run(10000, true);
	pfm_sprs_run(100000, false);
	classic_halt(pmu, BIT(0), v);
	KUNIT_EXPECT_EQ(test, pmu->read(pmu, 0), 110110ULL);
	KUNIT_EXPECT_EQ(test, pmu->read(pmu, 1), 0ULL);
}

/* Without a change a switch out and in takes two writes; another subset one more. */
static void classic_test_writes(struct kunit *test)
{
	const struct pfm_pmu *pmu = classic_use(test, &classic_models[6]);
	u64 v[8];

	classic_defaults(pmu, v);
	classic_off(pmu, v);
	v[1] = 1;
	v[3] = 2;
	classic_go(pmu, BIT(0) | BIT(2), v);
	classic_halt(pmu, BIT(0) | BIT(2), v);
	pfm_sprs_writes();
	classic_go(pmu, BIT(0) | BIT(2), v);
	classic_halt(pmu, BIT(0) | BIT(2), v);
	KUNIT_EXPECT_EQ(test, pfm_sprs_writes(), 2U);
	classic_go(pmu, BIT(0), v);
	KUNIT_EXPECT_EQ(test, pfm_sprs_writes(), 2U);
	KUNIT_EXPECT_EQ(test, pfm_sprs_event(3), 0U);
}

/* From the event before a wrap, in each counter, with another one that counts. */
static void classic_test_overflow(struct kunit *test)
{
	const struct classic_model *m;
	const struct pfm_pmu *pmu;
	unsigned int i;
	u64 v[8];

	for (m = classic_models; m < classic_models + ARRAY_SIZE(classic_models); m++) {
		if (m->silent)
			continue;
		pmu = classic_use(test, m);
		classic_defaults(pmu, v);
		classic_off(pmu, v);
		for (i = 0; i < pmu->num_pmds; i++) {
			u64 pmds = BIT(i) | BIT((i + 1) % pmu->num_pmds);

			v[i + 1] = 2;
			v[(i + 1) % pmu->num_pmds + 1] = 1;
			pmu->write(pmu, i, 0x7fffffff);
			classic_go(pmu, pmds, v);
			KUNIT_EXPECT_FALSE(test, pfm_sprs_interrupts());
			pfm_sprs_run(1, false);
			KUNIT_EXPECT_TRUE(test, pfm_sprs_interrupts());
			KUNIT_EXPECT_EQ(test, pmu->read(pmu, i), 0ULL);
			/* It counts on until it is stopped. */
			pfm_sprs_signal(m->pvr >> 16 != 4);
			pfm_sprs_run(5, false);
			pfm_sprs_writes();
			classic_halt(pmu, pmds, v);
			KUNIT_EXPECT_TRUE(test, classic_ack(pmu, 0));
			KUNIT_EXPECT_EQ(test, pmu->read(pmu, i), 5ULL);
			classic_go(pmu, pmds, v);
			KUNIT_EXPECT_FALSE(test, pfm_sprs_interrupts());
			classic_halt(pmu, pmds, v);
			KUNIT_EXPECT_FALSE(test, classic_ack(pmu, 0));
			KUNIT_EXPECT_EQ(test, pmu->read(pmu, i), 5ULL);
			KUNIT_EXPECT_EQ(test, pfm_sprs_writes(), 4U);
			/* A sample, whose period is written, takes three writes. */
			pmu->write(pmu, i, 0x7fffffff);
			classic_go(pmu, pmds, v);
			pfm_sprs_run(1, false);
			pfm_sprs_signal(m->pvr >> 16 != 4);
			pfm_sprs_writes();
			classic_halt(pmu, pmds, v);
			KUNIT_EXPECT_TRUE(test, classic_ack(pmu, 0));
			pmu->write(pmu, i, 0x7fffffff);
			classic_go(pmu, pmds, v);
			KUNIT_EXPECT_EQ(test, pfm_sprs_writes(), 3U);
			classic_halt(pmu, pmds, v);
			pmu->write(pmu, i, 0);
		}
		KUNIT_EXPECT_EQ(test, pfm_sprs_faults(), 0U);
	}
}

/* One that went negative, and is another set's: a start must not interrupt at once. */
static void classic_test_left_negative(struct kunit *test)
{
	const struct pfm_pmu *pmu = classic_use(test, &classic_models[6]);
	unsigned int n;
	u64 v[8];

	classic_defaults(pmu, v);
	classic_off(pmu, v);
	for (n = 1; n <= 6; n++)
		pfm_sprs_set(pfm_sprs_pmc(n), 0x80000000 + n);
	v[2] = 1;
	classic_go(pmu, BIT(1), v);
	KUNIT_EXPECT_FALSE(test, pfm_sprs_interrupts());
	KUNIT_EXPECT_EQ(test, pfm_sprs_faults(), 0U);
	for (n = 1; n <= 6; n++)
		KUNIT_EXPECT_EQ(test, pmu->read(pmu, n - 1), (u64)n);
}

/* An interrupt that cannot be handled now is off until the next start. */
static void classic_test_not_now(struct kunit *test)
{
	const struct pfm_pmu *pmu = classic_use(test, &classic_models[0]);
	u64 v[3];

	classic_defaults(pmu, v);
	classic_off(pmu, v);
	v[1] = 1;
	pmu->write(pmu, 0, 0x7fffffff);
	classic_go(pmu, BIT(0), v);
	pfm_sprs_run(1, false);
	pfm_sprs_signal(false);
	pfm_sprs_faults();
	KUNIT_EXPECT_TRUE(test, classic_ack(pmu, BIT(0)));
	KUNIT_EXPECT_FALSE(test, pfm_sprs_interrupts());
	KUNIT_EXPECT_EQ(test, pfm_sprs_event(1), 1U);
	pfm_sprs_run(7, false);
	classic_halt(pmu, BIT(0), v);
	KUNIT_EXPECT_EQ(test, pmu->read(pmu, 0), 7ULL);
	classic_go(pmu, BIT(0), v);
	KUNIT_EXPECT_TRUE(test, pfm_sprs_get(MMCR0) & PMXE);
	KUNIT_EXPECT_FALSE(test, pfm_sprs_interrupts());
	KUNIT_EXPECT_EQ(test, pfm_sprs_faults(), 0U);
}

/* No enable bit is ever set, and a counter has all of its bits. */
static void classic_test_silent(struct kunit *test)
{
	const struct pfm_pmu *pmu = classic_use(test, &classic_models[2]);
	u64 v[5];

	KUNIT_EXPECT_PTR_EQ(test, pmu->acknowledge, NULL);
	classic_defaults(pmu, v);
	classic_off(pmu, v);
	v[1] = 1;
	pmu->write(pmu, 0, 0xffffffff);
	classic_go(pmu, BIT(0), v);
	KUNIT_EXPECT_EQ(test, pfm_sprs_get(MMCR0) & 0x0400c000, 0U);
	KUNIT_EXPECT_EQ(test, pmu->read(pmu, 0), 0xffffffffULL);
	pfm_sprs_run(1, false);
	KUNIT_EXPECT_EQ(test, pmu->read(pmu, 0), 0ULL);
	KUNIT_EXPECT_EQ(test, pfm_sprs_faults(), 0U);
}

static struct kunit_case classic_cases[] = {
	KUNIT_CASE(classic_test_processors),
	KUNIT_CASE(classic_test_registers),
	KUNIT_CASE(classic_test_values),
	KUNIT_CASE(classic_test_drive),
	KUNIT_CASE(classic_test_levels),
	KUNIT_CASE(classic_test_writes),
	KUNIT_CASE(classic_test_overflow),
	KUNIT_CASE(classic_test_left_negative),
	KUNIT_CASE(classic_test_not_now),
	KUNIT_CASE(classic_test_silent),
	{}
};

static struct kunit_suite classic_suite = {
	.name = "perfmon-ppc-classic",
	.init = pfm_sprs_init,
	.exit = pfm_sprs_exit,
	.test_cases = classic_cases,
};
kunit_test_suite(classic_suite);
