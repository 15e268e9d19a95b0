// SPDX-License-Identifier: GPL-2.0-only
/*
 * perfmon2: the double-buffering sampling format (6.3.1).
 *
 * The user interface, include/uapi/perfmon/double_smpl.h, says what happens
 * when. States of the two halves, K the kernel's, U the program's, F free:
 *
 *	KF	the kernel's gets full:		UK, a message
 *	KU	PFM_RESTART:			KF
 *		the kernel's gets full:		KU, the next sample cycles; or,
 *						if it is to mask: UU, a message
 *	UU	PFM_RESTART:			KU, the older one goes to K
 *
 * and the same with the halves exchanged. It is in the kernel because between
 * a full buffer and a program that looks at it there would be no samples.
 *
 * A program can only read the buffer: what stands in it can be trusted. It
 * reads at any time, so the order of the stores matters.
 */
#include <linux/build_bug.h>
#include <linux/limits.h>
#include <linux/string.h>

#include <perfmon/double_smpl.h>
#include <perfmon/sample.h>

#define PFM_DOUBLE_FLAGS	(PFM_DOUBLE_SMPL_NO_HDR | \
				 PFM_DOUBLE_SMPL_IIP_HDR | \
				 PFM_DOUBLE_SMPL_MASK_WHEN_FULL)

static_assert(sizeof(pfm_double_smpl_arg_t) == 16);
static_assert(sizeof(pfm_double_smpl_half_t) == 40);
static_assert(offsetof(pfm_double_smpl_hdr_t, hdr_half) == 56);
static_assert(sizeof(pfm_double_smpl_hdr_t) == 136);
static_assert(sizeof(pfm_double_smpl_entry_t) == 40);
static_assert(PFM_DOUBLE_SMPL_NO_HDR == PFM_DFL_SMPL_NO_HDR);
static_assert(PFM_DOUBLE_SMPL_IIP_HDR == PFM_DFL_SMPL_IIP_HDR);

static u32 pfm_double_max_sample(u32 flags)
{
	return pfm_sample_head_size(flags) +
	       pfm_fmt_num_pmds() * sizeof(u64);
}

static int pfm_double_validate(u32 ctx_flags, u16 num_pmds, void *arg)
{
	const pfm_double_smpl_arg_t *a = arg;
	u32 hdr = PFM_DOUBLE_SMPL_NO_HDR | PFM_DOUBLE_SMPL_IIP_HDR;
	u32 max;

	if (a->buf_pad || (a->buf_flags & ~PFM_DOUBLE_FLAGS) ||
	    (a->buf_flags & hdr) == hdr)
		return -EINVAL;
	/* There is nothing to wait for but the masking. */
	if ((ctx_flags & PFM_FL_NOTIFY_BLOCK) &&
	    !(a->buf_flags & PFM_DOUBLE_SMPL_MASK_WHEN_FULL))
		return -EINVAL;

	max = pfm_double_max_sample(a->buf_flags);
	if (a->buf_size < sizeof(pfm_double_smpl_hdr_t) + 2 * max ||
	    a->buf_size > LONG_MAX)
		return -EINVAL;
	return 0;
}

static int pfm_double_getsize(u32 ctx_flags, void *arg, size_t *size)
{
	const pfm_double_smpl_arg_t *a = arg;

	*size = a->buf_size;
	return 0;
}

/* Have the kernel write this half from its beginning. */
static void pfm_double_begin(pfm_double_smpl_hdr_t *h, u32 i)
{
	pfm_double_smpl_half_t *half = &h->hdr_half[i];

	WRITE_ONCE(half->half_count, 0);
	WRITE_ONCE(half->half_cur_offs, half->half_offs);
	/* A reader that sees the new half_first does not see the old half_count. */
	smp_wmb();
	WRITE_ONCE(half->half_first, h->hdr_samples);
	WRITE_ONCE(half->half_state, PFM_DOUBLE_SMPL_KERNEL);
	WRITE_ONCE(h->hdr_cur, i);
	/* A reader that has copied new samples for old ones sees the new half_first. */
	smp_wmb();
}

static int pfm_double_init(u32 ctx_flags, void *arg, void *buf)
{
	const pfm_double_smpl_arg_t *a = arg;
	pfm_double_smpl_hdr_t *h = buf;
	pfm_double_smpl_half_t *half = h->hdr_half;

	h->hdr_version = PFM_DOUBLE_SMPL_VERSION;
	h->hdr_flags = a->buf_flags;
	h->hdr_buf_size = a->buf_size;
	h->hdr_half_size = ((a->buf_size - sizeof(*h)) >> 1) & ~7ULL;
	h->hdr_max_sample = pfm_double_max_sample(a->buf_flags);
	half[0].half_offs = sizeof(*h);
	half[1].half_offs = sizeof(*h) + h->hdr_half_size;
	half[1].half_cur_offs = half[1].half_offs;
	pfm_double_begin(h, 0);
	return 0;
}

static bool pfm_double_is_full(const pfm_double_smpl_hdr_t *h,
			       const pfm_double_smpl_half_t *half)
{
	return half->half_offs + h->hdr_half_size - half->half_cur_offs <
	       h->hdr_max_sample;
}

/* The kernel's half becomes the program's. */
static void pfm_double_hand_over(pfm_double_smpl_hdr_t *h)
{
	/* A program that sees the half as its own also sees all of its samples. */
	smp_store_release(&h->hdr_half[h->hdr_cur].half_state,
			  PFM_DOUBLE_SMPL_USER);
}

/* Returns the half for the next sample, NULL if there is none. */
static pfm_double_smpl_half_t *pfm_double_room(pfm_double_smpl_hdr_t *h,
					       pfm_ovfl_ctrl_t *ctrl)
{
	u32 cur = h->hdr_cur;
	pfm_double_smpl_half_t *half = &h->hdr_half[cur];

	if (likely(!pfm_double_is_full(h, half)))
		return half;
	if (half->half_state == PFM_DOUBLE_SMPL_USER)
		return NULL;
	if (h->hdr_half[!cur].half_state == PFM_DOUBLE_SMPL_FREE) {
		pfm_double_hand_over(h);
		ctrl->notify_user = 1;
		cur = !cur;
	} else {
		WRITE_ONCE(h->hdr_lost, h->hdr_lost + half->half_count);
	}
	pfm_double_begin(h, cur);
	return &h->hdr_half[cur];
}

static void pfm_double_write(pfm_double_smpl_hdr_t *h,
			     pfm_double_smpl_half_t *half,
			     const pfm_ovfl_arg_t *arg, u64 tstamp,
			     const struct pfm_ovfl_data *data)
{
	/* No more values than are implemented: hdr_max_sample has room. */
	void *end = pfm_sample_write((void *)h + half->half_cur_offs,
				     h->hdr_flags, arg, tstamp, data);

	WRITE_ONCE(half->half_cur_offs, end - (void *)h);
	/* A reader that sees half_count raised also sees the whole sample. */
	smp_wmb();
	WRITE_ONCE(half->half_count, half->half_count + 1);
}

/* The kernel's half has just got full. */
static void pfm_double_full(pfm_double_smpl_hdr_t *h, pfm_ovfl_ctrl_t *ctrl)
{
	u32 other = !h->hdr_cur;

	WRITE_ONCE(h->hdr_overflows, h->hdr_overflows + 1);
	if (h->hdr_half[other].half_state == PFM_DOUBLE_SMPL_FREE) {
		pfm_double_hand_over(h);
		pfm_double_begin(h, other);
		ctrl->notify_user = 1;
	} else if (h->hdr_flags & PFM_DOUBLE_SMPL_MASK_WHEN_FULL) {
		pfm_double_hand_over(h);
		ctrl->notify_user = 1;
		ctrl->mask_monitoring = 1;
	}
	/* Else the next sample cycles: there may be room until then. */
}

static int pfm_double_handler(void *buf, pfm_ovfl_arg_t *arg, u64 tstamp,
			      void *data)
{
	pfm_double_smpl_hdr_t *h = buf;
	pfm_ovfl_ctrl_t ctrl = { };
	pfm_double_smpl_half_t *half = pfm_double_room(h, &ctrl);

	WRITE_ONCE(h->hdr_samples, h->hdr_samples + 1);
	if (likely(half)) {
		pfm_double_write(h, half, arg, tstamp, data);
		if (pfm_double_is_full(h, half))
			pfm_double_full(h, &ctrl);
	} else {
		/*
		 * This counter overflowed together with the one that masked; or
		 * the context was loaded anew before the program released a half.
		 */
		WRITE_ONCE(h->hdr_lost, h->hdr_lost + 1);
		ctrl.notify_user = 1;
		ctrl.mask_monitoring = 1;
	}
	/* A thread that blocks without a message would not be released. */
	ctrl.block_thread = ctrl.mask_monitoring && arg->event_notify;
	ctrl.reset_ovfl_pmds = !ctrl.mask_monitoring;
	arg->ovfl_ctrl = ctrl;
	return 0;
}

static int pfm_double_restart(void *buf, int is_active, pfm_ovfl_ctrl_t *ctrl)
{
	pfm_double_smpl_hdr_t *h = buf;
	u32 cur = h->hdr_cur, other = !cur;

	/* The half that is not written last is the older one. */
	if (h->hdr_half[cur].half_state == PFM_DOUBLE_SMPL_USER)
		pfm_double_begin(h, other);
	else if (h->hdr_half[other].half_state == PFM_DOUBLE_SMPL_USER)
		WRITE_ONCE(h->hdr_half[other].half_state,
			   PFM_DOUBLE_SMPL_FREE);
	ctrl->reset_ovfl_pmds = !is_active;
	return 0;
}

static const pfm_buffer_fmt_t pfm_double_fmt = {
	.fmt_name = "double",
	.fmt_uuid = PFM_DOUBLE_SMPL_UUID,
	.fmt_arg_size = sizeof(pfm_double_smpl_arg_t),
	.fmt_msgq_depth = 2,		/* as many as halves */
	.fmt_version = PFM_DOUBLE_SMPL_VERSION,
	.fmt_validate = pfm_double_validate,
	.fmt_getsize = pfm_double_getsize,
	.fmt_init = pfm_double_init,
	.fmt_handler = pfm_double_handler,
	.fmt_restart = pfm_double_restart,
};

static int __init pfm_double_module_init(void)
{
	return pfm_register_buffer_fmt(&pfm_double_fmt);
}
module_init(pfm_double_module_init);

static void __exit pfm_double_module_exit(void)
{
	pfm_unregister_buffer_fmt(pfm_double_fmt.fmt_uuid);
}
module_exit(pfm_double_module_exit);

MODULE_ALIAS_PFM_FMT(PFM_DOUBLE_SMPL_UUID_TEXT);
MODULE_DESCRIPTION("perfmon2: double-buffering sampling format");
MODULE_LICENSE("GPL");
