// SPDX-License-Identifier: GPL-2.0-only
/*
 * perfmon2 on IA-64: what the architecture says of any PMU.
 *
 * Pairs of PMC and PMD from number 4 on, of which the firmware says how many there are, and
 * how wide: counters with an event of eight bits. All else is the model's. Whether a model
 * wants other bits of a PMC to be 1 is not known: they are 0.
 *
 * One source: Intel Itanium Architecture Software Developer's Manual, volume 2, 7.2 and 11.10.
 */
#include <linux/kernel.h>
#include <linux/slab.h>

#include "ia64.h"

#define GENERIC_COUNTERS	28	/* as many as PMC0 has overflow bits for */

#define GENERIC_CONTROL(n)	PFM_IA64_PMC(n, PFM_IA64_OI, 0xff4fULL)

static const struct pfm_pmc_desc generic_pmcs[] = {
	GENERIC_CONTROL(4), GENERIC_CONTROL(5), GENERIC_CONTROL(6), GENERIC_CONTROL(7),
	GENERIC_CONTROL(8), GENERIC_CONTROL(9), GENERIC_CONTROL(10), GENERIC_CONTROL(11),
	GENERIC_CONTROL(12), GENERIC_CONTROL(13), GENERIC_CONTROL(14), GENERIC_CONTROL(15),
	GENERIC_CONTROL(16), GENERIC_CONTROL(17), GENERIC_CONTROL(18), GENERIC_CONTROL(19),
	GENERIC_CONTROL(20), GENERIC_CONTROL(21), GENERIC_CONTROL(22), GENERIC_CONTROL(23),
	GENERIC_CONTROL(24), GENERIC_CONTROL(25), GENERIC_CONTROL(26), GENERIC_CONTROL(27),
	GENERIC_CONTROL(28), GENERIC_CONTROL(29), GENERIC_CONTROL(30), GENERIC_CONTROL(31),
};

static const struct pfm_pmd_desc generic_pmds[] = {
	PFM_IA64_COUNTER(4), PFM_IA64_COUNTER(5), PFM_IA64_COUNTER(6), PFM_IA64_COUNTER(7),
	PFM_IA64_COUNTER(8), PFM_IA64_COUNTER(9), PFM_IA64_COUNTER(10), PFM_IA64_COUNTER(11),
	PFM_IA64_COUNTER(12), PFM_IA64_COUNTER(13), PFM_IA64_COUNTER(14), PFM_IA64_COUNTER(15),
	PFM_IA64_COUNTER(16), PFM_IA64_COUNTER(17), PFM_IA64_COUNTER(18), PFM_IA64_COUNTER(19),
	PFM_IA64_COUNTER(20), PFM_IA64_COUNTER(21), PFM_IA64_COUNTER(22), PFM_IA64_COUNTER(23),
	PFM_IA64_COUNTER(24), PFM_IA64_COUNTER(25), PFM_IA64_COUNTER(26), PFM_IA64_COUNTER(27),
	PFM_IA64_COUNTER(28), PFM_IA64_COUNTER(29), PFM_IA64_COUNTER(30), PFM_IA64_COUNTER(31),
};

static const struct pfm_ia64_model generic = {
	.pmu = {
		.name = "IA-64",
		.pmcs = generic_pmcs,
		.pmds = generic_pmds,
		PFM_IA64_OPERATIONS,
	},
};

/**
 * pfm_ia64_generic_describe() - the counters of any PMU
 * @cpu: facts
 *
 * Context: process.
 * Return: the description, for kfree_const(); or NULL if the firmware has not told what
 * there is, or nonsense, or there is no memory.
 */
const struct pfm_pmu *pfm_ia64_generic_describe(const struct pfm_ia64_cpu *cpu)
{
	const u64 have = cpu->pmcs & cpu->pmds;
	struct pfm_ia64_model *m;
	unsigned int n = 0;

	if (!cpu->known || !cpu->width || cpu->width > 64)
		return NULL;
	while (n < min_t(unsigned int, cpu->counters, GENERIC_COUNTERS) &&
	       have & BIT_ULL(4 + n))
		n++;
	if (!n)
		return NULL;
	m = kmemdup(&generic, sizeof(generic), GFP_KERNEL);
	if (!m)
		return NULL;
	m->pmu.num_pmcs = n;
	m->pmu.num_pmds = n;
	m->pmu.width = cpu->width;
	m->pm6 = GENMASK_ULL(3 + n, 4);
	return &m->pmu;
}

/**
 * pfm_ia64_describe() - the PMU of a processor
 * @cpu: facts
 *
 * Context: process.
 * Return: the description, for kfree_const(); or NULL.
 */
const struct pfm_pmu *pfm_ia64_describe(const struct pfm_ia64_cpu *cpu)
{
	const struct pfm_pmu *pmu = pfm_itanium_describe(cpu);

	pmu = pmu ?: pfm_itanium2_describe(cpu);
	pmu = pmu ?: pfm_montecito_describe(cpu);
	return pmu ?: pfm_ia64_generic_describe(cpu);
}
