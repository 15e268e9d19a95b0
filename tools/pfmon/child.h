/* SPDX-License-Identifier: GPL-2.0-only */
/* The command that pfmon runs. */
#ifndef PFMON_CHILD_H
#define PFMON_CHILD_H

#include <stdbool.h>
#include <sys/resource.h>
#include <sys/types.h>

struct child {
	pid_t pid;
	int go;		/* write end: a byte lets it run the command */
	int error;	/* read end: errno of an exec() that failed */
	struct rusage before;	/* what it has used until it waits */
	bool to_stderr;		/* what it prints goes to standard error: to be set before */
};

/**
 * child_fork() - make a process that waits to run a command
 * @child: filled in, but for @to_stderr
 * @argv:  the command, NULL at the end
 *
 * The process has everything as pfmon got it: signals, and the limit of open files. If
 * pfmon ends without child_release(), it ends too.
 */
void child_fork(struct child *child, char **argv);

/**
 * child_release() - let it run the command
 * @child: from child_fork()
 */
void child_release(struct child *child);

/**
 * child_dead() - has it ended, but has not been waited for?
 * @child: from child_fork()
 *
 * Return: true or false.
 */
bool child_dead(const struct child *child);

/**
 * child_ended() - has it ended?
 * @child:  from child_fork()
 * @status: receives the status then, as waitpid() has it
 * @usage:  receives what it and its children used
 *
 * Return: true once; it is waited for then.
 */
bool child_ended(struct child *child, int *status, struct rusage *usage);

/**
 * child_exec_error() - could the command not be run?
 * @child: a child that ended
 *
 * Return: 0 if it was run, else the errno of exec().
 */
int child_exec_error(struct child *child);

/**
 * exit_status() - the exit status that a shell has for a wait status
 * @status: as waitpid() has it
 *
 * Return: the program's own, or 128 and the signal that killed it.
 */
int exit_status(int status);

#endif /* PFMON_CHILD_H */
