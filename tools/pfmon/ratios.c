// SPDX-License-Identifier: GPL-2.0-only
/* What counts say together. Another formula is one more line in formulas[]. */
#include <string.h>
#include <strings.h>

#include "ratios.h"

static const struct {
	const char *event, *of;
	const char *name;
	bool percent;
} formulas[] = {
	{ "instructions", "cycles", "IPC", false },
	{ "branch-misses", "branches", "of branches", true },
	{ "cache-misses", "cache-references", "of cache-references", true },
	{ "l1-misses", "l1-accesses", "of accesses", true },
	{ "LLC-load-misses", "LLC-loads", "of LLC-loads", true },
	{ "dTLB-load-misses", "l1-accesses", "of accesses", true },
	{ "l1-misses", "instructions", "of instructions", true },
	{ "cache-misses", "instructions", "of instructions", true },
	{ "branch-misses", "instructions", "of instructions", true },
	/* As libpfm4 calls Intel's architectural events. */
	{ "INSTRUCTION_RETIRED", "UNHALTED_CORE_CYCLES", "IPC", false },
	{ "MISPREDICTED_BRANCH_RETIRED", "BRANCH_INSTRUCTIONS_RETIRED", "of branches", true },
	{ "LLC_MISSES", "LLC_REFERENCES", "of references", true },
	/* And some that are AMD's. */
	{ "RETIRED_INSTRUCTIONS", "CPU_CLK_UNHALTED", "IPC", false },
	{ "RETIRED_INSTRUCTIONS", "CYCLES_NOT_IN_HALT", "IPC", false },
	{ "RETIRED_MISPREDICTED_BRANCH_INSTRUCTIONS", "RETIRED_BRANCH_INSTRUCTIONS",
	  "of branches", true },
	{ "RETIRED_BRANCH_INSTRUCTIONS_MISPREDICTED", "RETIRED_BRANCH_INSTRUCTIONS",
	  "of branches", true },
	{ "DATA_CACHE_MISSES", "DATA_CACHE_ACCESSES", "of accesses", true },
};

#define FORMULAS	(sizeof(formulas) / sizeof(formulas[0]))

/* Is it this event, whatever its levels are? With other modifiers it is another one. */
static bool is(const struct counter *c, const char *name)
{
	size_t len = strlen(name);

	return !strncasecmp(c->name, name, len) &&
	       (!c->name[len] || !strcmp(c->name + len, ":u") || !strcmp(c->name + len, ":k"));
}

/* How well an event goes with another one; 0: not at all. */
static unsigned int fitness(const struct counters *counters, const struct counter *c,
			    const struct counter *of)
{
	if (c->levels != of->levels)
		return 0;
	if (c->set == of->set && c->sets == of->sets)
		return c->list == of->list ? 3 : 2;
	return of->sets == counters->sets;
}

static int find(const struct counters *counters, unsigned int i, const char *of)
{
	unsigned int k, best = 0, fit;
	int found = -1;

	for (k = 0; k < counters->n; k++) {
		if (k == i || !is(&counters->c[k], of))
			continue;
		fit = fitness(counters, &counters->c[i], &counters->c[k]);
		if (fit > best) {
			best = fit;
			found = (int)k;
		}
	}
	return found;
}

bool ratios_find(const struct result *result, const struct counts *sum, unsigned int i,
		 struct ratio *ratio)
{
	const struct counters *counters = result->counters;
	uint64_t value = result_estimate(result, sum, i).value, of;
	size_t f;
	int k;

	for (f = 0; f < FORMULAS; f++) {
		if (!is(&counters->c[i], formulas[f].event))
			continue;
		k = find(counters, i, formulas[f].of);
		if (k < 0)
			continue;
		of = result_estimate(result, sum, (unsigned int)k).value;
		if (!of)
			continue;
		*ratio = (struct ratio){
			.name = formulas[f].name, .percent = formulas[f].percent,
			.value = (double)value / (double)of, .of = (unsigned int)k,
		};
		return true;
	}
	return false;
}
