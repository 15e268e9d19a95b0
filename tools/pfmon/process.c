// SPDX-License-Identifier: GPL-2.0-only
/*
 * Measures the threads that a process has when the measurement begins. They
 * are neither stopped nor traced, so threads that begin later are not seen.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <err.h>
#include <errno.h>
#include <stdlib.h>

#include "measure.h"
#include "signals.h"
#include "watch.h"

/* More looks find only threads that begin and end all the time. */
#define LOOKS	100

struct threads {
	unsigned int n, room;
	struct probe **t;
	unsigned int missed;	/* that are there and have no context ... */
	pid_t missed_tid;	/* ... the last of them ... */
	struct failure failure;	/* ... and why the first of them has none */
};

static bool known(const struct threads *threads, pid_t tid)
{
	unsigned int i;

	for (i = 0; i < threads->n; i++)
		if (threads->t[i]->tid == tid)
			return true;
	return false;
}

/* Returns whether it has a context now; a thread that has ended meanwhile has none. */
static bool attach(struct threads *threads, struct result *result, pid_t tid)
{
	struct failure failure;
	struct probe *probe;

	probe = probe_attach(result, tid, -1, &failure);
	if (!probe && failure.err == ESRCH)
		return false;
	if (!probe) {
		threads->missed_tid = tid;
		if (!threads->missed++)
			threads->failure = failure;
		return false;
	}
	if (threads->n == threads->room) {
		threads->room = threads->room ? 2 * threads->room : 16;
		threads->t = reallocarray(threads->t, threads->room,
					  sizeof(*threads->t));
		if (!threads->t)
			err(EXIT_PFMON, NULL);
	}
	threads->t[threads->n++] = probe;
	watch_add(probe);
	return true;
}

/*
 * Goes once through the threads of a process, and attaches to those that are
 * new if @result says what for. Returns how many were new and are measured, or
 * would have to be; -1 if there is no such process.
 */
static int scan(struct threads *threads, pid_t pid, struct result *result)
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
		fresh += !result || attach(threads, result, tid);
	}
	closedir(dir);
	return fresh;
}

/* Threads can begin while we look: until a look finds none that can be measured. */
static void scan_all(struct threads *threads, pid_t pid, struct result *result)
{
	unsigned int looks = 0;
	int fresh;

	do {
		threads->missed = 0;
		fresh = scan(threads, pid, result);
	} while (fresh > 0 && ++looks < LOOKS);
}

static bool all_ended(const struct threads *threads)
{
	unsigned int i;

	for (i = 0; i < threads->n; i++)
		if (!threads->t[i]->ended)
			return false;
	return true;
}

static void start(const struct threads *threads)
{
	struct failure failure;
	unsigned int i;

	for (i = 0; i < threads->n; i++)
		/* EBUSY: it ended, and its context is detached already. */
		if (probe_start(threads->t[i], &failure) && failure.err != EBUSY)
			errx(EXIT_PFMON, "cannot measure thread %d: %s",
			     (int)threads->t[i]->tid, failure_text(&failure));
}

static void collect(const struct result *result, const struct threads *threads)
{
	struct failure failure;
	unsigned int i;

	for (i = 0; i < threads->n; i++) {
		pid_t tid = threads->t[i]->tid;

		if (probe_finish(threads->t[i], 0, &failure))
			errx(EXIT_PFMON, "cannot read the %s of thread %d: %s",
			     result->ops->what, (int)tid,
			     failure_text(&failure));
	}
}

int measure_process(struct result *result, pid_t pid, struct child *child)
{
	struct threads threads = { 0 };
	struct rusage usage;
	int fresh, status = 0;
	uint64_t begin;

	scan_all(&threads, pid, result);
	if (!threads.n && threads.missed)
		errx(EXIT_PFMON, "cannot attach to thread %d: %s", (int)threads.missed_tid,
		     failure_text(&threads.failure));
	if (!threads.n)
		errx(EXIT_PFMON, "there is no process %d", (int)pid);
	begin = now_ns();
	start(&threads);
	if (child) {
		child_release(child);
		status = watch_child(result, child, &usage);
		signals_child_gone();
	} else {
		/* A thread that ends says so with a message. */
		while (!all_ended(&threads) && !signals_last())
			watch_wait(result);
	}
	result->elapsed_ns = now_ns() - begin;
	fresh = scan(&threads, pid, NULL);
	collect(result, &threads);
	if (fresh < 0)
		fresh = 0;
	/* Those that could not be measured look new, too, if they are still there. */
	fresh -= fresh < (int)threads.missed ? fresh : (int)threads.missed;
	result->missed = threads.missed + (unsigned int)fresh;
	if (threads.missed)
		result_note(result, "%u thread%s not %s: %s", threads.missed,
			    threads.missed == 1 ? " was" : "s were", result->ops->done,
			    failure_text(&threads.failure));
	if (fresh > 0)
		result_note(result, "%d thread%s began meanwhile and %s not %s",
			    fresh, fresh == 1 ? "" : "s",
			    fresh == 1 ? "is" : "are", result->ops->done);
	free(threads.t);
	return status;
}
