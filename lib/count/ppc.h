/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * PowerPC of 32 bits: each counter has a list of events of its own, and who is counted
 * is one choice for all counters of a set.
 */
#ifndef COUNT_PPC_H
#define COUNT_PPC_H

#include "encode.h"

/* An event's code: what selects it, and the counter above that, 0: it is in all lists. */
#define PPC_EVENT(counter, event)	((counter) << 8 | (event))

/**
 * ppc_is() - is the PMU that of a PowerPC of 32 bits?
 * @pmu: description, or NULL
 *
 * Return: true or false.
 */
bool ppc_is(const struct pmu *pmu);

/**
 * ppc_encode() - find the counters for an event
 * @e:      event
 * @source: its PMU
 * @c:      filled in, but for the counter's choice
 * @error:  receives the reason on error
 *
 * Return: 0, or -1 if the event cannot be counted here.
 */
int ppc_encode(const struct encoding *e, const struct event_source *source,
	       struct counter *c, char error[EVENTS_ERROR_MAX]);

/**
 * ppc_place() - the values of both registers
 * @c: event of such a PMU
 */
void ppc_place(struct counter *c);

#endif /* COUNT_PPC_H */
