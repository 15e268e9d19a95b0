/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Who may have the PMU: programs with descriptors of perf_events and of perfmon. */
#ifndef COUNT_HOLDERS_H
#define COUNT_HOLDERS_H

#include <stdbool.h>
#include <stdio.h>

#include "context.h"

struct holders {
	unsigned int perf_events;	/* programs that have some open */
	unsigned int cpus;		/* programs with perfmon's contexts of CPUs */
	bool hidden;			/* some programs' descriptors are not for this user */
};

/**
 * holders_print() - say which programs may have the PMU, a line each
 * @proc:    "/proc"; tests have others
 * @out:     where to
 * @holders: filled in
 *
 * Whether perf_events are the hardware's no descriptor tells: programs with any are named.
 * Contexts of threads are not a reason why another thread cannot be counted, so who has
 * only these is not named; nor is who counts events of the software only.
 */
void holders_print(const char *proc, FILE *out, struct holders *holders);

/**
 * holders_text() - what failed, with the names of those who are in the way
 * @proc:    "/proc"; tests have others
 * @failure: filled in
 *
 * Return: failure_text(), and if a thread, a CPU or the PMU is taken by whom, as far as this
 * user may see that; and why a thread may not be traced. Good until the thread's next call.
 */
const char *holders_text(const char *proc, const struct failure *failure);

/**
 * holders_find() - which processes are in the way
 * @proc:    "/proc"; tests have others
 * @failure: EBUSY, of context_attach()
 * @pid:     receives their numbers
 * @n:       how many there is room for
 *
 * Return: how many were found, as far as this user may see that, at most @n.
 */
unsigned int holders_find(const char *proc, const struct failure *failure, pid_t *pid,
			  unsigned int n);

#endif /* COUNT_HOLDERS_H */
