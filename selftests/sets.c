// SPDX-License-Identifier: GPL-2.0-only
/*
 * The three event-set commands (3.1.10-3.1.12): sets are created, modified,
 * asked about and deleted, in any order and number; the registers of each can
 * be addressed whether it is active or not.
 *
 * Not here: what makes the kernel go from one set to another (switch.c), what
 * the administrator allows (limits.c).
 */
#include "puppet.h"

#define N_SETFL	4

/* What the smallest limit for an argument, a page, has room for. */
#define ARG_SIZE	4096
#define ARG_DESCS	((int)(ARG_SIZE / sizeof(pfarg_setdesc_t)))
#define ARG_INFOS	((int)(ARG_SIZE / sizeof(pfarg_setinfo_t)))
#define ARG_PMCS	((int)(ARG_SIZE / sizeof(pfarg_pmc_t)))
#define ARG_PMDS	((int)(ARG_SIZE / sizeof(pfarg_pmd_t)))

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

/* Any set, without a time-out. */
static int create_set(int fd, int id, u32 flags, int next)
{
	pfarg_setdesc_t desc = {
		.set_id = (__u16)id, .set_id_next = (__u16)next,
		.set_flags = flags,
	};

	return pfm(fd, PFM_CREATE_EVTSETS, &desc, 1);
}

static int delete_set(int fd, int id)
{
	pfarg_setdesc_t desc = { .set_id = (__u16)id };

	return pfm(fd, PFM_DELETE_EVTSETS, &desc, 1);
}

static bool set_exists(int fd, int id)
{
	pfarg_setinfo_t info = { .set_id = (__u16)id };
	int ret = pfm(fd, PFM_GETINFO_EVTSETS, &info, 1);

	if (ret && !(info.set_flags & PFM_SET_RETFL_NOSET))
		die("set %d: %s", id, strerror(-ret));
	return !ret;
}

static pfarg_setinfo_t info_of_set(int fd, int id)
{
	pfarg_setinfo_t info = { .set_id = (__u16)id };

	MUST(pfm(fd, PFM_GETINFO_EVTSETS, &info, 1));
	return info;
}

static pfarg_setinfo_t info_of(int fd)
{
	return info_of_set(fd, 0);
}

static u64 act_ns(int fd)
{
	pfarg_setinfo_t info = info_of(fd);

	return (u64)info.set_act_duration.tv_sec * NSEC_PER_SEC +
	       (u64)info.set_act_duration.tv_nsec;
}

static void write_pmc(int fd, int set, int i, u64 event)
{
	pfarg_pmc_t pmc = {
		.reg_num = (__u16)SW_PMC(i), .reg_set = (__u16)set,
		.reg_value = event,
	};

	MUST(pfm(fd, PFM_WRITE_PMCS, &pmc, 1));
}

static void write_pmd(int fd, int set, int i, u64 value)
{
	pfarg_pmd_t pmd = {
		.reg_num = (__u16)SW_PMD(i), .reg_set = (__u16)set,
		.reg_value = value,
	};

	MUST(pfm(fd, PFM_WRITE_PMDS, &pmd, 1));
}

static pfarg_pmd_t read_pmd(int fd, int set, int i)
{
	pfarg_pmd_t pmd = {
		.reg_num = (__u16)SW_PMD(i), .reg_set = (__u16)set,
		.reg_value = 0xdeadbeef, .reg_last_reset_val = 0xdeadbeef,
		.reg_ovflsw_thres = 0xdeadbeef,
	};

	MUST(pfm(fd, PFM_READ_PMDS, &pmd, 1));
	return pmd;
}

static int load_at(int fd, pid_t tid, int set)
{
	pfarg_load_t load = { .load_pid = tid, .load_set = (__u16)set };

	return pfm(fd, PFM_LOAD_CONTEXT, &load, 1);
}

static int start_at(int fd, int set)
{
	pfarg_start_t start = { .start_set = (__u16)set };

	return pfm(fd, PFM_START, &start, 1);
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

/* Rounded up, never refused for being no multiple, never below the bound. */
TEST_F(sets, effective_timeout)
{
	static const long long req[] = {
		1, 9999, 10000, 10001, 123457, 999999, 1000001, 15000000,
		999999999,
	};
	long long min = (long long)sysfs_u64("set_timeout_min");
	struct timespec res;
	size_t i;

	MUST(clock_getres(CLOCK_MONOTONIC, &res));
	for (i = 0; i < ARRAY_SIZE(req); i++) {
		pfarg_setdesc_t desc;
		long long eff, want = req[i] < min ? min : req[i];

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
	int tries;

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

/* No set may be made, changed or deleted while the context is loaded. */
TEST_F(sets, loaded)
{
	pfarg_setdesc_t desc = { .set_flags = PFM_SETFL_EXCL_IDLE };

	MUST(create_set(self->fd, 4, 0, 0));
	MUST(pfm_load(self->fd, my_tid()));
	EXPECT_EQ(-EBUSY, pfm(self->fd, PFM_CREATE_EVTSETS, &desc, 1));
	EXPECT_EQ(PFM_SETFL_EXCL_IDLE, desc.set_flags);
	EXPECT_EQ(-EBUSY, create_set(self->fd, 4, PFM_SETFL_EXCL_IDLE, 0));
	EXPECT_EQ(-EBUSY, create_set(self->fd, 5, 0, 0));
	EXPECT_EQ(-EBUSY, delete_set(self->fd, 4));
	EXPECT_EQ(-EBUSY, delete_set(self->fd, 6));
	EXPECT_EQ(0U, info_of(self->fd).set_flags);
	EXPECT_EQ(0U, info_of_set(self->fd, 4).set_flags);
	EXPECT_FALSE(set_exists(self->fd, 5));
	MUST(pfm_unload(self->fd));
	EXPECT_EQ(0, create_set(self->fd, 5, 0, 0));
	EXPECT_EQ(0, delete_set(self->fd, 4));
}

/* ------------------------------------------------------------------------
 * Sets other than 0
 */

/* Neither the order nor holes matter, and neighbours do not appear. */
TEST_F(sets, any_order_with_holes)
{
	static const int ids[] = {
		5, 3, 65535, 1, 40000, 256, 255, 65533, 32768, 100, 32766,
	};
	size_t i, k;

	for (i = 0; i < ARRAY_SIZE(ids); i++) {
		ASSERT_EQ(0, create_set(self->fd, ids[i],
					i % 2 ? PFM_SETFL_OVFL_SWITCH : 0, 0));
		for (k = 0; k < ARRAY_SIZE(ids); k++) {
			ASSERT_EQ(k <= i, set_exists(self->fd, ids[k]));
		}
	}
	for (i = 0; i < ARRAY_SIZE(ids); i++) {
		pfarg_setinfo_t info = info_of_set(self->fd, ids[i]);

		EXPECT_EQ(ids[i], info.set_id);
		EXPECT_EQ(i % 2 ? PFM_SETFL_OVFL_SWITCH : 0, info.set_flags);
	}
	EXPECT_FALSE(set_exists(self->fd, 2));
	EXPECT_FALSE(set_exists(self->fd, 4));
	EXPECT_FALSE(set_exists(self->fd, 257));
	EXPECT_FALSE(set_exists(self->fd, 32767));
	EXPECT_FALSE(set_exists(self->fd, 65532));
	EXPECT_FALSE(set_exists(self->fd, 65534));
	EXPECT_TRUE(set_exists(self->fd, 0));
}

/* A long series of creations and deletions, against a list of our own. */
TEST_F(sets, come_and_go)
{
	static unsigned char model[65536];
	int step, id, n = is_slow() ? 1000 : 4000;
	u32 seed = 12345;

	memset(model, 0, sizeof(model));
	model[0] = 1;
	for (step = 0; step < n; step++) {
		seed = seed * 1664525 + 1013904223;
		/* Few numbers, at both ends, so that they meet again. */
		id = (int)(seed >> 26);
		if (seed >> 25 & 1)
			id = 65535 - id;
		if (seed >> 24 & 1) {
			ASSERT_EQ(0, create_set(self->fd, id, 0, 0));
			model[id] = 1;
		} else {
			ASSERT_EQ(model[id] && id ? 0 : -EINVAL,
				  delete_set(self->fd, id));
			model[id] = id == 0;
		}
	}
	for (id = 0; id < 70; id++) {
		EXPECT_EQ(model[id], set_exists(self->fd, id));
		EXPECT_EQ(model[65535 - id], set_exists(self->fd, 65535 - id));
	}
	EXPECT_EQ(0, pfm_load(self->fd, my_tid()));
}

/* What was created already is modified, and keeps its registers and runs. */
TEST_F(sets, modify)
{
	pfarg_setdesc_t desc = {
		.set_id = 7, .set_flags = PFM_SETFL_TIME_SWITCH,
		.set_timeout = { 3, 0 },
	};
	pfarg_setinfo_t info;

	MUST(create_set(self->fd, 7, PFM_SETFL_OVFL_SWITCH, 0));
	write_pmd(self->fd, 7, 2, 4711);
	MUST(load_at(self->fd, my_tid(), 7));
	MUST(pfm_unload(self->fd));
	ASSERT_EQ(0, pfm(self->fd, PFM_CREATE_EVTSETS, &desc, 1));
	info = info_of_set(self->fd, 7);
	EXPECT_EQ(PFM_SETFL_TIME_SWITCH, info.set_flags);
	EXPECT_EQ(3, info.set_timeout.tv_sec);
	EXPECT_EQ(1ULL, info.set_runs);
	EXPECT_EQ(4711ULL, read_pmd(self->fd, 7, 2).reg_value);
	ASSERT_EQ(0, create_set(self->fd, 7, PFM_SETFL_EXPL_NEXT, 7));
	info = info_of_set(self->fd, 7);
	EXPECT_EQ(PFM_SETFL_EXPL_NEXT, info.set_flags);
	EXPECT_EQ(7, info.set_id_next);
	EXPECT_EQ(0, info.set_timeout.tv_sec);
	/* Its neighbour, and set 0, are none of its business. */
	EXPECT_EQ(0U, info_of(self->fd).set_flags);
	EXPECT_FALSE(set_exists(self->fd, 8));
}

TEST_F(sets, delete)
{
	int id;

	for (id = 1; id <= 5; id++)
		MUST(create_set(self->fd, id, 0, 0));
	/* In the middle, at the end, at the beginning. */
	EXPECT_EQ(0, delete_set(self->fd, 3));
	EXPECT_EQ(0, delete_set(self->fd, 5));
	EXPECT_EQ(0, delete_set(self->fd, 1));
	for (id = 0; id <= 5; id++)
		EXPECT_EQ(id % 2 == 0, set_exists(self->fd, id));
	EXPECT_EQ(-EINVAL, delete_set(self->fd, 3));
	EXPECT_EQ(-EINVAL, load_at(self->fd, my_tid(), 3));
	EXPECT_EQ(0, load_at(self->fd, my_tid(), 4));
}

/* The set that was active last: what remains is set 0. */
TEST_F(sets, delete_the_last_active_one)
{
	MUST(create_set(self->fd, 9, 0, 0));
	MUST(load_at(self->fd, my_tid(), 9));
	MUST(pfm_unload(self->fd));
	EXPECT_EQ(9ULL, pfm_fdinfo_num(self->fd, "pfm-set"));
	EXPECT_EQ(0, delete_set(self->fd, 9));
	EXPECT_EQ(0ULL, pfm_fdinfo_num(self->fd, "pfm-set"));
	write_pmd(self->fd, 0, 0, 5);
	EXPECT_EQ(5ULL, read_pmd(self->fd, 0, 0).reg_value);
	EXPECT_EQ(0, pfm_load(self->fd, my_tid()));
	EXPECT_EQ(0, pfm_start(self->fd));
}

/* Before the bad element applied, the bad one blamed, the rest untouched. */
TEST_F(sets, bad_element_in_create)
{
	pfarg_setdesc_t desc[5], sent[5];
	int i, bad;

	for (bad = 0; bad < 5; bad++) {
		for (i = 0; i < 5; i++)
			desc[i] = (pfarg_setdesc_t){
				.set_id = (__u16)(10 * bad + i + 1),
				.set_flags = PFM_SETFL_TIME_SWITCH,
				.set_timeout = { 0, 1 },
			};
		desc[bad].set_flags |= PFM_SETFL_OVFL_SWITCH;
		memcpy(sent, desc, sizeof(sent));
		ASSERT_EQ(-EINVAL, pfm(self->fd, PFM_CREATE_EVTSETS, desc, 5));
		for (i = 0; i < 5; i++) {
			EXPECT_EQ(i < bad, set_exists(self->fd,
						      sent[i].set_id));
			EXPECT_EQ(i == bad ? PFM_SET_RETFL_EINVAL : 0,
				  desc[i].set_flags & PFM_SET_RETFL_MASK);
			/* The effective time-out comes back. */
			if (i < bad) {
				EXPECT_LT(1, desc[i].set_timeout.tv_nsec);
			} else {
				EXPECT_EQ(1, desc[i].set_timeout.tv_nsec);
			}
			if (i > bad) {
				EXPECT_EQ(0, memcmp(&sent[i], &desc[i],
						    sizeof(sent[i])));
			}
		}
	}
}

TEST_F(sets, bad_element_in_delete)
{
	static const __u16 ids[5] = { 4, 1, 0, 3, 2 };
	pfarg_setdesc_t desc[5];
	int i, round;

	/* First it is set 0, then a set that does not exist. */
	for (round = 0; round < 2; round++) {
		for (i = 1; i <= 4; i++)
			MUST(create_set(self->fd, i, 0, 0));
		for (i = 0; i < 5; i++)
			desc[i] = (pfarg_setdesc_t){ .set_id = ids[i] };
		if (round)
			desc[2].set_id = 77;
		ASSERT_EQ(-EINVAL, pfm(self->fd, PFM_DELETE_EVTSETS, desc, 5));
		EXPECT_EQ(0U, desc[0].set_flags);
		EXPECT_EQ(0U, desc[1].set_flags);
		EXPECT_EQ(round ? PFM_SET_RETFL_NOSET : PFM_SET_RETFL_EINVAL,
			  desc[2].set_flags);
		EXPECT_EQ(0U, desc[3].set_flags);
		EXPECT_EQ(0U, desc[4].set_flags);
		EXPECT_FALSE(set_exists(self->fd, 4));
		EXPECT_FALSE(set_exists(self->fd, 1));
		EXPECT_TRUE(set_exists(self->fd, 3));
		EXPECT_TRUE(set_exists(self->fd, 2));
		EXPECT_TRUE(set_exists(self->fd, 0));
	}
}

/* Twice in one vector: made by the first, modified by the second element. */
TEST_F(sets, the_same_one_twice)
{
	pfarg_setdesc_t desc[2] = {
		{ .set_id = 6, .set_flags = PFM_SETFL_OVFL_SWITCH },
		{ .set_id = 6, .set_flags = PFM_SETFL_EXCL_IDLE },
	};

	ASSERT_EQ(0, pfm(self->fd, PFM_CREATE_EVTSETS, desc, 2));
	EXPECT_EQ(PFM_SETFL_EXCL_IDLE, info_of_set(self->fd, 6).set_flags);
	desc[0].set_flags = 0;
	desc[1].set_flags = 0;
	ASSERT_EQ(-EINVAL, pfm(self->fd, PFM_DELETE_EVTSETS, desc, 2));
	EXPECT_EQ(0U, desc[0].set_flags);
	EXPECT_EQ(PFM_SET_RETFL_NOSET, desc[1].set_flags);
	EXPECT_FALSE(set_exists(self->fd, 6));
}

/* What is refused leaves no set behind, and an old one as it was. */
TEST_F(sets, refused)
{
	static const u32 both = PFM_SETFL_OVFL_SWITCH | PFM_SETFL_TIME_SWITCH;
	pfarg_setdesc_t desc = {
		.set_id = 2, .set_flags = both, .set_timeout = { 1, 0 },
	};

	EXPECT_EQ(-EINVAL, pfm(self->fd, PFM_CREATE_EVTSETS, &desc, 1));
	EXPECT_EQ(PFM_SET_RETFL_EINVAL, desc.set_flags & PFM_SET_RETFL_MASK);
	EXPECT_FALSE(set_exists(self->fd, 2));
	MUST(create_set(self->fd, 2, PFM_SETFL_EXCL_IDLE, 0));
	desc.set_flags = both;
	EXPECT_EQ(-EINVAL, pfm(self->fd, PFM_CREATE_EVTSETS, &desc, 1));
	EXPECT_EQ(-EINVAL, create_set(self->fd, 2, 1U << 5, 0));
	EXPECT_EQ(PFM_SETFL_EXCL_IDLE, info_of_set(self->fd, 2).set_flags);
}

/* The next set may come later, but not later than the attachment (3.1.10). */
TEST_F(sets, explicit_next_created_later)
{
	MUST(create_set(self->fd, 4, PFM_SETFL_EXPL_NEXT, 30));
	EXPECT_EQ(-EINVAL, pfm_load(self->fd, my_tid()));
	EXPECT_TRUE(pfm_state_is(self->fd, "unloaded"));
	MUST(create_set(self->fd, 30, 0, 0));
	ASSERT_EQ(0, pfm_load(self->fd, my_tid()));
	MUST(pfm_unload(self->fd));
	/* Without it the chain is broken again. */
	MUST(delete_set(self->fd, 30));
	EXPECT_EQ(-EINVAL, pfm_load(self->fd, my_tid()));
	EXPECT_EQ(-EINVAL, load_at(self->fd, my_tid(), 4));
	EXPECT_TRUE(pfm_state_is(self->fd, "unloaded"));
	/* A failed load is no run. */
	EXPECT_EQ(1ULL, info_of(self->fd).set_runs);
	EXPECT_EQ(0ULL, info_of_set(self->fd, 4).set_runs);
	MUST(delete_set(self->fd, 4));
	EXPECT_EQ(0, pfm_load(self->fd, my_tid()));
}

/* The field is ignored without its flag. */
TEST_F(sets, next_without_the_flag)
{
	MUST(create_set(self->fd, 4, PFM_SETFL_OVFL_SWITCH, 9999));
	EXPECT_EQ(0, pfm_load(self->fd, my_tid()));
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

/* As PFM_READ_PMDS shows them, and as monitoring finds them. */
static void check_defaults(struct __test_metadata *_metadata, int fd, int set)
{
	pfarg_setinfo_t info = info_of_set(fd, set);
	int i;

	EXPECT_EQ(0ULL, info.set_runs);
	EXPECT_EQ(0, info.set_act_duration.tv_sec);
	EXPECT_EQ(0, info.set_act_duration.tv_nsec);
	EXPECT_TRUE(all_bytes(info.set_switch_pmds,
			      sizeof(info.set_switch_pmds), 0));
	for (i = 0; i < PFM_SW_COUNTERS; i++) {
		pfarg_pmd_t pmd = read_pmd(fd, set, i);

		EXPECT_EQ(0ULL, pmd.reg_value);
		EXPECT_EQ(0ULL, pmd.reg_last_reset_val);
		EXPECT_EQ(0ULL, pmd.reg_ovflsw_thres);
	}
}

/* All counters of a set count faults, and have values of their own. */
static void program(int fd, int set, u64 value)
{
	int i;

	for (i = 0; i < PFM_SW_COUNTERS; i++) {
		write_pmc(fd, set, i, PFM_SW_MINOR_FAULTS);
		write_pmd(fd, set, i, value + (u64)i);
	}
}

/* Not what set 0 has been programmed with. */
TEST_F(sets, new_set_has_defaults)
{
	struct pages pages;
	int i;

	pages_map(&pages, 10);
	program(self->fd, 0, 100);
	MUST(create_set(self->fd, 3, 0, 0));
	check_defaults(_metadata, self->fd, 3);
	MUST(load_at(self->fd, my_tid(), 3));
	MUST(pfm_start(self->fd));
	pages_touch(&pages, 10);
	for (i = 0; i < PFM_SW_COUNTERS; i++)
		EXPECT_EQ(0ULL, read_pmd(self->fd, 3, i).reg_value);
	EXPECT_EQ(107ULL, read_pmd(self->fd, 0, 7).reg_value);
}

/* "The only way to reset, is to delete the set and recreate it" (3.1.12). */
TEST_F(sets, recreated_from_scratch)
{
	struct pages pages;
	pfarg_setinfo_t info;
	int i;

	pages_map(&pages, 20);
	MUST(create_set(self->fd, 3, PFM_SETFL_OVFL_SWITCH, 0));
	program(self->fd, 3, 100);
	MUST(load_at(self->fd, my_tid(), 3));
	MUST(pfm_start(self->fd));
	pages_touch(&pages, 10);
	burn_ms(2);
	MUST(pfm_unload(self->fd));
	info = info_of_set(self->fd, 3);
	EXPECT_EQ(1ULL, info.set_runs);
	EXPECT_LT(0, info.set_act_duration.tv_nsec);
	EXPECT_LE(110ULL, read_pmd(self->fd, 3, 0).reg_value);
	MUST(delete_set(self->fd, 3));
	MUST(create_set(self->fd, 3, PFM_SETFL_OVFL_SWITCH, 0));
	check_defaults(_metadata, self->fd, 3);
	/* Its controls, too, select nothing. */
	MUST(load_at(self->fd, my_tid(), 3));
	MUST(pfm_start(self->fd));
	pages_touch(&pages, 10);
	for (i = 0; i < PFM_SW_COUNTERS; i++)
		EXPECT_EQ(0ULL, read_pmd(self->fd, 3, i).reg_value);
}

/* One vector can address several sets. */
TEST_F(sets, registers_of_several_sets)
{
	static const __u16 ids[] = { 0, 1, 65535, 300 };
	pfarg_pmd_t pmd[8], got[8];
	int i, loaded;

	for (i = 1; i < 4; i++)
		MUST(create_set(self->fd, ids[i], 0, 0));
	for (i = 0; i < 8; i++)
		pmd[i] = (pfarg_pmd_t){
			.reg_num = (__u16)SW_PMD(i / 4), .reg_set = ids[i % 4],
			.reg_value = 1000ULL + (u64)i,
		};
	for (loaded = 0; loaded < 3; loaded++) {
		if (loaded == 1)
			MUST(load_at(self->fd, my_tid(), 300));
		if (loaded == 2)
			MUST(pfm_start(self->fd));
		for (i = 0; i < 8; i++)
			pmd[i].reg_value += 100;
		ASSERT_EQ(0, pfm(self->fd, PFM_WRITE_PMDS, pmd, 8));
		memcpy(got, pmd, sizeof(got));
		for (i = 0; i < 8; i++)
			got[i].reg_value = 0;
		ASSERT_EQ(0, pfm(self->fd, PFM_READ_PMDS, got, 8));
		for (i = 0; i < 8; i++)
			EXPECT_EQ(pmd[i].reg_value, got[i].reg_value);
	}
}

/* The register is there, its set is not. */
TEST_F(sets, registers_of_an_unknown_set)
{
	pfarg_pmc_t pmc[3] = {
		{ .reg_num = SW_PMC(0), .reg_value = PFM_SW_MINOR_FAULTS },
		{ .reg_num = SW_PMC(1), .reg_set = 8 },
		{ .reg_num = SW_PMC(2), .reg_set = 8 },
	};
	pfarg_pmd_t pmd[3] = {
		{ .reg_num = SW_PMD(0), .reg_value = 5 },
		{ .reg_num = SW_PMD(1), .reg_set = 8, .reg_value = 6 },
		{ .reg_num = SW_PMD(2), .reg_set = 8, .reg_value = 7 },
	};

	MUST(create_set(self->fd, 7, 0, 0));
	MUST(create_set(self->fd, 9, 0, 0));
	EXPECT_EQ(-EINVAL, pfm(self->fd, PFM_WRITE_PMCS, pmc, 3));
	EXPECT_EQ(0U, pmc[0].reg_flags);
	EXPECT_EQ(PFM_REG_RETFL_NOSET, pmc[1].reg_flags);
	EXPECT_EQ(0U, pmc[2].reg_flags);
	EXPECT_EQ(-EINVAL, pfm(self->fd, PFM_WRITE_PMDS, pmd, 3));
	EXPECT_EQ(PFM_REG_RETFL_NOSET, pmd[1].reg_flags);
	EXPECT_EQ(0U, pmd[2].reg_flags);
	pmd[0].reg_value = 0;
	EXPECT_EQ(-EINVAL, pfm(self->fd, PFM_READ_PMDS, pmd, 3));
	EXPECT_EQ(5ULL, pmd[0].reg_value);
	EXPECT_EQ(PFM_REG_RETFL_NOSET, pmd[1].reg_flags);
	EXPECT_EQ(6ULL, pmd[1].reg_value);
	EXPECT_EQ(7ULL, pmd[2].reg_value);
}

/* A set that is not active keeps what it had, whatever happens meanwhile. */
TEST_F(sets, inactive_set_is_left_alone)
{
	struct puppet p;

	puppet_start(&p, PUPPET_PROCESS);
	MUST(create_set(self->fd, 5, 0, 0));
	program(self->fd, 0, 0);
	program(self->fd, 5, 1000);
	MUST(pfm_load(self->fd, p.tid));
	MUST(pfm_start(self->fd));
	puppet_do(&p, OP_FAULT, 10);
	EXPECT_EQ(10ULL, read_pmd(self->fd, 0, 0).reg_value);
	EXPECT_EQ(1000ULL, read_pmd(self->fd, 5, 0).reg_value);
	ASSERT_EQ(0, start_at(self->fd, 5));
	puppet_do(&p, OP_FAULT, 3);
	EXPECT_EQ(10ULL, read_pmd(self->fd, 0, 0).reg_value);
	EXPECT_EQ(1003ULL, read_pmd(self->fd, 5, 0).reg_value);
	MUST(pfm_unload(self->fd));
	puppet_do(&p, OP_FAULT, 3);
	EXPECT_EQ(10ULL, read_pmd(self->fd, 0, 0).reg_value);
	EXPECT_EQ(1003ULL, read_pmd(self->fd, 5, 0).reg_value);
	puppet_stop(&p);
}

/* To prepare the next measurement while this one runs. */
TEST_F(sets, inactive_set_written_meanwhile)
{
	struct puppet p;
	int round;

	puppet_start(&p, PUPPET_PROCESS);
	MUST(create_set(self->fd, 5, 0, 0));
	program(self->fd, 0, 0);
	MUST(pfm_load(self->fd, p.tid));
	MUST(pfm_start(self->fd));
	for (round = 1; round <= 5; round++) {
		puppet_do(&p, OP_FAULT, 4);
		program(self->fd, 5, 2000ULL * (u64)round);
		write_pmc(self->fd, 5, 1, PFM_SW_NONE);
		EXPECT_EQ(4ULL * (u64)round,
			  read_pmd(self->fd, 0, 0).reg_value);
		EXPECT_EQ(4ULL * (u64)round + 1,
			  read_pmd(self->fd, 0, 1).reg_value);
		EXPECT_EQ(2000ULL * (u64)round,
			  read_pmd(self->fd, 5, 0).reg_value);
	}
	/* What was written is what it begins with. */
	ASSERT_EQ(0, start_at(self->fd, 5));
	puppet_do(&p, OP_FAULT, 6);
	EXPECT_EQ(10006ULL, read_pmd(self->fd, 5, 0).reg_value);
	EXPECT_EQ(10001ULL, read_pmd(self->fd, 5, 1).reg_value);
	EXPECT_EQ(20ULL, read_pmd(self->fd, 0, 0).reg_value);
	puppet_stop(&p);
}

/* What an event's source said last is each set's own business. */
TEST_F(sets, one_counter_of_two_events)
{
	struct puppet p;

	puppet_start(&p, PUPPET_PROCESS);
	MUST(create_set(self->fd, 1, 0, 0));
	write_pmc(self->fd, 0, 0, PFM_SW_MINOR_FAULTS);
	write_pmc(self->fd, 1, 0, PFM_SW_MAJOR_FAULTS);
	MUST(pfm_load(self->fd, p.tid));
	MUST(pfm_start(self->fd));
	puppet_do(&p, OP_FAULT, 5);
	MUST(start_at(self->fd, 1));
	puppet_do(&p, OP_FAULT, 5);
	MUST(start_at(self->fd, 0));
	puppet_do(&p, OP_FAULT, 5);
	EXPECT_EQ(10ULL, read_pmd(self->fd, 0, 0).reg_value);
	EXPECT_EQ(0ULL, read_pmd(self->fd, 1, 0).reg_value);
	puppet_stop(&p);
}

/* ------------------------------------------------------------------------
 * As many as there can be
 */

FIXTURE(all) {
	char limit[64];
	struct puppet p;
	int fd;
};

FIXTURE_SETUP(all)
{
	if (!is_root())
		return;
	MUST(read_text(SYSFS "/set_mem_max", self->limit,
		       sizeof(self->limit)));
	puppet_start(&self->p, PUPPET_PROCESS);
	self->fd = (int)MUST(pfm_create(0));
}

FIXTURE_TEARDOWN(all)
{
	if (!is_root())
		return;
	close(self->fd);
	puppet_stop(&self->p);
	if (write_text(SYSFS "/set_mem_max", self->limit))
		die("set_mem_max cannot be restored");
}

/* A generous guess at what a set costs, with what the debug kernel adds. */
static int sets_that_fit(struct __test_metadata *_metadata)
{
	u64 each = is_slow() ? 8192 : 4096, spare = 64 << 20, free_now, n;
	char value[64];

	if (!text_field("/proc/meminfo", "MemAvailable", value, sizeof(value)))
		die("no MemAvailable");
	free_now = strtoull(value, NULL, 10) * 1024;
	n = free_now > spare ? (free_now - spare) / each : 0;
	if (n > 65536)
		n = 65536;
	if (n < 65536)
		TH_LOG("%llu kB are free: %llu sets", free_now / 1024, n);
	if (is_slow() && n > 16384) {
		n = 16384;
		TH_LOG("slow: %llu sets", n);
	}
	return (int)n;
}

/* Set @i of @n: the numbers from 0 to 65535, or some of them. */
static __u16 nth_id(int i, int n)
{
	return (__u16)((u64)i * 65536 / (u64)n);
}

/* All sets count faults, and each is left at the first. */
static void create_all(int fd, int n)
{
	pfarg_setdesc_t desc[ARG_DESCS];
	pfarg_pmc_t pmc[ARG_PMCS];
	pfarg_pmd_t pmd[ARG_PMDS];
	int i, k;

	for (i = 0; i < n; i += k) {
		for (k = 0; k < ARG_DESCS && i + k < n; k++)
			desc[k] = (pfarg_setdesc_t){
				.set_id = nth_id(i + k, n),
				.set_flags = PFM_SETFL_OVFL_SWITCH,
			};
		MUST(pfm(fd, PFM_CREATE_EVTSETS, desc, k));
	}
	for (i = 0; i < n; i += k) {
		for (k = 0; k < ARG_PMCS && i + k < n; k++)
			pmc[k] = (pfarg_pmc_t){
				.reg_num = SW_PMC(0),
				.reg_set = nth_id(i + k, n),
				.reg_value = PFM_SW_MINOR_FAULTS,
			};
		MUST(pfm(fd, PFM_WRITE_PMCS, pmc, k));
	}
	for (i = 0; i < n; i += k) {
		for (k = 0; k < ARG_PMDS && i + k < n; k++)
			pmd[k] = (pfarg_pmd_t){
				.reg_num = SW_PMD(0),
				.reg_set = nth_id(i + k, n),
				.reg_value = ~0ULL, .reg_short_reset = ~0ULL,
				.reg_ovflsw_thres = 1,
			};
		MUST(pfm(fd, PFM_WRITE_PMDS, pmd, k));
	}
}

/* How often set @i of @n was active after @switches by turns from set 0 on. */
static u64 runs_of_nth(int i, int n, u64 switches)
{
	u64 all = (u64)n, at = (u64)i;

	return at ? (switches + all - at) / all : 1 + switches / all;
}

static void check_all(struct __test_metadata *_metadata, int fd, int n,
		      u64 switches)
{
	pfarg_setinfo_t info[ARG_INFOS];
	int i, k, m;

	for (i = 0; i < n; i += m) {
		memset(info, 0, sizeof(info));
		for (m = 0; m < ARG_INFOS && i + m < n; m++)
			info[m].set_id = nth_id(i + m, n);
		ASSERT_EQ(0, pfm(fd, PFM_GETINFO_EVTSETS, info, m));
		for (k = 0; k < m; k++) {
			ASSERT_EQ(nth_id(i + k, n), info[k].set_id);
			ASSERT_EQ(runs_of_nth(i + k, n, switches),
				  info[k].set_runs) {
				TH_LOG("set %u", info[k].set_id);
			}
		}
	}
}

/* The limit of 3.7.5. Each of them comes once, in the order of numbers. */
TEST_F_TIMEOUT(all, of_them, 300)
{
	u64 base, faults = 0, want;
	int i, n;

	NEED_ROOT();
	ASSERT_EQ(0, write_text(SYSFS "/set_mem_max", "4000000000"));
	n = sets_that_fit(_metadata);
	if (n < 1000)
		SKIP(return, "of_them: too little memory");
	create_all(self->fd, n);
	/* Once around its pages, for nothing. */
	puppet_do(&self->p, OP_FAULT, PUPPET_PAGES + 1);
	puppet_settle(&self->p);
	base = thread_minor_faults(self->p.tid);
	MUST(pfm_load(self->fd, self->p.tid));
	MUST(pfm_start(self->fd));
	/* One is active from the beginning. */
	want = (u64)n - 1;
	while (faults < want) {
		u64 step = want - faults < 500 ? want - faults : 500;

		puppet_do(&self->p, OP_FAULT, (unsigned int)step);
		faults = thread_minor_faults(self->p.tid) - base;
		EXPECT_EQ((u64)nth_id((int)(faults % (u64)n), n),
			  pfm_fdinfo_num(self->fd, "pfm-set"));
	}
	MUST(pfm_unload(self->fd));
	check_all(_metadata, self->fd, n, faults);
	/* Every second one is deleted here, the others by close(). */
	for (i = 1; i < n; i += 2) {
		ASSERT_EQ(0, delete_set(self->fd, nth_id(i, n)));
	}
	EXPECT_FALSE(set_exists(self->fd, nth_id(1, n)));
	EXPECT_EQ(1ULL, info_of_set(self->fd, nth_id(2, n)).set_runs);
	EXPECT_EQ(0, pfm_load(self->fd, self->p.tid));
}

TEST_HARNESS_MAIN
