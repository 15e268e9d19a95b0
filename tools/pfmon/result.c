// SPDX-License-Identifier: GPL-2.0-only
/* What was measured, and how it is printed. */
#include <inttypes.h>
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

void result_add(struct result *result, const uint64_t values[MAX_COUNTERS],
		uint64_t stops)
{
	unsigned int i;

	for (i = 0; i < result->counters->n; i++) {
		uint64_t own = 0;

		/* A kill can end a stop before it becomes a switch. */
		if (result->counters->c[i].event->counts_stops)
			own = stops < values[i] ? stops : values[i];
		result->values[i] += values[i] - own;
	}
	result->measured++;
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

	return at < 0 ? 0 : result->values[at];
}

static void print_counter(FILE *out, const struct result *result,
			  unsigned int i, int name_width)
{
	const struct event *event = result->counters->c[i].event;
	uint64_t value = result->values[i], clock = task_clock(result);
	const char *name = result->counters->c[i].name;
	char number[NUMBERS_MAX], comment[NUMBERS_MAX + 16] = "";
	int cycles = counters_ipc(result->counters, i);

	if (event->unit == UNIT_NS) {
		numbers_ms(number, value);
		if (result->elapsed_ns)
			snprintf(comment, sizeof(comment), "%.2f CPUs used",
				 (double)value / (double)result->elapsed_ns);
	} else {
		numbers_count(number, value);
		if (cycles >= 0 && result->values[cycles])
			snprintf(comment, sizeof(comment), "%.2f IPC",
				 (double)value / (double)result->values[cycles]);
		else if (value && clock && event->unit == UNIT_CYCLES &&
			 result->counters->c[i].levels == LEVEL_BOTH)
			numbers_hertz(comment, value, clock);
		else if (value && clock)
			numbers_rate(comment, value, clock);
	}
	fprintf(out, "%*s %-3s", NUMBER_WIDTH, number,
		event->unit == UNIT_NS ? "ms" : "");
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

/* Names of events are plain words: nothing needs escaping. */
static void print_json_counter(FILE *out, const struct counter *c, uint64_t value)
{
	static const char *const levels[] = {
		[LEVEL_USER] = "user", [LEVEL_KERNEL] = "kernel", [LEVEL_BOTH] = "all",
	};

	fprintf(out, "{\"name\": \"%s\", \"value\": %" PRIu64 ", \"unit\": \"%s\"",
		c->name, value, c->event->unit == UNIT_NS ? "ns" : "count");
	if (c->levels)
		fprintf(out, ", \"levels\": \"%s\"", levels[c->levels]);
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
		print_json_counter(out, &result->counters->c[i], result->values[i]);
	}
	fprintf(out, "], \"%ss\": %u, \"missed\": %u, \"elapsed_ns\": %" PRIu64,
		result->threads ? "thread" : "cpu", result->measured,
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
