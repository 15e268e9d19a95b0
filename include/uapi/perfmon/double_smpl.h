/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * perfmon2: the double-buffering sampling format (6.3.1 of the specification).
 *
 * Samples are those of the default format, in a buffer of two halves, so that a
 * program reads one while the kernel fills the other. A half is full when the
 * largest sample that could come would not fit any more. Then it is the
 * program's, a message is queued if the counter that filled it, or another that
 * overflowed at that moment, has PFM_REGFL_OVFL_NOTIFY, and the kernel goes on in
 * the other half: monitoring is not masked, counters get their short reset values.
 *
 *	struct {
 *		pfarg_ctx_t ctx;
 *		pfm_double_smpl_arg_t arg;
 *	} req = {
 *		.ctx.ctx_smpl_buf_id = PFM_DOUBLE_SMPL_UUID,
 *		.arg.buf_size = 131072,
 *	};
 *
 * PFM_RESTART releases the half that is the program's, the older one if both
 * are. If neither half is the program's, PFM_RESTART leaves the buffer alone; it
 * succeeds, and resumes monitoring if something else had masked it. So read one
 * half and call PFM_RESTART once for each message: an extra call releases the
 * next half unread, which a gap in half_first shows.
 *
 * If the kernel's half gets full while the other is still the program's:
 *
 *	by default	The kernel keeps its half. The next sample hands it over
 *			if the other has been released by then, with a message,
 *			and begins the other. Otherwise it begins the same half
 *			anew: what was in it is lost, and counted in hdr_lost.
 *	MASK_WHEN_FULL	This half becomes the program's, too, with a message.
 *			Monitoring is masked; if the context has
 *			PFM_FL_NOTIFY_BLOCK, the monitored thread blocks.
 *			(Without MASK_WHEN_FULL, PFM_CREATE_CONTEXT refuses that
 *			flag with EINVAL.) PFM_RESTART releases the older half,
 *			loads the long reset values and goes on in that half.
 *
 * The program's halves do not change. The kernel's may be begun anew while it is
 * read: then half_first is another one. What was read before must not be read after
 * that is looked at, which takes a fence; an acquiring load only keeps later ones
 * behind it.
 *
 *	do {
 *		first = __atomic_load_n(&half->half_first, __ATOMIC_ACQUIRE);
 *		count = __atomic_load_n(&half->half_count, __ATOMIC_ACQUIRE);
 *		end = __atomic_load_n(&half->half_cur_offs, __ATOMIC_RELAXED);
 *		memcpy(copy, buf + half->half_offs, end - half->half_offs);
 *		__atomic_thread_fence(__ATOMIC_ACQUIRE);
 *	} while (__atomic_load_n(&half->half_first, __ATOMIC_RELAXED) != first);
 *
 * The first count samples of the copy are whole.
 *
 * Samples are numbered from 0 in the order in which they come, lost or not.
 * half_first is the number of the first sample in a half and differs for each
 * filling; a gap between it and the last number of the filling before means that
 * the program has not seen the samples between. The older of two halves is the
 * one with the smaller half_first. While no sample is being taken,
 *
 *	hdr_samples = hdr_lost + samples in halves that were released
 *		      + half_count of the halves that are not FREE
 *
 * A sample with neither header nor values (PFM_DOUBLE_SMPL_NO_HDR) takes no
 * room: it is counted, and no half gets full of them.
 */
#ifndef _UAPI_PERFMON_DOUBLE_SMPL_H
#define _UAPI_PERFMON_DOUBLE_SMPL_H

#include <linux/types.h>
#include <perfmon/default_smpl.h>

#define PFM_DOUBLE_SMPL_UUID_TEXT "c2253d65-fa32-4418-80fe-c8faeb292a4b"
#define PFM_DOUBLE_SMPL_UUID { \
	0xc2, 0x25, 0x3d, 0x65, 0xfa, 0x32, 0x44, 0x18, \
	0x80, 0xfe, 0xc8, 0xfa, 0xeb, 0x29, 0x2a, 0x4b }

#define PFM_DOUBLE_SMPL_VERSION		0x00010000	/* 1.0 */

/* pfm_double_smpl_arg_t.buf_flags; the first two exclude each other */
#define PFM_DOUBLE_SMPL_NO_HDR		0x1	/* samples are the values */
#define PFM_DOUBLE_SMPL_IIP_HDR		0x2	/* ... after a 64-bit ip */
#define PFM_DOUBLE_SMPL_MASK_WHEN_FULL	0x4	/* when both are full */

/*
 * Follows pfarg_ctx_t. The buffer is as large as buf_size says, to a page.
 * Each half must have room for the largest sample, of all implemented PMDs.
 */
typedef struct pfm_double_smpl_arg {
	__aligned_u64 buf_size;		/* bytes */
	__u32 buf_flags;
	__u32 buf_pad;			/* 0 */
} pfm_double_smpl_arg_t;

/* pfm_double_smpl_half_t.half_state */
#define PFM_DOUBLE_SMPL_FREE	0	/* has no samples, or was released */
#define PFM_DOUBLE_SMPL_KERNEL	1	/* the kernel writes it */
#define PFM_DOUBLE_SMPL_USER	2	/* the program's until PFM_RESTART */

typedef struct pfm_double_smpl_half {
	__aligned_u64 half_offs;	/* bytes to its first sample */
	__aligned_u64 half_cur_offs;	/* bytes to the end of its last */
	__aligned_u64 half_count;	/* samples in it */
	__aligned_u64 half_first;	/* number of the first */
	__u32 half_state;
	__u32 half_pad;
} pfm_double_smpl_half_t;

/*
 * At the beginning of the buffer, from which all offsets count. A later minor version can
 * have a longer one: samples are where half_offs says, not behind what is known of it.
 */
typedef struct pfm_double_smpl_hdr {
	__u32 hdr_version;		/* PFM_DOUBLE_SMPL_VERSION */
	__u32 hdr_flags;		/* as in the argument */
	__aligned_u64 hdr_buf_size;	/* bytes, as in the argument */
	__aligned_u64 hdr_half_size;	/* bytes of each half */
	__aligned_u64 hdr_overflows;	/* times that a half got full */
	__aligned_u64 hdr_samples;	/* that came, since the creation */
	__aligned_u64 hdr_lost;		/* ... not written, or overwritten */
	__u32 hdr_max_sample;		/* bytes of the largest sample */
	__u32 hdr_cur;			/* the half written last: 0 or 1 */
	pfm_double_smpl_half_t hdr_half[2];
} pfm_double_smpl_hdr_t;

typedef pfm_default_smpl_entry_t pfm_double_smpl_entry_t;

#endif /* _UAPI_PERFMON_DOUBLE_SMPL_H */
