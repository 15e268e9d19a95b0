// SPDX-License-Identifier: GPL-2.0-only
/*
 * The registers of the hardware: which there are, which values they take, and who may
 * use them.
 *
 * Not here: the bits of the controls (hw.c), the last branches (hw_lbr.c).
 */
#include "hw_bench.h"

/* Off-core requests and their like: a program's bits get to the register, no others. */
TEST(registers_of_events)
{
	unsigned int num;
	int fd, cpu, n = 0;
	u64 value;

	NEED_HW();
	NEED_ROOT();
	cpu = pin_somewhere();
	for (num = 32; num < 36; num++) {
		pfarg_pmcinfo_t info = { .reg_num = (__u16)num };

		if (strncmp(hw_find()->model, "Intel arch", 10) ||
		    pfm(-1, PFM_GETINFO_PMCS, &info, 1))
			continue;
		if (!msr_access(cpu, info.reg_index, &value, false))
			SKIP(return, "needs /dev/cpu/N/msr");
		n++;
		fd = (int)MUST(pfm_create(0));
		hw_counter(fd, 0, 0, HW_INSTRUCTIONS, HW_USER, 0, 0);
		MUST(hw_write_one(fd, 0, num, ~0ULL, 0));
		MUST(pfm_load(fd, my_tid()));
		run(fd, 1000);
		ASSERT_TRUE(msr_access(cpu, info.reg_index, &value, false));
		EXPECT_EQ(~info.reg_rsvd_mask, value);
		EXPECT_LE(2000ULL, hw_value(fd, 0, 0, HW_INSTRUCTIONS));
		close(fd);
		/* Nothing is left of it, nor in the counter. */
		ASSERT_TRUE(msr_access(cpu, info.reg_index, &value, false));
		EXPECT_EQ(0ULL, value);
	}
	if (!n)
		SKIP(return, "this PMU has none");
}

/* The first register of a kind that has an address, -1: none. */
static int find_by_address(int cmd, __u16 type, u64 index)
{
	unsigned int num;

	for (num = 0; num < PFM_MAX_PMDS; num++) {
		pfarg_pmcinfo_t info = { .reg_num = (__u16)num };

		if (!pfm(-1, cmd, &info, 1) && info.reg_type == type &&
		    info.reg_index == index)
			return (int)num;
	}
	return -1;
}

/*
 * A program that has a manual of the processor finds the logical number of a
 * register by its address (3.2.4, figure 3.13). Two PMCs have one address only where
 * they are fields of one register.
 */
TEST(numbers_by_address)
{
	static const int cmds[] = { PFM_GETINFO_PMCS, PFM_GETINFO_PMDS };
	unsigned int num, i, seen = 0;

	NEED_HW();
	for (i = 0; i < 2; i++)
		for (num = 0; num < PFM_SW_PMC0; num++) {
			pfarg_pmcinfo_t info = { .reg_num = (__u16)num };
			int first;

			if (pfm(-1, cmds[i], &info, 1))
				continue;
			first = find_by_address(cmds[i], info.reg_type,
						info.reg_index);
			seen++;
			if (!i && (hw_is_ppc() || info.reg_index == 0x38d ||
				   info.reg_index == 0x11))
				first = first < 0 ? first : (int)num;
			EXPECT_EQ((int)num, first);
		}
	EXPECT_LE(4U, seen);
	EXPECT_EQ(-1, find_by_address(PFM_GETINFO_PMDS, HW_REG_TYPE, 0xffffffff));
	/* An example, where the manual says which: IA32_PMC0. */
	if (!strncmp(hw_find()->model, "Intel architectural", 19))
		EXPECT_EQ(0, find_by_address(PFM_GETINFO_PMDS, PFM_REG_TYPE_MSR, 0xc1));
	if (hw_is_ppc())
		EXPECT_EQ(1, find_by_address(PFM_GETINFO_PMDS, PFM_REG_TYPE_SPR,
					     hw_is_ppc32() ? 953 : 787));
}

static void no_right(int sig)
{
	(void)sig;
	_exit(7);
}

#ifdef __powerpc__
#define MIRROR(spr) ({							\
	unsigned long value_;						\
									\
	__asm__ volatile("mfspr %0,%1" : "=r"(value_) : "i"(spr));	\
	value_;								\
})

/* Counter @n by its name at user level, which processors of 64 bits have in a row. */
static unsigned long mirror(unsigned int n)
{
	const bool wide = sizeof(long) == 8;

	switch (n) {
	case 0: return MIRROR(wide ? 771 : 937);
	case 1: return MIRROR(wide ? 772 : 938);
	case 2: return MIRROR(wide ? 773 : 941);
	case 3: return MIRROR(wide ? 774 : 942);
	case 4: return MIRROR(wide ? 775 : 929);
	case 5: return MIRROR(wide ? 776 : 930);
	case 6: return MIRROR(777);
	default: return MIRROR(778);
	}
}
#endif

/* Exits with 7 if the processor does not let it, or if the counters say nothing: 0, or 2^28. */
static void read_counter(void)
{
#ifdef __powerpc__
	unsigned int n = hw_counters();
	unsigned long value = 0;

	signal(SIGILL, no_right);
	while (n--)
		value |= mirror(n);
	if (!(value & ~(1UL << 28)))
		_exit(7);
#elif defined(__ia64__)
	unsigned long value;

	signal(SIGILL, no_right);
	/* The first counter; 0 if the kernel lets nobody read it. */
	__asm__ volatile("mov %0=pmd[%1]" : "=r"(value) : "r"(4));
	if (!value)
		_exit(7);
#else
	u32 low, high;

	signal(SIGSEGV, no_right);
	__asm__ volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(0));
#endif
	_exit(0);
}

/*
 * By the controller's descriptor only (4.3.2): neither the monitored program nor
 * another one on its CPU can read a counter by an instruction. From the PowerPC 750 to 970
 * the first can, which nothing could forbid, and the other one finds a constant.
 */
TEST(programs_cannot_read_counters)
{
	unsigned int k, n;
	bool own;
	int fd, who;
	pid_t pid;

	NEED_HW();
	n = hw_counters();
	own = hw_model_is("PowerPC 7") || hw_model_is("PowerPC 970");
	pin_somewhere();
	for (who = 0; who < 2; who++) {
		pid = fork_child();
		if (!pid) {
			fd = (int)MUST(pfm_create(0));
			for (k = 0; k < n; k++)
				hw_counter(fd, 0, k, HW_INSTRUCTIONS, HW_USER, 0, 0);
			MUST(pfm_load(fd, my_tid()));
			MUST(pfm_start(fd));
			hw_loop(10);
			if (!who)
				read_counter();
			pid = fork();
			if (!pid)
				read_counter();
			_exit(reap(pid));
		}
		EXPECT_EQ(own && !who ? 0 : 7, reap(pid)) {
			TH_LOG("%s", who ? "its child" : "itself");
		}
	}
}

/* A counter of the microcode store cannot count for the bus: refused, and said so. */
TEST(p4_pairings)
{
	/* The selects of MS_COUNTER0: MS, TC and TBPU (SDM volume 3, table 19-13). */
	unsigned int n;
	int fd = (int)MUST(pfm_create(0));

	NEED_HW();
	if (strcmp(hw_find()->model, "Intel P4"))
		SKIP(return, "not a P4");
	for (n = 0; n < 8; n++) {
		pfarg_pmc_t req = {
			.reg_num = 4, .reg_value = 1 << 12 | 3 << 16 | n << 13,
		};
		int ret = pfm(fd, PFM_WRITE_PMCS, &req, 1);

		EXPECT_EQ(n < 3 ? 0 : -EINVAL, ret);
		EXPECT_EQ(n >= 3, !!(req.reg_flags & PFM_REG_RETFL_EINVAL));
	}
	close(fd);
}

/* No interrupt, no notification; it says so. */
TEST(silent_pmu_refuses_notification)
{
	int fd = (int)MUST(pfm_create(0));

	NEED_HW();
	if (!hw_is_silent())
		SKIP(return, "this PMU has an overflow interrupt");
	EXPECT_EQ(-EINVAL, hw_find()->write(fd, 0, 0, HW_INSTRUCTIONS, HW_USER,
					    PFM_REGFL_OVFL_NOTIFY));
	close(fd);
}

/* The hardened kernel's rule; run.sh sets the other default. */
TEST(kernel_level_on_a_hardened_kernel)
{
	static const char sysctl[] = "/proc/sys/kernel/perfmon_hardened";
	int fd, status;
	pid_t pid;

	NEED_HW();
	NEED_ROOT();
	ASSERT_EQ(0, write_text(sysctl, "1"));
	fd = (int)MUST(pfm_create(0));
	EXPECT_EQ(is_confidential() ? -EPERM : 0,
		  hw_find()->write(fd, 0, 0, HW_INSTRUCTIONS, HW_BOTH, 0));
	EXPECT_EQ(0, hw_find()->write(fd, 0, 0, HW_INSTRUCTIONS, HW_USER, 0));
	close(fd);
	pid = fork_child();
	if (!pid) {
		MUST(setgid(1000));
		MUST(setuid(1000));
		fd = (int)MUST(pfm_create(0));
		if (hw_find()->write(fd, 0, 0, HW_INSTRUCTIONS, HW_KERNEL, 0) != -EPERM)
			_exit(1);
		if (hw_find()->write(fd, 0, 0, HW_INSTRUCTIONS, HW_USER, 0))
			_exit(2);
		_exit(0);
	}
	status = reap(pid);
	EXPECT_EQ(0, status);
	ASSERT_EQ(0, write_text(sysctl, "0"));
}

/* As an ordinary user: a letter for each thing that is not as it should be. */
static int without_the_pmu(int ask, int answer)
{
	pfarg_pmc_t req[2] = { { .reg_num = SW_PMC(0), .reg_value = PFM_SW_TASK_CLOCK } };
	int fd, ret, soft;
	char c = 0;

	fd = (int)MUST(pfm_create(0));
	MUST(hw_find()->write(fd, 0, 0, HW_INSTRUCTIONS, HW_USER, 0));
	MUST(write(answer, &c, 1));
	MUST(read(ask, &c, 1));
	/* What is programmed stays, but is not loaded any more. */
	if (pfm_load(fd, my_tid()) != -EPERM)
		return 'a';
	/* Unloaded or loaded: the first element is done, the second is not. */
	soft = (int)MUST(pfm_create(0));
	req[1].reg_num = !strcmp(hw_find()->model, "Intel P4") ? 0x22 :
			 (__u16)hw_find()->pmd(0, HW_INSTRUCTIONS);
	ret = pfm(soft, PFM_WRITE_PMCS, req, 2);
	if (ret != -EPERM || !(req[1].reg_flags & PFM_REG_RETFL_EINVAL) ||
	    req[0].reg_flags)
		return 'b';
	MUST(pfm_load(soft, my_tid()));
	MUST(pfm_start(soft));
	req[1].reg_flags = 0;
	ret = pfm(soft, PFM_WRITE_PMCS, req, 2);
	if (ret != -EPERM || !(req[1].reg_flags & PFM_REG_RETFL_EINVAL))
		return 'c';
	burn_ms(1);
	if (!pfm_value(soft, SW_PMD(0)))
		return 'd';
	close(soft);
	MUST(write(answer, &c, 1));
	MUST(read(ask, &c, 1));
	if (pfm_load(fd, my_tid()) || measure(fd, 0, 1000) < 2000)
		return 'e';
	return 0;
}

/* The administrator keeps the PMU to those who may see everybody. */
TEST(pmu_for_the_privileged_only)
{
	static const char sysctl[] = "/proc/sys/kernel/perfmon_hardened";
	int ask[2], answer[2], fd;
	char c;
	pid_t pid;

	NEED_HW();
	NEED_ROOT();
	MUST(pipe2(ask, O_CLOEXEC));
	MUST(pipe2(answer, O_CLOEXEC));
	ASSERT_EQ(0, write_text(sysctl, "1"));
	pid = fork_child();
	if (!pid) {
		close(answer[0]);
		close(ask[1]);
		MUST(setgid(1000));
		MUST(setuid(1000));
		_exit(without_the_pmu(ask[0], answer[1]));
	}
	close(answer[1]);
	EXPECT_EQ(1, read(answer[0], &c, 1));
	EXPECT_EQ(0, write_text(sysctl, "2"));
	MUST(write(ask[1], &c, 1));
	EXPECT_EQ(1, read(answer[0], &c, 1));
	/* Who may: root here. */
	fd = counter(0, HW_INSTRUCTIONS, HW_USER, 0, 0);
	EXPECT_LE(2000ULL, measure(fd, 0, 1000));
	close(fd);
	EXPECT_EQ(0, write_text(sysctl, "1"));
	MUST(write(ask[1], &c, 1));
	EXPECT_EQ(0, reap(pid));
	ASSERT_EQ(0, write_text(sysctl, "0"));
}

TEST_HARNESS_MAIN
