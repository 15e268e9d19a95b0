/* SPDX-License-Identifier: GPL-2.0-only */
/* Lines of source files, which debug information names. */
#ifndef PFMON_SOURCE_H
#define PFMON_SOURCE_H

#include <sys/types.h>

/**
 * source_line() - the text of a line
 * @file:  path, of text_intern()
 * @line:  its number, from 1
 * @owner: of the file whose debug information says so
 *
 * That can name any file: root is shown only what all may read, or is its owner's.
 *
 * Return: the text, of text_intern(), without blanks at its begin; NULL if it cannot be read.
 */
const char *source_line(const char *file, unsigned int line, uid_t owner);

#endif /* PFMON_SOURCE_H */
