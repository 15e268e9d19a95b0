/* SPDX-License-Identifier: GPL-2.0-only */
/* Waiting, while probes measure, for whatever happens first. */
#ifndef PFMON_WATCH_H
#define PFMON_WATCH_H

#include "child.h"
#include "probe.h"
#include "result.h"

/**
 * watch_begin() - begin a measurement: from now on SIGCHLD is for watch_wait() only
 *
 * To be called after child_fork() and signals_catch(). There are no timers yet.
 */
void watch_begin(void);

/**
 * watch_timer() - have watch_wait() call a function when it is time
 * @ns:    nanoseconds from now on
 * @again: and then each time that so many have passed
 * @call:  function, of the measurement
 */
void watch_timer(uint64_t ns, bool again, void (*call)(struct result *result));

/**
 * watch_add() - act upon the messages of a probe
 * @probe: until probe_finish()
 */
void watch_add(struct probe *probe);

/* What is watched beside probes and children. */
enum watch_what {
	WATCH_KEYS,	/* the terminal */
	WATCH_TREE,	/* the context that is a tree's sum */
	WATCH_EXEC,	/* what says why a command was not executed */
	WATCH_INPUTS
};

/**
 * watch_input() - have watch_wait() call a function when something can be read
 * @what: of this kind there is one descriptor
 * @fd:   descriptor, or -1: not any more
 * @call: function, of the measurement; it reads
 *
 * May be called before watch_begin().
 */
void watch_input(enum watch_what what, int fd, void (*call)(struct result *result));

/**
 * watch_wait() - wait for something to happen
 * @result: of the measurement
 *
 * Messages of probes are dealt with, and timers. Returns after them, after a signal, when
 * a child has ended or stopped, or sooner: look, and call it again.
 */
void watch_wait(struct result *result);

/**
 * watch_child() - wait for the end of a command that is not traced
 * @result: of the measurement
 * @child:  released
 * @usage:  receives what it and its children used
 *
 * Return: the status, as waitpid() has it.
 */
int watch_child(struct result *result, struct child *child,
		struct rusage *usage);

#endif /* PFMON_WATCH_H */
