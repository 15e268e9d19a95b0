// SPDX-License-Identifier: GPL-2.0-only
/*
 * perfmon2: the memory that contexts take, and who pays for it.
 *
 * There are two kinds: contexts with all that belongs to them, event sets above
 * all, and sampling buffers. Of each kind there is a limit of the administrator's
 * for all users together. A user pays for both out of his RLIMIT_MEMLOCK; but
 * a number of contexts that a tool needs in any case is free.
 *
 * A user is a real user ID, whatever user name space names it: name spaces that
 * he makes for himself give him nothing. He who creates a context has it on his
 * account as long as it exists, whoever adds sets to it and whatever becomes of
 * his credentials. The account is ours alone, because what the kernel has is
 * of no use: user_struct.locked_vm exists only with perf_events or the network,
 * and a ucounts is another one in each name space.
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/hashtable.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/uidgid.h>

#include "pfm.h"

struct pfm_account {
	struct hlist_node node;			/* [f] */
	kuid_t uid;				/* [c] */
	unsigned int contexts;			/* [f] */
	u64 bytes[PFM_ACCOUNT_KINDS];		/* [f] */
};

/* With interrupts off: the last reference to a context may be dropped in one. */
static DEFINE_SPINLOCK(pfm_account_lock);
static DEFINE_HASHTABLE(pfm_account_table, 6);	/* [f] */

static struct pfm_account *pfm_account_find(kuid_t uid)
{
	struct pfm_account *a;

	lockdep_assert_held(&pfm_account_lock);
	hash_for_each_possible(pfm_account_table, a, node, __kuid_val(uid))
		if (uid_eq(a->uid, uid))
			return a;
	return NULL;
}

/**
 * pfm_account_get() - the caller's account, for a context that he creates
 *
 * Context: process.
 * Return: the account, for pfm_account_put(), or NULL if there is no memory.
 */
struct pfm_account *pfm_account_get(void)
{
	struct pfm_account *a, *new = NULL;
	kuid_t uid = current_uid();
	unsigned long flags;

	for (;;) {
		spin_lock_irqsave(&pfm_account_lock, flags);
		a = pfm_account_find(uid);
		if (!a && new) {
			new->uid = uid;
			hash_add(pfm_account_table, &new->node, __kuid_val(uid));
			a = new;
			new = NULL;
		}
		if (a)
			a->contexts++;
		spin_unlock_irqrestore(&pfm_account_lock, flags);
		if (a)
			break;
		new = kzalloc(sizeof(*new), GFP_KERNEL_ACCOUNT);
		if (!new)
			return NULL;
	}
	kfree(new);
	return a;
}

/**
 * pfm_account_share() - another context is on an account
 * @a: account of a context that stays meanwhile; pfm_account_put() is to follow
 *
 * Context: process.
 */
void pfm_account_share(struct pfm_account *a)
{
	unsigned long flags;

	spin_lock_irqsave(&pfm_account_lock, flags);
	a->contexts++;
	spin_unlock_irqrestore(&pfm_account_lock, flags);
}

/**
 * pfm_account_put() - undo pfm_account_get() or pfm_account_share()
 * @a: account, from which all that the context was charged has been taken
 *
 * Context: any but NMI.
 */
void pfm_account_put(struct pfm_account *a)
{
	unsigned long flags;
	bool last;

	spin_lock_irqsave(&pfm_account_lock, flags);
	last = !--a->contexts;
	if (last)
		hash_del(&a->node);
	spin_unlock_irqrestore(&pfm_account_lock, flags);
	if (!last)
		return;
	WARN_ON_ONCE(memchr_inv(a->bytes, 0, sizeof(a->bytes)));
	kfree(a);
}

static const struct {
	const u64 *max;
	atomic64_t *cur;
} pfm_account_sums[PFM_ACCOUNT_KINDS] = {
	[PFM_ACCOUNT_SETS] = {
		&pfm_config.set_mem_max, &pfm_config.set_mem_cur,
	},
	[PFM_ACCOUNT_BUFFERS] = {
		&pfm_config.smpl_buf_size_max, &pfm_config.smpl_buf_size_cur,
	},
};

/* -EPERM if the user is at his limit, -ENOMEM if all of them are. */
static int pfm_account_try(struct pfm_account *a, enum pfm_account_kind kind,
			   u64 bytes, u64 limit)
{
	atomic64_t *cur = pfm_account_sums[kind].cur;
	u64 all, sets, buffers;
	unsigned long flags;
	int ret = 0;

	spin_lock_irqsave(&pfm_account_lock, flags);
	all = atomic64_read(cur) + bytes;
	sets = a->bytes[PFM_ACCOUNT_SETS];
	buffers = a->bytes[PFM_ACCOUNT_BUFFERS];
	*(kind == PFM_ACCOUNT_SETS ? &sets : &buffers) += bytes;
	if (all > READ_ONCE(*pfm_account_sums[kind].max)) {
		ret = -ENOMEM;
	} else if (sets - min_t(u64, sets, PFM_ACCOUNT_FREE) + buffers > limit) {
		ret = -EPERM;
	} else {
		atomic64_set(cur, all);
		a->bytes[kind] += bytes;
	}
	spin_unlock_irqrestore(&pfm_account_lock, flags);
	return ret;
}

/**
 * pfm_account_charge() - put memory on an account
 * @a:     account
 * @kind:  what it is for
 * @bytes: as many as the allocator takes, at most LONG_MAX
 *
 * The caller's RLIMIT_MEMLOCK counts, unless he has CAP_IPC_LOCK.
 *
 * Context: process.
 * Return: 0, or -ENOMEM at a limit.
 */
int pfm_account_charge(struct pfm_account *a, enum pfm_account_kind kind,
		       u64 bytes)
{
	unsigned long limit = rlimit(RLIMIT_MEMLOCK);
	int ret;

	ret = pfm_account_try(a, kind, bytes,
			      limit == RLIM_INFINITY ? U64_MAX : limit);
	/* Asked only if it matters: the question can be audited. */
	if (ret == -EPERM && capable(CAP_IPC_LOCK))
		ret = pfm_account_try(a, kind, bytes, U64_MAX);
	return ret ? -ENOMEM : 0;
}

/**
 * pfm_account_uncharge() - take memory off an account
 * @a:     account
 * @kind:  as it was charged
 * @bytes: likewise, or several such together
 *
 * Context: any but NMI.
 */
void pfm_account_uncharge(struct pfm_account *a, enum pfm_account_kind kind,
			  u64 bytes)
{
	unsigned long flags;

	spin_lock_irqsave(&pfm_account_lock, flags);
	a->bytes[kind] -= bytes;
	atomic64_sub(bytes, pfm_account_sums[kind].cur);
	spin_unlock_irqrestore(&pfm_account_lock, flags);
}
