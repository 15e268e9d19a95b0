/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The events that can be counted, and the registers that count them. */
#ifndef COUNT_EVENTS_H
#define COUNT_EVENTS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "p4.h"
#include "pmu.h"

struct family;

/* Most counters of one event set: a vector of these fits in one page. */
#define MAX_COUNTERS	32

/* Most events, and so most sets, of one context. */
#define MAX_EVENTS	128

/* UNIT_CYCLES is for output: elsewhere it is a count. */
enum event_unit { UNIT_COUNT, UNIT_NS, UNIT_CYCLES };

struct event {
	const char *name;
	const char *help;
	uint64_t value;		/* of the control register */
	enum event_unit unit;
	uint64_t period;	/* between samples, if no other is asked for */
	/*
	 * Each stop that following a thread causes is one of these events:
	 * it is the tool's, not the program's, and is taken off.
	 */
	bool counts_stops;
	bool no_tree;		/* a context of a tree cannot count it */
};

/* Privilege levels, which events of the hardware can be told apart by. */
#define LEVEL_USER	1
#define LEVEL_KERNEL	2
#define LEVEL_BOTH	(LEVEL_USER | LEVEL_KERNEL)

/*
 * A PMU as this tool sees it: control pmc0 + i selects what counter pmd0 + i
 * counts. Which counters can count an event is a matter of the event.
 */
struct event_source {
	const char *name;
	uint16_t pmc0, pmd0;
	unsigned int counters;		/* that can count many events */
	uint32_t there;			/* all of them: bits of i ... */
	uint32_t taken;			/* ... and those that contexts of the other kind have */
	bool system;			/* ... which is that of threads: see events_free() */
	unsigned int events;
	const struct event *event;
	const struct event *raw;	/* events by number or other names, NULL: none ... */
	uint64_t raw_mask;		/* ... and the bits that these can have */
	bool fixed;			/* Intel's: from PMU_FIXED on each has an event of its own */
	const struct pmu *pmu;		/* NULL: the software's, which has no levels ... */
	const struct family *family;	/* ... and no family */
};

/* The counters that can count many events. */
static inline uint32_t source_general(const struct event_source *source)
{
	return source->fixed ? source->there & ((1U << PMU_FIXED) - 1) : source->there;
}

/* "instructions:u" and its like, which can be long: "OFFCORE_RESPONSE_0:...". */
#define COUNTER_NAME_MAX	128

/* What an event needs in a register beside the control. */
struct extra {
	uint16_t pmc;
	uint64_t value, mask;	/* other bits than these other events can choose */
};

/* An event that is to be counted, how, and where. */
struct counter {
	const struct event *event;
	const struct event_source *source;
	char name[COUNTER_NAME_MAX];	/* with its levels, if they are not all */
	uint64_t code;			/* the event */
	unsigned int levels;		/* 0: the source has none */
	bool levels_given;		/* by the user: not to be changed */
	uint32_t can;			/* bits of the counters that can count it */
	const struct p4_unit *unit;	/* Pentium 4: where it comes from */
	struct extra extra[2];
	unsigned int extras;		/* how many it needs */
	uint16_t group;			/* not beside those of another one; 0: of none */
	uint16_t chooser;		/* the counter whose event chooses the group, if not its own */
	const char *shared;		/* why it may need another set, if not for a counter */
	uint64_t value;			/* of the control register */
	uint16_t pmc, pmd;
	uint16_t set, sets;		/* the first that counts it, and how many do */
	unsigned int list;		/* which one it was named in */
	bool everywhere;		/* to be counted in all sets, whatever else is not */
};

struct counters {
	unsigned int n;
	bool many;		/* may be more than fit: counters_take_turns() will be called */
	unsigned int lists;
	unsigned int sets;
	uint64_t timeout_ns;	/* of each set, or ... */
	uint64_t every;		/* ... it is left after so many of the trigger's event */
	struct counter trigger;	/* event NULL: there is none */
	struct counter c[MAX_EVENTS];
};

/* What was counted, by one context or by many. */
struct counts {
	uint64_t value[MAX_EVENTS];	/* of each event */
	struct turns {			/* of each set, if there are several */
		uint64_t ns;		/* that it was counting */
		uint64_t n;		/* times that it became the active one */
	} turns[MAX_EVENTS];
	uint64_t throttled;		/* times that the kernel found turns too fast */
};

/* What is counted when nothing is asked for. */
#define DEFAULT_EVENTS \
	"task-clock,context-switches,migrations,minor-faults,major-faults"

/* The same in a tree. */
#define DEFAULT_TREE_EVENTS \
	"task-clock,context-switches,minor-faults,major-faults"

/* And in addition where events_pmu() found them. */
#define DEFAULT_HARDWARE	"cycles,instructions"

/* The longest message of counters_add(), in bytes. */
#define EVENTS_ERROR_MAX	384

/**
 * events_pmu() - there is a hardware PMU
 * @pmu: all that the kernel says of it, which stays; without a name there is none
 *
 * Before the events are listed or looked for.
 *
 * Return: true if pfmon knows events of it.
 */
bool events_pmu(const struct pmu *pmu);

/**
 * events_free() - leave the counters alone that contexts of the other kind have
 * @system: the events are to be counted by contexts of CPUs
 *
 * The kernel says which are free now. Where it can give all of the PMU to one kind only, or
 * does not say, none is left out: who has the PMU is known when a context is loaded. Before
 * events get their counters, once again for others.
 *
 * Return: false if the kernel says that contexts of the other kind have all counters.
 */
bool events_free(bool system);

/**
 * events_free_list() - as events_free(), by a list of control registers
 * @system: as there
 * @list:   as the kernel writes it: "0-3,16"
 *
 * Return: true if one of the counters is free.
 */
bool events_free_list(bool system, const char *list);

/**
 * counters_add() - choose events and give each a counter
 * @counters: chosen so far; unchanged on error
 * @list:     names, separated by commas; those of the hardware may have
 *            modifiers: "cycles:u", "r00c0:k", and libpfm4's names are known, too
 * @error:    receives one line that says what is wrong
 *
 * Return: 0, or -1 and @error is filled in.
 */
int counters_add(struct counters *counters, const char *list,
		 char error[EVENTS_ERROR_MAX]);

/**
 * counter_remark() - what to know of an event's count
 * @c:    event
 * @text: room for what is not the same for all
 *
 * Return: one line, in @text or elsewhere, or NULL.
 */
const char *counter_remark(const struct counter *c, char text[EVENTS_ERROR_MAX]);

/**
 * events_remark() - what to know of the PMU whose events there are
 * @text: room for it
 *
 * Return: one line, @text, or NULL.
 */
const char *events_remark(char text[EVENTS_ERROR_MAX]);

/**
 * counters_find() - where is an event counted?
 * @counters: chosen events
 * @name:     its name
 *
 * Return: the index of the first counter that counts it, or -1.
 */
int counters_find(const struct counters *counters, const char *name);

/**
 * counters_kernel() - does anything count the kernel's level?
 * @counters: chosen events
 *
 * Return: the first one that does, those that the user asked for first, or NULL.
 */
const struct counter *counters_kernel(const struct counters *counters);

/**
 * counters_no_tree() - can a tree not count an event?
 * @counters: chosen events, with what their sets switch by
 *
 * Return: the first one that it cannot count, or NULL.
 */
const struct event *counters_no_tree(const struct counters *counters);

/**
 * counters_restrict() - count at user level what may be counted there
 * @counters: chosen events; those without a modifier get ":u"
 */
void counters_restrict(struct counters *counters);

/**
 * counters_take_turns() - choose counters and sets for all events
 * @counters: chosen events; @many was true when they were added. Those that are to be
 *        counted everywhere come last
 * @each: false: events of a PMU that has a counter for each of them are counted in
 *        all sets, so all the time, and others in as few sets as the order of the
 *        lists allows, a list that fits into a set in one. true: each list is a set
 *        of its own, or several if it is too long
 * @error: receives the reason if there is none
 *
 * Return: 0, or -1 if an event has no counter at all.
 */
int counters_take_turns(struct counters *counters, bool each,
			char error[EVENTS_ERROR_MAX]);

/**
 * counters_together() - are all events counted all the time?
 * @counters: from counters_take_turns()
 * @error: receives the reason if not
 *
 * Return: 0, or -1.
 */
int counters_together(const struct counters *counters, char error[EVENTS_ERROR_MAX]);

/**
 * counters_trigger() - leave each set when an event has happened so many times
 * @counters: chosen events; those of its PMU have one counter less in each set
 * @name:  of the event, as counters_add() takes it
 * @every: times, at least 1
 * @error: receives the reason on error
 *
 * Return: 0, or -1.
 */
int counters_trigger(struct counters *counters, const char *name, uint64_t every,
		     char error[EVENTS_ERROR_MAX]);

/**
 * counter_place() - count an event with a certain counter
 * @c: event
 * @n: number of the counter in its PMU
 */
void counter_place(struct counter *c, unsigned int n);

/**
 * counters_refuse() - say that there is no counter left for an event
 * @c:     event
 * @error: receives it
 */
void counters_refuse(const struct counter *c, char error[EVENTS_ERROR_MAX]);

/**
 * counter_in_set() - is an event counted in a set?
 * @c:   event
 * @set: number of the set
 *
 * Return: true or false.
 */
bool counter_in_set(const struct counter *c, unsigned int set);

/**
 * events_print() - list the events that pfmon itself knows, with one line of help each
 * @out: where to
 */
void events_print(FILE *out);

/**
 * events_list() - list all events, those of libpfm4 with their unit masks
 * @glob: pattern of names, or NULL: all
 * @out:  where to
 *
 * Return: how many there were.
 */
unsigned int events_list(const char *glob, FILE *out);

#endif /* COUNT_EVENTS_H */
