/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Two events that every PMU has, instructions and cycles, by the name that the
 * kernel gives to the model; and code whose counts are known.
 *
 * Counter k, from 0 on, can count either, at the same time as all others.
 */
#ifndef HW_H
#define HW_H

#include "pfm_test.h"

#include <sys/klog.h>

enum hw_event { HW_INSTRUCTIONS, HW_CYCLES };
enum hw_level { HW_USER = 1, HW_KERNEL = 2, HW_BOTH = 3 };

struct hw {
	const char *model;		/* how pmu_model begins */
	unsigned int counters;		/* at most */
	u64 code[2];			/* of an event select register */
	int (*write)(int fd, __u16 set, unsigned int k, enum hw_event event,
		     enum hw_level level, u32 flags);
	unsigned int (*pmd)(unsigned int k, enum hw_event event);
	bool silent;			/* has no overflow interrupt */
	bool shares;			/* a thread's and the CPU's context can both use it */
};

static const struct hw *hw_find(void);

/* Where the vectors of controls are taken from, if they are to have any. */
static const pfarg_pmc_t *hw_template;

static inline int hw_write_one(int fd, __u16 set, unsigned int num, u64 value,
			       u32 flags)
{
	pfarg_pmc_t req = {};

	if (hw_template)
		req = *hw_template;
	req.reg_num = (__u16)num;
	req.reg_set = set;
	req.reg_value = value;
	req.reg_flags = flags;
	return pfm(fd, PFM_WRITE_PMCS, &req, 1);
}

static int hw_write_evtsel(int fd, __u16 set, unsigned int k, enum hw_event event,
			   enum hw_level level, u32 flags)
{
	return hw_write_one(fd, set, k, hw_find()->code[event] |
			    (u64)level << 16 | 1 << 22, flags);
}

static unsigned int hw_pmd_evtsel(unsigned int k, enum hw_event event)
{
	(void)event;
	return k;
}

/* CESR: event, and who in bits 6 and 7: kernel, user. Bit 8: clocks. */
static int hw_write_p5(int fd, __u16 set, unsigned int k, enum hw_event event,
		       enum hw_level level, u32 flags)
{
	u64 who = (level & HW_KERNEL ? 1 : 0) | (level & HW_USER ? 2 : 0);

	return hw_write_one(fd, set, k, hw_find()->code[event] | who << 6 |
			    (event == HW_CYCLES ? 1 << 8 : 0), flags);
}

/*
 * Instructions retired: CRU_ESCR0, counters 12 and 13. Unhalted cycles:
 * FSB_ESCR0, counters 0 and 1. With hyper-threading there are these, too.
 */
static unsigned int hw_pmd_p4(unsigned int k, enum hw_event event)
{
	return (event == HW_INSTRUCTIONS ? 12 : 0) + k;
}

static int hw_write_p4(int fd, __u16 set, unsigned int k, enum hw_event event,
		       enum hw_level level, u32 flags)
{
	bool instr = event == HW_INSTRUCTIONS;
	u64 code = instr ? 2ULL << 25 | 1 << 9 : 0x13ULL << 25 | 1 << 9;
	u64 who = (level & HW_USER ? 1 << 2 : 0) | (level & HW_KERNEL ? 1 << 3 : 0);
	int ret;

	ret = hw_write_one(fd, set, instr ? 0x38 : 0x22, code | who, 0);
	return ret ?: hw_write_one(fd, set, hw_pmd_p4(k, event),
				   1 << 12 | (instr ? 4 : 6) << 13, flags);
}

/*
 * PowerPC of 32 bits, and 970: who counts is in PMC 0, the rest of MMCR0, for all counters of
 * a set. PMC n is the event select of counter n; those that can count both events are 1 to 4,
 * of 970 to 8. On 970 a kernel can run in supervisor or in hypervisor state.
 */
static unsigned int hw_pmd_ppc(unsigned int k, enum hw_event event)
{
	(void)event;
	return k + 1;
}

static int hw_write_ppc(int fd, __u16 set, unsigned int k, enum hw_event event,
			enum hw_level level, u32 flags)
{
	u64 kernel = 1 << 30 | (hw_find()->counters == 8);
	u64 not = (level & HW_KERNEL ? 0 : kernel) | (level & HW_USER ? 0 : 1 << 29);
	int ret;

	ret = hw_write_one(fd, set, 0, not, 0);
	return ret ?: hw_write_one(fd, set, hw_pmd_ppc(k, event),
				   hw_find()->code[event], flags);
}

/* POWER: the code of perf_events, and above it who does not count, for each counter. */
static int hw_write_power(int fd, __u16 set, unsigned int k, enum hw_event event,
			  enum hw_level level, u32 flags)
{
	u64 not = (level & HW_KERNEL ? 0 : 5ULL << 32) | (level & HW_USER ? 0 : 2ULL << 32);

	return hw_write_one(fd, set, hw_pmd_ppc(k, event), hw_find()->code[event] | not,
			    flags);
}

static const struct hw hw_models[] = {
	{ "Intel architectural", 8, { 0xc0, 0x3c }, hw_write_evtsel,
	  hw_pmd_evtsel, false, true },
	{ "AMD", 6, { 0xc0, 0x76 }, hw_write_evtsel, hw_pmd_evtsel, false, true },
	{ "Intel P6", 2, { 0xc0, 0x79 }, hw_write_evtsel, hw_pmd_evtsel, false, true },
	{ "Intel P4", 2, { 0, 0 }, hw_write_p4, hw_pmd_p4, false, false },
	{ "Intel P5", 2, { 0x16, 0 }, hw_write_p5, hw_pmd_evtsel, true, true },
	{ "PowerPC", 4, { 2, 1 }, hw_write_ppc, hw_pmd_ppc, false, false },
	{ "PowerPC 970", 8, { 9, 15 }, hw_write_ppc, hw_pmd_ppc, false, false },
	{ "POWER", 4, { 0x02, 0x1e }, hw_write_power, hw_pmd_ppc, false, false },
};

/* The one with the longest name that the kernel's begins with. */
static const struct hw *hw_find(void)
{
	static const struct hw *found;
	size_t i, longest = 0, len;
	char model[64];

	if (found || read_text(SYSFS "/pmu_model", model, sizeof(model)) < 0)
		return found;
	for (i = 0; i < sizeof(hw_models) / sizeof(hw_models[0]); i++) {
		len = strlen(hw_models[i].model);
		if (len > longest && !strncmp(model, hw_models[i].model, len)) {
			found = &hw_models[i];
			longest = len;
		}
	}
	return found;
}

/* How many counters this processor has, of those that hw.h knows. */
static inline unsigned int hw_counters(void)
{
	unsigned int k;

	for (k = 0; k < hw_find()->counters; k++) {
		pfarg_pmdinfo_t info = {
			.reg_num = (__u16)hw_find()->pmd(k, HW_INSTRUCTIONS),
		};

		if (pfm(-1, PFM_GETINFO_PMDS, &info, 1))
			break;
	}
	return k;
}

/* Nehalem and Westmere on the metal: errata take counters that have nothing to do with it. */
static inline bool hw_unsettled(void)
{
	static const char *const models[] = { "26", "30", "31", "46", "37", "44", "47" };
	char text[8192], *model;
	size_t i;

	if (read_text("/proc/cpuinfo", text, sizeof(text)) < 0 || strstr(text, " hypervisor") ||
	    !strstr(text, "GenuineIntel") || !strstr(text, "cpu family\t: 6\n"))
		return false;
	model = strstr(text, "model\t\t: ");
	for (i = 0; model && i < sizeof(models) / sizeof(models[0]); i++)
		if (!strncmp(model + 9, models[i], 2) && model[11] == '\n')
			return true;
	return false;
}

/* Whether a thread's context and the CPU's can use this PMU at once. */
static inline bool hw_shares(void)
{
	return hw_find()->shares && !hw_unsettled();
}

/* Whether the kernel's name of the PMU begins like this. */
static inline bool hw_model_is(const char *begin)
{
	char model[64];

	return read_text(SYSFS "/pmu_model", model, sizeof(model)) > 0 &&
	       !strncmp(model, begin, strlen(begin));
}

/* Any PowerPC or POWER. */
static inline bool hw_is_ppc(void)
{
	return hw_find()->write == hw_write_ppc || hw_find()->write == hw_write_power;
}

/* 604 to 745x. */
static inline bool hw_is_ppc32(void)
{
	return hw_find()->write == hw_write_ppc && hw_find()->counters == 4;
}

/* Whether a set has one level for all of its counters. */
static inline bool hw_levels_are_per_set(void)
{
	return hw_find()->write == hw_write_ppc;
}

/* Of PowerPC not all have it, of one name; those without use all 32 bits. */
static inline bool hw_is_silent(void)
{
	pfarg_config_t cfg = {};

	if (hw_is_ppc())
		MUST(pfm(-1, PFM_GET_CONFIG, &cfg, 1));
	return hw_find()->silent || cfg.cf_counter_width == 32;
}

/* What the registers are. */
#ifdef __powerpc__
#define HW_REG_TYPE	PFM_REG_TYPE_SPR
#else
#define HW_REG_TYPE	PFM_REG_TYPE_MSR
#endif

#define NEED_HW()							\
	do {								\
		if (!hw_find())						\
			SKIP(return, "no PMU, or one without a name in hw.h"); \
	} while (0)

#define NEED_HW_INTERRUPT()						\
	do {								\
		NEED_HW();						\
		if (hw_is_silent())					\
			SKIP(return, "this PMU has no overflow interrupt"); \
	} while (0)

/* Counter @k counts @event, with a period unless that is 0. */
static inline void hw_counter(int fd, __u16 set, unsigned int k,
			      enum hw_event event, enum hw_level level,
			      u32 flags, u64 period)
{
	pfarg_pmd_t req = {
		.reg_num = (__u16)hw_find()->pmd(k, event), .reg_set = set,
		.reg_value = -period, .reg_long_reset = -period,
		.reg_short_reset = -period,
	};

	MUST(hw_find()->write(fd, set, k, event, level, flags));
	MUST(pfm(fd, PFM_WRITE_PMDS, &req, 1));
}

static inline u64 hw_value(int fd, __u16 set, unsigned int k, enum hw_event event)
{
	pfarg_pmd_t req = {
		.reg_num = (__u16)hw_find()->pmd(k, event), .reg_set = set,
	};

	MUST(pfm(fd, PFM_READ_PMDS, &req, 1));
	return req.reg_value;
}

/*
 * 2n instructions, on IA-64 3n with the two nops of a bundle, and the same few around them
 * wherever it is called.
 */
static __attribute__((noinline)) void hw_loop(unsigned long n)
{
#ifdef __powerpc__
	__asm__ volatile("1:\taddic. %0,%0,-1\n\tbne 1b" : "+b"(n) : : "cc", "xer");
#elif defined(__ia64__)
	__asm__ volatile("mov ar.lc=%0;;\n1:\tbr.cloop.sptk 1b;;" : : "r"(n - 1) : "ar.lc");
#else
	__asm__ volatile("1:\tdec %0\n\tjnz 1b" : "+r"(n) : : "cc");
#endif
}

/*
 * 64n instructions at user level. An emulator takes one step for a turn, whatever its length: so
 * it has counted 2^33 in two seconds.
 */
static __attribute__((noinline, unused)) void hw_long_loop(unsigned long n)
{
#ifdef __powerpc__
	__asm__ volatile("1:\t.rept 62\n\tnop\n\t.endr\n\taddic. %0,%0,-1\n\tbne 1b"
			 : "+b"(n) : : "cc", "xer");
#elif defined(__ia64__)
	hw_loop(n * 64 / 3);
#else
	__asm__ volatile("1:\t.rept 62\n\tnop\n\t.endr\n\tdec %0\n\tjnz 1b" : "+r"(n) : : "cc");
#endif
}

/* Once, so that wherever it is called it takes the same instructions. */
static __attribute__((noinline, unused)) void run(int fd, unsigned long n)
{
	MUST(pfm_start(fd));
	hw_loop(n);
	MUST(pfm_stop(fd));
}

/* Instructions at user level of one start, n turns of a loop, and one stop. */
static inline u64 measure(int fd, unsigned int k, unsigned long n)
{
	u64 before = hw_value(fd, 0, k, HW_INSTRUCTIONS);

	run(fd, n);
	return hw_value(fd, 0, k, HW_INSTRUCTIONS) - before;
}

/*
 * Whether the kernel has taken the interrupts of a context for a storm, and stopped it.
 * Where handlers take as long as the periods in between, as on debugging kernels, it does
 * so after half a second of them, in which a CPU may just have stood still. Then only part of
 * the run was counted, and it is repeated: so often at most.
 */
#define HW_RUNS		20

static inline bool hw_stormy(int fd)
{
	return pfm_fdinfo_num(fd, "pfm-throttled");
}

#define UNKNOWN_NMI	"NMI received for unknown reason"

/* How often the kernel has said so. */
static inline unsigned int kernel_said(const char *what)
{
	static char log[1 << 19];
	unsigned int n = 0;
	const char *p;
	int len;

	len = klogctl(3 /* SYSLOG_ACTION_READ_ALL */, log, sizeof(log) - 1);
	if (len < 0)
		die("the kernel's log: %s", strerror(errno));
	log[len] = '\0';
	for (p = log; (p = strstr(p, what)); p++)
		n++;
	return n;
}

#endif /* HW_H */
