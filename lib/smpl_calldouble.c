// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The double-buffering call chain format: see <perfmon/calldouble_smpl.h>. What is
 * copied is the header and the halves that are wanted, one after the other: a buffer
 * again. Nothing that a half has is overwritten before PFM_RESTART. At the end no LOST
 * record follows a gap: what the header says of it stands for one.
 */
#include <string.h>

#include <perfmon/calldouble_smpl.h>

#include "smpl_chain.h"
#include "smpl_half.h"

typedef pfm_calldouble_smpl_hdr_t hdr_t;
typedef pfm_calldouble_smpl_half_t half_t;

/* Not masked when both are full, so that the kernel can say what is lost. */
static void argument(void *arg, uint64_t buffer_size)
{
	pfm_calldouble_smpl_arg_t *a = arg;

	a->arg_size = sizeof(*a);
	a->buf_size = buffer_size;
	a->buf_flags = PFM_CALLCHAIN_SMPL_KERNEL | PFM_CALLCHAIN_SMPL_USER |
		       PFM_CALLCHAIN_SMPL_MAPS;
}

static uint64_t min_size(unsigned int pmds)
{
	return sizeof(hdr_t) + 2 * (sizeof(pfm_callchain_smpl_lost_t) +
				    sizeof(pfm_callchain_smpl_sample_t) +
				    (pmds + 2 * PFM_CALLCHAIN_SMPL_DEF_DEPTH + 1) *
				    sizeof(uint64_t));
}

static uint32_t load(const __u32 *p)
{
	return __atomic_load_n(p, __ATOMIC_ACQUIRE);
}

static unsigned int choose(const hdr_t *hdr, bool all, unsigned int which[2])
{
	const half_t *half = hdr->hdr_half;
	const uint32_t state[] = { load(&half[0].half_state), load(&half[1].half_state) };

	return pmon_halves_choose(state, (int32_t)(half[0].half_seq - half[1].half_seq) > 0,
				  all, which);
}

static void state(const void *buf, size_t size, struct pmon_state *state)
{
	pfm_callchain_smpl_rec_t rec;
	const hdr_t *hdr = buf;
	unsigned int which[2], n, i;
	size_t at, end;

	memset(state, 0, sizeof(*state));
	state->full = __atomic_load_n(&hdr->hdr_overflows, __ATOMIC_RELAXED);
	state->lost = __atomic_load_n(&hdr->hdr_lost, __ATOMIC_RELAXED);
	state->lost_maps = __atomic_load_n(&hdr->hdr_lost_maps, __ATOMIC_RELAXED);
	n = choose(hdr, true, which);
	for (i = 0; i < n; i++) {
		at = hdr->hdr_half[which[i]].half_begin;
		end = load(&hdr->hdr_half[which[i]].half_end);
		if (end > size)
			end = size;
		for (; at < end && pmon_chain_get(buf, at, end, &rec); at += rec.size)
			state->samples += rec.type == PFM_CALLCHAIN_SMPL_SAMPLE;
	}
}

/* What there is in a half, or what came since it was @seen. */
static size_t copy_half(const void *buf, size_t size, const half_t *from, half_t *to,
			char *block, size_t at, struct pmon_seen *seen)
{
	uint32_t seq = load(&from->half_seq);
	size_t begin = from->half_begin, end = load(&from->half_end);

	if (end > size || begin > end)
		return at;
	if (seen && (int32_t)(seq - (uint32_t)seen->first) < 0)
		return at;
	if (seen && seen->first == seq && seen->end > begin && seen->end <= end)
		begin = (size_t)seen->end;
	if (seen)
		*seen = (struct pmon_seen){ .first = seq, .end = end };
	if (begin == end)
		return at;
	memcpy(block + at, (const char *)buf + begin, end - begin);
	*to = (half_t){
		.half_begin = (uint32_t)at, .half_end = (uint32_t)(at + end - begin),
		.half_seq = seq, .half_state = PFM_CALLDOUBLE_SMPL_USER,
	};
	return to->half_end;
}

static size_t copy(const void *buf, size_t size, bool all, struct pmon_seen *seen,
		   void *block)
{
	const hdr_t *hdr = buf;
	unsigned int which[2], n, i;
	size_t at = sizeof(*hdr);
	hdr_t *copy = block;

	n = choose(hdr, all, which);
	*copy = *hdr;
	copy->hdr_size = sizeof(*copy);
	if (!all || seen)
		copy->hdr_gap.type = 0;
	memset(copy->hdr_half, 0, sizeof(copy->hdr_half));
	for (i = 0; i < n; i++)
		at = copy_half(buf, size, &hdr->hdr_half[which[i]], &copy->hdr_half[i],
			       block, at, seen);
	return at == sizeof(*copy) && !copy->hdr_gap.type ? 0 : at;
}

static int begin(struct pmon_iter *it)
{
	hdr_t hdr;

	if (it->size < sizeof(hdr))
		return -1;
	memcpy(&hdr, it->buf, sizeof(hdr));
	return SMPL_MAJOR(hdr.hdr_version) == SMPL_MAJOR(PFM_CALLDOUBLE_SMPL_VERSION) ?
	       0 : -1;
}

/* To the half that is next. Returns 1, 0 if there is none, or -1. */
static int next_half(struct pmon_iter *it)
{
	const half_t *half;
	unsigned int which[2];
	hdr_t hdr;

	memcpy(&hdr, it->buf, sizeof(hdr));
	if (it->turn >= choose(&hdr, true, which))
		return 0;
	half = &hdr.hdr_half[which[it->turn++]];
	return pmon_half_enter(it, half->half_begin, half->half_end, sizeof(hdr));
}

/* What is missing behind the last record. Returns 1, or 0 if nothing is. */
static int gap(struct pmon_iter *it, struct pmon_record *rec)
{
	hdr_t hdr;

	memcpy(&hdr, it->buf, sizeof(hdr));
	if (it->flags++ || hdr.hdr_gap.type != PFM_CALLCHAIN_SMPL_LOST ||
	    hdr.hdr_gap.tstamp > hdr.hdr_gap.until)
		return 0;
	rec->type = PMON_LOST;
	rec->lost = (struct pmon_lost){
		.time = hdr.hdr_gap.tstamp, .until = hdr.hdr_gap.until,
		.samples = hdr.hdr_gap.samples, .maps = hdr.hdr_gap.maps,
	};
	return 1;
}

static int next(struct pmon_iter *it, struct pmon_record *rec)
{
	int ret = 0;

	while (!ret) {
		if (it->at < it->end) {
			ret = pmon_chain_record(it, rec);
			continue;
		}
		ret = next_half(it);
		if (ret <= 0)
			return ret ? ret : gap(it, rec);
		ret = 0;
	}
	return ret;
}

uint64_t pmon_calldouble_skim(const void *block, size_t size, const struct pmon_skim *skim)
{
	struct pmon_iter it = { .buf = block, .size = size };
	uint64_t samples = 0;

	if (begin(&it))
		return 0;
	while (next_half(&it) > 0)
		samples += pmon_chain_skim(&it, skim);
	return samples;
}

/* What is behind the addresses of a sample, if there is room for it in the block. */
static bool take_user(const unsigned char *at, size_t left, struct pmon_user *user)
{
	pfm_calldouble_smpl_user_t u;

	if (left < sizeof(u))
		return false;
	memcpy(&u, at, sizeof(u));
	left -= sizeof(u);
	if (!u.nr_regs || left / sizeof(uint64_t) < u.nr_regs)
		return false;
	left -= u.nr_regs * sizeof(uint64_t);
	if (left < u.stack_size)
		return false;
	*user = (struct pmon_user){
		.machine = u.machine, .regs = u.nr_regs,
		.reg = (const void *)(at + sizeof(u)), .stack_size = u.stack_size,
	};
	user->stack = user->reg + user->regs;
	return true;
}

int pmon_sample_user(const struct pmon_iter *it, const struct pmon_record *rec,
		     struct pmon_user *user)
{
	const struct pmon_sample *sample = &rec->sample;
	const unsigned char *at, *end;
	pfm_callchain_smpl_rec_t head;

	if (it->format != &pmon_format_calldouble || rec->type != PMON_SAMPLE)
		return 0;
	/* pmon_chain_record() has found all of it in the block, and pointed behind its head. */
	at = (const unsigned char *)sample->value - sizeof(pfm_callchain_smpl_sample_t);
	memcpy(&head, at, sizeof(head));
	end = at + head.size;
	at = (const unsigned char *)(sample->chain + sample->kernel + sample->user);
	return take_user(at, (size_t)(end - at), user);
}

static void swap(void *block, size_t size, const struct pmon_layout *layout)
{
	const half_t *half;
	unsigned int i;
	hdr_t hdr;

	(void)layout;
	if (size < sizeof(hdr))
		return;
	pmon_turn(block, "448" "444" "22" "44" "88888" "22444" "8888" "4444" "4444");
	memcpy(&hdr, block, sizeof(hdr));
	for (i = 0; i < 2; i++) {
		half = &hdr.hdr_half[i];
		if (pmon_half_is_sound(half->half_begin, half->half_end, sizeof(hdr), size))
			pmon_chains_swap((char *)block + half->half_begin,
					 half->half_end - half->half_begin);
	}
}

const struct pmon_format pmon_format_calldouble = {
	.name = "calldouble",
	.help = "as callchain, in two halves: sampling goes on, gaps are recorded",
	.uuid = PFM_CALLDOUBLE_SMPL_UUID,
	.arg_size = sizeof(pfm_calldouble_smpl_arg_t),
	.values = true,
	.chains = true,
	.max_size = 1U << 30,
	.min_size = min_size,
	.argument = argument,
	.state = state,
	.copy = copy,
	.begin = begin,
	.next = next,
	.turn = swap,
};
