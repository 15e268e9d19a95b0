/* SPDX-License-Identifier: GPL-2.0-only */
/* What the unit tests of pfmon record and report share. */
#ifndef PFMON_TESTS_UNIT_H
#define PFMON_TESTS_UNIT_H

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

#include "../sampled.h"

/* The path of a file in memory, for all that needs a file. */
static char path[32];

static inline void make_file(void)
{
	int fd = memfd_create("unit", 0);

	if (fd < 0)
		exit(2);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
}

static inline void save_file(const void *bytes, size_t size)
{
	FILE *f = fopen(path, "w");

	if (!f || fwrite(bytes, 1, size, f) != size || fclose(f))
		exit(2);
}

/* CPU time in ns, for comparing two pieces of work of the same kind. */
static inline double cpu_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (double)ts.tv_sec * 1e9 + (double)ts.tv_nsec;
}

/*
 * How many times as long @large takes as @small, the least of some tries: others on
 * the machine only add to it.
 */
static inline double times_as_long(void (*work)(unsigned int n), unsigned int small,
				   unsigned int large, double enough)
{
	double ratio = 0, least = 1e9, from, middle;
	int try;

	for (try = 0; try < 5 && least > enough; try++) {
		from = cpu_ns();
		work(small);
		middle = cpu_ns();
		work(large);
		ratio = (cpu_ns() - middle) / (middle - from + 1);
		if (ratio < least)
			least = ratio;
	}
	return least;
}

static const struct sampled_event test_event = {
	.name = "task-clock", .pmd = 288, .unit = UNIT_NS, .period = 1000,
	.random_mask = 0xff, .readings = 2,
	.reading = { { "context-switches", 290, true }, { "CLOCK", 304, false } },
};

#endif /* PFMON_TESTS_UNIT_H */
