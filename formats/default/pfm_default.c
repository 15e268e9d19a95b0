// SPDX-License-Identifier: GPL-2.0-only
/*
 * perfmon2: the default sampling format (3.6).
 *
 * One sample after the other until the largest possible one would not fit any
 * more; then the buffer is full, and monitoring masked. The header in the
 * buffer is the format's only state: programs cannot write to it.
 */
#include <linux/kernel.h>
#include <linux/string.h>

#include <perfmon/sample.h>

#define PFM_DFL_FLAGS	(PFM_DFL_SMPL_NO_HDR | PFM_DFL_SMPL_IIP_HDR)

/* The largest sample of this machine. [c] */
static size_t pfm_dfl_sample_max __read_mostly;

/*
 * The buffer must have room for at least one sample. The upper limit is enforced by
 * the core.
 */
static int pfm_dfl_validate(u32 ctx_flags, u16 num_pmds, void *data)
{
	const pfm_default_smpl_arg_t *arg = data;
	size_t sample = sizeof(pfm_default_smpl_entry_t) + num_pmds * sizeof(u64);

	if (arg->buf_pad || (arg->buf_flags & ~PFM_DFL_FLAGS) ||
	    hweight32(arg->buf_flags) > 1)
		return -EINVAL;
	if (arg->buf_size < sizeof(pfm_default_smpl_hdr_t) + sample ||
	    arg->buf_size > SSIZE_MAX)
		return -EINVAL;
	WRITE_ONCE(pfm_dfl_sample_max, sample);
	return 0;
}

static int pfm_dfl_getsize(u32 ctx_flags, void *data, size_t *size)
{
	const pfm_default_smpl_arg_t *arg = data;

	*size = arg->buf_size;
	return 0;
}

static int pfm_dfl_init(u32 ctx_flags, void *data, void *buf)
{
	const pfm_default_smpl_arg_t *arg = data;

	*(pfm_default_smpl_hdr_t *)buf = (pfm_default_smpl_hdr_t){
		.hdr_cur_offs = sizeof(pfm_default_smpl_hdr_t),
		.hdr_buf_size = arg->buf_size,
		.hdr_version = PFM_DEFAULT_SMPL_VERSION,
		.hdr_flags = arg->buf_flags,
	};
	return 0;
}

/*
 * Post check: the buffer is full when the largest sample would not fit any
 * more. Other counters that overflow with the one that filled it may find
 * room, or not: then their samples are lost, but the message names them.
 */
static int pfm_dfl_handler(void *buf, pfm_ovfl_arg_t *arg, u64 tstamp, void *data)
{
	pfm_default_smpl_hdr_t *hdr = buf;
	size_t room = hdr->hdr_buf_size - hdr->hdr_cur_offs;
	size_t size = pfm_sample_head_size(hdr->hdr_flags) +
		      arg->num_smpl_pmds * sizeof(u64);
	bool full = room < pfm_dfl_sample_max;

	if (size <= room) {
		pfm_sample_write(buf + hdr->hdr_cur_offs, hdr->hdr_flags, arg,
				 tstamp, data);
		hdr->hdr_cur_offs += size;
		/* A program that reads meanwhile: the sample is complete before it counts. */
		smp_wmb();
		WRITE_ONCE(hdr->hdr_count, hdr->hdr_count + 1);
		room -= size;
	}
	if (room >= pfm_dfl_sample_max) {
		arg->ovfl_ctrl.reset_ovfl_pmds = 1;
		return 0;
	}
	hdr->hdr_overflows += !full;
	arg->ovfl_ctrl.notify_user = 1;
	/* A thread that blocks without a message would not be released. */
	arg->ovfl_ctrl.block_thread = arg->event_notify;
	arg->ovfl_ctrl.mask_monitoring = 1;
	return 0;
}

static int pfm_dfl_restart(void *buf, int is_active, pfm_ovfl_ctrl_t *ctrl)
{
	pfm_default_smpl_hdr_t *hdr = buf;

	hdr->hdr_count = 0;
	hdr->hdr_cur_offs = sizeof(*hdr);
	ctrl->reset_ovfl_pmds = !is_active;
	return 0;
}

static const pfm_buffer_fmt_t pfm_dfl_fmt = {
	.fmt_name = "default",
	.fmt_uuid = PFM_DEFAULT_SMPL_UUID,
	.fmt_arg_size = sizeof(pfm_default_smpl_arg_t),
	.fmt_msgq_depth = 1,
	.fmt_version = PFM_DEFAULT_SMPL_VERSION,
	.fmt_validate = pfm_dfl_validate,
	.fmt_getsize = pfm_dfl_getsize,
	.fmt_init = pfm_dfl_init,
	.fmt_handler = pfm_dfl_handler,
	.fmt_restart = pfm_dfl_restart,
};

static int __init pfm_dfl_register(void)
{
	return pfm_register_buffer_fmt(&pfm_dfl_fmt);
}
module_init(pfm_dfl_register);

static void __exit pfm_dfl_unregister(void)
{
	pfm_unregister_buffer_fmt(pfm_dfl_fmt.fmt_uuid);
}
module_exit(pfm_dfl_unregister);

MODULE_DESCRIPTION("perfmon2: the default sampling format");
MODULE_LICENSE("GPL");
MODULE_ALIAS_PFM_FMT(PFM_DEFAULT_SMPL_UUID_TEXT);
