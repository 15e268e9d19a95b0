// SPDX-License-Identifier: GPL-2.0-only
/*
 * perfmon2 on x86: how the core meets the machine.
 *
 * Finds out which family of PMU this machine has, if any, and registers its
 * description. Brings the overflow interrupt to the core, as an NMI, so that
 * code which runs with interrupts off can be sampled, too. Shares the registers
 * with perf_events and its NMI watchdog by the kernel's own reservation.
 */
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/printk.h>
#include <linux/slab.h>

#include <asm/cpufeature.h>
#include <asm/nmi.h>
#include <asm/processor.h>

#include <perfmon/glue.h>

#include "compat.h"
#include "host.h"
#include "x86.h"

#ifdef CONFIG_PERFMON_KUNIT_TEST
const struct pfm_x86_file *pfm_x86_file;
#endif

DEFINE_PER_CPU(struct pfm_x86_lvtpc, pfm_x86_lvtpc);

/**
 * pfm_x86_route() - let this CPU's next overflow interrupt come, as an NMI
 *
 * The local APIC masks the entry when it delivers (SDM volume 3, 11.5.1).
 * Where it does not, a write of the same value does no harm.
 *
 * Context: interrupts off; or NMI.
 */
void pfm_x86_route(void)
{
	__this_cpu_write(pfm_x86_lvtpc.masked, false);
	__this_cpu_write(pfm_x86_lvtpc.overflowed, 0);
	if (pfm_x86_diverted())
		pfm_x86_file_route();
	else
		apic_write(APIC_LVTPC, APIC_DM_NMI);
}

/**
 * pfm_x86_acknowledge() - pfm_pmu.acknowledge of PMUs without a status register
 *
 * @pmu: description
 * @run: what goes on running
 *
 * Context: interrupts off; or NMI.
 * Return: false.
 */
bool pfm_x86_acknowledge(const struct pfm_pmu *pmu, const struct pfm_run *run)
{
	pfm_x86_route();
	return false;
}

static void pfm_x86_release_some(u32 ctr, u32 ctr_step, u32 sel, u32 sel_step,
				 unsigned int ctrs, unsigned int sels)
{
	while (ctrs--)
		release_perfctr_nmi(ctr + ctrs * ctr_step);
	while (sels--)
		release_evntsel_nmi(sel + sels * sel_step);
}

/**
 * pfm_x86_acquire() - reserve counters and their controls on all CPUs
 * @ctr:      MSR of the first counter
 * @ctr_step: from there to the next one
 * @sel:      MSR of the first control
 * @sel_step: likewise
 * @n:        how many there are of both
 *
 * Context: process.
 * Return: 0, or -EBUSY if perf_events has any of them.
 */
int pfm_x86_acquire(u32 ctr, u32 ctr_step, u32 sel, u32 sel_step, unsigned int n)
{
	unsigned int ctrs, sels = 0;

	if (pfm_x86_diverted())
		return 0;
	for (ctrs = 0; ctrs < n; ctrs++)
		if (!reserve_perfctr_nmi(ctr + ctrs * ctr_step))
			goto busy;
	for (sels = 0; sels < n; sels++)
		if (!reserve_evntsel_nmi(sel + sels * sel_step))
			goto busy;
	return 0;

busy:
	pfm_x86_release_some(ctr, ctr_step, sel, sel_step, ctrs, sels);
	pr_info_ratelimited("perfmon: the PMU is in use by perf_events or its NMI watchdog (kernel.nmi_watchdog)\n");
	return -EBUSY;
}

/**
 * pfm_x86_release() - undo pfm_x86_acquire()
 * @ctr:      as there
 * @ctr_step: as there
 * @sel:      as there
 * @sel_step: as there
 * @n:        as there
 *
 * Context: process.
 */
void pfm_x86_release(u32 ctr, u32 ctr_step, u32 sel, u32 sel_step, unsigned int n)
{
	if (!pfm_x86_diverted())
		pfm_x86_release_some(ctr, ctr_step, sel, sel_step, n, n);
}

/**
 * pfm_x86_nmi() - any NMI of this CPU
 * @type: NMI_LOCAL
 * @regs: of the interrupted code
 *
 * Context: NMI.
 * Return: NMI_HANDLED if it was ours, or NMI_DONE.
 */
int pfm_x86_nmi(unsigned int type, struct pt_regs *regs)
{
	const bool ours = pfm_interrupt_handle(regs);
	const u64 overflowed = __this_cpu_read(pfm_x86_lvtpc.overflowed);

	if (overflowed && !__this_cpu_read(pfm_x86_lvtpc.goes_on)) {
		/* Nothing has started: the context is masked, say. Others use LVTPC, too. */
		pfm_intel_rewrite(__this_cpu_read(pfm_x86_lvtpc.pmu), overflowed);
		pfm_x86_route();
	} else if (ours && !pfm_hw_is_here()) {
		/* perfmon no longer owns the PMU: unmask LVTPC for the code that does. */
		pfm_x86_route();
	}
	return ours ? NMI_HANDLED : NMI_DONE;
}

static int pfm_x86_suspend(PFM_SYSCORE_ARGS)
{
	pfm_sleep_suspend();
	return 0;
}

static void pfm_x86_resume(PFM_SYSCORE_ARGS)
{
	pfm_sleep_resume();
}

static struct syscore_ops pfm_x86_syscore_ops = {
	.suspend = pfm_x86_suspend,
	.resume = pfm_x86_resume,
};

static struct syscore pfm_x86_syscore = { .ops = &pfm_x86_syscore_ops };	/* [c] */

/* No 64-bit kernel runs on the last three. */
static const struct pfm_pmu *__init pfm_x86_describe(const struct pfm_x86_cpu *cpu)
{
	const struct pfm_pmu *pmu;

	pmu = pfm_intel_describe(cpu) ?: pfm_amd_describe(cpu) ?:
	      pfm_p4_describe(cpu);
	if (!pmu && IS_ENABLED(CONFIG_X86_32))
		pmu = pfm_p6_describe(cpu) ?: pfm_p5_describe(cpu) ?:
		      pfm_centaur_describe(cpu);
	return pmu;
}

/*
 * A description whose registers can be accessed without a fault. The kernel runs at
 * user level under Xen PV, and goes round the hypervisor's functions here: not there.
 */
static const struct pfm_pmu *__init pfm_x86_find(struct pfm_x86_cpu *cpu)
{
	const struct pfm_pmu *pmu;

	pfm_x86_facts(cpu);
	if (boot_cpu_has(X86_FEATURE_XENPV))
		return NULL;
	cpu->extra = pfm_x86_find_extra(cpu);
	cpu->lbr = pfm_x86_find_lbr(cpu);
	pmu = pfm_x86_describe(cpu);
	if (pmu && pfm_x86_is_real(pmu, cpu)) {
		if (pfm_x86_has_rdpmc(pmu))
			return pmu;
		pr_info("perfmon: RDPMC does not work here\n");
		cpu->no_rdpmc = true;
		kfree_const(pmu);
		return pfm_x86_describe(cpu);
	}
	kfree_const(pmu);
	return NULL;
}

static const struct pfm_pmu *pfm_x86_registered;	/* [c] or NULL */

static int __init pfm_x86_init(void)
{
	const struct pfm_pmu *pmu;
	struct pfm_x86_cpu cpu;
	int ret;

	/* Registers are tried by writing them, and read again on the same CPU. */
	migrate_disable();
	pmu = pfm_x86_find(&cpu);
	migrate_enable();
	if (!pmu)
		return 0;
	if (!(pmu->flags & PFM_PMU_NO_INTERRUPT) &&
	    !boot_cpu_has(X86_FEATURE_APIC)) {
		pr_info("perfmon: %s without a local APIC is not supported\n",
			pmu->name);
		kfree_const(pmu);
		return 0;
	}
	ret = pfm_pmu_register(pmu);
	if (ret)
		goto fail;
	if (!(pmu->flags & PFM_PMU_NO_INTERRUPT))
		ret = register_nmi_handler(NMI_LOCAL, pfm_x86_nmi, 0, "perfmon");
	if (!ret)
		ret = pfm_x86_watch(&cpu);
	if (ret)
		goto unregister;
	register_syscore(&pfm_x86_syscore);
	pfm_x86_registered = pmu;
	pr_info("perfmon: %s, %u bits\n", pmu->name, pmu->width);
	return 0;

unregister:
	unregister_nmi_handler(NMI_LOCAL, "perfmon");
	pfm_pmu_unregister(pmu);
fail:
	pr_err("perfmon: %s refused (%d)\n", pmu->name, ret);
	kfree_const(pmu);
	return ret;
}
/* After the core, before its files in sysfs. */
PFM_HOST_ARCH_INIT(pfm_x86_init);

/**
 * pfm_arch_exit() - take the description back
 *
 * Context: process; no context exists any more.
 */
void __pfm_exit pfm_arch_exit(void)
{
	const struct pfm_pmu *pmu = pfm_x86_registered;

	if (!pmu)
		return;
	unregister_syscore(&pfm_x86_syscore);
	pfm_x86_unwatch();
	unregister_nmi_handler(NMI_LOCAL, "perfmon");
	pfm_pmu_unregister(pmu);
	kfree_const(pmu);
}
