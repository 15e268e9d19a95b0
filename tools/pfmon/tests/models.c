// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the library's tables say of models of processors, for models.py: a line "PMU FAMILY
 * MODEL WORD" each on standard input, whose WORD is "known", the name of an event, "value:" and such a name,
 * or an event's code in hexadecimal, gives a number on standard output: whether the model is in the
 * tables, the event's code, what its own register gets, or which counters can count the event.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "family.h"
#include "needs.h"

static uint64_t answer(const struct pmu *pmu, const char *word)
{
	static const char *const names[HW_EVENTS] = {
		[HW_CYCLES] = "cycles", [HW_INSTRUCTIONS] = "instructions",
		[HW_BRANCHES] = "branches", [HW_BRANCH_MISSES] = "branch-misses",
		[HW_CACHE_REFERENCES] = "cache-references", [HW_CACHE_MISSES] = "cache-misses",
		[HW_L1_MISSES] = "l1-misses", [HW_L1_ACCESSES] = "l1-accesses",
		[HW_REF_CYCLES] = "ref-cycles", [HW_STORES] = "L1-dcache-stores",
		[HW_ICACHE_MISSES] = "L1-icache-load-misses",
		[HW_DTLB_MISSES] = "dTLB-load-misses",
		[HW_DTLB_STORE_MISSES] = "dTLB-store-misses",
		[HW_ITLB_MISSES] = "iTLB-load-misses",
		[HW_LLC_LOADS] = "LLC-loads", [HW_LLC_MISSES] = "LLC-load-misses",
	};
	unsigned int i;

	if (!strcmp(word, "known"))
		return family_model(pmu) != NULL;
	for (i = 0; i < HW_EVENTS; i++)
		if (!strcmp(word, names[i]))
			return family_code(pmu, i);
	if (!strncmp(word, "value:", 6))
		for (i = 0; i < HW_EVENTS; i++)
			if (!strcmp(word + 6, names[i]))
				return family_value(pmu, i);
	return needs_counters(pmu, strtoull(word, NULL, 16));
}

int main(void)
{
	char kind[16], word[32];
	struct pmu pmu;

	memset(&pmu, 0, sizeof(pmu));
	while (scanf("%15s %u %u %31s", kind, &pmu.family, &pmu.cpu, word) == 4) {
		snprintf(pmu.model, sizeof(pmu.model), "%s%s", kind,
			 strcmp(kind, "Intel") ? "" : " architectural");
		printf("%#llx\n", (unsigned long long)answer(&pmu, word));
	}
	return 0;
}
