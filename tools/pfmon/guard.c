// SPDX-License-Identifier: GPL-2.0-only
/* Files in which somebody else has a say: what reading them can do to us. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "symtab.h"

/* What files of somebody else may take of our memory: copies, and what is unpacked. */
#define COPIES_MAX	(512U << 20)
#define UNPACKED_MAX	(256U << 20)

/* Does nobody but root and us have a say in what is in it, while we read it? */
static bool is_trusted(const struct stat *st)
{
	return (!st->st_uid || st->st_uid == geteuid()) && !(st->st_mode & (S_IWGRP | S_IWOTH));
}

/* Not mapped but copied: who truncates the file must not kill us. */
static int copy_file(int fd, const struct stat *st)
{
	static off_t copies;
	int copy = -1;
	off_t left = st->st_size, at = 0;
	char buf[65536];
	ssize_t n = 0;

	if (left <= COPIES_MAX - copies)
		copy = memfd_create("pfmon", MFD_CLOEXEC);
	if (copy < 0)
		return -1;
	copies += left;
	for (; left > 0 && (n = pread(fd, buf, sizeof(buf), at)) > 0; left -= n, at += n)
		if (write(copy, buf, (size_t)n) != n)
			break;
	return copy;
}

int symtab_guard(int fd)
{
	struct stat st;

	if (fstat(fd, &st))
		return -1;
	return is_trusted(&st) ? fcntl(fd, F_DUPFD_CLOEXEC, 0) : copy_file(fd, &st);
}

/* Bytes of data that we have, for RLIMIT_DATA. */
static rlim_t data_bytes(void)
{
	unsigned long pages = 0;
	FILE *f = fopen("/proc/self/statm", "re");

	if (f && fscanf(f, "%*u %*u %*u %*u %*u %lu", &pages) != 1)
		pages = 0;
	if (f)
		fclose(f);
	return (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE);
}

void symtab_limit(int fd)
{
	struct rlimit limit;
	struct stat st;
	rlim_t most;

	if (!fstat(fd, &st) && is_trusted(&st))
		return;
	most = data_bytes() + UNPACKED_MAX;
	if (!getrlimit(RLIMIT_DATA, &limit) && most < limit.rlim_cur) {
		limit.rlim_cur = most;
		setrlimit(RLIMIT_DATA, &limit);
	}
}

bool guard_lower(int what, rlim_t most)
{
	struct rlimit limit;

	if (getrlimit(what, &limit))
		return false;
	if (limit.rlim_max > most)
		limit.rlim_max = most;
	limit.rlim_cur = limit.rlim_max;
	return !setrlimit(what, &limit);
}
