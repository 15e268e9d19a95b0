// SPDX-License-Identifier: GPL-2.0-only
/* pfmon stat: counts the events of a command, a process or CPUs. */
#define _GNU_SOURCE
#include <ctype.h>
#include <err.h>
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "data_write.h"
#include "habits.h"
#include "hardware.h"
#include "holders.h"
#include "numbers.h"
#include "outfile.h"
#include "pfmon.h"
#include "counts.h"
#include "places.h"
#include "probe.h"
#include "schedule.h"
#include "series.h"
#include "signals.h"
#include "target.h"
#include "turns.h"

#define RUNS_MAX	1000000

static const char usage[] =
"usage: pfmon stat [OPTION]... [--] COMMAND [ARGUMENT]...\n"
"       pfmon stat [OPTION]... -p PID [-- COMMAND [ARGUMENT]...]\n"
"       pfmon stat [OPTION]... -a [-- COMMAND [ARGUMENT]...]\n"
"\n"
"Counts the events of COMMAND with all its threads and child processes, and\n"
"prints the counts to standard error. With -p, -t, -a or -C it counts processes,\n"
"threads or whole CPUs while COMMAND runs, or until Ctrl-C.\n"
"\n"
"  -e, --event LIST   events to count, separated by commas; each -e is counted at\n"
"                     the same time if the counters are enough for it\n"
"  -d, --detailed     count events of the caches, too; twice: and of the TLBs\n"
"what:\n"
TARGET_USAGE("")
"  -A, --per-cpu      print the counts of each CPU, too\n"
"      --per-core, --per-socket, --per-node\n"
"                     print the counts of each core, socket or node of memory, too\n"
"      --per-thread   print the counts of each thread, too\n"
"      --no-follow    count the first thread of COMMAND only; with -p and -t nothing\n"
"                     that those start who are named\n"
"when:\n"
"  -r, --repeat N     run COMMAND N times; print the mean, and how much runs differ\n"
"  -I, --interval MS  print what was counted each MS milliseconds, and all at the end\n"
"  -D, --delay MS     begin MS milliseconds after COMMAND does\n"
"      --timeout MS   end after MS milliseconds; COMMAND gets SIGTERM then\n"
"      --wait         wait for counters, threads and CPUs that others have\n"
"how:\n"
"  -f, --format NAME  text, json, csv, prometheus (for its node exporter) or\n"
"                     openmetrics (for PCP)\n"
"  -j, --json         the same as -f json\n"
"  -x, --separator C  as -f csv, with the character C between fields\n"
"      --label N=VALUE\n"
"                     a label N of all metrics (-f prometheus, openmetrics)\n"
"  -o, --output FILE  print the counts to FILE\n"
"events that take turns:\n"
"      --switch-timeout MS\n"
"                     make a set of each -e; the sets take turns of MS\n"
"                     milliseconds (1, if the counters are not enough)\n"
"      --switch-overflow EVENT=N\n"
"                     the same with turns of N times EVENT\n"
"      --no-multiplex refuse more events than there are counters\n"
"\n"
"  -h, --help         print this and exit\n"
"\n";

struct options {
	struct counters counters;
	struct target target;
	struct schedule schedule;
	const char *output;
	const struct counts_format *format;
	struct turn_options turns;
	bool per_cpu, per_thread;
	enum grouping grouping;	/* of the CPUs */
	unsigned int runs;
	unsigned int detail;	/* how often -d was given */
};

/* While it is measured, intervals are printed. */
static struct options o;
static bool has_trees;	/* the kernel has them */
static struct outfile out;

static void __attribute__((noreturn)) bad_usage(void)
{
	fputs("Try 'pfmon stat --help'.\n", stderr);
	exit(EXIT_PFMON);
}

static void add_events(const char *list)
{
	char error[EVENTS_ERROR_MAX];

	if (counters_add(&o.counters, list, error))
		errx(EXIT_PFMON, "%s", error);
}

/* Returns whether events of the hardware can be counted now, as far as that is known. */
static bool add_default(bool has_hardware)
{
	struct failure failure;
	bool busy = has_hardware && !o.target.wait && hardware_busy(&failure);

	add_events(o.target.tree ? DEFAULT_TREE_EVENTS : DEFAULT_EVENTS);
	if (busy)
		warnx("no cycles and instructions: %s", holders_text("/proc", &failure));
	else if (has_hardware)
		add_events(DEFAULT_HARDWARE);
	return !busy;
}

/* What -d adds, as perf's does; a name has at most 23 characters. */
static const struct {
	unsigned int detail;
	const char *name;
} details[] = {
	{ 1, "L1-dcache-loads" }, { 1, "L1-dcache-load-misses" },
	{ 1, "LLC-loads" }, { 1, "LLC-load-misses" },
	{ 2, "L1-icache-load-misses" }, { 2, "dTLB-loads" }, { 2, "dTLB-load-misses" },
	{ 2, "iTLB-load-misses" },
};

#define DETAILS	(sizeof(details) / sizeof(details[0]))

/* Names with commas between them. */
static char lacking[DETAILS * 24];

static void append_name(char *list, const char *name)
{
	if (*list)
		strcat(list, ",");
	strcat(list, name);
}

/* In one list, so that they are counted at the same time if the counters are enough. */
static void add_details(void)
{
	static struct counters alone;
	char list[DETAILS * 24] = "", error[EVENTS_ERROR_MAX];
	size_t i;

	for (i = 0; i < DETAILS && details[i].detail <= o.detail; i++) {
		memset(&alone, 0, sizeof(alone));
		append_name(counters_add(&alone, details[i].name, error) ? lacking : list,
			    details[i].name);
	}
	if (*list)
		add_events(list);
}

static uint64_t parse_ms(const char *text)
{
	char *end;
	double ms = strtod(text, &end);

	if (end == text || *end || !(ms >= 0.001 && ms <= 1e12))
		errx(EXIT_PFMON, "'%s' is not a number of milliseconds", text);
	return (uint64_t)(ms * 1e6);
}

static unsigned int parse_runs(const char *text)
{
	char *end;
	unsigned long n = strtoul(text, &end, 10);

	if (*text < '0' || *text > '9' || *end || !n || n > RUNS_MAX)
		errx(EXIT_PFMON, "'%s' is not a number from 1 to %d", text, RUNS_MAX);
	return (unsigned int)n;
}

static void set_format(const char *name)
{
	o.format = counts_find(name);
	if (!o.format)
		errx(EXIT_PFMON, "no format '%s'; there are text, json, csv, prometheus and openmetrics",
		     name);
}

static void set_separator(const char *text)
{
	if (!strcmp(text, "\\t"))
		text = "\t";
	if (strlen(text) != 1 || isalnum((unsigned char)*text) || strchr(".\"\n\r-#", *text))
		errx(EXIT_PFMON, "'%s' is not a character that can separate fields", text);
	counts_separator(*text);
	o.format = &counts_csv;
}

enum { NO_FOLLOW = 256, LABEL, PER_THREAD, PER_CORE, PER_SOCKET, PER_NODE,
       TIMEOUT, SWITCH_TIMEOUT, SWITCH_OVERFLOW, NO_MULTIPLEX };

/* With perf's names where they are others. */
static const struct option longs[] = {
	{ "event", required_argument, NULL, 'e' },
	{ "detailed", no_argument, NULL, 'd' },
	TARGET_OPTIONS,
	{ "per-cpu", no_argument, NULL, 'A' },
	{ "no-aggr", no_argument, NULL, 'A' },
	{ "per-core", no_argument, NULL, PER_CORE },
	{ "per-socket", no_argument, NULL, PER_SOCKET },
	{ "per-node", no_argument, NULL, PER_NODE },
	{ "per-thread", no_argument, NULL, PER_THREAD },
	{ "no-follow", no_argument, NULL, NO_FOLLOW },
	{ "no-inherit", no_argument, NULL, NO_FOLLOW },
	{ "repeat", required_argument, NULL, 'r' },
	{ "interval", required_argument, NULL, 'I' },
	{ "interval-print", required_argument, NULL, 'I' },
	{ "delay", required_argument, NULL, 'D' },
	{ "timeout", required_argument, NULL, TIMEOUT },
	{ "format", required_argument, NULL, 'f' },
	{ "json", no_argument, NULL, 'j' },
	{ "json-output", no_argument, NULL, 'j' },
	{ "separator", required_argument, NULL, 'x' },
	{ "field-separator", required_argument, NULL, 'x' },
	{ "label", required_argument, NULL, LABEL },
	{ "output", required_argument, NULL, 'o' },
	{ "switch-timeout", required_argument, NULL, SWITCH_TIMEOUT },
	{ "switch-overflow", required_argument, NULL, SWITCH_OVERFLOW },
	{ "no-multiplex", no_argument, NULL, NO_MULTIPLEX },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 }
};

/* Other options that say what is counted. Returns whether @c is one of them. */
static bool parse_target(int c)
{
	switch (c) {
	case 'A':
	case PER_CORE:
	case PER_SOCKET:
	case PER_NODE:
		o.per_cpu = true;
		o.grouping = c == PER_CORE ? GROUP_CORE : c == PER_SOCKET ? GROUP_SOCKET :
			     c == PER_NODE ? GROUP_NODE : GROUP_CPU;
		break;
	case PER_THREAD:
		o.per_thread = true;
		break;
	case NO_FOLLOW:
	case 'i':
		o.target.no_follow = true;
		break;
	default:
		return false;
	}
	return true;
}

/* Options that say when. */
static bool parse_schedule(int c)
{
	switch (c) {
	case 'r':
		o.runs = parse_runs(optarg);
		break;
	case 'I':
		o.schedule.interval_ns = parse_ms(optarg);
		break;
	case 'D':
		o.schedule.delay_ns = parse_ms(optarg);
		break;
	case TIMEOUT:
		o.schedule.timeout_ns = parse_ms(optarg);
		break;
	case SWITCH_TIMEOUT:
		turns_set_timeout(&o.turns, optarg);
		break;
	case SWITCH_OVERFLOW:
		o.turns.trigger = optarg;
		break;
	case NO_MULTIPLEX:
		o.turns.no_multiplex = true;
		break;
	default:
		return false;
	}
	return true;
}

static void parse_option(int c)
{
	switch (c) {
	case 'e':
		add_events(optarg);
		break;
	case 'd':
		o.detail++;
		break;
	case 'f':
		set_format(optarg);
		break;
	case 'j':
		o.format = &counts_json;
		break;
	case 'x':
		set_separator(optarg);
		break;
	case LABEL:
		if (!counts_label(optarg))
			errx(EXIT_PFMON, "'%s' is not a label NAME=VALUE, or there is one of that name",
			     optarg);
		break;
	case 'o':
		o.output = optarg;
		break;
	case 'h':
		fputs(usage, stdout);
		events_print(stdout);
		exit(fflush(stdout) ? EXIT_PFMON : 0);
	default:
		bad_usage();
	}
}

/* Do they go together? Says so if they do not. */
static bool check_options(void)
{
	if (!target_check(&o.target, "counted") || !turns_check(&o.turns))
		return false;
	if (o.per_cpu && !o.target.cpus)
		warnx("--per-cpu, --per-core, --per-socket and --per-node are for CPUs: -a or -C");
	else if (o.grouping != GROUP_CPU && o.format->whole)
		warnx("-f %s has each CPU, for its reader to add up: -A", o.format->name);
	else if (o.per_thread && o.target.cpus)
		warnx("--per-thread is for a command, -p and -t");
	else if (counts_labelled() && !o.format->whole)
		warnx("--label is for -f prometheus and openmetrics");
	else if (o.runs > 1 && !o.target.command)
		warnx("--repeat is for a command");
	else if (o.runs > 1 && (o.schedule.interval_ns || o.per_cpu || o.per_thread))
		warnx("--repeat does not go with --interval, --per-cpu and --per-thread");
	else if (o.runs > 1 && o.format->whole)
		warnx("-f %s has counts that only grow, and no means: not with --repeat",
		      o.format->name);
	else if (o.format->whole && o.schedule.interval_ns && !o.output)
		warnx("with --interval, -f %s needs a file to write anew each time: -o",
		      o.format->name);
	else
		return true;
	return false;
}

static void parse_options(int argc, char **argv)
{
	int c;

	while ((c = getopt_long(argc, argv, "+" TARGET_SHORT "e:dAir:I:D:f:jx:o:h", longs, NULL)) != -1) {
		if (c == '?')
			habits_hint(argv);
		if (!target_option(&o.target, c, optarg) && !parse_target(c) && !parse_schedule(c))
			parse_option(c);
	}
	if (optind < argc)
		o.target.command = argv + optind;
	if (!check_options())
		bad_usage();
}

/* What the reader must know of counts that are marked. */
static void note_sets(struct result *result)
{
	unsigned int i;

	for (i = 0; i < result->counters->n; i++) {
		double share = result_estimate(result, &result->sum, i).share;

		if (share == 1)
			continue;
		result_note(result, "~ marks estimates: the events took turns in %u sets, each counted for the share of the time given; +- is the standard deviation to expect of counts that differ from turn to turn as much as they are large",
			    result->counters->sets);
		return;
	}
}

/* A count can be another one than its name says, or 0 for another reason. */
static void note_remarks(struct result *result)
{
	char text[EVENTS_ERROR_MAX];
	const char *remark;
	unsigned int i;

	for (i = 0; i < result->counters->n; i++) {
		remark = counter_remark(&result->counters->c[i], text);
		if (remark)
			result_note(result, "%s: %s", result->counters->c[i].name, remark);
	}
}

/* Turns of so few events that the kernel takes them for an attack. */
static void note_throttled(struct result *result)
{
	char n[NUMBERS_MAX];

	if (result->sum.throttled)
		result_note(result, "turns ended too fast, and the kernel stopped counting %s time%s until pfmon noticed: what happened then is missing; give --switch-overflow more events",
			    numbers_count(n, result->sum.throttled),
			    result->sum.throttled == 1 ? "" : "s");
}

/* Its file is made before the command runs: an error costs no run then. */
static void open_output(void)
{
	out.file = stderr;
	if (o.output)
		data_spare(o.output);
	if (o.output && outfile_open(&out, o.output, 0))
		err(EXIT_PFMON, "%s", o.output);
	/* A pipe stays open. */
	if (o.format->whole && o.schedule.interval_ns && out.path) {
		outfile_drop(&out);
		fclose(out.file);
		out.file = NULL;
	}
	if (o.format->heading)
		o.format->heading(out.file);
}

static const struct result *as_grouped(const struct result *result)
{
	return o.grouping == GROUP_CPU ? result : places_add_up(result, o.grouping, "");
}

/*
 * A file that is written anew each time is opened for each. What goes wrong with it
 * now may be right the next time: only at the end it is an error.
 */
static void print_whole(const struct result *interval)
{
	struct outfile file;

	if (outfile_open(&file, o.output, 0)) {
		warn("%s", o.output);
		return;
	}
	o.format->print(file.file, interval);
	if (outfile_keep(&file, NULL)) {
		warn("%s", o.output);
		outfile_drop(&file);
	}
}

/*
 * A reader that has seen enough, as head(1) has, ends the measurement. The command goes on,
 * as it would without pfmon.
 */
static void print_interval(const struct result *interval)
{
	interval = as_grouped(interval);
	if (out.file) {
		errno = 0;
		o.format->print(out.file, interval);
		fflush(out.file);
		if (ferror(out.file) && errno == EPIPE)
			exit(128 + SIGPIPE);
		outfile_value(&out);
	} else {
		print_whole(interval);
	}
}

static void report(const struct result *result, int status)
{
	result = as_grouped(result);
	if (!out.file && outfile_open(&out, o.output, 0))
		err(EXIT_PFMON, "%s", o.output);
	o.format->print(out.file, result);
	outfile_finish(&out, "the counts", status);
}

/* Is all to be counted that those make who are, and nothing of it by itself? */
static bool wants_tree(void)
{
	return !o.target.cpus && !o.target.no_follow && !o.per_thread;
}

/* The kernel cannot do it: what pfmon does for it. */
static void note_no_tree(struct result *result)
{
	const struct event *event = has_trees ? counters_no_tree(&o.counters) : NULL;
	const struct targets *threads = &o.target.threads;
	const char *how = "threads and processes that it made were found by ptrace";
	unsigned int i;

	if (threads->n)
		how = "what the threads made was not counted";
	for (i = 0; i < threads->n; i++)
		if (threads->target[i].is_process)
			how = "new threads were looked for";
	if (event)
		result_note(result, "'%s' cannot be counted in a tree: %s", event->name, how);
	else
		result_note(result, "this kernel has no process trees: %s", how);
}

static void init_result(struct result *result)
{
	*result = (struct result){
		.ops = &counting, .counters = &o.counters, .schedule = &o.schedule,
		.held = o.schedule.delay_ns, .grouped = o.per_cpu || o.per_thread,
	};
	target_title(&o.target, result);
	if (wants_tree() && !o.target.tree)
		note_no_tree(result);
}

static int measure_once(struct result *result, bool again)
{
	int status;

	init_result(result);
	result->again = again;
	status = target_measure(&o.target, result);
	note_throttled(result);
	note_sets(result);
	note_remarks(result);
	if (*lacking)
		result_note(result, "-d leaves out what cannot be counted here: %s ('pfmon explain NAME' says why)",
			    lacking);
	if (result->held)
		result_note(result, "nothing was counted: the end came before that of the delay of %g ms",
			    (double)o.schedule.delay_ns / 1e6);
	return status;
}

/*
 * A run that was interrupted counts only if there is no other, and one whose command
 * could not be executed never does. Returns what is to be printed, or NULL.
 */
static const struct result *measure_all(int *status)
{
	static struct series series;
	static struct result result;
	unsigned int i;
	int last;

	for (i = 0; i < o.runs && !signals_last() && !o.target.exec_errno; i++) {
		last = measure_once(&result, i + 1 < o.runs);
		*status = last ? last : *status;
		if (!o.target.exec_errno && (!i || !signals_last()))
			series_add(&series, &result);
	}
	if (!series.spread.runs)
		return NULL;
	return o.schedule.interval_ns ? schedule_rest(&result) : series_result(&series);
}

int cmd_stat(int argc, char **argv)
{
	const struct result *result;
	bool has_hardware, usable = true;
	int status = 0;

	has_hardware = hardware_find();
	o.counters.many = true;
	o.format = &counts_text;
	o.runs = 1;
	parse_options(argc, argv);
	perfmon_require();
	has_trees = context_has_trees();
	o.target.tree = wants_tree() && has_trees;
	if (!o.counters.n && (o.turns.timeout_ms || o.turns.trigger))
		errx(EXIT_PFMON, "name the events of each set with an -e of its own");
	if (!o.counters.n)
		usable = add_default(has_hardware);
	if (o.detail && usable)
		add_details();
	turns_check_cpus(&o.turns, o.target.cpu_list.n);
	target_place(&o.target, &o.turns, &o.counters);
	o.target.tree &= !counters_no_tree(&o.counters);
	o.schedule.whole = o.format->whole;
	o.schedule.print = print_interval;
	open_output();

	result = measure_all(&status);
	if (result)
		report(result, status);
	return status;
}
