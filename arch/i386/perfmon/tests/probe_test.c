// SPDX-License-Identifier: GPL-2.0-only
/*
 * probe.c: what a virtual machine that lacks a register does to the kernel. Here the
 * processor that runs the test answers, real or not.
 */
#include <linux/irqflags.h>
#include <kunit/test.h>

#include "../x86.h"

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

static struct kunit_case probe_cases[] = {
	KUNIT_CASE(probe_test_rdpmc_faults),
	{}
};

static struct kunit_suite probe_suite = {
	.name = "perfmon-x86-probe",
	.test_cases = probe_cases,
};
kunit_test_suite(probe_suite);
