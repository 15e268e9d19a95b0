/* SPDX-License-Identifier: GPL-2.0-only */
/* Options that users of perf type, and that pfmon does not have. */
#ifndef PFMON_HABITS_H
#define PFMON_HABITS_H

/**
 * habits_hint() - say what there is instead of an option of perf's
 * @argv: as the command has it: argv[0] is "pfmon stat"
 *
 * To be called when getopt_long() has refused an option, before anything else is taken.
 * Options that mean the same are in the commands' own tables, under both names.
 */
void habits_hint(char **argv);

#endif /* PFMON_HABITS_H */
