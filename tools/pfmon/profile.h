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
	BY_PROCESS, BY_THREAD, BY_CPU, BY_BINARY, BY_SYMBOL, BY_LINE,
	BY_ADDRESS, BY_CHAIN,
	DIMENSIONS,
};

extern const char *const dimension_names[DIMENSIONS];

struct row {
	struct row *next;		/* of its hash bucket */
	uint32_t hash;
	uint64_t count;
	uint64_t weight;		/* events, if each sample has its own period; or count */
	uint64_t total_count;		/* of samples in it or in what it called, ... */
	uint64_t total_weight;		/* ... and what they stand for: with @children */
	uint64_t before_count;		/* of @before's row of these frames */
	uint64_t before_weight;
	double change;			/* of the share, since @before: in percent of all */
	uint64_t seen;			/* the sample that was added last to these */
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

/* The frames of a row of struct profile's @calls: function, one of these, another function. */
#define CALL_FRAMES	3
extern const char *const call_total, *const call_self, *const call_from, *const call_to;

struct space;
struct profile;

/*
 * Is handed all samples that are wanted: of the chosen event, as they stand in the file;
 * or of all events, in the order of time, without values; or as they stand in the file.
 */
struct visitor {
	bool chosen;
	bool any_order;		/* of all events, as they stand in the file */
	void (*sample)(void *arg, struct space *space, const struct sampled_event *event,
		       const struct pmon_sample *sample);
	/* Is what was read by now all that is wanted? NULL: all is. */
	bool (*enough)(void *arg);
	/* When all were visited: @space is still there. NULL: it need not be said. */
	void (*end)(void *arg, struct space *space, const struct profile *p);
	void *arg;
};

struct profile {
	struct df_header header;
	unsigned int events;		/* that the file has */
	struct sampled_event *event;
	unsigned int chosen;		/* the event with the samples below ... */
	unsigned int readings;		/* ... and the number of readings in each */
	bool by[DIMENSIONS];
	bool prefer_chains;		/* if there are any, by process and chain */
	bool inlined;			/* functions that were inlined are functions */
	bool reverse;			/* chains have the innermost call first */
	bool children;			/* rows have their totals, too: not of chains */
	const char *calls;		/* rows are calls of the functions with these names, as
					 * of a filter; see profile_calls(). NULL: are not */
	bool absolute;			/* percentages are of what was left out, too */
	struct filter filter;
	const struct visitor *visitor;	/* NULL: samples are added up */
	unsigned int frames;		/* dimensions in use, without the chain */
	unsigned int depth;		/* frames of the longest row */
	const struct profile *before;	/* that this one is compared with, or NULL */
	uint64_t serial;		/* of the sample that is being added */

	uint64_t samples;
	uint64_t weight;		/* of all rows */
	uint64_t left_out;		/* by the filter ... */
	uint64_t left_weight;		/* ... of the chosen event, and what that stands for */
	uint64_t active_ns, all_ns;	/* of the chosen event's sets, and of all */
	bool share_unknown;		/* there are such sets, and no times of them */
	size_t rows;
	struct row **row;		/* the largest first */
	struct row **bucket;
	size_t buckets;

	struct df_lost lost;
	uint64_t gaps;			/* records of what is missing where */
	uint64_t gap_ns;		/* how long the longest was */
	struct pmon_lost gap;		/* the one that lost most */
	bool complete;			/* all is here, and the file's end ... */
	struct df_end end;		/* ... and is this */

	unsigned int notes;
	char note[12][160];
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
 * @p:     all zeroes but @by, @prefer_chains, @inlined, @reverse, @children, @calls, @absolute,
 *         @filter and @visitor
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

struct loading;

/**
 * profile_live() - begin to follow a data file that grows
 * @p:     as for profile_read()
 * @path:  file, with its header
 * @error: receives one line that says what is wrong
 *
 * Return: for the next two, or NULL and @error is filled in.
 */
struct loading *profile_live(struct profile *p, const char *path,
			     char error[DATA_ERROR_MAX]);

/**
 * profile_update() - the samples that were added since the last time, and no others
 * @l:     from profile_live()
 * @limit: bytes of the file, to the end of a record
 *
 * The first event is the chosen one. What the file has before @limit is not needed any
 * more.
 *
 * Return: 0, or -1 if the file is damaged.
 */
int profile_update(struct loading *l, uint64_t limit);

/**
 * profile_live_end() - do not follow it any more
 * @l: from profile_live(); the profile remains
 */
void profile_live_end(struct loading *l);

/**
 * filter_matches() - is a name in a list?
 * @list: patterns as in a shell, separated by commas; NULL: any name is
 * @name: name; of a path the last part is enough
 *
 * Return: true or false.
 */
bool filter_matches(const char *list, const char *name);

/**
 * profile_weigh() - what a sample stands for
 * @event:  of which it is
 * @sample: sample
 *
 * Return: events, if each sample has a period of its own, else how often it was taken.
 */
uint64_t profile_weigh(const struct sampled_event *event, const struct pmon_sample *sample);

/* Files can say anything: a sum that is too large is the largest one. */
static inline void add_weight(uint64_t *sum, uint64_t weight)
{
	if (__builtin_add_overflow(*sum, weight, sum))
		*sum = UINT64_MAX;
}

/**
 * profile_add() - add a sample
 * @p:      profile
 * @frame:  names, of text_intern(): one for each dimension that was chosen, for
 *          a chain any number
 * @frames: how many
 * @count:  how many samples
 * @weight: what they stand for; @count, if their periods are all the same
 *
 * To be followed by profile_sort() when all were added.
 *
 * Return: its row.
 */
struct row *profile_add(struct profile *p, const char *const frame[],
			unsigned int frames, uint64_t count, uint64_t weight);

/**
 * profile_sort() - put the rows in order
 * @p: profile
 */
void profile_sort(struct profile *p);

/**
 * profile_compare() - compare with another recording
 * @p:      profile; gets the rows that only the other one has, without samples
 * @before: the other one, by the same dimensions; is there as long as @p is
 *
 * Rows are in the order of what has changed most then.
 */
void profile_compare(struct profile *p, const struct profile *before);

/**
 * profile_free() - free what it has
 * @p: profile
 */
void profile_free(struct profile *p);

#endif /* PFMON_PROFILE_H */
