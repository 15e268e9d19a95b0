// SPDX-License-Identifier: GPL-2.0-only
/*
 * The double-buffering sampling format: see <perfmon/double_smpl.h>. What is
 * copied is the header and the halves that are wanted, one after the other:
 * a buffer again that has its other half free.
 */
#include <string.h>

#include <perfmon/double_smpl.h>

#include "smpl.h"

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

static void state(const void *buf, size_t size, struct smpl_state *state)
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

/* The halves that are wanted, the older one first. Returns how many. */
static unsigned int choose(const hdr_t *hdr, bool all, unsigned int which[2])
{
	unsigned int n = 0, i, state;

	for (i = 0; i < 2; i++) {
		state = __atomic_load_n(&hdr->hdr_half[i].half_state,
					__ATOMIC_ACQUIRE);
		if (state == PFM_DOUBLE_SMPL_USER ||
		    (all && state == PFM_DOUBLE_SMPL_KERNEL))
			which[n++] = i;
	}
	if (n == 2 && hdr->hdr_half[0].half_first > hdr->hdr_half[1].half_first) {
		which[0] = 1;
		which[1] = 0;
	}
	return all || n < 2 ? n : 1;
}

/*
 * Samples of one half; none if the kernel begins it anew meanwhile. A half that is
 * older than the one that was looked at last was full by then: all of it was seen.
 */
static size_t copy_half(const void *buf, size_t size, const half_t *from,
			half_t *to, char *block, size_t at, struct smpl_seen *seen)
{
	uint64_t first = load(&from->half_first);
	struct smpl_part part;

	if (seen && first < seen->first)
		return at;
	if (seen && first > seen->first)
		*seen = (struct smpl_seen){ .first = first };
	part = smpl_part(&from->half_count, &from->half_cur_offs, from->half_offs, size,
			 seen);
	if (!part.count)
		return at;
	memcpy(block + at, (const char *)buf + part.begin, part.end - part.begin);
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	if (load(&from->half_first) != first)
		return at;
	to->half_offs = at;
	to->half_cur_offs = at + part.end - part.begin;
	to->half_count = part.count;
	to->half_first = first;
	to->half_state = PFM_DOUBLE_SMPL_USER;
	return (size_t)to->half_cur_offs;
}

static size_t copy(const void *buf, size_t size, bool all, struct smpl_seen *seen,
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

static long parse(const void *buf, size_t size,
		  const struct smpl_layout *layout,
		  const struct smpl_origin *origin, const struct smpl_sink *sink)
{
	unsigned int which[2], n, i;
	long sum = 0, ret;
	hdr_t hdr;

	if (size < sizeof(hdr))
		return -1;
	memcpy(&hdr, buf, sizeof(hdr));
	if (SMPL_MAJOR(hdr.hdr_version) != SMPL_MAJOR(PFM_DOUBLE_SMPL_VERSION) ||
	    hdr.hdr_flags & ~(PFM_DOUBLE_SMPL_NO_HDR | PFM_DOUBLE_SMPL_IIP_HDR |
			      PFM_DOUBLE_SMPL_MASK_WHEN_FULL))
		return -1;
	n = choose(&hdr, true, which);
	for (i = 0; i < n; i++) {
		const half_t *half = &hdr.hdr_half[which[i]];

		if (half->half_offs < sizeof(hdr) || half->half_offs % 8 ||
		    half->half_cur_offs > size ||
		    half->half_cur_offs < half->half_offs)
			return -1;
		/* The first two flags are those of the default format. */
		ret = smpl_entries((const char *)buf + half->half_offs,
				   (size_t)(half->half_cur_offs - half->half_offs),
				   half->half_count, hdr.hdr_flags, layout,
				   origin, sink);
		if (ret < 0)
			return -1;
		sum += ret;
	}
	return sum;
}

const struct smpl_format smpl_double = {
	.name = "double",
	.help = "the same in two halves: sampling goes on, losses are counted",
	.uuid = PFM_DOUBLE_SMPL_UUID,
	.arg_size = sizeof(pfm_double_smpl_arg_t),
	.values = true,
	.min_size = min_size,
	.argument = argument,
	.state = state,
	.copy = copy,
	.parse = parse,
};
