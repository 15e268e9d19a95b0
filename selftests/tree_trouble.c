// SPDX-License-Identifier: GPL-2.0-only
/*
 * Process trees in trouble: members that execute programs of others, and what these make;
 * processes that are made in unusual ways; CPUs that go and come. Sums are exact all the same.
 *
 * Not here: what trees do where nothing of that happens (tree_count.c, tree_smpl.c).
 */
#include "copy.h"
#include "member.h"
#include "uring.h"
#include <grp.h>

#define FAULTS	SW_PMD(0)
#define NOBODY	65534

static int tree_new(void)
{
	int fd = (int)MUST(pfm_create(PFM_FL_TREE));

	MUST(pfm_write_pmc(fd, SW_PMC(0), PFM_SW_MINOR_FAULTS, 0));
	return fd;
}

/*
 * Counts a process that waits for a byte on a pipe, and writes that. How many faults it has had
 * until then.
 */
static u64 tree_begin(struct __test_metadata *_metadata, int fd, pid_t pid, int go)
{
	u64 before;

	ASSERT_EQ(0, tree_load(fd, pid, PFM_LOADFL_ALL));
	EXPECT_TRUE(wait_state(pid, "S", PATIENCE));
	before = faults_of(pid);
	ASSERT_EQ(0, pfm_start(fd));
	MUST(write(go, "", 1));
	return before;
}

/* What was counted, and how many members there were at the end. */
struct outcome {
	u64 faults, members, missed;
};

/* Touches pages, has a child execute @path, which touches more and makes processes, and goes on. */
static void family(const char *path, int from, int to)
{
	char c;
	pid_t pid;

	MUST(read(from, &c, 1));
	touch_in_thread((void *)1000L);
	pid = (pid_t)MUST(fork());
	if (!pid) {
		execl(path, "tree_trouble", "--obey", "fp", NULL);
		_exit(95);
	}
	if (reap(pid))
		_exit(96);
	touch_in_thread((void *)1000L);
	MUST(write(to, "", 1));
	MUST(read(from, &c, 1));
	_exit(0);
}

/* As @uid, who owns a tree in which @path is executed. */
static struct outcome owned_by(uid_t uid, const char *path)
{
	struct outcome o = {};
	int p[2], go[2], done[2], fd;
	pid_t pid = 0, owner;
	char c;

	MUST(pipe(p));
	owner = fork_child();
	if (!owner) {
		if (uid && (setgroups(0, NULL) || setresgid(uid, uid, uid) ||
			    setresuid(uid, uid, uid)))
			_exit(94);
		prctl(PR_SET_DUMPABLE, 1);
		MUST(pipe(go));
		MUST(pipe(done));
		pid = fork_child();
		if (!pid)
			family(path, go[0], done[1]);
		fd = tree_new();
		MUST(tree_load(fd, pid, PFM_LOADFL_ALL));
		MUST(pfm_start(fd));
		MUST(write(go[1], "", 1));
		MUST(read(done[0], &c, 1));
		o.faults = pfm_value(fd, FAULTS);
		o.members = pfm_fdinfo_num(fd, "pfm-members");
		o.missed = pfm_fdinfo_num(fd, "pfm-missed");
		MUST(write(go[1], "", 1));
		if (reap(pid) || !tree_ends(fd))
			_exit(93);
		MUST(write(p[1], &o, sizeof(o)));
		_exit(0);
	}
	if (reap(owner) || read(p[0], &o, sizeof(o)) != sizeof(o))
		die("the owner failed");
	close(p[0]);
	close(p[1]);
	return o;
}

/*
 * Who executes a program that the owner may not trace leaves, and what it makes is no member;
 * who has made it stays. The program has 100 faults, its children 300, and some of each loader's.
 */
TEST_F(copy, set_user_id_in_the_midst)
{
	struct outcome all, some;

	NEED_ROOT();
	/* root may trace whatever there is. */
	MUST(chmod(self->path, 04755));
	all = owned_by(0, self->path);
	EXPECT_LE(2400ULL, all.faults);
	some = owned_by(NOBODY, self->path);
	EXPECT_LE(2000ULL, some.faults);
	EXPECT_GT(2000ULL + 100, some.faults);
	EXPECT_EQ(1ULL, some.members);
	EXPECT_EQ(0ULL, some.missed);
	/* An ordinary program is one of the tree. */
	MUST(chmod(self->path, 0755));
	all = owned_by(NOBODY, self->path);
	EXPECT_LE(2400ULL, all.faults);
	EXPECT_EQ(1ULL, all.members);
	EXPECT_EQ(0ULL, sysfs_u64("thread_sessions"));
}

static int touch_50(void *unused)
{
	(void)unused;
	touch_in_thread((void *)50L);
	return 0;
}

/* A process in the memory of the one that makes it, or a sister of that. */
static pid_t make(int flags)
{
	static char stack[65536] __attribute__((aligned(16)));

	return (pid_t)MUST(clone(touch_50, stack + sizeof(stack), flags | SIGCHLD, NULL));
}

static void unusual(int from)
{
	char c;

	MUST(read(from, &c, 1));
	reap(make(CLONE_VM));
	reap(make(CLONE_VM | CLONE_FILES | CLONE_FS | CLONE_SIGHAND));
	reap(make(0));
	reap(make(CLONE_UNTRACED));
	/* The one who has made us waits for this one. */
	make(CLONE_PARENT);
	_exit(0);
}

/* wait4() knows of each child's own: all of them together are what was counted. */
TEST(clone_in_all_ways)
{
	int fd, go[2], status, n = 0;
	u64 before, want = 0;
	struct rusage ru;
	pid_t pid;

	MUST(pipe(go));
	pid = fork_child();
	if (!pid)
		unusual(go[0]);
	fd = tree_new();
	before = tree_begin(_metadata, fd, pid, go[1]);
	while (wait4(-1, &status, 0, &ru) > 0) {
		EXPECT_EQ(0, status);
		want += (u64)ru.ru_minflt;
		n++;
	}
	EXPECT_EQ(2, n);
	EXPECT_TRUE(tree_ends(fd));
	EXPECT_EQ(want - before, pfm_value(fd, FAULTS));
	EXPECT_LE(250ULL, pfm_value(fd, FAULTS));
	close(fd);
}

static void with_workers(int from)
{
	struct uring u;
	unsigned int i;
	char c;

	MUST(uring_open(&u));
	MUST(read(from, &c, 1));
	for (i = 0; i < 4; i++) {
		uring_touch(&u, 100);
		touch_in_thread((void *)100L);
		/* Its worker is another one. */
		if (i == 1 && !MUST(fork())) {
			MUST(uring_open(&u));
			uring_touch(&u, 100);
			_exit(0);
		}
	}
	while (wait(NULL) > 0)
		;
	_exit(0);
}

/* Workers of io_uring are threads that no system call of the program has made. */
TEST(workers_of_io_uring)
{
	int fd, go[2], status, ret;
	struct rusage ru;
	struct uring u;
	u64 before;
	pid_t pid;

	ret = uring_open(&u);
	if (ret)
		SKIP(return, "workers_of_io_uring: io_uring_setup(): %s", strerror(-ret));
	close(u.fd);
	MUST(pipe(go));
	pid = fork_child();
	if (!pid)
		with_workers(go[0]);
	fd = tree_new();
	before = tree_begin(_metadata, fd, pid, go[1]);
	MUST(wait4(pid, &status, 0, &ru));
	EXPECT_EQ(0, status);
	EXPECT_TRUE(tree_ends(fd));
	EXPECT_EQ((u64)ru.ru_minflt - before, pfm_value(fd, FAULTS));
	EXPECT_LE(900ULL, pfm_value(fd, FAULTS));
	EXPECT_EQ(0ULL, pfm_fdinfo_num(fd, "pfm-missed"));
	close(fd);
}

/* A CPU goes and comes while members run everywhere: its slot keeps what it has. */
TEST(cpus_go_and_come)
{
	int fd, home, cpu, i;
	struct member m;
	struct rusage ru;
	char path[64];
	u64 faults;

	if (!can_unplug(path, sizeof(path), &home, &cpu))
		SKIP(return, "cpus_go_and_come: needs root and a CPU to unplug");
	member_start(&m);
	/* It is not there when the tree is loaded. */
	ASSERT_EQ(0, write_text(path, "0"));
	fd = tree_new();
	ASSERT_EQ(0, tree_load(fd, m.pid, PFM_LOADFL_ALL));
	EXPECT_TRUE(wait_state(m.pid, "S", PATIENCE));
	faults = faults_of(m.pid);
	ASSERT_EQ(0, pfm_start(fd));
	for (i = 0; i < (is_slow() ? 4 : 10); i++) {
		MUST(write_text(path, i & 1 ? "0" : "1"));
		member_do(&m, 'p');
		member_do(&m, 't');
		/* Allowed everywhere, also where it is about to go. */
		member_do(&m, 'm');
	}
	MUST(write_text(path, "1"));
	member_do(&m, 'p');
	EXPECT_EQ(0ULL, pfm_fdinfo_num(fd, "pfm-missed"));
	member_end(&m, &ru);
	EXPECT_TRUE(tree_ends(fd));
	EXPECT_EQ((u64)ru.ru_minflt - faults, pfm_value(fd, FAULTS));
	close(fd);
}

int main(int argc, char **argv)
{
	return member_main(argc, argv);
}
