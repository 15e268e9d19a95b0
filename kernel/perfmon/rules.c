// SPDX-License-Identifier: GPL-2.0-only
/*
 * perfmon2: what a PMU may demand beyond its registers: <perfmon/pmu_rules.h>. Only IA-64
 * does. For a PMU without rules each question here has the same answer always.
 */
#include "pfm.h"

#define PFM_RULES_EXCLUDES (PFM_SETFL_EXCL_IDLE | PFM_SETFL_EXCL_KERNEL_ONLY_THREADS)

/**
 * pfm_rules_validate() - check the rules of a description for nonsense
 * @pmu: description, with tables that make sense
 *
 * Context: process.
 * Return: 0, or -EINVAL.
 */
int pfm_rules_validate(const struct pfm_pmu *pmu)
{
	const struct pfm_pmu_rules *rules = pmu->rules;
	unsigned int i;

	if (!rules)
		return 0;
	if ((rules->ctx_flags | rules->set_flags) & ~PFM_PMU_OWN_FLAGS)
		return -EINVAL;
	if (rules->excludes & ~PFM_RULES_EXCLUDES || (rules->excludes && !rules->switch_to))
		return -EINVAL;
	if (!pmu->start && (rules->thread || rules->switch_to))
		return -EINVAL;
	/* A program that writes nothing must not have to hold others' registers. */
	for (i = 0; rules->claims && i < pmu->num_pmcs; i++)
		if (rules->claims(pmu, pmu->pmcs[i].num, pmu->pmcs[i].def))
			return -EINVAL;
	return 0;
}

/**
 * pfm_rules_claims() - the claimed registers that a control has the hardware look at
 * @pmc:   dense number of the control
 * @value: its value
 *
 * Context: any, while a context exists.
 * Return: controls, densely numbered.
 */
u64 pfm_rules_claims(unsigned int pmc, u64 value)
{
	const struct pfm_pmu *pmu = pfm_regmap.pmc_pmu[pmc];

	return pmu->rules && pmu->rules->claims ?
	       pmu->rules->claims(pmu, pfm_regmap.pmc[pmc]->num, value) : 0;
}

/**
 * pfm_rules_holds() - what has to be held to use a control register
 * @pmc:   dense number
 * @value: what it is to get
 *
 * Context: any, while a context exists.
 * Return: PFM_HOLD_..., 0 if it is not one that the hardware's operations reach.
 */
unsigned int pfm_rules_holds(unsigned int pmc, u64 value)
{
	if (!pfm_regmap.hw || !pfm_regmap.hw->start || pmc >= pfm_regmap.hw->num_pmcs)
		return 0;
	if ((pfm_regmap.pmc[pmc]->flags & PFM_PMC_CLAIMED) || pfm_rules_claims(pmc, value))
		return PFM_HOLD_PMU | PFM_HOLD_CLAIMED;
	return PFM_HOLD_PMU;
}

/**
 * pfm_rules_ctx_flags() - flags of contexts that this machine's PMU has
 *
 * Context: any. The answer may be stale unless a context exists.
 * Return: PFM_FL_... from bit 16 on.
 */
u32 pfm_rules_ctx_flags(void)
{
	const struct pfm_pmu_rules *rules = READ_ONCE(pfm_regmap.rules);

	return rules ? rules->ctx_flags : 0;
}

/**
 * pfm_rules_set_flags() - flags of sets that this machine's PMU has
 *
 * Context: any, while a context exists.
 * Return: PFM_SETFL_... from bit 16 on.
 */
u32 pfm_rules_set_flags(void)
{
	return pfm_regmap.rules ? pfm_regmap.rules->set_flags : 0;
}

/**
 * pfm_rules_adapt() - the value of a control register in a kind of context
 * @ctx:   context
 * @pmc:   dense number
 * @value: from a program, or the default
 *
 * Context: any, while a context exists.
 * Return: what the register gets: reserved bits at their defaults, and bits that
 * follow from the context's flags.
 */
u64 pfm_rules_adapt(const struct pfm_context *ctx, unsigned int pmc, u64 value)
{
	const struct pfm_pmc_desc *d = pfm_regmap.pmc[pmc];
	const struct pfm_pmu *pmu = pfm_regmap.pmc_pmu[pmc];

	value = (value & ~d->rsvd) | (d->def & d->rsvd);
	if (pmu->rules && pmu->rules->adapt)
		value = pmu->rules->adapt(pmu, d->num, value, ctx->flags);
	return value;
}

/* A set, whether it counts or not. */
static struct pfm_run pfm_rules_run(const struct pfm_context *ctx,
				    const struct pfm_set *set)
{
	return (struct pfm_run){
		.pmds = set->in_use,
		.v = set->values,
		.ctx_flags = ctx->flags,
		.set_flags = set->flags,
		.task = ctx->task,
	};
}

/**
 * pfm_rules_admits() - whether a whole set makes sense in a context
 * @ctx: context
 * @set: one of its sets
 *
 * Context: ctx->lock; or, of an unloaded context, ctx->mutex, which a context that no
 * program can reach yet does not need.
 * Return: whether the description says so.
 */
bool pfm_rules_admits(const struct pfm_context *ctx, const struct pfm_set *set)
{
	const struct pfm_pmu_rules *rules = pfm_regmap.rules;
	struct pfm_run run;

	pfm_assert_sets(ctx);
	if (likely(!rules || !rules->admits))
		return true;
	run = pfm_rules_run(ctx, set);
	return rules->admits(pfm_regmap.hw, &run);
}

/**
 * __pfm_rules_thread() - something happens to the thread of a context
 * @ctx:  loaded context, whose counters are stopped or do not matter
 * @what: what
 *
 * Context: ctx->lock, interrupts off; on the CPU where the context is live, if it is.
 */
void __pfm_rules_thread(struct pfm_context *ctx, enum pfm_thread_event what)
{
	const struct pfm_pmu_rules *rules = pfm_regmap.rules;
	const struct pfm_run run = pfm_rules_run(ctx, ctx->set);

	pfm_assert_live(ctx);
	if (rules->thread)
		rules->thread(pfm_regmap.hw, &run, what, ctx->own);
}

/**
 * __pfm_rules_switch_to() - the CPU of a context switches to another thread
 * @ctx:  system-wide context of this CPU, which has programmed the hardware
 * @next: thread, not current yet
 *
 * Context: ctx->lock, run queue lock, interrupts off; on the CPU where the context is
 * live.
 */
void __pfm_rules_switch_to(struct pfm_context *ctx, struct task_struct *next)
{
	const struct pfm_pmu_rules *rules = pfm_regmap.rules;
	const struct pfm_run run = pfm_rules_run(ctx, ctx->set);

	pfm_assert_live(ctx);
	if (rules->switch_to)
		rules->switch_to(pfm_regmap.hw, &run, next);
}
