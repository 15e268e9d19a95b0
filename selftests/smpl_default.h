/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the smpl_*.c tests share: a puppet whose minor faults are sampled with
 * the default format (3.6), and how large a buffer must be for that.
 */
#ifndef SMPL_DEFAULT_H
#define SMPL_DEFAULT_H

#include "sampling.h"

#define OVFL		PFM_SETFL_OVFL_SWITCH
#define ROOMY		65536	/* bytes: never full here */

/* ------------------------------------------------------------------------
 * What has to be in the buffer
 */

static inline void check_hdr(struct __test_metadata *_metadata,
			     const struct sampler *s, u64 count, u64 offs,
			     u64 overflows)
{
	EXPECT_EQ(count, s->hdr->hdr_count);
	EXPECT_EQ(offs, s->hdr->hdr_cur_offs);
	EXPECT_EQ(overflows, s->hdr->hdr_overflows);
	EXPECT_EQ(PFM_DEFAULT_SMPL_VERSION, s->hdr->hdr_version);
}

/* ------------------------------------------------------------------------
 * A puppet and what it is sampled with
 */

FIXTURE(smpl) {
	struct puppet p;
	struct sampler s;
};

/* Once around its pages: then it faults where it is told to, only. */
static inline void start_puppet(struct puppet *p, enum puppet_kind kind)
{
	puppet_start(p, kind);
	puppet_do(p, OP_FAULT, PUPPET_PAGES + 1);
}

FIXTURE_SETUP(smpl)
{
	self->s.fd = -1;
	start_puppet(&self->p, PUPPET_PROCESS);
}

FIXTURE_TEARDOWN(smpl)
{
	if (self->s.fd >= 0)
		sampler_close(&self->s);
	puppet_stop(&self->p);
}

/* So large that exactly @n samples with @values values fit. */
static inline u64 size_for(u64 n, unsigned int values)
{
	return dfl_min_size() + (n - 1) * (sizeof(dfl_entry_t) + 8 * values);
}

/* A sample at each fault; full after @n. */
static inline void sample_until(FIXTURE_DATA(smpl) *f, u32 ctx_flags, u64 n,
				u32 flags)
{
	sampler_open(&f->s, ctx_flags, size_for(n, 0), 0);
	sample_faults(f->s.fd, 0, 1, flags, 0);
	attach(f->s.fd, f->p.tid);
}

#endif /* SMPL_DEFAULT_H */
