/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perfmon2 on x86: what the families and the glue share. The keys of fields, as [c],
 * are those of kernel/perfmon/pfm.h.
 *
 * A family is one file. Its one function looks at the facts about a CPU and
 * returns the description of that CPU's PMU, or NULL if it has none of the
 * family's. Some descriptions are constant, others made for the CPU: kfree_const()
 * is right for all. The function touches no register: the unit tests ask it about
 * processors that are not there.
 */
#ifndef _X86_PERFMON_X86_H
#define _X86_PERFMON_X86_H

#include <linux/init.h>
#include <linux/percpu.h>
#include <linux/types.h>
#include <asm/msr.h>
#include <perfmon/pmu.h>

#include "compat.h"

/* In IA32_PERF_CAPABILITIES: counters can be written in full, at other addresses. */
#define PFM_X86_FULL_WRITE	BIT_ULL(13)

/**
 * struct pfm_x86_cpu - the facts that tell PMUs apart [c]
 * @vendor:       X86_VENDOR_...
 * @family:       as displayed: extended family included
 * @model:        likewise
 * @leaf_a:       CPUID 0xa: eax, ebx, ecx, edx; 0 if there is no such leaf
 * @perf_cap:     IA32_PERF_CAPABILITIES, 0 if there is no such register
 * @amd_core:     CPUID 0x80000001 ecx bit 23: six pairs at 0xc0010200
 * @amd_v2:       CPUID 0x80000022 eax bit 0: global registers
 * @amd_counters: CPUID 0x80000022 ebx bits 0-3, 0 if there is no such leaf
 * @mmx:          has MMX
 * @tsc:          the kernel uses the TSC
 * @stepping:     likewise
 * @hypervisor:   it is a virtual one
 * @no_rdpmc:     RDPMC does not say what RDMSR says
 * @tsx_force_abort: the microcode uses counter 3 for TSX
 * @hybrid:       its CPUs differ; these are the facts that are true of all
 * @extra:        bit n: pfm_x86_extra_msr(n) is there and holds what is written
 * @lbr:          the registers of the last branches are there and hold what is written
 * @rdtsc_may_hang: the administrator accepts a WinChip C6 that may hang
 * @no_emon:      a Pentium 4 says that it counts nothing
 * @threads:      logical CPUs of a core
 */
struct pfm_x86_cpu {
	u8 vendor;
	u8 family;
	u8 model;
	u8 stepping;
	u32 leaf_a[4];
	u64 perf_cap;
	bool amd_core;
	bool amd_v2;
	u8 amd_counters;
	bool mmx;
	bool tsc;
	bool hypervisor;
	bool no_rdpmc;
	bool tsx_force_abort;
	bool hybrid;
	u8 extra;
	bool lbr;
	bool rdtsc_may_hang;
	bool no_emon;
	u8 threads;
};

const struct pfm_pmu *pfm_intel_describe(const struct pfm_x86_cpu *cpu);
void pfm_intel_rewrite(const struct pfm_pmu *pmu, u64 overflowed);
const struct pfm_pmu *pfm_p6_describe(const struct pfm_x86_cpu *cpu);
const struct pfm_pmu *pfm_p4_describe(const struct pfm_x86_cpu *cpu);
const struct pfm_pmu *pfm_p5_describe(const struct pfm_x86_cpu *cpu);
const struct pfm_pmu *pfm_centaur_describe(const struct pfm_x86_cpu *cpu);
const struct pfm_pmu *pfm_amd_describe(const struct pfm_x86_cpu *cpu);

/* At boot: what only these families ask this machine. */
void pfm_p4_facts(struct pfm_x86_cpu *cpu);
void pfm_centaur_facts(struct pfm_x86_cpu *cpu);

/* Bits of the event select registers of P6, Intel's architectural PMU and AMD. */
#define PFM_X86_USR		BIT_ULL(16)
#define PFM_X86_OS		BIT_ULL(17)
#define PFM_X86_EDGE		BIT_ULL(18)
#define PFM_X86_PC		BIT_ULL(19)
#define PFM_X86_INT		BIT_ULL(20)
#define PFM_X86_ANY		BIT_ULL(21)
#define PFM_X86_EN		BIT_ULL(22)
#define PFM_X86_INV		BIT_ULL(23)

/* Linux knows of CPUs that do not like a counter with one event left. */
#define PFM_X86_MIN_PERIOD	2

#define PFM_X86_MSR		.type = PFM_REG_TYPE_MSR

/*
 * All accesses to the PMU go by these. With the unit tests in the kernel they
 * can be diverted to a register file in memory.
 */
#ifdef CONFIG_PERFMON_KUNIT_TEST
/* [c] */
struct pfm_x86_file {
	u64 (*read)(u32 msr);
	void (*write)(u32 msr, u64 value);
	void (*route)(void);	/* LVTPC is written, not masked */
	bool (*faulted)(void);	/* the last access did; it is forgotten */
};
extern const struct pfm_x86_file *pfm_x86_file;
#define pfm_x86_diverted()	unlikely(pfm_x86_file)
#define pfm_x86_file_read(msr)	(pfm_x86_file->read(msr))
#define pfm_x86_file_write(msr, v) (pfm_x86_file->write(msr, v))
#define pfm_x86_file_route()	(pfm_x86_file->route())
#define pfm_x86_file_faulted()	(pfm_x86_file->faulted())
/* At boot, as the unit tests. */
#define __pfm_x86_init
#else
#define pfm_x86_diverted()	false
#define pfm_x86_file_read(msr)	0ULL
#define pfm_x86_file_write(msr, v) do { } while (0)
#define pfm_x86_file_route()	do { } while (0)
#define pfm_x86_file_faulted()	false
#define __pfm_x86_init		__init
#endif

static inline u64 pfm_x86_read(u32 msr)
{
	if (pfm_x86_diverted())
		return pfm_x86_file_read(msr);
	return __rdmsr(msr);
}

static inline void pfm_x86_write(u32 msr, u64 value)
{
	if (pfm_x86_diverted())
		pfm_x86_file_write(msr, value);
	else
		__wrmsrq(msr, value);
}

/* Counter @msr by RDPMC number @n: cheaper than RDMSR. */
static inline u64 pfm_x86_rdpmc(u32 n, u32 msr)
{
	if (pfm_x86_diverted())
		return pfm_x86_file_read(msr);
	return native_read_pmc(n);
}

/* extra.c: Intel's registers for off-core requests, latencies, the front end */
#define PFM_X86_EXTRA		4
u32 pfm_x86_extra_msr(unsigned int i);
u64 pfm_x86_extra_valid(const struct pfm_x86_cpu *cpu, unsigned int i);

/* lbr.c: the last branches. PMC and PMD numbers; FROM and TO alternate, TOS is last. */
#define PFM_LBR_PAIRS		16
#define PFM_LBR_PMDS		(2 * PFM_LBR_PAIRS + 1)
#define PFM_LBR_PMC		36
#define PFM_LBR_PMD		32
extern const struct pfm_pmc_desc pfm_lbr_pmc;
extern const struct pfm_pmd_desc pfm_lbr_pmds[PFM_LBR_PMDS];
bool pfm_lbr_is_known(const struct pfm_x86_cpu *cpu);
bool pfm_lbr_selects(u64 value);
bool pfm_lbr_kernel(u64 value);
void pfm_lbr_start(u64 select);
void pfm_lbr_stop(void);
void pfm_lbr_reset(void);
u64 pfm_lbr_read(u32 msr);

/* cpus.c */
bool pfm_x86_is_nehalem(const struct pfm_x86_cpu *cpu);
void pfm_x86_common(struct pfm_x86_cpu *all, const struct pfm_x86_cpu *one);
bool pfm_x86_lacks(const struct pfm_x86_cpu *all, const struct pfm_x86_cpu *one);
void pfm_x86_facts(struct pfm_x86_cpu *cpu);
int pfm_x86_watch(const struct pfm_x86_cpu *all);
void pfm_x86_unwatch(void);

/* probe.c */
bool pfm_x86_is_real(const struct pfm_pmu *pmu, const struct pfm_x86_cpu *cpu);
bool pfm_x86_has_rdpmc(const struct pfm_pmu *pmu);
int pfm_x86_try_rdpmc(u32 n, u64 *value);
u8 pfm_x86_find_extra(const struct pfm_x86_cpu *cpu);
bool pfm_x86_find_lbr(const struct pfm_x86_cpu *cpu);

/* glue.c */
int pfm_x86_acquire(u32 ctr, u32 ctr_step, u32 sel, u32 sel_step, unsigned int n);
void pfm_x86_release(u32 ctr, u32 ctr_step, u32 sel, u32 sel_step, unsigned int n);
/**
 * struct pfm_x86_lvtpc - the local APIC's entry of a CPU [p]
 * @masked:     an overflow interrupt has masked it: the next start of counters unmasks it
 * @pmu:        whose that was
 * @goes_on:    some counters went on: what looks at them in a moment stops and starts them.
 *              Otherwise, if none has started by the end of the NMI, that unmasks the entry
 * @overflowed: the counters' bits in the global status then
 */
struct pfm_x86_lvtpc {
	bool masked;
	bool goes_on;
	const struct pfm_pmu *pmu;
	u64 overflowed;
};
DECLARE_PER_CPU(struct pfm_x86_lvtpc, pfm_x86_lvtpc);
void pfm_x86_route(void);
int pfm_x86_nmi(unsigned int type, struct pt_regs *regs);
bool pfm_x86_acknowledge(const struct pfm_pmu *pmu, const struct pfm_run *run);

#endif /* _X86_PERFMON_X86_H */
