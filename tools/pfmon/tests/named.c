// SPDX-License-Identifier: GPL-2.0-only
/*
 * A program whose one function has the name that the compiler is told by -DNAME.
 *
 *	named			ends
 *	named wait		prints "ready", then waits for the end of its input
 *	named memory		executes a copy of itself that is in no directory, to wait
 *	named jit [HOW]		makes code at CODE, says in /tmp/perf-PID.map that it is
 *				made_here(), with more that does harm in the name, and ends.
 *				HOW: the file is "foreign" (another user's), "old", "large"
 *				or a "link", or the code is "gone"; or it does "fork"
 *	named jit-wait		the same and waits
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define CODE	((void *)0x70000000)

#ifndef NAME
#define NAME	before
#endif

/* Not where it could be found without the symbol table. */
static int __attribute__((noinline, used)) NAME(int n)
{
	return n * 3 + 1;
}

static void spoil(const char *path, const char *how)
{
	const struct timespec old[2] = { { .tv_sec = 1000 }, { .tv_sec = 1000 } };
	char other[64];

	if (!strcmp(how, "foreign") && chown(path, 65534, 65534))
		exit(1);
	if (!strcmp(how, "old") && utimensat(AT_FDCWD, path, old, 0))
		exit(1);
	if (!strcmp(how, "gone"))
		munmap(CODE, 4096);
	if (strcmp(how, "link"))
		return;
	snprintf(other, sizeof(other), "%s.other", path);
	if (rename(path, other) || symlink(other, path))
		exit(1);
}

static void jit(const char *how)
{
	char path[48], new[56];
	FILE *f;
	int n;

	if (mmap(CODE, 4096, PROT_READ | PROT_EXEC,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) != CODE)
		exit(1);
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	/* It is there when it is whole: what is read while it grows is all of it. */
	snprintf(new, sizeof(new), "%s.new", path);
	f = fopen(new, "w");
	if (!f)
		exit(1);
	/* More than is read. */
	for (n = 0; n < 80 << 20 && !strcmp(how, "large"); n += 4000)
		fprintf(f, "70000100 100 %04000d\n", n);
	fprintf(f, "70000100 100 thrown_away\n70000100 100 made_here(int, \033[1m)\"\\;\xff\n"
		"nonsense\n70000180 half");
	if (fclose(f) || rename(new, path))
		exit(1);
	spoil(path, how);
}

static void wait_for_end(void)
{
	char c;

	puts("ready");
	fflush(stdout);
	while (read(0, &c, 1) == 1)
		;
}

static void run_copy(char *self)
{
	char *const args[] = { self, "wait", NULL };
	int from = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	int copy = memfd_create("copy", MFD_CLOEXEC);
	char part[4096];
	ssize_t n;

	while ((n = read(from, part, sizeof(part))) > 0)
		if (write(copy, part, (size_t)n) != n)
			exit(1);
	fexecve(copy, args, environ);
	exit(1);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (!strncmp(what, "jit", 3))
		jit(argc > 2 ? argv[2] : "");
	if (!strcmp(what, "memory"))
		run_copy(argv[0]);
	if (!strcmp(what, "wait") || !strcmp(what, "jit-wait"))
		wait_for_end();
	if (argc > 2 && !strcmp(argv[2], "fork"))
		return fork() && wait(NULL) < 0;
	return NAME(argc) == 0;
}
