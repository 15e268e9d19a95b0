/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perfmon2: the shortest way to a context's live state, see reach.c; for the commands that
 * programs issue around each piece of code that they measure.
 */
#ifndef _KERNEL_PERFMON_REACH_H
#define _KERNEL_PERFMON_REACH_H

#include <linux/irqflags.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/smp.h>

#include "clock.h"
#include "host.h"
#include "pfm.h"

/* For tests: all commands take the way of pfm_reach_call(). */
#if IS_ENABLED(CONFIG_PERFMON_KUNIT_TEST)
extern bool pfm_reach_slow;			/* [w] */
#else
#define pfm_reach_slow	false
#endif

/*
 * Whether the descriptor is of this context, and the caller may use it. The file is only
 * compared: if it is on its way to be freed, the end of the attachment waits for ctx->lock,
 * or for an interprocessor call to this CPU.
 */
static __always_inline bool pfm_reach_is_named(const struct pfm_context *ctx,
					       const struct file *file, int fd)
{
	if (!file)
		file = pfm_host_peek(fd);
	return file && file == READ_ONCE(ctx->file) &&
	       (!READ_ONCE(pfm_access_hardened) || current_cred() == READ_ONCE(ctx->cred));
}

/**
 * pfm_reach_own() - run a function on the context of the caller itself
 * @file: of a context, held by the caller; or NULL
 * @fd:   without @file, the caller's descriptor
 * @fn:   called as by pfm_reach_call(); nothing in it needs ctx->mutex as long as the
 *	  context is loaded
 * @arg:  its argument
 * @ret:  out: what it returned
 *
 * Another thread's command may hold ctx->mutex. What it does to a loaded context comes to
 * this CPU by an interprocessor call, before this or after it; maybe between two pieces of
 * a vector. It cannot create or delete sets, nor load the context: that is loaded. It
 * unloads it under ctx->lock.
 *
 * Context: process, interrupts on.
 * Return: false if nothing was done, and the common way has to be taken: the descriptor is
 * none of this thread's context, or the context is not live yet.
 */
static __always_inline bool pfm_reach_own(const struct file *file, int fd, pfm_reach_fn fn,
					  void *arg, int *ret)
{
	struct pfm_context *ctx;
	bool done = false;

	if (data_race(pfm_reach_slow))
		return false;
	local_irq_disable();
	rcu_read_lock();
	ctx = pfm_host_context(current);
	if (likely(ctx && !pfm_is_tree(ctx) && pfm_reach_is_named(ctx, file, fd))) {
		if (unlikely(ctx->clocked))
			pfm_clock_refresh();
		raw_spin_lock(&ctx->lock);
		done = ctx->task == current && ctx->cpu == smp_processor_id();
		if (likely(done))
			*ret = fn(ctx, arg);
		raw_spin_unlock(&ctx->lock);
	}
	rcu_read_unlock();
	local_irq_enable();
	return done;
}

#endif /* _KERNEL_PERFMON_REACH_H */
