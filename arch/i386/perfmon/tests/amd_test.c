// SPDX-License-Identifier: GPL-2.0-only
#include <asm/processor.h>

#include "regfile.h"

struct amd_test_cpu {
	const char *name;
	struct pfm_x86_cpu cpu;
	unsigned int counters;
	u64 high;		/* legal bits of the upper half of a control */
};

#define AMD	.vendor = X86_VENDOR_AMD

static const struct amd_test_cpu amd_cpus[] = {
	{ "Athlon", { AMD, .family = 6, .model = 4 }, 4, 0 },
	{ "Opteron", { AMD, .family = 15, .model = 5 }, 4, 0 },
	{ "Phenom", { AMD, .family = 0x10, .model = 2 }, 4, 0xf },
	{ "Griffin", { AMD, .family = 0x11, .model = 3 }, 4, 0 },
	{ "Llano", { AMD, .family = 0x12, .model = 1 }, 4, 0xf },
	{ "Bobcat", { AMD, .family = 0x14, .model = 1 }, 4, 0xf },
	{ "Bulldozer", { AMD, .family = 0x15, .amd_core = true }, 6, 0xf },
	{ "Jaguar", { AMD, .family = 0x16 }, 4, 0xf },
	{ "Zen", { AMD, .family = 0x17, .amd_core = true }, 6, 0xf },
	{ "Zen without", { AMD, .family = 0x17 }, 4, 0xf },
	{ "Dhyana", { .vendor = X86_VENDOR_HYGON, .family = 0x18,
	  .amd_core = true }, 6, 0xf },
	{ "Zen 4", { AMD, .family = 0x19, .model = 0x61, .amd_core = true,
	  .amd_v2 = true, .amd_counters = 6 }, 6, 0xf },
	{ "Zen 5, many", { AMD, .family = 0x1a, .amd_core = true,
	  .amd_v2 = true, .amd_counters = 15 }, 15, 0xf },
};

static const struct amd_test_cpu *amd_cpu;

static u32 amd_ctl(unsigned int i)
{
	return amd_cpu->cpu.amd_core ? 0xc0010200 + 2 * i : 0xc0010000 + i;
}

static u32 amd_ctr(unsigned int i)
{
	return amd_cpu->cpu.amd_core ? 0xc0010201 + 2 * i : 0xc0010004 + i;
}

static const struct pfm_pmu *amd_prepare(struct kunit *test,
					 const struct amd_test_cpu *c)
{
	const struct pfm_pmu *pmu = pfm_regfile_use(test, pfm_amd_describe(&c->cpu));
	u64 mask = BIT_ULL(c->counters) - 1;
	unsigned int i;

	amd_cpu = c;
	for (i = 0; i < c->counters; i++) {
		pfm_regfile_add(amd_ctl(i), PFM_REGFILE_PLAIN,
				BIT_ULL(19) | BIT_ULL(21) |
				(GENMASK_ULL(63, 32) & ~(c->high << 32)));
		pfm_regfile_add(amd_ctr(i), PFM_REGFILE_COUNTER, GENMASK_ULL(63, 48));
	}
	if (c->cpu.amd_v2) {
		pfm_regfile_add(0xc0000300, PFM_REGFILE_RDONLY, 0);
		pfm_regfile_add(0xc0000301, PFM_REGFILE_PLAIN, ~mask);
		pfm_regfile_add_peer(0xc0000302, PFM_REGFILE_CLEAR,
				     ~(mask | GENMASK_ULL(59, 58)), 0xc0000300);
	}
	return pmu;
}

static u64 amd_counting(void)
{
	u64 mask = 0, ctl;
	unsigned int i;

	for (i = 0; i < amd_cpu->counters; i++) {
		ctl = pfm_regfile_get(amd_ctl(i));
		if (ctl & BIT(22) && ctl & (BIT(16) | BIT(17)) && ctl & BIT(20))
			mask |= BIT_ULL(i);
	}
	if (amd_cpu->cpu.amd_v2)
		mask &= pfm_regfile_get(0xc0000301);
	return mask;
}

static void amd_test_tables(struct kunit *test)
{
	const struct pfm_pmu *pmu;
	unsigned int i, last;

	for (i = 0; i < ARRAY_SIZE(amd_cpus); i++) {
		pmu = amd_prepare(test, &amd_cpus[i]);
		last = amd_cpus[i].counters - 1;
		KUNIT_ASSERT_EQ_MSG(test, pmu->num_pmds, last + 1, "%s",
				    amd_cpus[i].name);
		KUNIT_EXPECT_EQ(test, pmu->num_pmcs, last + 1);
		KUNIT_EXPECT_EQ(test, pmu->pmcs[last].index, amd_ctl(last));
		KUNIT_EXPECT_EQ(test, pmu->pmds[last].index, amd_ctr(last));
		KUNIT_EXPECT_EQ(test, pmu->width, 48U);
		KUNIT_EXPECT_EQ(test, pmu->pmcs[0].def, 0x100000ULL);
		KUNIT_EXPECT_EQ(test, pmu->pmcs[0].rsvd,
				0xffffffff00380000ULL & ~(amd_cpus[i].high << 32));
		KUNIT_EXPECT_FALSE(test, pmu->selects(pmu, 0, 0x400076));
		KUNIT_EXPECT_TRUE(test, pmu->kernel(pmu, 0, 0x20076));
		KUNIT_EXPECT_FALSE(test, pmu->kernel(pmu, 0, 0x10076));
	}
}

static void amd_test_others(struct kunit *test)
{
	static const struct pfm_x86_cpu none[] = {
		{ AMD, .family = 5, .model = 8 },	/* K6 */
		{ .vendor = X86_VENDOR_INTEL, .family = 6 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(none); i++)
		KUNIT_EXPECT_NULL(test, pfm_amd_describe(&none[i]));
}

static void amd_test_drive(struct kunit *test)
{
	const struct pfm_pmu *pmu;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(amd_cpus); i++) {
		pmu = amd_prepare(test, &amd_cpus[i]);
		pfm_regfile_drive(test, pmu, amd_counting, 0);
		if (test->status != KUNIT_SUCCESS)
			KUNIT_FAIL(test, "%s", amd_cpus[i].name);
	}
}

/* A write a counter to stop and to start; with PerfMonV2 a write each. */
static void amd_test_cost(struct kunit *test)
{
	u64 v[16] = { 0x110076, 0x1100c0, 0x1100c2, 0x1100c3 };
	unsigned long changed[BITS_TO_LONGS(PFM_PMCS_MAX)] = { 0xf };
	const struct pfm_pmu *pmu = amd_prepare(test, &amd_cpus[2]);

	KUNIT_EXPECT_NULL(test, pmu->program);
	pfm_regfile_start(pmu, 0xf, v);
	KUNIT_EXPECT_EQ(test, pfm_regfile_writes(), 4U);
	pfm_regfile_stop(pmu, 0xf, v);
	KUNIT_EXPECT_EQ(test, pfm_regfile_writes(), 4U);
	KUNIT_EXPECT_FALSE(test, pfm_regfile_acknowledge(pmu, 0));
	KUNIT_EXPECT_EQ(test, pfm_regfile_writes(), 0U);

	pmu = amd_prepare(test, &amd_cpus[11]);
	pfm_regfile_program(pmu, changed, v);
	KUNIT_EXPECT_EQ(test, pfm_regfile_writes(), 4U);
	pfm_regfile_start(pmu, 0xf, v);
	KUNIT_EXPECT_EQ(test, pfm_regfile_writes(), 1U);
	pfm_regfile_stop(pmu, 0xf, v);
	KUNIT_EXPECT_EQ(test, pfm_regfile_writes(), 1U);
}

static void amd_test_acknowledge(struct kunit *test)
{
	const struct pfm_pmu *pmu = amd_prepare(test, &amd_cpus[11]);

	/* What has frozen is let go, but is no reason for an interrupt. */
	pfm_regfile_set(0xc0000300, BIT_ULL(60) | GENMASK_ULL(59, 58) | 0x25);
	KUNIT_EXPECT_TRUE(test, pfm_regfile_acknowledge(pmu, 0));
	KUNIT_EXPECT_EQ(test, pfm_regfile_get(0xc0000300), BIT_ULL(60));
	pfm_regfile_set(0xc0000300, BIT_ULL(59));
	KUNIT_EXPECT_FALSE(test, pfm_regfile_acknowledge(pmu, 0));
	KUNIT_EXPECT_EQ(test, pfm_regfile_get(0xc0000300), 0ULL);
	pfm_regfile_writes();
	KUNIT_EXPECT_FALSE(test, pfm_regfile_acknowledge(pmu, 0));
	KUNIT_EXPECT_EQ(test, pfm_regfile_writes(), 0U);
	KUNIT_EXPECT_EQ(test, pfm_regfile_faults(), 0U);
}

/* Somebody else has switched all on; nothing has. */
static void amd_test_still(struct kunit *test)
{
	const struct pfm_pmu *pmu = amd_prepare(test, &amd_cpus[11]);

	pfm_regfile_set(0xc0000301, 0x3f);
	KUNIT_EXPECT_FALSE(test, pfm_regfile_still(pmu, 0));
	KUNIT_EXPECT_EQ(test, pfm_regfile_get(0xc0000301), 0ULL);
	KUNIT_EXPECT_TRUE(test, pfm_regfile_still(pmu, 0));
}

static void amd_test_rest(struct kunit *test)
{
	const struct pfm_pmu *pmu = amd_prepare(test, &amd_cpus[11]);
	DECLARE_BITMAP(pmcs, PFM_PMCS_MAX) = { BIT(1) };

	pfm_regfile_set(0xc0010200, 0x5300c0);
	pfm_regfile_set(0xc0010202, 0x5300c0);
	pfm_regfile_set(0xc0000301, 3);
	pfm_regfile_rest(pmu, pmcs);
	KUNIT_EXPECT_EQ(test, pfm_regfile_get(0xc0000301), 0ULL);
	KUNIT_EXPECT_EQ(test, pfm_regfile_get(0xc0010200), 0x5300c0ULL);
	KUNIT_EXPECT_EQ(test, pfm_regfile_get(0xc0010202), 0ULL);
	KUNIT_EXPECT_TRUE(test, pmu->flags & PFM_PMU_GATED);

	/* Without PerfMonV2 each control has its own enable bit. */
	pmu = amd_prepare(test, &amd_cpus[2]);
	KUNIT_EXPECT_FALSE(test, pmu->flags & PFM_PMU_GATED);
	pfm_regfile_writes();
	pfm_regfile_rest(pmu, pmcs);
	KUNIT_EXPECT_EQ(test, pfm_regfile_writes(), 1U);
	KUNIT_EXPECT_EQ(test, pfm_regfile_faults(), 0U);
}

static struct kunit_case amd_cases[] = {
	KUNIT_CASE(amd_test_rest),
	KUNIT_CASE(amd_test_tables),
	KUNIT_CASE(amd_test_others),
	KUNIT_CASE(amd_test_drive),
	KUNIT_CASE(amd_test_cost),
	KUNIT_CASE(amd_test_acknowledge),
	KUNIT_CASE(amd_test_still),
	{}
};

static struct kunit_suite amd_suite = {
	.name = "perfmon-x86-amd",
	.init = pfm_regfile_init,
	.exit = pfm_regfile_exit,
	.test_cases = amd_cases,
};
kunit_test_suite(amd_suite);
