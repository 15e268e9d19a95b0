// SPDX-License-Identifier: LGPL-2.1-or-later
/* Counting by names of events, threads, regions and samples. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <perfmon/libperfmon.h>
#include <perfmon/pmon.h>

#include "check.h"

#define SAYS(part) CHECK(strstr(pmon_error(), part) != NULL)

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

static void test_without(void)
{
	pmon_group_t *g;
	pmon_t *m;

	CHECK(pmon_open(&m, "task-clock", 0) == -ENOSYS && !m);
	SAYS("PFM_GET_CONFIG");
	SAYS("load the module perfmon");
	CHECK(pmon_group_open(&g, "task-clock", 0) == -ENOSYS && !g);
	CHECK(pmon_sample_open(&m, "task-clock", 1, NULL, 0) == -ENOSYS && !m);
	pmon_close(NULL);
	pmon_group_close(NULL);
}

static void test_open(void)
{
	pmon_t *m;

	CHECK(pmon_open(&m, "task-clock,no-such-event", 0) == -EINVAL && !m);
	SAYS("no-such-event");
	CHECK(pmon_open(&m, "task-clock", 0x80) == -EINVAL);
	SAYS("0x80");
	CHECK(pmon_open(&m, "cs,faults", 0) == 0 && pmon_events(m) == 3);
	CHECK_STR(pmon_name(m, 0), "context-switches");
	CHECK_STR(pmon_name(m, 2), "major-faults");
	CHECK(!pmon_name(m, 3));
	CHECK(fcntl(pmon_fd(m), F_GETFD) == FD_CLOEXEC);
	/* The kernel's refusals say what is wrong and what to do. */
	CHECK(pmon_attach(m, 0x7ffffff0) == -ESRCH);
	SAYS("PFM_LOAD_CONTEXT: there is no such thread");
	CHECK(pmon_stop(m) < 0);
	SAYS("PFM_STOP");
	pmon_close(m);
	CHECK(pmon_open(&m, "cs,cs,cs,cs,cs,cs,cs,cs,cs", PMON_NO_MULTIPLEX) == -ENOSPC);
	SAYS("no counter is left");
}

static void test_read(void)
{
	pmon_value_t v[2];
	pmon_t *m, *other;
	char who[64];

	CHECK(pmon_open(&m, "minor-faults,task-clock", 0) == 0 && pmon_start(m) == 0);
	fault(100);
	CHECK(pmon_read(m, v, 2) == 2 && v[0].raw >= 100 && v[0].raw < 120);
	CHECK(v[0].scaled == v[0].raw && v[0].active_ns == v[0].total_ns);
	CHECK(v[0].total_ns > 0 && v[1].raw > 0);
	CHECK(pmon_reset(m) == 0);
	fault(10);
	CHECK(pmon_read(m, v, 1) == 1 && v[0].raw >= 10 && v[0].raw < 30);
	/* A thread has one context. */
	CHECK(pmon_open(&other, "minor-faults", 0) == 0 && pmon_start(other) == -EBUSY);
	SAYS("PFM_LOAD_CONTEXT");
	snprintf(who, sizeof(who), "it is monitored by count (this process %d): end that", (int)getpid());
	SAYS(who);
	pmon_close(other);
	CHECK(pmon_stop(m) == 0 && pmon_read(m, v, 2) == 2);
	fault(10);
	CHECK(pmon_read(m, v + 1, 1) == 1 && v[1].raw == v[0].raw);
	CHECK(pmon_start(m) == 0);
	fault(10);
	CHECK(pmon_read(m, v + 1, 1) == 1 && v[1].raw >= v[0].raw + 10);
	pmon_close(m);
}

/*
 * A thread that another program measures, as pfmon does, counts nothing of its own, goes on,
 * and says by whom it is measured.
 */
static void test_taken(void)
{
	char who[64], byte = 0;
	int go[2], status;
	pmon_t *m, *own;
	pid_t pid;

	snprintf(who, sizeof(who), "it is monitored by count (process %d)", (int)getpid());
	CHECK(pipe(go) == 0);
	pid = fork();
	if (!pid) {
		setenv("PMON_EVENTS", "minor-faults", 1);
		status = read(go[0], &byte, 1) == 1 && pmon_open(&own, "minor-faults", 0) == 0 &&
			 pmon_start(own) == -EBUSY && strstr(pmon_error(), who) &&
			 pmon_region_begin("taken") == -EBUSY && strstr(pmon_error(), who);
		_exit(!status);
	}
	CHECK(pmon_open(&m, "minor-faults", 0) == 0 && pmon_attach(m, pid) == 0);
	CHECK(write(go[1], &byte, 1) == 1);
	CHECK(waitpid(pid, &status, 0) == pid && status == 0);
	close(go[0]);
	close(go[1]);
	pmon_close(m);
}

/* More events than counters: of page faults that are even in time the estimate is right. */
static void test_turns(void)
{
	pmon_value_t v[16];
	unsigned int i, n;
	pmon_t *m;

	CHECK(pmon_open(&m, "minor-faults,cs,cs,cs,cs,cs,cs,cs,cs,cs,minor-faults,migrations",
			0) == 0);
	n = pmon_events(m);
	CHECK(n == 12 && pmon_start(m) == 0);
	do {
		fault(100);
		CHECK(pmon_read(m, v, 16) == 12);
	} while (v[0].total_ns < 200000000 || !v[0].active_ns || !v[10].active_ns);
	pmon_stop(m);
	CHECK(pmon_read(m, v, 16) == 12);
	for (i = 0; i < n; i++) {
		CHECK(v[i].total_ns == v[0].total_ns && v[i].active_ns <= v[i].total_ns);
		CHECK(v[i].scaled >= v[i].raw);
	}
	CHECK(v[0].active_ns < v[0].total_ns);
	CHECK(v[0].active_ns + v[10].active_ns == v[0].total_ns);
	pmon_close(m);
}

#if defined(__x86_64__) || defined(__i386__)
static void loop(unsigned int n)
{
	__asm__ volatile("1: dec %0\n\tjnz 1b" : "+r"(n) : : "cc");
}

/* The same but for the length of the loop, of two instructions. */
static uint64_t instructions_of(pmon_t *m, unsigned int n, uint64_t *cycles)
{
	pmon_value_t v[2] = { { .raw = 0 } };

	CHECK(pmon_reset(m) == 0 && pmon_start(m) == 0);
	loop(n);
	CHECK(pmon_stop(m) == 0 && pmon_read(m, v, 2) == 2);
	*cycles = v[1].raw;
	return v[0].raw;
}

static void test_hardware(void)
{
	uint64_t few, many, few_cycles, many_cycles;
	pmon_t *m;

	if (pmon_open(&m, "instructions:u,cycles:u", 0)) {
		SAYS("no PMU");
		return;
	}
	few = instructions_of(m, 1000, &few_cycles);
	few = instructions_of(m, 1000, &few_cycles);
	many = instructions_of(m, 1001000, &many_cycles);
	/* A real processor counts an interrupt's return, too. */
	CHECK(many - few >= 2000000 && many - few < 2001000);
	CHECK(many_cycles > few_cycles);
	/* The bench's needs a cycle for each instruction, and knows nothing else. */
	if (getenv("PMON_EXACT")) {
		CHECK(many - few == 2000000);
		CHECK(many_cycles - few_cycles == 2000000);
	}
	pmon_close(m);
}
#else
static void test_hardware(void)
{
}
#endif

static pmon_group_t *group;
static pthread_barrier_t counted, read_once;

static void *thread_ends(void *arg)
{
	CHECK(pmon_thread_begin(group) == 0);
	fault(100);
	return arg;
}

static void *thread_stays(void *arg)
{
	pmon_value_t v;

	CHECK(pmon_thread_begin(group) == 0 && pmon_thread_begin(group) == -EBUSY);
	fault(100);
	pthread_barrier_wait(&counted);
	pthread_barrier_wait(&read_once);
	CHECK(pmon_thread_end(group) == 0 && pmon_thread_end(group) == -ESRCH);
	CHECK(pmon_sum(group, &v, 1) == 1 && v.raw >= 400);
	return arg;
}

static unsigned int open_files(void)
{
	unsigned int i, n = 0;

	for (i = 0; i < 256; i++)
		n += fcntl((int)i, F_GETFD) >= 0;
	return n;
}

static void test_group(void)
{
	unsigned int files = open_files(), i;
	pthread_t ending[3], staying;
	pmon_value_t v[2];

	pthread_barrier_init(&counted, NULL, 2);
	pthread_barrier_init(&read_once, NULL, 2);
	CHECK(pmon_group_open(&group, "minor-faults,task-clock", 0) == 0);
	CHECK(pmon_group_events(group) == 2);
	CHECK_STR(pmon_group_name(group, 1), "task-clock");
	pthread_create(&staying, NULL, thread_stays, NULL);
	for (i = 0; i < 3; i++)
		pthread_create(&ending[i], NULL, thread_ends, NULL);
	for (i = 0; i < 3; i++)
		pthread_join(ending[i], NULL);
	pthread_barrier_wait(&counted);
	/* Their contexts are gone, and what they counted is not. */
	CHECK(open_files() == files + 2);
	CHECK(pmon_sum(group, v, 2) == 2 && v[0].raw >= 400 && v[0].raw < 600);
	pthread_barrier_wait(&read_once);
	pthread_join(staying, NULL);
	CHECK(pmon_sum(group, v, 2) == 2 && v[0].raw >= 400 && v[0].scaled == v[0].raw);
	/* One that has not ended is closed with the group. */
	CHECK(pmon_thread_begin(group) == 0);
	pmon_group_close(group);
	CHECK(open_files() == files);
}

/* How many samples there are. */
static uint64_t take(pmon_t *m)
{
	struct pmon_record r;
	uint64_t n = 0;
	int ret;

	while ((ret = pmon_sample_next(m, &r)) > 0)
		n += r.type == PMON_SAMPLE ? r.sample.count : 0;
	CHECK(ret == 0);
	return n;
}

static void test_samples(const char *format)
{
	uint64_t samples = 0;
	unsigned int i;
	pmon_t *m;

	if (pmon_sample_open(&m, "minor-faults", 1, format, 8192)) {
		printf("no %s: %s\n", format, pmon_error());
		return;
	}
	CHECK(take(m) == 0 && pmon_start(m) == 0);
	for (i = 0; i < 64; i++) {
		fault(2);
		samples += take(m);
		CHECK(pmon_sample_release(m) >= 0);
		samples += take(m);
	}
	CHECK(pmon_stop(m) == 0);
	samples += take(m);
	CHECK(pmon_sample_release(m) >= 0);
	samples += take(m);
	/* One or two a fill, of formats that stop, are missed until it is seen. */
	CHECK(samples + pmon_lost(m) >= 112);
	pmon_close(m);
}

static void test_sample_errors(void)
{
	struct pmon_record r;
	pmon_t *m;

	CHECK(pmon_sample_open(&m, "minor-faults", 1, "bogus", 0) == -ENOENT && !m);
	SAYS("bogus");
	CHECK(pmon_sample_open(&m, "minor-faults", 0, NULL, 0) == -EINVAL);
	CHECK(pmon_sample_open(&m, "faults", 1, NULL, 0) == -EINVAL);
	SAYS("more than one event");
	CHECK(pmon_sample_open(&m, "minor-faults", 1, NULL, 1) == -EINVAL);
	SAYS("PFM_CREATE_CONTEXT");
	CHECK(pmon_open(&m, "minor-faults", 0) == 0);
	CHECK(pmon_sample_next(m, &r) == -EINVAL && pmon_sample_release(m) == -EINVAL);
	CHECK(pmon_lost(m) == 0);
	pmon_close(m);
}

static void *in_region(void *arg)
{
	CHECK(pmon_region_begin("inner") == 0);
	fault(50);
	CHECK(pmon_region_end("inner") == 0);
	/* Not ended: it is not counted. */
	CHECK(pmon_region_begin("open") == 0);
	return arg;
}

static void fall_out(void)
{
	PMON_REGION("block");

	fault(10);
}

static void test_regions(void)
{
	char *text = NULL;
	pthread_t thread;
	pid_t child;
	size_t size;
	FILE *f;
	int status;

	CHECK(pmon_region_begin("out\"er") == 0);
	in_region(NULL);
	CHECK(pmon_region_end("out\"er") == -EINVAL);
	SAYS("'open' was to end first");
	CHECK(pmon_region_end("open") == 0 && pmon_region_end("out\"er") == 0);
	CHECK(pmon_region_end("out\"er") == -EINVAL);
	SAYS("has not begun");
	fall_out();
	pthread_create(&thread, NULL, in_region, NULL);
	pthread_join(thread, NULL);
	/* A child counts its own from the beginning. */
	child = fork();
	if (!child) {
		CHECK(pmon_region_begin("child") == 0);
		fault(5);
		CHECK(pmon_region_end("child") == 0);
		f = open_memstream(&text, &size);
		pmon_region_report(f, PMON_TEXT);
		fclose(f);
		CHECK(!strstr(text, "inner") && strstr(text, "region 'child': 1 run,"));
		_exit(checks_failed != 0);
	}
	CHECK(waitpid(child, &status, 0) == child && status == 0);
	f = open_memstream(&text, &size);
	CHECK(pmon_region_report(f, 7) == -EINVAL && pmon_region_report(f, PMON_JSON) == 0);
	fclose(f);
	CHECK(strstr(text, "{\"name\": \"inner\", \"runs\": 2, \"ns\": ") != NULL);
	CHECK(strstr(text, "{\"name\": \"out\\\"er\", \"runs\": 1, \"ns\": ") != NULL);
	CHECK(strstr(text, "{\"name\": \"block\", \"runs\": 1, \"ns\": ") != NULL);
	CHECK(strstr(text, "{\"name\": \"open\", \"runs\": 1, \"ns\": ") != NULL);
	CHECK(strstr(text, "{\"name\": \"minor-faults\", \"value\": ") != NULL);
	CHECK(strstr(text, "], \"error\": null}") != NULL && !strstr(text, "child"));
	free(text);
}

int main(int argc, char **argv)
{
	pfarg_config_t cfg;
	unsigned int i;
	int err;

	page = (size_t)sysconf(_SC_PAGESIZE);
	memset(&cfg, 0, sizeof(cfg));
	if (argc > 1 && !strcmp(argv[1], "regions")) {
		test_regions();
		return check_done();
	}
	if (pfm_get_config(&cfg)) {
		err = errno;
		CHECK(err == ENOSYS);
		test_without();
		return check_done();
	}
	test_open();
	test_read();
	test_taken();
	test_turns();
	test_hardware();
	test_group();
	for (i = 0; pmon_format_at(i); i++)
		test_samples(pmon_format_at(i)->name);
	test_sample_errors();
	return check_done();
}
