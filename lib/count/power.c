// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * POWER8 to POWER11: PMC n is the event of counter n and the levels that it leaves out.
 *
 * An event's code is as IBM's manuals, perf and libpfm4 write it: what the counter selects,
 * its combination and unit, and above these the number of the counter, 0: one of the first
 * four. IBM POWER8, 9 and 10 Performance Monitoring Unit User's Guides.
 *
 * POWER9 counts events of the second and third cache in banks of four, one event for each of
 * the first four counters, and the event of counter 4 chooses the bank. So with an event of
 * these on another counter goes counter 4's of the same bank, which counts nothing unless it
 * was asked for itself (one source: Linux, commit 59029136d750, arch/powerpc/perf/
 * isa207-common.c and power9-pmu.c; there a bank is what has the same select, here also the
 * same unit and combination, which excludes more).
 */
#include <inttypes.h>

#include "family.h"

#define MARKED			(1ULL << 8)
#define UNIT(code)		((code) >> 12 & 0xf)
#define NUMBER_SHIFT		16
#define NUMBER(code)		((code) >> NUMBER_SHIFT & 0xf)
#define SELECTION		0xffffULL	/* all of it but the number */
#define CACHES			(0xfULL << 20)	/* which of several, and what of it */
#define CONTROL_EVENT		0xffffffffULL	/* bits of a control that are no levels */

#define NOT_KERNEL		(1ULL << 32 | 1ULL << 34)	/* with and without a hypervisor */
#define NOT_USER		(1ULL << 33)

#define PROGRAMMABLE		0x1eU
#define INSTRUCTIONS		0x02
#define CYCLES			0x1e

/* libpfm4's codes of POWER10's PM_CYC and PM_INST_CMPL, of the first counter only. */
#define FIRST_CYCLES		0x100f0
#define FIRST_INSTRUCTIONS	0x100fe

/* The only events of counters 5 and 6, while the CPU is not idle. */
#define RUN_INSTRUCTIONS	0x500fa
#define RUN_CYCLES		0x600f4

/* Units of the second and third cache. */
#define CACHE_UNIT(unit)	((unit) >= 6 && (unit) <= 9)
/* POWER9: its event chooses the bank. */
#define CHOOSER			4

static uint32_t counters(uint64_t code)
{
	return NUMBER(code) ? 1U << NUMBER(code) : PROGRAMMABLE;
}

/* What bits would do that the kernel keeps from programs. */
static const char *bits_mean(uint64_t bits)
{
	if (bits & MARKED)
		return "marked instructions, which the processor chooses at random";
	if (bits & ~(SELECTION | CACHES))
		return "thresholds, random sampling, or where data came from";
	return bits & CACHES ? "a part of a cache" : "no part of an event";
}

/* libpfm4 may name one counter, or the event that it alone has, though four can do it. */
static void power_named(struct encoding *e, const struct named_event *event)
{
	const uint64_t selection = event->select & ~(0xfULL << NUMBER_SHIFT);

	e->code = event->select;
	if (event->select == FIRST_CYCLES)
		e->code = CYCLES;
	else if (event->select == FIRST_INSTRUCTIONS)
		e->code = INSTRUCTIONS;
	else if ((selection == INSTRUCTIONS || selection == CYCLES) &&
		 PROGRAMMABLE & counters(event->select))
		e->code = selection;
}

/* The event's bank, and what chooses it if the event itself does not. */
static void find_bank(const struct encoding *e, struct counter *c)
{
	c->group = (uint16_t)(e->code & SELECTION);
	c->shared = "an event of another bank of the caches, or of counter 4, is beside it: counter 4's event chooses the bank";
	if (NUMBER(e->code) == CHOOSER)
		return;
	c->chooser = CHOOSER;
	c->can &= ~(1U << CHOOSER);
	c->extras = 1;
	c->extra[0] = (struct extra){ .pmc = CHOOSER, .mask = ~0ULL };
	c->extra[0].value = c->group | CHOOSER << NUMBER_SHIFT | NOT_KERNEL | NOT_USER;
}

/* Revisions of POWER9 (Nimbus), by the last digits of the processor version register. */
#define DD21	1
#define DD22	2
#define IS_NIMBUS(pvr)		(((pvr) & 0xffff2f00) == 0x004e0200)

/*
 * Events that perf refuses on a revision; why is not said there (one source: Linux 6.1,
 * arch/powerpc/perf/power9-pmu.c). Those of marked instructions are refused anyway.
 */
static const struct {
	uint32_t code;
	uint8_t revisions;	/* bits */
} refused[] = {
	{ 0x1f056, 1 << DD21 }, { 0x100f4, 1 << DD21 }, { 0x2d024, 1 << DD21 },
	{ 0x3405e, 1 << DD21 }, { 0x3f056, 1 << DD21 }, { 0x3006c, 1 << DD21 },
	{ 0x4e014, 1 << DD21 }, { 0x4003c, 1 << DD21 | 1 << DD22 },
	{ 0x1c058, 1 << DD22 }, { 0x1c05a, 1 << DD22 }, { 0x1c05c, 1 << DD22 },
	{ 0x2c056, 1 << DD22 }, { 0x2c05a, 1 << DD22 }, { 0x3c056, 1 << DD22 },
	{ 0x4c056, 1 << DD22 }, { 0x4c05a, 1 << DD22 },
};

static bool is_refused(uint64_t code, uint32_t pvr)
{
	size_t i;

	for (i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
		if (refused[i].code == code && IS_NIMBUS(pvr))
			return (pvr & 0xf) < 8 && refused[i].revisions >> (pvr & 0xf) & 1;
	return false;
}

static int power_encode(const struct encoding *e, const struct event_source *source,
			struct counter *c, char error[EVENTS_ERROR_MAX])
{
	uint64_t bad;

	c->can = counters(e->code) & source->there;
	if (!c->can)
		return encode_refuse(e, ENCODE_NO_COUNTER, error);
	bad = e->code & ~(CONTROL_EVENT & ~source->pmu->pmc[__builtin_ctz(c->can)].reserved);
	if (bad) {
		snprintf(error, EVENTS_ERROR_MAX,
			 "'%.*s' needs %#" PRIx64 " in the control register, which the kernel does not let programs set: %s",
			 ENCODE_SHOWN, e->name, bad, bits_mean(bad));
		return -1;
	}
	if (!(c->can & PROGRAMMABLE) && e->code != RUN_INSTRUCTIONS && e->code != RUN_CYCLES)
		return encode_refuse(e, ": counters 5 and 6 have one event each, r500fa and r600f4",
				     error);
	if (!(e->code & SELECTION))
		return encode_refuse(e, ": this is not an event", error);
	if (is_refused(e->code, source->pmu->pvr))
		return encode_refuse(e, ": perf refuses this event on this revision of POWER9, so it is likely to count wrongly",
				     error);
	if (source->family == &family_power9 && CACHE_UNIT(UNIT(e->code)))
		find_bank(e, c);
	return 0;
}

static void power_place(struct counter *c, unsigned int n)
{
	(void)n;
	c->value = c->code | (c->levels & LEVEL_KERNEL ? 0 : NOT_KERNEL) |
		   (c->levels & LEVEL_USER ? 0 : NOT_USER);
}

static const struct event power_raw = { .name = "rNNNNN", .period = 100003,
	.help = "the event NNNNN, in hexadecimal, as perf and IBM have it: the first digit of five is the counter" };

#define POWER_FAMILY							\
	.counters = 6, .spr = true, .modifiers = MODIFIERS_NONE,	\
	.raw = &power_raw, .raw_digits = 16,				\
	.named = power_named, .encode = power_encode, .place = power_place

/*
 * PM_CYC, PM_INST_CMPL, PM_BR_CMPL, PM_BR_MPRED_CMPL; PM_DATA_FROM_L2MISS and _L3MISS, of
 * loads, PM_DATA_FROM_L3; PM_LD_MISS_L1 (POWER9: PM_LD_MISS_L1_FIN), PM_LD_REF_L1: as Linux 6.1
 * (arch/powerpc/perf) and libpfm4 have them.
 */
#define POWER_CODES(branches, l1_misses, l1_accesses, l3)	.codes = { \
	[HW_CYCLES] = CYCLES, [HW_INSTRUCTIONS] = INSTRUCTIONS, [HW_BRANCHES] = branches, \
	[HW_BRANCH_MISSES] = 0x400f6, [HW_CACHE_REFERENCES] = 0x200fe, \
	[HW_CACHE_MISSES] = 0x300fe, [HW_L1_MISSES] = l1_misses, [HW_L1_ACCESSES] = l1_accesses, \
	[HW_LLC_LOADS] = l3, [HW_LLC_MISSES] = (l3) ? 0x300fe : 0 }

const struct family family_power8 = {
	.model = "POWER8", .pfm4 = "power8",
	POWER_CODES(0x40060, 0x3e054, 0x100ee, 0x4c042), POWER_FAMILY,
};

const struct family family_power9 = {
	.model = "POWER9", .pfm4 = "power9",
	POWER_CODES(0x4d05e, 0x2c04e, 0x100fc, 0x4c042), POWER_FAMILY,
};

#define POWER10_FAMILY	POWER_CODES(0x4d05e, 0x3e054, 0x100fc, 0), POWER_FAMILY

const struct family family_power10 = {
	.model = "POWER10", .pfm4 = "power10", POWER10_FAMILY,
};

/* POWER11 has POWER10's events, and libpfm4 may know it by POWER10's name. */
const struct family family_power11 = {
	.model = "POWER11", .pfm4 = "power1", POWER10_FAMILY,
};
