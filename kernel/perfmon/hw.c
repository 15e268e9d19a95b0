// SPDX-License-Identifier: GPL-2.0-only
/*
 * perfmon2: the counters of the hardware.
 *
 * They are narrow, few, belong to a CPU and are expensive to touch. Programs
 * see 64 bits, per set and thread. A 64-bit value is kept by differences: what
 * the register says now, less what it said last, modulo its width. So it need
 * not be written to count, and a wrap is nothing special as long as there is
 * a look at it in each turn, which the timer sees to: the overflow interrupt
 * comes a little late, when a whole turn may look like none.
 *
 * A counter is written only if its 64 bits end before its own do: for a
 * period. Then it is set such that both end together, or to the least value
 * that can be written, and again when that has run out.
 *
 * Nothing is written twice. A CPU remembers whose control values it holds
 * (controls), and whose counters (stamp): a thread that comes back and finds
 * both its own costs one write, as does its going. Both numbers are given out
 * once and never again.
 *
 * Everything here runs with interrupts off on the CPU where the context is
 * live, under ctx->lock, or says otherwise.
 *
 * The overflow interrupt is an NMI on some machines. It takes ctx->lock if it
 * can. If it cannot, this CPU is in the midst of changing what the NMI would
 * look at, or another one looks at the context for a moment: then the NMI
 * acknowledges the interrupt and leaves the rest to an irq_work, which may
 * wait for the lock. Nothing is lost meanwhile, since what overflowed is found
 * by comparing values, not by asking the hardware; whoever looks first finds
 * it. An interrupt that comes when its overflow has been found is late, not
 * spurious: there is a credit for it, for a while.
 */
#include <linux/sched/clock.h>

#include <asm/irq_regs.h>

#include "pfm.h"

/* No interrupt is later than this. */
#define PFM_HW_LATE	(100 * NSEC_PER_MSEC)
/* And of an NMI there is one, and one that waits for its end. */
#define PFM_HW_IN_FLIGHT	2U

/*
 * Interrupts that take more time than they leave: so many more than others,
 * of which one outweighs several, and for so long.
 */
#define PFM_HW_STORM	256
#define PFM_HW_CALM	16U
#define PFM_HW_STORM_NS	(NSEC_PER_SEC / 2)
#define PFM_HW_OVERHEAD	(10 * NSEC_PER_MSEC)

static atomic64_t pfm_hw_ids = ATOMIC64_INIT(0);	/* of control values */

static DEFINE_MUTEX(pfm_hw_mutex);
static unsigned int pfm_hw_users;		/* under the mutex */

/* A number for a CPU's counters that no other state of them has had. */
static u64 pfm_hw_stamp(struct pfm_cpu *c)
{
	return ++c->stamps * nr_cpu_ids + smp_processor_id();
}

/* The longest way to a wrap that can be written into a counter. */
static u64 pfm_hw_reach(const struct pfm_pmu *pmu)
{
	if (pmu->write_bits && pmu->write_bits < pmu->width)
		return BIT_ULL(pmu->write_bits - 1);
	return pfm_regmap.hw_max;
}

/*
 * See to it that the counters in @mask do not wrap at 64 bits before they do
 * in hardware. Those that are not @known hold somebody else's values.
 */
static void pfm_hw_arm(struct pfm_set *set, u64 mask, bool known)
{
	const struct pfm_pmu *pmu = pfm_regmap.hw;
	u64 max = pfm_regmap.hw_max, need;
	struct pfm_pmd *p;
	unsigned int i;

	set->rearm &= ~mask;
	for (; mask; mask &= mask - 1) {
		i = __ffs64(mask);
		p = &set->pmds[i];
		/* Events before the one that ends the 64 bits. */
		need = ~p->value;
		if (known && need >= max - p->last)
			continue;
		if (!known && need >= max) {
			p->last = pmu->read(i);
			continue;
		}
		p->last = ~min(need, pfm_hw_reach(pmu) - 1) & max;
		pmu->write(i, p->last);
	}
}

static void pfm_hw_reset(struct pfm_cpu *c)
{
	const struct pfm_pmu *pmu = pfm_regmap.hw;
	unsigned int i;

	for (i = 0; i < pmu->num_pmcs; i++)
		c->pmcs[i] = pmu->pmcs[i].def;
	c->running = 0;
	c->controls = 0;
	c->stamp = pfm_hw_stamp(c);
	pmu->reset(c->pmcs);
}

/* Interrupts are off. */
static void pfm_hw_let_go(void *unused)
{
	struct pfm_cpu *c = this_cpu_ptr(&pfm_cpu);

	pfm_hw_reset(c);
	c->touched = false;
}

static void pfm_hw_program(struct pfm_cpu *c, const struct pfm_set *set)
{
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
		if (c->pmcs[i] == set->pmcs[i].value)
			continue;
		c->pmcs[i] = set->pmcs[i].value;
		__set_bit(i, changed);
		any = true;
	}
	if (any && pmu->program)
		pmu->program(changed, c->pmcs);
	c->controls = set->controls;
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
	struct pfm_set *set = ctx->set;

	if (ctx->cpu < 0 || c->running)
		return;
	if (c->controls != set->controls)
		pfm_hw_program(c, set);
	if (c->stamp != set->stamp) {
		pfm_hw_arm(set, set->hard, false);
		c->stamp = set->stamp = pfm_hw_stamp(c);
	} else if (set->rearm) {
		pfm_hw_arm(set, set->rearm & set->hard, true);
	}
	c->running = set->hard;
	pfm_regmap.hw->start(set->hard, c->pmcs);
}

/**
 * __pfm_hw_stop() - stop the counters of this CPU
 * @ctx: context that is live here, or nothing happens; some of its counters
 *       run
 *
 * What they hold is the set's until somebody else uses them.
 *
 * Context: see above; or NMI.
 * Return: whether they ran.
 */
bool __pfm_hw_stop(struct pfm_context *ctx)
{
	struct pfm_cpu *c = this_cpu_ptr(&pfm_cpu);

	/* Those that run may be another context's, while this one is nowhere. */
	if (ctx->cpu < 0)
		return false;
	pfm_regmap.hw->stop(c->running, c->pmcs);
	c->running = 0;
	return true;
}

/**
 * pfm_hw_forget() - the counters may have changed since they were looked at
 * @set: set; that change is nobody's
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
 * Return: the counters whose 64 bits wrapped.
 */
u64 __pfm_hw_sync(struct pfm_context *ctx, u64 mask)
{
	struct pfm_cpu *c = this_cpu_ptr(&pfm_cpu);
	const struct pfm_pmu *pmu = pfm_regmap.hw;
	struct pfm_set *set = ctx->set;
	u64 wrapped = 0, turned = 0, max, raw, delta, rest = mask & set->hard;
	struct pfm_pmd *p;
	unsigned int i;

	if (ctx->cpu < 0 || !set->stamp || c->stamp != set->stamp)
		return 0;
	max = pfm_regmap.hw_max;
	for (; rest; rest &= rest - 1) {
		i = __ffs64(rest);
		p = &set->pmds[i];
		raw = pmu->read(i);
		if (raw < p->last)
			turned |= BIT_ULL(i);
		delta = (raw - p->last) & max;
		p->last = raw;
		p->value += delta;
		if (p->value < delta)
			wrapped |= BIT_ULL(i);
	}
	/* In hardware, too: an interrupt has come, or will. */
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
 * That needs a stop; what overflows until then is seen to first. Counters that
 * stand still are armed when they start.
 *
 * Context: see above; or NMI.
 */
void __pfm_hw_rearm(struct pfm_context *ctx)
{
	if (!pfm_hw_stop(ctx))
		return;
	pfm_monitor_update(ctx);
	if (pfm_monitor_counting(ctx))
		pfm_hw_start(ctx);
}

/*
 * At the kernel's level the end of one interrupt can be the next overflow.
 * Where that is slow it leaves nothing to others, long before there are too
 * many in a second. A single one that takes long is no sign of that: a virtual
 * CPU may have had to wait in it. One that came in the midst of ours is a sign:
 * what has passed since the last was all overhead.
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
	/* Who comes next is not to blame. */
	c->storm = 0;
	c->spent = 0;
	return true;
}

/* The interrupt's work proper. */
static void pfm_hw_overflow(struct pfm_context *ctx, struct pfm_cpu *c)
{
	unsigned long before = c->stats[PFM_STAT_OVERFLOWS];
	u64 now;

	if (!pfm_monitor_counting(ctx))
		return;
	now = local_clock();
	pfm_hw_stop(ctx);
	pfm_monitor_update(ctx);
	if (c->stats[PFM_STAT_OVERFLOWS] != before)
		pfm_overflow_limit(ctx, now, pfm_hw_is_storm(c, now));
	if (pfm_monitor_counting(ctx))
		pfm_hw_start(ctx);
}

/*
 * Without SMP there is no lock to try: who was interrupted at user level was
 * in no section of ours, of others we cannot know.
 */
static bool pfm_hw_trylock(struct pfm_context *ctx, struct pt_regs *regs)
{
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

	pfm_soft_refresh();
	rcu_read_lock();
	ctx = READ_ONCE(c->live);
	if (ctx) {
		raw_spin_lock(&ctx->lock);
		if (c->live == ctx) {
			pfm_hw_overflow(ctx, c);
			pfm_timer_arm(ctx, local_clock());
		}
		raw_spin_unlock(&ctx->lock);
	}
	rcu_read_unlock();
}

/* Whether somebody else has found the overflow, and could not wait for us. */
static bool pfm_hw_is_late(struct pfm_cpu *c)
{
	unsigned int n = c->turned;

	if (n && local_clock() - c->turned_at > PFM_HW_LATE)
		n = 0;
	c->turned = n ? n - 1 : 0;
	return n;
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
 * @regs: of whoever was interrupted
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
	bool locked, late;

	if (!pmu || !pmu->acknowledge)
		return false;
	if (!c->touched) {
		late = pfm_hw_is_late(c);
		goto out;
	}
	/* This CPU clears it, interrupts off, before the context can go. */
	ctx = READ_ONCE(c->live);
	locked = ctx && pfm_hw_trylock(ctx, regs);
	if (locked)
		pfm_hw_stop(ctx);
	late = pmu->acknowledge();
	before = c->found;
	if (locked) {
		old = set_irq_regs(regs);
		pfm_hw_overflow(ctx, c);
		set_irq_regs(old);
		raw_spin_unlock(&ctx->lock);
	} else if (ctx) {
		/* It is not known whose this was: ours, most likely. */
		irq_work_queue(&c->work);
		c->deferred = true;
		late = true;
	}

	/* Of several that turned at once each may have an interrupt of its own. */
	if (c->found != before) {
		c->turned--;
		pfm_stat_inc(PFM_STAT_INTERRUPTS);
		return true;
	}
	late |= pfm_hw_is_late(c);
out:
	/* What cannot be explained may be somebody else's. */
	if (late)
		pfm_stat_inc(PFM_STAT_LATE);
	else if (ctx)
		pfm_stat_inc(PFM_STAT_SPURIOUS);
	return late;
}

/**
 * pfm_hw_online() - a CPU comes
 * @cpu: its number
 *
 * It may have gone with registers of ours, and lost them or not.
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
	pfm_monitor_hold(ctx);
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
	if (pfm_hw_users)
		pfm_hw_reset(this_cpu_ptr(&pfm_cpu));
	if (!ctx)
		return;
	raw_spin_lock(&ctx->lock);
	__this_cpu_write(pfm_cpu.live, ctx);
	pfm_monitor_release(ctx);
	raw_spin_unlock(&ctx->lock);
}

/**
 * pfm_hw_get() - a context is going to use the hardware's registers
 *
 * Context: process.
 * Return: 0, or -EBUSY if somebody else in the kernel has them.
 */
int pfm_hw_get(void)
{
	int ret = 0;

	mutex_lock(&pfm_hw_mutex);
	if (!pfm_hw_users)
		ret = pfm_regmap.hw->acquire();
	if (!ret)
		pfm_hw_users++;
	mutex_unlock(&pfm_hw_mutex);
	return ret;
}

static bool pfm_hw_is_there(int cpu, void *unused)
{
	return per_cpu(pfm_cpu.touched, cpu);
}

/**
 * pfm_hw_put() - undo pfm_hw_get()
 *
 * Context: process; no context of the caller's is loaded.
 */
void pfm_hw_put(void)
{
	int cpu;

	mutex_lock(&pfm_hw_mutex);
	if (!--pfm_hw_users) {
		/* No others are disturbed, however often this is done. */
		on_each_cpu_cond(pfm_hw_is_there, pfm_hw_let_go, NULL, true);
		/* Those that are offline: they begin anew. */
		for_each_possible_cpu(cpu) {
			per_cpu(pfm_cpu.touched, cpu) = false;
			per_cpu(pfm_cpu.controls, cpu) = 0;
		}
		pfm_regmap.hw->release();
	}
	mutex_unlock(&pfm_hw_mutex);
}
