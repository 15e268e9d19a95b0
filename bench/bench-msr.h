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

/*
 * Trouble that real machines make; 0 unless written. How many cycles after an
 * overflow its bit in the status, and what follows from that, comes
 */
#define BENCH_MSR_LATE_STATUS	0x40007004
/*
 * How many cycles after a write of 0 to the global control register all of its
 * bits are set, as by a firmware or another driver; with a counters' interrupt
 */
#define BENCH_MSR_FOREIGN	0x40007005
#define BENCH_FOREIGN_PMI	(1ULL << 63)
/* A write sets these bits of the status register */
#define BENCH_MSR_SET_STATUS	0x40007006
/* A write sends this CPU an NMI that is not the counters' */
#define BENCH_MSR_NMI		0x40007007
/*
 * Intel's: not 0, LVTPC interrupts again when it is unmasked while the status has an overflow,
 * or a counter that has overflowed was not written since
 */
#define BENCH_MSR_ASSERT	0x40007008

/*
 * A number of RDPMC, not of an MSR, at all levels: with -icount shift=0, instructions
 * executed, of which a repeated one counts once. The TSC has each turn of it.
 */
#define BENCH_RDPMC_EXECUTED	0x40007009

#endif
