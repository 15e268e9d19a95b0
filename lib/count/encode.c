// SPDX-License-Identifier: LGPL-2.1-or-later
/* From the text of a hardware's event to what registers get for it. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "encode.h"
#include "needs.h"
#include "names.h"
#include "p4.h"
#include "ppc.h"

/* PerfEvtSel */
#define LEVELS_SHIFT	16
#define LEVELS		(3ULL << LEVELS_SHIFT)
#define EDGE		(1ULL << 18)
#define INT		(1ULL << 20)
#define ANY		(1ULL << 21)
#define EN		(1ULL << 22)
#define INV		(1ULL << 23)
#define CMASK_SHIFT	24
#define CMASK_MAX	0xff

/* They make another event of one. */
#define MODIFIERS	(EDGE | ANY | INV | (uint64_t)CMASK_MAX << CMASK_SHIFT)

/* Counters that count by PerfEvtSel. */
#define GENERAL		((1U << PMU_FIXED) - 1)

/* Of a fixed counter: OS (0) and USR (1). */
#define FIXED_OS	1
#define FIXED_USR	2

/* As much of a name as goes into a message. */
#define SHOWN		80

static int refuse_modifier(const char *text, size_t len, char error[EVENTS_ERROR_MAX])
{
	snprintf(error, EVENTS_ERROR_MAX,
		 "'%.*s': an event can have the modifiers :u, programs, :k, the kernel, :e, :i and :c=N",
		 len > SHOWN ? SHOWN : (int)len, text);
	return -1;
}

/* "u", "k" or both, or one of them with "=0" or "=1": true, and the levels are added. */
static bool parse_levels(const char *text, size_t len, unsigned int *levels)
{
	bool on = true;
	unsigned int more = 0;

	if (len == 3 && text[1] == '=' && (text[2] == '0' || text[2] == '1')) {
		on = text[2] == '1';
		len = 1;
	}
	if (!len)
		return false;
	for (; len; text++, len--) {
		if (*text != 'u' && *text != 'k')
			return false;
		more |= *text == 'u' ? LEVEL_USER : LEVEL_KERNEL;
	}
	*levels |= on ? more : 0;
	return true;
}

/* The number behind "NAME=", which ends the modifier. */
static bool parse_number(const char *text, size_t len, const char *name, uint64_t *value)
{
	size_t used = strlen(name);
	char digits[24], *end;

	if (len <= used + 1 || strncmp(text, name, used) || text[used] != '=' ||
	    len - used > sizeof(digits) || text[used + 1] < '0' || text[used + 1] > '9')
		return false;
	snprintf(digits, sizeof(digits), "%.*s", (int)(len - used - 1), text + used + 1);
	errno = 0;
	*value = strtoull(digits, &end, 0);
	return !*end && !errno;
}

static bool parse_value(struct encoding *e, const char *text, size_t len)
{
	static const char *const names[] = { "rsp", "ldlat", "frontend" };
	unsigned int i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]) && !e->has_value; i++)
		if (parse_number(text, len, names[i], &e->value)) {
			e->modifier = names[i];
			e->has_value = true;
			return true;
		}
	return false;
}

static bool parse_modifier(struct encoding *e, const char *text, size_t len)
{
	static const struct {
		char name;
		uint64_t bit;
	} flags[] = { { 'e', EDGE }, { 'i', INV }, { 't', ANY } };
	uint64_t number;
	unsigned int i;

	for (i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		if (len == 1 && *text == flags[i].name) {
			e->code |= flags[i].bit;
			return true;
		}
	if (parse_number(text, len, "c", &number) && number <= CMASK_MAX &&
	    (e->unit || !(e->code >> CMASK_SHIFT & CMASK_MAX))) {
		e->code |= number << CMASK_SHIFT;
		return true;
	}
	return parse_value(e, text, len);
}

/* Append a part to the name. False if ":u" would not fit behind it. */
static bool add_part(struct encoding *e, const char *text, size_t len)
{
	size_t at = strlen(e->name);

	return snprintf(e->name + at, sizeof(e->name) - at, "%s%.*s", at ? ":" : "", (int)len,
			text) < (int)(sizeof(e->name) - at - sizeof(":u"));
}

static int refuse_length(const char *text, char error[EVENTS_ERROR_MAX])
{
	snprintf(error, EVENTS_ERROR_MAX, "'%.*s...': the name is too long", SHOWN, text);
	return -1;
}

/* Split "NAME:PART:PART"; all that are no levels are parts of the name. */
static int split(struct encoding *e, const char *text, size_t plain, size_t len,
		 char error[EVENTS_ERROR_MAX])
{
	size_t at, part;

	/* libpfm4 skips white space of all kinds. */
	for (at = 0; at < len; at++)
		if (text[at] <= ' ' || text[at] > '~')
			return refuse_modifier(text, at, error);
	if (!add_part(e, text, plain))
		return refuse_length(text, error);
	for (at = plain; at < len; at += part) {
		part = strcspn(text + ++at, ":,");
		if (parse_levels(text + at, part, &e->levels))
			e->levels_given = true;
		else if (!add_part(e, text + at, part))
			return refuse_length(text, error);
	}
	if (!e->levels_given)
		e->levels = LEVEL_BOTH;
	return 0;
}

int encode_own(struct encoding *e, const char *text, size_t plain, size_t len,
	       char error[EVENTS_ERROR_MAX])
{
	unsigned int levels = 0;
	size_t at, part;

	if (split(e, text, plain, len, error))
		return -1;
	for (at = plain; at < len; at += part) {
		part = strcspn(text + ++at, ":,");
		if (!parse_levels(text + at, part, &levels) &&
		    !parse_modifier(e, text + at, part))
			return refuse_modifier(text, len, error);
	}
	return 0;
}

int encode_named(struct encoding *e, const struct pmu *pmu, const char *text, size_t len,
		 char error[EVENTS_ERROR_MAX])
{
	struct named_event event;
	const char *reason;

	memset(e, 0, sizeof(*e));
	*error = '\0';
	if (!*pmu->model || !len)
		return -1;
	if (split(e, text, strcspn(text, ":,"), len, error))
		return -1;
	if (names_find(pmu->model, e->name, e->levels, &event, &reason)) {
		if (reason)
			snprintf(error, EVENTS_ERROR_MAX, "'%.*s': %s (libpfm4; see pfmon list)",
				 SHOWN, e->name, reason);
		return -1;
	}
	if (p4_is(pmu)) {
		e->unit = event.words == 2 ? p4_unit(strstr(event.full, "::") + 2) : NULL;
		e->levels &= p4_levels(event.select);
		e->code = p4_code(event.select, event.value);
		return 0;
	}
	e->levels &= event.select >> LEVELS_SHIFT & LEVEL_BOTH;
	e->code = event.select & ~(LEVELS | INT | EN);
	e->has_value = event.has_value;
	e->value = event.value;
	return 0;
}

/* What the bits would do that the kernel keeps from programs. */
static const char *bits_mean(uint64_t bits)
{
	if (bits & ANY)
		return "any thread, also of other programs";
	if (bits & 3ULL << 40)
		return "host and guest";
	if (bits & 3ULL << 32)
		return "transactions, or an event above 0xff";
	return "no part of an event";
}

static int check_bits(const struct encoding *e, const struct event_source *source,
		      char error[EVENTS_ERROR_MAX])
{
	uint64_t bad = e->code & ~source->raw_mask;

	if (bad && e->exact)
		snprintf(error, EVENTS_ERROR_MAX,
			 "'%.*s': an event of this PMU can have the bits %#" PRIx64 "; who is counted :u and :k say",
			 SHOWN, e->name, source->raw_mask);
	else if (bad)
		snprintf(error, EVENTS_ERROR_MAX,
			 "'%.*s' needs %#" PRIx64 " in the control register, which the kernel does not let programs set: %s",
			 SHOWN, e->name, bad, bits_mean(bad));
	else if (!e->levels)
		snprintf(error, EVENTS_ERROR_MAX,
			 "'%.*s' counts neither programs nor the kernel", SHOWN, e->name);
	return bad || !e->levels ? -1 : 0;
}

/* Architectural events that fixed counters have, too. */
static uint32_t also_fixed(uint64_t code)
{
	return code == 0xc0 ? 1U << PMU_FIXED : code == 0x3c ? 2U << PMU_FIXED : 0;
}

/* Event 0 with a unit mask of n + 1: what fixed counter n counts. */
static uint32_t only_fixed(uint64_t code)
{
	uint64_t n = code >> 8;

	return n >= 1 && n <= PMU_COUNTERS - PMU_FIXED ? 1U << (PMU_FIXED + n - 1) : 0;
}

static int find_counters(const struct encoding *e, const struct event_source *source,
			 struct counter *c, char error[EVENTS_ERROR_MAX])
{
	const uint32_t general = source_general(source);
	const bool modified = e->code & MODIFIERS;
	uint32_t can = needs_counters(source->pmu, e->code);
	const char *why = can ? "this machine does not have the only counters that could count it" :
				"no counter of a processor's core can count it by itself";

	/* What a fixed counter counts has no modifiers: with them it is another event. */
	if (source->fixed && modified && can)
		can = can & GENERAL ? can & GENERAL : GENERAL;

	if (source->fixed && !(e->code & 0xff)) {
		can = only_fixed(e->code);
		if (!can)
			why = "this is not an event; fixed counters have no modifiers but :u and :k";
	} else if (!(general & ~can)) {
		can = general | (e->exact || !source->fixed ? 0 : also_fixed(e->code));
	}
	c->can = can & source->there;
	if (!c->can)
		snprintf(error, EVENTS_ERROR_MAX, "'%.*s': %s", SHOWN, e->name, why);
	return c->can ? 0 : -1;
}

static int find_register(const struct encoding *e, const struct event_source *source,
			 struct counter *c, char error[EVENTS_ERROR_MAX])
{
	const struct event_register *r = needs_register(source->pmu, e->code);
	int n = r ? pmu_find_msr(source->pmu, r->msr) : -1;

	if (!r && !e->has_value)
		return 0;
	if (e->modifier && (!r || strcmp(r->modifier, e->modifier)))
		snprintf(error, EVENTS_ERROR_MAX, "'%.*s': this event has no %s", SHOWN, e->name,
			 e->modifier);
	else if (n < 0)
		snprintf(error, EVENTS_ERROR_MAX,
			 "'%.*s' counts what a register of its own says, which the kernel does not have here",
			 SHOWN, e->name);
	else if (!e->has_value)
		snprintf(error, EVENTS_ERROR_MAX, "'%.*s' counts what PMC %d says: add :%s=VALUE",
			 SHOWN, e->name, n, r->modifier);
	else if (e->value & source->pmu->pmc[n].reserved)
		snprintf(error, EVENTS_ERROR_MAX,
			 "'%.*s' needs %#" PRIx64 " in PMC %d, whose bits %#" PRIx64 " are reserved",
			 SHOWN, e->name, e->value, n, source->pmu->pmc[n].reserved);
	else
		c->has_extra = true;
	c->extra_pmc = (uint16_t)n;
	c->extra = e->value;
	return c->has_extra ? 0 : -1;
}

/* Pentium 4's have two registers each. */
static int encode_p4(const struct encoding *e, const struct event_source *source,
		     struct counter *c, char error[EVENTS_ERROR_MAX])
{
	uint64_t bad = 0;

	c->can = e->unit ? p4_counters(e->unit, source->pmu) & source->there : 0;
	if (e->unit && c->can)
		bad = (e->code >> 32 & source->pmu->pmc[__builtin_ctz(c->can)].reserved) ||
		      (e->code & UINT32_MAX &
		       source->pmu->pmc[e->unit->escr[0] ? e->unit->escr[0] :
					e->unit->escr[1]].reserved);
	if (!e->unit)
		snprintf(error, EVENTS_ERROR_MAX,
			 "'%.*s' counts what another event tags, or is not known to pfmon", SHOWN,
			 e->name);
	else if (!c->can)
		snprintf(error, EVENTS_ERROR_MAX,
			 "'%.*s': this machine does not have the only counters that could count it",
			 SHOWN, e->name);
	else if (bad)
		snprintf(error, EVENTS_ERROR_MAX, "'%.*s' needs bits that the kernel reserves",
			 SHOWN, e->name);
	else if (!e->levels)
		snprintf(error, EVENTS_ERROR_MAX,
			 "'%.*s' counts neither programs nor the kernel", SHOWN, e->name);
	return !c->can || bad || !e->levels ? -1 : 0;
}

int encode_counter(const struct encoding *e, const struct event_source *source,
		   struct counter *c, char error[EVENTS_ERROR_MAX])
{
	c->code = e->code;
	c->levels = e->levels;
	c->levels_given = e->levels_given;
	c->unit = e->unit;
	if (p4_is(source->pmu))
		return encode_p4(e, source, c, error);
	if (ppc_is(source->pmu))
		return ppc_encode(e, source, c, error);
	if (check_bits(e, source, error))
		return -1;
	return find_counters(e, source, c, error) || find_register(e, source, c, error) ? -1 : 0;
}

uint64_t encode_control(const struct counter *c, unsigned int n)
{
	if (!c->source->pmu)
		return c->code;
	if (c->source->fixed && n >= PMU_FIXED)
		return (c->levels & LEVEL_KERNEL ? FIXED_OS : 0) |
		       (c->levels & LEVEL_USER ? FIXED_USR : 0);
	return c->code | (uint64_t)c->levels << LEVELS_SHIFT | EN;
}
