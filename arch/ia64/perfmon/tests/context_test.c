// SPDX-License-Identifier: GPL-2.0-only
/*
 * Contexts of the core on a CPU in memory: chapter 5 of the specification, and 6.4.1, with
 * threads, system calls, interrupts and an idle thread. The operations and the core are
 * those of the kernel; what is played here is the hardware, and what Linux does with psr.
 *
 * A context is live on the CPU where the test runs, which stays the same.
 */
#include <linux/preempt.h>
#include <linux/prandom.h>
#include <linux/sched/clock.h>
#include <linux/slab.h>

#include "compat.h"
#include "../../../../kernel/perfmon/tests/fixture.h"
#include "../hooks.h"
#include "regfile.h"

#define USER	8ULL
#define BOTH	9ULL
#define CYCLES	0x1200ULL	/* es of CPU_CYCLES, and of no other thing here */
#define OTHER	0x0800ULL
#define CTR(n)	(n)

#define UP	PFM_IA64_PSR_UP
#define SP	PFM_IA64_PSR_SP
#define PP	PFM_IA64_PSR_PP

static const struct pfm_pmu *itc_pmu, *itc_registered;

static int itc_init_with(struct kunit *test, enum pfm_itc_kind kind)
{
	itc_pmu = pfm_itc_describe(kind);
	itc_registered = pfm_fixture_swap(test, itc_pmu);
	pfm_itc_make(test, kind);
	migrate_disable();
	pfm_fixture_poll_late();
	this_cpu_write(pfm_cpu.credits, 0);
	return 0;
}

static int itc_init(struct kunit *test)
{
	return itc_init_with(test, ITC_ITANIUM2);
}

static void itc_exit(struct kunit *test)
{
	pfm_fixture_disarm();
	migrate_enable();
	pfm_fixture_swap(test, itc_registered);
	pfm_itc_exit(test);
	KUNIT_EXPECT_EQ(test, pfm_itc_faults(), 0U);
}

static struct pfm_context *itc_context(struct kunit *test, u32 flags, unsigned int n)
{
	struct pfm_context *ctx = pfm_fixture_new(flags, NULL);

	KUNIT_ASSERT_FALSE(test, IS_ERR(ctx));
	mutex_lock_nested(&ctx->mutex, n);
	return ctx;
}

static int itc_pmc(struct pfm_context *ctx, u16 set, u16 n, u64 value)
{
	pfarg_pmc_t req = { .reg_num = n, .reg_set = set, .reg_value = value };

	return pfm_fixture_write_pmc(ctx, &req);
}

/* What commands do, in a system call of the thread that runs, or beside it. */

static int itc_event_here(struct pfm_context *ctx, void *what)
{
	pfm_rules_thread(ctx, (unsigned long)what);
	return 0;
}

/* PFM_LOAD_CONTEXT; @t is NULL for a CPU. */
static void itc_load(struct kunit *test, struct pfm_context *ctx, struct pfm_itc_thread *t)
{
	KUNIT_ASSERT_EQ(test, pfm_reserve_hold(ctx, ctx->uses, ctx->programmed), 0);
	pfm_fixture_load(ctx);
	ctx->task = t ? t->task : NULL;
	ctx->own = t == pfm_itc_current();
	if (!t || ctx->own)
		pfm_fixture_in(ctx);
	pfm_reach_call_any(ctx, itc_event_here, (void *)PFM_THREAD_LOAD);
}

static void itc_unload(struct pfm_context *ctx)
{
	pfm_fixture_stop(ctx);
	pfm_reach_call_any(ctx, itc_event_here, (void *)PFM_THREAD_UNLOAD);
	pfm_fixture_free(ctx);
}

/* A context with privileged monitors, whose PMD4 counts cycles; @t is loaded. */
static struct pfm_context *itc_privileged(struct kunit *test, u32 set_flags,
					  struct pfm_itc_thread *t)
{
	struct pfm_context *ctx = itc_context(test, PFM_ITA_FL_PRIV_MONITORS, 0);

	KUNIT_ASSERT_EQ(test, pfm_fixture_set(ctx, 0, set_flags), 0);
	KUNIT_EXPECT_EQ(test, itc_pmc(ctx, 0, CTR(4), CYCLES | BOTH), 0);
	pfm_itc_break();
	itc_load(test, ctx, t);
	pfm_itc_return();
	return ctx;
}

static void itc_start(struct pfm_context *ctx)
{
	pfm_itc_break();
	pfm_fixture_start(ctx);
	pfm_itc_return();
}

static void itc_stop(struct pfm_context *ctx)
{
	pfm_itc_break();
	pfm_fixture_stop(ctx);
	pfm_itc_return();
}

static u64 itc_value(struct pfm_context *ctx, u16 n)
{
	u64 value;

	pfm_itc_break();
	value = pfm_fixture_value(ctx, 0, n);
	pfm_itc_return();
	return value;
}

/* The overflow's interrupt, which no other interrupts. */
static bool itc_pmi(void)
{
	unsigned long flags;
	bool ours;

	local_irq_save(flags);
	pfm_itc_interrupt();
	ours = pfm_interrupt_handle(NULL);
	pfm_itc_rfi();
	local_irq_restore(flags);
	return ours;
}

/* A self-monitoring thread has one, or another thread has. */
static struct pfm_context *itc_thread(struct kunit *test, u32 flags, u64 plm,
				      struct pfm_itc_thread *t)
{
	struct pfm_context *ctx = itc_context(test, flags, 0);

	KUNIT_EXPECT_EQ(test, itc_pmc(ctx, 0, CTR(4), CYCLES | plm), 0);
	pfm_itc_break();
	itc_load(test, ctx, t);
	pfm_itc_return();
	return ctx;
}

/* psr.sp is 0 for a thread that monitors itself: it reads, stops and starts alone (5.3). */
static void itc_test_self(struct kunit *test)
{
	struct pfm_context *ctx = itc_thread(test, 0, USER, pfm_itc_thread(2));
	pfarg_pmd_t pmd = { .reg_num = 4 };

	KUNIT_EXPECT_EQ(test, pfm_itc_psr() & SP, 0ULL);
	pfm_itc_count(0x12, 3);
	KUNIT_EXPECT_EQ(test, pfm_itc_mov_pmd(4), 0ULL);
	itc_start(ctx);
	KUNIT_EXPECT_EQ(test, pfm_itc_psr() & (UP | PP), UP);
	pfm_itc_count(0x12, 10);
	KUNIT_EXPECT_EQ(test, pfm_itc_mov_pmd(4), 10ULL);
	pfm_itc_rum();
	pfm_itc_count(0x12, 100);
	KUNIT_EXPECT_EQ(test, itc_value(ctx, 4), 10ULL);
	pfm_itc_sum();
	pfm_itc_count(0x12, 5);
	KUNIT_EXPECT_EQ(test, itc_value(ctx, 4), 15ULL);

	/* Its counters come and go with it, and are what it makes of them. */
	pfm_itc_break();
	pfm_fixture_out(ctx);
	pfm_fixture_in(ctx);
	pfm_itc_return();
	KUNIT_EXPECT_EQ(test, pfm_itc_mov_pmd(4), 15ULL);
	pfm_itc_count(0x12, 1);
	KUNIT_EXPECT_EQ(test, pfm_itc_mov_pmd(4), 16ULL);
	pfm_itc_break();
	KUNIT_EXPECT_EQ(test, pfm_fixture_write_pmd(ctx, &pmd), 0);
	pfm_itc_return();
	KUNIT_EXPECT_EQ(test, pfm_itc_mov_pmd(4), 0ULL);
	pfm_itc_count(0x12, 15);
	KUNIT_EXPECT_EQ(test, pfm_itc_mov_pmd(4), 15ULL);

	/* Stopped by rum, it is started: PFM_START has it count again, all the same. */
	pfm_itc_rum();
	itc_start(ctx);
	pfm_itc_count(0x12, 6);
	KUNIT_EXPECT_EQ(test, itc_value(ctx, 4), 21ULL);
	itc_stop(ctx);
	KUNIT_EXPECT_EQ(test, pfm_itc_psr() & UP, 0ULL);
	pfm_itc_count(0x12, 100);
	/* A sum without PFM_START counts nothing. */
	pfm_itc_sum();
	pfm_itc_count(0x12, 100);
	KUNIT_EXPECT_EQ(test, itc_value(ctx, 4), 21ULL);
	pfm_itc_break();
	itc_unload(ctx);
	pfm_itc_return();
	KUNIT_EXPECT_EQ(test, pfm_itc_psr() & (SP | UP), SP);
	KUNIT_EXPECT_EQ(test, pfm_itc_mov_pmd(4), 0ULL);
}

/* A thread that another one monitors cannot: psr.sp is 1 (5.3), unless that says so (5.4.1). */
static void itc_test_other(struct kunit *test)
{
	struct pfm_itc_thread *t = pfm_itc_thread(3);
	struct pfm_context *ctx;
	unsigned int insecure;

	for (insecure = 0; insecure < 2; insecure++) {
		pfm_itc_set_current(pfm_itc_thread(2));
		ctx = itc_thread(test, insecure ? PFM_ITA_FL_INSECURE : 0, BOTH, t);
		itc_start(ctx);
		/* The one that gives the command counts nothing, and gets nothing. */
		KUNIT_EXPECT_EQ(test, pfm_itc_psr() & (UP | SP), SP);
		pfm_itc_count(0x12, 1000);
		pfm_itc_break();
		pfm_itc_set_current(t);
		pfm_fixture_in(ctx);
		pfm_itc_count(0x12, 100);
		pfm_itc_return();
		KUNIT_EXPECT_EQ(test, pfm_itc_psr() & (UP | SP), insecure ? UP : UP | SP);
		pfm_itc_count(0x12, 10);
		KUNIT_EXPECT_EQ(test, pfm_itc_mov_pmd(4), insecure ? 110ULL : 0ULL);
		pfm_itc_rum();
		pfm_itc_count(0x12, 1);
		KUNIT_EXPECT_EQ(test, itc_value(ctx, 4), insecure ? 110ULL : 111ULL);
		/* A command that comes by an interrupt is there when that ends. */
		pfm_itc_interrupt();
		pfm_fixture_stop(ctx);
		pfm_itc_rfi();
		KUNIT_EXPECT_EQ(test, pfm_itc_psr() & UP, 0ULL);
		pfm_itc_break();
		pfm_itc_interrupt();
		pfm_fixture_start(ctx);
		pfm_itc_rfi();
		KUNIT_EXPECT_EQ(test, pfm_itc_psr() & UP, UP);
		pfm_itc_count(0x12, 1000);
		pfm_itc_return();
		KUNIT_EXPECT_EQ(test, pfm_itc_psr() & UP, UP);
		KUNIT_EXPECT_EQ(test, itc_value(ctx, 4), insecure ? 1110ULL : 1111ULL);
		pfm_itc_break();
		itc_unload(ctx);
		pfm_itc_return();
		KUNIT_EXPECT_EQ(test, pfm_itc_psr() & (UP | SP), SP);
	}
}

/* A thread that has stopped itself stays so, whatever else happens but PFM_START. */
static void itc_test_stopped_by_itself(struct kunit *test)
{
	struct pfm_context *ctx = itc_thread(test, 0, BOTH, pfm_itc_thread(2));
	pfarg_pmd_t pmd = { .reg_num = 4, .reg_value = -5ULL };
	pfarg_pmc_t pmc = { .reg_num = 4, .reg_value = CYCLES | BOTH,
			    .reg_flags = PFM_REGFL_OVFL_NOTIFY };

	pfm_itc_break();
	KUNIT_EXPECT_EQ(test, pfm_fixture_write_pmc(ctx, &pmc), 0);
	KUNIT_EXPECT_EQ(test, pfm_fixture_write_pmd(ctx, &pmd), 0);
	pfm_itc_return();
	itc_start(ctx);
	pfm_itc_count(0x12, 5);
	KUNIT_EXPECT_TRUE(test, pfm_itc_pending());
	KUNIT_EXPECT_TRUE(test, itc_pmi());
	KUNIT_EXPECT_EQ(test, (int)ctx->state, (int)PFM_MASKED);
	pfm_itc_count(0x12, 100);
	/* Masked, it can stop itself, and PFM_RESTART does not start it. */
	pfm_itc_rum();
	pfm_itc_break();
	KUNIT_EXPECT_EQ(test, pfm_fixture_restart(ctx), 0);
	pfm_itc_return();
	KUNIT_EXPECT_EQ(test, pfm_itc_psr() & UP, 0ULL);
	pfm_itc_count(0x12, 100);
	KUNIT_EXPECT_EQ(test, itc_value(ctx, 4), 0ULL);
	/* It goes and comes; in the kernel it is stopped, too. */
	pfm_itc_break();
	pfm_fixture_out(ctx);
	pfm_fixture_in(ctx);
	pfm_itc_count(0x12, 100);
	pfm_itc_return();
	pfm_itc_count(0x12, 100);
	KUNIT_EXPECT_EQ(test, itc_value(ctx, 4), 0ULL);
	pfm_itc_sum();
	pfm_itc_count(0x12, 7);
	KUNIT_EXPECT_EQ(test, itc_value(ctx, 4), 7ULL);
	pfm_itc_break();
	itc_unload(ctx);
	pfm_itc_return();
}

/* A period ends at its event, at any level, and nothing counts before the interrupt. */
static void itc_test_period(struct kunit *test)
{
	struct pfm_context *ctx = itc_context(test, 0, 0);
	pfarg_pmd_t pmd = { .reg_num = 4, .reg_value = -100ULL,
			    .reg_long_reset = -100ULL, .reg_short_reset = -100ULL };
	unsigned int i, n = 0;

	KUNIT_EXPECT_EQ(test, itc_pmc(ctx, 0, CTR(4), CYCLES | BOTH), 0);
	KUNIT_EXPECT_EQ(test, itc_pmc(ctx, 0, CTR(5), CYCLES | BOTH), 0);
	KUNIT_EXPECT_EQ(test, pfm_fixture_write_pmd(ctx, &pmd), 0);
	pfm_itc_break();
	itc_load(test, ctx, pfm_itc_thread(2));
	pfm_itc_return();
	itc_start(ctx);
	for (i = 0; i < 1050; i++) {
		pfm_itc_count(0x12, 1);
		if (!pfm_itc_pending())
			continue;
		n++;
		/* This comes too soon to be seen: all are frozen. */
		pfm_itc_count(0x12, 1);
		KUNIT_EXPECT_TRUE(test, itc_pmi());
	}
	KUNIT_EXPECT_EQ(test, n, 10U);
	KUNIT_EXPECT_EQ(test, itc_value(ctx, 4), -50ULL);
	KUNIT_EXPECT_EQ(test, itc_value(ctx, 5), 1050ULL);
	/* One that comes when its overflow has been found is known. */
	pfm_itc_count(0x12, 50);
	KUNIT_EXPECT_TRUE(test, pfm_itc_pending());
	KUNIT_EXPECT_EQ(test, itc_value(ctx, 4), -100ULL);
	KUNIT_EXPECT_TRUE(test, itc_pmi());
	KUNIT_EXPECT_EQ(test, itc_value(ctx, 5), 1100ULL);
	pfm_itc_break();
	itc_unload(ctx);
	pfm_itc_return();
}

/* Each thing that can happen on a monitored CPU, and how often it did. */
struct itc_day {
	u64 user, call, intr, epc, kthread, idle, idle_intr;
};

static int itc_turn_here(struct pfm_context *ctx, void *task)
{
	pfm_runstate_next(ctx, pfm_runstate_kind(task), local_clock());
	pfm_rules_switch_to(ctx, task);
	return 0;
}

static void itc_turn(struct pfm_context *ctx, unsigned int n)
{
	pfm_reach_call(ctx, itc_turn_here, pfm_itc_thread(n)->task);
	pfm_itc_set_current(pfm_itc_thread(n));
}

static void itc_happen(u64 *what, u64 n)
{
	pfm_itc_count(0x12, n);
	*what += n;
}

static void itc_interrupt(u64 *what, u64 n)
{
	pfm_itc_interrupt();
	itc_happen(what, n);
	pfm_itc_rfi();
}

/* A thread works, calls, waits; a kernel thread and the idle thread come; all are interrupted. */
static void itc_live(struct pfm_context *ctx, struct itc_day *d)
{
	itc_happen(&d->user, 1);
	itc_interrupt(&d->intr, 2);
	itc_happen(&d->user, 4);
	pfm_itc_break();
	itc_happen(&d->call, 8);
	itc_interrupt(&d->intr, 16);
	itc_turn(ctx, 1);
	itc_happen(&d->kthread, 32);
	itc_interrupt(&d->intr, 64);
	itc_happen(&d->kthread, 128);
	itc_turn(ctx, 0);
	itc_happen(&d->idle, 256);
	itc_interrupt(&d->idle_intr, 512);
	itc_happen(&d->idle, 1024);
	itc_turn(ctx, 2);
	itc_happen(&d->call, 2048);
	pfm_itc_return();
	itc_happen(&d->user, 4096);
	/* A call that is no interruption is the thread's, before and after it waits. */
	pfm_itc_epc();
	itc_happen(&d->epc, 8192);
	itc_interrupt(&d->intr, 16384);
	itc_happen(&d->epc, 32768);
	itc_turn(ctx, 0);
	itc_happen(&d->idle, 65536);
	itc_turn(ctx, 2);
	itc_happen(&d->epc, 131072);
	pfm_itc_return();
	itc_happen(&d->user, 262144);
}

static u64 itc_expect(const struct itc_day *d, u32 flags)
{
	u64 sum = 0;

	if (!(flags & PFM_ITA_SETFL_INTR_ONLY)) {
		sum += d->user + d->epc + d->kthread;
		if (!(flags & PFM_SETFL_EXCL_IDLE))
			sum += d->idle;
	}
	if (!(flags & PFM_ITA_SETFL_EXCL_INTR))
		sum += d->call + d->intr + d->idle_intr;
	return sum;
}

/* What a system-wide context counts by its flags, and that it is privileged (5.2, 5.5). */
static void itc_test_system(struct kunit *test)
{
	static const u32 flags[] = {
		0, PFM_ITA_SETFL_EXCL_INTR, PFM_ITA_SETFL_INTR_ONLY,
		PFM_SETFL_EXCL_IDLE, PFM_SETFL_EXCL_IDLE | PFM_ITA_SETFL_EXCL_INTR,
		PFM_SETFL_EXCL_IDLE | PFM_ITA_SETFL_INTR_ONLY,
	};
	struct pfm_context *ctx;
	struct itc_day d, rest;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(flags); i++) {
		memset(&d, 0, sizeof(d));
		ctx = itc_context(test, PFM_FL_SYSTEM_WIDE, 0);
		KUNIT_ASSERT_EQ(test, pfm_fixture_set(ctx, 0, flags[i]), 0);
		/* pm is 0 here. */
		KUNIT_EXPECT_EQ(test, itc_pmc(ctx, 0, CTR(4), CYCLES | BOTH), 0);
		KUNIT_EXPECT_EQ(test, ctx->set->values[0] & BIT(6), (u64)BIT(6));
		pfm_itc_break();
		itc_load(test, ctx, NULL);
		pfm_itc_return();
		itc_live(ctx, &rest);
		KUNIT_EXPECT_EQ(test, itc_value(ctx, 4), 0ULL);
		itc_start(ctx);
		KUNIT_EXPECT_EQ(test, pfm_itc_dcr() & 1,
				flags[i] & PFM_ITA_SETFL_EXCL_INTR ? 0ULL : 1ULL);
		KUNIT_EXPECT_EQ(test, pfm_itc_psr() & (PP | UP),
				flags[i] & PFM_ITA_SETFL_INTR_ONLY ? 0ULL : PP);
		itc_live(ctx, &d);
		itc_live(ctx, &d);
		itc_stop(ctx);
		KUNIT_EXPECT_EQ(test, pfm_itc_dcr() & 1, 0ULL);
		KUNIT_EXPECT_EQ(test, pfm_itc_psr() & PP, 0ULL);
		itc_live(ctx, &rest);
		KUNIT_EXPECT_EQ_MSG(test, itc_value(ctx, 4), itc_expect(&d, flags[i]),
				    "flags %x", flags[i]);
		/* sp does not matter to privileged monitors, and is 1. */
		KUNIT_EXPECT_EQ(test, pfm_itc_psr() & SP, SP);
		pfm_itc_break();
		itc_unload(ctx);
		pfm_itc_return();
	}
}

/*
 * Neither flag has any influence if all events are of user level only (5.5.1, 5.5.2); with one
 * that is not, INTR_ONLY leaves all of user level out.
 */
static void itc_test_user_events(struct kunit *test)
{
	static const u32 flags[] = { PFM_ITA_SETFL_EXCL_INTR, PFM_ITA_SETFL_INTR_ONLY };
	struct pfm_context *ctx;
	struct itc_day d, more;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(flags); i++) {
		memset(&d, 0, sizeof(d));
		memset(&more, 0, sizeof(more));
		ctx = itc_context(test, PFM_FL_SYSTEM_WIDE, 0);
		KUNIT_ASSERT_EQ(test, pfm_fixture_set(ctx, 0, flags[i]), 0);
		KUNIT_EXPECT_EQ(test, itc_pmc(ctx, 0, CTR(4), CYCLES | USER), 0);
		KUNIT_EXPECT_EQ(test, itc_pmc(ctx, 0, CTR(6), CYCLES | USER), 0);
		pfm_itc_break();
		itc_load(test, ctx, NULL);
		pfm_itc_return();
		itc_start(ctx);
		itc_live(ctx, &d);
		KUNIT_EXPECT_EQ_MSG(test, itc_value(ctx, 4), d.user, "flags %x", flags[i]);
		KUNIT_EXPECT_EQ(test, itc_value(ctx, 6), d.user);
		/* While it counts, one of them gets another level. */
		pfm_itc_break();
		KUNIT_EXPECT_EQ(test, itc_pmc(ctx, 0, CTR(6), CYCLES | BOTH), 0);
		pfm_itc_return();
		itc_live(ctx, &more);
		if (flags[i] == PFM_ITA_SETFL_EXCL_INTR)
			d.user += more.user;
		KUNIT_EXPECT_EQ_MSG(test, itc_value(ctx, 4), d.user, "flags %x", flags[i]);
		pfm_itc_break();
		itc_unload(ctx);
		pfm_itc_return();

		/* A thread's. */
		memset(&d, 0, sizeof(d));
		ctx = itc_context(test, PFM_ITA_FL_PRIV_MONITORS, 0);
		KUNIT_ASSERT_EQ(test, pfm_fixture_set(ctx, 0, flags[i]), 0);
		KUNIT_EXPECT_EQ(test, itc_pmc(ctx, 0, CTR(4), CYCLES | USER), 0);
		pfm_itc_break();
		itc_load(test, ctx, pfm_itc_thread(ITC_USER));
		pfm_itc_return();
		itc_start(ctx);
		itc_happen(&d.user, 1);
		pfm_itc_break();
		itc_happen(&d.call, 2);
		pfm_fixture_out(ctx);
		pfm_fixture_in(ctx);
		pfm_itc_return();
		itc_happen(&d.user, 4);
		itc_interrupt(&d.intr, 8);
		KUNIT_EXPECT_EQ_MSG(test, itc_value(ctx, 4), d.user, "flags %x", flags[i]);
		pfm_itc_break();
		itc_unload(ctx);
		pfm_itc_return();
	}
}

/*
 * A set becomes active in an interrupt of a light-weight system call, which is at level 0: it
 * finds the thread's user level there.
 */
static void itc_test_fsys(struct kunit *test)
{
	static const u32 flags[] = { PFM_ITA_SETFL_EXCL_INTR, PFM_ITA_SETFL_INTR_ONLY };
	struct pfm_context *ctx;
	struct itc_day d;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(flags); i++) {
		memset(&d, 0, sizeof(d));
		ctx = itc_privileged(test, flags[i], pfm_itc_thread(ITC_USER));
		pfm_itc_fsys();
		pfm_itc_interrupt();
		pfm_fixture_start(ctx);
		itc_happen(&d.intr, 1);
		pfm_itc_rfi();
		itc_happen(&d.epc, 2);
		pfm_itc_fsys_return();
		itc_happen(&d.user, 4);
		KUNIT_EXPECT_EQ_MSG(test, itc_value(ctx, 4), itc_expect(&d, flags[i]),
				    "flags %x", flags[i]);
		pfm_itc_break();
		itc_unload(ctx);
		pfm_itc_return();
	}
}

/* A worker of io_uring is a program's thread, and no interruption's part of it. */
static void itc_test_worker(struct kunit *test)
{
	struct pfm_itc_thread *t = pfm_itc_thread(ITC_USER_2);
	struct pfm_context *ctx;
	unsigned int system;

	t->task->flags |= PF_USER_WORKER;
	pfm_itc_new_thread(t);
	for (system = 0; system < 2; system++) {
		ctx = itc_context(test, system ? PFM_FL_SYSTEM_WIDE : PFM_ITA_FL_PRIV_MONITORS, 0);
		KUNIT_ASSERT_EQ(test, pfm_fixture_set(ctx, 0, PFM_ITA_SETFL_EXCL_INTR), 0);
		KUNIT_EXPECT_EQ(test, itc_pmc(ctx, 0, CTR(4), CYCLES | BOTH), 0);
		pfm_itc_break();
		itc_load(test, ctx, system ? NULL : t);
		if (system) {
			pfm_fixture_start(ctx);
			itc_turn(ctx, ITC_USER_2);
		} else {
			pfm_itc_set_current(t);
			pfm_fixture_in(ctx);
			pfm_itc_interrupt();
			pfm_fixture_start(ctx);
			pfm_itc_rfi();
		}
		pfm_itc_count(0x12, 3);
		pfm_itc_interrupt();
		pfm_itc_count(0x12, 100);
		pfm_itc_rfi();
		if (system) {
			itc_turn(ctx, ITC_KTHREAD);
			itc_turn(ctx, ITC_USER_2);
		} else {
			pfm_fixture_out(ctx);
			pfm_fixture_in(ctx);
		}
		pfm_itc_count(0x12, 4);
		KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, 4), 7ULL);
		if (system)
			itc_turn(ctx, ITC_USER);
		itc_unload(ctx);
		pfm_itc_set_current(pfm_itc_thread(ITC_USER));
		pfm_itc_return();
	}
}

/* A set with other flags that becomes active has psr.pp and dcr.pp follow at once. */
static void itc_test_next_set(struct kunit *test)
{
	struct pfm_context *ctx = itc_context(test, PFM_FL_SYSTEM_WIDE, 0);
	struct itc_day first = {}, second = {};

	pfm_fixture_set(ctx, 0, PFM_ITA_SETFL_INTR_ONLY);
	pfm_fixture_set(ctx, 1, PFM_ITA_SETFL_EXCL_INTR);
	KUNIT_EXPECT_EQ(test, itc_pmc(ctx, 0, CTR(4), CYCLES | BOTH), 0);
	KUNIT_EXPECT_EQ(test, itc_pmc(ctx, 1, CTR(4), CYCLES | BOTH), 0);
	pfm_itc_break();
	itc_load(test, ctx, NULL);
	pfm_itc_return();
	itc_start(ctx);
	itc_live(ctx, &first);
	/* As a timer does it, in an interrupt at user level. */
	pfm_itc_interrupt();
	KUNIT_EXPECT_EQ(test, pfm_fixture_start_set(ctx, 1), 0);
	pfm_itc_rfi();
	KUNIT_EXPECT_EQ(test, pfm_itc_psr() & PP, PP);
	itc_live(ctx, &second);
	/* And in one of a system call, whose rest is not the set's any more. */
	pfm_itc_break();
	pfm_itc_interrupt();
	KUNIT_EXPECT_EQ(test, pfm_fixture_start_set(ctx, 0), 0);
	pfm_itc_rfi();
	itc_happen(&first.call, 5);
	pfm_itc_return();
	KUNIT_EXPECT_EQ(test, pfm_itc_psr() & PP, 0ULL);
	itc_live(ctx, &first);
	pfm_itc_break();
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, 4),
			itc_expect(&first, PFM_ITA_SETFL_INTR_ONLY));
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 1, 4),
			itc_expect(&second, PFM_ITA_SETFL_EXCL_INTR));
	itc_unload(ctx);
	pfm_itc_return();
}

/* One thread with privileged monitors (6.4.1). */
static void itc_test_privileged_thread(struct kunit *test)
{
	static const u32 flags[] = { 0, PFM_ITA_SETFL_EXCL_INTR, PFM_ITA_SETFL_INTR_ONLY };
	struct pfm_context *ctx;
	struct itc_day d;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(flags); i++) {
		memset(&d, 0, sizeof(d));
		ctx = itc_privileged(test, flags[i], pfm_itc_thread(2));
		itc_start(ctx);
		KUNIT_EXPECT_EQ(test, pfm_itc_psr() & (PP | UP),
				flags[i] & PFM_ITA_SETFL_INTR_ONLY ? 0ULL : PP);
		itc_happen(&d.user, 1);
		/* It cannot stop these, nor read them, though it monitors itself. */
		pfm_itc_rum();
		itc_happen(&d.user, 2);
		KUNIT_EXPECT_EQ(test, pfm_itc_mov_pmd(4), 0ULL);
		itc_interrupt(&d.intr, 4);
		pfm_itc_break();
		itc_happen(&d.call, 8);
		/* Another thread, without a context. */
		pfm_fixture_out(ctx);
		pfm_itc_set_current(pfm_itc_thread(3));
		pfm_itc_count(0x12, 1000);
		pfm_itc_set_current(pfm_itc_thread(2));
		pfm_fixture_in(ctx);
		itc_happen(&d.call, 16);
		pfm_itc_return();
		pfm_itc_epc();
		itc_happen(&d.epc, 32);
		pfm_fixture_out(ctx);
		pfm_fixture_in(ctx);
		itc_happen(&d.epc, 64);
		pfm_itc_return();
		itc_happen(&d.user, 128);
		KUNIT_EXPECT_EQ_MSG(test, itc_value(ctx, 4), itc_expect(&d, flags[i]),
				    "flags %x", flags[i]);
		pfm_itc_break();
		itc_unload(ctx);
		pfm_itc_return();
		KUNIT_EXPECT_EQ(test, pfm_itc_psr() & (PP | UP), 0ULL);
		KUNIT_EXPECT_FALSE(test, pfm_itc_current()->is_call);
	}
	/* User monitors have neither flag. */
	ctx = itc_context(test, 0, 0);
	KUNIT_EXPECT_EQ(test, pfm_fixture_set(ctx, 0, PFM_ITA_SETFL_EXCL_INTR), -EINVAL);
	KUNIT_EXPECT_EQ(test, pfm_fixture_set(ctx, 1, PFM_ITA_SETFL_INTR_ONLY), -EINVAL);
	pfm_fixture_free(ctx);
}

/* In a system call by epc a thread waits, and is stopped; its next one is by break. */
static void itc_test_call_forgotten(struct kunit *test)
{
	struct pfm_context *ctx = itc_privileged(test, PFM_ITA_SETFL_EXCL_INTR,
						 pfm_itc_thread(2));

	itc_start(ctx);
	pfm_itc_epc();
	pfm_fixture_out(ctx);
	pfm_itc_set_current(pfm_itc_thread(3));
	pfm_fixture_stop(ctx);
	pfm_itc_set_current(pfm_itc_thread(2));
	pfm_fixture_in(ctx);
	pfm_itc_return();
	pfm_itc_break();
	pfm_fixture_start(ctx);
	pfm_itc_count(0x12, 100);
	pfm_itc_return();
	pfm_itc_count(0x12, 1);
	KUNIT_EXPECT_EQ(test, itc_value(ctx, 4), 1ULL);
	pfm_itc_break();
	itc_unload(ctx);
	pfm_itc_return();
}

/* The first context that uses this CPU does so in an interrupt of a system call. */
static void itc_test_first_use(struct kunit *test)
{
	struct pfm_context *ctx = itc_context(test, PFM_ITA_FL_PRIV_MONITORS, 0);

	KUNIT_ASSERT_EQ(test, pfm_fixture_set(ctx, 0, PFM_ITA_SETFL_INTR_ONLY), 0);
	KUNIT_EXPECT_EQ(test, itc_pmc(ctx, 0, CTR(4), CYCLES | BOTH), 0);
	pfm_itc_break();
	pfm_itc_interrupt();
	itc_load(test, ctx, pfm_itc_thread(2));
	pfm_fixture_start(ctx);
	pfm_itc_rfi();
	pfm_itc_count(0x12, 3);
	pfm_itc_return();
	pfm_itc_count(0x12, 100);
	KUNIT_EXPECT_EQ(test, itc_value(ctx, 4), 3ULL);
	pfm_itc_break();
	itc_unload(ctx);
	pfm_itc_return();
}

/* A masked thread comes to a CPU in the kernel, and is restarted from another one. */
static void itc_test_restarted(struct kunit *test)
{
	struct pfm_context *ctx = itc_thread(test, 0, BOTH, pfm_itc_thread(2));
	pfarg_pmd_t pmd = { .reg_num = 4, .reg_value = -5ULL };
	pfarg_pmc_t pmc = { .reg_num = 4, .reg_value = CYCLES | BOTH,
			    .reg_flags = PFM_REGFL_OVFL_NOTIFY };

	pfm_itc_break();
	KUNIT_EXPECT_EQ(test, pfm_fixture_write_pmc(ctx, &pmc), 0);
	KUNIT_EXPECT_EQ(test, pfm_fixture_write_pmd(ctx, &pmd), 0);
	pfm_itc_return();
	itc_start(ctx);
	pfm_itc_count(0x12, 5);
	KUNIT_EXPECT_TRUE(test, itc_pmi());
	KUNIT_EXPECT_EQ(test, (int)ctx->state, (int)PFM_MASKED);
	pfm_itc_break();
	pfm_fixture_out(ctx);
	/* One without a context was there. */
	pfm_itc_set_current(pfm_itc_thread(3));
	pfm_itc_return();
	pfm_itc_break();
	pfm_itc_set_current(pfm_itc_thread(2));
	pfm_fixture_in(ctx);
	pfm_itc_interrupt();
	KUNIT_EXPECT_EQ(test, pfm_fixture_restart(ctx), 0);
	pfm_itc_rfi();
	pfm_itc_count(0x12, 7);
	pfm_itc_return();
	pfm_itc_count(0x12, 10);
	KUNIT_EXPECT_EQ(test, itc_value(ctx, 4), 17ULL);
	pfm_itc_break();
	itc_unload(ctx);
	pfm_itc_return();
}

/* GETINFO_PMCS and PFM_WRITE_PMCS of debug registers (5.6.1, 5.6.3). */
static void itc_test_debug_registers(struct kunit *test)
{
	struct pfm_context *ctx = itc_context(test, 0, 0);
	pfarg_pmc_t req = {
		.reg_num = PFM_ITA_IBR(1), .reg_value = GENMASK_ULL(62, 0),
		.reg_smpl_eventid = 4711,
	};
	pfarg_pmcinfo_t info;
	unsigned int i;

	for (i = 0; i < 16; i++) {
		info = (pfarg_pmcinfo_t){ .reg_num = 256 + i };
		KUNIT_EXPECT_EQ(test, pfm_pmu_getinfo(false, &info), 0);
		KUNIT_EXPECT_EQ(test, (int)info.reg_type,
				i < 8 ? PFM_REG_TYPE_IBR : PFM_REG_TYPE_DBR);
		KUNIT_EXPECT_EQ(test, info.reg_index, (u64)i % 8);
		KUNIT_EXPECT_EQ(test, info.reg_def_value, 0ULL);
	}
	/* Vectors that nobody has registers for are ignored, flags that nobody knows are not. */
	memset(req.reg_smpl_pmds, 0xff, sizeof(req.reg_smpl_pmds));
	memset(req.reg_reset_pmds, 0xff, sizeof(req.reg_reset_pmds));
	KUNIT_EXPECT_EQ(test, pfm_fixture_write_pmc(ctx, &req), 0);
	KUNIT_EXPECT_EQ(test, ctx->set->values[pfm_pmu_find_pmc(257)], GENMASK_ULL(59, 0));
	req.reg_flags = BIT(10);
	KUNIT_EXPECT_EQ(test, pfm_fixture_write_pmc(ctx, &req), -EINVAL);
	KUNIT_EXPECT_EQ(test, itc_pmc(ctx, 0, PFM_ITA_IBR(3), BIT_ULL(63)), -EINVAL);
	KUNIT_EXPECT_EQ(test, itc_pmc(ctx, 0, PFM_ITA_DBR(5), BIT_ULL(62)), -EINVAL);
	KUNIT_EXPECT_EQ(test, itc_pmc(ctx, 0, PFM_ITA_DBR(7), BIT_ULL(63)), -EINVAL);
	KUNIT_EXPECT_EQ(test, itc_pmc(ctx, 0, PFM_ITA_DBR(6), ~0ULL), 0);
	pfm_fixture_free(ctx);
}

/* Ranges and debuggers: each waits for the other; all eight are written (5.6.2). */
static void itc_test_debuggers(struct kunit *test)
{
	struct pfm_context *ctx;
	unsigned int i, system;

	for (system = 0; system < 2; system++) {
		ctx = itc_context(test, system ? PFM_FL_SYSTEM_WIDE : 0, 0);
		for (i = 0; i < 8; i++) {
			pfm_itc_set(PFM_IA64_IBRS, i, 0xdead);
			pfm_itc_set(PFM_IA64_DBRS, i, 0xbeef);
		}
		KUNIT_EXPECT_EQ(test, itc_pmc(ctx, 0, CTR(4), CYCLES | BOTH), 0);
		KUNIT_EXPECT_EQ(test, itc_pmc(ctx, 0, PFM_ITA_IBR(2), 0x4000), 0);
		KUNIT_ASSERT_TRUE(test, pfm_debug_begin());
		KUNIT_EXPECT_EQ(test, pfm_reserve_hold(ctx, ctx->uses, ctx->programmed), -EBUSY);
		pfm_debug_end();
		pfm_itc_break();
		itc_load(test, ctx, system ? NULL : pfm_itc_thread(2));
		pfm_itc_ranges(true);
		pfm_itc_return();
		KUNIT_EXPECT_FALSE(test, pfm_debug_begin());
		itc_start(ctx);
		KUNIT_EXPECT_EQ(test, pfm_itc_get(PFM_IA64_IBRS, 2), 0x4000ULL);
		/* What is not looked at is not written. */
		KUNIT_EXPECT_EQ(test, pfm_itc_get(PFM_IA64_IBRS, 3), 0xdeadULL);
		/* PMC14: the second pair. */
		pfm_itc_break();
		KUNIT_EXPECT_EQ(test, itc_pmc(ctx, 0, 14, 0x0db60db60db60da6ULL), 0);
		for (i = 0; i < 8; i++) {
			KUNIT_EXPECT_EQ(test, pfm_itc_get(PFM_IA64_IBRS, i),
					i == 2 ? 0x4000ULL : 0ULL);
			KUNIT_EXPECT_EQ(test, pfm_itc_get(PFM_IA64_DBRS, i), 0xbeefULL);
		}
		/* PMC13. */
		KUNIT_EXPECT_EQ(test, itc_pmc(ctx, 0, 13, 0x2078fefefee6ULL), 0);
		for (i = 0; i < 8; i++)
			KUNIT_EXPECT_EQ(test, pfm_itc_get(PFM_IA64_DBRS, i), 0ULL);
		itc_unload(ctx);
		pfm_itc_return();
		pfm_itc_ranges(false);

		/* A loaded context without any, while a thread is debugged, and after. */
		KUNIT_EXPECT_TRUE(test, pfm_debug_begin());
		ctx = itc_context(test, system ? PFM_FL_SYSTEM_WIDE : 0, 0);
		KUNIT_EXPECT_EQ(test, itc_pmc(ctx, 0, CTR(4), CYCLES | BOTH), 0);
		pfm_itc_break();
		itc_load(test, ctx, system ? NULL : pfm_itc_thread(2));
		KUNIT_EXPECT_EQ(test, itc_pmc(ctx, 0, PFM_ITA_DBR(0), 1), -EBUSY);
		KUNIT_EXPECT_EQ(test, itc_pmc(ctx, 0, 14, 0x0db60db60db60da6ULL), -EBUSY);
		pfm_debug_end();
		pfm_itc_ranges(true);
		KUNIT_EXPECT_EQ(test, itc_pmc(ctx, 0, PFM_ITA_DBR(0), 1), 0);
		KUNIT_EXPECT_FALSE(test, pfm_debug_begin());
		itc_unload(ctx);
		pfm_itc_return();
		pfm_itc_ranges(false);
	}
}

/* Debug registers of both kinds in one set. */
static void itc_test_debug_order(struct kunit *test)
{
	struct pfm_context *ctx = itc_context(test, 0, 0);
	unsigned int i;

	KUNIT_EXPECT_EQ(test, itc_pmc(ctx, 0, CTR(4), CYCLES | BOTH), 0);
	for (i = 0; i < 16; i++)
		KUNIT_EXPECT_EQ(test, itc_pmc(ctx, 0, 256 + i, i + 1), 0);
	pfm_itc_break();
	pfm_itc_ranges(true);
	itc_load(test, ctx, pfm_itc_thread(2));
	pfm_fixture_start(ctx);
	for (i = 0; i < 8; i++) {
		KUNIT_EXPECT_EQ(test, pfm_itc_get(PFM_IA64_IBRS, i), i + 1ULL);
		KUNIT_EXPECT_EQ(test, pfm_itc_get(PFM_IA64_DBRS, i), i + 9ULL);
	}
	itc_unload(ctx);
	pfm_itc_return();
	pfm_itc_ranges(false);
}

/* What a handler starts or stops ends with it, unless it writes sc_um (5.7). */
static void itc_test_signal(struct kunit *test)
{
	struct pfm_context *ctx = itc_thread(test, 0, USER, pfm_itc_thread(2));
	struct { unsigned long sc_um; } sc = {};

	pfm_itc_signal();
	itc_start(ctx);
	pfm_itc_count(0x12, 1);
	pfm_itc_sigreturn();
	pfm_itc_count(0x12, 10);
	KUNIT_EXPECT_EQ(test, itc_value(ctx, 4), 1ULL);

	pfm_itc_signal();
	itc_start(ctx);
	sc.sc_um = pfm_itc_current()->um;
	PFM_ITA_SC_START(&sc);
	pfm_itc_current()->um = sc.sc_um;
	pfm_itc_sigreturn();
	pfm_itc_count(0x12, 100);
	KUNIT_EXPECT_EQ(test, itc_value(ctx, 4), 101ULL);

	pfm_itc_signal();
	itc_stop(ctx);
	sc.sc_um = pfm_itc_current()->um;
	PFM_ITA_SC_STOP(&sc);
	pfm_itc_current()->um = sc.sc_um;
	pfm_itc_sigreturn();
	KUNIT_EXPECT_EQ(test, pfm_itc_psr() & UP, 0ULL);
	pfm_itc_break();
	itc_unload(ctx);
	pfm_itc_return();
}

/* Address registers and the branch buffer are a thread's, as counters are. */
static void itc_test_buffers(struct kunit *test)
{
	struct pfm_context *a = itc_context(test, 0, 0), *b = itc_context(test, 0, 1);
	struct pfm_itc_thread *t = pfm_itc_thread(2), *u = pfm_itc_thread(3);

	KUNIT_EXPECT_EQ(test, itc_pmc(a, 0, 12, USER | 0x300), 0);
	KUNIT_EXPECT_EQ(test, itc_pmc(b, 0, 12, USER | 0x300), 0);
	KUNIT_EXPECT_EQ(test, itc_pmc(b, 0, 10, USER), 0);
	/* Privileged or not, by its own place. */
	KUNIT_EXPECT_EQ(test, b->set->values[10 - 4], USER);
	pfm_itc_break();
	itc_load(test, a, t);
	pfm_fixture_start(a);
	pfm_itc_set(PFM_IA64_PMDS, 8, 0x1234);
	pfm_itc_set(PFM_IA64_PMDS, 16, 3);
	pfm_fixture_out(a);
	pfm_itc_set_current(u);
	itc_load(test, b, u);
	pfm_fixture_start(b);
	/* Nothing of the other one's is there. */
	KUNIT_EXPECT_EQ(test, pfm_itc_get(PFM_IA64_PMDS, 8), 0ULL);
	KUNIT_EXPECT_EQ(test, pfm_itc_get(PFM_IA64_PMDS, 16), 0ULL);
	pfm_itc_set(PFM_IA64_PMDS, 16, 7);
	pfm_itc_set(PFM_IA64_PMDS, 0, 0x77);
	pfm_fixture_out(b);
	pfm_itc_set_current(t);
	pfm_fixture_in(a);
	KUNIT_EXPECT_EQ(test, pfm_itc_get(PFM_IA64_PMDS, 8), 0x1234ULL);
	KUNIT_EXPECT_EQ(test, pfm_itc_get(PFM_IA64_PMDS, 16), 3ULL);
	KUNIT_EXPECT_EQ(test, pfm_itc_get(PFM_IA64_PMDS, 0), 0ULL);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(b, 0, 0), 0x77ULL);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(b, 0, 16), 7ULL);
	itc_unload(b);
	itc_unload(a);
	pfm_itc_return();
}

/*
 * Two threads with a counter of their own, switched, called and interrupted at random, one
 * of which can use the PMU by itself: every event is counted once, for its thread, and
 * neither sees what is the other's.
 */
static void itc_test_two_threads(struct kunit *test)
{
	struct pfm_context *ctx[2] = { itc_context(test, 0, 0), itc_context(test, 0, 1) };
	pfarg_pmd_t pmd = { .reg_num = 4, .reg_value = -50ULL,
			    .reg_long_reset = -50ULL, .reg_short_reset = -50ULL };
	u64 counted[2] = {}, lost = 0, total = 0;
	struct rnd_state rnd;
	unsigned int i, me = 0, n;

	prandom_seed_state(&rnd, 4711);
	/* The first samples, too. */
	KUNIT_EXPECT_EQ(test, itc_pmc(ctx[0], 0, 4, OTHER | BOTH), 0);
	KUNIT_EXPECT_EQ(test, pfm_fixture_write_pmd(ctx[0], &pmd), 0);
	KUNIT_EXPECT_EQ(test, itc_pmc(ctx[0], 0, 5, CYCLES | BOTH), 0);
	KUNIT_EXPECT_EQ(test, itc_pmc(ctx[1], 0, 6, CYCLES | BOTH), 0);
	pfm_itc_break();
	itc_load(test, ctx[0], pfm_itc_thread(2));
	itc_load(test, ctx[1], pfm_itc_thread(3));
	pfm_fixture_start(ctx[0]);
	pfm_fixture_start(ctx[1]);
	pfm_itc_return();
	for (i = 0; i < 5000 && test->status == KUNIT_SUCCESS; i++) {
		n = prandom_u32_state(&rnd) % 20;
		pfm_itc_count(0x12, n);
		counted[me] += n;
		total += n;
		/* 50 of these are a period. */
		pfm_itc_count(0x08, n / 4);
		switch (prandom_u32_state(&rnd) % 8) {
		case 0:
			/* Another thread comes; sometimes before the interrupt is taken. */
			pfm_itc_break();
			pfm_fixture_out(ctx[me]);
			me = !me;
			pfm_itc_set_current(pfm_itc_thread(2 + me));
			pfm_fixture_in(ctx[me]);
			pfm_itc_return();
			break;
		case 1:
			/* A debugger comes and goes: nobody has ranges. */
			KUNIT_EXPECT_TRUE(test, pfm_debug_begin());
			pfm_debug_end();
			break;
		case 2:
			itc_value(ctx[me], 5 + me);
			break;
		}
		if (pfm_itc_pending()) {
			KUNIT_EXPECT_TRUE(test, itc_pmi());
		} else if (pfm_itc_get(PFM_IA64_PMCS, 0) & 1) {
			lost++;
		}
		KUNIT_EXPECT_EQ(test, pfm_itc_mov_pmd(me ? 5 : 6), 0ULL);
		KUNIT_EXPECT_EQ(test, pfm_itc_mov_pmd(6), 0ULL);
		KUNIT_EXPECT_EQ(test, !(pfm_itc_psr() & SP), !me);
	}
	KUNIT_EXPECT_EQ(test, lost, 0ULL);
	pfm_itc_break();
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx[0], 0, 5), counted[0]);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx[1], 0, 6), counted[1]);
	KUNIT_EXPECT_EQ(test, counted[0] + counted[1], total);
	itc_unload(ctx[1]);
	itc_unload(ctx[0]);
	pfm_itc_return();
}

static struct kunit_case itc_cases[] = {
	KUNIT_CASE(itc_test_self),
	KUNIT_CASE(itc_test_other),
	KUNIT_CASE(itc_test_stopped_by_itself),
	KUNIT_CASE(itc_test_period),
	KUNIT_CASE(itc_test_system),
	KUNIT_CASE(itc_test_user_events),
	KUNIT_CASE(itc_test_fsys),
	KUNIT_CASE(itc_test_worker),
	KUNIT_CASE(itc_test_next_set),
	KUNIT_CASE(itc_test_privileged_thread),
	KUNIT_CASE(itc_test_call_forgotten),
	KUNIT_CASE(itc_test_first_use),
	KUNIT_CASE(itc_test_restarted),
	KUNIT_CASE(itc_test_debug_registers),
	KUNIT_CASE(itc_test_debuggers),
	KUNIT_CASE(itc_test_debug_order),
	KUNIT_CASE(itc_test_signal),
	KUNIT_CASE(itc_test_buffers),
	KUNIT_CASE(itc_test_two_threads),
	{}
};

static struct kunit_suite itc_suite = {
	.name = "perfmon-ia64-contexts",
	.init = itc_init,
	.exit = itc_exit,
	.test_cases = itc_cases,
};
kunit_test_suite(itc_suite);
