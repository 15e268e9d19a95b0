// SPDX-License-Identifier: GPL-2.0-only
/*
 * perfmon2 on IA-64: what values of controls mean, for all models.
 *
 * Which monitors count follows from the kind of context, not from the program (5.2): user
 * monitors for threads, privileged ones for CPUs, and for threads that ask for them (6.4.1).
 */
#include <linux/kernel.h>

#include "ia64.h"

/* Whether contexts with these flags have privileged monitors. */
static bool pfm_ia64_privileged(u32 ctx_flags)
{
	return ctx_flags & (PFM_FL_SYSTEM_WIDE | PFM_ITA_FL_PRIV_MONITORS);
}

/* The bit that tells monitors of control @num apart; 0 if it monitors nothing. */
static u64 pfm_ia64_pm(const struct pfm_pmu *pmu, unsigned int num)
{
	const struct pfm_ia64_model *m = pfm_ia64_model(pmu);

	if (num >= 64)
		return 0;
	if (m->pm6 & BIT_ULL(num))
		return BIT_ULL(6);
	return m->pm4 & BIT_ULL(num) ? BIT_ULL(4) : 0;
}

/**
 * pfm_ia64_accepts() - pfm_pmu.accepts: no breakpoint (5.6.3)
 * @pmu:   description
 * @num:   PMC
 * @value: of it
 *
 * Context: any.
 * Return: whether ibr.x, or dbr.r and dbr.w, are 0.
 */
bool pfm_ia64_accepts(const struct pfm_pmu *pmu, unsigned int num, u64 value)
{
	if (num < PFM_ITA_IBR(0) || !(num & 1))
		return true;
	return !(value & (num < PFM_ITA_DBR(0) ? BIT_ULL(63) : GENMASK_ULL(63, 62)));
}

/**
 * pfm_ia64_selects() - pfm_pmu.selects: it monitors at any level
 * @pmu:   description
 * @num:   PMC
 * @value: of it
 *
 * Event 0 is an event.
 *
 * Context: any.
 * Return: whether it does.
 */
bool pfm_ia64_selects(const struct pfm_pmu *pmu, unsigned int num, u64 value)
{
	return pfm_ia64_pm(pmu, num) && (value & PFM_IA64_PLM);
}

/**
 * pfm_ia64_kernel() - pfm_pmu.kernel: it monitors at another level than the users'
 * @pmu:   description
 * @num:   PMC
 * @value: of it
 *
 * Context: any.
 * Return: whether it does.
 */
bool pfm_ia64_kernel(const struct pfm_pmu *pmu, unsigned int num, u64 value)
{
	return pfm_ia64_pm(pmu, num) && (value & PFM_IA64_PLM & ~PFM_IA64_PLM_USER);
}

/**
 * pfm_ia64_adapt() - pfm_pmu_rules.adapt: user or privileged monitor (5.2)
 * @pmu:       description
 * @num:       PMC
 * @value:     of it
 * @ctx_flags: of the context
 *
 * Context: any.
 * Return: the value that the register gets.
 */
u64 pfm_ia64_adapt(const struct pfm_pmu *pmu, unsigned int num, u64 value, u32 ctx_flags)
{
	const u64 pm = pfm_ia64_pm(pmu, num);

	return pfm_ia64_privileged(ctx_flags) ? value | pm : value & ~pm;
}

/**
 * pfm_ia64_value() - the value of a control
 * @pmu: description
 * @v:   values of all
 * @num: PMC that it has
 *
 * Context: any.
 * Return: the value.
 */
u64 pfm_ia64_value(const struct pfm_pmu *pmu, const u64 *v, unsigned int num)
{
	unsigned int i;

	for (i = 0; i < pmu->num_pmcs; i++)
		if (pmu->pmcs[i].num == num)
			return v[i];
	return 0;
}

/* Whether a set counts what goes on beside its thread on the same core. */
static bool pfm_ia64_sees_others(const struct pfm_pmu *pmu, const u64 *v)
{
	const struct pfm_ia64_model *m = pfm_ia64_model(pmu);
	unsigned int i;

	for (i = 0; m->core && i < pmu->num_pmcs; i++)
		if (pfm_ia64_pm(pmu, pmu->pmcs[i].num) && v[i] & m->core)
			return true;
	return false;
}

/**
 * pfm_ia64_admits() - pfm_pmu_rules.admits: flags, and controls that go together
 * @pmu: description
 * @run: the set
 *
 * Flags that only threads can have (5.4.1, 6.4.1); flags that only privileged monitors
 * can have, and one of them only (5.5.1, 5.5.2). Other threads are seen by contexts of CPUs
 * only.
 *
 * Context: any.
 * Return: whether the set makes sense.
 */
bool pfm_ia64_admits(const struct pfm_pmu *pmu, const struct pfm_run *run)
{
	const struct pfm_ia64_model *m = pfm_ia64_model(pmu);
	const u32 intr = run->set_flags & (PFM_ITA_SETFL_EXCL_INTR | PFM_ITA_SETFL_INTR_ONLY);

	if ((run->ctx_flags & PFM_FL_SYSTEM_WIDE) &&
	    (run->ctx_flags & (PFM_ITA_FL_INSECURE | PFM_ITA_FL_PRIV_MONITORS)))
		return false;
	if (intr && !pfm_ia64_privileged(run->ctx_flags))
		return false;
	if (intr == (PFM_ITA_SETFL_EXCL_INTR | PFM_ITA_SETFL_INTR_ONLY))
		return false;
	if (!(run->ctx_flags & PFM_FL_SYSTEM_WIDE) && pfm_ia64_sees_others(pmu, run->v))
		return false;
	return !m->tagged || m->tagged(pmu, run->v);
}

/**
 * pfm_ia64_claims() - pfm_pmu_rules.claims: the debug registers that a range control looks at
 * @pmu:   description
 * @num:   PMC
 * @value: of it
 *
 * A control that looks at any looks at all eight of a kind.
 *
 * Context: any.
 * Return: their positions.
 */
u64 pfm_ia64_claims(const struct pfm_pmu *pmu, unsigned int num, u64 value)
{
	const struct pfm_ia64_model *m = pfm_ia64_model(pmu);
	const unsigned int ibr0 = pmu->num_pmcs - 16;
	u64 claims = 0;

	if (m->code && num == m->code_pmc && m->code(value))
		claims |= GENMASK_ULL(ibr0 + 7, ibr0);
	if (m->data && num == m->data_pmc && m->data(value))
		claims |= GENMASK_ULL(ibr0 + 15, ibr0 + 8);
	return claims;
}

const struct pfm_pmu_rules pfm_ia64_rules = {
	.ctx_flags = PFM_ITA_FL_INSECURE | PFM_ITA_FL_PRIV_MONITORS,
	.set_flags = PFM_ITA_SETFL_EXCL_INTR | PFM_ITA_SETFL_INTR_ONLY,
	.excludes = PFM_SETFL_EXCL_IDLE,
	.adapt = pfm_ia64_adapt, .admits = pfm_ia64_admits, .claims = pfm_ia64_claims,
	.thread = pfm_ia64_thread, .switch_to = pfm_ia64_switch_to,
};
