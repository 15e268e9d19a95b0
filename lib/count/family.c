// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The families of PMUs whose events can be counted. Another one is one more line; where the
 * names of two begin alike the longer one comes first.
 */
#include <stddef.h>
#include <string.h>

#include "family.h"

static const struct family *const families[] = {
	&family_intel, &family_amd, &family_p6, &family_p4,
	&family_ppc970, &family_ppc,
	&family_power8, &family_power9, &family_power10, &family_power11,
};

const struct family *family_find(const struct pmu *pmu)
{
	size_t i;

	for (i = 0; i < sizeof(families) / sizeof(families[0]); i++)
		if (!strncmp(pmu->model, families[i]->model, strlen(families[i]->model)))
			return families[i];
	return NULL;
}
