/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * PowerPC of 32 bits and 970: each counter has a list of events of its own, and who is
 * counted is one choice for all counters of a set.
 */
#ifndef COUNT_PPC_H
#define COUNT_PPC_H

#include "encode.h"

/* An event's code: what selects it, and the counter above that, 0: it is in all lists. */
#define PPC_EVENT(counter, event)	((counter) << 8 | (event))

/* Of a 970: an event of a given unit, in the encoding of perf and libpfm4. */
#define PPC970_EVENT(code)		(1ULL << 32 | (code))

/**
 * ppc_refuse_number() - say that an event by number needs that of a counter
 * @e:     event
 * @error: receives it
 *
 * Return: -1.
 */
int ppc_refuse_number(const struct encoding *e, char error[EVENTS_ERROR_MAX]);

#endif /* COUNT_PPC_H */
