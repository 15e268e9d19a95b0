/* SPDX-License-Identifier: GPL-2.0-only */
/* The functions of the kernel and its modules. */
#ifndef PFMON_KERNEL_H
#define PFMON_KERNEL_H

#include "data_read.h"

#define KERNEL	"[kernel]"

struct kernel;

/**
 * kernel_new() - begin without modules
 * @header: of the data file
 * @root:   in front of /proc and /sys: ""; tests have others
 *
 * Return: for the functions below.
 */
struct kernel *kernel_new(const struct df_header *header, const char *root);

/**
 * kernel_add_module() - a module that was loaded during the recording
 * @kernel: from kernel_new()
 * @module: of the data file
 */
void kernel_add_module(struct kernel *kernel, const struct data_module *module);

/**
 * kernel_add_symbols() - names of functions that the recording has kept
 * @kernel: from kernel_new()
 * @s:      of the data file
 */
void kernel_add_symbols(struct kernel *kernel, const struct data_symbols *s);

/* What is at an address; strings are those of text_intern(). */
struct kernel_place {
	const char *binary;	/* KERNEL, or "[MODULE]" */
	const char *symbol;	/* NULL: not known */
	uint64_t offset;	/* in the symbol */
	uint64_t size;		/* of the symbol, 0: not known */
	bool changed;		/* there is another module now, or was then */
};

/**
 * kernel_find() - what is at an address
 * @kernel: from kernel_new(), all modules were added
 * @addr:   address
 * @place:  filled in
 */
void kernel_find(struct kernel *kernel, uint64_t addr, struct kernel_place *place);

/**
 * kernel_note() - what keeps names from being found
 * @kernel: from kernel_new()
 *
 * Return: a sentence, or NULL.
 */
const char *kernel_note(const struct kernel *kernel);

/**
 * kernel_free() - free what it has
 * @kernel: from kernel_new()
 */
void kernel_free(struct kernel *kernel);

#endif /* PFMON_KERNEL_H */
