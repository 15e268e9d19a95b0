/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The files that processes had mapped, and the symbols of each, which are those of the
 * file that was recorded or none at all.
 */
#ifndef PFMON_BINARY_H
#define PFMON_BINARY_H

#include "cfi.h"
#include "data_read.h"
#include "identity.h"
#include "lines.h"
#include "symtab.h"

struct binaries;

/* What became of a file since it was recorded. */
enum binary_state {
	BINARY_FOUND,
	BINARY_CHANGED,		/* another one has its path */
	BINARY_GONE,
	BINARY_KEPT,		/* one of these, but the recording has kept names */
	BINARY_STRANGE,		/* it is not known which one it was */
	BINARY_UNREAD,		/* it is no program, or too large */
	BINARY_STATES
};

struct binary {
	struct binary *next;
	const char *path;	/* of text_keep() */
	const char *name;	/* as it can be shown, of text_intern() */
	uint32_t number;	/* of its record, 0: there is none */
	int32_t pid;		/* of a process that had it */
	struct identity identity;
	struct df_inode inode;	/* 0: not known */
	bool known;		/* the identity is */
	bool read;		/* the state and the symbols are */
	enum binary_state state;
	struct symtab symbols;
	struct symtab kept;	/* that stand in the recording */
	struct reader *lines;	/* NULL: not begun, there are none, or not any more */
	bool lines_tried;
	struct cfi *cfi;	/* NULL: likewise */
	bool cfi_tried;
};

/**
 * binaries_new() - begin without files
 * @header:  of the data file
 * @archive: directory of pfmon archive that can have copies of the files; NULL: there is none
 *
 * Return: for the functions below.
 */
struct binaries *binaries_new(const struct df_header *header, const char *archive);

/**
 * binaries_find() - the file that a mapping is of
 * @binaries: from binaries_new()
 * @path:     its path
 * @number:   of its record, or 0: there is none
 * @pid:      of the process
 *
 * Return: the file.
 */
struct binary *binaries_find(struct binaries *binaries, const char *path,
			     uint32_t number, int32_t pid);

/**
 * binaries_find_map() - the file that a mapping is of that the kernel has recorded
 * @binaries: from binaries_new(), all were added
 * @path:     its path
 * @pid:      of the process
 * @at:       where it is
 *
 * Return: the file.
 */
struct binary *binaries_find_map(struct binaries *binaries, const char *path, int32_t pid,
				 const struct df_inode *at);

/**
 * binaries_add() - what is known of a file
 * @binaries: from binaries_new()
 * @b:        of the data file
 */
void binaries_add(struct binaries *binaries, const struct data_binary *b);

/**
 * binaries_add_symbols() - names of functions of a file, which the recording has kept
 * @binaries: from binaries_new()
 * @s:        of the data file
 */
void binaries_add_symbols(struct binaries *binaries, const struct data_symbols *s);

/**
 * binaries_add_inode() - where the file that was added last is
 * @binaries: from binaries_new()
 * @inode:    of the data file
 */
void binaries_add_inode(struct binaries *binaries, const struct df_inode *inode);

/**
 * binaries_opener() - where files may be that are nowhere else
 * @open: opens the file with this number, or returns -1; NULL: nobody has any
 */
void binaries_opener(int (*open)(uint32_t number));

/**
 * binary_symbol() - the symbol at a place in a file
 * @binaries: from binaries_new()
 * @binary:   from binaries_find(); its state is known afterwards
 * @offset:   in the file
 * @addr:     receives the address as the file has it, if that is known
 *
 * Return: the symbol, or NULL.
 */
struct symbol *binary_symbol(struct binaries *binaries, struct binary *binary,
			     uint64_t offset, uint64_t *addr);

/**
 * binary_extent() - how far a symbol reaches
 * @binary: file
 * @symbol: of binary_symbol()
 *
 * Return: bytes, 0: not known.
 */
uint64_t binary_extent(const struct binary *binary, const struct symbol *symbol);

/**
 * binary_open() - open a file, if it is the one that was recorded
 * @binaries: from binaries_new()
 * @binary:   which
 * @path:     receives where it is, PATH_MAX bytes
 *
 * Return: a descriptor, or -1.
 */
int binary_open(const struct binaries *binaries, const struct binary *binary, char *path);

/**
 * binary_archived() - the name that a file has in an archive
 * @dir:    of pfmon archive
 * @binary: file
 * @path:   receives it, PATH_MAX bytes
 *
 * Return: true, or false if it can have none.
 */
bool binary_archived(const char *dir, const struct binary *binary, char *path);

/**
 * binary_lines() - the line of the source at an address, and what was inlined there
 * @binaries: from binaries_new()
 * @binary:   whose symbols were read
 * @addr:     as the file has it
 * @found:    filled in
 */
void binary_lines(struct binaries *binaries, struct binary *binary, uint64_t addr,
		  struct lines_found *found);

/**
 * binary_step() - go to the caller of code of a file
 * @binary: whose symbols were read
 * @offset: where the program is in the file, or one byte before where a call returns to
 * @state:  registers and stack; becomes the caller's if there is one
 *
 * Return: see enum cfi_result; CFI_END if the file is not there.
 */
enum cfi_result binary_step(struct binary *binary, uint64_t offset, struct cfi_state *state);

/**
 * binaries_without_lines() - files whose lines were looked for
 * @binaries: from binaries_new()
 *
 * Return: how many have no debug information, or none that could be read to the end.
 */
unsigned int binaries_without_lines(const struct binaries *binaries);

/**
 * binaries_count() - files that were looked for
 * @binaries: from binaries_new()
 * @state:    how many of them are in this state
 *
 * Return: the number.
 */
unsigned int binaries_count(const struct binaries *binaries, enum binary_state state);

/**
 * binaries_free() - free what it has
 * @binaries: from binaries_new()
 */
void binaries_free(struct binaries *binaries);

#endif /* PFMON_BINARY_H */
