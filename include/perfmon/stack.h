/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perfmon2: what an architecture gives that selects PERFMON_ARCH_STACKS, because Linux
 * does not walk its user stacks, or not in an NMI, or not rightly.
 */
#ifndef _PERFMON_STACK_H
#define _PERFMON_STACK_H

struct pt_regs;

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

#endif /* _PERFMON_STACK_H */
