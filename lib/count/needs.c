// SPDX-License-Identifier: LGPL-2.1-or-later
/* What events of x86 need: certain counters, and registers of their own. */
#include <stddef.h>

#include "family.h"
#include "needs.h"
#include "x86.h"

bool needs_unknown(const struct pmu *pmu)
{
	return family_find(pmu->model) == &family_intel && !pmu_is_other(pmu) &&
	       !family_model(pmu);
}

uint32_t needs_counters(const struct pmu *pmu, uint64_t code)
{
	const struct model *model = family_model(pmu);
	const struct limit *l = model ? model->limits :
				needs_unknown(pmu) ? x86_least_limits : NULL;
	unsigned int event = (unsigned int)((code & 0xff) | (code >> 24 & 0xf00));
	unsigned int umask = code >> 8 & 0xff;

	for (; l && l->to != NO_EVENT; l++)
		if (event >= l->from && event <= l->to &&
		    (l->umask == ANY_UMASK || l->umask == umask))
			return l->counters;
	return ~(uint32_t)0;
}

const struct event_register *needs_register(const struct pmu *pmu, uint64_t code)
{
	const struct model *model = family_model(pmu);
	const struct event_register *r = model ? model->registers : NULL;

	if (needs_unknown(pmu))
		r = x86_least_registers;
	for (; r && r->code; r++)
		if (r->code == (code & 0xffff))
			return r;
	return NULL;
}
