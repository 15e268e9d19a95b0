// SPDX-License-Identifier: GPL-2.0-only
/*
 * WRITE_PMCS, WRITE_PMDS, READ_PMDS: values, defaults, flags, which element
 * of a vector is blamed for what and what happens to its neighbours.
 *
 * Not here: what the programmed registers count (soft.c) and what happens
 * when they overflow (overflow.c); in which state the commands are legal
 * (state.c).
 */
#include "pfm_test.h"

FIXTURE(regs) {
	int fd;
	pfarg_config_t cf;
};

FIXTURE_SETUP(regs)
{
	self->fd = (int)MUST(pfm_create(0));
	MUST(pfm(-1, PFM_GET_CONFIG, &self->cf, 1));
}

FIXTURE_TEARDOWN(regs)
{
	close(self->fd);
}

TEST_F(regs, defaults)
{
	int i;

	for (i = 0; i < PFM_SW_COUNTERS; i++)
		EXPECT_EQ(0ULL, pfm_value(self->fd, SW_PMD(i)));
}

/* Nothing is counted before a control register says what. */
TEST_F(regs, default_control_counts_nothing)
{
	struct pages pages;
	int i;

	pages_map(&pages, 10);
	MUST(pfm_load(self->fd, my_tid()));
	MUST(pfm_start(self->fd));
	pages_touch(&pages, 10);
	burn_ms(2);
	sleep_ms(2);
	for (i = 0; i < PFM_SW_COUNTERS; i++)
		EXPECT_EQ(0ULL, pfm_value(self->fd, SW_PMD(i)));
}

static void write_and_read(struct __test_metadata *_metadata, int fd)
{
	static const u64 values[] = {
		0, 1, 0x7fffffff, 0x80000000, 0xffffffff, 0x100000000,
		0x7fffffffffffffff, 0x8000000000000000, 0xa5a5a5a55a5a5a5a,
		0xfffffffffffffffe, 0xffffffffffffffff,
	};
	size_t k;
	int i;

	for (k = 0; k < ARRAY_SIZE(values); k++)
		for (i = 0; i < PFM_SW_COUNTERS; i++) {
			EXPECT_EQ(0, pfm_write_pmd(fd, SW_PMD(i),
						   values[k] ^ (u64)i));
			EXPECT_EQ(values[k] ^ (u64)i, pfm_value(fd, SW_PMD(i)));
		}
}

TEST_F(regs, write_and_read_unloaded)
{
	write_and_read(_metadata, self->fd);
}

TEST_F(regs, write_and_read_loaded)
{
	MUST(pfm_load(self->fd, my_tid()));
	write_and_read(_metadata, self->fd);
}

/* Events 0: the counters stand still although monitoring is on. */
TEST_F(regs, write_and_read_started)
{
	MUST(pfm_load(self->fd, my_tid()));
	MUST(pfm_start(self->fd));
	write_and_read(_metadata, self->fd);
}

TEST_F(regs, values_survive_load_and_unload)
{
	int i, round;

	for (i = 0; i < PFM_SW_COUNTERS; i++)
		MUST(pfm_write_pmd(self->fd, SW_PMD(i), 1ULL << (i * 8)));
	for (round = 0; round < 3; round++) {
		MUST(pfm_load(self->fd, my_tid()));
		for (i = 0; i < PFM_SW_COUNTERS; i++)
			EXPECT_EQ(1ULL << (i * 8),
				  pfm_value(self->fd, SW_PMD(i)));
		MUST(pfm_unload(self->fd));
		for (i = 0; i < PFM_SW_COUNTERS; i++)
			EXPECT_EQ(1ULL << (i * 8),
				  pfm_value(self->fd, SW_PMD(i)));
	}
}

TEST_F(regs, contexts_do_not_share_registers)
{
	int other = (int)MUST(pfm_create(0));

	MUST(pfm_write_pmd(self->fd, SW_PMD(0), 111));
	MUST(pfm_write_pmd(other, SW_PMD(0), 222));
	EXPECT_EQ(111ULL, pfm_value(self->fd, SW_PMD(0)));
	EXPECT_EQ(222ULL, pfm_value(other, SW_PMD(0)));
}

/* Every number that GET_CONFIG does not list is refused as such. */
TEST_F(regs, unimplemented_registers)
{
	unsigned int n;

	for (n = 0; n < 65536; n += n < 400 ? 1 : 251) {
		pfarg_pmc_t pmc = { .reg_num = (__u16)n };
		pfarg_pmd_t pmd = { .reg_num = (__u16)n };

		if (n >= PFM_MAX_PMCS || !vec_test(self->cf.cf_impl_pmcs, n)) {
			ASSERT_EQ(-EINVAL, pfm(self->fd, PFM_WRITE_PMCS, &pmc,
					       1));
			ASSERT_EQ(PFM_REG_RETFL_NOTAVAIL, pmc.reg_flags);
		}
		if (n >= PFM_MAX_PMDS || !vec_test(self->cf.cf_impl_pmds, n)) {
			ASSERT_EQ(-EINVAL, pfm(self->fd, PFM_WRITE_PMDS, &pmd,
					       1));
			ASSERT_EQ(PFM_REG_RETFL_NOTAVAIL, pmd.reg_flags);
			pmd.reg_flags = 0;
			ASSERT_EQ(-EINVAL, pfm(self->fd, PFM_READ_PMDS, &pmd,
					       1));
			ASSERT_EQ(PFM_REG_RETFL_NOTAVAIL, pmd.reg_flags);
		} else {
			ASSERT_EQ(0, pfm(self->fd, PFM_READ_PMDS, &pmd, 1));
			ASSERT_EQ(0U, pmd.reg_flags);
		}
	}
}

TEST_F(regs, unknown_sets)
{
	static const __u16 sets[] = { 1, 2, 255, 256, 32768, 65535 };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(sets); i++) {
		pfarg_pmc_t pmc = { .reg_num = SW_PMC(0), .reg_set = sets[i] };
		pfarg_pmd_t pmd = { .reg_num = SW_PMD(0), .reg_set = sets[i],
				    .reg_value = 99 };

		EXPECT_EQ(-EINVAL, pfm(self->fd, PFM_WRITE_PMCS, &pmc, 1));
		EXPECT_EQ(PFM_REG_RETFL_NOSET, pmc.reg_flags);
		EXPECT_EQ(-EINVAL, pfm(self->fd, PFM_WRITE_PMDS, &pmd, 1));
		EXPECT_EQ(PFM_REG_RETFL_NOSET, pmd.reg_flags);
		pmd.reg_flags = 0;
		EXPECT_EQ(-EINVAL, pfm(self->fd, PFM_READ_PMDS, &pmd, 1));
		EXPECT_EQ(PFM_REG_RETFL_NOSET, pmd.reg_flags);
		/* Not set 0 in its place. */
		EXPECT_EQ(0ULL, pfm_value(self->fd, SW_PMD(0)));
	}
}

TEST_F(regs, flags_bit_by_bit)
{
	static const u32 ok = PFM_REGFL_OVFL_NOTIFY | PFM_REGFL_RANDOM |
			      PFM_REGFL_NO_64BIT_EMUL;
	int bit;

	for (bit = 0; bit < 29; bit++) {
		pfarg_pmc_t pmc = { .reg_num = SW_PMC(0),
				    .reg_flags = 1U << bit };
		pfarg_pmd_t pmd = { .reg_num = SW_PMD(0), .reg_value = 7,
				    .reg_flags = 1U << bit };

		if (ok >> bit & 1) {
			EXPECT_EQ(0, pfm(self->fd, PFM_WRITE_PMCS, &pmc, 1));
			EXPECT_EQ(1U << bit, pmc.reg_flags);
		} else {
			EXPECT_EQ(-EINVAL, pfm(self->fd, PFM_WRITE_PMCS, &pmc,
					       1)) {
				TH_LOG("flag %#x", 1U << bit);
			}
			EXPECT_EQ(PFM_REG_RETFL_EINVAL,
				  pmc.reg_flags & PFM_REG_RETFL_MASK);
		}
		if (pmd.reg_flags == PFM_REGFL_KEEP_VALUE) {
			EXPECT_EQ(0, pfm(self->fd, PFM_WRITE_PMDS, &pmd, 1));
			EXPECT_EQ(PFM_REGFL_KEEP_VALUE, pmd.reg_flags);
		} else {
			EXPECT_EQ(-EINVAL, pfm(self->fd, PFM_WRITE_PMDS, &pmd, 1));
			EXPECT_EQ(PFM_REG_RETFL_EINVAL,
				  pmd.reg_flags & PFM_REG_RETFL_MASK);
		}
		EXPECT_EQ(0ULL, pfm_value(self->fd, SW_PMD(0)));
		pmd.reg_flags = 1U << bit;
		if (pmd.reg_flags == PFM_REGFL_READ_RESET) {
			EXPECT_EQ(0, pfm(self->fd, PFM_READ_PMDS, &pmd, 1));
			EXPECT_EQ(PFM_REGFL_READ_RESET, pmd.reg_flags);
			continue;
		}
		EXPECT_EQ(-EINVAL, pfm(self->fd, PFM_READ_PMDS, &pmd, 1));
		EXPECT_EQ(PFM_REG_RETFL_EINVAL,
			  pmd.reg_flags & PFM_REG_RETFL_MASK);
	}
}

/* What an earlier call left in the flags does not hurt the next one. */
TEST_F(regs, return_flags_are_ignored_on_input)
{
	pfarg_pmc_t pmc = { .reg_num = SW_PMC(0),
			    .reg_flags = PFM_REG_RETFL_MASK };
	pfarg_pmd_t pmd = { .reg_num = SW_PMD(0), .reg_value = 3,
			    .reg_flags = PFM_REG_RETFL_MASK };

	EXPECT_EQ(0, pfm(self->fd, PFM_WRITE_PMCS, &pmc, 1));
	EXPECT_EQ(0, pfm(self->fd, PFM_WRITE_PMDS, &pmd, 1));
	pmd.reg_flags = PFM_REG_RETFL_MASK;
	EXPECT_EQ(0, pfm(self->fd, PFM_READ_PMDS, &pmd, 1));
	EXPECT_EQ(0U, pmd.reg_flags);
	EXPECT_EQ(3ULL, pmd.reg_value);
}

#define N 6

/* One bad element: earlier ones applied, it blamed, later ones untouched. */
static void bad_pmd(struct __test_metadata *_metadata, int fd, int bad,
		    pfarg_pmd_t *what, u32 retfl)
{
	pfarg_pmd_t pmd[N] = {}, before[N];
	int i;

	for (i = 0; i < N; i++)
		MUST(pfm_write_pmd(fd, SW_PMD(i), 1));
	for (i = 0; i < N; i++) {
		pmd[i].reg_num = (__u16)SW_PMD(i);
		pmd[i].reg_value = 1000ULL + (u64)i;
	}
	pmd[bad] = *what;
	memcpy(before, pmd, sizeof(pmd));
	EXPECT_EQ(-EINVAL, pfm(fd, PFM_WRITE_PMDS, pmd, N));
	for (i = 0; i < N; i++) {
		EXPECT_EQ(i == bad ? retfl : 0,
			  pmd[i].reg_flags & PFM_REG_RETFL_MASK) {
			TH_LOG("element %d of %d, bad is %d", i, N, bad);
		}
		EXPECT_EQ(i < bad ? 1000ULL + (u64)i : 1ULL,
			  pfm_value(fd, SW_PMD(i)));
		if (i > bad) {
			EXPECT_EQ(0, memcmp(&pmd[i], &before[i],
					    sizeof(pmd[i])));
		}
	}
}

TEST_F(regs, only_the_bad_pmd_is_blamed)
{
	pfarg_pmd_t num = { .reg_num = 200 }, set = { .reg_num = SW_PMD(0),
						       .reg_set = 3 };
	pfarg_pmd_t flag = { .reg_num = SW_PMD(0), .reg_flags = 4 };
	int bad;

	for (bad = 0; bad < N; bad++) {
		flag.reg_num = set.reg_num = (__u16)SW_PMD(bad);
		bad_pmd(_metadata, self->fd, bad, &num, PFM_REG_RETFL_NOTAVAIL);
		bad_pmd(_metadata, self->fd, bad, &set, PFM_REG_RETFL_NOSET);
		bad_pmd(_metadata, self->fd, bad, &flag, PFM_REG_RETFL_EINVAL);
	}
	MUST(pfm_load(self->fd, my_tid()));
	MUST(pfm_start(self->fd));
	flag.reg_num = (__u16)SW_PMD(2);
	bad_pmd(_metadata, self->fd, 2, &flag, PFM_REG_RETFL_EINVAL);
}

TEST_F(regs, only_the_bad_read_is_blamed)
{
	pfarg_pmd_t pmd[N] = {};
	int i, bad;

	for (i = 0; i < N; i++)
		MUST(pfm_write_pmd(self->fd, SW_PMD(i), 100ULL + (u64)i));
	for (bad = 0; bad < N; bad++) {
		for (i = 0; i < N; i++) {
			pmd[i] = (pfarg_pmd_t){ .reg_value = 0x5555 };
			pmd[i].reg_num = (__u16)(i == bad ? 287 : SW_PMD(i));
		}
		EXPECT_EQ(-EINVAL, pfm(self->fd, PFM_READ_PMDS, pmd, N));
		for (i = 0; i < N; i++) {
			EXPECT_EQ(i == bad ? PFM_REG_RETFL_NOTAVAIL : 0U,
				  pmd[i].reg_flags);
			EXPECT_EQ(i < bad ? 100ULL + (u64)i : 0x5555ULL,
				  pmd[i].reg_value);
		}
	}
}

/* Which of the controls took effect shows in what is counted. */
TEST_F(regs, only_the_bad_pmc_is_blamed)
{
	struct pages pages;
	pfarg_pmc_t pmc[N];
	int i, bad;

	pages_map(&pages, N * 4);
	for (bad = 0; bad < N; bad++) {
		memset(pmc, 0, sizeof(pmc));
		for (i = 0; i < N; i++) {
			MUST(pfm_write_pmc(self->fd, SW_PMC(i), 0, 0));
			MUST(pfm_write_pmd(self->fd, SW_PMD(i), 0));
			pmc[i].reg_num = (__u16)SW_PMC(i);
			pmc[i].reg_value = PFM_SW_MINOR_FAULTS;
		}
		pmc[bad].reg_value = 200;	/* no such event */
		EXPECT_EQ(-EINVAL, pfm(self->fd, PFM_WRITE_PMCS, pmc, N));
		MUST(pfm_load(self->fd, my_tid()));
		MUST(pfm_start(self->fd));
		pages_touch(&pages, 4);
		MUST(pfm_unload(self->fd));
		for (i = 0; i < N; i++) {
			EXPECT_EQ(i == bad ? PFM_REG_RETFL_EINVAL : 0U,
				  pmc[i].reg_flags);
			if (i < bad) {
				EXPECT_LE(4ULL, pfm_value(self->fd, SW_PMD(i)));
			} else {
				EXPECT_EQ(0ULL, pfm_value(self->fd, SW_PMD(i)));
			}
		}
	}
}

TEST_F(regs, undefined_events)
{
	struct pages pages;
	int event;

	pages_map(&pages, 4);
	MUST(pfm_write_pmc(self->fd, SW_PMC(0), PFM_SW_MINOR_FAULTS, 0));
	for (event = 0; event < 256; event++) {
		int ret = pfm_write_pmc(self->fd, SW_PMC(1), (u64)event, 0);

		EXPECT_EQ(event <= PFM_SW_MAJOR_FAULTS ? 0 : -EINVAL, ret) {
			TH_LOG("event %d", event);
		}
		if (ret) {
			EXPECT_EQ(-EINVAL, pfm_write_pmc(self->fd, SW_PMC(0),
							 (u64)event, 0));
		}
	}
	/* The event before the refused ones is still the one that counts. */
	MUST(pfm_load(self->fd, my_tid()));
	MUST(pfm_start(self->fd));
	pages_touch(&pages, 4);
	EXPECT_LE(4ULL, pfm_value(self->fd, SW_PMD(0)));
}

/* 3.1.13: reserved bits keep their default, silently. */
TEST_F(regs, reserved_bits_are_masked)
{
	pfarg_pmcinfo_t info = { .reg_num = SW_PMC(0) };
	struct pages pages;

	pages_map(&pages, 8);
	MUST(pfm(-1, PFM_GETINFO_PMCS, &info, 1));
	ASSERT_EQ(~0xffULL, info.reg_rsvd_mask);
	ASSERT_EQ(0, pfm_write_pmc(self->fd, SW_PMC(0),
				   info.reg_rsvd_mask | PFM_SW_MINOR_FAULTS,
				   0));
	MUST(pfm_load(self->fd, my_tid()));
	MUST(pfm_start(self->fd));
	pages_touch(&pages, 8);
	EXPECT_LE(8ULL, pfm_value(self->fd, SW_PMD(0)));
}

TEST_F(regs, virtual_registers_are_read_only)
{
	int n;

	for (n = PFM_VPMD_CLOCK; n <= PFM_VPMD_THREAD_TIME; n++) {
		pfarg_pmd_t pmd = { .reg_num = (__u16)n, .reg_value = 5 };

		if (n == PFM_VPMD_RUNNABLE && !has_runnable())
			continue;
		EXPECT_EQ(-EINVAL, pfm(self->fd, PFM_WRITE_PMDS, &pmd, 1));
		EXPECT_EQ(PFM_REG_RETFL_EINVAL, pmd.reg_flags);
	}
}

/* Bit vectors of PMDs may only name PMDs that there are. */
TEST_F(regs, pmd_vectors)
{
	unsigned int n;
	int k;

	for (n = 0; n < PFM_MAX_PMDS; n++)
		for (k = 0; k < 2; k++) {
			bool ok = vec_test(self->cf.cf_impl_pmds, n);
			pfarg_pmc_t pmc = { .reg_num = SW_PMC(0) };

			vec_set(k ? pmc.reg_smpl_pmds : pmc.reg_reset_pmds, n);
			ASSERT_EQ(ok ? 0 : -EINVAL, pfm(self->fd,
							PFM_WRITE_PMCS, &pmc,
							1)) {
				TH_LOG("%s PMD %u", k ? "smpl" : "reset", n);
			}
			ASSERT_EQ(ok ? 0U : PFM_REG_RETFL_EINVAL,
				  pmc.reg_flags);
		}
}

TEST_F(regs, event_id_is_opaque)
{
	pfarg_pmc_t pmc = {
		.reg_num = SW_PMC(0), .reg_smpl_eventid = ~0ULL,
		.reg_value = PFM_SW_MINOR_FAULTS,
	};
	struct pages pages;

	pages_map(&pages, 3);
	EXPECT_EQ(0, pfm(self->fd, PFM_WRITE_PMCS, &pmc, 1));
	EXPECT_EQ(~0ULL, pmc.reg_smpl_eventid);
	MUST(pfm_load(self->fd, my_tid()));
	MUST(pfm_start(self->fd));
	pages_touch(&pages, 3);
	EXPECT_LE(3ULL, pfm_value(self->fd, SW_PMD(0)));
}

TEST_F(regs, same_register_twice_the_last_wins)
{
	pfarg_pmd_t pmd[2] = {
		{ .reg_num = SW_PMD(2), .reg_value = 1 },
		{ .reg_num = SW_PMD(2), .reg_value = 2 },
	};

	EXPECT_EQ(0, pfm(self->fd, PFM_WRITE_PMDS, pmd, 2));
	EXPECT_EQ(2ULL, pfm_value(self->fd, SW_PMD(2)));
	pmd[0].reg_value = pmd[1].reg_value = 0;
	EXPECT_EQ(0, pfm(self->fd, PFM_READ_PMDS, pmd, 2));
	EXPECT_EQ(2ULL, pmd[0].reg_value);
	EXPECT_EQ(2ULL, pmd[1].reg_value);
}

/* READ_PMDS: what it does not use comes back as it went in, or as zero. */
TEST_F(regs, read_gives_nothing_else_away)
{
	const u64 mark = 0xa5a5a5a5a5a5a5a5;
	pfarg_pmd_t pmd = {
		.reg_num = SW_PMD(0), .reg_value = mark,
		.reg_long_reset = mark, .reg_short_reset = mark,
		.reg_last_reset_val = mark, .reg_ovflsw_thres = mark,
		.reg_random_mask = mark, .reg_random_seed = (u32)mark,
	};

	ASSERT_EQ(0, pfm(self->fd, PFM_READ_PMDS, &pmd, 1));
	EXPECT_EQ(SW_PMD(0), pmd.reg_num);
	EXPECT_EQ(0, pmd.reg_set);
	EXPECT_EQ(0U, pmd.reg_flags);
	EXPECT_EQ(0ULL, pmd.reg_value);
	EXPECT_EQ(0ULL, pmd.reg_last_reset_val);
	EXPECT_EQ(0ULL, pmd.reg_ovflsw_thres);
	EXPECT_TRUE(pmd.reg_long_reset == mark || !pmd.reg_long_reset);
	EXPECT_TRUE(pmd.reg_short_reset == mark || !pmd.reg_short_reset);
	EXPECT_TRUE(pmd.reg_random_mask == mark || !pmd.reg_random_mask);
	EXPECT_TRUE(pmd.reg_random_seed == (u32)mark || !pmd.reg_random_seed);
	EXPECT_EQ(0U, pmd.reg_pad);
}

TEST_HARNESS_MAIN
