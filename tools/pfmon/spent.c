// SPDX-License-Identifier: GPL-2.0-only
/* The CPU time of processes that run already, and whether they have processes of their own. */
#define _GNU_SOURCE
#include <dirent.h>
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "file.h"
#include "require.h"
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

static bool is_target(const struct spent *s, pid_t pid)
{
	unsigned int i;

	for (i = 0; i < s->targets->n; i++)
		if (s->targets->target[i].is_process && s->targets->target[i].id == pid)
			return true;
	return false;
}

/* The children of one thread: the targets among them to @own, whether there are others. */
static bool read_thread(const struct spent *s, const char *tid, pid_t **own, unsigned int *n)
{
	char path[64];
	bool others = false;
	FILE *f;
	int pid;

	snprintf(path, sizeof(path), "/proc/%d/task/%.16s/children", (int)s->pid, tid);
	f = fopen(path, "re");
	while (f && fscanf(f, "%d", &pid) == 1) {
		if (!is_target(s, pid)) {
			others = true;
			continue;
		}
		*own = reallocarray(*own, *n + 1, sizeof(**own));
		if (!*own)
			err(EXIT_PFMON, NULL);
		(*own)[(*n)++] = pid;
	}
	if (f)
		fclose(f);
	return others;
}

/* Those of all threads; a kernel can be built without saying which these are. */
static bool read_children(const struct spent *s, pid_t **own, unsigned int *n)
{
	char path[32];
	struct dirent *entry;
	bool others = false;
	DIR *dir;

	*own = NULL;
	*n = 0;
	snprintf(path, sizeof(path), "/proc/%d/task", (int)s->pid);
	dir = opendir(path);
	while (dir && (entry = readdir(dir)))
		if (*entry->d_name != '.')
			others |= read_thread(s, entry->d_name, own, n);
	if (dir)
		closedir(dir);
	return others;
}

/* What is behind the name in parentheses, which can have any characters. */
static bool read_waited(pid_t pid, uint64_t *faults, uint64_t *ns)
{
	unsigned long long n, user, system;
	char path[64], line[1024];
	const char *rest;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	if (!file_read(path, line, sizeof(line)))
		return false;
	rest = strrchr(line, ')');
	if (!rest || sscanf(rest + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %llu %*u %*u %*u %*u %llu %llu",
			    &n, &user, &system) != 3)
		return false;
	*faults = n;
	*ns = (user + system) * (1000000000 / (uint64_t)sysconf(_SC_CLK_TCK));
	return true;
}

/* Is one of the targets that were children at the look before none any more? */
static bool has_lost(const struct spent *s, const pid_t *now, unsigned int n)
{
	unsigned int i, k;

	for (i = 0; i < s->n; i++) {
		for (k = 0; k < n && now[k] != s->own[i]; k++)
			;
		if (k == n)
			return true;
	}
	return false;
}

/*
 * Which children are there is read before and after the account of those that were waited
 * for: a target that was there before the account of the last look, and is after this one,
 * is in neither.
 */
static void look_at_children(struct spent *s, bool first)
{
	pid_t *before = NULL, *after;
	unsigned int n = 0, n_after;
	uint64_t faults, ns;
	bool others = false, known;

	/* It takes some time if there are many threads. */
	if (s->targets->n > 1)
		others = read_children(s, &before, &n);
	known = read_waited(s->pid, &faults, &ns);
	others |= read_children(s, &after, &n_after);
	/* Less than before: another process has the number now. */
	if (known && (first || (faults >= s->faults && ns >= s->waited_ns))) {
		if (!first && !has_lost(s, after, n_after)) {
			/* None ends without a fault. */
			s->has_children |= faults > s->faults;
			s->children_ns += ns - s->waited_ns;
		}
		s->has_children |= others;
		s->faults = faults;
		s->waited_ns = ns;
		free(s->own);
		s->own = before;
		s->n = n;
		before = NULL;
	}
	free(before);
	free(after);
}

void spent_look(struct spent *s)
{
	read_clock(s);
	look_at_children(s, false);
}

void spent_begin(struct spent *s, pid_t pid, const struct targets *targets)
{
	free(s->own);
	*s = (struct spent){ .pid = pid, .targets = targets };
	read_clock(s);
	look_at_children(s, true);
	s->begin_ns = s->last_ns;
}

bool spent_by_children(const struct spent *s, uint64_t *ns)
{
	*ns = s->children_ns;
	return s->has_children;
}

void spent_end(struct spent *s)
{
	free(s->own);
}
