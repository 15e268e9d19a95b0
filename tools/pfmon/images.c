// SPDX-License-Identifier: GPL-2.0-only
/*
 * What processes have mapped. An image is what a process is between one exec()
 * and the next; all of it that was ever seen is written once.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <err.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "context.h"
#include "identity.h"
#include "images.h"
#include "result.h"

#define BUCKETS		4096
#define GLANCE_NS	1000000000
#define COMM_MAX	64

struct image {
	struct image *next;
	pid_t pid;
	uint64_t begun;		/* when the process did: numbers come again */
	uint64_t exe;		/* hash of its program's path, 0 if unknown */
	char comm[COMM_MAX];
	uint64_t seen;		/* when we looked */
	size_t maps, room;
	uint64_t *map;		/* hashes of lines that are written already */
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
	struct binary *binary[BUCKETS];
	uint32_t binaries;	/* that have a record */
};

struct images *images_new(struct data_writer *data)
{
	struct images *images = calloc(1, sizeof(*images));

	if (!images)
		err(EXIT_PFMON, NULL);
	images->data = data;
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

static FILE *open_proc(pid_t pid, const char *name)
{
	char path[48];

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	return fopen(path, "re");
}

/* Name and begin: "PID (NAME) STATE ...", STATE is the third word, the begin the 22nd. */
static bool read_stat(pid_t pid, char comm[COMM_MAX], uint64_t *begun)
{
	char line[1024] = "", *open, *close, *word;
	FILE *f = open_proc(pid, "stat");
	int i;

	if (!f)
		return false;
	if (!fgets(line, sizeof(line), f))
		line[0] = '\0';
	fclose(f);
	open = strchr(line, '(');
	close = strrchr(line, ')');
	if (!open || !close)
		return false;
	*close = '\0';
	snprintf(comm, COMM_MAX, "%s", open + 1);
	word = close + 1;
	for (i = 3; i < 22 && word; i++)
		word = strchr(word + 1, ' ');
	if (!word)
		return false;
	*begun = strtoull(word, NULL, 10);
	return true;
}

static uint64_t read_exe(pid_t pid)
{
	char path[48], exe[4096];
	ssize_t len;

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
	len = readlink(path, exe, sizeof(exe));
	return len > 0 ? hash(exe, (size_t)len) : 0;
}

static void read_command(pid_t pid, char *command, size_t size)
{
	FILE *f = open_proc(pid, "cmdline");
	size_t len = 0;

	if (f) {
		len = fread(command, 1, size - 1, f);
		fclose(f);
	}
	command[len] = '\0';	/* and the first word ends in one */
}

static struct image *find(struct images *images, pid_t pid)
{
	struct image *i = images->bucket[(unsigned int)pid % BUCKETS];

	while (i && i->pid != pid)
		i = i->next;
	return i;
}

static struct image *insert(struct images *images, pid_t pid)
{
	struct image *i = calloc(1, sizeof(*i));

	if (!i)
		err(EXIT_PFMON, NULL);
	i->pid = pid;
	i->next = images->bucket[(unsigned int)pid % BUCKETS];
	images->bucket[(unsigned int)pid % BUCKETS] = i;
	return i;
}

static bool is_new(struct image *i, uint64_t line)
{
	size_t n;

	for (n = 0; n < i->maps; n++)
		if (i->map[n] == line)
			return false;
	if (i->maps == i->room) {
		i->room = i->room ? 2 * i->room : 16;
		i->map = reallocarray(i->map, i->room, sizeof(*i->map));
		if (!i->map)
			err(EXIT_PFMON, NULL);
	}
	i->map[i->maps++] = line;
	return true;
}

/*
 * The file as the process has it, in whatever mount name space; our own one's if
 * the process is gone or not ours to look at.
 */
static bool identify(pid_t pid, const char *path, struct identity *identity)
{
	char theirs[4096 + 32];

	snprintf(theirs, sizeof(theirs), "/proc/%d/root%s", (int)pid, path);
	return identity_read(identity, theirs) || identity_read(identity, path);
}

/* The record of a file that was mapped; @key is the same for the same file. */
static uint32_t see_binary(struct images *images, pid_t pid, const char *path,
			   uint64_t key)
{
	struct binary **bucket = &images->binary[key % BUCKETS], *b;
	struct df_binary record = { 0 };
	struct identity identity;

	for (b = *bucket; b; b = b->next)
		if (b->hash == key)
			return b->number;
	b = calloc(1, sizeof(*b));
	if (!b)
		err(EXIT_PFMON, NULL);
	b->hash = key;
	b->next = *bucket;
	*bucket = b;
	if (!identify(pid, path, &identity))
		return 0;
	b->number = record.number = ++images->binaries;
	record.size = identity.size;
	record.mtime = identity.mtime;
	record.id_size = identity.id_size;
	memcpy(record.id, identity.id, sizeof(record.id));
	data_binary(images->data, &record, path);
	return b->number;
}

/* "START-END rwxp OFFSET DEVICE INODE   PATH": the executable ones. */
static void read_map(struct images *images, struct image *i, char *line)
{
	struct df_map map = { .pid = i->pid, .time = i->seen };
	char access[8];
	int path = 0, file = 0;

	line[strcspn(line, "\n")] = '\0';
	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %n%*s %*s %n",
		   &map.start, &map.end, access, &map.offset, &file, &path) != 4 ||
	    !path || !strchr(access, 'x') || !is_new(i, hash(line, strlen(line))))
		return;
	if (line[path] == '/')
		map.binary = see_binary(images, i->pid, line + path,
					hash(line + file, strlen(line + file)));
	data_map(images->data, &map, line[path] ? line + path : "[anonymous]");
}

static void read_maps(struct images *images, struct image *i)
{
	FILE *f = open_proc(i->pid, "maps");
	char *line = NULL;
	size_t size = 0;

	if (!f)
		return;
	while (getline(&line, &size, f) > 0)
		read_map(images, i, line);
	free(line);
	fclose(f);
}

/*
 * The kernel's records, if there are any, say that a program was executed.
 * Otherwise another path of the program or another name of the process says so. A
 * process that is about to end has no path any more: it still runs what it ran.
 */
static bool same(const struct image *i, uint64_t begun, uint64_t exe,
		 const char comm[COMM_MAX])
{
	return i->begun == begun && (i->exe == exe || !exe) &&
	       !strcmp(i->comm, comm);
}

static void look(struct images *images, pid_t pid, bool exec, uint64_t patience)
{
	struct image *i = find(images, pid);
	char comm[COMM_MAX], command[256];
	uint64_t begun, exe, now = now_ns();

	if (!read_stat(pid, comm, &begun))
		return;
	if (i && !exec && now - i->seen < patience && i->begun == begun &&
	    !strcmp(i->comm, comm))
		return;
	exe = read_exe(pid);
	if (!i || exec || !same(i, begun, exe, comm)) {
		if (!i)
			i = insert(images, pid);
		i->begun = begun;
		i->exe = exe;
		memcpy(i->comm, comm, sizeof(comm));
		i->maps = 0;
		read_command(pid, command, sizeof(command));
		data_process(images->data, pid, now, comm, command);
	}
	i->seen = now;
	read_maps(images, i);
}

void images_see(struct images *images, pid_t pid)
{
	look(images, pid, false, 0);
}

void images_glance(struct images *images, pid_t pid)
{
	look(images, pid, false, GLANCE_NS);
}

void images_exec(struct images *images, pid_t pid)
{
	look(images, pid, true, 0);
}

void images_binary(struct images *images, pid_t pid, const char *path)
{
	if (*path == '/')
		see_binary(images, pid, path, hash(path, strlen(path)));
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

void images_free(struct images *images)
{
	struct binary *binary, *next_binary;
	struct image *i, *next;
	unsigned int b;

	for (b = 0; b < BUCKETS; b++) {
		for (i = images->bucket[b]; i; i = next) {
			next = i->next;
			free(i->map);
			free(i);
		}
	}
	for (b = 0; b < BUCKETS; b++) {
		for (binary = images->binary[b]; binary; binary = next_binary) {
			next_binary = binary->next;
			free(binary);
		}
	}
	free(images);
}
