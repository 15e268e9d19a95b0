/* SPDX-License-Identifier: GPL-2.0-only */
/* The hardware PMU of this machine: is there one, and what may we count? */
#ifndef PFMON_HARDWARE_H
#define PFMON_HARDWARE_H

#include <stdbool.h>

#include "context.h"

/**
 * hardware_find() - look for a hardware PMU; its events are there from then on
 *
 * Return: true if pfmon knows events of it.
 */
bool hardware_find(void);

/**
 * hardware_busy() - does another part of the kernel use the PMU?
 * @failure: filled in if so, for holders_text()
 *
 * Return: true if counting would fail for that reason.
 */
bool hardware_busy(struct failure *failure);

/**
 * hardware_settle() - count at user level only if the kernel's is forbidden
 * @counters: chosen events, changed if need be
 * @flags:    of the contexts: PFM_FL_SYSTEM_WIDE or 0
 *
 * Ends the program if the kernel's level was asked for.
 */
void hardware_settle(struct counters *counters, unsigned int flags);

#endif /* PFMON_HARDWARE_H */
