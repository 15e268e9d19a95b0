// SPDX-License-Identifier: GPL-2.0-only
/*
 * The command that pfmon runs. The process exists before the command does, so
 * that contexts can be attached to it first: it waits for a byte in a pipe.
 */
#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "child.h"
#include "require.h"
#include "signals.h"

/* Exit statuses of a shell for a command that cannot be run. */
#define EXIT_NOT_EXECUTABLE	126
#define EXIT_NOT_FOUND		127

static void __attribute__((noreturn))
run(int go, int error, bool to_stderr, char **argv)
{
	struct rusage usage;
	char byte;
	int e;

	getrusage(RUSAGE_SELF, &usage);
	if (write(error, &usage, sizeof(usage)) != sizeof(usage))
		_exit(EXIT_PFMON);
	if (read(go, &byte, 1) != 1)
		_exit(EXIT_PFMON);	/* pfmon gave up */
	if (to_stderr && dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
		_exit(EXIT_PFMON);
	restore_file_limit();
	execvp(argv[0], argv);
	e = errno;
	if (write(error, &e, sizeof(e)) != sizeof(e))
		e = EIO;		/* no reader: the exit status says it */
	_exit(e == ENOENT || e == ENOTDIR ? EXIT_NOT_FOUND :
	      EXIT_NOT_EXECUTABLE);
}

void child_fork(struct child *child, char **argv)
{
	int go[2], error[2];

	if (pipe2(go, O_CLOEXEC) || pipe2(error, O_CLOEXEC))
		err(EXIT_PFMON, "pipe");
	child->pid = signals_fork();
	if (child->pid < 0)
		err(EXIT_PFMON, "fork");
	if (!child->pid) {
		close(go[1]);
		close(error[0]);
		run(go[0], error[1], child->to_stderr, argv);
	}
	close(go[0]);
	close(error[1]);
	child->go = go[1];
	child->error = error[0];
	/* Of one that was killed meanwhile the status tells. */
	if (read(child->error, &child->before, sizeof(child->before)) != sizeof(child->before))
		memset(&child->before, 0, sizeof(child->before));
}

void child_release(struct child *child)
{
	/* It can have been killed while it waited: its status will tell. */
	if (write(child->go, "", 1) != 1 && errno != EPIPE)
		warn("cannot release the command");
	close(child->go);
}

bool child_dead(const struct child *child)
{
	siginfo_t info = { .si_pid = 0 };

	waitid(P_PID, (id_t)child->pid, &info, WEXITED | WNOHANG | WNOWAIT);
	return info.si_pid;
}

bool child_ended(struct child *child, int *status, struct rusage *usage)
{
	pid_t pid;

	do
		pid = wait4(child->pid, status, WNOHANG, usage);
	while (pid < 0 && errno == EINTR);
	if (pid < 0)
		err(EXIT_PFMON, "wait4");
	return pid > 0;
}

int child_exec_error(struct child *child)
{
	int e;

	if (read(child->error, &e, sizeof(e)) != sizeof(e))
		e = 0;
	close(child->error);
	return e;
}

int exit_status(int status)
{
	if (WIFSIGNALED(status))
		return 128 + WTERMSIG(status);
	return WEXITSTATUS(status);
}
