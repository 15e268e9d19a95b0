// SPDX-License-Identifier: GPL-2.0-only
/*
 * When a measurement begins and ends, and what is printed meanwhile.
 *
 * At the end of an interval all probes are read while they go on. What was counted by
 * threads that have ended is in the result already.
 */
#include <err.h>
#include <stdlib.h>
#include <string.h>

#include "probe.h"
#include "schedule.h"
#include "signals.h"
#include "watch.h"

/* All that was counted by now, and by the end of the interval before. */
static struct result now, last;

static void copy(struct result *to, const struct result *from)
{
	struct group *group = to->group;

	if (from->groups) {
		group = reallocarray(group, from->groups, sizeof(*group));
		if (!group)
			err(EXIT_PFMON, NULL);
		memcpy(group, from->group, from->groups * sizeof(*group));
	}
	*to = *from;
	to->group = group;
}

static void add_probe(struct probe *probe)
{
	struct failure ignored;
	struct counts counts;

	if (!context_read(probe->fd, now.counters, &counts, &ignored))
		result_add(&now, probe->group, &counts, probe->stops);
}

/* A count that seems to go back, as pfmon's own stops can make it, stands still. */
static uint64_t advance(uint64_t *value, uint64_t before)
{
	if (*value < before)
		*value = before;
	return *value - before;
}

/* @since = @to - @before; what is less in @to than in @before is raised to that. */
static void subtract(struct counts *since, struct counts *to, const struct counts *before)
{
	unsigned int i;

	for (i = 0; i < MAX_EVENTS; i++) {
		since->value[i] = advance(&to->value[i], before->value[i]);
		since->turns[i].ns = advance(&to->turns[i].ns, before->turns[i].ns);
		since->turns[i].n = advance(&to->turns[i].n, before->turns[i].n);
	}
}

/* Whatever was counted since the end of the interval before. */
static const struct result *take_since(void)
{
	static struct result since;
	unsigned int i;

	copy(&since, &now);
	subtract(&since.sum, &now.sum, &last.sum);
	for (i = 0; i < last.groups; i++)
		subtract(&since.group[i].sum, &now.group[i].sum, &last.group[i].sum);
	since.is_interval = true;
	since.from_ns = last.elapsed_ns;
	since.elapsed_ns = now.elapsed_ns - last.elapsed_ns;
	since.has_usage = false;
	since.notes = 0;
	copy(&last, &now);
	return &since;
}

/* Estimates are added up: the share of all the time could make their sum go back. */
static void add_up(struct counts *total, const struct counts *sum,
		   const struct result *since, const struct counts *part)
{
	uint64_t value[MAX_EVENTS];
	unsigned int i;

	for (i = 0; i < since->counters->n; i++)
		value[i] = total->value[i] + result_estimate(since, part, i).value;
	*total = *sum;
	memcpy(total->value, value, since->counters->n * sizeof(*value));
}

static const struct result *add_since(const struct result *since)
{
	static struct result total, before;
	struct counts none = { 0 };
	unsigned int i;

	copy(&before, &total);
	copy(&total, &now);
	total.sum = before.sum;
	add_up(&total.sum, &now.sum, since, &since->sum);
	for (i = 0; i < total.groups; i++) {
		total.group[i].sum = i < before.groups ? before.group[i].sum : none;
		add_up(&total.group[i].sum, &now.group[i].sum, since, &since->group[i].sum);
	}
	total.added_up = true;
	return &total;
}

/* Threads that have ended are in @result; add_probe() adds those that go on. */
static void interval(struct result *result)
{
	const struct result *since;

	probe_all(result, probe_name);
	copy(&now, result);
	now.elapsed_ns = now_ns() - result->begin_ns;
	probe_all(result, add_probe);
	since = take_since();
	result->schedule->print(result->schedule->whole ? add_since(since) : since);
}

static void end(struct result *result)
{
	result->over = true;
	signals_end_child();
}

static void start(struct probe *probe)
{
	struct failure ignored;

	/* It fails if the thread is gone. */
	probe->stops = 0;
	probe_start(probe, &ignored);
}

static void release(struct result *result)
{
	result->held = false;
	probe_all(result, start);
	schedule_begin(result);
}

void schedule_begin(struct result *result)
{
	const struct schedule *s = result->schedule;

	result->begin_ns = now_ns();
	if (!s)
		return;
	if (result->held) {
		watch_timer(s->delay_ns, false, release);
		return;
	}
	if (s->interval_ns)
		watch_timer(s->interval_ns, true, interval);
	if (s->timeout_ns)
		watch_timer(s->timeout_ns, false, end);
}

void schedule_over(struct result *result)
{
	if (!result->held)
		result->elapsed_ns = now_ns() - result->begin_ns;
}

const struct result *schedule_rest(const struct result *result)
{
	const struct result *since;

	copy(&now, result);
	since = take_since();
	if (result->schedule->whole)
		return add_since(since);
	if (since->elapsed_ns)
		result->schedule->print(since);
	return result;
}
