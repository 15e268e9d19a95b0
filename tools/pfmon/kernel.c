// SPDX-License-Identifier: GPL-2.0-only
/*
 * Symbols of the kernel are those of the one that runs now: good for what was recorded
 * since it was booted, if the same modules are at the same addresses.
 */
#include <err.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "require.h"
#include "data_write.h"
#include "kernel.h"
#include "modules.h"
#include "symtab.h"
#include "text.h"

struct module {
	const char *name;	/* of text_intern() */
	struct df_module m;
	bool there;		/* of a recorded one: today, too */
};

struct kernel {
	const char *root;
	char boot[DF_BOOT_MAX];
	bool has_modules;	/* the recorder has looked which there are */
	struct module *then, *now;	/* those that were recorded, and those of today */
	size_t thens, nows;
	struct symtab symbols;
	struct symtab kept;	/* that stand in the recording */
	bool kept_sorted;
	bool read;
	uint64_t end;		/* of the kernel itself: what is above are modules */
	const char *note;
};

struct kernel *kernel_new(const struct df_header *header, const char *root)
{
	struct kernel *k = calloc(1, sizeof(*k));

	if (!k)
		err(EXIT_PFMON, NULL);
	k->root = root;
	k->has_modules = header->minor >= DF_MINOR_MODULES;
	memcpy(k->boot, header->boot, sizeof(k->boot));
	return k;
}

static void add(struct module **list, size_t *n, const struct df_module *m,
		const char *name)
{
	/* Room for a power of two of them. */
	if (!(*n & (*n - 1)))
		*list = reallocarray(*list, *n ? 2 * *n : 1, sizeof(**list));
	if (!*list)
		err(EXIT_PFMON, NULL);
	(*list)[(*n)++] = (struct module){ .name = text_intern(name), .m = *m };
}

void kernel_add_module(struct kernel *k, const struct data_module *module)
{
	add(&k->then, &k->thens, module->module, module->name);
}

/* "NAME", or "NAME\t[MODULE]" */
static void add_kept(struct kernel *k, const struct df_symbol *s, const char *text)
{
	char name[512], module[128] = "";

	if (!s->size || sscanf(text, "%511[^\t]\t[%127[^]]]", name, module) < 1)
		return;
	symtab_add(&k->kept, &(struct symbol){
		.addr = s->addr, .size = s->size, .name = text_intern(name),
		.module = *module ? text_intern(module) : NULL });
}

void kernel_add_symbols(struct kernel *k, const struct data_symbols *s)
{
	const char *name = s->names;
	uint32_t i;

	for (i = 0; i < s->symbols->symbols; i++, name += strlen(name) + 1)
		add_kept(k, &s->symbols->symbol[i], name);
	k->kept_sorted = false;
}

static void add_now(void *arg, const struct df_module *m, const char *name)
{
	struct kernel *k = arg;

	add(&k->now, &k->nows, m, name);
}

/* Addresses of the kernel are others after the next boot. */
static bool same_boot(const char *boot)
{
	char now[DF_BOOT_MAX];

	data_boot_id(now);
	return *boot && !strcmp(boot, now);
}

static void find_end(struct kernel *k)
{
	size_t i;

	for (i = 0; i < k->symbols.symbols; i++)
		if (!k->symbols.symbol[i].module && k->symbols.symbol[i].addr > k->end)
			k->end = k->symbols.symbol[i].addr;
}

static bool is_in(const struct df_module *m, uint64_t addr)
{
	return addr >= m->start && addr - m->start < m->size;
}

/* Is it the same module, with the same code at the same place? */
static bool same(const struct module *a, const struct module *b)
{
	if (a->name != b->name || a->m.start != b->m.start || a->m.size != b->m.size)
		return false;
	if (a->m.id_size && b->m.id_size)
		return a->m.id_size == b->m.id_size &&
		       !memcmp(a->m.id, b->m.id, a->m.id_size);
	return a->m.instance && a->m.instance == b->m.instance;
}

static void look_today(struct kernel *k)
{
	size_t i, n;

	modules_read(k->root, add_now, k);
	for (i = 0; i < k->thens; i++)
		for (n = 0; n < k->nows && !k->then[i].there; n++)
			k->then[i].there = same(&k->then[i], &k->now[n]);
}

static void read_all(struct kernel *k)
{
	char path[PATH_MAX];

	k->read = true;
	snprintf(path, sizeof(path), "%s/proc/kallsyms", k->root);
	if (!same_boot(k->boot)) {
		k->note = "symbols of the kernel are not known: it has been booted since, or is another one";
	} else if (symtab_read_kallsyms(&k->symbols, path)) {
		k->note = "symbols of the kernel are not known: /proc/kallsyms does not show them (kptr_restrict)";
	} else {
		look_today(k);
		find_end(k);
	}
}

/*
 * The module that had an address during the recording. The kernel gives the size of all
 * sections of a module together, so that ranges of two can overlap: of those that contain
 * the address it is the one that begins last. @doubtful: a module that is not loaded now
 * contained the address, too.
 */
static const struct module *find_then(const struct kernel *k, uint64_t addr, bool *doubtful)
{
	const struct module *found = NULL, *m;
	size_t i;

	for (i = 0; i < k->thens; i++) {
		m = &k->then[i];
		if (is_in(&m->m, addr) && (!found || m->m.start > found->m.start ||
					   (m->m.start == found->m.start && m->there)))
			found = m;
	}
	for (i = 0; i < k->thens; i++) {
		m = &k->then[i];
		*doubtful |= m != found && is_in(&m->m, addr) && !same(m, found) &&
			     !(m->there && found->there);
	}
	return found;
}

static const char *in_brackets(const char *name)
{
	char text[160];

	snprintf(text, sizeof(text), "[%s]", name);
	return text_intern(text);
}

static void take(const struct symtab *t, struct symbol *symbol, uint64_t addr,
		 struct kernel_place *place)
{
	if (!symbol)
		return;
	place->symbol = symtab_name(symbol);
	place->offset = addr - symbol->addr;
	place->size = symtab_extent(t, symbol);
	if (symbol->module)
		place->binary = in_brackets(symbol->module);
}

/*
 * Programs of BPF come and go, and are not recorded: one is there now, and which one was then
 * nobody knows.
 */
static void find_bpf(struct kernel *k, const struct symbol *symbol, struct kernel_place *place)
{
	if (!symbol || !symbol->module || strcmp(symbol->module, "bpf"))
		return;
	place->binary = in_brackets(symbol->module);
	if (!k->note)
		k->note = "programs of BPF have no names: it is not recorded which of them are where";
}

static void find_in_module(struct kernel *k, uint64_t addr, struct symbol *symbol,
			   struct kernel_place *place)
{
	bool doubtful = false;
	const struct module *then = find_then(k, addr, &doubtful);

	if (!then) {
		find_bpf(k, symbol, place);
		return;
	}
	if (!doubtful)
		place->binary = in_brackets(then->name);
	if (!k->symbols.symbols)
		return;
	place->changed = doubtful || !then->there;
	if (place->changed)
		k->note = "modules of the kernel have been loaded or unloaded since: their symbols are [changed]";
	else if (symbol && symbol->module && text_intern(symbol->module) == then->name)
		take(&k->symbols, symbol, addr, place);
}

/* What was kept is of the kernel and the modules that were there then, whatever is now. */
static bool find_kept(struct kernel *k, uint64_t addr, struct kernel_place *place)
{
	if (!k->kept_sorted)
		symtab_sort(&k->kept);
	k->kept_sorted = true;
	take(&k->kept, symtab_find(&k->kept, addr), addr, place);
	return place->symbol;
}

void kernel_find(struct kernel *k, uint64_t addr, struct kernel_place *place)
{
	struct symbol *symbol;

	*place = (struct kernel_place){ .binary = text_intern(KERNEL) };
	if (find_kept(k, addr, place))
		return;
	if (!k->read)
		read_all(k);
	symbol = symtab_find(&k->symbols, addr);
	if (symbol && (!k->has_modules || (!symbol->module && addr < k->end)))
		take(&k->symbols, symbol, addr, place);
	else
		find_in_module(k, addr, symbol, place);
}

const char *kernel_note(const struct kernel *k)
{
	return k->note;
}

void kernel_free(struct kernel *k)
{
	symtab_free(&k->symbols);
	symtab_free(&k->kept);
	free(k->then);
	free(k->now);
	free(k);
}
