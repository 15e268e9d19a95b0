// SPDX-License-Identifier: GPL-2.0-only
/*
 * /sys/kernel/perfmon, /sys/kernel/debug/perfmon and /proc/PID/fdinfo: that
 * the files are there, hold one value each, agree with the system call and
 * follow what happens.
 *
 * Not here: the writable ones (config.c); files of formats.
 */
#include "puppet.h"

static int entries(const char *path, char names[][32], int max)
{
	DIR *dir = opendir(path);
	struct dirent *d;
	int n = 0;

	if (!dir)
		return -1;
	while ((d = readdir(dir)) && n < max)
		if (d->d_name[0] != '.')
			snprintf(names[n++], 32, "%.31s", d->d_name);
	closedir(dir);
	return n;
}

TEST(files_and_modes)
{
	static const struct {
		const char *name;
		mode_t mode;
	} t[] = {
		{ "version", 0444 }, { "pmu_model", 0444 }, { "host", 0444 },
		{ "counter_width", 0444 }, { "arg_size_max", 0644 },
		{ "smpl_buf_size_max", 0644 }, { "smpl_buf_size_cur", 0444 },
		{ "sys_group", 0644 }, { "thread_group", 0644 },
		{ "sys_sessions", 0444 }, { "thread_sessions", 0444 },
	};
	char path[PATH_MAX], buf[4096];
	struct stat st;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(t); i++) {
		snprintf(path, sizeof(path), SYSFS "/%s", t[i].name);
		ASSERT_EQ(0, stat(path, &st)) {
			TH_LOG("%s", path);
		}
		EXPECT_EQ(t[i].mode, st.st_mode & 07777);
		EXPECT_LT(0, read_text(path, buf, sizeof(buf)));
		/* One value a file. */
		EXPECT_EQ(NULL, strpbrk(buf, "\n"));
	}
	ASSERT_EQ(0, stat(SYSFS "/formats", &st));
	EXPECT_TRUE(S_ISDIR(st.st_mode));
}

/* Which way a call goes: the system call, or the device that a module has instead. */
TEST(host)
{
	bool module = syscall(__NR_perfmonctl, -1, -1, NULL, 0) == -1 && errno == ENOSYS;
	char buf[64];

	MUST(read_text(SYSFS "/host", buf, sizeof(buf)));
	EXPECT_STREQ(module ? "module" : "kernel", buf);
	EXPECT_EQ(module ? 0 : -1, access(PFM_DEVICE, R_OK | W_OK));
}

TEST(version_and_width)
{
	pfarg_config_t cf = {};
	char buf[64], want[64];

	MUST(pfm(-1, PFM_GET_CONFIG, &cf, 1));
	MUST(read_text(SYSFS "/version", buf, sizeof(buf)));
	snprintf(want, sizeof(want), "%u.%u", PFM_VERSION_MAJOR(cf.cf_version),
		 PFM_VERSION_MINOR(cf.cf_version));
	EXPECT_STREQ(want, buf);
	EXPECT_EQ((u64)cf.cf_counter_width, sysfs_u64("counter_width"));
	EXPECT_EQ(cf.cf_arg_size_max, sysfs_u64("arg_size_max"));
	EXPECT_EQ(cf.cf_smpl_buf_size_max, sysfs_u64("smpl_buf_size_max"));
	EXPECT_EQ(0ULL, sysfs_u64("smpl_buf_size_cur"));
}

static void check_register(struct __test_metadata *_metadata, bool pmd,
			   const char *num)
{
	static const char *const files[] = { "name", "type", "index",
					     "default", "reserved" };
	pfarg_pmcinfo_t info = { .reg_num = (__u16)atoi(num) };
	char path[PATH_MAX], buf[5][64];
	size_t i;

	ASSERT_EQ(0, pfm(-1, pmd ? PFM_GETINFO_PMDS : PFM_GETINFO_PMCS, &info,
			 1));
	for (i = 0; i < 5; i++) {
		snprintf(path, sizeof(path), SYSFS "/%s/%s/%s",
			 pmd ? "pmds" : "pmcs", num, files[i]);
		ASSERT_LT(0, read_text(path, buf[i], sizeof(buf[i]))) {
			TH_LOG("%s", path);
		}
		EXPECT_EQ(NULL, strpbrk(buf[i], "\n "));
	}
	if (info.reg_num >= PFM_SW_PMC0 &&
	    info.reg_num < PFM_SW_PMC0 + PFM_SW_COUNTERS) {
		snprintf(path, sizeof(path), "SW%s%d", pmd ? "" : "C",
			 info.reg_num - PFM_SW_PMC0);
		EXPECT_STREQ(path, buf[0]);
	}
	if (info.reg_num == PFM_VPMD_CLOCK) {
		EXPECT_STREQ("CLOCK", buf[0]);
	}
	EXPECT_EQ(info.reg_def_value, strtoull(buf[3], NULL, 0));
	EXPECT_EQ(info.reg_rsvd_mask, strtoull(buf[4], NULL, 0));
	if (info.reg_index != PFM_REG_IDX_NONE) {
		EXPECT_EQ(info.reg_index, strtoull(buf[2], NULL, 0));
	}
}

TEST(register_maps)
{
	static char names[PFM_MAX_PMDS][32];
	pfarg_config_t cf = {};
	unsigned int want;
	int k, i, n;

	MUST(pfm(-1, PFM_GET_CONFIG, &cf, 1));
	for (k = 0; k < 2; k++) {
		u64 *vec = k ? cf.cf_impl_pmds : cf.cf_impl_pmcs;

		for (want = 0, i = 0; i < PFM_MAX_PMDS; i++)
			want += vec_test(vec, (unsigned int)i);
		n = entries(k ? SYSFS "/pmds" : SYSFS "/pmcs", names,
			    PFM_MAX_PMDS);
		ASSERT_EQ(want, (unsigned int)n);
		for (i = 0; i < n; i++) {
			ASSERT_TRUE(vec_test(vec, (unsigned)atoi(names[i])));
			check_register(_metadata, k, names[i]);
		}
	}
}

TEST(thread_sessions)
{
	u64 base = sysfs_u64("thread_sessions");
	struct puppet p[3];
	int fds[3], i;

	for (i = 0; i < 3; i++)
		puppet_start(&p[i], i == 1 ? PUPPET_THREAD : PUPPET_PROCESS);
	for (i = 0; i < 3; i++) {
		fds[i] = (int)MUST(pfm_create(0));
		EXPECT_EQ(base + (u64)i, sysfs_u64("thread_sessions"));
		MUST(pfm_load(fds[i], p[i].tid));
		EXPECT_EQ(base + (u64)i + 1, sysfs_u64("thread_sessions"));
	}
	EXPECT_EQ(0ULL, sysfs_u64("sys_sessions"));
	/* It ends by unload, by close and by the thread's exit. */
	MUST(pfm_unload(fds[0]));
	EXPECT_EQ(base + 2, sysfs_u64("thread_sessions"));
	close(fds[1]);
	EXPECT_EQ(base + 1, sysfs_u64("thread_sessions"));
	kill_and_reap(p[2].tid);
	EXPECT_EQ(base, sysfs_u64("thread_sessions"));
}

TEST(system_sessions)
{
	int fd = (int)MUST(pfm_create(PFM_FL_SYSTEM_WIDE));

	pin_somewhere();
	EXPECT_EQ(0ULL, sysfs_u64("sys_sessions"));
	ASSERT_EQ(0, pfm_load(fd, my_tid()));
	EXPECT_EQ(1ULL, sysfs_u64("sys_sessions"));
	EXPECT_EQ(0ULL, sysfs_u64("thread_sessions"));
	close(fd);
	EXPECT_EQ(0ULL, sysfs_u64("sys_sessions"));
}

TEST(fdinfo)
{
	int fd = (int)MUST(pfm_create(PFM_FL_OVFL_NO_MSG));
	char value[64], want[64];

	EXPECT_EQ((u64)PFM_FL_OVFL_NO_MSG, pfm_fdinfo_num(fd, "pfm-flags"));
	pfm_fdinfo(fd, "pfm-state", value, sizeof(value));
	EXPECT_STREQ("unloaded", value);
	pfm_fdinfo(fd, "pfm-target", value, sizeof(value));
	EXPECT_STREQ("none", value);
	EXPECT_EQ(0ULL, pfm_fdinfo_num(fd, "pfm-started"));
	EXPECT_EQ(0ULL, pfm_fdinfo_num(fd, "pfm-set"));
	EXPECT_EQ(0ULL, pfm_fdinfo_num(fd, "pfm-queued"));
	EXPECT_EQ(0ULL, pfm_fdinfo_num(fd, "pfm-lost"));
	MUST(pfm_load(fd, my_tid()));
	pfm_fdinfo(fd, "pfm-state", value, sizeof(value));
	EXPECT_STREQ("loaded", value);
	pfm_fdinfo(fd, "pfm-target", value, sizeof(value));
	snprintf(want, sizeof(want), "tid %d", my_tid());
	EXPECT_STREQ(want, value);
	MUST(pfm_start(fd));
	EXPECT_EQ(1ULL, pfm_fdinfo_num(fd, "pfm-started"));
	MUST(pfm_stop(fd));
	EXPECT_EQ(0ULL, pfm_fdinfo_num(fd, "pfm-started"));
}

TEST(fdinfo_queue)
{
	int fd = pfm_session(0, PFM_SW_MINOR_FAULTS, PFM_REGFL_OVFL_NOTIFY,
			     ~0ULL, my_tid());
	struct pages pages;
	char value[64];

	pages_map(&pages, 1);
	pages_touch(&pages, 1);
	pfm_fdinfo(fd, "pfm-state", value, sizeof(value));
	EXPECT_STREQ("masked", value);
	EXPECT_EQ(1ULL, pfm_fdinfo_num(fd, "pfm-started"));
	EXPECT_EQ(1ULL, pfm_fdinfo_num(fd, "pfm-queued"));
	ASSERT_EQ(PFM_MSG_OVFL, pfm_next_msg(fd, NULL, PATIENCE));
	EXPECT_EQ(0ULL, pfm_fdinfo_num(fd, "pfm-queued"));
}

TEST(fdinfo_of_a_cpu)
{
	int fd = (int)MUST(pfm_create(PFM_FL_SYSTEM_WIDE));
	int cpu = pin_somewhere();
	char value[64], want[64];

	MUST(pfm_load(fd, my_tid()));
	pfm_fdinfo(fd, "pfm-target", value, sizeof(value));
	snprintf(want, sizeof(want), "cpu %d", cpu);
	EXPECT_STREQ(want, value);
}

TEST(debugfs_counts_switches)
{
	struct puppet p;
	u64 in, out;
	int fd;

	NEED_DEBUGFS();
	puppet_start(&p, PUPPET_PROCESS);
	fd = pfm_session(0, PFM_SW_CSWITCHES, 0, 0, p.tid);
	puppet_settle(&p);
	in = debugfs_sum("sched_in");
	out = debugfs_sum("sched_out");
	puppet_do(&p, OP_SLEEP, 100);
	puppet_settle(&p);
	/* The only monitored thread there is: in and out by turns. */
	in = debugfs_sum("sched_in") - in;
	out = debugfs_sum("sched_out") - out;
	EXPECT_EQ(in, out);
	EXPECT_LE(100ULL, in);
	EXPECT_GE(pfm_value(fd, SW_PMD(0)), out);
	puppet_stop(&p);
}

TEST(debugfs_counts_overflows)
{
	struct pages pages;
	u64 ovfl, lost;
	int fd, i;

	NEED_DEBUGFS();
	pages_map(&pages, 10);
	ovfl = debugfs_sum("overflows");
	lost = debugfs_sum("lost_messages");
	fd = pfm_session(0, PFM_SW_MINOR_FAULTS, PFM_REGFL_OVFL_NOTIFY, ~0ULL,
			 my_tid());
	for (i = 0; i < 10; i++) {
		pages_touch(&pages, 1);
		ASSERT_EQ(PFM_MSG_OVFL, pfm_next_msg(fd, NULL, PATIENCE));
		if (i < 9)
			MUST(pfm_restart(fd));
	}
	EXPECT_EQ(ovfl + 10, debugfs_sum("overflows"));
	EXPECT_EQ(lost, debugfs_sum("lost_messages"));
}

TEST(debugfs_counts_interrupts)
{
	int fd, tries;
	u64 irq;

	NEED_DEBUGFS();
	irq = debugfs_sum("interrupts");
	fd = pfm_session(0, PFM_SW_TASK_CLOCK, PFM_REGFL_OVFL_NOTIFY,
			 -(5 * NSEC_PER_MSEC), my_tid());
	/* If it comes too late a switch of threads finds the overflow. */
	for (tries = 0; tries < 100; tries++) {
		burn_ms(20);
		ASSERT_EQ(PFM_MSG_OVFL, pfm_next_msg(fd, NULL, PATIENCE));
		if (debugfs_sum("interrupts") > irq)
			break;
		MUST(pfm_restart(fd));
	}
	EXPECT_GT(100, tries);
	EXPECT_LE(debugfs_sum("spurious"), debugfs_sum("interrupts"));
}

TEST_HARNESS_MAIN
