/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Counters for events that are counted at the same time. */
#ifndef COUNT_PLACE_H
#define COUNT_PLACE_H

#include "events.h"

/* Events of one PMU, and for each the bits of the counters that it may have. */
struct placing {
	unsigned int n;
	struct counter *c[MAX_EVENTS + 1];
	uint32_t can[MAX_EVENTS + 1];
};

/**
 * place_add() - one more event
 * @group: events
 * @c:     event
 * @can:   bits of the counters that it may have
 */
void place_add(struct placing *group, struct counter *c, uint32_t can);

/**
 * place_fits() - is there a counter for each, and no quarrel over a register?
 * @group: events
 *
 * Return: true or false.
 */
bool place_fits(const struct placing *group);

/**
 * place_group() - give each event its counter
 * @group: events, unchanged if this fails
 *
 * Return: true, or false if they do not fit.
 */
bool place_group(const struct placing *group);

/**
 * place_together() - give counters to all events of a PMU
 * @counters: chosen events, without sets
 * @source:   the PMU
 *
 * Return: true, or false if they do not fit, and nothing has changed.
 */
bool place_together(struct counters *counters, const struct event_source *source);

#endif /* COUNT_PLACE_H */
