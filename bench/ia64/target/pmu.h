/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * IA-64: the performance monitoring unit
 *
 * What the rest of the CPU needs of it. The counting itself is in accel/tcg/pmu-core.c.
 */
#ifndef IA64_PMU_H
#define IA64_PMU_H

#define PMU_MAX_COUNTERS 12

/* Registers of the emulator alone, by numbers of PMCs, at all levels: bench/bench-pmc.h */
enum {
    BENCH_READS = 240, BENCH_WRITES, BENCH_INTERRUPTS, BENCH_SKID, BENCH_EXECUTED,
    BENCH_ADDRESS, BENCH_DATA_EVENT, BENCH_CODE_EVENT,
    BENCH_FIRST = BENCH_READS
};

/* Branches, as the trace buffer can tell them apart; 0 is none */
enum { BRANCH_RELATIVE = 1, BRANCH_RETURN = 2, BRANCH_INDIRECT = 3, BRANCH_TAKEN = 4 };

typedef struct IA64PMUModel IA64PMUModel;

#define PMU_NR_REGISTERS 64     /* none has a PMC or PMD of a higher number */

typedef struct PMURegisters {
    const IA64PMUModel *model;
    uint64_t pmc[PMU_NR_REGISTERS];
    uint64_t pmd[PMU_NR_REGISTERS];     /* but for counters, which have theirs */
    uint16_t trace_modes;       /* where branches are captured, as PMUCounter.modes */
    uint32_t flags;             /* of blocks: TB_PMU, TB_BTB, TB_RANGE */
    uint64_t address;           /* BENCH_ADDRESS */
} PMURegisters;

#include "exec/pmu-core.h"

void ia64_pmu_reset(CPUArchState *env);
void ia64_pmu_count_range(CPUArchState *env, uint64_t address, int by);
uint64_t ia64_perf_mon_info(CPUArchState *env, uint64_t masks[16]);

#endif
