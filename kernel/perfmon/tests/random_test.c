// SPDX-License-Identifier: GPL-2.0-only
#include "fixture.h"

/* Park and Miller publish this value for the minimal standard generator. */
static void pfm_random_test_series(struct kunit *test)
{
	u32 state = pfm_random_seed(1);
	u64 value = 0;
	int i;

	for (i = 0; i < 10000; i++)
		value = pfm_random_next(&state, U32_MAX >> 1);
	KUNIT_EXPECT_EQ(test, value, 1043618065ULL);
}

/* Carta's trick is division after all, at the ends of the range, too. */
static void pfm_random_test_carta(struct kunit *test)
{
	static const u32 states[] = {
		1, 2, 16806, 16807, 127773, 0x3fffffff, 0x40000000,
		0x7ffffffd, 0x7ffffffe,
	};
	u64 want;
	u32 s;
	int i;

	for (i = 0; i < ARRAY_SIZE(states); i++) {
		s = states[i];
		want = (u64)s * 16807;
		want -= div_u64(want, 0x7fffffff) * 0x7fffffff;
		KUNIT_EXPECT_EQ(test, pfm_random_next(&s, U64_MAX >> 33), want);
	}
}

static void pfm_random_test_seed(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, pfm_random_seed(0), 1U);
	KUNIT_EXPECT_EQ(test, pfm_random_seed(0x7fffffff), 1U);
	KUNIT_EXPECT_EQ(test, pfm_random_seed(0xfffffffe), 1U);
	KUNIT_EXPECT_EQ(test, pfm_random_seed(0xffffffff), 1U);
	KUNIT_EXPECT_EQ(test, pfm_random_seed(5), 5U);
	KUNIT_EXPECT_EQ(test, pfm_random_seed(0x80000000), 1U);
}

static void pfm_random_test_mask(struct kunit *test)
{
	u32 a = 42, b = 42;
	u64 first, second;

	first = pfm_random_next(&a, 0x7fffffff);
	second = pfm_random_next(&a, 0x7fffffff);
	/* Bit 31 and above come from a second value. */
	KUNIT_EXPECT_EQ(test, pfm_random_next(&b, U64_MAX), first | second << 31);
	KUNIT_EXPECT_EQ(test, a, b);

	b = 42;
	KUNIT_EXPECT_EQ(test, pfm_random_next(&b, 0xff), first & 0xff);
	KUNIT_EXPECT_EQ(test, pfm_random_next(&b, 0), 0ULL);
}

static struct kunit_case pfm_random_cases[] = {
	KUNIT_CASE(pfm_random_test_series),
	KUNIT_CASE(pfm_random_test_carta),
	KUNIT_CASE(pfm_random_test_seed),
	KUNIT_CASE(pfm_random_test_mask),
	{}
};

static struct kunit_suite pfm_random_suite = {
	.name = "perfmon-random",
	.test_cases = pfm_random_cases,
};
kunit_test_suite(pfm_random_suite);
