/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Processes that read for us what others have written into programs and libraries, who can
 * have meant to harm their reader. Such a process answers what is at an address of its file,
 * has no rights, and limits. If it is gone there are no answers.
 */
#ifndef PFMON_READER_H
#define PFMON_READER_H

#include <stdint.h>

#include "symtab.h"

#define READER_ANSWER_MAX	131072	/* bytes */

struct reader;

/**
 * reader_new() - begin to read a file
 * @serve: what the process does: with the descriptor where the questions come from, and the
 *         answers go to; it does not return
 * @t:     symbols of the file, of symtab_read_fd(), which are there as long as the reader is
 *
 * Of too many processes the one that was not asked for longest ends, and begins anew when it
 * is asked again.
 *
 * Return: for the functions below; NULL if there is nothing to be read.
 */
struct reader *reader_new(void (*serve)(const struct symtab *t, int fd), const struct symtab *t);

/**
 * reader_ask() - what is at an address
 * @reader: from reader_new()
 * @addr:   as the file's symbols have it
 * @size:   out: bytes of the answer, from 1 to READER_ANSWER_MAX
 *
 * Return: the answer, until the next one; NULL if there are none any more: what there was
 * is too much, or harmful.
 */
const unsigned char *reader_ask(struct reader *reader, uint64_t addr, uint32_t *size);

/**
 * reader_free() - end the process
 * @reader: from reader_new(), or NULL
 */
void reader_free(struct reader *reader);

#endif /* PFMON_READER_H */
