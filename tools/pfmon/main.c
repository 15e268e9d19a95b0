// SPDX-License-Identifier: GPL-2.0-only
/* pfmon: counts and samples what programs and CPUs do, with perfmon. */
#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <perfmon/libperfmon.h>

#include "require.h"
#include "pfmon.h"
#include "signals.h"

static const struct command {
	const char *name, *help;
	int (*run)(int argc, char **argv);
} commands[] = {
	{ "stat", "count the events of a command, a process or CPUs", cmd_stat },
	{ "record", "sample where a command, a process or CPUs are", cmd_record },
	{ "report", "print where they were", cmd_report },
	{ "annotate", "print the instructions of a function, and how often they were sampled", cmd_annotate },
	{ "archive", "copy the programs of a recording beside it, to report elsewhere", cmd_archive },
	{ "diff", "print what differs between two recordings", cmd_diff },
	{ "top", "show where a command, a process or CPUs are, live", cmd_top },
	{ "list", "print the events that can be counted", cmd_list },
	{ "explain", "print what an event needs, and which counters can count it", cmd_explain },
	{ "script", "print the samples one by one, as perf script does", cmd_script },
	{ "check", "say what cannot be used here, and what cures it", cmd_check },
	{ "info", "print what the kernel and its PMU offer", cmd_info },
};

#define COMMANDS	(sizeof(commands) / sizeof(commands[0]))

static int flushed(void)
{
	if (fflush(stdout) || ferror(stdout))
		err(EXIT_PFMON, "standard output");
	return 0;
}

static void print_usage(FILE *out)
{
	size_t i;

	fputs("usage: pfmon COMMAND [OPTION]...\n\n", out);
	for (i = 0; i < COMMANDS; i++)
		fprintf(out, "  pfmon %-8s %s\n", commands[i].name, commands[i].help);
	fputs("\n  -h, --help     print this and exit\n"
	      "  -V, --version  print the version and exit\n"
	      "\n'pfmon COMMAND --help' and 'pfmon help COMMAND' say more.\n", out);
}

static int print_version(void)
{
	printf("pfmon %s (perfmon interface %u.%u)\n", LIBPERFMON_VERSION,
	       PFM_VERSION_MAJ, PFM_VERSION_MIN);
	return flushed();
}

/* Messages about options begin with what the user has called: "pfmon stat". */
static int run(const struct command *command, int argc, char **argv)
{
	static char name[32];

	snprintf(name, sizeof(name), "%s %s", program_invocation_short_name, command->name);
	argv[0] = name;
	return command->run(argc, argv);
}

/*
 * Where pfmon was started without standard input, output or error, none of the files that it
 * opens may get that number: something that can be neither read nor written does. A command
 * gets it closed, as pfmon has got it.
 */
static void fill_descriptors(void)
{
	int fd;

	do
		fd = open("/dev/null", O_PATH | O_CLOEXEC);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

/* "help stat" is "stat --help". */
static int help(char *name)
{
	static char option[] = "--help";
	char *argv[] = { name, option, NULL };
	size_t i;

	for (i = 0; i < COMMANDS; i++)
		if (!strcmp(name, commands[i].name))
			return run(&commands[i], 2, argv);
	warnx("there is no command '%s'", name);
	print_usage(stderr);
	return EXIT_PFMON;
}

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "";
	size_t i;

	fill_descriptors();
	signals_begin();

	if (!strcmp(name, "-h") || !strcmp(name, "--help")) {
		print_usage(stdout);
		return flushed();
	}
	if (!strcmp(name, "-V") || !strcmp(name, "--version"))
		return print_version();
	if (!strcmp(name, "help")) {
		if (argc > 3)
			errx(EXIT_PFMON, "help is of one command: '%s' is one argument too many",
			     argv[3]);
		if (argc > 2)
			return help(argv[2]);
		print_usage(stdout);
		return flushed();
	}
	for (i = 0; i < COMMANDS; i++)
		if (!strcmp(name, commands[i].name))
			return run(&commands[i], argc - 1, argv + 1);
	if (*name)
		warnx("there is no command '%s'", name);
	print_usage(stderr);
	return EXIT_PFMON;
}
