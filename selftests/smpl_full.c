// SPDX-License-Identifier: GPL-2.0-only
/*
 * The full buffer (3.6.5): when it is full (figure 3.30), that monitoring is
 * masked then, which registers and messages say so, and which counter filled
 * it.
 *
 * Not here: what PFM_RESTART does next (smpl_restart.c).
 */
#include "smpl_default.h"

/* ------------------------------------------------------------------------
 * A puppet and what it is sampled with
 */

/* The bits of @n PMDs, of which the first is the first counter. */
static u32 some_pmds(unsigned int n)
{
	u32 all = COUNTERS | VIRTUALS, bits = 0;

	for (; n && all; n--) {
		bits |= all & -all;
		all &= all - 1;
	}
	return bits;
}

/* ------------------------------------------------------------------------
 * Full (3.6.5)
 */

/* Figure 3.30, for many sizes of buffers and samples. */
TEST_F(smpl, full)
{
	u64 sizes[] = {
		dfl_min_size(), dfl_min_size() + 1, dfl_min_size() + 7,
		dfl_min_size() + 8, 1000, 4096, 5001,
	};
	const unsigned int values[] = { 0, 1, 3, N_ALL };
	size_t i, k;

	for (i = 0; i < ARRAY_SIZE(sizes) * ARRAY_SIZE(values); i++) {
		u64 size = sizes[i / ARRAY_SIZE(values)], sample, cap;
		int fd, n;

		k = i % ARRAY_SIZE(values);
		sample = sizeof(dfl_entry_t) + 8 * values[k];
		cap = dfl_capacity(size, sample);
		sampler_open(&self->s, 0, size, 0);
		fd = self->s.fd;
		sample_faults(fd, 0, 1, NOTIFY, some_pmds(values[k]));
		attach(fd, self->p.tid);
		puppet_do(&self->p, OP_FAULT, (unsigned int)cap - 1);
		check_hdr(_metadata, &self->s, cap - 1,
			  sizeof(dfl_hdr_t) + (cap - 1) * sample, 0);
		EXPECT_TRUE(pfm_state_is(fd, "loaded"));
		EXPECT_EQ(0U, overflowed(fd));
		for (n = 0; n < 2; n++) {
			/* One is enough, and seven more make no difference. */
			puppet_do(&self->p, OP_FAULT, n ? 7 : 1);
			check_hdr(_metadata, &self->s, cap,
				  sizeof(dfl_hdr_t) + cap * sample, 1);
			EXPECT_TRUE(pfm_state_is(fd, "masked"));
			EXPECT_EQ(n ? 0 : CTR(0), overflowed(fd));
			EXPECT_EQ(0ULL, pfm_value(fd, SW_PMD(0)));
		}
		EXPECT_EQ(0ULL, pfm_fdinfo_num(fd, "pfm-lost"));
		sampler_close(&self->s);
	}
}

/* Not even of counters that have nothing to do with it. */
TEST_F(smpl, full_means_masked)
{
	sample_until(self, 0, 10, NOTIFY);
	MUST(pfm_stop(self->s.fd));
	choose(self->s.fd, 0, 1, FAULTS, 0, 0, 0);
	MUST(pfm_write_pmd(self->s.fd, SW_PMD(1), 0));
	sample_faults(self->s.fd, 2, 100, NOTIFY, 0);
	MUST(pfm_start(self->s.fd));
	puppet_do(&self->p, OP_FAULT, 200);
	EXPECT_EQ(10ULL, self->s.hdr->hdr_count);
	EXPECT_EQ(1ULL, self->s.hdr->hdr_overflows);
	EXPECT_EQ(0ULL, pfm_value(self->s.fd, SW_PMD(0)));
	EXPECT_EQ(10ULL, pfm_value(self->s.fd, SW_PMD(1)));
	EXPECT_EQ(-90ULL, pfm_value(self->s.fd, SW_PMD(2)));
	EXPECT_EQ(CTR(0), overflowed(self->s.fd));
	MUST(pfm_restart(self->s.fd));
	EXPECT_EQ(10ULL, pfm_value(self->s.fd, SW_PMD(1)));
	EXPECT_EQ(-90ULL, pfm_value(self->s.fd, SW_PMD(2)));
}

/* Until the restart the registers are as the last sample says. */
TEST_F(smpl, registers_of_a_full_buffer)
{
	unsigned int values = 8;
	pfarg_pmd_t pmd;
	const u64 *v;
	int i;

	sampler_open(&self->s, 0, size_for(20, values), 0);
	for (i = 1; i < PFM_SW_COUNTERS; i++) {
		choose(self->s.fd, 0, i, FAULTS, 0, 0, 0);
		MUST(pfm_write_pmd(self->s.fd, SW_PMD(i), 1000ULL * (u64)i));
	}
	choose(self->s.fd, 0, 0, FAULTS, NOTIFY, COUNTERS, CTR(1) | CTR(2));
	MUST(pfm_write_period(self->s.fd, SW_PMD(0), -3ULL, -50ULL, -2ULL));
	attach(self->s.fd, self->p.tid);
	puppet_do(&self->p, OP_FAULT, 100);
	ASSERT_TRUE(pfm_state_is(self->s.fd, "masked"));
	ASSERT_EQ(20ULL, self->s.hdr->hdr_count);
	v = values_of(nth(&self->s, 19, values));
	for (i = 0; i < PFM_SW_COUNTERS; i++) {
		pmd = read_pmd(self->s.fd, 0, i);
		EXPECT_EQ(v[i], pmd.reg_value);
	}
	EXPECT_EQ(nth(&self->s, 19, values)->last_reset_val,
		  last_reset(self->s.fd, 0));
	EXPECT_EQ(-2ULL, last_reset(self->s.fd, 0));
	/* 3 + 19 * 2 faults; two counters were reset 19 times, to 0. */
	EXPECT_EQ(0ULL, v[0]);
	EXPECT_EQ(2ULL, v[1]);
	EXPECT_EQ(2ULL, v[2]);
	EXPECT_EQ(3041ULL, v[3]);
	EXPECT_EQ(7041ULL, v[7]);
}

/* No counter asks for messages: the buffer saturates without one (3.6.5). */
TEST_F(smpl, saturated)
{
	sample_until(self, 0, 10, 0);
	puppet_do(&self->p, OP_FAULT, 50);
	EXPECT_TRUE(pfm_state_is(self->s.fd, "masked"));
	check_hdr(_metadata, &self->s, 10,
		  sizeof(dfl_hdr_t) + 10 * sizeof(dfl_entry_t), 1);
	EXPECT_EQ(0, pfm_poll(self->s.fd, 20) & POLLIN);
	EXPECT_EQ(0ULL, pfm_fdinfo_num(self->s.fd, "pfm-queued"));
	EXPECT_EQ(0ULL, pfm_fdinfo_num(self->s.fd, "pfm-lost"));
	/* "...does reset the buffer and monitoring resumes." */
	MUST(pfm_restart(self->s.fd));
	EXPECT_TRUE(pfm_state_is(self->s.fd, "loaded"));
	check_hdr(_metadata, &self->s, 0, sizeof(dfl_hdr_t), 1);
	puppet_do(&self->p, OP_FAULT, 4);
	EXPECT_EQ(4ULL, self->s.hdr->hdr_count);
	puppet_do(&self->p, OP_FAULT, 40);
	check_hdr(_metadata, &self->s, 10,
		  sizeof(dfl_hdr_t) + 10 * sizeof(dfl_entry_t), 2);
}

/*
 * A counter that asks for no message fills the buffer, another one that does
 * overflows with it, and after it: there is one message, for both.
 */
TEST_F(smpl, filled_by_a_silent_counter)
{
	sampler_open(&self->s, 0, size_for(5, 0), 0);
	sample_faults(self->s.fd, 0, 4, 0, 0);
	sample_faults(self->s.fd, 1, 4, NOTIFY, 0);
	attach(self->s.fd, self->p.tid);
	puppet_do(&self->p, OP_FAULT, 12);
	EXPECT_TRUE(pfm_state_is(self->s.fd, "masked"));
	EXPECT_EQ(CTR(0) | CTR(1), overflowed(self->s.fd));
	EXPECT_EQ(1ULL, self->s.hdr->hdr_overflows);
}

/* One asks, but it is the other one that fills the buffer, alone. */
TEST_F(smpl, filled_by_the_silent_one_of_two)
{
	sampler_open(&self->s, 0, size_for(5, 0), 0);
	sample_faults(self->s.fd, 0, 2, 0, 0);
	sample_faults(self->s.fd, 1, 5, NOTIFY, 0);
	attach(self->s.fd, self->p.tid);
	/* At faults 2, 4, 5, 6, 8. */
	puppet_do(&self->p, OP_FAULT, 20);
	EXPECT_TRUE(pfm_state_is(self->s.fd, "masked"));
	EXPECT_EQ(5ULL, self->s.hdr->hdr_count);
	EXPECT_EQ(0ULL, pfm_fdinfo_num(self->s.fd, "pfm-queued"));
	EXPECT_EQ(-2ULL, pfm_value(self->s.fd, SW_PMD(1)));
}

/*
 * Counter 0 fills the buffer. Counter 1 overflows with it, and finds room for
 * its sample or not: then that is lost, but the message names it.
 */
TEST_F(smpl, no_room_beside_the_last_one)
{
	u64 largest = sizeof(dfl_entry_t) + 8 * N_ALL, left;

	if (max_sample() != largest)
		SKIP(return, "no_room_beside_the_last_one: more PMDs than %d",
		     N_ALL);
	for (left = 0; left <= 48; left += 8) {
		u64 fits = left >= sizeof(dfl_entry_t), pmd;
		int fd;

		sampler_open(&self->s, 0, sizeof(dfl_hdr_t) + largest + left,
			     0);
		fd = self->s.fd;
		choose(fd, 0, 0, FAULTS, NOTIFY, some_pmds(N_ALL), 0);
		choose(fd, 0, 1, FAULTS, NOTIFY, 0, 0);
		for (pmd = 0; pmd < 2; pmd++)
			MUST(pfm_write_period(fd, SW_PMD((int)pmd), -6ULL,
					      -20 - pmd, -3ULL));
		attach(fd, self->p.tid);
		puppet_do(&self->p, OP_FAULT, 15);
		check_hdr(_metadata, &self->s, 1 + fits, sizeof(dfl_hdr_t) +
			  largest + fits * sizeof(dfl_entry_t), 1);
		EXPECT_EQ(SW_PMD(0), nth(&self->s, 0, N_ALL)->ovfl_pmd);
		if (fits)
			EXPECT_EQ(SW_PMD(1), nth(&self->s, 1, N_ALL)->ovfl_pmd);
		EXPECT_EQ(CTR(0) | CTR(1), overflowed(fd));
		EXPECT_EQ(0ULL, pfm_value(fd, SW_PMD(1)));
		MUST(pfm_restart(fd));
		/* The one that was lost overflowed last, too. */
		EXPECT_EQ(-20ULL, pfm_value(fd, SW_PMD(0)));
		EXPECT_EQ(-21ULL, pfm_value(fd, SW_PMD(1)));
		sampler_close(&self->s);
	}
}

/* The program does not read its message: the next one is lost, and counted as such. */
TEST_F(smpl, nobody_reads_the_messages)
{
	int n;

	sample_until(self, 0, 10, NOTIFY);
	for (n = 1; n <= 4; n++) {
		puppet_do(&self->p, OP_FAULT, 20);
		EXPECT_TRUE(pfm_state_is(self->s.fd, "masked"));
		EXPECT_EQ(10ULL, self->s.hdr->hdr_count);
		EXPECT_EQ((u64)n, self->s.hdr->hdr_overflows);
		EXPECT_EQ(1ULL, pfm_fdinfo_num(self->s.fd, "pfm-queued"));
		EXPECT_EQ((u64)n - 1, pfm_fdinfo_num(self->s.fd, "pfm-lost"));
		MUST(pfm_restart(self->s.fd));
	}
	EXPECT_EQ(CTR(0), overflowed(self->s.fd));
}

TEST_HARNESS_MAIN
