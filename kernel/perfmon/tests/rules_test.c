// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a PMU may demand beyond its registers: the odd PMU with rules.
 */
#include <linux/preempt.h>
#include <linux/sched/clock.h>

#include "odd.h"

#define RULES_CTX_FLAG	BIT(16)
#define RULES_SET_FLAG	BIT(20)
#define RULES_KIND	BIT_ULL(12)	/* in each control: the context has the flag */
#define RULES_RANGED	BIT_ULL(13)	/* in ODD_WIDE: counts what ODD_RANGE says */

/* What the PMU has been told. */
static struct {
	unsigned int events[PFM_THREAD_STOP + 1];
	bool self;		/* of the last event */
	unsigned int switches;	/* of threads */
	u32 set_flags;		/* of the active set at the last one */
	u64 pmds;
	struct task_struct *next;
} told;

static u64 rules_adapt(const struct pfm_pmu *pmu, unsigned int num, u64 value,
		     u32 ctx_flags)
{
	return ctx_flags & RULES_CTX_FLAG ? value | RULES_KIND : value & ~RULES_KIND;
}

/* Both counters at once, or the set's flag without the context's, are nonsense. */
static bool rules_admits(const struct pfm_pmu *pmu, const struct pfm_run *run)
{
	if ((run->set_flags & RULES_SET_FLAG) && !(run->ctx_flags & RULES_CTX_FLAG))
		return false;
	return !(run->v[ODD_WIDE] & 0x80) || !(run->v[ODD_LEVEL] & 0x80);
}

static u64 rules_claims(const struct pfm_pmu *pmu, unsigned int num, u64 value)
{
	return num == ODD_WIDE && value & RULES_RANGED ? BIT_ULL(ODD_RANGE) : 0;
}

static void rules_switch_to(const struct pfm_pmu *pmu, const struct pfm_run *run,
		     struct task_struct *next)
{
	told.switches++;
	told.set_flags = run->set_flags;
	told.pmds = run->pmds;
	told.next = next;
}

static void rules_thread(const struct pfm_pmu *pmu, const struct pfm_run *run,
			 enum pfm_thread_event what, bool self)
{
	told.events[what]++;
	told.self = self;
}

static const struct pfm_pmu_rules rules_odd = {
	.ctx_flags = RULES_CTX_FLAG, .set_flags = RULES_SET_FLAG,
	.excludes = PFM_SETFL_EXCL_IDLE, .adapt = rules_adapt, .admits = rules_admits,
	.claims = rules_claims, .thread = rules_thread, .switch_to = rules_switch_to,
};

static const struct pfm_pmu rules_pmu =
	ODD_PMU("rules", 0, BIT_ULL(32), .rules = &rules_odd);

static int rules_init(struct kunit *test)
{
	memset(&told, 0, sizeof(told));
	return odd_init_with(test, &rules_pmu);
}

static int rules_try(struct pfm_context *ctx, u16 set, u16 n, u64 value)
{
	pfarg_pmc_t req = { .reg_num = n, .reg_set = set, .reg_value = value };

	return pfm_fixture_write_pmc(ctx, &req);
}

/* A set is judged as a whole: at creation, at load and while it can be active. */
static void rules_test_admits(struct kunit *test)
{
	pfarg_setdesc_t desc = { .set_id = 1, .set_flags = RULES_SET_FLAG };
	pfarg_setdesc_t strange = { .set_id = 2, .set_flags = BIT(17) };
	struct pfm_context *ctx = test->priv;
	pfarg_load_t load = { .load_pid = task_pid_vnr(current) };

	KUNIT_EXPECT_EQ(test, pfm_set_create(ctx, &strange), -EINVAL);
	KUNIT_EXPECT_EQ(test, pfm_set_create(ctx, &desc), -EINVAL);
	KUNIT_EXPECT_NE(test, desc.set_flags & PFM_SET_RETFL_EINVAL, 0U);
	KUNIT_EXPECT_NULL(test, pfm_set_find(ctx, 1));
	/* Not yet: the rest may come. */
	KUNIT_EXPECT_EQ(test, rules_try(ctx, 0, ODD_WIDE, 0x80), 0);
	KUNIT_EXPECT_EQ(test, rules_try(ctx, 0, ODD_LEVEL, 0x80), 0);
	KUNIT_EXPECT_EQ(test, pfm_attach_load(ctx, &load), -EINVAL);
	KUNIT_EXPECT_EQ(test, rules_try(ctx, 0, ODD_LEVEL, 1), 0);
	pfm_fixture_load_hw(test, ctx);
	pfm_fixture_in(ctx);
	KUNIT_EXPECT_EQ(test, rules_try(ctx, 0, ODD_LEVEL, 0x81), -EINVAL);
	KUNIT_EXPECT_EQ(test, ctx->set->values[ODD_LEVEL], 1ULL);
	KUNIT_EXPECT_EQ(test, rules_try(ctx, 0, ODD_WIDE, 0), 0);
	KUNIT_EXPECT_EQ(test, ctx->set->in_use, BIT_ULL(ODD_LEVEL));
	KUNIT_EXPECT_EQ(test, rules_try(ctx, 0, ODD_LEVEL, 0x81), 0);
}

/* Bits that follow from the kind of context are not the program's. */
static void rules_test_adapt(struct kunit *test)
{
	struct pfm_context *ctx = test->priv;

	KUNIT_EXPECT_EQ(test, rules_try(ctx, 0, ODD_WIDE, RULES_KIND | 1), 0);
	KUNIT_EXPECT_EQ(test, ctx->set->values[ODD_WIDE], 1ULL);
	ctx->flags = RULES_CTX_FLAG;
	KUNIT_EXPECT_EQ(test, rules_try(ctx, 0, ODD_WIDE, 1), 0);
	KUNIT_EXPECT_EQ(test, ctx->set->values[ODD_WIDE], RULES_KIND | 1);
	KUNIT_EXPECT_EQ(test, pfm_fixture_set(ctx, 1, RULES_SET_FLAG), 0);
	KUNIT_EXPECT_EQ(test, pfm_set_find(ctx, 1)->values[ODD_WIDE], RULES_KIND);
	KUNIT_EXPECT_EQ(test, pfm_rules_ctx_flags(), (u32)RULES_CTX_FLAG);
}

/* What happens to a thread is told where the thread is, each time. */
static void rules_test_thread(struct kunit *test)
{
	struct pfm_context *ctx = test->priv;
	pfarg_load_t load = { .load_pid = task_pid_vnr(current) };

	odd_pmc(test, ctx, 0, ODD_WIDE, 1, 0);
	KUNIT_ASSERT_EQ(test, pfm_attach_load(ctx, &load), 0);
	KUNIT_EXPECT_EQ(test, told.events[PFM_THREAD_LOAD], 1U);
	KUNIT_EXPECT_TRUE(test, told.self);
	pfm_fixture_start(ctx);
	pfm_fixture_start(ctx);
	KUNIT_EXPECT_EQ(test, told.events[PFM_THREAD_START], 2U);
	pfm_fixture_stop(ctx);
	KUNIT_EXPECT_EQ(test, told.events[PFM_THREAD_STOP], 1U);
	KUNIT_EXPECT_EQ(test, told.events[PFM_THREAD_UNLOAD], 0U);
	KUNIT_EXPECT_EQ(test, pfm_attach_unload(ctx), 0);
	KUNIT_EXPECT_EQ(test, told.events[PFM_THREAD_UNLOAD], 1U);
}

/* A context of software alone says nothing, until it uses the hardware. */
static void rules_test_thread_soft(struct kunit *test)
{
	struct pfm_context *ctx = test->priv;
	pfarg_load_t load = { .load_pid = task_pid_vnr(current) };
	unsigned int i;

	KUNIT_ASSERT_EQ(test, pfm_attach_load(ctx, &load), 0);
	pfm_fixture_start(ctx);
	pfm_fixture_stop(ctx);
	pfm_fixture_start(ctx);
	for (i = PFM_THREAD_LOAD; i <= PFM_THREAD_STOP; i++)
		KUNIT_EXPECT_EQ(test, told.events[i], 0U);
	odd_pmc(test, ctx, 0, ODD_WIDE, 1, 0);
	odd_pmc(test, ctx, 0, ODD_WIDE, 1, 0);
	KUNIT_EXPECT_EQ(test, told.events[PFM_THREAD_LOAD], 1U);
	KUNIT_EXPECT_EQ(test, told.events[PFM_THREAD_START], 1U);
	KUNIT_EXPECT_EQ(test, pfm_attach_unload(ctx), 0);
	KUNIT_EXPECT_EQ(test, told.events[PFM_THREAD_STOP], 1U);
	KUNIT_EXPECT_EQ(test, told.events[PFM_THREAD_UNLOAD], 1U);
}

/* What a debugger uses, too, is taken and given back with the attachment. */
static void rules_test_claimed(struct kunit *test)
{
	struct pfm_context *ctx = test->priv;
	pfarg_load_t load = { .load_pid = task_pid_vnr(current) };

	odd_pmc(test, ctx, 0, ODD_WIDE, 1, 0);
	odd.range = 77;
	KUNIT_ASSERT_EQ(test, pfm_attach_load(ctx, &load), 0);
	pfm_fixture_start(ctx);
	KUNIT_EXPECT_EQ(test, odd.held, PFM_HOLD_PMU);
	/* A set that has not written it leaves it as it is. */
	KUNIT_EXPECT_EQ(test, odd.range, 77ULL);
	KUNIT_EXPECT_EQ(test, pfm_attach_unload(ctx), 0);
	KUNIT_EXPECT_EQ(test, odd.held, 0U);

	odd_pmc(test, ctx, 0, ODD_RANGE, 5, 0);
	odd.debugger = true;
	KUNIT_EXPECT_EQ(test, pfm_attach_load(ctx, &load), -EBUSY);
	KUNIT_EXPECT_EQ(test, odd.held, 0U);
	odd.debugger = false;
	/* Another context holds the PMU all the while. */
	KUNIT_ASSERT_EQ(test, pfm_reserve_get(PFM_HOLD_PMU), 0);
	KUNIT_ASSERT_EQ(test, pfm_attach_load(ctx, &load), 0);
	pfm_fixture_start(ctx);
	KUNIT_EXPECT_EQ(test, odd.held, PFM_HOLD_PMU | PFM_HOLD_CLAIMED);
	KUNIT_EXPECT_EQ(test, odd.range, 5ULL);
	KUNIT_EXPECT_EQ(test, pfm_attach_unload(ctx), 0);
	KUNIT_EXPECT_EQ(test, odd.held, PFM_HOLD_PMU);

	/* Between two uses a debugger had it: it is written again. */
	odd.range = 99;
	KUNIT_ASSERT_EQ(test, pfm_attach_load(ctx, &load), 0);
	pfm_fixture_start(ctx);
	KUNIT_EXPECT_EQ(test, odd.range, 5ULL);
	KUNIT_EXPECT_EQ(test, pfm_attach_unload(ctx), 0);
	pfm_reserve_put(PFM_HOLD_PMU);
}

/* While a command takes it, the attachment ends, and gives back the PMU that it had. */
static void rules_test_claimed_late(struct kunit *test)
{
	struct pfm_context *ctx = test->priv;
	pfarg_load_t load = { .load_pid = task_pid_vnr(current) };

	odd_pmc(test, ctx, 0, ODD_WIDE, 1, 0);
	KUNIT_ASSERT_EQ(test, pfm_attach_load(ctx, &load), 0);
	odd.ending = ctx;
	KUNIT_EXPECT_EQ(test, pfm_reserve_hold(ctx, PFM_HOLD_PMU | PFM_HOLD_CLAIMED,
						pfm_fixture_none), 0);
	odd.ending = NULL;
	KUNIT_EXPECT_EQ(test, odd.ended, PFM_HOLD_PMU);
	pfm_reserve_put(odd.ended);
	KUNIT_EXPECT_EQ(test, odd.held, PFM_HOLD_PMU | PFM_HOLD_CLAIMED);
	KUNIT_EXPECT_EQ(test, pfm_attach_unload(ctx), 0);
	KUNIT_EXPECT_EQ(test, odd.held, 0U);
	KUNIT_EXPECT_EQ(test, odd.alone, 0U);
}

/* A control that looks at it takes it, too, and has it as its set says: at 0. */
static void rules_test_claims(struct kunit *test)
{
	struct pfm_context *ctx = test->priv;
	pfarg_load_t load = { .load_pid = task_pid_vnr(current) };

	odd.range = 77;
	odd_pmc(test, ctx, 0, ODD_WIDE, 1, 0);
	KUNIT_ASSERT_EQ(test, pfm_attach_load(ctx, &load), 0);
	pfm_fixture_start(ctx);
	/* Loaded, it is taken at once, or the value is refused. */
	odd.debugger = true;
	KUNIT_EXPECT_EQ(test, rules_try(ctx, 0, ODD_WIDE, RULES_RANGED | 1), -EBUSY);
	KUNIT_EXPECT_EQ(test, ctx->set->values[ODD_WIDE], 1ULL);
	KUNIT_EXPECT_EQ(test, odd.held, PFM_HOLD_PMU);
	KUNIT_EXPECT_EQ(test, odd.range, 77ULL);
	odd.debugger = false;
	KUNIT_EXPECT_EQ(test, rules_try(ctx, 0, ODD_WIDE, RULES_RANGED | 1), 0);
	KUNIT_EXPECT_EQ(test, odd.held, PFM_HOLD_PMU | PFM_HOLD_CLAIMED);
	KUNIT_EXPECT_EQ(test, odd.range, 0ULL);
	KUNIT_EXPECT_EQ(test, pfm_attach_unload(ctx), 0);
	KUNIT_EXPECT_EQ(test, odd.held, 0U);
	/* Loaded again, too. */
	odd.range = 99;
	odd.debugger = true;
	KUNIT_EXPECT_EQ(test, pfm_attach_load(ctx, &load), -EBUSY);
	odd.debugger = false;
	KUNIT_ASSERT_EQ(test, pfm_attach_load(ctx, &load), 0);
	pfm_fixture_start(ctx);
	KUNIT_EXPECT_EQ(test, odd.range, 0ULL);
	KUNIT_EXPECT_EQ(test, pfm_attach_unload(ctx), 0);
}

static int rules_next_here(struct pfm_context *ctx, void *kind)
{
	pfm_runstate_next(ctx, (unsigned long)kind, local_clock());
	return 0;
}

static void rules_next(struct pfm_context *ctx, unsigned long kind)
{
	pfm_reach_call(ctx, rules_next_here, (void *)kind);
}

/*
 * A PMU that leaves the idle thread out by itself goes on while it runs, and what
 * interrupts count overflows then, too; in sets that use it.
 */
static void rules_test_idle(struct kunit *test)
{
	struct pfm_context *ctx = pfm_fixture_new(PFM_FL_SYSTEM_WIDE, NULL);
	const unsigned long idle = PFM_SETFL_EXCL_IDLE | PFM_SETFL_EXCL_KERNEL_ONLY_THREADS;
	pfarg_load_t load = { .load_pid = task_pid_vnr(current) };

	KUNIT_ASSERT_FALSE(test, IS_ERR(ctx));
	mutex_lock_nested(&ctx->mutex, 1);
	pfm_fixture_set(ctx, 0, PFM_SETFL_EXCL_IDLE);
	pfm_fixture_set(ctx, 1, PFM_SETFL_EXCL_IDLE);
	pfm_fixture_set(ctx, 2, PFM_SETFL_EXCL_KERNEL_ONLY_THREADS);
	odd_pmc(test, ctx, 0, ODD_LEVEL, 1, PFM_REGFL_OVFL_NOTIFY);
	odd_pmd(test, ctx, ODD_LEVEL, -10ULL, -10ULL);
	pfm_fixture_pmc(ctx, PFM_FIXTURE_IN(1, 0), PFM_SW_MINOR_FAULTS, 0, 0);
	odd_pmc(test, ctx, 2, ODD_LEVEL, 1, 0);
	KUNIT_ASSERT_EQ(test, pfm_attach_load(ctx, &load), 0);
	pfm_fixture_start(ctx);

	/* No other thread comes now. */
	preempt_disable();
	rules_next(ctx, idle);
	KUNIT_EXPECT_FALSE(test, ctx->away);
	KUNIT_EXPECT_EQ(test, odd.running, BIT_ULL(ODD_LEVEL));
	odd_count(10);
	odd_interrupt();
	KUNIT_EXPECT_EQ(test, (int)ctx->state, (int)PFM_MASKED);
	KUNIT_EXPECT_EQ(test, pfm_fixture_restart(ctx), 0);
	KUNIT_EXPECT_EQ(test, odd.running, BIT_ULL(ODD_LEVEL));
	rules_next(ctx, 0);
	KUNIT_EXPECT_EQ(test, odd.running, BIT_ULL(ODD_LEVEL));

	/* Others are stopped as on any PMU. */
	KUNIT_EXPECT_EQ(test, pfm_fixture_start_set(ctx, 1), 0);
	rules_next(ctx, idle);
	KUNIT_EXPECT_TRUE(test, ctx->away);
	KUNIT_EXPECT_EQ(test, pfm_fixture_start_set(ctx, 2), 0);
	KUNIT_EXPECT_TRUE(test, ctx->away);
	KUNIT_EXPECT_EQ(test, odd.running, 0ULL);
	KUNIT_EXPECT_EQ(test, pfm_fixture_start_set(ctx, 0), 0);
	KUNIT_EXPECT_FALSE(test, ctx->away);
	KUNIT_EXPECT_EQ(test, odd.running, BIT_ULL(ODD_LEVEL));
	preempt_enable();
	KUNIT_EXPECT_EQ(test, pfm_attach_unload(ctx), 0);
	pfm_fixture_free(ctx);
}

/* A PMU can be told of each thread that comes to the CPU of a context. */
static void rules_test_switch_to(struct kunit *test)
{
	struct pfm_context *ctx = pfm_fixture_new(PFM_FL_SYSTEM_WIDE, NULL);
	pfarg_load_t load = { .load_pid = task_pid_vnr(current) };

	KUNIT_ASSERT_FALSE(test, IS_ERR(ctx));
	mutex_lock_nested(&ctx->mutex, 1);
	pfm_fixture_pmc(ctx, 0, PFM_SW_MINOR_FAULTS, 0, 0);
	KUNIT_ASSERT_EQ(test, pfm_attach_load(ctx, &load), 0);
	schedule_timeout_uninterruptible(1);
	KUNIT_EXPECT_EQ(test, told.switches, 0U);
	odd_pmc(test, ctx, 0, ODD_WIDE, 1, 0);
	/* Not started: it is told all the same, and of the set as it is. */
	schedule_timeout_uninterruptible(1);
	KUNIT_EXPECT_GE(test, told.switches, 2U);
	KUNIT_EXPECT_PTR_EQ(test, told.next, current);
	KUNIT_EXPECT_EQ(test, told.pmds, BIT_ULL(ODD_WIDE));
	KUNIT_EXPECT_EQ(test, told.set_flags, 0U);
	KUNIT_EXPECT_EQ(test, pfm_attach_unload(ctx), 0);
	told.switches = 0;
	schedule_timeout_uninterruptible(1);
	KUNIT_EXPECT_EQ(test, told.switches, 0U);
	pfm_fixture_free(ctx);
}

static struct kunit_case rules_cases[] = {
	KUNIT_CASE(rules_test_admits),
	KUNIT_CASE(rules_test_adapt),
	KUNIT_CASE(rules_test_thread),
	KUNIT_CASE(rules_test_thread_soft),
	KUNIT_CASE(rules_test_claimed),
	KUNIT_CASE(rules_test_claimed_late),
	KUNIT_CASE(rules_test_claims),
	KUNIT_CASE(rules_test_idle),
	KUNIT_CASE(rules_test_switch_to),
	{}
};

static struct kunit_suite rules_suite = {
	.name = "perfmon-rules",
	.init = rules_init,
	.exit = odd_exit,
	.test_cases = rules_cases,
};
kunit_test_suite(rules_suite);
