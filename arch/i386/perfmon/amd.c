// SPDX-License-Identifier: GPL-2.0-only
/*
 * perfmon2 on x86: AMD K7 to Zen 5, and Hygon.
 *
 * Four pairs of registers, or six and more where PerfCtrExtCore says so, each
 * enabled by itself: to stop and to start is a write a counter. PerfMonV2 adds
 * registers for all counters, as Intel's version 2 has, and is operated likewise.
 *
 * PMCn and PMDn are the n-th pair. Counters have 48 bits, all of which can be
 * written. The counters of northbridge and caches are left out: they show
 * what others do.
 *
 * AMD BKDG of families 0fh, 10h, 15h and PPR of family 19h, "PERF_CTL"; AMD64
 * Architecture Programmer's Manual, volume 2, 13.2; Linux, arch/x86/events/amd/core.c.
 */
#include <linux/bitmap.h>
#include <linux/container_of.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <asm/processor.h>

#include "evtsel.h"

#define K7_PERF_CTL0		0xc0010000
#define K7_PERF_CTR0		0xc0010004
#define K7_COUNTERS		4

#define CORE_PERF_CTL0		0xc0010200	/* CTL1 two above, ... */
#define CORE_PERF_CTR0		0xc0010201
#define CORE_COUNTERS		6
#define CORE_RDPMC		6		/* numbers above are others' */

#define AMD_GLOBAL_STATUS	0xc0000300
#define AMD_GLOBAL_CTL		0xc0000301
#define AMD_GLOBAL_STATUS_CLR	0xc0000302

#define AMD_STATUS_FROZEN	GENMASK_ULL(59, 58)
#define AMD_EVENT_HIGH		GENMASK_ULL(35, 32)
#define AMD_MAX			16

#define AMD_PMC(n)	{ .name = "PERF_CTL" #n, .num = n, PFM_X86_MSR,	\
			  .def = PFM_EVTSEL_DEF }
#define AMD_PMD(n)	{ .name = "PERF_CTR" #n, .num = n, PFM_X86_MSR,	\
			  .flags = PFM_PMD_COUNTER, .ctrl = n }

#define AMD_ALL(m)							\
	m(0), m(1), m(2), m(3), m(4), m(5), m(6), m(7),			\
	m(8), m(9), m(10), m(11), m(12), m(13), m(14), m(15)

static const struct pfm_pmc_desc amd_pmcs[] = { AMD_ALL(AMD_PMC) };
static const struct pfm_pmd_desc amd_pmds[] = { AMD_ALL(AMD_PMD) };

/* A description. [c] */
struct amd_pmu {
	struct pfm_pmu pmu;	/* first: kfree_const() frees it all */
	struct pfm_pmc_desc pmcs[AMD_MAX];
	struct pfm_pmd_desc pmds[AMD_MAX];
	u32 ctl, ctr, step;
};

static const struct amd_pmu *to_amd(const struct pfm_pmu *pmu)
{
	return container_of(pmu, struct amd_pmu, pmu);
}

static bool amd_selects(const struct pfm_pmu *pmu, unsigned int num, u64 value)
{
	return pfm_evtsel_selects(value);
}

static bool amd_kernel(const struct pfm_pmu *pmu, unsigned int num, u64 value)
{
	return value & PFM_X86_OS;
}

static int amd_acquire(const struct pfm_pmu *pmu, unsigned int what)
{
	const struct amd_pmu *x = to_amd(pmu);

	return pfm_x86_acquire(x->ctr, x->step, x->ctl, x->step, pmu->num_pmds);
}

static void amd_release(const struct pfm_pmu *pmu, unsigned int what)
{
	const struct amd_pmu *x = to_amd(pmu);

	pfm_x86_release(x->ctr, x->step, x->ctl, x->step, pmu->num_pmds);
}

static u64 amd_read(const struct pfm_pmu *pmu, unsigned int i)
{
	const u32 msr = to_amd(pmu)->ctr + i * to_amd(pmu)->step;

	return i < CORE_RDPMC ? pfm_x86_rdpmc(i, msr) : pfm_x86_read(msr);
}

/* Where a hypervisor has no RDPMC. */
static u64 amd_read_msr(const struct pfm_pmu *pmu, unsigned int i)
{
	return pfm_x86_read(to_amd(pmu)->ctr + i * to_amd(pmu)->step);
}

static void amd_write(const struct pfm_pmu *pmu, unsigned int i, u64 value)
{
	pfm_x86_write(to_amd(pmu)->ctr + i * to_amd(pmu)->step, value);
}

static void amd_write_ctl(const struct pfm_pmu *pmu, unsigned int i, u64 value)
{
	pfm_x86_write(to_amd(pmu)->ctl + i * to_amd(pmu)->step, value);
}

/* Before PerfMonV2 */

static void amd_start(const struct pfm_pmu *pmu, const struct pfm_run *run)
{
	u64 rest = run->pmds;

	for (; rest; rest &= rest - 1) {
		unsigned int i = __ffs64(rest);

		amd_write_ctl(pmu, i, pfm_evtsel_on(run->v[i]));
	}
}

static void amd_stop(const struct pfm_pmu *pmu, const struct pfm_run *run)
{
	u64 rest = run->pmds;

	for (; rest; rest &= rest - 1) {
		unsigned int i = __ffs64(rest);

		amd_write_ctl(pmu, i, pfm_evtsel_off(run->v[i]));
	}
}

/* 0 selects nothing, as the defaults do, and leaves no interrupt enabled. */
static void amd_clear_ctls(const struct pfm_pmu *pmu)
{
	unsigned int i;

	for (i = 0; i < pmu->num_pmcs; i++)
		amd_write_ctl(pmu, i, 0);
}

static void amd_reset(const struct pfm_pmu *pmu, const u64 *v)
{
	amd_clear_ctls(pmu);
	pfm_x86_route();
}

static void amd_clear_some(const struct pfm_pmu *pmu, const unsigned long *pmcs)
{
	unsigned int i;

	for_each_set_bit(i, pmcs, pmu->num_pmcs)
		amd_write_ctl(pmu, i, 0);
}

static void amd_rest(const struct pfm_pmu *pmu, const unsigned long *pmcs)
{
	amd_clear_some(pmu, pmcs);
	pfm_x86_route();
}

/* PerfMonV2 */

static void amd_v2_program(const struct pfm_pmu *pmu, const unsigned long *changed,
			   const struct pfm_run *run)
{
	unsigned int i;

	pfm_for_each_pmc(i, changed)
		amd_write_ctl(pmu, i, pfm_evtsel_on(run->v[i]));
}

static void amd_v2_start(const struct pfm_pmu *pmu, const struct pfm_run *run)
{
	pfm_x86_write(AMD_GLOBAL_CTL, run->pmds | run->other);
}

static void amd_v2_stop(const struct pfm_pmu *pmu, const struct pfm_run *run)
{
	pfm_x86_write(AMD_GLOBAL_CTL, run->other);
}

static bool amd_v2_still(const struct pfm_pmu *pmu, u64 pmds)
{
	const u64 ctl = pfm_x86_read(AMD_GLOBAL_CTL);

	if (!(ctl & ~pmds))
		return true;
	pfm_x86_write(AMD_GLOBAL_CTL, ctl & pmds);
	return false;
}

/*
 * Bits 58 and 59 say that branch records and counters are frozen, which a firmware
 * may have asked for: they are let go. They make no interrupt the counters', and
 * neither do other bits.
 */
static bool amd_v2_clear(const struct pfm_pmu *pmu)
{
	const u64 counters = BIT_ULL(pmu->num_pmds) - 1;
	u64 bits = pfm_x86_read(AMD_GLOBAL_STATUS) & (counters | AMD_STATUS_FROZEN);

	if (bits)
		pfm_x86_write(AMD_GLOBAL_STATUS_CLR, bits);
	return bits & counters;
}

static bool amd_v2_acknowledge(const struct pfm_pmu *pmu, const struct pfm_run *run)
{
	bool any = amd_v2_clear(pmu);

	pfm_x86_route();
	return any;
}

static void amd_v2_reset(const struct pfm_pmu *pmu, const u64 *v)
{
	pfm_x86_write(AMD_GLOBAL_CTL, 0);
	amd_clear_ctls(pmu);
	amd_v2_clear(pmu);
	pfm_x86_route();
}

/* What is off in AMD_GLOBAL_CTL neither counts nor interrupts, whatever its control says. */
static void amd_v2_rest(const struct pfm_pmu *pmu, const unsigned long *pmcs)
{
	pfm_x86_write(AMD_GLOBAL_CTL, 0);
	amd_clear_some(pmu, pmcs);
	amd_v2_clear(pmu);
	pfm_x86_route();
}

static const struct pfm_pmu amd_v1 = {
	.width = 48,
	.flags = PFM_PMU_SHARES,
	.selects = amd_selects,
	.kernel = amd_kernel,
	.acquire = amd_acquire,
	.release = amd_release,
	.reset = amd_reset,
	.rest = amd_rest,
	.start = amd_start,
	.stop = amd_stop,
	.read = amd_read,
	.write = amd_write,
	.acknowledge = pfm_x86_acknowledge,
	.min_period = PFM_X86_MIN_PERIOD,
};

static const struct pfm_pmu amd_v2 = {
	.name = "AMD PerfMonV2",
	.width = 48,
	.flags = PFM_PMU_SHARES | PFM_PMU_GATED,
	.selects = amd_selects,
	.kernel = amd_kernel,
	.acquire = amd_acquire,
	.release = amd_release,
	.reset = amd_v2_reset,
	.rest = amd_v2_rest,
	.program = amd_v2_program,
	.start = amd_v2_start,
	.stop = amd_v2_stop,
	.read = amd_read,
	.write = amd_write,
	.acknowledge = amd_v2_acknowledge,
	.still = amd_v2_still,
	.min_period = PFM_X86_MIN_PERIOD,
};

/*
 * Bits that a program may not set beside those of evtsel.h. The event has 12
 * bits since family 10h; family 11h is a K8 inside. HostOnly and GuestOnly, bits
 * 40 and 41, stay 0, which counts both; they do not exist without SVM.
 */
static u64 amd_rsvd(const struct pfm_x86_cpu *cpu)
{
	if (cpu->family < 0x10 || cpu->family == 0x11)
		return PFM_EVTSEL_RSVD;
	return PFM_EVTSEL_RSVD & ~AMD_EVENT_HIGH;
}

static const char *amd_name(const struct pfm_x86_cpu *cpu)
{
	if (cpu->amd_core)
		return "AMD core extension";
	return cpu->family == 6 ? "AMD K7" : "AMD K8";
}

static unsigned int amd_counters(const struct pfm_x86_cpu *cpu)
{
	if (!cpu->amd_core)
		return K7_COUNTERS;
	return cpu->amd_v2 && cpu->amd_counters ? cpu->amd_counters : CORE_COUNTERS;
}

/**
 * pfm_amd_describe() - the PMU of AMD and Hygon
 * @cpu: facts
 *
 * Context: process.
 * Return: the description, for kfree_const(); or NULL if @cpu has no such PMU, or
 * there is no memory.
 */
const struct pfm_pmu *pfm_amd_describe(const struct pfm_x86_cpu *cpu)
{
	unsigned int i, n = amd_counters(cpu);
	struct amd_pmu *x;

	if ((cpu->vendor != X86_VENDOR_AMD && cpu->vendor != X86_VENDOR_HYGON) ||
	    cpu->family < 6)
		return NULL;

	x = kzalloc(sizeof(*x), GFP_KERNEL);
	if (!x)
		return NULL;

	x->ctl = cpu->amd_core ? CORE_PERF_CTL0 : K7_PERF_CTL0;
	x->ctr = cpu->amd_core ? CORE_PERF_CTR0 : K7_PERF_CTR0;
	x->step = cpu->amd_core ? 2 : 1;
	for (i = 0; i < n; i++) {
		x->pmcs[i] = amd_pmcs[i];
		x->pmcs[i].index = x->ctl + i * x->step;
		x->pmcs[i].rsvd = amd_rsvd(cpu);
		x->pmds[i] = amd_pmds[i];
		x->pmds[i].index = x->ctr + i * x->step;
	}

	x->pmu = cpu->amd_core && cpu->amd_v2 ? amd_v2 : amd_v1;
	if (!x->pmu.name)
		x->pmu.name = amd_name(cpu);
	if (cpu->no_rdpmc)
		x->pmu.read = amd_read_msr;
	x->pmu.pmcs = x->pmcs;
	x->pmu.pmds = x->pmds;
	x->pmu.num_pmcs = n;
	x->pmu.num_pmds = n;
	return &x->pmu;
}
