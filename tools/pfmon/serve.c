// SPDX-License-Identifier: GPL-2.0-only
/* What processes that read have in common. */
#define _GNU_SOURCE
#include <elfutils/libdwfl.h>
#include <grp.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "serve.h"

#define CPU_S		60	/* of time, for all questions of a file */
#define DATA_BYTES	(1U << 30)	/* of memory, for what is packed, too */
#define NOBODY		65534

static int first_module(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base,
			void *found)
{
	(void)data;
	(void)name;
	(void)base;
	*(Dwfl_Module **)found = module;
	return DWARF_CB_ABORT;
}

Dwfl_Module *serve_begin(const struct symtab *t)
{
	Dwfl_Module *module = NULL;

	guard_lower(RLIMIT_CORE, 0);
	guard_lower(RLIMIT_DATA, DATA_BYTES);
	guard_lower(RLIMIT_CPU, CPU_S);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	dwfl_getmodules(t->file, first_module, &module, 0);
	return module;
}

void serve_rest(void)
{
	guard_lower(RLIMIT_NOFILE, 0);
	guard_lower(RLIMIT_FSIZE, 0);
	if (geteuid())
		return;
	/* Where there is no such user it stays what it is. */
	if (setgroups(0, NULL) || setresgid(NOBODY, NOBODY, NOBODY) ||
	    setresuid(NOBODY, NOBODY, NOBODY))
		prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

static bool send_answer(int fd, const struct answer *a)
{
	const char *at = (const char *)a;
	size_t left = sizeof(a->size) + a->size;
	ssize_t n;

	for (; left; left -= (size_t)n, at += n) {
		n = write(fd, at, left);
		if (n <= 0)
			return false;
	}
	return true;
}

void serve_all(int fd, void (*answer)(void *arg, uint64_t addr, struct answer *a), void *arg)
{
	static struct answer a = { .size = 1 };
	uint64_t addr;

	while (send_answer(fd, &a) && read(fd, &addr, sizeof(addr)) == sizeof(addr)) {
		a.size = 0;
		answer(arg, addr, &a);
	}
	_exit(0);
}
