/* SPDX-License-Identifier: GPL-2.0-only */
/* What the unit tests of the hardware's events share. */
#ifndef PFMON_TESTS_UNIT_EVENTS_H
#define PFMON_TESTS_UNIT_EVENTS_H

#include <stdio.h>
#include <string.h>

#include "check.h"
#include "events.h"

/* The one that there is. */
static struct pmu pmu;

static inline void add_register(unsigned int num, uint64_t msr, uint64_t reserved)
{
	pmu.pmc[num] = (struct pmu_register){ true, msr, reserved };
}

/* "SET:PMC=VALUE+EXTRA=VALUE" of each event, or what is wrong. */
static inline const char *say(const struct counters *c)
{
	static char text[4096];
	size_t at = 0;
	unsigned int i, k;

	*text = '\0';
	for (i = 0; i < c->n; i++) {
		at += (size_t)sprintf(text + at, "%s", i ? " " : "");
		if (c->sets > 1)
			at += (size_t)sprintf(text + at, "%u:", c->c[i].set);
		at += (size_t)sprintf(text + at, "%u=%#llx", c->c[i].pmc,
				      (unsigned long long)c->c[i].value);
		for (k = 0; k < c->c[i].extras; k++)
			at += (size_t)sprintf(text + at, "+%u=%#llx", c->c[i].extra[k].pmc,
					      (unsigned long long)c->c[i].extra[k].value);
		CHECK(c->c[i].pmd == c->c[i].pmc);
	}
	return text;
}

static inline const char *registers(const char *list)
{
	static char error[EVENTS_ERROR_MAX];
	static struct counters c;

	memset(&c, 0, sizeof(c));
	return counters_add(&c, list, error) ? error : say(&c);
}

/* The same with as many sets as it takes. */
static inline const char *turns(const char *list, const char *trigger)
{
	static char error[EVENTS_ERROR_MAX];
	static struct counters c;

	memset(&c, 0, sizeof(c));
	c.many = true;
	return counters_add(&c, list, error) ||
	       (trigger && counters_trigger(&c, trigger, 100, error)) ||
	       counters_take_turns(&c, trigger, error) ? error : say(&c);
}

#endif /* PFMON_TESTS_UNIT_EVENTS_H */
