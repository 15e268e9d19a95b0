/* SPDX-License-Identifier: GPL-2.0-only */
/* The calls of a program, by its registers and what a sample has kept of its stack. */
#ifndef PFMON_UNWIND_H
#define PFMON_UNWIND_H

#include <perfmon/pmon_smpl.h>

#include "space.h"

#define UNWIND_MAX	256	/* calls of the program, the innermost remain */

/**
 * unwind() - find the calls that have led there
 * @space:  after space_complete()
 * @sample: whose process it is, and when
 * @user:   its registers and stack; nothing in it is believed
 * @chain:  filled in: where the program was, and return addresses, the innermost first
 * @cut:    set if there were more, above what was kept of the stack
 *
 * Return: how many, or 0 if this pfmon cannot unwind the stacks of this machine.
 */
unsigned int unwind(struct space *space, const struct pmon_sample *sample,
		    const struct pmon_user *user, uint64_t chain[UNWIND_MAX], bool *cut);

#endif /* PFMON_UNWIND_H */
