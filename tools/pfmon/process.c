// SPDX-License-Identifier: GPL-2.0-only
/*
 * Measures threads, and processes with all threads that they have. These are neither
 * stopped nor traced, so threads that begin later are seen only at the next look.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <err.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>

#include "measure.h"
#include "schedule.h"
#include "signals.h"
#include "watch.h"

/* More looks find only threads that begin and end all the time. */
#define LOOKS	100

/* From one look for new threads to the next. */
#define LOOK_NS	20000000

static struct threads {
	const struct targets *targets;
	unsigned int n, room;
	struct probe **t;
	bool going;		/* measuring has begun */
	unsigned int late;	/* that began after that */
	unsigned int missed;	/* that are there and have no context ... */
	pid_t missed_tid;	/* ... the last of them ... */
	struct failure failure;	/* ... and why the first of them has none */
} threads;

static bool known(pid_t tid)
{
	unsigned int i;

	/* Its number may be that of one that has ended. */
	for (i = 0; i < threads.n; i++)
		if (threads.t[i]->tid == tid && !threads.t[i]->ended)
			return true;
	return false;
}

static void keep(struct probe *probe)
{
	if (threads.n == threads.room) {
		threads.room = threads.room ? 2 * threads.room : 16;
		threads.t = reallocarray(threads.t, threads.room, sizeof(*threads.t));
		if (!threads.t)
			err(EXIT_PFMON, NULL);
	}
	threads.t[threads.n++] = probe;
	watch_add(probe);
}

/* Returns whether it has a context now; a thread that has ended meanwhile has none. */
static bool attach(struct result *result, pid_t tid)
{
	struct failure failure;
	struct probe *probe;

	probe = probe_attach(result, tid, -1, &failure);
	if (probe && threads.going && probe_start(probe, &failure)) {
		/* EBUSY: it ended, and its context is detached already. */
		probe_drop(probe);
		return false;
	}
	if (!probe && failure.err == ESRCH)
		return false;
	if (!probe) {
		threads.missed_tid = tid;
		if (!threads.missed++)
			threads.failure = failure;
		return false;
	}
	threads.late += threads.going;
	keep(probe);
	return true;
}

/*
 * Goes once through the threads of a process, and attaches to those that are new.
 * Returns how many were; -1 if there is no such process.
 */
static int look_at(struct result *result, pid_t pid)
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

		if (tid > 0 && !known(tid))
			fresh += attach(result, tid);
	}
	closedir(dir);
	return fresh;
}

/* At all that are to be measured. Returns whether there were new threads. */
static bool look(struct result *result)
{
	const struct targets *targets = threads.targets;
	bool fresh = false;
	unsigned int i;

	threads.missed = 0;
	for (i = 0; i < targets->n; i++) {
		pid_t id = targets->target[i].id;

		if (targets->target[i].is_process)
			fresh |= look_at(result, id) > 0;
		else if (!threads.going)
			fresh |= !known(id) && attach(result, id);
	}
	return fresh;
}

static void look_again(struct result *result)
{
	look(result);
}

/* Which is not there? */
static void check_targets(void)
{
	unsigned int i;

	if (threads.missed && !threads.n)
		errx(EXIT_PFMON, "cannot attach to thread %d: %s", (int)threads.missed_tid,
		     failure_text(&threads.failure));
	for (i = 0; i < threads.targets->n; i++) {
		const struct target_id *t = &threads.targets->target[i];

		if (kill(t->id, 0) && errno == ESRCH)
			errx(EXIT_PFMON, "there is no %s %d",
			     t->is_process ? "process" : "thread", (int)t->id);
	}
	if (!threads.n)
		errx(EXIT_PFMON, "there is no process %d",
		     (int)threads.targets->target[0].id);
}

static bool all_ended(void)
{
	unsigned int i;

	for (i = 0; i < threads.n; i++)
		if (!threads.t[i]->ended)
			return false;
	return true;
}

static void start(void)
{
	struct failure failure;
	unsigned int i;

	for (i = 0; i < threads.n; i++)
		/* EBUSY: it ended, and its context is detached already. */
		if (probe_start(threads.t[i], &failure) && failure.err != EBUSY)
			errx(EXIT_PFMON, "cannot measure thread %d: %s",
			     (int)threads.t[i]->tid, failure_text(&failure));
	threads.going = true;
}

static void collect(const struct result *result)
{
	struct failure failure;
	unsigned int i;

	for (i = 0; i < threads.n; i++) {
		pid_t tid = threads.t[i]->tid;

		if (probe_finish(threads.t[i], &failure))
			errx(EXIT_PFMON, "cannot read the %s of thread %d: %s",
			     result->ops->what, (int)tid,
			     failure_text(&failure));
	}
}

static void note_threads(struct result *result)
{
	unsigned int missed = threads.missed, late = threads.late;

	result->missed = missed;
	if (missed)
		result_note(result, "%u thread%s not %s: %s", missed,
			    missed == 1 ? " was" : "s were", result->ops->done,
			    failure_text(&threads.failure));
	if (late)
		result_note(result, "%u thread%s began meanwhile and %s %s from the next look on: pfmon looks for them each %u ms",
			    late, late == 1 ? "" : "s", late == 1 ? "was" : "were",
			    result->ops->done, LOOK_NS / 1000000);
}

int measure_process(struct result *result, const struct targets *targets,
		    struct child *child)
{
	unsigned int looks = 0;
	struct rusage usage;
	int status = 0;

	threads = (struct threads){ .targets = targets };
	/* Threads can begin while we look: until a look finds none that can be measured. */
	while (look(result) && ++looks < LOOKS)
		;
	check_targets();
	start();
	schedule_begin(result);
	watch_timer(LOOK_NS, true, look_again);
	if (child) {
		child_release(child);
		status = watch_child(result, child, &usage);
		signals_child_gone();
	} else {
		/* A thread that ends says so with a message. */
		while (!signals_last() && !result->over && (!all_ended() || look(result)))
			watch_wait(result);
	}
	/* Of those that begin now nothing is counted, but it is said that they are there. */
	look(result);
	schedule_over(result);
	collect(result);
	note_threads(result);
	free(threads.t);
	return status;
}
