// SPDX-License-Identifier: GPL-2.0-only
/*
 * perfmon2: the double-buffering call chain sampling format.
 *
 * The user interface, include/uapi/perfmon/calldouble_smpl.h, says what happens
 * when. States of the two halves, K the kernel's, U the program's, F free:
 *
 *	KF	the kernel's has no room:	UK, a message
 *	KU	PFM_RESTART:			KF
 *		the kernel's has no room:	KU, what comes is lost; or,
 *						if it is to mask: UU, a message
 *	UU	PFM_RESTART:			KU, the older one goes to K
 *
 * and the same with the halves exchanged. It is in the kernel because between
 * a full buffer and a program that looks at it there would be no samples.
 *
 * Unlike the double format it does not overwrite what no program has read: a
 * reader follows the kernel's half without looking twice, and the names of functions
 * depend on the MAP records that came first.
 *
 * A program can only read the buffer: what stands in it can be trusted. It
 * reads at any time, so the order of the stores matters.
 */
#include <linux/build_bug.h>
#include <linux/capability.h>
#include <linux/limits.h>

#include <perfmon/calldouble_smpl.h>
#include <perfmon/callchain.h>

#define PFM_CALLDOUBLE_FLAGS	(PFM_CALLCHAIN_SMPL_KERNEL | \
				 PFM_CALLCHAIN_SMPL_USER | \
				 PFM_CALLCHAIN_SMPL_MAPS | \
				 PFM_CALLDOUBLE_SMPL_MASK_WHEN_FULL | \
				 PFM_CALLDOUBLE_SMPL_FORKS)

static_assert(sizeof(pfm_calldouble_smpl_arg_t) == 24);
static_assert(sizeof(pfm_calldouble_smpl_arg_t) >= PFM_CALLDOUBLE_SMPL_ARG_SIZE);
static_assert(sizeof(pfm_calldouble_smpl_half_t) == 16);
static_assert(offsetof(pfm_calldouble_smpl_hdr_t, hdr_gap) == 80);
static_assert(offsetof(pfm_calldouble_smpl_hdr_t, hdr_half) == 128);
static_assert(sizeof(pfm_calldouble_smpl_hdr_t) == 160);
static_assert(sizeof(pfm_calldouble_smpl_user_t) == 8);
/* The size of a record has 16 bits. */
static_assert(sizeof(pfm_callchain_smpl_sample_t) + sizeof(u64) *
	      (PFM_MAX_PMDS + 2 * PFM_CALLCHAIN_SMPL_MAX_DEPTH + PFM_SAMPLE_USER_REGS) +
	      sizeof(pfm_calldouble_smpl_user_t) + PFM_CALLDOUBLE_SMPL_MAX_STACK <= U16_MAX);

static u16 pfm_calldouble_depth(const pfm_calldouble_smpl_arg_t *a)
{
	return a->buf_max_depth ?: PFM_CALLCHAIN_SMPL_DEF_DEPTH;
}

static u32 pfm_calldouble_max_user(const pfm_calldouble_smpl_arg_t *a)
{
	if (!a->buf_stack)
		return 0;
	return sizeof(pfm_calldouble_smpl_user_t) +
	       sizeof(u64) * pfm_sample_user_state_max() + a->buf_stack;
}

static u32 pfm_calldouble_max_sample(const pfm_calldouble_smpl_arg_t *a)
{
	return sizeof(pfm_callchain_smpl_sample_t) + sizeof(u64) *
	       (pfm_fmt_num_pmds() +
		pfm_callchain_words(a->buf_flags, pfm_calldouble_depth(a))) +
	       pfm_calldouble_max_user(a);
}

static int pfm_calldouble_validate(u32 ctx_flags, u16 num_pmds, void *arg)
{
	const pfm_calldouble_smpl_arg_t *a = arg;
	u32 room;

	if (a->arg_size < PFM_CALLDOUBLE_SMPL_ARG_SIZE ||
	    a->buf_pad[0] || a->buf_pad[1] ||
	    (a->buf_flags & ~PFM_CALLDOUBLE_FLAGS) ||
	    ((a->buf_flags & PFM_CALLDOUBLE_SMPL_FORKS) &&
	     !(a->buf_flags & PFM_CALLCHAIN_SMPL_MAPS)) ||
	    a->buf_max_depth > PFM_CALLCHAIN_SMPL_MAX_DEPTH ||
	    a->buf_stack > PFM_CALLDOUBLE_SMPL_MAX_STACK || a->buf_stack % sizeof(u64))
		return -EINVAL;
	if (a->buf_stack && !pfm_sample_user_state_max())
		return -EOPNOTSUPP;
	/* Who may see what others' programs do need not see what they have in memory. */
	if (a->buf_stack && (ctx_flags & PFM_FL_SYSTEM_WIDE) && !perfmon_capable())
		return -EPERM;
	/* There is nothing to wait for but the masking. */
	if ((ctx_flags & PFM_FL_NOTIFY_BLOCK) &&
	    !(a->buf_flags & PFM_CALLDOUBLE_SMPL_MASK_WHEN_FULL))
		return -EINVAL;

	room = sizeof(pfm_callchain_smpl_lost_t) + pfm_calldouble_max_sample(a);
	if (a->buf_size < sizeof(pfm_calldouble_smpl_hdr_t) + 2 * room ||
	    a->buf_size > S32_MAX)
		return -EINVAL;
	return 0;
}

static int pfm_calldouble_getsize(u32 ctx_flags, void *arg, size_t *size)
{
	const pfm_calldouble_smpl_arg_t *a = arg;

	*size = a->buf_size;
	return 0;
}

/* Have the kernel write half @i, as filling @seq. */
static void pfm_calldouble_begin(pfm_calldouble_smpl_hdr_t *h, u32 i, u32 seq)
{
	pfm_calldouble_smpl_half_t *half = &h->hdr_half[i];

	WRITE_ONCE(half->half_end, half->half_begin);
	WRITE_ONCE(half->half_state, PFM_CALLDOUBLE_SMPL_KERNEL);
	/* A reader that sees the new number sees the half as empty, or later. */
	smp_store_release(&half->half_seq, seq);
	WRITE_ONCE(h->hdr_cur, i);
}

static int pfm_calldouble_init(u32 ctx_flags, void *arg, void *buf)
{
	const pfm_calldouble_smpl_arg_t *a = arg;
	pfm_calldouble_smpl_hdr_t *h = buf;
	pfm_calldouble_smpl_half_t *half = h->hdr_half;

	h->hdr_version = PFM_CALLDOUBLE_SMPL_VERSION;
	h->hdr_size = sizeof(*h);
	h->hdr_buf_size = a->buf_size;
	h->hdr_flags = a->buf_flags;
	h->hdr_half_size = (((u32)a->buf_size - sizeof(*h)) >> 1) & ~7U;
	h->hdr_max_sample = pfm_calldouble_max_sample(a);
	h->hdr_max_depth = pfm_calldouble_depth(a);
	h->hdr_stack = a->buf_stack;
	half[0].half_begin = sizeof(*h);
	half[1].half_begin = sizeof(*h) + h->hdr_half_size;
	half[1].half_end = half[1].half_begin;
	half[1].half_seq = -1;
	pfm_calldouble_begin(h, 0, 0);
	return 0;
}

/* What @size bytes need: room for a LOST record and the largest sample, too. */
static u32 pfm_calldouble_need(const pfm_calldouble_smpl_hdr_t *h, u32 size)
{
	return size + sizeof(pfm_callchain_smpl_lost_t) + h->hdr_max_sample;
}

static bool pfm_calldouble_fits(const pfm_calldouble_smpl_hdr_t *h, u32 size)
{
	const pfm_calldouble_smpl_half_t *half = &h->hdr_half[h->hdr_cur];

	return half->half_begin + h->hdr_half_size - half->half_end >=
	       pfm_calldouble_need(h, size);
}

/* The kernel's half becomes the program's. */
static void pfm_calldouble_hand_over(pfm_calldouble_smpl_hdr_t *h)
{
	/* A program that sees the half as its own also sees all of its records. */
	smp_store_release(&h->hdr_half[h->hdr_cur].half_state,
			  PFM_CALLDOUBLE_SMPL_USER);
	WRITE_ONCE(h->hdr_untold, 1);
}

/* False if the other half is not free. */
static bool pfm_calldouble_turn(pfm_calldouble_smpl_hdr_t *h)
{
	u32 cur = h->hdr_cur;

	if (h->hdr_half[!cur].half_state != PFM_CALLDOUBLE_SMPL_FREE)
		return false;
	pfm_calldouble_hand_over(h);
	pfm_calldouble_begin(h, !cur, h->hdr_half[cur].half_seq + 1);
	return true;
}

/* Makes room for a MAP or EXEC record of @size bytes, or, with 0, for a sample. */
static bool pfm_calldouble_room(pfm_calldouble_smpl_hdr_t *h, u32 size)
{
	if (h->hdr_half[h->hdr_cur].half_state != PFM_CALLDOUBLE_SMPL_KERNEL)
		return false;
	if (likely(pfm_calldouble_fits(h, size)))
		return true;
	return h->hdr_half_size >= pfm_calldouble_need(h, size) &&
	       pfm_calldouble_turn(h);
}

/* Where the next record is to stand. */
static void *pfm_calldouble_at(pfm_calldouble_smpl_hdr_t *h)
{
	return (void *)h + h->hdr_half[h->hdr_cur].half_end;
}

/* The record there is complete. */
static void pfm_calldouble_add(pfm_calldouble_smpl_hdr_t *h, u32 size)
{
	pfm_calldouble_smpl_half_t *half = &h->hdr_half[h->hdr_cur];

	/* A reader that sees the new end also sees the whole record. */
	smp_store_release(&half->half_end, half->half_end + size);
}

/* There is room for a record: say first what is missing before it. */
static noinline void pfm_calldouble_tell_gap(pfm_calldouble_smpl_hdr_t *h)
{
	*(pfm_callchain_smpl_lost_t *)pfm_calldouble_at(h) = h->hdr_gap;
	pfm_calldouble_add(h, sizeof(h->hdr_gap));
	h->hdr_gap = (pfm_callchain_smpl_lost_t) { };
}

static noinline void pfm_calldouble_lose(pfm_calldouble_smpl_hdr_t *h, bool map,
					 u64 tstamp)
{
	pfm_callchain_smpl_lost_t *gap = &h->hdr_gap;

	if (!gap->type) {
		gap->size = sizeof(*gap);
		gap->tstamp = tstamp;
		gap->type = PFM_CALLCHAIN_SMPL_LOST;
	}
	gap->until = tstamp;
	if (map) {
		WRITE_ONCE(gap->maps, gap->maps + 1);
		WRITE_ONCE(h->hdr_lost_maps, h->hdr_lost_maps + 1);
	} else {
		WRITE_ONCE(gap->samples, gap->samples + 1);
		WRITE_ONCE(h->hdr_lost, h->hdr_lost + 1);
	}
}

/* The kernel's half has no room for another sample. */
static void pfm_calldouble_full(pfm_calldouble_smpl_hdr_t *h, pfm_ovfl_ctrl_t *ctrl)
{
	if (pfm_calldouble_turn(h) ||
	    !(h->hdr_flags & PFM_CALLDOUBLE_SMPL_MASK_WHEN_FULL))
		return;
	/* Not again if the context was loaded anew before PFM_RESTART. */
	if (h->hdr_half[h->hdr_cur].half_state == PFM_CALLDOUBLE_SMPL_KERNEL)
		pfm_calldouble_hand_over(h);
	WRITE_ONCE(h->hdr_untold, 1);
	ctrl->mask_monitoring = 1;
}

/* The program's registers and its stack, to @at. Returns bytes. */
static u32 pfm_calldouble_put_user(const struct pfm_ovfl_data *data, void *at, u16 stack)
{
	pfm_calldouble_smpl_user_t *user = at;
	struct pfm_user_state state;
	u64 *regs = at + sizeof(*user);
	unsigned int n;

	n = pfm_sample_user_state(data, regs, &state);
	if (!n)
		return 0;
	user->machine = state.machine;
	user->nr_regs = n;
	user->stack_size = pfm_sample_user_memory(data, regs + n, state.sp, stack);
	return sizeof(*user) + n * sizeof(*regs) + user->stack_size;
}

/* Where in a sample they are. */
static u32 pfm_calldouble_user_at(const pfm_callchain_smpl_sample_t *s)
{
	return sizeof(*s) + sizeof(u64) * (s->nr_values + s->nr_kernel + s->nr_user);
}

/* Those of the first counter that overflowed are those of the others, too. */
static noinline u32 pfm_calldouble_add_user(pfm_callchain_smpl_sample_t *s, u16 stack,
					    const pfm_callchain_smpl_sample_t *same,
					    const struct pfm_ovfl_data *data)
{
	u32 size;

	if (same) {
		size = same->size - pfm_calldouble_user_at(same);
		memcpy((void *)s + s->size,
		       (const void *)same + pfm_calldouble_user_at(same), size);
	} else {
		size = pfm_calldouble_put_user(data, (void *)s + s->size, stack);
	}
	s->size += size;
	return s->size;
}

static u32 pfm_calldouble_put_sample(pfm_calldouble_smpl_hdr_t *h,
				     const pfm_ovfl_arg_t *arg, u64 tstamp,
				     struct pfm_ovfl_data *data)
{
	const pfm_callchain_smpl_sample_t *same = data->event;
	pfm_callchain_smpl_sample_t *s = pfm_calldouble_at(h);
	u32 size;

	size = pfm_callchain_put_sample(s, h->hdr_flags, h->hdr_max_depth, arg, tstamp,
					data);
	return likely(!h->hdr_stack) ? size :
	       pfm_calldouble_add_user(s, h->hdr_stack, same, data);
}

static int pfm_calldouble_handler(void *buf, pfm_ovfl_arg_t *arg, u64 tstamp,
				  void *data)
{
	pfm_calldouble_smpl_hdr_t *h = buf;
	pfm_ovfl_ctrl_t *ctrl = &arg->ovfl_ctrl;

	WRITE_ONCE(h->hdr_samples, h->hdr_samples + 1);
	if (likely(pfm_calldouble_room(h, 0))) {
		if (unlikely(h->hdr_gap.type))
			pfm_calldouble_tell_gap(h);
		pfm_calldouble_add(h, pfm_calldouble_put_sample(h, arg, tstamp, data));
		if (unlikely(!pfm_calldouble_fits(h, 0))) {
			WRITE_ONCE(h->hdr_overflows, h->hdr_overflows + 1);
			pfm_calldouble_full(h, ctrl);
		}
	} else {
		pfm_calldouble_lose(h, false, tstamp);
		pfm_calldouble_full(h, ctrl);
	}
	if (unlikely(h->hdr_untold)) {
		ctrl->notify_user = 1;
		if (arg->event_notify)
			WRITE_ONCE(h->hdr_untold, 0);
	}
	/* A thread that blocks without a message would not be released. */
	ctrl->block_thread = ctrl->mask_monitoring && arg->event_notify;
	ctrl->reset_ovfl_pmds = !ctrl->mask_monitoring;
	return 0;
}

/* Samples fill a half, not these: hence the room for the largest one. */
static void pfm_calldouble_map(void *buf, const struct pfm_map_info *info)
{
	pfm_calldouble_smpl_hdr_t *h = buf;

	if (!(h->hdr_flags & (info->fork ? PFM_CALLDOUBLE_SMPL_FORKS : PFM_CALLCHAIN_SMPL_MAPS)))
		return;
	WRITE_ONCE(h->hdr_maps, h->hdr_maps + 1);
	/* Nor may it have the room that is kept for a sample: a LOST record can come first. */
	if (!pfm_calldouble_room(h, pfm_callchain_map_size(info) +
				    (h->hdr_gap.type ? sizeof(h->hdr_gap) : 0))) {
		pfm_calldouble_lose(h, true, info->tstamp);
		return;
	}
	if (h->hdr_gap.type)
		pfm_calldouble_tell_gap(h);
	pfm_calldouble_add(h, pfm_callchain_put_map(pfm_calldouble_at(h), info));
}

static int pfm_calldouble_restart(void *buf, int is_active, pfm_ovfl_ctrl_t *ctrl)
{
	pfm_calldouble_smpl_hdr_t *h = buf;
	u32 cur = h->hdr_cur, other = !cur;

	/* The half that is not written last is the older one. */
	if (h->hdr_half[cur].half_state == PFM_CALLDOUBLE_SMPL_USER)
		pfm_calldouble_begin(h, other, h->hdr_half[cur].half_seq + 1);
	else if (h->hdr_half[other].half_state == PFM_CALLDOUBLE_SMPL_USER)
		WRITE_ONCE(h->hdr_half[other].half_state,
			   PFM_CALLDOUBLE_SMPL_FREE);
	ctrl->reset_ovfl_pmds = !is_active;
	return 0;
}

static const pfm_buffer_fmt_t pfm_calldouble_fmt = {
	.fmt_name = "calldouble",
	.fmt_uuid = PFM_CALLDOUBLE_SMPL_UUID,
	.fmt_arg_size = sizeof(pfm_calldouble_smpl_arg_t),
	.fmt_flags = PFM_FMTFL_ARG_SIZE | PFM_FMTFL_FORKS,
	.fmt_msgq_depth = 2,		/* as many as halves */
	.fmt_version = PFM_CALLDOUBLE_SMPL_VERSION,
	.fmt_validate = pfm_calldouble_validate,
	.fmt_getsize = pfm_calldouble_getsize,
	.fmt_init = pfm_calldouble_init,
	.fmt_handler = pfm_calldouble_handler,
	.fmt_restart = pfm_calldouble_restart,
	.fmt_map = pfm_calldouble_map,
};

static int __init pfm_calldouble_module_init(void)
{
	return pfm_register_buffer_fmt(&pfm_calldouble_fmt);
}
module_init(pfm_calldouble_module_init);

static void __exit pfm_calldouble_module_exit(void)
{
	pfm_unregister_buffer_fmt(pfm_calldouble_fmt.fmt_uuid);
}
module_exit(pfm_calldouble_module_exit);

MODULE_ALIAS_PFM_FMT(PFM_CALLDOUBLE_SMPL_UUID_TEXT);
MODULE_DESCRIPTION("perfmon2: double-buffering call chain sampling format");
MODULE_LICENSE("GPL");
