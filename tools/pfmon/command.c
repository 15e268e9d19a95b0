// SPDX-License-Identifier: GPL-2.0-only
/* Measures the first thread of a command, without ptrace(). */
#include <err.h>
#include <sys/time.h>

#include "holders.h"
#include "measure.h"
#include "schedule.h"
#include "signals.h"
#include "watch.h"

static uint64_t between(const struct timeval *from, const struct timeval *to)
{
	struct timeval t;

	if (timercmp(to, from, <))
		return 0;
	timersub(to, from, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_usec * 1000;
}

void result_usage(struct result *result, const struct rusage *before,
		  const struct rusage *usage)
{
	result->has_usage = true;
	result->user_ns = between(&before->ru_utime, &usage->ru_utime);
	result->system_ns = between(&before->ru_stime, &usage->ru_stime);
}

int measure_command(struct result *result, struct child *child)
{
	struct failure failure;
	struct rusage usage;
	struct probe *probe;
	int status;

	probe = probe_attach(result, child->pid, -1, &failure);
	if (!probe || probe_start(probe, &failure))
		errx(EXIT_PFMON, "cannot attach to the command: %s",
		     holders_text("/proc", &failure));
	watch_add(probe);
	schedule_begin(result);
	child_release(child);
	/* Its name is there until it has been waited for. */
	while (!child_dead(child))
		watch_wait(result);
	probe_name(probe);
	status = watch_child(result, child, &usage);
	signals_child_gone();
	schedule_over(result);
	result_usage(result, &child->before, &usage);

	/* The context is detached by now and keeps what it has. */
	if (probe_finish(probe, &failure))
		errx(EXIT_PFMON, "cannot read the %s: %s", result->ops->what,
		     holders_text("/proc", &failure));
	return status;
}
