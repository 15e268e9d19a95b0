/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the measuring programs have to know of the machine: its count of executed
 * instructions, how often the PMU's registers have been accessed, and events of its PMU.
 *
 * On PowerPC both counts are registers that the bench's QEMU alone has (bench-spr.h).
 */
#ifndef COST_MACHINE_H
#define COST_MACHINE_H

#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define COUNTERS 4

/* The same four events for perfmon and perf_events, which count them at all levels. */
struct events {
	uint16_t pmc, pmd;		/* the first of them */
	uint64_t code[COUNTERS];
	uint32_t perf_type;
	uint64_t perf_code[COUNTERS];
	bool has_levels;		/* PMC @levels, if 0, lets all levels be counted */
	uint16_t levels;
};

struct model {
	const char *name;		/* how the name of the PMU's description begins */
	struct events events;
};

#ifdef __powerpc__

#include "../bench-spr.h"

#define READ_SPR(n) ({							\
	unsigned long v_;						\
									\
	__asm__ volatile("mfspr %0, %1" : "=r"(v_) : "i"(n));		\
	v_;								\
})

/* Executed instructions, if called at least once in four billion of them. */
static inline uint64_t executed(void)
{
	static uint64_t sum;

	sum += (uint32_t)(READ_SPR(BENCH_SPR_EXECUTED) - (uint32_t)sum);
	return sum;
}

static inline bool open_accesses(void)
{
	return true;
}

static inline uint32_t pmu_writes(void)
{
	return READ_SPR(BENCH_SPR_WRITES);
}

static inline uint32_t pmu_reads(void)
{
	return READ_SPR(BENCH_SPR_READS);
}

/* 2n instructions. */
static inline void loop(unsigned long n)
{
	__asm__ volatile("1:\taddic. %0,%0,-1\n\tbne 1b" : "+r"(n) : : "cr0", "xer");
}

/* Instructions and cycles; each counter has both. */
static const struct model models[] = {
	{ "PowerPC 7450", { 1, 1, { 2, 1, 2, 1 }, PERF_TYPE_RAW,
			    { 0x102, 0x201, 0x302, 0x401 },
			    true, 0 } },
	{ "POWER", { 1, 1, { 0x02, 0x1e, 0x02, 0x1e }, PERF_TYPE_RAW,
		     { 0x10002, 0x2001e, 0x30002, 0x4001e }, false, 0 } },
};
#define MODELS "745x or POWER"
#define SAMPLE_WRITES 3	/* the goal; 0: none */

#else

#include "../bench-msr.h"

static inline uint64_t executed(void)
{
	uint32_t low, high;

	__asm__ volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(BENCH_RDPMC_EXECUTED));
	return (uint64_t)high << 32 | low;
}

/* One instruction, and what it needs. */
#define REPEATED

static inline void repeated(void *to, unsigned long n)
{
	__asm__ volatile("rep stosb" : "+D"(to), "+c"(n) : "a"(0) : "memory");
}

static int msr = -1;

static inline bool open_accesses(void)
{
	msr = open("/dev/cpu/0/msr", O_RDWR);
	return msr >= 0;
}

static inline uint32_t msr_get(uint32_t n)
{
	uint64_t v = 0;

	if (pread(msr, &v, sizeof(v), n) != sizeof(v)) {
		perror("/dev/cpu/0/msr");
		_exit(1);
	}
	return v;
}

static inline uint32_t pmu_writes(void)
{
	return msr_get(BENCH_MSR_WRITES);
}

static inline uint32_t pmu_reads(void)
{
	return msr_get(BENCH_MSR_READS);
}

/* 2n instructions. */
static inline void loop(unsigned long n)
{
	__asm__ volatile("1:\tdec %0\n\tjnz 1b" : "+r"(n) : : "cc");
}

/*
 * Instructions, cycles, branches, mispredicted ones. In counter 0 perf_events would
 * measure the first two as fixed ones.
 */
static const struct model models[] = {
	{ "Intel architectural", { 0, 0, { 0x4300c0, 0x43003c, 0x4300c4, 0x4300c5 }, PERF_TYPE_RAW,
				   { 0xc0, 0x3c, 0xc4, 0xc5 }, false, 0 } },
};
#define MODELS "Intel"
#define SAMPLE_WRITES 0

#endif

#endif /* COST_MACHINE_H */
