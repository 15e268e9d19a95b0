// SPDX-License-Identifier: GPL-2.0-only
/*
 * The register file, and what is tested with every PMU. Registers are where
 * the manuals have them and fault when the manuals say so; nothing here is
 * taken from the descriptions. Of the local APIC there is LVTPC, masked or not. Not
 * covered: RDPMC's numbers (the file is read by MSR in its stead) and reservation,
 * which are the real machine's.
 */
#include <linux/bitmap.h>
#include <linux/irqflags.h>
#include <linux/prandom.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "pfm.h"
#include "regfile.h"

#define PFM_REGFILE_REGS	160
#define PFM_REGFILE_ROUNDS	1000

static struct pfm_regfile_reg pfm_regfile[PFM_REGFILE_REGS];
static unsigned int pfm_regfile_len;
static unsigned int pfm_regfile_bad;
static unsigned int pfm_regfile_written;
static unsigned int pfm_regfile_looked;
static u32 pfm_regfile_switch;	/* what has to be on to clear */
static bool pfm_regfile_free_hand;	/* program() may write more than has changed */
static bool pfm_regfile_lvtpc;	/* masked */
static unsigned int pfm_regfile_agains;
static unsigned int pfm_regfile_losses;

#define GLOBAL_STATUS		0x38e
#define GLOBAL_CTRL		0x38f

static struct pfm_regfile_reg *pfm_regfile_find(u32 msr)
{
	unsigned int i;

	for (i = 0; i < pfm_regfile_len; i++)
		if (pfm_regfile[i].msr == msr)
			return &pfm_regfile[i];
	return NULL;
}

static struct pfm_regfile_reg *pfm_regfile_access(u32 msr)
{
	struct pfm_regfile_reg *r = pfm_regfile_find(msr);

	if (!r)
		pfm_regfile_bad++;
	return r;
}

static u64 pfm_regfile_read_op(u32 msr)
{
	struct pfm_regfile_reg *r = pfm_regfile_access(msr);

	pfm_regfile_looked++;
	return r ? r->value : 0;
}

static void pfm_regfile_clear_status(u32 msr, u64 bits)
{
	if (!pfm_regfile_switch || pfm_regfile_find(pfm_regfile_switch)->value)
		pfm_regfile_find(msr)->value &= ~bits;
}

static void pfm_regfile_write_alias(u32 msr, u64 value)
{
	struct pfm_regfile_reg *r = pfm_regfile_find(msr);

	r->value = value;
	r->wrapped = false;
}

static void pfm_regfile_write_from(struct pfm_regfile_reg *r, u64 value)
{
	if ((value >> 61 & 3) != (value >> 59 & 3))
		pfm_regfile_bad++;
	else
		r->value = value & ~GENMASK_ULL(62, 61);
}

/* Silicon asserts the interrupt again if one of these is so: see regfile.h. */
static void pfm_regfile_route_op(void)
{
	unsigned int i;

	pfm_regfile_lvtpc = false;
	for (i = 0; i < pfm_regfile_len; i++)
		if (pfm_regfile[i].wrapped ||
		    (pfm_regfile[i].msr == GLOBAL_STATUS && pfm_regfile[i].value))
			pfm_regfile_agains++;
}

/* Counters that must go on whatever is written, how to find whether they do, and the result. */
static u64 pfm_regfile_going;
static u64 (*pfm_regfile_counting)(void);
static bool pfm_regfile_rested;

static void pfm_regfile_do_write(struct pfm_regfile_reg *r, u32 msr, u64 value)
{
	r->writes++;
	r->wrapped = false;
	if (msr == GLOBAL_CTRL && value && pfm_regfile_lvtpc)
		pfm_regfile_losses++;
	if (value & r->rsvd || r->kind == PFM_REGFILE_RDONLY)
		pfm_regfile_bad++;
	else if (r->kind == PFM_REGFILE_ALIAS)
		pfm_regfile_write_alias(r->peer, value);
	else if (r->kind == PFM_REGFILE_FROM)
		pfm_regfile_write_from(r, value);
	else if (r->kind == PFM_REGFILE_CLEAR)
		pfm_regfile_clear_status(r->peer, value);
	else if (r->kind == PFM_REGFILE_COUNTER32)
		r->value = (s64)(s32)value & (BIT_ULL(r->peer) - 1);
	else
		r->value = value;
}

static void pfm_regfile_write_op(u32 msr, u64 value)
{
	struct pfm_regfile_reg *r = pfm_regfile_access(msr);

	pfm_regfile_written++;
	if (!r)
		return;
	pfm_regfile_do_write(r, msr, value);
	if (pfm_regfile_counting && pfm_regfile_going & ~pfm_regfile_counting())
		pfm_regfile_rested = true;
}

static bool pfm_regfile_faulted_op(void)
{
	return pfm_regfile_faults();
}

static const struct pfm_x86_file pfm_regfile_ops = {
	.read = pfm_regfile_read_op,
	.write = pfm_regfile_write_op,
	.route = pfm_regfile_route_op,
	.faulted = pfm_regfile_faulted_op,
};

void pfm_regfile_new(void)
{
	memset(pfm_regfile, 0, sizeof(pfm_regfile));
	pfm_regfile_len = 0;
	pfm_regfile_bad = 0;
	pfm_regfile_written = 0;
	pfm_regfile_looked = 0;
	pfm_regfile_switch = 0;
	pfm_regfile_free_hand = false;
	pfm_regfile_lvtpc = false;
	pfm_regfile_agains = 0;
	pfm_regfile_losses = 0;
}

void pfm_regfile_reset(const struct pfm_pmu *pmu, const u64 *v)
{
	unsigned long flags;

	local_irq_save(flags);
	pmu->reset(pmu, v);
	local_irq_restore(flags);
}

void pfm_regfile_rest(const struct pfm_pmu *pmu, const unsigned long *pmcs)
{
	unsigned long flags;

	local_irq_save(flags);
	pmu->rest(pmu, pmcs);
	local_irq_restore(flags);
}

void pfm_regfile_program(const struct pfm_pmu *pmu, const unsigned long *changed,
			 const u64 *v)
{
	const struct pfm_run run = { .v = v };
	unsigned long flags;

	local_irq_save(flags);
	pmu->program(pmu, changed, &run);
	local_irq_restore(flags);
}

void pfm_regfile_start(const struct pfm_pmu *pmu, u64 pmds, const u64 *v)
{
	const struct pfm_run run = { .pmds = pmds, .v = v };
	unsigned long flags;

	local_irq_save(flags);
	pmu->start(pmu, &run);
	local_irq_restore(flags);
}

void pfm_regfile_stop(const struct pfm_pmu *pmu, u64 pmds, const u64 *v)
{
	const struct pfm_run run = { .pmds = pmds, .v = v };
	unsigned long flags;

	local_irq_save(flags);
	pmu->stop(pmu, &run);
	local_irq_restore(flags);
}

u64 pfm_regfile_read(const struct pfm_pmu *pmu, unsigned int i)
{
	unsigned long flags;
	u64 value;

	local_irq_save(flags);
	value = pmu->read(pmu, i);
	local_irq_restore(flags);
	return value;
}

void pfm_regfile_write(const struct pfm_pmu *pmu, unsigned int i, u64 value)
{
	unsigned long flags;

	local_irq_save(flags);
	pmu->write(pmu, i, value);
	local_irq_restore(flags);
}

bool pfm_regfile_still(const struct pfm_pmu *pmu, u64 pmds)
{
	unsigned long flags;
	bool still;

	local_irq_save(flags);
	still = pmu->still(pmu, pmds);
	local_irq_restore(flags);
	return still;
}

bool pfm_regfile_acknowledge(const struct pfm_pmu *pmu, u64 pmds)
{
	const struct pfm_run run = { .pmds = pmds };
	unsigned long flags;
	bool any;

	local_irq_save(flags);
	any = pmu->acknowledge(pmu, &run);
	local_irq_restore(flags);
	return any;
}

static int pfm_regfile_keep(struct kunit_resource *res, void *pmu)
{
	res->data = pmu;
	return 0;
}

static void pfm_regfile_free(struct kunit_resource *res)
{
	kfree_const(res->data);
}

const struct pfm_pmu *pfm_regfile_described(struct kunit *test,
					    const struct pfm_pmu *pmu)
{
	KUNIT_ASSERT_NOT_NULL(test, pmu);
	kunit_alloc_resource(test, pfm_regfile_keep, pfm_regfile_free, GFP_KERNEL,
			     (void *)pmu);
	return pmu;
}

const struct pfm_pmu *pfm_regfile_use(struct kunit *test, const struct pfm_pmu *pmu)
{
	pfm_regfile_described(test, pmu);
	KUNIT_ASSERT_EQ(test, pfm_pmu_validate(pmu), 0);
	pfm_regfile_new();
	return pmu;
}

int pfm_regfile_init(struct kunit *test)
{
	set_cpus_allowed_ptr(current, cpumask_of(raw_smp_processor_id()));
	pfm_x86_file = &pfm_regfile_ops;
	return 0;
}

void pfm_regfile_exit(struct kunit *test)
{
	pfm_x86_file = NULL;
}

void pfm_regfile_add_peer(u32 msr, enum pfm_regfile_kind kind, u64 rsvd, u32 peer)
{
	struct pfm_regfile_reg *r = &pfm_regfile[pfm_regfile_len];

	if (WARN_ON(pfm_regfile_len == PFM_REGFILE_REGS))
		return;
	pfm_regfile_len++;
	*r = (struct pfm_regfile_reg){
		.msr = msr, .kind = kind, .rsvd = rsvd, .peer = peer,
	};
}

void pfm_regfile_add(u32 msr, enum pfm_regfile_kind kind, u64 rsvd)
{
	pfm_regfile_add_peer(msr, kind, rsvd, 0);
}

void pfm_regfile_clears_if(u32 msr)
{
	pfm_regfile_switch = msr;
}

void pfm_regfile_may_write_more(void)
{
	pfm_regfile_free_hand = true;
}

void pfm_regfile_overflow(u32 msr, unsigned int bit)
{
	pfm_regfile_find(msr)->wrapped = true;
	pfm_regfile_find(GLOBAL_STATUS)->value |= BIT_ULL(bit);
	pfm_regfile_lvtpc = true;
}

bool pfm_regfile_masked(void)
{
	return pfm_regfile_lvtpc;
}

unsigned int pfm_regfile_again(void)
{
	unsigned int n = pfm_regfile_agains;

	pfm_regfile_agains = 0;
	return n;
}

unsigned int pfm_regfile_lost(void)
{
	unsigned int n = pfm_regfile_losses;

	pfm_regfile_losses = 0;
	return n;
}

u64 pfm_regfile_get(u32 msr)
{
	struct pfm_regfile_reg *r = pfm_regfile_find(msr);

	return r ? r->value : 0;
}

void pfm_regfile_set(u32 msr, u64 value)
{
	struct pfm_regfile_reg *r = pfm_regfile_find(msr);

	if (!WARN_ON(!r))
		r->value = value;
}

unsigned int pfm_regfile_faults(void)
{
	unsigned int n = pfm_regfile_bad;

	pfm_regfile_bad = 0;
	return n;
}

unsigned int pfm_regfile_writes(void)
{
	unsigned int n = pfm_regfile_written;

	pfm_regfile_written = 0;
	return n;
}

unsigned int pfm_regfile_reads(void)
{
	unsigned int n = pfm_regfile_looked;

	pfm_regfile_looked = 0;
	return n;
}

void pfm_regfile_add_lbr_kind(enum pfm_regfile_kind from)
{
	unsigned int i;

	pfm_regfile_add(0x1c8, PFM_REGFILE_PLAIN, ~0x1ffULL);
	pfm_regfile_add(0x1c9, PFM_REGFILE_RDONLY, 0);
	pfm_regfile_add(0x1d9, PFM_REGFILE_SHARED, ~0x5fc3ULL);
	for (i = 0; i < 16; i++) {
		pfm_regfile_add(0x680 + i, from, 0);
		pfm_regfile_add(0x6c0 + i, PFM_REGFILE_PLAIN, 0);
	}
}

void pfm_regfile_add_lbr(void)
{
	pfm_regfile_add_lbr_kind(PFM_REGFILE_PLAIN);
}

/* Some level, and some kind of branch. */
bool pfm_regfile_lbr_is_on(void)
{
	const u64 select = pfm_regfile_get(0x1c8);

	return pfm_regfile_get(0x1d9) & 1 && (select & 3) != 3 &&
	       (select & 0x1fc) != 0x1fc;
}

/* What the rounds below go on with. */
struct pfm_regfile_drive {
	struct kunit *test;
	const struct pfm_pmu *pmu;
	u64 (*counting)(void);
	u32 shift;
	struct rnd_state rnd;
	u64 v[PFM_PMCS_MAX];
	DECLARE_BITMAP(changed, PFM_PMCS_MAX);
};

static u64 pfm_regfile_random(struct rnd_state *rnd)
{
	return (u64)prandom_u32_state(rnd) << 32 | prandom_u32_state(rnd);
}

/* As a program would write it, and the core let it through. */
static void pfm_regfile_control(struct pfm_regfile_drive *d, unsigned int i)
{
	const struct pfm_pmc_desc *c = &d->pmu->pmcs[i];
	u64 value = pfm_regfile_random(&d->rnd);

	if (prandom_u32_state(&d->rnd) & 1)
		value &= pfm_regfile_random(&d->rnd);
	value = (value & ~c->rsvd) | (c->def & c->rsvd);
	if (d->pmu->accepts && !d->pmu->accepts(d->pmu, c->num, value))
		return;
	if (d->v[i] != value)
		__set_bit(i, d->changed);
	d->v[i] = value;
}

static bool pfm_regfile_is_changed(const struct pfm_regfile_drive *d, u32 msr)
{
	unsigned int i;

	for_each_set_bit(i, d->changed, d->pmu->num_pmcs)
		if (d->pmu->pmcs[i].index + d->shift == msr)
			return true;
	return false;
}

static void pfm_regfile_change(struct pfm_regfile_drive *d)
{
	unsigned int i;

	for (i = 0; i < pfm_regfile_len; i++)
		pfm_regfile[i].writes = 0;
	if (d->pmu->program && !bitmap_empty(d->changed, PFM_PMCS_MAX))
		pfm_regfile_program(d->pmu, d->changed, d->v);
	for (i = 0; i < pfm_regfile_len; i++)
		if (!pfm_regfile_free_hand && pfm_regfile[i].writes &&
		    (pfm_regfile[i].writes > 1 ||
		     !pfm_regfile_is_changed(d, pfm_regfile[i].msr)))
			KUNIT_FAIL(d->test, "program() writes MSR %x, %u times",
				   pfm_regfile[i].msr, pfm_regfile[i].writes);
	bitmap_zero(d->changed, PFM_PMCS_MAX);
}

/* Of @counters, those whose control makes them measure. */
static u64 pfm_regfile_selected(const struct pfm_regfile_drive *d, u64 counters)
{
	const struct pfm_pmu *pmu = d->pmu;
	unsigned int i, j;
	u64 mask = 0;

	for (i = 0; i < pmu->num_pmds; i++)
		for (j = 0; j < pmu->num_pmcs; j++)
			if (pmu->pmcs[j].num == pmu->pmds[i].ctrl &&
			    pmu->selects(pmu, pmu->pmcs[j].num, d->v[j]))
				mask |= BIT_ULL(i);
	return mask & counters;
}

static u64 pfm_regfile_counters(const struct pfm_pmu *pmu)
{
	unsigned int i;
	u64 mask = 0;

	for (i = 0; i < pmu->num_pmds; i++)
		if (pmu->pmds[i].flags & PFM_PMD_COUNTER)
			mask |= BIT_ULL(i);
	return mask;
}

/*
 * What a set might use. Of registers that do not count there are all whose control
 * selects, or none.
 */
static u64 pfm_regfile_pick(struct pfm_regfile_drive *d)
{
	const u64 counters = pfm_regfile_counters(d->pmu);
	u64 mask = pfm_regfile_random(&d->rnd) & counters;

	if (prandom_u32_state(&d->rnd) & 1)
		mask |= pfm_regfile_selected(d, ~counters);
	return mask;
}

static void pfm_regfile_data(struct pfm_regfile_drive *d, unsigned int i)
{
	const struct pfm_pmu *pmu = d->pmu;
	const unsigned int bits = pmu->pmds[i].write_bits ?: pmu->width;
	u64 max = GENMASK_ULL(pmu->width - 1, 0);
	u64 value = pfm_regfile_random(&d->rnd) & GENMASK_ULL(bits - 1, 0);

	if (!(pmu->pmds[i].flags & PFM_PMD_COUNTER)) {
		value = 0;
		if (!(pmu->pmds[i].flags & PFM_PMD_CLEAR))
			return;
	}
	if (value & BIT_ULL(bits - 1))
		value |= max & ~GENMASK_ULL(bits - 1, 0);
	pfm_regfile_write(pmu, i, value);
	KUNIT_EXPECT_EQ(d->test, pfm_regfile_read(pmu, i), value);
}

static void pfm_regfile_share_op(struct pfm_regfile_drive *d, bool start, u64 pmds, u64 other)
{
	const struct pfm_run run = { .pmds = pmds, .other = other, .v = d->v };
	unsigned long flags;

	local_irq_save(flags);
	if (start)
		d->pmu->start(d->pmu, &run);
	else
		d->pmu->stop(d->pmu, &run);
	local_irq_restore(flags);
}

/* Controls of counters that stand get new values. */
static void pfm_regfile_share_controls(struct pfm_regfile_drive *d, u64 going)
{
	const struct pfm_pmu *pmu = d->pmu;
	unsigned int i, j;
	bool other;

	for (i = 0; i < pmu->num_pmcs; i++) {
		other = false;
		for (j = 0; j < pmu->num_pmds; j++)
			other |= going & BIT_ULL(j) && pmu->pmds[j].ctrl == pmu->pmcs[i].num;
		if (!other && prandom_u32_state(&d->rnd) % 3 == 0)
			pfm_regfile_control(d, i);
	}
	pfm_regfile_change(d);
}

/*
 * Another context's counters go on, without a moment's rest, whatever is done with those of
 * one: they are programmed, started, looked at after an interrupt, and stopped.
 */
static void pfm_regfile_share(struct pfm_regfile_drive *d)
{
	const struct pfm_pmu *pmu = d->pmu;
	const u64 other = pfm_regfile_selected(d, pfm_regfile_random(&d->rnd) &
					       pfm_regfile_counters(pmu));
	unsigned int i;
	u64 pmds;

	pfm_regfile_share_op(d, true, other, 0);
	KUNIT_EXPECT_EQ(d->test, d->counting(), other);
	pfm_regfile_going = other;
	pfm_regfile_counting = d->counting;
	for (i = 0; i < 2; i++) {
		pfm_regfile_share_controls(d, other);
		pmds = pfm_regfile_pick(d) & ~other;
		pfm_regfile_share_op(d, true, pmds, other);
		KUNIT_EXPECT_EQ(d->test, d->counting(), other | pfm_regfile_selected(d, pmds));
		if (pmu->acknowledge)
			pfm_regfile_acknowledge(pmu, pmds);
		if (pmu->still) {
			KUNIT_EXPECT_TRUE(d->test, pfm_regfile_still(pmu, pmds | other));
			KUNIT_EXPECT_EQ(d->test, d->counting(),
					other | pfm_regfile_selected(d, pmds));
		}
		pfm_regfile_share_op(d, false, pmds, other);
		KUNIT_EXPECT_EQ(d->test, d->counting(), other);
	}
	KUNIT_EXPECT_FALSE(d->test, pfm_regfile_rested);
	pfm_regfile_counting = NULL;
	pfm_regfile_rested = false;
	pfm_regfile_share_op(d, false, other, 0);
	KUNIT_EXPECT_EQ(d->test, d->counting(), 0ULL);
}

static void pfm_regfile_round(struct pfm_regfile_drive *d)
{
	const struct pfm_pmu *pmu = d->pmu;
	unsigned int i;
	u64 pmds;

	for (i = 0; i < pmu->num_pmcs; i++)
		if (prandom_u32_state(&d->rnd) % 3 == 0)
			pfm_regfile_control(d, i);
	pfm_regfile_change(d);
	pfm_regfile_data(d, prandom_u32_state(&d->rnd) % pmu->num_pmds);

	/* The second time without anything new. */
	for (i = 0; i < 2; i++) {
		pmds = pfm_regfile_pick(d);
		pfm_regfile_start(pmu, pmds, d->v);
		KUNIT_EXPECT_EQ(d->test, d->counting(),
				pfm_regfile_selected(d, pmds));
		if (pmu->acknowledge && prandom_u32_state(&d->rnd) & 1)
			pfm_regfile_acknowledge(pmu, pmds);
		pfm_regfile_stop(pmu, pmds, d->v);
		KUNIT_EXPECT_EQ(d->test, d->counting(), 0ULL);
		if (pmu->acknowledge)
			pfm_regfile_acknowledge(pmu, 0);
	}
	if (pmu->flags & PFM_PMU_SHARES)
		pfm_regfile_share(d);
}

void pfm_regfile_drive(struct kunit *test, const struct pfm_pmu *pmu,
		       u64 (*counting)(void), u32 shift)
{
	struct pfm_regfile_drive *d = kunit_kzalloc(test, sizeof(*d), GFP_KERNEL);
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, d);
	d->test = test;
	d->pmu = pmu;
	d->counting = counting;
	d->shift = shift;
	prandom_seed_state(&d->rnd, pmu->num_pmcs * 1000 + pmu->width);

	/* A machine as some firmware might leave it is put to rest. */
	for (i = 0; i < pmu->num_pmcs; i++)
		d->v[i] = pmu->pmcs[i].def;
	for (i = 0; i < pfm_regfile_len; i++)
		if (pfm_regfile[i].kind == PFM_REGFILE_PLAIN)
			pfm_regfile[i].value = ~pfm_regfile[i].rsvd;
	pfm_regfile_reset(pmu, d->v);
	KUNIT_EXPECT_EQ(test, counting(), 0ULL);
	KUNIT_ASSERT_EQ(test, pfm_regfile_faults(), 0U);
	pfm_regfile_start(pmu, pfm_regfile_counters(pmu), d->v);
	KUNIT_EXPECT_EQ(test, counting(), 0ULL);
	pfm_regfile_stop(pmu, pfm_regfile_counters(pmu), d->v);

	for (i = 0; i < PFM_REGFILE_ROUNDS && test->status == KUNIT_SUCCESS; i++)
		pfm_regfile_round(d);
	KUNIT_EXPECT_EQ(test, pfm_regfile_faults(), 0U);
}
