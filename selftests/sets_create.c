// SPDX-License-Identifier: GPL-2.0-only
/*
 * PFM_CREATE_EVTSETS makes and modifies sets (3.1.10): flags, time-outs, the
 * next set, and what is refused.
 *
 * Not here: which sets there are (sets_exist.c), what the administrator allows
 * (limits.c), what the flags do (switch_*.c).
 */
#include "sets.h"

#define N_SETFL	4

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

/* It is for CPUs, and leaves out the idle thread anyway (6.2.3). */
TEST_F(sets, excluding_kernel_only_threads)
{
	static const u32 flag = PFM_SETFL_EXCL_KERNEL_ONLY_THREADS;
	pfarg_setdesc_t desc;
	int fd;

	EXPECT_EQ(-EINVAL, create(self->fd, flag, 0, 0, &desc));
	EXPECT_EQ(flag | PFM_SET_RETFL_EINVAL, desc.set_flags);
	EXPECT_EQ(0U, info_of(self->fd).set_flags);
	fd = pfm_create(PFM_FL_SYSTEM_WIDE);
	if (fd == -EPERM)
		SKIP(return, "%s: needs CAP_PERFMON", _metadata->name);
	MUST(fd);
	EXPECT_EQ(-EINVAL, create(fd, flag | PFM_SETFL_EXCL_IDLE, 0, 0, NULL));
	EXPECT_EQ(0, create(fd, flag, 0, 0, NULL));
	EXPECT_EQ(flag, info_of(fd).set_flags);
	close(fd);
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

/* What is more than the kernel's clock can tell is as much as it can. */
TEST_F(sets, huge_timeout)
{
	const long long most = LLONG_MAX / 1000000000LL;
	pfarg_setdesc_t desc;

	ASSERT_EQ(0, create(self->fd, PFM_SETFL_TIME_SWITCH, LLONG_MAX, 0, &desc));
	EXPECT_LE(most - 1, desc.set_timeout.tv_sec);
	EXPECT_GE(most, desc.set_timeout.tv_sec);
	EXPECT_EQ(PFM_SETFL_TIME_SWITCH, info_of(self->fd).set_flags);
	EXPECT_EQ(desc.set_timeout.tv_sec, info_of(self->fd).set_timeout.tv_sec);
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

TEST_HARNESS_MAIN
