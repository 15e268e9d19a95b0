/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * perfmon2: the aggregating call chain sampling format.
 *
 * The buffer has two tables. The kernel counts samples in one of them: it has an
 * entry for each combination of program, event and call chain that has been sampled,
 * and each chain once, however many entries have it. PFM_RESTART freezes that table,
 * and the kernel goes on in the other, which is empty then: so no sample comes
 * between the reading and the clearing of a table, and monitoring need not stop.
 * reg_smpl_pmds is ignored. Counters get their short reset values.
 *
 *	struct {
 *		pfarg_ctx_t ctx;
 *		pfm_callaggregate_smpl_arg_t arg;
 *	} req = {
 *		.ctx.ctx_smpl_buf_id = PFM_CALLAGGREGATE_SMPL_UUID,
 *		.arg.arg_size = sizeof(req.arg),
 *		.arg.buf_flags = PFM_CALLCHAIN_SMPL_USER |
 *				 PFM_CALLCHAIN_SMPL_MAPS,
 *		.arg.buf_slots = 4096,
 *		.arg.buf_words = 65536,
 *		.arg.buf_maps = 65536,
 *	};
 *
 * The argument says how long it is. What it lacks is 0; a longer one than the
 * kernel knows is E2BIG unless the rest is 0.
 *
 * A program is a process between two calls of execve(): ent_pid; ent_exec, which is
 * another number after each execve(); and ent_start, when the process began, since
 * numbers of processes are used again. With PFM_CALLAGGREGATE_SMPL_THREADS threads
 * are counted apart. ent_first is the time of the first sample of an entry: the
 * mappings are those of that time. Both times are those of the first time name space:
 * a program in another one sees its clocks, and starttime in /proc/PID/stat, with the
 * offsets of its own added (time_namespaces(7)).
 *
 * Chains are those of the call chain format, with PFM_CALLCHAIN_SMPL_KERNEL and
 * PFM_CALLCHAIN_SMPL_USER as there. Where there would be none, the sample's ip alone is
 * the chain, if it is known. With PFM_CALLCHAIN_SMPL_MAPS each table also has buf_maps
 * bytes for MAP and EXEC records, which are those of the call chain format, too; what
 * finds no room there is counted in tab_lost_maps.
 *
 * A table is full when 7/8 of its slots are used, or when a sample finds no free slot
 * among those that the kernel searches or its chain finds no room; that sample is lost,
 * and counted in tab_lost and hdr_lost. There is no other way to lose one but the
 * 2^32nd of an entry. When a table is full, one message is queued, for the next sample
 * that a counter with PFM_REGFL_OVFL_NOTIFY in its control causes, and what has an entry
 * is still counted. With PFM_CALLAGGREGATE_SMPL_MASK_WHEN_FULL monitoring is masked then,
 * until PFM_RESTART; if the context has PFM_FL_NOTIFY_BLOCK, the monitored thread blocks.
 * (Without PFM_CALLAGGREGATE_SMPL_MASK_WHEN_FULL, PFM_CREATE_CONTEXT refuses that flag
 * with EINVAL.)
 *
 * The frozen table does not change before the next PFM_RESTART, which has the kernel
 * begin it anew, whether it has been read or not:
 *
 *	perfmonctl(fd, PFM_RESTART, 0, 0);
 *	tab = &hdr->hdr_table[!(__atomic_load_n(&hdr->hdr_gen, __ATOMIC_ACQUIRE) % 2)];
 *	for (at = tab->tab_slots; at < tab->tab_index; at += hdr->hdr_entry_size) {
 *		ent = (const pfm_callaggregate_smpl_entry_t *)((const char *)hdr + at);
 *		if (ent->ent_gen == tab->tab_gen)
 *			use(ent, (const char *)hdr + ent->ent_chain);
 *	}
 *
 * The other table, hdr_table[hdr_gen % 2], may be read, too, at any time: what is in
 * an entry is right if its ent_gen, read first and with acquire semantics, is tab_gen,
 * and only ent_count changes, which is then as of some moment.
 *
 * In a frozen table
 *
 *	tab_samples = tab_lost + sum of ent_count
 *
 * and hdr_samples and hdr_lost are the sums of tab_samples and tab_lost of all tables
 * that ever were. What has 64 bits and changes is written in two halves by a 32-bit
 * kernel: read of the table that is being filled it can be wrong by 2^32.
 */
#ifndef _UAPI_PERFMON_CALLAGGREGATE_SMPL_H
#define _UAPI_PERFMON_CALLAGGREGATE_SMPL_H

#include <linux/types.h>
#include <perfmon/callchain_smpl.h>

#define PFM_CALLAGGREGATE_SMPL_UUID_TEXT "4c77ea49-10d1-4cc9-aa1f-c11dccfa7cfa"
#define PFM_CALLAGGREGATE_SMPL_UUID { \
	0x4c, 0x77, 0xea, 0x49, 0x10, 0xd1, 0x4c, 0xc9, \
	0xaa, 0x1f, 0xc1, 0x1d, 0xcc, 0xfa, 0x7c, 0xfa }

#define PFM_CALLAGGREGATE_SMPL_VERSION	0x00010000	/* 1.0 */

/* buf_flags: PFM_CALLCHAIN_SMPL_KERNEL, _USER and _MAPS, and */
#define PFM_CALLAGGREGATE_SMPL_MASK_WHEN_FULL 0x100	/* until PFM_RESTART */
#define PFM_CALLAGGREGATE_SMPL_THREADS	0x200	/* count threads apart */

/* Of version 1.0. */
#define PFM_CALLAGGREGATE_SMPL_ARG_SIZE	24

#define PFM_CALLAGGREGATE_SMPL_MIN_SLOTS	64
#define PFM_CALLAGGREGATE_SMPL_MAX_SLOTS	65536
#define PFM_CALLAGGREGATE_SMPL_MAX_WORDS	(1 << 24)
#define PFM_CALLAGGREGATE_SMPL_MAX_MAPS		(1 << 24)

/* Follows pfarg_ctx_t. Two tables of this size must be less than 2^31 bytes. */
typedef struct pfm_callaggregate_smpl_arg {
	__u32 arg_size;			/* bytes of this structure */
	__u32 buf_flags;
	__u32 buf_slots;		/* of a table: a power of two, within the limits */
	__u32 buf_words;		/* 64 bits each, for the chains of a table; at
					 * least those of the longest */
	__u32 buf_maps;			/* bytes for the MAP and EXEC records of a table;
					 * a multiple of 8, 0 without MAPS */
	__u16 buf_max_depth;		/* addresses in each part, 0: 64 */
	__u16 buf_pad;			/* 0 */
} pfm_callaggregate_smpl_arg_t;

/* pfm_callaggregate_smpl_table_t.tab_state */
#define PFM_CALLAGGREGATE_SMPL_ROOM	0	/* not full */
#define PFM_CALLAGGREGATE_SMPL_FULL	1	/* full */
#define PFM_CALLAGGREGATE_SMPL_TOLD	2	/* full, not said again */

/* Offsets are bytes from the beginning of the buffer. */
typedef struct pfm_callaggregate_smpl_table {
	__u32 tab_slots;		/* where the slots are */
	__u32 tab_index;		/* behind the slots: the kernel's */
	__u32 tab_chains;		/* where the chains are */
	__u32 tab_maps;			/* where MAP and EXEC records are */
	__u32 tab_maps_end;		/* where they end */
	__u32 tab_gen;			/* hdr_gen when this was begun; 0: never */
	__u32 tab_used;			/* slots with an entry */
	__u32 tab_words;		/* 64 bits each, used by chains */
	__u32 tab_state;
	__u32 tab_pad;
	__aligned_u64 tab_samples;	/* that came */
	__aligned_u64 tab_lost;		/* ... and found no room */
	__aligned_u64 tab_lost_maps;	/* MAP and EXEC records, likewise */
} pfm_callaggregate_smpl_table_t;

/* At the beginning of the buffer. A later minor version can have a longer one. */
typedef struct pfm_callaggregate_smpl_hdr {
	__u32 hdr_version;		/* PFM_CALLAGGREGATE_SMPL_VERSION */
	__u32 hdr_size;			/* bytes of this structure */
	__aligned_u64 hdr_buf_size;	/* bytes of all of it */
	__u32 hdr_flags;		/* as in the argument */
	__u32 hdr_slots;		/* likewise */
	__u32 hdr_words;		/* likewise */
	__u32 hdr_maps_size;		/* buf_maps of the argument */
	__u32 hdr_mark;			/* full when tab_used reaches it */
	__u32 hdr_entry_size;		/* bytes of an entry */
	__u16 hdr_max_depth;		/* as in the argument, or 64 */
	__u16 hdr_pad;
	__u32 hdr_gen;			/* hdr_table[hdr_gen % 2] is being filled */
	__aligned_u64 hdr_samples;	/* that came, since the creation */
	__aligned_u64 hdr_lost;		/* ... and found no room */
	__aligned_u64 hdr_lost_maps;	/* MAP and EXEC records, likewise */
	pfm_callaggregate_smpl_table_t hdr_table[2];
} pfm_callaggregate_smpl_hdr_t;

typedef struct pfm_callaggregate_smpl_entry {
	__u32 ent_gen;			/* tab_gen, or the slot is free */
	__u32 ent_count;		/* samples; the 2^32nd is lost */
	__s32 ent_pid;			/* process */
	__s32 ent_tid;			/* thread, 0 if they are not counted apart */
	__u32 ent_exec;			/* differs before and after an execve() */
	__u16 ent_set;			/* event set and ... */
	__u16 ent_ovfl_pmd;		/* ... counter that overflowed */
	__aligned_u64 ent_eventid;	/* the control's reg_smpl_eventid */
	__aligned_u64 ent_start;	/* of the process, CLOCK_BOOTTIME, ns */
	__aligned_u64 ent_hash;		/* the kernel's */
	__aligned_u64 ent_first;	/* the first sample, CLOCK_MONOTONIC, ns */
	__u32 ent_chain;		/* bytes to its chain */
	__u32 ent_pad;
} pfm_callaggregate_smpl_entry_t;

/* The addresses, 64 bits each, follow: the kernel's, the user's, innermost first. */
typedef struct pfm_callaggregate_smpl_chain {
	__aligned_u64 chain_hash;	/* the kernel's */
	__u16 chain_nr_kernel;
	__u16 chain_nr_user;
	__u32 chain_pad;
} pfm_callaggregate_smpl_chain_t;

#endif /* _UAPI_PERFMON_CALLAGGREGATE_SMPL_H */
