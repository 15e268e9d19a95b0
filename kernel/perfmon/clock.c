// SPDX-License-Identifier: GPL-2.0-only
/*
 * perfmon2: what time it is, for the thread and for the CPU.
 *
 * Each CPU has one record: the CPU time of the thread that runs there, and
 * local_clock() at which that was true. The scheduler keeps a running thread's
 * time up to date only under its run queue's lock, which is outside of ctx->lock
 * and out of an NMI's reach. So the time is taken where those locks are held
 * (the hooks) or can be taken (before ctx->lock), and all counters that are looked
 * at after that see this moment. The overflow interrupt, which cannot take them,
 * adds what local_clock() says has passed since.
 *
 * That is an estimate. It is too high where the thread did not have all of that
 * time: interrupts of other devices, or another virtual machine. The users clamp,
 * see pfm_soft_task_clock(): a clock stands still until the truth has caught up.
 *
 * An NMI may come between any two stores of this CPU, on a 32-bit kernel in the
 * midst of one. So the record has three places, of which one is valid:
 * pfm_cpu.clock_at says which. Code with interrupts off fills the one of the first
 * two that is not valid, and then names it; the overflow interrupt fills the third.
 * Until the new record is named an NMI goes on from the old one, which is as good.
 * Each record has another name, even if it is in the same place: code that finds
 * another name after a read, or when it is about to name a record of its own,
 * begins again.
 */
#include <linux/sched/clock.h>

#include "clock.h"
#include "host.h"
#include "pfm.h"

/**
 * pfm_clock_refresh() - take the time for what follows
 *
 * For a context that has never had to do with a clock (pfm_context.clocked) this
 * is left out, since it costs more than all the rest of a read. The scheduler's
 * hooks have the thread's time already, and use pfm_clock_set().
 *
 * Context: interrupts off; no lock of the scheduler's, not ctx->lock.
 */
void pfm_clock_refresh(void)
{
	u64 thread;

	lockdep_assert_irqs_disabled();
	thread = pfm_host_runtime(current);
	pfm_clock_set(this_cpu_ptr(&pfm_cpu), thread, local_clock());
}

/**
 * pfm_clock_advance() - estimate the time, where the scheduler cannot be asked
 *
 * All that the overflow interrupt looks at after this sees this moment.
 *
 * Context: ctx->lock of a context that is live on this CPU, interrupts off; or NMI
 * with the locks of all contexts that are, or one that has interrupted code with interrupts
 * on: so no NMI gets here in the midst of it.
 * Return: local_clock().
 */
u64 pfm_clock_advance(void)
{
	struct pfm_cpu *c = this_cpu_ptr(&pfm_cpu);
	const struct pfm_clock old = pfm_clock_here(c);
	struct pfm_clock *new = &c->clock[PFM_CLOCK_ESTIMATE];
	u64 now = local_clock(), passed = pfm_clock_since(old.now, now);

	new->thread = old.thread + passed;
	new->now = old.now + passed;
	barrier();
	WRITE_ONCE(c->clock_at, pfm_clock_name(c->clock_at, PFM_CLOCK_ESTIMATE));
	return now;
}

/* How long the CPU has been busy, as of @now. */
static u64 pfm_clock_busy_at(const struct pfm_cpu *c, u64 now)
{
	if (!c->busy_since)
		return c->busy;
	return c->busy + pfm_clock_since(c->busy_since, now);
}

/**
 * pfm_clock_busy() - time for which this CPU was not idle while monitored
 *
 * Context: ctx->lock of its system-wide context, interrupts off; or NMI.
 * Return: nanoseconds, as of the record's moment.
 */
u64 pfm_clock_busy(void)
{
	const struct pfm_cpu *c = this_cpu_ptr(&pfm_cpu);

	return pfm_clock_busy_at(c, pfm_clock_here(c).now);
}

/**
 * pfm_clock_switch() - a CPU with a system-wide context switches threads
 * @prev:  current
 * @next:  its successor
 * @clock: the run queue's clock, which the scheduler may not have brought up to
 *	   date for this switch: then it is from before the last refresh
 *
 * Context: run queue lock, ctx->lock of the system-wide context, interrupts off.
 * Return: local_clock() as of the switch, not less than any before.
 */
u64 pfm_clock_switch(const struct task_struct *prev,
		     const struct task_struct *next, u64 clock)
{
	struct pfm_cpu *c = this_cpu_ptr(&pfm_cpu);
	u64 now = pfm_clock_set(c, prev->se.sum_exec_runtime, clock);

	if (is_idle_task(next)) {
		c->busy = pfm_clock_busy_at(c, now);
		c->busy_since = 0;
	} else if (is_idle_task(prev)) {
		c->busy_since = now;
	}
	return now;
}
