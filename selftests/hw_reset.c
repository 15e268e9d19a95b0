// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counters of the hardware that are reset when they are read
 * (PFM_REGFL_READ_RESET), and such as have no 64 bits (PFM_REGFL_NO_64BIT_EMUL).
 *
 * Not here: the same with software counters (read_reset.c), and in sets that are
 * not active.
 */
#include "hw_bench.h"

#define NOTIFY		PFM_REGFL_OVFL_NOTIFY
#define READ_RESET	PFM_REGFL_READ_RESET
#define NO_EMUL		PFM_REGFL_NO_64BIT_EMUL

static const struct hw_more nothing_more;

static pfarg_pmd_t read_reset(int fd, unsigned int k)
{
	pfarg_pmd_t req = {
		.reg_num = (__u16)hw_find()->pmd(k, HW_INSTRUCTIONS),
		.reg_flags = READ_RESET,
	};

	MUST(pfm(fd, PFM_READ_PMDS, &req, 1));
	return req;
}

/* All bits of a counter, as the kernel says. */
static u64 width_mask(void)
{
	pfarg_config_t cf = {};

	MUST(pfm(-1, PFM_GET_CONFIG, &cf, 1));
	return cf.cf_counter_width < 64 ? (1ULL << cf.cf_counter_width) - 1 : ~0ULL;
}

/* What is read is taken: the sum of all that was read is what has happened. */
TEST(nothing_is_lost_or_read_twice)
{
	int fd = (int)MUST(pfm_create(0)), i;
	u64 sum = 0, v;

	NEED_HW();
	hw_counter(fd, 0, 0, HW_INSTRUCTIONS, HW_USER, 0, 0);
	hw_counter(fd, 0, 1, HW_INSTRUCTIONS, HW_USER, 0, 0);
	MUST(pfm_load(fd, my_tid()));
	for (i = 0; i < 200; i++) {
		MUST(pfm_start(fd));
		hw_loop(1000);
		v = read_reset(fd, 0).reg_value;
		EXPECT_LE(2000ULL, v);
		sum += v;
		hw_loop(100);
		MUST(pfm_stop(fd));
		/* Of a stopped context, too. */
		if (i & 1)
			sum += read_reset(fd, 0).reg_value;
	}
	sum += read_reset(fd, 0).reg_value;
	EXPECT_EQ(hw_value(fd, 0, 1, HW_INSTRUCTIONS), sum);
	EXPECT_EQ(0ULL, hw_value(fd, 0, 0, HW_INSTRUCTIONS));
	close(fd);
}

/* The reset_pmds of its control go with it. */
TEST(reset_pmds)
{
	int fd = (int)MUST(pfm_create(0)), i;
	struct hw_more more = {};
	u64 whole, last;

	NEED_HW();
	vec_set(more.reset_pmds, hw_find()->pmd(1, HW_INSTRUCTIONS));
	hw_counter_more(fd, 0, 0, 0, 0, &more);
	hw_counter(fd, 0, 1, HW_INSTRUCTIONS, HW_USER, 0, 0);
	MUST(pfm_load(fd, my_tid()));
	for (i = 0; i < 3; i++) {
		run(fd, 1000);
		last = hw_value(fd, 0, 1, HW_INSTRUCTIONS);
		EXPECT_LE(2000ULL, last);
		EXPECT_GT(3000ULL, last);
		whole = read_reset(fd, 0).reg_value;
		EXPECT_EQ(last, whole);
		EXPECT_EQ(0ULL, hw_value(fd, 0, 1, HW_INSTRUCTIONS));
	}
	close(fd);
}

/*
 * The period that the long value begins may be shorter than what the counter was
 * set for: it overflows at its end, not at that of the old one.
 */
TEST(begins_a_period)
{
	const u64 period = 50021, far = 1ULL << 30;
	int fd = (int)MUST(pfm_create(0));
	pfarg_pmd_t req = {
		.reg_value = -far, .reg_long_reset = -period,
		.reg_short_reset = -period,
	};
	u64 total, before;

	NEED_HW_INTERRUPT();
	set_nonblock(fd);
	hw_counter_more(fd, 0, 0, NOTIFY, 0, &nothing_more);
	hw_counter(fd, 0, 1, HW_INSTRUCTIONS, HW_USER, 0, 0);
	req.reg_num = (__u16)hw_find()->pmd(0, HW_INSTRUCTIONS);
	MUST(pfm(fd, PFM_WRITE_PMDS, &req, 1));
	MUST(pfm_load(fd, my_tid()));
	MUST(pfm_start(fd));
	hw_loop(1000);
	before = read_reset(fd, 0).reg_value + far;
	/* No look of ours finds the overflow: it has to interrupt. */
	hw_loop(period);
	ASSERT_EQ(PFM_MSG_OVFL, pfm_next_msg(fd, NULL, 0));
	EXPECT_TRUE(pfm_state_is(fd, "masked"));
	total = hw_value(fd, 0, 1, HW_INSTRUCTIONS);
	EXPECT_LE(before + period, total);
	EXPECT_GE(before + period + HW_LATE, total);
	if (set_skid(0))
		EXPECT_EQ(before + period, total);
	close(fd);
}

/* It goes round at the hardware's width, and nobody is told. */
TEST(without_64_bits)
{
	int fd = (int)MUST(pfm_create(0));
	u64 mask = width_mask(), v, plain;

	NEED_HW();
	set_nonblock(fd);
	EXPECT_EQ(-EINVAL, hw_find()->write(fd, 0, 0, HW_INSTRUCTIONS, HW_USER,
					    NO_EMUL | NOTIFY));
	EXPECT_EQ(-EINVAL, hw_find()->write(fd, 0, 0, HW_INSTRUCTIONS, HW_USER,
					    NO_EMUL | PFM_REGFL_RANDOM));
	hw_counter(fd, 0, 0, HW_INSTRUCTIONS, HW_USER, NO_EMUL, 10000);
	hw_counter(fd, 0, 1, HW_INSTRUCTIONS, HW_USER, 0, 0);
	/* What was written is cut to its width. */
	EXPECT_EQ(mask & -10000ULL, hw_value(fd, 0, 0, HW_INSTRUCTIONS));
	MUST(pfm_load(fd, my_tid()));
	run(fd, 1000);
	plain = hw_value(fd, 0, 1, HW_INSTRUCTIONS);
	v = hw_value(fd, 0, 0, HW_INSTRUCTIONS);
	EXPECT_GT(10000ULL, plain);
	EXPECT_EQ(mask & (plain - 10000), v);
	run(fd, 100000);
	plain = hw_value(fd, 0, 1, HW_INSTRUCTIONS);
	v = hw_value(fd, 0, 0, HW_INSTRUCTIONS);
	/* Far beyond: neither its reset value nor a carry. */
	EXPECT_EQ(plain - 10000, v);
	EXPECT_EQ(0U, overflowed(fd));
	EXPECT_TRUE(pfm_state_is(fd, "loaded"));
	close(fd);
}

/* One that has no 64 bits beside one that has a period: neither disturbs the other. */
TEST(beside_a_period)
{
	const u64 period = 10007;
	u64 total, had, mask = width_mask();
	int fd = (int)MUST(pfm_create(0));

	NEED_HW_INTERRUPT();
	total = hw_total(500000);
	hw_counter_more(fd, 0, 0, 0, period, &nothing_more);
	hw_counter(fd, 0, 1, HW_INSTRUCTIONS, HW_USER, NO_EMUL, total / 2);
	MUST(pfm_load(fd, my_tid()));
	run(fd, 500000);
	had = hw_value(fd, 0, 1, HW_INSTRUCTIONS);
	EXPECT_GT(mask / 2, had);
	EXPECT_EVENTS(total - total / 2, had, total / period);
	/* It is as far in its period as they say. */
	if (set_skid(0))
		EXPECT_EQ(total % period,
			  hw_value(fd, 0, 0, HW_INSTRUCTIONS) + period);
	close(fd);
}

TEST_HARNESS_MAIN
