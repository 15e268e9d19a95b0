// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The system call itself, or what there is instead, alone in its file: a test can
 * put another here.
 */
#define _GNU_SOURCE
#include <unistd.h>
#include <sys/syscall.h>

#include <perfmon/libperfmon.h>

#include "device.h"

int perfmonctl(int fd, int cmd, void *arg, int narg)
{
	int ret = (int)syscall(__NR_perfmonctl, fd, cmd, arg, narg);

	if (ret == -1 && errno == ENOSYS)
		return pfm_device_perfmonctl(fd, cmd, arg, narg);
	return ret;
}
