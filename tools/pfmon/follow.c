// SPDX-License-Identifier: GPL-2.0-only
/*
 * Measures a command with all its threads and child processes, where the kernel's trees
 * are not there or not enough.
 *
 * A context of a thread is never inherited, so each new thread needs one of its own
 * before it runs its first instruction: ptrace() reports it while it is still
 * stopped (3.1.7 of the specification). Its exit needs no stop: the kernel
 * unloads the context then, which keeps what it has. Only who wants to look
 * at a process, or a thread's name, before it is gone has threads stop there, too.
 *
 * Each stop that ptrace() causes is a context switch of the thread that is
 * not the program's own. They are counted here and taken off; a stop of the
 * whole process (SIGSTOP) would have happened without us and stays.
 */
#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "holders.h"
#include "measure.h"
#include "numbers.h"
#include "schedule.h"
#include "signals.h"
#include "spent.h"
#include "watch.h"

#define OPTIONS	(PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | \
		 PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC)

struct tracee {
	struct tracee *next;
	pid_t tid;
	struct probe *probe;	/* NULL if it has none */
};

#define BUCKETS	1024
#define LET_GO_NS	1000000000

/* Birth, stops and exit of a thread are partly its own time, and not counted. */
#define HIDDEN_THREAD_NS	10000000

struct follow {
	struct result *result;
	struct tracee *bucket[BUCKETS];
	struct tracee *root;	/* until it runs the command */
	struct rusage before;	/* what the root has used until then */
	struct failure failure;	/* why the first thread without a context has none */
	uint64_t counted_ns;	/* CPU time in which contexts counted that are over */
	bool noted;		/* that the command is not measured at all */
};

static struct tracee **find(struct follow *f, pid_t tid)
{
	struct tracee **p = &f->bucket[tid % BUCKETS];

	while (*p && (*p)->tid != tid)
		p = &(*p)->next;
	return p;
}

static struct tracee *insert(struct follow *f, pid_t tid, struct probe *probe)
{
	struct tracee *t = calloc(1, sizeof(*t));

	if (!t)
		err(EXIT_PFMON, NULL);
	t->tid = tid;
	t->probe = probe;
	t->next = f->bucket[tid % BUCKETS];
	f->bucket[tid % BUCKETS] = t;
	return t;
}

static void say_unread(const struct follow *f, pid_t tid, const struct failure *failure)
{
	warnx("cannot read the %s of thread %d: %s", f->result->ops->what, (int)tid,
	      holders_text("/proc", failure));
}

/* Takes the results of a thread's context. */
static void take(struct follow *f, pid_t tid, struct probe *probe)
{
	struct failure failure;

	f->counted_ns += probe_counted_ns(probe);
	if (probe_finish(probe, &failure))
		say_unread(f, tid, &failure);
}

/* Takes its results, whether it still runs or not, and forgets it. */
static void finish(struct follow *f, struct tracee **p)
{
	struct tracee *t = *p;

	*p = t->next;
	if (t->probe)
		take(f, t->tid, t->probe);
	free(t);
}

static void tell(struct follow *f, pid_t pid, enum process_event event)
{
	/* A thread's number is its process's if it is the first one. */
	if (f->result->ops->process && !syscall(SYS_tgkill, pid, pid, 0))
		f->result->ops->process(f->result, pid, event);
}

/* A thread was born and is stopped: it gets a context. */
static void add_thread(struct follow *f, pid_t tid)
{
	struct failure failure;
	struct probe *probe = probe_attach(f->result, tid, -1, &failure);

	if (probe && probe_start(probe, &failure)) {
		probe_drop(probe);
		probe = NULL;
	}
	/* One that was killed at birth did nothing that could be measured. */
	if (!probe && failure.err != ESRCH && !f->result->missed++)
		f->failure = failure;
	if (probe)
		watch_add(probe);
	insert(f, tid, probe);
}

/*
 * A program was executed. If a thread other than the first did it, the kernel
 * ended all others, and the one that did it took the first one's number.
 */
static void rename_thread(struct follow *f, pid_t pid)
{
	unsigned long former = 0;
	struct tracee **p, *t;

	ptrace(PTRACE_GETEVENTMSG, pid, NULL, &former);
	p = find(f, (pid_t)former);
	if (!former || (pid_t)former == pid || !*p)
		return;
	t = *p;
	*p = t->next;
	p = find(f, pid);
	if (*p)
		finish(f, p);
	t->tid = pid;
	if (t->probe)
		t->probe->tid = pid;
	t->next = f->bucket[pid % BUCKETS];
	f->bucket[pid % BUCKETS] = t;
}

/* The command itself begins here, and measuring does. */
static void begin(struct follow *f, const struct rusage *usage)
{
	struct failure failure;
	int ret = probe_start(f->root->probe, &failure);

	/* EBUSY: the context was taken away by execve(). */
	f->noted = ret != 0;
	if (ret && failure.err == EBUSY)
		result_note(f->result, COMMAND_NOT_COUNTED, f->result->ops->done);
	else if (ret)
		warnx("cannot start: %s", holders_text("/proc", &failure));
	f->root->probe->stops = 0;
	f->root = NULL;
	f->before = *usage;
	schedule_begin(f->result);
}

static void stopped(struct follow *f, pid_t tid, int status, const struct rusage *usage)
{
	int event = status >> 16, sig = WSTOPSIG(status), pass = 0;
	struct tracee *t;

	if (event == PTRACE_EVENT_EXEC)
		rename_thread(f, tid);
	t = *find(f, tid);
	if (!t)
		add_thread(f, tid);

	if (event == PTRACE_EVENT_STOP && sig != SIGTRAP) {
		/* The process is stopped, with us or without: so let it be. */
		ptrace(PTRACE_LISTEN, tid, NULL, NULL);
		return;
	}
	if (t && t->probe) {
		t->probe->stops++;
		if (event == PTRACE_EVENT_EXEC || event == PTRACE_EVENT_EXIT)
			probe_name(t->probe);
	}
	if (event == PTRACE_EVENT_EXEC)
		tell(f, tid, PROCESS_EXEC);
	else if (event == PTRACE_EVENT_EXIT)
		tell(f, tid, PROCESS_EXIT);
	if (event == PTRACE_EVENT_EXEC && t && t == f->root)
		begin(f, usage);
	else if (!event)
		pass = sig;
	/* An error means that it was killed: the next wait will tell. */
	ptrace(PTRACE_CONT, tid, NULL, (void *)(long)pass);
}

/* Until the command's own process has ended. */
static int trace(struct follow *f, pid_t root, struct rusage *usage)
{
	struct tracee **p;
	int status;
	pid_t tid;

	for (;;) {
		tid = wait4(-1, &status, __WALL | WNOHANG, usage);
		if (!tid) {
			watch_wait(f->result);
			continue;
		}
		if (tid < 0) {
			if (errno == EINTR)
				continue;
			err(EXIT_PFMON, "wait4");
		}
		if (WIFSTOPPED(status)) {
			stopped(f, tid, status, usage);
			continue;
		}
		p = find(f, tid);
		if (*p)
			finish(f, p);
		if (tid == root)
			return status;
	}
}

/* A child that was born meanwhile is to be let go, too, unless it has been already. */
static unsigned int add_born(struct follow *f, pid_t tid)
{
	unsigned long born = 0;

	if (ptrace(PTRACE_GETEVENTMSG, tid, NULL, &born) || !born || *find(f, (pid_t)born))
		return 0;
	insert(f, (pid_t)born, NULL);
	return 1;
}

/* Lets a thread go if that is why it stopped. Returns how many more there are to come. */
static int let_one_go(struct follow *f, pid_t tid, int status)
{
	int event = status >> 16, more = 0;

	if (*find(f, tid))
		more--;
	else
		insert(f, tid, NULL);	/* its parent will speak of it */
	if (!WIFSTOPPED(status))
		return more;
	if (event == PTRACE_EVENT_FORK || event == PTRACE_EVENT_VFORK ||
	    event == PTRACE_EVENT_CLONE)
		more += (int)add_born(f, tid);
	ptrace(PTRACE_DETACH, tid, NULL, (void *)(long)(event ? 0 : WSTOPSIG(status)));
	return more;
}

/*
 * Those in the table, @n of them. What cannot stop now, as a first thread that has
 * ended before the others, is not waited for longer than LET_GO_NS.
 */
static void let_go(struct follow *f, unsigned int n)
{
	uint64_t end = now_ns() + LET_GO_NS;
	int status, left = (int)n;
	struct tracee *t;
	unsigned int i;
	pid_t tid;

	for (i = 0; i < BUCKETS; i++)
		for (t = f->bucket[i]; t; t = t->next)
			ptrace(PTRACE_INTERRUPT, t->tid, NULL, NULL);
	while (left > 0 && now_ns() < end && !signals_last()) {
		tid = wait4(-1, &status, __WALL | WNOHANG, NULL);
		if (tid > 0)
			left += let_one_go(f, tid, status);
		else if (tid < 0 && errno != EINTR)
			return;
		else
			usleep(1000);
	}
}

/* Processes that outlive the command are let go when pfmon exits, or another run follows. */
static void finish_rest(struct follow *f)
{
	unsigned int i, n = 0;
	struct tracee *t;

	for (i = 0; i < BUCKETS; i++) {
		for (t = f->bucket[i]; t; t = t->next, n++) {
			if (!t->probe)
				continue;
			probe_name(t->probe);
			take(f, t->tid, t->probe);
			t->probe = NULL;
		}
	}
	command_note_left(f->result, n);
	if (f->result->again)
		let_go(f, n);
	for (i = 0; i < BUCKETS; i++) {
		while ((t = f->bucket[i])) {
			f->bucket[i] = t->next;
			free(t);
		}
	}
}

/*
 * The kernel's account of the command has the processes that it waited for; what
 * hides from tracers never stopped here, and has no context.
 */
static void note_hidden(struct follow *f)
{
	struct result *result = f->result;
	uint64_t spent_ns = result->user_ns + result->system_ns;
	char counted[NUMBERS_MAX], spent[NUMBERS_MAX];

	if (f->noted || result->missed ||
	    !spent_is_missing(spent_ns, f->counted_ns, (uint64_t)HIDDEN_THREAD_NS * result->begun))
		return;
	result_note(result, "of %s ms of CPU time only %s were %s: processes that hide from tracers (CLONE_UNTRACED), or that this user may not look into, are in no number",
		    numbers_ms(spent, spent_ns), numbers_ms(counted, f->counted_ns),
		    result->ops->done);
}

int measure_follow(struct result *result, struct child *child)
{
	static struct follow f;
	struct failure failure;
	struct rusage usage;
	struct probe *probe;
	long options = OPTIONS;
	int status;

	memset(&f, 0, sizeof(f));
	f.result = result;
	probe = probe_attach(result, child->pid, -1, &failure);
	if (!probe)
		errx(EXIT_PFMON, "cannot attach to the command: %s",
		     holders_text("/proc", &failure));
	if (result->ops->process || result->grouped)
		options |= PTRACE_O_TRACEEXIT;
	if (ptrace(PTRACE_SEIZE, child->pid, NULL, (void *)options))
		err(EXIT_PFMON, "cannot trace the command%s",
		    result->ops->process ? "" : " (use --no-follow to count without tracing)");
	watch_add(probe);
	f.root = insert(&f, child->pid, probe);
	result->begin_ns = now_ns();
	child_release(child);

	status = trace(&f, child->pid, &usage);
	signals_child_gone();
	schedule_over(result);
	result_usage(result, &f.before, &usage);
	finish_rest(&f);
	if (result->missed)
		result_note(result, "%u thread%s not %s: %s", result->missed,
			    result->missed == 1 ? " was" : "s were",
			    result->ops->done, holders_text("/proc", &f.failure));
	note_hidden(&f);
	return status;
}
