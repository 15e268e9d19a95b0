// SPDX-License-Identifier: GPL-2.0-only
/*
 * pfmon annotate: the instructions of a function, and how many samples each has. A sample is
 * where the program was when the counter overflowed, or a few instructions further.
 */
#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "require.h"
#include "data_write.h"
#include "disassembly.h"
#include "filter.h"
#include "habits.h"
#include "keys.h"
#include "numbers.h"
#include "outfile.h"
#include "pfmon.h"
#include "profile_out.h"
#include "source.h"
#include "space.h"
#include "text.h"

#define NUMBER_WIDTH	9
#define CODE_COLUMN	(2 * NUMBER_WIDTH + 20)

static const char usage[] =
"usage: pfmon annotate [OPTION]... [FUNCTION]...\n"
"\n"
"Prints the instructions of the functions with these names, which can be patterns, or of\n"
"the one with the most samples: how many samples each has, and the source beside.\n"
"\n"
"  -i, --input FILE      data file (" DF_DEFAULT_NAME "); - is standard input\n"
"  -e, --event NAME      of which event, if there are several (the first one)\n"
FILTER_USAGE
"  -n, --functions N     at most N functions, those with the most samples first\n"
"      --no-source       instructions only\n"
"      --objdump FILE    the program that knows the machine's instructions (objdump)\n"
"  -f, --format FORMAT   text or json\n"
"  -o, --output FILE     print to FILE\n"
"  -h, --help            print this and exit\n";

enum { SOURCE = 256, NO_SOURCE, OBJDUMP };

static struct options {
	const char *input, *event, *output, *objdump;
	char **names;		/* of functions, up to NULL */
	const char *symbol;	/* likewise: perf's way to name them */
	size_t functions;	/* at most, 0: all */
	bool no_source, json;
} o = { .input = DF_DEFAULT_NAME, .objdump = "objdump" };

/* What keys are made of: without padding. */
struct function_key {
	const char *binary, *symbol;
	uint64_t start;
};

struct at_key {
	uint64_t function, addr;
};

struct function {
	struct function_key key;
	const struct mapping *mapping;
	uint64_t size;			/* 0: not known */
	uint64_t last;			/* address with a sample */
	uint64_t count, weight;
};

struct at_counts {
	uint64_t count, weight;
};

static struct annotating {
	struct keys functions, places;	/* struct function_key, struct at_key */
	struct function *function;
	size_t function_room;
	struct at_counts *at;		/* by place */
	size_t at_room;
	FILE *out;
	size_t printed;
} a;

static void __attribute__((noreturn)) bad_usage(void)
{
	fputs("Try 'pfmon annotate --help'.\n", stderr);
	exit(EXIT_PFMON);
}

/* Room for element @n of @size bytes; what is new is zeroes. */
static void *room_for(void *array, size_t n, size_t *room, size_t size)
{
	size_t more = *room ? *room : 64;

	if (n < *room)
		return array;
	while (more <= n)
		more *= 2;
	array = reallocarray(array, more, size);
	if (!array)
		err(EXIT_PFMON, NULL);
	memset((char *)array + *room * size, 0, (more - *room) * size);
	*room = more;
	return array;
}

static bool is_named(const struct place *place)
{
	char **name = o.names;

	if (!strcmp(place->symbol, PLACE_UNKNOWN) || !strcmp(place->symbol, PLACE_CHANGED))
		return false;
	if (o.symbol && filter_matches(o.symbol, place->symbol))
		return true;
	while (*name && !filter_matches(*name, place->symbol))
		name++;
	return *name || (name == o.names && !o.symbol);
}

static void see_sample(void *arg, struct space *space, const struct sampled_event *event,
		       const struct pmon_sample *sample)
{
	struct function_key key;
	struct function *f;
	struct place place;
	struct at_key at;
	uint64_t weight = profile_weigh(event, sample);
	size_t n;

	(void)arg;
	space_find(space, sample, &place);
	if (!is_named(&place))
		return;
	key = (struct function_key){ place.binary, place.symbol, place.addr - place.offset };
	at.function = keys_number(&a.functions, &key, sizeof(key));
	a.function = room_for(a.function, at.function, &a.function_room, sizeof(*a.function));
	f = &a.function[at.function];
	f->key = key;
	f->mapping = place.mapping;
	f->size = place.size;
	if (place.addr > f->last)
		f->last = place.addr;
	f->count += sample->count;
	add_weight(&f->weight, weight);
	at.addr = place.addr;
	n = keys_number(&a.places, &at, sizeof(at));
	a.at = room_for(a.at, n, &a.at_room, sizeof(*a.at));
	a.at[n].count += sample->count;
	add_weight(&a.at[n].weight, weight);
}

static int by_weight(const void *x, const void *y)
{
	const struct function *f = &a.function[*(const size_t *)x];
	const struct function *g = &a.function[*(const size_t *)y];
	int order;

	if (f->weight != g->weight)
		return f->weight > g->weight ? -1 : 1;
	order = strcmp(f->key.symbol, g->key.symbol);
	if (!order)
		order = strcmp(f->key.binary, g->key.binary);
	return order ? order : (f->key.start > g->key.start) - (f->key.start < g->key.start);
}

static const struct at_counts *counts_at(size_t function, uint64_t addr)
{
	const struct at_key key = { function, addr };
	size_t n;

	return keys_find(&a.places, &key, sizeof(key), &n) ? &a.at[n] : NULL;
}

/* A part of what the function has, not of all. */
static double percent_of(const struct function *f, uint64_t weight)
{
	return f->weight ? 100.0 * (double)weight / (double)f->weight : 0;
}

static void print_counts(FILE *out, const struct function *f, const struct at_counts *counts)
{
	char n[NUMBERS_MAX];

	if (counts)
		fprintf(out, "%8.2f %*s", percent_of(f, counts->weight), NUMBER_WIDTH,
			numbers_count(n, counts->count));
	else
		fprintf(out, "%8s %*s", "", NUMBER_WIDTH, "");
}

/* Where an instruction comes from, if it is not where the one before did. */
struct line {
	const char *file;
	unsigned int line;
};

static bool find_line(struct space *space, const struct function *f, uint64_t addr,
		      struct line *line)
{
	struct lines_found found;
	struct line now;

	space_lines(space, f->mapping, addr, &found);
	if (!found.frames || !found.frame[0].file)
		return false;
	now = (struct line){ found.frame[0].file, found.frame[0].line };
	if (now.file == line->file && now.line == line->line)
		return false;
	*line = now;
	return true;
}

static void print_text(struct space *space, size_t number, const struct disassembly *d,
		       uid_t owner)
{
	const struct function *f = &a.function[number];
	struct line line = { 0 };
	const struct at_counts *counts;
	const char *text, *slash;
	char n[NUMBERS_MAX];
	uint64_t left = f->count;
	size_t i;

	fprintf(a.out, "%8s %*s  %16s  code\n", "percent", NUMBER_WIDTH, "samples", "address");
	for (i = 0; i < d->n; i++) {
		if (!o.no_source && find_line(space, f, d->instruction[i].addr, &line)) {
			text = source_line(line.file, line.line, owner);
			slash = strrchr(line.file, '/');
			fprintf(a.out, "%*s%s:%u%s%s\n", CODE_COLUMN, "",
				slash ? slash + 1 : line.file, line.line,
				text && *text ? "  " : "", text ? text : "");
		}
		counts = counts_at(number, d->instruction[i].addr);
		print_counts(a.out, f, counts);
		left -= counts ? counts->count : 0;
		fprintf(a.out, "  %16" PRIx64 "    %s\n", d->instruction[i].addr,
			d->instruction[i].text);
	}
	if (left)
		fprintf(a.out, " note: %s samples are at none of these instructions\n",
			numbers_count(n, left));
	fputc('\n', a.out);
}

static void print_json(struct space *space, size_t number, const struct disassembly *d)
{
	const struct function *f = &a.function[number];
	struct line line = { 0 };
	const struct at_counts *counts;
	size_t i;

	for (i = 0; i < d->n; i++) {
		counts = counts_at(number, d->instruction[i].addr);
		fprintf(a.out, "%s\n{\"address\": \"%#" PRIx64 "\", \"samples\": %" PRIu64
			", \"percent\": %.2f, ", i ? "," : "", d->instruction[i].addr,
			counts ? counts->count : 0, counts ? percent_of(f, counts->weight) : 0);
		if (!o.no_source)
			find_line(space, f, d->instruction[i].addr, &line);
		if (line.file) {
			fputs("\"file\": ", a.out);
			text_json(a.out, line.file);
			fprintf(a.out, ", \"line\": %u, ", line.line);
		}
		fputs("\"code\": ", a.out);
		text_json(a.out, d->instruction[i].text);
		fputc('}', a.out);
	}
}

static void print_heading(const struct function *f, const struct profile *p)
{
	char n[NUMBERS_MAX], all[NUMBERS_MAX];

	if (o.json) {
		fputs(a.printed++ ? ",\n{\"function\": " : "\n{\"function\": ", a.out);
		text_json(a.out, f->key.symbol);
		fputs(", \"binary\": ", a.out);
		text_json(a.out, f->key.binary);
		fprintf(a.out, ", \"samples\": %" PRIu64 ", \"percent\": %.2f, \"code\": [",
			f->count, profile_percent(p, f->weight));
		return;
	}
	a.printed++;
	fprintf(a.out, " %s in %s: %s of %s sample%s, %.2f%%\n\n", f->key.symbol, f->key.binary,
		numbers_count(n, f->count), numbers_count(all, p->samples),
		p->samples == 1 ? "" : "s", profile_percent(p, f->weight));
}

/* A sentence without its end, NULL: it is printed. */
static const char *print_function(struct space *space, size_t number)
{
	const struct function *f = &a.function[number];
	uint64_t stop = f->size ? f->key.start + f->size : f->last + 64;
	struct disassembly d = { 0 };
	char path[PATH_MAX];
	const char *wrong;
	struct stat st;
	int fd;

	if (!f->mapping)
		return "it is in no file that is known";
	fd = space_open(space, f->mapping, path);
	if (fd < 0)
		return "its file is not there";
	if (fstat(fd, &st))
		err(EXIT_PFMON, "%s", path);
	wrong = disassemble(&d, o.objdump, fd, f->key.start, stop);
	close(fd);
	if (!wrong && o.json)
		print_json(space, number, &d);
	else if (!wrong)
		print_text(space, number, &d, st.st_uid);
	disassembly_free(&d);
	return wrong;
}

static void print_all(void *arg, struct space *space, const struct profile *p)
{
	size_t n = a.functions.n, i, *order = calloc(n + 1, sizeof(*order));
	const char *wrong;

	(void)arg;
	if (!order)
		err(EXIT_PFMON, NULL);
	for (i = 0; i < n; i++)
		order[i] = i;
	qsort(order, n, sizeof(*order), by_weight);
	if (o.json)
		profile_json_begin(a.out, p);
	else
		profile_heading(a.out, p);
	if (o.json)
		fputs("\"functions\": [", a.out);
	for (i = 0; i < n && (!o.functions || i < o.functions); i++) {
		print_heading(&a.function[order[i]], p);
		wrong = print_function(space, order[i]);
		if (o.json && wrong) {
			fputs("], \"missing\": ", a.out);
			text_json(a.out, wrong);
			fputc('}', a.out);
		} else if (o.json) {
			fputs("\n]}", a.out);
		} else if (wrong) {
			fprintf(a.out, " note: its instructions cannot be printed: %s\n\n", wrong);
		}
	}
	fputs(o.json ? "\n]}\n" : "", a.out);
	if (!o.json && !n)
		fputs(" note: there are no samples in such functions\n", a.out);
	free(order);
}

static size_t parse_number(const char *text)
{
	char *end;
	long n;

	errno = 0;
	n = strtol(text, &end, 10);
	if (errno || end == text || *end || n <= 0)
		errx(EXIT_PFMON, "'%s' is not a number of functions", text);
	return (size_t)n;
}

static void parse_option(struct profile *p, int c)
{
	switch (c) {
	case 'i':
		o.input = optarg;
		break;
	case 'e':
		o.event = optarg;
		break;
	case 's':
		o.symbol = optarg;
		break;
	case 'n':
		o.functions = parse_number(optarg);
		break;
	case SOURCE:
	case NO_SOURCE:
		o.no_source = c == NO_SOURCE;
		break;
	case OBJDUMP:
		o.objdump = optarg;
		break;
	case 'f':
		o.json = !strcmp(optarg, "json");
		if (!o.json && strcmp(optarg, "text"))
			errx(EXIT_PFMON, "no format '%s'; there are text, json", optarg);
		break;
	case 'o':
		o.output = optarg;
		break;
	case 'h':
		fputs(usage, stdout);
		exit(fflush(stdout) ? EXIT_PFMON : 0);
	default:
		if (!filter_option(&p->filter, c, optarg))
			bad_usage();
	}
}

static void parse_options(struct profile *p, int argc, char **argv)
{
	static const struct option longs[] = {
		{ "input", required_argument, NULL, 'i' },
		{ "event", required_argument, NULL, 'e' },
		{ "functions", required_argument, NULL, 'n' },
		{ "source", no_argument, NULL, SOURCE },
		{ "no-source", no_argument, NULL, NO_SOURCE },
		{ "objdump", required_argument, NULL, OBJDUMP },
		{ "format", required_argument, NULL, 'f' },
		{ "output", required_argument, NULL, 'o' },
		{ "stdio", no_argument, NULL, PERF_SAME },
		{ "print-line", no_argument, NULL, PERF_SAME },
		{ "help", no_argument, NULL, 'h' },
		FILTER_OPTIONS,
		{ "tid", required_argument, NULL, FILTER_THREAD },
		{ NULL, 0, NULL, 0 }
	};
	int c;

	while ((c = getopt_long(argc, argv, "i:e:n:f:o:hls:" FILTER_SHORT "C:d:", longs,
				NULL)) != -1) {
		if (c == '?')
			habits_hint(argv);
		if (c != 'l')
			parse_option(p, c);
	}
	o.names = argv + optind;
	/* Of all there are too many. */
	if (!*o.names && !o.symbol && !p->filter.symbol && !o.functions)
		o.functions = 1;
}

int cmd_annotate(int argc, char **argv)
{
	static const struct visitor visitor = {
		.chosen = true, .sample = see_sample, .end = print_all,
	};
	struct outfile out = { .file = stdout };
	static struct profile profile = { .visitor = &visitor };
	char error[DATA_ERROR_MAX];
	unsigned int i;

	parse_options(&profile, argc, argv);
	if (o.output)
		data_spare(o.output);
	if (o.output && outfile_open(&out, o.output, 0))
		err(EXIT_PFMON, "%s", o.output);
	a.out = out.file;
	if (profile_read(&profile, o.input, o.event, error))
		errx(EXIT_PFMON, "%s", error);
	outfile_finish(&out, "the instructions", 0);
	for (i = 0; i < profile.notes; i++)
		warnx("%s: %s", data_name(o.input), profile.note[i]);
	profile_free(&profile);
	keys_free(&a.functions);
	keys_free(&a.places);
	free(a.function);
	free(a.at);
	return 0;
}
