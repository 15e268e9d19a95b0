/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perfmon2 on PowerPC: what the families and the glue share. The keys of fields, as [c], are
 * those of kernel/perfmon/pfm.h.
 *
 * A family is one file. Its one function looks at the facts about a CPU and returns the
 * description of that CPU's PMU, or NULL if it has none of the family's. It touches no
 * register: the unit tests ask it about processors that are not there, and run on other
 * architectures, too.
 */
#ifndef _PPC_PERFMON_PPC_H
#define _PPC_PERFMON_PPC_H

#include <linux/container_of.h>
#include <linux/types.h>
#include <perfmon/pmu.h>

/**
 * struct pfm_ppc_cpu - the facts that tell PMUs apart [c]
 * @pvr: the processor version register
 * @pmi: the administrator accepts a processor that may hang: counters may interrupt
 *       although an erratum forbids it
 * @silent: counters have been seen to count and not to interrupt, as an emulator's may
 */
struct pfm_ppc_cpu {
	u32 pvr;
	bool pmi;
	bool silent;
};

const struct pfm_pmu *pfm_classic_describe(const struct pfm_ppc_cpu *cpu);
const struct pfm_pmu *pfm_ppc970_describe(const struct pfm_ppc_cpu *cpu);
const struct pfm_pmu *pfm_power_describe(const struct pfm_ppc_cpu *cpu);

/* Special-purpose registers, by number: those of 604 to 745x. */
#define SPR_MMCR2		944
#define SPR_PMC5		945
#define SPR_PMC6		946
#define SPR_MMCR0		952
#define SPR_PMC1		953
#define SPR_PMC2		954
#define SPR_MMCR1		956
#define SPR_PMC3		957
#define SPR_PMC4		958

/* Those of 970 and POWER; 970 has neither MMCR2 nor MMCR3, POWER8 and 9 have no MMCR3. */
#define SPR64_MMCR3		754
#define SPR64_MMCR2		785
#define SPR64_MMCRA		786
#define SPR64_PMC(n)		(786 + (n))	/* from 1 */
#define SPR64_MMCR0		795
#define SPR64_SIAR		796	/* where the last overflow hit, and what was accessed */
#define SPR64_SDAR		797
#define SPR64_MMCR1		798

#define PFM_PPC_SPR		.type = PFM_REG_TYPE_SPR

/* Bit 31 of a counter: it interrupts while it is 1. */
#define PFM_PPC_NEGATIVE	BIT(31)

/* glue.c */
int pfm_ppc_acquire(const struct pfm_pmu *pmu, unsigned int what);
void pfm_ppc_release(const struct pfm_pmu *pmu, unsigned int what);
void pfm_ppc_enable(void);

/* spr.c */
unsigned long pfm_ppc_mfspr(unsigned int spr);
void pfm_ppc_mtspr(unsigned int spr, unsigned long value);

/* counters.c */
void pfm_ppc_make_positive(const struct pfm_pmu *pmu);
u64 pfm_ppc_read_counter(const struct pfm_pmu *pmu, unsigned int i);
void pfm_ppc_write_counter(const struct pfm_pmu *pmu, unsigned int i, u64 value);

/**
 * struct pfm_alert_pmu - a PMU in which an overflow is an alert, a bit of MMCR0 [c]
 * @pmu:     description
 * @mmcr0:   bits that MMCR0 always has
 * @version: for the family
 */
struct pfm_alert_pmu {
	struct pfm_pmu pmu;
	u32 mmcr0;
	u8 version;
};

/* The structure around a description. */
static inline const struct pfm_alert_pmu *pfm_alert_pmu(const struct pfm_pmu *pmu)
{
	return container_of(pmu, struct pfm_alert_pmu, pmu);
}

/* alert.c */
void pfm_alert_reset(const struct pfm_pmu *pmu);
void pfm_alert_program(const struct pfm_pmu *pmu, const unsigned long *changed,
		       const struct pfm_run *run);
bool pfm_alert_is_new(const struct pfm_run *run);
void pfm_alert_start(const struct pfm_pmu *pmu, u32 mmcr0);
void pfm_alert_stop(const struct pfm_pmu *pmu, const struct pfm_run *run);
bool pfm_alert_acknowledge(const struct pfm_pmu *pmu, const struct pfm_run *run);
u64 pfm_alert_read(const struct pfm_pmu *pmu, unsigned int i);

/* More events a second than any of them has: 8 instructions a cycle at 4.2 GHz, POWER10. */
#define PFM_ALERT_RATE		BIT_ULL(35)

/*
 * One source: Linux (check_and_compute_delta()), for POWER7, which has no description here;
 * it looks for this on all 64-bit processors.
 */
#define PFM_ALERT_ROLLBACK	256

/* What the descriptions of such PMUs have in common. */
#define PFM_ALERT_OPERATIONS						\
	.width = 31,							\
	.rollback = PFM_ALERT_ROLLBACK,					\
	.rate = PFM_ALERT_RATE,						\
	.acquire = pfm_ppc_acquire,					\
	.release = pfm_ppc_release,					\
	.program = pfm_alert_program,					\
	.stop = pfm_alert_stop,						\
	.acknowledge = pfm_alert_acknowledge,				\
	.read = pfm_alert_read,						\
	.write = pfm_ppc_write_counter

/*
 * All accesses to the PMU go by these. With the unit tests in the kernel they can be
 * diverted to a register file in memory; on other architectures they always are. [c]
 */
struct pfm_ppc_file {
	unsigned long (*read)(unsigned int spr);
	void (*write)(unsigned int spr, unsigned long value);
};
extern const struct pfm_ppc_file *pfm_ppc_file;

#ifdef CONFIG_PPC_BOOK3S
#define pfm_ppc_diverted()						\
	(IS_ENABLED(CONFIG_PERFMON_KUNIT_TEST) && unlikely(pfm_ppc_file))
#else
#define pfm_ppc_diverted()	true
#endif

static inline unsigned long pfm_ppc_read(unsigned int spr)
{
	return pfm_ppc_diverted() ? pfm_ppc_file->read(spr) : pfm_ppc_mfspr(spr);
}

static inline void pfm_ppc_write(unsigned int spr, unsigned long value)
{
	if (pfm_ppc_diverted())
		pfm_ppc_file->write(spr, value);
	else
		pfm_ppc_mtspr(spr, value);
}

#endif /* _PPC_PERFMON_PPC_H */
