// SPDX-License-Identifier: GPL-2.0-only
/*
 * perfmon2 on IA-64: how the core meets the machine.
 *
 * Finds out which PMU this machine has, and registers its description. Gives access to
 * the registers, and brings two interrupts of the CPU to the core: the overflow of a
 * counter, at the vector that cr.pmv names, and one that the CPU sends itself so that an
 * irq_work does not wait for the tick.
 */
#include <linux/bitops.h>
#include <linux/init.h>
#include <linux/interrupt.h>
#include <linux/irq.h>
#include <linux/irq_work.h>
#include <linux/printk.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include <asm/hw_irq.h>
#include <asm/intrinsics.h>
#include <asm/irq_regs.h>
#include <asm/pal.h>
#include <asm/processor.h>
#include <asm/ptrace.h>

#include <perfmon/glue.h>

#include "../kernel/irq.h"
#include "hooks.h"
#include "host.h"
#include "ia64.h"

/* Linux uses no vector from 0xe9 to 0xee. The higher of two that are pending comes first. */
#define GLUE_OVERFLOW_VECTOR	0xee
#define GLUE_WORK_VECTOR	0xed

static u64 glue_read(enum pfm_ia64_space space, unsigned int n)
{
	switch (space) {
	case PFM_IA64_PMCS:
		return ia64_get_pmc(n);
	case PFM_IA64_PMDS:
		return ia64_get_pmd(n);
	case PFM_IA64_IBRS:
		return ia64_get_ibr(n);
	case PFM_IA64_DBRS:
		return ia64_get_dbr(n);
	}
	return 0;
}

static void glue_write(enum pfm_ia64_space space, unsigned int n, u64 value)
{
	switch (space) {
	case PFM_IA64_PMCS:
		ia64_set_pmc(n, value);
		break;
	case PFM_IA64_PMDS:
		ia64_set_pmd(n, value);
		break;
	case PFM_IA64_IBRS:
		ia64_set_ibr(n, value);
		break;
	case PFM_IA64_DBRS:
		ia64_set_dbr(n, value);
		break;
	}
}

/* Of what a move from psr shows, a move to psr.l takes these. */
static u64 glue_psr(void)
{
	return ia64_getreg(_IA64_REG_PSR) & GENMASK_ULL(31, 0);
}

static void glue_set_psr(u64 psr)
{
	ia64_setreg(_IA64_REG_PSR_L, psr);
}

static u64 glue_dcr(void)
{
	return ia64_getreg(_IA64_REG_CR_DCR);
}

static void glue_set_dcr(u64 dcr)
{
	ia64_setreg(_IA64_REG_CR_DCR, dcr);
}

static void glue_serialize(bool instruction)
{
	if (instruction)
		ia64_srlz_i();
	else
		ia64_srlz_d();
}

static void glue_route(void)
{
	ia64_setreg(_IA64_REG_CR_PMV, GLUE_OVERFLOW_VECTOR);
	ia64_srlz_d();
}

static u64 *glue_user_psr(struct task_struct *task)
{
	return (u64 *)&task_pt_regs(task)->cr_ipsr;
}

/* The scheduler changes dfh and mfh by plain stores: it must not find them undone. */
static void glue_put(u64 *psr, u64 bit, bool on)
{
	if (on)
		set_bit(__ffs64(bit), (unsigned long *)psr);
	else
		clear_bit(__ffs64(bit), (unsigned long *)psr);
}

static u64 *glue_interrupted_psr(void)
{
	struct pt_regs *regs = get_irq_regs();

	return regs ? (u64 *)&regs->cr_ipsr : NULL;
}

static bool glue_is_call(const struct task_struct *task)
{
	return task->thread.perfmon_call;
}

static void glue_set_call(struct task_struct *task, bool call)
{
	task->thread.perfmon_call = call;
}

static struct task_struct *glue_current_task(void)
{
	return current;
}

static const struct pfm_ia64_file glue_file = {
	.read = glue_read,
	.write = glue_write,
	.psr = glue_psr,
	.set_psr = glue_set_psr,
	.dcr = glue_dcr,
	.set_dcr = glue_set_dcr,
	.serialize = glue_serialize,
	.route = glue_route,
	.user_psr = glue_user_psr,
	.put = glue_put,
	.interrupted_psr = glue_interrupted_psr,
	.is_call = glue_is_call,
	.set_call = glue_set_call,
	.current_task = glue_current_task,
};

const struct pfm_ia64_file *pfm_ia64_file = &glue_file;

/*
 * An interrupt can come so late that another thread runs: the core then finds no overflow
 * (SDM volume 2, 7.2.1).
 */
static irqreturn_t glue_overflow(int irq, void *unused)
{
	pfm_interrupt_handle(get_irq_regs());
	return IRQ_HANDLED;
}

static bool glue_has_work_vector __read_mostly;	/* [c] */

static irqreturn_t glue_work(int irq, void *unused)
{
	irq_work_run();
	return IRQ_HANDLED;
}

/**
 * arch_irq_work_raise() - have this CPU run its irq_work at once
 *
 * In place of the kernel's, which leaves it to the next tick.
 *
 * Context: preemption off.
 */
void arch_irq_work_raise(void)
{
	if (glue_has_work_vector)
		ia64_send_ipi(smp_processor_id(), GLUE_WORK_VECTOR, IA64_IPI_DM_INT, 0);
}

/* Four words each for PMCs, PMDs, those that can count cycles, and instructions. */
#define GLUE_PAL_WORDS	16
#define GLUE_PAL_PMCS	0
#define GLUE_PAL_PMDS	4

static void __init glue_facts(struct pfm_ia64_cpu *cpu)
{
	u64 masks[GLUE_PAL_WORDS] = {};
	pal_perf_mon_info_u_t info;

	*cpu = (struct pfm_ia64_cpu){
		.family = local_cpu_data->family,
		.model = local_cpu_data->model,
	};
	if (ia64_pal_perf_mon_info(masks, &info) != PAL_STATUS_SUCCESS)
		return;
	cpu->known = true;
	cpu->counters = info.pal_perf_mon_info_s.generic;
	cpu->width = info.pal_perf_mon_info_s.width;
	cpu->pmcs = masks[GLUE_PAL_PMCS];
	cpu->pmds = masks[GLUE_PAL_PMDS];
}

static int __init glue_init(void)
{
	const struct pfm_pmu *pmu;
	struct pfm_ia64_cpu cpu;
	int ret;

	register_percpu_irq(GLUE_WORK_VECTOR, glue_work, IRQF_PERCPU, "irq_work");
	glue_has_work_vector = true;
	glue_facts(&cpu);
	pmu = pfm_ia64_describe(&cpu);
	if (!pmu) {
		pr_info("perfmon: no description of this PMU\n");
		return 0;
	}
	ret = pfm_pmu_register(pmu);
	if (ret) {
		pr_err("perfmon: %s refused (%d)\n", pmu->name, ret);
		kfree_const(pmu);
		return ret;
	}
	register_percpu_irq(GLUE_OVERFLOW_VECTOR, glue_overflow, IRQF_PERCPU, "perfmon");
	pr_info("perfmon: %s, %u bits\n", pmu->name, pmu->width);
	return 0;
}
PFM_HOST_ARCH_INIT(glue_init);
