// SPDX-License-Identifier: GPL-2.0-only
/* The call chain sampling format: see <perfmon/callchain_smpl.h>. */
#include <string.h>

#include <perfmon/callchain_smpl.h>

#include "smpl.h"

typedef pfm_callchain_smpl_hdr_t hdr_t;

static void argument(void *arg, uint64_t buffer_size)
{
	pfm_callchain_smpl_arg_t *a = arg;

	a->buf_size = buffer_size;
	a->buf_flags = PFM_CALLCHAIN_SMPL_KERNEL | PFM_CALLCHAIN_SMPL_USER |
		       PFM_CALLCHAIN_SMPL_MAPS;
}

static uint64_t min_size(unsigned int pmds)
{
	return sizeof(hdr_t) + sizeof(pfm_callchain_smpl_sample_t) +
	       (pmds + 2 * PFM_CALLCHAIN_SMPL_DEF_DEPTH) * sizeof(uint64_t);
}

/* The record at an offset: false if there is none that is whole. */
static bool get(const void *buf, size_t at, size_t size,
		pfm_callchain_smpl_rec_t *rec)
{
	if (size - at < sizeof(*rec))
		return false;
	memcpy(rec, (const char *)buf + at, sizeof(*rec));
	return rec->size >= sizeof(*rec) && rec->size % 8 == 0 &&
	       rec->size <= size - at;
}

static void state(const void *buf, size_t size, struct smpl_state *state)
{
	pfm_callchain_smpl_rec_t rec;
	const hdr_t *hdr = buf;
	struct smpl_part all = smpl_part(&hdr->hdr_count, &hdr->hdr_cur_offs,
					 sizeof(*hdr), size, NULL);

	memset(state, 0, sizeof(*state));
	state->full = __atomic_load_n(&hdr->hdr_overflows, __ATOMIC_RELAXED);
	state->lost = __atomic_load_n(&hdr->hdr_lost, __ATOMIC_RELAXED);
	state->lost_maps = __atomic_load_n(&hdr->hdr_lost_maps, __ATOMIC_RELAXED);
	for (; all.count && get(buf, all.begin, all.end, &rec); all.count--) {
		state->samples += rec.type == PFM_CALLCHAIN_SMPL_SAMPLE;
		all.begin += rec.size;
	}
}

static size_t copy(const void *buf, size_t size, bool all, struct smpl_seen *seen,
		   void *block)
{
	const hdr_t *hdr = buf;
	struct smpl_part part = smpl_part(&hdr->hdr_count, &hdr->hdr_cur_offs,
					  sizeof(*hdr), size, seen);
	hdr_t *to = block;

	(void)all;
	if (!part.count)
		return 0;
	*to = *hdr;
	memcpy(to + 1, (const char *)buf + part.begin, part.end - part.begin);
	to->hdr_count = part.count;
	to->hdr_cur_offs = sizeof(*hdr) + part.end - part.begin;
	return (size_t)to->hdr_cur_offs;
}

static bool tell_sample(const void *at, size_t size,
			const struct smpl_layout *layout,
			const struct smpl_sink *sink)
{
	pfm_callchain_smpl_sample_t s;
	struct sample sample;

	if (size < sizeof(s))
		return false;
	memcpy(&s, at, sizeof(s));
	if (s.ovfl_pmd >= PFM_MAX_PMDS || layout->values[s.ovfl_pmd] < 0 ||
	    s.nr_values < layout->values[s.ovfl_pmd] ||
	    (size - sizeof(s)) / 8 < (size_t)s.nr_values + s.nr_kernel + s.nr_user)
		return false;
	sample = (struct sample){
		.pid = s.pid, .tid = s.tid, .cpu = s.cpu, .pmd = s.ovfl_pmd,
		.set = s.set, .period = -s.last_reset_val, .time = s.tstamp,
		.ip = s.ip, .count = 1, .values = s.nr_values,
		.value = (const void *)((const char *)at + sizeof(s)),
		.kernel = s.nr_kernel, .user = s.nr_user,
	};
	sample.chain = sample.value + s.nr_values;
	sink->sample(sink->arg, &sample);
	return true;
}

static bool tell_map(const void *at, size_t size, const struct smpl_sink *sink)
{
	const char *path = (const char *)at + sizeof(pfm_callchain_smpl_map_t);
	pfm_callchain_smpl_map_t m;

	if (size <= sizeof(m) || !memchr(path, '\0', size - sizeof(m)))
		return false;
	memcpy(&m, at, sizeof(m));
	if (m.addr + m.len <= m.addr)
		return false;
	if (sink->map)
		sink->map(sink->arg, &(struct smpl_map){
			.pid = m.pid, .time = m.tstamp, .start = m.addr,
			.end = m.addr + m.len, .offset = m.pgoff,
			.path = *path ? path : "[unknown]",
		});
	return true;
}

static bool tell_exec(const void *at, size_t size, const struct smpl_sink *sink)
{
	pfm_callchain_smpl_exec_t e;

	if (size < sizeof(e))
		return false;
	memcpy(&e, at, sizeof(e));
	e.comm[sizeof(e.comm) - 1] = '\0';
	if (sink->map)
		sink->map(sink->arg, &(struct smpl_map){
			.pid = e.pid, .time = e.tstamp, .comm = e.comm });
	return true;
}

static bool tell(const void *at, const pfm_callchain_smpl_rec_t *rec,
		 const struct smpl_layout *layout, const struct smpl_sink *sink)
{
	switch (rec->type) {
	case PFM_CALLCHAIN_SMPL_SAMPLE:
		return tell_sample(at, rec->size, layout, sink);
	case PFM_CALLCHAIN_SMPL_MAP:
		return tell_map(at, rec->size, sink);
	case PFM_CALLCHAIN_SMPL_EXEC:
		return tell_exec(at, rec->size, sink);
	default:
		return true;	/* of a later version */
	}
}

static long parse(const void *buf, size_t size,
		  const struct smpl_layout *layout,
		  const struct smpl_origin *origin, const struct smpl_sink *sink)
{
	size_t at = sizeof(hdr_t);
	hdr_t hdr;
	uint64_t i;

	(void)origin;
	if (size < sizeof(hdr))
		return -1;
	memcpy(&hdr, buf, sizeof(hdr));
	if (SMPL_MAJOR(hdr.hdr_version) != SMPL_MAJOR(PFM_CALLCHAIN_SMPL_VERSION) ||
	    hdr.hdr_cur_offs < at || hdr.hdr_cur_offs > size)
		return -1;
	for (i = 0; i < hdr.hdr_count; i++) {
		pfm_callchain_smpl_rec_t rec;

		if (!get(buf, at, (size_t)hdr.hdr_cur_offs, &rec) ||
		    !tell((const char *)buf + at, &rec, layout, sink))
			return -1;
		at += rec.size;
	}
	return (long)i;
}

const struct smpl_format smpl_callchain = {
	.name = "callchain",
	.help = "samples with the calls that led there, and what was mapped",
	.uuid = PFM_CALLCHAIN_SMPL_UUID,
	.arg_size = sizeof(pfm_callchain_smpl_arg_t),
	.masks = true,
	.values = true,
	.chains = true,
	.min_size = min_size,
	.argument = argument,
	.state = state,
	.copy = copy,
	.parse = parse,
};
