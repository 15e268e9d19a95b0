// SPDX-License-Identifier: GPL-2.0-only
#include "fixture.h"

static void pfm_runstate_test_start_stop(struct kunit *test)
{
	struct pfm_context *ctx = test->priv;

	pfm_fixture_pmc(ctx, 0, PFM_SW_MINOR_FAULTS, 0, 0);
	current->min_flt += 100;
	pfm_fixture_load(ctx);
	current->min_flt += 10;
	KUNIT_EXPECT_EQ(test, pfm_fixture_read(ctx, 0), 0ULL);
	pfm_fixture_start(ctx);
	current->min_flt += 1;
	pfm_fixture_start(ctx);		/* again: changes nothing */
	KUNIT_EXPECT_EQ(test, pfm_fixture_read(ctx, 0), 1ULL);
	current->min_flt += 2;
	pfm_fixture_stop(ctx);
	current->min_flt += 1000;
	pfm_fixture_stop(ctx);
	KUNIT_EXPECT_EQ(test, pfm_fixture_read(ctx, 0), 3ULL);
	pfm_fixture_start(ctx);
	current->min_flt += 4;
	KUNIT_EXPECT_EQ(test, pfm_fixture_read(ctx, 0), 7ULL);
}

/* Masked and stopped are two things: what ends one does not end the other. */
static void pfm_runstate_test_masked(struct kunit *test)
{
	struct pfm_context *ctx = test->priv;

	pfm_fixture_pmc(ctx, 0, PFM_SW_MINOR_FAULTS, PFM_REGFL_OVFL_NOTIFY, 0);
	pfm_fixture_pmd(ctx, 0, -1ULL, 50, 0);
	pfm_fixture_load(ctx);
	pfm_fixture_start(ctx);
	pfm_fixture_faults(ctx, 1);
	KUNIT_ASSERT_EQ(test, (int)ctx->state, (int)PFM_MASKED);

	pfm_fixture_start(ctx);
	pfm_fixture_faults(ctx, 3);
	KUNIT_EXPECT_EQ(test, pfm_fixture_read(ctx, 0), 0ULL);

	pfm_fixture_stop(ctx);
	KUNIT_EXPECT_EQ(test, (int)ctx->state, (int)PFM_MASKED);
	KUNIT_EXPECT_EQ(test, pfm_fixture_restart(ctx), 0);
	pfm_fixture_faults(ctx, 3);
	KUNIT_EXPECT_EQ(test, pfm_fixture_read(ctx, 0), 50ULL);

	pfm_fixture_start(ctx);
	pfm_fixture_faults(ctx, 3);
	KUNIT_EXPECT_EQ(test, pfm_fixture_read(ctx, 0), 53ULL);
}

/* An overflow that the stop itself finds is told, too. */
static void pfm_runstate_test_stop_overflows(struct kunit *test)
{
	struct pfm_context *ctx = test->priv;

	pfm_fixture_pmc(ctx, 0, PFM_SW_MINOR_FAULTS, PFM_REGFL_OVFL_NOTIFY, 0);
	pfm_fixture_pmd(ctx, 0, -5ULL, 0, 0);
	pfm_fixture_load(ctx);
	pfm_fixture_start(ctx);
	current->min_flt += 5;
	pfm_fixture_stop(ctx);
	KUNIT_EXPECT_EQ(test, (int)ctx->state, (int)PFM_MASKED);
	KUNIT_EXPECT_EQ(test, pfm_message_count(&ctx->queue), 1U);
	KUNIT_EXPECT_FALSE(test, ctx->started);
}

static struct kunit_case pfm_runstate_cases[] = {
	KUNIT_CASE(pfm_runstate_test_start_stop),
	KUNIT_CASE(pfm_runstate_test_masked),
	KUNIT_CASE(pfm_runstate_test_stop_overflows),
	{}
};

static struct kunit_suite pfm_runstate_suite = {
	.name = "perfmon-runstate",
	.init = pfm_fixture_init,
	.exit = pfm_fixture_exit,
	.test_cases = pfm_runstate_cases,
};
kunit_test_suite(pfm_runstate_suite);
