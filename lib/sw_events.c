// SPDX-License-Identifier: LGPL-2.1-or-later
/* Names of the events of the software PMU. */
#include <errno.h>
#include <string.h>

#include <perfmon/libperfmon.h>

static const char *const event_names[] = {
	[PFM_SW_TASK_CLOCK]	= "task-clock",
	[PFM_SW_CSWITCHES]	= "context-switches",
	[PFM_SW_MIGRATIONS]	= "migrations",
	[PFM_SW_MINOR_FAULTS]	= "minor-faults",
	[PFM_SW_MAJOR_FAULTS]	= "major-faults",
};

#define EVENTS	(sizeof(event_names) / sizeof(event_names[0]))

/*
 * What else perf calls them. Its page-faults (faults) is the sum of both
 * kinds, which no single event here is, so it is not among them.
 */
static const struct {
	const char *alias;
	int event;
} aliases[] = {
	{ "cs",			PFM_SW_CSWITCHES },
	{ "cpu-migrations",	PFM_SW_MIGRATIONS },
};

#define ALIASES	(sizeof(aliases) / sizeof(aliases[0]))

const char *pfm_sw_event_name(unsigned int event)
{
	return event < EVENTS ? event_names[event] : NULL;
}

int pfm_sw_event_number(const char *name)
{
	size_t i;

	for (i = 0; i < EVENTS; i++)
		if (event_names[i] && !strcmp(event_names[i], name))
			return (int)i;
	for (i = 0; i < ALIASES; i++)
		if (!strcmp(aliases[i].alias, name))
			return aliases[i].event;
	errno = ENOENT;
	return -1;
}
