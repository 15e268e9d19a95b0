// SPDX-License-Identifier: GPL-2.0-only
/* What to measure: a command, a process or CPUs. */
#include <err.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <perfmon/libperfmon.h>

#include "hardware.h"
#include "probe.h"
#include "signals.h"
#include "target.h"
#include "turns.h"
#include "wait.h"
#include "watch.h"

/* Processes, with all their threads, or threads: numbers, separated by commas. */
static void add_threads(struct target *t, const char *text, bool is_process)
{
	struct targets *threads = &t->threads;
	const char *from = text;
	char *end;
	long id;

	do {
		errno = 0;
		id = strtol(from, &end, 10);
		if (errno || end == from || (*end && *end != ',') || id <= 0 ||
		    id != (pid_t)id)
			errx(EXIT_PFMON, "'%s' is not a %s number", text,
			     is_process ? "process" : "thread");
		threads->target = reallocarray(threads->target, threads->n + 1,
					       sizeof(*threads->target));
		if (!threads->target)
			err(EXIT_PFMON, NULL);
		threads->target[threads->n++] = (struct target_id){ (pid_t)id, is_process };
		from = end + 1;
	} while (*end);
}

static void set_cpus(struct target *t, const char *text)
{
	t->cpus = text;
	if (cpu_list_parse(&t->cpu_list, text))
		errx(EXIT_PFMON, "'%s' is not a list of CPUs such as 0-1,3 or all",
		     text);
}

bool target_option(struct target *t, int c, const char *arg)
{
	switch (c) {
	case 'p':
	case 't':
		add_threads(t, arg, c == 'p');
		break;
	case 'a':
		set_cpus(t, "all");
		break;
	case 'C':
		set_cpus(t, arg);
		break;
	case TARGET_WAIT:
		t->wait = true;
		break;
	default:
		return false;
	}
	return true;
}

bool target_check(const struct target *t, const char *to)
{
	if (t->threads.n && t->cpus)
		warnx("processes (-p, -t) and CPUs (-C, -a) exclude each other");
	else if (!t->threads.n && !t->cpus && !t->command)
		warnx("what is to be %s? Name a command, or -p, -t, -a or -C", to);
	else if (t->no_follow && t->cpus)
		warnx("--no-follow is for a command, processes and threads, not for CPUs");
	else
		return true;
	return false;
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

/* "processes 12,13" or "process 12, threads 14,15", as far as there is room. */
static void name_threads(char title[TITLE_MAX], const struct targets *threads)
{
	static const char *const words[] = { "thread", "process" };
	unsigned int i, k, n, at = 0;

	for (k = 0; k < 2; k++) {
		const char *comma = " ";

		for (n = 0, i = 0; i < threads->n; i++)
			n += threads->target[i].is_process == !k;
		if (n && at < TITLE_MAX)
			at += (unsigned int)snprintf(title + at, TITLE_MAX - at, "%s%s%s",
						     at ? ", " : "", words[!k],
						     n == 1 ? "" : k ? "s" : "es");
		for (i = 0; n && i < threads->n; i++) {
			if (threads->target[i].is_process != !k || at >= TITLE_MAX)
				continue;
			at += (unsigned int)snprintf(title + at, TITLE_MAX - at, "%s%d", comma,
						     (int)threads->target[i].id);
			comma = ",";
		}
	}
	if (at >= TITLE_MAX)
		strcpy(title + TITLE_MAX - 4, "...");
}

void target_title(const struct target *t, struct result *result)
{
	char *title = result->title;

	result->threads = !t->cpus;
	if (t->threads.n)
		name_threads(title, &t->threads);
	else if (!t->cpus)
		quote_command(title, t->command);
	else if (!strcmp(t->cpus, "all") && t->cpu_list.left_out)
		snprintf(title, TITLE_MAX, "all CPUs but %u", t->cpu_list.left_out);
	else if (!strcmp(t->cpus, "all"))
		strcpy(title, TITLE_ALL);
	else
		snprintf(title, TITLE_MAX, "CPU%s %s",
			 t->cpu_list.n == 1 ? "" : "s", t->cpus);
	if (t->cpu_list.left_out)
		result_note(result, "%u CPU%s not %s: this process may not run there (a cpuset of its control group)",
			    t->cpu_list.left_out, t->cpu_list.left_out == 1 ? " was" : "s were",
			    result->ops->done);
	if (t->no_follow && !t->threads.n)
		result_note(result, "only the first thread was %s",
			    result->ops->done);
}

void target_place(const struct target *t, const struct turn_options *o,
		  struct counters *counters)
{
	bool system = t->cpus;

	/* What is taken now may be free when the wait is over. */
	if (t->wait)
		events_free_list(system, "");
	else
		events_free(system);
	turns_make(o, counters);
	hardware_settle(counters, system ? PFM_FL_SYSTEM_WIDE : 0);
	if (t->wait)
		wait_place(t, o, counters);
}

static int measure(const struct target *t, struct result *result,
		   struct child *child)
{
	if (t->joins)
		return measure_joined(result, t->threads.target, child);
	if (t->threads.n)
		return measure_process(result, &t->threads, child);
	if (t->cpus)
		return measure_cpus(result, &t->cpu_list, child);
	if (t->no_follow || t->tree)
		return measure_command(result, child);
	return measure_follow(result, child);
}

int target_measure(struct target *t, struct result *result)
{
	struct child *command = t->command ? &t->child : NULL;
	int status;

	result->wait = t->wait;
	result->tree = t->tree;
	result->joins = t->joins;
	raise_file_limit();
	if (command)
		child_fork(command, t->command);
	signals_catch(command ? command->pid : 0);
	watch_begin();
	if (result->ops->tick)
		watch_timer(result->ops->tick_ns, true, result->ops->tick);
	status = measure(t, result, command);
	if (command) {
		t->exec_errno = child_exec_error(command);
		if (t->exec_errno) {
			errno = t->exec_errno;
			warn("cannot run '%s'", t->command[0]);
		}
	}
	if (!command && signals_last())
		return 128 + signals_last();
	return exit_status(status);
}
