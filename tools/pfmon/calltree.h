/* SPDX-License-Identifier: GPL-2.0-only */
/* The rows of a profile as a tree: what has the same first frames has them once. */
#ifndef PFMON_CALLTREE_H
#define PFMON_CALLTREE_H

#include "profile.h"

struct node {
	struct node *next;		/* brother, in the order of names */
	struct node *child, *last;	/* the first one and the last one */
	const char *name;
	uint64_t count, weight;		/* of all below it, too */
	uint64_t before;		/* the weight in the recording that is compared */
};

/**
 * calltree_new() - the tree of a profile
 * @p: profile
 *
 * Return: its root, which is called "all".
 */
struct node *calltree_new(const struct profile *p);

/**
 * calltree_free() - free a node with its brothers, and what is below them
 * @node: from calltree_new()
 */
void calltree_free(struct node *node);

#endif /* PFMON_CALLTREE_H */
