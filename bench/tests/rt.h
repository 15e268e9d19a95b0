/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the bare-metal tests of the PMU models share
 */
#ifndef PMU_TEST_RT_H
#define PMU_TEST_RT_H

#include "check.h"
#include "../bench-msr.h"

typedef uint32_t u32;
typedef uint64_t u64;

#define GP_FAULT	13

/* start.S */
u32 in_user(void *code, u32 count);
extern char user_loop[], user_rdpmc[];
u32 try_rdmsr(u32 msr, u64 *val);
u32 try_wrmsr(u32 msr, u64 val);
u32 try_rdpmc(u32 index, u64 *val);
void loop_between(u32 msr, u32 on, u32 off, u32 count);
void rep_between(u32 msr, u32 on, u32 off, u32 count);
void spin(u32 count);

/* rt.c */
struct cpuid { u32 eax, ebx, ecx, edx; };
struct cpuid cpuid(u32 leaf);
struct cpuid cpuid_sub(u32 leaf, u32 sub);

/* The counters' interrupt: how many came, and what to do then */
extern volatile u32 nr_pmis;
extern void (*on_pmi)(void);
void lvtpc(u32 val);
u32 lvtpc_read(void);
void apic_eoi(void);
#define LVT_NMI		0x400
#define LVT_VECTOR	0x40
#define LVT_MASKED	0x10000

static inline u64 rdmsr(u32 msr)
{
	u64 val;

	asm volatile("rdmsr" : "=A" (val) : "c" (msr) : "memory");
	return val;
}

static inline void wrmsr(u32 msr, u64 val)
{
	asm volatile("wrmsr" : : "c" (msr), "A" (val) : "memory");
}

static inline u64 rdpmc(u32 index)
{
	u64 val;

	asm volatile("rdpmc" : "=A" (val) : "c" (index) : "memory");
	return val;
}

static inline void set_pce(bool on)
{
	u32 cr4;

	asm volatile("mov %%cr4, %0" : "=r" (cr4));
	cr4 = on ? cr4 | 0x100 : cr4 & ~0x100;
	asm volatile("mov %0, %%cr4" : : "r" (cr4));
}

/* The event select register as of P6 */
#define USR	(1u << 16)
#define OS	(1u << 17)
#define EDGE	(1u << 18)
#define INT	(1u << 20)
#define ANY	(1u << 21)
#define EN	(1u << 22)
#define INV	(1u << 23)
#define CMASK(n) ((u32)(n) << 24)

#endif
