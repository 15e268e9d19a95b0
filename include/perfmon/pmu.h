/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perfmon2: the kernel interface for descriptions of PMUs.
 *
 * A PMU is described by two tables, one of control registers (PMC) and one of
 * data registers (PMD), in increasing order of the logical numbers that
 * programs use. The core never asks which model it drives: whatever differs
 * between models stands in the tables or behind an operation.
 */
#ifndef _PERFMON_PMU_H
#define _PERFMON_PMU_H

#include <linux/bits.h>
#include <linux/types.h>
#include <perfmon/perfmon.h>

struct pt_regs;
struct task_struct;

/* A PMD that no PMC controls. */
#define PFM_NO_PMC		0xffff

/* Most registers of all descriptions together. The validator refuses more. */
#define PFM_PMCS_MAX		128
#define PFM_PMDS_MAX		64

/*
 * Others in the kernel use this register for purposes of their own, as a debugger
 * does debug registers. It is written only for sets in which a program has written
 * it, and only while it is claimed: PFM_HOLD_CLAIMED.
 */
#define PFM_PMC_CLAIMED		BIT(0)

/**
 * struct pfm_pmc_desc - a control register
 * @name:  unique among the PMCs, short, for sysfs
 * @num:   logical number, below PFM_MAX_PMCS
 * @type:  PFM_REG_TYPE_..., what the register really is
 * @flags: PFM_PMC_...
 * @index: its address or number there, or PFM_REG_IDX_NONE
 * @def:   default value; nothing may be measured with it (3.1.2)
 * @rsvd:  bits that keep their default whatever is written (3.1.13)
 */
struct pfm_pmc_desc {
	const char *name;
	u16 num;
	u16 type;
	u16 flags;
	u64 index;
	u64 def;
	u64 rsvd;
};

#define PFM_PMD_COUNTER		BIT(0)	/* counts; has 64 bits for programs */
#define PFM_PMD_RDONLY		BIT(1)	/* programs cannot write it */
/*
 * Its contents are valid only while the set stays on one CPU, as those of a record of
 * branches. Where the core would restore another register, and when a program resets it,
 * the core writes 0 to this one. Only with PFM_PMD_RDONLY, and for a register that does
 * not count and whose default is 0.
 */
#define PFM_PMD_CLEAR		BIT(2)

/**
 * struct pfm_pmd_desc - a data register
 * @name:  unique among the PMDs, short, for sysfs
 * @num:   logical number, below PFM_MAX_PMDS
 * @type:  PFM_REG_TYPE_..., what the register really is
 * @flags: PFM_PMD_...
 * @ctrl:  logical number of the PMC that controls it, or PFM_NO_PMC. A
 *         register that the operations below reach must have one, and it must be
 *         in the same description
 * @width: bits of a counter, 1 to 64; 0: the description's
 * @write_bits: bits of a counter that can be written; those above take the value
 *         of the highest of them. 0: all
 * @index: its address or number, or PFM_REG_IDX_NONE
 * @def:   default value; 0 for a counter (3.1.3)
 * @rsvd:  bits that keep their default whatever is written (3.1.14)
 *
 * A register of the hardware that is no counter holds what the hardware has found
 * out: the address of a miss, a branch. It belongs to the sets in which its control
 * measures something: the core reads it when such a set stops, writes it, unless it
 * is PFM_PMD_RDONLY, when the set starts on a CPU that holds something else,
 * and resets and samples it as it does counters. If it is PFM_PMD_CLEAR, the core
 * writes 0 each time.
 */
struct pfm_pmd_desc {
	const char *name;
	u16 num;
	u16 type;
	u16 flags;
	u16 ctrl;
	u8 width;
	u8 write_bits;
	u64 index;
	u64 def;
	u64 rsvd;
};

#define PFM_PMU_NO_INTERRUPT	BIT(0)	/* an overflow is found by reading */
/*
 * Programs can read data registers at any time, and nothing can forbid it: those
 * that a thread has used are set to a constant when it leaves the CPU.
 */
#define PFM_PMU_USER_READ	BIT(1)
/*
 * A program that may read a counter so is to find the low bits of its value there: the
 * register holds them while it counts, at the cost of a write whenever it comes to a CPU.
 * For counters that can be given any value: without write_bits, and without min_period.
 */
#define PFM_PMU_USER_COUNTS	BIT(2)

/* What is held for the contexts that have programmed any of it. */
#define PFM_HOLD_PMU		BIT(0)	/* all registers but those of the next line */
#define PFM_HOLD_CLAIMED	BIT(1)	/* control registers with PFM_PMC_CLAIMED */

struct pfm_pmu;

/**
 * struct pfm_run - what runs, or is to run, on a CPU
 * @pmds:      PMDs that are in use, as positions: the counters, and other data
 *             registers, of the active set whose control selects an event; for
 *             admits, thread and turn whether it counts or not. For the other
 *             operations 0 while nothing counts; then the other members mean nothing
 * @v:         the values of all control registers of the description on this CPU:
 *             v[n] is that of @pmcs[n], with its reserved bits at their defaults.
 *             That of a control whose counters are not in @pmds may be another
 *             set's
 * @ctx_flags: PFM_FL_... of the context: PFM_FL_SYSTEM_WIDE tells its kind
 * @set_flags: PFM_SETFL_... of its active set
 * @self:      the monitored thread attached the context itself
 * @task:      the monitored thread; NULL for a system-wide context
 */
struct pfm_run {
	u64 pmds;
	const u64 *v;
	u32 ctx_flags;
	u32 set_flags;
	bool self;
	struct task_struct *task;
};

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

/* Flags of contexts and sets that a description can have: those from bit 16 on. */
#define PFM_PMU_OWN_FLAGS	GENMASK(28, 16)

/**
 * struct pfm_pmu - a description
 * @name:       model, for people
 * @pmcs:       control registers, in increasing order of number
 * @pmds:       data registers, in increasing order of number
 * @num_pmcs:   length of @pmcs
 * @num_pmds:   length of @pmds
 * @width:      bits of a counter whose own width is 0; what programs are told
 *              (PFM_GET_CONFIG). 1 to 64
 * @flags:      PFM_PMU_...
 * @ctx_flags:  in PFM_PMU_OWN_FLAGS: what contexts may have beside the flags
 *              that are the same everywhere
 * @set_flags:  likewise sets
 * @excludes:   PFM_SETFL_EXCL_...: where the active set has one of these, and uses the
 *              hardware, the core stops nothing while such a thread runs: @turn sees to
 *              what is left out
 * @rate:       most events that a counter can see in a second, 0 if these are not more
 *              than 2^33. The core looks at each counter at least twice in the time
 *              that it would take to count through its width at this rate
 * @min_period: least number of events from a write of a counter to its wrap, for
 *              hardware that may miss a wrap which comes sooner. 0: 1
 * @rollback:   for hardware that may take back events which it has counted, as
 *              speculative ones: a reading that is less than @rollback below the last one is
 *              no wrap, and nothing was counted. 0: it never is
 *
 * Every operation gets the description that it was called by: a family keeps what
 * it knows of a machine in a structure around it, and several descriptions of a
 * family can exist beside each other.
 *
 * The judgements look at their arguments only. @accepts and @selects are asked
 * about each default at registration. All of them can be called with a context's
 * lock held and interrupts off; @value has its reserved bits at their defaults.
 *
 * @accepts:    (optional) whether @value is safe for control register @num: it
 *              neither faults nor raises an interrupt that no code handles
 * @selects:    (required) whether @value makes control register @num measure
 *              anything
 * @kernel:     (optional) whether @value has control register @num measure
 *              at the kernel's level, too
 * @adapt:      (optional) the value that control register @num gets in a context
 *              with @ctx_flags when a program writes @value: for bits that
 *              follow from the kind of context. Asked about defaults, too
 * @admits:     (optional) whether a whole set makes sense: the values in @run->v,
 *              with its flags, in a context with such flags. Asked
 *              when a context or a set is created, about each set at
 *              PFM_LOAD_CONTEXT, and about each value that PFM_WRITE_PMCS
 *              writes into a set of a loaded context. @run->pmds are those that the
 *              set would use; @self and @task are not known
 *
 * @claims:     (optional) which registers with
 *              PFM_PMC_CLAIMED, bit n being @pmcs[n], the hardware looks at if @value is
 *              in control register @num. A set with such a value has them as if a
 *              program had written all of them. None for a default
 *
 * The registers are reached by what follows, all of it required or none: none
 * for a description without registers of its own. Table positions, not logical
 * numbers, name registers; a u64 is a set of PMDs, bit n is @pmds[n]. Bits of
 * control registers that are the kernel's, such as the enable of the counter and
 * of its interrupt, are added by the operation. All but the first two run on the
 * CPU that is meant with interrupts off, and can run in an NMI; none may sleep, take
 * a lock or print.
 *
 * @acquire:    take @what, a PFM_HOLD_..., of all CPUs from other users in the
 *              kernel. PFM_HOLD_CLAIMED is asked for only while PFM_HOLD_PMU is held.
 *              Process context, the core's mutex, which is taken inside the CPU
 *              hotplug lock: neither @acquire nor @release may take that.
 *              0, or -EBUSY
 * @release:    give them back. Process context, likewise
 * @reset:      bring this CPU's registers to a known state in which nothing
 *              counts, and route the overflow interrupt. Called on a CPU when a
 *              context first uses it after @acquire; if one did, before @release,
 *              when the CPU is online again, and when the machine reboots; and on the
 *              boot CPU when the machine wakes up. @v has the defaults of all controls
 * @program:    (optional) write the control registers in the bitmap @changed,
 *              while stopped. What @start writes anyway need not be written
 * @start:      let the counters in @run count, and no others
 * @stop:       let nothing count; @run is what was started
 * @read:       the hardware's value of PMD @i. Of a counter, its width in bits, also
 *              while it counts; of another register all bits, while stopped
 * @write:      set PMD @i, while stopped; @value has the counter's width in bits
 * @acknowledge: (required unless PFM_PMU_NO_INTERRUPT) acknowledge overflows, and
 *              let the next interrupt come. @run is what goes on running: its
 *              @pmds are 0 if the core has stopped the counters before, and are
 *              not where the interrupt came into a section that may not be
 *              disturbed. Whether the hardware says that counters overflowed:
 *              false where it cannot tell
 *
 * @still:      (optional) called when an interrupt comes while the core has all counters
 *              of this CPU stopped. Return true if they are stopped. If another user of
 *              the PMU has started them, stop them and return false
 * @thread:     (optional) something happens to the thread @run->task, or, if @run->task
 *              is NULL, to this CPU, by a context that has programmed the hardware. The
 *              context's lock is held and interrupts are off.
 *              This is the CPU where the thread runs, or the thread runs nowhere and
 *              cannot begin to: then its saved state is what counts
 * @turn:       (optional) current is about to leave this CPU to thread @next, under a
 *              system-wide context that uses the hardware, whether it counts or not: @run
 *              has its active set. Its lock and the run queue's are held, interrupts are
 *              off; what @run->pmds are goes on counting
 *
 * The core leaves a counter that has wrapped as it is unless a period needs it
 * written. Where a counter interrupts not when it wraps but as long as the bit
 * above its width is 1 (PowerPC), @start clears that bit in each counter of the CPU,
 * whichever set it is of, and leaves the bits that @read gives alone. @acknowledge
 * does so, too, with the counters frozen and then as it found them, or leaves the
 * interrupt off: the core stops and starts them after it.
 */
struct pfm_pmu {
	const char *name;
	const struct pfm_pmc_desc *pmcs;
	const struct pfm_pmd_desc *pmds;
	unsigned int num_pmcs;
	unsigned int num_pmds;
	unsigned int width;
	unsigned int flags;
	u32 ctx_flags;
	u32 set_flags;
	u32 excludes;
	u64 rate;
	u32 min_period;
	u32 rollback;

	bool (*accepts)(const struct pfm_pmu *pmu, unsigned int num, u64 value);
	bool (*selects)(const struct pfm_pmu *pmu, unsigned int num, u64 value);
	bool (*kernel)(const struct pfm_pmu *pmu, unsigned int num, u64 value);
	u64 (*adapt)(const struct pfm_pmu *pmu, unsigned int num, u64 value,
		     u32 ctx_flags);
	bool (*admits)(const struct pfm_pmu *pmu, const struct pfm_run *run);
	u64 (*claims)(const struct pfm_pmu *pmu, unsigned int num, u64 value);

	int (*acquire)(const struct pfm_pmu *pmu, unsigned int what);
	void (*release)(const struct pfm_pmu *pmu, unsigned int what);
	void (*reset)(const struct pfm_pmu *pmu, const u64 *v);
	void (*program)(const struct pfm_pmu *pmu, const unsigned long *changed,
			const struct pfm_run *run);
	void (*start)(const struct pfm_pmu *pmu, const struct pfm_run *run);
	void (*stop)(const struct pfm_pmu *pmu, const struct pfm_run *run);
	u64 (*read)(const struct pfm_pmu *pmu, unsigned int i);
	void (*write)(const struct pfm_pmu *pmu, unsigned int i, u64 value);
	bool (*acknowledge)(const struct pfm_pmu *pmu, const struct pfm_run *run);
	bool (*still)(const struct pfm_pmu *pmu);
	void (*thread)(const struct pfm_pmu *pmu, const struct pfm_run *run,
		       enum pfm_thread_event what);
	void (*turn)(const struct pfm_pmu *pmu, const struct pfm_run *run,
		     struct task_struct *next);
};

/*
 * The overflow interrupt, for the architecture's glue. NMI, or an interrupt
 * that nothing of ours can interrupt; @regs are those of the interrupted code.
 * False if it was not ours.
 */
bool pfm_interrupt_handle(struct pt_regs *regs);

/* False if the interrupt was ours but came too late: it was not acknowledged. */
bool pfm_hw_is_here(void);

/* This CPU, the last one that runs, sleeps and loses its registers, and wakes. */
void pfm_sleep_suspend(void);
void pfm_sleep_resume(void);

int pfm_pmu_register(const struct pfm_pmu *pmu);
void pfm_pmu_unregister(const struct pfm_pmu *pmu);
/* Of an architecture whose core can be a module. */
void pfm_arch_exit(void);

#endif /* _PERFMON_PMU_H */
