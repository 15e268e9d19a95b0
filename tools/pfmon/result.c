// SPDX-License-Identifier: GPL-2.0-only
/* What was measured. */
#include <err.h>
#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "require.h"
#include "result.h"

static uint64_t ahead_ns;

/*
 * In a time name space the clock of programs is another one than that of the kernel, which
 * samples have. The file is of the name space of children: mostly that is ours, too.
 */
static void find_ahead(void)
{
	char ours[64] = "", theirs[64] = "", line[128];
	long long s, ns;
	FILE *f;

	if (readlink("/proc/self/ns/time", ours, sizeof(ours) - 1) < 0 ||
	    readlink("/proc/self/ns/time_for_children", theirs, sizeof(theirs) - 1) < 0 ||
	    strcmp(ours, theirs))
		return;
	f = fopen("/proc/self/timens_offsets", "re");
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "monotonic %lld %lld", &s, &ns) == 2)
			ahead_ns = (uint64_t)s * 1000000000 + (uint64_t)ns;
	if (f)
		fclose(f);
}

uint64_t now_ns(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	struct timespec ts;

	pthread_once(&once, find_ahead);
	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec - ahead_ns;
}

/* The part of the time that an event was counted, from 0 to 1. */
static double share_of(const struct counters *counters, unsigned int i,
		       const struct turns turns[MAX_EVENTS])
{
	const struct counter *c = &counters->c[i];
	uint64_t all = 0;
	unsigned int set;

	if (c->sets == counters->sets)
		return 1;
	for (set = 0; set < counters->sets; set++)
		all += turns[set].ns;
	return all ? (double)turns[c->set].ns / (double)all : 0;
}

unsigned int result_add_group(struct result *result, int id)
{
	struct group *g = result->group;
	unsigned int n = result->groups;

	/* As many as a power of two: there is no room for another. */
	if (!(n & (n - 1))) {
		g = reallocarray(g, n ? 2 * (size_t)n : 1, sizeof(*g));
		if (!g)
			err(EXIT_PFMON, NULL);
		result->group = g;
	}
	memset(&g[n], 0, sizeof(*g));
	g[n].id = id;
	return result->groups++;
}

static void add_turns(struct counts *sum, const struct turns turns[MAX_EVENTS],
		      unsigned int sets)
{
	unsigned int i;

	for (i = 0; i < sets; i++) {
		sum->turns[i].ns += turns[i].ns;
		sum->turns[i].n += turns[i].n;
	}
}

void result_turns(struct result *result, const struct turns turns[MAX_EVENTS])
{
	add_turns(&result->sum, turns, result->counters->sets);
}

/* A context's switches that were pfmon's doing are taken off. */
static void add_counts(struct counts *sum, const struct counters *counters,
		       const struct counts *counts, uint64_t stops)
{
	unsigned int i;

	for (i = 0; i < counters->n; i++) {
		uint64_t value = counts->value[i], own = 0;

		if (counters->c[i].event->counts_stops)
			own = (uint64_t)((double)stops *
					 share_of(counters, i, counts->turns) + 0.5);
		/* A kill can end a stop before it becomes a switch. */
		sum->value[i] += own < value ? value - own : 0;
	}
	add_turns(sum, counts->turns, counters->sets);
	sum->throttled += counts->throttled;
}

void result_add(struct result *result, unsigned int group, const struct counts *counts,
		uint64_t stops)
{
	add_counts(&result->sum, result->counters, counts, stops);
	if (result->grouped)
		add_counts(&result->group[group].sum, result->counters, counts, stops);
	result->measured++;
}

struct estimate result_estimate(const struct result *result, const struct counts *sum,
				unsigned int i)
{
	struct estimate e = {
		.value = sum->value[i], .counted = sum->value[i],
		.share = share_of(result->counters, i, sum->turns),
	};
	double counted = (double)e.counted;
	uint64_t turns = sum->turns[result->counters->c[i].set].n;

	if (e.share == 1 || !e.share)
		return e;
	if (result->added_up) {
		e.error = -1;
		return e;
	}
	e.value = (uint64_t)(counted / e.share + 0.5);
	e.error = counted && turns ?
		  sqrt((1 - e.share) * (1 / counted + 1 / (double)turns)) : -1;
	return e;
}

uint64_t result_clock(const struct result *result, const struct counts *sum)
{
	int at = counters_find(result->counters, "task-clock");

	return at < 0 ? 0 : result_estimate(result, sum, (unsigned int)at).value;
}

void result_note(struct result *result, const char *format, ...)
{
	char *note = result->note[result->notes];
	unsigned int i;
	va_list args;

	if (result->notes == NOTES_MAX)
		return;
	va_start(args, format);
	vsnprintf(note, NOTE_MAX, format, args);
	va_end(args);
	for (i = 0; strcmp(result->note[i], note); i++)
		;
	result->notes += i == result->notes;
}
