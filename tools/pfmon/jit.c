// SPDX-License-Identifier: GPL-2.0-only
/* Names of code that a process has made itself. */
#define _GNU_SOURCE
#include <err.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "require.h"
#include "identity.h"
#include "jit.h"
#include "layers.h"
#include "text.h"

#define FILE_MAX	(64 << 20)	/* bytes of one that are read at first */
#define STEP_MAX	(16 << 20)	/* and at a time */
#define FUNCTIONS_MAX	(2 << 20)	/* of a process */
#define SLACK_S		2		/* by which clocks may differ */

bool jit_may_be(const char *path)
{
	static const char *const memory[] = {
		"/memfd:", "/dev/zero", "/SYSV", "/anon_hugepage", "//anon",
	};
	size_t i;

	for (i = 0; i < sizeof(memory) / sizeof(memory[0]); i++)
		if (!strncmp(path, memory[i], strlen(memory[i])))
			return true;
	return *path != '/' && strcmp(path, "[vdso]") && strcmp(path, "[vsyscall]");
}

/* Its user, and its number in its own pid name space. */
static bool read_status(pid_t pid, uid_t *uid, pid_t *inner)
{
	char path[32], line[512], *last;
	unsigned int found = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = '\0';
		last = strrchr(line, '\t');
		/* The effective one of four. */
		if (sscanf(line, "Uid: %*u %u", uid) == 1)
			found |= 1;
		if (!strncmp(line, "NSpid:", 6) && last) {
			*inner = atoi(last);
			found |= 2;
		}
	}
	if (f)
		fclose(f);
	return found == 3;
}

/* Seconds since 1970 at which a process began. */
static int64_t began_at(uint64_t begun)
{
	struct timespec real, boot;

	clock_gettime(CLOCK_REALTIME, &real);
	clock_gettime(CLOCK_BOOTTIME, &boot);
	return real.tv_sec - boot.tv_sec + (int64_t)begun / sysconf(_SC_CLK_TCK);
}

static char *read_lines(int fd, struct jit_file *file, off_t size)
{
	char *text, *start, *end;
	size_t room;
	ssize_t n;

	if (!file->done && size > FILE_MAX) {
		file->done = size - FILE_MAX;
		file->part = file->inside = true;
	}
	if (size <= file->done)
		return NULL;
	room = (size_t)(size - file->done);
	if (room > STEP_MAX)
		room = STEP_MAX;
	text = malloc(room + 1);
	if (!text)
		return NULL;
	n = pread(fd, text, room, file->done);
	/*
	 * A line that is not complete yet waits: where its name is cut it would be another
	 * one. No name is as long as all that is read at a time.
	 */
	end = n > 0 ? memrchr(text, '\n', (size_t)n) : NULL;
	if (!end) {
		file->inside |= n == STEP_MAX;
		file->done += n == STEP_MAX ? n : 0;
		free(text);
		return NULL;
	}
	*end = '\0';
	file->done += end - text + 1;
	/* The end of a line of which the beginning was not read. */
	if (file->inside) {
		start = memchr(text, '\n', (size_t)(end - text));
		start = start ? start : end;
		memmove(text, start, (size_t)(end - start) + 1);
		file->inside = false;
	}
	return text;
}

char *jit_read(pid_t pid, pid_t via, uint64_t begun, struct jit_file *file)
{
	char path[48], *text = NULL;
	struct stat st;
	pid_t inner = 0;
	uid_t uid = 0;
	int fd;

	if (!read_status(pid, &uid, &inner))
		return NULL;
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)inner);
	fd = identity_open_of(via, path, &st);
	if (fd < 0)
		return NULL;
	if (st.st_ino != file->inode || st.st_size < file->done)
		*file = (struct jit_file){ .inode = st.st_ino };
	if (st.st_uid == uid && st.st_mtim.tv_sec + SLACK_S >= began_at(begun))
		text = read_lines(fd, file, st.st_size);
	close(fd);
	return text;
}

struct function {
	uint64_t start, end;
	const char *name;
	size_t number;		/* in the order in which they were added */
};

struct jit {
	struct function *function;
	size_t functions, room;
	size_t added;		/* and perhaps forgotten */
	bool complete;
	struct symtab symbols;
};

/* Of all those that there is room for, the half that was added first. */
static void forget_old(struct jit *jit)
{
	size_t i, n = 0;

	for (i = 0; i < jit->functions; i++)
		if (jit->function[i].number >= jit->added - FUNCTIONS_MAX / 2)
			jit->function[n++] = jit->function[i];
	jit->functions = n;
}

bool jit_is_part(const struct jit *jit)
{
	return jit && jit->added > jit->functions;
}

static void add_line(struct jit *jit, char *line)
{
	struct function f;
	uint64_t size;
	int at = 0;

	if (sscanf(line, "%" SCNx64 " %" SCNx64 " %n", &f.start, &size, &at) != 2 || !at ||
	    !line[at] || !size || f.start + size < f.start)
		return;
	if (jit->functions == FUNCTIONS_MAX)
		forget_old(jit);
	f.end = f.start + size;
	f.name = text_intern(line + at);
	f.number = jit->added++;
	if (jit->functions == jit->room) {
		jit->room = jit->room ? 2 * jit->room : 64;
		jit->function = reallocarray(jit->function, jit->room, sizeof(f));
		if (!jit->function)
			err(EXIT_PFMON, NULL);
	}
	jit->function[jit->functions++] = f;
}

void jit_add(struct jit **jit, const char *text)
{
	size_t len;
	char line[1024];

	if (!*jit)
		*jit = calloc(1, sizeof(**jit));
	if (!*jit)
		err(EXIT_PFMON, NULL);
	for (; *text; text += len + (text[len] == '\n')) {
		len = strcspn(text, "\n");
		snprintf(line, sizeof(line), "%.*s", (int)(len < sizeof(line) ? len : 1023), text);
		add_line(*jit, line);
	}
	(*jit)->complete = false;
}

static void add_symbol(void *arg, const struct layer *top, uint64_t from, uint64_t to)
{
	symtab_add(arg, &(struct symbol){ .addr = from, .size = to - from, .name = top->what });
}

/*
 * Code is thrown away, and other code made in its place: the function that was added last is
 * what is there.
 */
static void complete(struct jit *jit)
{
	struct layer *layer = calloc(jit->functions + 1, sizeof(*layer));
	const struct function *f = jit->function;
	size_t i;

	if (!layer)
		err(EXIT_PFMON, NULL);
	for (i = 0; i < jit->functions; i++, f++)
		layer[i] = (struct layer){ f->start, f->end, f->number, f->name };
	symtab_free(&jit->symbols);
	layers_top(layer, jit->functions, add_symbol, &jit->symbols);
	free(layer);
	symtab_sort(&jit->symbols);
	jit->complete = true;
}

struct symbol *jit_find(struct jit *jit, uint64_t addr)
{
	if (!jit)
		return NULL;
	if (!jit->complete)
		complete(jit);
	return symtab_find(&jit->symbols, addr);
}

void jit_free(struct jit *jit)
{
	if (!jit)
		return;
	symtab_free(&jit->symbols);
	free(jit->function);
	free(jit);
}
