// SPDX-License-Identifier: GPL-2.0-only
/*
 * perfmon2: what programs map and execute, for formats that record it.
 *
 * An address in a sample is a function's only as long as one knows which file
 * was there. Hooks, and not a look at /proc/PID/maps: a process can be gone, or
 * be another program, before anybody looks.
 *
 * The context is whichever is live on this CPU: the thread's, as long as the
 * thread runs, or the CPU's. To find a path the thread may have to sleep, and
 * can be on another CPU, or without a context, when it has got it; so the
 * first look, before, is only whether it is worth while.
 */
#include <linux/fs.h>
#include <linux/kdev_t.h>
#include <linux/mm.h>
#include <linux/string.h>

#include "pfm.h"

/* With interrupts off. NULL if there is none, or its format does not care. */
static struct pfm_context *pfm_maps_context(void)
{
	struct pfm_context *ctx = __this_cpu_read(pfm_cpu.live);

	return ctx && pfm_format_wants_maps(ctx) ? ctx : NULL;
}

static bool pfm_maps_wanted(void)
{
	unsigned long flags;
	bool wanted;

	local_irq_save(flags);
	wanted = pfm_maps_context();
	local_irq_restore(flags);
	return wanted;
}

static void pfm_maps_tell(struct pfm_map_info *info)
{
	struct pfm_context *ctx;
	unsigned long flags;

	local_irq_save(flags);
	/* Nobody else ends that it is live here: it needs no second look. */
	ctx = pfm_maps_context();
	if (ctx) {
		raw_spin_lock(&ctx->lock);
		pfm_format_map(ctx, info);
		raw_spin_unlock(&ctx->lock);
	}
	local_irq_restore(flags);
}

static u64 pfm_maps_flags(unsigned long vm_flags)
{
	/* A shared mapping of a file that is open for reading lacks VM_SHARED. */
	return (vm_flags & VM_READ ? PFM_MAP_READ : 0) |
	       (vm_flags & VM_WRITE ? PFM_MAP_WRITE : 0) |
	       (vm_flags & VM_EXEC ? PFM_MAP_EXEC : 0) |
	       (vm_flags & VM_MAYSHARE ? PFM_MAP_SHARED : 0);
}

/**
 * __pfm_maps_mmap() - current has got a mapping
 * @vma: it, or the one that it has become a part of
 *
 * Context: process, mmap_lock held for writing; may sleep.
 */
void __pfm_maps_mmap(struct vm_area_struct *vma)
{
	struct file *file = vma->vm_file;
	struct pfm_map_info info;
	char *buf, *path = NULL;
	struct inode *inode;

	if (!file || !(vma->vm_flags & VM_EXEC) || !pfm_maps_wanted())
		return;
	buf = __getname();
	if (buf)
		path = file_path(file, buf, PATH_MAX);
	/* One without its path is still known by its inode. */
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
		.flags = pfm_maps_flags(vma->vm_flags),
		.name = path,
		.name_len = strlen(path),
	};
	pfm_maps_tell(&info);
	if (buf)
		__putname(buf);
}

/**
 * pfm_maps_exec() - current executes another program
 * @task: current, with its new name and without any file mapped yet
 *
 * Context: process, under exec_update_lock.
 */
void pfm_maps_exec(struct task_struct *task)
{
	char comm[TASK_COMM_LEN];
	struct pfm_map_info info = { .exec = true, .name = comm };

	if (!pfm_maps_wanted())
		return;
	get_task_comm(comm, task);
	info.name_len = strlen(comm);
	pfm_maps_tell(&info);
}
