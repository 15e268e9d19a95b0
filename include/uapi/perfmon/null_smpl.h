/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * perfmon2: the null sampling format.
 *
 * It records nothing: an example for authors of formats, and a fixture for
 * tests. Without a buffer it does what happens without a format: an overflow
 * that asks for it notifies, masks and, with PFM_FL_NOTIFY_BLOCK, blocks, and
 * any other loads the short reset values. With a buffer it does what its
 * argument says, and counts.
 */
#ifndef _UAPI_PERFMON_NULL_SMPL_H
#define _UAPI_PERFMON_NULL_SMPL_H

#include <linux/types.h>

#define PFM_NULL_SMPL_UUID_TEXT "011484e6-0024-43df-8d48-ebbc5e39c3cd"
#define PFM_NULL_SMPL_UUID { \
	0x01, 0x14, 0x84, 0xe6, 0x00, 0x24, 0x43, 0xdf, \
	0x8d, 0x48, 0xeb, 0xbc, 0x5e, 0x39, 0xc3, 0xcd }

#define PFM_NULL_SMPL_VERSION	0x00010000	/* 1.0 */

/* pfm_null_smpl_arg_t.flags */
#define PFM_NULL_FMT_BUFFER	0x1	/* have a buffer: a header, no more */

/* Control bits (3.5.14) for what a call-back asks for. */
#define PFM_NULL_CTRL_NOTIFY	0x1
#define PFM_NULL_CTRL_RESET	0x2
#define PFM_NULL_CTRL_BLOCK	0x4
#define PFM_NULL_CTRL_MASK	0x8

/* Call-backs that return -EIO, and do nothing but count. */
#define PFM_NULL_FAIL_VALIDATE	0x01
#define PFM_NULL_FAIL_GETSIZE	0x02
#define PFM_NULL_FAIL_INIT	0x04
#define PFM_NULL_FAIL_HANDLER	0x08	/* with a buffer only */
#define PFM_NULL_FAIL_RESTART	0x10	/* with a buffer only */

/* Follows pfarg_ctx_t. */
typedef struct pfm_null_smpl_arg {
	__u32 flags;
	__u32 fail;			/* PFM_NULL_FAIL_... */
	__u32 ovfl_ctrl;		/* PFM_NULL_CTRL_..., if there ... */
	__u32 restart_ctrl;		/* ... is a buffer, else 0 */
} pfm_null_smpl_arg_t;

typedef struct pfm_null_smpl_hdr {
	pfm_null_smpl_arg_t arg;
	__aligned_u64 overflows;	/* calls of the handler */
	__aligned_u64 restarts;		/* PFM_RESTART, masked or not */
	__aligned_u64 active;		/* ... not masked */
} pfm_null_smpl_hdr_t;

#endif /* _UAPI_PERFMON_NULL_SMPL_H */
