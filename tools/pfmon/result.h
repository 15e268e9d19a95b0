/* SPDX-License-Identifier: GPL-2.0-only */
/* What was measured. */
#ifndef PFMON_RESULT_H
#define PFMON_RESULT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "events.h"

#define TITLE_MAX	76	/* one line */
#define TITLE_ALL	"all CPUs"
#define NOTES_MAX	8
#define NOTE_MAX	256

struct probe;
struct probe_ops;
struct schedule;

/* What groups are, if not threads. */
enum grouping { GROUP_CPU, GROUP_CORE, GROUP_SOCKET, GROUP_NODE };

/* A part of what was measured. */
struct group {
	int id;				/* number of the CPU, core, ... or thread */
	int socket;			/* of a core, whose number is that within it */
	unsigned int cpus;		/* that are added up, 0: it is one */
	char name[16];			/* of the thread */
	bool away;			/* a CPU that is offline, or another program's, now */
	struct counts sum;
};

/* How much runs differ: the standard deviation of one, relative to the mean. */
struct spread {
	unsigned int runs;
	double value[MAX_EVENTS];
	double elapsed, user, system;
};

struct result {
	const struct probe_ops *ops;	/* what for */
	const struct counters *counters;
	struct counts sum;		/* over all that was measured */
	unsigned int begun;		/* contexts that were made */
	char title[TITLE_MAX];		/* of what: "'sleep 1'", "CPUs 0-1" */
	bool threads;			/* of threads, not of CPUs ... */
	unsigned int measured;		/* ... and of how many contexts */
	bool tree;			/* each is of a tree, of however many threads */
	bool joins;			/* each is of a CPU, and of what members of a tree do there */
	int sum_fd;			/* descriptor of the context that has that tree */
	bool running;			/* it has processes that there were before */
	unsigned int missed;		/* threads that were not */

	bool grouped;			/* each CPU or thread is a group, too */
	enum grouping grouping;		/* of CPUs; others only when they are printed */
	unsigned int groups;
	struct group *group;		/* CPUs in their order, threads as they began */

	uint64_t begin_ns;		/* now_ns() when it began, 0: not yet */
	uint64_t elapsed_ns;
	bool has_usage;			/* a command's user and system time */
	uint64_t user_ns, system_ns;
	bool has_spent;			/* processes' own CPU time meanwhile, of all threads ... */
	uint64_t spent_ns, counted_ns;	/* ... and that in which contexts counted */
	bool added_up;			/* values are estimates of intervals, added up */
	bool is_interval;		/* it is part of a measurement ... */
	uint64_t from_ns;		/* ... and began so long after that did */
	const struct spread *spread;	/* the mean of several runs, or NULL */

	/* What the reader should know about the counts, a sentence each. */
	unsigned int notes;
	char note[NOTES_MAX][NOTE_MAX];

	/* While it is measured: see probe.h. */
	struct probe *probes;
	const struct schedule *schedule;	/* NULL: none but that of the target */
	bool held;			/* probes are not to be started yet */
	bool over;			/* it is to end */
	bool again;			/* another one follows */
	bool wait;			/* for threads and CPUs that others monitor */
	void (*command)(struct result *result, void (*what)(struct probe *));
};

/**
 * result_add_group() - make a group for a CPU or thread
 * @result: @grouped is set
 * @id:     its number; a thread may have that of one that has ended
 *
 * Return: its index.
 */
unsigned int result_add_group(struct result *result, int id);

/**
 * result_add() - add one context's counts
 * @result: sums
 * @group:  index of its group; means nothing if there are no groups
 * @counts: of the context
 * @stops:  context switches that were pfmon's doing
 */
void result_add(struct result *result, unsigned int group, const struct counts *counts,
		uint64_t stops);

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
 * @result: what was measured
 * @sum:    the sum of all of it, or of a group
 * @i:      index of the event
 *
 * An estimate's error is that of an event whose counts in two turns of its set differ
 * as much as they are large, and which does not come in bursts shorter than a turn.
 * The more evenly it comes, the smaller the error is.
 *
 * Return: the count with the share 1; or an estimate with a smaller one, whose value
 * means nothing if the share is 0.
 */
struct estimate result_estimate(const struct result *result, const struct counts *sum,
				unsigned int i);

/**
 * result_note() - add a sentence for the reader, unless it is there already
 * @result: where to
 * @format: as printf() has it
 */
void result_note(struct result *result, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/**
 * result_clock() - the CPU time that rates are relative to
 * @result: what was measured
 * @sum:    the sum of all of it, or of a group
 *
 * Return: nanoseconds, 0 if it was not counted.
 */
uint64_t result_clock(const struct result *result, const struct counts *sum);

/**
 * now_ns() - the kernel's clock that never goes back, whatever name space pfmon is in
 *
 * Return: nanoseconds.
 */
uint64_t now_ns(void);

#endif /* PFMON_RESULT_H */
