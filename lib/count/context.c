// SPDX-License-Identifier: LGPL-2.1-or-later
/* One perfmon context that counts the chosen events. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <perfmon/libperfmon.h>

#include "context.h"

int failure_set(struct failure *failure, int cmd, unsigned int flags)
{
	failure->cmd = cmd;
	failure->err = errno;
	failure->flags = flags;
	failure->reg = -1;
	failure->system = false;
	failure->target = TARGET_UNKNOWN;
	return -1;
}

int context_write_pmcs(int fd, pfarg_pmc_t *pmcs, unsigned int n,
		       struct failure *failure)
{
	unsigned int i, bad = 0;
	int reg = -1;

	if (pfm_write_pmcs(fd, pmcs, (int)n) == 0)
		return 0;
	for (i = 0; i < n; i++)
		if (PFM_REG_HAS_ERROR(pmcs[i].reg_flags)) {
			bad = pmcs[i].reg_flags;
			reg = pmcs[i].reg_num;
		}
	failure_set(failure, PFM_WRITE_PMCS, bad);
	failure->reg = reg;
	return -1;
}

/* What a set programs: the @i-th event, the trigger after the last; NULL: not this one. */
static const struct counter *programmed(const struct counters *counters, unsigned int set,
					unsigned int i)
{
	const struct counter *c = &counters->trigger;

	if (i == counters->n)
		return c->event ? c : NULL;
	c = &counters->c[i];
	return counter_in_set(c, set) ? c : NULL;
}

/* What an event needs in a register, beside what others need there. */
static unsigned int add_extra(pfarg_pmc_t *pmcs, unsigned int n, const struct extra *extra,
			      unsigned int set)
{
	unsigned int i;

	for (i = 0; i < n && pmcs[i].reg_num != extra->pmc; i++)
		;
	pmcs[i].reg_num = extra->pmc;
	pmcs[i].reg_set = (uint16_t)set;
	pmcs[i].reg_value |= extra->value;
	return i == n ? n + 1 : n;
}

int context_write_extras(int fd, const struct counters *counters, unsigned int set,
			 struct failure *failure)
{
	pfarg_pmc_t pmcs[MAX_COUNTERS];
	unsigned int i, k, n = 0;

	memset(pmcs, 0, sizeof(pmcs));
	for (i = 0; i <= counters->n; i++) {
		const struct counter *c = programmed(counters, set, i);

		for (k = 0; c && k < c->extras; k++)
			n = add_extra(pmcs, n, &c->extra[k], set);
	}
	return n ? context_write_pmcs(fd, pmcs, n, failure) : 0;
}

int context_arm(int fd, const struct counters *counters, unsigned int set,
		struct failure *failure)
{
	pfarg_pmd_t pmd = {
		.reg_num = counters->trigger.pmd, .reg_set = (uint16_t)set,
		.reg_value = -counters->every,
		.reg_long_reset = -counters->every, .reg_short_reset = -counters->every,
		.reg_ovflsw_thres = 1,
	};

	return pfm_write_pmds(fd, &pmd, 1) ? failure_set(failure, PFM_WRITE_PMDS, 0) : 0;
}

static int program_set(int fd, const struct counters *counters, unsigned int set,
		       struct failure *failure)
{
	pfarg_pmc_t pmcs[MAX_COUNTERS];
	unsigned int i, n = 0;

	memset(pmcs, 0, sizeof(pmcs));
	for (i = 0; i <= counters->n; i++) {
		const struct counter *c = programmed(counters, set, i);

		if (!c)
			continue;
		pmcs[n].reg_num = c->pmc;
		pmcs[n].reg_set = (uint16_t)set;
		pmcs[n++].reg_value = c->value;
	}
	if (context_write_extras(fd, counters, set, failure) ||
	    context_write_pmcs(fd, pmcs, n, failure))
		return -1;
	return counters->trigger.event ? context_arm(fd, counters, set, failure) : 0;
}

/* Set 0 is there already, but switches only if it is told when. */
static int create_set(int fd, const struct counters *counters, unsigned int set,
		      struct failure *failure)
{
	pfarg_setdesc_t desc = { .set_id = (uint16_t)set };

	if (counters->trigger.event) {
		desc.set_flags = PFM_SETFL_OVFL_SWITCH;
	} else {
		desc.set_flags = PFM_SETFL_TIME_SWITCH;
		desc.set_timeout.tv_sec = (int64_t)(counters->timeout_ns / 1000000000);
		desc.set_timeout.tv_nsec = (int64_t)(counters->timeout_ns % 1000000000);
	}
	return pfm_create_evtsets(fd, &desc, 1) ?
	       failure_set(failure, PFM_CREATE_EVTSETS, 0) : 0;
}

int context_create_sets(int fd, const struct counters *counters,
			struct failure *failure)
{
	unsigned int set;

	for (set = 0; set < counters->sets && counters->sets > 1; set++)
		if (create_set(fd, counters, set, failure))
			return -1;
	return 0;
}

static int program(int fd, const struct counters *counters, struct failure *failure)
{
	unsigned int set;

	if (context_create_sets(fd, counters, failure))
		return -1;
	for (set = 0; set < counters->sets; set++)
		if (program_set(fd, counters, set, failure))
			return -1;
	return 0;
}

int context_create(const struct counters *counters, unsigned int flags,
		   struct failure *failure)
{
	pfarg_ctx_t ctx;

	memset(&ctx, 0, sizeof(ctx));
	ctx.ctx_flags = flags;
	if (pfm_create_context(&ctx, 1))
		return failure_set(failure, PFM_CREATE_CONTEXT, 0);
	fcntl(ctx.ctx_fd, F_SETFD, FD_CLOEXEC);
	if (program(ctx.ctx_fd, counters, failure)) {
		close(ctx.ctx_fd);
		return -1;
	}
	return ctx.ctx_fd;
}

/*
 * Others can have the thread or CPU, or the PMU, and either may be forbidden. A context
 * without events needs no PMU: if there can be one, it is that.
 */
static void see_target(pid_t tid, unsigned int flags, struct failure *failure)
{
	pfarg_load_t load;
	pfarg_ctx_t ctx;

	memset(&ctx, 0, sizeof(ctx));
	memset(&load, 0, sizeof(load));
	ctx.ctx_flags = flags & PFM_FL_SYSTEM_WIDE;
	load.load_pid = tid;
	if (pfm_create_context(&ctx, 1))
		return;
	if (!pfm_load_context(ctx.ctx_fd, &load))
		failure->target = TARGET_FREE;
	else if (errno == EBUSY)
		failure->target = TARGET_TAKEN;
	close(ctx.ctx_fd);
}

static int attach(int fd, pid_t tid, unsigned int flags, unsigned int load_flags, unsigned int set,
		  struct failure *failure)
{
	pfarg_load_t load;

	memset(&load, 0, sizeof(load));
	load.load_pid = tid;
	load.load_set = (uint16_t)set;
	load.load_flags = (uint16_t)load_flags;
	if (!pfm_load_context(fd, &load))
		return 0;
	failure_set(failure, PFM_LOAD_CONTEXT, 0);
	failure->system = flags & PFM_FL_SYSTEM_WIDE;
	failure->tid = tid;
	failure->cpu = sched_getcpu();
	if (failure->err == EBUSY || failure->err == EPERM)
		see_target(tid, flags, failure);
	return -1;
}

int context_attach(int fd, pid_t tid, unsigned int flags, unsigned int set,
		   struct failure *failure)
{
	return attach(fd, tid, flags, 0, set, failure);
}

int context_attach_tree(int fd, pid_t tid, unsigned int load_flags, unsigned int set,
			struct failure *failure)
{
	return attach(fd, tid, PFM_FL_TREE, load_flags, set, failure);
}

bool context_has_trees(void)
{
	pfarg_ctx_t ctx;

	memset(&ctx, 0, sizeof(ctx));
	ctx.ctx_flags = PFM_FL_TREE;
	if (!pfm_create_context(&ctx, 1)) {
		close(ctx.ctx_fd);
		return true;
	}
	/* Whatever else is wrong is said when one is really made. */
	return errno != EINVAL;
}

int context_start(int fd, struct failure *failure)
{
	if (pfm_start(fd, NULL))
		return failure_set(failure, PFM_START, 0);
	return 0;
}

static int read_set(int fd, const struct counters *counters, unsigned int set,
		    struct counts *counts, struct failure *failure)
{
	unsigned int event[MAX_COUNTERS], i, n = 0;
	pfarg_pmd_t pmds[MAX_COUNTERS];

	/* Of a vector for all counters only what is used: this is what a region costs. */
	for (i = 0; i < counters->n; i++) {
		if (!counter_in_set(&counters->c[i], set))
			continue;
		memset(&pmds[n], 0, sizeof(pmds[n]));
		pmds[n].reg_num = counters->c[i].pmd;
		pmds[n].reg_set = (uint16_t)set;
		event[n++] = i;
	}
	if (pfm_read_pmds(fd, pmds, (int)n))
		return failure_set(failure, PFM_READ_PMDS, 0);
	for (i = 0; i < n; i++)
		counts->value[event[i]] += pmds[i].reg_value;
	return 0;
}

int context_read_turns(int fd, const struct counters *counters,
		       struct turns turns[MAX_EVENTS], struct failure *failure)
{
	unsigned int set;

	memset(turns, 0, counters->sets * sizeof(*turns));
	for (set = 0; set < counters->sets && counters->sets > 1; set++) {
		pfarg_setinfo_t info = { .set_id = (uint16_t)set };

		if (pfm_getinfo_evtsets(fd, &info, 1))
			return failure_set(failure, PFM_GETINFO_EVTSETS, 0);
		turns[set].ns = context_set_ns(&info);
		turns[set].n = info.set_runs;
	}
	return 0;
}

void context_read_info(int fd, struct context_info *info)
{
	char path[48], line[128];
	FILE *f;

	memset(info, 0, sizeof(*info));
	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	f = fopen(path, "re");
	if (!f)
		return;
	while (fgets(line, sizeof(line), f)) {
		info->masked |= !strcmp(line, "pfm-state:\tmasked\n");
		if (sscanf(line, "pfm-lost: %" SCNu64, &info->lost) != 1 &&
		    sscanf(line, "pfm-members: %u", &info->members) != 1 &&
		    sscanf(line, "pfm-missed: %" SCNu64, &info->missed) != 1)
			sscanf(line, "pfm-throttled: %" SCNu64, &info->throttled);
	}
	fclose(f);
}

int context_read(int fd, const struct counters *counters, struct counts *counts,
		 struct failure *failure)
{
	struct context_info info = { 0 };
	unsigned int set;

	memset(counts->value, 0, counters->n * sizeof(*counts->value));
	if (counters->every)
		context_read_info(fd, &info);
	counts->throttled = info.throttled;
	for (set = 0; set < counters->sets; set++)
		if (read_set(fd, counters, set, counts, failure))
			return -1;
	return context_read_turns(fd, counters, counts->turns, failure);
}

/* EBUSY of a context that could not be attached: see_target() has found out why. */
static const char *busy_text(const struct failure *failure)
{
	if (failure->target == TARGET_FREE)
		return "the PMU is in use";
	return failure->system ?
		"the CPU is being monitored: a CPU can be counted only once at a time" :
		"the thread is being monitored: a thread can be counted only once at a time";
}

const char *failure_text(const struct failure *failure)
{
	if (failure->cmd == PFM_LOAD_CONTEXT && failure->err == EBUSY &&
	    failure->target != TARGET_UNKNOWN)
		return busy_text(failure);
	if (!failure->cmd)
		return strerror(failure->err);
	return pfm_cmd_error(failure->cmd, failure->err, failure->flags);
}
