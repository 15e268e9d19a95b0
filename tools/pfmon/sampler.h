/* SPDX-License-Identifier: GPL-2.0-only */
/* A context that samples, for the two rooms that know it: sampler.c and adapt.c. */
#ifndef PFMON_SAMPLER_H
#define PFMON_SAMPLER_H

#include "recording.h"

struct sampler {
	struct probe probe;		/* first */
	struct recording *rec;
	struct sampler *next, **link;	/* under the recording's lock */
	struct pmon_origin origin;
	void *buf;
	size_t size;
	struct pmon_seen seen;		/* how far its processes were looked at */
	struct pmon_seen kept;		/* ... it was taken, if @rec is live */
	uint64_t since;			/* when the buffer was empty */
	struct pmon_state old;		/* what was accounted for already */
	uint64_t taken;			/* samples, of formats that clear */
	struct rate *rate;		/* of each event; NULL: no period adapts */
	uint64_t lost;			/* samples that the rates know of */
	bool stale;			/* its table has samples of files that are gone */
};

/**
 * adapt_begin() - the periods to begin with
 * @s: context that has counted nothing yet
 *
 * The last ones of other contexts, if there are some. @s has no rates if no event adapts.
 */
void adapt_begin(struct sampler *s);

/**
 * adapt_period() - the period of a counter
 * @s:     context
 * @event: its number
 * @seed:  not 0, of random periods
 * @pmd:   gets the values. If there is to be a rate, periods are what it wants on average.
 */
void adapt_period(const struct sampler *s, unsigned int event, uint32_t seed,
		  pfarg_pmd_t *pmd);

/**
 * adapt_periods() - have the periods follow the events
 * @s:      context that has rates
 * @events: of each event, what the samples stand for that came since the last time
 * @lost:   samples that its buffer has lost so far
 * @begin:  when the look at it began, by now_ns()
 */
void adapt_periods(struct sampler *s, const uint64_t events[], uint64_t lost,
		   uint64_t begin);

/**
 * adapt_end() - learn from a context that has ended
 * @s: context that has rates, and was looked at
 *
 * It may have been too short to learn from: many of them tell together.
 */
void adapt_end(struct sampler *s);

#endif /* PFMON_SAMPLER_H */
