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

/* A PMD that no PMC controls. */
#define PFM_NO_PMC		0xffff

/* Most registers of all descriptions together. The validator refuses more. */
#define PFM_PMCS_MAX		128
#define PFM_PMDS_MAX		64

/**
 * struct pfm_pmc_desc - a control register
 * @name:  unique among the PMCs, short, for sysfs
 * @num:   logical number, below PFM_MAX_PMCS
 * @type:  PFM_REG_TYPE_..., what the register really is
 * @index: its address or number there, or PFM_REG_IDX_NONE
 * @def:   default value; nothing may be measured with it (3.1.2)
 * @rsvd:  bits that keep their default whatever is written (3.1.13)
 */
struct pfm_pmc_desc {
	const char *name;
	u16 num;
	u16 type;
	u64 index;
	u64 def;
	u64 rsvd;
};

#define PFM_PMD_COUNTER		BIT(0)	/* counts; has 64 bits for programs */
#define PFM_PMD_RDONLY		BIT(1)	/* programs cannot write it */

/**
 * struct pfm_pmd_desc - a data register
 * @name:  unique among the PMDs, short, for sysfs
 * @num:   logical number, below PFM_MAX_PMDS
 * @type:  PFM_REG_TYPE_..., what the register really is
 * @flags: PFM_PMD_...
 * @ctrl:  logical number of the PMC that controls it, or PFM_NO_PMC; a
 *         counter must have one, and it must be in the same description
 * @index: its address or number, or PFM_REG_IDX_NONE
 * @def:   default value; 0 for a counter (3.1.3)
 * @rsvd:  bits that keep their default whatever is written (3.1.14)
 */
struct pfm_pmd_desc {
	const char *name;
	u16 num;
	u16 type;
	u16 flags;
	u16 ctrl;
	u64 index;
	u64 def;
	u64 rsvd;
};

#define PFM_PMU_NO_INTERRUPT	BIT(0)	/* an overflow is found by reading */

/**
 * struct pfm_pmu - a description
 * @name:       model, for people
 * @pmcs:       control registers, in increasing order of number
 * @pmds:       data registers, in increasing order of number
 * @num_pmcs:   length of @pmcs
 * @num_pmds:   length of @pmds
 * @width:      bits of a hardware counter, 1 to 64
 * @write_bits: bits of a counter that can be written; those above take the
 *              value of the highest of them. 0: @width
 * @flags:      PFM_PMU_...
 *
 * The judgements look at their arguments only. They are asked about each
 * default at registration, and then with a context's lock held and interrupts
 * off; @value has its reserved bits at their defaults.
 *
 * @accepts:    (optional) whether @value is safe for control register @num: it
 *              neither faults nor raises an interrupt that nobody expects
 * @selects:    (required) whether @value makes control register @num measure
 *              anything
 * @kernel:     (optional) whether @value has control register @num measure
 *              at the kernel's level, too
 *
 * The registers are reached by what follows, all of it required or none: none
 * for a description without registers of its own. Table positions, not logical
 * numbers, name registers; a u64 is a set of PMDs, bit n is @pmds[n], and @v
 * the values of all control registers, v[n] that of @pmcs[n] with its reserved
 * bits at their defaults. Bits that are the kernel's, such as the enable of
 * the counter and of its interrupt, are added by the operation. All but the
 * first two run on the CPU that is meant with interrupts off, and can run in
 * an NMI; none may sleep, take a lock or print.
 *
 * @acquire:    take the registers of all CPUs from other users in the kernel.
 *              Process context. 0, or -EBUSY
 * @release:    give them back. Process context
 * @reset:      bring this CPU's registers to a known state in which nothing
 *              counts, and route the overflow interrupt. When contexts first
 *              use the CPU after @acquire; if they did, before @release or when
 *              it is online again; and on the last CPU when the machine wakes
 *              up. @v has the defaults
 * @program:    (optional) write the control registers in the bitmap @changed,
 *              while stopped. What @start writes anyway need not be written
 * @start:      let @counters count, and no others
 * @stop:       let nothing count; @counters are those that were started
 * @read:       the hardware's value of PMD @i, @width bits
 * @write:      set PMD @i, while stopped; @value has @width bits
 * @acknowledge: (required unless PFM_PMU_NO_INTERRUPT) acknowledge overflows, and
 *              let the next interrupt come; whether the hardware says that there
 *              were some: false where it cannot tell
 */
struct pfm_pmu {
	const char *name;
	const struct pfm_pmc_desc *pmcs;
	const struct pfm_pmd_desc *pmds;
	unsigned int num_pmcs;
	unsigned int num_pmds;
	unsigned int width;
	unsigned int write_bits;
	unsigned int flags;

	bool (*accepts)(unsigned int num, u64 value);
	bool (*selects)(unsigned int num, u64 value);
	bool (*kernel)(unsigned int num, u64 value);

	int (*acquire)(void);
	void (*release)(void);
	void (*reset)(const u64 *v);
	void (*program)(const unsigned long *changed, const u64 *v);
	void (*start)(u64 counters, const u64 *v);
	void (*stop)(u64 counters, const u64 *v);
	u64 (*read)(unsigned int i);
	void (*write)(unsigned int i, u64 value);
	bool (*acknowledge)(void);
};

/*
 * The overflow interrupt, for the architecture's glue. NMI, or an interrupt
 * that nothing of ours can interrupt; @regs are those of whoever was
 * interrupted. False if it was not ours.
 */
bool pfm_hw_interrupt(struct pt_regs *regs);

/* False when an interrupt that was ours has come too late to be acknowledged. */
bool pfm_hw_is_here(void);

/* This CPU, the last one that runs, sleeps and loses its registers, and wakes. */
void pfm_hw_suspend(void);
void pfm_hw_resume(void);

int pfm_pmu_register(const struct pfm_pmu *pmu);
void pfm_pmu_unregister(const struct pfm_pmu *pmu);

#endif /* _PERFMON_PMU_H */
