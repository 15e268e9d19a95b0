// SPDX-License-Identifier: GPL-2.0-only
/*
 * perfmon2: the life of a context: what it is made of, who refers to it, who pays for it.
 */
#include <linux/cred.h>
#include <linux/pid_namespace.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "host.h"
#include "pfm.h"

/* Overflows that can wait to be read when no format says how many. */
#define PFM_CONTEXT_DEPTH	14
#define PFM_CONTEXT_DEPTH_MAX	65536

/* What a context takes before it has sets, from the caller or, of a slot, from the creator. */
static int pfm_context_charge(struct pfm_context *ctx, unsigned int depth,
			      const struct pfm_format *format, struct pfm_account *account)
{
	u64 mem = kmalloc_size_roundup(sizeof(*ctx)) + pfm_message_mem(depth);
	int ret;

	if (format)
		mem += kmalloc_size_roundup(sizeof(*ctx->ovfl_arg));
	if (account)
		pfm_account_share(account);
	else
		account = pfm_account_get();
	if (!account)
		return -ENOMEM;
	ctx->account = account;
	ret = pfm_account_charge(ctx->account, PFM_ACCOUNT_SETS, mem);
	if (ret)
		pfm_account_put(ctx->account);
	else
		ctx->mem = mem;
	return ret;
}

static void pfm_context_uncharge(struct pfm_context *ctx)
{
	pfm_account_uncharge(ctx->account, PFM_ACCOUNT_SETS, ctx->mem);
	pfm_account_put(ctx->account);
}

static void pfm_context_release(struct kref *ref)
{
	struct pfm_context *ctx = container_of(ref, struct pfm_context, ref);

	pfm_message_free(&ctx->queue);
	pfm_context_uncharge(ctx);
	/* An attachment's end gives the PMU's registers back before it is over. */
	pfm_pmu_put();
	/*
	 * A hook may have read the thread's pointer just before it went, and
	 * irq_work looks at its flags when our function has returned: sections
	 * that RCU waits for.
	 */
	kfree_rcu(ctx, rcu);
}

/**
 * pfm_context_close() - the end of a context that nobody controls any more
 * @ctx: context that is not loaded, whose file is going away or never was
 *
 * Frees what commands and an attachment need, and drops the file's reference.
 * Others refer to the rest for a moment: a notification that is under way, a
 * thread that stops waiting for PFM_RESTART, the exit that ended the attachment.
 * They can drop the last reference where nothing may sleep. How long a thread stays
 * in the kernel before it finds that it need not wait is for the program to say, so
 * the rest stays on the user's account until then.
 *
 * Context: process.
 */
void pfm_context_close(struct pfm_context *ctx)
{
	pfm_format_close(ctx);
	pfm_set_free_all(ctx);
	if (ctx->faults)
		pfm_host_faults_put();
	/* Whatever ended its last attachment has given them back. */
	if (WARN_ON_ONCE(ctx->held))
		pfm_reserve_put(ctx->held);
	WARN_ON_ONCE(!bitmap_empty(ctx->claims, PFM_PMCS_MAX));
	mutex_destroy(&ctx->mutex);
	put_cred(ctx->cred);
	put_pid_ns(ctx->pid_ns);
	pfm_context_put(ctx);
}

/**
 * pfm_context_get() - take a reference
 * @ctx: context
 *
 * Context: any.
 */
void pfm_context_get(struct pfm_context *ctx)
{
	kref_get(&ctx->ref);
}

/**
 * pfm_context_put() - drop a reference
 * @ctx: context; the last reference finds it closed
 *
 * Context: any but NMI.
 */
void pfm_context_put(struct pfm_context *ctx)
{
	kref_put(&ctx->ref, pfm_context_release);
}

static unsigned int pfm_context_depth(struct pfm_format *format)
{
	size_t depth = PFM_CONTEXT_DEPTH;

	if (format)
		depth = pfm_format_fmt(format)->fmt_msgq_depth;
	return clamp_t(size_t, depth, 1, PFM_CONTEXT_DEPTH_MAX);
}

static struct pfm_context *pfm_context_make(u32 flags, struct pfm_format *format,
					    unsigned int depth, struct pfm_account *account)
{
	struct pfm_context *ctx;
	struct pfm_set *set;
	int ret;

	ctx = kzalloc(sizeof(*ctx), GFP_KERNEL_ACCOUNT);
	if (!ctx)
		return ERR_PTR(-ENOMEM);
	ctx->flags = flags;
	pfm_pmu_get();
	ret = pfm_set_prepare();
	if (!ret)
		ret = pfm_context_charge(ctx, depth, format, account);
	if (ret)
		goto put_pmu;
	ret = pfm_message_init(&ctx->queue, depth);
	if (ret)
		goto uncharge;

	kref_init(&ctx->ref);
	mutex_init(&ctx->mutex);
	raw_spin_lock_init(&ctx->lock);
	init_waitqueue_head(&ctx->block_wait);
	pfm_mapping_init(&ctx->buf);
	xa_init(&ctx->sets);
	ctx->cpu = -1;

	set = pfm_set_new(ctx, 0);
	if (IS_ERR(set)) {
		ret = PTR_ERR(set);
		goto free_queue;
	}
	ctx->set = set;
	ctx->cred = get_current_cred();
	ctx->pid_ns = get_pid_ns(task_active_pid_ns(current));
	ctx->see_kernel = pfm_access_may_see_kernel();
	ctx->format = format;
	ctx->heeds = format && ctx->see_kernel;
	return ctx;

free_queue:
	pfm_message_free(&ctx->queue);
uncharge:
	pfm_context_uncharge(ctx);
put_pmu:
	pfm_pmu_put();
	kfree(ctx);
	return ERR_PTR(ret);
}

/**
 * pfm_context_new() - make a context with set 0; pfm_notify_init() is to follow
 * @flags:  PFM_FL_..., checked
 * @format: its format, or NULL; the reference becomes the context's on success
 *
 * Context: process.
 * Return: the context, or an error pointer: -ENOMEM, also at the limits.
 */
struct pfm_context *pfm_context_new(u32 flags, struct pfm_format *format)
{
	return pfm_context_make(flags, format, pfm_context_depth(format), NULL);
}

/**
 * pfm_context_new_slot() - make a context that counts for a part of another one
 * @sum: the other one, of a tree; its creator pays
 *
 * Nobody reads messages of it.
 *
 * Context: process.
 * Return: as pfm_context_new().
 */
struct pfm_context *pfm_context_new_slot(const struct pfm_context *sum)
{
	struct pfm_context *slot;

	slot = pfm_context_make(sum->flags | PFM_FL_OVFL_NO_MSG, NULL, 1, sum->account);
	if (!IS_ERR(slot))
		slot->see_kernel = sum->see_kernel;
	return slot;
}
