/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The events that most hardware has, and which codes they have where. */
#ifndef COUNT_CODES_H
#define COUNT_CODES_H

#include <stdint.h>

#include "pmu.h"

enum hw_event {
	HW_CYCLES, HW_INSTRUCTIONS, HW_BRANCHES, HW_BRANCH_MISSES, HW_CACHE_REFERENCES,
	HW_CACHE_MISSES, HW_L1_MISSES, HW_L1_ACCESSES,
	HW_EVENTS
};

/**
 * codes_find() - what selects an event
 * @pmu:   description
 * @event: which one
 *
 * Return: the event and its unit mask, as PerfEvtSel has them, or P4_EVENT(), or
 * PPC_EVENT() or PPC970_EVENT(), or POWER's code; 0 if this model has no such event, or one
 * that counts something else.
 */
uint64_t codes_find(const struct pmu *pmu, enum hw_event event);

#endif /* COUNT_CODES_H */
