/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perfmon2: what an architecture's glue, the code between the kernel's interrupts and a
 * description of a PMU, calls in the core; and what the module calls in the glue. A
 * description needs none of it.
 */
#ifndef _PERFMON_GLUE_H
#define _PERFMON_GLUE_H

#include <linux/types.h>

struct pt_regs;

/*
 * The overflow interrupt. NMI, or an interrupt
 * that nothing of ours can interrupt; @regs are those of the interrupted code.
 * False if it was not ours.
 */
bool pfm_interrupt_handle(struct pt_regs *regs);

/* False if the interrupt was ours but came too late: it was not acknowledged. */
bool pfm_hw_is_here(void);

/* This CPU, the last one that runs, sleeps and loses its registers, and wakes. */
void pfm_sleep_suspend(void);
void pfm_sleep_resume(void);

/* Undoes what the glue did at boot, of an architecture whose core can be a module. */
void pfm_arch_exit(void);

#endif /* _PERFMON_GLUE_H */
