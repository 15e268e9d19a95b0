// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the machine does to contexts. It sleeps (ACPI S3), its processors lose their
 * registers, and it wakes up: contexts go on where they were. It sends NMIs of its
 * own: those are not ours.
 *
 * Process 1 of a guest of its own, with nothing but this file (scripts/test-machine):
 * the root file system that other tests have is on a device that does not
 * survive sleep, and the host listens to what we say.
 */
#include "../../selftests/hw.h"

#include <sys/mount.h>
#include <sys/reboot.h>

#define STATE	"/sys/power/state"

static u64 sleeps(void)
{
	char buf[32];

	MUST(read_text("/sys/power/suspend_stats/success", buf, sizeof(buf)));
	return strtoull(buf, NULL, 10);
}

/* What makes it sleep, until the host wakes it up, or a file that does nothing. */
static int state;

static void go(bool asleep)
{
	state = (int)MUST(open(asleep ? STATE : "/state",
			       O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
}

/* The same instructions in both cases. */
static __attribute__((noinline)) void nod(void)
{
	MUST(write(state, "mem", 3));
}

static void gone(void)
{
	close(state);
}

static u64 count(int fd, bool asleep)
{
	u64 before = hw_value(fd, 0, 0, HW_INSTRUCTIONS);

	go(asleep);
	MUST(pfm_start(fd));
	hw_loop(100000);
	nod();
	hw_loop(100000);
	MUST(pfm_stop(fd));
	gone();
	return hw_value(fd, 0, 0, HW_INSTRUCTIONS) - before;
}

/* On the CPU that goes to sleep last, in the midst of counting. */
TEST(thread_counts_on)
{
	u64 base, slept = sleeps();
	int fd, n;

	ASSERT_NE(NULL, hw_find());
	pin_cpu(0);
	fd = (int)MUST(pfm_create(0));
	hw_counter(fd, 0, 0, HW_INSTRUCTIONS, HW_USER, 0, 0);
	MUST(pfm_load(fd, my_tid()));
	base = count(fd, false);
	EXPECT_LE(400000ULL, base);
	for (n = 0; n < 2; n++)
		EXPECT_EQ(base, count(fd, true));
	EXPECT_EQ(slept + 2, sleeps());
	close(fd);
}

/* A period goes on, too, and its interrupt finds its way again. */
TEST(period_goes_on)
{
	int fd = (int)MUST(pfm_create(0)), n;

	pin_cpu(0);
	hw_counter(fd, 0, 0, HW_INSTRUCTIONS, HW_USER, PFM_REGFL_OVFL_NOTIFY, 300000);
	MUST(pfm_load(fd, my_tid()));
	go(true);
	MUST(pfm_start(fd));
	hw_loop(100000);
	nod();
	EXPECT_EQ(0, pfm_poll(fd, 0));
	hw_loop(60000);
	gone();
	for (n = 0; n < 5; n++) {
		ASSERT_EQ(PFM_MSG_OVFL, pfm_next_msg(fd, NULL, 5000));
		EXPECT_GT(1000ULL, hw_value(fd, 0, 0, HW_INSTRUCTIONS));
		MUST(pfm_restart(fd));
		hw_loop(160000);
	}
	close(fd);
}

/* The boot CPU keeps its context; the other one is unplugged meanwhile. */
TEST(system_wide_stays_and_goes)
{
	int cpus[2], fd[2], i;
	u64 seen;

	NEED_CPUS(cpus, 2);
	for (i = 0; i < 2; i++) {
		pin_cpu(cpus[i]);
		fd[i] = (int)MUST(pfm_create(PFM_FL_SYSTEM_WIDE));
		hw_counter(fd[i], 0, 0, HW_INSTRUCTIONS, HW_USER, 0, 0);
		MUST(pfm_load(fd[i], my_tid()));
		MUST(pfm_start(fd[i]));
		hw_loop(100000);
	}
	pin_cpu(cpus[0]);
	seen = hw_value(fd[0], 0, 0, HW_INSTRUCTIONS);
	EXPECT_LE(200000ULL, seen);
	go(true);
	nod();
	gone();
	hw_loop(100000);
	EXPECT_LE(seen + 200000, hw_value(fd[0], 0, 0, HW_INSTRUCTIONS));
	EXPECT_TRUE(pfm_state_is(fd[0], "loaded"));
	EXPECT_TRUE(pfm_state_is(fd[1], "unloaded"));
	EXPECT_LE(200000ULL, hw_value(fd[1], 0, 0, HW_INSTRUCTIONS));
	close(fd[0]);
	close(fd[1]);
}

/*
 * An NMI without a cause: perfmon passes it on, and no count changes. It comes to CPU 0 at any
 * moment, and is spurious if a context is live there: so that is the CPU's, not that of a
 * thread, in whose place another one may run just then.
 */
TEST(foreign_nmi_is_passed_on)
{
	u64 spurious = debugfs_sum("spurious"), ask, base;
	unsigned int said = kernel_said(UNKNOWN_NMI), now;
	int fd = (int)MUST(pfm_create(PFM_FL_SYSTEM_WIDE)), n, tries;

	pin_cpu(0);
	hw_counter(fd, 0, 0, HW_INSTRUCTIONS, HW_USER, PFM_REGFL_OVFL_NOTIFY,
		   1000000000);
	MUST(pfm_load(fd, my_tid()));
	base = measure(fd, 0, 10000);
	for (n = 0; n < 3; n++) {
		MUST(pfm_start(fd));
		/* The host may not hear us the first time. */
		for (tries = 0, now = said; tries < 12 && now == said; tries++) {
			printf("\nthe host is to inject an NMI\n");
			fflush(stdout);
			ask = now_ns(CLOCK_MONOTONIC) + 5 * NSEC_PER_SEC;
			do
				now = kernel_said(UNKNOWN_NMI);
			while (now == said && now_ns(CLOCK_MONOTONIC) < ask);
		}
		EXPECT_LT(said, now);
		sleep_ms(500);
		now = kernel_said(UNKNOWN_NMI);
		MUST(pfm_stop(fd));
		/* Of two in a row the kernel may swallow one, after we saw both. */
		EXPECT_LE(spurious + now - said, debugfs_sum("spurious"));
		spurious = debugfs_sum("spurious");
		said = now;
		EXPECT_TRUE(pfm_state_is(fd, "loaded"));
		EXPECT_EQ(0, pfm_poll(fd, 0));
		EXPECT_EQ(base, measure(fd, 0, 10000));
	}
	close(fd);
}

int main(int argc, char **argv)
{
	pid_t pid;

	MUST(mount("proc", "/proc", "proc", 0, NULL));
	MUST(mount("sysfs", "/sys", "sysfs", 0, NULL));
	MUST(mount("debugfs", "/sys/kernel/debug", "debugfs", 0, NULL));
	pid = (pid_t)MUST(fork());
	if (!pid)
		return test_harness_run(argc, argv);
	waitpid(pid, NULL, 0);
	printf("END\n");
	fflush(stdout);
	/* QEMU ends with -no-reboot. */
	reboot(RB_AUTOBOOT);
	return 1;
}
