// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a format can ask of the core, by way of the null format, which asks for
 * whatever it is told to: at an overflow (3.5.14) and at PFM_RESTART (3.5.15).
 */
#include "null_format.h"

/* ------------------------------------------------------------------------
 * The null format
 */

static void null_close(FIXTURE_DATA(null) *f)
{
	close(f->fd);
	f->fd = -1;
}

static void check_counters(struct __test_metadata *_metadata,
			   FIXTURE_DATA(null) *f, u64 first, u64 second)
{
	EXPECT_EQ(first, pfm_value(f->fd, SW_PMD(0)));
	EXPECT_EQ(second, pfm_value(f->fd, SW_PMD(1)));
}

static void check_state(struct __test_metadata *_metadata,
			FIXTURE_DATA(null) *f, bool masked)
{
	EXPECT_TRUE(pfm_state_is(f->fd, masked ? "masked" : "loaded"));
}

/* ------------------------------------------------------------------------
 * What the handler asks for (3.5.14)
 */

/* What the handler is to ask for, and the core to do. */
struct wish {
	bool mask;
	bool reset;
	bool tell;
	bool block;
};

/* Combination @i, of 2 * N_CTRLS: each with and without PFM_REGFL_OVFL_NOTIFY. */
static struct wish wish_open(FIXTURE_DATA(null) *f, u32 ctx_flags, u32 i)
{
	pfm_null_smpl_arg_t arg = { .ovfl_ctrl = i / 2, .restart_ctrl = RESET };
	u32 notify = i & 1 ? NOTIFY : 0;

	null_open(f, ctx_flags, notify, arg);
	return (struct wish){
		.mask = arg.ovfl_ctrl & MASK,
		/* "Masking has priority over reset." */
		.reset = (arg.ovfl_ctrl & RESET) && !(arg.ovfl_ctrl & MASK),
		.tell = (arg.ovfl_ctrl & TELL) && notify,
		.block = arg.ovfl_ctrl & BLOCK,
	};
}

TEST_F(null, controls)
{
	u32 i;

	NEED_FORMAT(&self->m);
	for (i = 0; i < 2 * N_CTRLS; i++) {
		struct wish w = wish_open(self, 0, i);

		/* Two more than it takes; BLOCK is ignored. */
		puppet_do(&self->p, OP_FAULT, 5);
		EXPECT_EQ(1ULL, self->hdr->overflows);
		check_state(_metadata, self, w.mask);
		if (w.mask)
			check_counters(_metadata, self, 0, 1003);
		else if (w.reset)
			check_counters(_metadata, self, -18ULL, 3002);
		else
			check_counters(_metadata, self, 2, 1005);
		EXPECT_EQ(w.reset ? -20ULL : -3ULL, last_reset(self->fd, 0));
		EXPECT_EQ(w.tell ? CTR(0) : 0, overflowed(self->fd)) {
			TH_LOG("controls %#x, notify %u", i / 2, i & 1);
		}
		/* What has not been reset yet gets its long value. */
		MUST(pfm_restart(self->fd));
		check_state(_metadata, self, false);
		if (w.reset)
			check_counters(_metadata, self, -18ULL, 3002);
		else
			check_counters(_metadata, self, -50ULL, 2000);
		EXPECT_EQ(1ULL, self->hdr->restarts);
		EXPECT_EQ(!w.mask, self->hdr->active);
		puppet_do(&self->p, OP_FAULT, 1);
		if (w.reset)
			check_counters(_metadata, self, -17ULL, 3003);
		else
			check_counters(_metadata, self, -49ULL, 2001);
		EXPECT_EQ(0ULL, pfm_fdinfo_num(self->fd, "pfm-lost"));
		null_close(self);
	}
}

/* With PFM_FL_NOTIFY_BLOCK the thread waits if it is asked to, masked or not. */
TEST_F(null, controls_and_blocking)
{
	u32 i;

	NEED_FORMAT(&self->m);
	for (i = 0; i < 2 * N_CTRLS; i++) {
		struct wish w = wish_open(self, PFM_FL_NOTIFY_BLOCK, i);

		puppet_post(&self->p, OP_FAULT, 5);
		while (!self->hdr->overflows)
			sleep_ms(1);
		if (w.block) {
			wait_rest(self->p.tid, "DIS");
			EXPECT_FALSE(puppet_done(&self->p, 20));
			check_state(_metadata, self, w.mask);
			/* It has come to the third fault, and no further. */
			check_counters(_metadata, self, w.reset ? -20ULL : 0,
				       w.reset ? 3000 : 1003);
			MUST(pfm_restart(self->fd));
			EXPECT_EQ(!w.mask, self->hdr->active);
		}
		ASSERT_TRUE(puppet_done(&self->p, PATIENCE)) {
			TH_LOG("controls %#x, notify %u", i / 2, i & 1);
		}
		if (w.block)
			check_counters(_metadata, self,
				       w.reset ? -18ULL : -48ULL,
				       w.reset ? 3002 : 2002);
		null_close(self);
	}
}

/* A notification that is wanted and one that is not, at once: one message. */
TEST_F(null, simultaneous_overflows)
{
	int who;

	NEED_FORMAT(&self->m);
	for (who = 0; who < 4; who++) {
		null_open(self, 0, who & 1 ? NOTIFY : 0, (pfm_null_smpl_arg_t){
			.ovfl_ctrl = TELL | RESET });
		MUST(pfm_stop(self->fd));
		choose(self->fd, 0, 4, FAULTS, who & 2 ? NOTIFY : 0, 0, 0);
		MUST(pfm_write_period(self->fd, SW_PMD(4), -3ULL, -60ULL,
				      -30ULL));
		MUST(pfm_start(self->fd));
		puppet_do(&self->p, OP_FAULT, 4);
		EXPECT_EQ(2ULL, self->hdr->overflows);
		EXPECT_EQ(who ? CTR(0) | CTR(4) : 0, overflowed(self->fd));
		check_state(_metadata, self, false);
		check_counters(_metadata, self, -19ULL, 3001);
		EXPECT_EQ(-29ULL, pfm_value(self->fd, SW_PMD(4)));
		null_close(self);
	}
}

/* "The calls to the handler stop when the first error is reported." */
TEST_F(null, handler_that_fails)
{
	NEED_FORMAT(&self->m);
	null_open(self, PFM_FL_NOTIFY_BLOCK, NOTIFY, (pfm_null_smpl_arg_t){
		.fail = PFM_NULL_FAIL_HANDLER,
		.ovfl_ctrl = TELL | RESET | BLOCK | MASK,
		.restart_ctrl = RESET });
	MUST(pfm_stop(self->fd));
	choose(self->fd, 0, 4, FAULTS, NOTIFY, 0, 0);
	MUST(pfm_write_period(self->fd, SW_PMD(4), -3ULL, -60ULL, -30ULL));
	choose(self->fd, 0, 5, FAULTS, NOTIFY, 0, 0);
	MUST(pfm_write_period(self->fd, SW_PMD(5), -5ULL, -70ULL, -30ULL));
	MUST(pfm_start(self->fd));
	puppet_do(&self->p, OP_FAULT, 4);
	EXPECT_EQ(1ULL, self->hdr->overflows);
	/* What it would have asked for is not done. */
	check_state(_metadata, self, false);
	check_counters(_metadata, self, 1, 1004);
	EXPECT_EQ(1ULL, pfm_value(self->fd, SW_PMD(4)));
	EXPECT_EQ(0U, overflowed(self->fd));
	/* At the next event it is asked again. */
	puppet_do(&self->p, OP_FAULT, 4);
	EXPECT_EQ(2ULL, self->hdr->overflows);
	EXPECT_EQ(3ULL, pfm_value(self->fd, SW_PMD(5)));
	MUST(pfm_restart(self->fd));
	check_counters(_metadata, self, -50ULL, 2000);
	EXPECT_EQ(-60ULL, pfm_value(self->fd, SW_PMD(4)));
	EXPECT_EQ(-70ULL, pfm_value(self->fd, SW_PMD(5)));
}

/* A queue of one message, which is all that the format wants (3.5.7). */
TEST_F(null, full_queue)
{
	NEED_FORMAT(&self->m);
	null_open(self, 0, NOTIFY, (pfm_null_smpl_arg_t){
		.ovfl_ctrl = TELL | RESET, .restart_ctrl = RESET });
	puppet_do(&self->p, OP_FAULT, 4);
	check_state(_metadata, self, false);
	EXPECT_EQ(1ULL, pfm_fdinfo_num(self->fd, "pfm-queued"));
	/* The second one finds no room: masked, and nothing is reset. */
	puppet_do(&self->p, OP_FAULT, 30);
	check_state(_metadata, self, true);
	check_counters(_metadata, self, 0, 3020);
	EXPECT_EQ(1ULL, pfm_fdinfo_num(self->fd, "pfm-lost"));
	EXPECT_EQ(2ULL, self->hdr->overflows);
	EXPECT_EQ(CTR(0), overflowed(self->fd));
	check_state(_metadata, self, true);
	MUST(pfm_restart(self->fd));
	check_state(_metadata, self, false);
	check_counters(_metadata, self, -50ULL, 2000);
	puppet_do(&self->p, OP_FAULT, 50);
	EXPECT_EQ(CTR(0), overflowed(self->fd));
	check_state(_metadata, self, false);
}

/* Without messages there is no queue that could be full. */
TEST_F(null, no_messages)
{
	NEED_FORMAT(&self->m);
	null_open(self, PFM_FL_OVFL_NO_MSG, NOTIFY, (pfm_null_smpl_arg_t){
		.ovfl_ctrl = TELL | RESET });
	puppet_do(&self->p, OP_FAULT, 3 + 10 * 20);
	EXPECT_EQ(11ULL, self->hdr->overflows);
	check_state(_metadata, self, false);
	EXPECT_EQ(0ULL, pfm_fdinfo_num(self->fd, "pfm-queued"));
	EXPECT_EQ(0ULL, pfm_fdinfo_num(self->fd, "pfm-lost"));
}

/* ------------------------------------------------------------------------
 * What PFM_RESTART asks for (3.5.15)
 */

TEST_F(null, restart_controls)
{
	u32 i;

	NEED_FORMAT(&self->m);
	for (i = 0; i < N_CTRLS; i++) {
		bool reset = i & RESET, mask = i & MASK;

		null_open(self, PFM_FL_NOTIFY_BLOCK, NOTIFY,
			  (pfm_null_smpl_arg_t){
				.ovfl_ctrl = TELL | MASK, .restart_ctrl = i });
		puppet_do(&self->p, OP_FAULT, 5);
		EXPECT_EQ(CTR(0), overflowed(self->fd));
		check_state(_metadata, self, true);
		ASSERT_EQ(0, pfm_restart(self->fd));
		check_state(_metadata, self, mask);
		check_counters(_metadata, self, reset ? -50ULL : 0,
			       reset ? 2000 : 1003);
		/* TELL and BLOCK mean nothing here. */
		EXPECT_EQ(0U, overflowed(self->fd));
		puppet_do(&self->p, OP_FAULT, 2);
		check_counters(_metadata, self,
			       (reset ? -50ULL : 0) + (mask ? 0 : 2),
			       (reset ? 2000 : 1003) + (mask ? 0 : 2));
		EXPECT_EQ(1ULL, self->hdr->restarts);
		EXPECT_EQ(0ULL, self->hdr->active);
		null_close(self);
	}
}

/* The same when nothing is masked, and nothing has overflowed. */
TEST_F(null, active_restart_controls)
{
	u32 i;

	NEED_FORMAT(&self->m);
	for (i = 0; i < N_CTRLS; i++) {
		bool mask = i & MASK;

		null_open(self, PFM_FL_NOTIFY_BLOCK, NOTIFY,
			  (pfm_null_smpl_arg_t){ .restart_ctrl = i });
		puppet_do(&self->p, OP_FAULT, 2);
		ASSERT_EQ(0, pfm_restart(self->fd));
		check_state(_metadata, self, mask);
		check_counters(_metadata, self, ~0ULL, 1002);
		EXPECT_EQ(1ULL, self->hdr->restarts);
		EXPECT_EQ(1ULL, self->hdr->active);
		puppet_do(&self->p, OP_FAULT, 2);
		check_counters(_metadata, self, mask ? ~0ULL : 1,
			       mask ? 1002 : 1004);
		EXPECT_EQ(0U, overflowed(self->fd));
		EXPECT_EQ(mask ? 0ULL : 1ULL, self->hdr->overflows);
		null_close(self);
	}
}

/* It says no: nothing has happened, and the thread still waits. */
TEST_F(null, restart_that_fails)
{
	NEED_FORMAT(&self->m);
	null_open(self, PFM_FL_NOTIFY_BLOCK, NOTIFY, (pfm_null_smpl_arg_t){
		.fail = PFM_NULL_FAIL_RESTART,
		.ovfl_ctrl = TELL | BLOCK | MASK, .restart_ctrl = RESET });
	EXPECT_EQ(-EIO, pfm_restart(self->fd));
	check_state(_metadata, self, false);
	puppet_post(&self->p, OP_FAULT, 5);
	while (!self->hdr->overflows)
		sleep_ms(1);
	wait_rest(self->p.tid, "DIS");
	EXPECT_EQ(-EIO, pfm_restart(self->fd));
	check_state(_metadata, self, true);
	check_counters(_metadata, self, 0, 1003);
	EXPECT_FALSE(puppet_done(&self->p, 50));
	EXPECT_EQ(2ULL, self->hdr->restarts);
	EXPECT_EQ(1ULL, self->hdr->active);
	MUST(pfm_unload(self->fd));
	EXPECT_TRUE(puppet_done(&self->p, PATIENCE));
	EXPECT_EQ(-EBUSY, pfm_restart(self->fd));
	EXPECT_EQ(2ULL, self->hdr->restarts);
}

TEST_HARNESS_MAIN
