// SPDX-License-Identifier: GPL-2.0-only
/*
 * perfmon2: the system call (3.1): one table of commands.
 *
 * The argument is copied in once: nothing that is acted upon is read from the
 * program again. Results are copied out without a lock held.
 */
#include <linux/file.h>
#include <linux/mm.h>
#include <linux/nospec.h>
#include <linux/sizes.h>
#include <linux/uaccess.h>

#include "compat.h"
#include "host.h"
#include "pfm.h"
#include "reach.h"

/* Arguments up to this size need no allocation: eight PMDs, four PMCs. */
#define PFM_SYSCALL_STACK	512
/*
 * No vector is longer, whatever the administrator's limit is: a page that is allocated
 * in here belongs to no process that the kernel could end when it has no memory left.
 */
#define PFM_SYSCALL_VECTOR_MAX	SZ_16M

/* Only what was copied in or filled in is ever copied out of it. */
#if __has_attribute(__uninitialized__)
#define PFM_UNINITIALIZED	__attribute__((__uninitialized__))
#else
#define PFM_UNINITIALIZED
#endif

/* A call of a program. [s] */
struct pfm_syscall {
	struct pfm_context *ctx;	/* NULL if the command needs none */
	struct pfm_vector vec;		/* its elements, or none */
	void __user *uarg;
};

enum pfm_syscall_narg {
	PFM_NARG_NONE,			/* NULL, 0 */
	PFM_NARG_ONE,
	PFM_NARG_OPTIONAL,		/* NULL, 0 or one */
	PFM_NARG_VECTOR,		/* one or more */
};

enum pfm_syscall_out {
	PFM_OUT_NOTHING,
	PFM_OUT_FLAGS,			/* of elements whose flags changed */
	PFM_OUT_VALUES,			/* of PFM_READ_PMDS */
	PFM_OUT_ALL,			/* elements that were looked at */
};

/* How a command is called. [c] */
struct pfm_command {
	int (*fn)(struct pfm_syscall *call);
	size_t size;			/* of an element */
	enum pfm_syscall_narg narg;
	enum pfm_syscall_out out;
	bool no_ctx;			/* the descriptor is ignored */
};

/* Where the flags of an element stand, in every vector command. */
#define PFM_FLAGS_OFFSET	4

static int pfm_syscall_create_context(struct pfm_syscall *call)
{
	return pfm_create_context(call->vec.elem, call->uarg);
}

static int pfm_syscall_set_config(struct pfm_syscall *call)
{
	return pfm_config_set(call->vec.elem);
}

static int pfm_syscall_get_config(struct pfm_syscall *call)
{
	/* All of it is output: what the program has left there is ignored. */
	pfm_config_get(call->vec.elem);
	call->vec.done = 1;
	return 0;
}

static int pfm_syscall_getinfo(struct pfm_syscall *call, bool pmd)
{
	pfarg_pmcinfo_t *info = call->vec.elem;
	int ret = 0;

	while (call->vec.done < call->vec.n && !ret)
		ret = pfm_pmu_getinfo(pmd, &info[call->vec.done++]);
	return ret;
}

static int pfm_syscall_getinfo_pmcs(struct pfm_syscall *call)
{
	return pfm_syscall_getinfo(call, false);
}

static int pfm_syscall_getinfo_pmds(struct pfm_syscall *call)
{
	return pfm_syscall_getinfo(call, true);
}

static int pfm_syscall_write_pmcs(struct pfm_syscall *call)
{
	return pfm_regs_write_pmcs(call->ctx, &call->vec);
}

static int pfm_syscall_write_pmds(struct pfm_syscall *call)
{
	return pfm_regs_write_pmds(call->ctx, &call->vec);
}

static int pfm_syscall_read_pmds(struct pfm_syscall *call)
{
	return pfm_regs_read_pmds(call->ctx, &call->vec);
}

static int pfm_syscall_getinfo_evtsets(struct pfm_syscall *call)
{
	return pfm_set_getinfo(call->ctx, &call->vec);
}

/* Sets change only while the context is loaded nowhere (3.7.4). */
static int pfm_syscall_evtsets(struct pfm_syscall *call,
			       int (*element)(struct pfm_context *ctx,
					      pfarg_setdesc_t *desc))
{
	struct pfm_context *ctx = call->ctx;
	pfarg_setdesc_t *desc = call->vec.elem;
	bool unloaded;
	int ret = 0;

	/* The mutex keeps it unloaded. */
	raw_spin_lock_irq(&ctx->lock);
	unloaded = ctx->state == PFM_UNLOADED;
	raw_spin_unlock_irq(&ctx->lock);
	if (!unloaded)
		return -EBUSY;
	while (call->vec.done < call->vec.n && !ret)
		ret = element(ctx, &desc[call->vec.done++]);
	return ret;
}

static int pfm_syscall_create_evtsets(struct pfm_syscall *call)
{
	return pfm_syscall_evtsets(call, pfm_set_create);
}

static int pfm_syscall_delete_evtsets(struct pfm_syscall *call)
{
	return pfm_syscall_evtsets(call, pfm_set_delete);
}

static int pfm_syscall_load(struct pfm_syscall *call)
{
	return pfm_attach_load(call->ctx, call->vec.elem);
}

static int pfm_syscall_unload(struct pfm_syscall *call)
{
	return pfm_attach_unload(call->ctx);
}

static int pfm_syscall_start(struct pfm_syscall *call)
{
	return pfm_control_start(call->ctx, call->vec.elem);
}

static int pfm_syscall_stop(struct pfm_syscall *call)
{
	return pfm_control_stop(call->ctx);
}

static int pfm_syscall_restart(struct pfm_syscall *call)
{
	return pfm_control_restart(call->ctx);
}

#define PFM_COMMAND(cmd, f, type, na, o) \
	[cmd] = { .fn = f, .size = sizeof(type), .narg = na, .out = o }
#define PFM_COMMAND_VOID(cmd, f) \
	[cmd] = { .fn = f, .narg = PFM_NARG_NONE }
#define PFM_COMMAND_NOCTX(cmd, f, type, na, o) \
	[cmd] = { .fn = f, .size = sizeof(type), .narg = na, .out = o, \
		  .no_ctx = true }

static const struct pfm_command pfm_commands[] = {
	PFM_COMMAND(PFM_WRITE_PMCS, pfm_syscall_write_pmcs,
		    pfarg_pmc_t, PFM_NARG_VECTOR, PFM_OUT_FLAGS),
	PFM_COMMAND(PFM_WRITE_PMDS, pfm_syscall_write_pmds,
		    pfarg_pmd_t, PFM_NARG_VECTOR, PFM_OUT_FLAGS),
	PFM_COMMAND(PFM_READ_PMDS, pfm_syscall_read_pmds,
		    pfarg_pmd_t, PFM_NARG_VECTOR, PFM_OUT_VALUES),
	PFM_COMMAND_VOID(PFM_STOP, pfm_syscall_stop),
	PFM_COMMAND(PFM_START, pfm_syscall_start,
		    pfarg_start_t, PFM_NARG_OPTIONAL, PFM_OUT_NOTHING),
	PFM_COMMAND_NOCTX(PFM_CREATE_CONTEXT, pfm_syscall_create_context,
			  pfarg_ctx_t, PFM_NARG_ONE, PFM_OUT_NOTHING),
	PFM_COMMAND_VOID(PFM_RESTART, pfm_syscall_restart),
	PFM_COMMAND(PFM_LOAD_CONTEXT, pfm_syscall_load,
		    pfarg_load_t, PFM_NARG_ONE, PFM_OUT_NOTHING),
	PFM_COMMAND_VOID(PFM_UNLOAD_CONTEXT, pfm_syscall_unload),
	PFM_COMMAND(PFM_CREATE_EVTSETS, pfm_syscall_create_evtsets,
		    pfarg_setdesc_t, PFM_NARG_VECTOR, PFM_OUT_ALL),
	PFM_COMMAND(PFM_DELETE_EVTSETS, pfm_syscall_delete_evtsets,
		    pfarg_setdesc_t, PFM_NARG_VECTOR, PFM_OUT_FLAGS),
	PFM_COMMAND(PFM_GETINFO_EVTSETS, pfm_syscall_getinfo_evtsets,
		    pfarg_setinfo_t, PFM_NARG_VECTOR, PFM_OUT_ALL),
	PFM_COMMAND_NOCTX(PFM_GETINFO_PMCS, pfm_syscall_getinfo_pmcs,
			  pfarg_pmcinfo_t, PFM_NARG_VECTOR, PFM_OUT_ALL),
	PFM_COMMAND_NOCTX(PFM_GETINFO_PMDS, pfm_syscall_getinfo_pmds,
			  pfarg_pmdinfo_t, PFM_NARG_VECTOR, PFM_OUT_ALL),
	PFM_COMMAND_NOCTX(PFM_SET_CONFIG, pfm_syscall_set_config,
			  pfarg_config_t, PFM_NARG_ONE, PFM_OUT_NOTHING),
	PFM_COMMAND_NOCTX(PFM_GET_CONFIG, pfm_syscall_get_config,
			  pfarg_config_t, PFM_NARG_ONE, PFM_OUT_ALL),
};

static int pfm_syscall_check_narg(const struct pfm_command *cmd,
				  void __user *uarg, int narg)
{
	switch (cmd->narg) {
	case PFM_NARG_NONE:
		return uarg || narg ? -EINVAL : 0;
	case PFM_NARG_OPTIONAL:
		if (!narg)
			return uarg ? -EINVAL : 0;
		fallthrough;
	case PFM_NARG_ONE:
		return narg == 1 ? 0 : -EINVAL;
	case PFM_NARG_VECTOR:
		if (narg <= 0)
			return -EINVAL;
		if ((u64)narg * cmd->size > READ_ONCE(pfm_config.arg_size_max))
			return -E2BIG;
		return 0;
	}
	return -EINVAL;
}

/*
 * A read is the command that costs most often: only those fields travel that
 * the command uses. What it does not fill in must not get out.
 */
static int pfm_syscall_copy_in_read(const struct pfm_syscall *call)
{
	const pfarg_pmd_t __user *from = call->uarg;
	pfarg_pmd_t *to = call->vec.elem;
	unsigned int i;

	if (!user_read_access_begin(from, call->vec.n * sizeof(*from)))
		return -EFAULT;
	for (i = 0; i < call->vec.n; i++, from++, to++) {
		unsafe_get_user(to->reg_num, &from->reg_num, fault);
		unsafe_get_user(to->reg_set, &from->reg_set, fault);
		unsafe_get_user(to->reg_flags, &from->reg_flags, fault);
		unsafe_get_user(to->reg_pad, &from->reg_pad, fault);
	}
	user_read_access_end();
	return 0;

fault:
	user_read_access_end();
	return -EFAULT;
}

static int pfm_syscall_copy_values(const struct pfm_syscall *call)
{
	pfarg_pmd_t __user *to = call->uarg;
	const pfarg_pmd_t *from = call->vec.elem;
	unsigned int i;

	if (!user_write_access_begin(to, call->vec.done * sizeof(*to)))
		return -EFAULT;
	for (i = 0; i < call->vec.done; i++, from++, to++) {
		unsafe_put_user(from->reg_flags, &to->reg_flags, fault);
		if (PFM_REG_HAS_ERROR(from->reg_flags))
			break;
		unsafe_put_user(from->reg_value, &to->reg_value, fault);
		unsafe_put_user(from->reg_last_reset_val,
				&to->reg_last_reset_val, fault);
		unsafe_put_user(from->reg_ovflsw_thres,
				&to->reg_ovflsw_thres, fault);
	}
	user_write_access_end();
	return 0;

fault:
	user_write_access_end();
	return -EFAULT;
}

/* The vector of a command that only writes may be constant: look first. */
static int pfm_syscall_copy_flags(const struct pfm_syscall *call, size_t size)
{
	unsigned int i;

	for (i = 0; i < call->vec.done; i++) {
		size_t offset = i * size + PFM_FLAGS_OFFSET;
		u32 __user *to = call->uarg + offset;
		u32 *flags = call->vec.elem + offset;
		u32 old;

		if (get_user(old, to) || (old != *flags && put_user(*flags, to)))
			return -EFAULT;
	}
	return 0;
}

static int pfm_syscall_copy_in(const struct pfm_command *cmd,
			       const struct pfm_syscall *call)
{
	if (cmd->out == PFM_OUT_VALUES)
		return pfm_syscall_copy_in_read(call);
	return copy_from_user(call->vec.elem, call->uarg, call->vec.n * cmd->size) ?
	       -EFAULT : 0;
}

static int pfm_syscall_copy_out(const struct pfm_command *cmd,
				const struct pfm_syscall *call)
{
	switch (cmd->out) {
	case PFM_OUT_NOTHING:
		return 0;
	case PFM_OUT_FLAGS:
		return pfm_syscall_copy_flags(call, cmd->size);
	case PFM_OUT_VALUES:
		return pfm_syscall_copy_values(call);
	case PFM_OUT_ALL:
		if (copy_to_user(call->uarg, call->vec.elem, call->vec.done * cmd->size))
			return -EFAULT;
	}
	return 0;
}

/* A command of a context. */
static noinline int pfm_syscall_context(const struct pfm_command *cmd,
					struct pfm_syscall *call,
					struct file *file, int fd)
{
	struct fd f = {};
	int ret;

	if (!file) {
		f = fdget(fd);
		if (fd_empty(f))
			return -EBADF;
		file = fd_file(f);
	}
	call->ctx = pfm_file_context(file);
	if (!call->ctx) {
		ret = -EBADF;
	} else {
		ret = mutex_lock_killable(&call->ctx->mutex);
		if (!ret) {
			if (unlikely(call->ctx->flags & PFM_FL_TREE))
				pfm_tree_settle(call->ctx);
			ret = pfm_access_may_use(call->ctx) ? cmd->fn(call)
							    : -EPERM;
			mutex_unlock(&call->ctx->mutex);
		}
	}
	fdput(f);
	return ret;
}

static int pfm_syscall_run(const struct pfm_command *cmd, struct pfm_syscall *call,
			   struct file *file, int fd)
{
	/* A program that was handed a context was not handed the way in for all others. */
	if (cmd->no_ctx)
		return file ? -EBADF : cmd->fn(call);
	return pfm_syscall_context(cmd, call, file, fd);
}

/* Any command, by the way that all can take. */
static noinline int pfm_syscall_any(struct file *file, int fd, int op, void __user *uarg,
				    int narg)
{
	u8 stack[PFM_SYSCALL_STACK] __aligned(8) PFM_UNINITIALIZED;
	const struct pfm_command *cmd;
	struct pfm_syscall call = { .uarg = uarg };
	size_t size;
	int ret, out;

	if (op < 0 || op >= ARRAY_SIZE(pfm_commands))
		return -EINVAL;
	cmd = &pfm_commands[array_index_nospec(op, ARRAY_SIZE(pfm_commands))];
	if (!cmd->fn)
		return -EINVAL;
	ret = pfm_syscall_check_narg(cmd, uarg, narg);
	if (ret)
		return ret;

	call.vec.n = narg;
	size = array_size(narg, cmd->size);
	if (size) {
		call.vec.elem = stack;
		if (size > sizeof(stack)) {
			if (size > PFM_SYSCALL_VECTOR_MAX)
				return -E2BIG;
			call.vec.elem = kvmalloc(size, GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
			if (!call.vec.elem)
				return -ENOMEM;
		}
		ret = pfm_syscall_copy_in(cmd, &call);
		if (ret)
			goto free;
	}

	ret = pfm_syscall_run(cmd, &call, file, fd);
	out = pfm_syscall_copy_out(cmd, &call);
	if (out)
		ret = out;
free:
	if (size > sizeof(stack))
		kvfree(call.vec.elem);
	return ret;
}

/*
 * What programs do around each piece of code that they measure: a function for each such
 * command, which does little more than to look whether the context is the thread's own and
 * live here. None of them has to make room for what the others need.
 */

/* Such a vector is short enough for any arg_size_max. */
#define PFM_SYSCALL_FEW	(PFM_SYSCALL_STACK / sizeof(pfarg_pmd_t))
static_assert(PFM_SYSCALL_STACK <= PFM_CONFIG_SIZE_MIN);

/* PFM_READ_PMDS of a few registers. */
static noinline int pfm_syscall_read_few(struct file *file, int fd, void __user *uarg,
					 unsigned int n)
{
	pfarg_pmd_t pmds[PFM_SYSCALL_FEW] PFM_UNINITIALIZED;
	struct pfm_syscall call = { .uarg = uarg, .vec = { .elem = pmds, .n = n } };
	int ret, out;

	ret = pfm_syscall_copy_in_read(&call);
	if (ret)
		return ret;
	if (unlikely(!pfm_reach_own(file, fd, pfm_regs_read_pmds_piece, &call.vec, &ret)) ||
	    unlikely(ret > 0)) {
		call.vec.done = 0;
		ret = pfm_syscall_context(&pfm_commands[PFM_READ_PMDS], &call, file, fd);
	}
	out = pfm_syscall_copy_values(&call);
	return out ? out : ret;
}

/* PFM_START alone. */
static noinline int pfm_syscall_start_own(struct file *file, int fd)
{
	int ret;

	if (likely(!pfm_regmap.rules &&
		   pfm_reach_own(file, fd, pfm_control_start_here, NULL, &ret)))
		return ret;
	return pfm_syscall_any(file, fd, PFM_START, NULL, 0);
}

static int pfm_syscall_copy_in_start(const pfarg_start_t __user *from, pfarg_start_t *to)
{
	if (!user_read_access_begin(from, sizeof(*from)))
		return -EFAULT;
	unsafe_get_user(to->start_set, &from->start_set, fault);
	unsafe_get_user(to->start_pad[0], &from->start_pad[0], fault);
	unsafe_get_user(to->start_pad[1], &from->start_pad[1], fault);
	unsafe_get_user(to->start_pad[2], &from->start_pad[2], fault);
	user_read_access_end();
	return 0;

fault:
	user_read_access_end();
	return -EFAULT;
}

/* PFM_START that names a set. */
static noinline int pfm_syscall_start_set(struct file *file, int fd, void __user *uarg)
{
	pfarg_start_t req;
	struct pfm_syscall call = { .uarg = uarg, .vec = { .elem = &req, .n = 1 } };
	int ret;

	ret = pfm_syscall_copy_in_start(uarg, &req);
	if (ret)
		return ret;
	/* What is wrong with @req, the common way says. */
	if (likely(!pfm_regmap.rules &&
		   !(req.start_pad[0] | req.start_pad[1] | req.start_pad[2]) &&
		   pfm_reach_own(file, fd, pfm_control_start_here, &req, &ret)))
		return ret;
	return pfm_syscall_context(&pfm_commands[PFM_START], &call, file, fd);
}

static noinline int pfm_syscall_stop_own(struct file *file, int fd)
{
	int ret;

	if (likely(!pfm_regmap.rules &&
		   pfm_reach_own(file, fd, pfm_control_stop_here, NULL, &ret)))
		return ret;
	return pfm_syscall_any(file, fd, PFM_STOP, NULL, 0);
}

/**
 * pfm_syscall() - a call of a program (3.1, perfmonctl(2))
 * @file: of a context, held by the caller; or NULL
 * @fd:   without @file, descriptor of a context; ignored by commands that need none
 * @op:   PFM_..., the command
 * @uarg: element or vector of elements, or NULL
 * @narg: number of elements
 *
 * Context: process.
 * Return: 0, or -errno. The flags of the elements that were looked at reach
 * the program even though the command fails.
 */
static __always_inline int pfm_syscall(struct file *file, int fd, int op,
				       void __user *uarg, int narg)
{
	switch (op) {
	case PFM_READ_PMDS:
		if (narg > 0 && narg <= PFM_SYSCALL_FEW)
			return pfm_syscall_read_few(file, fd, uarg, narg);
		break;
	case PFM_START:
		if (narg == 1)
			return pfm_syscall_start_set(file, fd, uarg);
		if (!uarg && !narg)
			return pfm_syscall_start_own(file, fd);
		break;
	case PFM_STOP:
		if (!uarg && !narg)
			return pfm_syscall_stop_own(file, fd);
		break;
	}
	return pfm_syscall_any(file, fd, op, uarg, narg);
}

PFM_HOST_CALL(pfm_syscall);
