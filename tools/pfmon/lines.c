// SPDX-License-Identifier: GPL-2.0-only
/*
 * Lines of the source: the process that asks. A question is an address. An answer is a
 * number of bytes, and then these: for each function at the address, the innermost first, the
 * number of the line, the name of the function and that of the file, each with a NUL; or one
 * byte, if there is nothing.
 */
#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lines.h"
#include "lines_read.h"
#include "require.h"
#include "text.h"

#define PATIENCE_MS	120000	/* for an answer */

struct lines {
	pid_t pid;		/* 0: it is gone */
	int fd;			/* to it and from it */
	unsigned char *text;	/* of the last answer */
};

static void end_process(struct lines *lines)
{
	close(lines->fd);
	kill(lines->pid, SIGKILL);
	while (waitpid(lines->pid, NULL, 0) < 0 && errno == EINTR)
		;
	lines->pid = 0;
}

static bool read_all(int fd, void *to, size_t size)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	char *at = to;
	ssize_t n;

	for (; size; size -= (size_t)n, at += n) {
		do
			n = poll(&p, 1, PATIENCE_MS);
		while (n < 0 && errno == EINTR);
		n = n > 0 ? read(fd, at, size) : -1;
		if (n <= 0)
			return false;
	}
	return true;
}

/* The size of an answer that is read to @text then; 0: there is none. */
static uint32_t read_answer(const struct lines *lines)
{
	uint32_t size;

	if (!read_all(lines->fd, &size, sizeof(size)) || size > LINES_ANSWER_MAX ||
	    !read_all(lines->fd, lines->text, size))
		return 0;
	return size;
}

struct lines *lines_new(const struct symtab *t)
{
	struct lines *lines;
	int fd[2];

	if (!t->file)
		return NULL;
	lines = calloc(1, sizeof(*lines));
	if (!lines)
		err(EXIT_PFMON, NULL);
	lines->text = malloc(LINES_ANSWER_MAX);
	if (!lines->text || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fd))
		err(EXIT_PFMON, NULL);
	lines->fd = fd[0];
	lines->pid = fork();
	if (!lines->pid) {
		close(fd[0]);
		lines_serve(t, fd[1]);
	}
	close(fd[1]);
	/* The first answer, to no question, says that there can be others. */
	if (lines->pid > 0 && read_answer(lines))
		return lines;
	if (lines->pid < 0) {
		close(fd[0]);
		lines->pid = 0;
	}
	lines_free(lines);
	return NULL;
}

/* A string that ends within what is there, or NULL. */
static const char *take_string(const unsigned char **at, const unsigned char *end)
{
	const char *text = (const char *)*at;
	const unsigned char *nul = memchr(*at, '\0', (size_t)(end - *at));

	if (!nul)
		return NULL;
	*at = nul + 1;
	return text;
}

/* As names of symbols are. */
static const char *name_function(const char *name)
{
	struct symbol symbol = { .name = name };

	return symtab_name(&symbol);
}

bool lines_parse(const unsigned char *answer, size_t size, struct lines_found *found)
{
	const unsigned char *at = answer, *end = answer + size;
	const char *function, *file;
	struct lines_frame *frame;
	uint32_t line;

	found->frames = 0;
	if (size == 1)
		return true;
	while (at < end && found->frames < LINES_FRAMES) {
		if ((size_t)(end - at) < sizeof(line))
			return false;
		memcpy(&line, at, sizeof(line));
		at += sizeof(line);
		function = take_string(&at, end);
		file = function ? take_string(&at, end) : NULL;
		if (!file)
			return false;
		frame = &found->frame[found->frames++];
		frame->function = *function ? name_function(function) : NULL;
		frame->file = *file && line ? text_intern(file) : NULL;
		frame->line = line;
	}
	return true;
}

bool lines_find(struct lines *lines, uint64_t addr, struct lines_found *found)
{
	uint32_t size = 0;

	found->frames = 0;
	if (!lines->pid)
		return false;
	if (send(lines->fd, &addr, sizeof(addr), MSG_NOSIGNAL) == sizeof(addr))
		size = read_answer(lines);
	if (size && lines_parse(lines->text, size, found))
		return true;
	found->frames = 0;
	end_process(lines);
	return false;
}

const char *lines_short(const struct lines_frame *frame)
{
	const char *slash = frame->file ? strrchr(frame->file, '/') : NULL, *name;
	char *text;

	if (!frame->file)
		return NULL;
	if (asprintf(&text, "%s:%u", slash ? slash + 1 : frame->file, frame->line) < 0)
		err(EXIT_PFMON, NULL);
	name = text_intern(text);
	free(text);
	return name;
}

void lines_free(struct lines *lines)
{
	if (!lines)
		return;
	if (lines->pid)
		end_process(lines);
	free(lines->text);
	free(lines);
}
