// SPDX-License-Identifier: GPL-2.0-only
/* Which samples are wanted: lists of names, and times. */
#define _GNU_SOURCE
#include <err.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "require.h"
#include "filter.h"
#include "symtab.h"

static bool matches(const char *pattern, const char *name)
{
	const char *base = strrchr(name, '/');

	return !fnmatch(pattern, name, 0) || (base && !fnmatch(pattern, base + 1, 0));
}

bool filter_matches(const char *list, const char *name)
{
	char pattern[256];
	size_t len;

	for (; list; list += len + 1) {
		len = strcspn(list, ",");
		snprintf(pattern, sizeof(pattern), "%.*s", (int)len, list);
		if (matches(pattern, name))
			return true;
		if (!list[len])
			return false;
	}
	return true;
}

/* Seconds; @text is behind them then. Returns whether there was a number. */
static bool parse_seconds(const char **text, uint64_t *ns)
{
	char *end;
	double s;

	if ((**text < '0' || **text > '9') && **text != '.')
		return false;
	s = strtod(*text, &end);
	if (end == *text || !(s >= 0 && s <= 1e9))
		return false;
	*text = end;
	*ns = (uint64_t)(s * 1e9 + 0.5);
	return true;
}

/* "FROM-TO", "FROM-" or "-TO" */
static void set_time(struct filter *f, const char *text)
{
	const char *at = text;
	bool from = parse_seconds(&at, &f->from_ns), to;

	if (*at++ == '-') {
		to = parse_seconds(&at, &f->to_ns);
		if (!*at && (from || to) && (!to || f->to_ns > f->from_ns))
			return;
	}
	errx(EXIT_PFMON, "'%s' is not a time such as 1.5-2, in seconds", text);
}

/* What is a name elsewhere: samples of a thread "0-3" there can never be. */
static const char *numbers(const char *list)
{
	size_t at = 0, len;

	do {
		len = strspn(list + at, "0123456789");
		at += len;
	} while (len && list[at] == ',' && list[++at]);
	if (!len || list[at] || list[at - 1] == ',')
		errx(EXIT_PFMON, "'%s' is not a list of numbers such as 1,2", list);
	return list;
}

bool filter_option(struct filter *f, int c, const char *arg)
{
	switch (c) {
	case FILTER_PROCESS:
	case 'c':
		f->process = arg;
		break;
	case FILTER_THREAD:
		f->thread = numbers(arg);
		break;
	case FILTER_CPU:
	case 'C':
		f->cpu = numbers(arg);
		break;
	case FILTER_BINARY:
	case 'd':
		f->binary = arg;
		break;
	case FILTER_SYMBOL:
	case 'S':
		f->symbol = arg;
		break;
	case FILTER_TIME:
		set_time(f, arg);
		break;
	case NO_DEMANGLE:
		symtab_demangle = false;
		break;
	case NO_CHILDREN:
	case PERF_SAME:
		break;
	default:
		return false;
	}
	return true;
}
