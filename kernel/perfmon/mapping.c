// SPDX-License-Identifier: GPL-2.0-only
/*
 * perfmon2: the mappings of sampling buffers (3.5.4).
 *
 * A mapping holds the file, so the context outlives its mappings; and close() of
 * a process' last descriptor removes that process' mapping, so that a mapping
 * does not keep a context alive, and attached, that nobody can use any more.
 *
 * For that a context knows who has it mapped: one struct pfm_mapping for each
 * address space, made by mmap() or by fork(), freed with its last VMA. close()
 * looks for that of its own address space among these, and neither among the
 * VMAs of the process nor among the threads of the system. A mapping is removed
 * by the table of descriptors that it was made with: a child of vfork() that
 * closes what it has inherited runs in its parent's memory, and a thread can have
 * descriptors of its own.
 *
 * Who can run at the same moment: the writer, who does not care about mappings;
 * mmap(), munmap(), fork() and exit of any process that has the descriptor, each
 * under its own mmap_lock; close(), exit and exec of those. pfm_buffer.lock
 * decides between mmap() and close(): either close() finds the mapping, or mmap()
 * finds that there was a close(), and looks whether it has its descriptor yet.
 */
#include <linux/fdtable.h>
#include <linux/mm.h>
#include <linux/rbtree.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "compat.h"
#include "host.h"
#include "pfm.h"

/*
 * What a process has mapped. All of it under pfm_buffer.lock. A user can have thousands of
 * processes, which end at any rate: two trees, so that none of them looks at all others. [s]
 */
struct pfm_mapping {
	struct rb_node by_mm;
	struct rb_node by_table;	/* if it has a table */
	const struct mm_struct *mm;	/* not referenced: has VMAs of ours */
	const void *table;		/* whose last close() removes it; NULL if
					 * it was inherited, or that is gone */
	unsigned long start;		/* of the whole, before any munmap() */
	unsigned int vmas;		/* that are left of it */
	bool counted;			/* mmap() made it: they are in pfm_buffer.vmas */
};

/**
 * pfm_mapping_init() - a new context is mapped by nobody
 * @b: its buffer
 *
 * Context: any.
 */
void pfm_mapping_init(struct pfm_buffer *b)
{
	spin_lock_init(&b->lock);
	b->mappings = RB_ROOT;
	b->tables = RB_ROOT;
}

static int pfm_mapping_cmp_mm(const void *mm, const struct rb_node *node)
{
	const void *other = rb_entry(node, struct pfm_mapping, by_mm)->mm;

	return mm < other ? -1 : mm > other;
}

static int pfm_mapping_cmp_table(const void *table, const struct rb_node *node)
{
	const void *other = rb_entry(node, struct pfm_mapping, by_table)->table;

	return table < other ? -1 : table > other;
}

static bool pfm_mapping_less_mm(struct rb_node *node, const struct rb_node *other)
{
	return pfm_mapping_cmp_mm(rb_entry(node, struct pfm_mapping, by_mm)->mm, other) < 0;
}

static bool pfm_mapping_less_table(struct rb_node *node, const struct rb_node *other)
{
	return pfm_mapping_cmp_table(rb_entry(node, struct pfm_mapping, by_table)->table,
				     other) < 0;
}

/* Under the lock. */
static struct pfm_mapping *pfm_mapping_find(struct pfm_buffer *b,
					    const struct mm_struct *mm)
{
	struct rb_node *node;

	lockdep_assert_held(&b->lock);
	node = rb_find(mm, &b->mappings, pfm_mapping_cmp_mm);
	return node ? rb_entry(node, struct pfm_mapping, by_mm) : NULL;
}

/* Likewise. It goes with no table any more. */
static void pfm_mapping_forget(struct pfm_buffer *b, struct pfm_mapping *m)
{
	lockdep_assert_held(&b->lock);
	if (m->table)
		rb_erase(&m->by_table, &b->tables);
	m->table = NULL;
}

static struct pfm_buffer *pfm_mapping_buffer(const struct vm_area_struct *vma)
{
	struct pfm_context *ctx = vma->vm_file->private_data;

	return &ctx->buf;
}

/*
 * A VMA was split, or a fork() has copied it. Without memory for a fork's the
 * child's mapping goes with its munmap() or exit, not with close().
 */
static void pfm_mapping_open(struct vm_area_struct *vma)
{
	struct pfm_buffer *b = pfm_mapping_buffer(vma);
	struct pfm_mapping *old = vma->vm_private_data, *m = NULL, *new = NULL;

	if (old && old->mm != vma->vm_mm)
		new = kzalloc(sizeof(*new), GFP_KERNEL_ACCOUNT);
	spin_lock(&b->lock);
	if (old && old->mm == vma->vm_mm)
		m = old;
	else if (old && old->vmas > 1)
		/* Another part of it may have been copied before. */
		m = pfm_mapping_find(b, vma->vm_mm);
	if (!m && new) {
		m = new;
		new = NULL;
		m->mm = vma->vm_mm;
		m->start = old->start;
		rb_add(&m->by_mm, &b->mappings, pfm_mapping_less_mm);
	}
	if (m) {
		m->vmas++;
		b->vmas += m->counted;
	}
	vma->vm_private_data = m;
	spin_unlock(&b->lock);
	kfree(new);
}

static void pfm_mapping_close(struct vm_area_struct *vma)
{
	struct pfm_buffer *b = pfm_mapping_buffer(vma);
	struct pfm_mapping *m = vma->vm_private_data;

	spin_lock(&b->lock);
	if (m)
		b->vmas -= m->counted;
	if (m && !--m->vmas) {
		pfm_mapping_forget(b, m);
		rb_erase(&m->by_mm, &b->mappings);
	} else {
		m = NULL;
	}
	spin_unlock(&b->lock);
	kfree(m);
}

/*
 * mremap() of a sampling buffer is refused: pfm_file_flush() unmaps the buffer when its
 * descriptor is closed, by the address that mmap() gave, and would unmap something else.
 */
static int pfm_mapping_mremap(struct vm_area_struct *vma)
{
	return -EINVAL;
}

static const struct vm_operations_struct pfm_mapping_vm_ops = {
	.open	= pfm_mapping_open,
	.close	= pfm_mapping_close,
	.mremap	= pfm_mapping_mremap,
};

/* Make it known, for a VMA that refers to the file already. */
static int pfm_mapping_add(struct pfm_context *ctx, struct vm_area_struct *vma)
{
	struct pfm_buffer *b = &ctx->buf;
	struct pfm_mapping *m;
	bool twice, closed;

	m = kzalloc(sizeof(*m), GFP_KERNEL_ACCOUNT);
	if (!m)
		return -ENOMEM;
	m->mm = vma->vm_mm;
	m->table = current->files;
	m->start = vma->vm_start;
	m->vmas = 1;
	m->counted = true;

	spin_lock(&b->lock);
	twice = pfm_mapping_find(b, vma->vm_mm);
	closed = b->closed;
	if (!twice) {
		rb_add(&m->by_mm, &b->mappings, pfm_mapping_less_mm);
		rb_add(&m->by_table, &b->tables, pfm_mapping_less_table);
		b->vmas++;
		vma->vm_private_data = m;
	}
	spin_unlock(&b->lock);
	if (twice) {
		kfree(m);
		return -EBUSY;
	}
	/* A close() that has not found it may have been of this descriptor. */
	if (closed && !pfm_holder_listed(current->files, ctx->file)) {
		pfm_mapping_close(vma);
		return -EBADF;
	}
	return 0;
}

/**
 * pfm_mapping_mmap() - map the buffer
 * @file: of a context
 * @vma:  what is wanted: all of it, read-only, shared, once in a process
 *
 * Context: process, mmap_lock of the process.
 * Return: 0; -EINVAL; -EBUSY if this process has it mapped; -ENOMEM; -EBADF if
 * the process has just closed its last descriptor.
 */
int pfm_mapping_mmap(struct file *file, struct vm_area_struct *vma)
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
	ret = pfm_mapping_add(ctx, vma);
	if (ret)
		return ret;

	vm_flags_clear(vma, VM_MAYWRITE | VM_MAYEXEC);
	vm_flags_set(vma, VM_DONTEXPAND | VM_DONTDUMP);
	for (at = 0; at < b->size; at += PAGE_SIZE) {
		ret = vm_insert_page(vma, vma->vm_start + at,
				     vmalloc_to_page(b->addr + at));
		if (ret) {
			pfm_mapping_close(vma);
			return ret;
		}
	}
	vma->vm_ops = &pfm_mapping_vm_ops;
	return 0;
}

/*
 * Whether it goes with @table. One that was inherited goes with the table of
 * the process that fork() made: not with that of a vfork() of its, nor with one
 * that a thread has made its own.
 */
static bool pfm_mapping_goes_with(const struct pfm_mapping *m, const void *table)
{
	const void *leaders;
	bool ours;

	if (m->table)
		return m->table == table;
	rcu_read_lock();
	leaders = READ_ONCE(current->group_leader->files);
	ours = (!leaders || leaders == table) &&
	       READ_ONCE(rcu_dereference(current->real_parent)->mm) != current->mm;
	rcu_read_unlock();
	return ours;
}

/**
 * pfm_mapping_closed() - a descriptor is closed: is there a mapping to remove?
 * @b:     buffer
 * @table: of descriptors; its last one of this context may be that
 * @start: out: for pfm_mapping_remove()
 *
 * Context: process; the descriptor is not in @table any more.
 * Return: whether there is one in this address space that goes with @table.
 */
bool pfm_mapping_closed(struct pfm_buffer *b, const void *table,
			unsigned long *start)
{
	struct pfm_mapping *m;
	bool ours = false;

	if (!b->addr)
		return false;
	spin_lock(&b->lock);
	b->closed = true;
	m = pfm_mapping_find(b, current->mm);
	if (m && pfm_mapping_goes_with(m, table)) {
		*start = m->start;
		ours = true;
	}
	spin_unlock(&b->lock);
	return ours;
}

/**
 * pfm_mapping_remove() - remove this process' mapping, or what is left of it
 * @file:  of a context with a buffer
 * @start: where it began
 *
 * Context: process, no locks.
 */
void pfm_mapping_remove(struct file *file, unsigned long start)
{
	struct pfm_context *ctx = file->private_data;
	struct mm_struct *mm = current->mm;
	unsigned long at = start, len;
	struct vm_area_struct *vma;

	if (mmap_write_lock_killable(mm))
		return;
	while ((vma = find_vma(mm, at)) && vma->vm_start < start + ctx->buf.size) {
		at = vma->vm_start;
		len = vma->vm_end - at;
		/* Where a part was unmapped there can be anything. */
		if (vma->vm_file == file && vma->vm_ops == &pfm_mapping_vm_ops &&
		    pfm_host_munmap(mm, at, len))
			break;
		at += len;
	}
	mmap_write_unlock(mm);
}

/**
 * pfm_mapping_disown() - a table of descriptors ends with its last thread
 * @b:     buffer
 * @table: which another one may come to be in the place of
 *
 * Context: process.
 */
void pfm_mapping_disown(struct pfm_buffer *b, const void *table)
{
	struct rb_node *node;

	/* Nobody has, as a rule: the memory goes before the descriptors. */
	if (RB_EMPTY_ROOT(&b->tables))
		return;
	spin_lock(&b->lock);
	while ((node = rb_find(table, &b->tables, pfm_mapping_cmp_table)))
		pfm_mapping_forget(b, rb_entry(node, struct pfm_mapping, by_table));
	spin_unlock(&b->lock);
}

/**
 * pfm_mapping_others() - whether anything but one descriptor and the mappings holds the file
 * @ctx: context; the caller holds a reference to its file, or found it attached under
 *	 rcu_read_lock() and is still there
 *
 * A VMA that is counted has its reference before, and until after it is not
 * counted any more, so under the lock there can be no less. Those that fork() makes are
 * others: it calls pfm_mapping_open() before it takes their references.
 *
 * Without a reference the file may have been freed meanwhile. Since 6.7 its memory can
 * then be another file's at once, so that nothing may be looked at in it but the count,
 * which is a count of something until rcu_read_unlock(). What this returns then does not
 * matter: the file's release has ended the attachment that the caller asks about.
 *
 * Context: process.
 * Return: false if there are no others.
 */
bool pfm_mapping_others(struct pfm_context *ctx)
{
	struct pfm_buffer *b = &ctx->buf;
	bool others;

	spin_lock(&b->lock);
	others = file_count(ctx->file) != 1 + b->vmas;
	spin_unlock(&b->lock);
	return others;
}
