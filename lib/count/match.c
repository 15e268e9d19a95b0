// SPDX-License-Identifier: LGPL-2.1-or-later
/* Which counter counts which event, if not each can count all. */
#include "match.h"

#define NOBODY	0xff

struct match {
	const uint32_t *can;
	uint8_t owner[MATCH_COUNTERS];	/* the event that has it, or NOBODY */
	uint32_t seen;			/* counters that were asked for in this round */
};

/* Take a free counter, or one whose event can go elsewhere: an augmenting path. */
static bool take(struct match *m, unsigned int event)
{
	unsigned int n;

	for (n = 0; n < MATCH_COUNTERS; n++)
		if (m->can[event] >> n & 1 && m->owner[n] == NOBODY) {
			m->owner[n] = (uint8_t)event;
			return true;
		}
	for (n = 0; n < MATCH_COUNTERS; n++) {
		if (!(m->can[event] >> n & 1) || m->seen >> n & 1)
			continue;
		m->seen |= (uint32_t)1 << n;
		if (take(m, m->owner[n])) {
			m->owner[n] = (uint8_t)event;
			return true;
		}
	}
	return false;
}

bool match_events(const uint32_t can[], unsigned int n, uint8_t at[MATCH_COUNTERS])
{
	struct match m = { .can = can };
	unsigned int i;

	if (n > MATCH_COUNTERS)
		return false;
	for (i = 0; i < MATCH_COUNTERS; i++)
		m.owner[i] = NOBODY;
	for (i = 0; i < n; i++) {
		m.seen = 0;
		if (!take(&m, i))
			return false;
	}
	for (i = 0; i < MATCH_COUNTERS; i++)
		if (m.owner[i] != NOBODY)
			at[m.owner[i]] = (uint8_t)i;
	return true;
}
