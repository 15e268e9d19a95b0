// SPDX-License-Identifier: GPL-2.0-only
/*
 * perfmon2 on PowerPC: how the core meets the machine.
 *
 * Finds out which PMU this processor has, if any, tries whether its counters count and
 * interrupt here, and registers its description. Shares the registers with perf_events by
 * the kernel's own reservation, reserve_pmc_hardware(), which takes the interrupt, too.
 *
 * Who can run at the same moment:
 *
 * - Each CPU has registers of its own. Code that touches them, the core's and the
 *   operations, runs on that CPU with interrupts off, and here that is MSR[EE] = 0.
 *   On 64 bits that is the kernel's own soft mask (paca->irq_soft_mask); EE stays on.
 * - 32 bits: the overflow interrupt (vector 0xf00) is masked by MSR[EE]. So it comes between
 *   such sections and never into one, and is no NMI: the core takes ctx->lock in it as in any
 *   interrupt, and on one CPU finds it free. An overflow that meets EE = 0 waits for its
 *   end; its counter goes on meanwhile, so that nothing is lost.
 * - 64 bits: the soft mask does not hold it back, and where that mask is set the kernel
 *   brings it to us as an NMI, into any section of ours: the core tries the locks, and
 *   leaves to an irq_work what it cannot do. Where the kernel has EE off, at the entry of
 *   interrupts and exceptions, the interrupt is due until EE is on; where it has masked these
 *   interrupts, too (IRQS_PMI_DISABLED), it is replayed later, with registers that say
 *   where. Both are late, and ordinary interrupts or NMIs by what was interrupted then.
 * - The decrementer (timers, the tick, irq_work) and the devices' interrupts are masked by
 *   EE, too, and on 64 bits by the soft mask. Their handlers run with EE off: neither
 *   interrupts ours, nor ours them. Softirqs run with it on, and can be interrupted and
 *   sampled like a program.
 * - Machine checks and system resets come in spite of EE. Their handlers do not call us.
 * - perf_events has the registers only while we have not reserved them. The files of
 *   CONFIG_PMU_SYSFS write what root tells them, without asking for a reservation.
 * - Another CPU, of kernels with SMP, reads perf_irq without a lock. It has been reset
 *   before the reservation is given back. An interrupt that it had latched before that
 *   comes to our handler, dummy_perf() or perf_events', and no counter is negative by then.
 *
 * Idle CPUs of 32 bits doze or nap (MSR[POW]) with EE on: counters stand still or go on
 * counting, as the processor likes, keep what they hold, and their interrupt ends the nap. MSR[PM],
 * which can freeze counters too, is 0 always: neither the kernel nor a signal's return sets
 * it. The bits of MMCR0 that look at it are reserved. Idle CPUs of 64 bits that sleep so
 * deeply that they lose registers (powernv, POWER9) spoil counts: the kernel saves the
 * controls only, of MMCR1 a half. A hypervisor saves all registers as long as it is told
 * that they are in use: from the first write of one to the end of the reservation.
 */
#include <linux/init.h>
#include <linux/irq_work.h>
#include <linux/irqflags.h>
#include <linux/kernel.h>
#include <linux/preempt.h>
#include <linux/printk.h>

#include <asm/pmc.h>
#include <asm/processor.h>
#include <asm/reg.h>

#include <perfmon/glue.h>

#include "compat.h"
#include "host.h"
#include "ppc.h"

#ifdef CONFIG_PERFMON_KUNIT_TEST
const struct pfm_ppc_file *pfm_ppc_file;
#endif

/* perfmon_ppc_pmi=1 on the kernel's command line: pfm_ppc_cpu.pmi. [c] */
static bool pfm_ppc_pmi;
PFM_HOST_PARAM(perfmon_ppc_pmi, pfm_ppc_pmi, bool);

static const struct pfm_pmu *pfm_ppc_registered;	/* [c] or NULL */

/* What handles the interrupt while the PMU is free; NULL if it never was when we looked. [c] */
static perf_irq_t pfm_ppc_free;

/*
 * An interrupt that is too late has not been acknowledged, and as long as a counter is
 * negative the next one follows. dummy_perf() ends that on some processors only.
 */
static void pfm_ppc_interrupt(struct pt_regs *regs)
{
	pfm_interrupt_handle(regs);
	if (!pfm_hw_is_here())
		pfm_ppc_registered->stop(pfm_ppc_registered, NULL);
	/*
	 * On PowerPC irq_work runs from the decrementer's interrupt, a moment later: a thread
	 * that has to block would run on until then. If the PMU's interrupt is an ordinary
	 * one, and no NMI, it can run the irq_work at once.
	 */
	if (!in_nmi())
		irq_work_run();
}

/**
 * pfm_ppc_acquire() - pfm_pmu.acquire of all families
 * @pmu:  description
 * @what: PFM_HOLD_PMU; no PowerPC has registers that are PFM_PMC_CLAIMED
 *
 * Context: process.
 * Return: 0, or -EBUSY if perf_events has the PMU.
 */
int pfm_ppc_acquire(const struct pfm_pmu *pmu, unsigned int what)
{
	int ret;

	if (pfm_ppc_diverted())
		return 0;
	/* reserve_pmc_hardware() logs each refusal: do not ask where it is sure to refuse. */
	if (pfm_ppc_free && READ_ONCE(perf_irq) != pfm_ppc_free)
		ret = -EBUSY;
	else
		ret = reserve_pmc_hardware(pfm_ppc_interrupt);
	if (ret)
		pr_info_ratelimited("perfmon: the PMU is in use by perf_events\n");
	return ret;
}

/* This CPU's hypervisor has been told to save the registers. [p] */
static DEFINE_PER_CPU(bool, pfm_ppc_in_use);

static bool pfm_ppc_is_in_use(int cpu, void *unused)
{
	return per_cpu(pfm_ppc_in_use, cpu);
}

/* A hypervisor need not save this CPU's registers any more. Interrupts are off. */
static void pfm_ppc_leave(void *unused)
{
	__this_cpu_write(pfm_ppc_in_use, false);
	ppc_set_pmu_inuse(0);
}

/**
 * pfm_ppc_release() - undo pfm_ppc_acquire()
 * @pmu:  as there
 * @what: as there
 *
 * Interrupts the CPUs on which pfm_ppc_enable() was called since, and no others. One that is
 * offline meanwhile is seen to by the first release after it has come back.
 *
 * Context: process.
 */
void pfm_ppc_release(const struct pfm_pmu *pmu, unsigned int what)
{
	if (pfm_ppc_diverted())
		return;
	on_each_cpu_cond(pfm_ppc_is_in_use, pfm_ppc_leave, NULL, true);
	release_pmc_hardware();
}

/**
 * pfm_ppc_enable() - have counters count on this CPU at all, before any register is written
 *
 * A G5 has a bit for that, a hypervisor a call: the kernel does it once for each CPU. And
 * hypervisors are told to save the registers, until pfm_ppc_release().
 *
 * Context: interrupts off.
 */
void pfm_ppc_enable(void)
{
	if (pfm_ppc_diverted())
		return;
	__this_cpu_write(pfm_ppc_in_use, IS_ENABLED(CONFIG_PPC64));
	ppc_enable_pmcs();
}

static int pfm_ppc_suspend(PFM_SYSCORE_ARGS)
{
	pfm_sleep_suspend();
	return 0;
}

static void pfm_ppc_resume(PFM_SYSCORE_ARGS)
{
	pfm_sleep_resume();
}

static struct syscore_ops pfm_ppc_syscore_ops = {
	.suspend = pfm_ppc_suspend,
	.resume = pfm_ppc_resume,
};

static struct syscore pfm_ppc_syscore = { .ops = &pfm_ppc_syscore_ops };	/* [c] */

/*
 * The first counter is started TRY_CYCLES before its wrap; TRY_TURNS turns of a loop wait for
 * the interrupt.
 */
#define TRY_CYCLES	64
#define TRY_TURNS	10000

static const struct pfm_pmu *pfm_ppc_tried __initdata;	/* [c] */
static bool pfm_ppc_came __initdata;	/* [s] set by the interrupt on the CPU that tries */

/* Families of processors, one of which is tried. */
static const struct pfm_ppc_family {
	const struct pfm_pmu *(*describe)(const struct pfm_ppc_cpu *cpu);
	u16 cycles;	/* the event of the first counter */
} pfm_ppc_families[] __initconst = {
#ifdef CONFIG_PPC64
	{ pfm_power_describe, 0x1e },
	{ pfm_ppc970_describe, 0xf },
#else
	{ pfm_classic_describe, 1 },
#endif
};

static void __init pfm_ppc_try_interrupt(struct pt_regs *regs)
{
	pfm_ppc_came = true;
	pfm_ppc_tried->stop(pfm_ppc_tried, NULL);
}

/*
 * Let the first counter count @cycles until it wraps. False if it does not: an emulator's
 * registers may store what is written and do nothing else. Controls that are 0 leave out no
 * level.
 */
static bool __init pfm_ppc_counts(const struct pfm_pmu *pmu, u16 cycles)
{
	const u64 first = GENMASK_ULL(pmu->width - 1, 0) - TRY_CYCLES;
	static u64 v[PFM_PMCS_MAX] __initdata;	/* [s] a kernel of 32 bits has small stacks */
	const struct pfm_run run = { .pmds = BIT(0), .v = v };
	unsigned int i, turns;
	u64 last;

	for (i = 0; i < pmu->num_pmcs; i++)
		if (pmu->pmcs[i].num == pmu->pmds[0].ctrl)
			v[i] = cycles;
	local_irq_disable();
	pmu->reset(pmu, v);
	pmu->write(pmu, 0, first);
	if (pmu->program)
		pmu->program(pmu, NULL, &run);
	pmu->start(pmu, &run);
	local_irq_enable();
	for (turns = 0; turns < TRY_TURNS && !READ_ONCE(pfm_ppc_came); turns++)
		cpu_relax();
	local_irq_disable();
	pmu->stop(pmu, &run);
	last = pmu->read(pmu, 0);
	pmu->reset(pmu, v);
	local_irq_enable();
	return last != first;
}

/*
 * The description of what is there: NULL if the counters do not count, or if they do not
 * interrupt and the family has no description without.
 */
static const struct pfm_pmu *__init pfm_ppc_try(const struct pfm_ppc_family *family,
						struct pfm_ppc_cpu *cpu)
{
	const struct pfm_pmu *pmu = family->describe(cpu);
	perf_irq_t before = READ_ONCE(perf_irq);
	bool counts;

	/* Where perf_events has the PMU already, it was found to count: no trial. */
	pfm_ppc_tried = pmu;
	if (reserve_pmc_hardware(pfm_ppc_try_interrupt))
		return pmu;
	migrate_disable();
	counts = pfm_ppc_counts(pmu, family->cycles);
	migrate_enable();
	pfm_ppc_release(pmu, PFM_HOLD_PMU);
	pfm_ppc_free = before;
	if (!counts) {
		pr_info("perfmon: the counters of %s do not count here\n", pmu->name);
		return NULL;
	}
	if (pmu->flags & PFM_PMU_NO_INTERRUPT || pfm_ppc_came)
		return pmu;
	pr_info("perfmon: the counters of %s do not interrupt here\n", pmu->name);
	cpu->silent = true;
	return family->describe(cpu);
}

static int __init pfm_ppc_init(void)
{
	struct pfm_ppc_cpu cpu = { .pvr = mfspr(SPRN_PVR), .pmi = pfm_ppc_pmi };
	const struct pfm_ppc_family *end = pfm_ppc_families + ARRAY_SIZE(pfm_ppc_families);
	const struct pfm_ppc_family *family = pfm_ppc_families;
	const struct pfm_pmu *pmu;
	int ret;

	while (family < end && !family->describe(&cpu))
		family++;
	if (family == end) {
		pr_info("perfmon: no counters are known of this processor (PVR %08x)\n", cpu.pvr);
		return 0;
	}
	pmu = pfm_ppc_try(family, &cpu);
	if (!pmu)
		return 0;
	pfm_ppc_registered = pmu;
	ret = pfm_pmu_register(pmu);
	if (ret) {
		pr_err("perfmon: %s refused (%d)\n", pmu->name, ret);
		return ret;
	}
	register_syscore(&pfm_ppc_syscore);
	pr_info("perfmon: %s, %u bits%s\n", pmu->name, pmu->width,
		pmu->flags & PFM_PMU_NO_INTERRUPT ? ", no interrupt" : "");
	return 0;
}
/* After the core, before its files in sysfs. */
PFM_HOST_ARCH_INIT(pfm_ppc_init);
