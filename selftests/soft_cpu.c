// SPDX-License-Identifier: GPL-2.0-only
/*
 * The software PMU of a system-wide context: what it counts on one CPU,
 * against the kernel's totals in /proc, and PFM_SETFL_EXCL_IDLE.
 *
 * Not here: which commands work from where (state.c), the CPU going away
 * (hotplug.c).
 */
#include "puppet.h"

#define MAX_CPUS 64

static u64 proc_number(const char *path, const char *key)
{
	char buf[65536], *line;

	MUST(read_text(path, buf, sizeof(buf)));
	for (line = buf; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (!strncmp(line, key, strlen(key)))
			return strtoull(line + strlen(key), NULL, 10);
	}
	die("no %s in %s", key, path);
}

/* A started context of @event on the CPU on which this thread is pinned. */
static int cpu_session(int event)
{
	return pfm_session(PFM_FL_SYSTEM_WIDE, event, 0, 0, my_tid());
}

/*
 * All CPUs at once, one context each: what they count together between two
 * moments is what the kernel's own total says, within the moments' width.
 */
TEST(switches_of_all_cpus)
{
	int cpus[MAX_CPUS], fd[MAX_CPUS], n = my_cpus(cpus, MAX_CPUS), i;
	u64 outer, inner, end_inner, end_outer, sum = 0;
	struct puppet p;

	puppet_start(&p, PUPPET_PROCESS);
	for (i = 0; i < n; i++) {
		pin_cpu(cpus[i]);
		fd[i] = pfm_counter(PFM_FL_SYSTEM_WIDE, PFM_SW_CSWITCHES, 0, 0);
		MUST(pfm_load(fd[i], my_tid()));
	}
	outer = proc_number("/proc/stat", "ctxt ");
	for (i = 0; i < n; i++) {
		pin_cpu(cpus[i]);
		MUST(pfm_start(fd[i]));
	}
	inner = proc_number("/proc/stat", "ctxt ");
	puppet_do(&p, OP_SLEEP, 300);
	end_inner = proc_number("/proc/stat", "ctxt ");
	for (i = 0; i < n; i++) {
		pin_cpu(cpus[i]);
		MUST(pfm_stop(fd[i]));
	}
	end_outer = proc_number("/proc/stat", "ctxt ");
	for (i = 0; i < n; i++) {
		pin_cpu(cpus[i]);
		sum += pfm_value(fd[i], SW_PMD(0));
	}
	EXPECT_LE(300ULL, sum);
	EXPECT_LE(end_inner - inner, sum);
	EXPECT_GE(end_outer - outer, sum);
	puppet_stop(&p);
}

TEST(minor_faults)
{
	struct puppet p;
	int cpu = pin_somewhere(), fd, tries;
	u64 before, seen;

	puppet_start(&p, PUPPET_PROCESS);
	puppet_do(&p, OP_PIN, (unsigned int)cpu);
	fd = cpu_session(PFM_SW_MINOR_FAULTS);
	/* Other threads do little on an idle machine, unless the test takes long. */
	for (tries = 0; tries < 20; tries++) {
		before = pfm_value(fd, SW_PMD(0));
		puppet_do(&p, OP_FAULT, 2000);
		seen = pfm_value(fd, SW_PMD(0)) - before;
		EXPECT_LE(2000ULL, seen);
		if (seen < 3500)
			break;
	}
	EXPECT_GT(20, tries);
	puppet_stop(&p);
}

/*
 * The CPU's time that is not idle: asleep next to nothing, unless it stands
 * still just when it is awake; busy all of it.
 */
TEST(task_clock)
{
	struct puppet p;
	int cpu = pin_somewhere(), fd, tries;
	u64 wall, before, seen;

	puppet_start(&p, PUPPET_PROCESS);
	puppet_do(&p, OP_PIN, (unsigned int)cpu);
	fd = cpu_session(PFM_SW_TASK_CLOCK);
	for (tries = 0; tries < 50; tries++) {
		before = pfm_value(fd, SW_PMD(0));
		sleep_ms(300);
		seen = pfm_value(fd, SW_PMD(0)) - before;
		EXPECT_LT(0ULL, seen);
		if (seen < 200 * NSEC_PER_MSEC)
			break;
	}
	EXPECT_GT(50, tries);
	wall = wall_begin();
	before = pfm_value(fd, SW_PMD(0));
	puppet_do(&p, OP_BURN, 100);
	seen = pfm_value(fd, SW_PMD(0)) - before;
	wall = now_ns(CLOCK_MONOTONIC) - wall;
	EXPECT_LE(100 * NSEC_PER_MSEC, seen);
	EXPECT_GE(wall + NSEC_PER_MSEC, seen);
	puppet_stop(&p);
}

TEST(task_clock_period)
{
	int n, fd = pfm_counter(PFM_FL_SYSTEM_WIDE, PFM_SW_TASK_CLOCK,
				PFM_REGFL_OVFL_NOTIFY, -(5 * NSEC_PER_MSEC));
	int in_time = 0;

	pin_somewhere();
	MUST(pfm_write_pmc(fd, SW_PMC(1), PFM_SW_TASK_CLOCK, 0));
	MUST(pfm_load(fd, my_tid()));
	MUST(pfm_start(fd));
	/* A virtual CPU that has to wait for a real one is late: so some are. */
	for (n = 1; n <= 1000 && in_time < 5; n++) {
		/* Busy by halves: what is idle in between does not count. */
		burn_ms(3);
		sleep_ms(1);
		burn_ms(3);
		ASSERT_EQ(PFM_MSG_OVFL, pfm_next_msg(fd, NULL, PATIENCE));
		EXPECT_LE((u64)n * 5 * NSEC_PER_MSEC,
			  pfm_value(fd, SW_PMD(1)));
		in_time += pfm_value(fd, SW_PMD(0)) < NSEC_PER_MSEC;
		MUST(pfm_restart(fd));
	}
	EXPECT_EQ(5, in_time);
}

/* Arrivals on the CPU. */
TEST(migrations)
{
	struct puppet p;
	u64 before, seen;
	int cpus[2], fd, tries;

	NEED_CPUS(cpus, 2);
	puppet_start(&p, PUPPET_PROCESS);
	pin_cpu(cpus[0]);
	fd = cpu_session(PFM_SW_MIGRATIONS);
	/* Every second move comes here; the longer it takes, the more others do. */
	for (tries = 0; tries < 20; tries++) {
		before = pfm_value(fd, SW_PMD(0));
		puppet_do(&p, OP_MIGRATE, 100);
		seen = pfm_value(fd, SW_PMD(0)) - before;
		EXPECT_LE(49ULL, seen);
		if (seen <= 90)
			break;
	}
	EXPECT_GT(20, tries);
	puppet_stop(&p);
}

/* Not what other CPUs do. */
TEST(only_this_cpu)
{
	static const int events[2] = { PFM_SW_MINOR_FAULTS, PFM_SW_TASK_CLOCK };
	int cpus[2], fd, i, tries;
	struct pages pages;
	struct puppet p;
	u64 before[2], faults, busy;

	NEED_CPUS(cpus, 2);
	pages_map(&pages, 100);
	puppet_start(&p, PUPPET_PROCESS);
	puppet_do(&p, OP_PIN, (unsigned int)cpus[1]);
	pin_cpu(cpus[0]);
	fd = cpu_session(PFM_SW_NONE);
	for (i = 0; i < 2; i++)
		MUST(pfm_write_pmc(fd, SW_PMC(i), (u64)events[i], 0));
	/* Unless this one stands still just when it is awake. */
	for (tries = 0; tries < 50; tries++) {
		for (i = 0; i < 2; i++)
			before[i] = pfm_value(fd, SW_PMD(i));
		puppet_do(&p, OP_FAULT, 3000);
		puppet_do(&p, OP_BURN, 200);
		faults = pfm_value(fd, SW_PMD(0)) - before[0];
		busy = pfm_value(fd, SW_PMD(1)) - before[1];
		if (faults < 2000 && busy < 180 * NSEC_PER_MSEC)
			break;
	}
	EXPECT_GT(50, tries);
	/* And what this one does, it sees. */
	for (i = 0; i < 2; i++)
		before[i] = pfm_value(fd, SW_PMD(i));
	pages_touch(&pages, 100);
	burn_ms(10);
	EXPECT_LE(before[0] + 100, pfm_value(fd, SW_PMD(0)));
	EXPECT_LE(before[1] + 10 * NSEC_PER_MSEC, pfm_value(fd, SW_PMD(1)));
	puppet_stop(&p);
}

TEST(only_while_started)
{
	int fd = pfm_counter(PFM_FL_SYSTEM_WIDE, PFM_SW_CSWITCHES, 0, 0);
	u64 a;

	pin_somewhere();
	MUST(pfm_load(fd, my_tid()));
	sleep_ms(5);
	EXPECT_EQ(0ULL, pfm_value(fd, SW_PMD(0)));
	MUST(pfm_start(fd));
	nap();
	MUST(pfm_stop(fd));
	a = pfm_value(fd, SW_PMD(0));
	EXPECT_LE(2ULL, a);
	sleep_ms(5);
	EXPECT_EQ(a, pfm_value(fd, SW_PMD(0)));
	MUST(pfm_start(fd));
	nap();
	EXPECT_LE(a + 2, pfm_value(fd, SW_PMD(0)));
}

static u64 active_ns(int fd)
{
	pfarg_setinfo_t info = {};

	MUST(pfm(fd, PFM_GETINFO_EVTSETS, &info, 1));
	return (u64)info.set_act_duration.tv_sec * NSEC_PER_SEC +
	       (u64)info.set_act_duration.tv_nsec;
}

/* Active while @fd's CPU sleeps for 200 ms. */
static u64 active_in_sleep(u32 set_flags)
{
	pfarg_setdesc_t set = { .set_flags = set_flags };
	int fd = pfm_counter(PFM_FL_SYSTEM_WIDE, PFM_SW_CSWITCHES, 0, 0);
	u64 ns;

	MUST(pfm(fd, PFM_CREATE_EVTSETS, &set, 1));
	MUST(pfm_load(fd, my_tid()));
	MUST(pfm_start(fd));
	nap();
	ns = active_ns(fd);
	sleep_ms(200);
	ns = active_ns(fd) - ns;
	if (pfm_value(fd, SW_PMD(0)) == 0)
		die("no switch at all was counted");
	close(fd);
	return ns;
}

/* 3.7.6: "as if a PFM_STOP had been issued while the idle thread runs". */
TEST(idle_excluded)
{
	int tries;

	pin_somewhere();
	EXPECT_LE(195 * NSEC_PER_MSEC, active_in_sleep(0));
	/* Awake, it may have to wait for a real CPU. */
	for (tries = 0; tries < 50; tries++)
		if (active_in_sleep(PFM_SETFL_EXCL_IDLE) < 150 * NSEC_PER_MSEC)
			break;
	EXPECT_GT(50, tries);
}

/* "This flag is ignored for per-thread sessions" (3.1.10). */
TEST(idle_excluded_per_thread)
{
	pfarg_setdesc_t set = { .set_flags = PFM_SETFL_EXCL_IDLE };
	int fd = pfm_counter(0, PFM_SW_MINOR_FAULTS, 0, 0);
	struct puppet p;

	puppet_start(&p, PUPPET_PROCESS);
	MUST(pfm(fd, PFM_CREATE_EVTSETS, &set, 1));
	MUST(pfm_load(fd, p.tid));
	MUST(pfm_start(fd));
	puppet_do(&p, OP_FAULT, 6);
	EXPECT_EQ(6ULL, pfm_value(fd, SW_PMD(0)));
	puppet_stop(&p);
}

/* Commands from many threads of the CPU, while it switches all the time. */
TEST(values_never_go_back)
{
	struct puppet p;
	int cpu = pin_somewhere(), fd, i, k;
	u64 last[3] = {}, seen;
	static const int events[3] = {
		PFM_SW_CSWITCHES, PFM_SW_TASK_CLOCK, PFM_SW_MINOR_FAULTS,
	};

	puppet_start(&p, PUPPET_PROCESS);
	puppet_do(&p, OP_PIN, (unsigned int)cpu);
	fd = cpu_session(PFM_SW_NONE);
	for (i = 0; i < 3; i++)
		MUST(pfm_write_pmc(fd, SW_PMC(i), (u64)events[i], 0));
	for (k = 0; k < 300; k++) {
		puppet_do(&p, k & 1 ? OP_FAULT : OP_SLEEP, 1);
		for (i = 0; i < 3; i++) {
			seen = pfm_value(fd, SW_PMD(i));
			ASSERT_LE(last[i], seen);
			last[i] = seen;
		}
	}
	EXPECT_LE(150ULL, last[0]);
	EXPECT_LT(0ULL, last[1]);
	EXPECT_LE(150ULL, last[2]);
	puppet_stop(&p);
}

TEST_HARNESS_MAIN
