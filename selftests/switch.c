// SPDX-License-Identifier: GPL-2.0-only
/*
 * From one event set to the next (3.7): by time, by overflows, by PFM_START;
 * what a switch does to time-outs, thresholds and counters, and that it loses
 * no event.
 *
 * Minor faults of a puppet are exact, so are the switches that they cause. Of
 * times only that is asked which a delay cannot change: a set is never left
 * early, and is active no longer than the test took. Not here: the commands
 * on sets (sets.c), the administrator's limits (limits.c).
 */
#include "puppet.h"

#define NOTIFY	PFM_REGFL_OVFL_NOTIFY
#define FAULTS	PFM_SW_MINOR_FAULTS
#define OVFL	PFM_SETFL_OVFL_SWITCH
#define TIME	PFM_SETFL_TIME_SWITCH
#define NEXT	PFM_SETFL_EXPL_NEXT

/* By so much a time-out may be early: the clocks are two. */
#define SLACK	1000ULL

/* For sums that must be exact. */
#define MANY	(is_slow() ? 10000ULL : 100000ULL)

#define MAX_SETS 16

/* ------------------------------------------------------------------------
 * Sets
 */

/* The effective time-out in ns. */
static u64 make_set(int fd, int id, u32 flags, int next, u64 timeout)
{
	pfarg_setdesc_t desc = {
		.set_id = (__u16)id, .set_id_next = (__u16)next,
		.set_flags = flags,
		.set_timeout = { (__s64)(timeout / NSEC_PER_SEC),
				 (__s64)(timeout % NSEC_PER_SEC) },
	};

	MUST(pfm(fd, PFM_CREATE_EVTSETS, &desc, 1));
	return (u64)desc.set_timeout.tv_sec * NSEC_PER_SEC +
	       (u64)desc.set_timeout.tv_nsec;
}

/* Counter @i of @set counts @event. */
static void choose(int fd, int set, int i, u64 event, u32 flags)
{
	pfarg_pmc_t pmc = {
		.reg_num = (__u16)SW_PMC(i), .reg_set = (__u16)set,
		.reg_flags = flags, .reg_value = event,
	};

	MUST(pfm(fd, PFM_WRITE_PMCS, &pmc, 1));
}

static void set_pmd(int fd, int set, int i, u64 value, u64 long_reset,
		    u64 short_reset, u64 thres)
{
	pfarg_pmd_t pmd = {
		.reg_num = (__u16)SW_PMD(i), .reg_set = (__u16)set,
		.reg_value = value, .reg_long_reset = long_reset,
		.reg_short_reset = short_reset, .reg_ovflsw_thres = thres,
	};

	MUST(pfm(fd, PFM_WRITE_PMDS, &pmd, 1));
}

/* Counter @i ends the activity of @set with its @thres'th @period faults. */
static void trigger(int fd, int set, int i, u64 period, u64 thres)
{
	choose(fd, set, i, FAULTS, 0);
	set_pmd(fd, set, i, -period, -period, -period, thres);
}

static pfarg_pmd_t read_pmd(int fd, int set, int i)
{
	pfarg_pmd_t pmd = {
		.reg_num = (__u16)SW_PMD(i), .reg_set = (__u16)set,
	};

	MUST(pfm(fd, PFM_READ_PMDS, &pmd, 1));
	return pmd;
}

static u64 value_of(int fd, int set, int i)
{
	return read_pmd(fd, set, i).reg_value;
}

static u64 thres_of(int fd, int set, int i)
{
	return read_pmd(fd, set, i).reg_ovflsw_thres;
}

static pfarg_setinfo_t info_of(int fd, int set)
{
	pfarg_setinfo_t info = { .set_id = (__u16)set };

	MUST(pfm(fd, PFM_GETINFO_EVTSETS, &info, 1));
	return info;
}

/* Of sets 0 to @n - 1, all at one moment. */
static void infos_of(int fd, pfarg_setinfo_t *info, int n)
{
	int i;

	memset(info, 0, (size_t)n * sizeof(*info));
	for (i = 0; i < n; i++)
		info[i].set_id = (__u16)i;
	MUST(pfm(fd, PFM_GETINFO_EVTSETS, info, n));
}

static u64 in_ns(struct pfm_timespec ts)
{
	return (u64)ts.tv_sec * NSEC_PER_SEC + (u64)ts.tv_nsec;
}

static u64 runs_of(int fd, int set)
{
	return info_of(fd, set).set_runs;
}

/* What is left of its time-out. */
static u64 left_of(int fd, int set)
{
	return in_ns(info_of(fd, set).set_timeout);
}

static u64 act_of(int fd, int set)
{
	return in_ns(info_of(fd, set).set_act_duration);
}

static u64 all_runs(int fd, int n)
{
	pfarg_setinfo_t info[MAX_SETS];
	u64 sum = 0;

	infos_of(fd, info, n);
	while (n--)
		sum += info[n].set_runs;
	return sum;
}

/* The counters that last ended an activity of @set, as bits. */
static unsigned int ended_by(int fd, int set)
{
	pfarg_setinfo_t info = info_of(fd, set);
	unsigned int i, bits = 0;

	for (i = 0; i < PFM_MAX_PMDS; i++) {
		if (!vec_test(info.set_switch_pmds, i))
			continue;
		if (i < PFM_SW_PMD0 || i >= PFM_SW_PMD0 + PFM_SW_COUNTERS)
			die("PMD %u ended set %d", i, set);
		bits |= 1U << (i - PFM_SW_PMD0);
	}
	return bits;
}

static int active(int fd)
{
	return (int)pfm_fdinfo_num(fd, "pfm-set");
}

static int load_at(int fd, pid_t tid, int set)
{
	pfarg_load_t load = { .load_pid = tid, .load_set = (__u16)set };

	return pfm(fd, PFM_LOAD_CONTEXT, &load, 1);
}

static int start_at(int fd, int set)
{
	pfarg_start_t start = { .start_set = (__u16)set };

	return pfm(fd, PFM_START, &start, 1);
}

/* The kernel's clock and ours need not agree to the last percent. */
static u64 at_most(u64 wall)
{
	return wall + wall / 10 + 5 * NSEC_PER_MSEC;
}

/* Runs until sets 0 to @n - 1 have been active @runs times; not for ever. */
static bool burn_until(int fd, int n, u64 runs)
{
	u64 end = now_ns(CLOCK_THREAD_CPUTIME_ID) + 60 * NSEC_PER_SEC;

	while (all_runs(fd, n) < runs) {
		if (now_ns(CLOCK_THREAD_CPUTIME_ID) > end)
			return false;
		burn_ms(1);
	}
	return true;
}

static bool puppet_burns_until(struct puppet *p, int fd, int n, u64 runs)
{
	int tries = 1000;

	while (all_runs(fd, n) < runs) {
		if (!tries--)
			return false;
		puppet_do(p, OP_BURN, 10);
	}
	return true;
}

FIXTURE(switching) {
	struct puppet p;
	int fd;
};

/* A context that is not loaded yet, for the puppet. */
FIXTURE_SETUP(switching)
{
	puppet_start(&self->p, PUPPET_PROCESS);
	self->fd = (int)MUST(pfm_create(0));
	set_nonblock(self->fd);
}

FIXTURE_TEARDOWN(switching)
{
	close(self->fd);
	puppet_stop(&self->p);
}

/* ------------------------------------------------------------------------
 * By time
 */

/* Each set has its turn, and all of its time; a lone one follows itself. */
TEST(by_turns)
{
	static const int counts[] = { 1, 2, 5 };
	pfarg_setinfo_t info[MAX_SETS];
	size_t k;
	int i;

	for (k = 0; k < ARRAY_SIZE(counts); k++) {
		u64 wall, cpu, eff = 0, runs = 0, act = 0;
		int n = counts[k], fd = (int)MUST(pfm_create(0));

		for (i = 0; i < n; i++)
			eff = make_set(fd, i, TIME, 0, 2 * NSEC_PER_MSEC);
		MUST(pfm_load(fd, my_tid()));
		wall = now_ns(CLOCK_MONOTONIC);
		MUST(pfm_start(fd));
		cpu = now_ns(CLOCK_THREAD_CPUTIME_ID);
		EXPECT_TRUE(burn_until(fd, n, 4ULL * (u64)n + 2));
		cpu = now_ns(CLOCK_THREAD_CPUTIME_ID) - cpu;
		infos_of(fd, info, n);
		wall = now_ns(CLOCK_MONOTONIC) - wall;
		for (i = 0; i < n; i++) {
			runs += info[i].set_runs;
			act += in_ns(info[i].set_act_duration);
			EXPECT_GE(eff, in_ns(info[i].set_timeout));
			EXPECT_GE(info[0].set_runs, info[i].set_runs);
			EXPECT_LE(info[0].set_runs, info[i].set_runs + 1);
		}
		/* Whoever was left had its time. */
		EXPECT_LE((runs - 1) * (eff - SLACK), act);
		EXPECT_GE(at_most(wall), act);
		EXPECT_LE(cpu - cpu / 10 - NSEC_PER_MSEC, act);
		close(fd);
	}
}

/* Loading "does not, by itself, enable time-based set switching" (3.1.5). */
TEST(not_before_start)
{
	int fd = (int)MUST(pfm_create(0));
	u64 eff = make_set(fd, 0, TIME, 0, NSEC_PER_MSEC);

	make_set(fd, 1, TIME, 0, NSEC_PER_MSEC);
	MUST(pfm_load(fd, my_tid()));
	burn_ms(20);
	EXPECT_EQ(0, active(fd));
	EXPECT_EQ(1ULL, runs_of(fd, 0));
	EXPECT_EQ(0ULL, runs_of(fd, 1));
	EXPECT_EQ(eff, left_of(fd, 0));
	EXPECT_EQ(0ULL, act_of(fd, 0));
}

/* It is the thread's time, not the wall's (3.7.6): not a bit while asleep. */
TEST_F(switching, asleep)
{
	pfarg_setinfo_t a[2], b[2];
	int i;

	for (i = 0; i < 2; i++)
		make_set(self->fd, i, TIME, 0, NSEC_PER_MSEC);
	MUST(pfm_load(self->fd, self->p.tid));
	MUST(pfm_start(self->fd));
	for (i = 1; i <= 3; i++) {
		ASSERT_TRUE(puppet_burns_until(&self->p, self->fd, 2,
					       1ULL + 4 * (u64)i));
		puppet_settle(&self->p);
		infos_of(self->fd, a, 2);
		sleep_ms(50);
		infos_of(self->fd, b, 2);
		EXPECT_EQ(0, memcmp(a, b, sizeof(a)));
	}
}

/* The same for a thread that is stopped, wherever it happens to be. */
TEST_F(switching, stopped_by_a_signal)
{
	pfarg_setinfo_t a[2], b[2];
	int i;

	for (i = 0; i < 2; i++)
		make_set(self->fd, i, TIME, 0, NSEC_PER_MSEC);
	MUST(pfm_load(self->fd, self->p.tid));
	MUST(pfm_start(self->fd));
	puppet_post(&self->p, OP_BURN, 300);
	sleep_ms(20);
	MUST(kill(self->p.tid, SIGSTOP));
	wait_rest(self->p.tid, "T");
	infos_of(self->fd, a, 2);
	sleep_ms(50);
	infos_of(self->fd, b, 2);
	EXPECT_EQ(0, memcmp(a, b, sizeof(a)));
	MUST(kill(self->p.tid, SIGCONT));
	EXPECT_TRUE(puppet_done(&self->p, PATIENCE));
	EXPECT_TRUE(puppet_burns_until(&self->p, self->fd, 2,
				       b[0].set_runs + b[1].set_runs + 2));
}

/* What is left: all at the load, then less and less, by the time that went. */
TEST(rest_of_the_timeout)
{
	int i, fd = (int)MUST(pfm_create(0));
	u64 eff = make_set(fd, 0, TIME, 0, 100 * NSEC_PER_SEC);
	u64 wall, left, last = eff;

	EXPECT_LE(100 * NSEC_PER_SEC, eff);
	EXPECT_EQ(eff, left_of(fd, 0));
	MUST(pfm_load(fd, my_tid()));
	EXPECT_EQ(eff, left_of(fd, 0));
	wall = now_ns(CLOCK_MONOTONIC);
	MUST(pfm_start(fd));
	for (i = 0; i < 5; i++) {
		burn_ms(4);
		left = left_of(fd, 0);
		EXPECT_GE(last - 3 * NSEC_PER_MSEC, left);
		last = left;
	}
	wall = now_ns(CLOCK_MONOTONIC) - wall;
	EXPECT_GE(at_most(wall), eff - last);
	/* "Its timeout is reset" (3.7.6) by the next load, not by the unload. */
	MUST(pfm_unload(fd));
	EXPECT_GE(last, left_of(fd, 0));
	MUST(pfm_load(fd, my_tid()));
	EXPECT_EQ(eff, left_of(fd, 0));
}

/* Figure 3.36: stopped while masked, it goes on where it was. */
TEST(rest_while_masked)
{
	int fd = (int)MUST(pfm_create(0));
	u64 eff = make_set(fd, 0, TIME, 0, 100 * NSEC_PER_SEC);
	pfarg_setinfo_t a, b;
	struct pages pages;
	u64 wall, left;

	make_set(fd, 1, 0, 0, 0);
	pages_map(&pages, 1);
	MUST(pfm_load(fd, my_tid()));
	MUST(pfm_start(fd));
	burn_ms(3);
	choose(fd, 0, 0, FAULTS, NOTIFY);
	set_pmd(fd, 0, 0, ~0ULL, 0, 0, 0);
	pages_touch(&pages, 1);
	ASSERT_TRUE(pfm_state_is(fd, "masked"));
	a = info_of(fd, 0);
	EXPECT_GT(eff, in_ns(a.set_timeout));
	burn_ms(10);
	b = info_of(fd, 0);
	EXPECT_EQ(0, memcmp(&a, &b, sizeof(a)));
	wall = now_ns(CLOCK_MONOTONIC);
	MUST(pfm_restart(fd));
	left = left_of(fd, 0);
	wall = now_ns(CLOCK_MONOTONIC) - wall;
	EXPECT_GE(in_ns(a.set_timeout), left);
	EXPECT_GE(at_most(wall), in_ns(a.set_timeout) - left);
	burn_ms(5);
	EXPECT_GE(left - 4 * NSEC_PER_MSEC, left_of(fd, 0));
	/* The same set, and no other activity of it (3.1.9). */
	EXPECT_EQ(0, active(fd));
	EXPECT_EQ(1ULL, runs_of(fd, 0));
}

/* A time that would have been over comes after the restart, all of it. */
TEST(no_switch_while_masked)
{
	int tries, fd = (int)MUST(pfm_create(0));
	u64 eff = make_set(fd, 0, TIME, 0, 50 * NSEC_PER_MSEC), act;
	struct pages pages;

	make_set(fd, 1, 0, 0, 0);
	pages_map(&pages, 100);
	choose(fd, 0, 0, FAULTS, NOTIFY);
	/* Unless this CPU stands still it is masked at once. */
	for (tries = 0; tries < 100; tries++) {
		set_pmd(fd, 0, 0, ~0ULL, 0, 0, 0);
		MUST(pfm_load(fd, my_tid()));
		act = act_of(fd, 0);
		MUST(pfm_start(fd));
		pages_touch(&pages, 1);
		if (pfm_state_is(fd, "masked"))
			break;
		MUST(pfm_unload(fd));
	}
	ASSERT_GT(100, tries);
	burn_ms(80);
	EXPECT_EQ(0, active(fd));
	EXPECT_EQ((u64)tries, runs_of(fd, 1));
	EXPECT_TRUE(pfm_state_is(fd, "masked"));
	MUST(pfm_restart(fd));
	EXPECT_TRUE(burn_until(fd, 2, 2 * (u64)tries + 2));
	EXPECT_EQ(1, active(fd));
	EXPECT_LE(eff - SLACK, act_of(fd, 0) - act);
}

/*
 * A period of the task clock as long as the time-out: both are over at once.
 * Whichever wins, a set that has notified stays until PFM_RESTART (3.7.7).
 */
TEST(overflow_at_the_end_of_the_time)
{
	int i, masked = 0, fd = (int)MUST(pfm_create(0));
	u64 eff = make_set(fd, 0, TIME, 0, 3 * NSEC_PER_MSEC), runs, end;
	pfm_msg_t msg;

	make_set(fd, 1, 0, 0, 0);
	choose(fd, 0, 0, PFM_SW_TASK_CLOCK, NOTIFY);
	for (i = 0; i < 10; i++) {
		set_pmd(fd, 0, 0, -eff, 0, 0, 0);
		runs = runs_of(fd, 1);
		MUST(pfm_load(fd, my_tid()));
		MUST(pfm_start(fd));
		end = now_ns(CLOCK_THREAD_CPUTIME_ID) + 60 * NSEC_PER_SEC;
		while (pfm_state_is(fd, "loaded") && active(fd) == 0 &&
		       now_ns(CLOCK_THREAD_CPUTIME_ID) < end)
			;
		if (pfm_state_is(fd, "masked")) {
			masked++;
			ASSERT_EQ(PFM_MSG_OVFL,
				  pfm_next_msg(fd, &msg, PATIENCE));
			EXPECT_EQ(0, msg.pfm_ovfl_msg.msg_active_set);
			EXPECT_EQ(0, active(fd));
			EXPECT_EQ(runs, runs_of(fd, 1));
		} else {
			EXPECT_EQ(1, active(fd));
		}
		MUST(pfm_unload(fd));
	}
	TH_LOG("%d of %d times the overflow came first", masked, i);
}

/* "Stopping monitoring does stop time-based ... switching" (3.1.6). */
TEST(stopped)
{
	int i, fd = (int)MUST(pfm_create(0));
	pfarg_setinfo_t a[2], b[2];

	for (i = 0; i < 2; i++)
		make_set(fd, i, TIME, 0, NSEC_PER_MSEC);
	MUST(pfm_load(fd, my_tid()));
	MUST(pfm_start(fd));
	ASSERT_TRUE(burn_until(fd, 2, 4));
	MUST(pfm_stop(fd));
	infos_of(fd, a, 2);
	burn_ms(20);
	infos_of(fd, b, 2);
	EXPECT_EQ(0, memcmp(a, b, sizeof(a)));
	MUST(pfm_start(fd));
	EXPECT_TRUE(burn_until(fd, 2, a[0].set_runs + a[1].set_runs + 2));
}

/* Started again: the set that was active, and the rest of its time. */
TEST(started_again)
{
	int fd = (int)MUST(pfm_create(0));
	u64 wall, left, now;

	make_set(fd, 0, TIME, 0, 2 * NSEC_PER_MSEC);
	make_set(fd, 1, TIME, 0, 1000 * NSEC_PER_SEC);
	MUST(pfm_load(fd, my_tid()));
	MUST(pfm_start(fd));
	ASSERT_TRUE(burn_until(fd, 2, 2));
	burn_ms(5);
	MUST(pfm_stop(fd));
	left = left_of(fd, 1);
	EXPECT_GE(1000 * NSEC_PER_SEC - 4 * NSEC_PER_MSEC, left);
	burn_ms(5);
	EXPECT_EQ(left, left_of(fd, 1));
	wall = now_ns(CLOCK_MONOTONIC);
	MUST(pfm_start(fd));
	now = left_of(fd, 1);
	wall = now_ns(CLOCK_MONOTONIC) - wall;
	EXPECT_EQ(1, active(fd));
	EXPECT_EQ(1ULL, runs_of(fd, 1));
	EXPECT_GE(left, now);
	EXPECT_GE(at_most(wall), left - now);
	burn_ms(5);
	EXPECT_GE(now - 4 * NSEC_PER_MSEC, left_of(fd, 1));
}

/*
 * The smallest time-out there is, in a thread that does nothing but fault:
 * whatever a switch hits, each fault belongs to exactly one set.
 */
TEST_F(switching, smallest_timeout)
{
	u64 base, faults = 0, sum = 0, eff = 0, act = 0, runs;
	int i;

	for (i = 0; i < 3; i++) {
		eff = make_set(self->fd, i, TIME, 0, 1);
		choose(self->fd, i, 0, FAULTS, 0);
	}
	puppet_settle(&self->p);
	base = thread_minor_faults(self->p.tid);
	MUST(pfm_load(self->fd, self->p.tid));
	MUST(pfm_start(self->fd));
	while (faults < MANY / 5 || all_runs(self->fd, 3) < 100) {
		puppet_do(&self->p, OP_FAULT, 500);
		faults = thread_minor_faults(self->p.tid) - base;
		ASSERT_GT(20 * MANY, faults);
	}
	puppet_settle(&self->p);
	for (i = 0; i < 3; i++) {
		sum += value_of(self->fd, i, 0);
		act += act_of(self->fd, i);
	}
	runs = all_runs(self->fd, 3);
	EXPECT_EQ(thread_minor_faults(self->p.tid) - base, sum);
	EXPECT_LE((runs - 1) * (eff - SLACK), act);
	TH_LOG("%llu faults, %llu activities", sum, runs);
}

/* ------------------------------------------------------------------------
 * Which set is next
 */

/* One fault, one switch: the sets that are active by turns. */
static void check_order(struct __test_metadata *_metadata,
			FIXTURE_DATA(switching) *s, const int *ids, int n)
{
	int i;

	for (i = 0; i < 2 * n + 1; i++) {
		ASSERT_EQ(ids[i % n], active(s->fd)) {
			TH_LOG("switch %d", i);
		}
		puppet_do(&s->p, OP_FAULT, 1);
	}
}

/* Figure 3.33: round robin in the order of numbers, not of creation. */
TEST_F(switching, figure_3_33)
{
	static const int ids[] = { 0, 3, 5 };
	int i;

	make_set(self->fd, 5, OVFL, 0, 0);
	make_set(self->fd, 3, OVFL, 0, 0);
	make_set(self->fd, 0, OVFL, 0, 0);
	for (i = 0; i < 3; i++)
		trigger(self->fd, ids[i], 0, 1, 1);
	MUST(pfm_load(self->fd, self->p.tid));
	MUST(pfm_start(self->fd));
	check_order(_metadata, self, ids, 3);
	/* A set that is new finds its place. */
	MUST(pfm_unload(self->fd));
	make_set(self->fd, 4, 0, 0, 0);
	for (i = 0; i < 3; i++)
		trigger(self->fd, ids[i], 0, 1, 1);
	MUST(pfm_load(self->fd, self->p.tid));
	MUST(pfm_start(self->fd));
	puppet_do(&self->p, OP_FAULT, 2);
	EXPECT_EQ(4, active(self->fd));
}

/* Figure 3.34: two sublists, and LOAD or START chooses. */
TEST_F(switching, figure_3_34)
{
	static const int ids[] = { 0, 3, 5, 8, 9, 11 };
	static const int three[] = { 3, 5, 0 }, nine[] = { 9, 11, 8 };
	const int *low = ids, *high = ids + 3;
	int i;

	for (i = 0; i < 6; i++)
		make_set(self->fd, ids[i], OVFL, 0, 0);
	make_set(self->fd, 5, OVFL | NEXT, 0, 0);
	make_set(self->fd, 11, OVFL | NEXT, 8, 0);
	for (i = 0; i < 6; i++)
		trigger(self->fd, ids[i], 0, 1, 1);
	MUST(pfm_load(self->fd, self->p.tid));
	MUST(pfm_start(self->fd));
	check_order(_metadata, self, low, 3);
	ASSERT_EQ(0, start_at(self->fd, 8));
	check_order(_metadata, self, high, 3);
	ASSERT_EQ(0, start_at(self->fd, 3));
	check_order(_metadata, self, three, 3);
	MUST(pfm_unload(self->fd));
	for (i = 0; i < 6; i++)
		trigger(self->fd, ids[i], 0, 1, 1);
	ASSERT_EQ(0, load_at(self->fd, self->p.tid, 9));
	MUST(pfm_start(self->fd));
	check_order(_metadata, self, nine, 3);
}

/* "The number of runs is also incremented" (3.1.12). */
TEST_F(switching, next_is_itself)
{
	int set;

	for (set = 0; set <= 7; set += 7) {
		make_set(self->fd, set, OVFL | (set ? NEXT : 0), set, 0);
		trigger(self->fd, set, 0, 2, 3);
		choose(self->fd, set, 1, FAULTS, 0);
		MUST(load_at(self->fd, self->p.tid, set));
		MUST(pfm_start(self->fd));
		puppet_do(&self->p, OP_FAULT, 31);
		EXPECT_EQ(set, active(self->fd));
		EXPECT_EQ(6ULL, runs_of(self->fd, set));
		EXPECT_EQ(1U << 0, ended_by(self->fd, set));
		/* It goes on with a fresh period and threshold. */
		EXPECT_EQ(~0ULL, value_of(self->fd, set, 0));
		EXPECT_EQ(3ULL, thres_of(self->fd, set, 0));
		EXPECT_EQ(31ULL, value_of(self->fd, set, 1));
		MUST(pfm_unload(self->fd));
	}
	EXPECT_EQ(6ULL, runs_of(self->fd, 0));
}

/* Without a flag a set is never left, neither by time nor by overflows. */
TEST_F(switching, no_mode)
{
	make_set(self->fd, 1, OVFL, 0, 0);
	trigger(self->fd, 0, 0, 1, 1);
	MUST(pfm_load(self->fd, self->p.tid));
	MUST(pfm_start(self->fd));
	puppet_do(&self->p, OP_FAULT, 10);
	puppet_do(&self->p, OP_BURN, 10);
	EXPECT_EQ(0, active(self->fd));
	EXPECT_EQ(1ULL, runs_of(self->fd, 0));
	EXPECT_EQ(0ULL, runs_of(self->fd, 1));
	EXPECT_EQ(0ULL, thres_of(self->fd, 0, 0));
	EXPECT_EQ(0U, ended_by(self->fd, 0));
}

/* The mode is a set's, not the context's. */
TEST_F(switching, mixed_modes)
{
	u64 eff;

	make_set(self->fd, 0, OVFL, 0, 0);
	eff = make_set(self->fd, 1, TIME, 0, 200 * NSEC_PER_MSEC);
	make_set(self->fd, 2, 0, 0, 0);
	trigger(self->fd, 0, 0, 3, 1);
	choose(self->fd, 2, 0, FAULTS, 0);
	MUST(pfm_load(self->fd, self->p.tid));
	MUST(pfm_start(self->fd));
	puppet_do(&self->p, OP_BURN, 5);
	puppet_do(&self->p, OP_FAULT, 2);
	EXPECT_EQ(0, active(self->fd));
	puppet_do(&self->p, OP_FAULT, 1);
	EXPECT_EQ(1ULL, runs_of(self->fd, 1));
	ASSERT_TRUE(puppet_burns_until(&self->p, self->fd, 3, 3));
	EXPECT_LE(eff - SLACK, act_of(self->fd, 1));
	puppet_do(&self->p, OP_BURN, 5);
	puppet_do(&self->p, OP_FAULT, 10);
	EXPECT_EQ(2, active(self->fd));
	EXPECT_EQ(10ULL, value_of(self->fd, 2, 0));
	EXPECT_EQ(3ULL, all_runs(self->fd, 3));
	MUST(start_at(self->fd, 0));
	puppet_do(&self->p, OP_FAULT, 3);
	EXPECT_EQ(2ULL, runs_of(self->fd, 1));
}

/* ------------------------------------------------------------------------
 * LOAD and START name a set
 */

TEST_F(switching, start_names_a_set)
{
	make_set(self->fd, 4, 0, 0, 0);
	choose(self->fd, 0, 0, FAULTS, 0);
	choose(self->fd, 4, 0, FAULTS, 0);
	MUST(pfm_load(self->fd, self->p.tid));
	/* It "overrides the first set designated" by the load (3.1.5). */
	ASSERT_EQ(0, start_at(self->fd, 4));
	EXPECT_EQ(4, active(self->fd));
	EXPECT_EQ(1ULL, runs_of(self->fd, 0));
	EXPECT_EQ(1ULL, runs_of(self->fd, 4));
	puppet_do(&self->p, OP_FAULT, 3);
	/* While it is started, too. */
	ASSERT_EQ(0, start_at(self->fd, 0));
	EXPECT_EQ(0, active(self->fd));
	EXPECT_EQ(2ULL, runs_of(self->fd, 0));
	puppet_do(&self->p, OP_FAULT, 2);
	EXPECT_EQ(2ULL, value_of(self->fd, 0, 0));
	EXPECT_EQ(3ULL, value_of(self->fd, 4, 0));
	MUST(pfm_stop(self->fd));
	ASSERT_EQ(0, start_at(self->fd, 4));
	EXPECT_EQ(2ULL, runs_of(self->fd, 4));
	puppet_do(&self->p, OP_FAULT, 1);
	EXPECT_EQ(4ULL, value_of(self->fd, 4, 0));
}

/* While the thread runs, from another one. */
TEST_F(switching, start_names_a_set_of_a_running_thread)
{
	u64 base, n;

	make_set(self->fd, 1, 0, 0, 0);
	choose(self->fd, 0, 0, FAULTS, 0);
	choose(self->fd, 1, 0, FAULTS, 0);
	puppet_settle(&self->p);
	base = thread_minor_faults(self->p.tid);
	MUST(pfm_load(self->fd, self->p.tid));
	MUST(pfm_start(self->fd));
	puppet_post(&self->p, OP_FAULT, 5000);
	for (n = 1; n <= 100; n++) {
		ASSERT_EQ(0, start_at(self->fd, (int)(n % 2)));
		ASSERT_EQ(n + 1, all_runs(self->fd, 2));
	}
	EXPECT_TRUE(puppet_done(&self->p, PATIENCE));
	puppet_settle(&self->p);
	EXPECT_EQ(thread_minor_faults(self->p.tid) - base,
		  value_of(self->fd, 0, 0) + value_of(self->fd, 1, 0));
}

TEST(start_names_the_active_set)
{
	int fd = (int)MUST(pfm_create(0));
	u64 left;

	make_set(fd, 6, TIME, 0, 100 * NSEC_PER_SEC);
	MUST(load_at(fd, my_tid(), 6));
	ASSERT_EQ(0, start_at(fd, 6));
	EXPECT_EQ(1ULL, runs_of(fd, 6));
	burn_ms(3);
	left = left_of(fd, 6);
	/* Its time does not begin anew. */
	ASSERT_EQ(0, start_at(fd, 6));
	EXPECT_GE(left, left_of(fd, 6));
	MUST(pfm_stop(fd));
	left = left_of(fd, 6);
	ASSERT_EQ(0, start_at(fd, 6));
	EXPECT_GE(left, left_of(fd, 6));
	EXPECT_EQ(1ULL, runs_of(fd, 6));
	EXPECT_EQ(6, active(fd));
}

/* It comes with its whole time when it comes again. */
TEST(start_names_a_set_with_a_timeout)
{
	int fd = (int)MUST(pfm_create(0));
	u64 eff = make_set(fd, 1, TIME, 0, 100 * NSEC_PER_SEC), wall, left;

	MUST(load_at(fd, my_tid(), 1));
	MUST(pfm_start(fd));
	burn_ms(20);
	MUST(start_at(fd, 0));
	/* What was left of it stands until then. */
	left = left_of(fd, 1);
	EXPECT_GE(eff - 18 * NSEC_PER_MSEC, left);
	burn_ms(3);
	EXPECT_EQ(left, left_of(fd, 1));
	wall = now_ns(CLOCK_MONOTONIC);
	MUST(start_at(fd, 1));
	left = left_of(fd, 1);
	wall = now_ns(CLOCK_MONOTONIC) - wall;
	EXPECT_GE(eff, left);
	EXPECT_GE(at_most(wall), eff - left);
	EXPECT_EQ(2ULL, runs_of(fd, 1));
}

TEST_F(switching, start_names_an_unknown_set)
{
	make_set(self->fd, 4, 0, 0, 0);
	MUST(load_at(self->fd, self->p.tid, 4));
	EXPECT_EQ(-EINVAL, start_at(self->fd, 3));
	EXPECT_EQ(-EINVAL, start_at(self->fd, 5));
	EXPECT_EQ(0ULL, pfm_fdinfo_num(self->fd, "pfm-started"));
	MUST(pfm_start(self->fd));
	EXPECT_EQ(-EINVAL, start_at(self->fd, 65535));
	EXPECT_EQ(1ULL, pfm_fdinfo_num(self->fd, "pfm-started"));
	EXPECT_EQ(4, active(self->fd));
	EXPECT_EQ(1ULL, runs_of(self->fd, 4));
	EXPECT_EQ(0ULL, runs_of(self->fd, 0));
}

/* "Even though monitoring may never be activated" (3.1.12). */
TEST_F(switching, load_is_a_run)
{
	u64 i;

	make_set(self->fd, 7, 0, 0, 0);
	for (i = 1; i <= 3; i++) {
		MUST(load_at(self->fd, self->p.tid, 7));
		EXPECT_EQ(7, active(self->fd));
		EXPECT_EQ(i, runs_of(self->fd, 7));
		MUST(pfm_unload(self->fd));
	}
	EXPECT_EQ(0ULL, runs_of(self->fd, 0));
	EXPECT_EQ(0ULL, act_of(self->fd, 7));
}

/* ------------------------------------------------------------------------
 * By overflows
 */

/*
 * Figure 3.38 with a tenth of its numbers: two overflows of PMD 4 end set 0,
 * one of PMD 5 ends set 1.
 */
TEST_F(switching, figure_3_38)
{
	int i;

	for (i = 0; i < 2; i++)
		make_set(self->fd, i, OVFL, 0, 0);
	trigger(self->fd, 0, 4, 100, 2);
	trigger(self->fd, 1, 5, 100, 1);
	MUST(pfm_load(self->fd, self->p.tid));
	MUST(pfm_start(self->fd));
	for (i = 1; i <= 3; i++) {
		EXPECT_EQ(2ULL, thres_of(self->fd, 0, 4));
		puppet_do(&self->p, OP_FAULT, 99);
		EXPECT_EQ(2ULL, thres_of(self->fd, 0, 4));
		puppet_do(&self->p, OP_FAULT, 1);
		/* The first overflow: a short reset, and on. */
		EXPECT_EQ(0, active(self->fd));
		EXPECT_EQ(1ULL, thres_of(self->fd, 0, 4));
		EXPECT_EQ(-100ULL, value_of(self->fd, 0, 4));
		puppet_do(&self->p, OP_FAULT, 99);
		EXPECT_EQ(0, active(self->fd));
		puppet_do(&self->p, OP_FAULT, 1);
		EXPECT_EQ(1, active(self->fd));
		EXPECT_EQ(0ULL, thres_of(self->fd, 0, 4));
		EXPECT_EQ(1U << 4, ended_by(self->fd, 0));
		EXPECT_EQ(1ULL, thres_of(self->fd, 1, 5));
		EXPECT_EQ(-100ULL, value_of(self->fd, 1, 5));
		puppet_do(&self->p, OP_FAULT, 99);
		EXPECT_EQ(1, active(self->fd));
		puppet_do(&self->p, OP_FAULT, 1);
		/* Back, with a fresh period and threshold. */
		EXPECT_EQ(0, active(self->fd));
		EXPECT_EQ(1U << 5, ended_by(self->fd, 1));
		EXPECT_EQ(-100ULL, value_of(self->fd, 0, 4));
		EXPECT_EQ((u64)i + 1, runs_of(self->fd, 0));
		EXPECT_EQ((u64)i, runs_of(self->fd, 1));
		/* The last cause of set 0's end is known as yet. */
		EXPECT_EQ(1U << 4, ended_by(self->fd, 0));
	}
}

/* Whichever counter gets there first; the others' thresholds are forgotten. */
TEST_F(switching, several_triggers)
{
	make_set(self->fd, 0, OVFL, 0, 0);
	make_set(self->fd, 1, 0, 0, 0);
	trigger(self->fd, 0, 0, 2, 3);
	trigger(self->fd, 0, 1, 5, 2);
	MUST(pfm_load(self->fd, self->p.tid));
	MUST(pfm_start(self->fd));
	puppet_do(&self->p, OP_FAULT, 5);
	EXPECT_EQ(1ULL, thres_of(self->fd, 0, 0));
	EXPECT_EQ(1ULL, thres_of(self->fd, 0, 1));
	puppet_do(&self->p, OP_FAULT, 1);
	EXPECT_EQ(1, active(self->fd));
	EXPECT_EQ(1U << 0, ended_by(self->fd, 0));
	/* Now the other one: 4 faults to go, and 5, since it has to come twice. */
	MUST(start_at(self->fd, 0));
	set_pmd(self->fd, 0, 0, -100ULL, 0, 0, 1);
	EXPECT_EQ(2ULL, thres_of(self->fd, 0, 1));
	puppet_do(&self->p, OP_FAULT, 8);
	EXPECT_EQ(0, active(self->fd));
	EXPECT_EQ(1ULL, thres_of(self->fd, 0, 1));
	puppet_do(&self->p, OP_FAULT, 1);
	EXPECT_EQ(1, active(self->fd));
	EXPECT_EQ(1U << 1, ended_by(self->fd, 0));
}

/* "It is possible that more than one threshold reaches zero" (3.7.6). */
TEST_F(switching, triggers_together)
{
	make_set(self->fd, 0, OVFL, 0, 0);
	make_set(self->fd, 1, 0, 0, 0);
	trigger(self->fd, 0, 0, 6, 1);
	trigger(self->fd, 0, 1, 3, 2);
	trigger(self->fd, 0, 7, 2, 3);
	trigger(self->fd, 0, 5, 2, 4);
	MUST(pfm_load(self->fd, self->p.tid));
	MUST(pfm_start(self->fd));
	puppet_do(&self->p, OP_FAULT, 5);
	EXPECT_EQ(0, active(self->fd));
	puppet_do(&self->p, OP_FAULT, 1);
	EXPECT_EQ(1, active(self->fd));
	EXPECT_EQ(1U << 0 | 1U << 1 | 1U << 7, ended_by(self->fd, 0));
	EXPECT_EQ(2ULL, all_runs(self->fd, 2));
	EXPECT_EQ(1ULL, thres_of(self->fd, 0, 5));
}

/* A counter without a threshold overflows as often as it likes. */
TEST_F(switching, no_threshold)
{
	make_set(self->fd, 0, OVFL, 0, 0);
	make_set(self->fd, 1, 0, 0, 0);
	trigger(self->fd, 0, 0, 1, 0);
	trigger(self->fd, 0, 1, 20, 1);
	MUST(pfm_load(self->fd, self->p.tid));
	MUST(pfm_start(self->fd));
	puppet_do(&self->p, OP_FAULT, 19);
	EXPECT_EQ(0, active(self->fd));
	EXPECT_EQ(0ULL, thres_of(self->fd, 0, 0));
	puppet_do(&self->p, OP_FAULT, 1);
	EXPECT_EQ(1, active(self->fd));
	EXPECT_EQ(1U << 1, ended_by(self->fd, 0));
}

/* "It can be modified with the PFM_WRITE_PMDS command" (3.7.6). */
TEST_F(switching, threshold_written_meanwhile)
{
	make_set(self->fd, 0, OVFL, 0, 0);
	make_set(self->fd, 1, 0, 0, 0);
	trigger(self->fd, 0, 0, 1, 10);
	MUST(pfm_load(self->fd, self->p.tid));
	MUST(pfm_start(self->fd));
	puppet_do(&self->p, OP_FAULT, 4);
	EXPECT_EQ(6ULL, thres_of(self->fd, 0, 0));
	set_pmd(self->fd, 0, 0, ~0ULL, ~0ULL, ~0ULL, 2);
	EXPECT_EQ(2ULL, thres_of(self->fd, 0, 0));
	puppet_do(&self->p, OP_FAULT, 1);
	EXPECT_EQ(0, active(self->fd));
	puppet_do(&self->p, OP_FAULT, 1);
	EXPECT_EQ(1, active(self->fd));
	/* The new one is what comes back. */
	MUST(start_at(self->fd, 0));
	EXPECT_EQ(2ULL, thres_of(self->fd, 0, 0));
}

/* A new attachment begins with all of the threshold, and with no history. */
TEST_F(switching, load_resets)
{
	make_set(self->fd, 0, OVFL, 0, 0);
	make_set(self->fd, 1, OVFL, 0, 0);
	trigger(self->fd, 0, 0, 1, 2);
	trigger(self->fd, 1, 1, 1, 5);
	MUST(pfm_load(self->fd, self->p.tid));
	MUST(pfm_start(self->fd));
	puppet_do(&self->p, OP_FAULT, 2 + 5 + 1);
	EXPECT_EQ(0, active(self->fd));
	EXPECT_EQ(1ULL, thres_of(self->fd, 0, 0));
	EXPECT_EQ(1U << 0, ended_by(self->fd, 0));
	EXPECT_EQ(1U << 1, ended_by(self->fd, 1));
	MUST(pfm_unload(self->fd));
	EXPECT_EQ(1U << 1, ended_by(self->fd, 1));
	MUST(pfm_load(self->fd, self->p.tid));
	EXPECT_EQ(0U, ended_by(self->fd, 0));
	EXPECT_EQ(0U, ended_by(self->fd, 1));
	EXPECT_EQ(2ULL, thres_of(self->fd, 0, 0));
	/* Runs are of the context's whole life (3.1.12). */
	EXPECT_EQ(3ULL, runs_of(self->fd, 0));
	EXPECT_EQ(1ULL, runs_of(self->fd, 1));
}

/* "When time-based switching is used, this vector is all zeroes" (3.1.12). */
TEST_F(switching, no_cause_of_a_timeout)
{
	make_set(self->fd, 0, OVFL, 0, 0);
	make_set(self->fd, 1, 0, 0, 0);
	trigger(self->fd, 0, 0, 1, 1);
	MUST(pfm_load(self->fd, self->p.tid));
	MUST(pfm_start(self->fd));
	puppet_do(&self->p, OP_FAULT, 1);
	EXPECT_EQ(1U << 0, ended_by(self->fd, 0));
	MUST(pfm_unload(self->fd));
	make_set(self->fd, 0, TIME, 0, NSEC_PER_MSEC);
	EXPECT_EQ(0U, ended_by(self->fd, 0));
	MUST(pfm_load(self->fd, self->p.tid));
	MUST(pfm_start(self->fd));
	EXPECT_TRUE(puppet_burns_until(&self->p, self->fd, 2, 4));
	EXPECT_EQ(0U, ended_by(self->fd, 0));
}

/* Section 3.7.6, cascading: set 1 counts from the thousandth event on. */
TEST_F(switching, cascade)
{
	make_set(self->fd, 0, OVFL, 0, 0);
	make_set(self->fd, 1, 0, 0, 0);
	trigger(self->fd, 0, 0, 1000, 1);
	choose(self->fd, 1, 1, FAULTS, 0);
	MUST(pfm_load(self->fd, self->p.tid));
	MUST(pfm_start(self->fd));
	puppet_do(&self->p, OP_FAULT, 999);
	/* Not reached: that is what its runs say. */
	EXPECT_EQ(0ULL, runs_of(self->fd, 1));
	EXPECT_EQ(0ULL, value_of(self->fd, 1, 1));
	puppet_do(&self->p, OP_FAULT, 1);
	EXPECT_EQ(1ULL, runs_of(self->fd, 1));
	EXPECT_EQ(0ULL, value_of(self->fd, 1, 1));
	puppet_do(&self->p, OP_FAULT, 321);
	EXPECT_EQ(321ULL, value_of(self->fd, 1, 1));
	EXPECT_EQ(1, active(self->fd));
	EXPECT_EQ(2ULL, all_runs(self->fd, 2));
}

/*
 * What overflowed last in a set waits, as it is, until the set comes again;
 * then comes the short reset, of the counters listed in the control, too.
 */
TEST_F(switching, resets_come_with_the_set)
{
	pfarg_pmc_t pmc = {
		.reg_num = SW_PMC(0), .reg_value = FAULTS,
	};

	vec_set(pmc.reg_reset_pmds, SW_PMD(3));
	make_set(self->fd, 0, OVFL, 0, 0);
	make_set(self->fd, 1, OVFL, 0, 0);
	MUST(pfm(self->fd, PFM_WRITE_PMCS, &pmc, 1));
	set_pmd(self->fd, 0, 0, -6ULL, -700ULL, -7ULL, 1);
	/* No trigger, but it overflows together with one. */
	choose(self->fd, 0, 1, FAULTS, 0);
	set_pmd(self->fd, 0, 1, -3ULL, -400ULL, -3ULL, 0);
	choose(self->fd, 0, 2, FAULTS, 0);
	choose(self->fd, 0, 3, FAULTS, 0);
	set_pmd(self->fd, 0, 3, 50, 5000, 500, 0);
	trigger(self->fd, 1, 0, 4, 1);
	MUST(pfm_load(self->fd, self->p.tid));
	MUST(pfm_start(self->fd));
	puppet_do(&self->p, OP_FAULT, 6 + 3);
	EXPECT_EQ(1, active(self->fd));
	EXPECT_EQ(0ULL, value_of(self->fd, 0, 0));
	EXPECT_EQ(0ULL, value_of(self->fd, 0, 1));
	EXPECT_EQ(6ULL, value_of(self->fd, 0, 2));
	EXPECT_EQ(56ULL, value_of(self->fd, 0, 3));
	EXPECT_EQ(-6ULL, read_pmd(self->fd, 0, 0).reg_last_reset_val);
	puppet_do(&self->p, OP_FAULT, 1);
	EXPECT_EQ(0, active(self->fd));
	EXPECT_EQ(-7ULL, value_of(self->fd, 0, 0));
	EXPECT_EQ(-3ULL, value_of(self->fd, 0, 1));
	EXPECT_EQ(6ULL, value_of(self->fd, 0, 2));
	EXPECT_EQ(500ULL, value_of(self->fd, 0, 3));
	EXPECT_EQ(-7ULL, read_pmd(self->fd, 0, 0).reg_last_reset_val);
}

/* Stopped, nothing overflows; started, it goes on with what is left. */
TEST_F(switching, stopped_before_an_overflow)
{
	make_set(self->fd, 0, OVFL, 0, 0);
	make_set(self->fd, 1, 0, 0, 0);
	trigger(self->fd, 0, 0, 3, 2);
	MUST(pfm_load(self->fd, self->p.tid));
	MUST(pfm_start(self->fd));
	puppet_do(&self->p, OP_FAULT, 5);
	MUST(pfm_stop(self->fd));
	puppet_do(&self->p, OP_FAULT, 10);
	EXPECT_EQ(0, active(self->fd));
	EXPECT_EQ(1ULL, thres_of(self->fd, 0, 0));
	EXPECT_EQ(~0ULL, value_of(self->fd, 0, 0));
	MUST(pfm_start(self->fd));
	EXPECT_EQ(0, active(self->fd));
	EXPECT_EQ(1ULL, runs_of(self->fd, 0));
	puppet_do(&self->p, OP_FAULT, 1);
	EXPECT_EQ(1, active(self->fd));
}

/* ------------------------------------------------------------------------
 * Notified and switched by one overflow (3.7.7)
 */

/*
 * Set 3 notifies when it is left for set 7, set 7 does not when it is left
 * for set 3. Resets are long when PFM_RESTART brings the set, otherwise short.
 */
TEST_F(switching, notified)
{
	pfm_msg_t msg;

	make_set(self->fd, 3, OVFL | NEXT, 7, 0);
	make_set(self->fd, 7, OVFL | NEXT, 3, 0);
	choose(self->fd, 3, 0, FAULTS, NOTIFY);
	set_pmd(self->fd, 3, 0, -4ULL, -40ULL, -30ULL, 1);
	choose(self->fd, 7, 1, FAULTS, 0);
	set_pmd(self->fd, 7, 1, -5ULL, -50ULL, -60ULL, 1);
	MUST(load_at(self->fd, self->p.tid, 7));
	MUST(pfm_start(self->fd));
	puppet_do(&self->p, OP_FAULT, 5);
	EXPECT_EQ(3, active(self->fd));
	EXPECT_EQ(0, pfm_poll(self->fd, 0));
	puppet_do(&self->p, OP_FAULT, 4);
	/* The old set is what the message says, and what there is to see. */
	ASSERT_TRUE(pfm_state_is(self->fd, "masked"));
	ASSERT_EQ(PFM_MSG_OVFL, pfm_next_msg(self->fd, &msg, PATIENCE));
	EXPECT_EQ(3, msg.pfm_ovfl_msg.msg_active_set);
	EXPECT_TRUE(vec_test(msg.pfm_ovfl_msg.msg_ovfl_pmds, SW_PMD(0)));
	EXPECT_EQ(3, active(self->fd));
	EXPECT_EQ(1ULL, runs_of(self->fd, 7));
	puppet_do(&self->p, OP_FAULT, 6);
	EXPECT_EQ(0ULL, value_of(self->fd, 3, 0));
	EXPECT_EQ(0ULL, value_of(self->fd, 7, 1));
	MUST(pfm_restart(self->fd));
	EXPECT_TRUE(pfm_state_is(self->fd, "loaded"));
	EXPECT_EQ(7, active(self->fd));
	EXPECT_EQ(2ULL, runs_of(self->fd, 7));
	EXPECT_EQ(1U << 0, ended_by(self->fd, 3));
	EXPECT_EQ(-50ULL, value_of(self->fd, 7, 1));
	EXPECT_EQ(-50ULL, read_pmd(self->fd, 7, 1).reg_last_reset_val);
	EXPECT_EQ(0ULL, value_of(self->fd, 3, 0));
	puppet_do(&self->p, OP_FAULT, 50);
	EXPECT_EQ(3, active(self->fd));
	EXPECT_EQ(2ULL, runs_of(self->fd, 3));
	EXPECT_EQ(-30ULL, value_of(self->fd, 3, 0));
	EXPECT_EQ(0, pfm_poll(self->fd, 0));
}

/* An overflow that is notified counts for the threshold, too (abi, 9). */
TEST_F(switching, notified_before_the_threshold)
{
	make_set(self->fd, 0, OVFL, 0, 0);
	make_set(self->fd, 1, 0, 0, 0);
	choose(self->fd, 0, 0, FAULTS, NOTIFY);
	set_pmd(self->fd, 0, 0, -2ULL, -3ULL, -4ULL, 2);
	MUST(pfm_load(self->fd, self->p.tid));
	MUST(pfm_start(self->fd));
	puppet_do(&self->p, OP_FAULT, 2);
	ASSERT_TRUE(pfm_state_is(self->fd, "masked"));
	EXPECT_EQ(1ULL, thres_of(self->fd, 0, 0));
	MUST(pfm_restart(self->fd));
	EXPECT_EQ(0, active(self->fd));
	EXPECT_EQ(1ULL, runs_of(self->fd, 0));
	EXPECT_EQ(-3ULL, value_of(self->fd, 0, 0));
	EXPECT_EQ(0U, ended_by(self->fd, 0));
	puppet_do(&self->p, OP_FAULT, 3);
	ASSERT_TRUE(pfm_state_is(self->fd, "masked"));
	EXPECT_EQ(0, active(self->fd));
	MUST(pfm_restart(self->fd));
	EXPECT_EQ(1, active(self->fd));
	EXPECT_EQ(1U << 0, ended_by(self->fd, 0));
}

/* A set that follows itself: the long reset of 3.1.9, and another run. */
TEST_F(switching, notified_and_next_is_itself)
{
	make_set(self->fd, 0, OVFL, 0, 0);
	choose(self->fd, 0, 0, FAULTS, NOTIFY);
	set_pmd(self->fd, 0, 0, -2ULL, -3ULL, -4ULL, 1);
	MUST(pfm_load(self->fd, self->p.tid));
	MUST(pfm_start(self->fd));
	puppet_do(&self->p, OP_FAULT, 2);
	ASSERT_TRUE(pfm_state_is(self->fd, "masked"));
	EXPECT_EQ(1ULL, runs_of(self->fd, 0));
	MUST(pfm_restart(self->fd));
	EXPECT_EQ(2ULL, runs_of(self->fd, 0));
	EXPECT_EQ(-3ULL, value_of(self->fd, 0, 0));
	EXPECT_EQ(1ULL, thres_of(self->fd, 0, 0));
}

/* Time-based: "the restarted set is the same" (3.1.9). */
TEST_F(switching, notified_in_a_set_with_a_timeout)
{
	pfm_msg_t msg;

	make_set(self->fd, 2, TIME, 0, 100 * NSEC_PER_SEC);
	choose(self->fd, 2, 0, FAULTS, NOTIFY);
	/* Its threshold is ignored. */
	set_pmd(self->fd, 2, 0, -2ULL, -3ULL, -4ULL, 1);
	MUST(load_at(self->fd, self->p.tid, 2));
	MUST(pfm_start(self->fd));
	puppet_do(&self->p, OP_FAULT, 2);
	ASSERT_EQ(PFM_MSG_OVFL, pfm_next_msg(self->fd, &msg, PATIENCE));
	EXPECT_EQ(2, msg.pfm_ovfl_msg.msg_active_set);
	MUST(pfm_restart(self->fd));
	EXPECT_EQ(2, active(self->fd));
	EXPECT_EQ(1ULL, runs_of(self->fd, 2));
	EXPECT_EQ(-3ULL, value_of(self->fd, 2, 0));
	EXPECT_EQ(0U, ended_by(self->fd, 2));
}

/*
 * Stopped while a switch waits for PFM_RESTART: whatever brings the new set
 * then, the old one must not become one that is never left. Its next overflow
 * ends it at the latest.
 */
TEST_F(switching, stopped_while_a_switch_is_due)
{
	make_set(self->fd, 0, OVFL, 0, 0);
	make_set(self->fd, 1, 0, 0, 0);
	choose(self->fd, 0, 0, FAULTS, NOTIFY);
	set_pmd(self->fd, 0, 0, -2ULL, -2ULL, -2ULL, 1);
	MUST(pfm_load(self->fd, self->p.tid));
	MUST(pfm_start(self->fd));
	puppet_do(&self->p, OP_FAULT, 2);
	ASSERT_TRUE(pfm_state_is(self->fd, "masked"));
	MUST(pfm_stop(self->fd));
	MUST(pfm_restart(self->fd));
	puppet_do(&self->p, OP_FAULT, 5);
	MUST(pfm_start(self->fd));
	puppet_do(&self->p, OP_FAULT, 2);
	if (pfm_state_is(self->fd, "masked"))
		MUST(pfm_restart(self->fd));
	EXPECT_EQ(1, active(self->fd));
	EXPECT_EQ(1ULL, runs_of(self->fd, 1));
}

/* The thread itself waits as well, and goes on in the new set. */
TEST_F(switching, notified_and_blocked)
{
	int fd = (int)MUST(pfm_create(PFM_FL_NOTIFY_BLOCK));
	pfm_msg_t msg;

	make_set(fd, 0, OVFL, 0, 0);
	make_set(fd, 1, 0, 0, 0);
	choose(fd, 0, 0, FAULTS, NOTIFY);
	set_pmd(fd, 0, 0, -3ULL, 0, 0, 1);
	choose(fd, 1, 0, FAULTS, 0);
	MUST(pfm_load(fd, self->p.tid));
	MUST(pfm_start(fd));
	puppet_post(&self->p, OP_FAULT, 20);
	ASSERT_EQ(PFM_MSG_OVFL, pfm_next_msg(fd, &msg, PATIENCE));
	EXPECT_EQ(0, msg.pfm_ovfl_msg.msg_active_set);
	EXPECT_FALSE(puppet_done(&self->p, 50));
	EXPECT_EQ(0, active(fd));
	MUST(pfm_restart(fd));
	EXPECT_TRUE(puppet_done(&self->p, PATIENCE));
	EXPECT_EQ(1, active(fd));
	EXPECT_EQ(0ULL, value_of(fd, 0, 0));
	EXPECT_EQ(17ULL, value_of(fd, 1, 0));
	close(fd);
}

/* ------------------------------------------------------------------------
 * No event is lost
 */

/* Each fault, or whatever @event is, ends one set's activity. */
static void conserve_start(FIXTURE_DATA(switching) *s, u64 event)
{
	int i;

	for (i = 0; i < 2; i++) {
		make_set(s->fd, i, OVFL, 0, 0);
		choose(s->fd, i, 0, event, 0);
		set_pmd(s->fd, i, 0, ~0ULL, ~0ULL, ~0ULL, 1);
		choose(s->fd, i, 1, event, 0);
	}
	puppet_settle(&s->p);
	MUST(pfm_load(s->fd, s->p.tid));
	MUST(pfm_start(s->fd));
}

/* @events is what the kernel has counted since. */
static void conserve_check(struct __test_metadata *_metadata,
			   FIXTURE_DATA(switching) *s, u64 events)
{
	u64 a = value_of(s->fd, 0, 1), b = value_of(s->fd, 1, 1);

	EXPECT_EQ(events, a + b);
	EXPECT_EQ(events + 1, all_runs(s->fd, 2));
	/* By turns. */
	EXPECT_EQ((events + 1) / 2, a);
	TH_LOG("%llu events", events);
}

/* Many, or what there is time for. */
static bool enough(u64 faults, u64 end)
{
	return faults >= MANY ||
	       (faults >= MANY / 20 && now_ns(CLOCK_MONOTONIC) > end);
}

TEST_F(switching, conserves)
{
	u64 base, faults = 0, end;

	conserve_start(self, FAULTS);
	base = thread_minor_faults(self->p.tid);
	end = now_ns(CLOCK_MONOTONIC) + PATIENCE * NSEC_PER_MSEC;
	while (!enough(faults, end)) {
		puppet_do(&self->p, OP_FAULT, 2000);
		faults = thread_minor_faults(self->p.tid) - base;
	}
	puppet_settle(&self->p);
	conserve_check(_metadata, self,
		       thread_minor_faults(self->p.tid) - base);
}

/* The thread is sent from CPU to CPU while it faults. */
TEST_F(switching, conserves_while_migrating)
{
	u64 base, faults = 0, end;
	int cpus[2], at = 0;
	cpu_set_t set;

	NEED_CPUS(cpus, 2);
	conserve_start(self, FAULTS);
	base = thread_minor_faults(self->p.tid);
	end = now_ns(CLOCK_MONOTONIC) + PATIENCE * NSEC_PER_MSEC;
	while (!enough(faults, end)) {
		puppet_post(&self->p, OP_FAULT, 2000);
		do {
			CPU_ZERO(&set);
			CPU_SET((size_t)cpus[at], &set);
			MUST(sched_setaffinity(self->p.tid, sizeof(set),
					       &set));
			at = !at;
		} while (!puppet_done(&self->p, 1));
		faults = thread_minor_faults(self->p.tid) - base;
	}
	/* And of its own accord. */
	CPU_SET((size_t)cpus[!at], &set);
	CPU_SET((size_t)cpus[at], &set);
	MUST(sched_setaffinity(self->p.tid, sizeof(set), &set));
	for (at = 0; at < 20; at++) {
		puppet_do(&self->p, OP_MIGRATE, 5);
		puppet_do(&self->p, OP_FAULT, 20);
	}
	puppet_settle(&self->p);
	conserve_check(_metadata, self,
		       thread_minor_faults(self->p.tid) - base);
}

struct reader {
	pthread_t thread;
	int fd;
	volatile bool stop;
	u64 reads;
	const char *wrong;
};

/* Both sets' counters at one moment: their sum never goes back. */
static void *reader_main(void *arg)
{
	struct reader *r = arg;
	u64 last = 0, sum, runs = 0, now;
	pfarg_pmd_t pmd[2];

	while (!r->stop && !r->wrong) {
		memset(pmd, 0, sizeof(pmd));
		pmd[0].reg_num = pmd[1].reg_num = SW_PMD(1);
		pmd[1].reg_set = 1;
		if (pfm(r->fd, PFM_READ_PMDS, pmd, 2))
			r->wrong = "read";
		sum = pmd[0].reg_value + pmd[1].reg_value;
		if (sum < last)
			r->wrong = "the counts went back";
		last = sum;
		now = all_runs(r->fd, 2);
		/* One activity more than faults; there were some since. */
		if (now < runs || now < sum + 1)
			r->wrong = "the runs went back";
		runs = now;
		r->reads++;
	}
	return NULL;
}

/* Somebody reads all the time. */
TEST_F(switching, conserves_while_read)
{
	u64 base, faults = 0, end;
	struct reader r = { .fd = self->fd };

	conserve_start(self, FAULTS);
	base = thread_minor_faults(self->p.tid);
	ASSERT_EQ(0, pthread_create(&r.thread, NULL, reader_main, &r));
	end = now_ns(CLOCK_MONOTONIC) + PATIENCE * NSEC_PER_MSEC;
	while (!enough(faults, end) ||
	       (*(volatile u64 *)&r.reads < 20 &&
		now_ns(CLOCK_MONOTONIC) < end)) {
		puppet_do(&self->p, OP_FAULT, 2000);
		faults = thread_minor_faults(self->p.tid) - base;
	}
	r.stop = true;
	pthread_join(r.thread, NULL);
	EXPECT_EQ(NULL, r.wrong) {
		TH_LOG("%s", r.wrong ?: "");
	}
	EXPECT_LT(10ULL, r.reads);
	puppet_settle(&self->p);
	conserve_check(_metadata, self,
		       thread_minor_faults(self->p.tid) - base);
}

/* An event of the scheduler's: the switch is one of threads and of sets. */
TEST_F(switching, conserves_context_switches)
{
	u64 base;

	conserve_start(self, PFM_SW_CSWITCHES);
	base = thread_switches(self->p.tid);
	puppet_do(&self->p, OP_SLEEP, 300);
	puppet_settle(&self->p);
	EXPECT_LE(300ULL, thread_switches(self->p.tid) - base);
	conserve_check(_metadata, self, thread_switches(self->p.tid) - base);
}

/* CPU time, too, belongs to one set or the other. */
TEST_F(switching, conserves_task_clock)
{
	u64 base, now, sum = 0;
	int i;

	for (i = 0; i < 3; i++) {
		make_set(self->fd, i, TIME, 0, NSEC_PER_MSEC);
		choose(self->fd, i, 0, PFM_SW_TASK_CLOCK, 0);
	}
	puppet_settle(&self->p);
	if (!thread_runtime(self->p.tid, &base))
		SKIP(return, "conserves_task_clock: no schedstat");
	MUST(pfm_load(self->fd, self->p.tid));
	MUST(pfm_start(self->fd));
	EXPECT_TRUE(puppet_burns_until(&self->p, self->fd, 3, 10));
	puppet_settle(&self->p);
	for (i = 0; i < 3; i++)
		sum += value_of(self->fd, i, 0);
	ASSERT_TRUE(thread_runtime(self->p.tid, &now));
	EXPECT_EQ(now - base, sum);
}

/* Detached in the middle; then a third set goes on where nobody had begun. */
TEST_F(switching, reloaded_at_another_set)
{
	u64 sum, tries = 0;

	conserve_start(self, FAULTS);
	puppet_post(&self->p, OP_FAULT, 5000);
	while (value_of(self->fd, 0, 1) < 100 && tries++ < PATIENCE)
		sleep_ms(1);
	MUST(pfm_unload(self->fd));
	sum = value_of(self->fd, 0, 1) + value_of(self->fd, 1, 1);
	EXPECT_LE(200ULL, sum + 1);
	EXPECT_EQ(sum + 1, all_runs(self->fd, 2));
	ASSERT_TRUE(puppet_done(&self->p, PATIENCE));
	EXPECT_EQ(sum, value_of(self->fd, 0, 1) + value_of(self->fd, 1, 1));

	make_set(self->fd, 2, OVFL, 0, 0);
	trigger(self->fd, 0, 0, 1, 1);
	trigger(self->fd, 1, 0, 1, 1);
	trigger(self->fd, 2, 0, 10, 1);
	choose(self->fd, 2, 1, FAULTS, 0);
	MUST(load_at(self->fd, self->p.tid, 2));
	MUST(pfm_start(self->fd));
	puppet_do(&self->p, OP_FAULT, 9);
	EXPECT_EQ(2, active(self->fd));
	EXPECT_EQ(9ULL, value_of(self->fd, 2, 1));
	EXPECT_EQ(sum, value_of(self->fd, 0, 1) + value_of(self->fd, 1, 1));
	puppet_do(&self->p, OP_FAULT, 1 + 2);
	EXPECT_EQ(2, active(self->fd));
	EXPECT_EQ(10ULL, value_of(self->fd, 2, 1));
	EXPECT_EQ(sum + 2, value_of(self->fd, 0, 1) + value_of(self->fd, 1, 1));
	EXPECT_EQ(2ULL, runs_of(self->fd, 2));
}

/* Two sets on a thread that is killed: what they have is what it had. */
static void check_killed(struct __test_metadata *_metadata, u32 mode)
{
	int i, tries, fd;
	struct puppet p;
	u64 base, sum;

	puppet_start(&p, PUPPET_PROCESS);
	/* Only now: who has the descriptor is not told of its own end. */
	fd = (int)MUST(pfm_create(0));
	for (i = 0; i < 2; i++) {
		make_set(fd, i, mode, 0, NSEC_PER_MSEC / 4);
		trigger(fd, i, 0, 1, 1);
		choose(fd, i, 1, FAULTS, 0);
	}
	puppet_settle(&p);
	base = thread_minor_faults(p.tid);
	MUST(pfm_load(fd, p.tid));
	MUST(pfm_start(fd));
	puppet_post(&p, OP_FAULT, 1000000000);
	for (tries = 0; tries < PATIENCE; tries++) {
		if (all_runs(fd, 2) > 20 && value_of(fd, 1, 1) > 200)
			break;
		sleep_ms(1);
	}
	ASSERT_GT(PATIENCE, tries);
	MUST(kill(p.tid, SIGKILL));
	ASSERT_EQ(PFM_MSG_END, pfm_next_msg(fd, NULL, PATIENCE));
	EXPECT_TRUE(pfm_state_is(fd, "unloaded"));
	sum = value_of(fd, 0, 1) + value_of(fd, 1, 1);
	/* Not reaped yet it still shows what it had. */
	ASSERT_TRUE(wait_state(p.tid, "Z", PATIENCE));
	EXPECT_EQ(thread_minor_faults(p.tid) - base, sum);
	if (mode == OVFL) {
		EXPECT_EQ(sum + 1, all_runs(fd, 2));
	}
	EXPECT_EQ(-SIGKILL, reap(p.tid));
	EXPECT_EQ(sum, value_of(fd, 0, 1) + value_of(fd, 1, 1));
	close(fd);
}

TEST(killed_while_it_switches_by_overflows)
{
	check_killed(_metadata, OVFL);
}

TEST(killed_while_it_switches_by_time)
{
	check_killed(_metadata, TIME);
}

/* ------------------------------------------------------------------------
 * Randomised resets
 */

#define SERIES	20

/* A period of 1 to 8 faults, and a switch after each. */
static void set_random(int fd, int set, u32 flags, u32 seed)
{
	pfarg_pmd_t pmd = {
		.reg_num = SW_PMD(0), .reg_set = (__u16)set,
		.reg_value = ~0ULL, .reg_long_reset = ~7ULL,
		.reg_short_reset = ~7ULL, .reg_random_mask = 7,
		.reg_random_seed = seed, .reg_ovflsw_thres = 1,
	};

	make_set(fd, set, OVFL | flags, set, 0);
	choose(fd, set, 0, FAULTS, PFM_REGFL_RANDOM);
	MUST(pfm(fd, PFM_WRITE_PMDS, &pmd, 1));
}

/* With what set 0 begins each of its activities but the first. */
static void random_series(struct __test_metadata *_metadata, int fd,
			  struct puppet *p, u64 *series)
{
	int n = 0, faults = 0;
	u64 runs, last = 1;

	MUST(pfm_load(fd, p->tid));
	MUST(pfm_start(fd));
	while (n < SERIES) {
		/* One at a time: no activity is overlooked. */
		puppet_do(p, OP_FAULT, 1);
		ASSERT_GT(40 * SERIES, ++faults);
		runs = runs_of(fd, 0);
		if (runs == last)
			continue;
		ASSERT_EQ(last + 1, runs);
		last = runs;
		series[n++] = read_pmd(fd, 0, 0).reg_last_reset_val;
	}
	close(fd);
}

/* A counter's random numbers are its own, whatever other sets draw. */
TEST_F(switching, random_series_per_pmd)
{
	u64 alone[SERIES], together[SERIES], state = 4711;
	int i, fd = (int)MUST(pfm_create(0));

	set_random(fd, 0, NEXT, 4711);
	random_series(_metadata, fd, &self->p, alone);
	fd = (int)MUST(pfm_create(0));
	set_random(fd, 0, 0, 4711);
	set_random(fd, 1, 0, 99);
	random_series(_metadata, fd, &self->p, together);
	for (i = 0; i < SERIES; i++) {
		/* Park and Miller's generator by plain division. */
		state = state * 16807 % 2147483647;
		EXPECT_EQ(~7ULL + (state & 7), alone[i]);
		EXPECT_EQ(alone[i], together[i]);
	}
}

/* ------------------------------------------------------------------------
 * A CPU's sets
 */

#define NEED_CPU_CONTEXT(fd)						\
do {									\
	(fd) = pfm_create(PFM_FL_SYSTEM_WIDE);				\
	if ((fd) == -EPERM)						\
		SKIP(return, "%s: needs CAP_PERFMON", _metadata->name);	\
	MUST(fd);							\
} while (0)

/*
 * Two sets by turns while this CPU has nothing to do. A set that was left
 * only when somebody wakes up would have one activity in each sleep.
 */
static bool switches_asleep(int fd, u32 flags)
{
	int i, tries;
	u64 runs;

	for (i = 0; i < 2; i++)
		make_set(fd, i, TIME | flags, 0, 5 * NSEC_PER_MSEC);
	pin_somewhere();
	MUST(pfm_load(fd, my_tid()));
	MUST(pfm_start(fd));
	for (tries = 0; tries < 40; tries++) {
		runs = all_runs(fd, 2);
		sleep_ms(100);
		if (all_runs(fd, 2) - runs >= 5)
			return true;
	}
	return false;
}

/* "Even when the controlling process is not actually running" (3.7.6). */
TEST(cpu_switches_while_idle)
{
	int fd;

	NEED_CPU_CONTEXT(fd);
	EXPECT_TRUE(switches_asleep(fd, 0));
}

/* "The timeout is active when the idle thread is excluded" (3.7.6). */
TEST(cpu_switches_while_idle_is_excluded)
{
	int fd;

	NEED_CPU_CONTEXT(fd);
	EXPECT_TRUE(switches_asleep(fd, PFM_SETFL_EXCL_IDLE));
}

/* So does the rest of a time-out, by at least the time that we slept. */
TEST(cpu_timeout_runs_while_idle_is_excluded)
{
	u64 left;
	int fd;

	NEED_CPU_CONTEXT(fd);
	make_set(fd, 0, TIME | PFM_SETFL_EXCL_IDLE, 0, 1000 * NSEC_PER_SEC);
	pin_somewhere();
	MUST(pfm_load(fd, my_tid()));
	MUST(pfm_start(fd));
	left = left_of(fd, 0);
	sleep_ms(100);
	EXPECT_GE(left - 90 * NSEC_PER_MSEC, left_of(fd, 0));
}

/*
 * How long sets 0 and 1 were active, and how long their task clocks ran, in
 * a time that this CPU slept through but for what we do in between; @wall is
 * how long it was at most.
 */
static void sleep_and_work(int fd, u32 flags, u64 *act, u64 *busy, u64 *wall)
{
	int i;

	for (i = 0; i < 2; i++) {
		make_set(fd, i, TIME | flags, 0, 3 * NSEC_PER_MSEC);
		choose(fd, i, 0, PFM_SW_TASK_CLOCK, 0);
		set_pmd(fd, i, 0, 0, 0, 0, 0);
		*act -= act_of(fd, i);
	}
	MUST(pfm_load(fd, my_tid()));
	*wall = now_ns(CLOCK_MONOTONIC);
	MUST(pfm_start(fd));
	for (i = 0; i < 10; i++) {
		sleep_ms(20);
		burn_ms(1);
	}
	MUST(pfm_stop(fd));
	*wall = now_ns(CLOCK_MONOTONIC) - *wall;
	for (i = 0; i < 2; i++) {
		*act += act_of(fd, i);
		*busy += value_of(fd, i, 0);
	}
	MUST(pfm_unload(fd));
}

/* With the idle thread: all of the time. */
TEST(cpu_activity_with_idle)
{
	u64 act = 0, busy = 0, wall;
	int fd;

	NEED_CPU_CONTEXT(fd);
	pin_somewhere();
	sleep_and_work(fd, 0, &act, &busy, &wall);
	EXPECT_LE(190 * NSEC_PER_MSEC, act);
	EXPECT_GE(at_most(wall), act);
	EXPECT_LE(9 * NSEC_PER_MSEC, busy);
}

/* Without it: the time that the task clock counts, and no more. */
TEST(cpu_activity_without_idle)
{
	u64 act, busy, wall;
	int fd, tries;

	NEED_CPU_CONTEXT(fd);
	pin_somewhere();
	for (tries = 0; tries < 20; tries++) {
		act = busy = 0;
		sleep_and_work(fd, PFM_SETFL_EXCL_IDLE, &act, &busy, &wall);
		EXPECT_LE(9 * NSEC_PER_MSEC, act);
		/*
		 * A CPU that was never idle would have shown nothing, and one
		 * may stand still between two looks at the time.
		 */
		if (busy < wall / 2 && act < busy + 20 * NSEC_PER_MSEC &&
		    busy < act + 20 * NSEC_PER_MSEC)
			break;
	}
	EXPECT_GT(20, tries);
}

/* Whoever faults: ten faults to each activity. */
TEST(cpu_switches_by_overflows)
{
	struct puppet p;
	int i, fd, cpu;
	u64 sum = 0;

	cpu = pin_somewhere();
	puppet_start(&p, PUPPET_PROCESS);
	puppet_do(&p, OP_PIN, (unsigned int)cpu);
	NEED_CPU_CONTEXT(fd);
	for (i = 0; i < 2; i++) {
		make_set(fd, i, OVFL, 0, 0);
		trigger(fd, i, 0, 10, 1);
		choose(fd, i, 1, FAULTS, 0);
	}
	MUST(pfm_load(fd, my_tid()));
	MUST(pfm_start(fd));
	puppet_do(&p, OP_FAULT, 2000);
	MUST(pfm_stop(fd));
	for (i = 0; i < 2; i++)
		sum += value_of(fd, i, 1);
	EXPECT_LE(2000ULL, sum);
	EXPECT_EQ(sum / 10 + 1, all_runs(fd, 2));
	EXPECT_EQ((int)(sum / 10 % 2), active(fd));
	puppet_stop(&p);
}

TEST_HARNESS_MAIN
