// SPDX-License-Identifier: GPL-2.0-only
/*
 * The administrator's limits in /sys/kernel/perfmon: set_mem_max,
 * set_timeout_min and interrupts_max. Who may change them, that they hold for
 * what comes after the change, and what happens to contexts that they stop; the
 * statistics that tell of it.
 *
 * Not here: the other limits (config.c); what set_mem_max limits
 * (limits_memory.c). All but a few tests need root, since
 * they change one; whatever happens, it is changed back.
 */
#include "puppet.h"

#define NOBODY	65534
#define OVFL	PFM_SETFL_OVFL_SWITCH
#define TIME	PFM_SETFL_TIME_SWITCH

static const char *const files[] = {
	"set_mem_max", "set_timeout_min", "interrupts_max",
};

#define N_FILES	3

static int read_limit(const char *name, char *buf, size_t size)
{
	char path[128];

	snprintf(path, sizeof(path), SYSFS "/%s", name);
	return read_text(path, buf, size);
}

static int write_limit(const char *name, const char *text)
{
	char path[128];

	snprintf(path, sizeof(path), SYSFS "/%s", name);
	return write_text(path, text);
}

static int set_limit(const char *name, u64 value)
{
	char text[32];

	snprintf(text, sizeof(text), "%llu\n", value);
	return write_limit(name, text);
}

FIXTURE(limits) {
	char saved[N_FILES][64];
};

FIXTURE_SETUP(limits)
{
	int i;

	for (i = 0; i < N_FILES; i++)
		MUST(read_limit(files[i], self->saved[i],
				sizeof(self->saved[i])));
}

FIXTURE_TEARDOWN(limits)
{
	bool failed = false;
	int i;

	if (!is_root())
		return;
	for (i = 0; i < N_FILES; i++)
		failed |= write_limit(files[i], self->saved[i]) != 0;
	if (failed)
		die("the limits cannot be restored");
}

/* What every test expects of those that it did not mean. */
static void check_unchanged(struct __test_metadata *_metadata,
			    FIXTURE_DATA(limits) *s)
{
	char buf[64];
	int i;

	for (i = 0; i < N_FILES; i++) {
		MUST(read_limit(files[i], buf, sizeof(buf)));
		EXPECT_STREQ(s->saved[i], buf);
	}
}

/* ------------------------------------------------------------------------
 * The files
 */

/* Everybody may read them; each is a number and nothing else. */
TEST_F(limits, files_and_modes)
{
	char path[128], buf[64], *end;
	struct stat st;
	int i;

	for (i = 0; i < N_FILES; i++) {
		snprintf(path, sizeof(path), SYSFS "/%s", files[i]);
		ASSERT_EQ(0, stat(path, &st)) {
			TH_LOG("%s", path);
		}
		EXPECT_EQ((mode_t)0644, st.st_mode & 07777);
		ASSERT_LT(0, read_limit(files[i], buf, sizeof(buf)));
		EXPECT_LT(0ULL, strtoull(buf, &end, 10));
		EXPECT_EQ('\0', *end);
	}
}

TEST_F(limits, everybody_may_read_and_nobody_may_write)
{
	pid_t pid = fork_child();

	if (!pid) {
		char buf[64];
		int i;

		if (is_root() && setresuid(NOBODY, NOBODY, NOBODY))
			_exit(97);
		for (i = 0; i < N_FILES; i++) {
			if (read_limit(files[i], buf, sizeof(buf)) <= 0)
				_exit(1);
			if (write_limit(files[i], self->saved[i]) != -EACCES)
				_exit(2);
		}
		_exit(0);
	}
	EXPECT_EQ(0, reap(pid));
	check_unchanged(_metadata, self);
}

/* Who happens to own the file needs the capability all the same. */
TEST_F(limits, writing_needs_cap_sys_admin)
{
	pid_t pid;

	NEED_ROOT();
	pid = fork_child();
	if (!pid) {
		int i;

		caps_keep(~CAP_BIT(CAP_SYS_ADMIN));
		for (i = 0; i < N_FILES; i++)
			if (set_limit(files[i], 1000000) != -EPERM)
				_exit(1);
		_exit(0);
	}
	EXPECT_EQ(0, reap(pid));
	check_unchanged(_metadata, self);
}

TEST_F(limits, good_values)
{
	static const struct {
		const char *file, *text;
		u64 value;
	} t[] = {
		{ "set_mem_max", "0", 0 },
		{ "set_mem_max", "123456\n", 123456 },
		{ "set_mem_max", "0x10000", 65536 },
		{ "set_mem_max", "18446744073709551615", ~0ULL },
		{ "interrupts_max", "0\n", 0 },
		{ "interrupts_max", "77", 77 },
		{ "interrupts_max", "18446744073709551615\n", ~0ULL },
		{ "set_timeout_min", "10000", 10000 },
		{ "set_timeout_min", "4000000\n", 4000000 },
		{ "set_timeout_min", "3600000000000", 3600000000000ULL },
	};
	size_t i;

	NEED_ROOT();
	for (i = 0; i < ARRAY_SIZE(t); i++) {
		EXPECT_EQ(0, write_limit(t[i].file, t[i].text));
		EXPECT_EQ(t[i].value, sysfs_u64(t[i].file));
	}
}

TEST_F(limits, bad_values)
{
	static const char *const bad[] = { "x", "12x", "1 2", "-1", "0x",
					   "1.5", "\n" };
	static const char *const bad_times[] = { "0", "1", "9999",
						 "3600000000001",
						 "18446744073709551615" };
	size_t i;
	int k;

	NEED_ROOT();
	for (k = 0; k < N_FILES; k++) {
		for (i = 0; i < ARRAY_SIZE(bad); i++) {
			EXPECT_EQ(-EINVAL, write_limit(files[k], bad[i])) {
				TH_LOG("%s: %s", files[k], bad[i]);
			}
		}
		/* More than 64 bits: out of range is as good an answer. */
		EXPECT_GT(0, write_limit(files[k], "18446744073709551616"));
	}
	for (i = 0; i < ARRAY_SIZE(bad_times); i++) {
		EXPECT_EQ(-EINVAL, write_limit("set_timeout_min",
					       bad_times[i])) {
			TH_LOG("%s", bad_times[i]);
		}
	}
	check_unchanged(_metadata, self);
}

static int create_set(int fd, int id, u32 flags)
{
	pfarg_setdesc_t desc = {
		.set_id = (__u16)id, .set_flags = flags,
	};

	return pfm(fd, PFM_CREATE_EVTSETS, &desc, 1);
}

/* ------------------------------------------------------------------------
 * set_timeout_min
 */

/* The effective time-out in ns of a set that is made, or changed, now. */
static u64 make_set(int fd, int id, u64 timeout)
{
	pfarg_setdesc_t desc = {
		.set_id = (__u16)id, .set_flags = TIME,
		.set_timeout = { (__s64)(timeout / NSEC_PER_SEC),
				 (__s64)(timeout % NSEC_PER_SEC) },
	};

	MUST(pfm(fd, PFM_CREATE_EVTSETS, &desc, 1));
	return (u64)desc.set_timeout.tv_sec * NSEC_PER_SEC +
	       (u64)desc.set_timeout.tv_nsec;
}

static u64 left_of(int fd, int id)
{
	pfarg_setinfo_t info = info_of_set(fd, id);

	return (u64)info.set_timeout.tv_sec * NSEC_PER_SEC +
	       (u64)info.set_timeout.tv_nsec;
}

TEST_F(limits, shortest_timeout)
{
	static const u64 min = 2500000000ULL;
	int fd = (int)MUST(pfm_create(0));
	struct timespec res;
	u64 old, eff;

	NEED_ROOT();
	MUST(clock_getres(CLOCK_MONOTONIC, &res));
	old = make_set(fd, 1, NSEC_PER_MSEC);
	EXPECT_GT(NSEC_PER_MSEC + (u64)res.tv_nsec, old);
	ASSERT_EQ(0, set_limit("set_timeout_min", min));
	/* A set that exists keeps what it was promised, also when loaded. */
	EXPECT_EQ(old, left_of(fd, 1));
	MUST(pfm_load(fd, my_tid()));
	EXPECT_EQ(old, left_of(fd, 1));
	MUST(pfm_unload(fd));
	eff = make_set(fd, 2, NSEC_PER_MSEC);
	EXPECT_LE(min, eff);
	EXPECT_GT(min + (u64)res.tv_nsec, eff);
	EXPECT_EQ(eff, left_of(fd, 2));
	/* Until it is changed. */
	EXPECT_EQ(eff, make_set(fd, 1, NSEC_PER_MSEC));
	/* More than the least is not touched. */
	EXPECT_EQ(3 * NSEC_PER_SEC, make_set(fd, 3, 3 * NSEC_PER_SEC));
	ASSERT_EQ(0, write_limit("set_timeout_min", self->saved[1]));
	EXPECT_EQ(old, make_set(fd, 1, NSEC_PER_MSEC));
	EXPECT_EQ(eff, left_of(fd, 2));
}

/* ------------------------------------------------------------------------
 * interrupts_max
 */

/* Counter 0 overflows each @period of CPU time, counter 1 just counts it. */
static int clock_session(u32 ctx_flags, u32 pmc_flags, u64 period, pid_t tid)
{
	int fd = pfm_counter(ctx_flags, PFM_SW_TASK_CLOCK, pmc_flags, -period);

	MUST(pfm_write_pmc(fd, SW_PMC(1), PFM_SW_TASK_CLOCK, 0));
	MUST(pfm_load(fd, tid));
	MUST(pfm_start(fd));
	return fd;
}

/* Runs until monitoring is masked; not for ever. */
static bool burn_until_masked(int fd)
{
	u64 end = now_ns(CLOCK_THREAD_CPUTIME_ID) + 60 * NSEC_PER_SEC;

	while (!pfm_state_is(fd, "masked")) {
		if (now_ns(CLOCK_THREAD_CPUTIME_ID) > end)
			return false;
		burn_ms(1);
	}
	return true;
}

/* Masked, with a message that no counter asks for; goes on after PFM_RESTART. */
static void check_throttled(struct __test_metadata *_metadata, u32 ctx_flags)
{
	int fd = clock_session(ctx_flags, 0, 20000, my_tid());
	pfm_msg_t msg;
	u64 n, seen;

	for (n = 1; n <= 3; n++) {
		ASSERT_TRUE(burn_until_masked(fd));
		ASSERT_EQ(PFM_MSG_OVFL, pfm_next_msg(fd, &msg, PATIENCE));
		EXPECT_EQ(0, msg.pfm_ovfl_msg.msg_active_set);
		/* All counters have got their short reset: none waits. */
		EXPECT_TRUE(all_bytes(msg.pfm_ovfl_msg.msg_ovfl_pmds,
				      sizeof(msg.pfm_ovfl_msg.msg_ovfl_pmds),
				      0));
		EXPECT_EQ(n, pfm_fdinfo_num(fd, "pfm-throttled"));
		EXPECT_EQ(1ULL, pfm_fdinfo_num(fd, "pfm-started"));
		/* It stays masked, and says so once. */
		seen = pfm_value(fd, SW_PMD(1));
		burn_ms(5);
		EXPECT_TRUE(pfm_state_is(fd, "masked"));
		EXPECT_EQ(n, pfm_fdinfo_num(fd, "pfm-throttled"));
		EXPECT_EQ(0, pfm_poll(fd, 0));
		EXPECT_EQ(seen, pfm_value(fd, SW_PMD(1)));
		ASSERT_EQ(0, pfm_restart(fd));
	}
	close(fd);
}

TEST_F(limits, throttled)
{
	NEED_ROOT();
	ASSERT_EQ(0, set_limit("interrupts_max", 50));
	check_throttled(_metadata, 0);
}

TEST_F(limits, throttled_cpu)
{
	NEED_ROOT();
	ASSERT_EQ(0, set_limit("interrupts_max", 50));
	pin_somewhere();
	check_throttled(_metadata, PFM_FL_SYSTEM_WIDE);
}

/* It does not take an interrupt: each fault, and each switch of threads, overflows. */
static void check_throttled_without(struct __test_metadata *_metadata, int event,
				    int op)
{
	struct puppet p;
	int fd, tries;

	puppet_start(&p, PUPPET_PROCESS);
	fd = pfm_session(0, event, 0, ~0ULL, p.tid);
	for (tries = 0; tries < 1000; tries++) {
		puppet_do(&p, op, 200);
		if (pfm_state_is(fd, "masked"))
			break;
	}
	EXPECT_GT(1000, tries);
	EXPECT_EQ(1ULL, pfm_fdinfo_num(fd, "pfm-throttled"));
	EXPECT_EQ(PFM_MSG_OVFL, pfm_next_msg(fd, NULL, PATIENCE));
	/* After the restart it must not be switched out: that would overflow, too. */
	puppet_settle(&p);
	EXPECT_EQ(0, pfm_restart(fd));
	EXPECT_TRUE(pfm_state_is(fd, "loaded"));
	puppet_stop(&p);
	close(fd);
}

TEST_F(limits, throttled_by_faults)
{
	NEED_ROOT();
	ASSERT_EQ(0, set_limit("interrupts_max", 50));
	check_throttled_without(_metadata, PFM_SW_MINOR_FAULTS, OP_FAULT);
}

TEST_F(limits, throttled_by_switches)
{
	NEED_ROOT();
	ASSERT_EQ(0, set_limit("interrupts_max", 20));
	check_throttled_without(_metadata, PFM_SW_CSWITCHES, OP_SLEEP);
}

/* Another context on the same CPU, with few overflows, does not pay for it. */
TEST_F(limits, throttled_is_who_did_it)
{
	u64 end = now_ns(CLOCK_MONOTONIC) + PATIENCE * NSEC_PER_MSEC;
	struct puppet p;
	int many, few;

	NEED_ROOT();
	pin_somewhere();
	puppet_start(&p, PUPPET_PROCESS);
	few = clock_session(0, 0, 300 * NSEC_PER_MSEC, p.tid);
	puppet_post(&p, OP_BURN, 1000);
	ASSERT_EQ(0, set_limit("interrupts_max", 100));
	many = clock_session(0, 0, 20000, my_tid());
	/* Where the CPU stands still, the one or the other is soon through. */
	while ((pfm_value(few, SW_PMD(1)) < 800 * NSEC_PER_MSEC ||
		pfm_fdinfo_num(many, "pfm-throttled") <= 10) &&
	       now_ns(CLOCK_MONOTONIC) < end) {
		ASSERT_TRUE(burn_until_masked(many));
		ASSERT_EQ(PFM_MSG_OVFL, pfm_next_msg(many, NULL, PATIENCE));
		ASSERT_EQ(0, pfm_restart(many));
		if (puppet_done(&p, 0))
			puppet_post(&p, OP_BURN, 1000);
	}
	EXPECT_LE(800 * NSEC_PER_MSEC, pfm_value(few, SW_PMD(1)));
	EXPECT_EQ(0ULL, pfm_fdinfo_num(few, "pfm-throttled"));
	EXPECT_LT(10ULL, pfm_fdinfo_num(many, "pfm-throttled"));
	EXPECT_TRUE(puppet_done(&p, PATIENCE));
	puppet_stop(&p);
	close(few);
	close(many);
}

/* A limit of none: the first one masks, and not before its time. */
TEST_F(limits, throttled_by_the_first)
{
	int fd = -1, tries;
	u64 seen, start;

	NEED_ROOT();
	ASSERT_EQ(0, set_limit("interrupts_max", 0));
	/* Unless this CPU stands still it is not time yet. */
	for (tries = 0; tries < 50; tries++) {
		start = now_ns(CLOCK_THREAD_CPUTIME_ID);
		fd = clock_session(0, 0, 300 * NSEC_PER_MSEC, my_tid());
		seen = pfm_fdinfo_num(fd, "pfm-throttled");
		if (now_ns(CLOCK_THREAD_CPUTIME_ID) - start <
		    300 * NSEC_PER_MSEC)
			break;
		close(fd);
	}
	ASSERT_GT(50, tries);
	EXPECT_EQ(0ULL, seen);
	ASSERT_TRUE(burn_until_masked(fd));
	EXPECT_EQ(1ULL, pfm_fdinfo_num(fd, "pfm-throttled"));
	EXPECT_LE(300 * NSEC_PER_MSEC, pfm_value(fd, SW_PMD(1)));
}

/* Who is masked by each overflow anyway has time enough. */
TEST_F(limits, notified_is_not_throttled)
{
	pfm_msg_t msg;
	int i, fd;

	NEED_ROOT();
	ASSERT_EQ(0, set_limit("interrupts_max", 0));
	fd = clock_session(0, PFM_REGFL_OVFL_NOTIFY, NSEC_PER_MSEC, my_tid());
	for (i = 0; i < 3; i++) {
		ASSERT_TRUE(burn_until_masked(fd));
		ASSERT_EQ(PFM_MSG_OVFL, pfm_next_msg(fd, &msg, PATIENCE));
		EXPECT_TRUE(vec_test(msg.pfm_ovfl_msg.msg_ovfl_pmds,
				     SW_PMD(0)));
		EXPECT_EQ(0ULL, pfm_fdinfo_num(fd, "pfm-throttled"));
		MUST(pfm_restart(fd));
	}
}

/* Time-outs of sets are no overflows. */
TEST_F(limits, switching_is_not_throttled)
{
	int fd = (int)MUST(pfm_create(0)), tries;

	NEED_ROOT();
	ASSERT_EQ(0, set_limit("interrupts_max", 0));
	make_set(fd, 0, NSEC_PER_MSEC);
	make_set(fd, 1, NSEC_PER_MSEC);
	MUST(pfm_load(fd, my_tid()));
	MUST(pfm_start(fd));
	for (tries = 0; tries < 2000; tries++) {
		if (info_of_set(fd, 1).set_runs >= 10)
			break;
		burn_ms(2);
	}
	EXPECT_GT(2000, tries);
	EXPECT_TRUE(pfm_state_is(fd, "loaded"));
	EXPECT_EQ(0ULL, pfm_fdinfo_num(fd, "pfm-throttled"));
}

/* Of a context that blocks, the thread waits, too. */
TEST_F(limits, throttled_and_blocked)
{
	struct puppet p;
	u64 throttled;
	int fd;

	NEED_ROOT();
	puppet_start(&p, PUPPET_PROCESS);
	ASSERT_EQ(0, set_limit("interrupts_max", 0));
	fd = clock_session(PFM_FL_NOTIFY_BLOCK, 0, NSEC_PER_MSEC, p.tid);
	/* The interrupt may be so late that the thread has burnt enough. */
	for (throttled = 1; throttled < 50; throttled++) {
		puppet_post(&p, OP_BURN, 50);
		ASSERT_EQ(PFM_MSG_OVFL, pfm_next_msg(fd, NULL, PATIENCE));
		if (!puppet_done(&p, 100))
			break;
		MUST(pfm_restart(fd));
	}
	ASSERT_GT(50ULL, throttled);
	EXPECT_EQ(throttled, pfm_fdinfo_num(fd, "pfm-throttled"));
	ASSERT_EQ(0, write_limit("interrupts_max", self->saved[2]));
	EXPECT_EQ(0, pfm_restart(fd));
	EXPECT_TRUE(puppet_done(&p, PATIENCE));
	EXPECT_EQ(throttled, pfm_fdinfo_num(fd, "pfm-throttled"));
	puppet_stop(&p);
}

/* As the machine boots, a reasonable period meets no limit. */
TEST_F(limits, default_limit)
{
	int fd = clock_session(0, 0, 200000, my_tid());

	burn_ms(200);
	EXPECT_TRUE(pfm_state_is(fd, "loaded"));
	EXPECT_EQ(0ULL, pfm_fdinfo_num(fd, "pfm-throttled"));
	EXPECT_EQ(0, pfm_poll(fd, 0));
	EXPECT_LE(200 * NSEC_PER_MSEC, pfm_value(fd, SW_PMD(1)));
}

/* ------------------------------------------------------------------------
 * Statistics
 */

/* One a fault, and no other context is there to add to it. */
TEST_F(limits, debugfs_counts_set_switches)
{
	pfarg_pmd_t pmd = {
		.reg_num = SW_PMD(0), .reg_value = ~0ULL,
		.reg_short_reset = ~0ULL, .reg_ovflsw_thres = 1,
	};
	struct puppet p;
	u64 before;
	int fd;

	NEED_DEBUGFS();
	puppet_start(&p, PUPPET_PROCESS);
	fd = (int)MUST(pfm_create(0));
	MUST(create_set(fd, 0, OVFL));
	MUST(pfm_write_pmc(fd, SW_PMC(0), PFM_SW_MINOR_FAULTS, 0));
	MUST(pfm(fd, PFM_WRITE_PMDS, &pmd, 1));
	MUST(pfm_load(fd, p.tid));
	MUST(pfm_start(fd));
	before = debugfs_sum("set_switches");
	puppet_do(&p, OP_FAULT, 100);
	EXPECT_EQ(before + 100, debugfs_sum("set_switches"));
	EXPECT_EQ(101ULL, info_of_set(fd, 0).set_runs);
	puppet_stop(&p);
}

TEST_F(limits, debugfs_counts_throttled_contexts)
{
	u64 before;
	int fd;

	NEED_ROOT();
	NEED_DEBUGFS();
	ASSERT_EQ(0, set_limit("interrupts_max", 0));
	before = debugfs_sum("throttled");
	fd = clock_session(0, 0, NSEC_PER_MSEC, my_tid());
	ASSERT_TRUE(burn_until_masked(fd));
	EXPECT_EQ(before + 1, debugfs_sum("throttled"));
	MUST(pfm_restart(fd));
	ASSERT_TRUE(burn_until_masked(fd));
	EXPECT_EQ(before + 2, debugfs_sum("throttled"));
}

TEST_HARNESS_MAIN
