/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perfmon2: what an architecture gives that selects PERFMON_ARCH_STACKS, because Linux
 * does not walk its user stacks, or not in an NMI, or not rightly.
 */
#ifndef _PERFMON_STACK_H
#define _PERFMON_STACK_H

struct pt_regs;

unsigned int pfm_arch_stack_kernel(const struct pt_regs *regs, unsigned long *ips,
				   unsigned int max);
unsigned int pfm_arch_stack_user(const struct pt_regs *regs, unsigned long *ips,
				 unsigned int max);

#endif /* _PERFMON_STACK_H */
