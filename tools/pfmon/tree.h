/* SPDX-License-Identifier: GPL-2.0-only */
/* Contexts that the kernel has count whole trees of threads: what is to be known of them. */
#ifndef PFMON_TREE_H
#define PFMON_TREE_H

#include "result.h"

/**
 * tree_begin() - the trees of a measurement begin
 * @result: of the measurement
 *
 * After watch_begin().
 */
void tree_begin(struct result *result);

/**
 * tree_counted_ns() - CPU time in which a tree has counted, of all its threads
 * @probe: of a tree
 *
 * Return: nanoseconds, as probe_counted_ns().
 */
uint64_t tree_counted_ns(struct probe *probe);

/**
 * tree_look() - note what the kernel says of a tree, before its probe is finished
 * @result: gets the CPU time that was counted, and how many threads were not
 * @probe:  of a tree; gets how often it was throttled
 *
 * Return: how many threads it has now.
 */
unsigned int tree_look(struct result *result, struct probe *probe);

/**
 * tree_note() - say what is not in the counts
 * @result:   from tree_look()
 * @spent_ns: CPU time that there was at least, of all that was to be counted
 */
void tree_note(struct result *result, uint64_t spent_ns);

#endif /* PFMON_TREE_H */
