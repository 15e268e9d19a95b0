/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perfmon2 on IA-64: CPUs in memory, as far as monitoring goes: registers, psr, dcr,
 * levels, interruptions. They know what counts when, and complain (pfm_itc_faults()) where
 * silicon would do something else than what the driver seems to think. What a test does
 * is done on the CPU where the test runs, which has to stay there.
 */
#ifndef _IA64_PERFMON_TESTS_REGFILE_H
#define _IA64_PERFMON_TESTS_REGFILE_H

#include <kunit/test.h>

#include "../ia64.h"

/* What happens to a thread at a level: every event that any counter can be told to count. */
#define ITC_LEVEL_USER	3
#define ITC_LEVEL_KERNEL 0

enum pfm_itc_kind { ITC_ITANIUM, ITC_ITANIUM2, ITC_MONTECITO, ITC_GENERIC, ITC_KINDS };

/* A thread; its task is what the driver sees of it. */
struct pfm_itc_thread {
	struct task_struct *task;
	u64 user_psr;
	bool is_call;
	u64 um;			/* of its signal handler's struct sigcontext */
};

enum { ITC_IDLE, ITC_KTHREAD, ITC_USER, ITC_USER_2, ITC_IDLE_2, ITC_THREADS };

extern const char *const pfm_itc_names[ITC_KINDS];

/*
 * Until the end of the test the driver reaches these registers, and glue.c, where another
 * file of accesses was, does not. This CPU runs the first thread of a program at user level,
 * the others are idle.
 */
void pfm_itc_make(struct kunit *test, enum pfm_itc_kind kind);
void pfm_itc_exit(struct kunit *test);
const struct pfm_pmu *pfm_itc_describe(enum pfm_itc_kind kind);

/* Have the driver go by glue.c again, whose instructions glue_here.c leads to the same CPUs. */
void pfm_itc_use_glue(void);
extern const struct pfm_ia64_file pfm_itc_file;

struct pfm_itc_thread *pfm_itc_thread(unsigned int n);
void pfm_itc_new_thread(struct pfm_itc_thread *t);
bool pfm_itc_stays(const struct pfm_itc_thread *t);	/* never at user level */
struct pfm_itc_thread *pfm_itc_current(void);
void pfm_itc_set_current(struct pfm_itc_thread *t);

/* @n of event @es happen at the level that the CPU is at. */
void pfm_itc_count(unsigned int es, u64 n);

/* The ways to and from level 0. An interruption in level 0 nests once. */
void pfm_itc_break(void);	/* a system call by an interruption */
void pfm_itc_epc(void);		/* ... without */
void pfm_itc_return(void);	/* from either */
void pfm_itc_fsys(void);	/* a light-weight one, on the user's stacks: psr stays where it is */
void pfm_itc_fsys_return(void);
void pfm_itc_interrupt(void);	/* begins an external one */
void pfm_itc_rfi(void);		/* ends it */

/* What programs can do at level 3. */
u64 pfm_itc_mov_pmd(unsigned int n);
void pfm_itc_sum(void);
void pfm_itc_rum(void);
void pfm_itc_signal(void);
void pfm_itc_sigreturn(void);

/* As the hardware, without rules: for the test. */
u64 pfm_itc_get(enum pfm_ia64_space space, unsigned int n);
void pfm_itc_set(enum pfm_ia64_space space, unsigned int n, u64 value);
bool pfm_itc_has(enum pfm_ia64_space space, unsigned int n);
u64 pfm_itc_psr(void);
u64 pfm_itc_dcr(void);
bool pfm_itc_pending(void);	/* the interrupt; taken by this */
bool pfm_itc_routed(void);
unsigned int pfm_itc_vector(void);	/* of pmv */
void pfm_itc_ranges(bool may);	/* debug registers may be written */

/* Instructions of glue.c that pfm_itc_file has not: moves, and interrupts for a CPU. */
enum pfm_itc_reg { ITC_PSR, ITC_PSR_L, ITC_DCR, ITC_PMV };

u64 pfm_itc_getreg(enum pfm_itc_reg reg);
void pfm_itc_setreg(enum pfm_itc_reg reg, u64 value);
void pfm_itc_send(unsigned int cpu, unsigned int vector);
unsigned int pfm_itc_sent(void);	/* the pending vector, 0 if none; cleared by the call */

/* Since the last call. */
unsigned int pfm_itc_faults(void);
unsigned int pfm_itc_writes(void);

#endif /* _IA64_PERFMON_TESTS_REGFILE_H */
