/* SPDX-License-Identifier: GPL-2.0-only */
/* Ranges of addresses that cover each other: which is on top where. */
#ifndef PFMON_LAYERS_H
#define PFMON_LAYERS_H

#include <stddef.h>
#include <stdint.h>

struct layer {
	uint64_t start, end;	/* end is behind it */
	size_t number;		/* of two the one with the higher number covers the other */
	const void *what;
};

/**
 * layers_top() - what is on top, from one address to the next at which that changes
 * @layer: they are sorted by their start
 * @n:     so many
 * @add:   gets each such range in the order of addresses: a layer, and where it is on top
 * @arg:   for @add
 */
void layers_top(struct layer *layer, size_t n,
		void (*add)(void *arg, const struct layer *top, uint64_t from, uint64_t to),
		void *arg);

#endif /* PFMON_LAYERS_H */
