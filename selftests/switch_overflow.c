// SPDX-License-Identifier: GPL-2.0-only
/*
 * Switching by overflows (3.7.6): thresholds of one or several counters,
 * figure 3.38, cascades; and the reset values, also randomised ones, that come
 * with a set.
 *
 * Minor faults of a puppet are exact, so are the switches that they cause.
 */
#include "switch.h"

/* ------------------------------------------------------------------------
 * By overflows
 */

/*
 * Figure 3.38 with a tenth of its numbers: two overflows of PMD 4 end set 0,
 * one of PMD 5 ends set 1.
 */
TEST_F(switching, figure_3_38)
{
	int i;

	for (i = 0; i < 2; i++)
		make_set(self->fd, i, OVFL, 0, 0);
	trigger(self->fd, 0, 4, 100, 2);
	trigger(self->fd, 1, 5, 100, 1);
	MUST(pfm_load(self->fd, self->p.tid));
	MUST(pfm_start(self->fd));
	for (i = 1; i <= 3; i++) {
		EXPECT_EQ(2ULL, thres_of(self->fd, 0, 4));
		puppet_do(&self->p, OP_FAULT, 99);
		EXPECT_EQ(2ULL, thres_of(self->fd, 0, 4));
		puppet_do(&self->p, OP_FAULT, 1);
		/* The first overflow: a short reset, and on. */
		EXPECT_EQ(0, active(self->fd));
		EXPECT_EQ(1ULL, thres_of(self->fd, 0, 4));
		EXPECT_EQ(-100ULL, value_of(self->fd, 0, 4));
		puppet_do(&self->p, OP_FAULT, 99);
		EXPECT_EQ(0, active(self->fd));
		puppet_do(&self->p, OP_FAULT, 1);
		EXPECT_EQ(1, active(self->fd));
		EXPECT_EQ(0ULL, thres_of(self->fd, 0, 4));
		EXPECT_EQ(1U << 4, ended_by(self->fd, 0));
		EXPECT_EQ(1ULL, thres_of(self->fd, 1, 5));
		EXPECT_EQ(-100ULL, value_of(self->fd, 1, 5));
		puppet_do(&self->p, OP_FAULT, 99);
		EXPECT_EQ(1, active(self->fd));
		puppet_do(&self->p, OP_FAULT, 1);
		/* Back, with a fresh period and threshold. */
		EXPECT_EQ(0, active(self->fd));
		EXPECT_EQ(1U << 5, ended_by(self->fd, 1));
		EXPECT_EQ(-100ULL, value_of(self->fd, 0, 4));
		EXPECT_EQ((u64)i + 1, runs_of(self->fd, 0));
		EXPECT_EQ((u64)i, runs_of(self->fd, 1));
		/* The last cause of set 0's end is known as yet. */
		EXPECT_EQ(1U << 4, ended_by(self->fd, 0));
	}
}

/* The first counter to reach its threshold ends the set; the others' are forgotten. */
TEST_F(switching, several_triggers)
{
	make_set(self->fd, 0, OVFL, 0, 0);
	make_set(self->fd, 1, 0, 0, 0);
	trigger(self->fd, 0, 0, 2, 3);
	trigger(self->fd, 0, 1, 5, 2);
	MUST(pfm_load(self->fd, self->p.tid));
	MUST(pfm_start(self->fd));
	puppet_do(&self->p, OP_FAULT, 5);
	EXPECT_EQ(1ULL, thres_of(self->fd, 0, 0));
	EXPECT_EQ(1ULL, thres_of(self->fd, 0, 1));
	puppet_do(&self->p, OP_FAULT, 1);
	EXPECT_EQ(1, active(self->fd));
	EXPECT_EQ(1U << 0, ended_by(self->fd, 0));
	/* Now the other one: 4 faults to go, and 5, since it has to come twice. */
	MUST(start_at(self->fd, 0));
	set_pmd(self->fd, 0, 0, -100ULL, 0, 0, 1);
	EXPECT_EQ(2ULL, thres_of(self->fd, 0, 1));
	puppet_do(&self->p, OP_FAULT, 8);
	EXPECT_EQ(0, active(self->fd));
	EXPECT_EQ(1ULL, thres_of(self->fd, 0, 1));
	puppet_do(&self->p, OP_FAULT, 1);
	EXPECT_EQ(1, active(self->fd));
	EXPECT_EQ(1U << 1, ended_by(self->fd, 0));
}

/* "It is possible that more than one threshold reaches zero" (3.7.6). */
TEST_F(switching, triggers_together)
{
	make_set(self->fd, 0, OVFL, 0, 0);
	make_set(self->fd, 1, 0, 0, 0);
	trigger(self->fd, 0, 0, 6, 1);
	trigger(self->fd, 0, 1, 3, 2);
	trigger(self->fd, 0, 7, 2, 3);
	trigger(self->fd, 0, 5, 2, 4);
	MUST(pfm_load(self->fd, self->p.tid));
	MUST(pfm_start(self->fd));
	puppet_do(&self->p, OP_FAULT, 5);
	EXPECT_EQ(0, active(self->fd));
	puppet_do(&self->p, OP_FAULT, 1);
	EXPECT_EQ(1, active(self->fd));
	EXPECT_EQ(1U << 0 | 1U << 1 | 1U << 7, ended_by(self->fd, 0));
	EXPECT_EQ(2ULL, all_runs(self->fd, 2));
	EXPECT_EQ(1ULL, thres_of(self->fd, 0, 5));
}

/* A counter without a threshold overflows as often as it likes. */
TEST_F(switching, no_threshold)
{
	make_set(self->fd, 0, OVFL, 0, 0);
	make_set(self->fd, 1, 0, 0, 0);
	trigger(self->fd, 0, 0, 1, 0);
	trigger(self->fd, 0, 1, 20, 1);
	MUST(pfm_load(self->fd, self->p.tid));
	MUST(pfm_start(self->fd));
	puppet_do(&self->p, OP_FAULT, 19);
	EXPECT_EQ(0, active(self->fd));
	EXPECT_EQ(0ULL, thres_of(self->fd, 0, 0));
	puppet_do(&self->p, OP_FAULT, 1);
	EXPECT_EQ(1, active(self->fd));
	EXPECT_EQ(1U << 1, ended_by(self->fd, 0));
}

/* "It can be modified with the PFM_WRITE_PMDS command" (3.7.6). */
TEST_F(switching, threshold_written_meanwhile)
{
	make_set(self->fd, 0, OVFL, 0, 0);
	make_set(self->fd, 1, 0, 0, 0);
	trigger(self->fd, 0, 0, 1, 10);
	MUST(pfm_load(self->fd, self->p.tid));
	MUST(pfm_start(self->fd));
	puppet_do(&self->p, OP_FAULT, 4);
	EXPECT_EQ(6ULL, thres_of(self->fd, 0, 0));
	set_pmd(self->fd, 0, 0, ~0ULL, ~0ULL, ~0ULL, 2);
	EXPECT_EQ(2ULL, thres_of(self->fd, 0, 0));
	puppet_do(&self->p, OP_FAULT, 1);
	EXPECT_EQ(0, active(self->fd));
	puppet_do(&self->p, OP_FAULT, 1);
	EXPECT_EQ(1, active(self->fd));
	/* The new one is what comes back. */
	MUST(start_at(self->fd, 0));
	EXPECT_EQ(2ULL, thres_of(self->fd, 0, 0));
}

/* A new attachment begins with all of the threshold, and with no history. */
TEST_F(switching, load_resets)
{
	make_set(self->fd, 0, OVFL, 0, 0);
	make_set(self->fd, 1, OVFL, 0, 0);
	trigger(self->fd, 0, 0, 1, 2);
	trigger(self->fd, 1, 1, 1, 5);
	MUST(pfm_load(self->fd, self->p.tid));
	MUST(pfm_start(self->fd));
	puppet_do(&self->p, OP_FAULT, 2 + 5 + 1);
	EXPECT_EQ(0, active(self->fd));
	EXPECT_EQ(1ULL, thres_of(self->fd, 0, 0));
	EXPECT_EQ(1U << 0, ended_by(self->fd, 0));
	EXPECT_EQ(1U << 1, ended_by(self->fd, 1));
	MUST(pfm_unload(self->fd));
	EXPECT_EQ(1U << 1, ended_by(self->fd, 1));
	MUST(pfm_load(self->fd, self->p.tid));
	EXPECT_EQ(0U, ended_by(self->fd, 0));
	EXPECT_EQ(0U, ended_by(self->fd, 1));
	EXPECT_EQ(2ULL, thres_of(self->fd, 0, 0));
	/* Runs are of the context's whole life (3.1.12). */
	EXPECT_EQ(3ULL, runs_of(self->fd, 0));
	EXPECT_EQ(1ULL, runs_of(self->fd, 1));
}

/* "When time-based switching is used, this vector is all zeroes" (3.1.12). */
TEST_F(switching, no_cause_of_a_timeout)
{
	make_set(self->fd, 0, OVFL, 0, 0);
	make_set(self->fd, 1, 0, 0, 0);
	trigger(self->fd, 0, 0, 1, 1);
	MUST(pfm_load(self->fd, self->p.tid));
	MUST(pfm_start(self->fd));
	puppet_do(&self->p, OP_FAULT, 1);
	EXPECT_EQ(1U << 0, ended_by(self->fd, 0));
	MUST(pfm_unload(self->fd));
	make_set(self->fd, 0, TIME, 0, NSEC_PER_MSEC);
	EXPECT_EQ(0U, ended_by(self->fd, 0));
	MUST(pfm_load(self->fd, self->p.tid));
	MUST(pfm_start(self->fd));
	EXPECT_TRUE(puppet_burns_until(&self->p, self->fd, 2, 4));
	EXPECT_EQ(0U, ended_by(self->fd, 0));
}

/* Section 3.7.6, cascading: set 1 counts from the thousandth event on. */
TEST_F(switching, cascade)
{
	make_set(self->fd, 0, OVFL, 0, 0);
	make_set(self->fd, 1, 0, 0, 0);
	trigger(self->fd, 0, 0, 1000, 1);
	choose(self->fd, 1, 1, FAULTS, 0);
	MUST(pfm_load(self->fd, self->p.tid));
	MUST(pfm_start(self->fd));
	puppet_do(&self->p, OP_FAULT, 999);
	/* Not reached: that is what its runs say. */
	EXPECT_EQ(0ULL, runs_of(self->fd, 1));
	EXPECT_EQ(0ULL, value_of(self->fd, 1, 1));
	puppet_do(&self->p, OP_FAULT, 1);
	EXPECT_EQ(1ULL, runs_of(self->fd, 1));
	EXPECT_EQ(0ULL, value_of(self->fd, 1, 1));
	puppet_do(&self->p, OP_FAULT, 321);
	EXPECT_EQ(321ULL, value_of(self->fd, 1, 1));
	EXPECT_EQ(1, active(self->fd));
	EXPECT_EQ(2ULL, all_runs(self->fd, 2));
}

/*
 * What overflowed last in a set waits, as it is, until the set comes again;
 * then comes the short reset, of the counters listed in the control, too.
 */
TEST_F(switching, resets_come_with_the_set)
{
	pfarg_pmc_t pmc = {
		.reg_num = SW_PMC(0), .reg_value = FAULTS,
	};

	vec_set(pmc.reg_reset_pmds, SW_PMD(3));
	make_set(self->fd, 0, OVFL, 0, 0);
	make_set(self->fd, 1, OVFL, 0, 0);
	MUST(pfm(self->fd, PFM_WRITE_PMCS, &pmc, 1));
	set_pmd(self->fd, 0, 0, -6ULL, -700ULL, -7ULL, 1);
	/* No trigger, but it overflows together with one. */
	choose(self->fd, 0, 1, FAULTS, 0);
	set_pmd(self->fd, 0, 1, -3ULL, -400ULL, -3ULL, 0);
	choose(self->fd, 0, 2, FAULTS, 0);
	choose(self->fd, 0, 3, FAULTS, 0);
	set_pmd(self->fd, 0, 3, 50, 5000, 500, 0);
	trigger(self->fd, 1, 0, 4, 1);
	MUST(pfm_load(self->fd, self->p.tid));
	MUST(pfm_start(self->fd));
	puppet_do(&self->p, OP_FAULT, 6 + 3);
	EXPECT_EQ(1, active(self->fd));
	EXPECT_EQ(0ULL, value_of(self->fd, 0, 0));
	EXPECT_EQ(0ULL, value_of(self->fd, 0, 1));
	EXPECT_EQ(6ULL, value_of(self->fd, 0, 2));
	EXPECT_EQ(56ULL, value_of(self->fd, 0, 3));
	EXPECT_EQ(-6ULL, read_pmd(self->fd, 0, 0).reg_last_reset_val);
	puppet_do(&self->p, OP_FAULT, 1);
	EXPECT_EQ(0, active(self->fd));
	EXPECT_EQ(-7ULL, value_of(self->fd, 0, 0));
	EXPECT_EQ(-3ULL, value_of(self->fd, 0, 1));
	EXPECT_EQ(6ULL, value_of(self->fd, 0, 2));
	EXPECT_EQ(500ULL, value_of(self->fd, 0, 3));
	EXPECT_EQ(-7ULL, read_pmd(self->fd, 0, 0).reg_last_reset_val);
}

/* Stopped, nothing overflows; started, it goes on with what is left. */
TEST_F(switching, stopped_before_an_overflow)
{
	make_set(self->fd, 0, OVFL, 0, 0);
	make_set(self->fd, 1, 0, 0, 0);
	trigger(self->fd, 0, 0, 3, 2);
	MUST(pfm_load(self->fd, self->p.tid));
	MUST(pfm_start(self->fd));
	puppet_do(&self->p, OP_FAULT, 5);
	MUST(pfm_stop(self->fd));
	puppet_do(&self->p, OP_FAULT, 10);
	EXPECT_EQ(0, active(self->fd));
	EXPECT_EQ(1ULL, thres_of(self->fd, 0, 0));
	EXPECT_EQ(~0ULL, value_of(self->fd, 0, 0));
	MUST(pfm_start(self->fd));
	EXPECT_EQ(0, active(self->fd));
	EXPECT_EQ(1ULL, runs_of(self->fd, 0));
	puppet_do(&self->p, OP_FAULT, 1);
	EXPECT_EQ(1, active(self->fd));
}

/* ------------------------------------------------------------------------
 * Randomised resets
 */

#define SERIES	20

/* A period of 1 to 8 faults, and a switch after each. */
static void set_random(int fd, int set, u32 flags, u32 seed)
{
	pfarg_pmd_t pmd = {
		.reg_num = SW_PMD(0), .reg_set = (__u16)set,
		.reg_value = ~0ULL, .reg_long_reset = ~7ULL,
		.reg_short_reset = ~7ULL, .reg_random_mask = 7,
		.reg_random_seed = seed, .reg_ovflsw_thres = 1,
	};

	make_set(fd, set, OVFL | flags, set, 0);
	choose(fd, set, 0, FAULTS, PFM_REGFL_RANDOM);
	MUST(pfm(fd, PFM_WRITE_PMDS, &pmd, 1));
}

/* With what set 0 begins each of its activities but the first. */
static void random_series(struct __test_metadata *_metadata, int fd,
			  struct puppet *p, u64 *series)
{
	int n = 0, faults = 0;
	u64 runs, last = 1;

	MUST(pfm_load(fd, p->tid));
	MUST(pfm_start(fd));
	while (n < SERIES) {
		/* One at a time: no activity is overlooked. */
		puppet_do(p, OP_FAULT, 1);
		ASSERT_GT(40 * SERIES, ++faults);
		runs = runs_of(fd, 0);
		if (runs == last)
			continue;
		ASSERT_EQ(last + 1, runs);
		last = runs;
		series[n++] = read_pmd(fd, 0, 0).reg_last_reset_val;
	}
	close(fd);
}

/* A counter's random numbers are its own, whatever other sets draw. */
TEST_F(switching, random_series_per_pmd)
{
	u64 alone[SERIES], together[SERIES], state = 4711;
	int i, fd = (int)MUST(pfm_create(0));

	set_random(fd, 0, NEXT, 4711);
	random_series(_metadata, fd, &self->p, alone);
	fd = (int)MUST(pfm_create(0));
	set_random(fd, 0, 0, 4711);
	set_random(fd, 1, 0, 99);
	random_series(_metadata, fd, &self->p, together);
	for (i = 0; i < SERIES; i++) {
		/* Park and Miller's generator by plain division. */
		state = state * 16807 % 2147483647;
		EXPECT_EQ(~7ULL + (state & 7), alone[i]);
		EXPECT_EQ(alone[i], together[i]);
	}
}

/* The reset that a set waits for is not lost with the attachment (3.7.7, 3.1.8). */
TEST_F(switching, turns_go_on_in_the_next_attachment)
{
	unsigned int n, i;

	for (i = 0; i < 2; i++) {
		make_set(self->fd, (int)i, OVFL, 0, 0);
		trigger(self->fd, (int)i, 0, 3, 1);
		choose(self->fd, (int)i, 1, FAULTS, 0);
	}
	/* Set 0 waits when it is loaded again, then set 1 when it comes by a switch. */
	for (n = 0; n < 4; n++) {
		MUST(pfm_load(self->fd, self->p.tid));
		EXPECT_EQ(-3ULL, value_of(self->fd, 0, 0));
		MUST(pfm_start(self->fd));
		puppet_do(&self->p, OP_FAULT, n & 1 ? 7 : 4);
		EXPECT_EQ(n & 1 ? 0 : 1, active(self->fd));
		EXPECT_EQ(-2ULL, value_of(self->fd, n & 1 ? 0 : 1, 0));
		MUST(pfm_unload(self->fd));
		/* The one that is active has its period's rest: make it a whole one. */
		trigger(self->fd, n & 1 ? 0 : 1, 0, 3, 1);
		EXPECT_EQ(0ULL, value_of(self->fd, n & 1 ? 1 : 0, 0));
	}
	EXPECT_EQ(4ULL + 7 + 4 + 7, value_of(self->fd, 0, 1) + value_of(self->fd, 1, 1));
}

TEST_HARNESS_MAIN
