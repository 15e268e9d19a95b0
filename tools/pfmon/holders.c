// SPDX-License-Identifier: GPL-2.0-only
/* Who may have the PMU: programs with descriptors of perf_events and of perfmon. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "file.h"
#include "holders.h"
#include "text.h"

/* How many descriptors of a process are of each kind. */
struct held {
	unsigned int perf_events, cpus;
};

/* perfmon's descriptors say in fdinfo what they are attached to. */
static bool is_of_cpu(const char *process, const char *fd)
{
	char path[PATH_MAX], line[80];
	bool found = false;
	FILE *f;

	snprintf(path, sizeof(path), "%s/fdinfo/%s", process, fd);
	f = fopen(path, "re");
	if (!f)
		return false;
	while (!found && fgets(line, sizeof(line), f))
		found = !strncmp(line, "pfm-target:\tcpu ", 16);
	fclose(f);
	return found;
}

static void look_at(const char *process, const char *fd, struct held *held)
{
	char path[PATH_MAX], to[32];
	ssize_t len;

	snprintf(path, sizeof(path), "%s/fd/%s", process, fd);
	len = readlink(path, to, sizeof(to) - 1);
	to[len > 0 ? len : 0] = '\0';
	if (!strcmp(to, "anon_inode:[perf_event]"))
		held->perf_events++;
	else if (!strcmp(to, "anon_inode:[perfmon]") && is_of_cpu(process, fd))
		held->cpus++;
}

/* Returns false if the process is not this user's. */
static bool look_through(const char *process, struct held *held)
{
	char path[PATH_MAX];
	struct dirent *entry;
	DIR *dir;

	snprintf(path, sizeof(path), "%s/fd", process);
	dir = opendir(path);
	if (!dir)
		return errno != EACCES;
	while ((entry = readdir(dir)))
		if (isdigit((unsigned char)*entry->d_name))
			look_at(process, entry->d_name, held);
	closedir(dir);
	return true;
}

static void print_holder(const char *process, const char *pid, const struct held *held,
			 FILE *out)
{
	char path[PATH_MAX], comm[32];

	snprintf(path, sizeof(path), "%s/comm", process);
	fprintf(out, "      by: %s (process %s), which has ",
		file_read(path, comm, sizeof(comm)) ? text_intern(comm) : "?", pid);
	if (held->perf_events)
		fprintf(out, "%u of perf_events open", held->perf_events);
	if (held->cpus)
		fprintf(out, "%scontexts of %u CPU%s", held->perf_events ? ", and " : "",
			held->cpus, held->cpus == 1 ? "" : "s");
	fputc('\n', out);
}

void holders_print(const char *proc, FILE *out, struct holders *holders)
{
	char process[PATH_MAX - 320];
	struct dirent *entry;
	DIR *dir = opendir(proc);

	memset(holders, 0, sizeof(*holders));
	while (dir && (entry = readdir(dir))) {
		struct held held = { 0 };

		if (!isdigit((unsigned char)*entry->d_name))
			continue;
		snprintf(process, sizeof(process), "%s/%s", proc, entry->d_name);
		if (!look_through(process, &held))
			holders->hidden = true;
		if (!held.perf_events && !held.cpus)
			continue;
		holders->perf_events += held.perf_events > 0;
		holders->cpus += held.cpus > 0;
		print_holder(process, entry->d_name, &held, out);
	}
	if (dir)
		closedir(dir);
}
