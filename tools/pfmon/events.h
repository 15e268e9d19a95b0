/* SPDX-License-Identifier: GPL-2.0-only */
/* The events that can be counted, and the registers that count them. */
#ifndef PFMON_EVENTS_H
#define PFMON_EVENTS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Counters of one context. A vector of so many fits in one page. */
#define MAX_COUNTERS	32

enum event_unit { UNIT_COUNT, UNIT_NS };

struct event {
	const char *name;
	const char *help;
	uint64_t value;		/* of the control register */
	enum event_unit unit;
	uint64_t period;	/* between samples, if no other is asked for */
	/*
	 * Each stop that following a thread causes is one of these events:
	 * it is the tool's, not the program's, and is taken off.
	 */
	bool counts_stops;
};

/*
 * A PMU as this tool sees it: control pmc0 + i selects what counter pmd0 + i
 * counts, and any counter can count any of the events.
 */
struct event_source {
	const char *name;
	uint16_t pmc0, pmd0;
	unsigned int counters;
	unsigned int events;
	const struct event *event;
};

/* An event that is to be counted, and where. */
struct counter {
	const struct event *event;
	uint16_t pmc, pmd;
};

struct counters {
	unsigned int n;
	struct counter c[MAX_COUNTERS];
};

/* What is counted when nothing is asked for. */
#define DEFAULT_EVENTS \
	"task-clock,context-switches,migrations,minor-faults,major-faults"

/* counters_add() says what was wrong in so many bytes. */
#define EVENTS_ERROR_MAX	256

/**
 * counters_add() - choose events and give each a counter
 * @counters: chosen so far; unchanged on error
 * @list:     names, separated by commas
 * @error:    receives one line that says what is wrong
 *
 * Return: 0, or -1 and @error is filled in.
 */
int counters_add(struct counters *counters, const char *list,
		 char error[EVENTS_ERROR_MAX]);

/**
 * counters_find() - where is an event counted?
 * @counters: chosen events
 * @name:     its name
 *
 * Return: the index of the first counter that counts it, or -1.
 */
int counters_find(const struct counters *counters, const char *name);

/**
 * events_print() - list all events with one line of help each
 * @out: where to
 */
void events_print(FILE *out);

#endif /* PFMON_EVENTS_H */
