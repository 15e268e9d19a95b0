/* SPDX-License-Identifier: GPL-2.0-only */
/* What was measured. */
#ifndef PFMON_RESULT_H
#define PFMON_RESULT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "events.h"

#define TITLE_MAX	76	/* one line */
#define NOTES_MAX	5
#define NOTE_MAX	256

struct probe_ops;

struct result {
	const struct probe_ops *ops;	/* what for */
	const struct counters *counters;
	struct counts sum;		/* over all that was measured */
	unsigned int begun;		/* contexts that were made */
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
 * @counts: of the context
 * @stops:  context switches that were pfmon's doing
 */
void result_add(struct result *result, const struct counts *counts, uint64_t stops);

/**
 * result_turns() - add one context's times of its event sets
 * @result: sums
 * @turns:  of each set
 */
void result_turns(struct result *result, const struct turns turns[MAX_EVENTS]);

/* What an event would have counted if it had been counted all the time. */
struct estimate {
	uint64_t value;
	uint64_t counted;	/* from which it is estimated */
	double share;		/* of the time that it was, from 0 to 1 */
	double error;		/* relative standard deviation; below 0: not known */
};

/**
 * result_estimate() - what an event counted
 * @result: sums
 * @i:      index of the event
 *
 * An estimate's error is that of an event whose counts in two turns of its set differ
 * as much as they are large, and which does not come in bursts shorter than a turn.
 * The more evenly it comes, the smaller the error is.
 *
 * Return: the count with the share 1; or an estimate with a smaller one, whose value
 * means nothing if the share is 0.
 */
struct estimate result_estimate(const struct result *result, unsigned int i);

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
