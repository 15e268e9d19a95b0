// SPDX-License-Identifier: GPL-2.0-only
/*
 * PowerPC of 32 bits: which processors' counters interrupt, who is counted by default, the
 * counters that count cycles only, and an interrupt that does not turn itself off. POWER: the
 * counters that have one event, codes, and whether the kernel tells a hypervisor that the
 * counters are in use. QEMU's own counters, which the kernel must not take for a PMU.
 *
 * Not here: the bits of the controls (hw.c), programs that read counters (hw_rights.c), what
 * happens to negative counters (KUnit, arch/ppc/perfmon/tests).
 */
#include "hw_bench.h"

#define NEED_PPC()							\
	do {								\
		NEED_HW();						\
		if (!hw_is_ppc32())					\
			SKIP(return, "not a PowerPC of 32 bits");	\
	} while (0)

/* Not where an erratum forbids it, unless the administrator accepts that. */
TEST(interrupts_by_the_errata)
{
	unsigned int version, revision;
	char cmdline[4096], *pvr, text[64];
	bool erratum;

	NEED_PPC();
	ASSERT_TRUE(text_field("/proc/cpuinfo", "revision", text, sizeof(text)));
	pvr = strstr(text, "(pvr ");
	ASSERT_NE(NULL, pvr);
	ASSERT_EQ(2, sscanf(pvr, "(pvr %x %x)", &version, &revision));
	ASSERT_LT(0, read_text("/proc/cmdline", cmdline, sizeof(cmdline)));
	/* 740 and 750, 7400, 7410 before its revision 1.3. */
	erratum = version == 0x0008 || version == 0x000c ||
		  (version == 0x800c && revision < 0x1103);
	TH_LOG("%04x %04x", version, revision);
	if (strstr(cmdline, "perfmon_ppc_pmi=1"))
		erratum = false;
	EXPECT_EQ(erratum, hw_is_silent());
}

/* A set that says nothing of levels counts the program, and not the kernel. */
TEST(a_program_alone_by_default)
{
	u64 user;
	int fd;

	NEED_PPC();
	fd = counter(0, HW_INSTRUCTIONS, HW_USER, 0, 0);
	user = measure(fd, 0, 100000);
	close(fd);
	fd = (int)MUST(pfm_create(0));
	MUST(hw_write_one(fd, 0, hw_find()->pmd(0, HW_INSTRUCTIONS),
			  hw_find()->code[HW_INSTRUCTIONS], 0));
	MUST(pfm_load(fd, my_tid()));
	EXPECT_EQ(user, measure(fd, 0, 100000));
	close(fd);
}

/* Counter @num, of cycles at user level. */
static void cycles(int fd, unsigned int num, u32 flags, u64 period)
{
	pfarg_pmd_t req = {
		.reg_num = (__u16)num, .reg_value = -period,
		.reg_long_reset = -period, .reg_short_reset = -period,
	};

	MUST(hw_write_one(fd, 0, 0, 1 << 30, 0));
	MUST(hw_write_one(fd, 0, num, 1, flags));
	MUST(pfm(fd, PFM_WRITE_PMDS, &req, 1));
}

/* Of ten overflows of the caller's own code, how many are told before one is not. */
static unsigned int overflows_told(int fd)
{
	unsigned int n;

	MUST(pfm_load(fd, my_tid()));
	MUST(pfm_start(fd));
	for (n = 0; n < 10; n++) {
		hw_loop(1000000);
		if (pfm_next_msg(fd, NULL, 5000) != PFM_MSG_OVFL)
			break;
		MUST(pfm_restart(fd));
	}
	return n;
}

/* Counters 5 and 6 of the 745x: the same cycles, and overflows. */
TEST(the_last_counters)
{
	u64 first, value;
	unsigned int num;
	int fd;

	NEED_PPC();
	if (!hw_model_is("PowerPC 7450"))
		SKIP(return, "all counters are like the first");
	fd = (int)MUST(pfm_create(0));
	for (num = 1; num <= 6; num++)
		cycles(fd, num, 0, 0);
	MUST(pfm_load(fd, my_tid()));
	run(fd, 1000000);
	MUST(pfm_read_pmd(fd, 1, &first));
	EXPECT_LE(100000ULL, first);
	for (num = 2; num <= 6; num++) {
		MUST(pfm_read_pmd(fd, num, &value));
		if (set_skid(0))
			EXPECT_EQ(first, value);
		EXPECT_LE(first - first / 100, value);
		EXPECT_GE(first + first / 100, value);
	}
	close(fd);

	for (num = 5; num <= 6; num++) {
		fd = (int)MUST(pfm_create(0));
		cycles(fd, num, PFM_REGFL_OVFL_NOTIFY, 100000);
		EXPECT_EQ(10U, overflows_told(fd));
		close(fd);
	}
}

/* The bench's QEMU has them. */
static bool set_quirks(unsigned long value)
{
#ifdef __powerpc__
	if (!is_bench())
		return false;
	__asm__ volatile("mtspr %0,%1" : : "i"(BENCH_SPR_QUIRKS), "r"(value));
	return true;
#else
	(void)value;
	return false;
#endif
}

/*
 * Some say of the 604 that its interrupt leaves the enable bit as it is: then it
 * comes again until the kernel has cleared that, or no counter is negative.
 */
TEST(interrupt_that_stays)
{
	u64 before, overflows, interrupts, total;
	int fd;

	NEED_PPC();
	NEED_HW_INTERRUPT();
	NEED_DEBUGFS();
	if (!set_quirks(0))
		SKIP(return, "needs the bench's QEMU");
	total = hw_total(500000);
	before = debugfs_sum("overflows");
	interrupts = debugfs_sum("late") + debugfs_sum("spurious");
	set_quirks(QUIRK_PMXE_STAYS);
	fd = counter(0, HW_INSTRUCTIONS, HW_USER, 0, 10007);
	run(fd, 500000);
	close(fd);
	set_quirks(0);
	overflows = debugfs_sum("overflows") - before;
	interrupts = debugfs_sum("late") + debugfs_sum("spurious") - interrupts;
	TH_LOG("%llu overflows, %llu interrupts of none", overflows, interrupts);
	EXPECT_EQ(total / 10007, overflows);
	/* A switch of threads may find an overflow before its interrupt comes. */
	EXPECT_GT(overflows / 10, interrupts);
}

#define NEED_POWER()							\
	do {								\
		NEED_HW();						\
		if (!hw_model_is("POWER"))				\
			SKIP(return, "not a POWER");			\
	} while (0)

#define POWER_USER	(5ULL << 32)

/* Counter 5 has instructions and counter 6 cycles: the same as any other, and overflows. */
TEST(power_run_counters)
{
	u64 instructions, cycles, value;
	unsigned int k;
	int fd;

	NEED_POWER();
	fd = (int)MUST(pfm_create(0));
	hw_counter(fd, 0, 0, HW_INSTRUCTIONS, HW_USER, 0, 0);
	hw_counter(fd, 0, 1, HW_CYCLES, HW_USER, 0, 0);
	MUST(hw_write_one(fd, 0, 5, 0x500fa | POWER_USER, 0));
	MUST(hw_write_one(fd, 0, 6, 0xf4 | POWER_USER, 0));
	MUST(pfm_load(fd, my_tid()));
	run(fd, 1000000);
	instructions = hw_value(fd, 0, 0, HW_INSTRUCTIONS);
	cycles = hw_value(fd, 0, 1, HW_CYCLES);
	EXPECT_LE(2000000ULL, instructions);
	MUST(pfm_read_pmd(fd, 5, &value));
	EXPECT_EQ(instructions, value);
	MUST(pfm_read_pmd(fd, 6, &value));
	if (set_skid(0))
		EXPECT_EQ(cycles, value);
	EXPECT_LE(cycles - cycles / 100, value);
	EXPECT_GE(cycles + cycles / 100, value);
	close(fd);

	for (k = 5; k <= 6; k++) {
		pfarg_pmd_t req = {
			.reg_num = (__u16)k, .reg_value = -100000ULL,
			.reg_long_reset = -100000ULL, .reg_short_reset = -100000ULL,
		};

		fd = (int)MUST(pfm_create(0));
		MUST(hw_write_one(fd, 0, k, (k == 5 ? 0xfa : 0xf4) | POWER_USER,
				  PFM_REGFL_OVFL_NOTIFY));
		MUST(pfm(fd, PFM_WRITE_PMDS, &req, 1));
		EXPECT_EQ(10U, overflows_told(fd));
		close(fd);
	}
}

/* The number in a code is this counter's or none; two counters have one event each. */
TEST(power_codes)
{
	unsigned int n;
	int fd;

	NEED_POWER();
	fd = (int)MUST(pfm_create(0));
	for (n = 1; n <= 6; n++) {
		u64 code = n == 5 ? 0xfa : n == 6 ? 0xf4 : 0x02;

		EXPECT_EQ(0, hw_write_one(fd, 0, n, POWER_USER | code, 0));
		EXPECT_EQ(0, hw_write_one(fd, 0, n, POWER_USER | code | n << 16, 0));
		EXPECT_EQ(-EINVAL, hw_write_one(fd, 0, n, POWER_USER | code |
						(n % 6 + 1) << 16, 0));
		EXPECT_EQ(n <= 4 ? 0 : -EINVAL, hw_write_one(fd, 0, n, POWER_USER | 0x1e, 0));
	}
	close(fd);
}

/* Whether the kernel tells the hypervisor that @cpu's counters are in use; -1 if there is none. */
static int told_in_use(int cpu)
{
	unsigned char in_use;
	char path[64];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/sys/kernel/debug/powerpc/vpa/cpu-%d", cpu);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	/* The file is the kernel's struct lppaca of this CPU; its byte 0xbb is pmcregs_in_use. */
	n = pread(fd, &in_use, 1, 0xbb);
	close(fd);
	return n == 1 ? in_use : -1;
}

static bool told_becomes(int cpu, int want)
{
	int n;

	for (n = 0; n < PATIENCE && told_in_use(cpu) != want; n++)
		sleep_ms(1);
	return told_in_use(cpu) == want;
}

/* A hypervisor has to save a CPU's counters from the first context there until the last is gone. */
TEST(hypervisors_are_told)
{
	int fd, cpu;

	NEED_POWER();
	NEED_DEBUGFS();
	cpu = pin_somewhere();
	if (told_in_use(cpu) < 0)
		SKIP(return, "no hypervisor, or its areas have no files");
	EXPECT_TRUE(told_becomes(cpu, 0));
	fd = counter(0, HW_INSTRUCTIONS, HW_USER, 0, 0);
	run(fd, 1000);
	/* It is stopped, with its counts still in the registers. */
	EXPECT_EQ(1, told_in_use(cpu));
	close(fd);
	EXPECT_TRUE(told_becomes(cpu, 0));
}

/* Whether this is QEMU, but not the bench's. */
static bool is_stock_qemu(void)
{
#ifdef __powerpc__
	char machine[64] = "";

	if (is_bench())
		return false;
	if (text_field("/proc/cpuinfo", "machine", machine, sizeof(machine)) &&
	    strstr(machine, "emulated by qemu"))
		return true;
	/* A Macintosh of QEMU's has a serial number of nothing but zeros. */
	return read_text("/proc/device-tree/system-id", machine, sizeof(machine)) > 0 &&
	       machine[0] && strspn(machine, "0") == strlen(machine);
#else
	return false;
#endif
}

/*
 * Whether the kernel has said since boot what has @one and then @other in one line. Not by
 * kernel_said(), which does not see what run.sh has cleared.
 */
static bool said_since_boot(const char *one, const char *other)
{
	int fd = (int)MUST(open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC));
	char line[2048], *found;
	bool said = false;
	ssize_t n;

	while (!said && ((n = read(fd, line, sizeof(line) - 1)) > 0 || errno == EPIPE)) {
		line[n > 0 ? n : 0] = '\0';
		found = strstr(line, one);
		said = found && strstr(found, other);
	}
	close(fd);
	return said;
}

/* QEMU's own counters store what is written, or never interrupt: no PMU, and the log says why. */
TEST(stock_emulators_have_no_pmu)
{
	NEED_ROOT();
	if (!is_stock_qemu())
		SKIP(return, "not a PowerPC of QEMU's own");
	EXPECT_EQ(NULL, hw_find());
	EXPECT_TRUE(said_since_boot("perfmon: the counters of ", " do not "));
}

TEST_HARNESS_MAIN
