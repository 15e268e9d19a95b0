/* SPDX-License-Identifier: GPL-2.0-only */
/* The CPU time of processes that run already, and whether they have processes of their own. */
#ifndef PFMON_SPENT_H
#define PFMON_SPENT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "measure.h"

/* What the kernel adds up for a process: of all its threads, also those that have ended. */
struct spent {
	pid_t pid;
	const struct targets *targets;	/* which are measured, this process among them */
	uint64_t begin_ns, last_ns;	/* CPU time */
	uint64_t faults, waited_ns;	/* of the children it had waited for by the last look */
	uint64_t children_ns;		/* CPU time of those that are no targets, in ticks */
	bool has_children;		/* there have been some of these */
	pid_t *own;			/* its children that are targets, at the last look ... */
	unsigned int n;			/* ... and how many */
};

/**
 * spent_begin() - note what a process has used by now
 * @s:       all zeroes, or from an earlier spent_begin() that this one replaces
 * @pid:     process
 * @targets: what is measured: of these the process' children are left out
 */
void spent_begin(struct spent *s, pid_t pid, const struct targets *targets);

/**
 * spent_look() - note what it has used since
 * @s: from spent_begin(); left as it was if the process is gone
 *
 * The kernel adds what a child has used to what all children of the process have, when the
 * process waits for it. From one look to the next one of the targets may have been among
 * these: what the others have used then is not known, and left out.
 */
void spent_look(struct spent *s);

/**
 * spent_by_children() - have there been processes that this one started, and no targets?
 * @s:  from spent_begin()
 * @ns: receives the CPU time of those that have ended
 *
 * Return: true or false.
 */
bool spent_by_children(const struct spent *s, uint64_t *ns);

/**
 * spent_end() - free what it has
 * @s: from spent_begin()
 */
void spent_end(struct spent *s);

#endif /* PFMON_SPENT_H */
