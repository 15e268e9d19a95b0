/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which counter counts which event, if not each can count all. */
#ifndef COUNT_MATCH_H
#define COUNT_MATCH_H

#include <stdbool.h>
#include <stdint.h>

/* Bits of the counters of a PMU. */
#define MATCH_COUNTERS	32

/**
 * match_events() - give each event a counter of its own, if there is a way at all
 * @can: of each event, bits of the counters that can count it
 * @n:   number of events
 * @at:  receives the number of each event's counter; the first events have the
 *       lowest, as far as that leaves one to the others
 *
 * Return: true, or false if there is no way; then @at is undefined.
 */
bool match_events(const uint32_t can[], unsigned int n, uint8_t at[MATCH_COUNTERS]);

#endif /* COUNT_MATCH_H */
