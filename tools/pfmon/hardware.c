// SPDX-License-Identifier: GPL-2.0-only
/* The hardware PMU of this machine: is there one, and what may we count? */
#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <perfmon/libperfmon.h>

#include "require.h"
#include "file.h"
#include "hardware.h"

bool hardware_find(void)
{
	static struct pmu pmu;

	pmu_read(&pmu);
	return events_pmu(&pmu);
}

/* The kernel takes the PMU when a context with its events is attached. */
bool hardware_busy(struct failure *failure)
{
	static struct counters counters;
	char error[EVENTS_ERROR_MAX], sessions[32];
	int fd;

	memset(failure, 0, sizeof(*failure));
	events_free(false);
	if (counters_add(&counters, "instructions:u", error))
		return false;
	fd = context_create(&counters, 0, failure);
	if (fd < 0)
		return false;
	context_attach(fd, (pid_t)syscall(SYS_gettid), 0, 0, failure);
	close(fd);
	/* Counted CPUs are a reason, too, and not this one. */
	return failure->cmd == PFM_LOAD_CONTEXT && failure->err == EBUSY &&
	       sysfs_read("sys_sessions", sessions, sizeof(sessions)) &&
	       !strcmp(sessions, "0");
}

void hardware_settle(struct counters *counters, unsigned int flags)
{
	struct failure failure;
	const struct counter *c;
	int fd;

	if (!counters_kernel(counters))
		return;
	fd = context_create(counters, flags, &failure);
	if (fd >= 0) {
		close(fd);
		return;
	}
	/* Whatever else is wrong is said where it is measured. */
	if (failure.cmd != PFM_WRITE_PMCS || failure.err != EPERM)
		return;
	counters_restrict(counters);
	c = counters_kernel(counters);
	if (c)
		errx(EXIT_PFMON, "'%s': to count the kernel's part needs the right to count whole CPUs",
		     c->name);
}
