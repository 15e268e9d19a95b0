// SPDX-License-Identifier: GPL-2.0-only
/*
 * Measures the threads that a process has when the measurement begins. They
 * are neither stopped nor traced, so threads that begin later are not seen.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <err.h>
#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include <perfmon/libperfmon.h>

#include "context.h"
#include "measure.h"
#include "signals.h"

struct threads {
	unsigned int n, room;
	struct thread {
		pid_t tid;
		int fd;
		bool ended;
	} *t;
};

static bool known(const struct threads *threads, pid_t tid)
{
	unsigned int i;

	for (i = 0; i < threads->n; i++)
		if (threads->t[i].tid == tid)
			return true;
	return false;
}

static void attach(struct threads *threads, const struct counters *counters,
		   pid_t tid)
{
	struct failure failure;
	int fd;

	fd = context_create(counters, 0, &failure);
	if (fd >= 0 && context_attach(fd, tid, &failure)) {
		close(fd);
		if (failure.err == ESRCH)
			return;		/* it ended meanwhile */
		fd = -1;
	}
	if (fd < 0)
		errx(EXIT_PFMON, "cannot attach to thread %d: %s", (int)tid,
		     failure_text(&failure));
	if (threads->n == threads->room) {
		threads->room = threads->room ? 2 * threads->room : 16;
		threads->t = reallocarray(threads->t, threads->room,
					  sizeof(*threads->t));
		if (!threads->t)
			err(EXIT_PFMON, NULL);
	}
	threads->t[threads->n++] = (struct thread){ .tid = tid, .fd = fd };
}

/*
 * Goes once through the threads of a process, and attaches to those that are
 * new if @counters says what to count. Returns how many were new, or -1 if
 * there is no such process.
 */
static int scan(struct threads *threads, pid_t pid,
		const struct counters *counters)
{
	char path[32];
	struct dirent *entry;
	int fresh = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	dir = opendir(path);
	if (!dir)
		return -1;
	while ((entry = readdir(dir))) {
		pid_t tid = (pid_t)atoi(entry->d_name);

		if (tid <= 0 || known(threads, tid))
			continue;
		fresh++;
		if (counters)
			attach(threads, counters, tid);
	}
	closedir(dir);
	return fresh;
}

/* A thread that ends says so with a message; its context is detached then. */
static void take_messages(struct thread *thread)
{
	pfm_msg_t msg;

	if (read(thread->fd, &msg, sizeof(msg)) == sizeof(msg) &&
	    msg.msg_type == PFM_MSG_END)
		thread->ended = true;
}

/* Until all threads have ended, or a signal comes. */
static void wait_for_threads(struct threads *threads)
{
	unsigned int i, left = threads->n;
	struct pollfd *fds;

	fds = calloc(threads->n + 1, sizeof(*fds));
	if (!fds)
		err(EXIT_PFMON, NULL);
	for (i = 0; i < threads->n; i++)
		fds[i] = (struct pollfd){ threads->t[i].fd, POLLIN, 0 };
	fds[i] = (struct pollfd){ signals_fd(), POLLIN, 0 };
	while (left && !signals_last()) {
		if (poll(fds, threads->n + 1, -1) < 0) {
			if (errno == EINTR)
				continue;
			err(EXIT_PFMON, "poll");
		}
		for (i = 0; i < threads->n; i++) {
			if (!fds[i].revents)
				continue;
			take_messages(&threads->t[i]);
			if (threads->t[i].ended) {
				fds[i].fd = -1;
				left--;
			}
		}
	}
	free(fds);
}

static void collect(struct result *result, struct threads *threads)
{
	uint64_t values[MAX_COUNTERS];
	struct failure failure;
	unsigned int i;

	for (i = 0; i < threads->n; i++) {
		if (context_read(threads->t[i].fd, result->counters, values,
				 &failure))
			errx(EXIT_PFMON, "cannot read the counts of thread %d: %s",
			     (int)threads->t[i].tid, failure_text(&failure));
		result_add(result, values, 0);
		close(threads->t[i].fd);
	}
}

int measure_process(struct result *result, pid_t pid, struct child *child)
{
	struct threads threads = { 0 };
	struct failure failure;
	struct rusage usage;
	int fresh, status = 0;
	uint64_t begin;
	unsigned int i;

	/* Threads can begin while we look: until a look finds none. */
	while ((fresh = scan(&threads, pid, result->counters)) > 0)
		;
	if (!threads.n)
		errx(EXIT_PFMON, "there is no process %d", (int)pid);
	begin = now_ns();
	for (i = 0; i < threads.n; i++)
		/* EBUSY: it ended, and its context is detached already. */
		if (context_start(threads.t[i].fd, &failure) &&
		    failure.err != EBUSY)
			errx(EXIT_PFMON, "cannot count thread %d: %s",
			     (int)threads.t[i].tid, failure_text(&failure));
	if (child) {
		child_release(child);
		status = child_wait(child, &usage);
		signals_child_gone();
	} else {
		wait_for_threads(&threads);
	}
	result->elapsed_ns = now_ns() - begin;
	fresh = scan(&threads, pid, NULL);
	collect(result, &threads);
	if (fresh > 0)
		result_note(result, "%d thread%s began meanwhile and %s not counted",
			    fresh, fresh == 1 ? "" : "s",
			    fresh == 1 ? "is" : "are");
	free(threads.t);
	return status;
}
