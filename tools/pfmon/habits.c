// SPDX-License-Identifier: GPL-2.0-only
/* Options that users of perf type, and that pfmon does not have. */
#include <err.h>
#include <getopt.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "habits.h"

/*
 * perf's options, of which commands, and what is to be typed here. A letter that the command
 * has, for something else, never comes here: pfmon-perf(1) has a list of these.
 */
static const struct {
	const char *commands;
	char letter;		/* or 0 */
	const char *name, *hint;
} habits[] = {
	{ "stat record report top script", 'v', "verbose", "what goes wrong is said without it" },
	{ "record", 'q', "quiet", "2>/dev/null does that" },
	{ "stat", 0, "quiet", "-o /dev/null does that" },
	{ "stat record top", 'G', "cgroup", "control groups are not measured; name their processes (-p)" },
	{ "stat", 0, "for-each-cgroup", "control groups are not measured; name their processes (-p)" },
	{ "stat record", 0, "filter", "there are no tracepoints" },
	{ "stat record", 0, "all-user", "put :u behind each event" },
	{ "stat record", 0, "all-kernel", "put :k behind each event" },
	{ "record top", 0, "group", "events in braces are measured at the same time: -e '{a,b}'" },
	{ "stat record", 0, "control", "a program counts parts of itself with pmon_region_begin(3)" },

	{ "stat", 'g', "group", "events in braces are measured at the same time: -e '{a,b}'" },
	{ "stat", 'B', "big-num", "text has commas in numbers; -x and -j have none" },
	{ "stat", 'n', "null", "name an event that needs no counter: -e task-clock" },
	{ "stat", 'S', "sync", "run sync(1) before" },
	{ "stat", 'M', "metrics", "there are no metrics by name; name the events (-e)" },
	{ "stat", 'T', "transaction", "there are no metrics by name; name the events (-e)" },
	{ "stat", 0, "topdown", "there are no metrics by name; name the events (-e)" },
	{ "stat", 0, "metric-only", "there are no metrics by name; text has ratios, such as IPC" },
	{ "stat", 0, "append", "counts go to standard error: 2>>FILE" },
	{ "stat", 0, "log-fd", "counts go to standard error: 2>&N" },
	{ "stat", 0, "interval-count", "--timeout MS ends the intervals" },
	{ "stat", 0, "per-die", "--per-socket has each socket, and -A each CPU" },
	{ "stat", 0, "no-scale", "beside an estimate, -j has what was counted" },
	{ "stat", 0, "summary", "the sum is printed at the end without it" },
	{ "stat", 0, "table", "-r prints the mean, and how much runs differ" },
	{ "stat", 0, "cputype", "taskset(1) keeps a program on one kind of cores" },

	{ "record top", 'i', "no-inherit", "all threads and child processes are sampled; --thread of report and top picks one" },
	{ "record", 'm', "mmap-pages", "-b BYTES is the size of each buffer" },
	{ "record", 'D', "delay", "'pfmon report --time SECONDS-' leaves out what was before" },
	{ "record", 'd', "data", "samples have no addresses of data" },
	{ "record", 0, "phys-data", "samples have no addresses of data" },
	{ "record", 'W', "weight", "samples have no weights" },
	{ "record", 'j', "branch-filter", "there are no records of branches" },
	{ "record", 0, "branch-any", "there are no records of branches" },
	{ "record", 'T', "timestamp", "samples of all formats but the aggregating ones have their time" },
	{ "record", 'P', "period", "'pfmon script' prints it" },
	{ "record", 's', "stat", "-r EVENT counts an event at each sample" },
	{ "record", 0, "sample-cpu", "samples have their CPU" },
	{ "record", 0, "per-thread", "each thread has a buffer of its own without it" },
	{ "record top", 'u', "uid", "name the user's processes (-p)" },
	{ "record", 0, "off-cpu", "there is no off-CPU time; -e context-switches samples where it begins" },

	{ "diff", 'c', "compute", "the change is in percent of all samples" },
	{ "diff", 0, "baseline-only", "what is in one of the two has 0.00 in the other" },

	{ "report", 0, "tui", "text is what report prints; pfmon top is live" },
	{ "top", 0, "tui", "top is as it is on a terminal" },
	{ "report", 'F', "fields", "--by says what the lines are of" },
	{ "top", 0, "fields", "--by says what the lines are of" },
	{ "report", 'p', "parent", "--calls NAMES has the callers" },
	{ "top", 'g', "call-graph", "--by chain" },
	{ "report", 'D', "dump-raw-trace", "'pfmon script --raw' prints the blocks of samples" },
	{ "report", 't', "field-separator", "-f json is for programs" },
	{ "report", 'T', "threads", "--by thread,symbol" },
	{ "report script", 0, "pid", "--process NAME, or --thread NUMBERS" },
	{ "script", 'F', "fields", "the columns are those that perf script prints if it is not told" },
	{ "script", 'D', "dump-raw-trace", "--raw prints the blocks of samples" },
	{ "top", 'E', "entries", "there are as many lines as the terminal has" },
	{ "top", 0, "percent-limit", "'pfmon report --min' has that" },
	{ "top", 'z', "zero", "each report is of what came since the last one" },
};

#define HABITS	(sizeof(habits) / sizeof(habits[0]))

static bool has_word(const char *words, const char *word)
{
	size_t len = strlen(word);

	while (strncmp(words, word, len) || !strchr(" ", words[len])) {
		words += strcspn(words, " ");
		if (!*words++)
			return false;
	}
	return true;
}

void habits_hint(char **argv)
{
	const char *command = strrchr(argv[0], ' ');
	const char *name = argv[optind - 1];
	size_t i, len = 0;

	/* An unknown word is the last one that was looked at, of an unknown letter optopt says it. */
	if (!optopt) {
		if (strncmp(name, "--", 2))
			return;
		name += 2;
		len = strcspn(name, "=");
	}
	for (i = 0; command && i < HABITS; i++) {
		if (!has_word(habits[i].commands, command + 1))
			continue;
		if (optopt ? habits[i].letter == optopt :
			     strlen(habits[i].name) == len && !strncmp(habits[i].name, name, len)) {
			warnx("of perf's --%s: %s", habits[i].name, habits[i].hint);
			return;
		}
	}
}
