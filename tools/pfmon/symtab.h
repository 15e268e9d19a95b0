/* SPDX-License-Identifier: GPL-2.0-only */
/* Symbols: which function is at an address. */
#ifndef PFMON_SYMTAB_H
#define PFMON_SYMTAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct symbol {
	uint64_t addr, size;	/* size 0: up to the next symbol */
	const char *name;	/* of text_intern() */
	const char *module;	/* of the kernel, or NULL */
	int rank;		/* the higher one is taken of several names */
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
};

/* Can symbols be read from binaries? Not if pfmon was built without libelf. */
extern const bool symtab_has_elf;

/**
 * symtab_read_elf() - the functions of a program or library
 * @t:    all zeroes
 * @path: file
 *
 * Return: 0, or -1 if it cannot be read or is none.
 */
int symtab_read_elf(struct symtab *t, const char *path);

/**
 * symtab_build_id() - the build ID of a program or library
 * @fd:   file
 * @id:   filled in
 * @size: bytes of @id
 *
 * Return: its bytes; 0 if it has none, or one that is longer, or pfmon was built
 * without libelf.
 */
uint32_t symtab_build_id(int fd, uint8_t *id, size_t size);

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
const struct symbol *symtab_find(const struct symtab *t, uint64_t addr);

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
