/* SPDX-License-Identifier: GPL-2.0-only */
/* The commands of pfmon: each gets its own name as argv[0]. */
#ifndef PFMON_H
#define PFMON_H

/**
 * cmd_stat() - pfmon stat: count events
 * @argc: as main() has it
 * @argv: as main() has it
 *
 * Return: the exit status.
 */
int cmd_stat(int argc, char **argv);

/**
 * cmd_record() - pfmon record: sample into a data file
 * @argc: as main() has it
 * @argv: as main() has it
 *
 * Return: the exit status.
 */
int cmd_record(int argc, char **argv);

/**
 * cmd_report() - pfmon report: what a data file says
 * @argc: as main() has it
 * @argv: as main() has it
 *
 * Return: the exit status.
 */
int cmd_report(int argc, char **argv);

/**
 * cmd_top() - pfmon top: where something is, live
 * @argc: as main() has it
 * @argv: as main() has it
 *
 * Return: the exit status.
 */
int cmd_top(int argc, char **argv);

/**
 * cmd_annotate() - pfmon annotate: the instructions of a function
 * @argc: as main() has it
 * @argv: as main() has it
 *
 * Return: the exit status.
 */
int cmd_annotate(int argc, char **argv);

/**
 * cmd_archive() - pfmon archive: keep the files that a recording names
 * @argc: as main() has it
 * @argv: as main() has it
 *
 * Return: the exit status.
 */
int cmd_archive(int argc, char **argv);

/**
 * cmd_diff() - pfmon diff: what differs between two data files
 * @argc: as main() has it
 * @argv: as main() has it
 *
 * Return: the exit status.
 */
int cmd_diff(int argc, char **argv);

/**
 * cmd_script() - pfmon script: the samples of a data file
 * @argc: as main() has it
 * @argv: as main() has it
 *
 * Return: the exit status.
 */
int cmd_script(int argc, char **argv);

/**
 * cmd_list() - pfmon list: the events that can be counted
 * @argc: as main() has it
 * @argv: as main() has it
 *
 * Return: the exit status.
 */
int cmd_list(int argc, char **argv);

/**
 * cmd_explain() - pfmon explain: the registers of an event
 * @argc: as main() has it
 * @argv: as main() has it
 *
 * Return: the exit status.
 */
int cmd_explain(int argc, char **argv);

/**
 * cmd_check() - pfmon check: what would fail here
 * @argc: as main() has it
 * @argv: as main() has it
 *
 * Return: the exit status.
 */
int cmd_check(int argc, char **argv);

/**
 * cmd_info() - pfmon info: what the kernel offers
 * @argc: as main() has it
 * @argv: as main() has it
 *
 * Return: the exit status.
 */
int cmd_info(int argc, char **argv);

#endif /* PFMON_H */
