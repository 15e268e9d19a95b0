// SPDX-License-Identifier: GPL-2.0-only
/* The CPU time of processes that run already, and whether they have processes of their own. */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "file.h"
#include "spent.h"

static void read_clock(struct spent *s)
{
	struct timespec ts;
	clockid_t clock;
	uint64_t ns;

	if (clock_getcpuclockid(s->pid, &clock) || clock_gettime(clock, &ts))
		return;
	ns = (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
	/* Less than before: another process has the number now. */
	if (ns > s->last_ns)
		s->last_ns = ns;
}

/* What is behind the name in parentheses, which can have any characters. */
static void read_children(struct spent *s)
{
	unsigned long long faults, user, system;
	uint64_t tick_ns = 1000000000 / (uint64_t)sysconf(_SC_CLK_TCK);
	char path[64], line[1024], first[2];
	const char *rest;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)s->pid);
	if (!file_read(path, line, sizeof(line)))
		return;
	rest = strrchr(line, ')');
	if (!rest || sscanf(rest + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %llu %*u %*u %*u %*u %llu %llu",
			    &faults, &user, &system) != 3)
		return;
	if (faults < s->children_last || (user + system) * tick_ns < s->children_last_ns)
		return;
	s->children_last = faults;
	s->children_last_ns = (user + system) * tick_ns;
	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)s->pid, (int)s->pid);
	s->has_children |= file_read(path, first, sizeof(first)) > 0;
}

void spent_look(struct spent *s)
{
	read_clock(s);
	read_children(s);
}

void spent_begin(struct spent *s, pid_t pid)
{
	*s = (struct spent){ .pid = pid };
	spent_look(s);
	s->begin_ns = s->last_ns;
	s->children_begin = s->children_last;
	s->children_begin_ns = s->children_last_ns;
}

bool spent_by_children(const struct spent *s, uint64_t *ns)
{
	*ns = s->children_last_ns - s->children_begin_ns;
	return s->has_children || s->children_last != s->children_begin;
}
