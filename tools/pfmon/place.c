// SPDX-License-Identifier: GPL-2.0-only
/* Counters for events that are counted at the same time. */
#include "match.h"
#include "place.h"

/* Two events whose register should say two things at a time. */
static bool quarrel(const struct counter *a, const struct counter *b)
{
	return a->has_extra && b->has_extra && a->extra_pmc == b->extra_pmc &&
	       a->extra != b->extra;
}

static bool find(const struct group *group, uint8_t at[MATCH_COUNTERS])
{
	unsigned int i, k;

	if (group->n > MATCH_COUNTERS)
		return false;
	for (i = 0; i < group->n; i++)
		for (k = 0; k < i; k++)
			if (quarrel(group->c[i], group->c[k]))
				return false;
	return match_events(group->can, group->n, at);
}

void place_add(struct group *group, struct counter *c, uint32_t can)
{
	group->can[group->n] = can;
	group->c[group->n++] = c;
}

bool place_fits(const struct group *group)
{
	uint8_t at[MATCH_COUNTERS];

	return find(group, at);
}

bool place_group(const struct group *group)
{
	uint8_t at[MATCH_COUNTERS];
	unsigned int i;

	if (!find(group, at))
		return false;
	for (i = 0; i < group->n; i++)
		counter_place(group->c[i], at[i]);
	return true;
}

bool place_together(struct counters *counters, const struct event_source *source)
{
	struct group group = { .n = 0 };
	unsigned int i;

	for (i = 0; i < counters->n; i++)
		if (counters->c[i].source == source)
			place_add(&group, &counters->c[i], counters->c[i].can);
	return place_group(&group);
}
