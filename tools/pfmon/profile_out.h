/* SPDX-License-Identifier: GPL-2.0-only */
/* How a profile is printed. */
#ifndef PFMON_PROFILE_OUT_H
#define PFMON_PROFILE_OUT_H

#include <stdio.h>

#include "profile.h"

/* What of it. */
struct selection {
	size_t lines;		/* rows at most, 0: all */
	double min;		/* percent that a row has at least */
};

/**
 * selection_lines() - read a number of lines; ends the program if it is none
 * @text: of an option
 *
 * Return: the number, not 0.
 */
size_t selection_lines(const char *text);

/**
 * selection_percent() - read a number of percent; ends the program if it is none
 * @text: of an option
 *
 * Return: from 0 to 100.
 */
double selection_percent(const char *text);

/**
 * profile_of_all() - words to follow the number of lost samples
 * @p: profile of one event
 *
 * Return: " (of all events)" if several events were sampled: a lost sample is counted,
 * but not which event it was of. Otherwise "".
 */
const char *profile_of_all(const struct profile *p);

/**
 * profile_share() - of a row, by which rows are in order
 * @p:   profile
 * @row: one of it
 *
 * Return: percent, of the row's total if there are totals; of two recordings, by how many
 * percent of all it differs.
 */
double profile_share(const struct profile *p, const struct row *row);

/**
 * profile_rows() - how many rows are selected; they are the first ones
 * @p:   profile
 * @sel: selection
 *
 * Return: how many.
 */
size_t profile_rows(const struct profile *p, const struct selection *sel);

/**
 * profile_percent() - of all samples, or with @absolute of those that were left out, too
 * @p:      profile
 * @weight: of a row, or of several
 *
 * Return: from 0 to 100.
 */
double profile_percent(const struct profile *p, uint64_t weight);

/**
 * profile_period() - events from one sample to the next
 * @p: profile
 * @e: its event
 *
 * Return: the period, or the mean of all if each sample has its own.
 */
uint64_t profile_period(const struct profile *p, const struct sampled_event *e);

/**
 * profile_heading() - "'make': 1,234 samples of task-clock, one each 1.00 ms; 0 lost; 2.3456 s"
 * @out: where to
 * @p:   profile
 */
void profile_heading(FILE *out, const struct profile *p);

/**
 * profile_remarks() - what is to be said of all of it, a line each
 * @out: where to
 * @p:   profile
 */
void profile_remarks(FILE *out, const struct profile *p);

/* One a format; those of calls are of a profile with @calls. */
void profile_text(FILE *out, const struct profile *p, const struct selection *sel);
void profile_json(FILE *out, const struct profile *p, const struct selection *sel);
void profile_folded(FILE *out, const struct profile *p, const struct selection *sel);
void profile_svg(FILE *out, const struct profile *p, const struct selection *sel);
void profile_tree(FILE *out, const struct profile *p, const struct selection *sel);
void profile_calls(FILE *out, const struct profile *p, const struct selection *sel);
void profile_calls_json(FILE *out, const struct profile *p, const struct selection *sel);

/**
 * profile_json_begin() - the members of the object that all profiles have
 * @out: where to
 * @p:   profile
 *
 * It ends with a comma; what is between, and the brace that closes it, is the caller's.
 */
void profile_json_begin(FILE *out, const struct profile *p);

#endif /* PFMON_PROFILE_OUT_H */
