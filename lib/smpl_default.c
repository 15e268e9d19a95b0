// SPDX-License-Identifier: LGPL-2.1-or-later
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

static void state(const void *buf, size_t size, struct pmon_state *state)
{
	const pfm_default_smpl_hdr_t *hdr = buf;

	(void)size;
	memset(state, 0, sizeof(*state));
	state->samples = __atomic_load_n(&hdr->hdr_count, __ATOMIC_RELAXED);
	state->full = __atomic_load_n(&hdr->hdr_overflows, __ATOMIC_RELAXED);
}

static size_t copy(const void *buf, size_t size, bool all, struct pmon_seen *seen,
		   void *block)
{
	const pfm_default_smpl_hdr_t *hdr = buf;
	struct pmon_part part = pmon_part(&hdr->hdr_count, &hdr->hdr_cur_offs,
					  sizeof(*hdr), size, seen);
	pfm_default_smpl_hdr_t *to = block;

	(void)all;
	if (!part.count)
		return 0;
	size = pmon_part_copy(block, buf, sizeof(*hdr), &part);
	to->hdr_count = part.count;
	to->hdr_cur_offs = size;
	return size;
}

/*
 * A sample has a whole head, an instruction pointer only, or none; and then
 * the values. Returns bytes, 0 if there is no such sample.
 */
static size_t take(const unsigned char *at, size_t left, uint32_t flags,
		   const struct pmon_layout *layout, struct pmon_sample *sample)
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

void pmon_entries_swap(void *at, size_t size, uint32_t flags,
		       const struct pmon_layout *layout)
{
	pfm_default_smpl_entry_t entry;
	unsigned int pmd = layout->pmd;
	size_t head = 0;
	int i, values;

	while (size) {
		if (!(flags & (PFM_DFL_SMPL_NO_HDR | PFM_DFL_SMPL_IIP_HDR)))
			head = sizeof(entry);
		else if (flags & PFM_DFL_SMPL_IIP_HDR)
			head = sizeof(uint64_t);
		if (size < head)
			return;
		if (head == sizeof(entry)) {
			pmon_turn(at, "442222888");
			memcpy(&entry, at, sizeof(entry));
			pmd = entry.ovfl_pmd;
		} else if (head) {
			pmon_turn(at, "8");
		}
		values = pmd < PFM_MAX_PMDS ? layout->values[pmd] : -1;
		if (values < 0 || (size - head) / sizeof(uint64_t) < (size_t)values ||
		    !(head + (size_t)values))
			return;
		at = (char *)at + head;
		for (i = 0; i < values; i++)
			at = pmon_turn(at, "8");
		size -= head + (size_t)values * sizeof(uint64_t);
	}
}

/* Bytes of a sample whose header this is, 0: its counter is not in the layout. */
static size_t length(const struct pmon_iter *it, const pfm_default_smpl_entry_t *e)
{
	int values = e->ovfl_pmd < PFM_MAX_PMDS ? it->layout->values[e->ovfl_pmd] : -1;

	return values < 0 ? 0 : sizeof(*e) + (size_t)values * sizeof(uint64_t);
}

bool pmon_entries_run(struct pmon_iter *it, struct pmon_run *run)
{
	const unsigned char *at = it->buf + it->at;
	pfm_default_smpl_entry_t first, e;
	size_t left, len, n;
	uint64_t most, events = 0;

	if (it->format != &pmon_format_default && it->format != &pmon_format_double)
		return false;
	left = it->end - it->at;
	if (it->flags & (PFM_DFL_SMPL_NO_HDR | PFM_DFL_SMPL_IIP_HDR) || !it->left ||
	    left < sizeof(first))
		return false;
	memcpy(&first, at, sizeof(first));
	len = length(it, &first);
	if (!len || left < len)
		return false;
	most = left / len < it->left ? left / len : it->left;
	for (n = 0; n < most; n++, at += len) {
		memcpy(&e, at, sizeof(e));
		if (e.pid != first.pid || e.ovfl_pmd != first.ovfl_pmd || e.set != first.set)
			break;
		events -= e.last_reset_val;
	}
	memcpy(&e, at - len, sizeof(e));
	*run = (struct pmon_run){
		.pid = first.pid, .pmd = first.ovfl_pmd, .set = first.set, .samples = n,
		.events = events, .first = first.tstamp, .last = e.tstamp,
	};
	it->at += n * len;
	it->left -= n;
	it->records += n;
	return true;
}

int pmon_entries_next(struct pmon_iter *it, struct pmon_record *rec)
{
	size_t len;

	if (!it->left)
		return 0;
	rec->type = PMON_SAMPLE;
	rec->sample = (struct pmon_sample){
		.pid = it->origin.pid, .tid = it->origin.tid, .cpu = it->origin.cpu,
		.count = 1,
	};
	len = take(it->buf + it->at, it->end - it->at, it->flags, it->layout,
		   &rec->sample);
	/* Samples of no bytes at all would be as many as it says. */
	if (!len)
		return -1;
	it->at += len;
	it->left--;
	it->records++;
	return 1;
}

static int begin(struct pmon_iter *it)
{
	pfm_default_smpl_hdr_t hdr;

	if (it->size < sizeof(hdr))
		return -1;
	memcpy(&hdr, it->buf, sizeof(hdr));
	if (SMPL_MAJOR(hdr.hdr_version) != SMPL_MAJOR(PFM_DEFAULT_SMPL_VERSION) ||
	    hdr.hdr_flags & ~(PFM_DFL_SMPL_NO_HDR | PFM_DFL_SMPL_IIP_HDR) ||
	    hdr.hdr_cur_offs < sizeof(hdr) || hdr.hdr_cur_offs > it->size)
		return -1;
	it->at = sizeof(hdr);
	it->end = (size_t)hdr.hdr_cur_offs;
	it->left = hdr.hdr_count;
	it->flags = hdr.hdr_flags;
	return 0;
}

static void swap(void *block, size_t size, const struct pmon_layout *layout)
{
	pfm_default_smpl_hdr_t hdr;

	if (size < sizeof(hdr))
		return;
	pmon_turn(block, "888844");
	memcpy(&hdr, block, sizeof(hdr));
	pmon_entries_swap((char *)block + sizeof(hdr), size - sizeof(hdr), hdr.hdr_flags,
			  layout);
}

const struct pmon_format pmon_format_default = {
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
	.begin = begin,
	.next = pmon_entries_next,
	.turn = swap,
};
