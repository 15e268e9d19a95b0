// SPDX-License-Identifier: GPL-2.0-only
/*
 * The memory of contexts and their event sets: set_mem_max and set_mem_cur in
 * /sys/kernel/perfmon, a user's RLIMIT_MEMLOCK, and that what was charged is
 * given back however it ends.
 *
 * Not here: the memory of buffers alone (mmap_limits.c); the file itself and
 * who may write it (limits.c).
 */
#include "sampling.h"
#include <sys/resource.h>

#define NOBODY		65534
#define SOMEONE		65533
#define OVFL		PFM_SETFL_OVFL_SWITCH
#define TIME		PFM_SETFL_TIME_SWITCH

/* Room for a few sets, whatever registers the machine has. */
#define SOME_MEM	65536
/* A set takes a kilobyte at least; half of that on PowerPC, which has no PMU so far. */
#ifdef __powerpc__
#define SET_MEM_LEAST	512
#else
#define SET_MEM_LEAST	1024
#endif
/* What every user has for nothing (security.rst). */
#define FREE_MEM	(1ULL << 20)
/* No context with one set, and no set, is larger. */
#define MUCH		16384

static u64 used(void)
{
	return sysfs_u64("set_mem_cur");
}

static int set_limit(u64 value)
{
	char text[32];

	snprintf(text, sizeof(text), "%llu\n", value);
	return write_text(SYSFS "/set_mem_max", text);
}

FIXTURE(memory) {
	char saved[64];
	u64 before;
};

FIXTURE_SETUP(memory)
{
	MUST(read_text(SYSFS "/set_mem_max", self->saved, sizeof(self->saved)));
	self->before = used();
}

FIXTURE_TEARDOWN(memory)
{
	if (is_root() && write_text(SYSFS "/set_mem_max", self->saved))
		die("set_mem_max cannot be restored");
}

static int create_set(int fd, int id, u32 flags)
{
	pfarg_setdesc_t desc = {
		.set_id = (__u16)id, .set_flags = flags,
	};

	return pfm(fd, PFM_CREATE_EVTSETS, &desc, 1);
}

/* Creates sets from @id on until no more are allowed; how many, or -1. */
static int fill(int fd, int id)
{
	int n = 0, ret;

	while (!(ret = create_set(fd, id + n, OVFL)))
		if (++n > 60000)
			return -1;
	return ret == -ENOMEM && !set_exists(fd, id + n) ? n : -1;
}

/* ------------------------------------------------------------------------
 * The administrator's limit
 */

/* What there is stays, can be changed, used and deleted; more there is not. */
TEST_F(memory, sets_that_exist_stay)
{
	struct puppet p;
	int i, fd;

	NEED_ROOT();
	puppet_start(&p, PUPPET_PROCESS);
	fd = (int)MUST(pfm_create(0));
	for (i = 1; i <= 100; i++)
		MUST(create_set(fd, i, 0));
	ASSERT_EQ(0, set_limit(0));
	for (i = 0; i <= 100; i++)
		EXPECT_TRUE(set_exists(fd, i));
	EXPECT_EQ(-ENOMEM, create_set(fd, 101, 0));
	EXPECT_EQ(-ENOMEM, pfm_create(0));
	for (i = 0; i <= 100; i++) {
		pfarg_pmc_t pmc = {
			.reg_num = SW_PMC(0), .reg_set = (__u16)i,
			.reg_value = PFM_SW_MINOR_FAULTS,
		};
		pfarg_pmd_t pmd = {
			.reg_num = SW_PMD(0), .reg_set = (__u16)i,
			.reg_value = ~0ULL, .reg_ovflsw_thres = 1,
		};

		EXPECT_EQ(0, create_set(fd, i, OVFL));
		MUST(pfm(fd, PFM_WRITE_PMCS, &pmc, 1));
		MUST(pfm(fd, PFM_WRITE_PMDS, &pmd, 1));
	}
	MUST(pfm_load(fd, p.tid));
	MUST(pfm_start(fd));
	puppet_do(&p, OP_FAULT, 100);
	EXPECT_EQ(100ULL, pfm_fdinfo_num(fd, "pfm-set"));
	MUST(pfm_unload(fd));
	EXPECT_EQ(0, delete_set(fd, 50));
	EXPECT_EQ(-ENOMEM, create_set(fd, 50, 0));
	ASSERT_EQ(0, write_text(SYSFS "/set_mem_max", self->saved));
	EXPECT_EQ(0, create_set(fd, 50, 0));
	EXPECT_EQ(0, create_set(fd, 101, 0));
	puppet_stop(&p);
}

/* A vector beyond the limit: sets are made as far as it goes, no element is blamed. */
TEST_F(memory, vector_up_to_the_limit)
{
	int i, n, fd = (int)MUST(pfm_create(0));
	pfarg_setdesc_t desc[150];

	NEED_ROOT();
	ASSERT_EQ(0, set_limit(used() + SOME_MEM));
	for (i = 0; i < 150; i++)
		desc[i] = (pfarg_setdesc_t){
			.set_id = (__u16)(1000 - i), .set_flags = TIME,
			.set_timeout = { 0, 1 },
		};
	ASSERT_EQ(-ENOMEM, pfm(fd, PFM_CREATE_EVTSETS, desc, 150));
	for (n = 0; n < 150 && set_exists(fd, 1000 - n); n++)
		;
	TH_LOG("%d sets in %d bytes", n, SOME_MEM);
	ASSERT_LE(2, n);
	ASSERT_GT(149, n);
	for (i = 0; i < 150; i++) {
		EXPECT_EQ(i < n, set_exists(fd, 1000 - i));
		EXPECT_EQ(TIME, desc[i].set_flags);
		/* The effective one comes back of what there is. */
		if (i < n) {
			EXPECT_LT(1, desc[i].set_timeout.tv_nsec);
		} else {
			EXPECT_EQ(1, desc[i].set_timeout.tv_nsec);
		}
	}
	EXPECT_TRUE(set_exists(fd, 0));
	EXPECT_EQ(0, pfm_load(fd, my_tid()));
}

/* It is what there is now, not what there ever was; in all contexts together. */
TEST_F(memory, all_contexts_together)
{
	/* None has a number beyond 63: all cost the same. */
	const int n = 40;
	int round, a, b;
	u64 one;

	NEED_ROOT();
	a = (int)MUST(pfm_create(0));
	b = (int)MUST(pfm_create(PFM_FL_SYSTEM_WIDE));
	one = used();
	ASSERT_EQ(0, create_set(a, 1, 0));
	one = used() - one;
	EXPECT_LE(SET_MEM_LEAST, one);
	EXPECT_GE(MUCH, one);
	ASSERT_EQ(0, delete_set(a, 1));
	ASSERT_EQ(0, set_limit(used() + n * one));
	ASSERT_EQ(n, fill(a, 1));
	for (round = 0; round < 50; round++) {
		ASSERT_EQ(-ENOMEM, create_set(b, 1, 0));
		ASSERT_EQ(-ENOMEM, pfm_create(0));
		ASSERT_EQ(0, delete_set(a, 1));
		ASSERT_EQ(0, delete_set(a, n));
		ASSERT_EQ(2, fill(b, 1));
		ASSERT_EQ(-ENOMEM, create_set(a, 1, 0));
		ASSERT_EQ(0, delete_set(b, 1));
		ASSERT_EQ(0, delete_set(b, 2));
		ASSERT_EQ(0, create_set(a, n, 0));
		ASSERT_EQ(0, create_set(a, 1, 0));
	}
	/* A context costs more than a set. */
	ASSERT_EQ(0, delete_set(a, 1));
	EXPECT_EQ(-ENOMEM, pfm_create(0));
	close(a);
	EXPECT_LE(0, pfm_create(0));
}

/* ------------------------------------------------------------------------
 * The sum
 */

/* Each thing that a program can make is in it, and goes with its context. */
TEST_F(memory, sum_of_all_contexts)
{
	u64 sum = self->before, one;
	int a, b, c, i;

	a = (int)MUST(pfm_create(0));
	one = used() - sum;
	/* A set and a queue of 14 messages and two ends, at least. */
	EXPECT_LT(1000 + 16 * sizeof(pfm_msg_t), one);
	EXPECT_GT(MUCH, one);
	b = (int)MUST(pfm_create(0));
	EXPECT_EQ(sum + 2 * one, used());
	c = (int)MUST(pfm_create(PFM_FL_NOTIFY_BLOCK));
	EXPECT_EQ(sum + 3 * one, used());
	close(a);
	EXPECT_EQ(sum + 2 * one, used());
	for (i = 0; i < 40; i++)
		MUST(create_set(b, 65535 - 100 * i, 0));
	EXPECT_LE(sum + 2 * one + 40 * 1000, used());
	for (i = 0; i < 40; i++)
		MUST(delete_set(b, 65535 - 100 * i));
	EXPECT_EQ(sum + 2 * one, used());
	for (i = 0; i < 40; i++)
		MUST(create_set(b, 65535 - i, 0));
	close(b);
	close(c);
	EXPECT_EQ(sum, used());
}

/* Pipes have pages. */
#define PAGE_MAX	65536

/* A process that is in one long write() to a pipe, of which @out is the other end. */
static pid_t start_writer(int *out)
{
	static char much[256 * PAGE_MAX], first;
	int ends[2];
	pid_t pid;

	MUST(pipe(ends));
	pid = (pid_t)MUST(fork());
	if (!pid) {
		close(ends[0]);
		_exit(write(ends[1], much, 256 * page_size()) < 0);
	}
	close(ends[1]);
	*out = ends[0];
	/* Monitored earlier, it could be blocked on its way there, and never write. */
	MUST(read(ends[0], &first, 1));
	return pid;
}

/*
 * What makes a thread wait is on its list until it leaves the kernel, which a program
 * can put off, and holds the context. Until then both are paid for.
 */
TEST_F(memory, thread_that_stays_in_the_kernel)
{
	struct pollfd ready = { .events = POLLIN };
	static char page[PAGE_MAX];
	int fd, out, i, grown = 0;
	u64 last;
	pid_t pid;

	pid = start_writer(&out);
	last = self->before;
	/* Not each time: close() may be faster than what makes the thread wait. */
	for (i = 0; i < 100 && grown < 3; i++) {
		fd = pfm_session(PFM_FL_NOTIFY_BLOCK, PFM_SW_CSWITCHES,
				 PFM_REGFL_OVFL_NOTIFY, -1ULL, pid);
		/* It wakes up, in the kernel, and sleeps again: that is an overflow. */
		ready.fd = fd;
		do {
			MUST(read(out, page, page_size()));
		} while (!MUST(poll(&ready, 1, 100)));
		close(fd);
		grown += used() > last;
		last = used();
	}
	EXPECT_EQ(3, grown);
	EXPECT_LT(self->before + 3 * sizeof(pfm_msg_t) * 16, last);
	kill(pid, SIGKILL);
	MUST(waitpid(pid, NULL, 0));
	close(out);
	EXPECT_TRUE(sysfs_becomes("set_mem_cur", self->before));
}

/* What is not created is not charged. */
TEST_F(memory, sum_after_failures)
{
	struct rlimit old, lim;
	pfarg_ctx_t ctx;
	int i;

	MUST(getrlimit(RLIMIT_NOFILE, &old));
	lim = old;
	lim.rlim_cur = 3;
	MUST(setrlimit(RLIMIT_NOFILE, &lim));
	for (i = 0; i < 100; i++)
		EXPECT_EQ(-EMFILE, pfm_create(0));
	MUST(setrlimit(RLIMIT_NOFILE, &old));
	memset(&ctx, 0, sizeof(ctx));
	for (i = 0; i < 100; i++)
		EXPECT_EQ(-EFAULT, pfm(-1, PFM_CREATE_CONTEXT, NULL, 1));
	for (i = 0; i < 100; i++)
		EXPECT_EQ(-ENOMEM, dfl_create(0, 1ULL << 30, 0, NULL));
	EXPECT_EQ(self->before, used());
}

/* Whoever dies gives back, loaded or not. */
TEST_F(memory, sum_after_a_death)
{
	pid_t pid = fork_child();

	if (!pid) {
		int i;

		for (i = 0; i < 30; i++) {
			int fd = pfm_counter(0, PFM_SW_MINOR_FAULTS, 0, 0);

			MUST(create_set(fd, 1 + 1000 * i, 0));
			if (!i)
				MUST(pfm_load(fd, my_tid()));
		}
		kill(getpid(), SIGKILL);
	}
	EXPECT_EQ(-SIGKILL, reap(pid));
	EXPECT_TRUE(sysfs_becomes("set_mem_cur", self->before));
}

/* ------------------------------------------------------------------------
 * A user's limit
 */

static void memlock(u64 bytes)
{
	struct rlimit lim;

	MUST(getrlimit(RLIMIT_MEMLOCK, &lim));
	lim.rlim_cur = (rlim_t)bytes;
	MUST(setrlimit(RLIMIT_MEMLOCK, &lim));
}

/* As an ordinary user: what @fn returns. */
static int as_user(uid_t uid, int (*fn)(void))
{
	pid_t pid = fork_child();

	if (!pid) {
		if (is_root())
			become(uid);
		_exit(fn());
	}
	return reap(pid);
}

/* Whether the sum is what a user may have with @locked bytes, but for MUCH. */
static bool is_all(u64 before, u64 locked)
{
	return used() - before <= FREE_MEM + locked &&
	       used() - before > FREE_MEM + locked - MUCH;
}

/* Contexts without end, 900 at most being open, are not to be had. */
static int contexts_without_end(void)
{
	u64 before = used();
	int n = 0, fd, last = -1;

	memlock(SOME_MEM);
	while ((fd = pfm_create(0)) >= 0 && n++ < 900)
		last = fd;
	if (fd != -ENOMEM || last < 0)
		return 1;
	if (!is_all(before, SOME_MEM))
		return 2;
	/* Nor sets of those that there are, beyond what is left. */
	if (fill(last, 1) < 0 || !is_all(before, SOME_MEM))
		return 3;
	/* In any other process, and with a name space of one's own. */
	fd = fork();
	if (!fd) {
		if (pfm_create(0) != -ENOMEM)
			_exit(1);
		if (!unshare(CLONE_NEWUSER) && pfm_create(0) != -ENOMEM)
			_exit(2);
		/* Until the limit is raised. */
		memlock(2 * SOME_MEM);
		_exit(pfm_create(0) < 0 ? 3 : 0);
	}
	if (reap(fd))
		return 4;
	close(last);
	return pfm_create(0) < 0 ? 5 : 0;
}

TEST_F(memory, contexts_of_a_user)
{
	EXPECT_EQ(0, as_user(NOBODY, contexts_without_end));
	EXPECT_TRUE(sysfs_becomes("set_mem_cur", self->before));
	/* All of it has been given back to the user. */
	EXPECT_EQ(0, as_user(NOBODY, contexts_without_end));
	EXPECT_TRUE(sysfs_becomes("set_mem_cur", self->before));
}

static int sets_without_end(void)
{
	u64 before = used();
	int fd = pfm_create(0), n, again;

	if (fd < 0)
		return 1;
	memlock(0);
	n = fill(fd, 1);
	if (n < 64 || !is_all(before, 0))
		return 2;
	if (delete_set(fd, 1) || delete_set(fd, n / 2))
		return 3;
	again = fill(fd, 30000);
	return again < 1 || again > 2 || !is_all(before, 0) ? 4 : 0;
}

TEST_F(memory, sets_of_a_user)
{
	EXPECT_EQ(0, as_user(NOBODY, sets_without_end));
	EXPECT_TRUE(sysfs_becomes("set_mem_cur", self->before));
}

/* Buffers and sets are of one account; the allowance is for sets alone. */
static int sets_and_buffers(void)
{
	u64 before = used();
	int fd = pfm_create(0), buf;

	memlock(4 * SOME_MEM);
	buf = dfl_create(0, 3 * SOME_MEM, 0, NULL);
	if (fd < 0 || buf < 0)
		return 1;
	if (fill(fd, 1) < 64 || !is_all(before, SOME_MEM))
		return 2;
	if (dfl_create(0, 4096, 0, NULL) != -ENOMEM)
		return 3;
	close(buf);
	if (fill(fd, 30000) < 1 || !is_all(before, 4 * SOME_MEM))
		return 4;
	return dfl_create(0, 3 * SOME_MEM, 0, NULL) == -ENOMEM ? 0 : 5;
}

TEST_F(memory, sets_and_buffers_of_a_user)
{
	EXPECT_EQ(0, as_user(NOBODY, sets_and_buffers));
	EXPECT_TRUE(sysfs_becomes("set_mem_cur", self->before));
}

/* Others have their own; who has CAP_IPC_LOCK has no limit, with it only. */
TEST_F(memory, other_users)
{
	int to[2], back[2], i, fds[2];
	char c;
	pid_t pid;

	NEED_ROOT();
	MUST(pipe2(to, O_CLOEXEC));
	MUST(pipe2(back, O_CLOEXEC));
	pid = fork_child();
	if (!pid) {
		become(NOBODY);
		memlock(0);
		fds[0] = (int)MUST(pfm_create(0));
		c = fill(fds[0], 1) < 64;
		MUST(write(back[1], &c, 1));
		MUST(read(to[0], &c, 1));
		_exit(0);
	}
	MUST(read(back[0], &c, 1));
	EXPECT_EQ(0, c);
	EXPECT_EQ(0, as_user(SOMEONE, contexts_without_end));
	memlock(0);
	for (i = 0; i < 2; i++)
		fds[i] = (int)MUST(pfm_create(0));
	for (i = 1; i <= 2000; i++) {
		ASSERT_EQ(0, create_set(fds[i & 1], i, 0));
	}
	EXPECT_LT(FREE_MEM + self->before, used());
	/* Root without the capability is a user as any. */
	i = fork_child();
	if (!i) {
		caps_keep(~CAP_BIT(CAP_IPC_LOCK));
		_exit(pfm_create(0) == -ENOMEM ? 0 : 1);
	}
	EXPECT_EQ(0, reap(i));
	MUST(write(to[1], &c, 1));
	EXPECT_EQ(0, reap(pid));
}

/* The creator pays, whatever becomes of him and whoever closes it. */
TEST_F(memory, credentials_change)
{
	pid_t pid;
	int fd, i;

	NEED_ROOT();
	fd = (int)MUST(pfm_create(0));
	pid = fork_child();
	if (!pid) {
		int mine = (int)MUST(pfm_create(0));

		become(NOBODY);
		/* Root's, which the caller's limit holds for. */
		memlock(0);
		for (i = 1; i < 100; i++) {
			if (create_set(mine, i, 0) || create_set(fd, i, 0))
				_exit(1);
		}
		/* None of that is his. */
		i = sets_without_end();
		close(mine);
		_exit(i);
	}
	EXPECT_EQ(0, reap(pid));
	close(fd);
	EXPECT_TRUE(sysfs_becomes("set_mem_cur", self->before));
}

TEST_HARNESS_MAIN
