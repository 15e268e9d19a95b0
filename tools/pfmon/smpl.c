// SPDX-License-Identifier: GPL-2.0-only
/* The sampling formats. */
#include <string.h>

#include "smpl.h"

static const struct smpl_format *const formats[] = {
	&smpl_default, &smpl_double, &smpl_aggregate, &smpl_callchain,
};

#define FORMATS	(sizeof(formats) / sizeof(formats[0]))

const struct smpl_format *smpl_find(const char *name)
{
	size_t i;

	for (i = 0; i < FORMATS; i++)
		if (!strcmp(formats[i]->name, name))
			return formats[i];
	return NULL;
}

const struct smpl_format *smpl_find_uuid(const unsigned char *uuid)
{
	size_t i;

	for (i = 0; i < FORMATS; i++)
		if (!memcmp(formats[i]->uuid, uuid, sizeof(pfm_uuid_t)))
			return formats[i];
	return NULL;
}

void smpl_print(FILE *out)
{
	size_t i;

	fputs("sampling formats:\n", out);
	for (i = 0; i < FORMATS; i++)
		fprintf(out, "  %-18s %s\n", formats[i]->name, formats[i]->help);
}

void smpl_layout_init(struct smpl_layout *layout)
{
	size_t i;

	layout->pmd = PFM_MAX_PMDS;
	for (i = 0; i < PFM_MAX_PMDS; i++)
		layout->values[i] = -1;
}

void smpl_layout_add(struct smpl_layout *layout,
		     const struct sampled_event *event)
{
	if (layout->pmd == PFM_MAX_PMDS)
		layout->pmd = event->pmd;
	layout->values[event->pmd] = (int16_t)event->readings;
}

/*
 * The kernel counts a record when it is in place. If the count is the same before and
 * after, the end is of that count, unless it is being written on another CPU.
 */
struct smpl_part smpl_part(const __u64 *count, const __u64 *end, uint64_t begin,
			   size_t size, struct smpl_seen *seen)
{
	uint64_t n, last;
	struct smpl_part part;

	do {
		n = __atomic_load_n(count, __ATOMIC_ACQUIRE);
		last = __atomic_load_n(end, __ATOMIC_ACQUIRE);
	} while (__atomic_load_n(count, __ATOMIC_RELAXED) != n);
	if (last > size)
		last = size;
	if (last < begin)
		return (struct smpl_part){ 0 };
	part = (struct smpl_part){ n, (size_t)begin, (size_t)last };
	if (!seen)
		return part;
	if (seen->end >= begin && seen->end <= last && seen->count <= n) {
		part.begin = (size_t)seen->end;
		part.count -= seen->count;
	}
	seen->count = n;
	seen->end = last;
	return part;
}
