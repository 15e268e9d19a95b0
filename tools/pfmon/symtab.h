/* SPDX-License-Identifier: GPL-2.0-only */
/* Symbols: which function is at an address. */
#ifndef PFMON_SYMTAB_H
#define PFMON_SYMTAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>

struct symbol {
	uint64_t addr, size;	/* size 0: up to the next symbol */
	const char *name;	/* as its file has it, until symtab_name() */
	const char *module;	/* of the kernel, or NULL */
	int rank;		/* the higher one is taken of several names */
	bool named;		/* by symtab_name() */
	uint64_t end;		/* of its section, for size 0; 0: not known */
};

/* Where a part of a file is to be when its program runs. */
struct segment {
	uint64_t offset, size, addr;
};

struct symtab {
	struct symbol *symbol;
	size_t symbols, symbol_room;
	struct segment *segment;
	size_t segments, segment_room;
	void *file;		/* that has the names */
};

/* Can symbols be read from binaries? Not if pfmon was built without libdw. */
extern const bool symtab_has_elf;

/* Are names of C++ and Rust to be as in the source, not as the linker has them? */
extern bool symtab_demangle;

/**
 * symtab_read_elf() - the functions of a program or library
 * @t:    all zeroes
 * @path: file
 *
 * Return: 0, or -1 if it cannot be read or is none.
 */
int symtab_read_elf(struct symtab *t, const char *path);

/**
 * symtab_read_fd() - the same of an open file
 * @t:    all zeroes; segments that it has are kept, and then those of the file, which
 *        may be a debug file, are not taken
 * @fd:   file
 * @path: where its debug file is looked for: beside that
 *
 * Return: 0, or -1 if it cannot be read or is none.
 */
int symtab_read_fd(struct symtab *t, int fd, const char *path);

/**
 * symtab_guard() - a descriptor for a file that may be mapped
 * @fd: file
 *
 * Return: another descriptor of the file or, if others may truncate it, of a copy; -1 if
 * that is too large.
 */
int symtab_guard(int fd);

/**
 * symtab_limit() - limit the memory that is used from now on, if others may write a file
 * @fd: file
 *
 * What is packed in it may be without an end. The caller restores RLIMIT_DATA.
 */
void symtab_limit(int fd);

/**
 * guard_lower() - lower a limit of the calling process for good, before it reads others' files
 * @what: RLIMIT_...
 * @most: limit, if it has no lower one; it cannot raise it again
 *
 * Return: whether the limit is that low now.
 */
bool guard_lower(int what, rlim_t most);

/**
 * symtab_close() - close what symtab_read_elf() has left open
 * @t: table
 */
void symtab_close(struct symtab *t);

/**
 * symtab_build_id() - the build ID of a program or library
 * @fd:   file
 * @id:   filled in
 * @size: bytes of @id
 *
 * Return: its bytes; 0 if it has none, or one that is longer, or pfmon was built
 * without libdw.
 */
uint32_t symtab_build_id(int fd, uint8_t *id, size_t size);

/**
 * symtab_segments() - where the code of a program or library is
 * @fd:      file
 * @segment: filled in
 * @max:     of so many
 *
 * Return: how many there are, at most @max.
 */
size_t symtab_segments(int fd, struct segment *segment, size_t max);

/**
 * symtab_read_kallsyms() - the functions of the kernel
 * @t:    all zeroes
 * @path: /proc/kallsyms
 *
 * Return: 0, or -1 if there are none, or the kernel hides where they are.
 */
int symtab_read_kallsyms(struct symtab *t, const char *path);

/**
 * symtab_add() - add a symbol
 * @t:      table
 * @symbol: copied
 */
void symtab_add(struct symtab *t, const struct symbol *symbol);

/**
 * symtab_add_segment() - add a segment
 * @t:       table
 * @segment: copied
 */
void symtab_add_segment(struct symtab *t, const struct segment *segment);

/**
 * symtab_sort() - make it ready for symtab_find(), when all were added
 * @t: table
 */
void symtab_sort(struct symtab *t);

/**
 * symtab_find() - the symbol at an address
 * @t:    table
 * @addr: address
 *
 * Return: the symbol, or NULL.
 */
struct symbol *symtab_find(const struct symtab *t, uint64_t addr);

/**
 * symtab_extent() - how far a symbol reaches
 * @t:      table
 * @symbol: of symtab_find()
 *
 * Return: bytes: its size, or, if it has none, those up to the next one or the end of its
 * section; 0: not known.
 */
uint64_t symtab_extent(const struct symtab *t, const struct symbol *symbol);

/**
 * symtab_name() - the name of a symbol for reports
 * @symbol: of symtab_find()
 *
 * Return: of text_intern().
 */
const char *symtab_name(struct symbol *symbol);

/**
 * symtab_addr() - the address of a place in the file
 * @t:      table
 * @offset: in the file
 * @addr:   filled in, as symbols have it
 *
 * Return: true, or false if no segment has it.
 */
bool symtab_addr(const struct symtab *t, uint64_t offset, uint64_t *addr);

/**
 * symtab_free() - free what it has
 * @t: table
 */
void symtab_free(struct symtab *t);

#endif /* PFMON_SYMTAB_H */
