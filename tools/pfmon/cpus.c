// SPDX-License-Identifier: GPL-2.0-only
/*
 * Measures whole CPUs. A system-wide context obeys only a thread that runs on
 * its CPU, so each CPU gets a thread that is pinned to it. They go through
 * the same steps together: attach, start, what they are asked for meanwhile, read.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <err.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <perfmon/libperfmon.h>

#include "file.h"
#include "holders.h"
#include "measure.h"
#include "schedule.h"
#include "signals.h"
#include "wait.h"
#include "watch.h"

#define LOOK_MS	20
#define TEND_NS	1000000000	/* from one look for CPUs that went or are back to the next */

struct worker {
	pthread_t thread;
	struct crew *crew;
	unsigned int cpu;
	int asked;		/* becomes readable when there is something to do */
	struct probe *probe;	/* NULL: its CPU is offline, or ... */
	bool taken;		/* ... it is back, and cannot be had for ... */
	char *why;		/* ... that */
	bool hung;		/* the CPU of the probe went offline */
	bool lost;		/* ... and is so at the end */
	bool back;		/* it was offline for a time */
	const char *action;	/* that failed, NULL if none did ... */
	struct failure failure;	/* ... and why; cmd 0: errno alone */
};

struct crew {
	pthread_barrier_t step;
	struct result *result;
	unsigned int n;
	unsigned int offline, taken;		/* of them, at the look before */
	bool give_up;				/* all are to end, with nothing */
	struct worker *worker;
	void (*what)(struct probe *probe);	/* what they are asked for, NULL: the end */
	bool tend;				/* to see whether CPUs went or are back */
	sem_t done;				/* by each of them */
	pthread_mutex_t lock;			/* they do it one at a time */
};

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
	w->probe = probe_attach(w->crew->result, (pid_t)syscall(SYS_gettid),
				(int)w->cpu, &w->failure);
	if (w->probe)
		w->action = NULL;
}

/*
 * A context whose CPU went offline is detached and keeps what it has: that is taken, and when
 * the CPU is back it gets another one. The main thread waits meanwhile.
 */
static void worker_tend(struct worker *w)
{
	struct result *result = w->crew->result;
	bool was_taken = w->taken;
	struct failure failure;

	if (w->probe && w->hung) {
		probe_finish(w->probe, &failure);
		w->probe = NULL;
		/* It is one CPU, with as many contexts as it takes. */
		result->measured--;
	}
	w->taken = false;
	if (w->probe || pin(w->cpu))
		return;
	w->hung = false;
	w->probe = probe_attach(result, (pid_t)syscall(SYS_gettid), (int)w->cpu, &failure);
	if (w->probe && probe_start(w->probe, &failure)) {
		probe_drop(w->probe);
		w->probe = NULL;
	}
	w->taken = !w->probe;
	w->back |= !!w->probe;
	/* Now: who has it may have ended when that is told. */
	if (w->taken && !was_taken) {
		free(w->why);
		w->why = strdup(holders_text("/proc", &failure));
		if (!w->why)
			err(EXIT_PFMON, NULL);
	}
}

static void worker_start(struct worker *w)
{
	if (probe_start(w->probe, &w->failure))
		w->action = "start counting on";
}

/* Returns whether there is more to come. */
static bool worker_answer(struct worker *w)
{
	struct crew *crew = w->crew;
	eventfd_t n;

	eventfd_read(w->asked, &n);
	if (!crew->what && !crew->tend)
		return false;
	pthread_mutex_lock(&crew->lock);
	if (crew->tend)
		worker_tend(w);
	else if (w->probe)
		crew->what(w->probe);
	pthread_mutex_unlock(&crew->lock);
	sem_post(&crew->done);
	return true;
}

/* A context whose CPU went offline is hung up: there is nothing to wait for. */
static void worker_wait(struct worker *w)
{
	void (*look)(struct probe *) = w->probe->ops->look;
	struct pollfd fds[] = { { w->asked, POLLIN, 0 }, { -1, POLLIN, 0 } };

	do {
		fds[1].fd = w->probe && !w->hung ? w->probe->fd : -1;
		if (poll(fds, 2, look ? LOOK_MS : -1) < 0) {
			fds[0].revents = 0;
			continue;
		}
		if (fds[1].revents & POLLIN)
			probe_messages(w->probe);
		else if (fds[1].revents)
			__atomic_store_n(&w->hung, true, __ATOMIC_RELAXED);
		if (look && w->probe)
			look(w->probe);
	} while (!fds[0].revents || worker_answer(w));
}

/* A context whose CPU went offline is detached: it can be read anywhere. */
static void worker_read(struct worker *w)
{
	if (!w->probe) {
		w->lost = true;
		return;
	}
	/* When its tree has ended, that is no CPU's fault. */
	if (pfm_stop(w->probe->fd) && errno == EBUSY)
		w->lost = !w->crew->result->joins;
	pthread_mutex_lock(&w->crew->lock);
	if (probe_finish(w->probe, &w->failure))
		w->action = "read the counts of";
	pthread_mutex_unlock(&w->crew->lock);
}

static void worker_drop(struct worker *w)
{
	pthread_mutex_lock(&w->crew->lock);
	if (w->probe)
		probe_drop(w->probe);
	pthread_mutex_unlock(&w->crew->lock);
}

static void *worker_main(void *arg)
{
	struct worker *w = arg;
	pthread_barrier_t *step = &w->crew->step;

	worker_attach(w);
	pthread_barrier_wait(step);	/* all attached, or one failed */
	pthread_barrier_wait(step);	/* main has seen whether one did */
	if (w->crew->give_up) {
		worker_drop(w);
		return NULL;
	}
	worker_start(w);
	pthread_barrier_wait(step);	/* all count, or one failed */
	pthread_barrier_wait(step);	/* main has seen that none failed */
	worker_wait(w);
	worker_read(w);
	return NULL;
}

/* Why pfmon cannot run on a CPU, by what the kernel says of it. */
static void __attribute__((noreturn)) refuse_cpu(unsigned int cpu)
{
	char path[64];

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u", cpu);
	if (access(path, F_OK))
		errx(EXIT_PFMON, "CPU %u does not exist", cpu);
	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/online", cpu);
	if (!access(path, R_OK) && !file_number(path))
		errx(EXIT_PFMON, "CPU %u is offline", cpu);
	errx(EXIT_PFMON, "CPU %u is not for pfmon to run on: it is not in the cpuset of its control group",
	     cpu);
}

static void check_workers(const struct crew *crew)
{
	unsigned int i;

	for (i = 0; i < crew->n; i++) {
		const struct worker *w = &crew->worker[i];

		if (!w->action)
			continue;
		if (!w->failure.cmd && w->failure.err == EINVAL)
			refuse_cpu(w->cpu);
		errx(EXIT_PFMON, "cannot %s CPU %u: %s", w->action, w->cpu,
		     w->failure.cmd ? holders_text("/proc", &w->failure) :
				      strerror(w->failure.err));
	}
}

/* Signals are for the main thread, which waits for them. */
static void create_workers(struct crew *crew)
{
	sigset_t all, old;
	unsigned int i;
	int e;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	for (i = 0; i < crew->n; i++) {
		e = pthread_create(&crew->worker[i].thread, NULL, worker_main,
				   &crew->worker[i]);
		if (e) {
			errno = e;
			err(EXIT_PFMON, "cannot create a thread");
		}
	}
	pthread_sigmask(SIG_SETMASK, &old, NULL);
}

/* Have all workers do something, and wait for that; or end. */
static void ask(struct crew *crew, void (*what)(struct probe *probe))
{
	unsigned int i;

	crew->what = what;
	for (i = 0; i < crew->n; i++)
		eventfd_write(crew->worker[i].asked, 1);
	for (i = 0; (what || crew->tend) && i < crew->n; i++)
		while (sem_wait(&crew->done))
			;
}

static void collect(struct crew *crew)
{
	struct result *result = crew->result;
	unsigned int i;

	for (i = 0; i < crew->n; i++)
		pthread_join(crew->worker[i].thread, NULL);
	check_workers(crew);
	for (i = 0; i < crew->n; i++) {
		/* What it had is in the sum, so it is one of those that were measured. */
		result->measured += !crew->worker[i].probe;
		if (crew->worker[i].taken)
			result_note(result, "CPU %u went offline and was %s until then; when it was back it could not be had: %s",
				    crew->worker[i].cpu, result->ops->done,
				    crew->worker[i].why);
		else if (crew->worker[i].lost)
			result_note(result, "CPU %u went offline and was %s until then",
				    crew->worker[i].cpu, result->ops->done);
		else if (crew->worker[i].back)
			result_note(result, "CPU %u was offline for a time, and was not %s then",
				    crew->worker[i].cpu, result->ops->done);
	}
}

static struct crew crew = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void command_crew(struct result *result, void (*what)(struct probe *probe))
{
	(void)result;
	ask(&crew, what);
}

/* What has changed since the look before, of those CPUs that are not measured now. */
static void say_away(const struct result *result)
{
	const struct worker *w, *off = NULL, *taken = NULL;
	unsigned int n_off = 0, n_taken = 0;

	for (w = crew.worker; w < crew.worker + crew.n; w++) {
		if (w->probe)
			continue;
		n_off += !w->taken;
		n_taken += w->taken;
		*(w->taken ? &taken : &off) = w;
	}
	if (!n_off && !n_taken)
		warnx("all CPUs are online again and %s", result->ops->done);
	if (n_off != crew.offline && n_off == 1)
		warnx("CPU %u is offline, and not %s until it is back", off->cpu,
		      result->ops->done);
	else if (n_off != crew.offline && n_off)
		warnx("%u CPUs are offline, CPU %u for one, and not %s until they are back",
		      n_off, off->cpu, result->ops->done);
	if (n_taken != crew.taken && n_taken == 1)
		warnx("CPU %u is online again, and not %s: %s", taken->cpu, result->ops->done,
		      taken->why);
	else if (n_taken != crew.taken && n_taken)
		warnx("%u CPUs are online again, CPU %u for one, and not %s: %s", n_taken,
		      taken->cpu, result->ops->done, taken->why);
	crew.offline = n_off;
	crew.taken = n_taken;
}

/* It is said at once: a measurement of intervals may never end. */
static void tend(struct result *result)
{
	unsigned int there = 0, i;

	for (i = 0; i < crew.n; i++)
		there += crew.worker[i].probe &&
			 !__atomic_load_n(&crew.worker[i].hung, __ATOMIC_RELAXED);
	if (there == crew.n)
		return;
	crew.tend = true;
	ask(&crew, NULL);
	crew.tend = false;
	/* The groups are in the order of the workers. */
	for (i = 0; i < result->groups; i++)
		result->group[i].away = !crew.worker[i].probe;
	say_away(result);
}

static void hire(struct result *result, const struct cpu_list *cpus)
{
	unsigned int i;

	crew.result = result;
	crew.n = cpus->n;
	crew.worker = calloc(cpus->n, sizeof(*crew.worker));
	if (!crew.worker)
		err(EXIT_PFMON, NULL);
	for (i = 0; i < cpus->n; i++) {
		crew.worker[i].crew = &crew;
		crew.worker[i].cpu = cpus->cpu[i];
		crew.worker[i].asked = eventfd(0, EFD_CLOEXEC);
		if (crew.worker[i].asked < 0)
			err(EXIT_PFMON, "eventfd");
	}
	pthread_barrier_init(&crew.step, NULL, cpus->n + 1);
	sem_init(&crew.done, 0, 0);
	result->command = command_crew;
	create_workers(&crew);
}

static void dismiss(void)
{
	unsigned int i;

	crew.result->command = NULL;
	for (i = 0; i < crew.n; i++)
		close(crew.worker[i].asked);
	pthread_barrier_destroy(&crew.step);
	sem_destroy(&crew.done);
	free(crew.worker);
}

/* The first one that could not attach because others have the CPU, or the PMU; or NULL. */
static const struct worker *find_refused(void)
{
	const struct worker *w;

	for (w = crew.worker; w < crew.worker + crew.n; w++)
		if (w->action && w->failure.cmd == PFM_LOAD_CONTEXT && w->failure.err == EBUSY)
			return w;
	return NULL;
}

/* Each attaches to its CPU; or none does: then @failure is what is to be waited for. */
static bool man(struct result *result, const struct cpu_list *cpus, struct failure *failure)
{
	const struct worker *refused;
	unsigned int i;

	hire(result, cpus);
	pthread_barrier_wait(&crew.step);
	refused = result->wait ? find_refused() : NULL;
	if (!refused)
		check_workers(&crew);
	crew.give_up = refused;
	pthread_barrier_wait(&crew.step);
	if (!refused)
		return true;
	for (i = 0; i < crew.n; i++)
		pthread_join(crew.worker[i].thread, NULL);
	*failure = refused->failure;
	dismiss();
	return false;
}

int measure_cpus(struct result *result, const struct cpu_list *cpus,
		 struct child *child)
{
	struct failure failure;
	struct rusage usage;
	unsigned int i;
	int status = 0;

	/* In their order, whichever attaches first. */
	for (i = 0; i < cpus->n && result->grouped; i++)
		result_add_group(result, cpus->cpu[i]);
	while (!man(result, cpus, &failure))
		wait_for_holders(&failure);
	pthread_barrier_wait(&crew.step);
	check_workers(&crew);
	pthread_barrier_wait(&crew.step);
	schedule_begin(result);
	if (!result->joins)
		watch_timer(TEND_NS, true, tend);
	else if (result->running && context_start(result->sum_fd, &failure))
		errx(EXIT_PFMON, "cannot start: %s", holders_text("/proc", &failure));
	if (child) {
		child_release(child);
		status = watch_child(result, child, &usage);
		signals_child_gone();
	} else {
		while (!signals_last() && !result->over)
			watch_wait(result);
	}
	schedule_over(result);
	/* All at once: a context that parts is missed as long as others count. */
	if (result->joins)
		pfm_stop(result->sum_fd);
	ask(&crew, NULL);
	collect(&crew);
	dismiss();
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
	FILE *f = fopen("/sys/devices/system/cpu/online", "re");
	char *text = NULL;
	size_t size = 0;
	int ret = -1;

	if (f && getline(&text, &size, f) > 0) {
		text[strcspn(text, "\n")] = '\0';
		ret = parse(present, text);
	}
	free(text);
	if (f)
		fclose(f);
	return ret;
}

/*
 * In a container for instance only some CPUs may be used at all. The kernel says which when it
 * is asked for all of them: those that it then gives. Returns how many others there are.
 */
static unsigned int leave_out(bool present[CPUS_MAX])
{
	cpu_set_t *before = CPU_ALLOC(CPUS_MAX), *set = CPU_ALLOC(CPUS_MAX);
	size_t size = CPU_ALLOC_SIZE(CPUS_MAX);
	unsigned int cpu, n = 0;
	bool known = false;

	if (!before || !set)
		err(EXIT_PFMON, NULL);
	CPU_ZERO_S(size, set);
	for (cpu = 0; cpu < CPUS_MAX; cpu++)
		if (present[cpu])
			CPU_SET_S(cpu, size, set);
	if (!sched_getaffinity(0, size, before) && !sched_setaffinity(0, size, set)) {
		known = !sched_getaffinity(0, size, set);
		sched_setaffinity(0, size, before);
	}
	for (cpu = 0; known && cpu < CPUS_MAX; cpu++) {
		n += present[cpu] && !CPU_ISSET_S(cpu, size, set);
		present[cpu] &= CPU_ISSET_S(cpu, size, set) != 0;
	}
	CPU_FREE(before);
	CPU_FREE(set);
	return n;
}

int cpu_list_parse(struct cpu_list *cpus, const char *text)
{
	bool present[CPUS_MAX] = { false }, all = !strcmp(text, "all");
	unsigned short cpu;

	if (all ? online(present) : parse(present, text))
		return -1;
	cpus->left_out = all ? leave_out(present) : 0;
	cpus->n = 0;
	for (cpu = 0; cpu < CPUS_MAX; cpu++)
		if (present[cpu])
			cpus->cpu[cpus->n++] = cpu;
	return 0;
}
