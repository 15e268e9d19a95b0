// SPDX-License-Identifier: GPL-2.0-only
#include <linux/sched/clock.h>

#include "../setswitch.h"
#include "../timer.h"
#include "fixture.h"

const struct pfm_pmu *pfm_fixture_swap(struct kunit *test,
				       const struct pfm_pmu *pmu)
{
	const struct pfm_pmu *old = pfm_pmu_hardware();

	if (old)
		pfm_pmu_unregister(old);
	if (pmu)
		KUNIT_EXPECT_EQ(test, pfm_pmu_register(pmu), 0);
	return old;
}

u64 pfm_fixture_poll_late(void)
{
	u64 poll = pfm_regmap.poll;

	pfm_fixture_disarm();
	pfm_regmap.poll = 3600ULL * NSEC_PER_SEC;
	return poll;
}

void pfm_fixture_disarm(void)
{
	pfm_timer_cancel(smp_processor_id());
}

struct pfm_context *pfm_fixture_new(u32 flags, struct pfm_format *format)
{
	struct pfm_context *ctx = pfm_context_new(flags, format);

	if (!IS_ERR(ctx))
		pfm_notify_init(ctx);
	return ctx;
}

/* What these tests count is software's; registers are numbered accordingly. */
static const struct pfm_pmu *pfm_fixture_real;

int pfm_fixture_init(struct kunit *test)
{
	struct pfm_context *ctx;

	pfm_fixture_real = pfm_fixture_swap(test, NULL);
	ctx = pfm_fixture_new(0, NULL);
	if (IS_ERR(ctx)) {
		pfm_fixture_swap(test, pfm_fixture_real);
		return PTR_ERR(ctx);
	}
	mutex_lock(&ctx->mutex);
	test->priv = ctx;
	return 0;
}

void pfm_fixture_exit(struct kunit *test)
{
	struct pfm_context *ctx = test->priv;

	ctx->state = PFM_UNLOADED;
	ctx->task = NULL;
	mutex_unlock(&ctx->mutex);
	irq_work_sync(&ctx->notify_work);
	pfm_context_close(ctx);
	pfm_fixture_swap(test, pfm_fixture_real);
}

void pfm_fixture_load(struct pfm_context *ctx)
{
	unsigned long flags;

	pfm_set_link(ctx);
	raw_spin_lock_irqsave(&ctx->lock, flags);
	ctx->task = current;
	ctx->load++;
	pfm_setswitch_load(ctx, pfm_set_find(ctx, 0));
	ctx->state = PFM_LOADED;
	raw_spin_unlock_irqrestore(&ctx->lock, flags);
}

int pfm_fixture_set(struct pfm_context *ctx, u16 id, u32 flags)
{
	pfarg_setdesc_t desc = {
		.set_id = id,
		.set_flags = flags,
		.set_timeout = { .tv_sec = 1 },
	};

	return pfm_set_create(ctx, &desc);
}

int pfm_fixture_write_pmc(struct pfm_context *ctx, pfarg_pmc_t *req)
{
	struct pfm_vector v = { .elem = req, .n = 1 };

	return pfm_regs_write_pmcs(ctx, &v);
}

int pfm_fixture_pmc(struct pfm_context *ctx, unsigned int n, unsigned int event,
		    u32 flags, u64 reset_vec)
{
	pfarg_pmc_t req = {
		.reg_num = PFM_SW_PMC0 + (n & 7),
		.reg_set = n >> 3,
		.reg_value = event,
		.reg_flags = flags,
	};

	/* PMD 288 is bit 32 of the last word. */
	req.reg_reset_pmds[4] = reset_vec << 32;
	return pfm_fixture_write_pmc(ctx, &req);
}

int pfm_fixture_write_pmd(struct pfm_context *ctx, pfarg_pmd_t *req)
{
	struct pfm_vector v = { .elem = req, .n = 1 };

	return pfm_regs_write_pmds(ctx, &v);
}

int pfm_fixture_trigger(struct pfm_context *ctx, unsigned int n, u64 value,
			u64 long_reset, u64 short_reset, u64 thres)
{
	pfarg_pmd_t req = {
		.reg_num = PFM_SW_PMD0 + (n & 7),
		.reg_set = n >> 3,
		.reg_value = value,
		.reg_long_reset = long_reset,
		.reg_short_reset = short_reset,
		.reg_ovflsw_thres = thres,
	};

	return pfm_fixture_write_pmd(ctx, &req);
}

int pfm_fixture_read_pmd(struct pfm_context *ctx, pfarg_pmd_t *req)
{
	struct pfm_vector v = { .elem = req, .n = 1 };

	return pfm_regs_read_pmds(ctx, &v);
}

int pfm_fixture_getinfo(struct pfm_context *ctx, pfarg_setinfo_t *info)
{
	struct pfm_vector v = { .elem = info, .n = 1 };

	return pfm_set_getinfo(ctx, &v);
}

int pfm_fixture_pmd(struct pfm_context *ctx, unsigned int n, u64 value,
		    u64 long_reset, u64 short_reset)
{
	return pfm_fixture_trigger(ctx, n, value, long_reset, short_reset, 0);
}

u64 pfm_fixture_read(struct pfm_context *ctx, unsigned int n)
{
	pfarg_pmd_t req = {
		.reg_num = PFM_SW_PMD0 + (n & 7),
		.reg_set = n >> 3,
	};

	return pfm_fixture_read_pmd(ctx, &req) ? 0xdeadbeef : req.reg_value;
}

void pfm_fixture_start(struct pfm_context *ctx)
{
	pfm_control_start(ctx, NULL);
}

static int pfm_fixture_start_set_here(struct pfm_context *ctx, void *arg)
{
	return pfm_setswitch_start(ctx, (unsigned long)arg);
}

int pfm_fixture_start_set(struct pfm_context *ctx, u16 id)
{
	return pfm_reach_call(ctx, pfm_fixture_start_set_here,
				(void *)(unsigned long)id);
}

void pfm_fixture_stop(struct pfm_context *ctx)
{
	pfm_control_stop(ctx);
}

static int pfm_fixture_expired_here(struct pfm_context *ctx, void *unused)
{
	return pfm_setswitch_expired(ctx, local_clock());
}

bool pfm_fixture_expired(struct pfm_context *ctx)
{
	return pfm_reach_call(ctx, pfm_fixture_expired_here, NULL);
}

int pfm_fixture_restart(struct pfm_context *ctx)
{
	return pfm_control_restart(ctx);
}

static int pfm_fixture_happen(struct pfm_context *ctx, void *arg)
{
	if (pfm_runstate_counting(ctx))
		pfm_runstate_sync(ctx, ctx->set->sw[(unsigned long)arg]);
	return 0;
}

void pfm_fixture_faults(struct pfm_context *ctx, unsigned int n)
{
	while (n--) {
		current->min_flt++;
		pfm_reach_call(ctx, pfm_fixture_happen, (void *)PFM_SW_MINOR_FAULTS);
	}
}

void pfm_fixture_majors(struct pfm_context *ctx, unsigned int n)
{
	while (n--) {
		current->maj_flt++;
		pfm_reach_call(ctx, pfm_fixture_happen, (void *)PFM_SW_MAJOR_FAULTS);
	}
}

u64 pfm_fixture_value(struct pfm_context *ctx, u16 set, u16 n)
{
	pfarg_pmd_t req = { .reg_num = n, .reg_set = set };

	return pfm_fixture_read_pmd(ctx, &req) ? 0xdeadbeef : req.reg_value;
}

void pfm_fixture_in(struct pfm_context *ctx)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&ctx->lock, flags);
	pfm_runstate_in(ctx, local_clock());
	raw_spin_unlock_irqrestore(&ctx->lock, flags);
}

void pfm_fixture_out(struct pfm_context *ctx)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&ctx->lock, flags);
	if (pfm_is_system(ctx))
		pfm_sched_unwant();
	pfm_runstate_out(ctx, local_clock());
	raw_spin_unlock_irqrestore(&ctx->lock, flags);
}

const unsigned long pfm_fixture_none[BITS_TO_LONGS(PFM_PMCS_MAX)];

struct pfm_context *pfm_fixture_context(struct kunit *test, unsigned int n)
{
	struct pfm_context *ctx = pfm_fixture_new(0, NULL);

	KUNIT_ASSERT_FALSE(test, IS_ERR(ctx));
	mutex_lock_nested(&ctx->mutex, n);
	return ctx;
}

void pfm_fixture_load_hw(struct kunit *test, struct pfm_context *ctx)
{
	KUNIT_ASSERT_EQ(test, pfm_reserve_hold(ctx, PFM_HOLD_PMU, ctx->programmed), 0);
	pfm_fixture_load(ctx);
	pfm_fixture_start(ctx);
}

void pfm_fixture_free(struct pfm_context *ctx)
{
	if (ctx->cpu >= 0)
		pfm_fixture_out(ctx);
	irq_work_sync(this_cpu_ptr(&pfm_cpu.work));
	ctx->state = PFM_UNLOADED;
	ctx->task = NULL;
	pfm_reserve_yield(ctx);
	mutex_unlock(&ctx->mutex);
	irq_work_sync(&ctx->notify_work);
	pfm_context_close(ctx);
}
