// SPDX-License-Identifier: GPL-2.0-only
/* What tells a file from another one that has its path later, or elsewhere. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "identity.h"
#include "symtab.h"

int identity_open(const char *path, struct stat *st)
{
	int at = open(path, O_PATH | O_CLOEXEC), fd = -1;
	char link[32];

	if (at < 0)
		return -1;
	/* The same file, whatever has the path by now; not after a wait for its lease. */
	snprintf(link, sizeof(link), "/proc/self/fd/%d", at);
	if (!fstat(at, st) && S_ISREG(st->st_mode))
		fd = open(link, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	close(at);
	return fd;
}

bool identity_read(struct identity *identity, const char *path)
{
	struct stat st;
	int fd = identity_open(path, &st);

	memset(identity, 0, sizeof(*identity));
	if (fd < 0)
		return false;
	identity->size = (uint64_t)st.st_size;
	identity->mtime = (int64_t)st.st_mtim.tv_sec * 1000000000 +
			  st.st_mtim.tv_nsec;
	identity->id_size = symtab_build_id(fd, identity->id, BUILD_ID_MAX);
	close(fd);
	return true;
}

bool identity_same(const struct identity *a, const struct identity *b)
{
	if (a->id_size && b->id_size)
		return a->id_size == b->id_size && !memcmp(a->id, b->id, a->id_size);
	return a->size == b->size && a->mtime == b->mtime;
}
