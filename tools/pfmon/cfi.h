/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Call frame information: how to find, where a program is, the registers that its caller has.
 * Compilers write it for exceptions and debuggers, so programs without frame pointers have
 * it, too.
 */
#ifndef PFMON_CFI_H
#define PFMON_CFI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "reader.h"

#define CFI_REGS	34	/* of the machine that has most: see <perfmon/calldouble_smpl.h> */

/* Registers of a program, and of its stack what there is. */
struct cfi_state {
	uint16_t machine;	/* EM_... of <elf.h> */
	uint64_t reg[CFI_REGS];	/* in the order of <perfmon/calldouble_smpl.h> */
	uint64_t known;		/* bits: which of them have values */
	uint64_t stack_at;	/* address of ... */
	const unsigned char *stack;
	size_t stack_size;	/* bytes */
	bool cut;		/* something was looked for behind it */
};

/* The machine of a state. */
struct cfi_machine {
	uint16_t machine;
	unsigned int bytes;	/* of an address */
	unsigned int regs;
	unsigned int pc, sp;	/* numbers of registers */
	unsigned int fp;	/* where a frame has the caller's, and then the way back; or CFI_REGS */
};

enum cfi_result {
	CFI_NONE,		/* nothing is known of this place */
	CFI_END,		/* there is no caller, or it cannot be found */
	CFI_CALLER,		/* the state is the caller's */
	CFI_SIGNAL,		/* it is that of what a signal has interrupted */
};

struct cfi;

/**
 * cfi_machine() - what is known of a machine
 * @machine: EM_... of <elf.h>
 *
 * Return: it, or NULL: stacks of that one are not unwound.
 */
const struct cfi_machine *cfi_machine(uint16_t machine);

/**
 * cfi_new() - begin to read the frames of a file
 * @t: its symbols, of symtab_read_fd(), which are there as long as this is
 *
 * Return: for the functions below; NULL if the file has none, or pfmon was built without
 * libdw.
 */
struct cfi *cfi_new(const struct symtab *t);

/**
 * cfi_step() - go to the caller
 * @cfi:   from cfi_new()
 * @addr:  where the program is, or one byte before where a call returns to, as the file's
 *         symbols have it
 * @state: of a machine that cfi_machine() knows; becomes the caller's if there is one
 *
 * Return: see enum cfi_result.
 */
enum cfi_result cfi_step(struct cfi *cfi, uint64_t addr, struct cfi_state *state);

/**
 * cfi_load() - read from the stack
 * @state: has it
 * @big:   the first byte is the highest one
 * @addr:  where
 * @bytes: from 1 to 8
 * @value: filled in
 *
 * Return: true, or false if that is not there.
 */
bool cfi_load(struct cfi_state *state, bool big, uint64_t addr, unsigned int bytes,
	      uint64_t *value);

/**
 * cfi_free() - forget what was read
 * @cfi: from cfi_new(), or NULL
 */
void cfi_free(struct cfi *cfi);

#endif /* PFMON_CFI_H */
