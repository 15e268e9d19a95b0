// SPDX-License-Identifier: GPL-2.0-only
/*
 * perfmon2: the null sampling format, which records nothing.
 *
 * Documentation/writing-a-format.rst walks through it. It is in the kernel so
 * that what a format may ask of the core can be tested there.
 */
#include <linux/atomic.h>
#include <linux/build_bug.h>

#include <perfmon/format.h>
#include <perfmon/null_smpl.h>

#define PFM_NULL_CTRL_ALL	(PFM_NULL_CTRL_NOTIFY | PFM_NULL_CTRL_RESET | \
				 PFM_NULL_CTRL_BLOCK | PFM_NULL_CTRL_MASK)
#define PFM_NULL_FAIL_ALL	(PFM_NULL_FAIL_VALIDATE | \
				 PFM_NULL_FAIL_GETSIZE | PFM_NULL_FAIL_INIT | \
				 PFM_NULL_FAIL_HANDLER | PFM_NULL_FAIL_RESTART)

static_assert(sizeof(pfm_null_smpl_arg_t) == 16);
static_assert(sizeof(pfm_null_smpl_hdr_t) == 40);

/* Contexts that have been initialised and not ended: 0 if nothing leaks. [a] */
static atomic_t pfm_null_contexts;
module_param_named(contexts, pfm_null_contexts.counter, int, 0444);

static int pfm_null_validate(u32 ctx_flags, u16 num_pmds, void *arg)
{
	const pfm_null_smpl_arg_t *a = arg;

	if ((a->flags & ~PFM_NULL_FMT_BUFFER) ||
	    (a->fail & ~PFM_NULL_FAIL_ALL) ||
	    (a->ovfl_ctrl & ~PFM_NULL_CTRL_ALL) ||
	    (a->restart_ctrl & ~PFM_NULL_CTRL_ALL))
		return -EINVAL;
	/* Nothing but the buffer remembers what a context has asked for. */
	if (!(a->flags & PFM_NULL_FMT_BUFFER) &&
	    (a->ovfl_ctrl || a->restart_ctrl ||
	     (a->fail & (PFM_NULL_FAIL_HANDLER | PFM_NULL_FAIL_RESTART))))
		return -EINVAL;
	return a->fail & PFM_NULL_FAIL_VALIDATE ? -EIO : 0;
}

static int pfm_null_getsize(u32 ctx_flags, void *arg, size_t *size)
{
	const pfm_null_smpl_arg_t *a = arg;

	*size = a->flags & PFM_NULL_FMT_BUFFER ?
		sizeof(pfm_null_smpl_hdr_t) : 0;
	return a->fail & PFM_NULL_FAIL_GETSIZE ? -EIO : 0;
}

static int pfm_null_init(u32 ctx_flags, void *arg, void *buf)
{
	const pfm_null_smpl_arg_t *a = arg;
	pfm_null_smpl_hdr_t *hdr = buf;

	if (a->fail & PFM_NULL_FAIL_INIT)
		return -EIO;
	if (hdr)
		hdr->arg = *a;
	atomic_inc(&pfm_null_contexts);
	return 0;
}

static pfm_ovfl_ctrl_t pfm_null_ctrl(u32 bits)
{
	return (pfm_ovfl_ctrl_t) {
		.notify_user = !!(bits & PFM_NULL_CTRL_NOTIFY),
		.reset_ovfl_pmds = !!(bits & PFM_NULL_CTRL_RESET),
		.block_thread = !!(bits & PFM_NULL_CTRL_BLOCK),
		.mask_monitoring = !!(bits & PFM_NULL_CTRL_MASK),
	};
}

static int pfm_null_handler(void *buf, pfm_ovfl_arg_t *arg, u64 tstamp,
			    void *data)
{
	pfm_null_smpl_hdr_t *hdr = buf;
	u32 bits = PFM_NULL_CTRL_RESET;

	if (hdr) {
		WRITE_ONCE(hdr->overflows, hdr->overflows + 1);
		if (hdr->arg.fail & PFM_NULL_FAIL_HANDLER)
			return -EIO;
		bits = hdr->arg.ovfl_ctrl;
	} else if (arg->ovfl_notify) {
		bits = PFM_NULL_CTRL_NOTIFY | PFM_NULL_CTRL_BLOCK |
		       PFM_NULL_CTRL_MASK;
	}
	arg->ovfl_ctrl = pfm_null_ctrl(bits);
	return 0;
}

static int pfm_null_restart(void *buf, int is_active, pfm_ovfl_ctrl_t *ctrl)
{
	pfm_null_smpl_hdr_t *hdr = buf;
	u32 bits = PFM_NULL_CTRL_RESET;

	if (hdr) {
		WRITE_ONCE(hdr->restarts, hdr->restarts + 1);
		WRITE_ONCE(hdr->active, hdr->active + !!is_active);
		if (hdr->arg.fail & PFM_NULL_FAIL_RESTART)
			return -EIO;
		bits = hdr->arg.restart_ctrl;
	}
	*ctrl = pfm_null_ctrl(bits);
	return 0;
}

static int pfm_null_exit(void *buf)
{
	atomic_dec(&pfm_null_contexts);
	return 0;
}

static const pfm_buffer_fmt_t pfm_null_fmt = {
	.fmt_name = "null",
	.fmt_uuid = PFM_NULL_SMPL_UUID,
	.fmt_arg_size = sizeof(pfm_null_smpl_arg_t),
	.fmt_msgq_depth = 1,
	.fmt_version = PFM_NULL_SMPL_VERSION,
	.fmt_validate = pfm_null_validate,
	.fmt_getsize = pfm_null_getsize,
	.fmt_init = pfm_null_init,
	.fmt_handler = pfm_null_handler,
	.fmt_restart = pfm_null_restart,
	.fmt_exit = pfm_null_exit,
};

static int __init pfm_null_module_init(void)
{
	return pfm_register_buffer_fmt(&pfm_null_fmt);
}
module_init(pfm_null_module_init);

static void __exit pfm_null_module_exit(void)
{
	pfm_unregister_buffer_fmt(pfm_null_fmt.fmt_uuid);
}
module_exit(pfm_null_module_exit);

MODULE_ALIAS_PFM_FMT(PFM_NULL_SMPL_UUID_TEXT);
MODULE_DESCRIPTION("perfmon2: null sampling format");
MODULE_LICENSE("GPL");
