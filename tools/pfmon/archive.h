/* SPDX-License-Identifier: GPL-2.0-only */
/* Copies of the files that a recording names. */
#ifndef PFMON_ARCHIVE_H
#define PFMON_ARCHIVE_H

#include <stdio.h>

/**
 * archive_of() - where copies of a recording's files are
 * @path: recording
 *
 * Return: the directory that PFMON_ARCHIVE in the environment names, or the one beside @path,
 * malloc()ed; it need not be there.
 */
char *archive_of(const char *path);

/**
 * archive_make() - copy the files that a recording names; ends the program if that cannot be
 * @path: recording, "-": standard input
 * @dir:  where to: is made if it is not there
 * @out:  gets a line that says how many
 *
 * Return: 0, or -1: the recording is not complete, and those named in the rest are not there.
 */
int archive_make(const char *path, const char *dir, FILE *out);

#endif /* PFMON_ARCHIVE_H */
