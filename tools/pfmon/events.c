// SPDX-License-Identifier: GPL-2.0-only
/*
 * The events that can be counted. Another PMU is one more table of events and
 * one more line in sources[].
 */
#include <stddef.h>
#include <string.h>

#include <perfmon/libperfmon.h>

#include "events.h"

#define COUNT(table)	(sizeof(table) / sizeof((table)[0]))

static const struct event sw_events[] = {
	{ .name = "task-clock", .value = PFM_SW_TASK_CLOCK, .unit = UNIT_NS,
	  .period = 1000000,
	  .help = "CPU time; with -C the time in which the CPU was not idle" },
	{ .name = "context-switches", .value = PFM_SW_CSWITCHES,
	  .period = 1, .counts_stops = true,
	  .help = "times that the CPU was given away" },
	{ .name = "migrations", .value = PFM_SW_MIGRATIONS, .period = 1,
	  .help = "moves to another CPU" },
	{ .name = "minor-faults", .value = PFM_SW_MINOR_FAULTS,
	  .period = 100,
	  .help = "page faults that needed no I/O" },
	{ .name = "major-faults", .value = PFM_SW_MAJOR_FAULTS,
	  .period = 1,
	  .help = "page faults that needed I/O" },
};

static const struct event_source sources[] = {
	{ .name = "software", .pmc0 = PFM_SW_PMC0, .pmd0 = PFM_SW_PMD0,
	  .counters = PFM_SW_COUNTERS,
	  .event = sw_events, .events = COUNT(sw_events) },
};

/* Other names, as perf has them; some stand for several events. */
static const struct {
	const char *name, *list;
} aliases[] = {
	{ "cs", "context-switches" },
	{ "cpu-migrations", "migrations" },
	{ "page-faults", "minor-faults,major-faults" },
	{ "faults", "minor-faults,major-faults" },
};

static const struct event *find_event(const char *name, size_t len,
				      const struct event_source **source)
{
	size_t s, e;

	for (s = 0; s < COUNT(sources); s++) {
		for (e = 0; e < sources[s].events; e++) {
			const struct event *event = &sources[s].event[e];

			if (strlen(event->name) == len &&
			    !strncmp(event->name, name, len)) {
				*source = &sources[s];
				return event;
			}
		}
	}
	return NULL;
}

static const char *find_alias(const char *name, size_t len)
{
	size_t i;

	for (i = 0; i < COUNT(aliases); i++)
		if (strlen(aliases[i].name) == len &&
		    !strncmp(aliases[i].name, name, len))
			return aliases[i].list;
	return NULL;
}

static void say_unknown(const char *name, size_t len,
			char error[EVENTS_ERROR_MAX])
{
	size_t s, e;
	int at;

	at = snprintf(error, EVENTS_ERROR_MAX, "no event '%.*s'; there are",
		      len > 64 ? 64 : (int)len, name);
	for (s = 0; s < COUNT(sources); s++)
		for (e = 0; e < sources[s].events && at < EVENTS_ERROR_MAX; e++)
			at += snprintf(error + at, (size_t)(EVENTS_ERROR_MAX - at),
				       "%s %s", s || e ? "," : "",
				       sources[s].event[e].name);
}

/* The next free counter of the source goes to the event. */
static int assign(struct counters *counters, const struct event *event,
		  const struct event_source *source,
		  char error[EVENTS_ERROR_MAX])
{
	unsigned int i, used = 0;
	struct counter *c;

	for (i = 0; i < counters->n; i++)
		if (counters->c[i].pmd >= source->pmd0 &&
		    counters->c[i].pmd < source->pmd0 + source->counters)
			used++;
	if (used == source->counters || counters->n == MAX_COUNTERS) {
		snprintf(error, EVENTS_ERROR_MAX,
			 "no counter is left for '%s': at most %u %s events at a time",
			 event->name, source->counters, source->name);
		return -1;
	}
	c = &counters->c[counters->n++];
	c->event = event;
	c->pmc = (uint16_t)(source->pmc0 + used);
	c->pmd = (uint16_t)(source->pmd0 + used);
	return 0;
}

/* Aliases do not lead to aliases: no deeper than one step. */
static int add(struct counters *counters, const char *list,
	       char error[EVENTS_ERROR_MAX])
{
	const struct event_source *source;
	const struct event *event;
	const char *alias;
	size_t len;

	for (;; list += len + 1) {
		len = strcspn(list, ",");
		event = find_event(list, len, &source);
		alias = event ? NULL : find_alias(list, len);
		if (!event && !alias) {
			say_unknown(list, len, error);
			return -1;
		}
		if (event ? assign(counters, event, source, error) :
			    add(counters, alias, error))
			return -1;
		if (!list[len])
			return 0;
	}
}

int counters_add(struct counters *counters, const char *list,
		 char error[EVENTS_ERROR_MAX])
{
	struct counters old = *counters;

	if (add(counters, list, error)) {
		*counters = old;
		return -1;
	}
	return 0;
}

int counters_find(const struct counters *counters, const char *name)
{
	unsigned int i;

	for (i = 0; i < counters->n; i++)
		if (!strcmp(counters->c[i].event->name, name))
			return (int)i;
	return -1;
}

void events_print(FILE *out)
{
	size_t s, e;

	for (s = 0; s < COUNT(sources); s++) {
		fprintf(out, "events of the %s PMU, at most %u at a time:\n",
			sources[s].name, sources[s].counters);
		for (e = 0; e < sources[s].events; e++)
			fprintf(out, "  %-18s %s\n", sources[s].event[e].name,
				sources[s].event[e].help);
	}
}
