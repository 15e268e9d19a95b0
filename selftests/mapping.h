/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the mmap_*.c tests share: a context with a buffer of four pages, and
 * ways to find out what a process has mapped.
 */
#ifndef MAPPING_H
#define MAPPING_H

#include "sampling.h"

#define N_PAGES		4U

FIXTURE(mapping) {
	struct puppet p;
	struct sampler s;
	size_t page;
	u64 before;
};

/* A buffer of four pages that is not mapped yet, and unknown to the puppet. */
FIXTURE_SETUP(mapping)
{
	puppet_start(&self->p, PUPPET_PROCESS);
	self->page = page_size();
	self->before = buffers_now();
	self->s.fd = (int)MUST(dfl_create(0, N_PAGES * self->page, 0,
					  &self->s.size));
	if (self->s.size != N_PAGES * self->page)
		die("a buffer of %llu bytes", self->s.size);
}

FIXTURE_TEARDOWN(mapping)
{
	if (self->s.fd >= 0)
		close(self->s.fd);
	puppet_stop(&self->p);
}

static inline void map(FIXTURE_DATA(mapping) *m)
{
	m->s.hdr = buf_map(m->s.fd, m->s.size);
}

/* What mmap() says: 0 or an errno; what it should not have mapped goes. */
static inline int try_mmap(int fd, size_t size, int prot, int flags,
			   off_t offset)
{
	void *p = mmap(NULL, size, prot, flags, fd, offset);

	if (p == MAP_FAILED)
		return errno;
	munmap(p, size);
	return 0;
}

/* Whether there is memory to read; not by reading it. */
static inline bool is_mapped(const void *p)
{
	int fds[2];
	bool ok;

	MUST(pipe(fds));
	ok = write(fds[1], p, 1) == 1;
	if (!ok && errno != EFAULT)
		die("write: %s", strerror(errno));
	close(fds[0]);
	close(fds[1]);
	return ok;
}

/* How a child ends that reads there: 0, or minus a signal. */
static inline int read_in_child(const void *p)
{
	pid_t pid = fork_child();

	if (!pid) {
		(void)*(volatile const char *)p;
		_exit(0);
	}
	return reap(pid);
}

/* Mappings of buffers in this process. */
static inline int count_mappings(void)
{
	FILE *f = fopen("/proc/self/maps", "re");
	char line[512];
	int n = 0;

	if (!f)
		die("no /proc/self/maps");
	while (fgets(line, sizeof(line), f))
		n += strstr(line, "[perfmon]") != NULL;
	fclose(f);
	return n;
}

static inline void *do_mremap(const void *old, size_t old_size, size_t size,
			      int flags, void *to)
{
	/* Not the library's: it knows nothing of old_size 0. */
	long ret = syscall(SYS_mremap, old, old_size, size, flags, to);

	return ret == -1 ? MAP_FAILED : (void *)ret;
}

#endif /* MAPPING_H */
