/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perfmon2 on x86: the event select register, as P6 laid it out and Intel's
 * architectural PMU and AMD's took it over.
 *
 * A program chooses events with it; whether the counter is enabled (EN) and
 * interrupts (INT) is the kernel's business. A program may set EN, as manuals
 * tell it to, and it does not matter: a counter counts if it counts for users
 * or for the kernel. INT is always set, a counter's wrap must be noticed.
 */
#ifndef _X86_PERFMON_EVTSEL_H
#define _X86_PERFMON_EVTSEL_H

#include "x86.h"

/*
 * Reserved everywhere: INT, see above; PC, which pulses pins of the package;
 * bit 21, reserved before version 3 of the architectural PMU and AnyThread
 * since, which counts what the sibling thread does, and so what another user
 * does; and what is above bit 31.
 */
#define PFM_EVTSEL_DEF		PFM_X86_INT
#define PFM_EVTSEL_RSVD		(GENMASK_ULL(63, 32) | PFM_X86_ANY |	\
				 PFM_X86_INT | PFM_X86_PC)

static inline bool pfm_evtsel_selects(u64 value)
{
	return value & (PFM_X86_USR | PFM_X86_OS);
}

/* What the register gets to count. */
static inline u64 pfm_evtsel_on(u64 value)
{
	return pfm_evtsel_selects(value) ? value | PFM_X86_EN
					 : value & ~PFM_X86_EN;
}

/* And to keep its configuration, but not count. */
static inline u64 pfm_evtsel_off(u64 value)
{
	return value & ~PFM_X86_EN;
}

#endif /* _X86_PERFMON_EVTSEL_H */
