/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is needed to find an address' program later: which processes there are
 * and what they have mapped, read from /proc while they are there.
 */
#ifndef PFMON_IMAGES_H
#define PFMON_IMAGES_H

#include <stdbool.h>
#include <sys/types.h>

#include "data_write.h"

struct result;

struct images;

/**
 * images_new() - begin with no process known
 * @data: receives what is seen
 *
 * Return: for the functions below. Not to be used by two threads at a time.
 */
struct images *images_new(struct data_writer *data);

/**
 * images_see() - look at a process, and write what is new
 * @images: from images_new()
 * @pid:    process; one that is gone is no error
 */
void images_see(struct images *images, pid_t pid);

/**
 * images_glance() - look at a process that has samples unless that was done a moment ago
 * @images: from images_new()
 * @pid:    process
 *
 * A moment is a second, and less for a program that has just begun.
 */
void images_glance(struct images *images, pid_t pid);

/**
 * images_gone() - is code of a file gone from a process?
 * @images: from images_new()
 * @pid:    process
 *
 * What was sampled until now is that file's, and what is sampled next at the same addresses
 * can be another one's.
 *
 * Return: whether a look found that, since this was asked last.
 */
bool images_gone(struct images *images, pid_t pid);

/**
 * images_exec() - look at a process that has just executed a program
 * @images: from images_new()
 * @pid:    process
 */
void images_exec(struct images *images, pid_t pid);

/**
 * images_binary() - note which file has a path, as the kernel recorded it
 * @images: from images_new()
 * @map:    of a file; the process may be gone
 */
void images_binary(struct images *images, const struct pmon_map *map);

/**
 * images_kernel() - note which modules the kernel has
 * @images: from images_new()
 */
void images_kernel(struct images *images);

/**
 * images_open() - open a file that was mapped, and is nowhere to be found by its path
 * @images: from images_new()
 * @number: of its record
 *
 * Of the first ones of such files that are seen descriptors are kept: those of containers,
 * which end with them, and files that were removed.
 *
 * Return: a descriptor, or -1.
 */
int images_open(const struct images *images, uint32_t number);

/**
 * images_end() - look once more, before the recording ends
 * @images: from images_new()
 */
void images_end(struct images *images);

/**
 * images_see_all() - look at all processes that there are
 * @images: from images_new()
 */
void images_see_all(struct images *images);

/**
 * images_notes() - say of which processes nothing could be seen, or only that they are there
 * @images: from images_new()
 * @result: receives the notes
 */
void images_notes(const struct images *images, struct result *result);

/**
 * images_free() - forget everything
 * @images: from images_new()
 */
void images_free(struct images *images);

#endif /* PFMON_IMAGES_H */
