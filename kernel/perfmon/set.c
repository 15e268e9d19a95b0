// SPDX-License-Identifier: GPL-2.0-only
/*
 * perfmon2: event sets (3.7).
 *
 * A set is a whole configuration of the PMU. Sets are in the kernel because
 * the switch from one to the next has to happen in the monitored thread, at
 * a cost that lets it happen often (3.7.3). They live in an array by number,
 * which keeps them in order and finds one in logarithmic time; each is as
 * large as the registers that the machine has.
 *
 * Set 0 exists as long as its context.
 */
#include <linux/hrtimer.h>
#include <linux/math64.h>
#include <linux/sched/clock.h>
#include <linux/slab.h>
#include <linux/time64.h>

#include "clock.h"
#include "host.h"
#include "pfm.h"

#define PFM_SET_EXCL	(PFM_SETFL_EXCL_IDLE | PFM_SETFL_EXCL_KERNEL_ONLY_THREADS)
#define PFM_SET_FLAGS	(PFM_SETFL_OVFL_SWITCH | PFM_SETFL_TIME_SWITCH | \
			 PFM_SETFL_EXPL_NEXT | PFM_SET_EXCL)

/**
 * pfm_set_resets_at() - where in a set its registers' reset values begin
 * @map: registers of a machine
 *
 * Context: any, while registers are not numbered anew.
 * Return: bytes before them.
 */
size_t pfm_set_resets_at(const struct pfm_regmap *map)
{
	struct pfm_set *set;

	return struct_size(set, pmcs, map->num_pmcs) + map->num_pmcs * sizeof(*set->values) +
	       map->num_pmds * sizeof(*set->pmds);
}

/**
 * pfm_set_size() - how long a set is
 * @map: registers of a machine
 *
 * Context: any, while registers are not numbered anew.
 * Return: bytes.
 */
size_t pfm_set_size(const struct pfm_regmap *map)
{
	return pfm_set_resets_at(map) + map->num_resets * sizeof(struct pfm_reset);
}

/* Of exactly that size: kmalloc() would round up to as much as twice that. */
static struct kmem_cache *pfm_set_cache;	/* [f], constant while a context exists */
static unsigned int pfm_set_cache_size;		/* [f] bytes of an object of it, or 0 */
static DEFINE_MUTEX(pfm_set_mutex);

/**
 * pfm_set_prepare() - have what sets are made of
 *
 * The registers of the machine may be others than when the last context was
 * made; there are no sets from then.
 *
 * Context: process; a context exists or is about to, so that registers are not numbered
 * anew.
 * Return: 0, or -ENOMEM.
 */
int pfm_set_prepare(void)
{
	unsigned int size = ALIGN(pfm_set_size(&pfm_regmap), cache_line_size());
	int ret = 0;

	/* All who come here now want the same size: what fits is not replaced. */
	if (likely(smp_load_acquire(&pfm_set_cache_size) == size))
		return 0;
	mutex_lock(&pfm_set_mutex);
	if (pfm_set_cache_size != size) {
		WRITE_ONCE(pfm_set_cache_size, 0);
		kmem_cache_destroy(pfm_set_cache);
		pfm_set_cache = kmem_cache_create("perfmon_set", size, 0,
						  SLAB_HWCACHE_ALIGN, NULL);
		if (pfm_set_cache)
			smp_store_release(&pfm_set_cache_size, size);
		else
			ret = -ENOMEM;
	}
	mutex_unlock(&pfm_set_mutex);
	return ret;
}

/**
 * pfm_set_exit() - free what sets are made of
 *
 * Context: process; no context exists any more.
 */
void __pfm_exit pfm_set_exit(void)
{
	kmem_cache_destroy(pfm_set_cache);
}

/**
 * pfm_set_mem() - the memory of a set
 *
 * Context: any, while a context exists.
 * Return: bytes, as many as the allocator takes.
 */
size_t pfm_set_mem(void)
{
	return kmem_cache_size(pfm_set_cache);
}

/*
 * What a set that is not in the array, any more or yet, is charged. The array
 * has a node for 64 numbers in a row, and others above these: two for a set
 * that has them to itself are about right. Set 0 needs none.
 */
static size_t pfm_set_cost(struct pfm_context *ctx, u16 id)
{
	unsigned long first = id & ~XA_CHUNK_MASK;
	unsigned long last = first + XA_CHUNK_MASK;
	size_t cost = pfm_set_mem();

	if (first && !xa_find(&ctx->sets, &first, last, XA_PRESENT))
		cost += 2 * sizeof(struct xa_node);
	return cost;
}

/**
 * pfm_set_new() - create a set with all registers at their defaults
 * @ctx: context, not loaded
 * @id:  number that no set of @ctx has
 *
 * Context: process; ctx->mutex, or @ctx is not published yet.
 * Return: the set, or an error pointer: -ENOMEM, also at the limits.
 */
struct pfm_set *pfm_set_new(struct pfm_context *ctx, u16 id)
{
	const struct pfm_regmap *map = &pfm_regmap;
	size_t cost = pfm_set_cost(ctx, id);
	struct pfm_set *set;
	unsigned int i;
	int ret;

	ret = pfm_account_charge(ctx->account, PFM_ACCOUNT_SETS, cost);
	if (ret)
		return ERR_PTR(ret);
	set = kmem_cache_alloc(pfm_set_cache, GFP_KERNEL_ACCOUNT);
	if (!set) {
		ret = -ENOMEM;
		goto uncharge;
	}

	memset(set, 0, struct_size(set, pmcs, map->num_pmcs));
	set->id = id;
	set->values = (u64 *)&set->pmcs[map->num_pmcs];
	set->pmds = (struct pfm_pmd *)&set->values[map->num_pmcs];
	memcpy(set->values, map->def, map->num_pmcs * sizeof(*set->values));
	memcpy(set->pmds, map->fresh, map->num_pmds * sizeof(*set->pmds));
	memcpy((char *)set + pfm_set_resets_at(map), map->fresh_resets,
	       map->num_resets * sizeof(*map->fresh_resets));
	bitmap_copy(set->written, map->common, PFM_PMCS_MAX);
	for (i = 0; map->rules && i < map->num_pmcs; i++)
		set->values[i] = pfm_rules_adapt(ctx, i, set->values[i]);

	ret = xa_insert(&ctx->sets, id, set, GFP_KERNEL_ACCOUNT);
	if (ret) {
		kmem_cache_free(pfm_set_cache, set);
		goto uncharge;
	}
	ctx->mem += cost;
	return set;

uncharge:
	pfm_account_uncharge(ctx->account, PFM_ACCOUNT_SETS, cost);
	return ERR_PTR(ret);
}

/**
 * pfm_set_copy() - give a set the registers of another one, and what belongs to them
 * @to:   set of a context that is not loaded; its number stays
 * @from: set of another context; its number is the same
 *
 * @to has not been active yet: its times and its activations begin with 0.
 *
 * Context: @from's context's lock, or its mutex while it is not loaded.
 */
void pfm_set_copy(struct pfm_set *to, const struct pfm_set *from)
{
	struct pfm_pmd *pmds = to->pmds;
	u64 *values = to->values;

	memcpy(to, from, pfm_set_size(&pfm_regmap));
	to->pmds = pmds;
	to->values = values;
	to->next = NULL;
	to->load = 0;
	to->runs = 0;
	to->act_ns = 0;
	to->unarmed = to->in_use;
	to->controls = 0;
	to->stamp = 0;
}

static void pfm_set_remove(struct pfm_context *ctx, struct pfm_set *set)
{
	u16 id = set->id;
	size_t cost;

	xa_erase(&ctx->sets, id);
	kmem_cache_free(pfm_set_cache, set);
	cost = pfm_set_cost(ctx, id);
	pfm_account_uncharge(ctx->account, PFM_ACCOUNT_SETS, cost);
	ctx->mem -= cost;
}

/**
 * pfm_set_free_all() - free the sets of a context that is going away
 * @ctx: context, not loaded
 *
 * Context: process; @ctx has no other users, except hooks that look at its state and
 * find it unloaded.
 */
void pfm_set_free_all(struct pfm_context *ctx)
{
	struct pfm_set *set;
	unsigned long id;

	xa_for_each(&ctx->sets, id, set) {
		kmem_cache_free(pfm_set_cache, set);
		cond_resched();
	}
	xa_destroy(&ctx->sets);
}

/**
 * pfm_set_find() - look a set up
 * @ctx: context
 * @id:  number
 *
 * Context: ctx->mutex, held here or by the CPU that called this one; or ctx->lock, with the
 * context loaded, since sets come and go only while it is not. Any lock.
 * Return: the set, or NULL.
 */
struct pfm_set *pfm_set_find(struct pfm_context *ctx, u16 id)
{
	return xa_load(&ctx->sets, id);
}

/*
 * The effective time-out: what was asked for, or the least that the
 * administrator allows, rounded up to the timer's resolution. A huge one
 * saturates.
 */
static int pfm_set_timeout(const struct pfm_timespec *req, u64 *ns)
{
	struct timespec64 ts = { req->tv_sec, req->tv_nsec };
	u64 t;
	u32 rest;

	/* On 32-bit kernels tv_nsec is narrower than the program's. */
	if (req->tv_sec < 0 || req->tv_nsec < 0 || req->tv_nsec >= NSEC_PER_SEC)
		return -EINVAL;
	if (!req->tv_sec && !req->tv_nsec)
		return -EINVAL;

	t = max(timespec64_to_ns(&ts), (s64)READ_ONCE(pfm_config.set_timeout_min));
	t = min_t(u64, t, KTIME_MAX - hrtimer_resolution) + hrtimer_resolution - 1;
	div_u64_rem(t, hrtimer_resolution, &rest);
	*ns = t - rest;
	return 0;
}

static struct pfm_timespec pfm_set_timespec(u64 ns)
{
	struct timespec64 ts = ns_to_timespec64(ns);

	return (struct pfm_timespec){ ts.tv_sec, ts.tv_nsec };
}

/**
 * pfm_set_create() - PFM_CREATE_EVTSETS, one element (3.1.10)
 * @ctx:  context, not loaded
 * @desc: element; flags get RETFL bits on failure, the time-out the effective
 *        one on success
 *
 * Context: process, ctx->mutex.
 * Return: 0; -EINVAL; -ENOMEM, also at the administrator's limit.
 */
int pfm_set_create(struct pfm_context *ctx, pfarg_setdesc_t *desc)
{
	u32 flags = desc->set_flags & ~PFM_SET_RETFL_MASK;
	struct pfm_set *set, *old;
	u64 timeout = 0;

	lockdep_assert_held(&ctx->mutex);
	desc->set_flags = flags;
	if (flags & ~(PFM_SET_FLAGS | pfm_rules_set_flags()))
		goto invalid;
	if ((flags & PFM_SETFL_OVFL_SWITCH) && (flags & PFM_SETFL_TIME_SWITCH))
		goto invalid;
	/* The latter leaves out the idle thread, too; it is for CPUs only (6.2.3). */
	if ((flags & PFM_SETFL_EXCL_KERNEL_ONLY_THREADS) &&
	    ((flags & PFM_SETFL_EXCL_IDLE) || !pfm_is_system(ctx)))
		goto invalid;
	if ((flags & PFM_SETFL_TIME_SWITCH) &&
	    pfm_set_timeout(&desc->set_timeout, &timeout))
		goto invalid;

	/* 3.7.7: some formats know one set only. */
	if (desc->set_id && ctx->format &&
	    (pfm_format_fmt(ctx->format)->fmt_flags & PFM_FMTFL_NOSET))
		goto invalid;

	old = pfm_set_find(ctx, desc->set_id);
	set = old ?: pfm_set_new(ctx, desc->set_id);
	if (IS_ERR(set))
		return PTR_ERR(set);

	swap(set->flags, flags);
	if (!pfm_rules_admits(ctx, set)) {
		set->flags = flags;
		if (!old)
			pfm_set_remove(ctx, set);
		goto invalid;
	}
	flags = set->flags;
	ctx->linked = false;
	set->id_next = flags & PFM_SETFL_EXPL_NEXT ? desc->set_id_next : 0;
	set->timeout = timeout;
	set->left = timeout;
	set->switched = 0;
	if (flags & PFM_SETFL_TIME_SWITCH)
		desc->set_timeout = pfm_set_timespec(timeout);
	return 0;

invalid:
	desc->set_flags |= PFM_SET_RETFL_EINVAL;
	return -EINVAL;
}

/**
 * pfm_set_delete() - PFM_DELETE_EVTSETS, one element (3.1.11)
 * @ctx:  context, not loaded
 * @desc: element; flags get RETFL bits on failure
 *
 * Context: process, ctx->mutex.
 * Return: 0, or -EINVAL.
 */
int pfm_set_delete(struct pfm_context *ctx, pfarg_setdesc_t *desc)
{
	u32 flags = desc->set_flags & ~PFM_SET_RETFL_MASK;
	struct pfm_set *set;

	lockdep_assert_held(&ctx->mutex);
	desc->set_flags = flags;
	if (flags || !desc->set_id) {
		desc->set_flags |= PFM_SET_RETFL_EINVAL;
		return -EINVAL;
	}
	set = pfm_set_find(ctx, desc->set_id);
	if (!set) {
		desc->set_flags |= PFM_SET_RETFL_NOSET;
		return -EINVAL;
	}
	/* The context is not loaded: only fdinfo shows which set is active. */
	raw_spin_lock_irq(&ctx->lock);
	if (ctx->set == set)
		ctx->set = pfm_set_find(ctx, 0);
	raw_spin_unlock_irq(&ctx->lock);
	pfm_set_remove(ctx, set);
	ctx->linked = false;
	return 0;
}

static bool pfm_set_runs_here(const struct pfm_context *ctx,
				   const struct pfm_set *set)
{
	return set == ctx->set && ctx->cpu >= 0 && pfm_runstate_running(ctx);
}

/**
 * pfm_set_act_ns() - for how long a set was active and counted
 * @ctx: context
 * @set: one of its sets
 * @now: local_clock(), or the scheduler's last look at it
 *
 * Context: ctx->lock, interrupts off, on the context's CPU.
 * Return: nanoseconds.
 */
u64 pfm_set_act_ns(const struct pfm_context *ctx, const struct pfm_set *set, u64 now)
{
	pfm_assert_live(ctx);
	if (!pfm_set_runs_here(ctx, set) || ctx->away)
		return set->act_ns;
	return set->act_ns + pfm_clock_since(set->since, now);
}

/**
 * pfm_set_left() - what is left of a set's time-out
 * @ctx: context
 * @set: one of its sets
 * @now: local_clock(), or the scheduler's last look at it
 *
 * Context: ctx->lock, interrupts off, on the context's CPU.
 * Return: nanoseconds, 0 if it is over or there is none.
 */
u64 pfm_set_left(const struct pfm_context *ctx, const struct pfm_set *set, u64 now)
{
	u64 gone = 0;

	pfm_assert_live(ctx);
	if (pfm_set_runs_here(ctx, set))
		gone = pfm_clock_since(set->left_at, now);
	return set->left > gone ? set->left - gone : 0;
}

static int pfm_set_getinfo_one(struct pfm_context *ctx, pfarg_setinfo_t *info)
{
	u32 flags = info->set_flags & ~PFM_SET_RETFL_MASK;
	struct pfm_set *set;
	u64 now;

	info->set_flags = flags;
	if (flags) {
		info->set_flags |= PFM_SET_RETFL_EINVAL;
		return -EINVAL;
	}
	set = pfm_set_find(ctx, info->set_id);
	if (!set) {
		info->set_flags |= PFM_SET_RETFL_NOSET;
		return -EINVAL;
	}
	now = local_clock();
	*info = (pfarg_setinfo_t){
		.set_id = set->id,
		.set_id_next = set->id_next,
		.set_flags = set->flags,
		.set_runs = set->runs,
		.set_timeout = pfm_set_timespec(pfm_set_left(ctx, set, now)),
		.set_act_duration =
			pfm_set_timespec(pfm_set_act_ns(ctx, set, now)),
	};
	if (set->load == ctx->load)
		pfm_pmu_vector(set->switched, info->set_switch_pmds);
	return 0;
}

static int pfm_set_getinfo_piece(struct pfm_context *ctx, void *arg)
{
	struct pfm_vector *v = arg;
	unsigned int end = pfm_vector_end(v);
	pfarg_setinfo_t *info = v->elem;
	int ret = 0;

	while (v->done < end && !ret)
		ret = pfm_set_getinfo_one(ctx, &info[v->done++]);
	return ret;
}

/**
 * pfm_set_getinfo() - PFM_GETINFO_EVTSETS (3.1.12)
 * @ctx: context
 * @v:   elements: pfarg_setinfo_t, which are filled in, or their flags get RETFL bits
 *
 * Context: process, ctx->mutex.
 * Return: 0; -EINVAL; and see pfm_reach_call().
 */
int pfm_set_getinfo(struct pfm_context *ctx, struct pfm_vector *v)
{
	int ret = pfm_reach_call_pieces(ctx, pfm_set_getinfo_piece, v);

	return pfm_sum_getinfo(ctx, v, ret);
}

/**
 * pfm_set_link() - find every set's successor (3.7.5)
 * @ctx: context, about to be loaded
 *
 * The successors are found once, and not again before sets are changed.
 *
 * Context: process, ctx->mutex.
 * Return: 0, or -EINVAL if an explicit next set does not exist (3.1.7).
 */
int pfm_set_link(struct pfm_context *ctx)
{
	struct pfm_set *first = pfm_set_find(ctx, 0), *last = NULL, *set;
	unsigned long id;

	lockdep_assert_held(&ctx->mutex);
	if (ctx->linked)
		return 0;
	xa_for_each(&ctx->sets, id, set) {
		cond_resched();
		/* Any set can become the active one between two switches of threads. */
		if (set->flags & PFM_SET_EXCL)
			ctx->switches = true;
		if (last)
			last->next = set;
		last = NULL;
		if (!(set->flags & PFM_SETFL_EXPL_NEXT)) {
			last = set;
			continue;
		}
		set->next = pfm_set_find(ctx, set->id_next);
		if (!set->next)
			return -EINVAL;
	}
	if (last)
		last->next = first;
	ctx->linked = true;
	return 0;
}
