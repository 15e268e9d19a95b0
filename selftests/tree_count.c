// SPDX-License-Identifier: GPL-2.0-only
/*
 * Process trees: a context that counts a thread and all that it makes (PFM_FL_TREE). Their
 * page faults, switches and times are compared with what wait4() says of the same
 * processes.
 *
 * Not here: counters of the hardware (hw_tree.c).
 */
#include "member.h"

#define FAULTS		SW_PMD(0)
#define SWITCHES	SW_PMD(1)
#define CLOCK		SW_PMD(2)

static u64 switches_of(pid_t pid)
{
	char path[64], value[64];
	u64 sum;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	if (!text_field(path, "voluntary_ctxt_switches", value, sizeof(value)))
		die("%s", path);
	sum = strtoull(value, NULL, 10);
	if (!text_field(path, "nonvoluntary_ctxt_switches", value, sizeof(value)))
		die("%s", path);
	return sum + strtoull(value, NULL, 10);
}

static u64 usec(const struct timeval *tv)
{
	return (u64)tv->tv_sec * 1000000 + (u64)tv->tv_usec;
}

static int tree_new(void)
{
	int fd = (int)MUST(pfm_create(PFM_FL_TREE));

	MUST(pfm_write_pmc(fd, SW_PMC(0), PFM_SW_MINOR_FAULTS, 0));
	MUST(pfm_write_pmc(fd, SW_PMC(1), PFM_SW_CSWITCHES, 0));
	MUST(pfm_write_pmc(fd, SW_PMC(2), PFM_SW_TASK_CLOCK, 0));
	return fd;
}

/* What makes no sense is refused, and nothing has changed. */
TEST(refused)
{
	pfarg_pmd_t pmd = { .reg_num = FAULTS, .reg_flags = PFM_REGFL_READ_RESET };
	struct member m;
	int fd;

	EXPECT_EQ(-EINVAL, pfm_create(PFM_FL_TREE | PFM_FL_SYSTEM_WIDE));
	EXPECT_EQ(-EINVAL, pfm_create(PFM_FL_TREE | PFM_FL_NOTIFY_BLOCK));
	fd = pfm_counter(0, PFM_SW_MINOR_FAULTS, 0, 0);
	EXPECT_EQ(-EINVAL, tree_load(fd, my_tid(), PFM_LOADFL_ALL));
	close(fd);

	member_start(&m);
	fd = tree_new();
	EXPECT_EQ(-EINVAL, pfm_write_pmc(fd, SW_PMC(3), PFM_SW_MIGRATIONS, 0));
	EXPECT_EQ(-EINVAL, pfm_write_pmc(fd, SW_PMC(3), PFM_SW_MINOR_FAULTS,
					 PFM_REGFL_OVFL_NOTIFY));
	EXPECT_EQ(-EINVAL, tree_load(fd, m.pid, 0));
	EXPECT_EQ(-EINVAL, tree_load(fd, m.pid, PFM_LOADFL_THREADS));
	EXPECT_EQ(-EINVAL, tree_load(fd, m.pid, PFM_LOADFL_ALL | PFM_LOADFL_CHILDREN));
	EXPECT_EQ(-EINVAL, tree_load(fd, m.pid, PFM_LOADFL_ALL | 0x10));
	EXPECT_TRUE(pfm_state_is(fd, "unloaded"));
	EXPECT_EQ(0ULL, sysfs_u64("thread_sessions"));
	ASSERT_EQ(0, tree_load(fd, m.pid, PFM_LOADFL_ALL));
	EXPECT_EQ(-EBUSY, tree_load(fd, m.pid, PFM_LOADFL_ALL));
	EXPECT_EQ(-EINVAL, pfm_write_pmc(fd, SW_PMC(3), PFM_SW_MIGRATIONS, 0));
	EXPECT_EQ(-EINVAL, pfm(fd, PFM_READ_PMDS, &pmd, 1));
	EXPECT_EQ(-EBUSY, pfm_restart(fd));
	EXPECT_EQ(1ULL, sysfs_u64("thread_sessions"));
	EXPECT_EQ(1ULL, pfm_fdinfo_num(fd, "pfm-members"));
	close(fd);
	EXPECT_EQ(0ULL, sysfs_u64("thread_sessions"));
	kill_and_reap(m.pid);
}

/* Everything that the member does, from PFM_START to its end, by orders. */
static void adds_up(struct __test_metadata *_metadata, const char *orders, unsigned int flags)
{
	u64 faults, switches, seen, last = 0;
	struct member m;
	struct rusage ru;
	int fd;

	/* Members do not have the descriptor: otherwise they would hear of no end. */
	member_start(&m);
	fd = tree_new();
	/* It has done all of this once: libraries, stacks and pipes are there. */
	if (flags & PFM_LOADFL_THREADS)
		member_do(&m, 't');
	ASSERT_EQ(0, tree_load(fd, m.pid, PFM_LOADFL_ALL | flags));
	EXPECT_TRUE(wait_state(m.pid, "S", PATIENCE));
	faults = faults_of(m.pid);
	switches = switches_of(m.pid);
	ASSERT_EQ(0, pfm_start(fd));
	/* What children did before is in what wait4() says, too. */
	for (; *orders; orders++) {
		member_do(&m, *orders);
		seen = pfm_value(fd, FAULTS);
		EXPECT_LE(last, seen);
		last = seen;
	}
	member_end(&m, &ru);
	EXPECT_TRUE(tree_ends(fd));
	EXPECT_EQ(-EBUSY, pfm_start(fd));
	EXPECT_EQ(0ULL, sysfs_u64("thread_sessions"));
	if (!(flags & PFM_LOADFL_THREADS)) {
		EXPECT_EQ((u64)ru.ru_minflt - faults, pfm_value(fd, FAULTS));
		/* The last one of each is on its way out of the tree. */
		EXPECT_LE(pfm_value(fd, SWITCHES),
			  (u64)ru.ru_nvcsw + (u64)ru.ru_nivcsw - switches);
	}
	EXPECT_LE(last, pfm_value(fd, FAULTS));
	EXPECT_LE(pfm_value(fd, CLOCK) / 1000, usec(&ru.ru_utime) + usec(&ru.ru_stime) + 1);
	EXPECT_LT(0ULL, pfm_value(fd, CLOCK));
	close(fd);
}

TEST(faults_of_processes)
{
	adds_up(_metadata, "p", 0);
}

TEST(faults_of_threads)
{
	adds_up(_metadata, "tt", 0);
}

TEST(faults_of_all_sorts)
{
	adds_up(_metadata, "pvtufpbnmv", 0);
}

TEST(two_hundred_threads)
{
	adds_up(_metadata, "T", 0);
}

TEST(many_processes)
{
	adds_up(_metadata, "P", 0);
}

TEST(threads_that_are_there)
{
	adds_up(_metadata, "tt", PFM_LOADFL_THREADS);
}

/* Before PFM_START, after PFM_STOP and after PFM_UNLOAD_CONTEXT nothing counts. */
TEST(start_stop_unload)
{
	struct member m, n;
	struct rusage ru;
	u64 value;
	int fd;

	member_start(&m);
	fd = tree_new();
	ASSERT_EQ(0, tree_load(fd, m.pid, PFM_LOADFL_ALL));
	member_do(&m, 'p');
	EXPECT_EQ(0ULL, pfm_value(fd, FAULTS));
	ASSERT_EQ(0, pfm_start(fd));
	member_do(&m, 'f');
	value = pfm_value(fd, FAULTS);
	EXPECT_LE(100ULL, value);
	EXPECT_GT(110ULL, value);
	ASSERT_EQ(0, pfm_stop(fd));
	member_do(&m, 'p');
	EXPECT_EQ(value, pfm_value(fd, FAULTS));
	/* A write while it counts nothing is of all CPUs. */
	ASSERT_EQ(0, pfm_write_pmd(fd, FAULTS, 1000));
	EXPECT_EQ(1000ULL, pfm_value(fd, FAULTS));
	ASSERT_EQ(0, pfm_start(fd));
	member_do(&m, 'f');
	value = pfm_value(fd, FAULTS);
	EXPECT_LE(1100ULL, value);
	EXPECT_GT(1110ULL, value);
	ASSERT_EQ(0, pfm_unload(fd));
	EXPECT_EQ(value, pfm_value(fd, FAULTS));
	EXPECT_EQ(-EBUSY, pfm_unload(fd));
	member_do(&m, 'p');
	EXPECT_EQ(value, pfm_value(fd, FAULTS));
	EXPECT_EQ(0, pfm_poll(fd, 0));

	/* What is left of the tree keeps nobody from monitoring the thread, nor another. */
	member_start(&n);
	ASSERT_EQ(0, tree_load(fd, n.pid, PFM_LOADFL_ALL));
	ASSERT_EQ(0, pfm_start(fd));
	member_do(&n, 'f');
	EXPECT_LE(value + 100, pfm_value(fd, FAULTS));
	ASSERT_EQ(0, pfm_unload(fd));
	member_end(&n, &ru);
	ASSERT_EQ(0, tree_load(fd, m.pid, PFM_LOADFL_ALL));
	ASSERT_EQ(0, pfm_unload(fd));
	close(fd);
	fd = pfm_session(0, PFM_SW_MINOR_FAULTS, 0, 0, m.pid);
	member_do(&m, 'f');
	value = pfm_value(fd, SW_PMD(0));
	EXPECT_LE(100ULL, value);
	/* Not those of its children: this is no tree. */
	ASSERT_EQ(0, pfm_write_pmd(fd, SW_PMD(0), 0));
	member_do(&m, 'f');
	EXPECT_EQ(0, pfm_unload(fd));
	member_end(&m, &ru);
	close(fd);
	EXPECT_EQ(0ULL, sysfs_u64("thread_sessions"));
}

/* Registers and events that are chosen while members run. */
TEST(programmed_while_loaded)
{
	struct member m;
	struct rusage ru;
	int fd;

	member_start(&m);
	fd = (int)MUST(pfm_create(PFM_FL_TREE));
	ASSERT_EQ(0, tree_load(fd, m.pid, PFM_LOADFL_ALL));
	ASSERT_EQ(0, pfm_start(fd));
	member_do(&m, 'p');
	ASSERT_EQ(0, pfm_write_pmc(fd, SW_PMC(0), PFM_SW_MINOR_FAULTS, 0));
	member_do(&m, 'f');
	EXPECT_LE(100ULL, pfm_value(fd, FAULTS));
	EXPECT_GT(110ULL, pfm_value(fd, FAULTS));
	ASSERT_EQ(0, pfm_write_pmc(fd, SW_PMC(2), PFM_SW_TASK_CLOCK, 0));
	member_do(&m, 'b');
	EXPECT_LE(50ULL * NSEC_PER_MSEC, pfm_value(fd, CLOCK));
	member_end(&m, &ru);
	EXPECT_TRUE(tree_ends(fd));
	EXPECT_LE(pfm_value(fd, CLOCK) / 1000, usec(&ru.ru_utime) + usec(&ru.ru_stime) + 1);
	close(fd);
}

/* With PFM_LOADFL_EXEC the new program is counted, and its children, and nothing before. */
TEST(from_exec_on)
{
	int fd = tree_new(), go[2];
	struct rusage ru;
	u64 faults;
	pid_t pid;
	int status;

	MUST(pipe(go));
	pid = fork_child();
	if (!pid) {
		char c;

		close(fd);
		MUST(dup2(go[0], 0));
		MUST(read(0, &c, 1));
		make_processes(5, 0, 1000);
		execl("/proc/self/exe", "tree_count", "--obey", "fp", NULL);
		_exit(95);
	}
	ASSERT_EQ(0, tree_load(fd, pid, PFM_LOADFL_ALL | PFM_LOADFL_EXEC));
	EXPECT_EQ(0ULL, pfm_fdinfo_num(fd, "pfm-started"));
	MUST(write(go[1], "", 1));
	MUST(wait4(pid, &status, 0, &ru));
	EXPECT_EQ(0, status);
	EXPECT_TRUE(tree_ends(fd));
	faults = pfm_value(fd, FAULTS);
	/* 100 by 'f', 30 * 10 by 'p', and what programs need. */
	EXPECT_LE(400ULL, faults);
	EXPECT_GT((u64)ru.ru_minflt - 5000, faults);
	close(fd);
}

/* Processes that are there, and their children, each with threads. */
TEST(children_that_are_there)
{
	int fd = tree_new(), go[2], ready[2], i, k;
	struct rusage ru;
	u64 faults;
	pid_t pid;
	char c;

	MUST(pipe(go));
	MUST(pipe(ready));
	pid = fork_child();
	if (!pid) {
		close(fd);
		/* This process, three children, and three of each of them. */
		for (k = 0; k < 2; k++) {
			for (i = 0; i < 3; i++) {
				if (!MUST(fork()))
					break;
			}
			if (i == 3)
				break;
		}
		MUST(write(ready[1], "", 1));
		MUST(read(go[0], &c, 1));
		touch_in_thread((void *)100L);
		while (wait(NULL) > 0)
			;
		_exit(0);
	}
	for (i = 0; i < 13; i++)
		MUST(read(ready[0], &c, 1));
	ASSERT_EQ(0, tree_load(fd, pid, PFM_LOADFL_ALL | PFM_LOADFL_THREADS |
			       PFM_LOADFL_CHILDREN));
	EXPECT_EQ(13ULL, pfm_fdinfo_num(fd, "pfm-members"));
	EXPECT_EQ(0ULL, pfm_fdinfo_num(fd, "pfm-missed"));
	ASSERT_EQ(0, pfm_start(fd));
	for (i = 0; i < 13; i++)
		MUST(write(go[1], "", 1));
	MUST(wait4(pid, &i, 0, &ru));
	EXPECT_TRUE(tree_ends(fd));
	faults = pfm_value(fd, FAULTS);
	EXPECT_LE(1300ULL, faults);
	EXPECT_GT(1300ULL + 13 * 30, faults);
	close(fd);
}

/* A thread that somebody else monitors is left to him, and said to be missed. */
TEST(who_is_taken)
{
	int fd = tree_new(), other, p[2];
	pid_t pid, tid;

	MUST(pipe(p));
	pid = fork_child();
	if (!pid) {
		struct puppet t;

		puppet_start(&t, PUPPET_THREAD);
		MUST(write(p[1], &t.tid, sizeof(t.tid)));
		pause();
	}
	MUST(read(p[0], &tid, sizeof(tid)));
	other = pfm_counter(0, PFM_SW_MINOR_FAULTS, 0, 0);
	ASSERT_EQ(0, pfm_load(other, tid));
	EXPECT_EQ(-EBUSY, tree_load(fd, tid, PFM_LOADFL_ALL));
	ASSERT_EQ(0, tree_load(fd, pid, PFM_LOADFL_ALL | PFM_LOADFL_THREADS));
	EXPECT_EQ(1ULL, pfm_fdinfo_num(fd, "pfm-members"));
	EXPECT_EQ(1ULL, pfm_fdinfo_num(fd, "pfm-missed"));
	ASSERT_EQ(0, pfm_unload(fd));
	EXPECT_EQ(0ULL, pfm_fdinfo_num(fd, "pfm-members"));
	EXPECT_EQ(1ULL, pfm_fdinfo_num(fd, "pfm-missed"));
	ASSERT_EQ(0, tree_load(fd, pid, PFM_LOADFL_ALL));
	EXPECT_EQ(0ULL, pfm_fdinfo_num(fd, "pfm-missed"));
	close(other);
	other = pfm_counter(0, PFM_SW_MINOR_FAULTS, 0, 0);
	EXPECT_EQ(-EBUSY, pfm_load(other, pid));
	EXPECT_EQ(0, pfm_load(other, tid));
	close(other);
	close(fd);
	kill_and_reap(pid);
	EXPECT_EQ(0ULL, sysfs_u64("thread_sessions"));
}

/* Sets take turns on each CPU; their times are those for which members ran. */
TEST(sets_take_turns)
{
	pfarg_setdesc_t desc[2] = {
		{ .set_id = 0, .set_flags = PFM_SETFL_TIME_SWITCH,
		  .set_timeout = { .tv_nsec = 1000000 } },
		{ .set_id = 1, .set_flags = PFM_SETFL_TIME_SWITCH,
		  .set_timeout = { .tv_nsec = 1000000 } },
	};
	pfarg_pmc_t pmc[2] = {
		{ .reg_num = SW_PMC(0), .reg_value = PFM_SW_TASK_CLOCK },
		{ .reg_num = SW_PMC(0), .reg_set = 1, .reg_value = PFM_SW_TASK_CLOCK },
	};
	pfarg_pmd_t pmd[2] = { { .reg_num = SW_PMD(0) }, { .reg_num = SW_PMD(0), .reg_set = 1 } };
	pfarg_setinfo_t info[2];
	struct member m;
	struct rusage ru;
	u64 act = 0, all;
	int fd, i;

	member_start(&m);
	fd = (int)MUST(pfm_create(PFM_FL_TREE));
	ASSERT_EQ(0, pfm(fd, PFM_CREATE_EVTSETS, desc, 2));
	ASSERT_EQ(0, pfm(fd, PFM_WRITE_PMCS, pmc, 2));
	ASSERT_EQ(0, tree_load(fd, m.pid, PFM_LOADFL_ALL));
	ASSERT_EQ(0, pfm_start(fd));
	for (i = 0; i < 4; i++)
		member_do(&m, 'b');
	member_do(&m, 'm');
	member_do(&m, 'b');
	ASSERT_EQ(0, pfm(fd, PFM_READ_PMDS, pmd, 2));
	for (i = 0; i < 2; i++) {
		info[i] = info_of_set(fd, i);
		EXPECT_LT(5ULL, info[i].set_runs);
		act += (u64)info[i].set_act_duration.tv_sec * NSEC_PER_SEC +
		       (u64)info[i].set_act_duration.tv_nsec;
		EXPECT_LT(0ULL, pmd[i].reg_value);
	}
	all = pmd[0].reg_value + pmd[1].reg_value;
	EXPECT_LE(250 * NSEC_PER_MSEC, all);
	/* On a virtual CPU that stands still the sets' time passes, the thread's does not. */
	EXPECT_LE(all, act + 10 * NSEC_PER_MSEC);
	member_end(&m, &ru);
	EXPECT_TRUE(tree_ends(fd));
	MUST(pfm(fd, PFM_READ_PMDS, pmd, 2));
	EXPECT_LE(all, pmd[0].reg_value + pmd[1].reg_value);
	EXPECT_LE((pmd[0].reg_value + pmd[1].reg_value) / 1000,
		  usec(&ru.ru_utime) + usec(&ru.ru_stime) + 1);
	close(fd);
}

/* Whoever is killed, and however many there are, the tree ends once. */
TEST(members_are_killed)
{
	int fd, i, ready[2];
	struct member m;
	pid_t pid;
	char c;

	MUST(pipe(ready));
	member_start(&m);
	fd = tree_new();
	ASSERT_EQ(0, tree_load(fd, m.pid, PFM_LOADFL_ALL));
	ASSERT_EQ(0, pfm_start(fd));
	member_do(&m, 'f');
	EXPECT_EQ(1ULL, pfm_fdinfo_num(fd, "pfm-members"));
	kill_and_reap(m.pid);
	EXPECT_TRUE(tree_ends(fd));
	EXPECT_EQ(0, pfm_poll(fd, 0));
	close(fd);

	fd = tree_new();
	pid = fork_child();
	if (!pid) {
		close(fd);
		/* So that all of them can be killed at once. */
		setpgid(0, 0);
		for (i = 0; i < 20; i++)
			if (!MUST(fork()))
				for (;;)
					touch_in_thread((void *)100L);
		MUST(write(ready[1], "", 1));
		pause();
	}
	MUST(read(ready[0], &c, 1));
	ASSERT_EQ(0, tree_load(fd, pid, PFM_LOADFL_ALL | PFM_LOADFL_THREADS |
			       PFM_LOADFL_CHILDREN));
	ASSERT_EQ(0, pfm_start(fd));
	for (i = 0; i < 50; i++)
		pfm_value(fd, FAULTS);
	kill(-pid, SIGKILL);
	EXPECT_EQ(-SIGKILL, reap(pid));
	EXPECT_TRUE(tree_ends(fd));
	EXPECT_EQ(0, pfm_poll(fd, 0));
	EXPECT_EQ(0ULL, sysfs_u64("thread_sessions"));
	close(fd);
}

/* The process that monitors itself: its threads are members, and it hears of no end. */
TEST(of_itself)
{
	pid_t pid = fork_child();
	u64 value;
	int fd;

	if (!pid) {
		fd = tree_new();
		/* The first time the library makes what the others find. */
		make_threads(1, 10);
		if (tree_load(fd, my_tid(), PFM_LOADFL_ALL) || pfm_start(fd))
			_exit(1);
		make_threads(10, 10);
		value = pfm_value(fd, FAULTS);
		if (value < 100 || value > 300)
			_exit(2);
		/* A thread can be joined a little before it is quite gone. */
		while (pfm_fdinfo_num(fd, "pfm-members") != 1)
			sleep_ms(1);
		_exit(0);
	}
	EXPECT_EQ(0, reap(pid));
	EXPECT_EQ(0ULL, sysfs_u64("thread_sessions"));
}

/* Closed, unloaded and loaded while members come and go. */
TEST(closed_while_members_fork)
{
	int fd, i, rounds = is_slow() ? 20 : 100;
	pid_t pid = fork_child();

	if (!pid)
		for (;;)
			make_processes(1, 1, 1);
	for (i = 0; i < rounds; i++) {
		fd = tree_new();
		ASSERT_EQ(0, tree_load(fd, pid, PFM_LOADFL_ALL | PFM_LOADFL_THREADS |
				       PFM_LOADFL_CHILDREN));
		ASSERT_EQ(0, pfm_start(fd));
		if (i & 1)
			pfm_value(fd, FAULTS);
		if (i & 2) {
			ASSERT_EQ(0, pfm_unload(fd));
			ASSERT_EQ(0, tree_load(fd, pid, PFM_LOADFL_ALL));
			ASSERT_EQ(0, pfm_start(fd));
		}
		close(fd);
	}
	EXPECT_EQ(0ULL, sysfs_u64("thread_sessions"));
	kill_and_reap(pid);
}

int main(int argc, char **argv)
{
	return member_main(argc, argv);
}
