// SPDX-License-Identifier: LGPL-2.1-or-later
/* More events than there are counters: sets of them, which take turns. */
#include "events.h"
#include "place.h"

/* A PMU while its events get their sets. */
struct room {
	const struct event_source *source;
	bool fit;		/* there is a counter for each event: it is in all sets */
	uint32_t free;		/* counters that can differ from set to set */
};

/* The software's, and the hardware's. */
struct rooms {
	unsigned int n;
	struct room room[2];
};

static struct room *room_of(struct rooms *rooms, const struct event_source *source)
{
	unsigned int i;

	for (i = 0; i < rooms->n; i++)
		if (rooms->room[i].source == source)
			return &rooms->room[i];
	rooms->room[i] = (struct room){ .source = source, .free = source->there & ~source->taken };
	rooms->n++;
	return &rooms->room[i];
}

/* The last counter that can count many events, or else the last one of all. */
static unsigned int last_of(uint32_t counters)
{
	const uint32_t general = counters & ((1U << PMU_FIXED) - 1);

	return 31U - (unsigned int)__builtin_clz(general ? general : counters);
}

static uint32_t bit_of(const struct counter *c)
{
	return 1U << (c->pmc - c->source->pmc0);
}

/*
 * The events of a set, from the one with index @from to the one before @to, and those of
 * all sets, which have their counters already.
 */
static struct placing collect(struct counters *counters, unsigned int from, unsigned int to,
			    const struct room *room)
{
	struct placing group = { .n = 0 };
	struct counter *c;
	unsigned int i;

	for (i = 0; i < counters->n; i++) {
		c = &counters->c[i];
		if (c->source != room->source)
			continue;
		if (c->everywhere)
			place_add(&group, c, bit_of(c));
		else if (i >= from && i < to)
			place_add(&group, c, c->can & room->free);
	}
	if (counters->trigger.source == room->source)
		place_add(&group, &counters->trigger, bit_of(&counters->trigger));
	return group;
}

static unsigned int count(const struct counters *counters, unsigned int from,
			  unsigned int to, const struct event_source *source)
{
	unsigned int n = 0;

	for (; from < to; from++)
		n += !counters->c[from].everywhere && counters->c[from].source == source;
	return n;
}

/* Could each event of the PMU still be counted, if not with others, by these counters? */
static bool leaves(const struct counters *counters, const struct event_source *source,
		   uint32_t free)
{
	const struct counter *c;

	for (c = counters->c; c < counters->c + counters->n; c++)
		if (!c->everywhere && c->source == source &&
		    (!(c->can & free) || (c->chooser && !(free >> c->chooser & 1))))
			return false;
	return true;
}

/* An event of all sets has the last counter that the others can do without. */
static bool reserve(const struct counters *counters, struct room *room, struct counter *c)
{
	uint32_t can = c->can & room->free, rest;
	unsigned int n;

	if (!can)
		return false;
	for (rest = can; rest; rest &= ~(1U << n)) {
		n = last_of(rest);
		if (leaves(counters, room->source, room->free & ~(1U << n)))
			break;
	}
	if (!rest)
		n = last_of(can);
	counter_place(c, n);
	room->free &= ~(1U << n);
	return true;
}

/* Counters for what is in all sets. Return: the event that has none, or NULL. */
static struct counter *make_room(struct counters *counters, struct room *room)
{
	struct placing group;
	struct counter *c;
	unsigned int i;

	if (counters->trigger.source == room->source &&
	    !reserve(counters, room, &counters->trigger))
		return &counters->trigger;
	for (i = counters->n; i-- > 0;) {
		c = &counters->c[i];
		if (c->everywhere && c->source == room->source && !reserve(counters, room, c))
			return c;
	}
	for (i = 0; i < counters->n; i++) {
		if (counters->c[i].source != room->source)
			continue;
		group = collect(counters, i, i + 1, room);
		if (!place_fits(&group))
			return &counters->c[i];
	}
	return NULL;
}

/* Has the set that began with event @begin room for the whole list that begins with @i? */
static bool list_fits(struct counters *counters, struct rooms *rooms, unsigned int begin,
		      unsigned int i)
{
	const struct event_source *source;
	struct placing group;
	unsigned int end, k;

	for (end = i; end < counters->n; end++)
		if (counters->c[end].list != counters->c[i].list ||
		    counters->c[end].everywhere)
			break;
	for (k = i; k < end; k++) {
		source = counters->c[k].source;
		if (!count(counters, begin, i, source) || room_of(rooms, source)->fit)
			continue;
		group = collect(counters, begin, end, room_of(rooms, source));
		if (!place_fits(&group))
			return false;
	}
	return true;
}

/* What is in all sets first. */
static int make_rooms(struct counters *counters, struct rooms *rooms, bool each,
		      char error[EVENTS_ERROR_MAX])
{
	const struct event_source *source;
	struct counter *without;
	unsigned int i, n;

	for (i = 0; i < counters->n; i++) {
		source = counters->c[i].source;
		n = rooms->n;
		room_of(rooms, source);
		if (rooms->n == n)
			continue;
		rooms->room[n].fit = !each && counters->trigger.source != source &&
				     place_together(counters, source);
		without = rooms->room[n].fit ? NULL : make_room(counters, &rooms->room[n]);
		if (without) {
			counters_refuse(without, error);
			return -1;
		}
	}
	return 0;
}

int counters_take_turns(struct counters *counters, bool each,
			char error[EVENTS_ERROR_MAX])
{
	unsigned int i, begin = 0, set = 0;
	struct rooms rooms = { .n = 0 };
	const struct room *room;
	struct placing group;
	struct counter *c;

	if (make_rooms(counters, &rooms, each, error))
		return -1;
	for (i = 0; i < counters->n; i++) {
		c = &counters->c[i];
		room = room_of(&rooms, c->source);
		if (i && !c->everywhere && c->list != c[-1].list &&
		    (each || !list_fits(counters, &rooms, begin, i))) {
			begin = i;
			set++;
		}
		/* In all sets: how many there are is known later. */
		c->set = c->sets = 0;
		if (room->fit || c->everywhere)
			continue;
		group = collect(counters, begin, i + 1, room);
		if (!place_group(&group)) {
			begin = i;
			set++;
			group = collect(counters, i, i + 1, room);
			if (!place_group(&group)) {
				counters_refuse(c, error);
				return -1;
			}
		}
		c->set = (uint16_t)set;
		c->sets = 1;
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
	counter_place(c, last_of(c->can));
	counters->every = every;
	return 0;
}

bool counter_in_set(const struct counter *c, unsigned int set)
{
	return set >= c->set && set < (unsigned int)c->set + c->sets;
}
