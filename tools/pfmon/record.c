// SPDX-License-Identifier: GPL-2.0-only
/* pfmon record: samples a command, a process or CPUs into a data file. */
#include <err.h>
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <perfmon/libperfmon.h>

#include "archive.h"
#include "numbers.h"
#include "habits.h"
#include "hardware.h"
#include "pfmon.h"
#include "raw.h"
#include "recording.h"
#include "rotate.h"
#include "target.h"
#include "turns.h"

#define DEFAULT_EVENT	"task-clock"
#define DEFAULT_BUFFER	65536
#define STACKS_BUFFER	524288	/* of -g dwarf */
#define TREE_BUFFER	16384	/* in smaller ones there is no room for what is mapped */

static const char usage[] =
"usage: pfmon record [OPTION]... [--] COMMAND [ARGUMENT]...\n"
"       pfmon record [OPTION]... -p PID [-- COMMAND [ARGUMENT]...]\n"
"       pfmon record [OPTION]... -a [-- COMMAND [ARGUMENT]...]\n"
"\n"
"Samples COMMAND with all its threads and child processes: records at regular\n"
"intervals where it is, for 'pfmon report'. With -p, -t, -a or -C it samples\n"
"processes, threads or whole CPUs while COMMAND runs, or until Ctrl-C.\n"
"\n"
"  -e, --event LIST     events to sample, separated by commas (task-clock); each -e\n"
"                       at the same time if the counters are enough for it\n"
"  -c, --count PERIOD   take a sample each PERIOD events (clocks: nanoseconds)\n"
"  -F, --freq FREQ      take FREQ samples a second, with periods that follow the event\n"
"                       (1000, of a clock)\n"
"  -R, --random MASK    shorten each period by a random number, of which only\n"
"                       the bits in MASK are used; 0: all are the same (random, about\n"
"                       half as long to one and a half times)\n"
"  -r, --read LIST      events to count, or registers to read, at each sample\n"
"  -f, --format NAME    sampling format (calldouble without calls, of a command or one\n"
"                       process; else double, or default where the kernel does not have\n"
"                       that); or UUID[:ARGUMENT]\n"
"  -b, --buffer BYTES   size of each thread's or CPU's buffer (64K; -g dwarf: 512K)\n"
"  -g, --call-graph     the calls that led there, too, by frame pointers: the same as\n"
"                       -f calldouble, or callchain where the kernel does not have that\n"
"  -g dwarf[,BYTES]     the calls of programs without frame pointers: each sample has\n"
"                       BYTES of the stack, of which pfmon report makes them (8192)\n"
TARGET_USAGE("  ")
"      --wait           wait for counters, threads and CPUs that others have\n"
"  -o, --output FILE    data file (" DF_DEFAULT_NAME "); - is standard output, and then\n"
"                       what COMMAND prints goes to standard error\n"
"  -z, --compress[=LEVEL]\n"
"                       compress the data file, from 1, the fastest, to 22, the smallest\n"
"                       (1)\n"
"      --switch-output[=SIZE|TIME|signal]\n"
"                       a file OUTPUT.TIME each SIZE (B, K, M, G), TIME (s, m, h, d) or\n"
"                       SIGUSR2, complete by itself\n"
"      --switch-max-files N\n"
"                       and of these keep the last N\n"
"      --switch-timeout MS\n"
"                       make a set of each -e; the sets take turns of MS\n"
"                       milliseconds (1, if the counters are not enough)\n"
"      --switch-overflow EVENT=N\n"
"                       likewise, and each turn ends after N of EVENT\n"
"      --no-multiplex   refuse more events than there are counters\n"
"      --no-names       do not keep the names of functions in the file\n"
"      --archive        copy the files that OUTPUT names, as pfmon archive does\n"
"  -h, --help           print this and exit\n"
"\n";

struct options {
	struct sampling sampling;
	struct target target;
	uint64_t period, frequency;	/* 0: not given */
	unsigned int reads;
	const char *read[MAX_READINGS];	/* lists of -r: after those of -e */
	const char *output;
	bool calls;			/* -g */
	bool no_names;
	bool archive;
	int level;			/* of -z, 0: not given */
	struct turn_options turns;
	struct rotation rotation;
};

static void __attribute__((noreturn)) bad_usage(void)
{
	fputs("Try 'pfmon record --help'.\n", stderr);
	exit(EXIT_PFMON);
}

static void add_events(struct options *o, const char *list)
{
	char error[EVENTS_ERROR_MAX];

	if (counters_add(&o->sampling.counters, list, error))
		errx(EXIT_PFMON, "%s", error);
}

static void set_format(struct options *o, const char *name)
{
	const char *wrong = raw_format(name, &o->sampling.format, &o->sampling.arg,
				       &o->sampling.arg_size);

	if (wrong)
		errx(EXIT_PFMON, "'%s': %s", name, wrong);
	if (!o->sampling.format)
		o->sampling.format = pmon_format_find(name);
	if (o->sampling.format)
		return;
	warnx("no sampling format '%s'", name);
	smpl_print(stderr);
	exit(EXIT_PFMON);
}

static void add_read(struct options *o, const char *list)
{
	if (o->reads == MAX_READINGS)
		errx(EXIT_PFMON, "too many -r");
	o->read[o->reads++] = list;
}

static void __attribute__((noreturn)) print_help(void)
{
	fputs(usage, stdout);
	events_print(stdout);
	smpl_print(stdout);
	exit(fflush(stdout) ? EXIT_PFMON : 0);
}

enum { CALL_GRAPH = 256, SWITCH_TIMEOUT, SWITCH_OVERFLOW, NO_MULTIPLEX,
       NO_NAMES, ARCHIVE, SWITCH_OUTPUT, SWITCH_MAX_FILES };

/*
 * The word that perf has behind --call-graph, which getopt_long() takes for the command if
 * there is no = between them; -g has it, too.
 */
static void set_calls(struct options *o, const char *word, char **argv)
{
	static const char *const words[] = { "fp", "dwarf", "lbr" };
	size_t i, len;

	for (i = 0; !word && argv[optind] && i < sizeof(words) / sizeof(words[0]); i++) {
		len = strlen(words[i]);
		if (!strncmp(argv[optind], words[i], len) && strchr(",", argv[optind][len]))
			word = argv[optind++];
	}
	o->calls = true;
	o->sampling.stack = 0;
	if (!word || !strcmp(word, "fp"))
		return;
	if (!strncmp(word, "dwarf", 5) && strchr(",", word[5]))
		o->sampling.stack = sampling_stack(word[5] ? word + 6 : NULL);
	else
		errx(EXIT_PFMON, "--call-graph %s: calls are followed by frame pointers (fp), or by what compilers say of stacks (dwarf)",
		     word);
}

static void parse_option(struct options *o, int c, char **argv)
{
	switch (c) {
	case 'e':
		add_events(o, optarg);
		break;
	case 'c':
		o->period = sampling_number(optarg, "a period", INT64_MAX);
		break;
	case 'F':
		o->frequency = sampling_number(optarg, "a frequency", 1000000000);
		break;
	case 'R':
		sampling_random(&o->sampling, optarg);
		break;
	case 'r':
		add_read(o, optarg);
		break;
	case 'f':
		set_format(o, optarg);
		o->calls = false;
		o->sampling.stack = 0;
		break;
	case CALL_GRAPH:
	case 'g':
		set_calls(o, c == 'g' ? NULL : optarg, argv);
		break;
	case 'b':
		o->sampling.buffer_size = sampling_number(optarg,
			"a buffer's size of at most 128M", SAMPLING_BUFFER_MAX);
		break;
	case 'o':
		o->output = optarg;
		break;
	case 'z':
		o->level = optarg ? (int)sampling_number(optarg, "a level of compression",
							 COMPRESS_LEVEL_MAX) : COMPRESS_LEVEL;
		break;
	case SWITCH_TIMEOUT:
		turns_set_timeout(&o->turns, optarg);
		break;
	case SWITCH_OVERFLOW:
		o->turns.trigger = optarg;
		break;
	case SWITCH_OUTPUT:
		rotate_option(&o->rotation, optarg);
		break;
	case SWITCH_MAX_FILES:
		o->rotation.most = sampling_number(optarg, "a number of files", 1000000);
		break;
	case NO_MULTIPLEX:
		o->turns.no_multiplex = true;
		break;
	case NO_NAMES:
	case 'N':
		o->no_names = true;
		break;
	case ARCHIVE:
		o->archive = true;
		break;
	case 'h':
		print_help();
	default:
		bad_usage();
	}
}

static void parse_options(struct options *o, int argc, char **argv)
{
	static const struct option longs[] = {
		{ "event", required_argument, NULL, 'e' },
		{ "count", required_argument, NULL, 'c' },
		{ "freq", required_argument, NULL, 'F' },
		{ "random", required_argument, NULL, 'R' },
		{ "read", required_argument, NULL, 'r' },
		{ "format", required_argument, NULL, 'f' },
		{ "call-graph", optional_argument, NULL, CALL_GRAPH },
		{ "buffer", required_argument, NULL, 'b' },
		TARGET_OPTIONS,
		{ "output", required_argument, NULL, 'o' },
		{ "compress", optional_argument, NULL, 'z' },
		{ "compression-level", optional_argument, NULL, 'z' },
		{ "switch-output", optional_argument, NULL, SWITCH_OUTPUT },
		{ "switch-max-files", required_argument, NULL, SWITCH_MAX_FILES },
		{ "switch-timeout", required_argument, NULL, SWITCH_TIMEOUT },
		{ "switch-overflow", required_argument, NULL, SWITCH_OVERFLOW },
		{ "no-multiplex", no_argument, NULL, NO_MULTIPLEX },
		{ "no-names", no_argument, NULL, NO_NAMES },
		{ "archive", no_argument, NULL, ARCHIVE },
		{ "no-buildid-cache", no_argument, NULL, NO_NAMES },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 }
	};
	int c;

	while ((c = getopt_long(argc, argv, "+" TARGET_SHORT "e:c:F:R:r:f:gb:o:z::hN", longs,
				NULL)) != -1) {
		if (c == '?')
			habits_hint(argv);
		if (!target_option(&o->target, c, optarg))
			parse_option(o, c, argv);
	}
	if (optind < argc)
		o->target.command = argv + optind;
	if (!target_check(&o->target, "sampled"))
		bad_usage();
	if (o->period && o->frequency) {
		warnx("-c and -F exclude each other");
		bad_usage();
	}
	if (!turns_check(&o->turns))
		bad_usage();
	if (o->archive && (o->rotation.on || (o->output && outfile_is_stdout(o->output)))) {
		warnx("--archive is for one file: call pfmon archive for others");
		bad_usage();
	}
	if (o->rotation.most && !o->rotation.on) {
		warnx("--switch-max-files is for --switch-output");
		bad_usage();
	}
}

/* An event is counted; a name that the kernel gave is a register's. */
static void add_reading(struct sampling *s, const char *name)
{
	char error[EVENTS_ERROR_MAX];
	int pmd;

	unsigned int n = s->counters.n;

	if (!counters_add(&s->counters, name, error)) {
		for (; n < s->counters.n; n++)
			s->counters.c[n].everywhere = true;
		return;
	}
	pmd = pfm_pmd_number(name);
	if (pmd < 0)
		errx(EXIT_PFMON, "%s, or a register of pfmon info", error);
	if (s->registers == MAX_READINGS - MAX_COUNTERS)
		errx(EXIT_PFMON, "too many registers to read");
	s->reg[s->registers++] = (uint16_t)pmd;
}

static void set_readings(struct options *o)
{
	char *list, *name, *rest;
	unsigned int i;

	for (i = 0; i < o->reads; i++) {
		list = strdup(o->read[i]);
		if (!list)
			err(EXIT_PFMON, NULL);
		for (name = strtok_r(list, ",", &rest); name;
		     name = strtok_r(NULL, ",", &rest))
			add_reading(&o->sampling, name);
		free(list);
	}
}

/* The one that goes on while it is read, if it is there; @calls: one that has calls. */
static const struct pmon_format *find_format(const struct sampling *s, bool calls)
{
	const struct pmon_format *format = pmon_format_find(calls ? "calldouble" : "double");

	return s->stack || sampling_is_there(format, s->buffer_size) ? format :
	       pmon_format_find(calls ? "callchain" : "default");
}

/* @plain: without -f and -g, samples of a tree have no calls, but the kernel's records beside them. */
static void choose_tree(struct options *o, bool plain)
{
	struct sampling *s = &o->sampling;
	const struct pmon_format *format = s->format;

	/* What the kernel has recorded for one file is not in the next one. */
	plain &= s->buffer_size >= TREE_BUFFER && !o->rotation.on;
	if (plain) {
		s->format = pmon_format_find("calldouble");
		s->no_calls = true;
	}
	o->target.joins = sampling_joins(s, &o->target);
	if (plain && !o->target.joins) {
		s->format = format;
		s->no_calls = s->forks = false;
	}
}

static void explain_loss(const struct recording *rec)
{
	const struct df_lost *lost = &rec->lost;
	char full[NUMBERS_MAX], ms[NUMBERS_MAX];

	if (lost->estimated)
		fprintf(stderr, " note: sampling stopped %s time%s for a full buffer, for %s ms together: the samples of that time are lost; use a larger buffer (-b)\n",
			numbers_count(full, lost->full), lost->full == 1 ? "" : "s",
			numbers_ms(ms, lost->masked_ns));
	if (lost->samples)
		fprintf(stderr, " note: %s sample%s lost because the buffer was full: use a larger one (-b)\n",
			numbers_count(full, lost->samples),
			lost->samples == 1 ? " was" : "s were");
	if (lost->maps)
		fprintf(stderr, " note: %s mmap or exec record%s lost: use a larger buffer (-b)\n",
			numbers_count(full, lost->maps),
			lost->maps == 1 ? " was" : "s were");
	if (lost->messages)
		fprintf(stderr, " note: the kernel could not queue %s messages\n",
			numbers_count(full, lost->messages));
	if (lost->throttled)
		fprintf(stderr, " note: sampling was too fast and was stopped %s time%s: a %s%s is needed\n",
			numbers_count(full, lost->throttled),
			lost->throttled == 1 ? "" : "s",
			rec->sampling->frequency ? "lower frequency (-F)" :
						   "larger period (-c)",
			rec->sampling->counters.trigger.event ?
			", or more events for --switch-overflow," : "");
}

/* There cannot be more samples than events. */
static void explain_rates(const struct recording *rec)
{
	const struct sampling *s = rec->sampling;
	char n[NUMBERS_MAX];
	unsigned int i;

	for (i = 0; i < s->sampled; i++) {
		const struct rate *r = &rec->rate[i];

		if (s->adapts[i] && r->counted_ns && (double)r->events * 1e9 <
		    (double)r->counted_ns * (double)s->frequency)
			fprintf(stderr, " note: %s came less often than %s times a second: most are samples, and more there cannot be\n",
				s->counters.c[i].name, numbers_count(n, s->frequency));
	}
}

static void print_summary(const struct recording *rec, const char *path,
			  uint64_t bytes)
{
	char samples[NUMBERS_MAX], lost[NUMBERS_MAX], size[NUMBERS_MAX];
	unsigned int i;

	if (rec->progress)
		fprintf(stderr, "\r%60s\r", "");
	if (pmon_format_find_uuid(rec->sampling->format->uuid))
		fprintf(stderr, "%s sample%s, %s lost, %s, %s bytes\n",
			numbers_count(samples, rec->samples), rec->samples == 1 ? "" : "s",
			numbers_lost(lost, rec->lost.samples, rec->lost.estimated), path,
			numbers_count(size, bytes));
	else
		fprintf(stderr, "%s block%s of samples of the format %s, %s, %s bytes\n",
			numbers_count(samples, rec->blocks), rec->blocks == 1 ? "" : "s",
			rec->sampling->format->name, path, numbers_count(size, bytes));
	if (rec->packer)
		fprintf(stderr, " note: %s bytes of records are compressed to %s\n",
			numbers_count(samples, rec->packer->from), numbers_count(size, rec->packer->to));
	explain_loss(rec);
	explain_rates(rec);
	sampling_remarks(stderr, rec->sampling);
	for (i = 0; i < rec->result.notes; i++)
		fprintf(stderr, " note: %s\n", rec->result.note[i]);
}

static void archive(const char *path)
{
	char *dir = archive_of(path);

	archive_make(path, dir, stderr);
	free(dir);
}

int cmd_record(int argc, char **argv)
{
	static struct options o;
	static struct recording rec;
	const char *path;
	bool plain;
	int status;

	hardware_find();
	o.sampling.counters.many = true;
	parse_options(&o, argc, argv);
	if (!o.sampling.counters.n)
		add_events(&o, DEFAULT_EVENT);
	sampling_periods(&o.sampling, o.period, o.frequency);
	set_readings(&o);
	turns_check_cpus(&o.turns, o.target.cpu_list.n);
	perfmon_require();
	if (!o.sampling.buffer_size)
		o.sampling.buffer_size = o.sampling.stack ? STACKS_BUFFER : DEFAULT_BUFFER;
	plain = !o.calls && !o.sampling.format;
	if (o.calls || plain) {
		o.sampling.format = find_format(&o.sampling, o.calls);
		o.sampling.arg = NULL;
	}
	sampling_check_buffer(&o.sampling);
	target_place(&o.target, &o.turns, &o.sampling.counters);
	choose_tree(&o, plain);
	if (!o.output)
		o.output = DF_DEFAULT_NAME;
	path = o.output;
	o.target.child.to_stderr = outfile_is_stdout(o.output);
	if (outfile_is_stdout(o.output) && isatty(STDOUT_FILENO)) {
		warnx("a recording is nothing for a terminal: name a file, or have another program read it");
		bad_usage();
	}

	if (o.rotation.on) {
		if (o.sampling.counters.sets > 1)
			errx(EXIT_PFMON, "--switch-output: events that take turns have their times at the end of the recording, and so cannot be in several files");
		path = rotate_begin(&o.rotation, o.output);
		rec.rotation = &o.rotation;
	}
	rec.result.ops = &sampling_ops;
	rec.result.counters = &o.sampling.counters;
	if (o.level && !compress_is_there)
		errx(EXIT_PFMON, "-z: this pfmon was built without zstd, and cannot compress");
	rec.packer = o.level ? data_packer_new(o.level) : NULL;
	if (o.level && !rec.packer)
		err(EXIT_PFMON, NULL);
	rec.no_names = o.no_names;
	rec.progress = isatty(STDERR_FILENO);
	target_title(&o.target, &rec.result);
	if (recording_begin(&rec, &o.sampling, path)) {
		if (errno == EEXIST)
			errx(EXIT_PFMON, "%s or %s" DF_OLD " is there and is no file of pfmon record, or not yours: name another one with -o",
			     o.output, o.output);
		err(EXIT_PFMON, "%s", o.output);
	}
	status = target_measure(&o.target, &rec.result);
	/* Of a command that never ran there is nothing to keep. */
	if (o.target.exec_errno) {
		outfile_drop(&rec.data.out);
		return status;
	}
	if (recording_end(&rec, status))
		outfile_fail(&rec.data.out, o.output, status);
	if (rec.rotation)
		fprintf(stderr, "%" PRIu64 " files, %" PRIu64 " bytes; the last one is\n",
			o.rotation.files, o.rotation.written);
	print_summary(&rec, rec.rotation ? o.rotation.last : outfile_is_stdout(o.output) ? "standard output" : o.output,
		      rec.data.bytes);
	if (o.archive)
		archive(o.output);
	return status;
}
