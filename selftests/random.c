// SPDX-License-Identifier: GPL-2.0-only
/*
 * Randomised reset values (3.4.2): the generator against an independent
 * implementation, masks, seeds, which resets use it.
 *
 * Not here: the 10000th value, which a unit test in the kernel checks.
 */
#include "pfm_test.h"

#define NOTIFY	PFM_REGFL_OVFL_NOTIFY
#define RANDOM	PFM_REGFL_RANDOM
#define BASE	0x1000000000ULL

/* Park and Miller's generator by plain division. */
static u64 next(u64 *state)
{
	*state = *state * 16807 % 2147483647;
	return *state;
}

static u64 seeded(u32 seed)
{
	u64 state = seed % 2147483647;

	return state ? state : 1;
}

FIXTURE(random) {
	struct pages pages;
	int fd;
};

FIXTURE_SETUP(random)
{
	pages_map(&self->pages, 3000);
	self->fd = (int)MUST(pfm_create(0));
	MUST(pfm_load(self->fd, my_tid()));
}

FIXTURE_TEARDOWN(random)
{
	close(self->fd);
}

static void program(int fd, int i, u32 flags, u64 mask, u32 seed)
{
	pfarg_pmd_t pmd = {
		.reg_num = (__u16)SW_PMD(i), .reg_value = ~0ULL,
		.reg_long_reset = BASE, .reg_short_reset = 2 * BASE,
		.reg_random_mask = mask, .reg_random_seed = seed,
	};

	MUST(pfm_write_pmc(fd, SW_PMC(i), PFM_SW_MINOR_FAULTS, flags));
	MUST(pfm(fd, PFM_WRITE_PMDS, &pmd, 1));
}

static u64 last_reset(int fd, int i)
{
	pfarg_pmd_t pmd = { .reg_num = (__u16)SW_PMD(i) };

	MUST(pfm(fd, PFM_READ_PMDS, &pmd, 1));
	return pmd.reg_last_reset_val;
}

/* One event, which is one overflow of counter 0, and what it loaded. */
static u64 one_reset(FIXTURE_DATA(random) *s)
{
	MUST(pfm_start(s->fd));
	pages_touch(&s->pages, 1);
	if (pfm_state_is(s->fd, "masked"))
		MUST(pfm_restart(s->fd));
	MUST(pfm_stop(s->fd));
	return last_reset(s->fd, 0);
}

/*
 * A counter that goes on to overflow within mask + 1 events: whatever the
 * random part is, it cannot move the value far from the top.
 */
static void program_chain(int fd, u64 mask, u32 seed)
{
	pfarg_pmd_t pmd = {
		.reg_num = SW_PMD(0), .reg_value = ~0ULL,
		.reg_long_reset = ~mask,
		.reg_random_mask = mask, .reg_random_seed = seed,
	};

	MUST(pfm_write_pmc(fd, SW_PMC(0), PFM_SW_MINOR_FAULTS,
			   NOTIFY | RANDOM));
	MUST(pfm(fd, PFM_WRITE_PMDS, &pmd, 1));
}

static u64 chain_reset(FIXTURE_DATA(random) *s)
{
	MUST(pfm_start(s->fd));
	while (!pfm_state_is(s->fd, "masked"))
		pages_touch(&s->pages, 1);
	MUST(pfm_restart(s->fd));
	MUST(pfm_stop(s->fd));
	return last_reset(s->fd, 0);
}

static void check_series(struct __test_metadata *_metadata,
			 FIXTURE_DATA(random) *s, u32 seed, u64 mask)
{
	u64 state = seeded(seed);
	int i;

	program_chain(s->fd, mask, seed);
	for (i = 0; i < 20; i++)
		ASSERT_EQ(~mask + (next(&state) & mask), chain_reset(s)) {
			TH_LOG("seed %u mask %#llx value %d", seed, mask, i);
		}
}

TEST_F(random, first_value_of_many_seeds)
{
	static const u32 seeds[] = {
		1, 2, 3, 42, 16807, 65535, 0x12345678, 0x7ffffffe, 0x80000000,
		0xdeadbeef, 0xfffffffe, 0xffffffff,
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(seeds); i++) {
		u64 state = seeded(seeds[i]), want;

		program(self->fd, 0, NOTIFY | RANDOM, 0x7fffffff, seeds[i]);
		want = BASE + next(&state);
		EXPECT_EQ(want, one_reset(self)) {
			TH_LOG("seed %#x", seeds[i]);
		}
	}
}

/* The fixed points of the generator stand for seed 1 (abi, 10). */
TEST_F(random, seeds_that_are_fixed_points)
{
	static const u32 seeds[] = { 0, 2147483647 };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(seeds); i++) {
		program(self->fd, 0, NOTIFY | RANDOM, 0x7fffffff, seeds[i]);
		EXPECT_EQ(BASE + 16807, one_reset(self));
	}
}

TEST_F(random, series)
{
	check_series(_metadata, self, 1, 0x7);
	check_series(_metadata, self, 12345, 0xf);
	check_series(_metadata, self, 0x7ffffffe, 0x5);
}

TEST_F(random, same_seed_same_series)
{
	u64 first[20];
	int i;

	program_chain(self->fd, 0xf, 99);
	for (i = 0; i < 20; i++)
		first[i] = chain_reset(self);
	program_chain(self->fd, 0xf, 99);
	for (i = 0; i < 20; i++)
		EXPECT_EQ(first[i], chain_reset(self));
	program_chain(self->fd, 0xf, 100);
	for (i = 0; i < 20; i++)
		if (first[i] != chain_reset(self))
			break;
	EXPECT_GT(20, i);
}

TEST_F(random, masks)
{
	static const u64 masks[] = {
		0, 1, 0x80, 0xff00, 0x55555555, 0x40000000, 0x7fffffff,
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(masks); i++) {
		u64 state = seeded(777), value;

		program(self->fd, 0, NOTIFY | RANDOM, masks[i], 777);
		value = one_reset(self);
		EXPECT_EQ(BASE + (next(&state) & masks[i]), value);
	}
}

/* Two values of the series: the first the low 31 bits, the second above. */
TEST_F(random, masks_above_31_bits)
{
	static const u64 masks[] = {
		0x80000000, 0xffffffff, 0x3fffffff00000000, 0xfff00000fff,
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(masks); i++) {
		u64 state = seeded(4711), want;

		program(self->fd, 0, NOTIFY | RANDOM, masks[i], 4711);
		want = next(&state);
		want |= next(&state) << 31;
		EXPECT_EQ(BASE + (want & masks[i]), one_reset(self));
	}
}

/* Also for short resets, "the seed and mask apply to both". */
TEST_F(random, short_reset)
{
	u64 state = seeded(5);

	program(self->fd, 0, RANDOM, 0xffff, 5);
	EXPECT_EQ(2 * BASE + (next(&state) & 0xffff), one_reset(self));
	EXPECT_TRUE(pfm_state_is(self->fd, "loaded"));
}

TEST_F(random, off_without_the_flag)
{
	program(self->fd, 0, NOTIFY, 0xffff, 5);
	EXPECT_EQ(BASE, one_reset(self));
	program(self->fd, 0, 0, 0xffff, 5);
	EXPECT_EQ(2 * BASE, one_reset(self));
}

/* Each PMD has a state of its own. */
TEST_F(random, per_pmd)
{
	u64 a = seeded(10), b = seeded(20);

	program(self->fd, 0, NOTIFY | RANDOM, 0xffff, 10);
	program(self->fd, 1, NOTIFY | RANDOM, 0xffff, 20);
	EXPECT_EQ(BASE + (next(&a) & 0xffff), one_reset(self));
	EXPECT_EQ(BASE + (next(&b) & 0xffff), last_reset(self->fd, 1));
}

/* The value itself is not randomised, only what follows it. */
TEST_F(random, not_the_first_period)
{
	program(self->fd, 0, NOTIFY | RANDOM, 0xffff, 10);
	EXPECT_EQ(~0ULL, pfm_value(self->fd, SW_PMD(0)));
	EXPECT_EQ(~0ULL, last_reset(self->fd, 0));
}

TEST_HARNESS_MAIN
