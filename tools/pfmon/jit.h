/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Names of code that a process has made itself: a runtime that compiles writes them to
 * /tmp/perf-PID.map, as perf wants it, a line "START SIZE NAME" for each function. What
 * is in it is whatever that process says.
 */
#ifndef PFMON_JIT_H
#define PFMON_JIT_H

#include <stdint.h>
#include <sys/types.h>

#include "symtab.h"

/**
 * jit_may_be() - can code that a process has made itself be in a mapping?
 * @path: of the mapping, as /proc/PID/maps has it, or "[anonymous]"
 *
 * Return: true, or false if it is an ordinary file.
 */
bool jit_may_be(const char *path);

/* How much of the file of a process was read already. */
struct jit_file {
	uint64_t inode;
	int64_t done;		/* bytes */
	bool part;		/* the first of them were not: the file was too large */
	bool inside;		/* the next one may be inside a line: its end is to be left out */
};

/**
 * jit_read() - read what is new in the file of a process
 * @pid:   process
 * @via:   a thread of it that has not ended
 * @begun: when it began, as /proc/PID/stat has it
 * @file:  all zeroes at first
 *
 * The file must be there as the process sees it, be its user's, and not be older than
 * the process. Of a file that is very large when it is seen first only the end is read,
 * which has what was compiled last.
 *
 * A last line without an end waits for it: the process may have written half of a name.
 *
 * Return: whole lines, to be freed, or NULL if there is nothing new.
 */
char *jit_read(pid_t pid, pid_t via, uint64_t begun, struct jit_file *file);

struct jit;

/**
 * jit_add() - add lines
 * @jit:  NULL at first
 * @text: lines; what is none is left out. Of two functions at an address the one that
 *        was added last counts, and of too many those that were
 */
void jit_add(struct jit **jit, const char *text);

/**
 * jit_is_part() - were some lines forgotten, because there were too many?
 * @jit: of jit_add(), or NULL
 *
 * Return: true or false.
 */
bool jit_is_part(const struct jit *jit);

/**
 * jit_find() - the function at an address
 * @jit:  of jit_add(), or NULL
 * @addr: address
 *
 * Return: it, or NULL.
 */
struct symbol *jit_find(struct jit *jit, uint64_t addr);

/**
 * jit_free() - free what it has
 * @jit: of jit_add(), or NULL
 */
void jit_free(struct jit *jit);

#endif /* PFMON_JIT_H */
