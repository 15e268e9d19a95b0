// SPDX-License-Identifier: GPL-2.0-only
/* Measures the first thread of a command, without ptrace(). */
#include <err.h>
#include <unistd.h>

#include "context.h"
#include "measure.h"
#include "signals.h"

void result_usage(struct result *result, const struct rusage *usage)
{
	result->has_usage = true;
	result->user_ns = (uint64_t)usage->ru_utime.tv_sec * 1000000000 +
			  (uint64_t)usage->ru_utime.tv_usec * 1000;
	result->system_ns = (uint64_t)usage->ru_stime.tv_sec * 1000000000 +
			    (uint64_t)usage->ru_stime.tv_usec * 1000;
}

int measure_command(struct result *result, struct child *child)
{
	uint64_t values[MAX_COUNTERS], begin;
	struct failure failure;
	struct rusage usage;
	int fd, status;

	fd = context_create(result->counters, 0, &failure);
	if (fd < 0 || context_attach(fd, child->pid, &failure) ||
	    context_start(fd, &failure))
		errx(EXIT_PFMON, "cannot attach to the command: %s",
		     failure_text(&failure));
	begin = now_ns();
	child_release(child);
	status = child_wait(child, &usage);
	signals_child_gone();
	result->elapsed_ns = now_ns() - begin;
	result_usage(result, &usage);

	/* The context is detached by now and keeps the last counts. */
	if (context_read(fd, result->counters, values, &failure))
		errx(EXIT_PFMON, "cannot read the counts: %s",
		     failure_text(&failure));
	result_add(result, values, 0);
	close(fd);
	return status;
}
