// SPDX-License-Identifier: GPL-2.0-only
/*
 * A thread and its CPU, monitored at once, one of them by the hardware's counters:
 * contexts that have programmed the hardware keep those of the other kind from it,
 * and from nothing else (3.1.7).
 *
 * Not here: both in software (sessions.c).
 */
#include "hw_bench.h"
#include "sampling.h"

#define CPU	0
#define THREAD	1

static const u32 kinds[2] = { PFM_FL_SYSTEM_WIDE, 0 };

/* A context of this thread or of its CPU, not loaded. */
static int context(int kind, bool hard)
{
	int fd = (int)MUST(pfm_create(kinds[kind]));

	if (hard)
		hw_counter(fd, 0, 0, HW_INSTRUCTIONS, HW_USER, 0, 0);
	else
		MUST(pfm_write_pmc(fd, SW_PMC(0), PFM_SW_MINOR_FAULTS, 0));
	return fd;
}

static int program(int fd)
{
	return hw_find()->write(fd, 0, 0, HW_INSTRUCTIONS, HW_USER, 0);
}

/* All combinations, either first. */
TEST(combinations)
{
	int first, hard, fd[2], k;

	NEED_HW();
	NEED_ROOT();
	pin_somewhere();
	for (first = 0; first < 2; first++) {
		for (hard = 0; hard < 4; hard++) {
			for (k = 0; k < 2; k++)
				fd[k] = context(k, hard >> k & 1);
			ASSERT_EQ(0, pfm_load(fd[first], my_tid()));
			EXPECT_EQ(hard == 3 ? -EBUSY : 0,
				  pfm_load(fd[!first], my_tid())) {
				TH_LOG("first %d, with hardware %d", first, hard);
			}
			/* The end of the first makes room. */
			MUST(pfm_unload(fd[first]));
			EXPECT_EQ(hard == 3 ? 0 : -EBUSY,
				  pfm_load(fd[!first], my_tid()));
			close(fd[!first]);
			close(fd[first]);
		}
	}
}

/* While it is loaded, a context that has none yet is refused what the others have. */
TEST(programmed_while_loaded)
{
	int first, fd[2];

	NEED_HW();
	NEED_ROOT();
	pin_somewhere();
	for (first = 0; first < 2; first++) {
		fd[first] = context(first, true);
		fd[!first] = context(!first, false);
		MUST(pfm_load(fd[first], my_tid()));
		MUST(pfm_load(fd[!first], my_tid()));
		EXPECT_EQ(-EBUSY, program(fd[!first]));
		/* Nothing of it is left: in software it counts, and can be changed. */
		EXPECT_EQ(0, pfm_write_pmc(fd[!first], SW_PMC(1), PFM_SW_CSWITCHES, 0));
		MUST(pfm_unload(fd[first]));
		EXPECT_EQ(0, program(fd[!first]));
		EXPECT_EQ(-EBUSY, pfm_load(fd[first], my_tid()));
		/* It has programmed some, and keeps that when it is loaded anew. */
		MUST(pfm_unload(fd[!first]));
		EXPECT_EQ(0, pfm_load(fd[first], my_tid()));
		EXPECT_EQ(-EBUSY, pfm_load(fd[!first], my_tid()));
		close(fd[0]);
		close(fd[1]);
	}
}

/* A command that is refused altogether leaves the hardware to others. */
TEST(refused)
{
	pfarg_pmc_t bad = { .reg_num = 0, .reg_flags = 1U << 20 };
	int first, fd[2];

	NEED_HW();
	NEED_ROOT();
	pin_somewhere();
	for (first = 0; first < 2; first++) {
		fd[first] = context(first, false);
		fd[!first] = context(!first, true);
		MUST(pfm_load(fd[first], my_tid()));
		EXPECT_EQ(-EINVAL, pfm(fd[first], PFM_WRITE_PMCS, &bad, 1));
		EXPECT_EQ(0, pfm_load(fd[!first], my_tid()));
		close(fd[0]);
		close(fd[1]);
	}
}

/* Who reads that the thread has ended finds the hardware free. */
TEST(end_of_the_thread)
{
	struct puppet p;
	int fd, cpu, i;

	NEED_HW();
	NEED_ROOT();
	pin_somewhere();
	cpu = context(CPU, true);
	for (i = 0; i < 20; i++) {
		puppet_start(&p, PUPPET_PROCESS);
		fd = context(THREAD, true);
		MUST(pfm_load(fd, p.tid));
		MUST(pfm_start(fd));
		EXPECT_EQ(-EBUSY, pfm_load(cpu, my_tid()));
		puppet_post(&p, OP_EXIT, 0);
		ASSERT_EQ(PFM_MSG_END, pfm_next_msg(fd, NULL, PATIENCE));
		ASSERT_EQ(0, pfm_load(cpu, my_tid()));
		MUST(pfm_unload(cpu));
		reap(p.tid);
		close(fd);
	}
	close(cpu);
}

#define TURNS	500000UL
#define PERIOD	10007ULL

/* A context that looks at everything that software counts, often. */
static int busy_context(struct sampler *s, int kind, u64 period)
{
	sampler_open(s, kinds[kind], 1 << 20, 0);
	sample_faults(s->fd, 0, 1, 0, PMD(PFM_VPMD_THREAD_TIME));
	choose(s->fd, 0, 1, PFM_SW_TASK_CLOCK, 0, PMD(PFM_VPMD_THREAD_TIME), 0);
	MUST(pfm_write_period(s->fd, SW_PMD(1), -period, -period, -period));
	choose(s->fd, 0, 2, PFM_SW_CSWITCHES, 0, 0, 0);
	return s->fd;
}

/*
 * One is sampled by the hardware, in NMIs, while the other is by software, at faults
 * and by the timer: both are as exact as they are alone.
 */
static void sampled(struct __test_metadata *_metadata, int hard)
{
	static const struct hw_more nothing_more;
	struct sampler s[2];
	struct pages pages;
	u64 total, n;
	int i;

	pin_somewhere();
	pages_map(&pages, 500);
	sampler_open(&s[hard], kinds[hard], 1 << 20, 0);
	hw_counter_more(s[hard].fd, 0, 0, 0, PERIOD, &nothing_more);
	hw_counter(s[hard].fd, 0, 1, HW_INSTRUCTIONS, HW_USER, 0, 0);
	busy_context(&s[!hard], !hard, 100000);
	MUST(pfm_load(s[!hard].fd, my_tid()));
	MUST(pfm_load(s[hard].fd, my_tid()));
	MUST(pfm_start(s[!hard].fd));
	MUST(pfm_start(s[hard].fd));
	for (i = 0; i < 50; i++) {
		hw_loop(TURNS / 50);
		pages_touch(&pages, 10);
		if (i % 10 == 0)
			nap();
	}
	MUST(pfm_stop(s[hard].fd));
	MUST(pfm_stop(s[!hard].fd));

	total = hw_value(s[hard].fd, 0, 1, HW_INSTRUCTIONS);
	EXPECT_LE(2 * TURNS, total);
	n = s[hard].hdr->hdr_count;
	EXPECT_GE(total / PERIOD, n);
	EXPECT_LE(set_skid(0) ? total / PERIOD : total / PERIOD / 2, n);
	if (set_skid(0))
		EXPECT_EQ(-PERIOD + total % PERIOD,
			  hw_value(s[hard].fd, 0, 0, HW_INSTRUCTIONS));

	/* The other's: each fault, and a time stamp of its own for each event. */
	for (n = 0, total = 0; n < s[!hard].hdr->hdr_count; n++) {
		const dfl_entry_t *e = nth(&s[!hard], n, 1);

		total += e->ovfl_pmd == SW_PMD(0);
		if (n)
			ASSERT_GT(e->tstamp + (e->ovfl_pmd == SW_PMD(1)),
				  nth(&s[!hard], n - 1, 1)->tstamp);
	}
	EXPECT_LE(500ULL, total);
	for (i = 0; i < 2; i++)
		sampler_close(&s[i]);
}

TEST(thread_by_hardware)
{
	NEED_HW_INTERRUPT();
	NEED_ROOT();
	sampled(_metadata, THREAD);
}

TEST(cpu_by_hardware)
{
	NEED_HW_INTERRUPT();
	NEED_ROOT();
	sampled(_metadata, CPU);
}

/*
 * Threads that take turns with the hardware's counters, while the CPU is monitored
 * in software: each has its own count, as without that.
 */
TEST(threads_take_turns)
{
	u64 alone = hw_find() ? hw_total(TURNS) : 0;
	struct sampler s;
	int fd, i;

	NEED_HW();
	NEED_ROOT();
	pin_somewhere();
	busy_context(&s, CPU, 50000);
	attach(s.fd, my_tid());
	for (i = 0; i < 10; i++) {
		fd = context(THREAD, true);
		MUST(pfm_load(fd, my_tid()));
		run(fd, TURNS);
		EXPECT_EQ(alone, hw_value(fd, 0, 0, HW_INSTRUCTIONS));
		close(fd);
		nap();
	}
	sampler_close(&s);
}

TEST_HARNESS_MAIN
