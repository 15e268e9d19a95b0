// SPDX-License-Identifier: GPL-2.0-only
/*
 * The size and the body of a sample of the default format (3.6.4): the values
 * of the PMDs that reg_smpl_pmds names, the short samples that the format's
 * flags ask for, several samples of one event, and the flags of the context.
 *
 * Not here: the other fields (smpl_fields.c), a model of all of it
 * (smpl_model.c).
 */
#include "smpl_default.h"
#include "toucher.h"

/* ------------------------------------------------------------------------
 * What a sample says (3.6.4)
 */

/* The body: values in increasing order of the PMDs' numbers. */
TEST_F(smpl, body)
{
	u64 n, before, after, clock = 0, cycles = 0, time = 0, runtime;
	u32 smpl = CTR(0) | CTR(1) | CTR(5) | VIRTUALS;
	u64 memory = (u64)sysconf(_SC_PHYS_PAGES);
	unsigned int last = has_runnable() ? 7 : 6;

	sampler_open(&self->s, 0, ROOMY, 0);
	choose(self->s.fd, 0, 1, FAULTS, 0, 0, 0);
	MUST(pfm_write_pmd(self->s.fd, SW_PMD(1), 1000));
	MUST(pfm_write_pmd(self->s.fd, SW_PMD(5), 12345));
	sample_faults(self->s.fd, 0, 2, 0, smpl);
	attach(self->s.fd, self->p.tid);
	before = now_ns(CLOCK_MONOTONIC);
	puppet_do(&self->p, OP_FAULT, 40);
	after = now_ns(CLOCK_MONOTONIC);
	ASSERT_EQ(20ULL, self->s.hdr->hdr_count);
	for (n = 0; n < 20; n++) {
		const dfl_entry_t *e = nth(&self->s, n, last + 1);
		const u64 *v = values_of(e);

		EXPECT_EQ(SW_PMD(0), e->ovfl_pmd);
		EXPECT_EQ(0ULL, v[0]);
		EXPECT_EQ(1000 + 2 * (n + 1), v[1]);
		EXPECT_EQ(12345ULL, v[2]);
		EXPECT_LE(before, v[3]);
		EXPECT_LE(e->tstamp, v[3]);
		EXPECT_LT(clock, v[3]);
		EXPECT_GE(after, v[3]);
		EXPECT_LE(cycles, v[4]);
		EXPECT_LT(0ULL, v[5]);
		EXPECT_GE(memory, v[5]);
		if (last == 7)
			EXPECT_LE(1ULL, v[6]);
		EXPECT_LE(time, v[last]);
		EXPECT_LT(0ULL, v[last]);
		clock = v[3];
		cycles = v[4];
		time = v[last];
	}
	if (thread_runtime(self->p.tid, &runtime))
		EXPECT_GE(runtime, time);
}

/* What reg_smpl_eventid says is not for this format: its samples have no place for it. */
TEST_F(smpl, event_id_is_not_recorded)
{
	const u64 id = 0x5eedfacecafe1234ULL;
	pfarg_pmc_t pmc = {
		.reg_num = SW_PMC(0), .reg_value = FAULTS,
		.reg_smpl_eventid = id,
	};

	sampler_open(&self->s, 0, ROOMY, 0);
	sample_faults(self->s.fd, 0, 1, 0, 0);
	MUST(pfm(self->s.fd, PFM_WRITE_PMCS, &pmc, 1));
	attach(self->s.fd, self->p.tid);
	puppet_do(&self->p, OP_FAULT, 20);
	check_hdr(_metadata, &self->s, 20,
		  sizeof(dfl_hdr_t) + 20 * sizeof(dfl_entry_t), 0);
	EXPECT_EQ(NULL, memmem(self->s.hdr, self->s.size, &id, sizeof(id)));
}

TEST_F(smpl, no_headers)
{
	u64 n, cap = dfl_capacity(4096, 24);
	const u64 *v;

	sampler_open(&self->s, 0, 4096, PFM_DFL_SMPL_NO_HDR);
	choose(self->s.fd, 0, 1, FAULTS, 0, 0, 0);
	MUST(pfm_write_pmd(self->s.fd, SW_PMD(1), 1000));
	MUST(pfm_write_pmd(self->s.fd, SW_PMD(7), 77));
	sample_faults(self->s.fd, 0, 1, NOTIFY, CTR(7) | CTR(1) | CTR(0));
	attach(self->s.fd, self->p.tid);
	puppet_do(&self->p, OP_FAULT, (unsigned int)cap - 1);
	EXPECT_TRUE(pfm_state_is(self->s.fd, "loaded"));
	puppet_do(&self->p, OP_FAULT, 5);
	EXPECT_TRUE(pfm_state_is(self->s.fd, "masked"));
	check_hdr(_metadata, &self->s, cap, sizeof(dfl_hdr_t) + cap * 24, 1);
	v = dfl_first(&self->s);
	for (n = 0; n < cap; n++, v += 3) {
		ASSERT_EQ(0ULL, v[0]);
		ASSERT_EQ(1000 + n + 1, v[1]);
		ASSERT_EQ(77ULL, v[2]);
	}
}

/* Neither header nor body: they take no room, and are counted. */
TEST_F(smpl, nothing_but_a_count)
{
	sampler_open(&self->s, 0, dfl_min_size(), PFM_DFL_SMPL_NO_HDR);
	sample_faults(self->s.fd, 0, 1, NOTIFY, 0);
	attach(self->s.fd, self->p.tid);
	puppet_do(&self->p, OP_FAULT, 1000);
	check_hdr(_metadata, &self->s, 1000, sizeof(dfl_hdr_t), 0);
	EXPECT_TRUE(pfm_state_is(self->s.fd, "loaded"));
	EXPECT_TRUE(all_bytes(dfl_first(&self->s),
			      self->s.size - sizeof(dfl_hdr_t), 0));
}

TEST_F(smpl, nothing_but_ip)
{
	u64 n, cap = dfl_capacity(4000, 8);
	struct toucher t;
	const u64 *v;

	toucher_start(&t, fork_child);
	sampler_open(&self->s, 0, 4000, PFM_DFL_SMPL_IIP_HDR);
	sample_faults(self->s.fd, 0, 1, NOTIFY, 0);
	attach(self->s.fd, t.pid);
	toucher_do(&t, (unsigned int)cap - 1);
	EXPECT_TRUE(pfm_state_is(self->s.fd, "loaded"));
	toucher_do(&t, 5);
	EXPECT_TRUE(pfm_state_is(self->s.fd, "masked"));
	check_hdr(_metadata, &self->s, cap, sizeof(dfl_hdr_t) + cap * 8, 1);
	v = dfl_first(&self->s);
	for (n = 0; n < cap; n++) {
		ASSERT_TRUE(in_touch(v[n]));
	}
	kill_and_reap(t.pid);
}

TEST_F(smpl, ip_and_body)
{
	const u64 *v;
	u64 n;

	sampler_open(&self->s, 0, ROOMY, PFM_DFL_SMPL_IIP_HDR);
	MUST(pfm_write_pmd(self->s.fd, SW_PMD(6), 66));
	sample_faults(self->s.fd, 2, 3, 0, CTR(2) | CTR(6));
	attach(self->s.fd, self->p.tid);
	puppet_do(&self->p, OP_FAULT, 30);
	check_hdr(_metadata, &self->s, 10, sizeof(dfl_hdr_t) + 10 * 24, 0);
	v = dfl_first(&self->s);
	for (n = 0; n < 10; n++, v += 3) {
		/* The puppet is a fork of this very program. */
		EXPECT_TRUE(is_own_code(v[0]));
		EXPECT_EQ(0ULL, v[1]);
		EXPECT_EQ(66ULL, v[2]);
	}
}

TEST_F(smpl, two_kinds_of_headers_are_refused)
{
	EXPECT_EQ(-EINVAL, dfl_create(0, ROOMY, PFM_DFL_SMPL_NO_HDR |
				      PFM_DFL_SMPL_IIP_HDR, NULL));
}

/* Each flag of the context goes with the format. */
TEST_F(smpl, context_flags)
{
	static const u32 all = PFM_FL_NOTIFY_BLOCK | PFM_FL_SYSTEM_WIDE |
			       PFM_FL_OVFL_NO_MSG | PFM_FL_CLOEXEC;
	u32 flags;

	for (flags = 0; flags < 0x200; flags++) {
		bool ok = !(flags & ~all) &&
			  !((flags & PFM_FL_NOTIFY_BLOCK) &&
			    (flags & PFM_FL_SYSTEM_WIDE));
		int fd = dfl_create(flags, ROOMY, 0, NULL);

		if (!ok) {
			EXPECT_EQ(-EINVAL, fd);
			continue;
		}
		ASSERT_LE(0, fd);
		EXPECT_EQ((u64)flags, pfm_fdinfo_num(fd, "pfm-flags"));
		close(fd);
	}
}

/* ------------------------------------------------------------------------
 * Several counters
 */

/* Which overflowed is the only way to know the size of a sample. */
TEST_F(smpl, samples_of_different_sizes)
{
	const char *at;
	int fd, n;

	sampler_open(&self->s, 0, ROOMY, 0);
	fd = self->s.fd;
	sample_faults(fd, 0, 5, 0, CTR(1) | CTR(2));
	sample_faults(fd, 1, 7, 0, 0);
	sample_faults(fd, 2, 3, 0, COUNTERS);
	attach(fd, self->p.tid);
	puppet_do(&self->p, OP_FAULT, 100);
	ASSERT_EQ(20ULL + 14 + 33, self->s.hdr->hdr_count);
	at = dfl_first(&self->s);
	for (n = 1; n <= 100; n++) {
		const dfl_entry_t *e = (const void *)at;

		if (n % 5 == 0) {
			ASSERT_EQ(SW_PMD(0), e->ovfl_pmd);
			/* As they were at this moment: before any reset. */
			ASSERT_EQ((u64)(n % 7 ? n % 7 - 7 : 0),
				  values_of(e)[0]);
			ASSERT_EQ((u64)(n % 3 ? n % 3 - 3 : 0),
				  values_of(e)[1]);
			e = (const void *)(at += sizeof(*e) + 16);
		}
		if (n % 7 == 0) {
			ASSERT_EQ(SW_PMD(1), e->ovfl_pmd);
			e = (const void *)(at += sizeof(*e));
		}
		if (n % 3 == 0) {
			ASSERT_EQ(SW_PMD(2), e->ovfl_pmd);
			at += sizeof(*e) + 64;
		}
	}
	EXPECT_EQ(self->s.hdr->hdr_cur_offs,
		  (u64)(at - (const char *)self->s.hdr));
}

/* Figure 3.29: consecutive, one time stamp, one set, in increasing order. */
TEST_F(smpl, simultaneous_overflows)
{
	int n;

	sampler_open(&self->s, 0, ROOMY, 0);
	sample_faults(self->s.fd, 6, 4, 0, 0);
	sample_faults(self->s.fd, 1, 4, 0, 0);
	sample_faults(self->s.fd, 4, 4, 0, 0);
	attach(self->s.fd, self->p.tid);
	puppet_do(&self->p, OP_FAULT, 40);
	ASSERT_EQ(30ULL, self->s.hdr->hdr_count);
	for (n = 0; n < 30; n += 3) {
		const dfl_entry_t *e = nth(&self->s, (u64)n, 0);

		EXPECT_EQ(SW_PMD(1), e[0].ovfl_pmd);
		EXPECT_EQ(SW_PMD(4), e[1].ovfl_pmd);
		EXPECT_EQ(SW_PMD(6), e[2].ovfl_pmd);
		EXPECT_EQ(e[0].tstamp, e[1].tstamp);
		EXPECT_EQ(e[0].tstamp, e[2].tstamp);
		EXPECT_EQ(e[0].set, e[1].set);
		EXPECT_EQ(e[0].set, e[2].set);
		if (n)
			EXPECT_LT(e[-1].tstamp, e[0].tstamp);
	}
}

TEST_HARNESS_MAIN
