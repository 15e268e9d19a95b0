/* SPDX-License-Identifier: GPL-2.0-only */
/* The samples of a data file, added up by where they are. */
#ifndef PFMON_PROFILE_H
#define PFMON_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "data_read.h"

/* What samples can be told apart by; also the order of columns and frames. */
enum dimension {
	BY_PROCESS, BY_THREAD, BY_CPU, BY_BINARY, BY_SYMBOL, BY_ADDRESS, BY_CHAIN,
	DIMENSIONS,
};

extern const char *const dimension_names[DIMENSIONS];

struct row {
	struct row *next;		/* of its hash bucket */
	uint64_t count;
	uint64_t *sum;			/* of each reading since the last sample */
	unsigned int frames;		/* one a dimension, in their order; of
					 * a chain one a call, the outermost first */
	const char *frame[];		/* of text_intern() */
};

/* Which samples are wanted: those that match all of it. NULL matches anything. */
struct filter {
	/* Names, separated by commas, each a pattern as in a shell. */
	const char *process, *binary, *symbol;
	const char *thread, *cpu;	/* numbers, separated by commas */
	uint64_t from_ns, to_ns;	/* since the recording began, @to_ns 0: no end */
};

struct space;

/* Is handed all samples that are wanted, of all events, in the order of time. */
struct visitor {
	void (*sample)(void *arg, struct space *space, const struct sampled_event *event,
		       const struct sample *sample);
	void *arg;
};

#define PROFILE_BUCKETS	4096

struct profile {
	struct df_header header;
	unsigned int events;		/* that the file has */
	struct sampled_event *event;
	unsigned int chosen;		/* the event with the samples below ... */
	unsigned int readings;		/* ... and the number of readings in each */
	bool by[DIMENSIONS];
	bool prefer_chains;		/* if there are any, by process and chain */
	struct filter filter;
	const struct visitor *visitor;	/* NULL: samples are added up */
	unsigned int frames;		/* dimensions in use, without the chain */
	unsigned int depth;		/* frames of the longest row */

	uint64_t samples;
	uint64_t left_out;		/* by the filter */
	uint64_t active_ns, all_ns;	/* of the chosen event's sets, and of all */
	bool share_unknown;		/* there are such sets, and no times of them */
	size_t rows;
	struct row **row;		/* the largest first */
	struct row *bucket[PROFILE_BUCKETS];

	struct df_lost lost;
	bool complete;			/* the end of the file was there ... */
	struct df_end end;		/* ... and is this */

	unsigned int notes;
	char note[6][160];
};

/**
 * profile_by() - choose dimensions
 * @by:   set to what @list says
 * @list: names, separated by commas
 *
 * Return: 0, or -1 if one of them is none.
 */
int profile_by(bool by[DIMENSIONS], const char *list);

/**
 * profile_read() - read a data file
 * @p:     all zeroes but @by, @prefer_chains, @filter and @visitor
 * @path:  file
 * @event: name of the event whose samples are wanted, NULL: of the first
 * @error: receives one line that says what is wrong
 *
 * A file that is cut off or damaged is read up to there: a note says so.
 *
 * Return: 0, or -1 and @error is filled in.
 */
int profile_read(struct profile *p, const char *path, const char *event,
		 char error[DATA_ERROR_MAX]);

/**
 * filter_matches() - is a name in a list?
 * @list: patterns as in a shell, separated by commas; NULL: any name is
 * @name: name; of a path the last part is enough
 *
 * Return: true or false.
 */
bool filter_matches(const char *list, const char *name);

/**
 * profile_add() - add a sample
 * @p:      profile
 * @frame:  names, of text_intern(): one for each dimension that was chosen, for
 *          a chain any number
 * @frames: how many
 * @count:  how many samples
 *
 * To be followed by profile_sort() when all were added.
 *
 * Return: its row.
 */
struct row *profile_add(struct profile *p, const char *const frame[],
			unsigned int frames, uint64_t count);

/**
 * profile_sort() - put the rows in order
 * @p: profile
 */
void profile_sort(struct profile *p);

/**
 * profile_free() - free what it has
 * @p: profile
 */
void profile_free(struct profile *p);

#endif /* PFMON_PROFILE_H */
