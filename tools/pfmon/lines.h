/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Lines of the source, and functions that were inlined, as the debug information of a program
 * or library has them.
 */
#ifndef PFMON_LINES_H
#define PFMON_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "reader.h"

#define LINES_FRAMES	32	/* functions that are at one address, at most */

/* What is at an address. */
struct lines_frame {
	const char *function;	/* that was inlined, of text_intern(); NULL: the symbol itself */
	const char *file;	/* where it is in it, of text_intern(); NULL: not known */
	unsigned int line;
};

struct lines_found {
	unsigned int frames;	/* the innermost first; the last one is the symbol; 0: nothing */
	struct lines_frame frame[LINES_FRAMES];
};

/**
 * lines_new() - begin to read the lines of a file
 * @t: its symbols, of symtab_read_fd()
 *
 * Return: for lines_find() and reader_free(), NULL if it has no debug information, or pfmon
 * was built without libdw.
 */
struct reader *lines_new(const struct symtab *t);

/**
 * lines_find() - what is at an address
 * @lines: from lines_new()
 * @addr:  as the file's symbols have it
 * @found: filled in
 *
 * Return: true, or false if nothing can be read any more: what there was is too much, or
 * harmful.
 */
bool lines_find(struct reader *lines, uint64_t addr, struct lines_found *found);

/**
 * lines_parse() - what the process that reads has answered
 * @answer: without its size
 * @size:   bytes
 * @found:  filled in
 *
 * Return: true, or false if it is none.
 */
bool lines_parse(const unsigned char *answer, size_t size, struct lines_found *found);

/**
 * lines_short() - the name of a line for tables
 * @frame: of lines_find()
 *
 * Return: "FILE:LINE", the file without its directory, of text_intern(); NULL: not known.
 */
const char *lines_short(const struct lines_frame *frame);

#endif /* PFMON_LINES_H */
