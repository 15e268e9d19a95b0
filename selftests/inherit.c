// SPDX-License-Identifier: GPL-2.0-only
/*
 * What becomes of a context when its thread or a holder of its descriptor
 * forks, creates threads, exits, is killed, closes or passes it on; and when
 * the termination message is sent and when not (3.3.6).
 *
 * Not here: the plain cases that the specification draws (figures.c), exec()
 * (exec.c), all of this under load (stress.c, race.c).
 */
#include "puppet.h"
#include <sys/socket.h>

static void *touch_five(void *arg)
{
	pages_touch(arg, 5);
	return NULL;
}

static void *attach_to_self(void *arg)
{
	int fd = pfm_counter(0, PFM_SW_MINOR_FAULTS, 0, 0);
	struct pages *pages = arg;
	u64 seen;

	if (pfm_load(fd, my_tid()) || pfm_start(fd))
		return (void *)-1L;
	pages_touch(pages, 5);
	seen = pfm_value(fd, SW_PMD(0));
	close(fd);
	return (void *)(long)seen;
}

static void send_fd(int sock, int fd)
{
	char control[CMSG_SPACE(sizeof(int))] = {}, byte = 0;
	struct iovec iov = { &byte, 1 };
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = control, .msg_controllen = sizeof(control),
	};
	struct cmsghdr *c = CMSG_FIRSTHDR(&msg);

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(c), &fd, sizeof(fd));
	MUST(sendmsg(sock, &msg, 0));
}

static int receive_fd(int sock)
{
	char control[CMSG_SPACE(sizeof(int))] = {}, byte;
	struct iovec iov = { &byte, 1 };
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = control, .msg_controllen = sizeof(control),
	};
	int fd;

	MUST(recvmsg(sock, &msg, 0));
	if (!CMSG_FIRSTHDR(&msg))
		die("no descriptor came");
	memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&msg)), sizeof(fd));
	return fd;
}

/* The child runs in the parent's memory, but is another thread. */
static __attribute__((noinline)) int vfork_and_touch(struct pages *pages)
{
	pid_t pid = vfork();

	if (!pid) {
		pages_touch(pages, 500);
		_exit(0);
	}
	return reap(pid);
}

/* vfork(): not inherited either (3.1.7). */
TEST(not_inherited_by_vfork)
{
	int fd = pfm_session(0, PFM_SW_MINOR_FAULTS, 0, 0, my_tid());
	struct pages pages;
	u64 before;

	pages_map(&pages, 600);
	before = pfm_value(fd, SW_PMD(0));
	ASSERT_EQ(0, vfork_and_touch(&pages));
	EXPECT_GT(before + 100, pfm_value(fd, SW_PMD(0)));
	before = pfm_value(fd, SW_PMD(0));
	pages_touch(&pages, 5);
	EXPECT_LE(before + 5, pfm_value(fd, SW_PMD(0)));
}

TEST(not_inherited_by_pthread_create)
{
	int fd = pfm_session(0, PFM_SW_MINOR_FAULTS, 0, 0, my_tid());
	struct pages pages;
	pthread_t t;
	void *seen;
	u64 before;
	int i;

	pages_map(&pages, 200);
	ASSERT_EQ(0, pthread_create(&t, NULL, touch_five, &pages));
	pthread_join(t, NULL);
	before = pfm_value(fd, SW_PMD(0));
	for (i = 0; i < 20; i++) {
		ASSERT_EQ(0, pthread_create(&t, NULL, touch_five, &pages));
		pthread_join(t, NULL);
	}
	/* 20 * 5 by the threads; creating them costs us far fewer. */
	EXPECT_GT(before + 90, pfm_value(fd, SW_PMD(0)));
	/* The new thread has no context and can get one. */
	ASSERT_EQ(0, pthread_create(&t, NULL, attach_to_self, &pages));
	pthread_join(t, &seen);
	EXPECT_LE(5, (long)seen);
}

/* A thread with a creator that another process monitors. */
TEST(thread_of_a_monitored_process)
{
	struct pages pages;
	int fd, go[2];
	u64 faults;
	pid_t pid;

	pages_map(&pages, 300);
	MUST(pipe(go));
	pid = fork_child();
	if (!pid) {
		pthread_t t;
		char c;
		int i;

		MUST(read(go[0], &c, 1));
		for (i = 0; i < 50; i++) {
			pthread_create(&t, NULL, touch_five, &pages);
			pthread_join(t, NULL);
		}
		_exit(0);
	}
	/* Made after the fork: the process has no descriptor of it. */
	fd = pfm_session(0, PFM_SW_MINOR_FAULTS, 0, 0, pid);
	MUST(write(go[1], "", 1));
	EXPECT_EQ(0, reap(pid));
	EXPECT_EQ(PFM_MSG_END, pfm_next_msg(fd, NULL, PATIENCE));
	faults = pfm_value(fd, SW_PMD(0));
	EXPECT_LT(0ULL, faults);
	EXPECT_GT(250ULL, faults);
}

/* One thread of several ends: END, though its process lives on. */
TEST(end_of_a_thread)
{
	int fd = pfm_counter(0, PFM_SW_MINOR_FAULTS, 0, 0), p[2], go[2];
	pid_t pid, tid;

	MUST(pipe(p));
	MUST(pipe(go));
	pid = fork_child();
	if (!pid) {
		struct puppet t;
		char c;

		close(fd);
		puppet_start(&t, PUPPET_THREAD);
		MUST(write(p[1], &t.tid, sizeof(t.tid)));
		MUST(read(go[0], &c, 1));
		puppet_stop(&t);
		pause();
	}
	MUST(read(p[0], &tid, sizeof(tid)));
	ASSERT_EQ(0, pfm_load(fd, tid));
	EXPECT_EQ(0, pfm_poll(fd, 20));
	MUST(write(go[1], "", 1));
	EXPECT_EQ(PFM_MSG_END, pfm_next_msg(fd, NULL, PATIENCE));
	EXPECT_TRUE(pfm_state_is(fd, "unloaded"));
	EXPECT_TRUE(wait_state(pid, "S", PATIENCE));
	EXPECT_EQ(-SIGKILL, kill_and_reap(pid));
	EXPECT_EQ(0, pfm_poll(fd, 0) & POLLIN);
}

/*
 * The thread's own process holds the descriptor: it is taken to be
 * controlling, and there is no message (3.3.6). The context is free again.
 */
TEST(no_end_for_a_controlling_process)
{
	int n, fd = pfm_counter(0, PFM_SW_MINOR_FAULTS, 0, 0);
	struct puppet p;

	puppet_start(&p, PUPPET_THREAD);
	ASSERT_EQ(0, pfm_load(fd, p.tid));
	puppet_stop(&p);
	/* A thread can be joined a little before it is quite gone. */
	for (n = 0; n < PATIENCE && !pfm_state_is(fd, "unloaded"); n++)
		sleep_ms(1);
	EXPECT_GT(PATIENCE, n);
	EXPECT_EQ(0, pfm_poll(fd, 50) & POLLIN);
	EXPECT_EQ(0, pfm_load(fd, my_tid()));
}

/* Self-monitoring child, shared descriptor: its exit is no news. */
TEST(no_end_for_a_self_monitoring_child)
{
	int fd = pfm_counter(0, PFM_SW_MINOR_FAULTS, 0, 0);
	pid_t pid = fork_child();

	if (!pid) {
		struct pages pages;

		pages_map(&pages, 10);
		if (pfm_load(fd, my_tid()) || pfm_start(fd))
			_exit(1);
		pages_touch(&pages, 10);
		_exit(0);
	}
	ASSERT_EQ(0, reap(pid));
	EXPECT_TRUE(pfm_state_is(fd, "unloaded"));
	EXPECT_EQ(0, pfm_poll(fd, 50) & POLLIN);
	EXPECT_LE(10ULL, pfm_value(fd, SW_PMD(0)));
	EXPECT_EQ(0, pfm_load(fd, my_tid()));
}

static void *read_one(void *arg)
{
	pfm_msg_t msg;

	*(volatile pid_t *)((int *)arg + 1) = my_tid();
	return (void *)(long)read(*(int *)arg, &msg, sizeof(msg));
}

/*
 * There is no message to wake up a reader in another process: the context is
 * hung up for him, until it is attached anew.
 */
TEST(hung_up_by_a_self_monitoring_child)
{
	int fd = pfm_counter(0, PFM_SW_MINOR_FAULTS, 0, 0), go[2];
	volatile int arg[2] = { fd, 0 };
	pfm_msg_t msg;
	pthread_t t;
	void *ret;
	pid_t pid;
	char c;

	MUST(pipe(go));
	pid = fork_child();
	if (!pid) {
		if (pfm_load(fd, my_tid()) || read(go[0], &c, 1) != 1)
			_exit(1);
		_exit(0);
	}
	while (!pfm_state_is(fd, "loaded"))
		sleep_ms(1);
	ASSERT_EQ(0, pthread_create(&t, NULL, read_one, (void *)arg));
	while (!arg[1])
		sleep_ms(1);
	EXPECT_TRUE(wait_state(arg[1], "S", PATIENCE));
	EXPECT_EQ(0, pfm_poll(fd, 0));
	MUST(write(go[1], "", 1));
	pthread_join(t, &ret);
	EXPECT_EQ(0, (long)ret);
	EXPECT_EQ(0, reap(pid));
	EXPECT_EQ(POLLHUP, pfm_poll(fd, PATIENCE));
	EXPECT_EQ(0, read(fd, &msg, sizeof(msg)));

	ASSERT_EQ(0, pfm_load(fd, my_tid()));
	EXPECT_EQ(0, pfm_poll(fd, 0));
	set_nonblock(fd);
	EXPECT_EQ(-1, read(fd, &msg, sizeof(msg)));
	EXPECT_EQ(EAGAIN, errno);
}

/*
 * Who has the descriptor when the thread ends, of those that could have: what
 * the kernel knows without looking, and what it has to look for.
 */
static void ends(struct __test_metadata *_metadata, bool shared, bool holds,
		 bool waits)
{
	int fd = pfm_counter(0, PFM_SW_MINOR_FAULTS, 0, 0), go[2], kept = -1;
	volatile int arg[2] = { fd, 0 };
	pid_t pid, other = 0;
	pthread_t t;
	void *ret;
	char c;

	MUST(pipe(go));
	if (shared) {
		other = fork_child();
		if (!other)
			pause();
	}
	pid = fork_child();
	if (!pid) {
		close(go[1]);
		/* Under another number it is the same. */
		if (holds)
			kept = (int)MUST(dup(fd));
		close(fd);
		MUST(read(go[0], &c, 1));
		MUST(read(go[0], &c, 1));
		_exit(kept < 0);
	}
	MUST(write(go[1], "", 1));
	EXPECT_TRUE(wait_state(pid, "S", PATIENCE));
	ASSERT_EQ(0, pfm_load(fd, pid));
	if (waits) {
		ASSERT_EQ(0, pthread_create(&t, NULL, read_one, (void *)arg));
		while (!arg[1])
			sleep_ms(1);
		EXPECT_TRUE(wait_state(arg[1], "S", PATIENCE));
	}
	MUST(write(go[1], "", 1));
	EXPECT_EQ(!holds, reap(pid));
	EXPECT_TRUE(pfm_state_is(fd, "unloaded"));
	if (waits) {
		pthread_join(t, &ret);
		EXPECT_EQ(holds ? 0 : (long)sizeof(pfm_msg_t), (long)ret);
	} else {
		EXPECT_EQ(holds ? POLLHUP : POLLIN,
			  pfm_poll(fd, PATIENCE));
	}
	if (other)
		kill_and_reap(other);
	close(fd);
}

TEST(who_has_the_descriptor)
{
	int i;

	for (i = 0; i < 8; i++)
		ends(_metadata, i & 1, i & 2, i & 4);
}

/* One that exec() closes is none: the new program's end is told. */
TEST(end_after_close_on_exec)
{
	int fd = (int)MUST(pfm_create(PFM_FL_CLOEXEC)), go[2];
	pid_t pid;

	MUST(pipe(go));
	pid = fork_child();
	if (!pid) {
		MUST(dup2(go[0], 0));
		close(go[1]);
		execl("/proc/self/exe", "inherit", "--read", NULL);
		_exit(95);
	}
	ASSERT_EQ(0, pfm_load(fd, pid));
	MUST(write(go[1], "", 1));
	EXPECT_EQ(0, reap(pid));
	EXPECT_EQ(PFM_MSG_END, pfm_next_msg(fd, NULL, PATIENCE));
}

/* It was sent to the monitored process, and the sender's closed. */
TEST(only_the_monitored_process_has_it)
{
	struct puppet p;
	int fd, sv[2];
	pid_t pid;

	MUST(socketpair(AF_UNIX, SOCK_STREAM, 0, sv));
	pid = fork_child();
	if (!pid) {
		close(sv[0]);
		fd = receive_fd(sv[1]);
		puppet_start(&p, PUPPET_THREAD);
		MUST(write(sv[1], &p.tid, sizeof(p.tid)));
		MUST(read(sv[1], &p.tid, sizeof(p.tid)));
		if (!pfm_state_is(fd, "loaded"))
			_exit(1);
		puppet_stop(&p);
		while (!pfm_state_is(fd, "unloaded"))
			sleep_ms(1);
		_exit(pfm_poll(fd, 0) == POLLHUP ? 0 : 2);
	}
	close(sv[1]);
	fd = pfm_counter(0, PFM_SW_MINOR_FAULTS, 0, 0);
	send_fd(sv[0], fd);
	MUST(read(sv[0], &p.tid, sizeof(p.tid)));
	ASSERT_EQ(0, pfm_load(fd, p.tid));
	close(fd);
	EXPECT_EQ(1ULL, sysfs_u64("thread_sessions"));
	MUST(write(sv[0], &p.tid, sizeof(p.tid)));
	EXPECT_EQ(0, reap(pid));
}

TEST(monitored_is_killed)
{
	struct puppet p;
	u64 faults;
	int fd;

	puppet_start(&p, PUPPET_PROCESS);
	fd = pfm_session(0, PFM_SW_MINOR_FAULTS, 0, 0, p.tid);
	puppet_do(&p, OP_FAULT, 33);
	kill(p.tid, SIGKILL);
	EXPECT_EQ(PFM_MSG_END, pfm_next_msg(fd, NULL, PATIENCE));
	EXPECT_TRUE(pfm_state_is(fd, "unloaded"));
	faults = pfm_value(fd, SW_PMD(0));
	EXPECT_LE(33ULL, faults);
	EXPECT_GT(43ULL, faults);
	EXPECT_EQ(-SIGKILL, reap(p.tid));
	EXPECT_EQ(-EBUSY, pfm_start(fd));
	EXPECT_EQ(-EBUSY, pfm_stop(fd));
	EXPECT_EQ(-EBUSY, pfm_unload(fd));
	EXPECT_EQ(-EBUSY, pfm_restart(fd));
	EXPECT_EQ(-ESRCH, pfm_load(fd, p.tid));
	EXPECT_EQ(0ULL, sysfs_u64("thread_sessions"));
}

/* kill -9 of the monitor: nothing of it stays on the monitored thread. */
static void monitor_dies(struct __test_metadata *_metadata, u32 flags,
			 int how)
{
	int ready[2], next;
	struct puppet p;
	pid_t monitor;
	char c;

	puppet_start(&p, PUPPET_PROCESS);
	MUST(pipe(ready));
	monitor = fork_child();
	if (!monitor) {
		pfm_session(flags, PFM_SW_MINOR_FAULTS, PFM_REGFL_OVFL_NOTIFY,
			    -5ULL, p.tid);
		MUST(write(ready[1], "", 1));
		if (how == 0)
			_exit(0);
		pause();
	}
	ASSERT_EQ(1, read(ready[0], &c, 1));
	if (how) {
		EXPECT_EQ(1ULL, sysfs_u64("thread_sessions"));
		puppet_do(&p, OP_FAULT, 2);
		kill(monitor, how);
	}
	EXPECT_EQ(-how, reap(monitor));
	EXPECT_EQ(0ULL, sysfs_u64("thread_sessions"));
	/* No overflow of a dead monitor masks or blocks anything. */
	puppet_do(&p, OP_FAULT, 10);
	next = pfm_counter(0, PFM_SW_MINOR_FAULTS, 0, 0);
	EXPECT_EQ(0, pfm_load(next, p.tid));
	EXPECT_EQ(0, pfm_start(next));
	puppet_do(&p, OP_FAULT, 3);
	EXPECT_EQ(3ULL, pfm_value(next, SW_PMD(0)));
	puppet_stop(&p);
}

TEST(monitor_is_killed)
{
	monitor_dies(_metadata, 0, SIGKILL);
}

TEST(monitor_of_a_blocking_context_is_killed)
{
	monitor_dies(_metadata, PFM_FL_NOTIFY_BLOCK, SIGKILL);
}

TEST(monitor_exits_without_closing)
{
	monitor_dies(_metadata, 0, 0);
}

TEST(monitor_of_a_cpu_is_killed)
{
	int ready[2], fd = (int)MUST(pfm_create(PFM_FL_SYSTEM_WIDE));
	pid_t monitor;
	char c;

	MUST(pipe(ready));
	pin_somewhere();
	monitor = fork_child();
	if (!monitor) {
		pfm_session(PFM_FL_SYSTEM_WIDE, PFM_SW_TASK_CLOCK, 0, 0,
			    my_tid());
		MUST(write(ready[1], "", 1));
		pause();
	}
	ASSERT_EQ(1, read(ready[0], &c, 1));
	EXPECT_EQ(-EBUSY, pfm_load(fd, my_tid()));
	kill_and_reap(monitor);
	EXPECT_EQ(0ULL, sysfs_u64("sys_sessions"));
	EXPECT_EQ(0, pfm_load(fd, my_tid()));
}

/* A system-wide context outlives the thread that loaded it; no END. */
TEST(system_wide_loader_exits)
{
	int fd = pfm_counter(PFM_FL_SYSTEM_WIDE, PFM_SW_CSWITCHES, 0, 0);
	pid_t pid;
	u64 a;

	pin_somewhere();
	pid = fork_child();
	if (!pid)
		_exit(pfm_load(fd, my_tid()) || pfm_start(fd));
	EXPECT_EQ(0, reap(pid));
	EXPECT_EQ(0, pfm_poll(fd, 20) & POLLIN);
	EXPECT_TRUE(pfm_state_is(fd, "loaded"));
	a = pfm_value(fd, SW_PMD(0));
	nap();
	EXPECT_LT(a, pfm_value(fd, SW_PMD(0)));
}

/* 4.3.1: any process that receives a descriptor has access. */
TEST(passed_over_a_socket)
{
	struct puppet p;
	int sv[2], fd;
	pid_t pid;
	u64 seen;

	puppet_start(&p, PUPPET_PROCESS);
	MUST(socketpair(AF_UNIX, SOCK_STREAM, 0, sv));
	pid = fork_child();
	if (!pid) {
		close(sv[0]);
		fd = receive_fd(sv[1]);
		/* It stops what the sender started and reads it. */
		if (pfm_stop(fd) || pfm_read_pmd(fd, SW_PMD(0), &seen))
			_exit(1);
		if (seen != 6)
			_exit(2);
		_exit(pfm_write_pmd(fd, SW_PMD(0), 1000) ? 3 : 0);
	}
	close(sv[1]);
	fd = pfm_session(0, PFM_SW_MINOR_FAULTS, 0, 0, p.tid);
	puppet_do(&p, OP_FAULT, 6);
	send_fd(sv[0], fd);
	EXPECT_EQ(0, reap(pid));
	/* The receiver's end closed its descriptor, ours is still good. */
	EXPECT_EQ(1000ULL, pfm_value(fd, SW_PMD(0)));
	EXPECT_TRUE(pfm_state_is(fd, "loaded"));
	EXPECT_EQ(0ULL, pfm_fdinfo_num(fd, "pfm-started"));
	puppet_stop(&p);
}

/* A descriptor in flight is a reference; when it dies so does the context. */
TEST(lost_in_a_socket)
{
	struct puppet p;
	int sv[2], fd, got;

	puppet_start(&p, PUPPET_PROCESS);
	MUST(socketpair(AF_UNIX, SOCK_STREAM, 0, sv));
	fd = pfm_session(0, PFM_SW_MINOR_FAULTS, 0, 0, p.tid);
	send_fd(sv[0], fd);
	close(fd);
	puppet_do(&p, OP_FAULT, 2);
	got = receive_fd(sv[1]);
	EXPECT_EQ(2ULL, pfm_value(got, SW_PMD(0)));
	EXPECT_TRUE(pfm_state_is(got, "loaded"));
	send_fd(sv[0], got);
	close(got);
	EXPECT_EQ(1ULL, sysfs_u64("thread_sessions"));
	close(sv[0]);
	close(sv[1]);
	EXPECT_EQ(0ULL, sysfs_u64("thread_sessions"));
	puppet_stop(&p);
}

/* A context attached to another process, shared: the last close counts. */
TEST(shared_by_two_controllers)
{
	struct puppet p;
	int fd, go[2];
	pid_t pid;
	char c;

	puppet_start(&p, PUPPET_PROCESS);
	MUST(pipe(go));
	fd = pfm_session(0, PFM_SW_MINOR_FAULTS, 0, 0, p.tid);
	pid = fork_child();
	if (!pid) {
		MUST(read(go[0], &c, 1));
		_exit(pfm_value(fd, SW_PMD(0)) == 8 ? 0 : 1);
	}
	close(fd);
	EXPECT_EQ(1ULL, sysfs_u64("thread_sessions"));
	puppet_do(&p, OP_FAULT, 8);
	MUST(write(go[1], "", 1));
	EXPECT_EQ(0, reap(pid));
	EXPECT_EQ(0ULL, sysfs_u64("thread_sessions"));
	puppet_stop(&p);
}

int main(int argc, char **argv)
{
	char c;

	if (argc == 2 && !strcmp(argv[1], "--read"))
		return read(0, &c, 1) == 1 ? 0 : 1;
	return test_harness_run(argc, argv);
}
