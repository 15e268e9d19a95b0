// SPDX-License-Identifier: GPL-2.0-only
/*
 * cost - what perfmon and perf_events cost, in instructions
 *
 * For a guest with one CPU and -icount shift=0, where the cycle counter counts
 * executed instructions (make bench-cost starts it so). Elsewhere the numbers
 * are time, and noise. Each figure is the median of many rounds, less the cost of
 * reading the counter. Both sides count the same software events.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <x86intrin.h>

#include <perfmon/perfmon.h>

#define ROUNDS 201
#define COUNTERS 4

static const unsigned int sw_event[COUNTERS] = {
	PFM_SW_CSWITCHES, PFM_SW_MIGRATIONS, PFM_SW_MINOR_FAULTS,
	PFM_SW_TASK_CLOCK,
};
static const unsigned int perf_event[COUNTERS] = {
	PERF_COUNT_SW_CONTEXT_SWITCHES, PERF_COUNT_SW_CPU_MIGRATIONS,
	PERF_COUNT_SW_PAGE_FAULTS_MIN, PERF_COUNT_SW_TASK_CLOCK,
};

static uint64_t overhead;

static void must(int ok, const char *what)
{
	if (!ok) {
		fprintf(stderr, "cost: %s: %s\n", what, strerror(errno));
		exit(1);
	}
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static uint64_t median(uint64_t *v)
{
	qsort(v, ROUNDS, sizeof(*v), compare);
	return v[ROUNDS / 2] > overhead ? v[ROUNDS / 2] - overhead : 0;
}

#define MEASURE(statement) ({						\
	uint64_t v_[ROUNDS];						\
	int i_;								\
									\
	for (i_ = 0; i_ < ROUNDS; i_++) {				\
		uint64_t t_ = __rdtsc();				\
									\
		statement;						\
		v_[i_] = __rdtsc() - t_;				\
	}								\
	median(v_);							\
})

/* One counter, then four: create, program and attach to tid; stopped. */
static int pfm_open(pid_t tid, int n)
{
	pfarg_ctx_t ctx = { 0 };
	pfarg_load_t load = { .load_pid = tid };
	pfarg_pmc_t pmc[COUNTERS];
	int i;

	memset(pmc, 0, sizeof(pmc));
	for (i = 0; i < n; i++) {
		pmc[i].reg_num = PFM_SW_PMC0 + i;
		pmc[i].reg_value = sw_event[i];
	}
	must(!syscall(__NR_perfmonctl, -1, PFM_CREATE_CONTEXT, &ctx, 1),
	     "PFM_CREATE_CONTEXT");
	must(!syscall(__NR_perfmonctl, ctx.ctx_fd, PFM_WRITE_PMCS, pmc, n),
	     "PFM_WRITE_PMCS");
	must(!syscall(__NR_perfmonctl, ctx.ctx_fd, PFM_LOAD_CONTEXT, &load, 1),
	     "PFM_LOAD_CONTEXT");
	return ctx.ctx_fd;
}

static void pfm_run(int fd, int cmd)
{
	must(!syscall(__NR_perfmonctl, fd, cmd, NULL, 0), "perfmonctl");
}

static void pfm_read(int fd, int n)
{
	static pfarg_pmd_t pmd[COUNTERS];
	int i;

	for (i = 0; i < n; i++)
		pmd[i].reg_num = PFM_SW_PMD0 + i;
	must(!syscall(__NR_perfmonctl, fd, PFM_READ_PMDS, pmd, n), "PFM_READ_PMDS");
}

static int perf_open(pid_t tid, int n)
{
	struct perf_event_attr attr;
	int i, fd, leader = -1;

	for (i = 0; i < n; i++) {
		memset(&attr, 0, sizeof(attr));
		attr.size = sizeof(attr);
		attr.type = PERF_TYPE_SOFTWARE;
		attr.config = perf_event[i];
		attr.disabled = leader < 0;
		attr.read_format = PERF_FORMAT_GROUP;
		fd = syscall(SYS_perf_event_open, &attr, tid, -1, leader, 0);
		must(fd >= 0, "perf_event_open");
		if (leader < 0)
			leader = fd;
	}
	return leader;
}

static void perf_run(int fd, unsigned long cmd)
{
	must(!ioctl(fd, cmd, PERF_IOC_FLAG_GROUP), "ioctl");
}

static void perf_read(int fd, int n)
{
	uint64_t values[1 + COUNTERS];

	must(read(fd, values, (1 + n) * 8) == (1 + n) * 8, "read");
}

/* A process that answers each byte, and one that sleeps. */
static int ping[2], pong[2];

static pid_t child(void (*body)(void))
{
	pid_t pid = fork();

	must(pid >= 0, "fork");
	if (!pid) {
		body();
		_exit(0);
	}
	return pid;
}

static void answer(void)
{
	char c;

	while (read(ping[0], &c, 1) == 1)
		must(write(pong[1], &c, 1) == 1, "write");
}

static void sleeper(void)
{
	pause();
}

static void round_trip(void)
{
	char c = 0;

	must(write(ping[1], &c, 1) == 1 && read(pong[0], &c, 1) == 1, "pipe");
}

/* Two switches make a round trip; one of the two threads is monitored. */
static uint64_t switches(void)
{
	uint64_t v[ROUNDS];
	int i;

	for (i = 0; i < 20; i++)
		round_trip();
	for (i = 0; i < ROUNDS; i++) {
		uint64_t t = __rdtsc();

		round_trip();
		v[i] = __rdtsc() - t;
	}
	return median(v);
}

static void commands(int n)
{
	pid_t self = getpid();
	int pfm = pfm_open(self, n), perf;

	printf("%-34s %8llu", n == 1 ? "start, 1 counter" : "start, 4 counters",
	       (unsigned long long)MEASURE((pfm_run(pfm, PFM_START))));
	pfm_run(pfm, PFM_STOP);
	close(pfm);
	perf = perf_open(self, n);
	printf(" %8llu\n", (unsigned long long)
	       MEASURE((perf_run(perf, PERF_EVENT_IOC_ENABLE))));

	pfm = pfm_open(self, n);
	printf("%-34s %8llu", "start + stop", (unsigned long long)
	       MEASURE((pfm_run(pfm, PFM_START), pfm_run(pfm, PFM_STOP))));
	printf(" %8llu\n", (unsigned long long)
	       MEASURE((perf_run(perf, PERF_EVENT_IOC_ENABLE),
			perf_run(perf, PERF_EVENT_IOC_DISABLE))));

	pfm_run(pfm, PFM_START);
	perf_run(perf, PERF_EVENT_IOC_ENABLE);
	printf("%-34s %8llu", "read while running", (unsigned long long)
	       MEASURE(pfm_read(pfm, n)));
	printf(" %8llu\n", (unsigned long long)MEASURE(perf_read(perf, n)));
	close(pfm);
	close(perf);
}

int main(void)
{
	uint64_t bare, third, got[2][2];
	pid_t other, sleeps;
	int fd, i;

	overhead = MEASURE((void)0);
	must(!pipe(ping) && !pipe(pong), "pipe");
	other = child(answer);
	sleeps = child(sleeper);
	usleep(10000);

	printf("%-34s %8s %8s\n", "instructions", "perfmon", "perf");
	printf("%-34s %8llu\n", "getppid()", (unsigned long long)
	       MEASURE((void)syscall(SYS_getppid)));
	commands(1);
	commands(4);

	bare = switches();
	fd = pfm_open(sleeps, 4);
	pfm_run(fd, PFM_START);
	third = switches();
	close(fd);
	for (i = 0; i < 2; i++) {
		fd = pfm_open(other, i ? 4 : 1);
		pfm_run(fd, PFM_START);
		got[0][i] = switches();
		close(fd);
		fd = perf_open(other, i ? 4 : 1);
		perf_run(fd, PERF_EVENT_IOC_ENABLE);
		got[1][i] = switches();
		close(fd);
	}
	printf("%-34s %8llu\n", "round trip of two switches",
	       (unsigned long long)bare);
	printf("%-34s %8lld\n", "... a third thread monitored, adds",
	       (long long)(third - bare));
	for (i = 0; i < 2; i++)
		printf("%-34s %8lld %8lld\n",
		       i ? "... one of them, 4 counters, adds" :
			   "... one of them, 1 counter, adds",
		       (long long)(got[0][i] - bare),
		       (long long)(got[1][i] - bare));

	kill(sleeps, SIGKILL);
	kill(other, SIGKILL);
	while (wait(NULL) > 0)
		;
	return 0;
}
