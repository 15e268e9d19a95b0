/* SPDX-License-Identifier: GPL-2.0-only */
/* When a measurement begins and ends, and what is printed meanwhile. */
#ifndef PFMON_SCHEDULE_H
#define PFMON_SCHEDULE_H

#include "result.h"

/**
 * struct schedule - of a measurement
 * @delay_ns:    measure nothing for so long after the command began
 * @interval_ns: print what was counted each time that so long has passed
 * @timeout_ns:  end after so long
 * @whole:       intervals have all that was counted by then, not since the last one;
 *               what is estimated is the sum of the estimates of all intervals, so
 *               that it never goes back
 * @print:       prints an interval
 *
 * Times are in nanoseconds, and 0 if there is no such thing.
 */
struct schedule {
	uint64_t delay_ns, interval_ns, timeout_ns;
	bool whole;
	void (*print)(const struct result *interval);
};

/**
 * schedule_begin() - the measurement begins now, or its delay does
 * @result: of the measurement
 *
 * After watch_begin(), by the thread that calls watch_wait().
 */
void schedule_begin(struct result *result);

/**
 * schedule_over() - it is over
 * @result: gets its duration
 *
 * Before the probes are read for the last time.
 */
void schedule_over(struct result *result);

/**
 * schedule_rest() - print the last interval, which may be a short one
 * @result: complete
 *
 * Return: what is to be printed as the whole measurement.
 */
const struct result *schedule_rest(const struct result *result);

#endif /* PFMON_SCHEDULE_H */
