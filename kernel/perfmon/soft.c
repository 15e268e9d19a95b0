// SPDX-License-Identifier: GPL-2.0-only
/*
 * perfmon2: the software PMU and the virtual registers (3.2.2).
 *
 * The software PMU is in the kernel so that counting, sampling, sets and formats work on
 * the many machines that have no PMU, and so that what the kernel knows can
 * be recorded in a sample beside what the hardware knows.
 *
 * Nothing is counted a second time: the event's source is the kernel's own
 * counter of the monitored thread, and a PMD is the sum of its differences.
 * Hence the counts equal those in /proc exactly, and a switch of threads
 * costs a few loads. Only a system-wide context, for which the kernel has no
 * counters of this kind, makes the hooks count into struct pfm_cpu.
 *
 * Everything here runs with interrupts off and ctx->lock held, on the CPU
 * where the context is live; or for a thread that is on no CPU, anywhere.
 */
#include <linux/cpumask.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/timex.h>
#include <linux/vmstat.h>

#include "clock.h"
#include "host.h"
#include "pfm.h"
#include "soft.h"

#define PFM_SOFT_PMC(n) {						\
	.name = "SWC" #n, .num = PFM_SW_PMC0 + n,			\
	.type = PFM_REG_TYPE_VIRTUAL, .index = PFM_REG_IDX_NONE,	\
	.def = PFM_SW_NONE, .rsvd = ~0xffULL,				\
}

#define PFM_SOFT_PMD(n) {						\
	.name = "SW" #n, .num = PFM_SW_PMD0 + n,			\
	.type = PFM_REG_TYPE_VIRTUAL, .index = PFM_REG_IDX_NONE,	\
	.flags = PFM_PMD_COUNTER, .ctrl = PFM_SW_PMC0 + n,		\
}

#define PFM_SOFT_VIRTUAL(n, s) {					\
	.name = s, .num = n,						\
	.type = PFM_REG_TYPE_VIRTUAL, .index = PFM_REG_IDX_NONE,	\
	.flags = PFM_PMD_RDONLY, .ctrl = PFM_NO_PMC,			\
}

static const struct pfm_pmc_desc pfm_soft_pmcs[] = {
	PFM_SOFT_PMC(0), PFM_SOFT_PMC(1), PFM_SOFT_PMC(2), PFM_SOFT_PMC(3),
	PFM_SOFT_PMC(4), PFM_SOFT_PMC(5), PFM_SOFT_PMC(6), PFM_SOFT_PMC(7),
};

static const struct pfm_pmd_desc pfm_soft_pmds[] = {
	PFM_SOFT_PMD(0), PFM_SOFT_PMD(1), PFM_SOFT_PMD(2), PFM_SOFT_PMD(3),
	PFM_SOFT_PMD(4), PFM_SOFT_PMD(5), PFM_SOFT_PMD(6), PFM_SOFT_PMD(7),
	PFM_SOFT_VIRTUAL(PFM_VPMD_CLOCK, "CLOCK"),
	PFM_SOFT_VIRTUAL(PFM_VPMD_CYCLES, "CYCLES"),
	PFM_SOFT_VIRTUAL(PFM_VPMD_FREE_PAGES, "FREE_PAGES"),
	PFM_HOST_RUNNABLE(PFM_SOFT_VIRTUAL(PFM_VPMD_RUNNABLE, "RUNNABLE"))
	PFM_SOFT_VIRTUAL(PFM_VPMD_THREAD_TIME, "THREAD_TIME"),
};

static bool pfm_soft_accepts(const struct pfm_pmu *pmu, unsigned int num, u64 value)
{
	return value < PFM_SW_EVENTS;
}

static bool pfm_soft_selects(const struct pfm_pmu *pmu, unsigned int num, u64 value)
{
	return value != PFM_SW_NONE;
}

const struct pfm_pmu pfm_soft_pmu = {
	.name = "software",
	.pmcs = pfm_soft_pmcs,
	.pmds = pfm_soft_pmds,
	.num_pmcs = ARRAY_SIZE(pfm_soft_pmcs),
	.num_pmds = ARRAY_SIZE(pfm_soft_pmds),
	.width = 64,
	.accepts = pfm_soft_accepts,
	.selects = pfm_soft_selects,
};

/**
 * pfm_soft_note() - note what the hooks are to tell a context
 * @ctx: context
 * @req: value for one of its control registers, which may be refused
 *
 * The task clock makes it read a clock, and so does a sample with the thread's time in it.
 *
 * Context: process, ctx->mutex.
 * Return: 0, or -errno if page faults cannot come to the hook.
 */
int pfm_soft_note(struct pfm_context *ctx, const pfarg_pmc_t *req)
{
	const unsigned int num = PFM_VPMD_THREAD_TIME;
	int ret = 0;

	if (req->reg_smpl_pmds[num / 64] & BIT_ULL(num % 64))
		pfm_context_clock(ctx);
	if (req->reg_num < PFM_SW_PMC0)
		return 0;
	switch (req->reg_value & 0xff) {
	case PFM_SW_TASK_CLOCK:
		pfm_context_clock(ctx);
		break;
	case PFM_SW_CSWITCHES:
	case PFM_SW_MIGRATIONS:
		ctx->switches = true;
		break;
	case PFM_SW_MINOR_FAULTS:
	case PFM_SW_MAJOR_FAULTS:
		if (ctx->faults)
			break;
		ret = pfm_host_faults_get();
		ctx->faults = !ret;
		break;
	}
	return ret;
}

/*
 * The time that the context's thread has had, or for which its CPU was not idle.
 * All counters of all sets go by this one clock, which never goes back: if an
 * estimate was too high it stands still until the truth has caught up. So no time
 * counts twice, and none is lost, however often sets are switched. The time of a
 * thread that is on no CPU stands still anyway.
 */
static u64 pfm_soft_task_clock(struct pfm_context *ctx)
{
	u64 clock;

	if (pfm_is_system(ctx))
		clock = pfm_clock_busy();
	else if (ctx->cpu >= 0)
		clock = pfm_clock_here(this_cpu_ptr(&pfm_cpu)).thread;
	else
		clock = READ_ONCE(ctx->task->se.sum_exec_runtime);
	if (clock > ctx->clock)
		ctx->clock = clock;
	return ctx->clock;
}

static u64 pfm_soft_raw_cpu(unsigned int event)
{
	const struct pfm_cpu *c = this_cpu_ptr(&pfm_cpu);

	switch (event) {
	case PFM_SW_CSWITCHES:
		return c->cswitches;
	case PFM_SW_MIGRATIONS:
		return atomic_long_read(&c->migrations);
	case PFM_SW_MINOR_FAULTS:
		return c->faults[0];
	case PFM_SW_MAJOR_FAULTS:
		return c->faults[1];
	}
	return 0;
}

/*
 * Only the thread itself changes its counters of switches and faults, and
 * only while it runs. It may be moved at any moment, by the CPU that wakes it: the
 * move is seen by this look or by a later one.
 */
static u64 pfm_soft_raw_thread(const struct pfm_context *ctx, unsigned int event)
{
	const struct task_struct *t = ctx->task;

	switch (event) {
	case PFM_SW_CSWITCHES:
		return t->nvcsw + t->nivcsw;
	case PFM_SW_MIGRATIONS:
		return (unsigned long)READ_ONCE(t->se.nr_migrations);
	case PFM_SW_MINOR_FAULTS:
		return READ_ONCE(t->min_flt);
	case PFM_SW_MAJOR_FAULTS:
		return READ_ONCE(t->maj_flt);
	}
	return 0;
}

static u64 pfm_soft_raw(struct pfm_context *ctx, unsigned int event)
{
	if (event == PFM_SW_TASK_CLOCK)
		return pfm_soft_task_clock(ctx);
	return pfm_is_system(ctx) ? pfm_soft_raw_cpu(event)
				  : pfm_soft_raw_thread(ctx, event);
}

/* The slot of a tree, or its sum, which counts while a member runs on the slot's CPU. */
static bool pfm_soft_has_nobody(const struct pfm_context *ctx)
{
	return !ctx->task && !pfm_is_system(ctx);
}

/**
 * __pfm_soft_sync() - bring counters up to date
 * @ctx:  context that counts
 * @mask: PMDs; those that are no software counters in use are ignored
 *
 * All counters of an event see the same difference.
 *
 * Context: ctx->lock, interrupts off or NMI; on the CPU where the context is live, if
 * it is.
 * Return: the counters whose 64 bits wrapped.
 */
u64 __pfm_soft_sync(struct pfm_context *ctx, u64 mask)
{
	struct pfm_set *set = ctx->set;
	u64 wrapped = 0, rest, raw, delta;
	unsigned int events, ev, i;

	pfm_assert_live(ctx);
	if (unlikely(pfm_soft_has_nobody(ctx)))
		return 0;
	for (events = set->events; events; events &= events - 1) {
		ev = __ffs(events);
		rest = set->sw[ev] & mask;
		if (!rest)
			continue;
		raw = pfm_soft_raw(ctx, ev);
		for (; rest; rest &= rest - 1) {
			struct pfm_pmd *p;

			i = __ffs64(rest);
			p = &set->pmds[i];
			delta = raw - p->last;
			/* All sources but the clock are unsigned long. */
			if (ev != PFM_SW_TASK_CLOCK)
				delta = (unsigned long)delta;
			p->last = raw;
			p->value += delta;
			if (p->value < delta)
				wrapped |= BIT_ULL(i);
		}
	}
	return wrapped;
}

/**
 * __pfm_soft_base() - count from now on
 * @ctx:  loaded context
 * @set:  its active set
 * @mask: PMDs; those that are no software counters in use are ignored
 *
 * Context: ctx->lock, interrupts off; on the CPU where the context is live, if it is.
 */
void __pfm_soft_base(struct pfm_context *ctx, struct pfm_set *set, u64 mask)
{
	unsigned int events, ev;
	u64 rest, raw;

	pfm_assert_live(ctx);
	if (unlikely(pfm_soft_has_nobody(ctx)))
		return;
	for (events = set->events; events; events &= events - 1) {
		ev = __ffs(events);
		rest = set->sw[ev] & mask;
		if (!rest)
			continue;
		raw = pfm_soft_raw(ctx, ev);
		for (; rest; rest &= rest - 1)
			set->pmds[__ffs64(rest)].last = raw;
	}
}

/**
 * pfm_soft_left() - CPU time until the next overflow of a task clock
 * @ctx: context that is live on this CPU
 *
 * A counter below 2^63 has centuries to go.
 *
 * Context: ctx->lock, interrupts off; on the CPU where the context is live, if it is.
 * Return: nanoseconds, or U64_MAX if nothing counts that could overflow.
 */
u64 pfm_soft_left(const struct pfm_context *ctx)
{
	u64 rest, left, min = U64_MAX;

	pfm_assert_live(ctx);
	if (!pfm_runstate_counting(ctx) ||
	    (pfm_is_system(ctx) && !__this_cpu_read(pfm_cpu.busy_since)))
		return U64_MAX;
	for (rest = ctx->set->sw[PFM_SW_TASK_CLOCK]; rest; rest &= rest - 1) {
		left = -ctx->set->pmds[__ffs64(rest)].value;
		if (left && left <= S64_MAX)
			min = min(min, left);
	}
	return min;
}

/* Of the monitored thread, or of the one that runs here. */
static u64 pfm_soft_thread_time(struct pfm_context *ctx)
{
	if (ctx->task)
		return pfm_soft_task_clock(ctx);
	return pfm_clock_here(this_cpu_ptr(&pfm_cpu)).thread;
}

/**
 * pfm_soft_virtual() - read a virtual register
 * @ctx: context; for a loaded one this is its CPU, if it is on any
 * @num: logical number
 *
 * Context: ctx->lock, interrupts off; on the CPU where the context is live, if it is.
 * Return: the value now; for times of threads, as of pfm_clock_here().
 */
u64 pfm_soft_virtual(struct pfm_context *ctx, unsigned int num)
{
	pfm_assert_live(ctx);
	switch (num) {
	case PFM_VPMD_CLOCK:
		return ktime_get_mono_fast_ns();
	case PFM_VPMD_CYCLES:
		/* Has 32 bits where cycles_t has no more: programs use differences of it. */
		return get_cycles();
	case PFM_VPMD_FREE_PAGES:
		return global_zone_page_state(NR_FREE_PAGES);
	case PFM_VPMD_RUNNABLE:
		return pfm_host_runnable();
	case PFM_VPMD_THREAD_TIME:
		return pfm_soft_thread_time(ctx);
	}
	return 0;
}
