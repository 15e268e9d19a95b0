// SPDX-License-Identifier: GPL-2.0-only
/*
 * What fork(), exec() and exit do to the mapping of the buffer, and how long
 * the buffer lives.
 */
#include "mapping.h"

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

int main(int argc, char **argv)
{
	if (argc == 5 && argv[1][0] == '-')
		return after_exec(atoi(argv[2]), strtoull(argv[3], NULL, 10),
				  strtoull(argv[4], NULL, 10),
				  !strcmp(argv[1], "--closed"));
	return test_harness_run(argc, argv);
}
