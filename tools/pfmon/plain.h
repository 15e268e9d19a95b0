/* SPDX-License-Identifier: GPL-2.0-only */
/* Commands that print something and have no option but --help. */
#ifndef PFMON_PLAIN_H
#define PFMON_PLAIN_H

struct plain {
	const char *usage;
	int least, most;	/* arguments */
	/* They are @arguments, of which the last is followed by NULL; returns the status. */
	int (*run)(char **arguments);
};

/**
 * plain_main() - take the arguments of such a command, and run it
 * @argc:  of the command
 * @argv:  the first is the command's name
 * @plain: the command
 *
 * Ends the program if standard output cannot be written.
 *
 * Return: the exit status for pfmon.
 */
int plain_main(int argc, char **argv, const struct plain *plain);

#endif /* PFMON_PLAIN_H */
