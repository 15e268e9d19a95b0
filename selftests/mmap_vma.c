// SPDX-License-Identifier: GPL-2.0-only
/*
 * What can be done to a mapping of the buffer: munmap() of all or a part,
 * mprotect(), mremap(), madvise(), and attempts to write.
 */
#include "mapping.h"

#ifndef SYS_mseal
#define SYS_mseal 462
#endif
#ifndef MREMAP_DONTUNMAP
#define MREMAP_DONTUNMAP 4
#endif

/* "Unmaps all or parts of the buffer": what is left is what it was. */
TEST_F(mapping, partial_munmap)
{
	size_t size = (size_t)self->s.size;
	unsigned int gone, i;

	for (gone = 0; gone < N_PAGES; gone++) {
		char *at;

		map(self);
		at = (char *)self->s.hdr;
		ASSERT_EQ(0, munmap(at + gone * self->page, self->page));
		for (i = 0; i < N_PAGES; i++)
			EXPECT_EQ(i != gone, is_mapped(at + i * self->page));
		/* A part is a mapping, too. */
		EXPECT_EQ(EBUSY, try_mmap(self->s.fd, size, PROT_READ,
					  MAP_SHARED, 0));
		ASSERT_EQ(0, munmap(at, size));
		EXPECT_EQ(0, count_mappings());
	}
	map(self);
}

/* close() removes all the parts. */
TEST_F(mapping, close_after_partial_munmap)
{
	char *at;

	map(self);
	at = (char *)self->s.hdr;
	ASSERT_EQ(0, munmap(at + self->page, self->page));
	EXPECT_EQ(2, count_mappings());
	sampler_close(&self->s);
	EXPECT_EQ(0, count_mappings());
	EXPECT_FALSE(is_mapped(at));
	EXPECT_TRUE(buffers_become(self->before));
}

TEST_F(mapping, mprotect)
{
	size_t size = (size_t)self->s.size;
	static const int refused[] = {
		PROT_WRITE, PROT_READ | PROT_WRITE, PROT_EXEC,
		PROT_READ | PROT_EXEC, PROT_READ | PROT_WRITE | PROT_EXEC,
	};
	size_t i;

	map(self);
	for (i = 0; i < ARRAY_SIZE(refused); i++) {
		EXPECT_EQ(-1, mprotect((void *)self->s.hdr, size, refused[i]));
		EXPECT_EQ(EACCES, errno);
		EXPECT_EQ(-1, mprotect((char *)self->s.hdr + self->page,
				       self->page, refused[i]));
		EXPECT_EQ(EACCES, errno);
	}
	EXPECT_EQ(0, mprotect((void *)self->s.hdr, size, PROT_READ));
	EXPECT_EQ(self->s.size, self->s.hdr->hdr_buf_size);
}

/* A process that writes gets SIGSEGV. */
TEST_F(mapping, write)
{
	pid_t pid;

	map(self);
	pid = fork_child();
	if (!pid) {
		*(volatile u64 *)&self->s.hdr->hdr_count = 5;
		_exit(0);
	}
	EXPECT_EQ(-SIGSEGV, reap(pid));
	EXPECT_EQ(0ULL, self->s.hdr->hdr_count);
}

/* Nor by any of the ways around the page tables. */
TEST_F(mapping, write_by_the_kernel)
{
	int mem = (int)MUST(open("/proc/self/mem", O_RDWR));
	int zero = (int)MUST(open("/dev/zero", O_RDONLY));
	dfl_hdr_t hdr, bad;
	off64_t at;

	map(self);
	at = (off64_t)(uintptr_t)self->s.hdr;
	memset(&bad, 0x5a, sizeof(bad));
	EXPECT_GT(0, pwrite64(mem, &bad, sizeof(bad), at));
	EXPECT_EQ(-1, read(zero, (void *)self->s.hdr, sizeof(bad)));
	EXPECT_EQ(EFAULT, errno);
	EXPECT_EQ(self->s.size, self->s.hdr->hdr_buf_size);
	EXPECT_EQ(0ULL, self->s.hdr->hdr_count);
	/* To read by them is fine. */
	EXPECT_EQ((ssize_t)sizeof(hdr), pread64(mem, &hdr, sizeof(hdr), at));
	EXPECT_EQ(0, memcmp(&hdr, self->s.hdr, sizeof(hdr)));
}

TEST_F(mapping, mremap_cannot_grow)
{
	size_t size = (size_t)self->s.size;

	map(self);
	EXPECT_EQ(MAP_FAILED, do_mremap(self->s.hdr, size, size + self->page,
					0, NULL));
	EXPECT_EQ(MAP_FAILED, do_mremap(self->s.hdr, size, 2 * size,
					MREMAP_MAYMOVE, NULL));
	EXPECT_EQ(1, count_mappings());
	EXPECT_EQ(self->s.size, self->s.hdr->hdr_buf_size);
}

/* Move it, part of it, or have it twice. */
TEST_F(mapping, mremap_cannot_move)
{
	size_t size = (size_t)self->s.size;
	char *to = mmap(NULL, 2 * size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS,
			-1, 0);
	const char *from;

	ASSERT_NE(MAP_FAILED, to);
	map(self);
	from = (const char *)self->s.hdr;
	EXPECT_EQ(MAP_FAILED, do_mremap(from, size, size,
					MREMAP_MAYMOVE | MREMAP_FIXED, to));
	EXPECT_EQ(MAP_FAILED, do_mremap(from + self->page, self->page,
					self->page,
					MREMAP_MAYMOVE | MREMAP_FIXED, to));
	EXPECT_EQ(MAP_FAILED, do_mremap(from, 0, size, MREMAP_MAYMOVE, NULL));
	EXPECT_EQ(MAP_FAILED, do_mremap(from, 0, size,
					MREMAP_MAYMOVE | MREMAP_FIXED, to));
	EXPECT_EQ(MAP_FAILED, do_mremap(from, size, size, MREMAP_MAYMOVE |
					MREMAP_FIXED | MREMAP_DONTUNMAP, to));
	/* All of it is where it was. */
	EXPECT_EQ(self->s.size, self->s.hdr->hdr_buf_size);
	EXPECT_TRUE(all_bytes(self->s.hdr + 1, size - sizeof(dfl_hdr_t), 0));
	EXPECT_FALSE(is_mapped(to));
	EXPECT_EQ(EBUSY, try_mmap(self->s.fd, size, PROT_READ, MAP_SHARED, 0));
	sampler_close(&self->s);
	EXPECT_EQ(0, count_mappings());
	EXPECT_TRUE(buffers_become(self->before));
}

/* Smaller is the same as munmap() of the rest. */
TEST_F(mapping, mremap_shrinks)
{
	size_t size = (size_t)self->s.size;
	const char *at;

	map(self);
	at = (const char *)self->s.hdr;
	if (do_mremap(at, size, self->page, 0, NULL) != MAP_FAILED) {
		EXPECT_FALSE(is_mapped(at + self->page));
		/* It does not come back that way. */
		EXPECT_EQ(MAP_FAILED, do_mremap(at, self->page, size, 0, NULL));
	}
	EXPECT_EQ(self->s.size, self->s.hdr->hdr_buf_size);
	sampler_close(&self->s);
	EXPECT_FALSE(is_mapped(at));
	EXPECT_TRUE(buffers_become(self->before));
}

/* Advice is for one's own memory; at worst one loses sight of the buffer. */
TEST_F(mapping, madvise)
{
	static const int advice[] = {
		MADV_DONTNEED, MADV_REMOVE, MADV_WILLNEED, MADV_SEQUENTIAL,
		MADV_DODUMP, MADV_HUGEPAGE, MADV_MERGEABLE, MADV_FREE,
		MADV_WIPEONFORK, MADV_COLD, MADV_PAGEOUT, MADV_POPULATE_READ,
		MADV_POPULATE_WRITE,
	};
	size_t i, size = (size_t)self->s.size;
	u64 value;
	int ret;

	map(self);
	for (i = 0; i < ARRAY_SIZE(advice); i++) {
		pid_t pid = fork_child();

		if (!pid) {
			madvise((void *)self->s.hdr, size, advice[i]);
			value = *(volatile u64 *)&self->s.hdr->hdr_buf_size;
			_exit(value == size ? 0 : 1);
		}
		ret = reap(pid);
		EXPECT_TRUE(ret == 0 || ret == -SIGBUS || ret == -SIGSEGV) {
			TH_LOG("advice %d: %d", advice[i], ret);
		}
	}
	EXPECT_EQ(self->s.size, self->s.hdr->hdr_buf_size);
	mlock(self->s.hdr, size);
	EXPECT_EQ(self->s.size, self->s.hdr->hdr_buf_size);
	sampler_close(&self->s);
	EXPECT_TRUE(buffers_become(self->before));
}

/*
 * Sealed, as newer kernels can: it stays when the context is closed, and goes with the
 * program. Its memory is counted until then.
 */
TEST_F(mapping, sealed)
{
	int report[2], hold[2];
	pid_t pid;
	char c;

	map(self);
	MUST(pipe2(report, O_CLOEXEC));
	MUST(pipe2(hold, O_CLOEXEC));
	pid = fork_child();
	if (!pid) {
		size_t size = (size_t)self->s.size;
		const void *at = self->s.hdr;

		close(hold[1]);
		c = !syscall(SYS_mseal, at, size, 0) ? 'S' : errno == ENOSYS ? '-' : 'E';
		if (c == 'S') {
			sampler_close(&self->s);
			if (!munmap((void *)at, size) || errno != EPERM)
				c = 'M';
			else if (!is_mapped(at) || count_mappings() != 1)
				c = 'G';
		}
		MUST(write(report[1], &c, 1));
		while (read(hold[0], &c, 1) < 0 && errno == EINTR)
			;
		_exit(((const dfl_hdr_t *)at)->hdr_buf_size == size ? 0 : 1);
	}
	ASSERT_EQ(1, read(report[0], &c, 1));
	if (c == '-') {
		kill_and_reap(pid);
		SKIP(return, "sealed: the kernel has no mseal()");
	}
	EXPECT_EQ('S', c);
	/* Its own. The other process' is the only one now. */
	sampler_close(&self->s);
	EXPECT_EQ(0, count_mappings());
	EXPECT_EQ(self->before + self->s.size, buffers_now());
	close(hold[1]);
	EXPECT_EQ(0, reap(pid));
	EXPECT_TRUE(buffers_become(self->before));
}

TEST_HARNESS_MAIN
