// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * PowerPC 970: PMC n is the event select of counter n, PMC 0 says who is counted, and PMC 9
 * which units the events of some selects come from.
 *
 * An event is PPC_EVENT(), or PPC970_EVENT(): then its code is as perf and libpfm4 write it,
 * and PMC 9 is programmed for it. The facts are of Linux 6.1 (arch/powerpc/perf/ppc970-pmu.c).
 */
#include "family.h"
#include "ppc.h"

/* An event by perf's code. */
#define COUNTER(code)	((code) >> 12 & 0xf)	/* 0: any of a lane's */
#define UNIT(code)	((code) >> 8 & 0xf)
#define SPECIAL(code)	((code) >> 6 & 3)	/* selection */
#define LANE(code)	((code) >> 4 & 3)	/* of four, with eight bits each */
#define SELECT(code)	((code) & 0xf)		/* or the bit of the lane */

#define LEVELS_PMC	0
#define NOT_KERNEL	(1ULL << 30 | 1)	/* with a hypervisor and without */
#define NOT_USER	(1ULL << 29)

#define SOURCES_PMC	9
#define LANE_SHIFT(n)	(50 - 2 * (n))		/* of PMC 9 */
#define HALF_SHIFT(n)	(56 - (n))		/* of unit LSU1, on lanes 2 and 3 */

#define COUNTERS	8
#define COUNTERS_EVEN	0x066U			/* that lanes 0 and 2 lead to; 1 and 3: */
#define COUNTERS_ODD	0x198U

/* Selects that need no lane. */
#define ADD		0			/* what the counter adds up of a lane */
#define NOTHING		8
#define INSTRUCTIONS	0x9
#define CYCLES		0xf
#define BY_LANE		0x10

/* Where a unit's lanes come from, and what its multiplexer selects at which bit of PMC 9. */
enum { FPU = 1, VPU, ISU, IFU, IDU, STS, LSU0, LSU1_UPPER, LSU1_LOWER, UNITS };

static const struct unit {
	uint8_t source, shift, select;
} units[UNITS] = {
	[FPU] = { 0, 62, 0 }, [VPU] = { 0, 62, 3 }, [IFU] = { 0, 62, 2 },
	/* It could be the first multiplexer's, too, which more units need. */
	[ISU] = { 1, 59, 2 },
	[IDU] = { 1, 59, 0 }, [STS] = { 1, 59, 3 },
	[LSU0] = { .source = 2 }, [LSU1_UPPER] = { .source = 3 }, [LSU1_LOWER] = { .source = 3 },
};

/* Selects that count marked instructions; and of units, bit 8 * lane + bit. */
static const uint8_t marked_selects[COUNTERS + 1] = {
	0, 0x0c, 0x28, 0x28, 0x30, 0x30, 0x38, 0x30, 0x10,
};
static const uint32_t marked_bits[UNITS] = {
	[VPU] = 0x4c, [LSU0] = 0x085dff00, [LSU1_LOWER] = 0x50000000,
};

static bool is_decoded(unsigned int select)
{
	return select == 7 || select == 13;
}

static bool is_marked(uint64_t code)
{
	const unsigned int counter = COUNTER(code), select = SELECT(code);
	unsigned int bit = select;

	if (counter && marked_selects[counter] >> select & 1)
		return true;
	if (counter && select == ADD)
		bit = counter <= 4 ? counter - 1 : COUNTERS - counter;
	else if (counter && is_decoded(select))
		bit = 4;
	else if (counter)
		return false;
	return bit < 8 && marked_bits[UNIT(code)] >> (8 * LANE(code) + bit) & 1;
}

static void choose(struct extra *sources, unsigned int shift, uint64_t mask, uint64_t value)
{
	sources->mask |= mask << shift;
	sources->value |= value << shift;
}

/* What the counter selects. */
static unsigned int select_of(uint64_t code)
{
	if (!(code & PPC970_EVENT(0)))
		return code & 0xff;
	return (unsigned int)(COUNTER(code) ? SELECT(code) :
			      SELECT(code) | BY_LANE | (LANE(code) & 2) << 2);
}

/* What PMC 9 has to hold, for an event by perf's code. */
static struct extra sources_of(uint64_t code)
{
	static const uint8_t adders[COUNTERS + 1] = { 0, 39, 38, 33, 32, 36, 37, 34, 35 };
	const struct unit *unit = &units[UNIT(code)];
	struct extra sources = { .pmc = SOURCES_PMC };
	unsigned int lane = LANE(code);

	if (UNIT(code))
		choose(&sources, LANE_SHIFT(lane), 3, unit->source);
	if (unit->shift)
		choose(&sources, unit->shift, 3, unit->select);
	if (UNIT(code) >= LSU1_UPPER && lane >= 2)
		choose(&sources, HALF_SHIFT(lane), 1, UNIT(code) == LSU1_LOWER);
	if (COUNTER(code) && SELECT(code) == ADD)
		choose(&sources, adders[COUNTER(code)], 1, lane >> 1);
	if (SPECIAL(code))
		choose(&sources, 0, 3, SPECIAL(code));
	return sources;
}

static void ppc970_named(struct encoding *e, const struct named_event *event)
{
	const uint64_t code = event->select;

	if (UNIT(code) || SPECIAL(code))
		e->code = PPC970_EVENT(code);
	else	/* Without a counter libpfm4 leaves bit 3 of the select out: 7 is cycles (0xf). */
		e->code = PPC_EVENT(COUNTER(code), SELECT(code) | (COUNTER(code) ? 0 : 8));
}

/* By perf's code. */
static void find_lane(uint64_t code, struct counter *c)
{
	c->can = COUNTER(code) ? 1U << COUNTER(code) :
		 LANE(code) & 1 ? COUNTERS_ODD : COUNTERS_EVEN;
	c->extra[1] = sources_of(code);
}

/* By number: an event that comes by a lane needs PMC 9 to be 0, its default. */
static void find_list(uint64_t code, struct counter *c)
{
	const unsigned int select = select_of(code);

	if (code >> 8)
		c->can = code >> 8 <= COUNTERS ? 1U << (code >> 8) : 0;
	else if (select == CYCLES || select == INSTRUCTIONS)
		c->can = ~0U;
	c->extra[1] = (struct extra){ .pmc = SOURCES_PMC };
	if (select == ADD || is_decoded(select) || select >= BY_LANE)
		c->extra[1].mask = ~0ULL;
}

static int ppc970_encode(const struct encoding *e, const struct event_source *source,
			 struct counter *c, char error[EVENTS_ERROR_MAX])
{
	const struct pmu_register *pmc = source->pmu->pmc;
	const unsigned int select = select_of(e->code);
	const bool lane = e->code & PPC970_EVENT(0);

	if (select == NOTHING ||
	    (lane && (UNIT(e->code) >= UNITS || COUNTER(e->code) > COUNTERS)))
		return encode_refuse(e, ": this is not an event", error);
	if (lane)
		find_lane(e->code, c);
	else
		find_list(e->code, c);
	if (!c->can && !(e->code >> 8))
		return ppc_refuse_number(e, error);
	c->can &= source->there;
	if (!c->can)
		return encode_refuse(e, ENCODE_NO_COUNTER, error);
	if (select & pmc[__builtin_ctz(c->can)].reserved)
		return encode_refuse(e, ": this counter has no such event", error);
	if (lane ? is_marked(e->code) : marked_selects[e->code >> 8] >> select & 1)
		return encode_refuse(e, " counts marked instructions, which the kernel does not have here",
				     error);
	if (c->extra[1].value && (!pmc[SOURCES_PMC].there ||
				  c->extra[1].value & pmc[SOURCES_PMC].reserved))
		return encode_refuse(e, " needs bits that the kernel reserves", error);
	c->extras = c->extra[1].mask ? 2 : 1;
	c->shared = "it counts other levels, or needs another unit, than an event beside it: of this PMU all share them";
	return 0;
}

static void ppc970_place(struct counter *c, unsigned int n)
{
	(void)n;
	c->value = select_of(c->code);
	c->extra[0] = (struct extra){ .pmc = LEVELS_PMC, .mask = ~0ULL };
	c->extra[0].value = (c->levels & LEVEL_KERNEL ? 0 : NOT_KERNEL) |
			    (c->levels & LEVEL_USER ? 0 : NOT_USER);
}

static const struct event ppc970_raw = { .name = "rNEE", .period = 100003,
	.help = "the event EE of counter N, in hexadecimal; without N one that all counters have" };

/* PM_LD_MISS_L1, PM_LD_REF_L1. Of branches 970 counts those that are issued. */
const struct family family_ppc970 = {
	.model = "PowerPC 970", .pfm4 = "ppc970",
	.codes = {
		[HW_CYCLES] = PPC_EVENT(0, CYCLES), [HW_INSTRUCTIONS] = PPC_EVENT(0, INSTRUCTIONS),
		[HW_L1_MISSES] = PPC970_EVENT(0x3810), [HW_L1_ACCESSES] = PPC970_EVENT(0x8810) },
	.counters = COUNTERS, .spr = true, .modifiers = MODIFIERS_NONE,
	.raw = &ppc970_raw, .raw_digits = 8,
	.named = ppc970_named, .encode = ppc970_encode, .place = ppc970_place,
};
