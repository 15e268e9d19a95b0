/* SPDX-License-Identifier: GPL-2.0-only */
/* What to measure: a command, a process or CPUs. */
#ifndef PFMON_TARGET_H
#define PFMON_TARGET_H

#include "measure.h"

struct target {
	pid_t pid;		/* of -p, or 0 */
	const char *cpus;	/* of -C, or NULL */
	struct cpu_list cpu_list;
	bool no_follow;
	char **command;		/* NULL if there is none */
	int exec_errno;		/* why it could not be run, 0 if it was */
};

/**
 * target_set_pid() - measure a process; ends the program if it cannot be one
 * @t:    target
 * @text: its number
 */
void target_set_pid(struct target *t, const char *text);

/**
 * target_set_cpus() - measure CPUs; ends the program if it is no list of them
 * @t:    target
 * @text: as cpu_list_parse() takes it, kept
 */
void target_set_cpus(struct target *t, const char *text);

/**
 * target_check() - do the parts go together?
 * @t:  target
 * @to: what is to be done to it: "counted"
 *
 * Return: true, or false and it has been said why not.
 */
bool target_check(const struct target *t, const char *to);

/**
 * target_title() - name what is measured
 * @t:      target
 * @result: receives the title
 */
void target_title(const struct target *t, struct result *result);

/**
 * target_measure() - run the command if there is one, and measure
 * @t:      target; exec_errno is filled in
 * @result: receives what was found
 *
 * Return: the exit status for pfmon, if nothing else fails.
 */
int target_measure(struct target *t, struct result *result);

#endif /* PFMON_TARGET_H */
