// SPDX-License-Identifier: GPL-2.0-only
/* Counts for people. */
#include <stdarg.h>
#include <string.h>

#include "numbers.h"
#include "counts.h"
#include "ratios.h"
#include "text.h"

#define NUMBER_WIDTH	18
#define GROUP_NAME_MAX	64
#define COMMENT_MAX	(2 * NUMBERS_MAX + 128)

/* Widths of the columns that depend on names. */
struct columns {
	int name, group;
};

static void __attribute__((format(printf, 3, 4)))
append(char *comment, const char *separator, const char *format, ...)
{
	size_t at = strlen(comment);
	va_list args;

	at += (size_t)snprintf(comment + at, COMMENT_MAX - at, "%s", at ? separator : "");
	va_start(args, format);
	vsnprintf(comment + at, COMMENT_MAX - at, format, args);
	va_end(args);
}

/* What the count means beside others. */
static void comment_value(char *comment, const struct result *result,
			  const struct counts *sum, unsigned int i, uint64_t value)
{
	const struct counter *c = &result->counters->c[i];
	uint64_t clock = result_clock(result, sum);
	char rate[NUMBERS_MAX];
	struct ratio ratio;

	if (c->event->unit == UNIT_NS) {
		if (result->elapsed_ns)
			append(comment, "", "%.2f CPUs used", (double)value /
			       (double)result->elapsed_ns);
	} else if (ratios_find(result, sum, i, &ratio)) {
		if (ratio.percent)
			append(comment, "", "%.2f%% %s", 100 * ratio.value, ratio.name);
		else
			append(comment, "", "%.2f %s", ratio.value, ratio.name);
	} else if (value && clock) {
		append(comment, "", "%s", c->event->unit == UNIT_CYCLES &&
		       c->levels == LEVEL_BOTH ? numbers_hertz(rate, value, clock) :
						 numbers_rate(rate, value, clock));
	}
}

/* How far from the truth it can be. */
static void comment_error(char *comment, const struct result *result,
			  const struct estimate *e, unsigned int i)
{
	if (e->share && e->share < 1) {
		append(comment, "; ", "%.1f%% of the time", 100 * e->share);
		if (e->error >= 0)
			append(comment, "", ", +- %.1f%%", 100 * e->error);
	}
	if (result->spread && e->share)
		append(comment, "; ", "runs differ by %.2f%%",
		       100 * result->spread->value[i]);
}

static void print_counter(FILE *out, const struct result *result, const struct counts *sum,
			  unsigned int i, const struct columns *columns)
{
	const struct counter *c = &result->counters->c[i];
	struct estimate e = result_estimate(result, sum, i);
	char number[NUMBERS_MAX + 1] = "~", comment[COMMENT_MAX] = "";
	char *digits = number + (e.share < 1);
	bool ms = c->event->unit == UNIT_NS && e.share;

	if (!e.share)
		strcpy(number, "not counted");
	else if (ms)
		numbers_ms(digits, e.value);
	else
		numbers_count(digits, e.value);
	if (e.share)
		comment_value(comment, result, sum, i, e.value);
	comment_error(comment, result, &e, i);
	fprintf(out, "%*s %-3s", NUMBER_WIDTH, number, ms ? "ms" : "");
	if (*comment)
		fprintf(out, "%-*s  # %s\n", columns->name, c->name, comment);
	else
		fprintf(out, "%s\n", c->name);
}

static struct columns find_columns(const struct result *result)
{
	struct columns columns = { 0 };
	char name[GROUP_NAME_MAX];
	unsigned int i;
	int width;

	for (i = 0; i < result->counters->n; i++) {
		width = (int)strlen(result->counters->c[i].name);
		if (width > columns.name)
			columns.name = width;
	}
	for (i = 0; i < result->groups; i++) {
		counts_group_name(result, &result->group[i], name, sizeof(name));
		width = text_width(name);
		if (width > columns.group)
			columns.group = width;
	}
	return columns;
}

/* The events of a group, or of all if it is NULL. */
static void print_counters(FILE *out, const struct result *result,
			   const struct group *group, const struct columns *columns)
{
	char name[GROUP_NAME_MAX] = "all", time[NUMBERS_MAX];
	unsigned int i;

	if (group)
		counts_group_name(result, group, name, sizeof(name));
	for (i = 0; i < result->counters->n; i++) {
		if (result->is_interval)
			fprintf(out, "%11s s ",
				numbers_s(time, result->from_ns + result->elapsed_ns));
		if (columns->group)
			fprintf(out, " %s%*s", name, columns->group - text_width(name), "");
		print_counter(out, result, group ? &group->sum : &result->sum, i, columns);
	}
}

static void print_groups(FILE *out, const struct result *result,
			 const struct columns *columns)
{
	unsigned int i;

	for (i = 0; i < result->groups; i++)
		if (!counts_skips(result, &result->group[i]))
			print_counters(out, result, &result->group[i], columns);
}

static void print_time(FILE *out, uint64_t ns, const char *name,
		       const struct spread *spread, double differ)
{
	char number[NUMBERS_MAX];

	fprintf(out, "%*s s  %s", NUMBER_WIDTH, numbers_s(number, ns), name);
	if (spread)
		fprintf(out, "%*s  # runs differ by %.2f%%", 7 - (int)strlen(name), "",
			100 * differ);
	fputc('\n', out);
}

static void print_whole(FILE *out, const struct result *result,
			const struct columns *columns)
{
	const struct spread *spread = result->spread, none = { 0 };
	const struct spread *s = spread ? spread : &none;
	unsigned int i;

	fputs("\n ", out);
	counts_title(out, result);
	fputs(":\n\n", out);
	if (result->groups) {
		print_groups(out, result, columns);
		fputc('\n', out);
	}
	print_counters(out, result, NULL, columns);
	fputc('\n', out);
	print_time(out, result->elapsed_ns, "elapsed", spread, s->elapsed);
	if (result->has_usage) {
		print_time(out, result->user_ns, "user", spread, s->user);
		print_time(out, result->system_ns, "system", spread, s->system);
	}
	fputc('\n', out);
	for (i = 0; i < result->notes; i++)
		fprintf(out, " note: %s\n", result->note[i]);
}

static void print(FILE *out, const struct result *result)
{
	struct columns columns = find_columns(result);

	if (!result->is_interval)
		print_whole(out, result, &columns);
	else if (result->groups)
		print_groups(out, result, &columns);
	else
		print_counters(out, result, NULL, &columns);
}

const struct counts_format counts_text = { .name = "text", .print = print };
