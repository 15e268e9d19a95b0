// SPDX-License-Identifier: LGPL-2.1-or-later
/* x86 but for Pentium 4: a counter has one control register, PerfEvtSel. */
#include <inttypes.h>
#include <string.h>

#include "family.h"
#include "needs.h"
#include "x86.h"

#define LEVELS_SHIFT	16
#define LEVELS		(3ULL << LEVELS_SHIFT)
#define INT		(1ULL << 20)
#define EN		(1ULL << 22)

/* What modifiers set: with any of these bits a known event is another one. */
#define MODIFIERS	(X86_EDGE | X86_ANY | X86_INV | (uint64_t)X86_CMASK_MAX << X86_CMASK_SHIFT)

/* Bits that an event by number can have; AMD's event has bits 11:8, too. */
#define EVTSEL		(0xffffULL | X86_EDGE | X86_INV | (uint64_t)X86_CMASK_MAX << X86_CMASK_SHIFT)
#define EVTSEL_AMD	(0xfULL << 32)

/* Counters that count by PerfEvtSel. */
#define GENERAL		((1U << PMU_FIXED) - 1)

/* Of a fixed counter: OS (0) and USR (1). */
#define FIXED_OS	1
#define FIXED_USR	2

static void x86_named(struct encoding *e, const struct named_event *event)
{
	e->levels &= event->select >> LEVELS_SHIFT & LEVEL_BOTH;
	e->code = event->select & ~(LEVELS | INT | EN);
	e->has_value = event->has_value;
	e->value = event->value;
}

/* What the bits would do that the kernel keeps from programs. */
static const char *bits_mean(uint64_t bits)
{
	if (bits & X86_ANY)
		return "any thread, also of other programs";
	if (bits & 3ULL << 40)
		return "host and guest";
	if (bits & 3ULL << 32)
		return "transactions, or an event above 0xff";
	return "no part of an event";
}

/* Clouds offer a part of a PMU, and say so. */
static int check_there(const struct encoding *e, const struct event_source *source,
		       char error[EVENTS_ERROR_MAX])
{
	return pmu_lacks(source->pmu, e->code) ?
	       encode_refuse(e, ": this processor says (CPUID) that it does not count this event",
			     error) : 0;
}

static int check_bits(const struct encoding *e, const struct event_source *source,
		      char error[EVENTS_ERROR_MAX])
{
	uint64_t bad = e->code & ~source->raw_mask;

	if (bad && e->exact)
		snprintf(error, EVENTS_ERROR_MAX,
			 "'%.*s': an event of this PMU can have the bits %#" PRIx64 "; who is counted :u and :k say",
			 ENCODE_SHOWN, e->name, source->raw_mask);
	else if (bad)
		snprintf(error, EVENTS_ERROR_MAX,
			 "'%.*s' needs %#" PRIx64 " in the control register, which the kernel does not let programs set: %s",
			 ENCODE_SHOWN, e->name, bad, bits_mean(bad));
	return bad ? -1 : 0;
}

/* Architectural events that fixed counters have, too. */
static uint32_t also_fixed(uint64_t code)
{
	return code == 0xc0 ? 1U << PMU_FIXED : code == 0x3c ? 2U << PMU_FIXED : 0;
}

/* Event 0 with a unit mask of n + 1: what fixed counter n counts. */
static uint32_t only_fixed(uint64_t code)
{
	uint64_t n = code >> 8;

	return n >= 1 && n <= PMU_COUNTERS - PMU_FIXED ? 1U << (PMU_FIXED + n - 1) : 0;
}

static int find_counters(const struct encoding *e, const struct event_source *source,
			 struct counter *c, char error[EVENTS_ERROR_MAX])
{
	const uint32_t general = source_general(source);
	const bool modified = e->code & MODIFIERS;
	uint32_t can = needs_counters(source->pmu, e->code);
	const char *why = can ? ENCODE_NO_COUNTER :
				": no counter of a processor's core can count it by itself";

	/* What a fixed counter counts has no modifiers: with them it is another event. */
	if (source->fixed && modified && can)
		can = can & GENERAL ? can & GENERAL : GENERAL;

	if (source->fixed && !(e->code & 0xff)) {
		can = only_fixed(e->code);
		if (!can)
			why = ": this is not an event; fixed counters have no modifiers but :u and :k";
	} else if (!(general & ~can)) {
		can = general | (e->exact || !source->fixed ? 0 : also_fixed(e->code));
	}
	c->can = can & source->there;
	return c->can ? 0 : encode_refuse(e, why, error);
}

static int find_register(const struct encoding *e, const struct event_source *source,
			 struct counter *c, char error[EVENTS_ERROR_MAX])
{
	const struct event_register *r = needs_register(source->pmu, e->code);
	int n = r ? pmu_find_msr(source->pmu, r->msr) : -1;

	if (!r && !e->has_value)
		return 0;
	if (e->modifier && (!r || strcmp(r->modifier, e->modifier)))
		snprintf(error, EVENTS_ERROR_MAX, "'%.*s': this event has no %s", ENCODE_SHOWN,
			 e->name, e->modifier);
	else if (n < 0)
		snprintf(error, EVENTS_ERROR_MAX,
			 "'%.*s' counts what a register of its own says, which the kernel does not have here",
			 ENCODE_SHOWN, e->name);
	else if (!e->has_value)
		snprintf(error, EVENTS_ERROR_MAX, "'%.*s' counts what PMC %d says: add :%s=VALUE",
			 ENCODE_SHOWN, e->name, n, r->modifier);
	else if (e->value & source->pmu->pmc[n].reserved)
		snprintf(error, EVENTS_ERROR_MAX,
			 "'%.*s' needs %#" PRIx64 " in PMC %d, whose bits %#" PRIx64 " are reserved",
			 ENCODE_SHOWN, e->name, e->value, n, source->pmu->pmc[n].reserved);
	else
		c->extra[c->extras++] = (struct extra){ (uint16_t)n, e->value, ~0ULL };
	return c->extras ? 0 : -1;
}

static int x86_encode(const struct encoding *e, const struct event_source *source,
		      struct counter *c, char error[EVENTS_ERROR_MAX])
{
	return check_bits(e, source, error) || check_there(e, source, error) ||
	       find_counters(e, source, c, error) || find_register(e, source, c, error) ? -1 : 0;
}

static void x86_place(struct counter *c, unsigned int n)
{
	if (c->source->fixed && n >= PMU_FIXED)
		c->value = (c->levels & LEVEL_KERNEL ? FIXED_OS : 0) |
			   (c->levels & LEVEL_USER ? FIXED_USR : 0);
	else
		c->value = c->code | (uint64_t)c->levels << LEVELS_SHIFT | EN;
}

static const struct event x86_raw = { .name = "rNNNN", .period = 100003,
	.help = "the event NN, or NNNN with its unit mask first, in hexadecimal; with up to nine digits all bits of the control register" };

#define X86_FAMILY							\
	.raw = &x86_raw, .raw_digits = 9,				\
	.named = x86_named, .encode = x86_encode, .place = x86_place

/*
 * Codes are the architecture's (Intel SDM volume 3, "Architectural Performance Events"; of P6
 * the list of its events; AMD's BKDG and PPR), as Linux 6.1 has them for perf_events
 * (arch/x86/events) and libpfm4 in its tables. libpfm4's names of Intel's PMUs are many, and
 * it says which of them is here.
 */
const struct family family_intel = {
	.model = "Intel architectural", .not_pfm4 = "amd64_", .counters = 16, .fixed = true,
	.models = intel_models,
	.codes = {
		[HW_CYCLES] = 0x3c, [HW_INSTRUCTIONS] = 0xc0, [HW_BRANCHES] = 0xc4,
		[HW_BRANCH_MISSES] = 0xc5, [HW_CACHE_REFERENCES] = 0x4f2e,
		[HW_CACHE_MISSES] = 0x412e,
		[HW_REF_CYCLES] = 0x0300 },	/* fixed counter 2 */
	.raw_mask = EVTSEL | X86_ANY, X86_FAMILY,
};

const struct family family_amd = {
	.model = "AMD", .pfm4 = "amd64_", .counters = 16, .models = amd_models,
	.codes = {
		[HW_CYCLES] = 0x76, [HW_INSTRUCTIONS] = 0xc0, [HW_BRANCHES] = 0xc2,
		[HW_BRANCH_MISSES] = 0xc3 },
	.raw_mask = EVTSEL | EVTSEL_AMD, X86_FAMILY,
};

/* L2_RQSTS of all states, of the invalid one; DCU_LINES_IN, DATA_MEM_REFS. */
const struct family family_p6 = {
	.model = "Intel P6", .pfm4 = "p",	/* ppro, pii, piii, pm */
	.counters = 2, .models = p6_models,
	.codes = {
		[HW_CYCLES] = 0x79, [HW_INSTRUCTIONS] = 0xc0, [HW_BRANCHES] = 0xc4,
		[HW_BRANCH_MISSES] = 0xc5, [HW_CACHE_REFERENCES] = 0x0f2e,
		[HW_CACHE_MISSES] = 0x012e, [HW_L1_MISSES] = 0x45, [HW_L1_ACCESSES] = 0x43 },
	.raw_mask = EVTSEL, X86_FAMILY,
};
