/* SPDX-License-Identifier: GPL-2.0-only */
/* The options of report and script that say which samples are wanted, and how named. */
#ifndef PFMON_FILTER_H
#define PFMON_FILTER_H

#include "profile.h"

/* What getopt_long() returns for these, and its table's lines. */
enum filter_option {
	FILTER_PROCESS = 512, FILTER_THREAD, FILTER_CPU, FILTER_BINARY, FILTER_SYMBOL,
	FILTER_TIME, NO_DEMANGLE, NO_CHILDREN, PERF_SAME,
};

/* Letters of perf's: -C and -d are not everywhere. */
#define FILTER_SHORT	"c:S:"

/* With perf's names where they are others. */
#define FILTER_OPTIONS							\
	{ "process", required_argument, NULL, FILTER_PROCESS },		\
	{ "comms", required_argument, NULL, FILTER_PROCESS },		\
	{ "thread", required_argument, NULL, FILTER_THREAD },		\
	{ "cpu", required_argument, NULL, FILTER_CPU },			\
	{ "binary", required_argument, NULL, FILTER_BINARY },		\
	{ "dsos", required_argument, NULL, FILTER_BINARY },		\
	{ "symbol", required_argument, NULL, FILTER_SYMBOL },		\
	{ "symbols", required_argument, NULL, FILTER_SYMBOL },		\
	{ "time", required_argument, NULL, FILTER_TIME },		\
	{ "no-demangle", no_argument, NULL, NO_DEMANGLE }

/* What perf has to be told and is so here without it. */
#define PERF_SAME_OPTIONS						\
	{ "no-children", no_argument, NULL, NO_CHILDREN },		\
	{ "show-nr-samples", no_argument, NULL, PERF_SAME }

#define FILTER_USAGE_NAMES						\
"      --process LIST    only samples of processes with these names, which are\n" \
"                        separated by commas and can be patterns: 'py*'\n"	\
"      --binary LIST, --symbol LIST\n"						\
"                        only those in binaries or symbols with these names\n"	\
"      --no-demangle     names of C++ and Rust as the linker has them\n"

#define FILTER_USAGE							\
FILTER_USAGE_NAMES							\
"      --thread LIST, --cpu LIST\n"						\
"                        only those of threads or CPUs with these numbers\n"	\
"      --time FROM-TO    only those between these seconds after the beginning\n"

/**
 * filter_option() - take an option; ends the program if its argument is wrong
 * @f:   filter
 * @c:   as getopt_long() returned it
 * @arg: its argument, kept
 *
 * Return: true, or false if it is no option of a filter.
 */
bool filter_option(struct filter *f, int c, const char *arg);

#endif /* PFMON_FILTER_H */
