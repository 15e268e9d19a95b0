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
 * preset again when that has run out. If programs are to find the value in the register
 * (PFM_PMU_USER_COUNTS), it is written whenever it holds something else than the value's
 * low bits. Both overflow at the same event then, too.
 *
 * If a thread comes back to a CPU that no other context has used, only the counters
 * have to be started: code for all other cases stays out of line.
 *
 * Nothing is read twice, either: what a thread's counters said when it left, or when its set was
 * left for another one, is where those of the next one begin (pfm_cpu.known), unless something
 * has touched them since.
 *
 * Nothing is written twice. A CPU remembers which set's control values it holds
 * (controls), and which state of which set's counters (stamp). If both are still
 * those of the set, switching its thread in costs one write, and switching it out
 * another. Neither number is ever used again for something else. Sets with equal control
 * values come to share the first: see pfm_hw_learn().
 *
 * A thread's context and the CPU's can both have counters here (PFM_PMU_SHARES): each has
 * a lane, with these two numbers and with what counts for it. No register belongs to both,
 * as session.c sees to, but one that switches all counters: so each lane knows what counts
 * in the other one.
 *
 * Everything here runs with interrupts off on the CPU where the context is
 * live, under ctx->lock, or says otherwise.
 */
#include <linux/jiffies.h>

#include "hw.h"
#include "pfm.h"

/* At most two NMIs are in flight on a CPU: one being handled, one latched behind it. */
#define PFM_HW_IN_FLIGHT	2U

static atomic64_t pfm_hw_ids = ATOMIC64_INIT(0);	/* of control values */

/* The machine is about to reboot: nothing counts any more. */
bool pfm_hw_over;

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

	for (rest = set->uncounted; rest; rest &= rest - 1) {
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
		if (pfm_regmap.pmd[i]->flags & PFM_PMD_CLEAR)
			pmu->write(pmu, i, 0);
		else if (!(pfm_regmap.pmd[i]->flags & PFM_PMD_RDONLY))
			pmu->write(pmu, i, set->pmds[i].value);
	}
}

/*
 * Have the counters in @mask wrap in hardware no later than at 64 bits. If not @known,
 * the counters hold another set's values. Other registers get the values of this set.
 */
static noinline void pfm_hw_preset(struct pfm_set *set, u64 mask, bool known)
{
	const struct pfm_pmu *pmu = pfm_regmap.hw;
	struct pfm_pmd *p;
	unsigned int i;
	u64 max, low, need;

	set->unarmed &= ~mask;
	if (unlikely(set->uncounted & mask)) {
		pfm_hw_restore(set, set->uncounted & mask);
		mask &= ~set->uncounted;
	}
	for (; mask; mask &= mask - 1) {
		i = __ffs64(mask);
		p = &set->pmds[i];
		max = pfm_regmap.max[i];
		if (pmu->flags & PFM_PMU_USER_COUNTS) {
			if (known && p->last == (p->value & max))
				continue;
			p->last = p->value & max;
			pmu->write(pmu, i, p->last);
			continue;
		}
		/* Events before the one that ends the 64 bits, if any does. */
		need = set->raw & BIT_ULL(i) ? max : ~p->value;
		/* A period that is shorter ends a little late. */
		if (unlikely(need < pmu->min_period))
			need = pmu->min_period - 1;
		low = pfm_regmap.low[i];
		if (!known)
			p->last = need >= max - low ? pmu->read(pmu, i) : 0;
		/* Best it goes on from where it is. */
		if (p->last >= low && need >= max - p->last)
			continue;
		if (need >= max - low)
			p->last = low;
		else
			p->last = ~min(need, pfm_regmap.reach[i] - 1) & max;
		pmu->write(pmu, i, p->last);
	}
}

/*
 * The counters hold another set's values. Of those that nobody has touched since that set left
 * it is known which: they go on from there, unless they are about to wrap, or this set's values
 * are. A value below 2^63 is not: no counter of pfm_regmap.narrow has as far to go.
 */
static noinline void pfm_hw_take_over(const struct pfm_cpu *c, struct pfm_set *set)
{
	u64 rest = set->in_use & c->known & pfm_regmap.narrow & ~set->raw;
	u64 others = set->in_use & ~rest;
	struct pfm_pmd *p;
	unsigned int i;

	set->unarmed &= ~rest;
	for (; rest; rest &= rest - 1) {
		i = pfm_first(rest);
		p = &set->pmds[i];
		p->last = c->raw[i];
		if (unlikely((s64)p->value < 0 || p->last < pfm_regmap.low[i]))
			others |= rest & -rest;
	}
	if (others)
		pfm_hw_preset(set, others, false);
}

/* No context has programmed anything here. */
static void pfm_hw_clear(struct pfm_cpu *c)
{
	const struct pfm_pmu *pmu = pfm_regmap.hw;
	unsigned int i;

	for (i = 0; i < pmu->num_pmcs; i++)
		c->pmcs[i] = pmu->pmcs[i].def;
	for (i = 0; i < PFM_LANES; i++) {
		WRITE_ONCE(c->lane[i].run.pmds, 0);
		WRITE_ONCE(c->lane[i].run.other, 0);
		c->lane[i].controls = 0;
		c->lane[i].dirty = 0;
		c->lane[i].stamp = pfm_hw_stamp(c);
	}
	c->known = 0;
	/* This CPU may have been offline when they were claimed. */
	bitmap_copy(c->lost, pfm_regmap.claimed, PFM_PMCS_MAX);
}

/**
 * pfm_hw_reset() - give all control registers of this CPU their defaults
 *
 * Context: interrupts off; nothing counts here.
 */
void pfm_hw_reset(void)
{
	struct pfm_cpu *c = this_cpu_ptr(&pfm_cpu);

	pfm_hw_clear(c);
	pfm_regmap.hw->reset(pfm_regmap.hw, c->pmcs);
}

/*
 * A context uses the registers of this CPU for the first time since they are ours. Another
 * user may have left anything in them, an interrupt above all.
 */
static void pfm_hw_begin(struct pfm_cpu *c)
{
	const struct pfm_pmu *pmu = pfm_regmap.hw;
	DECLARE_BITMAP(none, PFM_PMCS_MAX) = {};

	c->touched = true;
	if (!(pmu->flags & PFM_PMU_GATED)) {
		pfm_hw_reset();
		return;
	}
	pfm_hw_clear(c);
	bitmap_complement(c->lost, pfm_regmap.common, PFM_PMCS_MAX);
	pmu->rest(pmu, none);
}

/**
 * pfm_hw_end() - put the registers of this CPU to rest, for other users
 *
 * These let programs read counters: none of our counts stays in one.
 *
 * Context: interrupts off; nothing counts here.
 */
void pfm_hw_end(void)
{
	struct pfm_cpu *c = this_cpu_ptr(&pfm_cpu);
	const struct pfm_pmu *pmu = pfm_regmap.hw;
	const bool gated = pmu->flags & PFM_PMU_GATED;
	DECLARE_BITMAP(used, PFM_PMCS_MAX) = {};
	unsigned int i;
	u64 rest;

	/* Unknown is what a CPU has that was offline: it may have lost what it held. */
	if (c->stranded)
		c->used |= pfm_regmap.hard;
	if (pmu->rest && !c->stranded) {
		for (i = 0; i < pmu->num_pmcs; i++)
			if (c->pmcs[i] != pmu->pmcs[i].def ||
			    (gated && !test_bit(i, c->lost) && !test_bit(i, pfm_regmap.common)))
				__set_bit(i, used);
		pmu->rest(pmu, used);
		pfm_hw_clear(c);
	} else {
		pfm_hw_reset();
	}
	for (rest = c->used; rest; rest &= rest - 1) {
		i = __ffs64(rest);
		if (pfm_pmu_can_write(&pmu->pmds[i]))
			pmu->write(pmu, i, pmu->pmds[i].def);
	}
	c->used = 0;
	c->touched = false;
	c->stranded = false;
}

/*
 * A set has found in the controls what it would have written, since the set before has the
 * same values: both have one name from now on, the older one, so that names of equal sets
 * become one, whichever CPUs the sets meet on. Equal means in the same registers: if the one
 * set says less than the other, a CPU that has what it says may not have what the other says.
 * A set gets a new name with each new value and each attachment. Rules look at more than
 * values.
 */
static void pfm_hw_learn(const struct pfm_lane *l, struct pfm_set *set)
{
	if (l->controls && l->controls < set->controls && !pfm_regmap.rules &&
	    bitmap_equal(l->named, set->written, PFM_PMCS_MAX))
		set->controls = l->controls;
}

/*
 * The active set comes to this CPU, or has come with other values of its controls.
 * That is the only time at which anything in pfm_lane.run but its pmds and other changes;
 * its pmds are 0 now, which an NMI looks at first. Contexts of the other kind have some
 * controls to themselves: what this set has in them, which is their default, stays in
 * memory. False if nothing is to count here.
 */
static noinline bool pfm_hw_program(struct pfm_cpu *c, struct pfm_lane *l,
				    const struct pfm_context *ctx)
{
	struct pfm_set *set = ctx->set;
	const struct pfm_pmu *pmu = pfm_regmap.hw;
	const unsigned long *theirs = pfm_session_owned[!pfm_is_system(ctx)];
	DECLARE_BITMAP(changed, PFM_PMCS_MAX);
	bool any = false;
	unsigned int i;

	if (!c->touched) {
		if (unlikely(READ_ONCE(pfm_hw_over)))
			return false;
		pfm_hw_begin(c);
	}
	bitmap_zero(changed, PFM_PMCS_MAX);
	pfm_for_each_pmc(i, set->written) {
		if (c->pmcs[i] == set->values[i] && !test_bit(i, c->lost))
			continue;
		if (unlikely(test_bit(i, theirs)))
			continue;
		__clear_bit(i, c->lost);
		c->pmcs[i] = set->values[i];
		__set_bit(i, changed);
		any = true;
	}
	l->run.v = c->pmcs;
	l->run.ctx_flags = ctx->flags;
	l->run.set_flags = set->flags;
	l->run.task = ctx->task;
	if (any && unlikely(pmu->flags & PFM_PMU_UNSETTLED))
		c->known = 0;
	if (any && pmu->program)
		pmu->program(pmu, changed, &l->run);
	if (!any)
		pfm_hw_learn(l, set);
	l->controls = set->controls;
	bitmap_copy(l->named, set->written, PFM_PMCS_MAX);
	return true;
}

/*
 * A control without a counter, which an event of either kind may look at, has got another
 * owner since this was asked last: sets may have to write its default again.
 */
static __always_inline void pfm_hw_follow(struct pfm_cpu *c)
{
	const unsigned int owners = READ_ONCE(pfm_session_owners);

	if (likely(c->owners == owners))
		return;
	c->owners = owners;
	/* The number first, then whose they are: pfm_session_claim() does it the other way. */
	smp_rmb();
	c->lane[PFM_LANE_THREAD].controls = 0;
	c->lane[PFM_LANE_CPU].controls = 0;
}

/* What counts in a lane has changed: both know of each other what a start or stop needs. */
static __always_inline void pfm_hw_meet(struct pfm_cpu *c, struct pfm_lane *l)
{
	struct pfm_lane *o = l == &c->lane[PFM_LANE_THREAD] ?
			     &c->lane[PFM_LANE_CPU] : &c->lane[PFM_LANE_THREAD];

	WRITE_ONCE(l->run.other, o->run.pmds);
	WRITE_ONCE(o->run.other, l->run.pmds);
}

/**
 * pfm_hw_attached() - a set becomes active for the first time in an attachment
 * @ctx: context, loaded or being loaded
 * @set: one of its sets, whose counters do not run
 *
 * The controls may still hold this set's values, written for another thread, and
 * registers that do not count what that thread has left there. A context of the other kind
 * may have used the set's counters since its last attachment.
 *
 * Context: ctx->lock, interrupts off; on the CPU where the context is live, if it is.
 */
void pfm_hw_attached(struct pfm_context *ctx, struct pfm_set *set)
{
	pfm_assert_live(ctx);
	set->controls = atomic64_inc_return(&pfm_hw_ids);
	pfm_hw_forget(ctx, set);
}

/**
 * pfm_hw_changed() - a control register of a set has a new value
 * @ctx: context
 * @set: one of its sets; if it is the active one, its counters do not run
 * @pmc: register
 *
 * What the counters do from now on is known when they start again.
 *
 * Context: ctx->lock, interrupts off; on the CPU where the context is live, if it is.
 */
void pfm_hw_changed(struct pfm_context *ctx, struct pfm_set *set, unsigned int pmc)
{
	u64 rest = pfm_rules_claims(pmc, set->values[pmc]);

	pfm_assert_live(ctx);
	__set_bit(pmc, set->written);
	/* The hardware looks at these from now on: what others left there must go. */
	for (; rest; rest &= rest - 1)
		__set_bit(__ffs64(rest), set->written);
	set->controls = atomic64_inc_return(&pfm_hw_ids);
	pfm_hw_forget(ctx, set);
}

/*
 * Not @beside: there is no system-wide context in the system, so this is the lane of
 * threads, and nothing counts in the other one.
 */
static __always_inline void pfm_hw_let(struct pfm_context *ctx, bool beside)
{
	struct pfm_cpu *c = this_cpu_ptr(&pfm_cpu);
	struct pfm_lane *l = beside ? pfm_lane_of(c, ctx) : &c->lane[PFM_LANE_THREAD];
	const struct pfm_pmu *pmu = pfm_regmap.hw;
	struct pfm_set *set = ctx->set;

	if (ctx->cpu < 0 || l->run.pmds)
		return;
	if (beside)
		pfm_hw_follow(c);
	if (l->controls != set->controls && !pfm_hw_program(c, l, ctx))
		return;
	if (l->stamp != set->stamp) {
		pfm_hw_take_over(c, set);
		l->stamp = set->stamp = pfm_hw_stamp(c);
		l->dirty |= set->in_use & pfm_regmap.wiped;
		c->used |= set->in_use;
	} else if (set->unarmed) {
		pfm_hw_preset(set, set->unarmed & set->in_use, true);
	}
	c->known = 0;
	/* First in memory, then in hardware: pfm_pmu.still() relies on it in an NMI. */
	WRITE_ONCE(l->run.pmds, set->in_use);
	if (beside)
		pfm_hw_meet(c, l);
	pmu->start(pmu, &l->run);
}

static noinline void pfm_hw_let_beside(struct pfm_context *ctx)
{
	pfm_hw_let(ctx, true);
}

/**
 * __pfm_hw_start() - let the counters of the active set count on this CPU
 * @ctx: context that counts; nothing happens if it is not live, has no such
 *       counters, or they run already
 *
 * Context: ctx->lock, interrupts off or NMI; on the CPU where the context is live, if
 * it is.
 */
void __pfm_hw_start(struct pfm_context *ctx)
{
	pfm_assert_live(ctx);
	if (static_branch_unlikely(&pfm_sys_key.key))
		pfm_hw_let_beside(ctx);
	else
		pfm_hw_let(ctx, false);
}

static __always_inline bool pfm_hw_halt(struct pfm_context *ctx, bool beside)
{
	struct pfm_cpu *c = this_cpu_ptr(&pfm_cpu);
	struct pfm_lane *l = beside ? pfm_lane_of(c, ctx) : &c->lane[PFM_LANE_THREAD];
	const struct pfm_pmu *pmu = pfm_regmap.hw;

	pfm_assert_live(ctx);
	/* This context is live nowhere: the counters that run here are another one's. */
	if (ctx->cpu < 0)
		return false;
	if (beside && !l->run.pmds)
		return false;
	pmu->stop(pmu, &l->run);
	WRITE_ONCE(l->run.pmds, 0);
	if (beside)
		pfm_hw_meet(c, l);
	if (unlikely(ctx->set->uncounted))
		pfm_hw_save(ctx->set);
	return true;
}

/**
 * __pfm_hw_stop() - stop the counters of this CPU; there is no system-wide context in the system
 * @ctx: context that is live here, or nothing happens; some of its counters
 *       run
 *
 * The counters hold the set's counts until another context uses them.
 *
 * Context: ctx->lock, interrupts off or NMI; on the CPU where the context is live, if
 * it is.
 * Return: whether they ran.
 */
bool __pfm_hw_stop(struct pfm_context *ctx)
{
	return pfm_hw_halt(ctx, false);
}

/**
 * pfm_hw_stop_beside() - likewise, though there may be one; and they need not run
 * @ctx: as above
 *
 * Context: as above.
 * Return: whether they ran.
 */
bool pfm_hw_stop_beside(struct pfm_context *ctx)
{
	return pfm_hw_halt(ctx, true);
}

/**
 * __pfm_hw_wipe() - set the registers that a thread has used on this CPU to a constant
 * @ctx: its context, which leaves this CPU
 *
 * The registers stand still, and their set is up to date. The constant is that from which the
 * next set's counters can go on without another write.
 *
 * Context: ctx->lock, interrupts off; on the CPU where the context is live, if it is.
 */
void __pfm_hw_wipe(const struct pfm_context *ctx)
{
	struct pfm_cpu *c = this_cpu_ptr(&pfm_cpu);
	struct pfm_lane *l = pfm_lane_of(c, ctx);
	const struct pfm_pmu *pmu = pfm_regmap.hw;
	unsigned int i;
	u64 rest;

	pfm_assert_live(ctx);
	for (rest = l->dirty; rest; rest &= rest - 1) {
		i = __ffs64(rest);
		pmu->write(pmu, i, pfm_regmap.low[i]);
	}
	l->dirty = 0;
	l->stamp = pfm_hw_stamp(c);
	c->known = 0;
}

/**
 * pfm_hw_forget() - the counters may have changed since they were looked at
 * @ctx: context
 * @set: one of its sets, to which that change does not belong
 *
 * Context: ctx->lock, interrupts off; on the CPU where the context is live, if it is.
 */
void pfm_hw_forget(struct pfm_context *ctx, struct pfm_set *set)
{
	pfm_assert_live(ctx);
	set->stamp = 0;
}

/**
 * pfm_hw_disown() - counters of this CPU have changed: no set's counts are in them
 * @lanes: whose: bit n is lane n
 *
 * Context: interrupts off; or NMI.
 */
void pfm_hw_disown(unsigned int lanes)
{
	struct pfm_cpu *c = this_cpu_ptr(&pfm_cpu);
	unsigned int i;

	c->known = 0;
	for (i = 0; i < PFM_LANES; i++)
		if (lanes & BIT(i))
			c->lane[i].stamp = pfm_hw_stamp(c);
}

/**
 * pfm_hw_leave() - a system-wide context leaves its CPU for good
 *
 * It may have written controls without a counter that sets of threads, which have them at
 * their defaults, share with it.
 *
 * Context: interrupts off; or NMI.
 */
void pfm_hw_leave(void)
{
	this_cpu_write(pfm_cpu.lane[PFM_LANE_THREAD].controls, 0);
}

/*
 * Bring some counters of a set up to date, whose stamp is that of this CPU. Those whose 64 bits
 * wrapped, and those that have not so many.
 */
static __always_inline u64 pfm_hw_look(struct pfm_cpu *c, struct pfm_set *set, u64 rest)
{
	const struct pfm_pmu *pmu = pfm_regmap.hw;
	u64 wrapped = set->raw, around = 0, raw, delta;
	struct pfm_pmd *p;
	unsigned int i;

	for (; rest; rest &= rest - 1) {
		i = pfm_first(rest);
		p = &set->pmds[i];
		raw = pmu->read(pmu, i);
		c->raw[i] = raw;
		if (raw < p->last) {
			if (p->last - raw < pmu->rollback)
				continue;
			around |= rest & -rest;
		}
		delta = (raw - p->last) & pfm_regmap.max[i];
		p->last = raw;
		p->value += delta;
		if (p->value < delta)
			wrapped |= rest & -rest;
	}
	/* Counters that wrapped in hardware: their interrupt has come, or will. */
	if (unlikely(around)) {
		set->unarmed |= around;
		c->found++;
		c->credits = min(c->credits + (unsigned int)hweight64(around),
				PFM_HW_IN_FLIGHT);
		c->credit_at = jiffies;
	}
	return wrapped;
}

/**
 * __pfm_hw_sync() - bring hardware counters up to date
 * @ctx:  context
 * @mask: PMDs; those that are not counters of the hardware in use are ignored
 *
 * Context: ctx->lock, interrupts off or NMI; on the CPU where the context is live, if
 * it is.
 * Return: the counters whose 64 bits wrapped; and those that have not so many, for
 * pfm_overflow_real().
 */
u64 __pfm_hw_sync(struct pfm_context *ctx, u64 mask)
{
	struct pfm_cpu *c = this_cpu_ptr(&pfm_cpu);
	struct pfm_set *set = ctx->set;

	pfm_assert_live(ctx);
	if (ctx->cpu < 0 || !set->stamp || pfm_lane_of(c, ctx)->stamp != set->stamp)
		return 0;
	return pfm_hw_look(c, set, mask & set->hard);
}

/**
 * __pfm_hw_freeze() - __pfm_hw_stop(), then __pfm_hw_sync() of all counters
 * @ctx: as of __pfm_hw_stop()
 *
 * Context: as of __pfm_hw_stop().
 * Return: as of __pfm_hw_sync().
 */
u64 __pfm_hw_freeze(struct pfm_context *ctx)
{
	struct pfm_cpu *c = this_cpu_ptr(&pfm_cpu);
	struct pfm_lane *l = &c->lane[PFM_LANE_THREAD];
	struct pfm_set *set = ctx->set;

	/* What runs is lost if it has been disowned, or forgotten, while it ran. */
	if (!pfm_hw_halt(ctx, false) || !set->stamp || l->stamp != set->stamp)
		return 0;
	return pfm_hw_look(c, set, set->hard);
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
