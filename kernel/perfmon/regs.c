// SPDX-License-Identifier: GPL-2.0-only
/*
 * perfmon2: the three register commands (3.1.2-3.1.4), one element each.
 *
 * They address the registers of any set, active or not. A command on a vector
 * first brings the active set of a counting context up to date, by
 * pfm_monitor_update(), or, before writes, pfm_monitor_hold(), so that nothing
 * that was counted before a change is lost by it; then come the elements; after
 * writes, pfm_monitor_release().
 *
 * All of them run under ctx->mutex and ctx->lock, with interrupts off, on the
 * CPU where the context is live if it is anywhere: pfm_context_call().
 */
#include "pfm.h"

static bool pfm_regs_is_active(const struct pfm_context *ctx,
			       const struct pfm_set *set)
{
	return set == ctx->set && pfm_monitor_counting(ctx);
}

static bool pfm_regs_is_virtual(const struct pfm_pmd_desc *d)
{
	return d->type == PFM_REG_TYPE_VIRTUAL && !(d->flags & PFM_PMD_COUNTER);
}

/**
 * pfm_regs_value() - a register of the active set, for a sample
 * @ctx: context, up to date
 * @i:   PMD
 *
 * Context: as above, but for ctx->mutex; or NMI.
 * Return: its value.
 */
u64 pfm_regs_value(struct pfm_context *ctx, unsigned int i)
{
	const struct pfm_pmd_desc *d = pfm_regmap.pmd[i];

	return pfm_regs_is_virtual(d) ? pfm_soft_virtual(ctx, d->num)
				      : ctx->set->pmds[i].value;
}

static __always_inline struct pfm_set *pfm_regs_set(struct pfm_context *ctx,
						    u16 id, u32 *flags)
{
	struct pfm_set *set = ctx->set;

	if (set->id != id)
		set = pfm_set_find(ctx, id);
	if (!set)
		*flags |= PFM_REG_RETFL_NOSET;
	return set;
}

/* Which counters the controls of a set make count what. */
static void pfm_regs_classify(struct pfm_set *set, unsigned int pmc)
{
	const struct pfm_regmap *map = &pfm_regmap;
	const struct pfm_pmc *c = &set->pmcs[pmc];
	u64 pmds = map->pmds_of[pmc];
	unsigned int ev;

	set->used &= ~pmds;
	set->notify &= ~pmds;
	set->random &= ~pmds;
	if (map->pmc_pmu[pmc]->selects(map->pmc[pmc]->num, c->value))
		set->used |= pmds;
	set->hard = set->used & map->hard;
	if (c->flags & PFM_REGFL_OVFL_NOTIFY)
		set->notify |= pmds;
	if (c->flags & PFM_REGFL_RANDOM)
		set->random |= pmds;

	for (ev = 0; ev < PFM_SW_EVENTS; ev++)
		set->sw[ev] &= ~pmds;
	if (pmds & map->soft & set->used)
		set->sw[c->value] |= pmds;
	set->events = 0;
	for (ev = PFM_SW_NONE + 1; ev < PFM_SW_EVENTS; ev++)
		if (set->sw[ev])
			set->events |= BIT(ev);
}

/**
 * pfm_regs_write_pmc() - PFM_WRITE_PMCS, one element (3.1.2)
 * @ctx: context
 * @req: element; its flags get RETFL bits on failure, after which nothing has
 *       changed
 *
 * Context: see above.
 * Return: 0; -EINVAL; -EPERM for the kernel's level.
 */
int pfm_regs_write_pmc(struct pfm_context *ctx, pfarg_pmc_t *req)
{
	const struct pfm_regmap *map = &pfm_regmap;
	const struct pfm_pmc_desc *d;
	const struct pfm_pmu *pmu;
	u64 value, smpl, reset;
	struct pfm_pmc *c;
	struct pfm_set *set;
	bool bad = false;
	unsigned int i;

	req->reg_flags &= ~PFM_REG_RETFL_MASK;
	i = pfm_pmu_find_pmc(req->reg_num);
	if (i == PFM_NONE) {
		req->reg_flags |= PFM_REG_RETFL_NOTAVAIL;
		return -EINVAL;
	}
	set = pfm_regs_set(ctx, req->reg_set, &req->reg_flags);
	if (!set)
		return -EINVAL;

	d = map->pmc[i];
	pmu = map->pmc_pmu[i];
	value = (req->reg_value & ~d->rsvd) | (d->def & d->rsvd);
	smpl = pfm_pmu_mask(req->reg_smpl_pmds, &bad);
	reset = pfm_pmu_mask(req->reg_reset_pmds, &bad);
	if (bad ||
	    (req->reg_flags & ~(PFM_REGFL_OVFL_NOTIFY | PFM_REGFL_RANDOM)) ||
	    ((req->reg_flags & PFM_REGFL_OVFL_NOTIFY) &&
	     (pmu->flags & PFM_PMU_NO_INTERRUPT)) ||
	    (pmu->accepts && !pmu->accepts(d->num, value))) {
		req->reg_flags |= PFM_REG_RETFL_EINVAL;
		return -EINVAL;
	}
	if (!ctx->see_kernel && pmu->kernel && pmu->kernel(d->num, value)) {
		req->reg_flags |= PFM_REG_RETFL_EINVAL;
		return -EPERM;
	}

	c = &set->pmcs[i];
	c->value = value;
	c->flags = req->reg_flags;
	c->smpl_pmds = smpl;
	c->reset_pmds = reset;
	c->eventid = req->reg_smpl_eventid;
	pfm_regs_classify(set, i);
	if (pmu == map->hw) {
		ctx->hard = true;
		pfm_hw_changed(set, i);
	}

	/* In a context that does not count now, it comes when it does. */
	if (pfm_regs_is_active(ctx, set))
		pfm_soft_base(ctx, set, map->pmds_of[i] & set->used);
	return 0;
}

/* Reads are most of all commands, and this is most of a read. */
static __always_inline struct pfm_set *pfm_regs_pmd(struct pfm_context *ctx,
						    pfarg_pmd_t *req,
						    unsigned int *i)
{
	req->reg_flags &= ~PFM_REG_RETFL_MASK;
	*i = pfm_pmu_find_pmd(req->reg_num);
	if (*i == PFM_NONE) {
		req->reg_flags |= PFM_REG_RETFL_NOTAVAIL;
		return NULL;
	}
	if (req->reg_flags || req->reg_pad) {
		req->reg_flags |= PFM_REG_RETFL_EINVAL;
		return NULL;
	}
	return pfm_regs_set(ctx, req->reg_set, &req->reg_flags);
}

/**
 * pfm_regs_write_pmd() - PFM_WRITE_PMDS, one element (3.1.3)
 * @ctx: context
 * @req: element; its flags get RETFL bits on failure, after which nothing has
 *       changed
 *
 * Context: see above.
 * Return: 0, or -EINVAL.
 */
int pfm_regs_write_pmd(struct pfm_context *ctx, pfarg_pmd_t *req)
{
	const struct pfm_pmd_desc *d;
	struct pfm_set *set;
	struct pfm_pmd *p;
	unsigned int i;

	set = pfm_regs_pmd(ctx, req, &i);
	if (!set)
		return -EINVAL;
	d = pfm_regmap.pmd[i];
	if (d->flags & PFM_PMD_RDONLY) {
		req->reg_flags |= PFM_REG_RETFL_EINVAL;
		return -EINVAL;
	}

	p = &set->pmds[i];
	p->value = (req->reg_value & ~d->rsvd) | (d->def & d->rsvd);
	p->long_reset = req->reg_long_reset;
	p->short_reset = req->reg_short_reset;
	p->last_reset = p->value;
	p->random_mask = req->reg_random_mask;
	p->random = pfm_random_seed(req->reg_random_seed);
	p->thres = req->reg_ovflsw_thres;
	p->thres_left = p->thres;
	set->rearm |= BIT_ULL(i);
	set->triggers &= ~BIT_ULL(i);
	if (p->thres && (d->flags & PFM_PMD_COUNTER))
		set->triggers |= BIT_ULL(i);
	return 0;
}

/**
 * pfm_regs_read_pmd() - PFM_READ_PMDS, one element (3.1.4)
 * @ctx: context
 * @req: element; value, last reset value and threshold are filled in, or the
 *       flags get RETFL bits
 *
 * A virtual register is read where this runs: on the context's CPU.
 *
 * Context: see above.
 * Return: 0, or -EINVAL.
 */
int pfm_regs_read_pmd(struct pfm_context *ctx, pfarg_pmd_t *req)
{
	const struct pfm_pmd_desc *d;
	struct pfm_set *set;
	struct pfm_pmd *p;
	unsigned int i;

	set = pfm_regs_pmd(ctx, req, &i);
	if (!set)
		return -EINVAL;
	d = pfm_regmap.pmd[i];
	p = &set->pmds[i];

	if (pfm_regs_is_virtual(d))
		req->reg_value = pfm_soft_virtual(ctx, d->num);
	else
		req->reg_value = p->value;
	req->reg_last_reset_val = p->last_reset;
	req->reg_ovflsw_thres = 0;
	if ((d->flags & PFM_PMD_COUNTER) && (set->flags & PFM_SETFL_OVFL_SWITCH))
		req->reg_ovflsw_thres = p->thres_left;
	return 0;
}
