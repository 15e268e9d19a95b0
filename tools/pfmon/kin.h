/* SPDX-License-Identifier: GPL-2.0-only */
/* Which process has made which, as far as /proc says. */
#ifndef PFMON_KIN_H
#define PFMON_KIN_H

#include <stdbool.h>
#include <sys/types.h>

#define KIN_LINE	1024	/* bytes of a line of /proc/PID/stat */

/**
 * kin_stat() - read /proc/PID/stat
 * @pid:  process or thread
 * @line: receives it
 *
 * Return: what is behind the name in parentheses, which can have any characters; or NULL.
 */
const char *kin_stat(pid_t pid, char line[KIN_LINE]);

/**
 * kin_parent() - whose child is it?
 * @pid: process
 *
 * Return: its parent's number; 0 if there is none, or it cannot be seen.
 */
pid_t kin_parent(pid_t pid);

/**
 * kin_descends() - has a process been made by another one, or by one that was?
 * @pid: process
 * @of:  the other one
 *
 * Return: true or false; false if they are the same.
 */
bool kin_descends(pid_t pid, pid_t of);

/**
 * kin_process() - to which process does a thread belong?
 * @tid: thread
 *
 * Return: its number; 0 if it cannot be seen.
 */
pid_t kin_process(pid_t tid);

#endif /* PFMON_KIN_H */
