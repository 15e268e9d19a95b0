/* SPDX-License-Identifier: GPL-2.0-only */
/* What to measure: a command, a process or CPUs. */
#ifndef PFMON_TARGET_H
#define PFMON_TARGET_H

#include "measure.h"

struct target {
	struct targets threads;	/* of -p and -t */
	const char *cpus;	/* of -C, or NULL */
	struct cpu_list cpu_list;
	bool no_follow;
	char **command;		/* NULL if there is none */
	int exec_errno;		/* why it could not be run, 0 if it was */
	unsigned int runs, run;	/* how many there will be, and were */
	struct child *child;	/* of each run */
};

/**
 * target_add() - measure processes or threads; ends the program if they cannot be
 * @t:          target
 * @text:       their numbers, separated by commas
 * @is_process: processes, with all their threads
 */
void target_add(struct target *t, const char *text, bool is_process);

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
 * target_prepare() - make the processes that will run the command, if there is one
 * @t:    target
 * @runs: times that target_measure() will be called
 */
void target_prepare(struct target *t, unsigned int runs);

/**
 * target_measure() - run the command if there is one, and measure
 * @t:      target, prepared; exec_errno is filled in
 * @result: receives what was found
 *
 * Return: the exit status for pfmon, if nothing else fails.
 */
int target_measure(struct target *t, struct result *result);

#endif /* PFMON_TARGET_H */
