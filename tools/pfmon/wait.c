// SPDX-License-Identifier: GPL-2.0-only
/*
 * --wait: for counters, threads and CPUs that other programs have.
 *
 * Which counters are free is known before anything is attached, and decides which of them
 * the events get: wait_place() waits for that. Whether a thread or a CPU is free, and whether
 * perf_events have the PMU, is known when a context is attached: whoever does that
 * detaches what he has, waits by wait_for_holders(), and tries again. To keep some CPUs while
 * waiting for others would be in the way of those who do the same.
 */
#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <perfmon/libperfmon.h>

#include "hardware.h"
#include "holders.h"
#include "signals.h"
#include "target.h"
#include "turns.h"
#include "wait.h"

#define HOLDERS	64	/* that are waited for; of more the first ones */

/* From one try to the next: two that wait for the same are not to meet each time. */
#define AGAIN_MS	100

bool wait_for_end(const pid_t *pid, unsigned int n, int fd, int ms)
{
	struct pollfd fds[HOLDERS + 1] = { { fd, POLLIN, 0 } };
	bool ended = false;
	unsigned int i, used = 1;

	for (i = 0; i < n && used <= HOLDERS; i++) {
		fds[used].fd = (int)syscall(SYS_pidfd_open, pid[i], 0);
		fds[used].events = POLLIN;
		if (fds[used].fd >= 0)
			used++;
		else
			ended |= errno == ESRCH;
	}
	if (poll(fds, used, ms) > 0)
		for (i = 1; i < used; i++)
			ended |= fds[i].revents != 0;
	for (i = 1; i < used; i++)
		close(fds[i].fd);
	return ended;
}

void wait_for_holders(const struct failure *failure)
{
	static bool said, known;
	static pid_t pid[HOLDERS];
	static unsigned int n;

	/* Who is told for whom he waits may end that at once. */
	signals_catch(0);
	/* To look through all programs is much work: not again before one of them has ended. */
	if (!known)
		n = holders_find("/proc", failure, pid, HOLDERS);
	if (!said)
		warnx("waiting: %s", holders_text("/proc", failure));
	said = true;
	known = !wait_for_end(pid, n, signals_fd(), AGAIN_MS + getpid() % AGAIN_MS);
	if (signals_last())
		exit(128 + signals_last());
}

static bool has_hardware(const struct counters *counters)
{
	unsigned int i;

	for (i = 0; i < counters->n && !counters->c[i].source->pmu; i++)
		;
	return i < counters->n;
}

/* Threads and processes of -p and -t that have ended have nothing to wait for. */
static bool is_there(const struct target *t)
{
	unsigned int i;

	for (i = 0; i < t->threads.n; i++)
		if (!kill(t->threads.target[i].id, 0) || errno != ESRCH)
			return true;
	return !t->threads.n;
}

/*
 * A context of pfmon's own thread keeps the counters for threads, and the PMU from perf_events.
 * Whatever else is wrong with it is wrong with what is to be measured, and is said there.
 * Returns whether it has to be tried again.
 */
static bool is_kept(const struct counters *counters, struct failure *failure)
{
	int fd = context_create(counters, 0, failure);

	if (fd < 0 || !context_attach(fd, (pid_t)syscall(SYS_gettid), 0, 0, failure))
		return true;
	close(fd);
	/* Of a thread that is monitored nothing can be said. */
	return failure->err != EBUSY || failure->target != TARGET_FREE;
}

void wait_place(const struct target *t, const struct turn_options *o, struct counters *counters)
{
	const struct failure taken = {
		.cmd = PFM_LOAD_CONTEXT, .err = EBUSY, .reg = -1,
		.system = t->cpus, .target = TARGET_FREE,
	};
	struct failure failure;
	unsigned int sets = counters->sets;
	char error[EVENTS_ERROR_MAX];

	while (has_hardware(counters) && is_there(t)) {
		failure = taken;
		if (events_free(t->cpus) && !turns_try(o, counters, error) &&
		    counters->sets == sets && (t->cpus || is_kept(counters, &failure)))
			return;
		wait_for_holders(&failure);
	}
}
