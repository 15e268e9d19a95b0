// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The double-buffering sampling format: see <perfmon/double_smpl.h>. What is
 * copied is the header and the halves that are wanted, one after the other:
 * a buffer again that has its other half free.
 */
#include <string.h>

#include <perfmon/double_smpl.h>

#include "smpl_half.h"

typedef pfm_double_smpl_hdr_t hdr_t;
typedef pfm_double_smpl_half_t half_t;

/* Not masked when both are full, so that the kernel can count what is lost. */
static void argument(void *arg, uint64_t buffer_size)
{
	((pfm_double_smpl_arg_t *)arg)->buf_size = buffer_size;
}

static uint64_t min_size(unsigned int pmds)
{
	return sizeof(hdr_t) + 2 * (sizeof(pfm_double_smpl_entry_t) +
				    (pmds + 1) * sizeof(uint64_t));
}

static uint64_t load(const __u64 *p)
{
	return __atomic_load_n(p, __ATOMIC_ACQUIRE);
}

static void state(const void *buf, size_t size, struct pmon_state *state)
{
	const hdr_t *hdr = buf;
	unsigned int i;

	(void)size;
	memset(state, 0, sizeof(*state));
	state->full = load(&hdr->hdr_overflows);
	state->lost = load(&hdr->hdr_lost);
	for (i = 0; i < 2; i++)
		if (hdr->hdr_half[i].half_state != PFM_DOUBLE_SMPL_FREE)
			state->samples += load(&hdr->hdr_half[i].half_count);
}

static unsigned int choose(const hdr_t *hdr, bool all, unsigned int which[2])
{
	const half_t *half = hdr->hdr_half;
	const uint32_t state[] = {
		__atomic_load_n(&half[0].half_state, __ATOMIC_ACQUIRE),
		__atomic_load_n(&half[1].half_state, __ATOMIC_ACQUIRE),
	};

	return pmon_halves_choose(state, half[0].half_first > half[1].half_first, all, which);
}

/*
 * What one half has, or what is new in it. One that is older than the half that was looked at last
 * was full by then: all of it was seen.
 */
static struct pmon_part part_of(const half_t *half, uint64_t first, size_t size,
				struct pmon_seen *seen)
{
	if (seen && first < seen->first)
		return (struct pmon_part){ 0 };
	if (seen && first > seen->first)
		*seen = (struct pmon_seen){ .first = first };
	return pmon_part(&half->half_count, &half->half_cur_offs, half->half_offs, size, seen);
}

/* Has the kernel begun a half anew since it had this as its first? */
static bool is_anew(const half_t *half, uint64_t first)
{
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return load(&half->half_first) != first;
}

/* Samples of one half; none if the kernel begins it anew meanwhile. */
static size_t copy_half(const void *buf, size_t size, const half_t *from,
			half_t *to, char *block, size_t at, struct pmon_seen *seen)
{
	uint64_t first = load(&from->half_first);
	struct pmon_part part = part_of(from, first, size, seen);

	if (!part.count)
		return at;
	memcpy(block + at, (const char *)buf + part.begin, part.end - part.begin);
	if (is_anew(from, first))
		return at;
	to->half_offs = at;
	to->half_cur_offs = at + part.end - part.begin;
	to->half_count = part.count;
	to->half_first = first;
	to->half_state = PFM_DOUBLE_SMPL_USER;
	return (size_t)to->half_cur_offs;
}

static size_t copy(const void *buf, size_t size, bool all, struct pmon_seen *seen,
		   void *block)
{
	const hdr_t *hdr = buf;
	hdr_t *copy = block;
	unsigned int which[2], n, i;
	size_t at = sizeof(*copy);

	n = choose(hdr, all, which);
	*copy = *hdr;
	memset(copy->hdr_half, 0, sizeof(copy->hdr_half));
	for (i = 0; i < n; i++)
		at = copy_half(buf, size, &hdr->hdr_half[which[i]],
			       &copy->hdr_half[i], block, at, seen);
	return at == sizeof(*copy) ? 0 : at;
}

bool pmon_double_look(const void *buf, size_t size, const struct pmon_layout *layout,
		      struct pmon_seen *seen,
		      void (*run)(void *arg, const struct pmon_run *run), void *arg)
{
	const hdr_t *hdr = buf;
	unsigned int which[2], n = choose(hdr, true, which), i;
	bool sound = true;

	for (i = 0; i < n; i++) {
		const half_t *half = &hdr->hdr_half[which[i]];
		uint64_t first = load(&half->half_first);
		struct pmon_part part = part_of(half, first, size, seen);
		struct pmon_iter it = {
			.format = &pmon_format_double, .buf = buf, .size = size,
			.layout = layout, .at = part.begin, .end = part.end,
			.left = part.count, .flags = hdr->hdr_flags,
		};
		struct pmon_run samples;

		while (pmon_entries_run(&it, &samples))
			run(arg, &samples);
		sound &= !is_anew(half, first);
	}
	return sound;
}

static int begin(struct pmon_iter *it)
{
	hdr_t hdr;

	if (it->size < sizeof(hdr))
		return -1;
	memcpy(&hdr, it->buf, sizeof(hdr));
	if (SMPL_MAJOR(hdr.hdr_version) != SMPL_MAJOR(PFM_DOUBLE_SMPL_VERSION) ||
	    hdr.hdr_flags & ~(PFM_DOUBLE_SMPL_NO_HDR | PFM_DOUBLE_SMPL_IIP_HDR |
			      PFM_DOUBLE_SMPL_MASK_WHEN_FULL))
		return -1;
	/* The first two flags are those of the default format. */
	it->flags = hdr.hdr_flags;
	return 0;
}

/* The samples of the half that is next. Returns 1, 0 if there is none, or -1. */
static int next_half(struct pmon_iter *it)
{
	const half_t *half;
	unsigned int which[2];
	hdr_t hdr;

	memcpy(&hdr, it->buf, sizeof(hdr));
	if (it->turn >= choose(&hdr, true, which))
		return 0;
	half = &hdr.hdr_half[which[it->turn++]];
	if (pmon_half_enter(it, half->half_offs, half->half_cur_offs, sizeof(hdr)) < 0)
		return -1;
	it->left = half->half_count;
	return 1;
}

static int next(struct pmon_iter *it, struct pmon_record *rec)
{
	int ret;

	while (!it->left) {
		ret = next_half(it);
		if (ret <= 0)
			return ret;
	}
	return pmon_entries_next(it, rec);
}

static void swap(void *block, size_t size, const struct pmon_layout *layout)
{
	const half_t *half;
	unsigned int i;
	hdr_t hdr;

	if (size < sizeof(hdr))
		return;
	pmon_turn(block, "448888844888844888844");
	memcpy(&hdr, block, sizeof(hdr));
	for (i = 0; i < 2; i++) {
		half = &hdr.hdr_half[i];
		if (pmon_half_is_sound(half->half_offs, half->half_cur_offs, sizeof(hdr), size))
			pmon_entries_swap((char *)block + half->half_offs,
					  (size_t)(half->half_cur_offs - half->half_offs),
					  hdr.hdr_flags, layout);
	}
}

const struct pmon_format pmon_format_double = {
	.name = "double",
	.help = "the same in two halves: sampling goes on, losses are counted",
	.uuid = PFM_DOUBLE_SMPL_UUID,
	.arg_size = sizeof(pfm_double_smpl_arg_t),
	.values = true,
	.min_size = min_size,
	.argument = argument,
	.state = state,
	.copy = copy,
	.begin = begin,
	.next = next,
	.turn = swap,
};
