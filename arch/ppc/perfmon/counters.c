// SPDX-License-Identifier: GPL-2.0-only
/*
 * perfmon2 on PowerPC: counters of 32 bits, of all families.
 *
 * A counter interrupts while its bit 31 is 1, be it left from long ago. So 31 bits are used
 * where there are interrupts, and that bit is cleared before interrupts are enabled.
 */
#include <linux/kernel.h>

#include "ppc.h"

/**
 * pfm_ppc_make_positive() - clear bit 31 of all counters of this CPU
 * @pmu: description, with interrupts
 *
 * Context: interrupts off, or NMI; nothing counts.
 */
void pfm_ppc_make_positive(const struct pfm_pmu *pmu)
{
	unsigned int i;
	u32 value;

	for (i = 0; i < pmu->num_pmds; i++) {
		value = pfm_ppc_read(pmu->pmds[i].index);
		if (value & PFM_PPC_NEGATIVE)
			pfm_ppc_write(pmu->pmds[i].index, value & ~PFM_PPC_NEGATIVE);
	}
}

/**
 * pfm_ppc_read_counter() - pfm_pmu.read of 604 to 745x
 * @pmu: description
 * @i:   counter, by position
 *
 * Context: interrupts off; or NMI.
 * Return: the bits of it that are used.
 */
u64 pfm_ppc_read_counter(const struct pfm_pmu *pmu, unsigned int i)
{
	return pfm_ppc_read(pmu->pmds[i].index) & GENMASK_ULL(pmu->width - 1, 0);
}

/**
 * pfm_ppc_write_counter() - pfm_pmu.write of all families
 * @pmu:   description
 * @i:     counter, by position
 * @value: value, of the width that is used
 *
 * Context: interrupts off, or NMI; nothing counts.
 */
void pfm_ppc_write_counter(const struct pfm_pmu *pmu, unsigned int i, u64 value)
{
	pfm_ppc_write(pmu->pmds[i].index, (u32)value);
}
