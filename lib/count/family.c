// SPDX-License-Identifier: LGPL-2.1-or-later
/* The families of PMUs whose events can be counted. */
#include <stddef.h>
#include <string.h>

#include "family.h"

#define FAMILY_ADDRESS(name)	&family_##name,
static const struct family *const families[] = { FAMILIES(FAMILY_ADDRESS) };

const struct family *family_find(const char *model)
{
	const struct family *found = NULL;
	size_t i, longest = 0, len;

	for (i = 0; i < sizeof(families) / sizeof(families[0]); i++) {
		len = strlen(families[i]->model);
		if (len > longest && !strncmp(model, families[i]->model, len)) {
			found = families[i];
			longest = len;
		}
	}
	return found;
}

static bool is_of(const struct model *m, const struct pmu *pmu)
{
	unsigned int i;

	if (m->family != pmu->family)
		return false;
	for (i = 0; i < MODEL_NUMBERS && m->models[i]; i++)
		if (m->models[i] == pmu->cpu)
			return true;
	return !m->models[0];
}

const struct model *family_model(const struct pmu *pmu)
{
	const struct family *family = family_find(pmu->model);
	const struct model *m = family ? family->models : NULL;

	if (!m || pmu_is_other(pmu))
		return NULL;
	for (; m->family; m++)
		if (is_of(m, pmu))
			return m;
	return NULL;
}

uint64_t family_value(const struct pmu *pmu, enum hw_event event)
{
	const struct model *m = family_model(pmu);

	return !m ? 0 : event == HW_LLC_LOADS ? m->llc_loads :
	       event == HW_LLC_MISSES ? m->llc_misses : 0;
}

uint64_t family_code(const struct pmu *pmu, enum hw_event event)
{
	const struct family *family = family_find(pmu->model);
	const struct model *m = family_model(pmu);
	uint64_t code = m ? m->codes[event] : 0;

	if (!code && family_value(pmu, event))
		code = m->llc;
	if (!code && family && !pmu_is_other(pmu))
		code = family->codes[event];
	return code == CODE_NONE || pmu_lacks(pmu, code) ? 0 : code;
}
