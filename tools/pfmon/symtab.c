// SPDX-License-Identifier: GPL-2.0-only
/* Symbols: which function is at an address. */
#define _GNU_SOURCE
#include <err.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "require.h"
#include "demangle.h"
#include "symtab.h"
#include "text.h"

/* Symbols that lie within others: how many are looked at. */
#define NESTED	8

bool symtab_demangle = true;

static void *make_room(void *array, size_t n, size_t *room, size_t size)
{
	if (n < *room)
		return array;
	*room = *room ? 2 * *room : 64;
	array = reallocarray(array, *room, size);
	if (!array)
		err(EXIT_PFMON, NULL);
	return array;
}

void symtab_add(struct symtab *t, const struct symbol *symbol)
{
	t->symbol = make_room(t->symbol, t->symbols, &t->symbol_room,
			      sizeof(*symbol));
	t->symbol[t->symbols++] = *symbol;
}

void symtab_add_segment(struct symtab *t, const struct segment *segment)
{
	t->segment = make_room(t->segment, t->segments, &t->segment_room,
			       sizeof(*segment));
	t->segment[t->segments++] = *segment;
}

#define NAME_LOOKED	1024	/* bytes of a name that decide which one is best */

/* Of one address the best comes last, where symtab_find() begins to look. */
static int by_addr(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	if (!x->size != !y->size)
		return x->size ? 1 : -1;
	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	/* A hostile file can have millions of symbols with one name of megabytes. */
	return -strncmp(x->name, y->name, NAME_LOOKED);
}

void symtab_sort(struct symtab *t)
{
	if (t->symbols)
		qsort(t->symbol, t->symbols, sizeof(*t->symbol), by_addr);
}

struct symbol *symtab_find(const struct symtab *t, uint64_t addr)
{
	size_t low = 0, high = t->symbols, i;

	/* The first symbol that is above the address. */
	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (t->symbol[mid].addr <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	for (i = low; i > 0 && low - i < NESTED; i--) {
		struct symbol *s = &t->symbol[i - 1];

		if (!s->size ? i == low && (!s->end || addr < s->end) :
			       addr - s->addr < s->size)
			return s;
	}
	return NULL;
}

uint64_t symtab_extent(const struct symtab *t, const struct symbol *symbol)
{
	const struct symbol *next = symbol, *last;
	uint64_t end = symbol->end;

	/* One of code that a process has made is in no table. */
	if (symbol->size || !t->symbols || symbol < t->symbol ||
	    symbol >= t->symbol + t->symbols)
		return symbol->size;
	last = t->symbol + t->symbols;
	while (next < last && next->addr == symbol->addr)
		next++;
	if (next < last && (!end || next->addr < end))
		end = next->addr;
	return end > symbol->addr ? end - symbol->addr : 0;
}

/* "FUNCTION@plt": what stands behind the @ stays. */
static void demangle_name(const char *name, char *out, size_t size)
{
	const char *at = strchr(name, '@');
	char function[DEMANGLE_MAX];
	size_t len = at ? (size_t)(at - name) : strlen(name), done;

	if (len >= sizeof(function))
		return;
	memcpy(function, name, len);
	function[len] = '\0';
	if (!demangle(function, out, size))
		return;
	done = strlen(out);
	snprintf(out + done, size - done, "%s", name + len);
}

#define NAME_SHOWN	8192	/* bytes of a name, longer ones are cut off */

const char *symtab_name(struct symbol *symbol)
{
	char pretty[DEMANGLE_MAX] = "", begin[NAME_SHOWN + 1];
	const char *shown = symbol->name;

	if (symbol->named)
		return symbol->name;
	if (strnlen(symbol->name, sizeof(begin)) == sizeof(begin)) {
		memcpy(begin, symbol->name, NAME_SHOWN);
		begin[NAME_SHOWN] = '\0';
		shown = begin;
	} else if (symtab_demangle && *symbol->name == '_') {
		demangle_name(symbol->name, pretty, sizeof(pretty));
		if (*pretty)
			shown = pretty;
	}
	symbol->name = text_intern(shown);
	symbol->named = true;
	return symbol->name;
}

bool symtab_addr(const struct symtab *t, uint64_t offset, uint64_t *addr)
{
	size_t i;

	for (i = 0; i < t->segments; i++) {
		const struct segment *s = &t->segment[i];

		if (offset >= s->offset && offset - s->offset < s->size) {
			*addr = offset - s->offset + s->addr;
			return true;
		}
	}
	return false;
}

void symtab_free(struct symtab *t)
{
	free(t->symbol);
	free(t->segment);
	symtab_close(t);
	memset(t, 0, sizeof(*t));
}

/* A mark of the linker's, at the address of a function: __sched_text_start. */
static bool is_mark(const char *name)
{
	static const char *const ends[] = { "_start", "_end", "_begin", "_stext" };
	size_t len = strlen(name), i, n;

	for (i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		n = strlen(ends[i]);
		if (len >= n && !strcmp(name + len - n, ends[i]))
			return true;
	}
	return false;
}

/*
 * "ADDRESS TYPE NAME", and "[MODULE]" after a tab. On big-endian PowerPC of 64 bits the name
 * of a function is its descriptor's, which is data, and its code has the name with a dot.
 */
static void read_line(struct symtab *t, const char *line)
{
	char type, text[512], *name = text, module[128] = "";
	struct symbol s = { .size = 0 };
	int n;

	n = sscanf(line, "%" SCNx64 " %c %511s [%127[^]]]", &s.addr, &type, text,
		   module);
	if (n < 3 || !s.addr || !strchr("tTwW", type))
		return;
	name += *name == '.' && name[1];
	s.name = text_intern(name);
	s.module = *module ? text_intern(module) : NULL;
	s.rank = is_mark(name) ? -1 : type == 'T';
	symtab_add(t, &s);
}

int symtab_read_kallsyms(struct symtab *t, const char *path)
{
	FILE *f = fopen(path, "re");
	char *line = NULL;
	size_t size = 0;

	if (!f)
		return -1;
	while (getline(&line, &size, f) > 0)
		read_line(t, line);
	free(line);
	fclose(f);
	symtab_sort(t);
	return t->symbols ? 0 : -1;
}
