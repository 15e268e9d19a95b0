/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perfmon2: the records of perfmon/callchain_smpl.h, for all formats that have them,
 * which alone include this.
 */
#ifndef _PERFMON_CALLCHAIN_H
#define _PERFMON_CALLCHAIN_H

#include <linux/align.h>
#include <linux/build_bug.h>
#include <linux/limits.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include <perfmon/callchain_smpl.h>
#include <perfmon/format.h>

/* The size of a record has 16 bits. */
static_assert(sizeof(pfm_callchain_smpl_sample_t) + sizeof(u64) *
	      (PFM_MAX_PMDS + 2 * PFM_CALLCHAIN_SMPL_MAX_DEPTH) <= U16_MAX);
static_assert(sizeof(pfm_callchain_smpl_map_t) + PATH_MAX <= U16_MAX);

/**
 * pfm_callchain_words() - how many addresses a chain can have
 * @flags: PFM_CALLCHAIN_SMPL_KERNEL, PFM_CALLCHAIN_SMPL_USER, both or neither
 * @depth: addresses in each part, at most PFM_CALLCHAIN_SMPL_MAX_DEPTH
 *
 * Context: any.
 * Return: addresses.
 */
static inline u32 pfm_callchain_words(u32 flags, u16 depth)
{
	return (!!(flags & PFM_CALLCHAIN_SMPL_KERNEL) +
		!!(flags & PFM_CALLCHAIN_SMPL_USER)) * depth;
}

/**
 * pfm_callchain_walk() - the chain of calls that led to an overflow
 * @flags:	as above
 * @depth:	likewise
 * @data:	of the handler
 * @ips:	room for pfm_callchain_words() addresses; gets the kernel's, then the
 *		user's
 * @nr_kernel:	out: how many of the first there are
 * @nr_user:	out: how many of the second
 *
 * Context: as the handler.
 */
static inline void pfm_callchain_walk(u32 flags, u16 depth,
				      const struct pfm_ovfl_data *data, u64 *ips,
				      unsigned int *nr_kernel, unsigned int *nr_user)
{
	*nr_kernel = 0;
	*nr_user = 0;
	if (flags & PFM_CALLCHAIN_SMPL_KERNEL)
		*nr_kernel = pfm_sample_stack_kernel(data, ips, depth);
	if (flags & PFM_CALLCHAIN_SMPL_USER)
		*nr_user = pfm_sample_stack_user(data, ips + *nr_kernel, depth);
}

/**
 * pfm_callchain_put_sample() - write a SAMPLE record
 * @at:     where to, aligned to 8 bytes; there is room for the largest
 * @flags:  as above
 * @depth:  likewise
 * @arg:    of the handler
 * @tstamp: of the handler
 * @data:   of the handler. Counters that overflow at once have one chain: it is
 *	    walked for the first, whose record must stay where it is until the
 *	    others have been written, and is copied from sample to sample
 *
 * Context: as the handler.
 * Return: its bytes.
 */
static inline u32 pfm_callchain_put_sample(void *at, u32 flags, u16 depth,
					   const pfm_ovfl_arg_t *arg, u64 tstamp,
					   struct pfm_ovfl_data *data)
{
	const pfm_callchain_smpl_sample_t *same = data->event;
	pfm_callchain_smpl_sample_t *s = at;
	unsigned int nr_kernel = 0, nr_user = 0, i;
	u64 *pos = (u64 *)(s + 1);

	for (i = 0; i < arg->num_smpl_pmds; i++)
		*pos++ = arg->smpl_pmds_values[i];
	if (same) {
		nr_kernel = same->nr_kernel;
		nr_user = same->nr_user;
		memcpy(pos, (const u64 *)(same + 1) + same->nr_values,
		       (nr_kernel + nr_user) * sizeof(*pos));
	} else {
		pfm_callchain_walk(flags, depth, data, pos, &nr_kernel, &nr_user);
		data->event = s;
	}
	pos += nr_kernel + nr_user;
	*s = (pfm_callchain_smpl_sample_t) {
		.type = PFM_CALLCHAIN_SMPL_SAMPLE,
		.size = (void *)pos - at,
		.pid = data->pid,
		.tid = data->tid,
		.ovfl_pmd = arg->ovfl_pmd,
		.set = arg->active_set,
		.cpu = data->cpu,
		.nr_values = arg->num_smpl_pmds,
		.nr_kernel = nr_kernel,
		.nr_user = nr_user,
		.last_reset_val = arg->pmd_last_reset,
		.tstamp = tstamp,
		.ip = data->ip,
	};
	return s->size;
}

/**
 * pfm_callchain_map_size() - how long a MAP, an EXEC or a FORK record is
 * @info: of fmt_map()
 *
 * Context: any.
 * Return: bytes, a multiple of 8.
 */
static inline u32 pfm_callchain_map_size(const struct pfm_map_info *info)
{
	if (info->exec)
		return sizeof(pfm_callchain_smpl_exec_t);
	if (info->fork)
		return sizeof(pfm_callchain_smpl_fork_t);
	return sizeof(pfm_callchain_smpl_map_t) +
	       ALIGN(info->name_len + 1, sizeof(u64));
}

static inline void pfm_callchain_put_exec(pfm_callchain_smpl_exec_t *e,
					  const struct pfm_map_info *info)
{
	*e = (pfm_callchain_smpl_exec_t) {
		.type = PFM_CALLCHAIN_SMPL_EXEC,
		.size = sizeof(*e),
		.pid = info->pid,
		.tid = info->tid,
		.tstamp = info->tstamp,
	};
	memcpy(e->comm, info->name, min(info->name_len, sizeof(e->comm) - 1));
}

static inline void pfm_callchain_put_fork(pfm_callchain_smpl_fork_t *f,
					  const struct pfm_map_info *info)
{
	*f = (pfm_callchain_smpl_fork_t) {
		.type = PFM_CALLCHAIN_SMPL_FORK,
		.size = sizeof(*f),
		.pid = info->pid,
		.tid = info->tid,
		.child = info->child,
		.tstamp = info->tstamp,
	};
}

/**
 * pfm_callchain_put_map() - write a MAP, an EXEC or a FORK record
 * @at:   where to, aligned to 8 bytes; there is room
 * @info: of fmt_map()
 *
 * Context: as fmt_map().
 * Return: its bytes, pfm_callchain_map_size().
 */
static inline u32 pfm_callchain_put_map(void *at, const struct pfm_map_info *info)
{
	u32 size = pfm_callchain_map_size(info);
	pfm_callchain_smpl_map_t *m = at;

	if (info->exec) {
		pfm_callchain_put_exec(at, info);
		return size;
	}
	if (info->fork) {
		pfm_callchain_put_fork(at, info);
		return size;
	}
	*m = (pfm_callchain_smpl_map_t) {
		.type = PFM_CALLCHAIN_SMPL_MAP,
		.size = size,
		.pid = info->pid,
		.tid = info->tid,
		.flags = info->flags,
		.major = info->major,
		.minor = info->minor,
		.ino = info->ino,
		.tstamp = info->tstamp,
		.addr = info->addr,
		.len = info->len,
		.pgoff = info->pgoff,
	};
	/* The NUL and what follows it, then the path. */
	*(u64 *)(at + size - sizeof(u64)) = 0;
	memcpy(m + 1, info->name, info->name_len);
	return size;
}

#endif /* _PERFMON_CALLCHAIN_H */
