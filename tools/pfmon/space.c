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
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "binary.h"
#include "require.h"
#include "jit.h"
#include "kernel.h"
#include "keys.h"
#include "layers.h"
#include "space.h"
#include "text.h"

#define GENERATIONS	64		/* of processes that only fork */
#define LATE_NS		2000000000	/* looks at a process are less apart */
#define FOUND_LEAST	4096		/* powers of two */
#define FOUND_MOST	(1U << 19)

struct mapping {
	uint64_t time, start, end, offset;
	uint64_t reach;		/* the highest end of this one and those before it */
	size_t number;		/* in the order in which they were added */
	bool recorded;		/* the kernel has said so: the time is right */
	struct binary *binary;
};

/* Of the mappings that an address was in. */
struct choice {
	bool timeless;		/* the sample is one of no time, or several of which that is the first's */
	bool several;		/* of which another time would have another one */
	bool guessed;		/* of different files, and the time of the change is not known */
	bool late;		/* it is of a file that was seen long after the sample */
};

struct image {
	int32_t pid;
	int32_t parent;		/* see struct df_process */
	uint64_t time;
	const char *process;
	bool recorded;		/* the kernel has said so: the time is right */
	const struct image *said;	/* by space_complete(): the last one of which that is
					 * so, this one or one before it; or NULL */
	size_t maps, room;
	struct mapping *map;	/* by space_complete() in the order of start */
	struct jit *jit;	/* code that it has made, or NULL */
};

/* The newest image that has addresses mapped. */
struct newest {
	uint64_t start, end;
	const struct image *image;
};

/* All that a process was, the oldest first. */
struct process {
	struct image **image;
	size_t images, room;
	bool layered;		/* since space_complete(): for samples without a time ... */
	struct newest *newest;	/* ... in the order of addresses */
	size_t newests, newest_room;
};

/* What is recorded; path NULL: an exec(), or, with a child, a fork(). */
struct record {
	int32_t pid, child;
	const char *comm;
	const char *path;
	struct df_inode file;
	struct mapping map;
};

/* A place that was found: samples have the same calls again and again. */
struct found {
	bool valid;
	int32_t pid;
	const struct image *image;	/* what the process was then; NULL: at no time */
	uint64_t ip;
	struct place place;
};

struct space {
	uint64_t kernel_base;
	bool other_pids;
	struct keys pids;
	struct process *process;	/* by the number of its pid */
	size_t process_room;
	size_t last;			/* number, from 1, of the one that was found last */
	int32_t last_pid;
	struct binaries *binaries;
	struct record *record;
	size_t records, record_room;
	struct kernel *kernel;
	char note[BINARY_STATES][160];
	char lines_note[160];
	struct keys makers;		/* programs of processes that have said what code they made */
	const struct image **maker;	/* by the number of its key: the newest such image */
	size_t maker_room;
	bool jit_is_part;		/* names of code that processes have made are missing */
	unsigned int source;		/* that is looked for: enum space_source */
	struct keys inlined;		/* lists of functions that are at one place */
	bool guessed, late;		/* struct choice: of an address that was looked up */
	struct found *found;		/* each at its hash, or behind it */
	size_t founds, found_room;
	uint32_t numbers;		/* that places have got */
};

struct space *space_new(const struct df_header *header, const char *archive)
{
	struct space *space = calloc(1, sizeof(*space));

	if (!space)
		err(EXIT_PFMON, NULL);
	space->kernel_base = header->kernel_base;
	space->other_pids = header->flags & DF_OTHER_PIDS;
	space->binaries = binaries_new(header, archive);
	space->kernel = kernel_new(header, "");
	return space;
}

static const struct process *find_process(const struct space *space, int32_t pid)
{
	size_t n;

	return keys_find(&space->pids, &pid, sizeof(pid), &n) ? &space->process[n] : NULL;
}

static struct process *get_process(struct space *space, int32_t pid)
{
	size_t n = keys_number(&space->pids, &pid, sizeof(pid));

	if (n == space->process_room) {
		space->process_room = n ? 2 * n : 64;
		space->process = reallocarray(space->process, space->process_room,
					      sizeof(*space->process));
		if (!space->process)
			err(EXIT_PFMON, NULL);
		memset(&space->process[n], 0,
		       (space->process_room - n) * sizeof(*space->process));
	}
	return &space->process[n];
}

/* How many of its images had begun at that time. */
static size_t begun(const struct process *p, uint64_t time)
{
	size_t low = 0, high = p->images, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (p->image[mid]->time <= time)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static struct image *newest(const struct space *space, int32_t pid)
{
	const struct process *p = find_process(space, pid);

	return p && p->images ? p->image[p->images - 1] : NULL;
}

static struct image *add_image(struct space *space, int32_t pid, uint64_t time,
			       const char *name)
{
	struct process *p = get_process(space, pid);
	struct image *i = calloc(1, sizeof(*i));
	size_t at = begun(p, time);

	if (p->images == p->room) {
		p->room = p->room ? 2 * p->room : 1;
		p->image = reallocarray(p->image, p->room, sizeof(struct image *));
	}
	if (!i || !p->image)
		err(EXIT_PFMON, NULL);
	*i = (struct image){ .pid = pid, .time = time, .process = name };
	memmove(&p->image[at + 1], &p->image[at], (p->images - at) * sizeof(struct image *));
	p->image[at] = i;
	p->images++;
	return i;
}

void space_add_process(struct space *space, const struct data_process *p)
{
	struct image *i = add_image(space, p->process->pid, p->process->time,
				    text_intern(p->comm));

	i->parent = p->process->parent;
}

void space_add_binary(struct space *space, const struct data_binary *b)
{
	binaries_add(space->binaries, b);
}

void space_add_inode(struct space *space, const struct df_inode *inode)
{
	binaries_add_inode(space->binaries, inode);
}

void space_add_symbols(struct space *space, const struct data_symbols *s)
{
	if (s->symbols->binary)
		binaries_add_symbols(space->binaries, s);
	else
		kernel_add_symbols(space->kernel, s);
}

uint32_t space_binary(const struct mapping *mapping)
{
	return mapping ? mapping->binary->number : 0;
}

void space_add_module(struct space *space, const struct data_module *m)
{
	kernel_add_module(space->kernel, m);
}

static void forget_found(struct space *space)
{
	if (space->founds)
		memset(space->found, 0, space->found_room * sizeof(*space->found));
	space->founds = 0;
}

/* By which a program of a process is found. */
struct maker {
	const char *program;
	intptr_t pid;		/* as wide: there is no padding */
};

static struct maker maker_of(const struct image *i)
{
	return (struct maker){ i->process, i->pid };
}

static void set_maker(struct space *space, const struct image *i)
{
	const struct maker maker = maker_of(i);
	size_t n = keys_number(&space->makers, &maker, sizeof(maker));

	if (n >= space->maker_room) {
		space->maker_room = n ? 2 * n : 64;
		space->maker = reallocarray(space->maker, space->maker_room,
					    sizeof(struct image *));
		if (!space->maker)
			err(EXIT_PFMON, NULL);
	}
	space->maker[n] = i;
}

void space_add_jit(struct space *space, const struct data_jit *j)
{
	struct image *i = newest(space, j->jit->pid);

	if (!i)
		return;
	jit_add(&i->jit, j->text);
	set_maker(space, i);
	space->jit_is_part |= j->jit->flags & DF_JIT_PART || jit_is_part(i->jit);
	/* Places that had no name may have one now, or another one. */
	forget_found(space);
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
		.offset = m->map->offset,
		.binary = binaries_find(space->binaries, m->path, m->map->binary,
					m->map->pid),
	};

	if (!i)
		i = add_image(space, m->map->pid, m->map->time,
			      text_intern(PLACE_UNKNOWN));
	add_mapping(i, &map);
}

void space_add_record(struct space *space, const struct pmon_map *map)
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
		.pid = map->pid, .child = map->child,
		.file = { map->major, map->minor, map->inode },
		.map = { .time = map->time, .start = map->start,
			 .end = map->end, .offset = map->offset, .recorded = true },
	};
	if (map->path)
		r->path = text_keep(map->path);
	else if (map->comm)
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
	const struct process *p = find_process(space, pid);
	size_t n = p ? begun(p, time) : 0;

	return !p || !p->images ? NULL : p->image[n ? n - 1 : 0];
}

static int by_start(const void *a, const void *b)
{
	const struct mapping *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return (x->number > y->number) - (x->number < y->number);
}

static void sort_mappings(struct image *i)
{
	const struct mapping *said = NULL;
	uint64_t reach = 0;
	struct mapping *m;

	if (!i->maps)
		return;
	qsort(i->map, i->maps, sizeof(*i->map), by_start);
	for (m = i->map; m < i->map + i->maps; m++) {
		if (m->end > reach)
			reach = m->end;
		m->reach = reach;
		/* What pfmon has seen the kernel may have recorded before that. */
		if (m->recorded)
			said = m;
		else if (said && said->start == m->start)
			m->recorded = said->binary == m->binary;
	}
}

/* A process that only forks is what its parent was then, and has what that had mapped. */
static void add_child(struct space *space, const struct record *r)
{
	const struct image *parent = image_at(space, r->pid, r->map.time);
	struct image *i;

	i = add_image(space, r->child, r->map.time,
		      parent ? parent->process : text_intern(PLACE_UNKNOWN));
	i->parent = r->pid;
	i->recorded = true;
}

void space_complete(struct space *space)
{
	struct record *r = space->record, *end = r ? r + space->records : r;
	struct image *i;
	size_t n, k;

	if (space->records)
		qsort(r, space->records, sizeof(*r), by_time);
	for (; r < end; r++) {
		if (!r->path && !r->comm) {
			add_child(space, r);
			continue;
		}
		if (!r->path) {
			i = add_image(space, r->pid, r->map.time, r->comm);
			i->recorded = true;
			continue;
		}
		i = image_at(space, r->pid, r->map.time);
		if (!i)
			i = add_image(space, r->pid, r->map.time,
				      text_intern(PLACE_UNKNOWN));
		r->map.binary = binaries_find_map(space->binaries, r->path, r->pid, &r->file);
		add_mapping(i, &r->map);
	}
	/* What was found before may be in something that was mapped since. */
	forget_found(space);
	free(space->record);
	space->record = NULL;
	space->records = space->record_room = 0;
	for (n = 0; n < space->pids.n; n++) {
		space->process[n].layered = false;
		for (k = 0; k < space->process[n].images; k++) {
			i = space->process[n].image[k];
			i->said = i->recorded ? i : k ? space->process[n].image[k - 1]->said : NULL;
			sort_mappings(i);
		}
	}
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

/*
 * Of two the older one was there until the other one came, and it is known when that was if
 * the kernel has recorded it. That does not help a sample that has no time.
 */
static bool is_guess(const struct mapping *a, const struct mapping *b,
		     const struct choice *choice)
{
	const struct mapping *later = a->time > b->time ? a : b;

	return a->binary != b->binary && (!later->recorded || choice->timeless);
}

/* The last that was seen before the sample, or else the first after it. */
static const struct mapping *find_mapping(const struct image *i, uint64_t ip,
					  uint64_t time, struct choice *choice)
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
		if (found) {
			choice->several = true;
			choice->guessed |= is_guess(&i->map[n - 1], found, choice);
		}
		if (!found || better(&i->map[n - 1], found, time))
			found = &i->map[n - 1];
	}
	choice->late |= found && !found->recorded && found->time > LATE_NS &&
			found->time - LATE_NS > time;
	return found;
}

/*
 * An image that pfmon has seen has what was mapped when pfmon looked: nothing, if
 * the process was about to end. The rest is in the image that the kernel's records
 * of the same program make.
 */
static const struct image *recorded(const struct image *i)
{
	return i->said && i->said->process == i->process ? i->said : NULL;
}

static void add_newest(void *arg, const struct layer *top, uint64_t from, uint64_t to)
{
	struct process *p = arg;

	if (p->newests == p->newest_room) {
		p->newest_room = p->newests ? 2 * p->newests : 64;
		p->newest = reallocarray(p->newest, p->newest_room, sizeof(*p->newest));
		if (!p->newest)
			err(EXIT_PFMON, NULL);
	}
	p->newest[p->newests++] = (struct newest){ from, to, top->what };
}

static void layer_images(struct process *p)
{
	const struct mapping *m;
	struct layer *layer;
	size_t n = 0, k, i;

	for (k = 0; k < p->images; k++)
		n += p->image[k]->maps;
	layer = calloc(n + 1, sizeof(*layer));
	if (!layer)
		err(EXIT_PFMON, NULL);
	for (n = k = 0; k < p->images; k++)
		for (i = 0; i < p->image[k]->maps; i++) {
			m = &p->image[k]->map[i];
			layer[n++] = (struct layer){ m->start, m->end, k, p->image[k] };
		}
	p->newests = 0;
	layers_top(layer, n, add_newest, p);
	free(layer);
	p->layered = true;
}

/* Samples are often of the process that the one before them was of, and their calls all are. */
static struct process *find_again(struct space *space, int32_t pid)
{
	const struct process *p;

	if (space->last && space->last_pid == pid)
		return &space->process[space->last - 1];
	p = find_process(space, pid);
	space->last = p ? (size_t)(p - space->process) + 1 : 0;
	space->last_pid = pid;
	return space->last ? &space->process[space->last - 1] : NULL;
}

/*
 * A sample without a time may be of any program that its process has executed: it is
 * the newest image's that has the address mapped. If none has, as of addresses of the
 * kernel, it is the newest image's: the oldest is only what the process was before execve().
 */
static const struct image *find_timeless(struct space *space, const struct pmon_sample *sample,
					 const struct mapping **map, struct choice *choice)
{
	struct process *p = find_again(space, sample->pid);
	size_t low = 0, high, mid;

	if (!p || !p->images)
		return NULL;
	if (!p->layered)
		layer_images(p);
	for (high = p->newests; low < high;) {
		mid = low + (high - low) / 2;
		if (p->newest[mid].end <= sample->ip)
			low = mid + 1;
		else
			high = mid;
	}
	if (low == p->newests || p->newest[low].start > sample->ip)
		return p->image[p->images - 1];
	*map = find_mapping(p->newest[low].image, sample->ip, UINT64_MAX, choice);
	return p->newest[low].image;
}

/* What the process was at the time of a sample, and what it was after that, or NULL. */
static const struct image *image_then(struct space *space, const struct pmon_sample *sample,
				      const struct image **next)
{
	const struct process *p = find_again(space, sample->pid);
	size_t n = p ? begun(p, sample->time) : 0;

	n -= n > 0;
	*next = p && n + 1 < p->images ? p->image[n + 1] : NULL;
	return p && p->images ? p->image[n] : NULL;
}

static const struct mapping *find_in(const struct image *i, uint64_t ip, uint64_t time,
				     struct choice *choice)
{
	const struct mapping *map = find_mapping(i, ip, time, choice);

	return map || !recorded(i) ? map : find_mapping(recorded(i), ip, time, choice);
}

/* A process that has only forked has what its parent had then. */
static const struct mapping *find_in_parents(const struct space *space, const struct image *i,
					     uint64_t ip, struct choice *choice)
{
	const struct mapping *map = NULL;
	uint64_t born;
	unsigned int n;

	/* What a file says can be a circle. */
	for (n = 0; !map && n < GENERATIONS; n++) {
		if (!i->parent && recorded(i))
			i = recorded(i);
		if (!i->parent)
			break;
		born = i->time;
		i = image_at(space, i->parent, born);
		if (!i)
			break;
		map = find_in(i, ip, born, choice);
		if (map && map->recorded && map->time > born)
			map = NULL;
	}
	return map;
}

/*
 * The image that the process was then. If it does not have the address, the
 * process had executed another program before that was seen: the next one.
 */
static const struct image *find_image(const struct space *space, const struct image *then,
				      const struct image *next, const struct pmon_sample *sample,
				      const struct mapping **map, struct choice *choice)
{
	if (!then)
		return NULL;
	*map = find_in(then, sample->ip, sample->time, choice);
	if (!*map)
		*map = find_in_parents(space, then, sample->ip, choice);
	if (*map || !next)
		return then;
	*map = find_mapping(next, sample->ip, sample->time, choice);
	return *map ? next : then;
}

static void find_kernel(struct space *space, struct place *place)
{
	struct kernel_place found;

	kernel_find(space->kernel, place->addr, &found);
	place->binary = found.binary;
	place->offset = found.offset;
	place->size = found.size;
	if (found.symbol)
		place->symbol = found.symbol;
	else if (found.changed)
		place->symbol = text_intern(PLACE_CHANGED);
}

/* What the process said of its code; the kernel's records make images of their own. */
static struct jit *jit_of(const struct space *space, const struct image *image)
{
	const struct maker maker = maker_of(image);
	size_t n;

	if (image->jit)
		return image->jit;
	return keys_find(&space->makers, &maker, sizeof(maker), &n) ? space->maker[n]->jit : NULL;
}

/* A child runs what its parent has made, until it executes a program. */
static struct symbol *find_jit(const struct space *space, const struct image *image,
			       uint64_t addr)
{
	struct symbol *symbol = jit_find(jit_of(space, image), addr);
	unsigned int n;

	/* What a file says can be a circle. */
	for (n = 0; !symbol && image && image->parent && n < GENERATIONS; n++) {
		image = image_at(space, image->parent, image->time);
		symbol = image ? jit_find(jit_of(space, image), addr) : NULL;
	}
	return symbol;
}

/* Code that a process had only until it was looked at has a name, if the process says so. */
static void find_made(const struct space *space, const struct image *image,
		      struct place *place)
{
	struct symbol *symbol = find_jit(space, image, place->addr);

	if (!symbol)
		return;
	place->binary = text_intern("[anonymous]");
	place->symbol = symtab_name(symbol);
	place->offset = place->addr - symbol->addr;
}

void space_source(struct space *space, unsigned int what)
{
	space->source = what;
}

/* Places have it for as long as the space is there. */
static void find_source(struct space *space, struct binary *binary, struct place *place)
{
	struct inlined list[LINES_FRAMES];
	struct lines_found found;
	unsigned int i;
	size_t n;

	binary_lines(space->binaries, binary, place->addr, &found);
	if (!found.frames)
		return;
	place->line = lines_short(&found.frame[0]);
	if (!(space->source & SPACE_INLINED) || found.frames < 2)
		return;
	for (i = 0; i < found.frames; i++)
		list[i] = (struct inlined){ found.frame[i].function ? found.frame[i].function :
					    place->symbol, lines_short(&found.frame[i]) };
	n = keys_number(&space->inlined, list, found.frames * sizeof(*list));
	place->inlined = found.frames - 1;
	place->inline_of = space->inlined.key[n].data;
}

static void find_symbol(struct space *space, const struct image *image,
			const struct mapping *map, struct place *place)
{
	struct binary *binary = map->binary;
	uint64_t addr = place->addr;
	struct symbol *symbol = binary_symbol(space->binaries, binary,
					      addr - map->start + map->offset, &place->addr);

	place->binary = binary->name;
	if (!symbol && jit_may_be(binary->path))
		symbol = find_jit(space, image, addr);
	if (symbol) {
		place->symbol = symtab_name(symbol);
		place->offset = place->addr - symbol->addr;
		place->size = binary_extent(binary, symbol);
	} else if (binary->state == BINARY_CHANGED) {
		place->symbol = text_intern(PLACE_CHANGED);
	}
	/* It can be known without a symbol. */
	if (space->source && binary->state == BINARY_FOUND)
		find_source(space, binary, place);
}

/*
 * A name for a process that was never looked at. The kernel gives the number 0 to the idle
 * thread, which is never in a user address, and to processes outside of the pid name space
 * in which the recording was made.
 */
static const char *name_pid(const struct space *space, const struct pmon_sample *sample)
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

/* What stands for a place in a chain: of one without a name, what it is part of. */
static const char *call_name(const struct place *place)
{
	const char *base, *call;
	char *name;

	if (strcmp(place->symbol, PLACE_UNKNOWN) && strcmp(place->symbol, PLACE_CHANGED))
		return place->symbol;
	if (*place->binary == '[')
		return place->binary;
	base = strrchr(place->binary, '/');
	if (asprintf(&name, "[%s]", base ? base + 1 : place->binary) < 0)
		err(EXIT_PFMON, NULL);
	call = text_intern(name);
	free(name);
	return call;
}

static void make_place(struct space *space, const struct pmon_sample *sample,
		       const struct image *image, const struct mapping *map,
		       struct place *place)
{
	*place = (struct place){
		.process = image ? image->process : name_pid(space, sample),
		.binary = text_intern(PLACE_UNKNOWN),
		.symbol = text_intern(PLACE_UNKNOWN),
		.addr = sample->ip,
		.mapping = map,
	};
	if (map)
		find_symbol(space, image, map, place);
	else if (sample->ip >= space->kernel_base)
		find_kernel(space, place);
	else if (image)
		find_made(space, image, place);
	place->call = call_name(place);
}

/* Where a place is among those that were found, or where it would be. */
static struct found *find_found(const struct space *space, int32_t pid,
				const struct image *then, uint64_t ip)
{
	uint64_t h = (ip ^ (uintptr_t)then ^ (uint32_t)pid) * 0x9e3779b97f4a7c15;
	size_t mask = space->found_room - 1, at = h >> 32 & mask;
	struct found *f = &space->found[at];

	while (f->valid && (f->ip != ip || f->image != then || f->pid != pid)) {
		at = (at + 1) & mask;
		f = &space->found[at];
	}
	return f;
}

/* Room for one more: half of it is always free. Of too many all are forgotten. */
static void more_found(struct space *space)
{
	struct found *old = space->found, *f;
	size_t room = space->found_room, i;

	if (old && 2 * space->founds < room)
		return;
	space->found_room = !room ? FOUND_LEAST : room < FOUND_MOST ? 2 * room : room;
	space->found = calloc(space->found_room, sizeof(*f));
	if (!space->found)
		err(EXIT_PFMON, NULL);
	if (space->found_room == room)
		space->founds = 0;
	for (i = 0; i < room && space->found_room > room; i++) {
		f = &old[i];
		if (f->valid)
			*find_found(space, f->pid, f->image, f->ip) = *f;
	}
	free(old);
}

/* What the reader has to know is said once, of whichever address it was. */
static void remember(struct space *space, const struct choice *choice)
{
	space->guessed |= choice->guessed;
	space->late |= choice->late;
}

void space_find(struct space *space, const struct pmon_sample *sample,
		struct place *place)
{
	const struct image *then = NULL, *next = NULL, *image;
	const struct mapping *map = NULL;
	struct choice choice = { .timeless = !sample->time || sample->count > 1 };
	struct found *f;

	if (sample->time)
		then = image_then(space, sample, &next);
	more_found(space);
	f = find_found(space, sample->pid, then, sample->ip);
	if (f->valid) {
		*place = f->place;
		return;
	}
	image = sample->time ? find_image(space, then, next, sample, &map, &choice) :
			       find_timeless(space, sample, &map, &choice);
	remember(space, &choice);
	make_place(space, sample, image, map, place);
	/* At another time it may be another one. */
	if (sample->time && choice.several)
		return;
	place->number = ++space->numbers;
	*f = (struct found){ true, sample->pid, then, sample->ip, *place };
	space->founds++;
}

bool space_is_code(struct space *space, const struct pmon_sample *sample)
{
	struct place place;

	space_find(space, sample, &place);
	return place.mapping || !strcmp(place.binary, "[anonymous]");
}

/* Code that a process has made has no file, and so nothing that says how its frames are. */
enum cfi_result space_step(struct space *space, const struct pmon_sample *sample,
			   struct cfi_state *state)
{
	const struct mapping *map;
	struct place place;

	space_find(space, sample, &place);
	map = place.mapping;
	if (!map || jit_may_be(map->binary->path))
		return CFI_NONE;
	return binary_step(map->binary, sample->ip - map->start + map->offset, state);
}

struct mapped space_mapped(const struct mapping *mapping)
{
	if (!mapping)
		return (struct mapped){ 0 };
	return (struct mapped){
		.start = mapping->start, .end = mapping->end, .offset = mapping->offset,
		.identity = mapping->binary->known ? &mapping->binary->identity : NULL,
	};
}

int space_open(struct space *space, const struct mapping *mapping, char *path)
{
	return binary_open(space->binaries, mapping->binary, path);
}

void space_lines(struct space *space, const struct mapping *mapping, uint64_t addr,
		 struct lines_found *found)
{
	binary_lines(space->binaries, mapping->binary, addr, found);
}

static const char *tell(struct space *space, enum binary_state state)
{
	static const char *const formats[BINARY_STATES] = {
		[BINARY_CHANGED] = "files that have changed since they were recorded, or are those of a container: %u; their symbols are [changed]",
		[BINARY_GONE] = "files that are not there any more, or not on this machine: %u; their symbols are not known",
		[BINARY_UNREAD] = "files that are no programs, or too large for what others can change: %u; they have no symbols",
		[BINARY_KEPT] = "files that are not here, or are others by now: %u; their names are those that the recording has kept",
		[BINARY_STRANGE] = "files of which it was not recorded which ones they were: %u; their symbols are not known",
	};
	unsigned int n = binaries_count(space->binaries, state);

	if (!n)
		return NULL;
	snprintf(space->note[state], sizeof(space->note[state]), formats[state], n);
	return space->note[state];
}

static const char *tell_lines(struct space *space)
{
	unsigned int n = binaries_without_lines(space->binaries);

	if (!n)
		return NULL;
	snprintf(space->lines_note, sizeof(space->lines_note),
		 "files without debug information, or not with one that can be read: %u; their lines, and what was inlined, are not known",
		 n);
	return space->lines_note;
}

const char *space_note(struct space *space, unsigned int n)
{
	static const char none[] =
		"this pfmon was built without libdw: symbols of programs are not known";
	static const char part[] =
		"processes have said more of code that they have made than pfmon keeps: names of what they made first are missing";
	static const char guessed[] =
		"where one file was mapped after another it is not known when that was: some names may be those of the wrong file; -f callchain and calldouble (-g) have that time";
	static const char late[] =
		"some files were seen in a process only seconds after samples in them: another file may have been there before, and names be those of the wrong one; -f callchain and calldouble (-g) have the time";
	const char *notes[] = {
		kernel_note(space->kernel),
		tell(space, BINARY_CHANGED), tell(space, BINARY_GONE),
		tell(space, BINARY_KEPT),
		tell(space, BINARY_STRANGE), tell(space, BINARY_UNREAD),
		!symtab_has_elf && binaries_count(space->binaries, BINARY_FOUND) ? none : NULL,
		tell_lines(space),
		space->guessed ? guessed : NULL,
		space->late ? late : NULL,
		space->jit_is_part ? part : NULL,
	};
	unsigned int i;

	for (i = 0; i < sizeof(notes) / sizeof(notes[0]); i++)
		if (notes[i] && !n--)
			return notes[i];
	return NULL;
}

void space_free(struct space *space)
{
	struct process *p;
	size_t n, k;

	for (n = 0; n < space->pids.n; n++) {
		p = &space->process[n];
		for (k = 0; k < p->images; k++) {
			jit_free(p->image[k]->jit);
			free(p->image[k]->map);
			free(p->image[k]);
		}
		free(p->image);
		free(p->newest);
	}
	free(space->process);
	keys_free(&space->pids);
	keys_free(&space->inlined);
	keys_free(&space->makers);
	free(space->maker);
	free(space->found);
	binaries_free(space->binaries);
	kernel_free(space->kernel);
	free(space->record);
	free(space);
}
