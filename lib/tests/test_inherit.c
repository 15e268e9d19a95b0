// SPDX-License-Identifier: LGPL-2.1-or-later
/* PMON_INHERIT: threads and processes that are made by the one that is counted. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <perfmon/libperfmon.h>
#include <perfmon/pmon.h>

#include "check.h"

#define SAYS(part) CHECK(strstr(pmon_error(), part) != NULL)

#define SLACK	100	/* faults that making threads and processes has beside its own */

static size_t page;

/* As many page faults. */
static void fault(unsigned int n)
{
	char *p = mmap(NULL, n * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		       -1, 0);
	unsigned int i;

	madvise(p, n * page, MADV_NOHUGEPAGE);
	for (i = 0; i < n; i++)
		((volatile char *)p)[i * page] = 1;
	munmap(p, n * page);
}

static void *faults(void *arg)
{
	fault(100);
	return arg;
}

static void make_thread(void)
{
	pthread_t thread;

	CHECK(pthread_create(&thread, NULL, faults, NULL) == 0 &&
	      pthread_join(thread, NULL) == 0);
}

static void make_process(unsigned int generations)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		fault(100);
		if (generations > 1)
			make_process(generations - 1);
		_exit(0);
	}
	CHECK(pid > 0 && waitpid(pid, &status, 0) == pid && !status);
}

static uint64_t value_of(pmon_t *m)
{
	pmon_value_t v = { .raw = 0 };

	CHECK(pmon_read(m, &v, 1) == 1);
	return v.raw;
}

/* The calling thread, and what it makes. */
static void test_own(void)
{
	uint64_t value;
	pmon_t *m;

	/* What the library and the kernel make at the first time is there then. */
	make_thread();
	CHECK(pmon_open(&m, "minor-faults,task-clock", PMON_INHERIT) == 0);
	CHECK(pmon_start(m) == 0);
	make_thread();
	make_thread();
	value = value_of(m);
	CHECK(value >= 200 && value < 200 + SLACK);
	CHECK(pmon_reset(m) == 0);
	make_process(3);
	value = value_of(m);
	CHECK(value >= 300 && value < 300 + 6 * SLACK);
	CHECK(pmon_stop(m) == 0);
	value = value_of(m);
	make_thread();
	CHECK(value_of(m) == value);
	CHECK(pmon_start(m) == 0);
	fault(100);
	CHECK(value_of(m) >= value + 100);
	pmon_close(m);

	/* Without the flag threads count for themselves. */
	CHECK(pmon_open(&m, "minor-faults", 0) == 0 && pmon_start(m) == 0);
	make_thread();
	CHECK(value_of(m) < SLACK);
	pmon_close(m);
}

static pthread_barrier_t met, counting;
static pmon_t *own;

/* It is there before the session is. */
static void *waits(void *arg)
{
	bool monitors = arg;

	if (monitors)
		CHECK(pmon_open(&own, "minor-faults", 0) == 0 && pmon_start(own) == 0);
	pthread_barrier_wait(&met);
	pthread_barrier_wait(&counting);
	fault(100);
	return NULL;
}

/* How many faults are counted of a thread that is there already; @failed: why none can be. */
static uint64_t faults_of_present(unsigned int flags, bool monitors, int *failed)
{
	uint64_t value = 0;
	pthread_t thread;
	pmon_t *m;

	CHECK(pthread_create(&thread, NULL, waits, monitors ? &met : NULL) == 0);
	pthread_barrier_wait(&met);
	CHECK(pmon_open(&m, "minor-faults", flags) == 0);
	*failed = pmon_start(m);
	if (*failed)
		SAYS("1 of the threads of the process");
	pthread_barrier_wait(&counting);
	pthread_join(thread, NULL);
	if (!*failed)
		value = value_of(m);
	pmon_close(m);
	if (monitors)
		pmon_close(own);
	return value;
}

/* PMON_PROCESS: all threads that there are, or none. */
static void test_process(void)
{
	uint64_t value;
	int failed;

	pthread_barrier_init(&met, NULL, 2);
	pthread_barrier_init(&counting, NULL, 2);
	value = faults_of_present(PMON_INHERIT | PMON_PROCESS, false, &failed);
	CHECK(!failed && value >= 100 && value < 100 + SLACK);
	value = faults_of_present(PMON_INHERIT, false, &failed);
	CHECK(!failed && value < SLACK);
	faults_of_present(PMON_INHERIT | PMON_PROCESS, true, &failed);
	CHECK(failed == -EBUSY);
	/* Nothing of the session that failed is left. */
	value = faults_of_present(PMON_INHERIT | PMON_PROCESS, false, &failed);
	CHECK(!failed && value >= 100);
}

/* Another process, which waits until it is counted: all that it does, to its end. */
static void test_other(void)
{
	pmon_value_t v[2];
	int go[2], status;
	struct rusage usage;
	uint64_t value;
	char byte = 0;
	pid_t pid;
	pmon_t *m;

	CHECK(pipe(go) == 0);
	pid = fork();
	if (!pid) {
		checks_failed = 0;
		close(go[1]);
		if (read(go[0], &byte, 1) != 1)
			_exit(1);
		make_thread();
		make_process(2);
		_exit(checks_failed != 0);
	}
	CHECK(pmon_open(&m, "minor-faults,task-clock", PMON_INHERIT) == 0);
	CHECK(pmon_attach(m, pid) == 0 && pmon_start(m) == 0);
	CHECK(write(go[1], &byte, 1) == 1);
	CHECK(wait4(pid, &status, 0, &usage) == pid && status == 0);
	value = value_of(m);
	CHECK(value >= 300 && value <= (uint64_t)usage.ru_minflt);
	CHECK(pmon_read(m, v, 2) == 2 && v[0].active_ns == v[0].total_ns);
	/* CPU time of all of them together. */
	CHECK(v[1].raw > 0 && v[1].raw / 1000 <= 1 +
	      (uint64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000 +
	      (uint64_t)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec));
	CHECK(pmon_attach(m, pid) == -ESRCH);
	pmon_close(m);
	close(go[0]);
	close(go[1]);
}

/* A thread that is counted with others is taken, and it is said by whom. */
static void test_taken(void)
{
	char who[80], byte = 0;
	int go[2], status;
	pmon_t *m, *mine;
	pid_t pid;

	snprintf(who, sizeof(who), "by inherit (process %d), which monitors a tree of threads",
		 (int)getpid());
	CHECK(pipe(go) == 0);
	pid = fork();
	if (!pid) {
		status = read(go[0], &byte, 1) == 1 && pmon_open(&mine, "minor-faults", 0) == 0 &&
			 pmon_start(mine) == -EBUSY && strstr(pmon_error(), who);
		_exit(!status);
	}
	CHECK(pmon_open(&m, "minor-faults", PMON_INHERIT) == 0 && pmon_attach(m, pid) == 0);
	CHECK(write(go[1], &byte, 1) == 1);
	CHECK(waitpid(pid, &status, 0) == pid && status == 0);
	close(go[0]);
	close(go[1]);
	pmon_close(m);
}

static void *has_region(void *arg)
{
	CHECK(pmon_region_begin("of a thread") == 0);
	make_thread();
	CHECK(pmon_region_end("of a thread") == 0);
	return arg;
}

/* How often @name ran, and how many faults it has, by the report. */
static uint64_t in_report(const char *name, unsigned int runs)
{
	char *text = NULL, *at;
	char begin[64];
	unsigned long long value = 0;
	size_t size;
	FILE *f;

	f = open_memstream(&text, &size);
	CHECK(pmon_region_report(f, PMON_JSON) == 0);
	fclose(f);
	snprintf(begin, sizeof(begin), "{\"name\": \"%s\", \"runs\": %u,", name, runs);
	at = strstr(text, begin);
	CHECK(!at == !runs);
	at = at ? strstr(at, "\"minor-faults\", \"value\": ") : NULL;
	CHECK((at && sscanf(at, "\"minor-faults\", \"value\": %llu", &value) == 1) == !!runs);
	CHECK(strstr(text, "\"error\": null") != NULL);
	free(text);
	return value;
}

/* With PMON_INHERIT in the environment: of two regions each has what was made in it. */
static void test_regions(void)
{
	uint64_t first, second;
	pthread_t thread;
	int i;

	for (i = 0; i < 2; i++) {
		CHECK(pmon_region_begin("first") == 0);
		make_thread();
		make_process(2);
		CHECK(pmon_region_end("first") == 0);
	}
	CHECK(pmon_region_begin("second") == 0);
	CHECK(pthread_create(&thread, NULL, has_region, NULL) == 0);
	pthread_join(thread, NULL);
	CHECK(pmon_region_end("second") == 0);
	CHECK(pmon_region_end("second") == -EINVAL);
	first = in_report("first", 2);
	second = in_report("second", 1);
	in_report("of a thread", 0);
	CHECK(first >= 600 && first < 600 + 10 * SLACK);
	CHECK(second >= 100 && second < 100 + 3 * SLACK);
}

int main(int argc, char **argv)
{
	pfarg_config_t cfg;
	pmon_t *m;
	int ret;

	page = (size_t)sysconf(_SC_PAGESIZE);
	memset(&cfg, 0, sizeof(cfg));
	if (pfm_get_config(&cfg)) {
		CHECK(pmon_open(&m, "task-clock", PMON_INHERIT) == -ENOSYS && !m);
		return check_done();
	}
	ret = pmon_open(&m, "task-clock", PMON_INHERIT);
	if (ret == -EOPNOTSUPP) {
		SKIP("this kernel has no process trees");
		return check_done();
	}
	CHECK(ret == 0);
	pmon_close(m);
	if (argc > 1 && !strcmp(argv[1], "regions")) {
		test_regions();
		return check_done();
	}
	test_own();
	test_process();
	test_other();
	test_taken();
	return check_done();
}
