// SPDX-License-Identifier: GPL-2.0-only
/* The options that say when events take turns. */
#include <err.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "require.h"
#include "turns.h"

/* Long enough for a switch to be cheap, and as many turns a second as that allows. */
#define TURN_NS	1000000

void turns_set_timeout(struct turn_options *o, const char *text)
{
	char *end;

	o->timeout_ms = strtod(text, &end);
	if (end == text || *end || !(o->timeout_ms >= 0.000001 && o->timeout_ms <= 1e9))
		errx(EXIT_PFMON, "'%s' is not a number of milliseconds", text);
}

/* "EVENT=N" */
static void add_trigger(const struct turn_options *o, struct counters *counters)
{
	const char *number = strrchr(o->trigger, '=');
	char name[COUNTER_NAME_MAX], error[EVENTS_ERROR_MAX], *end = NULL;
	unsigned long long n = 0;

	errno = 0;
	if (number && number[1] >= '0' && number[1] <= '9')
		n = strtoull(number + 1, &end, 10);
	if (!n || errno || *end || n > INT64_MAX)
		errx(EXIT_PFMON, "'%s' is not EVENT=N", o->trigger);
	if (snprintf(name, sizeof(name), "%.*s", (int)(number - o->trigger),
		     o->trigger) >= (int)sizeof(name))
		errx(EXIT_PFMON, "'%s' is not EVENT=N", o->trigger);
	if (counters_trigger(counters, name, n, error))
		errx(EXIT_PFMON, "%s", error);
}

bool turns_check(const struct turn_options *o)
{
	if (!!o->timeout_ms + !!o->trigger + o->no_multiplex <= 1)
		return true;
	warnx("--switch-timeout, --switch-overflow and --no-multiplex exclude each other");
	return false;
}

void turns_check_cpus(const struct turn_options *o, unsigned int cpus)
{
	if (o->trigger && cpus > 1)
		errx(EXIT_PFMON, "--switch-overflow needs a single CPU: an idle one would stay in its first set, whose share of the time would say nothing");
}

/* Events for which there are not enough counters take turns, or all do if asked. */
int turns_try(const struct turn_options *o, struct counters *counters,
	      char error[EVENTS_ERROR_MAX])
{
	bool asked = o->timeout_ms || o->trigger;

	if (counters_take_turns(counters, asked, error))
		return -1;
	if (asked && counters->sets == 1)
		errx(EXIT_PFMON, "there is one set of events only: name those of each set with an -e of its own");
	return o->no_multiplex ? counters_together(counters, error) : 0;
}

void turns_make(const struct turn_options *o, struct counters *counters)
{
	char error[EVENTS_ERROR_MAX];

	counters->timeout_ns = o->timeout_ms ? (uint64_t)(o->timeout_ms * 1e6) : TURN_NS;
	if (o->trigger)
		add_trigger(o, counters);
	if (turns_try(o, counters, error))
		errx(EXIT_PFMON, "%s", error);
}
