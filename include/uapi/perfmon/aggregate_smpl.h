/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * perfmon2: the aggregating sampling format.
 *
 * A profile needs no list of samples, it needs their number at each place. The
 * buffer is a table with one entry for each combination of process, instruction
 * pointer and event that has been sampled; the entry counts these samples.
 * reg_smpl_pmds is ignored. Monitoring is not masked, and counters get their
 * short reset values.
 *
 *	struct {
 *		pfarg_ctx_t ctx;
 *		pfm_aggregate_smpl_arg_t arg;
 *	} req = {
 *		.ctx.ctx_smpl_buf_id = PFM_AGGREGATE_SMPL_UUID,
 *		.arg.buf_slots = 4096,
 *	};
 *
 * The buffer is a header, pfm_aggregate_smpl_hdr_t, of hdr_size bytes (version 2.0 has 0
 * there, and 64 bytes), and hdr_slots slots, each a pfm_aggregate_smpl_entry_t.
 *
 * The table is full when 7/8 of its slots are used, or when a sample finds no free
 * slot among those that the kernel searches; that sample is lost, and there is no
 * other way to lose one. When the table is full, one message is queued: for the
 * next sample that a counter with PFM_REGFL_OVFL_NOTIFY in its control causes.
 * With PFM_AGGREGATE_SMPL_MASK_WHEN_FULL monitoring is masked then, too; if the
 * context has PFM_FL_NOTIFY_BLOCK, the monitored thread blocks. (Without
 * PFM_AGGREGATE_SMPL_MASK_WHEN_FULL, PFM_CREATE_CONTEXT refuses that flag with
 * EINVAL.)
 *
 * PFM_RESTART clears the table, at any time; with PFM_AGGREGATE_SMPL_KEEP it
 * does not, so that a full table stays full. If monitoring was masked it goes
 * on, with the long reset values. While no sample is being taken,
 *
 *	hdr_samples = hdr_lost + hdr_cleared + sum of ent_count in the table
 *
 * so hdr_cleared, less the sum of the counts that a program has copied, is the
 * number of samples that came between its copies and the PFM_RESTART after each.
 *
 * The table may be read at any time. PFM_RESTART does not touch the slots, but
 * gives the table a new hdr_gen. An entry is used if its ent_gen, read first and
 * with acquire semantics, is hdr_gen; then its other fields are right. If another
 * thread may call PFM_RESTART meanwhile, what was read is valid only if hdr_gen was
 * even before and is the same afterwards, with a fence between:
 *
 *	do {
 *		gen = __atomic_load_n(&hdr->hdr_gen, __ATOMIC_ACQUIRE);
 *		for (n = i = 0; i < hdr->hdr_slots; i++)
 *			if (__atomic_load_n(&slot[i].ent_gen, __ATOMIC_ACQUIRE) == gen)
 *				copy[n++] = slot[i];
 *		__atomic_thread_fence(__ATOMIC_ACQUIRE);
 *	} while (gen % 2 || __atomic_load_n(&hdr->hdr_gen, __ATOMIC_RELAXED) != gen);
 */
#ifndef _UAPI_PERFMON_AGGREGATE_SMPL_H
#define _UAPI_PERFMON_AGGREGATE_SMPL_H

#include <linux/types.h>

#define PFM_AGGREGATE_SMPL_UUID_TEXT "c366d20d-94cc-45fc-811b-06f96ee63075"
#define PFM_AGGREGATE_SMPL_UUID { \
	0xc3, 0x66, 0xd2, 0x0d, 0x94, 0xcc, 0x45, 0xfc, \
	0x81, 0x1b, 0x06, 0xf9, 0x6e, 0xe6, 0x30, 0x75 }

#define PFM_AGGREGATE_SMPL_VERSION	0x00020001	/* 2.1 */

/* pfm_aggregate_smpl_arg_t.buf_flags */
#define PFM_AGGREGATE_SMPL_MASK_WHEN_FULL 0x1	/* until PFM_RESTART */
#define PFM_AGGREGATE_SMPL_KEEP		0x2	/* PFM_RESTART does not clear */

#define PFM_AGGREGATE_SMPL_MIN_SLOTS	64
#define PFM_AGGREGATE_SMPL_MAX_SLOTS	16384

/* Follows pfarg_ctx_t. */
typedef struct pfm_aggregate_smpl_arg {
	__u32 buf_slots;		/* a power of two, within the limits */
	__u32 buf_flags;
} pfm_aggregate_smpl_arg_t;

/* pfm_aggregate_smpl_hdr_t.hdr_state */
#define PFM_AGGREGATE_SMPL_ROOM		0	/* not full */
#define PFM_AGGREGATE_SMPL_FULL		1	/* full */
#define PFM_AGGREGATE_SMPL_TOLD		2	/* full, not said again */

/* At the beginning of the buffer. A later minor version can have a longer one. */
typedef struct pfm_aggregate_smpl_hdr {
	__u32 hdr_version;		/* PFM_AGGREGATE_SMPL_VERSION */
	__u32 hdr_flags;		/* as in the argument */
	__aligned_u64 hdr_buf_size;	/* bytes, of this and the slots */
	__u32 hdr_slots;		/* as in the argument */
	__u32 hdr_used;			/* ... with an entry */
	__u32 hdr_mark;			/* full when hdr_used reaches it */
	__u32 hdr_state;
	__aligned_u64 hdr_samples;	/* that came, since the creation */
	__aligned_u64 hdr_lost;		/* ... and found no slot */
	__aligned_u64 hdr_cleared;	/* ... and were cleared */
	__u32 hdr_gen;			/* odd while PFM_RESTART clears the table */
	__u32 hdr_size;			/* bytes of the header */
} pfm_aggregate_smpl_hdr_t;

typedef struct pfm_aggregate_smpl_entry {
	__s32 ent_pid;			/* process */
	__u16 ent_set;			/* event set and ... */
	__u16 ent_ovfl_pmd;		/* ... counter that overflowed */
	__aligned_u64 ent_ip;		/* where the thread was */
	__aligned_u64 ent_eventid;	/* the control's reg_smpl_eventid */
	__u32 ent_gen;			/* hdr_gen, or the slot is free */
	__u32 ent_count;		/* samples; the 2^32nd is lost */
} pfm_aggregate_smpl_entry_t;

#endif /* _UAPI_PERFMON_AGGREGATE_SMPL_H */
