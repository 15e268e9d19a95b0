/* SPDX-License-Identifier: GPL-2.0-only */
/* The library that the kernel maps into each process: it is in no file. */
#ifndef PFMON_VDSO_H
#define PFMON_VDSO_H

#include <stdint.h>
#include <sys/types.h>

#include "identity.h"

#define VDSO	"[vdso]"	/* as /proc/PID/maps has it */

/**
 * vdso_copy() - the one of a process, as a file
 * @pid:   process; 0: ourselves
 * @start: its first address
 * @end:   and the one behind it
 *
 * Return: a descriptor, or -1 if the process may not be read, or it is too large.
 */
int vdso_copy(pid_t pid, uint64_t start, uint64_t end);

/**
 * vdso_open() - one of those that this kernel has
 * @identity: with its build ID
 *
 * Return: a descriptor, or -1 if none of them is it.
 */
int vdso_open(const struct identity *identity);

#endif /* PFMON_VDSO_H */
