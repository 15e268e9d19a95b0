/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the tests of the null format share: a context with that format, which
 * asks the core for whatever it is told to (3.5.14, 3.5.15).
 */
#ifndef NULL_FORMAT_H
#define NULL_FORMAT_H

#include "sampling.h"
#include <perfmon/null_smpl.h>

#define MODULE		"/sys/module/pfm_null"

#define BUFFER	PFM_NULL_FMT_BUFFER
#define TELL	PFM_NULL_CTRL_NOTIFY
#define RESET	PFM_NULL_CTRL_RESET
#define BLOCK	PFM_NULL_CTRL_BLOCK
#define MASK	PFM_NULL_CTRL_MASK
#define N_CTRLS	16U

static const pfm_uuid_t null_uuid = PFM_NULL_SMPL_UUID;

static inline int null_create(u32 ctx_flags, pfm_null_smpl_arg_t arg, u64 *size)
{
	return smpl_create(null_uuid, ctx_flags, &arg, sizeof(arg), size);
}

/* What the module says of itself. */
static inline u64 module_number(const char *file)
{
	char path[128], buf[64];

	snprintf(path, sizeof(path), MODULE "/%s", file);
	MUST(read_text(path, buf, sizeof(buf)));
	return strtoull(buf, NULL, 10);
}

FIXTURE(null) {
	char modprobe[PATH_MAX];
	char path[PATH_MAX];
	struct format_module m;
	u64 before;
	struct puppet p;
	int fd;
	const pfm_null_smpl_hdr_t *hdr;
};

FIXTURE_SETUP(null)
{
	self->fd = -1;
	self->before = buffers_now();
	if (is_root()) {
		/* Nothing is loaded behind our back. */
		MUST(read_text(MODPROBE, self->modprobe,
			       sizeof(self->modprobe)));
		set_modprobe("");
		module_path("null", self->path, sizeof(self->path));
		/* One that a test before this one has left. */
		module_remove("pfm_null");
	}
	format_get(&self->m, "null");
	puppet_start(&self->p, PUPPET_PROCESS);
	puppet_do(&self->p, OP_FAULT, PUPPET_PAGES + 1);
}

FIXTURE_TEARDOWN(null)
{
	if (self->fd >= 0)
		close(self->fd);
	puppet_stop(&self->p);
	if (self->m.inserted) {
		EXPECT_TRUE(buffers_become(self->before));
		if (have_format("null")) {
			EXPECT_EQ(0ULL, module_number("parameters/contexts"));
		}
	}
	format_put(&self->m);
	if (is_root())
		set_modprobe(self->modprobe);
}

/*
 * A context with a header that asks for @ctrl: counter 0 overflows at the third
 * fault, counter 1 is reset with it.
 */
static inline void null_open(FIXTURE_DATA(null) *f, u32 ctx_flags, u32 flags,
			     pfm_null_smpl_arg_t arg)
{
	u64 size;

	arg.flags |= BUFFER;
	f->fd = (int)MUST(null_create(ctx_flags, arg, &size));
	f->hdr = buf_map(f->fd, size);
	set_nonblock(f->fd);
	choose(f->fd, 0, 0, FAULTS, flags, 0, CTR(1));
	MUST(pfm_write_period(f->fd, SW_PMD(0), -3ULL, -50ULL, -20ULL));
	choose(f->fd, 0, 1, FAULTS, 0, 0, 0);
	MUST(pfm_write_period(f->fd, SW_PMD(1), 1000, 2000, 3000));
	attach(f->fd, f->p.tid);
}

#endif /* NULL_FORMAT_H */
