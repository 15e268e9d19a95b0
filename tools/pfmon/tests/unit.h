/* SPDX-License-Identifier: GPL-2.0-only */
/* What the unit tests of pfmon record and report share. */
#ifndef PFMON_TESTS_UNIT_H
#define PFMON_TESTS_UNIT_H

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "../smpl.h"

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

static const struct sampled_event test_event = {
	.name = "task-clock", .pmd = 288, .unit = UNIT_NS, .period = 1000,
	.random_mask = 0xff, .readings = 2,
	.reading = { { "context-switches", 290, true }, { "CLOCK", 304, false } },
};

#endif /* PFMON_TESTS_UNIT_H */
