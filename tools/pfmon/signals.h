/* SPDX-License-Identifier: GPL-2.0-only */
/* Ctrl-C and its like end the measurement, not pfmon. */
#ifndef PFMON_SIGNALS_H
#define PFMON_SIGNALS_H

#include <sys/types.h>

/**
 * signals_begin() - note which signals are caught, ignored and blocked, before any change
 *
 * SIGXFSZ is ignored from now on: a write that would make a file too large fails.
 */
void signals_begin(void);

/**
 * signals_fork() - fork() a process to which signals are as they were for pfmon
 *
 * Return: as fork().
 */
pid_t signals_fork(void);

/**
 * signals_catch() - from now on SIGINT, SIGTERM, SIGHUP, SIGQUIT do not kill us
 * @child: process to hand them on to, 0 if none
 *
 * A signal that the terminal sends reaches the child by itself; one that
 * another process sends to pfmon alone is sent on. Signals that are ignored
 * stay so. May be called again, for the next child.
 */
void signals_catch(pid_t child);

/**
 * signals_child_gone() - the child was waited for: nothing is handed on any more
 */
void signals_child_gone(void);

/**
 * signals_end_child() - send SIGTERM to the child, if there is one
 */
void signals_end_child(void);

/**
 * signals_fd() - a descriptor that becomes readable when a signal came
 *
 * Return: the descriptor.
 */
int signals_fd(void);

/**
 * signals_seen() - the descriptor was seen to be readable: it is not any more
 */
void signals_seen(void);

/**
 * signals_last() - which signal came
 *
 * Return: the last one, or 0.
 */
int signals_last(void);

#endif /* PFMON_SIGNALS_H */
