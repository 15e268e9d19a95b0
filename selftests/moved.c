// SPDX-License-Identifier: GPL-2.0-only
/*
 * System-wide contexts of a program that is moved from CPU to CPU in the midst of
 * its commands: each command is wholly on one CPU (3.1, 3.1.7).
 *
 * Without preemption in the kernel a program is moved between commands only, so
 * that these tests can fail on preemptible kernels alone; debugging kernels are.
 * Not here: monitored threads that move (stress.c, switch_exact.c).
 */
#include "pfm_test.h"

#include <pthread.h>

/* How often something should be seen, and how often that is tried at most. */
#define MOVES	8
#define LOADS	100

struct mover {
	pthread_t thread;
	pid_t tid;
	int cpus[2];
	volatile bool stop;
};

static void move_to(pid_t tid, int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	MUST(sched_setaffinity(tid, sizeof(set), &set));
}

static void *mover_run(void *arg)
{
	struct mover *m = arg;
	unsigned int n;

	for (n = 0; !m->stop; n++)
		move_to(m->tid, m->cpus[n & 1]);
	return NULL;
}

static void mover_start(struct mover *m)
{
	m->tid = my_tid();
	m->stop = false;
	if (pthread_create(&m->thread, NULL, mover_run, m))
		die("pthread_create");
}

static void mover_stop(struct mover *m)
{
	m->stop = true;
	pthread_join(m->thread, NULL);
}

/* The CPU that a system-wide context monitors, as fdinfo says; -1: none. */
static int target_of(int fd)
{
	char path[64], buf[1024], *p;
	int cpu;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	MUST(read_text(path, buf, sizeof(buf)));
	p = strstr(buf, "pfm-target:\tcpu ");
	return p && sscanf(p, "pfm-target:\tcpu %d", &cpu) == 1 ? cpu : -1;
}

/* It is attached to a CPU that works: there the commands do, and nowhere else. */
TEST(load)
{
	struct mover m = {};
	int fd, n, cpu, on[2] = {};

	NEED_CPUS(m.cpus, 2);
	fd = pfm_counter(PFM_FL_SYSTEM_WIDE, PFM_SW_CSWITCHES, 0, 0);
	for (n = 0; n < LOADS && (on[0] < MOVES || on[1] < MOVES); n++) {
		u64 before;

		mover_start(&m);
		MUST(pfm_load(fd, my_tid()));
		mover_stop(&m);
		cpu = target_of(fd);
		ASSERT_TRUE(cpu == m.cpus[0] || cpu == m.cpus[1]);
		on[cpu == m.cpus[1]]++;
		pin_cpu(m.cpus[cpu == m.cpus[0]]);
		EXPECT_EQ(-EBUSY, pfm_start(fd));
		pin_cpu(cpu);
		ASSERT_EQ(0, pfm_start(fd));
		before = pfm_value(fd, SW_PMD(0));
		nap();
		EXPECT_LT(before, pfm_value(fd, SW_PMD(0)));
		ASSERT_EQ(0, pfm_unload(fd));
	}
	TH_LOG("attached %d and %d times", on[0], on[1]);
	close(fd);
}

FIXTURE(limit) {
	pfarg_config_t old;
};

FIXTURE_SETUP(limit)
{
	MUST(pfm(-1, PFM_GET_CONFIG, &self->old, 1));
}

FIXTURE_TEARDOWN(limit)
{
	if (is_root())
		MUST(pfm(-1, PFM_SET_CONFIG, &self->old, 1));
}

/* A vector of many pieces is worked on wholly, or not at all. */
TEST_F(limit, long_vector)
{
	const unsigned int n = 1024;
	pfarg_pmd_t *req = calloc(n, sizeof(*req));
	pfarg_config_t cf = self->old;
	struct mover m = {};
	unsigned int i, done = 0, refused = 0;
	int fd, ret;
	u64 end;

	NEED_ROOT();
	NEED_CPUS(m.cpus, 2);
	cf.cf_arg_size_max = n * sizeof(*req);
	MUST(pfm(-1, PFM_SET_CONFIG, &cf, 1));
	fd = pfm_counter(PFM_FL_SYSTEM_WIDE, PFM_SW_CSWITCHES, 0, 0);
	pin_cpu(m.cpus[0]);
	MUST(pfm_load(fd, my_tid()));
	MUST(pfm_start(fd));
	mover_start(&m);
	end = now_ns(CLOCK_MONOTONIC) + PATIENCE * NSEC_PER_MSEC;
	while ((done < MOVES || refused < MOVES) && now_ns(CLOCK_MONOTONIC) < end) {
		for (i = 0; i < n; i++) {
			req[i].reg_num = SW_PMD(0);
			req[i].reg_flags = 0;
			req[i].reg_value = ~0ULL;
		}
		ret = pfm(fd, PFM_READ_PMDS, req, (int)n);
		for (i = 0; i < n && req[i].reg_value != ~0ULL; i++)
			;
		if (ret) {
			ASSERT_EQ(-EBUSY, ret);
			ASSERT_EQ(0U, i);
			refused++;
		} else {
			ASSERT_EQ(n, i);
			done++;
		}
	}
	mover_stop(&m);
	TH_LOG("done %u times, refused %u times", done, refused);
	EXPECT_LT(0U, done);
	EXPECT_LT(0U, refused);
	close(fd);
	free(req);
}

TEST_HARNESS_MAIN
