// SPDX-License-Identifier: GPL-2.0-only
/*
 * The record of a CPU's time, and the clocks that follow from it, with interrupts
 * off on one CPU; an overflow interrupt is a call in the midst of it.
 */
#include <linux/ktime.h>
#include <linux/sched/clock.h>
#include <linux/stop_machine.h>

#include "../clock.h"
#include "../soft.h"
#include "../timer.h"
#include "fixture.h"

/* Later than any time that passes between two lines of a test. */
#define CLOCK_LATER	(3600ULL * NSEC_PER_SEC)

/* The record is what it is said to be, also if that is older than what it was. */
static void clock_force(struct pfm_cpu *c, u64 thread, u64 now)
{
	struct pfm_clock *clock = &c->clock[c->clock_at & PFM_CLOCK_PLACE];

	clock->thread = thread;
	clock->now = now;
}

/* The record may be left from another test: have a known one. */
static struct pfm_cpu *clock_begin(unsigned long *flags)
{
	struct pfm_cpu *c;

	local_irq_save(*flags);
	c = this_cpu_ptr(&pfm_cpu);
	clock_force(c, 1000, local_clock());
	return c;
}

/* What an overflow interrupt finds: the last record, and what has passed since. */
static void clock_test_advance(struct kunit *test)
{
	struct pfm_clock old, new;
	unsigned long flags;
	struct pfm_cpu *c = clock_begin(&flags);
	u64 begin = local_clock(), now;

	clock_force(c, 1000, begin - 5000);
	old = pfm_clock_here(c);
	now = pfm_clock_advance();
	new = pfm_clock_here(c);
	local_irq_restore(flags);

	KUNIT_EXPECT_GE(test, now, begin);
	KUNIT_EXPECT_EQ(test, new.now, now);
	KUNIT_EXPECT_EQ(test, new.thread - old.thread, now - (begin - 5000));
}

/* A record that is younger than the reader's clock: nothing has passed. */
static void clock_test_no_difference_is_negative(struct kunit *test)
{
	struct pfm_clock new;
	unsigned long flags;
	struct pfm_cpu *c = clock_begin(&flags);
	u64 later = local_clock() + CLOCK_LATER;

	clock_force(c, 1000, later);
	pfm_clock_advance();
	new = pfm_clock_here(c);
	/* The next test's record is not to be from the future. */
	clock_force(c, 0, 0);
	local_irq_restore(flags);

	KUNIT_EXPECT_EQ(test, new.now, later);
	KUNIT_EXPECT_EQ(test, new.thread, 1000ULL);
	KUNIT_EXPECT_EQ(test, pfm_clock_since(5, 3), 0ULL);
	KUNIT_EXPECT_EQ(test, pfm_clock_since(3, 5), 2ULL);
}

/*
 * The interrupt comes between the stores of the new record, with half a value in
 * one of them: it goes on from the old one, and leaves the new one as it is.
 */
static void clock_test_interrupted_write(struct kunit *test)
{
	struct pfm_clock half, whole;
	unsigned int at, spare, i;
	unsigned long flags;
	struct pfm_cpu *c;
	u64 begin, now;

	for (i = 0; i < 4; i++) {
		c = clock_begin(&flags);
		begin = local_clock();
		clock_force(c, 1000, begin);
		/* Also when the valid record is an estimate. */
		if (i & 1)
			pfm_clock_advance();
		if (i & 2) {
			pfm_clock_set(c, 1000, begin);
			clock_force(c, 1000, begin);
		}
		at = c->clock_at;
		spare = pfm_clock_spare(at);
		c->clock[spare].thread = 0xdead0000beef0000ULL;
		now = pfm_clock_advance();
		half = pfm_clock_here(c);
		/* It goes on with the writer. */
		c->clock[spare].thread = 7000;
		c->clock[spare].now = begin + 77;
		c->clock_at = pfm_clock_name(c->clock_at, spare);
		whole = pfm_clock_here(c);
		local_irq_restore(flags);

		KUNIT_EXPECT_NE(test, spare, at & PFM_CLOCK_PLACE);
		KUNIT_EXPECT_NE(test, spare, (unsigned int)PFM_CLOCK_ESTIMATE);
		KUNIT_EXPECT_EQ(test, half.thread, 1000 + now - begin);
		KUNIT_EXPECT_EQ(test, half.now, now);
		KUNIT_EXPECT_EQ(test, whole.thread, 7000ULL);
		KUNIT_EXPECT_EQ(test, whole.now, begin + 77);
	}
}

/* Neither a record nor an estimate takes the clock back; the thread's time is the last. */
static void clock_test_monotonic(struct kunit *test)
{
	struct pfm_clock record;
	u64 estimate, set[2];
	unsigned long flags;
	struct pfm_cpu *c = clock_begin(&flags);

	estimate = pfm_clock_advance();
	set[0] = pfm_clock_set(c, 700, estimate - 5000);
	record = pfm_clock_here(c);
	set[1] = pfm_clock_set(c, 800, estimate + 5000);
	clock_force(c, 0, 0);
	local_irq_restore(flags);

	KUNIT_EXPECT_EQ(test, set[0], estimate);
	KUNIT_EXPECT_EQ(test, record.now, estimate);
	KUNIT_EXPECT_EQ(test, record.thread, 700ULL);
	KUNIT_EXPECT_EQ(test, set[1], estimate + 5000);
}

/*
 * By the name alone code that was interrupted knows that there is another record: two
 * estimates, one upon the other, are in the same place.
 */
static void clock_test_names(struct kunit *test)
{
	unsigned int name[4], i, j;
	unsigned long flags;
	struct pfm_cpu *c = clock_begin(&flags);

	name[0] = c->clock_at;
	pfm_clock_advance();
	name[1] = c->clock_at;
	pfm_clock_advance();
	name[2] = c->clock_at;
	pfm_clock_set(c, 0, 0);
	name[3] = c->clock_at;
	local_irq_restore(flags);

	for (i = 0; i < ARRAY_SIZE(name); i++)
		for (j = 0; j < i; j++)
			KUNIT_EXPECT_NE(test, name[i], name[j]);
	KUNIT_EXPECT_EQ(test, name[1] & PFM_CLOCK_PLACE, (unsigned int)PFM_CLOCK_ESTIMATE);
	KUNIT_EXPECT_EQ(test, name[2] & PFM_CLOCK_PLACE, (unsigned int)PFM_CLOCK_ESTIMATE);
}

/*
 * The run queue's clock is as of the last switch or tick, and the record is younger:
 * current is switched out and in again, and the record does not go back.
 */
static void clock_test_switch(struct kunit *test)
{
	struct pfm_context *ctx = test->priv;
	struct pfm_clock out, in;
	unsigned long flags;
	struct pfm_cpu *c;
	u64 later, thread;

	pfm_fixture_load(ctx);
	pfm_context_clock(ctx);
	c = clock_begin(&flags);
	later = local_clock() + CLOCK_LATER;
	rcu_assign_pointer(current->pfm_context, ctx);
	pfm_fixture_in(ctx);
	clock_force(c, 1000, later);
	__pfm_sched_out(current, ctx);
	out = pfm_clock_here(c);
	__pfm_sched_in(current, ctx);
	in = pfm_clock_here(c);
	thread = current->se.sum_exec_runtime;
	__pfm_sched_out(current, ctx);
	RCU_INIT_POINTER(current->pfm_context, NULL);
	clock_force(c, 0, 0);
	local_irq_restore(flags);

	KUNIT_EXPECT_EQ(test, ctx->cpu, -1);
	KUNIT_EXPECT_EQ(test, out.now, later);
	KUNIT_EXPECT_EQ(test, in.now, later);
	KUNIT_EXPECT_EQ(test, in.thread, thread);
}

/*
 * The scheduler's clock was not brought up to date for a switch, and a refresh came
 * before that: the CPU has been busy until then, not until before it became so.
 */
static void clock_test_busy(struct kunit *test)
{
	/* A CPU's own does not say that it is one before it has been idle once. */
	struct task_struct *idle = kunit_kzalloc(test, sizeof(*idle), GFP_KERNEL);
	u64 busy, asleep, again, switched, old_busy, old_since;
	unsigned long flags;
	struct pfm_cpu *c;

	KUNIT_ASSERT_NOT_NULL(test, idle);
	idle->flags = PF_IDLE;
	c = clock_begin(&flags);

	old_busy = c->busy;
	old_since = c->busy_since;
	c->busy = 500;
	c->busy_since = 10000;
	clock_force(c, 0, 10100);
	busy = pfm_clock_busy();
	/* The idle thread comes, as of before busy_since. */
	switched = pfm_clock_switch(current, idle, 9000);
	asleep = pfm_clock_busy();
	pfm_clock_switch(idle, current, 20000);
	clock_force(c, 0, 19000);
	again = pfm_clock_busy();
	c->busy = old_busy;
	c->busy_since = old_since;
	clock_force(c, 0, 0);
	local_irq_restore(flags);

	KUNIT_EXPECT_EQ(test, busy, 600ULL);
	KUNIT_EXPECT_EQ(test, switched, 10100ULL);
	KUNIT_EXPECT_EQ(test, asleep, 600ULL);
	KUNIT_EXPECT_EQ(test, again, 600ULL);
}

/*
 * Sets 0 and 1 with a task clock each, live here. Whatever an estimate says that
 * turns out to be too high, the sum of both is what the thread has had.
 */
static void clock_test_conserves(struct kunit *test)
{
	struct pfm_context *ctx = test->priv;
	struct pfm_set *set[2];
	unsigned int i, sw = pfm_fixture_sw(0);
	unsigned long flags;
	struct pfm_cpu *c;
	u64 wrapped = 0, sum, high;

	KUNIT_ASSERT_EQ(test, pfm_fixture_set(ctx, 1, 0), 0);
	for (i = 0; i < 2; i++)
		pfm_fixture_pmc(ctx, PFM_FIXTURE_IN(i, 0), PFM_SW_TASK_CLOCK, 0, 0);
	pfm_fixture_load(ctx);
	ctx->clock = 0;
	ctx->started = true;
	for (i = 0; i < 2; i++)
		set[i] = pfm_set_find(ctx, i);

	c = clock_begin(&flags);
	raw_spin_lock(&ctx->lock);
	ctx->cpu = smp_processor_id();
	ctx->set = set[0];
	pfm_soft_base(ctx, set[0], set[0]->used);
	/* An estimate of 4000, and set 1 begins. */
	pfm_clock_set(c, 5000, 1);
	wrapped |= pfm_soft_sync(ctx, set[0]->used);
	ctx->set = set[1];
	pfm_soft_base(ctx, set[1], set[1]->used);
	/* It was 3000: set 1 has had nothing yet, and comes back to set 0. */
	pfm_clock_set(c, 4000, 2);
	wrapped |= pfm_soft_sync(ctx, set[1]->used);
	high = set[1]->pmds[sw].value;
	ctx->set = set[0];
	pfm_soft_base(ctx, set[0], set[0]->used);
	pfm_clock_set(c, 4600, 3);
	wrapped |= pfm_soft_sync(ctx, set[0]->used);
	/* The truth has caught up. */
	pfm_clock_set(c, 9000, 4);
	wrapped |= pfm_soft_sync(ctx, set[0]->used);
	sum = set[0]->pmds[sw].value + set[1]->pmds[sw].value;
	ctx->cpu = -1;
	clock_force(c, 0, 0);
	raw_spin_unlock(&ctx->lock);
	local_irq_restore(flags);

	KUNIT_EXPECT_EQ(test, wrapped, 0ULL);
	KUNIT_EXPECT_EQ(test, high, 0ULL);
	KUNIT_EXPECT_EQ(test, sum, 8000ULL);
}

static int clock_nothing(struct pfm_context *ctx, void *unused)
{
	return 77;
}

/*
 * A command that comes to the wrong CPU takes no time there: that needs the locks of
 * the scheduler.
 */
static void clock_test_elsewhere(struct kunit *test)
{
	struct pfm_context *ctx = test->priv;
	struct pfm_clock after, here;
	unsigned long flags;
	struct pfm_cpu *c;
	int ret[2];

	pfm_context_clock(ctx);
	ctx->flags |= PFM_FL_SYSTEM_WIDE;
	preempt_disable();
	/* It would take the time, too. */
	pfm_timer_cancel(smp_processor_id());
	c = clock_begin(&flags);
	clock_force(c, 1, 2);
	local_irq_restore(flags);
	ctx->cpu = nr_cpu_ids;
	ret[0] = pfm_reach_call(ctx, clock_nothing, NULL);
	after = pfm_clock_here(c);
	ctx->cpu = smp_processor_id();
	ret[1] = pfm_reach_call(ctx, clock_nothing, NULL);
	here = pfm_clock_here(c);
	ctx->cpu = -1;
	preempt_enable();
	ctx->flags &= ~PFM_FL_SYSTEM_WIDE;

	KUNIT_EXPECT_EQ(test, ret[0], -EBUSY);
	KUNIT_EXPECT_EQ(test, ret[1], 77);
	KUNIT_EXPECT_EQ(test, after.thread, 1ULL);
	KUNIT_EXPECT_EQ(test, after.now, 2ULL);
	KUNIT_EXPECT_GT(test, here.now, 2ULL);
}

/* Interrupts are off on all CPUs: no other code takes the time meanwhile. */
static int clock_suspended(void *arg)
{
	struct pfm_context *ctx = arg;
	struct pfm_cpu *c = this_cpu_ptr(&pfm_cpu);
	bool armed;

	/* Another test may have left it; its handler does not run. */
	hrtimer_try_to_cancel(&c->timer);
	c->timer_at = 0;
	raw_spin_lock(&ctx->lock);
	ctx->cpu = smp_processor_id();
	timekeeping_suspended = 1;
	pfm_timer_arm(ctx, local_clock());
	timekeeping_suspended = 0;
	armed = c->timer_at || hrtimer_active(&c->timer) || !irq_work_is_pending(&c->work);
	ctx->cpu = -1;
	raw_spin_unlock(&ctx->lock);
	return armed;
}

/* No timer is set while there is no time: what wakes the machine up does it later. */
static void clock_test_suspended(struct kunit *test)
{
	struct pfm_context *ctx = test->priv;

	KUNIT_ASSERT_EQ(test, pfm_fixture_set(ctx, 0, PFM_SETFL_TIME_SWITCH), 0);
	pfm_fixture_load(ctx);
	pfm_fixture_start(ctx);
	KUNIT_EXPECT_EQ(test, stop_machine(clock_suspended, ctx, NULL), 0);
}

static struct kunit_case clock_cases[] = {
	KUNIT_CASE(clock_test_elsewhere),
	KUNIT_CASE(clock_test_suspended),
	KUNIT_CASE(clock_test_advance),
	KUNIT_CASE(clock_test_no_difference_is_negative),
	KUNIT_CASE(clock_test_interrupted_write),
	KUNIT_CASE(clock_test_monotonic),
	KUNIT_CASE(clock_test_names),
	KUNIT_CASE(clock_test_switch),
	KUNIT_CASE(clock_test_busy),
	KUNIT_CASE(clock_test_conserves),
	{}
};

static struct kunit_suite clock_suite = {
	.name = "perfmon-clock",
	.init = pfm_fixture_init,
	.exit = pfm_fixture_exit,
	.test_cases = clock_cases,
};
kunit_test_suite(clock_suite);
