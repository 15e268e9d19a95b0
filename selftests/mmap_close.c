// SPDX-License-Identifier: GPL-2.0-only
/*
 * close() removes the mapping of the caller's process, whatever closes the
 * last descriptor: dup2(), close_range(), a thread, a child of vfork(); and a
 * descriptor that another process has received.
 */
#include "mapping.h"

/* ------------------------------------------------------------------------
 * close()
 */

/* A process that reads the mapping after close() gets SIGSEGV. */
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
	puppet_do(&self->p, OP_FAULT, (unsigned int)dfl_capacity(self->s.size, sizeof(dfl_entry_t)));
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

/* As many mappings as there are processes: each one's goes with its close(). */
TEST_F(mapping, closed_by_many)
{
	pid_t pid[8];
	int i, go[2];
	char c;

	MUST(pipe(go));
	map(self);
	for (i = 0; i < 8; i++) {
		pid[i] = fork_child();
		if (pid[i])
			continue;
		close(go[1]);
		/* In two parts, or none. */
		if (i & 1)
			munmap((char *)self->s.hdr + self->page, self->page);
		if (i & 2) {
			if (vfork_and_close(self->s.fd) ||
			    !is_mapped(self->s.hdr))
				_exit(1);
		}
		if (i & 4) {
			int copy = (int)MUST(dup(self->s.fd));

			close(self->s.fd);
			if (!is_mapped(self->s.hdr))
				_exit(2);
			self->s.fd = copy;
		}
		MUST(read(go[0], &c, 1));
		close(self->s.fd);
		_exit(count_mappings() ? 3 : 0);
	}
	for (i = 0; i < 8; i++)
		MUST(write(go[1], "", 1));
	for (i = 0; i < 8; i++)
		EXPECT_EQ(0, reap(pid[i]));
	EXPECT_EQ(1, count_mappings());
	EXPECT_EQ(self->s.size, self->s.hdr->hdr_buf_size);
}

/* ------------------------------------------------------------------------
 * A descriptor that another process has received
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

/* What mmap() of root's context answers a process that becomes @uid. */
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

TEST_HARNESS_MAIN
