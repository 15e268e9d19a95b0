/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How counts are printed. A measurement is printed as a whole at its end; with
 * intervals, each of them before that.
 */
#ifndef PFMON_COUNTS_H
#define PFMON_COUNTS_H

#include "result.h"

/**
 * struct counts_format - a way to print counts
 * @name:    for -f
 * @print:   (required) print a whole measurement or an interval of one
 * @heading: (optional) what comes before the first of them
 * @whole:   each output is a file of its own and has all counts so far, not those of
 *           an interval
 */
struct counts_format {
	const char *name;
	void (*print)(FILE *out, const struct result *result);
	void (*heading)(FILE *out);
	bool whole;
};

extern const struct counts_format counts_text, counts_json, counts_csv, counts_prometheus,
	counts_openmetrics;

/**
 * counts_find() - a format by its name
 * @name: of it
 *
 * Return: the format, or NULL if there is no such one.
 */
const struct counts_format *counts_find(const char *name);

/**
 * counts_separator() - have counts_csv separate fields by another character
 * @c: character
 */
void counts_separator(char c);

/**
 * counts_label() - have each sample of counts_prometheus and counts_openmetrics have a label
 * @text: "name=value", kept; the label target takes the place of pfmon's own
 *
 * Return: false if it is none, or there is one of that name.
 */
bool counts_label(const char *text);

/**
 * counts_labelled() - has counts_label() been called?
 *
 * Return: true or false.
 */
bool counts_labelled(void);

/**
 * counts_title() - what was measured, with the number of runs and of threads, in a line
 * @out:    where to; without an end of the line
 * @result: what was measured
 */
void counts_title(FILE *out, const struct result *result);

/**
 * counts_skips() - is a group left out?
 * @result: what was measured
 * @group:  group of it
 *
 * Return: true for a thread that did nothing in an interval: it may have ended.
 */
bool counts_skips(const struct result *result, const struct group *group);

/**
 * counts_grouping() - what groups are called
 * @result: what was measured
 *
 * Return: "thread", "cpu", "core", "socket" or "node".
 */
const char *counts_grouping(const struct result *result);

/**
 * counts_group_name() - "CPU 3", "socket 0 core 3", "node 1" or "make-1234"; "CPU 3 (away)" in an interval at whose end it is
 * @result: what was measured
 * @group:  group of it
 * @name:   receives it
 * @size:   bytes of @name
 */
void counts_group_name(const struct result *result, const struct group *group, char *name,
		      size_t size);

#endif /* PFMON_COUNTS_H */
