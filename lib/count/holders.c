// SPDX-License-Identifier: LGPL-2.1-or-later
/* Who may have the PMU: programs with descriptors of perf_events and of perfmon. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <perfmon/libperfmon.h>

#include "file.h"
#include "holders.h"

#define PF_KTHREAD	0x00200000	/* of Linux: fs/proc/array.c shows it */
#define NAME	32	/* bytes of a process' name */

/* How many descriptors of a process are of each kind; of perfmon's those that claim counters. */
struct held {
	unsigned int perf_events, cpus, threads;
	pid_t tid;			/* a thread of interest, 0: none ... */
	bool has_tid;			/* ... which is monitored by this process */
	bool has_tree;			/* it monitors a tree, whose threads nobody can list */
	int cpu;			/* a CPU of interest ... */
	bool has_cpu;			/* ... which is monitored by this process */
};

/* perfmon's descriptors say in fdinfo what they are attached to, and which controls they claim. */
static void look_at_context(const char *process, const char *fd, struct held *held)
{
	char path[PATH_MAX], line[80];
	bool cpu = false, thread = false, claims = true;
	unsigned int members;
	int id;
	FILE *f;

	snprintf(path, sizeof(path), "%s/fdinfo/%s", process, fd);
	f = fopen(path, "re");
	if (!f)
		return;
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "pfm-target:\tcpu %d", &id) == 1) {
			cpu = true;
			held->has_cpu |= id == held->cpu;
		} else if (sscanf(line, "pfm-target:\ttid %d", &id) == 1) {
			thread = true;
			held->has_tid |= id == held->tid;
		} else if (sscanf(line, "pfm-members: %u", &members) == 1) {
			thread = members;
			held->has_tree |= thread;
		} else if (!strcmp(line, "pfm-claims:\t\n")) {
			claims = false;
		}
	}
	held->cpus += cpu && claims;
	held->threads += thread && claims;
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

/* A process can name itself as it likes, and the text may go to a terminal. */
static void read_name(const char *process, char name[NAME])
{
	char path[PATH_MAX], *c;

	snprintf(path, sizeof(path), "%s/comm", process);
	if (!file_read(path, name, NAME))
		strcpy(name, "?");
	for (c = name; *c; c++)
		if (*c < ' ' || *c > '~')
			*c = '?';
}

static void print_holder(const char *process, const char *pid, const struct held *held,
			 FILE *out)
{
	char name[NAME];

	read_name(process, name);
	fprintf(out, "      by: %s (process %s), which has ", name, pid);
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
		struct held held = { .cpu = -1 };

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
	pid_t *pid;			/* room for the first ... */
	unsigned int room, n;		/* ... so many, and how many there are */
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

/* Does a process have what @failure wanted? With @trees: may it, since it has a tree? */
static bool is_holder(const struct failure *failure, const struct held *held, bool trees)
{
	if (failure->target == TARGET_TAKEN && !failure->system)
		return trees ? held->has_tree : held->has_tid;
	if (failure->target == TARGET_TAKEN)
		return held->has_cpu;
	return held->perf_events || (failure->system ? held->threads : held->cpus);
}

static void append_holder(struct list *l, const char *process, const char *pid,
			  const struct failure *failure, const struct held *held)
{
	char name[NAME];

	if (l->n < l->room)
		l->pid[l->n++] = (pid_t)atoi(pid);
	read_name(process, name);
	append(l, "%s by %s (%sprocess %s)", l->len ? "," : "", name,
	       atoi(pid) == getpid() ? "this " : "", pid);
	if (failure->target == TARGET_TAKEN && !failure->system && !held->has_tid)
		append(l, ", which monitors a tree of threads");
	if (failure->target == TARGET_TAKEN)
		return;
	if (failure->system && held->threads)
		append(l, ", which monitors threads");
	if (!failure->system && held->cpus)
		append(l, ", which monitors CPUs");
	if (held->perf_events)
		append(l, ", which has perf_events open");
}

static void look_for(struct list *l, const char *proc, const struct failure *failure, bool trees)
{
	char process[PATH_MAX - 320];
	struct dirent *entry;
	DIR *dir = opendir(proc);

	while (dir && (entry = readdir(dir))) {
		struct held held = { .tid = failure->tid, .cpu = failure->cpu };

		if (!isdigit((unsigned char)*entry->d_name))
			continue;
		snprintf(process, sizeof(process), "%s/%s", proc, entry->d_name);
		l->hidden |= !look_through(process, &held);
		if (is_holder(failure, &held, trees))
			append_holder(l, process, entry->d_name, failure, &held);
	}
	if (dir)
		closedir(dir);
}

/* If nobody has a thread by its number, then those that have trees may. */
static void find_holders(struct list *l, const char *proc, const struct failure *failure)
{
	look_for(l, proc, failure, false);
	if (!l->len && failure->target == TARGET_TAKEN && !failure->system)
		look_for(l, proc, failure, true);
}

unsigned int holders_find(const char *proc, const struct failure *failure, pid_t *pid,
			  unsigned int n)
{
	struct list l = { .pid = pid, .room = n };

	find_holders(&l, proc, failure);
	return l.n;
}

/* What is known of a holder that was not found. */
static const char *nobody(const struct list *l, const struct failure *failure)
{
	if (l->hidden)
		return failure->target == TARGET_TAKEN ? " by a program that only root can see" :
		       " by a program that only root can see ('pfmon check', as root, names it)";
	return failure->target == TARGET_TAKEN ?
	       " by a program that is not in /proc: it has just ended, or is in another container" :
	       " by the kernel itself, or a program that is not in /proc: it has just ended, or is in another container";
}

/* Of a thread's "Uid:" in /proc: the first, which is whose it is. */
static bool read_owner(const char *process, unsigned int *uid)
{
	char path[PATH_MAX], status[1024], *line;

	snprintf(path, sizeof(path), "%s/status", process);
	file_read(path, status, sizeof(status));
	line = strstr(status, "\nUid:");
	return line && sscanf(line, " Uid: %u", uid) == 1;
}

/* A thread of the kernel has no program, and nobody can read which. */
static bool is_kernels(const char *process)
{
	char path[PATH_MAX], stat[512], *fields;
	unsigned int flags;

	snprintf(path, sizeof(path), "%s/stat", process);
	file_read(path, stat, sizeof(stat));
	fields = strrchr(stat, ')');
	return fields && sscanf(fields, ") %*c %*d %*d %*d %*d %*d %u", &flags) == 1 &&
	       flags & PF_KTHREAD;
}

/* Why a thread may not be monitored: because it may not be traced, unless it is the PMU. */
static const char *refused_text(const char *proc, const struct failure *failure, char *text,
				size_t size)
{
	char process[PATH_MAX - 320], path[PATH_MAX];
	unsigned long scope;
	unsigned int uid;

	snprintf(process, sizeof(process), "%s/%d", proc, (int)failure->tid);
	snprintf(path, sizeof(path), "%s/sys/kernel/yama/ptrace_scope", proc);
	scope = file_number(path);
	if (failure->target == TARGET_FREE)
		return "this user may not use the PMU on this hardened kernel (sysctl kernel.perfmon_hardened)";
	if (is_kernels(process))
		return "it is a thread of the kernel, which may not be monitored: count its CPU";
	if (geteuid() && read_owner(process, &uid) && uid != geteuid())
		snprintf(text, size, "it may not be traced: it is of another user (UID %u)", uid);
	else if (scope)
		snprintf(text, size, "it may not be traced: /proc/sys/kernel/yama/ptrace_scope is %lu",
			 scope);
	else
		snprintf(text, size, "it may not be traced: it has, or has had, rights that this user has not");
	return text;
}

const char *holders_text(const char *proc, const struct failure *failure)
{
	static __thread char text[704];
	struct list l = { .len = 0 };
	char path[PATH_MAX];

	if (failure->cmd == PFM_LOAD_CONTEXT && failure->err == EPERM && !failure->system)
		return refused_text(proc, failure, text, sizeof(text));
	if (failure->cmd != PFM_LOAD_CONTEXT || failure->err != EBUSY ||
	    failure->target == TARGET_UNKNOWN)
		return failure_text(failure);
	find_holders(&l, proc, failure);
	snprintf(path, sizeof(path), "%s/sys/kernel/nmi_watchdog", proc);
	if (failure->target == TARGET_FREE && file_number(path))
		append(&l, "%s by the kernel's NMI watchdog (sysctl kernel.nmi_watchdog=0 ends it)",
		       l.len ? "," : "");
	snprintf(text, sizeof(text), "%s%s%s", failure_text(failure),
		 failure->target == TARGET_TAKEN ? "; it is monitored" : "",
		 l.len ? l.text : nobody(&l, failure));
	return text;
}
