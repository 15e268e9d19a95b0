// SPDX-License-Identifier: GPL-2.0-only
/*
 * Measures threads, and processes with all threads that they have. These are neither
 * stopped nor traced: either the kernel counts them as trees, with all that they make, or
 * threads that begin later are seen only at the next look.
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
#include "kin.h"
#include "measure.h"
#include "numbers.h"
#include "schedule.h"
#include "signals.h"
#include "spent.h"
#include "tree.h"
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
	bool *ours;		/* it has made pfmon, or what has made it */
	struct spent *spent;	/* and what it has used */
	bool begun;		/* that is from now on */
	struct thread *bucket[BUCKETS];
	unsigned int live;	/* probes */
	unsigned int looks, late_looks;
	uint64_t next_look;
	bool going;		/* measuring has begun */
	unsigned int late;	/* that began after that */
	unsigned int misses;	/* that have no context, of which these are ... */
	pid_t missed_tid;	/* ... the last one ... */
	struct failure failure;	/* ... and why the first one has none */
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

	if (result->tree)
		tree_look(result, probe);
	else if (threads.spent)
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
	result->missed++;
	if (!threads.misses++)
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

/* It has a context, or @failure says why not. Returns whether it has one. */
static bool enter(struct result *result, pid_t tid, pid_t pid, struct probe *probe,
		  const struct failure *failure)
{
	if (probe) {
		insert(tid, pid, probe);
		watch_add(probe);
		return true;
	}
	if (failure->err == ESRCH)
		return false;
	if (failure->cmd == PFM_LOAD_CONTEXT && failure->err == EBUSY) {
		threads.refused = true;
		threads.taken = *failure;
	}
	miss(result, tid, failure);
	return false;
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
	if (!probe && threads.going && failure.err == EBUSY && tid == pid)
		return false;	/* see rename_thread() */
	threads.late += probe && threads.going && !result->held;
	return enter(result, tid, pid, probe, &failure);
}

/* By any of its threads: others may monitor some of them, or they may end just now. */
static struct probe *attach_process(struct result *result, DIR *dir, unsigned int flags,
				    struct failure *failure)
{
	struct failure later = { .err = ESRCH };
	struct probe *probe = NULL;
	struct dirent *entry;

	*failure = later;
	if (dir)
		rewinddir(dir);
	while (!probe && dir && (entry = readdir(dir))) {
		pid_t tid = (pid_t)atoi(entry->d_name);

		if (tid > 0)
			probe = probe_attach_tree(result, tid, flags, &later);
		if (failure->err == ESRCH)
			*failure = later;
	}
	return probe;
}

/* Is it in the tree of one that is named, too? */
static bool is_covered(unsigned int i)
{
	const struct target_id *all = threads.targets->target, *t = &all[i];
	pid_t pid = t->is_process ? t->id : kin_process(t->id);
	unsigned int k;

	for (k = 0; k < threads.targets->n; k++) {
		if (all[k].id == t->id && all[k].is_process == t->is_process && k < i)
			return true;
		if (all[k].is_process && ((all[k].id == pid && !t->is_process) ||
					  (!threads.ours[k] && kin_descends(pid, all[k].id))))
			return true;
	}
	return false;
}

/* A process with its child processes, unless pfmon and its command are among these. */
static bool attach_tree(struct result *result, unsigned int i)
{
	const struct target_id *t = &threads.targets->target[i];
	struct failure failure;
	struct probe *probe;

	if (is_covered(i))
		return false;
	if (t->is_process)
		probe = attach_process(result, threads.dir[i], PFM_LOADFL_THREADS |
				       (threads.ours[i] ? 0 : PFM_LOADFL_CHILDREN), &failure);
	else
		probe = probe_attach_tree(result, t->id, 0, &failure);
	return enter(result, t->id, t->is_process ? t->id : 0, probe, &failure);
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

		if (result->tree)
			fresh |= !threads.going && !*find(id) && attach_tree(result, i);
		else if (targets->target[i].is_process)
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
	result->missed = result->groups = threads.misses = 0;
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
	threads.ours = calloc(targets->n, sizeof(*threads.ours));
	if (!threads.dir || !threads.ours)
		err(EXIT_PFMON, NULL);
	for (i = 0; i < targets->n; i++) {
		snprintf(path, sizeof(path), "/proc/%d/task", (int)targets->target[i].id);
		if (targets->target[i].is_process)
			threads.dir[i] = opendir(path);
		threads.ours[i] = kin_descends(getpid(), targets->target[i].id);
	}
}

static void close_targets(void)
{
	unsigned int i;

	for (i = 0; i < threads.targets->n; i++)
		if (threads.dir[i])
			closedir(threads.dir[i]);
	free(threads.dir);
	free(threads.ours);
	free(threads.spent);
}

void process_gone(pid_t pid)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	if ((kill(pid, 0) && errno == ESRCH) || !access(path, F_OK))
		errx(EXIT_PFMON, "there is no process %d", (int)pid);
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

		if (t->is_process && (!threads.dir[i] || (kill(t->id, 0) && errno == ESRCH)))
			process_gone(t->id);
		if (!t->is_process && kill(t->id, 0) && errno == ESRCH)
			errx(EXIT_PFMON, "there is no thread %d", (int)t->id);
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
	unsigned int missed = threads.misses, late = threads.late;

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
	if (result->tree) {
		tree_note(result, result->spent_ns);
		return;
	}
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

static void note_ours(struct result *result)
{
	unsigned int i;

	for (i = 0; i < threads.targets->n; i++)
		if (threads.ours[i] && threads.targets->target[i].is_process)
			result_note(result, "process %d has started pfmon: of its child processes only those were %s that it started meanwhile",
				    (int)threads.targets->target[i].id, result->ops->done);
}

/*
 * For trees, too, --wait has a context for each thread first: so it is known for which of
 * them it has to wait.
 */
static void attach_when_free(struct result *result)
{
	const bool tree = result->tree;

	result->tree &= !result->wait;
	attach_all(result);
	while (result->wait && threads.refused) {
		detach_all(result);
		wait_for_holders(&threads.taken);
		attach_all(result);
	}
	if (tree && !result->tree) {
		detach_all(result);
		result->tree = true;
		attach_all(result);
	}
}

int measure_process(struct result *result, const struct targets *targets,
		    struct child *child)
{
	struct rusage usage;
	int status = 0;

	threads = (struct threads){ .targets = targets };
	open_targets();
	attach_when_free(result);
	check_targets(result);
	if (result->tree)
		tree_begin(result);
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
	else if (result->tree)
		tree_note(result, 0);
	if (result->tree)
		note_ours(result);
	close_targets();
	return status;
}
