// SPDX-License-Identifier: GPL-2.0-only
/*
 * From a place in a file that was mapped to a symbol. The file that has the path now may
 * be another one: it was built anew, it is of another machine, or of another mount name
 * space, as containers have them.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <err.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "binary.h"
#include "require.h"
#include "debugfile.h"
#include "jit.h"
#include "keys.h"
#include "text.h"
#include "vdso.h"

#define BUCKETS		4096
#define DELETED		" (deleted)"

struct binaries {
	struct binary *bucket[BUCKETS];
	struct keys numbers;	/* of records ... */
	struct binary **numbered;	/* ... and whose they are */
	size_t numbered_room;
	struct binary *last;	/* that was added */
	bool anonymous;		/* the recorder did not look which files they are */
	char *archive;		/* where copies of them may be, NULL: nowhere */
	unsigned int count[BINARY_STATES];
	unsigned int without_lines;
};

static int (*opener)(uint32_t number);

void binaries_opener(int (*open)(uint32_t number))
{
	opener = open;
}

bool binary_archived(const char *dir, const struct binary *b, char *path)
{
	char hex[BUILD_ID_HEX];

	identity_hex(&b->identity, hex);
	return b->known && *hex && snprintf(path, PATH_MAX, "%s/%s", dir, hex) < PATH_MAX;
}

struct binaries *binaries_new(const struct df_header *header, const char *archive)
{
	struct binaries *binaries = calloc(1, sizeof(*binaries));

	if (!binaries)
		err(EXIT_PFMON, NULL);
	binaries->archive = archive ? strdup(archive) : NULL;
	if (archive && !binaries->archive)
		err(EXIT_PFMON, NULL);
	debugfile_archive(binaries->archive);
	/* A file of another kind of machine is another one. */
	binaries->anonymous = !header->minor && header->order == DF_ORDER;
	return binaries;
}

static struct binary **bucket_of(struct binaries *binaries, const char *path)
{
	return &binaries->bucket[((uintptr_t)path >> 4) % BUCKETS];
}

static struct binary *add(struct binaries *binaries, const char *path, uint32_t number)
{
	struct binary **bucket = bucket_of(binaries, path), *b = calloc(1, sizeof(*b));

	if (!b)
		err(EXIT_PFMON, NULL);
	b->path = path;
	b->name = text_intern(path);
	b->number = number;
	b->next = *bucket;
	*bucket = b;
	return b;
}

struct binary *binaries_find(struct binaries *binaries, const char *path,
			     uint32_t number, int32_t pid)
{
	struct binary *b;

	path = text_keep(path);
	b = *bucket_of(binaries, path);
	while (b && (b->path != path || b->number != number))
		b = b->next;
	if (!b)
		b = add(binaries, path, number);
	if (!b->pid)
		b->pid = pid;
	return b;
}

/* Is it not known where one of the two is, or is it the same place? */
static bool may_be_at(const struct binary *b, const struct df_inode *at)
{
	return !b->inode.inode || !at->inode || !memcmp(&b->inode, at, sizeof(*at));
}

struct binary *binaries_find_map(struct binaries *binaries, const char *path, int32_t pid,
				 const struct df_inode *at)
{
	struct binary *b, *found = NULL;

	path = text_keep(path);
	for (b = *bucket_of(binaries, path); b; b = b->next) {
		if (b->path != path || !b->known || !may_be_at(b, at))
			continue;
		/* It may be any of several. */
		if (found && !identity_same(&found->identity, &b->identity))
			return binaries_find(binaries, path, 0, pid);
		found = b;
	}
	return found ? found : binaries_find(binaries, path, 0, pid);
}

static void set_number(struct binaries *binaries, struct binary *b)
{
	size_t n = keys_number(&binaries->numbers, &b->number, sizeof(b->number));

	if (n >= binaries->numbered_room) {
		binaries->numbered_room = n ? 2 * n : 64;
		binaries->numbered = reallocarray(binaries->numbered, binaries->numbered_room,
						  sizeof(struct binary *));
		if (!binaries->numbered)
			err(EXIT_PFMON, NULL);
	}
	binaries->numbered[n] = b;
}

void binaries_add(struct binaries *binaries, const struct data_binary *data)
{
	struct binary *b = binaries_find(binaries, data->path, data->binary->number, 0);
	uint32_t i;

	b->identity = (struct identity){
		.size = data->binary->size, .mtime = data->binary->mtime,
		.id_size = data->binary->id_size,
	};
	memcpy(b->identity.id, data->binary->id, sizeof(data->binary->id));
	for (i = 0; i < data->segments && !b->known; i++)
		symtab_add_segment(&b->symbols, &(struct segment){
			data->segment[i].offset, data->segment[i].size,
			data->segment[i].addr });
	b->known = true;
	binaries->last = b;
	set_number(binaries, b);
}

void binaries_add_symbols(struct binaries *binaries, const struct data_symbols *s)
{
	const char *name = s->names;
	struct binary *b;
	size_t n;
	uint32_t i;

	if (!keys_find(&binaries->numbers, &s->symbols->binary, sizeof(s->symbols->binary), &n))
		return;
	b = binaries->numbered[n];
	for (i = 0; i < s->symbols->symbols; i++, name += strlen(name) + 1)
		if (*name && s->symbols->symbol[i].size)
			symtab_add(&b->kept, &(struct symbol){
				.addr = s->symbols->symbol[i].addr,
				.size = s->symbols->symbol[i].size, .name = text_keep(name) });
}

void binaries_add_inode(struct binaries *binaries, const struct df_inode *inode)
{
	if (binaries->last)
		binaries->last->inode = *inode;
}

/* The path without what the kernel says of it. */
static void clean_path(const char *path, char clean[PATH_MAX])
{
	size_t len = strlen(path), deleted = strlen(DELETED);

	if (len > deleted && !strcmp(path + len - deleted, DELETED))
		len -= deleted;
	snprintf(clean, PATH_MAX, "%.*s", (int)len, path);
}

/* Where it was, here or as the process has it; @other: there is another file. */
static int open_path(const struct binary *b, const char *path, bool *other)
{
	struct identity theirs;
	struct stat st;
	int fd = identity_open_same(&b->identity, path, other);

	if (fd >= 0 || b->pid <= 0)
		return fd;
	fd = identity_open_of(b->pid, path, &st);
	if (fd < 0)
		return -1;
	identity_of(&theirs, fd, &st);
	if (identity_same(&b->identity, &theirs))
		return fd;
	close(fd);
	return -1;
}

/*
 * A file that has no path any more, or never had one, is there as long as a process runs it,
 * or, for root, has it mapped. @path: receives where it is.
 */
static int open_running(const struct binary *b, char path[PATH_MAX])
{
	struct dirent *entry;
	bool other = false;
	struct stat st;
	int fd, len;
	DIR *dir;

	if (b->pid <= 0)
		return -1;
	snprintf(path, PATH_MAX, "/proc/%d/exe", (int)b->pid);
	fd = identity_open_same(&b->identity, path, &other);
	len = snprintf(path, PATH_MAX, "/proc/%d/map_files/", (int)b->pid);
	dir = fd < 0 && b->inode.inode ? opendir(path) : NULL;
	while (dir && fd < 0 && (entry = readdir(dir))) {
		snprintf(path + len, PATH_MAX - (size_t)len, "%s", entry->d_name);
		if (!stat(path, &st) && st.st_ino == b->inode.inode)
			fd = identity_open_same(&b->identity, path, &other);
	}
	if (dir)
		closedir(dir);
	return fd;
}

/* One that whoever has recorded it has kept open. */
static int open_kept(const struct binary *b)
{
	int fd = opener && b->number ? opener(b->number) : -1;
	struct identity found;
	struct stat st;

	if (fd < 0)
		return -1;
	if (!fstat(fd, &st)) {
		identity_of(&found, fd, &st);
		if (identity_same(&b->identity, &found))
			return fd;
	}
	close(fd);
	return -1;
}

/* @path: receives where it is. */
static int open_recorded(const struct binaries *binaries, const struct binary *b, char path[PATH_MAX],
			 bool *other)
{
	unsigned int n, places = b->symbols.segments ? DEBUGFILE_PLACES : DEBUGFILE_FIRST;
	int fd;

	if (!strcmp(b->path, VDSO)) {
		fd = vdso_open(&b->identity);
		if (fd < 0 && binaries->archive && binary_archived(binaries->archive, b, path))
			fd = identity_open_same(&b->identity, path, other);
		return fd;
	}
	/* A file can have a name that ends so. */
	snprintf(path, PATH_MAX, "%s", b->path);
	fd = open_path(b, path, other);
	if (fd < 0) {
		clean_path(b->path, path);
		fd = open_path(b, path, other);
	}
	if (fd < 0)
		fd = open_kept(b);
	if (fd < 0)
		fd = open_running(b, path);
	if (fd < 0 && binaries->archive && binary_archived(binaries->archive, b, path))
		fd = identity_open_same(&b->identity, path, other);
	for (n = 0; n < places && fd < 0; n++)
		fd = debugfile_of_id(&b->identity, n, path);
	return fd;
}

static enum binary_state find_file(const struct binaries *binaries, struct binary *b)
{
	bool other = false, failed;
	char path[PATH_MAX];
	int fd;

	if (!b->known && binaries->anonymous)
		return symtab_read_elf(&b->symbols, b->path) ? BINARY_GONE : BINARY_FOUND;
	if (!b->known)
		return BINARY_STRANGE;
	/* It is no file, and without libelf nobody can tell which one it is. */
	if (!symtab_has_elf && !strcmp(b->path, VDSO))
		return BINARY_FOUND;
	fd = open_recorded(binaries, b, path, &other);
	if (fd < 0)
		return other ? BINARY_CHANGED : BINARY_GONE;
	failed = symtab_has_elf && symtab_read_fd(&b->symbols, fd, path);
	close(fd);
	return failed ? BINARY_UNREAD : BINARY_FOUND;
}

/* Where the file is of no use, what was kept of it is. */
static void find_symbols(const struct binaries *binaries, struct binary *b)
{
	if (*b->path == '/' || b->known)
		b->state = find_file(binaries, b);
	symtab_sort(&b->kept);
	if (b->kept.symbols && (b->state != BINARY_FOUND || !symtab_has_elf))
		b->state = BINARY_KEPT;
}

int binary_open(const struct binaries *binaries, const struct binary *b, char *path)
{
	bool other;
	struct stat st;

	if (b->known)
		return open_recorded(binaries, b, path, &other);
	snprintf(path, PATH_MAX, "%s", b->path);
	return binaries->anonymous ? identity_open(path, &st) : -1;
}

struct symbol *binary_symbol(struct binaries *binaries, struct binary *b,
			     uint64_t offset, uint64_t *addr)
{
	struct symbol *symbol;

	if (!b->read) {
		b->read = true;
		find_symbols(binaries, b);
		/* Of memory there is no file to be found. */
		if (!jit_may_be(b->path))
			binaries->count[b->state]++;
	}
	if (!symtab_addr(&b->symbols, offset, addr))
		return NULL;
	symbol = symtab_find(&b->symbols, *addr);
	return symbol ? symbol : symtab_find(&b->kept, *addr);
}

uint64_t binary_extent(const struct binary *b, const struct symbol *symbol)
{
	bool kept = b->kept.symbols && symbol >= b->kept.symbol &&
		    symbol < b->kept.symbol + b->kept.symbols;

	return symtab_extent(kept ? &b->kept : &b->symbols, symbol);
}

static void begin_lines(struct binaries *binaries, struct binary *b)
{
	b->lines_tried = true;
	if (b->state != BINARY_FOUND)
		return;
	b->lines = lines_new(&b->symbols);
	/* Memory has no file. */
	if (!b->lines)
		binaries->without_lines += symtab_has_elf && *b->path == '/';
}

void binary_lines(struct binaries *binaries, struct binary *b, uint64_t addr,
		  struct lines_found *found)
{
	found->frames = 0;
	if (!b->lines_tried)
		begin_lines(binaries, b);
	if (!b->lines || lines_find(b->lines, addr, found))
		return;
	binaries->without_lines++;
	reader_free(b->lines);
	b->lines = NULL;
}

enum cfi_result binary_step(struct binary *b, uint64_t offset, struct cfi_state *state)
{
	uint64_t addr;

	if (b->state != BINARY_FOUND)
		return CFI_END;
	if (!b->cfi_tried)
		b->cfi = cfi_new(&b->symbols);
	b->cfi_tried = true;
	if (!b->cfi || !symtab_addr(&b->symbols, offset, &addr))
		return CFI_NONE;
	return cfi_step(b->cfi, addr, state);
}

unsigned int binaries_without_lines(const struct binaries *binaries)
{
	return binaries->without_lines;
}

unsigned int binaries_count(const struct binaries *binaries, enum binary_state state)
{
	return binaries->count[state];
}

void binaries_free(struct binaries *binaries)
{
	struct binary *b, *next;
	unsigned int n;

	for (n = 0; n < BUCKETS; n++) {
		for (b = binaries->bucket[n]; b; b = next) {
			next = b->next;
			reader_free(b->lines);
			cfi_free(b->cfi);
			symtab_free(&b->symbols);
			symtab_free(&b->kept);
			free(b);
		}
	}
	keys_free(&binaries->numbers);
	free(binaries->numbered);
	debugfile_archive(NULL);
	free(binaries->archive);
	free(binaries);
}
