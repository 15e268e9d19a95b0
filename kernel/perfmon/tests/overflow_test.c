// SPDX-License-Identifier: GPL-2.0-only
#include "fixture.h"

#define NOTIFY	PFM_REGFL_OVFL_NOTIFY
#define RANDOM	PFM_REGFL_RANDOM

static void pfm_overflow_test_go(struct pfm_context *ctx)
{
	pfm_fixture_load(ctx);
	pfm_fixture_start(ctx);
}

/* Without notification the short reset value makes the next period. */
static void pfm_overflow_test_short(struct kunit *test)
{
	struct pfm_context *ctx = test->priv;

	pfm_fixture_pmc(ctx, 0, PFM_SW_MINOR_FAULTS, 0, 0);
	pfm_fixture_pmd(ctx, 0, -3ULL, 77, -10ULL);
	pfm_overflow_test_go(ctx);
	pfm_fixture_faults(ctx, 2);
	KUNIT_EXPECT_EQ(test, pfm_fixture_read(ctx, 0), -1ULL);
	pfm_fixture_faults(ctx, 1);
	KUNIT_EXPECT_EQ(test, pfm_fixture_read(ctx, 0), -10ULL);
	pfm_fixture_faults(ctx, 10);
	KUNIT_EXPECT_EQ(test, pfm_fixture_read(ctx, 0), -10ULL);
	KUNIT_EXPECT_EQ(test, (int)ctx->state, (int)PFM_LOADED);
	KUNIT_EXPECT_EQ(test, pfm_message_count(&ctx->queue), 0U);
}

/* A plain counter wraps, and keeps what it has counted since. */
static void pfm_overflow_test_wrap(struct kunit *test)
{
	struct pfm_context *ctx = test->priv;

	pfm_fixture_pmc(ctx, 0, PFM_SW_MINOR_FAULTS, 0, 0);
	pfm_fixture_pmd(ctx, 0, -2ULL, 0, 0);
	pfm_overflow_test_go(ctx);
	current->min_flt += 7;
	KUNIT_EXPECT_EQ(test, pfm_fixture_read(ctx, 0), 5ULL);
}

static void pfm_overflow_test_notify(struct kunit *test)
{
	struct pfm_context *ctx = test->priv;

	pfm_fixture_pmc(ctx, 0, PFM_SW_MINOR_FAULTS, NOTIFY, 0);
	pfm_fixture_pmc(ctx, 1, PFM_SW_MINOR_FAULTS, 0, 0);
	pfm_fixture_pmd(ctx, 0, -3ULL, -20ULL, -10ULL);
	pfm_overflow_test_go(ctx);
	pfm_fixture_faults(ctx, 3);
	KUNIT_EXPECT_EQ(test, (int)ctx->state, (int)PFM_MASKED);
	KUNIT_EXPECT_EQ(test, pfm_message_count(&ctx->queue), 1U);

	/* Masked: no register changes until the restart. */
	pfm_fixture_faults(ctx, 5);
	KUNIT_EXPECT_EQ(test, pfm_fixture_read(ctx, 0), 0ULL);
	KUNIT_EXPECT_EQ(test, pfm_fixture_read(ctx, 1), 3ULL);

	KUNIT_EXPECT_EQ(test, pfm_fixture_restart(ctx), 0);
	KUNIT_EXPECT_EQ(test, pfm_fixture_read(ctx, 0), -20ULL);
	pfm_fixture_faults(ctx, 1);
	KUNIT_EXPECT_EQ(test, pfm_fixture_read(ctx, 0), -19ULL);
	KUNIT_EXPECT_EQ(test, pfm_fixture_read(ctx, 1), 4ULL);
	KUNIT_EXPECT_EQ(test, pfm_fixture_restart(ctx), -EBUSY);
}

/* Two at once: one message, both bits, both reset. */
static void pfm_overflow_test_two(struct kunit *test)
{
	struct pfm_context *ctx = test->priv;
	const pfm_ovfl_msg_t *msg;

	pfm_fixture_pmc(ctx, 0, PFM_SW_MINOR_FAULTS, NOTIFY, 0);
	pfm_fixture_pmc(ctx, 5, PFM_SW_MINOR_FAULTS, 0, 0);
	pfm_fixture_pmd(ctx, 0, -1ULL, -20ULL, -10ULL);
	pfm_fixture_pmd(ctx, 5, -1ULL, -40ULL, -30ULL);
	pfm_overflow_test_go(ctx);
	pfm_fixture_faults(ctx, 1);

	KUNIT_ASSERT_EQ(test, pfm_message_count(&ctx->queue), 1U);
	msg = &ctx->queue.ring[0].pfm_ovfl_msg;
	KUNIT_EXPECT_EQ(test, msg->msg_ovfl_pmds[4],
			BIT_ULL(PFM_SW_PMD0 - 256) | BIT_ULL(PFM_SW_PMD0 + 5 - 256));
	/* Masking has priority: nothing is reset before the restart. */
	KUNIT_EXPECT_EQ(test, pfm_fixture_read(ctx, 5), 0ULL);
	pfm_fixture_restart(ctx);
	KUNIT_EXPECT_EQ(test, pfm_fixture_read(ctx, 0), -20ULL);
	KUNIT_EXPECT_EQ(test, pfm_fixture_read(ctx, 5), -40ULL);
}

/* reset_pmds: their own short values, or long ones. */
static void pfm_overflow_test_reset_pmds(struct kunit *test)
{
	struct pfm_context *ctx = test->priv;

	pfm_fixture_pmc(ctx, 0, PFM_SW_MINOR_FAULTS, 0, BIT(1) | BIT(2));
	pfm_fixture_pmc(ctx, 1, PFM_SW_MAJOR_FAULTS, 0, 0);
	pfm_fixture_pmd(ctx, 0, -2ULL, 0, -2ULL);
	pfm_fixture_pmd(ctx, 1, 1000, 300, 200);
	pfm_fixture_pmd(ctx, 2, 1000, 500, 400);
	pfm_overflow_test_go(ctx);
	pfm_fixture_majors(ctx, 9);
	KUNIT_EXPECT_EQ(test, pfm_fixture_read(ctx, 1), 1009ULL);
	pfm_fixture_faults(ctx, 2);
	KUNIT_EXPECT_EQ(test, pfm_fixture_read(ctx, 1), 200ULL);
	KUNIT_EXPECT_EQ(test, pfm_fixture_read(ctx, 2), 400ULL);

	pfm_fixture_pmc(ctx, 0, PFM_SW_MINOR_FAULTS, NOTIFY, BIT(1) | BIT(2));
	pfm_fixture_majors(ctx, 1);
	pfm_fixture_faults(ctx, 2);
	KUNIT_EXPECT_EQ(test, pfm_fixture_read(ctx, 1), 201ULL);
	pfm_fixture_restart(ctx);
	KUNIT_EXPECT_EQ(test, pfm_fixture_read(ctx, 1), 300ULL);
	KUNIT_EXPECT_EQ(test, pfm_fixture_read(ctx, 2), 500ULL);
}

/* The series is the PMD's own and follows from its seed. */
static void pfm_overflow_test_random(struct kunit *test)
{
	struct pfm_context *ctx = test->priv;
	pfarg_pmd_t pmd = {
		.reg_num = PFM_SW_PMD0, .reg_value = -1ULL,
		.reg_short_reset = -100000ULL, .reg_long_reset = -200000ULL,
		.reg_random_mask = 0xff, .reg_random_seed = 12345,
	};
	u32 ref = pfm_random_seed(12345);
	u64 want;
	int i;

	pfm_fixture_pmc(ctx, 0, PFM_SW_MINOR_FAULTS, RANDOM, 0);
	pfm_fixture_pmc(ctx, 1, PFM_SW_MAJOR_FAULTS, RANDOM, 0);
	KUNIT_ASSERT_EQ(test, pfm_fixture_write_pmd(ctx, &pmd), 0);
	pmd.reg_num = PFM_SW_PMD0 + 1;
	pmd.reg_random_seed = 99;
	KUNIT_ASSERT_EQ(test, pfm_fixture_write_pmd(ctx, &pmd), 0);
	pfm_overflow_test_go(ctx);

	for (i = 0; i < 20; i++) {
		want = -100000ULL + pfm_random_next(&ref, 0xff);
		/* All the way to the overflow at once. */
		current->min_flt += (unsigned long)-pfm_fixture_read(ctx, 0) - 1;
		pfm_fixture_faults(ctx, 1);
		KUNIT_EXPECT_EQ(test, pfm_fixture_read(ctx, 0), want);
		KUNIT_EXPECT_EQ(test, pfm_set_reset(ctx->set, pfm_fixture_sw(0))->last_reset, want);
		pfm_fixture_majors(ctx, i & 1);
	}
}

static void pfm_overflow_test_queue_full(struct kunit *test)
{
	struct pfm_context *ctx = test->priv;
	unsigned int i, depth = ctx->queue.depth;

	pfm_fixture_pmc(ctx, 0, PFM_SW_MINOR_FAULTS, NOTIFY, 0);
	pfm_fixture_pmd(ctx, 0, -1ULL, -1ULL, 0);
	pfm_overflow_test_go(ctx);
	for (i = 0; i <= depth; i++) {
		pfm_fixture_faults(ctx, 1);
		KUNIT_EXPECT_EQ(test, (int)ctx->state, (int)PFM_MASKED);
		pfm_fixture_restart(ctx);
	}
	KUNIT_EXPECT_EQ(test, ctx->queue.lost, 1ULL);
	KUNIT_EXPECT_EQ(test, pfm_message_count(&ctx->queue), depth);
}

static int pfm_overflow_test_storm(struct pfm_context *ctx, void *unused)
{
	pfm_throttle_context(ctx);
	return ctx->blocked;
}

/* Too many overflows: a thread waits for PFM_RESTART only if the program is told. */
static void pfm_overflow_test_throttled(struct kunit *test)
{
	struct pfm_context *ctx = test->priv;

	ctx->flags = PFM_FL_NOTIFY_BLOCK;
	pfm_overflow_test_go(ctx);
	KUNIT_EXPECT_EQ(test, pfm_reach_call(ctx, pfm_overflow_test_storm, NULL), 1);
	KUNIT_EXPECT_EQ(test, pfm_message_count(&ctx->queue), 1U);
	KUNIT_EXPECT_EQ(test, pfm_fixture_restart(ctx), 0);

	ctx->flags = PFM_FL_NOTIFY_BLOCK | PFM_FL_OVFL_NO_MSG;
	KUNIT_EXPECT_EQ(test, pfm_reach_call(ctx, pfm_overflow_test_storm, NULL), 0);
	KUNIT_EXPECT_EQ(test, pfm_message_count(&ctx->queue), 1U);
	KUNIT_EXPECT_EQ(test, (int)ctx->state, (int)PFM_MASKED);
	KUNIT_EXPECT_EQ(test, ctx->throttled, 2ULL);
}

static struct kunit_case pfm_overflow_cases[] = {
	KUNIT_CASE(pfm_overflow_test_short),
	KUNIT_CASE(pfm_overflow_test_wrap),
	KUNIT_CASE(pfm_overflow_test_notify),
	KUNIT_CASE(pfm_overflow_test_two),
	KUNIT_CASE(pfm_overflow_test_reset_pmds),
	KUNIT_CASE(pfm_overflow_test_random),
	KUNIT_CASE(pfm_overflow_test_queue_full),
	KUNIT_CASE(pfm_overflow_test_throttled),
	{}
};

static struct kunit_suite pfm_overflow_suite = {
	.name = "perfmon-overflow",
	.init = pfm_fixture_init,
	.exit = pfm_fixture_exit,
	.test_cases = pfm_overflow_cases,
};
kunit_test_suite(pfm_overflow_suite);
