/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What families of PMUs differ in: each is one description, in a file of its own. */
#ifndef COUNT_FAMILY_H
#define COUNT_FAMILY_H

#include "encode.h"
#include "names.h"

/* Which events can have modifiers other than :u and :k. */
enum modifiers { MODIFIERS_ALL, MODIFIERS_NAMED, MODIFIERS_NONE };

struct family {
	const char *model;		/* how the kernel's name begins */
	unsigned int counters;		/* at most, of those that can count many events */
	bool fixed;			/* Intel's: from PMU_FIXED on each has an event of its own */
	bool spr;			/* an index is a special-purpose register, not an MSR */
	enum modifiers modifiers;	/* MODIFIERS_NAMED: libpfm4's only */
	const struct event *raw;	/* events by number, NULL: none ... */
	unsigned int raw_digits;	/* ... of so many digits at most ... */
	uint64_t raw_mask;		/* ... and the bits of PerfEvtSel that they can have */

	/**
	 * own() - add what is not in the code of an event that pfmon knows; can be NULL
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

extern const struct family family_intel, family_amd, family_p6, family_p4;
extern const struct family family_ppc, family_ppc970;
extern const struct family family_power8, family_power9, family_power10, family_power11;

/**
 * family_find() - the family of a PMU
 * @pmu: description
 *
 * Return: the family, or NULL if pfmon does not know events of it.
 */
const struct family *family_find(const struct pmu *pmu);

#endif /* COUNT_FAMILY_H */
