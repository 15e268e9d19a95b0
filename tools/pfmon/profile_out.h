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
 * profile_of_all() - words to follow the number of lost samples
 * @p: profile of one event
 *
 * Return: " (of all events)" if several events were sampled: a lost sample is counted,
 * but not which event it was of. Otherwise "".
 */
const char *profile_of_all(const struct profile *p);

/**
 * profile_rows() - how many rows are selected; they are the first ones
 * @p:   profile
 * @sel: selection
 *
 * Return: how many.
 */
size_t profile_rows(const struct profile *p, const struct selection *sel);

/**
 * profile_percent() - of all samples
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

/* One a format. */
void profile_text(FILE *out, const struct profile *p, const struct selection *sel);
void profile_json(FILE *out, const struct profile *p, const struct selection *sel);
void profile_folded(FILE *out, const struct profile *p, const struct selection *sel);
void profile_svg(FILE *out, const struct profile *p, const struct selection *sel);

#endif /* PFMON_PROFILE_OUT_H */
