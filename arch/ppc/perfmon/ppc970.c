// SPDX-License-Identifier: GPL-2.0-only
/*
 * perfmon2 on PowerPC: 970, 970FX, 970MP and 970GX.
 *
 * Eight counters. MMCR0 has the event selects of the first two, MMCR1 those of the others
 * and, above them, the multiplexers of the units that events come from. PMCn is the event
 * select of counter n, moved to bit 0: 8 selects nothing. PMC0 is what is left of MMCR0 for
 * programs, the levels among it: these are a set's, not a counter's. PMC9 is what is left
 * of MMCR1.
 *
 * An Apple G5's kernel runs in hypervisor state, which supervisor state does not
 * include: who leaves out the kernel leaves out both.
 *
 * IBM PowerPC 970FX User's Manual, chapter 10; Linux, arch/powerpc/perf/ppc970-pmu.c, which is
 * the one source for the fields of MMCR1 above the event selects.
 */
#include <linux/kernel.h>
#include <linux/percpu.h>

#include "ppc.h"

#define PPC970_FCS		BIT(30)		/* not in supervisor state */
#define PPC970_FCP		BIT(29)		/* not in problem state */
#define PPC970_FCH		BIT(0)		/* not in hypervisor state */
#define PPC970_NOT_KERNEL	(PPC970_FCS | PPC970_FCH)
#define PPC970_TBSEL		GENMASK(24, 23)	/* a bit of the timebase that an event counts */
#define PPC970_THRESHOLD	GENMASK(21, 16)	/* of events that last longer */
#define PPC970_PROGRAM		(PPC970_NOT_KERNEL | PPC970_FCP | PPC970_TBSEL | PPC970_THRESHOLD)

/* Of MMCR1: TTM0, 1 and 3; the lanes' sources; adders; and the special selection. */
#define PPC970_SOURCES		(GENMASK_ULL(63, 62) | GENMASK_ULL(60, 59) | GENMASK_ULL(54, 53) | \
				 GENMASK_ULL(51, 44) | GENMASK_ULL(39, 32) | GENMASK_ULL(1, 0))

/* Of MMCRA: of each instruction no more than one internal operation is marked. */
#define PPC970_MARK_ONE		BIT(13)

#define PPC970_NOTHING		8		/* event */
#define PPC970_COUNTERS		8
#define PPC970_LEVELS		0		/* positions of controls; those of counters between */
#define PPC970_OTHERS		9

static const struct ppc970_field {
	u16 spr;
	u8 shift;
} ppc970_fields[PPC970_COUNTERS] = {
	{ SPR64_MMCR0, 8 }, { SPR64_MMCR0, 1 }, { SPR64_MMCR1, 27 }, { SPR64_MMCR1, 22 },
	{ SPR64_MMCR1, 17 }, { SPR64_MMCR1, 12 }, { SPR64_MMCR1, 7 }, { SPR64_MMCR1, 2 },
};

/* What MMCR1 holds, and what MMCR0 is started with. [p] */
struct ppc970_cpu {
	u64 mmcr1;
	u32 mmcr0;
};

static DEFINE_PER_CPU(struct ppc970_cpu, ppc970_cpu);

#define PPC970_SELECT(n, spr) {						\
	.name = "PMC" #n "SEL", .num = n, PFM_PPC_SPR, .index = spr,	\
	.def = PPC970_NOTHING, .rsvd = ~GENMASK_ULL(4, 0),		\
}

static const struct pfm_pmc_desc ppc970_pmcs[] = {
	[PPC970_LEVELS] = {
		.name = "MMCR0", .num = 0, PFM_PPC_SPR, .index = SPR64_MMCR0,
		.def = PPC970_NOT_KERNEL, .rsvd = ~(u64)PPC970_PROGRAM,
	},
	PPC970_SELECT(1, SPR64_MMCR0), PPC970_SELECT(2, SPR64_MMCR0),
	PPC970_SELECT(3, SPR64_MMCR1), PPC970_SELECT(4, SPR64_MMCR1),
	PPC970_SELECT(5, SPR64_MMCR1), PPC970_SELECT(6, SPR64_MMCR1),
	PPC970_SELECT(7, SPR64_MMCR1), PPC970_SELECT(8, SPR64_MMCR1),
	[PPC970_OTHERS] = {
		.name = "MMCR1", .num = 9, PFM_PPC_SPR, .index = SPR64_MMCR1,
		.rsvd = ~PPC970_SOURCES,
	},
};

#define PPC970_COUNTER(n) {						\
	.name = "PMC" #n, .num = n, PFM_PPC_SPR, .index = SPR64_PMC(n),	\
	.flags = PFM_PMD_COUNTER, .ctrl = n,				\
}

static const struct pfm_pmd_desc ppc970_pmds[] = {
	PPC970_COUNTER(1), PPC970_COUNTER(2), PPC970_COUNTER(3), PPC970_COUNTER(4),
	PPC970_COUNTER(5), PPC970_COUNTER(6), PPC970_COUNTER(7), PPC970_COUNTER(8),
};

static bool ppc970_selects(const struct pfm_pmu *pmu, unsigned int num, u64 value)
{
	return num >= 1 && num <= PPC970_COUNTERS && value != PPC970_NOTHING;
}

static bool ppc970_kernel(const struct pfm_pmu *pmu, unsigned int num, u64 value)
{
	return num == 0 && (value & PPC970_NOT_KERNEL) != PPC970_NOT_KERNEL;
}

/* The event selects in register @spr: of the counters that are to count, and of no other. */
static u64 ppc970_chosen(const struct pfm_run *run, unsigned int spr)
{
	unsigned int i;
	u64 value = 0;

	for (i = 0; i < PPC970_COUNTERS; i++)
		if (ppc970_fields[i].spr == spr)
			value |= (run->pmds & BIT(i) ? run->v[i + 1] : PPC970_NOTHING) <<
				 ppc970_fields[i].shift;
	return value;
}

static void ppc970_set_mmcr1(u64 value)
{
	__this_cpu_write(ppc970_cpu.mmcr1, value);
	pfm_ppc_write(SPR64_MMCR1, value);
}

static void ppc970_start(const struct pfm_pmu *pmu, const struct pfm_run *run)
{
	u64 mmcr1;

	if (pfm_alert_is_new(run)) {
		__this_cpu_write(ppc970_cpu.mmcr0, (u32)run->v[PPC970_LEVELS] |
				 (u32)ppc970_chosen(run, SPR64_MMCR0));
		mmcr1 = run->v[PPC970_OTHERS] | ppc970_chosen(run, SPR64_MMCR1);
		if (__this_cpu_read(ppc970_cpu.mmcr1) != mmcr1)
			ppc970_set_mmcr1(mmcr1);
	}
	pfm_alert_start(pmu, __this_cpu_read(ppc970_cpu.mmcr0));
}

static void ppc970_reset(const struct pfm_pmu *pmu, const u64 *v)
{
	static const struct pfm_run nothing;

	pfm_alert_reset(pmu);
	pfm_ppc_write(SPR64_MMCRA, PPC970_MARK_ONE);
	__this_cpu_write(ppc970_cpu.mmcr0, PPC970_NOT_KERNEL |
			 (u32)ppc970_chosen(&nothing, SPR64_MMCR0));
	ppc970_set_mmcr1(ppc970_chosen(&nothing, SPR64_MMCR1));
}

/* Programs can read the counters in registers of their own. */
static const struct pfm_alert_pmu ppc970_pmu = {
	.pmu = {
		.name = "PowerPC 970",
		.pmcs = ppc970_pmcs,
		.pmds = ppc970_pmds,
		.num_pmcs = ARRAY_SIZE(ppc970_pmcs),
		.num_pmds = ARRAY_SIZE(ppc970_pmds),
		.flags = PFM_PMU_USER_READ,
		.selects = ppc970_selects,
		.kernel = ppc970_kernel,
		.reset = ppc970_reset,
		.start = ppc970_start,
		PFM_ALERT_OPERATIONS,
	},
};

/**
 * pfm_ppc970_describe() - the PMU of the 970 family
 * @cpu: facts
 *
 * Context: any.
 * Return: the description, or NULL if @cpu is none of these, or does not interrupt.
 */
const struct pfm_pmu *pfm_ppc970_describe(const struct pfm_ppc_cpu *cpu)
{
	if (cpu->silent)
		return NULL;
	switch (cpu->pvr >> 16) {
	case 0x0039: case 0x003c: case 0x0044: case 0x0045:	/* 970, FX, MP, GX */
		return &ppc970_pmu.pmu;
	default:
		return NULL;
	}
}
