/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perfmon2: frames on PowerPC's stacks. The keys of fields, as [c], are in pfm.h.
 */
#ifndef _PERFMON_PPC_FRAME_H
#define _PERFMON_PPC_FRAME_H

#include <linux/types.h>

/*
 * Copies @size bytes at @from to @to: up to 24 of a frame, or 64 of instructions. Returns false
 * if they cannot be read.
 */
typedef bool pfm_ppc_read_fn(void *to, unsigned long from, size_t size);

/**
 * struct pfm_ppc_stack - how a stack, and the code that runs on it, is read [c]
 * @frame:  copies from a stack; false, too, where no stack is
 * @code:   copies instructions
 * @word:   bytes of a word, 4 or 8
 * @area:   bytes of a stack, a power of two at multiples of which it begins, if a chain
 *	    may go on in another stack below it; 0 if it may not
 */
struct pfm_ppc_stack {
	pfm_ppc_read_fn *frame;
	pfm_ppc_read_fn *code;
	unsigned int word;
	unsigned long area;
};

/**
 * struct pfm_ppc_place - where a program is [s]
 * @ip:   the next instruction
 * @link: the link register
 * @gpr:  the 32 registers, of which 1 is the stack pointer
 */
struct pfm_ppc_place {
	unsigned long ip;
	unsigned long link;
	const unsigned long *gpr;
};

/**
 * struct pfm_ppc_frame - the frame of a function that has called another one [s]
 * @sp:   its address; 0 if it is not known
 * @back: the address of its caller's frame, as it stands there
 * @slot: the word of it in which the functions that it calls save where they return to: valid
 *        if the last one that it has called has saved that
 * @ret:  the address in this function to which its callee returns
 */
struct pfm_ppc_frame {
	unsigned long sp;
	unsigned long back;
	unsigned long slot;
	unsigned long ret;
};

bool pfm_ppc_frame_first(const struct pfm_ppc_stack *stack,
			 const struct pfm_ppc_place *at, struct pfm_ppc_frame *frame);
bool pfm_ppc_frame_next(const struct pfm_ppc_stack *stack, struct pfm_ppc_frame *frame);
unsigned int pfm_ppc_frames(const struct pfm_ppc_stack *stack,
			    const struct pfm_ppc_place *at, unsigned long *ips,
			    unsigned int max);

#endif /* _PERFMON_PPC_FRAME_H */
