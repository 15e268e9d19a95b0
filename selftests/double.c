// SPDX-License-Identifier: GPL-2.0-only
/*
 * The double-buffering format (6.3.1), as perfmon/double_smpl.h promises it:
 * whose half is whose and when, messages, what is lost and how that is
 * counted, reading while the kernel writes.
 *
 * A sample at each fault, with the number of faults in it, so that each half
 * can be checked against half_first. Not here: what is in the header of
 * a sample, and where it comes from (smpl_fields.c).
 */
#include "sampling.h"
#include <perfmon/double_smpl.h>

#define MASK_FULL	PFM_DOUBLE_SMPL_MASK_WHEN_FULL
#define FREE		PFM_DOUBLE_SMPL_FREE
#define KERNEL		PFM_DOUBLE_SMPL_KERNEL
#define USER		PFM_DOUBLE_SMPL_USER

typedef pfm_double_smpl_hdr_t hdr_t;
typedef pfm_double_smpl_half_t half_t;

static const pfm_uuid_t double_uuid = PFM_DOUBLE_SMPL_UUID;

static int double_create(u32 ctx_flags, u64 buf_size, u32 buf_flags, u64 *size)
{
	pfm_double_smpl_arg_t arg = {
		.buf_size = buf_size, .buf_flags = buf_flags,
	};

	return smpl_create(double_uuid, ctx_flags, &arg, sizeof(arg), size);
}

static u64 head_of(u32 buf_flags)
{
	if (buf_flags & PFM_DOUBLE_SMPL_NO_HDR)
		return 0;
	return buf_flags & PFM_DOUBLE_SMPL_IIP_HDR ? 8 : sizeof(dfl_entry_t);
}

static u64 max_of(u32 buf_flags)
{
	return head_of(buf_flags) + 8 * num_impl_pmds();
}

/* Each half has room for @n samples with @values values. */
static u64 size_for(u64 n, u32 buf_flags, unsigned int values)
{
	u64 sample = head_of(buf_flags) + 8 * values;

	return sizeof(hdr_t) + 2 * (max_of(buf_flags) + (n - 1) * sample);
}

FIXTURE(twice) {
	struct format_module m;
	struct puppet p;
	int fd;
	u64 size;
	const hdr_t *hdr;
	u64 released;	/* samples in halves that were given back */
};

FIXTURE_SETUP(twice)
{
	self->fd = -1;
	format_get(&self->m, "double");
	puppet_start(&self->p, PUPPET_PROCESS);
	puppet_do(&self->p, OP_FAULT, PUPPET_PAGES + 1);
}

FIXTURE_TEARDOWN(twice)
{
	if (self->fd >= 0)
		close(self->fd);
	puppet_stop(&self->p);
	format_put(&self->m);
}

static void open_buffer(FIXTURE_DATA(twice) *f, u32 ctx_flags, u64 size,
			u32 buf_flags)
{
	f->fd = (int)MUST(double_create(ctx_flags, size, buf_flags, &f->size));
	f->hdr = buf_map(f->fd, f->size);
	set_nonblock(f->fd);
	f->released = 0;
}

static void close_buffer(FIXTURE_DATA(twice) *f)
{
	close(f->fd);
	f->fd = -1;
}

/* A sample at each fault, with the faults up to it; @n fill a half. */
static void open_halves(FIXTURE_DATA(twice) *f, u32 ctx_flags, u64 n,
			u32 buf_flags, u32 flags)
{
	open_buffer(f, ctx_flags, size_for(n, buf_flags, 1), buf_flags);
	choose(f->fd, 0, 1, FAULTS, 0, 0, 0);
	MUST(pfm_write_pmd(f->fd, SW_PMD(1), 0));
	sample_faults(f->fd, 0, 1, flags, CTR(1));
	attach(f->fd, f->p.tid);
}

static void fault(FIXTURE_DATA(twice) *f, u64 n)
{
	puppet_do(&f->p, OP_FAULT, (unsigned int)n);
}

/* PFM_RESTART; what it releases is the older of the program's halves. */
static int release(FIXTURE_DATA(twice) *f)
{
	const half_t *half = f->hdr->hdr_half;
	int i, old = -1;

	for (i = 0; i < 2; i++)
		if (half[i].half_state == USER &&
		    (old < 0 || half[i].half_first < half[old].half_first))
			old = i;
	if (old >= 0)
		f->released += half[old].half_count;
	return pfm_restart(f->fd);
}

static void check_state(struct __test_metadata *_metadata,
			FIXTURE_DATA(twice) *f, bool masked)
{
	EXPECT_TRUE(pfm_state_is(f->fd, masked ? "masked" : "loaded"));
}

/* What must hold of any header; and the numbers in all samples. */
static void check_sums(struct __test_metadata *_metadata,
		       FIXTURE_DATA(twice) *f)
{
	const hdr_t *h = f->hdr;
	u64 sum = h->hdr_lost + f->released, n;
	int i;

	EXPECT_EQ(PFM_DOUBLE_SMPL_VERSION, h->hdr_version);
	for (i = 0; i < 2; i++) {
		const half_t *half = &h->hdr_half[i];
		const char *at = (const char *)h + half->half_offs;
		u64 sample = head_of(h->hdr_flags) + 8;

		EXPECT_EQ(0U, half->half_pad);
		if (half->half_state == FREE)
			continue;
		sum += half->half_count;
		EXPECT_EQ(half->half_offs + half->half_count * sample,
			  half->half_cur_offs);
		for (n = 0; n < half->half_count; n++, at += sample) {
			const u64 *v = (const void *)(at + sample - 8);

			ASSERT_EQ(half->half_first + n + 1, *v);
		}
	}
	EXPECT_EQ(h->hdr_samples, sum);
}

static void check_half(struct __test_metadata *_metadata,
		       FIXTURE_DATA(twice) *f, int i, u32 state, u64 first,
		       u64 count)
{
	const half_t *half = &f->hdr->hdr_half[i];

	EXPECT_EQ(state, half->half_state);
	if (state != FREE) {
		EXPECT_EQ(first, half->half_first);
		EXPECT_EQ(count, half->half_count);
	}
	if (state == KERNEL)
		EXPECT_EQ((u32)i, f->hdr->hdr_cur);
	check_sums(_metadata, f);
}

/* ------------------------------------------------------------------------
 * The argument and the header
 */

TEST_F(twice, header)
{
	static const u32 flags[] = {
		0, PFM_DOUBLE_SMPL_NO_HDR, PFM_DOUBLE_SMPL_IIP_HDR, MASK_FULL,
		MASK_FULL | PFM_DOUBLE_SMPL_IIP_HDR,
	};
	size_t i, k;

	NEED_FORMAT(&self->m);
	for (i = 0; i < ARRAY_SIZE(flags); i++) {
		u64 min = size_for(1, flags[i], 0);
		u64 sizes[] = { min, min + 1, min + 15, 4096, 100001 };

		for (k = 0; k < ARRAY_SIZE(sizes); k++) {
			const hdr_t *h;
			const half_t *half;

			open_buffer(self, 0, sizes[k], flags[i]);
			h = self->hdr;
			half = h->hdr_half;
			EXPECT_EQ(page_align(sizes[k]), self->size);
			EXPECT_EQ(sizes[k], h->hdr_buf_size);
			EXPECT_EQ(flags[i], h->hdr_flags);
			EXPECT_EQ(max_of(flags[i]), h->hdr_max_sample);
			EXPECT_EQ(0ULL, h->hdr_half_size % 8);
			EXPECT_LE(h->hdr_max_sample, h->hdr_half_size);
			EXPECT_EQ(sizeof(hdr_t), half[0].half_offs);
			EXPECT_LE(half[0].half_offs + h->hdr_half_size,
				  half[1].half_offs);
			EXPECT_GE(sizes[k], half[1].half_offs +
				  h->hdr_half_size);
			EXPECT_EQ(0ULL, h->hdr_samples);
			EXPECT_EQ(0ULL, h->hdr_overflows);
			check_half(_metadata, self, 0, KERNEL, 0, 0);
			check_half(_metadata, self, 1, FREE, 0, 0);
			close_buffer(self);
		}
	}
}

TEST_F(twice, bad_arguments)
{
	static const u32 known = PFM_DOUBLE_SMPL_NO_HDR |
				 PFM_DOUBLE_SMPL_IIP_HDR | MASK_FULL;
	static const u64 huge[] = { 1ULL << 40, 1ULL << 63, ~0ULL };
	pfm_double_smpl_arg_t arg = { .buf_size = 65536, .buf_pad = 1 };
	u64 before = buffers_now();
	u32 flags;
	size_t i;

	NEED_FORMAT(&self->m);
	for (flags = 0; flags <= known; flags++) {
		u32 ok = (flags & 3) != 3 ? ~0U : 0;
		int fd;

		EXPECT_EQ(-EINVAL, double_create(0, size_for(1, flags, 0) - 1,
						 flags, NULL));
		fd = double_create(0, size_for(1, flags, 0), flags, NULL);
		EXPECT_EQ(ok ? 0 : -EINVAL, fd < 0 ? fd : 0);
		close(fd);
		/* To wait for what never comes? */
		fd = double_create(PFM_FL_NOTIFY_BLOCK, 65536, flags, NULL);
		ok &= flags & MASK_FULL;
		EXPECT_EQ(ok ? 0 : -EINVAL, fd < 0 ? fd : 0);
		close(fd);
	}
	for (i = 3; i < 32; i++)
		EXPECT_EQ(-EINVAL, double_create(0, 65536, 1U << i, NULL));
	for (i = 0; i < ARRAY_SIZE(huge); i++) {
		int ret = double_create(0, huge[i], 0, NULL);

		EXPECT_TRUE(ret == -EINVAL || ret == -ENOMEM);
	}
	EXPECT_EQ(-EINVAL, double_create(0, 0, 0, NULL));
	EXPECT_EQ(-EINVAL, smpl_create(double_uuid, 0, &arg, sizeof(arg),
				       NULL));
	EXPECT_EQ(before, buffers_now());
}

TEST_F(twice, fields)
{
	u64 before = now_ns(CLOCK_MONOTONIC), last = 0, n;
	const dfl_entry_t *e;

	NEED_FORMAT(&self->m);
	open_buffer(self, 0, 65536, 0);
	choose(self->fd, 0, 2, FAULTS, 0, 0, 0);
	MUST(pfm_write_period(self->fd, SW_PMD(2), -5ULL, -100ULL, -3ULL));
	attach(self->fd, self->p.tid);
	fault(self, 5 + 3 * 9);
	ASSERT_EQ(10ULL, self->hdr->hdr_half[0].half_count);
	e = (const void *)(self->hdr + 1);
	for (n = 0; n < 10; n++, e++) {
		EXPECT_EQ(self->p.tid, e->pid);
		EXPECT_EQ(self->p.tid, e->tid);
		EXPECT_EQ(SW_PMD(2), e->ovfl_pmd);
		EXPECT_EQ(0, e->set);
		EXPECT_EQ(0, e->pad);
		EXPECT_EQ(n ? -3ULL : -5ULL, e->last_reset_val);
		EXPECT_LT(last, e->tstamp);
		EXPECT_LE(before, e->tstamp);
		EXPECT_NE(0ULL, e->ip);
		last = e->tstamp;
	}
	EXPECT_GE(now_ns(CLOCK_MONOTONIC), last);
}

/* ------------------------------------------------------------------------
 * One half after the other
 */

/* Full it is the program's, and monitoring goes on in the other one. */
TEST_F(twice, first_half)
{
	NEED_FORMAT(&self->m);
	open_halves(self, 0, 20, 0, NOTIFY);
	MUST(pfm_stop(self->fd));
	MUST(pfm_write_period(self->fd, SW_PMD(0), -1ULL, -50ULL, -1ULL));
	MUST(pfm_start(self->fd));
	fault(self, 19);
	check_half(_metadata, self, 0, KERNEL, 0, 19);
	check_half(_metadata, self, 1, FREE, 0, 0);
	EXPECT_EQ(0U, overflowed(self->fd));
	EXPECT_EQ(0ULL, self->hdr->hdr_overflows);
	fault(self, 1);
	check_half(_metadata, self, 0, USER, 0, 20);
	check_half(_metadata, self, 1, KERNEL, 20, 0);
	EXPECT_EQ(CTR(0), overflowed(self->fd));
	EXPECT_EQ(1ULL, self->hdr->hdr_overflows);
	check_state(_metadata, self, false);
	/* The short value has been loaded. */
	EXPECT_EQ(-1ULL, pfm_value(self->fd, SW_PMD(0)));
	fault(self, 5);
	check_half(_metadata, self, 0, USER, 0, 20);
	check_half(_metadata, self, 1, KERNEL, 20, 5);
}

/* Read and released in time, nothing is lost, for as long as you like. */
TEST_F(twice, by_turns)
{
	static char copy[65536];
	int round;

	NEED_FORMAT(&self->m);
	open_halves(self, 0, 50, 0, NOTIFY);
	for (round = 0; round < 12; round++) {
		int i = round % 2;
		const half_t *half = &self->hdr->hdr_half[i];
		const char *at = (const char *)self->hdr + half->half_offs;

		fault(self, round ? 49 : 50);
		EXPECT_EQ(CTR(0), overflowed(self->fd));
		check_half(_metadata, self, i, USER, 50ULL * (u64)round, 50);
		check_half(_metadata, self, !i, KERNEL,
			   50ULL * ((u64)round + 1), 0);
		/* Not even the last place is touched while others come in. */
		memcpy(copy, at, self->hdr->hdr_half_size);
		fault(self, 1);
		EXPECT_EQ(0, memcmp(copy, at, self->hdr->hdr_half_size));
		ASSERT_EQ(0, release(self));
		check_half(_metadata, self, i, FREE, 0, 0);
		check_half(_metadata, self, !i, KERNEL,
			   50ULL * ((u64)round + 1), 1);
	}
	EXPECT_EQ(0ULL, self->hdr->hdr_lost);
	EXPECT_EQ(12ULL, self->hdr->hdr_overflows);
	EXPECT_EQ(601ULL, self->hdr->hdr_samples);
	EXPECT_EQ(0U, overflowed(self->fd));
}

/* The figure of the default format, for each half. */
TEST_F(twice, capacity)
{
	const unsigned int values[] = { 0, 1, 4, N_ALL };
	static const u64 extra[] = { 0, 1, 16, 1000, 1003 };
	size_t i, k;

	NEED_FORMAT(&self->m);
	for (i = 0; i < ARRAY_SIZE(values); i++) {
		for (k = 0; k < ARRAY_SIZE(extra); k++) {
			u64 sample = sizeof(dfl_entry_t) + 8 * values[i], cap;
			u32 smpl = values[i] == N_ALL ? COUNTERS | VIRTUALS :
				   (1U << values[i]) - 1;

			open_buffer(self, 0, size_for(1, 0, 0) + extra[k], 0);
			cap = capacity_of(self->hdr->hdr_half_size, sample,
					  self->hdr->hdr_max_sample);
			sample_faults(self->fd, 0, 1, NOTIFY, smpl);
			attach(self->fd, self->p.tid);
			fault(self, cap - 1);
			EXPECT_EQ(0U, overflowed(self->fd));
			fault(self, 1);
			EXPECT_EQ(CTR(0), overflowed(self->fd));
			EXPECT_EQ(cap, self->hdr->hdr_half[0].half_count);
			EXPECT_EQ(sizeof(hdr_t) + cap * sample,
				  self->hdr->hdr_half[0].half_cur_offs);
			EXPECT_EQ(1U, self->hdr->hdr_cur);
			MUST(pfm_restart(self->fd));
			fault(self, cap);
			EXPECT_EQ(CTR(0), overflowed(self->fd));
			EXPECT_EQ(cap, self->hdr->hdr_half[1].half_count);
			EXPECT_EQ(0U, self->hdr->hdr_cur);
			close_buffer(self);
		}
	}
}

TEST_F(twice, other_headers)
{
	static const u32 flags[] = {
		PFM_DOUBLE_SMPL_NO_HDR, PFM_DOUBLE_SMPL_IIP_HDR,
	};
	size_t i;

	NEED_FORMAT(&self->m);
	for (i = 0; i < ARRAY_SIZE(flags); i++) {
		open_halves(self, 0, 30, flags[i], NOTIFY);
		fault(self, 30);
		EXPECT_EQ(CTR(0), overflowed(self->fd));
		check_half(_metadata, self, 0, USER, 0, 30);
		fault(self, 29);
		EXPECT_EQ(0U, overflowed(self->fd));
		check_half(_metadata, self, 1, KERNEL, 30, 29);
		close_buffer(self);
	}
}

/* Neither header nor values: counted, and no half gets full of them. */
TEST_F(twice, nothing_but_a_count)
{
	NEED_FORMAT(&self->m);
	open_buffer(self, 0, 4096, PFM_DOUBLE_SMPL_NO_HDR);
	sample_faults(self->fd, 0, 1, NOTIFY, 0);
	attach(self->fd, self->p.tid);
	fault(self, 1000);
	EXPECT_EQ(1000ULL, self->hdr->hdr_samples);
	EXPECT_EQ(1000ULL, self->hdr->hdr_half[0].half_count);
	EXPECT_EQ(0ULL, self->hdr->hdr_overflows);
	EXPECT_EQ(0U, overflowed(self->fd));
}

/* Of two at one event the first fills a half, the second begins the other. */
TEST_F(twice, simultaneous_overflows)
{
	const half_t *half;
	const dfl_entry_t *a, *b;

	NEED_FORMAT(&self->m);
	open_buffer(self, 0, size_for(5, 0, 0), 0);
	sample_faults(self->fd, 0, 1, NOTIFY, 0);
	sample_faults(self->fd, 1, 1, NOTIFY, 0);
	attach(self->fd, self->p.tid);
	fault(self, 3);
	half = self->hdr->hdr_half;
	EXPECT_EQ(USER, half[0].half_state);
	EXPECT_EQ(5ULL, half[0].half_count);
	EXPECT_EQ(KERNEL, half[1].half_state);
	ASSERT_EQ(1ULL, half[1].half_count);
	EXPECT_EQ(5ULL, half[1].half_first);
	EXPECT_EQ(CTR(0) | CTR(1), overflowed(self->fd));
	a = (const dfl_entry_t *)(self->hdr + 1) + 4;
	b = (const void *)((const char *)self->hdr + half[1].half_offs);
	EXPECT_EQ(SW_PMD(0), a->ovfl_pmd);
	EXPECT_EQ(SW_PMD(1), b->ovfl_pmd);
	EXPECT_EQ(a->tstamp, b->tstamp);
	check_state(_metadata, self, false);
}

/* No counter asks for messages: sampling goes on without. */
TEST_F(twice, silent)
{
	NEED_FORMAT(&self->m);
	open_halves(self, 0, 10, 0, 0);
	fault(self, 15);
	check_half(_metadata, self, 0, USER, 0, 10);
	check_half(_metadata, self, 1, KERNEL, 10, 5);
	EXPECT_EQ(0ULL, pfm_fdinfo_num(self->fd, "pfm-queued"));
	ASSERT_EQ(0, release(self));
	fault(self, 10);
	check_half(_metadata, self, 1, USER, 10, 10);
	check_half(_metadata, self, 0, KERNEL, 20, 5);
	EXPECT_EQ(0ULL, pfm_fdinfo_num(self->fd, "pfm-queued"));
}

/* ------------------------------------------------------------------------
 * A program that is late
 */

/* By default the kernel cycles in its own half, and counts what it loses. */
TEST_F(twice, cycle)
{
	static char copy[65536];
	const char *at;
	u64 n;

	NEED_FORMAT(&self->m);
	open_halves(self, 0, 20, 0, NOTIFY);
	fault(self, 20);
	EXPECT_EQ(CTR(0), overflowed(self->fd));
	at = (const char *)self->hdr + self->hdr->hdr_half[0].half_offs;
	memcpy(copy, at, self->hdr->hdr_half_size);
	fault(self, 20);
	/* Full, and kept: there may be room until the next sample. */
	check_half(_metadata, self, 1, KERNEL, 20, 20);
	EXPECT_EQ(2ULL, self->hdr->hdr_overflows);
	EXPECT_EQ(0ULL, self->hdr->hdr_lost);
	for (n = 2; n < 6; n++) {
		fault(self, 1);
		check_half(_metadata, self, 1, KERNEL, 20 * n, 1);
		EXPECT_EQ(20 * (n - 1), self->hdr->hdr_lost);
		fault(self, 19);
		check_half(_metadata, self, 1, KERNEL, 20 * n, 20);
		EXPECT_EQ(n + 1, self->hdr->hdr_overflows);
		EXPECT_EQ(20 * (n - 1), self->hdr->hdr_lost);
	}
	check_half(_metadata, self, 0, USER, 0, 20);
	EXPECT_EQ(0, memcmp(copy, at, self->hdr->hdr_half_size));
	check_state(_metadata, self, false);
	EXPECT_EQ(0U, overflowed(self->fd));
}

/* Released when the other one is full: the next sample hands that over. */
TEST_F(twice, late_release)
{
	NEED_FORMAT(&self->m);
	open_halves(self, 0, 20, 0, NOTIFY);
	fault(self, 40);
	EXPECT_EQ(CTR(0), overflowed(self->fd));
	ASSERT_EQ(0, release(self));
	check_half(_metadata, self, 0, FREE, 0, 0);
	check_half(_metadata, self, 1, KERNEL, 20, 20);
	EXPECT_EQ(0U, overflowed(self->fd));
	fault(self, 1);
	EXPECT_EQ(CTR(0), overflowed(self->fd));
	check_half(_metadata, self, 1, USER, 20, 20);
	check_half(_metadata, self, 0, KERNEL, 40, 1);
	EXPECT_EQ(0ULL, self->hdr->hdr_lost);
	EXPECT_EQ(2ULL, self->hdr->hdr_overflows);
}

/* Released in the middle of a cycle: handed over when it is full. */
TEST_F(twice, release_while_it_cycles)
{
	NEED_FORMAT(&self->m);
	open_halves(self, 0, 20, 0, NOTIFY);
	fault(self, 47);
	EXPECT_EQ(CTR(0), overflowed(self->fd));
	check_half(_metadata, self, 1, KERNEL, 40, 7);
	ASSERT_EQ(0, release(self));
	fault(self, 13);
	EXPECT_EQ(CTR(0), overflowed(self->fd));
	check_half(_metadata, self, 1, USER, 40, 20);
	check_half(_metadata, self, 0, KERNEL, 60, 0);
	EXPECT_EQ(20ULL, self->hdr->hdr_lost);
}

/* Nothing is the program's: it changes nothing, and is no error. */
TEST_F(twice, release_of_nothing)
{
	hdr_t hdr;

	NEED_FORMAT(&self->m);
	open_halves(self, 0, 20, 0, NOTIFY);
	MUST(pfm_stop(self->fd));
	MUST(pfm_write_period(self->fd, SW_PMD(0), -3ULL, -50ULL, -3ULL));
	MUST(pfm_start(self->fd));
	fault(self, 10);
	hdr = *self->hdr;
	ASSERT_EQ(0, pfm_restart(self->fd));
	EXPECT_EQ(0, memcmp(&hdr, self->hdr, sizeof(hdr)));
	EXPECT_EQ(-2ULL, pfm_value(self->fd, SW_PMD(0)));
	EXPECT_EQ(10ULL, pfm_value(self->fd, SW_PMD(1)));
	check_state(_metadata, self, false);
	MUST(pfm_unload(self->fd));
	EXPECT_EQ(-EBUSY, pfm_restart(self->fd));
}

/* The program reads no messages: two halves, two messages, then it masks. */
TEST_F(twice, nobody_reads_the_messages)
{
	NEED_FORMAT(&self->m);
	open_halves(self, 0, 10, 0, NOTIFY);
	fault(self, 10);
	ASSERT_EQ(0, release(self));
	fault(self, 10);
	ASSERT_EQ(0, release(self));
	EXPECT_EQ(2ULL, pfm_fdinfo_num(self->fd, "pfm-queued"));
	check_state(_metadata, self, false);
	fault(self, 20);
	check_state(_metadata, self, true);
	EXPECT_EQ(1ULL, pfm_fdinfo_num(self->fd, "pfm-lost"));
	check_half(_metadata, self, 0, USER, 20, 10);
	check_half(_metadata, self, 1, KERNEL, 30, 0);
	ASSERT_EQ(0, release(self));
	check_state(_metadata, self, false);
	fault(self, 5);
	check_half(_metadata, self, 1, KERNEL, 30, 5);
	EXPECT_EQ(0ULL, self->hdr->hdr_lost);
}

/* ------------------------------------------------------------------------
 * PFM_DOUBLE_SMPL_MASK_WHEN_FULL
 */

TEST_F(twice, mask_when_full)
{
	NEED_FORMAT(&self->m);
	open_halves(self, 0, 20, MASK_FULL, NOTIFY);
	MUST(pfm_stop(self->fd));
	MUST(pfm_write_period(self->fd, SW_PMD(0), -1ULL, -6ULL, -1ULL));
	MUST(pfm_start(self->fd));
	fault(self, 20);
	EXPECT_EQ(CTR(0), overflowed(self->fd));
	fault(self, 19);
	check_state(_metadata, self, false);
	EXPECT_EQ(0U, overflowed(self->fd));
	fault(self, 30);
	check_state(_metadata, self, true);
	EXPECT_EQ(CTR(0), overflowed(self->fd));
	check_half(_metadata, self, 0, USER, 0, 20);
	check_half(_metadata, self, 1, USER, 20, 20);
	EXPECT_EQ(2ULL, self->hdr->hdr_overflows);
	EXPECT_EQ(0ULL, self->hdr->hdr_lost);
	EXPECT_EQ(0ULL, pfm_value(self->fd, SW_PMD(0)));
	EXPECT_EQ(40ULL, pfm_value(self->fd, SW_PMD(1)));
	/* The older one is released, and written next; long values. */
	ASSERT_EQ(0, release(self));
	check_state(_metadata, self, false);
	EXPECT_EQ(-6ULL, pfm_value(self->fd, SW_PMD(0)));
	check_half(_metadata, self, 0, KERNEL, 40, 0);
	check_half(_metadata, self, 1, USER, 20, 20);
	/* One more restart releases the other one. */
	ASSERT_EQ(0, release(self));
	check_half(_metadata, self, 0, KERNEL, 40, 0);
	check_half(_metadata, self, 1, FREE, 0, 0);
	EXPECT_EQ(-6ULL, pfm_value(self->fd, SW_PMD(0)));
	/* 6 faults to the first sample, 1 to each other one. */
	fault(self, 5);
	EXPECT_EQ(0ULL, self->hdr->hdr_half[0].half_count);
	fault(self, 20);
	EXPECT_EQ(CTR(0), overflowed(self->fd));
	EXPECT_EQ(USER, self->hdr->hdr_half[0].half_state);
	EXPECT_EQ(60ULL, self->hdr->hdr_samples);
}

/* Always one half behind: masked each time that the other one is full. */
TEST_F(twice, masked_again_and_again)
{
	int round;

	NEED_FORMAT(&self->m);
	open_halves(self, 0, 10, MASK_FULL, NOTIFY);
	fault(self, 10);
	EXPECT_EQ(CTR(0), overflowed(self->fd));
	for (round = 1; round < 8; round++) {
		int i = round % 2;

		fault(self, 25);
		check_state(_metadata, self, true);
		EXPECT_EQ(CTR(0), overflowed(self->fd));
		check_half(_metadata, self, i, USER, 10ULL * (u64)round, 10);
		check_half(_metadata, self, !i, USER,
			   10ULL * ((u64)round - 1), 10);
		ASSERT_EQ(0, release(self));
		check_half(_metadata, self, !i, KERNEL,
			   10ULL * ((u64)round + 1), 0);
	}
	EXPECT_EQ(0ULL, self->hdr->hdr_lost);
}

/* What overflows with the one that masks finds no room: it is counted. */
TEST_F(twice, lost_beside_the_last_one)
{
	NEED_FORMAT(&self->m);
	open_buffer(self, 0, size_for(5, 0, 0), MASK_FULL);
	sample_faults(self->fd, 0, 1, NOTIFY, 0);
	attach(self->fd, self->p.tid);
	fault(self, 9);
	EXPECT_EQ(CTR(0), overflowed(self->fd));
	sample_faults(self->fd, 1, 1, NOTIFY, 0);
	fault(self, 10);
	check_state(_metadata, self, true);
	EXPECT_EQ(CTR(0) | CTR(1), overflowed(self->fd));
	EXPECT_EQ(11ULL, self->hdr->hdr_samples);
	EXPECT_EQ(1ULL, self->hdr->hdr_lost);
	EXPECT_EQ(5ULL, self->hdr->hdr_half[0].half_count);
	EXPECT_EQ(5ULL, self->hdr->hdr_half[1].half_count);
	/* The number of the one that was lost is not used again. */
	ASSERT_EQ(0, release(self));
	EXPECT_EQ(11ULL, self->hdr->hdr_half[0].half_first);
}

TEST_F(twice, masked_in_silence)
{
	NEED_FORMAT(&self->m);
	/* Without a message no program would release the thread: it does not block. */
	open_halves(self, PFM_FL_NOTIFY_BLOCK, 10, MASK_FULL, 0);
	fault(self, 50);
	check_state(_metadata, self, true);
	EXPECT_EQ(0ULL, pfm_fdinfo_num(self->fd, "pfm-queued"));
	EXPECT_EQ(20ULL, self->hdr->hdr_samples);
	ASSERT_EQ(0, release(self));
	fault(self, 5);
	check_half(_metadata, self, 0, KERNEL, 20, 5);
}

/* With PFM_FL_NOTIFY_BLOCK it waits when both are full, and not before. */
TEST_F(twice, notify_block)
{
	int round;

	NEED_FORMAT(&self->m);
	open_halves(self, PFM_FL_NOTIFY_BLOCK, 10, MASK_FULL, NOTIFY);
	fault(self, 19);
	EXPECT_EQ(CTR(0), overflowed(self->fd));
	for (round = 1; round < 5; round++) {
		puppet_post(&self->p, OP_FAULT, 10);
		ASSERT_EQ(PFM_MSG_OVFL, pfm_next_msg(self->fd, NULL, PATIENCE));
		EXPECT_FALSE(puppet_done(&self->p, 30));
		EXPECT_EQ(10ULL * (u64)round + 10, self->hdr->hdr_samples);
		ASSERT_EQ(0, release(self));
		ASSERT_TRUE(puppet_done(&self->p, PATIENCE));
		EXPECT_EQ(10ULL * (u64)round + 19, self->hdr->hdr_samples);
	}
	check_sums(_metadata, self);
	EXPECT_EQ(0ULL, self->hdr->hdr_lost);
}

/* Loaded anew, with both halves full as they were. */
TEST_F(twice, load_when_both_are_full)
{
	NEED_FORMAT(&self->m);
	open_halves(self, 0, 10, MASK_FULL, NOTIFY);
	fault(self, 10);
	EXPECT_EQ(CTR(0), overflowed(self->fd));
	fault(self, 10);
	EXPECT_EQ(CTR(0), overflowed(self->fd));
	MUST(pfm_unload(self->fd));
	check_half(_metadata, self, 0, USER, 0, 10);
	check_half(_metadata, self, 1, USER, 10, 10);
	MUST(pfm_write_period(self->fd, SW_PMD(0), -1ULL, -1ULL, -1ULL));
	attach(self->fd, self->p.tid);
	fault(self, 5);
	check_state(_metadata, self, true);
	EXPECT_EQ(CTR(0), overflowed(self->fd));
	EXPECT_EQ(1ULL, self->hdr->hdr_lost);
	EXPECT_EQ(21ULL, self->hdr->hdr_samples);
	check_half(_metadata, self, 0, USER, 0, 10);
	check_half(_metadata, self, 1, USER, 10, 10);
}

/* ------------------------------------------------------------------------
 * Anything, in any order
 */

struct model {
	u64 first[2], count[2], cap;
	u32 state[2], cur;
	u64 samples, lost, overflows, messages;
	bool masks, masked;
};

static void model_begin(struct model *m, u32 i)
{
	m->state[i] = KERNEL;
	m->first[i] = m->samples;
	m->count[i] = 0;
	m->cur = i;
}

static void model_hand_over(struct model *m)
{
	m->state[m->cur] = USER;
	m->messages++;
}

static void model_sample(struct model *m)
{
	if (m->masked)
		return;
	if (m->count[m->cur] == m->cap) {
		if (m->state[!m->cur] == FREE) {
			model_hand_over(m);
			model_begin(m, !m->cur);
		} else {
			m->lost += m->cap;
			model_begin(m, m->cur);
		}
	}
	m->samples++;
	if (++m->count[m->cur] < m->cap)
		return;
	m->overflows++;
	if (m->state[!m->cur] == FREE) {
		model_hand_over(m);
		model_begin(m, !m->cur);
	} else if (m->masks) {
		model_hand_over(m);
		m->masked = true;
	}
}

static void model_restart(struct model *m)
{
	if (m->state[m->cur] == USER)
		model_begin(m, !m->cur);
	else if (m->state[!m->cur] == USER)
		m->state[!m->cur] = FREE;
	m->masked = false;
}

static void check_model(struct __test_metadata *_metadata,
			FIXTURE_DATA(twice) *f, const struct model *m)
{
	const hdr_t *h = f->hdr;
	int i;

	for (i = 0; i < 2; i++)
		check_half(_metadata, f, i, m->state[i], m->first[i],
			   m->count[i]);
	EXPECT_EQ(m->cur, h->hdr_cur);
	EXPECT_EQ(m->samples, h->hdr_samples);
	EXPECT_EQ(m->lost, h->hdr_lost);
	EXPECT_EQ(m->overflows, h->hdr_overflows);
	check_state(_metadata, f, m->masked);
}

TEST_F(twice, model)
{
	int round, op, ops = 40;
	u32 seed = 631;

	NEED_FORMAT(&self->m);
	for (round = 0; round < 4; round++) {
		struct model m = {
			.cap = 1 + random_below(&seed, 30), .masks = round & 1,
		};
		u64 messages = 0;

		m.state[0] = KERNEL;
		open_halves(self, 0, m.cap, m.masks ? MASK_FULL : 0, NOTIFY);
		for (op = 0; op < ops; op++) {
			u32 n = random_below(&seed, 3 * (u32)m.cap / 2 + 1);

			if (random_below(&seed, 3)) {
				fault(self, n);
				while (n--)
					model_sample(&m);
			} else {
				ASSERT_EQ(0, release(self));
				model_restart(&m);
			}
			messages += pfm_take_overflows(self->fd);
			ASSERT_EQ(m.messages, messages);
			check_model(_metadata, self, &m);
		}
		close_buffer(self);
	}
}

/* ------------------------------------------------------------------------
 * Reading the kernel's half while it is written
 */

/* All numbers here fit; a 32-bit program cannot load more at once. */
static u32 load(const void *p)
{
	return __atomic_load_n((const u32 *)p, __ATOMIC_ACQUIRE);
}

TEST_F(twice, reading_while_it_cycles)
{
	u64 whole = 0, torn = 0, seen = 0;
	static char copy[65536];
	const half_t *half;
	u32 cap = 25;

	NEED_FORMAT(&self->m);
	open_halves(self, 0, cap, 0, 0);
	/* The first half is the program's from now on. */
	fault(self, cap);
	half = &self->hdr->hdr_half[1];
	ASSERT_EQ(KERNEL, half->half_state);
	puppet_post(&self->p, OP_FAULT, 5000);
	do {
		u32 first = load(&half->half_first);
		u32 count = load(&half->half_count), n;
		const u64 *v = (const u64 *)copy;

		ASSERT_GE(cap, count);
		memcpy(copy, (const char *)self->hdr + half->half_offs,
		       count * (sizeof(dfl_entry_t) + 8));
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		if (load(&half->half_first) != first) {
			torn++;
			continue;
		}
		whole++;
		for (n = 0; n < count; n++, seen++) {
			v += sizeof(dfl_entry_t) / 8;
			ASSERT_EQ((u64)first + n + 1, *v++);
		}
	} while (!puppet_done(&self->p, 0));
	check_sums(_metadata, self);
	TH_LOG("%llu times whole, %llu times not, %llu samples", whole, torn,
	       seen);
}

/* And as it is meant to be: nothing is lost though it never stops. */
TEST_F(twice, reading_for_good)
{
	u64 next = 0, all = 5000, last;

	NEED_FORMAT(&self->m);
	open_halves(self, PFM_FL_NOTIFY_BLOCK, 200, MASK_FULL, NOTIFY);
	puppet_post(&self->p, OP_FAULT, (unsigned int)all);
	last = all / 200 * 200;
	while (next < last) {
		const half_t *half;
		u64 n;
		int i;

		ASSERT_EQ(PFM_MSG_OVFL, pfm_next_msg(self->fd, NULL, PATIENCE));
		/* The older one, if there are two. */
		i = self->hdr->hdr_half[0].half_first == next ? 0 : 1;
		half = &self->hdr->hdr_half[i];
		ASSERT_EQ(USER, load(&half->half_state));
		ASSERT_EQ(next, half->half_first);
		ASSERT_EQ(200ULL, half->half_count);
		for (n = 0; n < 200; n++, next++) {
			const char *e = (const char *)self->hdr +
					half->half_offs +
					n * (sizeof(dfl_entry_t) + 8);

			ASSERT_EQ(next + 1, values_of((const void *)e)[0]);
		}
		ASSERT_EQ(0, pfm_restart(self->fd));
	}
	EXPECT_TRUE(puppet_done(&self->p, PATIENCE));
	EXPECT_EQ(all, self->hdr->hdr_samples);
	EXPECT_EQ(0ULL, self->hdr->hdr_lost);
}

TEST_HARNESS_MAIN
