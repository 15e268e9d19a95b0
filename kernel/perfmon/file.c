// SPDX-License-Identifier: GPL-2.0-only
/*
 * perfmon2: a context as a file.
 *
 * The descriptor is what identifies a context and what grants access to it
 * (4.3.1), so everything that a program knows of files works: inheritance,
 * passing it over a socket, poll(), signals, and an end when the last holder
 * is gone, however it goes.
 */
#include <linux/anon_inodes.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/poll.h>
#include <linux/sched/signal.h>
#include <linux/seq_file.h>

#include "host.h"
#include "pfm.h"

static const struct file_operations pfm_file_fops;

/**
 * pfm_file_context() - the context of a file
 * @file: any file
 *
 * Context: any; the caller holds @file.
 * Return: its context, or NULL if it is another kind of file.
 */
struct pfm_context *pfm_file_context(struct file *file)
{
	return file->f_op == &pfm_file_fops ? file->private_data : NULL;
}

/**
 * pfm_file_new() - make the file of a context
 * @ctx: context, whose first reference goes to the file on success
 *
 * Context: process.
 * Return: the file, or an error pointer.
 */
struct file *pfm_file_new(struct pfm_context *ctx)
{
	struct file *file;

	file = anon_inode_getfile("[perfmon]", &pfm_file_fops, ctx, O_RDWR);
	if (!IS_ERR(file))
		ctx->file = file;
	return file;
}

static ssize_t pfm_file_read(struct file *file, char __user *buf, size_t size,
			     loff_t *pos)
{
	struct pfm_context *ctx = file->private_data;
	struct pfm_queue *q = &ctx->queue;
	ssize_t ret;
	bool gone;

	if (!size || size % sizeof(pfm_msg_t))
		return -EINVAL;
	if (!pfm_access_may_use(ctx))
		return -EPERM;

	for (;;) {
		/* Its last message was there before. */
		gone = smp_load_acquire(&ctx->gone);
		ret = pfm_message_read(q, buf, size);
		if (ret > 0)
			pfm_notify_settle(ctx);
		if (ret || gone)
			return ret;
		if (file->f_flags & O_NONBLOCK)
			return -EAGAIN;
		ret = wait_event_interruptible(q->wait, pfm_message_count(q) ||
							READ_ONCE(ctx->gone));
		if (ret)
			return ret;
	}
}

static __poll_t pfm_file_poll(struct file *file, poll_table *wait)
{
	struct pfm_context *ctx = file->private_data;
	__poll_t events = 0;

	poll_wait(file, &ctx->queue.wait, wait);
	/* pfm_notify_is_awaited() sees us wait, or we see the message. */
	smp_mb();
	if (pfm_message_count(&ctx->queue))
		events |= EPOLLIN | EPOLLRDNORM;
	if (READ_ONCE(ctx->gone))
		events |= EPOLLHUP;
	return events;
}

static int pfm_file_fasync(int fd, struct file *file, int on)
{
	struct pfm_context *ctx = file->private_data;
	int ret = fasync_helper(fd, file, on, &ctx->queue.fasync);

	/* pfm_notify_is_awaited() sees us wait, or the program's next call sees the message. */
	smp_mb();
	return ret;
}

/* The thread that is monitored by its own process, with @table; referenced. */
static struct task_struct *pfm_file_target(struct pfm_context *ctx,
					   const void *table)
{
	struct task_struct *task = NULL;
	unsigned long flags;

	raw_spin_lock_irqsave(&ctx->lock, flags);
	if (ctx->task && ctx->self && READ_ONCE(ctx->task->files) == table)
		task = get_task_struct(ctx->task);
	raw_spin_unlock_irqrestore(&ctx->lock, flags);
	return task;
}

/*
 * A process closes one of its descriptors. If it was its last, and the process
 * monitors itself, the context is unloaded though others may still hold it
 * (figure 3.10). A child that a tool monitors, and that drops what it happened
 * to inherit from the tool, goes on being monitored.
 *
 * If nobody else holds the file, it was the last. Otherwise the table that it
 * was taken out of has to be looked through, if the process monitors itself or
 * has mapped the buffer. Whether the process is still the holder need not be
 * known now: pfm_attach_is_open_in() looks, when it matters.
 */
static int pfm_file_flush(struct file *file, fl_owner_t id)
{
	struct pfm_context *ctx = file->private_data;
	struct task_struct *task;
	unsigned long start;
	bool mapped;

	cmpxchg(&ctx->holder, id, NULL);
	/* An exit ends the attachment, and the mapping, by itself. */
	if ((current->flags & PF_EXITING) || fatal_signal_pending(current)) {
		pfm_mapping_disown(&ctx->buf, id);
		return 0;
	}
	/* Closed by the kernel for itself. */
	if (!id)
		return 0;
	mapped = pfm_mapping_closed(&ctx->buf, id, &start);
	task = pfm_file_target(ctx, id);
	if ((mapped || task) &&
	    !(pfm_mapping_others(ctx) && pfm_holder_listed(id, file))) {
		if (mapped)
			pfm_mapping_remove(file, start);
		if (task)
			pfm_attach_close_self(ctx, task);
	}
	if (task)
		put_task_struct(task);
	return 0;
}

/*
 * The last descriptor is closed: detach the context, and free it. A notification
 * that is under way is not waited for.
 */
static int pfm_file_release(struct inode *inode, struct file *file)
{
	struct pfm_context *ctx = file->private_data;

	pfm_attach_close(ctx);
	pfm_context_close(ctx);
	return 0;
}

#ifdef CONFIG_PROC_FS
static void pfm_file_fdinfo(struct seq_file *m, struct file *file)
{
	static const char * const states[] = {
		[PFM_UNLOADED] = "unloaded",
		[PFM_LOADED] = "loaded",
		[PFM_MASKED] = "masked",
	};
	struct pfm_context *ctx = file->private_data;
	struct pid *pid = NULL;
	enum pfm_state state;
	unsigned long flags;
	bool started;
	DECLARE_BITMAP(claims, PFM_MAX_PMCS) = {};
	unsigned int i;
	unsigned int members;
	unsigned long missed;
	u64 lost, throttled;
	bool tree;
	u16 set;
	int cpu;

	raw_spin_lock_irqsave(&ctx->lock, flags);
	state = ctx->state;
	started = ctx->started;
	cpu = ctx->cpu;
	set = ctx->set->id;
	lost = ctx->queue.lost;
	throttled = ctx->throttled;
	tree = pfm_tree_counts(ctx, &members, &missed, &throttled);
	for_each_set_bit(i, ctx->claims, PFM_PMCS_MAX)
		__set_bit(pfm_regmap.pmc[i]->num, claims);
	if (ctx->task && !tree)
		pid = get_pid(task_pid(ctx->task));
	raw_spin_unlock_irqrestore(&ctx->lock, flags);

	seq_printf(m, "pfm-state:\t%s\n", states[state]);
	seq_printf(m, "pfm-started:\t%d\n", started);
	seq_printf(m, "pfm-flags:\t%#x\n", ctx->flags);
	if (state == PFM_UNLOADED)
		seq_puts(m, "pfm-target:\tnone\n");
	else if (pid)
		seq_printf(m, "pfm-target:\ttid %d\n", pid_vnr(pid));
	else if (tree)
		seq_puts(m, "pfm-target:\ttree\n");
	else
		seq_printf(m, "pfm-target:\tcpu %d\n", cpu);
	if (tree)
		seq_printf(m, "pfm-members:\t%u\npfm-missed:\t%lu\n", members, missed);
	seq_printf(m, "pfm-set:\t%u\n", set);
	seq_printf(m, "pfm-claims:\t%*pbl\n", PFM_MAX_PMCS, claims);
	seq_printf(m, "pfm-format:\t%s\n", ctx->format ?
		   pfm_format_fmt(ctx->format)->fmt_name : "none");
	seq_printf(m, "pfm-queued:\t%u\n", pfm_message_count(&ctx->queue));
	seq_printf(m, "pfm-lost:\t%llu\n", lost);
	seq_printf(m, "pfm-throttled:\t%llu\n", throttled);
	put_pid(pid);
}
#endif

static const struct file_operations pfm_file_fops = {
	.owner		= THIS_MODULE,
	.read		= pfm_file_read,
	.poll		= pfm_file_poll,
	.mmap		= pfm_mapping_mmap,
	.fasync		= pfm_file_fasync,
	PFM_HOST_FILE_CALL
	.flush		= pfm_file_flush,
	.release	= pfm_file_release,
#ifdef CONFIG_PROC_FS
	.show_fdinfo	= pfm_file_fdinfo,
#endif
};
