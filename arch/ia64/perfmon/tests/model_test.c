// SPDX-License-Identifier: GPL-2.0-only
/*
 * The descriptions, and their operations without a context, on registers in memory.
 */
#include <linux/bitmap.h>
#include <linux/irqflags.h>
#include <linux/preempt.h>
#include <linux/prandom.h>
#include <linux/slab.h>

#include "pfm.h"
#include "../hooks.h"
#include "regfile.h"

#define ROUNDS		500
#define MODEL_REGS	48	/* no description has more of a kind */
#define USER	PFM_IA64_PLM_USER

static const struct pfm_pmu *model_use(struct kunit *test, enum pfm_itc_kind kind)
{
	const struct pfm_pmu *pmu = pfm_itc_describe(kind);

	KUNIT_ASSERT_NOT_NULL(test, pmu);
	KUNIT_ASSERT_EQ(test, pfm_pmu_validate(pmu), 0);
	KUNIT_EXPECT_STREQ(test, pmu->name, pfm_itc_names[kind]);
	pfm_itc_make(test, kind);
	return pmu;
}

static void model_done(struct kunit *test, const struct pfm_pmu *pmu)
{
	KUNIT_EXPECT_EQ_MSG(test, pfm_itc_faults(), 0U, "%s", pmu->name);
	kfree_const(pmu);
}

static void model_defaults(const struct pfm_pmu *pmu, u64 *v)
{
	unsigned int i;

	for (i = 0; i < pmu->num_pmcs; i++)
		v[i] = pmu->pmcs[i].def;
}

static u64 model_value(struct rnd_state *rnd)
{
	return (u64)prandom_u32_state(rnd) << 32 | prandom_u32_state(rnd);
}

/* What a program that writes @value gets. */
static u64 model_fit(const struct pfm_pmu *pmu, unsigned int i, u64 value, u32 ctx_flags)
{
	const struct pfm_pmc_desc *d = &pmu->pmcs[i];

	return pmu->rules->adapt(pmu, d->num, (value & ~d->rsvd) | (d->def & d->rsvd), ctx_flags);
}

static void model_test_processors(struct kunit *test)
{
	static const struct {
		u8 family, model;
		const char *name;	/* NULL: not without the firmware's word */
	} known[] = {
		{ 0x07, 0, "Itanium" }, { 0x07, 7, "Itanium" },
		{ 0x1f, 0, "Itanium 2" }, { 0x1f, 2, "Itanium 2" },
		{ 0x20, 0, "Itanium 2 dual-core" }, { 0x20, 1, "Itanium 2 dual-core" },
		{ 0x20, 2 }, { 0x21, 0 }, { 0, 0 }, { 0x08, 0 },
	};
	struct pfm_ia64_cpu cpu;
	const struct pfm_pmu *pmu;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(known); i++) {
		cpu = (struct pfm_ia64_cpu){
			.family = known[i].family, .model = known[i].model,
		};
		pmu = pfm_ia64_describe(&cpu);
		KUNIT_EXPECT_STREQ(test, pmu ? pmu->name : "", known[i].name ?: "");
		kfree_const(pmu);
	}
	/* As PAL says it of an Itanium 2, which this is not. */
	cpu = (struct pfm_ia64_cpu){
		.family = 0x21, .known = true, .counters = 4, .width = 47,
		.pmcs = 0xffff, .pmds = 0x3ffff,
	};
	pmu = pfm_ia64_describe(&cpu);
	KUNIT_ASSERT_NOT_NULL(test, pmu);
	KUNIT_EXPECT_EQ(test, pfm_pmu_validate(pmu), 0);
	KUNIT_EXPECT_EQ(test, pmu->num_pmcs, 4U);
	KUNIT_EXPECT_EQ(test, pmu->num_pmds, 4U);
	KUNIT_EXPECT_EQ(test, pmu->width, 47U);
	kfree_const(pmu);
	cpu.pmds = 0x3f;
	pmu = pfm_ia64_describe(&cpu);
	KUNIT_ASSERT_NOT_NULL(test, pmu);
	KUNIT_EXPECT_EQ(test, pmu->num_pmds, 2U);
	kfree_const(pmu);
	cpu.width = 0;
	KUNIT_EXPECT_NULL(test, pfm_ia64_describe(&cpu));
}

/* PMC and PMD n are register n; then debug registers, where there are any (5.1, 5.6.1). */
static void model_test_registers(struct kunit *test)
{
	static const unsigned int pmcs[ITC_KINDS] = { 10, 12, 22, 8 };
	static const unsigned int pmds[ITC_KINDS] = { 18, 18, 35, 8 };
	static const unsigned int counters[ITC_KINDS] = { 4, 4, 12, 8 };
	const struct pfm_pmu *pmu;
	unsigned int kind, i, n;

	for (kind = 0; kind < ITC_KINDS; kind++) {
		pmu = model_use(test, kind);
		KUNIT_EXPECT_EQ(test, pmu->num_pmcs, pmcs[kind] + (kind == ITC_GENERIC ? 0 : 16));
		KUNIT_EXPECT_EQ(test, pmu->num_pmds, pmds[kind]);
		for (i = 0; i < pmcs[kind]; i++) {
			n = pmu->pmcs[i].num;
			KUNIT_EXPECT_EQ(test, pmu->pmcs[i].type, (u16)PFM_REG_TYPE_PMC);
			KUNIT_EXPECT_EQ(test, pmu->pmcs[i].index, (u64)n);
			KUNIT_EXPECT_TRUE(test, n > 3 && pfm_itc_has(PFM_IA64_PMCS, n));
		}
		for (; i < pmu->num_pmcs; i++) {
			n = i - pmcs[kind];
			KUNIT_EXPECT_EQ(test, pmu->pmcs[i].num, 256 + n);
			KUNIT_EXPECT_EQ(test, (int)pmu->pmcs[i].type,
					n < 8 ? PFM_REG_TYPE_IBR : PFM_REG_TYPE_DBR);
			KUNIT_EXPECT_EQ(test, pmu->pmcs[i].index, (u64)n % 8);
			KUNIT_EXPECT_EQ(test, pmu->pmcs[i].def, 0ULL);
			KUNIT_EXPECT_EQ(test, pmu->pmcs[i].flags, (u16)PFM_PMC_CLAIMED);
		}
		for (i = 0, n = 0; i < pmu->num_pmds; i++) {
			n += pmu->pmds[i].flags & PFM_PMD_COUNTER;
			KUNIT_EXPECT_EQ(test, pmu->pmds[i].index, (u64)pmu->pmds[i].num);
			KUNIT_EXPECT_TRUE(test, pfm_itc_has(PFM_IA64_PMDS, pmu->pmds[i].num));
		}
		KUNIT_EXPECT_EQ(test, n, counters[kind]);
		model_done(test, pmu);
	}
}

/* Whatever a program writes, the manual allows it, and it can be read back. */
static void model_test_values(struct kunit *test)
{
	DECLARE_BITMAP(changed, PFM_PMCS_MAX);
	u64 v[MODEL_REGS];
	const struct pfm_pmu *pmu;
	struct rnd_state rnd;
	unsigned int kind, i, n;
	unsigned long flags;
	struct pfm_run run = { .v = v };

	for (kind = 0; kind < ITC_KINDS; kind++) {
		pmu = model_use(test, kind);
		prandom_seed_state(&rnd, kind);
		model_defaults(pmu, v);
		pfm_itc_break();
		local_irq_save(flags);
		pmu->reset(pmu, v);
		for (n = 0; n < ROUNDS; n++) {
			i = prandom_u32_state(&rnd) % pmu->num_pmcs;
			if (pmu->pmcs[i].flags & PFM_PMC_CLAIMED)
				continue;
			v[i] = model_fit(pmu, i, model_value(&rnd),
					 n & 1 ? PFM_FL_SYSTEM_WIDE : 0);
			bitmap_zero(changed, PFM_PMCS_MAX);
			__set_bit(i, changed);
			pmu->program(pmu, changed, &run);
			KUNIT_EXPECT_EQ(test, pfm_itc_get(PFM_IA64_PMCS, pmu->pmcs[i].index), v[i]);
		}
		local_irq_restore(flags);
		model_done(test, pmu);
	}
}

/* Monitors are of the kind of context, at each register that has the bit (5.2, 6.4.1). */
static void model_test_kind(struct kunit *test)
{
	static const u64 at6[ITC_KINDS] = { 0x1cf0, 0x18f0, 0x1800000fff0ULL, 0xff0 };
	static const u64 at4[ITC_KINDS] = { 0, 0x400, 0x2000000000ULL, 0 };
	static const u32 privileged[] = { PFM_FL_SYSTEM_WIDE, PFM_ITA_FL_PRIV_MONITORS };
	const struct pfm_pmu *pmu;
	unsigned int kind, i, j;
	u64 pm;

	for (kind = 0; kind < ITC_KINDS; kind++) {
		pmu = model_use(test, kind);
		for (i = 0; i < pmu->num_pmcs; i++) {
			const unsigned int num = pmu->pmcs[i].num;

			pm = 0;
			if (num < 64 && at6[kind] & BIT_ULL(num))
				pm = BIT(6);
			else if (num < 64 && at4[kind] & BIT_ULL(num))
				pm = BIT(4);
			KUNIT_EXPECT_EQ(test, pmu->rules->adapt(pmu, num, ~0ULL, 0), ~pm);
			KUNIT_EXPECT_EQ(test, pmu->rules->adapt(pmu, num, 0, 0), 0ULL);
			for (j = 0; j < ARRAY_SIZE(privileged); j++) {
				KUNIT_EXPECT_EQ(test, pmu->rules->adapt(pmu, num, ~0ULL, privileged[j]),
						~0ULL);
				KUNIT_EXPECT_EQ(test, pmu->rules->adapt(pmu, num, 0, privileged[j]), pm);
			}
			/* Registers that have one measure; all others do not. */
			KUNIT_EXPECT_EQ(test, pmu->selects(pmu, num, ~0ULL), !!pm);
			KUNIT_EXPECT_FALSE(test, pmu->selects(pmu, num, ~0xfULL));
			KUNIT_EXPECT_EQ(test, pmu->kernel(pmu, num, 1), !!pm);
			KUNIT_EXPECT_FALSE(test, pmu->kernel(pmu, num, ~7ULL));
		}
		model_done(test, pmu);
	}
}

/* Which flags go together (5.4.1, 5.5.1, 5.5.2, 6.4.1). */
static void model_test_flags(struct kunit *test)
{
	const u32 system = PFM_FL_SYSTEM_WIDE, insecure = PFM_ITA_FL_INSECURE;
	const u32 priv = PFM_ITA_FL_PRIV_MONITORS;
	const u32 excl = PFM_ITA_SETFL_EXCL_INTR, only = PFM_ITA_SETFL_INTR_ONLY;
	const struct {
		u32 ctx, set;
		bool ok;
	} cases[] = {
		{ 0, 0, true }, { insecure, 0, true }, { priv, 0, true },
		{ priv | insecure, 0, true }, { system, 0, true },
		{ system | insecure, 0, false }, { system | priv, 0, false },
		{ 0, excl, false }, { insecure, excl, false }, { 0, only, false },
		{ priv, excl, true }, { priv, only, true }, { priv, excl | only, false },
		{ system, excl, true }, { system, only, true },
		{ system, excl | only, false },
		{ system, excl | PFM_SETFL_EXCL_IDLE, true },
		{ system, only | PFM_SETFL_EXCL_IDLE, true },
	};
	u64 v[MODEL_REGS];
	const struct pfm_pmu *pmu;
	unsigned int kind, i;

	for (kind = 0; kind < ITC_KINDS; kind++) {
		pmu = model_use(test, kind);
		model_defaults(pmu, v);
		KUNIT_EXPECT_EQ(test, pmu->rules->ctx_flags, insecure | priv);
		KUNIT_EXPECT_EQ(test, pmu->rules->set_flags, excl | only);
		for (i = 0; i < ARRAY_SIZE(cases); i++) {
			const struct pfm_run run = {
				.v = v, .ctx_flags = cases[i].ctx, .set_flags = cases[i].set,
			};

			KUNIT_EXPECT_EQ_MSG(test, pmu->rules->admits(pmu, &run), cases[i].ok,
					    "case %u", i);
		}
		model_done(test, pmu);
	}
}

/* No breakpoint can be set; and what a range control looks at (5.6.2, 5.6.3). */
static void model_test_debug_values(struct kunit *test)
{
	static const struct {
		enum pfm_itc_kind kind;
		unsigned int num;
		u64 value;
		bool code, data;
	} claims[] = {
		{ ITC_ITANIUM, 13, 0x0003ffff00000000ULL, true, false },
		{ ITC_ITANIUM, 11, 0, false, true },
		{ ITC_ITANIUM, 11, 0x1000000f, false, false },
		{ ITC_ITANIUM, 12, 0, false, false },
		{ ITC_ITANIUM2, 14, 0x0db60db60db60db4ULL, true, false },
		{ ITC_ITANIUM2, 14, 0x0db60db60db609b6ULL, true, false },
		{ ITC_ITANIUM2, 14, 0x0db60db60db62db6ULL, false, false },
		{ ITC_ITANIUM2, 13, 0x2078fefefee6ULL, false, true },
		{ ITC_ITANIUM2, 13, 0x0078fefefee6ULL, false, false },
		{ ITC_ITANIUM2, 13, 0x1e078fefefefeULL, false, false },
		{ ITC_MONTECITO, 38, 0xda6, true, false },
		{ ITC_MONTECITO, 38, 0x2db6, false, false },
		{ ITC_MONTECITO, 41, 0x1e078e6fefefeULL, false, true },
		{ ITC_GENERIC, 13, 0, false, false },
	};
	const struct pfm_pmu *pmu;
	unsigned int kind, i, num;
	u64 claimed;

	for (kind = 0; kind < ITC_GENERIC; kind++) {
		pmu = model_use(test, kind);
		/* Ignored bits are reserved: ibr_ig, dbr_ig; an address has none. */
		for (num = 0; num < 16; num++)
			KUNIT_EXPECT_EQ(test, pmu->pmcs[pmu->num_pmcs - 16 + num].rsvd,
					!(num & 1) ? 0ULL : num < 8 ? 7ULL << 60 : 3ULL << 60);
		for (num = 256; num < 272; num++) {
			const bool odd = num & 1, data = num >= 264;

			KUNIT_EXPECT_TRUE(test, pmu->accepts(pmu, num, GENMASK_ULL(59, 0)));
			KUNIT_EXPECT_EQ(test, pmu->accepts(pmu, num, BIT_ULL(63)), !odd);
			if (data)
				KUNIT_EXPECT_EQ(test, pmu->accepts(pmu, num, BIT_ULL(62)), !odd);
		}
		KUNIT_EXPECT_TRUE(test, pmu->accepts(pmu, 9, ~0ULL));
		model_done(test, pmu);
	}
	for (i = 0; i < ARRAY_SIZE(claims); i++) {
		pmu = model_use(test, claims[i].kind);
		claimed = pmu->rules->claims(pmu, claims[i].num, claims[i].value);
		for (num = 0; num < pmu->num_pmcs; num++) {
			const u16 type = pmu->pmcs[num].type;

			KUNIT_EXPECT_EQ_MSG(test, !!(claimed & BIT_ULL(num)),
					    (type == PFM_REG_TYPE_IBR && claims[i].code) ||
					    (type == PFM_REG_TYPE_DBR && claims[i].data),
					    "case %u", i);
		}
		model_done(test, pmu);
	}
}

/* Whatever firmware left, PMC42 of the dual-core Itanium 2 leaves the trace buffer alone. */
static void model_test_not_offered(struct kunit *test)
{
	const struct pfm_pmu *pmu;
	unsigned int kind;
	unsigned long flags;
	u64 v[MODEL_REGS];

	for (kind = 0; kind < ITC_KINDS; kind++) {
		pmu = model_use(test, kind);
		model_defaults(pmu, v);
		pfm_itc_set(PFM_IA64_PMCS, 42, 0x30f);
		pfm_itc_break();
		local_irq_save(flags);
		pmu->reset(pmu, v);
		local_irq_restore(flags);
		KUNIT_EXPECT_EQ_MSG(test, pfm_itc_get(PFM_IA64_PMCS, 42), 0ULL, "%s", pmu->name);
		model_done(test, pmu);
	}
}

/* Controls of Itanium 2 that tag cache events wrongly together. */
static void model_test_tagged(struct kunit *test)
{
	static const struct {
		u64 pairs, ranges, opcode;
		bool ok;
	} cases[] = {
		{ 0x2078fefefefeULL, 0x0db60db60db60db4ULL, 0xffffffff3ffffffeULL, true },
		{ 0x0078fefefefeULL, 0x0db60db60db60db4ULL, 0xffffffff3ffffffeULL, false },
		{ 0x0078fefefefeULL, 0x0db60db60db60da6ULL, 0xffffffff3ffffffeULL, false },
		{ 0x0078fefefefeULL, 0x0db60db60db60db4ULL, 0xffffffff3fffffffULL, true },
		{ 0x0078fefefefeULL, 0x0db60db60db60db6ULL, 0xffffffff3ffffffeULL, true },
	};
	u64 v[MODEL_REGS];
	const struct pfm_pmu *pmu;
	struct pfm_run run = { .v = v };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		pmu = model_use(test, ITC_ITANIUM2);
		model_defaults(pmu, v);
		v[13 - 4] = cases[i].pairs;
		v[14 - 4] = cases[i].ranges;
		v[8 - 4] = cases[i].opcode;
		KUNIT_EXPECT_EQ_MSG(test, pmu->rules->admits(pmu, &run), cases[i].ok, "case %u", i);
		model_done(test, pmu);
		pmu = model_use(test, ITC_MONTECITO);
		model_defaults(pmu, v);
		v[21] = cases[i].pairs;
		v[18] = cases[i].ranges & 0xffff;
		v[12] = cases[i].opcode & 1 ? 0x030f01ffffffffffULL : 0x010f01ffffffffffULL;
		KUNIT_EXPECT_EQ_MSG(test, pmu->rules->admits(pmu, &run), cases[i].ok, "case %u", i);
		model_done(test, pmu);
	}
}

/* A counter of the whole core would show what the other thread there does. */
static void model_test_core(struct kunit *test)
{
	const u64 all = BIT_ULL(26), lines = GENMASK_ULL(30, 27);
	u64 v[MODEL_REGS];
	struct pfm_run run = { .v = v };
	const struct pfm_pmu *pmu = model_use(test, ITC_MONTECITO);
	unsigned int i;

	for (i = 0; i < 12; i++) {
		model_defaults(pmu, v);
		v[i] = model_fit(pmu, i, lines | USER, 0);
		run.ctx_flags = 0;
		KUNIT_EXPECT_TRUE(test, pmu->rules->admits(pmu, &run));
		v[i] = model_fit(pmu, i, all | USER, 0);
		KUNIT_EXPECT_FALSE(test, pmu->rules->admits(pmu, &run));
		run.ctx_flags = PFM_ITA_FL_PRIV_MONITORS;
		KUNIT_EXPECT_FALSE(test, pmu->rules->admits(pmu, &run));
		run.ctx_flags = PFM_FL_SYSTEM_WIDE;
		KUNIT_EXPECT_TRUE(test, pmu->rules->admits(pmu, &run));
	}
	/* That bit of an opcode matcher is part of a mask. */
	model_defaults(pmu, v);
	run.ctx_flags = 0;
	KUNIT_EXPECT_NE(test, v[12] & all, 0ULL);
	KUNIT_EXPECT_TRUE(test, pmu->rules->admits(pmu, &run));
	model_done(test, pmu);
}

/* Only what is asked for counts, at its level, however the set was before. */
static void model_round(struct kunit *test, const struct pfm_pmu *pmu, struct rnd_state *rnd,
			u64 *v)
{
	DECLARE_BITMAP(changed, PFM_PMCS_MAX);
	struct pfm_run run = {
		.v = v, .task = pfm_itc_current()->task,
		.pmds = model_value(rnd) & GENMASK_ULL(pmu->num_pmds - 1, 0),
	};
	u64 before[MODEL_REGS], now, want;
	unsigned int i, c;

	bitmap_zero(changed, PFM_PMCS_MAX);
	for (i = 0; i < pmu->num_pmcs; i++) {
		if (!pmu->selects(pmu, pmu->pmcs[i].num, 0xf) || prandom_u32_state(rnd) & 1)
			continue;
		v[i] = model_fit(pmu, i, prandom_u32_state(rnd) & 0xf, 0);
		if (!pmu->selects(pmu, pmu->pmcs[i].num, v[i]))
			v[i] |= USER;
		__set_bit(i, changed);
	}
	pmu->program(pmu, changed, &run);
	for (i = 0; i < pmu->num_pmds; i++) {
		/* What is not measured is not in use. */
		for (c = 0; pmu->pmcs[c].num != pmu->pmds[i].ctrl; c++)
			;
		if (!pmu->selects(pmu, pmu->pmcs[c].num, v[c]))
			run.pmds &= ~BIT_ULL(i);
		pmu->write(pmu, i, i * 1000);
		before[i] = pmu->read(pmu, i);
		KUNIT_EXPECT_EQ(test, before[i], i * 1000ULL);
	}
	*pfm_ia64_file->user_psr(run.task) |= PFM_IA64_PSR_UP;
	for (i = 0; i < 2; i++) {
		pfm_itc_writes();
		pmu->start(pmu, &run);
		if (i)
			KUNIT_EXPECT_EQ(test, pfm_itc_writes(), 1U);
		pfm_itc_count(0, 3);
		pfm_itc_writes();
		pmu->stop(pmu, &run);
		KUNIT_EXPECT_EQ(test, pfm_itc_writes(), 1U);
		pfm_itc_count(0, 100);
	}
	for (i = 0; i < pmu->num_pmds; i++) {
		for (c = 0; pmu->pmcs[c].num != pmu->pmds[i].ctrl; c++)
			;
		want = before[i];
		if (run.pmds & BIT_ULL(i) && pmu->pmds[i].flags & PFM_PMD_COUNTER && v[c] & 1)
			want += 6;
		now = pmu->read(pmu, i);
		KUNIT_EXPECT_EQ_MSG(test, now, want, "%s PMD%u", pmu->name, pmu->pmds[i].num);
	}
}

static void model_test_drive(struct kunit *test)
{
	const struct pfm_pmu *pmu;
	struct rnd_state rnd;
	u64 v[MODEL_REGS];
	unsigned int kind, i;
	unsigned long flags;

	for (kind = 0; kind < ITC_KINDS; kind++) {
		pmu = model_use(test, kind);
		prandom_seed_state(&rnd, kind);
		model_defaults(pmu, v);
		/* As some firmware might leave it. */
		for (i = 4; i < 8; i++)
			pfm_itc_set(PFM_IA64_PMCS, i, 0x2f);
		pfm_itc_break();
		local_irq_save(flags);
		pmu->reset(pmu, v);
		KUNIT_EXPECT_TRUE(test, pfm_itc_routed());
		for (i = 0; i < ROUNDS && test->status == KUNIT_SUCCESS; i++)
			model_round(test, pmu, &rnd, v);
		local_irq_restore(flags);
		model_done(test, pmu);
	}
}

/* From the event before a carry: frozen at it, and told. */
static void model_test_overflow(struct kunit *test)
{
	DECLARE_BITMAP(changed, PFM_PMCS_MAX);
	u64 v[MODEL_REGS];
	struct pfm_run run = { .v = v }, none = { .v = v };
	const struct pfm_pmu *pmu;
	unsigned int kind, i;
	unsigned long flags;

	for (kind = 0; kind < ITC_KINDS; kind++) {
		pmu = model_use(test, kind);
		model_defaults(pmu, v);
		pfm_itc_break();
		local_irq_save(flags);
		pmu->reset(pmu, v);
		run.task = pfm_itc_current()->task;
		*pfm_ia64_file->user_psr(run.task) |= PFM_IA64_PSR_UP;
		for (i = 0; i < pmu->num_pmds; i++) {
			if (!(pmu->pmds[i].flags & PFM_PMD_COUNTER))
				continue;
			bitmap_zero(changed, PFM_PMCS_MAX);
			/* The controls of counters stand first, in their order. */
			__set_bit(pmu->pmds[i].num - 4, changed);
			v[pmu->pmds[i].num - 4] |= 1;
			run.pmds = BIT_ULL(i);
			pmu->program(pmu, changed, &run);
			pmu->write(pmu, i, GENMASK_ULL(pmu->width - 1, 0));
			KUNIT_EXPECT_EQ(test, pmu->read(pmu, i), GENMASK_ULL(pmu->width - 1, 0));
			pmu->start(pmu, &run);
			KUNIT_EXPECT_FALSE(test, pfm_itc_pending());
			pfm_itc_count(0, 1);
			pfm_itc_count(0, 5);
			KUNIT_EXPECT_TRUE(test, pfm_itc_pending());
			pmu->stop(pmu, &run);
			KUNIT_EXPECT_EQ(test, pmu->read(pmu, i), 0ULL);
			KUNIT_EXPECT_TRUE(test, pmu->acknowledge(pmu, &none));
			KUNIT_EXPECT_FALSE(test, pmu->acknowledge(pmu, &none));
			KUNIT_EXPECT_EQ(test, pfm_itc_get(PFM_IA64_PMCS, 0), 1ULL);
			/* One that is found in a section goes on. */
			pmu->write(pmu, i, GENMASK_ULL(pmu->width - 1, 0));
			pmu->start(pmu, &run);
			pfm_itc_count(0, 1);
			KUNIT_EXPECT_TRUE(test, pfm_itc_pending());
			KUNIT_EXPECT_TRUE(test, pmu->acknowledge(pmu, &run));
			pfm_itc_count(0, 7);
			pmu->stop(pmu, &run);
			KUNIT_EXPECT_EQ(test, pmu->read(pmu, i), 7ULL);
		}
		local_irq_restore(flags);
		model_done(test, pmu);
	}
}

/* Debuggers and ranges exclude each other, until the last of them is gone (5.6.2). */
static void model_test_debuggers(struct kunit *test)
{
	const struct pfm_pmu *pmu = pfm_itc_describe(ITC_ITANIUM2);

	KUNIT_ASSERT_EQ(test, pmu->acquire(pmu, PFM_HOLD_PMU), 0);
	KUNIT_EXPECT_TRUE(test, pfm_debug_begin());
	KUNIT_EXPECT_TRUE(test, pfm_debug_begin());
	KUNIT_EXPECT_EQ(test, pmu->acquire(pmu, PFM_HOLD_CLAIMED), -EBUSY);
	pfm_debug_end();
	KUNIT_EXPECT_EQ(test, pmu->acquire(pmu, PFM_HOLD_CLAIMED), -EBUSY);
	pfm_debug_end();
	KUNIT_ASSERT_EQ(test, pmu->acquire(pmu, PFM_HOLD_CLAIMED), 0);
	KUNIT_EXPECT_FALSE(test, pfm_debug_begin());
	pmu->release(pmu, PFM_HOLD_CLAIMED);
	KUNIT_EXPECT_TRUE(test, pfm_debug_begin());
	pfm_debug_end();
	pmu->release(pmu, PFM_HOLD_PMU);
}

static struct kunit_case model_cases[] = {
	KUNIT_CASE(model_test_processors),
	KUNIT_CASE(model_test_registers),
	KUNIT_CASE(model_test_values),
	KUNIT_CASE(model_test_kind),
	KUNIT_CASE(model_test_flags),
	KUNIT_CASE(model_test_debug_values),
	KUNIT_CASE(model_test_not_offered),
	KUNIT_CASE(model_test_tagged),
	KUNIT_CASE(model_test_core),
	KUNIT_CASE(model_test_drive),
	KUNIT_CASE(model_test_overflow),
	KUNIT_CASE(model_test_debuggers),
	{}
};

static int model_init(struct kunit *test)
{
	migrate_disable();
	pfm_itc_make(test, ITC_ITANIUM);
	return 0;
}

static void model_exit(struct kunit *test)
{
	pfm_itc_exit(test);
	migrate_enable();
}

static struct kunit_suite model_suite = {
	.name = "perfmon-ia64-models",
	.init = model_init,
	.exit = model_exit,
	.test_cases = model_cases,
};
kunit_test_suite(model_suite);
