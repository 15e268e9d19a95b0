// SPDX-License-Identifier: GPL-2.0-only
#include "fixture.h"

static void pfm_regs_test_pmc(struct kunit *test)
{
	struct pfm_context *ctx = test->priv;
	pfarg_pmc_t req = { .reg_num = PFM_SW_PMC0 };

	/* Reserved bits keep their default, silently. */
	req.reg_value = 0xabcdef00 | PFM_SW_MINOR_FAULTS;
	KUNIT_EXPECT_EQ(test, pfm_fixture_write_pmc(ctx, &req), 0);
	KUNIT_EXPECT_EQ(test, ctx->set->values[0], (u64)PFM_SW_MINOR_FAULTS);
	KUNIT_EXPECT_EQ(test, ctx->set->used, BIT_ULL(pfm_fixture_sw(0)));

	req.reg_value = PFM_SW_MAJOR_FAULTS + 1;
	KUNIT_EXPECT_EQ(test, pfm_fixture_write_pmc(ctx, &req), -EINVAL);
	KUNIT_EXPECT_EQ(test, req.reg_flags, PFM_REG_RETFL_EINVAL);
	KUNIT_EXPECT_EQ(test, ctx->set->values[0], (u64)PFM_SW_MINOR_FAULTS);

	/* Back to the default: nothing counts. */
	req.reg_value = PFM_SW_NONE;
	KUNIT_EXPECT_EQ(test, pfm_fixture_write_pmc(ctx, &req), 0);
	KUNIT_EXPECT_EQ(test, req.reg_flags, 0U);
	KUNIT_EXPECT_EQ(test, ctx->set->used, 0ULL);
	KUNIT_EXPECT_EQ(test, ctx->set->sw[PFM_SW_MINOR_FAULTS], 0ULL);
}

static void pfm_regs_test_errors(struct kunit *test)
{
	struct pfm_context *ctx = test->priv;
	static const u16 nums[] = { 0, 255, 287, 296, 304, 319, 320, 65535 };
	pfarg_pmc_t pmc;
	pfarg_pmd_t pmd;
	int i;

	for (i = 0; i < ARRAY_SIZE(nums); i++) {
		pmc = (pfarg_pmc_t){ .reg_num = nums[i] };
		KUNIT_EXPECT_EQ(test, pfm_fixture_write_pmc(ctx, &pmc), -EINVAL);
		KUNIT_EXPECT_EQ(test, pmc.reg_flags, PFM_REG_RETFL_NOTAVAIL);
	}
	pmc = (pfarg_pmc_t){ .reg_num = PFM_SW_PMC0, .reg_set = 1 };
	KUNIT_EXPECT_EQ(test, pfm_fixture_write_pmc(ctx, &pmc), -EINVAL);
	KUNIT_EXPECT_EQ(test, pmc.reg_flags, PFM_REG_RETFL_NOSET);
	pmc = (pfarg_pmc_t){ .reg_num = PFM_SW_PMC0, .reg_reset_pmds[0] = 1 };
	KUNIT_EXPECT_EQ(test, pfm_fixture_write_pmc(ctx, &pmc), -EINVAL);
	KUNIT_EXPECT_EQ(test, pmc.reg_flags, PFM_REG_RETFL_EINVAL);
	pmc = (pfarg_pmc_t){ .reg_num = PFM_SW_PMC0, .reg_flags = 16 };
	KUNIT_EXPECT_EQ(test, pfm_fixture_write_pmc(ctx, &pmc), -EINVAL);

	pmd = (pfarg_pmd_t){ .reg_num = PFM_SW_PMD0, .reg_pad = 1 };
	KUNIT_EXPECT_EQ(test, pfm_fixture_write_pmd(ctx, &pmd), -EINVAL);
	KUNIT_EXPECT_EQ(test, pmd.reg_flags, PFM_REG_RETFL_EINVAL);
	pmd = (pfarg_pmd_t){ .reg_num = PFM_VPMD_CLOCK };
	KUNIT_EXPECT_EQ(test, pfm_fixture_write_pmd(ctx, &pmd), -EINVAL);
	KUNIT_EXPECT_EQ(test, pmd.reg_flags, PFM_REG_RETFL_EINVAL);
	pmd = (pfarg_pmd_t){ .reg_num = PFM_SW_PMD0 + 8 };
	KUNIT_EXPECT_EQ(test, pfm_fixture_read_pmd(ctx, &pmd), -EINVAL);
	KUNIT_EXPECT_EQ(test, pmd.reg_flags, PFM_REG_RETFL_NOTAVAIL);
}

/* Writing one counter of a counting context loses nothing of another. */
static void pfm_regs_test_live(struct kunit *test)
{
	struct pfm_context *ctx = test->priv;

	KUNIT_ASSERT_EQ(test, pfm_fixture_pmc(ctx, 0, PFM_SW_MINOR_FAULTS, 0, 0), 0);
	pfm_fixture_load(ctx);
	pfm_fixture_start(ctx);
	current->min_flt += 3;
	KUNIT_ASSERT_EQ(test, pfm_fixture_pmc(ctx, 1, PFM_SW_MINOR_FAULTS, 0, 0), 0);
	current->min_flt += 4;
	KUNIT_ASSERT_EQ(test, pfm_fixture_pmd(ctx, 1, 100, 0, 0), 0);
	current->min_flt += 5;
	KUNIT_EXPECT_EQ(test, pfm_fixture_read(ctx, 0), 12ULL);
	KUNIT_EXPECT_EQ(test, pfm_fixture_read(ctx, 1), 105ULL);

	/* A control that is written again goes on counting from there. */
	KUNIT_ASSERT_EQ(test, pfm_fixture_pmc(ctx, 0, PFM_SW_MAJOR_FAULTS, 0, 0), 0);
	current->min_flt += 6;
	current->maj_flt += 1;
	KUNIT_EXPECT_EQ(test, pfm_fixture_read(ctx, 0), 13ULL);
	KUNIT_EXPECT_EQ(test, pfm_fixture_read(ctx, 1), 111ULL);
}

/* The kernel's counter of faults wraps at the size of a long. */
static void pfm_regs_test_source_wraps(struct kunit *test)
{
	struct pfm_context *ctx = test->priv;
	unsigned long saved = current->min_flt;

	KUNIT_ASSERT_EQ(test, pfm_fixture_pmc(ctx, 0, PFM_SW_MINOR_FAULTS, 0, 0), 0);
	pfm_fixture_load(ctx);
	current->min_flt = ULONG_MAX - 1;
	pfm_fixture_start(ctx);
	current->min_flt += 10;
	KUNIT_EXPECT_EQ(test, pfm_fixture_read(ctx, 0), 10ULL);
	current->min_flt = saved;
}

static struct kunit_case pfm_regs_cases[] = {
	KUNIT_CASE(pfm_regs_test_pmc),
	KUNIT_CASE(pfm_regs_test_errors),
	KUNIT_CASE(pfm_regs_test_live),
	KUNIT_CASE(pfm_regs_test_source_wraps),
	{}
};

static struct kunit_suite pfm_regs_suite = {
	.name = "perfmon-regs",
	.init = pfm_fixture_init,
	.exit = pfm_fixture_exit,
	.test_cases = pfm_regs_cases,
};
kunit_test_suite(pfm_regs_suite);
