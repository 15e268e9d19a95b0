// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * PMON_INHERIT: what is asked of the kernel, and what is said where it cannot be had. The
 * perfmonctl() here needs no kernel with perfmon.
 */
#include <errno.h>
#include <fcntl.h>

#include <perfmon/libperfmon.h>
#include <perfmon/pmon.h>

#include "check.h"

#define SAYS(part) CHECK(strstr(pmon_error(), part) != NULL)

static unsigned int ctx_flags, load_flags;
static int load_pid;
static int no_trees;		/* the kernel has none */

int perfmonctl(int fd, int cmd, void *arg, int narg)
{
	pfarg_ctx_t *ctx = arg;
	pfarg_load_t *load = arg;

	(void)fd;
	(void)narg;
	if (cmd == PFM_LOAD_CONTEXT) {
		load_flags = load->load_flags;
		load_pid = load->load_pid;
	}
	if (cmd != PFM_CREATE_CONTEXT)
		return 0;
	ctx_flags = ctx->ctx_flags;
	if (no_trees && (ctx_flags & PFM_FL_TREE)) {
		errno = EINVAL;
		return -1;
	}
	ctx->ctx_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	return ctx->ctx_fd < 0 ? -1 : 0;
}

/* The flags with which a session of these is created and loaded. */
static void asks(unsigned int flags, unsigned int want_ctx, unsigned int want_load)
{
	pmon_t *m;

	CHECK(pmon_open(&m, "task-clock,cs", flags) == 0);
	CHECK(ctx_flags == (PFM_FL_CLOEXEC | want_ctx));
	load_flags = 0x8000;
	CHECK(pmon_attach(m, 17) == 0);
	CHECK(load_flags == want_load && load_pid == 17);
	pmon_close(m);
}

int main(void)
{
	pmon_group_t *g;
	pmon_t *m;

	asks(0, 0, 0);
	asks(PMON_INHERIT, PFM_FL_TREE, PFM_LOADFL_ALL);
	asks(PMON_INHERIT | PMON_NO_MULTIPLEX, PFM_FL_TREE, PFM_LOADFL_ALL);
	asks(PMON_INHERIT | PMON_PROCESS, PFM_FL_TREE, PFM_LOADFL_ALL | PFM_LOADFL_THREADS);

	CHECK(pmon_open(&m, "cs", PMON_PROCESS) == -EINVAL && !m);
	SAYS("PMON_PROCESS needs PMON_INHERIT");
	CHECK(pmon_open(&m, "cs", PMON_INHERIT | 0x80) == -EINVAL && !m);
	SAYS("there is no flag 0x80");
	CHECK(pmon_open(&m, "cs,migrations", PMON_INHERIT) == -EINVAL && !m);
	SAYS("'migrations' cannot be counted with PMON_INHERIT");
	CHECK(pmon_open(&m, "cs,migrations", 0) == 0);
	pmon_close(m);
	CHECK(pmon_group_open(&g, "cs", PMON_INHERIT) == -EINVAL && !g);
	SAYS("PMON_INHERIT is for pmon_open()");

	no_trees = 1;
	CHECK(pmon_open(&m, "cs", PMON_INHERIT) == -EOPNOTSUPP && !m);
	SAYS("this kernel has no process trees");
	asks(0, 0, 0);
	return check_done();
}
