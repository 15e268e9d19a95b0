/* SPDX-License-Identifier: GPL-2.0-only */
/* Frames as the process that reads call frame information hands them to cfi.c. */
#ifndef PFMON_CFI_FRAME_H
#define PFMON_CFI_FRAME_H

#include "cfi.h"

#define CFI_OPS		256	/* of all rules of a frame together, at most */

/* What is done with a stack of numbers; those on top are a and, above it, b. */
enum cfi_op_kind {
	CFI_PUSH,		/* n */
	CFI_PUSH_REG,		/* n + the register */
	CFI_PUSH_CFA,
	CFI_PICK,		/* what is n below the top */
	CFI_DROP, CFI_SWAP, CFI_ROT,
	CFI_LOAD,		/* n bytes at address b */
	CFI_NOT, CFI_NEG, CFI_ABS,	/* of b */
	CFI_ADD, CFI_SUB, CFI_MUL, CFI_AND, CFI_OR, CFI_XOR, CFI_SHL, CFI_SHR, CFI_SHRA,
	CFI_EQ, CFI_NE, CFI_GE, CFI_GT, CFI_LE, CFI_LT,
	CFI_OP_KINDS
};

struct cfi_op {
	uint32_t kind;		/* enum cfi_op_kind */
	uint32_t reg;
	uint64_t n;
};

enum cfi_rule_kind {
	CFI_SAME,		/* it is what it was */
	CFI_UNDEFINED,		/* nobody knows */
	CFI_AT,			/* it is at the address that the operations leave on top */
	CFI_IS,			/* it is that itself */
	CFI_RULE_KINDS
};

struct cfi_rule {
	uint16_t kind;		/* enum cfi_rule_kind */
	uint16_t first, ops;	/* its operations */
};

/* Without padding: frames are compared byte by byte. */
struct cfi_frame {
	uint16_t machine;	/* EM_... */
	uint16_t back;		/* the register that has where the caller goes on */
	uint16_t is_signal;	/* it is what a signal's handler returns to */
	uint16_t big;		/* the first byte of a number is the highest one */
	uint16_t ops;
	struct cfi_rule cfa;	/* the address that the other rules begin with */
	struct cfi_rule reg[CFI_REGS];
	uint16_t pad[2];
	struct cfi_op op[];
};

_Static_assert(sizeof(struct cfi_frame) == 2 * (7 + 3 * (1 + CFI_REGS)), "no padding");

/**
 * cfi_parse() - is this a frame?
 * @answer: aligned to 8
 * @size:   bytes
 *
 * Return: it, or NULL.
 */
const struct cfi_frame *cfi_parse(const void *answer, size_t size);

/**
 * cfi_apply() - go to the caller of a frame
 * @frame: of cfi_parse()
 * @state: likewise as of cfi_step()
 *
 * Return: CFI_CALLER, CFI_SIGNAL or CFI_END.
 */
enum cfi_result cfi_apply(const struct cfi_frame *frame, struct cfi_state *state);

/**
 * cfi_serve() - answer questions until there are no more, and end
 * @t:  symbols of the file, as the process that asks has read them
 * @fd: where the questions come from, and the answers go to
 */
void __attribute__((noreturn)) cfi_serve(const struct symtab *t, int fd);

#endif /* PFMON_CFI_FRAME_H */
