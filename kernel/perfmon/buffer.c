// SPDX-License-Identifier: GPL-2.0-only
/*
 * perfmon2: sampling buffers and their mappings (3.5.4).
 *
 * A buffer belongs to its context and is freed with it. A mapping holds the
 * file, so the context outlives its mappings; and close() of a process' last
 * descriptor removes that process' mapping, so that a mapping does not keep a
 * context alive that nobody can use any more.
 *
 * Who can run at the same moment: the writer, who does not care about
 * mappings; mmap(), munmap(), fork() and exit of any process that has the
 * descriptor, under its own mmap_lock, which is all that they need.
 */
#include <linux/capability.h>
#include <linux/file.h>
#include <linux/mm.h>
#include <linux/sched/user.h>
#include <linux/vmalloc.h>

#include "pfm.h"

/*
 * Locked memory is the user's (RLIMIT_MEMLOCK), as it is for perf_events. What
 * he may not have is not missing from the common limit even for a moment.
 */
static int pfm_buffer_charge(struct pfm_buffer *b, unsigned long pages)
{
	unsigned long limit = rlimit(RLIMIT_MEMLOCK) >> PAGE_SHIFT, old;
	struct user_struct *user = current_user();
	u64 size = (u64)pages << PAGE_SHIFT;
	bool unlimited = capable(CAP_IPC_LOCK);

	old = atomic_long_read(&user->locked_vm);
	do {
		if (!unlimited && (pages > limit || old > limit - pages))
			return -ENOMEM;
	} while (!atomic_long_try_cmpxchg(&user->locked_vm, &old, old + pages));

	if (atomic64_add_return(size, &pfm_config.smpl_buf_size_cur) >
	    READ_ONCE(pfm_config.smpl_buf_size_max)) {
		atomic64_sub(size, &pfm_config.smpl_buf_size_cur);
		atomic_long_sub(pages, &user->locked_vm);
		return -ENOMEM;
	}
	b->user = get_uid(user);
	return 0;
}

static void pfm_buffer_uncharge(struct pfm_buffer *b)
{
	atomic_long_sub(b->size >> PAGE_SHIFT, &b->user->locked_vm);
	free_uid(b->user);
	atomic64_sub(b->size, &pfm_config.smpl_buf_size_cur);
}

/**
 * pfm_buffer_alloc() - allocate the buffer of a context
 * @ctx:  context that nobody knows yet
 * @size: bytes, at least 1; rounded up to whole pages
 *
 * Context: process.
 * Return: 0, or -ENOMEM, also at the limits.
 */
int pfm_buffer_alloc(struct pfm_context *ctx, size_t size)
{
	struct pfm_buffer *b = &ctx->buf;
	int ret;

	if (size > READ_ONCE(pfm_config.smpl_buf_size_max) || size > LONG_MAX / 2)
		return -ENOMEM;
	size = PAGE_ALIGN(size);
	ret = pfm_buffer_charge(b, size >> PAGE_SHIFT);
	if (ret)
		return ret;
	b->size = size;
	b->addr = __vmalloc(size, GFP_KERNEL_ACCOUNT | __GFP_ZERO | __GFP_NOWARN);
	if (!b->addr) {
		pfm_buffer_uncharge(b);
		return -ENOMEM;
	}
	return 0;
}

/**
 * pfm_buffer_free() - free the buffer of a context, if it has one
 * @ctx: context that nobody knows any more
 *
 * Context: process.
 */
void pfm_buffer_free(struct pfm_context *ctx)
{
	if (!ctx->buf.addr)
		return;
	vfree(ctx->buf.addr);
	pfm_buffer_uncharge(&ctx->buf);
}

static void pfm_buffer_vma_open(struct vm_area_struct *vma)
{
	struct pfm_context *ctx = vma->vm_file->private_data;

	atomic_inc(&ctx->buf.mappings);
}

static void pfm_buffer_vma_close(struct vm_area_struct *vma)
{
	struct pfm_context *ctx = vma->vm_file->private_data;

	atomic_dec(&ctx->buf.mappings);
}

/* It is where it is: nothing is known of such a mapping's new place. */
static int pfm_buffer_vma_mremap(struct vm_area_struct *vma)
{
	return -EINVAL;
}

static const struct vm_operations_struct pfm_buffer_vm_ops = {
	.open	= pfm_buffer_vma_open,
	.close	= pfm_buffer_vma_close,
	.mremap	= pfm_buffer_vma_mremap,
};

/* The first mapping of a file in this process. Under mmap_lock. */
static struct vm_area_struct *pfm_buffer_find(struct file *file)
{
	VMA_ITERATOR(vmi, current->mm, 0);
	struct vm_area_struct *vma;

	for_each_vma(vmi, vma)
		if (vma->vm_file == file && vma->vm_ops == &pfm_buffer_vm_ops)
			return vma;
	return NULL;
}

/**
 * pfm_buffer_mmap() - map the buffer (3.5.4)
 * @file: of a context
 * @vma:  what is wanted: all of it, read-only, shared, once in a process
 *
 * Context: process, mmap_lock of the process.
 * Return: 0; -EINVAL; -EBUSY if this process has it mapped; -ENOMEM.
 */
int pfm_buffer_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct pfm_context *ctx = file->private_data;
	struct pfm_buffer *b = &ctx->buf;
	/* What mlockall() wants of future mappings is not what was asked for. */
	unsigned long bad = VM_WRITE | VM_EXEC | VM_GROWSDOWN |
			    (VM_LOCKED & ~vma->vm_mm->def_flags);
	unsigned long at;
	int ret;

	if (!b->addr)
		return -EINVAL;
	if (vma->vm_pgoff || vma->vm_end - vma->vm_start != b->size)
		return -EINVAL;
	if ((vma->vm_flags & (VM_READ | VM_SHARED)) != (VM_READ | VM_SHARED) ||
	    (vma->vm_flags & bad))
		return -EINVAL;
	if (!pfm_access_may_use(ctx))
		return -EPERM;
	if (atomic_read(&b->mappings) && pfm_buffer_find(file))
		return -EBUSY;

	vma->vm_flags &= ~(VM_MAYWRITE | VM_MAYEXEC);
	vma->vm_flags |= VM_DONTEXPAND | VM_DONTDUMP;
	for (at = 0; at < b->size; at += PAGE_SIZE) {
		ret = vm_insert_page(vma, vma->vm_start + at,
				     vmalloc_to_page(b->addr + at));
		if (ret)
			return ret;
	}
	vma->vm_ops = &pfm_buffer_vm_ops;
	pfm_buffer_vma_open(vma);
	return 0;
}

/**
 * pfm_buffer_unmap() - remove this process' mapping, or what is left of it
 * @ctx:  context
 * @file: its file
 *
 * Context: process, no locks.
 */
void pfm_buffer_unmap(struct pfm_context *ctx, struct file *file)
{
	struct mm_struct *mm = current->mm;
	struct vm_area_struct *vma;
	unsigned long start, len;
	int ret;

	if (!mm || !atomic_read(&ctx->buf.mappings))
		return;
	do {
		if (mmap_write_lock_killable(mm))
			return;
		vma = pfm_buffer_find(file);
		if (!vma) {
			mmap_write_unlock(mm);
			return;
		}
		start = vma->vm_start;
		len = vma->vm_end - start;
		ret = do_munmap(mm, start, len, NULL);
		mmap_write_unlock(mm);
	} while (!ret);
}
