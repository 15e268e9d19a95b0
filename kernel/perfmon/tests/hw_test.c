// SPDX-License-Identifier: GPL-2.0-only
/*
 * The counters' path on a PMU in memory: four counters of 40 bits, of which
 * 32 can be written, and one register that starts and stops them.
 *
 * The context is live on the CPU where the test runs, which stays the same.
 */
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/hardirq.h>
#include <linux/preempt.h>
#include <linux/sched/clock.h>
#include <linux/workqueue.h>

#include "fixture.h"

#define FAKE_MAX	GENMASK_ULL(39, 0)
#define FAKE_COUNTERS	4
#define FAKE_FILTER	4

static struct {
	u64 ctr[FAKE_COUNTERS];
	u64 sel[FAKE_COUNTERS + 1];
	u64 running;
	u64 ovfl;
	bool interrupt;		/* pending */
	bool blind;		/* has no status register */
	bool frozen;		/* when it was acknowledged */
	bool slow;		/* a read takes a ms */
	bool busy;		/* an event happens with each read */
	u32 set_flags;		/* of the last start */
	struct task_struct *task;
	unsigned int starts;
	unsigned int stops;
	unsigned int programs;
	unsigned int reads;
	unsigned int writes;
} fake;

static int fake_acquire(const struct pfm_pmu *pmu, unsigned int what)
{
	return 0;
}

static void fake_release(const struct pfm_pmu *pmu, unsigned int what)
{
}

static void fake_reset(const struct pfm_pmu *pmu, const u64 *v)
{
	fake.running = 0;
}

static void fake_program(const struct pfm_pmu *pmu, const unsigned long *changed,
			   const struct pfm_run *run)
{
	unsigned int i;

	for_each_set_bit(i, changed, ARRAY_SIZE(fake.sel)) {
		fake.sel[i] = run->v[i];
		fake.programs++;
	}
}

static void fake_start(const struct pfm_pmu *pmu, const struct pfm_run *run)
{
	fake.running = run->pmds;
	fake.set_flags = run->set_flags;
	fake.task = run->task;
	fake.starts++;
}

static void fake_stop(const struct pfm_pmu *pmu, const struct pfm_run *run)
{
	fake.running = 0;
	fake.stops++;
}

static void fake_count(u64 n);

static u64 fake_read(const struct pfm_pmu *pmu, unsigned int i)
{
	fake.reads++;
	if (fake.slow)
		mdelay(1);
	if (fake.busy)
		fake_count(1);
	return fake.ctr[i];
}

static void fake_write(const struct pfm_pmu *pmu, unsigned int i, u64 value)
{
	WARN_ON(fake.running || value > FAKE_MAX);
	fake.ctr[i] = (u64)(s32)value & FAKE_MAX;
	fake.writes++;
}

static bool fake_acknowledge(const struct pfm_pmu *pmu, const struct pfm_run *run)
{
	bool ovfl = fake.ovfl;

	fake.frozen = !fake.running;
	WARN_ON(run->pmds != fake.running);
	fake.ovfl = 0;
	fake.interrupt = false;
	return ovfl && !fake.blind;
}

static bool fake_still(const struct pfm_pmu *pmu)
{
	bool still = !fake.running;

	fake.running = 0;
	return still;
}

static bool fake_selects(const struct pfm_pmu *pmu, unsigned int num, u64 value)
{
	return num < FAKE_COUNTERS && (value & 0xff);
}

/* Bit 9 is the kernel's level. */
static bool fake_kernel(const struct pfm_pmu *pmu, unsigned int num, u64 value)
{
	return value & BIT(9);
}

#define FAKE_PMC(n) { .name = "SEL" #n, .num = n, .type = PFM_REG_TYPE_MSR,	\
		      .index = 0x186 + n, .rsvd = ~0xfffULL }
#define FAKE_PMD(n) { .name = "CTR" #n, .num = n, .type = PFM_REG_TYPE_MSR,	\
		      .index = 0xc1 + n, .flags = PFM_PMD_COUNTER, .ctrl = n,	\
		      .write_bits = 32 }

static const struct pfm_pmc_desc fake_pmcs[] = {
	FAKE_PMC(0), FAKE_PMC(1), FAKE_PMC(2), FAKE_PMC(3),
	/* Of what counters count; it controls none of them. */
	FAKE_PMC(FAKE_FILTER),
};

static const struct pfm_pmd_desc fake_pmds[] = {
	FAKE_PMD(0), FAKE_PMD(1), FAKE_PMD(2), FAKE_PMD(3)
};

#define FAKE_PMU(n, f) {						\
	.name = n, .pmcs = fake_pmcs, .pmds = fake_pmds,		\
	.num_pmcs = ARRAY_SIZE(fake_pmcs), .num_pmds = FAKE_COUNTERS,	\
	.width = 40, .flags = f,					\
	.selects = fake_selects, .kernel = fake_kernel,			\
	.acquire = fake_acquire, .release = fake_release,		\
	.reset = fake_reset, .program = fake_program,			\
	.start = fake_start, .stop = fake_stop,				\
	.read = fake_read, .write = fake_write,				\
	.acknowledge = (f) & PFM_PMU_NO_INTERRUPT ? NULL : fake_acknowledge, \
}

static const struct pfm_pmu fake_pmu = FAKE_PMU("fake", 0);
static const struct pfm_pmu fake_deaf = FAKE_PMU("deaf", PFM_PMU_NO_INTERRUPT);

/* Shared with others who do not ask; and does not like short periods. */
static const struct pfm_pmu fake_shared = {
	.name = "shared", .pmcs = fake_pmcs, .pmds = fake_pmds,
	.num_pmcs = ARRAY_SIZE(fake_pmcs), .num_pmds = FAKE_COUNTERS,
	.width = 40, .min_period = 3,
	.selects = fake_selects, .kernel = fake_kernel,
	.acquire = fake_acquire, .release = fake_release,
	.reset = fake_reset, .program = fake_program,
	.start = fake_start, .stop = fake_stop,
	.read = fake_read, .write = fake_write,
	.acknowledge = fake_acknowledge, .still = fake_still,
};

static const struct pfm_pmu *real_pmu;

/* The counters that run see n events. */
static void fake_count(u64 n)
{
	unsigned int i;

	for (i = 0; i < FAKE_COUNTERS; i++) {
		if (!(fake.running & BIT_ULL(i)))
			continue;
		fake.ctr[i] += n;
		if (fake.ctr[i] > FAKE_MAX) {
			fake.ctr[i] &= FAKE_MAX;
			fake.ovfl |= BIT_ULL(i);
			fake.interrupt = true;
		}
	}
}

static bool fake_interrupt(void)
{
	unsigned long flags;
	bool ours;

	local_irq_save(flags);
	ours = pfm_interrupt_handle(NULL);
	local_irq_restore(flags);
	return ours;
}

/* As an NMI, which may not wait for a lock. */
static bool fake_nmi(void)
{
	unsigned long flags;
	bool ours;

	local_irq_save(flags);
	nmi_enter();
	ours = pfm_interrupt_handle(NULL);
	nmi_exit();
	local_irq_restore(flags);
	return ours;
}

/* As fake_count(), event by event, interrupts and all. */
static void fake_happen(unsigned int n)
{
	while (n--) {
		fake_count(1);
		if (fake.interrupt)
			fake_interrupt();
	}
}

static unsigned long hw_stat(enum pfm_stat s)
{
	return this_cpu_read(pfm_cpu.stats[s]);
}

static int hw_pmc(struct pfm_context *ctx, u16 set, u16 n, u64 value, u32 flags)
{
	pfarg_pmc_t req = {
		.reg_num = n, .reg_set = set, .reg_value = value,
		.reg_flags = flags,
	};

	ctx->uses |= PFM_HOLD_PMU;
	return pfm_fixture_write_pmc(ctx, &req);
}

static int hw_pmd(struct pfm_context *ctx, u16 set, u16 n, u64 value, u64 reset)
{
	pfarg_pmd_t req = {
		.reg_num = n, .reg_set = set, .reg_value = value,
		.reg_long_reset = reset, .reg_short_reset = reset,
		.reg_ovflsw_thres = 1,
	};

	return pfm_fixture_write_pmd(ctx, &req);
}

static int hw_init_with(struct kunit *test, const struct pfm_pmu *pmu)
{
	real_pmu = pfm_fixture_swap(test, pmu);
	memset(&fake, 0, sizeof(fake));
	migrate_disable();
	this_cpu_write(pfm_cpu.turned, 0);
	test->priv = pfm_fixture_context(test, 0);
	return 0;
}

static int hw_init(struct kunit *test)
{
	return hw_init_with(test, &fake_pmu);
}

static void hw_exit(struct kunit *test)
{
	if (test->priv)
		pfm_fixture_free(test->priv);
	migrate_enable();
	pfm_fixture_swap(test, real_pmu);
}

/* The overflow messages in the queue, which are taken out. */
static unsigned int hw_messages(struct pfm_context *ctx)
{
	struct pfm_queue *q = &ctx->queue;
	unsigned int n = pfm_message_count(q);

	q->tail += n;
	return n;
}

/* Whatever the register held before; and it is not written. */
static void hw_test_count(struct kunit *test)
{
	struct pfm_context *ctx = test->priv;

	fake.ctr[1] = 12345;
	hw_pmc(ctx, 0, 1, 1, 0);
	pfm_fixture_load_hw(test, ctx);
	pfm_fixture_in(ctx);
	fake_count(100);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, 1), 100ULL);
	fake_count(1);
	pfm_fixture_out(ctx);
	fake_count(1000);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, 1), 101ULL);
	pfm_fixture_in(ctx);
	fake_count(10);
	pfm_fixture_stop(ctx);
	fake_count(1000);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, 1), 111ULL);
	pfm_fixture_start(ctx);
	fake_count(1);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, 1), 112ULL);
	KUNIT_EXPECT_EQ(test, fake.writes, 0U);
	KUNIT_EXPECT_EQ(test, fake.programs, 1U);
}

/* Beyond the width of the register, whatever notices it. */
static void hw_test_wrap(struct kunit *test)
{
	struct pfm_context *ctx = test->priv;
	unsigned long late = hw_stat(PFM_STAT_LATE);
	unsigned int i;

	fake.ctr[0] = FAKE_MAX - 5;
	hw_pmc(ctx, 0, 0, 1, 0);
	pfm_fixture_load_hw(test, ctx);
	pfm_fixture_in(ctx);
	fake_happen(4);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, 0), 4ULL);
	fake_happen(4);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, 0), 8ULL);
	/* The timer sees to a look, at least. */
	for (i = 0; i < 10; i++) {
		fake_count(FAKE_MAX);
		fake_interrupt();
		fake_count(1);
		fake_interrupt();
	}
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, 0), 8 + 10 * (FAKE_MAX + 1));
	KUNIT_EXPECT_NE(test, this_cpu_read(pfm_cpu.timer_at), 0ULL);
	KUNIT_EXPECT_EQ(test, hw_stat(PFM_STAT_LATE), late);
	KUNIT_EXPECT_EQ(test, hw_messages(ctx), 0U);
	KUNIT_EXPECT_EQ(test, fake.writes, 0U);
}

/* N events, N/P periods; each costs one write. */
static void hw_test_period(struct kunit *test)
{
	struct pfm_context *ctx = test->priv;
	unsigned long before = hw_stat(PFM_STAT_OVERFLOWS);

	hw_pmc(ctx, 0, 0, 1, 0);
	hw_pmd(ctx, 0, 0, -7ULL, -7ULL);
	pfm_fixture_load_hw(test, ctx);
	pfm_fixture_in(ctx);
	fake_happen(7 * 100 + 3);
	KUNIT_EXPECT_TRUE(test, fake.frozen);
	KUNIT_EXPECT_EQ(test, hw_stat(PFM_STAT_OVERFLOWS) - before, 100UL);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, 0), -4ULL);
	KUNIT_EXPECT_EQ(test, fake.writes, 101U);
}

/* A period that cannot be written, nor even be counted, in one go. */
static void hw_test_long_period(struct kunit *test)
{
	static const u64 periods[] = { BIT_ULL(31), BIT_ULL(31) + 1, BIT_ULL(33) + 77,
				       BIT_ULL(40) - 1, BIT_ULL(40), BIT_ULL(40) + 1,
				       5ULL << 41 };
	struct pfm_context *ctx = test->priv;
	unsigned int i;
	u64 sum, step;

	hw_pmc(ctx, 0, 0, 1, PFM_REGFL_OVFL_NOTIFY);
	pfm_fixture_load_hw(test, ctx);
	pfm_fixture_in(ctx);
	for (i = 0; i < ARRAY_SIZE(periods); i++) {
		hw_pmd(ctx, 0, 0, -periods[i], -1ULL);
		for (sum = 0; !hw_messages(ctx) && sum < 8 * periods[i]; sum += step) {
			step = min(FAKE_MAX + 1 - fake.ctr[0], BIT_ULL(38));
			fake_count(step);
			if (fake.interrupt)
				fake_interrupt();
			else
				pfm_fixture_value(ctx, 0, 0);
		}
		KUNIT_EXPECT_EQ(test, sum, periods[i]);
		KUNIT_EXPECT_EQ(test, pfm_fixture_restart(ctx), 0);
	}
}

/* The first look finds the overflow, once; the interrupt comes late. */
static void hw_test_late(struct kunit *test)
{
	struct pfm_context *ctx = test->priv;
	unsigned long late = hw_stat(PFM_STAT_LATE), spurious;
	int blind;

	hw_pmc(ctx, 0, 0, 1, PFM_REGFL_OVFL_NOTIFY);
	pfm_fixture_load_hw(test, ctx);
	pfm_fixture_in(ctx);
	for (blind = 0; blind < 2; blind++) {
		fake.blind = blind;
		hw_pmd(ctx, 0, 0, -10ULL, -10ULL);
		fake_count(12);
		KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, 0), 2ULL);
		KUNIT_EXPECT_EQ(test, hw_messages(ctx), 1U);
		KUNIT_EXPECT_TRUE(test, fake_interrupt());
		KUNIT_EXPECT_EQ(test, hw_stat(PFM_STAT_LATE), ++late);
		KUNIT_EXPECT_EQ(test, hw_messages(ctx), 0U);
		/* That was the one; the next is another user's. */
		spurious = hw_stat(PFM_STAT_SPURIOUS);
		KUNIT_EXPECT_FALSE(test, fake_interrupt());
		KUNIT_EXPECT_EQ(test, hw_stat(PFM_STAT_SPURIOUS), spurious + 1);
		KUNIT_EXPECT_EQ(test, pfm_fixture_restart(ctx), 0);
		KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, 0), -10ULL);
	}
}

/* It may even come when the registers are no longer ours. */
static void hw_test_too_late(struct kunit *test)
{
	struct pfm_context *ctx = test->priv;

	hw_pmc(ctx, 0, 0, 1, 0);
	hw_pmd(ctx, 0, 0, -10ULL, -10ULL);
	pfm_fixture_load_hw(test, ctx);
	pfm_fixture_in(ctx);
	fake_count(12);
	pfm_fixture_out(ctx);
	pfm_reserve_yield(ctx);
	KUNIT_EXPECT_TRUE(test, pfm_hw_is_here());
	ctx->state = PFM_UNLOADED;
	pfm_reserve_yield(ctx);
	KUNIT_EXPECT_FALSE(test, pfm_hw_is_here());
	KUNIT_EXPECT_TRUE(test, pfm_interrupt_handle(NULL));
	KUNIT_EXPECT_FALSE(test, pfm_interrupt_handle(NULL));
}

/* Two overflows may be two interrupts, of which the first finds both. */
static void hw_test_two_interrupts(struct kunit *test)
{
	struct pfm_context *ctx = test->priv;

	fake.blind = true;
	hw_pmc(ctx, 0, 0, 1, 0);
	hw_pmc(ctx, 0, 1, 1, 0);
	hw_pmd(ctx, 0, 0, -10ULL, -1000ULL);
	hw_pmd(ctx, 0, 1, -10ULL, -1000ULL);
	pfm_fixture_load_hw(test, ctx);
	pfm_fixture_in(ctx);
	fake_count(10);
	KUNIT_EXPECT_TRUE(test, fake_interrupt());
	KUNIT_EXPECT_TRUE(test, fake_interrupt());
	KUNIT_EXPECT_FALSE(test, fake_interrupt());
	/* But not for ever. */
	fake_count(1000);
	KUNIT_EXPECT_TRUE(test, fake_interrupt());
	this_cpu_sub(pfm_cpu.turned_at, NSEC_PER_SEC);
	KUNIT_EXPECT_FALSE(test, fake_interrupt());
}

/* A control that one set leaves alone is not what another made of it. */
static void hw_test_left_alone(struct kunit *test)
{
	struct pfm_context *ctx = test->priv, *other = pfm_fixture_context(test, 1);

	hw_pmc(other, 0, 0, 1, 0);
	hw_pmc(other, 0, FAKE_FILTER, 0x123, 0);
	pfm_fixture_load_hw(test, other);
	pfm_fixture_in(other);
	KUNIT_EXPECT_EQ(test, fake.sel[FAKE_FILTER], 0x123ULL);
	pfm_fixture_out(other);

	hw_pmc(ctx, 0, 0, 1, 0);
	pfm_fixture_load_hw(test, ctx);
	pfm_fixture_in(ctx);
	KUNIT_EXPECT_EQ(test, fake.sel[FAKE_FILTER], 0ULL);
	pfm_fixture_free(other);
}

/* Interrupts that leave the CPU no time are too many, however few they are. */
static void hw_test_storm(struct kunit *test)
{
	struct pfm_context *ctx = test->priv;
	unsigned int n;

	hw_pmc(ctx, 0, 0, 1, 0);
	hw_pmd(ctx, 0, 0, -1ULL, -1ULL);
	pfm_fixture_load_hw(test, ctx);
	pfm_fixture_in(ctx);
	fake.slow = true;
	for (n = 0; n < 20000 && fake.running; n++)
		fake_happen(1);
	KUNIT_EXPECT_EQ(test, (int)ctx->state, (int)PFM_MASKED);
	KUNIT_EXPECT_LT(test, 256U, n);
	KUNIT_EXPECT_LT(test, n, 20000U);
	KUNIT_EXPECT_EQ(test, hw_messages(ctx), 1U);
}

/* An overflow on the way out is the leaver's, not the next one's. */
static void hw_test_switched_out(struct kunit *test)
{
	struct pfm_context *ctx = test->priv, *next = pfm_fixture_context(test, 1);

	hw_pmc(ctx, 0, 0, 1, PFM_REGFL_OVFL_NOTIFY);
	hw_pmd(ctx, 0, 0, -10ULL, -10ULL);
	pfm_fixture_load_hw(test, ctx);
	hw_pmc(next, 0, 0, 1, PFM_REGFL_OVFL_NOTIFY);
	hw_pmd(next, 0, 0, -20ULL, -20ULL);
	pfm_fixture_load_hw(test, next);

	pfm_fixture_in(ctx);
	fake_count(10);
	pfm_fixture_out(ctx);
	pfm_fixture_in(next);
	KUNIT_EXPECT_TRUE(test, fake_interrupt());
	KUNIT_EXPECT_EQ(test, hw_messages(ctx), 1U);
	KUNIT_EXPECT_EQ(test, hw_messages(next), 0U);
	fake_happen(19);
	KUNIT_EXPECT_EQ(test, hw_messages(next), 0U);
	fake_happen(1);
	KUNIT_EXPECT_EQ(test, hw_messages(next), 1U);
	pfm_fixture_free(next);
}

/* An NMI that finds the lock taken leaves it to the irq_work. */
static void hw_test_locked(struct kunit *test)
{
	struct pfm_context *ctx = test->priv;
	unsigned long flags;

	hw_pmc(ctx, 0, 0, 1, PFM_REGFL_OVFL_NOTIFY);
	hw_pmd(ctx, 0, 0, -10ULL, -10ULL);
	pfm_fixture_load_hw(test, ctx);
	pfm_fixture_in(ctx);
	raw_spin_lock_irqsave(&ctx->lock, flags);
	fake_count(11);
	KUNIT_EXPECT_TRUE(test, fake_nmi());
	KUNIT_EXPECT_EQ(test, pfm_message_count(&ctx->queue), 0U);
	/* Meanwhile it counts. */
	KUNIT_EXPECT_EQ(test, fake.running, 1ULL);
	raw_spin_unlock_irqrestore(&ctx->lock, flags);
	irq_work_sync(this_cpu_ptr(&pfm_cpu.work));
	KUNIT_EXPECT_EQ(test, hw_messages(ctx), 1U);
	KUNIT_EXPECT_EQ(test, fake.running, 0ULL);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, 0), 1ULL);
}

struct hw_holder {
	struct work_struct work;
	struct pfm_context *ctx;
	struct completion held;
};

/* Another CPU has the lock for a moment. */
static void hw_hold(struct work_struct *work)
{
	struct hw_holder *h = container_of(work, struct hw_holder, work);
	unsigned long flags;

	raw_spin_lock_irqsave(&h->ctx->lock, flags);
	complete(&h->held);
	mdelay(2);
	raw_spin_unlock_irqrestore(&h->ctx->lock, flags);
}

/* An interrupt that is not an NMI waits for it, and leaves nothing to do. */
static void hw_test_waits(struct kunit *test)
{
	struct pfm_context *ctx = test->priv;
	unsigned long late = hw_stat(PFM_STAT_LATE);
	struct hw_holder h = { .ctx = ctx };
	unsigned int cpu = cpumask_any_but(cpu_online_mask, smp_processor_id());

	/* This thread has to run its exit, too. */
	if (cpu >= nr_cpu_ids) {
		kunit_mark_skipped(test, "needs two CPUs");
		return;
	}
	hw_pmc(ctx, 0, 0, 1, PFM_REGFL_OVFL_NOTIFY);
	hw_pmd(ctx, 0, 0, -10ULL, -10ULL);
	pfm_fixture_load_hw(test, ctx);
	pfm_fixture_in(ctx);
	INIT_WORK_ONSTACK(&h.work, hw_hold);
	init_completion(&h.held);
	schedule_work_on(cpu, &h.work);
	while (!completion_done(&h.held))
		cpu_relax();
	fake_count(11);
	KUNIT_EXPECT_TRUE(test, fake_interrupt());
	/* It is handled as it comes, not left to an irq_work as late. */
	KUNIT_EXPECT_EQ(test, hw_stat(PFM_STAT_LATE), late);
	KUNIT_EXPECT_EQ(test, hw_messages(ctx), 1U);
	flush_work(&h.work);
	destroy_work_on_stack(&h.work);
}

/* The operations get the right thread and context, also after another attachment. */
static void hw_test_told(struct kunit *test)
{
	struct pfm_context *ctx = test->priv;

	pfm_fixture_set(ctx, 0, PFM_SETFL_OVFL_SWITCH);
	hw_pmc(ctx, 0, 0, 1, 0);
	pfm_fixture_load_hw(test, ctx);
	pfm_fixture_in(ctx);
	KUNIT_EXPECT_PTR_EQ(test, fake.task, current);
	KUNIT_EXPECT_EQ(test, fake.set_flags, PFM_SETFL_OVFL_SWITCH);
	pfm_fixture_out(ctx);
	pfm_fixture_load(ctx);
	ctx->task = NULL;
	fake.task = current;
	pfm_fixture_in(ctx);
	KUNIT_EXPECT_PTR_EQ(test, fake.task, NULL);
	KUNIT_EXPECT_EQ(test, fake.programs, 1U);
}

/* What has not changed is not written. */
static void hw_test_lazy(struct kunit *test)
{
	struct pfm_context *ctx = test->priv, *other = pfm_fixture_context(test, 1);
	unsigned int i;

	for (i = 0; i < 4; i++)
		hw_pmc(ctx, 0, i, 1 + i, 0);
	pfm_fixture_load_hw(test, ctx);
	pfm_fixture_in(ctx);
	pfm_fixture_out(ctx);
	KUNIT_EXPECT_EQ(test, fake.programs, 4U);
	KUNIT_EXPECT_EQ(test, fake.reads, 8U);	/* first, and on the way out */

	for (i = 0; i < 10; i++) {
		pfm_fixture_in(ctx);
		fake_count(1);
		pfm_fixture_out(ctx);
	}
	KUNIT_EXPECT_EQ(test, fake.programs, 4U);
	KUNIT_EXPECT_EQ(test, fake.reads, 8U + 40U);
	KUNIT_EXPECT_EQ(test, fake.starts, 11U);
	KUNIT_EXPECT_EQ(test, fake.stops, 11U);

	/* A context that differs in one control. */
	for (i = 0; i < 4; i++)
		hw_pmc(other, 0, i, i == 2 ? 9 : 1 + i, 0);
	pfm_fixture_load_hw(test, other);
	pfm_fixture_in(other);
	fake_count(5);
	pfm_fixture_out(other);
	KUNIT_EXPECT_EQ(test, fake.programs, 5U);
	KUNIT_EXPECT_EQ(test, fake.sel[2], 9ULL);
	pfm_fixture_in(ctx);
	KUNIT_EXPECT_EQ(test, fake.programs, 6U);
	KUNIT_EXPECT_EQ(test, fake.sel[2], 3ULL);
	fake_count(1);
	pfm_fixture_out(ctx);
	KUNIT_EXPECT_EQ(test, fake.writes, 0U);
	for (i = 0; i < 4; i++) {
		KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, i), 11ULL);
		KUNIT_EXPECT_EQ(test, pfm_fixture_value(other, 0, i), 5ULL);
	}
	pfm_fixture_free(other);
}

/* In the midst of a period another context uses the counter. */
static void hw_test_shared_period(struct kunit *test)
{
	struct pfm_context *ctx = test->priv, *other = pfm_fixture_context(test, 1);
	unsigned int i;

	hw_pmc(ctx, 0, 0, 1, PFM_REGFL_OVFL_NOTIFY);
	hw_pmd(ctx, 0, 0, -100ULL, -100ULL);
	pfm_fixture_load_hw(test, ctx);
	hw_pmc(other, 0, 0, 1, 0);
	pfm_fixture_load_hw(test, other);
	for (i = 0; i < 33; i++) {
		pfm_fixture_in(ctx);
		fake_happen(3);
		pfm_fixture_out(ctx);
		pfm_fixture_in(other);
		fake_happen(1000);
		pfm_fixture_out(other);
	}
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, 0), -1ULL);
	KUNIT_EXPECT_EQ(test, hw_messages(ctx), 0U);
	pfm_fixture_in(ctx);
	fake_happen(1);
	KUNIT_EXPECT_EQ(test, hw_messages(ctx), 1U);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(other, 0, 0), 33000ULL);
	pfm_fixture_free(other);
}

/* Two at once are one event. */
static void hw_test_together(struct kunit *test)
{
	struct pfm_context *ctx = test->priv;
	pfm_msg_t *msg = &ctx->queue.ring[0];

	hw_pmc(ctx, 0, 0, 1, PFM_REGFL_OVFL_NOTIFY);
	hw_pmc(ctx, 0, 3, 1, PFM_REGFL_OVFL_NOTIFY);
	hw_pmd(ctx, 0, 0, -10ULL, -10ULL);
	hw_pmd(ctx, 0, 3, -10ULL, -10ULL);
	pfm_fixture_load_hw(test, ctx);
	pfm_fixture_in(ctx);
	fake_happen(10);
	KUNIT_EXPECT_EQ(test, msg->pfm_ovfl_msg.msg_ovfl_pmds[0], 9ULL);
	KUNIT_EXPECT_EQ(test, hw_messages(ctx), 1U);
}

/* Masked, the hardware stands still; it goes on with the long values. */
static void hw_test_masked(struct kunit *test)
{
	struct pfm_context *ctx = test->priv;

	hw_pmc(ctx, 0, 0, 1, PFM_REGFL_OVFL_NOTIFY);
	hw_pmc(ctx, 0, 1, 1, 0);
	hw_pmd(ctx, 0, 0, -10ULL, -20ULL);
	pfm_fixture_load_hw(test, ctx);
	pfm_fixture_in(ctx);
	fake_happen(15);
	KUNIT_EXPECT_EQ(test, (int)ctx->state, (int)PFM_MASKED);
	KUNIT_EXPECT_EQ(test, fake.running, 0ULL);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, 1), 10ULL);
	/* Also if the thread comes and goes. */
	pfm_fixture_out(ctx);
	pfm_fixture_in(ctx);
	KUNIT_EXPECT_EQ(test, fake.running, 0ULL);
	KUNIT_EXPECT_EQ(test, pfm_fixture_restart(ctx), 0);
	fake_happen(19);
	KUNIT_EXPECT_EQ(test, hw_messages(ctx), 1U);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, 0), -1ULL);
	fake_happen(1);
	KUNIT_EXPECT_EQ(test, hw_messages(ctx), 1U);
}

/* Registers written while they count: nothing is lost, nothing invented. */
static void hw_test_write_running(struct kunit *test)
{
	struct pfm_context *ctx = test->priv;

	hw_pmc(ctx, 0, 0, 1, 0);
	hw_pmc(ctx, 0, 1, 1, 0);
	pfm_fixture_load_hw(test, ctx);
	pfm_fixture_in(ctx);
	fake_count(5);
	hw_pmd(ctx, 0, 0, 1000, 0);
	fake_count(5);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, 0), 1005ULL);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, 1), 10ULL);
	hw_pmc(ctx, 0, 2, 1, 0);
	hw_pmc(ctx, 0, 1, 0, 0);
	fake_count(5);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, 0), 1010ULL);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, 1), 10ULL);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, 2), 5ULL);
	hw_pmd(ctx, 0, 0, -3ULL, 0);
	fake_happen(4);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, 0), 1ULL);
}

/* Two sets by turns, each of them with a period in the same counter. */
static void hw_test_sets(struct kunit *test)
{
	struct pfm_context *ctx = test->priv;
	unsigned long before;

	pfm_fixture_set(ctx, 0, PFM_SETFL_OVFL_SWITCH);
	pfm_fixture_set(ctx, 1, PFM_SETFL_OVFL_SWITCH);
	hw_pmc(ctx, 0, 0, 1, 0);
	hw_pmc(ctx, 0, 1, 2, 0);
	hw_pmc(ctx, 1, 0, 1, 0);
	hw_pmc(ctx, 1, 1, 3, 0);
	hw_pmd(ctx, 0, 0, -10ULL, -10ULL);
	hw_pmd(ctx, 1, 0, -20ULL, -20ULL);
	pfm_fixture_load_hw(test, ctx);
	before = hw_stat(PFM_STAT_SETSWITCHES);
	pfm_fixture_in(ctx);
	fake_happen(30 * 50 + 4);
	KUNIT_EXPECT_EQ(test, hw_stat(PFM_STAT_SETSWITCHES) - before, 100UL);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, 1), 10 * 50 + 4ULL);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 1, 1), 20 * 50ULL);
	/* Only what differs between them. */
	KUNIT_EXPECT_EQ(test, fake.programs, 2U + 100U);
}

/* What another CPU has counted is in the value, not in this register. */
static void hw_test_migrated(struct kunit *test)
{
	struct pfm_context *ctx = test->priv;

	hw_pmc(ctx, 0, 0, 1, PFM_REGFL_OVFL_NOTIFY);
	hw_pmd(ctx, 0, 0, -100ULL, -100ULL);
	pfm_fixture_load_hw(test, ctx);
	pfm_fixture_in(ctx);
	fake_happen(30);
	pfm_fixture_out(ctx);
	/* There. */
	ctx->set->pmds[0].value += 50;
	ctx->set->pmds[0].last = 50;
	ctx->set->stamp = ~0ULL;
	pfm_fixture_in(ctx);
	fake_happen(19);
	KUNIT_EXPECT_EQ(test, hw_messages(ctx), 0U);
	fake_happen(1);
	KUNIT_EXPECT_EQ(test, hw_messages(ctx), 1U);
}

/* As wide as in hardware: it wraps there, and that is no overflow (6.2.1). */
static void hw_test_raw(struct kunit *test)
{
	const u32 raw = PFM_REGFL_NO_64BIT_EMUL;
	unsigned long before = hw_stat(PFM_STAT_OVERFLOWS);
	struct pfm_context *ctx = test->priv;

	KUNIT_EXPECT_EQ(test, hw_pmc(ctx, 0, 0, 1, raw | PFM_REGFL_OVFL_NOTIFY),
			-EINVAL);
	KUNIT_EXPECT_EQ(test, hw_pmc(ctx, 0, 0, 1, raw | PFM_REGFL_RANDOM), -EINVAL);
	/* In whichever order the two registers are written. */
	hw_pmd(ctx, 0, 0, -10ULL, 77);
	KUNIT_EXPECT_EQ(test, hw_pmc(ctx, 0, 0, 1, raw), 0);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, 0), FAKE_MAX - 9);
	KUNIT_EXPECT_EQ(test, hw_pmc(ctx, 0, 1, 1, raw), 0);
	hw_pmd(ctx, 0, 1, -20ULL, 77);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, 1), FAKE_MAX - 19);
	hw_pmc(ctx, 0, 2, 1, 0);
	hw_pmd(ctx, 0, 2, -20ULL, 77);
	fake.ctr[0] = FAKE_MAX - 4;
	pfm_fixture_load_hw(test, ctx);
	pfm_fixture_in(ctx);
	fake_happen(15);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, 0), 5ULL);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, 1), FAKE_MAX - 4);
	/* Neither has been written: that is for counters that end their period. */
	KUNIT_EXPECT_EQ(test, fake.ctr[0], 10ULL);
	KUNIT_EXPECT_EQ(test, fake.ctr[1], 15ULL);
	KUNIT_EXPECT_EQ(test, hw_stat(PFM_STAT_OVERFLOWS) - before, 0UL);
	/* The one beside them has 64 bits, and a period. */
	fake_happen(15);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, 1), 10ULL);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, 2), 87ULL);
	KUNIT_EXPECT_EQ(test, hw_stat(PFM_STAT_OVERFLOWS) - before, 1UL);
	KUNIT_EXPECT_EQ(test, hw_messages(ctx), 0U);

	/* Without the flag it goes on from there, with 64. */
	hw_pmd(ctx, 0, 0, FAKE_MAX, 0);
	hw_pmc(ctx, 0, 0, 1, 0);
	fake_happen(1);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, 0), FAKE_MAX + 1);
}

static int hw_read_reset(struct pfm_context *ctx, u16 set, u16 n, u64 *value)
{
	pfarg_pmd_t req = {
		.reg_num = n, .reg_set = set, .reg_flags = PFM_REGFL_READ_RESET,
	};
	int ret = pfm_fixture_read_pmd(ctx, &req);

	*value = req.reg_value;
	/* The flag stays, for the next read of the same vector. */
	return ret ?: req.reg_flags == PFM_REGFL_READ_RESET ? 0 : -EIO;
}

/* Reading and resetting is one step: no event is between the two (6.2.2). */
static void hw_test_read_reset(struct kunit *test)
{
	struct pfm_context *ctx = test->priv;
	pfarg_pmc_t with = {
		.reg_num = 0, .reg_value = 1, .reg_reset_pmds[0] = BIT(1),
	};
	u64 sum = 0, value, n;

	KUNIT_ASSERT_EQ(test, pfm_fixture_write_pmc(ctx, &with), 0);
	ctx->uses |= PFM_HOLD_PMU;
	for (n = 1; n < 4; n++)
		hw_pmc(ctx, 0, n, 1, 0);
	for (n = 0; n < 4; n++)
		hw_pmd(ctx, 0, n, 0, 1000 * n);
	pfm_fixture_load_hw(test, ctx);
	pfm_fixture_in(ctx);
	for (n = 0; n < 10; n++) {
		fake_count(5);
		fake.busy = true;
		KUNIT_ASSERT_EQ(test, hw_read_reset(ctx, 0, 0, &value), 0);
		fake.busy = false;
		sum += value;
		/* Its own reset value, and that of the counter that goes with it. */
		KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, 0), 0ULL);
		KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, 1), 1000ULL);
	}
	/* The third one has seen all of it, and was not reset. */
	KUNIT_EXPECT_LE(test, 50ULL, sum);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, 2), sum);
	KUNIT_ASSERT_EQ(test, hw_read_reset(ctx, 0, 2, &value), 0);
	KUNIT_EXPECT_EQ(test, value, sum);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, 2), 2000ULL);
	KUNIT_EXPECT_EQ(test, ctx->set->pmds[2].last_reset, 2000ULL);
	KUNIT_EXPECT_EQ(test, hw_messages(ctx), 0U);
}

/* A period begins anew with the reset. */
static void hw_test_read_reset_period(struct kunit *test)
{
	struct pfm_context *ctx = test->priv;
	u64 value;

	hw_pmc(ctx, 0, 0, 1, PFM_REGFL_OVFL_NOTIFY);
	hw_pmd(ctx, 0, 0, -10ULL, -20ULL);
	pfm_fixture_load_hw(test, ctx);
	pfm_fixture_in(ctx);
	fake_happen(9);
	KUNIT_ASSERT_EQ(test, hw_read_reset(ctx, 0, 0, &value), 0);
	KUNIT_EXPECT_EQ(test, value, -1ULL);
	fake_happen(19);
	KUNIT_EXPECT_EQ(test, hw_messages(ctx), 0U);
	fake_happen(1);
	KUNIT_EXPECT_EQ(test, hw_messages(ctx), 1U);
	/* Masked: PFM_RESTART resets it again. */
	KUNIT_ASSERT_EQ(test, hw_read_reset(ctx, 0, 0, &value), 0);
	KUNIT_EXPECT_EQ(test, value, 0ULL);
	KUNIT_EXPECT_EQ(test, (int)ctx->state, (int)PFM_MASKED);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, 0), -20ULL);
	KUNIT_EXPECT_EQ(test, pfm_fixture_restart(ctx), 0);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, 0), -20ULL);
}

/* What only an overflow looks at is ignored where none can be (3.1.2). */
static void hw_test_no_counter(struct kunit *test)
{
	const u32 flags = PFM_REGFL_OVFL_NOTIFY | PFM_REGFL_RANDOM;
	pfarg_pmc_t req = {
		.reg_num = FAKE_FILTER, .reg_value = 0x123, .reg_flags = flags,
		.reg_smpl_eventid = 77, .reg_smpl_pmds[0] = ~0ULL,
		.reg_reset_pmds[1] = ~0ULL,
	};
	struct pfm_context *ctx = test->priv;
	unsigned int i = pfm_pmu_find_pmc(FAKE_FILTER);
	struct pfm_pmc *c = &ctx->set->pmcs[i];

	KUNIT_ASSERT_EQ(test, pfm_fixture_write_pmc(ctx, &req), 0);
	KUNIT_EXPECT_EQ(test, req.reg_flags, flags);
	KUNIT_EXPECT_EQ(test, ctx->set->values[i], 0x123ULL);
	KUNIT_EXPECT_EQ(test, c->smpl_pmds | c->reset_pmds | c->eventid, 0ULL);
	KUNIT_EXPECT_EQ(test, c->flags, 0U);
	/* Flags that are not defined are refused everywhere. */
	req.reg_flags = BIT(20);
	KUNIT_EXPECT_EQ(test, pfm_fixture_write_pmc(ctx, &req), -EINVAL);

	/* A control with a counter is looked at. */
	req.reg_num = 0;
	req.reg_flags = flags;
	KUNIT_EXPECT_EQ(test, pfm_fixture_write_pmc(ctx, &req), -EINVAL);
	memset(req.reg_reset_pmds, 0, sizeof(req.reg_reset_pmds));
	req.reg_smpl_pmds[0] = 3;
	KUNIT_EXPECT_EQ(test, pfm_fixture_write_pmc(ctx, &req), 0);
	KUNIT_EXPECT_EQ(test, ctx->set->pmcs[0].smpl_pmds, 3ULL);
	KUNIT_EXPECT_EQ(test, ctx->set->pmcs[0].eventid, 77ULL);
}

static void hw_test_refused(struct kunit *test)
{
	struct pfm_context *ctx = test->priv;

	ctx->see_kernel = false;
	KUNIT_EXPECT_EQ(test, hw_pmc(ctx, 0, 0, 0x201, 0), -EPERM);
	KUNIT_EXPECT_EQ(test, ctx->set->hard, 0ULL);
	KUNIT_EXPECT_EQ(test, hw_pmc(ctx, 0, 0, 0x101, 0), 0);
	ctx->see_kernel = true;
	KUNIT_EXPECT_EQ(test, hw_pmc(ctx, 0, 0, 0x201, 0), 0);
	KUNIT_EXPECT_EQ(test, ctx->set->hard, 1ULL);
}

/* The registers are lost in the sleep of the machine, the counts are not. */
static void hw_test_suspend(struct kunit *test)
{
	struct pfm_context *ctx = test->priv;
	unsigned long flags;

	hw_pmc(ctx, 0, 0, 1, 0);
	pfm_fixture_load_hw(test, ctx);
	pfm_fixture_in(ctx);
	fake_count(10);
	local_irq_save(flags);
	pfm_reserve_suspend();
	fake_count(10);
	fake.ctr[0] = 0;
	fake.sel[0] = 0;
	pfm_reserve_resume();
	local_irq_restore(flags);
	fake_count(10);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, 0), 20ULL);
	KUNIT_EXPECT_EQ(test, fake.sel[0], 1ULL);
}

/* The interrupt of what an NMI has left to others has been: the next is not ours. */
static void hw_test_work_grants_nothing(struct kunit *test)
{
	struct pfm_context *ctx = test->priv;
	unsigned long flags;

	fake.blind = true;
	hw_pmc(ctx, 0, 0, 1, PFM_REGFL_OVFL_NOTIFY);
	hw_pmd(ctx, 0, 0, -10ULL, -10ULL);
	pfm_fixture_load_hw(test, ctx);
	pfm_fixture_in(ctx);
	fake_count(12);
	local_irq_save(flags);
	pfm_interrupt_work(NULL);
	local_irq_restore(flags);
	KUNIT_EXPECT_EQ(test, hw_messages(ctx), 1U);
	KUNIT_EXPECT_FALSE(test, fake_interrupt());
}

static struct kunit_case hw_cases[] = {
	KUNIT_CASE(hw_test_count),
	KUNIT_CASE(hw_test_wrap),
	KUNIT_CASE(hw_test_period),
	KUNIT_CASE(hw_test_long_period),
	KUNIT_CASE(hw_test_late),
	KUNIT_CASE(hw_test_too_late),
	KUNIT_CASE(hw_test_two_interrupts),
	KUNIT_CASE(hw_test_left_alone),
	KUNIT_CASE(hw_test_storm),
	KUNIT_CASE(hw_test_switched_out),
	KUNIT_CASE(hw_test_locked),
	KUNIT_CASE(hw_test_work_grants_nothing),
	KUNIT_CASE(hw_test_waits),
	KUNIT_CASE(hw_test_told),
	KUNIT_CASE(hw_test_lazy),
	KUNIT_CASE(hw_test_shared_period),
	KUNIT_CASE(hw_test_together),
	KUNIT_CASE(hw_test_masked),
	KUNIT_CASE(hw_test_write_running),
	KUNIT_CASE(hw_test_sets),
	KUNIT_CASE(hw_test_migrated),
	KUNIT_CASE(hw_test_raw),
	KUNIT_CASE(hw_test_read_reset),
	KUNIT_CASE(hw_test_read_reset_period),
	KUNIT_CASE(hw_test_no_counter),
	KUNIT_CASE(hw_test_refused),
	KUNIT_CASE(hw_test_suspend),
	{}
};

static struct kunit_suite hw_suite = {
	.name = "perfmon-hw",
	.init = hw_init,
	.exit = hw_exit,
	.test_cases = hw_cases,
};

static int shared_init(struct kunit *test)
{
	return hw_init_with(test, &fake_shared);
}

/* Somebody else has them count while the context is stopped. */
static void hw_test_stranger(struct kunit *test)
{
	struct pfm_context *ctx = test->priv;
	unsigned long foreign = hw_stat(PFM_STAT_FOREIGN);

	fake.ctr[0] = FAKE_MAX - 1000;
	hw_pmc(ctx, 0, 0, 1, 0);
	pfm_fixture_load_hw(test, ctx);
	pfm_fixture_in(ctx);
	fake_count(10);
	KUNIT_EXPECT_FALSE(test, fake_interrupt());
	KUNIT_EXPECT_EQ(test, hw_stat(PFM_STAT_FOREIGN), foreign);
	pfm_fixture_stop(ctx);
	/* They are found in the interrupt of others, and stopped. */
	fake.running = 1;
	KUNIT_EXPECT_FALSE(test, fake_interrupt());
	KUNIT_EXPECT_EQ(test, fake.running, 0ULL);
	KUNIT_EXPECT_EQ(test, hw_stat(PFM_STAT_FOREIGN), foreign + 1);
	/* Or in their own, when they have counted what nobody asked for. */
	fake.running = 1;
	fake_count(5000);
	KUNIT_EXPECT_TRUE(test, fake_interrupt());
	KUNIT_EXPECT_EQ(test, fake.running, 0ULL);
	KUNIT_EXPECT_EQ(test, hw_stat(PFM_STAT_FOREIGN), foreign + 2);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, 0), 10ULL);
	pfm_fixture_start(ctx);
	fake_count(1);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, 0), 11ULL);
}

/* The wrap is not nearer than the hardware likes, and is found none the less. */
static void hw_test_least_period(struct kunit *test)
{
	struct pfm_context *ctx = test->priv;
	u64 period, least;

	hw_pmc(ctx, 0, 0, 1, PFM_REGFL_OVFL_NOTIFY);
	pfm_fixture_load_hw(test, ctx);
	for (period = 5; period; period--) {
		hw_pmd(ctx, 0, 0, -period, -period);
		if (ctx->cpu < 0)
			pfm_fixture_in(ctx);
		least = period > 3 ? period : 3;
		KUNIT_EXPECT_EQ_MSG(test, fake.ctr[0], FAKE_MAX + 1 - least, "%llu",
				    period);
		fake_happen(least);
		KUNIT_EXPECT_EQ_MSG(test, hw_messages(ctx), 1U, "%llu", period);
		KUNIT_EXPECT_EQ(test, pfm_fixture_restart(ctx), 0);
	}
}

static struct kunit_case shared_cases[] = {
	KUNIT_CASE(hw_test_stranger),
	KUNIT_CASE(hw_test_least_period),
	{}
};

static struct kunit_suite shared_suite = {
	.name = "perfmon-hw-shared",
	.init = shared_init,
	.exit = hw_exit,
	.test_cases = shared_cases,
};

static int deaf_init(struct kunit *test)
{
	return hw_init_with(test, &fake_deaf);
}

/* A wrap without an interrupt is found in time; a period is refused. */
static void hw_test_deaf(struct kunit *test)
{
	struct hrtimer *timer = this_cpu_ptr(&pfm_cpu.timer);
	struct pfm_context *ctx = test->priv;
	unsigned long flags;

	KUNIT_EXPECT_EQ(test, hw_pmc(ctx, 0, 0, 1, PFM_REGFL_OVFL_NOTIFY),
			-EINVAL);
	KUNIT_EXPECT_EQ(test, hw_pmc(ctx, 0, 0, 1, 0), 0);
	pfm_fixture_load_hw(test, ctx);
	fake.ctr[0] = FAKE_MAX - 1;
	pfm_fixture_in(ctx);
	KUNIT_EXPECT_NE(test, this_cpu_read(pfm_cpu.timer_at), 0ULL);
	fake_count(5);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, 0), 5ULL);
	/* More than a turn, with the timer's look in the midst of it. */
	fake_count(FAKE_MAX / 2 + 10);
	local_irq_save(flags);
	timer->function(timer);
	local_irq_restore(flags);
	fake_count(FAKE_MAX / 2 + 10);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, 0), 5 + 2 * (FAKE_MAX / 2 + 10));
	/* Another user's NMI. */
	KUNIT_EXPECT_FALSE(test, fake_interrupt());
}

static struct kunit_case deaf_cases[] = {
	KUNIT_CASE(hw_test_deaf),
	{}
};

static struct kunit_suite deaf_suite = {
	.name = "perfmon-hw-deaf",
	.init = deaf_init,
	.exit = hw_exit,
	.test_cases = deaf_cases,
};

kunit_test_suites(&hw_suite, &shared_suite, &deaf_suite);
