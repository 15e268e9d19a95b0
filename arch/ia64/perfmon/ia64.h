/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perfmon2 on IA-64: what the families share. The keys of fields, as [c], are those of
 * kernel/perfmon/pfm.h.
 *
 * A family is one file: tables, and which values use debug registers. Its one function
 * looks at the facts about a CPU and returns the description of that CPU's PMU, or NULL.
 * What operations do is the same for all of them: state.c. No other file but glue.c
 * includes a header of the architecture: the unit tests run on others, too.
 */
#ifndef _IA64_PERFMON_IA64_H
#define _IA64_PERFMON_IA64_H

#include <linux/bits.h>
#include <linux/container_of.h>
#include <linux/types.h>
#include <perfmon/ia64.h>
#include <perfmon/pmu_rules.h>

/**
 * struct pfm_ia64_cpu - the facts that tell PMUs apart [c]
 * @family: CPUID register 3, bits 31:24
 * @model:  bits 23:16
 * @known:  PAL_PERF_MON_INFO has said what follows
 * @counters: from PMC and PMD 4 on
 * @width:  of a counter, in bits
 * @pmcs:   bit n: PMC n is there
 * @pmds:   bit n: PMD n is
 */
struct pfm_ia64_cpu {
	u8 family;
	u8 model;
	bool known;
	u8 counters;
	u8 width;
	u64 pmcs;
	u64 pmds;
};

const struct pfm_pmu *pfm_itanium_describe(const struct pfm_ia64_cpu *cpu);
const struct pfm_pmu *pfm_itanium2_describe(const struct pfm_ia64_cpu *cpu);
const struct pfm_pmu *pfm_montecito_describe(const struct pfm_ia64_cpu *cpu);
const struct pfm_pmu *pfm_ia64_generic_describe(const struct pfm_ia64_cpu *cpu);
const struct pfm_pmu *pfm_ia64_describe(const struct pfm_ia64_cpu *cpu);

/**
 * struct pfm_ia64_model - a description, and what operations have to know [c]
 * @pmu:   description, and first member; if it has debug registers they are its last controls
 * @pm6:   bit n: PMC n has a plm in bits 3:0, and pm in bit 6
 * @pm4:   likewise, and pm in bit 4
 * @zero:  bit n: PMC n is not offered, and has to be 0
 * @core:  bits of a counter's control that have it count what the core's other threads do, too
 * @code:  (optional) whether a value of PMC @code_pmc restricts what is counted to
 *         code that the IBRs say
 * @code_pmc: its number
 * @data:  likewise, to data that the DBRs say
 * @data_pmc: its number
 * @tagged: (optional) whether controls go together
 */
struct pfm_ia64_model {
	struct pfm_pmu pmu;
	u64 pm6;
	u64 pm4;
	u64 zero;
	u64 core;
	bool (*code)(u64 value);
	bool (*data)(u64 value);
	bool (*tagged)(const struct pfm_pmu *pmu, const u64 *v);
	u8 code_pmc;
	u8 data_pmc;
};

/* The structure around a description. */
static inline const struct pfm_ia64_model *pfm_ia64_model(const struct pfm_pmu *pmu)
{
	return container_of(pmu, struct pfm_ia64_model, pmu);
}

/* In the value of a counter's control that the kernel alone sets: it interrupts. */
#define PFM_IA64_OI		BIT_ULL(5)
#define PFM_IA64_PLM		GENMASK_ULL(3, 0)
#define PFM_IA64_PLM_USER	BIT_ULL(3)

/* PMC @n, the bits that a program sets, and what the others are. */
#define PFM_IA64_PMC(n, d, writable) {					\
	.name = "PMC" #n, .num = n, .type = PFM_REG_TYPE_PMC,		\
	.index = n, .def = d, .rsvd = ~(u64)(writable),			\
}

#define PFM_IA64_COUNTER(n) {						\
	.name = "PMD" #n, .num = n, .type = PFM_REG_TYPE_PMD,		\
	.flags = PFM_PMD_COUNTER, .ctrl = n, .index = n,		\
}

/* What the hardware writes while PMC @c measures. */
#define PFM_IA64_DATA(n, c) {						\
	.name = "PMD" #n, .num = n, .type = PFM_REG_TYPE_PMD,		\
	.ctrl = c, .index = n,						\
}

/* itanium.c: Itanium 2 has the same data registers, with wider counters. */
#define PFM_IA64_ITANIUM_PMDS	18
extern const struct pfm_pmd_desc pfm_ia64_itanium_pmds[PFM_IA64_ITANIUM_PMDS];

/*
 * An address, and a mask with levels; what would be a breakpoint is not accepted. The processor
 * ignores bits 61:60 of a DBR's mask, and of an IBR's also 62, where a DBR has w (SDM volume 2,
 * 7.1.1; arch/ia64/kernel/perfmon.c of Linux until 5.9, ibr_mask_reg_t and dbr_mask_reg_t).
 */
#define PFM_IA64_IBR_IGNORED	GENMASK_ULL(62, 60)
#define PFM_IA64_DBR_IGNORED	GENMASK_ULL(61, 60)
#define PFM_IA64_DEBUG_PAIR(t, n, m) 					\
	{ .name = #t #n, .num = PFM_ITA_##t(n), .type = PFM_REG_TYPE_##t, \
	  .flags = PFM_PMC_CLAIMED, .index = n },			\
	{ .name = #t #m, .num = PFM_ITA_##t(m), .type = PFM_REG_TYPE_##t, \
	  .flags = PFM_PMC_CLAIMED, .index = m, .rsvd = PFM_IA64_##t##_IGNORED }

#define PFM_IA64_DEBUG							\
	PFM_IA64_DEBUG_PAIR(IBR, 0, 1), PFM_IA64_DEBUG_PAIR(IBR, 2, 3),	\
	PFM_IA64_DEBUG_PAIR(IBR, 4, 5), PFM_IA64_DEBUG_PAIR(IBR, 6, 7),	\
	PFM_IA64_DEBUG_PAIR(DBR, 0, 1), PFM_IA64_DEBUG_PAIR(DBR, 2, 3),	\
	PFM_IA64_DEBUG_PAIR(DBR, 4, 5), PFM_IA64_DEBUG_PAIR(DBR, 6, 7)

/* The members of a description that are the same for all. */
#define PFM_IA64_OPERATIONS						\
	.flags = PFM_PMU_USER_READ | PFM_PMU_USER_COUNTS,		\
	.rules = &pfm_ia64_rules,					\
	.accepts = pfm_ia64_accepts, .selects = pfm_ia64_selects,	\
	.kernel = pfm_ia64_kernel,					\
	.acquire = pfm_ia64_acquire, .release = pfm_ia64_release,	\
	.reset = pfm_ia64_reset, .program = pfm_ia64_program,		\
	.start = pfm_ia64_start, .stop = pfm_ia64_stop,			\
	.read = pfm_ia64_read, .write = pfm_ia64_write,			\
	.acknowledge = pfm_ia64_acknowledge

/* judge.c */
extern const struct pfm_pmu_rules pfm_ia64_rules;
bool pfm_ia64_accepts(const struct pfm_pmu *pmu, unsigned int num, u64 value);
bool pfm_ia64_selects(const struct pfm_pmu *pmu, unsigned int num, u64 value);
bool pfm_ia64_kernel(const struct pfm_pmu *pmu, unsigned int num, u64 value);
u64 pfm_ia64_adapt(const struct pfm_pmu *pmu, unsigned int num, u64 value,
		   u32 ctx_flags);
bool pfm_ia64_admits(const struct pfm_pmu *pmu, const struct pfm_run *run);
u64 pfm_ia64_claims(const struct pfm_pmu *pmu, unsigned int num, u64 value);
u64 pfm_ia64_value(const struct pfm_pmu *pmu, const u64 *v, unsigned int num);

/* debug.c */
int pfm_ia64_acquire(const struct pfm_pmu *pmu, unsigned int what);
void pfm_ia64_release(const struct pfm_pmu *pmu, unsigned int what);

/* state.c */
void pfm_ia64_reset(const struct pfm_pmu *pmu, const u64 *v);
void pfm_ia64_program(const struct pfm_pmu *pmu, const unsigned long *changed,
		      const struct pfm_run *run);
void pfm_ia64_start(const struct pfm_pmu *pmu, const struct pfm_run *run);
void pfm_ia64_stop(const struct pfm_pmu *pmu, const struct pfm_run *run);
u64 pfm_ia64_read(const struct pfm_pmu *pmu, unsigned int i);
void pfm_ia64_write(const struct pfm_pmu *pmu, unsigned int i, u64 value);
bool pfm_ia64_acknowledge(const struct pfm_pmu *pmu, const struct pfm_run *run);
void pfm_ia64_thread(const struct pfm_pmu *pmu, const struct pfm_run *run,
		     enum pfm_thread_event what, bool self);
void pfm_ia64_switch_to(const struct pfm_pmu *pmu, const struct pfm_run *run,
			struct task_struct *next);

/* Bits of psr, and the one of dcr. */
#define PFM_IA64_PSR_UP		BIT_ULL(2)	/* user monitors count */
#define PFM_IA64_PSR_SP		BIT_ULL(20)	/* programs cannot use the PMU */
#define PFM_IA64_PSR_PP		BIT_ULL(21)	/* privileged monitors count */
#define PFM_IA64_DCR_PP		BIT_ULL(0)	/* psr.pp of what interruptions begin */

/* Files of registers, numbered by a second number. */
enum pfm_ia64_space {
	PFM_IA64_PMCS,
	PFM_IA64_PMDS,
	PFM_IA64_IBRS,
	PFM_IA64_DBRS,
};

/*
 * All accesses to the machine go by these. With the unit tests in the kernel they can be
 * diverted to a register file in memory. [c]
 *
 * @read, @write: a register
 * @psr, @set_psr: bits 31:0 of this CPU's
 * @dcr, @set_dcr: likewise
 * @serialize:  srlz.d; or srlz.i, which is that, too
 * @route:      overflows interrupt this CPU
 * @user_psr:   that of the user level of a thread, which is there when it returns
 * @put:        sets or clears one bit of what @user_psr returns, by an atomic instruction: other
 *              CPUs may change other bits of it meanwhile
 * @interrupted_psr: that of the code that the interrupt under way has interrupted, or NULL
 * @is_call, @set_call: a byte that is kept with a thread: when the thread was switched out, its
 *              part in the kernel had psr.pp of its user level (a system call by epc), not
 *              dcr.pp
 * @current_task: the thread that runs here
 */
struct pfm_ia64_file {
	u64 (*read)(enum pfm_ia64_space space, unsigned int n);
	void (*write)(enum pfm_ia64_space space, unsigned int n, u64 value);
	u64 (*psr)(void);
	void (*set_psr)(u64 psr);
	u64 (*dcr)(void);
	void (*set_dcr)(u64 dcr);
	void (*serialize)(bool instruction);
	void (*route)(void);
	u64 *(*user_psr)(struct task_struct *task);
	void (*put)(u64 *psr, u64 bit, bool on);
	u64 *(*interrupted_psr)(void);
	bool (*is_call)(const struct task_struct *task);
	void (*set_call)(struct task_struct *task, bool call);
	struct task_struct *(*current_task)(void);
};
extern const struct pfm_ia64_file *pfm_ia64_file;

#endif /* _IA64_PERFMON_IA64_H */
