// SPDX-License-Identifier: GPL-2.0-only
/*
 * What an overflow of a hardware counter does to the monitored thread and tells
 * the program: PFM_FL_NOTIFY_BLOCK, PFM_FL_OVFL_NO_MSG, and a silent counter
 * beside one that notifies, in a thread that another one monitors.
 *
 * The interrupt, an NMI on most of these processors, cannot block the thread or
 * wake the program: what it leaves to do is done before the thread goes on. Not
 * here: the same with software counters (block.c, signal.c).
 */
#include "hw_bench.h"
#include "puppet.h"

#define NOTIFY	PFM_REGFL_OVFL_NOTIFY
#define PERIOD	100003ULL

static const struct hw_more nothing_more;

/* A context on @tid: counter 0 with a period, counter 1 without. */
static int watch(u32 ctx_flags, u32 flags, pid_t tid)
{
	int fd = (int)MUST(pfm_create(ctx_flags));

	set_nonblock(fd);
	hw_counter_more(fd, 0, 0, flags, PERIOD, &nothing_more);
	hw_counter(fd, 0, 1, HW_INSTRUCTIONS, HW_USER, 0, 0);
	MUST(pfm_load(fd, tid));
	MUST(pfm_start(fd));
	return fd;
}

static u64 total(int fd)
{
	return hw_value(fd, 0, 1, HW_INSTRUCTIONS);
}

/* After @n periods no more has happened than these. */
#define EXPECT_PERIODS(fd, n)						\
do {									\
	u64 __total = total(fd), __n = (n);				\
									\
	EXPECT_LE(__n * PERIOD, __total);				\
	EXPECT_GE(__n * (PERIOD + HW_LATE), __total);			\
	if (set_skid(0))						\
		EXPECT_EQ(__n * PERIOD, __total);			\
} while (0)

/* The thread does not execute an instruction more before PFM_RESTART. */
TEST(blocks)
{
	struct puppet p;
	unsigned int n;
	int fd;

	NEED_HW_INTERRUPT();
	puppet_start(&p, PUPPET_PROCESS);
	fd = watch(PFM_FL_NOTIFY_BLOCK, NOTIFY, p.tid);
	/* Millions of turns, of a few instructions each. */
	puppet_post(&p, OP_SPIN, 2);
	for (n = 1; n <= 15; n++) {
		u64 before;

		ASSERT_EQ(PFM_MSG_OVFL, pfm_next_msg(fd, NULL, PATIENCE));
		wait_rest(p.tid, "DIS");
		EXPECT_PERIODS(fd, n);
		before = total(fd);
		EXPECT_FALSE(puppet_done(&p, 2));
		EXPECT_EQ(before, total(fd));
		EXPECT_TRUE(pfm_state_is(fd, "masked"));
		MUST(pfm_restart(fd));
	}
	MUST(pfm_unload(fd));
	EXPECT_TRUE(puppet_done(&p, PATIENCE));
	close(fd);
	puppet_stop(&p);
}

/* Without the flag it runs on, unmonitored. */
TEST(does_not_block)
{
	struct puppet p;
	int fd;

	NEED_HW_INTERRUPT();
	puppet_start(&p, PUPPET_PROCESS);
	fd = watch(0, NOTIFY, p.tid);
	puppet_do(&p, OP_SPIN, 1);
	EXPECT_EQ(PFM_MSG_OVFL, pfm_next_msg(fd, NULL, PATIENCE));
	EXPECT_EQ(0U, pfm_next_msg(fd, NULL, 0));
	EXPECT_PERIODS(fd, 1);
	close(fd);
	puppet_stop(&p);
}

static volatile sig_atomic_t signals;

static void count_signal(int sig)
{
	(void)sig;
	signals++;
}

/* No message, but a signal, and monitoring waits for PFM_RESTART. */
TEST(no_message)
{
	struct puppet p;
	unsigned int n;
	int fd;

	NEED_HW_INTERRUPT();
	signal(SIGIO, count_signal);
	puppet_start(&p, PUPPET_PROCESS);
	fd = (int)MUST(pfm_create(PFM_FL_OVFL_NO_MSG));
	MUST(fcntl(fd, F_SETOWN, getpid()));
	MUST(fcntl(fd, F_SETFL, O_NONBLOCK | O_ASYNC));
	hw_counter_more(fd, 0, 0, NOTIFY, PERIOD, &nothing_more);
	hw_counter(fd, 0, 1, HW_INSTRUCTIONS, HW_USER, 0, 0);
	MUST(pfm_load(fd, p.tid));
	MUST(pfm_start(fd));
	for (n = 1; n <= 10; n++) {
		int ms;

		puppet_do(&p, OP_SPIN, 1);
		for (ms = 0; ms < PATIENCE && signals < (int)n; ms++)
			sleep_ms(1);
		EXPECT_EQ((int)n, signals);
		EXPECT_TRUE(pfm_state_is(fd, "masked"));
		EXPECT_EQ(0ULL, pfm_fdinfo_num(fd, "pfm-queued"));
		EXPECT_EQ(0ULL, pfm_fdinfo_num(fd, "pfm-lost"));
		EXPECT_PERIODS(fd, n);
		MUST(pfm_restart(fd));
	}
	close(fd);
	puppet_stop(&p);
}

/*
 * A silent counter goes through its own periods beside one that notifies: at each
 * message it stands where the events until then say.
 */
TEST(silent_beside_notifying)
{
	const u64 silent = 7001;
	struct hw_more more = nothing_more;
	struct puppet p;
	unsigned int n;
	u64 want;
	int fd;

	NEED_HW_INTERRUPT();
	if (hw_counters() < 3)
		SKIP(return, "silent_beside_notifying: needs 3 counters");
	puppet_start(&p, PUPPET_PROCESS);
	fd = (int)MUST(pfm_create(0));
	set_nonblock(fd);
	hw_counter_more(fd, 0, 0, NOTIFY, PERIOD, &nothing_more);
	hw_counter(fd, 0, 1, HW_INSTRUCTIONS, HW_USER, 0, 0);
	hw_counter_more(fd, 0, 2, 0, silent, &more);
	MUST(pfm_load(fd, p.tid));
	MUST(pfm_start(fd));
	for (n = 1; n <= 15; n++) {
		pfm_msg_t msg;

		puppet_do(&p, OP_SPIN, 1);
		ASSERT_EQ(PFM_MSG_OVFL, pfm_next_msg(fd, &msg, PATIENCE));
		EXPECT_TRUE(vec_test(msg.pfm_ovfl_msg.msg_ovfl_pmds,
				     hw_find()->pmd(0, HW_INSTRUCTIONS)));
		EXPECT_FALSE(vec_test(msg.pfm_ovfl_msg.msg_ovfl_pmds,
				      hw_find()->pmd(2, HW_INSTRUCTIONS)));
		want = -silent + n * PERIOD % silent;
		if (set_skid(0))
			EXPECT_EQ(want, hw_value(fd, 0, 2, HW_INSTRUCTIONS));
		EXPECT_LE(-silent, hw_value(fd, 0, 2, HW_INSTRUCTIONS));
		MUST(pfm_restart(fd));
	}
	close(fd);
	puppet_stop(&p);
}

TEST_HARNESS_MAIN
