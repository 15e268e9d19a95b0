// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The aggregating sampling format: see <perfmon/aggregate_smpl.h>. What is
 * copied is the header and the slots that are used.
 */
#include <string.h>

#include <perfmon/aggregate_smpl.h>

#include "smpl.h"

typedef pfm_aggregate_smpl_hdr_t hdr_t;
typedef pfm_aggregate_smpl_entry_t entry_t;

/* Version 2.0 does not say how long the header is. */
static size_t header(const hdr_t *hdr)
{
	return hdr->hdr_size > sizeof(*hdr) ? hdr->hdr_size : sizeof(*hdr);
}

/* A power of two: as many as there is room for after the header. */
static void argument(void *arg, uint64_t buffer_size)
{
	pfm_aggregate_smpl_arg_t *a = arg;

	a->buf_slots = PFM_AGGREGATE_SMPL_MIN_SLOTS;
	while (a->buf_slots < PFM_AGGREGATE_SMPL_MAX_SLOTS &&
	       2 * a->buf_slots * sizeof(entry_t) <= buffer_size)
		a->buf_slots *= 2;
}

static uint64_t min_size(unsigned int pmds)
{
	(void)pmds;
	return PFM_AGGREGATE_SMPL_MIN_SLOTS * sizeof(entry_t);
}

static uint64_t load(const __u64 *p)
{
	return __atomic_load_n(p, __ATOMIC_RELAXED);
}

static void state(const void *buf, size_t size, struct pmon_state *state)
{
	const hdr_t *hdr = buf;
	uint64_t samples = load(&hdr->hdr_samples);

	(void)size;
	memset(state, 0, sizeof(*state));
	state->lost = load(&hdr->hdr_lost);
	state->cleared = load(&hdr->hdr_cleared);
	if (samples > state->lost + state->cleared)
		state->samples = samples - state->lost - state->cleared;
}

/* New samples may be of any slot. */
static size_t copy(const void *buf, size_t size, bool all, struct pmon_seen *seen,
		   void *block)
{
	entry_t *to = (void *)((hdr_t *)block + 1);
	size_t head = header(buf), slots, i;
	const entry_t *slot;
	hdr_t *hdr = block;

	(void)all;
	if (head > size)
		return 0;
	slot = (const void *)((const char *)buf + head);
	slots = (size - head) / sizeof(*slot);
	*hdr = *(const hdr_t *)buf;
	hdr->hdr_size = sizeof(*hdr);
	if (seen && seen->count == hdr->hdr_samples)
		return 0;
	if (seen)
		seen->count = hdr->hdr_samples;
	if (hdr->hdr_slots < slots)
		slots = hdr->hdr_slots;
	for (i = 0; i < slots; i++) {
		/* The rest of an entry is in place when it has this generation. */
		if (__atomic_load_n(&slot[i].ent_gen, __ATOMIC_ACQUIRE) == hdr->hdr_gen)
			*to++ = slot[i];
	}
	size = (size_t)((char *)to - (char *)block);
	return size == sizeof(*hdr) ? 0 : size;
}

static int begin(struct pmon_iter *it)
{
	hdr_t hdr;

	if (it->size < sizeof(hdr))
		return -1;
	memcpy(&hdr, it->buf, sizeof(hdr));
	if (SMPL_MAJOR(hdr.hdr_version) != SMPL_MAJOR(PFM_AGGREGATE_SMPL_VERSION) ||
	    header(&hdr) % 8 || header(&hdr) > it->size)
		return -1;
	it->at = header(&hdr);
	it->flags = hdr.hdr_gen;
	return 0;
}

static int next(struct pmon_iter *it, struct pmon_record *rec)
{
	entry_t e;

	do {
		if (it->size - it->at < sizeof(e))
			return 0;
		memcpy(&e, it->buf + it->at, sizeof(e));
		it->at += sizeof(e);
		it->records++;
	} while (e.ent_gen != it->flags);
	if (e.ent_ovfl_pmd >= PFM_MAX_PMDS || it->layout->values[e.ent_ovfl_pmd] < 0)
		return -1;
	rec->type = PMON_SAMPLE;
	rec->sample = (struct pmon_sample){
		.pid = e.ent_pid, .tid = it->origin.tid, .cpu = it->origin.cpu,
		.pmd = e.ent_ovfl_pmd, .set = e.ent_set, .ip = e.ent_ip,
		.count = e.ent_count,
	};
	return 1;
}

static void swap(void *block, size_t size, const struct pmon_layout *layout)
{
	size_t begin, n;
	void *at;

	(void)layout;
	if (size < sizeof(hdr_t))
		return;
	pmon_turn(block, "448444488844");
	begin = header(block);
	if (begin % 8 || begin > size)
		return;
	at = (char *)block + begin;
	for (n = (size - begin) / sizeof(entry_t); n; n--)
		at = pmon_turn(at, "4228844");
}

const struct pmon_format pmon_format_aggregate = {
	.name = "aggregate",
	.help = "a table: how many samples there are of each place",
	.uuid = PFM_AGGREGATE_SMPL_UUID,
	.arg_size = sizeof(pfm_aggregate_smpl_arg_t),
	.clears = true,
	.max_size = PFM_AGGREGATE_SMPL_MAX_SLOTS * sizeof(entry_t),
	.min_size = min_size,
	.argument = argument,
	.state = state,
	.copy = copy,
	.begin = begin,
	.next = next,
	.turn = swap,
};
