// SPDX-License-Identifier: GPL-2.0-only
/*
 * hw.c, on a PMU in memory: counting beyond the registers' width, periods, sets and
 * threads that share counters, and what is written to registers, and what is not.
 *
 * Not here: the interrupt (interrupt_test.c), the commands (regs_hw_test.c).
 */
#include <linux/reboot.h>

#include "../hw.h"
#include "fake.h"

static int hw_init(struct kunit *test)
{
	return pfm_fake_init(test, &pfm_fake_pmu);
}

/* Whatever the register held before; and it is not written. */
static void hw_test_count(struct kunit *test)
{
	struct pfm_context *ctx = test->priv;

	pfm_fake.ctr[1] = BIT_ULL(30) + 12345;
	pfm_fake_pmc(ctx, 0, 1, 1, 0);
	pfm_fixture_load_hw(test, ctx);
	pfm_fixture_in(ctx);
	pfm_fake_count(100);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, 1), 100ULL);
	pfm_fake_count(1);
	pfm_fixture_out(ctx);
	pfm_fake_count(1000);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, 1), 101ULL);
	pfm_fixture_in(ctx);
	pfm_fake_count(10);
	pfm_fixture_stop(ctx);
	pfm_fake_count(1000);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, 1), 111ULL);
	pfm_fixture_start(ctx);
	pfm_fake_count(1);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, 1), 112ULL);
	KUNIT_EXPECT_EQ(test, pfm_fake.writes, 0U);
	KUNIT_EXPECT_EQ(test, pfm_fake.programs, 1U);
}

/* Beyond the width of the register, whatever notices it. */
static void hw_test_wrap(struct kunit *test)
{
	struct pfm_context *ctx = test->priv;
	unsigned long late = pfm_fake_stat(PFM_STAT_LATE);
	unsigned int i;

	pfm_fake.ctr[0] = FAKE_MAX - 5;
	pfm_fake_pmc(ctx, 0, 0, 1, 0);
	pfm_fixture_load_hw(test, ctx);
	pfm_fixture_in(ctx);
	pfm_fake_happen(4);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, 0), 4ULL);
	pfm_fake_happen(4);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, 0), 8ULL);
	/* The timer sees to a look, at least. */
	for (i = 0; i < 10; i++) {
		pfm_fake_count(FAKE_MAX);
		pfm_fake_interrupt();
		pfm_fake_count(1);
		pfm_fake_interrupt();
	}
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, 0), 8 + 10 * (FAKE_MAX + 1));
	KUNIT_EXPECT_NE(test, this_cpu_read(pfm_cpu.timer_at), 0ULL);
	KUNIT_EXPECT_EQ(test, pfm_fake_stat(PFM_STAT_LATE), late);
	KUNIT_EXPECT_EQ(test, pfm_fake_messages(ctx), 0U);
	/* The first wrap had it go on where a late look cannot miss a turn. */
	KUNIT_EXPECT_EQ(test, pfm_fake.writes, 1U);
}

/* A counter is looked at some events after its wrap, and never in between. */
static void hw_test_late_wrap(struct kunit *test)
{
	static const unsigned int late[] = { 0, 1, 2, 1, 100, 99, 1000000, 0, 1 };
	struct pfm_context *ctx = test->priv;
	unsigned int i;
	u64 sum = 0, step;

	pfm_fake_pmc(ctx, 0, 0, 1, 0);
	pfm_fixture_load_hw(test, ctx);
	pfm_fixture_in(ctx);
	for (i = 0; i < ARRAY_SIZE(late); i++) {
		step = FAKE_MAX + 1 - pfm_fake.ctr[0] + late[i];
		sum += step;
		pfm_fake_count(step);
		pfm_fake_interrupt();
	}
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, 0), sum);
	KUNIT_EXPECT_EQ(test, pfm_fake.writes, 1U + ARRAY_SIZE(late));

	/* The same for one that comes in after another one has left 0. */
	pfm_fixture_out(ctx);
	pfm_fake.ctr[0] = 0;
	pfm_hw_disown(BIT(PFM_LANE_THREAD));
	pfm_fixture_in(ctx);
	step = FAKE_MAX + 1 - pfm_fake.ctr[0] + 7;
	pfm_fake_count(step);
	pfm_fake_interrupt();
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, 0), sum + step);
}

/* N events, N/P periods; each costs one write. */
static void hw_test_period(struct kunit *test)
{
	struct pfm_context *ctx = test->priv;
	unsigned long before = pfm_fake_stat(PFM_STAT_OVERFLOWS);

	pfm_fake_pmc(ctx, 0, 0, 1, 0);
	pfm_fake_pmd(ctx, 0, 0, -7ULL, -7ULL);
	pfm_fixture_load_hw(test, ctx);
	pfm_fixture_in(ctx);
	pfm_fake_happen(7 * 100 + 3);
	KUNIT_EXPECT_TRUE(test, pfm_fake.frozen);
	KUNIT_EXPECT_EQ(test, pfm_fake_stat(PFM_STAT_OVERFLOWS) - before, 100UL);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, 0), -4ULL);
	KUNIT_EXPECT_EQ(test, pfm_fake.writes, 101U);
}

/* A period that cannot be written, nor even be counted, in one go. */
static void hw_test_long_period(struct kunit *test)
{
	static const u64 periods[] = { BIT_ULL(31), BIT_ULL(31) + 1, BIT_ULL(33) + 77,
				       BIT_ULL(40) - 1, BIT_ULL(40), BIT_ULL(40) + 1,
				       5ULL << 41 };
	struct pfm_context *ctx = test->priv;
	unsigned int i;
	u64 sum, step;

	pfm_fake_pmc(ctx, 0, 0, 1, PFM_REGFL_OVFL_NOTIFY);
	pfm_fixture_load_hw(test, ctx);
	pfm_fixture_in(ctx);
	for (i = 0; i < ARRAY_SIZE(periods); i++) {
		pfm_fake_pmd(ctx, 0, 0, -periods[i], -1ULL);
		for (sum = 0; !pfm_fake_messages(ctx) && sum < 8 * periods[i]; sum += step) {
			step = min(FAKE_MAX + 1 - pfm_fake.ctr[0], BIT_ULL(38));
			pfm_fake_count(step);
			if (pfm_fake.interrupt)
				pfm_fake_interrupt();
			else
				pfm_fixture_value(ctx, 0, 0);
		}
		KUNIT_EXPECT_EQ(test, sum, periods[i]);
		KUNIT_EXPECT_EQ(test, pfm_fixture_restart(ctx), 0);
	}
}

/* A control that one set leaves alone is not what another made of it. */
static void hw_test_left_alone(struct kunit *test)
{
	struct pfm_context *ctx = test->priv, *other = pfm_fixture_context(test, 1);

	pfm_fake_pmc(other, 0, 0, 1, 0);
	pfm_fake_pmc(other, 0, FAKE_FILTER, 0x123, 0);
	pfm_fixture_load_hw(test, other);
	pfm_fixture_in(other);
	KUNIT_EXPECT_EQ(test, pfm_fake.sel[FAKE_FILTER], 0x123ULL);
	pfm_fixture_out(other);

	pfm_fake_pmc(ctx, 0, 0, 1, 0);
	pfm_fixture_load_hw(test, ctx);
	pfm_fixture_in(ctx);
	KUNIT_EXPECT_EQ(test, pfm_fake.sel[FAKE_FILTER], 0ULL);
	pfm_fixture_free(other);
}

/* An overflow on the way out is the leaver's, not the next one's. */
static void hw_test_switched_out(struct kunit *test)
{
	struct pfm_context *ctx = test->priv, *next = pfm_fixture_context(test, 1);

	pfm_fake_pmc(ctx, 0, 0, 1, PFM_REGFL_OVFL_NOTIFY);
	pfm_fake_pmd(ctx, 0, 0, -10ULL, -10ULL);
	pfm_fixture_load_hw(test, ctx);
	pfm_fake_pmc(next, 0, 0, 1, PFM_REGFL_OVFL_NOTIFY);
	pfm_fake_pmd(next, 0, 0, -20ULL, -20ULL);
	pfm_fixture_load_hw(test, next);

	pfm_fixture_in(ctx);
	pfm_fake_count(10);
	pfm_fixture_out(ctx);
	pfm_fixture_in(next);
	KUNIT_EXPECT_TRUE(test, pfm_fake_interrupt());
	KUNIT_EXPECT_EQ(test, pfm_fake_messages(ctx), 1U);
	KUNIT_EXPECT_EQ(test, pfm_fake_messages(next), 0U);
	pfm_fake_happen(19);
	KUNIT_EXPECT_EQ(test, pfm_fake_messages(next), 0U);
	pfm_fake_happen(1);
	KUNIT_EXPECT_EQ(test, pfm_fake_messages(next), 1U);
	pfm_fixture_free(next);
}

/* Whoever stops the counters finds an overflow, which switches sets: the next one's stop, too. */
static void hw_test_switched_at_stop(struct kunit *test)
{
	struct pfm_context *ctx = test->priv;

	pfm_fixture_set(ctx, 0, PFM_SETFL_OVFL_SWITCH);
	pfm_fixture_set(ctx, 1, 0);
	pfm_fake_pmc(ctx, 0, 0, 1, 0);
	pfm_fake_pmd(ctx, 0, 0, -10ULL, -10ULL);
	pfm_fake_pmc(ctx, 1, 0, 2, 0);
	pfm_fixture_load_hw(test, ctx);
	pfm_fixture_in(ctx);
	pfm_fake_count(10);
	pfm_fixture_stop(ctx);
	KUNIT_EXPECT_EQ(test, ctx->set->id, 1U);
	KUNIT_EXPECT_EQ(test, pfm_fake.running, 0ULL);
	pfm_fake_count(5);
	pfm_fixture_start(ctx);
	pfm_fake_count(3);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 1, 0), 3ULL);
}

/* Counters that something has touched while they ran: what they say is nobody's count. */
static void hw_test_disowned_at_stop(struct kunit *test)
{
	struct pfm_context *ctx = test->priv;

	pfm_fake_pmc(ctx, 0, 0, 1, 0);
	pfm_fixture_load_hw(test, ctx);
	pfm_fixture_in(ctx);
	pfm_fake_count(3);
	pfm_fixture_out(ctx);
	pfm_fixture_in(ctx);
	pfm_fake.ctr[0] += 1000;
	pfm_hw_disown(BIT(PFM_LANE_THREAD));
	pfm_fixture_out(ctx);
	pfm_fixture_in(ctx);
	pfm_fake_count(4);
	pfm_fixture_out(ctx);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, 0), 7ULL);
}

/* The operations get the right thread and context, also after another attachment. */
static void hw_test_told(struct kunit *test)
{
	struct pfm_context *ctx = test->priv;

	pfm_fixture_set(ctx, 0, PFM_SETFL_OVFL_SWITCH);
	pfm_fake_pmc(ctx, 0, 0, 1, 0);
	pfm_fixture_load_hw(test, ctx);
	pfm_fixture_in(ctx);
	KUNIT_EXPECT_PTR_EQ(test, pfm_fake.task, current);
	KUNIT_EXPECT_EQ(test, pfm_fake.set_flags, PFM_SETFL_OVFL_SWITCH);
	pfm_fixture_out(ctx);
	pfm_fixture_load(ctx);
	ctx->task = NULL;
	pfm_fake.task = current;
	pfm_fixture_in(ctx);
	KUNIT_EXPECT_PTR_EQ(test, pfm_fake.task, NULL);
	KUNIT_EXPECT_EQ(test, pfm_fake.programs, 1U);
}

/* What has not changed is not written. */
static void hw_test_lazy(struct kunit *test)
{
	struct pfm_context *ctx = test->priv, *other = pfm_fixture_context(test, 1);
	unsigned int i;

	for (i = 0; i < 4; i++) {
		pfm_fake.ctr[i] = BIT_ULL(30);
		pfm_fake_pmc(ctx, 0, i, 1 + i, 0);
	}
	pfm_fixture_load_hw(test, ctx);
	pfm_fixture_in(ctx);
	pfm_fixture_out(ctx);
	KUNIT_EXPECT_EQ(test, pfm_fake.programs, 4U);
	KUNIT_EXPECT_EQ(test, pfm_fake.reads, 8U);	/* first, and on the way out */

	for (i = 0; i < 10; i++) {
		pfm_fixture_in(ctx);
		pfm_fake_count(1);
		pfm_fixture_out(ctx);
	}
	KUNIT_EXPECT_EQ(test, pfm_fake.programs, 4U);
	KUNIT_EXPECT_EQ(test, pfm_fake.reads, 8U + 40U);
	KUNIT_EXPECT_EQ(test, pfm_fake.starts, 11U);
	KUNIT_EXPECT_EQ(test, pfm_fake.stops, 11U);

	/* A context that differs in one control. */
	for (i = 0; i < 4; i++)
		pfm_fake_pmc(other, 0, i, i == 2 ? 9 : 1 + i, 0);
	pfm_fixture_load_hw(test, other);
	pfm_fixture_in(other);
	pfm_fake_count(5);
	pfm_fixture_out(other);
	KUNIT_EXPECT_EQ(test, pfm_fake.programs, 5U);
	KUNIT_EXPECT_EQ(test, pfm_fake.sel[2], 9ULL);
	pfm_fixture_in(ctx);
	KUNIT_EXPECT_EQ(test, pfm_fake.programs, 6U);
	KUNIT_EXPECT_EQ(test, pfm_fake.sel[2], 3ULL);
	pfm_fake_count(1);
	pfm_fixture_out(ctx);
	KUNIT_EXPECT_EQ(test, pfm_fake.writes, 0U);
	for (i = 0; i < 4; i++) {
		KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, i), 11ULL);
		KUNIT_EXPECT_EQ(test, pfm_fixture_value(other, 0, i), 5ULL);
	}
	pfm_fixture_free(other);
}

/* To this CPU, some events, and away. */
static void hw_visit(struct pfm_context *ctx, unsigned int events)
{
	pfm_fixture_in(ctx);
	pfm_fake_count(events);
	pfm_fixture_out(ctx);
}

/* From a thread to another one the counters are read once, unless something has touched them. */
static void hw_test_read_once(struct kunit *test)
{
	struct pfm_context *ctx = test->priv, *other = pfm_fixture_context(test, 1);
	unsigned int i, reads;
	unsigned long flags;

	for (i = 0; i < 4; i++) {
		pfm_fake.ctr[i] = BIT_ULL(30);
		pfm_fake_pmc(ctx, 0, i, 1 + i, 0);
		pfm_fake_pmc(other, 0, i, 1 + i, 0);
	}
	pfm_fixture_load_hw(test, ctx);
	pfm_fixture_load_hw(test, other);
	hw_visit(ctx, 3);
	reads = pfm_fake.reads;
	for (i = 0; i < 10; i++) {
		hw_visit(other, 5);
		hw_visit(ctx, 3);
	}
	KUNIT_EXPECT_EQ(test, pfm_fake.reads, reads + 2 * 10 * 4);

	/* Others have moved them. */
	pfm_fake.ctr[0] += 1000;
	pfm_hw_disown(BIT(PFM_LANE_THREAD));
	hw_visit(other, 5);

	/* What this one counts at the end nobody has read. */
	hw_visit(ctx, 3);
	pfm_fixture_in(other);
	pfm_fake_count(5);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(other, 0, 0), 60ULL);
	pfm_fake_count(700);
	raw_spin_lock_irqsave(&other->lock, flags);
	pfm_runstate_mask(other);
	raw_spin_unlock_irqrestore(&other->lock, flags);
	pfm_fixture_out(other);
	hw_visit(ctx, 3);
	other->state = PFM_LOADED;

	for (i = 0; i < 4; i++) {
		KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, i), 39ULL);
		KUNIT_EXPECT_EQ(test, pfm_fixture_value(other, 0, i), 60ULL);
	}
	pfm_fixture_free(other);
}

/* From a set to another one, too, though their controls differ. */
static void hw_test_read_once_sets(struct kunit *test)
{
	struct pfm_context *ctx = test->priv;
	unsigned int i, reads;

	pfm_fixture_set(ctx, 1, 0);
	for (i = 0; i < 4; i++) {
		pfm_fake.ctr[i] = BIT_ULL(30);
		pfm_fake_pmc(ctx, 0, i, 1 + i, 0);
		pfm_fake_pmc(ctx, 1, i, 9 + i, 0);
	}
	pfm_fixture_load_hw(test, ctx);
	pfm_fixture_in(ctx);
	reads = pfm_fake.reads;
	for (i = 0; i < 10; i++) {
		pfm_fake_count(3 + i % 2);
		pfm_fixture_start_set(ctx, !(i % 2));
	}
	if (pfm_regmap.hw->flags & PFM_PMU_UNSETTLED)
		KUNIT_EXPECT_EQ(test, pfm_fake.reads, reads + 2 * 10 * 4);
	else
		KUNIT_EXPECT_EQ(test, pfm_fake.reads, reads + 10 * 4);
	for (i = 0; i < 4; i++) {
		KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, i), 15ULL);
		KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 1, i), 20ULL);
	}
}

/* What takes a counter over has a period, or finds it about to wrap: then it is written. */
static void hw_test_take_over(struct kunit *test)
{
	struct pfm_context *ctx = test->priv, *other = pfm_fixture_context(test, 1);
	unsigned int round;

	pfm_fake.ctr[0] = BIT_ULL(30);
	pfm_fake.ctr[1] = BIT_ULL(30);
	pfm_fake_pmc(ctx, 0, 0, 1, 0);
	pfm_fake_pmc(ctx, 0, 1, 2, 0);
	pfm_fake_pmc(other, 0, 0, 1, PFM_REGFL_OVFL_NOTIFY);
	pfm_fake_pmc(other, 0, 1, 2, 0);
	pfm_fake_pmd(other, 0, 0, -100ULL, -100ULL);
	pfm_fixture_load_hw(test, ctx);
	pfm_fixture_load_hw(test, other);
	for (round = 0; round < 10; round++) {
		hw_visit(ctx, 1000);
		pfm_fixture_in(other);
		pfm_fake_happen(10);
		/* At the event, and not when the thread leaves. */
		KUNIT_EXPECT_EQ(test, pfm_fake_messages(other), round == 9 ? 1U : 0U);
		pfm_fixture_out(other);
	}
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(other, 0, 1), 100ULL);
	/* From the last one's wrap to this one's it would be a turn. */
	pfm_fixture_in(ctx);
	pfm_fake_count(FAKE_MAX + 1 - pfm_fake.ctr[1]);
	pfm_fixture_out(ctx);
	KUNIT_EXPECT_EQ(test, pfm_fake.ctr[1], 0ULL);
	KUNIT_EXPECT_EQ(test, pfm_fixture_restart(other), 0);
	pfm_fixture_in(other);
	KUNIT_EXPECT_LE(test, BIT_ULL(28), pfm_fake.ctr[1]);
	pfm_fake_count(10);
	pfm_fixture_out(other);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(other, 0, 1), 110ULL);
	pfm_fixture_free(other);
}

/* In the midst of a period another context uses the counter. */
static void hw_test_shared_period(struct kunit *test)
{
	struct pfm_context *ctx = test->priv, *other = pfm_fixture_context(test, 1);
	unsigned int i;

	pfm_fake_pmc(ctx, 0, 0, 1, PFM_REGFL_OVFL_NOTIFY);
	pfm_fake_pmd(ctx, 0, 0, -100ULL, -100ULL);
	pfm_fixture_load_hw(test, ctx);
	pfm_fake_pmc(other, 0, 0, 1, 0);
	pfm_fixture_load_hw(test, other);
	for (i = 0; i < 33; i++) {
		pfm_fixture_in(ctx);
		pfm_fake_happen(3);
		pfm_fixture_out(ctx);
		pfm_fixture_in(other);
		pfm_fake_happen(1000);
		pfm_fixture_out(other);
	}
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, 0), -1ULL);
	KUNIT_EXPECT_EQ(test, pfm_fake_messages(ctx), 0U);
	pfm_fixture_in(ctx);
	pfm_fake_happen(1);
	KUNIT_EXPECT_EQ(test, pfm_fake_messages(ctx), 1U);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(other, 0, 0), 33000ULL);
	pfm_fixture_free(other);
}

/* Masked, the hardware stands still; it goes on with the long values. */
static void hw_test_masked(struct kunit *test)
{
	struct pfm_context *ctx = test->priv;

	pfm_fake_pmc(ctx, 0, 0, 1, PFM_REGFL_OVFL_NOTIFY);
	pfm_fake_pmc(ctx, 0, 1, 1, 0);
	pfm_fake_pmd(ctx, 0, 0, -10ULL, -20ULL);
	pfm_fixture_load_hw(test, ctx);
	pfm_fixture_in(ctx);
	pfm_fake_happen(15);
	KUNIT_EXPECT_EQ(test, (int)ctx->state, (int)PFM_MASKED);
	KUNIT_EXPECT_EQ(test, pfm_fake.running, 0ULL);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, 1), 10ULL);
	/* Also if the thread comes and goes. */
	pfm_fixture_out(ctx);
	pfm_fixture_in(ctx);
	KUNIT_EXPECT_EQ(test, pfm_fake.running, 0ULL);
	KUNIT_EXPECT_EQ(test, pfm_fixture_restart(ctx), 0);
	pfm_fake_happen(19);
	KUNIT_EXPECT_EQ(test, pfm_fake_messages(ctx), 1U);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, 0), -1ULL);
	pfm_fake_happen(1);
	KUNIT_EXPECT_EQ(test, pfm_fake_messages(ctx), 1U);
}

/* Registers written while they count: nothing is lost, nothing invented. */
static void hw_test_write_running(struct kunit *test)
{
	struct pfm_context *ctx = test->priv;

	pfm_fake_pmc(ctx, 0, 0, 1, 0);
	pfm_fake_pmc(ctx, 0, 1, 1, 0);
	pfm_fixture_load_hw(test, ctx);
	pfm_fixture_in(ctx);
	pfm_fake_count(5);
	pfm_fake_pmd(ctx, 0, 0, 1000, 0);
	pfm_fake_count(5);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, 0), 1005ULL);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, 1), 10ULL);
	pfm_fake_pmc(ctx, 0, 2, 1, 0);
	pfm_fake_pmc(ctx, 0, 1, 0, 0);
	pfm_fake_count(5);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, 0), 1010ULL);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, 1), 10ULL);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, 2), 5ULL);
	pfm_fake_pmd(ctx, 0, 0, -3ULL, 0);
	pfm_fake_happen(4);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, 0), 1ULL);
}

/* Two sets by turns, each of them with a period in the same counter. */
static void hw_test_sets(struct kunit *test)
{
	struct pfm_context *ctx = test->priv;
	unsigned long before;

	pfm_fixture_set(ctx, 0, PFM_SETFL_OVFL_SWITCH);
	pfm_fixture_set(ctx, 1, PFM_SETFL_OVFL_SWITCH);
	pfm_fake_pmc(ctx, 0, 0, 1, 0);
	pfm_fake_pmc(ctx, 0, 1, 2, 0);
	pfm_fake_pmc(ctx, 1, 0, 1, 0);
	pfm_fake_pmc(ctx, 1, 1, 3, 0);
	pfm_fake_pmd(ctx, 0, 0, -10ULL, -10ULL);
	pfm_fake_pmd(ctx, 1, 0, -20ULL, -20ULL);
	pfm_fixture_load_hw(test, ctx);
	before = pfm_fake_stat(PFM_STAT_SETSWITCHES);
	pfm_fixture_in(ctx);
	pfm_fake_happen(30 * 50 + 4);
	KUNIT_EXPECT_EQ(test, pfm_fake_stat(PFM_STAT_SETSWITCHES) - before, 100UL);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, 1), 10 * 50 + 4ULL);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 1, 1), 20 * 50ULL);
	/* Only what differs between them. */
	KUNIT_EXPECT_EQ(test, pfm_fake.programs, 2U + 100U);
}

/* What another CPU has counted is in the value, not in this register. */
static void hw_test_migrated(struct kunit *test)
{
	struct pfm_context *ctx = test->priv;

	pfm_fake_pmc(ctx, 0, 0, 1, PFM_REGFL_OVFL_NOTIFY);
	pfm_fake_pmd(ctx, 0, 0, -100ULL, -100ULL);
	pfm_fixture_load_hw(test, ctx);
	pfm_fixture_in(ctx);
	pfm_fake_happen(30);
	pfm_fixture_out(ctx);
	/* There. */
	ctx->set->pmds[0].value += 50;
	ctx->set->pmds[0].last = 50;
	ctx->set->stamp = ~0ULL;
	pfm_fixture_in(ctx);
	pfm_fake_happen(19);
	KUNIT_EXPECT_EQ(test, pfm_fake_messages(ctx), 0U);
	pfm_fake_happen(1);
	KUNIT_EXPECT_EQ(test, pfm_fake_messages(ctx), 1U);
}

/* The registers are lost in the sleep of the machine, the counts are not. */
static void hw_test_suspend(struct kunit *test)
{
	struct pfm_context *ctx = test->priv;
	unsigned long flags;

	pfm_fake_pmc(ctx, 0, 0, 1, 0);
	pfm_fixture_load_hw(test, ctx);
	pfm_fixture_in(ctx);
	pfm_fake_count(10);
	local_irq_save(flags);
	pfm_sleep_suspend();
	pfm_fake_count(10);
	pfm_fake.ctr[0] = 0;
	pfm_fake.sel[0] = 0;
	pfm_sleep_resume();
	local_irq_restore(flags);
	pfm_fake_count(10);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, 0), 20ULL);
	KUNIT_EXPECT_EQ(test, pfm_fake.sel[0], 1ULL);
}

/* The kernel calls our notifier: it is in its list. */
static void hw_test_shutdown_is_told(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, unregister_reboot_notifier(&pfm_sleep_notifier), 0);
	KUNIT_EXPECT_EQ(test, register_reboot_notifier(&pfm_sleep_notifier), 0);
}

/*
 * The machine reboots while a monitored thread runs: the registers are put to rest, and
 * stay so, whatever the thread and its tool do until the end.
 */
static void hw_test_shutdown(struct kunit *test)
{
	struct pfm_context *ctx = test->priv;
	unsigned int i, resets;

	pfm_fake_pmc(ctx, 0, 0, 1, 0);
	pfm_fake_pmc(ctx, 0, 1, 1, 0);
	pfm_fake_pmd(ctx, 0, 1, -100ULL, -100ULL);
	pfm_fixture_load_hw(test, ctx);
	pfm_fixture_in(ctx);
	pfm_fake_count(10);
	resets = pfm_fake.resets;
	pfm_sleep_notifier.notifier_call(NULL, SYS_RESTART, NULL);
	KUNIT_EXPECT_EQ(test, pfm_fake.resets, resets + 1);
	KUNIT_EXPECT_EQ(test, pfm_fake.running, 0ULL);
	for (i = 0; i < FAKE_COUNTERS; i++)
		KUNIT_EXPECT_EQ(test, pfm_fake.ctr[i], 0ULL);
	KUNIT_EXPECT_PTR_EQ(test, this_cpu_read(pfm_cpu.live), ctx);

	i = pfm_fake.programs;
	pfm_fake_nmi();
	pfm_fixture_out(ctx);
	pfm_fixture_in(ctx);
	pfm_fixture_stop(ctx);
	pfm_fixture_start(ctx);
	pfm_fake_pmc(ctx, 0, 0, 2, 0);
	KUNIT_EXPECT_EQ(test, pfm_fake.running, 0ULL);
	KUNIT_EXPECT_EQ(test, pfm_fake.programs, i);
	pfm_fake_count(1000);
	/* What was counted until then is there. */
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, 0), 10ULL);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, 1), -90ULL);

	/* This was a test. */
	WRITE_ONCE(pfm_hw_over, false);
	pfm_fixture_out(ctx);
	pfm_fixture_in(ctx);
	pfm_fake_count(5);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, 0), 15ULL);
}

/* Sets with equal controls come to have one name, and then there is nothing to compare. */
static void hw_test_equal(struct kunit *test)
{
	struct pfm_context *a = test->priv, *b = pfm_fixture_context(test, 1);
	unsigned int i;

	pfm_fake_pmc(a, 0, 0, 1, 0);
	pfm_fake_pmc(b, 0, 0, 1, 0);
	pfm_fixture_load_hw(test, a);
	pfm_fixture_load_hw(test, b);
	for (i = 0; i < 3; i++) {
		pfm_fixture_in(a);
		pfm_fake_count(1);
		pfm_fixture_out(a);
		pfm_fixture_in(b);
		pfm_fake_count(2);
		pfm_fixture_out(b);
	}
	KUNIT_EXPECT_EQ(test, pfm_fake.programs, 1U);
	KUNIT_EXPECT_EQ(test, a->set->controls, b->set->controls);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(a, 0, 0), 3ULL);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(b, 0, 0), 6ULL);
	/* One gets another value: the name is no longer its. */
	pfm_fake_pmc(b, 0, 0, 7, 0);
	pfm_fixture_in(b);
	KUNIT_EXPECT_EQ(test, pfm_fake.sel[0], 7ULL);
	pfm_fixture_out(b);
	pfm_fixture_in(a);
	KUNIT_EXPECT_EQ(test, pfm_fake.sel[0], 1ULL);
	pfm_fixture_out(a);
	pfm_fixture_free(b);
}

/* A set that says less than another one, and nothing else, has not its name. */
static void hw_test_less(struct kunit *test)
{
	struct pfm_context *ctx[3] = { test->priv, pfm_fixture_context(test, 1),
				       pfm_fixture_context(test, 2) };
	static const u8 order[] = { 0, 1, 0, 1, 2, 0, 1 };
	unsigned int i;

	pfm_fake_pmc(ctx[0], 0, 0, 1, 0);
	pfm_fake_pmc(ctx[1], 0, 0, 1, 0);
	pfm_fake_pmc(ctx[1], 0, 1, 2, 0);
	pfm_fake_pmc(ctx[2], 0, 1, 3, 0);
	for (i = 0; i < 3; i++)
		pfm_fixture_load_hw(test, ctx[i]);
	for (i = 0; i < ARRAY_SIZE(order); i++) {
		pfm_fixture_in(ctx[order[i]]);
		if (order[i] != 2)
			KUNIT_EXPECT_EQ(test, pfm_fake.sel[0], 1ULL);
		if (order[i])
			KUNIT_EXPECT_EQ(test, pfm_fake.sel[1], order[i] + 1ULL);
		pfm_fixture_out(ctx[order[i]]);
	}
	pfm_fixture_free(ctx[2]);
	pfm_fixture_free(ctx[1]);
}

static int gate_init(struct kunit *test)
{
	return pfm_fake_init(test, &pfm_fake_gated);
}

/* As when the last context gives the PMU back. */
static void gate_end(struct pfm_context *ctx)
{
	unsigned long flags;

	pfm_fixture_out(ctx);
	local_irq_save(flags);
	pfm_hw_end();
	local_irq_restore(flags);
}

/* Other users have left events in 0 to 2, and counts in 2. */
static void gate_left(void)
{
	unsigned int i;

	for (i = 0; i < 3; i++)
		pfm_fake.sel[i] = 7;
	pfm_fake.ctr[2] = 5;
}

/* Only what a context programs and counts is written, at the begin and at the end. */
static void gate_test_written(struct kunit *test)
{
	struct pfm_context *ctx = test->priv;

	gate_left();
	pfm_fake_pmc(ctx, 0, 0, 1, 0);
	/* Its default is no news to the context, but to the register. */
	pfm_fake_pmc(ctx, 0, 1, 0, 0);
	pfm_fixture_load_hw(test, ctx);
	pfm_fixture_in(ctx);
	KUNIT_EXPECT_EQ(test, pfm_fake.rests, 1U);
	KUNIT_EXPECT_EQ(test, pfm_fake.rested, 0ULL);
	KUNIT_EXPECT_EQ(test, pfm_fake.sel[0], 1ULL);
	KUNIT_EXPECT_EQ(test, pfm_fake.sel[1], 0ULL);
	KUNIT_EXPECT_EQ(test, pfm_fake.sel[2], 7ULL);
	pfm_fake_count(10);
	gate_end(ctx);
	KUNIT_EXPECT_EQ(test, pfm_fake.rests, 2U);
	KUNIT_EXPECT_EQ(test, pfm_fake.rested, BIT_ULL(0) | BIT_ULL(1));
	KUNIT_EXPECT_EQ(test, pfm_fake.ctr[0], 0ULL);
	KUNIT_EXPECT_EQ(test, pfm_fake.ctr[2], 5ULL);
	KUNIT_EXPECT_EQ(test, pfm_fake.resets, 0U);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, 0), 10ULL);
}

/* Others have had the PMU meanwhile: nothing that a CPU remembers of its registers holds. */
static void gate_test_again(struct kunit *test)
{
	struct pfm_context *ctx = test->priv;

	pfm_fake_pmc(ctx, 0, 0, 1, 0);
	pfm_fixture_load_hw(test, ctx);
	pfm_fixture_in(ctx);
	pfm_fake_count(10);
	gate_end(ctx);
	gate_left();
	pfm_fake.ctr[0] = 1000;
	pfm_fixture_in(ctx);
	KUNIT_EXPECT_EQ(test, pfm_fake.sel[0], 1ULL);
	pfm_fake_count(5);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, 0), 15ULL);
}

/* What a CPU holds that was offline is unknown. */
static void gate_test_stranded(struct kunit *test)
{
	struct pfm_context *ctx = test->priv;

	pfm_fake_pmc(ctx, 0, 0, 1, 0);
	pfm_fixture_load_hw(test, ctx);
	pfm_fixture_in(ctx);
	this_cpu_write(pfm_cpu.stranded, true);
	pfm_fake.ctr[2] = 5;
	gate_end(ctx);
	KUNIT_EXPECT_EQ(test, pfm_fake.resets, 1U);
	KUNIT_EXPECT_EQ(test, pfm_fake.ctr[2], 0ULL);
	KUNIT_EXPECT_FALSE(test, this_cpu_read(pfm_cpu.stranded));
}

static struct kunit_case gate_cases[] = {
	KUNIT_CASE(gate_test_written),
	KUNIT_CASE(gate_test_again),
	KUNIT_CASE(gate_test_stranded),
	{}
};

static struct kunit_suite gate_suite = {
	.name = "perfmon-gate",
	.init = gate_init,
	.exit = pfm_fake_exit,
	.test_cases = gate_cases,
};

static struct kunit_case hw_cases[] = {
	KUNIT_CASE(hw_test_equal),
	KUNIT_CASE(hw_test_less),
	KUNIT_CASE(hw_test_count),
	KUNIT_CASE(hw_test_wrap),
	KUNIT_CASE(hw_test_period),
	KUNIT_CASE(hw_test_late_wrap),
	KUNIT_CASE(hw_test_long_period),
	KUNIT_CASE(hw_test_left_alone),
	KUNIT_CASE(hw_test_switched_out),
	KUNIT_CASE(hw_test_switched_at_stop),
	KUNIT_CASE(hw_test_disowned_at_stop),
	KUNIT_CASE(hw_test_told),
	KUNIT_CASE(hw_test_lazy),
	KUNIT_CASE(hw_test_read_once),
	KUNIT_CASE(hw_test_read_once_sets),
	KUNIT_CASE(hw_test_take_over),
	KUNIT_CASE(hw_test_shared_period),
	KUNIT_CASE(hw_test_masked),
	KUNIT_CASE(hw_test_write_running),
	KUNIT_CASE(hw_test_sets),
	KUNIT_CASE(hw_test_migrated),
	KUNIT_CASE(hw_test_suspend),
	KUNIT_CASE(hw_test_shutdown),
	KUNIT_CASE(hw_test_shutdown_is_told),
	{}
};

static struct kunit_suite hw_suite = {
	.name = "perfmon-hw",
	.init = hw_init,
	.exit = pfm_fake_exit,
	.test_cases = hw_cases,
};

static int unsettled_init(struct kunit *test)
{
	return pfm_fake_init(test, &pfm_fake_unsettled);
}

/* Where other controls take the counters, what these said before is not what they hold. */
static void hw_test_unsettled(struct kunit *test)
{
	hw_test_read_once_sets(test);
}

static struct kunit_case unsettled_cases[] = {
	KUNIT_CASE(hw_test_unsettled),
	{}
};

static struct kunit_suite unsettled_suite = {
	.name = "perfmon-hw-unsettled",
	.init = unsettled_init,
	.exit = pfm_fake_exit,
	.test_cases = unsettled_cases,
};

kunit_test_suites(&hw_suite, &gate_suite, &unsettled_suite);
