// SPDX-License-Identifier: GPL-2.0-only
/*
 * Periods that follow the events, so that there is a number of samples a second (-F): what
 * a context has counted goes into rate.c, and what comes out of it into its registers.
 */
#define _GNU_SOURCE
#include <err.h>
#include <stdlib.h>

#include <perfmon/libperfmon.h>

#include "numbers.h"
#include "sampler.h"

void adapt_period(const struct sampler *s, unsigned int event, uint32_t seed,
		  pfarg_pmd_t *pmd)
{
	const struct sampling *what = s->rec->sampling;
	uint64_t period = what->period[event], mask = what->mask[event];

	if (what->adapts[event]) {
		period = s->rate[event].period;
		mask = what->random_given ? rate_mask(what->random_mask, period) :
					    rate_random_followed(period);
		period += mask / 2;
	}
	pmd->reg_long_reset = pmd->reg_short_reset = -period;
	/* The kernel makes resets random, and not the value to begin with: that is the mean. */
	pmd->reg_value = -(period - mask / 2);
	pmd->reg_random_mask = mask;
	pmd->reg_random_seed = mask ? seed : 0;
}

/* Of a counter that waits for its reset the sample is in the buffer. */
static uint64_t progress_of(const pfarg_pmd_t *pmd)
{
	return (int64_t)pmd->reg_value < 0 ? pmd->reg_value - pmd->reg_last_reset_val : 0;
}

/*
 * The events of a set that adapt: what they have counted since their last samples, and
 * for how long the set was active. Returns how many there are, or -1.
 */
static int read_progress(const struct sampler *s, unsigned int set, unsigned int event[],
			 pfarg_pmd_t pmds[], uint64_t *ns)
{
	const struct sampling *what = s->rec->sampling;
	pfarg_setinfo_t info = { .set_id = (uint16_t)set };
	int n = 0;
	unsigned int i;

	for (i = 0; i < what->sampled; i++) {
		if (!what->adapts[i] || what->counters.c[i].set != set)
			continue;
		pmds[n] = (pfarg_pmd_t){ .reg_num = what->counters.c[i].pmd,
					 .reg_set = (uint16_t)set };
		event[n++] = i;
	}
	if (n && (pfm_getinfo_evtsets(s->probe.fd, &info, 1) ||
		  pfm_read_pmds(s->probe.fd, pmds, n)))
		return -1;
	*ns = context_set_ns(&info);
	return n;
}

/*
 * A period that is another one now, in all sets that the event is counted in: with
 * PFM_REGFL_KEEP_VALUE in @flags from the next sample on, else at once.
 */
static void write_period(const struct sampler *s, unsigned int event, uint32_t flags)
{
	const struct counter *c = &s->rec->sampling->counters.c[event];
	unsigned int set;

	for (set = 0; set < s->rec->sampling->counters.sets; set++) {
		pfarg_pmd_t pmd = { .reg_num = c->pmd, .reg_set = (uint16_t)set,
				    .reg_flags = flags };

		if (!counter_in_set(c, set))
			continue;
		adapt_period(s, event, (uint32_t)s->rate[event].events + 1, &pmd);
		/* It fails if the context is over: then the period does not matter. */
		pfm_write_pmds(s->probe.fd, &pmd, 1);
	}
}

/*
 * Have the periods follow the events, of which the samples were looked at since @begin;
 * contexts that come later begin with the last period.
 */
static void adapt_set(struct sampler *s, unsigned int set, uint64_t begin)
{
	uint64_t frequency = s->rec->sampling->frequency, ns, period, late;
	unsigned int event[MAX_COUNTERS];
	pfarg_pmd_t pmds[MAX_COUNTERS];
	int n = read_progress(s, set, event, pmds, &ns), i;

	late = now_ns() - begin;
	for (i = 0; i < n; i++) {
		uint64_t progress = progress_of(&pmds[i]);
		struct rate *r = &s->rate[event[i]];

		period = r->period;
		if (rate_period(r, progress, ns, late, frequency) == period)
			continue;
		if (progress && rate_waits_long(r, -pmds[i].reg_value)) {
			r->events += progress;
			write_period(s, event[i], 0);
		} else {
			write_period(s, event[i], PFM_REGFL_KEEP_VALUE);
		}
		pthread_mutex_lock(&s->rec->lock);
		s->rec->rate[event[i]].period = r->period;
		pthread_mutex_unlock(&s->rec->lock);
	}
}

void adapt_periods(struct sampler *s, const uint64_t events[], uint64_t lost,
		   uint64_t begin)
{
	const struct sampling *what = s->rec->sampling;
	unsigned int i;

	/* Of which event a lost one was is not known: rather periods that are too long. */
	for (i = 0; i < what->sampled; i++)
		s->rate[i].events += events[i] + (lost - s->lost) * s->rate[i].period;
	s->lost = lost;
	for (i = 0; i < what->counters.sets; i++)
		adapt_set(s, i, begin);
}

void adapt_begin(struct sampler *s)
{
	struct recording *rec = s->rec;
	const struct sampling *what = rec->sampling;
	unsigned int i;

	for (i = 0; i < what->sampled && !what->adapts[i]; i++)
		;
	if (i == what->sampled)
		return;
	s->rate = calloc(what->sampled, sizeof(*s->rate));
	if (!s->rate)
		err(EXIT_PFMON, NULL);
	pthread_mutex_lock(&rec->lock);
	for (i = 0; i < what->sampled; i++) {
		if (!rec->rate[i].period)
			rec->rate[i].period = what->period[i];
		s->rate[i].period = rec->rate[i].period;
	}
	pthread_mutex_unlock(&rec->lock);
}

void adapt_end(struct sampler *s)
{
	const struct sampling *what = s->rec->sampling;
	unsigned int event[MAX_COUNTERS], set;
	pfarg_pmd_t pmds[MAX_COUNTERS];
	struct rate *r, *sum;
	uint64_t ns;
	int n, i;

	pthread_mutex_lock(&s->rec->lock);
	for (set = 0; set < what->counters.sets; set++) {
		n = read_progress(s, set, event, pmds, &ns);
		for (i = 0; i < n; i++) {
			r = &s->rate[event[i]];
			sum = &s->rec->rate[event[i]];
			sum->events += r->events + progress_of(&pmds[i]);
			sum->counted_ns += ns;
			rate_period(sum, 0, sum->counted_ns, 0, what->frequency);
		}
	}
	pthread_mutex_unlock(&s->rec->lock);
}
