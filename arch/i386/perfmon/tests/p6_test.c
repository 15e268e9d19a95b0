// SPDX-License-Identifier: GPL-2.0-only
#include <asm/processor.h>

#include "regfile.h"

static const struct pfm_pmu *p6_prepare(struct kunit *test)
{
	static const struct pfm_x86_cpu cpu = { .family = 6, .model = 8 };
	const struct pfm_pmu *pmu = pfm_regfile_use(test, pfm_p6_describe(&cpu));
	const u64 rsvd = BIT_ULL(19) | BIT_ULL(21) | GENMASK_ULL(63, 32);

	pfm_regfile_add(0x186, PFM_REGFILE_PLAIN, rsvd);
	pfm_regfile_add(0x187, PFM_REGFILE_PLAIN, rsvd | BIT_ULL(22));
	pfm_regfile_add_peer(0xc1, PFM_REGFILE_COUNTER32, GENMASK_ULL(63, 32), 40);
	pfm_regfile_add_peer(0xc2, PFM_REGFILE_COUNTER32, GENMASK_ULL(63, 32), 40);
	return pmu;
}

/* The enable bit of the first register is that of both. */
static u64 p6_counting(void)
{
	u64 mask = 0;
	unsigned int i;

	for (i = 0; i < 2; i++)
		if (pfm_regfile_get(0x186) & BIT(22) &&
		    pfm_regfile_get(0x186 + i) & (BIT(16) | BIT(17)) &&
		    pfm_regfile_get(0x186 + i) & BIT(20))
			mask |= BIT_ULL(i);
	return mask;
}

static void p6_test_models(struct kunit *test)
{
	static const u8 models[] = { 1, 3, 5, 6, 7, 8, 9, 10, 11, 13 };
	struct pfm_x86_cpu cpu = { .family = 6 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(models); i++) {
		cpu.model = models[i];
		KUNIT_EXPECT_NOT_NULL(test, pfm_p6_describe(&cpu));
	}
	cpu.leaf_a[0] = 1;
	KUNIT_EXPECT_NULL(test, pfm_p6_describe(&cpu));
	cpu.leaf_a[0] = 0;
	cpu.model = 15;
	KUNIT_EXPECT_NULL(test, pfm_p6_describe(&cpu));
	cpu.model = 8;
	cpu.vendor = X86_VENDOR_CENTAUR;
	KUNIT_EXPECT_NULL(test, pfm_p6_describe(&cpu));
}

static void p6_test_values(struct kunit *test)
{
	const struct pfm_pmu *pmu = p6_prepare(test);

	KUNIT_EXPECT_EQ(test, pmu->pmcs[0].def, 0x100000ULL);
	KUNIT_EXPECT_EQ(test, pmu->pmcs[0].rsvd, 0xffffffff00380000ULL);
	KUNIT_EXPECT_EQ(test, pmu->pmcs[1].rsvd, 0xffffffff00780000ULL);
	KUNIT_EXPECT_TRUE(test, pmu->selects(pmu, 1, 0x10079));
	KUNIT_EXPECT_FALSE(test, pmu->selects(pmu, 0, 0x500079));
	KUNIT_EXPECT_TRUE(test, pmu->kernel(pmu, 1, 0x20079));
	KUNIT_EXPECT_FALSE(test, pmu->kernel(pmu, 1, 0x10079));
}

static void p6_test_drive(struct kunit *test)
{
	pfm_regfile_drive(test, p6_prepare(test), p6_counting, 0);
}

/* The second counter needs the first one's register, and not its event. */
static void p6_test_second(struct kunit *test)
{
	const struct pfm_pmu *pmu = p6_prepare(test);
	u64 v[2] = { 0x100000, 0x100000 };

	pfm_regfile_reset(pmu, v);
	v[0] = 0x110079;
	v[1] = 0x1100c0;
	pfm_regfile_writes();
	pfm_regfile_start(pmu, BIT(1), v);
	KUNIT_EXPECT_EQ(test, p6_counting(), BIT_ULL(1));
	KUNIT_EXPECT_EQ(test, pfm_regfile_writes(), 2U);
	pfm_regfile_stop(pmu, BIT(1), v);
	KUNIT_EXPECT_EQ(test, pfm_regfile_writes(), 1U);
	/* Again, and nothing has changed. */
	pfm_regfile_start(pmu, BIT(1), v);
	KUNIT_EXPECT_EQ(test, pfm_regfile_writes(), 1U);
	pfm_regfile_stop(pmu, BIT(1), v);
	pfm_regfile_start(pmu, BIT(0), v);
	KUNIT_EXPECT_EQ(test, p6_counting(), BIT_ULL(0));
	pfm_regfile_stop(pmu, BIT(0), v);
	KUNIT_EXPECT_EQ(test, p6_counting(), 0ULL);
	KUNIT_EXPECT_EQ(test, pfm_regfile_faults(), 0U);
}

static struct kunit_case p6_cases[] = {
	KUNIT_CASE(p6_test_models),
	KUNIT_CASE(p6_test_values),
	KUNIT_CASE(p6_test_drive),
	KUNIT_CASE(p6_test_second),
	{}
};

static struct kunit_suite p6_suite = {
	.name = "perfmon-x86-p6",
	.init = pfm_regfile_init,
	.exit = pfm_regfile_exit,
	.test_cases = p6_cases,
};
kunit_test_suite(p6_suite);
