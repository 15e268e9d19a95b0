// SPDX-License-Identifier: GPL-2.0-only
#include <asm/processor.h>

#include "regfile.h"

/*
 * Counters that go on for ever. The drive of the other families asks the
 * registers whether they are stopped; here it is the readings that must be.
 */
static const struct pfm_x86_cpu winchip = {
	.vendor = X86_VENDOR_CENTAUR, .family = 5, .model = 8, .mmx = true,
};

static const struct pfm_x86_cpu c3 = {
	.vendor = X86_VENDOR_CENTAUR, .family = 6, .model = 8, .mmx = true,
};

static const struct pfm_pmu *centaur_prepare(struct kunit *test,
					     const struct pfm_x86_cpu *cpu)
{
	const struct pfm_pmu *pmu = pfm_regfile_use(test, pfm_centaur_describe(cpu));

	KUNIT_EXPECT_EQ(test, pmu->flags, (unsigned int)PFM_PMU_NO_INTERRUPT);
	if (cpu == &winchip) {
		pfm_regfile_add(0x11, PFM_REGFILE_PLAIN, ~0xff00ffULL);
		pfm_regfile_add(0x12, PFM_REGFILE_RDONLY, 0);
		pfm_regfile_add(0x13, PFM_REGFILE_RDONLY, 0);
	} else {
		pfm_regfile_add(0x187, PFM_REGFILE_PLAIN, ~0x1ffULL);
		pfm_regfile_add(0xc2, PFM_REGFILE_RDONLY, 0);
	}
	return pmu;
}

static void centaur_go(u32 msr, unsigned int n)
{
	pfm_regfile_set(msr, (pfm_regfile_get(msr) + n) & GENMASK_ULL(39, 0));
}

static void centaur_test_stop(struct kunit *test)
{
	const struct pfm_pmu *pmu = centaur_prepare(test, &winchip);
	u64 v[2] = { 0xff, 0xff };

	pfm_regfile_set(0x12, 0xfffffff0);
	pfm_regfile_set(0x13, 77);
	pfm_regfile_reset(pmu, v);
	pfm_regfile_write(pmu, 0, 100);
	pfm_regfile_write(pmu, 1, 200);
	centaur_go(0x12, 1000);			/* stopped */
	KUNIT_EXPECT_EQ(test, pfm_regfile_read(pmu, 0), 100ULL);
	pfm_regfile_start(pmu, 1, v);
	centaur_go(0x12, 30);
	centaur_go(0x13, 1000);			/* stopped still */
	KUNIT_EXPECT_EQ(test, pfm_regfile_read(pmu, 0), 130ULL);
	KUNIT_EXPECT_EQ(test, pfm_regfile_read(pmu, 1), 200ULL);
	pfm_regfile_stop(pmu, 1, v);
	centaur_go(0x12, 1000);
	KUNIT_EXPECT_EQ(test, pfm_regfile_read(pmu, 0), 130ULL);
	pfm_regfile_start(pmu, 3, v);
	centaur_go(0x12, 1);
	centaur_go(0x13, 2);
	KUNIT_EXPECT_EQ(test, pfm_regfile_read(pmu, 0), 131ULL);
	KUNIT_EXPECT_EQ(test, pfm_regfile_read(pmu, 1), 202ULL);
	pfm_regfile_stop(pmu, 3, v);
	/* A wrap at 32 bits. */
	pfm_regfile_write(pmu, 1, 0xffffffff);
	pfm_regfile_start(pmu, 2, v);
	centaur_go(0x13, 2);
	KUNIT_EXPECT_EQ(test, pfm_regfile_read(pmu, 1), 1ULL);
	KUNIT_EXPECT_EQ(test, pfm_regfile_faults(), 0U);
}

/* Nothing but a new event is written. */
static void centaur_test_program(struct kunit *test)
{
	const struct pfm_pmu *pmu = centaur_prepare(test, &winchip);
	unsigned long changed[BITS_TO_LONGS(PFM_PMCS_MAX)] = { 1 };
	u64 v[2] = { 0xff, 0xff };

	pfm_regfile_reset(pmu, v);
	KUNIT_EXPECT_EQ(test, pfm_regfile_get(0x11), 0ULL);
	v[0] = 2;
	pfm_regfile_program(pmu, changed, v);
	v[1] = 0x47;
	pfm_regfile_program(pmu, changed, v);
	KUNIT_EXPECT_EQ(test, pfm_regfile_get(0x11), 0x470002ULL);
	pfm_regfile_writes();
	pfm_regfile_start(pmu, 3, v);
	pfm_regfile_stop(pmu, 3, v);
	KUNIT_EXPECT_EQ(test, pfm_regfile_writes(), 0U);

	/* The event of all ones is none, all others count at every level. */
	KUNIT_EXPECT_FALSE(test, pmu->selects(pmu, 0, 0xff));
	KUNIT_EXPECT_TRUE(test, pmu->selects(pmu, 0, 0));
	KUNIT_EXPECT_TRUE(test, pmu->kernel(pmu, 1, 0));
	KUNIT_EXPECT_EQ(test, pmu->pmcs[0].rsvd, ~0xffULL);
	KUNIT_EXPECT_EQ(test, pfm_regfile_faults(), 0U);
}

static void centaur_test_c3(struct kunit *test)
{
	const struct pfm_pmu *pmu = centaur_prepare(test, &c3);
	unsigned long changed[BITS_TO_LONGS(PFM_PMCS_MAX)] = { 1 };
	u64 v[1] = { 0x1ff };

	KUNIT_EXPECT_EQ(test, pmu->num_pmds, 1U);
	KUNIT_EXPECT_EQ(test, pmu->pmds[0].num, (u16)1);
	KUNIT_EXPECT_EQ(test, pmu->pmcs[0].rsvd, ~0x1ffULL);
	KUNIT_EXPECT_FALSE(test, pmu->selects(pmu, 1, 0x1ff));
	pfm_regfile_reset(pmu, v);
	KUNIT_EXPECT_EQ(test, pfm_regfile_get(0x187), 0x79ULL);
	v[0] = 0x1c0;
	pfm_regfile_program(pmu, changed, v);
	KUNIT_EXPECT_EQ(test, pfm_regfile_get(0x187), 0x1c0ULL);
	pfm_regfile_start(pmu, 1, v);
	centaur_go(0xc2, 5);
	pfm_regfile_stop(pmu, 1, v);
	centaur_go(0xc2, 5);
	KUNIT_EXPECT_EQ(test, pfm_regfile_read(pmu, 0), 5ULL);
	KUNIT_EXPECT_EQ(test, pfm_regfile_faults(), 0U);
}

static void centaur_test_others(struct kunit *test)
{
	static const struct pfm_x86_cpu none[] = {
		{ .vendor = X86_VENDOR_CENTAUR, .family = 6, .model = 10 }, /* C7 */
		{ .vendor = X86_VENDOR_CENTAUR, .family = 5, .model = 2 },
		{ .vendor = X86_VENDOR_CENTAUR, .family = 5, .model = 8,
		  .tsc = true, .rdtsc_may_hang = true },
		/* Unless it is asked for. */
		{ .vendor = X86_VENDOR_CENTAUR, .family = 5, .model = 4 },
		{ .family = 5, .model = 4 },
		{ .family = 6, .model = 8 },
	};
	struct pfm_x86_cpu c6 = none[3];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(none); i++)
		KUNIT_EXPECT_NULL(test, pfm_centaur_describe(&none[i]));
	c6.rdtsc_may_hang = true;
	KUNIT_EXPECT_NOT_NULL(test, pfm_centaur_describe(&c6));
}

static struct kunit_case centaur_cases[] = {
	KUNIT_CASE(centaur_test_stop),
	KUNIT_CASE(centaur_test_program),
	KUNIT_CASE(centaur_test_c3),
	KUNIT_CASE(centaur_test_others),
	{}
};

static struct kunit_suite centaur_suite = {
	.name = "perfmon-x86-centaur",
	.init = pfm_regfile_init,
	.exit = pfm_regfile_exit,
	.test_cases = centaur_cases,
};
kunit_test_suite(centaur_suite);
