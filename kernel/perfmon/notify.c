// SPDX-License-Identifier: GPL-2.0-only
/*
 * perfmon2: how a program learns of an overflow: by a message, a wake-up of whoever
 * waits for it in read() or poll(), SIGIO, and by its own thread that stops.
 *
 * An overflow can be found in an NMI, or under the scheduler's locks. Waking a reader
 * takes such locks itself; that is left to an irq_work. SIGIO to a process group, which is
 * as many signals as there are processes in it, is left to a worker.
 */
#include <linux/fs.h>
#include <linux/pid.h>
#include <linux/poll.h>
#include <linux/workqueue.h>

#include "compat.h"
#include "host.h"
#include "pfm.h"

/**
 * pfm_notify_overflow() - queue the message of an overflow, if the context has any
 * @ctx:  context
 * @ovfl: its counters that overflowed
 *
 * Context: owner of the context's live state; NMI too.
 * Return: false if there was no room, and the message is lost.
 */
bool pfm_notify_overflow(struct pfm_context *ctx, u64 ovfl)
{
	if ((ctx->flags & PFM_FL_OVFL_NO_MSG) ||
	    pfm_message_overflow(&ctx->queue, ctx->set->id, ovfl))
		return true;
	pfm_stat_inc(PFM_STAT_LOST);
	return false;
}

/*
 * Whether an overflow concerns anybody who does not look by himself. Who begins to wait
 * does so before a full barrier, in wait_event(), pfm_file_poll() or pfm_file_fasync(), and
 * looks for messages after it: either we see him, or he sees the message that is there now.
 */
static bool pfm_notify_is_awaited(struct pfm_context *ctx)
{
	return (ctx->flags & PFM_FL_NOTIFY_BLOCK) ||
	       wq_has_sleeper(&ctx->queue.wait) ||
	       READ_ONCE(ctx->queue.fasync);
}

/**
 * pfm_notify_wake() - wake readers and send SIGIO, a moment later
 * @ctx: context
 *
 * If nobody waits there is no interrupt: it costs more than all else of an overflow.
 *
 * The notification has a reference of its own, since close() does not wait
 * for it. It is run by this CPU when interrupts are on again: not before it has
 * got the reference.
 *
 * Context: owner of the context's live state, interrupts off; NMI too. The
 * message, if any, is in the queue: a signal never comes before its message
 * (3.3.7).
 */
void pfm_notify_wake(struct pfm_context *ctx)
{
	lockdep_assert(irqs_disabled());
	if (pfm_notify_is_awaited(ctx) && irq_work_queue(&ctx->notify_work))
		pfm_context_get(ctx);
}

/* Of a context with a reference, which may have been closed meanwhile: SIGIO to a group. */
static void pfm_notify_group_work(struct work_struct *work)
{
	struct pfm_context *ctx = container_of(work, struct pfm_context, group_work);

	kill_fasync(&ctx->queue.fasync, SIGIO, POLL_IN);
	pfm_context_put(ctx);
}

/*
 * Whether SIGIO goes to a process group. A context has one file, and so one entry at most;
 * kill_fasync() looks at it by the same lock. The answer can be late by a F_SETOWN.
 */
static bool pfm_notify_is_group(struct pfm_context *ctx)
{
	const struct fown_struct *owner;
	struct fasync_struct *fa;
	unsigned long flags;
	bool group = false;

	rcu_read_lock();
	fa = rcu_dereference(ctx->queue.fasync);
	if (fa) {
		read_lock_irqsave(&fa->fa_lock, flags);
		owner = fa->fa_file ? file_f_owner(fa->fa_file) : NULL;
		group = owner && READ_ONCE(owner->pid_type) > PIDTYPE_TGID;
		read_unlock_irqrestore(&fa->fa_lock, flags);
	}
	rcu_read_unlock();
	return group;
}

static void pfm_notify_signal(struct pfm_context *ctx)
{
	if (!pfm_notify_is_group(ctx)) {
		kill_fasync(&ctx->queue.fasync, SIGIO, POLL_IN);
		return;
	}
	pfm_context_get(ctx);
	if (!pfm_host_queue_work(&ctx->group_work))
		pfm_context_put(ctx);
}

/*
 * The part of a notification that takes locks, of a context which may have been closed
 * meanwhile: in an interrupt, on the CPU where pfm_notify_wake() was called. If it is
 * queued again while it runs, two of it can run at the same moment, on two CPUs.
 */
static void pfm_notify_work(struct irq_work *work)
{
	struct pfm_context *ctx =
		container_of(work, struct pfm_context, notify_work);

	if (ctx->flags & PFM_FL_NOTIFY_BLOCK)
		pfm_block_queue(ctx);
	/* Pairs as in pfm_notify_is_awaited(). */
	if (wq_has_sleeper(&ctx->queue.wait))
		wake_up_interruptible_poll(&ctx->queue.wait, EPOLLIN | EPOLLRDNORM |
					   (READ_ONCE(ctx->gone) ? EPOLLHUP : 0));
	if (READ_ONCE(ctx->queue.fasync))
		pfm_notify_signal(ctx);
	pfm_context_put(ctx);
}

/**
 * pfm_notify_init() - prepare the notifications of a new context
 * @ctx: context that nobody has seen yet
 *
 * Context: process.
 */
void pfm_notify_init(struct pfm_context *ctx)
{
	init_irq_work(&ctx->notify_work, pfm_notify_work);
	INIT_WORK(&ctx->group_work, pfm_notify_group_work);
}

/**
 * pfm_notify_settle() - wait until the thread that a message is about has to block
 * @ctx: context, of whose queue a message was taken
 *
 * A message can be read before its irq_work has run, which may be late (sched.c says
 * why). When this returns the thread has been told: it blocks before it next returns to
 * user level. If it is at user level on another CPU, it runs on there until it is kicked
 * out, or has entered the kernel by itself: for one system call at most.
 *
 * Context: process, interrupts on, no locks. Any number of threads can wait here.
 */
void pfm_notify_settle(struct pfm_context *ctx)
{
	if (!(ctx->flags & PFM_FL_NOTIFY_BLOCK))
		return;
	/* The message and its irq_work are queued in one section. */
	raw_spin_lock_irq(&ctx->lock);
	raw_spin_unlock_irq(&ctx->lock);
	while (irq_work_is_busy(&ctx->notify_work)) {
		cond_resched();
		cpu_relax();
	}
}
