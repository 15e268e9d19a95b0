/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A process whose page faults all come from one function, so that a test knows
 * which instruction pointers its samples must have.
 */
#ifndef TOUCHER_H
#define TOUCHER_H

#include "pfm_test.h"

/* ------------------------------------------------------------------------
 * A place for faults, to find the samples' instruction pointers in
 */

static __attribute__((noinline, section("smpl_touch")))
void touch(struct pages *pages, unsigned int n)
{
	pages_touch(pages, n);
}

extern const char __start_smpl_touch[], __stop_smpl_touch[];

static inline bool in_touch(u64 ip)
{
	return ip >= (uintptr_t)__start_smpl_touch &&
	       ip < (uintptr_t)__stop_smpl_touch;
}

/* Whether this process has code there. */
static inline bool is_own_code(u64 ip)
{
	FILE *f = fopen("/proc/self/maps", "re");
	unsigned long long from, to;
	bool found = false;
	char line[512], x;

	if (!f)
		die("no /proc/self/maps");
	while (!found && fgets(line, sizeof(line), f))
		found = sscanf(line, "%llx-%llx r%*c%c", &from, &to, &x) == 3 &&
			x == 'x' && ip >= from && ip < to;
	fclose(f);
	return found;
}

/* ------------------------------------------------------------------------
 * What a sample says (3.6.4)
 */

/* A process that faults in touch() when told to, by number. */
static inline void __attribute__((noreturn)) toucher(int order, int ack)
{
	struct pages pages;
	unsigned int n;

	pages_map(&pages, 500);
	touch(&pages, 501);
	while (read(order, &n, sizeof(n)) == sizeof(n)) {
		touch(&pages, n);
		MUST(write(ack, "", 1));
	}
	_exit(0);
}

static inline void tell_toucher(int order, int ack, unsigned int n)
{
	char c;

	MUST(write(order, &n, sizeof(n)));
	if (read(ack, &c, 1) != 1)
		die("no answer");
}

#endif /* TOUCHER_H */
