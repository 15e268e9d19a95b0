/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Small files of the kernel's, as texts. */
#ifndef COUNT_FILE_H
#define COUNT_FILE_H

#include <stdbool.h>
#include <stddef.h>

/**
 * file_read() - a small file, of /proc for instance
 * @path: file
 * @buf:  receives what is in it, and a 0 byte: no more than fits, without one end of a line
 *        at its end (of several, the others belong to a name); "" if it cannot be read
 * @size: bytes at @buf, at least 1
 *
 * Return: bytes at @buf without the 0 byte. There can be others before that, if the file
 * has some.
 */
size_t file_read(const char *path, char *buf, size_t size);

/**
 * file_number() - the number that a file begins with
 * @path: file
 *
 * Return: the number, 0 if there is none.
 */
unsigned long file_number(const char *path);

/**
 * sysfs_number() - a number of perfmon in sysfs
 * @name: its file, below /sys/kernel/perfmon
 *
 * Return: the number, 0 if there is none.
 */
unsigned long sysfs_number(const char *name);

/**
 * sysfs_read() - one value below /sys/kernel/perfmon
 * @name: file
 * @buf:  receives the value without a line end, "" if it cannot be read
 * @size: bytes at @buf
 *
 * Return: true if there was such a value.
 */
bool sysfs_read(const char *name, char *buf, size_t size);

#endif /* COUNT_FILE_H */
