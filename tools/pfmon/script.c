// SPDX-License-Identifier: GPL-2.0-only
/*
 * pfmon script: the samples of a data file one by one, as perf-script(1) prints those
 * of perf: for the many programs that read that.
 */
#include <err.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "require.h"
#include "data_write.h"
#include "filter.h"
#include "habits.h"
#include "outfile.h"
#include "pfmon.h"
#include "profile.h"
#include "raw.h"
#include "space.h"
#include "text.h"

static const char usage[] =
"usage: pfmon script [OPTION]...\n"
"\n"
"Prints the samples that pfmon record took, one by one in the order of time, as\n"
"perf script does.\n"
"\n"
"  -i, --input FILE      data file (" DF_DEFAULT_NAME "); - is standard input\n"
FILTER_USAGE
"      --raw             print blocks of samples as they are, of all formats\n"
"  -o, --output FILE     print to FILE\n"
"  -h, --help            print this and exit\n";

enum { RAW = 1024 };

static void __attribute__((noreturn)) bad_usage(void)
{
	fputs("Try 'pfmon script --help'.\n", stderr);
	exit(EXIT_PFMON);
}

/* Programs know the kernel by this name. */
static const char *binary_name(const struct place *place)
{
	return strcmp(place->binary, "[kernel]") ? place->binary : "[kernel.kallsyms]";
}

/*
 * "IP SYMBOL+0xOFFSET (BINARY)"; @behind is how many bytes @ip is behind the place that
 * was looked up.
 */
static void print_place(FILE *out, uint64_t ip, const struct place *place, uint64_t behind)
{
	fprintf(out, "%16" PRIx64 " %s", ip, place->symbol);
	if (strcmp(place->symbol, PLACE_UNKNOWN) && strcmp(place->symbol, PLACE_CHANGED))
		fprintf(out, "+0x%" PRIx64, place->offset + behind);
	fprintf(out, " (%s)\n", binary_name(place));
}

/*
 * From the innermost call on. A return address is behind the call, which can be the
 * next function: it is looked up one byte before that.
 */
static void print_chain(FILE *out, struct space *space, const struct pmon_sample *sample)
{
	unsigned int n = sample->kernel + sample->user, i;
	struct pmon_sample call = *sample;
	struct place place;

	if (!n || sample->chain[0] != sample->ip) {
		space_find(space, &call, &place);
		fputc('\t', out);
		print_place(out, call.ip, &place, 0);
	}
	for (i = 0; i < n; i++) {
		unsigned int behind = i && i != sample->kernel;

		call.ip = sample->chain[i] - behind;
		space_find(space, &call, &place);
		fputc('\t', out);
		print_place(out, sample->chain[i], &place, behind);
	}
	fputc('\n', out);
}

static void print_sample(void *arg, struct space *space, const struct sampled_event *event,
			 const struct pmon_sample *sample)
{
	bool has_chain = sample->kernel + sample->user;
	uint64_t us = sample->time / 1000;
	struct place place;
	FILE *out = arg;

	space_find(space, sample, &place);
	fprintf(out, has_chain ? "%s " : "%16s ", place.process);
	fprintf(out, "%5d ", sample->tid);
	if (sample->cpu >= 0)
		fprintf(out, "[%03d] ", sample->cpu);
	fprintf(out, "%5" PRIu64 ".%06" PRIu64 ": %10" PRIu64 " %s: ", us / 1000000,
		us % 1000000, sampled_events(event, sample), text_intern(event->name));
	if (has_chain) {
		fputc('\n', out);
		print_chain(out, space, sample);
	} else {
		print_place(out, sample->ip, &place, 0);
	}
}

int cmd_script(int argc, char **argv)
{
	static const struct option longs[] = {
		{ "input", required_argument, NULL, 'i' },
		{ "output", required_argument, NULL, 'o' },
		{ "raw", no_argument, NULL, RAW },
		{ "help", no_argument, NULL, 'h' },
		FILTER_OPTIONS,
		{ "tid", required_argument, NULL, FILTER_THREAD },
		{ NULL, 0, NULL, 0 }
	};
	const char *input = DF_DEFAULT_NAME, *output = NULL;
	struct outfile out = { .file = stdout };
	static struct profile profile;
	char error[DATA_ERROR_MAX];
	struct visitor visitor = { .sample = print_sample };
	bool raw = false;
	unsigned int i;
	int c;

	while ((c = getopt_long(argc, argv, "i:o:h" FILTER_SHORT "C:", longs, NULL)) != -1) {
		switch (c) {
		case 'i':
			input = optarg;
			break;
		case 'o':
			output = optarg;
			break;
		case RAW:
			raw = true;
			break;
		case 'h':
			fputs(usage, stdout);
			return fflush(stdout) ? EXIT_PFMON : 0;
		case '?':
			habits_hint(argv);
			bad_usage();
		default:
			if (!filter_option(&profile.filter, c, optarg))
				bad_usage();
		}
	}
	if (optind < argc) {
		warnx("'%s'? The data file is named with -i", argv[optind]);
		bad_usage();
	}
	if (output)
		data_spare(output);
	if (output && outfile_open(&out, output, 0))
		err(EXIT_PFMON, "%s", output);
	if (raw) {
		raw_print(input, out.file);
		outfile_finish(&out, "the blocks", 0);
		return 0;
	}
	visitor.arg = out.file;
	profile.visitor = &visitor;
	if (profile_read(&profile, input, NULL, error))
		errx(EXIT_PFMON, "%s", error);
	outfile_finish(&out, "the samples", 0);
	for (i = 0; i < profile.notes; i++)
		warnx("%s: %s", data_name(input), profile.note[i]);
	profile_free(&profile);
	return 0;
}
