/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * What a run costs in accesses to the PMU, counted by the bench's QEMU in each
 * CPU that has one. Model specific registers that may be written, to begin anew.
 */
#ifndef PERFMON_BENCH_MSR_H
#define PERFMON_BENCH_MSR_H

#define BENCH_MSR_READS		0x40007000	/* of PMU registers, and RDPMC */
#define BENCH_MSR_WRITES	0x40007001	/* of PMU registers */
#define BENCH_MSR_PMIS		0x40007002	/* interrupts that LVTPC delivered */

/* How many cycles after an overflow its interrupt comes: 0 unless written */
#define BENCH_MSR_SKID		0x40007003

#endif
