// SPDX-License-Identifier: GPL-2.0-only
#include <linux/cpumask.h>
#include <linux/jiffies.h>
#include <linux/preempt.h>
#include <linux/sched/clock.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/timer.h>

#include "fixture.h"

static void pfm_runstate_test_start_stop(struct kunit *test)
{
	struct pfm_context *ctx = test->priv;

	pfm_fixture_pmc(ctx, 0, PFM_SW_MINOR_FAULTS, 0, 0);
	current->min_flt += 100;
	pfm_fixture_load(ctx);
	current->min_flt += 10;
	KUNIT_EXPECT_EQ(test, pfm_fixture_read(ctx, 0), 0ULL);
	pfm_fixture_start(ctx);
	current->min_flt += 1;
	pfm_fixture_start(ctx);		/* again: changes nothing */
	KUNIT_EXPECT_EQ(test, pfm_fixture_read(ctx, 0), 1ULL);
	current->min_flt += 2;
	pfm_fixture_stop(ctx);
	current->min_flt += 1000;
	pfm_fixture_stop(ctx);
	KUNIT_EXPECT_EQ(test, pfm_fixture_read(ctx, 0), 3ULL);
	pfm_fixture_start(ctx);
	current->min_flt += 4;
	KUNIT_EXPECT_EQ(test, pfm_fixture_read(ctx, 0), 7ULL);
}

/* Masked and stopped are two things: what ends one does not end the other. */
static void pfm_runstate_test_masked(struct kunit *test)
{
	struct pfm_context *ctx = test->priv;

	pfm_fixture_pmc(ctx, 0, PFM_SW_MINOR_FAULTS, PFM_REGFL_OVFL_NOTIFY, 0);
	pfm_fixture_pmd(ctx, 0, -1ULL, 50, 0);
	pfm_fixture_load(ctx);
	pfm_fixture_start(ctx);
	pfm_fixture_faults(ctx, 1);
	KUNIT_ASSERT_EQ(test, (int)ctx->state, (int)PFM_MASKED);

	pfm_fixture_start(ctx);
	pfm_fixture_faults(ctx, 3);
	KUNIT_EXPECT_EQ(test, pfm_fixture_read(ctx, 0), 0ULL);

	pfm_fixture_stop(ctx);
	KUNIT_EXPECT_EQ(test, (int)ctx->state, (int)PFM_MASKED);
	KUNIT_EXPECT_EQ(test, pfm_fixture_restart(ctx), 0);
	pfm_fixture_faults(ctx, 3);
	KUNIT_EXPECT_EQ(test, pfm_fixture_read(ctx, 0), 50ULL);

	pfm_fixture_start(ctx);
	pfm_fixture_faults(ctx, 3);
	KUNIT_EXPECT_EQ(test, pfm_fixture_read(ctx, 0), 53ULL);
}

/* An overflow that the stop itself finds is told, too. */
static void pfm_runstate_test_stop_overflows(struct kunit *test)
{
	struct pfm_context *ctx = test->priv;

	pfm_fixture_pmc(ctx, 0, PFM_SW_MINOR_FAULTS, PFM_REGFL_OVFL_NOTIFY, 0);
	pfm_fixture_pmd(ctx, 0, -5ULL, 0, 0);
	pfm_fixture_load(ctx);
	pfm_fixture_start(ctx);
	current->min_flt += 5;
	pfm_fixture_stop(ctx);
	KUNIT_EXPECT_EQ(test, (int)ctx->state, (int)PFM_MASKED);
	KUNIT_EXPECT_EQ(test, pfm_message_count(&ctx->queue), 1U);
	KUNIT_EXPECT_FALSE(test, ctx->started);
}

#define IDLE	PFM_SETFL_EXCL_IDLE
#define KERNEL	PFM_SETFL_EXCL_KERNEL_ONLY_THREADS

static void pfm_runstate_test_kind(struct kunit *test)
{
	struct task_struct *t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, t);
	KUNIT_EXPECT_EQ(test, pfm_runstate_kind(t), 0U);
	t->flags = PF_IO_WORKER;
	KUNIT_EXPECT_EQ(test, pfm_runstate_kind(t), 0U);
	KUNIT_EXPECT_EQ(test, pfm_runstate_kind(current), (u32)KERNEL);
	/* As a CPU's own is when it has been idle once. */
	t->flags = PF_KTHREAD | PF_IDLE;
	KUNIT_EXPECT_EQ(test, pfm_runstate_kind(t), (u32)(KERNEL | IDLE));
}

static int pfm_runstate_test_next_here(struct pfm_context *ctx, void *kind)
{
	pfm_runstate_next(ctx, (unsigned long)kind, local_clock());
	return 0;
}

static void pfm_runstate_test_next(struct pfm_context *ctx, unsigned long kind)
{
	pfm_reach_call(ctx, pfm_runstate_test_next_here, (void *)kind);
}

/* What counter 0 of a set has after another fault on this CPU. */
static u64 pfm_runstate_test_fault(struct pfm_context *ctx, u16 set)
{
	this_cpu_inc(pfm_cpu.faults[0]);
	return pfm_fixture_read(ctx, PFM_FIXTURE_IN(set, 0));
}

/*
 * Which thread runs is what the last switch said: current, which is a kernel-only
 * thread here all the time, may not be that thread yet when a set becomes active.
 */
static void pfm_runstate_test_excluded(struct kunit *test)
{
	struct pfm_context *ctx = pfm_fixture_new(PFM_FL_SYSTEM_WIDE, NULL);
	u16 set;

	KUNIT_ASSERT_FALSE(test, IS_ERR(ctx));
	mutex_lock_nested(&ctx->mutex, 1);
	KUNIT_EXPECT_EQ(test, pfm_fixture_set(test->priv, 0, KERNEL), -EINVAL);
	KUNIT_EXPECT_EQ(test, pfm_fixture_set(ctx, 0, KERNEL | IDLE), -EINVAL);
	KUNIT_EXPECT_EQ(test, pfm_fixture_set(ctx, 0, KERNEL), 0);
	KUNIT_EXPECT_EQ(test, pfm_fixture_set(ctx, 1, 0), 0);
	KUNIT_EXPECT_EQ(test, pfm_fixture_set(ctx, 2, IDLE), 0);
	for (set = 0; set < 3; set++)
		pfm_fixture_pmc(ctx, PFM_FIXTURE_IN(set, 0), PFM_SW_MINOR_FAULTS, 0, 0);
	pfm_fixture_load(ctx);
	ctx->task = NULL;
	migrate_disable();
	pfm_fixture_in(ctx);
	pfm_fixture_start(ctx);

	KUNIT_EXPECT_EQ(test, pfm_runstate_test_fault(ctx, 0), 1ULL);
	pfm_runstate_test_next(ctx, KERNEL);
	KUNIT_EXPECT_EQ(test, pfm_runstate_test_fault(ctx, 0), 1ULL);
	pfm_runstate_test_next(ctx, KERNEL | IDLE);
	KUNIT_EXPECT_EQ(test, pfm_runstate_test_fault(ctx, 0), 1ULL);
	pfm_runstate_test_next(ctx, 0);
	KUNIT_EXPECT_EQ(test, pfm_runstate_test_fault(ctx, 0), 2ULL);

	pfm_runstate_test_next(ctx, KERNEL);
	KUNIT_EXPECT_EQ(test, pfm_fixture_start_set(ctx, 1), 0);
	KUNIT_EXPECT_EQ(test, pfm_runstate_test_fault(ctx, 1), 1ULL);
	KUNIT_EXPECT_EQ(test, pfm_fixture_start_set(ctx, 0), 0);
	KUNIT_EXPECT_EQ(test, pfm_runstate_test_fault(ctx, 0), 2ULL);
	KUNIT_EXPECT_EQ(test, pfm_fixture_start_set(ctx, 2), 0);
	KUNIT_EXPECT_EQ(test, pfm_runstate_test_fault(ctx, 2), 1ULL);
	pfm_runstate_test_next(ctx, KERNEL | IDLE);
	KUNIT_EXPECT_EQ(test, pfm_runstate_test_fault(ctx, 2), 1ULL);
	pfm_runstate_test_next(ctx, 0);
	KUNIT_EXPECT_EQ(test, pfm_runstate_test_fault(ctx, 2), 2ULL);
	KUNIT_EXPECT_EQ(test, pfm_fixture_start_set(ctx, 0), 0);
	KUNIT_EXPECT_EQ(test, pfm_runstate_test_fault(ctx, 0), 3ULL);

	pfm_fixture_free(ctx);
	migrate_enable();
}

/* What the hooks of this CPU have to tell. */
static unsigned int pfm_runstate_test_wants(struct pfm_context *ctx)
{
	unsigned long flags;
	unsigned int wants;

	raw_spin_lock_irqsave(&ctx->lock, flags);
	pfm_sched_want(ctx);
	wants = __this_cpu_read(pfm_wants);
	raw_spin_unlock_irqrestore(&ctx->lock, flags);
	return wants;
}

/* A hook is asked for by what any set counts or leaves out, and from then on. */
static void pfm_runstate_test_hooks(struct kunit *test)
{
	const unsigned int all = PFM_WANTS_SWITCHES | PFM_WANTS_FAULTS;
	struct pfm_context *ctx = pfm_fixture_new(PFM_FL_SYSTEM_WIDE, NULL);

	KUNIT_ASSERT_FALSE(test, IS_ERR(ctx));
	mutex_lock_nested(&ctx->mutex, 1);
	KUNIT_EXPECT_EQ(test, pfm_fixture_set(ctx, 1, 0), 0);
	pfm_fixture_load(ctx);
	ctx->task = NULL;
	migrate_disable();
	pfm_fixture_in(ctx);
	KUNIT_EXPECT_EQ(test, pfm_runstate_test_wants(ctx), 0U);
	pfm_fixture_pmc(ctx, 0, PFM_SW_MINOR_FAULTS, 0, 0);
	KUNIT_EXPECT_EQ(test, this_cpu_read(pfm_wants), PFM_WANTS_FAULTS);
	pfm_fixture_pmc(ctx, PFM_FIXTURE_IN(1, 0), PFM_SW_CSWITCHES, 0, 0);
	KUNIT_EXPECT_EQ(test, this_cpu_read(pfm_wants), all);
	pfm_fixture_out(ctx);
	KUNIT_EXPECT_EQ(test, this_cpu_read(pfm_wants), 0U);
	pfm_fixture_free(ctx);

	ctx = pfm_fixture_new(PFM_FL_SYSTEM_WIDE, NULL);
	KUNIT_ASSERT_FALSE(test, IS_ERR(ctx));
	mutex_lock_nested(&ctx->mutex, 1);
	KUNIT_EXPECT_EQ(test, pfm_fixture_set(ctx, 1, IDLE), 0);
	pfm_fixture_load(ctx);
	ctx->task = NULL;
	pfm_fixture_in(ctx);
	KUNIT_EXPECT_EQ(test, pfm_runstate_test_wants(ctx), PFM_WANTS_SWITCHES);
	pfm_fixture_free(ctx);

	ctx = pfm_fixture_new(0, NULL);
	KUNIT_ASSERT_FALSE(test, IS_ERR(ctx));
	mutex_lock_nested(&ctx->mutex, 1);
	pfm_fixture_load(ctx);
	pfm_fixture_pmc(ctx, 0, PFM_SW_MAJOR_FAULTS, 0, 0);
	KUNIT_EXPECT_EQ(test, this_cpu_read(pfm_wants), 0U);
	pfm_fixture_in(ctx);
	KUNIT_EXPECT_EQ(test, this_cpu_read(pfm_wants), PFM_WANTS_OWN_FAULTS);
	pfm_fixture_out(ctx);
	KUNIT_EXPECT_EQ(test, this_cpu_read(pfm_wants), 0U);
	pfm_fixture_free(ctx);
	migrate_enable();
}

struct pfm_runstate_late {
	struct timer_list timer;
	struct pfm_context *ctx;
};

static void pfm_runstate_test_arrive(struct timer_list *timer)
{
	struct pfm_runstate_late *late = from_timer(late, timer, timer);

	WRITE_ONCE(late->ctx->cpu, -1);
}

static int pfm_runstate_test_here(struct pfm_context *ctx, void *unused)
{
	return 1;
}

/*
 * The thread is never found where it was a moment ago, for a while: on a CPU that is
 * none. A command of a caller who has been killed gives up, close() goes on.
 */
static void pfm_runstate_test_killed(struct kunit *test)
{
	struct pfm_runstate_late late = { .ctx = test->priv };

	timer_setup_on_stack(&late.timer, pfm_runstate_test_arrive, 0);
	allow_signal(SIGKILL);
	send_sig(SIGKILL, current, 1);
	KUNIT_ASSERT_TRUE(test, fatal_signal_pending(current));

	WRITE_ONCE(late.ctx->cpu, (int)nr_cpu_ids);
	/* This one is for a command that does not give up. */
	mod_timer(&late.timer, jiffies + 10 * HZ);
	KUNIT_EXPECT_EQ(test, pfm_reach_call(late.ctx, pfm_runstate_test_here, NULL),
			-EINTR);
	del_timer_sync(&late.timer);

	WRITE_ONCE(late.ctx->cpu, (int)nr_cpu_ids);
	mod_timer(&late.timer, jiffies + 1);
	KUNIT_EXPECT_EQ(test, pfm_reach_call_any(late.ctx, pfm_runstate_test_here, NULL), 1);
	del_timer_sync(&late.timer);
	WRITE_ONCE(late.ctx->cpu, -1);

	destroy_timer_on_stack(&late.timer);
	flush_signals(current);
	disallow_signal(SIGKILL);
}

static struct kunit_case pfm_runstate_cases[] = {
	KUNIT_CASE(pfm_runstate_test_start_stop),
	KUNIT_CASE(pfm_runstate_test_masked),
	KUNIT_CASE(pfm_runstate_test_stop_overflows),
	KUNIT_CASE(pfm_runstate_test_kind),
	KUNIT_CASE(pfm_runstate_test_excluded),
	KUNIT_CASE(pfm_runstate_test_hooks),
	KUNIT_CASE(pfm_runstate_test_killed),
	{}
};

static struct kunit_suite pfm_runstate_suite = {
	.name = "perfmon-runstate",
	.init = pfm_fixture_init,
	.exit = pfm_fixture_exit,
	.test_cases = pfm_runstate_cases,
};
kunit_test_suite(pfm_runstate_suite);
