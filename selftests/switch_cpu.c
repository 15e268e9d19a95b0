// SPDX-License-Identifier: GPL-2.0-only
/*
 * The sets of system-wide contexts: they switch by time while the CPU is idle,
 * with and without PFM_SETFL_EXCL_IDLE, and by overflows of whatever runs.
 */
#include "switch.h"

#define NEED_CPU_CONTEXT(fd)						\
do {									\
	(fd) = pfm_create(PFM_FL_SYSTEM_WIDE);				\
	if ((fd) == -EPERM)						\
		SKIP(return, "%s: needs CAP_PERFMON", _metadata->name);	\
	MUST(fd);							\
} while (0)

/*
 * Two sets by turns while this CPU has nothing to do. A set that was left
 * only when a thread wakes up would have one activity in each sleep.
 */
static bool switches_asleep(int fd, u32 flags)
{
	int i, tries;
	u64 runs;

	for (i = 0; i < 2; i++)
		make_set(fd, i, TIME | flags, 0, 5 * NSEC_PER_MSEC);
	pin_somewhere();
	MUST(pfm_load(fd, my_tid()));
	MUST(pfm_start(fd));
	for (tries = 0; tries < 40; tries++) {
		runs = all_runs(fd, 2);
		sleep_ms(100);
		if (all_runs(fd, 2) - runs >= 5)
			return true;
	}
	return false;
}

/* "Even when the controlling process is not actually running" (3.7.6). */
TEST(cpu_switches_while_idle)
{
	int fd;

	NEED_CPU_CONTEXT(fd);
	EXPECT_TRUE(switches_asleep(fd, 0));
}

/* "The timeout is active when the idle thread is excluded" (3.7.6). */
TEST(cpu_switches_while_idle_is_excluded)
{
	int fd;

	NEED_CPU_CONTEXT(fd);
	EXPECT_TRUE(switches_asleep(fd, PFM_SETFL_EXCL_IDLE));
}

/* So does the rest of a time-out, by at least the time that we slept. */
TEST(cpu_timeout_runs_while_idle_is_excluded)
{
	u64 left;
	int fd;

	NEED_CPU_CONTEXT(fd);
	make_set(fd, 0, TIME | PFM_SETFL_EXCL_IDLE, 0, 1000 * NSEC_PER_SEC);
	pin_somewhere();
	MUST(pfm_load(fd, my_tid()));
	MUST(pfm_start(fd));
	left = left_of(fd, 0);
	sleep_ms(100);
	EXPECT_GE(left - 90 * NSEC_PER_MSEC, left_of(fd, 0));
}

/*
 * How long sets 0 and 1 were active, and how long their task clocks ran, in
 * a time that this CPU slept through but for what we do in between; @wall is
 * how long it was at most.
 */
static void sleep_and_work(int fd, u32 flags, u64 *act, u64 *busy, u64 *wall)
{
	int i;

	for (i = 0; i < 2; i++) {
		make_set(fd, i, TIME | flags, 0, 3 * NSEC_PER_MSEC);
		choose(fd, i, 0, PFM_SW_TASK_CLOCK, 0);
		set_pmd(fd, i, 0, 0, 0, 0, 0);
		*act -= act_of(fd, i);
	}
	MUST(pfm_load(fd, my_tid()));
	*wall = wall_begin();
	MUST(pfm_start(fd));
	for (i = 0; i < 10; i++) {
		sleep_ms(20);
		burn_ms(1);
	}
	MUST(pfm_stop(fd));
	*wall = now_ns(CLOCK_MONOTONIC) - *wall;
	for (i = 0; i < 2; i++) {
		*act += act_of(fd, i);
		*busy += value_of(fd, i, 0);
	}
	MUST(pfm_unload(fd));
}

/* With the idle thread: all of the time. */
TEST(cpu_activity_with_idle)
{
	u64 act = 0, busy = 0, wall;
	int fd;

	NEED_CPU_CONTEXT(fd);
	pin_somewhere();
	sleep_and_work(fd, 0, &act, &busy, &wall);
	EXPECT_LE(190 * NSEC_PER_MSEC, act);
	EXPECT_GE(at_most(wall), act);
	EXPECT_LE(9 * NSEC_PER_MSEC, busy);
}

/* Without it: the time that the task clock counts, and no more. */
TEST(cpu_activity_without_idle)
{
	u64 act, busy, wall;
	int fd, tries;

	NEED_CPU_CONTEXT(fd);
	pin_somewhere();
	for (tries = 0; tries < 20; tries++) {
		act = busy = 0;
		sleep_and_work(fd, PFM_SETFL_EXCL_IDLE, &act, &busy, &wall);
		EXPECT_LE(9 * NSEC_PER_MSEC, act);
		/*
		 * A CPU that was never idle would have shown nothing, and one
		 * may stand still between two looks at the time.
		 */
		if (busy < wall / 2 && act < busy + 20 * NSEC_PER_MSEC &&
		    busy < act + 20 * NSEC_PER_MSEC)
			break;
	}
	EXPECT_GT(20, tries);
}

/* Any thread's faults count: ten to each activity. */
TEST(cpu_switches_by_overflows)
{
	struct puppet p;
	int i, fd, cpu;
	u64 sum = 0;

	cpu = pin_somewhere();
	puppet_start(&p, PUPPET_PROCESS);
	puppet_do(&p, OP_PIN, (unsigned int)cpu);
	NEED_CPU_CONTEXT(fd);
	for (i = 0; i < 2; i++) {
		make_set(fd, i, OVFL, 0, 0);
		trigger(fd, i, 0, 10, 1);
		choose(fd, i, 1, FAULTS, 0);
	}
	MUST(pfm_load(fd, my_tid()));
	MUST(pfm_start(fd));
	puppet_do(&p, OP_FAULT, 2000);
	MUST(pfm_stop(fd));
	for (i = 0; i < 2; i++)
		sum += value_of(fd, i, 1);
	EXPECT_LE(2000ULL, sum);
	EXPECT_EQ(sum / 10 + 1, all_runs(fd, 2));
	EXPECT_EQ((int)(sum / 10 % 2), active(fd));
	puppet_stop(&p);
}

TEST_HARNESS_MAIN
