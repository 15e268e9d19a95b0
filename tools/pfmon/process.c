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
#include <unistd.h>

#include <perfmon/libperfmon.h>

#include "holders.h"
#include "measure.h"
#include "numbers.h"
#include "schedule.h"
#include "signals.h"
#include "spent.h"
#include "wait.h"
#include "watch.h"

/* More looks find only threads that begin and end all the time. */
#define LOOKS	100

/* From one look for new threads to the next: at least this, and ... */
#define LOOK_NS	20000000
/* ... so many times as long as a look takes. */
#define LOOK_SHARE	20

#define BUCKETS	4096
#define MISSED_PART	50	/* of the CPU time; less is said by numbers, but not noted */

struct thread {
	struct thread *next;
	pid_t tid, pid;		/* @pid 0: it was named by itself */
	struct probe *probe;	/* NULL: it has none */
	unsigned int seen;	/* the last look that found it */
};

static struct threads {
	const struct targets *targets;
	DIR **dir;		/* of each process: it knows another of its number */
	struct spent *spent;	/* and what it has used */
	bool begun;		/* that is from now on */
	struct thread *bucket[BUCKETS];
	unsigned int live;	/* probes */
	unsigned int looks, late_looks;
	uint64_t next_look;
	bool going;		/* measuring has begun */
	unsigned int late;	/* that began after that */
	pid_t missed_tid;	/* the last of those that have no context ... */
	struct failure failure;	/* ... and why the first of them has none */
	bool refused;		/* others monitor one of them ... */
	struct failure taken;	/* ... which is that */
} threads;

static struct thread **find(pid_t tid)
{
	struct thread **p = &threads.bucket[tid % BUCKETS];

	while (*p && (*p)->tid != tid)
		p = &(*p)->next;
	return p;
}

static void insert(pid_t tid, pid_t pid, struct probe *probe)
{
	struct thread *t = calloc(1, sizeof(*t));

	if (!t)
		err(EXIT_PFMON, NULL);
	t->tid = tid;
	t->pid = pid;
	t->probe = probe;
	t->seen = threads.looks;
	t->next = threads.bucket[tid % BUCKETS];
	threads.bucket[tid % BUCKETS] = t;
	threads.live += !!probe;
}

/* Forgets it, and returns its probe. */
static struct probe *forget(struct thread **p)
{
	struct thread *t = *p;
	struct probe *probe = t->probe;

	*p = t->next;
	free(t);
	threads.live -= !!probe;
	return probe;
}

static void finish(struct result *result, struct probe *probe)
{
	struct failure failure;
	pid_t tid = probe->tid;

	if (threads.spent)
		result->counted_ns += probe_counted_ns(probe);
	if (probe_finish(probe, &failure))
		errx(EXIT_PFMON, "cannot read the %s of thread %d: %s", result->ops->what,
		     (int)tid, holders_text("/proc", &failure));
}

/* Takes the results of threads that have ended, or of all. */
static void collect(struct result *result, bool all)
{
	struct probe *probe;
	struct thread **p;
	unsigned int i;

	for (i = 0; i < BUCKETS; i++) {
		for (p = &threads.bucket[i]; *p;) {
			struct thread *t = *p;

			if (!all && (!t->probe || !t->probe->ended)) {
				p = &t->next;
				continue;
			}
			if (t->probe && !t->probe->ended)
				probe_name(t->probe);
			probe = forget(p);
			if (probe)
				finish(result, probe);
		}
	}
}

static void miss(struct result *result, pid_t tid, const struct failure *failure)
{
	insert(tid, 0, NULL);
	threads.missed_tid = tid;
	if (!result->missed++)
		threads.failure = *failure;
}

/*
 * A thread other than the first that executes a program gets the number of the first
 * one. Its context stays, filed here under its old number: find the entry that this
 * look has not seen, and file it under @pid.
 */
static void rename_thread(pid_t pid)
{
	struct thread **p, *t;
	unsigned int i;

	for (i = 0; i < BUCKETS; i++) {
		for (p = &threads.bucket[i]; (t = *p); p = &t->next) {
			if (!t->probe || t->probe->ended || t->seen == threads.looks ||
			    t->pid != pid)
				continue;
			t->probe->tid = pid;
			insert(pid, pid, forget(p));
			return;
		}
	}
}

/* Returns whether it has a context now; a thread that has ended meanwhile has none. */
static bool attach(struct result *result, pid_t tid, pid_t pid)
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
	if (!probe && threads.going && failure.err == EBUSY && tid == pid)
		return false;	/* see rename_thread() */
	if (!probe && failure.cmd == PFM_LOAD_CONTEXT && failure.err == EBUSY) {
		threads.refused = true;
		threads.taken = failure;
	}
	if (!probe) {
		miss(result, tid, &failure);
		return false;
	}
	threads.late += threads.going && !result->held;
	insert(tid, pid, probe);
	watch_add(probe);
	return true;
}

/*
 * Goes once through the threads of a process, and attaches to those that are new.
 * Returns whether there were some.
 */
static bool look_at(struct result *result, DIR *dir, pid_t pid)
{
	struct dirent *entry;
	bool fresh = false;
	struct thread *t;

	if (!dir)
		return false;
	rewinddir(dir);
	while ((entry = readdir(dir))) {
		pid_t tid = (pid_t)atoi(entry->d_name);

		if (tid <= 0)
			continue;
		t = *find(tid);
		if (t && t->probe && t->probe->ended)
			finish(result, forget(find(tid)));
		else if (t)
			t->seen = threads.looks;
		if (!*find(tid))
			fresh |= attach(result, tid, pid);
	}
	/* The first one is there, and has a context that is not known by its number. */
	if (threads.going && !*find(pid))
		rename_thread(pid);
	return fresh;
}

/* At all that are to be measured. Returns whether there were new threads. */
static bool look(struct result *result)
{
	const struct targets *targets = threads.targets;
	bool fresh = false;
	unsigned int i;

	threads.looks++;
	for (i = 0; i < targets->n; i++) {
		pid_t id = targets->target[i].id;

		if (targets->target[i].is_process)
			fresh |= look_at(result, threads.dir[i], id);
		else if (!threads.going && !*find(id))
			fresh |= attach(result, id, 0);
	}
	return fresh;
}

/* Threads can begin while we look: until a look finds none that can be measured. */
static void attach_all(struct result *result)
{
	unsigned int looks = 0;

	while (look(result) && ++looks < LOOKS)
		;
}

static void detach_all(struct result *result)
{
	struct probe *probe;
	unsigned int i;

	for (i = 0; i < BUCKETS; i++) {
		while (threads.bucket[i]) {
			probe = forget(&threads.bucket[i]);
			if (probe)
				probe_drop(probe);
		}
	}
	result->missed = result->groups = 0;
	threads.refused = false;
}

/* What the processes have used; what they do before counting begins is not asked for. */
static void look_at_spent(const struct result *result)
{
	if (threads.spent)
		(threads.begun ? spent_look : spent_begin)(threads.spent, threads.targets->n);
	threads.begun = !result->held;
}

static void look_again(struct result *result)
{
	uint64_t begin = now_ns(), end;

	if (begin < threads.next_look)
		return;
	collect(result, false);
	look(result);
	look_at_spent(result);
	threads.late_looks++;
	end = now_ns();
	threads.next_look = end + LOOK_SHARE * (end - begin);
}

/* Of a thread the kernel says nobody but its process what it has used. */
static bool are_processes(const struct targets *targets)
{
	unsigned int i;

	for (i = 0; i < targets->n && targets->target[i].is_process; i++)
		;
	return i == targets->n;
}

static void open_targets(void)
{
	const struct targets *targets = threads.targets;
	char path[32];
	unsigned int i;

	if (are_processes(targets)) {
		threads.spent = calloc(targets->n, sizeof(*threads.spent));
		if (!threads.spent)
			err(EXIT_PFMON, NULL);
		for (i = 0; i < targets->n; i++)
			threads.spent[i].pid = targets->target[i].id;
	}

	threads.dir = calloc(targets->n, sizeof(*threads.dir));
	if (!threads.dir)
		err(EXIT_PFMON, NULL);
	for (i = 0; i < targets->n; i++) {
		snprintf(path, sizeof(path), "/proc/%d/task", (int)targets->target[i].id);
		if (targets->target[i].is_process)
			threads.dir[i] = opendir(path);
	}
}

static void close_targets(void)
{
	unsigned int i;

	for (i = 0; i < threads.targets->n; i++)
		if (threads.dir[i])
			closedir(threads.dir[i]);
	free(threads.dir);
	free(threads.spent);
}

/* Why the threads of a process that is there were not found. */
static void __attribute__((noreturn)) say_hidden(pid_t pid)
{
	if (access("/proc/self/task", F_OK))
		errx(EXIT_PFMON, "the threads of process %d cannot be found: /proc is not mounted",
		     (int)pid);
	errx(EXIT_PFMON, "the threads of process %d cannot be found: /proc does not show it to this user (hidepid)",
	     (int)pid);
}

/* Which is not there? */
static void check_targets(const struct result *result)
{
	unsigned int i;

	if (result->missed && !threads.live)
		errx(EXIT_PFMON, "cannot attach to thread %d: %s", (int)threads.missed_tid,
		     holders_text("/proc", &threads.failure));
	for (i = 0; i < threads.targets->n; i++) {
		const struct target_id *t = &threads.targets->target[i];

		if (kill(t->id, 0) && errno == ESRCH)
			errx(EXIT_PFMON, "there is no %s %d",
			     t->is_process ? "process" : "thread", (int)t->id);
		if (t->is_process && !threads.dir[i])
			say_hidden(t->id);
	}
	if (!threads.live)
		errx(EXIT_PFMON, "there is no process %d",
		     (int)threads.targets->target[0].id);
}

static void start(struct probe *probe)
{
	struct failure failure;

	/* EBUSY: it ended, and its context is detached already. */
	if (probe_start(probe, &failure) && failure.err != EBUSY)
		errx(EXIT_PFMON, "cannot measure thread %d: %s", (int)probe->tid,
		     holders_text("/proc", &failure));
}

/* From one look to the next, on average. */
static unsigned int look_ms(const struct result *result)
{
	uint64_t ns = now_ns() - result->begin_ns;

	return (unsigned int)((ns / (threads.late_looks + 1) + 500000) / 1000000);
}

static void note_threads(struct result *result)
{
	unsigned int missed = result->missed, late = threads.late;

	if (missed)
		result_note(result, "%u thread%s not %s: %s", missed,
			    missed == 1 ? " was" : "s were", result->ops->done,
			    holders_text("/proc", &threads.failure));
	if (late)
		result_note(result, "%u thread%s began meanwhile and %s %s from the next look on: pfmon looked for them each %u ms",
			    late, late == 1 ? "" : "s", late == 1 ? "was" : "were",
			    result->ops->done, look_ms(result));
}

/* What is missing in the counts, by the kernel's own accounts of the processes. */
static void note_spent(struct result *result)
{
	char counted[NUMBERS_MAX], spent[NUMBERS_MAX], children[NUMBERS_MAX];
	uint64_t ns, children_ns = 0;
	unsigned int parents = 0, i;

	for (i = 0; i < threads.targets->n; i++) {
		const struct spent *s = &threads.spent[i];

		result->spent_ns += s->last_ns - s->begin_ns;
		parents += spent_by_children(s, &ns);
		children_ns += ns;
	}
	result->has_spent = true;
	/* Their clocks are read before the contexts, of which each takes some time. */
	if (result->counted_ns < result->spent_ns - result->spent_ns / MISSED_PART)
		result_note(result, "of %s ms of CPU time only %s were %s: threads that begin and end between two looks are in no number",
			    numbers_ms(spent, result->spent_ns),
			    numbers_ms(counted, result->counted_ns), result->ops->done);
	if (parents && children_ns)
		result_note(result, "child processes that -p does not name ran and were not %s: those that have ended used %s ms of CPU time",
			    result->ops->done, numbers_ms(children, children_ns));
	else if (parents)
		result_note(result, "child processes that -p does not name ran and were not %s",
			    result->ops->done);
}

int measure_process(struct result *result, const struct targets *targets,
		    struct child *child)
{
	struct rusage usage;
	int status = 0;

	threads = (struct threads){ .targets = targets };
	open_targets();
	attach_all(result);
	while (result->wait && threads.refused) {
		detach_all(result);
		wait_for_holders(&threads.taken);
		attach_all(result);
	}
	check_targets(result);
	probe_all(result, start);
	threads.going = true;
	schedule_begin(result);
	look_at_spent(result);
	watch_timer(LOOK_NS, true, look_again);
	if (child) {
		child_release(child);
		status = watch_child(result, child, &usage);
		signals_child_gone();
	} else {
		/* A thread that ends says so with a message. */
		while (!signals_last() && !result->over && (threads.live || look(result)))
			watch_wait(result);
	}
	/* Of those that begin now nothing is counted, but it is said that they are there. */
	look(result);
	schedule_over(result);
	look_at_spent(result);
	collect(result, true);
	note_threads(result);
	if (threads.spent)
		note_spent(result);
	close_targets();
	return status;
}
