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
 * is the field of fixed counter n in IA32_FIXED_CTR_CTRL, moved to bit 0. PMC
 * 32-35 belong to events (extra.c), PMC 36 and PMD 32-64 to the last branches (lbr.c).
 *
 * Left out, because they would show other people's memory, or measure more
 * than a program may see: AnyThread, PEBS and the uncore registers.
 *
 * Intel SDM, volume 3, "Architectural Performance Monitoring"; Linux, arch/x86/events/intel/
 * core.c, and zhaoxin/core.c, which is the one source for Zhaoxin.
 */
#include <linux/bitmap.h>
#include <linux/container_of.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <asm/processor.h>

#include "compat.h"
#include "evtsel.h"

#define IA32_PMC0			0x0c1
#define IA32_PERFEVTSEL0		0x186
#define IA32_FIXED_CTR0			0x309
#define IA32_FIXED_CTR_CTRL		0x38d
#define IA32_PERF_GLOBAL_STATUS		0x38e
#define IA32_PERF_GLOBAL_CTRL		0x38f
#define IA32_PERF_GLOBAL_OVF_CTRL	0x390	/* ..._STATUS_RESET since v4 */
#define IA32_A_PMC0			0x4c1

#define RDPMC_FIXED		BIT(30)

/* A field of IA32_FIXED_CTR_CTRL. */
#define FIXED_OS		BIT_ULL(0)
#define FIXED_USR		BIT_ULL(1)
#define FIXED_PMI		BIT_ULL(3)
#define FIXED_BITS		4

/*
 * The architecture has addresses for ten general counters: from 0x186 + 10 and
 * 0xc1 + 10 on there are other registers.
 */
#define INTEL_GENERAL_MAX	10
#define INTEL_FIXED_MAX		16
#define INTEL_FIXED_THREE	7U	/* which all have until version 5 */
#define INTEL_FIXED		16	/* number of the first fixed one */
#define INTEL_EXTRA		32	/* number of the first that is for an event */
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

#define INTEL_TEN(m)							\
	m(0), m(1), m(2), m(3), m(4), m(5), m(6), m(7), m(8), m(9)
#define INTEL_SIXTEEN(m)						\
	INTEL_TEN(m), m(10), m(11), m(12), m(13), m(14), m(15)

static const struct pfm_pmc_desc intel_pmcs[] = { INTEL_TEN(INTEL_PMC) };
static const struct pfm_pmd_desc intel_pmds[] = { INTEL_TEN(INTEL_PMD) };

static const struct pfm_pmc_desc intel_fixed_pmcs[] = {
	INTEL_SIXTEEN(INTEL_FIXED_PMC)
};

static const struct pfm_pmd_desc intel_fixed_pmds[] = {
	INTEL_SIXTEEN(INTEL_FIXED_PMD)
};

#define INTEL_MAX		(INTEL_GENERAL_MAX + INTEL_FIXED_MAX)

/* What belongs to an event and is valid for all counters; see extra.c. */
static const struct pfm_pmc_desc intel_extra_pmcs[] = {
	{ .name = "OFFCORE_RSP_0", .num = INTEL_EXTRA, PFM_X86_MSR },
	{ .name = "OFFCORE_RSP_1", .num = INTEL_EXTRA + 1, PFM_X86_MSR },
	{ .name = "PEBS_LD_LAT_THRESHOLD", .num = INTEL_EXTRA + 2, PFM_X86_MSR },
	{ .name = "PEBS_FRONTEND", .num = INTEL_EXTRA + 3, PFM_X86_MSR },
};

/*
 * A description: the general counters, then the fixed ones. Each has its PMC at
 * the same position; there may be holes between their numbers. What is no counter
 * comes after them. [c]
 */
struct intel_pmu {
	struct pfm_pmu pmu;	/* first: kfree_const() frees it all */
	struct pfm_pmc_desc pmcs[INTEL_MAX + PFM_X86_EXTRA + 1];
	struct pfm_pmd_desc pmds[INTEL_MAX + PFM_LBR_PMDS];
	unsigned int general;
	unsigned int counting;	/* general and fixed counters */
	unsigned int select;	/* position of LBR_SELECT, or 0 */
	u64 branches;		/* its data registers */
	u64 straight;		/* whose position is their global bit */
	bool holes;		/* between the numbers of either kind */
	u8 global[INTEL_MAX];	/* bits in the global registers */
	u8 at[64];		/* ... and positions by these bits */
	u32 rdpmc[INTEL_MAX];	/* numbers for RDPMC */
	u32 write[INTEL_MAX + PFM_LBR_PMDS];	/* addresses to write */
	u64 counters;		/* bits of the status register: their overflows */
	u64 status;		/* and all that are ours */
	bool enabled_ack;
	bool unsettled;		/* program() has to do more */
};

static const struct intel_pmu *to_intel(const struct pfm_pmu *pmu)
{
	return container_of(pmu, struct intel_pmu, pmu);
}

static bool intel_selects(const struct pfm_pmu *pmu, unsigned int num, u64 value)
{
	if (num == PFM_LBR_PMC)
		return pfm_lbr_selects(value);
	if (num >= INTEL_EXTRA)
		return false;
	if (num >= INTEL_FIXED)
		return value & (FIXED_OS | FIXED_USR);
	return pfm_evtsel_selects(value);
}

static bool intel_kernel(const struct pfm_pmu *pmu, unsigned int num, u64 value)
{
	if (num == PFM_LBR_PMC)
		return pfm_lbr_kernel(value);
	/* The level is that of the counter which has such a register's event. */
	if (num >= INTEL_EXTRA)
		return false;
	return value & (num >= INTEL_FIXED ? FIXED_OS : PFM_X86_OS);
}

/* General counters, with those in holes between them. */
static unsigned int intel_last(const struct intel_pmu *x)
{
	return x->general ? x->pmds[x->general - 1].num + 1 : 0;
}

static int intel_acquire(const struct pfm_pmu *pmu, unsigned int what)
{
	return pfm_x86_acquire(IA32_PMC0, 1, IA32_PERFEVTSEL0, 1,
			       intel_last(to_intel(pmu)));
}

static void intel_release(const struct pfm_pmu *pmu, unsigned int what)
{
	pfm_x86_release(IA32_PMC0, 1, IA32_PERFEVTSEL0, 1,
			intel_last(to_intel(pmu)));
}

/* Which fixed counter stands at position @i of the tables. */
static unsigned int intel_fixed(const struct intel_pmu *x, unsigned int i)
{
	return x->pmds[i].num - INTEL_FIXED;
}

static u64 intel_read(const struct pfm_pmu *pmu, unsigned int i)
{
	return pfm_x86_rdpmc(to_intel(pmu)->rdpmc[i], pmu->pmds[i].index);
}

/* Where a hypervisor has no RDPMC. */
static u64 intel_read_msr(const struct pfm_pmu *pmu, unsigned int i)
{
	return pfm_x86_read(pmu->pmds[i].index);
}

/*
 * Without full-width writes Intel's hardware ignores the upper half, and extends the
 * sign of the lower one. Zhaoxin's takes all bits there. Fixed counters are
 * written in full, always.
 */
static void intel_write(const struct pfm_pmu *pmu, unsigned int i, u64 value)
{
	pfm_x86_write(to_intel(pmu)->write[i], value);
}

static void intel_write_evtsel(const struct intel_pmu *x, unsigned int i, u64 value)
{
	pfm_x86_write(x->pmcs[i].index, value);
}

/* Version 1 */

static void intel_v1_start(const struct pfm_pmu *pmu, const struct pfm_run *run)
{
	u64 rest = run->pmds;

	for (; rest; rest &= rest - 1) {
		unsigned int i = __ffs64(rest);

		intel_write_evtsel(to_intel(pmu), i, pfm_evtsel_on(run->v[i]));
	}
}

static void intel_v1_stop(const struct pfm_pmu *pmu, const struct pfm_run *run)
{
	u64 rest = run->pmds;

	for (; rest; rest &= rest - 1) {
		unsigned int i = __ffs64(rest);

		intel_write_evtsel(to_intel(pmu), i, pfm_evtsel_off(run->v[i]));
	}
}

/*
 * 0 is as good as the default, and it is what IA32_PERF_GLOBAL_INUSE takes for a
 * register that is not in use.
 */
static void intel_clear_evtsels(const struct intel_pmu *x)
{
	unsigned int i;

	for (i = 0; i < x->general; i++)
		intel_write_evtsel(x, i, 0);
}

static void intel_v1_reset(const struct pfm_pmu *pmu, const u64 *v)
{
	intel_clear_evtsels(to_intel(pmu));
	pfm_x86_route();
}

/* Version 2 and above */

/* [p] Others may have written the controls of extra.c since this CPU has. */
static DEFINE_PER_CPU(bool, intel_extra_unknown);

/* Counters as bits of the global registers. */
static u64 intel_global(const struct intel_pmu *x, u64 counters)
{
	u64 bits = counters & x->straight;
	u64 rest = counters & ~bits;

	if (likely(!x->holes))
		return bits | rest >> x->general << INTEL_GLOBAL_FIXED;
	for (; rest; rest &= rest - 1)
		bits |= BIT_ULL(x->global[__ffs64(rest)]);
	return bits;
}

static void intel_program_fixed(const struct intel_pmu *x, const u64 *v)
{
	u64 ctrl = 0;
	unsigned int i;

	for (i = x->general; i < x->counting; i++)
		if (intel_selects(&x->pmu, INTEL_FIXED, v[i]))
			ctrl |= v[i] << FIXED_BITS * intel_fixed(x, i);
	pfm_x86_write(IA32_FIXED_CTR_CTRL, ctrl);
}

/*
 * Errata AAK100, AAP53 and BD53 of Nehalem and Westmere: a counter that gets a new
 * event may count wrongly until four others were programmed. These are Linux' events
 * and order. All counters are lost; the core writes or reads those that it starts,
 * since a set which comes with other controls does not come with its counters, and
 * PFM_PMU_UNSETTLED has it forget what they said.
 */
static void intel_settle(const struct intel_pmu *x, const u64 *v)
{
	static const u32 magic[] = { 0x4300b5, 0x4300d2, 0x4300b1, 0x4300b1 };
	unsigned int i, n = min_t(unsigned int, x->general, ARRAY_SIZE(magic));

	for (i = 0; i < n; i++) {
		intel_write_evtsel(x, i, magic[i]);
		pfm_x86_write(x->write[i], 0);
	}
	pfm_x86_write(IA32_PERF_GLOBAL_CTRL, BIT_ULL(n) - 1);
	pfm_x86_write(IA32_PERF_GLOBAL_CTRL, 0);
	for (i = 0; i < n; i++)
		intel_write_evtsel(x, i, pfm_evtsel_on(v[i]));
}

static void intel_write_extra(const struct intel_pmu *x, unsigned int i, u64 value)
{
	if (i != x->select)
		pfm_x86_write(x->pmcs[i].index, value);
}

/*
 * Whether an event may look at a control of extra.c: all but the architectural ones, which
 * mean the same on all models (SDM volume 3, "Predefined Architectural Performance Events").
 */
static bool intel_has_extra(u64 evtsel)
{
	switch (evtsel & 0xff) {
	case 0x2e:	/* references to the last-level cache, and misses */
	case 0x3c:	/* cycles */
	case 0xc0:	/* instructions */
	case 0xc4:	/* branches */
	case 0xc5:	/* ... mispredicted */
		return false;
	}
	return true;
}

/* An event is about to look at what another user of the PMU may have left. */
static noinline void intel_know_extra(const struct intel_pmu *x, const u64 *v)
{
	unsigned int i;

	if (!__this_cpu_read(intel_extra_unknown))
		return;
	for (i = x->counting; i < x->pmu.num_pmcs; i++)
		intel_write_extra(x, i, v[i]);
	__this_cpu_write(intel_extra_unknown, false);
}

static void intel_program(const struct pfm_pmu *pmu, const unsigned long *changed,
			  const struct pfm_run *run)
{
	const struct intel_pmu *x = to_intel(pmu);
	bool settled = false, fixed = false;
	unsigned int i;

	pfm_for_each_pmc(i, changed) {
		if (i < x->general) {
			if (unlikely(intel_has_extra(run->v[i])))
				intel_know_extra(x, run->v);
			if (likely(!x->unsettled))
				intel_write_evtsel(x, i, pfm_evtsel_on(run->v[i]));
			else if (!settled)
				intel_settle(x, run->v);
			settled = true;
		} else if (i < x->counting) {
			/* They have one register. */
			if (!fixed)
				intel_program_fixed(x, run->v);
			fixed = true;
		} else if (i != x->select || pfm_lbr_selects(run->v[i])) {
			/* Not LBR_SELECT if the set records no branches: the record is off. */
			pfm_x86_write(pmu->pmcs[i].index, run->v[i]);
		}
	}
}

/*
 * Unmask LVTPC before the counters run: an overflow while it is masked is lost. Counters that
 * start have been written by the core, if they have overflowed. Those that stay as they are, for
 * their context is masked and another one goes on, or its set has been left, have not.
 */
static noinline void intel_unmask(const struct intel_pmu *x, u64 counters)
{
	const u64 on = intel_global(x, counters);
	const u64 left = __this_cpu_read(pfm_x86_lvtpc.overflowed) & ~on;

	if (unlikely(left))
		pfm_intel_rewrite(&x->pmu, left);
	pfm_x86_route();
	pfm_x86_write(IA32_PERF_GLOBAL_CTRL, on);
}

static __always_inline void intel_enable(const struct intel_pmu *x, u64 counters)
{
	if (unlikely(__this_cpu_read(pfm_x86_lvtpc.masked)))
		intel_unmask(x, counters);
	else
		pfm_x86_write(IA32_PERF_GLOBAL_CTRL, intel_global(x, counters));
}

static void intel_start(const struct pfm_pmu *pmu, const struct pfm_run *run)
{
	intel_enable(to_intel(pmu), run->pmds | run->other);
}

/* Counters of the other kind's context go on; the records of branches are not here. */
static noinline void intel_stop_some(const struct intel_pmu *x, u64 other)
{
	pfm_x86_write(IA32_PERF_GLOBAL_CTRL, intel_global(x, other & ~x->branches));
}

static void intel_stop(const struct pfm_pmu *pmu, const struct pfm_run *run)
{
	if (unlikely(run->other))
		intel_stop_some(to_intel(pmu), run->other);
	else
		pfm_x86_write(IA32_PERF_GLOBAL_CTRL, 0);
}

/*
 * With last branches. What they cost is paid by the sets that use them: it stays out
 * of the others' way.
 */
static noinline void intel_record(const struct pfm_pmu *pmu, const struct pfm_run *run)
{
	const struct intel_pmu *x = to_intel(pmu);

	if (run->pmds & x->branches)
		pfm_lbr_start(run->v[x->select]);
	intel_enable(x, (run->pmds | run->other) & ~x->branches);
}

static void intel_lbr_start(const struct pfm_pmu *pmu, const struct pfm_run *run)
{
	if (unlikely((run->pmds | run->other) & to_intel(pmu)->branches))
		intel_record(pmu, run);
	else
		intel_start(pmu, run);
}

static noinline void intel_record_no_more(const struct pfm_pmu *pmu,
					  const struct pfm_run *run)
{
	intel_stop(pmu, run);
	pfm_lbr_stop();
}

static void intel_lbr_stop(const struct pfm_pmu *pmu, const struct pfm_run *run)
{
	if (unlikely(run->pmds & to_intel(pmu)->branches))
		intel_record_no_more(pmu, run);
	else
		intel_stop(pmu, run);
}

static u64 intel_lbr_read(const struct pfm_pmu *pmu, unsigned int i)
{
	if (unlikely(i >= to_intel(pmu)->counting))
		return pfm_lbr_read(pmu->pmds[i].index);
	return intel_read(pmu, i);
}

/*
 * Zhaoxin's ZX-C clears status bits only while counters are enabled: a few
 * cycles are counted on the way.
 */
static void intel_ack(const struct intel_pmu *x, u64 bits)
{
	u64 ctrl;

	if (!x->enabled_ack) {
		pfm_x86_write(IA32_PERF_GLOBAL_OVF_CTRL, bits);
		return;
	}
	ctrl = pfm_x86_read(IA32_PERF_GLOBAL_CTRL);
	pfm_x86_write(IA32_PERF_GLOBAL_CTRL, x->status & ~GENMASK_ULL(63, 48));
	pfm_x86_write(IA32_PERF_GLOBAL_OVF_CTRL, bits);
	pfm_x86_write(IA32_PERF_GLOBAL_CTRL, ctrl);
}

/*
 * Bits that are not the counters' do not make an interrupt theirs: CondChgd can be
 * set at any time, and an NMI that comes then may be the one of a crash button.
 */
static u64 intel_clear_status(const struct intel_pmu *x)
{
	u64 bits = pfm_x86_read(IA32_PERF_GLOBAL_STATUS) & x->status;

	if (bits)
		intel_ack(x, bits);
	return bits & x->counters;
}

/*
 * The overflow just handled may interrupt again if LVTPC is unmasked before its status is
 * cleared, and, on Haswell and later, before its counter is written (Linux,
 * intel_pmu_handle_irq(); Intel's driver of VTune unmasks right before it enables the
 * counters). So the next start of counters unmasks. If they go on, for they could not be
 * looked at now, an interrupt that came again would find the same, without end.
 */
static bool intel_acknowledge(const struct pfm_pmu *pmu, const struct pfm_run *run)
{
	const u64 overflowed = intel_clear_status(to_intel(pmu));

	if (overflowed) {
		__this_cpu_write(pfm_x86_lvtpc.masked, true);
		__this_cpu_write(pfm_x86_lvtpc.pmu, pmu);
		__this_cpu_write(pfm_x86_lvtpc.goes_on, run->pmds);
		__this_cpu_write(pfm_x86_lvtpc.overflowed, overflowed);
	} else {
		pfm_x86_route();
	}
	return overflowed;
}

/**
 * pfm_intel_rewrite() - write counters that have overflowed, and will not be started
 * @pmu: description
 * @overflowed: their bits in the global status
 *
 * Their values stay, for the context that reads them later.
 *
 * Context: interrupts off; or NMI. None of them counts.
 */
void pfm_intel_rewrite(const struct pfm_pmu *pmu, u64 overflowed)
{
	const struct intel_pmu *x = to_intel(pmu);
	unsigned int i;
	u64 value;

	for (; overflowed; overflowed &= overflowed - 1) {
		i = x->at[__ffs64(overflowed)];
		value = pmu->read(pmu, i);
		/* A value that has bit write_bits - 1 cannot be written; after a wrap few have. */
		if (!pmu->pmds[i].write_bits || !(value >> (pmu->pmds[i].write_bits - 1)))
			intel_write(pmu, i, value);
	}
}

/*
 * perf_events' own NMI handler, which Intel PT has run without a reservation of
 * counters, leaves by switching all of them on.
 */
static bool intel_still(const struct pfm_pmu *pmu, u64 pmds)
{
	const struct intel_pmu *x = to_intel(pmu);
	const u64 on = intel_global(x, pmds & ~x->branches);
	const u64 ctrl = pfm_x86_read(IA32_PERF_GLOBAL_CTRL);

	if (!(ctrl & ~on))
		return true;
	pfm_x86_write(IA32_PERF_GLOBAL_CTRL, ctrl & on);
	return false;
}

/*
 * What other users of the PMU have left in controls neither counts nor
 * interrupts while their counters are off in IA32_PERF_GLOBAL_CTRL.
 */
static void intel_rest(const struct pfm_pmu *pmu, const unsigned long *pmcs)
{
	const struct intel_pmu *x = to_intel(pmu);
	unsigned int i = 0;

	pfm_x86_write(IA32_PERF_GLOBAL_CTRL, 0);
	for_each_set_bit_from(i, pmcs, x->general)
		intel_write_evtsel(x, i, 0);
	i = find_next_bit(pmcs, pmu->num_pmcs, x->general);
	if (i < x->counting)
		pfm_x86_write(IA32_FIXED_CTR_CTRL, 0);
	i = x->counting;
	for_each_set_bit_from(i, pmcs, pmu->num_pmcs)
		intel_write_extra(x, i, 0);
	if (x->select)
		pfm_lbr_reset();
	intel_clear_status(x);
	pfm_x86_route();
	__this_cpu_write(intel_extra_unknown, true);
}

static void intel_reset(const struct pfm_pmu *pmu, const u64 *v)
{
	const struct intel_pmu *x = to_intel(pmu);
	unsigned int i;

	pfm_x86_write(IA32_PERF_GLOBAL_CTRL, 0);
	intel_clear_evtsels(x);
	if (x->counting > x->general)
		pfm_x86_write(IA32_FIXED_CTR_CTRL, 0);
	for (i = x->counting; i < pmu->num_pmcs; i++)
		intel_write_extra(x, i, 0);
	__this_cpu_write(intel_extra_unknown, false);
	if (x->select)
		pfm_lbr_reset();
	intel_clear_status(x);
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
	.flags = PFM_PMU_GATED,
	.reset = intel_reset,
	.rest = intel_rest,
	.program = intel_program,
	.start = intel_start,
	.stop = intel_stop,
	.read = intel_read,
	.write = intel_write,
	.acknowledge = intel_acknowledge,
	.still = intel_still,
};

static const char *const intel_names[] = {
	"Intel architectural 1", "Intel architectural 2",
	"Intel architectural 3", "Intel architectural 4",
	"Intel architectural 5",
};

/*
 * Which fixed counters there are. Since version 5 there can be holes. Counters
 * of two widths are unheard of on silicon: the general ones win.
 *
 * Early Core 2 says version 2, and nothing or nonsense of its fixed counters (SDM
 * volume 3, 20.2.2, note): there are three until version 5. A hypervisor that says
 * that there are none has none.
 */
static u32 intel_fixed_mask(const struct pfm_x86_cpu *cpu, unsigned int version)
{
	const u32 width = cpu->leaf_a[0] >> 16 & 0xff;
	const u32 edx = cpu->leaf_a[3];
	u32 mask = BIT(edx & 0x1f) - 1;

	if (version < 2)
		return 0;
	if (version >= 5) {
		mask |= cpu->leaf_a[2];
	} else if (cpu->vendor == X86_VENDOR_INTEL && !cpu->hypervisor) {
		mask |= INTEL_FIXED_THREE;
		if (!(edx >> 5 & 0xff))
			return mask;
	}
	return (edx >> 5 & 0xff) == width ? mask : 0;
}

/*
 * Which general counters there are. Counter 3 is the microcode's where that makes
 * up for an erratum of TSX with it, unless all transactions abort (Intel 604224).
 */
static u32 intel_general_mask(const struct pfm_x86_cpu *cpu)
{
	u32 n = min_t(u32, cpu->leaf_a[0] >> 8 & 0xff, INTEL_GENERAL_MAX);
	u32 mask = BIT(n) - 1;

	return cpu->tsx_force_abort ? mask & ~BIT(3) : mask;
}

/*
 * VIA Nano has the leaf, and counters that Linux does not trust before stepping 14;
 * the ZX-C that came out of it, and what followed, are right.
 */
static bool intel_is_nano(const struct pfm_x86_cpu *cpu)
{
	return cpu->vendor == X86_VENDOR_CENTAUR && cpu->family == 6 &&
	       cpu->model == 0xf && cpu->stepping < 0xe;
}

/*
 * Shorter periods have Nehalem's and Haswell's status set again after it was cleared, so
 * that NMIs follow each other until the context is throttled. One source: Linux, which found
 * it by trying (nhm_limit_period(), hsw_limit_period()).
 */
#define INTEL_MIN_PERIOD	32

static u32 intel_min_period(const struct pfm_x86_cpu *cpu)
{
	if (cpu->vendor != X86_VENDOR_INTEL || cpu->family != 6)
		return PFM_X86_MIN_PERIOD;
	switch (cpu->model) {
	case PFM_INTEL_MODEL(NEHALEM):
	case PFM_INTEL_MODEL(NEHALEM_EP):
	case PFM_INTEL_MODEL(NEHALEM_EX):
	case PFM_INTEL_MODEL(HASWELL):
	case PFM_INTEL_MODEL(HASWELL_X):
	case PFM_INTEL_MODEL(HASWELL_L):
	case PFM_INTEL_MODEL(HASWELL_G):
		return INTEL_MIN_PERIOD;
	}
	return PFM_X86_MIN_PERIOD;
}

static void intel_add_general(struct intel_pmu *x, unsigned int n, bool full,
			      u8 write_bits)
{
	const unsigned int i = x->pmu.num_pmds;

	x->pmcs[x->pmu.num_pmcs++] = intel_pmcs[n];
	x->pmds[x->pmu.num_pmds++] = intel_pmds[n];
	x->pmds[i].write_bits = write_bits;
	x->global[i] = n;
	x->at[n] = i;
	x->rdpmc[i] = n;
	x->write[i] = (full ? IA32_A_PMC0 : IA32_PMC0) + n;
	if (i == n)
		x->straight |= BIT_ULL(i);
	x->general++;
}

static void intel_add_fixed(struct intel_pmu *x, unsigned int n)
{
	const unsigned int i = x->pmu.num_pmds;

	x->pmcs[x->pmu.num_pmcs++] = intel_fixed_pmcs[n];
	x->pmds[x->pmu.num_pmds++] = intel_fixed_pmds[n];
	x->global[i] = INTEL_GLOBAL_FIXED + n;
	x->at[INTEL_GLOBAL_FIXED + n] = i;
	x->rdpmc[i] = RDPMC_FIXED | n;
	x->write[i] = IA32_FIXED_CTR0 + n;
}

static void intel_add_counters(struct intel_pmu *x, const struct pfm_x86_cpu *cpu,
			       unsigned long general, unsigned long fixed)
{
	const bool zhaoxin = cpu->vendor == X86_VENDOR_CENTAUR ||
			     cpu->vendor == X86_VENDOR_ZHAOXIN;
	const bool full = cpu->perf_cap & PFM_X86_FULL_WRITE;
	unsigned int i;
	u8 bits = 0;

	if (!full && !zhaoxin && x->pmu.width > 32)
		bits = 32;
	for_each_set_bit(i, &general, INTEL_GENERAL_MAX)
		intel_add_general(x, i, full, bits);
	for_each_set_bit(i, &fixed, INTEL_FIXED_MAX)
		intel_add_fixed(x, i);
	x->counting = x->pmu.num_pmds;
	x->holes = (general & (general + 1)) || (fixed & (fixed + 1));
	x->enabled_ack = zhaoxin && cpu->family == 6;
}

static void intel_add_extra(struct intel_pmu *x, const struct pfm_x86_cpu *cpu)
{
	struct pfm_pmc_desc *c;
	unsigned int i;
	u64 valid;

	for (i = 0; i < PFM_X86_EXTRA; i++) {
		valid = pfm_x86_extra_valid(cpu, i);
		if (!valid || !(cpu->extra & BIT(i)))
			continue;
		c = &x->pmcs[x->pmu.num_pmcs++];
		*c = intel_extra_pmcs[i];
		c->index = pfm_x86_extra_msr(i);
		c->rsvd = ~valid;
	}
}

static void intel_add_lbr(struct intel_pmu *x, const struct pfm_x86_cpu *cpu)
{
	unsigned int i;

	/* Where RDPMC is missing, so is what follows here. */
	if (!cpu->lbr || !pfm_lbr_is_known(cpu) || cpu->no_rdpmc)
		return;
	x->select = x->pmu.num_pmcs++;
	x->pmcs[x->select] = pfm_lbr_pmc;
	for (i = 0; i < PFM_LBR_PMDS; i++) {
		const unsigned int n = x->pmu.num_pmds++;

		x->pmds[n] = pfm_lbr_pmds[i];
		x->write[n] = pfm_lbr_pmds[i].index;
		x->branches |= BIT_ULL(n);
	}
	x->pmu.start = intel_lbr_start;
	x->pmu.stop = intel_lbr_stop;
	x->pmu.read = intel_lbr_read;
}

/**
 * pfm_intel_describe() - the architectural PMU, by CPUID leaf 0xa
 * @cpu: facts
 *
 * Context: process.
 * Return: the description, for kfree_const(); or NULL if @cpu has no such PMU, or
 * there is no memory.
 */
const struct pfm_pmu *pfm_intel_describe(const struct pfm_x86_cpu *cpu)
{
	const u32 eax = cpu->leaf_a[0];
	const unsigned int version = eax & 0xff;
	const unsigned int width = eax >> 16 & 0xff;
	const u32 general = intel_general_mask(cpu);
	const u32 fixed = intel_fixed_mask(cpu, version);
	struct intel_pmu *x;

	if (!version || !width || width > 64 || !general ||
	    intel_is_nano(cpu))
		return NULL;
	x = kzalloc(sizeof(*x), GFP_KERNEL);
	if (!x)
		return NULL;

	x->pmu = version < 2 ? intel_v1 : intel_v2;
	x->pmu.name = intel_names[min_t(unsigned int, version,
					ARRAY_SIZE(intel_names)) - 1];
	x->pmu.pmcs = x->pmcs;
	x->pmu.pmds = x->pmds;
	x->pmu.width = width;
	x->pmu.min_period = intel_min_period(cpu);
	if (cpu->no_rdpmc)
		x->pmu.read = intel_read_msr;
	intel_add_counters(x, cpu, general, fixed);
	if (version >= 2) {
		intel_add_extra(x, cpu);
		intel_add_lbr(x, cpu);
	}
	x->unsettled = pfm_x86_is_nehalem(cpu) && !cpu->hypervisor;
	/* intel_settle() takes the counters, and the controls, that nobody has programmed. */
	if (x->unsettled) {
		x->pmu.flags &= ~PFM_PMU_GATED;
		x->pmu.flags |= PFM_PMU_UNSETTLED;
		x->pmu.rest = NULL;
	} else {
		x->pmu.flags |= PFM_PMU_SHARES;
	}

	/*
	 * The counters' overflow bits; OvfBuf (62) and CondChgd (63), which firmware
	 * may leave set; from version 4 LBR_Frz (58) and CTR_Frz (59), which keep
	 * the PMU frozen. All others are left alone.
	 */
	x->counters = intel_global(x, GENMASK_ULL(x->counting - 1, 0));
	x->status = x->counters | GENMASK_ULL(63, 62) |
		    (version >= 4 ? GENMASK_ULL(59, 58) : 0);
	return &x->pmu;
}
