// SPDX-License-Identifier: GPL-2.0-only
/*
 * pfmon top: where a command, a process or CPUs are, live.
 *
 * It is a recording whose data file is in memory, and a report of what was added to it
 * since the last look; what the report has seen is given back. Samples of threads and CPUs are
 * counted in the kernel's tables, of which one is read while the other is filled: nothing is
 * lost between two looks, however many samples there are. Those of a tree come one by one, with
 * the kernel's records of what is mapped, executed and forked.
 */
#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <perfmon/libperfmon.h>

#include "filter.h"
#include "habits.h"
#include "hardware.h"
#include "profile_out.h"
#include "pfmon.h"
#include "recording.h"
#include "signals.h"
#include "target.h"
#include "terminal.h"
#include "turns.h"
#include "watch.h"

#define DEFAULT_EVENT	"task-clock"
#define DEFAULT_BY	"process,binary,symbol"
#define BUFFER		(512 << 10)	/* of a thread or CPU; or, if that is too much ... */
#define BUFFER_SMALL	(64 << 10)
#define DELAY_MIN	0.1		/* seconds */
#define DELAY_MAX	86400.0
#define AROUND		6		/* lines that are no rows */

static const char usage[] =
"usage: pfmon top [OPTION]... [--] COMMAND [ARGUMENT]...\n"
"       pfmon top [OPTION]... -p PID [-- COMMAND [ARGUMENT]...]\n"
"       pfmon top [OPTION]... -a [-- COMMAND [ARGUMENT]...]\n"
"\n"
"Shows where COMMAND with its threads and child processes, processes, threads or\n"
"whole CPUs are, as 'pfmon report' does of a recording: each time what was sampled\n"
"since the last. The key q ends it, as Ctrl-C does.\n"
"\n"
"  -e, --event NAME      the event to sample (" DEFAULT_EVENT ")\n"
"  -c, --count PERIOD    take a sample each PERIOD events (clocks: nanoseconds)\n"
"  -F, --freq FREQ       take FREQ samples a second (1000, of a clock)\n"
"  -R, --random MASK     the random part of periods, as of 'pfmon record' (chosen by\n"
"                        the period)\n"
TARGET_USAGE("   ")
"      --wait            wait for counters, threads and CPUs that others have\n"
"  -b, --by LIST         by process, thread, cpu, binary, symbol, address, chain (of\n"
"                        calls): any of them, separated by commas\n"
"                        (" DEFAULT_BY ")\n"
"      --children        a column more: the share of the samples in it and in what it\n"
"                        called\n"
FILTER_USAGE_NAMES
"      --thread LIST     only those of threads with these numbers\n"
"  -d, --delay SECONDS   show it each SECONDS seconds (1)\n"
"  -B, --batch           one report after the other: the same as when standard output\n"
"                        or input is no terminal\n"
"  -n, --times TIMES     end after so many\n"
"  -h, --help            print this and exit\n";

static struct options {
	struct sampling sampling;
	struct target target;
	uint64_t period, frequency;	/* 0: not given */
	const char *by;
	struct filter filter;
	double delay;
	uint64_t times;			/* 0: not given */
	bool batch;
} o = { .by = DEFAULT_BY, .delay = 1 };

static struct recording rec;
static struct profile profile;
static struct loading *loading;
static int memory = -1;		/* the data file */
static uint64_t shown;

static void __attribute__((noreturn)) bad_usage(void)
{
	fputs("Try 'pfmon top --help'.\n", stderr);
	exit(EXIT_PFMON);
}

static double parse_delay(const char *text)
{
	char *end;
	double n;

	errno = 0;
	n = strtod(text, &end);
	if (errno || end == text || *end || !(n >= DELAY_MIN && n <= DELAY_MAX))
		errx(EXIT_PFMON, "'%s' is not a number of seconds from %g to %g", text,
		     DELAY_MIN, DELAY_MAX);
	return n;
}

static void add_events(const char *list)
{
	char error[EVENTS_ERROR_MAX];

	if (counters_add(&o.sampling.counters, list, error))
		errx(EXIT_PFMON, "%s", error);
}

enum { CHILDREN = 256 };

static void parse_option(int c)
{
	switch (c) {
	case 'e':
		add_events(optarg);
		break;
	case 'c':
		o.period = sampling_number(optarg, "a period", INT64_MAX);
		break;
	case 'F':
		o.frequency = sampling_number(optarg, "a frequency", 1000000000);
		break;
	case 'R':
		sampling_random(&o.sampling, optarg);
		break;
	case 'b':
	case 's':
		o.by = optarg;
		break;
	case CHILDREN:
		profile.children = true;
		break;
	case NO_CHILDREN:
		profile.children = false;
		break;
	case 'd':
		o.delay = parse_delay(optarg);
		break;
	case 'B':
		o.batch = true;
		break;
	case 'n':
		o.times = sampling_number(optarg, "a number of times", INT64_MAX);
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
		{ "count", required_argument, NULL, 'c' },
		{ "freq", required_argument, NULL, 'F' },
		{ "random", required_argument, NULL, 'R' },
		TARGET_OPTIONS,
		{ "by", required_argument, NULL, 'b' },
		{ "sort", required_argument, NULL, 's' },
		{ "children", no_argument, NULL, CHILDREN },
		{ "delay", required_argument, NULL, 'd' },
		{ "batch", no_argument, NULL, 'B' },
		{ "stdio", no_argument, NULL, 'B' },
		PERF_SAME_OPTIONS,
		{ "times", required_argument, NULL, 'n' },
		{ "help", no_argument, NULL, 'h' },
		FILTER_OPTIONS,
		{ NULL, 0, NULL, 0 }
	};
	int c;

	while ((c = getopt_long(argc, argv, "+" TARGET_SHORT "e:c:F:R:b:s:d:Bn:h", longs,
				NULL)) != -1) {
		if (c == '?')
			habits_hint(argv);
		if (!target_option(&o.target, c, optarg))
			parse_option(c);
	}
	if (optind < argc)
		o.target.command = argv + optind;
	if (!target_check(&o.target, "sampled"))
		bad_usage();
	if (o.period && o.frequency) {
		warnx("-c and -F exclude each other");
		bad_usage();
	}
	if (o.filter.from_ns || o.filter.to_ns) {
		warnx("--time is for recordings");
		bad_usage();
	}
	if (profile_by(profile.by, o.by))
		errx(EXIT_PFMON, "'%s' is not a list of process, thread, cpu, binary, symbol, address, chain",
		     o.by);
	if (profile.by[BY_LINE]) {
		warnx("lines of the source are for recordings");
		bad_usage();
	}
	if (profile.children && profile.by[BY_CHAIN]) {
		warnx("--children is not by chain: a chain has all calls");
		bad_usage();
	}
}

/* A command, or a process, as a tree, if the kernel can do that: with its records of forks. */
static bool choose_tree(struct sampling *s)
{
	s->format = pmon_format_find("calldouble");
	s->no_calls = !profile.children && !profile.by[BY_CHAIN];
	s->buffer_size = BUFFER;
	o.target.joins = sampling_joins(s, &o.target);
	if (!o.target.joins) {
		s->buffer_size = BUFFER_SMALL;
		o.target.joins = sampling_joins(s, &o.target);
	}
	if (!o.target.joins)
		s->no_calls = s->forks = false;
	return o.target.joins;
}

/*
 * Of threads and CPUs the tables if the kernel has them for us, else what every kernel has; so,
 * too, where each sample has a period of its own, which tables have no room for.
 */
static void choose_format(struct sampling *s)
{
	const struct pmon_format *tables = pmon_format_find("callaggregate");

	rec.live = choose_tree(s);
	if (rec.live)
		return;
	s->format = tables;
	s->buffer_size = BUFFER;
	if (!s->adapts[0] && sampling_is_there(tables, s->buffer_size))
		return;
	s->buffer_size = BUFFER_SMALL;
	if (s->adapts[0] || !sampling_is_there(tables, s->buffer_size))
		s->format = pmon_format_find("default");
}

static void end(struct result *result)
{
	result->over = true;
	signals_end_child();
}

/* Without its first line, which is empty. */
static char *make_report(const struct selection *sel)
{
	char *text, now[16];
	time_t t = time(NULL);
	size_t len;
	FILE *f = open_memstream(&text, &len);

	if (!f)
		err(EXIT_PFMON, NULL);
	strftime(now, sizeof(now), "%H:%M:%S", localtime(&t));
	fprintf(f, " pfmon top, %s, each %g s%s", now, o.delay, o.batch ? "" : "; q ends it");
	profile_text(f, &profile, sel);
	sampling_remarks(f, &o.sampling);
	if (fclose(f))
		err(EXIT_PFMON, NULL);
	return text;
}

/* Nobody is shown anything: that is no error if a reader has seen enough, as head(1) has. */
static void __attribute__((noreturn)) give_up(void)
{
	int e = errno;

	signals_end_child();
	if (e == EPIPE)
		exit(128 + SIGPIPE);
	errno = e;
	err(EXIT_PFMON, "standard output");
}

static void show(void)
{
	struct selection sel = { 0 };
	int failed;
	char *text;

	if (!o.batch)
		sel.lines = terminal_lines() > AROUND ? terminal_lines() - AROUND : 1;
	text = make_report(&sel);
	if (o.batch)
		failed = fputs(text, stdout) == EOF || fputc('\n', stdout) == EOF ||
			 fflush(stdout);
	else
		failed = terminal_draw(text);
	free(text);
	if (failed)
		give_up();
}

/* Under the recording's lock: what the file has now is whole. */
static void refresh(void)
{
	char path[32], error[DATA_ERROR_MAX];
	uint64_t size;

	pthread_mutex_lock(&rec.lock);
	recording_flush(&rec);
	size = rec.data.bytes;
	errno = rec.data.err;
	pthread_mutex_unlock(&rec.lock);
	if (errno)
		err(EXIT_PFMON, "the samples cannot be kept");
	snprintf(path, sizeof(path), "/proc/self/fd/%d", memory);
	if (!loading) {
		loading = profile_live(&profile, path, error);
		if (!loading)
			errx(EXIT_PFMON, "%s", error);
	}
	if (profile_update(loading, size))
		errx(EXIT_PFMON, "the samples are damaged");
	/* Less memory at most; the size stays. */
	fallocate(memory, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, (off_t)size);
}

static void tick(struct result *result)
{
	/* The command takes its time to end. */
	if (result->over)
		return;
	pthread_mutex_lock(&rec.lock);
	sampling_look(&rec);
	pthread_mutex_unlock(&rec.lock);
	probe_all(result, sampling_take);
	refresh();
	show();
	if (++shown == o.times)
		end(result);
}

static void on_key(struct result *result)
{
	int key;

	while ((key = terminal_key()) > 0)
		if (key == 'q' || key == 'Q')
			end(result);
	if (key < 0)
		watch_input(WATCH_KEYS, -1, NULL);
}

static void begin(void)
{
	char path[32];

	memory = memfd_create("pfmon", MFD_CLOEXEC);
	if (memory < 0)
		err(EXIT_PFMON, "memfd_create");
	snprintf(path, sizeof(path), "/proc/self/fd/%d", memory);
	if (recording_begin(&rec, &o.sampling, path))
		err(EXIT_PFMON, "%s", path);
}

int cmd_top(int argc, char **argv)
{
	const struct turn_options alone = { 0 };
	static struct probe_ops ops;
	int status;

	hardware_find();
	parse_options(argc, argv);
	if (!o.sampling.counters.n)
		add_events(DEFAULT_EVENT);
	if (o.sampling.counters.n > 1)
		errx(EXIT_PFMON, "one event can be shown at a time");
	sampling_periods(&o.sampling, o.period, o.frequency);
	perfmon_require();
	target_place(&o.target, &alone, &o.sampling.counters);
	choose_format(&o.sampling);
	sampling_check_buffer(&o.sampling);

	ops = sampling_ops;
	ops.tick = tick;
	ops.tick_ns = (uint64_t)llround(o.delay * 1e9);
	rec.result.ops = &ops;
	rec.result.counters = &o.sampling.counters;
	profile.filter = o.filter;
	target_title(&o.target, &rec.result);
	begin();
	if (!o.batch) {
		o.batch = terminal_begin();
		if (!o.batch)
			watch_input(WATCH_KEYS, STDIN_FILENO, on_key);
	}
	status = target_measure(&o.target, &rec.result);
	terminal_end();
	/* What came since the last look; of a command that was short, all there is. */
	if (!o.target.exec_errno && !shown) {
		o.batch = true;
		refresh();
		show();
	}
	/* Ended as it was to end. */
	return rec.result.over ? 0 : status;
}
