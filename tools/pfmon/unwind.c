// SPDX-License-Identifier: GPL-2.0-only
/*
 * From the innermost call outwards, by the call frame information of each file. What has none,
 * as code that a process has made, or assembly, may keep frame pointers. Each step goes up the
 * stack, of which there are some KB, so that no stack can make a chain without an end.
 */
#include <string.h>

#include "symtab.h"
#include "unwind.h"

static bool begin(struct cfi_state *state, const struct pmon_user *user)
{
	const struct cfi_machine *m = cfi_machine(user->machine);

	if (!m || !symtab_has_elf || user->regs < m->regs)
		return false;
	*state = (struct cfi_state){
		.machine = user->machine, .known = (1ULL << m->regs) - 1,
		.stack = user->stack, .stack_size = user->stack_size,
	};
	memcpy(state->reg, user->reg, m->regs * sizeof(*state->reg));
	state->stack_at = state->reg[m->sp];
	return true;
}

/* Where the frame pointer points to is that of the caller, and then where it goes on. */
static enum cfi_result step_by_pointer(const struct cfi_machine *m, struct cfi_state *state)
{
	uint64_t at, fp, pc;

	if (m->fp == CFI_REGS || !(state->known >> m->fp & 1))
		return CFI_END;
	at = state->reg[m->fp];
	if (at < state->reg[m->sp] || !cfi_load(state, false, at, m->bytes, &fp) ||
	    !cfi_load(state, false, at + m->bytes, m->bytes, &pc))
		return CFI_END;
	state->reg[m->fp] = fp;
	state->reg[m->sp] = at + 2 * m->bytes;
	state->reg[m->pc] = pc;
	state->known = 1ULL << m->fp | 1ULL << m->sp | 1ULL << m->pc;
	return CFI_CALLER;
}

unsigned int unwind(struct space *space, const struct pmon_sample *sample,
		    const struct pmon_user *user, uint64_t chain[UNWIND_MAX], bool *cut)
{
	enum cfi_result step = CFI_SIGNAL;
	struct pmon_sample at = *sample;
	const struct cfi_machine *m;
	struct cfi_state state;
	unsigned int n = 0;

	if (!begin(&state, user))
		return 0;
	m = cfi_machine(user->machine);
	while (n < UNWIND_MAX) {
		/* A return address is behind the call, which can be the next function. */
		at.ip = state.reg[m->pc] - (step == CFI_CALLER);
		if (n && !space_is_code(space, &at))
			break;
		chain[n++] = state.reg[m->pc];
		step = space_step(space, &at, &state);
		if (step == CFI_NONE)
			step = step_by_pointer(m, &state);
		if (step == CFI_END)
			break;
	}
	*cut |= step == CFI_END && state.cut;
	return n;
}
