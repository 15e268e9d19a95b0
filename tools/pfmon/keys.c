// SPDX-License-Identifier: GPL-2.0-only
/* Things that get numbers: equal ones get the same one. */
#include <err.h>
#include <stdlib.h>
#include <string.h>

#include "require.h"
#include "keys.h"

#define SLOTS	1024	/* to begin with; a power of two */

static uint32_t hash(const unsigned char *data, size_t size)
{
	uint64_t h = size, word;

	for (; size >= sizeof(word); size -= sizeof(word), data += sizeof(word)) {
		memcpy(&word, data, sizeof(word));
		h = (h ^ word) * 0x9e3779b97f4a7c15;
		h ^= h >> 32;
	}
	while (size--)
		h = (h ^ *data++) * 0x100000001b3;
	return (uint32_t)(h ^ h >> 32);
}

static void make_room(struct keys *keys)
{
	size_t slots = keys->slots ? 2 * keys->slots : SLOTS, i, at;

	keys->key = reallocarray(keys->key, slots / 2, sizeof(*keys->key));
	free(keys->slot);
	keys->slot = calloc(slots, sizeof(*keys->slot));
	if (!keys->key || !keys->slot)
		err(EXIT_PFMON, NULL);
	keys->slots = slots;
	for (i = 0; i < keys->n; i++) {
		at = keys->key[i].hash & (slots - 1);
		while (keys->slot[at])
			at = (at + 1) & (slots - 1);
		keys->slot[at] = (uint32_t)i + 1;
	}
}

/* The slot of a thing, or the free one where it would be. */
static size_t find_slot(const struct keys *keys, const void *data, size_t size, uint32_t h)
{
	size_t at = h & (keys->slots - 1);
	const struct key *key;

	for (; keys->slot[at]; at = (at + 1) & (keys->slots - 1)) {
		key = &keys->key[keys->slot[at] - 1];
		if (key->hash == h && key->size == size && !memcmp(key->data, data, size))
			break;
	}
	return at;
}

bool keys_find(const struct keys *keys, const void *data, size_t size, size_t *number)
{
	size_t at;

	if (!keys->slots)
		return false;
	at = find_slot(keys, data, size, hash(data, size));
	*number = keys->slot[at] - 1;
	return keys->slot[at];
}

size_t keys_number(struct keys *keys, const void *data, size_t size)
{
	uint32_t h = hash(data, size);
	struct key *key;
	size_t at;

	if (2 * keys->n >= keys->slots)
		make_room(keys);
	at = find_slot(keys, data, size, h);
	if (keys->slot[at])
		return keys->slot[at] - 1;
	key = &keys->key[keys->n];
	*key = (struct key){ h, (uint32_t)size, malloc(size) };
	if (!key->data)
		err(EXIT_PFMON, NULL);
	memcpy(key->data, data, size);
	keys->slot[at] = (uint32_t)++keys->n;
	return keys->n - 1;
}

void keys_free(struct keys *keys)
{
	size_t i;

	for (i = 0; i < keys->n; i++)
		free(keys->key[i].data);
	free(keys->key);
	free(keys->slot);
	memset(keys, 0, sizeof(*keys));
}
