// SPDX-License-Identifier: GPL-2.0-only
#include <linux/hardirq.h>
#include <asm/nmi.h>
#include <asm/processor.h>

#include "../../../../kernel/perfmon/tests/fixture.h"
#include "regfile.h"

/* Bits that some processor or other refuses: PC, AnyThread, the upper half. */
#define EVTSEL_RSVD	(BIT_ULL(19) | BIT_ULL(21) | GENMASK_ULL(63, 32))

struct intel_test_cpu {
	const char *name;
	struct pfm_x86_cpu cpu;
	u32 general;		/* masks */
	u32 fixed;
	unsigned int width;
	bool full;
	bool lbr;
};

#define LEAF_A(version, n, bits, fixed, edx)				\
	{ (version) | (n) << 8 | (bits) << 16 | 7 << 24, 0, fixed, edx }
#define FIXED(n, bits)	((n) | (bits) << 5)

static const struct intel_test_cpu *intel_cpu;

static const struct intel_test_cpu intel_cpus[] = {
	{ "Core Duo", { .family = 6, .model = 14,
	  .leaf_a = LEAF_A(1, 2, 40, 0, 0) }, 0x3, 0, 40 },
	{ "Core 2", { .family = 6, .model = 15,
	  .leaf_a = LEAF_A(2, 2, 40, 0, FIXED(3, 40)) }, 0x3, 7, 40 },
	{ "early Core 2", { .family = 6, .model = 15,
	  .leaf_a = LEAF_A(2, 2, 40, 0, 0) }, 0x3, 7, 40 },
	{ "Nehalem", { .family = 6, .model = 26, .threads = 2,
	  .leaf_a = LEAF_A(3, 4, 48, 0, FIXED(3, 48)) }, 0xf, 7, 48 },
	{ "Skylake", { .family = 6, .model = 94, .threads = 2, .extra = 0xf,
	  .leaf_a = LEAF_A(4, 8, 48, 0, FIXED(3, 48)),
	  .perf_cap = BIT(13) }, 0xff, 7, 48, true },
	{ "Ice Lake", { .family = 6, .model = 126, .threads = 2,
	  .leaf_a = LEAF_A(5, 8, 48, 0, FIXED(4, 48)),
	  .perf_cap = BIT(13) }, 0xff, 15, 48, true },
	{ "holes", { .family = 6, .leaf_a = LEAF_A(5, 6, 48, 0xa, FIXED(1, 48)),
	  .perf_cap = BIT(13) }, 0x3f, 0xb, 48, true },
	{ "everything", { .family = 6,
	  .leaf_a = LEAF_A(6, 20, 64, 0xffffffff, FIXED(31, 64)),
	  .perf_cap = BIT(13) }, 0x3ff, 0xffff, 64, true },
	{ "two widths", { .family = 6,
	  .leaf_a = LEAF_A(2, 4, 40, 0, FIXED(3, 48)) }, 0xf, 0, 40 },
	{ "32 bits", { .family = 6,
	  .leaf_a = LEAF_A(2, 4, 32, 0, FIXED(3, 32)) }, 0xf, 7, 32, true },
	{ "ZX-C", { .vendor = X86_VENDOR_CENTAUR, .family = 6, .model = 25,
	  .leaf_a = LEAF_A(2, 2, 40, 0, FIXED(3, 40)) }, 0x3, 7, 40, true },
	{ "ZX-E", { .vendor = X86_VENDOR_ZHAOXIN, .family = 7, .model = 59,
	  .leaf_a = LEAF_A(2, 4, 48, 0, FIXED(3, 48)) }, 0xf, 7, 48, true },
	{ "Coffee Lake, TSX in need of counter 3", { .family = 6, .model = 158,
	  .tsx_force_abort = true, .leaf_a = LEAF_A(4, 8, 48, 0, FIXED(3, 48)),
	  .perf_cap = BIT(13) }, 0xf7, 7, 48, true },
	{ "Sandy Bridge", { .family = 6, .model = 42, .extra = 0xf, .lbr = true,
	  .threads = 2, .leaf_a = LEAF_A(3, 4, 48, 0, FIXED(3, 48)) },
	  0xf, 7, 48, .lbr = true },
	{ "a virtual Nehalem, RDPMC faults", { .family = 6, .model = 26,
	  .hypervisor = true, .no_rdpmc = true, .extra = 0xf,
	  .leaf_a = LEAF_A(3, 4, 48, 0, 0) }, 0xf, 0, 48 },
};

/* Their positions. */
enum { CPU_NEHALEM = 3, CPU_SKYLAKE = 4, CPU_HOLES = 6, CPU_TSX = 12,
       CPU_SANDY_BRIDGE = 13, CPU_VIRTUAL = 14 };

/* What perf_events may set in 0x1a6, 0x1a7, 0x3f6 and 0x3f7; 0: not there. */
static u64 intel_extra(u32 msr)
{
	switch (msr) {
	case 0x1a6: case 0x1a7:
		if (intel_cpu->cpu.model == 42)
			return 0x3f807f8fffULL;
		return intel_cpu->cpu.model == 94 ? 0x3fffff8fffULL : 0;
	case 0x3f6:
		return intel_cpu->cpu.model == 42 || intel_cpu->cpu.model == 94 ?
		       0xffff : 0;
	case 0x3f7:
		return intel_cpu->cpu.model == 94 ? 0x7fff17 : 0;
	}
	return 0;
}

static unsigned int intel_version(void)
{
	return intel_cpu->cpu.leaf_a[0] & 0xff;
}

static u64 intel_global_bits(void)
{
	return intel_cpu->general | (u64)intel_cpu->fixed << 32;
}

static void intel_file_global(void)
{
	u64 bits = intel_global_bits();

	pfm_regfile_add(0x38e, PFM_REGFILE_RDONLY, 0);
	pfm_regfile_add(0x38f, PFM_REGFILE_PLAIN, ~bits);
	bits |= GENMASK_ULL(63, 62);
	if (intel_version() >= 3)
		bits |= BIT_ULL(61);
	if (intel_version() >= 4)
		bits |= GENMASK_ULL(60, 58) | BIT_ULL(55);
	pfm_regfile_add_peer(0x390, PFM_REGFILE_CLEAR, ~bits, 0x38e);
}

static void intel_file(const struct intel_test_cpu *c)
{
	const u64 high = c->width < 64 ? GENMASK_ULL(63, c->width % 64) : 0;
	const bool zhaoxin = c->cpu.vendor == X86_VENDOR_CENTAUR ||
			     c->cpu.vendor == X86_VENDOR_ZHAOXIN;
	static const u32 extra[] = { 0x1a6, 0x1a7, 0x3f6, 0x3f7 };
	unsigned int i;
	u64 fields = 0;

	intel_cpu = c;
	for (i = 0; i < 16; i++) {
		if (!(c->general & BIT(i)))
			continue;
		pfm_regfile_add(0x186 + i, PFM_REGFILE_PLAIN, EVTSEL_RSVD);
		if (zhaoxin)
			pfm_regfile_add(0xc1 + i, PFM_REGFILE_COUNTER, high);
		else
			pfm_regfile_add_peer(0xc1 + i, PFM_REGFILE_COUNTER32, 0, c->width);
		if (c->cpu.perf_cap & BIT(13))
			pfm_regfile_add_peer(0x4c1 + i, PFM_REGFILE_ALIAS, high,
					     0xc1 + i);
	}
	for (i = 0; i < 16; i++) {
		if (!(c->fixed & BIT(i)))
			continue;
		pfm_regfile_add(0x309 + i, PFM_REGFILE_COUNTER, high);
		fields |= 0xbULL << 4 * i;
	}
	if (fields)
		pfm_regfile_add(0x38d, PFM_REGFILE_PLAIN, ~fields);
	for (i = 0; i < ARRAY_SIZE(extra); i++)
		if (intel_extra(extra[i]))
			pfm_regfile_add(extra[i], PFM_REGFILE_PLAIN, ~intel_extra(extra[i]));
	if (intel_version() >= 2)
		intel_file_global();
	if (c->lbr)
		pfm_regfile_add_lbr();
}

/* What the registers say about the counters, in the order of their numbers. */
static u64 intel_counting(void)
{
	const bool global = intel_version() >= 2;
	const u64 ctrl = pfm_regfile_get(0x38f);
	unsigned int i, pos = 0;
	u64 mask = 0, sel;

	for (i = 0; i < 16; i++) {
		if (!(intel_cpu->general & BIT(i)))
			continue;
		sel = pfm_regfile_get(0x186 + i);
		if (sel & BIT(22) && sel & (BIT(16) | BIT(17)) &&
		    (!global || ctrl & BIT_ULL(i)))
			mask |= BIT_ULL(pos);
		pos++;
	}
	for (i = 0; i < 16; i++) {
		if (!(intel_cpu->fixed & BIT(i)))
			continue;
		sel = pfm_regfile_get(0x38d) >> 4 * i;
		if (sel & 3 && ctrl & BIT_ULL(32 + i))
			mask |= BIT_ULL(pos);
		pos++;
	}
	if (intel_cpu->lbr && pfm_regfile_lbr_is_on())
		mask |= GENMASK_ULL(pos + 32, pos);
	return mask;
}

/* Who counts interrupts. */
static bool intel_interrupts(void)
{
	unsigned int i;
	bool all = true;

	for (i = 0; i < 16; i++)
		if (pfm_regfile_get(0x186 + i) & BIT(22))
			all &= !!(pfm_regfile_get(0x186 + i) & BIT(20));
	for (i = 0; i < 16; i++)
		if (pfm_regfile_get(0x38d) >> 4 * i & 3)
			all &= pfm_regfile_get(0x38d) >> 4 * i >> 3 & 1;
	return all;
}

static const struct pfm_pmu *intel_prepare(struct kunit *test,
					   const struct intel_test_cpu *c)
{
	const struct pfm_pmu *pmu;

	pmu = pfm_regfile_use(test, pfm_intel_describe(&c->cpu));
	intel_file(c);
	if (c->cpu.model == 26 && !c->cpu.hypervisor)
		pfm_regfile_may_write_more();
	return pmu;
}

static void intel_test_tables(struct kunit *test)
{
	const struct pfm_pmd_desc *last;
	const struct pfm_pmu *pmu;
	unsigned int flags, i, n;

	for (i = 0; i < ARRAY_SIZE(intel_cpus); i++) {
		pmu = intel_prepare(test, &intel_cpus[i]);
		n = hweight32(intel_cpus[i].general) + hweight32(intel_cpus[i].fixed);
		KUNIT_EXPECT_EQ_MSG(test, pmu->num_pmds, n + 33 * intel_cpus[i].lbr,
				    "%s", intel_cpus[i].name);
		last = &pmu->pmds[n - 1];
		n += intel_cpus[i].lbr;
		n += 2 * !!intel_extra(0x1a6) + !!intel_extra(0x3f6) + !!intel_extra(0x3f7);
		KUNIT_EXPECT_EQ(test, pmu->num_pmcs, n);
		KUNIT_EXPECT_EQ(test, pmu->width, intel_cpus[i].width);
		KUNIT_EXPECT_EQ(test, pmu->pmds[0].write_bits,
				(u8)(intel_cpus[i].full ? 0 : 32));
		/* Nehalem on the metal takes counters away that another context may use. */
		flags = PFM_PMU_SHARES;
		if ((u8)intel_cpus[i].cpu.leaf_a[0] >= 2)
			flags |= PFM_PMU_GATED;
		if (intel_cpus[i].cpu.model == 26 && !intel_cpus[i].cpu.hypervisor)
			flags = PFM_PMU_UNSETTLED;
		KUNIT_EXPECT_EQ(test, pmu->flags, flags);
		if (!intel_cpus[i].fixed)
			continue;
		n = 31 - __builtin_clz(intel_cpus[i].fixed);
		KUNIT_EXPECT_EQ(test, last->num, 16 + n);
		KUNIT_EXPECT_EQ(test, last->index, 0x309ULL + n);
	}
}

static void intel_test_others(struct kunit *test)
{
	static const struct pfm_x86_cpu none[] = {
		{ .family = 6, .model = 8 },
		{ .vendor = X86_VENDOR_AMD, .family = 0x17 },
		{ .family = 6, .leaf_a = LEAF_A(2, 0, 48, 0, 0), .hypervisor = true },
		{ .family = 6, .leaf_a = LEAF_A(2, 4, 0, 0, 0) },
		{ .family = 6, .leaf_a = LEAF_A(2, 4, 65, 0, 0) },
		{ .family = 6, .leaf_a = LEAF_A(0, 4, 48, 0, FIXED(3, 48)) },
		/* Nano */
		{ .vendor = X86_VENDOR_CENTAUR, .family = 6, .model = 15, .stepping = 8,
		  .leaf_a = LEAF_A(2, 2, 40, 0, FIXED(3, 40)) },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(none); i++)
		KUNIT_EXPECT_NULL(test, pfm_intel_describe(&none[i]));
}

/* Nehalem and Haswell; Westmere, Broadwell, and another's. */
static void intel_test_min_period(struct kunit *test)
{
	static const struct {
		u8 vendor, model;
		u32 least;
	} cpus[] = {
		{ X86_VENDOR_INTEL, 26, 32 }, { X86_VENDOR_INTEL, 30, 32 },
		{ X86_VENDOR_INTEL, 46, 32 }, { X86_VENDOR_INTEL, 60, 32 },
		{ X86_VENDOR_INTEL, 63, 32 }, { X86_VENDOR_INTEL, 69, 32 },
		{ X86_VENDOR_INTEL, 70, 32 }, { X86_VENDOR_INTEL, 44, 2 },
		{ X86_VENDOR_INTEL, 61, 2 }, { X86_VENDOR_INTEL, 94, 2 },
		{ X86_VENDOR_ZHAOXIN, 26, 2 },
	};
	struct pfm_x86_cpu cpu = { .family = 6, .leaf_a = LEAF_A(3, 4, 48, 0, FIXED(3, 48)) };
	const struct pfm_pmu *pmu;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cpus); i++) {
		cpu.vendor = cpus[i].vendor;
		cpu.model = cpus[i].model;
		pmu = pfm_regfile_described(test, pfm_intel_describe(&cpu));
		KUNIT_EXPECT_EQ_MSG(test, pmu->min_period, cpus[i].least, "model %u",
				    cpus[i].model);
	}
	/* Version 1 has it, too. */
	pmu = intel_prepare(test, &intel_cpus[0]);
	KUNIT_EXPECT_EQ(test, pmu->min_period, 2U);
}

static void intel_test_drive(struct kunit *test)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(intel_cpus); i++) {
		const struct pfm_pmu *pmu = intel_prepare(test, &intel_cpus[i]);

		pfm_regfile_drive(test, pmu, intel_counting, 0);
		KUNIT_EXPECT_TRUE(test, intel_interrupts());
		if (test->status != KUNIT_SUCCESS)
			KUNIT_FAIL(test, "%s", intel_cpus[i].name);
	}
}

/* What a program may set, and what of it tells the kernel's level. */
static void intel_test_values(struct kunit *test)
{
	const struct pfm_pmu *pmu = intel_prepare(test, &intel_cpus[CPU_SKYLAKE]);

	KUNIT_EXPECT_EQ(test, pmu->pmcs[0].rsvd, EVTSEL_RSVD | BIT(20));
	KUNIT_EXPECT_EQ(test, pmu->pmcs[0].def, 0x100000ULL);
	KUNIT_EXPECT_EQ(test, pmu->pmcs[8].rsvd, ~3ULL);
	KUNIT_EXPECT_FALSE(test, pmu->selects(pmu, 0, BIT(22) | 0x3c));
	KUNIT_EXPECT_TRUE(test, pmu->selects(pmu, 0, BIT(16)));
	KUNIT_EXPECT_TRUE(test, pmu->kernel(pmu, 0, BIT(17)));
	KUNIT_EXPECT_FALSE(test, pmu->kernel(pmu, 0, BIT(16)));
	KUNIT_EXPECT_TRUE(test, pmu->selects(pmu, 16, 2));
	KUNIT_EXPECT_TRUE(test, pmu->kernel(pmu, 17, 1));
	KUNIT_EXPECT_FALSE(test, pmu->kernel(pmu, 17, 2));
	KUNIT_EXPECT_FALSE(test, pmu->selects(pmu, 18, 8));
	/* What belongs to an event has no level, and measures nothing by itself. */
	KUNIT_EXPECT_FALSE(test, pmu->selects(pmu, 32, ~0ULL));
	KUNIT_EXPECT_FALSE(test, pmu->kernel(pmu, 35, ~0ULL));
}

/* Off-core requests and their like: numbers, and where they come to be. */
static void intel_test_extra(struct kunit *test)
{
	const struct pfm_pmu *pmu = intel_prepare(test, &intel_cpus[CPU_SKYLAKE]);
	u64 v[32] = { [11] = 0x3fffff8fffULL, [13] = 0x40, [14] = 0x100410 };
	unsigned long changed[BITS_TO_LONGS(PFM_PMCS_MAX)] = { BIT(11) | BIT(13) | BIT(14) };
	unsigned int i;

	KUNIT_ASSERT_EQ(test, pmu->num_pmcs, 15U);
	for (i = 0; i < 4; i++)
		KUNIT_EXPECT_EQ(test, (unsigned int)pmu->pmcs[11 + i].num, 32 + i);
	KUNIT_EXPECT_EQ(test, pmu->pmcs[12].index, 0x1a7ULL);
	KUNIT_EXPECT_EQ(test, pmu->pmcs[12].rsvd, ~0x3fffff8fffULL);
	KUNIT_EXPECT_EQ(test, pmu->pmcs[14].rsvd, ~0x7fff17ULL);
	pfm_regfile_program(pmu, changed, v);
	KUNIT_EXPECT_EQ(test, pfm_regfile_writes(), 3U);
	KUNIT_EXPECT_EQ(test, pfm_regfile_get(0x1a6), 0x3fffff8fffULL);
	KUNIT_EXPECT_EQ(test, pfm_regfile_get(0x1a7), 0ULL);
	KUNIT_EXPECT_EQ(test, pfm_regfile_get(0x3f6), 0x40ULL);
	KUNIT_EXPECT_EQ(test, pfm_regfile_get(0x3f7), 0x100410ULL);
	pfm_regfile_reset(pmu, v);
	KUNIT_EXPECT_EQ(test, pfm_regfile_get(0x1a6), 0ULL);
	KUNIT_EXPECT_EQ(test, pfm_regfile_faults(), 0U);

	/* No register for the front end; none that threads share; none in a hybrid. */
	pmu = intel_prepare(test, &intel_cpus[CPU_SANDY_BRIDGE]);
	KUNIT_EXPECT_EQ(test, (unsigned int)pmu->pmcs[pmu->num_pmcs - 2].num, 34U);
	KUNIT_EXPECT_EQ(test, (unsigned int)pmu->pmcs[pmu->num_pmcs - 1].num, 36U);
	pmu = intel_prepare(test, &intel_cpus[CPU_VIRTUAL]);
	KUNIT_EXPECT_EQ(test, pmu->num_pmcs, pmu->num_pmds);
}

/* Which processors have which of them, all that are there. */
static void intel_test_extra_models(struct kunit *test)
{
	static const struct {
		u8 model;
		bool hybrid;
		u64 offcore, latency, frontend;
	} cpus[] = {
		{ 26 }, { 44 }, { 55 }, { 28 },
		{ 42, false, 0x3f807f8fffULL, 0xffff }, { 45, false, 0x3fffff8fffULL, 0xffff },
		{ 60, false, 0x3fffff8fffULL, 0xffff },
		{ 85, false, 0x3fffff8fffULL, 0xffff, 0x7fff17 },
		{ 106, false, 0x3fffffbfffULL, 0xffff, 0x7fff17 },
		{ 143, false, 0x3fffffffffULL, 0xffff, 0x7fff1f },
		{ 173, false, 0x3fffffffffULL, 0xffff, 0x7fff1f },
		{ 174, false, 0x3fffffffffULL, 0xffff, 0x7fff1f },
		{ 151, true, 0x3fffffffffULL, 0xffff }, { 154, true, 0x3fffffffffULL, 0xffff },
		{ 183, true, 0x3fffffffffULL, 0xffff }, { 191, true, 0x3fffffffffULL, 0xffff },
		{ 186, false, 0x3fffffffffULL, 0xffff },
		/* Alder Lake-N is a Gracemont; Meteor Lake's cores differ; and no hybrid. */
		{ 190 }, { 170, true }, { 94, true }, { 143, true },
	};
	struct pfm_x86_cpu cpu = { .family = 6 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cpus); i++) {
		cpu.model = cpus[i].model;
		cpu.hybrid = cpus[i].hybrid;
		KUNIT_EXPECT_EQ_MSG(test, pfm_x86_extra_valid(&cpu, 0), cpus[i].offcore,
				    "model %u", cpu.model);
		KUNIT_EXPECT_EQ(test, pfm_x86_extra_valid(&cpu, 1), cpus[i].offcore);
		KUNIT_EXPECT_EQ(test, pfm_x86_extra_valid(&cpu, 2), cpus[i].latency);
		KUNIT_EXPECT_EQ(test, pfm_x86_extra_valid(&cpu, 3), cpus[i].frontend);
	}
}

/* Counter 3 is left out, and the others are what they are called. */
static void intel_test_hole(struct kunit *test)
{
	const struct pfm_pmu *pmu = intel_prepare(test, &intel_cpus[CPU_TSX]);
	u64 v[32] = { [3] = 0x1100c0, [9] = 2 };
	unsigned long changed[BITS_TO_LONGS(PFM_PMCS_MAX)] = { BIT(3) | BIT(9) };

	KUNIT_EXPECT_EQ(test, (unsigned int)pmu->pmds[3].num, 4U);
	pfm_regfile_program(pmu, changed, v);
	KUNIT_EXPECT_EQ(test, pfm_regfile_get(0x18a), 0x5100c0ULL);
	pfm_regfile_start(pmu, BIT(3) | BIT(9), v);
	KUNIT_EXPECT_EQ(test, pfm_regfile_get(0x38f), BIT_ULL(4) | BIT_ULL(34));
	pfm_regfile_write(pmu, 3, 77);
	KUNIT_EXPECT_EQ(test, pfm_regfile_get(0xc5), 77ULL);
	pfm_regfile_set(0x38e, BIT_ULL(3));
	KUNIT_EXPECT_FALSE(test, pfm_regfile_acknowledge(pmu, 0));
	KUNIT_EXPECT_EQ(test, pfm_regfile_faults(), 0U);
}

/* A new event on Nehalem: the four that settle it, and then what was wanted. */
static void intel_test_settle(struct kunit *test)
{
	const struct pfm_pmu *pmu = intel_prepare(test, &intel_cpus[CPU_NEHALEM]);
	u64 v[32] = { [0] = 0x1100c0, [1] = 0x110000 | 0x3c, [4] = 2 };
	unsigned long changed[BITS_TO_LONGS(PFM_PMCS_MAX)] = { BIT(1) };

	KUNIT_EXPECT_TRUE(test, pmu->flags & PFM_PMU_UNSETTLED);
	pfm_regfile_set(0xc1, 5);
	pfm_regfile_program(pmu, changed, v);
	KUNIT_EXPECT_EQ(test, pfm_regfile_writes(), 4 + 4 + 2 + 4U);
	KUNIT_EXPECT_EQ(test, pfm_regfile_get(0xc1), 0ULL);
	KUNIT_EXPECT_EQ(test, pfm_regfile_get(0x186), 0x5100c0ULL);
	KUNIT_EXPECT_EQ(test, pfm_regfile_get(0x187), 0x51003cULL);
	KUNIT_EXPECT_EQ(test, pfm_regfile_get(0x188), 0ULL);
	KUNIT_EXPECT_EQ(test, intel_counting(), 0ULL);
	changed[0] = BIT(4);
	pfm_regfile_program(pmu, changed, v);
	KUNIT_EXPECT_EQ(test, pfm_regfile_writes(), 1U);
	/* A hypervisor's counters have no such errata. */
	pmu = intel_prepare(test, &intel_cpus[CPU_VIRTUAL]);
	KUNIT_EXPECT_FALSE(test, pmu->flags & PFM_PMU_UNSETTLED);
	changed[0] = BIT(1);
	pfm_regfile_program(pmu, changed, v);
	KUNIT_EXPECT_EQ(test, pfm_regfile_writes(), 1U);
}

/* Somebody else has switched all on; nothing has. */
static void intel_test_still(struct kunit *test)
{
	const struct pfm_pmu *pmu = intel_prepare(test, &intel_cpus[CPU_SKYLAKE]);

	pfm_regfile_set(0x38f, intel_global_bits());
	KUNIT_EXPECT_FALSE(test, pfm_regfile_still(pmu, 0));
	KUNIT_EXPECT_EQ(test, pfm_regfile_get(0x38f), 0ULL);
	pfm_regfile_writes();
	KUNIT_EXPECT_TRUE(test, pfm_regfile_still(pmu, 0));
	KUNIT_EXPECT_EQ(test, pfm_regfile_writes(), 0U);
}

/* Nothing that IA32_PERF_GLOBAL_INUSE would take for use is left. */
static void intel_test_reset(struct kunit *test)
{
	u64 v[32] = { 0x100000 };
	const struct pfm_pmu *pmu;
	unsigned int i, n;

	for (n = 0; n < ARRAY_SIZE(intel_cpus); n++) {
		pmu = intel_prepare(test, &intel_cpus[n]);
		for (i = 0; i < 16; i++)
			if (intel_cpu->general & BIT(i))
				pfm_regfile_set(0x186 + i, 0x5300c0);
		pfm_regfile_reset(pmu, v);
		for (i = 0; i < 16; i++)
			KUNIT_EXPECT_EQ(test, pfm_regfile_get(0x186 + i), 0ULL);
		KUNIT_EXPECT_EQ(test, pfm_regfile_get(0x38d), 0ULL);
		KUNIT_EXPECT_EQ(test, pfm_regfile_faults(), 0U);
	}
}

struct intel_test_pair {
	u32 a[4], b[4], want[4];
	bool lacks;		/* b has less than a */
};

static const struct intel_test_pair intel_pairs[] = {
	/* Two of a kind. */
	{ LEAF_A(5, 8, 48, 0, FIXED(4, 48)), LEAF_A(5, 8, 48, 0, FIXED(4, 48)),
	  LEAF_A(5, 8, 48, 0xf, FIXED(4, 48)) },
	/* Fewer of either kind, the one way and the other. */
	{ LEAF_A(5, 8, 48, 0xf, FIXED(4, 48)), LEAF_A(5, 6, 48, 7, FIXED(3, 48)),
	  LEAF_A(5, 6, 48, 7, FIXED(3, 48)), true },
	{ LEAF_A(5, 6, 48, 7, FIXED(3, 48)), LEAF_A(5, 8, 48, 0xf, FIXED(4, 48)),
	  LEAF_A(5, 6, 48, 7, FIXED(3, 48)) },
	/* An older version, and a hole. */
	{ LEAF_A(5, 8, 48, 0xb, FIXED(2, 48)), LEAF_A(4, 8, 48, 0, FIXED(4, 48)),
	  LEAF_A(4, 8, 48, 0xb, FIXED(2, 48)), true },
	/* Nothing in common, or no fixed counters. */
	{ LEAF_A(5, 8, 48, 0, FIXED(3, 48)), LEAF_A(2, 2, 40, 0, FIXED(3, 40)),
	  { }, true },
	{ LEAF_A(5, 8, 48, 0, FIXED(3, 48)), { }, { }, true },
	{ LEAF_A(5, 8, 48, 7, FIXED(3, 48)), LEAF_A(5, 8, 48, 0, 0),
	  LEAF_A(5, 8, 48, 0, FIXED(0, 48)), true },
	{ { }, { }, { } },
};

/* A hybrid's CPUs differ. */
static void intel_test_common(struct kunit *test)
{
	const struct intel_test_pair *p;
	unsigned int i, j;

	for (i = 0; i < ARRAY_SIZE(intel_pairs); i++) {
		struct pfm_x86_cpu all = { .perf_cap = BIT(13) };
		struct pfm_x86_cpu one = { .perf_cap = BIT(13) };

		p = &intel_pairs[i];
		memcpy(all.leaf_a, p->a, sizeof(p->a));
		memcpy(one.leaf_a, p->b, sizeof(p->b));
		KUNIT_EXPECT_EQ_MSG(test, pfm_x86_lacks(&all, &one), p->lacks, "%u", i);
		pfm_x86_common(&all, &one);
		for (j = 0; j < 4; j++)
			KUNIT_EXPECT_EQ_MSG(test, all.leaf_a[j], p->want[j], "%u", i);
		KUNIT_EXPECT_EQ(test, all.perf_cap, (u64)BIT(13));
		one.perf_cap = 0;
		KUNIT_EXPECT_TRUE(test, pfm_x86_lacks(&all, &one));
	}
}

/* A write each to stop and to start, however many count. */
static void intel_test_cost(struct kunit *test)
{
	const struct pfm_pmu *pmu = intel_prepare(test, &intel_cpus[CPU_SKYLAKE]);
	u64 v[32] = { [0] = 0x1100c0, [1] = 0x11003c, [8] = 10 };
	unsigned long changed[BITS_TO_LONGS(PFM_PMCS_MAX)] = { BIT(0) | BIT(1) | BIT(8) };

	pfm_regfile_program(pmu, changed, v);
	KUNIT_EXPECT_EQ(test, pfm_regfile_writes(), 3U);
	pfm_regfile_start(pmu, BIT(0) | BIT(1) | BIT(8), v);
	KUNIT_EXPECT_EQ(test, pfm_regfile_writes(), 1U);
	KUNIT_EXPECT_EQ(test, pfm_regfile_get(0x38f), 3ULL | BIT_ULL(32));
	pfm_regfile_stop(pmu, BIT(0) | BIT(1) | BIT(8), v);
	KUNIT_EXPECT_EQ(test, pfm_regfile_writes(), 1U);
	pfm_regfile_acknowledge(pmu, 0);
	KUNIT_EXPECT_EQ(test, pfm_regfile_writes(), 0U);
	KUNIT_EXPECT_EQ(test, pfm_regfile_faults(), 0U);
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
			pfm_regfile_clears_if(0x38f);
		pfm_regfile_set(0x38e, intel_global_bits() | foreign | BIT_ULL(63));
		KUNIT_EXPECT_TRUE(test, pfm_regfile_acknowledge(pmu, 0));
		KUNIT_EXPECT_EQ(test, pfm_regfile_get(0x38e), foreign);
		KUNIT_EXPECT_EQ(test, pfm_regfile_get(0x38f), 0ULL);
		pfm_regfile_writes();
		KUNIT_EXPECT_FALSE(test, pfm_regfile_acknowledge(pmu, 0));
		KUNIT_EXPECT_EQ(test, pfm_regfile_writes(), 0U);
		/* Cleared, but no reason for an interrupt of ours. */
		pfm_regfile_set(0x38e, GENMASK_ULL(63, 62));
		KUNIT_EXPECT_FALSE(test, pfm_regfile_acknowledge(pmu, 0));
		KUNIT_EXPECT_EQ(test, pfm_regfile_get(0x38e), 0ULL);
		pfm_regfile_set(0x38e, intel_global_bits());
		pfm_regfile_reset(pmu, v);
		KUNIT_EXPECT_EQ(test, pfm_regfile_get(0x38e), 0ULL);
		KUNIT_EXPECT_EQ(test, pfm_regfile_faults(), 0U);
	}

	/* The last of three fixed ones, behind a hole. */
	pmu = intel_prepare(test, &intel_cpus[CPU_HOLES]);
	pfm_regfile_set(0x38e, BIT_ULL(35));
	KUNIT_EXPECT_TRUE(test, pfm_regfile_acknowledge(pmu, 0));
	KUNIT_EXPECT_EQ(test, pfm_regfile_get(0x38e), 0ULL);
}

/* A period of the core's on counter 0 ends, and its NMI comes. */
static bool intel_nmi(void)
{
	unsigned long flags;
	int ret;

	pfm_regfile_set(0xc1, 3);
	pfm_regfile_overflow(0xc1, 0);
	local_irq_save(flags);
	nmi_enter();
	ret = pfm_x86_nmi(NMI_LOCAL, NULL);
	nmi_exit();
	local_irq_restore(flags);
	return ret == NMI_HANDLED;
}

static struct pfm_context *intel_context(struct kunit *test, u32 flags)
{
	struct pfm_context *ctx = pfm_fixture_context(test, 0);
	pfarg_pmc_t pmc = { .reg_value = 0x100c0, .reg_flags = flags };
	pfarg_pmd_t pmd = { .reg_value = -100ULL, .reg_long_reset = -100ULL,
			    .reg_short_reset = -100ULL };

	ctx->uses |= PFM_HOLD_PMU;
	KUNIT_EXPECT_EQ(test, pfm_fixture_write_pmc(ctx, &pmc), 0);
	KUNIT_EXPECT_EQ(test, pfm_fixture_write_pmd(ctx, &pmd), 0);
	pfm_fixture_load_hw(test, ctx);
	pfm_fixture_in(ctx);
	KUNIT_EXPECT_EQ(test, pfm_regfile_get(0x38f), 1ULL);
	return ctx;
}

/*
 * A counter that has overflowed and stays as it is, while those of another context or set start,
 * is written before LVTPC is open: it would interrupt again.
 */
static void intel_test_unmask_beside(struct kunit *test)
{
	const struct pfm_pmu *pmu = intel_prepare(test, &intel_cpus[CPU_SKYLAKE]);
	const u64 v[32] = { 0x1100c0, 0x1100c0 };
	unsigned int goes_on;

	migrate_disable();
	for (goes_on = 0; goes_on < 2; goes_on++) {
		pfm_regfile_start(pmu, BIT(0) | BIT(1), v);
		pfm_regfile_set(0xc1, 3);
		pfm_regfile_overflow(0xc1, 0);
		if (!goes_on)
			pfm_regfile_stop(pmu, BIT(0) | BIT(1), v);
		KUNIT_EXPECT_TRUE(test, pfm_regfile_acknowledge(pmu, goes_on ? BIT(0) | BIT(1) : 0));
		KUNIT_EXPECT_TRUE(test, pfm_regfile_masked());
		pfm_regfile_stop(pmu, BIT(0) | BIT(1), v);
		pfm_regfile_start(pmu, BIT(1), v);
		KUNIT_EXPECT_FALSE(test, pfm_regfile_masked());
		KUNIT_EXPECT_EQ(test, pfm_regfile_again(), 0U);
		KUNIT_EXPECT_EQ(test, pfm_regfile_get(0xc1), 3ULL);
		pfm_regfile_stop(pmu, BIT(1), v);
	}
	migrate_enable();
}

/*
 * LVTPC is open when the counters start, and not before the one that has overflowed has
 * been written: it would interrupt again.
 */
static void intel_test_unmask(struct kunit *test)
{
	const struct pfm_pmu *pmu = intel_prepare(test, &intel_cpus[CPU_SKYLAKE]);
	const struct pfm_pmu *real = pfm_fixture_swap(test, pmu);
	struct pfm_context *ctx;
	unsigned long flags;
	unsigned int i;

	migrate_disable();
	pfm_fixture_poll_late();
	ctx = intel_context(test, 0);
	for (i = 0; i < 3; i++) {
		KUNIT_EXPECT_TRUE(test, intel_nmi());
		KUNIT_EXPECT_FALSE(test, pfm_regfile_masked());
		KUNIT_EXPECT_EQ(test, pfm_regfile_again(), 0U);
		KUNIT_EXPECT_EQ(test, pfm_regfile_lost(), 0U);
		KUNIT_EXPECT_EQ(test, pfm_regfile_get(0xc1), BIT_ULL(48) - 100);
	}
	/* The counters go on, until the lock is free. */
	raw_spin_lock_irqsave(&ctx->lock, flags);
	KUNIT_EXPECT_TRUE(test, intel_nmi());
	/* They are not written meanwhile, so that LVTPC has to wait. */
	KUNIT_EXPECT_TRUE(test, pfm_regfile_masked());
	KUNIT_EXPECT_EQ(test, pfm_regfile_get(0x38f), 1ULL);
	KUNIT_EXPECT_EQ(test, pfm_regfile_again(), 0U);
	raw_spin_unlock_irqrestore(&ctx->lock, flags);
	irq_work_sync(this_cpu_ptr(&pfm_cpu.work));
	KUNIT_EXPECT_FALSE(test, pfm_regfile_masked());
	KUNIT_EXPECT_EQ(test, pfm_regfile_again(), 0U);
	KUNIT_EXPECT_EQ(test, pfm_regfile_lost(), 0U);
	KUNIT_EXPECT_EQ(test, pfm_regfile_get(0xc1), BIT_ULL(48) - 100);
	pfm_fixture_free(ctx);

	/* It is masked: nothing starts, and other users of LVTPC want to be heard. */
	ctx = intel_context(test, PFM_REGFL_OVFL_NOTIFY);
	KUNIT_EXPECT_TRUE(test, intel_nmi());
	KUNIT_EXPECT_EQ(test, (int)ctx->state, (int)PFM_MASKED);
	KUNIT_EXPECT_FALSE(test, pfm_regfile_masked());
	KUNIT_EXPECT_EQ(test, pfm_regfile_again(), 0U);
	KUNIT_EXPECT_EQ(test, pfm_regfile_get(0xc1), 3ULL);
	KUNIT_EXPECT_EQ(test, pfm_regfile_get(0x38f), 0ULL);
	pfm_fixture_free(ctx);

	pfm_fixture_disarm();
	migrate_enable();
	pfm_fixture_swap(test, real);
	KUNIT_EXPECT_EQ(test, pfm_regfile_faults(), 0U);
}

/* What nobody has programmed is not written, and neither counts nor interrupts. */
static void intel_test_rest(struct kunit *test)
{
	const struct pfm_pmu *pmu = intel_prepare(test, &intel_cpus[CPU_SKYLAKE]);
	DECLARE_BITMAP(pmcs, PFM_PMCS_MAX) = {};
	u64 v[32] = {};

	pfm_regfile_set(0x186, 0x5300c0);
	pfm_regfile_set(0x187, 0x5300c0);
	pfm_regfile_set(0x38d, 0xbb);
	pfm_regfile_set(0x38f, 0x700000003ULL);
	pfm_regfile_set(0x1a6, 1);
	pfm_regfile_writes();
	pfm_regfile_rest(pmu, pmcs);
	KUNIT_EXPECT_EQ(test, pfm_regfile_writes(), 1U);
	KUNIT_EXPECT_EQ(test, pfm_regfile_get(0x38f), 0ULL);

	/* An event of the architecture does not look at what belongs to off-core requests. */
	__set_bit(1, pmcs);
	v[1] = 0x1004c0;
	pfm_regfile_program(pmu, pmcs, v);
	KUNIT_EXPECT_EQ(test, pfm_regfile_writes(), 1U);
	KUNIT_EXPECT_EQ(test, pfm_regfile_get(0x1a6), 1ULL);
	v[1] = 0x1001b7;
	pfm_regfile_program(pmu, pmcs, v);
	KUNIT_EXPECT_EQ(test, pfm_regfile_get(0x1a6), 0ULL);
	pfm_regfile_writes();
	pfm_regfile_program(pmu, pmcs, v);
	KUNIT_EXPECT_EQ(test, pfm_regfile_writes(), 1U);

	__set_bit(8, pmcs);
	pfm_regfile_rest(pmu, pmcs);
	KUNIT_EXPECT_EQ(test, pfm_regfile_writes(), 3U);
	KUNIT_EXPECT_EQ(test, pfm_regfile_get(0x186), 0x5300c0ULL);
	KUNIT_EXPECT_EQ(test, pfm_regfile_get(0x187), 0ULL);
	KUNIT_EXPECT_EQ(test, pfm_regfile_get(0x38d), 0ULL);
	KUNIT_EXPECT_EQ(test, pfm_regfile_faults(), 0U);

	/* On the metal Nehalem's counters are settled by others' controls: all are reset. */
	pmu = intel_prepare(test, &intel_cpus[CPU_NEHALEM]);
	KUNIT_EXPECT_NULL(test, pmu->rest);
	KUNIT_EXPECT_FALSE(test, pmu->flags & PFM_PMU_GATED);
}

static struct kunit_case intel_cases[] = {
	KUNIT_CASE(intel_test_rest),
	KUNIT_CASE(intel_test_tables),
	KUNIT_CASE(intel_test_others),
	KUNIT_CASE(intel_test_min_period),
	KUNIT_CASE(intel_test_drive),
	KUNIT_CASE(intel_test_values),
	KUNIT_CASE(intel_test_extra),
	KUNIT_CASE(intel_test_extra_models),
	KUNIT_CASE(intel_test_hole),
	KUNIT_CASE(intel_test_settle),
	KUNIT_CASE(intel_test_still),
	KUNIT_CASE(intel_test_reset),
	KUNIT_CASE(intel_test_common),
	KUNIT_CASE(intel_test_cost),
	KUNIT_CASE(intel_test_acknowledge),
	KUNIT_CASE(intel_test_unmask),
	KUNIT_CASE(intel_test_unmask_beside),
	{}
};

static struct kunit_suite intel_suite = {
	.name = "perfmon-x86-intel",
	.init = pfm_regfile_init,
	.exit = pfm_regfile_exit,
	.test_cases = intel_cases,
};
kunit_test_suite(intel_suite);
