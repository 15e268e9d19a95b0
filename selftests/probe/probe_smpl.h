/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * A sampling format for tests: what a third party's may ask of the core and does not
 * find in those of the tree. Its buffer shows the last overflow.
 */
#ifndef PROBE_SMPL_H
#define PROBE_SMPL_H

#include <linux/types.h>

#define PROBE_SMPL_UUID { \
	0x5b, 0x0c, 0x5a, 0x51, 0x0c, 0x8f, 0x4e, 0x0e, \
	0x9d, 0x3c, 0x21, 0x1f, 0x6e, 0x6f, 0x6b, 0x17 }
#define PROBE_SMPL_VERSION	0x00010000	/* 1.0 */
#define PROBE_SMPL_DEPTH	16

typedef struct probe_smpl_hdr {
	__aligned_u64 overflows;	/* counted in private memory, too */
	__aligned_u64 maps;		/* calls of fmt_map */
	__u32 wrong;			/* what the core has told or kept wrong */
	__u32 num_pmds;			/* that there are */
	__u32 nr_kernel;		/* of the last overflow, in its part of the chain */
	__u32 nr_user;
	__aligned_u64 ip;
	__aligned_u64 chain[2][PROBE_SMPL_DEPTH];	/* the kernel's, user level's */
} probe_smpl_hdr_t;

#endif /* PROBE_SMPL_H */
