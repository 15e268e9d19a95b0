// SPDX-License-Identifier: GPL-2.0-only
/*
 * The default format in the life of a context: flags that block the thread or
 * send no message, and what is in the buffer after PFM_UNLOAD_CONTEXT, after a
 * second load and after the end of the thread.
 *
 * Not here: the mapping of the buffer (mmap_*.c).
 */
#include "smpl_default.h"

/* ------------------------------------------------------------------------
 * Flags of the context
 */

/* The thread waits when the buffer is full, and not before. */
TEST_F(smpl, notify_block)
{
	int round;

	sample_until(self, PFM_FL_NOTIFY_BLOCK, 10, NOTIFY);
	for (round = 1; round <= 3; round++) {
		puppet_do(&self->p, OP_FAULT, 9);
		EXPECT_EQ(9ULL, self->s.hdr->hdr_count);
		puppet_post(&self->p, OP_FAULT, 4);
		ASSERT_EQ(PFM_MSG_OVFL,
			  pfm_next_msg(self->s.fd, NULL, PATIENCE));
		EXPECT_FALSE(puppet_done(&self->p, 50));
		EXPECT_EQ(10ULL, self->s.hdr->hdr_count);
		EXPECT_EQ((u64)round, self->s.hdr->hdr_overflows);
		MUST(pfm_restart(self->s.fd));
		ASSERT_TRUE(puppet_done(&self->p, PATIENCE));
		/* None of its faults went by. */
		EXPECT_EQ(3ULL, self->s.hdr->hdr_count);
		MUST(pfm_restart(self->s.fd));
	}
}

/* Without a message no program would release the thread: a full buffer does not block it. */
TEST_F(smpl, notify_block_when_saturated)
{
	sample_until(self, PFM_FL_NOTIFY_BLOCK, 10, 0);
	puppet_do(&self->p, OP_FAULT, 30);
	EXPECT_TRUE(pfm_state_is(self->s.fd, "masked"));
	EXPECT_EQ(10ULL, self->s.hdr->hdr_count);
	MUST(pfm_restart(self->s.fd));
	puppet_do(&self->p, OP_FAULT, 5);
	EXPECT_EQ(5ULL, self->s.hdr->hdr_count);
}

/* A blocked thread is let go with its context. */
TEST_F(smpl, notify_block_and_close)
{
	sample_until(self, PFM_FL_NOTIFY_BLOCK, 10, NOTIFY);
	puppet_post(&self->p, OP_FAULT, 30);
	ASSERT_EQ(PFM_MSG_OVFL, pfm_next_msg(self->s.fd, NULL, PATIENCE));
	EXPECT_FALSE(puppet_done(&self->p, 20));
	sampler_close(&self->s);
	EXPECT_TRUE(puppet_done(&self->p, PATIENCE));
}

static volatile sig_atomic_t hits;

static void count_signal(int sig)
{
	(void)sig;
	hits++;
}

/* The signal is all that says that the buffer is full. */
TEST_F(smpl, no_message)
{
	struct sigaction sa = {
		.sa_handler = count_signal, .sa_flags = SA_RESTART,
	};
	int n;

	MUST(sigaction(SIGIO, &sa, NULL));
	sample_until(self, PFM_FL_OVFL_NO_MSG, 10, NOTIFY);
	MUST(fcntl(self->s.fd, F_SETOWN, getpid()));
	MUST(fcntl(self->s.fd, F_SETFL, O_ASYNC | O_NONBLOCK));
	for (n = 1; n <= 5; n++) {
		puppet_do(&self->p, OP_FAULT, 9);
		EXPECT_EQ(n - 1, hits);
		puppet_do(&self->p, OP_FAULT, 9);
		while (hits < n)
			sleep_ms(1);
		EXPECT_EQ(n, hits);
		EXPECT_TRUE(pfm_state_is(self->s.fd, "masked"));
		EXPECT_EQ(10ULL, self->s.hdr->hdr_count);
		EXPECT_EQ(0, pfm_poll(self->s.fd, 0) & POLLIN);
		MUST(pfm_restart(self->s.fd));
	}
	EXPECT_EQ(0ULL, pfm_fdinfo_num(self->s.fd, "pfm-lost"));
}

/* ------------------------------------------------------------------------
 * After the end
 */

static void check_row(struct __test_metadata *_metadata,
		      const struct sampler *s, u64 from, u64 to, pid_t tid)
{
	for (; from < to; from++) {
		EXPECT_EQ(tid, nth(s, from, 0)->tid);
		EXPECT_EQ(SW_PMD(0), nth(s, from, 0)->ovfl_pmd);
		EXPECT_LT(0ULL, nth(s, from, 0)->tstamp);
	}
}

/* Unloaded, the samples are there; loaded anew, others follow them. */
TEST_F(smpl, unload_and_load)
{
	struct puppet other;

	start_puppet(&other, PUPPET_PROCESS);
	sampler_open(&self->s, 0, ROOMY, 0);
	sample_faults(self->s.fd, 0, 2, 0, 0);
	attach(self->s.fd, self->p.tid);
	puppet_do(&self->p, OP_FAULT, 20);
	MUST(pfm_unload(self->s.fd));
	puppet_do(&self->p, OP_FAULT, 20);
	EXPECT_EQ(10ULL, self->s.hdr->hdr_count);
	check_row(_metadata, &self->s, 0, 10, self->p.tid);
	EXPECT_EQ(-EBUSY, pfm_restart(self->s.fd));
	attach(self->s.fd, other.tid);
	puppet_do(&other, OP_FAULT, 10);
	EXPECT_EQ(15ULL, self->s.hdr->hdr_count);
	check_row(_metadata, &self->s, 0, 10, self->p.tid);
	check_row(_metadata, &self->s, 10, 15, other.tid);
	puppet_stop(&other);
}

TEST_F(smpl, end_of_the_thread)
{
	struct puppet p;

	start_puppet(&p, PUPPET_PROCESS);
	sampler_open(&self->s, 0, ROOMY, 0);
	sample_faults(self->s.fd, 0, 1, 0, 0);
	attach(self->s.fd, p.tid);
	puppet_do(&p, OP_FAULT, 25);
	kill_and_reap(p.tid);
	EXPECT_EQ(PFM_MSG_END, pfm_next_msg(self->s.fd, NULL, PATIENCE));
	/* Dying may have cost it a fault or two. */
	EXPECT_LE(25ULL, self->s.hdr->hdr_count);
	check_row(_metadata, &self->s, 0, 25, p.tid);
	attach(self->s.fd, self->p.tid);
	puppet_do(&self->p, OP_FAULT, 3);
	EXPECT_LE(28ULL, self->s.hdr->hdr_count);
	check_row(_metadata, &self->s, self->s.hdr->hdr_count - 3,
		  self->s.hdr->hdr_count, self->p.tid);
}

/* What was full stays full; the next overflow says so again. */
TEST_F(smpl, unload_when_full)
{
	u64 offs;

	sample_until(self, 0, 10, NOTIFY);
	puppet_do(&self->p, OP_FAULT, 20);
	EXPECT_EQ(CTR(0), overflowed(self->s.fd));
	offs = self->s.hdr->hdr_cur_offs;
	MUST(pfm_unload(self->s.fd));
	check_hdr(_metadata, &self->s, 10, offs, 1);
	MUST(pfm_write_period(self->s.fd, SW_PMD(0), -4ULL, -1ULL, -1ULL));
	attach(self->s.fd, self->p.tid);
	puppet_do(&self->p, OP_FAULT, 20);
	EXPECT_TRUE(pfm_state_is(self->s.fd, "masked"));
	EXPECT_EQ(CTR(0), overflowed(self->s.fd));
	EXPECT_LE(10ULL, self->s.hdr->hdr_count);
	EXPECT_GE(self->s.hdr->hdr_buf_size, self->s.hdr->hdr_cur_offs);
	EXPECT_EQ(0ULL, pfm_value(self->s.fd, SW_PMD(0)));
	MUST(pfm_restart(self->s.fd));
	check_hdr(_metadata, &self->s, 0, sizeof(dfl_hdr_t),
		  self->s.hdr->hdr_overflows);
	puppet_do(&self->p, OP_FAULT, 3);
	EXPECT_EQ(3ULL, self->s.hdr->hdr_count);
}

TEST_HARNESS_MAIN
