/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How counts are printed. A measurement is printed as a whole at its end; with
 * intervals, each of them before that.
 */
#ifndef PFMON_PRINT_H
#define PFMON_PRINT_H

#include "result.h"

/**
 * struct print_format - a way to print counts
 * @name:    for -f
 * @print:   (required) print a whole measurement or an interval of one
 * @heading: (optional) what comes before the first of them
 * @whole:   each output is a file of its own and has all counts so far, not those of
 *           an interval
 */
struct print_format {
	const char *name;
	void (*print)(FILE *out, const struct result *result);
	void (*heading)(FILE *out);
	bool whole;
};

extern const struct print_format print_text, print_json, print_csv, print_openmetrics;

/**
 * print_find() - a format by its name
 * @name: of it
 *
 * Return: the format, or NULL if there is no such one.
 */
const struct print_format *print_find(const char *name);

/**
 * print_separator() - have print_csv separate fields by another character
 * @c: character
 */
void print_separator(char c);

/**
 * print_title() - what was measured, with the number of runs and of threads, in a line
 * @out:    where to; without an end of the line
 * @result: what was measured
 */
void print_title(FILE *out, const struct result *result);

/**
 * print_skips() - is a group left out?
 * @result: what was measured
 * @group:  group of it
 *
 * Return: true for a thread that did nothing in an interval: it may have ended.
 */
bool print_skips(const struct result *result, const struct group *group);

/**
 * print_group_name() - "CPU 3" or "make-1234"
 * @result: what was measured
 * @group:  group of it
 * @name:   receives it
 * @size:   bytes of @name
 */
void print_group_name(const struct result *result, const struct group *group, char *name,
		      size_t size);

#endif /* PFMON_PRINT_H */
