// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the bare-metal tests of all processors say, and count
 */
#include "check.h"

static unsigned int nr_failed, nr_checks;

void put(const char *s)
{
	for (; *s; s++)
		put_char(*s);
}

void put_hex(uint64_t val)
{
	char text[19], *p = text + sizeof(text) - 1;

	*p = 0;
	do {
		*--p = "0123456789abcdef"[val & 15];
		val >>= 4;
	} while (val);
	*--p = 'x';
	*--p = '0';
	put(p);
}

void check(const char *what, bool good)
{
	put(good ? "PASS " : "FAIL ");
	put(what);
	put("\n");
	nr_checks++;
	nr_failed += !good;
}

void check_equal(const char *what, uint64_t got, uint64_t want)
{
	check(what, got == want);
	if (got == want)
		return;
	put("# got ");
	put_hex(got);
	put(", not ");
	put_hex(want);
	put("\n");
}

void finish(int status)
{
	put("END\n");
	leave(status || nr_failed || !nr_checks);
}
