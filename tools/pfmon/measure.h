/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The ways to measure, one a file. Each attaches contexts, measures until its
 * end, and leaves counts, times and notes in a result. What makes measuring
 * impossible ends the program.
 */
#ifndef PFMON_MEASURE_H
#define PFMON_MEASURE_H

#include <sys/types.h>

#include "child.h"
#include "result.h"

/* The CPUs of -C. More than any kernel has. */
#define CPUS_MAX	8192

struct cpu_list {
	unsigned int n;
	unsigned int left_out;	/* of "all": that are online, and not for this process */
	unsigned short cpu[CPUS_MAX];
};

/* What -p and -t name. */
struct targets {
	unsigned int n;
	struct target_id {
		pid_t id;
		bool is_process;	/* with all its threads */
	} *target;
};

/**
 * measure_follow() - a command with all its threads and child processes, by ptrace()
 * @result: counters in, counts out
 * @child:  a command that waits to be run
 *
 * Return: the command's wait status.
 */
int measure_follow(struct result *result, struct child *child);

/* What has to be said of a command whose program nobody may look into. */
#define COMMAND_NOT_COUNTED \
	"the command was not %s: this user may not read its program, or it has the rights of another one, and the kernel lets nobody look into it"

/**
 * command_note_left() - say what goes on when the command has ended
 * @result: where to
 * @n:      how many threads
 */
void command_note_left(struct result *result, unsigned int n);

/**
 * measure_command() - a command: as a tree if the result says so, else its first thread only
 * @result: counters in, counts out
 * @child:  a command that waits to be run
 *
 * Return: the command's wait status.
 */
int measure_command(struct result *result, struct child *child);

/**
 * measure_process() - threads, and processes with all threads that they have; as trees if
 *	the result says so, with what these make and child processes that there are
 * @result:  counters in, counts out
 * @targets: which, at least one
 * @child:   a command that says for how long, or NULL: until all have ended, or a
 *           signal comes
 *
 * Return: the command's wait status, or 0.
 */
int measure_process(struct result *result, const struct targets *targets,
		    struct child *child);

/**
 * process_gone() - end the program: a process has no thread that could be measured
 * @pid: its number
 *
 * Says whether it has ended, or cannot be seen.
 */
void __attribute__((noreturn)) process_gone(pid_t pid);

/**
 * measure_joined() - a tree, by a context on each CPU that joins it
 * @result:  @joins is set; counters in, counts out
 * @process: with all that it has made and makes; or NULL: the command
 * @child:   a command; NULL: until all have ended, or a signal comes
 *
 * Return: the command's wait status, or 0.
 */
int measure_joined(struct result *result, const struct target_id *process, struct child *child);

/**
 * measure_cpus() - whole CPUs; or, if @result->joins, what a tree's members do on them
 * @result: counters in, counts out
 * @cpus:   which
 * @child:  a command that says for how long, or NULL: until a signal comes
 *
 * Return: the command's wait status, or 0.
 */
int measure_cpus(struct result *result, const struct cpu_list *cpus,
		 struct child *child);

/**
 * cpu_list_parse() - read a list of CPUs
 * @cpus: receives them in increasing order, each once
 * @text: such as "0-3,7"; or "all" that are online and in the cpuset of this process
 *
 * Return: 0, or -1 if it is not such a list.
 */
int cpu_list_parse(struct cpu_list *cpus, const char *text);

/**
 * result_usage() - note what a command used
 * @result: where to
 * @before: what its process had used when it began to be measured
 * @usage:  what it had used at its end
 */
void result_usage(struct result *result, const struct rusage *before,
		  const struct rusage *usage);

#endif /* PFMON_MEASURE_H */
