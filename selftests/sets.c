// SPDX-License-Identifier: GPL-2.0-only
/*
 * The three event-set commands as far as set 0 alone goes: it can be modified
 * and asked about, and not be deleted.
 *
 * Not here, because they do not exist yet: further sets, switching.
 */
#include "pfm_test.h"

#define N_SETFL	4

FIXTURE(sets) {
	int fd;
};

FIXTURE_SETUP(sets)
{
	self->fd = (int)MUST(pfm_create(0));
}

FIXTURE_TEARDOWN(sets)
{
	close(self->fd);
}

static int create(int fd, u32 flags, long long sec, long long nsec,
		  pfarg_setdesc_t *out)
{
	pfarg_setdesc_t desc = {
		.set_flags = flags, .set_timeout = { sec, nsec },
	};
	int ret = pfm(fd, PFM_CREATE_EVTSETS, &desc, 1);

	if (out)
		*out = desc;
	return ret;
}

static pfarg_setinfo_t info_of(int fd)
{
	pfarg_setinfo_t info = {};

	MUST(pfm(fd, PFM_GETINFO_EVTSETS, &info, 1));
	return info;
}

static u64 act_ns(int fd)
{
	pfarg_setinfo_t info = info_of(fd);

	return (u64)info.set_act_duration.tv_sec * NSEC_PER_SEC +
	       (u64)info.set_act_duration.tv_nsec;
}

TEST_F(sets, set_0_as_created)
{
	pfarg_setinfo_t info;

	/* All but the number and the flags is output. */
	memset(&info, 0xff, sizeof(info));
	info.set_id = 0;
	info.set_flags = 0;
	ASSERT_EQ(0, pfm(self->fd, PFM_GETINFO_EVTSETS, &info, 1));
	EXPECT_TRUE(all_bytes(&info, sizeof(info), 0));
}

TEST_F(sets, modify_set_0)
{
	static const u32 flags[] = {
		PFM_SETFL_OVFL_SWITCH, PFM_SETFL_EXCL_IDLE,
		PFM_SETFL_EXPL_NEXT | PFM_SETFL_OVFL_SWITCH, 0,
	};
	pfarg_setdesc_t desc;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(flags); i++) {
		ASSERT_EQ(0, create(self->fd, flags[i], 0, 0, &desc));
		EXPECT_EQ(flags[i], desc.set_flags);
		EXPECT_EQ(flags[i], info_of(self->fd).set_flags);
		EXPECT_EQ(0, info_of(self->fd).set_id);
		EXPECT_EQ(0, info_of(self->fd).set_id_next);
	}
}

TEST_F(sets, flags_bit_by_bit)
{
	int bit;

	for (bit = 0; bit < 29; bit++) {
		pfarg_setdesc_t desc = { .set_flags = 1U << bit,
					 .set_timeout = { 1, 0 } };
		pfarg_setinfo_t info = { .set_flags = 1U << bit };

		EXPECT_EQ(bit < N_SETFL ? 0 : -EINVAL,
			  pfm(self->fd, PFM_CREATE_EVTSETS, &desc, 1)) {
			TH_LOG("flag %#x", 1U << bit);
		}
		if (bit >= N_SETFL) {
			EXPECT_EQ(PFM_SET_RETFL_EINVAL,
				  desc.set_flags & PFM_SET_RETFL_MASK);
		}
		EXPECT_EQ(-EINVAL, pfm(self->fd, PFM_GETINFO_EVTSETS, &info,
				       1));
		EXPECT_EQ(PFM_SET_RETFL_EINVAL,
			  info.set_flags & PFM_SET_RETFL_MASK);
	}
	/* The last flag that was accepted is the one that holds. */
	EXPECT_EQ(PFM_SETFL_EXCL_IDLE, info_of(self->fd).set_flags);
}

TEST_F(sets, return_flags_are_ignored_on_input)
{
	pfarg_setdesc_t desc = { .set_flags = PFM_SET_RETFL_MASK };
	pfarg_setinfo_t info = { .set_flags = PFM_SET_RETFL_MASK };

	EXPECT_EQ(0, pfm(self->fd, PFM_CREATE_EVTSETS, &desc, 1));
	EXPECT_EQ(0U, desc.set_flags);
	EXPECT_EQ(0, pfm(self->fd, PFM_GETINFO_EVTSETS, &info, 1));
	EXPECT_EQ(0U, info.set_flags);
}

/* Only one way of switching is allowed for a set (3.7.6). */
TEST_F(sets, two_switching_modes)
{
	pfarg_setdesc_t desc;

	EXPECT_EQ(-EINVAL, create(self->fd, PFM_SETFL_OVFL_SWITCH |
				  PFM_SETFL_TIME_SWITCH, 1, 0, &desc));
	EXPECT_EQ(PFM_SET_RETFL_EINVAL, desc.set_flags & PFM_SET_RETFL_MASK);
	EXPECT_EQ(0U, info_of(self->fd).set_flags);
}

TEST_F(sets, bad_timeouts)
{
	static const struct {
		long long sec, nsec;
	} bad[] = {
		{ 0, 0 }, { 0, -1 }, { 0, 1000000000 }, { -1, 0 }, { -1, 5 },
		{ 1, -1 }, { 1, 1000000000 }, { LLONG_MIN, 0 },
		{ 0, LLONG_MAX }, { 0, LLONG_MIN }, { 1, LLONG_MAX },
	};
	pfarg_setdesc_t desc;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		EXPECT_EQ(-EINVAL, create(self->fd, PFM_SETFL_TIME_SWITCH,
					  bad[i].sec, bad[i].nsec, &desc)) {
			TH_LOG("%lld s %lld ns", bad[i].sec, bad[i].nsec);
		}
		EXPECT_EQ(PFM_SET_RETFL_EINVAL,
			  desc.set_flags & PFM_SET_RETFL_MASK);
		/* Without the flag the field is ignored. */
		EXPECT_EQ(0, create(self->fd, 0, bad[i].sec, bad[i].nsec,
				    NULL));
	}
}

/* Rounded up, never refused for being no multiple, never below 10 us. */
TEST_F(sets, effective_timeout)
{
	static const long long req[] = {
		1, 9999, 10000, 10001, 123457, 999999, 1000001, 15000000,
		999999999,
	};
	struct timespec res;
	size_t i;

	MUST(clock_getres(CLOCK_MONOTONIC, &res));
	for (i = 0; i < ARRAY_SIZE(req); i++) {
		pfarg_setdesc_t desc;
		long long eff, want = req[i] < 10000 ? 10000 : req[i];

		ASSERT_EQ(0, create(self->fd, PFM_SETFL_TIME_SWITCH, 2, req[i],
				    &desc));
		EXPECT_LE(2, desc.set_timeout.tv_sec);
		ASSERT_EQ(0, create(self->fd, PFM_SETFL_TIME_SWITCH, 0, req[i],
				    &desc));
		EXPECT_LE(0, desc.set_timeout.tv_nsec);
		EXPECT_GT(1000000000, desc.set_timeout.tv_nsec);
		eff = desc.set_timeout.tv_sec * 1000000000LL +
		      desc.set_timeout.tv_nsec;
		EXPECT_LE(want, eff);
		EXPECT_GT(want + res.tv_nsec, eff);
		EXPECT_EQ(0, eff % res.tv_nsec);
	}
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

TEST_F(sets, huge_timeout)
{
	pfarg_setdesc_t desc;

	/* Accepted or refused, but never a small or negative time. */
	if (!create(self->fd, PFM_SETFL_TIME_SWITCH, LLONG_MAX, 0, &desc)) {
		EXPECT_LT(1000000000LL, desc.set_timeout.tv_sec);
		EXPECT_EQ(PFM_SETFL_TIME_SWITCH, info_of(self->fd).set_flags);
	} else {
		EXPECT_EQ(PFM_SET_RETFL_EINVAL,
			  desc.set_flags & PFM_SET_RETFL_MASK);
	}
}

TEST_F(sets, delete_set_0)
{
	pfarg_setdesc_t desc = {};

	EXPECT_EQ(-EINVAL, pfm(self->fd, PFM_DELETE_EVTSETS, &desc, 1));
	EXPECT_EQ(PFM_SET_RETFL_EINVAL, desc.set_flags);
	/* It is still there and still works. */
	EXPECT_EQ(0, pfm_write_pmd(self->fd, SW_PMD(0), 4));
	EXPECT_EQ(4ULL, pfm_value(self->fd, SW_PMD(0)));
	EXPECT_EQ(0, pfm_load(self->fd, my_tid()));
}

TEST_F(sets, unknown_sets)
{
	static const __u16 ids[] = { 1, 2, 100, 255, 256, 65534, 65535 };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(ids); i++) {
		pfarg_setdesc_t desc = { .set_id = ids[i] };
		pfarg_setinfo_t info = { .set_id = ids[i] };

		EXPECT_EQ(-EINVAL, pfm(self->fd, PFM_DELETE_EVTSETS, &desc, 1));
		EXPECT_EQ(PFM_SET_RETFL_NOSET, desc.set_flags);
		EXPECT_EQ(-EINVAL, pfm(self->fd, PFM_GETINFO_EVTSETS, &info,
				       1));
		EXPECT_EQ(PFM_SET_RETFL_NOSET, info.set_flags);
		EXPECT_EQ(ids[i], info.set_id);
	}
}

TEST_F(sets, only_the_bad_one_is_blamed)
{
	pfarg_setinfo_t info[3] = { { .set_id = 0 }, { .set_id = 9 },
				    { .set_id = 0, .set_runs = 77 } };

	MUST(pfm_load(self->fd, my_tid()));
	EXPECT_EQ(-EINVAL, pfm(self->fd, PFM_GETINFO_EVTSETS, info, 3));
	EXPECT_EQ(0U, info[0].set_flags);
	EXPECT_EQ(1ULL, info[0].set_runs);
	EXPECT_EQ(PFM_SET_RETFL_NOSET, info[1].set_flags);
	EXPECT_EQ(0U, info[2].set_flags);
	EXPECT_EQ(77ULL, info[2].set_runs);
}

TEST_F(sets, delete_takes_no_flags)
{
	int bit;

	for (bit = 0; bit < 29; bit++) {
		pfarg_setdesc_t desc = { .set_id = 5, .set_flags = 1U << bit };

		EXPECT_EQ(-EINVAL, pfm(self->fd, PFM_DELETE_EVTSETS, &desc, 1));
		EXPECT_EQ(PFM_SET_RETFL_EINVAL,
			  desc.set_flags & PFM_SET_RETFL_MASK);
	}
}

/* Checked when the context is attached; a failed load attaches nothing. */
TEST_F(sets, explicit_next_must_exist_at_load)
{
	pfarg_setdesc_t desc = { .set_flags = PFM_SETFL_EXPL_NEXT,
				 .set_id_next = 12 };
	int other;

	ASSERT_EQ(0, pfm(self->fd, PFM_CREATE_EVTSETS, &desc, 1));
	EXPECT_EQ(12, info_of(self->fd).set_id_next);
	EXPECT_EQ(-EINVAL, pfm_load(self->fd, my_tid()));
	EXPECT_TRUE(pfm_state_is(self->fd, "unloaded"));
	EXPECT_EQ(0ULL, info_of(self->fd).set_runs);
	other = (int)MUST(pfm_create(0));
	EXPECT_EQ(0, pfm_load(other, my_tid()));
	EXPECT_EQ(0, pfm_unload(other));
	desc.set_id_next = 0;
	ASSERT_EQ(0, pfm(self->fd, PFM_CREATE_EVTSETS, &desc, 1));
	EXPECT_EQ(0, pfm_load(self->fd, my_tid()));
}

TEST_F(sets, load_and_start_name_a_set)
{
	pfarg_load_t load = { .load_pid = my_tid(), .load_set = 1 };
	pfarg_start_t start = { .start_set = 1 };

	EXPECT_EQ(-EINVAL, pfm(self->fd, PFM_LOAD_CONTEXT, &load, 1));
	EXPECT_TRUE(pfm_state_is(self->fd, "unloaded"));
	load.load_set = 0;
	ASSERT_EQ(0, pfm(self->fd, PFM_LOAD_CONTEXT, &load, 1));
	EXPECT_EQ(-EINVAL, pfm(self->fd, PFM_START, &start, 1));
	EXPECT_EQ(0ULL, pfm_fdinfo_num(self->fd, "pfm-started"));
	start.start_set = 0;
	EXPECT_EQ(0, pfm(self->fd, PFM_START, &start, 1));
	EXPECT_EQ(1ULL, pfm_fdinfo_num(self->fd, "pfm-started"));
	EXPECT_EQ(0ULL, pfm_fdinfo_num(self->fd, "pfm-set"));
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

/* Only time that is started, not masked and on a CPU is active time. */
TEST_F(sets, active_duration)
{
	u64 a, b, wall;
	struct pages pages;

	pages_map(&pages, 1);
	MUST(pfm_load(self->fd, my_tid()));
	burn_ms(5);
	EXPECT_EQ(0ULL, act_ns(self->fd));
	wall = now_ns(CLOCK_MONOTONIC);
	MUST(pfm_start(self->fd));
	burn_ms(20);
	a = act_ns(self->fd);
	wall = now_ns(CLOCK_MONOTONIC) - wall;
	EXPECT_LE(15 * NSEC_PER_MSEC, a);
	EXPECT_GE(wall + NSEC_PER_MSEC, a);
	/* Asleep it does not run. */
	sleep_ms(100);
	b = act_ns(self->fd);
	EXPECT_LE(a, b);
	EXPECT_GT(a + 60 * NSEC_PER_MSEC, b);
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

/* The threshold is armed at each load with what PFM_WRITE_PMDS gave. */
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

/* No set may be made, changed or deleted while the context is loaded. */
TEST_F(sets, loaded)
{
	pfarg_setdesc_t desc = { .set_flags = PFM_SETFL_EXCL_IDLE };

	MUST(pfm_load(self->fd, my_tid()));
	EXPECT_EQ(-EBUSY, pfm(self->fd, PFM_CREATE_EVTSETS, &desc, 1));
	desc = (pfarg_setdesc_t){ .set_id = 4 };
	EXPECT_EQ(-EBUSY, pfm(self->fd, PFM_DELETE_EVTSETS, &desc, 1));
	EXPECT_EQ(0U, info_of(self->fd).set_flags);
}

TEST_HARNESS_MAIN
