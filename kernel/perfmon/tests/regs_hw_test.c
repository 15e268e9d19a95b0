// SPDX-License-Identifier: GPL-2.0-only
/*
 * regs.c, on a PMU in memory: the flags that only the hardware's counters know, reading
 * and resetting in one step, and values that are refused.
 */
#include "fake.h"

static int regs_hw_init(struct kunit *test)
{
	return pfm_fake_init(test, &pfm_fake_pmu);
}

/* As wide as in hardware: it wraps there, and that is no overflow (6.2.1). */
static void regs_hw_test_raw(struct kunit *test)
{
	const u32 raw = PFM_REGFL_NO_64BIT_EMUL;
	unsigned long before = pfm_fake_stat(PFM_STAT_OVERFLOWS);
	struct pfm_context *ctx = test->priv;

	KUNIT_EXPECT_EQ(test, pfm_fake_pmc(ctx, 0, 0, 1, raw | PFM_REGFL_OVFL_NOTIFY),
			-EINVAL);
	KUNIT_EXPECT_EQ(test, pfm_fake_pmc(ctx, 0, 0, 1, raw | PFM_REGFL_RANDOM), -EINVAL);
	/* In whichever order the two registers are written. */
	pfm_fake_pmd(ctx, 0, 0, -10ULL, 77);
	KUNIT_EXPECT_EQ(test, pfm_fake_pmc(ctx, 0, 0, 1, raw), 0);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, 0), FAKE_MAX - 9);
	KUNIT_EXPECT_EQ(test, pfm_fake_pmc(ctx, 0, 1, 1, raw), 0);
	pfm_fake_pmd(ctx, 0, 1, -20ULL, 77);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, 1), FAKE_MAX - 19);
	pfm_fake_pmc(ctx, 0, 2, 1, 0);
	pfm_fake_pmd(ctx, 0, 2, -20ULL, 77);
	pfm_fake.ctr[0] = FAKE_MAX - 4;
	pfm_fixture_load_hw(test, ctx);
	pfm_fixture_in(ctx);
	pfm_fake_happen(15);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, 0), 5ULL);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, 1), FAKE_MAX - 4);
	/* They start where all free counters do, and are not written for the ends of periods. */
	KUNIT_EXPECT_EQ(test, pfm_fake.ctr[0], BIT_ULL(28) + 10);
	KUNIT_EXPECT_EQ(test, pfm_fake.ctr[1], BIT_ULL(28) + 15);
	KUNIT_EXPECT_EQ(test, pfm_fake_stat(PFM_STAT_OVERFLOWS) - before, 0UL);
	/* The one beside them has 64 bits, and a period. */
	pfm_fake_happen(15);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, 1), 10ULL);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, 2), 87ULL);
	KUNIT_EXPECT_EQ(test, pfm_fake_stat(PFM_STAT_OVERFLOWS) - before, 1UL);
	KUNIT_EXPECT_EQ(test, pfm_fake_messages(ctx), 0U);

	/* Without the flag it goes on from there, with 64. */
	pfm_fake_pmd(ctx, 0, 0, FAKE_MAX, 0);
	pfm_fake_pmc(ctx, 0, 0, 1, 0);
	pfm_fake_happen(1);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, 0), FAKE_MAX + 1);
}

static int regs_hw_read_reset(struct pfm_context *ctx, u16 set, u16 n, u64 *value)
{
	pfarg_pmd_t req = {
		.reg_num = n, .reg_set = set, .reg_flags = PFM_REGFL_READ_RESET,
	};
	int ret = pfm_fixture_read_pmd(ctx, &req);

	*value = req.reg_value;
	/* The flag stays, for the next read of the same vector. */
	return ret ?: req.reg_flags == PFM_REGFL_READ_RESET ? 0 : -EIO;
}

/* Reading and resetting is one step: no event is between the two (6.2.2). */
static void regs_hw_test_read_reset(struct kunit *test)
{
	struct pfm_context *ctx = test->priv;
	pfarg_pmc_t with = {
		.reg_num = 0, .reg_value = 1, .reg_reset_pmds[0] = BIT(1),
	};
	u64 sum = 0, value, n;

	KUNIT_ASSERT_EQ(test, pfm_fixture_write_pmc(ctx, &with), 0);
	ctx->uses |= PFM_HOLD_PMU;
	for (n = 1; n < 4; n++)
		pfm_fake_pmc(ctx, 0, n, 1, 0);
	for (n = 0; n < 4; n++)
		pfm_fake_pmd(ctx, 0, n, 0, 1000 * n);
	pfm_fixture_load_hw(test, ctx);
	pfm_fixture_in(ctx);
	for (n = 0; n < 10; n++) {
		pfm_fake_count(5);
		pfm_fake.busy = true;
		KUNIT_ASSERT_EQ(test, regs_hw_read_reset(ctx, 0, 0, &value), 0);
		pfm_fake.busy = false;
		sum += value;
		/* Its own reset value, and that of the counter that goes with it. */
		KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, 0), 0ULL);
		KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, 1), 1000ULL);
	}
	/* The third one has seen all of it, and was not reset. */
	KUNIT_EXPECT_LE(test, 50ULL, sum);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, 2), sum);
	KUNIT_ASSERT_EQ(test, regs_hw_read_reset(ctx, 0, 2, &value), 0);
	KUNIT_EXPECT_EQ(test, value, sum);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, 2), 2000ULL);
	KUNIT_EXPECT_EQ(test, pfm_set_reset(ctx->set, 2)->last_reset, 2000ULL);
	KUNIT_EXPECT_EQ(test, pfm_fake_messages(ctx), 0U);
}

/* A period begins anew with the reset. */
static void regs_hw_test_read_reset_period(struct kunit *test)
{
	struct pfm_context *ctx = test->priv;
	u64 value;

	pfm_fake_pmc(ctx, 0, 0, 1, PFM_REGFL_OVFL_NOTIFY);
	pfm_fake_pmd(ctx, 0, 0, -10ULL, -20ULL);
	pfm_fixture_load_hw(test, ctx);
	pfm_fixture_in(ctx);
	pfm_fake_happen(9);
	KUNIT_ASSERT_EQ(test, regs_hw_read_reset(ctx, 0, 0, &value), 0);
	KUNIT_EXPECT_EQ(test, value, -1ULL);
	pfm_fake_happen(19);
	KUNIT_EXPECT_EQ(test, pfm_fake_messages(ctx), 0U);
	pfm_fake_happen(1);
	KUNIT_EXPECT_EQ(test, pfm_fake_messages(ctx), 1U);
	/* Masked: PFM_RESTART resets it again. */
	KUNIT_ASSERT_EQ(test, regs_hw_read_reset(ctx, 0, 0, &value), 0);
	KUNIT_EXPECT_EQ(test, value, 0ULL);
	KUNIT_EXPECT_EQ(test, (int)ctx->state, (int)PFM_MASKED);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, 0), -20ULL);
	KUNIT_EXPECT_EQ(test, pfm_fixture_restart(ctx), 0);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, 0), -20ULL);
}

/* What only an overflow looks at is ignored where none can be (3.1.2). */
static void regs_hw_test_no_counter(struct kunit *test)
{
	const u32 flags = PFM_REGFL_OVFL_NOTIFY | PFM_REGFL_RANDOM;
	pfarg_pmc_t req = {
		.reg_num = FAKE_FILTER, .reg_value = 0x123, .reg_flags = flags,
		.reg_smpl_eventid = 77, .reg_smpl_pmds[0] = ~0ULL,
		.reg_reset_pmds[1] = ~0ULL,
	};
	struct pfm_context *ctx = test->priv;
	unsigned int i = pfm_pmu_find_pmc(FAKE_FILTER);
	struct pfm_pmc *c = &ctx->set->pmcs[i];

	KUNIT_ASSERT_EQ(test, pfm_fixture_write_pmc(ctx, &req), 0);
	KUNIT_EXPECT_EQ(test, req.reg_flags, flags);
	KUNIT_EXPECT_EQ(test, ctx->set->values[i], 0x123ULL);
	KUNIT_EXPECT_EQ(test, c->smpl_pmds | c->reset_pmds | c->eventid, 0ULL);
	KUNIT_EXPECT_EQ(test, c->flags, 0U);
	/* Flags that are not defined are refused everywhere. */
	req.reg_flags = BIT(20);
	KUNIT_EXPECT_EQ(test, pfm_fixture_write_pmc(ctx, &req), -EINVAL);

	/* A control with a counter is looked at. */
	req.reg_num = 0;
	req.reg_flags = flags;
	KUNIT_EXPECT_EQ(test, pfm_fixture_write_pmc(ctx, &req), -EINVAL);
	memset(req.reg_reset_pmds, 0, sizeof(req.reg_reset_pmds));
	req.reg_smpl_pmds[0] = 3;
	KUNIT_EXPECT_EQ(test, pfm_fixture_write_pmc(ctx, &req), 0);
	KUNIT_EXPECT_EQ(test, ctx->set->pmcs[0].smpl_pmds, 3ULL);
	KUNIT_EXPECT_EQ(test, ctx->set->pmcs[0].eventid, 77ULL);
}

static void regs_hw_test_refused(struct kunit *test)
{
	struct pfm_context *ctx = test->priv;

	ctx->see_kernel = false;
	KUNIT_EXPECT_EQ(test, pfm_fake_pmc(ctx, 0, 0, 0x201, 0), -EPERM);
	KUNIT_EXPECT_EQ(test, ctx->set->hard, 0ULL);
	KUNIT_EXPECT_EQ(test, pfm_fake_pmc(ctx, 0, 0, 0x101, 0), 0);
	ctx->see_kernel = true;
	KUNIT_EXPECT_EQ(test, pfm_fake_pmc(ctx, 0, 0, 0x201, 0), 0);
	KUNIT_EXPECT_EQ(test, ctx->set->hard, 1ULL);
}

static struct kunit_case regs_hw_cases[] = {
	KUNIT_CASE(regs_hw_test_raw),
	KUNIT_CASE(regs_hw_test_read_reset),
	KUNIT_CASE(regs_hw_test_read_reset_period),
	KUNIT_CASE(regs_hw_test_no_counter),
	KUNIT_CASE(regs_hw_test_refused),
	{}
};

static struct kunit_suite regs_hw_suite = {
	.name = "perfmon-regs-hw",
	.init = regs_hw_init,
	.exit = pfm_fake_exit,
	.test_cases = regs_hw_cases,
};

kunit_test_suite(regs_hw_suite);
