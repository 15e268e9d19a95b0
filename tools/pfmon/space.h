/* SPDX-License-Identifier: GPL-2.0-only */
/* Address spaces of the processes of a recording: which program is where. */
#ifndef PFMON_SPACE_H
#define PFMON_SPACE_H

#include "data_read.h"

struct space;

/* Where a sample is. All are strings of text_intern(). */
struct place {
	const char *process;
	const char *binary;
	const char *symbol;
	uint64_t addr;		/* as the binary has it if that is known */
	uint64_t offset;	/* in the symbol, 0 if that is not known */
};

/* What stands for a name that is not known. */
#define PLACE_UNKNOWN	"[unknown]"

/* What stands for a symbol of a file that is not the one that was recorded. */
#define PLACE_CHANGED	"[changed]"

/**
 * space_new() - begin without processes
 * @header: of the data file
 *
 * Return: for the functions below.
 */
struct space *space_new(const struct df_header *header);

/**
 * space_add_process() - a process began, or executed a program
 * @space: from space_new()
 * @p:     of the data file
 */
void space_add_process(struct space *space, const struct data_process *p);

/**
 * space_add_map() - and has mapped this
 * @space: from space_new()
 * @m:     of the data file
 */
void space_add_map(struct space *space, const struct data_map *m);

/**
 * space_add_binary() - which file has been mapped
 * @space: from space_new()
 * @b:     of the data file
 */
void space_add_binary(struct space *space, const struct data_binary *b);

/**
 * space_add_record() - a process has done something, as the kernel recorded it
 * @space: from space_new()
 * @map:   in any order
 */
void space_add_record(struct space *space, const struct smpl_map *map);

/**
 * space_complete() - all was added
 * @space: from space_new()
 */
void space_complete(struct space *space);

/**
 * space_find() - find out where a sample is
 * @space:  after space_complete()
 * @sample: sample
 * @place:  filled in
 */
void space_find(struct space *space, const struct sample *sample,
		struct place *place);

/**
 * space_note() - what kept names from being found
 * @space: from space_new()
 *
 * Return: a sentence for the reader, or NULL.
 */
const char *space_note(const struct space *space);

/**
 * space_free() - free what it has
 * @space: from space_new()
 */
void space_free(struct space *space);

#endif /* PFMON_SPACE_H */
