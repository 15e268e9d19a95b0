// SPDX-License-Identifier: GPL-2.0-only
/*
 * When a measurement begins and ends, and what is printed meanwhile.
 *
 * At the end of an interval all probes are read while they go on. What was counted by
 * threads that have ended is in the result already.
 */
#include <stdlib.h>
#include <string.h>
#include <err.h>

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

	probe_name(probe);
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

/* What was added since; @to gets the sum of both if it was less than @before. */
static void subtract(struct counts *since, struct counts *to, const struct counts *before)
{
	unsigned int i;

	for (i = 0; i < MAX_EVENTS; i++) {
		since->value[i] = advance(&to->value[i], before->value[i]);
		since->turns[i].ns = advance(&to->turns[i].ns, before->turns[i].ns);
		since->turns[i].n = advance(&to->turns[i].n, before->turns[i].n);
	}
}

static void print_since(const struct result *result)
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
	result->schedule->print(&since);
	copy(&last, &now);
}

/* All that is now is copied, but the threads that count themselves as they are read. */
static void interval(struct result *result)
{
	copy(&now, result);
	now.elapsed_ns = now_ns() - result->begin_ns;
	probe_all(result, add_probe);
	if (result->schedule->whole)
		result->schedule->print(&now);
	else
		print_since(result);
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

void schedule_rest(const struct result *result)
{
	copy(&now, result);
	if (!result->schedule->whole && now.elapsed_ns > last.elapsed_ns)
		print_since(result);
}
