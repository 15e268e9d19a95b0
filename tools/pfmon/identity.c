// SPDX-License-Identifier: GPL-2.0-only
/* What tells a file from another one that has its path later, or elsewhere. */
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "identity.h"
#include "symtab.h"

bool identity_read(struct identity *identity, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	bool ok;

	memset(identity, 0, sizeof(*identity));
	if (fd < 0)
		return false;
	ok = !fstat(fd, &st) && S_ISREG(st.st_mode);
	if (ok) {
		identity->size = (uint64_t)st.st_size;
		identity->mtime = (int64_t)st.st_mtim.tv_sec * 1000000000 +
				  st.st_mtim.tv_nsec;
		identity->id_size = symtab_build_id(fd, identity->id, BUILD_ID_MAX);
	}
	close(fd);
	return ok;
}

bool identity_same(const struct identity *a, const struct identity *b)
{
	if (a->id_size && b->id_size)
		return a->id_size == b->id_size && !memcmp(a->id, b->id, a->id_size);
	return a->size == b->size && a->mtime == b->mtime;
}
