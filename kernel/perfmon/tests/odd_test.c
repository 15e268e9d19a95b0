// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a PMU can have beside counters that wrap: counters of different widths, one
 * that interrupts as long as its highest bit is 1, registers that do not count,
 * and data registers that programs can read at any time. On a PMU in memory.
 *
 * The context is live on the CPU where the test runs, which stays the same.
 */
#include <linux/preempt.h>
#include <linux/sched/clock.h>

#include "fixture.h"

#define ODD_WIDE	0	/* PMD and PMC: 48 bits, wraps */
#define ODD_LEVEL	1	/* 31 bits, and one that is its condition */
#define ODD_BUFFER	2	/* can be written, but for the lowest bit */
#define ODD_STATUS	3	/* cannot */
#define ODD_RECORD	4	/* nor can this, which is cleared */
#define ODD_CAPTURE	2	/* the PMC of these three */
#define ODD_RANGE	3	/* a PMC that a debugger uses, too */

#define ODD_NEGATIVE	BIT_ULL(31)

static struct {
	u64 reg[5];
	u64 running;
	bool interrupt;
	unsigned int writes[5];
	unsigned int torn;	/* buffers read while they may change */
	unsigned int events[PFM_THREAD_STOP + 1];
	bool self;		/* of the last event */
	unsigned int held;	/* PFM_HOLD_... */
	unsigned int alone;	/* how often PFM_HOLD_CLAIMED was held alone */
	struct pfm_context *ending;	/* whose attachment ends when that is asked for ... */
	unsigned int ended;	/* ... and what it had */
	bool debugger;		/* has what is to be claimed */
	u64 range;		/* the register that it has */
	unsigned int turns;	/* switches of threads that were told */
	u32 turn_flags;		/* of the active set at the last one */
	u64 turn_pmds;
	struct task_struct *next;
} odd;

#define ODD_CTX_FLAG	BIT(16)
#define ODD_SET_FLAG	BIT(20)
#define ODD_KIND	BIT_ULL(12)	/* in each control: the context has the flag */
#define ODD_RANGED	BIT_ULL(13)	/* in ODD_WIDE: counts what ODD_RANGE says */

static int odd_acquire(const struct pfm_pmu *pmu, unsigned int what)
{
	if (what == PFM_HOLD_CLAIMED && odd.debugger)
		return -EBUSY;
	odd.held |= what;
	odd.alone += odd.held == PFM_HOLD_CLAIMED;
	if (what == PFM_HOLD_CLAIMED && odd.ending) {
		raw_spin_lock_irq(&odd.ending->lock);
		odd.ended = pfm_reserve_take(odd.ending, 0);
		raw_spin_unlock_irq(&odd.ending->lock);
	}
	return 0;
}

static void odd_release(const struct pfm_pmu *pmu, unsigned int what)
{
	odd.held &= ~what;
	odd.alone += odd.held == PFM_HOLD_CLAIMED;
}

static void odd_program(const struct pfm_pmu *pmu, const unsigned long *changed,
			const struct pfm_run *run)
{
	if (!test_bit(ODD_RANGE, changed))
		return;
	WARN_ON(!(odd.held & PFM_HOLD_CLAIMED));
	odd.range = run->v[ODD_RANGE];
}

static void odd_reset(const struct pfm_pmu *pmu, const u64 *v)
{
	odd.running = 0;
	odd.reg[ODD_LEVEL] = 0;
}

/* The condition is taken away from the counter, its 31 bits stay. */
static void odd_start(const struct pfm_pmu *pmu, const struct pfm_run *run)
{
	odd.reg[ODD_LEVEL] &= ~ODD_NEGATIVE;
	odd.running = run->pmds;
}

static void odd_stop(const struct pfm_pmu *pmu, const struct pfm_run *run)
{
	odd.running = 0;
}

static u64 odd_read(const struct pfm_pmu *pmu, unsigned int i)
{
	odd.torn += i >= ODD_BUFFER && odd.running;
	return i == ODD_LEVEL ? odd.reg[i] & ~ODD_NEGATIVE : odd.reg[i];
}

static void odd_write(const struct pfm_pmu *pmu, unsigned int i, u64 value)
{
	WARN_ON(odd.running || i == ODD_STATUS || (i == ODD_RECORD && value));
	odd.reg[i] = value;
	odd.writes[i]++;
}

static bool odd_acknowledge(const struct pfm_pmu *pmu, const struct pfm_run *run)
{
	bool any = odd.interrupt;

	odd.reg[ODD_LEVEL] &= ~ODD_NEGATIVE;
	odd.interrupt = false;
	return any;
}

static bool odd_selects(const struct pfm_pmu *pmu, unsigned int num, u64 value)
{
	return num != ODD_RANGE && value & 0xff;
}

static u64 odd_adapt(const struct pfm_pmu *pmu, unsigned int num, u64 value,
		     u32 ctx_flags)
{
	return ctx_flags & ODD_CTX_FLAG ? value | ODD_KIND : value & ~ODD_KIND;
}

/* Both counters at once, or the set's flag without the context's, are nonsense. */
static bool odd_admits(const struct pfm_pmu *pmu, const struct pfm_run *run)
{
	if ((run->set_flags & ODD_SET_FLAG) && !(run->ctx_flags & ODD_CTX_FLAG))
		return false;
	return !(run->v[ODD_WIDE] & 0x80) || !(run->v[ODD_LEVEL] & 0x80);
}

static u64 odd_claims(const struct pfm_pmu *pmu, unsigned int num, u64 value)
{
	return num == ODD_WIDE && value & ODD_RANGED ? BIT_ULL(ODD_RANGE) : 0;
}

static void odd_turn(const struct pfm_pmu *pmu, const struct pfm_run *run,
		     struct task_struct *next)
{
	odd.turns++;
	odd.turn_flags = run->set_flags;
	odd.turn_pmds = run->pmds;
	odd.next = next;
}

static void odd_thread(const struct pfm_pmu *pmu, const struct pfm_run *run,
		       enum pfm_thread_event what)
{
	odd.events[what]++;
	odd.self = run->self;
}

#define ODD_PMC(n)	{ .name = "SEL" #n, .num = n, .type = PFM_REG_TYPE_SPR, \
			  .index = 700 + n }
#define ODD_PMD(n, ...)	{ .name = "DATA" #n, .num = n, .type = PFM_REG_TYPE_SPR, \
			  .index = 800 + n, __VA_ARGS__ }

static const struct pfm_pmc_desc odd_pmcs[] = {
	ODD_PMC(0), ODD_PMC(1), ODD_PMC(2),
	{ .name = "RANGE", .num = ODD_RANGE, .type = PFM_REG_TYPE_DBR, .index = 0,
	  .flags = PFM_PMC_CLAIMED },
};

static const struct pfm_pmd_desc odd_pmds[] = {
	ODD_PMD(0, .flags = PFM_PMD_COUNTER, .ctrl = ODD_WIDE, .width = 48),
	ODD_PMD(1, .flags = PFM_PMD_COUNTER, .ctrl = ODD_LEVEL, .width = 31),
	ODD_PMD(2, .ctrl = ODD_CAPTURE, .rsvd = 1, .def = 1),
	ODD_PMD(3, .ctrl = ODD_CAPTURE, .flags = PFM_PMD_RDONLY,
		.rsvd = ~GENMASK_ULL(39, 0)),
	ODD_PMD(4, .ctrl = ODD_CAPTURE, .flags = PFM_PMD_RDONLY | PFM_PMD_CLEAR),
};

#define ODD_PMU(n, f, r) {						\
	.name = n, .pmcs = odd_pmcs, .pmds = odd_pmds,			\
	.num_pmcs = ARRAY_SIZE(odd_pmcs), .num_pmds = ARRAY_SIZE(odd_pmds), \
	.width = 32, .flags = f, .rate = r, .selects = odd_selects,	\
	.ctx_flags = ODD_CTX_FLAG, .set_flags = ODD_SET_FLAG,		\
	.excludes = PFM_SETFL_EXCL_IDLE, .claims = odd_claims,		\
	.adapt = odd_adapt, .admits = odd_admits, .thread = odd_thread,	\
	.turn = odd_turn,						\
	.acquire = odd_acquire, .release = odd_release, .reset = odd_reset, \
	.program = odd_program, .start = odd_start, .stop = odd_stop,	\
	.read = odd_read,						\
	.write = odd_write, .acknowledge = odd_acknowledge,		\
}

static const struct pfm_pmu odd_pmu = ODD_PMU("odd", 0, BIT_ULL(32));
static const struct pfm_pmu odd_open = ODD_PMU("open", PFM_PMU_USER_READ, 1000);
static const struct pfm_pmu odd_seen =
	ODD_PMU("seen", PFM_PMU_USER_READ | PFM_PMU_USER_COUNTS, 1000);

static const struct pfm_pmu *odd_real;
static u64 odd_poll;		/* ns between two looks of the timer */

/* Events of what runs; a buffer sees other things, if it is asked to. */
static void odd_count(u64 n)
{
	u64 capture = odd.running & BIT(ODD_BUFFER);

	if (odd.running & BIT(ODD_WIDE))
		odd.reg[ODD_WIDE] = (odd.reg[ODD_WIDE] + n) & GENMASK_ULL(47, 0);
	if (odd.running & BIT(ODD_LEVEL)) {
		odd.reg[ODD_LEVEL] += n;
		odd.interrupt |= odd.reg[ODD_LEVEL] & ODD_NEGATIVE;
	}
	if (capture) {
		odd.reg[ODD_BUFFER] += n << 1;
		odd.reg[ODD_STATUS]++;
		odd.reg[ODD_RECORD] += n;
	}
}

static void odd_interrupt(void)
{
	unsigned long flags;

	local_irq_save(flags);
	pfm_interrupt_handle(NULL);
	local_irq_restore(flags);
}

static void odd_pmc(struct kunit *test, struct pfm_context *ctx, u16 set, u16 n,
		    u64 value, u32 flags)
{
	pfarg_pmc_t req = {
		.reg_num = n, .reg_set = set, .reg_value = value,
		.reg_flags = flags,
	};

	if (flags)
		req.reg_reset_pmds[0] = BIT(ODD_BUFFER) | BIT(ODD_STATUS) |
					BIT(ODD_RECORD);
	KUNIT_ASSERT_EQ(test, pfm_fixture_write_pmc(ctx, &req), 0);
}

static void odd_pmd(struct kunit *test, struct pfm_context *ctx, u16 n, u64 value,
		    u64 reset)
{
	pfarg_pmd_t req = {
		.reg_num = n, .reg_value = value,
		.reg_long_reset = reset, .reg_short_reset = reset,
	};

	KUNIT_ASSERT_EQ(test, pfm_fixture_write_pmd(ctx, &req), 0);
}

static int odd_init_with(struct kunit *test, const struct pfm_pmu *pmu)
{
	odd_real = pfm_fixture_swap(test, pmu);
	memset(&odd, 0, sizeof(odd));
	migrate_disable();
	odd_poll = pfm_fixture_poll_late();
	test->priv = pfm_fixture_context(test, 0);
	return 0;
}

static int odd_init(struct kunit *test)
{
	return odd_init_with(test, &odd_pmu);
}

static void odd_exit(struct kunit *test)
{
	if (test->priv)
		pfm_fixture_free(test->priv);
	pfm_fixture_disarm();
	migrate_enable();
	pfm_fixture_swap(test, odd_real);
}

/* Each counter has its own width, and looks are frequent enough for the narrowest. */
static void odd_test_widths(struct kunit *test)
{
	struct pfm_context *ctx = test->priv;
	const u64 half = BIT_ULL(30);
	unsigned int i;

	odd_pmc(test, ctx, 0, ODD_WIDE, 1, 0);
	odd_pmc(test, ctx, 0, ODD_LEVEL, 1, 0);
	pfm_fixture_load_hw(test, ctx);
	pfm_fixture_in(ctx);
	for (i = 0; i < 10; i++) {
		odd_count(half);
		pfm_fixture_value(ctx, 0, ODD_LEVEL);
	}
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, ODD_LEVEL), 10 * half);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, ODD_WIDE), 10 * half);
	/* 2^30 events at 2^32 in a second. */
	KUNIT_EXPECT_EQ(test, odd_poll, NSEC_PER_SEC / 4);
}

/* A counter that is left with its condition true does not interrupt for ever. */
static void odd_test_level(struct kunit *test)
{
	struct pfm_context *ctx = test->priv;

	odd_pmc(test, ctx, 0, ODD_LEVEL, 1, 0);
	pfm_fixture_load_hw(test, ctx);
	pfm_fixture_in(ctx);
	odd_count(ODD_NEGATIVE - BIT_ULL(28) - 10);
	KUNIT_EXPECT_FALSE(test, odd.interrupt);
	/* As the timer would have it. */
	pfm_fixture_value(ctx, 0, ODD_LEVEL);
	odd_count(20);
	KUNIT_EXPECT_TRUE(test, odd.interrupt);
	odd_interrupt();
	odd_count(5);
	KUNIT_EXPECT_FALSE(test, odd.interrupt);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, ODD_LEVEL),
			ODD_NEGATIVE - BIT_ULL(28) + 15);
	/* Before it runs, and after its wrap: see pfm_pmu_low(). */
	KUNIT_EXPECT_EQ(test, odd.writes[ODD_LEVEL], 2U);
}

/* A period ends at the event that makes the counter negative. */
static void odd_test_period(struct kunit *test)
{
	struct pfm_context *ctx = test->priv;
	unsigned int i, n = 0;

	odd_pmc(test, ctx, 0, ODD_LEVEL, 1, 0);
	odd_pmd(test, ctx, ODD_LEVEL, -100ULL, -100ULL);
	pfm_fixture_load_hw(test, ctx);
	pfm_fixture_in(ctx);
	for (i = 0; i < 1050; i++) {
		odd_count(1);
		if (odd.interrupt) {
			odd_interrupt();
			n++;
		}
	}
	KUNIT_EXPECT_EQ(test, n, 10U);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, ODD_LEVEL), -50ULL);
}

/* Registers that do not count follow their set and their thread. */
static void odd_test_held(struct kunit *test)
{
	struct pfm_context *ctx = test->priv, *other = pfm_fixture_context(test, 1);

	odd_pmc(test, ctx, 0, ODD_CAPTURE, 1, 0);
	odd_pmd(test, ctx, ODD_BUFFER, 0x100, 0);
	pfm_fixture_load_hw(test, ctx);
	odd_pmc(test, other, 0, ODD_CAPTURE, 1, 0);
	pfm_fixture_load_hw(test, other);

	pfm_fixture_in(ctx);
	odd_count(1);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, ODD_BUFFER), 0x103ULL);
	KUNIT_EXPECT_NE(test, odd.running, 0ULL);
	odd_count(1);
	pfm_fixture_out(ctx);
	/* What another thread left is not seen, and nor is what this one leaves. */
	pfm_fixture_in(other);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(other, 0, ODD_BUFFER), 1ULL);
	odd_count(0x40);
	pfm_fixture_out(other);
	pfm_fixture_in(ctx);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, ODD_BUFFER), 0x105ULL);
	odd_count(1);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, ODD_BUFFER), 0x107ULL);
	pfm_fixture_out(ctx);
	/* No other context was here since: it is as it was. */
	odd.writes[ODD_BUFFER] = 0;
	pfm_fixture_in(ctx);
	pfm_fixture_out(ctx);
	KUNIT_EXPECT_EQ(test, odd.writes[ODD_BUFFER], 0U);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, ODD_BUFFER), 0x107ULL);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(other, 0, ODD_BUFFER), 0x81ULL);
	KUNIT_EXPECT_EQ(test, odd.torn, 0U);
	pfm_fixture_free(other);
}

/* A record is of one stay on a CPU; what was last read of it is kept. */
static void odd_test_cleared(struct kunit *test)
{
	struct pfm_context *ctx = test->priv, *other = pfm_fixture_context(test, 1);

	odd_pmc(test, ctx, 0, ODD_CAPTURE, 1, 0);
	pfm_fixture_load_hw(test, ctx);
	odd_pmc(test, other, 0, ODD_CAPTURE, 1, 0);
	pfm_fixture_load_hw(test, other);

	odd.reg[ODD_RECORD] = 0x4711;
	pfm_fixture_in(ctx);
	odd_count(5);
	pfm_fixture_out(ctx);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, ODD_RECORD), 5ULL);
	/* No other was here since: the record goes on. */
	pfm_fixture_in(ctx);
	odd_count(2);
	pfm_fixture_out(ctx);
	pfm_fixture_in(other);
	odd_count(1);
	pfm_fixture_out(other);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, ODD_RECORD), 7ULL);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(other, 0, ODD_RECORD), 1ULL);
	/* It begins anew, where what can be restored is restored. */
	pfm_fixture_in(ctx);
	KUNIT_EXPECT_EQ(test, odd.reg[ODD_RECORD], 0ULL);
	KUNIT_EXPECT_EQ(test, odd.reg[ODD_BUFFER], 15ULL);
	odd_count(3);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, ODD_RECORD), 3ULL);
	pfm_fixture_free(other);
	pfm_fixture_free(ctx);
	test->priv = NULL;
	KUNIT_EXPECT_EQ(test, odd.reg[ODD_RECORD], 0ULL);
	KUNIT_EXPECT_EQ(test, odd.held, 0U);
}

/* A record is of one attachment, too: nobody else was on the CPU in between. */
static void odd_test_attached_again(struct kunit *test)
{
	struct pfm_context *ctx = test->priv, *other = pfm_fixture_context(test, 1);

	/* The PMU stays in use, or all of it would be reset. */
	odd_pmc(test, other, 0, ODD_CAPTURE, 1, 0);
	pfm_fixture_load_hw(test, other);
	odd_pmc(test, ctx, 0, ODD_CAPTURE, 1, 0);
	pfm_fixture_load_hw(test, ctx);
	pfm_fixture_in(ctx);
	odd_count(5);
	pfm_fixture_stop(ctx);
	pfm_fixture_out(ctx);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, ODD_RECORD), 5ULL);

	pfm_fixture_load(ctx);
	pfm_fixture_start(ctx);
	pfm_fixture_in(ctx);
	odd_count(3);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, ODD_RECORD), 3ULL);
	pfm_fixture_free(other);
}

/* They are reset with the counter that says so, as far as they can be written. */
static void odd_test_reset(struct kunit *test)
{
	struct pfm_context *ctx = test->priv;

	odd_pmc(test, ctx, 0, ODD_LEVEL, 1, PFM_REGFL_OVFL_NOTIFY);
	odd_pmc(test, ctx, 0, ODD_CAPTURE, 1, 0);
	odd_pmd(test, ctx, ODD_LEVEL, -10ULL, -10ULL);
	odd_pmd(test, ctx, ODD_BUFFER, 0, 0x41);
	pfm_fixture_load_hw(test, ctx);
	pfm_fixture_in(ctx);
	odd_count(10);
	odd_interrupt();
	KUNIT_EXPECT_EQ(test, (int)ctx->state, (int)PFM_MASKED);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, ODD_BUFFER), 21ULL);
	KUNIT_EXPECT_EQ(test, pfm_fixture_restart(ctx), 0);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, ODD_BUFFER), 0x41ULL);
	odd_count(1);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, ODD_BUFFER), 0x43ULL);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, ODD_STATUS), 2ULL);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, ODD_RECORD), 1ULL);
}

/* One that cannot be written keeps what it has, whoever wants it reset. */
static void odd_test_read_only(struct kunit *test)
{
	struct pfm_context *ctx = test->priv;
	pfarg_pmd_t req = { .reg_num = ODD_STATUS };

	odd_pmc(test, ctx, 0, ODD_LEVEL, 1, PFM_REGFL_OVFL_NOTIFY);
	odd_pmc(test, ctx, 0, ODD_CAPTURE, 1, 0);
	odd_pmd(test, ctx, ODD_LEVEL, -10ULL, -10ULL);
	odd_pmd(test, ctx, ODD_BUFFER, 0, 0x41);
	KUNIT_EXPECT_EQ(test, pfm_fixture_write_pmd(ctx, &req), -EINVAL);
	pfm_fixture_load_hw(test, ctx);
	pfm_fixture_in(ctx);
	odd_count(10);
	odd_interrupt();
	/* Stopped, what memory has is what can be read. */
	pfm_fixture_stop(ctx);
	KUNIT_EXPECT_EQ(test, pfm_fixture_restart(ctx), 0);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, ODD_BUFFER), 0x41ULL);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, ODD_STATUS), 1ULL);
}

/* Bits that the hardware does not have are 0, whatever it says there. */
static void odd_test_narrow(struct kunit *test)
{
	struct pfm_context *ctx = test->priv;

	odd_pmc(test, ctx, 0, ODD_CAPTURE, 1, 0);
	pfm_fixture_load_hw(test, ctx);
	pfm_fixture_in(ctx);
	odd.reg[ODD_STATUS] = ~0x11ULL;
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, ODD_STATUS),
			GENMASK_ULL(39, 0) & ~0x11ULL);
	pfm_fixture_out(ctx);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, ODD_STATUS),
			GENMASK_ULL(39, 0) & ~0x11ULL);
}

/* A register that does not count has neither a threshold nor random values. */
static void odd_test_no_counter(struct kunit *test)
{
	struct pfm_context *ctx = test->priv;
	pfarg_pmd_t req = {
		.reg_num = ODD_BUFFER, .reg_long_reset = 0x41,
		.reg_short_reset = 0x81, .reg_ovflsw_thres = 1,
		.reg_random_mask = ~0ULL, .reg_random_seed = 4711,
	};
	unsigned int i;

	pfm_fixture_set(ctx, 0, PFM_SETFL_OVFL_SWITCH);
	pfm_fixture_set(ctx, 1, 0);
	odd_pmc(test, ctx, 0, ODD_LEVEL, 1, PFM_REGFL_OVFL_NOTIFY);
	odd_pmd(test, ctx, ODD_LEVEL, -10ULL, -10ULL);
	odd_pmc(test, ctx, 0, ODD_CAPTURE, 1, PFM_REGFL_RANDOM);
	KUNIT_ASSERT_EQ(test, pfm_fixture_write_pmd(ctx, &req), 0);
	KUNIT_EXPECT_EQ(test, ctx->set->triggers, 0ULL);
	KUNIT_EXPECT_EQ(test, pfm_fixture_read_pmd(ctx, &req), 0);
	KUNIT_EXPECT_EQ(test, req.reg_ovflsw_thres, 0ULL);
	pfm_fixture_load_hw(test, ctx);
	pfm_fixture_in(ctx);
	for (i = 0; i < 5; i++) {
		odd_count(10);
		odd_interrupt();
		KUNIT_EXPECT_EQ(test, pfm_fixture_restart(ctx), 0);
		KUNIT_EXPECT_EQ(test, (int)ctx->set->id, 0);
		KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, ODD_BUFFER), 0x41ULL);
	}
}

/* A set that does not use them leaves what another set has. */
static void odd_test_sets(struct kunit *test)
{
	struct pfm_context *ctx = test->priv;

	pfm_fixture_set(ctx, 1, 0);
	odd_pmc(test, ctx, 0, ODD_CAPTURE, 1, 0);
	odd_pmc(test, ctx, 1, ODD_WIDE, 1, 0);
	pfm_fixture_load_hw(test, ctx);
	pfm_fixture_in(ctx);
	odd_count(2);
	KUNIT_EXPECT_EQ(test, pfm_fixture_start_set(ctx, 1), 0);
	odd_count(3);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 1, ODD_WIDE), 3ULL);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 1, ODD_BUFFER), 1ULL);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, ODD_BUFFER), 5ULL);
	KUNIT_EXPECT_EQ(test, pfm_fixture_start_set(ctx, 0), 0);
	odd_count(1);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, ODD_BUFFER), 7ULL);
}

static int odd_try(struct pfm_context *ctx, u16 set, u16 n, u64 value)
{
	pfarg_pmc_t req = { .reg_num = n, .reg_set = set, .reg_value = value };

	return pfm_fixture_write_pmc(ctx, &req);
}

/* A set is judged as a whole: at creation, at load and while it can be active. */
static void odd_test_admits(struct kunit *test)
{
	pfarg_setdesc_t desc = { .set_id = 1, .set_flags = ODD_SET_FLAG };
	pfarg_setdesc_t strange = { .set_id = 2, .set_flags = BIT(17) };
	struct pfm_context *ctx = test->priv;
	pfarg_load_t load = { .load_pid = task_pid_vnr(current) };

	KUNIT_EXPECT_EQ(test, pfm_set_create(ctx, &strange), -EINVAL);
	KUNIT_EXPECT_EQ(test, pfm_set_create(ctx, &desc), -EINVAL);
	KUNIT_EXPECT_NE(test, desc.set_flags & PFM_SET_RETFL_EINVAL, 0U);
	KUNIT_EXPECT_NULL(test, pfm_set_find(ctx, 1));
	/* Not yet: the rest may come. */
	KUNIT_EXPECT_EQ(test, odd_try(ctx, 0, ODD_WIDE, 0x80), 0);
	KUNIT_EXPECT_EQ(test, odd_try(ctx, 0, ODD_LEVEL, 0x80), 0);
	KUNIT_EXPECT_EQ(test, pfm_attach_load(ctx, &load), -EINVAL);
	KUNIT_EXPECT_EQ(test, odd_try(ctx, 0, ODD_LEVEL, 1), 0);
	pfm_fixture_load_hw(test, ctx);
	pfm_fixture_in(ctx);
	KUNIT_EXPECT_EQ(test, odd_try(ctx, 0, ODD_LEVEL, 0x81), -EINVAL);
	KUNIT_EXPECT_EQ(test, ctx->set->values[ODD_LEVEL], 1ULL);
	KUNIT_EXPECT_EQ(test, odd_try(ctx, 0, ODD_WIDE, 0), 0);
	KUNIT_EXPECT_EQ(test, ctx->set->live, BIT_ULL(ODD_LEVEL));
	KUNIT_EXPECT_EQ(test, odd_try(ctx, 0, ODD_LEVEL, 0x81), 0);
}

/* Bits that follow from the kind of context are not the program's. */
static void odd_test_adapt(struct kunit *test)
{
	struct pfm_context *ctx = test->priv;

	KUNIT_EXPECT_EQ(test, odd_try(ctx, 0, ODD_WIDE, ODD_KIND | 1), 0);
	KUNIT_EXPECT_EQ(test, ctx->set->values[ODD_WIDE], 1ULL);
	ctx->flags = ODD_CTX_FLAG;
	KUNIT_EXPECT_EQ(test, odd_try(ctx, 0, ODD_WIDE, 1), 0);
	KUNIT_EXPECT_EQ(test, ctx->set->values[ODD_WIDE], ODD_KIND | 1);
	KUNIT_EXPECT_EQ(test, pfm_fixture_set(ctx, 1, ODD_SET_FLAG), 0);
	KUNIT_EXPECT_EQ(test, pfm_set_find(ctx, 1)->values[ODD_WIDE], ODD_KIND);
	KUNIT_EXPECT_EQ(test, pfm_pmu_ctx_flags(), (u32)ODD_CTX_FLAG);
}

/* What happens to a thread is told where the thread is, each time. */
static void odd_test_thread(struct kunit *test)
{
	struct pfm_context *ctx = test->priv;
	pfarg_load_t load = { .load_pid = task_pid_vnr(current) };

	odd_pmc(test, ctx, 0, ODD_WIDE, 1, 0);
	KUNIT_ASSERT_EQ(test, pfm_attach_load(ctx, &load), 0);
	KUNIT_EXPECT_EQ(test, odd.events[PFM_THREAD_LOAD], 1U);
	KUNIT_EXPECT_TRUE(test, odd.self);
	pfm_fixture_start(ctx);
	pfm_fixture_start(ctx);
	KUNIT_EXPECT_EQ(test, odd.events[PFM_THREAD_START], 2U);
	pfm_fixture_stop(ctx);
	KUNIT_EXPECT_EQ(test, odd.events[PFM_THREAD_STOP], 1U);
	KUNIT_EXPECT_EQ(test, odd.events[PFM_THREAD_UNLOAD], 0U);
	KUNIT_EXPECT_EQ(test, pfm_attach_unload(ctx), 0);
	KUNIT_EXPECT_EQ(test, odd.events[PFM_THREAD_UNLOAD], 1U);
}

/* A context of software alone says nothing, until it uses the hardware. */
static void odd_test_thread_soft(struct kunit *test)
{
	struct pfm_context *ctx = test->priv;
	pfarg_load_t load = { .load_pid = task_pid_vnr(current) };
	unsigned int i;

	KUNIT_ASSERT_EQ(test, pfm_attach_load(ctx, &load), 0);
	pfm_fixture_start(ctx);
	pfm_fixture_stop(ctx);
	pfm_fixture_start(ctx);
	for (i = PFM_THREAD_LOAD; i <= PFM_THREAD_STOP; i++)
		KUNIT_EXPECT_EQ(test, odd.events[i], 0U);
	odd_pmc(test, ctx, 0, ODD_WIDE, 1, 0);
	odd_pmc(test, ctx, 0, ODD_WIDE, 1, 0);
	KUNIT_EXPECT_EQ(test, odd.events[PFM_THREAD_LOAD], 1U);
	KUNIT_EXPECT_EQ(test, odd.events[PFM_THREAD_START], 1U);
	KUNIT_EXPECT_EQ(test, pfm_attach_unload(ctx), 0);
	KUNIT_EXPECT_EQ(test, odd.events[PFM_THREAD_STOP], 1U);
	KUNIT_EXPECT_EQ(test, odd.events[PFM_THREAD_UNLOAD], 1U);
}

/* What a debugger uses, too, is taken and given back with the attachment. */
static void odd_test_claimed(struct kunit *test)
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
static void odd_test_claimed_late(struct kunit *test)
{
	struct pfm_context *ctx = test->priv;
	pfarg_load_t load = { .load_pid = task_pid_vnr(current) };

	odd_pmc(test, ctx, 0, ODD_WIDE, 1, 0);
	KUNIT_ASSERT_EQ(test, pfm_attach_load(ctx, &load), 0);
	odd.ending = ctx;
	KUNIT_EXPECT_EQ(test, pfm_reserve_hold(ctx, PFM_HOLD_PMU | PFM_HOLD_CLAIMED), 0);
	odd.ending = NULL;
	KUNIT_EXPECT_EQ(test, odd.ended, PFM_HOLD_PMU);
	pfm_reserve_put(odd.ended);
	KUNIT_EXPECT_EQ(test, odd.held, PFM_HOLD_PMU | PFM_HOLD_CLAIMED);
	KUNIT_EXPECT_EQ(test, pfm_attach_unload(ctx), 0);
	KUNIT_EXPECT_EQ(test, odd.held, 0U);
	KUNIT_EXPECT_EQ(test, odd.alone, 0U);
}

/* A control that looks at it takes it, too, and has it as its set says: at 0. */
static void odd_test_claims(struct kunit *test)
{
	struct pfm_context *ctx = test->priv;
	pfarg_load_t load = { .load_pid = task_pid_vnr(current) };

	odd.range = 77;
	odd_pmc(test, ctx, 0, ODD_WIDE, 1, 0);
	KUNIT_ASSERT_EQ(test, pfm_attach_load(ctx, &load), 0);
	pfm_fixture_start(ctx);
	/* Loaded, it is taken at once, or the value is refused. */
	odd.debugger = true;
	KUNIT_EXPECT_EQ(test, odd_try(ctx, 0, ODD_WIDE, ODD_RANGED | 1), -EBUSY);
	KUNIT_EXPECT_EQ(test, ctx->set->values[ODD_WIDE], 1ULL);
	KUNIT_EXPECT_EQ(test, odd.held, PFM_HOLD_PMU);
	KUNIT_EXPECT_EQ(test, odd.range, 77ULL);
	odd.debugger = false;
	KUNIT_EXPECT_EQ(test, odd_try(ctx, 0, ODD_WIDE, ODD_RANGED | 1), 0);
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

static int odd_next_here(struct pfm_context *ctx, void *kind)
{
	pfm_runstate_next(ctx, (unsigned long)kind, local_clock());
	return 0;
}

static void odd_next(struct pfm_context *ctx, unsigned long kind)
{
	pfm_reach_call(ctx, odd_next_here, (void *)kind);
}

/*
 * A PMU that leaves the idle thread out by itself goes on while it runs, and what
 * interrupts count overflows then, too; in sets that use it.
 */
static void odd_test_idle(struct kunit *test)
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
	odd_next(ctx, idle);
	KUNIT_EXPECT_FALSE(test, ctx->away);
	KUNIT_EXPECT_EQ(test, odd.running, BIT_ULL(ODD_LEVEL));
	odd_count(10);
	odd_interrupt();
	KUNIT_EXPECT_EQ(test, (int)ctx->state, (int)PFM_MASKED);
	KUNIT_EXPECT_EQ(test, pfm_fixture_restart(ctx), 0);
	KUNIT_EXPECT_EQ(test, odd.running, BIT_ULL(ODD_LEVEL));
	odd_next(ctx, 0);
	KUNIT_EXPECT_EQ(test, odd.running, BIT_ULL(ODD_LEVEL));

	/* Others are stopped as on any PMU. */
	KUNIT_EXPECT_EQ(test, pfm_fixture_start_set(ctx, 1), 0);
	odd_next(ctx, idle);
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
static void odd_test_turn(struct kunit *test)
{
	struct pfm_context *ctx = pfm_fixture_new(PFM_FL_SYSTEM_WIDE, NULL);
	pfarg_load_t load = { .load_pid = task_pid_vnr(current) };

	KUNIT_ASSERT_FALSE(test, IS_ERR(ctx));
	mutex_lock_nested(&ctx->mutex, 1);
	pfm_fixture_pmc(ctx, 0, PFM_SW_MINOR_FAULTS, 0, 0);
	KUNIT_ASSERT_EQ(test, pfm_attach_load(ctx, &load), 0);
	schedule_timeout_uninterruptible(1);
	KUNIT_EXPECT_EQ(test, odd.turns, 0U);
	odd_pmc(test, ctx, 0, ODD_WIDE, 1, 0);
	/* Not started: it is told all the same, and of the set as it is. */
	schedule_timeout_uninterruptible(1);
	KUNIT_EXPECT_GE(test, odd.turns, 2U);
	KUNIT_EXPECT_PTR_EQ(test, odd.next, current);
	KUNIT_EXPECT_EQ(test, odd.turn_pmds, BIT_ULL(ODD_WIDE));
	KUNIT_EXPECT_EQ(test, odd.turn_flags, 0U);
	KUNIT_EXPECT_EQ(test, pfm_attach_unload(ctx), 0);
	odd.turns = 0;
	schedule_timeout_uninterruptible(1);
	KUNIT_EXPECT_EQ(test, odd.turns, 0U);
	pfm_fixture_free(ctx);
}

static struct kunit_case odd_cases[] = {
	KUNIT_CASE(odd_test_widths),
	KUNIT_CASE(odd_test_level),
	KUNIT_CASE(odd_test_period),
	KUNIT_CASE(odd_test_held),
	KUNIT_CASE(odd_test_cleared),
	KUNIT_CASE(odd_test_attached_again),
	KUNIT_CASE(odd_test_reset),
	KUNIT_CASE(odd_test_read_only),
	KUNIT_CASE(odd_test_narrow),
	KUNIT_CASE(odd_test_no_counter),
	KUNIT_CASE(odd_test_sets),
	KUNIT_CASE(odd_test_admits),
	KUNIT_CASE(odd_test_adapt),
	KUNIT_CASE(odd_test_thread),
	KUNIT_CASE(odd_test_thread_soft),
	KUNIT_CASE(odd_test_claimed),
	KUNIT_CASE(odd_test_claimed_late),
	KUNIT_CASE(odd_test_claims),
	KUNIT_CASE(odd_test_idle),
	KUNIT_CASE(odd_test_turn),
	{}
};

static struct kunit_suite odd_suite = {
	.name = "perfmon-odd",
	.init = odd_init,
	.exit = odd_exit,
	.test_cases = odd_cases,
};

static int open_init(struct kunit *test)
{
	return odd_init_with(test, &odd_open);
}

/* Where programs can read them, a thread finds nothing in another's registers. */
static void open_test_wiped(struct kunit *test)
{
	struct pfm_context *ctx = test->priv;

	odd_pmc(test, ctx, 0, ODD_WIDE, 1, 0);
	odd_pmc(test, ctx, 0, ODD_CAPTURE, 1, 0);
	pfm_fixture_load_hw(test, ctx);
	pfm_fixture_in(ctx);
	odd_count(100);
	pfm_fixture_out(ctx);
	KUNIT_EXPECT_EQ(test, odd.reg[ODD_WIDE], BIT_ULL(28));
	KUNIT_EXPECT_EQ(test, odd.reg[ODD_BUFFER], 0ULL);
	KUNIT_EXPECT_EQ(test, odd.reg[ODD_RECORD], 0ULL);
	pfm_fixture_in(ctx);
	odd_count(10);
	pfm_fixture_out(ctx);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, ODD_WIDE), 110ULL);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, ODD_BUFFER), 221ULL);
	/* One that comes and counts nothing has nothing to leave. */
	odd.writes[ODD_WIDE] = 0;
	KUNIT_EXPECT_EQ(test, this_cpu_read(pfm_cpu.dirty), 0ULL);
	/* Slow counters are looked at once a second. */
	KUNIT_EXPECT_EQ(test, odd_poll, (u64)NSEC_PER_SEC);
}

/* A thread that is monitored in software leaves the CPU's counters alone. */
static void open_test_beside(struct kunit *test)
{
	struct pfm_context *ctx = pfm_fixture_new(PFM_FL_SYSTEM_WIDE, NULL);
	struct pfm_context *thread = test->priv;

	KUNIT_ASSERT_FALSE(test, IS_ERR(ctx));
	mutex_lock_nested(&ctx->mutex, 1);
	odd_pmc(test, ctx, 0, ODD_WIDE, 1, 0);
	pfm_fixture_load_hw(test, ctx);
	ctx->task = NULL;
	pfm_fixture_in(ctx);
	odd_count(100);

	pfm_fixture_pmc(thread, 0, PFM_SW_MINOR_FAULTS, 0, 0);
	pfm_fixture_load(thread);
	pfm_fixture_start(thread);
	pfm_fixture_in(thread);
	KUNIT_EXPECT_PTR_EQ(test, this_cpu_read(pfm_cpu.live), thread);
	odd_count(10);
	pfm_fixture_out(thread);
	KUNIT_EXPECT_NULL(test, this_cpu_read(pfm_cpu.live));
	KUNIT_EXPECT_EQ(test, odd.reg[ODD_WIDE], BIT_ULL(28) + 110);
	odd_count(1);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, ODD_WIDE), 111ULL);
	/* While the CPU's context has the hardware, the thread's cannot. */
	KUNIT_EXPECT_EQ(test, pfm_reserve_hold(thread, PFM_HOLD_PMU), -EBUSY);
	pfm_fixture_free(ctx);
	KUNIT_EXPECT_EQ(test, pfm_reserve_hold(thread, PFM_HOLD_PMU), 0);
	thread->state = PFM_UNLOADED;
	pfm_reserve_yield(thread);
}

static struct kunit_case open_cases[] = {
	KUNIT_CASE(open_test_wiped),
	KUNIT_CASE(open_test_beside),
	{}
};

static struct kunit_suite open_suite = {
	.name = "perfmon-odd-open",
	.init = open_init,
	.exit = odd_exit,
	.test_cases = open_cases,
};

static int seen_init(struct kunit *test)
{
	return odd_init_with(test, &odd_seen);
}

/* A program that reads a counter by itself finds what it has counted, as far as that fits. */
static void seen_test_counts(struct kunit *test)
{
	struct pfm_context *ctx = test->priv;

	odd_pmc(test, ctx, 0, ODD_WIDE, 1, 0);
	odd.reg[ODD_WIDE] = 4711;
	pfm_fixture_load_hw(test, ctx);
	pfm_fixture_in(ctx);
	KUNIT_EXPECT_EQ(test, odd.reg[ODD_WIDE], 0ULL);
	odd_count(100);
	pfm_fixture_out(ctx);
	KUNIT_EXPECT_EQ(test, odd.reg[ODD_WIDE], 0ULL);
	pfm_fixture_in(ctx);
	KUNIT_EXPECT_EQ(test, odd.reg[ODD_WIDE], 100ULL);
	odd_count(10);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, ODD_WIDE), 110ULL);
	KUNIT_EXPECT_EQ(test, odd.reg[ODD_WIDE], 110ULL);

	odd_pmd(test, ctx, ODD_WIDE, BIT_ULL(50) + 16, 0);
	KUNIT_EXPECT_EQ(test, odd.reg[ODD_WIDE], 16ULL);
	odd_count(1);
	odd_pmd(test, ctx, ODD_WIDE, 0, 0);
	KUNIT_EXPECT_EQ(test, odd.reg[ODD_WIDE], 0ULL);
	odd_count(5);
	/* One that holds it is not written. */
	odd.writes[ODD_WIDE] = 0;
	pfm_fixture_stop(ctx);
	pfm_fixture_start(ctx);
	odd_pmd(test, ctx, ODD_WIDE, BIT_ULL(48) + 5, 0);
	odd_count(GENMASK_ULL(47, 0));
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, ODD_WIDE), BIT_ULL(49) + 4);
	KUNIT_EXPECT_EQ(test, odd.reg[ODD_WIDE], 4ULL);
	KUNIT_EXPECT_EQ(test, odd.writes[ODD_WIDE], 0U);
}

/* Periods end at their events, those that are longer than the counter is wide, too. */
static void seen_test_periods(struct kunit *test)
{
	struct pfm_context *ctx = test->priv;
	const u64 long_one = BIT_ULL(31) + 100;
	unsigned int i, n = 0;

	odd_pmc(test, ctx, 0, ODD_LEVEL, 1, 0);
	odd_pmd(test, ctx, ODD_LEVEL, -long_one, -100ULL);
	pfm_fixture_load_hw(test, ctx);
	pfm_fixture_in(ctx);
	odd_count(100);
	KUNIT_EXPECT_TRUE(test, odd.interrupt);
	odd_interrupt();
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, ODD_LEVEL), -BIT_ULL(31));
	odd_count(BIT_ULL(31) - 1);
	KUNIT_EXPECT_FALSE(test, odd.interrupt);
	/* As the timer would have it, which never is as late as that. */
	pfm_fixture_value(ctx, 0, ODD_LEVEL);
	odd_count(1);
	KUNIT_EXPECT_TRUE(test, odd.interrupt);
	odd_interrupt();
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, ODD_LEVEL), -100ULL);
	for (i = 0; i < 1050; i++) {
		odd_count(1);
		if (odd.interrupt) {
			odd_interrupt();
			n++;
		}
		if (i % 37 == 0) {
			pfm_fixture_out(ctx);
			pfm_fixture_in(ctx);
		}
	}
	KUNIT_EXPECT_EQ(test, n, 10U);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, ODD_LEVEL), -50ULL);
}

static struct kunit_case seen_cases[] = {
	KUNIT_CASE(seen_test_counts),
	KUNIT_CASE(seen_test_periods),
	{}
};

static struct kunit_suite seen_suite = {
	.name = "perfmon-odd-seen",
	.init = seen_init,
	.exit = odd_exit,
	.test_cases = seen_cases,
};

kunit_test_suites(&odd_suite, &open_suite, &seen_suite);
