/* SPDX-License-Identifier: GPL-2.0-only */
/* What tests of programs with other rights share: a copy of the test program. */
#ifndef COPY_H
#define COPY_H

#include "pfm_test.h"

#include <sys/mount.h>

/* A file system of one's own, where set-user-id works. */
FIXTURE(copy) {
	char dir[64], path[128];
	bool mounted;
};

FIXTURE_SETUP(copy)
{
	char buf[65536];
	ssize_t n;
	int in, out;

	if (!is_root())
		return;
	snprintf(self->dir, sizeof(self->dir), "/tmp/pfm-exec-XXXXXX");
	ASSERT_NE(NULL, mkdtemp(self->dir));
	ASSERT_EQ(0, mount("tmpfs", self->dir, "tmpfs", 0, "mode=0755"));
	self->mounted = true;
	snprintf(self->path, sizeof(self->path), "%s/program", self->dir);
	in = (int)MUST(open("/proc/self/exe", O_RDONLY));
	out = (int)MUST(open(self->path, O_WRONLY | O_CREAT, 0755));
	while ((n = read(in, buf, sizeof(buf))) > 0)
		MUST(write(out, buf, (size_t)n));
	close(in);
	close(out);
}

FIXTURE_TEARDOWN(copy)
{
	if (self->mounted) {
		umount2(self->dir, MNT_DETACH);
		rmdir(self->dir);
	}
}

#endif /* COPY_H */
