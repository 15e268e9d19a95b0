// SPDX-License-Identifier: GPL-2.0-only
/*
 * perfmon2: the scheduler's hooks.
 *
 * Per-thread monitoring needs to know of every switch (2.2.3): of a hook in the
 * scheduler, or of the tracepoint that is there. The hooks run under the run queue's
 * lock with interrupts off, for threads that have a context or on CPUs that
 * have one, and nowhere else. The queue's clock, local_clock() as of the
 * beginning of the switch, is the time of it.
 */
#include "clock.h"
#include "host.h"
#include "pfm.h"
#include "timer.h"

DEFINE_PER_CPU(unsigned int, pfm_wants);	/* [p] */

/**
 * pfm_sched_want() - have the hooks of this CPU tell a context what it has to know
 * @ctx: context; nothing happens unless it is live here
 *
 * What any of its sets has had to know so far: that changes by commands only. The context
 * of a thread wants its faults from pfm_runstate_in() to pfm_runstate_out().
 *
 * Context: ctx->lock, interrupts off; on the CPU where the context is live, if it is.
 */
void pfm_sched_want(const struct pfm_context *ctx)
{
	const struct pfm_pmu_rules *rules = pfm_regmap.rules;
	unsigned int wants = 0;

	pfm_assert_live(ctx);
	if (ctx->cpu < 0)
		return;
	if (ctx->faults)
		wants = pfm_is_system(ctx) ? PFM_WANTS_FAULTS : PFM_WANTS_OWN_FAULTS;
	if (pfm_is_system(ctx) &&
	    (ctx->switches || ctx->clocked || (rules && rules->switch_to)))
		wants |= PFM_WANTS_SWITCHES;
	__this_cpu_or(pfm_wants, wants);
}

/**
 * pfm_sched_unwant() - this CPU has no context of its own any more
 *
 * Context: interrupts off.
 */
void pfm_sched_unwant(void)
{
	__this_cpu_and(pfm_wants, ~(PFM_WANTS_SWITCHES | PFM_WANTS_FAULTS));
}

/*
 * The time of this switch for @ctx, whose thread, current, comes or goes: the run queue's
 * clock; or, if @ctx has to do with clocks, the time of the last record if that is later,
 * since an NMI or a refresh can have taken the time after the run queue did.
 */
static __always_inline u64 pfm_sched_now(const struct pfm_context *ctx)
{
	if (likely(!ctx->clocked))
		return pfm_host_clock();
	return pfm_clock_set(this_cpu_ptr(&pfm_cpu),
			     ctx->task->se.sum_exec_runtime, pfm_host_clock());
}

static __always_inline void pfm_sched_leave(struct task_struct *prev,
					    struct pfm_context *ctx, const bool heeds)
{
	raw_spin_lock(&ctx->lock);
	/* The context may have been unloaded, or is not live yet. */
	if (likely(ctx->task == prev && ctx->cpu == smp_processor_id())) {
		pfm_stat_inc(PFM_STAT_SCHED_OUT);
		if (heeds)
			__this_cpu_write(pfm_cpu.switching, true);
		pfm_runstate_out(ctx, heeds ? pfm_sched_now(ctx) : pfm_host_clock());
		if (heeds)
			__this_cpu_write(pfm_cpu.switching, false);
	}
	raw_spin_unlock(&ctx->lock);
}

/* Of a context that has to do with a clock, or whose samples say where in the kernel. */
static noinline void pfm_sched_leave_heeding(struct task_struct *prev,
					     struct pfm_context *ctx)
{
	pfm_sched_leave(prev, ctx, true);
}

/**
 * __pfm_sched_out() - a thread with a context is about to be switched out
 * @prev: current
 * @ctx:  what pfm_host_context() has said of it since interrupts are off
 *
 * If the context is live here, a command that makes it heed more comes to this CPU for
 * that, and so before or after this: no lock is needed to look.
 *
 * Context: run queue lock, interrupts off; the thread's CPU time is up to
 * date and cannot change before the switch.
 */
void __pfm_sched_out(struct task_struct *prev, struct pfm_context *ctx)
{
	if (unlikely(ctx->heeds))
		pfm_sched_leave_heeding(prev, ctx);
	else
		pfm_sched_leave(prev, ctx, false);
}

/**
 * __pfm_sched_in() - a thread with a context has been switched in
 * @next: current, or the thread that is about to be
 * @ctx:  what pfm_host_context() has said of it since interrupts are off
 *
 * Context: run queue lock, interrupts off; the thread's CPU time has not
 * changed since it was switched out.
 */
void __pfm_sched_in(struct task_struct *next, struct pfm_context *ctx)
{
	raw_spin_lock(&ctx->lock);
	if (ctx->task == next && ctx->cpu < 0) {
		pfm_stat_inc(PFM_STAT_SCHED_IN);
		pfm_runstate_in(ctx, pfm_sched_now(ctx));
	}
	raw_spin_unlock(&ctx->lock);
}

/**
 * __pfm_sched_cpu() - a CPU that may have a context switches threads; PFM_WANTS_SWITCHES
 * @prev: current; if it has a context, that is not live any more
 * @next: its successor
 *
 * Context: run queue lock, interrupts off.
 */
void __pfm_sched_cpu(struct task_struct *prev, struct task_struct *next)
{
	struct pfm_cpu *c = this_cpu_ptr(&pfm_cpu);
	struct pfm_context *ctx = pfm_attach_of_cpu(c);
	bool idle = is_idle_task(prev) || is_idle_task(next);
	u64 events, now;

	/* Only this CPU changes it: the context stays. */
	if (!ctx)
		return;
	raw_spin_lock(&ctx->lock);
	c->cswitches++;
	events = ctx->set->sw[PFM_SW_CSWITCHES] | ctx->set->sw[PFM_SW_MIGRATIONS];
	/* Its timer is set anew below, for what is left of the period. */
	if (idle)
		events |= ctx->set->sw[PFM_SW_TASK_CLOCK];
	now = pfm_clock_switch(prev, next, pfm_host_clock());
	c->switching = true;
	if (pfm_runstate_counting(ctx))
		pfm_runstate_sync(ctx, events);
	pfm_runstate_next(ctx, pfm_runstate_kind(next), now);
	c->switching = false;
	pfm_rules_switch_to(ctx, next);
	if (idle)
		pfm_timer_arm(ctx, now);
	/* From here on an overflow is the next thread's. */
	pfm_clock_set(c, next->se.sum_exec_runtime, now);
	raw_spin_unlock(&ctx->lock);
}

/**
 * __pfm_sched_migrate() - a thread moves to another CPU
 * @cpu: to this one, whose next switch of threads will look at the count
 *
 * Context: locks of the scheduler, interrupts off.
 */
void __pfm_sched_migrate(int cpu)
{
	if (rcu_access_pointer(per_cpu(pfm_cpu, cpu).sys))
		atomic_long_inc(&per_cpu(pfm_cpu, cpu).migrations);
}

/*
 * Counts a fault for a context that is live on this CPU. If that overflows, and the
 * notification blocks current, the context is returned, with a reference; else NULL.
 */
static struct pfm_context *pfm_sched_count_fault(struct pfm_context *ctx,
						 unsigned int event)
{
	struct pfm_context *told = NULL;

	/*
	 * The fault may make its counter overflow: others are sampled and reset then, a task
	 * clock among them. The time is taken before, since that needs a scheduler's lock.
	 */
	if (ctx->clocked)
		pfm_clock_refresh();
	raw_spin_lock(&ctx->lock);
	if (pfm_is_system(ctx))
		__this_cpu_inc(pfm_cpu.faults[event == PFM_SW_MAJOR_FAULTS]);
	if (pfm_runstate_counting(ctx) && ctx->set->sw[event]) {
		pfm_runstate_sync(ctx, ctx->set->sw[event]);
		if (unlikely((ctx->flags & PFM_FL_NOTIFY_BLOCK) &&
			     irq_work_is_busy(&ctx->notify_work))) {
			pfm_context_get(ctx);
			told = ctx;
		}
	}
	raw_spin_unlock(&ctx->lock);
	return told;
}

/*
 * An irq_work need not run at once: on PowerPC the decrementer starts it, and where the
 * architecture has no way the tick does. Here current waits for it; otherwise current would
 * go on at user level after a fault that is to block it. Only one thread at a time can
 * wait for an irq_work: this is the monitored thread of the context. A system-wide context
 * blocks no thread, so no thread waits for its notifications.
 */
static void pfm_sched_told(struct pfm_context *ctx)
{
	if (likely(!ctx))
		return;
	if (irq_work_is_busy(&ctx->notify_work) && !irqs_disabled())
		pfm_host_settle(&ctx->notify_work);
	pfm_context_put(ctx);
}

/**
 * __pfm_sched_fault() - current had a page fault, which has been accounted;
 *			 PFM_WANTS_FAULTS, PFM_WANTS_OWN_FAULTS
 * @major: it needed I/O
 *
 * A period in faults ends here, at the fault. If its notification blocks current, it is
 * over on return.
 *
 * Context: process.
 */
void __pfm_sched_fault(bool major)
{
	unsigned int event = major ? PFM_SW_MAJOR_FAULTS : PFM_SW_MINOR_FAULTS;
	struct pfm_context *cpu, *told = NULL;
	unsigned long flags;
	struct pfm_cpu *c;

	local_irq_save(flags);
	c = this_cpu_ptr(&pfm_cpu);
	cpu = pfm_attach_of_cpu(c);
	if (c->live)
		told = pfm_sched_count_fault(c->live, event);
	if (cpu)
		pfm_sched_count_fault(cpu, event);
	local_irq_restore(flags);
	pfm_sched_told(told);
}
