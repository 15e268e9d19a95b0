/* SPDX-License-Identifier: GPL-2.0-only */
/* record --switch-output: one recording in many data files. */
#ifndef PFMON_ROTATE_H
#define PFMON_ROTATE_H

#include <stdbool.h>
#include <stdint.h>

struct recording;

struct rotation {
	bool on;
	uint64_t bytes, ns;		/* a file has no more than that; 0: any */
	uint64_t most;			/* files that are kept, 0: all */
	const char *output;		/* of -o */
	char *last;			/* the file that was written last */
	char **name;			/* the last @most files */
	uint64_t files;			/* that were written */
	uint64_t began;			/* when the one that is written now did */
	uint64_t samples, written;	/* samples and bytes in those before it */
};

/**
 * rotate_option() - take what is behind --switch-output; ends the program if it is nothing
 * @r:    set
 * @text: a size, a time, or "signal"; NULL is the last
 */
void rotate_option(struct rotation *r, const char *text);

/**
 * rotate_begin() - see that there can be a rotation; ends the program if there cannot
 * @r:      from rotate_option()
 * @output: of -o
 *
 * From now on SIGUSR2 asks for a switch.
 *
 * Return: the name with which the first file is to be created.
 */
const char *rotate_begin(struct rotation *r, const char *output);

/**
 * rotate_next() - a name with the time of now, which no file has
 * @r: with an output
 *
 * The next file is created with such a name, and gets another one when it is complete.
 *
 * Return: the name, for free().
 */
char *rotate_next(const struct rotation *r);

/**
 * rotate_name() - give the file that is written now the name that it is to have
 * @rec: with a rotation
 */
void rotate_name(struct recording *rec);

/**
 * rotate_closed() - the file has its name: remove the oldest of this recording if they are too many
 * @rec: with a rotation
 */
void rotate_closed(struct recording *rec);

/**
 * rotate_due() - is the next file to begin?
 * @rec:  locked
 * @more: bytes of samples that are to be written next; 0: none are, and it is asked whether it is
 *        time, or a SIGUSR2 came, to which there is one answer
 *
 * Return: true or false.
 */
bool rotate_due(struct recording *rec, uint64_t more);

#endif /* PFMON_ROTATE_H */
