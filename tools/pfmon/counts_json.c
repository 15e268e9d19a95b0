// SPDX-License-Identifier: GPL-2.0-only
/* Counts as JSON: an object of one line for a measurement, or for an interval of one. */
#include <inttypes.h>

#include "counts.h"
#include "ratios.h"
#include "text.h"

/* A value that was not counted, or an error that is not known, is null. */
static void print_estimate(FILE *out, const struct estimate *e)
{
	fprintf(out, ", \"counted\": %" PRIu64 ", \"share\": %.6f, \"error\": ",
		e->counted, e->share);
	if (e->share && e->error >= 0)
		fprintf(out, "%.6f", e->error);
	else
		fputs("null", out);
}

/* What the value means beside others. */
static void print_meaning(FILE *out, const struct result *result, const struct counts *sum,
			  unsigned int i, uint64_t value)
{
	bool is_clock = result->counters->c[i].event->unit == UNIT_NS;
	uint64_t ns = is_clock ? result->elapsed_ns : result_clock(result, sum);
	struct ratio ratio;

	if (ns && is_clock)
		fprintf(out, ", \"cpus_used\": %.6f", (double)value / (double)ns);
	else if (ns)
		fprintf(out, ", \"rate\": %.6f", (double)value * 1e9 / (double)ns);
	if (ratios_find(result, sum, i, &ratio)) {
		fprintf(out, ", \"ratio\": %.6f, \"ratio_name\": \"%s\", \"ratio_to\": ",
			ratio.value, ratio.name);
		text_json(out, text_intern(result->counters->c[ratio.of].name));
	}
}

static void print_counter(FILE *out, const struct result *result, const struct counts *sum,
			  unsigned int i)
{
	const struct counter *c = &result->counters->c[i];
	struct estimate e = result_estimate(result, sum, i);
	static const char *const levels[] = {
		[LEVEL_USER] = "user", [LEVEL_KERNEL] = "kernel", [LEVEL_BOTH] = "all",
	};

	fputs("{\"name\": ", out);
	text_json(out, text_intern(c->name));
	fputs(", \"value\": ", out);
	if (e.share)
		fprintf(out, "%" PRIu64, e.value);
	else
		fputs("null", out);
	fprintf(out, ", \"unit\": \"%s\"", c->event->unit == UNIT_NS ? "ns" : "count");
	if (c->levels)
		fprintf(out, ", \"levels\": \"%s\"", levels[c->levels]);
	if (c->sets < result->counters->sets)
		print_estimate(out, &e);
	if (result->spread)
		fprintf(out, ", \"deviation\": %.6f", result->spread->value[i]);
	if (e.share)
		print_meaning(out, result, sum, i, e.value);
	fputc('}', out);
}

static void print_counters(FILE *out, const struct result *result,
			   const struct counts *sum)
{
	unsigned int i;

	fputs("\"events\": [", out);
	for (i = 0; i < result->counters->n; i++) {
		fputs(i ? ", " : "", out);
		print_counter(out, result, sum, i);
	}
	fputc(']', out);
}

static void print_groups(FILE *out, const struct result *result)
{
	const char *comma = "";
	unsigned int i;

	fprintf(out, ", \"by_%s\": [", counts_grouping(result));
	for (i = 0; i < result->groups; i++) {
		const struct group *g = &result->group[i];

		if (counts_skips(result, g))
			continue;
		fprintf(out, "%s{\"%s\": %d, ", comma,
			result->threads ? "tid" : counts_grouping(result), g->id);
		if (result->grouping == GROUP_CORE)
			fprintf(out, "\"socket\": %d, ", g->socket);
		if (g->cpus)
			fprintf(out, "\"cpus\": %u, ", g->cpus);
		comma = ", ";
		if (result->threads) {
			fputs("\"name\": ", out);
			text_json(out, text_intern(g->name));
			fputs(", ", out);
		}
		if (result->is_interval && g->away)
			fputs("\"away\": true, ", out);
		print_counters(out, result, &g->sum);
		fputc('}', out);
	}
	fputc(']', out);
}

static void print_spread(FILE *out, const struct result *result)
{
	const struct spread *s = result->spread;

	fprintf(out, ", \"runs\": %u, \"elapsed_deviation\": %.6f", s->runs, s->elapsed);
	if (result->has_usage)
		fprintf(out, ", \"user_deviation\": %.6f, \"system_deviation\": %.6f",
			s->user, s->system);
}

/* How long a turn is. */
static void print_turns(FILE *out, const struct counters *c)
{
	if (c->trigger.event) {
		fputs(", \"turn_event\": ", out);
		text_json(out, text_intern(c->trigger.name));
		fprintf(out, ", \"turn_count\": %" PRIu64, c->every);
	} else if (c->timeout_ns) {
		fprintf(out, ", \"turn_ns\": %" PRIu64, c->timeout_ns);
	}
}

static void print(FILE *out, const struct result *result)
{
	unsigned int i;

	fputs("{\"title\": ", out);
	text_json(out, text_intern(result->title));
	if (result->is_interval)
		fprintf(out, ", \"from_ns\": %" PRIu64, result->from_ns);
	fputs(", ", out);
	print_counters(out, result, &result->sum);
	if (result->grouped)
		print_groups(out, result);
	fprintf(out, ", \"sets\": %u", result->counters->sets);
	if (result->counters->sets > 1)
		print_turns(out, result->counters);
	if (result->tree)
		fprintf(out, ", \"trees\": %u", result->measured);
	else
		fprintf(out, ", \"%ss\": %u", result->threads ? "thread" : "cpu",
			result->measured);
	fprintf(out, ", \"missed\": %u, \"elapsed_ns\": %" PRIu64, result->missed,
		result->elapsed_ns);
	if (result->has_usage)
		fprintf(out, ", \"user_ns\": %" PRIu64 ", \"system_ns\": %" PRIu64,
			result->user_ns, result->system_ns);
	if (result->has_spent)
		fprintf(out, ", \"process_ns\": %" PRIu64 ", \"counted_ns\": %" PRIu64,
			result->spent_ns, result->counted_ns);
	if (result->spread)
		print_spread(out, result);
	fputs(", \"notes\": [", out);
	for (i = 0; i < result->notes; i++) {
		fputs(i ? ", " : "", out);
		text_json(out, text_intern(result->note[i]));
	}
	fputs("]}\n", out);
}

const struct counts_format counts_json = { .name = "json", .print = print };
