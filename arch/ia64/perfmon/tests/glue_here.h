/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perfmon2 on IA-64: glue.c, and the hooks in the kernel's files for the architecture, on
 * the CPUs in memory of regfile.c.
 */
#ifndef _IA64_PERFMON_TESTS_GLUE_HERE_H
#define _IA64_PERFMON_TESTS_GLUE_HERE_H

#include "regfile.h"

/* Current is the test that gives all commands. */
void pfm_glue_init(void);

/* Runs glue.c's boot code for a processor described by @cpu; returns its result. */
int pfm_glue_boot(const struct pfm_ia64_cpu *cpu);

/* An external interrupt of this CPU, whose vector has this number. False: nobody handles it. */
bool pfm_glue_interrupt(unsigned int vector);

/* A command has come from another CPU: the interrupt that brought it is over. */
void pfm_glue_leave(void);

/* As the kernel's irq_work has it, interrupts off. */
void pfm_glue_raise(void);

/*
 * ptrace() gives debug registers to a thread; it executes another program or exits; and its
 * user mask when a signal's handler ends.
 */
bool pfm_glue_debug(struct pfm_itc_thread *t);
bool pfm_glue_is_debugged(const struct pfm_itc_thread *t);
void pfm_glue_debug_end(struct pfm_itc_thread *t);
void pfm_glue_sigreturn(void);
void pfm_glue_sigreturn_while(void (*between)(void));

#endif /* _IA64_PERFMON_TESTS_GLUE_HERE_H */
