// SPDX-License-Identifier: GPL-2.0-only
/* What was measured, and how it is printed. */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>
#include <time.h>

#include "numbers.h"
#include "result.h"
#include "text.h"

#define NUMBER_WIDTH	18

uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

/* The part of the time that an event was counted, from 0 to 1. */
static double share_of(const struct counters *counters, unsigned int i,
		       const struct turns turns[MAX_EVENTS])
{
	const struct counter *c = &counters->c[i];
	uint64_t all = 0;
	unsigned int set;

	if (c->sets == counters->sets)
		return 1;
	for (set = 0; set < counters->sets; set++)
		all += turns[set].ns;
	return all ? (double)turns[c->set].ns / (double)all : 0;
}

void result_turns(struct result *result, const struct turns turns[MAX_EVENTS])
{
	unsigned int i;

	for (i = 0; i < result->counters->sets; i++) {
		result->sum.turns[i].ns += turns[i].ns;
		result->sum.turns[i].n += turns[i].n;
	}
}

void result_add(struct result *result, const struct counts *counts, uint64_t stops)
{
	const struct counters *counters = result->counters;
	unsigned int i;

	for (i = 0; i < counters->n; i++) {
		uint64_t value = counts->value[i], own = 0;

		if (counters->c[i].event->counts_stops)
			own = (uint64_t)((double)stops *
					 share_of(counters, i, counts->turns) + 0.5);
		/* A kill can end a stop before it becomes a switch. */
		result->sum.value[i] += own < value ? value - own : 0;
	}
	result_turns(result, counts->turns);
	result->sum.throttled += counts->throttled;
	result->measured++;
}

struct estimate result_estimate(const struct result *result, unsigned int i)
{
	struct estimate e = {
		.value = result->sum.value[i], .counted = result->sum.value[i],
		.share = share_of(result->counters, i, result->sum.turns),
	};
	double counted = (double)e.counted;
	uint64_t turns = result->sum.turns[result->counters->c[i].set].n;

	if (e.share == 1 || !e.share)
		return e;
	e.value = (uint64_t)(counted / e.share + 0.5);
	e.error = counted && turns ?
		  sqrt((1 - e.share) * (1 / counted + 1 / (double)turns)) : -1;
	return e;
}

void result_note(struct result *result, const char *format, ...)
{
	va_list args;

	if (result->notes == NOTES_MAX)
		return;
	va_start(args, format);
	vsnprintf(result->note[result->notes++], NOTE_MAX, format, args);
	va_end(args);
}

/* The CPU time that rates are relative to, 0 if it was not counted. */
static uint64_t task_clock(const struct result *result)
{
	int at = counters_find(result->counters, "task-clock");

	return at < 0 ? 0 : result_estimate(result, (unsigned int)at).value;
}

/* What is known of an estimate, after what is said of its value. */
static void append_share(char *comment, size_t size, const struct estimate *e)
{
	size_t at = strlen(comment);

	at += (size_t)snprintf(comment + at, size - at, "%s%.1f%% of the time",
			       at ? "; " : "", 100 * e->share);
	if (e->error >= 0)
		snprintf(comment + at, size - at, ", +- %.1f%%", 100 * e->error);
}

static void print_counter(FILE *out, const struct result *result,
			  unsigned int i, int name_width)
{
	const struct event *event = result->counters->c[i].event;
	struct estimate e = result_estimate(result, i), of;
	uint64_t value = e.value, clock = task_clock(result);
	const char *name = result->counters->c[i].name;
	char number[NUMBERS_MAX + 1] = "~", comment[NUMBERS_MAX + 64] = "";
	char *digits = number + (e.share < 1);
	int cycles = counters_ipc(result->counters, i);

	if (!e.share) {
		strcpy(number, "not counted");
	} else if (event->unit == UNIT_NS) {
		numbers_ms(digits, value);
		if (result->elapsed_ns)
			snprintf(comment, sizeof(comment), "%.2f CPUs used",
				 (double)value / (double)result->elapsed_ns);
	} else {
		numbers_count(digits, value);
		of.value = 0;
		if (cycles >= 0)
			of = result_estimate(result, (unsigned int)cycles);
		if (of.value)
			snprintf(comment, sizeof(comment), "%.2f IPC",
				 (double)value / (double)of.value);
		else if (value && clock && event->unit == UNIT_CYCLES &&
			 result->counters->c[i].levels == LEVEL_BOTH)
			numbers_hertz(comment, value, clock);
		else if (value && clock)
			numbers_rate(comment, value, clock);
	}
	if (e.share && e.share < 1)
		append_share(comment, sizeof(comment), &e);
	fprintf(out, "%*s %-3s", NUMBER_WIDTH, number,
		event->unit == UNIT_NS && e.share ? "ms" : "");
	if (*comment)
		fprintf(out, "%-*s  # %s\n", name_width, name, comment);
	else
		fprintf(out, "%s\n", name);
}

static void print_time(FILE *out, uint64_t ns, const char *name)
{
	char number[NUMBERS_MAX];

	fprintf(out, "%*s s  %s\n", NUMBER_WIDTH, numbers_s(number, ns), name);
}

void result_print(FILE *out, const struct result *result)
{
	int width = 0;
	unsigned int i;

	for (i = 0; i < result->counters->n; i++) {
		int len = (int)strlen(result->counters->c[i].name);

		if (len > width)
			width = len;
	}
	fprintf(out, "\n %s", result->title);
	if (result->threads)
		fprintf(out, " (%u thread%s)", result->measured,
			result->measured == 1 ? "" : "s");
	fputs(":\n\n", out);
	for (i = 0; i < result->counters->n; i++)
		print_counter(out, result, i, width);
	fputc('\n', out);
	print_time(out, result->elapsed_ns, "elapsed");
	if (result->has_usage) {
		print_time(out, result->user_ns, "user");
		print_time(out, result->system_ns, "system");
	}
	fputc('\n', out);
	for (i = 0; i < result->notes; i++)
		fprintf(out, " note: %s\n", result->note[i]);
}

/* A value that was not counted, or an error that is not known, is null. */
static void print_json_estimate(FILE *out, const struct estimate *e)
{
	fprintf(out, ", \"counted\": %" PRIu64 ", \"share\": %.6f, \"error\": ",
		e->counted, e->share);
	if (e->share && e->error >= 0)
		fprintf(out, "%.6f", e->error);
	else
		fputs("null", out);
}

/* Names of events are plain words: nothing needs escaping. */
static void print_json_counter(FILE *out, const struct result *result, unsigned int i)
{
	const struct counter *c = &result->counters->c[i];
	struct estimate e = result_estimate(result, i);
	static const char *const levels[] = {
		[LEVEL_USER] = "user", [LEVEL_KERNEL] = "kernel", [LEVEL_BOTH] = "all",
	};

	fprintf(out, "{\"name\": \"%s\", \"value\": ", c->name);
	if (e.share)
		fprintf(out, "%" PRIu64, e.value);
	else
		fputs("null", out);
	fprintf(out, ", \"unit\": \"%s\"", c->event->unit == UNIT_NS ? "ns" : "count");
	if (c->levels)
		fprintf(out, ", \"levels\": \"%s\"", levels[c->levels]);
	if (c->sets < result->counters->sets)
		print_json_estimate(out, &e);
	fputc('}', out);
}

void result_print_json(FILE *out, const struct result *result)
{
	unsigned int i;

	fputs("{\"title\": ", out);
	text_json(out, text_intern(result->title));
	fputs(", \"events\": [", out);
	for (i = 0; i < result->counters->n; i++) {
		fputs(i ? ", " : "", out);
		print_json_counter(out, result, i);
	}
	fprintf(out, "], \"sets\": %u, \"%ss\": %u, \"missed\": %u, \"elapsed_ns\": %" PRIu64,
		result->counters->sets, result->threads ? "thread" : "cpu", result->measured,
		result->missed, result->elapsed_ns);
	if (result->has_usage)
		fprintf(out, ", \"user_ns\": %" PRIu64 ", \"system_ns\": %" PRIu64,
			result->user_ns, result->system_ns);
	fputs(", \"notes\": [", out);
	for (i = 0; i < result->notes; i++) {
		fputs(i ? ", " : "", out);
		text_json(out, text_intern(result->note[i]));
	}
	fputs("]}\n", out);
}
