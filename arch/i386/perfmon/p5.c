// SPDX-License-Identifier: GPL-2.0-only
/*
 * perfmon2 on x86: P5, the Pentium, with and without MMX, and Cyrix' 6x86MX,
 * MII and III, which are like it.
 *
 * Two counters, both controlled by one register, CESR. PMC0 is its lower half,
 * PMC1 its upper half moved to bit 0. There is no interrupt: a wrap is found
 * by reading, and nothing can be sampled by these counters.
 *
 * Cyrix' counters have 48 bits; 40 are used. Its event is a bit longer: bit 10.
 *
 * Intel SDM, volume 3, performance monitoring: "Pentium Processors"; perfctr. For Cyrix one
 * source: the documentation of perfctr.
 */
#include <linux/kernel.h>
#include <asm/processor.h>

#include "x86.h"

#define P5_CESR		0x11
#define P5_CTR0		0x12

/* A half of CESR. */
#define P5_ES		GENMASK_ULL(5, 0)
#define P5_CC_KERNEL	BIT_ULL(6)	/* levels 0 to 2 */
#define P5_CC_USER	BIT_ULL(7)
#define P5_CC_CLOCKS	BIT_ULL(8)	/* clocks, not events */
#define P5_CC		GENMASK_ULL(8, 6)
#define P5_PC		BIT_ULL(9)	/* pulses a pin: reserved */
#define CYRIX_ES	BIT_ULL(10)	/* more of the event */
#define P5_HALF		16

#define P5_PMC(n, bits) {						\
	.name = "CESR_" #n, .num = n,					\
	PFM_X86_MSR, .index = P5_CESR, .rsvd = ~(bits),			\
}

static const struct pfm_pmc_desc p5_pmcs[] = {
	P5_PMC(0, P5_ES | P5_CC), P5_PMC(1, P5_ES | P5_CC),
};

static const struct pfm_pmc_desc cyrix_pmcs[] = {
	P5_PMC(0, P5_ES | P5_CC | CYRIX_ES), P5_PMC(1, P5_ES | P5_CC | CYRIX_ES),
};

static const struct pfm_pmd_desc p5_pmds[] = {
	{ .name = "CTR0", .num = 0, PFM_X86_MSR, .index = P5_CTR0,
	  .flags = PFM_PMD_COUNTER, .ctrl = 0 },
	{ .name = "CTR1", .num = 1, PFM_X86_MSR, .index = P5_CTR0 + 1,
	  .flags = PFM_PMD_COUNTER, .ctrl = 1 },
};

#define P5_WIDTH	40

static bool p5_selects(const struct pfm_pmu *pmu, unsigned int num, u64 value)
{
	return value & (P5_CC_KERNEL | P5_CC_USER);
}

static bool p5_kernel(const struct pfm_pmu *pmu, unsigned int num, u64 value)
{
	return value & P5_CC_KERNEL;
}

/* No other code in the kernel uses these counters, so there is no reservation. */
static int p5_acquire(const struct pfm_pmu *pmu, unsigned int what)
{
	return 0;
}

static void p5_release(const struct pfm_pmu *pmu, unsigned int what)
{
}

static void p5_start(const struct pfm_pmu *pmu, const struct pfm_run *run)
{
	const u64 on = run->pmds | run->other;
	u64 cesr = 0;

	if (on & BIT(0))
		cesr |= run->v[0];
	if (on & BIT(1))
		cesr |= run->v[1] << P5_HALF;
	pfm_x86_write(P5_CESR, cesr);
}

/* The manual wants counters stopped before they get another event. Those in @on go on. */
static void p5_stop_but(const u64 *v, u64 on)
{
	const u64 low = on & BIT(0) ? v[0] : v[0] & ~P5_CC;
	const u64 high = on & BIT(1) ? v[1] : v[1] & ~P5_CC;

	pfm_x86_write(P5_CESR, low | high << P5_HALF);
}

static void p5_stop(const struct pfm_pmu *pmu, const struct pfm_run *run)
{
	p5_stop_but(run->v, run->other);
}

static void p5_reset(const struct pfm_pmu *pmu, const u64 *v)
{
	p5_stop_but(v, 0);
}

/* The first Pentiums have no RDPMC. */
static u64 p5_rdmsr(const struct pfm_pmu *pmu, unsigned int i)
{
	return pfm_x86_read(P5_CTR0 + i) & GENMASK_ULL(P5_WIDTH - 1, 0);
}

static u64 p5_rdpmc(const struct pfm_pmu *pmu, unsigned int i)
{
	return pfm_x86_rdpmc(i, P5_CTR0 + i) & GENMASK_ULL(P5_WIDTH - 1, 0);
}

static void p5_write(const struct pfm_pmu *pmu, unsigned int i, u64 value)
{
	pfm_x86_write(P5_CTR0 + i, value);
}

#define P5_PMU(n, c, r) {						\
	.name = n,							\
	.pmcs = c,							\
	.pmds = p5_pmds,						\
	.num_pmcs = ARRAY_SIZE(c),					\
	.num_pmds = ARRAY_SIZE(p5_pmds),				\
	.width = P5_WIDTH,						\
	.flags = PFM_PMU_NO_INTERRUPT | PFM_PMU_SHARES,			\
	.selects = p5_selects,						\
	.kernel = p5_kernel,						\
	.acquire = p5_acquire,						\
	.release = p5_release,						\
	.reset = p5_reset,						\
	.start = p5_start,						\
	.stop = p5_stop,						\
	.read = r,							\
	.write = p5_write,						\
}

static const struct pfm_pmu p5_pmu = P5_PMU("Intel P5", p5_pmcs, p5_rdmsr);
static const struct pfm_pmu mmx_pmu = P5_PMU("Intel P5 MMX", p5_pmcs, p5_rdpmc);
static const struct pfm_pmu cyrix_pmu = P5_PMU("Cyrix 6x86MX", cyrix_pmcs, p5_rdpmc);

/**
 * pfm_p5_describe() - the PMU of P5 and Cyrix
 * @cpu: facts
 *
 * The later processors of family 5, Quark, have no counters, and neither have
 * Cyrix' of family 5. The kernel replaces the model of a Cyrix, so it tells
 * nothing.
 *
 * Context: any.
 * Return: the description, or NULL if @cpu is neither.
 */
const struct pfm_pmu *pfm_p5_describe(const struct pfm_x86_cpu *cpu)
{
	if (cpu->vendor == X86_VENDOR_INTEL && cpu->family == 5 && cpu->model < 9)
		return cpu->mmx ? &mmx_pmu : &p5_pmu;
	if (cpu->vendor == X86_VENDOR_CYRIX && cpu->family == 6 && cpu->mmx)
		return &cyrix_pmu;
	return NULL;
}
