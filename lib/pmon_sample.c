// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Sampling one event. What is in the buffer is copied to a block, and taken apart there.
 */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <perfmon/libperfmon.h>

#include "pmon.h"

#define BUFFER	65536

struct sampling {
	const struct pmon_format *format;
	void *buf;
	size_t size;
	void *block, *scratch;		/* as large as the buffer */
	bool reading;			/* the block has records yet */
	bool over;			/* of formats that clear: it cannot be cleared any more */
	uint64_t counted;		/* likewise: samples that were read so far */
	struct pmon_seen seen;
	struct pmon_layout layout;
	struct pmon_iter it;
};

void pmon_sample_free(pmon_t *m)
{
	struct sampling *s = m->sampling;

	if (s->buf)
		munmap(s->buf, s->size);
	free(s->block);
	free(s->scratch);
	free(s);
}

static int refused(int cmd)
{
	struct failure f;

	failure_set(&f, cmd, 0);
	return pmon_refused(&f);
}

static int create(pmon_t *m, size_t bytes)
{
	struct sampling *s = m->sampling;
	struct {
		pfarg_ctx_t ctx;
		unsigned char arg[PMON_ARG_MAX] __attribute__((aligned(8)));
	} req;

	memset(&req, 0, sizeof(req));
	req.ctx.ctx_flags = PFM_FL_CLOEXEC;
	memcpy(req.ctx.ctx_smpl_buf_id, s->format->uuid, sizeof(pfm_uuid_t));
	s->format->argument(req.arg, bytes);
	if (pfm_create_context(&req.ctx, 1))
		return refused(PFM_CREATE_CONTEXT);
	m->fd = req.ctx.ctx_fd;
	s->size = (size_t)req.ctx.ctx_smpl_buf_size;
	s->block = malloc(s->size);
	s->scratch = malloc(s->size);
	if (!s->block || !s->scratch)
		return pmon_fail(ENOMEM, "%s", strerror(ENOMEM));
	s->buf = mmap(NULL, s->size, PROT_READ, MAP_SHARED, m->fd, 0);
	if (s->buf == MAP_FAILED) {
		s->buf = NULL;
		return refused(0);
	}
	return 0;
}

static int program(pmon_t *m, uint64_t period)
{
	const struct counter *c = &m->counters.c[0];
	pfarg_pmc_t pmc = { .reg_num = c->pmc, .reg_flags = PFM_REGFL_OVFL_NOTIFY,
			    .reg_value = c->value };
	pfarg_pmd_t pmd = { .reg_num = c->pmd, .reg_value = -period,
			    .reg_long_reset = -period, .reg_short_reset = -period };
	struct failure f;

	if (context_write_extras(m->fd, &m->counters, 0, &f) ||
	    context_write_pmcs(m->fd, &pmc, 1, &f)) {
		if (f.err != EPERM || !counters_kernel(&m->counters))
			return pmon_refused(&f);
		counters_restrict(&m->counters);
		pmc.reg_value = c->value;
		pmc.reg_flags = PFM_REGFL_OVFL_NOTIFY;
		if (context_write_pmcs(m->fd, &pmc, 1, &f))
			return pmon_refused(&f);
	}
	return pfm_write_pmds(m->fd, &pmd, 1) ? refused(PFM_WRITE_PMDS) : 0;
}

static int set_up(pmon_t *m, const char *event, uint64_t period, const char *format,
		  size_t bytes)
{
	struct sampling *s = m->sampling;
	int ret;

	s->format = pmon_format_find(format);
	if (!s->format)
		return pmon_fail(ENOENT, "no sampling format '%s'", format);
	if (!period || period > INT64_MAX)
		return pmon_fail(EINVAL, "a period of %" PRIu64 " events", period);
	ret = pmon_choose(&m->counters, event, PMON_NO_MULTIPLEX);
	if (ret)
		return ret;
	if (m->counters.n != 1)
		return pmon_fail(EINVAL, "'%s' is more than one event", event);
	m->base = calloc(1, sizeof(*m->base));
	if (!m->base)
		return pmon_fail(ENOMEM, "%s", strerror(ENOMEM));
	pmon_layout_init(&s->layout);
	pmon_layout_add(&s->layout, m->counters.c[0].pmd, 0);
	ret = create(m, bytes);
	return ret ? ret : program(m, period);
}

int pmon_sample_open(pmon_t **out, const char *event, uint64_t period, const char *format,
		     size_t bytes)
{
	pmon_t *m = calloc(1, sizeof(*m));
	int ret;

	*out = NULL;
	if (m)
		m->sampling = calloc(1, sizeof(*m->sampling));
	if (!m || !m->sampling) {
		free(m);
		return pmon_fail(ENOMEM, "%s", strerror(ENOMEM));
	}
	m->fd = -1;
	ret = set_up(m, event, period, format ? format : "default", bytes ? bytes : BUFFER);
	if (ret)
		pmon_close(m);
	else
		*out = m;
	return ret;
}

/* Are the samples those of a table, which are counted once, when it was taken? */
static bool is_table(const struct sampling *s)
{
	return s->format->clears || s->format->freezes;
}

/* Copy what is new; of a table what there is, or, unless @all, what is frozen. */
static void fetch(struct sampling *s, bool all)
{
	size_t size = s->format->copy(s->buf, s->size, all, is_table(s) ? NULL : &s->seen,
				      s->block);

	if (!size)
		return;
	s->reading = true;
	pmon_iter_begin(&s->it, s->format, s->block, size, &s->layout, NULL);
}

int pmon_sample_next(pmon_t *m, struct pmon_record *rec)
{
	struct sampling *s = m->sampling;
	int ret = 0;

	if (!s)
		return pmon_fail(EINVAL, "this was not opened for samples");
	while (!ret) {
		/* A table is there when it has been taken. */
		if (!s->reading && !is_table(s))
			fetch(s, true);
		if (!s->reading)
			return 0;
		ret = pmon_iter_next(&s->it, rec);
		s->reading = ret > 0;
	}
	if (ret < 0)
		return pmon_fail(-ret, "the buffer is not as the format %s has it",
				 s->format->name);
	if (s->format->clears && rec->type == PMON_SAMPLE)
		s->counted += rec->sample.count;
	return ret;
}

/* One message at most: another one may be of what is full next. */
static void take_message(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	pfm_msg_t msg;

	if (poll(&p, 1, 0) == 1 && (p.revents & POLLIN) && read(fd, &msg, sizeof(msg)) < 0)
		return;
}

/* A table that is frozen by PFM_RESTART: read it then, or the other one at the end. */
static int freeze(pmon_t *m, const struct context_info *info)
{
	struct sampling *s = m->sampling;
	struct pmon_state state;
	int ret = 1;

	s->format->state(s->buf, s->size, &state);
	if (s->over || (!info->masked && !state.samples))
		return 0;
	if (pfm_restart(m->fd)) {
		ret = refused(PFM_RESTART);
		s->over = true;
	}
	fetch(s, s->over);
	return ret;
}

/*
 * PFM_RESTART releases a part that is full, or the whole buffer if the kernel has masked
 * the context: only what has been copied may go.
 */
int pmon_sample_release(pmon_t *m)
{
	struct sampling *s = m->sampling;
	struct context_info info;

	if (!s)
		return pmon_fail(EINVAL, "this was not opened for samples");
	if (s->reading)
		return pmon_fail(EBUSY, "there are records that were not read yet");
	take_message(m->fd);
	context_read_info(m->fd, &info);
	if (s->format->freezes)
		return freeze(m, &info);
	if (!info.masked && (s->format->masks || s->over ||
			     !s->format->copy(s->buf, s->size, false, NULL, s->scratch)))
		return 0;
	if (!s->over)
		fetch(s, true);
	if (pfm_restart(m->fd)) {
		/* The thread has ended, say: what is in the buffer stays. */
		s->over = s->format->clears;
		return refused(PFM_RESTART);
	}
	if (s->format->masks)
		s->seen = (struct pmon_seen){ 0 };
	return 1;
}

uint64_t pmon_lost(const pmon_t *m)
{
	const struct sampling *s = m->sampling;
	struct pmon_state state;

	if (!s)
		return 0;
	s->format->state(s->buf, s->size, &state);
	return state.lost + (s->format->clears && state.cleared > s->counted ?
			     state.cleared - s->counted : 0);
}
