// SPDX-License-Identifier: LGPL-2.1-or-later
/* Buffers of two halves, of which the kernel fills one while the other is read. */
#include <perfmon/calldouble_smpl.h>
#include <perfmon/double_smpl.h>

#include "smpl_half.h"

_Static_assert((int)PFM_DOUBLE_SMPL_USER == (int)PFM_CALLDOUBLE_SMPL_USER &&
	       (int)PFM_DOUBLE_SMPL_KERNEL == (int)PFM_CALLDOUBLE_SMPL_KERNEL,
	       "both formats have the same states");

unsigned int pmon_halves_choose(const uint32_t state[2], bool later, bool all,
				unsigned int which[2])
{
	unsigned int n = 0, i;

	for (i = 0; i < 2; i++)
		if (state[i] == PFM_DOUBLE_SMPL_USER ||
		    (all && state[i] == PFM_DOUBLE_SMPL_KERNEL))
			which[n++] = i;
	if (n == 2 && later) {
		which[0] = 1;
		which[1] = 0;
	}
	return all || n < 2 ? n : 1;
}

bool pmon_half_is_sound(uint64_t begin, uint64_t end, size_t head, size_t size)
{
	return begin >= head && begin % 8 == 0 && begin <= end && end <= size;
}

int pmon_half_enter(struct pmon_iter *it, uint64_t begin, uint64_t end, size_t head)
{
	if (!pmon_half_is_sound(begin, end, head, it->size))
		return -1;
	it->at = (size_t)begin;
	it->end = (size_t)end;
	return 1;
}
