/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * What a run on an IA-64 processor costs in accesses to the PMU, and events that it has no caches
 * for: numbers of PMCs that the bench's QEMU alone has, for `mov' at all privilege levels. On
 * silicon they are 0, and a program may not read them. The numbers are those of ia64/target/pmu.h.
 */
#ifndef PERFMON_BENCH_PMC_H
#define PERFMON_BENCH_PMC_H

#define BENCH_PMC_READS		240	/* of PMCs and PMDs */
#define BENCH_PMC_WRITES	241
#define BENCH_PMC_PMIS		242	/* interrupts that cr.pmv has let through */
#define BENCH_PMC_SKID		243	/* cycles from an overflow to its interrupt; 0 unless written */
#define BENCH_PMC_EXECUTED	244	/* with -icount shift=0, instructions executed */

/* The address of the events that a write to one of the next two registers makes */
#define BENCH_PMC_ADDRESS	245
/* A load by the writing instruction; what is written goes to the register of its latency */
#define BENCH_PMC_DATA_EVENT	246
/* A fetch: its latency in bits 15:0, bits 1:0 of the register of its address in bits 17:16 */
#define BENCH_PMC_CODE_EVENT	247

#endif
