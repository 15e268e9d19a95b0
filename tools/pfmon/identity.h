/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Recognises a file. What is found at a path when a report is made may be another
 * file than the one that a process had mapped from there when it was sampled.
 */
#ifndef PFMON_IDENTITY_H
#define PFMON_IDENTITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#define BUILD_ID_MAX	24

struct identity {
	uint64_t size;
	int64_t mtime;			/* in ns */
	uint32_t id_size;		/* bytes of the build ID, 0: it has none */
	uint8_t id[BUILD_ID_MAX];
};

/**
 * identity_open() - open a file whose path somebody else chose, for reading
 * @path: file
 * @st:   filled in
 *
 * Devices are not opened: that alone can start a watchdog, or wait. Neither are files of
 * /proc, /sys and the like, which the kernel makes up when they are read.
 *
 * Return: a descriptor, or -1 if it is no regular file, is empty or cannot be read.
 */
int identity_open(const char *path, struct stat *st);

/**
 * identity_open_of() - the same of a path as a process has it
 * @pid:  process
 * @path: file in its mount name space, below its root directory
 * @st:   filled in
 *
 * Return: a descriptor, or -1.
 */
int identity_open_of(pid_t pid, const char *path, struct stat *st);

/**
 * identity_open_map() - the file that a process has mapped, even if it has no path
 * @pid:   process
 * @start: first address of the mapping
 * @end:   the address behind it
 * @st:    filled in
 *
 * Return: a descriptor, or -1; only root may.
 */
int identity_open_map(pid_t pid, uint64_t start, uint64_t end, struct stat *st);

/**
 * identity_read() - the identity of a file
 * @identity: filled in
 * @path:     file
 *
 * Return: true, or false if it is no regular file or cannot be read.
 */
bool identity_read(struct identity *identity, const char *path);

/**
 * identity_of() - the identity of an open file
 * @identity: filled in
 * @fd:       file
 * @st:       of fstat()
 */
void identity_of(struct identity *identity, int fd, const struct stat *st);

/**
 * identity_open_same() - open a file if it is the one that is meant
 * @identity: what it must be the same as
 * @path:     file
 * @other:    set if there is another one
 *
 * Return: a descriptor, or -1.
 */
int identity_open_same(const struct identity *identity, const char *path, bool *other);

/* Characters of a build ID in hexadecimal, with the NUL. */
#define BUILD_ID_HEX	(2 * BUILD_ID_MAX + 1)

/**
 * identity_hex() - the build ID of a file in hexadecimal
 * @identity: of the file; at most BUILD_ID_MAX bytes of @id_size are taken
 * @hex:      receives the digits and a NUL; "": the file has no build ID
 */
void identity_hex(const struct identity *identity, char hex[BUILD_ID_HEX]);

/**
 * identity_same() - are they of the same file?
 * @a: one
 * @b: the other
 *
 * Return: true if their build IDs are the same, or, where one has none, size and
 * time of the last change.
 */
bool identity_same(const struct identity *a, const struct identity *b);

#endif /* PFMON_IDENTITY_H */
