// SPDX-License-Identifier: LGPL-2.1-or-later
/* The system call itself, alone in its file: a test can put another here. */
#include <unistd.h>
#include <sys/syscall.h>

#include <perfmon/libperfmon.h>

int perfmonctl(int fd, int cmd, void *arg, int narg)
{
	return (int)syscall(__NR_perfmonctl, fd, cmd, arg, narg);
}
