// SPDX-License-Identifier: GPL-2.0-only
/*
 * perfmon2 on x86: the architectural PMU, versions 1 to 5.
 *
 * Intel's processors since Core Duo, and those of Zhaoxin and Centaur that
 * have CPUID leaf 0xa: it says how many counters there are, and how wide. From
 * version 2 on one register stops and starts all of them and another one says
 * which overflowed; version 1 is operated like an AMD, counter by counter.
 *
 * PMC and PMD 0-15 are the general counters, 16-31 the fixed ones: PMC 16+n
 * is the field of fixed counter n in IA32_FIXED_CTR_CTRL, moved to bit 0.
 *
 * Left out, because they would show other people's memory, or measure more
 * than a program may see: AnyThread, PEBS, LBR, the off-core response and
 * uncore registers.
 *
 * Intel SDM, volume 3, "Architectural Performance Monitoring".
 */
#include <linux/bitmap.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include <asm/processor.h>

#include "evtsel.h"

#define IA32_PMC0			0x0c1
#define IA32_PERFEVTSEL0		0x186
#define IA32_FIXED_CTR0			0x309
#define IA32_FIXED_CTR_CTRL		0x38d
#define IA32_PERF_GLOBAL_STATUS		0x38e
#define IA32_PERF_GLOBAL_CTRL		0x38f
#define IA32_PERF_GLOBAL_OVF_CTRL	0x390	/* ..._STATUS_RESET since v4 */
#define IA32_A_PMC0			0x4c1

#define PERF_CAP_FW_WRITE	BIT_ULL(13)
#define RDPMC_FIXED		BIT(30)

/* A field of IA32_FIXED_CTR_CTRL. */
#define FIXED_OS		BIT_ULL(0)
#define FIXED_USR		BIT_ULL(1)
#define FIXED_PMI		BIT_ULL(3)
#define FIXED_BITS		4

#define INTEL_MAX		16	/* of either kind */
#define INTEL_FIXED		16	/* number of the first fixed one */
#define INTEL_GLOBAL_FIXED	32	/* and its bit in the global registers */

#define INTEL_PMC(n) {							\
	.name = "PERFEVTSEL" #n, .num = n,				\
	PFM_X86_MSR, .index = IA32_PERFEVTSEL0 + n,			\
	.def = PFM_EVTSEL_DEF, .rsvd = PFM_EVTSEL_RSVD,			\
}

#define INTEL_PMD(n) {							\
	.name = "PERFCTR" #n, .num = n,					\
	PFM_X86_MSR, .index = IA32_PMC0 + n,				\
	.flags = PFM_PMD_COUNTER, .ctrl = n,				\
}

#define INTEL_FIXED_PMC(n) {						\
	.name = "FIXED_CTR_CTRL" #n, .num = INTEL_FIXED + n,		\
	PFM_X86_MSR, .index = IA32_FIXED_CTR_CTRL,			\
	.def = FIXED_PMI, .rsvd = ~(FIXED_OS | FIXED_USR),		\
}

#define INTEL_FIXED_PMD(n) {						\
	.name = "FIXED_CTR" #n, .num = INTEL_FIXED + n,			\
	PFM_X86_MSR, .index = IA32_FIXED_CTR0 + n,			\
	.flags = PFM_PMD_COUNTER, .ctrl = INTEL_FIXED + n,		\
}

#define INTEL_ALL(m)							\
	m(0), m(1), m(2), m(3), m(4), m(5), m(6), m(7),			\
	m(8), m(9), m(10), m(11), m(12), m(13), m(14), m(15)

static const struct pfm_pmc_desc intel_pmcs[] = {
	INTEL_ALL(INTEL_PMC), INTEL_ALL(INTEL_FIXED_PMC)
};

static const struct pfm_pmd_desc intel_pmds[] = {
	INTEL_ALL(INTEL_PMD), INTEL_ALL(INTEL_FIXED_PMD)
};

/*
 * The PMU that was described last: the general counters, then the fixed ones.
 * Each has its PMC at the same position.
 */
static struct {
	struct pfm_pmu pmu;
	struct pfm_pmc_desc pmcs[2 * INTEL_MAX];
	struct pfm_pmd_desc pmds[2 * INTEL_MAX];
	unsigned int general;
	u32 write_base;		/* of the general counters */
	u64 status;		/* bits of the status register that are ours */
	bool enabled_ack;
} intel;

static bool intel_selects(unsigned int num, u64 value)
{
	if (num >= INTEL_FIXED)
		return value & (FIXED_OS | FIXED_USR);
	return pfm_evtsel_selects(value);
}

static bool intel_kernel(unsigned int num, u64 value)
{
	return value & (num >= INTEL_FIXED ? FIXED_OS : PFM_X86_OS);
}

static int intel_acquire(void)
{
	return pfm_x86_acquire(IA32_PMC0, 1, IA32_PERFEVTSEL0, 1, intel.general);
}

static void intel_release(void)
{
	pfm_x86_release(IA32_PMC0, 1, IA32_PERFEVTSEL0, 1, intel.general);
}

/* Which fixed counter stands at position @i of the tables. */
static unsigned int intel_fixed(unsigned int i)
{
	return intel.pmds[i].num - INTEL_FIXED;
}

static u64 intel_read(unsigned int i)
{
	const u32 msr = intel.pmds[i].index;

	if (i >= intel.general)
		return pfm_x86_rdpmc(RDPMC_FIXED | intel_fixed(i), msr);
	return pfm_x86_rdpmc(i, msr);
}

/*
 * Without full-width writes the hardware extends the sign of the lower half.
 * Fixed counters are written in full, always.
 */
static void intel_write(unsigned int i, u64 value)
{
	if (i >= intel.general)
		pfm_x86_write(intel.pmds[i].index, value);
	else
		pfm_x86_write(intel.write_base + i,
			      intel.pmu.write_bits ? (u32)value : value);
}

/* Version 1 */

static void intel_v1_start(u64 counters, const u64 *v)
{
	for (; counters; counters &= counters - 1) {
		unsigned int i = __ffs64(counters);

		pfm_x86_write(IA32_PERFEVTSEL0 + i, pfm_evtsel_on(v[i]));
	}
}

static void intel_v1_stop(u64 counters, const u64 *v)
{
	for (; counters; counters &= counters - 1) {
		unsigned int i = __ffs64(counters);

		pfm_x86_write(IA32_PERFEVTSEL0 + i, pfm_evtsel_off(v[i]));
	}
}

static void intel_v1_reset(const u64 *v)
{
	intel_v1_stop(BIT_ULL(intel.general) - 1, v);
	pfm_x86_route();
}

/* Version 2 and above */

/* Counters as bits of the global registers. */
static u64 intel_global(u64 counters)
{
	u64 bits = counters & (BIT_ULL(intel.general) - 1);
	u64 rest = counters & ~bits;

	for (; rest; rest &= rest - 1)
		bits |= BIT_ULL(INTEL_GLOBAL_FIXED + intel_fixed(__ffs64(rest)));
	return bits;
}

static void intel_program_fixed(const u64 *v)
{
	u64 ctrl = 0;
	unsigned int i;

	for (i = intel.general; i < intel.pmu.num_pmcs; i++)
		if (intel_selects(INTEL_FIXED, v[i]))
			ctrl |= v[i] << FIXED_BITS * intel_fixed(i);
	pfm_x86_write(IA32_FIXED_CTR_CTRL, ctrl);
}

static void intel_program(const unsigned long *changed, const u64 *v)
{
	unsigned int i;

	for_each_set_bit(i, changed, intel.general)
		pfm_x86_write(IA32_PERFEVTSEL0 + i, pfm_evtsel_on(v[i]));
	if (find_next_bit(changed, intel.pmu.num_pmcs, i) < intel.pmu.num_pmcs)
		intel_program_fixed(v);
}

static void intel_start(u64 counters, const u64 *v)
{
	pfm_x86_write(IA32_PERF_GLOBAL_CTRL, intel_global(counters));
}

static void intel_stop(u64 counters, const u64 *v)
{
	pfm_x86_write(IA32_PERF_GLOBAL_CTRL, 0);
}

/*
 * Zhaoxin's ZX-C clears status bits only while counters are enabled: a few
 * cycles are counted on the way.
 */
static void intel_ack(u64 bits)
{
	u64 ctrl;

	if (!intel.enabled_ack) {
		pfm_x86_write(IA32_PERF_GLOBAL_OVF_CTRL, bits);
		return;
	}
	ctrl = pfm_x86_read(IA32_PERF_GLOBAL_CTRL);
	pfm_x86_write(IA32_PERF_GLOBAL_CTRL, intel.status & ~GENMASK_ULL(63, 48));
	pfm_x86_write(IA32_PERF_GLOBAL_OVF_CTRL, bits);
	pfm_x86_write(IA32_PERF_GLOBAL_CTRL, ctrl);
}

static bool intel_clear_status(void)
{
	u64 bits = pfm_x86_read(IA32_PERF_GLOBAL_STATUS) & intel.status;

	if (bits)
		intel_ack(bits);
	return bits;
}

/* Acknowledged before it is unmasked, or a dead overflow comes once more. */
static bool intel_acknowledge(void)
{
	bool any = intel_clear_status();

	pfm_x86_route();
	return any;
}

static void intel_reset(const u64 *v)
{
	intel_stop(0, v);
	intel_v1_stop(BIT_ULL(intel.general) - 1, v);
	if (intel.pmu.num_pmcs > intel.general)
		pfm_x86_write(IA32_FIXED_CTR_CTRL, 0);
	intel_clear_status();
	pfm_x86_route();
}

static const struct pfm_pmu intel_v1 = {
	.selects = intel_selects,
	.kernel = intel_kernel,
	.acquire = intel_acquire,
	.release = intel_release,
	.reset = intel_v1_reset,
	.start = intel_v1_start,
	.stop = intel_v1_stop,
	.read = intel_read,
	.write = intel_write,
	.acknowledge = pfm_x86_acknowledge,
};

static const struct pfm_pmu intel_v2 = {
	.selects = intel_selects,
	.kernel = intel_kernel,
	.acquire = intel_acquire,
	.release = intel_release,
	.reset = intel_reset,
	.program = intel_program,
	.start = intel_start,
	.stop = intel_stop,
	.read = intel_read,
	.write = intel_write,
	.acknowledge = intel_acknowledge,
};

static const char *const intel_names[] = {
	"Intel architectural 1", "Intel architectural 2",
	"Intel architectural 3", "Intel architectural 4",
	"Intel architectural 5",
};

/*
 * Which fixed counters there are. Since version 5 there can be holes. Counters
 * of two widths are unheard of on silicon: the general ones win.
 */
static u32 intel_fixed_mask(const struct pfm_x86_cpu *cpu, unsigned int version)
{
	const u32 edx = cpu->leaf_a[3];
	u32 mask = BIT(edx & 0x1f) - 1;

	if (version < 2 || (edx >> 5 & 0xff) != (cpu->leaf_a[0] >> 16 & 0xff))
		return 0;
	if (version >= 5)
		mask |= cpu->leaf_a[2];
	return mask;
}

/* Have the register described that stands at @from in the tables of all. */
static void intel_add(unsigned int from)
{
	intel.pmcs[intel.pmu.num_pmcs++] = intel_pmcs[from];
	intel.pmds[intel.pmu.num_pmds++] = intel_pmds[from];
}

/*
 * The counters' overflow bits; and bits 62 and 63, of the buffer and of a
 * change that nobody asked for, which a firmware may leave set, and bits 58
 * and 59, by which version 4 keeps the PMU frozen. Other bits are others'.
 */
static u64 intel_status_mask(unsigned int version)
{
	u64 mask = intel_global(BIT_ULL(intel.pmu.num_pmds) - 1);

	return mask | GENMASK_ULL(63, 62) |
	       (version >= 4 ? GENMASK_ULL(59, 58) : 0);
}

/**
 * pfm_intel_describe() - the architectural PMU, by CPUID leaf 0xa
 * @cpu: facts
 *
 * Context: process, one at a time: the description is overwritten by the next
 * one.
 * Return: the description, or NULL if @cpu has no such PMU.
 */
const struct pfm_pmu *pfm_intel_describe(const struct pfm_x86_cpu *cpu)
{
	const u32 eax = cpu->leaf_a[0];
	const unsigned int version = eax & 0xff;
	const unsigned int width = eax >> 16 & 0xff;
	const bool full = cpu->perf_cap & PERF_CAP_FW_WRITE;
	unsigned long fixed;
	unsigned int i;

	if (!version || !width || width > 64)
		return NULL;

	memset(&intel, 0, sizeof(intel));
	intel.pmu = version < 2 ? intel_v1 : intel_v2;
	intel.pmu.name = intel_names[min_t(unsigned int, version,
					   ARRAY_SIZE(intel_names)) - 1];
	intel.pmu.pmcs = intel.pmcs;
	intel.pmu.pmds = intel.pmds;
	intel.pmu.width = width;
	intel.pmu.write_bits = full || width <= 32 ? 0 : 32;
	intel.write_base = full ? IA32_A_PMC0 : IA32_PMC0;

	intel.general = min_t(unsigned int, eax >> 8 & 0xff, INTEL_MAX);
	for (i = 0; i < intel.general; i++)
		intel_add(i);
	fixed = intel_fixed_mask(cpu, version);
	for_each_set_bit(i, &fixed, INTEL_MAX)
		intel_add(INTEL_FIXED + i);

	intel.status = intel_status_mask(version);
	intel.enabled_ack = cpu->family == 6 &&
			    (cpu->vendor == X86_VENDOR_CENTAUR ||
			     cpu->vendor == X86_VENDOR_ZHAOXIN);
	return intel.pmu.num_pmds ? &intel.pmu : NULL;
}
