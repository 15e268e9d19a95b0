/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The hardware PMU, as the kernel describes its registers. */
#ifndef COUNT_PMU_H
#define COUNT_PMU_H

#include <stdbool.h>
#include <stdint.h>

#include <perfmon/perfmon.h>

/* The hardware's registers have numbers below this one. */
#define PMU_REGISTERS	256

/* Counters that can count many events have numbers below this one, and others above. */
#define PMU_FIXED	16
#define PMU_COUNTERS	32

struct pmu_register {
	bool there;
	uint64_t msr;		/* or another index; only if there */
	uint64_t reserved;	/* bits that keep their defaults */
};

struct pmu {
	char model[64];		/* what the kernel calls it, "": there is none */
	char vendor[16];	/* the processor's, as /proc/cpuinfo has it; "": not known */
	unsigned int family, cpu;	/* the processor's, as /proc/cpuinfo has them; 0: not known */
	uint32_t pvr;			/* PowerPC's processor version register; 0: not known */
	uint32_t absent;		/* of x86: as of pmu_absent() */
	bool hybrid;			/* of x86: there are two kinds of cores, ... */
	char core[64], atom[64];	/* ... on these CPUs each; "": not known */
	struct pmu_register pmc[PMU_REGISTERS], pmd[PMU_REGISTERS];
};

/**
 * pmu_read() - ask the kernel for its description
 * @pmu: filled in; without a model if there is none
 *
 * Return: true if there is one.
 */
bool pmu_read(struct pmu *pmu);

/**
 * pmu_read_cpu() - which processor this is
 * @pmu:  its vendor, family, cpu and pvr are filled in as far as they are known
 * @path: of a file like /proc/cpuinfo, whose first processor is taken
 */
void pmu_read_cpu(struct pmu *pmu, const char *path);

/**
 * pmu_absent() - the architectural events that a processor of Intel's says it does not count
 * @eax: of CPUID's leaf 0xa
 * @ebx: of the same
 *
 * Return: a bit for each, as in EBX.
 */
uint32_t pmu_absent(uint32_t eax, uint32_t ebx);

/**
 * pmu_lacks() - does the processor say that it does not count an event?
 * @pmu:  description
 * @code: event and unit mask, as PerfEvtSel has them
 *
 * Return: true or false.
 */
bool pmu_lacks(const struct pmu *pmu, uint64_t code);

/**
 * pmu_is_architectural() - is it an event that all of Intel's processors count by this code?
 * @code: event and unit mask, as PerfEvtSel has them
 *
 * Return: true or false.
 */
bool pmu_is_architectural(uint64_t code);

/**
 * pmu_read_kinds() - are there two kinds of cores?
 * @pmu:    its hybrid, core and atom are filled in
 * @hybrid: what CPUID says, if Linux has no list of the CPUs of each kind
 * @dir:    where these are: /sys/devices
 */
void pmu_read_kinds(struct pmu *pmu, bool hybrid, const char *dir);

/**
 * pmu_is_other() - is it another maker's processor than its PMU's name says?
 * @pmu: description
 *
 * Zhaoxin's and Centaur's have Intel's registers and other events.
 *
 * Return: true or false.
 */
bool pmu_is_other(const struct pmu *pmu);

/**
 * pmu_counters() - which pairs of a control and a counter of the same number there are
 * @pmu: description
 *
 * Return: a bit for each number below PMU_COUNTERS.
 */
uint32_t pmu_counters(const struct pmu *pmu);

/**
 * pmu_find_msr() - the control register that is an MSR
 * @pmu: description
 * @msr: address
 *
 * Return: its number, or -1.
 */
int pmu_find_msr(const struct pmu *pmu, uint64_t msr);

#endif /* COUNT_PMU_H */
