// SPDX-License-Identifier: GPL-2.0-only
/* The process that reads debug information, by elfutils' libdw. */
#define _GNU_SOURCE
#include <dwarf.h>
#include <elfutils/libdwelf.h>
#include <elfutils/libdwfl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "debugfile.h"
#include "lines.h"
#include "lines_read.h"
#include "serve.h"

#define DEPTH		64	/* of what is within one another */
#define NAME_MAX_SENT	1024	/* bytes of a name */

struct ranges;

/* Addresses of a compilation unit, or of one of its functions. */
struct range {
	Dwarf_Addr start, end;
	Dwarf_Die die;
	struct ranges *functions;	/* of a unit */
};

struct ranges {
	struct range *range;
	size_t n, room;
	bool read;
};

struct reading {
	Dwarf *dwarf;
	Dwarf_Addr bias;
	struct ranges units;
};

static bool add_range(struct ranges *ranges, const struct range *range)
{
	struct range *more;

	if (ranges->n == ranges->room) {
		ranges->room = ranges->room ? 2 * ranges->room : 64;
		more = reallocarray(ranges->range, ranges->room, sizeof(*more));
		if (!more)
			return false;
		ranges->range = more;
	}
	ranges->range[ranges->n++] = *range;
	return true;
}

static void add_ranges(struct ranges *ranges, Dwarf_Die *die, struct ranges *functions)
{
	struct range range = { .die = *die, .functions = functions };
	Dwarf_Addr base;
	ptrdiff_t at = 0;

	while ((at = dwarf_ranges(die, at, &base, &range.start, &range.end)) > 0)
		if (range.start < range.end && !add_range(ranges, &range))
			return;
}

static int by_start(const void *a, const void *b)
{
	const struct range *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	/* The smaller one comes last, where it is found first. */
	return (x->end < y->end) - (x->end > y->end);
}

static void sort(struct ranges *ranges)
{
	if (ranges->n)
		qsort(ranges->range, ranges->n, sizeof(*ranges->range), by_start);
}

/* Ranges that lie within others: how many are looked at. */
#define NESTED	8

static const struct range *find_range(const struct ranges *ranges, Dwarf_Addr addr)
{
	size_t low = 0, high = ranges->n, mid, i;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (ranges->range[mid].start <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	for (i = low; i > 0 && low - i < NESTED; i--)
		if (addr < ranges->range[i - 1].end)
			return &ranges->range[i - 1];
	return NULL;
}

static void find_units(struct reading *r)
{
	struct ranges *functions;
	Dwarf_CU *unit = NULL;
	Dwarf_Die die;

	while (!dwarf_get_units(r->dwarf, unit, &unit, NULL, NULL, &die, NULL)) {
		functions = calloc(1, sizeof(*functions));
		if (functions)
			add_ranges(&r->units, &die, functions);
	}
	sort(&r->units);
}

/* Functions can be within name spaces, classes and modules. */
static void find_functions(struct ranges *functions, Dwarf_Die *parent, int depth)
{
	Dwarf_Die die;

	if (depth > DEPTH || dwarf_child(parent, &die))
		return;
	do {
		switch (dwarf_tag(&die)) {
		case DW_TAG_subprogram:
			add_ranges(functions, &die, NULL);
			break;
		case DW_TAG_namespace:
		case DW_TAG_module:
		case DW_TAG_class_type:
		case DW_TAG_structure_type:
			find_functions(functions, &die, depth + 1);
			break;
		}
	} while (!dwarf_siblingof(&die, &die));
}

/* Of a function: those that were inlined at an address, the outermost first. */
static unsigned int find_inlined(const Dwarf_Die *function, Dwarf_Addr addr,
				 Dwarf_Die inlined[LINES_FRAMES - 1])
{
	Dwarf_Die parent = *function, die;
	unsigned int n = 0, depth;
	int found = 0;

	for (depth = 0; depth < DEPTH && !dwarf_child(&parent, &die); depth++) {
		do {
			int tag = dwarf_tag(&die);

			found = (tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block ||
				 tag == DW_TAG_try_block || tag == DW_TAG_catch_block) &&
				dwarf_haspc(&die, addr) > 0;
		} while (!found && !dwarf_siblingof(&die, &die));
		if (!found || n == LINES_FRAMES - 1)
			break;
		if (dwarf_tag(&die) == DW_TAG_inlined_subroutine)
			inlined[n++] = die;
		parent = die;
	}
	return n;
}

/* As the linker has it if it is one of C++ or Rust, to be made readable as symbols are. */
static const char *name_of(Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	const char *name = NULL;

	if (dwarf_attr_integrate(die, DW_AT_linkage_name, &attr) ||
	    dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &attr))
		name = dwarf_formstring(&attr);
	if (!name)
		name = dwarf_diename(die);
	return name && *name ? name : "[inlined]";
}

static Dwarf_Word number_of(Dwarf_Die *die, unsigned int what)
{
	Dwarf_Attribute attr;
	Dwarf_Word n;

	return dwarf_attr(die, what, &attr) && !dwarf_formudata(&attr, &n) ? n : 0;
}

static void put_string(struct answer *a, const char *text)
{
	size_t len = strnlen(text, NAME_MAX_SENT);

	memcpy(a->text + a->size, text, len);
	a->text[a->size + len] = '\0';
	a->size += (uint32_t)len + 1;
}

_Static_assert(LINES_FRAMES * (2 * (NAME_MAX_SENT + 1) + sizeof(uint32_t)) <= READER_ANSWER_MAX,
	       "all frames find room");

static void put_frame(struct answer *a, const char *function, const char *file, uint32_t line)
{
	memcpy(a->text + a->size, &line, sizeof(line));
	a->size += sizeof(line);
	put_string(a, function);
	put_string(a, file ? file : "");
}

/* Where the innermost one is, and where each was inlined, which is in the next one. */
static void answer_frames(struct answer *a, Dwarf_Die *unit, Dwarf_Addr addr,
			  Dwarf_Die inlined[], unsigned int n)
{
	Dwarf_Line *line = dwarf_getsrc_die(unit, addr);
	Dwarf_Files *files = NULL;
	const char *file = NULL;
	Dwarf_Word number = 0;
	size_t all = 0;
	int found = 0;

	if (line) {
		file = dwarf_linesrc(line, NULL, NULL);
		if (!dwarf_lineno(line, &found) && found > 0)
			number = (Dwarf_Word)found;
	}
	if (n && dwarf_getsrcfiles(unit, &files, &all))
		files = NULL;
	while (n--) {
		put_frame(a, name_of(&inlined[n]), file, (uint32_t)number);
		number = number_of(&inlined[n], DW_AT_call_file);
		file = files && number < all ? dwarf_filesrc(files, number, NULL, NULL) : NULL;
		number = number_of(&inlined[n], DW_AT_call_line);
	}
	put_frame(a, "", file, (uint32_t)number);
}

static void answer_to(void *arg, uint64_t addr, struct answer *a)
{
	struct reading *r = arg;
	Dwarf_Die inlined[LINES_FRAMES - 1];
	const struct range *unit, *function;
	Dwarf_Die die;
	unsigned int n;

	addr -= r->bias;
	unit = find_range(&r->units, addr);
	if (!unit) {
		a->text[a->size++] = '\0';
		return;
	}
	die = unit->die;
	if (!unit->functions->read) {
		find_functions(unit->functions, &die, 0);
		sort(unit->functions);
		unit->functions->read = true;
	}
	function = find_range(unit->functions, addr);
	n = function ? find_inlined(&function->die, addr, inlined) : 0;
	answer_frames(a, &die, addr, inlined, n);
}

/*
 * What several debug files have in common is in one more, which the file names by its build
 * ID, and by a path that its writer chose: that is not for us.
 */
static void find_common(Dwarf *dwarf)
{
	struct identity identity = { 0 };
	const char *name;
	const void *id;
	char path[PATH_MAX];
	Dwarf *common;
	ssize_t size = dwelf_dwarf_gnu_debugaltlink(dwarf, &name, &id);
	int fd = -1, safe = -1;
	unsigned int n;

	if (size <= 0 || size > BUILD_ID_MAX)
		return;
	identity.id_size = (uint32_t)size;
	memcpy(identity.id, id, (size_t)size);
	for (n = DEBUGFILE_FIRST; n < DEBUGFILE_PLACES && fd < 0; n++)
		fd = debugfile_of_id(&identity, n, path);
	if (fd >= 0)
		safe = symtab_guard(fd);
	common = safe < 0 ? NULL : dwarf_begin(safe, DWARF_C_READ);
	if (common)
		dwarf_setalt(dwarf, common);
}

static bool begin(struct reading *r, const struct symtab *t)
{
	Dwfl_Module *module = serve_begin(t);

	if (!module)
		return false;
	r->dwarf = dwfl_module_getdwarf(module, &r->bias);
	if (!r->dwarf)
		return false;
	find_common(r->dwarf);
	serve_rest();
	find_units(r);
	return r->units.n;
}

void lines_serve(const struct symtab *t, int fd)
{
	static struct reading r;

	if (!begin(&r, t))
		_exit(1);
	serve_all(fd, answer_to, &r);
}
