// SPDX-License-Identifier: GPL-2.0-only
/*
 * Chapter 4: the open default of the specification and the hardened one, and
 * what a context shows to which process when rights change.
 *
 * Not here: the groups themselves (config.c), what exec does (exec.c), what
 * a load may attach to (load.c), the limits (limits.c). Needs root, who sets the
 * one or the other default.
 */
#include "puppet.h"
#include <grp.h>
#include <sys/syscall.h>

#define NOBODY		65534
#define GROUP		54321	/* of nobody */
#define HARDENED	"/proc/sys/kernel/perfmon_hardened"
#define YAMA		"/proc/sys/kernel/yama/ptrace_scope"

#ifndef CAP_PERFMON
#define CAP_PERFMON	38
#endif

FIXTURE(security) {
	char saved[16];
	char scope[16];
};

FIXTURE_SETUP(security)
{
	if (read_text(HARDENED, self->saved, sizeof(self->saved)) < 0)
		die("no " HARDENED);
	if (read_text(YAMA, self->scope, sizeof(self->scope)) < 0)
		self->scope[0] = '\0';
}

FIXTURE_TEARDOWN(security)
{
	if (is_root()) {
		write_text(HARDENED, self->saved);
		write_text(SYSFS "/sys_group", "-1");
		if (self->scope[0])
			write_text(YAMA, self->scope);
	}
}

#define NEED_ROOT()							\
do {									\
	if (!is_root())							\
		SKIP(return, "%s: needs root", _metadata->name);	\
} while (0)

static void harden(bool on)
{
	if (write_text(HARDENED, on ? "1" : "0"))
		die("cannot write " HARDENED);
}

static void become(uid_t uid, gid_t group)
{
	gid_t groups[1] = { group };

	if (setgroups(group ? 1 : 0, groups) || setresgid(uid, uid, uid) ||
	    setresuid(uid, uid, uid))
		die("cannot become user %d: %s", (int)uid, strerror(errno));
}

/* Keeps one capability while it becomes another user. */
static void become_with_cap(uid_t uid, int cap)
{
	MUST(prctl(PR_SET_KEEPCAPS, 1));
	become(uid, 0);
	caps_keep(CAP_BIT(cap));
}

/* What creating a context says to a child: 0 or an errno. */
enum as { AS_ROOT, AS_NOBODY, AS_MEMBER, AS_CAPABLE };

static int create_as(enum as as, u32 flags)
{
	pid_t pid = fork_child();
	int ret;

	if (pid)
		return reap(pid);
	if (as == AS_CAPABLE)
		become_with_cap(NOBODY, CAP_PERFMON);
	else if (as != AS_ROOT)
		become(NOBODY, as == AS_MEMBER ? GROUP : 0);
	ret = pfm_create(flags);
	_exit(ret < 0 ? -ret : 0);
}

TEST_F(security, system_wide_when_open)
{
	NEED_ROOT();
	harden(false);
	EXPECT_EQ(0, create_as(AS_NOBODY, PFM_FL_SYSTEM_WIDE));
	EXPECT_EQ(0, create_as(AS_NOBODY, 0));
	ASSERT_EQ(0, write_text(SYSFS "/sys_group", "54321"));
	EXPECT_EQ(EPERM, create_as(AS_NOBODY, PFM_FL_SYSTEM_WIDE));
	EXPECT_EQ(0, create_as(AS_MEMBER, PFM_FL_SYSTEM_WIDE));
	EXPECT_EQ(0, create_as(AS_NOBODY, 0));
}

TEST_F(security, system_wide_when_hardened)
{
	NEED_ROOT();
	harden(true);
	EXPECT_EQ(EPERM, create_as(AS_NOBODY, PFM_FL_SYSTEM_WIDE));
	EXPECT_EQ(EPERM, create_as(AS_MEMBER, PFM_FL_SYSTEM_WIDE));
	EXPECT_EQ(0, create_as(AS_CAPABLE, PFM_FL_SYSTEM_WIDE));
	EXPECT_EQ(0, create_as(AS_ROOT, PFM_FL_SYSTEM_WIDE));
	EXPECT_EQ(0, create_as(AS_NOBODY, 0));
	ASSERT_EQ(0, write_text(SYSFS "/sys_group", "54321"));
	EXPECT_EQ(EPERM, create_as(AS_NOBODY, PFM_FL_SYSTEM_WIDE));
	EXPECT_EQ(0, create_as(AS_MEMBER, PFM_FL_SYSTEM_WIDE));
}

/* Only 0 to 2, only root; contexts that exist do not mind. */
TEST_F(security, sysctl)
{
	pid_t pid;
	int fd;

	NEED_ROOT();
	EXPECT_NE(0, write_text(HARDENED, "3"));
	EXPECT_NE(0, write_text(HARDENED, "-1"));
	pid = fork_child();
	if (!pid) {
		become(NOBODY, 0);
		_exit(write_text(HARDENED, "0") ? 0 : 1);
	}
	EXPECT_EQ(0, reap(pid));
	harden(false);
	pin_somewhere();
	fd = pfm_session(PFM_FL_SYSTEM_WIDE, PFM_SW_CSWITCHES, 0, 0, my_tid());
	harden(true);
	close(fd);
}

/* ------------------------------------------------------------------------
 * A descriptor that another process has received
 */

#define ALL_OK	0x1000

/*
 * What all commands and read() answer a process that has become @uid with context
 * @fd: the errno if it is one for all, ALL_OK if each works as it should.
 */
static int stranger(int fd, uid_t uid, bool loaded)
{
	pid_t pid = fork_child();
	pfarg_setinfo_t info = {};
	pfarg_setdesc_t desc = {};
	pfm_msg_t msg;
	int r[9], n = 0, i;
	u64 value;

	if (pid) {
		int ret = reap(pid);

		return ret == 255 ? ALL_OK : ret;
	}
	if (uid)
		become(uid, 0);
	set_nonblock(fd);
	r[n++] = pfm_read_pmd(fd, SW_PMD(0), &value);
	r[n++] = pfm_write_pmd(fd, SW_PMD(1), 7);
	r[n++] = pfm_write_pmc(fd, SW_PMC(1), PFM_SW_NONE, 0);
	r[n++] = pfm(fd, PFM_GETINFO_EVTSETS, &info, 1);
	if (loaded) {
		r[n++] = pfm_start(fd);
		r[n++] = pfm_stop(fd);
		r[n++] = pfm_start(fd);
	} else {
		r[n++] = pfm(fd, PFM_CREATE_EVTSETS, &desc, 1);
	}
	r[n++] = read(fd, &msg, sizeof(msg)) < 0 && errno != EAGAIN ? -errno : 0;
	for (i = 1; i < n; i++)
		if (r[i] != r[0])
			_exit(254);
	_exit(r[0] ? -r[0] : 255);
}

/* Root's context of a child of root's. */
static int roots_context(struct puppet *p)
{
	puppet_start(p, PUPPET_PROCESS);
	return pfm_session(0, PFM_SW_MINOR_FAULTS, 0, 0, p->tid);
}

TEST_F(security, stranger_when_open)
{
	struct puppet p;
	int fd;

	NEED_ROOT();
	harden(false);
	fd = roots_context(&p);
	EXPECT_EQ(ALL_OK, stranger(fd, NOBODY, true));
	EXPECT_EQ(ALL_OK, stranger(fd, 0, true));
	puppet_stop(&p);
}

TEST_F(security, stranger_when_hardened)
{
	struct puppet p;
	int fd;

	NEED_ROOT();
	harden(true);
	fd = roots_context(&p);
	EXPECT_EQ(EPERM, stranger(fd, NOBODY, true));
	EXPECT_EQ(ALL_OK, stranger(fd, 0, true));
	puppet_do(&p, OP_FAULT, 10);
	EXPECT_LE(10ULL, pfm_value(fd, SW_PMD(0)));
	/* When it is over he still learns nothing. */
	puppet_stop(&p);
	EXPECT_EQ(EPERM, stranger(fd, NOBODY, false));
	EXPECT_EQ(ALL_OK, stranger(fd, 0, false));
}

/* A thread that others of its user may trace. */
static pid_t nobodys_thread(void)
{
	pid_t pid;
	int go[2];
	char c;

	MUST(pipe(go));
	pid = fork_child();
	if (!pid) {
		become(NOBODY, 0);
		MUST(prctl(PR_SET_DUMPABLE, 1));
		MUST(write(go[1], "", 1));
		pause();
	}
	MUST(read(go[0], &c, 1));
	close(go[0]);
	close(go[1]);
	return pid;
}

/* Root without the right to monitor the system: what he creates is not shown the kernel. */
static void drop_the_kernel(void)
{
	caps_keep(CAP_BIT(CAP_SETUID) | CAP_BIT(CAP_SETGID) | CAP_BIT(CAP_SYS_PTRACE) |
		  CAP_BIT(CAP_KILL));
}

/* Who may attach to the thread himself need not have attached the context. */
TEST_F(security, receiver_who_may_trace)
{
	pid_t pid, root;

	NEED_ROOT();
	harden(true);
	pid = nobodys_thread();
	root = fork_child();
	if (!root) {
		int fd;

		drop_the_kernel();
		fd = pfm_session(0, PFM_SW_MINOR_FAULTS, 0, 0, pid);
		if (stranger(fd, NOBODY, true) != ALL_OK)
			_exit(1);
		_exit(stranger(fd, NOBODY - 1, true) == EPERM ? 0 : 2);
	}
	EXPECT_EQ(0, reap(root));
	kill_and_reap(pid);
}

/* What root may see of the kernel stays root's, though the thread is the receiver's. */
TEST_F(security, kernel_is_not_handed_over)
{
	pid_t pid;
	int fd;

	NEED_ROOT();
	harden(true);
	pid = nobodys_thread();
	fd = pfm_session(0, PFM_SW_MINOR_FAULTS, 0, 0, pid);
	EXPECT_EQ(EPERM, stranger(fd, NOBODY, true));
	EXPECT_EQ(ALL_OK, stranger(fd, 0, true));
	/* The monitored process itself is no better off. */
	kill_and_reap(pid);
	pid = fork_child();
	if (!pid) {
		u64 value;

		fd = pfm_session(0, PFM_SW_MINOR_FAULTS, 0, 0, my_tid());
		become(NOBODY, 0);
		_exit(pfm_read_pmd(fd, SW_PMD(0), &value) == -EPERM &&
		      pfm_unload(fd) == -EPERM ? 0 : 1);
	}
	EXPECT_EQ(0, reap(pid));
}

/*
 * To use a context takes what a load takes: to be allowed to attach. Here a security module
 * allows that with one's own children only, and to look with everything of one's user.
 */
TEST_F(security, receiver_who_may_only_look)
{
	pid_t pid, root;

	NEED_ROOT();
	if (!self->scope[0])
		SKIP(return, "%s: no " YAMA, _metadata->name);
	harden(true);
	ASSERT_EQ(0, write_text(YAMA, "1"));
	pid = nobodys_thread();
	root = fork_child();
	if (!root) {
		int fd;

		drop_the_kernel();
		fd = pfm_session(0, PFM_SW_MINOR_FAULTS, 0, 0, pid);
		_exit(stranger(fd, NOBODY, true) == EPERM ? 0 : 1);
	}
	EXPECT_EQ(0, reap(root));
	kill_and_reap(pid);
}

/* A tool that gives up its rights keeps what it could have got without. */
TEST_F(security, rights_given_up)
{
	pid_t pid;

	NEED_ROOT();
	harden(true);
	pid = fork_child();
	if (!pid) {
		struct puppet p;
		int fd = roots_context(&p);
		u64 value;

		become(NOBODY, 0);
		_exit(pfm_read_pmd(fd, SW_PMD(0), &value) == -EPERM ? 0 : 1);
	}
	EXPECT_EQ(0, reap(pid));
	pid = fork_child();
	if (!pid) {
		u64 value;
		int fd;

		drop_the_kernel();
		fd = pfm_session(0, PFM_SW_MINOR_FAULTS, 0, 0, my_tid());
		become(NOBODY, 0);
		_exit(pfm_read_pmd(fd, SW_PMD(0), &value) ? 1 : 0);
	}
	EXPECT_EQ(0, reap(pid));
}

TEST_F(security, system_wide_descriptor)
{
	int fd;

	NEED_ROOT();
	pin_somewhere();
	harden(false);
	fd = pfm_session(PFM_FL_SYSTEM_WIDE, PFM_SW_CSWITCHES, 0, 0, my_tid());
	EXPECT_EQ(ALL_OK, stranger(fd, NOBODY, true));
	harden(true);
	EXPECT_EQ(EPERM, stranger(fd, NOBODY, true));
	EXPECT_EQ(ALL_OK, stranger(fd, 0, true));
}

/* Closing is no command: the last one to have it ends the attachment. */
TEST_F(security, stranger_closes)
{
	int fd, go[2], done[2];
	struct puppet p;
	pid_t pid;
	char c;

	NEED_ROOT();
	harden(true);
	fd = roots_context(&p);
	MUST(pipe(go));
	MUST(pipe(done));
	pid = fork_child();
	if (!pid) {
		become(NOBODY, 0);
		MUST(read(go[0], &c, 1));
		close(fd);
		MUST(write(done[1], "", 1));
		pause();
	}
	close(fd);
	EXPECT_EQ(1ULL, sysfs_u64("thread_sessions"));
	MUST(write(go[1], "", 1));
	MUST(read(done[0], &c, 1));
	EXPECT_EQ(0ULL, sysfs_u64("thread_sessions"));
	kill_and_reap(pid);
	puppet_stop(&p);
}

/* A monitored thread that changes its user stays monitored, as if traced. */
TEST_F(security, setuid_of_the_monitored)
{
	int fd, order[2], ack[2];
	pid_t pid;
	char c;

	NEED_ROOT();
	harden(true);
	MUST(pipe(order));
	MUST(pipe(ack));
	pid = fork_child();
	if (!pid) {
		struct pages pages;

		pages_map(&pages, 64);
		MUST(read(order[0], &c, 1));
		become(NOBODY, 0);
		pages_touch(&pages, 32);
		MUST(write(ack[1], "", 1));
		pause();
	}
	fd = pfm_session(0, PFM_SW_MINOR_FAULTS, 0, 0, pid);
	MUST(write(order[1], "", 1));
	MUST(read(ack[0], &c, 1));
	EXPECT_LE(32ULL, pfm_value(fd, SW_PMD(0)));
	EXPECT_TRUE(pfm_state_is(fd, "loaded"));
	kill_and_reap(pid);
}

TEST_HARNESS_MAIN
