// SPDX-License-Identifier: GPL-2.0-only
/*
 * perfmon2: the overflow interrupt of the hardware's counters.
 *
 * It is an NMI on some machines. It takes ctx->lock if it
 * can. If it cannot, this CPU is in the midst of changing what the NMI would
 * look at, or another one looks at the context for a moment: then the NMI
 * acknowledges the interrupt and leaves the rest to an irq_work, which may
 * wait for the lock. Nothing is lost meanwhile, since what overflowed is found
 * by comparing values, not by asking the hardware: the first code that compares
 * them finds it.
 *
 * An interrupt that comes when its overflow has been found is late, not spurious: it
 * is claimed as ours if the CPU has a credit for it, and credits expire after
 * PFM_INTERRUPT_LATE.
 */
#include <linux/sched/clock.h>

#include <asm/irq_regs.h>

#include "pfm.h"

/* No interrupt is later than this. */
#define PFM_INTERRUPT_LATE	(100 * NSEC_PER_MSEC)

/* The interrupt's work proper. */
static void pfm_interrupt_overflow(struct pfm_context *ctx, struct pfm_cpu *c)
{
	unsigned long before = c->stats[PFM_STAT_OVERFLOWS];
	u64 now;

	if (!pfm_runstate_counting(ctx))
		return;
	now = pfm_clock_advance();
	pfm_hw_stop(ctx);
	pfm_runstate_update(ctx);
	if (c->stats[PFM_STAT_OVERFLOWS] != before && pfm_throttle_is_storm(c, now))
		pfm_throttle_context(ctx);
	if (pfm_runstate_counting(ctx))
		pfm_hw_start(ctx);
}

/*
 * An ordinary interrupt cannot come while this CPU holds the lock, since that turns
 * interrupts off; and another CPU that holds it does not wait for this one.
 *
 * An NMI must not wait, so it tries. Without SMP there is no lock to try. Code that
 * was interrupted at user level does not hold it; any other code may.
 */
static bool pfm_interrupt_trylock(struct pfm_context *ctx, struct pt_regs *regs)
{
	if (!in_nmi()) {
		raw_spin_lock(&ctx->lock);
		return true;
	}
	if (!IS_ENABLED(CONFIG_SMP) && !(regs && user_mode(regs)))
		return false;
	return raw_spin_trylock(&ctx->lock);
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
	struct pfm_context *ctx;
	unsigned int turned;

	pfm_clock_refresh();
	rcu_read_lock();
	ctx = READ_ONCE(c->live);
	if (ctx) {
		raw_spin_lock(&ctx->lock);
		if (c->live == ctx) {
			/* The interrupt of what is found here has come already. */
			turned = c->turned;
			pfm_interrupt_overflow(ctx, c);
			c->turned = min(c->turned, turned);
			pfm_timer_arm(ctx, local_clock());
		}
		raw_spin_unlock(&ctx->lock);
	}
	rcu_read_unlock();
}

/* Whether the overflow was found and handled before its interrupt came: use a credit. */
static bool pfm_interrupt_is_late(struct pfm_cpu *c)
{
	unsigned int n = c->turned;

	if (n && local_clock() - c->turned_at > PFM_INTERRUPT_LATE)
		n = 0;
	c->turned = n ? n - 1 : 0;
	return n;
}

/*
 * Another user of the PMU had our counters count while they should stand. If that
 * was in this very NMI, as by Intel PT's handler, they have counted next to nothing.
 * If they have @overflowed since they were stopped, they have counted for long, and
 * for others: what they hold is nobody's.
 */
static void pfm_interrupt_moved(bool overflowed)
{
	pfm_stat_inc(PFM_STAT_FOREIGN);
	if (overflowed)
		pfm_hw_disown();
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
	struct pfm_context *ctx = NULL;
	struct pt_regs *old;
	unsigned long before;
	bool locked, late, moved;

	if (!pmu || !pmu->acknowledge)
		return false;
	if (!c->touched) {
		late = pfm_interrupt_is_late(c);
		goto out;
	}
	/* This CPU clears it, interrupts off, before the context can go. */
	ctx = READ_ONCE(c->live);
	locked = ctx && pfm_interrupt_trylock(ctx, regs);
	moved = !c->run.pmds && pmu->still && !pmu->still(pmu);
	if (locked)
		pfm_hw_stop(ctx);
	late = pmu->acknowledge(pmu, &c->run);
	if (unlikely(moved))
		pfm_interrupt_moved(late && (locked || !ctx));
	before = c->found;
	if (locked) {
		old = set_irq_regs(regs);
		pfm_interrupt_overflow(ctx, c);
		set_irq_regs(old);
		raw_spin_unlock(&ctx->lock);
	} else if (ctx) {
		/* Whether it was ours cannot be known here. Most likely it was. */
		irq_work_queue(&c->work);
		c->deferred = true;
		late = true;
	}

	/* Counters that wrapped together may raise one interrupt each. */
	if (c->found != before) {
		c->turned--;
		pfm_stat_inc(PFM_STAT_INTERRUPTS);
		return true;
	}
	late |= pfm_interrupt_is_late(c);
out:
	/* Without an overflow of ours it may be another user's. */
	if (late)
		pfm_stat_inc(PFM_STAT_LATE);
	else if (ctx)
		pfm_stat_inc(PFM_STAT_SPURIOUS);
	return late;
}
