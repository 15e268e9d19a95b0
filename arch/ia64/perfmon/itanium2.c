// SPDX-License-Identifier: GPL-2.0-only
/*
 * perfmon2 on IA-64: Itanium 2 (McKinley, Madison).
 *
 * Four counters of 47 bits, and the event address registers and branch buffer of Itanium,
 * where Itanium has them. PMC4 has a bit that powers the whole PMU: it is always 1.
 *
 * Intel Itanium 2 Processor Reference Manual for Software Development and Optimization,
 * chapter 10; Linux until 5.9, arch/ia64/kernel/perfmon_mckinley.h.
 */
#include <linux/kernel.h>

#include "ia64.h"

/* es, umask, threshold, instruction set, and two bits that are not described */
#define ITANIUM2_COUNTER	0x0f7fff4fULL
#define ITANIUM2_POWER		BIT_ULL(23)
#define ITANIUM2_OPCODE		0xffffffff3ffffffbULL

static const struct pfm_pmc_desc itanium2_pmcs[] = {
	PFM_IA64_PMC(4, ITANIUM2_POWER | PFM_IA64_OI, ITANIUM2_COUNTER),
	PFM_IA64_PMC(5, PFM_IA64_OI, ITANIUM2_COUNTER),
	PFM_IA64_PMC(6, PFM_IA64_OI, ITANIUM2_COUNTER),
	PFM_IA64_PMC(7, PFM_IA64_OI, ITANIUM2_COUNTER),
	PFM_IA64_PMC(8, 0xffffffff3fffffffULL, ITANIUM2_OPCODE),
	PFM_IA64_PMC(9, 0xffffffff3ffffffcULL, ITANIUM2_OPCODE),
	PFM_IA64_PMC(10, 0, 0xffffULL),
	PFM_IA64_PMC(11, 0, 0x030f01cfULL),
	PFM_IA64_PMC(12, 0, 0xffffULL),
	PFM_IA64_PMC(13, 0x2078fefefefeULL, 0x1e00018181818ULL),
	PFM_IA64_PMC(14, 0x0db60db60db60db6ULL, 0x2492ULL),
	PFM_IA64_PMC(15, 0xfffffff0ULL, 0xfULL),
	PFM_IA64_DEBUG,
};

/* PMC14: a bit for each pair says that it is ignored. */
static bool itanium2_code(u64 value)
{
	const u64 ignored = BIT_ULL(1) | BIT_ULL(4) | BIT_ULL(7) | BIT_ULL(10);

	return (value & ignored) != ignored;
}

/* PMC13: what restricts by a pair, 3: nothing; and enable bits. */
static bool itanium2_data(u64 value)
{
	return (value & GENMASK_ULL(48, 45)) && (value & 0x18181818) != 0x18181818;
}

/*
 * Not every opcode matcher goes with every range: if no pair is enabled in PMC13, PMC8
 * says that addresses matter, and PMC14 uses the first pair or the second one, cache events
 * are tagged wrongly.
 */
static bool itanium2_tagged(const struct pfm_pmu *pmu, const u64 *v)
{
	const u64 code = pfm_ia64_value(pmu, v, 14);

	if (pfm_ia64_value(pmu, v, 13) & GENMASK_ULL(48, 45))
		return true;
	if (pfm_ia64_value(pmu, v, 8) & 1)
		return true;
	/* Fields of two bits, 2:1 and 5:4, that are 0 or 2. */
	return code & BIT_ULL(1) && code & BIT_ULL(4);
}

static const struct pfm_ia64_model itanium2 = {
	.pmu = {
		.name = "Itanium 2",
		.pmcs = itanium2_pmcs, .num_pmcs = ARRAY_SIZE(itanium2_pmcs),
		.pmds = pfm_ia64_itanium_pmds,
		.num_pmds = ARRAY_SIZE(pfm_ia64_itanium_pmds),
		.width = 47,
		PFM_IA64_OPERATIONS,
	},
	.pm6 = GENMASK_ULL(7, 4) | BIT_ULL(11) | BIT_ULL(12),
	.pm4 = BIT_ULL(10),
	.code = itanium2_code, .code_pmc = 14,
	.data = itanium2_data, .data_pmc = 13,
	.tagged = itanium2_tagged,
};

/**
 * pfm_itanium2_describe() - the PMU of Itanium 2
 * @cpu: facts
 *
 * Context: any.
 * Return: the description, or NULL if @cpu is no such processor.
 */
const struct pfm_pmu *pfm_itanium2_describe(const struct pfm_ia64_cpu *cpu)
{
	return cpu->family == 0x1f ? &itanium2.pmu : NULL;
}
