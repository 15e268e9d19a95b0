// SPDX-License-Identifier: GPL-2.0-only
/*
 * perfmon2: the sessions that there are.
 *
 * A session is the time for which a context is loaded. Per-thread and system-wide
 * ones exclude each other (3.1.7) by register: a context claims for its kind the control
 * registers of the hardware that it has given another value than the default. If the PMU
 * cannot be shared (no PFM_PMU_SHARES), it claims all of them. What the software PMU counts
 * is there for a thread and for its CPU at once.
 *
 * Claims are for the whole machine, since threads move between CPUs. Contexts of one kind
 * never meet on a CPU, and do not exclude each other.
 *
 * The hooks are on while there are sessions, and a second longer.
 */
#include "host.h"
#include "pfm.h"

PFM_HOST_HOOKS;

static DEFINE_RAW_SPINLOCK(pfm_session_lock);
static unsigned int pfm_session_open[2];	/* [f] per-thread, system-wide */
static unsigned int pfm_session_claims[2][PFM_PMCS_MAX];	/* [f] ... that have this */

/*
 * The control registers that contexts of a kind have claimed. Changed under the lock, read
 * without it, by whoever programs a CPU: a context that has just got its claim comes to
 * a CPU later.
 */
unsigned long pfm_session_owned[2][BITS_TO_LONGS(PFM_PMCS_MAX)];

/* How often a control without a counter got another owner, or lost it. Changed as those. */
unsigned int pfm_session_owners;

/* A control register has an owner, or none any more. */
static void pfm_session_own(bool system, unsigned int pmc, bool own)
{
	assign_bit(pmc, pfm_session_owned[system], own);
	if (pfm_regmap.pmds_of[pmc])
		return;
	/* Pairs with pfm_hw_follow(): whose it is, then the number. */
	smp_wmb();
	WRITE_ONCE(pfm_session_owners, pfm_session_owners + 1);
}

/**
 * pfm_session_claim() - keep control registers for contexts of one kind
 * @system: system-wide
 * @pmcs:   bitmap of them, densely numbered
 *
 * Context: any lock; not NMI.
 * Return: false if contexts of the other kind have any of them: then none was claimed.
 * Otherwise pfm_session_yield() is to follow.
 */
bool pfm_session_claim(bool system, const unsigned long *pmcs)
{
	unsigned long flags;
	unsigned int i;
	bool ok;

	raw_spin_lock_irqsave(&pfm_session_lock, flags);
	ok = !bitmap_intersects(pmcs, pfm_session_owned[!system], PFM_PMCS_MAX);
	if (ok) {
		for_each_set_bit(i, pmcs, PFM_PMCS_MAX)
			if (!pfm_session_claims[system][i]++)
				pfm_session_own(system, i, true);
	}
	raw_spin_unlock_irqrestore(&pfm_session_lock, flags);
	return ok;
}

/**
 * pfm_session_yield() - undo pfm_session_claim()
 * @system: system-wide
 * @pmcs:   as there
 *
 * Context: as pfm_session_claim().
 */
void pfm_session_yield(bool system, const unsigned long *pmcs)
{
	unsigned long flags;
	unsigned int i;

	raw_spin_lock_irqsave(&pfm_session_lock, flags);
	for_each_set_bit(i, pmcs, PFM_PMCS_MAX)
		if (!--pfm_session_claims[system][i])
			pfm_session_own(system, i, false);
	raw_spin_unlock_irqrestore(&pfm_session_lock, flags);
}

/**
 * pfm_session_free() - the control registers that a context could claim now
 * @system: system-wide
 * @pmcs:   out: bitmap of them, densely numbered
 *
 * Other users of the PMU in the kernel may have it all the same.
 *
 * Context: process, while a context exists, or the answer is out of date at once.
 */
void pfm_session_free(bool system, unsigned long *pmcs)
{
	const struct pfm_pmu *pmu = pfm_regmap.hw;
	unsigned long flags;

	bitmap_zero(pmcs, PFM_PMCS_MAX);
	if (!pmu || !pmu->start)
		return;
	bitmap_set(pmcs, 0, pmu->num_pmcs);
	raw_spin_lock_irqsave(&pfm_session_lock, flags);
	bitmap_andnot(pmcs, pmcs, pfm_session_owned[!system], PFM_PMCS_MAX);
	raw_spin_unlock_irqrestore(&pfm_session_lock, flags);
}

/**
 * pfm_session_get() - open a session and turn the hooks on
 * @system: system-wide
 *
 * When this returns every CPU runs the hooks.
 *
 * Context: process; no lock that CPU hotplug, or an exec, waits for.
 * Return: 0, or -errno if the hooks cannot be turned on.
 */
int pfm_session_get(bool system)
{
	unsigned long flags;
	int ret;

	raw_spin_lock_irqsave(&pfm_session_lock, flags);
	pfm_session_open[system]++;
	raw_spin_unlock_irqrestore(&pfm_session_lock, flags);

	ret = pfm_host_hooks_get(system);
	if (ret) {
		pfm_session_close(system);
		return ret;
	}
	/*
	 * An exit that still finds the hook off has set PF_EXITING before it
	 * looked: the load, which publishes the context after this, sees that.
	 * Patching text implies the barrier; a plain counter does not.
	 */
	smp_mb();
	return 0;
}

/**
 * pfm_session_close() - a session is over
 * @system: system-wide
 *
 * Call it before any program can learn of the end: sysfs shows how many there are.
 *
 * Context: any lock; not NMI.
 */
void pfm_session_close(bool system)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&pfm_session_lock, flags);
	pfm_session_open[system]--;
	raw_spin_unlock_irqrestore(&pfm_session_lock, flags);
}

/**
 * pfm_session_unhook() - a session that is over needs the hooks no more
 * @system: system-wide
 *
 * Context: process.
 */
void pfm_session_unhook(bool system)
{
	pfm_host_hooks_put(system);
}

/**
 * pfm_session_count() - the sessions that there are, to show them
 * @system: out
 * @thread: out
 *
 * Context: any.
 */
void pfm_session_count(unsigned int *system, unsigned int *thread)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&pfm_session_lock, flags);
	*system = pfm_session_open[true];
	*thread = pfm_session_open[false];
	raw_spin_unlock_irqrestore(&pfm_session_lock, flags);
}
