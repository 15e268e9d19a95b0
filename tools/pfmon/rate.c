// SPDX-License-Identifier: GPL-2.0-only
/*
 * Periods that follow the events. How many there were is known exactly: those of the
 * samples, and those since the last one; and how long the kernel has counted them.
 */
#include "rate.h"

#define LEAST_NS	10000000	/* for a judgement, or ... */
#define LEAST_PERIODS	16		/* ... so many periods have passed */
#define SHORT_NS	100000		/* but never in less than this */
#define LATE_PART	8		/* of the time judged may be unsure at either end */
#define NEAR		32		/* a part of the period that is no difference */
#define STEP		8		/* shorter at once; and what begins another phase */
#define MEMORY_NS	100000000	/* what was before counts like this time, at most */
#define SURPLUS_S	3		/* of samples, at most, is made up for, and ... */
#define DEFICIT_S	0.1		/* ... of missing ones against that */
#define FEW		16		/* a period of less that was asked for is not made random */
#define PERIOD_MAX	(1ULL << 46)	/* also of the narrowest counters' sums */

/*
 * What is to be the period, of @passed ns in which it should have been @exact. If it
 * followed each rise and fall it would always be that of the time before: too many samples,
 * since a rise brings more of them than the fall after it saves.
 */
static void average(struct rate *r, double exact, uint64_t passed)
{
	double old = (double)r->period;

	if (exact < old / STEP) {
		exact = old / STEP;
		r->known_ns = passed = 0;
	} else if (exact > old * STEP) {
		r->known_ns = 0;
	}
	if (r->known_ns)
		exact = (exact * (double)passed + r->mean * (double)r->known_ns) /
			((double)passed + (double)r->known_ns);
	r->mean = exact;
	r->known_ns += passed;
	if (r->known_ns > MEMORY_NS)
		r->known_ns = MEMORY_NS;
	if (r->mean < 1)
		r->mean = 1;
	if (r->mean > (double)PERIOD_MAX)
		r->mean = (double)PERIOD_MAX;
}

/*
 * The period was for @events in @passed ns. The first one was a guess, which need not be made
 * up for.
 */
static void sum_up(struct rate *r, uint64_t events, uint64_t passed, uint64_t frequency)
{
	double second = (double)frequency;

	if (r->mean)
		r->surplus += (double)events / (double)r->period - second * (double)passed / 1e9;
	if (r->surplus > SURPLUS_S * second)
		r->surplus = SURPLUS_S * second;
	if (r->surplus < -DEFICIT_S * second)
		r->surplus = -DEFICIT_S * second;
}

/* With a second's samples too many, the period is twice as long. */
static uint64_t made_up_for(const struct rate *r, uint64_t frequency)
{
	double part = r->surplus > 0 ? r->surplus / (double)frequency : 0;
	double period = r->mean * (1 + part) + 0.5;

	return period < (double)PERIOD_MAX ? (uint64_t)period : PERIOD_MAX;
}

uint64_t rate_period(struct rate *r, uint64_t progress, uint64_t ns, uint64_t late_ns,
		     uint64_t frequency)
{
	uint64_t all = r->events + progress, events = all - r->judged;
	uint64_t passed = ns - r->judged_ns, period;

	/* A sample that came after the look at the buffer is seen by the next one. */
	if (all < r->judged || ns < r->judged_ns)
		return r->period;
	if (passed < SHORT_NS ||
	    (passed < LEAST_NS && events / LEAST_PERIODS < r->period))
		return r->period;
	if (passed / LATE_PART < late_ns || passed / LATE_PART < r->judged_late_ns)
		return r->period;
	r->judged = all;
	r->judged_ns = ns;
	r->judged_late_ns = late_ns;
	sum_up(r, events, passed, frequency);
	/* Of what does not happen there is nothing to be learned. */
	if (!events)
		return r->period;
	average(r, (double)events / (double)passed * 1e9 / (double)frequency, passed);
	period = made_up_for(r, frequency);
	if (period + r->period / NEAR < r->period || period > r->period + r->period / NEAR)
		r->period = period;
	return r->period;
}

bool rate_waits_long(const struct rate *r, uint64_t left)
{
	return left / STEP > r->period;
}

uint64_t rate_mask(uint64_t mask, uint64_t period)
{
	uint64_t bits = 0;

	while (2 * bits + 1 <= period / 2)
		bits = 2 * bits + 1;
	return mask & bits;
}

uint64_t rate_random(uint64_t period, uint64_t least)
{
	/* Of these bits the mask has none: half of it is a number, and odd if @period is even. */
	uint64_t fixed = period & 1 ? 3 : 1, bits = 1;

	if (period < FEW)
		return 0;
	while ((bits & ~fixed) < period / 4 * 3)
		bits = 2 * bits + 1;
	while ((bits & ~fixed) && period < least + (bits & ~fixed) / 2)
		bits /= 2;
	return bits & ~fixed;
}

uint64_t rate_random_followed(uint64_t period)
{
	if (period < 2)
		return 0;
	if (period >= FEW)
		return rate_random(period, 1);
	if (period & 1)
		return period < 9 ? 4 : 12;
	return period < 8 ? 2 : 6;
}
