/* SPDX-License-Identifier: GPL-2.0-only */
/* The CPU time of processes that run already, and whether they have processes of their own. */
#ifndef PFMON_SPENT_H
#define PFMON_SPENT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* What the kernel adds up for a process: of all its threads, also those that have ended. */
struct spent {
	pid_t pid;
	uint64_t begin_ns, last_ns;	/* CPU time */
	uint64_t children_begin, children_last;	/* faults of those it waited for, never none */
	uint64_t children_begin_ns, children_last_ns;	/* their CPU time, in ticks */
	bool has_children;		/* some were there at a look */
};

/**
 * spent_begin() - note what a process has used by now
 * @s:   filled in
 * @pid: process
 */
void spent_begin(struct spent *s, pid_t pid);

/**
 * spent_look() - note what it has used since
 * @s: from spent_begin(); left as it was if the process is gone
 */
void spent_look(struct spent *s);

/**
 * spent_by_children() - have there been processes that this one started?
 * @s:  from spent_begin()
 * @ns: receives the CPU time of those that have ended
 *
 * Return: true or false.
 */
bool spent_by_children(const struct spent *s, uint64_t *ns);

#endif /* PFMON_SPENT_H */
