/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From the text of a hardware's event to what registers get for it. */
#ifndef COUNT_ENCODE_H
#define COUNT_ENCODE_H

#include <stddef.h>

#include "events.h"

/* An event of the hardware, as it was asked for. */
struct encoding {
	char name[COUNTER_NAME_MAX];	/* without its levels */
	uint64_t code;			/* bits of PerfEvtSel that choose it */
	unsigned int levels;
	bool levels_given;
	const struct p4_unit *unit;	/* Pentium 4 */
	bool exact;			/* by number: as it stands, in PerfEvtSel */
	const char *modifier;		/* that gave a value, NULL: libpfm4 */
	bool has_value;
	uint64_t value;			/* of the event's own register */
};

/* A reason that several families have. */
#define ENCODE_NO_COUNTER \
	": this machine does not have the only counters that could count it"

/* As much of a name as goes into a message. */
#define ENCODE_SHOWN		80

/**
 * encode_own() - an event that pfmon itself knows, with its modifiers
 * @e:     filled in; @code is that of the event without them, and @unit is set
 * @text:  name and modifiers, @len characters
 * @plain: characters of the name alone
 * @len:   and of all
 * @error: receives the reason on error
 *
 * Return: 0, or -1.
 */
int encode_own(struct encoding *e, const char *text, size_t plain, size_t len,
	       char error[EVENTS_ERROR_MAX]);

/**
 * encode_named() - an event that libpfm4 knows
 * @e:     filled in
 * @source: the hardware, of a family
 * @text:  name, unit masks and modifiers, @len characters
 * @len:   how many
 * @error: receives the reason on error, or "" if libpfm4 does not know the event
 *
 * Return: 0, or -1.
 */
int encode_named(struct encoding *e, const struct event_source *source, const char *text,
		 size_t len, char error[EVENTS_ERROR_MAX]);

/**
 * encode_counter() - find the counters and the registers for an event
 * @e:      event
 * @source: its PMU
 * @c:      filled in, but for the counter's choice
 * @error:  receives the reason on error
 *
 * Return: 0, or -1 if the event cannot be counted here, or has no level.
 */
int encode_counter(const struct encoding *e, const struct event_source *source,
		   struct counter *c, char error[EVENTS_ERROR_MAX]);

/**
 * encode_refuse() - say why an event cannot be counted
 * @e:     event
 * @why:   the reason, as it is to follow the name: " counts nothing", ": it is too long"
 * @error: receives both
 *
 * Return: -1.
 */
int encode_refuse(const struct encoding *e, const char *why, char error[EVENTS_ERROR_MAX]);

#endif /* COUNT_ENCODE_H */
