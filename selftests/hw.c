// SPDX-License-Identifier: GPL-2.0-only
/*
 * The counters of the hardware: exact counts, periods, both privilege levels,
 * two overflows at once, moves from CPU to CPU, the bits of their controls.
 *
 * Instructions at user level are exact, on silicon and on the bench; so tests
 * compare two runs that differ by a known number of them. The models that share their
 * code with others run a choice of these tests only: bench_short in scripts/config.
 * Not here: what needs no PMU (all the programs but hw_*), and the models' own
 * behaviour, for which the bench has tests without our kernel.
 */
#include "hw_bench.h"

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

/* Longer than what a counter of 32 bits can hold, and than what others are written with. */
TEST(long_period_overflows_once)
{
	const u64 period = (1ULL << 33) + 4711;
	const unsigned int margin = 100000;
	u64 before, left;
	int fd;

	NEED_HW_INTERRUPT();
	NEED_DEBUGFS();
	before = debugfs_sum("overflows");
	fd = counter(0, HW_INSTRUCTIONS, HW_USER, PFM_REGFL_OVFL_NOTIFY, period);
	MUST(pfm_start(fd));
	hw_long_loop((unsigned long)((period - margin) / 64));
	EXPECT_EQ(0, pfm_poll(fd, 0));
	left = -hw_value(fd, 0, 0, HW_INSTRUCTIONS);
	EXPECT_GE(margin, left);
	EXPECT_LE(margin - HW_LATE, left);
	EXPECT_EQ(0ULL, debugfs_sum("overflows") - before);
	hw_loop(margin);
	EXPECT_EQ(PFM_MSG_OVFL, pfm_next_msg(fd, NULL, PATIENCE));
	EXPECT_EQ(1ULL, debugfs_sum("overflows") - before);
	close(fd);
}

static long involuntary_switches(void)
{
	struct rusage usage;

	MUST(getrusage(RUSAGE_THREAD, &usage) ? -errno : 0);
	return usage.ru_nivcsw;
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
	long switches;
	bool had, has;

	NEED_HW();
	NEED_ROOT();
	cpu = pin_somewhere();
	MUST(pfm(-1, PFM_GET_CONFIG, &cfg, 1));
	max = ~0ULL >> (64 - cfg.cf_counter_width);
	info.reg_num = (__u16)hw_find()->pmd(0, HW_INSTRUCTIONS);
	MUST(pfm(-1, PFM_GETINFO_PMDS, &info, 1));
	EXPECT_EQ(HW_REG_TYPE, info.reg_type);
	if (!msr_access(cpu, info.reg_index, &raw, false))
		SKIP(return, "the kernel has no file for this register");
	fd = counter(0, HW_INSTRUCTIONS, HW_USER, 0, 0);
	/* Who had it before may have left it about to wrap by itself. */
	do {
		run(fd, 100000);
		ASSERT_TRUE(msr_access(cpu, info.reg_index, &raw, false));
	} while (raw > max - 1000000);
	for (round = 0, base = 0; round < 2; round++) {
		/*
		 * The kernel adds how far the counter is from where it last looked, modulo its
		 * width. Had it last looked at the start, and the counter begun at 0, the counter
		 * would have wrapped and come past that place: a whole turn, which nobody can see.
		 * So it looks once more here, farther from 0 than the counter comes after its
		 * wrap. Where another thread took the CPU meanwhile, the counter may have begun at
		 * 0 again (PFM_PMU_USER_READ): once more.
		 */
		do {
			switches = involuntary_switches();
			events = hw_value(fd, 0, 0, HW_INSTRUCTIONS);
			MUST(pfm_start(fd));
			hw_loop(20000);
			hw_value(fd, 0, 0, HW_INSTRUCTIONS);
			had = msr_access(cpu, info.reg_index, &raw, false);
			/* First to what it was, then to a little before its end. */
			top = round ? max - 1000 : raw;
			has = msr_access(cpu, info.reg_index, &top, true);
			hw_loop(10000);
			MUST(pfm_stop(fd));
			events = hw_value(fd, 0, 0, HW_INSTRUCTIONS) - events;
		} while (switches != involuntary_switches());
		/* Not above: until a test has had 253, each ASSERT takes some instructions more. */
		ASSERT_TRUE(had);
		ASSERT_TRUE(has);
		/* Not all of its bits may be writable: then that was a step back. */
		if (!round)
			base = events;
		else
			EXPECT_EQ(base + ((top - raw) & max), events);
		raw = max;
		ASSERT_TRUE(msr_access(cpu, info.reg_index, &raw, false));
		EXPECT_GE(max, raw);
		/* From 0 or, where the kernel has put it there, from 2^28. */
		if (round)
			EXPECT_GT(100000ULL, raw & ~(1ULL << 28));
	}
	EXPECT_LE(60000ULL, base);
	close(fd);
}

/* Fixed counter @fixed interrupts, wherever its bit in the status is. */
static void check_fixed_overflow(struct __test_metadata *_metadata, unsigned int fixed, u64 user)
{
	pfarg_pmd_t req = {
		.reg_num = (__u16)fixed,
		.reg_value = -100000ULL, .reg_long_reset = -100000ULL,
	};
	int fd = (int)MUST(pfm_create(0)), n;
	u64 value;

	MUST(hw_write_one(fd, 0, fixed, user, PFM_REGFL_OVFL_NOTIFY));
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

/* Intel's fixed counters count what general ones count. */
TEST(fixed_counters)
{
	const unsigned int fixed = 16;
	/* Slots in which something retired, behind a hole, since version 6 */
	const unsigned int retiring = 22;
	u64 user = 2 /* the level, as in IA32_FIXED_CTR_CTRL */, base;
	pfarg_pmdinfo_t info = { .reg_num = fixed };
	pfarg_pmd_t req = { .reg_num = fixed };
	int fd;

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

	check_fixed_overflow(_metadata, fixed, user);
	info = (pfarg_pmdinfo_t){ .reg_num = retiring };
	if (!pfm(-1, PFM_GETINFO_PMDS, &info, 1))
		check_fixed_overflow(_metadata, retiring, user);
}

/* What the handler of an overflow does is not counted, but for its way in. */
TEST(handler_is_not_counted)
{
	u64 base = 0, with = 0, period = 500, overflows, kernel, each, limit, stormy;
	enum hw_level counted = HW_KERNEL, timed = HW_USER;
	int fd, sampled, n;

	NEED_HW_INTERRUPT();
	NEED_DEBUGFS();
	/* There a set has one level for all counters. The program's part is always the same. */
	if (hw_levels_are_per_set()) {
		counted = timed = HW_BOTH;
		/* Longer than the handler's way back, which would be interrupted for ever. */
		if (is_slow())
			period = 20000;
	}
	overflows = debugfs_sum("overflows");
	/* The least of several: other interrupts are counted, too. */
	for (n = 0; n < 20; n++) {
		for (sampled = 0; sampled < 2; sampled++) {
			fd = (int)MUST(pfm_create(0));
			hw_counter(fd, 0, 0, HW_INSTRUCTIONS, counted, 0, 0);
			/* A Pentium 4 has one level for all who count instructions. */
			hw_counter(fd, 0, 1, HW_CYCLES, timed, 0, sampled ? period : 0);
			MUST(pfm_load(fd, my_tid()));
			run(fd, 100 * period);
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
	limit = hw_is_ppc() && !hw_is_ppc32() ? 2800 : sizeof(long) == 8 ? 1200 : 2000;
	if (!is_slow())
		EXPECT_GT(limit, each);
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
	u64 end;
	int fd;

	NEED_HW_INTERRUPT();
	fd = counter(0, HW_INSTRUCTIONS, HW_BOTH, 0, 1);
	MUST(pfm_start(fd));
	/* A thread that sleeps before the kernel has seen enough interrupts has no more of them. */
	end = now_ns(CLOCK_MONOTONIC) + PATIENCE * (NSEC_PER_SEC / 1000);
	while (!pfm_poll(fd, 0) && now_ns(CLOCK_MONOTONIC) < end)
		;
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

/*
 * PowerPC. For the PMC that comes first: bit 63 if MMCR0 has a bit that must never be 1 (on
 * POWER, one that gives programs the PMU is such a bit, too), else 0. For MMCR2 of 74xx: its
 * value.
 */
static bool control_in_spr(int cpu, const pfarg_pmcinfo_t *info, u64 *value)
{
	const u32 mmcr0 = hw_is_ppc32() ? 952 : MMCR0_64, mmcr2 = 944;
	const bool power = !hw_levels_are_per_set();
	const u32 never = 0x1a402000 | (power ? 0x00380000 : 0);

	if (info->reg_index == mmcr2)
		return msr_access(cpu, mmcr2, value, false);
	if (info->reg_num != power || !msr_access(cpu, mmcr0, value, false))
		return false;
	*value = *value & never ? 1ULL << 63 : 0;
	return true;
}

/*
 * What a control register has of the PMC, if we may look. Not where the hardware and
 * the kernel keep bits of their own beside it (P4), or the bits are moved (P5).
 */
static bool control_in_msr(int cpu, const pfarg_pmcinfo_t *info, u64 *value)
{
	const u32 fixed = 0x38d;

	if (hw_is_ppc())
		return control_in_spr(cpu, info, value);
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
		EXPECT_EQ(HW_REG_TYPE, info.reg_type);
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

TEST_HARNESS_MAIN
