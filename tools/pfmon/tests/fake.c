// SPDX-License-Identifier: GPL-2.0-only
/*
 * A perfmonctl() in place of the kernel's, so that pfmon can be tested on a
 * host without perfmon. It checks that contexts are used in the order that
 * the interface demands, and each counter of a context that was started reads
 * as 1: a sum is the number of threads or CPUs that were counted.
 *
 * FAKE_FAIL="CMD ERRNO" lets the command of this number fail.
 * It does not know when threads end: no messages come.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <perfmon/libperfmon.h>

#define CONTEXTS	4096

static struct context {
	enum { NONE, UNLOADED, LOADED, STARTED } state;
	unsigned int flags;
} contexts[CONTEXTS];

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int fail(int e)
{
	errno = e;
	return -1;
}

static int create(pfarg_ctx_t *ctx)
{
	/* The kernel does not set FD_CLOEXEC either. */
	int fd = open("/dev/null", O_RDONLY);

	if (fd < 0)
		return -1;
	if (fd >= CONTEXTS) {
		close(fd);
		return fail(EMFILE);
	}
	contexts[fd] = (struct context){ UNLOADED, ctx->ctx_flags };
	ctx->ctx_fd = fd;
	return 0;
}

static int load(struct context *ctx, const pfarg_load_t *arg)
{
	if (ctx->state != UNLOADED)
		return fail(EBUSY);
	if (arg->load_set || arg->load_pad)
		return fail(EINVAL);
	if ((ctx->flags & PFM_FL_SYSTEM_WIDE) &&
	    arg->load_pid != (pid_t)syscall(SYS_gettid))
		return fail(EINVAL);
	if (syscall(SYS_tkill, arg->load_pid, 0))
		return fail(ESRCH);
	ctx->state = LOADED;
	return 0;
}

static int start(struct context *ctx)
{
	if (ctx->state < LOADED)
		return fail(EBUSY);
	ctx->state = STARTED;
	return 0;
}

static int read_pmds(struct context *ctx, pfarg_pmd_t *pmds, int n)
{
	while (n-- > 0)
		pmds[n].reg_value = ctx->state == STARTED;
	return 0;
}

static int get_config(pfarg_config_t *cfg)
{
	memset(cfg, 0, sizeof(*cfg));
	cfg->cf_version = PFM_VERSION;
	cfg->cf_sys_gid = PFM_GROUP_ANY;
	cfg->cf_thread_gid = 0;
	cfg->cf_arg_size_max = 4096;
	cfg->cf_counter_width = 64;
	pfm_bv_set(cfg->cf_impl_pmcs, PFM_SW_PMC0);
	pfm_bv_set(cfg->cf_impl_pmds, PFM_SW_PMD0);
	return 0;
}

static int getinfo(pfarg_pmcinfo_t *info)
{
	info->reg_type = PFM_REG_TYPE_VIRTUAL;
	info->reg_rsvd_mask = ~0xffULL;
	info->reg_index = PFM_REG_IDX_NONE;
	return 0;
}

static int dispatch(int fd, int cmd, void *arg, int narg)
{
	struct context *ctx = &contexts[fd < 0 || fd >= CONTEXTS ? 0 : fd];

	switch (cmd) {
	case PFM_GET_CONFIG:
		return get_config(arg);
	case PFM_GETINFO_PMCS:
	case PFM_GETINFO_PMDS:
		return getinfo(arg);
	case PFM_CREATE_CONTEXT:
		return create(arg);
	}
	if (ctx->state == NONE || fcntl(fd, F_GETFD) < 0)
		return fail(EBADF);
	switch (cmd) {
	case PFM_WRITE_PMCS:
		return 0;
	case PFM_LOAD_CONTEXT:
		return load(ctx, arg);
	case PFM_START:
		return start(ctx);
	case PFM_STOP:
		return ctx->state < LOADED ? fail(EBUSY) : 0;
	case PFM_READ_PMDS:
		return read_pmds(ctx, arg, narg);
	default:
		return fail(EINVAL);
	}
}

int perfmonctl(int fd, int cmd, void *arg, int narg)
{
	const char *want = getenv("FAKE_FAIL");
	int fail_cmd, fail_errno, ret;

	if (want && sscanf(want, "%d %d", &fail_cmd, &fail_errno) == 2 &&
	    fail_cmd == cmd)
		return fail(fail_errno);
	pthread_mutex_lock(&lock);
	ret = dispatch(fd, cmd, arg, narg);
	pthread_mutex_unlock(&lock);
	return ret;
}
