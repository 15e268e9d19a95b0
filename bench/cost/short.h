/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The first argument "short", by which scripts/test-bench tells a program that its figures
 * have to be there, but need not be exact: what takes long may do fewer rounds. As nobody
 * looks at the figures then, the program itself sees whether instructions are counted.
 */
#ifndef COST_SHORT_H
#define COST_SHORT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine.h"

#define SHORT_LOOP	1000000		/* of two instructions */

/* Whether it is there; then the next argument is the first one. */
static inline bool take_short(int *argc, char ***argv)
{
	uint64_t n;

	if (*argc < 2 || strcmp((*argv)[1], "short"))
		return false;
	(*argc)--;
	(*argv)++;

	n = executed();
	loop(SHORT_LOOP);
	n = executed() - n;
	/* A tick takes some thousand more. */
	if (n < 2 * SHORT_LOOP || n > 2 * SHORT_LOOP + SHORT_LOOP / 10) {
		fprintf(stderr, "2,000,000 instructions are counted as %llu\n",
			(unsigned long long)n);
		exit(1);
	}
	return true;
}

#endif /* COST_SHORT_H */
