// SPDX-License-Identifier: LGPL-2.1-or-later
/* The call chain sampling format: see <perfmon/callchain_smpl.h>. */
#include <string.h>

#include "smpl_chain.h"

typedef pfm_callchain_smpl_hdr_t hdr_t;

/* Version 1.0 does not say how long the header is. */
static size_t header(const hdr_t *hdr)
{
	return hdr->hdr_size > sizeof(*hdr) ? hdr->hdr_size : sizeof(*hdr);
}

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

static void state(const void *buf, size_t size, struct pmon_state *state)
{
	pfm_callchain_smpl_rec_t rec;
	const hdr_t *hdr = buf;
	struct pmon_part all = pmon_part(&hdr->hdr_count, &hdr->hdr_cur_offs,
					 header(hdr), size, NULL);

	memset(state, 0, sizeof(*state));
	state->full = __atomic_load_n(&hdr->hdr_overflows, __ATOMIC_RELAXED);
	state->lost = __atomic_load_n(&hdr->hdr_lost, __ATOMIC_RELAXED);
	state->lost_maps = __atomic_load_n(&hdr->hdr_lost_maps, __ATOMIC_RELAXED);
	for (; all.count && pmon_chain_get(buf, all.begin, all.end, &rec); all.count--) {
		state->samples += rec.type == PFM_CALLCHAIN_SMPL_SAMPLE;
		all.begin += rec.size;
	}
}

static size_t copy(const void *buf, size_t size, bool all, struct pmon_seen *seen,
		   void *block)
{
	const hdr_t *hdr = buf;
	struct pmon_part part = pmon_part(&hdr->hdr_count, &hdr->hdr_cur_offs,
					  header(hdr), size, seen);
	hdr_t *to = block;

	(void)all;
	if (!part.count)
		return 0;
	size = pmon_part_copy(block, buf, sizeof(*hdr), &part);
	to->hdr_size = sizeof(*to);
	to->hdr_count = part.count;
	to->hdr_cur_offs = size;
	return size;
}

static int begin(struct pmon_iter *it)
{
	hdr_t hdr;

	if (it->size < sizeof(hdr))
		return -1;
	memcpy(&hdr, it->buf, sizeof(hdr));
	if (SMPL_MAJOR(hdr.hdr_version) != SMPL_MAJOR(PFM_CALLCHAIN_SMPL_VERSION) ||
	    header(&hdr) % 8 || hdr.hdr_cur_offs < header(&hdr) ||
	    hdr.hdr_cur_offs > it->size)
		return -1;
	it->at = header(&hdr);
	it->end = (size_t)hdr.hdr_cur_offs;
	it->left = hdr.hdr_count;
	return 0;
}

static int next(struct pmon_iter *it, struct pmon_record *rec)
{
	int ret = 0;

	for (; !ret && it->left; it->left--)
		ret = pmon_chain_record(it, rec);
	return ret;
}

/*
 * The values and addresses of a sample, and the registers that may follow (calldouble); a
 * program's stack is left as it was. Ends where the sample would have none of it.
 */
static void swap_sample(const pfm_callchain_smpl_sample_t *s, char *at)
{
	size_t left = s->size - sizeof(*s), n;
	pfm_calldouble_smpl_user_t user;

	n = (size_t)s->nr_values + s->nr_kernel + s->nr_user;
	for (; n && left >= 8; n--, left -= 8)
		at = pmon_turn(at, "8");
	if (left < sizeof(user))
		return;
	pmon_turn(at, "224");
	memcpy(&user, at, sizeof(user));
	at += sizeof(user);
	left -= sizeof(user);
	for (n = user.nr_regs; n && left >= 8; n--, left -= 8)
		at = pmon_turn(at, "8");
}

/* What a record has before texts; of a type of a later version only the head. */
static void swap_record(void *at, const pfm_callchain_smpl_rec_t *rec)
{
	const struct {
		const char *widths;
		size_t size;
	} rest[] = {
		[PFM_CALLCHAIN_SMPL_SAMPLE] = {
			"222222888", sizeof(pfm_callchain_smpl_sample_t) },
		[PFM_CALLCHAIN_SMPL_MAP] = { "44488888", sizeof(pfm_callchain_smpl_map_t) },
		[PFM_CALLCHAIN_SMPL_EXEC] = { "48", sizeof(pfm_callchain_smpl_exec_t) },
		[PFM_CALLCHAIN_SMPL_FORK] = { "48", sizeof(pfm_callchain_smpl_fork_t) },
		[PFM_CALLCHAIN_SMPL_LOST] = { "48888", sizeof(pfm_callchain_smpl_lost_t) },
	};
	pfm_callchain_smpl_sample_t s;

	if (!rec->type || rec->type >= sizeof(rest) / sizeof(rest[0]) ||
	    rec->size < rest[rec->type].size)
		return;
	pmon_turn((char *)at + sizeof(*rec), rest[rec->type].widths);
	if (rec->type != PFM_CALLCHAIN_SMPL_SAMPLE)
		return;
	memcpy(&s, at, sizeof(s));
	swap_sample(&s, (char *)at + sizeof(s));
}

void pmon_chains_swap(void *at, size_t size)
{
	pfm_callchain_smpl_rec_t rec;

	while (size >= sizeof(rec)) {
		pmon_turn(at, "2244");
		if (!pmon_chain_get(at, 0, size, &rec))
			return;
		swap_record(at, &rec);
		at = (char *)at + rec.size;
		size -= rec.size;
	}
}

static void swap(void *block, size_t size, const struct pmon_layout *layout)
{
	size_t begin;

	(void)layout;
	if (size < sizeof(hdr_t))
		return;
	pmon_turn(block, "888844888422");
	begin = header(block);
	if (begin % 8 == 0 && begin <= size)
		pmon_chains_swap((char *)block + begin, size - begin);
}

const struct pmon_format pmon_format_callchain = {
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
	.begin = begin,
	.next = next,
	.turn = swap,
};
