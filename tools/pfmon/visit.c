// SPDX-License-Identifier: GPL-2.0-only
/* Samples of a file in the order of their time. */
#define _GNU_SOURCE
#include <err.h>
#include <stdlib.h>
#include <string.h>

#include "require.h"
#include "visit.h"

/* Where a sample that waits to be visited is. */
struct visit {
	uint64_t time;
	uint64_t block;			/* in the file */
	uint32_t number;		/* in the block */
};

void visits_add(struct visits *v, uint64_t time, uint64_t block, uint32_t number)
{
	/* Room for a power of two of them. */
	if (!(v->n & (v->n - 1)))
		v->visit = reallocarray(v->visit, v->n ? 2 * v->n : 1, sizeof(*v->visit));
	if (!v->visit)
		err(EXIT_PFMON, NULL);
	v->visit[v->n++] = (struct visit){ .time = time, .block = block, .number = number };
}

/* In the order of the file. */
static int by_block(const void *a, const void *b)
{
	const struct visit *x = a, *y = b;

	if (x->block != y->block)
		return x->block < y->block ? -1 : 1;
	return (x->number > y->number) - (x->number < y->number);
}

static int by_time(const void *a, const void *b)
{
	const struct visit *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return by_block(a, b);
}

#define BATCH	16384	/* samples that are in memory at once */

/* A sample that was read again. */
struct kept {
	struct visit at;
	struct pmon_sample sample;
};

struct batch {
	const struct visit_source *source;
	const struct visit *visit;	/* that are wanted, in the order of the file */
	size_t wanted;
	uint32_t number;		/* of the block's next sample */
	struct kept kept[BATCH];
	size_t n;
};

static void keep_sample(void *arg, const struct pmon_sample *sample)
{
	struct batch *b = arg;
	size_t size = (sample->kernel + sample->user) * sizeof(*sample->chain);
	uint32_t number = b->number++;
	struct kept *k = &b->kept[b->n];
	uint64_t *chain;

	if (!b->wanted || number != b->visit->number)
		return;
	chain = size ? malloc(size) : NULL;
	if (size && !chain)
		err(EXIT_PFMON, NULL);
	if (size)
		memcpy(chain, sample->chain, size);
	k->at = *b->visit++;
	b->wanted--;
	b->n++;
	k->sample = *sample;
	k->sample.value = NULL;
	k->sample.values = 0;
	k->sample.chain = chain;
}

/* @n samples, which are the next ones by their time. */
static void visit_batch(struct batch *b, struct visit *visit, size_t n)
{
	const struct smpl_sink samples = { .sample = keep_sample, .arg = b };
	size_t i;

	qsort(visit, n, sizeof(*visit), by_block);
	b->n = 0;
	for (i = 0; i < n;) {
		b->visit = &visit[i];
		for (b->wanted = 1; i + b->wanted < n; b->wanted++)
			if (b->visit[b->wanted].block != b->visit->block)
				break;
		i += b->wanted;
		b->number = 0;
		b->source->read(b->source->arg, b->visit->block, &samples);
	}
	qsort(b->kept, b->n, sizeof(*b->kept), by_time);
	for (i = 0; i < b->n; i++) {
		b->source->visit(b->source->arg, &b->kept[i].sample);
		free((void *)b->kept[i].sample.chain);
	}
}

void visits_pay(struct visits *v, const struct visit_source *source)
{
	struct batch *b;
	size_t from, n;

	if (v->n) {
		b = malloc(sizeof(*b));
		if (!b)
			err(EXIT_PFMON, NULL);
		b->source = source;
		qsort(v->visit, v->n, sizeof(*v->visit), by_time);
		for (from = 0; from < v->n; from += n) {
			n = v->n - from > BATCH ? BATCH : v->n - from;
			visit_batch(b, v->visit + from, n);
		}
		free(b);
	}
	free(v->visit);
	*v = (struct visits){ 0 };
}
