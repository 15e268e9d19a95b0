// SPDX-License-Identifier: GPL-2.0-only
/*
 * A thread's context and the CPU's use one PMU: each has control registers to itself, and
 * neither start, stop, interrupt, storm nor change of set of one is seen by the other.
 */
#include <linux/rcupdate.h>

#include "fake.h"
#include "../hw.h"
#include "../setswitch.h"

#define THREAD	0	/* whose counter is which */
#define CPU	1

/* The context of the CPU where the test runs; test->priv is the thread's. */
static struct pfm_context *share_cpu;

static int share_init(struct kunit *test)
{
	int ret = pfm_fake_init(test, &pfm_fake_halves);

	if (ret)
		return ret;
	KUNIT_ASSERT_EQ(test, pfm_session_get(true), 0);
	share_cpu = pfm_fixture_new(PFM_FL_SYSTEM_WIDE, NULL);
	KUNIT_ASSERT_FALSE(test, IS_ERR(share_cpu));
	mutex_lock_nested(&share_cpu->mutex, 1);
	return 0;
}

static void share_leave(void)
{
	RCU_INIT_POINTER(*this_cpu_ptr(&pfm_cpu.sys), NULL);
	pfm_hw_leave();
	pfm_fixture_free(share_cpu);
}

static void share_exit(struct kunit *test)
{
	share_leave();
	pfm_session_close(true);
	pfm_session_unhook(true);
	pfm_fake_exit(test);
}

/* Both are loaded, live here, and count. */
static void share_both(struct kunit *test)
{
	struct pfm_context *thread = test->priv;

	pfm_fixture_load_hw(test, share_cpu);
	share_cpu->task = NULL;
	pfm_fixture_in(share_cpu);
	rcu_assign_pointer(*this_cpu_ptr(&pfm_cpu.sys), share_cpu);
	pfm_fixture_load_hw(test, thread);
	pfm_fixture_in(thread);
}

/* A counter each. */
static void share_counters(struct kunit *test)
{
	pfm_fake_pmc(test->priv, 0, THREAD, 1, PFM_REGFL_OVFL_NOTIFY);
	pfm_fake_pmc(share_cpu, 0, CPU, 2, PFM_REGFL_OVFL_NOTIFY);
}

static void share_expect(struct kunit *test, u64 thread, u64 cpu)
{
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(test->priv, 0, THREAD), thread);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(share_cpu, 0, CPU), cpu);
}

/* What one has programmed the other cannot have, before it is given back. */
static void share_test_claims(struct kunit *test)
{
	struct pfm_context *thread = test->priv;
	DECLARE_BITMAP(pmcs, PFM_PMCS_MAX);

	pfm_fake_pmc(thread, 0, 0, 1, 0);
	/* The default is no use of a register. */
	pfm_fake_pmc(thread, 0, 2, 0, 0);
	KUNIT_EXPECT_EQ(test, pfm_reserve_hold(thread, PFM_HOLD_PMU, thread->programmed), 0);
	pfm_session_free(true, pmcs);
	KUNIT_EXPECT_EQ(test, pmcs[0], 0x1eUL);
	pfm_session_free(false, pmcs);
	KUNIT_EXPECT_EQ(test, pmcs[0], 0x1fUL);

	bitmap_zero(pmcs, PFM_PMCS_MAX);
	__set_bit(0, pmcs);
	__set_bit(1, pmcs);
	KUNIT_EXPECT_EQ(test, pfm_reserve_hold(share_cpu, PFM_HOLD_PMU, pmcs), -EBUSY);
	pfm_session_free(false, pmcs);
	KUNIT_EXPECT_EQ(test, pmcs[0], 0x1fUL);
	bitmap_zero(pmcs, PFM_PMCS_MAX);
	__set_bit(1, pmcs);
	__set_bit(2, pmcs);
	KUNIT_EXPECT_EQ(test, pfm_reserve_hold(share_cpu, PFM_HOLD_PMU, pmcs), 0);
	pfm_session_free(false, pmcs);
	KUNIT_EXPECT_EQ(test, pmcs[0], 0x19UL);
	pfm_reserve_yield(share_cpu);
	pfm_session_free(false, pmcs);
	KUNIT_EXPECT_EQ(test, pmcs[0], 0x1fUL);
	pfm_reserve_yield(thread);
	pfm_session_free(true, pmcs);
	KUNIT_EXPECT_EQ(test, pmcs[0], 0x1fUL);
}

/* PFM_WRITE_PMCS of a loaded context: all of the vector, or nothing. */
static void share_test_writes(struct kunit *test)
{
	struct pfm_context *thread = test->priv;
	pfarg_load_t load = { .load_pid = task_pid_vnr(current) };
	pfarg_pmc_t req[] = {
		{ .reg_num = 2, .reg_value = 7 },
		{ .reg_num = CPU, .reg_value = 1 },
	};
	struct pfm_vector v = { .elem = req, .n = 2 };

	share_counters(test);
	KUNIT_EXPECT_EQ(test, pfm_reserve_hold(share_cpu, PFM_HOLD_PMU, share_cpu->programmed), 0);
	KUNIT_ASSERT_EQ(test, pfm_attach_load(thread, &load), 0);
	KUNIT_EXPECT_EQ(test, pfm_regs_write_pmcs(thread, &v), -EBUSY);
	KUNIT_EXPECT_EQ(test, thread->set->values[2], 0ULL);
	KUNIT_EXPECT_EQ(test, req[0].reg_flags | req[1].reg_flags, 0U);
	/* The CPU's does not need register 2, and the default of its own is nobody's. */
	req[1].reg_value = 0;
	v.done = 0;
	KUNIT_EXPECT_EQ(test, pfm_regs_write_pmcs(thread, &v), 0);
	KUNIT_EXPECT_EQ(test, thread->set->values[2], 7ULL);
	KUNIT_EXPECT_TRUE(test, test_bit(2, pfm_session_owned[false]));
	KUNIT_EXPECT_FALSE(test, test_bit(CPU, pfm_session_owned[false]));
	KUNIT_EXPECT_EQ(test, pfm_attach_unload(thread), 0);
	KUNIT_EXPECT_TRUE(test, bitmap_empty(pfm_session_owned[false], PFM_PMCS_MAX));
}

/* Each counts what happens while it counts, whatever the other one does. */
static void share_test_count(struct kunit *test)
{
	struct pfm_context *thread = test->priv;

	share_counters(test);
	share_both(test);
	KUNIT_EXPECT_EQ(test, pfm_fake.running, 3ULL);
	pfm_fake_count(10);
	share_expect(test, 10, 10);
	pfm_fixture_out(thread);
	KUNIT_EXPECT_EQ(test, pfm_fake.running, 2ULL);
	pfm_fake_count(5);
	share_expect(test, 10, 15);
	pfm_fixture_in(thread);
	pfm_fake_count(1);
	pfm_fixture_stop(share_cpu);
	KUNIT_EXPECT_EQ(test, pfm_fake.running, 1ULL);
	pfm_fake_count(2);
	pfm_fixture_out(thread);
	KUNIT_EXPECT_EQ(test, pfm_fake.running, 0ULL);
	pfm_fake_count(100);
	pfm_fixture_start(share_cpu);
	pfm_fixture_in(thread);
	pfm_fake_count(4);
	share_expect(test, 17, 20);
	KUNIT_EXPECT_EQ(test, pfm_fake.resets, 1U);
	/* Neither has been programmed again for the other's sake. */
	KUNIT_EXPECT_EQ(test, pfm_fake.programs, 2U);
}

/* The default that a set of one has in a register of the other stays in memory. */
static void share_test_defaults(struct kunit *test)
{
	struct pfm_context *thread = test->priv;

	share_counters(test);
	pfm_fake_pmc(thread, 0, CPU, 3, 0);
	pfm_fake_pmc(thread, 0, CPU, 0, 0);
	bitmap_zero(thread->programmed, PFM_PMCS_MAX);
	__set_bit(THREAD, thread->programmed);
	share_both(test);
	KUNIT_EXPECT_EQ(test, pfm_fake.sel[CPU], 2ULL);
	pfm_fake_count(10);
	share_expect(test, 10, 10);
}

/* A register without a counter has its default again when its owner has gone. */
static void share_test_filter(struct kunit *test)
{
	struct pfm_context *thread = test->priv;

	share_counters(test);
	pfm_fake_pmc(share_cpu, 0, FAKE_FILTER, 9, 0);
	pfm_fake_pmc(thread, 0, FAKE_FILTER, 0, 0);
	share_both(test);
	KUNIT_EXPECT_EQ(test, pfm_fake.sel[FAKE_FILTER], 9ULL);
	pfm_fixture_out(thread);
	pfm_fixture_in(thread);
	KUNIT_EXPECT_EQ(test, pfm_fake.sel[FAKE_FILTER], 9ULL);
	/* The other way round: threads give it back, and the CPU's context stays. */
	pfm_fixture_out(thread);
	share_leave();
	pfm_fixture_in(thread);
	KUNIT_EXPECT_EQ(test, pfm_fake.sel[FAKE_FILTER], 0ULL);
	pfm_fixture_out(thread);

	share_cpu = pfm_fixture_new(PFM_FL_SYSTEM_WIDE, NULL);
	KUNIT_ASSERT_FALSE(test, IS_ERR(share_cpu));
	mutex_lock_nested(&share_cpu->mutex, 1);
	thread->state = PFM_UNLOADED;
	pfm_reserve_yield(thread);
	pfm_fake_pmc(thread, 0, FAKE_FILTER, 5, 0);
	pfm_fake_pmc(share_cpu, 0, CPU, 2, 0);
	pfm_fake_pmc(share_cpu, 0, FAKE_FILTER, 0, 0);
	share_both(test);
	KUNIT_EXPECT_EQ(test, pfm_fake.sel[FAKE_FILTER], 5ULL);
	pfm_fixture_out(thread);
	thread->state = PFM_UNLOADED;
	pfm_reserve_yield(thread);
	pfm_fixture_stop(share_cpu);
	pfm_fixture_start(share_cpu);
	KUNIT_EXPECT_EQ(test, pfm_fake.sel[FAKE_FILTER], 0ULL);
}

/* ... also when nobody is there any more to ask whether it has changed its owner. */
static void share_test_filter_left(struct kunit *test)
{
	struct pfm_context *thread = test->priv;

	share_counters(test);
	pfm_fake_pmc(share_cpu, 0, FAKE_FILTER, 9, 0);
	pfm_fake_pmc(thread, 0, FAKE_FILTER, 0, 0);
	share_both(test);
	KUNIT_EXPECT_EQ(test, pfm_fake.sel[FAKE_FILTER], 9ULL);
	pfm_fixture_out(thread);
	share_leave();
	this_cpu_write(pfm_cpu.owners, READ_ONCE(pfm_session_owners));
	pfm_fixture_in(thread);
	KUNIT_EXPECT_EQ(test, pfm_fake.sel[FAKE_FILTER], 0ULL);
	share_cpu = pfm_fixture_new(PFM_FL_SYSTEM_WIDE, NULL);
	KUNIT_ASSERT_FALSE(test, IS_ERR(share_cpu));
	mutex_lock_nested(&share_cpu->mutex, 1);
}

/* A counter that the other kind has used since: what it holds is not the set's. */
static void share_test_used_between(struct kunit *test)
{
	struct pfm_context *thread = test->priv;

	/* Nobody else has the PMU in between, which would have it begin anew. */
	KUNIT_ASSERT_EQ(test, pfm_reserve_get(PFM_HOLD_PMU), 0);
	pfm_fake_pmc(thread, 0, THREAD, 1, 0);
	pfm_fixture_load_hw(test, thread);
	pfm_fixture_in(thread);
	pfm_fake_count(10);
	pfm_fixture_out(thread);
	thread->state = PFM_UNLOADED;
	pfm_reserve_yield(thread);

	pfm_fake_pmc(share_cpu, 0, THREAD, 5, 0);
	pfm_fixture_load_hw(test, share_cpu);
	share_cpu->task = NULL;
	pfm_fixture_in(share_cpu);
	pfm_fake_count(1000);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(share_cpu, 0, THREAD), 1000ULL);
	share_leave();
	share_cpu = pfm_fixture_new(PFM_FL_SYSTEM_WIDE, NULL);
	KUNIT_ASSERT_FALSE(test, IS_ERR(share_cpu));
	mutex_lock_nested(&share_cpu->mutex, 1);

	pfm_fixture_load_hw(test, thread);
	pfm_fixture_in(thread);
	KUNIT_EXPECT_EQ(test, pfm_fake.sel[THREAD], 1ULL);
	pfm_fake_count(1);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(thread, 0, THREAD), 11ULL);
	pfm_reserve_put(PFM_HOLD_PMU);
}

/* An overflow of one is told to that one, and both go on; or both are told. */
static void share_test_overflow(struct kunit *test)
{
	struct pfm_context *thread = test->priv;
	unsigned int how;

	share_counters(test);
	share_both(test);
	for (how = 0; how < 8; how++) {
		/* Without SMP there are no locks to try: an NMI leaves all to others. */
		const bool nmi = how & 1 && IS_ENABLED(CONFIG_SMP);
		const bool of_thread = how & 2, of_cpu = how & 4;

		pfm_fake_pmd(thread, 0, THREAD, of_thread ? -10ULL : 0, -10ULL);
		pfm_fake_pmd(share_cpu, 0, CPU, of_cpu ? -10ULL : 0, -10ULL);
		pfm_fixture_restart(thread);
		pfm_fixture_restart(share_cpu);
		pfm_fake_pmd(thread, 0, THREAD, of_thread ? -10ULL : 0, -10ULL);
		pfm_fake_pmd(share_cpu, 0, CPU, of_cpu ? -10ULL : 0, -10ULL);
		pfm_fake_count(12);
		KUNIT_EXPECT_EQ(test, nmi ? pfm_fake_nmi() : pfm_fake_interrupt(),
				of_thread || of_cpu);
		/* Both stood still before anybody looked. */
		KUNIT_EXPECT_TRUE(test, pfm_fake.frozen);
		KUNIT_EXPECT_EQ(test, pfm_fake_messages(thread), (unsigned int)of_thread);
		KUNIT_EXPECT_EQ(test, pfm_fake_messages(share_cpu), (unsigned int)of_cpu);
		/* Who has overflowed is masked, and the other one counts. */
		KUNIT_EXPECT_EQ(test, pfm_fake.running, (of_thread ? 0 : 1ULL) | (of_cpu ? 0 : 2ULL));
		pfm_fake_count(3);
		share_expect(test, of_thread ? 2 : 15, of_cpu ? 2 : 15);
	}
}

/*
 * An NMI that may have come into a section, and cannot have one of the locks, leaves both
 * contexts to an irq_work; nothing is lost.
 */
static void share_test_deferred(struct kunit *test)
{
	struct pfm_context *thread = test->priv;
	struct pfm_context *held;
	unsigned long flags;
	int i;

	share_counters(test);
	share_both(test);
	for (i = 0; i < 2; i++) {
		held = i ? share_cpu : thread;
		pfm_fake_pmd(thread, 0, THREAD, -10ULL, -10ULL);
		pfm_fake_pmd(share_cpu, 0, CPU, -10ULL, -10ULL);
		pfm_fake_count(11);
		raw_spin_lock_irqsave(&held->lock, flags);
		KUNIT_EXPECT_TRUE(test, pfm_fake_nmi());
		KUNIT_EXPECT_EQ(test, pfm_fake.running, 3ULL);
		raw_spin_unlock_irqrestore(&held->lock, flags);
		irq_work_sync(this_cpu_ptr(&pfm_cpu.work));
		KUNIT_EXPECT_EQ(test, pfm_fake_messages(thread), 1U);
		KUNIT_EXPECT_EQ(test, pfm_fake_messages(share_cpu), 1U);
		pfm_fixture_restart(thread);
		pfm_fixture_restart(share_cpu);
	}
}

/* Another CPU looks at one of them for a moment: the other one does not wait for that. */
static void share_test_looked_at(struct kunit *test)
{
	struct pfm_context *contexts[] = { test->priv, share_cpu };
	/* Without SMP nobody can. */
	const unsigned int left = IS_ENABLED(CONFIG_SMP);
	struct pfm_context *held, *free;
	unsigned long flags;
	int i;

	share_counters(test);
	share_both(test);
	for (i = 0; i < 2; i++) {
		held = contexts[i];
		free = contexts[!i];
		pfm_fake_pmd(test->priv, 0, THREAD, -10ULL, -10ULL);
		pfm_fake_pmd(share_cpu, 0, CPU, -10ULL, -10ULL);
		pfm_fake_count(11);
		raw_spin_lock_irqsave(&held->lock, flags);
		KUNIT_EXPECT_TRUE(test, pfm_fake_nmi_outside());
		KUNIT_EXPECT_EQ(test, pfm_fake_messages(free), 1U);
		KUNIT_EXPECT_EQ(test, pfm_fake_messages(held), 1 - left);
		KUNIT_EXPECT_EQ(test, pfm_fake.running, left ? BIT_ULL(i) : 0);
		raw_spin_unlock_irqrestore(&held->lock, flags);
		irq_work_sync(this_cpu_ptr(&pfm_cpu.work));
		KUNIT_EXPECT_EQ(test, pfm_fake_messages(held), left);
		KUNIT_EXPECT_EQ(test, pfm_fake_messages(free), 0U);
		pfm_fixture_restart(test->priv);
		pfm_fixture_restart(share_cpu);
	}
}

/* ... nor does the CPU's wait for a thread's that has used software alone. */
static void share_test_looked_at_soft(struct kunit *test)
{
	struct pfm_context *thread = test->priv;
	unsigned long flags;

	pfm_fake_pmc(share_cpu, 0, CPU, 2, PFM_REGFL_OVFL_NOTIFY);
	pfm_fake_pmd(share_cpu, 0, CPU, -10ULL, -10ULL);
	share_both(test);
	KUNIT_ASSERT_EQ(test, thread->uses, 0);
	pfm_fake_count(11);
	raw_spin_lock_irqsave(&thread->lock, flags);
	KUNIT_EXPECT_TRUE(test, pfm_fake_nmi_outside());
	KUNIT_EXPECT_EQ(test, pfm_fake_messages(share_cpu), 1U);
	raw_spin_unlock_irqrestore(&thread->lock, flags);
	pfm_fixture_restart(share_cpu);
	if (!IS_ENABLED(CONFIG_SMP))
		return;

	/* In a section of the thread's it does: what both share may be half written. */
	pfm_fake_pmd(share_cpu, 0, CPU, -10ULL, -10ULL);
	pfm_fake_count(11);
	raw_spin_lock_irqsave(&thread->lock, flags);
	KUNIT_EXPECT_TRUE(test, pfm_fake_nmi());
	KUNIT_EXPECT_EQ(test, pfm_fake_messages(share_cpu), 0U);
	raw_spin_unlock_irqrestore(&thread->lock, flags);
	irq_work_sync(this_cpu_ptr(&pfm_cpu.work));
	KUNIT_EXPECT_EQ(test, pfm_fake_messages(share_cpu), 1U);
}

/* A storm of one masks that one. */
static void share_test_storm(struct kunit *test)
{
	struct pfm_context *thread = test->priv;
	struct pfm_lane *l;

	pfm_fake_pmc(thread, 0, THREAD, 1, 0);
	pfm_fake_pmc(share_cpu, 0, CPU, 2, 0);
	pfm_fake_pmd(thread, 0, THREAD, -1ULL, -1ULL);
	share_both(test);
	l = &this_cpu_ptr(&pfm_cpu)->lane[PFM_LANE_THREAD];
	l->storm = 10000;
	l->spent = NSEC_PER_SEC;
	l->deferred = true;
	pfm_fake_happen(1);
	KUNIT_EXPECT_EQ(test, (int)thread->state, (int)PFM_MASKED);
	KUNIT_EXPECT_EQ(test, (int)share_cpu->state, (int)PFM_LOADED);
	KUNIT_EXPECT_EQ(test, pfm_fake.running, 2ULL);
	pfm_fake_count(4);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(share_cpu, 0, CPU), 5ULL);
}

/* Others switch on counters that stand: those that count keep what they have counted. */
static void share_test_foreign(struct kunit *test)
{
	struct pfm_context *thread = test->priv;
	unsigned long foreign = pfm_fake_stat(PFM_STAT_FOREIGN);

	share_counters(test);
	share_both(test);
	pfm_fake_count(10);
	pfm_fixture_stop(thread);
	pfm_fake.running |= 1;
	pfm_fake_count(5);
	pfm_fake_interrupt();
	KUNIT_EXPECT_EQ(test, pfm_fake_stat(PFM_STAT_FOREIGN), foreign + 1);
	KUNIT_EXPECT_EQ(test, pfm_fake.running, 2ULL);
	pfm_fake_count(1);
	/* They stop, too, with an overflow of the other one. */
	pfm_fake_pmd(share_cpu, 0, CPU, -4ULL, -4ULL);
	pfm_fake.running |= 1;
	pfm_fake_count(4);
	KUNIT_EXPECT_TRUE(test, pfm_fake_interrupt());
	KUNIT_EXPECT_EQ(test, pfm_fake_messages(share_cpu), 1U);
	pfm_fixture_start(thread);
	pfm_fake_count(2);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(thread, 0, THREAD), 12ULL);
}

/* Sets of one change while the other counts. */
static void share_test_sets(struct kunit *test)
{
	unsigned int i;

	share_counters(test);
	pfm_fixture_set(share_cpu, 1, 0);
	pfm_fake_pmc(share_cpu, 1, 2, 6, 0);
	share_both(test);
	for (i = 0; i < 10; i++) {
		pfm_fake_count(3);
		pfm_fixture_start_set(share_cpu, !(i & 1));
		KUNIT_EXPECT_EQ(test, pfm_fake.running, i & 1 ? 3ULL : 5ULL);
	}
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(test->priv, 0, THREAD), 30ULL);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(share_cpu, 0, CPU), 15ULL);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(share_cpu, 1, 2), 15ULL);
}

static struct kunit_case share_cases[] = {
	KUNIT_CASE(share_test_claims),
	KUNIT_CASE(share_test_writes),
	KUNIT_CASE(share_test_count),
	KUNIT_CASE(share_test_defaults),
	KUNIT_CASE(share_test_filter),
	KUNIT_CASE(share_test_filter_left),
	KUNIT_CASE(share_test_used_between),
	KUNIT_CASE(share_test_overflow),
	KUNIT_CASE(share_test_deferred),
	KUNIT_CASE(share_test_looked_at),
	KUNIT_CASE(share_test_looked_at_soft),
	KUNIT_CASE(share_test_storm),
	KUNIT_CASE(share_test_foreign),
	KUNIT_CASE(share_test_sets),
	{}
};

static struct kunit_suite share_suite = {
	.name = "perfmon-share",
	.init = share_init,
	.exit = share_exit,
	.test_cases = share_cases,
};

kunit_test_suite(share_suite);
