// SPDX-License-Identifier: GPL-2.0-only
/* Ranges of addresses that cover each other. */
#include <err.h>
#include <stdlib.h>

#include "layers.h"
#include "require.h"

/* A heap: the one with the highest number is the first. */
struct heap {
	const struct layer **layer;
	size_t n;
};

static void push(struct heap *h, const struct layer *layer)
{
	size_t i = h->n++;

	for (; i && h->layer[(i - 1) / 2]->number < layer->number; i = (i - 1) / 2)
		h->layer[i] = h->layer[(i - 1) / 2];
	h->layer[i] = layer;
}

static void pop(struct heap *h)
{
	const struct layer *last = h->layer[--h->n];
	size_t i = 0, child;

	for (; (child = 2 * i + 1) < h->n; i = child) {
		if (child + 1 < h->n && h->layer[child + 1]->number > h->layer[child]->number)
			child++;
		if (h->layer[child]->number < last->number)
			break;
		h->layer[i] = h->layer[child];
	}
	h->layer[i] = last;
}

static int by_start(const void *a, const void *b)
{
	const struct layer *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

void layers_top(struct layer *layer, size_t n,
		void (*add)(void *arg, const struct layer *top, uint64_t from, uint64_t to),
		void *arg)
{
	struct heap heap = { .layer = calloc(n + 1, sizeof(*heap.layer)) };
	const struct layer *next = layer, *end = layer + n, *top;
	uint64_t at = 0, to;

	if (!heap.layer)
		err(EXIT_PFMON, NULL);
	if (n)
		qsort(layer, n, sizeof(*layer), by_start);
	while (next < end || heap.n) {
		if (!heap.n)
			at = next->start;
		for (; next < end && next->start <= at; next++)
			push(&heap, next);
		top = heap.layer[0];
		if (top->end <= at) {
			pop(&heap);
			continue;
		}
		to = next < end && next->start < top->end ? next->start : top->end;
		add(arg, top, at, to);
		at = to;
	}
	free(heap.layer);
}
