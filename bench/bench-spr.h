/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * Special-purpose registers of the bench's QEMU alone: what a run on a PowerPC with a
 * PMU costs. Any program can use them; elsewhere they are illegal instructions. The
 * numbers are those of target/ppc/pmu.h in bench/patches.
 */
#ifndef PERFMON_BENCH_SPR_H
#define PERFMON_BENCH_SPR_H

#define BENCH_SPR_READS	704	/* reads of PMU registers */
#define BENCH_SPR_WRITES	705	/* writes */
#define BENCH_SPR_PMIS		706	/* the counters' interrupts that were taken */
#define BENCH_SPR_SKID		707	/* cycles from an overflow to its interrupt, on all CPUs */
#define BENCH_SPR_EXECUTED	708	/* with -icount shift=0, instructions executed */
#define BENCH_SPR_QUIRKS	709
#define QUIRK_PMXE_STAYS	1	/* 604 to 745x: as some say of the 604 */
#define QUIRK_EDGE		2	/* 970, POWER: an alert when negative comes, not while it is */

#endif
