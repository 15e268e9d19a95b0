// SPDX-License-Identifier: GPL-2.0-only
/*
 * perfmon2 on x86: the last branches that an Intel processor has taken.
 *
 * From Nehalem to Haswell each logical CPU keeps 16 pairs of addresses, from where to
 * where, in a ring whose newest entry LASTBRANCH_TOS names. LBR_SELECT says which
 * branches do not get there. They are data registers that do not count: they are in
 * use in the sets whose LBR_SELECT leaves any branch.
 *
 * The ring is filled while DEBUGCTL has LBR. An overflow interrupt takes that bit away,
 * so that a sample has the branches before the overflow and none of its handler.
 * DEBUGCTL is shared: its other bits are the kernel's, who leaves ours as they are.
 *
 * Broadwell and later processors are left out: a kernel that uses their Processor Trace
 * must not set LBR (SDM volume 3, 33.3.1.2), and since Skylake there are 32 pairs, of
 * three registers each, which are more registers than the core has room for.
 *
 * Intel SDM, volume 3, "Last Branch, Interrupt, and Exception Recording"; Linux,
 * arch/x86/events/intel/lbr.c.
 */
#include <linux/kernel.h>
#include <linux/percpu.h>
#include <asm/processor.h>

#include "compat.h"
#include "x86.h"

/* Of LBR_SELECT, whose bits say what is not recorded. */
#define LBR_NOT_KERNEL		BIT_ULL(0)	/* ends at level 0 */
#define LBR_NOT_USER		BIT_ULL(1)	/* ends elsewhere */
#define LBR_NOT_FAR		BIT_ULL(8)
#define LBR_LEVELS		(LBR_NOT_KERNEL | LBR_NOT_USER)
#define LBR_KINDS		GENMASK_ULL(8, 2)
#define LBR_NOTHING		(LBR_LEVELS | LBR_KINDS)

#define LBR_DEBUGCTL		(DEBUGCTLMSR_LBR | DEBUGCTLMSR_FREEZE_LBRS_ON_PMI)

/* Above are marks, such as that the branch was mispredicted. */
#define LBR_ADDRESS		GENMASK_ULL(60, 0)

/* Nothing that is recorded for this CPU's context may have a kernel address. [p] */
static DEFINE_PER_CPU(bool, pfm_lbr_user);

/* Somebody has recorded on this CPU. [p] */
static DEFINE_PER_CPU(bool, pfm_lbr_used);

const struct pfm_pmc_desc pfm_lbr_pmc = {
	.name = "LBR_SELECT", .num = PFM_LBR_PMC,
	PFM_X86_MSR, .index = MSR_LBR_SELECT,
	.def = LBR_NOTHING, .rsvd = ~LBR_NOTHING,
};

#define LBR_PAIR(n) {							\
	.name = "LASTBRANCH_FROM" #n, .num = PFM_LBR_PMD + 2 * n,	\
	PFM_X86_MSR, .index = MSR_LBR_NHM_FROM + n,			\
	.flags = PFM_PMD_RDONLY | PFM_PMD_CLEAR, .ctrl = PFM_LBR_PMC,	\
}, {									\
	.name = "LASTBRANCH_TO" #n, .num = PFM_LBR_PMD + 2 * n + 1,	\
	PFM_X86_MSR, .index = MSR_LBR_NHM_TO + n,			\
	.flags = PFM_PMD_RDONLY | PFM_PMD_CLEAR, .ctrl = PFM_LBR_PMC,	\
}

const struct pfm_pmd_desc pfm_lbr_pmds[PFM_LBR_PMDS] = {
	LBR_PAIR(0), LBR_PAIR(1), LBR_PAIR(2), LBR_PAIR(3),
	LBR_PAIR(4), LBR_PAIR(5), LBR_PAIR(6), LBR_PAIR(7),
	LBR_PAIR(8), LBR_PAIR(9), LBR_PAIR(10), LBR_PAIR(11),
	LBR_PAIR(12), LBR_PAIR(13), LBR_PAIR(14), LBR_PAIR(15),
	{ .name = "LASTBRANCH_TOS", .num = PFM_LBR_PMD + 2 * PFM_LBR_PAIRS,
	  PFM_X86_MSR, .index = MSR_LBR_TOS,
	  .flags = PFM_PMD_RDONLY, .ctrl = PFM_LBR_PMC },
};

/**
 * pfm_lbr_is_known() - whether this kind of processor has the registers for itself
 * @cpu: facts
 *
 * Nehalem and Westmere share LBR_SELECT between the threads of a core: another user's
 * choice would be ours.
 *
 * Context: any.
 * Return: whether it has. Whether they work is pfm_x86_find_lbr()'s to say.
 */
bool pfm_lbr_is_known(const struct pfm_x86_cpu *cpu)
{
	if (cpu->vendor != X86_VENDOR_INTEL || cpu->family != 6 || cpu->hybrid)
		return false;
	if (pfm_x86_is_nehalem(cpu))
		return cpu->threads <= 1;
	switch (cpu->model) {
	case PFM_INTEL_MODEL(SANDYBRIDGE):
	case PFM_INTEL_MODEL(SANDYBRIDGE_X):
	case PFM_INTEL_MODEL(IVYBRIDGE):
	case PFM_INTEL_MODEL(IVYBRIDGE_X):
	case PFM_INTEL_MODEL(HASWELL):
	case PFM_INTEL_MODEL(HASWELL_X):
	case PFM_INTEL_MODEL(HASWELL_L):
	case PFM_INTEL_MODEL(HASWELL_G):
		return true;
	}
	return false;
}

/**
 * pfm_lbr_selects() - whether a value of LBR_SELECT leaves any branch
 * @value: its valid bits
 *
 * Context: any.
 * Return: whether it does.
 */
bool pfm_lbr_selects(u64 value)
{
	return (~value & LBR_LEVELS) && (~value & LBR_KINDS);
}

/**
 * pfm_lbr_kernel() - whether a value of LBR_SELECT can record a kernel address
 * @value: its valid bits
 *
 * The level is that of the branch's end. The kernel is where a return to a program
 * begins, which is a far branch.
 *
 * Context: any.
 * Return: whether it can.
 */
bool pfm_lbr_kernel(u64 value)
{
	return pfm_lbr_selects(value) &&
	       (value & (LBR_NOT_KERNEL | LBR_NOT_FAR)) !=
	       (LBR_NOT_KERNEL | LBR_NOT_FAR);
}

static void lbr_clear(void)
{
	unsigned int i;

	for (i = 0; i < PFM_LBR_PAIRS; i++) {
		pfm_x86_write(MSR_LBR_NHM_FROM + i, 0);
		pfm_x86_write(MSR_LBR_NHM_TO + i, 0);
	}
}

/**
 * pfm_lbr_start() - record branches
 * @select: what LBR_SELECT has; it selects
 *
 * If LBR is on, it was not us: a hypervisor's entry of a guest, or code that was
 * interrupted while it changed another bit, has put back an old value of DEBUGCTL.
 * Then the ring has branches of others.
 *
 * Context: interrupts off; or NMI.
 */
void pfm_lbr_start(u64 select)
{
	u64 ctl = pfm_x86_read(MSR_IA32_DEBUGCTLMSR);

	if (unlikely(ctl & DEBUGCTLMSR_LBR)) {
		pfm_x86_write(MSR_IA32_DEBUGCTLMSR, ctl & ~LBR_DEBUGCTL);
		lbr_clear();
	}
	__this_cpu_write(pfm_lbr_user, !pfm_lbr_kernel(select));
	__this_cpu_write(pfm_lbr_used, true);
	pfm_x86_write(MSR_IA32_DEBUGCTLMSR, ctl | LBR_DEBUGCTL);
}

/**
 * pfm_lbr_stop() - record no more
 *
 * Context: interrupts off; or NMI.
 */
void pfm_lbr_stop(void)
{
	u64 ctl = pfm_x86_read(MSR_IA32_DEBUGCTLMSR);

	pfm_x86_write(MSR_IA32_DEBUGCTLMSR, ctl & ~LBR_DEBUGCTL);
}

/**
 * pfm_lbr_reset() - as the processor begins: nothing is recorded, or kept from it
 *
 * Until somebody records this touches nothing. If firmware has left LBR on,
 * pfm_lbr_start() is soon enough to find that.
 *
 * Context: interrupts off; or NMI.
 */
void pfm_lbr_reset(void)
{
	if (!__this_cpu_read(pfm_lbr_used))
		return;
	__this_cpu_write(pfm_lbr_used, false);
	pfm_lbr_stop();
	pfm_x86_write(MSR_LBR_SELECT, 0);
}

/**
 * pfm_lbr_read() - one of the registers
 * @msr: which
 *
 * Should a processor, whatever its manual says, record more than was selected, no
 * address of the kernel is seen by those who may not see it.
 *
 * Context: interrupts off; or NMI. Nothing has been recorded since pfm_lbr_stop().
 * Return: its value.
 */
u64 pfm_lbr_read(u32 msr)
{
	u64 value = pfm_x86_read(msr);

	if (__this_cpu_read(pfm_lbr_user) && (value & LBR_ADDRESS) >= TASK_SIZE_MAX)
		return 0;
	return value;
}
