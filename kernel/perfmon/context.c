// SPDX-License-Identifier: GPL-2.0-only
/*
 * perfmon2: the life of a context, and how its live state is reached.
 *
 * While a context is loaded the truth is in one CPU, and only code on that
 * CPU touches it. A thread monitored by another need not be stopped for a
 * command: the command goes where the thread is.
 */
#include <linux/cred.h>
#include <linux/file.h>
#include <linux/pid_namespace.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/uaccess.h>

#include "pfm.h"

#define PFM_CONTEXT_FLAGS	(PFM_FL_NOTIFY_BLOCK | PFM_FL_SYSTEM_WIDE | \
				 PFM_FL_OVFL_NO_MSG)

/* Overflows that can wait to be read when no format says how many. */
#define PFM_CONTEXT_DEPTH	14
#define PFM_CONTEXT_DEPTH_MAX	65536

static void pfm_context_release(struct kref *ref)
{
	struct pfm_context *ctx = container_of(ref, struct pfm_context, ref);

	pfm_format_close(ctx);
	pfm_set_free_all(ctx);
	pfm_message_free(&ctx->queue);
	pfm_context_yield_hardware(ctx);
	mutex_destroy(&ctx->mutex);
	put_cred(ctx->cred);
	put_pid_ns(ctx->pid_ns);
	pfm_pmu_put();
	/* A hook may have read the thread's pointer just before it went. */
	kfree_rcu(ctx, rcu);
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
 * @ctx: context; the last reference finds it unloaded and without a file
 *
 * Context: process, if it may be the last.
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

/**
 * pfm_context_new() - make a context with set 0
 * @flags:  PFM_FL_..., checked
 * @format: its format, or NULL; the reference becomes the context's on success
 *
 * Context: process.
 * Return: the context, or an error pointer.
 */
struct pfm_context *pfm_context_new(u32 flags, struct pfm_format *format)
{
	struct pfm_context *ctx;
	struct pfm_set *set;
	int ret;

	ctx = kzalloc(sizeof(*ctx), GFP_KERNEL_ACCOUNT);
	if (!ctx)
		return ERR_PTR(-ENOMEM);
	pfm_pmu_get();
	ret = pfm_message_init(&ctx->queue, pfm_context_depth(format));
	if (ret)
		goto put_pmu;

	kref_init(&ctx->ref);
	mutex_init(&ctx->mutex);
	raw_spin_lock_init(&ctx->lock);
	init_waitqueue_head(&ctx->block_wait);
	init_irq_work(&ctx->notify_work, pfm_message_work);
	xa_init(&ctx->sets);
	ctx->flags = flags;
	ctx->cpu = -1;

	set = pfm_set_new(ctx, 0);
	if (IS_ERR(set)) {
		ret = PTR_ERR(set);
		goto free_queue;
	}
	ctx->set = set;
	ctx->cred = get_current_cred();
	ctx->pid_ns = get_pid_ns(task_active_pid_ns(current));
	ctx->see_kernel = pfm_access_may_create(PFM_FL_SYSTEM_WIDE);
	ctx->format = format;
	return ctx;

free_queue:
	pfm_message_free(&ctx->queue);
put_pmu:
	pfm_pmu_put();
	kfree(ctx);
	return ERR_PTR(ret);
}

/**
 * pfm_context_create() - PFM_CREATE_CONTEXT (3.1.1)
 * @req:  argument, copied in once
 * @uarg: where it came from and the descriptor's number goes to; the format's
 *        argument follows it
 *
 * The descriptor is published last, when nothing can fail any more: another
 * thread may guess its number and use or close it at once.
 *
 * Context: process.
 * Return: 0, or -errno.
 */
int pfm_context_create(pfarg_ctx_t *req, pfarg_ctx_t __user *uarg)
{
	struct pfm_format *format = NULL;
	struct pfm_context *ctx;
	struct file *file;
	int fd, ret;

	if (req->ctx_flags & ~PFM_CONTEXT_FLAGS)
		return -EINVAL;
	/* Table 3.2: there is no thread to block. */
	if ((req->ctx_flags & PFM_FL_SYSTEM_WIDE) &&
	    (req->ctx_flags & PFM_FL_NOTIFY_BLOCK))
		return -EINVAL;
	if (memchr_inv(req->ctx_reserved, 0, sizeof(req->ctx_reserved)))
		return -EINVAL;
	if (!pfm_access_may_create(req->ctx_flags))
		return -EPERM;

	if (memchr_inv(req->ctx_smpl_buf_id, 0, sizeof(req->ctx_smpl_buf_id))) {
		format = pfm_format_get(req->ctx_smpl_buf_id);
		if (IS_ERR(format))
			return PTR_ERR(format);
	}
	ctx = pfm_context_new(req->ctx_flags, format);
	if (IS_ERR(ctx)) {
		pfm_format_put(format);
		return PTR_ERR(ctx);
	}
	if (format) {
		ret = pfm_format_open(ctx, uarg + 1);
		if (ret) {
			pfm_context_put(ctx);
			return ret;
		}
	}
	file = pfm_file_new(ctx);
	if (IS_ERR(file)) {
		pfm_context_put(ctx);
		return PTR_ERR(file);
	}
	/* From here on the file owns the context. */

	fd = get_unused_fd_flags(0);
	if (fd < 0) {
		fput(file);
		return fd;
	}
	req->ctx_fd = fd;
	req->ctx_smpl_buf_size = ctx->buf.size;
	if (copy_to_user(uarg, req, sizeof(*req))) {
		put_unused_fd(fd);
		fput(file);
		return -EFAULT;
	}
	fd_install(fd, file);
	return 0;
}

/**
 * pfm_context_hold_hardware() - have the PMU's registers for a context
 * @ctx: context; nothing happens if it holds them
 *
 * Where an attachment ends and nothing may sleep they stay the context's, until
 * it is unloaded by its command, or destroyed.
 *
 * Context: process, ctx->mutex.
 * Return: 0, or -EBUSY if somebody else in the kernel has them.
 */
int pfm_context_hold_hardware(struct pfm_context *ctx)
{
	int ret;

	lockdep_assert_held(&ctx->mutex);
	if (ctx->hard_held)
		return 0;
	ret = pfm_hw_get();
	ctx->hard_held = !ret;
	return ret;
}

/**
 * pfm_context_yield_hardware() - undo pfm_context_hold_hardware()
 * @ctx: context that is not loaded; nothing happens if it does not hold them
 *
 * Context: process, ctx->mutex or the last reference.
 */
void pfm_context_yield_hardware(struct pfm_context *ctx)
{
	if (!ctx->hard_held)
		return;
	ctx->hard_held = false;
	pfm_hw_put();
}

struct pfm_context_call {
	struct pfm_context *ctx;
	pfm_context_fn fn;
	void *arg;
	int ret;
	bool done;
};

/* Interrupts are off. Leaves done false if the context is live elsewhere. */
static void pfm_context_call_here(void *info)
{
	struct pfm_context_call *call = info;
	struct pfm_context *ctx = call->ctx;

	if (ctx->clocked)
		pfm_soft_refresh();
	raw_spin_lock(&ctx->lock);
	if (ctx->cpu < 0 || ctx->cpu == smp_processor_id()) {
		call->ret = call->fn(ctx, call->arg);
		call->done = true;
	}
	raw_spin_unlock(&ctx->lock);
}

static int pfm_context_go(struct pfm_context *ctx, pfm_context_fn fn, void *arg,
			  bool anywhere)
{
	struct pfm_context_call call = { .ctx = ctx, .fn = fn, .arg = arg };
	unsigned long flags;
	int cpu;

	for (;;) {
		local_irq_save(flags);
		pfm_context_call_here(&call);
		local_irq_restore(flags);
		if (call.done)
			return call.ret;
		if (!anywhere)
			return -EBUSY;

		cpu = READ_ONCE(ctx->cpu);
		if (cpu >= 0)
			smp_call_function_single(cpu, pfm_context_call_here,
						 &call, 1);
		if (call.done)
			return call.ret;
	}
}

/**
 * pfm_context_call() - run a function where the context's live state is
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
 * caller on another CPU (4.3.2).
 */
int pfm_context_call(struct pfm_context *ctx, pfm_context_fn fn, void *arg)
{
	return pfm_context_go(ctx, fn, arg, !pfm_is_system(ctx));
}

/**
 * pfm_context_call_any() - as pfm_context_call(), from any CPU
 * @ctx: context
 * @fn:  as above
 * @arg: as above
 *
 * For close(), which must work from wherever the last holder happens to be.
 *
 * Context: process, interrupts on.
 * Return: what @fn returned.
 */
int pfm_context_call_any(struct pfm_context *ctx, pfm_context_fn fn, void *arg)
{
	return pfm_context_go(ctx, fn, arg, true);
}
