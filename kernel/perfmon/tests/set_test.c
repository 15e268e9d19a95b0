// SPDX-License-Identifier: GPL-2.0-only
#include <linux/hrtimer.h>
#include <linux/slab.h>

#include "fixture.h"

static int pfm_set_test_modify(struct kunit *test, u32 flags, s64 sec, s64 nsec,
			       pfarg_setdesc_t *out)
{
	pfarg_setdesc_t desc = {
		.set_flags = flags,
		.set_timeout = { sec, nsec },
	};
	int ret = pfm_set_create(test->priv, &desc);

	if (out)
		*out = desc;
	return ret;
}

static void pfm_set_test_flags(struct kunit *test)
{
	pfarg_setdesc_t desc;
	unsigned int bit;

	for (bit = 0; bit < 29; bit++) {
		int want = bit == 0 || bit == 2 || bit == 3 ? 0 : -EINVAL;

		/* TIME_SWITCH, bit 1, wants a time-out, which is 0 here. */
		KUNIT_EXPECT_EQ_MSG(test, pfm_set_test_modify(test, BIT(bit), 0, 0, &desc),
				    want, "bit %u", bit);
		KUNIT_EXPECT_EQ(test, PFM_SET_HAS_ERROR(desc.set_flags), want != 0);
	}
	KUNIT_EXPECT_EQ(test, pfm_set_test_modify(test, PFM_SETFL_TIME_SWITCH |
						  PFM_SETFL_OVFL_SWITCH, 1, 0, NULL),
			-EINVAL);
	/* What the kernel said last time is no flag. */
	KUNIT_EXPECT_EQ(test, pfm_set_test_modify(test, PFM_SET_RETFL_EINVAL, 0, 0, &desc), 0);
	KUNIT_EXPECT_EQ(test, desc.set_flags, 0U);
}

static void pfm_set_test_timeout(struct kunit *test)
{
	const u32 time = PFM_SETFL_TIME_SWITCH;
	pfarg_setdesc_t desc;

	KUNIT_EXPECT_EQ(test, pfm_set_test_modify(test, time, 0, 0, NULL), -EINVAL);
	KUNIT_EXPECT_EQ(test, pfm_set_test_modify(test, time, -1, 0, NULL), -EINVAL);
	KUNIT_EXPECT_EQ(test, pfm_set_test_modify(test, time, 0, -1, NULL), -EINVAL);
	KUNIT_EXPECT_EQ(test, pfm_set_test_modify(test, time, 0, NSEC_PER_SEC, NULL), -EINVAL);
	KUNIT_EXPECT_EQ(test, pfm_set_test_modify(test, time, 1, 0x100000005LL, NULL), -EINVAL);

	/* Rounded up: to the lower bound, and to the resolution. */
	KUNIT_EXPECT_EQ(test, pfm_set_test_modify(test, time, 0, 1, &desc), 0);
	KUNIT_EXPECT_GE(test, desc.set_timeout.tv_nsec, 10000LL);
	KUNIT_EXPECT_EQ(test, pfm_set_test_modify(test, time, 2, 12345677, &desc), 0);
	KUNIT_EXPECT_GE(test, desc.set_timeout.tv_nsec, 12345677LL);
	KUNIT_EXPECT_LT(test, desc.set_timeout.tv_nsec, 12345677LL + hrtimer_resolution);
	KUNIT_EXPECT_EQ(test, desc.set_timeout.tv_sec, 2LL);

	/* Beyond what nanoseconds hold. */
	KUNIT_EXPECT_EQ(test, pfm_set_test_modify(test, time, S64_MAX, 999999999, &desc), 0);
	KUNIT_EXPECT_GT(test, desc.set_timeout.tv_sec, 9000000000LL);
}

/*
 * Figure 3.35: timers that come with a tick of 10 ms. The kernel's timers do not look at
 * this; without high resolution it is a constant.
 */
static void pfm_set_test_coarse(struct kunit *test)
{
	pfarg_setdesc_t low, exact;
	s64 tick;

#ifdef CONFIG_HIGH_RES_TIMERS
	const unsigned int real = hrtimer_resolution;

	hrtimer_resolution = 10 * NSEC_PER_MSEC;
#endif
	tick = hrtimer_resolution;
	pfm_set_test_modify(test, PFM_SETFL_TIME_SWITCH, 0, tick + tick / 2, &low);
	pfm_set_test_modify(test, PFM_SETFL_TIME_SWITCH, 0, 2 * tick, &exact);
#ifdef CONFIG_HIGH_RES_TIMERS
	hrtimer_resolution = real;
#endif
	KUNIT_EXPECT_EQ(test, low.set_timeout.tv_nsec, 2 * tick);
	KUNIT_EXPECT_EQ(test, exact.set_timeout.tv_nsec, 2 * tick);
}

static void pfm_set_test_delete(struct kunit *test)
{
	pfarg_setdesc_t desc = { .set_id = 0 };

	KUNIT_EXPECT_EQ(test, pfm_set_delete(test->priv, &desc), -EINVAL);
	KUNIT_EXPECT_EQ(test, desc.set_flags, PFM_SET_RETFL_EINVAL);
	desc = (pfarg_setdesc_t){ .set_id = 9 };
	KUNIT_EXPECT_EQ(test, pfm_set_delete(test->priv, &desc), -EINVAL);
	KUNIT_EXPECT_EQ(test, desc.set_flags, PFM_SET_RETFL_NOSET);
	KUNIT_EXPECT_NOT_NULL(test, pfm_set_find(test->priv, 0));
}

/* Of an id beyond the last: nothing, not the last. */
static void pfm_set_test_getinfo(struct kunit *test)
{
	pfarg_setinfo_t info = { .set_id = 65535 };

	KUNIT_EXPECT_EQ(test, pfm_fixture_getinfo(test->priv, &info), -EINVAL);
	KUNIT_EXPECT_EQ(test, info.set_flags, PFM_SET_RETFL_NOSET);

	KUNIT_EXPECT_EQ(test, pfm_set_test_modify(test, PFM_SETFL_TIME_SWITCH, 3, 0, NULL), 0);
	memset(&info, 0x5a, sizeof(info));
	info.set_id = 0;
	info.set_flags = 0;
	KUNIT_EXPECT_EQ(test, pfm_fixture_getinfo(test->priv, &info), 0);
	KUNIT_EXPECT_EQ(test, info.set_flags, (u32)PFM_SETFL_TIME_SWITCH);
	KUNIT_EXPECT_EQ(test, info.set_timeout.tv_sec, 3LL);
	KUNIT_EXPECT_EQ(test, info.set_runs, 0ULL);
	KUNIT_EXPECT_EQ(test, info.set_id_next, (u16)0);
	KUNIT_EXPECT_PTR_EQ(test, memchr_inv(info.set_switch_pmds, 0,
					     sizeof(info.set_switch_pmds)), NULL);
}

static void pfm_set_test_chain(struct kunit *test)
{
	pfarg_setdesc_t desc = { .set_flags = PFM_SETFL_EXPL_NEXT, .set_id_next = 4 };

	KUNIT_EXPECT_EQ(test, pfm_set_link(test->priv), 0);
	KUNIT_EXPECT_EQ(test, pfm_set_create(test->priv, &desc), 0);
	KUNIT_EXPECT_EQ(test, pfm_set_link(test->priv), -EINVAL);
	desc.set_id_next = 0;
	KUNIT_EXPECT_EQ(test, pfm_set_create(test->priv, &desc), 0);
	KUNIT_EXPECT_EQ(test, pfm_set_link(test->priv), 0);
}

static int pfm_set_test_add(struct kunit *test, u16 id, int next)
{
	pfarg_setdesc_t desc = { .set_id = id };

	if (next >= 0) {
		desc.set_flags = PFM_SETFL_EXPL_NEXT;
		desc.set_id_next = next;
	}
	return pfm_set_create(test->priv, &desc);
}

static int pfm_set_test_next(struct kunit *test, u16 id)
{
	struct pfm_set *set = pfm_set_find(test->priv, id);

	return set ? set->next->id : -1;
}

/* Figures 3.33 and 3.34: in order of number, round robin, but for links. */
static void pfm_set_test_order(struct kunit *test)
{
	pfarg_setdesc_t desc = { .set_id = 8 };

	KUNIT_ASSERT_EQ(test, pfm_set_test_add(test, 65535, 8), 0);
	KUNIT_ASSERT_EQ(test, pfm_set_test_add(test, 5, 0), 0);
	KUNIT_ASSERT_EQ(test, pfm_set_test_add(test, 3, -1), 0);
	KUNIT_ASSERT_EQ(test, pfm_set_test_add(test, 9, -1), 0);
	KUNIT_EXPECT_EQ(test, pfm_set_link(test->priv), -EINVAL);
	KUNIT_ASSERT_EQ(test, pfm_set_test_add(test, 8, -1), 0);
	KUNIT_ASSERT_EQ(test, pfm_set_link(test->priv), 0);
	KUNIT_EXPECT_EQ(test, pfm_set_test_next(test, 0), 3);
	KUNIT_EXPECT_EQ(test, pfm_set_test_next(test, 3), 5);
	KUNIT_EXPECT_EQ(test, pfm_set_test_next(test, 5), 0);
	KUNIT_EXPECT_EQ(test, pfm_set_test_next(test, 8), 9);
	KUNIT_EXPECT_EQ(test, pfm_set_test_next(test, 9), 65535);
	KUNIT_EXPECT_EQ(test, pfm_set_test_next(test, 65535), 8);

	/* No set may keep a successor that was deleted. */
	KUNIT_ASSERT_EQ(test, pfm_set_delete(test->priv, &desc), 0);
	KUNIT_EXPECT_EQ(test, pfm_set_link(test->priv), -EINVAL);
	KUNIT_ASSERT_EQ(test, pfm_set_test_add(test, 65535, -1), 0);
	KUNIT_ASSERT_EQ(test, pfm_set_link(test->priv), 0);
	KUNIT_EXPECT_EQ(test, pfm_set_test_next(test, 9), 65535);
	KUNIT_EXPECT_EQ(test, pfm_set_test_next(test, 65535), 0);
}

/* At the administrator's limit nothing is lost, and what is given back can be had. */
static void pfm_set_test_limit(struct kunit *test)
{
	struct pfm_context *ctx = test->priv;
	u64 saved = pfm_config.set_mem_max, one = pfm_set_mem(), before = ctx->mem;
	pfarg_setdesc_t desc = { .set_id = 1 };

	pfm_config.set_mem_max = atomic64_read(&pfm_config.set_mem_cur) + 2 * one;
	KUNIT_EXPECT_EQ(test, pfm_set_test_add(test, 1, -1), 0);
	KUNIT_EXPECT_EQ(test, pfm_set_test_add(test, 2, -1), 0);
	KUNIT_EXPECT_EQ(test, pfm_set_test_add(test, 3, -1), -ENOMEM);
	KUNIT_EXPECT_PTR_EQ(test, pfm_set_find(ctx, 3), NULL);
	KUNIT_EXPECT_NOT_NULL(test, pfm_set_find(ctx, 2));
	/* One that exists can be changed. */
	KUNIT_EXPECT_EQ(test, pfm_set_test_add(test, 2, 1), 0);
	KUNIT_EXPECT_EQ(test, ctx->mem, before + 2 * one);
	KUNIT_EXPECT_EQ(test, pfm_set_delete(ctx, &desc), 0);
	KUNIT_EXPECT_EQ(test, pfm_set_test_add(test, 3, -1), 0);
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(pfm_fixture_new(0, NULL)), -ENOMEM);
	KUNIT_EXPECT_EQ(test, pfm_config.set_mem_max,
			(u64)atomic64_read(&pfm_config.set_mem_cur));
	pfm_config.set_mem_max = saved;
}

/* What is charged is what the allocator has taken. */
static void pfm_set_test_size(struct kunit *test)
{
	struct pfm_context *ctx = test->priv;
	u64 context = ksize(ctx) + ksize(ctx->queue.ring);

	KUNIT_EXPECT_EQ(test, ksize(ctx->set), pfm_set_mem());
	KUNIT_EXPECT_EQ(test, ctx->mem, context + pfm_set_mem());
	KUNIT_EXPECT_EQ(test, pfm_set_test_add(test, 63, -1), 0);
	KUNIT_EXPECT_EQ(test, ksize(pfm_set_find(ctx, 63)), pfm_set_mem());
	KUNIT_EXPECT_EQ(test, ctx->mem, context + 2 * pfm_set_mem());
}

/*
 * Skylake, one thread a core: 8 counters, 3 fixed ones, 32 registers of branches and the one
 * that says which is the last; 8 counters and 5 clocks of ours. Its PMCs are those of the 19
 * counters, and 6. Each thread that is counted pays that.
 */
static void pfm_set_test_small(struct kunit *test)
{
	static const struct pfm_regmap skylake = {
		.num_pmcs = 8 + 3 + 8 + 6,
		.num_pmds = 8 + 3 + 33 + 8 + 5,
		.num_resets = 8 + 3 + 8 + 1,
	};

	KUNIT_EXPECT_LE(test, pfm_set_size(&skylake), (size_t)3328);
}

/* A register that nobody can write shares what says where it starts again; no other does. */
static void pfm_set_test_shared(struct kunit *test)
{
	const struct pfm_regmap *map = &pfm_regmap;
	unsigned int i, j, own = 0, shared = 0;

	for (i = 0; i < map->num_pmds; i++) {
		const struct pfm_pmd_desc *d = map->pmd[i];
		bool is_own = (d->flags & PFM_PMD_COUNTER) || !(d->flags & PFM_PMD_RDONLY);

		KUNIT_EXPECT_LT(test, (size_t)map->reset_at[i], pfm_set_size(map));
		own += is_own;
		shared += !is_own;
		for (j = 0; is_own && j < map->num_pmds; j++)
			KUNIT_EXPECT_EQ(test, i == j, map->reset_at[i] == map->reset_at[j]);
	}
	KUNIT_EXPECT_EQ(test, own + !!shared, map->num_resets);
}

/* A new set has the defaults, whatever was in its memory: most likely the last set's. */
static void pfm_set_test_fresh(struct kunit *test)
{
	const struct pfm_regmap *map = &pfm_regmap;
	struct pfm_context *ctx = test->priv;
	pfarg_setdesc_t desc = { .set_id = 1 };
	struct pfm_pmd fresh = { 0 };
	struct pfm_reset reset;
	struct pfm_set *set;
	unsigned int round, i;

	/* With what is between its members. */
	memset(&reset, 0, sizeof(reset));
	reset.random = pfm_random_seed(0);
	for (round = 0; round < 4; round++) {
		KUNIT_ASSERT_EQ(test, pfm_set_create(ctx, &desc), 0);
		set = pfm_set_find(ctx, 1);
		KUNIT_ASSERT_NOT_NULL(test, set);
		KUNIT_EXPECT_EQ(test, (int)set->id, 1);
		KUNIT_EXPECT_EQ(test, set->used | set->in_use | set->ovfl | set->runs, 0ULL);
		for (i = 0; i < map->num_pmcs; i++) {
			KUNIT_EXPECT_EQ(test, set->values[i], map->pmc[i]->def);
			KUNIT_EXPECT_NULL(test, memchr_inv(&set->pmcs[i], 0,
							   sizeof(set->pmcs[i])));
		}
		for (i = 0; i < map->num_pmds; i++) {
			fresh.value = map->pmd[i]->def;
			reset.last_reset = map->pmd[i]->def;
			KUNIT_EXPECT_EQ(test, memcmp(&set->pmds[i], &fresh, sizeof(fresh)), 0);
			KUNIT_EXPECT_EQ(test, memcmp(pfm_set_reset(set, i), &reset,
						     sizeof(reset)), 0);
		}
		memset(set->pmcs, 0xa5, map->num_pmcs * sizeof(*set->pmcs));
		memset(set->pmds, 0xa5, map->num_pmds * sizeof(*set->pmds));
		memset((char *)set + pfm_set_resets_at(map), 0xa5,
		       map->num_resets * sizeof(reset));
		memset(set->values, 0xa5, map->num_pmcs * sizeof(*set->values));
		set->used = ~0ULL;
		set->in_use = ~0ULL;
		set->ovfl = ~0ULL;
		set->runs = ~0ULL;
		KUNIT_ASSERT_EQ(test, pfm_set_delete(ctx, &desc), 0);
	}
}

/* Numbers far from each other cost more, which is given back with the last. */
static void pfm_set_test_sparse(struct kunit *test)
{
	struct pfm_context *ctx = test->priv;
	u64 before = ctx->mem, one = pfm_set_mem();
	u64 nodes = 2 * sizeof(struct xa_node);
	pfarg_setdesc_t desc[] = {
		{ .set_id = 64 }, { .set_id = 127 }, { .set_id = 65535 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(desc); i++)
		KUNIT_ASSERT_EQ(test, pfm_set_create(ctx, &desc[i]), 0);
	KUNIT_EXPECT_EQ(test, ctx->mem, before + 3 * one + 2 * nodes);
	KUNIT_EXPECT_EQ(test, pfm_set_delete(ctx, &desc[0]), 0);
	KUNIT_EXPECT_EQ(test, ctx->mem, before + 2 * one + 2 * nodes);
	KUNIT_EXPECT_EQ(test, pfm_set_delete(ctx, &desc[1]), 0);
	KUNIT_EXPECT_EQ(test, ctx->mem, before + one + nodes);
	KUNIT_EXPECT_EQ(test, pfm_set_delete(ctx, &desc[2]), 0);
	KUNIT_EXPECT_EQ(test, ctx->mem, before);
}

static struct kunit_case pfm_set_cases[] = {
	KUNIT_CASE(pfm_set_test_flags),
	KUNIT_CASE(pfm_set_test_timeout),
	KUNIT_CASE(pfm_set_test_coarse),
	KUNIT_CASE(pfm_set_test_delete),
	KUNIT_CASE(pfm_set_test_getinfo),
	KUNIT_CASE(pfm_set_test_chain),
	KUNIT_CASE(pfm_set_test_order),
	KUNIT_CASE(pfm_set_test_limit),
	KUNIT_CASE(pfm_set_test_size),
	KUNIT_CASE(pfm_set_test_small),
	KUNIT_CASE(pfm_set_test_shared),
	KUNIT_CASE(pfm_set_test_fresh),
	KUNIT_CASE(pfm_set_test_sparse),
	{}
};

static struct kunit_suite pfm_set_suite = {
	.name = "perfmon-set",
	.init = pfm_fixture_init,
	.exit = pfm_fixture_exit,
	.test_cases = pfm_set_cases,
};
kunit_test_suite(pfm_set_suite);
