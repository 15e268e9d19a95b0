/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the bare-metal tests of PowerPC's PMU models share
 */
#ifndef PPC_PMU_TEST_RT_H
#define PPC_PMU_TEST_RT_H

#include "../check.h"
#include "../../bench-spr.h"

typedef uint32_t u32;
typedef unsigned long word;	/* a register */

/* Vectors */
#define PROGRAM		7
#define DECREMENTER	9
#define SYSTEM_CALL	0xc
#define PMI		0xf

#define MSR_EE		0x8000
#define MSR_PR		0x4000
#define MSR_PM		0x0004

struct frame {
	word r[32];
	word number, srr0, srr1, cr, lr, ctr, xer;
};

/* start.S, start-power.S */
void loop_between(word on, word off, word count);
void interrupted(word on, word msr, word count);
void spin(word count);
word hypercall(word number, word a, word b, word c, word d);
/* start.S alone */
u32 in_user(void *code, u32 count, u32 msr);
extern char user_loop[], user_read[], user_write[], user_mirror[], user_return[];
void branches_between(u32 on, u32 off);
void trap_between(u32 on, u32 off);

/* rt.c */
/* The counters' interrupt: how many came, where, and what to do then */
extern volatile u32 nr_pmis, nr_decrementers, nr_programs;
extern volatile word pmi_at;
extern void (*on_pmi)(void);
extern volatile u32 seen_by_user;
/* Program exceptions are skipped, and counted. */
extern bool skip_programs;

#define mfspr(n) ({							\
	word val_;							\
	asm volatile("mfspr %0, %1" : "=r" (val_) : "n" (n) : "memory");	\
	val_;								\
})

#define mtspr(n, val)							\
	asm volatile("mtspr %0, %1" : : "n" (n), "r" ((word)(val)) : "memory")

static inline word mfmsr(void)
{
	word msr;

	asm volatile("mfmsr %0" : "=r" (msr) : : "memory");
	return msr;
}

static inline void mtmsr(word msr)
{
#ifdef __powerpc64__
	asm volatile("mtmsrd %0" : : "r" (msr) : "memory");
#else
	asm volatile("mtmsr %0" : : "r" (msr) : "memory");
#endif
}

#endif
