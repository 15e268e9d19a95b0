/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What families of PMUs differ in: each is one description, in a file of its own. */
#ifndef COUNT_FAMILY_H
#define COUNT_FAMILY_H

#include "encode.h"
#include "names.h"

/* Events that most hardware has. */
enum hw_event {
	HW_CYCLES, HW_INSTRUCTIONS, HW_BRANCHES, HW_BRANCH_MISSES, HW_CACHE_REFERENCES,
	HW_CACHE_MISSES, HW_L1_MISSES, HW_L1_ACCESSES,
	/* By perf's names, most of x86 only. */
	HW_REF_CYCLES, HW_STORES, HW_ICACHE_MISSES, HW_DTLB_MISSES, HW_DTLB_STORE_MISSES,
	HW_ITLB_MISSES, HW_LLC_LOADS, HW_LLC_MISSES,
	HW_EVENTS
};

/* A model has no event of its own for what its family has one for. */
#define CODE_NONE	UINT64_MAX

/* Most models that a row of a table names at once. */
#define MODEL_NUMBERS	12

/* What some models of a family have otherwise. */
struct model {
	unsigned int family;		/* the processor's, 0 ends a table */
	uint8_t models[MODEL_NUMBERS];	/* the processor's, 0 ends them; none are all */
	uint64_t codes[HW_EVENTS];	/* 0: as the family has it, or CODE_NONE */
	const struct limit *limits;	/* of x86: see needs.h */
	const struct event_register *registers;
	/* The event of off-core responses, and which make up HW_LLC_LOADS and HW_LLC_MISSES. */
	uint64_t llc, llc_loads, llc_misses;
};

/* Which events can have modifiers other than :u and :k. */
enum modifiers { MODIFIERS_ALL, MODIFIERS_NAMED, MODIFIERS_NONE };

struct family {
	const char *model;		/* how the kernel's name begins */
	const char *pfm4, *not_pfm4;	/* how libpfm4's name begins, NULL: of any; and does not */
	/*
	 * What selects an event: the event and its unit mask as PerfEvtSel has them, or
	 * P4_EVENT(), PPC_EVENT() or PPC970_EVENT(), or POWER's code; 0: there is none.
	 */
	uint64_t codes[HW_EVENTS];
	const struct model *models;	/* that differ, NULL: none */
	unsigned int counters;		/* at most, of those that can count many events */
	bool fixed;			/* Intel's: from PMU_FIXED on each has an event of its own */
	bool spr;			/* an index is a special-purpose register, not an MSR */
	enum modifiers modifiers;	/* MODIFIERS_NAMED: libpfm4's only */
	const struct event *raw;	/* events by number, NULL: none ... */
	unsigned int raw_digits;	/* ... of so many digits at most ... */
	uint64_t raw_mask;		/* ... and the bits of PerfEvtSel that they can have */

	/**
	 * own() - fill in what the code of an event that pfmon knows does not say; can be NULL
	 * @e:    with the event's code
	 * @name: pfmon's
	 */
	void (*own)(struct encoding *e, const char *name);

	/**
	 * named() - code and levels of an event that libpfm4 knows; NULL: it knows none
	 * @e:     with the levels that were asked for
	 * @event: what libpfm4 says
	 */
	void (*named)(struct encoding *e, const struct named_event *event);

	/**
	 * encode() - find the counters for an event, and what goes with it
	 * @e:      event
	 * @source: its PMU
	 * @c:      filled in, but for what depends on the counter
	 * @error:  receives the reason on error
	 *
	 * Return: 0, or -1 if the event cannot be counted here.
	 */
	int (*encode)(const struct encoding *e, const struct event_source *source,
		      struct counter *c, char error[EVENTS_ERROR_MAX]);

	/**
	 * place() - the values of the registers
	 * @c: event
	 * @n: number of its counter
	 */
	void (*place)(struct counter *c, unsigned int n);
};

/* FAMILIES(f) - all of them: another one is a word here, and a file with family_WORD in it */
#define FAMILIES(f)							\
	f(intel) f(amd) f(p6) f(p4)					\
	f(ppc) f(ppc604) f(ppc745) f(ppc970)				\
	f(power8) f(power9) f(power10) f(power11)

#define FAMILY_DECLARE(name)	extern const struct family family_##name;
FAMILIES(FAMILY_DECLARE)

/**
 * family_find() - the family of a PMU
 * @model: what the kernel calls it
 *
 * Return: of the families whose names it begins with the one with the longest name, or NULL
 * if pfmon does not know events of it.
 */
const struct family *family_find(const char *model);

/**
 * family_model() - what is known of a processor beside its family
 * @pmu: description
 *
 * Return: its row of the family's table, or NULL if there is none, or it is another maker's.
 */
const struct model *family_model(const struct pmu *pmu);

/**
 * family_code() - what selects an event
 * @pmu:   description
 * @event: which one
 *
 * Return: the code as in struct family; 0 if this model has no such event, or one that counts
 * something else.
 */
uint64_t family_code(const struct pmu *pmu, enum hw_event event);

/**
 * family_value() - what the register of an event's own gets
 * @pmu:   description
 * @event: one that family_code() has a code of
 *
 * Return: the value, 0 if the event has no such register.
 */
uint64_t family_value(const struct pmu *pmu, enum hw_event event);

#endif /* COUNT_FAMILY_H */
