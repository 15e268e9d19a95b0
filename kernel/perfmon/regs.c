// SPDX-License-Identifier: GPL-2.0-only
/*
 * perfmon2: the three register commands (3.1.2-3.1.4).
 *
 * They address the registers of any set, active or not. A piece of a vector
 * first brings the active set of a counting context up to date, by
 * pfm_runstate_update(), or, before writes, pfm_runstate_freeze(), so that nothing
 * that was counted before a change is lost by it; then come the elements; after
 * writes, pfm_runstate_thaw().
 *
 * Pieces and elements run under ctx->mutex and ctx->lock, with interrupts off, on
 * the CPU where the context is live if it is anywhere: pfm_reach_call_pieces().
 */
#include "hw.h"
#include "pfm.h"
#include "soft.h"

/* Of a control. */
#define PFM_REGS_FLAGS	(PFM_REGFL_OVFL_NOTIFY | PFM_REGFL_RANDOM | \
			 PFM_REGFL_NO_64BIT_EMUL)

/* What an element of PFM_READ_PMDS says that has to be read in another way. */
#define PFM_REGS_AGAIN	1

static bool pfm_regs_is_active(const struct pfm_context *ctx,
			       const struct pfm_set *set)
{
	return set == ctx->set && pfm_runstate_counting(ctx);
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

/* Recompute which counters of the set are in use, and for what, after a control changed. */
static void pfm_regs_classify(struct pfm_set *set, unsigned int pmc)
{
	const struct pfm_regmap *map = &pfm_regmap;
	const struct pfm_pmu *pmu = map->pmc_pmu[pmc];
	const struct pfm_pmc *c = &set->pmcs[pmc];
	u64 pmds = map->pmds_of[pmc];
	unsigned int ev;

	set->used &= ~pmds;
	set->notify &= ~pmds;
	set->random &= ~pmds;
	set->raw &= ~pmds;
	set->uncounted &= ~map->uncounted_of[pmc];
	if (pmu->selects(pmu, map->pmc[pmc]->num, set->values[pmc])) {
		set->used |= pmds;
		set->uncounted |= map->uncounted_of[pmc];
	}
	set->hard = set->used & map->hard;
	set->in_use = set->hard | set->uncounted;
	if (c->flags & PFM_REGFL_OVFL_NOTIFY)
		set->notify |= pmds;
	if (c->flags & PFM_REGFL_RANDOM)
		set->random |= pmds;
	if (c->flags & PFM_REGFL_NO_64BIT_EMUL)
		set->raw |= pmds;

	for (ev = 0; ev < PFM_SW_EVENTS; ev++)
		set->sw[ev] &= ~pmds;
	if (pmds & map->soft & set->used)
		set->sw[set->values[pmc]] |= pmds;
	set->events = 0;
	for (ev = PFM_SW_NONE + 1; ev < PFM_SW_EVENTS; ev++)
		if (set->sw[ev])
			set->events |= BIT(ev);
}

/*
 * Give a control register a value, and what an overflow looks at. A set of a loaded
 * context can become active at any moment, so it has to make sense as a whole at each
 * of them.
 */
static bool pfm_regs_try(struct pfm_context *ctx, struct pfm_set *set,
			 unsigned int pmc, u64 value, struct pfm_pmc c)
{
	swap(set->values[pmc], value);
	swap(set->pmcs[pmc], c);
	pfm_regs_classify(set, pmc);
	if (ctx->state == PFM_UNLOADED || pfm_rules_admits(ctx, set))
		return true;
	set->values[pmc] = value;
	set->pmcs[pmc] = c;
	pfm_regs_classify(set, pmc);
	return false;
}

/* Counters that have just lost the emulation keep what their own bits can hold. */
static void pfm_regs_cut(struct pfm_set *set, u64 mask)
{
	for (mask &= set->raw; mask; mask &= mask - 1) {
		unsigned int i = __ffs64(mask);

		set->pmds[i].value = pfm_set_fit(set, i, set->pmds[i].value);
	}
}

/* The fields that an overflow of the control's counters looks at. */
static bool pfm_regs_overflow_fields(const struct pfm_pmu *pmu,
				     const pfarg_pmc_t *req, struct pfm_pmc *c)
{
	bool bad = false;

	c->flags = req->reg_flags;
	c->smpl_pmds = pfm_pmu_mask(req->reg_smpl_pmds, &bad);
	c->reset_pmds = pfm_pmu_mask(req->reg_reset_pmds, &bad);
	c->eventid = req->reg_smpl_eventid;
	if ((c->flags & PFM_REGFL_OVFL_NOTIFY) &&
	    (pmu->flags & PFM_PMU_NO_INTERRUPT))
		return false;
	/* Without 64 bits there is no overflow, to tell of or to reset after. */
	if ((c->flags & PFM_REGFL_NO_64BIT_EMUL) &&
	    (c->flags & (PFM_REGFL_OVFL_NOTIFY | PFM_REGFL_RANDOM)))
		return false;
	return !bad;
}

/*
 * Whether a context of this kind can do what a PMC is asked for. The sum of a tree with hidden
 * slots cannot notify; a context that is to join a tree can. Neither can count migrations: a
 * thread moves while it runs nowhere, and so no slot counts for it.
 */
static bool pfm_regs_suits(const struct pfm_context *ctx, const struct pfm_pmu *pmu,
			   u64 value, const struct pfm_pmc *c)
{
	if (likely(!(ctx->flags & PFM_FL_TREE)))
		return true;
	return (pfm_is_joiner(ctx) || !(c->flags & PFM_REGFL_OVFL_NOTIFY)) &&
	       !(pmu == &pfm_soft_pmu && value == PFM_SW_MIGRATIONS);
}

/* A loaded context that has used software alone begins to use the hardware. */
static void pfm_regs_use(struct pfm_context *ctx, unsigned int pmc, u64 value)
{
	const bool first = !ctx->uses && ctx->state != PFM_UNLOADED;

	ctx->uses |= pfm_rules_holds(pmc, value);
	if (value != pfm_regmap.pmc[pmc]->def)
		__set_bit(pmc, ctx->programmed);
	if (likely(!first))
		return;
	pfm_rules_thread(ctx, PFM_THREAD_LOAD);
	if (ctx->started)
		pfm_rules_thread(ctx, PFM_THREAD_START);
}

/**
 * pfm_regs_write_pmc() - PFM_WRITE_PMCS, one element (3.1.2)
 * @ctx: context
 * @req: element; its flags get RETFL bits on failure, after which nothing has
 *       changed
 *
 * Of a control without a counter, what only an overflow looks at is ignored:
 * the vectors, the event identifier and the flags that are defined.
 *
 * Context: ctx->lock, interrupts off; on the CPU where the context is live, if it is.
 * Return: 0; -EINVAL; -EPERM for the kernel's level, or for a register of the
 * PMU if the caller may use none.
 */
static int pfm_regs_write_pmc(struct pfm_context *ctx, pfarg_pmc_t *req)
{
	const struct pfm_regmap *map = &pfm_regmap;
	const struct pfm_pmc_desc *d;
	const struct pfm_pmu *pmu;
	struct pfm_pmc c = {};
	struct pfm_set *set;
	unsigned int i;
	u64 value;

	pfm_assert_live(ctx);
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
	value = pfm_rules_adapt(ctx, i, req->reg_value);
	if ((req->reg_flags & ~PFM_REGS_FLAGS) ||
	    (map->pmds_of[i] && !pfm_regs_overflow_fields(pmu, req, &c)) ||
	    (pmu->accepts && !pmu->accepts(pmu, d->num, value)) ||
	    !pfm_regs_suits(ctx, pmu, value, &c)) {
		req->reg_flags |= PFM_REG_RETFL_EINVAL;
		return -EINVAL;
	}
	if ((ctx->no_hard && pfm_rules_holds(i, value)) ||
	    (!ctx->see_kernel && pmu->kernel && pmu->kernel(pmu, d->num, value))) {
		req->reg_flags |= PFM_REG_RETFL_EINVAL;
		return -EPERM;
	}

	if (!pfm_regs_try(ctx, set, i, value, c)) {
		req->reg_flags |= PFM_REG_RETFL_EINVAL;
		return -EINVAL;
	}
	pfm_regs_cut(set, map->pmds_of[i]);
	if (pmu == map->hw && pmu->start) {
		pfm_regs_use(ctx, i, value);
		pfm_hw_changed(ctx, set, i);
	}

	/* Otherwise pfm_runstate_resume() takes the baseline. */
	if (pfm_regs_is_active(ctx, set))
		pfm_soft_base(ctx, set, map->pmds_of[i] & set->used);
	return 0;
}

static int pfm_regs_write_pmcs_piece(struct pfm_context *ctx, void *arg)
{
	struct pfm_vector *v = arg;
	unsigned int end = pfm_vector_end(v);
	pfarg_pmc_t *req = v->elem;
	int ret = 0;

	pfm_runstate_freeze(ctx);
	while (v->done < end && !ret)
		ret = pfm_regs_write_pmc(ctx, &req[v->done++]);
	pfm_runstate_thaw(ctx);
	pfm_sched_want(ctx);
	return ret;
}

/* To the context, and to the slots of its tree if it has one. */
static int pfm_regs_write_pmcs_all(struct pfm_context *ctx, struct pfm_vector *v)
{
	int ret = pfm_reach_call_pieces(ctx, pfm_regs_write_pmcs_piece, v);

	return pfm_sum_repeat(ctx, v, ret, pfm_regs_write_pmcs_piece);
}

/**
 * pfm_regs_write_pmcs() - PFM_WRITE_PMCS (3.1.2)
 * @ctx: context
 * @v:   elements: pfarg_pmc_t
 *
 * Context: process, ctx->mutex.
 * Return: 0; the error of the element that failed: see pfm_regs_write_pmc(); -EBUSY, and
 * no element was looked at, if others have the PMU, or contexts of the other kind have any
 * register of which @v wants more than its default; likewise that of pfm_host_faults_get();
 * and see pfm_reach_call().
 */
int pfm_regs_write_pmcs(struct pfm_context *ctx, struct pfm_vector *v)
{
	const pfarg_pmc_t *req = v->elem;
	DECLARE_BITMAP(pmcs, PFM_PMCS_MAX) = {};
	unsigned int uses = 0;
	unsigned int i, pmc, holds;
	u64 value;
	int ret;

	for (i = 0; i < v->n; i++) {
		ret = pfm_soft_note(ctx, &req[i]);
		if (ret)
			return ret;
		pmc = pfm_pmu_find_pmc(req[i].reg_num);
		if (pmc == PFM_NONE)
			continue;
		value = pfm_rules_adapt(ctx, pmc, req[i].reg_value);
		holds = pfm_rules_holds(pmc, value);
		uses |= holds;
		if (holds && value != pfm_regmap.pmc[pmc]->def)
			__set_bit(pmc, pmcs);
	}
	/*
	 * Check the caller's rights now: the elements may be written by an interprocessor
	 * call, on a CPU where current is another thread.
	 */
	ctx->no_hard = uses && !pfm_access_may_hold();
	/* A context that is not loaded gets the PMU when it is. */
	if (!uses || ctx->no_hard || READ_ONCE(ctx->state) == PFM_UNLOADED)
		return pfm_regs_write_pmcs_all(ctx, v);

	ret = pfm_reserve_hold(ctx, uses, pmcs);
	if (ret)
		return ret;
	ret = pfm_regs_write_pmcs_all(ctx, v);
	/* All of the elements that mattered may have been refused. */
	pfm_reserve_yield(ctx);
	return ret;
}

/*
 * Most commands are reads, and most of the time of a read is spent here. The
 * command takes the flags in @allowed.
 */
static __always_inline struct pfm_set *pfm_regs_pmd(struct pfm_context *ctx,
						    pfarg_pmd_t *req,
						    unsigned int *i, u32 allowed)
{
	req->reg_flags &= ~PFM_REG_RETFL_MASK;
	*i = pfm_pmu_find_pmd(req->reg_num);
	if (*i == PFM_NONE) {
		req->reg_flags |= PFM_REG_RETFL_NOTAVAIL;
		return NULL;
	}
	if ((req->reg_flags & ~allowed) || req->reg_pad) {
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
 * With PFM_REGFL_KEEP_VALUE the period that has begun ends as it would have: only the
 * next ones are as long as @req says. Without that, a program that adapts periods
 * would lose the events of the one that it cuts short.
 *
 * Context: ctx->lock, interrupts off; on the CPU where the context is live, if it is.
 * Return: 0, or -EINVAL.
 */
static int pfm_regs_write_pmd(struct pfm_context *ctx, pfarg_pmd_t *req)
{
	const struct pfm_pmd_desc *d;
	struct pfm_reset *r;
	struct pfm_set *set;
	unsigned int i;

	pfm_assert_live(ctx);
	set = pfm_regs_pmd(ctx, req, &i, PFM_REGFL_KEEP_VALUE);
	if (!set)
		return -EINVAL;
	d = pfm_regmap.pmd[i];
	if (d->flags & PFM_PMD_RDONLY) {
		req->reg_flags |= PFM_REG_RETFL_EINVAL;
		return -EINVAL;
	}

	r = pfm_set_reset(set, i);
	r->long_reset = req->reg_long_reset;
	r->short_reset = req->reg_short_reset;
	r->random_mask = req->reg_random_mask;
	if (req->reg_flags & PFM_REGFL_KEEP_VALUE)
		return 0;
	set->pmds[i].value = pfm_set_fit(set, i, req->reg_value);
	r->last_reset = set->pmds[i].value;
	r->random = pfm_random_seed(req->reg_random_seed);
	r->thres = req->reg_ovflsw_thres;
	r->thres_left = r->thres;
	set->unarmed |= BIT_ULL(i);
	/* This is where the next attachment begins, not a value that waits for a reset. */
	if (ctx->state == PFM_UNLOADED)
		set->ovfl &= ~BIT_ULL(i);
	set->triggers &= ~BIT_ULL(i);
	if (r->thres && (d->flags & PFM_PMD_COUNTER))
		set->triggers |= BIT_ULL(i);
	return 0;
}

static int pfm_regs_write_pmds_piece(struct pfm_context *ctx, void *arg)
{
	struct pfm_vector *v = arg;
	unsigned int end = pfm_vector_end(v);
	pfarg_pmd_t *req = v->elem;
	int ret = 0;

	pfm_runstate_freeze(ctx);
	while (v->done < end && !ret)
		ret = pfm_regs_write_pmd(ctx, &req[v->done++]);
	pfm_runstate_thaw(ctx);
	return ret;
}

/**
 * pfm_regs_write_pmds() - PFM_WRITE_PMDS (3.1.3)
 * @ctx: context
 * @v:   elements: pfarg_pmd_t
 *
 * Context: process, ctx->mutex.
 * Return: 0; -EINVAL; and see pfm_reach_call().
 */
int pfm_regs_write_pmds(struct pfm_context *ctx, struct pfm_vector *v)
{
	int ret = pfm_reach_call_pieces(ctx, pfm_regs_write_pmds_piece, v);

	return pfm_sum_repeat(ctx, v, ret, pfm_regs_write_pmds_piece);
}

static __always_inline void pfm_regs_fill(struct pfm_context *ctx,
					  const struct pfm_set *set,
					  unsigned int i, pfarg_pmd_t *req)
{
	const struct pfm_pmd_desc *d = pfm_regmap.pmd[i];
	const struct pfm_reset *r = pfm_set_reset(set, i);

	if (pfm_soft_is_virtual(d))
		req->reg_value = pfm_soft_virtual(ctx, d->num);
	else
		req->reg_value = set->pmds[i].value;
	req->reg_last_reset_val = r->last_reset;
	req->reg_ovflsw_thres = 0;
	if ((d->flags & PFM_PMD_COUNTER) && (set->flags & PFM_SETFL_OVFL_SWITCH))
		req->reg_ovflsw_thres = r->thres_left;
}

/* Why an element was refused. */
static noinline int pfm_regs_refused(pfarg_pmd_t *req)
{
	if (req->reg_flags != (PFM_REGFL_READ_RESET | PFM_REG_RETFL_EINVAL) ||
	    req->reg_pad)
		return -EINVAL;
	req->reg_flags = PFM_REGFL_READ_RESET;
	return PFM_REGS_AGAIN;
}

static bool pfm_regs_is_clock(const struct pfm_pmd_desc *d)
{
	return pfm_soft_is_virtual(d) && d->num == PFM_VPMD_THREAD_TIME;
}

/**
 * pfm_regs_read_pmd() - PFM_READ_PMDS, one element (3.1.4)
 * @ctx: context
 * @req: element; value, last reset value and threshold are filled in, or the
 *       flags get RETFL bits
 *
 * A virtual register is read where this runs: on the context's CPU.
 *
 * Context: ctx->lock, interrupts off; on the CPU where the context is live, if it is.
 * Return: 0; -EINVAL; or PFM_REGS_AGAIN if that is not enough: the register is to be
 * reset, for which counters have to stand still, or is the first of the context for
 * which the time has to be taken. pfm_regs_read_frozen_pmd() does that.
 */
static int pfm_regs_read_pmd(struct pfm_context *ctx, pfarg_pmd_t *req)
{
	struct pfm_set *set;
	unsigned int i;

	pfm_assert_live(ctx);
	set = pfm_regs_pmd(ctx, req, &i, 0);
	if (!set)
		return pfm_regs_refused(req);
	if (unlikely(pfm_regs_is_clock(pfm_regmap.pmd[i])) && !ctx->clocked)
		return PFM_REGS_AGAIN;
	pfm_regs_fill(ctx, set, i, req);
	return 0;
}

/**
 * pfm_regs_read_frozen_pmd() - PFM_READ_PMDS, one element, between
 *			      pfm_runstate_freeze() and pfm_runstate_thaw()
 * @ctx: context
 * @req: element, as above; PFM_REGFL_READ_RESET stays in its flags (6.2.2)
 *
 * Context: ctx->lock, interrupts off; on the CPU where the context is live, if it is.
 * Return: 0; -EINVAL, also for the reset of a register that cannot be written, or of a tree's.
 */
static int pfm_regs_read_frozen_pmd(struct pfm_context *ctx, pfarg_pmd_t *req)
{
	struct pfm_set *set;
	unsigned int i;

	pfm_assert_live(ctx);
	set = pfm_regs_pmd(ctx, req, &i, PFM_REGFL_READ_RESET);
	if (!set)
		return -EINVAL;
	/* Of a sum, what slots have counted since would have to be forgotten at once. */
	if (req->reg_flags &&
	    (!pfm_pmu_can_write(pfm_regmap.pmd[i]) ||
	     ((ctx->flags & PFM_FL_TREE) && !pfm_is_joiner(ctx)))) {
		req->reg_flags |= PFM_REG_RETFL_EINVAL;
		return -EINVAL;
	}
	pfm_regs_fill(ctx, set, i, req);
	if (req->reg_flags)
		pfm_overflow_reset_read(ctx, set, i);
	return 0;
}

/**
 * pfm_regs_read_pmds_piece() - PFM_READ_PMDS, a piece of the vector
 * @ctx: context
 * @arg: struct pfm_vector, of pfarg_pmd_t
 *
 * Context: pfm_reach_call_pieces(), pfm_reach_own().
 * Return: 0; -EINVAL; or something positive if that is not enough, and
 * pfm_regs_read_pmds() has to be called, for all of the vector.
 */
int pfm_regs_read_pmds_piece(struct pfm_context *ctx, void *arg)
{
	struct pfm_vector *v = arg;
	unsigned int end = pfm_vector_end(v);
	pfarg_pmd_t *req = v->elem;
	int ret = 0;

	pfm_runstate_update(ctx);
	while (v->done < end && !ret)
		ret = pfm_regs_read_pmd(ctx, &req[v->done++]);
	return ret;
}

static int pfm_regs_read_frozen_pmds_piece(struct pfm_context *ctx, void *arg)
{
	struct pfm_vector *v = arg;
	unsigned int end = pfm_vector_end(v);
	pfarg_pmd_t *req = v->elem;
	int ret = 0;

	pfm_runstate_freeze(ctx);
	while (v->done < end && !ret)
		ret = pfm_regs_read_frozen_pmd(ctx, &req[v->done++]);
	pfm_runstate_thaw(ctx);
	/* Its first read of a thread's time may be one of these. */
	pfm_sched_want(ctx);
	return ret;
}

/**
 * pfm_regs_read_pmds() - PFM_READ_PMDS (3.1.4)
 * @ctx: context
 * @v:   elements: pfarg_pmd_t
 *
 * Context: process, ctx->mutex.
 * Return: 0; -EINVAL; and see pfm_reach_call().
 */
int pfm_regs_read_pmds(struct pfm_context *ctx, struct pfm_vector *v)
{
	int ret = pfm_reach_call_pieces(ctx, pfm_regs_read_pmds_piece, v);
	const pfarg_pmd_t *req = v->elem;
	unsigned int i;

	if (likely(ret != PFM_REGS_AGAIN))
		return pfm_sum_read(ctx, v, ret);
	/* The piece with that element is read anew, while nothing counts. */
	for (i = 0; i < v->n; i++)
		if (req[i].reg_num == PFM_VPMD_THREAD_TIME)
			pfm_context_clock(ctx);
	v->done = round_down(v->done - 1, PFM_VECTOR_PIECE);
	ret = pfm_reach_call_pieces(ctx, pfm_regs_read_frozen_pmds_piece, v);
	return pfm_sum_read(ctx, v, ret);
}
