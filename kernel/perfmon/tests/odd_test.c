// SPDX-License-Identifier: GPL-2.0-only
/*
 * A PMU with everything that is rare, by odd.h: what the core does with it.
 */
#include "odd.h"

static const struct pfm_pmu odd_pmu = ODD_PMU("odd", 0, BIT_ULL(32));
static const struct pfm_pmu odd_open = ODD_PMU("open", PFM_PMU_USER_READ, 1000);
static const struct pfm_pmu odd_seen =
	ODD_PMU("seen", PFM_PMU_USER_READ | PFM_PMU_USER_COUNTS, 1000);

static int odd_init(struct kunit *test)
{
	return odd_init_with(test, &odd_pmu);
}

/* Each counter has its own width, and looks are frequent enough for the narrowest. */
static void odd_test_widths(struct kunit *test)
{
	struct pfm_context *ctx = test->priv;
	const u64 half = BIT_ULL(30);
	unsigned int i;

	odd_pmc(test, ctx, 0, ODD_WIDE, 1, 0);
	odd_pmc(test, ctx, 0, ODD_LEVEL, 1, 0);
	pfm_fixture_load_hw(test, ctx);
	pfm_fixture_in(ctx);
	for (i = 0; i < 10; i++) {
		odd_count(half);
		pfm_fixture_value(ctx, 0, ODD_LEVEL);
	}
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, ODD_LEVEL), 10 * half);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, ODD_WIDE), 10 * half);
	/* 2^30 events at 2^32 in a second. */
	KUNIT_EXPECT_EQ(test, odd_poll, NSEC_PER_SEC / 4);
}

/* A counter that is left with its condition true does not interrupt for ever. */
static void odd_test_level(struct kunit *test)
{
	struct pfm_context *ctx = test->priv;

	odd_pmc(test, ctx, 0, ODD_LEVEL, 1, 0);
	pfm_fixture_load_hw(test, ctx);
	pfm_fixture_in(ctx);
	odd_count(ODD_NEGATIVE - BIT_ULL(28) - 10);
	KUNIT_EXPECT_FALSE(test, odd.interrupt);
	/* As the timer would have it. */
	pfm_fixture_value(ctx, 0, ODD_LEVEL);
	odd_count(20);
	KUNIT_EXPECT_TRUE(test, odd.interrupt);
	odd_interrupt();
	odd_count(5);
	KUNIT_EXPECT_FALSE(test, odd.interrupt);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, ODD_LEVEL),
			ODD_NEGATIVE - BIT_ULL(28) + 15);
	/* Before it runs, and after its wrap: see pfm_pmu_low(). */
	KUNIT_EXPECT_EQ(test, odd.writes[ODD_LEVEL], 2U);
}

/* A period ends at the event that makes the counter negative. */
static void odd_test_period(struct kunit *test)
{
	struct pfm_context *ctx = test->priv;
	unsigned int i, n = 0;

	odd_pmc(test, ctx, 0, ODD_LEVEL, 1, 0);
	odd_pmd(test, ctx, ODD_LEVEL, -100ULL, -100ULL);
	pfm_fixture_load_hw(test, ctx);
	pfm_fixture_in(ctx);
	for (i = 0; i < 1050; i++) {
		odd_count(1);
		if (odd.interrupt) {
			odd_interrupt();
			n++;
		}
	}
	KUNIT_EXPECT_EQ(test, n, 10U);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, ODD_LEVEL), -50ULL);
}

/* Registers that do not count follow their set and their thread. */
static void odd_test_held(struct kunit *test)
{
	struct pfm_context *ctx = test->priv, *other = pfm_fixture_context(test, 1);

	odd_pmc(test, ctx, 0, ODD_CAPTURE, 1, 0);
	odd_pmd(test, ctx, ODD_BUFFER, 0x100, 0);
	pfm_fixture_load_hw(test, ctx);
	odd_pmc(test, other, 0, ODD_CAPTURE, 1, 0);
	pfm_fixture_load_hw(test, other);

	pfm_fixture_in(ctx);
	odd_count(1);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, ODD_BUFFER), 0x103ULL);
	KUNIT_EXPECT_NE(test, odd.running, 0ULL);
	odd_count(1);
	pfm_fixture_out(ctx);
	/* What another thread left is not seen, and nor is what this one leaves. */
	pfm_fixture_in(other);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(other, 0, ODD_BUFFER), 1ULL);
	odd_count(0x40);
	pfm_fixture_out(other);
	pfm_fixture_in(ctx);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, ODD_BUFFER), 0x105ULL);
	odd_count(1);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, ODD_BUFFER), 0x107ULL);
	pfm_fixture_out(ctx);
	/* No other context was here since: it is as it was. */
	odd.writes[ODD_BUFFER] = 0;
	pfm_fixture_in(ctx);
	pfm_fixture_out(ctx);
	KUNIT_EXPECT_EQ(test, odd.writes[ODD_BUFFER], 0U);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, ODD_BUFFER), 0x107ULL);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(other, 0, ODD_BUFFER), 0x81ULL);
	KUNIT_EXPECT_EQ(test, odd.torn, 0U);
	pfm_fixture_free(other);
}

/* A record is of one stay on a CPU; what was last read of it is kept. */
static void odd_test_cleared(struct kunit *test)
{
	struct pfm_context *ctx = test->priv, *other = pfm_fixture_context(test, 1);

	odd_pmc(test, ctx, 0, ODD_CAPTURE, 1, 0);
	pfm_fixture_load_hw(test, ctx);
	odd_pmc(test, other, 0, ODD_CAPTURE, 1, 0);
	pfm_fixture_load_hw(test, other);

	odd.reg[ODD_RECORD] = 0x4711;
	pfm_fixture_in(ctx);
	odd_count(5);
	pfm_fixture_out(ctx);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, ODD_RECORD), 5ULL);
	/* No other was here since: the record goes on. */
	pfm_fixture_in(ctx);
	odd_count(2);
	pfm_fixture_out(ctx);
	pfm_fixture_in(other);
	odd_count(1);
	pfm_fixture_out(other);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, ODD_RECORD), 7ULL);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(other, 0, ODD_RECORD), 1ULL);
	/* It begins anew, where what can be restored is restored. */
	pfm_fixture_in(ctx);
	KUNIT_EXPECT_EQ(test, odd.reg[ODD_RECORD], 0ULL);
	KUNIT_EXPECT_EQ(test, odd.reg[ODD_BUFFER], 15ULL);
	odd_count(3);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, ODD_RECORD), 3ULL);
	pfm_fixture_free(other);
	pfm_fixture_free(ctx);
	test->priv = NULL;
	KUNIT_EXPECT_EQ(test, odd.reg[ODD_RECORD], 0ULL);
	KUNIT_EXPECT_EQ(test, odd.held, 0U);
}

/* A record is of one attachment, too: nobody else was on the CPU in between. */
static void odd_test_attached_again(struct kunit *test)
{
	struct pfm_context *ctx = test->priv, *other = pfm_fixture_context(test, 1);

	/* The PMU stays in use, or all of it would be reset. */
	odd_pmc(test, other, 0, ODD_CAPTURE, 1, 0);
	pfm_fixture_load_hw(test, other);
	odd_pmc(test, ctx, 0, ODD_CAPTURE, 1, 0);
	pfm_fixture_load_hw(test, ctx);
	pfm_fixture_in(ctx);
	odd_count(5);
	pfm_fixture_stop(ctx);
	pfm_fixture_out(ctx);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, ODD_RECORD), 5ULL);

	pfm_fixture_load(ctx);
	pfm_fixture_start(ctx);
	pfm_fixture_in(ctx);
	odd_count(3);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, ODD_RECORD), 3ULL);
	pfm_fixture_free(other);
}

/* They are reset with the counter that says so, as far as they can be written. */
static void odd_test_reset(struct kunit *test)
{
	struct pfm_context *ctx = test->priv;

	odd_pmc(test, ctx, 0, ODD_LEVEL, 1, PFM_REGFL_OVFL_NOTIFY);
	odd_pmc(test, ctx, 0, ODD_CAPTURE, 1, 0);
	odd_pmd(test, ctx, ODD_LEVEL, -10ULL, -10ULL);
	odd_pmd(test, ctx, ODD_BUFFER, 0, 0x41);
	pfm_fixture_load_hw(test, ctx);
	pfm_fixture_in(ctx);
	odd_count(10);
	odd_interrupt();
	KUNIT_EXPECT_EQ(test, (int)ctx->state, (int)PFM_MASKED);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, ODD_BUFFER), 21ULL);
	KUNIT_EXPECT_EQ(test, pfm_fixture_restart(ctx), 0);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, ODD_BUFFER), 0x41ULL);
	odd_count(1);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, ODD_BUFFER), 0x43ULL);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, ODD_STATUS), 2ULL);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, ODD_RECORD), 1ULL);
}

/* One that cannot be written keeps what it has, whoever wants it reset. */
static void odd_test_read_only(struct kunit *test)
{
	struct pfm_context *ctx = test->priv;
	pfarg_pmd_t req = { .reg_num = ODD_STATUS };

	odd_pmc(test, ctx, 0, ODD_LEVEL, 1, PFM_REGFL_OVFL_NOTIFY);
	odd_pmc(test, ctx, 0, ODD_CAPTURE, 1, 0);
	odd_pmd(test, ctx, ODD_LEVEL, -10ULL, -10ULL);
	odd_pmd(test, ctx, ODD_BUFFER, 0, 0x41);
	KUNIT_EXPECT_EQ(test, pfm_fixture_write_pmd(ctx, &req), -EINVAL);
	pfm_fixture_load_hw(test, ctx);
	pfm_fixture_in(ctx);
	odd_count(10);
	odd_interrupt();
	/* Stopped, what memory has is what can be read. */
	pfm_fixture_stop(ctx);
	KUNIT_EXPECT_EQ(test, pfm_fixture_restart(ctx), 0);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, ODD_BUFFER), 0x41ULL);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, ODD_STATUS), 1ULL);
}

/* Bits that the hardware does not have are 0, whatever it says there. */
static void odd_test_narrow(struct kunit *test)
{
	struct pfm_context *ctx = test->priv;

	odd_pmc(test, ctx, 0, ODD_CAPTURE, 1, 0);
	pfm_fixture_load_hw(test, ctx);
	pfm_fixture_in(ctx);
	odd.reg[ODD_STATUS] = ~0x11ULL;
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, ODD_STATUS),
			GENMASK_ULL(39, 0) & ~0x11ULL);
	pfm_fixture_out(ctx);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, ODD_STATUS),
			GENMASK_ULL(39, 0) & ~0x11ULL);
}

/* A register that does not count has neither a threshold nor random values. */
static void odd_test_no_counter(struct kunit *test)
{
	struct pfm_context *ctx = test->priv;
	pfarg_pmd_t req = {
		.reg_num = ODD_BUFFER, .reg_long_reset = 0x41,
		.reg_short_reset = 0x81, .reg_ovflsw_thres = 1,
		.reg_random_mask = ~0ULL, .reg_random_seed = 4711,
	};
	unsigned int i;

	pfm_fixture_set(ctx, 0, PFM_SETFL_OVFL_SWITCH);
	pfm_fixture_set(ctx, 1, 0);
	odd_pmc(test, ctx, 0, ODD_LEVEL, 1, PFM_REGFL_OVFL_NOTIFY);
	odd_pmd(test, ctx, ODD_LEVEL, -10ULL, -10ULL);
	odd_pmc(test, ctx, 0, ODD_CAPTURE, 1, PFM_REGFL_RANDOM);
	KUNIT_ASSERT_EQ(test, pfm_fixture_write_pmd(ctx, &req), 0);
	KUNIT_EXPECT_EQ(test, ctx->set->triggers, 0ULL);
	KUNIT_EXPECT_EQ(test, pfm_fixture_read_pmd(ctx, &req), 0);
	KUNIT_EXPECT_EQ(test, req.reg_ovflsw_thres, 0ULL);
	pfm_fixture_load_hw(test, ctx);
	pfm_fixture_in(ctx);
	for (i = 0; i < 5; i++) {
		odd_count(10);
		odd_interrupt();
		KUNIT_EXPECT_EQ(test, pfm_fixture_restart(ctx), 0);
		KUNIT_EXPECT_EQ(test, (int)ctx->set->id, 0);
		KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, ODD_BUFFER), 0x41ULL);
	}
}

/* A set that does not use them leaves what another set has. */
static void odd_test_sets(struct kunit *test)
{
	struct pfm_context *ctx = test->priv;

	pfm_fixture_set(ctx, 1, 0);
	odd_pmc(test, ctx, 0, ODD_CAPTURE, 1, 0);
	odd_pmc(test, ctx, 1, ODD_WIDE, 1, 0);
	pfm_fixture_load_hw(test, ctx);
	pfm_fixture_in(ctx);
	odd_count(2);
	KUNIT_EXPECT_EQ(test, pfm_fixture_start_set(ctx, 1), 0);
	odd_count(3);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 1, ODD_WIDE), 3ULL);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 1, ODD_BUFFER), 1ULL);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, ODD_BUFFER), 5ULL);
	KUNIT_EXPECT_EQ(test, pfm_fixture_start_set(ctx, 0), 0);
	odd_count(1);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, ODD_BUFFER), 7ULL);
}

static struct kunit_case odd_cases[] = {
	KUNIT_CASE(odd_test_widths),
	KUNIT_CASE(odd_test_level),
	KUNIT_CASE(odd_test_period),
	KUNIT_CASE(odd_test_held),
	KUNIT_CASE(odd_test_cleared),
	KUNIT_CASE(odd_test_attached_again),
	KUNIT_CASE(odd_test_reset),
	KUNIT_CASE(odd_test_read_only),
	KUNIT_CASE(odd_test_narrow),
	KUNIT_CASE(odd_test_no_counter),
	KUNIT_CASE(odd_test_sets),
	{}
};

static struct kunit_suite odd_suite = {
	.name = "perfmon-odd",
	.init = odd_init,
	.exit = odd_exit,
	.test_cases = odd_cases,
};

static int open_init(struct kunit *test)
{
	return odd_init_with(test, &odd_open);
}

/* Where programs can read them, a thread finds nothing in another's registers. */
static void open_test_wiped(struct kunit *test)
{
	struct pfm_context *ctx = test->priv;

	odd_pmc(test, ctx, 0, ODD_WIDE, 1, 0);
	odd_pmc(test, ctx, 0, ODD_CAPTURE, 1, 0);
	pfm_fixture_load_hw(test, ctx);
	pfm_fixture_in(ctx);
	odd_count(100);
	pfm_fixture_out(ctx);
	KUNIT_EXPECT_EQ(test, odd.reg[ODD_WIDE], BIT_ULL(28));
	KUNIT_EXPECT_EQ(test, odd.reg[ODD_BUFFER], 0ULL);
	KUNIT_EXPECT_EQ(test, odd.reg[ODD_RECORD], 0ULL);
	pfm_fixture_in(ctx);
	odd_count(10);
	pfm_fixture_out(ctx);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, ODD_WIDE), 110ULL);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, ODD_BUFFER), 221ULL);
	/* One that comes and counts nothing has nothing to leave. */
	odd.writes[ODD_WIDE] = 0;
	KUNIT_EXPECT_EQ(test, this_cpu_read(pfm_cpu.lane[PFM_LANE_THREAD].dirty), 0ULL);
	/* Slow counters are looked at once a second. */
	KUNIT_EXPECT_EQ(test, odd_poll, (u64)NSEC_PER_SEC);
}

/* A thread that is monitored in software leaves the CPU's counters alone. */
static void open_test_beside(struct kunit *test)
{
	struct pfm_context *ctx = pfm_fixture_new(PFM_FL_SYSTEM_WIDE, NULL);
	struct pfm_context *thread = test->priv;

	KUNIT_ASSERT_FALSE(test, IS_ERR(ctx));
	KUNIT_ASSERT_EQ(test, pfm_session_get(true), 0);
	mutex_lock_nested(&ctx->mutex, 1);
	odd_pmc(test, ctx, 0, ODD_WIDE, 1, 0);
	pfm_fixture_load_hw(test, ctx);
	ctx->task = NULL;
	pfm_fixture_in(ctx);
	odd_count(100);

	pfm_fixture_pmc(thread, 0, PFM_SW_MINOR_FAULTS, 0, 0);
	pfm_fixture_load(thread);
	pfm_fixture_start(thread);
	pfm_fixture_in(thread);
	KUNIT_EXPECT_PTR_EQ(test, this_cpu_read(pfm_cpu.live), thread);
	odd_count(10);
	pfm_fixture_out(thread);
	KUNIT_EXPECT_NULL(test, this_cpu_read(pfm_cpu.live));
	KUNIT_EXPECT_EQ(test, odd.reg[ODD_WIDE], BIT_ULL(28) + 110);
	odd_count(1);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, ODD_WIDE), 111ULL);
	/* While the CPU's context has the hardware, the thread's cannot. */
	KUNIT_EXPECT_EQ(test, pfm_reserve_hold(thread, PFM_HOLD_PMU, pfm_fixture_none), -EBUSY);
	pfm_fixture_free(ctx);
	KUNIT_EXPECT_EQ(test, pfm_reserve_hold(thread, PFM_HOLD_PMU, pfm_fixture_none), 0);
	thread->state = PFM_UNLOADED;
	pfm_reserve_yield(thread);
	pfm_session_close(true);
	pfm_session_unhook(true);
}

static struct kunit_case open_cases[] = {
	KUNIT_CASE(open_test_wiped),
	KUNIT_CASE(open_test_beside),
	{}
};

static struct kunit_suite open_suite = {
	.name = "perfmon-odd-open",
	.init = open_init,
	.exit = odd_exit,
	.test_cases = open_cases,
};

static int seen_init(struct kunit *test)
{
	return odd_init_with(test, &odd_seen);
}

/* A program that reads a counter by itself finds what it has counted, as far as that fits. */
static void seen_test_counts(struct kunit *test)
{
	struct pfm_context *ctx = test->priv;

	odd_pmc(test, ctx, 0, ODD_WIDE, 1, 0);
	odd.reg[ODD_WIDE] = 4711;
	pfm_fixture_load_hw(test, ctx);
	pfm_fixture_in(ctx);
	KUNIT_EXPECT_EQ(test, odd.reg[ODD_WIDE], 0ULL);
	odd_count(100);
	pfm_fixture_out(ctx);
	KUNIT_EXPECT_EQ(test, odd.reg[ODD_WIDE], 0ULL);
	pfm_fixture_in(ctx);
	KUNIT_EXPECT_EQ(test, odd.reg[ODD_WIDE], 100ULL);
	odd_count(10);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, ODD_WIDE), 110ULL);
	KUNIT_EXPECT_EQ(test, odd.reg[ODD_WIDE], 110ULL);

	odd_pmd(test, ctx, ODD_WIDE, BIT_ULL(50) + 16, 0);
	KUNIT_EXPECT_EQ(test, odd.reg[ODD_WIDE], 16ULL);
	odd_count(1);
	odd_pmd(test, ctx, ODD_WIDE, 0, 0);
	KUNIT_EXPECT_EQ(test, odd.reg[ODD_WIDE], 0ULL);
	odd_count(5);
	/* One that holds it is not written. */
	odd.writes[ODD_WIDE] = 0;
	pfm_fixture_stop(ctx);
	pfm_fixture_start(ctx);
	odd_pmd(test, ctx, ODD_WIDE, BIT_ULL(48) + 5, 0);
	odd_count(GENMASK_ULL(47, 0));
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, ODD_WIDE), BIT_ULL(49) + 4);
	KUNIT_EXPECT_EQ(test, odd.reg[ODD_WIDE], 4ULL);
	KUNIT_EXPECT_EQ(test, odd.writes[ODD_WIDE], 0U);
}

/* Periods end at their events, those that are longer than the counter is wide, too. */
static void seen_test_periods(struct kunit *test)
{
	struct pfm_context *ctx = test->priv;
	const u64 long_one = BIT_ULL(31) + 100;
	unsigned int i, n = 0;

	odd_pmc(test, ctx, 0, ODD_LEVEL, 1, 0);
	odd_pmd(test, ctx, ODD_LEVEL, -long_one, -100ULL);
	pfm_fixture_load_hw(test, ctx);
	pfm_fixture_in(ctx);
	odd_count(100);
	KUNIT_EXPECT_TRUE(test, odd.interrupt);
	odd_interrupt();
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, ODD_LEVEL), -BIT_ULL(31));
	odd_count(BIT_ULL(31) - 1);
	KUNIT_EXPECT_FALSE(test, odd.interrupt);
	/* As the timer would have it, which never is as late as that. */
	pfm_fixture_value(ctx, 0, ODD_LEVEL);
	odd_count(1);
	KUNIT_EXPECT_TRUE(test, odd.interrupt);
	odd_interrupt();
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, ODD_LEVEL), -100ULL);
	for (i = 0; i < 1050; i++) {
		odd_count(1);
		if (odd.interrupt) {
			odd_interrupt();
			n++;
		}
		if (i % 37 == 0) {
			pfm_fixture_out(ctx);
			pfm_fixture_in(ctx);
		}
	}
	KUNIT_EXPECT_EQ(test, n, 10U);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, ODD_LEVEL), -50ULL);
}

static struct kunit_case seen_cases[] = {
	KUNIT_CASE(seen_test_counts),
	KUNIT_CASE(seen_test_periods),
	{}
};

static struct kunit_suite seen_suite = {
	.name = "perfmon-odd-seen",
	.init = seen_init,
	.exit = odd_exit,
	.test_cases = seen_cases,
};

kunit_test_suites(&odd_suite, &open_suite, &seen_suite);
