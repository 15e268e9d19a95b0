// SPDX-License-Identifier: GPL-2.0-only
/*
 * A PFM_RESTART after which the format wants monitoring to stay masked: a set
 * switch that is due is "deferred until monitoring is resumed" (3.7.7), and the
 * thread that was blocked is released all the same (3.1.9).
 *
 * The null format always gives the same answer, so that monitoring resumes in
 * the second half of the tests only. What the answers mean to a context with one
 * set is in format.c.
 */
#include "sampling.h"
#include <perfmon/null_smpl.h>

#define TELL	PFM_NULL_CTRL_NOTIFY
#define RESET	PFM_NULL_CTRL_RESET
#define BLOCK	PFM_NULL_CTRL_BLOCK
#define MASK	PFM_NULL_CTRL_MASK

static const pfm_uuid_t null_uuid = PFM_NULL_SMPL_UUID;

FIXTURE(restart) {
	struct format_module m;
	struct puppet p;
	int fd;
};

FIXTURE_SETUP(restart)
{
	self->fd = -1;
	format_get(&self->m, "null");
	puppet_start(&self->p, PUPPET_PROCESS);
	puppet_do(&self->p, OP_FAULT, PUPPET_PAGES + 1);
}

FIXTURE_TEARDOWN(restart)
{
	if (self->fd >= 0)
		close(self->fd);
	puppet_stop(&self->p);
	format_put(&self->m);
}

/* Sets 0 and 1; the third fault in set 0 is the time for set 1. */
static void two_sets(FIXTURE_DATA(restart) *f, u32 answer)
{
	pfm_null_smpl_arg_t arg = {
		.flags = PFM_NULL_FMT_BUFFER,
		.ovfl_ctrl = TELL | BLOCK | MASK, .restart_ctrl = answer,
	};
	pfarg_setdesc_t sets[2] = {
		{ .set_id = 0, .set_flags = PFM_SETFL_OVFL_SWITCH },
		{ .set_id = 1 },
	};
	pfarg_pmd_t pmd = {
		.reg_num = SW_PMD(0), .reg_value = -3ULL,
		.reg_long_reset = -50ULL, .reg_short_reset = -20ULL,
		.reg_ovflsw_thres = 1,
	};

	f->fd = (int)MUST(smpl_create(null_uuid, PFM_FL_NOTIFY_BLOCK, &arg,
				      sizeof(arg), NULL));
	set_nonblock(f->fd);
	MUST(pfm(f->fd, PFM_CREATE_EVTSETS, sets, 2));
	choose(f->fd, 0, 0, FAULTS, NOTIFY, 0, 0);
	choose(f->fd, 1, 0, FAULTS, 0, 0, 0);
	MUST(pfm(f->fd, PFM_WRITE_PMDS, &pmd, 1));
	attach(f->fd, f->p.tid);
}

static u64 runs(int fd, __u16 set)
{
	pfarg_setinfo_t info = { .set_id = set };

	MUST(pfm(fd, PFM_GETINFO_EVTSETS, &info, 1));
	return info.set_runs;
}

/* The thread waits, and the message says that set 0 has overflowed. */
static void blocked(struct __test_metadata *_metadata, FIXTURE_DATA(restart) *f)
{
	pfm_msg_t msg;

	puppet_post(&f->p, OP_FAULT, 10);
	ASSERT_EQ(PFM_MSG_OVFL, pfm_next_msg(f->fd, &msg, PATIENCE));
	EXPECT_EQ(0, msg.pfm_ovfl_msg.msg_active_set);
	wait_rest(f->p.tid, "DIS");
	EXPECT_TRUE(pfm_state_is(f->fd, "masked"));
	EXPECT_EQ(0ULL, runs(f->fd, 1));
}

TEST_F(restart, masked_keeps_the_set)
{
	u32 reset;

	NEED_FORMAT(&self->m);
	for (reset = 0; reset <= RESET; reset += RESET) {
		two_sets(self, MASK | reset);
		blocked(_metadata, self);
		ASSERT_EQ(0, pfm_restart(self->fd));
		/* Released, but not monitored; and no set has taken over. */
		EXPECT_TRUE(puppet_done(&self->p, PATIENCE));
		EXPECT_TRUE(pfm_state_is(self->fd, "masked"));
		EXPECT_EQ(1ULL, runs(self->fd, 0));
		EXPECT_EQ(0ULL, runs(self->fd, 1));
		EXPECT_EQ(reset ? -50ULL : 0, read_pmd(self->fd, 0, 0).reg_value);
		EXPECT_EQ(0ULL, read_pmd(self->fd, 1, 0).reg_value);
		/* However often it is asked. */
		ASSERT_EQ(0, pfm_restart(self->fd));
		EXPECT_EQ(0ULL, runs(self->fd, 1));
		close(self->fd);
		self->fd = -1;
	}
}

/* An answer that lets it go on brings the set that was due. */
TEST_F(restart, resumed_switches)
{
	NEED_FORMAT(&self->m);
	two_sets(self, RESET);
	blocked(_metadata, self);
	ASSERT_EQ(0, pfm_restart(self->fd));
	EXPECT_TRUE(puppet_done(&self->p, PATIENCE));
	EXPECT_TRUE(pfm_state_is(self->fd, "loaded"));
	EXPECT_EQ(1ULL, runs(self->fd, 1));
	EXPECT_EQ(7ULL, read_pmd(self->fd, 1, 0).reg_value);
}

TEST_HARNESS_MAIN
