// SPDX-License-Identifier: GPL-2.0-only
/*
 * GETINFO_PMCS, GETINFO_PMDS and their agreement with GET_CONFIG: which
 * registers there are, their types, defaults, reserved bits.
 *
 * Not here: the same facts in sysfs (sysfs.c); hardware registers beyond
 * what holds for any register; GETINFO_EVTSETS (sets_getinfo.c).
 */
#include "pfm_test.h"

#define MARK 0xa5a5a5a5a5a5a5a5ULL

static pfarg_pmcinfo_t ask(unsigned int num)
{
	pfarg_pmcinfo_t info;

	memset(&info, 0xa5, sizeof(info));
	info.reg_num = (__u16)num;
	info.reg_flags = 0;
	return info;
}

TEST(software_controls)
{
	pfarg_pmcinfo_t info;
	int i;

	for (i = 0; i < PFM_SW_COUNTERS; i++) {
		info = ask(SW_PMC(i));
		ASSERT_EQ(0, pfm(-1, PFM_GETINFO_PMCS, &info, 1));
		EXPECT_EQ(SW_PMC(i), info.reg_num);
		EXPECT_EQ(PFM_REG_TYPE_VIRTUAL, info.reg_type);
		EXPECT_EQ(0U, info.reg_flags);
		EXPECT_EQ(0ULL, info.reg_def_value);
		EXPECT_EQ(~0xffULL, info.reg_rsvd_mask);
		EXPECT_EQ(PFM_REG_IDX_NONE, info.reg_index);
	}
}

TEST(software_counters)
{
	pfarg_pmdinfo_t info;
	int i;

	for (i = 0; i < PFM_SW_COUNTERS; i++) {
		info = ask(SW_PMD(i));
		ASSERT_EQ(0, pfm(-1, PFM_GETINFO_PMDS, &info, 1));
		EXPECT_EQ(SW_PMD(i), info.reg_num);
		EXPECT_EQ(PFM_REG_TYPE_VIRTUAL, info.reg_type);
		EXPECT_EQ(0U, info.reg_flags);
		EXPECT_EQ(0ULL, info.reg_def_value);
		EXPECT_EQ(0ULL, info.reg_rsvd_mask);
		EXPECT_EQ(PFM_REG_IDX_NONE, info.reg_index);
	}
}

TEST(virtual_registers)
{
	pfarg_pmdinfo_t info;
	unsigned int n;

	for (n = PFM_VPMD_CLOCK; n <= PFM_VPMD_THREAD_TIME; n++) {
		if (n == PFM_VPMD_RUNNABLE && !has_runnable())
			continue;
		info = ask(n);
		ASSERT_EQ(0, pfm(-1, PFM_GETINFO_PMDS, &info, 1));
		EXPECT_EQ(PFM_REG_TYPE_VIRTUAL, info.reg_type);
		EXPECT_EQ(PFM_REG_IDX_NONE, info.reg_index);
		info = ask(n);
		EXPECT_EQ(-EINVAL, pfm(-1, PFM_GETINFO_PMCS, &info, 1));
	}
}

/* All 65536 numbers: those that GET_CONFIG lists, and no others. */
TEST(exactly_the_implemented_ones)
{
	pfarg_config_t cf = {};
	unsigned int n, seen[2] = { 0, 0 };
	int k;

	ASSERT_EQ(0, pfm(-1, PFM_GET_CONFIG, &cf, 1));
	for (n = 0; n < 65536; n += n < 1024 ? 1 : 17)
		for (k = 0; k < 2; k++) {
			u64 *vec = k ? cf.cf_impl_pmds : cf.cf_impl_pmcs;
			bool there = n < PFM_MAX_PMCS && vec_test(vec, n);
			pfarg_pmcinfo_t info = ask(n);

			ASSERT_EQ(there ? 0 : -EINVAL,
				  pfm(-1, k ? PFM_GETINFO_PMDS :
					      PFM_GETINFO_PMCS, &info, 1)) {
				TH_LOG("%s %u", k ? "PMD" : "PMC", n);
			}
			ASSERT_EQ(there ? 0U : PFM_REG_RETFL_EINVAL,
				  info.reg_flags);
			seen[k] += there;
		}
	EXPECT_LE(8U, seen[0]);
	EXPECT_LE(has_runnable() ? 13U : 12U, seen[1]);
}

/* Something of each event that a program can make happen. */
static void do_something(void)
{
	struct pages pages;

	pages_map(&pages, 10);
	pages_touch(&pages, 10);
	nap();
}

/* A PMC takes its default, with which nothing is measured (3.1.2). */
TEST(defaults_measure_nothing)
{
	int fd = (int)MUST(pfm_create(0));
	pfarg_config_t cf = {};
	unsigned int n, seen = 0;

	ASSERT_EQ(0, pfm(-1, PFM_GET_CONFIG, &cf, 1));
	for (n = 0; n < PFM_MAX_PMCS; n++) {
		pfarg_pmcinfo_t info = ask(n);

		if (!vec_test(cf.cf_impl_pmcs, n))
			continue;
		seen++;
		ASSERT_EQ(0, pfm(-1, PFM_GETINFO_PMCS, &info, 1));
		EXPECT_LE(PFM_REG_TYPE_PMC, info.reg_type);
		EXPECT_GE(PFM_REG_TYPE_VIRTUAL, info.reg_type);
		/* A register of which nothing can be chosen has no use. */
		EXPECT_NE(~0ULL, info.reg_rsvd_mask);
		EXPECT_EQ(0, pfm_write_pmc(fd, (int)n, info.reg_def_value, 0));
		/* Reserved bits keep theirs, whatever is written. */
		EXPECT_EQ(0, pfm_write_pmc(fd, (int)n, info.reg_def_value ^
					   info.reg_rsvd_mask, 0));
	}
	EXPECT_LE(8U, seen);
	MUST(pfm_load(fd, my_tid()));
	MUST(pfm_start(fd));
	do_something();
	MUST(pfm_stop(fd));
	/* Beyond these are registers that a program reads, not a counter's. */
	for (n = 0; n < PFM_VPMD_CLOCK; n++)
		if (vec_test(cf.cf_impl_pmds, n))
			EXPECT_EQ(0ULL, pfm_value(fd, (int)n));
	close(fd);
}

TEST(all_in_one_call)
{
	pfarg_pmcinfo_t info[PFM_SW_COUNTERS];
	int i;

	for (i = 0; i < PFM_SW_COUNTERS; i++)
		info[i] = ask(SW_PMC(PFM_SW_COUNTERS - 1 - i));
	ASSERT_EQ(0, pfm(-1, PFM_GETINFO_PMCS, info, PFM_SW_COUNTERS));
	for (i = 0; i < PFM_SW_COUNTERS; i++) {
		EXPECT_EQ(SW_PMC(PFM_SW_COUNTERS - 1 - i), info[i].reg_num);
		EXPECT_EQ(~0xffULL, info[i].reg_rsvd_mask);
	}
}

TEST(only_the_bad_one_is_blamed)
{
	pfarg_pmdinfo_t info[4];
	int i, bad;

	for (bad = 0; bad < 4; bad++) {
		for (i = 0; i < 4; i++)
			info[i] = ask(i == bad ? 250U : (unsigned)SW_PMD(i));
		ASSERT_EQ(-EINVAL, pfm(-1, PFM_GETINFO_PMDS, info, 4));
		for (i = 0; i < 4; i++) {
			EXPECT_EQ(i == bad ? PFM_REG_RETFL_EINVAL : 0U,
				  info[i].reg_flags);
			if (i < bad) {
				EXPECT_EQ(0ULL, info[i].reg_rsvd_mask);
			} else if (i > bad) {
				EXPECT_EQ(MARK, info[i].reg_rsvd_mask);
			}
		}
	}
}

TEST(flags_bit_by_bit)
{
	int bit;

	for (bit = 0; bit < 32; bit++) {
		pfarg_pmcinfo_t info = ask(SW_PMC(0));
		bool ok = PFM_REG_RETFL_MASK >> bit & 1;

		info.reg_flags = 1U << bit;
		EXPECT_EQ(ok ? 0 : -EINVAL,
			  pfm(-1, PFM_GETINFO_PMCS, &info, 1)) {
			TH_LOG("flag %#x", 1U << bit);
		}
		if (ok) {
			EXPECT_EQ(0U, info.reg_flags);
		} else {
			EXPECT_EQ(PFM_REG_RETFL_EINVAL,
				  info.reg_flags & PFM_REG_RETFL_MASK);
		}
	}
}

TEST_HARNESS_MAIN
