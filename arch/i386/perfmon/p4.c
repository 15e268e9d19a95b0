// SPDX-License-Identifier: GPL-2.0-only
/*
 * perfmon2 on x86: Pentium 4 and the Xeons like it (NetBurst, family 15).
 *
 * A counter counts what its CCCR selects: one of up to eight ESCRs that are
 * wired to its unit, and the ESCR selects the event. PMD 0-17 are the
 * counters, PMC 0-17 their CCCRs, PMC 32-97 the ESCRs: the address less 0x380.
 * PMC 113 and 114 tag replays (PEBS_ENABLE, PEBS_MATRIX_VERT); PEBS proper, bit
 * 25, stays off.
 *
 * The kernel's are a CCCR's PMI bits and, beside the program's, its enable bit.
 * FORCE_OVF would interrupt at each event, and a cascaded counter starts by itself
 * after it was stopped, so these are reserved. ACTIVE_THREAD is 11: any.
 *
 * Two threads of a core share all of this, so each gets half of it: programs
 * see the counters and ESCRs of the first thread, PMD 0, 1, 4, 5, 8, 9, 12, 13
 * and 16. On the second thread the same numbers mean the others, which are
 * wired to the same units alike. Programs set the first thread's USR and OS
 * bits; the second one's are the kernel's. Not halved, and so left out, are
 * SSU_ESCR0, which has no second, and the replay tags.
 *
 * Intel SDM, volume 3, performance monitoring: "Processors Based on Intel
 * NetBurst Microarchitecture", with the table of counters, CCCRs and ESCRs, and
 * "... and Intel Hyper-Threading Technology"; Linux, arch/x86/events/intel/p4.c.
 */
#include <linux/bitmap.h>
#include <linux/container_of.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/percpu.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <asm/processor.h>

#include "compat.h"
#include "x86.h"

#define P4_COUNTER0		0x300
#define P4_CCCR0		0x360
#define P4_PEBS_ENABLE		0x3f1
#define P4_PEBS_MATRIX_VERT	0x3f2

/* PMC numbers: a CCCR's is its counter's, another MSR's is less 0x380. */
#define P4_PMC(msr)		((msr) - 0x380)
#define P4_COUNTERS		18

#define P4_CCCR_ENABLE		BIT_ULL(12)
#define P4_CCCR_SELECT		GENMASK_ULL(15, 13)
#define P4_CCCR_SELECT_SHIFT	13
#define P4_CCCR_ACTIVE_ANY	GENMASK_ULL(17, 16)
#define P4_CCCR_FILTER		GENMASK_ULL(24, 18)	/* compare ... edge */
#define P4_CCCR_COMPLEMENTED	GENMASK_ULL(19, 18)	/* and compared */
#define P4_CCCR_OVF_PMI_T0	BIT_ULL(26)
#define P4_CCCR_OVF_PMI_T1	BIT_ULL(27)
#define P4_CCCR_OVF		BIT_ULL(31)

#define P4_ESCR_T0_USR		BIT_ULL(2)
#define P4_ESCR_T0_OS		BIT_ULL(3)
#define P4_ESCR_T0		(P4_ESCR_T0_USR | P4_ESCR_T0_OS)
#define P4_ESCR_T0_TO_T1	2	/* by so many bits to the right */
#define P4_ESCR_EVENT		GENMASK_ULL(30, 4)	/* and mask, and tag */

#define P4_SSU_ESCR0	0x3be
#define P4_SSU_ESCR1	0x3bf		/* does not exist */
#define P4_IQ_ESCR0	0x3ba		/* in models 0 to 2 */
#define P4_IQ_ESCR1	0x3bb

/* Replay tags of PEBS_ENABLE: no good without UOP_TAG, and vice versa. */
#define PEBS_UOP_TAG	BIT_ULL(24)
#define PEBS_TAGS	(GENMASK_ULL(10, 9) | GENMASK_ULL(2, 0))
#define PEBS_VERT	GENMASK_ULL(1, 0)

#define P4_CCCR(n, s) {							\
	.name = s, .num = n,						\
	PFM_X86_MSR, .index = P4_CCCR0 + n,				\
	.def = P4_CCCR_ACTIVE_ANY | P4_CCCR_OVF_PMI_T0,			\
	.rsvd = ~(P4_CCCR_ENABLE | P4_CCCR_SELECT | P4_CCCR_FILTER),	\
}

#define P4_ESCR(msr, s) {						\
	.name = s, .num = P4_PMC(msr),					\
	PFM_X86_MSR, .index = msr,					\
	.rsvd = ~(P4_ESCR_EVENT | P4_ESCR_T0),				\
}

#define P4_PMD(n, s) {							\
	.name = s, .num = n,						\
	PFM_X86_MSR, .index = P4_COUNTER0 + n,				\
	.flags = PFM_PMD_COUNTER, .ctrl = n,				\
}

static const struct pfm_pmc_desc p4_pmcs[] = {
	P4_CCCR(0, "BPU_CCCR0"), P4_CCCR(1, "BPU_CCCR1"),
	P4_CCCR(2, "BPU_CCCR2"), P4_CCCR(3, "BPU_CCCR3"),
	P4_CCCR(4, "MS_CCCR0"), P4_CCCR(5, "MS_CCCR1"),
	P4_CCCR(6, "MS_CCCR2"), P4_CCCR(7, "MS_CCCR3"),
	P4_CCCR(8, "FLAME_CCCR0"), P4_CCCR(9, "FLAME_CCCR1"),
	P4_CCCR(10, "FLAME_CCCR2"), P4_CCCR(11, "FLAME_CCCR3"),
	P4_CCCR(12, "IQ_CCCR0"), P4_CCCR(13, "IQ_CCCR1"),
	P4_CCCR(14, "IQ_CCCR2"), P4_CCCR(15, "IQ_CCCR3"),
	P4_CCCR(16, "IQ_CCCR4"), P4_CCCR(17, "IQ_CCCR5"),

	P4_ESCR(0x3a0, "BSU_ESCR0"), P4_ESCR(0x3a1, "BSU_ESCR1"),
	P4_ESCR(0x3a2, "FSB_ESCR0"), P4_ESCR(0x3a3, "FSB_ESCR1"),
	P4_ESCR(0x3a4, "FIRM_ESCR0"), P4_ESCR(0x3a5, "FIRM_ESCR1"),
	P4_ESCR(0x3a6, "FLAME_ESCR0"), P4_ESCR(0x3a7, "FLAME_ESCR1"),
	P4_ESCR(0x3a8, "DAC_ESCR0"), P4_ESCR(0x3a9, "DAC_ESCR1"),
	P4_ESCR(0x3aa, "MOB_ESCR0"), P4_ESCR(0x3ab, "MOB_ESCR1"),
	P4_ESCR(0x3ac, "PMH_ESCR0"), P4_ESCR(0x3ad, "PMH_ESCR1"),
	P4_ESCR(0x3ae, "SAAT_ESCR0"), P4_ESCR(0x3af, "SAAT_ESCR1"),
	P4_ESCR(0x3b0, "U2L_ESCR0"), P4_ESCR(0x3b1, "U2L_ESCR1"),
	P4_ESCR(0x3b2, "BPU_ESCR0"), P4_ESCR(0x3b3, "BPU_ESCR1"),
	P4_ESCR(0x3b4, "IS_ESCR0"), P4_ESCR(0x3b5, "IS_ESCR1"),
	P4_ESCR(0x3b6, "ITLB_ESCR0"), P4_ESCR(0x3b7, "ITLB_ESCR1"),
	P4_ESCR(0x3b8, "CRU_ESCR0"), P4_ESCR(0x3b9, "CRU_ESCR1"),
	P4_ESCR(0x3ba, "IQ_ESCR0"), P4_ESCR(0x3bb, "IQ_ESCR1"),
	P4_ESCR(0x3bc, "RAT_ESCR0"), P4_ESCR(0x3bd, "RAT_ESCR1"),
	P4_ESCR(0x3be, "SSU_ESCR0"),
	P4_ESCR(0x3c0, "MS_ESCR0"), P4_ESCR(0x3c1, "MS_ESCR1"),
	P4_ESCR(0x3c2, "TBPU_ESCR0"), P4_ESCR(0x3c3, "TBPU_ESCR1"),
	P4_ESCR(0x3c4, "TC_ESCR0"), P4_ESCR(0x3c5, "TC_ESCR1"),
	P4_ESCR(0x3c8, "IX_ESCR0"), P4_ESCR(0x3c9, "IX_ESCR1"),
	P4_ESCR(0x3ca, "ALF_ESCR0"), P4_ESCR(0x3cb, "ALF_ESCR1"),
	P4_ESCR(0x3cc, "CRU_ESCR2"), P4_ESCR(0x3cd, "CRU_ESCR3"),
	P4_ESCR(0x3e0, "CRU_ESCR4"), P4_ESCR(0x3e1, "CRU_ESCR5"),

	{ .name = "PEBS_ENABLE", .num = P4_PMC(P4_PEBS_ENABLE),
	  PFM_X86_MSR, .index = P4_PEBS_ENABLE,
	  .rsvd = ~(PEBS_UOP_TAG | PEBS_TAGS) },
	{ .name = "PEBS_MATRIX_VERT", .num = P4_PMC(P4_PEBS_MATRIX_VERT),
	  PFM_X86_MSR, .index = P4_PEBS_MATRIX_VERT, .rsvd = ~PEBS_VERT },
};

static const struct pfm_pmd_desc p4_pmds[] = {
	P4_PMD(0, "BPU_COUNTER0"), P4_PMD(1, "BPU_COUNTER1"),
	P4_PMD(2, "BPU_COUNTER2"), P4_PMD(3, "BPU_COUNTER3"),
	P4_PMD(4, "MS_COUNTER0"), P4_PMD(5, "MS_COUNTER1"),
	P4_PMD(6, "MS_COUNTER2"), P4_PMD(7, "MS_COUNTER3"),
	P4_PMD(8, "FLAME_COUNTER0"), P4_PMD(9, "FLAME_COUNTER1"),
	P4_PMD(10, "FLAME_COUNTER2"), P4_PMD(11, "FLAME_COUNTER3"),
	P4_PMD(12, "IQ_COUNTER0"), P4_PMD(13, "IQ_COUNTER1"),
	P4_PMD(14, "IQ_COUNTER2"), P4_PMD(15, "IQ_COUNTER3"),
	P4_PMD(16, "IQ_COUNTER4"), P4_PMD(17, "IQ_COUNTER5"),
};

/*
 * By unit and ESCR select, what is wired to the first half of the unit's
 * counters. The second half has the next ESCRs. 0: nothing.
 */
static const u16 p4_wires[][8] = {
	/* BPU:   BPU    IS     MOB    ITLB   PMH    IX     FSB    BSU */
	{ 0x3b2, 0x3b4, 0x3aa, 0x3b6, 0x3ac, 0x3c8, 0x3a2, 0x3a0 },
	/* MS:    MS     TC     TBPU */
	{ 0x3c0, 0x3c4, 0x3c2 },
	/* FLAME: FLAME  FIRM   SAAT   U2L           DAC */
	{ 0x3a6, 0x3a4, 0x3ae, 0x3b0, 0, 0x3a8 },
	/* IQ:    IQ     ALF    RAT    SSU    CRU0   CRU2   CRU4 */
	{ 0x3ba, 0x3ca, 0x3bc, 0x3be, 0x3b8, 0x3cc, 0x3e0 },
};

/* A description. Each PMD's CCCR stands at its position. [c] */
struct p4_pmu {
	struct pfm_pmu pmu;	/* first: kfree_const() frees it all */
	struct pfm_pmc_desc pmcs[ARRAY_SIZE(p4_pmcs)];
	struct pfm_pmd_desc pmds[ARRAY_SIZE(p4_pmds)];
	bool halved;		/* between two threads */
	bool iq;		/* has IQ_ESCR0 and 1 */
};

static const struct p4_pmu *to_p4(const struct pfm_pmu *pmu)
{
	return container_of(pmu, struct p4_pmu, pmu);
}

/* Whether this CPU is the second one of its core. [p] */
static DEFINE_PER_CPU(bool, p4_second);

/* Counters, as positions, that may have an overflow flag set. [p] */
static DEFINE_PER_CPU(u32, p4_started);

/* Counters come in twos for either half, the last ones alone. */
static unsigned int p4_half(unsigned int counter)
{
	return counter < 16 ? counter >> 1 & 1 : counter & 1;
}

static unsigned int p4_unit(unsigned int counter)
{
	return min(counter / 4, 3U);
}

static bool p4_has_escr(const struct p4_pmu *x, u32 msr)
{
	if (msr == P4_IQ_ESCR0 || msr == P4_IQ_ESCR1)
		return x->iq;
	if (msr == P4_SSU_ESCR0)
		return !x->halved;
	return msr != P4_SSU_ESCR1;
}

static bool p4_wired(const struct p4_pmu *x, unsigned int counter, u64 cccr)
{
	unsigned int select = (cccr & P4_CCCR_SELECT) >> P4_CCCR_SELECT_SHIFT;
	u32 msr = p4_wires[p4_unit(counter)][select];

	return msr && p4_has_escr(x, msr + p4_half(counter));
}

static bool p4_accepts(const struct pfm_pmu *pmu, unsigned int num, u64 value)
{
	if (num < P4_COUNTERS)
		return !(value & P4_CCCR_ENABLE) || p4_wired(to_p4(pmu), num, value);
	if (num == P4_PMC(P4_PEBS_ENABLE))
		return !value || ((value & PEBS_UOP_TAG) && (value & PEBS_TAGS));
	return true;
}

static bool p4_selects(const struct pfm_pmu *pmu, unsigned int num, u64 value)
{
	return num < P4_COUNTERS && (value & P4_CCCR_ENABLE);
}

/*
 * The level is the ESCR's business; but a comparison that is true while there
 * are no events counts clocks, at any privilege level (SDM, "Counting Clocks").
 */
static bool p4_kernel(const struct pfm_pmu *pmu, unsigned int num, u64 value)
{
	if (num < P4_COUNTERS)
		return (value & P4_CCCR_COMPLEMENTED) == P4_CCCR_COMPLEMENTED;
	return num >= P4_PMC(0x3a0) && num < P4_PMC(P4_PEBS_ENABLE) &&
	       (value & P4_ESCR_T0_OS);
}

/* The kernel's reservation knows counters; CCCRs it lets pass. */
static int p4_acquire(const struct pfm_pmu *pmu, unsigned int what)
{
	return pfm_x86_acquire(P4_COUNTER0, 1, P4_CCCR0, 1, P4_COUNTERS);
}

static void p4_release(const struct pfm_pmu *pmu, unsigned int what)
{
	pfm_x86_release(P4_COUNTER0, 1, P4_CCCR0, 1, P4_COUNTERS);
}

/* Counter at position @i on this CPU. */
static unsigned int p4_counter(const struct pfm_pmu *pmu, unsigned int i)
{
	unsigned int n = pmu->pmds[i].num;

	if (__this_cpu_read(p4_second))
		n += n < 16 ? 2 : 1;
	return n;
}

static void p4_write_cccr(const struct pfm_pmu *pmu, unsigned int i, u64 value)
{
	if (__this_cpu_read(p4_second) && (value & P4_CCCR_OVF_PMI_T0))
		value ^= P4_CCCR_OVF_PMI_T0 | P4_CCCR_OVF_PMI_T1;
	pfm_x86_write(P4_CCCR0 + p4_counter(pmu, i), value);
}

/* An ESCR, or what tags replays; those are there only without a second thread. */
static void p4_write_escr(const struct pfm_pmu *pmu, unsigned int i, u64 value)
{
	u32 msr = pmu->pmcs[i].index;

	if (__this_cpu_read(p4_second)) {
		value = (value & ~P4_ESCR_T0) |
			(value & P4_ESCR_T0) >> P4_ESCR_T0_TO_T1;
		msr++;
	}
	pfm_x86_write(msr, value);
}

static void p4_program(const struct pfm_pmu *pmu, const unsigned long *changed,
		       const struct pfm_run *run)
{
	unsigned int i = pmu->num_pmds;

	for_each_set_bit_from(i, changed, pmu->num_pmcs)
		p4_write_escr(pmu, i, run->v[i]);
}

static void p4_start(const struct pfm_pmu *pmu, const struct pfm_run *run)
{
	unsigned long rest = run->pmds;
	unsigned int i;

	__this_cpu_or(p4_started, rest);
	for_each_set_bit(i, &rest, P4_COUNTERS)
		p4_write_cccr(pmu, i, run->v[i]);
}

/* An overflow is acknowledged with it. */
static void p4_stop(const struct pfm_pmu *pmu, const struct pfm_run *run)
{
	unsigned long rest = run->pmds;
	unsigned int i;

	for_each_set_bit(i, &rest, P4_COUNTERS)
		p4_write_cccr(pmu, i, P4_CCCR_ACTIVE_ANY);
}

static u64 p4_read(const struct pfm_pmu *pmu, unsigned int i)
{
	unsigned int n = p4_counter(pmu, i);

	return pfm_x86_rdpmc(n, P4_COUNTER0 + n);
}

/*
 * Twice: events that the counter still holds back may be added to the first
 * write, with a carry into its upper bits (erratum N15).
 */
static void p4_write(const struct pfm_pmu *pmu, unsigned int i, u64 value)
{
	u32 msr = P4_COUNTER0 + p4_counter(pmu, i);

	pfm_x86_write(msr, value);
	pfm_x86_write(msr, value);
}

/*
 * Flags are left of counters that run, or that overflowed while they were being
 * stopped. The interrupt is asserted as long as a flag is set, so it is
 * unmasked afterwards.
 */
static bool p4_acknowledge(const struct pfm_pmu *pmu, const struct pfm_run *run)
{
	unsigned long rest = __this_cpu_read(p4_started);
	bool any = false;
	unsigned int i;
	u64 cccr;
	u32 msr;

	for_each_set_bit(i, &rest, P4_COUNTERS) {
		msr = P4_CCCR0 + p4_counter(pmu, i);
		cccr = pfm_x86_read(msr);
		if (!(cccr & P4_CCCR_OVF))
			continue;
		pfm_x86_write(msr, cccr & ~P4_CCCR_OVF);
		any = true;
	}
	pfm_x86_route();
	return any;
}

/* The lowest bit of the APIC's first number tells threads apart. */
static void p4_reset(const struct pfm_pmu *pmu, const u64 *v)
{
	unsigned int i;

	__this_cpu_write(p4_second, to_p4(pmu)->halved &&
			 (PFM_INITIAL_APICID(cpu_data(smp_processor_id())) & 1));
	__this_cpu_write(p4_started, 0);
	for (i = 0; i < pmu->num_pmds; i++)
		p4_write_cccr(pmu, i, P4_CCCR_ACTIVE_ANY);
	for (; i < pmu->num_pmcs; i++)
		p4_write_escr(pmu, i, v[i]);
	pfm_x86_route();
}

static const struct pfm_pmu p4_pmu = {
	.width = 40,
	.accepts = p4_accepts,
	.selects = p4_selects,
	.kernel = p4_kernel,
	.acquire = p4_acquire,
	.release = p4_release,
	.reset = p4_reset,
	.program = p4_program,
	.start = p4_start,
	.stop = p4_stop,
	.read = p4_read,
	.write = p4_write,
	.acknowledge = p4_acknowledge,
	.min_period = PFM_X86_MIN_PERIOD,
};

/* Whether PMC @d is in the description. */
static bool p4_has_pmc(const struct p4_pmu *x, const struct pfm_pmc_desc *d)
{
	if (d->num < P4_COUNTERS)
		return !x->halved || !p4_half(d->num);
	if (d->index >= P4_PEBS_ENABLE)
		return !x->halved;
	/* The second of a pair has an odd address. */
	if (x->halved && (d->index & 1))
		return false;
	return p4_has_escr(x, d->index);
}

static bool p4_is_p4(const struct pfm_x86_cpu *cpu)
{
	return cpu->vendor == X86_VENDOR_INTEL && cpu->family == 15;
}

/**
 * pfm_p4_facts() - whether this machine's Pentium 4 counts
 * @cpu: facts; filled in: no_emon
 *
 * The processor says so itself (SDM volume 4, IA32_MISC_ENABLE).
 *
 * Context: process, boot.
 */
void __init pfm_p4_facts(struct pfm_x86_cpu *cpu)
{
	u64 misc;

	cpu->no_emon = p4_is_p4(cpu) &&
		       (rdmsrq_safe(MSR_IA32_MISC_ENABLE, &misc) ||
			!(misc & MSR_IA32_MISC_ENABLE_EMON));
}

/**
 * pfm_p4_describe() - the PMU of Pentium 4
 * @cpu: facts
 *
 * Context: process.
 * Return: the description, for kfree_const(); or NULL if @cpu is no Pentium 4, or
 * one that does not count, or there is no memory.
 */
const struct pfm_pmu *pfm_p4_describe(const struct pfm_x86_cpu *cpu)
{
	struct p4_pmu *x;
	unsigned int i;

	if (!p4_is_p4(cpu) || cpu->no_emon || cpu->no_rdpmc)
		return NULL;
	x = kzalloc(sizeof(*x), GFP_KERNEL);
	if (!x)
		return NULL;

	x->halved = cpu->threads > 1;
	x->iq = cpu->model <= 2;
	x->pmu = p4_pmu;
	x->pmu.name = x->halved ? "Intel P4, hyper-threaded" : "Intel P4";
	x->pmu.pmcs = x->pmcs;
	x->pmu.pmds = x->pmds;
	for (i = 0; i < ARRAY_SIZE(p4_pmcs); i++)
		if (p4_has_pmc(x, &p4_pmcs[i]))
			x->pmcs[x->pmu.num_pmcs++] = p4_pmcs[i];
	for (i = 0; i < ARRAY_SIZE(p4_pmds); i++)
		if (!x->halved || !p4_half(i))
			x->pmds[x->pmu.num_pmds++] = p4_pmds[i];
	return &x->pmu;
}
