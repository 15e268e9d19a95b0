// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which set is next: in the order of numbers or by set_id_next (figures 3.33
 * and 3.34), and the sets that PFM_LOAD_CONTEXT and PFM_START name.
 */
#include "switch.h"

/* ------------------------------------------------------------------------
 * Which set is next
 */

/* One fault, one switch: the sets that are active by turns. */
static void check_order(struct __test_metadata *_metadata,
			FIXTURE_DATA(switching) *s, const int *ids, int n)
{
	int i;

	for (i = 0; i < 2 * n + 1; i++) {
		ASSERT_EQ(ids[i % n], active(s->fd)) {
			TH_LOG("switch %d", i);
		}
		puppet_do(&s->p, OP_FAULT, 1);
	}
}

/* Figure 3.33: round robin in the order of numbers, not of creation. */
TEST_F(switching, figure_3_33)
{
	static const int ids[] = { 0, 3, 5 };
	int i;

	make_set(self->fd, 5, OVFL, 0, 0);
	make_set(self->fd, 3, OVFL, 0, 0);
	make_set(self->fd, 0, OVFL, 0, 0);
	for (i = 0; i < 3; i++)
		trigger(self->fd, ids[i], 0, 1, 1);
	MUST(pfm_load(self->fd, self->p.tid));
	MUST(pfm_start(self->fd));
	check_order(_metadata, self, ids, 3);
	/* A set that is new finds its place. */
	MUST(pfm_unload(self->fd));
	make_set(self->fd, 4, 0, 0, 0);
	for (i = 0; i < 3; i++)
		trigger(self->fd, ids[i], 0, 1, 1);
	MUST(pfm_load(self->fd, self->p.tid));
	MUST(pfm_start(self->fd));
	puppet_do(&self->p, OP_FAULT, 2);
	EXPECT_EQ(4, active(self->fd));
}

/* Figure 3.34: two sublists, and LOAD or START chooses. */
TEST_F(switching, figure_3_34)
{
	static const int ids[] = { 0, 3, 5, 8, 9, 11 };
	static const int three[] = { 3, 5, 0 }, nine[] = { 9, 11, 8 };
	const int *low = ids, *high = ids + 3;
	int i;

	for (i = 0; i < 6; i++)
		make_set(self->fd, ids[i], OVFL, 0, 0);
	make_set(self->fd, 5, OVFL | NEXT, 0, 0);
	make_set(self->fd, 11, OVFL | NEXT, 8, 0);
	for (i = 0; i < 6; i++)
		trigger(self->fd, ids[i], 0, 1, 1);
	MUST(pfm_load(self->fd, self->p.tid));
	MUST(pfm_start(self->fd));
	check_order(_metadata, self, low, 3);
	ASSERT_EQ(0, start_at(self->fd, 8));
	check_order(_metadata, self, high, 3);
	ASSERT_EQ(0, start_at(self->fd, 3));
	check_order(_metadata, self, three, 3);
	MUST(pfm_unload(self->fd));
	for (i = 0; i < 6; i++)
		trigger(self->fd, ids[i], 0, 1, 1);
	ASSERT_EQ(0, load_at(self->fd, self->p.tid, 9));
	MUST(pfm_start(self->fd));
	check_order(_metadata, self, nine, 3);
}

/* "The number of runs is also incremented" (3.1.12). */
TEST_F(switching, next_is_itself)
{
	int set;

	for (set = 0; set <= 7; set += 7) {
		make_set(self->fd, set, OVFL | (set ? NEXT : 0), set, 0);
		trigger(self->fd, set, 0, 2, 3);
		choose(self->fd, set, 1, FAULTS, 0);
		MUST(load_at(self->fd, self->p.tid, set));
		MUST(pfm_start(self->fd));
		puppet_do(&self->p, OP_FAULT, 31);
		EXPECT_EQ(set, active(self->fd));
		EXPECT_EQ(6ULL, runs_of(self->fd, set));
		EXPECT_EQ(1U << 0, ended_by(self->fd, set));
		/* It goes on with a fresh period and threshold. */
		EXPECT_EQ(~0ULL, value_of(self->fd, set, 0));
		EXPECT_EQ(3ULL, thres_of(self->fd, set, 0));
		EXPECT_EQ(31ULL, value_of(self->fd, set, 1));
		MUST(pfm_unload(self->fd));
	}
	EXPECT_EQ(6ULL, runs_of(self->fd, 0));
}

/* Without a flag a set is never left, neither by time nor by overflows. */
TEST_F(switching, no_mode)
{
	make_set(self->fd, 1, OVFL, 0, 0);
	trigger(self->fd, 0, 0, 1, 1);
	MUST(pfm_load(self->fd, self->p.tid));
	MUST(pfm_start(self->fd));
	puppet_do(&self->p, OP_FAULT, 10);
	puppet_do(&self->p, OP_BURN, 10);
	EXPECT_EQ(0, active(self->fd));
	EXPECT_EQ(1ULL, runs_of(self->fd, 0));
	EXPECT_EQ(0ULL, runs_of(self->fd, 1));
	EXPECT_EQ(0ULL, thres_of(self->fd, 0, 0));
	EXPECT_EQ(0U, ended_by(self->fd, 0));
}

/* The mode is a set's, not the context's. */
TEST_F(switching, mixed_modes)
{
	u64 eff;

	make_set(self->fd, 0, OVFL, 0, 0);
	eff = make_set(self->fd, 1, TIME, 0, 200 * NSEC_PER_MSEC);
	make_set(self->fd, 2, 0, 0, 0);
	trigger(self->fd, 0, 0, 3, 1);
	choose(self->fd, 2, 0, FAULTS, 0);
	MUST(pfm_load(self->fd, self->p.tid));
	MUST(pfm_start(self->fd));
	puppet_do(&self->p, OP_BURN, 5);
	puppet_do(&self->p, OP_FAULT, 2);
	EXPECT_EQ(0, active(self->fd));
	puppet_do(&self->p, OP_FAULT, 1);
	EXPECT_EQ(1ULL, runs_of(self->fd, 1));
	ASSERT_TRUE(puppet_burns_until(&self->p, self->fd, 3, 3));
	EXPECT_LE(eff - SLACK, act_of(self->fd, 1));
	puppet_do(&self->p, OP_BURN, 5);
	puppet_do(&self->p, OP_FAULT, 10);
	EXPECT_EQ(2, active(self->fd));
	EXPECT_EQ(10ULL, value_of(self->fd, 2, 0));
	EXPECT_EQ(3ULL, all_runs(self->fd, 3));
	MUST(start_at(self->fd, 0));
	puppet_do(&self->p, OP_FAULT, 3);
	EXPECT_EQ(2ULL, runs_of(self->fd, 1));
}

/* ------------------------------------------------------------------------
 * LOAD and START name a set
 */

TEST_F(switching, start_names_a_set)
{
	make_set(self->fd, 4, 0, 0, 0);
	choose(self->fd, 0, 0, FAULTS, 0);
	choose(self->fd, 4, 0, FAULTS, 0);
	MUST(pfm_load(self->fd, self->p.tid));
	/* It "overrides the first set designated" by the load (3.1.5). */
	ASSERT_EQ(0, start_at(self->fd, 4));
	EXPECT_EQ(4, active(self->fd));
	EXPECT_EQ(1ULL, runs_of(self->fd, 0));
	EXPECT_EQ(1ULL, runs_of(self->fd, 4));
	puppet_do(&self->p, OP_FAULT, 3);
	/* While it is started, too. */
	ASSERT_EQ(0, start_at(self->fd, 0));
	EXPECT_EQ(0, active(self->fd));
	EXPECT_EQ(2ULL, runs_of(self->fd, 0));
	puppet_do(&self->p, OP_FAULT, 2);
	EXPECT_EQ(2ULL, value_of(self->fd, 0, 0));
	EXPECT_EQ(3ULL, value_of(self->fd, 4, 0));
	MUST(pfm_stop(self->fd));
	ASSERT_EQ(0, start_at(self->fd, 4));
	EXPECT_EQ(2ULL, runs_of(self->fd, 4));
	puppet_do(&self->p, OP_FAULT, 1);
	EXPECT_EQ(4ULL, value_of(self->fd, 4, 0));
}

/* While the thread runs, from another one. */
TEST_F(switching, start_names_a_set_of_a_running_thread)
{
	u64 base, n;

	make_set(self->fd, 1, 0, 0, 0);
	choose(self->fd, 0, 0, FAULTS, 0);
	choose(self->fd, 1, 0, FAULTS, 0);
	puppet_settle(&self->p);
	base = thread_minor_faults(self->p.tid);
	MUST(pfm_load(self->fd, self->p.tid));
	MUST(pfm_start(self->fd));
	puppet_post(&self->p, OP_FAULT, 5000);
	for (n = 1; n <= 100; n++) {
		ASSERT_EQ(0, start_at(self->fd, (int)(n % 2)));
		ASSERT_EQ(n + 1, all_runs(self->fd, 2));
	}
	EXPECT_TRUE(puppet_done(&self->p, PATIENCE));
	puppet_settle(&self->p);
	EXPECT_EQ(thread_minor_faults(self->p.tid) - base,
		  value_of(self->fd, 0, 0) + value_of(self->fd, 1, 0));
}

TEST(start_names_the_active_set)
{
	int fd = (int)MUST(pfm_create(0));
	u64 left;

	make_set(fd, 6, TIME, 0, 100 * NSEC_PER_SEC);
	MUST(load_at(fd, my_tid(), 6));
	ASSERT_EQ(0, start_at(fd, 6));
	EXPECT_EQ(1ULL, runs_of(fd, 6));
	burn_ms(3);
	left = left_of(fd, 6);
	/* Its time does not begin anew. */
	ASSERT_EQ(0, start_at(fd, 6));
	EXPECT_GE(left, left_of(fd, 6));
	MUST(pfm_stop(fd));
	left = left_of(fd, 6);
	ASSERT_EQ(0, start_at(fd, 6));
	EXPECT_GE(left, left_of(fd, 6));
	EXPECT_EQ(1ULL, runs_of(fd, 6));
	EXPECT_EQ(6, active(fd));
}

/* It comes with its whole time when it comes again. */
TEST(start_names_a_set_with_a_timeout)
{
	int fd = (int)MUST(pfm_create(0));
	u64 eff = make_set(fd, 1, TIME, 0, 100 * NSEC_PER_SEC), wall, left;

	MUST(load_at(fd, my_tid(), 1));
	MUST(pfm_start(fd));
	burn_ms(50);
	MUST(start_at(fd, 0));
	/* What was left of it stands until then. */
	left = left_of(fd, 1);
	EXPECT_GE(eff - 18 * NSEC_PER_MSEC, left);
	burn_ms(3);
	EXPECT_EQ(left, left_of(fd, 1));
	wall = wall_begin();
	MUST(start_at(fd, 1));
	left = left_of(fd, 1);
	wall = now_ns(CLOCK_MONOTONIC) - wall;
	EXPECT_GE(eff, left);
	EXPECT_GE(at_most(wall), eff - left);
	EXPECT_EQ(2ULL, runs_of(fd, 1));
}

TEST_F(switching, start_names_an_unknown_set)
{
	make_set(self->fd, 4, 0, 0, 0);
	MUST(load_at(self->fd, self->p.tid, 4));
	EXPECT_EQ(-EINVAL, start_at(self->fd, 3));
	EXPECT_EQ(-EINVAL, start_at(self->fd, 5));
	EXPECT_EQ(0ULL, pfm_fdinfo_num(self->fd, "pfm-started"));
	MUST(pfm_start(self->fd));
	EXPECT_EQ(-EINVAL, start_at(self->fd, 65535));
	EXPECT_EQ(1ULL, pfm_fdinfo_num(self->fd, "pfm-started"));
	EXPECT_EQ(4, active(self->fd));
	EXPECT_EQ(1ULL, runs_of(self->fd, 4));
	EXPECT_EQ(0ULL, runs_of(self->fd, 0));
}

/* "Even though monitoring may never be activated" (3.1.12). */
TEST_F(switching, load_is_a_run)
{
	u64 i;

	make_set(self->fd, 7, 0, 0, 0);
	for (i = 1; i <= 3; i++) {
		MUST(load_at(self->fd, self->p.tid, 7));
		EXPECT_EQ(7, active(self->fd));
		EXPECT_EQ(i, runs_of(self->fd, 7));
		MUST(pfm_unload(self->fd));
	}
	EXPECT_EQ(0ULL, runs_of(self->fd, 0));
	EXPECT_EQ(0ULL, act_of(self->fd, 7));
}

TEST_HARNESS_MAIN
