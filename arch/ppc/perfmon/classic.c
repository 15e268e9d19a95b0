// SPDX-License-Identifier: GPL-2.0-only
/*
 * perfmon2 on PowerPC: the families of 32 bits, 604 to 745x.
 *
 * Two to six counters. MMCR0 starts and stops all of them, and has the event selects
 * of the first two; MMCR1 has the others'. PMCn is the event select of counter n, moved to
 * bit 0, and PMC0 what is left of MMCR0 for programs: levels are a set's, not a
 * counter's. 0 selects nothing.
 *
 * A counter interrupts while its bit 31 is 1, be it left from long ago. So 31 bits are
 * used, and no counter has that bit when interrupts are enabled: start() sees to it.
 * The counter counts on meanwhile, so that nothing is lost.
 *
 * Where an erratum forbids interrupts, all 32 bits are used: an interrupt of the counters
 * together with the decrementer's corrupts SRR0.
 *
 * IBM PowerPC 604 and 750GX User's Manuals, Freescale MPC750, MPC7400 and MPC7450 Family
 * User's Manuals, chapters 2 and 11; 604: 9; for 745x Linux, arch/powerpc/perf/mpc7450-pmu.c, for
 * the others perfctr. The errata are those of MPC750 (section C.1.16), 750CXe (13) and MPC7410
 * (10 and 14); perfctr has them, too.
 */
#include <linux/kernel.h>
#include <linux/percpu.h>

#include "ppc.h"

#define CLASSIC_FC		BIT(31)		/* nothing counts */
#define CLASSIC_FCS		BIT(30)		/* not in supervisor state */
#define CLASSIC_FCP		BIT(29)		/* not in problem state */
#define CLASSIC_PMXE		BIT(26)		/* interrupt */
#define CLASSIC_TBSEL		GENMASK(24, 23)	/* the bit of the timebase that event 3 counts */
#define CLASSIC_THRESHOLD	GENMASK(21, 16)	/* of events that last longer */
#define CLASSIC_PMC1CE		BIT(15)		/* counter 1 interrupts */
#define CLASSIC_PMCJCE		BIT(14)		/* the others do */
#define CLASSIC_MULTIPLY	BIT(31)		/* THRESHOLD is in units of 32, not 2 */

/*
 * Bits of MMCR0 that stop or start counters behind the core's back are reserved:
 * FCM1 and FCM0, by a bit of MSR that is nobody's; TBEE, which interrupts by time; FCECE,
 * which loses events between an overflow and its interrupt; TRIGGER, which has counters
 * wait for the first one. In MMCR2 it is what lets other chips start and interrupt.
 */
#define CLASSIC_PROGRAM		(CLASSIC_FCS | CLASSIC_FCP | CLASSIC_TBSEL | CLASSIC_THRESHOLD)

#define CLASSIC_COUNTERS	6

/* Where the event select of a counter is, and how wide. [c] */
struct classic_field {
	u16 spr;
	u8 shift;
	u8 bits;
};

static const struct classic_field classic_fields[CLASSIC_COUNTERS] = {
	{ SPR_MMCR0, 6, 7 }, { SPR_MMCR0, 0, 6 },
	{ SPR_MMCR1, 27, 5 }, { SPR_MMCR1, 22, 5 },
	{ SPR_MMCR1, 17, 5 }, { SPR_MMCR1, 11, 6 },
};

/* What MMCR1 and MMCR2 hold, so that a start need not write them each time. [p] */
struct classic_cpu {
	u32 mmcr1;
	u32 mmcr2;
};

static DEFINE_PER_CPU(struct classic_cpu, classic_cpu);

#define CLASSIC_LEVELS {						\
	.name = "MMCR0", .num = 0, PFM_PPC_SPR, .index = SPR_MMCR0,	\
	.def = CLASSIC_FCS, .rsvd = ~(u64)CLASSIC_PROGRAM,		\
}

#define CLASSIC_SELECT(n, spr, bits) {					\
	.name = "PMC" #n "SEL", .num = n, PFM_PPC_SPR, .index = spr,	\
	.rsvd = ~GENMASK_ULL((bits) - 1, 0),				\
}

#define CLASSIC_SELECTS							\
	CLASSIC_LEVELS,							\
	CLASSIC_SELECT(1, SPR_MMCR0, 7), CLASSIC_SELECT(2, SPR_MMCR0, 6), \
	CLASSIC_SELECT(3, SPR_MMCR1, 5), CLASSIC_SELECT(4, SPR_MMCR1, 5)

#define CLASSIC_THRESHMULT {						\
	.name = "MMCR2", .num = 7, PFM_PPC_SPR, .index = SPR_MMCR2,	\
	.rsvd = ~(u64)CLASSIC_MULTIPLY,					\
}

#define CLASSIC_COUNTER(n) {						\
	.name = "PMC" #n, .num = n, PFM_PPC_SPR, .index = SPR_PMC##n,	\
	.flags = PFM_PMD_COUNTER, .ctrl = n,				\
}

/* The 604 has the first three, 604e and 750 all. */
static const struct pfm_pmc_desc classic_pmcs[] = { CLASSIC_SELECTS };

static const struct pfm_pmc_desc g4_pmcs[] = { CLASSIC_SELECTS, CLASSIC_THRESHMULT };

static const struct pfm_pmc_desc mpc745x_pmcs[] = {
	CLASSIC_SELECTS,
	CLASSIC_SELECT(5, SPR_MMCR1, 5), CLASSIC_SELECT(6, SPR_MMCR1, 6),
	CLASSIC_THRESHMULT,
};

/* As many as there are. */
static const struct pfm_pmd_desc classic_pmds[CLASSIC_COUNTERS] = {
	CLASSIC_COUNTER(1), CLASSIC_COUNTER(2), CLASSIC_COUNTER(3),
	CLASSIC_COUNTER(4), CLASSIC_COUNTER(5), CLASSIC_COUNTER(6),
};

static bool classic_interrupts(const struct pfm_pmu *pmu)
{
	return !(pmu->flags & PFM_PMU_NO_INTERRUPT);
}

static bool classic_has_mmcr1(const struct pfm_pmu *pmu)
{
	return pmu->num_pmds > 2;
}

static bool classic_has_mmcr2(const struct pfm_pmu *pmu)
{
	return pmu->pmcs[pmu->num_pmcs - 1].index == SPR_MMCR2;
}

static bool classic_selects(const struct pfm_pmu *pmu, unsigned int num, u64 value)
{
	return num >= 1 && num <= CLASSIC_COUNTERS && value;
}

static bool classic_kernel(const struct pfm_pmu *pmu, unsigned int num, u64 value)
{
	return num == 0 && !(value & CLASSIC_FCS);
}

/* The event selects, in register @spr, of the counters that are to count. */
static u32 classic_chosen(const struct pfm_pmu *pmu, const struct pfm_run *run,
			  unsigned int spr)
{
	unsigned int i;
	u32 value = 0;

	for (i = 0; i < pmu->num_pmds; i++)
		if (classic_fields[i].spr == spr && run->pmds & BIT(i))
			value |= (u32)run->v[i + 1] << classic_fields[i].shift;
	return value;
}

static void classic_set_mmcr1(u32 value)
{
	__this_cpu_write(classic_cpu.mmcr1, value);
	pfm_ppc_write(SPR_MMCR1, value);
}

static void classic_set_mmcr2(u32 value)
{
	__this_cpu_write(classic_cpu.mmcr2, value);
	pfm_ppc_write(SPR_MMCR2, value);
}

static void classic_start(const struct pfm_pmu *pmu, const struct pfm_run *run)
{
	u32 mmcr0 = (u32)run->v[0] | classic_chosen(pmu, run, SPR_MMCR0);
	u32 mmcr1 = classic_chosen(pmu, run, SPR_MMCR1);
	u32 mmcr2 = (u32)run->v[pmu->num_pmcs - 1];

	if (classic_interrupts(pmu)) {
		pfm_ppc_make_positive(pmu);
		mmcr0 |= CLASSIC_PMXE | CLASSIC_PMC1CE | CLASSIC_PMCJCE;
	}
	if (classic_has_mmcr1(pmu) && __this_cpu_read(classic_cpu.mmcr1) != mmcr1)
		classic_set_mmcr1(mmcr1);
	if (classic_has_mmcr2(pmu) && __this_cpu_read(classic_cpu.mmcr2) != mmcr2)
		classic_set_mmcr2(mmcr2);
	pfm_ppc_write(SPR_MMCR0, mmcr0);
}

static void classic_stop(const struct pfm_pmu *pmu, const struct pfm_run *run)
{
	pfm_ppc_write(SPR_MMCR0, CLASSIC_FC);
}

static void classic_reset(const struct pfm_pmu *pmu, const u64 *v)
{
	unsigned int i;

	pfm_ppc_write(SPR_MMCR0, CLASSIC_FC);
	if (classic_has_mmcr1(pmu))
		classic_set_mmcr1(0);
	if (classic_has_mmcr2(pmu))
		classic_set_mmcr2((u32)v[pmu->num_pmcs - 1]);
	for (i = 0; i < pmu->num_pmds; i++)
		pfm_ppc_write(pmu->pmds[i].index, 0);
}

/*
 * By one manual the processor has cleared PMXE, by others' experience not. Where the
 * counters go on, it stays off until the core starts them again; where the core has
 * stopped them, it is off. What is negative is left to that start.
 */
static bool classic_acknowledge(const struct pfm_pmu *pmu, const struct pfm_run *run)
{
	unsigned int i;

	if (run->pmds)
		pfm_ppc_write(SPR_MMCR0, pfm_ppc_read(SPR_MMCR0) & ~CLASSIC_PMXE);
	for (i = 0; i < pmu->num_pmds; i++)
		if (pfm_ppc_read(pmu->pmds[i].index) & PFM_PPC_NEGATIVE)
			return true;
	return false;
}

#define CLASSIC_PMU(n, c, controls, counters, more, w, f) {		\
	.name = n,							\
	.pmcs = c,							\
	.pmds = classic_pmds,						\
	.num_pmcs = controls,						\
	.num_pmds = counters,						\
	.width = w,							\
	.flags = f,							\
	.selects = classic_selects,					\
	.kernel = classic_kernel,					\
	.acquire = pfm_ppc_acquire,					\
	.release = pfm_ppc_release,					\
	.reset = classic_reset,						\
	.start = classic_start,						\
	.stop = classic_stop,						\
	.read = pfm_ppc_read_counter,					\
	.write = pfm_ppc_write_counter,					\
	more								\
}

/* Silent, and not. */
#define CLASSIC_PMUS(n, c, controls, counters, f) {			\
	CLASSIC_PMU(n, c, controls, counters, , 32, (f) | PFM_PMU_NO_INTERRUPT), \
	CLASSIC_PMU(n, c, controls, counters,				\
		    .acknowledge = classic_acknowledge, 31, f),		\
}

static const struct pfm_pmu ppc604_pmus[] =
	CLASSIC_PMUS("PowerPC 604", classic_pmcs, 3, 2, 0);
static const struct pfm_pmu ppc604e_pmus[] =
	CLASSIC_PMUS("PowerPC 604e", classic_pmcs, 5, 4, 0);
/* User-level mirrors of the registers begin with these. */
static const struct pfm_pmu ppc750_pmus[] =
	CLASSIC_PMUS("PowerPC 750", classic_pmcs, 5, 4, PFM_PMU_USER_READ);
static const struct pfm_pmu mpc7400_pmus[] =
	CLASSIC_PMUS("PowerPC 7400", g4_pmcs, 6, 4, PFM_PMU_USER_READ);
static const struct pfm_pmu mpc745x_pmus[] =
	CLASSIC_PMUS("PowerPC 7450", mpc745x_pmcs, 8, 6, PFM_PMU_USER_READ);

/**
 * pfm_classic_describe() - the PMU of 604 to 745x
 * @cpu: facts
 *
 * Others of 32 bits, 603 and e300, have a timebase and no counters.
 *
 * Context: any.
 * Return: the description, or NULL if @cpu is none of these.
 */
const struct pfm_pmu *pfm_classic_describe(const struct pfm_ppc_cpu *cpu)
{
	const u32 revision = cpu->pvr & 0xffff;
	const struct pfm_pmu *pmus;
	bool erratum = false;

	switch (cpu->pvr >> 16) {
	case 0x0004:
		pmus = ppc604_pmus;
		break;
	case 0x0009: case 0x000a:	/* 604e, 604r */
		pmus = ppc604e_pmus;
		break;
	case 0x0008:			/* 740 to 755 */
		pmus = ppc750_pmus;
		erratum = true;
		break;
	case 0x7000: case 0x7001:	/* 750FX, from DD2.3 without the erratum */
		pmus = ppc750_pmus;
		erratum = (revision & 0xff0f) < 0x0203;
		break;
	case 0x7002:			/* 750GX */
		pmus = ppc750_pmus;
		break;
	case 0x000c:			/* 7400 */
		pmus = mpc7400_pmus;
		erratum = true;
		break;
	case 0x800c:			/* 7410, from 1.3 without the erratum */
		pmus = mpc7400_pmus;
		erratum = revision < 0x1103;
		break;
	case 0x8000: case 0x8001: case 0x8002: case 0x8003: case 0x8004:
		pmus = mpc745x_pmus;	/* 7450, 7455, 7457, 7447A, 7448 */
		break;
	default:
		return NULL;
	}
	return &pmus[!cpu->silent && (cpu->pmi || !erratum)];
}
