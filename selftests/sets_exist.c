// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which sets there are: made and deleted (3.1.10, 3.1.11) in any order and
 * number, unknown ones, and vectors with a bad element.
 */
#include "sets.h"

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

/* Of what a set would have for a successor and a time-out nothing is looked at. */
TEST_F(sets, delete_ignores_the_rest)
{
	pfarg_setdesc_t desc = {
		.set_id = 3, .set_id_next = 4711,
		.set_timeout = { -5, 1LL << 60 },
	};
	pfarg_setinfo_t info = { .set_id = 3 };

	ASSERT_EQ(0, create_set(self->fd, 3, 0, 0));
	EXPECT_EQ(0, pfm(self->fd, PFM_DELETE_EVTSETS, &desc, 1));
	EXPECT_EQ(-EINVAL, pfm(self->fd, PFM_GETINFO_EVTSETS, &info, 1));
	EXPECT_EQ(PFM_SET_RETFL_NOSET, info.set_flags);
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
	int step, id, n = 1000;
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

TEST_HARNESS_MAIN
