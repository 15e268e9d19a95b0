// SPDX-License-Identifier: GPL-2.0-only
/*
 * perfmon2: how a context's live state is reached.
 *
 * While the monitored thread runs, the current values are in the registers of its
 * CPU, and only code on that CPU can reach them. A thread need not be stopped for a
 * command from another thread: the command goes to the CPU where the thread is.
 */
#include <linux/irqflags.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/smp.h>

#include "clock.h"
#include "pfm.h"
#include "reach.h"

#if IS_ENABLED(CONFIG_PERFMON_KUNIT_TEST)
bool pfm_reach_slow;
#endif

/*
 * Interrupts are off. False if the context is live on another CPU. No lock is taken
 * where it was not live a moment ago.
 */
static __always_inline bool pfm_reach_try(struct pfm_context *ctx,
					    pfm_reach_fn fn, void *arg, int *ret)
{
	int cpu = READ_ONCE(ctx->cpu);
	bool here;

	if (cpu >= 0 && cpu != smp_processor_id())
		return false;
	if (unlikely(ctx->clocked))
		pfm_clock_refresh();
	raw_spin_lock(&ctx->lock);
	here = ctx->cpu < 0 || ctx->cpu == smp_processor_id();
	if (likely(here))
		*ret = fn(ctx, arg);
	raw_spin_unlock(&ctx->lock);
	return here;
}

/* A call on another CPU, whose caller waits for it. [s] */
struct pfm_reach_call {
	struct pfm_context *ctx;
	pfm_reach_fn fn;
	void *arg;
	int ret;
	bool done;
};

static void pfm_reach_call_there(void *info)
{
	struct pfm_reach_call *call = info;

	call->done = pfm_reach_try(call->ctx, call->fn, call->arg, &call->ret);
}

/*
 * Follow the thread from CPU to CPU. It can be gone again each time: others get their
 * turn in between, and a caller who has been killed gives up, unless it is @always done.
 */
static noinline int pfm_reach_follow(struct pfm_context *ctx, pfm_reach_fn fn,
				       void *arg, bool always)
{
	struct pfm_reach_call call = { .ctx = ctx, .fn = fn, .arg = arg };
	int cpu;

	for (;;) {
		cpu = READ_ONCE(ctx->cpu);
		if (cpu >= 0) {
			smp_call_function_single(cpu, pfm_reach_call_there, &call, 1);
		} else {
			local_irq_disable();
			pfm_reach_call_there(&call);
			local_irq_enable();
		}
		if (call.done)
			return call.ret;
		if (!always && fatal_signal_pending(current))
			return -EINTR;
		cond_resched();
	}
}

static __always_inline int pfm_reach_go(struct pfm_context *ctx, pfm_reach_fn fn,
					  void *arg, bool anywhere, bool always)
{
	bool done;
	int ret;

	local_irq_disable();
	done = pfm_reach_try(ctx, fn, arg, &ret);
	local_irq_enable();
	if (likely(done))
		return ret;
	return anywhere ? pfm_reach_follow(ctx, fn, arg, always) : -EBUSY;
}

/**
 * pfm_reach_call() - run a function where the context's live state is
 * @ctx: context
 * @fn:  called under ctx->lock with interrupts off: on the CPU where @ctx is
 *       live, or here if it is on none
 * @arg: its argument
 *
 * A thread that is about to be switched in or out waits for the lock in its
 * hook. One that is switched faster than we follow makes us try again.
 *
 * Context: process, interrupts on.
 * Return: what @fn returned; -EBUSY for a loaded system-wide context and a
 * caller on another CPU (4.3.2); -EINTR if the caller has been killed.
 */
int pfm_reach_call(struct pfm_context *ctx, pfm_reach_fn fn, void *arg)
{
	return pfm_reach_go(ctx, fn, arg, !pfm_is_system(ctx), false);
}

/**
 * pfm_reach_call_pieces() - as pfm_reach_call(), for the elements of a vector
 * @ctx:   context
 * @piece: as above; works on elements until pfm_vector_end(), or one fails
 * @v:     vector, its argument
 *
 * Pieces have a bounded length, since each runs with interrupts off. All of them find
 * the same CPU (3.1). Nothing in here sleeps: a thread that may not leave its CPU must
 * not keep it from going offline.
 *
 * Context: process, interrupts on.
 * Return: 0; what @piece returned for the element that failed; and as above.
 */
int pfm_reach_call_pieces(struct pfm_context *ctx, pfm_reach_fn piece,
			    struct pfm_vector *v)
{
	bool pin = pfm_is_system(ctx) && v->n > PFM_VECTOR_PIECE;
	int ret = 0;

	if (pin)
		migrate_disable();
	while (v->done < v->n && !ret)
		ret = pfm_reach_call(ctx, piece, v);
	if (pin)
		migrate_enable();
	return ret;
}

/**
 * pfm_reach_call_any() - as pfm_reach_call(), from any CPU
 * @ctx: context
 * @fn:  as above
 * @arg: as above
 *
 * For close(), which must work from wherever the last holder happens to be, and however
 * he ends.
 *
 * Context: process, interrupts on.
 * Return: what @fn returned.
 */
int pfm_reach_call_any(struct pfm_context *ctx, pfm_reach_fn fn, void *arg)
{
	return pfm_reach_go(ctx, fn, arg, true, true);
}
