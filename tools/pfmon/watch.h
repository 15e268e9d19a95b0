/* SPDX-License-Identifier: GPL-2.0-only */
/* Waiting, while probes measure, for whatever happens first. */
#ifndef PFMON_WATCH_H
#define PFMON_WATCH_H

#include "child.h"
#include "probe.h"
#include "result.h"

/**
 * watch_begin() - from now on SIGCHLD is for watch_wait() only
 *
 * To be called after child_fork() and signals_catch().
 */
void watch_begin(void);

/**
 * watch_add() - act upon the messages of a probe
 * @probe: until probe_finish()
 */
void watch_add(struct probe *probe);

/**
 * watch_wait() - wait for something to happen
 * @result: of the measurement
 *
 * Messages of probes are dealt with. Returns after them, after a signal, when
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
