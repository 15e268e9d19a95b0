/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perfmon2: trees of threads, see tree.c and slot.c.
 */
#ifndef _KERNEL_PERFMON_TREE_H
#define _KERNEL_PERFMON_TREE_H

#include <linux/list.h>
#include <linux/refcount.h>

#include "attach.h"
#include "pfm.h"

/*
 * A thread and all that it makes, from when PFM_LOAD_CONTEXT attaches a context to it.
 * What points to it are the members, by their tagged pointers (pfm_tree_of()), and the
 * context. Memory of it is freed when neither does any more.
 */
struct pfm_tree {
	struct rcu_head rcu;
	refcount_t ref;			/* [a] the context, and all members together */
	atomic_t members;		/* [a] threads that point to it, and a load under way */
	atomic_long_t missed;		/* [a] threads that could not become members, and
					 * stints of members on a CPU without a slot */
	bool dead;			/* [w] set once, under sum->lock: the attachment has ended */
	struct pfm_context *sum;	/* [c] the program's context; valid until RCU has
					 * waited once after @dead was set */
	const struct cred *cred;	/* [c] of the process that attached it */
	bool joined;			/* [c] its slots are contexts that have joined it */
	const struct task_struct *armed;	/* [a] at whose exec counting begins */
	struct callback_head exec_work;	/* [s] of that thread */
	struct list_head list;		/* [f] slot.c: trees that have slots, or may get them */
	struct pfm_context __rcu *slots[];	/* [f] slot.c: by CPU, or NULL; read under RCU */
};

/* tree.c */
void pfm_tree_put(struct pfm_tree *tree);

/* What a command does to the registers of all slots. [s] */
struct pfm_slot_change {
	struct pfm_context *sum;
	pfm_reach_fn piece;		/* of the command; its argument is a vector */
	const struct pfm_vector *v;	/* of which it does the next piece */
};

/* slot.c */
int pfm_slot_change(struct pfm_context *slot, void *arg);
int pfm_slot_make_all(struct pfm_tree *tree, struct pfm_set *first);
int pfm_slot_join(struct pfm_tree *tree, struct pfm_attach *a);
void pfm_slot_part(struct pfm_context *ctx);
void pfm_slot_hang_up_all(struct pfm_tree *tree);
void pfm_slot_end_all(struct pfm_tree *tree);
void pfm_slot_close_all(struct pfm_tree *tree);
void pfm_slot_leave(struct pfm_context *slot, u64 now);
void pfm_slot_go_live(void *tree);
int pfm_slot_each(struct pfm_tree *tree, pfm_reach_fn fn, void *arg);

/* sum.c */
void pfm_sum_fold(struct pfm_context *sum);

#endif /* _KERNEL_PERFMON_TREE_H */
