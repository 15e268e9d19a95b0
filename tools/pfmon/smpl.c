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

size_t smpl_copy_front(void *block, const void *buf, size_t size, uint64_t used)
{
	if (used < size)
		size = (size_t)used;
	memcpy(block, buf, size);
	return size;
}
