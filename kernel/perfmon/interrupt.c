// SPDX-License-Identifier: GPL-2.0-only
/*
 * perfmon2: the overflow interrupt of the hardware's counters.
 *
 * The interrupt concerns the contexts that have programmed the hardware: the running
 * thread's, the CPU's, or both. Whose counter it was is found by looking at the counters of
 * both, since not all hardware can say; so both stand still meanwhile.
 *
 * It is an NMI on some machines. It may have come into a section of this CPU, which is in
 * the midst of changing what the NMI would look at: a context, or what both share, as the
 * clock. It has not if it has interrupted code with interrupts on. Then a lock that it cannot
 * have is another CPU's, which looks at that context for a moment: only that context has to
 * wait. Otherwise it takes the locks of both, or it looks at neither.
 *
 * What has to wait is left to an irq_work, which may wait for the lock; the NMI acknowledges
 * the interrupt. Nothing is lost meanwhile, since what overflowed is found by comparing
 * values, not by asking the hardware: the first code that compares them finds it.
 *
 * An interrupt that comes when its overflow has been found is late, not spurious: it
 * is claimed as ours if the CPU has a credit for it, and credits expire after
 * PFM_INTERRUPT_LATE.
 */
#include <linux/jiffies.h>
#include <linux/sched/clock.h>

#include <asm/irq_regs.h>

#include "clock.h"
#include "host.h"
#include "hw.h"
#include "pfm.h"
#include "timer.h"

/* No interrupt is later than this, in jiffies. */
#define PFM_INTERRUPT_LATE	DIV_ROUND_UP(HZ, 10)

/* The interrupt's work proper. */
static void pfm_interrupt_overflow(struct pfm_context *ctx, struct pfm_cpu *c)
{
	struct pfm_lane *l = pfm_lane_of(c, ctx);
	unsigned long before = c->stats[PFM_STAT_OVERFLOWS];
	u64 now;

	if (!pfm_runstate_counting(ctx))
		return;
	now = pfm_clock_advance();
	/* Not what a late look at a counter has found. */
	l->overtaken = false;
	pfm_hw_stop(ctx);
	pfm_runstate_update(ctx);
	/* A masked context interrupts no more: until PFM_RESTART it is no storm. */
	if (!pfm_runstate_counting(ctx)) {
		l->deferred = false;
		return;
	}
	if (c->stats[PFM_STAT_OVERFLOWS] != before &&
	    pfm_throttle_is_storm(l, now, local_clock()))
		pfm_throttle_context(ctx);
	else
		pfm_hw_start(ctx);
}

/* The contexts that are live on the CPU of an interrupt. [s] */
struct pfm_interrupt {
	struct pfm_context *ctx;	/* whose interrupt it is, or NULL: nobody's */
	struct pfm_context *other;	/* NULL if that is the only one */
	bool both;			/* it may be the other one's as well */
	bool locked;			/* @ctx is, by the interrupt */
	bool other_locked;		/* likewise @other */
	bool section;			/* neither is: this CPU may be in a section */
};

/*
 * If this CPU may be in a section: both locks, or neither. If it is in none: each that no other
 * CPU has; but not that of @irq->other if the interrupt cannot be its, since nothing of it is
 * looked at then, and what both contexts share only this CPU changes.
 */
static __always_inline void pfm_interrupt_try_both(struct pfm_interrupt *irq,
						   struct pt_regs *regs)
{
	const bool outside = pfm_host_interrupts_were_on(regs);

	irq->locked = raw_spin_trylock(&irq->ctx->lock);
	if (irq->both || !outside)
		irq->other_locked = raw_spin_trylock(&irq->other->lock);
	if (outside || (irq->locked && irq->other_locked))
		return;
	if (irq->locked)
		raw_spin_unlock(&irq->ctx->lock);
	if (irq->other_locked)
		raw_spin_unlock(&irq->other->lock);
	irq->locked = false;
	irq->other_locked = false;
	irq->section = true;
}

/*
 * An ordinary interrupt cannot come while this CPU holds the lock, since that turns
 * interrupts off; and another CPU that holds it does not wait for this one.
 *
 * An NMI must not wait, so it tries. Without SMP there is no lock to try: code with
 * interrupts on does not hold it; any other code may.
 *
 * Nothing else takes the locks of two contexts, so that there is no order to keep.
 */
static __always_inline void pfm_interrupt_lock(struct pfm_interrupt *irq,
					       struct pt_regs *regs)
{
	if (!in_nmi()) {
		raw_spin_lock(&irq->ctx->lock);
		irq->locked = true;
		if (unlikely(irq->both)) {
			raw_spin_lock_nested(&irq->other->lock, SINGLE_DEPTH_NESTING);
			irq->other_locked = true;
		}
	} else if (!IS_ENABLED(CONFIG_SMP) && !pfm_host_interrupts_were_on(regs)) {
		irq->section = true;
	} else if (unlikely(irq->other)) {
		pfm_interrupt_try_both(irq, regs);
	} else {
		irq->locked = raw_spin_trylock(&irq->ctx->lock);
		/* Maybe another CPU has it. There is no other context to look at. */
		irq->section = !irq->locked;
	}
}

static __always_inline void pfm_interrupt_unlock(const struct pfm_interrupt *irq)
{
	if (unlikely(irq->other_locked))
		raw_spin_unlock(&irq->other->lock);
	if (likely(irq->locked))
		raw_spin_unlock(&irq->ctx->lock);
}

/* Whether a context that the interrupt may concern has to wait for the irq_work. */
static __always_inline bool pfm_interrupt_has_to_wait(const struct pfm_interrupt *irq)
{
	return irq->ctx && (!irq->locked || (irq->both && !irq->other_locked));
}

static void pfm_interrupt_look(struct pfm_context *ctx, struct pfm_cpu *c)
{
	unsigned int credits;

	raw_spin_lock(&ctx->lock);
	if (ctx->uses) {
		/* The interrupt of what is found here has come already. */
		credits = c->credits;
		pfm_interrupt_overflow(ctx, c);
		c->credits = min(c->credits, credits);
	}
	pfm_timer_arm(ctx, local_clock());
	raw_spin_unlock(&ctx->lock);
}

/**
 * pfm_interrupt_work() - what an NMI could not do
 * @work: of this CPU
 *
 * Context: interrupt.
 */
void pfm_interrupt_work(struct irq_work *work)
{
	struct pfm_cpu *c = this_cpu_ptr(&pfm_cpu);
	struct pfm_context *cpu = pfm_attach_of_cpu(c);

	pfm_clock_refresh();
	if (c->live)
		pfm_interrupt_look(c->live, c);
	if (cpu)
		pfm_interrupt_look(cpu, c);
}

/**
 * pfm_interrupt_init_cpu() - prepare a possible CPU
 * @cpu: its number
 *
 * Context: boot.
 */
void pfm_interrupt_init_cpu(int cpu)
{
	per_cpu(pfm_cpu, cpu).work = IRQ_WORK_INIT_HARD(pfm_interrupt_work);
}

/**
 * pfm_interrupt_exit_cpu() - undo pfm_interrupt_init_cpu()
 * @cpu: its number
 *
 * Context: process; nothing is live any more.
 */
void __pfm_exit pfm_interrupt_exit_cpu(int cpu)
{
	irq_work_sync(&per_cpu(pfm_cpu, cpu).work);
}

/* Whether the overflow was found and handled before its interrupt came: use a credit. */
static bool pfm_interrupt_is_late(struct pfm_cpu *c)
{
	unsigned int n = c->credits;

	if (n && time_after(jiffies, c->credit_at + PFM_INTERRUPT_LATE))
		n = 0;
	c->credits = n ? n - 1 : 0;
	return n;
}

/*
 * Another user of the PMU may have our counters count while they should stand. Asked
 * where a context that uses the hardware, or all of it, stands still. Returns the lanes
 * whose counters stood, if others moved, 0 if not.
 */
static __always_inline unsigned int pfm_interrupt_moved(const struct pfm_interrupt *irq,
							struct pfm_cpu *c)
{
	const struct pfm_pmu *pmu = pfm_regmap.hw;
	const u64 thread = READ_ONCE(c->lane[PFM_LANE_THREAD].run.pmds);
	const u64 cpu = READ_ONCE(c->lane[PFM_LANE_CPU].run.pmds);

	if (likely(thread || cpu) && !(irq->both && !(thread && cpu)))
		return 0;
	if (!pmu->still || pmu->still(pmu, thread | cpu))
		return 0;
	pfm_stat_inc(PFM_STAT_FOREIGN);
	c->known = 0;
	return !thread << PFM_LANE_THREAD | !cpu << PFM_LANE_CPU;
}

/* What goes on counting on this CPU: of both contexts, if both do, either will do. */
static const struct pfm_run *pfm_interrupt_run(const struct pfm_cpu *c)
{
	const struct pfm_run *thread = &c->lane[PFM_LANE_THREAD].run;

	return likely(data_race(thread->pmds)) ? thread : &c->lane[PFM_LANE_CPU].run;
}

/*
 * Whether it was ours cannot be known now. Most likely it was. If the NMI only failed to
 * get one context's lock, maybe since another CPU looks at that, do not count it towards
 * the storm of the other.
 */
static void pfm_interrupt_defer(const struct pfm_interrupt *irq, struct pfm_cpu *c)
{
	irq_work_queue(&c->work);
	if (!irq->other || raw_spin_is_locked(&irq->ctx->lock))
		pfm_lane_of(c, irq->ctx)->deferred = true;
	if (irq->both && raw_spin_is_locked(&irq->other->lock))
		pfm_lane_of(c, irq->other)->deferred = true;
}

/* The registers are in our use, and these contexts are live. Whether the interrupt was ours. */
static __always_inline bool pfm_interrupt_here(const struct pfm_pmu *pmu, struct pfm_cpu *c,
					       struct pfm_interrupt irq, struct pt_regs *regs)
{
	struct pt_regs *old;
	unsigned long before;
	unsigned int moved;
	bool late;

	if (irq.ctx)
		pfm_interrupt_lock(&irq, regs);
	moved = pfm_interrupt_moved(&irq, c);
	if (irq.locked)
		pfm_hw_stop(irq.ctx);
	if (unlikely(irq.other_locked) && irq.both)
		pfm_hw_stop(irq.other);
	late = pmu->acknowledge(pmu, pfm_interrupt_run(c));
	/*
	 * If the others moved our counters in this very NMI, as Intel PT's handler does, these
	 * have counted next to nothing. If they have overflowed since they were stopped, they
	 * have counted for long, and for others: what they hold is nobody's.
	 */
	if (unlikely(moved) && late && !irq.section)
		pfm_hw_disown(moved);
	before = c->found;
	old = set_irq_regs(regs);
	if (likely(irq.locked))
		pfm_interrupt_overflow(irq.ctx, c);
	if (unlikely(irq.other_locked) && irq.both)
		pfm_interrupt_overflow(irq.other, c);
	set_irq_regs(old);
	pfm_interrupt_unlock(&irq);
	if (unlikely(pfm_interrupt_has_to_wait(&irq))) {
		pfm_interrupt_defer(&irq, c);
		late = true;
	}

	/* Counters that wrapped together may raise one interrupt each. */
	if (c->found != before) {
		c->credits--;
		pfm_stat_inc(PFM_STAT_INTERRUPTS);
		return true;
	}
	late |= pfm_interrupt_is_late(c);
	/* Without an overflow of ours it may be another user's. */
	if (late)
		pfm_stat_inc(PFM_STAT_LATE);
	else if (irq.ctx)
		pfm_stat_inc(PFM_STAT_SPURIOUS);
	return late;
}

/* Both a thread's context and the CPU's are live: what has to be asked then is no other's cost. */
static noinline bool pfm_interrupt_of_two(const struct pfm_pmu *pmu, struct pfm_cpu *c,
					  struct pt_regs *regs)
{
	struct pfm_interrupt irq = { .ctx = pfm_attach_of_cpu(c), .other = READ_ONCE(c->live) };

	if (!irq.ctx->uses)
		swap(irq.ctx, irq.other);
	irq.both = irq.ctx->uses && irq.other->uses;
	if (!irq.ctx->uses)
		irq.ctx = NULL;
	return pfm_interrupt_here(pmu, c, irq, regs);
}

/**
 * pfm_interrupt_handle() - the overflow interrupt of this CPU
 * @regs: of the interrupted code
 *
 * Context: NMI, or an interrupt that nothing of ours can interrupt.
 * Return: whether it was ours. It may be when the registers are no longer in our
 * use: then it was not acknowledged.
 */
bool pfm_interrupt_handle(struct pt_regs *regs)
{
	struct pfm_cpu *c = this_cpu_ptr(&pfm_cpu);
	const struct pfm_pmu *pmu = READ_ONCE(pfm_regmap.hw);
	struct pfm_context *ctx, *cpu;

	if (!pmu || !pmu->acknowledge)
		return false;
	if (!c->touched) {
		if (!pfm_interrupt_is_late(c))
			return false;
		pfm_stat_inc(PFM_STAT_LATE);
		return true;
	}
	/* This CPU clears the pointers, interrupts off, before a context can go. */
	ctx = READ_ONCE(c->live);
	cpu = pfm_attach_of_cpu(c);
	if (unlikely(cpu)) {
		if (ctx)
			return pfm_interrupt_of_two(pmu, c, regs);
		ctx = cpu;
	}
	/* A context that has programmed only software cannot have caused the interrupt. */
	if (ctx && !ctx->uses)
		ctx = NULL;
	return pfm_interrupt_here(pmu, c, (struct pfm_interrupt){ .ctx = ctx }, regs);
}
