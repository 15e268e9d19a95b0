// SPDX-License-Identifier: GPL-2.0-only
/* A profile as a table for people. */
#include <string.h>

#include "numbers.h"
#include "profile_out.h"
#include "space.h"
#include "text.h"

#define NUMBER_WIDTH	9
#define UNNAMED_TOLD	1	/* percent: of less without a name nothing is said */
#define NS_PRINTED	10000	/* multiples of it have two decimals as ms; means are rounded */

static void print_period(FILE *out, const struct profile *p, const struct sampled_event *e)
{
	uint64_t period = profile_period(p, e);
	char n[NUMBERS_MAX];

	fputs(", one each ", out);
	if (e->unit == UNIT_NS && (period < NS_PRINTED || (period % NS_PRINTED && !e->random_mask)))
		fprintf(out, "%s ns", numbers_count(n, period));
	else if (e->unit == UNIT_NS)
		fprintf(out, "%s ms", numbers_ms(n, period));
	else
		fprintf(out, "%s", numbers_count(n, period));
	if (e->frequency || e->random_mask)
		fputs(" on average", out);
}

static void print_summary(FILE *out, const struct profile *p)
{
	const struct sampled_event *e = &p->event[p->chosen];
	char n[NUMBERS_MAX];

	fprintf(out, "%s: %s sample%s of %s",
		text_intern(p->header.title), numbers_count(n, p->samples),
		p->samples == 1 ? "" : "s", text_intern(e->name));
	if (e->frequency)
		fprintf(out, ", %s a second", numbers_count(n, e->frequency));
	/* Of no samples there is no mean. */
	if (!e->frequency || p->samples)
		print_period(out, p, e);
	fprintf(out, "; %s lost%s", numbers_lost(n, p->lost.samples, p->lost.estimated),
		profile_of_all(p));
	if (p->complete)
		fprintf(out, "; %s s", numbers_s(n, p->end.elapsed_ns));
	fputc('\n', out);
}

void profile_heading(FILE *out, const struct profile *p)
{
	if (p->before) {
		fputs("\n before: ", out);
		print_summary(out, p->before);
	}
	fputs(p->before ? " now:    " : "\n ", out);
	print_summary(out, p);
	fputc('\n', out);
}

/* Names of the columns of a row's frames. */
static void name_columns(const struct profile *p, const char *name[DIMENSIONS])
{
	unsigned int d, n = 0;

	for (d = 0; d < BY_CHAIN; d++)
		if (p->by[d])
			name[n++] = dimension_names[d];
}

static void find_widths(const struct profile *p, size_t rows,
			const char *const name[DIMENSIONS], int width[DIMENSIONS])
{
	unsigned int f;
	size_t i;
	int w;

	for (f = 0; f < p->frames; f++) {
		width[f] = text_width(name[f]);
		for (i = 0; i < rows; i++) {
			w = text_width(p->row[i]->frame[f]);
			if (w > width[f])
				width[f] = w;
		}
	}
}

/*
 * The columns, then the calls of the chain in one. After the last column there
 * is nothing to align.
 */
static void print_frames(FILE *out, const struct profile *p,
			 const char *const frame[], unsigned int n,
			 const int width[DIMENSIONS])
{
	unsigned int f;

	for (f = 0; f < n && f < p->frames; f++)
		fprintf(out, "  %s%*s", frame[f],
			f + 1 < n ? width[f] - text_width(frame[f]) : 0, "");
	for (; f < n; f++)
		fprintf(out, "%s%s", f == p->frames ? "  " : ";", frame[f]);
	fputc('\n', out);
}

static int reading_width(const struct reading *reading)
{
	int width = text_width(text_intern(reading->name));

	return width < NUMBER_WIDTH ? NUMBER_WIDTH : width;
}

/* What each row has before its readings: the names of that, or a row's. */
static void print_columns(FILE *out, const struct profile *p)
{
	if (p->before) {
		fprintf(out, "%8s %8s %8s", "before", "now", "change");
		return;
	}
	if (p->children)
		fprintf(out, "%8s ", "total");
	fprintf(out, "%8s %*s", "percent", NUMBER_WIDTH, "samples");
}

static void print_shares(FILE *out, const struct profile *p, const struct row *row)
{
	char n[NUMBERS_MAX];

	if (p->before) {
		fprintf(out, "%8.2f %8.2f %+8.2f", profile_percent(p->before, row->before_weight),
			profile_percent(p, row->weight), row->change);
		return;
	}
	if (p->children)
		fprintf(out, "%8.2f ", profile_share(p, row));
	fprintf(out, "%8.2f %*s", profile_percent(p, row->weight), NUMBER_WIDTH,
		numbers_count(n, row->count));
}

static void print_rows(FILE *out, const struct profile *p,
		       const struct sampled_event *e, size_t rows)
{
	const char *name[DIMENSIONS];
	int width[DIMENSIONS];
	char n[NUMBERS_MAX];
	unsigned int r;
	size_t i;

	name_columns(p, name);
	find_widths(p, rows, name, width);
	print_columns(out, p);
	for (r = 0; r < e->readings; r++)
		if (e->reading[r].since_last && !p->before)
			fprintf(out, " %*s", reading_width(&e->reading[r]),
				text_intern(e->reading[r].name));
	name[p->frames] = dimension_names[BY_CHAIN];
	print_frames(out, p, name, p->frames + p->by[BY_CHAIN], width);
	for (i = 0; i < rows; i++) {
		const struct row *row = p->row[i];

		print_shares(out, p, row);
		for (r = 0; r < e->readings; r++)
			if (e->reading[r].since_last && !p->before)
				fprintf(out, " %*s", reading_width(&e->reading[r]),
					numbers_count(n, row->sum[r]));
		print_frames(out, p, row->frame, row->frames, width);
	}
}

static void print_rest(FILE *out, const struct profile *p, size_t rows)
{
	uint64_t rest = 0;
	size_t i;

	if (p->before && rows < p->rows)
		fprintf(out, "%*s(%zu more line%s)\n", 28, "", p->rows - rows,
			p->rows - rows == 1 ? "" : "s");
	if (p->before)
		return;
	for (i = rows; i < p->rows; i++)
		add_weight(&rest, p->row[i]->weight);
	if (rows < p->rows)
		fprintf(out, "%*s%8.2f %*s  (%zu more line%s)\n", p->children ? 9 : 0, "",
			profile_percent(p, rest), NUMBER_WIDTH, "",
			p->rows - rows, p->rows - rows == 1 ? "" : "s");
}

/* Which part of the samples has a symbol's column that says nothing: percent. */
static double unnamed_percent(const struct profile *p)
{
	const char *unknown = text_intern(PLACE_UNKNOWN);
	unsigned int d, at = 0;
	uint64_t sum = 0;
	size_t i;

	if (!p->by[BY_SYMBOL] || p->by[BY_ADDRESS] || p->calls)
		return 0;
	for (d = 0; d < BY_SYMBOL; d++)
		at += p->by[d];
	for (i = 0; i < p->rows; i++)
		if (p->row[i]->frame[at] == unknown)
			add_weight(&sum, p->row[i]->weight);
	return profile_percent(p, sum);
}

void profile_remarks(FILE *out, const struct profile *p)
{
	const double unnamed = unnamed_percent(p);
	char n[NUMBERS_MAX], ms[NUMBERS_MAX];
	unsigned int i;

	if (p->lost.estimated)
		fprintf(out, " note: sampling stopped %s time%s for a full buffer, for %s ms together: losses are estimated from that\n",
			numbers_count(n, p->lost.full), p->lost.full == 1 ? "" : "s",
			numbers_ms(ms, p->lost.masked_ns));
	if (p->lost.samples)
		fprintf(out, " note: %s samples lost because the buffer was full, as counted by the kernel\n",
			numbers_count(n, p->lost.samples));
	if (p->lost.maps)
		fprintf(out, " note: %s mmap or exec record%s lost: some symbols may be missing\n",
			numbers_count(n, p->lost.maps),
			p->lost.maps == 1 ? " was" : "s were");
	if (p->lost.messages)
		fprintf(out, " note: the kernel could not queue %s messages\n",
			numbers_count(n, p->lost.messages));
	if (p->lost.throttled)
		fprintf(out, " note: sampling was too fast and was stopped %s time%s\n",
			numbers_count(n, p->lost.throttled),
			p->lost.throttled == 1 ? "" : "s");
	if (p->lost.threads)
		fprintf(out, " note: threads that were not sampled: %s\n",
			numbers_count(n, p->lost.threads));
	for (i = 0; i < p->events; i++)
		if (strcmp(p->event[i].name, p->event[p->chosen].name))
			fprintf(out, " note: there are samples of %s, too: -e %s\n",
				text_intern(p->event[i].name),
				text_intern(p->event[i].name));
	for (i = 0; p->before && i < p->before->notes; i++)
		fprintf(out, " note: before: %s\n", p->before->note[i]);
	for (i = 0; i < p->notes; i++)
		fprintf(out, " note: %s%s\n", p->before ? "now: " : "", p->note[i]);
	if (unnamed >= UNNAMED_TOLD)
		fprintf(out, " note: %.2f%% of the samples are in code without a name: --by binary,address has its addresses\n",
			unnamed);
}

void profile_text(FILE *out, const struct profile *p, const struct selection *sel)
{
	const struct sampled_event *e = &p->event[p->chosen];
	size_t rows = profile_rows(p, sel);

	profile_heading(out, p);
	if (p->rows) {
		print_rows(out, p, e, rows);
		print_rest(out, p, rows);
		fputc('\n', out);
	}
	profile_remarks(out, p);
}
