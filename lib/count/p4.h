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
 * p4_is() - is the PMU that of a Pentium 4?
 * @pmu: description
 *
 * Return: true or false.
 */
bool p4_is(const struct pmu *pmu);

/**
 * p4_unit() - where an event comes from
 * @name: pfmon's, or libpfm4's with what follows a colon
 *
 * Return: the unit, or NULL if it is not known, or if what it counts must be tagged by
 * another event.
 */
const struct p4_unit *p4_unit(const char *name);

/**
 * p4_counters() - which counters can count the events of a unit here
 * @unit: unit
 * @pmu:  description
 *
 * Return: bits of the counters.
 */
uint32_t p4_counters(const struct p4_unit *unit, const struct pmu *pmu);

/**
 * p4_code() - the bits of both registers that choose an event
 * @escr: ESCR's value
 * @cccr: CCCR's value
 *
 * Return: the code.
 */
uint64_t p4_code(uint64_t escr, uint64_t cccr);

/**
 * p4_levels() - who is counted
 * @escr: ESCR's value
 *
 * Return: LEVEL_USER, LEVEL_KERNEL, both or 0.
 */
unsigned int p4_levels(uint64_t escr);

/**
 * p4_place() - the values of both registers
 * @c: event with a unit; all about its registers is filled in
 * @n: number of the counter
 */
void p4_place(struct counter *c, unsigned int n);

/**
 * p4_escr() - the ESCR that an event has with a counter
 * @c: event with a unit
 * @n: number of the counter
 *
 * Return: its PMC.
 */
unsigned int p4_escr(const struct counter *c, unsigned int n);

#endif /* COUNT_P4_H */
