// SPDX-License-Identifier: GPL-2.0-only
/*
 * PFM_START, PFM_STOP and PFM_READ_PMDS of a thread on its own context, which go without
 * the context's mutex: they do what they do by the way that all commands can take, and
 * another thread's commands on the same context may come at any moment.
 */
#include "pfm_test.h"

#include <fcntl.h>
#include <pthread.h>

#define ROUNDS	200
#define TOUCHED	3		/* pages in each round */
#define SETS	3

/* Both ways, if this kernel lets one choose; else the one that it takes. */
static bool take(bool slow)
{
	int fd = open("/sys/kernel/debug/perfmon/slow", O_WRONLY);
	bool done = fd >= 0 && write(fd, slow ? "Y" : "N", 1) == 1;

	if (fd >= 0)
		close(fd);
	return done;
}

FIXTURE(fast) {
	struct pages pages;
	int fd;
	bool ok;
};

#define NEED_THE_WAY() do {						\
	if (!self->ok)							\
		SKIP(return, "no debugfs/perfmon/slow, or not root");	\
} while (0)

FIXTURE_VARIANT(fast) {
	bool slow;
};

FIXTURE_VARIANT_ADD(fast, fast) { .slow = false };
FIXTURE_VARIANT_ADD(fast, slow) { .slow = true };

FIXTURE_SETUP(fast)
{
	self->ok = take(variant->slow) || !variant->slow;
	pages_map(&self->pages, ROUNDS * TOUCHED);
	self->fd = pfm_counter(0, PFM_SW_MINOR_FAULTS, 0, 0);
	ASSERT_EQ(pfm_write_pmc(self->fd, SW_PMC(1), PFM_SW_CSWITCHES, 0), 0);
}

FIXTURE_TEARDOWN(fast)
{
	take(false);
}

/* Each page is counted once while the context is started, and none while it is not. */
TEST_F(fast, counts)
{
	u64 n = 0;
	int i;

	NEED_THE_WAY();
	ASSERT_EQ(pfm_load(self->fd, my_tid()), 0);
	for (i = 0; i < ROUNDS; i++) {
		ASSERT_EQ(pfm_start(self->fd), 0);
		pages_touch(&self->pages, 1);
		ASSERT_EQ(pfm_value(self->fd, SW_PMD(0)), n + 1);
		pages_touch(&self->pages, 1);
		ASSERT_EQ(pfm_stop(self->fd), 0);
		pages_touch(&self->pages, 1);
		n += 2;
		ASSERT_EQ(pfm_value(self->fd, SW_PMD(0)), n);
	}
}

static int start_set(int fd, int set)
{
	pfarg_start_t start = { .start_set = (__u16)set };

	return pfm(fd, PFM_START, &start, 1);
}

/* PFM_START goes from set to set, to the next one or another: a page counts in the active one. */
TEST_F(fast, sets)
{
	pfarg_pmc_t pmc = { .reg_num = SW_PMC(0), .reg_value = PFM_SW_MINOR_FAULTS };
	pfarg_pmd_t pmd = { .reg_num = SW_PMD(0) };
	u64 faults[SETS] = {}, runs[SETS] = { 1 };
	int i, set, last = 0;

	NEED_THE_WAY();
	for (set = 1; set < SETS; set++) {
		pfarg_setdesc_t desc = { .set_id = (__u16)set };

		ASSERT_EQ(pfm(self->fd, PFM_CREATE_EVTSETS, &desc, 1), 0);
		pmc.reg_set = (__u16)set;
		ASSERT_EQ(pfm(self->fd, PFM_WRITE_PMCS, &pmc, 1), 0);
	}
	EXPECT_EQ(start_set(self->fd, 1), -EBUSY);
	ASSERT_EQ(pfm_load(self->fd, my_tid()), 0);
	for (i = 0; i < ROUNDS; i++) {
		set = i % 2 ? 0 : i / 2 % SETS;
		ASSERT_EQ(start_set(self->fd, set), 0);
		runs[set] += set != last;
		last = set;
		pages_touch(&self->pages, 1);
		faults[set]++;
		/* A set that is not there is no reason to leave the one that is. */
		ASSERT_EQ(start_set(self->fd, SETS), -EINVAL);
	}
	ASSERT_EQ(pfm_stop(self->fd), 0);
	pages_touch(&self->pages, TOUCHED);
	for (set = 0; set < SETS; set++) {
		pmd.reg_set = (__u16)set;
		ASSERT_EQ(pfm(self->fd, PFM_READ_PMDS, &pmd, 1), 0);
		EXPECT_EQ(pmd.reg_value, faults[set]);
		EXPECT_EQ(info_of_set(self->fd, set).set_runs, runs[set]);
	}
}

/* What a command refuses, and by which error, has nothing to do with the way. */
TEST_F(fast, errors)
{
	pfarg_pmd_t pmd[2] = { { .reg_num = SW_PMD(0) }, { .reg_num = SW_PMD(0) } };
	int other = pfm_counter(0, PFM_SW_MINOR_FAULTS, 0, 77);
	pfarg_start_t start = {};
	u64 value;
	int i;

	NEED_THE_WAY();
	ASSERT_EQ(pfm_start(self->fd), -EBUSY);
	ASSERT_EQ(pfm_stop(self->fd), -EBUSY);
	ASSERT_EQ(pfm_load(self->fd, my_tid()), 0);
	EXPECT_EQ(pfm_start(-1), -EBADF);
	EXPECT_EQ(pfm_start(0), -EBADF);
	EXPECT_EQ(pfm_stop(1 << 20), -EBADF);
	EXPECT_EQ(pfm_read_pmd(-1, SW_PMD(0), &value), -EBADF);
	/* The descriptor is asked, not the thread. */
	EXPECT_EQ(pfm_start(other), -EBUSY);
	EXPECT_EQ(pfm_value(other, SW_PMD(0)), 77ULL);

	pmd[1].reg_flags = PFM_REGFL_OVFL_NOTIFY;
	EXPECT_EQ(pfm(self->fd, PFM_READ_PMDS, pmd, 2), -EINVAL);
	EXPECT_EQ(pmd[0].reg_flags, 0U);
	EXPECT_NE(pmd[1].reg_flags, 0U);
	pmd[1] = (pfarg_pmd_t){ .reg_num = SW_PMD(0), .reg_set = 9 };
	EXPECT_EQ(pfm(self->fd, PFM_READ_PMDS, pmd, 2), -EINVAL);
	EXPECT_EQ(pfm(self->fd, PFM_READ_PMDS, NULL, 1), -EFAULT);
	EXPECT_EQ(pfm(self->fd, PFM_READ_PMDS, pmd, 0), -EINVAL);
	EXPECT_EQ(pfm(self->fd, PFM_READ_PMDS, pmd, -1), -EINVAL);
	EXPECT_EQ(pfm(self->fd, PFM_START, pmd, 0), -EINVAL);
	EXPECT_EQ(pfm(self->fd, PFM_START, NULL, 1), -EFAULT);
	EXPECT_EQ(pfm(self->fd, PFM_START, &start, 2), -EINVAL);
	for (i = 0; i < 3; i++) {
		start.start_pad[i] = 1;
		EXPECT_EQ(pfm(self->fd, PFM_START, &start, 1), -EINVAL);
		start.start_pad[i] = 0;
	}
	EXPECT_EQ(start_set(-1, 0), -EBADF);
	EXPECT_EQ(start_set(other, 0), -EBUSY);
	EXPECT_EQ(start_set(self->fd, 0), 0);
	EXPECT_EQ(pfm(self->fd, PFM_STOP, NULL, 1), -EINVAL);
	ASSERT_EQ(pfm_unload(self->fd), 0);
	EXPECT_EQ(pfm_stop(self->fd), -EBUSY);
	close(self->fd);
	EXPECT_EQ(pfm_start(self->fd), -EBADF);
}

/* The first read of a thread's time, for which the context has to take the time. */
TEST_F(fast, thread_time)
{
	u64 a, b;

	NEED_THE_WAY();
	ASSERT_EQ(pfm_load(self->fd, my_tid()), 0);
	ASSERT_EQ(pfm_start(self->fd), 0);
	a = pfm_value(self->fd, PFM_VPMD_THREAD_TIME);
	b = pfm_value(self->fd, PFM_VPMD_THREAD_TIME);
	EXPECT_GT(a, 0ULL);
	EXPECT_GT(b, a);
}

struct meddler {
	pthread_t thread;
	pid_t target;
	int fd;
	bool over;		/* atomic */
	long done;		/* atomic: rounds */
};

static bool is_over(struct meddler *m)
{
	return __atomic_load_n(&m->over, __ATOMIC_RELAXED);
}

/* Commands of another thread: each takes the mutex, and some end the attachment. */
static void *meddle(void *arg)
{
	struct meddler *m = arg;
	u64 value;

	while (!is_over(m)) {
		pfm_read_pmd(m->fd, SW_PMD(0), &value);
		pfm_write_pmc(m->fd, SW_PMC(2), PFM_SW_MINOR_FAULTS, 0);
		pfm_stop(m->fd);
		pfm_start(m->fd);
		pfm_unload(m->fd);
		pfm_write_pmd(m->fd, SW_PMD(0), 0);
		pfm_load(m->fd, m->target);
		__atomic_add_fetch(&m->done, 1, __ATOMIC_RELAXED);
	}
	return NULL;
}

TEST_F(fast, others_meanwhile)
{
	struct meddler m = { .target = my_tid(), .fd = self->fd };
	int starts = 0, ret;
	u64 value;

	NEED_THE_WAY();
	ASSERT_EQ(pfm_load(self->fd, my_tid()), 0);
	ASSERT_EQ(pthread_create(&m.thread, NULL, meddle, &m), 0);
	/* Until both have done something in each other's way. */
	while (__atomic_load_n(&m.done, __ATOMIC_RELAXED) < ROUNDS || starts < ROUNDS) {
		ret = pfm_start(self->fd);
		if (!ret)
			starts++;
		else if (ret != -EBUSY)
			break;
		ret = pfm_read_pmd(self->fd, SW_PMD(0), &value);
		if (ret || value > ROUNDS * TOUCHED)
			break;
		ret = pfm_stop(self->fd);
		if (ret && ret != -EBUSY)
			break;
		ret = 0;
	}
	__atomic_store_n(&m.over, true, __ATOMIC_RELAXED);
	ASSERT_EQ(pthread_join(m.thread, NULL), 0);
	EXPECT_EQ(ret, 0);
	EXPECT_GE(starts, ROUNDS);
	/* It counts as before. */
	pfm_unload(self->fd);
	ASSERT_EQ(pfm_write_pmd(self->fd, SW_PMD(0), 0), 0);
	ASSERT_EQ(pfm_load(self->fd, my_tid()), 0);
	ASSERT_EQ(pfm_start(self->fd), 0);
	pages_touch(&self->pages, TOUCHED);
	EXPECT_EQ(pfm_value(self->fd, SW_PMD(0)), (u64)TOUCHED);
}

/* The descriptor is closed by another thread, again and again. */
static void *close_it(void *arg)
{
	struct meddler *m = arg;

	while (!is_over(m)) {
		int fd = __atomic_exchange_n(&m->fd, -1, __ATOMIC_ACQ_REL);

		if (fd >= 0) {
			close(fd);
			__atomic_add_fetch(&m->done, 1, __ATOMIC_RELAXED);
		}
	}
	return NULL;
}

TEST_F(fast, closed_meanwhile)
{
	struct meddler m = { .fd = -1 };
	int i, fd, ret = 0, broken = 0;

	NEED_THE_WAY();
	ASSERT_EQ(pthread_create(&m.thread, NULL, close_it, &m), 0);
	for (i = 0; i < ROUNDS; i++) {
		fd = pfm_counter(0, PFM_SW_MINOR_FAULTS, 0, 0);
		ASSERT_EQ(pfm_load(fd, my_tid()), 0);
		__atomic_store_n(&m.fd, fd, __ATOMIC_RELEASE);
		do {
			ret = pfm_start(fd) ?: pfm_stop(fd);
		} while (!ret);
		broken += ret != -EBADF && ret != -EBUSY;
		/* Gone, and with it the attachment: there is room for the next one. */
		while (__atomic_load_n(&m.done, __ATOMIC_RELAXED) <= i)
			;
	}
	__atomic_store_n(&m.over, true, __ATOMIC_RELAXED);
	ASSERT_EQ(pthread_join(m.thread, NULL), 0);
	EXPECT_EQ(broken, 0);
}

TEST_HARNESS_MAIN
