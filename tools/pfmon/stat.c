// SPDX-License-Identifier: GPL-2.0-only
/* pfmon stat: counts the events of a command, a process or CPUs. */
#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "context.h"
#include "measure.h"
#include "pfmon.h"
#include "signals.h"

static const char usage[] =
"usage: pfmon stat [OPTION]... [--] COMMAND [ARGUMENT]...\n"
"       pfmon stat [OPTION]... -p PID [-- COMMAND [ARGUMENT]...]\n"
"       pfmon stat [OPTION]... -C CPUS [-- COMMAND [ARGUMENT]...]\n"
"\n"
"Counts the events of COMMAND with all its threads and child processes, and\n"
"prints the counts to standard error. With -p or -C it counts a process or\n"
"whole CPUs while COMMAND runs, or until Ctrl-C.\n"
"\n"
"  -e, --event LIST   events to count, separated by commas\n"
"  -p, --pid PID      count the threads of a process\n"
"  -C, --cpu CPUS     count CPUs: a list such as 0-1,3, or all\n"
"  -o, --output FILE  print the counts to FILE\n"
"  -j, --json         print them as JSON\n"
"      --no-follow    count the first thread of COMMAND only\n"
"  -h, --help         print this and exit\n"
"\n";

struct options {
	struct counters counters;
	pid_t pid;
	const char *cpus;
	struct cpu_list cpu_list;
	const char *output;
	bool json, no_follow;
	char **command;		/* NULL if there is none */
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

static pid_t parse_pid(const char *text)
{
	char *end;
	long pid;

	errno = 0;
	pid = strtol(text, &end, 10);
	if (errno || end == text || *end || pid <= 0 || pid != (pid_t)pid)
		errx(EXIT_PFMON, "'%s' is not a process number", text);
	return (pid_t)pid;
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
			o->pid = parse_pid(optarg);
			break;
		case 'C':
			o->cpus = optarg;
			if (cpu_list_parse(&o->cpu_list, optarg))
				errx(EXIT_PFMON, "'%s' is not a list of CPUs such as 0-1,3 or all",
				     optarg);
			break;
		case 'o':
			o->output = optarg;
			break;
		case 'j':
			o->json = true;
			break;
		case 'n':
			o->no_follow = true;
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
		o->command = argv + optind;
}

static void check_options(struct options *o)
{
	if (o->pid && o->cpus) {
		warnx("-p and -C exclude each other");
		bad_usage();
	}
	if (!o->pid && !o->cpus && !o->command) {
		warnx("what is to be counted? Name a command, or -p, or -C");
		bad_usage();
	}
	if (o->no_follow && (o->pid || o->cpus)) {
		warnx("--no-follow is for a command, not for -p or -C");
		bad_usage();
	}
	if (!o->counters.n)
		add_events(o, DEFAULT_EVENTS);
}

/* The command in quotes, on one line and not longer than one. */
static void quote_command(char title[TITLE_MAX], char **command)
{
	static const char dots[] = "...";
	size_t at = 1, i;

	title[0] = '\'';
	for (i = 0; command[i] && at < TITLE_MAX; i++)
		at += (size_t)snprintf(title + at, TITLE_MAX - at, "%s%s",
				       i ? " " : "", command[i]);
	if (at > TITLE_MAX - sizeof(dots) - 1) {
		at = TITLE_MAX - sizeof(dots) - 1;
		/* Not in the middle of a character of UTF-8. */
		while (at > 1 && ((unsigned char)title[at] & 0xc0) == 0x80)
			at--;
		strcpy(title + at, dots);
		at += strlen(dots);
	}
	for (i = 0; i < at; i++)
		if ((unsigned char)title[i] < ' ')
			title[i] = ' ';
	strcpy(title + at, "'");
}

static void make_title(struct result *result, const struct options *o)
{
	char *title = result->title;

	result->threads = !o->cpus;
	if (o->pid)
		snprintf(title, TITLE_MAX, "process %d", (int)o->pid);
	else if (!o->cpus)
		quote_command(title, o->command);
	else if (!strcmp(o->cpus, "all"))
		snprintf(title, TITLE_MAX, "all CPUs");
	else
		snprintf(title, TITLE_MAX, "CPU%s %s",
			 o->cpu_list.n == 1 ? "" : "s", o->cpus);
	if (o->no_follow)
		result_note(result, "only the first thread was counted");
}

static int measure(struct result *result, const struct options *o,
		   struct child *child)
{
	if (o->pid)
		return measure_process(result, o->pid, child);
	if (o->cpus)
		return measure_cpus(result, &o->cpu_list, child);
	if (o->no_follow)
		return measure_command(result, child);
	return measure_follow(result, child);
}

static void report(const struct result *result, const struct options *o,
		   FILE *out)
{
	if (o->json)
		result_print_json(out, result);
	else
		result_print(out, result);
	if (fflush(out) || ferror(out))
		err(EXIT_PFMON, "cannot write the counts");
}

/* Its file is made before the command runs: an error costs no run then. */
static FILE *open_output(const struct options *o)
{
	FILE *out;

	if (!o->output)
		return stderr;
	out = fopen(o->output, "we");
	if (!out)
		err(EXIT_PFMON, "%s", o->output);
	return out;
}

int cmd_stat(int argc, char **argv)
{
	static struct options o;
	static struct result result;
	struct child child, *command = NULL;
	int status, e;
	FILE *out;

	parse_options(&o, argc, argv);
	check_options(&o);
	perfmon_require();
	out = open_output(&o);

	if (o.command) {
		child_fork(&child, o.command);
		command = &child;
	}
	signals_catch(command ? command->pid : 0);
	raise_file_limit();
	result.counters = &o.counters;
	make_title(&result, &o);
	status = measure(&result, &o, command);

	if (command) {
		e = child_exec_error(command);
		if (e) {
			errno = e;
			warn("cannot run '%s'", o.command[0]);
			return exit_status(status);
		}
	}
	report(&result, &o, out);
	if (!command && signals_last())
		return 128 + signals_last();
	return exit_status(status);
}
