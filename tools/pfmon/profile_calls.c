// SPDX-License-Identifier: GPL-2.0-only
/*
 * Functions with who calls them and whom they call: for people as gprof(1) has it, each
 * function below its callers and above what it calls.
 */
#include <err.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "numbers.h"
#include "profile_out.h"
#include "require.h"
#include "text.h"

#define NUMBER_WIDTH	9

/* A row of a profile with calls, and that of its function. */
struct call {
	const struct row *row, *function;
};

enum { FUNCTION, RELATION, OTHER };

/* In which order they stand, and what is before a name. */
static const struct {
	const char *const *relation;
	const char *mark;
} kinds[] = {
	{ &call_from, "<-" }, { &call_total, "" }, { &call_self, "" }, { &call_to, "->" },
};

static int kind(const struct row *row)
{
	int i = 0;

	while (*kinds[i].relation != row->frame[RELATION])
		i++;
	return i;
}

/* By functions, the largest first, then as they are to stand. */
static int by_place(const void *a, const void *b)
{
	const struct call *x = a, *y = b;
	int order;

	if (x->function->total_weight != y->function->total_weight)
		return x->function->total_weight > y->function->total_weight ? -1 : 1;
	order = strcmp(x->row->frame[FUNCTION], y->row->frame[FUNCTION]);
	if (!order)
		order = kind(x->row) - kind(y->row);
	if (order)
		return order;
	if (x->row->total_weight != y->row->total_weight)
		return x->row->total_weight > y->row->total_weight ? -1 : 1;
	return strcmp(x->row->frame[OTHER], y->row->frame[OTHER]);
}

static int by_function(const void *a, const void *b)
{
	const struct row *x = *(struct row *const *)a, *y = *(struct row *const *)b;
	int order = strcmp(x->frame[FUNCTION], y->frame[FUNCTION]);

	/* That of the function itself is the first. */
	return order ? order : (y->frame[RELATION] == call_total) -
			       (x->frame[RELATION] == call_total);
}

/* All that have at least the share that is wanted, in the order in which they are printed. */
static struct call *make_calls(const struct profile *p, const struct selection *sel, size_t *n)
{
	struct call *call = calloc(p->rows + 1, sizeof(*call));
	struct row **row = malloc((p->rows + 1) * sizeof(struct row *));
	const struct row *function = NULL;
	size_t i;

	if (!call || !row)
		err(EXIT_PFMON, NULL);
	for (i = 0; i < p->rows; i++)
		row[i] = p->row[i];
	qsort(row, p->rows, sizeof(struct row *), by_function);
	for (*n = 0, i = 0; i < p->rows; i++) {
		if (row[i]->frame[RELATION] == call_total)
			function = row[i];
		if (profile_percent(p, row[i]->total_weight) >= sel->min)
			call[(*n)++] = (struct call){ row[i], function };
	}
	free(row);
	qsort(call, *n, sizeof(*call), by_place);
	return call;
}

static void print_call(FILE *out, const struct profile *p, const struct row *row)
{
	int k = kind(row);
	char n[NUMBERS_MAX];

	fprintf(out, "%8.2f %*s  ", profile_percent(p, row->total_weight), NUMBER_WIDTH,
		numbers_count(n, row->total_count));
	if (row->frame[RELATION] == call_total)
		fprintf(out, "%s\n", row->frame[FUNCTION]);
	else if (row->frame[RELATION] == call_self)
		fputs("   in itself\n", out);
	else
		fprintf(out, "%s %s\n", kinds[k].mark, row->frame[OTHER]);
}

void profile_calls(FILE *out, const struct profile *p, const struct selection *sel)
{
	size_t n, i;
	struct call *call = make_calls(p, sel, &n);

	profile_heading(out, p);
	if (n)
		fprintf(out, "%8s %*s  calls\n", "percent", NUMBER_WIDTH, "samples");
	for (i = 0; i < n && (!sel->lines || i < sel->lines); i++) {
		if (i && call[i].function != call[i - 1].function)
			fputc('\n', out);
		print_call(out, p, call[i].row);
	}
	if (n)
		fputc('\n', out);
	profile_remarks(out, p);
	free(call);
}

void profile_calls_json(FILE *out, const struct profile *p, const struct selection *sel)
{
	const struct sampled_event *e = &p->event[p->chosen];
	size_t n, i;
	struct call *call = make_calls(p, sel, &n);

	if (sel->lines && sel->lines < n)
		n = sel->lines;
	profile_json_begin(out, p);
	fputs("\"calls\": [\n", out);
	for (i = 0; i < n; i++) {
		const struct row *row = call[i].row;

		fputs("{\"function\": ", out);
		text_json(out, row->frame[FUNCTION]);
		fprintf(out, ", \"relation\": \"%s\"", row->frame[RELATION]);
		if (*row->frame[OTHER]) {
			fputs(", \"other\": ", out);
			text_json(out, row->frame[OTHER]);
		}
		fprintf(out, ", \"percent\": %.2f, \"samples\": %" PRIu64,
			profile_percent(p, row->total_weight), row->total_count);
		if (e->frequency)
			fprintf(out, ", \"events\": %" PRIu64, row->total_weight);
		fputs(i + 1 < n ? "},\n" : "}\n", out);
	}
	fprintf(out, "], \"omitted\": {\"rows\": %zu}}\n", p->rows - n);
	free(call);
}
