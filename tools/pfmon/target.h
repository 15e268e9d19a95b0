/* SPDX-License-Identifier: GPL-2.0-only */
/* What to measure: a command, a process or CPUs. */
#ifndef PFMON_TARGET_H
#define PFMON_TARGET_H

#include "measure.h"

struct turn_options;

struct target {
	struct targets threads;	/* of -p and -t */
	const char *cpus;	/* of -C, or NULL */
	struct cpu_list cpu_list;
	bool no_follow;		/* nor threads and processes that -p and -t do not name */
	bool tree;		/* the kernel is to count all that is made, too */
	bool joins;		/* contexts of CPUs are to join that tree */
	bool wait;		/* for what others have: see wait.h */
	char **command;		/* NULL if there is none */
	int exec_errno;		/* why it could not be run, 0 if it was */
	struct child child;	/* that runs it */
};

/* Its options, of stat, record and top: short, lines of getopt_long()'s table, and help. */
#define TARGET_SHORT	"p:t:aC:"

#define TARGET_OPTIONS							\
	{ "pid", required_argument, NULL, 'p' },			\
	{ "tid", required_argument, NULL, 't' },			\
	{ "all-cpus", no_argument, NULL, 'a' },				\
	{ "cpu", required_argument, NULL, 'C' },			\
	{ "wait", no_argument, NULL, TARGET_WAIT }

#define TARGET_WAIT	1024	/* what getopt_long() returns for it */

#define TARGET_USAGE(space)						\
"  -p, --pid LIST     " space "the threads of processes\n"			\
"  -t, --tid LIST     " space "single threads\n"				\
"  -a, --all-cpus     " space "all CPUs\n"					\
"  -C, --cpu CPUS     " space "CPUs: a list such as 0-1,3, or all\n"

/**
 * target_option() - take an option; ends the program if its argument is wrong
 * @t:   target
 * @c:   as getopt_long() returned it
 * @arg: its argument, kept
 *
 * Return: true, or false if it is no option of a target.
 */
bool target_option(struct target *t, int c, const char *arg);

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
 * target_place() - give events their counters; ends the program if they cannot be counted
 * @t:        target; with @wait after it has waited for them
 * @o:        when events take turns
 * @counters: chosen events; those that count all levels at the user's only if the kernel's is
 *            forbidden
 */
void target_place(const struct target *t, const struct turn_options *o,
		  struct counters *counters);

/**
 * target_measure() - run the command if there is one, and measure
 * @t:      target; exec_errno is filled in
 * @result: receives what was found
 *
 * Return: the exit status for pfmon, if nothing else fails.
 */
int target_measure(struct target *t, struct result *result);

#endif /* PFMON_TARGET_H */
