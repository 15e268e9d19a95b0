// SPDX-License-Identifier: GPL-2.0-only
#include <asm/processor.h>

#include "file.h"

/* Bits that some processor or other refuses: PC, AnyThread, the upper half. */
#define EVTSEL_RSVD	(BIT_ULL(19) | BIT_ULL(21) | GENMASK_ULL(63, 32))

struct intel_test_cpu {
	const char *name;
	struct pfm_x86_cpu cpu;
	unsigned int general;
	u32 fixed;		/* mask */
	unsigned int width;
	bool full;
};

#define LEAF_A(version, n, bits, fixed, edx)				\
	{ (version) | (n) << 8 | (bits) << 16 | 7 << 24, 0, fixed, edx }
#define FIXED(n, bits)	((n) | (bits) << 5)

static const struct intel_test_cpu intel_cpus[] = {
	{ "Core Duo", { .family = 6, .model = 14,
	  .leaf_a = LEAF_A(1, 2, 40, 0, 0) }, 2, 0, 40 },
	{ "Core 2", { .family = 6, .model = 15,
	  .leaf_a = LEAF_A(2, 2, 40, 0, FIXED(3, 40)) }, 2, 7, 40 },
	{ "Nehalem", { .family = 6, .model = 26, .threads = 2,
	  .leaf_a = LEAF_A(3, 4, 48, 0, FIXED(3, 48)) }, 4, 7, 48 },
	{ "Skylake", { .family = 6, .model = 94, .threads = 2,
	  .leaf_a = LEAF_A(4, 8, 48, 0, FIXED(3, 48)),
	  .perf_cap = BIT(13) }, 8, 7, 48, true },
	{ "Ice Lake", { .family = 6, .model = 126, .threads = 2,
	  .leaf_a = LEAF_A(5, 8, 48, 0, FIXED(4, 48)),
	  .perf_cap = BIT(13) }, 8, 15, 48, true },
	{ "holes", { .family = 6, .leaf_a = LEAF_A(5, 6, 48, 0xa, FIXED(1, 48)),
	  .perf_cap = BIT(13) }, 6, 0xb, 48, true },
	{ "everything", { .family = 6,
	  .leaf_a = LEAF_A(6, 20, 64, 0xffffffff, FIXED(31, 64)),
	  .perf_cap = BIT(13) }, 16, 0xffff, 64, true },
	{ "two widths", { .family = 6,
	  .leaf_a = LEAF_A(2, 4, 40, 0, FIXED(3, 48)) }, 4, 0, 40 },
	{ "32 bits", { .family = 6,
	  .leaf_a = LEAF_A(2, 4, 32, 0, FIXED(3, 32)) }, 4, 7, 32, true },
	{ "ZX-C", { .vendor = X86_VENDOR_CENTAUR, .family = 6, .model = 25,
	  .leaf_a = LEAF_A(2, 2, 40, 0, FIXED(3, 40)) }, 2, 7, 40 },
	{ "ZX-E", { .vendor = X86_VENDOR_ZHAOXIN, .family = 7, .model = 59,
	  .leaf_a = LEAF_A(2, 4, 48, 0, FIXED(3, 48)) }, 4, 7, 48 },
};

static const struct intel_test_cpu *intel_cpu;

static unsigned int intel_version(void)
{
	return intel_cpu->cpu.leaf_a[0] & 0xff;
}

static u64 intel_global_bits(void)
{
	return (BIT_ULL(intel_cpu->general) - 1) | (u64)intel_cpu->fixed << 32;
}

static void intel_file_global(void)
{
	u64 bits = intel_global_bits();

	pfm_file_add(0x38e, PFM_FILE_RDONLY, 0);
	pfm_file_add(0x38f, PFM_FILE_PLAIN, ~bits);
	bits |= GENMASK_ULL(63, 62);
	if (intel_version() >= 3)
		bits |= BIT_ULL(61);
	if (intel_version() >= 4)
		bits |= GENMASK_ULL(60, 58) | BIT_ULL(55);
	pfm_file_add_peer(0x390, PFM_FILE_CLEAR, ~bits, 0x38e);
}

static void intel_file(const struct intel_test_cpu *c)
{
	const u64 high = c->width < 64 ? GENMASK_ULL(63, c->width % 64) : 0;
	unsigned int i;
	u64 fields = 0;

	intel_cpu = c;
	for (i = 0; i < c->general; i++) {
		pfm_file_add(0x186 + i, PFM_FILE_PLAIN, EVTSEL_RSVD);
		pfm_file_add_peer(0xc1 + i, PFM_FILE_COUNTER32,
				  GENMASK_ULL(63, 32), c->width);
		if (c->cpu.perf_cap & BIT(13))
			pfm_file_add_peer(0x4c1 + i, PFM_FILE_ALIAS, high,
					  0xc1 + i);
	}
	for (i = 0; i < 16; i++) {
		if (!(c->fixed & BIT(i)))
			continue;
		pfm_file_add(0x309 + i, PFM_FILE_COUNTER, high);
		fields |= 0xbULL << 4 * i;
	}
	if (fields)
		pfm_file_add(0x38d, PFM_FILE_PLAIN, ~fields);
	if (intel_version() >= 2)
		intel_file_global();
}

/* What the registers say about the counters, in the order of their numbers. */
static u64 intel_counting(void)
{
	const bool global = intel_version() >= 2;
	const u64 ctrl = pfm_file_get(0x38f);
	unsigned int i, pos = intel_cpu->general;
	u64 mask = 0, sel;

	for (i = 0; i < intel_cpu->general; i++) {
		sel = pfm_file_get(0x186 + i);
		if (sel & BIT(22) && sel & (BIT(16) | BIT(17)) &&
		    (!global || ctrl & BIT_ULL(i)))
			mask |= BIT_ULL(i);
	}
	for (i = 0; i < 16; i++) {
		if (!(intel_cpu->fixed & BIT(i)))
			continue;
		sel = pfm_file_get(0x38d) >> 4 * i;
		if (sel & 3 && ctrl & BIT_ULL(32 + i))
			mask |= BIT_ULL(pos);
		pos++;
	}
	return mask;
}

/* Who counts interrupts. */
static bool intel_interrupts(void)
{
	unsigned int i;
	bool all = true;

	for (i = 0; i < intel_cpu->general; i++)
		if (pfm_file_get(0x186 + i) & BIT(22))
			all &= !!(pfm_file_get(0x186 + i) & BIT(20));
	for (i = 0; i < 16; i++)
		if (pfm_file_get(0x38d) >> 4 * i & 3)
			all &= pfm_file_get(0x38d) >> 4 * i >> 3 & 1;
	return all;
}

static const struct pfm_pmu *intel_prepare(struct kunit *test,
					   const struct intel_test_cpu *c)
{
	const struct pfm_pmu *pmu;

	pmu = pfm_file_use(test, pfm_intel_describe(&c->cpu));
	intel_file(c);
	return pmu;
}

static void intel_test_tables(struct kunit *test)
{
	const struct pfm_pmu *pmu;
	unsigned int i, n;

	for (i = 0; i < ARRAY_SIZE(intel_cpus); i++) {
		pmu = intel_prepare(test, &intel_cpus[i]);
		n = intel_cpus[i].general + hweight32(intel_cpus[i].fixed);
		KUNIT_EXPECT_EQ_MSG(test, pmu->num_pmds, n, "%s", intel_cpus[i].name);
		KUNIT_EXPECT_EQ(test, pmu->num_pmcs, n);
		KUNIT_EXPECT_EQ(test, pmu->width, intel_cpus[i].width);
		KUNIT_EXPECT_EQ(test, pmu->write_bits, intel_cpus[i].full ? 0 : 32);
		KUNIT_EXPECT_EQ(test, pmu->flags, 0U);
		if (!intel_cpus[i].fixed)
			continue;
		n = 31 - __builtin_clz(intel_cpus[i].fixed);
		KUNIT_EXPECT_EQ(test, pmu->pmds[pmu->num_pmds - 1].num, 16 + n);
		KUNIT_EXPECT_EQ(test, pmu->pmds[pmu->num_pmds - 1].index, 0x309ULL + n);
	}
}

static void intel_test_others(struct kunit *test)
{
	static const struct pfm_x86_cpu none[] = {
		{ .family = 6, .model = 8 },
		{ .vendor = X86_VENDOR_AMD, .family = 0x17 },
		{ .family = 6, .leaf_a = LEAF_A(2, 0, 48, 0, 0) },
		{ .family = 6, .leaf_a = LEAF_A(2, 4, 0, 0, 0) },
		{ .family = 6, .leaf_a = LEAF_A(2, 4, 65, 0, 0) },
		{ .family = 6, .leaf_a = LEAF_A(0, 4, 48, 0, FIXED(3, 48)) },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(none); i++)
		KUNIT_EXPECT_NULL(test, pfm_intel_describe(&none[i]));
}

static void intel_test_drive(struct kunit *test)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(intel_cpus); i++) {
		const struct pfm_pmu *pmu = intel_prepare(test, &intel_cpus[i]);

		pfm_file_drive(test, pmu, intel_counting, 0);
		KUNIT_EXPECT_TRUE(test, intel_interrupts());
		if (test->status != KUNIT_SUCCESS)
			KUNIT_FAIL(test, "%s", intel_cpus[i].name);
	}
}

/* What a program may set, and what of it tells the kernel's level. */
static void intel_test_values(struct kunit *test)
{
	const struct pfm_pmu *pmu = intel_prepare(test, &intel_cpus[3]);

	KUNIT_EXPECT_EQ(test, pmu->pmcs[0].rsvd, EVTSEL_RSVD | BIT(20));
	KUNIT_EXPECT_EQ(test, pmu->pmcs[0].def, 0x100000ULL);
	KUNIT_EXPECT_EQ(test, pmu->pmcs[8].rsvd, ~3ULL);
	KUNIT_EXPECT_FALSE(test, pmu->selects(0, BIT(22) | 0x3c));
	KUNIT_EXPECT_TRUE(test, pmu->selects(0, BIT(16)));
	KUNIT_EXPECT_TRUE(test, pmu->kernel(0, BIT(17)));
	KUNIT_EXPECT_FALSE(test, pmu->kernel(0, BIT(16)));
	KUNIT_EXPECT_TRUE(test, pmu->selects(16, 2));
	KUNIT_EXPECT_TRUE(test, pmu->kernel(17, 1));
	KUNIT_EXPECT_FALSE(test, pmu->kernel(17, 2));
	KUNIT_EXPECT_FALSE(test, pmu->selects(18, 8));
}

/* A write each to stop and to start, however many count. */
static void intel_test_cost(struct kunit *test)
{
	const struct pfm_pmu *pmu = intel_prepare(test, &intel_cpus[3]);
	u64 v[32] = { [0] = 0x1100c0, [1] = 0x11003c, [8] = 10 };
	unsigned long changed[2] = { BIT(0) | BIT(1) | BIT(8) };

	pmu->program(changed, v);
	KUNIT_EXPECT_EQ(test, pfm_file_writes(), 3U);
	pmu->start(BIT(0) | BIT(1) | BIT(8), v);
	KUNIT_EXPECT_EQ(test, pfm_file_writes(), 1U);
	KUNIT_EXPECT_EQ(test, pfm_file_get(0x38f), 3ULL | BIT_ULL(32));
	pmu->stop(BIT(0) | BIT(1) | BIT(8), v);
	KUNIT_EXPECT_EQ(test, pfm_file_writes(), 1U);
	pmu->acknowledge();
	KUNIT_EXPECT_EQ(test, pfm_file_writes(), 0U);
	KUNIT_EXPECT_EQ(test, pfm_file_faults(), 0U);
}

static void intel_test_acknowledge(struct kunit *test)
{
	const u64 foreign = BIT_ULL(55) | BIT_ULL(61);
	u64 v[32] = {};
	const struct pfm_pmu *pmu;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(intel_cpus); i++) {
		pmu = intel_prepare(test, &intel_cpus[i]);
		if (intel_version() < 2)
			continue;
		/* ZX-C, as Linux knows it. */
		if (intel_cpus[i].cpu.vendor == X86_VENDOR_CENTAUR)
			pfm_file_clears_if(0x38f);
		pfm_file_set(0x38e, intel_global_bits() | foreign | BIT_ULL(63));
		KUNIT_EXPECT_TRUE(test, pmu->acknowledge());
		KUNIT_EXPECT_EQ(test, pfm_file_get(0x38e), foreign);
		KUNIT_EXPECT_EQ(test, pfm_file_get(0x38f), 0ULL);
		pfm_file_writes();
		KUNIT_EXPECT_FALSE(test, pmu->acknowledge());
		KUNIT_EXPECT_EQ(test, pfm_file_writes(), 0U);
		pfm_file_set(0x38e, intel_global_bits());
		pmu->reset(v);
		KUNIT_EXPECT_EQ(test, pfm_file_get(0x38e), 0ULL);
		KUNIT_EXPECT_EQ(test, pfm_file_faults(), 0U);
	}

	/* The last of three fixed ones, behind a hole. */
	pmu = intel_prepare(test, &intel_cpus[5]);
	pfm_file_set(0x38e, BIT_ULL(35));
	KUNIT_EXPECT_TRUE(test, pmu->acknowledge());
	KUNIT_EXPECT_EQ(test, pfm_file_get(0x38e), 0ULL);
}

static struct kunit_case intel_cases[] = {
	KUNIT_CASE(intel_test_tables),
	KUNIT_CASE(intel_test_others),
	KUNIT_CASE(intel_test_drive),
	KUNIT_CASE(intel_test_values),
	KUNIT_CASE(intel_test_cost),
	KUNIT_CASE(intel_test_acknowledge),
	{}
};

static struct kunit_suite intel_suite = {
	.name = "perfmon-x86-intel",
	.init = pfm_file_init_alone,
	.exit = pfm_file_exit,
	.test_cases = intel_cases,
};
kunit_test_suite(intel_suite);
