// SPDX-License-Identifier: GPL-2.0-only
/*
 * When a sample is taken: at each period's end, while the context is started,
 * with short, long and randomised periods (3.4.2) and the PMDs that are reset
 * together with a period.
 *
 * Not here: periods in several event sets (smpl_sets.c).
 */
#include "smpl_default.h"

/* ------------------------------------------------------------------------
 * A puppet and what it is sampled with
 */

TEST_F(smpl, header_of_a_new_buffer)
{
	u64 sizes[] = { dfl_min_size(), 4096, 4097, ROOMY - 8 };
	static const u32 flags[] = {
		0, PFM_DFL_SMPL_NO_HDR, PFM_DFL_SMPL_IIP_HDR, 0,
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		sampler_open(&self->s, 0, sizes[i], flags[i]);
		EXPECT_EQ(page_align(sizes[i]), self->s.size);
		check_hdr(_metadata, &self->s, 0, sizeof(dfl_hdr_t), 0);
		EXPECT_EQ(sizes[i], self->s.hdr->hdr_buf_size);
		EXPECT_EQ(flags[i], self->s.hdr->hdr_flags);
		EXPECT_TRUE(all_bytes(dfl_first(&self->s),
				      self->s.size - sizeof(dfl_hdr_t), 0));
		sampler_close(&self->s);
	}
}

/* Period P over N events: N / P samples, and what is left in the counter. */
TEST_F(smpl, period_of_faults)
{
	static const unsigned int periods[] = { 1, 2, 3, 7, 50, 101 };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(periods); i++) {
		u64 period = periods[i], n = 100 / period;

		sampler_open(&self->s, 0, ROOMY, 0);
		sample_faults(self->s.fd, 0, period, 0, 0);
		attach(self->s.fd, self->p.tid);
		puppet_do(&self->p, OP_FAULT, 100);
		check_hdr(_metadata, &self->s, n,
			  sizeof(dfl_hdr_t) + n * sizeof(dfl_entry_t), 0);
		EXPECT_EQ(100 % period - period,
			  pfm_value(self->s.fd, SW_PMD(0)));
		EXPECT_TRUE(pfm_state_is(self->s.fd, "loaded"));
		sampler_close(&self->s);
	}
}

/* Nothing is sampled before PFM_START and after PFM_STOP. */
TEST_F(smpl, only_while_started)
{
	sampler_open(&self->s, 0, ROOMY, 0);
	sample_faults(self->s.fd, 0, 4, 0, 0);
	MUST(pfm_load(self->s.fd, self->p.tid));
	puppet_do(&self->p, OP_FAULT, 10);
	EXPECT_EQ(0ULL, self->s.hdr->hdr_count);
	MUST(pfm_start(self->s.fd));
	puppet_do(&self->p, OP_FAULT, 10);
	EXPECT_EQ(2ULL, self->s.hdr->hdr_count);
	MUST(pfm_stop(self->s.fd));
	puppet_do(&self->p, OP_FAULT, 10);
	EXPECT_EQ(2ULL, self->s.hdr->hdr_count);
	/* Two of the period were over. */
	MUST(pfm_start(self->s.fd));
	puppet_do(&self->p, OP_FAULT, 1);
	EXPECT_EQ(2ULL, self->s.hdr->hdr_count);
	puppet_do(&self->p, OP_FAULT, 1);
	EXPECT_EQ(3ULL, self->s.hdr->hdr_count);
}

/* ------------------------------------------------------------------------
 * What a sample says (3.6.4)
 */

/*
 * Samples by time: between two of them the thread has used the period and by
 * how much the timer was late, which is in the counter.
 */
TEST_F(smpl, period_of_time)
{
	u64 period = 2 * NSEC_PER_MSEC, n, last = 0;

	sampler_open(&self->s, 0, ROOMY, 0);
	choose(self->s.fd, 0, 0, PFM_SW_TASK_CLOCK, 0,
	       CTR(0) | PMD(PFM_VPMD_THREAD_TIME), 0);
	MUST(pfm_write_period(self->s.fd, SW_PMD(0), -period, -period,
			      -period));
	attach(self->s.fd, self->p.tid);
	while (self->s.hdr->hdr_count < 8)
		puppet_do(&self->p, OP_BURN, 10);
	MUST(pfm_stop(self->s.fd));
	for (n = 0; n < self->s.hdr->hdr_count; n++) {
		const u64 *v = values_of(nth(&self->s, n, 2));

		if (n) {
			EXPECT_EQ(period + v[0], v[1] - last) {
				TH_LOG("sample %llu", n);
			}
		}
		last = v[1];
	}
}

/* ------------------------------------------------------------------------
 * PFM_RESTART
 */

/* The PMDs that go with a period: short at each sample, long when full. */
TEST_F(smpl, reset_pmds)
{
	int fd, n;

	sampler_open(&self->s, 0, size_for(6, 1), 0);
	fd = self->s.fd;
	choose(fd, 0, 0, FAULTS, NOTIFY, CTR(1), CTR(1) | CTR(3));
	MUST(pfm_write_period(fd, SW_PMD(0), -4ULL, -9ULL, -4ULL));
	choose(fd, 0, 1, FAULTS, 0, 0, 0);
	MUST(pfm_write_period(fd, SW_PMD(1), 50, 500, 0));
	/* This one does not count. */
	MUST(pfm_write_period(fd, SW_PMD(3), 30, 31, 32));
	attach(fd, self->p.tid);
	puppet_do(&self->p, OP_FAULT, 4);
	EXPECT_EQ(0ULL, pfm_value(fd, SW_PMD(1)));
	EXPECT_EQ(32ULL, pfm_value(fd, SW_PMD(3)));
	puppet_do(&self->p, OP_FAULT, 40);
	ASSERT_EQ(6ULL, self->s.hdr->hdr_count);
	for (n = 0; n < 6; n++)
		EXPECT_EQ(n ? 4ULL : 54ULL,
			  values_of(nth(&self->s, (u64)n, 1))[0]);
	/* Masked: not yet. */
	EXPECT_EQ(4ULL, pfm_value(fd, SW_PMD(1)));
	EXPECT_EQ(32ULL, pfm_value(fd, SW_PMD(3)));
	MUST(pfm_restart(fd));
	EXPECT_EQ(-9ULL, pfm_value(fd, SW_PMD(0)));
	EXPECT_EQ(500ULL, pfm_value(fd, SW_PMD(1)));
	EXPECT_EQ(31ULL, pfm_value(fd, SW_PMD(3)));
}

/* ------------------------------------------------------------------------
 * Randomised periods (3.4.2)
 */

#define MASK	0xfULL

/* Park and Miller's generator by plain division. */
static u64 next_random(u64 *state)
{
	*state = *state * 16807 % 2147483647;
	return *state;
}

static void randomise(int fd, u64 base, u64 long_base, u32 seed)
{
	pfarg_pmd_t pmd = {
		.reg_num = (__u16)SW_PMD(0), .reg_value = -1ULL,
		.reg_long_reset = long_base, .reg_short_reset = base,
		.reg_random_mask = MASK, .reg_random_seed = seed,
	};

	choose(fd, 0, 0, FAULTS, NOTIFY | PFM_REGFL_RANDOM, CTR(1), 0);
	MUST(pfm(fd, PFM_WRITE_PMDS, &pmd, 1));
	choose(fd, 0, 1, FAULTS, 0, 0, 0);
	MUST(pfm_write_pmd(fd, SW_PMD(1), 0));
}

/* The series follows from the seed, and so do the samples. */
TEST_F(smpl, random_periods)
{
	static const u32 seeds[] = { 1, 4711, 0x7ffffffe };
	u64 base = -40ULL, n;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(seeds); i++) {
		u64 state = seeds[i], last = -1ULL, at = 0;

		sampler_open(&self->s, 0, ROOMY, 0);
		randomise(self->s.fd, base, -60ULL, seeds[i]);
		attach(self->s.fd, self->p.tid);
		puppet_do(&self->p, OP_FAULT, 1500);
		/* Periods are 25 to 40 faults. */
		ASSERT_LT(30ULL, self->s.hdr->hdr_count);
		for (n = 0; n < self->s.hdr->hdr_count; n++) {
			const dfl_entry_t *e = nth(&self->s, n, 1);

			ASSERT_EQ(last, e->last_reset_val);
			ASSERT_TRUE(!n || (e->last_reset_val >= base &&
					   e->last_reset_val <= base + MASK));
			/* It ended as many events after the one before. */
			at += -last;
			ASSERT_EQ(at, values_of(e)[0]);
			last = base + (next_random(&state) & MASK);
		}
		EXPECT_EQ(last, last_reset(self->s.fd, 0));
		sampler_close(&self->s);
	}
}

/* A long value takes the next of the same series. */
TEST_F(smpl, random_long_periods)
{
	u64 state = 99, n;

	sampler_open(&self->s, 0, size_for(4, 1), 0);
	randomise(self->s.fd, -40ULL, -80ULL, 99);
	attach(self->s.fd, self->p.tid);
	puppet_do(&self->p, OP_FAULT, 300);
	ASSERT_EQ(CTR(0), overflowed(self->s.fd));
	for (n = 1; n < 4; n++)
		EXPECT_EQ(-40 + (next_random(&state) & MASK),
			  nth(&self->s, n, 1)->last_reset_val);
	/* The last one has not been reset. */
	MUST(pfm_restart(self->s.fd));
	EXPECT_EQ(-80 + (next_random(&state) & MASK),
		  last_reset(self->s.fd, 0));
	puppet_do(&self->p, OP_FAULT, 300);
	ASSERT_EQ(CTR(0), overflowed(self->s.fd));
	for (n = 1; n < 4; n++)
		EXPECT_EQ(-40 + (next_random(&state) & MASK),
			  nth(&self->s, n, 1)->last_reset_val);
}

TEST_HARNESS_MAIN
