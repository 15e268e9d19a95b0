// SPDX-License-Identifier: GPL-2.0-only
/*
 * Call frame information, as another process has read it, applied to registers and a copy of
 * the stack. An answer of that process is a frame, or one byte: nothing is known. There are
 * many addresses, and few different frames.
 */
#include <elf.h>
#include <err.h>
#include <stdlib.h>
#include <string.h>

#include "cfi.h"
#include "cfi_frame.h"
#include "keys.h"
#include "require.h"

#define DEPTH		32	/* of the stack that expressions have */
#define ADDRS_MAX	(1U << 20)	/* that are remembered */
#define NOTHING		UINT32_MAX

struct cfi {
	struct reader *reader;	/* NULL: not any more */
	struct keys addrs;	/* that were asked about ... */
	uint32_t *answer;	/* ... and which frame each has, or NOTHING */
	size_t room;
	struct keys frames;
};

static const struct cfi_machine machines[] = {
	{ EM_X86_64, 8, 17, 16, 7, 6 },
	{ EM_386, 4, 9, 8, 4, 5 },
	{ EM_PPC, 4, 34, 33, 1, CFI_REGS },
	{ EM_PPC64, 8, 34, 33, 1, CFI_REGS },
};

const struct cfi_machine *cfi_machine(uint16_t machine)
{
	size_t i;

	for (i = 0; i < sizeof(machines) / sizeof(machines[0]); i++)
		if (machines[i].machine == machine)
			return &machines[i];
	return NULL;
}

struct cfi *cfi_new(const struct symtab *t)
{
	struct reader *reader = reader_new(cfi_serve, t);
	struct cfi *cfi;

	if (!reader)
		return NULL;
	cfi = calloc(1, sizeof(*cfi));
	if (!cfi)
		err(EXIT_PFMON, NULL);
	cfi->reader = reader;
	return cfi;
}

static bool is_sound(const struct cfi_rule *rule, unsigned int ops)
{
	return rule->kind < CFI_RULE_KINDS && rule->first <= ops &&
	       rule->ops <= ops - rule->first;
}

const struct cfi_frame *cfi_parse(const void *answer, size_t size)
{
	const struct cfi_frame *f = answer;
	unsigned int i;

	if (size < sizeof(*f) || f->ops > CFI_OPS ||
	    size != sizeof(*f) + f->ops * sizeof(f->op[0]) || f->back >= CFI_REGS ||
	    !is_sound(&f->cfa, f->ops))
		return NULL;
	for (i = 0; i < CFI_REGS; i++)
		if (!is_sound(&f->reg[i], f->ops))
			return NULL;
	for (i = 0; i < f->ops; i++)
		if (f->op[i].kind >= CFI_OP_KINDS || f->op[i].reg >= CFI_REGS)
			return NULL;
	return f;
}

/* The number of the frame at an address, or NOTHING. */
static uint32_t ask(struct cfi *cfi, uint64_t addr)
{
	const unsigned char *text;
	uint32_t size;

	if (!cfi->reader)
		return NOTHING;
	text = reader_ask(cfi->reader, addr, &size);
	if (!text) {
		reader_free(cfi->reader);
		cfi->reader = NULL;
		return NOTHING;
	}
	return cfi_parse(text, size) ? (uint32_t)keys_number(&cfi->frames, text, size) : NOTHING;
}

static const struct cfi_frame *find_frame(struct cfi *cfi, uint64_t addr)
{
	size_t known = cfi->addrs.n, n;

	if (known == ADDRS_MAX) {
		keys_free(&cfi->addrs);
		known = 0;
	}
	n = keys_number(&cfi->addrs, &addr, sizeof(addr));
	if (n == cfi->room) {
		cfi->room = n ? 2 * n : 64;
		cfi->answer = reallocarray(cfi->answer, cfi->room, sizeof(*cfi->answer));
		if (!cfi->answer)
			err(EXIT_PFMON, NULL);
	}
	if (n == known)
		cfi->answer[n] = ask(cfi, addr);
	return cfi->answer[n] == NOTHING ? NULL : cfi->frames.key[cfi->answer[n]].data;
}

bool cfi_load(struct cfi_state *state, bool big, uint64_t addr, unsigned int bytes,
	      uint64_t *value)
{
	uint64_t at = addr - state->stack_at;
	unsigned int i;

	if (addr < state->stack_at)
		return false;
	if (at > state->stack_size || state->stack_size - at < bytes) {
		state->cut = true;
		return false;
	}
	for (*value = 0, i = 0; i < bytes; i++)
		*value = *value << 8 | state->stack[at + (big ? i : bytes - 1 - i)];
	return true;
}

/* Numbers that an expression computes with. */
struct numbers {
	const struct cfi_machine *m;
	struct cfi_state *state;
	bool big;
	uint64_t cfa;
	bool has_cfa;
	uint64_t value[DEPTH];
	unsigned int n;
};

static uint64_t narrow(const struct cfi_machine *m, uint64_t value)
{
	return m->bytes == 4 ? (uint32_t)value : value;
}

static int64_t with_sign(const struct cfi_machine *m, uint64_t value)
{
	return m->bytes == 4 ? (int32_t)value : (int64_t)value;
}

static bool push(struct numbers *s, uint64_t value)
{
	if (s->n == DEPTH)
		return false;
	s->value[s->n++] = narrow(s->m, value);
	return true;
}

/* What needs nothing on the stack. */
static bool put(struct numbers *s, const struct cfi_op *op)
{
	switch (op->kind) {
	case CFI_PUSH:
		return push(s, op->n);
	case CFI_PUSH_REG:
		return s->state->known >> op->reg & 1 && push(s, op->n + s->state->reg[op->reg]);
	case CFI_PUSH_CFA:
		return s->has_cfa && push(s, s->cfa);
	default:
		return op->n < s->n && push(s, s->value[s->n - 1 - op->n]);
	}
}

/* What changes the number on top, or drops it. */
static bool change(struct numbers *s, const struct cfi_op *op)
{
	uint64_t *b;

	if (!s->n)
		return false;
	b = &s->value[s->n - 1];
	switch (op->kind) {
	case CFI_DROP:
		s->n--;
		break;
	case CFI_LOAD:
		return op->n >= 1 && op->n <= s->m->bytes &&
		       cfi_load(s->state, s->big, *b, (unsigned int)op->n, b);
	case CFI_NOT:
		*b = narrow(s->m, ~*b);
		break;
	case CFI_ABS:
		if (with_sign(s->m, *b) >= 0)
			break;
		/* fallthrough */
	default:
		*b = narrow(s->m, -*b);
		break;
	}
	return true;
}

static bool exchange(struct numbers *s, unsigned int n)
{
	uint64_t top;

	if (s->n < n)
		return false;
	top = s->value[s->n - 1];
	memmove(&s->value[s->n - n + 1], &s->value[s->n - n], (n - 1) * sizeof(top));
	s->value[s->n - n] = top;
	return true;
}

static uint64_t shift_right(const struct cfi_machine *m, uint64_t a, uint64_t b)
{
	int64_t value = with_sign(m, a);

	return (uint64_t)(value >> (b < 63 ? b : 63));
}

static uint64_t combine(const struct cfi_machine *m, uint32_t kind, uint64_t a, uint64_t b)
{
	int64_t x = with_sign(m, a), y = with_sign(m, b);

	switch (kind) {
	case CFI_ADD:
		return a + b;
	case CFI_SUB:
		return a - b;
	case CFI_MUL:
		return a * b;
	case CFI_AND:
		return a & b;
	case CFI_OR:
		return a | b;
	case CFI_XOR:
		return a ^ b;
	case CFI_SHL:
		return b < 64 ? a << b : 0;
	case CFI_SHR:
		return b < 64 ? a >> b : 0;
	case CFI_SHRA:
		return shift_right(m, a, b);
	case CFI_EQ:
		return x == y;
	case CFI_NE:
		return x != y;
	case CFI_GE:
		return x >= y;
	case CFI_GT:
		return x > y;
	case CFI_LE:
		return x <= y;
	default:
		return x < y;
	}
}

static bool execute(struct numbers *s, const struct cfi_op *op)
{
	uint64_t *a;

	if (op->kind <= CFI_PICK)
		return put(s, op);
	if (op->kind == CFI_SWAP || op->kind == CFI_ROT)
		return exchange(s, op->kind == CFI_SWAP ? 2 : 3);
	if (op->kind < CFI_ADD)
		return change(s, op);
	if (s->n < 2)
		return false;
	a = &s->value[s->n - 2];
	*a = narrow(s->m, combine(s->m, op->kind, a[0], a[1]));
	s->n--;
	return true;
}

/* What a rule's operations make. Returns false if that is nothing. */
static bool evaluate(struct numbers *s, const struct cfi_frame *f, const struct cfi_rule *rule,
		     uint64_t *value)
{
	unsigned int i;

	s->n = 0;
	for (i = 0; i < rule->ops; i++)
		if (!execute(s, &f->op[rule->first + i]))
			return false;
	if (!s->n)
		return false;
	*value = s->value[s->n - 1];
	return true;
}

/*
 * A register of the caller. What is below the stack pointer was there: where a function ends
 * it has its caller's registers back, one after the other, and compilers do not say so.
 */
static bool find_register(struct numbers *s, const struct cfi_frame *f, unsigned int reg,
			  uint64_t *value)
{
	const struct cfi_rule *rule = &f->reg[reg];
	bool was_known = s->state->known >> reg & 1;

	if (rule->kind == CFI_SAME)
		return was_known;
	if (rule->kind == CFI_UNDEFINED || !evaluate(s, f, rule, value))
		return false;
	if (rule->kind == CFI_IS)
		return true;
	if (*value >= s->state->stack_at)
		return cfi_load(s->state, s->big, *value, s->m->bytes, value);
	*value = s->state->reg[reg];
	return was_known && reg != f->back;
}

static void find_registers(struct numbers *s, const struct cfi_frame *f, struct cfi_state *next)
{
	unsigned int i;

	next->known = 0;
	for (i = 0; i < s->m->regs; i++)
		next->known |= (uint64_t)find_register(s, f, i, &next->reg[i]) << i;
}

/*
 * A caller's stack begins above that of what it has called: so this comes to an end. Without a
 * frame of its own that is only who has not stored where to return to.
 */
static bool is_above(const struct cfi_machine *m, const struct cfi_frame *f,
		     const struct cfi_state *state, const struct cfi_state *next)
{
	uint64_t sp = state->reg[m->sp], up = next->reg[m->sp];

	return next->known >> m->sp & 1 && (up > sp || (up == sp && f->back != m->pc));
}

enum cfi_result cfi_apply(const struct cfi_frame *f, struct cfi_state *state)
{
	const struct cfi_machine *m = cfi_machine(state->machine);
	struct numbers s = { .m = m, .state = state, .big = f->big };
	struct cfi_state next = *state;

	if (f->machine != state->machine || f->back >= m->regs)
		return CFI_END;
	if (f->cfa.kind != CFI_IS || !evaluate(&s, f, &f->cfa, &s.cfa))
		return CFI_END;
	s.has_cfa = true;
	find_registers(&s, f, &next);
	if (!(next.known >> f->back & 1) || !next.reg[f->back] || !is_above(m, f, state, &next))
		return CFI_END;
	next.reg[m->pc] = next.reg[f->back];
	next.known |= 1ULL << m->pc;
	*state = next;
	return f->is_signal ? CFI_SIGNAL : CFI_CALLER;
}

enum cfi_result cfi_step(struct cfi *cfi, uint64_t addr, struct cfi_state *state)
{
	const struct cfi_frame *f = find_frame(cfi, addr);

	return f ? cfi_apply(f, state) : CFI_NONE;
}

void cfi_free(struct cfi *cfi)
{
	if (!cfi)
		return;
	reader_free(cfi->reader);
	keys_free(&cfi->addrs);
	keys_free(&cfi->frames);
	free(cfi->answer);
	free(cfi);
}
