// SPDX-License-Identifier: LGPL-2.1-or-later
/* The sampling formats. */
#include <errno.h>
#include <string.h>

#include "smpl.h"

#define FORMAT_ADDRESS(name)	&pmon_format_##name,
static const struct pmon_format *const formats[] = { FORMATS(FORMAT_ADDRESS) };

#define N_FORMATS	(sizeof(formats) / sizeof(formats[0]))

const struct pmon_format *pmon_format_at(unsigned int i)
{
	return i < N_FORMATS ? formats[i] : NULL;
}

const struct pmon_format *pmon_format_find(const char *name)
{
	size_t i;

	for (i = 0; i < N_FORMATS; i++)
		if (!strcmp(formats[i]->name, name))
			return formats[i];
	return NULL;
}

const struct pmon_format *pmon_format_find_uuid(const unsigned char *uuid)
{
	size_t i;

	for (i = 0; i < N_FORMATS; i++)
		if (!memcmp(formats[i]->uuid, uuid, sizeof(pfm_uuid_t)))
			return formats[i];
	return NULL;
}

void pmon_layout_init(struct pmon_layout *layout)
{
	size_t i;

	layout->pmd = PFM_MAX_PMDS;
	for (i = 0; i < PFM_MAX_PMDS; i++)
		layout->values[i] = -1;
}

void pmon_layout_add(struct pmon_layout *layout, unsigned int pmd,
		     unsigned int values)
{
	if (layout->pmd == PFM_MAX_PMDS)
		layout->pmd = (uint16_t)pmd;
	layout->values[pmd] = (int16_t)values;
}

void *pmon_turn(void *at, const char *widths)
{
	unsigned char *from = at, byte;
	unsigned int width, i;

	for (; *widths; widths++, from += width) {
		width = (unsigned int)(*widths - '0');
		for (i = 0; i < width / 2; i++) {
			byte = from[i];
			from[i] = from[width - 1 - i];
			from[width - 1 - i] = byte;
		}
	}
	return from;
}

/* A damaged block has no records left, and pmon_iter_next() says so each time. */
static int damaged(struct pmon_iter *it)
{
	it->format = NULL;
	return -EBADMSG;
}

int pmon_iter_begin(struct pmon_iter *it, const struct pmon_format *format,
		    const void *block, size_t size, const struct pmon_layout *layout,
		    const struct pmon_origin *origin)
{
	static const struct pmon_origin unknown = { -1, -1, -1 };

	*it = (struct pmon_iter){
		.format = format, .buf = block, .size = size, .layout = layout,
		.origin = origin ? *origin : unknown,
	};
	return format->begin(it) ? damaged(it) : 0;
}

int pmon_iter_next(struct pmon_iter *it, struct pmon_record *rec)
{
	int ret = it->format ? it->format->next(it, rec) : -1;

	return ret < 0 ? damaged(it) : ret;
}

/*
 * The kernel counts a record when it is in place. If the count is the same before and
 * after the end was read, the end is that of so many records, unless another CPU was
 * about to count one more.
 */
struct pmon_part pmon_part(const __u64 *count, const __u64 *end, uint64_t begin,
			   size_t size, struct pmon_seen *seen)
{
	uint64_t n, last;
	struct pmon_part part;

	do {
		n = __atomic_load_n(count, __ATOMIC_ACQUIRE);
		last = __atomic_load_n(end, __ATOMIC_ACQUIRE);
	} while (__atomic_load_n(count, __ATOMIC_RELAXED) != n);
	if (last > size)
		last = size;
	if (last < begin)
		return (struct pmon_part){ 0 };
	part = (struct pmon_part){ n, (size_t)begin, (size_t)last };
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

size_t pmon_part_copy(void *block, const void *buf, size_t head,
		      const struct pmon_part *part)
{
	size_t size = part->end - part->begin;

	memcpy(block, buf, head);
	memcpy((char *)block + head, (const char *)buf + part->begin, size);
	return head + size;
}
