/* SPDX-License-Identifier: GPL-2.0-only */
/* What counts say together: instructions in a cycle, misses of all accesses. */
#ifndef PFMON_RATIOS_H
#define PFMON_RATIOS_H

#include "result.h"

struct ratio {
	const char *name;	/* "IPC", or of what it is a part: "of branches" */
	bool percent;		/* as people read it */
	double value;		/* how many of the one for one of the other */
	unsigned int of;	/* index of the other event */
};

/**
 * ratios_find() - the ratio that is told of an event
 * @result: what was measured
 * @sum:    the sum of all of it, or of a group
 * @i:      index of the event
 * @ratio:  filled in
 *
 * The other event is one of the same levels. It is taken from the same list if that
 * has it, else from the same sets, else it must be counted all the time: events that
 * were counted in different turns are not compared.
 *
 * Return: true, or false if there is none.
 */
bool ratios_find(const struct result *result, const struct counts *sum, unsigned int i,
		 struct ratio *ratio);

#endif /* PFMON_RATIOS_H */
