/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perfmon2: the kernel interface for descriptions of PMUs. Whoever describes a PMU includes
 * this, and the core; nobody else needs it.
 *
 * A PMU is described by two tables, one of control registers (PMC) and one of
 * data registers (PMD), in increasing order of the logical numbers that
 * programs use. The core never asks which model it drives: whatever differs
 * between models stands in the tables or behind an operation.
 */
#ifndef _PERFMON_PMU_H
#define _PERFMON_PMU_H

#include <linux/bitops.h>
#include <linux/bits.h>
#include <linux/types.h>
#include <perfmon/perfmon.h>

struct pfm_pmu_rules;
struct task_struct;

/* A PMD that no PMC controls. */
#define PFM_NO_PMC		0xffff

/* Most registers of all descriptions together. The validator refuses more. */
#define PFM_PMCS_MAX		128
#define PFM_PMDS_MAX		64

/**
 * pfm_for_each_pmc() - for each control register of a set of them, in increasing order
 * @i:    unsigned int: its position
 * @bits: bitmap of PFM_PMCS_MAX bits
 *
 * As for_each_set_bit(), of all bits, without the call of a function for each. A break would
 * end no more than a word of the bitmap: leave by return.
 */
#define pfm_for_each_pmc(i, bits)						\
	for (unsigned int pmc_word = 0; pmc_word < BITS_TO_LONGS(PFM_PMCS_MAX);	\
	     pmc_word++)							\
		for (unsigned long pmc_rest = (bits)[pmc_word];			\
		     pmc_rest && ((i) = pmc_word * BITS_PER_LONG + __ffs(pmc_rest), true); \
		     pmc_rest &= pmc_rest - 1)

/**
 * struct pfm_pmc_desc - a control register
 * @name:  unique among the PMCs, short, for sysfs
 * @num:   logical number, below PFM_MAX_PMCS
 * @type:  PFM_REG_TYPE_..., what the register really is
 * @flags: 0, or PFM_PMC_CLAIMED of <perfmon/pmu_rules.h>
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
/* Bit 2 is in <perfmon/pmu_rules.h>. */
/*
 * Contexts of two kinds, a thread's and the CPU's, can use this PMU at once, each with
 * control registers of its own. @program, @start and @stop leave the other one's counters
 * (pfm_run.other) as they are, whether these count or not. And what a counter counts, its
 * privilege level above all, is said by its own control alone, or by registers that have
 * nothing to do with levels. Without this flag all registers are one kind's at a time.
 */
#define PFM_PMU_SHARES		BIT(3)
/*
 * No counter counts unless @start has named it since @rest, whatever its control
 * register holds: so what another user of the PMU has left in the controls of counters need
 * not be cleared before contexts use the PMU. The core calls @rest with an empty bitmap then,
 * and takes controls that are no counter's to hold their defaults: it is for @program to write
 * them before an event that looks at them. Wants @rest.
 */
#define PFM_PMU_GATED		BIT(4)
/* @program may change what counters hold, which the core then reads anew. */
#define PFM_PMU_UNSETTLED	BIT(5)

/* What is held for the contexts that have programmed any of it. */
#define PFM_HOLD_PMU		BIT(0)	/* all registers but those that are claimed */
/* Bit 1 is in <perfmon/pmu_rules.h>. */

struct pfm_pmu;

/**
 * struct pfm_run - what runs, or is to run, on a CPU
 * @pmds:      PMDs that are in use, as positions: the counters, and other data
 *             registers, of the active set whose control selects an event. 0 while
 *             nothing counts; then the members but @other mean nothing
 * @other:     likewise, of the context of the other kind, which go on counting. Always 0
 *             without PFM_PMU_SHARES
 * @v:         the values of all control registers of the description on this CPU:
 *             v[n] is that of @pmcs[n], with its reserved bits at their defaults. Those of
 *             @other's controls are among them.
 *             That of a control whose counters are not in @pmds may be another
 *             set's
 * @ctx_flags: PFM_FL_... of the context: PFM_FL_SYSTEM_WIDE tells its kind
 * @set_flags: PFM_SETFL_... of its active set
 * @task:      the monitored thread; NULL for a system-wide context
 */
struct pfm_run {
	u64 pmds;
	u64 other;
	const u64 *v;
	u32 ctx_flags;
	u32 set_flags;
	struct task_struct *task;
};

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
 * @rules:      what the PMU demands beyond its registers, or NULL, as for most:
 *              <perfmon/pmu_rules.h>
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
 * The registers are reached by what follows, all of it required or none: none
 * for a description without registers of its own. Table positions, not logical
 * numbers, name registers; a u64 is a set of PMDs, bit n is @pmds[n]. Bits of
 * control registers that are the kernel's, such as the enable of the counter and
 * of its interrupt, are added by the operation. All but the first two run on the
 * CPU that is meant with interrupts off, and can run in an NMI; none may sleep, take
 * a lock or print.
 *
 * @acquire:    take @what, PFM_HOLD_PMU unless there are @rules, of all CPUs from other
 *              users in the kernel.
 *              Process context, the core's mutex, which is taken inside the CPU
 *              hotplug lock: neither @acquire nor @release may take that.
 *              0, or -EBUSY
 * @release:    give them back. Process context, likewise
 * @reset:      bring this CPU's registers to a known state in which nothing
 *              counts, and route the overflow interrupt. Called on a CPU when a
 *              context first uses it after @acquire; if one did, before @release,
 *              when the CPU is online again, and when the machine reboots; and on the
 *              boot CPU when the machine wakes up. @v has the defaults of all controls
 * @rest:       (optional) let nothing count, have the control registers in the bitmap
 *              @pmcs select nothing, acknowledge overflows, and route the overflow
 *              interrupt. Called instead of @reset when contexts stop using this CPU: all
 *              other controls still hold what @reset, or with PFM_PMU_GATED another user,
 *              has left in them. With PFM_PMU_GATED it is called instead of @reset, too,
 *              when a context first uses a CPU: with an empty bitmap
 * @program:    (optional) write the control registers in the bitmap @changed, of
 *              PFM_PMCS_MAX bits, while their counters are stopped. What @start writes
 *              anyway need not be written
 * @start:      let the counters in @run count, and no others but those in @run->other
 * @stop:       let nothing count but @run->other; @run is what was started
 * @read:       the hardware's value of PMD @i. Of a counter, its width in bits, also
 *              while it counts; of another register all bits, while stopped
 * @write:      set PMD @i, while it is stopped; @value has the counter's width in bits
 * @acknowledge: (required unless PFM_PMU_NO_INTERRUPT) acknowledge overflows, and
 *              let the next interrupt come. @run is what goes on running: its
 *              @pmds are 0 if the core has stopped all counters before, and are
 *              not where the interrupt came into a section that may not be
 *              disturbed. Whether the hardware says that counters overflowed:
 *              false where it cannot tell
 *
 * @still:      (optional) called when an interrupt comes while the core has all counters
 *              of this CPU stopped but @pmds. Return true if they are stopped. If another
 *              user of the PMU has started them, stop them and return false. Never start
 *              any: those in @pmds may be about to stop
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
	const struct pfm_pmu_rules *rules;
	u64 rate;
	u32 min_period;
	u32 rollback;

	bool (*accepts)(const struct pfm_pmu *pmu, unsigned int num, u64 value);
	bool (*selects)(const struct pfm_pmu *pmu, unsigned int num, u64 value);
	bool (*kernel)(const struct pfm_pmu *pmu, unsigned int num, u64 value);

	int (*acquire)(const struct pfm_pmu *pmu, unsigned int what);
	void (*release)(const struct pfm_pmu *pmu, unsigned int what);
	void (*reset)(const struct pfm_pmu *pmu, const u64 *v);
	void (*rest)(const struct pfm_pmu *pmu, const unsigned long *pmcs);
	void (*program)(const struct pfm_pmu *pmu, const unsigned long *changed,
			const struct pfm_run *run);
	void (*start)(const struct pfm_pmu *pmu, const struct pfm_run *run);
	void (*stop)(const struct pfm_pmu *pmu, const struct pfm_run *run);
	u64 (*read)(const struct pfm_pmu *pmu, unsigned int i);
	void (*write)(const struct pfm_pmu *pmu, unsigned int i, u64 value);
	bool (*acknowledge)(const struct pfm_pmu *pmu, const struct pfm_run *run);
	bool (*still)(const struct pfm_pmu *pmu, u64 pmds);
};

int pfm_pmu_register(const struct pfm_pmu *pmu);
void pfm_pmu_unregister(const struct pfm_pmu *pmu);

#endif /* _PERFMON_PMU_H */
