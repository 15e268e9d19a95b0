// SPDX-License-Identifier: GPL-2.0-only
/*
 * The counters of the hardware: many threads on few CPUs; and interrupts that come so
 * late that another thread runs by then.
 *
 * Not here: threads that share counters with another context (hw_contexts.c).
 */
#include "hw_bench.h"

#define THREADS	32

struct worker {
	pthread_t thread;
	pthread_barrier_t *ready;
	unsigned int rounds;
	int fd;
	u64 count;
	u64 switches;
	bool sampled;
};

static void *work(void *arg)
{
	struct worker *w = arg;
	unsigned int i;
	u64 before;

	w->fd = counter(0, HW_INSTRUCTIONS, HW_USER, 0, 0);
	pthread_barrier_wait(w->ready);
	before = my_switches();
	MUST(pfm_start(w->fd));
	for (i = 0; i < w->rounds; i++) {
		hw_loop(50);
		syscall(SYS_sched_yield);
	}
	MUST(pfm_stop(w->fd));
	w->switches = my_switches() - before;
	w->count = hw_value(w->fd, 0, 0, HW_INSTRUCTIONS);
	close(w->fd);
	return NULL;
}

/* They begin together, so that they run side by side however slowly they are created. */
static u64 run_workers(struct worker *w, unsigned int n, unsigned int rounds)
{
	pthread_barrier_t ready;
	u64 switches = 0;
	unsigned int i;

	pthread_barrier_init(&ready, NULL, n);
	for (i = 0; i < n; i++) {
		w[i].rounds = rounds;
		w[i].ready = &ready;
		if (pthread_create(&w[i].thread, NULL, work, &w[i]))
			die("pthread_create");
	}
	for (i = 0; i < n; i++) {
		pthread_join(w[i].thread, NULL);
		switches += w[i].switches;
	}
	pthread_barrier_destroy(&ready);
	return switches;
}

/* For tests that take longer than the harness allows by default. */
FIXTURE(many)
{
};

FIXTURE_SETUP(many)
{
}

FIXTURE_TEARDOWN(many)
{
}

/* To the last instruction, whatever ran in between, and on any CPU. */
TEST_F_TIMEOUT(many, threads_are_conserved, 300)
{
	unsigned int rounds = is_slow() ? 800 : 3200, i, tries;
	const u64 enough = is_slow() ? 20000 : 100000;
	struct worker w[THREADS], alone;
	u64 switches = 0;

	NEED_HW();
	run_workers(&alone, 1, rounds);
	for (tries = 0; tries < 20 && switches < enough; tries++) {
		switches += run_workers(w, THREADS, rounds);
		for (i = 0; i < THREADS; i++)
			ASSERT_EQ(alone.count, w[i].count);
	}
	TH_LOG("%llu switches", switches);
	EXPECT_LE(enough, switches);
}

/* The same with periods: the overflows of a thread are its own. */
static void *sampled(void *arg)
{
	struct worker *w = arg;
	unsigned int i;

	w->fd = counter(0, HW_INSTRUCTIONS, HW_USER, PFM_REGFL_OVFL_NOTIFY, 20000);
	hw_counter(w->fd, 0, 1, HW_INSTRUCTIONS, HW_USER, 0, 0);
	MUST(pfm_start(w->fd));
	w->count = 0;
	for (i = 0; i < w->rounds; i++) {
		hw_loop(50);
		syscall(SYS_sched_yield);
		if (i % 16 == 0 && pfm_poll(w->fd, 0) == 1) {
			w->count++;
			if (pfm_next_msg(w->fd, NULL, 0) != PFM_MSG_OVFL)
				die("no message");
			MUST(pfm_restart(w->fd));
		}
	}
	MUST(pfm_stop(w->fd));
	w->switches = hw_value(w->fd, 0, 1, HW_INSTRUCTIONS);
	close(w->fd);
	return NULL;
}

TEST_F_TIMEOUT(many, overflows_are_the_threads_own, 300)
{
	struct worker w[8];
	unsigned int i;

	NEED_HW_INTERRUPT();
	for (i = 0; i < 8; i++) {
		/* Different lengths, so that a wrong owner shows. */
		w[i].rounds = 1000 * (i + 1);
		ASSERT_EQ(0, pthread_create(&w[i].thread, NULL, sampled, &w[i]));
	}
	for (i = 0; i < 8; i++) {
		pthread_join(w[i].thread, NULL);
		/* Whatever was counted while not masked, in periods. */
		TH_LOG("%llu overflows in %llu events", w[i].count, w[i].switches);
		EXPECT_LE(w[i].count, w[i].switches / 20000);
		EXPECT_LE(w[i].switches / 20000, w[i].count + 1);
	}
}

#define LATE_PERIOD	4999

/* Counter 0 overflows all the time, counter 1 has nothing to do with that. */
static void *sampled_beside(void *arg)
{
	struct worker *w = arg;
	unsigned int i;

	w->fd = (int)MUST(pfm_create(0));
	if (w->sampled)
		hw_counter(w->fd, 0, 0, HW_INSTRUCTIONS, HW_USER, 0, LATE_PERIOD);
	hw_counter(w->fd, 0, 1, HW_INSTRUCTIONS, HW_USER, 0, 0);
	MUST(pfm_load(w->fd, my_tid()));
	/* Threads that begin before the others exist would not be switched. */
	if (w->ready)
		pthread_barrier_wait(w->ready);
	MUST(pfm_start(w->fd));
	for (i = 0; i < w->rounds; i++) {
		hw_loop(50);
		syscall(SYS_sched_yield);
	}
	MUST(pfm_stop(w->fd));
	w->count = hw_value(w->fd, 0, 1, HW_INSTRUCTIONS);
	close(w->fd);
	return NULL;
}

FIXTURE(late)
{
	bool skid;
};

FIXTURE_SETUP(late)
{
	/* Later than a switch of threads takes. */
	self->skid = hw_find() && is_root() && set_skid(is_slow() ? 100000 : 3000);
}

FIXTURE_TEARDOWN(late)
{
	if (self->skid)
		set_skid(0);
}

#define NEED_SKID()							\
	do {								\
		NEED_HW_INTERRUPT();					\
		NEED_DEBUGFS();						\
		if (!self->skid)					\
			SKIP(return, "needs root and the bench's QEMU");	\
	} while (0)

/*
 * So late that the thread is often gone: what the interrupt was about has been
 * found at the switch, the next thread is not asked to account for it, and the
 * kernel reports no unknown NMI.
 */
TEST_F_TIMEOUT(late, interrupts_are_known, 300)
{
	unsigned int rounds = is_slow() ? 500 : 2000, i, unknown, tries;
	u64 late = 0, overflows = 0, wanted = 0;
	struct worker w[8], alone = { .rounds = rounds };
	pthread_barrier_t ready;

	NEED_SKID();
	pthread_barrier_init(&ready, NULL, 8);
	sampled_beside(&alone);
	/* If this CPU has to wait for a real one just then, that is too late. */
	for (tries = 0; tries < 5; tries++) {
		unknown = kernel_said(UNKNOWN_NMI);
		late = debugfs_sum("late");
		overflows = debugfs_sum("overflows");
		wanted = 0;
		for (i = 0; i < 8; i++) {
			/* Half of them have no overflow, and get the others'. */
			w[i].ready = &ready;
			w[i].rounds = rounds;
			w[i].sampled = i & 1;
			ASSERT_EQ(0, pthread_create(&w[i].thread, NULL,
						    sampled_beside, &w[i]));
		}
		for (i = 0; i < 8; i++) {
			pthread_join(w[i].thread, NULL);
			EXPECT_EQ(alone.count, w[i].count);
			if (w[i].sampled)
				wanted += w[i].count / LATE_PERIOD;
		}
		late = debugfs_sum("late") - late;
		overflows = debugfs_sum("overflows") - overflows;
		unknown = kernel_said(UNKNOWN_NMI) - unknown;
		TH_LOG("%llu overflows of %llu, %llu late, %u of them unknown",
		       overflows, wanted, late, unknown);
		EXPECT_GE(wanted, overflows);
		EXPECT_LT(wanted / 3, overflows);
		EXPECT_LT(0ULL, late);
		ASSERT_GE(2U, unknown);
		if (!unknown)
			break;
	}
	EXPECT_GT(5U, tries);
}

TEST_HARNESS_MAIN
