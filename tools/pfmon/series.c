// SPDX-License-Identifier: GPL-2.0-only
/* Several measurements of the same: their mean, and by how much they differ. */
#include <math.h>

#include "series.h"

/* B. P. Welford, Note on a method for calculating corrected sums of squares, 1962. */
static void add(struct moments *m, unsigned int runs, uint64_t value)
{
	double difference = (double)value - m->mean;

	m->mean += difference / runs;
	m->squares += difference * ((double)value - m->mean);
}

/* The standard deviation of one run, relative to the mean. */
static double deviation(const struct moments *m, unsigned int runs)
{
	return runs > 1 && m->mean ? sqrt(m->squares / (runs - 1)) / m->mean : 0;
}

static uint64_t mean(uint64_t sum, unsigned int runs)
{
	return sum / runs + (sum % runs >= (runs + 1) / 2);
}

void series_add(struct series *series, const struct result *run)
{
	struct result sum = series->result;
	unsigned int i, runs = ++series->spread.runs;

	series->result = *run;
	for (i = 0; i < run->counters->n; i++) {
		add(&series->value[i], runs, result_estimate(run, &run->sum, i).value);
		series->result.sum.value[i] += sum.sum.value[i];
	}
	result_turns(&series->result, sum.sum.turns);
	series->result.sum.throttled += sum.sum.throttled;
	series->result.measured += sum.measured;
	series->result.missed += sum.missed;
	add(&series->elapsed, runs, run->elapsed_ns);
	add(&series->user, runs, run->user_ns);
	add(&series->system, runs, run->system_ns);
	/* What is to be said of a run before is still to be said. */
	for (i = 0; i < sum.notes; i++)
		result_note(&series->result, "%s", sum.note[i]);
}

const struct result *series_result(struct series *series)
{
	struct result *r = &series->result;
	struct spread *s = &series->spread;
	unsigned int i;

	if (s->runs == 1)
		return r;
	for (i = 0; i < r->counters->n; i++) {
		s->value[i] = deviation(&series->value[i], s->runs);
		r->sum.value[i] = mean(r->sum.value[i], s->runs);
	}
	for (i = 0; i < r->counters->sets; i++) {
		r->sum.turns[i].ns = mean(r->sum.turns[i].ns, s->runs);
		r->sum.turns[i].n = mean(r->sum.turns[i].n, s->runs);
	}
	s->elapsed = deviation(&series->elapsed, s->runs);
	s->user = deviation(&series->user, s->runs);
	s->system = deviation(&series->system, s->runs);
	r->elapsed_ns = (uint64_t)(series->elapsed.mean + 0.5);
	r->user_ns = (uint64_t)(series->user.mean + 0.5);
	r->system_ns = (uint64_t)(series->system.mean + 0.5);
	r->measured = (unsigned int)mean(r->measured, s->runs);
	r->spread = s;
	return r;
}
