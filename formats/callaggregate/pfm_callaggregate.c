// SPDX-License-Identifier: GPL-2.0-only
/*
 * perfmon2: the aggregating call chain sampling format.
 *
 * A table is three arrays: slots with entries, found by double hashing as those of
 * the aggregating format are; chains, one after the other; and the index, by which a
 * chain is found that has no entry of this kind yet. Both searches end after so many
 * looks, and nothing is ever deleted but everything at once. The chain of the sample
 * is walked into a place of its own behind the tables, and is copied only if it is
 * new: most samples compare it with that of the entry that they find, and count.
 *
 * What a sample costs is bounded: a walk of at most two parts, one pass over its
 * words for the hash, and at most as many comparisons as looks, of which all but one
 * end at the hash. A program can make chains of its own with equal hashes; they
 * cost it the longer comparison for each look, and in the end its own samples.
 * To drive another program's chain out of its places it would have to know these:
 * they depend on a secret of the context. Who reads the buffer can compute that
 * from a chain and its hash, but only that of this context.
 *
 * It is in the kernel because a sample that is counted where it is taken is
 * neither copied nor kept.
 *
 * A program can only read the buffer: what stands in it can be trusted. It
 * reads at any time, so the order of the stores matters.
 */
#include <linux/align.h>
#include <linux/build_bug.h>
#include <linux/hash.h>
#include <linux/limits.h>
#include <linux/log2.h>
#include <linux/random.h>
#include <linux/sched.h>
#include <asm/ptrace.h>

#include <perfmon/callaggregate_smpl.h>
#include <perfmon/callchain.h>

#define PFM_CALLAGGREGATE_FLAGS	(PFM_CALLCHAIN_SMPL_KERNEL | \
				 PFM_CALLCHAIN_SMPL_USER | \
				 PFM_CALLCHAIN_SMPL_MAPS | \
				 PFM_CALLAGGREGATE_SMPL_MASK_WHEN_FULL | \
				 PFM_CALLAGGREGATE_SMPL_THREADS)
#define PFM_CALLAGGREGATE_PROBES	32
/* The slots of a new buffer are of generation 0. */
#define PFM_CALLAGGREGATE_FIRST_GEN	2
/* So many slots are really cleared when a table is begun. */
#define PFM_CALLAGGREGATE_SWEEP		4U

/* Of an entry, which is one cache line. */
#define PFM_CALLAGGREGATE_ALIGN		64

/* What finds a chain: where it is, in bytes, while gen is the table's. */
struct pfm_callaggregate_index {
	u32 gen;			/* [l] */
	u32 chain;			/* [l] */
};

typedef pfm_callaggregate_smpl_hdr_t pfm_callaggregate_hdr_t;
typedef pfm_callaggregate_smpl_table_t pfm_callaggregate_table_t;
typedef pfm_callaggregate_smpl_entry_t pfm_callaggregate_entry_t;
typedef pfm_callaggregate_smpl_chain_t pfm_callaggregate_chain_t;

/* Those parts of an entry that tell it from others, without its chain. */
#define PFM_CALLAGGREGATE_KEY	(offsetofend(pfm_callaggregate_entry_t, ent_hash) - \
				 offsetof(pfm_callaggregate_entry_t, ent_pid))

static_assert(sizeof(pfm_callaggregate_smpl_arg_t) == PFM_CALLAGGREGATE_SMPL_ARG_SIZE);
static_assert(sizeof(pfm_callaggregate_table_t) == 64);
static_assert(offsetof(pfm_callaggregate_hdr_t, hdr_table) == 72);
static_assert(sizeof(pfm_callaggregate_hdr_t) == 200);
static_assert(sizeof(pfm_callaggregate_entry_t) == 64);
static_assert(sizeof(pfm_callaggregate_chain_t) == 16);
/* The hash has 16 good bits for the slot, and the next 16 for the step. */
static_assert(PFM_CALLAGGREGATE_SMPL_MAX_SLOTS <= 1 << 16);

/* Not for programs. */
struct pfm_callaggregate_priv {
	u64 seed;			/* of all hashes of the context [c] */
};

static const pfm_buffer_fmt_t pfm_callaggregate_fmt;

static struct pfm_callaggregate_priv *pfm_callaggregate_priv(void *buf)
{
	return pfm_fmt_priv(&pfm_callaggregate_fmt, buf);
}

static u16 pfm_callaggregate_depth(const pfm_callaggregate_smpl_arg_t *a)
{
	return a->buf_max_depth ?: PFM_CALLCHAIN_SMPL_DEF_DEPTH;
}

/* Words of the longest chain, with what stands before its addresses. */
static u32 pfm_callaggregate_longest(const pfm_callaggregate_smpl_arg_t *a)
{
	u32 n = pfm_callchain_words(a->buf_flags, pfm_callaggregate_depth(a));

	return sizeof(pfm_callaggregate_chain_t) / sizeof(u64) + (n ?: 1);
}

static u64 pfm_callaggregate_table_size(const pfm_callaggregate_smpl_arg_t *a)
{
	return ALIGN(a->buf_slots * (u64)(sizeof(pfm_callaggregate_entry_t) +
					  sizeof(struct pfm_callaggregate_index)) +
		     a->buf_words * (u64)sizeof(u64) + a->buf_maps,
		     PFM_CALLAGGREGATE_ALIGN);
}

static u64 pfm_callaggregate_size(const pfm_callaggregate_smpl_arg_t *a)
{
	return ALIGN(sizeof(pfm_callaggregate_hdr_t), PFM_CALLAGGREGATE_ALIGN) +
	       2 * pfm_callaggregate_table_size(a) +
	       pfm_callaggregate_longest(a) * sizeof(u64);
}

static int pfm_callaggregate_validate(u32 ctx_flags, u16 num_pmds, void *arg)
{
	const pfm_callaggregate_smpl_arg_t *a = arg;

	if (a->arg_size < PFM_CALLAGGREGATE_SMPL_ARG_SIZE || a->buf_pad ||
	    (a->buf_flags & ~PFM_CALLAGGREGATE_FLAGS) ||
	    a->buf_max_depth > PFM_CALLCHAIN_SMPL_MAX_DEPTH)
		return -EINVAL;
	if (a->buf_slots < PFM_CALLAGGREGATE_SMPL_MIN_SLOTS ||
	    a->buf_slots > PFM_CALLAGGREGATE_SMPL_MAX_SLOTS ||
	    !is_power_of_2(a->buf_slots) ||
	    a->buf_words < pfm_callaggregate_longest(a) ||
	    a->buf_words > PFM_CALLAGGREGATE_SMPL_MAX_WORDS)
		return -EINVAL;
	if (a->buf_maps % sizeof(u64) || a->buf_maps > PFM_CALLAGGREGATE_SMPL_MAX_MAPS ||
	    (a->buf_maps && !(a->buf_flags & PFM_CALLCHAIN_SMPL_MAPS)))
		return -EINVAL;
	/* There is nothing to wait for but the masking. */
	if ((ctx_flags & PFM_FL_NOTIFY_BLOCK) &&
	    !(a->buf_flags & PFM_CALLAGGREGATE_SMPL_MASK_WHEN_FULL))
		return -EINVAL;
	return pfm_callaggregate_size(a) > S32_MAX ? -EINVAL : 0;
}

static int pfm_callaggregate_getsize(u32 ctx_flags, void *arg, size_t *size)
{
	*size = pfm_callaggregate_size(arg);
	return 0;
}

static pfm_callaggregate_entry_t *pfm_callaggregate_slots(void *buf, u32 i)
{
	return buf + ((pfm_callaggregate_hdr_t *)buf)->hdr_table[i].tab_slots;
}

static struct pfm_callaggregate_index *pfm_callaggregate_index(void *buf, u32 i)
{
	return buf + ((pfm_callaggregate_hdr_t *)buf)->hdr_table[i].tab_index;
}

/* Where the chain of a sample is while it is looked for. */
static pfm_callaggregate_chain_t *pfm_callaggregate_scratch(void *buf)
{
	pfm_callaggregate_hdr_t *h = buf;

	return buf + h->hdr_table[1].tab_maps + h->hdr_maps_size;
}

/*
 * Begin the table of generation @gen. With another generation all its slots are free.
 * That takes the same time whatever the size of the table: the caller has ctx->lock,
 * for which the CPU of the thread may be waiting under its run queue's. In the end
 * hdr_gen comes round to where it was. By then the few slots that each restart sweeps
 * have been all of them, many times.
 */
static void pfm_callaggregate_begin(void *buf, u32 gen)
{
	pfm_callaggregate_hdr_t *h = buf;
	pfm_callaggregate_table_t *t = &h->hdr_table[gen % 2];
	u32 i, slot, first = gen / 2 * PFM_CALLAGGREGATE_SWEEP;

	for (i = first; i < first + PFM_CALLAGGREGATE_SWEEP; i++) {
		slot = i & (h->hdr_slots - 1);
		WRITE_ONCE(pfm_callaggregate_slots(buf, gen % 2)[slot].ent_gen, 0);
		pfm_callaggregate_index(buf, gen % 2)[slot].gen = 0;
	}
	WRITE_ONCE(t->tab_used, 0);
	WRITE_ONCE(t->tab_words, 0);
	WRITE_ONCE(t->tab_maps_end, t->tab_maps);
	WRITE_ONCE(t->tab_state, PFM_CALLAGGREGATE_SMPL_ROOM);
	WRITE_ONCE(t->tab_samples, 0);
	WRITE_ONCE(t->tab_lost, 0);
	WRITE_ONCE(t->tab_lost_maps, 0);
	WRITE_ONCE(t->tab_gen, gen);
	/* Who sees that the other one is frozen also sees all of it. */
	smp_store_release(&h->hdr_gen, gen);
}

static int pfm_callaggregate_init(u32 ctx_flags, void *arg, void *buf)
{
	const pfm_callaggregate_smpl_arg_t *a = arg;
	pfm_callaggregate_hdr_t *h = buf;
	u32 i, at = ALIGN(sizeof(*h), PFM_CALLAGGREGATE_ALIGN);

	h->hdr_version = PFM_CALLAGGREGATE_SMPL_VERSION;
	h->hdr_size = sizeof(*h);
	h->hdr_buf_size = pfm_callaggregate_size(a);
	h->hdr_flags = a->buf_flags;
	h->hdr_slots = a->buf_slots;
	h->hdr_words = a->buf_words;
	h->hdr_maps_size = a->buf_maps;
	h->hdr_mark = a->buf_slots - a->buf_slots / 8;
	h->hdr_entry_size = sizeof(pfm_callaggregate_entry_t);
	h->hdr_max_depth = pfm_callaggregate_depth(a);
	for (i = 0; i < 2; i++) {
		pfm_callaggregate_table_t *t = &h->hdr_table[i];

		t->tab_slots = at;
		t->tab_index = at + a->buf_slots * sizeof(pfm_callaggregate_entry_t);
		t->tab_chains = t->tab_index +
				a->buf_slots * sizeof(struct pfm_callaggregate_index);
		t->tab_maps = t->tab_chains + a->buf_words * sizeof(u64);
		t->tab_maps_end = t->tab_maps;
		at += pfm_callaggregate_table_size(a);
	}
	pfm_callaggregate_priv(buf)->seed = get_random_u64();
	pfm_callaggregate_begin(buf, PFM_CALLAGGREGATE_FIRST_GEN);
	return 0;
}

static u64 pfm_callaggregate_mix(u64 hash, u64 value)
{
	hash = (hash ^ value) * GOLDEN_RATIO_64;
	return hash ^ hash >> 32;
}

static u32 pfm_callaggregate_words(const pfm_callaggregate_chain_t *c)
{
	return c->chain_nr_kernel + c->chain_nr_user;
}

/* The chain of the sample; counters that overflow at once have one. */
static const pfm_callaggregate_chain_t *
pfm_callaggregate_walk(pfm_callaggregate_hdr_t *h, struct pfm_ovfl_data *data)
{
	pfm_callaggregate_chain_t *c = pfm_callaggregate_scratch(h);
	unsigned int nr_kernel, nr_user, i;
	u64 *ips = (u64 *)(c + 1);
	u64 hash;

	if (data->event)
		return data->event;
	pfm_callchain_walk(h->hdr_flags, h->hdr_max_depth, data, ips, &nr_kernel,
			   &nr_user);
	if (!nr_kernel && !nr_user && data->ip) {
		nr_kernel = data->regs && !user_mode(data->regs);
		nr_user = !nr_kernel;
		ips[0] = data->ip;
	}
	hash = pfm_callaggregate_mix(pfm_callaggregate_priv(h)->seed,
				     nr_kernel << 16 | nr_user);
	for (i = 0; i < nr_kernel + nr_user; i++)
		hash = pfm_callaggregate_mix(hash, ips[i]);
	c->chain_hash = hash;
	c->chain_nr_kernel = nr_kernel;
	c->chain_nr_user = nr_user;
	data->event = c;
	return c;
}

/* Whether the chain @at bytes from the beginning of the buffer is @c. */
static bool pfm_callaggregate_is(const void *buf, u32 at,
				 const pfm_callaggregate_chain_t *c)
{
	const pfm_callaggregate_chain_t *other = buf + at;
	const u64 *a = (const u64 *)(other + 1), *b = (const u64 *)(c + 1);
	u32 i, n = pfm_callaggregate_words(c);

	if (other->chain_hash != c->chain_hash ||
	    other->chain_nr_kernel != c->chain_nr_kernel ||
	    other->chain_nr_user != c->chain_nr_user)
		return false;
	for (i = 0; i < n && a[i] == b[i]; i++)
		;
	return i == n;
}

/* What is asked for: the entry of the sample, but for its chain, count and time. */
static void pfm_callaggregate_key(const pfm_callaggregate_hdr_t *h,
				  const pfm_ovfl_arg_t *arg,
				  const struct pfm_ovfl_data *data, u64 hash,
				  pfm_callaggregate_entry_t *key)
{
	const struct task_struct *task = data->task;
	/*
	 * Of a thread that has been reaped the leader may be gone, too. Else the leader is
	 * freed by RCU only, and interrupts are off.
	 */
	const struct task_struct *leader =
		pid_alive(task) ? READ_ONCE(task->group_leader) : task;
	bool threads = h->hdr_flags & PFM_CALLAGGREGATE_SMPL_THREADS;

	*key = (pfm_callaggregate_entry_t){
		.ent_pid = data->pid,
		.ent_tid = threads ? data->tid : 0,
		.ent_exec = READ_ONCE(task->self_exec_id),
		.ent_set = arg->active_set,
		.ent_ovfl_pmd = arg->ovfl_pmd,
		.ent_eventid = arg->pmd_eventid,
		.ent_start = leader->start_boottime,
	};
	hash = pfm_callaggregate_mix(hash, (u64)(u32)key->ent_pid << 32 |
					   (u32)key->ent_tid);
	hash = pfm_callaggregate_mix(hash, (u64)key->ent_exec << 32 |
					   (u32)key->ent_set << 16 | key->ent_ovfl_pmd);
	hash = pfm_callaggregate_mix(hash, key->ent_eventid);
	key->ent_hash = pfm_callaggregate_mix(hash, key->ent_start);
}

/* The slot of the sample, its own or a free one; NULL if none was found. */
static pfm_callaggregate_entry_t *
pfm_callaggregate_find(pfm_callaggregate_hdr_t *h, const pfm_callaggregate_entry_t *key,
		       const pfm_callaggregate_chain_t *c)
{
	pfm_callaggregate_entry_t *slots = pfm_callaggregate_slots(h, h->hdr_gen % 2), *e;
	/* Odd, so that it comes to all slots of a power of two. */
	u32 slot = key->ent_hash >> 48, step = (u32)(key->ent_hash >> 32) | 1, i;

	for (i = 0; i < PFM_CALLAGGREGATE_PROBES; i++, slot += step) {
		e = &slots[slot & (h->hdr_slots - 1)];
		if (e->ent_gen != h->hdr_gen ||
		    (e->ent_hash == key->ent_hash &&
		     !memcmp(&e->ent_pid, &key->ent_pid, PFM_CALLAGGREGATE_KEY) &&
		     pfm_callaggregate_is(h, e->ent_chain, c)))
			return e;
	}
	return NULL;
}

/* Where the table has the chain, now; 0 if it has no room for it. */
static u32 pfm_callaggregate_keep(pfm_callaggregate_hdr_t *h,
				  const pfm_callaggregate_chain_t *c)
{
	pfm_callaggregate_table_t *t = &h->hdr_table[h->hdr_gen % 2];
	struct pfm_callaggregate_index *index, *x;
	u32 slot = c->chain_hash >> 48, step = (u32)(c->chain_hash >> 32) | 1, i;
	u32 words = sizeof(*c) / sizeof(u64) + pfm_callaggregate_words(c);

	index = pfm_callaggregate_index(h, h->hdr_gen % 2);
	for (i = 0; i < PFM_CALLAGGREGATE_PROBES; i++, slot += step) {
		x = &index[slot & (h->hdr_slots - 1)];
		if (x->gen != h->hdr_gen)
			break;
		if (pfm_callaggregate_is(h, x->chain, c))
			return x->chain;
	}
	if (i == PFM_CALLAGGREGATE_PROBES || h->hdr_words - t->tab_words < words)
		return 0;
	x->chain = t->tab_chains + t->tab_words * sizeof(u64);
	x->gen = h->hdr_gen;
	memcpy((void *)h + x->chain, c, words * sizeof(u64));
	WRITE_ONCE(t->tab_words, t->tab_words + words);
	return x->chain;
}

/* False if there is no room for the chain. */
static bool pfm_callaggregate_create(pfm_callaggregate_hdr_t *h,
				     pfm_callaggregate_entry_t *e,
				     const pfm_callaggregate_entry_t *key,
				     const pfm_callaggregate_chain_t *c, u64 tstamp)
{
	pfm_callaggregate_table_t *t = &h->hdr_table[h->hdr_gen % 2];
	u32 chain = pfm_callaggregate_keep(h, c);

	if (!chain)
		return false;
	/* Its generation is 0 meanwhile: free, for who looks now. */
	*e = *key;
	e->ent_first = tstamp;
	e->ent_chain = chain;
	WRITE_ONCE(e->ent_count, 1);
	/* A reader that sees the generation also sees all fields, and the chain. */
	smp_store_release(&e->ent_gen, h->hdr_gen);
	WRITE_ONCE(t->tab_used, t->tab_used + 1);
	return true;
}

/* Count the sample. False if it is lost. */
static bool pfm_callaggregate_count(pfm_callaggregate_hdr_t *h,
				    const pfm_ovfl_arg_t *arg, u64 tstamp,
				    struct pfm_ovfl_data *data)
{
	const pfm_callaggregate_chain_t *c = pfm_callaggregate_walk(h, data);
	pfm_callaggregate_entry_t key, *e;

	pfm_callaggregate_key(h, arg, data, c->chain_hash, &key);
	e = pfm_callaggregate_find(h, &key, c);
	if (!e)
		return false;
	if (e->ent_gen != h->hdr_gen)
		return pfm_callaggregate_create(h, e, &key, c, tstamp);
	if (e->ent_count == U32_MAX)
		return false;
	WRITE_ONCE(e->ent_count, e->ent_count + 1);
	return true;
}

/* The table is full, and that has still to be said. */
static noinline void pfm_callaggregate_full(pfm_callaggregate_hdr_t *h,
					    pfm_callaggregate_table_t *t,
					    pfm_ovfl_arg_t *arg)
{
	pfm_ovfl_ctrl_t *ctrl = &arg->ovfl_ctrl;

	ctrl->notify_user = 1;
	if (h->hdr_flags & PFM_CALLAGGREGATE_SMPL_MASK_WHEN_FULL) {
		ctrl->mask_monitoring = 1;
		ctrl->reset_ovfl_pmds = 0;
		/* A thread that blocks without a message would not be released. */
		ctrl->block_thread = arg->event_notify;
	} else if (arg->event_notify) {
		WRITE_ONCE(t->tab_state, PFM_CALLAGGREGATE_SMPL_TOLD);
	}
}

static int pfm_callaggregate_handler(void *buf, pfm_ovfl_arg_t *arg, u64 tstamp,
				     void *data)
{
	pfm_callaggregate_hdr_t *h = buf;
	pfm_callaggregate_table_t *t = &h->hdr_table[h->hdr_gen % 2];
	bool full = false;

	arg->ovfl_ctrl.reset_ovfl_pmds = 1;
	WRITE_ONCE(h->hdr_samples, h->hdr_samples + 1);
	WRITE_ONCE(t->tab_samples, t->tab_samples + 1);
	if (unlikely(!pfm_callaggregate_count(h, arg, tstamp, data))) {
		WRITE_ONCE(h->hdr_lost, h->hdr_lost + 1);
		WRITE_ONCE(t->tab_lost, t->tab_lost + 1);
		full = true;
	}
	if (t->tab_state == PFM_CALLAGGREGATE_SMPL_ROOM &&
	    (full || t->tab_used >= h->hdr_mark))
		WRITE_ONCE(t->tab_state, PFM_CALLAGGREGATE_SMPL_FULL);
	if (unlikely(t->tab_state == PFM_CALLAGGREGATE_SMPL_FULL))
		pfm_callaggregate_full(h, t, arg);
	return 0;
}

static void pfm_callaggregate_map(void *buf, const struct pfm_map_info *info)
{
	pfm_callaggregate_hdr_t *h = buf;
	pfm_callaggregate_table_t *t = &h->hdr_table[h->hdr_gen % 2];
	u32 size = pfm_callchain_map_size(info);

	if (!(h->hdr_flags & PFM_CALLCHAIN_SMPL_MAPS))
		return;
	if (t->tab_maps + h->hdr_maps_size - t->tab_maps_end < size) {
		WRITE_ONCE(h->hdr_lost_maps, h->hdr_lost_maps + 1);
		WRITE_ONCE(t->tab_lost_maps, t->tab_lost_maps + 1);
		return;
	}
	pfm_callchain_put_map(buf + t->tab_maps_end, info);
	/* A reader that sees the new end also sees the whole record. */
	smp_store_release(&t->tab_maps_end, t->tab_maps_end + size);
}

static int pfm_callaggregate_restart(void *buf, int is_active, pfm_ovfl_ctrl_t *ctrl)
{
	pfm_callaggregate_hdr_t *h = buf;

	pfm_callaggregate_begin(buf, h->hdr_gen + 1 ?: PFM_CALLAGGREGATE_FIRST_GEN);
	ctrl->reset_ovfl_pmds = !is_active;
	return 0;
}

static const pfm_buffer_fmt_t pfm_callaggregate_fmt = {
	.fmt_name = "callaggregate",
	.fmt_uuid = PFM_CALLAGGREGATE_SMPL_UUID,
	.fmt_arg_size = sizeof(pfm_callaggregate_smpl_arg_t),
	.fmt_flags = PFM_FMTFL_ARG_SIZE,
	.fmt_msgq_depth = 2,		/* as many as tables */
	.fmt_version = PFM_CALLAGGREGATE_SMPL_VERSION,
	.fmt_validate = pfm_callaggregate_validate,
	.fmt_getsize = pfm_callaggregate_getsize,
	.fmt_init = pfm_callaggregate_init,
	.fmt_handler = pfm_callaggregate_handler,
	.fmt_restart = pfm_callaggregate_restart,
	.fmt_map = pfm_callaggregate_map,
	.fmt_priv_size = sizeof(struct pfm_callaggregate_priv),
};

static int __init pfm_callaggregate_module_init(void)
{
	return pfm_register_buffer_fmt(&pfm_callaggregate_fmt);
}
module_init(pfm_callaggregate_module_init);

static void __exit pfm_callaggregate_module_exit(void)
{
	pfm_unregister_buffer_fmt(pfm_callaggregate_fmt.fmt_uuid);
}
module_exit(pfm_callaggregate_module_exit);

MODULE_ALIAS_PFM_FMT(PFM_CALLAGGREGATE_SMPL_UUID_TEXT);
MODULE_DESCRIPTION("perfmon2: aggregating call chain sampling format");
MODULE_LICENSE("GPL");
