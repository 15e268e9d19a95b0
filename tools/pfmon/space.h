/* SPDX-License-Identifier: GPL-2.0-only */
/* Address spaces of the processes of a recording: which program is where. */
#ifndef PFMON_SPACE_H
#define PFMON_SPACE_H

#include "cfi.h"
#include "data_read.h"
#include "identity.h"
#include "lines.h"

struct space;
struct mapping;

/* Where a sample is. All are strings of text_intern(). */
struct place {
	const char *process;
	const char *binary;
	const char *symbol;
	const char *call;	/* in a chain: the symbol, or what it is part of */
	const char *line;	/* "FILE:LINE" of the source, NULL: not known, or not asked for */
	unsigned int inlined;	/* functions that were inlined there, if they are asked for ... */
	const struct inlined *inline_of;	/* ... the innermost first, and the symbol */
	const struct mapping *mapping;	/* NULL: not known */
	uint64_t addr;		/* as the binary has it if that is known */
	uint64_t offset;	/* in the symbol, 0 if that is not known */
	uint64_t size;		/* of the symbol, 0 if that is not known */
	uint32_t number;	/* of places that are all the same: the same; 0: none */
};

/* One of the functions at a place. */
struct inlined {
	const char *function;
	const char *line;	/* where it is in it, or NULL */
};

/* What stands for a name that is not known. */
#define PLACE_UNKNOWN	"[unknown]"

/* What stands for a symbol of a file that is not the one that was recorded. */
#define PLACE_CHANGED	"[changed]"

/**
 * space_new() - begin without processes
 * @header:  of the data file
 * @archive: directory of pfmon archive that can have copies of its files; NULL: there is none
 *
 * Return: for the functions below.
 */
struct space *space_new(const struct df_header *header, const char *archive);

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
 * space_add_inode() - and where that is
 * @space: from space_new()
 * @inode: of the data file
 */
void space_add_inode(struct space *space, const struct df_inode *inode);

/**
 * space_add_symbols() - names of functions that the recording has kept
 * @space: from space_new()
 * @s:     of the data file
 */
void space_add_symbols(struct space *space, const struct data_symbols *s);

/**
 * space_binary() - which file a mapping is of
 * @mapping: of a place, or NULL
 *
 * Return: the number of its record, 0: there is none.
 */
uint32_t space_binary(const struct mapping *mapping);

/**
 * space_add_module() - a module of the kernel was loaded
 * @space: from space_new()
 * @m:     of the data file
 */
void space_add_module(struct space *space, const struct data_module *m);

/**
 * space_add_jit() - names of code that a process has made
 * @space: from space_new()
 * @j:     of the data file
 */
void space_add_jit(struct space *space, const struct data_jit *j);

/**
 * space_add_record() - a process has done something, as the kernel recorded it
 * @space: from space_new()
 * @map:   in any order
 */
void space_add_record(struct space *space, const struct pmon_map *map);

/**
 * space_complete() - all was added that there is by now
 * @space: from space_new()
 */
void space_complete(struct space *space);

/* What of the source is to be looked for: that takes time. */
enum space_source { SPACE_LINES = 1, SPACE_INLINED = 2 };

/**
 * space_source() - look for lines, or inlined functions, from now on
 * @space: from space_new()
 * @what:  of enum space_source
 */
void space_source(struct space *space, unsigned int what);

/**
 * space_find() - find out where a sample is
 * @space:  after space_complete()
 * @sample: sample
 * @place:  filled in
 */
void space_find(struct space *space, const struct pmon_sample *sample,
		struct place *place);

/**
 * space_step() - go to the caller of a program
 * @space:  after space_complete()
 * @sample: whose ip is where the program is, or one byte before where a call returns to
 * @state:  its registers and stack; becomes the caller's if there is one
 *
 * Return: see enum cfi_result; CFI_END if it is nowhere where code can be.
 */
enum cfi_result space_step(struct space *space, const struct pmon_sample *sample,
			   struct cfi_state *state);

/**
 * space_is_code() - can the program be there?
 * @space:  after space_complete()
 * @sample: whose ip is where
 *
 * Return: true if code was mapped there, or the process says that it had made some.
 */
bool space_is_code(struct space *space, const struct pmon_sample *sample);

/* A mapping of a process. */
struct mapped {
	uint64_t start, end;
	uint64_t offset;	/* in the file, of @start */
	const struct identity *identity;	/* of the file, while the space is there;
						 * NULL: not known */
};

/**
 * space_mapped() - what is known of a mapping
 * @mapping: of a place, NULL: nothing is
 *
 * Return: it, or zeroes.
 */
struct mapped space_mapped(const struct mapping *mapping);

/**
 * space_open() - open the file that has been mapped
 * @space:   from space_new()
 * @mapping: of a place
 * @path:    receives where it is, PATH_MAX bytes
 *
 * Return: a descriptor, or -1 if there is none that is the same as was recorded.
 */
int space_open(struct space *space, const struct mapping *mapping, char *path);

/**
 * space_lines() - the lines of the source at an address
 * @space:   from space_new()
 * @mapping: of a place
 * @addr:    as the file has it
 * @found:   filled in
 */
void space_lines(struct space *space, const struct mapping *mapping, uint64_t addr,
		 struct lines_found *found);

/**
 * space_note() - what kept names from being found
 * @space: from space_new()
 * @n:     the how manieth such thing, from 0
 *
 * Return: a sentence for the reader, or NULL if there are no more.
 */
const char *space_note(struct space *space, unsigned int n);

/**
 * space_free() - free what it has
 * @space: from space_new()
 */
void space_free(struct space *space);

#endif /* PFMON_SPACE_H */
