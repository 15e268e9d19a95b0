// SPDX-License-Identifier: GPL-2.0-only
#include "fixture.h"

#define DEPTH	3

static int pfm_message_test_init(struct kunit *test)
{
	struct pfm_queue *q = kunit_kzalloc(test, sizeof(*q), GFP_KERNEL);

	if (!q)
		return -ENOMEM;
	pfm_pmu_get();
	test->priv = q;
	return pfm_message_init(q, DEPTH);
}

static void pfm_message_test_exit(struct kunit *test)
{
	pfm_message_free(test->priv);
	pfm_pmu_put();
}

static const pfm_msg_t *pfm_message_take(struct pfm_queue *q)
{
	return &q->ring[q->tail++ & (q->size - 1)];
}

static void pfm_message_test_order(struct kunit *test)
{
	struct pfm_queue *q = test->priv;
	unsigned int i, round;

	for (round = 0; round < 1000; round++) {
		for (i = 0; i < DEPTH; i++)
			KUNIT_ASSERT_TRUE(test, pfm_message_overflow(q, i, 1));
		KUNIT_EXPECT_EQ(test, pfm_message_count(q), (unsigned int)DEPTH);
		for (i = 0; i < DEPTH; i++)
			KUNIT_EXPECT_EQ(test, pfm_message_take(q)->pfm_ovfl_msg.msg_active_set,
					(u16)i);
	}
	KUNIT_EXPECT_EQ(test, q->lost, 0ULL);
}

static void pfm_message_test_full(struct kunit *test)
{
	struct pfm_queue *q = test->priv;
	unsigned int i;

	for (i = 0; i < DEPTH; i++)
		KUNIT_EXPECT_TRUE(test, pfm_message_overflow(q, i, 1));
	KUNIT_EXPECT_FALSE(test, pfm_message_overflow(q, 7, 1));
	KUNIT_EXPECT_FALSE(test, pfm_message_overflow(q, 8, 1));
	KUNIT_EXPECT_EQ(test, q->lost, 2ULL);

	/* The end always has a place, and overwrites nothing. */
	pfm_message_end(q);
	for (i = 0; i < DEPTH; i++)
		KUNIT_EXPECT_EQ(test, pfm_message_take(q)->pfm_ovfl_msg.msg_active_set,
				(u16)i);
	KUNIT_EXPECT_EQ(test, pfm_message_take(q)->msg_type, (u32)PFM_MSG_END);
	KUNIT_EXPECT_EQ(test, pfm_message_count(q), 0U);
}

/* A depth at which a ring without one of the two slots for ends is too small. */
static void pfm_message_test_both_ends(struct kunit *test)
{
	struct pfm_queue *q = test->priv;
	unsigned int i;

	pfm_message_free(q);
	KUNIT_ASSERT_EQ(test, pfm_message_init(q, 7), 0);
	for (i = 0; i < 7; i++)
		KUNIT_EXPECT_TRUE(test, pfm_message_overflow(q, i, 1));
	pfm_message_end(q);
	pfm_message_end(q);
	for (i = 0; i < 7; i++)
		KUNIT_EXPECT_EQ(test, pfm_message_take(q)->pfm_ovfl_msg.msg_active_set, (u16)i);
	KUNIT_EXPECT_EQ(test, pfm_message_take(q)->msg_type, (u32)PFM_MSG_END);
	KUNIT_EXPECT_EQ(test, pfm_message_take(q)->msg_type, (u32)PFM_MSG_END);
}

/* A slot has nothing left of the message that was there before. */
static void pfm_message_test_clear(struct kunit *test)
{
	struct pfm_queue *q = test->priv;
	const pfm_msg_t *msg;

	memset(q->ring, 0x5a, q->size * sizeof(*q->ring));
	pfm_message_end(q);
	pfm_message_overflow(q, 1, BIT_ULL(pfm_fixture_sw(2)));

	msg = pfm_message_take(q);
	KUNIT_EXPECT_PTR_EQ(test, memchr_inv((u8 *)msg + 4, 0, sizeof(*msg) - 4), NULL);
	msg = pfm_message_take(q);
	KUNIT_EXPECT_EQ(test, msg->msg_type, (u32)PFM_MSG_OVFL);
	KUNIT_EXPECT_EQ(test, msg->pfm_ovfl_msg.msg_pad, (u16)0);
	KUNIT_EXPECT_EQ(test, msg->pfm_ovfl_msg.msg_ovfl_pmds[4],
			BIT_ULL(PFM_SW_PMD0 + 2 - 256));
	KUNIT_EXPECT_PTR_EQ(test, memchr_inv(msg->pfm_ovfl_msg.msg_ovfl_pmds, 0,
					     4 * sizeof(u64)), NULL);
}

static void pfm_message_test_drop(struct kunit *test)
{
	struct pfm_queue *q = test->priv;

	unsigned int mark;

	pfm_message_overflow(q, 1, 1);
	pfm_message_end(q);
	mark = pfm_message_mark(q);
	KUNIT_EXPECT_TRUE(test, pfm_message_overflow(q, 2, 1));
	pfm_message_drop(q, mark);
	KUNIT_EXPECT_EQ(test, pfm_message_count(q), 1U);
	/* A reader was faster: nothing new is dropped. */
	q->tail++;
	pfm_message_drop(q, mark);
	KUNIT_EXPECT_EQ(test, pfm_message_count(q), 0U);
	q->tail--;
	KUNIT_EXPECT_EQ(test, pfm_message_take(q)->pfm_ovfl_msg.msg_active_set, (u16)2);
}

static struct kunit_case pfm_message_cases[] = {
	KUNIT_CASE(pfm_message_test_order),
	KUNIT_CASE(pfm_message_test_full),
	KUNIT_CASE(pfm_message_test_both_ends),
	KUNIT_CASE(pfm_message_test_clear),
	KUNIT_CASE(pfm_message_test_drop),
	{}
};

static struct kunit_suite pfm_message_suite = {
	.name = "perfmon-message",
	.init = pfm_message_test_init,
	.exit = pfm_message_test_exit,
	.test_cases = pfm_message_cases,
};
kunit_test_suite(pfm_message_suite);
