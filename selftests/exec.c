// SPDX-License-Identifier: GPL-2.0-only
/*
 * exec() of a monitored thread: the context stays, unless its owner may not
 * trace the new program, a set-user-id or unreadable one or one with file
 * capabilities; then it is detached and END is queued (abi, 7).
 *
 * Not here: descriptors across exec() (fd.c).
 */
#include "copy.h"
#include "puppet.h"
#include <grp.h>
#include <sys/xattr.h>

#define NOBODY	65534
#define SOMEONE	54400

/*
 * The new program: 7 minor faults between two bytes on its standard output,
 * waiting for a byte on its standard input before each.
 */
static int new_program(void)
{
	struct pages pages;
	char c;

	pages_map(&pages, 8);
	pages_touch(&pages, 1);
	if (write(1, "a", 1) != 1 || read(0, &c, 1) != 1)
		return 1;
	pages_touch(&pages, 7);
	if (write(1, "b", 1) != 1 || read(0, &c, 1) != 1)
		return 1;
	return 0;
}

/* What set-user-id programs try with a context that they inherit. */
static int new_owner(int fd)
{
	if (pfm_state_is(fd, "unloaded") && pfm_start(fd) == -EBUSY &&
	    pfm_poll(fd, 0) & POLLIN)
		return 0;
	return 1;
}

struct execer {
	pid_t pid;
	int in[2], out[2], go[2];
};

static void *do_exec(void *arg)
{
	execl(arg, "exec", "--new-program", NULL);
	_exit(95);
}

/* A process that executes @path when told to, in a second thread or not. */
static void execer_start(struct execer *e, const char *path, bool by_thread)
{
	pthread_t t;
	char c;

	MUST(pipe2(e->in, O_CLOEXEC));
	MUST(pipe2(e->out, O_CLOEXEC));
	MUST(pipe2(e->go, O_CLOEXEC));
	e->pid = fork_child();
	if (e->pid) {
		close(e->out[1]);
		MUST(read(e->out[0], &c, 1));
		return;
	}
	MUST(write(e->out[1], "r", 1));
	MUST(read(e->go[0], &c, 1));
	MUST(dup2(e->in[0], 0));
	MUST(dup2(e->out[1], 1));
	if (by_thread) {
		pthread_create(&t, NULL, do_exec, (void *)path);
		pause();
	}
	do_exec((void *)path);
}

/* Lets it exec; true when the new program has begun. */
static bool execer_exec(struct execer *e)
{
	char c;

	MUST(write(e->go[1], "", 1));
	return read(e->out[0], &c, 1) == 1 && c == 'a';
}

static bool execer_fault(struct execer *e)
{
	char c;

	MUST(write(e->in[1], "", 1));
	return read(e->out[0], &c, 1) == 1 && c == 'b';
}

static int execer_end(struct execer *e)
{
	MUST(write(e->in[1], "", 1));
	return reap(e->pid);
}

/* Whether the session on @e goes on, or has ended, with this exec(). */
static int exec_keeps(struct execer *e, int fd)
{
	u64 before;

	if (pfm_load(fd, e->pid) || pfm_start(fd))
		return -1;
	if (!execer_exec(e))
		return -2;
	/* It has touched all that it has to when it waits for the order. */
	if (!wait_state(e->pid, "S", PATIENCE))
		return -7;
	if (pfm_state_is(fd, "unloaded")) {
		if (pfm_next_msg(fd, NULL, PATIENCE) != PFM_MSG_END)
			return -3;
		before = pfm_value(fd, SW_PMD(0));
		if (!execer_fault(e) || pfm_value(fd, SW_PMD(0)) != before)
			return -4;
		return 0;
	}
	before = pfm_value(fd, SW_PMD(0));
	if (!execer_fault(e))
		return -5;
	if (pfm_value(fd, SW_PMD(0)) != before + 7 ||
	    pfm_poll(fd, 0) & POLLIN || !pfm_fdinfo_num(fd, "pfm-started"))
		return -6;
	return 1;
}

/* A thread that says its number, and executes after a byte of its input. */
static void *exec_when_told(void *arg)
{
	pid_t me = my_tid();
	char c;

	MUST(write(((int *)arg)[1], &me, sizeof(me)));
	MUST(read(0, &c, 1));
	return do_exec("/proc/self/exe");
}

static u64 target_tid(int fd)
{
	char value[64];

	pfm_fdinfo(fd, "pfm-target", value, sizeof(value));
	return strncmp(value, "tid ", 4) ? 0 : strtoull(value + 4, NULL, 10);
}

TEST(context_stays)
{
	struct execer e;
	int fd;

	execer_start(&e, "/proc/self/exe", false);
	fd = pfm_counter(0, PFM_SW_MINOR_FAULTS, 0, 0);
	EXPECT_EQ(1, exec_keeps(&e, fd));
	EXPECT_EQ(0, execer_end(&e));
	EXPECT_EQ(PFM_MSG_END, pfm_next_msg(fd, NULL, PATIENCE));
}

/*
 * A process has inherited the descriptor from the one that attaches the context to
 * it. If its exec() closes the descriptor another process monitors it, and is told
 * of its end; if not it controls itself (3.3.6).
 */
TEST(end_of_a_process_whose_exec_closed)
{
	struct execer e;
	int fd, keeps;

	for (keeps = 0; keeps < 2; keeps++) {
		fd = pfm_counter(0, PFM_SW_MINOR_FAULTS, 0, 0);
		MUST(fcntl(fd, F_SETFD, keeps ? 0 : FD_CLOEXEC));
		execer_start(&e, "/proc/self/exe", false);
		ASSERT_EQ(1, exec_keeps(&e, fd));
		EXPECT_EQ(0, execer_end(&e));
		EXPECT_TRUE(pfm_state_is(fd, "unloaded"));
		EXPECT_EQ(keeps ? 0 : PFM_MSG_END,
			  pfm_next_msg(fd, NULL, keeps ? 0 : PATIENCE));
		close(fd);
	}
}

TEST(stopped_stays_stopped)
{
	struct execer e;
	int fd;

	execer_start(&e, "/proc/self/exe", false);
	fd = pfm_counter(0, PFM_SW_MINOR_FAULTS, 0, 0);
	MUST(pfm_load(fd, e.pid));
	ASSERT_TRUE(execer_exec(&e));
	EXPECT_TRUE(pfm_state_is(fd, "loaded"));
	EXPECT_EQ(0ULL, pfm_value(fd, SW_PMD(0)));
	EXPECT_EQ(0ULL, pfm_fdinfo_num(fd, "pfm-started"));
	kill_and_reap(e.pid);
}

TEST(self_monitoring)
{
	pid_t pid = fork_child();
	char num[16];

	if (!pid) {
		int fd = pfm_session(0, PFM_SW_MINOR_FAULTS, 0, 0, my_tid());

		snprintf(num, sizeof(num), "%d", fd);
		execl("/proc/self/exe", "exec", "--still-counts", num, NULL);
		_exit(95);
	}
	EXPECT_EQ(0, reap(pid));
}

static int still_counts(int fd)
{
	struct pages pages;
	u64 before;

	pages_map(&pages, 20);
	before = pfm_value(fd, SW_PMD(0));
	pages_touch(&pages, 20);
	return before > 0 && pfm_value(fd, SW_PMD(0)) >= before + 20 ? 0 : 1;
}

/* Another thread's exec() ends the monitored leader: END, no confusion. */
TEST(leader_replaced_by_a_thread)
{
	struct execer e;
	int fd;

	execer_start(&e, "/proc/self/exe", true);
	fd = pfm_counter(0, PFM_SW_MINOR_FAULTS, 0, 0);
	MUST(pfm_load(fd, e.pid));
	ASSERT_TRUE(execer_exec(&e));
	EXPECT_EQ(PFM_MSG_END, pfm_next_msg(fd, NULL, PATIENCE));
	EXPECT_TRUE(pfm_state_is(fd, "unloaded"));
	EXPECT_EQ(0ULL, sysfs_u64("thread_sessions"));
	/* The thread that has the number now can be attached. */
	EXPECT_EQ(0, pfm_load(fd, e.pid));
	kill_and_reap(e.pid);
}

/*
 * A monitored thread that is no leader executes: it takes the leader's
 * number and keeps its context.
 */
TEST(thread_becomes_leader)
{
	int fd, tid[2], out[2], go[2];
	pid_t pid, thread;
	char c;

	MUST(pipe(tid));
	MUST(pipe(out));
	MUST(pipe(go));
	pid = fork_child();
	if (!pid) {
		pthread_t t;

		MUST(dup2(go[0], 0));
		MUST(dup2(out[1], 1));
		pthread_create(&t, NULL, exec_when_told, tid);
		pause();
	}
	MUST(read(tid[0], &thread, sizeof(thread)));
	fd = pfm_counter(0, PFM_SW_MINOR_FAULTS, 0, 0);
	MUST(pfm_load(fd, thread));
	MUST(pfm_start(fd));
	MUST(write(go[1], "", 1));
	ASSERT_EQ(1, read(out[0], &c, 1));
	EXPECT_TRUE(pfm_state_is(fd, "loaded"));
	EXPECT_EQ((u64)pid, target_tid(fd));
	EXPECT_LT(10ULL, pfm_value(fd, SW_PMD(0)));
	EXPECT_EQ(0, pfm_poll(fd, 0) & POLLIN);
	kill_and_reap(pid);
	EXPECT_EQ(PFM_MSG_END, pfm_next_msg(fd, NULL, PATIENCE));
}

/* A failed exec() changes nothing. */
TEST(failed_exec)
{
	int fd = pfm_session(0, PFM_SW_MINOR_FAULTS, 0, 0, my_tid());
	struct pages pages;
	u64 before;

	pages_map(&pages, 3);
	EXPECT_EQ(-1, execl("/proc/version", "version", NULL));
	EXPECT_EQ(-1, execl("/nonexistent", "nonexistent", NULL));
	EXPECT_TRUE(pfm_state_is(fd, "loaded"));
	before = pfm_value(fd, SW_PMD(0));
	pages_touch(&pages, 3);
	EXPECT_LE(before + 3, pfm_value(fd, SW_PMD(0)));
}

/*
 * As @uid: monitors a process of one's own that executes @path. What
 * exec_keeps() says: 1 kept, 0 detached.
 */
static int keeps_as(uid_t uid, const char *path)
{
	pid_t pid = fork_child();
	struct execer e;
	int fd, ret;

	if (!pid) {
		if (uid && (setgroups(0, NULL) || setresgid(uid, uid, uid) ||
			    setresuid(uid, uid, uid)))
			_exit(94);
		/* fork_child() is for one's own; go on being traceable. */
		prctl(PR_SET_DUMPABLE, 1);
		execer_start(&e, path, false);
		fd = pfm_counter(0, PFM_SW_MINOR_FAULTS, 0, 0);
		ret = exec_keeps(&e, fd);
		kill(e.pid, SIGKILL);
		_exit(ret + 10);
	}
	return reap(pid) - 10;
}

TEST_F(copy, ordinary_program)
{
	NEED_ROOT();
	EXPECT_EQ(1, keeps_as(NOBODY, self->path));
	EXPECT_EQ(1, keeps_as(0, self->path));
}

TEST_F(copy, set_user_id_root)
{
	NEED_ROOT();
	MUST(chmod(self->path, 04755));
	EXPECT_EQ(0, keeps_as(NOBODY, self->path));
	/* root may trace whatever there is. */
	EXPECT_EQ(1, keeps_as(0, self->path));
}

TEST_F(copy, set_user_id_of_another_user)
{
	NEED_ROOT();
	MUST(chown(self->path, SOMEONE, SOMEONE));
	MUST(chmod(self->path, 04755));
	EXPECT_EQ(0, keeps_as(NOBODY, self->path));
	/* The owner himself stays who he is. */
	EXPECT_EQ(1, keeps_as(SOMEONE, self->path));
}

TEST_F(copy, set_group_id)
{
	NEED_ROOT();
	MUST(chown(self->path, 0, SOMEONE));
	MUST(chmod(self->path, 02755));
	EXPECT_EQ(0, keeps_as(NOBODY, self->path));
}

TEST_F(copy, unreadable)
{
	NEED_ROOT();
	MUST(chmod(self->path, 0111));
	EXPECT_EQ(0, keeps_as(NOBODY, self->path));
	EXPECT_EQ(1, keeps_as(0, self->path));
}

TEST_F(copy, file_capabilities)
{
	/* struct vfs_cap_data, revision 2, CAP_NET_RAW effective */
	static const u32 cap[5] = { 0x02000001, 1 << 13, 0, 0, 0 };

	NEED_ROOT();
	if (setxattr(self->path, "security.capability", cap, sizeof(cap), 0))
		SKIP(return, "file_capabilities: setxattr: %s",
		     strerror(errno));
	EXPECT_EQ(0, keeps_as(NOBODY, self->path));
}

/* On a file system without set-user-id the mode means nothing. */
TEST_F(copy, set_user_id_ignored)
{
	NEED_ROOT();
	MUST(chmod(self->path, 04755));
	ASSERT_EQ(0, mount(NULL, self->dir, NULL, MS_REMOUNT | MS_NOSUID,
			   NULL));
	EXPECT_EQ(1, keeps_as(NOBODY, self->path));
}

/* Monitoring oneself into a privileged program: detached, too. */
TEST_F(copy, self_monitoring_into_set_user_id)
{
	char num[16];
	pid_t pid;
	int fd;

	NEED_ROOT();
	MUST(chmod(self->path, 04755));
	pid = fork_child();
	if (!pid) {
		if (setgroups(0, NULL) || setresgid(NOBODY, NOBODY, NOBODY) ||
		    setresuid(NOBODY, NOBODY, NOBODY))
			_exit(94);
		fd = pfm_session(0, PFM_SW_MINOR_FAULTS, 0, 0, my_tid());
		snprintf(num, sizeof(num), "%d", fd);
		execl(self->path, "exec", "--new-owner", num, NULL);
		_exit(95);
	}
	EXPECT_EQ(0, reap(pid));
	EXPECT_EQ(0ULL, sysfs_u64("thread_sessions"));
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "--new-program"))
		return new_program();
	if (argc == 3 && !strcmp(argv[1], "--still-counts"))
		return still_counts(atoi(argv[2]));
	if (argc == 3 && !strcmp(argv[1], "--new-owner"))
		return new_owner(atoi(argv[2]));
	return test_harness_run(argc, argv);
}
