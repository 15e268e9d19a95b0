// SPDX-License-Identifier: GPL-2.0-only
/*
 * A profile as a tree of calls, for people: a line for each, the largest first. One that is the
 * only call of the line above, and has all its samples, stands as far to the left as that.
 */
#include <err.h>
#include <stdlib.h>
#include <string.h>

#include "calltree.h"
#include "numbers.h"
#include "profile_out.h"
#include "require.h"

#define NUMBER_WIDTH	9
#define LEAST		0.5	/* percent, if it is not said */

struct printing {
	FILE *out;
	const struct profile *p;
	double min;
	size_t lines;		/* that may still be printed */
	size_t left_out;
};

static int by_weight(const void *a, const void *b)
{
	const struct node *x = *(struct node *const *)a, *y = *(struct node *const *)b;

	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	return strcmp(x->name, y->name);
}

/* @branch: it is where a way down begins. */
static void print_line(const struct printing *to, const struct node *node, int depth, bool branch)
{
	char n[NUMBERS_MAX];

	fprintf(to->out, "%8.2f %*s  %*s%s %s\n", profile_percent(to->p, node->weight),
		NUMBER_WIDTH, numbers_count(n, node->count), 2 * depth, "", branch ? "-" : " ",
		node->name);
}

static bool is_small(const struct printing *to, const struct node *node)
{
	return profile_percent(to->p, node->weight) < to->min;
}

static void print_nodes(struct printing *to, const struct node *parent, int depth);

static void print_node(struct printing *to, const struct node *node, int depth, bool branch)
{
	/* As long as there is one way down. */
	for (;; node = node->child, branch = false) {
		if (!to->lines) {
			to->left_out++;
			return;
		}
		to->lines--;
		print_line(to, node, depth, branch);
		if (!node->child || node->child->next || node->child->weight != node->weight)
			break;
	}
	print_nodes(to, node, depth + 1);
}

/* What is below a node. */
static void print_nodes(struct printing *to, const struct node *parent, int depth)
{
	struct node **node, *child;
	size_t n = 0, i;

	for (child = parent->child; child; child = child->next)
		n++;
	node = malloc((n + 1) * sizeof(struct node *));
	if (!node)
		err(EXIT_PFMON, NULL);
	for (n = 0, child = parent->child; child; child = child->next)
		node[n++] = child;
	qsort(node, n, sizeof(struct node *), by_weight);
	for (i = 0; i < n && !is_small(to, node[i]); i++)
		print_node(to, node[i], depth, true);
	to->left_out += n - i;
	free(node);
}

void profile_tree(FILE *out, const struct profile *p, const struct selection *sel)
{
	struct printing to = {
		.out = out, .p = p, .min = sel->min > 0 ? sel->min : LEAST,
		.lines = sel->lines ? sel->lines : SIZE_MAX,
	};
	struct node *root = calltree_new(p);

	profile_heading(out, p);
	if (p->samples) {
		fprintf(out, "%8s %*s  calls\n", "percent", NUMBER_WIDTH, "samples");
		print_nodes(&to, root, 0);
		if (to.left_out)
			fprintf(out, "%*s(%zu more branch%s)\n", 10 + NUMBER_WIDTH + 2, "",
				to.left_out, to.left_out == 1 ? "" : "es");
		fputc('\n', out);
	}
	profile_remarks(out, p);
	calltree_free(root);
}
