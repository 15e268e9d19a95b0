// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counts as metrics in OpenMetrics' text format, which Prometheus' node exporter (its
 * textfile directory) and Performance Co-Pilot's pmdaopenmetrics read.
 */
#include <inttypes.h>

#include "counts.h"
#include "text.h"

/* Values of labels: a backslash, a quote and the end of a line are escaped. */
static void print_label(FILE *out, const char *before, const char *name,
			const char *value)
{
	const char *c;

	fprintf(out, "%s%s=\"", before, name);
	for (c = text_intern(value); *c; c++) {
		if (*c == '\\' || *c == '"')
			fputc('\\', out);
		fputc(*c, out);
	}
	fputc('"', out);
}

/* All samples of a metric have the same labels. */
static void begin_sample(FILE *out, const struct result *result, const char *metric,
			 const struct counter *c, const struct group *group)
{
	fprintf(out, "%s{", metric);
	print_label(out, "", "event", c->name);
	print_label(out, ",", "target", result->title);
	if (group && result->threads) {
		fprintf(out, ",tid=\"%d\"", group->id);
		print_label(out, ",", "thread", group->name);
	} else if (group) {
		fprintf(out, ",cpu=\"%d\"", group->id);
	}
	fputs("} ", out);
}

enum what { COUNTS, TIMES, SHARES };

static void print_sample(FILE *out, const struct result *result, enum what what,
			 const struct group *group, unsigned int i)
{
	const struct counter *c = &result->counters->c[i];
	struct estimate e = result_estimate(result, group ? &group->sum : &result->sum, i);
	bool is_time = c->event->unit == UNIT_NS;

	if (what == SHARES) {
		begin_sample(out, result, "pfmon_event_share", c, group);
		fprintf(out, "%.6f\n", e.share);
	} else if (!e.share || is_time != (what == TIMES)) {
		return;
	} else if (is_time) {
		begin_sample(out, result, "pfmon_time_seconds_total", c, group);
		fprintf(out, "%" PRIu64 ".%09" PRIu64 "\n", e.value / 1000000000,
			e.value % 1000000000);
	} else {
		begin_sample(out, result, "pfmon_events_total", c, group);
		fprintf(out, "%" PRIu64 "\n", e.value);
	}
}

/* An event that is named twice is there once: two samples must not have one name. */
static bool is_first(const struct counters *counters, unsigned int i)
{
	return counters_find(counters, counters->c[i].name) == (int)i;
}

/* Of threads that had one number after the other the last one is there. */
static bool is_last(const struct result *result, unsigned int group)
{
	unsigned int g;

	for (g = group + 1; g < result->groups; g++)
		if (result->group[g].id == result->group[group].id)
			return false;
	return true;
}

/* If there are groups the sum is left to the reader, who would count all twice. */
static void print_samples(FILE *out, const struct result *result, enum what what)
{
	unsigned int i, g;

	for (i = 0; i < result->counters->n; i++) {
		if (!is_first(result->counters, i))
			continue;
		if (!result->grouped)
			print_sample(out, result, what, NULL, i);
		for (g = 0; g < result->groups; g++)
			if (is_last(result, g))
				print_sample(out, result, what, &result->group[g], i);
	}
}

static void print_gauge(FILE *out, const char *name, const char *help, const char *target,
			double value)
{
	fprintf(out, "# TYPE %s gauge\n# HELP %s %s\n%s{", name, name, help, name);
	print_label(out, "", "target", target);
	fprintf(out, "} %.9g\n", value);
}

static void print(FILE *out, const struct result *result)
{
	fputs("# TYPE pfmon_events counter\n"
	      "# HELP pfmon_events Events that have happened since pfmon began.\n", out);
	print_samples(out, result, COUNTS);
	fputs("# TYPE pfmon_time_seconds counter\n"
	      "# UNIT pfmon_time_seconds seconds\n"
	      "# HELP pfmon_time_seconds CPU time since pfmon began.\n", out);
	print_samples(out, result, TIMES);
	fputs("# TYPE pfmon_event_share gauge\n"
	      "# HELP pfmon_event_share Part of the time in which an event was counted; its value is an estimate if that is below 1.\n",
	      out);
	print_samples(out, result, SHARES);
	print_gauge(out, "pfmon_elapsed_seconds", "Time since pfmon began.", result->title,
		    (double)result->elapsed_ns / 1e9);
	print_gauge(out, "pfmon_missed_threads", "Threads that could not be counted.",
		    result->title, result->missed);
	if (result->has_spent) {
		print_gauge(out, "pfmon_process_seconds",
			    "CPU time of the processes, as the kernel has it.", result->title,
			    (double)result->spent_ns / 1e9);
		print_gauge(out, "pfmon_counted_seconds",
			    "CPU time of their threads in which pfmon counted.", result->title,
			    (double)result->counted_ns / 1e9);
	}
	fputs("# EOF\n", out);
}

const struct counts_format counts_openmetrics = {
	.name = "openmetrics", .print = print, .whole = true,
};
