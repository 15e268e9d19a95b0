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
 * Devices are not opened: that alone can start a watchdog, or wait.
 *
 * Return: a descriptor, or -1 if it is no regular file or cannot be read.
 */
int identity_open(const char *path, struct stat *st);

/**
 * identity_read() - the identity of a file
 * @identity: filled in
 * @path:     file
 *
 * Return: true, or false if it is no regular file or cannot be read.
 */
bool identity_read(struct identity *identity, const char *path);

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
