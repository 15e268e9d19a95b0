// SPDX-License-Identifier: GPL-2.0-only
/* Ctrl-C and its like end the measurement, not pfmon. */
#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "require.h"
#include "signals.h"

static const int caught[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };

#define CAUGHT	(sizeof(caught) / sizeof(caught[0]))

/* What pfmon changes, and how that was when it began. */
static const int changed[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXFSZ, SIGCHLD, SIGUSR2 };

#define CHANGED	(sizeof(changed) / sizeof(changed[0]))

static struct sigaction before[CHANGED];
static sigset_t mask_before;

static volatile sig_atomic_t last_signal;
static volatile sig_atomic_t child_fd = -1;	/* stands for the child alone */
static int wake[2];

static void on_signal(int sig, siginfo_t *info, void *unused)
{
	int saved = errno;

	(void)unused;
	last_signal = sig;
	/* SI_KERNEL, the terminal's, is above 0: the child got it too. */
	if (child_fd >= 0 && info->si_code <= 0)
		syscall(SYS_pidfd_send_signal, child_fd, sig, NULL, 0);
	if (write(wake[1], "", 1) < 0)
		errno = saved;		/* full: it is readable already */
	errno = saved;
}

void signals_begin(void)
{
	size_t i;

	for (i = 0; i < CHANGED; i++)
		sigaction(changed[i], NULL, &before[i]);
	sigprocmask(SIG_SETMASK, NULL, &mask_before);
	/* A file that may not grow any more is an error like that of a full disk. */
	signal(SIGXFSZ, SIG_IGN);
}

pid_t signals_fork(void)
{
	sigset_t all, now;
	pid_t pid;
	size_t i;
	int e;

	/* None is to be caught in the child as if it were pfmon. */
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &now);
	pid = fork();
	e = errno;
	for (i = 0; i < CHANGED && !pid; i++)
		sigaction(changed[i], &before[i], NULL);
	sigprocmask(SIG_SETMASK, pid ? &now : &mask_before, NULL);
	errno = e;
	return pid;
}

void signals_catch(pid_t child)
{
	struct sigaction action, old;
	size_t i;

	/* Not its number, which is free again as soon as it has been waited for. */
	if (child) {
		child_fd = (int)syscall(SYS_pidfd_open, child, 0);
		if (child_fd < 0)
			err(EXIT_PFMON, "pidfd_open");
	}
	if (wake[1])
		return;
	if (pipe2(wake, O_CLOEXEC | O_NONBLOCK))
		err(EXIT_PFMON, "pipe");
	memset(&action, 0, sizeof(action));
	action.sa_sigaction = on_signal;
	action.sa_flags = SA_SIGINFO | SA_RESTART;
	sigemptyset(&action.sa_mask);
	for (i = 0; i < CAUGHT; i++) {
		sigaction(caught[i], NULL, &old);
		if (old.sa_handler != SIG_IGN)
			sigaction(caught[i], &action, NULL);
	}
	/* A child that is gone, or a reader of our output, is no reason to die. */
	signal(SIGPIPE, SIG_IGN);
	/* Where it is ignored there would be nothing to wait for. */
	signal(SIGCHLD, SIG_DFL);
}

void signals_child_gone(void)
{
	int fd = child_fd;

	child_fd = -1;
	if (fd >= 0)
		close(fd);
}

void signals_end_child(void)
{
	if (child_fd < 0)
		return;
	syscall(SYS_pidfd_send_signal, child_fd, SIGTERM, NULL, 0);
	/* One that is stopped would not see it. */
	syscall(SYS_pidfd_send_signal, child_fd, SIGCONT, NULL, 0);
}

int signals_fd(void)
{
	return wake[0];
}

void signals_seen(void)
{
	char bytes[64];

	while (read(wake[0], bytes, sizeof(bytes)) > 0)
		;
}

int signals_last(void)
{
	return last_signal;
}
