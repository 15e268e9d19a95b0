// SPDX-License-Identifier: GPL-2.0-only
/*
 * stack.c: which of a program's registers who unwinds its stack gets, in what order, and
 * when none of them can be trusted. How stacks are walked and read is tried on programs
 * (selftests/callchain.c, calldouble.c).
 */
#include <linux/elf-em.h>
#include <linux/kernel.h>
#include <linux/sched/task.h>
#include <asm/cpu_entry_area.h>
#include <asm/ptrace.h>
#include <asm/segment.h>
#include <kunit/test.h>

#include <perfmon/format.h>
#include <perfmon/stack.h>

/* A program's, each with a value of its own. */
static struct pt_regs stack_test_regs(unsigned short cs)
{
	struct pt_regs regs = {
		.ax = 100, .dx = 101, .cx = 102, .bx = 103, .si = 104, .di = 105, .bp = 106,
		.sp = 107, .ip = 116, .cs = cs, .ss = __USER_DS, .flags = 0x202,
	};

#ifdef CONFIG_X86_64
	regs.r8 = 108;
	regs.r9 = 109;
	regs.r10 = 110;
	regs.r11 = 111;
	regs.r12 = 112;
	regs.r13 = 113;
	regs.r14 = 114;
	regs.r15 = 115;
	/* Above the 32 bits that a program of as many has. */
	regs.ax |= 1UL << 40;
	regs.sp |= 1UL << 40;
#endif
	return regs;
}

#ifdef CONFIG_X86_64
static void stack_test_64(struct kunit *test)
{
	const struct pt_regs regs = stack_test_regs(__USER_CS);
	u64 to[PFM_SAMPLE_USER_REGS] = { };
	struct pfm_user_state state;
	unsigned int i, n;

	n = pfm_arch_user_state(&regs, NULL, to, &state);
	KUNIT_EXPECT_EQ(test, n, 17U);
	KUNIT_EXPECT_EQ(test, n, pfm_sample_user_state_max());
	KUNIT_EXPECT_EQ(test, state.machine, (u16)EM_X86_64);
	KUNIT_EXPECT_EQ(test, state.sp, 107ULL | 1ULL << 40);
	KUNIT_EXPECT_EQ(test, to[0], 100ULL | 1ULL << 40);
	for (i = 1; i < 17; i++)
		if (i != 7)
			KUNIT_EXPECT_EQ_MSG(test, to[i], 100ULL + i, "register %u", i);
	KUNIT_EXPECT_EQ(test, to[7], state.sp);
	KUNIT_EXPECT_EQ(test, to[17], 0ULL);
}
#endif

/* Of 32 bits, under either kernel. */
static void stack_test_32(struct kunit *test)
{
	static const u64 want[] = { 100, 102, 101, 103, 107, 106, 104, 105, 116 };
#ifdef CONFIG_X86_64
	const struct pt_regs regs = stack_test_regs(__USER32_CS);
#else
	const struct pt_regs regs = stack_test_regs(__USER_CS);
#endif
	u64 to[PFM_SAMPLE_USER_REGS] = { };
	struct pfm_user_state state;
	unsigned int i;

	KUNIT_EXPECT_EQ(test, pfm_arch_user_state(&regs, NULL, to, &state), 9U);
	KUNIT_EXPECT_GE(test, pfm_sample_user_state_max(), 9U);
	KUNIT_EXPECT_EQ(test, state.machine, (u16)EM_386);
	KUNIT_EXPECT_EQ(test, state.sp, 107ULL);
	for (i = 0; i < ARRAY_SIZE(want); i++)
		KUNIT_EXPECT_EQ_MSG(test, to[i], want[i], "register %u", i);
	KUNIT_EXPECT_EQ(test, to[9], 0ULL);
}

#ifdef CONFIG_X86_32
/* On the stack of the entry: what has handled it stands where the program's were. */
static void stack_test_entry(struct kunit *test)
{
	struct pt_regs *hit = (void *)cpu_entry_stack(0);
	const struct pt_regs regs = stack_test_regs(__USER_CS);
	struct pt_regs kernel = regs, user = regs;
	u64 to[PFM_SAMPLE_USER_REGS] = { };
	struct pfm_user_state state;

	kernel.cs = __KERNEL_CS;
	KUNIT_EXPECT_EQ(test, pfm_arch_user_state(&regs, hit, to, &state), 0U);
	KUNIT_EXPECT_EQ(test, to[0], 0ULL);
	KUNIT_EXPECT_EQ(test, pfm_arch_user_state(&regs, &kernel, to, &state), 9U);
	KUNIT_EXPECT_EQ(test, pfm_arch_user_state(&user, &user, to, &state), 9U);
}
#endif

/* The thread that runs tests has no user level; nor have others any, while it runs. */
static void stack_test_kernel(struct kunit *test)
{
	struct pfm_ovfl_data data = { .task = current };
	u64 to[PFM_SAMPLE_USER_REGS] = { };
	struct pfm_user_state state;

	unsigned int regs[2];
	size_t memory[3];

	/* As where samples are taken, which is on one CPU. */
	preempt_disable();
	regs[0] = pfm_sample_user_state(&data, to, &state);
	memory[0] = pfm_sample_user_memory(&data, to, PAGE_SIZE, 8);
	memory[1] = pfm_sample_user_memory(&data, to, (unsigned long)to, 8);
	data.task = &init_task;
	regs[1] = pfm_sample_user_state(&data, to, &state);
	memory[2] = pfm_sample_user_memory(&data, to, PAGE_SIZE, 8);
	preempt_enable();
	KUNIT_EXPECT_EQ(test, regs[0] | regs[1], 0U);
	KUNIT_EXPECT_EQ(test, memory[0] | memory[1] | memory[2], (size_t)0);
}

static struct kunit_case stack_cases[] = {
#ifdef CONFIG_X86_64
	KUNIT_CASE(stack_test_64),
#else
	KUNIT_CASE(stack_test_entry),
#endif
	KUNIT_CASE(stack_test_32),
	KUNIT_CASE(stack_test_kernel),
	{}
};

static struct kunit_suite stack_suite = {
	.name = "perfmon-x86-stack",
	.test_cases = stack_cases,
};
kunit_test_suite(stack_suite);
