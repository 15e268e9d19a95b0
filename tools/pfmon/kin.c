// SPDX-License-Identifier: GPL-2.0-only
/* Which process has made which, as far as /proc says. */
#include <stdio.h>
#include <string.h>

#include "file.h"
#include "kin.h"

#define GENERATIONS	10000	/* numbers that are used again meanwhile could make a ring */

const char *kin_stat(pid_t pid, char line[KIN_LINE])
{
	const char *rest;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	if (!file_read(path, line, KIN_LINE))
		return NULL;
	rest = strrchr(line, ')');
	return rest ? rest + 1 : NULL;
}

pid_t kin_parent(pid_t pid)
{
	char line[KIN_LINE];
	const char *rest = kin_stat(pid, line);
	int parent = 0;

	return rest && sscanf(rest, " %*c %d", &parent) == 1 ? parent : 0;
}

bool kin_descends(pid_t pid, pid_t of)
{
	unsigned int i;

	for (i = 0; i < GENERATIONS && pid; i++) {
		pid = kin_parent(pid);
		if (pid == of)
			return true;
	}
	return false;
}

pid_t kin_process(pid_t tid)
{
	char path[64], status[1024], *line;
	int pid;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)tid);
	file_read(path, status, sizeof(status));
	line = strstr(status, "\nTgid:");
	return line && sscanf(line, " Tgid: %d", &pid) == 1 ? pid : 0;
}
