// SPDX-License-Identifier: GPL-2.0-only
/*
 * CPUs that go offline and come back: a system-wide context there is
 * unloaded and says so, a monitored thread moves on and loses no event.
 *
 * Not here: the first CPU, which cannot go. Needs root, two CPUs and
 * CONFIG_HOTPLUG_CPU.
 */
#include "puppet.h"

FIXTURE(hotplug) {
	char path[96];
	int cpu, home;
};

#define NEED_HOTPLUG()							\
do {									\
	if (!self->path[0])						\
		SKIP(return, "%s: needs root and a CPU to unplug",	\
		     _metadata->name);					\
} while (0)

FIXTURE_SETUP(hotplug)
{
	if (!can_unplug(self->path, sizeof(self->path), &self->home,
			&self->cpu))
		self->path[0] = '\0';
}

FIXTURE_TEARDOWN(hotplug)
{
	if (self->path[0])
		write_text(self->path, "1");
}

static void offline(FIXTURE_DATA(hotplug) *s)
{
	int ret = write_text(s->path, "0");

	if (ret)
		die("%s: %s", s->path, strerror(-ret));
}

static void online(FIXTURE_DATA(hotplug) *s)
{
	int ret = write_text(s->path, "1");

	if (ret)
		die("%s: %s", s->path, strerror(-ret));
}

/* A started context on the CPU that goes, seen from the one that stays. */
static int session_there(FIXTURE_DATA(hotplug) *s, int event, u32 flags,
			 u64 value)
{
	int fd;

	pin_cpu(s->cpu);
	fd = pfm_session(PFM_FL_SYSTEM_WIDE, event, flags, value, my_tid());
	nap();
	pin_cpu(s->home);
	return fd;
}

TEST_F(hotplug, system_wide_context_is_unloaded)
{
	pfm_msg_t msg;
	u64 seen;
	int fd;

	NEED_HOTPLUG();
	fd = session_there(self, PFM_SW_CSWITCHES, 0, 0);
	set_nonblock(fd);
	EXPECT_EQ(0, pfm_poll(fd, 0));
	EXPECT_EQ(1ULL, sysfs_u64("sys_sessions"));
	offline(self);
	EXPECT_TRUE(pfm_state_is(fd, "unloaded"));
	EXPECT_EQ(0ULL, sysfs_u64("sys_sessions"));
	EXPECT_TRUE(pfm_poll(fd, 0) & POLLHUP);
	EXPECT_EQ(0, read(fd, &msg, sizeof(msg)));
	/* What it counted until then is there, from any CPU. */
	seen = pfm_value(fd, SW_PMD(0));
	EXPECT_LT(1ULL, seen);
	EXPECT_EQ(seen, pfm_value(fd, SW_PMD(0)));
	EXPECT_EQ(-EBUSY, pfm_start(fd));
	EXPECT_EQ(-EBUSY, pfm_unload(fd));
	online(self);
	EXPECT_TRUE(pfm_poll(fd, 0) & POLLHUP);
	/* Until it is loaded again. */
	pin_cpu(self->cpu);
	ASSERT_EQ(0, pfm_load(fd, my_tid()));
	EXPECT_EQ(0, pfm_poll(fd, 0) & POLLHUP);
	EXPECT_EQ(-1, read(fd, &msg, sizeof(msg)));
	EXPECT_EQ(EAGAIN, errno);
	ASSERT_EQ(0, pfm_start(fd));
	nap();
	EXPECT_LT(seen, pfm_value(fd, SW_PMD(0)));
}

/* Threads that wait in poll() or read() are woken. */
TEST_F(hotplug, waiters_are_woken)
{
	pfm_msg_t msg;
	pid_t pid[2];
	int fd;

	NEED_HOTPLUG();
	fd = session_there(self, PFM_SW_CSWITCHES, 0, 0);
	pid[0] = fork_child();
	if (!pid[0])
		_exit(pfm_poll(fd, PATIENCE) & POLLHUP ? 0 : 1);
	pid[1] = fork_child();
	if (!pid[1])
		_exit(read(fd, &msg, sizeof(msg)) == 0 ? 0 : 1);
	wait_state(pid[0], "S", PATIENCE);
	wait_state(pid[1], "S", PATIENCE);
	sleep_ms(20);
	offline(self);
	EXPECT_EQ(0, reap(pid[0]));
	EXPECT_EQ(0, reap(pid[1]));
}

/* Messages that are queued can still be read; then comes the end. */
TEST_F(hotplug, masked_with_a_message)
{
	pfm_msg_t msg;
	int fd;

	NEED_HOTPLUG();
	fd = session_there(self, PFM_SW_CSWITCHES, PFM_REGFL_OVFL_NOTIFY,
			   ~0ULL);
	set_nonblock(fd);
	ASSERT_TRUE(pfm_state_is(fd, "masked"));
	offline(self);
	EXPECT_TRUE(pfm_state_is(fd, "unloaded"));
	EXPECT_TRUE(pfm_poll(fd, 0) & POLLIN);
	EXPECT_EQ((ssize_t)sizeof(msg), read(fd, &msg, sizeof(msg)));
	EXPECT_EQ(PFM_MSG_OVFL, msg.msg_type);
	EXPECT_EQ(0, read(fd, &msg, sizeof(msg)));
}

/* With the task clock's timer armed, again and again. */
TEST_F(hotplug, with_a_timer)
{
	int i, fd, n = is_slow() ? 3 : 8;

	NEED_HOTPLUG();
	for (i = 0; i < n; i++) {
		fd = session_there(self, PFM_SW_TASK_CLOCK,
				   PFM_REGFL_OVFL_NOTIFY,
				   -((u64)i * 300000 + 100000));
		offline(self);
		EXPECT_TRUE(pfm_state_is(fd, "unloaded"));
		close(fd);
		online(self);
	}
}

static volatile bool enough;

/* All commands, from threads that run anywhere, on one context. */
static void *hammer(void *arg)
{
	int fd = *(int *)arg;
	u64 value;

	while (!enough) {
		pfm_load(fd, my_tid());
		pfm_start(fd);
		pfm_write_pmc(fd, SW_PMC(0), PFM_SW_TASK_CLOCK, 0);
		pfm_read_pmd(fd, SW_PMD(0), &value);
		pfm_unload(fd);
	}
	return NULL;
}

/* A thread in a command, running or waiting, does not keep a CPU from going. */
TEST_F(hotplug, commands_meanwhile)
{
	int i, fd[2], n = is_slow() ? 3 : 10;
	pthread_t thread[6];

	NEED_HOTPLUG();
	fd[0] = (int)MUST(pfm_create(PFM_FL_SYSTEM_WIDE));
	fd[1] = (int)MUST(pfm_create(PFM_FL_SYSTEM_WIDE));
	enough = false;
	for (i = 0; i < 6; i++)
		ASSERT_EQ(0, pthread_create(&thread[i], NULL, hammer,
					    &fd[i % 2]));
	for (i = 0; i < n; i++) {
		sleep_ms(20);
		offline(self);
		sleep_ms(5);
		online(self);
	}
	enough = true;
	for (i = 0; i < 6; i++)
		ASSERT_EQ(0, pthread_join(thread[i], NULL));
	close(fd[0]);
	close(fd[1]);
	EXPECT_EQ(0ULL, sysfs_u64("sys_sessions"));
}

/* close() of a context whose CPU is gone. */
TEST_F(hotplug, closed_while_offline)
{
	int fd, next;

	NEED_HOTPLUG();
	fd = session_there(self, PFM_SW_TASK_CLOCK, 0, 0);
	offline(self);
	close(fd);
	EXPECT_EQ(0ULL, sysfs_u64("sys_sessions"));
	online(self);
	next = session_there(self, PFM_SW_TASK_CLOCK, 0, 0);
	EXPECT_TRUE(pfm_state_is(next, "loaded"));
}

/* Other CPUs' contexts do not notice. */
TEST_F(hotplug, the_others_go_on)
{
	int there, here;
	u64 seen;

	NEED_HOTPLUG();
	there = session_there(self, PFM_SW_CSWITCHES, 0, 0);
	here = pfm_session(PFM_FL_SYSTEM_WIDE, PFM_SW_CSWITCHES, 0, 0,
			   my_tid());
	offline(self);
	EXPECT_TRUE(pfm_state_is(there, "unloaded"));
	EXPECT_TRUE(pfm_state_is(here, "loaded"));
	seen = pfm_value(here, SW_PMD(0));
	nap();
	EXPECT_LT(seen, pfm_value(here, SW_PMD(0)));
}

/* A monitored thread that has to leave its CPU keeps counting exactly. */
TEST_F(hotplug, monitored_thread_moves)
{
	u64 faults, switches;
	struct puppet p;
	int i, fd;

	NEED_HOTPLUG();
	puppet_start(&p, PUPPET_PROCESS);
	puppet_settle(&p);
	fd = pfm_counter(0, PFM_SW_MINOR_FAULTS, 0, 0);
	MUST(pfm_write_pmc(fd, SW_PMC(1), PFM_SW_CSWITCHES, 0));
	MUST(pfm_load(fd, p.tid));
	MUST(pfm_start(fd));
	faults = thread_minor_faults(p.tid);
	switches = thread_switches(p.tid);
	for (i = 0; i < 3; i++) {
		puppet_do(&p, OP_PIN, (unsigned int)self->cpu);
		puppet_post(&p, OP_FAULT, 1000);
		offline(self);
		if (!puppet_done(&p, PATIENCE))
			die("the puppet is lost");
		puppet_do(&p, OP_SLEEP, 5);
		online(self);
		puppet_do(&p, OP_FAULT, 10);
	}
	puppet_settle(&p);
	EXPECT_LE(3030ULL, pfm_value(fd, SW_PMD(0)));
	EXPECT_EQ(thread_minor_faults(p.tid) - faults,
		  pfm_value(fd, SW_PMD(0)));
	EXPECT_EQ(thread_switches(p.tid) - switches,
		  pfm_value(fd, SW_PMD(1)));
	puppet_stop(&p);
}

TEST_HARNESS_MAIN
