/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The names of the functions that samples are in, kept in the recording: its files may be gone
 * when it is read, or built anew, or on another machine.
 */
#ifndef PFMON_KEEP_H
#define PFMON_KEEP_H

#include "data_write.h"
#include "images.h"

/**
 * keep_names() - add the names to a recording that has all but its end
 * @data:   the recording; all of it is in its file
 * @images: of the recording
 *
 * Another process reads the file from its begin, and the programs: what goes wrong there, or
 * takes too long, costs names only. A signal that pfmon catches meanwhile ends that process.
 *
 * Return: NULL, or a sentence without its end that says why they are not there, or not all.
 */
const char *keep_names(struct data_writer *data, const struct images *images);

/**
 * keep_check() - are these records of names, whole ones?
 * @records: what the other process has made
 * @size:    bytes
 *
 * Return: true or false.
 */
bool keep_check(const unsigned char *records, size_t size);

#endif /* PFMON_KEEP_H */
