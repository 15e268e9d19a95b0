// SPDX-License-Identifier: GPL-2.0-only
/*
 * Switching by time (3.7.6): sets take turns, each for its time-out, which
 * runs while the thread is monitored and not otherwise.
 *
 * Of times these tests ask only what a delay cannot change: a set is never
 * left early, and is active no longer than the test took. Not here: a CPU's
 * contexts (switch_cpu.c), the administrator's lower limit (limits.c).
 */
#include "switch.h"

/* ------------------------------------------------------------------------
 * Sets
 */

/* Runs until sets 0 to @n - 1 have been active @runs times; not for ever. */
static bool burn_until(int fd, int n, u64 runs)
{
	u64 end = now_ns(CLOCK_THREAD_CPUTIME_ID) + 60 * NSEC_PER_SEC;

	while (all_runs(fd, n) < runs) {
		if (now_ns(CLOCK_THREAD_CPUTIME_ID) > end)
			return false;
		burn_ms(1);
	}
	return true;
}

/* ------------------------------------------------------------------------
 * By time
 */

/* Each set has its turn, and all of its time; a lone one follows itself. */
TEST(by_turns)
{
	static const int counts[] = { 1, 2, 5 };
	pfarg_setinfo_t info[MAX_SETS];
	size_t k;
	int i;

	for (k = 0; k < ARRAY_SIZE(counts); k++) {
		u64 wall, cpu, eff = 0, runs = 0, act = 0;
		int n = counts[k], fd = (int)MUST(pfm_create(0));

		for (i = 0; i < n; i++)
			eff = make_set(fd, i, TIME, 0, 2 * NSEC_PER_MSEC);
		MUST(pfm_load(fd, my_tid()));
		wall = wall_begin();
		MUST(pfm_start(fd));
		cpu = now_ns(CLOCK_THREAD_CPUTIME_ID);
		EXPECT_TRUE(burn_until(fd, n, 4ULL * (u64)n + 2));
		cpu = now_ns(CLOCK_THREAD_CPUTIME_ID) - cpu;
		infos_of(fd, info, n);
		wall = now_ns(CLOCK_MONOTONIC) - wall;
		for (i = 0; i < n; i++) {
			runs += info[i].set_runs;
			act += in_ns(info[i].set_act_duration);
			EXPECT_GE(eff, in_ns(info[i].set_timeout));
			EXPECT_GE(info[0].set_runs, info[i].set_runs);
			EXPECT_LE(info[0].set_runs, info[i].set_runs + 1);
		}
		/* Each set that was left had all of its time. */
		EXPECT_LE((runs - 1) * (eff - SLACK), act);
		EXPECT_GE(at_most(wall), act);
		EXPECT_LE(cpu - cpu / 10 - NSEC_PER_MSEC, act);
		close(fd);
	}
}

/* Loading "does not, by itself, enable time-based set switching" (3.1.5). */
TEST(not_before_start)
{
	int fd = (int)MUST(pfm_create(0));
	u64 eff = make_set(fd, 0, TIME, 0, NSEC_PER_MSEC);

	make_set(fd, 1, TIME, 0, NSEC_PER_MSEC);
	MUST(pfm_load(fd, my_tid()));
	burn_ms(20);
	EXPECT_EQ(0, active(fd));
	EXPECT_EQ(1ULL, runs_of(fd, 0));
	EXPECT_EQ(0ULL, runs_of(fd, 1));
	EXPECT_EQ(eff, left_of(fd, 0));
	EXPECT_EQ(0ULL, act_of(fd, 0));
}

/* The puppet has two sets, a millisecond each, and is monitored. */
static void start_two(FIXTURE_DATA(switching) *f)
{
	int i;

	for (i = 0; i < 2; i++)
		make_set(f->fd, i, TIME, 0, NSEC_PER_MSEC);
	MUST(pfm_load(f->fd, f->p.tid));
	MUST(pfm_start(f->fd));
}

/* While the puppet rests, nothing happens to its two sets. Returns their runs. */
static u64 check_time_stands(struct __test_metadata *_metadata, int fd)
{
	pfarg_setinfo_t a[2], b[2];

	infos_of(fd, a, 2);
	sleep_ms(50);
	infos_of(fd, b, 2);
	EXPECT_EQ(0, memcmp(a, b, sizeof(a)));
	return b[0].set_runs + b[1].set_runs;
}

/* It is the thread's time, not the wall's (3.7.6): not a bit while asleep. */
TEST_F(switching, asleep)
{
	u64 i;

	start_two(self);
	for (i = 1; i <= 3; i++) {
		ASSERT_TRUE(puppet_burns_until(&self->p, self->fd, 2, 1 + 4 * i));
		puppet_settle(&self->p);
		check_time_stands(_metadata, self->fd);
	}
}

/* The same for a thread that is stopped, wherever it happens to be. */
TEST_F(switching, stopped_by_a_signal)
{
	u64 runs;

	start_two(self);
	puppet_post(&self->p, OP_BURN, 300);
	sleep_ms(20);
	MUST(kill(self->p.tid, SIGSTOP));
	wait_rest(self->p.tid, "T");
	runs = check_time_stands(_metadata, self->fd);
	MUST(kill(self->p.tid, SIGCONT));
	EXPECT_TRUE(puppet_done(&self->p, PATIENCE));
	EXPECT_TRUE(puppet_burns_until(&self->p, self->fd, 2, runs + 2));
}

/* What is left: all at the load, then less and less, by the time that went. */
TEST(rest_of_the_timeout)
{
	int i, fd = (int)MUST(pfm_create(0));
	u64 eff = make_set(fd, 0, TIME, 0, 100 * NSEC_PER_SEC);
	u64 wall, left, last = eff;

	EXPECT_LE(100 * NSEC_PER_SEC, eff);
	EXPECT_EQ(eff, left_of(fd, 0));
	MUST(pfm_load(fd, my_tid()));
	EXPECT_EQ(eff, left_of(fd, 0));
	wall = wall_begin();
	MUST(pfm_start(fd));
	for (i = 0; i < 5; i++) {
		burn_ms(4);
		left = left_of(fd, 0);
		EXPECT_GE(last - 3 * NSEC_PER_MSEC, left);
		last = left;
	}
	wall = now_ns(CLOCK_MONOTONIC) - wall;
	EXPECT_GE(at_most(wall), eff - last);
	/* "Its timeout is reset" (3.7.6) by the next load, not by the unload. */
	MUST(pfm_unload(fd));
	EXPECT_GE(last, left_of(fd, 0));
	MUST(pfm_load(fd, my_tid()));
	EXPECT_EQ(eff, left_of(fd, 0));
}

/* Figure 3.36: stopped while masked, it goes on where it was. */
TEST(rest_while_masked)
{
	int fd = (int)MUST(pfm_create(0));
	u64 eff = make_set(fd, 0, TIME, 0, 100 * NSEC_PER_SEC);
	pfarg_setinfo_t a, b;
	struct pages pages;
	u64 wall, left;

	make_set(fd, 1, 0, 0, 0);
	pages_map(&pages, 1);
	MUST(pfm_load(fd, my_tid()));
	MUST(pfm_start(fd));
	burn_ms(3);
	choose(fd, 0, 0, FAULTS, NOTIFY);
	set_pmd(fd, 0, 0, ~0ULL, 0, 0, 0);
	pages_touch(&pages, 1);
	ASSERT_TRUE(pfm_state_is(fd, "masked"));
	a = info_of(fd, 0);
	EXPECT_GT(eff, in_ns(a.set_timeout));
	burn_ms(50);
	b = info_of(fd, 0);
	EXPECT_EQ(0, memcmp(&a, &b, sizeof(a)));
	wall = wall_begin();
	MUST(pfm_restart(fd));
	left = left_of(fd, 0);
	wall = now_ns(CLOCK_MONOTONIC) - wall;
	EXPECT_GE(in_ns(a.set_timeout), left);
	EXPECT_GE(at_most(wall), in_ns(a.set_timeout) - left);
	burn_ms(5);
	EXPECT_GE(left - 4 * NSEC_PER_MSEC, left_of(fd, 0));
	/* The same set, and no other activity of it (3.1.9). */
	EXPECT_EQ(0, active(fd));
	EXPECT_EQ(1ULL, runs_of(fd, 0));
}

/* A time that would have been over comes after the restart, all of it. */
TEST(no_switch_while_masked)
{
	int tries, fd = (int)MUST(pfm_create(0));
	u64 eff = make_set(fd, 0, TIME, 0, 50 * NSEC_PER_MSEC), act;
	struct pages pages;

	make_set(fd, 1, 0, 0, 0);
	pages_map(&pages, 100);
	choose(fd, 0, 0, FAULTS, NOTIFY);
	/* Unless this CPU stands still it is masked at once. */
	for (tries = 0; tries < 100; tries++) {
		set_pmd(fd, 0, 0, ~0ULL, 0, 0, 0);
		MUST(pfm_load(fd, my_tid()));
		act = act_of(fd, 0);
		MUST(pfm_start(fd));
		pages_touch(&pages, 1);
		if (pfm_state_is(fd, "masked"))
			break;
		MUST(pfm_unload(fd));
	}
	ASSERT_GT(100, tries);
	burn_ms(80);
	EXPECT_EQ(0, active(fd));
	EXPECT_EQ((u64)tries, runs_of(fd, 1));
	EXPECT_TRUE(pfm_state_is(fd, "masked"));
	MUST(pfm_restart(fd));
	EXPECT_TRUE(burn_until(fd, 2, 2 * (u64)tries + 2));
	EXPECT_EQ(1, active(fd));
	EXPECT_LE(eff - SLACK, act_of(fd, 0) - act);
}

/*
 * A period of the task clock as long as the time-out: both are over at once.
 * Whichever wins, a set that has notified stays until PFM_RESTART (3.7.7).
 */
TEST(overflow_at_the_end_of_the_time)
{
	int i, masked = 0, fd = (int)MUST(pfm_create(0));
	u64 eff = make_set(fd, 0, TIME, 0, 3 * NSEC_PER_MSEC), runs, end;
	pfm_msg_t msg;

	make_set(fd, 1, 0, 0, 0);
	choose(fd, 0, 0, PFM_SW_TASK_CLOCK, NOTIFY);
	for (i = 0; i < 10; i++) {
		set_pmd(fd, 0, 0, -eff, 0, 0, 0);
		runs = runs_of(fd, 1);
		MUST(pfm_load(fd, my_tid()));
		MUST(pfm_start(fd));
		end = now_ns(CLOCK_THREAD_CPUTIME_ID) + 60 * NSEC_PER_SEC;
		while (pfm_state_is(fd, "loaded") && active(fd) == 0 &&
		       now_ns(CLOCK_THREAD_CPUTIME_ID) < end)
			;
		if (pfm_state_is(fd, "masked")) {
			masked++;
			ASSERT_EQ(PFM_MSG_OVFL,
				  pfm_next_msg(fd, &msg, PATIENCE));
			EXPECT_EQ(0, msg.pfm_ovfl_msg.msg_active_set);
			EXPECT_EQ(0, active(fd));
			EXPECT_EQ(runs, runs_of(fd, 1));
		} else {
			EXPECT_EQ(1, active(fd));
		}
		MUST(pfm_unload(fd));
	}
	TH_LOG("%d of %d times the overflow came first", masked, i);
}

/* "Stopping monitoring does stop time-based ... switching" (3.1.6). */
TEST(stopped)
{
	int i, fd = (int)MUST(pfm_create(0));
	pfarg_setinfo_t a[2], b[2];

	for (i = 0; i < 2; i++)
		make_set(fd, i, TIME, 0, NSEC_PER_MSEC);
	MUST(pfm_load(fd, my_tid()));
	MUST(pfm_start(fd));
	ASSERT_TRUE(burn_until(fd, 2, 4));
	MUST(pfm_stop(fd));
	infos_of(fd, a, 2);
	burn_ms(20);
	infos_of(fd, b, 2);
	EXPECT_EQ(0, memcmp(a, b, sizeof(a)));
	MUST(pfm_start(fd));
	EXPECT_TRUE(burn_until(fd, 2, a[0].set_runs + a[1].set_runs + 2));
}

/* Started again: the set that was active, and the rest of its time. */
TEST(started_again)
{
	int fd = (int)MUST(pfm_create(0));
	u64 wall, left, now;

	make_set(fd, 0, TIME, 0, 2 * NSEC_PER_MSEC);
	make_set(fd, 1, TIME, 0, 1000 * NSEC_PER_SEC);
	MUST(pfm_load(fd, my_tid()));
	MUST(pfm_start(fd));
	ASSERT_TRUE(burn_until(fd, 2, 2));
	burn_ms(5);
	MUST(pfm_stop(fd));
	left = left_of(fd, 1);
	EXPECT_GE(1000 * NSEC_PER_SEC - 4 * NSEC_PER_MSEC, left);
	burn_ms(50);
	EXPECT_EQ(left, left_of(fd, 1));
	wall = wall_begin();
	MUST(pfm_start(fd));
	now = left_of(fd, 1);
	wall = now_ns(CLOCK_MONOTONIC) - wall;
	EXPECT_EQ(1, active(fd));
	EXPECT_EQ(1ULL, runs_of(fd, 1));
	EXPECT_GE(left, now);
	EXPECT_GE(at_most(wall), left - now);
	burn_ms(5);
	EXPECT_GE(now - 4 * NSEC_PER_MSEC, left_of(fd, 1));
}

/*
 * The smallest time-out there is, in a thread that does nothing but fault:
 * whatever a switch hits, each fault belongs to exactly one set.
 */
/* Overflows that mask nothing neither stop the time nor give any back (3.7.7). */
TEST_F(switching, silent_overflows)
{
	pfarg_setinfo_t a[2], b[2];
	u64 eff;
	int i, tries;

	for (i = 0; i < 2; i++) {
		eff = make_set(self->fd, i, TIME, 0, 20 * NSEC_PER_MSEC);
		choose(self->fd, i, 0, FAULTS, 0);
		set_pmd(self->fd, i, 0, -1ULL, -1ULL, -1ULL, 0);
	}
	MUST(pfm_load(self->fd, self->p.tid));
	MUST(pfm_start(self->fd));
	for (tries = 0; tries < 10000 && all_runs(self->fd, 2) < 6; tries++) {
		puppet_do(&self->p, OP_BURN, 1);
		infos_of(self->fd, a, 2);
		puppet_do(&self->p, OP_FAULT, 20);
		infos_of(self->fd, b, 2);
		for (i = 0; i < 2; i++) {
			EXPECT_EQ(-1ULL, value_of(self->fd, i, 0));
			if (a[0].set_runs == b[0].set_runs &&
			    a[1].set_runs == b[1].set_runs)
				EXPECT_GE(in_ns(a[i].set_timeout),
					  in_ns(b[i].set_timeout));
		}
	}
	EXPECT_LE(6ULL, all_runs(self->fd, 2));
	EXPECT_LE(2 * (eff - SLACK), act_of(self->fd, 0));
	EXPECT_EQ(0ULL, pfm_fdinfo_num(self->fd, "pfm-queued"));
	EXPECT_TRUE(pfm_state_is(self->fd, "loaded"));
}

TEST_F(switching, smallest_timeout)
{
	u64 base, faults = 0, sum = 0, eff = 0, act = 0, runs;
	int i;

	for (i = 0; i < 3; i++) {
		eff = make_set(self->fd, i, TIME, 0, 1);
		choose(self->fd, i, 0, FAULTS, 0);
	}
	puppet_settle(&self->p);
	base = thread_minor_faults(self->p.tid);
	MUST(pfm_load(self->fd, self->p.tid));
	MUST(pfm_start(self->fd));
	while (faults < MANY / 5 || all_runs(self->fd, 3) < 100) {
		puppet_do(&self->p, OP_FAULT, 500);
		faults = thread_minor_faults(self->p.tid) - base;
		ASSERT_GT(20 * MANY, faults);
	}
	puppet_settle(&self->p);
	for (i = 0; i < 3; i++) {
		sum += value_of(self->fd, i, 0);
		act += act_of(self->fd, i);
	}
	runs = all_runs(self->fd, 3);
	EXPECT_EQ(thread_minor_faults(self->p.tid) - base, sum);
	EXPECT_LE((runs - 1) * (eff - SLACK), act);
	TH_LOG("%llu faults, %llu activities", sum, runs);
}

TEST_HARNESS_MAIN
