/* SPDX-License-Identifier: GPL-2.0-only */
/* Periods that follow the events, so that samples come at a rate. */
#ifndef PFMON_RATE_H
#define PFMON_RATE_H

#include <stdbool.h>
#include <stdint.h>

/* What is to be said if the kernel does not have them follow. */
#define RATE_STAYS "the kernel's perfmon is an older one, by which periods cannot follow the events: samples come at another rate than -F says; use -c"

/*
 * One event, of one context or of those that are over. All zeroes but the period: nothing
 * is known yet.
 */
struct rate {
	uint64_t period;	/* now */
	uint64_t events;	/* of all samples that were seen, or that were lost */
	uint64_t judged;	/* events, and those since the last sample, when it ... */
	uint64_t judged_ns;	/* ... was judged last; time in which they were counted */
	uint64_t judged_late_ns; /* @late_ns of then */
	double surplus;		/* samples, more than there should be since its first judgement */
	double mean;		/* what the period should be, of the last ... */
	uint64_t known_ns;	/* ... of that time; 0: it is a guess */
	uint64_t counted_ns;	/* of contexts that are over */
};

/**
 * rate_period() - what the period should be
 * @r:        event; @period is set to what is returned
 * @progress: events since the last sample
 * @ns:       time in which the context has counted, all of it
 * @late_ns:  from before the samples were looked at until after @ns was read: samples of
 *            that time may not be in @r->events yet
 * @frequency: samples that there should be in a second of that
 *
 * A period is left as it is if it is near enough, or if too little has happened to tell:
 * at least eight times @late_ns must have passed. It is that of the last 100 ms, unless the
 * events come eight times as fast or slowly as before. It becomes at most eight times
 * shorter at once: what follows a quiet time can be a busy one. Where the events' speed
 * varies as much as that all the time, as on a virtual CPU that has to wait for a real one,
 * each busy time would begin with a period that is too short: what was too much is made up
 * for by longer ones, in the next second or so.
 *
 * Return: the period, at least 1.
 */
uint64_t rate_period(struct rate *r, uint64_t progress, uint64_t ns, uint64_t late_ns,
		     uint64_t frequency);

/**
 * rate_waits_long() - is the period that has begun far too long?
 * @r:    event
 * @left: events to its end
 *
 * Return: whether it is worth it to lose its events, and begin with the new one.
 */
bool rate_waits_long(const struct rate *r, uint64_t left);

/**
 * rate_mask() - the bits of a random number that a period can be shorter by
 * @mask:   those that are asked for
 * @period: period
 *
 * Return: those of them that leave at least half of the period.
 */
uint64_t rate_mask(uint64_t mask, uint64_t period);

/**
 * rate_random() - a mask that keeps samples from keeping step with a program
 * @period: that there is to be on average: periods are it and half of the mask, less
 *          what is random
 * @least:  that none may be shorter than, at least 1
 *
 * Of a loop as long as the period a sample tells no more than the one before it, unless
 * the random part is about as large as the period: three quarters of it to one and a half.
 * Half of the mask is a whole number, so that the mean is @period and not half an event less;
 * and each period is odd, so that samples do not keep step with a loop of two, four or more
 * for that. Periods of a few events are left as they are: there are too few numbers near them.
 *
 * Return: the mask, 0 if no period is to be random.
 */
uint64_t rate_random(uint64_t period, uint64_t least);

/**
 * rate_random_followed() - the same for a period that pfmon has found, not the user given
 * @period: that there is to be on average
 *
 * Nobody expects a period of a few events to be exact then, and two or four numbers near it
 * are enough for short loops: of one of ten events a period of five would see two for ever.
 *
 * Return: the mask, 0 for a period of 1.
 */
uint64_t rate_random_followed(uint64_t period);

#endif /* PFMON_RATE_H */
