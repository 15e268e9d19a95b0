// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What models of x86 have otherwise than their family: codes of events, which counters count
 * an event, and registers of their own.
 *
 * Neither libpfm4's encodings nor the kernel's description say which counters can
 * count an event. The facts are of Intel's manuals (SDM volume 3, and the lists of events of
 * each model) and of AMD's BKDG and PPR, as Linux 6.1 has them for perf_events
 * (arch/x86/events/intel/core.c, p6.c, amd/core.c, tools/perf/pmu-events), and where these
 * differ libpfm4 (the masks of its tables, which it does not tell programs), those that allow
 * less. Counters that a machine does not have do not matter here. What Linux 6.1 does not
 * know yet, from Granite Rapids and Meteor Lake on, and Zen 5, is of later Linux and of Intel's
 * lists of events (github.com/intel/perfmon), and where these are one source it is said.
 * tools/pfmon/tests/models.py compares the models, codes and limits with the kernel's source.
 *
 * l1-misses is what perf's L1-dcache-load-misses is, but on Sapphire Rapids, which goes on
 * with L1D.REPLACEMENT, and on Zen 3, for which AMD names one more unit mask. l1-accesses
 * is L1-dcache-loads, but on Sandy and Ivy Bridge, where it is as on Haswell (all loads, by
 * the list of events), and on Silvermont, of which perf has none (MEM_UOPS_RETIRED.ALL_LOADS).
 */
#include <stddef.h>

#include "family.h"
#include "needs.h"
#include "x86.h"

#define FIXED0		(1U << PMU_FIXED)
#define GENERAL		(FIXED0 - 1)

#define EVENT(event, counters)		{ event, event, ANY_UMASK, counters }
#define EVENTS(from, to, counters)	{ from, to, ANY_UMASK, counters }
#define UMASK(umask, event, counters)	{ event, event, umask, counters }
#define END				{ .to = NO_EVENT }

static const struct limit p6[] = {
	EVENT(0x10, 0x1), EVENT(0x11, 0x2), EVENT(0x12, 0x2), EVENT(0x13, 0x2),
	EVENT(0x14, 0x1), EVENT(0xc1, 0x1),
	END
};

static const struct limit core[] = {
	EVENT(0x11, 0x2), EVENT(0x12, 0x2), EVENT(0x13, 0x2), EVENT(0x14, 0x1),
	EVENT(0x19, 0x2), EVENT(0xc1, 0x1),
	END
};

static const struct limit core2[] = {
	EVENT(0x10, 0x1), EVENT(0x11, 0x2), EVENT(0x12, 0x2), EVENT(0x13, 0x2),
	EVENT(0x14, 0x1), EVENT(0x18, 0x1), EVENT(0x19, 0x2), EVENT(0xa1, 0x1),
	EVENT(0xc9, 0x1), EVENT(0xcb, 0x1),
	END
};

static const struct limit nehalem[] = {
	EVENTS(0x40, 0x43, 0x3), EVENT(0x48, 0x3), EVENT(0x4c, 0x3), EVENT(0x4e, 0x3),
	EVENTS(0x51, 0x53, 0x3), EVENT(0x63, 0x3),
	END
};

static const struct limit westmere[] = {
	EVENT(0x4c, 0x3), EVENT(0x4e, 0x3), EVENTS(0x51, 0x52, 0x3), EVENT(0x60, 0x1), EVENT(0x63, 0x3), EVENT(0xb3, 0x1),
	END
};

static const struct limit sandy_bridge[] = {
	EVENT(0x48, 0x4), UMASK(0x02, 0xa3, 0x4), UMASK(0x06, 0xa3, 0x4),
	EVENT(0xa3, 0xf), UMASK(0x01, 0xc0, 0x2), EVENT(0xcd, 0x8),
	EVENTS(0xd0, 0xd3, 0xf),
	END
};

static const struct limit ivy_bridge[] = {
	EVENT(0x48, 0x4), UMASK(0x02, 0x79, 0xf), UMASK(0x01, 0x9c, 0xf),
	UMASK(0x08, 0xa3, 0x4), UMASK(0x0c, 0xa3, 0x4), EVENT(0xa3, 0xf),
	UMASK(0x01, 0xc0, 0x2), EVENT(0xcd, 0x8), EVENTS(0xd0, 0xd3, 0xf),
	END
};

static const struct limit haswell[] = {
	UMASK(0x01, 0x48, 0x4), UMASK(0x08, 0xa3, 0x4), UMASK(0x0c, 0xa3, 0x4),
	UMASK(0x04, 0xa3, 0xf), UMASK(0x01, 0xc0, 0x2), EVENT(0xcd, 0x8),
	EVENTS(0xd0, 0xd3, 0xf),
	END
};

static const struct limit broadwell[] = {
	UMASK(0x01, 0x48, 0x4), UMASK(0x06, 0xa3, 0x4), UMASK(0x08, 0xa3, 0x4),
	UMASK(0x0c, 0xa3, 0x4), UMASK(0x01, 0xc0, 0x2), UMASK(0x02, 0xc0, 0x2),
	EVENT(0xcd, 0x8), EVENTS(0xd0, 0xd3, 0xf),
	END
};

static const struct limit skylake[] = {
	UMASK(0x01, 0x48, 0x4), UMASK(0x0c, 0xa3, 0x4), UMASK(0x01, 0xc0, 0x2), EVENT(0xc6, 0xf),
	EVENT(0xcd, 0xf), EVENTS(0xd0, 0xd2, 0xf),
	END
};

static const struct limit ice_lake[] = {
	UMASK(0x01, 0xc0, FIXED0), EVENTS(0x03, 0x0a, 0xf), EVENTS(0x1f, 0x28, 0xf),
	EVENT(0x32, 0xf), EVENTS(0x48, 0x56, 0xf), EVENTS(0x60, 0x8b, 0xf),
	UMASK(0x04, 0xa3, 0xff), UMASK(0x10, 0xa3, 0xff), UMASK(0x14, 0xa3, 0xff),
	EVENT(0xa3, 0xf), EVENTS(0xa8, 0xb0, 0xf), EVENTS(0xb7, 0xbd, 0xf),
	EVENTS(0xd0, 0xe6, 0xf), EVENT(0xef, 0xf), EVENTS(0xf0, 0xf4, 0xf),
	END
};

static const struct limit sapphire_rapids[] = {
	EVENT(0x2e, 0xff), EVENT(0x3c, 0xff), EVENTS(0x01, 0x8f, 0xf),
	UMASK(0x01, 0xa3, 0xf), UMASK(0x02, 0xa3, 0xf), UMASK(0x08, 0xa3, 0xf),
	/* CYCLE_ACTIVITY.STALLS_*: so says Intel's list; Linux has them on any */
	UMASK(0x05, 0xa3, 0xf), UMASK(0x06, 0xa3, 0xf), UMASK(0x0c, 0xa3, 0xf),
	UMASK(0x04, 0xa4, 0x1), UMASK(0x08, 0xa4, 0x1), UMASK(0x01, 0xcd, 0xfe),
	UMASK(0x02, 0xcd, 0x1), EVENT(0xce, 0x1), EVENTS(0xd0, 0xdf, 0xf),
	END
};

/*
 * Lion Cove (one source: Linux 6.13, intel_lnc_event_constraints; its 0x0148 is also in
 * Intel's list of events of Lunar Lake).
 */
static const struct limit lion_cove[] = {
	EVENT(0x20, 0xf), UMASK(0x01, 0x2a, 0xf), UMASK(0x01, 0x2b, 0xf),
	UMASK(0x01, 0x48, 0x4), UMASK(0x01, 0x75, 0x4),
	UMASK(0x08, 0xa3, 0x4), UMASK(0x0c, 0xa3, 0x4),
	UMASK(0x04, 0xa4, 0x1), UMASK(0x08, 0xa4, 0x1), UMASK(0x10, 0xa4, 0x1),
	UMASK(0x01, 0xb1, 0x8), UMASK(0x01, 0xcd, 0x3fc), UMASK(0x02, 0xcd, 0x3),
	EVENTS(0xd0, 0xdf, 0xf), UMASK(0x00, 0xe0, 0xf),
	END
};

/*
 * What no table names: all that is known since Haswell the first four counters can count,
 * and each of them what the architecture has. Models with more counters differ in the rest.
 */
const struct limit x86_least_limits[] = {
	EVENT(0x3c, GENERAL), EVENT(0xc0, GENERAL), EVENT(0xc4, GENERAL), EVENT(0xc5, GENERAL),
	EVENT(0x2e, GENERAL), EVENTS(0x01, 0xff, 0xf),
	END
};

/* Where unit masks decide, the counters that are right for each of them. */
static const struct limit amd_15h[] = {
	EVENT(0x003, 0x8), EVENT(0x00b, 0x8), EVENT(0x00d, 0x8), EVENT(0x000, 0x8),
	EVENT(0x004, 0x8), EVENTS(0x001, 0x01f, 0x38),
	EVENT(0x023, 0x7), EVENT(0x02d, 0x8), EVENT(0x02e, 0x9), EVENT(0x031, 0x7),
	EVENT(0x043, 0x7), EVENTS(0x045, 0x046, 0x7), EVENTS(0x054, 0x055, 0x7),
	EVENT(0x08f, 0x1), EVENTS(0x187, 0x188, 0x1), EVENTS(0x0db, 0x0df, 0x3f),
	EVENT(0x1c0, 0x38), EVENT(0x1d6, 0x3f), EVENT(0x1d8, 0x3f),
	EVENTS(0x0e0, 0x0ff, 0), EVENTS(0x1e0, 0x1ff, 0),	/* the northbridge's */
	EVENTS(0x060, 0x07f, 0x7), EVENTS(0x0d0, 0x0da, 0x7), EVENTS(0x080, 0x0bf, 0x7), EVENTS(0x180, 0x1bf, 0x7), EVENTS(0x1d0, 0x1df, 0x7),
	END
};

/* Counts more than 15 in a cycle, for which it needs two counters (PPR, MergeEvent). */
static const struct limit amd_zen[] = {
	EVENT(0x003, 0),
	END
};

#define OFFCORE_RSP_0	0x1a6
#define OFFCORE_RSP_1	0x1a7
#define LD_LAT		0x3f6
#define FRONTEND	0x3f7

#define OFFCORE(code0, code1) \
	{ code0, OFFCORE_RSP_0, "rsp", NULL }, { code1, OFFCORE_RSP_1, "rsp", NULL }
#define LATENCY(code) { code, LD_LAT, "ldlat", \
	"most models count loads by latency only with PEBS, which the kernel does not offer: it may be 0" }
#define FRONT_END(code)	{ code, FRONTEND, "frontend", NULL }

/* Of models that no table names: the least that all have in common. */
const struct event_register x86_least_registers[] = {
	{ 0x01b7, OFFCORE_RSP_0, "rsp", NULL }, { 0 }
};

static const struct event_register nehalem_registers[] = {
	OFFCORE(0x01b7, 0x01bb), LATENCY(0x100b), { 0 }
}, sandy_bridge_registers[] = {
	OFFCORE(0x01b7, 0x01bb), LATENCY(0x01cd), { 0 }
}, skylake_registers[] = {
	OFFCORE(0x01b7, 0x01bb), LATENCY(0x01cd), FRONT_END(0x01c6), { 0 }
}, sapphire_rapids_registers[] = {
	OFFCORE(0x012a, 0x012b), LATENCY(0x01cd),
	FRONT_END(0x01c6), FRONT_END(0x40ad), FRONT_END(0x04c2), { 0 }
}, redwood_cove_registers[] = {
	OFFCORE(0x012a, 0x012b), LATENCY(0x01cd),
	FRONT_END(0x02c6), FRONT_END(0x03c6), FRONT_END(0x40ad), FRONT_END(0x04c2), { 0 }
}, goldmont_registers[] = {
	OFFCORE(0x01b7, 0x02b7), { 0 }
};

#define CODES(misses, accesses)	\
	.codes = { [HW_L1_MISSES] = misses, [HW_L1_ACCESSES] = accesses }
/*
 * Demand reads of data, by the first register of off-core responses: all, and those whose
 * response came from beyond the last cache. Where Linux' generic events of the cache
 * (arch/x86/events/intel/core.c) and Intel's lists (OFFCORE_RESPONSE or OCR.DEMAND_DATA_RD's
 * ANY_RESPONSE, L3_MISS) select other responses, there is none here: misses before Sapphire
 * Rapids, and loads before Haswell, of which Linux takes prefetches along.
 */
#define LLC(event, misses)	.llc = event, .llc_loads = 0x10001, .llc_misses = misses

/* L1D.REPLACEMENT; loads and stores; of instructions; walks for loads, stores, instructions. */
#define CODES_SINCE_SANDY_BRIDGE(icache, loads, stores, fetches) .codes = { \
	[HW_L1_MISSES] = 0x0151, [HW_L1_ACCESSES] = 0x81d0, [HW_STORES] = 0x82d0, \
	[HW_ICACHE_MISSES] = icache, [HW_DTLB_MISSES] = loads, \
	[HW_DTLB_STORE_MISSES] = stores, [HW_ITLB_MISSES] = fetches }
#define TABLES(name)	.limits = name, .registers = name ## _registers

const struct model p6_models[] = {
	{ 6, { 1, 3, 5, 6, 7, 8, 9, 10, 11, 13 }, .limits = p6 },
	{ 0 }
};

const struct model intel_models[] = {
	{ 6, { 14 }, .limits = core },
	/* L1D_CACHE_LD.I_STATE, L1D_CACHE_LD.MESI */
	{ 6, { 15, 22, 23, 29 }, CODES(0x0140, 0x0f40), .limits = core2 },
	/* L1D.REPL, MEM_INST_RETIRED.LOADS; event 0xc5 miscounts on Nehalem (erratum AAJ80) */
	{ 6, { 26, 30, 31, 46 }, TABLES(nehalem), .codes = {
		[HW_BRANCH_MISSES] = CODE_NONE, [HW_L1_MISSES] = 0x0151,
		[HW_L1_ACCESSES] = 0x010b } },
	{ 6, { 37, 44, 47 }, CODES(0x0151, 0x010b),
	  .limits = westmere, .registers = nehalem_registers },
	/* L1D.REPLACEMENT, MEM_UOPS_RETIRED.ALL_LOADS or (from Skylake on) MEM_INST_RETIRED's */
	{ 6, { 42, 45 }, CODES_SINCE_SANDY_BRIDGE(0x0280, 0x0108, 0x0149, 0x0185), TABLES(sandy_bridge) },
	{ 6, { 58, 62 }, CODES_SINCE_SANDY_BRIDGE(0x0280, 0x8108, 0x0149, 0x0185),
	  .limits = ivy_bridge, .registers = sandy_bridge_registers },
	{ 6, { 60, 63, 69, 70 }, CODES_SINCE_SANDY_BRIDGE(0x0280, 0x0108, 0x0149, 0x0185),
	  .limits = haswell, .registers = sandy_bridge_registers, LLC(0x01b7, 0) },
	{ 6, { 61, 71, 79, 86 }, CODES_SINCE_SANDY_BRIDGE(0x0280, 0x0108, 0x0149, 0x0185),
	  .limits = broadwell, .registers = sandy_bridge_registers, LLC(0x01b7, 0) },
	/* Skylake to Comet Lake */
	{ 6, { 78, 85, 94, 142, 158, 165, 166 }, TABLES(skylake),
	  CODES_SINCE_SANDY_BRIDGE(0x0283, 0x0e08, 0x0e49, 0x0e85), LLC(0x01b7, 0) },
	/* Ice Lake, Tiger Lake, Rocket Lake */
	{ 6, { 106, 108, 125, 126, 140, 141, 167 },
	  CODES_SINCE_SANDY_BRIDGE(0x0283, 0x0e08, 0x0e49, 0x0e85),
	  .limits = ice_lake, .registers = skylake_registers, LLC(0x01b7, 0) },
	/* Sapphire and Emerald Rapids */
	{ 6, { 143, 207 }, TABLES(sapphire_rapids),
	  CODES_SINCE_SANDY_BRIDGE(0xe424, 0x0e12, 0x0e13, 0x0e11), LLC(0x012a, 0x3fbfc00001) },
	/* Granite Rapids: Redwood Cove */
	{ 6, { 173, 174 }, CODES_SINCE_SANDY_BRIDGE(0, 0x0e12, 0x0e13, 0x0e11),
	  .limits = sapphire_rapids, .registers = redwood_cove_registers },
	/*
	 * Of hybrids what both kinds of cores can do, which is what the larger ones can: the
	 * smaller ones count any event with any counter. All retired loads have the same code
	 * on both. Alder Lake, Raptor Lake and Bartlett Lake: Golden Cove and its like;
	 */
	{ 6, { 151, 154, 183, 186, 191, 215 }, CODES(0, 0x81d0), TABLES(sapphire_rapids) },
	/* Meteor Lake, Arrow Lake U: Redwood Cove; */
	{ 6, { 170, 172, 181 }, CODES(0, 0x81d0),
	  .limits = sapphire_rapids, .registers = redwood_cove_registers },
	/* Lunar Lake, the other Arrow Lakes; Panther Lake, Wildcat Lake (one source: Linux) */
	{ 6, { 189, 197, 198, 204, 213 }, CODES(0, 0x81d0),
	  .limits = lion_cove, .registers = redwood_cove_registers },
	/* Bonnell, Saltwell */
	{ 6, { 28, 38, 39, 53, 54 }, .limits = NULL },
	/* Goldmont, Goldmont Plus, Tremont: loads that missed, all */
	{ 6, { 92, 95, 122, 134, 150, 156 }, CODES(0x08d1, 0x81d0),
	  .registers = goldmont_registers },
	/* Gracemont alone; Sierra Forest, Grand Ridge: Crestmont; Clearwater Forest: Darkmont */
	{ 6, { 190, 175, 182, 221 }, CODES(0, 0x81d0), .registers = goldmont_registers },
	/* Silvermont, Airmont, Knights Landing and Mill: loads that missed, all */
	{ 6, { 55, 74, 76, 77, 90, 87, 133 }, CODES(0x0104, 0x4004),
	  .registers = x86_least_registers },
	{ 0 }
};

/* Before Zen: requests to the second cache, and those that missed it. */
#define CACHES_K8	.codes = { \
	[HW_CACHE_REFERENCES] = 0x077d, [HW_CACHE_MISSES] = 0x077e, [HW_L1_MISSES] = 0x0141, \
	[HW_L1_ACCESSES] = 0x40, \
	/* Of both first caches, without the walks of page tables. */ \
	[HW_LLC_LOADS] = 0x037d, [HW_LLC_MISSES] = 0x037e }

/* Of Zen also walks of the page tables. */
#define CACHES_ZEN(l1)	.codes = { \
	[HW_CACHE_REFERENCES] = 0xff60, [HW_CACHE_MISSES] = 0x0964, \
	[HW_L1_MISSES] = l1, [HW_L1_ACCESSES] = 0x40, \
	[HW_DTLB_MISSES] = 0xf045, [HW_ITLB_MISSES] = 0xff85 }

const struct model amd_models[] = {
	{ 15, { 0 }, CACHES_K8 },
	{ 16, { 0 }, CACHES_K8 },
	{ 17, { 0 }, CACHES_K8 },
	{ 18, { 0 }, CACHES_K8 },
	{ 20, { 0 }, CACHES_K8 },
	{ 21, { 0 }, CACHES_K8, .limits = amd_15h },
	/* Zen: the same; l1-misses are the first data cache's requests to the second one */
	{ 23, { 0 }, CACHES_ZEN(0xc860), .limits = amd_zen },
	{ 25, { 0 }, CACHES_ZEN(0xe860), .limits = amd_zen },
	/* Of Hygon: Zen */
	{ 24, { 0 }, CACHES_ZEN(0xc860), .limits = amd_zen },
	/* Zen 5: of the first cache nothing is known from two sources */
	{ 26, { 0 }, .limits = amd_zen, .codes = {
		[HW_CACHE_REFERENCES] = 0xff60, [HW_CACHE_MISSES] = 0x0964,
		[HW_REF_CYCLES] = 0x100000120 } },
	{ 0 }
};
