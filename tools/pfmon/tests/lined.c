// SPDX-License-Identifier: GPL-2.0-only
/*
 * A program that touches pages for the first time in three lines of its source, two of which are
 * in functions that are inlined:
 *
 *	lined		says in which lines: of six tenths of the pages, of three and of one
 *	lined HUNDREDS	touches ten times as many hundred pages, each of which is a fault
 *
 * Of the faults work() and what it calls have all, touch_six() has six tenths, touch_four() four
 * tenths, and of these touch_one() a tenth.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define INLINED	static inline __attribute__((always_inline))

static int lines[3];
static long page;

/*
 * All of it is in the line of the source where it is used. The function gets a frame: compilers
 * leave it out of one that calls none, whatever they are told, and its caller is not found.
 */
#define TOUCH(at, pages, line)						\
	do {								\
		*(line) = __LINE__;					\
		for (long i = 0; i < (pages); i++, (at) += page)	\
			*(volatile char *)(at) = 1;			\
		__asm__ volatile("" : : "r"(__builtin_frame_address(0)));	\
	} while (0)

__attribute__((noinline, noclone)) static char *touch_six(char *at, long n)
{
	TOUCH(at, 6 * n, &lines[0]);
	return at;
}

INLINED char *touch_one(char *at, long n)
{
	TOUCH(at, n, &lines[2]);
	return at;
}

INLINED char *touch_four(char *at, long n)
{
	TOUCH(at, 3 * n, &lines[1]);
	return touch_one(at, n);
}

__attribute__((noinline, noclone)) static char *work(char *at, long n)
{
	at = touch_six(at, n);
	return touch_four(at, n);
}

int main(int argc, char **argv)
{
	long n = argc > 1 ? 100 * atol(argv[1]) : 0;
	size_t size;
	char *memory;

	page = sysconf(_SC_PAGESIZE);
	size = (size_t)(10 * n + 1) * (size_t)page;
	memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		return 1;
	madvise(memory, size, MADV_NOHUGEPAGE);
	/* Its code and data are there before the faults that are counted. */
	work(memory, 0);
	if (argc < 2)
		return printf("%d %d %d\n", lines[0], lines[1], lines[2]) < 0;
	return work(memory, n) != memory + size - page;
}
