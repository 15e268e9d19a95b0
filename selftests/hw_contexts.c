// SPDX-License-Identifier: GPL-2.0-only
/*
 * Hardware counters of several contexts on one CPU, and of one that monitors a
 * whole CPU: samples and periods of threads that take turns, system-wide sampling
 * and notification, sets that leave out some threads.
 *
 * Not here: plain counts of many threads (hw_threads.c); the idle thread itself, whose
 * instructions at user level are none, so that excluding it must not change a
 * count (switch_cpu.c looks at it with software counters).
 */
#include "hw_bench.h"
#include "sampling.h"

#define PERIOD	10007ULL
#define TURNS	500000UL
#define THREADS	2

static const struct hw_more nothing_more;

struct worker {
	pthread_t thread;
	pthread_barrier_t *ready;
	u64 period;
	struct sampler s;
	u64 total;
	pid_t tid;
};

/* As run(), in pieces between which the other thread comes. */
static __attribute__((noinline)) void run_by_turns(int fd, bool yield)
{
	int i;

	MUST(pfm_start(fd));
	for (i = 0; i < 50; i++) {
		hw_loop(TURNS / 50);
		if (yield)
			sched_yield();
	}
	MUST(pfm_stop(fd));
}

static void *work(void *arg)
{
	struct worker *w = arg;

	w->tid = my_tid();
	sampler_open(&w->s, 0, 1 << 20, 0);
	hw_counter_more(w->s.fd, 0, 0, 0, w->period, &nothing_more);
	hw_counter(w->s.fd, 0, 1, HW_INSTRUCTIONS, HW_USER, 0, 0);
	MUST(pfm_load(w->s.fd, w->tid));
	pthread_barrier_wait(w->ready);
	run_by_turns(w->s.fd, true);
	w->total = hw_value(w->s.fd, 0, 1, HW_INSTRUCTIONS);
	return NULL;
}

/* Two threads by turns on one CPU: each gets all of its samples, and no other. */
/*
 * A thread that comes back with fewer events left of its period than the processor likes, 2,
 * or 32 on some, ends it that much later, and what is beyond the end is dropped. It is rare.
 */
#define SHORTEST	32ULL

TEST(two_threads)
{
	pthread_barrier_t ready;
	struct worker w[THREADS] = {};
	unsigned int i;
	u64 k, rest, have;

	NEED_HW_INTERRUPT();
	pin_somewhere();
	pthread_barrier_init(&ready, NULL, THREADS);
	for (i = 0; i < THREADS; i++) {
		w[i].ready = &ready;
		w[i].period = PERIOD + 2000 * i;
		ASSERT_EQ(0, pthread_create(&w[i].thread, NULL, work, &w[i]));
	}
	for (i = 0; i < THREADS; i++) {
		u64 n;

		pthread_join(w[i].thread, NULL);
		n = w[i].s.hdr->hdr_count;
		EXPECT_LE(2 * TURNS, w[i].total);
		EXPECT_GE(w[i].total / w[i].period, n);
		EXPECT_LE(set_skid(0) ? (w[i].total - SHORTEST) / w[i].period :
			  w[i].total / w[i].period / 2, n);
		for (k = 0; k < n; k++) {
			EXPECT_EQ(w[i].tid, nth(&w[i].s, k, 0)->tid);
			EXPECT_EQ(-w[i].period,
				  nth(&w[i].s, k, 0)->last_reset_val);
		}
		/* And the rest of its period is its own, too. */
		rest = w[i].total - n * w[i].period;
		have = hw_value(w[i].s.fd, 0, 0, HW_INSTRUCTIONS) + w[i].period;
		if (set_skid(0)) {
			EXPECT_GE(rest, have);
			EXPECT_LE(rest, have + SHORTEST);
		}
		sampler_close(&w[i].s);
	}
	pthread_barrier_destroy(&ready);
}

/* All that runs at user level on this CPU, this thread above all. */
TEST(system_wide_sampling)
{
	struct sampler s;
	u64 total, i, mine = 0;
	int cpu;

	NEED_HW_INTERRUPT();
	NEED_ROOT();
	cpu = pin_somewhere();
	sampler_open(&s, PFM_FL_SYSTEM_WIDE, 1 << 20, 0);
	hw_counter_more(s.fd, 0, 0, 0, PERIOD, &nothing_more);
	hw_counter(s.fd, 0, 1, HW_INSTRUCTIONS, HW_USER, 0, 0);
	MUST(pfm_load(s.fd, my_tid()));
	run(s.fd, TURNS);
	total = hw_value(s.fd, 0, 1, HW_INSTRUCTIONS);
	EXPECT_LE(2 * TURNS, total);
	EXPECT_GE(total / PERIOD, s.hdr->hdr_count);
	EXPECT_LE(set_skid(0) ? total / PERIOD : total / PERIOD / 2,
		  s.hdr->hdr_count);
	for (i = 0; i < s.hdr->hdr_count; i++) {
		EXPECT_EQ(cpu, nth(&s, i, 0)->cpu);
		mine += nth(&s, i, 0)->tid == my_tid();
	}
	/* Nothing else needs so many, even if it needs some. */
	EXPECT_LE(2 * TURNS / PERIOD / 2, mine);
	sampler_close(&s);
}

/* Another thread of this CPU overflows its counter: the program is told. */
TEST(system_wide_notification)
{
	struct puppet p;
	unsigned int n;
	int fd, cpu;

	NEED_HW_INTERRUPT();
	NEED_ROOT();
	cpu = pin_somewhere();
	puppet_start(&p, PUPPET_PROCESS);
	puppet_do(&p, OP_PIN, (unsigned int)cpu);
	fd = (int)MUST(pfm_create(PFM_FL_SYSTEM_WIDE));
	hw_counter_more(fd, 0, 0, NOTIFY, 1000003, &nothing_more);
	hw_counter(fd, 0, 1, HW_INSTRUCTIONS, HW_USER, 0, 0);
	MUST(pfm_load(fd, my_tid()));
	MUST(pfm_start(fd));
	for (n = 1; n <= 10; n++) {
		puppet_do(&p, OP_SPIN, 3);
		ASSERT_EQ(PFM_MSG_OVFL, pfm_next_msg(fd, NULL, PATIENCE));
		EXPECT_TRUE(pfm_state_is(fd, "masked"));
		EXPECT_LE(n * 1000003ULL, hw_value(fd, 0, 1, HW_INSTRUCTIONS));
		if (set_skid(0))
			EXPECT_EQ(n * 1000003ULL,
				  hw_value(fd, 0, 1, HW_INSTRUCTIONS));
		MUST(pfm_restart(fd));
	}
	close(fd);
	puppet_stop(&p);
}

/* The idle thread comes and goes: the counters stop and start, and lose nothing. */
TEST(idle_is_excluded)
{
	pfarg_setdesc_t set = { .set_flags = PFM_SETFL_EXCL_IDLE };
	pfarg_setinfo_t info = {};
	u64 total, active, begin, elapsed;
	struct sampler s;
	int i;

	NEED_HW_INTERRUPT();
	NEED_ROOT();
	pin_somewhere();
	sampler_open(&s, PFM_FL_SYSTEM_WIDE, 1 << 20, 0);
	MUST(pfm(s.fd, PFM_CREATE_EVTSETS, &set, 1));
	hw_counter_more(s.fd, 0, 0, 0, PERIOD, &nothing_more);
	hw_counter(s.fd, 0, 1, HW_INSTRUCTIONS, HW_USER, 0, 0);
	MUST(pfm_load(s.fd, my_tid()));
	begin = now_ns(CLOCK_MONOTONIC);
	MUST(pfm_start(s.fd));
	for (i = 0; i < 20; i++) {
		hw_loop(TURNS / 20);
		nap();
	}
	sleep_ms(200);
	MUST(pfm_stop(s.fd));
	elapsed = now_ns(CLOCK_MONOTONIC) - begin;
	total = hw_value(s.fd, 0, 1, HW_INSTRUCTIONS);
	MUST(pfm(s.fd, PFM_GETINFO_EVTSETS, &info, 1));
	active = (u64)info.set_act_duration.tv_sec * NSEC_PER_SEC +
		 (u64)info.set_act_duration.tv_nsec;
	TH_LOG("active for %llu of %llu us", active / 1000, elapsed / 1000);
	EXPECT_LT(active, elapsed);
	EXPECT_LE(2 * TURNS, total);
	EXPECT_GE(total / PERIOD, s.hdr->hdr_count);
	EXPECT_LE(set_skid(0) ? total / PERIOD : total / PERIOD / 2,
		  s.hdr->hdr_count);
	/* The period has gone on where the idle thread came. */
	if (set_skid(0))
		EXPECT_EQ(-PERIOD + total % PERIOD,
			  hw_value(s.fd, 0, 0, HW_INSTRUCTIONS));
	sampler_close(&s);
}

#define MOVES	100

/*
 * Instructions on this CPU while a thread is moved away from it, by a kernel-only
 * thread, and back, and while this thread runs a loop.
 */
static u64 instructions(struct puppet *p, u32 set_flags, enum hw_level level)
{
	pfarg_setdesc_t set = { .set_flags = set_flags };
	int fd = (int)MUST(pfm_create(PFM_FL_SYSTEM_WIDE));
	u64 n;

	MUST(pfm(fd, PFM_CREATE_EVTSETS, &set, 1));
	hw_counter(fd, 0, 0, HW_INSTRUCTIONS, level, 0, 0);
	MUST(pfm_load(fd, my_tid()));
	MUST(pfm_start(fd));
	puppet_do(p, OP_MIGRATE, MOVES);
	hw_loop(TURNS);
	MUST(pfm_stop(fd));
	n = hw_value(fd, 0, 0, HW_INSTRUCTIONS);
	close(fd);
	return n;
}

/* The thread that moves another needs some thousand instructions each time. */
TEST(kernel_only_threads_are_excluded)
{
	static const u32 flag = PFM_SETFL_EXCL_KERNEL_ONLY_THREADS;
	u64 all = ~0ULL, rest = ~0ULL, n;
	struct puppet p;
	int cpus[2], tries;

	NEED_HW();
	NEED_ROOT();
	NEED_CPUS(cpus, 2);
	puppet_start(&p, PUPPET_PROCESS);
	pin_cpu(cpus[0]);
	EXPECT_LE(2 * TURNS, instructions(&p, flag, HW_USER));
	for (tries = 0; tries < 50; tries++) {
		n = instructions(&p, PFM_SETFL_EXCL_IDLE, HW_KERNEL);
		all = n < all ? n : all;
		n = instructions(&p, flag, HW_KERNEL);
		rest = n < rest ? n : rest;
		/* What interrupts add is in neither of the least. */
		if (tries >= 2 && rest + MOVES / 2 * 500 < all)
			break;
	}
	TH_LOG("%llu instructions, %llu without those threads", all, rest);
	EXPECT_GT(50, tries);
	puppet_stop(&p);
}

TEST_HARNESS_MAIN
