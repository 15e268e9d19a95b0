// SPDX-License-Identifier: GPL-2.0-only
/* More events than there are counters: sets of them, which take turns. */
#include "events.h"

/* Counters of a PMU that are the same in all sets, beginning with event @from. */
static unsigned int reserved(const struct counters *counters, unsigned int from,
			     const struct event_source *source)
{
	unsigned int n = counters->trigger.source == source;

	for (; from < counters->n; from++)
		n += counters->c[from].everywhere && counters->c[from].source == source;
	return n;
}

/* Counters of a PMU that are left to the other events. */
static unsigned int room(const struct counters *counters,
			 const struct event_source *source)
{
	unsigned int n = reserved(counters, 0, source);

	return n < source->counters ? source->counters - n : 0;
}

/* These events, from the one with index @from to the one before @to. */
static unsigned int count(const struct counters *counters, unsigned int from,
			  unsigned int to, const struct event_source *source)
{
	unsigned int n = 0;

	for (; from < to; from++)
		n += !counters->c[from].everywhere && counters->c[from].source == source;
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
		if (counters->c[end].list != counters->c[i].list ||
		    counters->c[end].everywhere)
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

static void place(struct counter *c, unsigned int set, unsigned int sets, unsigned int n)
{
	c->set = (uint16_t)set;
	c->sets = (uint16_t)sets;
	c->pmc = (uint16_t)(c->source->pmc0 + n);
	c->pmd = (uint16_t)(c->source->pmd0 + n);
}

/* In all sets: how many there are is known later. */
static void place_everywhere(struct counters *counters, unsigned int i, bool fit)
{
	struct counter *c = &counters->c[i];
	unsigned int n = 0, k;

	for (k = 0; k < i; k++)
		n += counters->c[k].source == c->source;
	if (!fit)	/* Behind the others, before the trigger. */
		n = c->source->counters - reserved(counters, i, c->source);
	place(c, 0, 0, n);
}

int counters_take_turns(struct counters *counters, bool each,
			char error[EVENTS_ERROR_MAX])
{
	unsigned int i, used, begin = 0, set = 0;
	struct counter *c;
	bool fit;

	for (i = 0; i < counters->n; i++) {
		c = &counters->c[i];
		if (reserved(counters, 0, c->source) > c->source->counters ||
		    (!c->everywhere && !room(counters, c->source))) {
			counters_refuse(c, error);
			return -1;
		}
		fit = !each && fits(counters, c->source);
		if (i && !c->everywhere && c->list != c[-1].list &&
		    (each || !list_fits(counters, begin, i))) {
			begin = i;
			set++;
		}
		if (fit || c->everywhere) {
			place_everywhere(counters, i, fit);
			continue;
		}
		used = count(counters, begin, i, c->source);
		if (used == room(counters, c->source)) {
			begin = i;
			set++;
			used = 0;
		}
		place(c, set, 1, used);
	}
	counters->sets = set + 1;
	for (i = 0; i < counters->n; i++)
		if (!counters->c[i].sets)
			counters->c[i].sets = (uint16_t)counters->sets;
	return 0;
}

int counters_together(const struct counters *counters, char error[EVENTS_ERROR_MAX])
{
	unsigned int i;

	for (i = 0; i < counters->n; i++)
		if (counters->c[i].set) {
			counters_refuse(&counters->c[i], error);
			return -1;
		}
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
