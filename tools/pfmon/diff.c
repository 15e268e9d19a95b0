// SPDX-License-Identifier: GPL-2.0-only
/* pfmon diff: what differs between two data files of pfmon record. */
#include <err.h>
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "require.h"
#include "data_write.h"
#include "filter.h"
#include "habits.h"
#include "outfile.h"
#include "pfmon.h"
#include "profile_out.h"
#include "text.h"

#define DEFAULT_BY	"binary,symbol"

static const char usage[] =
"usage: pfmon diff [OPTION]... [[BEFORE] NOW]\n"
"\n"
"Prints which share of its samples each function has in the recording BEFORE (" DF_DEFAULT_NAME DF_OLD ")\n"
"and in NOW (" DF_DEFAULT_NAME "): what has changed most comes first.\n"
"\n"
"  -e, --event NAME      of which event, if there are several (the first one)\n"
"  -b, --by LIST         by process, thread, cpu, binary, symbol, line (of the source),\n"
"                        address, chain (of calls): any of them, separated by commas\n"
"                        (" DEFAULT_BY "; for folded and svg process,chain if there are\n"
"                        chains)\n"
"      --inline          functions that were inlined are functions of their own\n"
"      --reverse         chains from the innermost call on\n"
FILTER_USAGE
"  -f, --format FORMAT   text, json, folded (stacks, one a line, with the samples of each)\n"
"                        or svg (a flame graph of NOW: red is more, blue is less)\n"
"  -n, --lines LINES     print at most LINES lines; not for svg\n"
"  -m, --min PERCENT     print what has changed by at least PERCENT of the samples\n"
"  -o, --output FILE     print to FILE\n"
"  -h, --help            print this and exit\n";

static const struct {
	const char *name;
	void (*print)(FILE *out, const struct profile *p, const struct selection *sel);
	bool has_notes;		/* or they go to standard error */
	bool stacks;		/* calls if there are any, unless --by says more */
} formats[] = {
	{ "text", profile_text, true, false },
	{ "json", profile_json, true, false },
	{ "folded", profile_folded, false, true },
	{ "svg", profile_svg, false, true },
};

#define FORMATS	(sizeof(formats) / sizeof(formats[0]))

static struct options {
	const char *input[2];	/* before, and now */
	const char *event, *by, *output;
	bool inlined, reverse;
	size_t format;
	struct selection sel;
	struct filter filter;
} o = { .input = { DF_DEFAULT_NAME DF_OLD, DF_DEFAULT_NAME } };

enum { INLINE = 256, NO_INLINE, REVERSE };

static void __attribute__((noreturn)) bad_usage(void)
{
	fputs("Try 'pfmon diff --help'.\n", stderr);
	exit(EXIT_PFMON);
}

static size_t find_format(const char *name)
{
	size_t i;

	for (i = 0; i < FORMATS; i++)
		if (!strcmp(formats[i].name, name))
			return i;
	errx(EXIT_PFMON, "no format '%s'; there are text, json, folded, svg", name);
}

static void parse_option(int c)
{
	switch (c) {
	case 'e':
		o.event = optarg;
		break;
	case 'b':
	case 's':
		o.by = optarg;
		break;
	case INLINE:
	case NO_INLINE:
		o.inlined = c == INLINE;
		break;
	case REVERSE:
		o.reverse = true;
		break;
	case 'C':	/* perf's, of this command */
		filter_option(&o.filter, FILTER_PROCESS, optarg);
		break;
	case 'f':
		o.format = find_format(optarg);
		break;
	case 'n':
		o.sel.lines = selection_lines(optarg);
		break;
	case 'm':
		o.sel.min = selection_percent(optarg);
		break;
	case 'o':
		o.output = optarg;
		break;
	case 'h':
		fputs(usage, stdout);
		exit(fflush(stdout) ? EXIT_PFMON : 0);
	default:
		if (!filter_option(&o.filter, c, optarg))
			bad_usage();
	}
}

static void parse_options(int argc, char **argv)
{
	static const struct option longs[] = {
		{ "event", required_argument, NULL, 'e' },
		{ "by", required_argument, NULL, 'b' },
		{ "sort", required_argument, NULL, 's' },
		{ "inline", no_argument, NULL, INLINE },
		{ "no-inline", no_argument, NULL, NO_INLINE },
		{ "reverse", no_argument, NULL, REVERSE },
		{ "format", required_argument, NULL, 'f' },
		{ "lines", required_argument, NULL, 'n' },
		{ "min", required_argument, NULL, 'm' },
		{ "output", required_argument, NULL, 'o' },
		{ "help", no_argument, NULL, 'h' },
		FILTER_OPTIONS,
		{ "tid", required_argument, NULL, FILTER_THREAD },
		{ NULL, 0, NULL, 0 }
	};
	int c;

	while ((c = getopt_long(argc, argv, "e:b:s:f:n:m:o:hS:C:d:", longs, NULL)) != -1) {
		if (c == '?')
			habits_hint(argv);
		parse_option(c);
	}
	if (argc - optind > 2) {
		warnx("two recordings are compared: '%s' is one too many", argv[optind + 2]);
		bad_usage();
	}
	if (argc - optind == 2)
		o.input[0] = argv[optind++];
	if (argc > optind)
		o.input[1] = argv[optind];
	if (!strcmp(o.input[0], "-") && !strcmp(o.input[1], "-")) {
		warnx("standard input can be one of the recordings only");
		bad_usage();
	}
	if (o.sel.lines && formats[o.format].print == profile_svg) {
		warnx("-n is not for svg; --min is");
		bad_usage();
	}
}

static void read_one(struct profile *p, const char *path)
{
	char error[DATA_ERROR_MAX];

	p->filter = o.filter;
	p->inlined = o.inlined;
	p->reverse = o.reverse;
	p->prefer_chains = !o.by && formats[o.format].stacks;
	if (profile_by(p->by, o.by ? o.by : DEFAULT_BY))
		errx(EXIT_PFMON, "'%s' is not a list of process, thread, cpu, binary, symbol, line, address, chain",
		     o.by);
	if (profile_read(p, path, o.event, error))
		errx(EXIT_PFMON, "%s", error);
}

static void tell_notes(const struct profile *p, const char *path)
{
	unsigned int i;

	for (i = 0; i < p->notes && !formats[o.format].has_notes; i++)
		warnx("%s: %s", data_name(path), p->note[i]);
}

int cmd_diff(int argc, char **argv)
{
	static struct profile before, now;
	struct outfile out = { .file = stdout };

	parse_options(argc, argv);
	read_one(&before, o.input[0]);
	read_one(&now, o.input[1]);
	if (memcmp(before.by, now.by, sizeof(now.by)))
		errx(EXIT_PFMON, "one recording has call chains, the other has not: say with -b what to compare by");
	if (strcmp(before.event[before.chosen].name, now.event[now.chosen].name))
		warnx("different events are compared: %s and %s",
		      text_intern(before.event[before.chosen].name),
		      text_intern(now.event[now.chosen].name));
	profile_compare(&now, &before);
	if (o.output)
		data_spare(o.output);
	if (o.output && outfile_open(&out, o.output, 0))
		err(EXIT_PFMON, "%s", o.output);
	formats[o.format].print(out.file, &now, &o.sel);
	outfile_finish(&out, "what differs", 0);
	tell_notes(&before, o.input[0]);
	tell_notes(&now, o.input[1]);
	profile_free(&now);
	profile_free(&before);
	return 0;
}
