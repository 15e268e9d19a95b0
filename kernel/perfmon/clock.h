/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perfmon2: the clock of a CPU, see clock.c; for rooms that look at it. What is here is
 * part of each switch of threads, or of an overflow interrupt.
 */
#ifndef _KERNEL_PERFMON_CLOCK_H
#define _KERNEL_PERFMON_CLOCK_H

#include <linux/preempt.h>
#include <linux/sched/clock.h>

#include "pfm.h"

/* Index of the place that overflow interrupts write to; 0 and 1 are the others'. */
#define PFM_CLOCK_ESTIMATE	2
#define PFM_CLOCK_PLACE		3	/* the bits of clock_at that are an index */

/* clock.c */
void pfm_clock_refresh(void);
u64 pfm_clock_advance(void);
u64 pfm_clock_busy(void);
u64 pfm_clock_switch(const struct task_struct *prev,
		     const struct task_struct *next, u64 clock);

/**
 * pfm_clock_since() - how much later one moment is than another
 * @then: local_clock()
 * @now:  likewise, maybe of another CPU, or a little older
 *
 * Context: any.
 * Return: nanoseconds; 0 if it is earlier.
 */
static __always_inline u64 pfm_clock_since(u64 then, u64 now)
{
	return now > then ? now - then : 0;
}

/**
 * pfm_clock_here() - the valid record of this CPU
 * @c: this CPU
 *
 * An overflow interrupt may write a new record meanwhile: then each member is of the old
 * record or of the new one, and never half of each.
 *
 * Context: interrupts off; or NMI.
 * Return: the record.
 */
static __always_inline struct pfm_clock pfm_clock_here(const struct pfm_cpu *c)
{
	struct pfm_clock clock;
	unsigned int at;

	do {
		at = READ_ONCE(c->clock_at);
		barrier();
		clock = data_race(c->clock[at & PFM_CLOCK_PLACE]);
		barrier();
		/* 64 bits are read at once, or not at all. */
	} while (!IS_ENABLED(CONFIG_64BIT) && unlikely(at != READ_ONCE(c->clock_at)));
	return clock;
}

/**
 * pfm_clock_now() - the time, for code that also runs in the overflow interrupt
 *
 * If that is an NMI it has just taken the time, by pfm_clock_advance().
 *
 * Context: interrupts off, and ctx->lock of the context that is live here; or NMI.
 * Return: local_clock(), maybe as of the beginning of the NMI.
 */
static __always_inline u64 pfm_clock_now(void)
{
	return in_nmi() ? pfm_clock_here(this_cpu_ptr(&pfm_cpu)).now : local_clock();
}

/**
 * pfm_clock_spare() - the place for the next record but an estimate
 * @at: pfm_cpu.clock_at of this CPU
 *
 * Context: interrupts off; no NMI.
 * Return: index of a place that is not valid, and that no NMI writes to.
 */
static __always_inline unsigned int pfm_clock_spare(unsigned int at)
{
	return ~at & 1;
}

/**
 * pfm_clock_name() - what names the next record
 * @at:    pfm_cpu.clock_at of this CPU
 * @place: index of the record
 *
 * Context: any.
 * Return: a value of pfm_cpu.clock_at that no record has had lately.
 */
static __always_inline unsigned int pfm_clock_name(unsigned int at,
						   unsigned int place)
{
	return (at | PFM_CLOCK_PLACE) + 1 + place;
}

/**
 * pfm_clock_set() - the time is known
 * @c:	    this CPU
 * @thread: CPU time of the thread that runs here, ns
 * @now:    local_clock() at which that was true, or less
 *
 * The record's local_clock() does not go back: @now may be the run queue's clock, which
 * the scheduler need not have brought up to date since the last record.
 *
 * Context: interrupts off; no NMI.
 * Return: the record's local_clock(): @now, or that of the last record if it is later.
 */
static __always_inline u64 pfm_clock_set(struct pfm_cpu *c, u64 thread, u64 now)
{
	unsigned int at, i;
	u64 later;

	do {
		at = READ_ONCE(c->clock_at);
		barrier();
		i = pfm_clock_spare(at);
		/* If an NMI changes it meanwhile, it is named anew, too. */
		later = max(now, data_race(c->clock[at & PFM_CLOCK_PLACE].now));
		c->clock[i].thread = thread;
		c->clock[i].now = later;
		/* An NMI that comes before the next line goes on from the old record. */
		barrier();
	} while (unlikely(cmpxchg_local(&c->clock_at, at, pfm_clock_name(at, i)) != at));
	return later;
}

#endif /* _KERNEL_PERFMON_CLOCK_H */
