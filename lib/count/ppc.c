// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * PowerPC of 32 bits, 604 to 745x: PMC n is the event select of counter n, and PMC 0 says
 * who is counted.
 *
 * IBM's and Freescale's manuals of these processors, chapter 11, and of the 604 chapter 9.
 */
#include <inttypes.h>
#include <string.h>

#include "ppc.h"

#define LEVELS_PMC	0
#define NOT_KERNEL	(1ULL << 30)
#define NOT_USER	(1ULL << 29)

#define CYCLES		1
/* Those that the first four counters have under one number: completed ... dispatched. */
#define COMMON_LAST	4
#define COMMON		0x1eU

#define EVENT(code)	((code) & 0xff)
#define COUNTER(code)	((code) >> 8)

bool ppc_is(const struct pmu *pmu)
{
	return pmu && !strncmp(pmu->model, "PowerPC", 7);
}

/* The counters whose lists have the event, whether this processor has them or not. */
static uint32_t counters(uint64_t code)
{
	if (COUNTER(code))
		return COUNTER(code) < PMU_COUNTERS ? 1U << COUNTER(code) : 0;
	if (EVENT(code) == CYCLES)
		return ~0U;
	return EVENT(code) && EVENT(code) <= COMMON_LAST ? COMMON : 0;
}

int ppc_encode(const struct encoding *e, const struct event_source *source,
	       struct counter *c, char error[EVENTS_ERROR_MAX])
{
	const int shown = 80;

	c->can = counters(e->code) & source->there;
	if (!c->can && !COUNTER(e->code))
		snprintf(error, EVENTS_ERROR_MAX,
			 "'%.*s': each counter has events of its own: put its number before them, as in r1%02" PRIx64,
			 shown, e->name, EVENT(e->code));
	else if (!c->can)
		snprintf(error, EVENTS_ERROR_MAX,
			 "'%.*s': this machine does not have the only counter that could count it",
			 shown, e->name);
	else if (!EVENT(e->code) ||
		 EVENT(e->code) & source->pmu->pmc[__builtin_ctz(c->can)].reserved)
		snprintf(error, EVENTS_ERROR_MAX, "'%.*s': this counter has no such event",
			 shown, e->name);
	else if (!e->levels)
		snprintf(error, EVENTS_ERROR_MAX,
			 "'%.*s' counts neither programs nor the kernel", shown, e->name);
	else
		return 0;
	return -1;
}

void ppc_place(struct counter *c)
{
	c->value = EVENT(c->code);
	c->has_extra = true;
	c->extra_pmc = LEVELS_PMC;
	c->extra = (c->levels & LEVEL_KERNEL ? 0 : NOT_KERNEL) |
		   (c->levels & LEVEL_USER ? 0 : NOT_USER);
}
