// SPDX-License-Identifier: LGPL-2.1-or-later
/* From the text of a hardware's event to what registers get for it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "encode.h"
#include "family.h"
#include "names.h"
#include "x86.h"

static int refuse_modifier(const char *text, size_t len, char error[EVENTS_ERROR_MAX])
{
	snprintf(error, EVENTS_ERROR_MAX,
		 "'%.*s': an event can have the modifiers :u, programs, :k, the kernel, :e, :i and :c=N",
		 len > ENCODE_SHOWN ? ENCODE_SHOWN : (int)len, text);
	return -1;
}

/* perf's modifier of samples that are where their event was: "p", "pp", "upp" and the like. */
static bool is_precise(const char *text, size_t len)
{
	return strspn(text, "ukp") >= len && memchr(text, 'p', len);
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
	} flags[] = { { 'e', X86_EDGE }, { 'i', X86_INV }, { 't', X86_ANY } };
	uint64_t number;
	unsigned int i;

	for (i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		if (len == 1 && *text == flags[i].name) {
			e->code |= flags[i].bit;
			return true;
		}
	if (parse_number(text, len, "c", &number) && number <= X86_CMASK_MAX &&
	    (e->unit || !(e->code >> X86_CMASK_SHIFT & X86_CMASK_MAX))) {
		e->code |= number << X86_CMASK_SHIFT;
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
	snprintf(error, EVENTS_ERROR_MAX, "'%.*s...': the name is too long", ENCODE_SHOWN, text);
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
		if (is_precise(text + at, part)) {
			snprintf(error, EVENTS_ERROR_MAX,
				 "'%.*s': perfmon has no precise samples (PEBS, IBS): leave the p out",
				 len > ENCODE_SHOWN ? ENCODE_SHOWN : (int)len, text);
			return -1;
		}
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

int encode_named(struct encoding *e, const struct event_source *source, const char *text,
		 size_t len, char error[EVENTS_ERROR_MAX])
{
	struct named_event event;
	const char *reason;

	memset(e, 0, sizeof(*e));
	*error = '\0';
	if (!len || !source->family->named)
		return -1;
	if (split(e, text, strcspn(text, ":,"), len, error))
		return -1;
	if (names_find(source->pmu->model, e->name, e->levels, &event, &reason)) {
		if (reason)
			snprintf(error, EVENTS_ERROR_MAX, "'%.*s': %s (libpfm4; see pfmon list)",
				 ENCODE_SHOWN, e->name, reason);
		return -1;
	}
	source->family->named(e, &event);
	return 0;
}

int encode_counter(const struct encoding *e, const struct event_source *source,
		   struct counter *c, char error[EVENTS_ERROR_MAX])
{
	c->code = e->code;
	c->levels = e->levels;
	c->levels_given = e->levels_given;
	c->unit = e->unit;
	if (source->family->encode(e, source, c, error))
		return -1;
	return e->levels ? 0 :
	       encode_refuse(e, " counts neither programs nor the kernel", error);
}

int encode_refuse(const struct encoding *e, const char *why, char error[EVENTS_ERROR_MAX])
{
	snprintf(error, EVENTS_ERROR_MAX, "'%.*s'%s", ENCODE_SHOWN, e->name, why);
	return -1;
}
