// SPDX-License-Identifier: LGPL-2.1-or-later
/* Counters for events that are counted at the same time. */
#include "match.h"
#include "p4.h"
#include "place.h"

#define TRIES_MAX	10000

/*
 * Whether two events cannot be in one set: they need different values in a register, or the
 * processor excludes them (counter.group).
 */
static bool quarrel(const struct counter *a, const struct counter *b)
{
	unsigned int i, k;

	if (a->group && b->group && a->group != b->group)
		return true;
	for (i = 0; i < a->extras; i++)
		for (k = 0; k < b->extras; k++)
			if (a->extra[i].pmc == b->extra[k].pmc &&
			    (a->extra[i].value ^ b->extra[k].value) &
			    a->extra[i].mask & b->extra[k].mask)
				return true;
	return false;
}

/* Has the ESCR that this event would have with the counter something else to say? */
static bool is_said(const struct placing *group, unsigned int event, unsigned int n,
		    const uint8_t at[MATCH_COUNTERS])
{
	const struct counter *c = group->c[event], *other;
	unsigned int i;

	for (i = 0; i < event; i++) {
		other = group->c[i];
		if (p4_escr(other, at[i]) == p4_escr(c, n) &&
		    ((uint32_t)other->code != (uint32_t)c->code ||
		     other->levels != c->levels))
			return true;
	}
	return false;
}

/*
 * Pentium 4: which register an event needs depends on the counter, so all ways are tried,
 * as many as are reasonable. A set that could have been fuller is no mistake.
 */
static bool search(const struct placing *group, unsigned int event, uint32_t used,
		   uint8_t at[MATCH_COUNTERS], unsigned int *tries)
{
	unsigned int n;

	if (event == group->n)
		return true;
	for (n = 0; n < MATCH_COUNTERS; n++) {
		if (!((group->can[event] & ~used) >> n & 1) || is_said(group, event, n, at))
			continue;
		at[event] = (uint8_t)n;
		if (++*tries > TRIES_MAX)
			return false;
		if (search(group, event + 1, used | 1U << n, at, tries))
			return true;
	}
	return false;
}

/* Has an event of its group the counter that chooses the group? */
static bool is_chosen(const struct placing *group, const struct counter *c)
{
	unsigned int i;

	for (i = 0; i < group->n; i++)
		if (group->c[i]->group == c->group && group->can[i] == 1U << c->chooser)
			return true;
	return false;
}

/*
 * Counters that no event can have, as their control chooses a group for events of other
 * counters (counter.extra).
 */
static uint32_t choosers(const struct placing *group)
{
	uint32_t taken = 0;
	unsigned int i;

	for (i = 0; i < group->n; i++)
		if (group->c[i]->chooser && !is_chosen(group, group->c[i]))
			taken |= 1U << group->c[i]->chooser;
	return taken;
}

static bool find(const struct placing *group, uint8_t at[MATCH_COUNTERS])
{
	uint32_t can[MATCH_COUNTERS], taken;
	unsigned int i, k, tries = 0;

	if (group->n > MATCH_COUNTERS)
		return false;
	if (group->n && group->c[0]->unit)
		return search(group, 0, 0, at, &tries);
	taken = choosers(group);
	for (i = 0; i < group->n; i++) {
		can[i] = group->can[i] & ~taken;
		for (k = 0; k < i; k++)
			if (quarrel(group->c[i], group->c[k]))
				return false;
	}
	return match_events(can, group->n, at);
}

void place_add(struct placing *group, struct counter *c, uint32_t can)
{
	group->can[group->n] = can;
	group->c[group->n++] = c;
}

bool place_fits(const struct placing *group)
{
	uint8_t at[MATCH_COUNTERS];

	return find(group, at);
}

bool place_group(const struct placing *group)
{
	uint8_t at[MATCH_COUNTERS];
	unsigned int i;

	if (!find(group, at))
		return false;
	for (i = 0; i < group->n; i++) {
		if (group->c[i]->chooser)
			group->c[i]->extras = !is_chosen(group, group->c[i]);
		counter_place(group->c[i], at[i]);
	}
	return true;
}

bool place_together(struct counters *counters, const struct event_source *source)
{
	struct placing group = { .n = 0 };
	unsigned int i;

	for (i = 0; i < counters->n; i++)
		if (counters->c[i].source == source)
			place_add(&group, &counters->c[i], counters->c[i].can & ~source->taken);
	return place_group(&group);
}
