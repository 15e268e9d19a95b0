// SPDX-License-Identifier: GPL-2.0-only
/* More events than there are counters: sets of them, which take turns. */
#include "events.h"

/* Counters of a PMU that are left to the events: the trigger has the last one. */
static unsigned int room(const struct counters *counters,
			 const struct event_source *source)
{
	return source->counters - (counters->trigger.source == source);
}

/* Events of a PMU, from the one with index @from to the one before @to. */
static unsigned int count(const struct counters *counters, unsigned int from,
			  unsigned int to, const struct event_source *source)
{
	unsigned int n = 0;

	for (; from < to; from++)
		n += counters->c[from].source == source;
	return n;
}

static bool fits(const struct counters *counters, const struct event_source *source)
{
	return count(counters, 0, counters->n, source) <= room(counters, source);
}

/* Has the set that began with event @begin room for the whole list that begins with @i? */
static bool list_fits(const struct counters *counters, unsigned int begin, unsigned int i)
{
	unsigned int end, k, used;

	for (end = i; end < counters->n; end++)
		if (counters->c[end].list != counters->c[i].list)
			break;
	for (k = i; k < end; k++) {
		const struct event_source *source = counters->c[k].source;

		used = count(counters, begin, i, source);
		if (used && !fits(counters, source) &&
		    used + count(counters, i, end, source) > room(counters, source))
			return false;
	}
	return true;
}

int counters_take_turns(struct counters *counters, bool each,
			char error[EVENTS_ERROR_MAX])
{
	unsigned int i, used, begin = 0, set = 0;
	struct counter *c;

	for (i = 0; i < counters->n; i++) {
		bool always;

		c = &counters->c[i];
		always = !each && fits(counters, c->source);
		if (!room(counters, c->source)) {
			counters_refuse(c, error);
			return -1;
		}
		if (i && c->list != c[-1].list &&
		    (each || !list_fits(counters, begin, i))) {
			begin = i;
			set++;
		}
		used = count(counters, always ? 0 : begin, i, c->source);
		if (used == room(counters, c->source)) {
			begin = i;
			set++;
			used = 0;
		}
		c->set = always ? 0 : (uint16_t)set;
		c->sets = always ? 0 : 1;
		c->pmc = (uint16_t)(c->source->pmc0 + used);
		c->pmd = (uint16_t)(c->source->pmd0 + used);
	}
	counters->sets = set + 1;
	for (i = 0; i < counters->n; i++)
		if (!counters->c[i].sets)
			counters->c[i].sets = (uint16_t)counters->sets;
	return 0;
}

int counters_trigger(struct counters *counters, const char *name, uint64_t every,
		     char error[EVENTS_ERROR_MAX])
{
	struct counters one = { 0 };
	struct counter *c = &counters->trigger;

	if (counters_add(&one, name, error))
		return -1;
	if (one.n != 1) {
		snprintf(error, EVENTS_ERROR_MAX, "'%s' is more than one event", name);
		return -1;
	}
	*c = one.c[0];
	c->pmc = (uint16_t)(c->source->pmc0 + c->source->counters - 1);
	c->pmd = (uint16_t)(c->source->pmd0 + c->source->counters - 1);
	counters->every = every;
	return 0;
}

bool counter_in_set(const struct counter *c, unsigned int set)
{
	return set >= c->set && set < (unsigned int)c->set + c->sets;
}
