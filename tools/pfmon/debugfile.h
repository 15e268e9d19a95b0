/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds a file by its build ID, and what was stripped from a program or library: its
 * debug file, in the places in which gdb looks, too. Nothing is fetched from elsewhere.
 */
#ifndef PFMON_DEBUGFILE_H
#define PFMON_DEBUGFILE_H

#include <stdint.h>

#include "identity.h"

/**
 * debugfile_of_id() - open a file that has a build ID
 * @identity: with a build ID, or none is found
 * @n:        number of the place to look in, below DEBUGFILE_PLACES: 0 and 1 are for
 *            the file itself, the rest for its debug file
 * @path:     filled in, of PATH_MAX bytes
 *
 * Return: a descriptor, or -1 if there is none, or not of this build ID.
 */
int debugfile_of_id(const struct identity *identity, unsigned int n, char *path);

/**
 * debugfile_archived() - open the debug file that pfmon archive has copied
 * @dir:      of the archive
 * @identity: of the program or library
 * @path:     filled in, of PATH_MAX bytes: where it is, or would be
 *
 * Return: a descriptor, or -1 if there is none, or not of this build ID.
 */
int debugfile_archived(const char *dir, const struct identity *identity, char *path);

/**
 * debugfile_archive() - look for debug files there, too
 * @dir: of an archive, kept; NULL: nowhere
 */
void debugfile_archive(const char *dir);

#define DEBUGFILE_PLACES	4
#define DEBUGFILE_FIRST		2	/* of those for the debug file */

struct Dwfl_Module;

/**
 * debugfile_find() - the callback of libdwfl for that
 * @module:   of libdwfl
 * @userdata: not used
 * @name:     not used
 * @base:     not used
 * @file:     the program or library
 * @link:     the name in its .gnu_debuglink, or NULL
 * @crc:      and its checksum, which counts if there is no build ID
 * @found:    receives the path, malloc()ed
 *
 * Return: a descriptor, or -1.
 */
int debugfile_find(struct Dwfl_Module *module, void **userdata, const char *name,
		   uint64_t base, const char *file, const char *link, uint32_t crc,
		   char **found);

#endif /* PFMON_DEBUGFILE_H */
