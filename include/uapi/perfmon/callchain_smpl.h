/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * perfmon2: the call chain sampling format.
 *
 * A sample has the chain of calls that led to the interrupted instruction, and the
 * buffer can also record which files were mapped at these addresses: enough to name
 * the functions without asking a process that may have ended.
 *
 *	struct {
 *		pfarg_ctx_t ctx;
 *		pfm_callchain_smpl_arg_t arg;
 *	} req = {
 *		.ctx.ctx_smpl_buf_id = PFM_CALLCHAIN_SMPL_UUID,
 *		.arg.buf_size = 262144,
 *		.arg.buf_flags = PFM_CALLCHAIN_SMPL_USER |
 *				 PFM_CALLCHAIN_SMPL_MAPS,
 *	};
 *
 * The buffer is a header, pfm_callchain_smpl_hdr_t, of hdr_size bytes (version 1.0
 * has 0 there, and 72 bytes), and hdr_count records in the order in which they came.
 * Each begins with its type and its size in bytes, a multiple of 8: the next record
 * follows after as many. Skip types that you do not know.
 *
 *	SAMPLE	pfm_callchain_smpl_sample_t, then 64 bits each: nr_values values
 *		of the PMDs in reg_smpl_pmds in increasing order of number,
 *		nr_kernel and nr_user addresses, each part innermost first; in a
 *		later version, or another format, more may follow
 *	MAP	pfm_callchain_smpl_map_t, then the path with a NUL at its end,
 *		and more of them up to a multiple of 8
 *	EXEC	pfm_callchain_smpl_exec_t
 *	FORK	pfm_callchain_smpl_fork_t; not in this format
 *	LOST	pfm_callchain_smpl_lost_t; not in this format, whose gaps are where
 *		PFM_RESTART has emptied the buffer, but in those that go on
 *
 * Chains. In the part that was interrupted, the kernel's or the user's, the first
 * address is the sample's ip; all others are return addresses. If the thread was
 * in the kernel, the user part begins where it entered the kernel. User frames are
 * found by frame pointers, but on PowerPC by the back chain that its ABIs demand:
 * elsewhere programs built without frame pointers (-fomit-frame-pointer) give a wrong
 * or a short part. The walk ends at memory that is not present, and at
 * buf_max_depth. The kernel part is empty if the context's creator may not create
 * a system-wide context, and if no interrupt found the overflow. Both parts are
 * empty if the thread was not running when the overflow was found.
 *
 * Maps. A MAP record is written when the monitored thread has mapped a file
 * executable; if the kernel has merged the mapping with its neighbours, addr and
 * len are those of the whole. There is no record for mprotect() and mremap(), for
 * mappings older than the attachment (see /proc/PID/maps), and for mappings that
 * other threads of the process make: these are recorded in those threads' contexts
 * or, if monitoring is system-wide, in the context of the CPU where they happen.
 * An EXEC record is written when the thread executes another program: all earlier
 * mappings of that process are gone, and those of the new program follow. Both are
 * written while the context is loaded, started or not.
 *
 * The buffer is full when the largest sample, hdr_max_sample, would not fit any
 * more. Then monitoring is masked; if the control of the counter, or of another
 * that overflowed at that moment, has PFM_REGFL_OVFL_NOTIFY, a message is queued,
 * and with PFM_FL_NOTIFY_BLOCK the thread blocks. If other counters overflow
 * together with the one that filled the buffer, their samples are lost and counted
 * in hdr_lost. A MAP or EXEC record that would leave no room for the largest sample
 * is not written, but counted in hdr_lost_maps: so these records never fill the
 * buffer, and a full buffer does not change.
 *
 * PFM_RESTART empties the buffer, at any time, whether it has been read or not.
 * hdr_cleared, less the number of records that one has read, are those that
 * came between the reading and PFM_RESTART. The other counts stay.
 */
#ifndef _UAPI_PERFMON_CALLCHAIN_SMPL_H
#define _UAPI_PERFMON_CALLCHAIN_SMPL_H

#include <linux/types.h>

#define PFM_CALLCHAIN_SMPL_UUID_TEXT "b0324930-cddc-4540-a6cb-6a16bd0b7dda"
#define PFM_CALLCHAIN_SMPL_UUID { \
	0xb0, 0x32, 0x49, 0x30, 0xcd, 0xdc, 0x45, 0x40, \
	0xa6, 0xcb, 0x6a, 0x16, 0xbd, 0x0b, 0x7d, 0xda }

#define PFM_CALLCHAIN_SMPL_VERSION	0x00010001	/* 1.1 */

/* pfm_callchain_smpl_arg_t.buf_flags */
#define PFM_CALLCHAIN_SMPL_KERNEL	0x1	/* the kernel part of chains */
#define PFM_CALLCHAIN_SMPL_USER		0x2	/* the user part */
#define PFM_CALLCHAIN_SMPL_MAPS		0x4	/* MAP and EXEC records */

#define PFM_CALLCHAIN_SMPL_MAX_DEPTH	127
#define PFM_CALLCHAIN_SMPL_DEF_DEPTH	64

/*
 * Follows pfarg_ctx_t. The buffer is as large as buf_size says, to a page; it
 * must have room for the largest sample, of all implemented PMDs.
 */
typedef struct pfm_callchain_smpl_arg {
	__aligned_u64 buf_size;		/* bytes */
	__u16 buf_max_depth;		/* addresses in each part, 0: 64 */
	__u16 buf_flags;
	__u32 buf_pad;			/* 0 */
} pfm_callchain_smpl_arg_t;

typedef struct pfm_callchain_smpl_hdr {
	__aligned_u64 hdr_count;	/* records in the buffer */
	__aligned_u64 hdr_cur_offs;	/* bytes to the end of the last */
	__aligned_u64 hdr_overflows;	/* times that the buffer got full */
	__aligned_u64 hdr_buf_size;	/* bytes, as in the argument */
	__u32 hdr_version;		/* PFM_CALLCHAIN_SMPL_VERSION */
	__u32 hdr_flags;		/* as in the argument */
	__aligned_u64 hdr_lost;		/* samples that found no room */
	__aligned_u64 hdr_lost_maps;	/* MAP and EXEC records, likewise */
	__aligned_u64 hdr_cleared;	/* records that PFM_RESTART removed */
	__u32 hdr_max_sample;		/* bytes of the largest sample */
	__u16 hdr_max_depth;		/* as in the argument, or 64 */
	__u16 hdr_size;			/* bytes of the header */
} pfm_callchain_smpl_hdr_t;

/* Types of records; 0 is none. */
#define PFM_CALLCHAIN_SMPL_SAMPLE	1
#define PFM_CALLCHAIN_SMPL_MAP		2
#define PFM_CALLCHAIN_SMPL_EXEC		3
#define PFM_CALLCHAIN_SMPL_LOST		4
#define PFM_CALLCHAIN_SMPL_FORK		5

/* What all records begin with. */
typedef struct pfm_callchain_smpl_rec {
	__u16 type;			/* PFM_CALLCHAIN_SMPL_... */
	__u16 size;			/* bytes of all of it */
	__s32 pid;			/* process and thread */
	__s32 tid;
} pfm_callchain_smpl_rec_t;

typedef struct pfm_callchain_smpl_sample {
	__u16 type;
	__u16 size;
	__s32 pid;			/* process and thread that it hit */
	__s32 tid;
	__u16 ovfl_pmd;			/* which counter overflowed */
	__u16 set;			/* of which event set */
	__u16 cpu;
	__u16 nr_values;
	__u16 nr_kernel;
	__u16 nr_user;
	__aligned_u64 last_reset_val;	/* what it was last loaded with */
	__aligned_u64 tstamp;		/* CLOCK_MONOTONIC, ns */
	__aligned_u64 ip;		/* where the thread was */
} pfm_callchain_smpl_sample_t;

/* pfm_callchain_smpl_map_t.flags: rwxs of /proc/PID/maps */
#define PFM_CALLCHAIN_MAP_READ		0x1
#define PFM_CALLCHAIN_MAP_WRITE		0x2
#define PFM_CALLCHAIN_MAP_EXEC		0x4
#define PFM_CALLCHAIN_MAP_SHARED	0x8

/* The path is as the thread sees it, " (deleted)" included; empty: unknown. */
typedef struct pfm_callchain_smpl_map {
	__u16 type;
	__u16 size;
	__s32 pid;
	__s32 tid;
	__u32 flags;			/* PFM_CALLCHAIN_MAP_... */
	__u32 major;			/* device and inode of the file */
	__u32 minor;
	__aligned_u64 ino;
	__aligned_u64 tstamp;		/* CLOCK_MONOTONIC, ns */
	__aligned_u64 addr;		/* of the mapping */
	__aligned_u64 len;		/* bytes */
	__aligned_u64 pgoff;		/* of its beginning in the file, bytes */
} pfm_callchain_smpl_map_t;

typedef struct pfm_callchain_smpl_exec {
	__u16 type;
	__u16 size;
	__s32 pid;
	__s32 tid;
	__u32 pad;
	__aligned_u64 tstamp;		/* CLOCK_MONOTONIC, ns */
	char comm[16];			/* name of the program, with a NUL */
} pfm_callchain_smpl_exec_t;

/* The thread has made a process, which has what was mapped in its own one. */
typedef struct pfm_callchain_smpl_fork {
	__u16 type;
	__u16 size;
	__s32 pid;
	__s32 tid;
	__s32 child;			/* number of the new process */
	__aligned_u64 tstamp;		/* CLOCK_MONOTONIC, ns */
} pfm_callchain_smpl_fork_t;

/* What is missing between the records before and after it. */
typedef struct pfm_callchain_smpl_lost {
	__u16 type;
	__u16 size;
	__s32 pid;			/* 0 */
	__s32 tid;			/* 0 */
	__u32 pad;
	__aligned_u64 tstamp;		/* of the first, CLOCK_MONOTONIC, ns */
	__aligned_u64 until;		/* of the last */
	__aligned_u64 samples;		/* how many samples */
	__aligned_u64 maps;		/* how many MAP and EXEC records */
} pfm_callchain_smpl_lost_t;

#endif /* _UAPI_PERFMON_CALLCHAIN_SMPL_H */
