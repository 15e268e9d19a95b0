// SPDX-License-Identifier: GPL-2.0-only
/*
 * perfmon2: the monitored thread waits for PFM_RESTART (PFM_FL_NOTIFY_BLOCK).
 *
 * Who can meet here: the thread, which finds the work on its way to user
 * level or in exit; the irq_work of an overflow, which puts it there; and a
 * command that restarts or unloads, or close(). ctx->lock decides between them.
 * The work cannot be taken off a thread's list reliably. So it is an object of
 * its own, made with the attachment; it is freed when it is off the list and the
 * attachment is over, by the later of the two.
 */
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "host.h"
#include "pfm.h"

/* What the allocator takes for one. */
#define PFM_BLOCK_MEM	kmalloc_size_roundup(sizeof(struct pfm_blocker))

/*
 * A process that is being killed does not wait, nor do threads that an exec
 * has to get rid of. fatal_signal_pending() cannot tell: an exiting thread has
 * dequeued its SIGKILL, and a tracer that stops it there (PTRACE_EVENT_EXIT) has it run
 * this work before it has PF_EXITING.
 */
static bool pfm_block_must_wait(struct pfm_context *ctx)
{
	unsigned long flags;
	bool wait;

	raw_spin_lock_irqsave(&ctx->lock, flags);
	wait = ctx->task == current && ctx->blocked &&
	       !(READ_ONCE(current->signal->flags) & SIGNAL_GROUP_EXIT) &&
	       !READ_ONCE(current->signal->group_exec_task);
	raw_spin_unlock_irqrestore(&ctx->lock, flags);
	return wait;
}

/*
 * The thread holds no lock here, so the freezer of its control group may count it as
 * frozen. pfm_host_freeze() and pfm_host_thaw(), which tell the freezer so, take a lock of
 * all groups each. So the thread first waits interruptibly: the freezer ends that wait, as
 * a signal does, and only then it is told. The signal has to wait until PFM_RESTART.
 */
static void pfm_block_sleep(struct pfm_context *ctx)
{
	if (!wait_event_state(ctx->block_wait, !pfm_block_must_wait(ctx),
			      (TASK_INTERRUPTIBLE | TASK_FREEZABLE)))
		return;
	pfm_host_freeze();
	wait_event_state(ctx->block_wait, !pfm_block_must_wait(ctx),
			 (TASK_IDLE | TASK_WAKEKILL | TASK_FREEZABLE));
	pfm_host_thaw();
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
	pfm_host_pin();
	raw_spin_unlock_irqrestore(&ctx->lock, flags);

	if (orphan)
		pfm_block_release(b);
	else if (!(current->flags & PF_EXITING))
		pfm_block_sleep(ctx);
	pfm_context_put(ctx);
	pfm_host_unpin();
}

/**
 * pfm_block_prepare() - make what an attachment needs to block its thread
 * @ctx:     context
 * @blocker: out: the object, or NULL if @ctx does not block
 *
 * The creator of the context pays for it until pfm_block_release(), since a thread
 * can have many on its list: one of each attachment that has ended.
 *
 * Context: process.
 * Return: 0, or -ENOMEM, also at a limit.
 */
int pfm_block_prepare(struct pfm_context *ctx, struct pfm_blocker **blocker)
{
	struct pfm_blocker *b;
	int ret;

	*blocker = NULL;
	if (!(ctx->flags & PFM_FL_NOTIFY_BLOCK))
		return 0;

	ret = pfm_account_charge(ctx->account, PFM_ACCOUNT_SETS, PFM_BLOCK_MEM);
	if (ret)
		return ret;
	b = kzalloc(sizeof(*b), GFP_KERNEL_ACCOUNT);
	if (!b) {
		pfm_account_uncharge(ctx->account, PFM_ACCOUNT_SETS, PFM_BLOCK_MEM);
		return -ENOMEM;
	}
	init_task_work(&b->work, pfm_block_wait);
	pfm_host_pin();
	b->ctx = ctx;
	pfm_context_get(ctx);
	*blocker = b;
	return 0;
}

/**
 * pfm_block_release() - free a blocker
 * @b: on no list and without other users; or NULL
 *
 * Context: any but NMI.
 */
void pfm_block_release(struct pfm_blocker *b)
{
	if (!b)
		return;
	pfm_account_uncharge(b->ctx->account, PFM_ACCOUNT_SETS, PFM_BLOCK_MEM);
	pfm_context_put(b->ctx);
	kfree(b);
	pfm_host_unpin();
}

/**
 * pfm_block_queue() - have the monitored thread wait before user level
 * @ctx: context; nothing happens unless its thread has to
 *
 * The thread is the one that this interrupt interrupted, or was switched out before:
 * as a rule it has yet to pass the check for work. If this interrupt comes late, the
 * thread may be at user level on another CPU already: TWA_RESUME sends that CPU an
 * interrupt, on whose way back the thread finds the work.
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

	/* Not under the lock: on a debugging kernel task_work_add() allocates. */
	if (task_work_add(task, &b->work, TWA_RESUME)) {
		/* The thread exits: it returns to user level no more. */
		raw_spin_lock_irqsave(&ctx->lock, flags);
		b->queued = false;
		orphan = b->orphan;
		raw_spin_unlock_irqrestore(&ctx->lock, flags);
	}
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

	pfm_assert_live(ctx);
	ctx->blocker = NULL;
	ctx->blocked = false;
	if (b && b->queued) {
		b->orphan = true;
		b = NULL;
	}
	return b;
}
