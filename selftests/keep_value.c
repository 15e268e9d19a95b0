// SPDX-License-Identifier: GPL-2.0-only
/*
 * PFM_REGFL_KEEP_VALUE: PFM_WRITE_PMDS gives a counter that runs other reset values and
 * another mask. Its value, the random series and the overflows that are left before a
 * switch of sets stay: no event is lost when a period becomes another one.
 *
 * Not here: other flags (regs.c).
 */
#include "puppet.h"

#define FAULTS		PFM_SW_MINOR_FAULTS
#define KEEP		PFM_REGFL_KEEP_VALUE

FIXTURE(keep) {
	struct puppet p;
	int fd;
};

/* A counter in the first of its periods of 10. */
FIXTURE_SETUP(keep)
{
	puppet_start(&self->p, PUPPET_PROCESS);
	puppet_do(&self->p, OP_FAULT, PUPPET_PAGES + 1);
	self->fd = pfm_session(0, FAULTS, PFM_REGFL_OVFL_NOTIFY, -10ULL, self->p.tid);
	puppet_do(&self->p, OP_FAULT, 4);
}

FIXTURE_TEARDOWN(keep)
{
	close(self->fd);
	puppet_stop(&self->p);
}

static pfarg_pmd_t element(u64 reset)
{
	return (pfarg_pmd_t){
		.reg_num = SW_PMD(0), .reg_flags = KEEP, .reg_value = 0x5555,
		.reg_long_reset = reset, .reg_short_reset = reset,
		.reg_ovflsw_thres = 99, .reg_random_seed = 99,
	};
}

/* What is begun ends as it was to end; only then the new period begins. */
TEST_F(keep, the_period_goes_on)
{
	pfarg_pmd_t pmd = element(-3ULL), now = { .reg_num = SW_PMD(0) };

	ASSERT_EQ(0, pfm(self->fd, PFM_WRITE_PMDS, &pmd, 1));
	EXPECT_EQ(KEEP, pmd.reg_flags);
	ASSERT_EQ(0, pfm(self->fd, PFM_READ_PMDS, &now, 1));
	EXPECT_EQ(-6ULL, now.reg_value);
	EXPECT_EQ(-10ULL, now.reg_last_reset_val);
	puppet_do(&self->p, OP_FAULT, 5);
	EXPECT_EQ(0U, overflowed(self->fd));
	puppet_do(&self->p, OP_FAULT, 1);
	EXPECT_EQ(1U, overflowed(self->fd));
	MUST(pfm(self->fd, PFM_RESTART, NULL, 0));
	ASSERT_EQ(0, pfm(self->fd, PFM_READ_PMDS, &now, 1));
	EXPECT_EQ(-3ULL, now.reg_last_reset_val);
	puppet_do(&self->p, OP_FAULT, 2);
	EXPECT_EQ(0U, overflowed(self->fd));
	puppet_do(&self->p, OP_FAULT, 1);
	EXPECT_EQ(1U, overflowed(self->fd));
}

/* While it waits for PFM_RESTART, too: what that loads is the new one. */
TEST_F(keep, masked)
{
	pfarg_pmd_t pmd = element(-5ULL);

	puppet_do(&self->p, OP_FAULT, 6);
	ASSERT_EQ(1U, overflowed(self->fd));
	ASSERT_EQ(0, pfm(self->fd, PFM_WRITE_PMDS, &pmd, 1));
	EXPECT_EQ(0ULL, pfm_value(self->fd, SW_PMD(0)));
	MUST(pfm(self->fd, PFM_RESTART, NULL, 0));
	EXPECT_EQ(-5ULL, pfm_value(self->fd, SW_PMD(0)));
}

/* The mask is the new one, the series is the one that was begun. */
TEST_F(keep, random_series)
{
	pfarg_pmd_t pmd = element(0);
	u64 first;

	MUST(pfm_stop(self->fd));
	MUST(pfm_write_pmc(self->fd, SW_PMC(0), FAULTS, PFM_REGFL_RANDOM));
	pmd.reg_flags = 0;
	pmd.reg_value = -1ULL;
	pmd.reg_random_seed = 5;
	MUST(pfm(self->fd, PFM_WRITE_PMDS, &pmd, 1));
	pmd = element(0x1000000);
	pmd.reg_random_mask = 0xfffff;
	MUST(pfm(self->fd, PFM_WRITE_PMDS, &pmd, 1));
	EXPECT_EQ(-1ULL, pfm_value(self->fd, SW_PMD(0)));
	MUST(pfm_start(self->fd));
	puppet_do(&self->p, OP_FAULT, 1);
	first = 5 * 16807 % 2147483647;
	EXPECT_EQ(0x1000000 + (first & 0xfffff), pfm_value(self->fd, SW_PMD(0)));
}

/* Refused like a write without the flag. */
TEST_F(keep, read_only_registers)
{
	pfarg_pmd_t pmd = element(0);

	pmd.reg_num = PFM_VPMD_CLOCK;
	EXPECT_EQ(-EINVAL, pfm(self->fd, PFM_WRITE_PMDS, &pmd, 1));
	EXPECT_EQ(KEEP | PFM_REG_RETFL_EINVAL, pmd.reg_flags);
	pmd = element(0);
	EXPECT_EQ(-EINVAL, pfm(self->fd, PFM_READ_PMDS, &pmd, 1));
	EXPECT_EQ(-6ULL, pfm_value(self->fd, SW_PMD(0)));
}

TEST_HARNESS_MAIN
