// SPDX-License-Identifier: GPL-2.0-only
/*
 * perfmon2: what programs map and execute, for formats that record it.
 *
 * An address in a sample names a function only if one knows which file was mapped
 * there. This needs hooks: by the time that a program reads /proc/PID/maps, the
 * process can have ended or be running another program.
 *
 * The record goes to the contexts that are live on this CPU: the thread's own, and
 * the CPU's. To find the path of the file the thread may have to sleep,
 * and afterwards it can be on another CPU, or without a context. So the look before
 * that only decides whether to go on at all, and the one after it counts.
 */
#include <linux/fs.h>
#include <linux/kdev_t.h>
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/string.h>

#include "host.h"
#include "pfm.h"

/* With interrupts off: live contexts whose formats record maps, or @fork; others are NULL. */
static void pfm_image_contexts(struct pfm_context *ctx[2], bool fork)
{
	const struct pfm_cpu *c = this_cpu_ptr(&pfm_cpu);
	int i;

	ctx[0] = c->live;
	ctx[1] = pfm_attach_of_cpu(c);
	for (i = 0; i < 2; i++)
		if (ctx[i] && !pfm_format_wants_maps(ctx[i], fork))
			ctx[i] = NULL;
}

static bool pfm_image_wanted(bool fork)
{
	struct pfm_context *ctx[2];
	unsigned long flags;

	local_irq_save(flags);
	pfm_image_contexts(ctx, fork);
	local_irq_restore(flags);
	return ctx[0] || ctx[1];
}

/* @child: that was made, or NULL */
static void pfm_image_tell(struct pfm_map_info *info, struct task_struct *child)
{
	struct pfm_context *ctx[2];
	unsigned long flags;
	int i;

	local_irq_save(flags);
	/* Only this CPU can end that a context is live here: no need to look again. */
	pfm_image_contexts(ctx, info->fork);
	for (i = 0; i < 2; i++) {
		if (!ctx[i])
			continue;
		raw_spin_lock(&ctx[i]->lock);
		if (child)
			info->child = task_tgid_nr_ns(child, ctx[i]->pid_ns);
		pfm_format_map(ctx[i], info);
		raw_spin_unlock(&ctx[i]->lock);
	}
	local_irq_restore(flags);
}

static u64 pfm_image_flags(unsigned long vm_flags)
{
	/* A shared mapping of a file that is open for reading lacks VM_SHARED. */
	return (vm_flags & VM_READ ? PFM_MAP_READ : 0) |
	       (vm_flags & VM_WRITE ? PFM_MAP_WRITE : 0) |
	       (vm_flags & VM_EXEC ? PFM_MAP_EXEC : 0) |
	       (vm_flags & VM_MAYSHARE ? PFM_MAP_SHARED : 0);
}

/**
 * __pfm_image_mmap() - current has got a mapping
 * @vma: the new mapping, or the older one that the kernel has merged it with
 *
 * Context: process, mmap_lock held for writing.
 */
void __pfm_image_mmap(struct vm_area_struct *vma)
{
	struct file *file = vma->vm_file;
	struct pfm_map_info info;
	char *buf, *path = NULL;
	struct inode *inode;

	if (!file || !(vma->vm_flags & VM_EXEC) || !pfm_image_wanted(false))
		return;
	buf = pfm_host_get_path_buffer();
	if (buf)
		path = file_path(file, buf, PATH_MAX);
	/* Without its path the file is still identified by its inode. */
	if (IS_ERR_OR_NULL(path))
		path = "";
	inode = file_inode(file);
	info = (struct pfm_map_info) {
		.addr = vma->vm_start,
		.len = vma->vm_end - vma->vm_start,
		.pgoff = (u64)vma->vm_pgoff << PAGE_SHIFT,
		.ino = inode->i_ino,
		.major = MAJOR(inode->i_sb->s_dev),
		.minor = MINOR(inode->i_sb->s_dev),
		.flags = pfm_image_flags(vma->vm_flags),
		.name = path,
		.name_len = strlen(path),
	};
	pfm_image_tell(&info, NULL);
	if (buf)
		pfm_host_put_path_buffer(buf);
}

/**
 * pfm_image_exec() - current executes another program
 * @task: current, with its new name and without any file mapped yet
 *
 * Context: process, under exec_update_lock.
 */
void pfm_image_exec(struct task_struct *task)
{
	char comm[TASK_COMM_LEN];
	struct pfm_map_info info = { .exec = true, .name = comm };

	if (!pfm_image_wanted(false))
		return;
	get_task_comm(comm, task);
	info.name_len = strlen(comm);
	pfm_image_tell(&info, NULL);
}

/**
 * __pfm_image_fork() - current has made a thread
 * @child: new thread, which can be found already, and has not run yet; nothing happens
 *	   unless it is the first one of a process
 *
 * What the process executes was mapped in another one, and it may be gone before any program
 * has looked.
 *
 * Context: process.
 */
void __pfm_image_fork(struct task_struct *child)
{
	struct pfm_map_info info = { .fork = true, .name = "" };

	if (thread_group_leader(child) && pfm_image_wanted(true))
		pfm_image_tell(&info, child);
}
