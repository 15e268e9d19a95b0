// SPDX-License-Identifier: GPL-2.0-only
/*
 * perfmon2 on IA-64: what the machine is told, the same for all models.
 *
 * A monitor counts if PMC0.fr is 0, its plm has the level, and psr.up is 1, of a user
 * monitor, or psr.pp, of a privileged one. fr is the switch: a stop sets it, a start clears
 * it, and at rest it is 1. psr.up, psr.pp and psr.sp are the thread's, and dcr.pp the
 * CPU's:
 *
 *  - in a context of a thread, psr.up is that of the thread's user level, where PFM_START,
 *    PFM_STOP and the thread itself by sum and rum change it (5.2, 5.3);
 *  - with privileged monitors psr.pp of threads, and dcr.pp, which psr.pp becomes at an
 *    interruption, are as the set's flags say (5.5). An idle thread that the set leaves out
 *    has psr.pp = 0.
 *
 * A return from an interruption restores psr from memory. So a change has to be made there,
 * too: at the thread's user level, and in what the interrupt under way has interrupted.
 * Frames between the two keep what they have until the thread returns to its user level.
 *
 * Not reordered against each other (SDM volume 2, 7.2.1): a write of the PMU's registers or
 * of psr and a read of a PMD, by srlz.d; a change of fr, by srlz.i.
 */
#include <linux/bitops.h>
#include <linux/kernel.h>
#include <linux/percpu.h>
#include <linux/sched.h>

#include "compat.h"
#include "ia64.h"

#define IA64_FR		BIT_ULL(0)	/* in PMC0: frozen */
#define IA64_STATUS	4		/* PMC0 to 3 */
#define IA64_OVERFLOWS	(~GENMASK_ULL(IA64_STATUS - 1, 0))

/* What the registers of a CPU hold, by position of controls and of PMDs. [p] */
struct state_cpu {
	u64 on;		/* controls that monitor */
	u64 pmds;	/* that the last start was for */
	bool changed;	/* controls have been written since */
};

static DEFINE_PER_CPU(struct state_cpu, state_cpu);

static u64 state_read(enum pfm_ia64_space space, unsigned int n)
{
	return pfm_ia64_file->read(space, n);
}

static void state_write(enum pfm_ia64_space space, unsigned int n, u64 value)
{
	pfm_ia64_file->write(space, n, value);
}

static void state_put(u64 *word, u64 bit, bool on)
{
	*word = on ? *word | bit : *word & ~bit;
}

/*
 * psr of a thread's user level. The thread may be on its way to or from another CPU, which
 * changes other bits of it meanwhile (dfh, mfh).
 */
static void state_put_user(struct task_struct *task, u64 bit, bool on)
{
	pfm_ia64_file->put(pfm_ia64_file->user_psr(task), bit, on);
}

static void state_set_psr(u64 bit, bool on)
{
	u64 psr = pfm_ia64_file->psr(), old = psr;

	state_put(&psr, bit, on);
	if (psr == old)
		return;
	pfm_ia64_file->set_psr(psr);
	pfm_ia64_file->serialize(false);
}

static void state_set_dcr(bool on)
{
	u64 dcr = pfm_ia64_file->dcr(), old = dcr;

	state_put(&dcr, PFM_IA64_DCR_PP, on);
	if (dcr == old)
		return;
	pfm_ia64_file->set_dcr(dcr);
	pfm_ia64_file->serialize(false);
}

/* Of a set with privileged monitors: whether interruptions count, and threads (5.5). */
static bool state_dcr_of(u32 set_flags)
{
	return !(set_flags & PFM_ITA_SETFL_EXCL_INTR);
}

/* The controls, by position, of the PMDs that are in use. */
static u64 state_controls(const struct pfm_pmu *pmu, const struct pfm_run *run)
{
	u64 controls = 0, rest;
	unsigned int i;

	for (rest = run->pmds; rest; rest &= rest - 1)
		for (i = 0; i < pmu->num_pmcs; i++)
			if (pmu->pmcs[i].num == pmu->pmds[__ffs64(rest)].ctrl)
				controls |= BIT_ULL(i);
	return controls;
}

/* Whether a set has events, and none of them happens at level 0: these flags do nothing then. */
static bool state_spares_kernel(const struct pfm_pmu *pmu, const struct pfm_run *run)
{
	u64 rest = state_controls(pmu, run);
	unsigned int i;

	if (!rest)
		return false;
	for (; rest; rest &= rest - 1) {
		i = __ffs64(rest);
		if (pmu->kernel(pmu, pmu->pmcs[i].num, run->v[i]))
			return false;
	}
	return true;
}

static bool state_pp_of(const struct pfm_pmu *pmu, const struct pfm_run *run,
			const struct task_struct *task)
{
	if (run->set_flags & PFM_ITA_SETFL_INTR_ONLY && !state_spares_kernel(pmu, run))
		return false;
	return !(run->set_flags & PFM_SETFL_EXCL_IDLE) || !is_idle_task(task);
}

/* Whether a thread never is at user level: no interruption has brought it into the kernel. */
static bool state_stays(const struct task_struct *task)
{
	return task->flags & (PF_KTHREAD | PF_USER_WORKER);
}

/*
 * Whether @task, which is in the kernel with psr @psr, counts there as at its user level, by
 * psr.pp of that level: threads that stay in the kernel do, and a system call by epc, which
 * is no interruption. All else has dcr.pp. Where psr.pp equals dcr.pp a call by epc cannot be told
 * from one by break, and is taken for one by break.
 */
static bool state_is_call(const struct task_struct *task, u64 psr)
{
	return state_stays(task) ||
	       !(psr & PFM_IA64_PSR_PP) != !(pfm_ia64_file->dcr() & PFM_IA64_DCR_PP);
}

/*
 * psr.pp of current everywhere, and dcr.pp of this CPU; @call is of current's part in the
 * kernel. An interrupt that comes in a light-weight system call (fsys) finds level 0, and
 * what it has interrupted is the thread's user level all the same.
 */
static void state_set_pp(bool dcr, bool pp, bool call)
{
	struct task_struct *task = pfm_ia64_file->current_task();
	u64 *frame = pfm_ia64_file->interrupted_psr();

	state_set_dcr(dcr);
	if (frame)
		state_put(frame, PFM_IA64_PSR_PP, call ? pp : dcr);
	/* It may be what has been interrupted. */
	state_put_user(task, PFM_IA64_PSR_PP, pp);
	state_set_psr(PFM_IA64_PSR_PP, !frame && call ? pp : dcr);
}

static bool state_is_privileged(const struct pfm_run *run)
{
	return run->ctx_flags & (PFM_FL_SYSTEM_WIDE | PFM_ITA_FL_PRIV_MONITORS);
}

/* The set may be another one than before, or this thread another. */
static void state_follow_flags(const struct pfm_pmu *pmu, const struct pfm_run *run)
{
	struct task_struct *task = pfm_ia64_file->current_task();
	const u64 *frame = pfm_ia64_file->interrupted_psr();
	const bool dcr = state_dcr_of(run->set_flags);
	const bool pp = state_pp_of(pmu, run, task);

	if (dcr != !!(pfm_ia64_file->dcr() & PFM_IA64_DCR_PP) ||
	    pp != !!(*pfm_ia64_file->user_psr(task) & PFM_IA64_PSR_PP))
		state_set_pp(dcr, pp, state_is_call(task, frame ? *frame : pfm_ia64_file->psr()));
}

/* Of the part in the kernel of a thread that leaves this CPU, and of one that comes. */
static void state_keep_call(struct task_struct *task)
{
	pfm_ia64_file->set_call(task, state_is_call(task, pfm_ia64_file->psr()));
}

static void state_take_pp(struct task_struct *task, bool pp)
{
	const bool call = pfm_ia64_file->is_call(task) || state_stays(task);

	pfm_ia64_file->set_call(task, false);
	state_set_psr(PFM_IA64_PSR_PP, call ? pp : pfm_ia64_file->dcr() & PFM_IA64_DCR_PP);
}

/* psr.up of current's part in the kernel, and of what an interrupt has interrupted. */
static void state_take_up(bool on)
{
	u64 *frame = pfm_ia64_file->interrupted_psr();

	if (frame)
		state_put(frame, PFM_IA64_PSR_UP, on);
	state_set_psr(PFM_IA64_PSR_UP, on);
}

static enum pfm_ia64_space state_space(const struct pfm_pmc_desc *d)
{
	switch (d->type) {
	case PFM_REG_TYPE_IBR:
		return PFM_IA64_IBRS;
	case PFM_REG_TYPE_DBR:
		return PFM_IA64_DBRS;
	}
	return PFM_IA64_PMCS;
}

/**
 * pfm_ia64_reset() - pfm_pmu.reset
 * @pmu: description
 * @v:   defaults of all controls
 *
 * Debug registers may be a debugger's. They are written when they are claimed. A control
 * that is not offered, as firmware or an earlier kernel has left it, is set to 0.
 *
 * Context: interrupts off.
 */
void pfm_ia64_reset(const struct pfm_pmu *pmu, const u64 *v)
{
	struct state_cpu *s = this_cpu_ptr(&state_cpu);
	unsigned int i;
	u64 rest;

	state_write(PFM_IA64_PMCS, 0, IA64_FR);
	pfm_ia64_file->serialize(true);
	for (i = 1; i < IA64_STATUS; i++)
		state_write(PFM_IA64_PMCS, i, 0);
	for (i = 0; i < pmu->num_pmcs; i++)
		if (!(pmu->pmcs[i].flags & PFM_PMC_CLAIMED))
			state_write(PFM_IA64_PMCS, pmu->pmcs[i].index, v[i]);
	for (rest = pfm_ia64_model(pmu)->zero; rest; rest &= rest - 1)
		state_write(PFM_IA64_PMCS, __ffs64(rest), 0);
	pfm_ia64_file->serialize(false);
	state_set_pp(false, false, false);
	state_set_psr(PFM_IA64_PSR_UP, false);
	pfm_ia64_file->route();
	*s = (struct state_cpu){ .changed = true };
}

/**
 * pfm_ia64_program() - pfm_pmu.program
 * @pmu:     description
 * @changed: positions of controls
 * @run:     their values
 *
 * An erratum of Itanium (132) wants a serialisation between debug registers of the two
 * kinds: it comes after each of them.
 *
 * Context: interrupts off, frozen.
 */
void pfm_ia64_program(const struct pfm_pmu *pmu, const unsigned long *changed,
		      const struct pfm_run *run)
{
	struct state_cpu *s = this_cpu_ptr(&state_cpu);
	unsigned int i;

	for_each_set_bit(i, changed, pmu->num_pmcs) {
		const struct pfm_pmc_desc *d = &pmu->pmcs[i];

		state_write(state_space(d), d->index, run->v[i]);
		if (d->type != PFM_REG_TYPE_PMC)
			pfm_ia64_file->serialize(false);
		state_put(&s->on, BIT_ULL(i), pmu->selects(pmu, d->num, run->v[i]));
	}
	pfm_ia64_file->serialize(false);
	s->changed = true;
}

/* Have those controls monitor whose PMDs are in use, and no others. */
static void state_choose(const struct pfm_pmu *pmu, const struct pfm_run *run,
			struct state_cpu *s)
{
	const u64 wanted = state_controls(pmu, run);
	unsigned int i;
	u64 rest;

	for (rest = wanted ^ s->on; rest; rest &= rest - 1) {
		i = __ffs64(rest);
		state_write(PFM_IA64_PMCS, pmu->pmcs[i].index,
			   wanted & BIT_ULL(i) ? run->v[i] : run->v[i] & ~PFM_IA64_PLM);
	}
	s->on = wanted;
	s->pmds = run->pmds;
	s->changed = false;
}

/**
 * pfm_ia64_start() - pfm_pmu.start
 * @pmu: description
 * @run: what is to count
 *
 * Context: interrupts off, frozen.
 */
void pfm_ia64_start(const struct pfm_pmu *pmu, const struct pfm_run *run)
{
	struct state_cpu *s = this_cpu_ptr(&state_cpu);

	if (unlikely(s->changed || s->pmds != run->pmds))
		state_choose(pmu, run, s);
	if (!state_is_privileged(run)) {
		/* The CPU's psr.up is still the last thread's. */
		state_take_up(*pfm_ia64_file->user_psr(run->task) & PFM_IA64_PSR_UP);
	} else {
		state_follow_flags(pmu, run);
		if (run->task && !pfm_ia64_file->interrupted_psr())
			state_take_pp(run->task, state_pp_of(pmu, run, run->task));
	}
	/* With psr.up or psr.pp, this has to clear the overflow bits, too (SDM 2:161). */
	state_write(PFM_IA64_PMCS, 0, 0);
	pfm_ia64_file->serialize(true);
}

/**
 * pfm_ia64_stop() - pfm_pmu.stop
 * @pmu: description
 * @run: what counts
 *
 * The overflow bits stay, for pfm_ia64_acknowledge().
 *
 * Context: interrupts off.
 */
void pfm_ia64_stop(const struct pfm_pmu *pmu, const struct pfm_run *run)
{
	state_write(PFM_IA64_PMCS, 0, state_read(PFM_IA64_PMCS, 0) | IA64_FR);
	pfm_ia64_file->serialize(true);
	if (run->task && state_is_privileged(run) && !pfm_ia64_file->interrupted_psr())
		state_keep_call(run->task);
}

/**
 * pfm_ia64_read() - pfm_pmu.read
 * @pmu: description
 * @i:   position of a PMD
 *
 * Above the width of a counter there are zeros, or copies of its highest bit.
 *
 * Context: interrupts off.
 * Return: the value.
 */
u64 pfm_ia64_read(const struct pfm_pmu *pmu, unsigned int i)
{
	const struct pfm_pmd_desc *d = &pmu->pmds[i];
	const u64 value = state_read(PFM_IA64_PMDS, d->index);

	return d->flags & PFM_PMD_COUNTER ? value & GENMASK_ULL(pmu->width - 1, 0) : value;
}

/**
 * pfm_ia64_write() - pfm_pmu.write
 * @pmu:   description
 * @i:     position of a PMD
 * @value: new value
 *
 * Context: interrupts off, frozen.
 */
void pfm_ia64_write(const struct pfm_pmu *pmu, unsigned int i, u64 value)
{
	state_write(PFM_IA64_PMDS, pmu->pmds[i].index, value);
	pfm_ia64_file->serialize(false);
}

/**
 * pfm_ia64_acknowledge() - pfm_pmu.acknowledge
 * @pmu: description
 * @run: what goes on running
 *
 * The hardware has frozen all monitors when it interrupted.
 *
 * Context: the interrupt.
 * Return: whether it was an overflow.
 */
bool pfm_ia64_acknowledge(const struct pfm_pmu *pmu, const struct pfm_run *run)
{
	const bool any = state_read(PFM_IA64_PMCS, 0) & IA64_OVERFLOWS;

	if (any) {
		state_write(PFM_IA64_PMCS, 0, run->pmds ? 0 : IA64_FR);
		pfm_ia64_file->serialize(true);
	}
	return any;
}

/* psr.up of the thread of a context. */
static void state_set_up(struct task_struct *task, bool on)
{
	state_put_user(task, PFM_IA64_PSR_UP, on);
	if (task == pfm_ia64_file->current_task())
		state_take_up(on);
}

/*
 * PFM_START, or PFM_STOP. Before a start psr.pp tells nothing: a system call that is under
 * way counts as an interruption.
 */
static void state_set_monitors(const struct pfm_pmu *pmu, const struct pfm_run *run, bool on)
{
	struct task_struct *task = run->task;
	bool dcr, pp;

	if (!state_is_privileged(run)) {
		state_set_up(task, on);
		return;
	}
	dcr = on && state_dcr_of(run->set_flags);
	pp = on && state_pp_of(pmu, run, task ?: pfm_ia64_file->current_task());
	if (task)
		pfm_ia64_file->set_call(task, false);
	if (task && task != pfm_ia64_file->current_task())
		state_put_user(task, PFM_IA64_PSR_PP, pp);
	else
		state_set_pp(dcr, pp, state_stays(pfm_ia64_file->current_task()));
}

/**
 * pfm_ia64_thread() - pfm_pmu_rules.thread: its psr
 * @pmu:  description
 * @run:  the thread, and its set
 * @what: what happens to it
 * @self: the thread has attached the context to itself
 *
 * psr.sp is 0 for a thread that has attached the context to itself (5.3), and with
 * PFM_ITA_FL_INSECURE (5.4.1).
 *
 * Context: interrupts off, frozen, where the thread runs if it does.
 */
void pfm_ia64_thread(const struct pfm_pmu *pmu, const struct pfm_run *run,
		     enum pfm_thread_event what, bool self)
{
	const bool open = self || (run->ctx_flags & PFM_ITA_FL_INSECURE);

	switch (what) {
	case PFM_THREAD_LOAD:
		if (!run->task) {
			state_set_pp(false, false, false);
			break;
		}
		pfm_ia64_file->set_call(run->task, false);
		state_put_user(run->task, PFM_IA64_PSR_SP, !open);
		break;
	case PFM_THREAD_UNLOAD:
		if (!run->task)
			break;
		pfm_ia64_file->set_call(run->task, false);
		state_put_user(run->task, PFM_IA64_PSR_SP, true);
		break;
	case PFM_THREAD_START:
		state_set_monitors(pmu, run, true);
		break;
	case PFM_THREAD_STOP:
		state_set_monitors(pmu, run, false);
		break;
	}
}

/**
 * pfm_ia64_switch_to() - pfm_pmu_rules.switch_to: psr.pp of a thread that comes to a monitored CPU
 * @pmu:  description
 * @run:  the CPU's set
 * @next: thread
 *
 * For its user level as the set says; for the kernel's part, which may have begun without
 * an interruption (epc), as it was when it was switched out.
 *
 * Context: interrupts off.
 */
void pfm_ia64_switch_to(const struct pfm_pmu *pmu, const struct pfm_run *run,
			struct task_struct *next)
{
	const bool pp = state_pp_of(pmu, run, next);

	state_keep_call(pfm_ia64_file->current_task());
	state_put_user(next, PFM_IA64_PSR_PP, pp);
	state_take_pp(next, pp);
}
