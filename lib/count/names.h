/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The names that libpfm4 has for the events of this machine's PMU. */
#ifndef COUNT_NAMES_H
#define COUNT_NAMES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* An event that libpfm4 knows. */
struct named_event {
	uint64_t select;	/* PerfEvtSel, with the levels */
	uint64_t value;		/* of the event's own register, ... */
	bool has_value;		/* ... if it has one */
	unsigned int words;	/* of libpfm4's encoding; of Pentium 4 it is ESCR, CCCR */
	char full[256];		/* all of its name */
};

/* Built with libpfm4? */
extern const bool names_known;

/**
 * names_pmu() - the PMU whose events there are
 * @model: what the kernel calls it
 *
 * libpfm4 looks which processor this is, or takes the one that the environment's
 * LIBPFM_FORCE_PMU names; what the kernel has found must be of the same kind.
 *
 * Return: libpfm4's words for it, or NULL.
 */
const char *names_pmu(const char *model);

/**
 * names_find() - look for an event
 * @model:  what the kernel calls the PMU
 * @name:   with unit masks and modifiers, as libpfm4 spells them
 * @levels: LEVEL_USER, LEVEL_KERNEL or both, if @name does not say
 * @event:  filled in
 * @error:  receives libpfm4's reason, or NULL if it does not know the event
 *
 * Return: 0, or -1.
 */
int names_find(const char *model, const char *name, unsigned int levels,
	       struct named_event *event, const char **error);

/**
 * names_print() - list events with their unit masks
 * @model: what the kernel calls the PMU
 * @glob:  pattern of names, as a shell has them, or NULL: all
 * @out:   where to
 *
 * Return: how many there were.
 */
unsigned int names_print(const char *model, const char *glob, FILE *out);

/**
 * names_describe() - say what an event and its unit masks are
 * @full: all of its name, from names_find()
 * @out:  where to
 */
void names_describe(const char *full, FILE *out);

#endif /* COUNT_NAMES_H */
