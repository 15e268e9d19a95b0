// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * fork() while other threads are in the library: a child must not wait for a lock that
 * only they could release. The perfmonctl() here lets everything succeed, so that this
 * needs no kernel with perfmon.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <perfmon/libperfmon.h>
#include <perfmon/pmon.h>

#include "check.h"

#define FORKS	200

static unsigned int calls;
static bool refuse;		/* threads are taken */

int perfmonctl(int fd, int cmd, void *arg, int narg)
{
	pfarg_ctx_t *ctx = arg;

	(void)fd;
	(void)narg;
	__atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED);
	if (refuse && cmd == PFM_LOAD_CONTEXT) {
		errno = EBUSY;
		return -1;
	}
	if (cmd != PFM_CREATE_CONTEXT)
		return 0;
	ctx->ctx_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	return ctx->ctx_fd < 0 ? -1 : 0;
}

static bool stop;

static bool count(void)
{
	pmon_t *m;

	if (pmon_open(&m, "task-clock,minor-faults", 0))
		return false;
	pmon_close(m);
	return true;
}

static void *open_and_close(void *arg)
{
	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED))
		if (!count())
			return NULL;
	return arg;
}

static bool region(void)
{
	return !pmon_region_begin("region") && !pmon_region_end("region");
}

static void *one_region(void *arg)
{
	return region() ? arg : NULL;
}

/* Each thread enters the list of those that have regions, and leaves it. */
static void *threads_with_regions(void *arg)
{
	pthread_t thread;
	void *done;

	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED))
		if (pthread_create(&thread, NULL, one_region, arg) ||
		    pthread_join(thread, &done) || !done)
			return NULL;
	return arg;
}

/*
 * What a thread's regions cost where another program measures it: not a new attempt each, and
 * a new one at last. Each says why.
 */
static void *refused_regions(void *arg)
{
	unsigned int i, before;

	CHECK(pmon_region_begin("region") == -EBUSY && strstr(pmon_error(), "PFM_LOAD_CONTEXT"));
	before = calls;
	for (i = 0; i < 1000; i++)
		if (pmon_region_begin("region") != -EBUSY)
			break;
	CHECK(i == 1000 && calls - before < 500);
	CHECK(pmon_region_end("region") == -EBUSY && strstr(pmon_error(), "PFM_LOAD_CONTEXT"));
	refuse = false;
	while (!region())
		usleep(10000);
	return arg;
}

/* In a child, and in its child. A wait for ever is ended by the alarm. */
static bool works_in_child(unsigned int generations)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		alarm(100);
		_exit(!(count() && region() &&
			(generations < 2 || works_in_child(generations - 1))));
	}
	return pid > 0 && waitpid(pid, &status, 0) == pid && !status;
}

int main(void)
{
	void *(*const work[])(void *) = { open_and_close, threads_with_regions };
	pthread_t thread[2];
	unsigned int i, worked = 0;
	void *done;

	setenv("PMON_EVENTS", "task-clock", 1);
	setenv("PMON_OUTPUT", "/dev/null", 1);
	CHECK(count());
	/* Of events that take no turns a region costs a system call at either end. */
	CHECK(region());
	i = calls;
	CHECK(region());
	CHECK(calls == i + 2);
	refuse = true;
	CHECK(pthread_create(&thread[0], NULL, refused_regions, &stop) == 0 &&
	      pthread_join(thread[0], &done) == 0 && done && !refuse);
	for (i = 0; i < 2; i++)
		CHECK(pthread_create(&thread[i], NULL, work[i], &stop) == 0);
	while (worked < FORKS && works_in_child(2))
		worked++;
	CHECK(worked == FORKS);
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	for (i = 0; i < 2; i++)
		CHECK(pthread_join(thread[i], &done) == 0 && done);
	return check_done();
}
