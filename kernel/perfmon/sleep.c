// SPDX-License-Identifier: GPL-2.0-only
/*
 * perfmon2: counting across the machine's sleep, and until its end.
 *
 * A CPU loses its registers when it sleeps with the machine: the counts go to the sets
 * before, and counting goes on from there afterwards. And when the machine reboots, the
 * registers of all CPUs are put to rest: another kernel may follow without a reset of
 * the hardware (kexec).
 */
#include <linux/init.h>
#include <linux/notifier.h>
#include <linux/reboot.h>
#include <linux/smp.h>

#include "clock.h"
#include "host.h"
#include "hw.h"
#include "pfm.h"

/*
 * Stop the counters of this CPU, with all counts in their sets. The contexts that are
 * live here are in c->asleep from now on: a late interrupt would start their counters
 * again. One that comes earlier finds the context and its lock taken, so that it is
 * known to be ours.
 */
static void pfm_sleep_stop_cpu(struct pfm_cpu *c)
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
		pfm_runstate_freeze(ctx);
		pfm_hw_forget(ctx, ctx->set);
		if (ctx == c->live)
			c->live = NULL;
		else
			RCU_INIT_POINTER(c->sys, NULL);
		raw_spin_unlock(&ctx->lock);
	}
}

static void pfm_sleep_wake_cpu(struct pfm_cpu *c)
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
		pfm_runstate_thaw(ctx);
		raw_spin_unlock(&ctx->lock);
	}
}

/**
 * pfm_sleep_suspend() - this CPU is about to lose its registers
 *
 * Context: interrupts off, the last CPU that runs.
 */
void pfm_sleep_suspend(void)
{
	pfm_sleep_stop_cpu(this_cpu_ptr(&pfm_cpu));
}

/**
 * pfm_sleep_resume() - it has lost them, and lives again
 *
 * Context: as pfm_sleep_suspend().
 */
void pfm_sleep_resume(void)
{
	/* The kernel that woke us up from disk may have used them, too. */
	if (pfm_reserve_is_used())
		pfm_hw_reset();
	pfm_sleep_wake_cpu(this_cpu_ptr(&pfm_cpu));
}

/* Interrupts are off. */
static void pfm_sleep_end_cpu(void *unused)
{
	struct pfm_cpu *c = this_cpu_ptr(&pfm_cpu);

	pfm_clock_refresh();
	pfm_sleep_stop_cpu(c);
	pfm_reserve_leave();
	pfm_sleep_wake_cpu(c);
}

/*
 * The machine is about to reboot, or starts another kernel. That kernel is to find all
 * counters of the hardware switched off, and 0. They stay so: programs can run for a
 * moment yet, but the hardware counts nothing for them. A CPU that is offline now stopped
 * counting when it went; a kernel that crashes does not get here. If nobody uses the
 * hardware, no CPU is waited for, which could be one that hangs.
 */
static int pfm_sleep_reboot(struct notifier_block *nb, unsigned long action,
			    void *unused)
{
	/* Before pfm_reserve_visit(), whose mutex a context that begins later takes, too. */
	WRITE_ONCE(pfm_hw_over, true);
	pfm_reserve_visit(pfm_sleep_end_cpu);
	return NOTIFY_OK;
}

struct notifier_block pfm_sleep_notifier = {
	.notifier_call = pfm_sleep_reboot,
};

/**
 * pfm_sleep_init() - learn of the machine's end
 *
 * Context: boot.
 */
void __init pfm_sleep_init(void)
{
	register_reboot_notifier(&pfm_sleep_notifier);
}

/**
 * pfm_sleep_exit() - undo that
 *
 * Context: process.
 */
void __pfm_exit pfm_sleep_exit(void)
{
	unregister_reboot_notifier(&pfm_sleep_notifier);
}
