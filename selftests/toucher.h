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
 * The process
 */

struct toucher {
	pid_t pid;
	int order[2], ack[2];
};

/* It faults in touch() when told to, by number. */
static inline void __attribute__((noreturn)) toucher_run(const struct toucher *t)
{
	struct pages pages;
	unsigned int n;

	pages_map(&pages, 500);
	touch(&pages, 501);
	while (read(t->order[0], &n, sizeof(n)) == sizeof(n)) {
		touch(&pages, n);
		MUST(write(t->ack[1], "", 1));
	}
	_exit(0);
}

/* Returns when it has had @n faults more. */
static inline void toucher_do(const struct toucher *t, unsigned int n)
{
	char c;

	MUST(write(t->order[1], &n, sizeof(n)));
	if (read(t->ack[0], &c, 1) != 1)
		die("no answer");
}

/* @fork_it is fork_child(), or another function like it. End: kill_and_reap(). */
static inline void toucher_start(struct toucher *t, pid_t (*fork_it)(void))
{
	MUST(pipe(t->order));
	MUST(pipe(t->ack));
	t->pid = fork_it();
	if (!t->pid)
		toucher_run(t);
	toucher_do(t, 1);
}

#endif /* TOUCHER_H */
