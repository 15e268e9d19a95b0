// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counts as metrics: in Prometheus' own text format, which its node exporter reads (its
 * textfile directory), and in OpenMetrics', which Performance Co-Pilot's pmdaopenmetrics reads.
 * They differ in little, but for the one "pfmon_events_total" is the name of a counter and for
 * the other it is a sample of the counter "pfmon_events".
 */
#include <ctype.h>
#include <err.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "counts.h"
#include "require.h"
#include "text.h"

/* Of --label: name and value. */
struct label {
	const char *name, *value;
};

static struct label *labels;
static unsigned int n_labels;

static bool is_name(const char *name, size_t len)
{
	static const char *const own[] = { "event", "cpu", "tid", "thread" };
	size_t i;

	for (i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		if (strlen(own[i]) == len && !strncmp(own[i], name, len))
			return false;
	for (i = 0; i < len; i++)
		if (name[i] != '_' && !isalpha((unsigned char)name[i]) &&
		    !(i && isdigit((unsigned char)name[i])))
			return false;
	return len && strncmp(name, "__", 2);
}

static bool has_label(const char *name)
{
	unsigned int i;

	for (i = 0; i < n_labels; i++)
		if (!strcmp(labels[i].name, name))
			return true;
	return false;
}

bool counts_label(const char *text)
{
	size_t len = strcspn(text, "=");
	char *name;

	if (!text[len] || !is_name(text, len))
		return false;
	name = strndup(text, len);
	labels = reallocarray(labels, n_labels + 1, sizeof(*labels));
	if (!name || !labels)
		err(EXIT_PFMON, NULL);
	if (has_label(name)) {
		free(name);
		return false;
	}
	labels[n_labels++] = (struct label){ name, text + len + 1 };
	return true;
}

bool counts_labelled(void)
{
	return n_labels;
}

/* Values of labels: a backslash, a quote and the end of a line are escaped. */
static void print_label(FILE *out, unsigned int *n, const char *name, const char *value)
{
	const char *c;

	fprintf(out, "%s%s=\"", (*n)++ ? "," : "{", name);
	for (c = text_intern(value); *c; c++) {
		if (*c == '\\' || *c == '"')
			fputc('\\', out);
		fputc(*c, out);
	}
	fputc('"', out);
}

/*
 * All samples of a metric have the same labels: of whose counts they are, and those of the
 * user. That it is all CPUs is no label: each machine has them.
 */
static void print_labels(FILE *out, const struct result *result, const struct counter *c,
			 const struct group *group)
{
	char number[16] = "";
	unsigned int n = 0, i;

	if (group)
		snprintf(number, sizeof(number), "%d", group->id);
	if (c)
		print_label(out, &n, "event", c->name);
	if (!has_label("target") && (result->threads || strcmp(result->title, TITLE_ALL)))
		print_label(out, &n, "target", result->title);
	if (group)
		print_label(out, &n, result->threads ? "tid" : "cpu", number);
	if (group && result->threads)
		print_label(out, &n, "thread", group->name);
	for (i = 0; i < n_labels; i++)
		print_label(out, &n, labels[i].name, labels[i].value);
	fputs(n ? "} " : " ", out);
}

static void begin_sample(FILE *out, const struct result *result, const char *metric,
			 const struct counter *c, const struct group *group)
{
	fputs(metric, out);
	print_labels(out, result, c, group);
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

/*
 * If there are groups the sum is left to the reader, who would count all twice. A CPU that is
 * not counted now has no samples, as one that is idle has: it would seem to be that.
 */
static void print_samples(FILE *out, const struct result *result, enum what what)
{
	unsigned int i, g;

	for (i = 0; i < result->counters->n; i++) {
		if (!is_first(result->counters, i))
			continue;
		if (!result->grouped)
			print_sample(out, result, what, NULL, i);
		for (g = 0; g < result->groups; g++)
			if (is_last(result, g) && !result->group[g].away)
				print_sample(out, result, what, &result->group[g], i);
	}
}

static void print_gauge(FILE *out, const struct result *result, const char *name,
			const char *help, double value)
{
	fprintf(out, "# TYPE %s gauge\n# HELP %s %s\n", name, name, help);
	begin_sample(out, result, name, NULL, NULL);
	fprintf(out, "%.9g\n", value);
}

/* @total: what the name of a counter ends in. */
static void print_all(FILE *out, const struct result *result, const char *total)
{
	fprintf(out, "# TYPE pfmon_events%s counter\n"
		"# HELP pfmon_events%s Events that have happened since pfmon began.\n", total, total);
	print_samples(out, result, COUNTS);
	fprintf(out, "# TYPE pfmon_time_seconds%s counter\n", total);
	if (!*total)
		fputs("# UNIT pfmon_time_seconds seconds\n", out);
	fprintf(out, "# HELP pfmon_time_seconds%s CPU time since pfmon began.\n", total);
	print_samples(out, result, TIMES);
	fputs("# TYPE pfmon_event_share gauge\n"
	      "# HELP pfmon_event_share Part of the time in which an event was counted; its value is an estimate if that is below 1.\n",
	      out);
	print_samples(out, result, SHARES);
	print_gauge(out, result, "pfmon_elapsed_seconds", "Time since pfmon began.",
		    (double)result->elapsed_ns / 1e9);
	print_gauge(out, result, "pfmon_missed_threads", "Threads that could not be counted.",
		    result->missed);
	if (!result->threads)
		print_gauge(out, result, "pfmon_cpus", "CPUs that are counted.", result->measured);
	if (!result->has_spent)
		return;
	print_gauge(out, result, "pfmon_process_seconds",
		    "CPU time of the processes, as the kernel has it.",
		    (double)result->spent_ns / 1e9);
	print_gauge(out, result, "pfmon_counted_seconds",
		    "CPU time of their threads in which pfmon counted.",
		    (double)result->counted_ns / 1e9);
}

static void print_prometheus(FILE *out, const struct result *result)
{
	print_all(out, result, "_total");
}

static void print_openmetrics(FILE *out, const struct result *result)
{
	print_all(out, result, "");
	fputs("# EOF\n", out);
}

const struct counts_format counts_prometheus = {
	.name = "prometheus", .print = print_prometheus, .whole = true,
};

const struct counts_format counts_openmetrics = {
	.name = "openmetrics", .print = print_openmetrics, .whole = true,
};
