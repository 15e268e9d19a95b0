// SPDX-License-Identifier: GPL-2.0-only
/*
 * The register file, and what is tested with every PMU. Registers are where
 * the manuals have them and fault when the manuals say so; nothing here is
 * taken from the descriptions. Not covered: RDPMC's numbers (the file is read
 * by MSR in its stead), the routing of the interrupt, and reservation, which
 * are the real machine's.
 */
#include <linux/bitmap.h>
#include <linux/irqflags.h>
#include <linux/prandom.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "pfm.h"
#include "file.h"

#define PFM_FILE_REGS	160
#define PFM_FILE_ROUNDS	1000

static struct pfm_file_reg pfm_file[PFM_FILE_REGS];
static unsigned int pfm_file_len;
static unsigned int pfm_file_bad;
static unsigned int pfm_file_written;
static u32 pfm_file_switch;	/* what has to be on to clear */
static bool pfm_file_free_hand;	/* program() may write more than has changed */

static struct pfm_file_reg *pfm_file_find(u32 msr)
{
	unsigned int i;

	for (i = 0; i < pfm_file_len; i++)
		if (pfm_file[i].msr == msr)
			return &pfm_file[i];
	return NULL;
}

static struct pfm_file_reg *pfm_file_access(u32 msr)
{
	struct pfm_file_reg *r = pfm_file_find(msr);

	if (!r)
		pfm_file_bad++;
	return r;
}

static u64 pfm_file_read_op(u32 msr)
{
	struct pfm_file_reg *r = pfm_file_access(msr);

	return r ? r->value : 0;
}

static void pfm_file_clear_status(u32 msr, u64 bits)
{
	if (!pfm_file_switch || pfm_file_find(pfm_file_switch)->value)
		pfm_file_find(msr)->value &= ~bits;
}

static void pfm_file_write_op(u32 msr, u64 value)
{
	struct pfm_file_reg *r = pfm_file_access(msr);

	pfm_file_written++;
	if (!r)
		return;
	r->writes++;
	if (value & r->rsvd || r->kind == PFM_FILE_RDONLY)
		pfm_file_bad++;
	else if (r->kind == PFM_FILE_ALIAS)
		pfm_file_find(r->peer)->value = value;
	else if (r->kind == PFM_FILE_CLEAR)
		pfm_file_clear_status(r->peer, value);
	else if (r->kind == PFM_FILE_COUNTER32)
		r->value = (s64)(s32)value & (BIT_ULL(r->peer) - 1);
	else
		r->value = value;
}

static const struct pfm_x86_file pfm_file_ops = {
	.read = pfm_file_read_op,
	.write = pfm_file_write_op,
};

static void pfm_file_clear(void)
{
	memset(pfm_file, 0, sizeof(pfm_file));
	pfm_file_len = 0;
	pfm_file_bad = 0;
	pfm_file_written = 0;
	pfm_file_switch = 0;
	pfm_file_free_hand = false;
}

void pfm_file_reset(const struct pfm_pmu *pmu, const u64 *v)
{
	unsigned long flags;

	local_irq_save(flags);
	pmu->reset(pmu, v);
	local_irq_restore(flags);
}

void pfm_file_program(const struct pfm_pmu *pmu, const unsigned long *changed,
		      const u64 *v)
{
	const struct pfm_run run = { .v = v };
	unsigned long flags;

	local_irq_save(flags);
	pmu->program(pmu, changed, &run);
	local_irq_restore(flags);
}

void pfm_file_start(const struct pfm_pmu *pmu, u64 pmds, const u64 *v)
{
	const struct pfm_run run = { .pmds = pmds, .v = v };
	unsigned long flags;

	local_irq_save(flags);
	pmu->start(pmu, &run);
	local_irq_restore(flags);
}

void pfm_file_stop(const struct pfm_pmu *pmu, u64 pmds, const u64 *v)
{
	const struct pfm_run run = { .pmds = pmds, .v = v };
	unsigned long flags;

	local_irq_save(flags);
	pmu->stop(pmu, &run);
	local_irq_restore(flags);
}

u64 pfm_file_read(const struct pfm_pmu *pmu, unsigned int i)
{
	unsigned long flags;
	u64 value;

	local_irq_save(flags);
	value = pmu->read(pmu, i);
	local_irq_restore(flags);
	return value;
}

void pfm_file_write(const struct pfm_pmu *pmu, unsigned int i, u64 value)
{
	unsigned long flags;

	local_irq_save(flags);
	pmu->write(pmu, i, value);
	local_irq_restore(flags);
}

bool pfm_file_still(const struct pfm_pmu *pmu)
{
	unsigned long flags;
	bool still;

	local_irq_save(flags);
	still = pmu->still(pmu);
	local_irq_restore(flags);
	return still;
}

bool pfm_file_acknowledge(const struct pfm_pmu *pmu)
{
	const struct pfm_run run = { .pmds = 0 };
	unsigned long flags;
	bool any;

	local_irq_save(flags);
	any = pmu->acknowledge(pmu, &run);
	local_irq_restore(flags);
	return any;
}

static int pfm_file_keep(struct kunit_resource *res, void *pmu)
{
	res->data = pmu;
	return 0;
}

static void pfm_file_free(struct kunit_resource *res)
{
	kfree_const(res->data);
}

const struct pfm_pmu *pfm_file_described(struct kunit *test,
					 const struct pfm_pmu *pmu)
{
	KUNIT_ASSERT_NOT_NULL(test, pmu);
	kunit_alloc_resource(test, pfm_file_keep, pfm_file_free, GFP_KERNEL,
			     (void *)pmu);
	return pmu;
}

const struct pfm_pmu *pfm_file_use(struct kunit *test, const struct pfm_pmu *pmu)
{
	pfm_file_described(test, pmu);
	KUNIT_ASSERT_EQ(test, pfm_pmu_validate(pmu), 0);
	pfm_file_clear();
	return pmu;
}

int pfm_file_init(struct kunit *test)
{
	set_cpus_allowed_ptr(current, cpumask_of(raw_smp_processor_id()));
	pfm_x86_file = &pfm_file_ops;
	return 0;
}

void pfm_file_exit(struct kunit *test)
{
	pfm_x86_file = NULL;
}

void pfm_file_add_peer(u32 msr, enum pfm_file_kind kind, u64 rsvd, u32 peer)
{
	struct pfm_file_reg *r = &pfm_file[pfm_file_len];

	if (WARN_ON(pfm_file_len == PFM_FILE_REGS))
		return;
	pfm_file_len++;
	*r = (struct pfm_file_reg){
		.msr = msr, .kind = kind, .rsvd = rsvd, .peer = peer,
	};
}

void pfm_file_add(u32 msr, enum pfm_file_kind kind, u64 rsvd)
{
	pfm_file_add_peer(msr, kind, rsvd, 0);
}

void pfm_file_clears_if(u32 msr)
{
	pfm_file_switch = msr;
}

void pfm_file_may_write_more(void)
{
	pfm_file_free_hand = true;
}

u64 pfm_file_get(u32 msr)
{
	struct pfm_file_reg *r = pfm_file_find(msr);

	return r ? r->value : 0;
}

void pfm_file_set(u32 msr, u64 value)
{
	struct pfm_file_reg *r = pfm_file_find(msr);

	if (!WARN_ON(!r))
		r->value = value;
}

unsigned int pfm_file_faults(void)
{
	unsigned int n = pfm_file_bad;

	pfm_file_bad = 0;
	return n;
}

unsigned int pfm_file_writes(void)
{
	unsigned int n = pfm_file_written;

	pfm_file_written = 0;
	return n;
}

/* What the rounds below go on with. */
struct pfm_file_drive {
	struct kunit *test;
	const struct pfm_pmu *pmu;
	u64 (*counting)(void);
	u32 shift;
	struct rnd_state rnd;
	u64 v[PFM_PMCS_MAX];
	DECLARE_BITMAP(changed, PFM_PMCS_MAX);
};

static u64 pfm_file_random(struct rnd_state *rnd)
{
	return (u64)prandom_u32_state(rnd) << 32 | prandom_u32_state(rnd);
}

/* As a program would write it, and the core let it through. */
static void pfm_file_control(struct pfm_file_drive *d, unsigned int i)
{
	const struct pfm_pmc_desc *c = &d->pmu->pmcs[i];
	u64 value = pfm_file_random(&d->rnd);

	if (prandom_u32_state(&d->rnd) & 1)
		value &= pfm_file_random(&d->rnd);
	value = (value & ~c->rsvd) | (c->def & c->rsvd);
	if (d->pmu->accepts && !d->pmu->accepts(d->pmu, c->num, value))
		return;
	if (d->v[i] != value)
		__set_bit(i, d->changed);
	d->v[i] = value;
}

static bool pfm_file_is_changed(const struct pfm_file_drive *d, u32 msr)
{
	unsigned int i;

	for_each_set_bit(i, d->changed, d->pmu->num_pmcs)
		if (d->pmu->pmcs[i].index + d->shift == msr)
			return true;
	return false;
}

static void pfm_file_change(struct pfm_file_drive *d)
{
	unsigned int i;

	for (i = 0; i < pfm_file_len; i++)
		pfm_file[i].writes = 0;
	if (d->pmu->program && !bitmap_empty(d->changed, PFM_PMCS_MAX))
		pfm_file_program(d->pmu, d->changed, d->v);
	for (i = 0; i < pfm_file_len; i++)
		if (!pfm_file_free_hand && pfm_file[i].writes &&
		    (pfm_file[i].writes > 1 ||
		     !pfm_file_is_changed(d, pfm_file[i].msr)))
			KUNIT_FAIL(d->test, "program() writes MSR %x, %u times",
				   pfm_file[i].msr, pfm_file[i].writes);
	bitmap_zero(d->changed, PFM_PMCS_MAX);
}

/* Of @counters, those whose control makes them measure. */
static u64 pfm_file_selected(const struct pfm_file_drive *d, u64 counters)
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

static void pfm_file_counter(struct pfm_file_drive *d, unsigned int i)
{
	const struct pfm_pmu *pmu = d->pmu;
	const unsigned int bits = pmu->pmds[i].write_bits ?: pmu->width;
	u64 max = GENMASK_ULL(pmu->width - 1, 0);
	u64 value = pfm_file_random(&d->rnd) & GENMASK_ULL(bits - 1, 0);

	if (value & BIT_ULL(bits - 1))
		value |= max & ~GENMASK_ULL(bits - 1, 0);
	pfm_file_write(pmu, i, value);
	KUNIT_EXPECT_EQ(d->test, pfm_file_read(pmu, i), value);
}

static void pfm_file_round(struct pfm_file_drive *d)
{
	const struct pfm_pmu *pmu = d->pmu;
	u64 all = GENMASK_ULL(pmu->num_pmds - 1, 0);
	u64 counters = pfm_file_random(&d->rnd) & all;
	unsigned int i;

	for (i = 0; i < pmu->num_pmcs; i++)
		if (prandom_u32_state(&d->rnd) % 3 == 0)
			pfm_file_control(d, i);
	pfm_file_change(d);
	pfm_file_counter(d, prandom_u32_state(&d->rnd) % pmu->num_pmds);

	/* The second time without anything new. */
	for (i = 0; i < 2; i++) {
		pfm_file_start(pmu, counters, d->v);
		KUNIT_EXPECT_EQ(d->test, d->counting(),
				pfm_file_selected(d, counters));
		if (pmu->acknowledge && prandom_u32_state(&d->rnd) & 1)
			pfm_file_acknowledge(pmu);
		pfm_file_stop(pmu, counters, d->v);
		KUNIT_EXPECT_EQ(d->test, d->counting(), 0ULL);
		if (pmu->acknowledge)
			pfm_file_acknowledge(pmu);
		counters = pfm_file_random(&d->rnd) & all;
	}
}

void pfm_file_drive(struct kunit *test, const struct pfm_pmu *pmu,
		    u64 (*counting)(void), u32 shift)
{
	struct pfm_file_drive *d = kunit_kzalloc(test, sizeof(*d), GFP_KERNEL);
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
	for (i = 0; i < pfm_file_len; i++)
		if (pfm_file[i].kind == PFM_FILE_PLAIN)
			pfm_file[i].value = ~pfm_file[i].rsvd;
	pfm_file_reset(pmu, d->v);
	KUNIT_EXPECT_EQ(test, counting(), 0ULL);
	KUNIT_ASSERT_EQ(test, pfm_file_faults(), 0U);
	pfm_file_start(pmu, GENMASK_ULL(pmu->num_pmds - 1, 0), d->v);
	KUNIT_EXPECT_EQ(test, counting(), 0ULL);
	pfm_file_stop(pmu, GENMASK_ULL(pmu->num_pmds - 1, 0), d->v);

	for (i = 0; i < PFM_FILE_ROUNDS && test->status == KUNIT_SUCCESS; i++)
		pfm_file_round(d);
	KUNIT_EXPECT_EQ(test, pfm_file_faults(), 0U);
}
