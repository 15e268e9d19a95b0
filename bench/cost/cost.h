/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the measuring programs share: perfmon and perf_events with the same
 * counters, software's or the hardware's; two threads that switch; medians.
 *
 * For a guest with one CPU and -icount shift=0, where executed() counts instructions
 * (make bench-NAME starts it so). Elsewhere the numbers
 * are time, and noise.
 */
#ifndef COST_H
#define COST_H

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <perfmon/perfmon.h>

#include "../../lib/device.h"
#include "machine.h"

#define ROUNDS 201

static const struct events software = {
	PFM_SW_PMC0, PFM_SW_PMD0,
	{ PFM_SW_CSWITCHES, PFM_SW_MIGRATIONS, PFM_SW_MINOR_FAULTS,
	  PFM_SW_TASK_CLOCK },
	PERF_TYPE_SOFTWARE,
	{ PERF_COUNT_SW_CONTEXT_SWITCHES, PERF_COUNT_SW_CPU_MIGRATIONS,
	  PERF_COUNT_SW_PAGE_FAULTS_MIN, PERF_COUNT_SW_TASK_CLOCK },
	false, 0,
};

static struct events hardware;	/* that have_hardware() has found */

static inline void must(int ok, const char *what)
{
	if (!ok) {
		fprintf(stderr, "cost: %s: %s\n", what, strerror(errno));
		exit(1);
	}
}

/* perfmonctl(); if perfmon is a module, without another try of the system call. */
static inline long pfm(int fd, int cmd, void *arg, int n)
{
	static bool by_device;
	long ret;

	if (!by_device) {
		ret = syscall(__NR_perfmonctl, fd, cmd, arg, n);
		if (ret != -1 || errno != ENOSYS)
			return ret;
		by_device = true;
	}
	return pfm_device_perfmonctl(fd, cmd, arg, n);
}

static inline bool have_hardware(void)
{
	char model[64] = "none";
	FILE *f = fopen("/sys/kernel/perfmon/pmu_model", "r");
	size_t i;

	if (f) {
		if (!fgets(model, sizeof(model), f))
			model[0] = 0;
		fclose(f);
	}
	for (i = 0; i < sizeof(models) / sizeof(models[0]); i++) {
		if (strncmp(model, models[i].name, strlen(models[i].name)))
			continue;
		hardware = models[i].events;
		return true;
	}
	return false;
}

static inline int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static inline uint64_t median(uint64_t *v, unsigned int n)
{
	qsort(v, n, sizeof(*v), compare);
	return v[n / 2];
}

/* Where levels have a register of their own, and not a field of each event's. */
static inline void count_all_levels(const struct events *e, int fd, uint16_t set)
{
	pfarg_pmc_t pmc = { .reg_num = e->levels, .reg_set = set };

	must(!e->has_levels || !pfm(fd, PFM_WRITE_PMCS, &pmc, 1), "PFM_WRITE_PMCS");
}

/*
 * One counter, or four: create, program and attach to tid; stopped. With
 * PFM_FL_SYSTEM_WIDE in ctx_flags to the CPU, and tid is the caller's. With PFM_FL_TREE to
 * all that tid has made and makes; of a tree moves to other CPUs are not counted, but major
 * faults.
 */
static inline int pfm_open_as(const struct events *e, uint32_t ctx_flags, pid_t tid, int n,
			      uint64_t period, uint32_t flags)
{
	pfarg_ctx_t ctx = { .ctx_flags = ctx_flags };
	bool tree = ctx_flags & PFM_FL_TREE;
	pfarg_load_t load = { .load_pid = tid, .load_flags = tree ? PFM_LOADFL_ALL |
				PFM_LOADFL_THREADS | PFM_LOADFL_CHILDREN : 0 };
	pfarg_pmc_t pmc[COUNTERS];
	pfarg_pmd_t pmd[COUNTERS];
	int i;

	memset(pmc, 0, sizeof(pmc));
	memset(pmd, 0, sizeof(pmd));
	for (i = 0; i < n; i++) {
		pmc[i].reg_num = e->pmc + i;
		pmc[i].reg_value = e->code[i];
		if (tree && e == &software && e->code[i] == PFM_SW_MIGRATIONS)
			pmc[i].reg_value = PFM_SW_MAJOR_FAULTS;
		pmc[i].reg_flags = i ? 0 : flags;
		pmd[i].reg_num = e->pmd + i;
		if (!i)
			pmd[i].reg_value = pmd[i].reg_long_reset =
				pmd[i].reg_short_reset = -period;
	}
	must(!pfm(-1, PFM_CREATE_CONTEXT, &ctx, 1),
	     "PFM_CREATE_CONTEXT");
	must(!pfm(ctx.ctx_fd, PFM_WRITE_PMCS, pmc, n),
	     "PFM_WRITE_PMCS");
	count_all_levels(e, ctx.ctx_fd, 0);
	if (period)
		must(!pfm(ctx.ctx_fd, PFM_WRITE_PMDS, pmd, n),
		     "PFM_WRITE_PMDS");
	must(!pfm(ctx.ctx_fd, PFM_LOAD_CONTEXT, &load, 1),
	     "PFM_LOAD_CONTEXT");
	return ctx.ctx_fd;
}

static inline int pfm_open(const struct events *e, pid_t tid, int n,
			   uint64_t period, uint32_t flags)
{
	return pfm_open_as(e, 0, tid, n, period, flags);
}

static inline void pfm_run(int fd, int cmd)
{
	must(!pfm(fd, cmd, NULL, 0), "perfmonctl");
}

static inline void pfm_read(const struct events *e, int fd, int n)
{
	static pfarg_pmd_t pmd[COUNTERS];
	int i;

	for (i = 0; i < n; i++)
		pmd[i].reg_num = e->pmd + i;
	must(!pfm(fd, PFM_READ_PMDS, pmd, n), "PFM_READ_PMDS");
}

static int perf_fds[COUNTERS];

/* How perf_events counts what children do, too, and what one of a group is read by. */
#define PERF_ALONE	1		/* a read is of one event */
#define PERF_INHERIT	2		/* implies that */

/* Of a thread; or, if tid is -1, of CPU 0. */
static inline int perf_open_as(const struct events *e, int how, pid_t tid, int n,
			       uint64_t period)
{
	struct perf_event_attr attr;
	int i, leader = -1;

	for (i = 0; i < n; i++) {
		memset(&attr, 0, sizeof(attr));
		attr.size = sizeof(attr);
		attr.type = e->perf_type;
		attr.config = e->perf_code[i];
		attr.disabled = leader < 0;
		attr.read_format = how ? 0 : PERF_FORMAT_GROUP;
		attr.inherit = how == PERF_INHERIT;
		if (!i && period) {
			attr.sample_period = period;
			attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID |
					   PERF_SAMPLE_TIME;
			attr.wakeup_events = 1;
		}
		perf_fds[i] = syscall(SYS_perf_event_open, &attr, tid, tid < 0 ? 0 : -1, leader,
				      0);
		must(perf_fds[i] >= 0, "perf_event_open");
		if (leader < 0)
			leader = perf_fds[i];
	}
	return leader;
}

static inline int perf_open(const struct events *e, pid_t tid, int n, uint64_t period)
{
	return perf_open_as(e, 0, tid, n, period);
}

static inline void perf_close(int n)
{
	while (n--)
		close(perf_fds[n]);
}

static inline void perf_run(int fd, unsigned long cmd)
{
	must(!ioctl(fd, cmd, PERF_IOC_FLAG_GROUP), "ioctl");
}

static inline void perf_read(int fd, int n)
{
	uint64_t values[1 + COUNTERS];

	must(read(fd, values, (1 + n) * 8) == (1 + n) * 8, "read");
}

static inline void perf_read_alone(int fd)
{
	uint64_t value;

	must(read(fd, &value, 8) == 8, "read");
}

/* A process that answers each byte, and one that sleeps. */
static int ping[2], pong[2];

static inline pid_t child(void (*body)(void))
{
	pid_t pid = fork();

	must(pid >= 0, "fork");
	if (!pid) {
		body();
		_exit(0);
	}
	return pid;
}

static inline void answer(void)
{
	char c;

	while (read(ping[0], &c, 1) == 1)
		must(write(pong[1], &c, 1) == 1, "write");
}

static inline void sleeper(void)
{
	pause();
}

/* Two switches. */
static inline void round_trip(void)
{
	char c = 0;

	must(write(ping[1], &c, 1) == 1 && read(pong[0], &c, 1) == 1, "pipe");
}

#endif /* COST_H */
