/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * PowerPC of 32 bits: each counter has a list of events of its own, and who is counted
 * is one choice for all counters of a set.
 */
#ifndef COUNT_PPC_H
#define COUNT_PPC_H

/* An event's code: what selects it, and the counter above that, 0: it is in all lists. */
#define PPC_EVENT(counter, event)	((counter) << 8 | (event))

#endif /* COUNT_PPC_H */
