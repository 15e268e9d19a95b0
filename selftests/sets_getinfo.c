// SPDX-License-Identifier: GPL-2.0-only
/*
 * PFM_GETINFO_EVTSETS (3.1.12): what it says of a set before, during and after
 * its activity.
 */
#include "sets.h"

static u64 act_ns(int fd)
{
	pfarg_setinfo_t info = info_of(fd);

	return (u64)info.set_act_duration.tv_sec * NSEC_PER_SEC +
	       (u64)info.set_act_duration.tv_nsec;
}

TEST_F(sets, timeout_information)
{
	pfarg_setinfo_t info;

	ASSERT_EQ(0, create(self->fd, PFM_SETFL_TIME_SWITCH, 3, 0, NULL));
	info = info_of(self->fd);
	EXPECT_EQ(PFM_SETFL_TIME_SWITCH, info.set_flags);
	EXPECT_EQ(3, info.set_timeout.tv_sec);
	EXPECT_EQ(0, info.set_timeout.tv_nsec);
	ASSERT_EQ(0, create(self->fd, PFM_SETFL_OVFL_SWITCH, 3, 0, NULL));
	info = info_of(self->fd);
	EXPECT_EQ(0, info.set_timeout.tv_sec);
	EXPECT_EQ(0, info.set_timeout.tv_nsec);
}

TEST_F(sets, runs_counts_loads)
{
	u64 i;

	for (i = 0; i < 5; i++) {
		EXPECT_EQ(i, info_of(self->fd).set_runs);
		MUST(pfm_load(self->fd, my_tid()));
		EXPECT_EQ(i + 1, info_of(self->fd).set_runs);
		MUST(pfm_start(self->fd));
		MUST(pfm_stop(self->fd));
		MUST(pfm_unload(self->fd));
	}
	/* Started again: not a new run. */
	EXPECT_EQ(5ULL, info_of(self->fd).set_runs);
}

/* Active time is time in which the context is started, not masked and on a CPU. */
TEST_F(sets, active_duration)
{
	u64 a, b, wall;
	struct pages pages;
	int tries;

	pages_map(&pages, 1);
	MUST(pfm_load(self->fd, my_tid()));
	burn_ms(5);
	EXPECT_EQ(0ULL, act_ns(self->fd));
	wall = wall_begin();
	MUST(pfm_start(self->fd));
	burn_ms(20);
	a = act_ns(self->fd);
	wall = now_ns(CLOCK_MONOTONIC) - wall;
	EXPECT_LE(15 * NSEC_PER_MSEC, a);
	/* The two clocks need not agree to the last percent. */
	EXPECT_GE(wall + wall / 10 + 5 * NSEC_PER_MSEC, a);
	/* Asleep it does not run; awake a virtual CPU may have to wait. */
	for (tries = 0; tries < 20; tries++) {
		a = act_ns(self->fd);
		sleep_ms(100);
		b = act_ns(self->fd);
		ASSERT_LE(a, b);
		if (b - a < 60 * NSEC_PER_MSEC)
			break;
	}
	EXPECT_GT(20, tries);
	/* Stopped it stands. */
	MUST(pfm_stop(self->fd));
	a = act_ns(self->fd);
	burn_ms(5);
	EXPECT_EQ(a, act_ns(self->fd));
	/* Masked it stands. */
	MUST(pfm_write_pmc(self->fd, SW_PMC(0), PFM_SW_MINOR_FAULTS,
			   PFM_REGFL_OVFL_NOTIFY));
	MUST(pfm_write_pmd(self->fd, SW_PMD(0), ~0ULL));
	MUST(pfm_start(self->fd));
	pages_touch(&pages, 1);
	ASSERT_TRUE(pfm_state_is(self->fd, "masked"));
	a = act_ns(self->fd);
	burn_ms(5);
	EXPECT_EQ(a, act_ns(self->fd));
	MUST(pfm_unload(self->fd));
	EXPECT_EQ(a, act_ns(self->fd));
}

/* Of a set that does not switch by overflows there is no threshold to show. */
TEST_F(sets, switch_threshold_is_shown)
{
	pfarg_pmd_t pmd = { .reg_num = SW_PMD(0), .reg_ovflsw_thres = 3 };

	ASSERT_EQ(0, pfm(self->fd, PFM_WRITE_PMDS, &pmd, 1));
	ASSERT_EQ(0, pfm(self->fd, PFM_READ_PMDS, &pmd, 1));
	EXPECT_EQ(0ULL, pmd.reg_ovflsw_thres);
	ASSERT_EQ(0, create(self->fd, PFM_SETFL_OVFL_SWITCH, 0, 0, NULL));
	MUST(pfm_load(self->fd, my_tid()));
	ASSERT_EQ(0, pfm(self->fd, PFM_READ_PMDS, &pmd, 1));
	EXPECT_EQ(3ULL, pmd.reg_ovflsw_thres);
}

/* Time-out, flags and next set as given, everything else zero. */
TEST_F(sets, information)
{
	pfarg_setdesc_t desc = {
		.set_id = 500, .set_id_next = 65535,
		.set_flags = PFM_SETFL_TIME_SWITCH | PFM_SETFL_EXPL_NEXT |
			     PFM_SETFL_EXCL_IDLE,
		.set_timeout = { 2, 500000000 },
	};
	pfarg_setinfo_t info, want;

	MUST(pfm(self->fd, PFM_CREATE_EVTSETS, &desc, 1));
	memset(&info, 0xff, sizeof(info));
	info.set_id = 500;
	info.set_flags = 0;
	ASSERT_EQ(0, pfm(self->fd, PFM_GETINFO_EVTSETS, &info, 1));
	memset(&want, 0, sizeof(want));
	want.set_id = 500;
	want.set_id_next = 65535;
	want.set_flags = desc.set_flags;
	want.set_timeout = desc.set_timeout;
	EXPECT_EQ(0, memcmp(&want, &info, sizeof(want)));
}

/* All fields, of a context that has been at work, at one moment. */
TEST_F(sets, information_at_work)
{
	pfarg_setdesc_t desc[3] = {
		{ .set_id = 0, .set_flags = PFM_SETFL_OVFL_SWITCH |
		  PFM_SETFL_EXPL_NEXT, .set_id_next = 2 },
		{ .set_id = 1, .set_flags = PFM_SETFL_OVFL_SWITCH },
		{ .set_id = 2, .set_flags = PFM_SETFL_TIME_SWITCH,
		  .set_timeout = { 100, 0 } },
	};
	pfarg_pmd_t pmd = {
		.reg_num = SW_PMD(3), .reg_value = -2ULL,
		.reg_ovflsw_thres = 1,
	};
	__u64 cause[PFM_MAX_PMD_BITVECTOR] = {};
	pfarg_setinfo_t info[3];
	struct puppet p;
	int i;

	puppet_start(&p, PUPPET_PROCESS);
	MUST(pfm(self->fd, PFM_CREATE_EVTSETS, desc, 3));
	write_pmc(self->fd, 0, 3, PFM_SW_MINOR_FAULTS);
	MUST(pfm(self->fd, PFM_WRITE_PMDS, &pmd, 1));
	MUST(pfm_load(self->fd, p.tid));
	MUST(pfm_start(self->fd));
	puppet_do(&p, OP_FAULT, 2);
	puppet_do(&p, OP_BURN, 5);
	memset(info, 0xff, sizeof(info));
	for (i = 0; i < 3; i++) {
		info[i].set_id = (__u16)(2 - i);
		info[i].set_flags = 0;
	}
	ASSERT_EQ(0, pfm(self->fd, PFM_GETINFO_EVTSETS, info, 3));
	for (i = 0; i < 3; i++) {
		EXPECT_EQ(2 - i, info[i].set_id);
		EXPECT_EQ(i == 2 ? 2 : 0, info[i].set_id_next);
		EXPECT_EQ(desc[2 - i].set_flags, info[i].set_flags);
		EXPECT_EQ(i == 1 ? 0ULL : 1ULL, info[i].set_runs);
		if (i == 2)
			vec_set(cause, SW_PMD(3));
		EXPECT_EQ(0, memcmp(cause, info[i].set_switch_pmds,
				    sizeof(cause)));
		if (i) {
			EXPECT_EQ(0, info[i].set_timeout.tv_sec);
			EXPECT_EQ(0, info[i].set_timeout.tv_nsec);
		}
	}
	EXPECT_GE(99, info[0].set_timeout.tv_sec);
	EXPECT_LT(0, info[0].set_act_duration.tv_nsec);
	EXPECT_EQ(0, info[1].set_act_duration.tv_sec);
	EXPECT_EQ(0, info[1].set_act_duration.tv_nsec);
	EXPECT_LT(0, info[2].set_act_duration.tv_nsec);
	puppet_stop(&p);
}

TEST_HARNESS_MAIN
