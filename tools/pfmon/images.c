// SPDX-License-Identifier: GPL-2.0-only
/*
 * What processes have mapped. An image is what a process is between one exec()
 * and the next; all of it that was ever seen is written once.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "require.h"
#include "file.h"
#include "identity.h"
#include "images.h"
#include "jit.h"
#include "modules.h"
#include "result.h"
#include "symtab.h"
#include "vdso.h"

#define BUCKETS		4096
#define SWEEP		256	/* processes, at least, before those that are gone are freed */
#define GLANCE_NS	1000000000
#define COMM_MAX	64
#define GENERATIONS	64		/* parents, at most, that are looked at for a child */
#define SEGMENTS_MAX	256	/* of code, in a file: as many headers as are looked at */
#define PF_KTHREAD	0x00200000	/* of Linux: fs/proc/array.c shows it */
#define PATHLESS_MAX	64
#define JIT_MAX		(256ULL << 20)	/* bytes of names, of all processes */

/* Lines of /proc/PID/maps that are of code. */
struct lines {
	size_t n, room;
	uint64_t *hash;
	size_t files;		/* how many are of a file */
};

struct image {
	struct image *next;
	pid_t pid;
	uint64_t begun;		/* when the process did: numbers come again */
	pid_t via;		/* a thread of it that has not ended */
	uint64_t exe;		/* hash of its program's path, 0 if unknown */
	uint64_t stack;		/* where that began when the program was executed */
	char comm[COMM_MAX];
	uint64_t first;		/* when we looked, ... */
	uint64_t seen;		/* and did so last */
	struct lines last;	/* of its mappings, when we looked last ... */
	struct lines now;	/* ... and while we look */
	size_t at;		/* in @last: the line after the one that came again */
	bool gone;		/* code of a file was there, and was not at the next look */
	bool hidden;		/* /proc does not show it ... */
	bool closed;		/* ... or not what it has mapped, to this user ... */
	bool counted;		/* ... and is one of those that have samples */
	struct jit_file jit;	/* what it says of code that it has made */
	bool jit_is_part;	/* that not all of this is written is said */
};

/* What /proc/PID/stat says of a process. */
struct status {
	char comm[COMM_MAX];
	char state;
	pid_t parent;
	unsigned long flags;
	uint64_t begun, stack;
};

/* A file that was mapped. */
struct binary {
	struct binary *next;
	uint64_t hash;		/* of device, inode and path */
	uint32_t number;	/* of its record, 0: it could not be read */
};

struct images {
	struct data_writer *data;
	struct image *bucket[BUCKETS];
	size_t n, sweep;	/* images; when there are more of them we sweep */
	struct binary *binary[BUCKETS];
	uint32_t binaries;	/* that have a record */
	struct pathless {
		uint32_t number;
		int fd;
	} pathless[PATHLESS_MAX];	/* those that their paths do not lead to */
	unsigned int n_pathless;
	uint64_t jit;		/* bytes of names of code that processes have made */
	unsigned int depth;	/* of the parents that are looked at */
	unsigned int hidden, closed;	/* processes that are so, and have samples */
};

struct images *images_new(struct data_writer *data)
{
	struct images *images = calloc(1, sizeof(*images));

	if (!images)
		err(EXIT_PFMON, NULL);
	images->data = data;
	images->sweep = SWEEP;
	return images;
}

/* FNV-1a; never 0. */
static uint64_t hash(const char *text, size_t len)
{
	uint64_t h = 0xcbf29ce484222325;

	while (len--)
		h = (h ^ (unsigned char)*text++) * 0x100000001b3;
	return h | 1;
}

/* A file of a process: "" if there is none. */
static void read_proc(pid_t pid, const char *name, char *buf, size_t size)
{
	char path[48];

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	file_read(path, buf, size);
}

/*
 * "PID (NAME) STATE PARENT ...": the begin is the 22nd word, and the begin of the stack the
 * 28th. The name may have parentheses, and ends of lines.
 */
static bool read_stat(pid_t pid, struct status *s)
{
	char line[1024], *open, *close, *word;
	int i;

	read_proc(pid, "stat", line, sizeof(line));
	open = strchr(line, '(');
	close = strrchr(line, ')');
	if (!open || !close)
		return false;
	*close = '\0';
	snprintf(s->comm, COMM_MAX, "%s", open + 1);
	word = close + 1;
	for (i = 3; word && i <= 28; i++, word = strchr(word + 1, ' ')) {
		if (i == 3)
			s->state = word[1];
		else if (i == 4)
			s->parent = (pid_t)strtol(word, NULL, 10);
		else if (i == 9)
			s->flags = strtoul(word, NULL, 10);
		else if (i == 22)
			s->begun = strtoull(word, NULL, 10);
		else if (i == 28)
			s->stack = strtoull(word, NULL, 10);
	}
	return i > 28;
}

static uint64_t read_exe(pid_t pid)
{
	char path[48], exe[4096];
	ssize_t len;

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
	len = readlink(path, exe, sizeof(exe));
	return len > 0 ? hash(exe, (size_t)len) : 0;
}

/*
 * A first thread that has ended before the others has nothing mapped any more: one of those
 * that is there, or the first one if there is none.
 */
static pid_t living_thread(pid_t pid, char state)
{
	struct dirent *entry;
	char path[32];
	pid_t tid = 0;
	DIR *dir;

	if (state != 'Z')
		return pid;
	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	dir = opendir(path);
	while (dir && !tid && (entry = readdir(dir))) {
		tid = (pid_t)atoi(entry->d_name);
		if (tid <= 0 || tid == pid || !read_exe(tid))
			tid = 0;
	}
	if (dir)
		closedir(dir);
	return tid ? tid : pid;
}

static struct image *find(struct images *images, pid_t pid)
{
	struct image *i = images->bucket[(unsigned int)pid % BUCKETS];

	while (i && i->pid != pid)
		i = i->next;
	return i;
}

static void image_free(struct image *i)
{
	free(i->last.hash);
	free(i->now.hash);
	free(i);
}

/* Of a process that is gone nothing new is to be seen: a recording may go on for days. */
static void sweep(struct images *images)
{
	struct image **link, *i;
	unsigned int b;

	for (b = 0; b < BUCKETS; b++) {
		for (link = &images->bucket[b]; (i = *link); ) {
			if (!kill(i->pid, 0) || errno != ESRCH) {
				link = &i->next;
				continue;
			}
			*link = i->next;
			image_free(i);
			images->n--;
		}
	}
	images->sweep = images->n > SWEEP / 2 ? 2 * images->n : SWEEP;
}

static struct image *insert(struct images *images, pid_t pid)
{
	struct image *i = calloc(1, sizeof(*i));

	if (!i)
		err(EXIT_PFMON, NULL);
	if (images->n >= images->sweep)
		sweep(images);
	images->n++;
	i->pid = pid;
	i->next = images->bucket[(unsigned int)pid % BUCKETS];
	images->bucket[(unsigned int)pid % BUCKETS] = i;
	return i;
}

static void add_line(struct lines *lines, uint64_t line)
{
	if (lines->n == lines->room) {
		lines->room = lines->room ? 2 * lines->room : 16;
		lines->hash = reallocarray(lines->hash, lines->room, sizeof(*lines->hash));
		if (!lines->hash)
			err(EXIT_PFMON, NULL);
	}
	lines->hash[lines->n++] = line;
}

/* What a line of /proc/PID/maps says. */
struct line {
	struct df_map map;
	struct df_inode file;
	char *path;
	uint64_t hash;		/* of all of it */
	bool code;		/* it can be executed */
};

/*
 * Was it not there at the look before? One that was there, was gone, and is there again has
 * the address once more, which another one may have had meanwhile. The lines are in the
 * order of their addresses each time.
 */
static bool is_new(struct image *i, const struct line *line)
{
	bool is_file = line->file.inode;
	size_t n;

	add_line(&i->now, line->hash);
	i->now.files += is_file;
	for (n = i->at; n < i->last.n; n++) {
		if (i->last.hash[n] == line->hash) {
			i->at = n + 1;
			i->last.files -= is_file;
			return false;
		}
	}
	return true;
}

/*
 * What was there at this look is what was there at the one before the next. Of the files of
 * that one those are left that did not come again.
 */
static void end_look(struct image *i)
{
	struct lines last = i->last;

	i->gone |= last.files;
	i->last = i->now;
	i->now = last;
	i->now.n = i->now.files = 0;
	i->at = 0;
}

/*
 * Is it the file that the line is of? Of file systems that are made of others, as those of
 * containers are, or have parts of their own (btrfs), stat() has a device without a major
 * number where the kernel has that below.
 */
static bool is_meant(const struct line *line, const struct stat *st)
{
	return st->st_ino == line->file.inode &&
	       (!major(st->st_dev) || (major(st->st_dev) == line->file.major &&
				       minor(st->st_dev) == line->file.minor));
}

/* @fd, unless it is of another file. */
static int meant(const struct line *line, int fd, const struct stat *st)
{
	if (fd < 0 || is_meant(line, st))
		return fd;
	close(fd);
	return -1;
}

/*
 * The file that the process has mapped. Only root may open that itself. In its mount name
 * space its path may have been given to another one, or taken.
 */
static int open_mapped(pid_t pid, const struct line *line, struct stat *st)
{
	char exe[32];
	int fd = -1;

	if (line->map.end)
		fd = identity_open_map(pid, line->map.start, line->map.end, st);
	if (fd < 0)
		fd = meant(line, identity_open_of(pid, line->path, st), st);
	if (fd < 0) {
		snprintf(exe, sizeof(exe), "/proc/%d/exe", (int)pid);
		fd = meant(line, identity_open(exe, st), st);
	}
	return fd < 0 ? meant(line, identity_open(line->path, st), st) : fd;
}

static void write_binary(struct images *images, uint32_t number, int fd,
			 const struct stat *st, const char *path)
{
	struct segment segment[SEGMENTS_MAX];
	struct df_segment out[SEGMENTS_MAX];
	struct df_binary record = { .number = number };
	size_t n = symtab_segments(fd, segment, SEGMENTS_MAX), i;
	struct identity identity;

	identity_of(&identity, fd, st);
	record.size = identity.size;
	record.mtime = identity.mtime;
	record.id_size = identity.id_size;
	memcpy(record.id, identity.id, sizeof(record.id));
	for (i = 0; i < n; i++)
		out[i] = (struct df_segment){ segment[i].offset, segment[i].size,
					      segment[i].addr };
	data_binary(images->data, &record, path, out, n);
}

/* The one with this hash, which is added if it is new. */
static struct binary *find_known(struct images *images, uint64_t key, bool *is_known)
{
	struct binary **bucket = &images->binary[key % BUCKETS], *b;

	for (b = *bucket; b && b->hash != key; b = b->next)
		;
	*is_known = b;
	if (b)
		return b;
	b = calloc(1, sizeof(*b));
	if (!b)
		err(EXIT_PFMON, NULL);
	b->hash = key;
	b->next = *bucket;
	*bucket = b;
	return b;
}

static void see_module(void *arg, const struct df_module *module, const char *name)
{
	struct images *images = arg;
	uint64_t key = hash((const char *)module, sizeof(*module)) ^ hash(name, strlen(name));
	bool is_known;

	find_known(images, key, &is_known);
	if (!is_known)
		data_module(images->data, module, name);
}

void images_kernel(struct images *images)
{
	modules_read("", see_module, images);
}

/* What tells this file from others, before it was opened. */
static uint64_t key_of(const struct line *line, int fd)
{
	char bytes[4096];
	uint64_t key = hash(line->path, strlen(line->path)) * 31 ^
		       hash((const char *)&line->file, sizeof(line->file));
	ssize_t n, at;

	/* Of the vDSO there is one for 32 bits and one for 64. */
	for (at = 0; fd >= 0 && (n = pread(fd, bytes, sizeof(bytes), at)) > 0; at += n)
		key = (key * 31) ^ hash(bytes, (size_t)n);
	return key | 1;
}

/* Does its path lead to another file, or nowhere? Then it is kept open. */
static void keep_pathless(struct images *images, const struct binary *b, int fd,
			  const struct stat *st, const char *path)
{
	struct stat there;
	int kept;

	if (images->n_pathless == PATHLESS_MAX || *path != '/' ||
	    (!stat(path, &there) && there.st_dev == st->st_dev && there.st_ino == st->st_ino))
		return;
	kept = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (kept >= 0)
		images->pathless[images->n_pathless++] = (struct pathless){ b->number, kept };
}

int images_open(const struct images *images, uint32_t number)
{
	unsigned int i;

	for (i = 0; i < images->n_pathless; i++)
		if (images->pathless[i].number == number)
			return fcntl(images->pathless[i].fd, F_DUPFD_CLOEXEC, 0);
	return -1;
}

/* The number of the record of a file that was mapped. */
static uint32_t see_binary(struct images *images, pid_t pid, const struct line *line)
{
	struct binary *b;
	bool is_known;
	struct stat st;
	int fd = -1;

	if (!strcmp(line->path, VDSO))
		fd = vdso_copy(pid, line->map.start, line->map.end);
	b = find_known(images, key_of(line, fd), &is_known);
	if (!is_known && fd < 0)
		fd = open_mapped(pid, line, &st);
	if (!is_known && fd >= 0 && !fstat(fd, &st)) {
		b->number = ++images->binaries;
		write_binary(images, b->number, fd, &st, line->path);
		if (line->file.inode)
			data_inode(images->data, &line->file);
		keep_pathless(images, b, fd, &st, line->path);
	}
	if (fd >= 0)
		close(fd);
	return b->number;
}

/*
 * In a path the kernel writes the end of a line as "\012", and a path can have these four
 * characters: the link of the mapping, which is never longer, tells.
 */
static void unescape_path(pid_t via, const struct df_map *map, char *path)
{
	char link[80], *to = path;
	ssize_t len;

	if (!strstr(path, "\\012"))
		return;
	snprintf(link, sizeof(link), "/proc/%d/map_files/%" PRIx64 "-%" PRIx64, (int)via,
		 map->start, map->end);
	len = readlink(link, path, strlen(path));
	if (len > 0) {
		path[len] = '\0';
		return;
	}
	while (*path) {
		if (!strncmp(path, "\\012", 4)) {
			*to++ = '\n';
			path += 4;
		} else {
			*to++ = *path++;
		}
	}
	*to = '\0';
}

/* "START-END rwxp OFFSET DEVICE INODE   PATH" */
static bool parse_line(const struct image *i, char *text, struct line *line)
{
	char access[8];
	int path = 0;

	*line = (struct line){ .map = { .pid = i->pid, .time = i->seen } };
	text[strcspn(text, "\n")] = '\0';
	if (sscanf(text, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %x:%x %" SCNu64 " %n",
		   &line->map.start, &line->map.end, access, &line->map.offset,
		   &line->file.major, &line->file.minor, &line->file.inode, &path) != 7 ||
	    !path)
		return false;
	line->path = text + path;
	line->hash = hash(text, strlen(text));
	line->code = strchr(access, 'x');
	return true;
}

static void see_line(struct images *images, struct image *i, struct line *line)
{
	if (!line->code || !is_new(i, line))
		return;
	unescape_path(i->via, &line->map, line->path);
	if (*line->path == '/' || !strcmp(line->path, VDSO))
		line->map.binary = see_binary(images, i->via, line);
	data_map(images->data, &line->map, *line->path ? line->path : "[anonymous]");
}

/* Code in memory that has no file and no name, small pages or large ones. */
static bool is_anonymous(const struct line *line)
{
	return line->code && (!*line->path || !strncmp(line->path, "/anon_hugepage", 14));
}

/*
 * Some programs copy their own code to memory without a file, where large pages can be, and
 * have that in its place: then it lies within what is mapped of one file, without a gap on
 * either side. It becomes the file's, at the file's offset there.
 */
static void fill_hole(struct line *hole, const struct line *before, const struct line *after)
{
	if (!before->file.inode || memcmp(&before->file, &after->file, sizeof(after->file)) ||
	    before->map.end != hole->map.start || hole->map.end != after->map.start ||
	    after->map.offset - before->map.offset != after->map.start - before->map.start)
		return;
	hole->file = after->file;
	hole->path = after->path;
	hole->map.offset = before->map.offset + (hole->map.start - before->map.start);
}

/* The names of what it has compiled. */
static void see_jit(struct images *images, struct image *i)
{
	struct df_jit jit = { .pid = i->pid, .time = now_ns() };
	struct status s;
	char *text;

	while (!(i->jit_is_part && images->jit >= JIT_MAX) &&
	       (text = jit_read(i->pid, i->via, i->begun, &i->jit))) {
		if (images->jit >= JIT_MAX) {
			*text = '\0';
			i->jit.part = true;
		}
		jit.flags = i->jit.part && !i->jit_is_part ? DF_JIT_PART : 0;
		i->jit_is_part = i->jit.part;
		/* If it is gone this may have been of another one with its number. */
		if (read_stat(i->pid, &s) && s.begun == i->begun) {
			images->jit += strlen(text);
			data_jit(images->data, &jit, text);
		}
		free(text);
	}
}

static void read_maps(struct images *images, struct image *i, const struct status *s)
{
	struct line line, before = { 0 }, hole = { 0 };
	char path[48], *text = NULL, none[] = "";
	size_t size = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)i->via);
	f = fopen(path, "re");
	if (!f) {
		/* Of the kernel's own threads there is nothing to see. */
		i->closed = errno == EACCES && !(s->flags & PF_KTHREAD);
		return;
	}
	i->closed = false;
	while (getline(&text, &size, f) > 0) {
		if (!parse_line(i, text, &line))
			continue;
		if (hole.code) {
			fill_hole(&hole, &before, &line);
			see_line(images, i, &hole);
		}
		hole.code = false;
		if (is_anonymous(&line)) {
			hole = line;
			hole.path = none;
			continue;
		}
		see_line(images, i, &line);
		before = line;
	}
	if (hole.code)
		see_line(images, i, &hole);
	free(text);
	fclose(f);
	end_look(i);
}

/*
 * The kernel's records, if there are any, say that a program was executed.
 * Otherwise another path of the program or another name of the process says so. A
 * process that is about to end has no path any more: it still runs what it ran.
 */
static bool same(const struct image *i, const struct status *s, uint64_t exe)
{
	return i->begun == s->begun && (i->exe == exe || !exe) &&
	       !strcmp(i->comm, s->comm);
}

/*
 * How long to wait for another look: as long as it is since the first one, for a program
 * maps its libraries when it begins, and a second at most.
 */
static uint64_t patience_with(const struct image *i)
{
	uint64_t age = i->seen - i->first;

	return age < GLANCE_NS ? age : GLANCE_NS;
}

static void look(struct images *images, pid_t pid, bool exec, bool glance);

/*
 * The parent of a process that has executed no program since it was born: its stack begins
 * where that of the parent does. What the parent has compiled is there in the child, too,
 * and so is looked at. 0: there is no such parent.
 */
static pid_t copied_from(struct images *images, const struct status *s, uint64_t exe)
{
	const struct image *parent;

	if (!exe || images->depth == GENERATIONS || read_exe(s->parent) != exe)
		return 0;
	images->depth++;
	look(images, s->parent, false, true);
	images->depth--;
	parent = find(images, s->parent);
	return parent && parent->exe == exe && parent->stack == s->stack ? s->parent : 0;
}

static void begin_image(struct images *images, pid_t pid, const struct status *s,
			pid_t via, uint64_t exe, pid_t parent, uint64_t now)
{
	struct image *i = find(images, pid);
	char command[256];

	if (!i)
		i = insert(images, pid);
	i->via = via;
	i->hidden = false;
	i->begun = s->begun;
	i->exe = exe;
	i->stack = s->stack;
	i->first = now;
	memcpy(i->comm, s->comm, sizeof(i->comm));
	i->last.n = i->last.files = 0;
	i->jit = (struct jit_file){ 0 };
	i->jit_is_part = false;
	/* Words, each of which ends in a 0 byte: the first one. */
	read_proc(i->via, "cmdline", command, sizeof(command));
	data_process(images->data, pid, parent, now, i->comm, command);
}

/* It is there, and /proc says nothing of it. */
static void see_hidden(struct images *images, pid_t pid)
{
	if (find(images, pid) || !kill(pid, 0) || errno != EPERM)
		return;
	insert(images, pid)->hidden = true;
}

static void look(struct images *images, pid_t pid, bool exec, bool glance)
{
	struct image *i = find(images, pid);
	uint64_t exe, now = now_ns();
	struct status s;
	pid_t via, parent;

	if (!read_stat(pid, &s)) {
		see_hidden(images, pid);
		return;
	}
	if (i && !exec && glance && now - i->seen < patience_with(i) && i->begun == s.begun &&
	    !strcmp(i->comm, s.comm))
		return;
	via = living_thread(pid, s.state);
	exe = read_exe(via);
	if (!i || exec || !same(i, &s, exe)) {
		/* The child's record comes after what is found of the parent. */
		parent = exec ? 0 : copied_from(images, &s, exe);
		now = now_ns();
		begin_image(images, pid, &s, via, exe, parent, now);
		i = find(images, pid);
	}
	i->via = via;
	i->seen = now;
	read_maps(images, i, &s);
	see_jit(images, i);
}

void images_see(struct images *images, pid_t pid)
{
	look(images, pid, false, false);
}

void images_glance(struct images *images, pid_t pid)
{
	struct image *i;

	look(images, pid, false, true);
	i = find(images, pid);
	if (!i || i->counted || (!i->hidden && !i->closed))
		return;
	i->counted = true;
	images->hidden += i->hidden;
	images->closed += !i->hidden;
}

bool images_gone(struct images *images, pid_t pid)
{
	struct image *i = find(images, pid);
	bool gone = i && i->gone;

	if (i)
		i->gone = false;
	return gone;
}

void images_exec(struct images *images, pid_t pid)
{
	look(images, pid, true, false);
}

void images_binary(struct images *images, const struct pmon_map *map)
{
	struct line line = { .file = { map->major, map->minor, map->inode },
			     .path = (char *)map->path };

	if (*map->path == '/')
		see_binary(images, map->pid, &line);
}

void images_see_all(struct images *images)
{
	DIR *dir = opendir("/proc");
	struct dirent *entry;
	pid_t pid;

	if (!dir)
		return;
	while ((entry = readdir(dir))) {
		pid = (pid_t)atoi(entry->d_name);
		if (pid > 0)
			images_see(images, pid);
	}
	closedir(dir);
}

void images_end(struct images *images)
{
	struct image *i;
	unsigned int b;

	images_kernel(images);
	for (b = 0; b < BUCKETS; b++)
		for (i = images->bucket[b]; i; i = i->next)
			see_jit(images, i);
}

void images_notes(const struct images *images, struct result *result)
{
	unsigned int n = images->hidden;

	if (n)
		result_note(result, "%u process%s not shown to this user by /proc (hidepid): what was sampled in %s has no names",
			    n, n == 1 ? " is" : "es are", n == 1 ? "it" : "them");
	n = images->closed;
	if (n)
		result_note(result, "of %u process%s this user may not see what is mapped: what was sampled in %s has no names of functions",
			    n, n == 1 ? "" : "es", n == 1 ? "it" : "them");
}

void images_free(struct images *images)
{
	struct binary *binary, *next_binary;
	struct image *i, *next;
	unsigned int b;

	for (b = 0; b < BUCKETS; b++) {
		for (i = images->bucket[b]; i; i = next) {
			next = i->next;
			image_free(i);
		}
	}
	for (b = 0; b < BUCKETS; b++) {
		for (binary = images->binary[b]; binary; binary = next_binary) {
			next_binary = binary->next;
			free(binary);
		}
	}
	for (b = 0; b < images->n_pathless; b++)
		close(images->pathless[b].fd);
	free(images);
}
