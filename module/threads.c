// SPDX-License-Identifier: GPL-2.0-only
/*
 * perfmon2 as a module: which thread has which context.
 *
 * A thread has no pointer to its context here. This is a hash table by thread: the
 * hooks read it under RCU, writers change it under ctx->lock and the table's own,
 * which is a leaf. An entry is an object of an attachment and not a part of the
 * context: a context that is attached anew would carry a reader of the table
 * into another chain.
 *
 * An attachment that ends in a hook is finished by the thread itself, a moment later:
 * hooks may not sleep, and may hold the last reference to the context. It goes by
 * the entry's task work, which an exit runs before the thread can be waited for, and an
 * exec before the new program's first instruction.
 */
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/moduleparam.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/task_work.h>

#include "host.h"
#include "module.h"

#define PFM_THREADS_DETACH	64

struct pfm_thread {
	struct pfm_thread_link link;		/* first, as the hooks look for it */
	bool checked;				/* [s] by the thread: exec's check was made */
	void (*fn)(void *detach);		/* [s] for the work */
	u64 detach[PFM_THREADS_DETACH / 8];	/* [s] likewise */
	union {
		struct callback_head work;	/* [s] */
		struct rcu_head rcu;		/* [s] */
	};
};

#define PFM_THREADS_BITS_MIN	8
#define PFM_THREADS_BITS_MAX	16

struct hlist_head *pfm_threads_table;	/* [f] */
unsigned int pfm_threads_bits;		/* [f] */
module_param_named(threads_bits, pfm_threads_bits, uint, 0444);
MODULE_PARM_DESC(threads_bits, "chains of the table of monitored threads, as a power of two");
static DEFINE_RAW_SPINLOCK(pfm_threads_lock);

static struct hlist_head *pfm_threads_chain(const struct task_struct *task)
{
	return &pfm_threads_table[hash_ptr(task, pfm_threads_bits)];
}

static struct pfm_thread *pfm_threads_of(const struct task_struct *task)
{
	struct pfm_thread_link *link = pfm_threads_look(task);

	return link ? container_of(link, struct pfm_thread, link) : NULL;
}

/**
 * pfm_threads_init() - make the table
 *
 * It has as many chains as the administrator asked for, or else one for each 256 KB of the
 * machine's memory, in which the kernel lets two threads be.
 *
 * Context: process; nobody looks into the table yet.
 * Return: 0, or -ENOMEM.
 */
int __init pfm_threads_init(void)
{
	unsigned int bits = pfm_threads_bits;

	if (!bits)
		bits = ilog2((totalram_pages() >> (18 - PAGE_SHIFT)) | 1);
	pfm_threads_bits = clamp_t(unsigned int, bits, PFM_THREADS_BITS_MIN, PFM_THREADS_BITS_MAX);
	pfm_threads_table = kvmalloc_array(1 << pfm_threads_bits, sizeof(*pfm_threads_table),
					   GFP_KERNEL | __GFP_ZERO);
	return pfm_threads_table ? 0 : -ENOMEM;
}

/**
 * pfm_threads_exit() - free the table
 *
 * Context: process; there is no context, and no hook runs.
 */
void pfm_threads_exit(void)
{
	kvfree(pfm_threads_table);
}

/* The names of these functions for the core are pfm_host_...: see the graft's host.h. */

static int pfm_threads_alloc(struct pfm_host_entry *entry, gfp_t gfp)
{
	entry->thread = kzalloc(sizeof(*entry->thread), gfp);
	if (!entry->thread)
		return -ENOMEM;
	/* Its task work may be all that is left of the context. */
	pfm_host_pin();
	return 0;
}

/**
 * pfm_threads_new() - pfm_host_prepare()
 * @entry: as there
 *
 * Context: process.
 * Return: 0, or -ENOMEM.
 */
int pfm_threads_new(struct pfm_host_entry *entry)
{
	return pfm_threads_alloc(entry, GFP_KERNEL_ACCOUNT);
}

/**
 * pfm_threads_new_now() - pfm_host_prepare_now()
 * @entry: as there
 *
 * Context: as there.
 * Return: 0, or -ENOMEM.
 */
int pfm_threads_new_now(struct pfm_host_entry *entry)
{
	return pfm_threads_alloc(entry, GFP_NOWAIT | __GFP_ACCOUNT | __GFP_NOWARN);
}

/**
 * pfm_threads_free() - pfm_host_release()
 * @entry: as there
 *
 * Context: any but NMI.
 */
void pfm_threads_free(struct pfm_host_entry *entry)
{
	if (!entry->thread)
		return;
	kfree_rcu(entry->thread, rcu);
	pfm_host_unpin();
}

/**
 * pfm_threads_add() - pfm_host_publish()
 * @task:  as there
 * @ctx:   as there
 * @entry: as there
 *
 * Context: as there.
 */
void pfm_threads_add(struct task_struct *task, struct pfm_context *ctx,
		     struct pfm_host_entry *entry)
{
	struct pfm_thread *t = entry->thread;

	entry->thread = NULL;
	t->link.task = task;
	t->link.ctx = ctx;
	raw_spin_lock(&pfm_threads_lock);
	hlist_add_head_rcu(&t->link.node, pfm_threads_chain(task));
	raw_spin_unlock(&pfm_threads_lock);
}

/**
 * pfm_threads_remove() - pfm_host_withdraw()
 * @task:  as there
 * @entry: as there
 *
 * Context: as there.
 */
void pfm_threads_remove(struct task_struct *task, struct pfm_host_entry *entry)
{
	struct pfm_thread *t;

	raw_spin_lock(&pfm_threads_lock);
	t = pfm_threads_of(task);
	hlist_del_rcu(&t->link.node);
	raw_spin_unlock(&pfm_threads_lock);
	entry->thread = t;
}

static void pfm_threads_work(struct callback_head *work)
{
	struct pfm_thread *t = container_of(work, struct pfm_thread, work);
	u64 detach[PFM_THREADS_DETACH / 8];

	/* The function frees the entry, and what is in it. */
	memcpy(detach, t->detach, sizeof(detach));
	t->fn(detach);
}

/**
 * pfm_threads_finish() - pfm_host_finish(): have current do it when it may sleep
 * @entry:  of the attachment that has ended; nothing happens if it is empty
 * @detach: for @fn
 * @size:   of that
 * @fn:     what to do
 *
 * Context: as there; may not sleep here.
 */
void pfm_threads_finish(struct pfm_host_entry *entry, const void *detach,
			size_t size, void (*fn)(void *detach))
{
	struct pfm_thread *t = entry->thread;

	if (!t || WARN_ON_ONCE(size > sizeof(t->detach)))
		return;
	t->fn = fn;
	memcpy(t->detach, detach, size);
	init_task_work(&t->work, pfm_threads_work);
	/* task_work_add() fails only for a thread that is past its last work, in its exit. */
	WARN_ON_ONCE(task_work_add(current, &t->work, TWA_RESUME));
}

/**
 * pfm_threads_checked() - note whether the check of an exec was made
 * @task:    current
 * @checked: what to note
 *
 * Context: rcu_read_lock().
 * Return: what was noted before; true if it has no context.
 */
bool pfm_threads_checked(struct task_struct *task, bool checked)
{
	struct pfm_thread *t = pfm_threads_of(task);
	bool before = true;

	if (t) {
		before = t->checked;
		t->checked = checked;
	}
	return before;
}
