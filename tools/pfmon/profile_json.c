// SPDX-License-Identifier: GPL-2.0-only
/* A profile as one JSON object, a row a line. */
#include <inttypes.h>

#include "profile_out.h"
#include "text.h"

static void print_string(FILE *out, const char *name, const char *text)
{
	fprintf(out, "\"%s\": ", name);
	text_json(out, text_intern(text));
}

static void print_event(FILE *out, const struct profile *p, const struct sampled_event *e)
{
	print_string(out, "event", e->name);
	fprintf(out, ", \"unit\": \"%s\", \"period\": %" PRIu64
		", \"random_mask\": %" PRIu64, e->unit == UNIT_NS ? "ns" : "count",
		profile_period(p, e), e->random_mask);
	if (e->frequency)
		fprintf(out, ", \"frequency\": %" PRIu64 ", \"events\": %" PRIu64,
			e->frequency, p->weight);
}

static void print_lost(FILE *out, const struct profile *p)
{
	const struct df_lost *lost = &p->lost;

	fprintf(out, "\"lost\": {\"samples\": %" PRIu64 ", \"estimated\": %" PRIu64
		", \"full\": %" PRIu64
		", \"masked_ns\": %" PRIu64 ", \"messages\": %" PRIu64
		", \"throttled\": %" PRIu64 ", \"threads\": %" PRIu64
		", \"maps\": %" PRIu64 ", \"events\": %u}", lost->samples, lost->estimated,
		lost->full, lost->masked_ns, lost->messages, lost->throttled, lost->threads,
		lost->maps, p->events);
}

static void print_by(FILE *out, const struct profile *p)
{
	const char *comma = "";
	unsigned int d;

	fputs("\"by\": [", out);
	for (d = 0; d < DIMENSIONS; d++) {
		if (!p->by[d])
			continue;
		fprintf(out, "%s\"%s\"", comma, dimension_names[d]);
		comma = ", ";
	}
	fputc(']', out);
}

static void print_notes(FILE *out, const struct profile *p)
{
	unsigned int i;

	fputs("\"notes\": [", out);
	for (i = 0; i < p->notes; i++) {
		fputs(i ? ", " : "", out);
		text_json(out, text_intern(p->note[i]));
	}
	fputs("], ", out);
}

static void print_chain(FILE *out, const struct row *row, unsigned int f)
{
	const char *comma = "";

	fprintf(out, ", \"%s\": [", dimension_names[BY_CHAIN]);
	for (; f < row->frames; f++) {
		fputs(comma, out);
		text_json(out, row->frame[f]);
		comma = ", ";
	}
	fputc(']', out);
}

static void print_row(FILE *out, const struct profile *p, const struct row *row)
{
	const struct sampled_event *e = &p->event[p->chosen];
	unsigned int d, f = 0, r;

	fprintf(out, "{\"percent\": %.2f, \"samples\": %" PRIu64,
		profile_percent(p, row->weight), row->count);
	if (e->frequency)
		fprintf(out, ", \"events\": %" PRIu64, row->weight);
	if (p->before)
		fprintf(out, ", \"before_percent\": %.2f, \"before_samples\": %" PRIu64
			", \"change\": %.2f", profile_percent(p->before, row->before_weight),
			row->before_count, row->change);
	if (p->children)
		fprintf(out, ", \"total_percent\": %.2f, \"total_samples\": %" PRIu64,
			profile_share(p, row), row->total_count);
	for (d = 0; d < BY_CHAIN; d++) {
		if (!p->by[d])
			continue;
		fputs(", ", out);
		print_string(out, dimension_names[d], row->frame[f++]);
	}
	if (p->by[BY_CHAIN])
		print_chain(out, row, f);
	for (r = 0; r < e->readings; r++) {
		if (!e->reading[r].since_last || p->before)
			continue;
		fputs(", ", out);
		text_json(out, text_intern(e->reading[r].name));
		fprintf(out, ": %" PRIu64, row->sum[r]);
	}
	fputc('}', out);
}

void profile_json_begin(FILE *out, const struct profile *p)
{
	fputc('{', out);
	print_string(out, "title", p->header.title);
	fputs(", ", out);
	print_event(out, p, &p->event[p->chosen]);
	fprintf(out, ", \"samples\": %" PRIu64 ", ", p->samples);
	print_lost(out, p);
	if (p->share_unknown)
		fputs(", \"share\": null", out);
	else if (p->active_ns < p->all_ns)
		fprintf(out, ", \"share\": %.6f",
			(double)p->active_ns / (double)p->all_ns);
	fprintf(out, ", \"complete\": %s, \"elapsed_ns\": %" PRIu64 ", ",
		p->complete ? "true" : "false", p->end.elapsed_ns);
	print_notes(out, p);
	if (p->before) {
		fputs("\"before\": ", out);
		profile_json_begin(out, p->before);
		fprintf(out, "\"rows\": %zu}, ", p->before->rows);
	}
}

void profile_json(FILE *out, const struct profile *p, const struct selection *sel)
{
	size_t n = profile_rows(p, sel), i;
	uint64_t rest = p->samples;

	profile_json_begin(out, p);
	print_by(out, p);
	fputs(", \"rows\": [\n", out);
	for (i = 0; i < n; i++) {
		print_row(out, p, p->row[i]);
		fputs(i + 1 < n ? ",\n" : "\n", out);
		rest -= p->row[i]->count;
	}
	fprintf(out, "], \"omitted\": {\"rows\": %zu, \"samples\": %" PRIu64 "}}\n",
		p->rows - n, rest);
}
