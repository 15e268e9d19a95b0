// SPDX-License-Identifier: GPL-2.0-only
/*
 * perfmon2: who has the registers of the hardware.
 *
 * Other code in the kernel uses them, too: they are reserved while a context needs
 * them, and as long as one does. A context needs them from when it is loaded, or from
 * when it first programs them while it is loaded, until its attachment ends.
 *
 * A CPU can lose its registers meanwhile: it goes offline, or sleeps with the machine.
 * And when the machine reboots all of them are put to rest: another kernel may follow
 * without a reset of the hardware (kexec).
 */
#include <linux/cpu.h>
#include <linux/init.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/reboot.h>
#include <linux/smp.h>

#include "host.h"
#include "pfm.h"

static DEFINE_MUTEX(pfm_reserve_mutex);
static unsigned int pfm_reserve_users[2];		/* [f] by PFM_HOLD_... */

/* Interrupts are off. */
static void pfm_reserve_let_go(void *unused)
{
	struct pfm_cpu *c = this_cpu_ptr(&pfm_cpu);
	const struct pfm_pmu *pmu = pfm_regmap.hw;
	unsigned int i;
	u64 rest;

	pfm_hw_reset();
	/*
	 * Other users of the PMU let programs read counters: leave no counts. Registers
	 * that do not count may be many: only those that have been used.
	 */
	for (rest = pfm_regmap.hard | c->held; rest; rest &= rest - 1) {
		i = __ffs64(rest);
		if (pfm_pmu_can_write(&pmu->pmds[i]))
			pmu->write(pmu, i, pmu->pmds[i].def);
	}
	c->held = 0;
	c->touched = false;
	c->left = false;
}

/*
 * Stop the counters of this CPU, with all counts in their sets. The contexts that are
 * live here are in c->asleep from now on: a late interrupt would start their counters
 * again. One that comes earlier finds the context and its lock taken, so that it is
 * known to be ours.
 */
static void pfm_reserve_put_to_sleep(struct pfm_cpu *c)
{
	struct pfm_context *ctx;
	int i;

	c->asleep[0] = c->live;
	c->asleep[1] = pfm_attach_of_cpu(c);
	for (i = 0; i < 2; i++) {
		ctx = c->asleep[i];
		if (!ctx)
			continue;
		raw_spin_lock(&ctx->lock);
		pfm_runstate_hold(ctx);
		pfm_hw_forget(ctx, ctx->set);
		if (ctx == c->live)
			c->live = NULL;
		else
			RCU_INIT_POINTER(c->sys, NULL);
		raw_spin_unlock(&ctx->lock);
	}
}

static void pfm_reserve_wake(struct pfm_cpu *c)
{
	struct pfm_context *ctx;
	int i;

	c->live = c->asleep[0];
	rcu_assign_pointer(c->sys, c->asleep[1]);
	for (i = 0; i < 2; i++) {
		ctx = c->asleep[i];
		if (!ctx)
			continue;
		raw_spin_lock(&ctx->lock);
		pfm_runstate_release(ctx);
		raw_spin_unlock(&ctx->lock);
	}
}

/**
 * pfm_reserve_suspend() - this CPU is about to lose its registers
 *
 * Context: interrupts off, the last CPU that runs.
 */
void pfm_reserve_suspend(void)
{
	pfm_reserve_put_to_sleep(this_cpu_ptr(&pfm_cpu));
}

/**
 * pfm_reserve_resume() - it has lost them, and lives again
 *
 * Context: as pfm_reserve_suspend().
 */
void pfm_reserve_resume(void)
{
	/* The kernel that woke us up from disk may have used them, too. */
	if (pfm_reserve_users[0])
		pfm_hw_reset();
	pfm_reserve_wake(this_cpu_ptr(&pfm_cpu));
}

/* Interrupts are off. */
static void pfm_reserve_end(void *unused)
{
	struct pfm_cpu *c = this_cpu_ptr(&pfm_cpu);

	pfm_clock_refresh();
	pfm_reserve_put_to_sleep(c);
	if (c->touched)
		pfm_reserve_let_go(NULL);
	pfm_reserve_wake(c);
}

/*
 * The machine is about to reboot, or starts another kernel. That kernel is to find all
 * counters of the hardware switched off, and 0. They stay so: programs can run for a
 * moment yet, but the hardware counts nothing for them. A CPU that is offline now stopped
 * counting when it went; a kernel that crashes does not get here. If nobody uses the
 * hardware, no CPU is waited for, which could be one that hangs.
 */
static int pfm_reserve_reboot(struct notifier_block *nb, unsigned long action,
			      void *unused)
{
	mutex_lock(&pfm_reserve_mutex);
	WRITE_ONCE(pfm_hw_over, true);
	if (pfm_reserve_users[0])
		on_each_cpu(pfm_reserve_end, NULL, 1);
	mutex_unlock(&pfm_reserve_mutex);
	return NOTIFY_OK;
}

struct notifier_block pfm_reserve_notifier = {
	.notifier_call = pfm_reserve_reboot,
};

/**
 * pfm_reserve_init() - learn of the machine's end
 *
 * Context: boot.
 */
void __init pfm_reserve_init(void)
{
	register_reboot_notifier(&pfm_reserve_notifier);
}

/**
 * pfm_reserve_exit() - undo that
 *
 * Context: process.
 */
void __pfm_exit pfm_reserve_exit(void)
{
	unregister_reboot_notifier(&pfm_reserve_notifier);
}

/* Others may have written what is claimed now. Interrupts are off. */
static void pfm_reserve_lose(void *unused)
{
	struct pfm_cpu *c = this_cpu_ptr(&pfm_cpu);

	bitmap_copy(c->lost, pfm_regmap.claimed, PFM_PMCS_MAX);
	c->controls = 0;
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
	return per_cpu(pfm_cpu.touched, cpu) || per_cpu(pfm_cpu.left, cpu);
}

static void pfm_reserve_quiesce(void)
{
	struct pfm_cpu *c;
	int cpu;

	/* No others are disturbed, however often this is done. */
	on_each_cpu_cond(pfm_reserve_is_there, pfm_reserve_let_go, NULL, true);
	/* Those that are offline begin anew. */
	for_each_possible_cpu(cpu) {
		c = per_cpu_ptr(&pfm_cpu, cpu);
		c->left |= c->touched;
		c->touched = false;
		c->controls = 0;
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
 * It may have gone offline while its registers were in our use. Whether they kept
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

/**
 * pfm_reserve_hold() - have the PMU's registers for a context
 * @ctx:  context
 * @what: PFM_HOLD_...; nothing happens if the context holds that
 *
 * The code that ends the attachment finds, under ctx->lock, that the context holds
 * them, and gives them back. If the attachment ends before that, or if nothing gets
 * programmed, the caller has to do it: by pfm_reserve_yield().
 *
 * Context: process, ctx->mutex.
 * Return: 0, or -EBUSY if another user in the kernel, as perf_events, has them, or
 * contexts of the other kind: per-thread, or system-wide.
 */
int pfm_reserve_hold(struct pfm_context *ctx, unsigned int what)
{
	unsigned int twice;
	int ret;

	lockdep_assert_held(&ctx->mutex);
	/* If the attachment ends right now, the registers are not needed. */
	what = (what | PFM_HOLD_SESSION) & ~READ_ONCE(ctx->held);
	if (!what)
		return 0;
	/* What others use, too, is asked for while the PMU is held: not by that attachment. */
	if (what & PFM_HOLD_CLAIMED)
		what |= PFM_HOLD_PMU;
	if ((what & PFM_HOLD_SESSION) && !pfm_session_claim(pfm_is_system(ctx)))
		return -EBUSY;
	ret = pfm_reserve_get(what);
	if (ret) {
		if (what & PFM_HOLD_SESSION)
			pfm_session_yield(pfm_is_system(ctx));
		return ret;
	}
	raw_spin_lock_irq(&ctx->lock);
	twice = ctx->held & what;
	ctx->held |= what;
	raw_spin_unlock_irq(&ctx->lock);
	if (twice)
		pfm_reserve_put(twice);
	return 0;
}

/**
 * pfm_reserve_take() - take over what a context holds, to give it back
 * @ctx:  context
 * @keep: PFM_HOLD_..., what stays with it
 *
 * Contexts of the other kind can have the hardware from now on, before any program
 * can learn that this attachment has ended; they share the PMU until the rest is
 * given back, and nothing of this context is in its registers any more.
 *
 * Context: ctx->lock.
 * Return: what is to be given to pfm_reserve_put().
 */
unsigned int pfm_reserve_take(struct pfm_context *ctx, unsigned int keep)
{
	unsigned int put = ctx->held & ~keep;

	lockdep_assert_held(&ctx->lock);
	ctx->held &= keep;
	if (put & PFM_HOLD_SESSION)
		pfm_session_yield(pfm_is_system(ctx));
	return put & ~PFM_HOLD_SESSION;
}

/**
 * pfm_reserve_yield() - give the PMU's registers back if not needed
 * @ctx: context; nothing happens if it is loaded and has programmed some of
 *       them, or does not hold them
 *
 * Context: process, ctx->mutex.
 */
void pfm_reserve_yield(struct pfm_context *ctx)
{
	unsigned int keep = 0, put;

	lockdep_assert_held(&ctx->mutex);
	raw_spin_lock_irq(&ctx->lock);
	if (ctx->state != PFM_UNLOADED && ctx->uses)
		keep = ctx->uses | PFM_HOLD_SESSION;
	put = pfm_reserve_take(ctx, keep);
	raw_spin_unlock_irq(&ctx->lock);
	if (put)
		pfm_reserve_put(put);
}
