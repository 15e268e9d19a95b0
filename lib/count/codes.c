// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Codes of the events that most hardware has. Those of a family are the architecture's;
 * a model can have others.
 *
 * The facts are of Intel's SDM volume 3 and lists of events, and of AMD's BKDG and PPR, as
 * Linux 6.1 has them for perf_events (arch/x86/events, tools/perf/pmu-events) and libpfm4
 * in its tables; of PowerPC and POWER, those of arch/powerpc/perf there, of the 604's manual,
 * and of libpfm4.
 * l1-misses is what perf's L1-dcache-load-misses is, but on Sapphire Rapids, which goes on
 * with L1D.REPLACEMENT, and on Zen 3, for which AMD names one more unit mask. l1-accesses
 * is L1-dcache-loads, but on Sandy and Ivy Bridge, where it is as on Haswell (all loads, by
 * the list of events), and on Silvermont, of which perf has none (MEM_UOPS_RETIRED.ALL_LOADS).
 */
#include <stddef.h>
#include <string.h>

#include "codes.h"
#include "p4.h"
#include "ppc.h"

#define COUNT(table)	(sizeof(table) / sizeof((table)[0]))

/* What POWER8 to 10 have in common, and what not. */
#define POWER(branches, l1_misses, l1_accesses)	{ \
	[HW_CYCLES] = 0x1e, [HW_INSTRUCTIONS] = 0x02, [HW_BRANCHES] = branches, \
	[HW_BRANCH_MISSES] = 0x400f6, [HW_CACHE_REFERENCES] = 0x200fe, \
	[HW_CACHE_MISSES] = 0x300fe, [HW_L1_MISSES] = l1_misses, [HW_L1_ACCESSES] = l1_accesses }

static const struct {
	const char *pmu;		/* how the kernel's name begins */
	uint64_t code[HW_EVENTS];
} families[] = {
	{ "Intel arch", {
		[HW_CYCLES] = 0x3c, [HW_INSTRUCTIONS] = 0xc0, [HW_BRANCHES] = 0xc4,
		[HW_BRANCH_MISSES] = 0xc5, [HW_CACHE_REFERENCES] = 0x4f2e,
		[HW_CACHE_MISSES] = 0x412e } },
	{ "AMD", {
		[HW_CYCLES] = 0x76, [HW_INSTRUCTIONS] = 0xc0, [HW_BRANCHES] = 0xc2,
		[HW_BRANCH_MISSES] = 0xc3 } },
	{ "Intel P6", {		/* L2_RQSTS of all states, of the invalid one; DCU_LINES_IN,
				 * DATA_MEM_REFS */
		[HW_CYCLES] = 0x79, [HW_INSTRUCTIONS] = 0xc0, [HW_BRANCHES] = 0xc4,
		[HW_BRANCH_MISSES] = 0xc5, [HW_CACHE_REFERENCES] = 0x0f2e,
		[HW_CACHE_MISSES] = 0x012e, [HW_L1_MISSES] = 0x45, [HW_L1_ACCESSES] = 0x43 } },
	{ "Intel P4", {		/* GLOBAL_POWER_EVENTS, INSTR_RETIRED that was not bogus,
				 * BRANCH_RETIRED of all kinds */
		[HW_CYCLES] = P4_EVENT(0x13U, 1, 6), [HW_INSTRUCTIONS] = P4_EVENT(2, 1, 4),
		[HW_BRANCHES] = P4_EVENT(6, 0xf, 5) } },
	/* PM_LD_MISS_L1, PM_LD_REF_L1. Of branches 970 counts those that are issued. */
	{ "PowerPC 970", {
		[HW_CYCLES] = PPC_EVENT(0, 0xf), [HW_INSTRUCTIONS] = PPC_EVENT(0, 9),
		[HW_L1_MISSES] = PPC970_EVENT(0x3810), [HW_L1_ACCESSES] = PPC970_EVENT(0x8810) } },
	{ "PowerPC", { [HW_CYCLES] = PPC_EVENT(0, 1), [HW_INSTRUCTIONS] = PPC_EVENT(0, 2) } },
	{ "PowerPC 604", { [HW_BRANCHES] = PPC_EVENT(2, 8) } },
	/* 750 and 7400 count branches that are taken and those that are not apart. */
	{ "PowerPC 745", {
		[HW_BRANCHES] = PPC_EVENT(1, 0x22), [HW_BRANCH_MISSES] = PPC_EVENT(4, 0x1c),
		[HW_L1_MISSES] = PPC_EVENT(2, 0x17) } },
	/* PM_CYC, PM_INST_CMPL, PM_BR_CMPL, PM_BR_MPRED_CMPL; PM_DATA_FROM_L2MISS and _L3MISS,
	 * of loads; PM_LD_MISS_L1 (POWER9: PM_LD_MISS_L1_FIN), PM_LD_REF_L1 */
	{ "POWER8", POWER(0x40060, 0x3e054, 0x100ee) },
	{ "POWER9", POWER(0x4d05e, 0x2c04e, 0x100fc) },
	{ "POWER10", POWER(0x4d05e, 0x3e054, 0x100fc) },
	{ "POWER11", POWER(0x4d05e, 0x3e054, 0x100fc) },
};

#define NONE	UINT64_MAX	/* which the family has */
#define L1(misses, accesses)	{ [HW_L1_MISSES] = misses, [HW_L1_ACCESSES] = accesses }
/* AMD's; the first data cache's accesses are the same in all families. */
#define CACHES(references, misses, l1)	\
	{ [HW_CACHE_REFERENCES] = references, [HW_CACHE_MISSES] = misses, \
	  [HW_L1_MISSES] = l1, [HW_L1_ACCESSES] = 0x40 }
/* Before Zen: requests to the second cache, and those that missed it. */
#define AMD_CACHES	CACHES(0x077d, 0x077e, 0x0141)

/* By the processor's family and model. */
static const struct {
	const char *pmu;
	unsigned int family;
	uint8_t models[PMU_MODELS];
	uint64_t code[HW_EVENTS];	/* 0: as the family has it */
} models[] = {
	/* Core 2: L1D_CACHE_LD.I_STATE, L1D_CACHE_LD.MESI */
	{ "Intel arch", 6, { 15, 22, 23, 29 }, L1(0x0140, 0x0f40) },
	/* Nehalem: L1D.REPL, MEM_INST_RETIRED.LOADS; its event 0xc5 miscounts (erratum AAJ80) */
	{ "Intel arch", 6, { 26, 30, 31, 46 },
	  { [HW_BRANCH_MISSES] = NONE, [HW_L1_MISSES] = 0x0151, [HW_L1_ACCESSES] = 0x010b } },
	/* Westmere: the same */
	{ "Intel arch", 6, { 37, 44, 47 }, L1(0x0151, 0x010b) },
	/* L1D.REPLACEMENT, MEM_UOPS_RETIRED.ALL_LOADS or (from Skylake on) MEM_INST_RETIRED's:
	 * Sandy Bridge, Ivy Bridge, */
	{ "Intel arch", 6, { 42, 45, 58, 62 }, L1(0x0151, 0x81d0) },
	/* Haswell, Broadwell, */
	{ "Intel arch", 6, { 60, 63, 69, 70, 61, 71, 79, 86 }, L1(0x0151, 0x81d0) },
	/* Skylake to Comet Lake, */
	{ "Intel arch", 6, { 78, 85, 94, 142, 158, 165, 166 }, L1(0x0151, 0x81d0) },
	/* Ice Lake, Tiger Lake, Rocket Lake, Sapphire and Emerald Rapids */
	{ "Intel arch", 6, { 106, 108, 125, 126, 140, 141, 167, 143, 207 }, L1(0x0151, 0x81d0) },
	/* Silvermont, Airmont, Knights Landing and Mill: loads that missed, all */
	{ "Intel arch", 6, { 55, 74, 76, 77, 90, 87, 133 }, L1(0x0104, 0x4004) },
	{ "AMD", 15, { 0 }, AMD_CACHES },
	{ "AMD", 16, { 0 }, AMD_CACHES },
	{ "AMD", 17, { 0 }, AMD_CACHES },
	{ "AMD", 18, { 0 }, AMD_CACHES },
	{ "AMD", 20, { 0 }, AMD_CACHES },
	{ "AMD", 21, { 0 }, AMD_CACHES },
	/* Zen: the same; l1-misses are the first data cache's requests to the second one */
	{ "AMD", 23, { 0 }, CACHES(0xff60, 0x0964, 0xc860) },
	{ "AMD", 25, { 0 }, CACHES(0xff60, 0x0964, 0xe860) },
};

uint64_t codes_find(const struct pmu *pmu, enum hw_event event)
{
	uint64_t code = 0;
	size_t i;

	for (i = 0; i < COUNT(models) && !code; i++)
		if (pmu_is(pmu, models[i].pmu, models[i].family, models[i].models))
			code = models[i].code[event];
	for (i = 0; i < COUNT(families) && !code; i++)
		if (!strncmp(pmu->model, families[i].pmu, strlen(families[i].pmu)))
			code = families[i].code[event];
	return code == NONE ? 0 : code;
}
