// SPDX-License-Identifier: GPL-2.0-only
/*
 * PFM_RESTART with the default format (3.6.5): it resets the header and
 * nothing else in the buffer, loads the long or short reset values, and may
 * come while monitoring is active, masked or stopped.
 */
#include "smpl_default.h"

/* "The rest of the buffer is not touched." */
TEST_F(smpl, restart_resets_the_header)
{
	static char copy[ROOMY];
	dfl_hdr_t hdr;

	sampler_open(&self->s, 0, 4096, 0);
	sample_faults(self->s.fd, 0, 1, NOTIFY, COUNTERS);
	attach(self->s.fd, self->p.tid);
	puppet_do(&self->p, OP_FAULT, 200);
	memcpy(copy, self->s.hdr, self->s.size);
	memcpy(&hdr, copy, sizeof(hdr));
	ASSERT_LT(0ULL, hdr.hdr_count);
	MUST(pfm_restart(self->s.fd));
	check_hdr(_metadata, &self->s, 0, sizeof(dfl_hdr_t), 1);
	EXPECT_EQ(hdr.hdr_buf_size, self->s.hdr->hdr_buf_size);
	EXPECT_EQ(hdr.hdr_flags, self->s.hdr->hdr_flags);
	EXPECT_EQ(0, memcmp(copy + sizeof(hdr), dfl_first(&self->s),
			    self->s.size - sizeof(hdr)));
	/* What comes now is where the first one was. */
	puppet_do(&self->p, OP_FAULT, 1);
	check_hdr(_metadata, &self->s, 1, sizeof(dfl_hdr_t) +
		  sizeof(dfl_entry_t) + 64, 1);
	EXPECT_LT(((dfl_entry_t *)(copy + sizeof(hdr)))->tstamp,
		  nth(&self->s, 0, 8)->tstamp);
}

/* Figure 3.19: long for what filled the buffer, short for all before. */
TEST_F(smpl, restart_resets_the_last_one)
{
	int fd;

	sampler_open(&self->s, 0, size_for(5, 0), 0);
	fd = self->s.fd;
	choose(fd, 0, 0, FAULTS, NOTIFY, 0, 0);
	MUST(pfm_write_period(fd, SW_PMD(0), -3ULL, -10ULL, -3ULL));
	choose(fd, 0, 1, FAULTS, NOTIFY, 0, 0);
	MUST(pfm_write_period(fd, SW_PMD(1), -4ULL, -20ULL, -4ULL));
	attach(fd, self->p.tid);
	/* At faults 3, 4, 6, 8, 9. */
	puppet_do(&self->p, OP_FAULT, 30);
	ASSERT_EQ(5ULL, self->s.hdr->hdr_count);
	EXPECT_EQ(CTR(0), overflowed(fd));
	EXPECT_EQ(0ULL, pfm_value(fd, SW_PMD(0)));
	EXPECT_EQ(-3ULL, pfm_value(fd, SW_PMD(1)));
	MUST(pfm_restart(fd));
	EXPECT_EQ(-10ULL, pfm_value(fd, SW_PMD(0)));
	EXPECT_EQ(-3ULL, pfm_value(fd, SW_PMD(1)));
	EXPECT_EQ(-10ULL, last_reset(fd, 0));
	EXPECT_EQ(-4ULL, last_reset(fd, 1));
	/* At faults 3 and 7 by counter 1, 10 by 0, 11 by 1, 13 by 0. */
	puppet_do(&self->p, OP_FAULT, 13);
	ASSERT_EQ(5ULL, self->s.hdr->hdr_count);
	EXPECT_EQ(SW_PMD(1), nth(&self->s, 1, 0)->ovfl_pmd);
	EXPECT_EQ(SW_PMD(0), nth(&self->s, 2, 0)->ovfl_pmd);
	EXPECT_EQ(-10ULL, nth(&self->s, 2, 0)->last_reset_val);
	EXPECT_EQ(SW_PMD(1), nth(&self->s, 3, 0)->ovfl_pmd);
	EXPECT_EQ(-4ULL, nth(&self->s, 3, 0)->last_reset_val);
	EXPECT_EQ(-3ULL, nth(&self->s, 4, 0)->last_reset_val);
}

/* One does not fill the buffer, the next one does: no reset before both. */
TEST_F(smpl, restart_resets_all_that_came_together)
{
	int fd, i;

	sampler_open(&self->s, 0, size_for(6, 0), 0);
	fd = self->s.fd;
	for (i = 0; i < 2; i++) {
		choose(fd, 0, i, FAULTS, NOTIFY, 0, 0);
		MUST(pfm_write_period(fd, SW_PMD(i), -5ULL, -10 - (u64)i,
				      -5ULL));
	}
	attach(fd, self->p.tid);
	puppet_do(&self->p, OP_FAULT, 30);
	ASSERT_EQ(6ULL, self->s.hdr->hdr_count);
	EXPECT_EQ(CTR(0) | CTR(1), overflowed(fd));
	EXPECT_EQ(0ULL, pfm_value(fd, SW_PMD(0)));
	EXPECT_EQ(0ULL, pfm_value(fd, SW_PMD(1)));
	MUST(pfm_restart(fd));
	EXPECT_EQ(-10ULL, pfm_value(fd, SW_PMD(0)));
	EXPECT_EQ(-11ULL, pfm_value(fd, SW_PMD(1)));
}

/* "Simply resets the buffer header" (3.6.5), and nothing but that. */
TEST_F(smpl, active_restart)
{
	u64 faults = 0;
	int fd, n;

	sampler_open(&self->s, 0, ROOMY, 0);
	fd = self->s.fd;
	choose(fd, 0, 0, FAULTS, NOTIFY, 0, CTR(1));
	MUST(pfm_write_period(fd, SW_PMD(0), -5ULL, -100ULL, -5ULL));
	choose(fd, 0, 1, FAULTS, 0, 0, 0);
	MUST(pfm_write_period(fd, SW_PMD(1), 1000, 2000, 3000));
	EXPECT_EQ(-EBUSY, pfm_restart(fd));
	attach(fd, self->p.tid);
	for (n = 0; n < 5; n++) {
		u64 before = faults / 5;

		puppet_do(&self->p, OP_FAULT, 12);
		faults += 12;
		EXPECT_EQ(faults / 5 - before, self->s.hdr->hdr_count);
		ASSERT_EQ(0, pfm_restart(fd));
		check_hdr(_metadata, &self->s, 0, sizeof(dfl_hdr_t), 0);
		EXPECT_TRUE(pfm_state_is(fd, "loaded"));
		EXPECT_EQ(faults % 5 - 5, pfm_value(fd, SW_PMD(0)));
		EXPECT_EQ(faults % 5 + 3000, pfm_value(fd, SW_PMD(1)));
		EXPECT_EQ(-5ULL, last_reset(fd, 0));
	}
	EXPECT_EQ(0U, overflowed(fd));
}

/* Stopped, it is not masked; the buffer is reset all the same. */
TEST_F(smpl, restart_while_stopped)
{
	sample_until(self, 0, 10, NOTIFY);
	puppet_do(&self->p, OP_FAULT, 3);
	MUST(pfm_stop(self->s.fd));
	EXPECT_EQ(3ULL, self->s.hdr->hdr_count);
	ASSERT_EQ(0, pfm_restart(self->s.fd));
	EXPECT_EQ(0ULL, self->s.hdr->hdr_count);
	puppet_do(&self->p, OP_FAULT, 3);
	EXPECT_EQ(0ULL, self->s.hdr->hdr_count);
	MUST(pfm_start(self->s.fd));
	/* Full, then stopped, then restarted: stopped it stays. */
	puppet_do(&self->p, OP_FAULT, 30);
	EXPECT_EQ(10ULL, self->s.hdr->hdr_count);
	MUST(pfm_stop(self->s.fd));
	EXPECT_TRUE(pfm_state_is(self->s.fd, "masked"));
	ASSERT_EQ(0, pfm_restart(self->s.fd));
	EXPECT_TRUE(pfm_state_is(self->s.fd, "loaded"));
	puppet_do(&self->p, OP_FAULT, 3);
	check_hdr(_metadata, &self->s, 0, sizeof(dfl_hdr_t), 1);
	MUST(pfm_start(self->s.fd));
	puppet_do(&self->p, OP_FAULT, 3);
	EXPECT_EQ(3ULL, self->s.hdr->hdr_count);
}

/*
 * PFM_RESTART finds an overflow that was not handled yet, and that fills the
 * buffer: it came before. Masked with an empty buffer it would be for ever.
 */
TEST_F(smpl, restart_that_finds_an_overflow)
{
	u64 period = 2000;
	int n;

	sampler_open(&self->s, 0, size_for(1, 0), 0);
	choose(self->s.fd, 0, 0, PFM_SW_TASK_CLOCK, 0, 0, 0);
	MUST(pfm_write_period(self->s.fd, SW_PMD(0), -period, -period,
			      -period));
	attach(self->s.fd, my_tid());
	for (n = 0; n < 500; n++) {
		ASSERT_EQ(0, pfm_restart(self->s.fd));
		if (pfm_state_is(self->s.fd, "masked")) {
			ASSERT_EQ(1ULL, self->s.hdr->hdr_count);
		}
	}
	EXPECT_LT(0ULL, self->s.hdr->hdr_overflows);
}

TEST_HARNESS_MAIN
