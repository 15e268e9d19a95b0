// SPDX-License-Identifier: GPL-2.0-only
/*
 * perfmon2 on x86: whether the registers of a description are there.
 *
 * Many virtual machines name a processor and leave out its PMU, or parts of it: its
 * registers fault, or swallow what is written. This is asked once, at boot or when the
 * module is loaded, by accesses that may fault; later ones may not, RDPMC above all.
 *
 * When a module is loaded, perf_events may be at work. Between the accesses that belong
 * together interrupts are off on this CPU, so that no other thread's values come in between.
 */
#include <linux/init.h>
#include <linux/irqflags.h>
#include <linux/kernel.h>
#include <linux/printk.h>

#include <asm/asm.h>
#include <asm/cpufeature.h>
#include <asm/msr.h>
#include <asm/processor.h>

#include "compat.h"
#include "evtsel.h"

/* A pattern that every counter can hold, and what may be counted meanwhile. */
#define PROBE_PATTERN		0x5a5a5aULL
#define PROBE_SLACK		0x10000

/* An NMI in which perf_events sets a counter anew may come in between, once. */
#define PROBE_TRIES		3

/* Bits that all of Intel's event registers have. */
#define PROBE_EXTRA		0x11ULL

/* Accesses that may fault: then they return an error. */
static int __pfm_x86_init probe_read(u32 msr, u64 *value)
{
	if (!pfm_x86_diverted())
		return rdmsrq_safe(msr, value);
	*value = pfm_x86_file_read(msr);
	return pfm_x86_file_faulted() ? -EIO : 0;
}

static int __pfm_x86_init probe_write(u32 msr, u64 value)
{
	if (!pfm_x86_diverted())
		return wrmsrq_safe(msr, value);
	pfm_x86_file_write(msr, value);
	return pfm_x86_file_faulted() ? -EIO : 0;
}

/* Interrupts are off; the register is left as it is then. */
static bool __pfm_x86_init probe_takes(u32 msr, u64 pattern, u64 slack)
{
	u64 value = 0;

	return !probe_write(msr, pattern) && !probe_read(msr, &value) &&
	       value - pattern <= slack;
}

/* Stands still for an instant; @old comes back. */
static bool __pfm_x86_init probe_holds(u32 msr, u64 pattern, u64 slack)
{
	unsigned long flags;
	bool holds;
	u64 old;

	local_irq_save(flags);
	holds = !probe_read(msr, &old) && probe_takes(msr, pattern, slack) &&
		!probe_write(msr, old);
	local_irq_restore(flags);
	return holds;
}

/*
 * Of a register of the last branches 0 is left. What it said before may not be written
 * on a Haswell without TSX: bits 62 and 61 of a LASTBRANCH_FROM read as 0 and have to be
 * written as a sign, or the write faults (one source: Linux, lbr_from_signext_quirk_wr()).
 */
static bool __pfm_x86_init probe_holds_branch(u32 msr)
{
	unsigned long flags;
	bool holds;

	local_irq_save(flags);
	holds = probe_takes(msr, PROBE_PATTERN, 0) && !probe_write(msr, 0);
	local_irq_restore(flags);
	return holds;
}

/* The registers that start, stop and tell of all counters, where there are some. */
static bool __init probe_global(const struct pfm_x86_cpu *cpu)
{
	u32 status, ctrl, clear;
	u64 value;

	if ((cpu->leaf_a[0] & 0xff) >= 2) {
		status = MSR_CORE_PERF_GLOBAL_STATUS;
		ctrl = MSR_CORE_PERF_GLOBAL_CTRL;
		clear = MSR_CORE_PERF_GLOBAL_OVF_CTRL;
	} else if (cpu->amd_core && cpu->amd_v2) {
		status = MSR_AMD64_PERF_CNTR_GLOBAL_STATUS;
		ctrl = MSR_AMD64_PERF_CNTR_GLOBAL_CTL;
		clear = MSR_AMD64_PERF_CNTR_GLOBAL_STATUS_CLR;
	} else {
		return true;
	}
	return !rdmsrq_safe(status, &value) && probe_holds(ctrl, 1, 0) &&
	       probe_holds(ctrl, 0, 0) && !wrmsrq_safe(clear, 0);
}

static bool __init probe_is_enabled(const struct pfm_pmc_desc *c, u64 value)
{
	if (c->index == MSR_CORE_PERF_FIXED_CTR_CTRL)
		return value >> 4 * (c->num & 0xf) & 3;
	return (c->def & PFM_EVTSEL_DEF) && (value & PFM_X86_EN) &&
	       pfm_evtsel_selects(value);
}

/* All that is described can be read. @used: whether some counter is switched on. */
static bool __init probe_tables(const struct pfm_pmu *pmu, bool *used)
{
	unsigned int i;
	u64 value;

	*used = false;
	for (i = 0; i < pmu->num_pmcs; i++) {
		if (rdmsrq_safe(pmu->pmcs[i].index, &value))
			return false;
		*used |= probe_is_enabled(&pmu->pmcs[i], value);
	}
	for (i = 0; i < pmu->num_pmds; i++)
		if (rdmsrq_safe(pmu->pmds[i].index, &value))
			return false;
	return true;
}

/**
 * pfm_x86_is_real() - whether the registers of a description are there
 * @pmu: description
 * @cpu: what it was made of
 *
 * Context: process. If perf_events or the NMI watchdog uses the registers already,
 * they are there, and are left alone.
 * Return: whether they are.
 */
bool __init pfm_x86_is_real(const struct pfm_pmu *pmu, const struct pfm_x86_cpu *cpu)
{
	bool used, real;
	u64 value;

	/*
	 * WinChip and C3: their counters cannot be written, so that nothing can be tried.
	 * No hypervisor is known that offers such a processor without its counters.
	 */
	if (cpu->vendor == X86_VENDOR_CENTAUR && cpu->family < 7 &&
	    !(cpu->leaf_a[0] & 0xff))
		return !rdmsrq_safe(pmu->pmds[0].index, &value);
	if (pmu->acquire(pmu, PFM_HOLD_PMU))
		return probe_tables(pmu, &used);
	real = probe_tables(pmu, &used) && probe_global(cpu) &&
	       probe_holds(pmu->pmds[0].index, PROBE_PATTERN, PROBE_SLACK);
	pmu->release(pmu, PFM_HOLD_PMU);
	if (real && used)
		pr_warn("perfmon: counters are switched on at boot, by the firmware perhaps: contexts will take them\n");
	return real;
}

/* What RDPMC calls the counter at @msr. Fixed counters stand where P4 has its own. */
static bool __init probe_number(const struct pfm_pmu *pmu, u32 msr, u32 *n)
{
	if (pmu->pmds[0].index == MSR_P4_BPU_PERFCTR0)
		*n = msr - MSR_P4_BPU_PERFCTR0;
	else if (msr >= MSR_P6_PERFCTR0 && msr < MSR_P6_PERFCTR0 + 16)
		*n = msr - MSR_P6_PERFCTR0;
	else if (msr >= MSR_CORE_PERF_FIXED_CTR0 && msr < MSR_CORE_PERF_FIXED_CTR0 + 16)
		*n = BIT(30) | (msr - MSR_CORE_PERF_FIXED_CTR0);
	else if (msr >= MSR_K7_PERFCTR0 && msr < MSR_K7_PERFCTR0 + 4)
		*n = msr - MSR_K7_PERFCTR0;
	else if (msr >= MSR_F15H_PERF_CTR0 && msr < MSR_F15H_PERF_CTR0 + 12)
		*n = (msr - MSR_F15H_PERF_CTR0) / 2;
	else
		return false;
	return true;
}

/**
 * pfm_x86_try_rdpmc() - RDPMC that may fault
 * @n:     number of a counter
 * @value: what it says
 *
 * Context: any.
 * Return: 0, or -EIO if it faults; then @value is undefined.
 */
int pfm_x86_try_rdpmc(u32 n, u64 *value)
{
	DECLARE_ARGS(val, low, high);
	int err;

	asm volatile("1: rdpmc ; xor %[err],%[err]\n"
		     "2:\n\t"
		     _ASM_EXTABLE_TYPE_REG(1b, 2b, EX_TYPE_RDMSR_SAFE, %[err])
		     : [err] "=r" (err), EAX_EDX_RET(val, low, high)
		     : "c" (n));
	*value = EAX_EDX_VAL(val, low, high);
	return err;
}

/* Counter @n, which is the MSR @index, counted little or nothing from RDMSR to RDPMC. */
static bool __init probe_rdpmc(const struct pfm_pmu *pmu, u32 index, u32 n)
{
	unsigned int tries;
	unsigned long flags;
	u64 before, value;
	bool faults;

	for (tries = 0; tries < PROBE_TRIES; tries++) {
		local_irq_save(flags);
		faults = rdmsrq_safe(index, &before) || pfm_x86_try_rdpmc(n, &value);
		local_irq_restore(flags);
		if (faults)
			return false;
		if (((value - before) & GENMASK_ULL(pmu->width - 1, 0)) <= PROBE_SLACK)
			return true;
	}
	return false;
}

/**
 * pfm_x86_has_rdpmc() - whether RDPMC says what RDMSR says
 * @pmu: description, whose registers are there
 *
 * A counter may be counting for perf_events or the NMI watchdog meanwhile.
 *
 * Context: process.
 * Return: false if RDPMC faults, or says something else. P5 without MMX has none, and
 * does not use it.
 */
bool __init pfm_x86_has_rdpmc(const struct pfm_pmu *pmu)
{
	unsigned int i;
	u32 n;

	for (i = 0; i < pmu->num_pmds; i++)
		if (probe_number(pmu, pmu->pmds[i].index, &n) &&
		    !probe_rdpmc(pmu, pmu->pmds[i].index, n))
			return false;
	return true;
}

/**
 * pfm_x86_find_extra() - which of Intel's registers for events are there
 * @cpu: facts, but for this one
 *
 * Context: process.
 * Return: pfm_x86_cpu.extra.
 */
u8 __init pfm_x86_find_extra(const struct pfm_x86_cpu *cpu)
{
	unsigned int i;
	u8 mask = 0;

	for (i = 0; i < PFM_X86_EXTRA; i++)
		if (pfm_x86_extra_valid(cpu, i) &&
		    probe_holds(pfm_x86_extra_msr(i), PROBE_EXTRA, 0))
			mask |= BIT(i);
	return mask;
}

/* Of IA32_PERF_CAPABILITIES: how an entry is laid out. */
#define PROBE_LBR_FORMAT	GENMASK_ULL(5, 0)
#define PROBE_LBR_FLAGS		3ULL	/* Nehalem */
#define PROBE_LBR_FLAGS2	4ULL	/* Haswell */

/**
 * pfm_x86_find_lbr() - whether the registers of the last branches are there
 * @cpu: facts, but for this one
 *
 * Context: process.
 * Return: pfm_x86_cpu.lbr.
 */
bool __pfm_x86_init pfm_x86_find_lbr(const struct pfm_x86_cpu *cpu)
{
	unsigned int i;
	u64 value;

	if (!pfm_lbr_is_known(cpu) || probe_read(MSR_IA32_PERF_CAPABILITIES, &value))
		return false;
	value &= PROBE_LBR_FORMAT;
	if (value != PROBE_LBR_FLAGS && value != PROBE_LBR_FLAGS2)
		return false;
	for (i = 0; i < PFM_LBR_PMDS - 1; i++)
		if (!probe_holds_branch(pfm_lbr_pmds[i].index))
			return false;
	return !probe_read(MSR_LBR_TOS, &value) &&
	       probe_holds(MSR_LBR_SELECT, pfm_lbr_pmc.def, 0) &&
	       !probe_read(MSR_IA32_DEBUGCTLMSR, &value);
}
