// SPDX-License-Identifier: GPL-2.0-only
/*
 * perfmon2: the monitored thread waits for PFM_RESTART (PFM_FL_NOTIFY_BLOCK).
 *
 * Who can meet here: the thread, which finds the work on its way to user
 * level or in exit; the irq_work of an overflow, which puts it there; and
 * whoever restarts, unloads or closes. ctx->lock decides between them. The
 * work cannot be taken off a thread's list reliably, so it is an object of
 * its own, made with the attachment, and the last of the two to be done with
 * it, list and attachment, frees it.
 */
#include <linux/cgroup.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "pfm.h"

/*
 * A process that is being killed does not wait, nor do threads that an exec
 * has to get rid of. The signal itself does not say so: a thread that is on
 * its way out has taken it, and there will be no other.
 */
static bool pfm_block_must_wait(struct pfm_context *ctx)
{
	unsigned long flags;
	bool wait;

	raw_spin_lock_irqsave(&ctx->lock, flags);
	wait = ctx->task == current && ctx->blocked &&
	       !(current->signal->flags & SIGNAL_GROUP_EXIT) &&
	       !current->signal->group_exec_task;
	raw_spin_unlock_irqrestore(&ctx->lock, flags);
	return wait;
}

/* It holds nothing, so for a control group it is as good as frozen. */
static void pfm_block_sleep(struct pfm_context *ctx)
{
	cgroup_enter_frozen();
	wait_event_state(ctx->block_wait, !pfm_block_must_wait(ctx),
			 (TASK_IDLE | TASK_WAKEKILL | TASK_FREEZABLE));
	cgroup_leave_frozen(false);
}

/* In the monitored thread, before it returns to user level. */
static void pfm_block_wait(struct callback_head *work)
{
	struct pfm_blocker *b = container_of(work, struct pfm_blocker, work);
	struct pfm_context *ctx = b->ctx;
	unsigned long flags;
	bool orphan;

	raw_spin_lock_irqsave(&ctx->lock, flags);
	b->queued = false;
	orphan = b->orphan;
	/* Unless it is an orphan, b may go away with the attachment now. */
	pfm_context_get(ctx);
	raw_spin_unlock_irqrestore(&ctx->lock, flags);

	if (orphan)
		pfm_block_release(b);
	else if (!(current->flags & PF_EXITING))
		pfm_block_sleep(ctx);
	pfm_context_put(ctx);
}

/**
 * pfm_block_prepare() - make what an attachment needs to block its thread
 * @ctx:     context
 * @blocker: out: the object, or NULL if @ctx does not block
 *
 * Context: process.
 * Return: 0, or -ENOMEM.
 */
int pfm_block_prepare(struct pfm_context *ctx, struct pfm_blocker **blocker)
{
	struct pfm_blocker *b;

	*blocker = NULL;
	if (!(ctx->flags & PFM_FL_NOTIFY_BLOCK))
		return 0;

	b = kzalloc(sizeof(*b), GFP_KERNEL_ACCOUNT);
	if (!b)
		return -ENOMEM;
	init_task_work(&b->work, pfm_block_wait);
	b->ctx = ctx;
	pfm_context_get(ctx);
	*blocker = b;
	return 0;
}

/**
 * pfm_block_release() - free a blocker
 * @b: on no list, known to nobody; or NULL
 *
 * Context: process.
 */
void pfm_block_release(struct pfm_blocker *b)
{
	if (!b)
		return;
	pfm_context_put(b->ctx);
	kfree(b);
}

/**
 * pfm_block_queue() - have the monitored thread wait before user level
 * @ctx: context; nothing happens unless its thread has to
 *
 * The thread is the one that this interrupt interrupted, or was switched out
 * a moment ago: in both cases it has yet to pass the check for work.
 *
 * Context: interrupt.
 */
void pfm_block_queue(struct pfm_context *ctx)
{
	struct task_struct *task = NULL;
	struct pfm_blocker *b;
	unsigned long flags;
	bool orphan = false;

	raw_spin_lock_irqsave(&ctx->lock, flags);
	b = ctx->blocker;
	if (b && ctx->blocked && !b->queued) {
		b->queued = true;
		task = get_task_struct(ctx->task);
	}
	raw_spin_unlock_irqrestore(&ctx->lock, flags);
	if (!task)
		return;

	/* Not under the lock: a debugging kernel allocates in there. */
	if (task_work_add(task, &b->work, TWA_RESUME)) {
		/* It is past all returns to user level. */
		raw_spin_lock_irqsave(&ctx->lock, flags);
		b->queued = false;
		orphan = b->orphan;
		raw_spin_unlock_irqrestore(&ctx->lock, flags);
	}
	/* The file holds a reference while this runs: ours is not the last. */
	if (orphan)
		pfm_block_release(b);
	put_task_struct(task);
}

/**
 * pfm_block_orphan() - the attachment is over
 * @ctx: context
 *
 * The thread that waits, if any, is the caller's to wake.
 *
 * Context: ctx->lock, interrupts off.
 * Return: what to hand to pfm_block_release() when the lock is gone.
 */
struct pfm_blocker *pfm_block_orphan(struct pfm_context *ctx)
{
	struct pfm_blocker *b = ctx->blocker;

	ctx->blocker = NULL;
	ctx->blocked = false;
	if (b && b->queued) {
		b->orphan = true;
		b = NULL;
	}
	return b;
}
