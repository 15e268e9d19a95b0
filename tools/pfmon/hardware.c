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

#include "context.h"
#include "hardware.h"

/* General counters have the first numbers; some machines have others above. */
#define GENERAL_MAX	16

bool hardware_find(void)
{
	unsigned int n = 0;
	pfarg_config_t cfg;
	char model[64];

	memset(&cfg, 0, sizeof(cfg));
	if (pfm_get_config(&cfg) || !sysfs_read("pmu_model", model, sizeof(model)))
		return events_hardware("", 0);
	while (n < GENERAL_MAX && pfm_bv_isset(cfg.cf_impl_pmds, n) &&
	       pfm_bv_isset(cfg.cf_impl_pmcs, n))
		n++;
	return events_hardware(model, n);
}

/* The kernel takes the PMU when a context with its events is attached. */
bool hardware_busy(void)
{
	static struct counters counters;
	char error[EVENTS_ERROR_MAX], sessions[32];
	struct failure failure = { 0 };
	int fd;

	if (counters_add(&counters, "instructions:u", error))
		return false;
	fd = context_create(&counters, 0, &failure);
	if (fd < 0)
		return false;
	context_attach(fd, (pid_t)syscall(SYS_gettid), 0, &failure);
	close(fd);
	/* Counted CPUs are a reason, too, and not this one. */
	return failure.cmd == PFM_LOAD_CONTEXT && failure.err == EBUSY &&
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
