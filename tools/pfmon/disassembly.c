// SPDX-License-Identifier: GPL-2.0-only
/* Instructions of a file, as objdump(1) prints them: "ADDRESS:", a tab and the text. */
#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "disassembly.h"
#include "require.h"
#include "symtab.h"
#include "text.h"

#define CPU_S		60
#define DATA_BYTES	(1U << 30)
#define LINE_MAX_SHOWN	200	/* bytes of an instruction */
#define EXIT_NO_TOOL	127

/* To be no more than the file's owner, who can do to himself what he likes. */
static bool become_owner(const struct stat *st)
{
	if (geteuid() || !st->st_uid)
		return true;
	return !setgroups(0, NULL) && !setresgid(st->st_gid, st->st_gid, st->st_gid) &&
	       !setresuid(st->st_uid, st->st_uid, st->st_uid);
}

/* @fd: of a copy, if others can change the file; @st is the file's own. */
static void __attribute__((noreturn))
run(const char *tool, int fd, const struct stat *st, int to, uint64_t start, uint64_t stop)
{
	char from[48], until[48], path[32];
	int null = open("/dev/null", O_RDWR), file = fcntl(fd, F_DUPFD, 3);

	snprintf(from, sizeof(from), "--start-address=%#" PRIx64, start);
	snprintf(until, sizeof(until), "--stop-address=%#" PRIx64, stop);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
	if (null < 0 || file < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(null, STDERR_FILENO) < 0 ||
	    dup2(to, STDOUT_FILENO) < 0 || !guard_lower(RLIMIT_CPU, CPU_S) ||
	    !guard_lower(RLIMIT_DATA, DATA_BYTES) || !guard_lower(RLIMIT_CORE, 0) ||
	    setenv("LC_ALL", "C", 1) || !become_owner(st))
		_exit(1);
	execlp(tool, tool, "-d", "-w", "-C", "--no-show-raw-insn", from, until, path, NULL);
	_exit(errno == ENOENT ? EXIT_NO_TOOL : 1);
}

static void add(struct disassembly *d, uint64_t addr, const char *text)
{
	/* Room for a power of two of them. */
	if (!(d->n & (d->n - 1)))
		d->instruction = reallocarray(d->instruction, d->n ? 2 * d->n : 1,
					      sizeof(*d->instruction));
	if (!d->instruction)
		err(EXIT_PFMON, NULL);
	d->instruction[d->n++] = (struct instruction){ addr, text_intern(text) };
}

static void take_line(struct disassembly *d, char *line, uint64_t start, uint64_t stop)
{
	uint64_t addr;
	char *end, *at;

	addr = strtoull(line, &end, 16);
	if (end == line || end[0] != ':' || end[1] != '\t' || addr < start || addr >= stop)
		return;
	line = end + 2;
	line[strcspn(line, "\n")] = '\0';
	if (strlen(line) > LINE_MAX_SHOWN)
		line[LINE_MAX_SHOWN] = '\0';
	for (at = line; *at; at++)
		if (*at == '\t')
			*at = ' ';
	add(d, addr, line);
}

static void read_lines(struct disassembly *d, int from, uint64_t start, uint64_t stop)
{
	FILE *f = fdopen(from, "r");
	char *line = NULL;
	size_t size = 0;

	if (!f)
		err(EXIT_PFMON, NULL);
	while (d->n < stop - start && getline(&line, &size, f) > 0)
		take_line(d, line, start, stop);
	free(line);
	fclose(f);
}

const char *disassemble(struct disassembly *d, const char *tool, int fd, uint64_t start,
			uint64_t stop)
{
	int ends[2], status = 0, copy = -1;
	struct stat st;
	pid_t pid;

	*d = (struct disassembly){ 0 };
	if (stop - start > DISASSEMBLY_MAX)
		stop = start + DISASSEMBLY_MAX;
	if (!fstat(fd, &st))
		copy = symtab_guard(fd);
	if (copy < 0)
		return "the file is too large for what others can change";
	if (pipe2(ends, O_CLOEXEC))
		err(EXIT_PFMON, "pipe");
	pid = fork();
	if (pid < 0)
		err(EXIT_PFMON, "fork");
	if (!pid)
		run(tool, copy, &st, ends[1], start, stop);
	close(ends[1]);
	close(copy);
	read_lines(d, ends[0], start, stop);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (d->n)
		return NULL;
	if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_NO_TOOL)
		return "objdump is not there (it is in the package binutils)";
	return "objdump finds no instructions there: of another machine, that one's own may, named with --objdump";
}

void disassembly_free(struct disassembly *d)
{
	free(d->instruction);
	*d = (struct disassembly){ 0 };
}
