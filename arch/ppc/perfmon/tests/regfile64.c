// SPDX-License-Identifier: GPL-2.0-only
/*
 * The register file of 64 bits: numbers, fields and conditions as the manuals have them
 * (Power ISA 2.07, 3.0 and 3.1, book III, "Performance Monitor Facility"; POWER8 Performance
 * Monitoring Unit User's Guide; IBM PowerPC 970FX User's Manual, chapter 10), bits by IBM's
 * numbers, 0 being the highest of 64. Nothing here is taken from the descriptions. Not
 * covered: instructions (mfspr, mtspr, isync), the interrupt itself and reservation.
 */
#include <linux/sched.h>

#include "regfile64.h"

#define IBM(first, last)	GENMASK_ULL(63 - (first), 63 - (last))
#define IBM_GET(value, first, last)	(((value) & IBM(first, last)) >> (63 - (last)))

#define MMCR3			754
#define MMCR2			785
#define MMCRA			786
#define PMC1			787
#define MMCR0			795
#define SIAR			796
#define SDAR			797
#define MMCR1			798

/* Of MMCR0. */
#define FC			IBM(32, 32)
#define FCS			IBM(33, 33)
#define FCP			IBM(34, 34)
#define PMAE			IBM(37, 37)
#define PMCC			IBM(44, 45)
#define PMC1CE			IBM(48, 48)
#define PMCJCE			IBM(49, 49)
#define PMCCEXT			IBM(54, 54)
#define PMAO			IBM(56, 56)
#define FCH			IBM(63, 63)

static struct {
	enum pfm_sprs64_kind kind;
	u32 pmc[8];
	u64 mmcr0, mmcr1, mmcr2, mmcr3, mmcra, siar, sdar;
	unsigned int faults, writes;
	bool edge;
} sprs;

static unsigned int pfm_sprs64_counters(void)
{
	return sprs.kind == SPRS_970 ? 8 : 6;
}

static u64 *pfm_sprs64_find(unsigned int spr)
{
	switch (spr) {
	case MMCR0:
		return &sprs.mmcr0;
	case MMCR1:
		return &sprs.mmcr1;
	case MMCR2:
		return sprs.kind >= SPRS_POWER8 ? &sprs.mmcr2 : NULL;
	case MMCR3:
		return sprs.kind >= SPRS_POWER10 ? &sprs.mmcr3 : NULL;
	case MMCRA:
		return &sprs.mmcra;
	case SIAR:
		return &sprs.siar;
	case SDAR:
		return &sprs.sdar;
	}
	return NULL;
}

static u32 *pfm_sprs64_pmc(unsigned int spr)
{
	return spr >= PMC1 && spr < PMC1 + pfm_sprs64_counters() ? &sprs.pmc[spr - PMC1] : NULL;
}

static bool pfm_sprs64_condition(void)
{
	unsigned int i;

	for (i = 0; i < pfm_sprs64_counters(); i++)
		if (sprs.pmc[i] & BIT(31) && sprs.mmcr0 & (i ? PMCJCE : PMC1CE))
			return true;
	return false;
}

static bool pfm_sprs64_alert(void)
{
	if (!pfm_sprs64_condition() || !(sprs.mmcr0 & PMAE))
		return false;
	sprs.mmcr0 = (sprs.mmcr0 & ~PMAE) | PMAO;
	return true;
}

bool pfm_sprs64_interrupts(void)
{
	return sprs.mmcr0 & PMAO;
}

/* By PMCC, programs read the counters unless it is 1; PMCCEXT is about other registers. */
bool pfm_sprs64_open(void)
{
	return sprs.kind == SPRS_970 || IBM_GET(sprs.mmcr0, 44, 45) != 1;
}

/*
 * What is an error of ours if it is 1: bits that are not there, and those that stop, start
 * or interrupt behind the core's back, or give the PMU to programs.
 */
static u64 pfm_sprs64_never(unsigned int spr)
{
	switch (spr) {
	case MMCR0:
		/* FCM1, FCM0, FCECE, TBEE, TRIGGER, PMAO. */
		if (sprs.kind == SPRS_970)
			return IBM(0, 31) | IBM(35, 36) | IBM(38, 38) | IBM(41, 41) |
			       IBM(50, 50) | IBM(56, 57);
		/* + BHRBA, EBE, PMCC from 2 on, and what freezes by tags or in wait state. */
		return IBM(0, 31) | IBM(35, 36) | IBM(38, 38) | IBM(41, 44) | IBM(50, 50) |
		       IBM(56, 62) | (sprs.kind == SPRS_POWER10 ? 0 : PMCCEXT);
	case MMCR1:
		/* Sources of the performance monitor bus; cache and radix qualifiers. */
		if (sprs.kind == SPRS_970)
			return IBM(2, 2) | IBM(5, 8) | IBM(11, 11) | IBM(20, 23);
		return sprs.kind == SPRS_POWER8 ? IBM(16, 27) : IBM(16, 23);
	case MMCR2:
		/* All but FCnS, FCnP and FCnH. */
		return ~(0x8040201008040000ULL | 0x4020100804020000ULL | 0x0201008040201000ULL);
	case MMCR3:
		return ~0ULL;
	case MMCRA:
		/* Of 970 the bit that marks one operation at most; of POWER10, no history. */
		return ~(sprs.kind == SPRS_970 ? IBM(50, 50) :
			 sprs.kind == SPRS_POWER10 ? IBM(26, 26) : 0);
	}
	return 0;
}

static unsigned long pfm_sprs64_read(unsigned int spr)
{
	u32 *pmc = pfm_sprs64_pmc(spr);
	u64 *r = pfm_sprs64_find(spr);

	if (pmc)
		return *pmc;
	if (r)
		return *r;
	sprs.faults++;
	return 0;
}

static void pfm_sprs64_write(unsigned int spr, unsigned long value)
{
	u32 *pmc = pfm_sprs64_pmc(spr);
	u64 *r = pfm_sprs64_find(spr);

	sprs.writes++;
	/* All but MMCR0 is written while nothing counts. */
	if ((!pmc && !r) || value & pfm_sprs64_never(spr) ||
	    (r != &sprs.mmcr0 && !(sprs.mmcr0 & FC)) ||
	    (pmc && (value & ~GENMASK_ULL(31, 0)))) {
		sprs.faults++;
		return;
	}
	if (pmc)
		*pmc = (u32)value;
	else
		*r = value;
	/* At once: nothing has been counted. */
	if (!sprs.edge && pfm_sprs64_alert())
		sprs.faults++;
}

static const struct pfm_ppc_file pfm_sprs64_ops = {
	.read = pfm_sprs64_read,
	.write = pfm_sprs64_write,
};

int pfm_sprs64_init(struct kunit *test)
{
	set_cpus_allowed_ptr(current, cpumask_of(raw_smp_processor_id()));
	pfm_ppc_file = &pfm_sprs64_ops;
	return 0;
}

void pfm_sprs64_exit(struct kunit *test)
{
	pfm_ppc_file = NULL;
}

void pfm_sprs64_make(enum pfm_sprs64_kind kind)
{
	memset(&sprs, 0, sizeof(sprs));
	memset(sprs.pmc, 0xff, sizeof(sprs.pmc));
	sprs.kind = kind;
	sprs.mmcr0 = FC | PMCC | PMC1CE | PMCJCE;
	sprs.mmcr1 = sprs.mmcr2 = sprs.mmcr3 = sprs.mmcra = sprs.siar = sprs.sdar = ~0ULL;
}

void pfm_sprs64_edge(void)
{
	sprs.edge = true;
}

u64 pfm_sprs64_get(unsigned int spr)
{
	u32 *pmc = pfm_sprs64_pmc(spr);
	u64 *r = pfm_sprs64_find(spr);

	return pmc ? *pmc : r ? *r : 0;
}

void pfm_sprs64_set(unsigned int spr, u64 value)
{
	u32 *pmc = pfm_sprs64_pmc(spr);
	u64 *r = pfm_sprs64_find(spr);

	if (pmc)
		*pmc = (u32)value;
	else if (!WARN_ON(!r))
		*r = value;
}

static u8 pfm_sprs64_select970(unsigned int n)
{
	switch (n) {
	case 1:
		return IBM_GET(sprs.mmcr0, 51, 55);
	case 2:
		return IBM_GET(sprs.mmcr0, 58, 62);
	case 3:
		return IBM_GET(sprs.mmcr1, 32, 36);
	case 4:
		return IBM_GET(sprs.mmcr1, 37, 41);
	case 5:
		return IBM_GET(sprs.mmcr1, 42, 46);
	case 6:
		return IBM_GET(sprs.mmcr1, 47, 51);
	case 7:
		return IBM_GET(sprs.mmcr1, 52, 56);
	}
	return IBM_GET(sprs.mmcr1, 57, 61);
}

struct pfm_sprs64_event pfm_sprs64_event(unsigned int n)
{
	const u64 m = sprs.mmcr1;
	const bool p8 = sprs.kind == SPRS_POWER8;

	if (sprs.kind == SPRS_970)
		return (struct pfm_sprs64_event){ pfm_sprs64_select970(n) };
	switch (n) {
	case 1:
		return (struct pfm_sprs64_event){ IBM_GET(m, 32, 39), IBM_GET(m, 0, 3),
			p8 ? IBM_GET(m, 28, 28) : IBM_GET(m, 24, 25) };
	case 2:
		return (struct pfm_sprs64_event){ IBM_GET(m, 40, 47), IBM_GET(m, 4, 7),
			p8 ? IBM_GET(m, 29, 29) : IBM_GET(m, 26, 27) };
	case 3:
		return (struct pfm_sprs64_event){ IBM_GET(m, 48, 55), IBM_GET(m, 8, 11),
			p8 ? IBM_GET(m, 30, 30) : IBM_GET(m, 28, 29) };
	case 4:
		return (struct pfm_sprs64_event){ IBM_GET(m, 56, 63), IBM_GET(m, 12, 15),
			p8 ? IBM_GET(m, 31, 31) : IBM_GET(m, 30, 31) };
	}
	return (struct pfm_sprs64_event){ n == 5 ? 0xfa : 0xf4 };
}

bool pfm_sprs64_counts(unsigned int n, enum pfm_sprs64_level level)
{
	static const u64 all[] = { FCP, FCS, FCH };
	/* FCnP, FCnS and FCnH of counter 1: nine bits further on for each other one. */
	static const u64 own[] = { IBM(1, 1), IBM(0, 0), IBM(6, 6) };

	if (sprs.mmcr0 & (FC | all[level]))
		return false;
	if (sprs.kind == SPRS_970)
		return pfm_sprs64_event(n).select != 8;
	return !(sprs.mmcr2 & own[level] >> 9 * (n - 1));
}

void pfm_sprs64_run(u32 events, enum pfm_sprs64_level level)
{
	bool became = false;
	unsigned int n;
	u32 before;

	for (n = 1; n <= pfm_sprs64_counters(); n++) {
		if (!pfm_sprs64_counts(n, level))
			continue;
		before = sprs.pmc[n - 1];
		sprs.pmc[n - 1] += events;
		became |= ~before & sprs.pmc[n - 1] & BIT(31);
	}
	if (!sprs.edge || became)
		pfm_sprs64_alert();
}

unsigned int pfm_sprs64_faults(void)
{
	unsigned int n = sprs.faults;

	sprs.faults = 0;
	return n;
}

unsigned int pfm_sprs64_writes(void)
{
	unsigned int n = sprs.writes;

	sprs.writes = 0;
	return n;
}
