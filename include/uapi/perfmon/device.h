/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * perfmonctl() where it has no system call: perfmon is a module there.
 *
 * PFM_IOC_CALL on the descriptor of a context is perfmonctl() with that
 * descriptor: fd is ignored, and commands that need no context are EBADF. On PFM_DEVICE
 * fd names the context, for the commands that need one. The ioctl() returns 0 if it was understood, and what perfmonctl()
 * would have returned is in ret, -errno if it failed: files of other kinds say
 * various things to a number that they do not know.
 *
 * The layout is the same for 32- and 64-bit programs.
 */
#ifndef _UAPI_PERFMON_DEVICE_H
#define _UAPI_PERFMON_DEVICE_H

#include <linux/ioctl.h>
#include <linux/types.h>

#define PFM_DEVICE	"/dev/perfmonctl"

struct pfm_ioctl_call {
	__s32 fd;
	__s32 op;		/* PFM_..., the command */
	__u64 arg;		/* its argument, an address */
	__s32 narg;		/* elements there */
	__s32 ret;		/* out */
	__u64 reserved;		/* 0 */
};

#define PFM_IOC_CALL	_IOWR(0xf7, 0x80, struct pfm_ioctl_call)

#endif /* _UAPI_PERFMON_DEVICE_H */
