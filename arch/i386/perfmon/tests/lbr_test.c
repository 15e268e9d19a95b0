// SPDX-License-Identifier: GPL-2.0-only
/*
 * The last branches of Intel's processors: what is the program's, what is shared with
 * the rest of the kernel, and what must not be seen.
 */
#include <asm/processor.h>

#include "regfile.h"

#define FROM(n)		(0x680 + (n))
#define TO(n)		(0x6c0 + (n))
#define SELECT		0x1c8
#define TOS		0x1c9
#define DEBUGCTL	0x1d9
#define LBR		BIT_ULL(0)
#define BTF		BIT_ULL(1)
#define FREEZE		BIT_ULL(11)

#define USER_ONLY	0x101ULL
#define NOTHING		0x1ffULL

/* Positions: four general counters and three fixed ones come first. */
#define PMC_SELECT	7
#define PMD_FROM(n)	(7 + 2 * (n))
#define PMD_TO(n)	(8 + 2 * (n))
#define PMD_TOS		39
#define BRANCHES	GENMASK_ULL(39, 7)

static const struct pfm_x86_cpu lbr_cpu = {
	.family = 6, .model = 60, .lbr = true, .threads = 2,
	.leaf_a = { 3 | 4 << 8 | 48 << 16 | 7 << 24, 0, 0, 3 | 48 << 5 },
};

static const struct pfm_pmu *lbr_prepare(struct kunit *test)
{
	const struct pfm_pmu *pmu;
	unsigned int i;

	pmu = pfm_regfile_use(test, pfm_intel_describe(&lbr_cpu));
	for (i = 0; i < 4; i++) {
		pfm_regfile_add(0x186 + i, PFM_REGFILE_PLAIN, 0);
		pfm_regfile_add(0xc1 + i, PFM_REGFILE_COUNTER, 0);
	}
	for (i = 0; i < 3; i++)
		pfm_regfile_add(0x309 + i, PFM_REGFILE_COUNTER, 0);
	pfm_regfile_add(0x38d, PFM_REGFILE_PLAIN, ~0xbbbULL);
	pfm_regfile_add(0x38e, PFM_REGFILE_RDONLY, 0);
	pfm_regfile_add(0x38f, PFM_REGFILE_PLAIN, ~0x70000000fULL);
	pfm_regfile_add_lbr();
	return pmu;
}

static void lbr_test_tables(struct kunit *test)
{
	const struct pfm_pmu *pmu = lbr_prepare(test);
	unsigned int i;

	KUNIT_ASSERT_EQ(test, pmu->num_pmds, 40U);
	KUNIT_ASSERT_EQ(test, pmu->num_pmcs, 8U);
	KUNIT_EXPECT_EQ(test, (unsigned int)pmu->pmcs[PMC_SELECT].num, 36U);
	KUNIT_EXPECT_EQ(test, pmu->pmcs[PMC_SELECT].index, (u64)SELECT);
	for (i = 0; i < 16; i++) {
		KUNIT_EXPECT_EQ(test, (unsigned int)pmu->pmds[PMD_FROM(i)].num, 32 + 2 * i);
		KUNIT_EXPECT_EQ(test, pmu->pmds[PMD_FROM(i)].index, (u64)FROM(i));
		KUNIT_EXPECT_EQ(test, (unsigned int)pmu->pmds[PMD_TO(i)].num, 33 + 2 * i);
		KUNIT_EXPECT_EQ(test, pmu->pmds[PMD_TO(i)].index, (u64)TO(i));
	}
	KUNIT_EXPECT_EQ(test, (unsigned int)pmu->pmds[PMD_TOS].num, 64U);
	KUNIT_EXPECT_EQ(test, pmu->pmds[PMD_TOS].index, (u64)TOS);
}

struct lbr_test_cpu {
	struct pfm_x86_cpu cpu;
	bool has;
};

#define LBR_CPU(m, ...)	{ .family = 6, .model = m, .lbr = true, .threads = 1,	\
			  .leaf_a = { 3 | 4 << 8 | 48 << 16, 0, 0, 3 | 48 << 5 },	\
			  ##__VA_ARGS__ }

static const struct lbr_test_cpu lbr_cpus[] = {
	{ LBR_CPU(26), true }, { LBR_CPU(44), true }, { LBR_CPU(42), true },
	{ LBR_CPU(62), true }, { LBR_CPU(69), true },
	/* Threads share what chooses; each has its own. */
	{ LBR_CPU(26, .threads = 2), false }, { LBR_CPU(47, .threads = 2), false },
	{ LBR_CPU(42, .threads = 2), true },
	/* Core 2, Broadwell, Skylake. */
	{ LBR_CPU(23), false }, { LBR_CPU(61), false }, { LBR_CPU(94), false },
	/* Not there; too virtual; of mixed kinds; another's. */
	{ { .family = 6, .model = 42, .leaf_a = { 3 | 4 << 8 | 48 << 16 } }, false },
	{ LBR_CPU(42, .no_rdpmc = true), false },
	{ LBR_CPU(42, .hybrid = true), false },
	{ LBR_CPU(42, .vendor = X86_VENDOR_CENTAUR), false },
};

static void lbr_test_cpus(struct kunit *test)
{
	const struct pfm_pmu *pmu;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(lbr_cpus); i++) {
		pmu = pfm_regfile_described(test, pfm_intel_describe(&lbr_cpus[i].cpu));
		KUNIT_EXPECT_EQ_MSG(test, pmu->pmcs[pmu->num_pmcs - 1].num == 36,
				    lbr_cpus[i].has, "%u", i);
	}
}

/* A return to a program begins in the kernel: it is hidden with the far branches. */
static void lbr_test_values(struct kunit *test)
{
	const struct pfm_pmu *pmu = lbr_prepare(test);

	KUNIT_EXPECT_EQ(test, pmu->pmcs[PMC_SELECT].def, NOTHING);
	/* The call stack of Haswell, bit 9, would have the ring go backwards. */
	KUNIT_EXPECT_EQ(test, pmu->pmcs[PMC_SELECT].rsvd, ~0x1ffULL);
	KUNIT_EXPECT_FALSE(test, pmu->selects(pmu, 36, NOTHING));
	KUNIT_EXPECT_FALSE(test, pmu->selects(pmu, 36, 3));
	KUNIT_EXPECT_FALSE(test, pmu->selects(pmu, 36, 0x1fc));
	KUNIT_EXPECT_TRUE(test, pmu->selects(pmu, 36, 0));
	KUNIT_EXPECT_TRUE(test, pmu->selects(pmu, 36, USER_ONLY));
	KUNIT_EXPECT_TRUE(test, pmu->selects(pmu, 36, 0x1fa));
	KUNIT_EXPECT_FALSE(test, pmu->kernel(pmu, 36, NOTHING));
	KUNIT_EXPECT_FALSE(test, pmu->kernel(pmu, 36, USER_ONLY));
	KUNIT_EXPECT_TRUE(test, pmu->kernel(pmu, 36, 0));
	KUNIT_EXPECT_TRUE(test, pmu->kernel(pmu, 36, 1));
	KUNIT_EXPECT_TRUE(test, pmu->kernel(pmu, 36, 0x100));
	KUNIT_EXPECT_TRUE(test, pmu->kernel(pmu, 36, 0x102));
}

/* DEBUGCTL is the kernel's but for two bits, and these only while somebody records. */
static void lbr_test_start(struct kunit *test)
{
	const struct pfm_pmu *pmu = lbr_prepare(test);
	u64 v[32] = { [0] = 0x1100c0, [PMC_SELECT] = USER_ONLY };
	unsigned long changed[BITS_TO_LONGS(PFM_PMCS_MAX)] = { BIT(PMC_SELECT) };

	pfm_regfile_set(DEBUGCTL, BTF);
	pfm_regfile_program(pmu, changed, v);
	KUNIT_EXPECT_EQ(test, pfm_regfile_get(SELECT), USER_ONLY);
	pfm_regfile_set(FROM(3), 0x1234);
	pfm_regfile_start(pmu, BIT(0) | BRANCHES, v);
	KUNIT_EXPECT_EQ(test, pfm_regfile_get(DEBUGCTL), LBR | BTF | FREEZE);
	KUNIT_EXPECT_EQ(test, pfm_regfile_get(0x38f), 1ULL);
	/* As an overflow interrupt does. */
	pfm_regfile_set(DEBUGCTL, BTF | FREEZE);
	pfm_regfile_stop(pmu, BIT(0) | BRANCHES, v);
	KUNIT_EXPECT_EQ(test, pfm_regfile_get(DEBUGCTL), BTF);
	KUNIT_EXPECT_EQ(test, pfm_regfile_get(0x38f), 0ULL);
	pfm_regfile_start(pmu, BRANCHES, v);
	KUNIT_EXPECT_EQ(test, pfm_regfile_get(DEBUGCTL), LBR | BTF | FREEZE);
	KUNIT_EXPECT_EQ(test, pfm_regfile_get(0x38f), 0ULL);
	/* What was recorded is the core's to clear. */
	KUNIT_EXPECT_EQ(test, pfm_regfile_get(FROM(3)), 0x1234ULL);
	pfm_regfile_reset(pmu, v);
	KUNIT_EXPECT_EQ(test, pfm_regfile_get(DEBUGCTL), BTF);
	KUNIT_EXPECT_EQ(test, pfm_regfile_get(SELECT), 0ULL);
	KUNIT_EXPECT_EQ(test, pfm_regfile_faults(), 0U);
}

/* Others had it on: what it has is not this set's. */
static void lbr_test_foreign(struct kunit *test)
{
	const struct pfm_pmu *pmu = lbr_prepare(test);
	u64 v[32] = { [PMC_SELECT] = USER_ONLY };
	unsigned int i;

	for (i = 0; i < 16; i++) {
		pfm_regfile_set(FROM(i), 0x1000 + i);
		pfm_regfile_set(TO(i), 0x2000 + i);
	}
	pfm_regfile_set(DEBUGCTL, BTF | LBR);
	pfm_regfile_start(pmu, BRANCHES, v);
	for (i = 0; i < 16; i++) {
		KUNIT_EXPECT_EQ(test, pfm_regfile_get(FROM(i)), 0ULL);
		KUNIT_EXPECT_EQ(test, pfm_regfile_get(TO(i)), 0ULL);
	}
	KUNIT_EXPECT_EQ(test, pfm_regfile_get(DEBUGCTL), LBR | BTF | FREEZE);
}

/* A processor that records more than it was told to. */
static void lbr_test_hidden(struct kunit *test)
{
	const u64 user = 0x8000000000001234ULL;		/* mispredicted */
	const u64 kernel = (u64)(unsigned long)lbr_test_hidden;
	const struct pfm_pmu *pmu = lbr_prepare(test);
	u64 v[32] = { [PMC_SELECT] = USER_ONLY };

	pfm_regfile_set(FROM(0), kernel);
	pfm_regfile_set(TO(0), user);
	/* Its marks are where an address has its sign. */
	pfm_regfile_set(FROM(1), kernel & ~GENMASK_ULL(63, 61));
	pfm_regfile_set(TOS, 15);
	pfm_regfile_start(pmu, BRANCHES, v);
	pfm_regfile_stop(pmu, BRANCHES, v);
	KUNIT_EXPECT_EQ(test, pfm_regfile_read(pmu, PMD_FROM(0)), 0ULL);
	KUNIT_EXPECT_EQ(test, pfm_regfile_read(pmu, PMD_TO(0)), user);
	KUNIT_EXPECT_EQ(test, pfm_regfile_read(pmu, PMD_FROM(1)), 0ULL);
	KUNIT_EXPECT_EQ(test, pfm_regfile_read(pmu, PMD_TOS), 15ULL);
	v[PMC_SELECT] = 0;
	pfm_regfile_start(pmu, BRANCHES, v);
	pfm_regfile_stop(pmu, BRANCHES, v);
	KUNIT_EXPECT_EQ(test, pfm_regfile_read(pmu, PMD_FROM(0)), kernel);
}

/* A set that records none does not touch any of it. */
static void lbr_test_cost(struct kunit *test)
{
	const struct pfm_pmu *pmu = lbr_prepare(test);
	u64 v[32] = { [0] = 0x1100c0, [PMC_SELECT] = NOTHING };
	unsigned long changed[BITS_TO_LONGS(PFM_PMCS_MAX)] = { BIT(0) | BIT(PMC_SELECT) };

	pfm_regfile_program(pmu, changed, v);
	KUNIT_EXPECT_EQ(test, pfm_regfile_writes(), 1U);
	pfm_regfile_start(pmu, BIT(0), v);
	pfm_regfile_stop(pmu, BIT(0), v);
	KUNIT_EXPECT_EQ(test, pfm_regfile_writes(), 2U);
	KUNIT_EXPECT_EQ(test, pfm_regfile_reads(), 0U);
	/* Nor does the PMU's end. One may have recorded before, in another test. */
	pfm_regfile_reset(pmu, v);
	pfm_regfile_set(SELECT, 0x155);
	pfm_regfile_set(DEBUGCTL, LBR);
	pfm_regfile_reset(pmu, v);
	KUNIT_EXPECT_EQ(test, pfm_regfile_get(SELECT), 0x155ULL);
	KUNIT_EXPECT_EQ(test, pfm_regfile_get(DEBUGCTL), LBR);
}

static struct kunit_case lbr_cases[] = {
	KUNIT_CASE(lbr_test_tables),
	KUNIT_CASE(lbr_test_cpus),
	KUNIT_CASE(lbr_test_values),
	KUNIT_CASE(lbr_test_start),
	KUNIT_CASE(lbr_test_foreign),
	KUNIT_CASE(lbr_test_hidden),
	KUNIT_CASE(lbr_test_cost),
	{}
};

static struct kunit_suite lbr_suite = {
	.name = "perfmon-x86-lbr",
	.init = pfm_regfile_init,
	.exit = pfm_regfile_exit,
	.test_cases = lbr_cases,
};
kunit_test_suite(lbr_suite);
