// SPDX-License-Identifier: GPL-2.0-only
/*
 * interrupt.c, on a PMU in memory: late interrupts, NMIs that find the lock taken, and
 * interrupts that are not ours; on PMUs that others share, and on one without any.
 */
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/hardirq.h>
#include <linux/workqueue.h>

#include "fake.h"

static int interrupt_init(struct kunit *test)
{
	return pfm_fake_init(test, &pfm_fake_pmu);
}

/*
 * The credit that a look has just given stays, however long this CPU stands still before
 * the interrupt.
 */
static void credit_stays(void)
{
	this_cpu_add(pfm_cpu.credit_at, 3600UL * HZ);
}

/* The first look finds the overflow, once; the interrupt comes late. */
static void interrupt_test_late(struct kunit *test)
{
	struct pfm_context *ctx = test->priv;
	unsigned long late = pfm_fake_stat(PFM_STAT_LATE), spurious;
	int blind;

	pfm_fake_pmc(ctx, 0, 0, 1, PFM_REGFL_OVFL_NOTIFY);
	pfm_fixture_load_hw(test, ctx);
	pfm_fixture_in(ctx);
	for (blind = 0; blind < 2; blind++) {
		pfm_fake.blind = blind;
		pfm_fake_pmd(ctx, 0, 0, -10ULL, -10ULL);
		pfm_fake_count(12);
		KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, 0), 2ULL);
		credit_stays();
		KUNIT_EXPECT_EQ(test, pfm_fake_messages(ctx), 1U);
		KUNIT_EXPECT_TRUE(test, pfm_fake_interrupt());
		KUNIT_EXPECT_EQ(test, pfm_fake_stat(PFM_STAT_LATE), ++late);
		KUNIT_EXPECT_EQ(test, pfm_fake_messages(ctx), 0U);
		/* That was the one; the next is another user's. */
		spurious = pfm_fake_stat(PFM_STAT_SPURIOUS);
		KUNIT_EXPECT_FALSE(test, pfm_fake_interrupt());
		KUNIT_EXPECT_EQ(test, pfm_fake_stat(PFM_STAT_SPURIOUS), spurious + 1);
		KUNIT_EXPECT_EQ(test, pfm_fixture_restart(ctx), 0);
		KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, 0), -10ULL);
	}
}

/* It may even come when the registers are no longer ours. */
static void interrupt_test_too_late(struct kunit *test)
{
	struct pfm_context *ctx = test->priv;

	pfm_fake_pmc(ctx, 0, 0, 1, 0);
	pfm_fake_pmd(ctx, 0, 0, -10ULL, -10ULL);
	pfm_fixture_load_hw(test, ctx);
	pfm_fixture_in(ctx);
	pfm_fake_count(12);
	pfm_fixture_out(ctx);
	credit_stays();
	pfm_reserve_yield(ctx);
	KUNIT_EXPECT_TRUE(test, pfm_hw_is_here());
	ctx->state = PFM_UNLOADED;
	pfm_reserve_yield(ctx);
	KUNIT_EXPECT_FALSE(test, pfm_hw_is_here());
	KUNIT_EXPECT_TRUE(test, pfm_interrupt_handle(NULL));
	KUNIT_EXPECT_FALSE(test, pfm_interrupt_handle(NULL));
}

/* Two overflows may be two interrupts, of which the first finds both. */
static void interrupt_test_two_interrupts(struct kunit *test)
{
	struct pfm_context *ctx = test->priv;

	pfm_fake.blind = true;
	pfm_fake_pmc(ctx, 0, 0, 1, 0);
	pfm_fake_pmc(ctx, 0, 1, 1, 0);
	pfm_fake_pmd(ctx, 0, 0, -10ULL, -1000ULL);
	pfm_fake_pmd(ctx, 0, 1, -10ULL, -1000ULL);
	pfm_fixture_load_hw(test, ctx);
	pfm_fixture_in(ctx);
	pfm_fake_count(10);
	KUNIT_EXPECT_TRUE(test, pfm_fake_interrupt());
	credit_stays();
	KUNIT_EXPECT_TRUE(test, pfm_fake_interrupt());
	KUNIT_EXPECT_FALSE(test, pfm_fake_interrupt());
	/* But not for ever. */
	pfm_fake_count(1000);
	KUNIT_EXPECT_TRUE(test, pfm_fake_interrupt());
	this_cpu_sub(pfm_cpu.credit_at, HZ);
	KUNIT_EXPECT_FALSE(test, pfm_fake_interrupt());
}

/* Two at once are one event. */
static void interrupt_test_together(struct kunit *test)
{
	struct pfm_context *ctx = test->priv;
	pfm_msg_t *msg = &ctx->queue.ring[0];

	pfm_fake_pmc(ctx, 0, 0, 1, PFM_REGFL_OVFL_NOTIFY);
	pfm_fake_pmc(ctx, 0, 3, 1, PFM_REGFL_OVFL_NOTIFY);
	pfm_fake_pmd(ctx, 0, 0, -10ULL, -10ULL);
	pfm_fake_pmd(ctx, 0, 3, -10ULL, -10ULL);
	pfm_fixture_load_hw(test, ctx);
	pfm_fixture_in(ctx);
	pfm_fake_happen(10);
	KUNIT_EXPECT_EQ(test, msg->pfm_ovfl_msg.msg_ovfl_pmds[0], 9ULL);
	KUNIT_EXPECT_EQ(test, pfm_fake_messages(ctx), 1U);
}

/*
 * Interrupts that take @spent nanoseconds each and leave @gap in between, on @l: how many
 * it takes to be a storm; or @max, if these are none.
 */
static unsigned int storm_after(struct pfm_lane *l, u64 spent, u64 gap, unsigned int max)
{
	unsigned int n = 0;
	u64 begin;

	do {
		begin = l->ended + gap;
		n++;
	} while (!pfm_throttle_is_storm(l, begin, begin + spent) && n < max);
	return n;
}

/* Interrupts that leave the CPU no time are too many, however few they are. */
static void interrupt_test_storm(struct kunit *test)
{
	struct pfm_lane *l = kunit_kzalloc(test, sizeof(*l), GFP_KERNEL);
	unsigned int n;

	KUNIT_ASSERT_NOT_NULL(test, l);
	/* More than half a second; then the next begins. */
	KUNIT_EXPECT_EQ(test, storm_after(l, 100000, 1000, 20000), 5001U);
	KUNIT_EXPECT_EQ(test, storm_after(l, 100000, 1000, 20000), 5001U);
	/* More than 256 of them, however slow they are. */
	KUNIT_EXPECT_EQ(test, storm_after(l, NSEC_PER_SEC, 1000, 20000), 257U);
	/* Half of the time is left to others. */
	KUNIT_EXPECT_EQ(test, storm_after(l, 100000, 100001, 20000), 20000U);
	/* Ordinary ones in between calm it. */
	for (n = 0; n < 1000; n++) {
		KUNIT_EXPECT_EQ(test, storm_after(l, NSEC_PER_SEC, 0, 16), 16U);
		KUNIT_EXPECT_EQ(test, storm_after(l, 1000, NSEC_PER_SEC, 1), 1U);
	}
	/* Of the time until the irq_work, that of an NMI counts: 10 ms at most. */
	for (n = 0; n < 257; n++) {
		l->deferred = true;
		KUNIT_EXPECT_FALSE(test, pfm_throttle_is_storm(l, l->ended, l->ended + 1000000));
	}
	l->spent = 0;
	for (n = 0; n < 50; n++) {
		l->deferred = true;
		KUNIT_EXPECT_FALSE(test, pfm_throttle_is_storm(l, l->ended,
							       l->ended + NSEC_PER_SEC));
	}
	l->deferred = true;
	KUNIT_EXPECT_TRUE(test, pfm_throttle_is_storm(l, l->ended, l->ended + NSEC_PER_SEC));
	/* The whole time counts if a counter passed another period before the handler ran. */
	for (n = 0; n < 5000; n++) {
		l->overtaken = true;
		KUNIT_EXPECT_EQ(test, storm_after(l, 1000, 99000, 1), 1U);
	}
	l->overtaken = true;
	KUNIT_EXPECT_TRUE(test, pfm_throttle_is_storm(l, l->ended + 99000, l->ended + 100000));
}

/*
 * A counter that has had its period once more when the interrupt is handled is overtaken,
 * however late that is by the clock. One that has had less is not; nor does it matter what
 * was found otherwise.
 */
static void interrupt_test_overtaken(struct kunit *test)
{
	struct pfm_context *ctx = test->priv;
	struct pfm_lane *l;
	unsigned int more;

	pfm_fake_pmc(ctx, 0, 0, 1, 0);
	pfm_fixture_load_hw(test, ctx);
	pfm_fixture_in(ctx);
	l = pfm_lane_of(this_cpu_ptr(&pfm_cpu), ctx);
	for (more = 9; more <= 10; more++) {
		pfm_fake_pmd(ctx, 0, 0, -10ULL, -10ULL);
		l->overtaken = true;
		l->storm = 256;
		l->spent = NSEC_PER_SEC;
		l->ended = 0;
		pfm_fake_count(10 + more);
		KUNIT_EXPECT_TRUE(test, pfm_fake_interrupt());
		KUNIT_EXPECT_EQ(test, (int)ctx->state, (int)(more < 10 ? PFM_LOADED : PFM_MASKED));
	}
}

/* A context whose interrupts are a storm stops, and says so. */
static void interrupt_test_storm_masks(struct kunit *test)
{
	struct pfm_context *ctx = test->priv;
	struct pfm_lane *l;

	pfm_fake_pmc(ctx, 0, 0, 1, 0);
	pfm_fake_pmd(ctx, 0, 0, -1ULL, -1ULL);
	pfm_fixture_load_hw(test, ctx);
	pfm_fixture_in(ctx);
	l = pfm_lane_of(this_cpu_ptr(&pfm_cpu), ctx);
	l->storm = 0;
	pfm_fake_happen(1);
	KUNIT_EXPECT_EQ(test, (int)ctx->state, (int)PFM_LOADED);
	/* One more than enough, whenever it comes. */
	l->storm = 10000;
	l->spent = NSEC_PER_SEC;
	l->deferred = true;
	pfm_fake_happen(1);
	KUNIT_EXPECT_EQ(test, (int)ctx->state, (int)PFM_MASKED);
	KUNIT_EXPECT_EQ(test, pfm_fake.running, 0ULL);
	KUNIT_EXPECT_EQ(test, pfm_fake_messages(ctx), 1U);
}

/* An NMI that finds the lock taken leaves it to the irq_work. */
static void interrupt_test_locked(struct kunit *test)
{
	struct pfm_context *ctx = test->priv;
	unsigned long flags;

	pfm_fake_pmc(ctx, 0, 0, 1, PFM_REGFL_OVFL_NOTIFY);
	pfm_fake_pmd(ctx, 0, 0, -10ULL, -10ULL);
	pfm_fixture_load_hw(test, ctx);
	pfm_fixture_in(ctx);
	raw_spin_lock_irqsave(&ctx->lock, flags);
	pfm_fake_count(11);
	KUNIT_EXPECT_TRUE(test, pfm_fake_nmi());
	KUNIT_EXPECT_EQ(test, pfm_message_count(&ctx->queue), 0U);
	/* Meanwhile it counts. */
	KUNIT_EXPECT_EQ(test, pfm_fake.running, 1ULL);
	raw_spin_unlock_irqrestore(&ctx->lock, flags);
	irq_work_sync(this_cpu_ptr(&pfm_cpu.work));
	KUNIT_EXPECT_EQ(test, pfm_fake_messages(ctx), 1U);
	KUNIT_EXPECT_EQ(test, pfm_fake.running, 0ULL);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, 0), 1ULL);
}

struct interrupt_holder {
	struct work_struct work;
	struct pfm_context *ctx;
	struct completion held;
};

/* Another CPU has the lock for a moment. */
static void interrupt_hold(struct work_struct *work)
{
	struct interrupt_holder *h = container_of(work, struct interrupt_holder, work);
	unsigned long flags;

	raw_spin_lock_irqsave(&h->ctx->lock, flags);
	complete(&h->held);
	mdelay(2);
	raw_spin_unlock_irqrestore(&h->ctx->lock, flags);
}

/* An interrupt that is not an NMI waits for it, and leaves nothing to do. */
static void interrupt_test_waits(struct kunit *test)
{
	struct pfm_context *ctx = test->priv;
	unsigned long late = pfm_fake_stat(PFM_STAT_LATE);
	struct interrupt_holder h = { .ctx = ctx };
	unsigned int cpu = cpumask_any_but(cpu_online_mask, smp_processor_id());

	/* This thread has to run its exit, too. */
	if (cpu >= nr_cpu_ids) {
		kunit_mark_skipped(test, "needs two CPUs");
		return;
	}
	pfm_fake_pmc(ctx, 0, 0, 1, PFM_REGFL_OVFL_NOTIFY);
	pfm_fake_pmd(ctx, 0, 0, -10ULL, -10ULL);
	pfm_fixture_load_hw(test, ctx);
	pfm_fixture_in(ctx);
	INIT_WORK_ONSTACK(&h.work, interrupt_hold);
	init_completion(&h.held);
	schedule_work_on(cpu, &h.work);
	while (!completion_done(&h.held))
		cpu_relax();
	pfm_fake_count(11);
	KUNIT_EXPECT_TRUE(test, pfm_fake_interrupt());
	/* It is handled as it comes, not left to an irq_work as late. */
	KUNIT_EXPECT_EQ(test, pfm_fake_stat(PFM_STAT_LATE), late);
	KUNIT_EXPECT_EQ(test, pfm_fake_messages(ctx), 1U);
	flush_work(&h.work);
	destroy_work_on_stack(&h.work);
}

/* The interrupt of what an NMI has left to others has been: the next is not ours. */
static void interrupt_test_work_grants_nothing(struct kunit *test)
{
	struct pfm_context *ctx = test->priv;
	unsigned long flags;

	pfm_fake.blind = true;
	pfm_fake_pmc(ctx, 0, 0, 1, PFM_REGFL_OVFL_NOTIFY);
	pfm_fake_pmd(ctx, 0, 0, -10ULL, -10ULL);
	pfm_fixture_load_hw(test, ctx);
	pfm_fixture_in(ctx);
	pfm_fake_count(12);
	local_irq_save(flags);
	pfm_interrupt_work(NULL);
	local_irq_restore(flags);
	KUNIT_EXPECT_EQ(test, pfm_fake_messages(ctx), 1U);
	KUNIT_EXPECT_FALSE(test, pfm_fake_interrupt());
}

/* A time-out that is over does not end in the interrupt's handler (3.7.7). */
static void interrupt_test_timeout(struct kunit *test)
{
	struct pfm_context *ctx = test->priv;
	unsigned long flags;
	int active;

	KUNIT_ASSERT_EQ(test, pfm_fixture_set(ctx, 0, PFM_SETFL_TIME_SWITCH), 0);
	KUNIT_ASSERT_EQ(test, pfm_fixture_set(ctx, 1, 0), 0);
	pfm_fake_pmc(ctx, 0, 0, 1, 0);
	pfm_fake_pmd(ctx, 0, 0, -10ULL, -10ULL);
	pfm_fixture_load_hw(test, ctx);
	/* The timer, which does end it, cannot come meanwhile. */
	local_irq_save(flags);
	pfm_fixture_in(ctx);
	pfm_fake_count(12);
	ctx->set->left = 0;
	KUNIT_EXPECT_TRUE(test, pfm_fake_nmi());
	active = ctx->set->id;
	local_irq_restore(flags);
	KUNIT_EXPECT_EQ(test, active, 0);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, 0), -10ULL);
	pfm_fixture_out(ctx);
	pfm_fixture_in(ctx);
	KUNIT_EXPECT_EQ(test, (int)ctx->set->id, 1);
}

static struct kunit_case interrupt_cases[] = {
	KUNIT_CASE(interrupt_test_late),
	KUNIT_CASE(interrupt_test_too_late),
	KUNIT_CASE(interrupt_test_two_interrupts),
	KUNIT_CASE(interrupt_test_together),
	KUNIT_CASE(interrupt_test_storm),
	KUNIT_CASE(interrupt_test_overtaken),
	KUNIT_CASE(interrupt_test_storm_masks),
	KUNIT_CASE(interrupt_test_locked),
	KUNIT_CASE(interrupt_test_waits),
	KUNIT_CASE(interrupt_test_work_grants_nothing),
	KUNIT_CASE(interrupt_test_timeout),
	{}
};

static struct kunit_suite interrupt_suite = {
	.name = "perfmon-interrupt",
	.init = interrupt_init,
	.exit = pfm_fake_exit,
	.test_cases = interrupt_cases,
};

static int shared_init(struct kunit *test)
{
	return pfm_fake_init(test, &pfm_fake_shared);
}

/* Somebody else has them count while the context is stopped. */
static void interrupt_test_stranger(struct kunit *test)
{
	struct pfm_context *ctx = test->priv;
	unsigned long foreign = pfm_fake_stat(PFM_STAT_FOREIGN);

	pfm_fake.ctr[0] = FAKE_MAX - 1000;
	pfm_fake_pmc(ctx, 0, 0, 1, 0);
	pfm_fixture_load_hw(test, ctx);
	pfm_fixture_in(ctx);
	pfm_fake_count(10);
	KUNIT_EXPECT_FALSE(test, pfm_fake_interrupt());
	KUNIT_EXPECT_EQ(test, pfm_fake_stat(PFM_STAT_FOREIGN), foreign);
	pfm_fixture_stop(ctx);
	/* They are found in the interrupt of others, and stopped. */
	pfm_fake.running = 1;
	KUNIT_EXPECT_FALSE(test, pfm_fake_interrupt());
	KUNIT_EXPECT_EQ(test, pfm_fake.running, 0ULL);
	KUNIT_EXPECT_EQ(test, pfm_fake_stat(PFM_STAT_FOREIGN), foreign + 1);
	/* Or in their own, when they have counted what nobody asked for. */
	pfm_fake.running = 1;
	pfm_fake_count(5000);
	KUNIT_EXPECT_TRUE(test, pfm_fake_interrupt());
	KUNIT_EXPECT_EQ(test, pfm_fake.running, 0ULL);
	KUNIT_EXPECT_EQ(test, pfm_fake_stat(PFM_STAT_FOREIGN), foreign + 2);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, 0), 10ULL);
	pfm_fixture_start(ctx);
	pfm_fake_count(1);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, 0), 11ULL);
}

/* The NMI may have come into a section: whose the counters are then, the section decides. */
static void interrupt_test_stranger_inside(struct kunit *test)
{
	struct pfm_context *ctx = test->priv;
	unsigned long flags;
	struct pfm_lane *l;

	pfm_fake.ctr[0] = FAKE_MAX - 1000;
	pfm_fake_pmc(ctx, 0, 0, 1, 0);
	pfm_fixture_load_hw(test, ctx);
	pfm_fixture_in(ctx);
	pfm_fixture_stop(ctx);
	l = pfm_lane_of(this_cpu_ptr(&pfm_cpu), ctx);
	l->stamp = 1;
	pfm_fake.running = 1;
	pfm_fake_count(5000);
	raw_spin_lock_irqsave(&ctx->lock, flags);
	KUNIT_EXPECT_TRUE(test, pfm_fake_nmi());
	KUNIT_EXPECT_EQ(test, pfm_fake.running, 0ULL);
	KUNIT_EXPECT_EQ(test, l->stamp, 1ULL);
	raw_spin_unlock_irqrestore(&ctx->lock, flags);
}

/* The wrap is not nearer than the hardware likes, and is found none the less. */
static void interrupt_test_least_period(struct kunit *test)
{
	struct pfm_context *ctx = test->priv;
	u64 period, least;

	pfm_fake_pmc(ctx, 0, 0, 1, PFM_REGFL_OVFL_NOTIFY);
	pfm_fixture_load_hw(test, ctx);
	for (period = 5; period; period--) {
		pfm_fake_pmd(ctx, 0, 0, -period, -period);
		if (ctx->cpu < 0)
			pfm_fixture_in(ctx);
		least = period > 3 ? period : 3;
		KUNIT_EXPECT_EQ_MSG(test, pfm_fake.ctr[0], FAKE_MAX + 1 - least, "%llu",
				    period);
		pfm_fake_happen(least);
		KUNIT_EXPECT_EQ_MSG(test, pfm_fake_messages(ctx), 1U, "%llu", period);
		KUNIT_EXPECT_EQ(test, pfm_fixture_restart(ctx), 0);
	}
}

/* A counter takes some events back: that is neither a wrap nor an overflow. */
static void interrupt_test_rollback(struct kunit *test)
{
	struct pfm_context *ctx = test->priv;
	unsigned long before = pfm_fake_stat(PFM_STAT_OVERFLOWS);

	pfm_fake_pmc(ctx, 0, 0, 1, PFM_REGFL_OVFL_NOTIFY);
	pfm_fake_pmd(ctx, 0, 0, -2000ULL, -2000ULL);
	pfm_fixture_load_hw(test, ctx);
	pfm_fixture_in(ctx);
	pfm_fake_count(1000);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, 0), -1000ULL);
	pfm_fake.ctr[0] -= 255;
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, 0), -1000ULL);
	pfm_fake_count(254);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, 0), -1000ULL);
	/* What is counted again is counted once. */
	pfm_fake_count(101);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, 0), -900ULL);
	KUNIT_EXPECT_EQ(test, pfm_fake_stat(PFM_STAT_OVERFLOWS), before);
	KUNIT_EXPECT_EQ(test, pfm_fake_messages(ctx), 0U);
	/* A turn is one. */
	pfm_fake_happen(900);
	KUNIT_EXPECT_EQ(test, pfm_fake_messages(ctx), 1U);
}

static struct kunit_case shared_cases[] = {
	KUNIT_CASE(interrupt_test_stranger),
	KUNIT_CASE(interrupt_test_stranger_inside),
	KUNIT_CASE(interrupt_test_least_period),
	KUNIT_CASE(interrupt_test_rollback),
	{}
};

static struct kunit_suite shared_suite = {
	.name = "perfmon-interrupt-shared",
	.init = shared_init,
	.exit = pfm_fake_exit,
	.test_cases = shared_cases,
};

static int deaf_init(struct kunit *test)
{
	return pfm_fake_init(test, &pfm_fake_deaf);
}

/* A wrap without an interrupt is found in time; a period is refused. */
static void interrupt_test_deaf(struct kunit *test)
{
	struct hrtimer *timer = this_cpu_ptr(&pfm_cpu.timer);
	struct pfm_context *ctx = test->priv;
	unsigned long flags;

	KUNIT_EXPECT_EQ(test, pfm_fake_pmc(ctx, 0, 0, 1, PFM_REGFL_OVFL_NOTIFY),
			-EINVAL);
	KUNIT_EXPECT_EQ(test, pfm_fake_pmc(ctx, 0, 0, 1, 0), 0);
	pfm_fixture_load_hw(test, ctx);
	pfm_fake.ctr[0] = FAKE_MAX - 1;
	pfm_fixture_in(ctx);
	KUNIT_EXPECT_NE(test, this_cpu_read(pfm_cpu.timer_at), 0ULL);
	pfm_fake_count(5);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, 0), 5ULL);
	/* More than a turn, with the timer's look in the midst of it. */
	pfm_fake_count(FAKE_MAX / 2 + 10);
	local_irq_save(flags);
	hrtimer_try_to_cancel(timer);
	KUNIT_EXPECT_EQ(test, timer->function(timer), HRTIMER_RESTART);
	hrtimer_start_expires(timer, HRTIMER_MODE_ABS_PINNED_HARD);
	local_irq_restore(flags);
	KUNIT_EXPECT_NE(test, this_cpu_read(pfm_cpu.timer_at), 0ULL);
	pfm_fake_count(FAKE_MAX / 2 + 10);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, 0), 5 + 2 * (FAKE_MAX / 2 + 10));
	/* Another user's NMI. */
	KUNIT_EXPECT_FALSE(test, pfm_fake_interrupt());
}

static struct kunit_case deaf_cases[] = {
	KUNIT_CASE(interrupt_test_deaf),
	{}
};

static struct kunit_suite deaf_suite = {
	.name = "perfmon-interrupt-deaf",
	.init = deaf_init,
	.exit = pfm_fake_exit,
	.test_cases = deaf_cases,
};

kunit_test_suites(&interrupt_suite, &shared_suite, &deaf_suite);
