/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perfmon2: the walks of stacks that an architecture gives, because Linux has none for
 * them, or none for an NMI, or a wrong one. An architecture includes this, and the core.
 */
#ifndef _PERFMON_STACK_H
#define _PERFMON_STACK_H

#include <linux/types.h>

struct pt_regs;

/* The first two of these are of an architecture that selects PERFMON_ARCH_STACKS. */

/*
 * The calls in the kernel that led to @regs, which are the kernel's, of current on this CPU:
 * their addresses to @ips, which has room for @max (at least 1), the innermost first.
 * Returns how many there are. Any context, NMI too: takes no lock, does not fault.
 */
unsigned int pfm_arch_stack_kernel(const struct pt_regs *regs, unsigned long *ips,
				   unsigned int max);
/*
 * The same of the calls in the program that current runs, which is at @regs. current has an
 * address space; reads its memory only if that is present.
 */
unsigned int pfm_arch_stack_user(const struct pt_regs *regs, unsigned long *ips,
				 unsigned int max);

/*
 * As pfm_arch_stack_user(), of an architecture whose user stacks Linux walks, for those
 * programs whose frames are not like the kernel's: those of 32 bits under a kernel of 64.
 * Returns 0 for all other programs.
 */
unsigned int pfm_arch_stack_foreign(const struct pt_regs *regs, unsigned long *ips,
				    unsigned int max);

/*
 * Where current, on whose stack this is called in the scheduler, has called it: the
 * instruction after that to @regs, with the stack pointer and the frame pointer as they are
 * there, and what user_mode() asks for. Writes nothing else to @regs. Returns false if that is not
 * known. Any context with interrupts off, but NMI.
 */
bool pfm_arch_stack_switch(struct pt_regs *regs);

struct pfm_user_state;

/*
 * How many registers pfm_arch_user_state() gives at most, PFM_SAMPLE_USER_REGS or less; 0 if
 * the architecture has none to give. Any context.
 */
unsigned int pfm_arch_user_state_max(void);

/*
 * The registers of the program that current runs: @regs, all of user level, to @to in the
 * order of <perfmon/calldouble_smpl.h>; what they are to @state. @hit is what an interrupt on
 * this CPU found, of user level or the kernel's, or NULL: where the kernel was about to enter
 * or to leave user level, it may have written over @regs. Returns how many there are, 0 if
 * they cannot be trusted. Any context, NMI too.
 */
unsigned int pfm_arch_user_state(const struct pt_regs *regs, const struct pt_regs *hit,
				 u64 *to, struct pfm_user_state *state);

#endif /* _PERFMON_STACK_H */
