// SPDX-License-Identifier: GPL-2.0-only
/*
 * Address spaces. A process is one image after the other, each with mappings:
 * all that were ever seen of it. They were seen some time after they came to
 * be, so that the time of a sample only says where to look first. Where the
 * kernel has recorded them the times are right, but records of a process are in
 * the buffers of several threads or CPUs, so these wait until all are there.
 */
#define _GNU_SOURCE
#include <err.h>
#include <stdlib.h>
#include <string.h>

#include "context.h"
#include "data_write.h"
#include "identity.h"
#include "space.h"
#include "symtab.h"
#include "text.h"

#define BUCKETS		4096
#define KERNEL		"[kernel]"
#define DELETED		" (deleted)"

struct binary {
	struct binary *next;
	const char *path;
	uint32_t number;	/* of its record, 0: there is none */
	struct identity identity;
	bool known;		/* the identity is */
	bool read, changed;
	struct symtab symbols;
};

struct mapping {
	uint64_t time, start, end, offset;
	uint64_t reach;		/* the highest end of this one and those before it */
	size_t number;		/* in the order in which they were added */
	struct binary *binary;
};

struct image {
	struct image *older;
	int32_t pid;
	uint64_t time;
	const char *process;
	bool recorded;		/* the kernel has said so: the time is right */
	size_t maps, room;
	struct mapping *map;	/* by space_complete() in the order of start */
};

/* What is recorded; path NULL: an exec(). */
struct record {
	int32_t pid;
	const char *comm;
	const char *path;
	struct mapping map;
};

struct space {
	uint64_t kernel_base;
	bool other_pids;
	char boot[DF_BOOT_MAX];
	struct image *bucket[BUCKETS];	/* of a process newer ones first */
	struct binary *binary[BUCKETS];
	struct record *record;
	size_t records, record_room;
	struct symtab kernel;
	bool kernel_read;
	const char *note;
};

struct space *space_new(const struct df_header *header)
{
	struct space *space = calloc(1, sizeof(*space));

	if (!space)
		err(EXIT_PFMON, NULL);
	space->kernel_base = header->kernel_base;
	space->other_pids = header->flags & DF_OTHER_PIDS;
	memcpy(space->boot, header->boot, sizeof(space->boot));
	return space;
}

static struct image *newest(const struct space *space, int32_t pid)
{
	struct image *i = space->bucket[(uint32_t)pid % BUCKETS];

	while (i && i->pid != pid)
		i = i->older;
	return i;
}

static struct image *older(const struct image *i)
{
	int32_t pid = i->pid;

	do
		i = i->older;
	while (i && i->pid != pid);
	return (struct image *)i;
}

static struct image *add_image(struct space *space, int32_t pid, uint64_t time,
			       const char *process)
{
	struct image **p = &space->bucket[(uint32_t)pid % BUCKETS];
	struct image *i = calloc(1, sizeof(*i));

	if (!i)
		err(EXIT_PFMON, NULL);
	while (*p && ((*p)->pid != pid || (*p)->time > time))
		p = &(*p)->older;
	i->pid = pid;
	i->time = time;
	i->process = process;
	i->older = *p;
	*p = i;
	return i;
}

void space_add_process(struct space *space, const struct data_process *p)
{
	add_image(space, p->process->pid, p->process->time, text_intern(p->comm));
}

/* @number 0: any of this path; the one that was added last comes first. */
static struct binary *find_binary(struct space *space, const char *path,
				  uint32_t number)
{
	struct binary **bucket, *b;

	path = text_intern(path);
	bucket = &space->binary[((uintptr_t)path >> 4) % BUCKETS];
	for (b = *bucket; b; b = b->next)
		if (b->path == path && (!number || b->number == number))
			return b;
	b = calloc(1, sizeof(*b));
	if (!b)
		err(EXIT_PFMON, NULL);
	b->path = path;
	b->number = number;
	b->next = *bucket;
	*bucket = b;
	return b;
}

void space_add_binary(struct space *space, const struct data_binary *b)
{
	struct binary *binary = find_binary(space, b->path, b->binary->number);

	binary->identity = (struct identity){
		.size = b->binary->size, .mtime = b->binary->mtime,
		.id_size = b->binary->id_size,
	};
	memcpy(binary->identity.id, b->binary->id, sizeof(b->binary->id));
	binary->known = true;
}

static void add_mapping(struct image *i, const struct mapping *map)
{
	if (i->maps == i->room) {
		i->room = i->room ? 2 * i->room : 8;
		i->map = reallocarray(i->map, i->room, sizeof(*i->map));
		if (!i->map)
			err(EXIT_PFMON, NULL);
	}
	i->map[i->maps] = *map;
	i->map[i->maps].number = i->maps;
	i->maps++;
}

void space_add_map(struct space *space, const struct data_map *m)
{
	struct image *i = newest(space, m->map->pid);
	struct mapping map = {
		.time = m->map->time, .start = m->map->start, .end = m->map->end,
		.offset = m->map->offset, .binary = find_binary(space, m->path, m->map->binary),
	};

	if (!i)
		i = add_image(space, m->map->pid, m->map->time,
			      text_intern(PLACE_UNKNOWN));
	add_mapping(i, &map);
}

void space_add_record(struct space *space, const struct smpl_map *map)
{
	struct record *r;

	if (space->records == space->record_room) {
		space->record_room = space->records ? 2 * space->records : 64;
		space->record = reallocarray(space->record, space->record_room,
					     sizeof(*space->record));
		if (!space->record)
			err(EXIT_PFMON, NULL);
	}
	r = &space->record[space->records++];
	*r = (struct record){
		.pid = map->pid,
		.map = { .time = map->time, .start = map->start,
			 .end = map->end, .offset = map->offset },
	};
	if (map->path)
		r->path = text_intern(map->path);
	else
		r->comm = text_intern(map->comm);
}

/* In the order of time; an exec() comes before what it maps. */
static int by_time(const void *a, const void *b)
{
	const struct record *x = a, *y = b;

	if (x->map.time != y->map.time)
		return x->map.time < y->map.time ? -1 : 1;
	return !!x->path - !!y->path;
}

/* The image that a process was then, or the first that is known of it. */
static struct image *image_at(const struct space *space, int32_t pid,
			      uint64_t time)
{
	struct image *i = newest(space, pid), *first = NULL;

	for (; i && i->time > time; i = older(i))
		first = i;
	return i ? i : first;
}

static int by_start(const void *a, const void *b)
{
	const struct mapping *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (x->number > y->number) - (x->number < y->number);
}

static void sort_mappings(struct image *i)
{
	uint64_t reach = 0;
	size_t n;

	if (i->maps)
		qsort(i->map, i->maps, sizeof(*i->map), by_start);
	for (n = 0; n < i->maps; n++) {
		if (i->map[n].end > reach)
			reach = i->map[n].end;
		i->map[n].reach = reach;
	}
}

void space_complete(struct space *space)
{
	struct record *r = space->record, *end = r + space->records;
	struct image *i;
	unsigned int b;

	if (space->records)
		qsort(r, space->records, sizeof(*r), by_time);
	for (; r < end; r++) {
		if (!r->path) {
			i = add_image(space, r->pid, r->map.time, r->comm);
			i->recorded = true;
			continue;
		}
		i = image_at(space, r->pid, r->map.time);
		if (!i)
			i = add_image(space, r->pid, r->map.time,
				      text_intern(PLACE_UNKNOWN));
		r->map.binary = find_binary(space, r->path, 0);
		add_mapping(i, &r->map);
	}
	free(space->record);
	space->record = NULL;
	space->records = space->record_room = 0;
	for (b = 0; b < BUCKETS; b++)
		for (i = space->bucket[b]; i; i = i->older)
			sort_mappings(i);
}

/* Is @a a better guess than @b of what was there at that time? */
static bool better(const struct mapping *a, const struct mapping *b, uint64_t time)
{
	/* Of two that were seen at once: of those before, the one that came last. */
	if (a->time == b->time)
		return (a->number > b->number) == (a->time <= time);
	if (a->time <= time)
		return b->time > time || a->time >= b->time;
	return b->time > time && a->time < b->time;
}

/* The last that was seen before the sample, or else the first after it. */
static const struct mapping *find_mapping(const struct image *i, uint64_t ip,
					  uint64_t time)
{
	const struct mapping *found = NULL;
	size_t n = 0, high = i->maps;

	/* The first one that begins above the address ... */
	while (n < high) {
		size_t mid = n + (high - n) / 2;

		if (i->map[mid].start <= ip)
			n = mid + 1;
		else
			high = mid;
	}
	/* ... and before it those that come as far as that. */
	for (; n && i->map[n - 1].reach > ip; n--) {
		if (ip >= i->map[n - 1].end)
			continue;
		if (!found || better(&i->map[n - 1], found, time))
			found = &i->map[n - 1];
	}
	return found;
}

/*
 * An image that pfmon has seen has what was mapped when pfmon looked: nothing, if
 * the process was about to end. The rest is in the image that the kernel's records
 * of the same program make.
 */
static const struct image *recorded(const struct image *i)
{
	const char *process = i->process;

	while (i && !i->recorded)
		i = older(i);
	return i && i->process == process ? i : NULL;
}

/*
 * Of a sample without a time: the newest image that has the address. The oldest is
 * what the process was before it executed the program that is meant, so that an
 * address that no image has, as those of the kernel, is the newest one's.
 */
static const struct image *find_timeless(const struct space *space,
					 const struct sample *sample,
					 const struct mapping **map)
{
	const struct image *i = newest(space, sample->pid);

	for (; i; i = older(i)) {
		*map = find_mapping(i, sample->ip, UINT64_MAX);
		if (*map)
			return i;
	}
	return newest(space, sample->pid);
}

/*
 * The image that the process was then. If it does not have the address, the
 * process had executed another program before that was seen: the next one.
 */
static const struct image *find_image(const struct space *space,
				      const struct sample *sample,
				      const struct mapping **map)
{
	const struct image *i = newest(space, sample->pid), *then = NULL;
	const struct image *next = NULL;

	*map = NULL;
	if (!sample->time)
		return find_timeless(space, sample, map);
	for (; i && !then; i = older(i)) {
		if (i->time <= sample->time || !older(i))
			then = i;
		else
			next = i;
	}
	if (!then)
		return NULL;
	*map = find_mapping(then, sample->ip, sample->time);
	if (!*map && recorded(then))
		*map = find_mapping(recorded(then), sample->ip, sample->time);
	if (*map || !next)
		return then;
	*map = find_mapping(next, sample->ip, sample->time);
	return *map ? next : then;
}

/* Addresses of the kernel are others after the next boot. */
static bool same_boot(const char *boot)
{
	char now[DF_BOOT_MAX];

	data_boot_id(now);
	return *boot && !strcmp(boot, now);
}

static void find_kernel(struct space *space, struct place *place)
{
	const struct symbol *symbol;

	if (!space->kernel_read) {
		space->kernel_read = true;
		if (!same_boot(space->boot))
			space->note = "symbols of the kernel are not known: it has been booted since, or is another one";
		else if (symtab_read_kallsyms(&space->kernel, "/proc/kallsyms"))
			space->note = "symbols of the kernel are not known: /proc/kallsyms does not show them (kptr_restrict)";
	}
	symbol = symtab_find(&space->kernel, place->addr);
	place->binary = text_intern(KERNEL);
	if (!symbol)
		return;
	place->symbol = symbol->name;
	place->offset = place->addr - symbol->addr;
	if (symbol->module) {
		char module[160];

		snprintf(module, sizeof(module), "[%s]", symbol->module);
		place->binary = text_intern(module);
	}
}

/* Is there another file now, or is the path one of another mount name space? */
static bool has_changed(const struct binary *b)
{
	struct identity now;

	return b->known && identity_read(&now, b->path) &&
	       !identity_same(&b->identity, &now);
}

static void read_binary(struct space *space, struct binary *b)
{
	size_t len = strlen(b->path), deleted = strlen(DELETED);

	b->read = true;
	if (*b->path != '/' ||
	    (len > deleted && !strcmp(b->path + len - deleted, DELETED)))
		return;
	b->changed = has_changed(b);
	if (b->changed)
		space->note = "files have changed since they were recorded, or are those of a container: their symbols are [changed]";
	else if (symtab_has_elf)
		symtab_read_elf(&b->symbols, b->path);
	else
		space->note = "this pfmon was built without libelf: symbols of programs are not known";
}

static void find_symbol(struct space *space, const struct mapping *map,
			struct place *place)
{
	const struct symbol *symbol;
	uint64_t addr;

	if (!map->binary->read)
		read_binary(space, map->binary);
	place->binary = map->binary->path;
	if (map->binary->changed)
		place->symbol = text_intern(PLACE_CHANGED);
	if (!symtab_addr(&map->binary->symbols,
			 place->addr - map->start + map->offset, &addr))
		return;
	place->addr = addr;
	symbol = symtab_find(&map->binary->symbols, addr);
	if (!symbol)
		return;
	place->symbol = symbol->name;
	place->offset = addr - symbol->addr;
}

/*
 * A name for a process that was never looked at. The kernel gives the number 0 to the idle
 * thread, which is never in a user address, and to processes outside of the pid name space
 * in which the recording was made.
 */
static const char *name_pid(const struct space *space, const struct sample *sample)
{
	int32_t pid = sample->pid;
	char name[32];

	if (!pid && sample->ip < space->kernel_base)
		return text_intern("[outside]");
	if (!pid)
		return text_intern(space->other_pids ? "[idle or outside]" : "[idle]");
	if (pid < 0)
		return text_intern(PLACE_UNKNOWN);
	snprintf(name, sizeof(name), "pid %d", pid);
	return text_intern(name);
}

void space_find(struct space *space, const struct sample *sample,
		struct place *place)
{
	const struct mapping *map;
	const struct image *image = find_image(space, sample, &map);

	place->process = image ? image->process : name_pid(space, sample);
	place->binary = place->symbol = text_intern(PLACE_UNKNOWN);
	place->addr = sample->ip;
	place->offset = 0;
	if (map)
		find_symbol(space, map, place);
	else if (sample->ip >= space->kernel_base)
		find_kernel(space, place);
}

const char *space_note(const struct space *space)
{
	return space->note;
}

void space_free(struct space *space)
{
	struct binary *b, *next_b;
	struct image *i, *next_i;
	unsigned int n;

	for (n = 0; n < BUCKETS; n++) {
		for (i = space->bucket[n]; i; i = next_i) {
			next_i = i->older;
			free(i->map);
			free(i);
		}
		for (b = space->binary[n]; b; b = next_b) {
			next_b = b->next;
			symtab_free(&b->symbols);
			free(b);
		}
	}
	symtab_free(&space->kernel);
	free(space->record);
	free(space);
}
