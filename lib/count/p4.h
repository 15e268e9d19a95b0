/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pentium 4: an event is an ESCR's, and counted by the counters that are wired to it. */
#ifndef COUNT_P4_H
#define COUNT_P4_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pmu.h"

struct counter;

/* The two ESCRs of a unit, by their PMCs, 0: none; and the counters of each. */
struct p4_unit {
	uint16_t escr[2];
	uint32_t counters[2];
};

/* An event's code: bits of its ESCR, and of the counter's CCCR above them. */
#define P4_CODE(escr, cccr)	((escr) | (uint64_t)(cccr) << 32)

/* The same from the manual's numbers: event and mask, and the CCCR's ESCR select. */
#define P4_EVENT(event, mask, select) \
	P4_CODE((event) << 25 | (mask) << 9, (select) << 13)

/**
 * p4_escr() - the ESCR that an event has with a counter
 * @c: event with a unit
 * @n: number of the counter
 *
 * Return: its PMC.
 */
unsigned int p4_escr(const struct counter *c, unsigned int n);

#endif /* COUNT_P4_H */
