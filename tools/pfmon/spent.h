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
	uint64_t faults, waited_ns;	/* of the children it had waited for by the last look */
	uint64_t children_ns;		/* CPU time of those that are not here, in ticks */
	bool has_children;		/* there have been some of these */
	pid_t parent;			/* its own, when the last look began, 0: it is gone */
	pid_t before, after;		/* the same, when this look begins and ends */
};

/**
 * spent_clock() - note what a process has used by now, and nothing else
 * @s: with the number of the process; @last_ns stays if it cannot be read
 *
 * A process that has ended has its clock until its parent waits for it.
 */
void spent_clock(struct spent *s);

/**
 * spent_begin() - note what processes have used by now
 * @all: with the numbers of the processes, all of those that are measured
 * @n:   how many
 */
void spent_begin(struct spent *all, unsigned int n);

/**
 * spent_look() - note what they have used since
 * @all: from spent_begin(); one that is gone is left as it was
 * @n:   how many
 *
 * The kernel adds what a child has used to what all children of a process have, when the
 * process waits for it. From one look to the next a child that is here may have been among
 * these: what the others have used then is not known, and left out.
 */
void spent_look(struct spent *all, unsigned int n);

/**
 * spent_by_children() - have there been processes that this one started, and are not here?
 * @s:  one of those of spent_begin()
 * @ns: receives the CPU time of those that have ended
 *
 * Return: true or false.
 */
bool spent_by_children(const struct spent *s, uint64_t *ns);

/**
 * spent_is_missing() - is so little counted that it has to be said?
 * @spent_ns:   CPU time, by the kernel's own account
 * @counted_ns: that in which contexts counted
 * @other_ns:   that of which nothing is to be expected
 *
 * Return: true or false.
 */
bool spent_is_missing(uint64_t spent_ns, uint64_t counted_ns, uint64_t other_ns);

/**
 * spent_threads() - how many threads there have been on this machine
 *
 * Return: their number, since it began; 0 if it is not known.
 */
uint64_t spent_threads(void);

#endif /* PFMON_SPENT_H */
