// SPDX-License-Identifier: GPL-2.0-only
#include "fixture.h"

/* A machine of two counters with one control each, and a buffer register. */
static const struct pfm_pmc_desc pfm_fake_pmcs[] = {
	{ .name = "SEL0", .num = 0, .type = PFM_REG_TYPE_MSR, .index = 0x186,
	  .def = 0x100000, .rsvd = ~0xffffULL },
	{ .name = "SEL1", .num = 70, .type = PFM_REG_TYPE_MSR, .index = 0x187 },
};

static const struct pfm_pmd_desc pfm_fake_pmds[] = {
	{ .name = "CTR0", .num = 0, .type = PFM_REG_TYPE_MSR, .index = 0xc1,
	  .flags = PFM_PMD_COUNTER, .ctrl = 0 },
	{ .name = "BUF", .num = 63, .type = PFM_REG_TYPE_MSR, .index = 0xc8,
	  .ctrl = PFM_NO_PMC, .def = 5 },
	{ .name = "CTR1", .num = 70, .type = PFM_REG_TYPE_MSR, .index = 0xc2,
	  .flags = PFM_PMD_COUNTER, .ctrl = 70 },
};

static bool pfm_fake_accepts(const struct pfm_pmu *pmu, unsigned int num, u64 value)
{
	return !(value & 0x8000);
}

static bool pfm_fake_selects(const struct pfm_pmu *pmu, unsigned int num, u64 value)
{
	return value & 0xff;
}

/* One operation of several that are needed. */
static void pfm_fake_start(const struct pfm_pmu *pmu, const struct pfm_run *run)
{
}

static bool pfm_fake_still(const struct pfm_pmu *pmu, u64 pmds)
{
	return true;
}

static u64 pfm_fake_claims(const struct pfm_pmu *pmu, unsigned int num, u64 value)
{
	return 1;
}

static void pfm_fake_switch_to(const struct pfm_pmu *pmu, const struct pfm_run *run,
			  struct task_struct *next)
{
}

static const struct pfm_pmu pfm_fake = {
	.name = "fake",
	.pmcs = pfm_fake_pmcs,
	.pmds = pfm_fake_pmds,
	.num_pmcs = ARRAY_SIZE(pfm_fake_pmcs),
	.num_pmds = ARRAY_SIZE(pfm_fake_pmds),
	.width = 40,
	.accepts = pfm_fake_accepts,
	.selects = pfm_fake_selects,
};

struct pfm_nonsense {
	struct pfm_pmu pmu;
	struct pfm_pmu_rules rules;
	struct pfm_pmc_desc pmcs[ARRAY_SIZE(pfm_fake_pmcs)];
	struct pfm_pmd_desc pmds[ARRAY_SIZE(pfm_fake_pmds)];
};

/* A fresh copy of the fake to be spoilt. */
static struct pfm_nonsense *pfm_pmu_test_copy(struct kunit *test)
{
	struct pfm_nonsense *n = kunit_kzalloc(test, sizeof(*n), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, n);
	n->pmu = pfm_fake;
	memcpy(n->pmcs, pfm_fake_pmcs, sizeof(n->pmcs));
	memcpy(n->pmds, pfm_fake_pmds, sizeof(n->pmds));
	n->pmu.pmcs = n->pmcs;
	n->pmu.pmds = n->pmds;
	n->pmu.rules = &n->rules;
	KUNIT_ASSERT_EQ(test, pfm_pmu_validate(&n->pmu), 0);
	return n;
}

#define EXPECT_REFUSED(test, spoil) do {				\
	struct pfm_nonsense *n = pfm_pmu_test_copy(test);		\
	spoil;								\
	KUNIT_EXPECT_EQ_MSG(test, pfm_pmu_validate(&n->pmu), -EINVAL,	\
			    "accepted: %s", #spoil);			\
} while (0)

static void pfm_pmu_test_nonsense(struct kunit *test)
{
	EXPECT_REFUSED(test, n->pmu.name = NULL);
	EXPECT_REFUSED(test, n->pmu.width = 0);
	EXPECT_REFUSED(test, n->pmu.width = 65);
	EXPECT_REFUSED(test, n->rules.ctx_flags = BIT(15));
	EXPECT_REFUSED(test, n->rules.set_flags = BIT(29));
	EXPECT_REFUSED(test, n->rules.claims = pfm_fake_claims);	/* for a default */
	EXPECT_REFUSED(test, n->rules.switch_to = pfm_fake_switch_to);	/* and no other */
	EXPECT_REFUSED(test, n->rules.excludes = PFM_SETFL_EXCL_IDLE);	/* by what? */
	EXPECT_REFUSED(test, n->pmu.num_pmds = 0);
	EXPECT_REFUSED(test, n->pmu.num_pmds = PFM_PMDS_MAX + 1);
	EXPECT_REFUSED(test, n->pmu.num_pmcs = PFM_PMCS_MAX + 1);
	EXPECT_REFUSED(test, n->pmds[0].write_bits = 41);
	EXPECT_REFUSED(test, n->pmu.flags = PFM_PMU_USER_COUNTS; n->pmds[0].write_bits = 8);
	EXPECT_REFUSED(test, n->pmu.flags = PFM_PMU_USER_COUNTS; n->pmu.min_period = 2);
	EXPECT_REFUSED(test, n->pmu.flags = PFM_PMU_SHARES);	/* and has no registers */
	EXPECT_REFUSED(test, n->pmds[0].width = 65);
	EXPECT_REFUSED(test, n->pmds[1].width = 8);	/* does not count */
	EXPECT_REFUSED(test, n->pmu.start = pfm_fake_start);
	EXPECT_REFUSED(test, n->pmu.still = pfm_fake_still);
	EXPECT_REFUSED(test, n->pmu.selects = NULL);
	EXPECT_REFUSED(test, n->pmcs[1].name = "");
	EXPECT_REFUSED(test, n->pmcs[1].name = n->pmcs[0].name);
	EXPECT_REFUSED(test, n->pmcs[1].num = 0);
	EXPECT_REFUSED(test, n->pmcs[1].num = PFM_MAX_PMCS);
	EXPECT_REFUSED(test, n->pmcs[0].type = 0);
	EXPECT_REFUSED(test, n->pmcs[0].type = PFM_REG_TYPE_VIRTUAL + 1);
	EXPECT_REFUSED(test, n->pmcs[0].def = 1);	/* measures */
	EXPECT_REFUSED(test, n->pmcs[0].def = 0x8000);	/* not acceptable */
	EXPECT_REFUSED(test, n->pmds[1].name = "CTR0");
	EXPECT_REFUSED(test, n->pmds[1].num = 0);
	EXPECT_REFUSED(test, n->pmds[2].num = PFM_MAX_PMDS);
	EXPECT_REFUSED(test, n->pmds[2].type = 8);
	EXPECT_REFUSED(test, n->pmds[2].flags = 0x80);
	EXPECT_REFUSED(test, n->pmds[2].ctrl = 1);	/* no such PMC */
	EXPECT_REFUSED(test, n->pmds[2].ctrl = PFM_NO_PMC);
	EXPECT_REFUSED(test, n->pmds[2].def = 1);
	EXPECT_REFUSED(test, n->pmds[2].rsvd = 1);
	EXPECT_REFUSED(test, n->pmds[2].flags |= PFM_PMD_RDONLY);
	EXPECT_REFUSED(test, n->pmds[0].flags |= PFM_PMD_CLEAR);
	EXPECT_REFUSED(test, (n->pmds[1].def = 0, n->pmds[1].flags = PFM_PMD_CLEAR));
	EXPECT_REFUSED(test, n->pmds[1].flags = PFM_PMD_CLEAR | PFM_PMD_RDONLY);
}

static void pfm_pmu_test_soft(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, pfm_pmu_validate(&pfm_soft_pmu), 0);
	KUNIT_EXPECT_EQ(test, hweight64(pfm_regmap.soft), PFM_SW_COUNTERS);
}

static void pfm_pmu_test_register(struct kunit *test)
{
	struct pfm_nonsense *n = pfm_pmu_test_copy(test);
	const struct pfm_pmu *real = pfm_fixture_swap(test, NULL);
	struct pfm_context *ctx;

	/* The software PMU's numbers are not the hardware's. */
	n->pmds[2].num = PFM_SW_PMD0;
	KUNIT_EXPECT_EQ(test, pfm_pmu_register(&n->pmu), -EINVAL);

	ctx = pfm_fixture_new(0, NULL);
	KUNIT_ASSERT_FALSE(test, IS_ERR(ctx));
	KUNIT_EXPECT_EQ(test, pfm_pmu_register(&pfm_fake), -EBUSY);
	pfm_context_close(ctx);

	KUNIT_ASSERT_EQ(test, pfm_pmu_register(&pfm_fake), 0);
	KUNIT_EXPECT_EQ(test, pfm_pmu_register(&pfm_fake), -EBUSY);
	KUNIT_EXPECT_PTR_EQ(test, pfm_pmu_hardware(), &pfm_fake);
	pfm_pmu_unregister(&pfm_fake);
	KUNIT_EXPECT_PTR_EQ(test, pfm_pmu_hardware(), NULL);
	pfm_fixture_swap(test, real);
}

static void pfm_pmu_test_maps(struct kunit *test)
{
	const struct pfm_regmap *map = &pfm_regmap;
	const struct pfm_pmu *real = pfm_fixture_swap(test, &pfm_fake);
	unsigned int i;

	/* Dense order is the order of the numbers. */
	for (i = 1; i < map->num_pmds; i++)
		KUNIT_EXPECT_GT(test, map->pmd[i]->num, map->pmd[i - 1]->num);
	for (i = 0; i < map->num_pmds; i++)
		KUNIT_EXPECT_EQ(test, (unsigned int)map->pmd_of[map->pmd[i]->num], i);
	for (i = 0; i < map->num_pmcs; i++)
		KUNIT_EXPECT_EQ(test, (unsigned int)map->pmc_of[map->pmc[i]->num], i);
	KUNIT_EXPECT_EQ(test, map->pmd_of[1], (u8)PFM_NONE);
	KUNIT_EXPECT_EQ(test, map->ctrl[1], (u8)PFM_NONE);	/* BUF */
	KUNIT_EXPECT_EQ(test, map->ctrl[2], (u8)1);		/* CTR1: SEL1 */
	KUNIT_EXPECT_EQ(test, map->pmds_of[1], BIT_ULL(2));
	KUNIT_EXPECT_EQ(test, map->counters & 7, 5ULL);
	KUNIT_EXPECT_EQ(test, map->soft & 7, 0ULL);
	pfm_fixture_swap(test, real);
}

static void pfm_pmu_test_vector(struct kunit *test)
{
	u64 vec[PFM_MAX_PMD_BITVECTOR] = {}, back[PFM_MAX_PMD_BITVECTOR];
	bool bad = false;
	const struct pfm_pmu *real = pfm_fixture_swap(test, &pfm_fake);
	u64 mask;

	vec[0] = BIT_ULL(63);			/* BUF */
	vec[1] = BIT_ULL(70 - 64);		/* CTR1 */
	vec[4] = BIT_ULL(PFM_SW_PMD0 - 256) | BIT_ULL(PFM_VPMD_CLOCK - 256);
	mask = pfm_pmu_mask(vec, &bad);
	KUNIT_EXPECT_FALSE(test, bad);
	KUNIT_EXPECT_EQ(test, hweight64(mask), 4UL);
	KUNIT_EXPECT_EQ(test, mask & 7, 6ULL);
	pfm_pmu_vector(mask, back);
	KUNIT_EXPECT_EQ(test, memcmp(vec, back, sizeof(vec)), 0);

	vec[2] = 1;
	pfm_pmu_mask(vec, &bad);
	KUNIT_EXPECT_TRUE(test, bad);
	pfm_fixture_swap(test, real);
}

/* Every bit once, in order, wherever a word begins and ends. */
static void pfm_pmu_test_each(struct kunit *test)
{
	static const unsigned int positions[] = { 0, 1, 31, 32, 62, 63, 64, 95, 96, 127 };
	DECLARE_BITMAP(bits, PFM_PMCS_MAX) = {};
	unsigned int i, n = 0;

	pfm_for_each_pmc(i, bits)
		n++;
	KUNIT_EXPECT_EQ(test, n, 0U);
	for (i = 0; i < ARRAY_SIZE(positions); i++)
		__set_bit(positions[i], bits);
	pfm_for_each_pmc(i, bits) {
		KUNIT_ASSERT_LT(test, n, (unsigned int)ARRAY_SIZE(positions));
		KUNIT_EXPECT_EQ(test, i, positions[n++]);
	}
	KUNIT_EXPECT_EQ(test, n, (unsigned int)ARRAY_SIZE(positions));
	bitmap_fill(bits, PFM_PMCS_MAX);
	n = 0;
	pfm_for_each_pmc(i, bits)
		KUNIT_EXPECT_EQ(test, i, n++);
	KUNIT_EXPECT_EQ(test, n, (unsigned int)PFM_PMCS_MAX);
}

static void pfm_pmu_test_getinfo(struct kunit *test)
{
	pfarg_pmcinfo_t info = { .reg_num = PFM_SW_PMC0 };

	memset(&info.reg_def_value, 0x5a, sizeof(info) - 8);
	KUNIT_EXPECT_EQ(test, pfm_pmu_getinfo(false, &info), 0);
	KUNIT_EXPECT_EQ(test, info.reg_type, (u16)PFM_REG_TYPE_VIRTUAL);
	KUNIT_EXPECT_EQ(test, info.reg_def_value, 0ULL);
	KUNIT_EXPECT_EQ(test, info.reg_rsvd_mask, ~0xffULL);
	KUNIT_EXPECT_EQ(test, info.reg_index, PFM_REG_IDX_NONE);

	info.reg_num = PFM_MAX_PMCS;
	KUNIT_EXPECT_EQ(test, pfm_pmu_getinfo(false, &info), -EINVAL);
	KUNIT_EXPECT_EQ(test, info.reg_flags, PFM_REG_RETFL_EINVAL);

	/* A virtual register has no control of the same number. */
	info = (pfarg_pmcinfo_t){ .reg_num = PFM_VPMD_CLOCK };
	KUNIT_EXPECT_EQ(test, pfm_pmu_getinfo(false, &info), -EINVAL);
	info = (pfarg_pmcinfo_t){ .reg_num = PFM_VPMD_CLOCK };
	KUNIT_EXPECT_EQ(test, pfm_pmu_getinfo(true, &info), 0);
	KUNIT_EXPECT_EQ(test, info.reg_rsvd_mask, 0ULL);
}

/* Registers without operations behind them hold what is written, loaded or not. */
static void pfm_pmu_test_no_operations(struct kunit *test)
{
	pfarg_pmc_t pmc = { .reg_num = 70, .reg_value = 0xff };
	pfarg_pmd_t pmd = { .reg_num = 70, .reg_value = 9 };
	const struct pfm_pmu *real = pfm_fixture_swap(test, &pfm_fake);
	struct pfm_context *ctx = pfm_fixture_context(test, 0);

	migrate_disable();
	pfm_fixture_load(ctx);
	KUNIT_EXPECT_EQ(test, pfm_fixture_write_pmc(ctx, &pmc), 0);
	KUNIT_EXPECT_EQ(test, pfm_fixture_write_pmd(ctx, &pmd), 0);
	KUNIT_EXPECT_EQ(test, pfm_fixture_value(ctx, 0, 70), 9ULL);
	KUNIT_EXPECT_EQ(test, ctx->uses, 0U);
	KUNIT_EXPECT_TRUE(test, bitmap_empty(ctx->set->written, PFM_PMCS_MAX));
	pfm_fixture_free(ctx);
	migrate_enable();
	pfm_fixture_swap(test, real);
}

static struct kunit_case pfm_pmu_cases[] = {
	KUNIT_CASE(pfm_pmu_test_nonsense),
	KUNIT_CASE(pfm_pmu_test_soft),
	KUNIT_CASE(pfm_pmu_test_register),
	KUNIT_CASE(pfm_pmu_test_maps),
	KUNIT_CASE(pfm_pmu_test_vector),
	KUNIT_CASE(pfm_pmu_test_each),
	KUNIT_CASE(pfm_pmu_test_getinfo),
	KUNIT_CASE(pfm_pmu_test_no_operations),
	{}
};

static struct kunit_suite pfm_pmu_suite = {
	.name = "perfmon-pmu",
	.test_cases = pfm_pmu_cases,
};
kunit_test_suite(pfm_pmu_suite);
