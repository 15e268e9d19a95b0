// SPDX-License-Identifier: GPL-2.0-only
/*
 * PFM_REGFL_READ_RESET (6.2.2): PFM_READ_PMDS reads a register and loads its long
 * reset value, and those of its control's reg_reset_pmds, in one step; and
 * PFM_REGFL_NO_64BIT_EMUL (6.2.1) with counters that have 64 bits anyway.
 *
 * Not here: hardware counters, and that no event gets lost between reading and
 * resetting, for which events must come at a moment that a program cannot choose
 * (hw_test in the kernel has both).
 */
#include "puppet.h"

#define FAULTS		PFM_SW_MINOR_FAULTS
#define READ_RESET	PFM_REGFL_READ_RESET
#define NO_EMUL		PFM_REGFL_NO_64BIT_EMUL

FIXTURE(reset) {
	struct puppet p;
	int fd;
};

/* Counter i counts faults from 100 * i on; its reset values are 1000 * i and 7. */
FIXTURE_SETUP(reset)
{
	int i;

	puppet_start(&self->p, PUPPET_PROCESS);
	puppet_do(&self->p, OP_FAULT, PUPPET_PAGES + 1);
	self->fd = (int)MUST(pfm_create(0));
	for (i = 0; i < 4; i++) {
		MUST(pfm_write_pmc(self->fd, SW_PMC(i), FAULTS, 0));
		MUST(pfm_write_period(self->fd, SW_PMD(i), 100ULL * (u64)i,
				      1000ULL * (u64)i, 7));
	}
	MUST(pfm_load(self->fd, self->p.tid));
	MUST(pfm_start(self->fd));
}

FIXTURE_TEARDOWN(reset)
{
	close(self->fd);
	puppet_stop(&self->p);
}

static pfarg_pmd_t element(int i, u32 flags)
{
	return (pfarg_pmd_t){ .reg_num = SW_PMD(i), .reg_flags = flags };
}

static void fault(FIXTURE_DATA(reset) *f, unsigned int n)
{
	puppet_do(&f->p, OP_FAULT, n);
}

/* The value before, and the reset value after it; the flag stays as it is. */
TEST_F(reset, reads_and_resets)
{
	pfarg_pmd_t pmd = element(2, READ_RESET);
	int round;

	for (round = 0; round < 5; round++) {
		fault(self, 3);
		ASSERT_EQ(0, pfm(self->fd, PFM_READ_PMDS, &pmd, 1));
		EXPECT_EQ(READ_RESET, pmd.reg_flags);
		EXPECT_EQ(round ? 2003ULL : 203, pmd.reg_value);
		EXPECT_EQ(round ? 2000ULL : 200, pmd.reg_last_reset_val);
		EXPECT_EQ(2000ULL, pfm_value(self->fd, SW_PMD(2)));
	}
	/* Without the flag nothing is reset, and no other counter was. */
	fault(self, 4);
	EXPECT_EQ(2004ULL, pfm_value(self->fd, SW_PMD(2)));
	EXPECT_EQ(2004ULL, pfm_value(self->fd, SW_PMD(2)));
	EXPECT_EQ(3 * 5 + 4ULL, pfm_value(self->fd, SW_PMD(0)));
	EXPECT_EQ(300 + 3 * 5 + 4ULL, pfm_value(self->fd, SW_PMD(3)));
}

/* Those that the control names go with it, and no others. */
TEST_F(reset, reset_pmds_go_with_it)
{
	pfarg_pmc_t pmc = { .reg_num = SW_PMC(1), .reg_value = FAULTS };
	pfarg_pmd_t pmd[4];

	vec_set(pmc.reg_reset_pmds, SW_PMD(3));
	/* Read-only: it is left alone. */
	vec_set(pmc.reg_reset_pmds, PFM_VPMD_CLOCK);
	MUST(pfm(self->fd, PFM_WRITE_PMCS, &pmc, 1));
	fault(self, 5);
	/* All are of one moment, before the reset, if they come before it. */
	pmd[0] = element(3, 0);
	pmd[1] = element(2, 0);
	pmd[2] = element(1, READ_RESET);
	pmd[3] = element(3, 0);
	ASSERT_EQ(0, pfm(self->fd, PFM_READ_PMDS, pmd, 4));
	EXPECT_EQ(305ULL, pmd[0].reg_value);
	EXPECT_EQ(205ULL, pmd[1].reg_value);
	EXPECT_EQ(105ULL, pmd[2].reg_value);
	EXPECT_EQ(3000ULL, pmd[3].reg_value);
	EXPECT_EQ(0U, pmd[3].reg_flags);
	fault(self, 1);
	EXPECT_EQ(1001ULL, pfm_value(self->fd, SW_PMD(1)));
	EXPECT_EQ(206ULL, pfm_value(self->fd, SW_PMD(2)));
	EXPECT_EQ(3001ULL, pfm_value(self->fd, SW_PMD(3)));
}

/* The elements before a bad one have been reset, those after it have not. */
TEST_F(reset, stops_at_a_bad_element)
{
	pfarg_pmd_t pmd[3] = {
		element(1, READ_RESET), element(0, READ_RESET),
		element(2, READ_RESET),
	};

	pmd[1].reg_num = PFM_VPMD_CLOCK;
	EXPECT_EQ(-EINVAL, pfm(self->fd, PFM_READ_PMDS, pmd, 3));
	EXPECT_EQ(READ_RESET, pmd[0].reg_flags);
	EXPECT_EQ(READ_RESET | PFM_REG_RETFL_EINVAL, pmd[1].reg_flags);
	EXPECT_EQ(READ_RESET, pmd[2].reg_flags);
	EXPECT_EQ(1000ULL, pfm_value(self->fd, SW_PMD(1)));
	EXPECT_EQ(200ULL, pfm_value(self->fd, SW_PMD(2)));

	pmd[1] = element(0, READ_RESET);
	pmd[1].reg_set = 5;
	EXPECT_EQ(-EINVAL, pfm(self->fd, PFM_READ_PMDS, pmd, 2));
	EXPECT_EQ(READ_RESET | PFM_REG_RETFL_NOSET, pmd[1].reg_flags);
	pmd[1] = element(0, READ_RESET | 0x10);
	EXPECT_EQ(-EINVAL, pfm(self->fd, PFM_READ_PMDS, pmd, 2));
	EXPECT_EQ(PFM_REG_RETFL_EINVAL, pmd[1].reg_flags & PFM_REG_RETFL_MASK);
	pmd[1] = element(0, READ_RESET);
	pmd[1].reg_pad = 1;
	EXPECT_EQ(-EINVAL, pfm(self->fd, PFM_READ_PMDS, pmd, 2));
	EXPECT_EQ(PFM_REG_RETFL_EINVAL, pmd[1].reg_flags & PFM_REG_RETFL_MASK);
}

/* More than is looked at in one go with interrupts off. */
TEST_F(reset, long_vector)
{
	pfarg_pmd_t pmd[34];
	int i, at;

	/* One element that resets, wherever it is: here and beyond a piece of 64. */
	for (at = 0; at < 34; at += 11) {
		for (i = 0; i < 34; i++)
			pmd[i] = element(1, i == at ? READ_RESET : 0);
		MUST(pfm_write_period(self->fd, SW_PMD(1), 100, 1000, 7));
		ASSERT_EQ(0, pfm(self->fd, PFM_READ_PMDS, pmd, 34));
		for (i = 0; i < 34; i++)
			EXPECT_EQ(i <= at ? 100ULL : 1000, pmd[i].reg_value);
	}
}

/* Stopped, unloaded, in a set that is not active: a register has its value. */
TEST_F(reset, of_any_set_in_any_state)
{
	pfarg_setdesc_t set = { .set_id = 9 };
	pfarg_pmd_t pmd = {
		.reg_num = SW_PMD(0), .reg_set = 9, .reg_value = 5,
		.reg_long_reset = 50,
	};

	MUST(pfm_stop(self->fd));
	pmd.reg_set = 0;
	MUST(pfm(self->fd, PFM_WRITE_PMDS, &pmd, 1));
	pmd.reg_flags = READ_RESET;
	ASSERT_EQ(0, pfm(self->fd, PFM_READ_PMDS, &pmd, 1));
	EXPECT_EQ(5ULL, pmd.reg_value);
	EXPECT_EQ(50ULL, pfm_value(self->fd, SW_PMD(0)));
	MUST(pfm_unload(self->fd));

	MUST(pfm(self->fd, PFM_CREATE_EVTSETS, &set, 1));
	pmd.reg_set = 9;
	pmd.reg_flags = 0;
	MUST(pfm(self->fd, PFM_WRITE_PMDS, &pmd, 1));
	MUST(pfm_load(self->fd, self->p.tid));
	MUST(pfm_start(self->fd));
	pmd.reg_flags = READ_RESET;
	ASSERT_EQ(0, pfm(self->fd, PFM_READ_PMDS, &pmd, 1));
	EXPECT_EQ(5ULL, pmd.reg_value);
	ASSERT_EQ(0, pfm(self->fd, PFM_READ_PMDS, &pmd, 1));
	EXPECT_EQ(50ULL, pmd.reg_value);
	/* The set that is active counts on, from its own value. */
	fault(self, 2);
	EXPECT_EQ(52ULL, pfm_value(self->fd, SW_PMD(0)));
}

/* The long reset value is randomised, if it is to be. */
TEST_F(reset, random)
{
	pfarg_pmd_t pmd = {
		.reg_num = SW_PMD(0), .reg_long_reset = 1000000,
		.reg_random_mask = 0xffff, .reg_random_seed = 4711,
	};
	u64 last = 0, differ = 0;
	int n;

	MUST(pfm_write_pmc(self->fd, SW_PMC(0), FAULTS, PFM_REGFL_RANDOM));
	MUST(pfm(self->fd, PFM_WRITE_PMDS, &pmd, 1));
	pmd.reg_flags = READ_RESET;
	for (n = 0; n < 20; n++) {
		ASSERT_EQ(0, pfm(self->fd, PFM_READ_PMDS, &pmd, 1));
		if (!n)
			continue;
		EXPECT_LE(1000000ULL, pmd.reg_value);
		EXPECT_GE(1000000ULL + 0xffff, pmd.reg_value);
		EXPECT_EQ(pmd.reg_value, pmd.reg_last_reset_val);
		differ += pmd.reg_value != last;
		last = pmd.reg_value;
	}
	EXPECT_LE(15ULL, differ);
}

/* A period begins anew: no message before all of it has passed. */
TEST_F(reset, period)
{
	pfarg_pmd_t pmd = element(0, READ_RESET);

	MUST(pfm_write_pmc(self->fd, SW_PMC(0), FAULTS, PFM_REGFL_OVFL_NOTIFY));
	MUST(pfm_write_period(self->fd, SW_PMD(0), -3ULL, -10ULL, -5ULL));
	fault(self, 2);
	ASSERT_EQ(0, pfm(self->fd, PFM_READ_PMDS, &pmd, 1));
	EXPECT_EQ(-1ULL, pmd.reg_value);
	fault(self, 9);
	EXPECT_EQ(0U, overflowed(self->fd));
	fault(self, 1);
	EXPECT_EQ(1U, overflowed(self->fd));
	EXPECT_TRUE(pfm_state_is(self->fd, "masked"));
}

/* 64 bits are what these counters have; but their wrap is no overflow. */
TEST_F(reset, no_emulation)
{
	MUST(pfm_stop(self->fd));
	EXPECT_EQ(-EINVAL, pfm_write_pmc(self->fd, SW_PMC(0), FAULTS, NO_EMUL |
					 PFM_REGFL_OVFL_NOTIFY));
	EXPECT_EQ(-EINVAL, pfm_write_pmc(self->fd, SW_PMC(0), FAULTS, NO_EMUL |
					 PFM_REGFL_RANDOM));
	MUST(pfm_write_pmc(self->fd, SW_PMC(0), FAULTS, NO_EMUL));
	MUST(pfm_write_period(self->fd, SW_PMD(0), -3ULL, -10ULL, -5ULL));
	MUST(pfm_write_period(self->fd, SW_PMD(1), -3ULL, -10ULL, -5ULL));
	MUST(pfm_start(self->fd));
	EXPECT_EQ(-3ULL, pfm_value(self->fd, SW_PMD(0)));
	fault(self, 4);
	/* The one is reset when it overflows, the other goes on. */
	EXPECT_EQ(1ULL, pfm_value(self->fd, SW_PMD(0)));
	EXPECT_EQ(-4ULL, pfm_value(self->fd, SW_PMD(1)));
}

TEST_HARNESS_MAIN
