// SPDX-License-Identifier: GPL-2.0-only
/*
 * LOAD_CONTEXT: which threads and CPUs a context can be attached to, by whom,
 * in what condition of the thread, and what is refused.
 *
 * Not here: the states of the context (state.c); fork, exec and close after
 * the attachment (figures.c, inherit.c, exec.c); the end of the thread while
 * commands run (race.c).
 */
#include "puppet.h"
#include <sys/ptrace.h>

#define NOBODY 65534

/* Loads, counts @n faults of the puppet exactly, unloads. */
static void expect_counts(struct __test_metadata *_metadata, int fd,
			  struct puppet *p, unsigned int n)
{
	u64 before = pfm_value(fd, SW_PMD(0));

	puppet_do(p, OP_FAULT, n);
	EXPECT_EQ(before + n, pfm_value(fd, SW_PMD(0)));
}

TEST(self)
{
	int fd = pfm_counter(0, PFM_SW_MINOR_FAULTS, 0, 0);
	struct pages pages;

	pages_map(&pages, 10);
	ASSERT_EQ(0, pfm_load(fd, my_tid()));
	EXPECT_EQ(0ULL, pfm_value(fd, SW_PMD(0)));
	ASSERT_EQ(0, pfm_start(fd));
	pages_touch(&pages, 10);
	EXPECT_LE(10ULL, pfm_value(fd, SW_PMD(0)));
	EXPECT_EQ(0, pfm_unload(fd));
}

TEST(another_process)
{
	int fd = pfm_counter(0, PFM_SW_MINOR_FAULTS, 0, 0);
	struct puppet p;

	puppet_start(&p, PUPPET_PROCESS);
	ASSERT_EQ(0, pfm_load(fd, p.tid));
	ASSERT_EQ(0, pfm_start(fd));
	expect_counts(_metadata, fd, &p, 17);
	ASSERT_EQ(0, pfm_stop(fd));
	expect_counts(_metadata, fd, &p, 0);
	puppet_do(&p, OP_FAULT, 5);
	EXPECT_EQ(17ULL, pfm_value(fd, SW_PMD(0)));
	puppet_stop(&p);
}

TEST(another_thread)
{
	int fd = pfm_counter(0, PFM_SW_MINOR_FAULTS, 0, 0);
	struct puppet p;
	struct pages pages;

	pages_map(&pages, 5);
	puppet_start(&p, PUPPET_THREAD);
	ASSERT_NE(getpid(), p.tid);
	ASSERT_EQ(0, pfm_load(fd, p.tid));
	ASSERT_EQ(0, pfm_start(fd));
	expect_counts(_metadata, fd, &p, 9);
	/* Not those of its neighbour. */
	pages_touch(&pages, 5);
	EXPECT_EQ(9ULL, pfm_value(fd, SW_PMD(0)));
	puppet_stop(&p);
}

/* A thread that never sleeps, on another CPU if there is one. */
TEST(running)
{
	int fd = pfm_counter(0, PFM_SW_TASK_CLOCK, 0, 0);
	pid_t pid = fork_child();
	int tries;
	u64 a, b;

	if (!pid)
		for (;;)
			;
	ASSERT_EQ(0, pfm_load(fd, pid));
	ASSERT_EQ(0, pfm_start(fd));
	a = pfm_value(fd, SW_PMD(0));
	for (tries = 0; tries < 1000; tries++) {
		sleep_ms(50);
		b = pfm_value(fd, SW_PMD(0));
		if (b > a + 5 * NSEC_PER_MSEC)
			break;
	}
	EXPECT_GT(1000, tries);
	EXPECT_EQ(0, pfm_unload(fd));
	a = pfm_value(fd, SW_PMD(0));
	sleep_ms(20);
	EXPECT_EQ(a, pfm_value(fd, SW_PMD(0)));
	kill_and_reap(pid);
}

TEST(stopped_by_a_signal)
{
	int fd = pfm_counter(0, PFM_SW_MINOR_FAULTS, 0, 0);
	struct puppet p;

	puppet_start(&p, PUPPET_PROCESS);
	kill(p.tid, SIGSTOP);
	ASSERT_TRUE(wait_state(p.tid, "T", PATIENCE));
	ASSERT_EQ(0, pfm_load(fd, p.tid));
	ASSERT_EQ(0, pfm_start(fd));
	EXPECT_EQ('T', thread_state(p.tid));
	EXPECT_EQ(0ULL, pfm_value(fd, SW_PMD(0)));
	kill(p.tid, SIGCONT);
	expect_counts(_metadata, fd, &p, 8);
	puppet_stop(&p);
}

TEST(traced_and_stopped)
{
	int fd = pfm_counter(0, PFM_SW_MINOR_FAULTS, 0, 0), status;
	struct puppet p;

	puppet_start(&p, PUPPET_PROCESS);
	ASSERT_EQ(0, ptrace(PTRACE_ATTACH, p.tid, NULL, NULL));
	ASSERT_EQ(p.tid, waitpid(p.tid, &status, 0));
	ASSERT_TRUE(WIFSTOPPED(status));
	ASSERT_EQ(0, pfm_load(fd, p.tid));
	ASSERT_EQ(0, pfm_start(fd));
	ASSERT_EQ(0, ptrace(PTRACE_CONT, p.tid, NULL, NULL));
	/* Traced and running: commands and counts work all the same. */
	expect_counts(_metadata, fd, &p, 8);
	EXPECT_EQ(0, pfm_stop(fd));
	EXPECT_EQ(0, pfm_unload(fd));
	kill_and_reap(p.tid);
}

TEST(no_such_thread)
{
	static const pid_t bad[] = { 0, -1, INT_MIN, INT_MAX, 0x3fffffff };
	int fd = (int)MUST(pfm_create(0));
	pid_t pid = fork_child();
	size_t i;

	if (!pid)
		_exit(0);
	reap(pid);
	EXPECT_EQ(-ESRCH, pfm_load(fd, pid));
	EXPECT_EQ(-ESRCH, pfm_load(fd, -my_tid()));
	for (i = 0; i < ARRAY_SIZE(bad); i++)
		EXPECT_EQ(-ESRCH, pfm_load(fd, bad[i])) {
			TH_LOG("load_pid %d", bad[i]);
		}
	EXPECT_TRUE(pfm_state_is(fd, "unloaded"));
	EXPECT_EQ(0ULL, sysfs_u64("thread_sessions"));
	EXPECT_EQ(0, pfm_load(fd, my_tid()));
}

TEST(zombie)
{
	int fd = (int)MUST(pfm_create(0));
	pid_t pid = fork_child();

	if (!pid)
		_exit(0);
	ASSERT_TRUE(wait_state(pid, "Z", PATIENCE));
	EXPECT_EQ(-ESRCH, pfm_load(fd, pid));
	EXPECT_TRUE(pfm_state_is(fd, "unloaded"));
	reap(pid);
}

static void *sleep_long(void *arg)
{
	sleep_ms(60000);
	return arg;
}

/* The first thread of a process is gone, another one lives on. */
TEST(dead_leader)
{
	int fd = (int)MUST(pfm_create(0));
	pid_t pid = fork_child();

	if (!pid) {
		pthread_t t;

		pthread_create(&t, NULL, sleep_long, NULL);
		syscall(SYS_exit, 0);
	}
	ASSERT_TRUE(wait_state(pid, "Z", PATIENCE));
	EXPECT_EQ(-ESRCH, pfm_load(fd, pid));
	kill_and_reap(pid);
}

TEST(kernel_thread)
{
	int fd = (int)MUST(pfm_create(0));
	char comm[32];

	if (read_text("/proc/2/comm", comm, sizeof(comm)) < 0 ||
	    strcmp(comm, "kthreadd"))
		SKIP(return, "kernel_thread: thread 2 is not kthreadd");
	EXPECT_EQ(-EPERM, pfm_load(fd, 2));
	EXPECT_TRUE(pfm_state_is(fd, "unloaded"));
}

/* Runs as the ordinary user: init belongs to root. */
TEST(a_thread_of_root)
{
	int fd;

	if (is_root())
		SKIP(return, "a_thread_of_root: needs an ordinary user");
	fd = (int)MUST(pfm_create(0));
	EXPECT_EQ(-EPERM, pfm_load(fd, 1));
	EXPECT_TRUE(pfm_state_is(fd, "unloaded"));
	EXPECT_EQ(0, pfm_load(fd, my_tid()));
}

TEST(another_users_thread)
{
	struct puppet p;
	pid_t pid;

	NEED_ROOT();
	puppet_start(&p, PUPPET_PROCESS);
	pid = fork_child();
	if (!pid) {
		int fd = (int)MUST(pfm_create(0));

		if (setresuid(NOBODY, NOBODY, NOBODY))
			_exit(97);
		_exit(-pfm_load(fd, p.tid));
	}
	EXPECT_EQ(EPERM, reap(pid));
	/* And the victim did not get marked as attached. */
	EXPECT_EQ(0, pfm_load((int)MUST(pfm_create(0)), p.tid));
	puppet_stop(&p);
}

/* One's own process, if it has protected itself. */
TEST(a_thread_that_may_not_be_traced)
{
	int fd = (int)MUST(pfm_create(0)), ready[2];
	pid_t pid;
	char c;

	MUST(pipe(ready));
	pid = fork_child();
	if (!pid) {
		prctl(PR_SET_DUMPABLE, 0);
		MUST(write(ready[1], "", 1));
		pause();
	}
	MUST(read(ready[0], &c, 1));
	EXPECT_EQ(is_root() ? 0 : -EPERM, pfm_load(fd, pid));
	EXPECT_TRUE(pfm_state_is(fd, is_root() ? "loaded" : "unloaded"));
	kill_and_reap(pid);
}

TEST(one_context_a_thread)
{
	int a = (int)MUST(pfm_create(0)), b = (int)MUST(pfm_create(0));
	struct puppet p;

	puppet_start(&p, PUPPET_PROCESS);
	ASSERT_EQ(0, pfm_load(a, p.tid));
	EXPECT_EQ(-EBUSY, pfm_load(b, p.tid));
	EXPECT_TRUE(pfm_state_is(b, "unloaded"));
	/* The loser is not spoiled, nor is the thread. */
	EXPECT_EQ(0, pfm_load(b, my_tid()));
	EXPECT_EQ(0, pfm_unload(b));
	EXPECT_EQ(0, pfm_unload(a));
	EXPECT_EQ(0, pfm_load(b, p.tid));
	EXPECT_EQ(-EBUSY, pfm_load(a, p.tid));
	puppet_stop(&p);
}

TEST(many_threads_at_once)
{
	struct puppet p[8];
	int fd[8], i;

	/* Threads last: a fork() would have them fault on what they have. */
	for (i = 0; i < 8; i++)
		puppet_start(&p[i], i < 4 ? PUPPET_PROCESS : PUPPET_THREAD);
	for (i = 0; i < 8; i++)
		fd[i] = pfm_session(0, PFM_SW_MINOR_FAULTS, 0, 0, p[i].tid);
	for (i = 0; i < 8; i++)
		puppet_do(&p[i], OP_FAULT, 10U + (unsigned int)i);
	for (i = 0; i < 8; i++)
		EXPECT_EQ(10ULL + (u64)i, pfm_value(fd[i], SW_PMD(0)));
	for (i = 0; i < 8; i++)
		puppet_stop(&p[i]);
}

TEST(blocking_oneself)
{
	int fd = (int)MUST(pfm_create(PFM_FL_NOTIFY_BLOCK));
	int plain = (int)MUST(pfm_create(0));
	struct puppet p;

	EXPECT_EQ(-EINVAL, pfm_load(fd, my_tid()));
	EXPECT_TRUE(pfm_state_is(fd, "unloaded"));
	/* The failure left nothing behind on this thread. */
	EXPECT_EQ(0, pfm_load(plain, my_tid()));
	puppet_start(&p, PUPPET_THREAD);
	EXPECT_EQ(0, pfm_load(fd, p.tid));
	puppet_stop(&p);
}

TEST(system_wide_is_self)
{
	int fd = (int)MUST(pfm_create(PFM_FL_SYSTEM_WIDE));
	struct puppet p, t;

	pin_somewhere();
	puppet_start(&p, PUPPET_PROCESS);
	puppet_start(&t, PUPPET_THREAD);
	EXPECT_EQ(-EINVAL, pfm_load(fd, 0));
	EXPECT_EQ(-EINVAL, pfm_load(fd, -1));
	EXPECT_EQ(-EINVAL, pfm_load(fd, p.tid));
	EXPECT_EQ(-EINVAL, pfm_load(fd, t.tid));
	EXPECT_EQ(-EINVAL, pfm_load(fd, getppid()));
	EXPECT_EQ(0ULL, sysfs_u64("sys_sessions"));
	EXPECT_EQ(0, pfm_load(fd, my_tid()));
	close(fd);
	puppet_stop(&p);
	puppet_stop(&t);
}

/* Where threads may run is for programs to say: a context changes nothing of it. */
TEST(affinity_is_left_alone)
{
	int cpus[2], fd = (int)MUST(pfm_create(PFM_FL_SYSTEM_WIDE));
	cpu_set_t before, after;
	struct puppet p;

	NEED_CPUS(cpus, 2);
	MUST(sched_getaffinity(0, sizeof(before), &before));
	ASSERT_EQ(0, pfm_load(fd, my_tid()));
	MUST(sched_getaffinity(0, sizeof(after), &after));
	EXPECT_TRUE(CPU_EQUAL(&before, &after));
	close(fd);
	MUST(sched_getaffinity(0, sizeof(after), &after));
	EXPECT_TRUE(CPU_EQUAL(&before, &after));

	puppet_start(&p, PUPPET_PROCESS);
	fd = pfm_session(0, PFM_SW_MINOR_FAULTS, 0, 0, p.tid);
	puppet_do(&p, OP_FAULT, 10);
	MUST(sched_getaffinity(p.tid, sizeof(after), &after));
	EXPECT_TRUE(CPU_EQUAL(&before, &after));
	MUST(pfm_unload(fd));
	MUST(sched_getaffinity(p.tid, sizeof(after), &after));
	EXPECT_TRUE(CPU_EQUAL(&before, &after));
	puppet_stop(&p);
}

TEST(one_system_wide_context_a_cpu)
{
	int a = (int)MUST(pfm_create(PFM_FL_SYSTEM_WIDE));
	int b = (int)MUST(pfm_create(PFM_FL_SYSTEM_WIDE));
	int c = (int)MUST(pfm_create(PFM_FL_SYSTEM_WIDE));
	int cpus[2];

	NEED_CPUS(cpus, 2);
	pin_cpu(cpus[0]);
	ASSERT_EQ(0, pfm_load(a, my_tid()));
	EXPECT_EQ(-EBUSY, pfm_load(b, my_tid()));
	pin_cpu(cpus[1]);
	EXPECT_EQ(0, pfm_load(b, my_tid()));
	EXPECT_EQ(-EBUSY, pfm_load(c, my_tid()));
	EXPECT_EQ(2ULL, sysfs_u64("sys_sessions"));
	EXPECT_EQ(0, pfm_unload(b));
	EXPECT_EQ(0, pfm_load(c, my_tid()));
	EXPECT_EQ(2ULL, sysfs_u64("sys_sessions"));
}

/* load_pid is a number of the caller's own pid namespace. */
TEST(pid_namespace)
{
	int fd = pfm_counter(0, PFM_SW_MINOR_FAULTS, 0, 0);
	pid_t pid;

	NEED_ROOT();
	pid = fork_child();
	if (!pid) {
		pid_t inner;

		if (unshare(CLONE_NEWPID))
			_exit(96);
		inner = fork();
		if (!inner) {
			struct pages pages;

			pages_map(&pages, 4);
			if (getpid() != 1)
				_exit(1);
			if (pfm_load(fd, getppid()) != -ESRCH ||
			    pfm_load(fd, 2) != -ESRCH)
				_exit(2);
			if (pfm_load(fd, 1) || pfm_start(fd))
				_exit(3);
			pages_touch(&pages, 4);
			_exit(pfm_value(fd, SW_PMD(0)) >= 4 ? 0 : 4);
		}
		_exit(reap(inner));
	}
	switch (reap(pid)) {
	case 0:
		break;
	case 96:
		SKIP(return, "pid_namespace: the kernel has none");
	default:
		EXPECT_TRUE(false) {
			TH_LOG("the inner process failed");
		}
	}
}

TEST_HARNESS_MAIN
