// SPDX-License-Identifier: GPL-2.0-only
/*
 * The counters of the hardware, and what does not behave: strangers who switch counters
 * on, a status that comes late, NMIs that are not ours, interrupts that stay asserted. The
 * bench makes that trouble.
 *
 * Not here: interrupts that come late (hw_threads.c).
 */
#include "hw_bench.h"

/* Trouble of the bench's making, on all CPUs. */
static bool set_trouble(u32 msr, u64 value)
{
	int cpu, n = 0;

	for (cpu = 0; cpu < 64; cpu++)
		n += msr_access(cpu, msr, &value, true);
	return n;
}

/* Whether one register starts and stops all counters, and one says which overflowed. */
static bool has_global(void)
{
	char model[64];

	return read_text(SYSFS "/pmu_model", model, sizeof(model)) >= 0 &&
	       (!strncmp(model, "AMD PerfMonV2", 13) ||
		(!strncmp(model, "Intel architectural", 19) &&
		 strncmp(model, "Intel architectural 1", 21)));
}

#define NEED_TROUBLE()							\
	do {								\
		NEED_HW_INTERRUPT();					\
		NEED_ROOT();						\
		NEED_DEBUGFS();						\
		if (!set_trouble(BENCH_MSR_FOREIGN, 0))			\
			SKIP(return, "needs the bench's QEMU");		\
		if (!has_global())					\
			SKIP(return, "this PMU has no global registers"); \
	} while (0)

/*
 * Somebody else switches all counters on soon after we have stopped them: in an NMI, as
 * perf_events does for Intel PT, or silently, so that only the counters' own overflow
 * tells. What they count then is nobody's.
 */
TEST(strangers_do_not_count)
{
	const u64 late = 20000, period = 100000;
	u64 base, before, foreign, value;
	int fd, silent;

	NEED_TROUBLE();
	/* The next NMI would come before the handler of the last is through. */
	if (is_slow())
		SKIP(return, "strangers_do_not_count: this kernel is too slow");
	pin_somewhere();
	for (silent = 0; silent < 2; silent++) {
		fd = counter(0, HW_INSTRUCTIONS, HW_USER, 0, silent ? period : 0);
		base = measure(fd, 0, 1000);
		before = hw_value(fd, 0, 0, HW_INSTRUCTIONS);
		foreign = debugfs_sum("foreign");
		ASSERT_TRUE(set_trouble(BENCH_MSR_FOREIGN,
					late | (silent ? 0 : BENCH_FOREIGN_PMI)));
		run(fd, 1000);
		hw_loop(1000000);
		ASSERT_TRUE(set_trouble(BENCH_MSR_FOREIGN, 0));
		run(fd, 1000);
		value = hw_value(fd, 0, 0, HW_INSTRUCTIONS) - before;
		TH_LOG("%llu of %llu, found %llu times", value, 2 * base,
		       debugfs_sum("foreign") - foreign);
		EXPECT_LE(2 * base, value);
		EXPECT_GE(2 * base + 1000, value);
		EXPECT_LT(foreign, debugfs_sum("foreign"));
		close(fd);
	}
}

/* A status that comes when the counters stand already loses no overflow. */
TEST(a_late_status_loses_nothing)
{
	u64 sum, with, before, overflows;
	int fd, late;

	NEED_TROUBLE();
	pin_somewhere();
	for (late = 0, sum = 0; late < 2; late++) {
		ASSERT_TRUE(set_trouble(BENCH_MSR_LATE_STATUS, late ? 3000 : 0));
		fd = counter(0, HW_INSTRUCTIONS, HW_USER, 0, 0);
		hw_counter(fd, 0, 1, HW_INSTRUCTIONS, HW_USER, 0, 10007);
		before = debugfs_sum("overflows");
		with = measure(fd, 0, 1000000);
		overflows = debugfs_sum("overflows") - before;
		close(fd);
		/* Each is found, if late; and all is counted once. */
		EXPECT_LT(with / 10007 / 2, overflows);
		EXPECT_GE(with / 10007, overflows);
		if (late)
			EXPECT_EQ(sum, with);
		sum = with;
	}
	set_trouble(BENCH_MSR_LATE_STATUS, 0);
}

/*
 * Bits of the status that are not the counters' (CondChgd) explain no NMI: one that comes
 * then is passed on, for it may be that of a crash button.
 */
TEST(an_nmi_of_others_is_passed_on)
{
	const u64 change = 1ULL << 63;
	u64 one = 1;
	unsigned int said;
	int fd, cpu, i;

	NEED_TROUBLE();
	if (strncmp(hw_find()->model, "Intel", 5))
		SKIP(return, "this PMU's status has no such bit");
	cpu = pin_somewhere();
	fd = counter(0, HW_INSTRUCTIONS, HW_USER, 0, 0);
	MUST(pfm_start(fd));
	/* One can be taken for a late overflow's, for a tenth of a second. */
	for (i = 0; i < 20; i++) {
		said = kernel_said(UNKNOWN_NMI);
		ASSERT_TRUE(msr_access(cpu, BENCH_MSR_SET_STATUS, (u64 *)&change, true));
		ASSERT_TRUE(msr_access(cpu, BENCH_MSR_NMI, &one, true));
		if (kernel_said(UNKNOWN_NMI) > said)
			break;
		burn_ms(200);
	}
	EXPECT_GT(20, i);
	close(fd);
}

/*
 * An interrupt that stays asserted until the status is cleared and the counter written comes
 * once: LVTPC is unmasked after both, also where the overflow masks the context.
 */
TEST(an_asserted_interrupt_comes_once)
{
	const u64 period = 10007;
	u64 before, overflows, pmis, after;
	unsigned int said;
	int fd, cpu, notify;

	NEED_TROUBLE();
	if (strncmp(hw_find()->model, "Intel", 5))
		SKIP(return, "this PMU does not mask LVTPC");
	cpu = pin_somewhere();
	for (notify = 0; notify < 2; notify++) {
		fd = counter(0, HW_INSTRUCTIONS, HW_USER, notify ? PFM_REGFL_OVFL_NOTIFY : 0,
			     period);
		said = kernel_said(UNKNOWN_NMI);
		before = debugfs_sum("overflows");
		ASSERT_TRUE(msr_access(cpu, BENCH_MSR_PMIS, &pmis, false));
		ASSERT_TRUE(set_trouble(BENCH_MSR_ASSERT, 1));
		run(fd, 200000);
		ASSERT_TRUE(set_trouble(BENCH_MSR_ASSERT, 0));
		ASSERT_TRUE(msr_access(cpu, BENCH_MSR_PMIS, &after, false));
		overflows = debugfs_sum("overflows") - before;
		TH_LOG("%llu overflows, %llu interrupts", overflows, after - pmis);
		EXPECT_LE(notify ? 1ULL : 10ULL, overflows);
		/* One that waited for a lock is found by a look, and may come late. */
		EXPECT_GE(overflows + overflows / 10 + 1, after - pmis);
		EXPECT_EQ(said, kernel_said(UNKNOWN_NMI));
		close(fd);
	}
}

TEST_HARNESS_MAIN
