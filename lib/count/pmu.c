// SPDX-License-Identifier: LGPL-2.1-or-later
/* The hardware PMU, as the kernel describes its registers. */
#include <stdio.h>
#include <string.h>
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#include <perfmon/libperfmon.h>

#include "context.h"
#include "file.h"
#include "pmu.h"

void pmu_read_cpu(struct pmu *pmu, const char *path)
{
	FILE *f = fopen(path, "re");
	unsigned int version, revision;
	char line[256];

	if (!f)
		return;
	/* The first processor's: the kernel describes what all of them have. */
	while (fgets(line, sizeof(line), f) && *line != '\n')
		if (sscanf(line, "revision : %*[^(](pvr %x %x)", &version, &revision) == 2)
			pmu->pvr = version << 16 | (revision & 0xffff);
		else if (sscanf(line, "cpu family : %u", &pmu->family) != 1 &&
		    sscanf(line, "vendor_id : %15s", pmu->vendor) != 1)
			sscanf(line, "model : %u", &pmu->cpu);
	fclose(f);
}

/* One call a register: all in one vector may be above the limit. */
static void read_registers(struct pmu_register *reg, const __u64 *implemented,
			   int (*getinfo)(pfarg_pmcinfo_t *, int))
{
	pfarg_pmcinfo_t info;
	unsigned int i;

	for (i = 0; i < PMU_REGISTERS; i++) {
		if (!pfm_bv_isset(implemented, i))
			continue;
		memset(&info, 0, sizeof(info));
		info.reg_num = (__u16)i;
		if (getinfo(&info, 1))
			continue;
		reg[i].there = true;
		reg[i].msr = info.reg_index;
		reg[i].reserved = info.reg_rsvd_mask;
	}
}

/* The architectural events, in the order of their bits in EBX. */
static const uint16_t architectural[] = { 0x003c, 0x00c0, 0x013c, 0x4f2e, 0x412e, 0x00c4, 0x00c5 };

#define ARCHITECTURAL	(sizeof(architectural) / sizeof(architectural[0]))

/* Intel SDM, volume 2, CPUID; KVM takes a bit beyond the length as it is done here. */
uint32_t pmu_absent(uint32_t eax, uint32_t ebx)
{
	const uint32_t all = (1U << ARCHITECTURAL) - 1;
	const uint32_t length = eax >> 24;

	return (length < ARCHITECTURAL ? ebx | ~0U << length : ebx) & all;
}

/* Its bit in EBX; ARCHITECTURAL: there is none. */
static unsigned int find_architectural(uint64_t code)
{
	unsigned int i;

	for (i = 0; i < ARCHITECTURAL && architectural[i] != (code & 0xffff); i++)
		;
	return i;
}

bool pmu_lacks(const struct pmu *pmu, uint64_t code)
{
	unsigned int i = find_architectural(code);

	return i < ARCHITECTURAL && (pmu->absent >> i & 1);
}

bool pmu_is_architectural(uint64_t code)
{
	return find_architectural(code) < ARCHITECTURAL;
}

void pmu_read_kinds(struct pmu *pmu, bool hybrid, const char *dir)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/cpu_core/cpus", dir);
	file_read(path, pmu->core, sizeof(pmu->core));
	snprintf(path, sizeof(path), "%s/cpu_atom/cpus", dir);
	file_read(path, pmu->atom, sizeof(pmu->atom));
	/* All cores of one kind can be off. */
	pmu->hybrid = (*pmu->core && *pmu->atom) || (hybrid && !*pmu->core && !*pmu->atom);
}

#if defined(__x86_64__) || defined(__i386__)
static void read_cpuid(struct pmu *pmu)
{
	unsigned int eax, ebx, ecx, edx;

	if (strncmp(pmu->model, "Intel architectural", strlen("Intel architectural")) ||
	    pmu_is_other(pmu))
		return;
	if (__get_cpuid_count(0xa, 0, &eax, &ebx, &ecx, &edx) && (eax & 0xff))
		pmu->absent = pmu_absent(eax, ebx);
	pmu_read_kinds(pmu, __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) && edx >> 15 & 1,
		       "/sys/devices");
}
#else
static void read_cpuid(struct pmu *pmu)
{
	(void)pmu;
}
#endif

bool pmu_read(struct pmu *pmu)
{
	pfarg_config_t cfg;

	memset(pmu, 0, sizeof(*pmu));
	memset(&cfg, 0, sizeof(cfg));
	if (pfm_get_config(&cfg) ||
	    !sysfs_read("pmu_model", pmu->model, sizeof(pmu->model)) ||
	    !strcmp(pmu->model, "none")) {
		*pmu->model = '\0';
		return false;
	}
	read_registers(pmu->pmc, cfg.cf_impl_pmcs, pfm_getinfo_pmcs);
	read_registers(pmu->pmd, cfg.cf_impl_pmds, pfm_getinfo_pmds);
	pmu_read_cpu(pmu, "/proc/cpuinfo");
	read_cpuid(pmu);
	return true;
}

bool pmu_is_other(const struct pmu *pmu)
{
	return !strncmp(pmu->model, "Intel", 5) && *pmu->vendor &&
	       strcmp(pmu->vendor, "GenuineIntel");
}

uint32_t pmu_counters(const struct pmu *pmu)
{
	uint32_t there = 0;
	unsigned int i;

	for (i = 0; i < PMU_COUNTERS; i++)
		there |= (uint32_t)(pmu->pmc[i].there && pmu->pmd[i].there) << i;
	return there;
}

int pmu_find_msr(const struct pmu *pmu, uint64_t msr)
{
	int i;

	for (i = 0; i < PMU_REGISTERS; i++)
		if (pmu->pmc[i].there && pmu->pmc[i].msr == msr)
			return i;
	return -1;
}
