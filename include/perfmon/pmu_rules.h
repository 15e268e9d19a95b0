/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perfmon2: what a PMU may demand beyond its registers. Only IA-64 does.
 *
 * A description needs this only if a thread's saved state, or registers that others in the
 * kernel use, too, decide what is counted. It and the core include this.
 */
#ifndef _PERFMON_PMU_RULES_H
#define _PERFMON_PMU_RULES_H

#include <perfmon/pmu.h>

/*
 * pfm_pmc_desc.flags: others in the kernel use this register for purposes of their own, as a
 * debugger does debug registers. It is written only for sets in which a program has written
 * it, and only while it is claimed: PFM_HOLD_CLAIMED.
 */
#define PFM_PMC_CLAIMED		BIT(0)

/*
 * pfm_pmu.acquire, release: the control registers with PFM_PMC_CLAIMED. Asked for only while
 * PFM_HOLD_PMU is held.
 */
#define PFM_HOLD_CLAIMED	BIT(1)

/*
 * pfm_pmu.flags, beside PFM_PMU_USER_READ: a program that may read a counter is to find the
 * low bits of its value there. The register holds them while it counts, at the cost of a
 * write whenever it comes to a CPU. For counters that can be given any value: without
 * write_bits, and without min_period.
 */
#define PFM_PMU_USER_COUNTS	BIT(2)

/* Flags of contexts and sets that a description can have: those from bit 16 on. */
#define PFM_PMU_OWN_FLAGS	GENMASK(28, 16)

/**
 * enum pfm_thread_event - what happens to a monitored thread
 * @PFM_THREAD_LOAD:   a context that uses the hardware has been attached to it, or the
 *                     context that is attached uses the hardware from now on
 * @PFM_THREAD_UNLOAD: ... is about to be detached, for whatever reason
 * @PFM_THREAD_START:  ... is started by PFM_START. It may be masked yet, and is
 *                     told again if the context is started already
 * @PFM_THREAD_STOP:   ... is stopped by PFM_STOP, or because it is detached
 */
enum pfm_thread_event {
	PFM_THREAD_LOAD,
	PFM_THREAD_UNLOAD,
	PFM_THREAD_START,
	PFM_THREAD_STOP,
};

/**
 * struct pfm_pmu_rules - the rules of a description, all of them optional
 * @ctx_flags:  in PFM_PMU_OWN_FLAGS: what contexts may have beside the flags
 *              that are the same everywhere
 * @set_flags:  likewise sets
 * @excludes:   PFM_SETFL_EXCL_...: where the active set has one of these, and uses the
 *              hardware, the core stops nothing while such a thread runs: @switch_to sees
 *              to what is left out
 *
 * The first three look at their arguments only, as the judgements of struct pfm_pmu do, and
 * are called in the same places. In a struct pfm_run that any of these gets, the PMDs are
 * those that the set uses, whether it counts or not.
 *
 * @adapt:      the value that control register @num gets in a context
 *              with @ctx_flags when a program writes @value: for bits that
 *              follow from the kind of context. Asked about defaults, too
 * @admits:     whether a whole set makes sense: the values in @run->v,
 *              with its flags, in a context with such flags. Asked
 *              when a context or a set is created, about each set at
 *              PFM_LOAD_CONTEXT, and about each value that PFM_WRITE_PMCS
 *              writes into a set of a loaded context. @run->task is not known
 * @claims:     which registers with
 *              PFM_PMC_CLAIMED, bit n being pfm_pmu.pmcs[n], the hardware looks at if
 *              @value is in control register @num. A set with such a value has them as if a
 *              program had written all of them. None for a default
 *
 * The others are for a description that reaches registers, and run on the CPU that is meant,
 * with the context's lock held and interrupts off.
 *
 * @thread:     something happens to the thread @run->task, or, if @run->task
 *              is NULL, to this CPU, by a context that has programmed the hardware.
 *              @self: the monitored thread attached the context itself.
 *              This is the CPU where the thread runs, or the thread runs nowhere and
 *              cannot begin to: then its saved state is what counts
 * @switch_to:  current is about to leave this CPU to thread @next, under a
 *              system-wide context that uses the hardware, whether it counts or not: @run
 *              has its active set. The run queue's lock is held, too; what @run->pmds are
 *              goes on counting
 */
struct pfm_pmu_rules {
	u32 ctx_flags;
	u32 set_flags;
	u32 excludes;

	u64 (*adapt)(const struct pfm_pmu *pmu, unsigned int num, u64 value,
		     u32 ctx_flags);
	bool (*admits)(const struct pfm_pmu *pmu, const struct pfm_run *run);
	u64 (*claims)(const struct pfm_pmu *pmu, unsigned int num, u64 value);

	void (*thread)(const struct pfm_pmu *pmu, const struct pfm_run *run,
		       enum pfm_thread_event what, bool self);
	void (*switch_to)(const struct pfm_pmu *pmu, const struct pfm_run *run,
			  struct task_struct *next);
};

#endif /* _PERFMON_PMU_RULES_H */
