// SPDX-License-Identifier: GPL-2.0-only
/* What all ways to print a profile share, and the smallest of them. */
#include <err.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "profile_out.h"
#include "require.h"

double profile_percent(const struct profile *p, uint64_t weight)
{
	double all = (double)p->weight + (p->absolute ? (double)p->left_weight : 0);

	return all > 0 ? 100.0 * (double)weight / all : 0;
}

double profile_share(const struct profile *p, const struct row *row)
{
	if (p->before)
		return fabs(row->change);
	return profile_percent(p, p->children ? row->total_weight : row->weight);
}

const char *profile_of_all(const struct profile *p)
{
	return p->events > 1 && p->lost.samples + p->lost.estimated ?
	       " (of all events)" : "";
}

uint64_t profile_period(const struct profile *p, const struct sampled_event *e)
{
	if (!e->frequency || !p->samples)
		return sampled_period(e);
	return p->weight / p->samples + (p->weight % p->samples >= p->samples / 2 + 1);
}

size_t profile_rows(const struct profile *p, const struct selection *sel)
{
	size_t n = p->rows;

	if (sel->lines && sel->lines < n)
		n = sel->lines;
	while (n && profile_share(p, p->row[n - 1]) < sel->min)
		n--;
	return n;
}

size_t selection_lines(const char *text)
{
	char *end;
	long n;

	errno = 0;
	n = strtol(text, &end, 10);
	if (errno || end == text || *end || n <= 0)
		errx(EXIT_PFMON, "'%s' is not a number of lines", text);
	return (size_t)n;
}

double selection_percent(const char *text)
{
	char *end;
	double n;

	errno = 0;
	n = strtod(text, &end);
	if (errno || end == text || *end || !(n >= 0 && n <= 100))
		errx(EXIT_PFMON, "'%s' is not a number of percent", text);
	return n;
}

/* "FRAME;FRAME COUNT", or with both counts of two recordings: what separates frames is no part of their names. */
void profile_folded(FILE *out, const struct profile *p, const struct selection *sel)
{
	size_t n = profile_rows(p, sel), i;
	unsigned int f;
	const char *c;

	for (i = 0; i < n; i++) {
		const struct row *row = p->row[i];

		for (f = 0; f < row->frames; f++) {
			if (f)
				fputc(';', out);
			for (c = row->frame[f]; *c; c++)
				fputc(*c == ';' ? ':' : *c, out);
		}
		if (p->before)
			fprintf(out, " %" PRIu64, row->before_weight);
		fprintf(out, " %" PRIu64 "\n", row->weight);
	}
}
