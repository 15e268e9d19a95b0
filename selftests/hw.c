// SPDX-License-Identifier: GPL-2.0-only
/*
 * The counters of the hardware: exact counts, periods, both privilege levels,
 * two overflows at once, moves from CPU to CPU, many threads on few CPUs.
 *
 * Instructions at user level are exact, on silicon and on the bench; so tests
 * compare two runs that differ by a known number of them. Not here: what needs
 * no PMU (all the other programs), and the models' own behaviour, for which
 * the bench has tests without our kernel.
 */
#include "hw_bench.h"
#include "puppet.h"

#include <linux/perf_event.h>

/* Trouble of the bench's making, on all CPUs. */
static bool set_trouble(u32 msr, u64 value)
{
	int cpu, n = 0;

	for (cpu = 0; cpu < 64; cpu++)
		n += msr_access(cpu, msr, &value, true);
	return n;
}

/* Whether one register starts and stops all counters, and one says which overflowed. */
static bool has_global(void)
{
	char model[64];

	return read_text(SYSFS "/pmu_model", model, sizeof(model)) >= 0 &&
	       (!strncmp(model, "AMD PerfMonV2", 13) ||
		(!strncmp(model, "Intel architectural", 19) &&
		 strncmp(model, "Intel architectural 1", 21)));
}

#define NEED_TROUBLE()							\
	do {								\
		NEED_HW_INTERRUPT();					\
		NEED_ROOT();						\
		NEED_DEBUGFS();						\
		if (!set_trouble(BENCH_MSR_FOREIGN, 0))			\
			SKIP(return, "needs the bench's QEMU");		\
		if (!has_global())					\
			SKIP(return, "this PMU has no global registers"); \
	} while (0)

static int counter(unsigned int k, enum hw_event event, enum hw_level level,
		   u32 flags, u64 period)
{
	int fd = (int)MUST(pfm_create(0));

	hw_counter(fd, 0, k, event, level, flags, period);
	MUST(pfm_load(fd, my_tid()));
	return fd;
}

TEST(counts_exactly)
{
	unsigned int k;
	u64 base;
	int fd;

	NEED_HW();
	for (k = 0; k < hw_counters(); k++) {
		fd = counter(k, HW_INSTRUCTIONS, HW_USER, 0, 0);
		base = measure(fd, k, 1000);
		EXPECT_EQ(base, measure(fd, k, 1000));
		EXPECT_EQ(base + 2 * 999000, measure(fd, k, 1000000));
		EXPECT_EQ(base + 2 * 9999000ULL, measure(fd, k, 10000000));
		close(fd);
	}
}

/* All counters at once see the same. */
TEST(counters_agree)
{
	int fd = (int)MUST(pfm_create(0));
	unsigned int k, n;
	u64 first;

	NEED_HW();
	n = hw_counters();
	ASSERT_LE(2U, n);
	for (k = 0; k < n; k++)
		hw_counter(fd, 0, k, HW_INSTRUCTIONS, HW_USER, 0, 0);
	MUST(pfm_load(fd, my_tid()));
	MUST(pfm_start(fd));
	hw_loop(1000000);
	MUST(pfm_stop(fd));
	first = hw_value(fd, 0, 0, HW_INSTRUCTIONS);
	EXPECT_LE(2000000ULL, first);
	EXPECT_GE(2002000ULL, first);
	for (k = 1; k < n; k++)
		EXPECT_EQ(first, hw_value(fd, 0, k, HW_INSTRUCTIONS));
}

/* A loop runs at user level, a system call mostly in the kernel. */
TEST(levels_are_kept_apart)
{
	u64 user, kernel, both;
	int fd, i;

	NEED_HW();
	fd = counter(0, HW_INSTRUCTIONS, HW_KERNEL, 0, 0);
	/* Interrupts are the kernel's, and may be many. */
	for (i = 0; i < 20; i++) {
		kernel = measure(fd, 0, 1000000);
		EXPECT_LT(0ULL, kernel);
		if (kernel < 1000000)
			break;
	}
	EXPECT_GT(20, i);
	MUST(pfm_start(fd));
	for (i = 0; i < 10000; i++)
		syscall(SYS_getppid);
	MUST(pfm_stop(fd));
	kernel = hw_value(fd, 0, 0, HW_INSTRUCTIONS);
	EXPECT_LT(10000 * 50ULL, kernel);
	close(fd);

	fd = counter(0, HW_INSTRUCTIONS, HW_USER, 0, 0);
	user = measure(fd, 0, 1000000);
	EXPECT_GT(2001000ULL, user);
	close(fd);

	fd = counter(0, HW_INSTRUCTIONS, HW_BOTH, 0, 0);
	both = measure(fd, 0, 1000000);
	EXPECT_LT(user, both);
	close(fd);
}

TEST(cycles_pass)
{
	u64 a, b;
	int fd;

	NEED_HW();
	fd = counter(0, HW_CYCLES, HW_USER, 0, 0);
	MUST(pfm_start(fd));
	hw_loop(1000000);
	a = hw_value(fd, 0, 0, HW_CYCLES);
	hw_loop(1000000);
	b = hw_value(fd, 0, 0, HW_CYCLES);
	EXPECT_LT(100000ULL, a);
	EXPECT_LT(a + 100000, b);
	close(fd);
}

/* Stopped, it stands; what others do is not counted. */
TEST(stopped_is_stopped)
{
	u64 a;
	int fd;

	NEED_HW();
	fd = counter(0, HW_INSTRUCTIONS, HW_USER, 0, 0);
	a = measure(fd, 0, 1000);
	hw_loop(1000000);
	EXPECT_EQ(a, hw_value(fd, 0, 0, HW_INSTRUCTIONS));
	close(fd);
}

/* The sum of what was reset and what is in the counter is what happened. */
TEST(periods)
{
	const u64 period = 10007;
	u64 before, base, sum;
	int fd;

	NEED_HW_INTERRUPT();
	NEED_DEBUGFS();
	fd = counter(1, HW_INSTRUCTIONS, HW_USER, 0, 0);
	base = measure(fd, 1, 1000);
	close(fd);

	before = debugfs_sum("overflows");
	fd = counter(1, HW_INSTRUCTIONS, HW_USER, 0, period);
	MUST(pfm_start(fd));
	hw_loop(1000000);
	MUST(pfm_stop(fd));
	sum = base + 2 * 999000ULL;
	/* What is counted beyond the overflow, before it is handled, is dropped. */
	before = debugfs_sum("overflows") - before;
	TH_LOG("%llu overflows, %llu events", before, sum);
	EXPECT_GE(sum / period, before);
	/* On the bench an interrupt comes at once, and nothing is dropped. */
	EXPECT_LE(sum / period - (set_skid(0) ? 0 : sum / period / 50 + 1), before);
	close(fd);
}

/*
 * A counter wraps when it has as many events as it is wide, not before and not
 * after, and its 64 bits go on. To see that, we write it, behind the kernel's back.
 */
TEST(wraps_at_its_width)
{
	pfarg_config_t cfg = {};
	pfarg_pmdinfo_t info = {};
	u64 max, raw, base, events, top;
	int fd, cpu, round;

	NEED_HW();
	NEED_ROOT();
	cpu = pin_somewhere();
	MUST(pfm(-1, PFM_GET_CONFIG, &cfg, 1));
	max = ~0ULL >> (64 - cfg.cf_counter_width);
	info.reg_num = (__u16)hw_find()->pmd(0, HW_INSTRUCTIONS);
	MUST(pfm(-1, PFM_GETINFO_PMDS, &info, 1));
	EXPECT_EQ(PFM_REG_TYPE_MSR, info.reg_type);
	if (!msr_access(cpu, info.reg_index, &raw, false))
		SKIP(return, "needs /dev/cpu/N/msr");
	fd = counter(0, HW_INSTRUCTIONS, HW_USER, 0, 0);
	/* Who had it before may have left it about to wrap by itself. */
	do {
		run(fd, 100000);
		ASSERT_TRUE(msr_access(cpu, info.reg_index, &raw, false));
	} while (raw > max - 1000000);
	for (round = 0, base = 0; round < 2; round++) {
		events = hw_value(fd, 0, 0, HW_INSTRUCTIONS);
		MUST(pfm_start(fd));
		/* So far from 0 that it does not come to be there again. */
		hw_loop(20000);
		ASSERT_TRUE(msr_access(cpu, info.reg_index, &raw, false));
		/* First to what it was, then to a little before its end. */
		top = round ? max - 1000 : raw;
		ASSERT_TRUE(msr_access(cpu, info.reg_index, &top, true));
		hw_loop(10000);
		MUST(pfm_stop(fd));
		events = hw_value(fd, 0, 0, HW_INSTRUCTIONS) - events;
		/* Not all of its bits may be writable: then that was a step back. */
		if (!round)
			base = events;
		else
			EXPECT_EQ(base + ((top - raw) & max), events);
		raw = max;
		ASSERT_TRUE(msr_access(cpu, info.reg_index, &raw, false));
		EXPECT_GE(max, raw);
		if (round)
			EXPECT_GT(100000ULL, raw);
	}
	EXPECT_LE(60000ULL, base);
	close(fd);
}

/* Intel's fixed counters count what general ones count. */
TEST(fixed_counters)
{
	const unsigned int fixed = 16;
	u64 user = 2 /* the level, as in IA32_FIXED_CTR_CTRL */, value, base;
	pfarg_pmdinfo_t info = { .reg_num = fixed };
	pfarg_pmd_t req = { .reg_num = fixed };
	int fd, n;

	NEED_HW();
	if (strcmp(hw_find()->model, "Intel architectural") ||
	    pfm(-1, PFM_GETINFO_PMDS, &info, 1))
		SKIP(return, "no fixed counter");
	fd = (int)MUST(pfm_create(0));
	hw_counter(fd, 0, 0, HW_INSTRUCTIONS, HW_USER, 0, 0);
	MUST(hw_write_one(fd, 0, fixed, user, 0));
	MUST(pfm_load(fd, my_tid()));
	base = measure(fd, 0, 1000);
	EXPECT_EQ(base + 2 * 999000ULL, measure(fd, 0, 1000000));
	MUST(pfm(fd, PFM_READ_PMDS, &req, 1));
	EXPECT_EQ(hw_value(fd, 0, 0, HW_INSTRUCTIONS), req.reg_value);
	close(fd);

	/* It overflows, too. */
	fd = (int)MUST(pfm_create(0));
	MUST(hw_write_one(fd, 0, fixed, user, PFM_REGFL_OVFL_NOTIFY));
	req.reg_value = req.reg_long_reset = -100000ULL;
	MUST(pfm(fd, PFM_WRITE_PMDS, &req, 1));
	MUST(pfm_load(fd, my_tid()));
	MUST(pfm_start(fd));
	for (n = 0; n < 10; n++) {
		hw_loop(60000);
		ASSERT_EQ(PFM_MSG_OVFL, pfm_next_msg(fd, NULL, 5000));
		MUST(pfm_read_pmd(fd, fixed, &value));
		EXPECT_GT(1000ULL, value);
		MUST(pfm_restart(fd));
	}
	close(fd);
}

/* What the handler of an overflow does is not counted, but for its way in. */
TEST(handler_is_not_counted)
{
	u64 base = 0, with = 0, overflows, kernel, each, stormy;
	int fd, sampled, n;

	NEED_HW_INTERRUPT();
	NEED_DEBUGFS();
	overflows = debugfs_sum("overflows");
	/* The least of several: other interrupts are counted, too. */
	for (n = 0; n < 20; n++) {
		for (sampled = 0; sampled < 2; sampled++) {
			fd = (int)MUST(pfm_create(0));
			hw_counter(fd, 0, 0, HW_INSTRUCTIONS, HW_KERNEL, 0, 0);
			/* A Pentium 4 has one level for all who count instructions. */
			hw_counter(fd, 0, 1, HW_CYCLES, HW_USER, 0,
				   sampled ? 500 : 0);
			MUST(pfm_load(fd, my_tid()));
			run(fd, 50000);
			kernel = hw_value(fd, 0, 0, HW_INSTRUCTIONS);
			/* Where the CPU stood still in some, they look like a storm. */
			stormy = pfm_fdinfo_num(fd, "pfm-throttled");
			close(fd);
			if (stormy)
				continue;
			if (sampled)
				with = with && with < kernel ? with : kernel;
			else
				base = base && base < kernel ? base : kernel;
		}
	}
	overflows = (debugfs_sum("overflows") - overflows) / 20;
	ASSERT_LT(50ULL, overflows);
	ASSERT_LT(base, with);
	each = (with - base) / overflows;
	TH_LOG("%llu kernel instructions each of %llu overflows", each, overflows);
	/* The kernel's way to its handlers and back: long where it is checked. */
	if (!is_slow())
		EXPECT_GT(sizeof(long) == 8 ? 1200ULL : 2000ULL, each);
}

/* Each overflow is told, and monitoring stands until it is restarted. */
TEST(notifications)
{
	const u64 period = 100000;
	int fd, n;

	NEED_HW_INTERRUPT();
	fd = counter(0, HW_INSTRUCTIONS, HW_USER, PFM_REGFL_OVFL_NOTIFY, period);
	MUST(pfm_start(fd));
	for (n = 0; n < 50; n++) {
		hw_loop(60000);
		ASSERT_EQ(PFM_MSG_OVFL, pfm_next_msg(fd, NULL, 5000));
		/* The little that came until it was handled. */
		EXPECT_GT(1000ULL, hw_value(fd, 0, 0, HW_INSTRUCTIONS));
		MUST(pfm_restart(fd));
		EXPECT_EQ((u64)-period >> 20, hw_value(fd, 0, 0, HW_INSTRUCTIONS) >> 20);
	}
	close(fd);
}

/* A period of one, in the kernel too: each interrupt's end is the next one. */
TEST(storm_is_stopped)
{
	int fd;

	NEED_HW_INTERRUPT();
	fd = counter(0, HW_INSTRUCTIONS, HW_BOTH, 0, 1);
	MUST(pfm_start(fd));
	ASSERT_EQ(PFM_MSG_OVFL, pfm_next_msg(fd, NULL, PATIENCE));
	EXPECT_EQ(1ULL, pfm_fdinfo_num(fd, "pfm-throttled"));
	EXPECT_TRUE(pfm_state_is(fd, "masked"));
	close(fd);
}

/* Two that overflow by the same instruction are one message. */
TEST(two_overflows_at_once)
{
	pfm_msg_t msg;
	int fd, n;

	NEED_HW_INTERRUPT();
	fd = (int)MUST(pfm_create(0));
	hw_counter(fd, 0, 0, HW_INSTRUCTIONS, HW_USER, PFM_REGFL_OVFL_NOTIFY, 50000);
	hw_counter(fd, 0, 1, HW_INSTRUCTIONS, HW_USER, PFM_REGFL_OVFL_NOTIFY, 50000);
	MUST(pfm_load(fd, my_tid()));
	MUST(pfm_start(fd));
	for (n = 0; n < 20; n++) {
		hw_loop(30000);
		ASSERT_EQ(PFM_MSG_OVFL, pfm_next_msg(fd, &msg, 5000));
		EXPECT_TRUE(vec_test(msg.pfm_ovfl_msg.msg_ovfl_pmds,
				     hw_find()->pmd(0, HW_INSTRUCTIONS)));
		EXPECT_TRUE(vec_test(msg.pfm_ovfl_msg.msg_ovfl_pmds,
				     hw_find()->pmd(1, HW_INSTRUCTIONS)));
		MUST(pfm_restart(fd));
	}
	close(fd);
}

/* On another CPU the period goes on where it was. */
TEST(period_survives_migration)
{
	int fd, ref, i, cpus[2];
	u64 told = 0, all;

	NEED_HW_INTERRUPT();
	NEED_CPUS(cpus, 2);
	fd = (int)MUST(pfm_create(0));
	hw_counter(fd, 0, 0, HW_INSTRUCTIONS, HW_USER, PFM_REGFL_OVFL_NOTIFY, 1000000);
	hw_counter(fd, 0, 1, HW_INSTRUCTIONS, HW_USER, 0, 0);
	MUST(pfm_load(fd, my_tid()));
	MUST(pfm_start(fd));
	ref = fd;
	for (i = 0; pfm_poll(fd, 0) == 0 && i < 1000; i++) {
		hw_loop(5000);
		pin_cpu(cpus[i & 1]);
		told++;
	}
	ASSERT_EQ(PFM_MSG_OVFL, pfm_next_msg(fd, NULL, 5000));
	/* Masked since: the other counter says when that was. */
	all = hw_value(ref, 0, 1, HW_INSTRUCTIONS);
	EXPECT_LE(1000000ULL, all);
	EXPECT_GE(1001000ULL, all);
	EXPECT_LT(40ULL, told);
	close(fd);
}

#define THREADS	32

struct worker {
	pthread_t thread;
	pthread_barrier_t *ready;
	unsigned int rounds;
	int fd;
	u64 count;
	u64 switches;
	bool sampled;
};

static void *work(void *arg)
{
	struct worker *w = arg;
	unsigned int i;
	u64 before;

	w->fd = counter(0, HW_INSTRUCTIONS, HW_USER, 0, 0);
	before = my_switches();
	MUST(pfm_start(w->fd));
	for (i = 0; i < w->rounds; i++) {
		hw_loop(50);
		syscall(SYS_sched_yield);
	}
	MUST(pfm_stop(w->fd));
	w->switches = my_switches() - before;
	w->count = hw_value(w->fd, 0, 0, HW_INSTRUCTIONS);
	close(w->fd);
	return NULL;
}

static u64 run_workers(struct worker *w, unsigned int n, unsigned int rounds)
{
	u64 switches = 0;
	unsigned int i;

	for (i = 0; i < n; i++) {
		w[i].rounds = rounds;
		if (pthread_create(&w[i].thread, NULL, work, &w[i]))
			die("pthread_create");
	}
	for (i = 0; i < n; i++) {
		pthread_join(w[i].thread, NULL);
		switches += w[i].switches;
	}
	return switches;
}

/* For tests that take longer than the harness allows by default. */
FIXTURE(many)
{
};

FIXTURE_SETUP(many)
{
}

FIXTURE_TEARDOWN(many)
{
}

/* To the last instruction, whatever ran in between, and on any CPU. */
TEST_F_TIMEOUT(many, threads_are_conserved, 300)
{
	unsigned int rounds = is_slow() ? 800 : 3200, i, tries;
	struct worker w[THREADS], alone;
	u64 switches = 0;

	NEED_HW();
	run_workers(&alone, 1, rounds);
	for (tries = 0; tries < 20 && switches < 100000; tries++) {
		switches += run_workers(w, THREADS, rounds);
		for (i = 0; i < THREADS; i++)
			ASSERT_EQ(alone.count, w[i].count);
	}
	TH_LOG("%llu switches", switches);
	EXPECT_LE(100000ULL, switches);
}

/* The same with periods: the overflows of a thread are its own. */
static void *sampled(void *arg)
{
	struct worker *w = arg;
	unsigned int i;

	w->fd = counter(0, HW_INSTRUCTIONS, HW_USER, PFM_REGFL_OVFL_NOTIFY, 20000);
	hw_counter(w->fd, 0, 1, HW_INSTRUCTIONS, HW_USER, 0, 0);
	MUST(pfm_start(w->fd));
	w->count = 0;
	for (i = 0; i < w->rounds; i++) {
		hw_loop(50);
		syscall(SYS_sched_yield);
		if (i % 16 == 0 && pfm_poll(w->fd, 0) == 1) {
			w->count++;
			if (pfm_next_msg(w->fd, NULL, 0) != PFM_MSG_OVFL)
				die("no message");
			MUST(pfm_restart(w->fd));
		}
	}
	MUST(pfm_stop(w->fd));
	w->switches = hw_value(w->fd, 0, 1, HW_INSTRUCTIONS);
	close(w->fd);
	return NULL;
}

TEST_F_TIMEOUT(many, overflows_are_the_threads_own, 300)
{
	struct worker w[8];
	unsigned int i;

	NEED_HW_INTERRUPT();
	for (i = 0; i < 8; i++) {
		/* Different lengths, so that a wrong owner shows. */
		w[i].rounds = 1000 * (i + 1);
		ASSERT_EQ(0, pthread_create(&w[i].thread, NULL, sampled, &w[i]));
	}
	for (i = 0; i < 8; i++) {
		pthread_join(w[i].thread, NULL);
		/* Whatever was counted while not masked, in periods. */
		TH_LOG("%llu overflows in %llu events", w[i].count, w[i].switches);
		EXPECT_LE(w[i].count, w[i].switches / 20000);
		EXPECT_LE(w[i].switches / 20000, w[i].count + 1);
	}
}

/*
 * Somebody else switches all counters on soon after we have stopped them: in an NMI, as
 * perf_events does for Intel PT, or silently, so that only the counters' own overflow
 * tells. What they count then is nobody's.
 */
TEST(strangers_do_not_count)
{
	const u64 late = 20000, period = 100000;
	u64 base, before, foreign, value;
	int fd, silent;

	NEED_TROUBLE();
	/* The next NMI would come before the handler of the last is through. */
	if (is_slow())
		SKIP(return, "strangers_do_not_count: this kernel is too slow");
	pin_somewhere();
	for (silent = 0; silent < 2; silent++) {
		fd = counter(0, HW_INSTRUCTIONS, HW_USER, 0, silent ? period : 0);
		base = measure(fd, 0, 1000);
		before = hw_value(fd, 0, 0, HW_INSTRUCTIONS);
		foreign = debugfs_sum("foreign");
		ASSERT_TRUE(set_trouble(BENCH_MSR_FOREIGN,
					late | (silent ? 0 : BENCH_FOREIGN_PMI)));
		run(fd, 1000);
		hw_loop(1000000);
		ASSERT_TRUE(set_trouble(BENCH_MSR_FOREIGN, 0));
		run(fd, 1000);
		value = hw_value(fd, 0, 0, HW_INSTRUCTIONS) - before;
		TH_LOG("%llu of %llu, found %llu times", value, 2 * base,
		       debugfs_sum("foreign") - foreign);
		EXPECT_LE(2 * base, value);
		EXPECT_GE(2 * base + 1000, value);
		EXPECT_LT(foreign, debugfs_sum("foreign"));
		close(fd);
	}
}

/* A status that comes when the counters stand already loses no overflow. */
TEST(a_late_status_loses_nothing)
{
	u64 sum, with, before, overflows;
	int fd, late;

	NEED_TROUBLE();
	pin_somewhere();
	for (late = 0, sum = 0; late < 2; late++) {
		ASSERT_TRUE(set_trouble(BENCH_MSR_LATE_STATUS, late ? 3000 : 0));
		fd = counter(0, HW_INSTRUCTIONS, HW_USER, 0, 0);
		hw_counter(fd, 0, 1, HW_INSTRUCTIONS, HW_USER, 0, 10007);
		before = debugfs_sum("overflows");
		with = measure(fd, 0, 1000000);
		overflows = debugfs_sum("overflows") - before;
		close(fd);
		/* Each is found, if late; and all is counted once. */
		EXPECT_LT(with / 10007 / 2, overflows);
		EXPECT_GE(with / 10007, overflows);
		if (late)
			EXPECT_EQ(sum, with);
		sum = with;
	}
	set_trouble(BENCH_MSR_LATE_STATUS, 0);
}

/*
 * Bits of the status that are not the counters' (CondChgd) explain no NMI: one that comes
 * then is passed on, for it may be that of a crash button.
 */
TEST(an_nmi_of_others_is_passed_on)
{
	const u64 change = 1ULL << 63;
	u64 one = 1;
	unsigned int said;
	int fd, cpu, i;

	NEED_TROUBLE();
	if (strncmp(hw_find()->model, "Intel", 5))
		SKIP(return, "this PMU's status has no such bit");
	cpu = pin_somewhere();
	fd = counter(0, HW_INSTRUCTIONS, HW_USER, 0, 0);
	MUST(pfm_start(fd));
	/* One can be taken for a late overflow's, for a tenth of a second. */
	for (i = 0; i < 20; i++) {
		said = kernel_said(UNKNOWN_NMI);
		ASSERT_TRUE(msr_access(cpu, BENCH_MSR_SET_STATUS, (u64 *)&change, true));
		ASSERT_TRUE(msr_access(cpu, BENCH_MSR_NMI, &one, true));
		if (kernel_said(UNKNOWN_NMI) > said)
			break;
		burn_ms(200);
	}
	EXPECT_GT(20, i);
	close(fd);
}

/* Off-core requests and their like: a program's bits get to the register, no others. */
TEST(registers_of_events)
{
	unsigned int num;
	int fd, cpu, n = 0;
	u64 value;

	NEED_HW();
	NEED_ROOT();
	cpu = pin_somewhere();
	for (num = 32; num < 36; num++) {
		pfarg_pmcinfo_t info = { .reg_num = (__u16)num };

		if (strncmp(hw_find()->model, "Intel arch", 10) ||
		    pfm(-1, PFM_GETINFO_PMCS, &info, 1))
			continue;
		if (!msr_access(cpu, info.reg_index, &value, false))
			SKIP(return, "needs /dev/cpu/N/msr");
		n++;
		fd = (int)MUST(pfm_create(0));
		hw_counter(fd, 0, 0, HW_INSTRUCTIONS, HW_USER, 0, 0);
		MUST(hw_write_one(fd, 0, num, ~0ULL, 0));
		MUST(pfm_load(fd, my_tid()));
		run(fd, 1000);
		ASSERT_TRUE(msr_access(cpu, info.reg_index, &value, false));
		EXPECT_EQ(~info.reg_rsvd_mask, value);
		EXPECT_LE(2000ULL, hw_value(fd, 0, 0, HW_INSTRUCTIONS));
		close(fd);
		/* Nothing is left of it, nor in the counter. */
		ASSERT_TRUE(msr_access(cpu, info.reg_index, &value, false));
		EXPECT_EQ(0ULL, value);
	}
	if (!n)
		SKIP(return, "this PMU has none");
}

/* The MSRs of the first counter and its control, if they hold just these. */
static bool first_counter(int cpu, u64 *counter, u64 *control)
{
	pfarg_pmdinfo_t pmd = {};
	pfarg_pmcinfo_t pmc = {};

	if (!strcmp(hw_find()->model, "Intel P4") || hw_find()->silent)
		return false;
	pmd.reg_num = (__u16)hw_find()->pmd(0, HW_INSTRUCTIONS);
	MUST(pfm(-1, PFM_GETINFO_PMDS, &pmd, 1));
	MUST(pfm(-1, PFM_GETINFO_PMCS, &pmc, 1));
	return msr_access(cpu, (u32)pmd.reg_index, counter, false) &&
	       msr_access(cpu, (u32)pmc.reg_index, control, false);
}

/* The next user of the PMU finds its counter at 0, and the counter switched off. */
TEST(nothing_is_left)
{
	u64 count, control;
	int fd, cpu;

	NEED_HW();
	NEED_ROOT();
	cpu = pin_somewhere();
	if (!first_counter(cpu, &count, &control))
		SKIP(return, "no MSRs, or they hold other things, too");
	fd = counter(0, HW_INSTRUCTIONS, HW_USER, 0, 0);
	run(fd, 100000);
	close(fd);
	ASSERT_TRUE(first_counter(cpu, &count, &control));
	EXPECT_EQ(0ULL, count);
	EXPECT_EQ(0ULL, control & 1 << 22);
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

/* ------------------------------------------------------------------------
 * Interrupts that come late
 */

#define LATE_PERIOD	4999

/* Counter 0 overflows all the time, counter 1 has nothing to do with that. */
static void *sampled_beside(void *arg)
{
	struct worker *w = arg;
	unsigned int i;

	w->fd = (int)MUST(pfm_create(0));
	if (w->sampled)
		hw_counter(w->fd, 0, 0, HW_INSTRUCTIONS, HW_USER, 0, LATE_PERIOD);
	hw_counter(w->fd, 0, 1, HW_INSTRUCTIONS, HW_USER, 0, 0);
	MUST(pfm_load(w->fd, my_tid()));
	/* Threads that begin before the others exist would not be switched. */
	if (w->ready)
		pthread_barrier_wait(w->ready);
	MUST(pfm_start(w->fd));
	for (i = 0; i < w->rounds; i++) {
		hw_loop(50);
		syscall(SYS_sched_yield);
	}
	MUST(pfm_stop(w->fd));
	w->count = hw_value(w->fd, 0, 1, HW_INSTRUCTIONS);
	close(w->fd);
	return NULL;
}

FIXTURE(late)
{
	bool skid;
};

FIXTURE_SETUP(late)
{
	/* Later than a switch of threads takes. */
	self->skid = hw_find() && is_root() && set_skid(is_slow() ? 100000 : 3000);
}

FIXTURE_TEARDOWN(late)
{
	if (self->skid)
		set_skid(0);
}

#define NEED_SKID()							\
	do {								\
		NEED_HW_INTERRUPT();					\
		NEED_DEBUGFS();						\
		if (!self->skid)					\
			SKIP(return, "needs root and the bench's QEMU");	\
	} while (0)

/*
 * So late that the thread is often gone: what the interrupt was about has been
 * found at the switch, the next thread is not asked to account for it, and the
 * kernel reports no unknown NMI.
 */
TEST_F_TIMEOUT(late, interrupts_are_known, 300)
{
	unsigned int rounds = is_slow() ? 500 : 2000, i, unknown, tries;
	u64 late = 0, overflows = 0, wanted = 0;
	struct worker w[8], alone = { .rounds = rounds };
	pthread_barrier_t ready;

	NEED_SKID();
	pthread_barrier_init(&ready, NULL, 8);
	sampled_beside(&alone);
	/* If this CPU has to wait for a real one just then, that is too late. */
	for (tries = 0; tries < 5; tries++) {
		unknown = kernel_said(UNKNOWN_NMI);
		late = debugfs_sum("late");
		overflows = debugfs_sum("overflows");
		wanted = 0;
		for (i = 0; i < 8; i++) {
			/* Half of them have no overflow, and get the others'. */
			w[i].ready = &ready;
			w[i].rounds = rounds;
			w[i].sampled = i & 1;
			ASSERT_EQ(0, pthread_create(&w[i].thread, NULL,
						    sampled_beside, &w[i]));
		}
		for (i = 0; i < 8; i++) {
			pthread_join(w[i].thread, NULL);
			EXPECT_EQ(alone.count, w[i].count);
			if (w[i].sampled)
				wanted += w[i].count / LATE_PERIOD;
		}
		late = debugfs_sum("late") - late;
		overflows = debugfs_sum("overflows") - overflows;
		unknown = kernel_said(UNKNOWN_NMI) - unknown;
		TH_LOG("%llu overflows of %llu, %llu late, %u of them unknown",
		       overflows, wanted, late, unknown);
		EXPECT_GE(wanted, overflows);
		EXPECT_LT(wanted / 3, overflows);
		EXPECT_LT(0ULL, late);
		ASSERT_GE(2U, unknown);
		if (!unknown)
			break;
	}
	EXPECT_GT(5U, tries);
}

/* ------------------------------------------------------------------------
 * Others who want the counters
 */

static int perf_event(u64 config)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = config,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1,
			      PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

#define OURS_IS_REFUSED	"perfmon: the PMU is in use by perf_events"

/* The second of perfmon and perf_events gets EBUSY, and the PMU once the first is gone. */
TEST(perf_events_and_perfmon_take_turns)
{
	int pe, fd, soft;
	u64 a, b;

	NEED_HW();
	pe = perf_event(PERF_COUNT_HW_INSTRUCTIONS);
	if (pe == -ENOENT || pe == -EOPNOTSUPP)
		SKIP(return, "perf_events does not know this PMU");
	ASSERT_LE(0, pe);
	fd = (int)MUST(pfm_create(0));
	hw_counter(fd, 0, 0, HW_INSTRUCTIONS, HW_USER, 0, 0);
	EXPECT_EQ(-EBUSY, pfm_load(fd, my_tid()));
	EXPECT_EQ(-EBUSY, pfm_load(fd, my_tid()));
	EXPECT_TRUE(pfm_state_is(fd, "unloaded"));
	if (is_root())
		EXPECT_LT(0U, kernel_said(OURS_IS_REFUSED));
	/* What needs none of the hardware's registers does not mind. */
	soft = pfm_session(0, PFM_SW_TASK_CLOCK, 0, 0, my_tid());
	burn_ms(1);
	EXPECT_LT(0ULL, pfm_value(soft, SW_PMD(0)));
	close(soft);
	/* It has not been disturbed. On NetBurst its counts may go back by themselves. */
	ASSERT_EQ((ssize_t)sizeof(a), read(pe, &a, sizeof(a)));
	hw_loop(1000000);
	ASSERT_EQ((ssize_t)sizeof(b), read(pe, &b, sizeof(b)));
	if (strcmp(hw_find()->model, "Intel P4")) {
		EXPECT_LE(a + 2000000, b);
		EXPECT_GT(a + 2010000, b);
	}
	close(pe);

	ASSERT_EQ(0, pfm_load(fd, my_tid()));
	EXPECT_EQ(-EBUSY, perf_event(PERF_COUNT_HW_INSTRUCTIONS));
	EXPECT_EQ(measure(fd, 0, 1000) + 2 * 999000ULL, measure(fd, 0, 1000000));
	MUST(pfm_unload(fd));
	pe = perf_event(PERF_COUNT_HW_INSTRUCTIONS);
	EXPECT_LE(0, pe);
	EXPECT_EQ(-EBUSY, pfm_load(fd, my_tid()));
	close(pe);
	EXPECT_EQ(0, pfm_load(fd, my_tid()));
	close(fd);
	pe = perf_event(PERF_COUNT_HW_INSTRUCTIONS);
	EXPECT_LE(0, pe);
	close(pe);
}

/* Whether perf_events can have the PMU, now or within patience. */
static bool perf_events_may(unsigned int patience)
{
	int pe;

	while ((pe = perf_event(PERF_COUNT_HW_INSTRUCTIONS)) == -EBUSY && patience--)
		sleep_ms(1);
	if (pe < 0)
		return false;
	close(pe);
	return true;
}

/* That it is busy is no reason to skip: nothing may have been left behind. */
#define NEED_PERF_EVENTS()						\
	do {								\
		int pe_;						\
									\
		NEED_HW();						\
		pe_ = perf_event(PERF_COUNT_HW_INSTRUCTIONS);		\
		if (pe_ < 0 && pe_ != -EBUSY)				\
			SKIP(return, "perf_events does not know this PMU"); \
		if (pe_ >= 0)						\
			close(pe_);					\
		ASSERT_TRUE(perf_events_may(PATIENCE));			\
	} while (0)

/* Of a loaded context: who programs nothing has nothing, for no moment after. */
TEST(refused_commands_hold_nothing)
{
	pfarg_pmc_t bad[2] = { { .reg_num = SW_PMC(0) } };
	int fd, good;

	NEED_PERF_EVENTS();
	fd = pfm_session(0, PFM_SW_TASK_CLOCK, 0, 0, my_tid());
	good = (int)MUST(pfm_create(0));
	/* A control of a counter: every PMU here has the first one. */
	bad[1].reg_num = 0;

	bad[1].reg_flags = 0x80;
	EXPECT_EQ(-EINVAL, pfm(fd, PFM_WRITE_PMCS, bad, 2));
	EXPECT_TRUE(bad[1].reg_flags & PFM_REG_RETFL_EINVAL);
	EXPECT_TRUE(perf_events_may(0));
	bad[1].reg_flags = 0;
	bad[1].reg_set = 77;
	EXPECT_EQ(-EINVAL, pfm(fd, PFM_WRITE_PMCS, bad, 2));
	EXPECT_TRUE(bad[1].reg_flags & PFM_REG_RETFL_NOSET);
	EXPECT_TRUE(perf_events_may(0));
	bad[1].reg_flags = 0;
	bad[1].reg_set = 0;
	bad[1].reg_smpl_pmds[0] = ~0ULL;
	EXPECT_EQ(-EINVAL, pfm(fd, PFM_WRITE_PMCS, bad, 2));
	EXPECT_TRUE(perf_events_may(0));

	/* It is held from the first that is accepted on, whatever comes later. */
	MUST(hw_find()->write(fd, 0, 0, HW_INSTRUCTIONS, HW_USER, 0));
	EXPECT_EQ(-EBUSY, perf_event(PERF_COUNT_HW_INSTRUCTIONS));
	EXPECT_EQ(-EINVAL, pfm(fd, PFM_WRITE_PMCS, bad, 2));
	EXPECT_EQ(-EBUSY, perf_event(PERF_COUNT_HW_INSTRUCTIONS));
	EXPECT_LT(2000000ULL, measure(fd, 0, 1000000));
	/* Another context's refusal takes nothing away. */
	EXPECT_EQ(-EINVAL, pfm(good, PFM_WRITE_PMCS, bad, 2));
	EXPECT_EQ(-EBUSY, perf_event(PERF_COUNT_HW_INSTRUCTIONS));
	MUST(pfm_unload(fd));
	EXPECT_TRUE(perf_events_may(0));
	close(good);
	close(fd);
}

/* What a thread's end leaves behind is a context, not the PMU. */
TEST(dead_thread_holds_nothing)
{
	struct puppet p, q;
	int a, b;

	NEED_PERF_EVENTS();
	puppet_start(&p, PUPPET_PROCESS);
	puppet_start(&q, PUPPET_PROCESS);
	a = (int)MUST(pfm_create(0));
	hw_counter(a, 0, 0, HW_INSTRUCTIONS, HW_USER, 0, 0);
	b = (int)MUST(pfm_create(0));
	MUST(pfm_load(a, p.tid));
	MUST(pfm_start(a));
	/* The one programs it before it is loaded, the other after. */
	MUST(pfm_load(b, q.tid));
	hw_counter(b, 0, 0, HW_INSTRUCTIONS, HW_USER, 0, 0);
	MUST(pfm_start(b));
	puppet_do(&p, OP_SPIN, 1);
	puppet_do(&q, OP_SPIN, 1);

	puppet_stop(&p);
	ASSERT_EQ(PFM_MSG_END, pfm_next_msg(a, NULL, PATIENCE));
	EXPECT_EQ(-EBUSY, perf_event(PERF_COUNT_HW_INSTRUCTIONS));
	puppet_stop(&q);
	ASSERT_EQ(PFM_MSG_END, pfm_next_msg(b, NULL, PATIENCE));
	EXPECT_TRUE(perf_events_may(PATIENCE));
	EXPECT_LT(1000000ULL, hw_value(a, 0, 0, HW_INSTRUCTIONS));
	EXPECT_LT(1000000ULL, hw_value(b, 0, 0, HW_INSTRUCTIONS));

	/* It can be had again, by the same. */
	MUST(pfm_load(a, my_tid()));
	EXPECT_EQ(-EBUSY, perf_event(PERF_COUNT_HW_INSTRUCTIONS));
	EXPECT_LT(2000000ULL, measure(a, 0, 1000000));
	close(a);
	EXPECT_TRUE(perf_events_may(PATIENCE));
	close(b);
}

TEST(the_nmi_watchdog_is_one_of_them)
{
	static const char sysctl[] = "/proc/sys/kernel/nmi_watchdog";
	char was[16];
	int fd, ret;

	NEED_HW();
	NEED_ROOT();
	if (access(sysctl, W_OK))
		SKIP(return, "this kernel has no NMI watchdog");
	MUST(read_text(sysctl, was, sizeof(was)));
	fd = (int)MUST(pfm_create(0));
	hw_counter(fd, 0, 0, HW_INSTRUCTIONS, HW_USER, 0, 0);
	ret = write_text(sysctl, "1");
	if (ret)
		SKIP(return, "the NMI watchdog does not know this PMU");
	EXPECT_EQ(-EBUSY, pfm_load(fd, my_tid()));
	ASSERT_EQ(0, write_text(sysctl, "0"));
	EXPECT_EQ(0, pfm_load(fd, my_tid()));
	MUST(pfm_start(fd));
	/* It tries, and does without. */
	write_text(sysctl, "1");
	hw_loop(1000);
	MUST(pfm_stop(fd));
	EXPECT_LE(2000ULL, hw_value(fd, 0, 0, HW_INSTRUCTIONS));
	write_text(sysctl, was);
	close(fd);
}

/* ------------------------------------------------------------------------
 * CPUs that go and come: they forget what was in their registers
 */

FIXTURE(unplugged)
{
	char path[96];
	int home, cpu;		/* one that stays, one that goes */
	int ask[2], answer[2];
	pid_t pid;
};

FIXTURE_SETUP(unplugged)
{
	char c;

	if (!can_unplug(self->path, sizeof(self->path), &self->home,
			&self->cpu)) {
		self->path[0] = '\0';
		return;
	}
	MUST(pipe2(self->ask, O_CLOEXEC));
	MUST(pipe2(self->answer, O_CLOEXEC));
	self->pid = fork_child();
	if (self->pid)
		return;
	pin_cpu(self->home);
	while (read(self->ask[0], &c, 1) == 1) {
		if (c == '0' || c == '1')
			c = (char)write_text(self->path, c == '0' ? "0" : "1");
		MUST(write(self->answer[1], &c, 1));
	}
	_exit(0);
}

FIXTURE_TEARDOWN(unplugged)
{
	if (!self->path[0])
		return;
	kill_and_reap(self->pid);
	write_text(self->path, "1");
}

#define NEED_UNPLUG()							\
	do {								\
		NEED_HW();						\
		if (!self->path[0])					\
			SKIP(return, "needs root and a CPU to unplug");	\
	} while (0)

/* The same instructions here, whatever is done there. */
static void plug(FIXTURE_DATA(unplugged) *s, char how)
{
	char c = how;

	MUST(write(s->ask[1], &c, 1));
	MUST(read(s->answer[0], &c, 1));
}

/* On the CPU that goes, and comes, if @how is "01"; and then not. */
static u64 count_through(FIXTURE_DATA(unplugged) *s, int fd, const char *how)
{
	u64 before = hw_value(fd, 0, 0, HW_INSTRUCTIONS);

	MUST(pfm_start(fd));
	pin_cpu(s->cpu);
	hw_loop(100000);
	plug(s, how[0]);
	hw_loop(100000);
	plug(s, how[1]);
	pin_cpu(s->cpu);
	hw_loop(100000);
	MUST(pfm_stop(fd));
	return hw_value(fd, 0, 0, HW_INSTRUCTIONS) - before;
}

/* To the last instruction: a count, and a period on the CPU that came. */
TEST_F(unplugged, thread_goes_on)
{
	u64 base;
	int fd, n;

	NEED_UNPLUG();
	fd = counter(0, HW_INSTRUCTIONS, HW_USER, 0, 0);
	base = count_through(self, fd, "--");
	EXPECT_LE(600000ULL, base);
	for (n = 0; n < 3; n++)
		EXPECT_EQ(base, count_through(self, fd, "01"));
	close(fd);

	if (hw_find()->silent)
		return;
	fd = counter(0, HW_INSTRUCTIONS, HW_USER, PFM_REGFL_OVFL_NOTIFY, 100000);
	MUST(pfm_start(fd));
	plug(self, '0');
	plug(self, '1');
	pin_cpu(self->cpu);
	for (n = 0; n < 5; n++) {
		hw_loop(60000);
		ASSERT_EQ(PFM_MSG_OVFL, pfm_next_msg(fd, NULL, PATIENCE));
		EXPECT_GT(1000ULL, hw_value(fd, 0, 0, HW_INSTRUCTIONS));
		MUST(pfm_restart(fd));
	}
	close(fd);
}

/* A context of that CPU ends there with all that it counted, and may begin anew. */
TEST_F(unplugged, cpu_begins_anew)
{
	u64 seen;
	int fd, pe;

	NEED_UNPLUG();
	fd = (int)MUST(pfm_create(PFM_FL_SYSTEM_WIDE));
	hw_counter(fd, 0, 0, HW_INSTRUCTIONS, HW_USER, 0, 0);
	pin_cpu(self->cpu);
	MUST(pfm_load(fd, my_tid()));
	MUST(pfm_start(fd));
	hw_loop(1000000);
	pin_cpu(self->home);
	plug(self, '0');
	EXPECT_TRUE(pfm_state_is(fd, "unloaded"));
	seen = hw_value(fd, 0, 0, HW_INSTRUCTIONS);
	EXPECT_LE(2000000ULL, seen);
	hw_loop(1000000);
	EXPECT_EQ(seen, hw_value(fd, 0, 0, HW_INSTRUCTIONS));
	/* And gives the PMU back, if perf_events could want it. */
	pe = perf_event(PERF_COUNT_HW_INSTRUCTIONS);
	EXPECT_NE(-EBUSY, pe);
	close(pe);
	plug(self, '1');
	pin_cpu(self->cpu);
	ASSERT_EQ(0, pfm_load(fd, my_tid()));
	hw_loop(1000000);
	EXPECT_EQ(seen, hw_value(fd, 0, 0, HW_INSTRUCTIONS));
	MUST(pfm_start(fd));
	hw_loop(1000000);
	MUST(pfm_stop(fd));
	EXPECT_LE(seen + 2000000, hw_value(fd, 0, 0, HW_INSTRUCTIONS));
	close(fd);
}

/* Nor on a CPU that was offline when the PMU was given back, once it is there again. */
TEST_F(unplugged, nothing_is_left_there)
{
	u64 count, control;
	int fd, other;

	NEED_UNPLUG();
	if (!first_counter(self->cpu, &count, &control))
		SKIP(return, "no MSRs, or they hold other things, too");
	/* The PMU is in our use until the CPU is away. */
	other = (int)MUST(pfm_create(PFM_FL_SYSTEM_WIDE));
	hw_counter(other, 0, 0, HW_INSTRUCTIONS, HW_USER, 0, 0);
	pin_cpu(self->home);
	MUST(pfm_load(other, my_tid()));
	fd = (int)MUST(pfm_create(PFM_FL_SYSTEM_WIDE));
	hw_counter(fd, 0, 0, HW_INSTRUCTIONS, HW_USER, 0, 0);
	pin_cpu(self->cpu);
	MUST(pfm_load(fd, my_tid()));
	MUST(pfm_start(fd));
	hw_loop(100000);
	ASSERT_TRUE(first_counter(self->cpu, &count, &control));
	EXPECT_NE(0ULL, control & 1 << 22);
	pin_cpu(self->home);
	plug(self, '0');
	EXPECT_TRUE(pfm_state_is(fd, "unloaded"));
	close(fd);
	close(other);
	plug(self, '1');
	ASSERT_TRUE(first_counter(self->cpu, &count, &control));
	EXPECT_EQ(0ULL, count);
	EXPECT_EQ(0ULL, control & 1 << 22);
}

/*
 * What a control register has of the PMC, if we may look. Not where the hardware and
 * the kernel keep bits of their own beside it (P4), or the bits are moved (P5).
 */
static bool control_in_msr(int cpu, const pfarg_pmcinfo_t *info, u64 *value)
{
	const u32 fixed = 0x38d;

	if (!strncmp(hw_find()->model, "Intel P", 7) && hw_find()->model[7] != '6')
		return false;
	if (!msr_access(cpu, (u32)info->reg_index, value, false))
		return false;
	/* One register for all fixed counters: the PMC is its field. */
	if (info->reg_index == fixed)
		*value = *value >> 4 * (info->reg_num & 15) & 15;
	return true;
}

/* What only the kernel may set, it sets; nothing else gets there. */
TEST(reserved_bits_are_kept)
{
	int fd = (int)MUST(pfm_create(0)), i, cpu = pin_somewhere();
	unsigned int num, n = 0, refused = 0, looked = 0;
	pfarg_pmcinfo_t pmcs[256];
	u32 seed = 1;
	u64 value;

	NEED_HW();
	for (num = 0; num < 256; num++) {
		pfarg_pmcinfo_t info = { .reg_num = (__u16)num };

		if (pfm(-1, PFM_GETINFO_PMCS, &info, 1))
			continue;
		EXPECT_EQ(PFM_REG_TYPE_MSR, info.reg_type);
		EXPECT_NE(PFM_REG_IDX_NONE, info.reg_index);
		pmcs[n++] = info;
	}
	ASSERT_LT(0U, n);
	MUST(pfm_load(fd, my_tid()));
	/* Each gets to the register, where it would fault. */
	for (i = 0; i < 300; i++) {
		for (num = 0; num < n; num++) {
			seed = seed * 1664525 + 1013904223;
			value = (u64)seed << 32 | seed * 69069;
			if (!(i % 10))
				value = i % 20 ? ~0ULL : 0;
			refused += hw_write_one(fd, 0, pmcs[num].reg_num, value,
						0) != 0;
		}
		MUST(pfm_start(fd));
		hw_loop(10);
		/* Root sees what has got there while it counts. */
		for (num = 0; i < 40 && num < n; num++)
			if (control_in_msr(cpu, &pmcs[num], &value)) {
				looked++;
				EXPECT_EQ(0ULL, value & pmcs[num].reg_rsvd_mask &
					  ~pmcs[num].reg_def_value) {
					TH_LOG("PMC %u: %llx", pmcs[num].reg_num,
					       value);
				}
			}
		MUST(pfm_stop(fd));
	}
	TH_LOG("%u of %u values refused, %u registers looked at", refused, 300 * n,
	       looked);
	close(fd);
}

/* The first register of a kind that has an address, -1: none. */
static int find_by_address(int cmd, __u16 type, u64 index)
{
	unsigned int num;

	for (num = 0; num < PFM_MAX_PMDS; num++) {
		pfarg_pmcinfo_t info = { .reg_num = (__u16)num };

		if (!pfm(-1, cmd, &info, 1) && info.reg_type == type &&
		    info.reg_index == index)
			return (int)num;
	}
	return -1;
}

/*
 * A program that has a manual of the processor finds the logical number of a
 * register by its address (3.2.4, figure 3.13). Two PMCs have one address only where
 * they are fields of one register.
 */
TEST(numbers_by_address)
{
	static const int cmds[] = { PFM_GETINFO_PMCS, PFM_GETINFO_PMDS };
	unsigned int num, i, seen = 0;

	NEED_HW();
	for (i = 0; i < 2; i++)
		for (num = 0; num < PFM_SW_PMC0; num++) {
			pfarg_pmcinfo_t info = { .reg_num = (__u16)num };
			int first;

			if (pfm(-1, cmds[i], &info, 1))
				continue;
			first = find_by_address(cmds[i], info.reg_type,
						info.reg_index);
			seen++;
			if (!i && (info.reg_index == 0x38d || info.reg_index == 0x11))
				first = first < 0 ? first : (int)num;
			EXPECT_EQ((int)num, first);
		}
	EXPECT_LE(4U, seen);
	EXPECT_EQ(-1, find_by_address(PFM_GETINFO_PMDS, PFM_REG_TYPE_MSR, 0xffffffff));
	/* An example, where the manual says which: IA32_PMC0. */
	if (!strncmp(hw_find()->model, "Intel architectural", 19))
		EXPECT_EQ(0, find_by_address(PFM_GETINFO_PMDS, PFM_REG_TYPE_MSR, 0xc1));
}

static void no_right(int sig)
{
	(void)sig;
	_exit(7);
}

/* Exits with 7 if the processor does not let it. */
static void read_counter(void)
{
#ifdef __powerpc__
	unsigned long value;

	signal(SIGILL, no_right);
	/* The first counter's name at user level, by processors of 64 and of 32 bits. */
	__asm__ volatile("mfspr %0,%1" : "=r"(value) : "i"(sizeof(long) == 8 ? 771 : 937));
#else
	u32 low, high;

	signal(SIGSEGV, no_right);
	__asm__ volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(0));
#endif
	_exit(0);
}

/*
 * By the controller's descriptor only (4.3.2): neither the monitored program nor
 * another one on its CPU can read a counter by an instruction.
 */
TEST(programs_cannot_read_counters)
{
	int fd, who;
	pid_t pid;

	NEED_HW();
	pin_somewhere();
	for (who = 0; who < 2; who++) {
		pid = fork_child();
		if (!pid) {
			fd = counter(0, HW_INSTRUCTIONS, HW_USER, 0, 0);
			MUST(pfm_start(fd));
			hw_loop(10);
			if (!who)
				read_counter();
			pid = fork();
			if (!pid)
				read_counter();
			_exit(reap(pid));
		}
		EXPECT_EQ(7, reap(pid)) {
			TH_LOG("%s", who ? "its child" : "itself");
		}
	}
}

/* A counter of the microcode store cannot count for the bus: refused, and said so. */
TEST(p4_pairings)
{
	/* The selects of MS_COUNTER0: MS, TC and TBPU (SDM volume 3, table 19-13). */
	unsigned int n;
	int fd = (int)MUST(pfm_create(0));

	NEED_HW();
	if (strcmp(hw_find()->model, "Intel P4"))
		SKIP(return, "not a P4");
	for (n = 0; n < 8; n++) {
		pfarg_pmc_t req = {
			.reg_num = 4, .reg_value = 1 << 12 | 3 << 16 | n << 13,
		};
		int ret = pfm(fd, PFM_WRITE_PMCS, &req, 1);

		EXPECT_EQ(n < 3 ? 0 : -EINVAL, ret);
		EXPECT_EQ(n >= 3, !!(req.reg_flags & PFM_REG_RETFL_EINVAL));
	}
	close(fd);
}

/* No interrupt, no notification; it says so. */
TEST(silent_pmu_refuses_notification)
{
	int fd = (int)MUST(pfm_create(0));

	NEED_HW();
	if (!hw_find()->silent)
		SKIP(return, "this PMU has an overflow interrupt");
	EXPECT_EQ(-EINVAL, hw_find()->write(fd, 0, 0, HW_INSTRUCTIONS, HW_USER,
					    PFM_REGFL_OVFL_NOTIFY));
	close(fd);
}

/* The hardened kernel's rule; run.sh sets the other default. */
TEST(kernel_level_on_a_hardened_kernel)
{
	static const char sysctl[] = "/proc/sys/kernel/perfmon_hardened";
	int fd, status;
	pid_t pid;

	NEED_HW();
	NEED_ROOT();
	ASSERT_EQ(0, write_text(sysctl, "1"));
	fd = (int)MUST(pfm_create(0));
	EXPECT_EQ(0, hw_find()->write(fd, 0, 0, HW_INSTRUCTIONS, HW_BOTH, 0));
	close(fd);
	pid = fork_child();
	if (!pid) {
		MUST(setgid(1000));
		MUST(setuid(1000));
		fd = (int)MUST(pfm_create(0));
		if (hw_find()->write(fd, 0, 0, HW_INSTRUCTIONS, HW_KERNEL, 0) != -EPERM)
			_exit(1);
		if (hw_find()->write(fd, 0, 0, HW_INSTRUCTIONS, HW_USER, 0))
			_exit(2);
		_exit(0);
	}
	status = reap(pid);
	EXPECT_EQ(0, status);
	ASSERT_EQ(0, write_text(sysctl, "0"));
}

/* As an ordinary user: a letter for each thing that is not as it should be. */
static int without_the_pmu(int ask, int answer)
{
	pfarg_pmc_t req[2] = { { .reg_num = SW_PMC(0), .reg_value = PFM_SW_TASK_CLOCK } };
	int fd, ret, soft;
	char c = 0;

	fd = (int)MUST(pfm_create(0));
	MUST(hw_find()->write(fd, 0, 0, HW_INSTRUCTIONS, HW_USER, 0));
	MUST(write(answer, &c, 1));
	MUST(read(ask, &c, 1));
	/* What is programmed stays, but is not loaded any more. */
	if (pfm_load(fd, my_tid()) != -EPERM)
		return 'a';
	/* Unloaded or loaded: the first element is done, the second is not. */
	soft = (int)MUST(pfm_create(0));
	req[1].reg_num = !strcmp(hw_find()->model, "Intel P4") ? 0x22 : 0;
	ret = pfm(soft, PFM_WRITE_PMCS, req, 2);
	if (ret != -EPERM || !(req[1].reg_flags & PFM_REG_RETFL_EINVAL) ||
	    req[0].reg_flags)
		return 'b';
	MUST(pfm_load(soft, my_tid()));
	MUST(pfm_start(soft));
	req[1].reg_flags = 0;
	ret = pfm(soft, PFM_WRITE_PMCS, req, 2);
	if (ret != -EPERM || !(req[1].reg_flags & PFM_REG_RETFL_EINVAL))
		return 'c';
	burn_ms(1);
	if (!pfm_value(soft, SW_PMD(0)))
		return 'd';
	close(soft);
	MUST(write(answer, &c, 1));
	MUST(read(ask, &c, 1));
	if (pfm_load(fd, my_tid()) || measure(fd, 0, 1000) < 2000)
		return 'e';
	return 0;
}

/* The administrator keeps the PMU to those who may see everybody. */
TEST(pmu_for_the_privileged_only)
{
	static const char sysctl[] = "/proc/sys/kernel/perfmon_hardened";
	int ask[2], answer[2], fd;
	char c;
	pid_t pid;

	NEED_HW();
	NEED_ROOT();
	MUST(pipe2(ask, O_CLOEXEC));
	MUST(pipe2(answer, O_CLOEXEC));
	ASSERT_EQ(0, write_text(sysctl, "1"));
	pid = fork_child();
	if (!pid) {
		close(answer[0]);
		close(ask[1]);
		MUST(setgid(1000));
		MUST(setuid(1000));
		_exit(without_the_pmu(ask[0], answer[1]));
	}
	close(answer[1]);
	EXPECT_EQ(1, read(answer[0], &c, 1));
	EXPECT_EQ(0, write_text(sysctl, "2"));
	MUST(write(ask[1], &c, 1));
	EXPECT_EQ(1, read(answer[0], &c, 1));
	/* Who may: root here. */
	fd = counter(0, HW_INSTRUCTIONS, HW_USER, 0, 0);
	EXPECT_LE(2000ULL, measure(fd, 0, 1000));
	close(fd);
	EXPECT_EQ(0, write_text(sysctl, "1"));
	MUST(write(ask[1], &c, 1));
	EXPECT_EQ(0, reap(pid));
	ASSERT_EQ(0, write_text(sysctl, "0"));
}

TEST_HARNESS_MAIN
