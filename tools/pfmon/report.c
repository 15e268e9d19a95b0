// SPDX-License-Identifier: GPL-2.0-only
/* pfmon report: what a data file of pfmon record says. */
#include <err.h>
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "require.h"
#include "data_write.h"
#include "filter.h"
#include "habits.h"
#include "outfile.h"
#include "profile_out.h"
#include "pfmon.h"
#include "pprof.h"

#define DEFAULT_BY	"process,binary,symbol"

static const char usage[] =
"usage: pfmon report [OPTION]...\n"
"\n"
"Prints where the program was when pfmon record took its samples.\n"
"\n"
"  -i, --input FILE      data file (" DF_DEFAULT_NAME "); - is standard input\n"
"  -e, --event NAME      of which event, if there are several (the first one)\n"
"  -b, --by LIST         by process, thread, cpu, binary, symbol, line (of the source),\n"
"                        address, chain (of calls): any of them, separated by commas\n"
"                        (" DEFAULT_BY "; for folded, svg and tree\n"
"                        process,chain if there are chains)\n"
"      --children        a column more: the share of the samples in it and in what it\n"
"                        called\n"
"      --calls LIST      who calls the functions with these names, and what they call\n"
"      --inline          functions that were inlined are functions of their own\n"
"      --reverse         chains from the innermost call on\n"
FILTER_USAGE
"      --percentage WORD percent of the samples that are wanted (relative), or of all\n"
"                        (absolute)\n"
"  -f, --format FORMAT   text, json, folded (stacks, one a line), svg (a flame graph),\n"
"                        tree (of calls) or pprof (for the program pprof and others\n"
"                        that read its files)\n"
"  -n, --lines LINES     print at most LINES lines; not for svg and pprof\n"
"  -m, --min PERCENT     print what has at least PERCENT of the samples\n"
"  -o, --output FILE     print to FILE\n"
"  -h, --help            print this and exit\n";

typedef void output_fn(FILE *out, const struct profile *p,
		       const struct selection *sel);

static const struct {
	const char *name;
	output_fn *print;	/* NULL: not of rows */
	output_fn *calls;	/* of --calls, NULL: they cannot be printed so */
	bool has_notes;		/* or they go to standard error */
	bool stacks;		/* calls if there are any, unless --by says more */
} formats[] = {
	{ "text", profile_text, profile_calls, true, false },
	{ "json", profile_json, profile_calls_json, true, false },
	{ "folded", profile_folded, NULL, false, true },
	{ "svg", profile_svg, NULL, false, true },
	{ "tree", profile_tree, NULL, true, true },
	{ "pprof", NULL, NULL, false, false },
};

#define FORMATS	(sizeof(formats) / sizeof(formats[0]))

struct options {
	const char *input, *event, *output;
	const char *by, *calls;
	bool children, inlined, reverse, absolute;
	size_t format;
	struct selection sel;
	struct filter filter;
};

enum { CHILDREN = 256, CALLS, INLINE, NO_INLINE, REVERSE, PERCENTAGE, CALL_GRAPH };

static void __attribute__((noreturn)) bad_usage(void)
{
	fputs("Try 'pfmon report --help'.\n", stderr);
	exit(EXIT_PFMON);
}

static size_t find_format(const char *name)
{
	size_t i;

	for (i = 0; i < FORMATS; i++)
		if (!strcmp(formats[i].name, name))
			return i;
	errx(EXIT_PFMON, "no format '%s'; there are text, json, folded, svg, tree, pprof", name);
}

/* @word has @len characters: is it this one? */
static bool is_word(const char *word, size_t len, const char *this)
{
	return strlen(this) == len && !strncmp(word, this, len);
}

/*
 * One of perf's words for how calls are printed, of a list as graph,0.5,caller. Those that
 * say nothing of what is printed here are taken, too.
 */
static bool take_graph_word(struct options *o, const char *word, size_t len)
{
	static const char *const same[] = {
		"graph", "fractal", "flat", "function", "percent", "branch",
	};
	char number[16];
	size_t i;

	for (i = 0; i < sizeof(same) / sizeof(same[0]); i++)
		if (is_word(word, len, same[i]))
			return true;
	if (is_word(word, len, "caller") || is_word(word, len, "callee")) {
		o->reverse = is_word(word, len, "callee");
		return true;
	}
	if (!len || len >= sizeof(number) || strspn(word, "0123456789.") < len)
		return false;
	snprintf(number, sizeof(number), "%.*s", (int)len, word);
	o->sel.min = selection_percent(number);
	return true;
}

static bool take_graph(struct options *o, const char *list)
{
	struct options taken = *o;
	size_t len;

	for (;; list += len + 1) {
		len = strcspn(list, ",");
		if (!take_graph_word(&taken, list, len))
			return false;
		if (!list[len])
			break;
	}
	*o = taken;
	return true;
}

/*
 * perf's -g: the calls as a tree. Its word can stand behind it, where getopt_long() does not
 * take it for one of -g.
 */
static void set_graph(struct options *o, const char *word, char **argv)
{
	o->format = find_format("tree");
	if (word && !take_graph(o, word))
		errx(EXIT_PFMON, "'%s': calls are printed as a tree, from the caller or from the callee on",
		     word);
	if (!word && argv[optind] && take_graph(o, argv[optind]))
		optind++;
}

static bool parse_percentage(const char *text)
{
	if (strcmp(text, "relative") && strcmp(text, "absolute"))
		errx(EXIT_PFMON, "percentages are relative or absolute, not '%s'", text);
	return !strcmp(text, "absolute");
}

static void parse_option(struct options *o, int c, char **argv)
{
	switch (c) {
	case 'i':
		o->input = optarg;
		break;
	case 'e':
		o->event = optarg;
		break;
	case 'b':
	case 's':
		o->by = optarg;
		break;
	case CHILDREN:
		o->children = true;
		break;
	case NO_CHILDREN:
		o->children = false;
		break;
	case CALLS:
		o->calls = optarg;
		break;
	case INLINE:
	case NO_INLINE:
		o->inlined = c == INLINE;
		break;
	case REVERSE:
		o->reverse = true;
		break;
	case PERCENTAGE:
		o->absolute = parse_percentage(optarg);
		break;
	case CALL_GRAPH:
	case 'g':
		set_graph(o, optarg, argv);
		break;
	case 'G':
		o->format = find_format("tree");
		break;
	case 'f':
		o->format = find_format(optarg);
		break;
	case 'n':
		o->sel.lines = selection_lines(optarg);
		break;
	case 'm':
		o->sel.min = selection_percent(optarg);
		break;
	case 'o':
		o->output = optarg;
		break;
	case 'h':
		fputs(usage, stdout);
		exit(fflush(stdout) ? EXIT_PFMON : 0);
	default:
		if (!filter_option(&o->filter, c, optarg))
			bad_usage();
	}
}

/* What there is but rows by names: is it asked for together with what it can be had with? */
static bool check_views(const struct options *o)
{
	const bool has_calls = formats[o->format].calls;
	const bool by_chain = o->by && strstr(o->by, dimension_names[BY_CHAIN]);

	if (o->calls && (o->by || o->children || o->reverse))
		warnx("--calls is by function: -b, --children and --reverse are not for it");
	else if ((o->calls || o->children) && !has_calls)
		warnx("--calls and --children are for text and json");
	else if (o->children && by_chain)
		warnx("--children is not by chain: a chain has all calls");
	else if (o->reverse && !by_chain && !formats[o->format].stacks)
		warnx("--reverse is for chains: folded, svg, tree or --by chain");
	else
		return true;
	return false;
}

static void parse_options(struct options *o, int argc, char **argv)
{
	static const struct option longs[] = {
		{ "input", required_argument, NULL, 'i' },
		{ "event", required_argument, NULL, 'e' },
		{ "by", required_argument, NULL, 'b' },
		{ "sort", required_argument, NULL, 's' },
		{ "format", required_argument, NULL, 'f' },
		{ "lines", required_argument, NULL, 'n' },
		{ "min", required_argument, NULL, 'm' },
		{ "percent-limit", required_argument, NULL, 'm' },
		{ "output", required_argument, NULL, 'o' },
		{ "children", no_argument, NULL, CHILDREN },
		{ "calls", required_argument, NULL, CALLS },
		{ "inline", no_argument, NULL, INLINE },
		{ "no-inline", no_argument, NULL, NO_INLINE },
		{ "reverse", no_argument, NULL, REVERSE },
		{ "percentage", required_argument, NULL, PERCENTAGE },
		{ "call-graph", optional_argument, NULL, CALL_GRAPH },
		{ "inverted", no_argument, NULL, 'G' },
		{ "stdio", no_argument, NULL, PERF_SAME },
		PERF_SAME_OPTIONS,
		{ "help", no_argument, NULL, 'h' },
		FILTER_OPTIONS,
		{ "tid", required_argument, NULL, FILTER_THREAD },
		{ NULL, 0, NULL, 0 }
	};
	int c;

	while ((c = getopt_long(argc, argv, "i:e:b:s:f:n:m:o:hgG" FILTER_SHORT "C:d:", longs,
				NULL)) != -1) {
		if (c == '?')
			habits_hint(argv);
		parse_option(o, c, argv);
	}
	if (!check_views(o))
		bad_usage();
	if (optind < argc) {
		warnx("'%s'? The data file is named with -i", argv[optind]);
		bad_usage();
	}
	if (!formats[o->format].print && (o->by || o->sel.lines || o->sel.min > 0)) {
		warnx("-b, -n and --min are not for pprof, which has all there is");
		bad_usage();
	}
	if (!formats[o->format].print && isatty(STDOUT_FILENO) &&
	    (!o->output || outfile_is_stdout(o->output))) {
		warnx("pprof is nothing for a terminal: name a file with -o");
		bad_usage();
	}
	if (o->sel.lines && formats[o->format].print == profile_svg) {
		warnx("-n is not for svg; --min is");
		bad_usage();
	}
}

int cmd_report(int argc, char **argv)
{
	static struct profile profile;
	struct options o = { .input = DF_DEFAULT_NAME };
	struct visitor visitor = { .chosen = true, .sample = pprof_sample };
	char error[DATA_ERROR_MAX];
	struct pprof *pprof = NULL;
	struct outfile out = { .file = stdout };
	output_fn *print;
	unsigned int i;

	parse_options(&o, argc, argv);
	if (!formats[o.format].print)
		visitor.arg = pprof = pprof_new();
	profile.visitor = pprof ? &visitor : NULL;
	profile.filter = o.filter;
	profile.children = o.children;
	profile.calls = o.calls;
	profile.inlined = o.inlined;
	profile.reverse = o.reverse;
	profile.absolute = o.absolute;
	profile.prefer_chains = !o.by && formats[o.format].stacks;
	if (profile_by(profile.by, o.by ? o.by : DEFAULT_BY))
		errx(EXIT_PFMON, "'%s' is not a list of process, thread, cpu, binary, symbol, line, address, chain",
		     o.by);
	if (profile_read(&profile, o.input, o.event, error))
		errx(EXIT_PFMON, "%s", error);
	if (o.output)
		data_spare(o.output);
	if (o.output && outfile_open(&out, o.output, 0))
		err(EXIT_PFMON, "%s", o.output);
	if (pprof) {
		pprof_write(pprof, &profile, out.file);
		pprof_free(pprof);
	} else {
		print = o.calls ? formats[o.format].calls : formats[o.format].print;
		print(out.file, &profile, &o.sel);
	}
	outfile_finish(&out, "the report", 0);
	for (i = 0; i < profile.notes && !formats[o.format].has_notes; i++)
		warnx("%s: %s", data_name(o.input), profile.note[i]);
	profile_free(&profile);
	return 0;
}
