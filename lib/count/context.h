/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One perfmon context that counts the chosen events. */
#ifndef COUNT_CONTEXT_H
#define COUNT_CONTEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <perfmon/perfmon.h>

#include "events.h"

/* The command that failed, and how; cmd is 0 when it was another call. */
struct failure {
	int cmd;
	int err;
	unsigned int flags;
	int reg;		/* the control register that it is about, or -1 */
	bool system;		/* of a context that was to be attached: to ... */
	int cpu;		/* ... this CPU ... */
	pid_t tid;		/* ... or to this thread */
	/* Had the thread or CPU a context already? */
	enum { TARGET_UNKNOWN, TARGET_FREE, TARGET_TAKEN } target;
};

/**
 * failure_set() - note what failed
 * @failure: filled in, with errno as it is
 * @cmd:     command of perfmonctl(), or 0
 * @flags:   what the kernel said of the bad element
 *
 * Return: -1.
 */
int failure_set(struct failure *failure, int cmd, unsigned int flags);

/**
 * context_create() - make a context and program it, all its event sets
 * @counters: what to count
 * @flags:    PFM_FL_SYSTEM_WIDE, PFM_FL_TREE, PFM_FL_CLOEXEC or 0
 * @failure:  filled in on error
 *
 * The descriptor is closed on exec.
 *
 * Return: the context, or -1.
 */
int context_create(const struct counters *counters, unsigned int flags,
		   struct failure *failure);

/**
 * context_arm() - have the kernel leave a set when the trigger has counted enough
 * @fd:       context
 * @counters: has a trigger, whose control registers have been written
 * @set:      number of the set
 * @failure:  filled in on error
 *
 * Return: 0 or -1.
 */
int context_arm(int fd, const struct counters *counters, unsigned int set,
		struct failure *failure);

/**
 * context_create_sets() - make the event sets of a context, if there are several
 * @fd:       context
 * @counters: says how many, and when the kernel goes on to the next one
 * @failure:  filled in on error
 *
 * Return: 0, or -1.
 */
int context_create_sets(int fd, const struct counters *counters,
			struct failure *failure);

/**
 * context_write_pmcs() - program control registers
 * @fd:      context
 * @pmcs:    registers
 * @n:       how many
 * @failure: filled in on error
 *
 * Return: 0, or -1.
 */
int context_write_pmcs(int fd, pfarg_pmc_t *pmcs, unsigned int n,
		       struct failure *failure);

/**
 * context_write_extras() - program the registers that belong to events
 * @fd:       context
 * @counters: events
 * @set:      event set whose events are meant
 * @failure:  filled in on error
 *
 * Return: 0, or -1.
 */
int context_write_extras(int fd, const struct counters *counters, unsigned int set,
			 struct failure *failure);

/**
 * context_attach() - attach a context to a thread
 * @fd:      context
 * @tid:     thread; the calling one for a system-wide context
 * @flags:   as given to context_create()
 * @set:     event set to begin with
 * @failure: filled in on error
 *
 * Return: 0, or -1.
 */
int context_attach(int fd, pid_t tid, unsigned int flags, unsigned int set,
		   struct failure *failure);

/**
 * context_attach_tree() - attach a context of a tree to its first member, or have it join one
 * @fd:         context
 * @tid:        thread; with PFM_LOADFL_JOIN the descriptor of the tree's context
 * @load_flags: PFM_LOADFL_...
 * @set:        event set to begin with
 * @failure:    filled in on error
 *
 * Return: 0, or -1.
 */
int context_attach_tree(int fd, pid_t tid, unsigned int load_flags, unsigned int set,
			struct failure *failure);

/**
 * context_has_trees() - does the kernel have contexts of whole trees of threads?
 *
 * Return: false if it does not know PFM_FL_TREE, or the PMU's rules forbid it.
 */
bool context_has_trees(void);

/**
 * context_start() - begin to count
 * @fd:      context, attached
 * @failure: filled in on error
 *
 * Return: 0, or -1.
 */
int context_start(int fd, struct failure *failure);

/* What the kernel says of a context in its fdinfo. */
struct context_info {
	bool masked;		/* stopped until PFM_RESTART */
	uint64_t lost;		/* messages that the queue had no room for */
	uint64_t throttled;	/* times that it was stopped since its overflows were too many */
	unsigned int members;	/* of a tree: threads that it has now ... */
	uint64_t missed;	/* ... and that could not become members */
};

/**
 * context_read_info() - ask the kernel for the state of a context
 * @fd:   context
 * @info: filled in, with zeroes if it cannot be read
 */
void context_read_info(int fd, struct context_info *info);

/**
 * context_read() - read all counters
 * @fd:       context, attached or not any more
 * @counters: as given to context_create()
 * @counts:   receives what they counted
 * @failure:  filled in on error
 *
 * Return: 0, or -1.
 */
int context_read(int fd, const struct counters *counters, struct counts *counts,
		 struct failure *failure);

/**
 * context_read_turns() - how long each event set was active
 * @fd:       context
 * @counters: says how many sets there are
 * @turns:    filled in for as many sets as there are, with zeroes if there is one only
 * @failure:  filled in on error
 *
 * Return: 0, or -1.
 */
int context_read_turns(int fd, const struct counters *counters,
		       struct turns turns[MAX_EVENTS], struct failure *failure);

/**
 * context_set_ns() - how long a set has been active
 * @info: from pfm_getinfo_evtsets()
 *
 * Return: nanoseconds.
 */
static inline uint64_t context_set_ns(const pfarg_setinfo_t *info)
{
	return (uint64_t)info->set_act_duration.tv_sec * 1000000000 +
	       (uint64_t)info->set_act_duration.tv_nsec;
}

/**
 * failure_text() - what went wrong, in words
 * @failure: from one of the above
 *
 * Return: a constant string.
 */
const char *failure_text(const struct failure *failure);

#endif /* COUNT_CONTEXT_H */
