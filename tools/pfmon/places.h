/* SPDX-License-Identifier: GPL-2.0-only */
/* Where CPUs are: counts of those that share a core, a socket or a node, added up. */
#ifndef PFMON_PLACES_H
#define PFMON_PLACES_H

#include "result.h"

/**
 * places_add_up() - the counts of CPUs by what they are part of
 * @result: of CPUs, grouped
 * @by:     GROUP_CORE, GROUP_SOCKET or GROUP_NODE
 * @root:   in front of /sys: ""; tests have others
 *
 * CPUs of which the kernel does not say where they are, as those that are offline, are a group
 * of the number -1.
 *
 * Return: the same result with other groups, until the next call.
 */
const struct result *places_add_up(const struct result *result, enum grouping by,
				   const char *root);

#endif /* PFMON_PLACES_H */
