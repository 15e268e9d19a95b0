// SPDX-License-Identifier: GPL-2.0-only
/*
 * The figures 3.2 to 3.11 and 3.15 of the specification, each a test of its
 * own: who controls a context, what is attached to what, and what fork(),
 * unload and close() change. P1 and P2 are the processes of the figures.
 *
 * Not here: variations of them (inherit.c, exec.c, load.c).
 */
#include "puppet.h"

/* A process that runs @fn(@arg) when told to and exits with its result. */
struct process {
	pid_t pid;
	int go[2];
};

static void process_start(struct process *p, int (*fn)(int), int arg)
{
	char c;

	MUST(pipe(p->go));
	p->pid = fork_child();
	if (!p->pid) {
		close(p->go[1]);
		if (read(p->go[0], &c, 1) != 1)
			_exit(96);
		_exit(fn(arg));
	}
	close(p->go[0]);
}

static int process_run(struct process *p)
{
	MUST(write(p->go[1], "", 1));
	close(p->go[1]);
	return reap(p->pid);
}

static int use_context(int fd)
{
	if (pfm_value(fd, SW_PMD(0)) != 111)
		return 1;
	if (pfm_write_pmd(fd, SW_PMD(1), 222))
		return 2;
	return pfm_write_pmc(fd, SW_PMC(1), PFM_SW_MINOR_FAULTS, 0) ? 3 : 0;
}

/* Controlling threads and fork(): both descriptors lead to one context. */
TEST(figure_3_2)
{
	int fd = (int)MUST(pfm_create(0));
	struct process p2;

	process_start(&p2, use_context, fd);
	MUST(pfm_write_pmd(fd, SW_PMD(0), 111));
	EXPECT_EQ(0, process_run(&p2));
	EXPECT_EQ(222ULL, pfm_value(fd, SW_PMD(1)));
}

/* 64-bit emulation: the carry out of bit 31, and of every other bit. */
TEST(figure_3_3)
{
	struct pages pages;
	int bit, fd;

	pages_map(&pages, 64 * 3);
	for (bit = 8; bit < 64; bit++) {
		u64 start = (1ULL << bit) - 2, seen;

		fd = pfm_session(0, PFM_SW_MINOR_FAULTS, 0, start, my_tid());
		pages_touch(&pages, 3);
		MUST(pfm_stop(fd));
		seen = pfm_value(fd, SW_PMD(0));
		EXPECT_LE(start + 3, seen);
		EXPECT_GT(start + 20, seen);
		close(fd);
	}
}

/* Randomisation: base 0x100000, mask 0xff. */
TEST(figure_3_4)
{
	pfarg_pmd_t pmd = {
		.reg_num = SW_PMD(0), .reg_value = ~0ULL,
		.reg_long_reset = 0x100000, .reg_random_mask = 0xff,
		.reg_random_seed = 1,
	};
	int fd = (int)MUST(pfm_create(0));
	struct pages pages;

	pages_map(&pages, 1);
	MUST(pfm_write_pmc(fd, SW_PMC(0), PFM_SW_MINOR_FAULTS,
			   PFM_REGFL_OVFL_NOTIFY | PFM_REGFL_RANDOM));
	MUST(pfm(fd, PFM_WRITE_PMDS, &pmd, 1));
	MUST(pfm_load(fd, my_tid()));
	MUST(pfm_start(fd));
	pages_touch(&pages, 1);
	ASSERT_EQ(PFM_MSG_OVFL, pfm_next_msg(fd, NULL, PATIENCE));
	MUST(pfm_restart(fd));
	MUST(pfm_stop(fd));
	MUST(pfm(fd, PFM_READ_PMDS, &pmd, 1));
	/* From seed 1 the first value is 16807. */
	EXPECT_EQ(0x100000ULL + (16807 & 0xff), pmd.reg_last_reset_val);
	EXPECT_LE(pmd.reg_last_reset_val, pmd.reg_value);
	EXPECT_GT(pmd.reg_last_reset_val + 20, pmd.reg_value);
}

/* LOAD_CONTEXT: P1 controls, the thread of P2 is monitored. */
TEST(figure_3_5)
{
	int fd = pfm_counter(0, PFM_SW_MINOR_FAULTS, 0, 0);
	char value[64], want[64];
	struct puppet p2;
	struct pages pages;

	pages_map(&pages, 50);
	puppet_start(&p2, PUPPET_PROCESS);
	ASSERT_EQ(0, pfm_load(fd, p2.tid));
	pfm_fdinfo(fd, "pfm-target", value, sizeof(value));
	snprintf(want, sizeof(want), "tid %d", p2.tid);
	EXPECT_STREQ(want, value);
	/* Loaded is not started. */
	puppet_do(&p2, OP_FAULT, 3);
	EXPECT_EQ(0ULL, pfm_value(fd, SW_PMD(0)));
	ASSERT_EQ(0, pfm_start(fd));
	pages_touch(&pages, 50);
	puppet_do(&p2, OP_FAULT, 3);
	EXPECT_EQ(3ULL, pfm_value(fd, SW_PMD(0)));
	puppet_stop(&p2);
}

/* LOAD_CONTEXT of a system-wide context binds to the CPU of the caller. */
TEST(figure_3_6)
{
	int fd = pfm_counter(PFM_FL_SYSTEM_WIDE, PFM_SW_MINOR_FAULTS, 0, 0);
	char value[64], want[64];
	struct puppet here, there;
	int cpus[2], tries;
	u64 before;

	NEED_CPUS(cpus, 2);
	puppet_start(&here, PUPPET_PROCESS);
	puppet_start(&there, PUPPET_PROCESS);
	puppet_do(&here, OP_PIN, (unsigned int)cpus[1]);
	puppet_do(&there, OP_PIN, (unsigned int)cpus[0]);
	pin_cpu(cpus[1]);
	ASSERT_EQ(0, pfm_load(fd, my_tid()));
	pfm_fdinfo(fd, "pfm-target", value, sizeof(value));
	snprintf(want, sizeof(want), "cpu %d", cpus[1]);
	EXPECT_STREQ(want, value);
	ASSERT_EQ(0, pfm_start(fd));
	/* It counts every thread that runs on that CPU, and only there. */
	before = pfm_value(fd, SW_PMD(0));
	puppet_do(&here, OP_FAULT, 1000);
	EXPECT_LE(before + 1000, pfm_value(fd, SW_PMD(0)));
	for (tries = 0; tries < 20; tries++) {
		before = pfm_value(fd, SW_PMD(0));
		puppet_do(&there, OP_FAULT, 1000);
		if (pfm_value(fd, SW_PMD(0)) < before + 900)
			break;
	}
	EXPECT_GT(20, tries);
	puppet_stop(&here);
	puppet_stop(&there);
}

/* The monitored process forks: the child is not monitored. */
TEST(figure_3_7)
{
	int fd = pfm_session(0, PFM_SW_MINOR_FAULTS, 0, 0, my_tid());
	u64 parent, before;
	struct pages pages;
	pid_t pid;

	pages_map(&pages, 2000);
	before = pfm_value(fd, SW_PMD(0));
	parent = my_minor_faults();
	pid = fork_child();
	if (!pid) {
		int own;

		pages_touch(&pages, 1000);
		/* It has no context, so it can get one. */
		own = pfm_counter(0, PFM_SW_MINOR_FAULTS, 0, 0);
		if (pfm_load(own, my_tid()) || pfm_start(own))
			_exit(1);
		pages_touch(&pages, 7);
		_exit(pfm_value(own, SW_PMD(0)) >= 7 ? 0 : 2);
	}
	EXPECT_EQ(0, reap(pid));
	/* The parent still is, with its own faults and nothing else. */
	EXPECT_GE(my_minor_faults() - parent + 20,
		  pfm_value(fd, SW_PMD(0)) - before);
	EXPECT_GT(before + 1000, pfm_value(fd, SW_PMD(0)));
	EXPECT_TRUE(pfm_state_is(fd, "loaded"));
	before = pfm_value(fd, SW_PMD(0));
	pages_touch(&pages, 5);
	EXPECT_LE(before + 5, pfm_value(fd, SW_PMD(0)));
}

/* UNLOAD_CONTEXT: detached and stopped, the values are kept. */
TEST(figure_3_8)
{
	int fd = pfm_counter(0, PFM_SW_MINOR_FAULTS, 0, 0), next;
	struct puppet p2;

	puppet_start(&p2, PUPPET_PROCESS);
	MUST(pfm_load(fd, p2.tid));
	MUST(pfm_start(fd));
	puppet_do(&p2, OP_FAULT, 12);
	ASSERT_EQ(0, pfm_unload(fd));
	EXPECT_EQ(12ULL, pfm_value(fd, SW_PMD(0)));
	puppet_do(&p2, OP_FAULT, 12);
	EXPECT_EQ(12ULL, pfm_value(fd, SW_PMD(0)));
	EXPECT_EQ(-EBUSY, pfm_start(fd));
	/* P2 is free for another context, ours for another thread. */
	next = pfm_session(0, PFM_SW_MINOR_FAULTS, 0, 0, p2.tid);
	EXPECT_EQ(0, pfm_load(fd, my_tid()));
	EXPECT_EQ(0ULL, pfm_fdinfo_num(fd, "pfm-started"));
	EXPECT_EQ(0, pfm_unload(fd));
	EXPECT_EQ(0, pfm_unload(next));
	/* A CPU, too, is free after it. */
	pin_somewhere();
	fd = (int)MUST(pfm_create(PFM_FL_SYSTEM_WIDE));
	next = (int)MUST(pfm_create(PFM_FL_SYSTEM_WIDE));
	ASSERT_EQ(0, pfm_load(fd, my_tid()));
	ASSERT_EQ(-EBUSY, pfm_load(next, my_tid()));
	ASSERT_EQ(0, pfm_unload(fd));
	EXPECT_EQ(0, pfm_load(next, my_tid()));
	puppet_stop(&p2);
}

static int use_after_close(int fd)
{
	if (pfm_value(fd, SW_PMD(0)) != 333)
		return 1;
	if (pfm_load(fd, my_tid()) || pfm_start(fd) || pfm_unload(fd))
		return 2;
	return 0;
}

/* close() of a shared, detached context: the other process keeps it. */
TEST(figure_3_9)
{
	int fd = (int)MUST(pfm_create(0));
	struct process p2;

	MUST(pfm_write_pmd(fd, SW_PMD(0), 333));
	process_start(&p2, use_after_close, fd);
	close(fd);
	EXPECT_EQ(0, process_run(&p2));
}

/* A self-monitoring P2 closes the descriptor that P1 has, too. */
TEST(figure_3_10)
{
	int fd = pfm_counter(0, PFM_SW_MINOR_FAULTS, 0, 0);
	int closed[2];
	pid_t p2;
	char c;

	MUST(pipe(closed));
	p2 = fork_child();
	if (!p2) {
		struct pages pages;
		int other;

		pages_map(&pages, 20);
		if (pfm_load(fd, my_tid()) || pfm_start(fd))
			_exit(1);
		pages_touch(&pages, 10);
		close(fd);
		pages_touch(&pages, 10);
		/* Unloaded: this thread can get another context. */
		other = (int)MUST(pfm_create(0));
		MUST(write(closed[1], "", 1));
		if (pfm_load(other, my_tid()))
			_exit(2);
		pause();
	}
	ASSERT_EQ(1, read(closed[0], &c, 1));
	EXPECT_TRUE(pfm_state_is(fd, "unloaded"));
	EXPECT_EQ('X' != thread_state(p2), true);
	EXPECT_LE(10ULL, pfm_value(fd, SW_PMD(0)));
	EXPECT_GT(20ULL, pfm_value(fd, SW_PMD(0)));
	/* P1 goes on with the context. */
	EXPECT_EQ(0, pfm_load(fd, my_tid()));
	EXPECT_EQ(0, pfm_start(fd));
	EXPECT_EQ(-SIGKILL, kill_and_reap(p2));
}

/* P1 closes the only descriptor of a context attached to P2. */
TEST(figure_3_11)
{
	struct puppet p2;
	int fd, next;

	puppet_start(&p2, PUPPET_PROCESS);
	fd = pfm_session(0, PFM_SW_MINOR_FAULTS, 0, 0, p2.tid);
	puppet_do(&p2, OP_FAULT, 4);
	EXPECT_EQ(1ULL, sysfs_u64("thread_sessions"));
	close(fd);
	/* Detached when close() returns, no zombie remains (abi, 6). */
	EXPECT_EQ(0ULL, sysfs_u64("thread_sessions"));
	next = pfm_counter(0, PFM_SW_MINOR_FAULTS, 0, 0);
	EXPECT_EQ(0, pfm_load(next, p2.tid));
	EXPECT_EQ(0, pfm_start(next));
	puppet_do(&p2, OP_FAULT, 4);
	EXPECT_EQ(4ULL, pfm_value(next, SW_PMD(0)));
	puppet_stop(&p2);
}

/* P1 attaches to P3, whose parent is P2; P3 exits: END for P1. */
TEST(figure_3_15)
{
	int fd = pfm_counter(0, PFM_SW_MINOR_FAULTS, 0, 0);
	int tid[2], go[2];
	pfm_msg_t msg;
	pid_t p2, p3;

	MUST(pipe(tid));
	MUST(pipe(go));
	p2 = fork_child();
	if (!p2) {
		pid_t child;

		close(fd);
		child = fork_child();
		if (!child) {
			struct pages pages;
			char c;

			pages_map(&pages, 6);
			child = getpid();
			MUST(write(tid[1], &child, sizeof(child)));
			MUST(read(go[0], &c, 1));
			pages_touch(&pages, 6);
			_exit(77);
		}
		/* SIGCHLD and the status are for P2, not for the tool. */
		_exit(reap(child) == 77 ? 0 : 1);
	}
	ASSERT_EQ((ssize_t)sizeof(p3), read(tid[0], &p3, sizeof(p3)));
	ASSERT_EQ(0, pfm_load(fd, p3));
	ASSERT_EQ(0, pfm_start(fd));
	EXPECT_EQ(0, pfm_poll(fd, 20));
	MUST(write(go[1], "", 1));
	ASSERT_EQ(PFM_MSG_END, pfm_next_msg(fd, &msg, PATIENCE));
	/* By now the state is saved and the context is detached (3.3.6). */
	EXPECT_TRUE(pfm_state_is(fd, "unloaded"));
	EXPECT_LE(6ULL, pfm_value(fd, SW_PMD(0)));
	EXPECT_EQ(0, pfm_poll(fd, 0) & POLLIN);
	EXPECT_EQ(0, reap(p2));
	/* It can be attached again. */
	EXPECT_EQ(0, pfm_load(fd, my_tid()));
}

TEST_HARNESS_MAIN
