// SPDX-License-Identifier: LGPL-2.1-or-later
/* Small files of the kernel's, as texts. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "file.h"

size_t file_read(const char *path, char *buf, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t len = 0;
	ssize_t n;

	while (fd >= 0 && len < size - 1 && (n = read(fd, buf + len, size - 1 - len)) > 0)
		len += (size_t)n;
	if (fd >= 0)
		close(fd);
	if (len && buf[len - 1] == '\n')
		len--;
	buf[len] = '\0';
	return len;
}

unsigned long file_number(const char *path)
{
	char buf[32];

	file_read(path, buf, sizeof(buf));
	return strtoul(buf, NULL, 0);
}

static const char *sysfs_path(const char *name, char path[128])
{
	snprintf(path, 128, "/sys/kernel/perfmon/%s", name);
	return path;
}

unsigned long sysfs_number(const char *name)
{
	char path[128];

	return file_number(sysfs_path(name, path));
}

bool sysfs_read(const char *name, char *buf, size_t size)
{
	char path[128];

	return file_read(sysfs_path(name, path), buf, size);
}
