// SPDX-License-Identifier: GPL-2.0-only
/*
 * SET_CONFIG and GET_CONFIG: what they say, who may set, that the limits and
 * groups do what they promise, and that sysfs is the same knobs.
 *
 * Not here: cf_smpl_buf_size_max at work (mmap_limits.c); the other files of sysfs
 * (sysfs.c).
 */
#include "pfm_test.h"
#include <grp.h>

#define NOBODY	65534
#define G1	54321	/* groups without members */
#define G2	54322

FIXTURE(config) {
	pfarg_config_t saved;
};

FIXTURE_SETUP(config)
{
	MUST(pfm(-1, PFM_GET_CONFIG, &self->saved, 1));
}

static int set_config(const pfarg_config_t *cf)
{
	pfarg_config_t copy = *cf;

	return pfm(-1, PFM_SET_CONFIG, &copy, 1);
}

static pfarg_config_t get_config(void)
{
	pfarg_config_t cf = {};

	MUST(pfm(-1, PFM_GET_CONFIG, &cf, 1));
	return cf;
}

FIXTURE_TEARDOWN(config)
{
	if (is_root() && set_config(&self->saved))
		die("the configuration cannot be restored");
}

static int set_groups(const pfarg_config_t *base, u32 sys, u32 thread)
{
	pfarg_config_t cf = *base;

	cf.cf_sys_gid = sys;
	cf.cf_thread_gid = thread;
	return set_config(&cf);
}

/* What PFM_CREATE_CONTEXT answers another user: 0 or an errno. */
static int create_as(uid_t uid, gid_t gid, gid_t extra, u32 flags)
{
	pid_t pid = fork_child();

	if (!pid) {
		int fd;

		if (setgroups(extra ? 1 : 0, &extra) ||
		    setresgid(gid, gid, gid) || setresuid(uid, uid, uid))
			_exit(97);
		fd = pfm_create(flags);
		if (fd < 0)
			_exit(-fd);
		_exit(pfm_write_pmd(fd, SW_PMD(0), 3) ||
		      pfm_value(fd, SW_PMD(0)) != 3 ? 98 : 0);
	}
	return reap(pid);
}

TEST_F(config, get)
{
	pfarg_config_t cf;
	unsigned int n;

	memset(&cf, 0xff, sizeof(cf));
	ASSERT_EQ(0, pfm(-1, PFM_GET_CONFIG, &cf, 1));
	EXPECT_EQ(PFM_VERSION, cf.cf_version);
	EXPECT_EQ(0U, cf.cf_flags);
	for (n = 0; n < PFM_SW_COUNTERS; n++) {
		EXPECT_TRUE(vec_test(cf.cf_impl_pmcs, PFM_SW_PMC0 + n));
		EXPECT_TRUE(vec_test(cf.cf_impl_pmds, PFM_SW_PMD0 + n));
	}
	for (n = 304; n < 320; n++) {
		EXPECT_FALSE(vec_test(cf.cf_impl_pmcs, n));
		EXPECT_EQ(n <= 308 && (n != PFM_VPMD_RUNNABLE || has_runnable()),
			  vec_test(cf.cf_impl_pmds, n));
	}
	EXPECT_LE(1, cf.cf_counter_width);
	EXPECT_GE(64, cf.cf_counter_width);
	EXPECT_TRUE(all_bytes(cf.cf_pad, sizeof(cf.cf_pad), 0));
}

/* As the machine boots; nothing in these tests leaves it changed. */
TEST_F(config, defaults)
{
	u64 page = (u64)sysconf(_SC_PAGESIZE);

	EXPECT_EQ(PFM_GROUP_ANY, self->saved.cf_sys_gid);
	EXPECT_EQ(PFM_GROUP_ANY, self->saved.cf_thread_gid);
	EXPECT_EQ(page, self->saved.cf_arg_size_max);
	EXPECT_LE(page, self->saved.cf_smpl_buf_size_max);
}

TEST_F(config, an_ordinary_user_may_not_set)
{
	pid_t pid = fork_child();

	if (!pid) {
		pfarg_config_t cf = self->saved;

		if (is_root() && setresuid(NOBODY, NOBODY, NOBODY))
			_exit(97);
		cf.cf_thread_gid = G1;
		_exit(-set_config(&cf));
	}
	EXPECT_EQ(EPERM, reap(pid));
	EXPECT_EQ(PFM_GROUP_ANY, get_config().cf_thread_gid);
}

TEST_F(config, set_needs_cap_sys_admin)
{
	pid_t pid;

	NEED_ROOT();
	pid = fork_child();
	if (!pid) {
		caps_keep(~CAP_BIT(CAP_SYS_ADMIN));
		_exit(-set_config(&self->saved));
	}
	EXPECT_EQ(EPERM, reap(pid));
}

TEST_F(config, set_and_get)
{
	pfarg_config_t cf = self->saved, got;

	NEED_ROOT();
	cf.cf_sys_gid = G1;
	cf.cf_thread_gid = G2;
	cf.cf_arg_size_max = 3 * 65536;
	cf.cf_smpl_buf_size_max = 7 * 65536;
	/* Ignored for this command: */
	cf.cf_version = 77;
	cf.cf_impl_pmcs[0] = ~0ULL;
	cf.cf_impl_pmds[4] = 0;
	cf.cf_counter_width = 3;
	ASSERT_EQ(0, set_config(&cf));
	got = get_config();
	EXPECT_EQ((u32)G1, got.cf_sys_gid);
	EXPECT_EQ((u32)G2, got.cf_thread_gid);
	EXPECT_EQ(3ULL * 65536, got.cf_arg_size_max);
	EXPECT_EQ(7ULL * 65536, got.cf_smpl_buf_size_max);
	EXPECT_EQ(PFM_VERSION, got.cf_version);
	EXPECT_EQ(self->saved.cf_impl_pmcs[0], got.cf_impl_pmcs[0]);
	EXPECT_EQ(self->saved.cf_impl_pmds[4], got.cf_impl_pmds[4]);
	EXPECT_EQ(self->saved.cf_counter_width, got.cf_counter_width);
}

TEST_F(config, set_refuses)
{
	u64 page = (u64)sysconf(_SC_PAGESIZE);
	pfarg_config_t cf, got;
	int i;

	NEED_ROOT();
	for (i = 0; i < 32 + 6; i++) {
		cf = self->saved;
		cf.cf_sys_gid = G1;
		switch (i - 32) {
		case 0: cf.cf_arg_size_max = page - 1; break;
		case 1: cf.cf_arg_size_max = 0; break;
		case 2: cf.cf_smpl_buf_size_max = page - 1; break;
		case 3: cf.cf_smpl_buf_size_max = 0; break;
		case 4: cf.cf_pad[0] = 1; break;
		case 5: cf.cf_pad[2] = 0x8000; break;
		default: cf.cf_flags = 1U << i;
		}
		EXPECT_EQ(-EINVAL, set_config(&cf)) {
			TH_LOG("case %d", i);
		}
		/* All or nothing. */
		got = get_config();
		EXPECT_EQ(0, memcmp(&got, &self->saved, sizeof(got)));
	}
}

TEST_F(config, argument_limit_at_work)
{
	int n, fd = (int)MUST(pfm_create(0));
	pfarg_config_t cf = self->saved;
	pfarg_pmd_t *pmd;

	NEED_ROOT();
	n = (int)(cf.cf_arg_size_max / sizeof(*pmd)) + 1;
	pmd = calloc((size_t)n, sizeof(*pmd));
	for (int i = 0; i < n; i++)
		pmd[i].reg_num = SW_PMD(0);
	EXPECT_EQ(-E2BIG, pfm(fd, PFM_READ_PMDS, pmd, n));
	cf.cf_arg_size_max *= 2;
	ASSERT_EQ(0, set_config(&cf));
	EXPECT_EQ(0, pfm(fd, PFM_READ_PMDS, pmd, n));
	ASSERT_EQ(0, set_config(&self->saved));
	EXPECT_EQ(-E2BIG, pfm(fd, PFM_READ_PMDS, pmd, n));
	free(pmd);
}

/* Of one vector, whatever the limit is. */
#define VECTOR_MAX (16 << 20)

/* Neither a limit of all ones nor a huge vector may bring the kernel down. */
TEST_F(config, boundless_argument_limit)
{
	int fd = (int)MUST(pfm_create(0));
	pfarg_config_t cf = self->saved;
	char room[4096] = {};

	NEED_ROOT();
	cf.cf_arg_size_max = ~0ULL;
	ASSERT_EQ(0, set_config(&cf));
	EXPECT_EQ(-E2BIG, pfm(fd, PFM_READ_PMDS, room, INT_MAX));
	EXPECT_EQ(-E2BIG, pfm(fd, PFM_READ_PMDS, room, VECTOR_MAX / sizeof(pfarg_pmd_t) + 1));
	/* There is room for that, but no such vector. */
	EXPECT_EQ(-EFAULT, pfm(fd, PFM_READ_PMDS, room, VECTOR_MAX / sizeof(pfarg_pmd_t)));
	EXPECT_EQ(0ULL, pfm_value(fd, SW_PMD(0)));
}

TEST_F(config, any_group_by_default)
{
	NEED_ROOT();
	EXPECT_EQ(0, create_as(NOBODY, NOBODY, 0, 0));
	EXPECT_EQ(0, create_as(NOBODY, NOBODY, 0, PFM_FL_SYSTEM_WIDE));
}

TEST_F(config, thread_group)
{
	NEED_ROOT();
	ASSERT_EQ(0, set_groups(&self->saved, PFM_GROUP_ANY, G1));
	EXPECT_EQ(EPERM, create_as(NOBODY, NOBODY, 0, 0));
	EXPECT_EQ(EPERM, create_as(NOBODY, G2, NOBODY, 0));
	/* as the group itself, and as a supplementary one */
	EXPECT_EQ(0, create_as(NOBODY, G1, 0, 0));
	EXPECT_EQ(0, create_as(NOBODY, NOBODY, G1, 0));
	EXPECT_EQ(0, create_as(NOBODY, NOBODY, G1, PFM_FL_NOTIFY_BLOCK));
	/* The other kind has its own group. */
	EXPECT_EQ(0, create_as(NOBODY, NOBODY, 0, PFM_FL_SYSTEM_WIDE));
}

TEST_F(config, system_group)
{
	NEED_ROOT();
	ASSERT_EQ(0, set_groups(&self->saved, G1, G2));
	EXPECT_EQ(EPERM, create_as(NOBODY, NOBODY, 0, PFM_FL_SYSTEM_WIDE));
	EXPECT_EQ(0, create_as(NOBODY, G1, 0, PFM_FL_SYSTEM_WIDE));
	EXPECT_EQ(0, create_as(NOBODY, NOBODY, G1, PFM_FL_SYSTEM_WIDE));
	/* Membership in the one group does not open the other door. */
	EXPECT_EQ(EPERM, create_as(NOBODY, G2, 0, PFM_FL_SYSTEM_WIDE));
	EXPECT_EQ(EPERM, create_as(NOBODY, G1, 0, 0));
	EXPECT_EQ(0, create_as(NOBODY, G2, 0, 0));
}

TEST_F(config, group_0_is_a_group)
{
	NEED_ROOT();
	ASSERT_EQ(0, set_groups(&self->saved, 0, 0));
	EXPECT_EQ(EPERM, create_as(NOBODY, NOBODY, 0, 0));
	EXPECT_EQ(EPERM, create_as(NOBODY, NOBODY, 0, PFM_FL_SYSTEM_WIDE));
	EXPECT_EQ(0, create_as(NOBODY, 0, 0, 0));
}

/* It is the capability that is exempt, not the number 0. */
TEST_F(config, root_and_groups)
{
	pid_t pid;

	NEED_ROOT();
	ASSERT_EQ(0, set_groups(&self->saved, G1, G1));
	EXPECT_EQ(0, create_as(0, NOBODY, 0, 0));
	EXPECT_EQ(0, create_as(0, NOBODY, 0, PFM_FL_SYSTEM_WIDE));
	pid = fork_child();
	if (!pid) {
		if (setgroups(0, NULL) || setresgid(NOBODY, NOBODY, NOBODY))
			_exit(97);
		caps_keep(0);
		_exit(-pfm_create(0));
	}
	EXPECT_EQ(EPERM, reap(pid));
}

TEST_F(config, not_retroactive)
{
	int fd = (int)MUST(pfm_create(0));
	pid_t pid;

	NEED_ROOT();
	ASSERT_EQ(0, set_groups(&self->saved, G1, G1));
	pid = fork_child();
	if (!pid) {
		if (setgroups(0, NULL) || setresgid(NOBODY, NOBODY, NOBODY) ||
		    setresuid(NOBODY, NOBODY, NOBODY))
			_exit(97);
		if (pfm_create(0) != -EPERM)
			_exit(1);
		_exit(pfm_write_pmd(fd, SW_PMD(0), 1) ||
		      pfm_load(fd, my_tid()) ? 2 : 0);
	}
	EXPECT_EQ(0, reap(pid));
}

/* The files of sysfs and the two commands are one thing. */
TEST_F(config, sysfs_shows)
{
	pfarg_config_t cf = self->saved;
	char buf[64];

	NEED_ROOT();
	ASSERT_LT(0, read_text(SYSFS "/sys_group", buf, sizeof(buf)));
	EXPECT_STREQ("-1", buf);
	cf.cf_sys_gid = 11;
	cf.cf_thread_gid = 12;
	cf.cf_arg_size_max = 100000;
	cf.cf_smpl_buf_size_max = 200000;
	ASSERT_EQ(0, set_config(&cf));
	EXPECT_EQ(11ULL, sysfs_u64("sys_group"));
	EXPECT_EQ(12ULL, sysfs_u64("thread_group"));
	EXPECT_EQ(100000ULL, sysfs_u64("arg_size_max"));
	EXPECT_EQ(200000ULL, sysfs_u64("smpl_buf_size_max"));
}

TEST_F(config, sysfs_sets)
{
	NEED_ROOT();
	EXPECT_EQ(0, write_text(SYSFS "/sys_group", "21"));
	EXPECT_EQ(0, write_text(SYSFS "/thread_group", "22\n"));
	EXPECT_EQ(0, write_text(SYSFS "/arg_size_max", "123456\n"));
	EXPECT_EQ(0, write_text(SYSFS "/smpl_buf_size_max", "234567"));
	EXPECT_EQ(21U, get_config().cf_sys_gid);
	EXPECT_EQ(22U, get_config().cf_thread_gid);
	EXPECT_EQ(123456ULL, get_config().cf_arg_size_max);
	EXPECT_EQ(234567ULL, get_config().cf_smpl_buf_size_max);
	EXPECT_EQ(0, write_text(SYSFS "/sys_group", "-1"));
	EXPECT_EQ(PFM_GROUP_ANY, get_config().cf_sys_gid);
}

TEST_F(config, sysfs_refuses)
{
	static const char *const bad[] = { "", "x", "12x", "1 2", "-2",
					   "99999999999999999999999" };
	static const char *const files[] = { "sys_group", "thread_group",
					     "arg_size_max",
					     "smpl_buf_size_max" };
	pfarg_config_t got;
	char path[128];
	size_t i, k;

	NEED_ROOT();
	for (i = 0; i < ARRAY_SIZE(files); i++) {
		snprintf(path, sizeof(path), SYSFS "/%s", files[i]);
		for (k = 1; k < ARRAY_SIZE(bad); k++)
			EXPECT_GT(0, write_text(path, bad[k])) {
				TH_LOG("%s: %s", path, bad[k]);
			}
	}
	EXPECT_EQ(-EINVAL, write_text(SYSFS "/arg_size_max", "1"));
	EXPECT_EQ(-EINVAL, write_text(SYSFS "/smpl_buf_size_max", "4095"));
	got = get_config();
	EXPECT_EQ(0, memcmp(&got, &self->saved, sizeof(got)));
}

TEST_HARNESS_MAIN
