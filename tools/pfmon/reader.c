// SPDX-License-Identifier: GPL-2.0-only
/*
 * The process that asks. A question is an address. An answer is a number of bytes, and then
 * these. The first answer, to no question, says that there can be others.
 */
#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "reader.h"
#include "require.h"

#define PATIENCE_MS	120000	/* for an answer */
#define PROCESSES_MAX	32

struct reader {
	void (*serve)(const struct symtab *t, int fd);
	const struct symtab *t;
	pid_t pid;		/* 0: it has ended */
	int fd;			/* to it and from it */
	uint64_t asked;		/* the how manieth question was its last one */
	unsigned char *text;	/* of the last answer */
};

static struct reader *running[PROCESSES_MAX];

static struct reader **slot_of(const struct reader *reader)
{
	unsigned int i;

	for (i = 0; i < PROCESSES_MAX; i++)
		if (running[i] == reader)
			return &running[i];
	return NULL;
}

static void end_process(struct reader *r)
{
	close(r->fd);
	kill(r->pid, SIGKILL);
	while (waitpid(r->pid, NULL, 0) < 0 && errno == EINTR)
		;
	r->pid = 0;
	*slot_of(r) = NULL;
}

static struct reader **free_slot(void)
{
	struct reader **slot = slot_of(NULL), *oldest = running[0];
	unsigned int i;

	if (slot)
		return slot;
	for (i = 1; i < PROCESSES_MAX; i++)
		if (running[i]->asked < oldest->asked)
			oldest = running[i];
	end_process(oldest);
	return slot_of(NULL);
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
static uint32_t read_answer(const struct reader *r)
{
	uint32_t size;

	if (!read_all(r->fd, &size, sizeof(size)) || size > READER_ANSWER_MAX ||
	    !read_all(r->fd, r->text, size))
		return 0;
	return size;
}

static bool begin_process(struct reader *r)
{
	struct reader **slot = free_slot();
	int fd[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fd))
		err(EXIT_PFMON, NULL);
	r->fd = fd[0];
	r->pid = fork();
	if (!r->pid) {
		close(fd[0]);
		r->serve(r->t, fd[1]);
	}
	close(fd[1]);
	if (r->pid < 0) {
		close(fd[0]);
		r->pid = 0;
		return false;
	}
	*slot = r;
	if (read_answer(r))
		return true;
	end_process(r);
	return false;
}

struct reader *reader_new(void (*serve)(const struct symtab *t, int fd), const struct symtab *t)
{
	struct reader *r;

	if (!t->file)
		return NULL;
	r = calloc(1, sizeof(*r));
	if (r)
		r->text = malloc(READER_ANSWER_MAX);
	if (!r || !r->text)
		err(EXIT_PFMON, NULL);
	r->serve = serve;
	r->t = t;
	if (begin_process(r))
		return r;
	reader_free(r);
	return NULL;
}

const unsigned char *reader_ask(struct reader *r, uint64_t addr, uint32_t *size)
{
	static uint64_t questions;

	if (!r->pid && !begin_process(r))
		return NULL;
	r->asked = ++questions;
	*size = 0;
	if (send(r->fd, &addr, sizeof(addr), MSG_NOSIGNAL) == sizeof(addr))
		*size = read_answer(r);
	return *size ? r->text : NULL;
}

void reader_free(struct reader *r)
{
	if (!r)
		return;
	if (r->pid)
		end_process(r);
	free(r->text);
	free(r);
}
