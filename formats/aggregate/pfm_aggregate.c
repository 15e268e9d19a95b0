// SPDX-License-Identifier: GPL-2.0-only
/*
 * perfmon2: the aggregating sampling format.
 *
 * An open-addressing table in the buffer: one entry for each (process, event,
 * instruction pointer), found by double hashing, which fills a table evenly
 * where linear probing lets clusters grow: 32 looks, each at one cache line,
 * lose next to nothing before 7/8 of the slots are used, and one or two are
 * enough for a sample of a place that is known. Nothing is ever deleted but
 * everything at once, so a free slot ends the search. Where entries stand depends
 * on a secret of the context: else a program could fill the places of another's.
 *
 * It is in the kernel because a sample that is counted where it is taken is
 * neither copied nor kept.
 *
 * A program can only read the buffer: what stands in it can be trusted. It
 * reads at any time, so the order of the stores matters.
 */
#include <linux/bitops.h>
#include <linux/build_bug.h>
#include <linux/hash.h>
#include <linux/log2.h>
#include <linux/random.h>

#include <perfmon/aggregate_smpl.h>
#include <perfmon/format.h>

#define PFM_AGGREGATE_FLAGS	(PFM_AGGREGATE_SMPL_MASK_WHEN_FULL | \
				 PFM_AGGREGATE_SMPL_KEEP)
#define PFM_AGGREGATE_PROBES	32
/* The slots of a new buffer are of generation 0. */
#define PFM_AGGREGATE_FIRST_GEN	2
/* So many slots are really cleared by each PFM_RESTART. */
#define PFM_AGGREGATE_SWEEP	4U

static_assert(sizeof(pfm_aggregate_smpl_arg_t) == 8);
static_assert(sizeof(pfm_aggregate_smpl_hdr_t) == 64);
static_assert(sizeof(pfm_aggregate_smpl_entry_t) == 32);
/* The hash has 16 good bits for the slot, and the next 16 for the step. */
static_assert(PFM_AGGREGATE_SMPL_MAX_SLOTS <= 1 << 16);

/* Not for programs. */
struct pfm_aggregate_priv {
	u64 seed;			/* of the context's hashes [c] */
};

static const pfm_buffer_fmt_t pfm_aggregate_fmt;

static struct pfm_aggregate_priv *pfm_aggregate_priv(void *buf)
{
	return pfm_fmt_priv(&pfm_aggregate_fmt, buf);
}

static int pfm_aggregate_validate(u32 ctx_flags, u16 num_pmds, void *arg)
{
	const pfm_aggregate_smpl_arg_t *a = arg;

	if ((a->buf_flags & ~PFM_AGGREGATE_FLAGS) ||
	    a->buf_slots < PFM_AGGREGATE_SMPL_MIN_SLOTS ||
	    a->buf_slots > PFM_AGGREGATE_SMPL_MAX_SLOTS ||
	    !is_power_of_2(a->buf_slots))
		return -EINVAL;
	/* There is nothing to wait for but the masking. */
	if ((ctx_flags & PFM_FL_NOTIFY_BLOCK) &&
	    !(a->buf_flags & PFM_AGGREGATE_SMPL_MASK_WHEN_FULL))
		return -EINVAL;
	return 0;
}

static int pfm_aggregate_getsize(u32 ctx_flags, void *arg, size_t *size)
{
	const pfm_aggregate_smpl_arg_t *a = arg;

	*size = sizeof(pfm_aggregate_smpl_hdr_t) +
		a->buf_slots * sizeof(pfm_aggregate_smpl_entry_t);
	return 0;
}

static int pfm_aggregate_init(u32 ctx_flags, void *arg, void *buf)
{
	const pfm_aggregate_smpl_arg_t *a = arg;
	pfm_aggregate_smpl_hdr_t *h = buf;

	h->hdr_version = PFM_AGGREGATE_SMPL_VERSION;
	h->hdr_flags = a->buf_flags;
	h->hdr_buf_size = sizeof(*h) +
			  a->buf_slots * sizeof(pfm_aggregate_smpl_entry_t);
	h->hdr_slots = a->buf_slots;
	h->hdr_mark = a->buf_slots - a->buf_slots / 8;
	h->hdr_gen = PFM_AGGREGATE_FIRST_GEN;
	h->hdr_size = sizeof(*h);
	pfm_aggregate_priv(buf)->seed = get_random_u64();
	return 0;
}

static pfm_aggregate_smpl_entry_t *pfm_aggregate_slots(void *buf)
{
	return buf + sizeof(pfm_aggregate_smpl_hdr_t);
}

/* The slot of the sample, its own or a free one; NULL if none was found. */
static pfm_aggregate_smpl_entry_t *
pfm_aggregate_find(pfm_aggregate_smpl_hdr_t *h, const pfm_ovfl_arg_t *arg,
		   const struct pfm_ovfl_data *data)
{
	pfm_aggregate_smpl_entry_t *e, *slots = pfm_aggregate_slots(h);
	u64 hash = (u64)(u32)data->pid << 32 |
		   (u32)arg->active_set << 16 | arg->ovfl_pmd;
	u32 slot, step, i;

	/* The rotation keeps small numbers out of one another's bits. */
	hash ^= rol64(arg->pmd_eventid, 24) ^ pfm_aggregate_priv(h)->seed;
	hash = (hash * GOLDEN_RATIO_64 ^ data->ip) * GOLDEN_RATIO_64;
	/* Else neighbours in a program follow one another about. */
	hash = (hash ^ hash >> 32) * GOLDEN_RATIO_64;
	slot = hash >> 48;
	/* Odd, so that it comes to all slots of a power of two. */
	step = (u32)(hash >> 32) | 1;

	for (i = 0; i < PFM_AGGREGATE_PROBES; i++, slot += step) {
		e = &slots[slot & (h->hdr_slots - 1)];
		if (e->ent_gen != h->hdr_gen ||
		    (e->ent_ip == data->ip && e->ent_pid == data->pid &&
		     e->ent_ovfl_pmd == arg->ovfl_pmd &&
		     e->ent_set == arg->active_set &&
		     e->ent_eventid == arg->pmd_eventid))
			return e;
	}
	return NULL;
}

static void pfm_aggregate_create(pfm_aggregate_smpl_hdr_t *h,
				 pfm_aggregate_smpl_entry_t *e,
				 const pfm_ovfl_arg_t *arg,
				 const struct pfm_ovfl_data *data)
{
	e->ent_pid = data->pid;
	e->ent_set = arg->active_set;
	e->ent_ovfl_pmd = arg->ovfl_pmd;
	e->ent_ip = data->ip;
	e->ent_eventid = arg->pmd_eventid;
	WRITE_ONCE(e->ent_count, 1);
	/* A reader that sees the generation also sees all fields. */
	smp_wmb();
	WRITE_ONCE(e->ent_gen, h->hdr_gen);
	WRITE_ONCE(h->hdr_used, h->hdr_used + 1);
}

/* The table is full, and that has still to be said. */
static noinline void pfm_aggregate_full(pfm_aggregate_smpl_hdr_t *h,
					pfm_ovfl_arg_t *arg)
{
	pfm_ovfl_ctrl_t *ctrl = &arg->ovfl_ctrl;

	ctrl->notify_user = 1;
	if (h->hdr_flags & PFM_AGGREGATE_SMPL_MASK_WHEN_FULL) {
		ctrl->mask_monitoring = 1;
		ctrl->reset_ovfl_pmds = 0;
		/* A thread that blocks without a message would not be released. */
		ctrl->block_thread = arg->event_notify;
	} else if (arg->event_notify) {
		WRITE_ONCE(h->hdr_state, PFM_AGGREGATE_SMPL_TOLD);
	}
}

/*
 * The most frequent function of a profile: about 75 instructions for a sample
 * that is found at the first look, 10 for each look more.
 */
static int pfm_aggregate_handler(void *buf, pfm_ovfl_arg_t *arg, u64 tstamp,
				 void *data)
{
	pfm_aggregate_smpl_hdr_t *h = buf;
	pfm_aggregate_smpl_entry_t *e = pfm_aggregate_find(h, arg, data);
	bool full = false;

	arg->ovfl_ctrl.reset_ovfl_pmds = 1;
	WRITE_ONCE(h->hdr_samples, h->hdr_samples + 1);
	if (e && e->ent_gen != h->hdr_gen) {
		pfm_aggregate_create(h, e, arg, data);
		full = h->hdr_used >= h->hdr_mark;
	} else if (e && e->ent_count < U32_MAX) {
		WRITE_ONCE(e->ent_count, e->ent_count + 1);
	} else {
		WRITE_ONCE(h->hdr_lost, h->hdr_lost + 1);
		full = true;
	}
	if (full && h->hdr_state == PFM_AGGREGATE_SMPL_ROOM)
		WRITE_ONCE(h->hdr_state, PFM_AGGREGATE_SMPL_FULL);
	if (unlikely(h->hdr_state == PFM_AGGREGATE_SMPL_FULL))
		pfm_aggregate_full(h, arg);
	return 0;
}

/*
 * With another generation all slots are free. That takes the same time whatever the
 * size of the table: the caller has ctx->lock, for which the CPU of the thread may be
 * waiting under its run queue's. In the end hdr_gen comes round to where it was. By
 * then the few slots that each restart sweeps have been all of them, many times.
 */
static void pfm_aggregate_clear(pfm_aggregate_smpl_hdr_t *h)
{
	pfm_aggregate_smpl_entry_t *slots = pfm_aggregate_slots(h);
	u32 i, first = h->hdr_gen / 2 * PFM_AGGREGATE_SWEEP;
	u32 next = h->hdr_gen + 2 ?: PFM_AGGREGATE_FIRST_GEN;

	WRITE_ONCE(h->hdr_gen, h->hdr_gen + 1);
	/* Who sees any of what follows also sees hdr_gen odd, or a later one. */
	smp_wmb();
	for (i = first; i < first + PFM_AGGREGATE_SWEEP; i++)
		WRITE_ONCE(slots[i & (h->hdr_slots - 1)].ent_gen, 0);
	WRITE_ONCE(h->hdr_used, 0);
	WRITE_ONCE(h->hdr_cleared, h->hdr_samples - h->hdr_lost);
	WRITE_ONCE(h->hdr_state, PFM_AGGREGATE_SMPL_ROOM);
	/* Who sees hdr_gen even also sees that. */
	smp_wmb();
	WRITE_ONCE(h->hdr_gen, next);
}

static int pfm_aggregate_restart(void *buf, int is_active,
				 pfm_ovfl_ctrl_t *ctrl)
{
	pfm_aggregate_smpl_hdr_t *h = buf;

	if (!(h->hdr_flags & PFM_AGGREGATE_SMPL_KEEP))
		pfm_aggregate_clear(h);
	else if (h->hdr_state == PFM_AGGREGATE_SMPL_FULL)
		WRITE_ONCE(h->hdr_state, PFM_AGGREGATE_SMPL_TOLD);
	ctrl->reset_ovfl_pmds = !is_active;
	return 0;
}

static const pfm_buffer_fmt_t pfm_aggregate_fmt = {
	.fmt_name = "aggregate",
	.fmt_uuid = PFM_AGGREGATE_SMPL_UUID,
	.fmt_arg_size = sizeof(pfm_aggregate_smpl_arg_t),
	.fmt_msgq_depth = 1,
	.fmt_version = PFM_AGGREGATE_SMPL_VERSION,
	.fmt_validate = pfm_aggregate_validate,
	.fmt_getsize = pfm_aggregate_getsize,
	.fmt_init = pfm_aggregate_init,
	.fmt_handler = pfm_aggregate_handler,
	.fmt_restart = pfm_aggregate_restart,
	.fmt_priv_size = sizeof(struct pfm_aggregate_priv),
};

static int __init pfm_aggregate_module_init(void)
{
	return pfm_register_buffer_fmt(&pfm_aggregate_fmt);
}
module_init(pfm_aggregate_module_init);

static void __exit pfm_aggregate_module_exit(void)
{
	pfm_unregister_buffer_fmt(pfm_aggregate_fmt.fmt_uuid);
}
module_exit(pfm_aggregate_module_exit);

MODULE_ALIAS_PFM_FMT(PFM_AGGREGATE_SMPL_UUID_TEXT);
MODULE_DESCRIPTION("perfmon2: aggregating sampling format");
MODULE_LICENSE("GPL");
