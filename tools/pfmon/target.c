// SPDX-License-Identifier: GPL-2.0-only
/* What to measure: a command, a process or CPUs. */
#include <err.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "signals.h"
#include "target.h"
#include "watch.h"

void target_set_pid(struct target *t, const char *text)
{
	char *end;
	long pid;

	errno = 0;
	pid = strtol(text, &end, 10);
	if (errno || end == text || *end || pid <= 0 || pid != (pid_t)pid)
		errx(EXIT_PFMON, "'%s' is not a process number", text);
	t->pid = (pid_t)pid;
}

void target_set_cpus(struct target *t, const char *text)
{
	t->cpus = text;
	if (cpu_list_parse(&t->cpu_list, text))
		errx(EXIT_PFMON, "'%s' is not a list of CPUs such as 0-1,3 or all",
		     text);
}

bool target_check(const struct target *t, const char *to)
{
	if (t->pid && t->cpus)
		warnx("-p and -C exclude each other");
	else if (!t->pid && !t->cpus && !t->command)
		warnx("what is to be %s? Name a command, or -p, or -C", to);
	else if (t->no_follow && (t->pid || t->cpus))
		warnx("--no-follow is for a command, not for -p or -C");
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

void target_title(const struct target *t, struct result *result)
{
	char *title = result->title;

	result->threads = !t->cpus;
	if (t->pid)
		snprintf(title, TITLE_MAX, "process %d", (int)t->pid);
	else if (!t->cpus)
		quote_command(title, t->command);
	else if (!strcmp(t->cpus, "all"))
		snprintf(title, TITLE_MAX, "all CPUs");
	else
		snprintf(title, TITLE_MAX, "CPU%s %s",
			 t->cpu_list.n == 1 ? "" : "s", t->cpus);
	if (t->no_follow)
		result_note(result, "only the first thread was %s",
			    result->ops->done);
}

static int measure(const struct target *t, struct result *result,
		   struct child *child)
{
	if (t->pid)
		return measure_process(result, t->pid, child);
	if (t->cpus)
		return measure_cpus(result, &t->cpu_list, child);
	if (t->no_follow)
		return measure_command(result, child);
	return measure_follow(result, child);
}

int target_measure(struct target *t, struct result *result)
{
	struct child child, *command = NULL;
	int status;

	if (t->command) {
		child_fork(&child, t->command);
		command = &child;
	}
	signals_catch(command ? command->pid : 0);
	watch_begin();
	raise_file_limit();
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
