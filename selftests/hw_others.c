// SPDX-License-Identifier: GPL-2.0-only
/*
 * Others who want the counters of the hardware, and what is left to them: perf_events
 * and its NMI watchdog; the next user, who finds nothing in them.
 *
 * Not here: contexts of the other kind (hw_sessions.c).
 */
#include "hw_bench.h"
#include "puppet.h"

#define OURS_IS_REFUSED	"perfmon: the PMU is in use by perf_events"

/* Why perf_events has said @err, which is not that others have the PMU. */
static const char *no_perf_events(int err)
{
	return err == -EACCES ? "kernel.perf_event_paranoid keeps perf_events from this user" :
	       "perf_events does not know this PMU";
}

/* The second of perfmon and perf_events gets EBUSY, and the PMU once the first is gone. */
TEST(perf_events_and_perfmon_take_turns)
{
	int pe, fd, soft;
	u64 a, b;

	NEED_HW();
	pe = perf_event(PERF_COUNT_HW_INSTRUCTIONS);
	if (pe == -ENOENT || pe == -EOPNOTSUPP || pe == -EACCES)
		SKIP(return, "%s", no_perf_events(pe));
	ASSERT_LE(0, pe);
	fd = (int)MUST(pfm_create(0));
	hw_counter(fd, 0, 0, HW_INSTRUCTIONS, HW_USER, 0, 0);
	EXPECT_EQ(-EBUSY, pfm_load(fd, my_tid()));
	EXPECT_EQ(-EBUSY, pfm_load(fd, my_tid()));
	EXPECT_TRUE(pfm_state_is(fd, "unloaded"));
	if (is_root())
		EXPECT_LT(0U, kernel_said(OURS_IS_REFUSED));
	/* What needs none of the hardware's registers does not mind. */
	soft = pfm_session(0, PFM_SW_TASK_CLOCK, 0, 0, my_tid());
	burn_ms(1);
	EXPECT_LT(0ULL, pfm_value(soft, SW_PMD(0)));
	close(soft);
	/* It has not been disturbed. On NetBurst its counts may go back by themselves. */
	ASSERT_EQ((ssize_t)sizeof(a), read(pe, &a, sizeof(a)));
	hw_loop(1000000);
	ASSERT_EQ((ssize_t)sizeof(b), read(pe, &b, sizeof(b)));
	if (strcmp(hw_find()->model, "Intel P4")) {
		EXPECT_LE(a + 2000000, b);
		EXPECT_GT(a + 2010000, b);
	}
	close(pe);

	ASSERT_EQ(0, pfm_load(fd, my_tid()));
	EXPECT_EQ(-EBUSY, perf_event(PERF_COUNT_HW_INSTRUCTIONS));
	EXPECT_EQ(measure(fd, 0, 1000) + 2 * 999000ULL, measure(fd, 0, 1000000));
	MUST(pfm_unload(fd));
	pe = perf_event(PERF_COUNT_HW_INSTRUCTIONS);
	EXPECT_LE(0, pe);
	EXPECT_EQ(-EBUSY, pfm_load(fd, my_tid()));
	close(pe);
	EXPECT_EQ(0, pfm_load(fd, my_tid()));
	close(fd);
	pe = perf_event(PERF_COUNT_HW_INSTRUCTIONS);
	EXPECT_LE(0, pe);
	close(pe);
}

/* Whether perf_events can have the PMU, now or within patience. */
static bool perf_events_may(unsigned int patience)
{
	int pe;

	while ((pe = perf_event(PERF_COUNT_HW_INSTRUCTIONS)) == -EBUSY && patience--)
		sleep_ms(1);
	if (pe < 0)
		return false;
	close(pe);
	return true;
}

/* That it is busy is no reason to skip: nothing may have been left behind. */
#define NEED_PERF_EVENTS()						\
	do {								\
		int pe_;						\
									\
		NEED_HW();						\
		pe_ = perf_event(PERF_COUNT_HW_INSTRUCTIONS);		\
		if (pe_ < 0 && pe_ != -EBUSY)				\
			SKIP(return, "%s", no_perf_events(pe_));	\
		if (pe_ >= 0)						\
			close(pe_);					\
		ASSERT_TRUE(perf_events_may(PATIENCE));			\
	} while (0)

/* Of a loaded context: who programs nothing has nothing, for no moment after. */
TEST(refused_commands_hold_nothing)
{
	pfarg_pmc_t bad[2] = { { .reg_num = SW_PMC(0) } };
	int fd, good;

	NEED_PERF_EVENTS();
	fd = pfm_session(0, PFM_SW_TASK_CLOCK, 0, 0, my_tid());
	good = (int)MUST(pfm_create(0));
	/* A control of a counter. */
	bad[1].reg_num = (__u16)hw_find()->pmd(0, HW_INSTRUCTIONS);

	bad[1].reg_flags = 0x80;
	EXPECT_EQ(-EINVAL, pfm(fd, PFM_WRITE_PMCS, bad, 2));
	EXPECT_TRUE(bad[1].reg_flags & PFM_REG_RETFL_EINVAL);
	EXPECT_TRUE(perf_events_may(0));
	bad[1].reg_flags = 0;
	bad[1].reg_set = 77;
	EXPECT_EQ(-EINVAL, pfm(fd, PFM_WRITE_PMCS, bad, 2));
	EXPECT_TRUE(bad[1].reg_flags & PFM_REG_RETFL_NOSET);
	EXPECT_TRUE(perf_events_may(0));
	bad[1].reg_flags = 0;
	bad[1].reg_set = 0;
	bad[1].reg_smpl_pmds[0] = ~0ULL;
	EXPECT_EQ(-EINVAL, pfm(fd, PFM_WRITE_PMCS, bad, 2));
	EXPECT_TRUE(perf_events_may(0));

	/* It is held from the first that is accepted on, whatever comes later. */
	MUST(hw_find()->write(fd, 0, 0, HW_INSTRUCTIONS, HW_USER, 0));
	EXPECT_EQ(-EBUSY, perf_event(PERF_COUNT_HW_INSTRUCTIONS));
	EXPECT_EQ(-EINVAL, pfm(fd, PFM_WRITE_PMCS, bad, 2));
	EXPECT_EQ(-EBUSY, perf_event(PERF_COUNT_HW_INSTRUCTIONS));
	EXPECT_LT(2000000ULL, measure(fd, 0, 1000000));
	/* Another context's refusal takes nothing away. */
	EXPECT_EQ(-EINVAL, pfm(good, PFM_WRITE_PMCS, bad, 2));
	EXPECT_EQ(-EBUSY, perf_event(PERF_COUNT_HW_INSTRUCTIONS));
	MUST(pfm_unload(fd));
	EXPECT_TRUE(perf_events_may(0));
	close(good);
	close(fd);
}

/* What a thread's end leaves behind is a context, not the PMU. */
TEST(dead_thread_holds_nothing)
{
	struct puppet p, q;
	int a, b;

	NEED_PERF_EVENTS();
	puppet_start(&p, PUPPET_PROCESS);
	puppet_start(&q, PUPPET_PROCESS);
	a = (int)MUST(pfm_create(0));
	hw_counter(a, 0, 0, HW_INSTRUCTIONS, HW_USER, 0, 0);
	b = (int)MUST(pfm_create(0));
	MUST(pfm_load(a, p.tid));
	MUST(pfm_start(a));
	/* The one programs it before it is loaded, the other after. */
	MUST(pfm_load(b, q.tid));
	hw_counter(b, 0, 0, HW_INSTRUCTIONS, HW_USER, 0, 0);
	MUST(pfm_start(b));
	puppet_do(&p, OP_SPIN, 1);
	puppet_do(&q, OP_SPIN, 1);

	puppet_stop(&p);
	ASSERT_EQ(PFM_MSG_END, pfm_next_msg(a, NULL, PATIENCE));
	EXPECT_EQ(-EBUSY, perf_event(PERF_COUNT_HW_INSTRUCTIONS));
	puppet_stop(&q);
	ASSERT_EQ(PFM_MSG_END, pfm_next_msg(b, NULL, PATIENCE));
	EXPECT_TRUE(perf_events_may(PATIENCE));
	EXPECT_LT(1000000ULL, hw_value(a, 0, 0, HW_INSTRUCTIONS));
	EXPECT_LT(1000000ULL, hw_value(b, 0, 0, HW_INSTRUCTIONS));

	/* It can be had again, by the same. */
	MUST(pfm_load(a, my_tid()));
	EXPECT_EQ(-EBUSY, perf_event(PERF_COUNT_HW_INSTRUCTIONS));
	EXPECT_LT(2000000ULL, measure(a, 0, 1000000));
	close(a);
	EXPECT_TRUE(perf_events_may(PATIENCE));
	close(b);
}

TEST(the_nmi_watchdog_is_one_of_them)
{
	static const char sysctl[] = "/proc/sys/kernel/nmi_watchdog";
	char was[16];
	int fd, ret;

	NEED_HW();
	NEED_ROOT();
	if (hw_is_ppc())
		SKIP(return, "PowerPC's NMI watchdog has the decrementer, not the PMU");
	if (access(sysctl, W_OK))
		SKIP(return, "this kernel has no NMI watchdog");
	MUST(read_text(sysctl, was, sizeof(was)));
	fd = (int)MUST(pfm_create(0));
	hw_counter(fd, 0, 0, HW_INSTRUCTIONS, HW_USER, 0, 0);
	ret = write_text(sysctl, "1");
	if (ret)
		SKIP(return, "the NMI watchdog does not know this PMU");
	EXPECT_EQ(-EBUSY, pfm_load(fd, my_tid()));
	ASSERT_EQ(0, write_text(sysctl, "0"));
	EXPECT_EQ(0, pfm_load(fd, my_tid()));
	MUST(pfm_start(fd));
	/* It tries, and does without. */
	write_text(sysctl, "1");
	hw_loop(1000);
	MUST(pfm_stop(fd));
	EXPECT_LE(2000ULL, hw_value(fd, 0, 0, HW_INSTRUCTIONS));
	write_text(sysctl, was);
	close(fd);
}

/* The next user of the PMU finds its counter at 0, and the counter switched off. */
TEST(nothing_is_left)
{
	u64 count, control;
	int fd, cpu;

	NEED_HW();
	NEED_ROOT();
	cpu = pin_somewhere();
	if (!first_counter(cpu, &count, &control))
		SKIP(return, "no files of these registers, or they hold other things, too");
	fd = counter(0, HW_INSTRUCTIONS, HW_USER, 0, 0);
	run(fd, 100000);
	close(fd);
	ASSERT_TRUE(first_counter(cpu, &count, &control));
	EXPECT_EQ(0ULL, count);
	EXPECT_TRUE(control_is_off(control));
}

TEST_HARNESS_MAIN
