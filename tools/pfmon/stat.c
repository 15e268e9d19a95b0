// SPDX-License-Identifier: GPL-2.0-only
/* pfmon stat: counts the events of a command, a process or CPUs. */
#define _GNU_SOURCE
#include <err.h>
#include <getopt.h>
#include <stdlib.h>

#include "hardware.h"
#include "numbers.h"
#include "outfile.h"
#include "pfmon.h"
#include "probe.h"
#include "target.h"
#include "turns.h"

static const char usage[] =
"usage: pfmon stat [OPTION]... [--] COMMAND [ARGUMENT]...\n"
"       pfmon stat [OPTION]... -p PID [-- COMMAND [ARGUMENT]...]\n"
"       pfmon stat [OPTION]... -C CPUS [-- COMMAND [ARGUMENT]...]\n"
"\n"
"Counts the events of COMMAND with all its threads and child processes, and\n"
"prints the counts to standard error. With -p or -C it counts a process or\n"
"whole CPUs while COMMAND runs, or until Ctrl-C.\n"
"\n"
"  -e, --event LIST   events to count, separated by commas; each -e is counted at\n"
"                     the same time if the counters are enough for it\n"
"  -p, --pid PID      count the threads of a process\n"
"  -C, --cpu CPUS     count CPUs: a list such as 0-1,3, or all\n"
"  -o, --output FILE  print the counts to FILE\n"
"  -j, --json         print them as JSON\n"
"      --no-follow    count the first thread of COMMAND only\n"
"      --switch-timeout MS\n"
"                     make a set of each -e; the sets take turns of MS\n"
"                     milliseconds (1, if the counters are not enough)\n"
"      --switch-overflow EVENT=N\n"
"                     the same with turns of N times EVENT\n"
"      --no-multiplex refuse more events than there are counters\n"
"  -h, --help         print this and exit\n"
"\n";

struct options {
	struct counters counters;
	struct target target;
	const char *output;
	bool json;
	struct turn_options turns;
};

static void __attribute__((noreturn)) bad_usage(void)
{
	fputs("Try 'pfmon stat --help'.\n", stderr);
	exit(EXIT_PFMON);
}

static void add_events(struct options *o, const char *list)
{
	char error[EVENTS_ERROR_MAX];

	if (counters_add(&o->counters, list, error))
		errx(EXIT_PFMON, "%s", error);
}

static void add_default(struct options *o, bool has_hardware)
{
	add_events(o, DEFAULT_EVENTS);
	if (!has_hardware)
		return;
	if (hardware_busy())
		warnx("the PMU is in use by another part of the kernel: no cycles and instructions");
	else
		add_events(o, DEFAULT_HARDWARE);
}

static void parse_options(struct options *o, int argc, char **argv)
{
	static const struct option longs[] = {
		{ "event", required_argument, NULL, 'e' },
		{ "pid", required_argument, NULL, 'p' },
		{ "cpu", required_argument, NULL, 'C' },
		{ "output", required_argument, NULL, 'o' },
		{ "json", no_argument, NULL, 'j' },
		{ "no-follow", no_argument, NULL, 'n' },
		{ "switch-timeout", required_argument, NULL, 't' },
		{ "switch-overflow", required_argument, NULL, 'O' },
		{ "no-multiplex", no_argument, NULL, 'm' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 }
	};
	int c;

	while ((c = getopt_long(argc, argv, "+e:p:C:o:jh", longs, NULL)) != -1) {
		switch (c) {
		case 'e':
			add_events(o, optarg);
			break;
		case 'p':
			target_set_pid(&o->target, optarg);
			break;
		case 'C':
			target_set_cpus(&o->target, optarg);
			break;
		case 'o':
			o->output = optarg;
			break;
		case 'j':
			o->json = true;
			break;
		case 'n':
			o->target.no_follow = true;
			break;
		case 't':
			turns_set_timeout(&o->turns, optarg);
			break;
		case 'O':
			o->turns.trigger = optarg;
			break;
		case 'm':
			o->turns.no_multiplex = true;
			break;
		case 'h':
			fputs(usage, stdout);
			events_print(stdout);
			exit(fflush(stdout) ? EXIT_PFMON : 0);
		default:
			bad_usage();
		}
	}
	if (optind < argc)
		o->target.command = argv + optind;
	if (!target_check(&o->target, "counted") || !turns_check(&o->turns))
		bad_usage();
}

/* What the reader must know of counts that are marked. */
static void note_sets(struct result *result)
{
	unsigned int i;

	for (i = 0; i < result->counters->n; i++) {
		double share = result_estimate(result, i).share;

		if (share == 1)
			continue;
		result_note(result, "~ marks estimates: the events took turns in %u sets, each counted for the share of the time given; +- is the standard deviation to expect of counts that differ from turn to turn as much as they are large",
			    result->counters->sets);
		return;
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

static void report(const struct result *result, const struct options *o,
		   struct outfile *out)
{
	if (o->json)
		result_print_json(out->file, result);
	else
		result_print(out->file, result);
	outfile_finish(out, "the counts");
}

/* Its file is made before the command runs: an error costs no run then. */
static void open_output(const struct options *o, struct outfile *out)
{
	out->file = stderr;
	if (o->output && outfile_open(out, o->output, 0))
		err(EXIT_PFMON, "%s", o->output);
}

int cmd_stat(int argc, char **argv)
{
	static struct options o;
	static struct result result;
	bool has_hardware;
	struct outfile out = { 0 };
	int status;

	has_hardware = hardware_find();
	o.counters.many = true;
	parse_options(&o, argc, argv);
	perfmon_require();
	if (!o.counters.n && (o.turns.timeout_ms || o.turns.trigger))
		errx(EXIT_PFMON, "name the events of each set with an -e of its own");
	if (!o.counters.n)
		add_default(&o, has_hardware);
	if (o.turns.trigger && o.target.cpu_list.n > 1)
		errx(EXIT_PFMON, "--switch-overflow needs a single CPU: an idle one would stay in its first set, whose share of the time would say nothing");
	turns_make(&o.turns, &o.counters);
	hardware_settle(&o.counters, o.target.cpus ? PFM_FL_SYSTEM_WIDE : 0);
	open_output(&o, &out);

	result.ops = &counting;
	result.counters = &o.counters;
	target_title(&o.target, &result);
	status = target_measure(&o.target, &result);
	note_throttled(&result);
	note_sets(&result);
	if (!o.target.exec_errno)
		report(&result, &o, &out);
	return status;
}
