// SPDX-License-Identifier: GPL-2.0-only
/*
 * One overflow that both notifies and switches sets (3.7.7): the switch comes
 * with PFM_RESTART, and with the long reset values.
 */
#include "switch.h"

/*
 * Set 3 notifies when it is left for set 7, set 7 does not when it is left
 * for set 3. Resets are long when PFM_RESTART brings the set, otherwise short.
 */
TEST_F(switching, notified)
{
	pfm_msg_t msg;

	make_set(self->fd, 3, OVFL | NEXT, 7, 0);
	make_set(self->fd, 7, OVFL | NEXT, 3, 0);
	choose(self->fd, 3, 0, FAULTS, NOTIFY);
	set_pmd(self->fd, 3, 0, -4ULL, -40ULL, -30ULL, 1);
	choose(self->fd, 7, 1, FAULTS, 0);
	set_pmd(self->fd, 7, 1, -5ULL, -50ULL, -60ULL, 1);
	MUST(load_at(self->fd, self->p.tid, 7));
	MUST(pfm_start(self->fd));
	puppet_do(&self->p, OP_FAULT, 5);
	EXPECT_EQ(3, active(self->fd));
	EXPECT_EQ(0, pfm_poll(self->fd, 0));
	puppet_do(&self->p, OP_FAULT, 4);
	/* The old set is what the message says, and what there is to see. */
	ASSERT_TRUE(pfm_state_is(self->fd, "masked"));
	ASSERT_EQ(PFM_MSG_OVFL, pfm_next_msg(self->fd, &msg, PATIENCE));
	EXPECT_EQ(3, msg.pfm_ovfl_msg.msg_active_set);
	EXPECT_TRUE(vec_test(msg.pfm_ovfl_msg.msg_ovfl_pmds, SW_PMD(0)));
	EXPECT_EQ(3, active(self->fd));
	EXPECT_EQ(1ULL, runs_of(self->fd, 7));
	puppet_do(&self->p, OP_FAULT, 6);
	EXPECT_EQ(0ULL, value_of(self->fd, 3, 0));
	EXPECT_EQ(0ULL, value_of(self->fd, 7, 1));
	MUST(pfm_restart(self->fd));
	EXPECT_TRUE(pfm_state_is(self->fd, "loaded"));
	EXPECT_EQ(7, active(self->fd));
	EXPECT_EQ(2ULL, runs_of(self->fd, 7));
	EXPECT_EQ(1U << 0, ended_by(self->fd, 3));
	EXPECT_EQ(-50ULL, value_of(self->fd, 7, 1));
	EXPECT_EQ(-50ULL, read_pmd(self->fd, 7, 1).reg_last_reset_val);
	EXPECT_EQ(0ULL, value_of(self->fd, 3, 0));
	puppet_do(&self->p, OP_FAULT, 50);
	EXPECT_EQ(3, active(self->fd));
	EXPECT_EQ(2ULL, runs_of(self->fd, 3));
	EXPECT_EQ(-30ULL, value_of(self->fd, 3, 0));
	EXPECT_EQ(0, pfm_poll(self->fd, 0));
}

/* An overflow that is notified counts for the threshold, too (abi, 9). */
TEST_F(switching, notified_before_the_threshold)
{
	make_set(self->fd, 0, OVFL, 0, 0);
	make_set(self->fd, 1, 0, 0, 0);
	choose(self->fd, 0, 0, FAULTS, NOTIFY);
	set_pmd(self->fd, 0, 0, -2ULL, -3ULL, -4ULL, 2);
	MUST(pfm_load(self->fd, self->p.tid));
	MUST(pfm_start(self->fd));
	puppet_do(&self->p, OP_FAULT, 2);
	ASSERT_TRUE(pfm_state_is(self->fd, "masked"));
	EXPECT_EQ(1ULL, thres_of(self->fd, 0, 0));
	MUST(pfm_restart(self->fd));
	EXPECT_EQ(0, active(self->fd));
	EXPECT_EQ(1ULL, runs_of(self->fd, 0));
	EXPECT_EQ(-3ULL, value_of(self->fd, 0, 0));
	EXPECT_EQ(0U, ended_by(self->fd, 0));
	puppet_do(&self->p, OP_FAULT, 3);
	ASSERT_TRUE(pfm_state_is(self->fd, "masked"));
	EXPECT_EQ(0, active(self->fd));
	MUST(pfm_restart(self->fd));
	EXPECT_EQ(1, active(self->fd));
	EXPECT_EQ(1U << 0, ended_by(self->fd, 0));
}

/* A set that follows itself: the long reset of 3.1.9, and another run. */
TEST_F(switching, notified_and_next_is_itself)
{
	make_set(self->fd, 0, OVFL, 0, 0);
	choose(self->fd, 0, 0, FAULTS, NOTIFY);
	set_pmd(self->fd, 0, 0, -2ULL, -3ULL, -4ULL, 1);
	MUST(pfm_load(self->fd, self->p.tid));
	MUST(pfm_start(self->fd));
	puppet_do(&self->p, OP_FAULT, 2);
	ASSERT_TRUE(pfm_state_is(self->fd, "masked"));
	EXPECT_EQ(1ULL, runs_of(self->fd, 0));
	MUST(pfm_restart(self->fd));
	EXPECT_EQ(2ULL, runs_of(self->fd, 0));
	EXPECT_EQ(-3ULL, value_of(self->fd, 0, 0));
	EXPECT_EQ(1ULL, thres_of(self->fd, 0, 0));
}

/* Time-based: "the restarted set is the same" (3.1.9). */
TEST_F(switching, notified_in_a_set_with_a_timeout)
{
	pfm_msg_t msg;

	make_set(self->fd, 2, TIME, 0, 100 * NSEC_PER_SEC);
	choose(self->fd, 2, 0, FAULTS, NOTIFY);
	/* Its threshold is ignored. */
	set_pmd(self->fd, 2, 0, -2ULL, -3ULL, -4ULL, 1);
	MUST(load_at(self->fd, self->p.tid, 2));
	MUST(pfm_start(self->fd));
	puppet_do(&self->p, OP_FAULT, 2);
	ASSERT_EQ(PFM_MSG_OVFL, pfm_next_msg(self->fd, &msg, PATIENCE));
	EXPECT_EQ(2, msg.pfm_ovfl_msg.msg_active_set);
	MUST(pfm_restart(self->fd));
	EXPECT_EQ(2, active(self->fd));
	EXPECT_EQ(1ULL, runs_of(self->fd, 2));
	EXPECT_EQ(-3ULL, value_of(self->fd, 2, 0));
	EXPECT_EQ(0U, ended_by(self->fd, 2));
}

/*
 * Stopped while a switch waits for PFM_RESTART: whatever brings the new set
 * then, the old one must not become one that is never left. Its next overflow
 * ends it at the latest.
 */
TEST_F(switching, stopped_while_a_switch_is_due)
{
	make_set(self->fd, 0, OVFL, 0, 0);
	make_set(self->fd, 1, 0, 0, 0);
	choose(self->fd, 0, 0, FAULTS, NOTIFY);
	set_pmd(self->fd, 0, 0, -2ULL, -2ULL, -2ULL, 1);
	MUST(pfm_load(self->fd, self->p.tid));
	MUST(pfm_start(self->fd));
	puppet_do(&self->p, OP_FAULT, 2);
	ASSERT_TRUE(pfm_state_is(self->fd, "masked"));
	MUST(pfm_stop(self->fd));
	MUST(pfm_restart(self->fd));
	puppet_do(&self->p, OP_FAULT, 5);
	MUST(pfm_start(self->fd));
	puppet_do(&self->p, OP_FAULT, 2);
	if (pfm_state_is(self->fd, "masked"))
		MUST(pfm_restart(self->fd));
	EXPECT_EQ(1, active(self->fd));
	EXPECT_EQ(1ULL, runs_of(self->fd, 1));
}

/* The thread itself waits as well, and goes on in the new set. */
TEST_F(switching, notified_and_blocked)
{
	int fd = (int)MUST(pfm_create(PFM_FL_NOTIFY_BLOCK));
	pfm_msg_t msg;

	make_set(fd, 0, OVFL, 0, 0);
	make_set(fd, 1, 0, 0, 0);
	choose(fd, 0, 0, FAULTS, NOTIFY);
	set_pmd(fd, 0, 0, -3ULL, 0, 0, 1);
	choose(fd, 1, 0, FAULTS, 0);
	MUST(pfm_load(fd, self->p.tid));
	MUST(pfm_start(fd));
	puppet_post(&self->p, OP_FAULT, 20);
	ASSERT_EQ(PFM_MSG_OVFL, pfm_next_msg(fd, &msg, PATIENCE));
	EXPECT_EQ(0, msg.pfm_ovfl_msg.msg_active_set);
	EXPECT_FALSE(puppet_done(&self->p, 50));
	EXPECT_EQ(0, active(fd));
	MUST(pfm_restart(fd));
	EXPECT_TRUE(puppet_done(&self->p, PATIENCE));
	EXPECT_EQ(1, active(fd));
	EXPECT_EQ(0ULL, value_of(fd, 0, 0));
	EXPECT_EQ(17ULL, value_of(fd, 1, 0));
	close(fd);
}

/*
 * A context that is unloaded while it waits for PFM_RESTART: the reset that it waits
 * for comes with the next attachment, short.
 */
TEST_F(switching, unloaded_while_masked)
{
	choose(self->fd, 0, 0, FAULTS, NOTIFY);
	set_pmd(self->fd, 0, 0, -2ULL, -9ULL, -5ULL, 0);
	MUST(pfm_load(self->fd, self->p.tid));
	MUST(pfm_start(self->fd));
	puppet_do(&self->p, OP_FAULT, 3);
	EXPECT_TRUE(pfm_state_is(self->fd, "masked"));
	MUST(pfm_unload(self->fd));
	EXPECT_EQ(0ULL, value_of(self->fd, 0, 0));

	MUST(pfm_load(self->fd, self->p.tid));
	EXPECT_EQ(-5ULL, value_of(self->fd, 0, 0));
	MUST(pfm_start(self->fd));
	puppet_do(&self->p, OP_FAULT, 4);
	EXPECT_EQ(-1ULL, value_of(self->fd, 0, 0));
	puppet_do(&self->p, OP_FAULT, 1);
	EXPECT_TRUE(pfm_state_is(self->fd, "masked"));
	MUST(pfm_unload(self->fd));

	/* What is written now is where the next attachment begins. */
	set_pmd(self->fd, 0, 0, -7ULL, -9ULL, -5ULL, 0);
	MUST(pfm_load(self->fd, self->p.tid));
	EXPECT_EQ(-7ULL, value_of(self->fd, 0, 0));
	MUST(pfm_start(self->fd));
	puppet_do(&self->p, OP_FAULT, 6);
	EXPECT_EQ(-1ULL, value_of(self->fd, 0, 0));
}

TEST_HARNESS_MAIN
