// SPDX-License-Identifier: GPL-2.0-only
/*
 * perfmon2: the sessions that there are.
 *
 * A session is the time for which a context is loaded. Per-thread and system-wide
 * ones exclude each other (3.1.7) as far as they would share the PMU: those that
 * have programmed registers of the hardware claim it for their kind. What the
 * software PMU counts is there for a thread and for its CPU at once.
 *
 * The hooks are on while there are sessions, and a second longer.
 */
#include "host.h"
#include "pfm.h"

PFM_HOST_HOOKS;

static DEFINE_RAW_SPINLOCK(pfm_session_lock);
static unsigned int pfm_session_open[2];	/* [f] per-thread, system-wide */
static unsigned int pfm_session_claims[2];	/* [f] ... that have the hardware */

/**
 * pfm_session_claim() - keep the hardware for contexts of one kind
 * @system: system-wide
 *
 * Context: any lock; not NMI.
 * Return: false if contexts of the other kind have it. Otherwise
 * pfm_session_yield() is to follow.
 */
bool pfm_session_claim(bool system)
{
	unsigned long flags;
	bool ok;

	raw_spin_lock_irqsave(&pfm_session_lock, flags);
	ok = !pfm_session_claims[!system];
	pfm_session_claims[system] += ok;
	raw_spin_unlock_irqrestore(&pfm_session_lock, flags);
	return ok;
}

/**
 * pfm_session_yield() - undo pfm_session_claim()
 * @system: system-wide
 *
 * Context: as pfm_session_claim().
 */
void pfm_session_yield(bool system)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&pfm_session_lock, flags);
	pfm_session_claims[system]--;
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
