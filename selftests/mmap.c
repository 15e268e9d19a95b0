// SPDX-License-Identifier: GPL-2.0-only
/*
 * The mapping of the sampling buffer (3.5.4): which mmap() is accepted, what
 * can be done to a mapping, what fork(), exec() and close() do to it, how
 * long the buffer lives, who pays for it, and all of that at once.
 *
 * Not here: what is in the buffer (smpl.c), bad arguments of the format
 * (format.c). MAP_EXECUTABLE, which 3.5.4 refuses, never gets as far as us:
 * Linux ignores it.
 */
#include "smpl.h"
#include <sys/personality.h>

#define N_PAGES		4U

#ifndef MREMAP_DONTUNMAP
#define MREMAP_DONTUNMAP 4
#endif

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

static void map(FIXTURE_DATA(mapping) *m)
{
	m->s.hdr = buf_map(m->s.fd, m->s.size);
}

/* What mmap() says: 0 or an errno; what it should not have mapped goes. */
static int try_mmap(int fd, size_t size, int prot, int flags, off_t offset)
{
	void *p = mmap(NULL, size, prot, flags, fd, offset);

	if (p == MAP_FAILED)
		return errno;
	munmap(p, size);
	return 0;
}

/* Whether there is memory to read; not by reading it. */
static bool is_mapped(const void *p)
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
static int read_in_child(const void *p)
{
	pid_t pid = fork_child();

	if (!pid) {
		(void)*(volatile const char *)p;
		_exit(0);
	}
	return reap(pid);
}

/* Mappings of buffers in this process. */
static int count_mappings(void)
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

/* ------------------------------------------------------------------------
 * What mmap() accepts
 */

TEST_F(mapping, whole_shared_read_only)
{
	char line[512], *at;
	FILE *f;

	map(self);
	EXPECT_EQ(0ULL, self->s.hdr->hdr_count);
	EXPECT_EQ(self->s.size, self->s.hdr->hdr_buf_size);
	EXPECT_TRUE(all_bytes(self->s.hdr + 1, self->s.size -
			      sizeof(dfl_hdr_t), 0));
	EXPECT_EQ(0UL, (uintptr_t)self->s.hdr % self->page);
	f = fopen("/proc/self/maps", "re");
	ASSERT_NE(NULL, f);
	do {
		ASSERT_NE(NULL, fgets(line, sizeof(line), f));
	} while (!strstr(line, "[perfmon]"));
	fclose(f);
	at = strchr(line, ' ');
	ASSERT_NE(NULL, at);
	EXPECT_EQ(0, strncmp(at, " r--s 00000000 ", 15)) {
		TH_LOG("%s", line);
	}
	EXPECT_EQ(0, munmap((void *)self->s.hdr, (size_t)self->s.size));
	/* A page table that is ready from the beginning makes no difference. */
	EXPECT_EQ(0, try_mmap(self->s.fd, (size_t)self->s.size, PROT_READ,
			      MAP_SHARED | MAP_POPULATE, 0));
}

TEST_F(mapping, sizes)
{
	size_t size = (size_t)self->s.size, n;

	for (n = self->page; n <= 3 * size; n += self->page) {
		EXPECT_EQ(n == size ? 0 : EINVAL,
			  try_mmap(self->s.fd, n, PROT_READ, MAP_SHARED, 0)) {
			TH_LOG("%zu of %zu bytes", n, size);
		}
	}
	EXPECT_EQ(EINVAL, try_mmap(self->s.fd, 0, PROT_READ, MAP_SHARED, 0));
	EXPECT_EQ(0, count_mappings());
}

TEST_F(mapping, offsets)
{
	size_t size = (size_t)self->s.size;
	unsigned int n;

	for (n = 1; n <= N_PAGES; n++) {
		off_t offset = (off_t)(n * self->page);

		EXPECT_EQ(EINVAL, try_mmap(self->s.fd, size, PROT_READ,
					   MAP_SHARED, offset));
		EXPECT_EQ(EINVAL, try_mmap(self->s.fd, size - n * self->page ?
					   size - n * self->page : self->page,
					   PROT_READ, MAP_SHARED, offset));
	}
	EXPECT_EQ(EINVAL, try_mmap(self->s.fd, size, PROT_READ, MAP_SHARED,
				   (off_t)1 << 30));
}

TEST_F(mapping, protections_and_flags)
{
	static const struct {
		int prot, flags;
	} t[] = {
		{ PROT_NONE, MAP_SHARED },
		{ PROT_WRITE, MAP_SHARED },
		{ PROT_EXEC, MAP_SHARED },
		{ PROT_READ | PROT_WRITE, MAP_SHARED },
		{ PROT_READ | PROT_EXEC, MAP_SHARED },
		{ PROT_WRITE | PROT_EXEC, MAP_SHARED },
		{ PROT_READ | PROT_WRITE | PROT_EXEC, MAP_SHARED },
		{ PROT_READ, MAP_PRIVATE },
		{ PROT_READ | PROT_WRITE, MAP_PRIVATE },
		{ PROT_NONE, MAP_PRIVATE },
		{ PROT_READ | PROT_EXEC, MAP_PRIVATE },
		{ PROT_READ, MAP_SHARED | MAP_LOCKED },
		{ PROT_READ, MAP_SHARED | MAP_GROWSDOWN },
		{ PROT_READ, MAP_PRIVATE | MAP_GROWSDOWN },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(t); i++) {
		EXPECT_EQ(EINVAL, try_mmap(self->s.fd, (size_t)self->s.size,
					   t[i].prot, t[i].flags, 0)) {
			TH_LOG("protection %#x, flags %#x", t[i].prot,
			       t[i].flags);
		}
	}
	EXPECT_EQ(0, count_mappings());
	/* And no refusal left anything behind. */
	map(self);
}

/* "Everything from now on" is not what was asked for this mapping. */
TEST_F(mapping, mlockall)
{
	pid_t pid = fork_child();

	if (!pid) {
		if (mlockall(MCL_FUTURE))
			_exit(97);
		map(self);
		_exit(self->s.hdr->hdr_buf_size == self->s.size ? 0 : 1);
	}
	EXPECT_EQ(0, reap(pid));
}

/* Whatever makes all readable memory executable. */
TEST_F(mapping, read_implies_exec)
{
	int old = personality(0xffffffff), ret;

	MUST(personality((unsigned long)old | READ_IMPLIES_EXEC));
	ret = try_mmap(self->s.fd, (size_t)self->s.size, PROT_READ, MAP_SHARED,
		       0);
	MUST(personality((unsigned long)old));
	EXPECT_TRUE(ret == 0 || ret == EINVAL);
}

TEST_F(mapping, without_a_buffer)
{
	int fd = (int)MUST(pfm_create(0));

	EXPECT_EQ(EINVAL, try_mmap(fd, self->page, PROT_READ, MAP_SHARED, 0));
	EXPECT_EQ(EINVAL, try_mmap(fd, (size_t)self->s.size, PROT_READ,
				   MAP_SHARED, 0));
}

static void *try_in_thread(void *arg)
{
	FIXTURE_DATA(mapping) *m = arg;

	return (void *)(long)try_mmap(m->s.fd, (size_t)m->s.size, PROT_READ,
				      MAP_SHARED, 0);
}

/* "The buffer can only be mapped once inside a process." */
TEST_F(mapping, once_in_a_process)
{
	size_t size = (size_t)self->s.size;
	int copy = dup(self->s.fd);
	pthread_t t;
	void *ret;

	map(self);
	EXPECT_EQ(EBUSY, try_mmap(self->s.fd, size, PROT_READ, MAP_SHARED, 0));
	EXPECT_EQ(EBUSY, try_mmap(copy, size, PROT_READ, MAP_SHARED, 0));
	ASSERT_EQ(0, pthread_create(&t, NULL, try_in_thread, self));
	pthread_join(t, &ret);
	EXPECT_EQ(EBUSY, (long)ret);
	EXPECT_EQ(1, count_mappings());
	/* Another buffer is another matter. */
	sampler_open(&(struct sampler){}, 0, size, 0);
	EXPECT_EQ(2, count_mappings());
}

TEST_F(mapping, again_after_munmap)
{
	int n;

	for (n = 0; n < 20; n++) {
		map(self);
		EXPECT_EQ(self->s.size, self->s.hdr->hdr_buf_size);
		ASSERT_EQ(0, munmap((void *)self->s.hdr,
				    (size_t)self->s.size));
		EXPECT_EQ(-SIGSEGV, read_in_child(self->s.hdr));
	}
}

/* ------------------------------------------------------------------------
 * What can be done to a mapping
 */

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

/* A write ends whoever tries it. */
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

static void *do_mremap(const void *old, size_t old_size, size_t size, int flags,
		       void *to)
{
	/* Not the library's: it knows nothing of old_size 0. */
	long ret = syscall(SYS_mremap, old, old_size, size, flags, to);

	return ret == -1 ? MAP_FAILED : (void *)ret;
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

/* ------------------------------------------------------------------------
 * The buffer without its mapping (figure 3.24)
 */

/* Samples come in all the same, and are there when one looks. */
TEST_F(mapping, samples_without_a_mapping)
{
	u64 n;

	sample_faults(self->s.fd, 0, 1, 0, 0);
	attach(self->s.fd, self->p.tid);
	puppet_do(&self->p, OP_FAULT, 20);
	map(self);
	EXPECT_EQ(20ULL, self->s.hdr->hdr_count);
	ASSERT_EQ(0, munmap((void *)self->s.hdr, (size_t)self->s.size));
	puppet_do(&self->p, OP_FAULT, 20);
	map(self);
	ASSERT_EQ(40ULL, self->s.hdr->hdr_count);
	for (n = 0; n < 40; n++)
		EXPECT_EQ(self->p.tid, nth(&self->s, n, 0)->tid);
}

/* Nobody else's samples: a buffer is zeroed, however often it was used. */
TEST_F(mapping, zeroed)
{
	int round;

	for (round = 0; round < 10; round++) {
		struct sampler s;

		sampler_open(&s, 0, 16 * self->page + 100, 0);
		ASSERT_EQ(17 * self->page, s.size);
		ASSERT_TRUE(all_bytes(s.hdr + 1, s.size - sizeof(dfl_hdr_t),
				      0));
		/* Values without a zero byte, to the last page. */
		MUST(pfm_write_pmd(s.fd, SW_PMD(1), ~0ULL));
		sample_faults(s.fd, 0, 1, 0, 0xfe | PMD(PFM_VPMD_CLOCK));
		attach(s.fd, self->p.tid);
		puppet_do(&self->p, OP_FAULT, 1000);
		EXPECT_TRUE(pfm_state_is(s.fd, "masked"));
		sampler_close(&s);
	}
}

/* ------------------------------------------------------------------------
 * fork(), exec(), exit
 */

/* Figure 3.25: one buffer, seen by both. */
TEST_F(mapping, fork_inherits)
{
	int go[2];
	pid_t pid;

	MUST(pipe(go));
	map(self);
	pid = fork_child();
	if (!pid) {
		size_t size = (size_t)self->s.size;
		char c;

		MUST(read(go[0], &c, 1));
		if (self->s.hdr->hdr_count != 7)
			_exit(1);
		/* What is inherited counts: it is a mapping of this process. */
		if (try_mmap(self->s.fd, size, PROT_READ, MAP_SHARED, 0) !=
		    EBUSY)
			_exit(2);
		if (munmap((void *)self->s.hdr, size))
			_exit(3);
		map(self);
		_exit(self->s.hdr->hdr_count == 7 ? 0 : 4);
	}
	sample_faults(self->s.fd, 0, 1, 0, 0);
	attach(self->s.fd, self->p.tid);
	puppet_do(&self->p, OP_FAULT, 7);
	MUST(write(go[1], "", 1));
	EXPECT_EQ(0, reap(pid));
	EXPECT_EQ(7ULL, self->s.hdr->hdr_count);
}

/* A mapping that was inherited cannot be made writable either. */
TEST_F(mapping, fork_inherits_the_restrictions)
{
	pid_t pid;

	map(self);
	pid = fork_child();
	if (!pid) {
		size_t size = (size_t)self->s.size;

		_exit(mprotect((void *)self->s.hdr, size,
			       PROT_READ | PROT_WRITE) ? 0 : 1);
	}
	EXPECT_EQ(0, reap(pid));
}

/*
 * The context's maker closes it, or does not, and exits; his child goes on
 * with what it has inherited, and when that ends, too, nothing is left.
 */
static void maker_is_gone(struct __test_metadata *_metadata, bool closes)
{
	u64 before = buffers_now();
	int order[2], ack[2];
	struct puppet p;
	pid_t maker;
	char c;

	/* It must not have the pipes. */
	puppet_start(&p, PUPPET_PROCESS);
	MUST(pipe(order));
	MUST(pipe(ack));
	maker = fork_child();
	if (!maker) {
		struct sampler s;

		sampler_open(&s, 0, 4 * page_size(), 0);
		sample_faults(s.fd, 0, 1, 0, 0);
		attach(s.fd, p.tid);
		if (fork()) {
			if (closes)
				close(s.fd);
			_exit(0);
		}
		/* Ends with the pipe. */
		close(order[1]);
		while (read(order[0], &c, 1) == 1) {
			c = (char)s.hdr->hdr_count;
			MUST(write(ack[1], &c, 1));
		}
		_exit(0);
	}
	close(ack[1]);
	EXPECT_EQ(0, reap(maker));
	puppet_do(&p, OP_FAULT, 11);
	MUST(write(order[1], "", 1));
	ASSERT_EQ(1, read(ack[0], &c, 1));
	EXPECT_EQ(11, c);
	EXPECT_EQ(before + 4 * page_size(), buffers_now());
	EXPECT_EQ(1ULL, sysfs_u64("thread_sessions"));
	close(order[1]);
	EXPECT_EQ(0, read(ack[0], &c, 1));
	EXPECT_TRUE(buffers_become(before));
	EXPECT_EQ(0ULL, sysfs_u64("thread_sessions"));
	puppet_stop(&p);
}

TEST(child_outlives_a_parent_that_closes)
{
	maker_is_gone(_metadata, true);
}

TEST(child_outlives_a_parent_that_does_not_close)
{
	maker_is_gone(_metadata, false);
}

/*
 * A child with our descriptors, but with memory of its own: 0 if it finds as
 * many samples, when told to look, though the descriptor is closed.
 */
static pid_t fork_sharing_files(const struct sampler *s, u64 want, int go)
{
	pid_t pid = (pid_t)syscall(SYS_clone, CLONE_FILES | SIGCHLD, NULL,
				   NULL, NULL, NULL);
	char c;

	if (pid)
		return (pid_t)MUST(pid);
	MUST(read(go, &c, 1));
	if (s->hdr->hdr_count != want)
		_exit(1);
	_exit(fcntl(s->fd, F_GETFD) == -1 ? 0 : 2);
}

/*
 * A mapping without any descriptor: close() removed the one of the process
 * that called it. The context lives on behind the other one.
 */
TEST_F(mapping, mapping_without_a_descriptor)
{
	int go[2];
	pid_t pid;

	MUST(pipe(go));
	map(self);
	sample_faults(self->s.fd, 0, 1, 0, 0);
	attach(self->s.fd, self->p.tid);
	pid = fork_sharing_files(&self->s, 9, go[0]);
	close(self->s.fd);
	EXPECT_FALSE(is_mapped(self->s.hdr));
	puppet_do(&self->p, OP_FAULT, 9);
	EXPECT_EQ(self->before + self->s.size, buffers_now());
	EXPECT_EQ(1ULL, sysfs_u64("thread_sessions"));
	MUST(write(go[1], "", 1));
	EXPECT_EQ(0, reap(pid));
	EXPECT_TRUE(buffers_become(self->before));
	EXPECT_EQ(0ULL, sysfs_u64("thread_sessions"));
	self->s.fd = -1;
}

/* Not closed and not unmapped: exit does both. */
TEST(exit_frees)
{
	u64 before = buffers_now();
	int how;

	for (how = 0; how < 3; how++) {
		pid_t pid = fork_child();

		if (!pid) {
			struct sampler s;

			sampler_open(&s, 0, 65536, 0);
			if (how == 1)
				munmap((void *)s.hdr, (size_t)s.size);
			if (how == 2)
				kill(getpid(), SIGKILL);
			_exit(buffers_now() < before + 65536);
		}
		EXPECT_EQ(how == 2 ? -SIGKILL : 0, reap(pid));
		EXPECT_TRUE(buffers_become(before));
	}
}

/*
 * In the new program: no mapping; the descriptor is that of the same buffer,
 * if it has not been closed.
 */
static int after_exec(int fd, u64 size, u64 before, bool closed)
{
	const dfl_hdr_t *hdr;

	if (count_mappings())
		return 1;
	if (closed) {
		if (fcntl(fd, F_GETFD) != -1)
			return 2;
		return buffers_now() == before ? 0 : 3;
	}
	if (buffers_now() != before + size)
		return 4;
	hdr = buf_mmap(fd, size);
	if (hdr == MAP_FAILED)
		return 5;
	return hdr->hdr_buf_size == size ? 0 : 6;
}

static int exec_with(FIXTURE_DATA(mapping) *m, bool closed)
{
	char fd[16], size[32], before[32];
	pid_t pid = fork_child();

	if (pid)
		return reap(pid);
	/* One of its own: the parent holds the other. */
	m->s.fd = (int)MUST(dfl_create(0, m->s.size, 0, &m->s.size));
	map(m);
	if (closed)
		MUST(fcntl(m->s.fd, F_SETFD, FD_CLOEXEC));
	snprintf(fd, sizeof(fd), "%d", m->s.fd);
	snprintf(size, sizeof(size), "%llu", m->s.size);
	snprintf(before, sizeof(before), "%llu", m->before + m->s.size);
	execl("/proc/self/exe", "mmap", closed ? "--closed" : "--open", fd,
	      size, before, NULL);
	_exit(98);
}

TEST_F(mapping, exec_drops_it)
{
	EXPECT_EQ(0, exec_with(self, false));
	EXPECT_TRUE(buffers_become(self->before + self->s.size));
}

TEST_F(mapping, exec_that_closes)
{
	EXPECT_EQ(0, exec_with(self, true));
	EXPECT_TRUE(buffers_become(self->before + self->s.size));
}

/* ------------------------------------------------------------------------
 * close()
 */

/* Whoever looks after close() is ended for it. */
TEST_F(mapping, close_removes_it)
{
	map(self);
	EXPECT_EQ(0, read_in_child(self->s.hdr));
	sampler_close(&self->s);
	EXPECT_EQ(-SIGSEGV, read_in_child(self->s.hdr));
	EXPECT_EQ(0, count_mappings());
	EXPECT_TRUE(buffers_become(self->before));
}

TEST_F(mapping, close_of_one_of_two_does_not)
{
	int copy;

	copy = (int)MUST(dup(self->s.fd));
	map(self);
	close(self->s.fd);
	EXPECT_EQ(self->s.size, self->s.hdr->hdr_buf_size);
	EXPECT_EQ(1, count_mappings());
	self->s.fd = (int)MUST(dup(copy));
	close(copy);
	EXPECT_EQ(self->s.size, self->s.hdr->hdr_buf_size);
	close(self->s.fd);
	EXPECT_EQ(-SIGSEGV, read_in_child(self->s.hdr));
	EXPECT_TRUE(buffers_become(self->before));
	self->s.fd = -1;
}

/* Other ways to lose the last descriptor. */
TEST_F(mapping, dup2_removes_it)
{
	map(self);
	MUST(dup2(0, self->s.fd));
	EXPECT_FALSE(is_mapped(self->s.hdr));
	EXPECT_TRUE(buffers_become(self->before));
}

TEST_F(mapping, close_range_removes_it)
{
	map(self);
	if (syscall(SYS_close_range, self->s.fd, self->s.fd, 0))
		SKIP(return, "close_range_removes_it: no close_range()");
	self->s.fd = -1;
	EXPECT_FALSE(is_mapped(self->s.hdr));
	EXPECT_TRUE(buffers_become(self->before));
}

static void *close_in_thread(void *arg)
{
	close(*(int *)arg);
	return NULL;
}

/* "No matter how many threads exist." */
TEST_F(mapping, close_by_a_thread)
{
	pthread_t t;

	map(self);
	ASSERT_EQ(0, pthread_create(&t, NULL, close_in_thread, &self->s.fd));
	pthread_join(t, NULL);
	EXPECT_FALSE(is_mapped(self->s.hdr));
	EXPECT_TRUE(buffers_become(self->before));
	self->s.fd = -1;
}

/* While a thread waits for a message on the same descriptor. */
static volatile pid_t waiting;

static void *wait_for_message(void *arg)
{
	pfm_msg_t msg;

	waiting = my_tid();
	return (void *)(long)read(*(int *)arg, &msg, sizeof(msg));
}

TEST_F(mapping, close_while_somebody_reads)
{
	pthread_t t;
	void *ret;
	int fd;

	fd = self->s.fd;
	map(self);
	sample_faults(fd, 0, 1, NOTIFY, 0);
	attach(fd, self->p.tid);
	ASSERT_EQ(0, pthread_create(&t, NULL, wait_for_message, &fd));
	while (!waiting)
		sleep_ms(1);
	ASSERT_TRUE(wait_state(waiting, "S", PATIENCE));
	close(fd);
	self->s.fd = -1;
	EXPECT_FALSE(is_mapped(self->s.hdr));
	/* It has the file as long as it waits, so the buffer gets full. */
	puppet_do(&self->p, OP_FAULT, 1000);
	pthread_join(t, &ret);
	EXPECT_EQ((long)sizeof(pfm_msg_t), (long)ret);
	EXPECT_TRUE(buffers_become(self->before));
}

/* The mapping of the process that closes, and no other. */
TEST_F(mapping, close_leaves_others_alone)
{
	int order[2], ack[2];
	pid_t pid;
	char c;

	MUST(pipe(order));
	MUST(pipe(ack));
	map(self);
	pid = fork_child();
	if (!pid) {
		/* First we are the one that closes, then the one that stays. */
		pid_t other = fork();

		if (!other) {
			close(self->s.fd);
			_exit(is_mapped(self->s.hdr) ? 1 : 0);
		}
		if (reap(other) || !is_mapped(self->s.hdr))
			_exit(1);
		MUST(write(ack[1], "", 1));
		MUST(read(order[0], &c, 1));
		if (self->s.hdr->hdr_buf_size != self->s.size)
			_exit(2);
		close(self->s.fd);
		_exit(is_mapped(self->s.hdr) ? 3 : 0);
	}
	close(ack[1]);
	ASSERT_EQ(1, read(ack[0], &c, 1));
	EXPECT_EQ(self->s.size, self->s.hdr->hdr_buf_size);
	sampler_close(&self->s);
	EXPECT_FALSE(is_mapped(self->s.hdr));
	EXPECT_EQ(self->before + self->s.size, buffers_now());
	MUST(write(order[1], "", 1));
	EXPECT_EQ(0, reap(pid));
	EXPECT_TRUE(buffers_become(self->before));
}

/* It runs in the parent's memory, but the descriptors are its own. */
static __attribute__((noinline)) int vfork_and_close(int fd)
{
	pid_t pid = vfork();

	if (!pid) {
		close(fd);
		_exit(0);
	}
	return reap(pid);
}

/*
 * posix_spawn() and whatever starts programs that way: what the child closes
 * before its exec is no business of the parent, who has the descriptor yet.
 */
TEST_F(mapping, close_in_a_vfork_child)
{
	map(self);
	ASSERT_EQ(0, vfork_and_close(self->s.fd));
	EXPECT_EQ(0, fcntl(self->s.fd, F_GETFD));
	ASSERT_TRUE(is_mapped(self->s.hdr));
	EXPECT_EQ(self->s.size, self->s.hdr->hdr_buf_size);
}

/* One thread has descriptors of its own; the process has the buffer yet. */
static void *unshare_and_close(void *arg)
{
	if (unshare(CLONE_FILES))
		return (void *)-1L;
	close(*(int *)arg);
	return NULL;
}

TEST_F(mapping, close_by_a_thread_with_descriptors_of_its_own)
{
	pthread_t t;
	void *ret;

	map(self);
	ASSERT_EQ(0, pthread_create(&t, NULL, unshare_and_close, &self->s.fd));
	pthread_join(t, &ret);
	ASSERT_EQ(NULL, ret);
	EXPECT_EQ(0, fcntl(self->s.fd, F_GETFD));
	ASSERT_TRUE(is_mapped(self->s.hdr));
	EXPECT_EQ(self->s.size, self->s.hdr->hdr_buf_size);
}

/* ------------------------------------------------------------------------
 * Who pays, and how much there is
 */

/* Bytes in whole pages, from creation to the end of the context. */
TEST(sysfs_counts)
{
	u64 page = page_size(), before = buffers_now(), sum = before;
	u64 sizes[] = { 1000, page, page + 1, 10 * page, 100 * page - 1 };
	struct sampler s[5];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		s[i].fd = (int)MUST(dfl_create(0, sizes[i], 0, &s[i].size));
		sum += page_align(sizes[i]);
		EXPECT_EQ(page_align(sizes[i]), s[i].size);
		EXPECT_EQ(sum, buffers_now());
		s[i].hdr = buf_map(s[i].fd, s[i].size);
		EXPECT_EQ(sum, buffers_now());
		munmap((void *)s[i].hdr, (size_t)s[i].size);
		EXPECT_EQ(sum, buffers_now());
	}
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		close(s[i].fd);
		sum -= page_align(sizes[i]);
		EXPECT_EQ(sum, buffers_now());
	}
	EXPECT_EQ(before, buffers_now());
}

/* A context without a buffer costs none. */
TEST(sysfs_does_not_count_others)
{
	u64 before = buffers_now();
	int i;

	for (i = 0; i < 10; i++)
		MUST(pfm_create(0));
	EXPECT_EQ(before, buffers_now());
}

static void memlock(size_t bytes)
{
	struct rlimit lim;

	MUST(getrlimit(RLIMIT_MEMLOCK, &lim));
	lim.rlim_cur = bytes;
	MUST(setrlimit(RLIMIT_MEMLOCK, &lim));
}

/* As an ordinary user whose limit is eight pages: 0 or where it failed. */
static int within_the_limit(void)
{
	size_t page = page_size();
	int a, b;

	memlock(8 * page + page / 2);
	if (dfl_create(0, 9 * page, 0, NULL) != -ENOMEM)
		return 1;
	a = dfl_create(0, 8 * page, 0, NULL);
	if (a < 0)
		return 2;
	/* Not a page more, in no other process of the user either. */
	if (dfl_create(0, page, 0, NULL) != -ENOMEM)
		return 3;
	b = fork();
	if (!b)
		_exit(dfl_create(0, page, 0, NULL) == -ENOMEM ? 0 : 1);
	if (reap(b))
		return 4;
	/* What needs no buffer is not concerned. */
	if (pfm_create(0) < 0)
		return 5;
	close(a);
	a = dfl_create(0, 5 * page, 0, NULL);
	b = dfl_create(0, 3 * page, 0, NULL);
	if (a < 0 || b < 0)
		return 6;
	if (dfl_create(0, 1000, 0, NULL) != -ENOMEM)
		return 7;
	close(b);
	/* A lower limit does not take away what there is. */
	memlock(page);
	if (dfl_create(0, 1000, 0, NULL) != -ENOMEM)
		return 8;
	close(a);
	a = dfl_create(0, page, 0, NULL);
	if (a < 0)
		return 9;
	memlock(0);
	return dfl_create(0, 1000, 0, NULL) == -ENOMEM ? 0 : 10;
}

TEST(limit_of_locked_memory)
{
	u64 before = buffers_now();
	pid_t pid = fork_child();

	if (!pid) {
		if (is_root())
			become(NOBODY);
		_exit(within_the_limit());
	}
	EXPECT_EQ(0, reap(pid));
	EXPECT_TRUE(buffers_become(before));
	/* And once more: all of it has been given back to the user. */
	pid = fork_child();
	if (!pid) {
		if (is_root())
			become(NOBODY);
		_exit(within_the_limit());
	}
	EXPECT_EQ(0, reap(pid));
}

/* CAP_IPC_LOCK is exempt. */
TEST(no_limit_of_locked_memory_for_root)
{
	pid_t pid;

	NEED_ROOT();
	pid = fork_child();
	if (!pid) {
		memlock(0);
		_exit(dfl_create(0, 100 * page_size(), 0, NULL) < 0);
	}
	EXPECT_EQ(0, reap(pid));
}

FIXTURE(limit) {
	char saved[64];
	u64 before;
};

FIXTURE_SETUP(limit)
{
	MUST(read_text(SYSFS "/smpl_buf_size_max", self->saved,
		       sizeof(self->saved)));
	self->before = buffers_now();
}

FIXTURE_TEARDOWN(limit)
{
	if (is_root() && write_text(SYSFS "/smpl_buf_size_max", self->saved))
		die("smpl_buf_size_max cannot be restored");
}

static void set_limit(u64 value)
{
	char text[32];

	snprintf(text, sizeof(text), "%llu", value);
	if (write_text(SYSFS "/smpl_buf_size_max", text))
		die("cannot write smpl_buf_size_max");
}

/* Of all buffers of all users together, root's too. */
TEST_F(limit, smpl_buf_size_max)
{
	u64 page = page_size();
	int a, b;

	NEED_ROOT();
	set_limit(self->before + 10 * page);
	EXPECT_EQ(-ENOMEM, dfl_create(0, 11 * page, 0, NULL));
	EXPECT_EQ(-ENOMEM, dfl_create(0, 10 * page + 1, 0, NULL));
	a = dfl_create(0, 6 * page, 0, NULL);
	ASSERT_LE(0, a);
	EXPECT_EQ(-ENOMEM, dfl_create(0, 5 * page, 0, NULL));
	b = dfl_create(0, 4 * page, 0, NULL);
	ASSERT_LE(0, b);
	EXPECT_EQ(-ENOMEM, dfl_create(0, 1000, 0, NULL));
	EXPECT_EQ(self->before + 10 * page, buffers_now());
	EXPECT_LE(0, pfm_create(0));
	/* A change does not reach back. */
	set_limit(self->before + 2 * page);
	EXPECT_EQ(self->before + 10 * page, buffers_now());
	close(b);
	EXPECT_EQ(-ENOMEM, dfl_create(0, 1000, 0, NULL));
	close(a);
	EXPECT_LE(0, dfl_create(0, 2 * page, 0, NULL));
	EXPECT_EQ(-ENOMEM, dfl_create(0, 1000, 0, NULL));
}

/* PFM_SET_CONFIG sets the same one. */
TEST_F(limit, set_config)
{
	pfarg_config_t cf = {};
	u64 page = page_size();

	NEED_ROOT();
	MUST(pfm(-1, PFM_GET_CONFIG, &cf, 1));
	cf.cf_smpl_buf_size_max = self->before + page;
	MUST(pfm(-1, PFM_SET_CONFIG, &cf, 1));
	EXPECT_EQ(-ENOMEM, dfl_create(0, page + 1, 0, NULL));
	EXPECT_LE(0, dfl_create(0, page, 0, NULL));
	EXPECT_EQ(-ENOMEM, dfl_create(0, page, 0, NULL));
}

/* Nor does a limit of all ones let everything in. */
TEST_F(limit, boundless)
{
	static const u64 sizes[] = {
		1ULL << 40, 1ULL << 45, 1ULL << 62, ~0ULL >> 1,
	};
	size_t i;

	NEED_ROOT();
	set_limit(~0ULL);
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		int ret = dfl_create(0, sizes[i], 0, NULL);

		EXPECT_TRUE(ret == -ENOMEM || ret == -EINVAL) {
			TH_LOG("%llu bytes: %d", sizes[i], ret);
		}
	}
	EXPECT_EQ(self->before, buffers_now());
}

/* ------------------------------------------------------------------------
 * A descriptor that somebody else has got
 */

FIXTURE(stranger) {
	char saved[16];
};

FIXTURE_SETUP(stranger)
{
	if (read_text(HARDENED, self->saved, sizeof(self->saved)) < 0)
		die("no " HARDENED);
}

FIXTURE_TEARDOWN(stranger)
{
	if (is_root())
		write_text(HARDENED, self->saved);
}

/* What mmap() says to whoever becomes @uid with root's context. */
static int map_as(uid_t uid)
{
	u64 size = 0;
	int fd = (int)MUST(dfl_create(0, 65536, 0, &size));
	pid_t pid = fork_child();
	int ret;

	if (!pid) {
		if (uid)
			become(uid);
		_exit(try_mmap(fd, (size_t)size, PROT_READ, MAP_SHARED, 0));
	}
	ret = reap(pid);
	close(fd);
	return ret;
}

TEST_F(stranger, mmap)
{
	NEED_ROOT();
	harden(true);
	EXPECT_EQ(EPERM, map_as(NOBODY));
	EXPECT_EQ(0, map_as(0));
	harden(false);
	EXPECT_EQ(0, map_as(NOBODY));
}

/* ------------------------------------------------------------------------
 * All of it at once
 */

#define RACE_FD		200
#define RACE_PAGES	4U

static volatile bool stop;
static struct puppet racer;
static void *volatile race_at;

static u64 race_ns(void)
{
	return (is_slow() ? 2500 : 1500) * NSEC_PER_MSEC;
}

static void *race_map(void *arg)
{
	u32 seed = (u32)(uintptr_t)arg;
	size_t size = RACE_PAGES * page_size(), page = page_size();

	while (!stop) {
		char *p = buf_mmap(RACE_FD, size);

		if (p == MAP_FAILED) {
			if (errno != EBUSY && errno != EBADF && errno != EINVAL)
				return (void *)(long)errno;
			p = race_at;
			if (!p)
				continue;
		}
		race_at = p;
		switch (random_below(&seed, 6)) {
		case 0: munmap(p, size); break;
		case 1:
			munmap(p + random_below(&seed, RACE_PAGES) * page,
			       page);
			break;
		case 2: do_mremap(p, size, size, MREMAP_MAYMOVE, NULL); break;
		case 3: do_mremap(p, size, 2 * size, MREMAP_MAYMOVE, NULL);
			break;
		case 4: mprotect(p, size, PROT_READ | PROT_WRITE); break;
		default: sched_yield();
		}
	}
	return NULL;
}

/* Other mappings may take the place, so only a look by way of the kernel. */
static void *race_look(void *arg)
{
	char buf[4096];
	int fds[2];

	(void)arg;
	MUST(pipe2(fds, O_NONBLOCK));
	while (!stop) {
		void *p = race_at;

		if (p && write(fds[1], p, sizeof(buf)) > 0)
			while (read(fds[0], buf, sizeof(buf)) > 0)
				;
		sched_yield();
	}
	return NULL;
}

static void *race_fork(void *arg)
{
	u32 seed = (u32)(uintptr_t)arg;

	while (!stop) {
		pid_t pid = fork();

		if (pid < 0)
			return (void *)(long)errno;
		if (!pid) {
			void *p = race_at;

			if (random_below(&seed, 2))
				close(RACE_FD);
			if (p && random_below(&seed, 2))
				munmap(p, page_size());
			if (random_below(&seed, 4) == 0)
				execl("/proc/self/exe", "mmap", "--exit", NULL);
			_exit(0);
		}
		waitpid(pid, NULL, 0);
		random_below(&seed, 2);
	}
	return NULL;
}

static void *race_command(void *arg)
{
	u32 seed = (u32)(uintptr_t)arg;
	u64 value;

	while (!stop) {
		switch (random_below(&seed, 8)) {
		case 0: pfm_load(RACE_FD, racer.tid); break;
		case 1: pfm_start(RACE_FD); break;
		case 2: pfm_stop(RACE_FD); break;
		case 3: pfm_unload(RACE_FD); break;
		case 4: pfm_read_pmd(RACE_FD, SW_PMD(0), &value); break;
		case 5: sched_yield(); break;
		default: pfm_restart(RACE_FD);
		}
	}
	return NULL;
}

/* A new context takes the place of the old one, which is closed by that. */
static void *race_create(void *arg)
{
	u32 seed = (u32)(uintptr_t)arg;

	while (!stop) {
		u32 flags = random_below(&seed, 4) ? 0 : PFM_FL_OVFL_NO_MSG;
		u64 size = random_below(&seed, 4) ? RACE_PAGES : 1;
		int fd = dfl_create(flags, size * page_size(), 0, NULL);

		if (fd < 0)
			return (void *)(long)-fd;
		set_nonblock(fd);
		sample_faults(fd, 0, 1 + random_below(&seed, 3), NOTIFY, 0);
		MUST(dup2(fd, RACE_FD));
		close(fd);
		usleep(random_below(&seed, 3000));
		if (!random_below(&seed, 8))
			close(RACE_FD);
	}
	return NULL;
}

/* Whoever maps a buffer just while it is closed has got it. */
static void unmap_all(void)
{
	unsigned long from, to;
	char line[512];
	FILE *f;

	while (count_mappings()) {
		f = fopen("/proc/self/maps", "re");
		while (f && fgets(line, sizeof(line), f))
			if (strstr(line, "[perfmon]") &&
			    sscanf(line, "%lx-%lx", &from, &to) == 2)
				munmap((void *)from, to - from);
		if (f)
			fclose(f);
	}
}

/*
 * Maps, forks, closes, overflows, unloads and restarts of contexts under one
 * descriptor. The kernel has to survive it, and nothing may be left.
 */
TEST(race)
{
	static void *(*const work[])(void *) = {
		race_map, race_map, race_look, race_fork, race_command,
		race_create,
	};
	u64 before = buffers_now(), end;
	pthread_t t[ARRAY_SIZE(work)];
	struct sampler s;
	void *ret;
	size_t i;

	puppet_start(&racer, PUPPET_PROCESS);
	end = now_ns(CLOCK_MONOTONIC) + race_ns();
	for (i = 0; i < ARRAY_SIZE(work); i++) {
		ASSERT_EQ(0, pthread_create(&t[i], NULL, work[i],
					    (void *)(i + 1)));
	}
	while (now_ns(CLOCK_MONOTONIC) < end)
		puppet_do(&racer, OP_FAULT, 50);
	stop = true;
	for (i = 0; i < ARRAY_SIZE(work); i++) {
		pthread_join(t[i], &ret);
		EXPECT_EQ(0, (long)ret) {
			TH_LOG("thread %zu: %s", i, strerror((int)(long)ret));
		}
	}
	close(RACE_FD);
	unmap_all();
	EXPECT_TRUE(buffers_become(before));
	EXPECT_EQ(0ULL, sysfs_u64("thread_sessions"));
	/* And the puppet can be sampled as ever. */
	sampler_open(&s, 0, 65536, 0);
	sample_faults(s.fd, 0, 1, 0, 0);
	attach(s.fd, racer.tid);
	puppet_do(&racer, OP_FAULT, 5);
	EXPECT_EQ(5ULL, s.hdr->hdr_count);
	puppet_stop(&racer);
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "--exit"))
		return 0;
	if (argc == 5 && argv[1][0] == '-')
		return after_exec(atoi(argv[2]), strtoull(argv[3], NULL, 10),
				  strtoull(argv[4], NULL, 10),
				  !strcmp(argv[1], "--closed"));
	return test_harness_run(argc, argv);
}
