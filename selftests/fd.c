// SPDX-License-Identifier: GPL-2.0-only
/*
 * A context is a file descriptor: which descriptors the commands accept, what
 * other system calls do to a context's, flags of CREATE_CONTEXT, the fields
 * it fills in, and the life of the descriptor (dup, close-on-exec, limits).
 *
 * Not here: read() and poll() (message.c), who may create (config.c), what
 * closing does to a loaded context (inherit.c).
 */
#include "pfm_test.h"
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/timerfd.h>

#ifndef O_PATH
#define O_PATH 010000000
#endif

/* All commands that need a context, with an argument that would do. */
struct args {
	pfarg_pmc_t pmc;
	pfarg_pmd_t pmd;
	pfarg_load_t load;
	pfarg_setdesc_t set;
	pfarg_setinfo_t info;
};

static int run_command(int fd, int n, struct args *a)
{
	*a = (struct args){};
	a->pmc.reg_num = SW_PMC(0);
	a->pmd.reg_num = SW_PMD(0);
	a->load.load_pid = my_tid();
	switch (n) {
	case 0: return pfm(fd, PFM_WRITE_PMCS, &a->pmc, 1);
	case 1: return pfm(fd, PFM_WRITE_PMDS, &a->pmd, 1);
	case 2: return pfm(fd, PFM_READ_PMDS, &a->pmd, 1);
	case 3: return pfm(fd, PFM_CREATE_EVTSETS, &a->set, 1);
	case 4: return pfm(fd, PFM_DELETE_EVTSETS, &a->set, 1);
	case 5: return pfm(fd, PFM_GETINFO_EVTSETS, &a->info, 1);
	case 6: return pfm(fd, PFM_LOAD_CONTEXT, &a->load, 1);
	case 7: return pfm_start(fd);
	case 8: return pfm_stop(fd);
	case 9: return pfm_restart(fd);
	case 10: return pfm_unload(fd);
	}
	return 1;
}

#define N_FD_COMMANDS 11

TEST(other_descriptors_are_not_contexts)
{
	int sv[2], p[2], fds[16], n = 0, i, k;
	struct args a;

	MUST(pipe(p));
	MUST(socketpair(AF_UNIX, SOCK_STREAM, 0, sv));
	fds[n++] = -1;
	fds[n++] = INT_MIN;
	fds[n++] = INT_MAX;
	fds[n++] = AT_FDCWD;
	fds[n++] = (int)MUST(dup(0));
	close(fds[n - 1]);
	fds[n++] = p[0];
	fds[n++] = p[1];
	fds[n++] = sv[0];
	fds[n++] = (int)MUST(open("/proc/self/exe", O_RDONLY));
	fds[n++] = (int)MUST(open("/", O_RDONLY | O_DIRECTORY));
	fds[n++] = (int)MUST(open("/dev/null", O_RDWR));
	fds[n++] = (int)MUST(epoll_create1(0));
	fds[n++] = (int)MUST(timerfd_create(CLOCK_MONOTONIC, 0));
	fds[n++] = (int)MUST(open("/proc/self/fd", O_PATH));
	fds[n++] = (int)MUST(eventfd(0, 0));
	ASSERT_GE((int)ARRAY_SIZE(fds), n);
	for (i = 0; i < n; i++)
		for (k = 0; k < N_FD_COMMANDS; k++)
			EXPECT_EQ(-EBADF, run_command(fds[i], k, &a)) {
				TH_LOG("descriptor %d, command %d", i, k);
			}
}

TEST(closed_context)
{
	int k, fd = (int)MUST(pfm_create(0));
	struct args a;

	ASSERT_EQ(0, run_command(fd, 1, &a));
	close(fd);
	for (k = 0; k < N_FD_COMMANDS; k++)
		EXPECT_EQ(-EBADF, run_command(fd, k, &a));
}

TEST(o_path_of_a_context)
{
	int opath, k, fd = (int)MUST(pfm_create(0));
	char path[64];
	struct args a;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	/* An anonymous file may refuse to be opened by name at all. */
	opath = open(path, O_PATH);
	if (opath >= 0) {
		for (k = 0; k < N_FD_COMMANDS; k++)
			EXPECT_EQ(-EBADF, run_command(opath, k, &a));
	}
	EXPECT_GT(0, open(path, O_RDONLY));
	EXPECT_EQ(0, run_command(fd, 1, &a));
}

TEST(commands_without_a_descriptor_ignore_it)
{
	pfarg_pmcinfo_t pmc = { .reg_num = SW_PMC(0) };
	pfarg_pmdinfo_t pmd = { .reg_num = SW_PMD(0) };
	static const int fds[] = { -1, 0, 1, INT_MAX, INT_MIN };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(fds); i++) {
		pfarg_config_t cf = {};
		pfarg_ctx_t ctx = {};

		EXPECT_EQ(0, pfm(fds[i], PFM_GET_CONFIG, &cf, 1));
		EXPECT_EQ(PFM_VERSION, cf.cf_version);
		EXPECT_EQ(0, pfm(fds[i], PFM_GETINFO_PMCS, &pmc, 1));
		EXPECT_EQ(0, pfm(fds[i], PFM_GETINFO_PMDS, &pmd, 1));
		EXPECT_EQ(0, pfm(fds[i], PFM_CREATE_CONTEXT, &ctx, 1));
		EXPECT_LT(2, ctx.ctx_fd);
		close(ctx.ctx_fd);
	}
}

TEST(foreign_calls_on_a_context)
{
	int fd = (int)MUST(pfm_create(0));
	int null = (int)MUST(open("/dev/null", O_WRONLY));
	char buf[64] = {};
	void *p;

	EXPECT_EQ(-1, write(fd, buf, 48));
	EXPECT_EQ(-1, lseek(fd, 0, SEEK_SET));
	EXPECT_EQ(ESPIPE, errno);
	EXPECT_EQ(-1, lseek(fd, 48, SEEK_CUR));
	EXPECT_EQ(ESPIPE, errno);
	EXPECT_EQ(-1, pread(fd, buf, 48, 0));
	EXPECT_EQ(ESPIPE, errno);
	EXPECT_EQ(-1, ioctl(fd, 0x5401, buf));
	EXPECT_EQ(ENOTTY, errno);
	EXPECT_EQ(-1, ftruncate(fd, 0));
	EXPECT_EQ(-1, fallocate(fd, 0, 0, 4096));
	EXPECT_EQ(-1, fsync(fd));
	EXPECT_EQ(-1, sendfile(null, fd, NULL, 48));
	/* No format, hence no buffer to map. */
	p = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
	EXPECT_EQ(MAP_FAILED, p);
	p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	EXPECT_EQ(MAP_FAILED, p);
	p = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
	EXPECT_EQ(MAP_FAILED, p);
	/* And the context is as it was. */
	EXPECT_EQ(0, pfm_write_pmd(fd, SW_PMD(0), 5));
	EXPECT_EQ(5ULL, pfm_value(fd, SW_PMD(0)));
}

TEST(context_flags_bit_by_bit)
{
	static const u32 known = PFM_FL_NOTIFY_BLOCK | PFM_FL_SYSTEM_WIDE |
				 PFM_FL_OVFL_NO_MSG | PFM_FL_CLOEXEC | PFM_FL_TREE;
	int bit, fd;

	for (bit = 0; bit < 32; bit++) {
		fd = pfm_create(1U << bit);
		if (known >> bit & 1) {
			EXPECT_LE(0, fd);
			EXPECT_EQ(1ULL << bit, pfm_fdinfo_num(fd, "pfm-flags"));
		} else {
			EXPECT_EQ(-EINVAL, fd) {
				TH_LOG("flag %#x", 1U << bit);
			}
			EXPECT_EQ(-EINVAL, pfm_create(known | 1U << bit));
		}
		if (fd >= 0)
			close(fd);
	}
}

/* Table 3.2: blocking is for another thread, a CPU cannot be blocked. */
TEST(table_3_2)
{
	static const struct {
		u32 flags;
		bool ok;
	} t[] = {
		{ 0, true },
		{ PFM_FL_NOTIFY_BLOCK, true },
		{ PFM_FL_SYSTEM_WIDE, true },
		{ PFM_FL_OVFL_NO_MSG, true },
		{ PFM_FL_OVFL_NO_MSG | PFM_FL_NOTIFY_BLOCK, true },
		{ PFM_FL_OVFL_NO_MSG | PFM_FL_SYSTEM_WIDE, true },
		{ PFM_FL_NOTIFY_BLOCK | PFM_FL_SYSTEM_WIDE, false },
		{ PFM_FL_NOTIFY_BLOCK | PFM_FL_SYSTEM_WIDE |
		  PFM_FL_OVFL_NO_MSG, false },
	};
	size_t i;
	int fd;

	for (i = 0; i < ARRAY_SIZE(t); i++) {
		fd = pfm_create(t[i].flags);
		if (t[i].ok) {
			EXPECT_LE(0, fd);
			close(fd);
		} else {
			EXPECT_EQ(-EINVAL, fd);
		}
	}
}

/* The descriptor is never without it: no other thread's exec() can have it. */
TEST(flag_cloexec)
{
	int fd = (int)MUST(pfm_create(0));
	int closed = (int)MUST(pfm_create(PFM_FL_CLOEXEC));
	char arg[2][16];
	pid_t pid;

	EXPECT_EQ(0, fcntl(fd, F_GETFD));
	EXPECT_EQ(FD_CLOEXEC, fcntl(closed, F_GETFD));
	pid = fork_child();
	if (!pid) {
		snprintf(arg[0], sizeof(arg[0]), "%d", fd);
		snprintf(arg[1], sizeof(arg[1]), "%d", closed);
		execl("/proc/self/exe", "fd", "--after-exec", arg[0], arg[1],
		      NULL);
		_exit(95);
	}
	EXPECT_EQ(0, reap(pid));
	EXPECT_TRUE(pfm_state_is(closed, "unloaded"));
}

TEST(create_reserved_fields)
{
	pfarg_ctx_t ctx;
	int i;

	for (i = 0; i < 4; i++) {
		ctx = (pfarg_ctx_t){};
		ctx.ctx_reserved[i] = 1ULL << 63;
		EXPECT_EQ(-EINVAL, pfm(-1, PFM_CREATE_CONTEXT, &ctx, 1));
	}
}

TEST(create_unknown_format)
{
	char modprobe[PATH_MAX];
	pfarg_ctx_t ctx;
	int i;

	/* To look for no module takes modprobe half a second: format_modprobe.c is about that. */
	if (is_root()) {
		MUST(read_text(MODPROBE, modprobe, sizeof(modprobe)));
		set_modprobe("");
	}
	for (i = 0; i < 16; i++) {
		ctx = (pfarg_ctx_t){ .ctx_fd = -1 };
		ctx.ctx_smpl_buf_id[i] = 1;
		EXPECT_EQ(-EINVAL, pfm(-1, PFM_CREATE_CONTEXT, &ctx, 1));
		EXPECT_EQ(-1, ctx.ctx_fd);
	}
	if (is_root())
		set_modprobe(modprobe);
}

/* ctx_fd and ctx_smpl_buf_size are ignored on input and set on output. */
TEST(create_output)
{
	pfarg_ctx_t ctx = {
		.ctx_flags = PFM_FL_OVFL_NO_MSG, .ctx_fd = 12345,
		.ctx_smpl_buf_size = ~0ULL,
	};
	int low = (int)MUST(dup(0));

	close(low);
	ASSERT_EQ(0, pfm(-1, PFM_CREATE_CONTEXT, &ctx, 1));
	EXPECT_EQ(low, ctx.ctx_fd);
	EXPECT_EQ(PFM_FL_OVFL_NO_MSG, ctx.ctx_flags);
	EXPECT_EQ(0ULL, ctx.ctx_smpl_buf_size);
	EXPECT_TRUE(all_bytes(ctx.ctx_smpl_buf_id, 16, 0));
	EXPECT_TRUE(all_bytes(ctx.ctx_reserved, 32, 0));
	EXPECT_TRUE(pfm_state_is(ctx.ctx_fd, "unloaded"));
}

TEST(create_at_the_descriptor_limit)
{
	struct rlimit old, none;
	int fd = (int)MUST(pfm_create(0));

	close(fd);
	MUST(getrlimit(RLIMIT_NOFILE, &old));
	none = old;
	none.rlim_cur = (rlim_t)fd;
	MUST(setrlimit(RLIMIT_NOFILE, &none));
	EXPECT_EQ(-EMFILE, pfm_create(0));
	EXPECT_EQ(-EMFILE, pfm_create(0));
	MUST(setrlimit(RLIMIT_NOFILE, &old));
	EXPECT_EQ(fd, pfm_create(0));
}

TEST(many_contexts)
{
	struct rlimit lim;
	int fds[500], n, i;

	MUST(getrlimit(RLIMIT_NOFILE, &lim));
	n = lim.rlim_cur < 520 ? (int)lim.rlim_cur - 20 : 500;
	for (i = 0; i < n; i++) {
		fds[i] = pfm_create(0);
		ASSERT_LE(0, fds[i]);
		ASSERT_EQ(0, pfm_write_pmd(fds[i], SW_PMD(0), (u64)i));
	}
	for (i = 0; i < n; i++) {
		ASSERT_EQ((u64)i, pfm_value(fds[i], SW_PMD(0)));
		close(fds[i]);
	}
}

TEST(dup_is_the_same_context)
{
	int fd = (int)MUST(pfm_create(0)), copy = (int)MUST(dup(fd));

	EXPECT_EQ(0, pfm_write_pmd(fd, SW_PMD(1), 42));
	EXPECT_EQ(42ULL, pfm_value(copy, SW_PMD(1)));
	close(fd);
	EXPECT_EQ(42ULL, pfm_value(copy, SW_PMD(1)));
	EXPECT_EQ(0, pfm_load(copy, my_tid()));
	EXPECT_TRUE(pfm_state_is(copy, "loaded"));
}

/* Closing one of two descriptors of a process leaves the context loaded. */
TEST(dup_keeps_it_loaded)
{
	int fd = pfm_session(0, PFM_SW_MINOR_FAULTS, 0, 0, my_tid());
	int copy = (int)MUST(dup(fd));
	struct pages pages;
	u64 before;

	pages_map(&pages, 8);
	close(fd);
	ASSERT_TRUE(pfm_state_is(copy, "loaded"));
	before = pfm_value(copy, SW_PMD(0));
	pages_touch(&pages, 8);
	EXPECT_LE(before + 8, pfm_value(copy, SW_PMD(0)));
}

/*
 * "The regular file descriptor semantics apply" (3.1.1): open across exec()
 * unless marked. The child looks at itself through /proc.
 */
TEST(close_on_exec)
{
	int fd = (int)MUST(pfm_create(0)), marked = (int)MUST(pfm_create(0));
	char a[16], b[16];
	pid_t pid;

	EXPECT_EQ(0, fcntl(fd, F_GETFD) & FD_CLOEXEC);
	MUST(fcntl(marked, F_SETFD, FD_CLOEXEC));
	snprintf(a, sizeof(a), "%d", fd);
	snprintf(b, sizeof(b), "%d", marked);
	pid = fork_child();
	if (!pid) {
		execl("/proc/self/exe", "fd", "--after-exec", a, b, NULL);
		_exit(98);
	}
	EXPECT_EQ(0, reap(pid));
}

/* In the new program: the first is a context, the second one is not open. */
static int after_exec(const char *open_fd, const char *closed_fd)
{
	int fd = atoi(open_fd), gone = atoi(closed_fd);

	if (pfm_write_pmd(fd, SW_PMD(0), 9) || pfm_value(fd, SW_PMD(0)) != 9)
		return 1;
	if (pfm_write_pmd(gone, SW_PMD(0), 9) != -EBADF)
		return 2;
	if (pfm_load(fd, my_tid()) || pfm_start(fd))
		return 3;
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 4 && !strcmp(argv[1], "--after-exec"))
		return after_exec(argv[2], argv[3]);
	return test_harness_run(argc, argv);
}
