// SPDX-License-Identifier: GPL-2.0-only
/*
 * perfmon2 on IA-64: dual-core Itanium 2 (Montecito, Montvale).
 *
 * Twelve counters of 47 bits; event address registers for instructions (PMD34, 35) and
 * data (PMD32, 33, 36); a trace buffer of 16 entries (PMD48-63) with an index (PMD38) and
 * its extension (PMD39). PMC42 has the trace buffer record addresses of instructions
 * instead: it is not offered, and always 0.
 *
 * Intel Dual-Core Update to the Itanium 2 Processor Reference Manual, chapter 3; Linux until
 * 5.9, arch/ia64/kernel/perfmon_montecito.h.
 */
#include <linux/kernel.h>

#include "ia64.h"

/* es, umask, threshold, all, and the lines whose state M, E, S or I is to be counted */
#define MONTECITO_COUNTER	0x7c7fff4fULL
/* all: of both threads of the core */
#define MONTECITO_ALL		BIT_ULL(26)
/* ism is 2 always */
#define MONTECITO_ISM		0x2000000ULL

#define MONTECITO_CONTROL(n)						\
	PFM_IA64_PMC(n, MONTECITO_ISM | PFM_IA64_OI, MONTECITO_COUNTER)

static const struct pfm_pmc_desc montecito_pmcs[] = {
	MONTECITO_CONTROL(4), MONTECITO_CONTROL(5), MONTECITO_CONTROL(6),
	MONTECITO_CONTROL(7), MONTECITO_CONTROL(8), MONTECITO_CONTROL(9),
	MONTECITO_CONTROL(10), MONTECITO_CONTROL(11), MONTECITO_CONTROL(12),
	MONTECITO_CONTROL(13), MONTECITO_CONTROL(14), MONTECITO_CONTROL(15),
	PFM_IA64_PMC(32, 0x030f01ffffffffffULL, 0x030f01ffffffffffULL),
	PFM_IA64_PMC(33, 0, 0x1ffffffffffULL),
	PFM_IA64_PMC(34, 0x000f01ffffffffffULL, 0x000f01ffffffffffULL),
	PFM_IA64_PMC(35, 0, 0x1ffffffffffULL),
	PFM_IA64_PMC(36, 0xfffffff0ULL, 0xfULL),
	PFM_IA64_PMC(37, 0, 0x3fffULL),
	PFM_IA64_PMC(38, 0xdb6ULL, 0x2492ULL),
	PFM_IA64_PMC(39, 0, 0xffcfULL),
	PFM_IA64_PMC(40, 0x2000000ULL, 0xf01cfULL),
	PFM_IA64_PMC(41, 0x2078fefefefeULL, 0x1e00018181818ULL),
	PFM_IA64_DEBUG,
};

static const struct pfm_pmd_desc montecito_pmds[] = {
	PFM_IA64_COUNTER(4), PFM_IA64_COUNTER(5), PFM_IA64_COUNTER(6),
	PFM_IA64_COUNTER(7), PFM_IA64_COUNTER(8), PFM_IA64_COUNTER(9),
	PFM_IA64_COUNTER(10), PFM_IA64_COUNTER(11), PFM_IA64_COUNTER(12),
	PFM_IA64_COUNTER(13), PFM_IA64_COUNTER(14), PFM_IA64_COUNTER(15),
	PFM_IA64_DATA(32, 40), PFM_IA64_DATA(33, 40),
	PFM_IA64_DATA(34, 37), PFM_IA64_DATA(35, 37),
	PFM_IA64_DATA(36, 40),
	PFM_IA64_DATA(38, 39), PFM_IA64_DATA(39, 39),
	PFM_IA64_DATA(48, 39), PFM_IA64_DATA(49, 39), PFM_IA64_DATA(50, 39),
	PFM_IA64_DATA(51, 39), PFM_IA64_DATA(52, 39), PFM_IA64_DATA(53, 39),
	PFM_IA64_DATA(54, 39), PFM_IA64_DATA(55, 39), PFM_IA64_DATA(56, 39),
	PFM_IA64_DATA(57, 39), PFM_IA64_DATA(58, 39), PFM_IA64_DATA(59, 39),
	PFM_IA64_DATA(60, 39), PFM_IA64_DATA(61, 39), PFM_IA64_DATA(62, 39),
	PFM_IA64_DATA(63, 39),
};

/* PMC38: a bit for each pair says that it is ignored. */
static bool montecito_code(u64 value)
{
	const u64 ignored = BIT_ULL(1) | BIT_ULL(4) | BIT_ULL(7) | BIT_ULL(10);

	return (value & ignored) != ignored;
}

/* PMC41: what restricts by a pair, 3: nothing; and enable bits. */
static bool montecito_data(u64 value)
{
	return (value & GENMASK_ULL(48, 45)) && (value & 0x18181818) != 0x18181818;
}

/* As on Itanium 2; the bit of PMC32 that ignores addresses is another. */
static bool montecito_tagged(const struct pfm_pmu *pmu, const u64 *v)
{
	const u64 code = pfm_ia64_value(pmu, v, 38);

	if (pfm_ia64_value(pmu, v, 41) & GENMASK_ULL(48, 45))
		return true;
	if (pfm_ia64_value(pmu, v, 32) & BIT_ULL(57))
		return true;
	return code & BIT_ULL(1) && code & BIT_ULL(4);
}

static const struct pfm_ia64_model montecito = {
	.pmu = {
		.name = "Itanium 2 dual-core",
		.pmcs = montecito_pmcs, .num_pmcs = ARRAY_SIZE(montecito_pmcs),
		.pmds = montecito_pmds, .num_pmds = ARRAY_SIZE(montecito_pmds),
		.width = 47,
		PFM_IA64_OPERATIONS,
	},
	.pm6 = GENMASK_ULL(15, 4) | BIT_ULL(39) | BIT_ULL(40),
	.pm4 = BIT_ULL(37),
	.zero = BIT_ULL(42),
	.core = MONTECITO_ALL,
	.code = montecito_code, .code_pmc = 38,
	.data = montecito_data, .data_pmc = 41,
	.tagged = montecito_tagged,
};

/**
 * pfm_montecito_describe() - the PMU of dual-core Itanium 2
 * @cpu: facts
 *
 * Context: any.
 * Return: the description, or NULL if @cpu is no such processor.
 */
const struct pfm_pmu *pfm_montecito_describe(const struct pfm_ia64_cpu *cpu)
{
	return cpu->family == 0x20 && cpu->model < 2 ? &montecito.pmu : NULL;
}
