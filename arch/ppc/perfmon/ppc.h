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

/* Registers of 604 to 745x: special-purpose registers, by number. */
#define SPR_MMCR2		944
#define SPR_PMC5		945
#define SPR_PMC6		946
#define SPR_MMCR0		952
#define SPR_PMC1		953
#define SPR_PMC2		954
#define SPR_MMCR1		956
#define SPR_PMC3		957
#define SPR_PMC4		958

#define PFM_PPC_SPR		.type = PFM_REG_TYPE_SPR

/* glue.c */
int pfm_ppc_acquire(const struct pfm_pmu *pmu, unsigned int what);
void pfm_ppc_release(const struct pfm_pmu *pmu, unsigned int what);
u32 pfm_ppc_mfspr(unsigned int spr);
void pfm_ppc_mtspr(unsigned int spr, u32 value);

/*
 * All accesses to the PMU go by these. With the unit tests in the kernel they can be
 * diverted to a register file in memory; on other architectures they always are. [c]
 */
struct pfm_ppc_file {
	u32 (*read)(unsigned int spr);
	void (*write)(unsigned int spr, u32 value);
};
extern const struct pfm_ppc_file *pfm_ppc_file;

#ifdef CONFIG_PPC_BOOK3S_32
#define pfm_ppc_diverted()						\
	(IS_ENABLED(CONFIG_PERFMON_KUNIT_TEST) && unlikely(pfm_ppc_file))
#else
#define pfm_ppc_diverted()	true
#endif

static inline u32 pfm_ppc_read(unsigned int spr)
{
	return pfm_ppc_diverted() ? pfm_ppc_file->read(spr) : pfm_ppc_mfspr(spr);
}

static inline void pfm_ppc_write(unsigned int spr, u32 value)
{
	if (pfm_ppc_diverted())
		pfm_ppc_file->write(spr, value);
	else
		pfm_ppc_mtspr(spr, value);
}

#endif /* _PPC_PERFMON_PPC_H */
