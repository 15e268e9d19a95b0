/* SPDX-License-Identifier: GPL-2.0-only */
/* --wait: for counters, threads and CPUs that other programs have. */
#ifndef PFMON_WAIT_H
#define PFMON_WAIT_H

#include "require.h"

struct counters;
struct target;
struct turn_options;

/**
 * wait_for_end() - wait until one of some processes has ended
 * @pid: their numbers
 * @n:   how many
 * @fd:  a descriptor that ends the wait, too, when it is readable; or -1
 * @ms:  milliseconds after which it returns in any case; -1: never
 *
 * Return: true if one of them has ended, or had before.
 */
bool wait_for_end(const pid_t *pid, unsigned int n, int fd, int ms);

/**
 * wait_for_holders() - wait until what could not be had may be had
 * @failure: EBUSY, of context_attach()
 *
 * It says once who has it, in the first call of all. That is until one of those who have it
 * ends, or a fraction of a second: a program can give it up without an end, and can be one
 * that this user must not see. A signal that would end a measurement ends pfmon.
 */
void wait_for_holders(const struct failure *failure);

/**
 * wait_place() - give events their counters when those that they need are free
 * @t:        what is to be measured
 * @o:        when events take turns
 * @counters: chosen events, placed as if there were no others; placed anew
 *
 * Those that they need are as many as let them take no more turns than if nobody else used
 * the PMU. For a thread they are kept until pfmon ends.
 */
void wait_place(const struct target *t, const struct turn_options *o, struct counters *counters);

#endif /* PFMON_WAIT_H */
