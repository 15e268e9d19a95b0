// SPDX-License-Identifier: GPL-2.0-only
/* The rows of a profile as a tree. */
#include <err.h>
#include <stdlib.h>
#include <string.h>

#include "calltree.h"
#include "require.h"

static struct node *new_node(const char *name)
{
	struct node *node = calloc(1, sizeof(*node));

	if (!node)
		err(EXIT_PFMON, NULL);
	node->name = name;
	return node;
}

/* By names, as the brothers stand; where one row begins another it comes first. */
static int by_frames(const void *a, const void *b)
{
	const struct row *x = *(struct row *const *)a, *y = *(struct row *const *)b;
	unsigned int i;
	int order;

	for (i = 0; i < x->frames && i < y->frames; i++) {
		order = x->frame[i] == y->frame[i] ? 0 : strcmp(x->frame[i], y->frame[i]);
		if (order)
			return order;
	}
	return (x->frames > y->frames) - (x->frames < y->frames);
}

/* Rows come in the order of their names: a child is the last one, or a new one. */
static struct node *child_of(struct node *node, const char *name)
{
	struct node *child;

	if (node->last && node->last->name == name)
		return node->last;
	child = new_node(name);
	*(node->last ? &node->last->next : &node->child) = child;
	node->last = child;
	return child;
}

struct node *calltree_new(const struct profile *p)
{
	struct row **row = malloc((p->rows + 1) * sizeof(*row));
	struct node *root = new_node("all"), *node;
	unsigned int f;
	size_t i;

	if (!row)
		err(EXIT_PFMON, NULL);
	for (i = 0; i < p->rows; i++)
		row[i] = p->row[i];
	qsort(row, p->rows, sizeof(*row), by_frames);
	for (i = 0; i < p->rows; i++) {
		node = root;
		node->count += row[i]->count;
		add_weight(&node->weight, row[i]->weight);
		add_weight(&node->before, row[i]->before_weight);
		for (f = 0; f < row[i]->frames; f++) {
			node = child_of(node, row[i]->frame[f]);
			node->count += row[i]->count;
			add_weight(&node->weight, row[i]->weight);
			add_weight(&node->before, row[i]->before_weight);
		}
	}
	free(row);
	return root;
}

void calltree_free(struct node *node)
{
	struct node *next;

	for (; node; node = next) {
		next = node->next;
		calltree_free(node->child);
		free(node);
	}
}
