// SPDX-License-Identifier: GPL-2.0-only
/*
 * perfmon2 on PowerPC: PMUs in which an overflow is an alert: 970, and POWER8 to 11.
 *
 * Where a counter becomes negative while MMCR0[PMAE] is 1, the processor clears PMAE and
 * sets PMAO; it interrupts while PMAO is 1. So PMAO tells, when the counters are stopped,
 * whether any of them is negative: if not, the next start need not look at them. In two
 * cases a counter becomes negative unseen. After acknowledge(), where counters go on with PMAE
 * off: then pfm_alert_cpu.negative is set already, and the next start looks. Between stop()'s
 * read of MMCR0 and its write: then the next start interrupts at once, and acknowledge() finds
 * PMAO, if the processor looks at the bit, as the ISA has it; or does not, if it looks for a
 * change of the bit, as POWER8 was seen to do (one source: Linux, power_pmu_read()).
 * Until that counter's bit 31 is cleared its next turn does not interrupt either. So who reads
 * a negative counter has the next start clear it: what has looked at an overflow has read it.
 *
 * A start writes what chooses events only if the counters that are to count are others than
 * before, or a control has a new value: pfm_alert_is_new().
 *
 * Power ISA 2.07 to 3.1, book III, chapter "Performance Monitor Facility"; IBM PowerPC
 * 970FX User's Manual, chapter 10; Linux, arch/powerpc/perf/core-book3s.c.
 */
#include <linux/kernel.h>
#include <linux/percpu.h>

#include "ppc.h"

#define ALERT_FC		BIT(31)		/* nothing counts */
#define ALERT_PMAE		BIT(26)		/* an alert can come; PMXE */
#define ALERT_PMC1CE		BIT(15)		/* counter 1 raises one */
#define ALERT_PMCJCE		BIT(14)		/* the others do */
#define ALERT_PMAO		BIT(7)		/* one has come: interrupt */

#define ALERT_NO_PMDS		(~0ULL)		/* what is programmed is out of date */

/* [p] */
struct pfm_alert_cpu {
	u64 pmds;		/* those whose events are programmed, or ALERT_NO_PMDS */
	bool negative;		/* a counter may have bit 31, so the next start looks */
};

static DEFINE_PER_CPU(struct pfm_alert_cpu, pfm_alert_cpu);

/**
 * pfm_alert_reset() - pfm_pmu.reset, as far as the PMUs are the same
 * @pmu: description
 *
 * On return nothing counts. The caller then writes what selects no event for any counter.
 * No address of the kernel's or of another program's is left in SIAR and SDAR, which programs
 * may be able to read once perf_events has the PMU.
 *
 * Context: interrupts off; or NMI.
 */
void pfm_alert_reset(const struct pfm_pmu *pmu)
{
	unsigned int i;

	pfm_ppc_enable();
	pfm_ppc_write(SPR64_MMCR0, ALERT_FC | pfm_alert_pmu(pmu)->mmcr0);
	for (i = 0; i < pmu->num_pmds; i++)
		pfm_ppc_write(pmu->pmds[i].index, 0);
	pfm_ppc_write(SPR64_SIAR, 0);
	pfm_ppc_write(SPR64_SDAR, 0);
	__this_cpu_write(pfm_alert_cpu.pmds, 0);
	__this_cpu_write(pfm_alert_cpu.negative, false);
}

/**
 * pfm_alert_program() - pfm_pmu.program: leave it to the start, which knows the counters
 * @pmu:     description
 * @changed: as of pfm_pmu.program; unused
 * @run:     as of pfm_pmu.program; unused
 *
 * Context: interrupts off; or NMI.
 */
void pfm_alert_program(const struct pfm_pmu *pmu, const unsigned long *changed,
		       const struct pfm_run *run)
{
	__this_cpu_write(pfm_alert_cpu.pmds, ALERT_NO_PMDS);
}

/**
 * pfm_alert_is_new() - whether the caller has to program the events of a run
 * @run: what is to run; noted as programmed, so that the next call with the same counters
 *       returns false
 *
 * Context: interrupts off; or NMI.
 * Return: true if other counters are to count than before, or pfm_alert_program() was
 * called since.
 */
bool pfm_alert_is_new(const struct pfm_run *run)
{
	if (likely(__this_cpu_read(pfm_alert_cpu.pmds) == run->pmds))
		return false;
	__this_cpu_write(pfm_alert_cpu.pmds, run->pmds);
	return true;
}

/**
 * pfm_alert_start() - let the counters count whose events are programmed
 * @pmu:   description
 * @mmcr0: event selects and levels in MMCR0 (970), 0 on POWER; pfm_alert_pmu.mmcr0 and the bits
 *         that enable alerts are added here
 *
 * Context: interrupts off; or NMI.
 */
void pfm_alert_start(const struct pfm_pmu *pmu, u32 mmcr0)
{
	if (unlikely(__this_cpu_read(pfm_alert_cpu.negative))) {
		__this_cpu_write(pfm_alert_cpu.negative, false);
		pfm_ppc_make_positive(pmu);
	}
	pfm_ppc_write(SPR64_MMCR0, mmcr0 | pfm_alert_pmu(pmu)->mmcr0 | ALERT_PMAE |
		      ALERT_PMC1CE | ALERT_PMCJCE);
}

/**
 * pfm_alert_stop() - pfm_pmu.stop
 * @pmu: description
 * @run: what was started
 *
 * An alert whose interrupt has not come does not interrupt any more.
 *
 * Context: interrupts off; or NMI.
 */
void pfm_alert_stop(const struct pfm_pmu *pmu, const struct pfm_run *run)
{
	const unsigned long before = pfm_ppc_read(SPR64_MMCR0);

	pfm_ppc_write(SPR64_MMCR0, ALERT_FC | pfm_alert_pmu(pmu)->mmcr0);
	if (unlikely(before & ALERT_PMAO))
		__this_cpu_write(pfm_alert_cpu.negative, true);
}

/**
 * pfm_alert_read() - pfm_pmu.read
 * @pmu: description
 * @i:   counter, by position
 *
 * Context: interrupts off; or NMI.
 * Return: the bits of it that are used.
 */
u64 pfm_alert_read(const struct pfm_pmu *pmu, unsigned int i)
{
	const u32 value = pfm_ppc_read(pmu->pmds[i].index);

	if (unlikely(value & PFM_PPC_NEGATIVE))
		__this_cpu_write(pfm_alert_cpu.negative, true);
	return value & ~PFM_PPC_NEGATIVE;
}

/**
 * pfm_alert_acknowledge() - pfm_pmu.acknowledge
 * @pmu: description
 * @run: what goes on running
 *
 * Where counters go on, no alert comes until the core starts them again.
 *
 * Context: interrupts off; or NMI.
 * Return: whether a counter is negative.
 */
bool pfm_alert_acknowledge(const struct pfm_pmu *pmu, const struct pfm_run *run)
{
	const unsigned long mmcr0 = pfm_ppc_read(SPR64_MMCR0);

	if (mmcr0 & ALERT_PMAO) {
		pfm_ppc_write(SPR64_MMCR0, mmcr0 & ~(ALERT_PMAE | ALERT_PMAO));
		__this_cpu_write(pfm_alert_cpu.negative, true);
	}
	return __this_cpu_read(pfm_alert_cpu.negative);
}
