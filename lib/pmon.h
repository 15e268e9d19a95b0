/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the files pmon*.c share. */
#ifndef LIB_PMON_H
#define LIB_PMON_H

#include <stdbool.h>

#include <perfmon/pmon.h>

#include "count/context.h"

struct sampling;

struct pmon_session {
	struct counters counters;
	int fd;
	bool attached;
	unsigned int flags;		/* PMON_... */
	pmon_value_t *base;		/* what pmon_reset() has found */
	pfarg_pmd_t *pmds;		/* of all events, if they are in one set; else NULL */
	struct sampling *sampling;	/* of pmon_sample_open(), else NULL */
};

/**
 * pmon_fail() - note what is wrong, for pmon_error()
 * @err:    errno
 * @format: as of printf()
 *
 * Return: -@err.
 */
__attribute__((format(printf, 2, 3)))
int pmon_fail(int err, const char *format, ...);

/**
 * pmon_refused() - note that a call has failed
 * @failure: which, and how
 *
 * Return: the negative errno.
 */
int pmon_refused(const struct failure *failure);

/**
 * pmon_choose() - look for events
 * @counters: filled in
 * @events:   names
 * @flags:    PMON_..., of which the caller knows all
 *
 * Return: 0, or a negative errno.
 */
int pmon_choose(struct counters *counters, const char *events, unsigned int flags);

/**
 * pmon_scale() - the estimate of what was counted for a part of the time
 * @value: raw, active_ns and total_ns are set
 */
void pmon_scale(pmon_value_t *value);

/**
 * pmon_read_counts() - pmon_read() by one system call and little else, if there is one set of
 *			events; by one thread at a time
 * @m:     from pmon_open()
 * @value: out: without times then, of which one would be the other
 * @n:     entries there
 *
 * Return: entries filled in, or a negative errno.
 */
int pmon_read_counts(pmon_t *m, pmon_value_t *value, unsigned int n);

/**
 * pmon_sample_free() - the end of what pmon_sample_open() has added
 * @m: from it
 */
void pmon_sample_free(pmon_t *m);

#endif /* LIB_PMON_H */
