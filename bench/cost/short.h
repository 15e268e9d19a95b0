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
#ifdef REPEATED
/* A repeated instruction is one, whatever it repeats. */
static inline void check_repeated(void)
{
	static char to[4096];
	uint64_t least = UINT64_MAX, n;
	int i;

	/* Its page is there at the second time. */
	for (i = 0; i < 10; i++) {
		n = executed();
		repeated(to, sizeof(to));
		n = executed() - n;
		least = n < least ? n : least;
	}
	if (least > 20) {
		fprintf(stderr, "an instruction that is repeated 4096 times is counted as %llu\n",
			(unsigned long long)least);
		exit(1);
	}
}
#else
static inline void check_repeated(void) { }
#endif

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
	check_repeated();
	return true;
}

#endif /* COST_SHORT_H */
