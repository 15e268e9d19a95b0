// SPDX-License-Identifier: GPL-2.0-only
/*
 * Measures whole CPUs. A system-wide context obeys only a thread that runs on
 * its CPU, so each CPU gets a thread that is pinned to it. They go through
 * the same steps together: attach, start, read.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <err.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <perfmon/libperfmon.h>

#include "measure.h"
#include "signals.h"
#include "watch.h"

#define LOOK_MS	20

struct worker {
	pthread_t thread;
	pthread_barrier_t *step;
	struct result *result;
	unsigned int cpu;
	int over;		/* becomes readable when the time is over */
	struct probe *probe;
	bool lost;		/* its CPU went offline meanwhile */
	const char *action;	/* that failed, NULL if none did ... */
	struct failure failure;	/* ... and why; cmd 0: errno alone */
};

/* Results are added up by one worker at a time. */
static pthread_mutex_t result_lock = PTHREAD_MUTEX_INITIALIZER;

static int pin(unsigned int cpu)
{
	cpu_set_t *set = CPU_ALLOC(cpu + 1);
	size_t size = CPU_ALLOC_SIZE(cpu + 1);
	int ret;

	if (!set)
		return -1;
	CPU_ZERO_S(size, set);
	CPU_SET_S(cpu, size, set);
	ret = sched_setaffinity(0, size, set);
	CPU_FREE(set);
	return ret;
}

static void worker_attach(struct worker *w)
{
	w->action = "monitor";
	if (pin(w->cpu)) {
		w->failure.err = errno;
		return;
	}
	w->probe = probe_attach(w->result, (pid_t)syscall(SYS_gettid),
				(int)w->cpu, &w->failure);
	if (w->probe)
		w->action = NULL;
}

static void worker_start(struct worker *w)
{
	if (probe_start(w->probe, &w->failure))
		w->action = "start counting on";
}

/* A context whose CPU went offline is hung up: there is nothing to wait for. */
static void worker_wait(struct worker *w)
{
	void (*look)(struct probe *) = w->probe->ops->look;
	struct pollfd fds[] = { { w->over, POLLIN, 0 },
				{ w->probe->fd, POLLIN, 0 } };

	while (!fds[0].revents) {
		if (poll(fds, 2, look ? LOOK_MS : -1) < 0)
			continue;
		if (fds[1].revents & POLLIN)
			probe_messages(w->probe);
		else if (fds[1].revents)
			fds[1].fd = -1;
		if (look)
			look(w->probe);
	}
}

/* A context whose CPU went offline is detached: it can be read anywhere. */
static void worker_read(struct worker *w)
{
	if (pfm_stop(w->probe->fd) && errno == EBUSY)
		w->lost = true;
	pthread_mutex_lock(&result_lock);
	if (probe_finish(w->probe, 0, &w->failure))
		w->action = "read the counts of";
	pthread_mutex_unlock(&result_lock);
}

static void *worker_main(void *arg)
{
	struct worker *w = arg;

	worker_attach(w);
	pthread_barrier_wait(w->step);	/* all attached, or one failed */
	pthread_barrier_wait(w->step);	/* main has seen that none failed */
	worker_start(w);
	pthread_barrier_wait(w->step);	/* all count, or one failed */
	pthread_barrier_wait(w->step);	/* main has seen that none failed */
	worker_wait(w);
	worker_read(w);
	return NULL;
}

static void check_workers(const struct worker *workers, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++) {
		const struct worker *w = &workers[i];

		if (!w->action)
			continue;
		if (!w->failure.cmd && w->failure.err == EINVAL)
			errx(EXIT_PFMON, "CPU %u does not exist, is offline, or is not ours to run on",
			     w->cpu);
		errx(EXIT_PFMON, "cannot %s CPU %u: %s", w->action, w->cpu,
		     w->failure.cmd ? failure_text(&w->failure) :
				      strerror(w->failure.err));
	}
}

/* Signals are for the main thread, which waits for them. */
static void create_workers(struct worker *workers, unsigned int n)
{
	sigset_t all, old;
	unsigned int i;
	int e;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	for (i = 0; i < n; i++) {
		e = pthread_create(&workers[i].thread, NULL, worker_main,
				   &workers[i]);
		if (e) {
			errno = e;
			err(EXIT_PFMON, "cannot create a thread");
		}
	}
	pthread_sigmask(SIG_SETMASK, &old, NULL);
}

static void collect(struct result *result, struct worker *workers,
		    unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		pthread_join(workers[i].thread, NULL);
	check_workers(workers, n);
	for (i = 0; i < n; i++)
		if (workers[i].lost)
			result_note(result, "CPU %u went offline and was %s until then",
				    workers[i].cpu, result->ops->done);
}

int measure_cpus(struct result *result, const struct cpu_list *cpus,
		 struct child *child)
{
	pthread_barrier_t step;
	struct worker *workers;
	struct rusage usage;
	int status = 0;
	uint64_t begin;
	unsigned int i;
	int over;

	over = eventfd(0, EFD_CLOEXEC);
	if (over < 0)
		err(EXIT_PFMON, "eventfd");
	workers = calloc(cpus->n, sizeof(*workers));
	if (!workers)
		err(EXIT_PFMON, NULL);
	pthread_barrier_init(&step, NULL, cpus->n + 1);
	for (i = 0; i < cpus->n; i++) {
		workers[i].step = &step;
		workers[i].result = result;
		workers[i].over = over;
		workers[i].cpu = cpus->cpu[i];
	}
	create_workers(workers, cpus->n);
	pthread_barrier_wait(&step);
	check_workers(workers, cpus->n);
	begin = now_ns();
	pthread_barrier_wait(&step);
	pthread_barrier_wait(&step);
	check_workers(workers, cpus->n);
	pthread_barrier_wait(&step);
	if (child) {
		child_release(child);
		status = watch_child(result, child, &usage);
		signals_child_gone();
	} else {
		while (!signals_last())
			watch_wait(result);
	}
	eventfd_write(over, 1);
	result->elapsed_ns = now_ns() - begin;
	collect(result, workers, cpus->n);
	pthread_barrier_destroy(&step);
	close(over);
	free(workers);
	return status;
}

/* One number, without sign or space before it. */
static int number(const char **text)
{
	unsigned long n;
	char *end;

	if (!isdigit((unsigned char)**text))
		return -1;
	n = strtoul(*text, &end, 10);
	*text = end;
	return n < CPUS_MAX ? (int)n : -1;
}

static int parse(bool present[CPUS_MAX], const char *text)
{
	int first, last;

	for (;; text++) {
		first = last = number(&text);
		if (*text == '-') {
			text++;
			last = number(&text);
		}
		if (first < 0 || last < first)
			return -1;
		while (first <= last)
			present[first++] = true;
		if (*text != ',')
			return *text ? -1 : 0;
	}
}

/* The kernel writes its own list in the same way. */
static int online(bool present[CPUS_MAX])
{
	char text[4096] = "";
	FILE *f = fopen("/sys/devices/system/cpu/online", "re");

	if (f) {
		if (!fgets(text, sizeof(text), f))
			text[0] = '\0';
		fclose(f);
	}
	text[strcspn(text, "\n")] = '\0';
	return parse(present, text);
}

int cpu_list_parse(struct cpu_list *cpus, const char *text)
{
	bool present[CPUS_MAX] = { false };
	unsigned short cpu;

	if (strcmp(text, "all") ? parse(present, text) : online(present))
		return -1;
	cpus->n = 0;
	for (cpu = 0; cpu < CPUS_MAX; cpu++)
		if (present[cpu])
			cpus->cpu[cpus->n++] = cpu;
	return 0;
}
