// SPDX-License-Identifier: GPL-2.0-only
/* The vDSO, read from memory; and as a file, where distributions have it. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "vdso.h"

#define VDSO_MAX	65536	/* bytes; it has a page or two */

int vdso_copy(pid_t pid, uint64_t start, uint64_t end)
{
	char path[32] = "/proc/self/mem", buf[VDSO_MAX];
	int mem, copy = -1;
	ssize_t n = -1;

	if (end <= start || end - start > sizeof(buf))
		return -1;
	if (pid)
		snprintf(path, sizeof(path), "/proc/%d/mem", (int)pid);
	mem = open(path, O_RDONLY | O_CLOEXEC);
	if (mem < 0)
		return -1;
	n = pread(mem, buf, (size_t)(end - start), (off_t)start);
	close(mem);
	if (n > 0)
		copy = memfd_create("vdso", MFD_CLOEXEC);
	if (copy >= 0 && write(copy, buf, (size_t)n) != n) {
		close(copy);
		copy = -1;
	}
	return copy;
}

static int copy_ours(void)
{
	FILE *f = fopen("/proc/self/maps", "re");
	uint64_t start = 0, end = 0;
	char line[512];

	while (f && fgets(line, sizeof(line), f))
		if (strstr(line, VDSO))
			sscanf(line, "%" SCNx64 "-%" SCNx64, &start, &end);
	if (f)
		fclose(f);
	return vdso_copy(0, start, end);
}

int vdso_open(const struct identity *identity)
{
	static const char *const names[] = { "vdso64.so", "vdso32.so", "vdsox32.so" };
	struct identity found = { 0 };
	struct utsname system;
	char path[PATH_MAX];
	bool other;
	unsigned int i;
	struct stat st;
	int fd = copy_ours();

	if (!identity->id_size)
		return -1;
	if (fd >= 0 && !fstat(fd, &st))
		identity_of(&found, fd, &st);
	if (found.id_size && identity_same(identity, &found))
		return fd;
	if (fd >= 0)
		close(fd);
	for (fd = -1, i = 0; i < 3 && fd < 0 && !uname(&system); i++) {
		snprintf(path, sizeof(path), "/lib/modules/%s/vdso/%s", system.release,
			 names[i]);
		fd = identity_open_same(identity, path, &other);
	}
	return fd;
}
