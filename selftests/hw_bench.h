/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The bench's QEMU, whose overflow interrupts come as late as we say; and counts
 * that are exact there, where elsewhere a few events are dropped: those between an
 * overflow and the end of its interrupt's handler are nobody's.
 */
#ifndef HW_BENCH_H
#define HW_BENCH_H

#include "hw.h"

#include "bench/bench-msr.h"
#include "bench/bench-spr.h"

#include <linux/perf_event.h>
#include <setjmp.h>

#ifdef __powerpc__

/*
 * A register of the PMU, by its number; root's. The kernel has files for some, with
 * numbers as text. A counter may count what we do here, in a test that expects the same
 * count twice: so any number takes the same instructions, whatever its digits are.
 */
static inline bool msr_access(int cpu, u32 spr, u64 *value, bool store)
{
	static const struct {
		u32 spr;
		const char *name;
	} files[] = {
		{ 944, "mmcr2" }, { 945, "pmc5" }, { 946, "pmc6" }, { 952, "mmcr0" },
		{ 953, "pmc1" }, { 954, "pmc2" }, { 956, "mmcr1" }, { 957, "pmc3" },
		{ 958, "pmc4" },
		/* Of 64 bits. */
		{ 786, "mmcra" }, { 787, "pmc1" }, { 788, "pmc2" }, { 789, "pmc3" },
		{ 790, "pmc4" }, { 791, "pmc5" }, { 792, "pmc6" }, { 795, "mmcr0" },
		{ 798, "mmcr1" },
	};
	static const unsigned char scale[256] = {
		[0] = 1, ['0' ... '9'] = 16, ['a' ... 'f'] = 16,
	};
	static const unsigned char digits[256] = {
		['1'] = 1, 2, 3, 4, 5, 6, 7, 8, 9, ['a'] = 10, 11, 12, 13, 14, 15,
	};
	char path[80], text[32] = "";
	size_t i, digit;

	for (i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		if (files[i].spr != spr)
			continue;
		snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/%s", cpu,
			 files[i].name);
		if (store) {
			for (digit = 0; digit < 8; digit++)
				text[digit] = "0123456789abcdef"[*value >> (28 - 4 * digit) & 15];
			text[8] = '\0';
			return !write_text(path, text);
		}
		if (read_text(path, text, sizeof(text)) < 0)
			return false;
		for (digit = 0, *value = 0; digit < 16; digit++) {
			unsigned char c = (unsigned char)text[digit];

			*value = *value * scale[c] + digits[c];
		}
		return true;
	}
	return false;
}

static sigjmp_buf bench_jump;

static inline void bench_is_not(int sig)
{
	(void)sig;
	siglongjmp(bench_jump, 1);
}

/* Elsewhere the bench's registers are illegal instructions. */
static inline bool is_bench(void)
{
	static int is = -1;
	void (*old)(int);

	if (is < 0) {
		old = signal(SIGILL, bench_is_not);
		is = !sigsetjmp(bench_jump, 1);
		if (is)
			__asm__ volatile("mtspr %0,%1" : : "i"(BENCH_SPR_SKID), "r"(0L));
		signal(SIGILL, old);
	}
	return is;
}

/* The bench's QEMU, to which we may talk: its interrupts are as late as we say. */
static inline bool set_skid(u64 cycles)
{
	if (!is_bench())
		return false;
	__asm__ volatile("mtspr %0,%1" : : "i"(BENCH_SPR_SKID), "r"((long)cycles));
	return true;
}

#else

/* A model specific register of a CPU; root's. */
static inline bool msr_access(int cpu, u32 msr, u64 *value, bool store)
{
	char path[64];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/dev/cpu/%d/msr", cpu);
	fd = open(path, (store ? O_WRONLY : O_RDONLY) | O_CLOEXEC);
	if (fd < 0)
		return false;
	n = store ? pwrite(fd, value, sizeof(*value), msr) :
		    pread(fd, value, sizeof(*value), msr);
	close(fd);
	return n == sizeof(*value);
}

/* The bench's QEMU, to which we may talk: its interrupts are as late as we say. */
static inline bool set_skid(u64 cycles)
{
	int cpu, n = 0;

	for (cpu = 0; cpu < 64; cpu++)
		n += msr_access(cpu, BENCH_MSR_SKID, &cycles, true);
	return n;
}

#endif

/* The most user instructions that an interrupt is late, where we cannot say. */
#define HW_LATE		2000ULL

/* @have events where @want have happened, and @interrupts overflows among them. */
#define EXPECT_EVENTS(want, have, interrupts)				\
do {									\
	u64 __want = (want), __have = (have);				\
	u64 __drop = set_skid(0) ? 0 : (interrupts) * HW_LATE;		\
									\
	EXPECT_GE(__want, __have);					\
	EXPECT_LE(__want, __have + __drop);				\
} while (0)

/* All user instructions of run() with @n turns, as a counter without a period says. */
static inline u64 hw_total(unsigned long n)
{
	int fd = (int)MUST(pfm_create(0));
	u64 total;

	hw_counter(fd, 0, 0, HW_INSTRUCTIONS, HW_USER, 0, 0);
	MUST(pfm_load(fd, my_tid()));
	run(fd, n);
	total = hw_value(fd, 0, 0, HW_INSTRUCTIONS);
	close(fd);
	return total;
}

/* What hw_more() adds to a control. */
struct hw_more {
	u64 smpl_pmds[PFM_MAX_PMD_BITVECTOR];
	u64 reset_pmds[PFM_MAX_PMD_BITVECTOR];
	u64 eventid;
	u64 random_mask;
	u32 random_seed;
	u64 thres;
};

/* As hw_counter(), with all fields of the two registers. */
static inline void hw_counter_more(int fd, __u16 set, unsigned int k, u32 flags,
				   u64 period, const struct hw_more *more)
{
	pfarg_pmd_t pmd = {
		.reg_num = (__u16)hw_find()->pmd(k, HW_INSTRUCTIONS),
		.reg_set = set, .reg_value = -period, .reg_long_reset = -period,
		.reg_short_reset = -period, .reg_ovflsw_thres = more->thres,
		.reg_random_mask = more->random_mask,
		.reg_random_seed = more->random_seed,
	};
	pfarg_pmc_t pmc = { .reg_smpl_eventid = more->eventid };

	memcpy(pmc.reg_smpl_pmds, more->smpl_pmds, sizeof(more->smpl_pmds));
	memcpy(pmc.reg_reset_pmds, more->reset_pmds, sizeof(more->reset_pmds));
	hw_template = &pmc;
	MUST(hw_find()->write(fd, set, k, HW_INSTRUCTIONS, HW_USER, flags));
	hw_template = NULL;
	MUST(pfm(fd, PFM_WRITE_PMDS, &pmd, 1));
}

static inline u64 last_reset_of(int fd, unsigned int k)
{
	pfarg_pmd_t req = { .reg_num = (__u16)hw_find()->pmd(k, HW_INSTRUCTIONS) };

	MUST(pfm(fd, PFM_READ_PMDS, &req, 1));
	return req.reg_last_reset_val;
}

static inline u64 hw_runs(int fd, __u16 set)
{
	pfarg_setinfo_t info = { .set_id = set };

	MUST(pfm(fd, PFM_GETINFO_EVTSETS, &info, 1));
	return info.set_runs;
}

/* A context of the caller's own with one counter. */
static inline int counter(unsigned int k, enum hw_event event, enum hw_level level,
			  u32 flags, u64 period)
{
	int fd = (int)MUST(pfm_create(0));

	hw_counter(fd, 0, k, event, level, flags, period);
	MUST(pfm_load(fd, my_tid()));
	return fd;
}

#define MMCR0_64	795	/* the number of MMCR0 on PowerPC of 64 bits */

/* The registers of the first counter and its control, if they hold just these. */
static inline bool first_counter(int cpu, u64 *counter, u64 *control)
{
	pfarg_pmdinfo_t pmd = {};
	pfarg_pmcinfo_t pmc = {};
	u32 address;

	if (!strcmp(hw_find()->model, "Intel P4") || hw_find()->silent)
		return false;
	pmd.reg_num = (__u16)hw_find()->pmd(0, HW_INSTRUCTIONS);
	MUST(pfm(-1, PFM_GETINFO_PMDS, &pmd, 1));
	/* POWER has no PMC 0: take MMCR0 by its number. */
	address = MMCR0_64;
	if (!hw_is_ppc() || hw_levels_are_per_set()) {
		MUST(pfm(-1, PFM_GETINFO_PMCS, &pmc, 1));
		address = (u32)pmc.reg_index;
	}
	return msr_access(cpu, (u32)pmd.reg_index, counter, false) &&
	       msr_access(cpu, address, control, false);
}

/* Whether such a control has its counter off. */
static inline bool control_is_off(u64 control)
{
	return hw_is_ppc() ? control >> 31 & 1 : !(control & 1 << 22);
}

/* An event of the caller's own, of perf_events; or -errno. */
static inline int perf_event(u64 config)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = config,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1,
			      PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

#endif /* HW_BENCH_H */
