/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * perfmon2: the default sampling format (section 3.6 of the specification).
 *
 * Samples are written one after the other until the largest one that could
 * come would not fit. Then monitoring is masked, and a message is queued if the
 * control of a counter that overflowed at that moment has PFM_REGFL_OVFL_NOTIFY.
 * PFM_RESTART empties the buffer, at any time.
 *
 *	struct {
 *		pfarg_ctx_t ctx;
 *		pfm_default_smpl_arg_t arg;
 *	} req = {
 *		.ctx.ctx_smpl_buf_id = PFM_DEFAULT_SMPL_UUID,
 *		.arg.buf_size = 65536,
 *	};
 *	perfmonctl(-1, PFM_CREATE_CONTEXT, &req, 1)
 *	mmap(NULL, req.ctx.ctx_smpl_buf_size, PROT_READ, MAP_SHARED,
 *	     req.ctx.ctx_fd, 0)
 *
 * The buffer is a header, pfm_default_smpl_hdr_t, and hdr_count samples: each
 * a pfm_default_smpl_entry_t followed by the values, 64 bits each, of the
 * PMDs in reg_smpl_pmds of the overflowed counter's control, in increasing
 * order of number. It is stable while monitoring is masked or stopped.
 *
 * The header is the specification's and says nothing of its size, so it never grows: the
 * first sample is behind these 40 bytes in all minor versions, which can only define flags
 * that the argument has to ask for.
 *
 * PFM_CREATE_CONTEXT is EINVAL for an undefined flag, for both flags at once, for
 * padding that is not zero, and for a buffer too small for the largest sample.
 *
 * The UUID is not the specification's, which the surviving text no longer has; the
 * one published with later versions means another layout. A program that asks for
 * either gets EINVAL.
 */
#ifndef _UAPI_PERFMON_DEFAULT_SMPL_H
#define _UAPI_PERFMON_DEFAULT_SMPL_H

#include <linux/types.h>

#define PFM_DEFAULT_SMPL_UUID_TEXT "2bc7616b-0d22-4314-9d84-75be0d45c77e"
#define PFM_DEFAULT_SMPL_UUID { \
	0x2b, 0xc7, 0x61, 0x6b, 0x0d, 0x22, 0x43, 0x14, \
	0x9d, 0x84, 0x75, 0xbe, 0x0d, 0x45, 0xc7, 0x7e }

#define PFM_DEFAULT_SMPL_VERSION	0x00010000	/* 1.0 */

/* pfm_default_smpl_arg_t.buf_flags */
#define PFM_DFL_SMPL_NO_HDR	0x1	/* samples are the values only */
#define PFM_DFL_SMPL_IIP_HDR	0x2	/* ... after a 64-bit ip; not with NO_HDR */

/* Follows pfarg_ctx_t. The buffer is as large as buf_size says, to a page. */
typedef struct pfm_default_smpl_arg {
	__aligned_u64 buf_size;		/* bytes */
	__u32 buf_flags;
	__u32 buf_pad;			/* 0 */
} pfm_default_smpl_arg_t;

typedef struct pfm_default_smpl_hdr {
	__aligned_u64 hdr_count;	/* samples in the buffer */
	__aligned_u64 hdr_cur_offs;	/* bytes to the end of the last */
	__aligned_u64 hdr_overflows;	/* times that the buffer got full */
	__aligned_u64 hdr_buf_size;	/* bytes, as in the argument */
	__u32 hdr_version;		/* PFM_DEFAULT_SMPL_VERSION */
	__u32 hdr_flags;		/* as in the argument */
} pfm_default_smpl_hdr_t;

typedef struct pfm_default_smpl_entry {
	__s32 pid;			/* process and thread that it hit */
	__s32 tid;
	__u16 ovfl_pmd;			/* which counter overflowed */
	__u16 set;			/* of which event set */
	__u16 cpu;
	__u16 pad;
	__aligned_u64 last_reset_val;	/* what it was last loaded with */
	__aligned_u64 tstamp;		/* CLOCK_MONOTONIC, ns */
	__aligned_u64 ip;		/* where the thread was */
} pfm_default_smpl_entry_t;

#endif /* _UAPI_PERFMON_DEFAULT_SMPL_H */
