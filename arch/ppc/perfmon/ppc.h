/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perfmon2 on PowerPC: what the families share. The keys of fields, as [c], are those of
 * kernel/perfmon/pfm.h.
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
 */
struct pfm_ppc_cpu {
	u32 pvr;
	bool pmi;
};

const struct pfm_pmu *pfm_classic_describe(const struct pfm_ppc_cpu *cpu);

#define PFM_PPC_SPR		.type = PFM_REG_TYPE_SPR

/*
 * All accesses to the PMU go by these. With the unit tests in the kernel they can be
 * diverted to a register file in memory. Nobody registers a description yet, so that
 * there are no others. [c]
 */
struct pfm_ppc_file {
	u32 (*read)(unsigned int spr);
	void (*write)(unsigned int spr, u32 value);
};
extern const struct pfm_ppc_file *pfm_ppc_file;

static inline u32 pfm_ppc_read(unsigned int spr)
{
	return pfm_ppc_file->read(spr);
}

static inline void pfm_ppc_write(unsigned int spr, u32 value)
{
	pfm_ppc_file->write(spr, value);
}

#endif /* _PPC_PERFMON_PPC_H */
