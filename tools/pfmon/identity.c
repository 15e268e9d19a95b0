// SPDX-License-Identifier: GPL-2.0-only
/* What tells a file from another one that has its path later, or elsewhere. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "identity.h"
#include "symtab.h"

#define CONFIGFS_MAGIC	0x62656570

/*
 * Files that a kernel makes up when they are read: that can have effects, and take long.
 * Most say that they are empty, those of /sys do not.
 */
static bool is_made_up(int fd)
{
	static const uint32_t magic[] = {
		PROC_SUPER_MAGIC, SYSFS_MAGIC, DEBUGFS_MAGIC, TRACEFS_MAGIC,
		SECURITYFS_MAGIC, SELINUX_MAGIC, SMACK_MAGIC, CONFIGFS_MAGIC,
		CGROUP_SUPER_MAGIC, CGROUP2_SUPER_MAGIC, RDTGROUP_SUPER_MAGIC,
		EFIVARFS_MAGIC, PSTOREFS_MAGIC, BPF_FS_MAGIC, NSFS_MAGIC,
	};
	struct statfs fs;
	size_t i;

	if (fstatfs(fd, &fs))
		return true;
	for (i = 0; i < sizeof(magic) / sizeof(magic[0]); i++)
		if ((uint32_t)fs.f_type == magic[i])
			return true;
	return false;
}

/* From a descriptor that only names it; that one is closed. */
static int open_regular(int at, struct stat *st)
{
	char link[32];
	int fd = -1;

	if (at < 0)
		return -1;
	/* The same file, whatever has the path by now; not after a wait for its lease. */
	snprintf(link, sizeof(link), "/proc/self/fd/%d", at);
	if (!fstat(at, st) && S_ISREG(st->st_mode) && st->st_size && !is_made_up(at))
		fd = open(link, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	close(at);
	return fd;
}

int identity_open(const char *path, struct stat *st)
{
	return open_regular(open(path, O_PATH | O_CLOEXEC), st);
}

int identity_open_map(pid_t pid, uint64_t start, uint64_t end, struct stat *st)
{
	char path[80];

	snprintf(path, sizeof(path), "/proc/%d/map_files/%" PRIx64 "-%" PRIx64, (int)pid,
		 start, end);
	return identity_open(path, st);
}

int identity_open_of(pid_t pid, const char *path, struct stat *st)
{
	/* Symbolic links of theirs must not lead to files of ours. */
	struct open_how how = { .flags = O_PATH | O_NOFOLLOW | O_CLOEXEC,
				.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS };
	char root[32];
	int dir, at;

	snprintf(root, sizeof(root), "/proc/%d/root", (int)pid);
	dir = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		return -1;
	at = (int)syscall(SYS_openat2, dir, path, &how, sizeof(how));
	close(dir);
	return open_regular(at, st);
}

void identity_of(struct identity *identity, int fd, const struct stat *st)
{
	memset(identity, 0, sizeof(*identity));
	identity->size = (uint64_t)st->st_size;
	identity->mtime = (int64_t)st->st_mtim.tv_sec * 1000000000 + st->st_mtim.tv_nsec;
	identity->id_size = symtab_build_id(fd, identity->id, BUILD_ID_MAX);
}

bool identity_read(struct identity *identity, const char *path)
{
	struct stat st;
	int fd = identity_open(path, &st);

	memset(identity, 0, sizeof(*identity));
	if (fd < 0)
		return false;
	identity_of(identity, fd, &st);
	close(fd);
	return true;
}

int identity_open_same(const struct identity *identity, const char *path, bool *other)
{
	struct identity found;
	struct stat st;
	int fd = identity_open(path, &st);

	if (fd < 0)
		return -1;
	identity_of(&found, fd, &st);
	if (identity_same(identity, &found))
		return fd;
	*other = true;
	close(fd);
	return -1;
}

void identity_hex(const struct identity *identity, char hex[BUILD_ID_HEX])
{
	uint32_t i;

	for (i = 0; i < identity->id_size && i < BUILD_ID_MAX; i++)
		sprintf(hex + 2 * i, "%02x", identity->id[i]);
	hex[2 * i] = '\0';
}

bool identity_same(const struct identity *a, const struct identity *b)
{
	if (a->id_size && b->id_size)
		return a->id_size == b->id_size && !memcmp(a->id, b->id, a->id_size);
	return a->size == b->size && a->mtime == b->mtime;
}
