// SPDX-License-Identifier: GPL-2.0-only
#include <linux/sched/clock.h>

#include "../setswitch.h"
#include "fixture.h"

#define NOTIFY	PFM_REGFL_OVFL_NOTIFY
#define OVFL	PFM_SETFL_OVFL_SWITCH
#define IN	PFM_FIXTURE_IN

/* Sets 0 and 1 count minor faults; 0 is left when its counter overflows. */
static void pfm_setswitch_test_two(struct kunit *test, u32 pmc_flags, u64 thres)
{
	struct pfm_context *ctx = test->priv;

	KUNIT_ASSERT_EQ(test, pfm_fixture_set(ctx, 0, OVFL), 0);
	KUNIT_ASSERT_EQ(test, pfm_fixture_set(ctx, 1, 0), 0);
	pfm_fixture_pmc(ctx, IN(0, 0), PFM_SW_MINOR_FAULTS, pmc_flags, 0);
	pfm_fixture_trigger(ctx, IN(0, 0), -3ULL, -7ULL, -5ULL, thres);
	pfm_fixture_pmc(ctx, IN(1, 1), PFM_SW_MINOR_FAULTS, 0, 0);
	pfm_fixture_load(ctx);
	pfm_fixture_start(ctx);
}

/* Section 3.7.6, cascading: set 1 counts from the threshold on. */
static void pfm_setswitch_test_cascade(struct kunit *test)
{
	struct pfm_context *ctx = test->priv;

	pfm_setswitch_test_two(test, 0, 1);
	pfm_fixture_faults(ctx, 2);
	KUNIT_EXPECT_EQ(test, (int)ctx->set->id, 0);
	KUNIT_EXPECT_EQ(test, pfm_fixture_read(ctx, IN(1, 1)), 0ULL);
	pfm_fixture_faults(ctx, 1);
	KUNIT_EXPECT_EQ(test, (int)ctx->set->id, 1);
	pfm_fixture_faults(ctx, 10);
	KUNIT_EXPECT_EQ(test, pfm_fixture_read(ctx, IN(1, 1)), 10ULL);
	/* It has kept what it had when it was left. */
	KUNIT_EXPECT_EQ(test, pfm_fixture_read(ctx, IN(0, 0)), 0ULL);
	KUNIT_EXPECT_EQ(test, ctx->set->runs, 1ULL);
	KUNIT_EXPECT_EQ(test, pfm_set_find(ctx, 0)->switched,
			BIT_ULL(pfm_fixture_sw(0)));
}

/* Figure 3.38: a threshold of two, short resets in between, then reloaded. */
static void pfm_setswitch_test_threshold(struct kunit *test)
{
	struct pfm_context *ctx = test->priv;
	struct pfm_set *set;

	pfm_setswitch_test_two(test, 0, 2);
	pfm_fixture_faults(ctx, 3);
	KUNIT_EXPECT_EQ(test, (int)ctx->set->id, 0);
	KUNIT_EXPECT_EQ(test, pfm_fixture_read(ctx, IN(0, 0)), -5ULL);
	set = ctx->set;
	KUNIT_EXPECT_EQ(test, pfm_set_reset(set, pfm_fixture_sw(0))->thres_left, 1ULL);
	pfm_fixture_faults(ctx, 5);
	KUNIT_EXPECT_EQ(test, (int)ctx->set->id, 1);

	/* When it comes back, it is reset short, and the threshold is full. */
	KUNIT_EXPECT_EQ(test, pfm_fixture_start_set(ctx, 0), 0);
	KUNIT_EXPECT_EQ(test, (int)ctx->set->id, 0);
	KUNIT_EXPECT_EQ(test, pfm_fixture_read(ctx, IN(0, 0)), -5ULL);
	KUNIT_EXPECT_EQ(test, pfm_set_reset(set, pfm_fixture_sw(0))->thres_left, 2ULL);
	KUNIT_EXPECT_EQ(test, set->runs, 2ULL);
	KUNIT_EXPECT_EQ(test, pfm_fixture_start_set(ctx, 7), -EINVAL);
}

/* Notification and switch by one overflow: the switch waits (3.7.7). */
static void pfm_setswitch_test_notify(struct kunit *test)
{
	struct pfm_context *ctx = test->priv;

	pfm_setswitch_test_two(test, NOTIFY, 1);
	pfm_fixture_faults(ctx, 3);
	KUNIT_EXPECT_EQ(test, (int)ctx->state, (int)PFM_MASKED);
	KUNIT_EXPECT_EQ(test, (int)ctx->set->id, 0);
	KUNIT_EXPECT_EQ(test, pfm_message_count(&ctx->queue), 1U);
	pfm_fixture_faults(ctx, 4);

	KUNIT_EXPECT_EQ(test, pfm_fixture_restart(ctx), 0);
	KUNIT_EXPECT_EQ(test, (int)ctx->set->id, 1);
	pfm_fixture_faults(ctx, 2);
	KUNIT_EXPECT_EQ(test, pfm_fixture_read(ctx, IN(1, 1)), 2ULL);
	/* Its own counters come back with the short value, by START. */
	KUNIT_EXPECT_EQ(test, pfm_fixture_start_set(ctx, 0), 0);
	KUNIT_EXPECT_EQ(test, pfm_fixture_read(ctx, IN(0, 0)), -5ULL);
}

/* A set that follows itself is reset long if PFM_RESTART brings it again. */
static void pfm_setswitch_test_itself(struct kunit *test)
{
	struct pfm_context *ctx = test->priv;

	KUNIT_ASSERT_EQ(test, pfm_fixture_set(ctx, 0, OVFL), 0);
	pfm_fixture_pmc(ctx, 0, PFM_SW_MINOR_FAULTS, NOTIFY, 0);
	pfm_fixture_trigger(ctx, 0, -3ULL, -7ULL, -5ULL, 1);
	pfm_fixture_load(ctx);
	pfm_fixture_start(ctx);
	pfm_fixture_faults(ctx, 3);
	KUNIT_EXPECT_EQ(test, pfm_fixture_restart(ctx), 0);
	KUNIT_EXPECT_EQ(test, pfm_fixture_read(ctx, 0), -7ULL);
	KUNIT_EXPECT_EQ(test, ctx->set->runs, 2ULL);
	KUNIT_EXPECT_EQ(test, pfm_set_reset(ctx->set, pfm_fixture_sw(0))->thres_left, 1ULL);
}

/* A time-out that was over when monitoring got masked. */
static void pfm_setswitch_test_due(struct kunit *test)
{
	struct pfm_context *ctx = test->priv;

	KUNIT_ASSERT_EQ(test, pfm_fixture_set(ctx, 0, PFM_SETFL_TIME_SWITCH), 0);
	KUNIT_ASSERT_EQ(test, pfm_fixture_set(ctx, 1, 0), 0);
	pfm_fixture_pmc(ctx, 0, PFM_SW_MINOR_FAULTS, NOTIFY, 0);
	pfm_fixture_pmd(ctx, 0, -1ULL, -7ULL, -5ULL);
	pfm_fixture_load(ctx);
	pfm_fixture_start(ctx);
	KUNIT_EXPECT_EQ(test, ctx->set->left, (u64)NSEC_PER_SEC);
	KUNIT_EXPECT_FALSE(test, pfm_fixture_expired(ctx));
	pfm_fixture_faults(ctx, 1);
	KUNIT_EXPECT_EQ(test, (int)ctx->state, (int)PFM_MASKED);
	ctx->set->left = 0;
	KUNIT_EXPECT_EQ(test, pfm_fixture_restart(ctx), 0);
	KUNIT_EXPECT_EQ(test, (int)ctx->set->id, 1);
}

/*
 * Two sets that take turns count, together, what one counts: nothing is lost
 * in a switch, nothing counts twice.
 */
static void pfm_setswitch_test_conserves(struct kunit *test)
{
	struct pfm_context *ctx = test->priv;
	unsigned int i;
	u64 a, b;

	KUNIT_ASSERT_EQ(test, pfm_fixture_set(ctx, 0, OVFL), 0);
	KUNIT_ASSERT_EQ(test, pfm_fixture_set(ctx, 1, OVFL), 0);
	for (i = 0; i < 2; i++) {
		pfm_fixture_pmc(ctx, IN(i, 0), PFM_SW_MINOR_FAULTS, 0, 0);
		pfm_fixture_pmc(ctx, IN(i, 1), PFM_SW_MINOR_FAULTS, 0, 0);
		pfm_fixture_trigger(ctx, IN(i, 0), -7ULL, -3ULL - i, -3ULL - i, 1);
		pfm_fixture_pmd(ctx, IN(i, 1), 0, 0, 0);
	}
	pfm_fixture_load(ctx);
	pfm_fixture_start(ctx);
	for (i = 1; i <= 1000; i++) {
		pfm_fixture_faults(ctx, 1);
		a = pfm_fixture_read(ctx, IN(0, 1));
		b = pfm_fixture_read(ctx, IN(1, 1));
		KUNIT_ASSERT_EQ(test, a + b, (u64)i);
	}
	/* 7, 7, then 3 and 4 by turns. */
	KUNIT_EXPECT_EQ(test, a, 7ULL + 141 * 3);
	KUNIT_EXPECT_EQ(test, pfm_set_find(ctx, 0)->runs +
			pfm_set_find(ctx, 1)->runs, 284ULL);
}

/* Each turn has the whole time-out: only reset values are random (3.7.6). */
static void pfm_setswitch_test_timeout(struct kunit *test)
{
	struct pfm_context *ctx = test->priv;
	pfarg_pmd_t req = {
		.reg_num = PFM_SW_PMD0, .reg_value = -3ULL,
		.reg_short_reset = -30ULL, .reg_long_reset = -30ULL,
		.reg_random_mask = 0xfffffff, .reg_random_seed = 4711,
	};
	unsigned int i;

	for (i = 0; i < 2; i++) {
		KUNIT_ASSERT_EQ(test, pfm_fixture_set(ctx, i, PFM_SETFL_TIME_SWITCH), 0);
		pfm_fixture_pmc(ctx, IN(i, 0), PFM_SW_MINOR_FAULTS, PFM_REGFL_RANDOM, 0);
		req.reg_set = i;
		KUNIT_ASSERT_EQ(test, pfm_fixture_write_pmd(ctx, &req), 0);
	}
	pfm_fixture_load(ctx);
	pfm_fixture_start(ctx);
	for (i = 0; i < 20; i++) {
		KUNIT_EXPECT_EQ(test, (unsigned int)ctx->set->id, i % 2);
		KUNIT_EXPECT_EQ(test, ctx->set->left, (u64)NSEC_PER_SEC);
		pfm_fixture_faults(ctx, 3);
		KUNIT_EXPECT_EQ(test, pfm_fixture_start_set(ctx, !(i % 2)), 0);
	}
}

static int pfm_setswitch_test_idle_comes(struct pfm_context *ctx, void *arg)
{
	pfm_runstate_next(ctx, arg ? PFM_SETFL_EXCL_IDLE : 0, local_clock());
	return 0;
}

/* What happens while the idle thread is excluded uses up no threshold (3.7.6). */
static void pfm_setswitch_test_idle(struct kunit *test)
{
	struct pfm_context *ctx = test->priv;
	struct pfm_set *set;

	pfm_setswitch_test_two(test, 0, 2);
	set = ctx->set;
	set->flags |= PFM_SETFL_EXCL_IDLE;
	pfm_fixture_faults(ctx, 2);
	pfm_reach_call(ctx, pfm_setswitch_test_idle_comes, ctx);
	pfm_fixture_faults(ctx, 20);
	KUNIT_EXPECT_PTR_EQ(test, ctx->set, set);
	KUNIT_EXPECT_EQ(test, pfm_set_reset(set, pfm_fixture_sw(0))->thres_left, 2ULL);
	pfm_reach_call(ctx, pfm_setswitch_test_idle_comes, NULL);
	KUNIT_EXPECT_EQ(test, pfm_fixture_read(ctx, IN(0, 0)), -1ULL);
	pfm_fixture_faults(ctx, 1);
	KUNIT_EXPECT_EQ(test, pfm_set_reset(set, pfm_fixture_sw(0))->thres_left, 1ULL);
	pfm_fixture_faults(ctx, 5);
	KUNIT_EXPECT_EQ(test, (int)ctx->set->id, 1);
}

static struct kunit_case pfm_setswitch_cases[] = {
	KUNIT_CASE(pfm_setswitch_test_cascade),
	KUNIT_CASE(pfm_setswitch_test_threshold),
	KUNIT_CASE(pfm_setswitch_test_notify),
	KUNIT_CASE(pfm_setswitch_test_itself),
	KUNIT_CASE(pfm_setswitch_test_due),
	KUNIT_CASE(pfm_setswitch_test_conserves),
	KUNIT_CASE(pfm_setswitch_test_timeout),
	KUNIT_CASE(pfm_setswitch_test_idle),
	{}
};

static struct kunit_suite pfm_setswitch_suite = {
	.name = "perfmon-setswitch",
	.init = pfm_fixture_init,
	.exit = pfm_fixture_exit,
	.test_cases = pfm_setswitch_cases,
};
kunit_test_suite(pfm_setswitch_suite);
