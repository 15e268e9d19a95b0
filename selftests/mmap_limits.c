// SPDX-License-Identifier: GPL-2.0-only
/*
 * The memory of buffers: what sysfs says of it, RLIMIT_MEMLOCK, the limit for
 * all users together, and sizes beyond any limit.
 *
 * Not here: the limit for the memory of event sets (limits.c).
 */
#include "mapping.h"

/* Bytes in whole pages, from creation to the end of the context. */
TEST(sysfs_counts)
{
	u64 page = page_size(), before = buffers_now(), sum = before;
	u64 sizes[] = { 1000, page, page + 1, 10 * page, 100 * page - 1 };
	struct sampler s[5];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		s[i].fd = (int)MUST(dfl_create(0, sizes[i], 0, &s[i].size));
		sum += page_align(sizes[i]);
		EXPECT_EQ(page_align(sizes[i]), s[i].size);
		EXPECT_EQ(sum, buffers_now());
		s[i].hdr = buf_map(s[i].fd, s[i].size);
		EXPECT_EQ(sum, buffers_now());
		munmap((void *)s[i].hdr, (size_t)s[i].size);
		EXPECT_EQ(sum, buffers_now());
	}
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		close(s[i].fd);
		sum -= page_align(sizes[i]);
		EXPECT_EQ(sum, buffers_now());
	}
	EXPECT_EQ(before, buffers_now());
}

/* A context without a buffer costs none. */
TEST(sysfs_does_not_count_others)
{
	u64 before = buffers_now();
	int i;

	for (i = 0; i < 10; i++)
		MUST(pfm_create(0));
	EXPECT_EQ(before, buffers_now());
}

static void memlock(size_t bytes)
{
	struct rlimit lim;

	MUST(getrlimit(RLIMIT_MEMLOCK, &lim));
	lim.rlim_cur = bytes;
	MUST(setrlimit(RLIMIT_MEMLOCK, &lim));
}

/* As an ordinary user whose limit is eight pages: 0 or where it failed. */
static int within_the_limit(void)
{
	size_t page = page_size();
	int a, b;

	memlock(8 * page + page / 2);
	if (dfl_create(0, 9 * page, 0, NULL) != -ENOMEM)
		return 1;
	a = dfl_create(0, 8 * page, 0, NULL);
	if (a < 0)
		return 2;
	/* Not a page more, in no other process of the user either. */
	if (dfl_create(0, page, 0, NULL) != -ENOMEM)
		return 3;
	b = fork();
	if (!b)
		_exit(dfl_create(0, page, 0, NULL) == -ENOMEM ? 0 : 1);
	if (reap(b))
		return 4;
	/* What needs no buffer is not concerned. */
	if (pfm_create(0) < 0)
		return 5;
	close(a);
	a = dfl_create(0, 5 * page, 0, NULL);
	b = dfl_create(0, 3 * page, 0, NULL);
	if (a < 0 || b < 0)
		return 6;
	if (dfl_create(0, 1000, 0, NULL) != -ENOMEM)
		return 7;
	close(b);
	/* A lower limit does not take away what there is. */
	memlock(page);
	if (dfl_create(0, 1000, 0, NULL) != -ENOMEM)
		return 8;
	close(a);
	a = dfl_create(0, page, 0, NULL);
	if (a < 0)
		return 9;
	memlock(0);
	return dfl_create(0, 1000, 0, NULL) == -ENOMEM ? 0 : 10;
}

TEST(limit_of_locked_memory)
{
	u64 before = buffers_now();
	pid_t pid = fork_child();

	if (!pid) {
		if (is_root())
			become(NOBODY);
		_exit(within_the_limit());
	}
	EXPECT_EQ(0, reap(pid));
	EXPECT_TRUE(buffers_become(before));
	/* And once more: all of it has been given back to the user. */
	pid = fork_child();
	if (!pid) {
		if (is_root())
			become(NOBODY);
		_exit(within_the_limit());
	}
	EXPECT_EQ(0, reap(pid));
}

/* CAP_IPC_LOCK is exempt. */
TEST(no_limit_of_locked_memory_for_root)
{
	pid_t pid;

	NEED_ROOT();
	pid = fork_child();
	if (!pid) {
		memlock(0);
		_exit(dfl_create(0, 100 * page_size(), 0, NULL) < 0);
	}
	EXPECT_EQ(0, reap(pid));
}

FIXTURE(limit) {
	char saved[64];
	u64 before;
};

FIXTURE_SETUP(limit)
{
	MUST(read_text(SYSFS "/smpl_buf_size_max", self->saved,
		       sizeof(self->saved)));
	self->before = buffers_now();
}

FIXTURE_TEARDOWN(limit)
{
	if (is_root() && write_text(SYSFS "/smpl_buf_size_max", self->saved))
		die("smpl_buf_size_max cannot be restored");
}

static void set_limit(u64 value)
{
	char text[32];

	snprintf(text, sizeof(text), "%llu", value);
	if (write_text(SYSFS "/smpl_buf_size_max", text))
		die("cannot write smpl_buf_size_max");
}

/* Of all buffers of all users together, root's too. */
TEST_F(limit, smpl_buf_size_max)
{
	u64 page = page_size();
	int a, b;

	NEED_ROOT();
	set_limit(self->before + 10 * page);
	EXPECT_EQ(-ENOMEM, dfl_create(0, 11 * page, 0, NULL));
	EXPECT_EQ(-ENOMEM, dfl_create(0, 10 * page + 1, 0, NULL));
	a = dfl_create(0, 6 * page, 0, NULL);
	ASSERT_LE(0, a);
	EXPECT_EQ(-ENOMEM, dfl_create(0, 5 * page, 0, NULL));
	b = dfl_create(0, 4 * page, 0, NULL);
	ASSERT_LE(0, b);
	EXPECT_EQ(-ENOMEM, dfl_create(0, 1000, 0, NULL));
	EXPECT_EQ(self->before + 10 * page, buffers_now());
	EXPECT_LE(0, pfm_create(0));
	/* A change does not reach back. */
	set_limit(self->before + 2 * page);
	EXPECT_EQ(self->before + 10 * page, buffers_now());
	close(b);
	EXPECT_EQ(-ENOMEM, dfl_create(0, 1000, 0, NULL));
	close(a);
	EXPECT_LE(0, dfl_create(0, 2 * page, 0, NULL));
	EXPECT_EQ(-ENOMEM, dfl_create(0, 1000, 0, NULL));
}

/* PFM_SET_CONFIG sets the same one. */
TEST_F(limit, set_config)
{
	pfarg_config_t cf = {};
	u64 page = page_size();

	NEED_ROOT();
	MUST(pfm(-1, PFM_GET_CONFIG, &cf, 1));
	cf.cf_smpl_buf_size_max = self->before + page;
	MUST(pfm(-1, PFM_SET_CONFIG, &cf, 1));
	EXPECT_EQ(-ENOMEM, dfl_create(0, page + 1, 0, NULL));
	EXPECT_LE(0, dfl_create(0, page, 0, NULL));
	EXPECT_EQ(-ENOMEM, dfl_create(0, page, 0, NULL));
}

/* Nor does a limit of all ones let everything in. */
TEST_F(limit, boundless)
{
	static const u64 sizes[] = {
		1ULL << 40, 1ULL << 45, 1ULL << 62, ~0ULL >> 1,
	};
	size_t i;

	NEED_ROOT();
	set_limit(~0ULL);
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		int ret = dfl_create(0, sizes[i], 0, NULL);

		EXPECT_TRUE(ret == -ENOMEM || ret == -EINVAL) {
			TH_LOG("%llu bytes: %d", sizes[i], ret);
		}
	}
	EXPECT_EQ(self->before, buffers_now());
}

TEST_HARNESS_MAIN
