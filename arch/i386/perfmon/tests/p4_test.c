// SPDX-License-Identifier: GPL-2.0-only
#include <linux/smp.h>
#include <asm/processor.h>

#include "regfile.h"

/*
 * The wiring as the manual's tables of events tell it: for each ESCR the
 * counters that it goes to, and its number there. The addresses are those of
 * the kernel's msr-index.h, not the description's.
 */
struct p4_test_escr {
	u32 msr;
	u8 select;
	u32 counters;
};

#define BPU0	(BIT(0) | BIT(1))
#define BPU1	(BIT(2) | BIT(3))
#define MS0	(BIT(4) | BIT(5))
#define MS1	(BIT(6) | BIT(7))
#define FLAME0	(BIT(8) | BIT(9))
#define FLAME1	(BIT(10) | BIT(11))
#define IQ0	(BIT(12) | BIT(13) | BIT(16))
#define IQ1	(BIT(14) | BIT(15) | BIT(17))

static const struct p4_test_escr p4_escrs[] = {
	{ MSR_P4_BSU_ESCR0, 7, BPU0 },	{ MSR_P4_BSU_ESCR1, 7, BPU1 },
	{ MSR_P4_FSB_ESCR0, 6, BPU0 },	{ MSR_P4_FSB_ESCR1, 6, BPU1 },
	{ MSR_P4_MOB_ESCR0, 2, BPU0 },	{ MSR_P4_MOB_ESCR1, 2, BPU1 },
	{ MSR_P4_PMH_ESCR0, 4, BPU0 },	{ MSR_P4_PMH_ESCR1, 4, BPU1 },
	{ MSR_P4_BPU_ESCR0, 0, BPU0 },	{ MSR_P4_BPU_ESCR1, 0, BPU1 },
	{ MSR_P4_IS_ESCR0, 1, BPU0 },	{ MSR_P4_IS_ESCR1, 1, BPU1 },
	{ MSR_P4_ITLB_ESCR0, 3, BPU0 },	{ MSR_P4_ITLB_ESCR1, 3, BPU1 },
	{ MSR_P4_IX_ESCR0, 5, BPU0 },	{ MSR_P4_IX_ESCR1, 5, BPU1 },
	{ MSR_P4_MS_ESCR0, 0, MS0 },	{ MSR_P4_MS_ESCR1, 0, MS1 },
	{ MSR_P4_TC_ESCR0, 1, MS0 },	{ MSR_P4_TC_ESCR1, 1, MS1 },
	{ MSR_P4_TBPU_ESCR0, 2, MS0 },	{ MSR_P4_TBPU_ESCR1, 2, MS1 },
	{ MSR_P4_FIRM_ESCR0, 1, FLAME0 }, { MSR_P4_FIRM_ESCR1, 1, FLAME1 },
	{ MSR_P4_FLAME_ESCR0, 0, FLAME0 }, { MSR_P4_FLAME_ESCR1, 0, FLAME1 },
	{ MSR_P4_DAC_ESCR0, 5, FLAME0 }, { MSR_P4_DAC_ESCR1, 5, FLAME1 },
	{ MSR_P4_SAAT_ESCR0, 2, FLAME0 }, { MSR_P4_SAAT_ESCR1, 2, FLAME1 },
	{ MSR_P4_U2L_ESCR0, 3, FLAME0 }, { MSR_P4_U2L_ESCR1, 3, FLAME1 },
	{ MSR_P4_CRU_ESCR0, 4, IQ0 },	{ MSR_P4_CRU_ESCR1, 4, IQ1 },
	{ MSR_P4_CRU_ESCR2, 5, IQ0 },	{ MSR_P4_CRU_ESCR3, 5, IQ1 },
	{ MSR_P4_CRU_ESCR4, 6, IQ0 },	{ MSR_P4_CRU_ESCR5, 6, IQ1 },
	{ MSR_P4_RAT_ESCR0, 2, IQ0 },	{ MSR_P4_RAT_ESCR1, 2, IQ1 },
	{ MSR_P4_ALF_ESCR0, 1, IQ0 },	{ MSR_P4_ALF_ESCR1, 1, IQ1 },
	{ MSR_P4_SSU_ESCR0, 3, IQ0 },
	{ MSR_P4_IQ_ESCR0, 0, IQ0 },	{ MSR_P4_IQ_ESCR1, 0, IQ1 },
};

#define FIRST	(BPU0 | MS0 | FLAME0 | IQ0)
#define SECOND	(BPU1 | MS1 | FLAME1 | IQ1)

/* Old and new ones without hyper-threading, and with it, on either thread. */
static const struct p4_test_cpu {
	struct pfm_x86_cpu cpu;
	unsigned int thread;
	u32 counters;
	unsigned int pmcs;
} p4_cpus[] = {
	{ { .family = 15, .model = 2, .threads = 1 }, 0, FIRST | SECOND, 65 },
	{ { .family = 15, .model = 4, .threads = 1 }, 0, FIRST | SECOND, 63 },
	{ { .family = 15, .model = 2, .threads = 2 }, 0, FIRST, 31 },
	{ { .family = 15, .model = 2, .threads = 2 }, 1, SECOND, 31 },
	{ { .family = 15, .model = 6, .threads = 2 }, 0, FIRST, 30 },
	{ { .family = 15, .model = 6, .threads = 2 }, 1, SECOND, 30 },
};

static const struct p4_test_cpu *p4_cpu;

/* What model and threads leave of the table above. */
static bool p4_exists(const struct p4_test_escr *e)
{
	if (e->msr == MSR_P4_IQ_ESCR0 || e->msr == MSR_P4_IQ_ESCR1)
		return p4_cpu->cpu.model <= 2;
	return e->msr != MSR_P4_SSU_ESCR0 || p4_cpu->cpu.threads == 1;
}

/* All that this thread may touch, and no more. */
static void p4_file(void)
{
	/* Reserved; FORCE_OVF, CASCADE; the other thread's PMI. */
	const u64 cccr = GENMASK_ULL(63, 32) | GENMASK_ULL(30, 28) | BIT(25) |
			 GENMASK_ULL(11, 0) | BIT(p4_cpu->thread ? 26 : 27);
	const u64 escr = GENMASK_ULL(63, 31) | (p4_cpu->thread ? 12 : 3);
	unsigned int i;

	for (i = 0; i < 18; i++) {
		if (!(p4_cpu->counters & BIT(i)))
			continue;
		pfm_regfile_add(MSR_P4_BPU_CCCR0 + i, PFM_REGFILE_PLAIN, cccr);
		pfm_regfile_add(MSR_P4_BPU_PERFCTR0 + i, PFM_REGFILE_COUNTER,
				GENMASK_ULL(63, 40));
	}
	for (i = 0; i < ARRAY_SIZE(p4_escrs); i++)
		if (p4_escrs[i].counters & p4_cpu->counters &&
		    p4_exists(&p4_escrs[i]))
			pfm_regfile_add(p4_escrs[i].msr, PFM_REGFILE_PLAIN, escr);
	if (p4_cpu->cpu.threads == 1) {
		pfm_regfile_add(MSR_IA32_PEBS_ENABLE, PFM_REGFILE_PLAIN,
				~(u64)(BIT(24) | GENMASK(12, 0)));
		pfm_regfile_add(MSR_P4_PEBS_MATRIX_VERT, PFM_REGFILE_PLAIN,
				GENMASK_ULL(63, 13));
	}
}

/* Which thread this is says the CPU's number, which we change meanwhile. */
static struct cpuinfo_x86 *p4_info;
static u16 p4_apicid;

static const struct pfm_pmu *p4_prepare(struct kunit *test, unsigned int n)
{
	const struct pfm_pmu *pmu;

	pmu = pfm_regfile_use(test, pfm_p4_describe(&p4_cpus[n].cpu));
	p4_cpu = &p4_cpus[n];
	p4_info->initial_apicid = (p4_info->initial_apicid & ~1) | p4_cpu->thread;
	p4_file();
	return pmu;
}

static u64 p4_counting(void)
{
	const u64 pmi = BIT_ULL(p4_cpu->thread ? 27 : 26);
	unsigned int i, pos = 0;
	u64 mask = 0, cccr;

	for (i = 0; i < 18; i++) {
		if (!(p4_cpu->counters & BIT(i)))
			continue;
		cccr = pfm_regfile_get(MSR_P4_BPU_CCCR0 + i);
		if (cccr & BIT(12) && cccr & pmi && (cccr >> 16 & 3) == 3)
			mask |= BIT_ULL(pos);
		pos++;
	}
	return mask;
}

static bool p4_allowed(unsigned int counter, unsigned int select)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(p4_escrs); i++)
		if (p4_escrs[i].select == select && p4_exists(&p4_escrs[i]) &&
		    p4_escrs[i].counters & BIT(counter))
			return true;
	return false;
}

static void p4_test_pairs(struct kunit *test)
{
	const u64 rest = BIT(12) | 3 << 16 | BIT(26);
	const struct pfm_pmu *pmu;
	unsigned int n, i, select;
	u64 value;

	for (n = 0; n < ARRAY_SIZE(p4_cpus); n++) {
		pmu = p4_prepare(test, n);
		for (i = 0; i < pmu->num_pmds; i++) {
			for (select = 0; select < 8; select++) {
				value = rest | select << 13;
				KUNIT_EXPECT_EQ_MSG(test,
					pmu->accepts(pmu, pmu->pmds[i].num, value),
					p4_allowed(pmu->pmds[i].num, select),
					"counter %u, select %u, cpu %u",
					pmu->pmds[i].num, select, n);
				KUNIT_EXPECT_TRUE(test,
					pmu->accepts(pmu, pmu->pmds[i].num,
						     value & ~BIT_ULL(12)));
			}
		}
	}
}

/* The ESCRs are there, under the names that msr-index.h has for them. */
static void p4_test_tables(struct kunit *test)
{
	const struct pfm_pmu *pmu;
	unsigned int n, i, j, found;

	for (n = 0; n < ARRAY_SIZE(p4_cpus); n++) {
		pmu = p4_prepare(test, n);
		KUNIT_EXPECT_EQ(test, pmu->num_pmcs, p4_cpus[n].pmcs);
		KUNIT_EXPECT_EQ(test, pmu->num_pmds, hweight32(p4_cpus[n].counters));
		for (i = 0; i < ARRAY_SIZE(p4_escrs); i++) {
			found = 0;
			for (j = 0; j < pmu->num_pmcs; j++)
				found += pmu->pmcs[j].index == p4_escrs[i].msr &&
					 pmu->pmcs[j].num == p4_escrs[i].msr - 0x380;
			KUNIT_EXPECT_EQ_MSG(test, found, p4_exists(&p4_escrs[i]) &&
					    (p4_cpu->cpu.threads == 1 ||
					     p4_escrs[i].counters & FIRST),
					    "%x", p4_escrs[i].msr);
		}
		for (j = 0; j < pmu->num_pmds; j++) {
			KUNIT_EXPECT_EQ(test, pmu->pmds[j].index, 0x300ULL + pmu->pmds[j].num);
			KUNIT_EXPECT_EQ(test, pmu->pmcs[j].index, 0x360ULL + pmu->pmds[j].num);
		}
	}
}

static void p4_test_drive(struct kunit *test)
{
	const struct pfm_pmu *pmu;
	unsigned int n;

	for (n = 0; n < ARRAY_SIZE(p4_cpus); n++) {
		pmu = p4_prepare(test, n);
		pfm_regfile_drive(test, pmu, p4_counting, p4_cpus[n].thread);
		if (test->status != KUNIT_SUCCESS)
			KUNIT_FAIL(test, "cpu %u", n);
	}
}

/* A program's levels become those of the thread that runs it. */
static void p4_test_threads(struct kunit *test)
{
	unsigned long changed[BITS_TO_LONGS(PFM_PMCS_MAX)] = {};
	const struct pfm_pmu *pmu;
	unsigned int escr;
	u64 v[72] = {};

	pmu = p4_prepare(test, 3);
	for (escr = 0; pmu->pmcs[escr].index != MSR_P4_CRU_ESCR0; escr++)
		;
	v[8] = BIT(12) | 4 << 13 | 3 << 16 | BIT(26);
	v[escr] = 2 << 25 | 1 << 9 | BIT(3) | BIT(2);
	pfm_regfile_reset(pmu, v);
	__set_bit(escr, changed);
	pfm_regfile_program(pmu, changed, v);
	pfm_regfile_start(pmu, BIT(8), v);
	KUNIT_EXPECT_EQ(test, pfm_regfile_get(MSR_P4_CRU_ESCR1), 2ULL << 25 | 1 << 9 | 3);
	KUNIT_EXPECT_EQ(test, pfm_regfile_get(MSR_P4_IQ_CCCR5),
			BIT_ULL(12) | 4 << 13 | 3 << 16 | BIT(27));
	pfm_regfile_write(pmu, 8, 5);
	KUNIT_EXPECT_EQ(test, pfm_regfile_get(MSR_P4_IQ_PERFCTR5), 5ULL);
	KUNIT_EXPECT_EQ(test, pfm_regfile_read(pmu, 8), 5ULL);
	pfm_regfile_stop(pmu, BIT(8), v);
	KUNIT_EXPECT_EQ(test, pfm_regfile_faults(), 0U);
}

static void p4_test_acknowledge(struct kunit *test)
{
	unsigned int n, pos, msr;
	const struct pfm_pmu *pmu;
	u64 v[72] = {};

	for (n = 0; n < ARRAY_SIZE(p4_cpus); n++) {
		pmu = p4_prepare(test, n);
		pfm_regfile_reset(pmu, v);
		/* Nothing was started: nothing is looked at. */
		KUNIT_EXPECT_FALSE(test, pfm_regfile_acknowledge(pmu, 0));
		pos = pmu->num_pmds - 2;
		msr = pmu->pmcs[pos].index + 2 * p4_cpus[n].thread;
		if (p4_cpus[n].cpu.threads == 1)
			msr = MSR_P4_IQ_CCCR4;
		v[pos] = BIT(12) | 3 << 16 | BIT(26);
		pfm_regfile_start(pmu, BIT(pos), v);
		pfm_regfile_writes();
		pfm_regfile_set(msr, pfm_regfile_get(msr) | BIT_ULL(31));
		KUNIT_EXPECT_TRUE(test, pfm_regfile_acknowledge(pmu, 0));
		KUNIT_EXPECT_EQ(test, pfm_regfile_writes(), 1U);
		/* It goes on counting. */
		KUNIT_EXPECT_EQ(test, p4_counting(), BIT_ULL(pos));
		KUNIT_EXPECT_FALSE(test, pfm_regfile_acknowledge(pmu, 0));
		pfm_regfile_stop(pmu, BIT(pos), v);
		pfm_regfile_set(msr, pfm_regfile_get(msr) | BIT_ULL(31));
		KUNIT_EXPECT_TRUE(test, pfm_regfile_acknowledge(pmu, 0));
		KUNIT_EXPECT_EQ(test, pfm_regfile_get(msr) & (BIT_ULL(31) | BIT(12)), 0ULL);
		KUNIT_EXPECT_EQ(test, pfm_regfile_faults(), 0U);
	}
}

static void p4_test_values(struct kunit *test)
{
	const struct pfm_pmu *pmu = p4_prepare(test, 1);

	KUNIT_EXPECT_EQ(test, pmu->pmcs[0].def, 0x04030000ULL);
	KUNIT_EXPECT_EQ(test, pmu->pmcs[0].rsvd, 0xfffffffffe030fffULL);
	KUNIT_EXPECT_EQ(test, pmu->pmcs[18].num, (u16)32);
	KUNIT_EXPECT_EQ(test, pmu->pmcs[18].def, 0ULL);
	KUNIT_EXPECT_EQ(test, pmu->pmcs[18].rsvd, 0xffffffff80000003ULL);
	/* An ESCR alone measures nothing, and tells the level. */
	KUNIT_EXPECT_FALSE(test, pmu->selects(pmu, 32, 12));
	KUNIT_EXPECT_TRUE(test, pmu->kernel(pmu, 32, 8));
	KUNIT_EXPECT_FALSE(test, pmu->kernel(pmu, 97, 4));
	KUNIT_EXPECT_FALSE(test, pmu->kernel(pmu, 113, 8));
	KUNIT_EXPECT_FALSE(test, pmu->kernel(pmu, 3, ~BIT_ULL(19)));
	/* No events at all are few enough, at any privilege level. */
	KUNIT_EXPECT_TRUE(test, pmu->kernel(pmu, 3, GENMASK_ULL(23, 18)));
	/* Replay tags. */
	KUNIT_EXPECT_TRUE(test, pmu->accepts(pmu, 113, 0));
	KUNIT_EXPECT_TRUE(test, pmu->accepts(pmu, 113, BIT(24) | 1));
	KUNIT_EXPECT_FALSE(test, pmu->accepts(pmu, 113, BIT(24)));
	KUNIT_EXPECT_FALSE(test, pmu->accepts(pmu, 113, 1));
}

static void p4_test_others(struct kunit *test)
{
	static const struct pfm_x86_cpu none[] = {
		{ .family = 6, .model = 8 },
		{ .vendor = X86_VENDOR_AMD, .family = 15 },
		{ .family = 15, .model = 4, .no_emon = true },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(none); i++)
		KUNIT_EXPECT_NULL(test, pfm_p4_describe(&none[i]));
}

static int p4_init(struct kunit *test)
{
	int ret = pfm_regfile_init(test);

	p4_info = &cpu_data(raw_smp_processor_id());
	p4_apicid = p4_info->initial_apicid;
	return ret;
}

static void p4_exit(struct kunit *test)
{
	/* Nothing was changed if the test was skipped. */
	if (p4_info) {
		p4_info->initial_apicid = p4_apicid;
		p4_info = NULL;
	}
	pfm_regfile_exit(test);
}

static struct kunit_case p4_cases[] = {
	KUNIT_CASE(p4_test_pairs),
	KUNIT_CASE(p4_test_tables),
	KUNIT_CASE(p4_test_drive),
	KUNIT_CASE(p4_test_threads),
	KUNIT_CASE(p4_test_acknowledge),
	KUNIT_CASE(p4_test_values),
	KUNIT_CASE(p4_test_others),
	{}
};

static struct kunit_suite p4_suite = {
	.name = "perfmon-x86-p4",
	.init = p4_init,
	.exit = p4_exit,
	.test_cases = p4_cases,
};
kunit_test_suite(p4_suite);
