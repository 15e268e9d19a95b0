// SPDX-License-Identifier: GPL-2.0-only
/*
 * perfmon2 on x86: P6, Pentium Pro to Pentium III and Pentium M.
 *
 * Two counters of 40 bits, of which 32 can be written: the hardware extends
 * the sign of bit 31. The enable bit of PerfEvtSel0 enables both: to stop and to
 * start is one write of that register. A counter that is not asked to count
 * while the other one does has a register that selects nothing: so each can be
 * another context's.
 *
 * Intel SDM, volume 3, performance monitoring: "P6 Family Processor"; Linux,
 * arch/x86/events/intel/p6.c.
 */
#include <linux/kernel.h>
#include <linux/percpu.h>
#include <asm/processor.h>

#include "evtsel.h"

#define P6_PERFCTR0	0x0c1
#define P6_PERFEVTSEL0	0x186
#define P6_PERFEVTSEL1	0x187
#define P6_COUNTERS	2

static const struct pfm_pmc_desc p6_pmcs[] = {
	{ .name = "PERFEVTSEL0", .num = 0,
	  PFM_X86_MSR, .index = P6_PERFEVTSEL0,
	  .def = PFM_EVTSEL_DEF, .rsvd = PFM_EVTSEL_RSVD },
	{ .name = "PERFEVTSEL1", .num = 1,
	  PFM_X86_MSR, .index = P6_PERFEVTSEL1,
	  .def = PFM_EVTSEL_DEF, .rsvd = PFM_EVTSEL_RSVD | PFM_X86_EN },
};

static const struct pfm_pmd_desc p6_pmds[] = {
	{ .name = "PERFCTR0", .num = 0, PFM_X86_MSR, .index = P6_PERFCTR0,
	  .flags = PFM_PMD_COUNTER, .ctrl = 0, .write_bits = 32 },
	{ .name = "PERFCTR1", .num = 1, PFM_X86_MSR, .index = P6_PERFCTR0 + 1,
	  .flags = PFM_PMD_COUNTER, .ctrl = 1, .write_bits = 32 },
};

/* What PerfEvtSel1 holds, so that a start need not write it each time. [p] */
static DEFINE_PER_CPU(u64, p6_evtsel1);

static bool p6_selects(const struct pfm_pmu *pmu, unsigned int num, u64 value)
{
	return pfm_evtsel_selects(value);
}

static bool p6_kernel(const struct pfm_pmu *pmu, unsigned int num, u64 value)
{
	return value & PFM_X86_OS;
}

static int p6_acquire(const struct pfm_pmu *pmu, unsigned int what)
{
	return pfm_x86_acquire(P6_PERFCTR0, 1, P6_PERFEVTSEL0, 1, P6_COUNTERS);
}

static void p6_release(const struct pfm_pmu *pmu, unsigned int what)
{
	pfm_x86_release(P6_PERFCTR0, 1, P6_PERFEVTSEL0, 1, P6_COUNTERS);
}

static void p6_write_evtsel1(u64 value)
{
	__this_cpu_write(p6_evtsel1, value);
	pfm_x86_write(P6_PERFEVTSEL1, value);
}

static void p6_let(const u64 *v, u64 pmds)
{
	u64 sel0 = pmds & BIT(0) ? v[0] : PFM_EVTSEL_DEF;
	u64 sel1 = pmds & BIT(1) ? v[1] : PFM_EVTSEL_DEF;

	if (__this_cpu_read(p6_evtsel1) != sel1)
		p6_write_evtsel1(sel1);
	pfm_x86_write(P6_PERFEVTSEL0, sel0 | PFM_X86_EN);
}

static void p6_start(const struct pfm_pmu *pmu, const struct pfm_run *run)
{
	p6_let(run->v, run->pmds | run->other);
}

static void p6_stop(const struct pfm_pmu *pmu, const struct pfm_run *run)
{
	if (unlikely(run->other))
		p6_let(run->v, run->other);
	else
		pfm_x86_write(P6_PERFEVTSEL0, pfm_evtsel_off(run->v[0]));
}

static u64 p6_read(const struct pfm_pmu *pmu, unsigned int i)
{
	return pfm_x86_rdpmc(i, P6_PERFCTR0 + i);
}

static void p6_write(const struct pfm_pmu *pmu, unsigned int i, u64 value)
{
	pfm_x86_write(P6_PERFCTR0 + i, (u32)value);
}

static void p6_reset(const struct pfm_pmu *pmu, const u64 *v)
{
	pfm_x86_write(P6_PERFEVTSEL0, pfm_evtsel_off(v[0]));
	p6_write_evtsel1(v[1]);
	pfm_x86_route();
}

static const struct pfm_pmu p6_pmu = {
	.name = "Intel P6",
	.pmcs = p6_pmcs,
	.pmds = p6_pmds,
	.num_pmcs = ARRAY_SIZE(p6_pmcs),
	.num_pmds = ARRAY_SIZE(p6_pmds),
	.width = 40,
	.flags = PFM_PMU_SHARES,
	.selects = p6_selects,
	.kernel = p6_kernel,
	.acquire = p6_acquire,
	.release = p6_release,
	.reset = p6_reset,
	.start = p6_start,
	.stop = p6_stop,
	.read = p6_read,
	.write = p6_write,
	.acknowledge = pfm_x86_acknowledge,
	.min_period = PFM_X86_MIN_PERIOD,
};

/**
 * pfm_p6_describe() - the PMU of P6
 * @cpu: facts
 *
 * Core Duo is of the same family, but its PMU is architectural.
 *
 * Context: any.
 * Return: the description, or NULL if @cpu is no P6.
 */
const struct pfm_pmu *pfm_p6_describe(const struct pfm_x86_cpu *cpu)
{
	if (cpu->vendor != X86_VENDOR_INTEL || cpu->family != 6 ||
	    cpu->leaf_a[0] & 0xff || cpu->no_rdpmc)
		return NULL;

	switch (cpu->model) {
	case 1:			/* Pentium Pro */
	case 3: case 5: case 6:	/* Pentium II, Celeron, Xeon */
	case 7: case 8: case 10: case 11:	/* Pentium III */
	case 9: case 13:	/* Pentium M */
		return &p6_pmu;
	}
	return NULL;
}
