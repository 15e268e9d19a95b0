// SPDX-License-Identifier: GPL-2.0-only
/*
 * Event sets that are switched in the overflow interrupt of a hardware counter:
 * thresholds, explicit successors, a time-out beside it, an overflow that notifies.
 *
 * Each set has a counter with a period, and one without, which says how many
 * instructions the set has seen. Together the sets have seen all of them. Not
 * here: sets of software counters (switch_*.c).
 */
#include "hw_bench.h"

#define OVFL	PFM_SETFL_OVFL_SWITCH
#define EXPL	PFM_SETFL_EXPL_NEXT
#define TIME	PFM_SETFL_TIME_SWITCH
#define NOTIFY	PFM_REGFL_OVFL_NOTIFY

#define TURNS	500000UL

/* Set @id: it switches after @thres overflows of a period of @period. */
static void one_set(int fd, __u16 id, u32 flags, __u16 next, u64 period, u64 thres,
		    u32 pmc_flags)
{
	pfarg_setdesc_t set = {
		.set_id = id, .set_flags = flags, .set_id_next = next,
		.set_timeout = { .tv_nsec = 2000000 },
	};
	struct hw_more more = { .thres = thres };

	MUST(pfm(fd, PFM_CREATE_EVTSETS, &set, 1));
	if (period)
		hw_counter_more(fd, id, 0, pmc_flags, period, &more);
	hw_counter(fd, id, 1, HW_INSTRUCTIONS, HW_USER, 0, 0);
}

static u64 seen(int fd, __u16 set)
{
	return hw_value(fd, set, 1, HW_INSTRUCTIONS);
}

/* Two sets by turns, each for as many events as its period and threshold say. */
TEST(overflows_switch)
{
	static const struct { u64 period[2], thres[2]; } cases[] = {
		{ { 10007, 10007 }, { 1, 1 } },
		{ { 10007, 30011 }, { 1, 1 } },
		{ { 5003, 10007 }, { 4, 2 } },
	};
	u64 total, of[2], both, rounds, rest, want[2], switches;
	unsigned int i, s;
	int fd;

	NEED_HW_INTERRUPT();
	total = hw_total(TURNS);
	for (i = 0; i < 3; i++) {
		fd = (int)MUST(pfm_create(0));
		for (s = 0; s < 2; s++) {
			one_set(fd, (__u16)s, OVFL, 0, cases[i].period[s],
				cases[i].thres[s], 0);
			of[s] = cases[i].period[s] * cases[i].thres[s];
		}
		MUST(pfm_load(fd, my_tid()));
		run(fd, TURNS);
		both = of[0] + of[1];
		rounds = total / both;
		rest = total % both;
		want[0] = rounds * of[0] + (rest < of[0] ? rest : of[0]);
		want[1] = total - want[0];
		switches = 2 * rounds + (rest >= of[0]);
		EXPECT_EVENTS(total, seen(fd, 0) + seen(fd, 1),
			      total / cases[i].period[0] + 1);
		if (set_skid(0)) {
			EXPECT_EQ(want[0], seen(fd, 0));
			EXPECT_EQ(want[1], seen(fd, 1));
			EXPECT_EQ(switches + 1, hw_runs(fd, 0) + hw_runs(fd, 1)) {
				TH_LOG("case %u", i);
			}
			EXPECT_EQ(rounds + 1, hw_runs(fd, 0));
		} else {
			EXPECT_LE(rounds / 2, hw_runs(fd, 0));
		}
		close(fd);
	}
}

/* 0, 7, 3, 0 ...: not in the order of their numbers. */
TEST(explicit_successors)
{
	static const __u16 ids[] = { 0, 7, 3 };
	const u64 period = 10007;
	u64 total, sum = 0, switches;
	unsigned int i;
	int fd;

	NEED_HW_INTERRUPT();
	total = hw_total(TURNS);
	fd = (int)MUST(pfm_create(0));
	/* Set 5 would be next in order; no set_id_next names it. */
	one_set(fd, 5, OVFL, 0, period, 1, 0);
	for (i = 0; i < 3; i++)
		one_set(fd, ids[i], OVFL | EXPL, ids[(i + 1) % 3], period, 1, 0);
	MUST(pfm_load(fd, my_tid()));
	run(fd, TURNS);
	for (i = 0; i < 3; i++)
		sum += seen(fd, ids[i]);
	EXPECT_EVENTS(total, sum, total / period + 1);
	EXPECT_EQ(0ULL, hw_runs(fd, 5));
	EXPECT_EQ(0ULL, seen(fd, 5));
	switches = hw_runs(fd, 0) + hw_runs(fd, 7) + hw_runs(fd, 3) - 1;
	for (i = 0; i < 3; i++)
		EXPECT_EQ(switches / 3 + (i <= switches % 3), hw_runs(fd, ids[i]));
	if (set_skid(0))
		EXPECT_EQ(total / period, switches);
	close(fd);
}

/* By turns of time and of events: whatever their number, nothing is lost. */
TEST(times_beside_overflows)
{
	u64 total;
	int fd;

	NEED_HW_INTERRUPT();
	total = hw_total(20 * TURNS);
	fd = (int)MUST(pfm_create(0));
	one_set(fd, 0, OVFL, 0, 50021, 1, 0);
	one_set(fd, 1, TIME, 0, 30011, 0, 0);
	one_set(fd, 2, TIME, 0, 0, 0, 0);
	MUST(pfm_load(fd, my_tid()));
	run(fd, 20 * TURNS);
	TH_LOG("%llu rounds", hw_runs(fd, 0));
	EXPECT_LE(2ULL, hw_runs(fd, 0));
	EXPECT_EVENTS(total, seen(fd, 0) + seen(fd, 1) + seen(fd, 2),
		      total / 30011 + hw_runs(fd, 0) + 1);
	close(fd);
}

/*
 * An overflow that notifies masks; the switch that is due with it comes with
 * PFM_RESTART (3.7.7), and both sets go on from there.
 */
TEST(notified_switches)
{
	const u64 period = 20011;
	unsigned int n;
	pfm_msg_t msg;
	int fd;

	NEED_HW_INTERRUPT();
	fd = (int)MUST(pfm_create(0));
	one_set(fd, 0, OVFL, 0, period, 1, NOTIFY);
	one_set(fd, 1, OVFL, 0, period, 1, NOTIFY);
	MUST(pfm_load(fd, my_tid()));
	MUST(pfm_start(fd));
	for (n = 0; n < 20; n++) {
		__u16 set = n & 1;

		hw_loop(period);
		ASSERT_EQ(PFM_MSG_OVFL, pfm_next_msg(fd, &msg, PATIENCE));
		EXPECT_EQ(set, msg.pfm_ovfl_msg.msg_active_set);
		EXPECT_EQ(n / 2 + 1, hw_runs(fd, set));
		EXPECT_EQ((n + 1) / 2, hw_runs(fd, !set));
		/* One period of this set since it began anew. */
		EXPECT_LE((n / 2 + 1) * period, seen(fd, set));
		EXPECT_GE((n / 2 + 1) * (period + HW_LATE), seen(fd, set));
		if (set_skid(0))
			EXPECT_EQ((n / 2 + 1) * period, seen(fd, set));
		MUST(pfm_restart(fd));
	}
	close(fd);
}

/* Two sets by turns on the same counter: together they saw everything. */
TEST(sets_add_up)
{
	pfarg_setdesc_t sets[2] = {
		{ .set_id = 0, .set_flags = PFM_SETFL_TIME_SWITCH,
		  .set_timeout = { .tv_nsec = 300000 } },
		{ .set_id = 1, .set_flags = PFM_SETFL_TIME_SWITCH,
		  .set_timeout = { .tv_nsec = 500000 } },
	};
	pfarg_setinfo_t info = { .set_id = 1 };
	u64 base, a, b;
	int fd, n;

	NEED_HW();
	fd = counter(0, HW_INSTRUCTIONS, HW_USER, 0, 0);
	base = measure(fd, 0, 1000);
	close(fd);

	fd = (int)MUST(pfm_create(0));
	MUST(pfm(fd, PFM_CREATE_EVTSETS, sets, 2));
	hw_counter(fd, 0, 0, HW_INSTRUCTIONS, HW_USER, 0, 0);
	hw_counter(fd, 1, 0, HW_INSTRUCTIONS, HW_USER, 0, 0);
	MUST(pfm_load(fd, my_tid()));
	/* The timer may be late. */
	for (n = 0; n < 50 && info.set_runs <= 2; n++) {
		run(fd, 20000000);
		MUST(pfm(fd, PFM_GETINFO_EVTSETS, &info, 1));
	}
	a = hw_value(fd, 0, 0, HW_INSTRUCTIONS);
	b = hw_value(fd, 1, 0, HW_INSTRUCTIONS);
	TH_LOG("%llu + %llu in %llu runs", a, b, (u64)info.set_runs);
	EXPECT_EQ(n * (base + 2 * 19999000ULL), a + b);
	EXPECT_LT(2ULL, info.set_runs);
	close(fd);
}

TEST_HARNESS_MAIN
