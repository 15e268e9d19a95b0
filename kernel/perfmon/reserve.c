// SPDX-License-Identifier: GPL-2.0-only
/*
 * perfmon2: who has the registers of the hardware.
 *
 * Other code in the kernel uses them, too: they are reserved while a context needs
 * them, and as long as one does. A context needs them from when it is loaded, or from
 * when it first programs them while it is loaded, until its attachment ends.
 *
 * A CPU can go offline meanwhile, with what a context has left in its registers.
 */
#include <linux/cpu.h>
#include <linux/mutex.h>
#include <linux/smp.h>

#include "hw.h"
#include "pfm.h"

static DEFINE_MUTEX(pfm_reserve_mutex);
static unsigned int pfm_reserve_users[2];		/* [f] by PFM_HOLD_... */

/* Interrupts are off. */
static void pfm_reserve_let_go(void *unused)
{
	pfm_hw_end();
}

/* Others may have written what is claimed now. Interrupts are off. */
static void pfm_reserve_lose(void *unused)
{
	struct pfm_cpu *c = this_cpu_ptr(&pfm_cpu);

	bitmap_copy(c->lost, pfm_regmap.claimed, PFM_PMCS_MAX);
	c->lane[PFM_LANE_THREAD].controls = 0;
	c->lane[PFM_LANE_CPU].controls = 0;
}

static int pfm_reserve_acquire(unsigned int what)
{
	const struct pfm_pmu *pmu = pfm_regmap.hw;
	const unsigned int i = __ffs(what);
	int ret;

	if (!pfm_reserve_users[i]) {
		ret = pmu->acquire(pmu, what);
		if (ret)
			return ret;
		if (what == PFM_HOLD_CLAIMED)
			on_each_cpu(pfm_reserve_lose, NULL, 1);
	}
	pfm_reserve_users[i]++;
	return 0;
}

static bool pfm_reserve_is_there(int cpu, void *unused)
{
	return per_cpu(pfm_cpu.touched, cpu) || per_cpu(pfm_cpu.stranded, cpu);
}

static void pfm_reserve_quiesce(void)
{
	struct pfm_cpu *c;
	int cpu;

	/* No others are disturbed, however often this is done. */
	on_each_cpu_cond(pfm_reserve_is_there, pfm_reserve_let_go, NULL, true);
	/* CPUs that are offline begin anew. */
	for_each_possible_cpu(cpu) {
		c = per_cpu_ptr(&pfm_cpu, cpu);
		c->stranded |= c->touched;
		c->touched = false;
		c->lane[PFM_LANE_THREAD].controls = 0;
		c->lane[PFM_LANE_CPU].controls = 0;
	}
}

static void pfm_reserve_release(unsigned int what)
{
	const struct pfm_pmu *pmu = pfm_regmap.hw;

	if (--pfm_reserve_users[__ffs(what)])
		return;
	if (what == PFM_HOLD_PMU)
		pfm_reserve_quiesce();
	pmu->release(pmu, what);
}

/**
 * pfm_reserve_online() - a CPU comes
 * @cpu: its number
 *
 * The CPU may have gone offline while its registers were in our use. Whether they kept
 * their values is unknown. If we gave the PMU back meanwhile, the CPU still has what
 * our last context programmed and counted: it is cleared now; or, if others have the PMU
 * now, when we give it back next.
 *
 * Context: process, on that CPU, under the hotplug lock.
 */
void pfm_reserve_online(unsigned int cpu)
{
	mutex_lock(&pfm_reserve_mutex);
	if (pfm_reserve_is_there(cpu, NULL) && !pfm_reserve_acquire(PFM_HOLD_PMU)) {
		local_irq_disable();
		this_cpu_write(pfm_cpu.stranded, true);
		pfm_reserve_let_go(NULL);
		local_irq_enable();
		pfm_reserve_release(PFM_HOLD_PMU);
	}
	mutex_unlock(&pfm_reserve_mutex);
}

/**
 * pfm_reserve_get() - a context is going to use registers of the hardware
 * @what: PFM_HOLD_...
 *
 * Context: process.
 * Return: 0; or -EBUSY if others in the kernel have any of them, and then the
 * context gets none.
 */
int pfm_reserve_get(unsigned int what)
{
	int ret = 0;

	mutex_lock(&pfm_reserve_mutex);
	if (what & PFM_HOLD_PMU)
		ret = pfm_reserve_acquire(PFM_HOLD_PMU);
	if (!ret && (what & PFM_HOLD_CLAIMED)) {
		ret = pfm_reserve_acquire(PFM_HOLD_CLAIMED);
		if (ret && (what & PFM_HOLD_PMU))
			pfm_reserve_release(PFM_HOLD_PMU);
	}
	mutex_unlock(&pfm_reserve_mutex);
	return ret;
}

/**
 * pfm_reserve_put() - undo pfm_reserve_get()
 * @what: PFM_HOLD_...
 *
 * Context: process; the context is not loaded, or has programmed nothing.
 */
void pfm_reserve_put(unsigned int what)
{
	mutex_lock(&pfm_reserve_mutex);
	if (what & PFM_HOLD_CLAIMED)
		pfm_reserve_release(PFM_HOLD_CLAIMED);
	if (what & PFM_HOLD_PMU)
		pfm_reserve_release(PFM_HOLD_PMU);
	mutex_unlock(&pfm_reserve_mutex);
}

/* Of a PMU that cannot be shared, who uses any control uses all. */
static void pfm_reserve_all(unsigned long *pmcs)
{
	if (!(pfm_regmap.hw->flags & PFM_PMU_SHARES))
		bitmap_set(pmcs, 0, pfm_regmap.hw->num_pmcs);
}

/**
 * pfm_reserve_needs() - the control registers that a context needs while it is loaded
 * @ctx:  context
 * @pmcs: out: bitmap of them, densely numbered
 *
 * Context: ctx->lock; or ctx->mutex, while the context is not loaded.
 */
void pfm_reserve_needs(const struct pfm_context *ctx, unsigned long *pmcs)
{
	bitmap_copy(pmcs, ctx->programmed, PFM_PMCS_MAX);
	if (ctx->uses)
		pfm_reserve_all(pmcs);
}

/**
 * pfm_reserve_hold() - have the PMU's registers for a context
 * @ctx:  context
 * @what: PFM_HOLD_...; not 0
 * @pmcs: bitmap of the control registers, densely numbered, that are to be the context's.
 *	  Those that it has claimed before may be among them
 *
 * The code that ends the attachment finds, under ctx->lock, what the context holds, and
 * gives it back. If the attachment ends before that, or if nothing gets programmed, the
 * caller has to do it: by pfm_reserve_yield().
 *
 * Context: process, ctx->mutex.
 * Return: 0; or -EBUSY, and then nothing has changed, if another user in the kernel, as
 * perf_events, has the PMU, or contexts of the other kind, per-thread or system-wide, have
 * any of @pmcs.
 */
int pfm_reserve_hold(struct pfm_context *ctx, unsigned int what, const unsigned long *pmcs)
{
	DECLARE_BITMAP(more, PFM_PMCS_MAX);
	unsigned int twice;
	int ret;

	lockdep_assert_held(&ctx->mutex);
	bitmap_copy(more, pmcs, PFM_PMCS_MAX);
	pfm_reserve_all(more);
	/* If the attachment ends right now, the registers are not needed. */
	raw_spin_lock_irq(&ctx->lock);
	what &= ~ctx->held;
	bitmap_andnot(more, more, ctx->claims, PFM_PMCS_MAX);
	raw_spin_unlock_irq(&ctx->lock);
	if (!what && bitmap_empty(more, PFM_PMCS_MAX))
		return 0;
	/* What others use, too, is asked for while the PMU is held: not by that attachment. */
	if (what & PFM_HOLD_CLAIMED)
		what |= PFM_HOLD_PMU;
	if (!pfm_session_claim(pfm_is_system(ctx), more))
		return -EBUSY;
	ret = pfm_reserve_get(what);
	if (ret) {
		pfm_session_yield(pfm_is_system(ctx), more);
		return ret;
	}
	raw_spin_lock_irq(&ctx->lock);
	twice = ctx->held & what;
	ctx->held |= what;
	bitmap_or(ctx->claims, ctx->claims, more, PFM_PMCS_MAX);
	raw_spin_unlock_irq(&ctx->lock);
	if (twice)
		pfm_reserve_put(twice);
	return 0;
}

/**
 * pfm_reserve_take() - take over what a context holds, to give it back
 * @ctx:  context
 * @keep: PFM_HOLD_..., what stays with it
 * @pmcs: bitmap of the control registers that stay with it, densely numbered
 *
 * Contexts of the other kind can have the other registers from now on, before any program
 * can learn that this attachment has ended; they share the PMU until the rest is
 * given back, and nothing of this context counts in its registers any more.
 *
 * Context: ctx->lock.
 * Return: what is to be given to pfm_reserve_put().
 */
unsigned int pfm_reserve_take(struct pfm_context *ctx, unsigned int keep,
			      const unsigned long *pmcs)
{
	unsigned int put = ctx->held & ~keep;
	DECLARE_BITMAP(yield, PFM_PMCS_MAX);

	lockdep_assert_held(&ctx->lock);
	ctx->held &= keep;
	if (!bitmap_andnot(yield, ctx->claims, pmcs, PFM_PMCS_MAX))
		return put;
	bitmap_and(ctx->claims, ctx->claims, pmcs, PFM_PMCS_MAX);
	pfm_session_yield(pfm_is_system(ctx), yield);
	return put;
}

/**
 * pfm_reserve_yield() - give the PMU's registers back if not needed
 * @ctx: context; it keeps, while it is loaded, those that it has programmed
 *
 * Context: process, ctx->mutex.
 */
void pfm_reserve_yield(struct pfm_context *ctx)
{
	DECLARE_BITMAP(pmcs, PFM_PMCS_MAX) = {};
	unsigned int keep = 0, put;

	lockdep_assert_held(&ctx->mutex);
	raw_spin_lock_irq(&ctx->lock);
	if (ctx->state != PFM_UNLOADED) {
		keep = ctx->uses;
		pfm_reserve_needs(ctx, pmcs);
	}
	put = pfm_reserve_take(ctx, keep, pmcs);
	raw_spin_unlock_irq(&ctx->lock);
	if (put)
		pfm_reserve_put(put);
}

/**
 * pfm_reserve_is_used() - whether any context has the registers of the hardware
 *
 * Context: where nothing else runs, or the answer is out of date at once.
 * Return: whether one has.
 */
bool pfm_reserve_is_used(void)
{
	return pfm_reserve_users[0];
}

/**
 * pfm_reserve_leave() - put the registers of this CPU to rest, if a context has them
 *
 * Context: interrupts off; nothing counts here.
 */
void pfm_reserve_leave(void)
{
	if (pfm_hw_is_here())
		pfm_reserve_let_go(NULL);
}

/**
 * pfm_reserve_visit() - go to all CPUs, if any context has the registers of the hardware
 * @visit: called on each CPU, interrupts off; no context gets the registers, or gives
 *	   them back, until it has returned on all of them
 *
 * Context: process.
 */
void pfm_reserve_visit(void (*visit)(void *unused))
{
	mutex_lock(&pfm_reserve_mutex);
	if (pfm_reserve_users[0])
		on_each_cpu(visit, NULL, 1);
	mutex_unlock(&pfm_reserve_mutex);
}
