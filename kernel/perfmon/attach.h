/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perfmon2: attaching a context to threads, see attach.c; for those that attach it to the
 * members of a tree.
 */
#ifndef _KERNEL_PERFMON_ATTACH_H
#define _KERNEL_PERFMON_ATTACH_H

#include "host.h"
#include "pfm.h"

/* A tree that is dead, and that a thread has pointed to until now. [s] */
struct pfm_stale {
	struct pfm_tree *tree;		/* or NULL */
	struct pfm_host_entry entry;	/* that the thread had for it */
};

/* What PFM_LOAD_CONTEXT is about to do. [s] */
struct pfm_attach {
	struct pfm_context *ctx;
	struct pfm_set *set;
	struct pfm_blocker *blocker;
	const struct cred *cred;	/* the caller's; afterwards the old one */
	bool self;			/* the target is of the caller's process */
	bool own;			/* the target is the caller */
	struct pfm_host_entry entry;	/* that the target is to have */
	struct pfm_stale stale;		/* what the target had */
};

/* What has to be undone when the locks are gone. [s] */
struct pfm_detach {
	struct pfm_context *ctx;	/* referenced; NULL if not loaded */
	struct task_struct *task;	/* referenced */
	struct pfm_blocker *blocker;
	unsigned int held;		/* PFM_HOLD_... */
	struct pfm_host_entry entry;	/* that the target had */
};

/* attach.c */
void pfm_attach_begin(struct pfm_attach *a);
int pfm_attach_end(struct pfm_context *ctx, void *arg);
void pfm_attach_finish(void *detach);
struct task_struct *pfm_attach_find(pid_t pid);
void pfm_attach_hang_up(struct pfm_context *ctx, bool tell, struct pfm_detach *d);
bool pfm_attach_is_open_in(struct pfm_context *ctx, struct files_struct *files);
bool pfm_attach_may_trace(const struct cred *owner, struct task_struct *task);

#endif /* _KERNEL_PERFMON_ATTACH_H */
