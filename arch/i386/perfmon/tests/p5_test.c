// SPDX-License-Identifier: GPL-2.0-only
#include <asm/processor.h>

#include "regfile.h"

static const struct p5_test_cpu {
	struct pfm_x86_cpu cpu;
	u64 bits;		/* of a half of CESR */
} p5_cpus[] = {
	{ { .family = 5, .model = 2 }, 0x1ff },
	{ { .family = 5, .model = 4, .mmx = true }, 0x1ff },
	{ { .vendor = X86_VENDOR_CYRIX, .family = 6, .mmx = true }, 0x5ff },
};

static const struct pfm_pmu *p5_prepare(struct kunit *test,
					const struct p5_test_cpu *c)
{
	const struct pfm_pmu *pmu = pfm_regfile_use(test, pfm_p5_describe(&c->cpu));

	pfm_regfile_add(0x11, PFM_REGFILE_PLAIN, ~(c->bits | c->bits << 16));
	pfm_regfile_add(0x12, PFM_REGFILE_COUNTER, GENMASK_ULL(63, 40));
	pfm_regfile_add(0x13, PFM_REGFILE_COUNTER, GENMASK_ULL(63, 40));
	return pmu;
}

static u64 p5_counting(void)
{
	u64 cesr = pfm_regfile_get(0x11);

	return (cesr >> 6 & 3 ? 1 : 0) | (cesr >> 22 & 3 ? 2 : 0);
}

static void p5_test_drive(struct kunit *test)
{
	const struct pfm_pmu *pmu;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(p5_cpus); i++) {
		pmu = p5_prepare(test, &p5_cpus[i]);
		KUNIT_EXPECT_EQ(test, pmu->flags,
				(unsigned int)(PFM_PMU_NO_INTERRUPT | PFM_PMU_SHARES));
		KUNIT_EXPECT_EQ(test, pmu->pmcs[1].rsvd, ~p5_cpus[i].bits);
		pfm_regfile_drive(test, pmu, p5_counting, 0);
	}
}

/* One register, one write. */
static void p5_test_halves(struct kunit *test)
{
	const struct pfm_pmu *pmu = p5_prepare(test, &p5_cpus[0]);
	u64 v[2] = { 0x96, 0xd6 };

	pfm_regfile_start(pmu, 3, v);
	KUNIT_EXPECT_EQ(test, pfm_regfile_get(0x11), 0xd60096ULL);
	pfm_regfile_stop(pmu, 3, v);
	KUNIT_EXPECT_EQ(test, pfm_regfile_get(0x11), 0x160016ULL);
	pfm_regfile_start(pmu, 2, v);
	KUNIT_EXPECT_EQ(test, pfm_regfile_get(0x11), 0xd60000ULL);
	KUNIT_EXPECT_EQ(test, pfm_regfile_writes(), 3U);

	/* Clocks need a level, too. */
	KUNIT_EXPECT_FALSE(test, pmu->selects(pmu, 0, 0x100));
	KUNIT_EXPECT_TRUE(test, pmu->selects(pmu, 0, 0x180));
	KUNIT_EXPECT_FALSE(test, pmu->kernel(pmu, 0, 0x180));
	KUNIT_EXPECT_TRUE(test, pmu->kernel(pmu, 1, 0x40));
}

/* Cyrix' counters are wider: what is above is not seen. */
static void p5_test_wide(struct kunit *test)
{
	const struct pfm_pmu *pmu = p5_prepare(test, &p5_cpus[2]);

	pfm_regfile_set(0x13, 0xabcd12345678abULL);
	KUNIT_EXPECT_EQ(test, pfm_regfile_read(pmu, 1), 0x12345678abULL);
}

static void p5_test_others(struct kunit *test)
{
	static const struct pfm_x86_cpu none[] = {
		{ .family = 5, .model = 9 },				/* Quark */
		{ .family = 6, .model = 1 },
		{ .vendor = X86_VENDOR_AMD, .family = 5, .mmx = true },	/* K6 */
		{ .vendor = X86_VENDOR_CYRIX, .family = 5 },		/* 6x86 */
		{ .vendor = X86_VENDOR_CENTAUR, .family = 5, .model = 4 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(none); i++)
		KUNIT_EXPECT_NULL(test, pfm_p5_describe(&none[i]));
}

static struct kunit_case p5_cases[] = {
	KUNIT_CASE(p5_test_drive),
	KUNIT_CASE(p5_test_halves),
	KUNIT_CASE(p5_test_wide),
	KUNIT_CASE(p5_test_others),
	{}
};

static struct kunit_suite p5_suite = {
	.name = "perfmon-x86-p5",
	.init = pfm_regfile_init,
	.exit = pfm_regfile_exit,
	.test_cases = p5_cases,
};
kunit_test_suite(p5_suite);
