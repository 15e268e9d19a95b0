// SPDX-License-Identifier: GPL-2.0-only
/* Who may have the PMU: programs with descriptors of perf_events and of perfmon. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <perfmon/libperfmon.h>

#include "file.h"
#include "holders.h"
#include "text.h"

/* How many descriptors of a process are of each kind. */
struct held {
	unsigned int perf_events, cpus, threads;
	pid_t tid;			/* a thread of interest ... */
	bool has_tid;			/* ... which is monitored by this one */
};

/* perfmon's descriptors say in fdinfo what they are attached to. */
static void look_at_context(const char *process, const char *fd, struct held *held)
{
	char path[PATH_MAX], line[80];
	int tid;
	FILE *f;

	snprintf(path, sizeof(path), "%s/fdinfo/%s", process, fd);
	f = fopen(path, "re");
	if (!f)
		return;
	while (fgets(line, sizeof(line), f)) {
		held->cpus += !strncmp(line, "pfm-target:\tcpu ", 16);
		if (sscanf(line, "pfm-target:\ttid %d", &tid) != 1)
			continue;
		held->threads++;
		held->has_tid |= tid == held->tid;
	}
	fclose(f);
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
	else if (!strcmp(to, "anon_inode:[perfmon]"))
		look_at_context(process, fd, held);
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

struct list {
	char text[512];
	size_t len;
	bool hidden;
};

/* What does not fit is left out. */
static void __attribute__((format(printf, 2, 3)))
append(struct list *l, const char *format, ...)
{
	size_t room = sizeof(l->text) - l->len;
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(l->text + l->len, room, format, args);
	va_end(args);
	l->len += n < 0 ? 0 : (size_t)n < room ? (size_t)n : room - 1;
}

static void append_holder(struct list *l, const char *process, const char *pid,
			  const struct failure *failure, const struct held *held)
{
	bool taken = failure->target == TARGET_TAKEN;
	char path[PATH_MAX], comm[32];

	if (taken ? !(failure->system ? held->cpus : held->has_tid) :
		    !held->perf_events && !(failure->system ? held->threads : held->cpus))
		return;
	snprintf(path, sizeof(path), "%s/comm", process);
	append(l, "%s by %s (process %s)", l->len ? "," : "",
	       file_read(path, comm, sizeof(comm)) ? text_intern(comm) : "?", pid);
	if (taken)
		return;
	if (failure->system && held->threads)
		append(l, ", which monitors threads");
	if (!failure->system && held->cpus)
		append(l, ", which monitors CPUs");
	if (held->perf_events)
		append(l, ", which has perf_events open");
}

/* All but this process. */
static void find_holders(struct list *l, const char *proc, const struct failure *failure)
{
	char process[PATH_MAX - 320];
	struct dirent *entry;
	DIR *dir = opendir(proc);

	while (dir && (entry = readdir(dir))) {
		struct held held = { .tid = failure->system ? 0 : failure->tid };

		if (!isdigit((unsigned char)*entry->d_name) || atoi(entry->d_name) == getpid())
			continue;
		snprintf(process, sizeof(process), "%s/%s", proc, entry->d_name);
		l->hidden |= !look_through(process, &held);
		append_holder(l, process, entry->d_name, failure, &held);
	}
	if (dir)
		closedir(dir);
}

const char *holders_text(const char *proc, const struct failure *failure)
{
	static char text[1024];
	struct list l = { .len = 0 };
	char path[PATH_MAX];

	if (failure->cmd != PFM_LOAD_CONTEXT || failure->err != EBUSY ||
	    failure->target == TARGET_UNKNOWN)
		return failure_text(failure);
	find_holders(&l, proc, failure);
	snprintf(path, sizeof(path), "%s/sys/kernel/nmi_watchdog", proc);
	if (failure->target == TARGET_FREE && file_number(path))
		append(&l, "%s by the kernel's NMI watchdog (sysctl kernel.nmi_watchdog=0 ends it)",
		       l.len ? "," : "");
	if (!l.len)
		snprintf(text, sizeof(text), "%s; %s", failure_text(failure), l.hidden ?
			 "who that is only root can see: pfmon check" : "see pfmon check");
	else if (failure->target == TARGET_TAKEN)
		snprintf(text, sizeof(text), "%s; it is monitored%s", failure_text(failure), l.text);
	else
		snprintf(text, sizeof(text), "the PMU, which counts either threads or CPUs and not perf_events at the same time, is in use%s",
			 l.text);
	return text;
}
