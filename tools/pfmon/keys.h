/* SPDX-License-Identifier: GPL-2.0-only */
/* Things that get numbers: equal ones get the same one. */
#ifndef PFMON_KEYS_H
#define PFMON_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All zeroes: there are none. */
struct keys {
	size_t n;
	struct key {
		uint32_t hash;
		uint32_t size;
		void *data;
	} *key;			/* by number */
	uint32_t *slot;		/* number + 1, at the hash or behind it */
	size_t slots;
};

/**
 * keys_number() - the number of a thing
 * @keys: things
 * @data: what makes it what it is, without padding
 * @size: bytes
 *
 * Return: from 0, in the order in which they were seen first.
 */
size_t keys_number(struct keys *keys, const void *data, size_t size);

/**
 * keys_find() - the number of a thing, if it has one
 * @keys:   things
 * @data:   what makes it what it is, without padding
 * @size:   bytes
 * @number: filled in
 *
 * Return: true, or false if it was never seen.
 */
bool keys_find(const struct keys *keys, const void *data, size_t size, size_t *number);

/**
 * keys_free() - forget all
 * @keys: things
 */
void keys_free(struct keys *keys);

#endif /* PFMON_KEYS_H */
