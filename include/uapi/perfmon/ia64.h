/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * perfmon2: what there is on IA-64 alone (chapter 5, and 6.4.1, of the specification).
 */
#ifndef _UAPI_PERFMON_IA64_H
#define _UAPI_PERFMON_IA64_H

#include <perfmon/perfmon.h>

/* pfarg_ctx_t.ctx_flags, of contexts that monitor a thread */
#define PFM_ITA_FL_INSECURE		0x10000	/* the thread may use rum, sum and mov from PMD */
#define PFM_ITA_FL_PRIV_MONITORS	0x20000	/* privileged monitors, not user monitors */

/*
 * pfarg_setdesc_t.set_flags: one of them, with privileged monitors. Each system call by
 * break is an interruption.
 */
#define PFM_ITA_SETFL_EXCL_INTR		0x10000	/* nothing that an interruption triggers */
#define PFM_ITA_SETFL_INTR_ONLY		0x20000	/* nothing else */

/* Debug register n: PMC numbers */
#define PFM_ITA_IBR(n)			(256 + (n))
#define PFM_ITA_DBR(n)			(264 + (n))

/*
 * A signal's handler that has started or stopped its own thread, by a command or by sum
 * or rum, ends with psr.up as it was before, unless that is written here: sc is its struct
 * sigcontext (5.7).
 */
#define PFM_ITA_SC_UP			4UL
#define PFM_ITA_SC_START(sc)		((void)((sc)->sc_um |= PFM_ITA_SC_UP))
#define PFM_ITA_SC_STOP(sc)		((void)((sc)->sc_um &= ~PFM_ITA_SC_UP))

#endif /* _UAPI_PERFMON_IA64_H */
