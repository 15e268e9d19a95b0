// SPDX-License-Identifier: GPL-2.0-only
/*
 * Clocks beside counters of the hardware: what an overflow interrupt, which cannot
 * ask the scheduler, does to the task clock and the thread's time. It masks, it
 * switches sets, it samples and it resets; and no time is lost, or counts twice.
 *
 * A clock is compared with the thread's own, read before and after, or with how
 * long its set was active: no delay of a virtual CPU changes that. Not here: the
 * clocks without hardware (soft.c, soft_cpu.c), sets by themselves (switch_*.c).
 */
#include "hw_bench.h"

#include <perfmon/default_smpl.h>

#define NOTIFY	PFM_REGFL_OVFL_NOTIFY
#define OVFL	PFM_SETFL_OVFL_SWITCH

/* Instructions: of a period, and of all. Milliseconds of a thread's time are longer. */
#define PERIOD	2000000ULL
#define TURNS	(60 * PERIOD / 2)

static u64 cpu_time(void)
{
	return now_ns(CLOCK_THREAD_CPUTIME_ID);
}

static void choose_clock(int fd, __u16 set)
{
	MUST(hw_write_one(fd, set, SW_PMC(0), PFM_SW_TASK_CLOCK, 0));
}

static u64 clock_of(int fd, __u16 set)
{
	pfarg_pmd_t req = { .reg_num = SW_PMD(0), .reg_set = set };

	MUST(pfm(fd, PFM_READ_PMDS, &req, 1));
	return req.reg_value;
}

static u64 active_ns(int fd, __u16 set)
{
	pfarg_setinfo_t info = { .set_id = set };

	MUST(pfm(fd, PFM_GETINFO_EVTSETS, &info, 1));
	return (u64)info.set_act_duration.tv_sec * NSEC_PER_SEC +
	       (u64)info.set_act_duration.tv_nsec;
}

/* Two times of one thing, by two clocks of the scheduler. */
#define EXPECT_ABOUT(want, have)					\
	do {								\
		u64 __want = (want), __have = (have);			\
									\
		EXPECT_LE(__want - __want / 8, __have + NSEC_PER_MSEC);	\
		EXPECT_GE(__want + __want / 8 + NSEC_PER_MSEC, __have);	\
	} while (0)

/* Masked by each overflow: the clock has seen all that came before that. */
TEST(notified_periods)
{
	u64 before, clock;
	unsigned int n;
	int fd;

	NEED_HW_INTERRUPT();
	fd = (int)MUST(pfm_create(0));
	set_nonblock(fd);
	hw_counter(fd, 0, 0, HW_INSTRUCTIONS, HW_USER, NOTIFY, PERIOD);
	choose_clock(fd, 0);
	MUST(pfm_load(fd, my_tid()));
	before = cpu_time();
	MUST(pfm_start(fd));
	for (n = 0; n < 30; n++) {
		while (!pfm_next_msg(fd, NULL, 0))
			hw_loop(PERIOD / 20);
		MUST(pfm_restart(fd));
	}
	MUST(pfm_stop(fd));
	clock = clock_of(fd, 0);
	TH_LOG("%u periods, clock %llu us, active %llu us", n, clock / 1000,
	       active_ns(fd, 0) / 1000);
	EXPECT_ABOUT(active_ns(fd, 0), clock);
	EXPECT_GE(cpu_time() - before, clock);
	close(fd);
}

static void make_turns(int fd, u64 period)
{
	__u16 set;

	for (set = 0; set < 2; set++) {
		pfarg_setdesc_t desc = { .set_id = set, .set_flags = OVFL };
		pfarg_pmd_t pmd = {
			.reg_num = (__u16)hw_find()->pmd(0, HW_INSTRUCTIONS),
			.reg_set = set, .reg_value = -period,
			.reg_long_reset = -period, .reg_short_reset = -period,
			.reg_ovflsw_thres = 1,
		};

		MUST(pfm(fd, PFM_CREATE_EVTSETS, &desc, 1));
		MUST(hw_find()->write(fd, set, 0, HW_INSTRUCTIONS, HW_USER, 0));
		MUST(pfm(fd, PFM_WRITE_PMDS, &pmd, 1));
		choose_clock(fd, set);
	}
}

/* Switched by each overflow: every set has its own time, and both have all. */
static void check_turns(struct __test_metadata *_metadata, bool system, u64 period)
{
	clockid_t id = system ? CLOCK_MONOTONIC : CLOCK_THREAD_CPUTIME_ID;
	u64 outer, inner, a, b;
	int fd, runs;

	for (runs = 0; runs < HW_RUNS; runs++) {
		fd = (int)MUST(pfm_create(system ? PFM_FL_SYSTEM_WIDE : 0));
		make_turns(fd, period);
		MUST(pfm_load(fd, my_tid()));
		outer = system ? wall_begin() : now_ns(id);
		MUST(pfm_start(fd));
		inner = cpu_time();
		hw_loop(TURNS);
		inner = cpu_time() - inner;
		MUST(pfm_stop(fd));
		outer = now_ns(id) - outer;
		if (!hw_stormy(fd))
			break;
		close(fd);
	}
	ASSERT_GT(HW_RUNS, runs);

	a = clock_of(fd, 0);
	b = clock_of(fd, 1);
	TH_LOG("period %llu: clocks %llu + %llu us, active %llu + %llu us of %llu us",
	       period, a / 1000, b / 1000, active_ns(fd, 0) / 1000,
	       active_ns(fd, 1) / 1000, inner / 1000);
	EXPECT_LE(inner, a + b);
	EXPECT_GE(outer, a + b);
	EXPECT_ABOUT(active_ns(fd, 0), a);
	EXPECT_ABOUT(active_ns(fd, 1), b);
	EXPECT_LT(inner / 4, a);
	EXPECT_LT(inner / 4, b);
	close(fd);
}

TEST(sets_that_take_turns)
{
	static const u64 periods[] = { PERIOD, PERIOD / 100 };
	unsigned int i;

	NEED_HW_INTERRUPT();
	for (i = 0; i < 2; i++)
		check_turns(_metadata, false, periods[i]);
}

/* The CPU's time: that of all its threads, of which this is one. */
TEST(sets_of_a_cpu_that_take_turns)
{
	NEED_HW_INTERRUPT();
	NEED_ROOT();
	pin_cpu(sched_getcpu());
	check_turns(_metadata, true, PERIOD / 4);
}

/* ------------------------------------------------------------------------
 * In samples
 */

struct sample {
	pfm_default_smpl_entry_t e;
	u64 value;
};

struct profile {
	int fd;
	u64 size;
	const pfm_default_smpl_hdr_t *hdr;
};

/* Counter 0 takes a sample of PMD @num, and resets it if @reset. */
static void profile_open(struct profile *p, u32 ctx_flags, unsigned int num,
			 bool reset, u64 period)
{
	static const pfm_uuid_t uuid = PFM_DEFAULT_SMPL_UUID;
	struct {
		pfarg_ctx_t ctx;
		pfm_default_smpl_arg_t arg;
	} req = { .ctx.ctx_flags = ctx_flags, .arg.buf_size = 1 << 18 };
	struct hw_more more = {};

	memcpy(req.ctx.ctx_smpl_buf_id, uuid, sizeof(uuid));
	MUST(pfm(-1, PFM_CREATE_CONTEXT, &req, 1));
	p->fd = req.ctx.ctx_fd;
	p->size = req.ctx.ctx_smpl_buf_size;
	p->hdr = mmap(NULL, (size_t)p->size, PROT_READ, MAP_SHARED, p->fd, 0);
	if (p->hdr == MAP_FAILED)
		die("the buffer cannot be mapped: %s", strerror(errno));
	vec_set(more.smpl_pmds, num);
	if (reset)
		vec_set(more.reset_pmds, num);
	choose_clock(p->fd, 0);
	hw_counter_more(p->fd, 0, 0, 0, period, &more);
	MUST(pfm_load(p->fd, my_tid()));
}

static const struct sample *sample(const struct profile *p, u64 n)
{
	return (const struct sample *)(p->hdr + 1) + n;
}

/* Each sample has the time since the last one: together, all of it. */
TEST(reset_by_each_overflow)
{
	u64 n, sum = 0, outer, inner;
	struct profile p;

	NEED_HW_INTERRUPT();
	profile_open(&p, 0, SW_PMD(0), true, PERIOD / 20);
	outer = cpu_time();
	MUST(pfm_start(p.fd));
	inner = cpu_time();
	hw_loop(TURNS);
	inner = cpu_time() - inner;
	MUST(pfm_stop(p.fd));
	outer = cpu_time() - outer;
	ASSERT_LE(TURNS / PERIOD * 20, p.hdr->hdr_count);
	ASSERT_EQ(0ULL, p.hdr->hdr_overflows);
	for (n = 0; n < p.hdr->hdr_count; n++) {
		EXPECT_LT(0ULL, sample(&p, n)->value);
		sum += sample(&p, n)->value;
	}
	sum += clock_of(p.fd, 0);
	TH_LOG("%llu samples, %llu us of %llu us", n, sum / 1000, inner / 1000);
	EXPECT_LE(inner, sum);
	EXPECT_GE(outer, sum);
	close(p.fd);
}

/* The thread's time in samples: it passes, and never goes back. */
TEST(time_of_the_thread)
{
	u64 n, last, begin, end;
	struct profile p;

	NEED_HW_INTERRUPT();
	profile_open(&p, 0, PFM_VPMD_THREAD_TIME, false, PERIOD / 20);
	begin = cpu_time();
	MUST(pfm_start(p.fd));
	hw_loop(TURNS);
	MUST(pfm_stop(p.fd));
	end = cpu_time();
	ASSERT_LE(TURNS / PERIOD * 20, p.hdr->hdr_count);
	last = begin;
	for (n = 0; n < p.hdr->hdr_count; n++) {
		EXPECT_LE(last, sample(&p, n)->value);
		last = sample(&p, n)->value;
	}
	EXPECT_GE(end, last);
	EXPECT_LT((end - begin) / 2, last - begin);
	close(p.fd);
}

/* 3.5.14: a time stamp is constantly increasing, and unique per processor. */
TEST(time_stamps)
{
	struct profile p;
	u64 n, last = 0;
	int runs;

	NEED_HW_INTERRUPT();
	pin_cpu(sched_getcpu());
	for (runs = 0; runs < HW_RUNS; runs++) {
		profile_open(&p, 0, PFM_VPMD_CLOCK, false, 2000);
		MUST(pfm_start(p.fd));
		hw_loop(1000000);
		MUST(pfm_stop(p.fd));
		if (!hw_stormy(p.fd))
			break;
		munmap((void *)p.hdr, (size_t)p.size);
		close(p.fd);
	}
	ASSERT_GT(HW_RUNS, runs);
	ASSERT_LE(200ULL, p.hdr->hdr_count);
	for (n = 0; n < p.hdr->hdr_count; n++) {
		ASSERT_LT(last, sample(&p, n)->e.tstamp);
		last = sample(&p, n)->e.tstamp;
	}
	close(p.fd);
}

TEST_HARNESS_MAIN
