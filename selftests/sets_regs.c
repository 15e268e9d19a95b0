// SPDX-License-Identifier: GPL-2.0-only
/*
 * The registers of each set can be addressed whether it is active or not, and
 * begin with the defaults when a set is made.
 */
#include "sets.h"

static int start_at(int fd, int set)
{
	pfarg_start_t start = { .start_set = (__u16)set };

	return pfm(fd, PFM_START, &start, 1);
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

/* Set 3 has the defaults, and its controls select nothing. */
static void check_unused(struct __test_metadata *_metadata, int fd,
			 struct pages *pages)
{
	int i;

	check_defaults(_metadata, fd, 3);
	MUST(load_at(fd, my_tid(), 3));
	MUST(pfm_start(fd));
	pages_touch(pages, 10);
	for (i = 0; i < PFM_SW_COUNTERS; i++)
		EXPECT_EQ(0ULL, read_pmd(fd, 3, i).reg_value);
}

/* Not what set 0 has been programmed with. */
TEST_F(sets, new_set_has_defaults)
{
	struct pages pages;

	pages_map(&pages, 10);
	program(self->fd, 0, 100);
	MUST(create_set(self->fd, 3, 0, 0));
	check_unused(_metadata, self->fd, &pages);
	EXPECT_EQ(107ULL, read_pmd(self->fd, 0, 7).reg_value);
}

/* "The only way to reset, is to delete the set and recreate it" (3.1.12). */
TEST_F(sets, recreated_from_scratch)
{
	struct pages pages;
	pfarg_setinfo_t info;

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
	check_unused(_metadata, self->fd, &pages);
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

TEST_HARNESS_MAIN
