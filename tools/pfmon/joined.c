// SPDX-License-Identifier: GPL-2.0-only
/*
 * Samples a tree of threads: a command, or a process, with all that these make. A context on
 * each CPU joins the tree, so that buffers are as many as CPUs, however many threads there
 * are; the kernel finds new threads, and nothing is traced.
 */
#include <dirent.h>
#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <perfmon/libperfmon.h>

#include "holders.h"
#include "kin.h"
#include "measure.h"
#include "probe.h"
#include "wait.h"
#include "watch.h"

static int sum_open(struct failure *failure)
{
	pfarg_ctx_t ctx;

	memset(&ctx, 0, sizeof(ctx));
	ctx.ctx_flags = PFM_FL_TREE | PFM_FL_CLOEXEC;
	if (pfm_create_context(&ctx, 1))
		return failure_set(failure, PFM_CREATE_CONTEXT, 0);
	return ctx.ctx_fd;
}

/* By any thread of the process: the first one may have ended, and others monitor some of them. */
static int attach_any(int fd, pid_t pid, unsigned int flags, struct failure *failure)
{
	struct failure later = { .err = ESRCH };
	struct dirent *entry;
	char path[32];
	int ret = -1;
	DIR *dir;

	*failure = later;
	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	dir = opendir(path);
	while (ret && dir && (entry = readdir(dir))) {
		pid_t tid = (pid_t)atoi(entry->d_name);

		if (tid > 0)
			ret = context_attach_tree(fd, tid, flags, 0, &later);
		if (failure->err == ESRCH)
			*failure = later;
	}
	if (dir)
		closedir(dir);
	return ret;
}

static int sum_attach(struct result *result, pid_t pid, bool process, unsigned int flags,
		      struct failure *failure)
{
	result->sum_fd = sum_open(failure);
	if (result->sum_fd < 0)
		return -1;
	flags |= PFM_LOADFL_SLOTS;
	while (process ? attach_any(result->sum_fd, pid, flags, failure) :
		context_attach_tree(result->sum_fd, pid, flags, 0, failure)) {
		if (!result->wait || failure->err != EBUSY)
			return -1;
		wait_for_holders(failure);
	}
	return 0;
}

/* All members have ended. */
static void sum_ended(struct result *result)
{
	watch_input(WATCH_TREE, -1, NULL);
	result->over = true;
}

/*
 * What a process has made, pfmon is not to sample itself: of one that has started pfmon its
 * threads are there at first.
 */
static unsigned int flags_of(struct result *result, pid_t pid)
{
	if (!kin_descends(getpid(), pid))
		return PFM_LOADFL_THREADS | PFM_LOADFL_CHILDREN;
	result_note(result, "process %d has started pfmon: of its child processes only those were %s that it started meanwhile",
		    (int)pid, result->ops->done);
	return PFM_LOADFL_THREADS;
}

static void note_missed(struct result *result, const struct context_info *info)
{
	if (info->missed)
		result_note(result, "%u thread%s not %s: other programs monitor them, or this user may not look into them, or their CPU came later, or memory was short",
			    (unsigned int)info->missed, info->missed == 1 ? " was" : "s were",
			    result->ops->done);
	result->missed += (unsigned int)info->missed;
}

int measure_joined(struct result *result, const struct target_id *process, struct child *child)
{
	static struct cpu_list cpus;
	struct context_info info;
	struct failure failure;
	pid_t pid = process ? process->id : child->pid;
	char whom[32];
	int status;

	if (cpu_list_parse(&cpus, "all"))
		err(EXIT_PFMON, "/sys/devices/system/cpu/online");
	snprintf(whom, sizeof(whom), process ? "process %d" : "the command", (int)pid);
	if (sum_attach(result, pid, process, process ? flags_of(result, pid) : PFM_LOADFL_EXEC,
		       &failure)) {
		if (process && failure.err == ESRCH)
			process_gone(pid);
		errx(EXIT_PFMON, "cannot attach to %s: %s", whom, holders_text("/proc", &failure));
	}
	result->running = process;
	if (process && !child)
		watch_input(WATCH_TREE, result->sum_fd, sum_ended);
	status = measure_cpus(result, &cpus, child);
	context_read_info(result->sum_fd, &info);
	if (!process)
		command_note_left(result, info.members);
	note_missed(result, &info);
	close(result->sum_fd);
	return status;
}
