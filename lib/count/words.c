// SPDX-License-Identifier: LGPL-2.1-or-later
/* What perf's users write, in the words that there are here: see perf-list(1). */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "events.h"
#include "words.h"
#include "x86.h"

struct words {
	char *text;
	size_t at, size;
	bool element;		/* behind one: a separator has to come before the next */
	char *error;
};

static int __attribute__((format(printf, 2, 3)))
refuse(struct words *w, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(w->error, EVENTS_ERROR_MAX, format, args);
	va_end(args);
	return -1;
}

static int __attribute__((format(printf, 2, 3)))
put(struct words *w, const char *format, ...)
{
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(w->text + w->at, w->size - w->at, format, args);
	va_end(args);
	if (n < 0 || (size_t)n >= w->size - w->at)
		return refuse(w, "the list of events is too long");
	w->at += (size_t)n;
	return 0;
}

/* Characters of the first element: up to a comma that is not between slashes or braces. */
static size_t element_of(const char *list)
{
	bool slash = false;
	size_t i, depth = 0;

	for (i = 0; list[i]; i++) {
		if (list[i] == '/')
			slash = !slash;
		else if (!slash && list[i] == '{')
			depth++;
		else if (!slash && list[i] == '}' && depth)
			depth--;
		else if (!slash && !depth && list[i] == ',')
			break;
	}
	return i;
}

/* What the parts of an event by its parts are in PerfEvtSel. */
static bool part_bits(const char *name, uint64_t value, uint64_t *code)
{
	if (!strcmp(name, "config") || (!strcmp(name, "event") && value > 0xfff))
		*code |= value;		/* of POWER the event is all of it */
	else if (!strcmp(name, "event"))
		*code |= (value & 0xff) | (value & 0xf00) << 24;
	else if (!strcmp(name, "umask") && value <= 0xff)
		*code |= value << 8;
	else if (!strcmp(name, "cmask") && value <= X86_CMASK_MAX)
		*code |= value << X86_CMASK_SHIFT;
	else if (!strcmp(name, "edge") && value <= 1)
		*code |= value ? X86_EDGE : 0;
	else if (!strcmp(name, "inv") && value <= 1)
		*code |= value ? X86_INV : 0;
	else
		return false;
	return true;
}

/* "event=0x3c" or "inv", up to a comma or the slash. */
static int put_part(struct words *w, const char *part, size_t len, uint64_t *code)
{
	uint64_t value = 1;
	char text[64], *number, *end;

	snprintf(text, sizeof(text), "%.*s", len < sizeof(text) ? (int)len : 0, part);
	number = strchr(text, '=');
	if (number) {
		*number++ = '\0';
		errno = 0;
		value = strtoull(number, &end, 0);
		if (*number < '0' || *number > '9' || *end || errno)
			return refuse(w, "'%.*s' is no number", len > 64 ? 64 : (int)len, part);
	}
	if (!part_bits(text, value, code))
		return refuse(w, "'%.*s': between the slashes there can be event=N, umask=N, cmask=N, edge, inv and config=N",
			      len > 64 ? 64 : (int)len, part);
	return 0;
}

/* "cpu/PART,PART/u" or "cpu/PART/:u": an event by number, and who is counted. */
static int put_parts(struct words *w, const char *element, size_t len, const char *levels)
{
	const char *part = strchr(element, '/') + 1, *end = element + len, *last;
	uint64_t code = 0;
	size_t n;

	if (strncmp(element, "cpu/", 4))
		return refuse(w, "'%.*s': there are events of the PMU 'cpu' only",
			      len > 64 ? 64 : (int)len, element);
	last = memchr(part, '/', (size_t)(end - part));
	if (!last || last == part)
		return refuse(w, "'%.*s': an event by its parts is written cpu/event=N,umask=N/",
			      len > 64 ? 64 : (int)len, element);
	for (; part < last; part += n + (part[n] == ',')) {
		n = strcspn(part, ",/");
		if (put_part(w, part, n, &code))
			return -1;
	}
	if (!(code & ~(uint64_t)(X86_EDGE | X86_INV)))
		return refuse(w, "'%.*s': this is not an event", len > 64 ? 64 : (int)len, element);
	last++;
	n = (size_t)(end - last);
	return put(w, "r%04" PRIx64 "%s%.*s%s", code, n && *last != ':' ? ":" : "", (int)n, last,
		   levels);
}

static int put_elements(struct words *w, const char *list, size_t len, char between,
			const char *levels);

/* "{a,b}" or "{a,b}:u" */
static int put_group(struct words *w, const char *group, size_t len)
{
	const char *end = memchr(group, '}', len);
	char levels[16];
	size_t rest;

	rest = end ? (size_t)(group + len - end - 1) : 0;
	if (!end || end == group + 1 || memchr(group + 1, '{', len - 1) ||
	    (rest && end[1] != ':') || rest >= sizeof(levels))
		return refuse(w, "'%.*s': a group is written {a,b} or {a,b}:u",
			      len > 64 ? 64 : (int)len, group);
	snprintf(levels, sizeof(levels), "%.*s", (int)rest, end + 1);
	return put_elements(w, group + 1, (size_t)(end - group - 1), ',', levels);
}

static int put_element(struct words *w, const char *element, size_t len, const char *levels)
{
	if (!len || memchr(element, WORDS_GROUP, len) || memchr(element, '}', len))
		return refuse(w, "no event '%.*s'", len > 64 ? 64 : (int)len, element);
	if (memchr(element, '/', len))
		return put_parts(w, element, len, levels);
	return put(w, "%.*s%s", (int)len, element, levels);
}

/* Groups are apart from each other and from what stands between them. */
static int put_elements(struct words *w, const char *list, size_t len, char between,
			const char *levels)
{
	const char *end = list + len;
	bool group, after = false;
	size_t n;

	for (;; list += n + 1) {
		n = element_of(list);
		if (n > (size_t)(end - list))
			n = (size_t)(end - list);
		group = *list == '{';
		if (w->element && put(w, "%c", group || after ? WORDS_GROUP : between))
			return -1;
		w->element = false;
		after = group;
		if (group ? put_group(w, list, n) : put_element(w, list, n, levels))
			return -1;
		w->element = true;
		if (list + n >= end)
			return 0;
	}
}

int words_expand(const char *list, char *text, size_t size, char *error)
{
	struct words w = { .text = text, .size = size, .error = error };

	return put_elements(&w, list, strlen(list), ',', "");
}

const char *words_hint(const char *name, size_t len)
{
	static const struct {
		const char *begin, *hint;
	} hints[] = {
		{ "LLC-load", "of the responses that make it up Linux and the maker's list of events say different ones, or nothing; cache-references and cache-misses are all accesses to the last cache and those that missed it" },
		{ "LLC-", "perf makes it of what the registers of off-core responses select; cache-references and cache-misses are all accesses to the last cache and those that missed it" },
		{ "L1-dcache-prefetch", "prefetches differ from model to model: see pfmon list '*prefetch*'" },
		{ "L1-dcache-store-misses", "no model that pfmon knows counts them: l1-misses are those of loads, or of both" },
		{ "L1-icache-", "fetches of the first instruction cache differ from model to model: see pfmon list '*icache*'; L1-icache-load-misses are those that missed it" },
		{ "iTLB-", "of fetches those that needed a walk of the page tables are iTLB-load-misses; what perf counts as all differs from model to model: see pfmon list '*itlb*'" },
		{ "dTLB-prefetch", "no model that pfmon knows counts them" },
		{ "mem-loads", "it is for precise samples (PEBS), which perfmon does not have" },
		{ "mem-stores", "it is for precise samples (PEBS), which perfmon does not have" },
		{ "node-", "perf makes it of what the registers of off-core responses select: see OFFCORE_RESPONSE in pfmon list" },
		{ "stalled-cycles-", "it differs from model to model: see pfmon list '*stall*'" },
		{ "slots", "it is fixed counter 3 of newer Intel processors: fixed3" },
		{ "topdown-", "it needs a register that perfmon does not have" },
		{ "bus-cycles", "they are r013c of Intel's processors" },
	};
	size_t i;

	for (i = 0; i < sizeof(hints) / sizeof(hints[0]); i++)
		if (len >= strlen(hints[i].begin) &&
		    !strncmp(name, hints[i].begin, strlen(hints[i].begin)))
			return hints[i].hint;
	return NULL;
}
