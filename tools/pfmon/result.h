/* SPDX-License-Identifier: GPL-2.0-only */
/* What was measured. */
#ifndef PFMON_RESULT_H
#define PFMON_RESULT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "events.h"

#define TITLE_MAX	76	/* one line */
#define NOTES_MAX	4
#define NOTE_MAX	256

struct probe_ops;

struct result {
	const struct probe_ops *ops;	/* what for */
	const struct counters *counters;
	uint64_t values[MAX_COUNTERS];	/* sums over all that was measured */
	char title[TITLE_MAX];		/* of what: "'sleep 1'", "CPUs 0-1" */
	bool threads;			/* of threads, not of CPUs ... */
	unsigned int measured;		/* ... and of how many */
	unsigned int missed;		/* threads that were not */

	uint64_t elapsed_ns;
	bool has_usage;			/* a command's user and system time */
	uint64_t user_ns, system_ns;

	/* What the reader should know about the counts, a sentence each. */
	unsigned int notes;
	char note[NOTES_MAX][NOTE_MAX];
};

/**
 * result_add() - add one context's counts
 * @result: sums
 * @values: one a counter
 * @stops:  context switches that were pfmon's doing
 */
void result_add(struct result *result, const uint64_t values[MAX_COUNTERS],
		uint64_t stops);

/**
 * result_note() - add a sentence for the reader
 * @result: where to
 * @format: as printf() has it
 */
void result_note(struct result *result, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/**
 * result_print() - print it for people
 * @out:    where to
 * @result: what
 */
void result_print(FILE *out, const struct result *result);

/**
 * result_print_json() - print it for programs, as one JSON object
 * @out:    where to
 * @result: what
 */
void result_print_json(FILE *out, const struct result *result);

/**
 * now_ns() - the clock that never goes back
 *
 * Return: nanoseconds.
 */
uint64_t now_ns(void);

#endif /* PFMON_RESULT_H */
