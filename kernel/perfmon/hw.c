// SPDX-License-Identifier: GPL-2.0-only
/*
 * perfmon2: the counters of the hardware.
 *
 * They are narrow, few, belong to a CPU and are expensive to touch. Programs
 * see 64 bits, per set and thread. A 64-bit value is kept by differences: what
 * the register says now, less what it said last, modulo its width. Counting
 * therefore never requires writing a counter, and a hardware wrap needs no
 * handling as long as the counter is read at least once per wrap period. The poll
 * timer guarantees that; the overflow interrupt does not, because it arrives a
 * little after the wrap, and a counter that has gone all the way round looks as if
 * it had not moved.
 *
 * A counter is written only when its 64-bit value will overflow before the
 * register does, that is for a sampling period. It is preset so that both overflow
 * at the same event or, for a longer period, to the smallest writable value, and
 * preset again when that has run out.
 *
 * If a thread comes back to a CPU that no other context has used, only the counters
 * have to be started: code for all other cases stays out of line.
 *
 * Nothing is written twice. A CPU remembers which set's control values it holds
 * (controls), and which state of which set's counters (stamp). If both are still
 * those of the set, switching its thread in costs one write, and switching it out
 * another. Both numbers are unique and never used again.
 *
 * Everything here runs with interrupts off on the CPU where the context is
 * live, under ctx->lock, or says otherwise.
 *
 * The overflow interrupt is an NMI on some machines. It takes ctx->lock if it
 * can. If it cannot, this CPU is in the midst of changing what the NMI would
 * look at, or another one looks at the context for a moment: then the NMI
 * acknowledges the interrupt and leaves the rest to an irq_work, which may
 * wait for the lock. Nothing is lost meanwhile, since what overflowed is found
 * by comparing values, not by asking the hardware: the first code that compares
 * them finds it. An interrupt that comes when its overflow has been found is late,
 * not spurious: it is claimed as ours if the CPU has a credit for it, and credits
 * expire after PFM_HW_LATE.
 */
#include <linux/sched/clock.h>

#include <asm/irq_regs.h>

#include "pfm.h"

/* No interrupt is later than this. */
#define PFM_HW_LATE	(100 * NSEC_PER_MSEC)
/* At most two NMIs are in flight on a CPU: one being handled, one latched behind it. */
#define PFM_HW_IN_FLIGHT	2U

/*
 * A storm: more than PFM_HW_STORM back-to-back interrupts (each ordinary one takes
 * PFM_HW_CALM off the count) that took PFM_HW_STORM_NS together.
 */
#define PFM_HW_STORM	256
#define PFM_HW_CALM	16U
#define PFM_HW_STORM_NS	(NSEC_PER_SEC / 2)
#define PFM_HW_OVERHEAD	(10 * NSEC_PER_MSEC)

static atomic64_t pfm_hw_ids = ATOMIC64_INIT(0);	/* of control values */

static DEFINE_MUTEX(pfm_hw_mutex);
static unsigned int pfm_hw_users[2];		/* by PFM_HOLD_...; under the mutex */

/* A number for a CPU's counters that no other state of them has had. */
static u64 pfm_hw_stamp(struct pfm_cpu *c)
{
	return ++c->stamps * nr_cpu_ids + smp_processor_id();
}

/* Read the registers of a set that has stopped and that do not count. */
static noinline void pfm_hw_save(struct pfm_set *set)
{
	const struct pfm_pmu *pmu = pfm_regmap.hw;
	const struct pfm_pmd_desc *d;
	unsigned int i;
	u64 rest;

	for (rest = set->held; rest; rest &= rest - 1) {
		i = __ffs64(rest);
		d = pfm_regmap.pmd[i];
		set->pmds[i].value = (pmu->read(pmu, i) & ~d->rsvd) |
				     (d->def & d->rsvd);
	}
}

static void pfm_hw_restore(const struct pfm_set *set, u64 mask)
{
	const struct pfm_pmu *pmu = pfm_regmap.hw;
	unsigned int i;

	for (; mask; mask &= mask - 1) {
		i = __ffs64(mask);
		if (!(pfm_regmap.pmd[i]->flags & PFM_PMD_RDONLY))
			pmu->write(pmu, i, set->pmds[i].value);
	}
}

/*
 * Have the counters in @mask wrap in hardware no later than at 64 bits. The hardware
 * counters that are not in @known hold another set's values. Other registers get
 * the values of this set.
 */
static noinline void pfm_hw_arm(struct pfm_set *set, u64 mask, bool known)
{
	const struct pfm_pmu *pmu = pfm_regmap.hw;
	struct pfm_pmd *p;
	unsigned int i;
	u64 max, need;

	set->rearm &= ~mask;
	if (unlikely(set->held & mask)) {
		pfm_hw_restore(set, set->held & mask);
		mask &= ~set->held;
	}
	for (; mask; mask &= mask - 1) {
		i = __ffs64(mask);
		p = &set->pmds[i];
		max = pfm_regmap.max[i];
		/* Events before the one that ends the 64 bits, if any does. */
		need = set->raw & BIT_ULL(i) ? max : ~p->value;
		/* Such a wrap is found a little late. */
		if (unlikely(need < pmu->min_period))
			need = pmu->min_period - 1;
		if (known && need >= max - p->last)
			continue;
		if (!known && need >= max) {
			p->last = pmu->read(pmu, i);
			continue;
		}
		p->last = ~min(need, pfm_regmap.reach[i] - 1) & max;
		pmu->write(pmu, i, p->last);
	}
}

static void pfm_hw_reset(struct pfm_cpu *c)
{
	const struct pfm_pmu *pmu = pfm_regmap.hw;
	unsigned int i;

	for (i = 0; i < pmu->num_pmcs; i++)
		c->pmcs[i] = pmu->pmcs[i].def;
	c->run.pmds = 0;
	c->controls = 0;
	c->dirty = 0;
	/* This CPU may have been offline when they were claimed. */
	bitmap_copy(c->lost, pfm_regmap.claimed, PFM_PMCS_MAX);
	c->stamp = pfm_hw_stamp(c);
	pmu->reset(pmu, c->pmcs);
}

/* Interrupts are off. */
static void pfm_hw_let_go(void *unused)
{
	struct pfm_cpu *c = this_cpu_ptr(&pfm_cpu);
	const struct pfm_pmu *pmu = pfm_regmap.hw;
	unsigned int i;

	pfm_hw_reset(c);
	/* Other users of the PMU let programs read counters: leave no counts. */
	for (i = 0; i < pmu->num_pmds; i++)
		if (!(pmu->pmds[i].flags & PFM_PMD_RDONLY))
			pmu->write(pmu, i, pmu->pmds[i].def);
	c->touched = false;
}

/*
 * The active set comes to this CPU, or has come with other values of its controls.
 * That is the only time at which anything in pfm_cpu.run but its pmds changes; they
 * are 0 now, which an NMI looks at first.
 */
static noinline void pfm_hw_program(struct pfm_cpu *c, const struct pfm_context *ctx)
{
	const struct pfm_set *set = ctx->set;
	const struct pfm_pmu *pmu = pfm_regmap.hw;
	DECLARE_BITMAP(changed, PFM_PMCS_MAX);
	bool any = false;
	unsigned int i;

	/* Who had them before may have left anything, an interrupt above all. */
	if (!c->touched) {
		c->touched = true;
		pfm_hw_reset(c);
	}
	bitmap_zero(changed, PFM_PMCS_MAX);
	for_each_set_bit(i, set->written, pmu->num_pmcs) {
		if (c->pmcs[i] == set->values[i] && !test_bit(i, c->lost))
			continue;
		__clear_bit(i, c->lost);
		c->pmcs[i] = set->values[i];
		__set_bit(i, changed);
		any = true;
	}
	c->run.v = c->pmcs;
	c->run.ctx_flags = ctx->flags;
	c->run.set_flags = set->flags;
	c->run.task = ctx->task;
	c->run.self = ctx->own;
	if (any && pmu->program)
		pmu->program(pmu, changed, &c->run);
	c->controls = set->controls;
}

/**
 * pfm_hw_attached() - a set becomes active for the first time in an attachment
 * @set: set; its counters do not run
 *
 * The controls may still hold this set's values, written for another thread.
 *
 * Context: see above.
 */
void pfm_hw_attached(struct pfm_set *set)
{
	set->controls = atomic64_inc_return(&pfm_hw_ids);
}

/**
 * pfm_hw_changed() - a control register of a set has a new value
 * @set: set; if it is the active one, its counters do not run
 * @pmc: register
 *
 * What the counters do from now on is known when they start again.
 *
 * Context: see above.
 */
void pfm_hw_changed(struct pfm_set *set, unsigned int pmc)
{
	__set_bit(pmc, set->written);
	set->controls = atomic64_inc_return(&pfm_hw_ids);
	pfm_hw_forget(set);
}

/**
 * __pfm_hw_start() - let the counters of the active set count on this CPU
 * @ctx: context that counts; nothing happens if it is not live, has no such
 *       counters, or they run already
 *
 * Context: see above; or NMI.
 */
void __pfm_hw_start(struct pfm_context *ctx)
{
	struct pfm_cpu *c = this_cpu_ptr(&pfm_cpu);
	const struct pfm_pmu *pmu = pfm_regmap.hw;
	struct pfm_set *set = ctx->set;

	pfm_assert_live(ctx);
	if (ctx->cpu < 0 || c->run.pmds)
		return;
	if (c->controls != set->controls)
		pfm_hw_program(c, ctx);
	if (c->stamp != set->stamp) {
		pfm_hw_arm(set, set->live, false);
		c->stamp = set->stamp = pfm_hw_stamp(c);
		c->dirty |= set->live & pfm_regmap.wiped;
	} else if (set->rearm) {
		pfm_hw_arm(set, set->rearm & set->live, true);
	}
	c->run.pmds = set->live;
	pmu->start(pmu, &c->run);
}

/**
 * __pfm_hw_stop() - stop the counters of this CPU
 * @ctx: context that is live here, or nothing happens; some of its counters
 *       run
 *
 * They hold the set's counts until another context uses them.
 *
 * Context: see above; or NMI.
 * Return: whether they ran.
 */
bool __pfm_hw_stop(struct pfm_context *ctx)
{
	struct pfm_cpu *c = this_cpu_ptr(&pfm_cpu);
	const struct pfm_pmu *pmu = pfm_regmap.hw;

	pfm_assert_live(ctx);
	/* This context is live nowhere: the counters that run here are another one's. */
	if (ctx->cpu < 0)
		return false;
	pmu->stop(pmu, &c->run);
	c->run.pmds = 0;
	if (unlikely(ctx->set->held))
		pfm_hw_save(ctx->set);
	return true;
}

/**
 * __pfm_hw_wipe() - set the registers that a thread has used on this CPU to 0
 *
 * They stand still, and are up to date in their set.
 *
 * Context: see above.
 */
void __pfm_hw_wipe(void)
{
	struct pfm_cpu *c = this_cpu_ptr(&pfm_cpu);
	const struct pfm_pmu *pmu = pfm_regmap.hw;
	u64 rest;

	for (rest = c->dirty; rest; rest &= rest - 1)
		pmu->write(pmu, __ffs64(rest), 0);
	c->dirty = 0;
	c->stamp = pfm_hw_stamp(c);
}

/**
 * pfm_hw_forget() - the counters may have changed since they were looked at
 * @set: set, to which that change does not belong
 *
 * Context: see above.
 */
void pfm_hw_forget(struct pfm_set *set)
{
	set->stamp = 0;
}

/**
 * __pfm_hw_sync() - bring hardware counters up to date
 * @ctx:  context
 * @mask: PMDs; those that are not counters of the hardware in use are ignored
 *
 * Context: see above; or NMI.
 * Return: the counters whose 64 bits wrapped; and those that have not so many, for
 * pfm_overflow_real().
 */
u64 __pfm_hw_sync(struct pfm_context *ctx, u64 mask)
{
	struct pfm_cpu *c = this_cpu_ptr(&pfm_cpu);
	const struct pfm_pmu *pmu = pfm_regmap.hw;
	struct pfm_set *set = ctx->set;
	u64 wrapped, turned = 0, raw, delta, rest = mask & set->hard;
	struct pfm_pmd *p;
	unsigned int i;

	pfm_assert_live(ctx);
	if (ctx->cpu < 0 || !set->stamp || c->stamp != set->stamp)
		return 0;
	wrapped = set->raw;
	for (; rest; rest &= rest - 1) {
		i = __ffs64(rest);
		p = &set->pmds[i];
		raw = pmu->read(pmu, i);
		if (raw < p->last)
			turned |= rest & -rest;
		delta = (raw - p->last) & pfm_regmap.max[i];
		p->last = raw;
		p->value += delta;
		if (p->value < delta)
			wrapped |= rest & -rest;
	}
	/* These wrapped in hardware, too: their interrupt has come, or will. */
	if (unlikely(turned)) {
		set->rearm |= turned;
		c->found++;
		c->turned = min(c->turned + (unsigned int)hweight64(turned),
				PFM_HW_IN_FLIGHT);
		c->turned_at = local_clock();
	}
	return wrapped;
}

/**
 * __pfm_hw_rearm() - counters have gone on beyond their wrap: arm them
 * @ctx: context that counts
 *
 * For that they have to be stopped; overflows until then are handled first.
 * Counters that stand still are armed when they start.
 *
 * Context: see above; or NMI.
 */
void __pfm_hw_rearm(struct pfm_context *ctx)
{
	pfm_assert_live(ctx);
	if (!pfm_hw_stop(ctx))
		return;
	pfm_runstate_update(ctx);
	if (pfm_runstate_counting(ctx))
		pfm_hw_start(ctx);
}

/*
 * When kernel-level events are sampled, returning from one overflow interrupt can
 * cause the next. On a slow machine that starves everything long before
 * interrupts_max is reached. One slow interrupt proves nothing: a virtual CPU may
 * have been descheduled in it. One that arrived while we were still handling the
 * last does: all the time since then was overhead.
 */
static bool pfm_hw_is_storm(struct pfm_cpu *c, u64 begin)
{
	u64 end = local_clock(), spent = end - begin;

	if (c->deferred)
		spent = min_t(u64, end - c->ended, PFM_HW_OVERHEAD);
	if (begin - c->ended > spent && !c->deferred)
		c->storm -= min(c->storm, PFM_HW_CALM);
	else
		c->storm++;
	c->deferred = false;
	c->spent = c->storm ? c->spent + spent : 0;
	c->ended = end;
	if (c->storm <= PFM_HW_STORM || c->spent <= PFM_HW_STORM_NS)
		return false;
	/* The next context starts from zero. */
	c->storm = 0;
	c->spent = 0;
	return true;
}

/* The interrupt's work proper. */
static void pfm_hw_overflow(struct pfm_context *ctx, struct pfm_cpu *c)
{
	unsigned long before = c->stats[PFM_STAT_OVERFLOWS];
	u64 now;

	if (!pfm_runstate_counting(ctx))
		return;
	now = pfm_clock_advance();
	pfm_hw_stop(ctx);
	pfm_runstate_update(ctx);
	if (c->stats[PFM_STAT_OVERFLOWS] != before && pfm_hw_is_storm(c, now))
		pfm_overflow_throttle(ctx);
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
static bool pfm_hw_trylock(struct pfm_context *ctx, struct pt_regs *regs)
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
 * pfm_hw_work() - what an NMI could not do
 * @work: of this CPU
 *
 * Context: interrupt.
 */
void pfm_hw_work(struct irq_work *work)
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
			pfm_hw_overflow(ctx, c);
			c->turned = min(c->turned, turned);
			pfm_timer_arm(ctx, local_clock());
		}
		raw_spin_unlock(&ctx->lock);
	}
	rcu_read_unlock();
}

/* Whether the overflow was found and handled before its interrupt came: use a credit. */
static bool pfm_hw_is_late(struct pfm_cpu *c)
{
	unsigned int n = c->turned;

	if (n && local_clock() - c->turned_at > PFM_HW_LATE)
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
static void pfm_hw_moved(struct pfm_cpu *c, bool overflowed)
{
	pfm_stat_inc(PFM_STAT_FOREIGN);
	if (overflowed)
		c->stamp = pfm_hw_stamp(c);
}

/**
 * pfm_hw_is_here() - whether this CPU's registers are in our use
 *
 * Context: interrupts off; or NMI.
 * Return: whether they are.
 */
bool pfm_hw_is_here(void)
{
	return __this_cpu_read(pfm_cpu.touched);
}

/**
 * pfm_hw_interrupt() - the overflow interrupt of this CPU
 * @regs: of the interrupted code
 *
 * Context: NMI, or an interrupt that nothing of ours can interrupt.
 * Return: whether it was ours. It may be when the registers are no longer in our
 * use: then it was not acknowledged.
 */
bool pfm_hw_interrupt(struct pt_regs *regs)
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
		late = pfm_hw_is_late(c);
		goto out;
	}
	/* This CPU clears it, interrupts off, before the context can go. */
	ctx = READ_ONCE(c->live);
	locked = ctx && pfm_hw_trylock(ctx, regs);
	moved = !c->run.pmds && pmu->still && !pmu->still(pmu);
	if (locked)
		pfm_hw_stop(ctx);
	late = pmu->acknowledge(pmu, &c->run);
	if (unlikely(moved))
		pfm_hw_moved(c, late && (locked || !ctx));
	before = c->found;
	if (locked) {
		old = set_irq_regs(regs);
		pfm_hw_overflow(ctx, c);
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
	late |= pfm_hw_is_late(c);
out:
	/* Without an overflow of ours it may be another user's. */
	if (late)
		pfm_stat_inc(PFM_STAT_LATE);
	else if (ctx)
		pfm_stat_inc(PFM_STAT_SPURIOUS);
	return late;
}

/**
 * __pfm_hw_thread() - something happens to the thread of a context
 * @ctx:  loaded context, whose counters are stopped or do not matter
 * @what: what
 *
 * Context: see above.
 */
void __pfm_hw_thread(struct pfm_context *ctx, enum pfm_thread_event what)
{
	const struct pfm_pmu *pmu = pfm_regmap.hw;
	const struct pfm_run run = {
		.pmds = ctx->set->live,
		.v = ctx->set->values,
		.ctx_flags = ctx->flags,
		.set_flags = ctx->set->flags,
		.self = ctx->own,
		.task = ctx->task,
	};

	pfm_assert_live(ctx);
	pmu->thread(pmu, &run, what);
}

/**
 * pfm_hw_online() - a CPU comes
 * @cpu: its number
 *
 * It may have gone offline while its registers were in our use. Whether they kept
 * their values is unknown.
 *
 * Context: process, on that CPU, under the hotplug lock.
 */
void pfm_hw_online(unsigned int cpu)
{
	mutex_lock(&pfm_hw_mutex);
	if (per_cpu(pfm_cpu.touched, cpu)) {
		local_irq_disable();
		pfm_hw_let_go(NULL);
		local_irq_enable();
	}
	mutex_unlock(&pfm_hw_mutex);
}

/**
 * pfm_hw_suspend() - this CPU is about to lose its registers
 *
 * Context: interrupts off, the last CPU that runs.
 */
void pfm_hw_suspend(void)
{
	struct pfm_context *ctx = __this_cpu_read(pfm_cpu.live);

	__this_cpu_write(pfm_cpu.asleep, ctx);
	if (!ctx)
		return;
	raw_spin_lock(&ctx->lock);
	pfm_runstate_hold(ctx);
	pfm_hw_forget(ctx->set);
	/* A late interrupt would start them again. */
	__this_cpu_write(pfm_cpu.live, NULL);
	raw_spin_unlock(&ctx->lock);
}

/**
 * pfm_hw_resume() - it has lost them, and lives again
 *
 * Context: as pfm_hw_suspend().
 */
void pfm_hw_resume(void)
{
	struct pfm_context *ctx = __this_cpu_read(pfm_cpu.asleep);

	/* The kernel that woke us up from disk may have used them, too. */
	if (pfm_hw_users[0])
		pfm_hw_reset(this_cpu_ptr(&pfm_cpu));
	if (!ctx)
		return;
	raw_spin_lock(&ctx->lock);
	__this_cpu_write(pfm_cpu.live, ctx);
	pfm_runstate_release(ctx);
	raw_spin_unlock(&ctx->lock);
}

/* Others may have written what is claimed now. Interrupts are off. */
static void pfm_hw_lose(void *unused)
{
	struct pfm_cpu *c = this_cpu_ptr(&pfm_cpu);

	bitmap_copy(c->lost, pfm_regmap.claimed, PFM_PMCS_MAX);
	c->controls = 0;
}

static int pfm_hw_acquire(unsigned int what)
{
	const struct pfm_pmu *pmu = pfm_regmap.hw;
	const unsigned int i = __ffs(what);
	int ret;

	if (!pfm_hw_users[i]) {
		ret = pmu->acquire(pmu, what);
		if (ret)
			return ret;
		if (what == PFM_HOLD_CLAIMED)
			on_each_cpu(pfm_hw_lose, NULL, 1);
	}
	pfm_hw_users[i]++;
	return 0;
}

static bool pfm_hw_is_there(int cpu, void *unused)
{
	return per_cpu(pfm_cpu.touched, cpu);
}

static void pfm_hw_quiesce(void)
{
	int cpu;

	/* No others are disturbed, however often this is done. */
	on_each_cpu_cond(pfm_hw_is_there, pfm_hw_let_go, NULL, true);
	/* Those that are offline: they begin anew. */
	for_each_possible_cpu(cpu) {
		per_cpu(pfm_cpu.touched, cpu) = false;
		per_cpu(pfm_cpu.controls, cpu) = 0;
	}
}

static void pfm_hw_release(unsigned int what)
{
	const struct pfm_pmu *pmu = pfm_regmap.hw;

	if (--pfm_hw_users[__ffs(what)])
		return;
	if (what == PFM_HOLD_PMU)
		pfm_hw_quiesce();
	pmu->release(pmu, what);
}

/**
 * pfm_hw_get() - a context is going to use registers of the hardware
 * @what: PFM_HOLD_...
 *
 * Context: process.
 * Return: 0; or -EBUSY if others in the kernel have any of them, and then the
 * context gets none.
 */
int pfm_hw_get(unsigned int what)
{
	int ret = 0;

	mutex_lock(&pfm_hw_mutex);
	if (what & PFM_HOLD_PMU)
		ret = pfm_hw_acquire(PFM_HOLD_PMU);
	if (!ret && (what & PFM_HOLD_CLAIMED)) {
		ret = pfm_hw_acquire(PFM_HOLD_CLAIMED);
		if (ret && (what & PFM_HOLD_PMU))
			pfm_hw_release(PFM_HOLD_PMU);
	}
	mutex_unlock(&pfm_hw_mutex);
	return ret;
}

/**
 * pfm_hw_put() - undo pfm_hw_get()
 * @what: PFM_HOLD_...
 *
 * Context: process; the context is not loaded, or has programmed nothing.
 */
void pfm_hw_put(unsigned int what)
{
	mutex_lock(&pfm_hw_mutex);
	if (what & PFM_HOLD_CLAIMED)
		pfm_hw_release(PFM_HOLD_CLAIMED);
	if (what & PFM_HOLD_PMU)
		pfm_hw_release(PFM_HOLD_PMU);
	mutex_unlock(&pfm_hw_mutex);
}
