// SPDX-License-Identifier: GPL-2.0-only
/*
 * Measures a command without ptrace(): its first thread, or as a tree that the kernel has
 * counted, with all threads and child processes.
 */
#include <err.h>
#include <poll.h>
#include <sys/time.h>

#include <perfmon/libperfmon.h>

#include "holders.h"
#include "measure.h"
#include "schedule.h"
#include "signals.h"
#include "spent.h"
#include "tree.h"
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

static uint64_t used_ns(const struct rusage *usage)
{
	struct timeval t;

	timeradd(&usage->ru_utime, &usage->ru_stime, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_usec * 1000;
}

void command_note_left(struct result *result, unsigned int n)
{
	if (n)
		result_note(result, "%u thread%s ran on after the command, and %s %s until the command ended",
			    n, n == 1 ? "" : "s", n == 1 ? "was" : "were", result->ops->done);
}

/* So long pfmon waits at most for the kernel to load a program, which may be far away. */
#define LOAD_MS		1000

/* A command that is counted as a tree. */
static struct measured {
	struct child *child;
	struct probe *probe;	/* NULL: what was before the program is known */
	bool late;		/* it was looked at when it had ended */
	uint64_t before_ns;	/* CPU time of the child that was before it, and is in no count */
} measured;

/* What has been counted, as soon as there is something. */
static uint64_t first_counted_ns(struct probe *probe, struct child *child)
{
	struct pollfd ended = { .fd = probe->fd, .events = POLLIN };
	uint64_t ns = tree_counted_ns(probe);
	unsigned int i;

	for (i = 0; !ns && i < LOAD_MS && !child_dead(child) && !poll(&ended, 1, 1); i++)
		ns = tree_counted_ns(probe);
	return ns;
}

/*
 * The program is about to be there, or the child has ended. Counting begins with the first
 * instruction; what the child, which has no children yet, has had more than that was before.
 */
static void executed(struct result *result)
{
	struct spent spent = { .pid = measured.child->pid };
	uint64_t counted;

	if (!measured.probe)
		return;
	watch_input(WATCH_EXEC, -1, NULL);
	measured.late = child_dead(measured.child);
	/* What begins later has counted nothing yet. */
	if (!result->schedule->delay_ns) {
		counted = first_counted_ns(measured.probe, measured.child);
		spent_clock(&spent);
		if (spent.last_ns > counted)
			measured.before_ns = spent.last_ns - counted;
	}
	measured.probe = NULL;
}

static struct probe *attach(struct result *result, struct child *child, struct failure *failure)
{
	struct probe *probe;

	/* A tree begins with the program, if it is not to begin later. */
	if (result->tree)
		return probe_attach_tree(result, child->pid, result->held ? 0 : PFM_LOADFL_EXEC,
					 failure);
	probe = probe_attach(result, child->pid, -1, failure);
	return probe && !probe_start(probe, failure) ? probe : NULL;
}

static void begin_tree(struct result *result, struct child *child, struct probe *probe)
{
	measured = (struct measured){ .child = child, .probe = probe };
	tree_begin(result);
	watch_input(WATCH_EXEC, child->error, executed);
}

/* What the child did before the program was there is not the command's. */
static void take_usage(struct result *result, const struct rusage *usage)
{
	const struct child *child = measured.child;
	uint64_t own, ns = measured.before_ns;

	result_usage(result, &child->before, usage);
	own = used_ns(&child->before);
	ns = ns > own ? ns - own : 0;
	if (ns > result->system_ns) {
		ns -= result->system_ns;
		result->user_ns = result->user_ns > ns ? result->user_ns - ns : 0;
		ns = result->system_ns;
	}
	result->system_ns -= ns;
}

static void end_tree(struct result *result, struct probe *probe, const struct rusage *usage)
{
	unsigned int left = tree_look(result, probe);

	take_usage(result, usage);
	command_note_left(result, left);
	if (!result->counted_ns && !result->held)
		result_note(result, COMMAND_NOT_COUNTED, result->ops->done);
	/* The kernel's account has the time of a delay, and what was before the program. */
	else if (!result->schedule->delay_ns && !measured.late)
		tree_note(result, result->user_ns + result->system_ns);
}

int measure_command(struct result *result, struct child *child)
{
	struct failure failure;
	struct rusage usage;
	struct probe *probe;
	int status;

	probe = attach(result, child, &failure);
	if (!probe)
		errx(EXIT_PFMON, "cannot attach to the command: %s",
		     holders_text("/proc", &failure));
	watch_add(probe);
	if (result->tree)
		begin_tree(result, child, probe);
	schedule_begin(result);
	child_release(child);
	/* Its name is there until it has been waited for, and so is its clock. */
	while (!child_dead(child))
		watch_wait(result);
	probe_name(probe);
	if (result->tree)
		executed(result);
	status = watch_child(result, child, &usage);
	signals_child_gone();
	schedule_over(result);
	if (result->tree)
		end_tree(result, probe, &usage);
	else
		result_usage(result, &child->before, &usage);

	/* The context is detached by now and keeps what it has, unless members are left. */
	if (probe_finish(probe, &failure))
		errx(EXIT_PFMON, "cannot read the %s: %s", result->ops->what,
		     holders_text("/proc", &failure));
	return status;
}
