// SPDX-License-Identifier: GPL-2.0-only
/* The CPU time of processes that run already, and whether they have processes of their own. */
#define _GNU_SOURCE
#include <dirent.h>
#include <err.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "kin.h"
#include "require.h"
#include "spent.h"

/*
 * CPU time that no context counted is said if it is so long, and so great a part: a birth
 * and an exit are partly the thread's own time.
 */
#define MISSING_NS	100000000
#define MISSING_PART	10

void spent_clock(struct spent *s)
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

static bool read_waited(pid_t pid, uint64_t *faults, uint64_t *ns)
{
	unsigned long long n, user, system;
	char line[KIN_LINE];
	const char *rest = kin_stat(pid, line);

	if (!rest || sscanf(rest, " %*c %*d %*d %*d %*d %*d %*u %*u %llu %*u %*u %*u %*u %llu %llu",
			    &n, &user, &system) != 3)
		return false;
	*faults = n;
	*ns = (user + system) * (1000000000 / (uint64_t)sysconf(_SC_CLK_TCK));
	return true;
}

static bool is_here(const struct spent *all, unsigned int n, pid_t pid)
{
	unsigned int i;

	for (i = 0; i < n && all[i].pid != pid; i++)
		;
	return i < n;
}

/* Has one thread children that are not here? A kernel can be built without saying it. */
static bool has_others(const struct spent *all, unsigned int n, pid_t pid, const char *tid)
{
	char path[64];
	bool others = false;
	FILE *f;
	int child;

	snprintf(path, sizeof(path), "/proc/%d/task/%.16s/children", (int)pid, tid);
	f = fopen(path, "re");
	while (f && !others && fscanf(f, "%d", &child) == 1)
		others = !is_here(all, n, child);
	if (f)
		fclose(f);
	return others;
}

static bool look_for_others(const struct spent *all, unsigned int n, pid_t pid)
{
	char path[32];
	struct dirent *entry;
	bool others = false;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	dir = opendir(path);
	while (dir && !others && (entry = readdir(dir)))
		if (*entry->d_name != '.')
			others = has_others(all, n, pid, entry->d_name);
	if (dir)
		closedir(dir);
	return others;
}

/*
 * May the account of the children that were waited for have one that is here, since the last
 * look? One that was a child before that look's account was read, and is none after this.
 */
static bool has_lost(const struct spent *all, unsigned int n, pid_t pid)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		if (all[i].parent == pid && all[i].after != pid)
			return true;
	return false;
}

static void look_at_children(struct spent *all, unsigned int n, struct spent *s,
			     uint64_t faults, uint64_t ns, bool first)
{
	/* Less than before: another process has the number now. */
	if (!first && (faults < s->faults || ns < s->waited_ns))
		return;
	if (!first && !has_lost(all, n, s->pid)) {
		/* None ends without a fault. */
		s->has_children |= faults > s->faults;
		s->children_ns += ns - s->waited_ns;
	}
	s->faults = faults;
	s->waited_ns = ns;
	s->has_children = s->has_children || look_for_others(all, n, s->pid);
}

static void look(struct spent *all, unsigned int n, bool first)
{
	struct waited {
		bool known;
		uint64_t faults, ns;
	} *waited = calloc(n, sizeof(*waited));
	unsigned int i;

	if (!waited)
		err(EXIT_PFMON, NULL);
	for (i = 0; i < n; i++)
		all[i].before = kin_parent(all[i].pid);
	for (i = 0; i < n; i++) {
		spent_clock(&all[i]);
		waited[i].known = read_waited(all[i].pid, &waited[i].faults, &waited[i].ns);
	}
	for (i = 0; i < n; i++)
		all[i].after = kin_parent(all[i].pid);
	for (i = 0; i < n; i++)
		if (waited[i].known)
			look_at_children(all, n, &all[i], waited[i].faults, waited[i].ns, first);
	for (i = 0; i < n; i++)
		all[i].parent = all[i].before;
	free(waited);
}

void spent_look(struct spent *all, unsigned int n)
{
	look(all, n, false);
}

void spent_begin(struct spent *all, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		all[i] = (struct spent){ .pid = all[i].pid };
	look(all, n, true);
	for (i = 0; i < n; i++)
		all[i].begin_ns = all[i].last_ns;
}

bool spent_by_children(const struct spent *s, uint64_t *ns)
{
	*ns = s->children_ns;
	return s->has_children;
}

bool spent_is_missing(uint64_t spent_ns, uint64_t counted_ns, uint64_t other_ns)
{
	return counted_ns + MISSING_NS + other_ns <= spent_ns &&
	       counted_ns <= spent_ns - spent_ns / MISSING_PART;
}

uint64_t spent_threads(void)
{
	char line[256];
	uint64_t n = 0;
	FILE *f = fopen("/proc/stat", "re");

	while (f && fgets(line, sizeof(line), f) && sscanf(line, "processes %" SCNu64, &n) != 1)
		;
	if (f)
		fclose(f);
	return n;
}
