// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counts as fields with a separator between them, a line for each event: for
 * spreadsheets and scripts. The columns are always the same; what is not known is
 * empty.
 */
#include <inttypes.h>
#include <string.h>

#include "counts.h"
#include "ratios.h"

static char separator = ',';

void counts_separator(char c)
{
	separator = c;
}

static void heading(FILE *out)
{
	static const char *const columns[] = {
		"time", "of", "event", "value", "unit", "share", "error", "deviation",
		"ratio", "ratio_to",
	};
	size_t i;

	for (i = 0; i < sizeof(columns) / sizeof(columns[0]); i++) {
		if (i)
			fputc(separator, out);
		fputs(columns[i], out);
	}
	fputc('\n', out);
}

/*
 * What could be taken for more than one field is put in quotes, as RFC 4180 says. What a
 * spreadsheet would compute, in quotes or not, gets an apostrophe: threads choose their names.
 */
static void print_name(FILE *out, const char *name)
{
	const char *mark = *name && strchr("=+-@", *name) ? "'" : "";
	const char *c;

	if (!strchr(name, separator) && !strpbrk(name, "\"\r\n")) {
		fprintf(out, "%s%s", mark, name);
		return;
	}
	fprintf(out, "\"%s", mark);
	for (c = name; *c; c++) {
		if (*c == '"')
			fputc('"', out);
		fputc(*c, out);
	}
	fputc('"', out);
}

static void print_fraction(FILE *out, double value, bool known)
{
	fputc(separator, out);
	if (known)
		fprintf(out, "%.6f", value);
}

/* When an interval ended, since the beginning, and whose the line is. */
static void begin_line(FILE *out, const struct result *result, const char *of)
{
	uint64_t end = result->from_ns + result->elapsed_ns;

	if (result->is_interval)
		fprintf(out, "%" PRIu64 ".%09" PRIu64, end / 1000000000, end % 1000000000);
	fputc(separator, out);
	print_name(out, of);
	fputc(separator, out);
}

static void print_counters(FILE *out, const struct result *result,
			   const struct counts *sum, const char *of)
{
	const struct spread *spread = result->spread;
	unsigned int i;

	for (i = 0; i < result->counters->n; i++) {
		const struct counter *c = &result->counters->c[i];
		struct estimate e = result_estimate(result, sum, i);
		struct ratio ratio;
		bool has_ratio = e.share && ratios_find(result, sum, i, &ratio);

		begin_line(out, result, of);
		print_name(out, c->name);
		fputc(separator, out);
		if (e.share)
			fprintf(out, "%" PRIu64, e.value);
		fprintf(out, "%c%s", separator, c->event->unit == UNIT_NS ? "ns" : "");
		print_fraction(out, e.share, true);
		print_fraction(out, e.error, e.share && e.share < 1 && e.error >= 0);
		print_fraction(out, spread ? spread->value[i] : 0, spread);
		print_fraction(out, has_ratio ? ratio.value : 0, has_ratio);
		fputc(separator, out);
		print_name(out, has_ratio ? result->counters->c[ratio.of].name : "");
		fputc('\n', out);
	}
}

static void print_time(FILE *out, const struct result *result, const char *name,
		       uint64_t ns, double deviation)
{
	begin_line(out, result, "all");
	fprintf(out, "%s%c%" PRIu64 "%cns", name, separator, ns, separator);
	print_fraction(out, 1, true);
	fputc(separator, out);
	print_fraction(out, deviation, result->spread);
	fprintf(out, "%c%c\n", separator, separator);
}

static void print(FILE *out, const struct result *result)
{
	const struct spread none = { 0 }, *s = result->spread ? result->spread : &none;
	char name[64];
	unsigned int i;

	for (i = 0; i < result->groups; i++) {
		if (counts_skips(result, &result->group[i]))
			continue;
		counts_group_name(result, &result->group[i], name, sizeof(name));
		print_counters(out, result, &result->group[i].sum, name);
	}
	print_counters(out, result, &result->sum, "all");
	if (result->is_interval)
		return;
	print_time(out, result, "elapsed", result->elapsed_ns, s->elapsed);
	if (result->has_usage) {
		print_time(out, result, "user", result->user_ns, s->user);
		print_time(out, result, "system", result->system_ns, s->system);
	}
	if (result->has_spent) {
		print_time(out, result, "process", result->spent_ns, 0);
		print_time(out, result, "counted", result->counted_ns, 0);
	}
	fputs("# ", out);
	counts_title(out, result);
	fputc('\n', out);
	for (i = 0; i < result->notes; i++)
		fprintf(out, "# %s\n", result->note[i]);
}

const struct counts_format counts_csv = { .name = "csv", .print = print, .heading = heading };
