// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Pentium 4: an event is an ESCR's, and counted by the counters that are wired to it.
 *
 * Intel SDM, volume 3, "Processors Based on Intel NetBurst Microarchitecture", and the
 * list of its events. The PMC of an ESCR is its MSR less 0x380.
 *
 * Left out are events at retirement which count what another event tags (front_end_event,
 * execution_event, replay_event): alone they count nothing. Counter 1 is said not to
 * enable reliably; that and counter 3 are left out of the first units, as by Linux.
 */
#include <string.h>
#include <strings.h>

#include "family.h"
#include "p4.h"

#define CCCR_ENABLE	(1ULL << 12)
#define CCCR_EVENT	(7ULL << 13 | 0x7fULL << 18)	/* select; compare ... edge */
#define ESCR_USR	(1ULL << 2)
#define ESCR_OS		(1ULL << 3)
#define ESCR_EVENT	(0x7fffffffULL & ~0xfULL)

#define BUS		{ 0x00001, 0x00004 }
#define TRACE		{ 0x00030, 0x000c0 }
#define FLAME		{ 0x00300, 0x00c00 }
#define RETIRE		{ 0x13000, 0x2c000 }

static const struct p4_unit
	bsu = { { 32, 33 }, BUS }, bsu_0 = { { 32, 0 }, BUS }, bsu_1 = { { 0, 33 }, BUS },
	fsb = { { 34, 35 }, BUS }, fsb_1 = { { 0, 35 }, BUS }, mob = { { 42, 43 }, BUS },
	pmh = { { 44, 45 }, BUS }, bpu = { { 50, 51 }, BUS }, itlb = { { 54, 55 }, BUS },
	ms = { { 64, 65 }, TRACE }, tbpu = { { 66, 67 }, TRACE }, tc = { { 68, 69 }, TRACE },
	firm = { { 36, 37 }, FLAME }, dac = { { 40, 41 }, FLAME }, saat = { { 46, 47 }, FLAME },
	cru_01 = { { 56, 57 }, RETIRE }, rat = { { 60, 61 }, RETIRE },
	alf = { { 74, 75 }, RETIRE }, cru_23 = { { 76, 77 }, RETIRE };

static const struct {
	const char *name;
	const struct p4_unit *unit;
} events[] = {
	{ "cycles", &fsb }, { "instructions", &cru_01 }, { "branches", &cru_23 },
	{ "128bit_MMX_uop", &firm }, { "64bit_MMX_uop", &firm },
	{ "BPU_fetch_request", &bpu }, { "BSQ_active_entries", &bsu_1 },
	{ "BSQ_allocation", &bsu_0 }, { "BSQ_cache_reference", &bsu },
	{ "FSB_data_activity", &fsb }, { "IOQ_active_entries", &fsb_1 },
	{ "IOQ_allocation", &fsb }, { "ITLB_reference", &itlb },
	{ "MOB_load_replay", &mob }, { "SSE_input_assist", &firm },
	{ "TC_deliver_mode", &tc }, { "TC_misc", &tc }, { "WC_Buffer", &dac },
	{ "b2b_cycles", &fsb }, { "bnr", &fsb }, { "branch_retired", &cru_23 },
	{ "global_power_events", &fsb }, { "instr_completed", &cru_01 },
	{ "instr_retired", &cru_01 }, { "load_port_replay", &saat },
	{ "machine_clear", &cru_23 }, { "memory_cancel", &dac },
	{ "memory_complete", &saat }, { "mispred_branch_retired", &cru_01 },
	{ "packed_DP_uop", &firm }, { "packed_SP_uop", &firm },
	{ "page_walk_type", &pmh }, { "resource_stall", &alf }, { "response", &fsb },
	{ "retired_branch_type", &tbpu }, { "retired_mispred_branch_type", &tbpu },
	{ "scalar_DP_uop", &firm }, { "scalar_SP_uop", &firm }, { "snoop", &fsb },
	{ "store_port_replay", &saat }, { "tc_ms_xfer", &ms }, { "uop_queue_writes", &ms },
	{ "uops_retired", &cru_01 }, { "uop_type", &rat }, { "uops_type", &rat },
	{ "x87_FP_uop", &firm }, { "x87_assist", &cru_23 },
};

/* Where an event comes from, by pfmon's name or libpfm4's with what follows a colon. */
static const struct p4_unit *find_unit(const char *name)
{
	size_t i, len = strcspn(name, ":.,");

	for (i = 0; i < sizeof(events) / sizeof(events[0]); i++)
		if (strlen(events[i].name) == len && !strncasecmp(events[i].name, name, len))
			return events[i].unit;
	return NULL;
}

static uint32_t find_counters(const struct p4_unit *unit, const struct pmu *pmu)
{
	uint32_t can = 0;
	unsigned int i;

	for (i = 0; i < 2; i++)
		if (unit->escr[i] && pmu->pmc[unit->escr[i]].there)
			can |= unit->counters[i];
	return can;
}

unsigned int p4_escr(const struct counter *c, unsigned int n)
{
	return c->unit->escr[c->unit->counters[1] >> n & 1];
}

static void p4_own(struct encoding *e, const char *name)
{
	e->unit = find_unit(name);
}

static void p4_named(struct encoding *e, const struct named_event *event)
{
	const uint64_t escr = event->select;

	e->unit = event->words == 2 ? find_unit(strstr(event->full, "::") + 2) : NULL;
	e->levels &= (escr & ESCR_USR ? LEVEL_USER : 0) | (escr & ESCR_OS ? LEVEL_KERNEL : 0);
	e->code = P4_CODE(escr & ESCR_EVENT, event->value & CCCR_EVENT);
}

/* Bits that the kernel keeps from programs, in either register. */
static bool is_reserved(const struct encoding *e, const struct pmu *pmu, uint32_t can)
{
	const uint16_t *escr = e->unit->escr;

	return (e->code >> 32 & pmu->pmc[__builtin_ctz(can)].reserved) ||
	       (e->code & UINT32_MAX & pmu->pmc[escr[0] ? escr[0] : escr[1]].reserved);
}

static int p4_encode(const struct encoding *e, const struct event_source *source,
		     struct counter *c, char error[EVENTS_ERROR_MAX])
{
	if (!e->unit)
		return encode_refuse(e, " counts what another event tags, or is not known to pfmon",
				     error);
	c->can = find_counters(e->unit, source->pmu) & source->there;
	if (!c->can)
		return encode_refuse(e, ENCODE_NO_COUNTER, error);
	if (is_reserved(e, source->pmu, c->can))
		return encode_refuse(e, " needs bits that the kernel reserves", error);
	return 0;
}

static void p4_place(struct counter *c, unsigned int n)
{
	c->value = c->code >> 32 | CCCR_ENABLE;
	c->extras = 1;
	c->extra[0] = (struct extra){ .pmc = (uint16_t)p4_escr(c, n), .mask = ~0ULL };
	c->extra[0].value = (c->code & ESCR_EVENT) |
			    (c->levels & LEVEL_USER ? ESCR_USR : 0) |
			    (c->levels & LEVEL_KERNEL ? ESCR_OS : 0);
}

/* GLOBAL_POWER_EVENTS, INSTR_RETIRED that was not bogus, BRANCH_RETIRED of all kinds. */
const struct family family_p4 = {
	.model = "Intel P4", .pfm4 = "netburst",
	.codes = {
		[HW_CYCLES] = P4_EVENT(0x13U, 1, 6), [HW_INSTRUCTIONS] = P4_EVENT(2, 1, 4),
		[HW_BRANCHES] = P4_EVENT(6, 0xf, 5) },
	.counters = 18, .modifiers = MODIFIERS_NAMED,
	.own = p4_own, .named = p4_named, .encode = p4_encode, .place = p4_place,
};
