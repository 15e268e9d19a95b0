// SPDX-License-Identifier: GPL-2.0-only
/*
 * perfmon2 on IA-64: debug registers are the debuggers' or ours, on all CPUs (5.6.2).
 *
 * A thread debugs from the first access to its debug registers by ptrace() until it
 * executes another program or ends. Contexts that are loaded, and have range
 * restrictions, hold PFM_HOLD_CLAIMED. Each waits for the end of the other.
 */
#include <linux/errno.h>
#include <linux/spinlock.h>

#include "hooks.h"
#include "ia64.h"

static DEFINE_SPINLOCK(pfm_ia64_debug_lock);
static unsigned int pfm_ia64_debugged;	/* [f] threads */
static bool pfm_ia64_ranges;		/* [f] some context has ranges */

/**
 * pfm_ia64_acquire() - pfm_pmu.acquire: nobody else has the PMU, but debug registers
 * @pmu:  description
 * @what: PFM_HOLD_...
 *
 * Context: process, the core's mutex.
 * Return: 0, or -EBUSY if a thread is being debugged.
 */
int pfm_ia64_acquire(const struct pfm_pmu *pmu, unsigned int what)
{
	int ret = 0;

	if (!(what & PFM_HOLD_CLAIMED))
		return 0;
	spin_lock(&pfm_ia64_debug_lock);
	if (pfm_ia64_debugged)
		ret = -EBUSY;
	else
		pfm_ia64_ranges = true;
	spin_unlock(&pfm_ia64_debug_lock);
	return ret;
}

/**
 * pfm_ia64_release() - undo pfm_ia64_acquire()
 * @pmu:  description
 * @what: PFM_HOLD_...
 *
 * Context: process, the core's mutex.
 */
void pfm_ia64_release(const struct pfm_pmu *pmu, unsigned int what)
{
	if (!(what & PFM_HOLD_CLAIMED))
		return;
	spin_lock(&pfm_ia64_debug_lock);
	pfm_ia64_ranges = false;
	spin_unlock(&pfm_ia64_debug_lock);
}

/**
 * pfm_debug_begin() - a thread is about to be debugged by debug registers
 *
 * Context: process.
 * Return: whether it may; then pfm_debug_end() has to follow, once.
 */
bool pfm_debug_begin(void)
{
	bool may;

	spin_lock(&pfm_ia64_debug_lock);
	may = !pfm_ia64_ranges;
	pfm_ia64_debugged += may;
	spin_unlock(&pfm_ia64_debug_lock);
	return may;
}

/**
 * pfm_debug_end() - it is no more
 *
 * Context: process.
 */
void pfm_debug_end(void)
{
	spin_lock(&pfm_ia64_debug_lock);
	pfm_ia64_debugged--;
	spin_unlock(&pfm_ia64_debug_lock);
}
