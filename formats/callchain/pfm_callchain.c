// SPDX-License-Identifier: GPL-2.0-only
/*
 * perfmon2: the call chain sampling format.
 *
 * Records one after the other until the largest sample would not fit any more,
 * as the default format has them; the user interface,
 * include/uapi/perfmon/callchain_smpl.h, says what they are. It is in the
 * kernel because by the time that a program looks the stack has changed.
 *
 * A program can only read the buffer: what stands in it can be trusted. It
 * reads at any time, so the order of the stores matters.
 */
#include <linux/build_bug.h>
#include <linux/init.h>
#include <linux/limits.h>
#include <linux/module.h>
#include <linux/sched.h>

#include <perfmon/callchain.h>

#define PFM_CALLCHAIN_FLAGS	(PFM_CALLCHAIN_SMPL_KERNEL | \
				 PFM_CALLCHAIN_SMPL_USER | \
				 PFM_CALLCHAIN_SMPL_MAPS)

static_assert(sizeof(pfm_callchain_smpl_arg_t) == 16);
static_assert(sizeof(pfm_callchain_smpl_hdr_t) == 72);
static_assert(sizeof(pfm_callchain_smpl_sample_t) == 48);
static_assert(sizeof(pfm_callchain_smpl_map_t) == 64);
static_assert(sizeof(pfm_callchain_smpl_exec_t) == 40);
static_assert(sizeof(pfm_callchain_smpl_lost_t) == 48);
static_assert(TASK_COMM_LEN <= sizeof_field(pfm_callchain_smpl_exec_t, comm));
static_assert(PFM_CALLCHAIN_MAP_READ == PFM_MAP_READ);
static_assert(PFM_CALLCHAIN_MAP_WRITE == PFM_MAP_WRITE);
static_assert(PFM_CALLCHAIN_MAP_EXEC == PFM_MAP_EXEC);
static_assert(PFM_CALLCHAIN_MAP_SHARED == PFM_MAP_SHARED);

static u16 pfm_callchain_depth(const pfm_callchain_smpl_arg_t *a)
{
	return a->buf_max_depth ?: PFM_CALLCHAIN_SMPL_DEF_DEPTH;
}

static u32 pfm_callchain_max_sample(const pfm_callchain_smpl_arg_t *a)
{
	return sizeof(pfm_callchain_smpl_sample_t) + sizeof(u64) *
	       (pfm_fmt_num_pmds() +
		pfm_callchain_words(a->buf_flags, pfm_callchain_depth(a)));
}

static int pfm_callchain_validate(u32 ctx_flags, u16 num_pmds, void *arg)
{
	const pfm_callchain_smpl_arg_t *a = arg;

	if (a->buf_pad || (a->buf_flags & ~PFM_CALLCHAIN_FLAGS) ||
	    a->buf_max_depth > PFM_CALLCHAIN_SMPL_MAX_DEPTH)
		return -EINVAL;
	if (a->buf_size < sizeof(pfm_callchain_smpl_hdr_t) +
			  pfm_callchain_max_sample(a) ||
	    a->buf_size > LONG_MAX)
		return -EINVAL;
	return 0;
}

static int pfm_callchain_getsize(u32 ctx_flags, void *arg, size_t *size)
{
	const pfm_callchain_smpl_arg_t *a = arg;

	*size = a->buf_size;
	return 0;
}

static int pfm_callchain_init(u32 ctx_flags, void *arg, void *buf)
{
	const pfm_callchain_smpl_arg_t *a = arg;

	*(pfm_callchain_smpl_hdr_t *)buf = (pfm_callchain_smpl_hdr_t) {
		.hdr_cur_offs = sizeof(pfm_callchain_smpl_hdr_t),
		.hdr_buf_size = a->buf_size,
		.hdr_version = PFM_CALLCHAIN_SMPL_VERSION,
		.hdr_flags = a->buf_flags,
		.hdr_max_sample = pfm_callchain_max_sample(a),
		.hdr_max_depth = pfm_callchain_depth(a),
		.hdr_size = sizeof(pfm_callchain_smpl_hdr_t),
	};
	return 0;
}

static bool pfm_callchain_fits(const pfm_callchain_smpl_hdr_t *h, u32 size)
{
	return h->hdr_buf_size - h->hdr_cur_offs >= size;
}

/* The record at the end is complete. */
static void pfm_callchain_add(pfm_callchain_smpl_hdr_t *h, u32 size)
{
	WRITE_ONCE(h->hdr_cur_offs, h->hdr_cur_offs + size);
	/* A reader that sees hdr_count raised also sees the whole record. */
	smp_wmb();
	WRITE_ONCE(h->hdr_count, h->hdr_count + 1);
}

/* There is room for the largest sample. */
static void pfm_callchain_write(pfm_callchain_smpl_hdr_t *h,
				const pfm_ovfl_arg_t *arg, u64 tstamp,
				struct pfm_ovfl_data *data)
{
	pfm_callchain_add(h, pfm_callchain_put_sample((void *)h + h->hdr_cur_offs,
						      h->hdr_flags, h->hdr_max_depth,
						      arg, tstamp, data));
}

static int pfm_callchain_handler(void *buf, pfm_ovfl_arg_t *arg, u64 tstamp,
				 void *data)
{
	pfm_callchain_smpl_hdr_t *h = buf;

	if (likely(pfm_callchain_fits(h, h->hdr_max_sample))) {
		pfm_callchain_write(h, arg, tstamp, data);
		if (likely(pfm_callchain_fits(h, h->hdr_max_sample))) {
			arg->ovfl_ctrl.reset_ovfl_pmds = 1;
			return 0;
		}
		WRITE_ONCE(h->hdr_overflows, h->hdr_overflows + 1);
	} else {
		/*
		 * This counter overflowed together with the one that filled the
		 * buffer; or the context was loaded anew with a full buffer.
		 */
		WRITE_ONCE(h->hdr_lost, h->hdr_lost + 1);
	}
	arg->ovfl_ctrl.notify_user = 1;
	/* A thread that blocks without a message would not be released. */
	arg->ovfl_ctrl.block_thread = arg->event_notify;
	arg->ovfl_ctrl.mask_monitoring = 1;
	return 0;
}

/* Samples fill the buffer, not these: hence the room for the largest one. */
static void pfm_callchain_map(void *buf, const struct pfm_map_info *info)
{
	pfm_callchain_smpl_hdr_t *h = buf;
	u32 size;

	if (!(h->hdr_flags & PFM_CALLCHAIN_SMPL_MAPS))
		return;
	size = pfm_callchain_map_size(info);
	if (!pfm_callchain_fits(h, size + h->hdr_max_sample)) {
		WRITE_ONCE(h->hdr_lost_maps, h->hdr_lost_maps + 1);
		return;
	}
	pfm_callchain_add(h, pfm_callchain_put_map(buf + h->hdr_cur_offs, info));
}

static int pfm_callchain_restart(void *buf, int is_active,
				 pfm_ovfl_ctrl_t *ctrl)
{
	pfm_callchain_smpl_hdr_t *h = buf;

	WRITE_ONCE(h->hdr_cleared, h->hdr_cleared + h->hdr_count);
	WRITE_ONCE(h->hdr_count, 0);
	WRITE_ONCE(h->hdr_cur_offs, sizeof(*h));
	ctrl->reset_ovfl_pmds = !is_active;
	return 0;
}

static const pfm_buffer_fmt_t pfm_callchain_fmt = {
	.fmt_name = "callchain",
	.fmt_uuid = PFM_CALLCHAIN_SMPL_UUID,
	.fmt_arg_size = sizeof(pfm_callchain_smpl_arg_t),
	.fmt_msgq_depth = 1,
	.fmt_version = PFM_CALLCHAIN_SMPL_VERSION,
	.fmt_validate = pfm_callchain_validate,
	.fmt_getsize = pfm_callchain_getsize,
	.fmt_init = pfm_callchain_init,
	.fmt_handler = pfm_callchain_handler,
	.fmt_restart = pfm_callchain_restart,
	.fmt_map = pfm_callchain_map,
};

static int __init pfm_callchain_register(void)
{
	return pfm_register_buffer_fmt(&pfm_callchain_fmt);
}
module_init(pfm_callchain_register);

static void __exit pfm_callchain_unregister(void)
{
	pfm_unregister_buffer_fmt(pfm_callchain_fmt.fmt_uuid);
}
module_exit(pfm_callchain_unregister);

MODULE_DESCRIPTION("perfmon2: call chain sampling format");
MODULE_LICENSE("GPL");
MODULE_ALIAS_PFM_FMT(PFM_CALLCHAIN_SMPL_UUID_TEXT);
