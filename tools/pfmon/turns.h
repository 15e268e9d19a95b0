/* SPDX-License-Identifier: GPL-2.0-only */
/* The options that say when events take turns. */
#ifndef PFMON_TURNS_H
#define PFMON_TURNS_H

#include <stdbool.h>

#include "events.h"

struct turn_options {
	double timeout_ms;	/* of --switch-timeout, 0: not given */
	const char *trigger;	/* of --switch-overflow, NULL: not given */
	bool no_multiplex;
};

/**
 * turns_set_timeout() - take --switch-timeout; ends the program if it is no time
 * @o:    options
 * @text: milliseconds
 */
void turns_set_timeout(struct turn_options *o, const char *text);

/**
 * turns_check() - do the options go together?
 * @o: options
 *
 * Return: true, or false and it has been said why not.
 */
bool turns_check(const struct turn_options *o);

/**
 * turns_check_cpus() - can they be those of so many CPUs? Ends the program if not
 * @o:    options
 * @cpus: how many are measured, 0: threads are
 */
void turns_check_cpus(const struct turn_options *o, unsigned int cpus);

/**
 * turns_make() - choose counters and event sets as the options say
 * @o:        options
 * @counters: all chosen events
 *
 * Ends the program if there are events that cannot be counted.
 */
void turns_make(const struct turn_options *o, struct counters *counters);

/**
 * turns_try() - choose them anew, when other counters are free
 * @o:        options
 * @counters: from turns_make()
 * @error:    receives the reason if there are events that cannot be counted now
 *
 * Return: 0, or -1 and what was chosen means nothing.
 */
int turns_try(const struct turn_options *o, struct counters *counters,
	      char error[EVENTS_ERROR_MAX]);

#endif /* PFMON_TURNS_H */
