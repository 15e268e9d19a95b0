// SPDX-License-Identifier: GPL-2.0-only
/* What is to be sampled, as options say it. */
#include <err.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <perfmon/calldouble_smpl.h>
#include <perfmon/libperfmon.h>

#include "require.h"
#include "file.h"
#include "numbers.h"
#include "recording.h"

#define CLOCK_NS	10000U
#define STACK_BYTES	8192U
#define STACK_REGS	34	/* that any machine has, see <perfmon/calldouble_smpl.h> */

static uint64_t number(const char *text, const char *what, uint64_t min, uint64_t max)
{
	static const struct numbers_unit units[] = { NUMBERS_KMG, { '\0', 1 } };
	uint64_t n;

	if (!numbers_read(text, units, &n) || n < min || n > max)
		errx(EXIT_PFMON, "'%s' is not %s", text, what);
	return n;
}

uint64_t sampling_number(const char *text, const char *what, uint64_t max)
{
	return number(text, what, 1, max);
}

void sampling_random(struct sampling *s, const char *text)
{
	s->random_mask = number(text, "a mask", 0, INT64_MAX);
	s->random_given = true;
}

uint16_t sampling_stack(const char *text)
{
	uint64_t size = !text ? STACK_BYTES :
			number(text, "a stack's size of at most 16384", 1,
			       PFM_CALLDOUBLE_SMPL_MAX_STACK);

	return (uint16_t)((size + 7) & ~7ULL);
}

void sampling_argument(const struct sampling *s, void *arg, uint64_t size)
{
	pfm_calldouble_smpl_arg_t *calls = arg;

	if (s->arg)
		memcpy(arg, s->arg, s->arg_size);
	else
		s->format->argument(arg, size);
	if (s->stack)
		calls->buf_stack = s->stack;
	if (s->forks)
		calls->buf_flags |= PFM_CALLDOUBLE_SMPL_FORKS;
	if (s->no_calls)
		calls->buf_flags &= ~(PFM_CALLCHAIN_SMPL_KERNEL | PFM_CALLCHAIN_SMPL_USER);
}

/* What a sample has more in each half. */
static uint64_t stack_size(const struct sampling *s)
{
	return s->stack ? sizeof(pfm_calldouble_smpl_user_t) + STACK_REGS * sizeof(uint64_t) +
			  s->stack : 0;
}

/*
 * Until it is known how fast it comes: of the hardware one a nanosecond, of the kernel's
 * as if no other period were given.
 */
static uint64_t first_period(const struct counter *c, uint64_t frequency)
{
	uint64_t each_ns = 1000000000 / frequency;

	return c->source->pmu ? each_ns ? each_ns : 1 : c->event->period;
}

/* The kernel would stop the sampling again and again. */
static void check_frequency(uint64_t frequency)
{
	unsigned long max = sysfs_number("interrupts_max");

	if (max && frequency > max)
		errx(EXIT_PFMON, "-F %" PRIu64 ": the kernel takes at most %lu samples a second of a CPU, see /sys/kernel/perfmon/interrupts_max",
		     frequency, max);
}

/* The kernel's timers are not set closer, and a sample would stand for more than it says. */
static void check_clock(const char *name, uint64_t period)
{
	if (period < CLOCK_NS)
		errx(EXIT_PFMON, "%s: the kernel takes no samples of it closer than %u ns, -F %u",
		     name, CLOCK_NS, 1000000000 / CLOCK_NS);
}

/*
 * Periods of which the mean is what was asked for, unless -c came with a mask that says by
 * how much they are to be shorter.
 */
static void make_random(struct sampling *s, unsigned int event)
{
	const struct counter *c = &s->counters.c[event];
	bool clock = c->event->unit == UNIT_NS;
	uint64_t *period = &s->period[event], *mask = &s->mask[event];

	*mask = s->random_given ? s->random_mask : rate_random(*period, clock ? CLOCK_NS : 1);
	if (s->random_given && *mask >= *period)
		errx(EXIT_PFMON, "the mask of -R must be smaller than the period of %s, %" PRIu64,
		     c->name, *period);
	if (!s->random_given || s->frequency)
		*period += *mask / 2;
	if (clock)
		check_clock(c->name, *period - *mask);
}

void sampling_periods(struct sampling *s, uint64_t period, uint64_t frequency)
{
	unsigned int i;

	s->sampled = s->counters.n;
	s->frequency = frequency;
	for (i = 0; i < s->sampled; i++) {
		const struct counter *c = &s->counters.c[i];

		s->adapts[i] = frequency && c->event->unit != UNIT_NS;
		if (s->adapts[i])
			check_frequency(frequency);
		s->period[i] = period ? period :
			       s->adapts[i] ? first_period(c, frequency) :
			       frequency ? 1000000000 / frequency :
			       c->event->period;
		if (!s->adapts[i])
			make_random(s, i);
	}
}

void sampling_check_buffer(const struct sampling *s)
{
	unsigned int i, pmds = 0;
	pfarg_config_t cfg;
	uint64_t min;

	memset(&cfg, 0, sizeof(cfg));
	if (pfm_get_config(&cfg))
		err(EXIT_PFMON, "PFM_GET_CONFIG");
	for (i = 0; i < PFM_MAX_PMDS; i++)
		pmds += (unsigned int)pfm_bv_isset(cfg.cf_impl_pmds, i);
	if (s->counters.n + s->registers > s->sampled && !s->format->values)
		errx(EXIT_PFMON, "the format %s records no values: it cannot be used with -r",
		     s->format->name);
	for (i = 0; i < s->sampled; i++)
		if (s->adapts[i] && !s->format->values)
			errx(EXIT_PFMON, "the format %s records no periods: with it -F is for clocks, not for %s",
			     s->format->name, s->counters.c[i].name);
	min = s->format->min_size(pmds) + 2 * stack_size(s);
	if (s->buffer_size < min)
		errx(EXIT_PFMON, "a buffer of %" PRIu64 " bytes is too small: the format %s needs %" PRIu64,
		     s->buffer_size, s->format->name, min);
	if (s->format->max_size && s->buffer_size > s->format->max_size)
		errx(EXIT_PFMON, "a buffer of %" PRIu64 " bytes is too large: the format %s takes at most %" PRIu64,
		     s->buffer_size, s->format->name, s->format->max_size);
	if (s->buffer_size > cfg.cf_smpl_buf_size_max)
		errx(EXIT_PFMON, "a buffer of %" PRIu64 " bytes is too large: all buffers together may have %" PRIu64,
		     s->buffer_size, (uint64_t)cfg.cf_smpl_buf_size_max);
}

void sampling_remarks(FILE *out, const struct sampling *s)
{
	char text[EVENTS_ERROR_MAX];
	const char *remark;
	unsigned int i;

	for (i = 0; i < s->sampled; i++) {
		remark = counter_remark(&s->counters.c[i], text);
		if (remark)
			fprintf(out, " note: %s: %s\n", s->counters.c[i].name, remark);
	}
}
