// SPDX-License-Identifier: GPL-2.0-only
/*
 * perfmon2: frames on PowerPC's stacks.
 *
 * Register 1 points to the lowest word of the frame of the function that runs, which is
 * the address of its caller's. A function that calls others saves the link register,
 * where it returns to, in its *caller's* frame, in the second word of 32 bits or the third
 * of 64 (System V ABI, PowerPC Processor Supplement, and 64-bit ELF V2 ABI, "The Stack
 * Frame"). So each frame but the innermost tells where its function goes
 * on, and where its caller's frame is.
 *
 * Of the function that was interrupted the stack does not say whether it has a frame, and
 * whether it has saved the register: one that calls nothing need not do either, and none
 * has done it in its first instructions. Its code says it. In front of it lies a call, a
 * return, or the very instructions that make the frame and save the register; and at each
 * of these it is known what must have been done. The instructions between here and there may
 * undo that: one that removes the frame, or loads the link register.
 */
#include <linux/bits.h>
#include <linux/kernel.h>

#include "frame.h"

/* Instructions that are read at once, and how often that is done. */
#define CODE_WORDS	16
#define CODE_READS	8

/* Where the function that was interrupted returns to: a general register, or one of these. */
enum {
	RET_SAVED = 32,	/* in the caller's frame */
	RET_LINK,	/* in the link register */
};

/*
 * What the function that was interrupted has done. [s]
 *
 * @framed:	it has a frame
 * @ret:	where it returns to: a register, or RET_...
 */
struct frame_state {
	bool framed;
	unsigned int ret;
};

/*
 * What the instructions that were looked at do. [s]
 *
 * @ip:		of the next one
 * @freed:	the frame is removed
 * @ret:	from where the link register is loaded, if @loads
 * @loads:	it is
 * @copies:	general registers that it is copied to
 * @memory:	those that are loaded from memory
 */
struct frame_scan {
	unsigned long ip;
	bool freed;
	bool loads;
	unsigned int ret;
	u32 copies;
	u32 memory;
};

static unsigned int frame_lr(const struct pfm_ppc_stack *stack)
{
	return stack->word == sizeof(u32) ? 4 : 16;
}

static unsigned int insn_rt(u32 insn)
{
	return insn >> 21 & 31;
}

static unsigned int insn_ra(u32 insn)
{
	return insn >> 16 & 31;
}

/*
 * The scan has come to where no frame is and the link register is valid (a return, or the
 * start of the function): what it passed on the way tells what there is now.
 */
static bool frame_undone(const struct frame_scan *scan, struct frame_state *state)
{
	state->framed = scan->freed;
	state->ret = scan->loads ? scan->ret : RET_LINK;
	return true;
}

/* A function that calls has a frame and has saved the register, until it has removed them. */
static bool frame_calls(const struct frame_scan *scan, struct frame_state *state)
{
	if (scan->freed)
		return frame_undone(scan, state);
	state->framed = true;
	state->ret = RET_SAVED;
	return true;
}

/* stw or std of @rs at @offset from register 1: is this what saves the link register? */
static bool frame_saves(const struct pfm_ppc_stack *stack, const struct frame_scan *scan,
			unsigned int rs, long offset, unsigned long size,
			struct frame_state *state)
{
	unsigned long slot = frame_lr(stack);

	if (offset != slot && !(size && offset == size + slot))
		return false;
	if (scan->freed || scan->loads)
		return frame_undone(scan, state);
	state->framed = offset != slot;
	state->ret = scan->copies & BIT(rs) ? RET_LINK : rs;
	return true;
}

/* Opcode 31: mflr, mtlr, and mr to register 1. */
static void frame_moves(struct frame_scan *scan, u32 insn)
{
	const u32 mflr = 0x7c0802a6, mtlr = 0x7c0803a6, or = 0x7c000378;
	const u32 op = insn & ~(31U << 21);

	if (op == mflr) {
		scan->copies |= BIT(insn_rt(insn));
	} else if (op == mtlr) {
		scan->loads = true;
		scan->ret = scan->memory & BIT(insn_rt(insn)) ? RET_SAVED : insn_rt(insn);
	} else if ((insn & 0xfc0007fe) == or && insn_ra(insn) == 1) {
		scan->freed = true;
	}
}

/* lwz or ld: of register 1 from the frame, or of any. */
static void frame_loads(struct frame_scan *scan, u32 insn)
{
	if (insn_rt(insn) == 1)
		scan->freed = true;
	scan->memory |= BIT(insn_rt(insn));
}

/*
 * Look at one instruction. @size is that of the frame that register 1 points to, if there
 * is one, or 0. Returns whether it decides; then @state is valid.
 */
static bool frame_insn(const struct pfm_ppc_stack *stack, struct frame_scan *scan,
		       u32 insn, unsigned long size, struct frame_state *state)
{
	const u32 next_pc = 0x429f0005;		/* bcl 20,31,.+4: no call */
	const bool link = insn & 1;

	switch (insn >> 26) {
	case 14:	/* addi */
		if (insn_rt(insn) == 1)
			scan->freed = true;
		return false;
	case 16:	/* bc */
		return link && insn != next_pc && frame_calls(scan, state);
	case 18:	/* b: it goes on there */
		if (link)
			return frame_calls(scan, state);
		if (insn & 2)
			scan->ip = 0;
		else
			scan->ip += sign_extend32(insn & 0x03fffffc, 25) - 4L;
		return false;
	case 19:
		if ((insn & 0x7fe) == 16 << 1)		/* bclr */
			return link ? frame_calls(scan, state) : frame_undone(scan, state);
		if ((insn & 0x7fe) == 528 << 1) {	/* bcctr: a call, a tail call, a switch */
			if (link)
				return frame_calls(scan, state);
			if (scan->freed || scan->loads)
				return frame_undone(scan, state);
			scan->ip = 0;
		}
		return false;
	case 31:
		frame_moves(scan, insn);
		return false;
	case 32:	/* lwz */
		frame_loads(scan, insn);
		return false;
	case 58:	/* ld */
		if (!(insn & 3))
			frame_loads(scan, insn);
		return false;
	case 36:	/* stw */
		return insn_ra(insn) == 1 &&
		       frame_saves(stack, scan, insn_rt(insn), (s16)insn, size, state);
	case 37:	/* stwu */
		return insn_ra(insn) == 1 && insn_rt(insn) == 1 &&
		       frame_undone(scan, state);
	case 62:	/* std, stdu */
		if (insn_ra(insn) != 1 || insn & 2)
			return false;
		if (insn & 1)
			return insn_rt(insn) == 1 && frame_undone(scan, state);
		return frame_saves(stack, scan, insn_rt(insn), (s16)(insn & ~3), size, state);
	default:
		return false;
	}
}

/*
 * What the function at @ip has done so far. Where its code cannot be read, is too long, or
 * jumps to where a register says, it is taken for one that has a frame and has saved the
 * link register: most have.
 */
static void frame_scan(const struct pfm_ppc_stack *stack, unsigned long ip,
		       unsigned long size, struct frame_state *state)
{
	struct frame_scan scan = { .ip = ip & ~3UL };
	u32 code[CODE_WORDS];
	unsigned int i, reads;

	for (reads = 0; reads < CODE_READS && scan.ip; reads++) {
		/* Up to a multiple of 64 bytes: so no read crosses into another page. */
		unsigned long at = scan.ip;
		unsigned int n = CODE_WORDS - at / 4 % CODE_WORDS;

		if (!stack->code(code, at, n * sizeof(*code)))
			break;
		for (i = 0; i < n && scan.ip == at + 4 * i; i++) {
			/* A prefix (ISA 3.1): the word after it is no instruction. */
			bool prefix = code[i] >> 26 == 1;

			scan.ip += 4;
			if (prefix) {
				scan.ip += 4;
				i++;
			} else if (frame_insn(stack, &scan, code[i], size, state)) {
				return;
			}
		}
	}
	state->framed = true;
	state->ret = RET_SAVED;
}

/* The frame at @sp: @frame->sp, ->back and ->slot. */
static bool frame_read(const struct pfm_ppc_stack *stack, unsigned long sp,
		       struct pfm_ppc_frame *frame)
{
	union {
		u32 word[2];
		u64 dword[3];
	} u;

	if (!sp || sp % (2 * stack->word))
		return false;
	if (stack->word == sizeof(u32)) {
		if (!stack->frame(u.word, sp, sizeof(u.word)))
			return false;
		frame->back = u.word[0];
		frame->slot = u.word[1];
	} else {
		if (!stack->frame(u.dword, sp, sizeof(u.dword)))
			return false;
		frame->back = u.dword[0];
		frame->slot = u.dword[2];
	}
	frame->sp = sp;
	return true;
}

/* Whether the chain goes on in another stack. */
static bool frame_leaves(const struct pfm_ppc_stack *stack, const struct pfm_ppc_frame *frame)
{
	return stack->area && (frame->back ^ frame->sp) & ~(stack->area - 1);
}

/*
 * The frame of its caller, which must lie above it: so no chain runs in a circle on one
 * stack; between stacks the caller's maximum ends it.
 */
static bool frame_up(const struct pfm_ppc_stack *stack, struct pfm_ppc_frame *frame)
{
	if (frame->back <= frame->sp && !frame_leaves(stack, frame))
		return false;
	return frame_read(stack, frame->back, frame);
}

static unsigned long frame_word(const struct pfm_ppc_stack *stack, unsigned long value)
{
	return stack->word == sizeof(u32) ? (u32)value : value;
}

/**
 * pfm_ppc_frame_first() - the caller of the function that was interrupted
 * @stack: how to read it
 * @at:	   where it was interrupted
 * @frame: out: the caller's frame; @frame->ret is in the caller
 *
 * Context: as @stack->frame and @stack->code; these are called 2 and 8 times at most.
 * Return: whether it is known where the function returns to. Its caller's frame may be
 * unknown then: @frame->sp is 0.
 */
bool pfm_ppc_frame_first(const struct pfm_ppc_stack *stack,
			 const struct pfm_ppc_place *at, struct pfm_ppc_frame *frame)
{
	const unsigned long sp = frame_word(stack, at->gpr[1]);
	bool known = frame_read(stack, sp, frame);
	struct frame_state state;

	frame_scan(stack, at->ip, known ? frame->back - sp : 0, &state);
	if (known && state.framed)
		known = frame_up(stack, frame);
	if (!known)
		*frame = (struct pfm_ppc_frame){};
	if (state.ret == RET_SAVED)
		frame->ret = frame->slot;
	else
		frame->ret = frame_word(stack, state.ret == RET_LINK ? at->link :
					       at->gpr[state.ret]);
	return known || state.ret != RET_SAVED;
}

/**
 * pfm_ppc_frame_next() - the caller of the function that has a frame
 * @stack: how to read it
 * @frame: in: the function's frame; out: its caller's, and where that is returned to
 *
 * A function that goes to another stack has a frame on each, and the one on the first is
 * not its caller's.
 *
 * Context: as @stack->frame, which is called twice at most.
 * Return: whether there is one.
 */
bool pfm_ppc_frame_next(const struct pfm_ppc_stack *stack, struct pfm_ppc_frame *frame)
{
	bool leaves = frame_leaves(stack, frame);

	if (!frame->sp || !frame_up(stack, frame) || (leaves && !frame_up(stack, frame)))
		return false;
	frame->ret = frame->slot;
	return true;
}

/**
 * pfm_ppc_frames() - the calls that led to where a program was interrupted
 * @stack: how to read it
 * @at:	   where it was interrupted
 * @ips:   out: @at->ip and return addresses, the innermost first
 * @max:   how many there is room for, at least 1
 *
 * A word that is no address of an instruction ends the walk.
 *
 * Context: as @stack->frame and @stack->code.
 * Return: how many there are.
 */
unsigned int pfm_ppc_frames(const struct pfm_ppc_stack *stack,
			    const struct pfm_ppc_place *at, unsigned long *ips,
			    unsigned int max)
{
	struct pfm_ppc_frame frame;
	unsigned int n = 0;
	bool more;

	ips[n++] = frame_word(stack, at->ip);
	if (n == max)
		return n;
	more = pfm_ppc_frame_first(stack, at, &frame);
	while (more && frame.ret && !(frame.ret & 3)) {
		ips[n++] = frame.ret;
		more = n < max && pfm_ppc_frame_next(stack, &frame);
	}
	return n;
}
