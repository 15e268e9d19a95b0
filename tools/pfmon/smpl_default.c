// SPDX-License-Identifier: GPL-2.0-only
/* The default sampling format: see <perfmon/default_smpl.h>. */
#include <string.h>

#include <perfmon/default_smpl.h>

#include "smpl.h"

static void argument(void *arg, uint64_t buffer_size)
{
	((pfm_default_smpl_arg_t *)arg)->buf_size = buffer_size;
}

static uint64_t min_size(unsigned int pmds)
{
	return sizeof(pfm_default_smpl_hdr_t) +
	       sizeof(pfm_default_smpl_entry_t) + pmds * sizeof(uint64_t);
}

static void state(const void *buf, size_t size, struct smpl_state *state)
{
	const pfm_default_smpl_hdr_t *hdr = buf;

	(void)size;
	memset(state, 0, sizeof(*state));
	state->samples = __atomic_load_n(&hdr->hdr_count, __ATOMIC_RELAXED);
	state->full = __atomic_load_n(&hdr->hdr_overflows, __ATOMIC_RELAXED);
}

static size_t copy(const void *buf, size_t size, bool all, struct smpl_seen *seen,
		   void *block)
{
	const pfm_default_smpl_hdr_t *hdr = buf;
	struct smpl_part part = smpl_part(&hdr->hdr_count, &hdr->hdr_cur_offs,
					  sizeof(*hdr), size, seen);
	pfm_default_smpl_hdr_t *to = block;

	(void)all;
	if (!part.count)
		return 0;
	*to = *hdr;
	memcpy(to + 1, (const char *)buf + part.begin, part.end - part.begin);
	to->hdr_count = part.count;
	to->hdr_cur_offs = sizeof(*hdr) + part.end - part.begin;
	return (size_t)to->hdr_cur_offs;
}

/*
 * A sample has a whole head, an instruction pointer only, or none; and then
 * the values. Returns bytes, 0 if there is no such sample.
 */
static size_t take(const unsigned char *at, size_t left, uint32_t flags,
		   const struct smpl_layout *layout, struct sample *sample)
{
	pfm_default_smpl_entry_t entry;
	size_t head = sizeof(entry);
	int values;

	sample->pmd = layout->pmd;
	if (flags & PFM_DFL_SMPL_IIP_HDR)
		head = sizeof(sample->ip);
	else if (flags & PFM_DFL_SMPL_NO_HDR)
		head = 0;
	if (left < head)
		return 0;
	if (head == sizeof(sample->ip)) {
		memcpy(&sample->ip, at, head);
	} else if (head) {
		memcpy(&entry, at, head);
		sample->pid = entry.pid;
		sample->tid = entry.tid;
		sample->cpu = entry.cpu;
		sample->pmd = entry.ovfl_pmd;
		sample->set = entry.set;
		sample->period = -entry.last_reset_val;
		sample->time = entry.tstamp;
		sample->ip = entry.ip;
	}
	values = sample->pmd < PFM_MAX_PMDS ? layout->values[sample->pmd] : -1;
	if (values < 0 || (left - head) / sizeof(uint64_t) < (size_t)values)
		return 0;
	sample->values = (unsigned int)values;
	sample->value = (const void *)(at + head);
	return head + sample->values * sizeof(uint64_t);
}

long smpl_entries(const void *at, size_t size, uint64_t count, uint32_t flags,
		  const struct smpl_layout *layout,
		  const struct smpl_origin *origin, const struct smpl_sink *sink)
{
	uint64_t i;
	size_t len;

	for (i = 0; i < count; i++) {
		struct sample sample = { .pid = origin->pid, .tid = origin->tid,
					 .cpu = origin->cpu, .count = 1 };

		len = take(at, size, flags, layout, &sample);
		/* Samples of no bytes at all would be as many as it says. */
		if (!len)
			return -1;
		at = (const char *)at + len;
		size -= len;
		sink->sample(sink->arg, &sample);
	}
	return (long)i;
}

static long parse(const void *buf, size_t size,
		  const struct smpl_layout *layout,
		  const struct smpl_origin *origin, const struct smpl_sink *sink)
{
	pfm_default_smpl_hdr_t hdr;

	if (size < sizeof(hdr))
		return -1;
	memcpy(&hdr, buf, sizeof(hdr));
	if (SMPL_MAJOR(hdr.hdr_version) != SMPL_MAJOR(PFM_DEFAULT_SMPL_VERSION) ||
	    hdr.hdr_flags & ~(PFM_DFL_SMPL_NO_HDR | PFM_DFL_SMPL_IIP_HDR) ||
	    hdr.hdr_cur_offs < sizeof(hdr) || hdr.hdr_cur_offs > size)
		return -1;
	return smpl_entries((const char *)buf + sizeof(hdr),
			    (size_t)hdr.hdr_cur_offs - sizeof(hdr), hdr.hdr_count,
			    hdr.hdr_flags, layout, origin, sink);
}

const struct smpl_format smpl_default = {
	.name = "default",
	.help = "one sample after the other until the buffer is full",
	.uuid = PFM_DEFAULT_SMPL_UUID,
	.arg_size = sizeof(pfm_default_smpl_arg_t),
	.masks = true,
	.values = true,
	.min_size = min_size,
	.argument = argument,
	.state = state,
	.copy = copy,
	.parse = parse,
};
