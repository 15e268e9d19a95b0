// SPDX-License-Identifier: GPL-2.0-only
/*
 * perfmon2: the registry of PMU descriptions, and their validator.
 *
 * The kernel is the authority for the mapping from logical to real registers
 * (3.2.3), because it has to touch them. There is the software PMU, always,
 * and at most one description of the hardware. Their registers are numbered
 * densely here, and numbered anew only while no context exists.
 *
 * How registers are reached is in hw.c and soft.c.
 */
#include <linux/math64.h>
#include <linux/nospec.h>
#include <linux/string.h>

#include "pfm.h"

struct pfm_regmap pfm_regmap __read_mostly;

static DEFINE_MUTEX(pfm_pmu_mutex);
static atomic_t pfm_pmu_users;	/* [a] contexts; none comes without the mutex */

static bool pfm_pmu_type_ok(u16 type)
{
	return type >= PFM_REG_TYPE_PMC && type <= PFM_REG_TYPE_VIRTUAL;
}

static int pfm_pmu_validate_pmcs(const struct pfm_pmu *pmu)
{
	unsigned int i, j;

	for (i = 0; i < pmu->num_pmcs; i++) {
		const struct pfm_pmc_desc *d = &pmu->pmcs[i];

		if (!d->name || !d->name[0] || !pfm_pmu_type_ok(d->type))
			return -EINVAL;
		if (d->num >= PFM_MAX_PMCS || d->flags & ~PFM_PMC_CLAIMED)
			return -EINVAL;
		if (i && d->num <= d[-1].num)
			return -EINVAL;
		if (pmu->selects(pmu, d->num, d->def))
			return -EINVAL;
		if (pmu->accepts && !pmu->accepts(pmu, d->num, d->def))
			return -EINVAL;
		for (j = 0; j < i; j++)
			if (!strcmp(pmu->pmcs[j].name, d->name))
				return -EINVAL;
	}
	return 0;
}

static bool pfm_pmu_has_pmc(const struct pfm_pmu *pmu, u16 num)
{
	unsigned int i;

	for (i = 0; i < pmu->num_pmcs; i++)
		if (pmu->pmcs[i].num == num)
			return true;
	return false;
}

static int pfm_pmu_validate_pmds(const struct pfm_pmu *pmu)
{
	unsigned int i, j;

	for (i = 0; i < pmu->num_pmds; i++) {
		const struct pfm_pmd_desc *d = &pmu->pmds[i];
		bool counter = d->flags & PFM_PMD_COUNTER;

		if (!d->name || !d->name[0] || !pfm_pmu_type_ok(d->type))
			return -EINVAL;
		if (d->num >= PFM_MAX_PMDS)
			return -EINVAL;
		if (d->flags & ~(PFM_PMD_COUNTER | PFM_PMD_RDONLY | PFM_PMD_CLEAR))
			return -EINVAL;
		if ((d->flags & PFM_PMD_CLEAR) &&
		    (counter || d->def || !(d->flags & PFM_PMD_RDONLY)))
			return -EINVAL;
		if (d->width > 64 || d->write_bits > (d->width ?: pmu->width))
			return -EINVAL;
		if (!counter && (d->width || d->write_bits))
			return -EINVAL;
		/* A register belongs to the sets in which its control measures. */
		if (pmu->start && d->ctrl == PFM_NO_PMC)
			return -EINVAL;
		if (i && d->num <= d[-1].num)
			return -EINVAL;
		if (d->ctrl != PFM_NO_PMC && !pfm_pmu_has_pmc(pmu, d->ctrl))
			return -EINVAL;
		/* 3.1.3: a counter starts at 0 and can be set to a period. */
		if (counter && (d->ctrl == PFM_NO_PMC || d->def || d->rsvd ||
				(d->flags & PFM_PMD_RDONLY)))
			return -EINVAL;
		if (pmu->flags & PFM_PMU_USER_COUNTS && d->write_bits)
			return -EINVAL;
		for (j = 0; j < i; j++)
			if (!strcmp(pmu->pmds[j].name, d->name))
				return -EINVAL;
	}
	return 0;
}

/* Registers are reached by all operations, or by none. */
static bool pfm_pmu_complete(const struct pfm_pmu *pmu)
{
	unsigned int n = !!pmu->acquire + !!pmu->release + !!pmu->reset +
			 !!pmu->start + !!pmu->stop + !!pmu->read + !!pmu->write;

	if (!n)
		return !pmu->program && !pmu->acknowledge && !pmu->still && !pmu->rest;
	if ((pmu->flags & PFM_PMU_GATED) && !pmu->rest)
		return false;
	return n == 7 && (pmu->acknowledge || (pmu->flags & PFM_PMU_NO_INTERRUPT));
}

/**
 * pfm_pmu_validate() - check a description for nonsense
 * @pmu: description
 *
 * Asks the tables and the judgements only, so that every family can be checked
 * on any machine.
 *
 * Context: process.
 * Return: 0, or -EINVAL.
 */
int pfm_pmu_validate(const struct pfm_pmu *pmu)
{
	int ret;

	if (!pmu->name || !pmu->name[0] || !pmu->selects)
		return -EINVAL;
	if (!pmu->width || pmu->width > 64)
		return -EINVAL;
	/* What a thread or a switch does to all registers is another context's business, too. */
	if (pmu->flags & PFM_PMU_SHARES && (pmu->rules || !pmu->start))
		return -EINVAL;
	if (pmu->flags & PFM_PMU_USER_COUNTS && pmu->min_period)
		return -EINVAL;
	if (!pfm_pmu_complete(pmu))
		return -EINVAL;
	if (!pmu->num_pmds || pmu->num_pmds > PFM_PMDS_MAX ||
	    pmu->num_pmcs > PFM_PMCS_MAX)
		return -EINVAL;

	ret = pfm_pmu_validate_pmcs(pmu);
	if (!ret)
		ret = pfm_pmu_validate_pmds(pmu);
	return ret ?: pfm_rules_validate(pmu);
}

/*
 * The value below which a counter is never left to run. __pfm_hw_sync() takes the difference to
 * its last reading, modulo the width: if the counter wraps and, before the CPU handles the
 * interrupt, comes up to that reading again, a whole turn is lost. That takes it as many events
 * as the reading says: here an eighth of a turn or 2^28, and no interrupt is so late.
 */
static u64 pfm_pmu_low(const struct pfm_pmd_desc *d, unsigned int width)
{
	unsigned int bits = min(width, 31U);

	if (d->write_bits)
		bits = min_t(unsigned int, bits, d->write_bits);
	return bits > 3 ? BIT_ULL(bits - 3) : 0;
}

/* What hw.c has to know of register @n, which stands at @d in the tables. */
static void pfm_pmu_add_hard(struct pfm_regmap *map, const struct pfm_pmu *pmu,
			     const struct pfm_pmd_desc *d, unsigned int n)
{
	const unsigned int width = d->width ?: pmu->width;

	if (pmu->flags & PFM_PMU_USER_READ && pfm_pmu_can_write(d))
		map->wiped |= BIT_ULL(n);
	if (!(d->flags & PFM_PMD_COUNTER)) {
		map->uncounted |= BIT_ULL(n);
		map->uncounted_of[map->ctrl[n]] |= BIT_ULL(n);
		return;
	}
	map->hard |= BIT_ULL(n);
	map->max[n] = GENMASK_ULL(width - 1, 0);
	/* Not where the register has to hold the low bits of the value. */
	if (!(pmu->flags & PFM_PMU_USER_COUNTS)) {
		map->low[n] = pfm_pmu_low(d, width);
		if (width < 64)
			map->narrow |= BIT_ULL(n);
	}
	map->reach[n] = map->max[n] - map->low[n];
	if (d->write_bits && d->write_bits < width)
		map->reach[n] = BIT_ULL(d->write_bits - 1);
}

static void pfm_pmu_add(struct pfm_regmap *map, const struct pfm_pmu *pmu)
{
	unsigned int i, n;

	for (i = 0; i < pmu->num_pmcs; i++) {
		n = map->num_pmcs++;
		map->pmc[n] = &pmu->pmcs[i];
		map->pmc_pmu[n] = pmu;
		map->pmc_of[pmu->pmcs[i].num] = n;
		if (pmu->pmcs[i].flags & PFM_PMC_CLAIMED)
			__set_bit(n, map->claimed);
	}
	for (i = 0; i < pmu->num_pmds; i++) {
		const struct pfm_pmd_desc *d = &pmu->pmds[i];

		n = map->num_pmds++;
		map->pmd[n] = d;
		map->pmd_of[d->num] = n;
		map->ctrl[n] = PFM_NONE;
		if (d->ctrl != PFM_NO_PMC)
			map->ctrl[n] = map->pmc_of[d->ctrl];
		if (d->flags & PFM_PMD_COUNTER) {
			map->counters |= BIT_ULL(n);
			map->pmds_of[map->ctrl[n]] |= BIT_ULL(n);
			if (pmu == &pfm_soft_pmu)
				map->soft |= BIT_ULL(n);
		}
		if (pmu->start)
			pfm_pmu_add_hard(map, pmu, d, n);
	}
}

/*
 * What a set has before a program has written any register. A PMC of the hardware that controls
 * no counter is written by each set, or it would keep another set's value; a claimed one when a
 * program has written it.
 */
static void pfm_pmu_make_fresh(struct pfm_regmap *map, const struct pfm_pmu *hw)
{
	unsigned int i;

	for (i = 0; i < map->num_pmcs; i++) {
		map->def[i] = map->pmc[i]->def;
		if (map->pmc_pmu[i] == hw && !map->pmds_of[i] &&
		    !(map->pmc[i]->flags & PFM_PMC_CLAIMED))
			__set_bit(i, map->common);
	}
	for (i = 0; i < map->num_pmds; i++)
		map->fresh[i].value = map->pmd[i]->def;
}

/*
 * Most registers of a PMU with many are branches: they start from 0 and no program can write
 * that they are to start from anything else. The first one makes what they share.
 */
static void pfm_pmu_make_resets(struct pfm_regmap *map)
{
	const size_t first = pfm_set_resets_at(map);
	unsigned int i, n, shared = PFM_NONE;

	for (i = 0; i < map->num_pmds; i++) {
		const struct pfm_pmd_desc *d = map->pmd[i];

		n = shared;
		if ((d->flags & PFM_PMD_COUNTER) || !(d->flags & PFM_PMD_RDONLY) || d->def)
			n = map->num_resets++;
		else if (shared == PFM_NONE)
			n = shared = map->num_resets++;
		map->reset_at[i] = first + n * sizeof(struct pfm_reset);
		map->fresh_resets[n].last_reset = d->def;
		map->fresh_resets[n].random = pfm_random_seed(0);
	}
}

/*
 * What a counter sees in a second at most, if the description does not say: 4 events a cycle
 * at 2 GHz. Processors that are faster and have counters below 40 bits say so.
 */
#define PFM_PMU_RATE	BIT_ULL(33)

/*
 * How often the counters are looked at: two times before the narrowest of them
 * can have counted through its width, and once a second anyway, in which no processor
 * has half of 2^40 events.
 */
static u64 pfm_pmu_poll(const struct pfm_pmu *pmu)
{
	unsigned int i, width = 64;
	u64 us;

	for (i = 0; i < pmu->num_pmds; i++)
		if (pmu->pmds[i].flags & PFM_PMD_COUNTER)
			width = min_t(unsigned int, width,
				      pmu->pmds[i].width ?: pmu->width);
	if (width >= 40)
		return NSEC_PER_SEC;
	us = div64_u64((u64)USEC_PER_SEC << (width - 1),
		       pmu->rate ?: PFM_PMU_RATE);
	return clamp_t(u64, us * NSEC_PER_USEC, NSEC_PER_MSEC, NSEC_PER_SEC);
}

/*
 * The hardware's numbers are the lower ones: dense order is logical order, and
 * the dense numbers of its registers are their positions in its tables.
 */
static void pfm_pmu_rebuild(const struct pfm_pmu *hw)
{
	struct pfm_regmap *map = &pfm_regmap;

	memset(map, 0, sizeof(*map));
	memset(map->pmc_of, PFM_NONE, sizeof(map->pmc_of));
	memset(map->pmd_of, PFM_NONE, sizeof(map->pmd_of));
	if (hw)
		pfm_pmu_add(map, hw);
	pfm_pmu_add(map, &pfm_soft_pmu);
	pfm_pmu_make_fresh(map, hw);
	pfm_pmu_make_resets(map);
	if (hw) {
		map->poll = pfm_pmu_poll(hw);
		WRITE_ONCE(map->rules, hw->rules);
	}
	WRITE_ONCE(map->hw, hw);
}

/* A hardware description may not reach into the software PMU's numbers. */
static bool pfm_pmu_fits(const struct pfm_pmu *pmu)
{
	const struct pfm_pmu *soft = &pfm_soft_pmu;

	if (pmu->num_pmds + soft->num_pmds > PFM_PMDS_MAX ||
	    pmu->num_pmcs + soft->num_pmcs > PFM_PMCS_MAX)
		return false;
	if (pmu->pmds[pmu->num_pmds - 1].num >= PFM_SW_PMD0)
		return false;
	return !pmu->num_pmcs ||
	       pmu->pmcs[pmu->num_pmcs - 1].num < PFM_SW_PMC0;
}

/**
 * pfm_pmu_register() - make a description of the hardware the one in use
 * @pmu: description, which must stay until pfm_pmu_unregister()
 *
 * The software PMU is registered by this function, too, first of all.
 *
 * Context: process.
 * Return: 0; -EINVAL for nonsense; -EBUSY if there is one already, or a
 * context exists.
 */
int pfm_pmu_register(const struct pfm_pmu *pmu)
{
	int ret = pfm_pmu_validate(pmu);

	if (ret)
		return ret;

	mutex_lock(&pfm_pmu_mutex);
	if (pmu == &pfm_soft_pmu)
		pfm_pmu_rebuild(NULL);
	else if (!pfm_pmu_fits(pmu))
		ret = -EINVAL;
	else if (pfm_regmap.hw || atomic_read_acquire(&pfm_pmu_users))
		ret = -EBUSY;
	else
		pfm_pmu_rebuild(pmu);
	mutex_unlock(&pfm_pmu_mutex);
	return ret;
}

/**
 * pfm_pmu_unregister() - take a description of the hardware back
 * @pmu: what was registered; no context may exist
 *
 * Context: process.
 */
void pfm_pmu_unregister(const struct pfm_pmu *pmu)
{
	mutex_lock(&pfm_pmu_mutex);
	if (!WARN_ON(pfm_regmap.hw != pmu ||
		     atomic_read_acquire(&pfm_pmu_users)))
		pfm_pmu_rebuild(NULL);
	mutex_unlock(&pfm_pmu_mutex);
}

/**
 * pfm_pmu_hardware() - the description of the hardware, to show it
 *
 * Context: any. The answer may be stale unless a context exists.
 * Return: the description, or NULL.
 */
const struct pfm_pmu *pfm_pmu_hardware(void)
{
	return READ_ONCE(pfm_regmap.hw);
}

/**
 * pfm_pmu_get() - keep the numbering of registers as it is, for a context
 *
 * Context: process.
 */
void pfm_pmu_get(void)
{
	mutex_lock(&pfm_pmu_mutex);
	atomic_inc(&pfm_pmu_users);
	mutex_unlock(&pfm_pmu_mutex);
}

/**
 * pfm_pmu_put() - undo pfm_pmu_get()
 *
 * Context: any.
 */
void pfm_pmu_put(void)
{
	atomic_dec_return_release(&pfm_pmu_users);
}

/**
 * pfm_pmu_find_pmc() - look a control register up
 * @num: any number, from a program
 *
 * Context: any, while a context exists.
 * Return: its dense number, or PFM_NONE.
 */
unsigned int pfm_pmu_find_pmc(unsigned int num)
{
	if (num >= PFM_MAX_PMCS)
		return PFM_NONE;
	return pfm_regmap.pmc_of[array_index_nospec(num, PFM_MAX_PMCS)];
}

/**
 * pfm_pmu_mask() - read a program's vector of PMDs
 * @vec: PFM_MAX_PMD_BITVECTOR words, logical numbers
 * @bad: set to true if an unimplemented PMD is in it, else left alone
 *
 * Context: any, while a context exists.
 * Return: the PMDs, densely numbered.
 */
u64 pfm_pmu_mask(const u64 *vec, bool *bad)
{
	unsigned int w, num;
	u64 mask = 0, rest;

	for (w = 0; w < PFM_MAX_PMD_BITVECTOR; w++) {
		for (rest = vec[w]; rest; rest &= rest - 1) {
			num = w * 64 + __ffs64(rest);
			if (pfm_regmap.pmd_of[num] == PFM_NONE)
				*bad = true;
			else
				mask |= BIT_ULL(pfm_regmap.pmd_of[num]);
		}
	}
	return mask;
}

/**
 * pfm_pmu_vector() - write a program's vector of PMDs
 * @mask: PMDs, densely numbered
 * @vec:  PFM_MAX_PMD_BITVECTOR words, logical numbers, all set
 *
 * Context: any, NMI too, while a context exists.
 */
void pfm_pmu_vector(u64 mask, u64 *vec)
{
	unsigned int num;

	memset(vec, 0, PFM_MAX_PMD_BITVECTOR * sizeof(*vec));
	for (; mask; mask &= mask - 1) {
		num = pfm_regmap.pmd[__ffs64(mask)]->num;
		vec[num / 64] |= BIT_ULL(num % 64);
	}
}

/**
 * pfm_pmu_info_pmc() - describe a control register (3.1.13)
 * @i:    dense number
 * @info: filled in, all of it
 *
 * Context: any.
 */
void pfm_pmu_info_pmc(unsigned int i, pfarg_pmcinfo_t *info)
{
	const struct pfm_pmc_desc *d = pfm_regmap.pmc[i];

	*info = (pfarg_pmcinfo_t){
		.reg_num = d->num,
		.reg_type = d->type,
		.reg_def_value = d->def,
		.reg_rsvd_mask = d->rsvd,
		.reg_index = d->index,
	};
}

/**
 * pfm_pmu_info_pmd() - describe a data register (3.1.14)
 * @i:    dense number
 * @info: filled in, all of it
 *
 * Context: any.
 */
void pfm_pmu_info_pmd(unsigned int i, pfarg_pmdinfo_t *info)
{
	const struct pfm_pmd_desc *d = pfm_regmap.pmd[i];

	*info = (pfarg_pmdinfo_t){
		.reg_num = d->num,
		.reg_type = d->type,
		.reg_def_value = d->def,
		.reg_rsvd_mask = d->rsvd,
		.reg_index = d->index,
	};
}

/**
 * pfm_pmu_getinfo() - PFM_GETINFO_PMCS and PFM_GETINFO_PMDS, one element
 * @pmd:  the latter
 * @info: element; RETFL bits are set in its flags on failure
 *
 * Context: process.
 * Return: 0, or -EINVAL.
 */
int pfm_pmu_getinfo(bool pmd, pfarg_pmcinfo_t *info)
{
	u32 flags = info->reg_flags & ~PFM_REG_RETFL_MASK;
	unsigned int i;
	int ret = 0;

	mutex_lock(&pfm_pmu_mutex);
	i = pmd ? pfm_pmu_find_pmd(info->reg_num) : pfm_pmu_find_pmc(info->reg_num);
	if (flags || i == PFM_NONE)
		ret = -EINVAL;
	else if (pmd)
		pfm_pmu_info_pmd(i, info);
	else
		pfm_pmu_info_pmc(i, info);
	mutex_unlock(&pfm_pmu_mutex);

	if (ret)
		info->reg_flags = flags | PFM_REG_RETFL_EINVAL;
	return ret;
}
