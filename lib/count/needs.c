// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What events need: certain counters, and registers of their own.
 *
 * Neither libpfm4's encodings nor the kernel's description say which counters can
 * count an event. The facts are of Intel's manuals (SDM volume 3, and the lists of events of
 * each model) and of AMD's BKDG for family 15h, as Linux 6.1 has them for perf_events
 * (arch/x86/events/intel/core.c, p6.c, amd/core.c), and where these differ libpfm4 (the
 * masks of its tables, which it does not tell programs), those that allow less. Counters
 * that a machine does not have do not matter here.
 */
#include <stddef.h>
#include <string.h>

#include "needs.h"

#define COUNT(table)	(sizeof(table) / sizeof((table)[0]))
#define ANY_UMASK	0x100
#define NO_EVENT	0xffff
#define FIXED0		(1U << PMU_FIXED)

/* Events @from to @to with this unit mask can be counted by these counters only. */
struct limit {
	uint16_t from, to, umask;
	uint32_t counters;
};

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
	UMASK(0x04, 0xa4, 0x1), UMASK(0x08, 0xa4, 0x1), UMASK(0x01, 0xcd, 0xfe),
	UMASK(0x02, 0xcd, 0x1), EVENT(0xce, 0x1), EVENTS(0xd0, 0xdf, 0xf),
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

/* By the processor's family and model. */
static const struct {
	const char *pmu;		/* how the kernel's name begins */
	unsigned int family;
	uint8_t models[PMU_MODELS];
	const struct limit *limit;
} tables[] = {
	{ "Intel P6", 6, { 1, 3, 5, 6, 7, 8, 9, 10, 11, 13 }, p6 },
	{ "Intel arch", 6, { 14 }, core },
	{ "Intel arch", 6, { 15, 22, 23, 29 }, core2 },
	{ "Intel arch", 6, { 26, 30, 31, 46 }, nehalem },
	{ "Intel arch", 6, { 37, 44, 47 }, westmere },
	{ "Intel arch", 6, { 42, 45 }, sandy_bridge },
	{ "Intel arch", 6, { 58, 62 }, ivy_bridge },
	{ "Intel arch", 6, { 60, 63, 69, 70 }, haswell },
	{ "Intel arch", 6, { 61, 71, 79, 86 }, broadwell },
	{ "Intel arch", 6, { 78, 85, 94, 142, 158, 165, 166 }, skylake },
	{ "Intel arch", 6, { 106, 108, 125, 126, 140, 141, 167 }, ice_lake },
	{ "Intel arch", 6, { 143, 173, 174, 207 }, sapphire_rapids },
	{ "AMD", 21, { 0 }, amd_15h },
	{ "AMD", 23, { 0 }, amd_zen },
	{ "AMD", 25, { 0 }, amd_zen },
	{ "AMD", 26, { 0 }, amd_zen },
};

static const struct limit *find_limits(const struct pmu *pmu)
{
	size_t i;

	for (i = 0; i < COUNT(tables); i++)
		if (pmu_is(pmu, tables[i].pmu, tables[i].family, tables[i].models))
			return tables[i].limit;
	return NULL;
}

uint32_t needs_counters(const struct pmu *pmu, uint64_t code)
{
	const struct limit *l = find_limits(pmu);
	unsigned int event = (unsigned int)((code & 0xff) | (code >> 24 & 0xf00));
	unsigned int umask = code >> 8 & 0xff;

	for (; l && l->to != NO_EVENT; l++)
		if (event >= l->from && event <= l->to &&
		    (l->umask == ANY_UMASK || l->umask == umask))
			return l->counters;
	return ~(uint32_t)0;
}

#define OFFCORE_RSP_0	0x1a6
#define OFFCORE_RSP_1	0x1a7
#define LD_LAT		0x3f6
#define FRONTEND	0x3f7

#define LD_LAT_REMARK \
	"most models count loads by latency only with PEBS, which the kernel does not offer: it may be 0"

static const struct event_register older[] = {
	{ 0x01b7, OFFCORE_RSP_0, "rsp", NULL }, { 0x01bb, OFFCORE_RSP_1, "rsp", NULL },
	{ 0x01cd, LD_LAT, "ldlat", LD_LAT_REMARK }, { 0x01c6, FRONTEND, "frontend", NULL },
}, newer[] = {
	{ 0x012a, OFFCORE_RSP_0, "rsp", NULL }, { 0x012b, OFFCORE_RSP_1, "rsp", NULL },
	{ 0x01cd, LD_LAT, "ldlat", LD_LAT_REMARK }, { 0x01c6, FRONTEND, "frontend", NULL },
	{ 0x40ad, FRONTEND, "frontend", NULL }, { 0x04c2, FRONTEND, "frontend", NULL },
}, first[] = {
	{ 0x01b7, OFFCORE_RSP_0, "rsp", NULL }, { 0x01bb, OFFCORE_RSP_1, "rsp", NULL },
	{ 0x100b, LD_LAT, "ldlat", LD_LAT_REMARK },
};

const struct event_register *needs_register(const struct pmu *pmu, uint64_t code)
{
	const struct limit *l = find_limits(pmu);
	const struct event_register *r = older;
	size_t i, n = COUNT(older);

	if (l == p6 || l == core || l == core2 || pmu_is_other(pmu) ||
	    strncmp(pmu->model, "Intel arch", 10))
		return NULL;
	if (!l) {
		n = 1;		/* the least that models have in common */
	} else if (l == sapphire_rapids) {
		r = newer;
		n = COUNT(newer);
	} else if (l == nehalem || l == westmere) {
		r = first;
		n = COUNT(first);
	} else if (l != skylake && l != ice_lake) {
		n--;		/* has no register of the front end */
	}
	for (i = 0; i < n; i++)
		if (r[i].code == (code & 0xffff))
			return &r[i];
	return NULL;
}
