// SPDX-License-Identifier: GPL-2.0-only
/*
 * probe.c: what a virtual machine that lacks a register does to the kernel, answered by
 * the processor that runs the test, real or not; and registers in memory.
 */
#include <linux/irqflags.h>
#include <kunit/test.h>

#include "regfile.h"

/* No processor has had a counter of this number. */
#define NO_COUNTER	0x1ffff

/*
 * RDPMC of a counter that is not there, or where there is no RDPMC at all, faults: the
 * kernel goes on, and knows.
 */
static void probe_test_rdpmc_faults(struct kunit *test)
{
	int ret[2];
	u64 value;

	ret[0] = pfm_x86_try_rdpmc(NO_COUNTER, &value);
	/* As the core would call it. */
	local_irq_disable();
	ret[1] = pfm_x86_try_rdpmc(NO_COUNTER, &value);
	local_irq_enable();
	KUNIT_EXPECT_EQ(test, ret[0], -EIO);
	KUNIT_EXPECT_EQ(test, ret[1], -EIO);
}

/*
 * The kernel's branches are in the registers, by perf_events, say. On a Haswell without TSX
 * such a value may be read and not written.
 */
static void probe_test_lbr(struct kunit *test)
{
	static const struct pfm_x86_cpu cpu = { .family = 6, .model = 60 };
	unsigned int tsx, i;

	pfm_regfile_init(test);
	for (tsx = 0; tsx < 2; tsx++) {
		pfm_regfile_new();
		pfm_regfile_add(0x345, PFM_REGFILE_RDONLY, 0);
		pfm_regfile_set(0x345, 4);
		pfm_regfile_add_lbr_kind(tsx ? PFM_REGFILE_PLAIN : PFM_REGFILE_FROM);
		for (i = 0; i < 16; i++) {
			pfm_regfile_set(0x680 + i, 0x9fffffff81000000ULL + i);
			pfm_regfile_set(0x6c0 + i, 0xffffffff82000000ULL + i);
		}
		pfm_regfile_set(0x1c8, 0x1ff);
		KUNIT_EXPECT_TRUE_MSG(test, pfm_x86_find_lbr(&cpu), "tsx %u", tsx);
		KUNIT_EXPECT_EQ(test, pfm_regfile_faults(), 0U);
		/* No other layout, and none without the registers. */
		pfm_regfile_set(0x345, 5);
		KUNIT_EXPECT_FALSE(test, pfm_x86_find_lbr(&cpu));
	}
	pfm_regfile_new();
	pfm_regfile_add(0x345, PFM_REGFILE_RDONLY, 0);
	pfm_regfile_set(0x345, 4);
	KUNIT_EXPECT_FALSE(test, pfm_x86_find_lbr(&cpu));
	pfm_regfile_exit(test);
}

static struct kunit_case probe_cases[] = {
	KUNIT_CASE(probe_test_rdpmc_faults),
	KUNIT_CASE(probe_test_lbr),
	{}
};

static struct kunit_suite probe_suite = {
	.name = "perfmon-x86-probe",
	.test_cases = probe_cases,
};
kunit_test_suite(probe_suite);
