// SPDX-License-Identifier: GPL-2.0-only
/*
 * perfmon2 on IA-64: Itanium (Merced).
 *
 * Four counters of 32 bits; event address registers for instructions (PMD0, 1) and data
 * (PMD2, 3, 17); a buffer of eight branches (PMD8-15) with its index (PMD16).
 *
 * Intel Itanium Processor Reference Manual for Software Development, chapter 3; numbers,
 * defaults and data registers also Linux until 5.9, arch/ia64/kernel/perfmon_itanium.h. Which
 * bits are reserved has one source, the manual.
 */
#include <linux/kernel.h>

#include "ia64.h"

/* es, umask, threshold, instruction set */
#define ITANIUM_COUNTER		0x037f7f4fULL
/* B, F, I and M, and the match; mask */
#define ITANIUM_OPCODE		(GENMASK_ULL(63, 33) | GENMASK_ULL(29, 3))

static const struct pfm_pmc_desc itanium_pmcs[] = {
	PFM_IA64_PMC(4, PFM_IA64_OI, ITANIUM_COUNTER),
	PFM_IA64_PMC(5, PFM_IA64_OI, ITANIUM_COUNTER),
	PFM_IA64_PMC(6, PFM_IA64_OI, ITANIUM_COUNTER),
	PFM_IA64_PMC(7, PFM_IA64_OI, ITANIUM_COUNTER),
	PFM_IA64_PMC(8, 0xf00000003ffffff8ULL, ITANIUM_OPCODE),
	PFM_IA64_PMC(9, 0xf00000003ffffff8ULL, ITANIUM_OPCODE),
	PFM_IA64_PMC(10, 0, 0x030f00cfULL),
	PFM_IA64_PMC(11, 0x10000000ULL, 0x130f00cfULL),
	PFM_IA64_PMC(12, 0, 0xffcfULL),
	PFM_IA64_PMC(13, 0x0003ffff00000001ULL, 1),
	PFM_IA64_DEBUG,
};

const struct pfm_pmd_desc pfm_ia64_itanium_pmds[PFM_IA64_ITANIUM_PMDS] = {
	PFM_IA64_DATA(0, 10), PFM_IA64_DATA(1, 10),
	PFM_IA64_DATA(2, 11), PFM_IA64_DATA(3, 11),
	PFM_IA64_COUNTER(4), PFM_IA64_COUNTER(5),
	PFM_IA64_COUNTER(6), PFM_IA64_COUNTER(7),
	PFM_IA64_DATA(8, 12), PFM_IA64_DATA(9, 12),
	PFM_IA64_DATA(10, 12), PFM_IA64_DATA(11, 12),
	PFM_IA64_DATA(12, 12), PFM_IA64_DATA(13, 12),
	PFM_IA64_DATA(14, 12), PFM_IA64_DATA(15, 12),
	PFM_IA64_DATA(16, 12), PFM_IA64_DATA(17, 11),
};

/* Tag all instructions, or only those of a range. */
static bool itanium_code(u64 value)
{
	return !(value & 1);
}

/* Pass all data, or only that of a range. */
static bool itanium_data(u64 value)
{
	return !(value & BIT_ULL(28));
}

static const struct pfm_ia64_model itanium = {
	.pmu = {
		.name = "Itanium",
		.pmcs = itanium_pmcs, .num_pmcs = ARRAY_SIZE(itanium_pmcs),
		.pmds = pfm_ia64_itanium_pmds,
		.num_pmds = ARRAY_SIZE(pfm_ia64_itanium_pmds),
		.width = 32,
		PFM_IA64_OPERATIONS,
	},
	.pm6 = GENMASK_ULL(7, 4) | GENMASK_ULL(12, 10),
	.code = itanium_code, .code_pmc = 13,
	.data = itanium_data, .data_pmc = 11,
};

/**
 * pfm_itanium_describe() - the PMU of the first Itanium
 * @cpu: facts
 *
 * Context: any.
 * Return: the description, or NULL if @cpu is no such processor.
 */
const struct pfm_pmu *pfm_itanium_describe(const struct pfm_ia64_cpu *cpu)
{
	return cpu->family == 0x07 ? &itanium.pmu : NULL;
}
