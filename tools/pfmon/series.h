/* SPDX-License-Identifier: GPL-2.0-only */
/* Several measurements of the same: their mean, and by how much they differ. */
#ifndef PFMON_SERIES_H
#define PFMON_SERIES_H

#include "result.h"

/* The mean and the sum of the squared differences from it, run by run. */
struct moments {
	double mean, squares;
};

struct series {
	struct result result;	/* the sum of all runs */
	struct spread spread;
	struct moments value[MAX_EVENTS], elapsed, user, system;
};

/**
 * series_add() - add a run
 * @series: all zeroes before the first one
 * @run:    result of the run, without groups
 */
void series_add(struct series *series, const struct result *run);

/**
 * series_result() - what all runs together say
 * @series: with at least one run
 *
 * Return: the mean of the runs; belongs to @series.
 */
const struct result *series_result(struct series *series);

#endif /* PFMON_SERIES_H */
