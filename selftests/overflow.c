// SPDX-License-Identifier: GPL-2.0-only
/*
 * What follows from the overflow of a counter without a sampling format:
 * periods, masking, long and short reset values, reset_pmds, several
 * counters at once (3.1.9, 3.4).
 *
 * Events are minor faults and context switches of a process that does nothing
 * else, so every number here is exact. Not here: randomisation (random.c),
 * the message queue (message.c), blocking (block.c), event sets.
 */
#include "puppet.h"

#define NOTIFY	PFM_REGFL_OVFL_NOTIFY

FIXTURE(overflow) {
	struct puppet p;
	int fd;
};

/* A context that is attached and stopped; its counters are the tests'. */
FIXTURE_SETUP(overflow)
{
	puppet_start(&self->p, PUPPET_PROCESS);
	self->fd = (int)MUST(pfm_create(0));
	set_nonblock(self->fd);
	MUST(pfm_load(self->fd, self->p.tid));
}

FIXTURE_TEARDOWN(overflow)
{
	close(self->fd);
	puppet_stop(&self->p);
}

/* Counter @i counts faults from @value. */
static void set_fault(int fd, int i, u32 flags, u64 value, u64 long_reset,
		      u64 short_reset)
{
	MUST(pfm_write_pmc(fd, SW_PMC(i), PFM_SW_MINOR_FAULTS, flags));
	MUST(pfm_write_period(fd, SW_PMD(i), value, long_reset, short_reset));
}

static u64 last_reset(int fd, int i)
{
	pfarg_pmd_t pmd = { .reg_num = (__u16)SW_PMD(i) };

	MUST(pfm(fd, PFM_READ_PMDS, &pmd, 1));
	return pmd.reg_last_reset_val;
}

/* Period P over N events: N / P notifications, at the right events. */
TEST_F(overflow, period_of_faults)
{
	static const unsigned int periods[] = { 1, 2, 3, 7, 50 };
	unsigned int i, n, total = 100;

	for (i = 0; i < ARRAY_SIZE(periods); i++) {
		u64 period = periods[i], seen = 0;

		set_fault(self->fd, 0, NOTIFY, -period, -period, 0);
		MUST(pfm_start(self->fd));
		for (n = 1; n <= total; n++) {
			puppet_do(&self->p, OP_FAULT, 1);
			ASSERT_EQ(n % period == 0, overflowed(self->fd)) {
				TH_LOG("period %llu, event %u", period, n);
			}
			if (n % period)
				continue;
			seen++;
			ASSERT_EQ(0, pfm_restart(self->fd));
		}
		EXPECT_EQ(total / period, seen);
		MUST(pfm_stop(self->fd));
	}
}

/* Many events between two looks: one overflow, and no event after it. */
TEST_F(overflow, masked_at_the_event)
{
	set_fault(self->fd, 0, NOTIFY, -10ULL, 0, 0);
	set_fault(self->fd, 1, 0, 0, 0, 0);
	MUST(pfm_start(self->fd));
	puppet_do(&self->p, OP_FAULT, 25);
	EXPECT_TRUE(pfm_state_is(self->fd, "masked"));
	EXPECT_EQ(0ULL, pfm_value(self->fd, SW_PMD(0)));
	EXPECT_EQ(10ULL, pfm_value(self->fd, SW_PMD(1)));
	EXPECT_EQ(1U, overflowed(self->fd));
	puppet_do(&self->p, OP_FAULT, 10);
	EXPECT_EQ(0ULL, pfm_value(self->fd, SW_PMD(0)));
	EXPECT_EQ(10ULL, pfm_value(self->fd, SW_PMD(1)));
	EXPECT_EQ(0U, overflowed(self->fd));
}

/* Reading the message does not resume (3.4.3); RESTART does, once. */
TEST_F(overflow, only_restart_resumes)
{
	set_fault(self->fd, 0, NOTIFY, ~0ULL, 0, 0);
	MUST(pfm_start(self->fd));
	puppet_do(&self->p, OP_FAULT, 1);
	EXPECT_EQ(1U, overflowed(self->fd));
	EXPECT_TRUE(pfm_state_is(self->fd, "masked"));
	EXPECT_EQ(0, pfm_start(self->fd));
	EXPECT_TRUE(pfm_state_is(self->fd, "masked"));
	EXPECT_EQ(0, pfm_restart(self->fd));
	EXPECT_EQ(-EBUSY, pfm_restart(self->fd));
	puppet_do(&self->p, OP_FAULT, 4);
	EXPECT_EQ(4ULL, pfm_value(self->fd, SW_PMD(0)));
}

TEST_F(overflow, period_of_switches)
{
	static const u64 periods[] = { 1, 2, 5, 20 };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(periods); i++) {
		u64 base;

		MUST(pfm_write_pmc(self->fd, SW_PMC(0), PFM_SW_CSWITCHES,
				   NOTIFY));
		MUST(pfm_write_pmc(self->fd, SW_PMC(1), PFM_SW_CSWITCHES, 0));
		MUST(pfm_write_period(self->fd, SW_PMD(0), -periods[i], 0, 0));
		MUST(pfm_write_pmd(self->fd, SW_PMD(1), 0));
		puppet_settle(&self->p);
		base = thread_switches(self->p.tid);
		MUST(pfm_start(self->fd));
		puppet_do(&self->p, OP_SLEEP, 30);
		puppet_settle(&self->p);
		EXPECT_LE(20ULL, thread_switches(self->p.tid) - base);
		EXPECT_TRUE(pfm_state_is(self->fd, "masked"));
		EXPECT_EQ(1U, overflowed(self->fd));
		EXPECT_EQ(0ULL, pfm_value(self->fd, SW_PMD(0)));
		EXPECT_EQ(periods[i], pfm_value(self->fd, SW_PMD(1)));
		MUST(pfm_restart(self->fd));
		MUST(pfm_stop(self->fd));
	}
}

/* The current period, then long ones. */
TEST_F(overflow, long_reset)
{
	set_fault(self->fd, 0, NOTIFY, -3ULL, -8ULL, -5ULL);
	MUST(pfm_start(self->fd));
	puppet_do(&self->p, OP_FAULT, 3);
	ASSERT_EQ(1U, overflowed(self->fd));
	/* Not before the restart. */
	EXPECT_EQ(0ULL, pfm_value(self->fd, SW_PMD(0)));
	EXPECT_EQ(-3ULL, last_reset(self->fd, 0));
	MUST(pfm_restart(self->fd));
	EXPECT_EQ(-8ULL, pfm_value(self->fd, SW_PMD(0)));
	EXPECT_EQ(-8ULL, last_reset(self->fd, 0));
	puppet_do(&self->p, OP_FAULT, 7);
	EXPECT_EQ(0U, overflowed(self->fd));
	puppet_do(&self->p, OP_FAULT, 1);
	EXPECT_EQ(1U, overflowed(self->fd));
}

/* Without OVFL_NOTIFY: the short value, no message, no pause. */
TEST_F(overflow, short_reset)
{
	u64 value = -3ULL;
	int n;

	set_fault(self->fd, 0, 0, -3ULL, -8ULL, -5ULL);
	MUST(pfm_start(self->fd));
	for (n = 0; n < 24; n++) {
		puppet_do(&self->p, OP_FAULT, 1);
		if (!++value)
			value = -5ULL;
		ASSERT_EQ(value, pfm_value(self->fd, SW_PMD(0)));
		ASSERT_TRUE(pfm_state_is(self->fd, "loaded"));
	}
	EXPECT_EQ(-5ULL, last_reset(self->fd, 0));
	EXPECT_EQ(0U, overflowed(self->fd));
	EXPECT_EQ(-EBUSY, pfm_restart(self->fd));
}

/* "When the flag is not set, the counter simply wraps around." */
TEST_F(overflow, wrap_around)
{
	set_fault(self->fd, 0, 0, -3ULL, 0, 0);
	MUST(pfm_start(self->fd));
	puppet_do(&self->p, OP_FAULT, 10);
	EXPECT_EQ(7ULL, pfm_value(self->fd, SW_PMD(0)));
	EXPECT_EQ(0U, overflowed(self->fd));
	EXPECT_TRUE(pfm_state_is(self->fd, "loaded"));
}

/* What is asked for as the new period while masked is what RESTART loads. */
TEST_F(overflow, long_reset_changed_while_masked)
{
	set_fault(self->fd, 0, NOTIFY, ~0ULL, -100ULL, 0);
	MUST(pfm_start(self->fd));
	puppet_do(&self->p, OP_FAULT, 1);
	ASSERT_EQ(1U, overflowed(self->fd));
	MUST(pfm_write_period(self->fd, SW_PMD(0), 55, -2ULL, 0));
	EXPECT_EQ(55ULL, pfm_value(self->fd, SW_PMD(0)));
	MUST(pfm_restart(self->fd));
	EXPECT_EQ(-2ULL, pfm_value(self->fd, SW_PMD(0)));
	puppet_do(&self->p, OP_FAULT, 2);
	EXPECT_EQ(1U, overflowed(self->fd));
}

static void write_reset_pmds(int fd, int i, u32 flags, unsigned int bits)
{
	pfarg_pmc_t pmc = {
		.reg_num = (__u16)SW_PMC(i), .reg_flags = flags,
		.reg_value = PFM_SW_MINOR_FAULTS,
	};
	unsigned int n;

	for (n = 0; n < PFM_SW_COUNTERS; n++)
		if (bits >> n & 1)
			vec_set(pmc.reg_reset_pmds, (unsigned int)SW_PMD(n));
	/* One that cannot be reset, which is no error. */
	vec_set(pmc.reg_reset_pmds, PFM_VPMD_CLOCK);
	MUST(pfm(fd, PFM_WRITE_PMCS, &pmc, 1));
}

/* 3.1.2: the listed PMDs are reset with the overflowed one, long values. */
TEST_F(overflow, reset_pmds_long)
{
	int i;

	for (i = 0; i < 4; i++)
		set_fault(self->fd, i, 0, 1000, 2000ULL + (u64)i,
			  3000ULL + (u64)i);
	MUST(pfm_write_period(self->fd, SW_PMD(0), -5ULL, -6ULL, 3000));
	/* 1 and 4, which counts nothing, but not 2 and 3 */
	write_reset_pmds(self->fd, 0, NOTIFY, 1U << 1 | 1U << 4);
	/* A list whose own counter does not overflow is not applied. */
	write_reset_pmds(self->fd, 3, NOTIFY, 1U << 2);
	MUST(pfm_write_period(self->fd, SW_PMD(4), 7, 2004, 3004));
	MUST(pfm_start(self->fd));
	puppet_do(&self->p, OP_FAULT, 5);
	ASSERT_EQ(1U, overflowed(self->fd));
	/* Until the restart they can be read. */
	EXPECT_EQ(1005ULL, pfm_value(self->fd, SW_PMD(1)));
	EXPECT_EQ(7ULL, pfm_value(self->fd, SW_PMD(4)));
	MUST(pfm_restart(self->fd));
	EXPECT_EQ(-6ULL, pfm_value(self->fd, SW_PMD(0)));
	EXPECT_EQ(2001ULL, pfm_value(self->fd, SW_PMD(1)));
	EXPECT_EQ(1005ULL, pfm_value(self->fd, SW_PMD(2)));
	EXPECT_EQ(1005ULL, pfm_value(self->fd, SW_PMD(3)));
	EXPECT_EQ(2004ULL, pfm_value(self->fd, SW_PMD(4)));
	EXPECT_EQ(2001ULL, last_reset(self->fd, 1));
	EXPECT_EQ(2004ULL, last_reset(self->fd, 4));
}

TEST_F(overflow, reset_pmds_short)
{
	set_fault(self->fd, 0, 0, -5ULL, 2000, -100ULL);
	set_fault(self->fd, 1, 0, 1000, 2001, 3001);
	set_fault(self->fd, 2, 0, 1000, 2002, 3002);
	write_reset_pmds(self->fd, 0, 0, 1U << 1);
	MUST(pfm_start(self->fd));
	puppet_do(&self->p, OP_FAULT, 5);
	EXPECT_EQ(-100ULL, pfm_value(self->fd, SW_PMD(0)));
	EXPECT_EQ(3001ULL, pfm_value(self->fd, SW_PMD(1)));
	EXPECT_EQ(1005ULL, pfm_value(self->fd, SW_PMD(2)));
	puppet_do(&self->p, OP_FAULT, 1);
	EXPECT_EQ(3002ULL, pfm_value(self->fd, SW_PMD(1)));
}

/* reset_pmds as deltas: what each period contained of another event. */
TEST_F(overflow, reset_pmds_give_deltas)
{
	int n;

	set_fault(self->fd, 0, NOTIFY, -4ULL, -4ULL, 0);
	set_fault(self->fd, 1, 0, 0, 0, 0);
	write_reset_pmds(self->fd, 0, NOTIFY, 1U << 1);
	MUST(pfm_start(self->fd));
	for (n = 0; n < 10; n++) {
		puppet_do(&self->p, OP_FAULT, 6);
		EXPECT_EQ(1U, overflowed(self->fd));
		EXPECT_EQ(4ULL, pfm_value(self->fd, SW_PMD(1)));
		MUST(pfm_restart(self->fd));
		EXPECT_EQ(0ULL, pfm_value(self->fd, SW_PMD(1)));
	}
}

TEST_F(overflow, together)
{
	set_fault(self->fd, 0, NOTIFY, -4ULL, -10ULL, 0);
	set_fault(self->fd, 2, NOTIFY, -4ULL, -20ULL, 0);
	set_fault(self->fd, 3, NOTIFY, -5ULL, -30ULL, 0);
	MUST(pfm_start(self->fd));
	puppet_do(&self->p, OP_FAULT, 9);
	/* One notification for both, and none for the one that was to come. */
	EXPECT_EQ(1U << 0 | 1U << 2, overflowed(self->fd));
	MUST(pfm_restart(self->fd));
	EXPECT_EQ(-10ULL, pfm_value(self->fd, SW_PMD(0)));
	EXPECT_EQ(-20ULL, pfm_value(self->fd, SW_PMD(2)));
	EXPECT_EQ(~0ULL, pfm_value(self->fd, SW_PMD(3)));
	puppet_do(&self->p, OP_FAULT, 1);
	EXPECT_EQ(1U << 3, overflowed(self->fd));
	MUST(pfm_restart(self->fd));
	EXPECT_EQ(-9ULL, pfm_value(self->fd, SW_PMD(0)));
	EXPECT_EQ(-30ULL, pfm_value(self->fd, SW_PMD(3)));
}

/* One notifies, the other one does not: one message names both. */
TEST_F(overflow, together_with_a_silent_one)
{
	set_fault(self->fd, 0, NOTIFY, -4ULL, -10ULL, -11ULL);
	set_fault(self->fd, 1, 0, -4ULL, -20ULL, -21ULL);
	MUST(pfm_start(self->fd));
	puppet_do(&self->p, OP_FAULT, 4);
	EXPECT_EQ(1U << 0 | 1U << 1, overflowed(self->fd));
	MUST(pfm_restart(self->fd));
	/* "Each counting PMD which overflowed" gets its long value (3.1.9). */
	EXPECT_EQ(-10ULL, pfm_value(self->fd, SW_PMD(0)));
	EXPECT_EQ(-20ULL, pfm_value(self->fd, SW_PMD(1)));
}

/* An overflow belongs to its attachment. */
TEST_F(overflow, unload_forgets_the_mask)
{
	set_fault(self->fd, 0, NOTIFY, ~0ULL, -7ULL, 0);
	MUST(pfm_start(self->fd));
	puppet_do(&self->p, OP_FAULT, 1);
	ASSERT_TRUE(pfm_state_is(self->fd, "masked"));
	MUST(pfm_unload(self->fd));
	EXPECT_EQ(0ULL, pfm_value(self->fd, SW_PMD(0)));
	MUST(pfm_load(self->fd, self->p.tid));
	EXPECT_EQ(-EBUSY, pfm_restart(self->fd));
	MUST(pfm_start(self->fd));
	puppet_do(&self->p, OP_FAULT, 3);
	EXPECT_EQ(3ULL, pfm_value(self->fd, SW_PMD(0)));
	/* A later overflow does not reset what overflowed before. */
	set_fault(self->fd, 1, NOTIFY, ~0ULL, -9ULL, 0);
	puppet_do(&self->p, OP_FAULT, 1);
	EXPECT_EQ(2U, overflowed(self->fd));
	MUST(pfm_restart(self->fd));
	EXPECT_EQ(4ULL, pfm_value(self->fd, SW_PMD(0)));
	EXPECT_EQ(-9ULL, pfm_value(self->fd, SW_PMD(1)));
}

/* Stopped in the middle of a period: the rest of it comes later. */
TEST_F(overflow, period_survives_stop_and_unload)
{
	set_fault(self->fd, 0, NOTIFY, -10ULL, 0, 0);
	MUST(pfm_start(self->fd));
	puppet_do(&self->p, OP_FAULT, 4);
	MUST(pfm_stop(self->fd));
	puppet_do(&self->p, OP_FAULT, 20);
	MUST(pfm_start(self->fd));
	puppet_do(&self->p, OP_FAULT, 3);
	MUST(pfm_unload(self->fd));
	puppet_do(&self->p, OP_FAULT, 20);
	MUST(pfm_load(self->fd, self->p.tid));
	MUST(pfm_start(self->fd));
	EXPECT_EQ(-3ULL, pfm_value(self->fd, SW_PMD(0)));
	puppet_do(&self->p, OP_FAULT, 2);
	EXPECT_EQ(0U, overflowed(self->fd));
	puppet_do(&self->p, OP_FAULT, 1);
	EXPECT_EQ(1U, overflowed(self->fd));
}

/* Every counter of the eight can be the one. */
TEST_F(overflow, each_counter)
{
	int i;

	for (i = 0; i < PFM_SW_COUNTERS; i++) {
		set_fault(self->fd, i, NOTIFY, -2ULL, 0, 0);
		MUST(pfm_start(self->fd));
		puppet_do(&self->p, OP_FAULT, 2);
		EXPECT_EQ(1U << i, overflowed(self->fd));
		MUST(pfm_restart(self->fd));
		MUST(pfm_stop(self->fd));
	}
}

/* A CPU's switches, of any thread. */
TEST(system_wide)
{
	int n, fd = pfm_counter(PFM_FL_SYSTEM_WIDE, PFM_SW_CSWITCHES, NOTIFY,
				-5ULL);

	pin_somewhere();
	MUST(pfm_write_pmc(fd, SW_PMC(1), PFM_SW_CSWITCHES, 0));
	MUST(pfm_load(fd, my_tid()));
	MUST(pfm_start(fd));
	for (n = 1; n <= 20; n++) {
		while (!pfm_state_is(fd, "masked"))
			sleep_ms(1);
		EXPECT_EQ(1U, overflowed(fd));
		EXPECT_EQ(0ULL, pfm_value(fd, SW_PMD(0)));
		EXPECT_EQ(5ULL * (u64)n, pfm_value(fd, SW_PMD(1)));
		sleep_ms(1);
		EXPECT_EQ(5ULL * (u64)n, pfm_value(fd, SW_PMD(1)));
		MUST(pfm_restart(fd));
	}
}

TEST_HARNESS_MAIN
