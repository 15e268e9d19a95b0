// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * PowerPC of 32 bits, 604 to 745x: PMC n is the event select of counter n, and PMC 0 says
 * who is counted.
 *
 * IBM's and Freescale's manuals of these processors, chapter 11, and of the 604 chapter 9.
 */
#include <inttypes.h>

#include "family.h"
#include "ppc.h"

#define LEVELS_PMC	0
#define NOT_KERNEL	(1ULL << 30)
#define NOT_USER	(1ULL << 29)

#define CYCLES		1
/* The last number that stands for one event in the lists of all of the first four counters. */
#define COMMON_LAST	4
#define COMMON		0x1eU

#define EVENT(code)	((code) & 0xff)
#define COUNTER(code)	((code) >> 8)

/* The counters whose lists have the event, whether this processor has them or not. */
static uint32_t counters(uint64_t code)
{
	if (COUNTER(code))
		return COUNTER(code) < PMU_COUNTERS ? 1U << COUNTER(code) : 0;
	if (EVENT(code) == CYCLES)
		return ~0U;
	return EVENT(code) && EVENT(code) <= COMMON_LAST ? COMMON : 0;
}

int ppc_refuse_number(const struct encoding *e, char error[EVENTS_ERROR_MAX])
{
	snprintf(error, EVENTS_ERROR_MAX,
		 "'%.*s': each counter has events of its own: put its number before them, as in r1%02" PRIx64,
		 ENCODE_SHOWN, e->name, EVENT(e->code));
	return -1;
}

static int ppc_encode(const struct encoding *e, const struct event_source *source,
		      struct counter *c, char error[EVENTS_ERROR_MAX])
{
	c->can = counters(e->code) & source->there;
	if (!c->can && !COUNTER(e->code))
		return ppc_refuse_number(e, error);
	if (!c->can)
		return encode_refuse(e, ": this machine does not have the only counter that could count it", error);
	if (!EVENT(e->code) ||
	    EVENT(e->code) & source->pmu->pmc[__builtin_ctz(c->can)].reserved)
		return encode_refuse(e, ": this counter has no such event", error);
	c->shared = "it counts other levels than an event beside it: of this PMU all are the same";
	return 0;
}

static void ppc_place(struct counter *c, unsigned int n)
{
	(void)n;
	c->value = EVENT(c->code);
	c->extras = 1;
	c->extra[0] = (struct extra){ .pmc = LEVELS_PMC, .mask = ~0ULL };
	c->extra[0].value = (c->levels & LEVEL_KERNEL ? 0 : NOT_KERNEL) |
			    (c->levels & LEVEL_USER ? 0 : NOT_USER);
}

static const struct event ppc_raw = { .name = "rNEE", .period = 100003,
	.help = "the event EE of counter N, in hexadecimal; without N one that all counters have" };

#define PPC_FAMILY							\
	.counters = 6, .spr = true, .modifiers = MODIFIERS_NONE,	\
	.raw = &ppc_raw, .raw_digits = 9, .encode = ppc_encode, .place = ppc_place
#define PPC_CODES \
	[HW_CYCLES] = PPC_EVENT(0, CYCLES), [HW_INSTRUCTIONS] = PPC_EVENT(0, 2)

/* 750 and 7400 count branches that are taken and those that are not apart. */
const struct family family_ppc = {
	.model = "PowerPC", .codes = { PPC_CODES }, PPC_FAMILY,
};

const struct family family_ppc604 = {
	.model = "PowerPC 604", .codes = { PPC_CODES, [HW_BRANCHES] = PPC_EVENT(2, 8) },
	PPC_FAMILY,
};

const struct family family_ppc745 = {
	.model = "PowerPC 745",
	.codes = { PPC_CODES,
		[HW_BRANCHES] = PPC_EVENT(1, 0x22), [HW_BRANCH_MISSES] = PPC_EVENT(4, 0x1c),
		[HW_L1_MISSES] = PPC_EVENT(2, 0x17) },
	PPC_FAMILY,
};
