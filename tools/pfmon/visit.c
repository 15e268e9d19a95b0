// SPDX-License-Identifier: GPL-2.0-only
/*
 * Samples of a file in the order of their time: a merge of its blocks. Those of a thread or a
 * CPU come one after the other, so that about as many are open as there were threads or CPUs.
 */
#define _GNU_SOURCE
#include <err.h>
#include <stdlib.h>
#include <string.h>

#include "require.h"
#include "visit.h"

#define MEMORY	(64U << 20)	/* bytes of samples that are kept, and one block's more */

struct visit_block {
	uint64_t time;			/* of its first sample */
	uint64_t offset;		/* in the file */
};

/* Where a sample is in the order. */
struct visit {
	uint64_t time;
	uint64_t block;			/* offset in the file */
	uint32_t number;		/* in the block, from 0 */
};

struct kept {
	struct visit at;
	struct pmon_sample sample;
};

/* A block that is open: from @next on its samples wait. */
struct run {
	struct kept *kept;
	size_t n, room, next;
	bool more;			/* there are others behind the limit */
};

struct merge {
	const struct visit_source *source;
	struct run **run;		/* a heap: what comes next is the first one's */
	size_t runs, room;
	size_t bytes;			/* of what is kept */
	size_t reads;

	/* Of the order, what is kept: behind @from, which was visited, up to @limit. */
	struct visit from, limit;
	bool limited;
	uint64_t *again;		/* blocks that have more */
	size_t agains, again_room;

	/* While a block is read. */
	struct run *into;
	uint64_t block;
	uint32_t number;		/* of its next sample */
};

void visits_add(struct visits *v, uint64_t time, uint64_t block)
{
	struct visit_block *last = v->n ? &v->block[v->n - 1] : NULL;

	if (last && last->offset == block) {
		if (time < last->time)
			last->time = time;
		return;
	}
	/* Room for a power of two of them. */
	if (!(v->n & (v->n - 1)))
		v->block = reallocarray(v->block, v->n ? 2 * v->n : 1, sizeof(*v->block));
	if (!v->block)
		err(EXIT_PFMON, NULL);
	v->block[v->n++] = (struct visit_block){ .time = time, .offset = block };
}

static int by_first(const void *a, const void *b)
{
	const struct visit_block *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return (x->offset > y->offset) - (x->offset < y->offset);
}

static int by_time(const void *a, const void *b)
{
	const struct visit *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	if (x->block != y->block)
		return x->block < y->block ? -1 : 1;
	return (x->number > y->number) - (x->number < y->number);
}

static int by_kept(const void *a, const void *b)
{
	return by_time(&((const struct kept *)a)->at, &((const struct kept *)b)->at);
}

static const struct visit *next_of(const struct run *run)
{
	return &run->kept[run->next].at;
}

static void sink_down(struct merge *m, size_t i)
{
	struct run *run = m->run[i];
	size_t child;

	for (; (child = 2 * i + 1) < m->runs; i = child) {
		if (child + 1 < m->runs &&
		    by_time(next_of(m->run[child + 1]), next_of(m->run[child])) < 0)
			child++;
		if (by_time(next_of(run), next_of(m->run[child])) <= 0)
			break;
		m->run[i] = m->run[child];
	}
	m->run[i] = run;
}

static void add_run(struct merge *m, struct run *run)
{
	size_t i = m->runs;

	if (m->runs == m->room) {
		m->room = m->room ? 2 * m->room : 64;
		m->run = reallocarray(m->run, m->room, sizeof(struct run *));
		if (!m->run)
			err(EXIT_PFMON, NULL);
	}
	for (m->runs++; i && by_time(next_of(run), next_of(m->run[(i - 1) / 2])) < 0;
	     i = (i - 1) / 2)
		m->run[i] = m->run[(i - 1) / 2];
	m->run[i] = run;
}

static size_t chain_size(const struct pmon_sample *sample)
{
	return ((size_t)sample->kernel + sample->user) * sizeof(*sample->chain);
}

static void forget_chain(struct merge *m, struct kept *k)
{
	m->bytes -= chain_size(&k->sample);
	free((void *)k->sample.chain);
}

static void free_run(struct merge *m, struct run *run)
{
	m->bytes -= run->n * sizeof(*run->kept);
	free(run->kept);
	free(run);
}

static void add_again(struct merge *m, uint64_t block)
{
	if (m->agains == m->again_room) {
		m->again_room = m->agains ? 2 * m->agains : 64;
		m->again = reallocarray(m->again, m->again_room, sizeof(*m->again));
		if (!m->again)
			err(EXIT_PFMON, NULL);
	}
	m->again[m->agains++] = block;
}

static void keep_sample(void *arg, const struct pmon_sample *sample)
{
	struct merge *m = arg;
	struct run *run = m->into;
	const struct visit at = {
		.time = sample->time, .block = m->block, .number = m->number++,
	};
	size_t size = chain_size(sample);
	uint64_t *chain = NULL;

	if (by_time(&at, &m->from) < 0)
		return;
	if (m->limited && by_time(&at, &m->limit) >= 0) {
		run->more = true;
		return;
	}
	if (run->n == run->room) {
		run->room = run->room ? 2 * run->room : 256;
		run->kept = reallocarray(run->kept, run->room, sizeof(*run->kept));
	}
	if (size) {
		chain = malloc(size);
		if (chain)
			memcpy(chain, sample->chain, size);
	}
	if (!run->kept || (size && !chain))
		err(EXIT_PFMON, NULL);
	run->kept[run->n] = (struct kept){ .at = at, .sample = *sample };
	run->kept[run->n].sample.value = NULL;
	run->kept[run->n].sample.values = 0;
	run->kept[run->n++].sample.chain = chain;
	m->bytes += sizeof(*run->kept) + size;
}

/* No more room than its samples need. */
static void fit(struct run *run)
{
	struct kept *kept = reallocarray(run->kept, run->n, sizeof(*kept));

	run->kept = kept ? kept : run->kept;
	run->room = run->n;
}

/* Forget what was visited of a run. */
static void forget_visited(struct merge *m, struct run *run)
{
	m->bytes -= run->next * sizeof(*run->kept);
	run->n -= run->next;
	memmove(run->kept, run->kept + run->next, run->n * sizeof(*run->kept));
	run->next = 0;
	fit(run);
}

/* Forget what is behind the limit; returns false if the run is gone. */
static bool cut_run(struct merge *m, struct run *run)
{
	const uint64_t block = run->kept[0].at.block;
	size_t n = run->n;

	while (run->n && by_time(&run->kept[run->n - 1].at, &m->limit) >= 0)
		forget_chain(m, &run->kept[--run->n]);
	m->bytes -= (n - run->n) * sizeof(*run->kept);
	if (run->n < n && !run->more) {
		run->more = true;
		add_again(m, block);
	}
	if (!run->n) {
		free_run(m, run);
		return false;
	}
	fit(run);
	return true;
}

static int by_middle(const void *a, const void *b)
{
	return by_time(*(const struct visit *const *)a, *(const struct visit *const *)b);
}

/*
 * Half of the blocks that are open have half of their samples before this limit, and half of
 * them behind it.
 */
static void cut(struct merge *m)
{
	const struct visit **middle = calloc(m->runs, sizeof(*middle));
	size_t i, n = 0;

	if (!middle)
		err(EXIT_PFMON, NULL);
	for (i = 0; i < m->runs; i++)
		middle[i] = &m->run[i]->kept[m->run[i]->n / 2].at;
	qsort(middle, m->runs, sizeof(*middle), by_middle);
	m->limit = *middle[m->runs / 2];
	m->limited = true;
	free(middle);
	for (i = 0; i < m->runs; i++)
		if (cut_run(m, m->run[i]))
			m->run[n++] = m->run[i];
	m->runs = n;
	for (i = n / 2; i-- > 0;)
		sink_down(m, i);
}

/* Too much is kept, until there is only one sample. */
static void make_room(struct merge *m)
{
	size_t i;

	for (i = 0; i < m->runs; i++)
		forget_visited(m, m->run[i]);
	while (m->bytes > MEMORY && (m->runs > 1 || m->run[0]->n > 1))
		cut(m);
}

static void open_block(struct merge *m, uint64_t block)
{
	const struct smpl_sink samples = { .sample = keep_sample, .arg = m };
	struct run *run = calloc(1, sizeof(*run));
	size_t i;

	if (!run)
		err(EXIT_PFMON, NULL);
	m->into = run;
	m->block = block;
	m->number = 0;
	m->source->read(m->source->arg, block, &samples);
	m->reads++;
	if (run->more)
		add_again(m, block);
	if (!run->n) {
		free_run(m, run);
		return;
	}
	fit(run);
	for (i = 1; i < run->n; i++)
		if (by_time(&run->kept[i - 1].at, &run->kept[i].at) > 0)
			break;
	if (i < run->n)
		qsort(run->kept, run->n, sizeof(*run->kept), by_kept);
	add_run(m, run);
	if (m->bytes > MEMORY)
		make_room(m);
}

/* All before the limit was visited: what comes after it is read again. */
static void open_again(struct merge *m)
{
	uint64_t *again = m->again;
	size_t n = m->agains, i;

	m->from = m->limit;
	m->limited = false;
	m->again = NULL;
	m->agains = m->again_room = 0;
	for (i = 0; i < n; i++)
		open_block(m, again[i]);
	free(again);
}

static void visit_next(struct merge *m)
{
	struct run *run = m->run[0];
	struct kept *k = &run->kept[run->next];

	m->source->visit(m->source->arg, &k->sample);
	forget_chain(m, k);
	if (++run->next == run->n) {
		free_run(m, run);
		m->run[0] = m->run[--m->runs];
	}
	if (m->runs)
		sink_down(m, 0);
}

size_t visits_pay(struct visits *v, const struct visit_source *source)
{
	struct merge m = { .source = source };
	size_t i = 0;

	if (v->n)
		qsort(v->block, v->n, sizeof(*v->block), by_first);
	while (i < v->n || m.runs || m.limited) {
		if (i < v->n && (m.runs ? v->block[i].time <= next_of(m.run[0])->time :
				 !m.limited || v->block[i].time <= m.limit.time))
			open_block(&m, v->block[i++].offset);
		else if (m.runs)
			visit_next(&m);
		else
			open_again(&m);
	}
	free(m.run);
	free(v->block);
	*v = (struct visits){ 0 };
	return m.reads;
}
