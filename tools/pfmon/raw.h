/* SPDX-License-Identifier: GPL-2.0-only */
/* Sampling formats that pfmon does not know: their blocks are kept as they are. */
#ifndef PFMON_RAW_H
#define PFMON_RAW_H

#include <stddef.h>
#include <stdio.h>

#include <perfmon/pmon_smpl.h>

#define RAW_ARG_MAX	65536	/* bytes of the largest argument of a format */
#define UUID_TEXT	37	/* with a NUL */

/**
 * raw_format() - a format by its UUID
 * @text:   "UUID" or "UUID:ARGUMENT", the argument as hexadecimal bytes
 * @format: out: the format of this UUID, or one whose blocks are not taken apart; NULL
 *          if @text is none of these
 * @arg:    out: the argument, NULL: the format's own
 * @size:   out: its bytes
 *
 * Return: NULL, or what is wrong with the argument.
 */
const char *raw_format(const char *text, const struct pmon_format **format,
		       unsigned char **arg, size_t *size);

/**
 * raw_uuid() - a UUID as text
 * @uuid: 16 bytes
 * @text: filled in
 */
void raw_uuid(const unsigned char *uuid, char text[UUID_TEXT]);

/**
 * raw_print() - print the blocks of samples of a data file, byte by byte
 * @path: file
 * @out:  where to
 *
 * Ends the program if the file is none; what is wrong with a part of it goes to standard
 * error.
 */
void raw_print(const char *path, FILE *out);

#endif /* PFMON_RAW_H */
