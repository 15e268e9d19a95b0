/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What events of x86 need: certain counters, and registers of their own. */
#ifndef COUNT_NEEDS_H
#define COUNT_NEEDS_H

#include <stdint.h>

#include "pmu.h"

/* Events @from to @to with this unit mask can be counted by these counters only. */
struct limit {
	uint16_t from, to, umask;	/* ANY_UMASK: with all; @to NO_EVENT ends a table */
	uint32_t counters;
};

#define ANY_UMASK	0x100
#define NO_EVENT	0xffff

/**
 * needs_unknown() - is nothing known of an Intel processor's model?
 * @pmu: description
 *
 * Return: true if needs_counters() and needs_register() answer for all models at once; false
 * also for processors of others.
 */
bool needs_unknown(const struct pmu *pmu);

/**
 * needs_counters() - which counters can count an event
 * @pmu:  description
 * @code: event and unit mask, as PerfEvtSel has them, with AMD's upper bits
 *
 * Return: bits of the counters, whether they are there or not; all if nothing is known
 * of the event.
 */
uint32_t needs_counters(const struct pmu *pmu, uint64_t code);

/* A register of which an event counts what it says. */
struct event_register {
	uint16_t code;		/* event and unit mask, 0 ends a table */
	uint16_t msr;
	const char *modifier;	/* that has its value */
	const char *remark;	/* what to know of it, or NULL */
};

/**
 * needs_register() - the register that belongs to an event
 * @pmu:  description
 * @code: as of needs_counters()
 *
 * Return: the register, or NULL.
 */
const struct event_register *needs_register(const struct pmu *pmu, uint64_t code);

#endif /* COUNT_NEEDS_H */
