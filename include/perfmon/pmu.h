/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perfmon2: the kernel interface for descriptions of PMUs.
 *
 * A PMU is described by two tables, one of control registers (PMC) and one of
 * data registers (PMD), in increasing order of the logical numbers that
 * programs use. The core never asks which model it drives: whatever differs
 * between models stands in the tables or behind an operation.
 */
#ifndef _PERFMON_PMU_H
#define _PERFMON_PMU_H

#include <linux/bits.h>
#include <linux/types.h>
#include <perfmon/perfmon.h>

/* A PMD that no PMC controls. */
#define PFM_NO_PMC		0xffff

/* Most registers of all descriptions together. The validator refuses more. */
#define PFM_PMCS_MAX		128
#define PFM_PMDS_MAX		64

/**
 * struct pfm_pmc_desc - a control register
 * @name:  unique among the PMCs, short, for sysfs
 * @num:   logical number, below PFM_MAX_PMCS
 * @type:  PFM_REG_TYPE_..., what the register really is
 * @index: its address or number there, or PFM_REG_IDX_NONE
 * @def:   default value; nothing may be measured with it (3.1.2)
 * @rsvd:  bits that keep their default whatever is written (3.1.13)
 */
struct pfm_pmc_desc {
	const char *name;
	u16 num;
	u16 type;
	u64 index;
	u64 def;
	u64 rsvd;
};

#define PFM_PMD_COUNTER		BIT(0)	/* counts; has 64 bits for programs */
#define PFM_PMD_RDONLY		BIT(1)	/* programs cannot write it */

/**
 * struct pfm_pmd_desc - a data register
 * @name:  unique among the PMDs, short, for sysfs
 * @num:   logical number, below PFM_MAX_PMDS
 * @type:  PFM_REG_TYPE_..., what the register really is
 * @flags: PFM_PMD_...
 * @ctrl:  logical number of the PMC that controls it, or PFM_NO_PMC; a
 *         counter must have one, and it must be in the same description
 * @index: its address or number, or PFM_REG_IDX_NONE
 * @def:   default value; 0 for a counter (3.1.3)
 * @rsvd:  bits that keep their default whatever is written (3.1.14)
 */
struct pfm_pmd_desc {
	const char *name;
	u16 num;
	u16 type;
	u16 flags;
	u16 ctrl;
	u64 index;
	u64 def;
	u64 rsvd;
};

/**
 * struct pfm_pmu - a description
 * @name:      model, for people
 * @pmcs:      control registers, in increasing order of number
 * @pmds:      data registers, in increasing order of number
 * @num_pmcs:  length of @pmcs
 * @num_pmds:  length of @pmds
 * @width:     bits of a hardware counter, 1 to 64
 * @accepts:   (optional) whether @value is safe for control register @num,
 *             the reserved bits being back at their defaults: it neither
 *             faults nor raises an interrupt that nobody expects. Called at
 *             registration, and with a context's lock held and interrupts off.
 * @selects:   (required) whether @value makes control register @num measure
 *             anything. Same context as @accepts.
 */
struct pfm_pmu {
	const char *name;
	const struct pfm_pmc_desc *pmcs;
	const struct pfm_pmd_desc *pmds;
	unsigned int num_pmcs;
	unsigned int num_pmds;
	unsigned int width;

	bool (*accepts)(unsigned int num, u64 value);
	bool (*selects)(unsigned int num, u64 value);
};

int pfm_pmu_register(const struct pfm_pmu *pmu);
void pfm_pmu_unregister(const struct pfm_pmu *pmu);

#endif /* _PERFMON_PMU_H */
