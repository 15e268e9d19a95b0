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
 * Architecture Programmer's Manual, volume 2, 13.2.
 */
#include <linux/bitmap.h>
#include <linux/kernel.h>
#include <linux/string.h>
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

/* The PMU that was described last. */
static struct {
	struct pfm_pmu pmu;
	struct pfm_pmc_desc pmcs[AMD_MAX];
	struct pfm_pmd_desc pmds[AMD_MAX];
	u32 ctl, ctr, step;
} amd;

static bool amd_selects(unsigned int num, u64 value)
{
	return pfm_evtsel_selects(value);
}

static bool amd_kernel(unsigned int num, u64 value)
{
	return value & PFM_X86_OS;
}

static int amd_acquire(void)
{
	return pfm_x86_acquire(amd.ctr, amd.step, amd.ctl, amd.step,
			       amd.pmu.num_pmds);
}

static void amd_release(void)
{
	pfm_x86_release(amd.ctr, amd.step, amd.ctl, amd.step, amd.pmu.num_pmds);
}

static u64 amd_read(unsigned int i)
{
	const u32 msr = amd.ctr + i * amd.step;

	return i < CORE_RDPMC ? pfm_x86_rdpmc(i, msr) : pfm_x86_read(msr);
}

static void amd_write(unsigned int i, u64 value)
{
	pfm_x86_write(amd.ctr + i * amd.step, value);
}

static void amd_write_ctl(unsigned int i, u64 value)
{
	pfm_x86_write(amd.ctl + i * amd.step, value);
}

/* Before PerfMonV2 */

static void amd_start(u64 counters, const u64 *v)
{
	for (; counters; counters &= counters - 1) {
		unsigned int i = __ffs64(counters);

		amd_write_ctl(i, pfm_evtsel_on(v[i]));
	}
}

static void amd_stop(u64 counters, const u64 *v)
{
	for (; counters; counters &= counters - 1) {
		unsigned int i = __ffs64(counters);

		amd_write_ctl(i, pfm_evtsel_off(v[i]));
	}
}

static void amd_reset(const u64 *v)
{
	amd_stop(BIT_ULL(amd.pmu.num_pmds) - 1, v);
	pfm_x86_route();
}

/* PerfMonV2 */

static void amd_v2_program(const unsigned long *changed, const u64 *v)
{
	unsigned int i;

	for_each_set_bit(i, changed, amd.pmu.num_pmcs)
		amd_write_ctl(i, pfm_evtsel_on(v[i]));
}

static void amd_v2_start(u64 counters, const u64 *v)
{
	pfm_x86_write(AMD_GLOBAL_CTL, counters);
}

static void amd_v2_stop(u64 counters, const u64 *v)
{
	pfm_x86_write(AMD_GLOBAL_CTL, 0);
}

/* Other bits of the status are of the branch records and others'. */
static bool amd_v2_clear(void)
{
	u64 bits = pfm_x86_read(AMD_GLOBAL_STATUS) &
		   (BIT_ULL(amd.pmu.num_pmds) - 1);

	if (bits)
		pfm_x86_write(AMD_GLOBAL_STATUS_CLR, bits);
	return bits;
}

static bool amd_v2_acknowledge(void)
{
	bool any = amd_v2_clear();

	pfm_x86_route();
	return any;
}

static void amd_v2_reset(const u64 *v)
{
	amd_v2_stop(0, v);
	amd_stop(BIT_ULL(amd.pmu.num_pmds) - 1, v);
	amd_v2_clear();
	pfm_x86_route();
}

static const struct pfm_pmu amd_v1 = {
	.width = 48,
	.selects = amd_selects,
	.kernel = amd_kernel,
	.acquire = amd_acquire,
	.release = amd_release,
	.reset = amd_reset,
	.start = amd_start,
	.stop = amd_stop,
	.read = amd_read,
	.write = amd_write,
	.acknowledge = pfm_x86_acknowledge,
};

static const struct pfm_pmu amd_v2 = {
	.name = "AMD PerfMonV2",
	.width = 48,
	.selects = amd_selects,
	.kernel = amd_kernel,
	.acquire = amd_acquire,
	.release = amd_release,
	.reset = amd_v2_reset,
	.program = amd_v2_program,
	.start = amd_v2_start,
	.stop = amd_v2_stop,
	.read = amd_read,
	.write = amd_write,
	.acknowledge = amd_v2_acknowledge,
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
 * Context: process, one at a time: the description is overwritten by the next
 * one.
 * Return: the description, or NULL if @cpu has no such PMU.
 */
const struct pfm_pmu *pfm_amd_describe(const struct pfm_x86_cpu *cpu)
{
	unsigned int i, n = amd_counters(cpu);

	if ((cpu->vendor != X86_VENDOR_AMD && cpu->vendor != X86_VENDOR_HYGON) ||
	    cpu->family < 6)
		return NULL;

	memset(&amd, 0, sizeof(amd));
	amd.ctl = cpu->amd_core ? CORE_PERF_CTL0 : K7_PERF_CTL0;
	amd.ctr = cpu->amd_core ? CORE_PERF_CTR0 : K7_PERF_CTR0;
	amd.step = cpu->amd_core ? 2 : 1;
	for (i = 0; i < n; i++) {
		amd.pmcs[i] = amd_pmcs[i];
		amd.pmcs[i].index = amd.ctl + i * amd.step;
		amd.pmcs[i].rsvd = amd_rsvd(cpu);
		amd.pmds[i] = amd_pmds[i];
		amd.pmds[i].index = amd.ctr + i * amd.step;
	}

	amd.pmu = cpu->amd_core && cpu->amd_v2 ? amd_v2 : amd_v1;
	if (!amd.pmu.name)
		amd.pmu.name = amd_name(cpu);
	amd.pmu.pmcs = amd.pmcs;
	amd.pmu.pmds = amd.pmds;
	amd.pmu.num_pmcs = n;
	amd.pmu.num_pmds = n;
	return &amd.pmu;
}
