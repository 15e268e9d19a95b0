// SPDX-License-Identifier: GPL-2.0-only
/* The process that reads call frame information, .eh_frame, by elfutils' libdw. */
#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cfi_frame.h"
#include "serve.h"

struct reading {
	Dwarf_CFI *cfi;
	Dwarf_Addr bias;
	const struct cfi_machine *m;
	bool big;
};

/* A frame that is being described. */
struct description {
	const struct cfi_machine *m;
	struct cfi_frame *frame;	/* with room for CFI_OPS */
};

#define RBX		3	/* x86_64 */
#define LR_DWARF	65	/* PowerPC: the number of DWARF ... */
#define LR_PLACE	32	/* ... and where it is in samples */

/* Where a register of DWARF is, CFI_REGS: nowhere. */
static unsigned int place_of(const struct cfi_machine *m, uint64_t reg)
{
	if (m->machine == EM_X86_64 || m->machine == EM_386)
		return reg < m->regs ? (unsigned int)reg : CFI_REGS;
	return reg < LR_PLACE ? (unsigned int)reg : reg == LR_DWARF ? LR_PLACE : CFI_REGS;
}

/* The register of DWARF at a place, -1: there is none. */
static int dwarf_of(const struct cfi_machine *m, unsigned int place)
{
	if (place_of(m, place) == place)
		return (int)place;
	return place == LR_PLACE ? LR_DWARF : -1;
}

static bool add(struct description *d, enum cfi_op_kind kind, unsigned int reg, uint64_t n)
{
	if (d->frame->ops == CFI_OPS || reg == CFI_REGS)
		return false;
	d->frame->op[d->frame->ops++] = (struct cfi_op){ .kind = kind, .reg = reg, .n = n };
	return true;
}

/* What stands for itself. */
static const struct {
	uint8_t atom, kind;
	uint8_t n;
} simple[] = {
	{ DW_OP_call_frame_cfa, CFI_PUSH_CFA, 0 }, { DW_OP_dup, CFI_PICK, 0 },
	{ DW_OP_over, CFI_PICK, 1 }, { DW_OP_drop, CFI_DROP, 0 }, { DW_OP_swap, CFI_SWAP, 0 },
	{ DW_OP_rot, CFI_ROT, 0 }, { DW_OP_not, CFI_NOT, 0 }, { DW_OP_neg, CFI_NEG, 0 },
	{ DW_OP_abs, CFI_ABS, 0 }, { DW_OP_plus, CFI_ADD, 0 }, { DW_OP_minus, CFI_SUB, 0 },
	{ DW_OP_mul, CFI_MUL, 0 }, { DW_OP_and, CFI_AND, 0 }, { DW_OP_or, CFI_OR, 0 },
	{ DW_OP_xor, CFI_XOR, 0 }, { DW_OP_shl, CFI_SHL, 0 }, { DW_OP_shr, CFI_SHR, 0 },
	{ DW_OP_shra, CFI_SHRA, 0 }, { DW_OP_eq, CFI_EQ, 0 }, { DW_OP_ne, CFI_NE, 0 },
	{ DW_OP_ge, CFI_GE, 0 }, { DW_OP_gt, CFI_GT, 0 }, { DW_OP_le, CFI_LE, 0 },
	{ DW_OP_lt, CFI_LT, 0 },
};

static bool add_simple(struct description *d, unsigned int atom)
{
	size_t i;

	for (i = 0; i < sizeof(simple) / sizeof(simple[0]); i++)
		if (simple[i].atom == atom)
			return add(d, simple[i].kind, 0, simple[i].n);
	return false;
}

/* False if it is one that frames do not need: there are no jumps, so there is an end. */
static bool add_op(struct description *d, const Dwarf_Op *op)
{
	if (op->atom >= DW_OP_lit0 && op->atom <= DW_OP_lit31)
		return add(d, CFI_PUSH, 0, op->atom - DW_OP_lit0);
	if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31)
		return add(d, CFI_PUSH_REG, place_of(d->m, op->atom - DW_OP_breg0), op->number);
	if (op->atom >= DW_OP_const1u && op->atom <= DW_OP_consts)
		return add(d, CFI_PUSH, 0, op->number);
	switch (op->atom) {
	case DW_OP_bregx:
		return add(d, CFI_PUSH_REG, place_of(d->m, op->number), op->number2);
	case DW_OP_plus_uconst:
		return add(d, CFI_PUSH, 0, op->number) && add(d, CFI_ADD, 0, 0);
	case DW_OP_pick:
		return add(d, CFI_PICK, 0, op->number);
	case DW_OP_deref:
		return add(d, CFI_LOAD, 0, d->m->bytes);
	case DW_OP_deref_size:
		return add(d, CFI_LOAD, 0, op->number);
	case DW_OP_nop:
		return true;
	}
	return add_simple(d, op->atom);
}

/* A register that another one has. */
static bool is_register(const Dwarf_Op *op, uint64_t *reg)
{
	*reg = op->atom == DW_OP_regx ? op->number : op->atom - (uint64_t)DW_OP_reg0;
	return op->atom == DW_OP_regx || (op->atom >= DW_OP_reg0 && op->atom <= DW_OP_reg31);
}

/* What of an expression cannot be used has no value. */
static void add_rule(struct description *d, struct cfi_rule *rule, enum cfi_rule_kind kind,
		     const Dwarf_Op *op, size_t n)
{
	bool good = n > 0;
	uint64_t reg;
	size_t i;

	rule->first = d->frame->ops;
	if (n && op[n - 1].atom == DW_OP_stack_value) {
		kind = CFI_IS;
		n--;
	}
	if (n == 1 && is_register(op, &reg)) {
		kind = CFI_IS;
		good = add(d, CFI_PUSH_REG, place_of(d->m, reg), 0);
		n = 0;
	}
	for (i = 0; i < n && good; i++)
		good = add_op(d, &op[i]);
	if (!good)
		d->frame->ops = rule->first;
	rule->ops = (uint16_t)(d->frame->ops - rule->first);
	rule->kind = good ? kind : CFI_UNDEFINED;
}

static void add_register(struct description *d, Dwarf_Frame *frame, unsigned int place)
{
	struct cfi_rule *rule = &d->frame->reg[place];
	int reg = dwarf_of(d->m, place);
	Dwarf_Op mem[3], *op;
	size_t n;

	*rule = (struct cfi_rule){ .kind = CFI_UNDEFINED };
	if (reg < 0 || dwarf_frame_register(frame, reg, mem, &op, &n))
		return;
	/* libdw (0.188) takes rax for the register that functions of x86_64 keep, not rbx. */
	if (!n && (!op || (d->m->machine == EM_X86_64 && reg == RBX)))
		rule->kind = CFI_SAME;
	else if (n)
		add_rule(d, rule, CFI_AT, op, n);
}

static bool describe(struct description *d, const struct reading *r, Dwarf_Frame *frame)
{
	Dwarf_Addr start, end;
	bool is_signal;
	unsigned int i;
	Dwarf_Op *op;
	size_t n;
	int back = dwarf_frame_info(frame, &start, &end, &is_signal);

	memset(d->frame, 0, sizeof(*d->frame));
	d->m = r->m;
	if (back < 0 || place_of(r->m, (uint64_t)back) == CFI_REGS ||
	    dwarf_frame_cfa(frame, &op, &n))
		return false;
	d->frame->machine = r->m->machine;
	d->frame->back = (uint16_t)place_of(r->m, (uint64_t)back);
	d->frame->is_signal = is_signal;
	d->frame->big = r->big;
	add_rule(d, &d->frame->cfa, CFI_IS, op, n);
	for (i = 0; i < r->m->regs; i++)
		add_register(d, frame, i);
	return true;
}

static void answer_to(void *arg, uint64_t addr, struct answer *a)
{
	static uint64_t room[sizeof(struct cfi_frame) / sizeof(uint64_t) +
			     CFI_OPS * sizeof(struct cfi_op) / sizeof(uint64_t)];
	struct description d = { .frame = (struct cfi_frame *)room };
	const struct reading *r = arg;
	Dwarf_Frame *frame;

	a->text[0] = '\0';
	a->size = 1;
	if (dwarf_cfi_addrframe(r->cfi, addr - r->bias, &frame))
		return;
	if (describe(&d, r, frame)) {
		a->size = (uint32_t)(sizeof(*d.frame) + d.frame->ops * sizeof(d.frame->op[0]));
		memcpy(a->text, d.frame, a->size);
	}
	free(frame);
}

static bool begin(struct reading *r, const struct symtab *t)
{
	Dwfl_Module *module = serve_begin(t);
	GElf_Ehdr ehdr;
	GElf_Addr bias;
	Elf *elf;

	elf = module ? dwfl_module_getelf(module, &bias) : NULL;
	if (!elf || !gelf_getehdr(elf, &ehdr))
		return false;
	r->m = cfi_machine(ehdr.e_machine);
	r->big = ehdr.e_ident[EI_DATA] == ELFDATA2MSB;
	serve_rest();
	r->cfi = r->m ? dwfl_module_eh_cfi(module, &r->bias) : NULL;
	return r->cfi;
}

void cfi_serve(const struct symtab *t, int fd)
{
	static struct reading r;

	if (!begin(&r, t))
		_exit(1);
	serve_all(fd, answer_to, &r);
}
