// SPDX-License-Identifier: GPL-2.0-only
/* Where CPUs are, as /sys has it. */
#include <err.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "require.h"
#include "file.h"
#include "places.h"

/* A number of a file of CPU @cpu, -1: the kernel does not say it, as of one that is offline. */
static int topology(const char *root, int cpu, const char *name)
{
	char path[PATH_MAX], text[32];
	int n;

	snprintf(path, sizeof(path), "%s/sys/devices/system/cpu/cpu%d/topology/%s", root, cpu,
		 name);
	file_read(path, text, sizeof(text));
	return sscanf(text, "%d", &n) == 1 ? n : -1;
}

/* Is a CPU in a list such as 0-3,8? */
static bool is_in(const char *list, int cpu)
{
	int from, to, len;

	while (sscanf(list, "%d%n", &from, &len) == 1) {
		list += len;
		to = from;
		if (*list == '-' && sscanf(list + 1, "%d%n", &to, &len) == 1)
			list += 1 + len;
		if (cpu >= from && cpu <= to)
			return true;
		if (*list++ != ',')
			break;
	}
	return false;
}

static int node_of(const char *root, int cpu)
{
	char path[PATH_MAX], list[4096];
	int node, last = -1;
	const char *at;

	snprintf(path, sizeof(path), "%s/sys/devices/system/node/possible", root);
	file_read(path, list, sizeof(list));
	/* The last number of 0-3. */
	for (at = list; *at; at += *at != '\0', at += strcspn(at, "0123456789"))
		if (*at >= '0' && *at <= '9')
			last = (int)strtol(at, (char **)&at, 10);
	for (node = 0; node <= last; node++) {
		snprintf(path, sizeof(path), "%s/sys/devices/system/node/node%d/cpulist", root,
			 node);
		file_read(path, list, sizeof(list));
		if (is_in(list, cpu))
			return node;
	}
	return -1;
}

/* Where a group of one CPU is; a core has the number of its socket, too. */
static struct group place_of(const struct group *cpu, enum grouping by, const char *root)
{
	struct group g = { .socket = -1, .cpus = 1, .away = cpu->away, .sum = cpu->sum };

	if (by == GROUP_NODE) {
		g.id = node_of(root, cpu->id);
	} else {
		g.socket = topology(root, cpu->id, "physical_package_id");
		g.id = by == GROUP_SOCKET ? g.socket : topology(root, cpu->id, "core_id");
	}
	return g;
}

static void add(struct group *to, const struct group *g, const struct counters *counters)
{
	unsigned int i;

	for (i = 0; i < counters->n; i++)
		to->sum.value[i] += g->sum.value[i];
	for (i = 0; i < counters->sets; i++) {
		to->sum.turns[i].ns += g->sum.turns[i].ns;
		to->sum.turns[i].n += g->sum.turns[i].n;
	}
	to->sum.throttled += g->sum.throttled;
	to->cpus++;
	to->away |= g->away;
}

static int by_number(const void *a, const void *b)
{
	const struct group *x = a, *y = b;

	return x->socket != y->socket ? (x->socket > y->socket) - (x->socket < y->socket) :
	       (x->id > y->id) - (x->id < y->id);
}

const struct result *places_add_up(const struct result *result, enum grouping by,
				   const char *root)
{
	static struct result added;
	unsigned int i, k;
	struct group g;

	free(added.group);
	added = *result;
	added.grouping = by;
	added.groups = 0;
	added.group = calloc(result->groups + 1, sizeof(g));
	if (!added.group)
		err(EXIT_PFMON, NULL);
	for (i = 0; i < result->groups; i++) {
		g = place_of(&result->group[i], by, root);
		for (k = 0; k < added.groups; k++)
			if (added.group[k].id == g.id && added.group[k].socket == g.socket)
				break;
		if (k < added.groups)
			add(&added.group[k], &g, result->counters);
		else
			added.group[added.groups++] = g;
	}
	if (added.groups)
		qsort(added.group, added.groups, sizeof(g), by_number);
	return &added;
}
