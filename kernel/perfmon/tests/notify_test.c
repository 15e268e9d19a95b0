// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a notification does in its interrupt, and what it leaves to others.
 */
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/pid.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "fixture.h"

/* What the work item says of itself: it never says again that it was not queued yet. */
static long notify_queued(struct pfm_context *ctx, struct pid *pid, enum pid_type type)
{
	__f_setown(ctx->file, pid, type, 1);
	pfm_context_get(ctx);
	ctx->notify_work.func(&ctx->notify_work);
	flush_work(&ctx->group_work);
	return atomic_long_read(&ctx->group_work.data);
}

/* A process group can have any number of processes: no interrupt sends it signals. */
static void notify_test_group(struct kunit *test)
{
	struct pfm_context *ctx = pfm_fixture_new(0, NULL);
	struct pid *pid = task_pid(current);
	long fresh;

	KUNIT_ASSERT_FALSE(test, IS_ERR(ctx));
	KUNIT_ASSERT_FALSE(test, IS_ERR(pfm_file_new(ctx)));
	KUNIT_ASSERT_GT(test, fasync_helper(0, ctx->file, 1, &ctx->queue.fasync), 0);
	fresh = atomic_long_read(&ctx->group_work.data);
	KUNIT_EXPECT_EQ(test, notify_queued(ctx, pid, PIDTYPE_PID), fresh);
	KUNIT_EXPECT_EQ(test, notify_queued(ctx, pid, PIDTYPE_TGID), fresh);
	KUNIT_EXPECT_NE(test, notify_queued(ctx, pid, PIDTYPE_PGID), fresh);
	KUNIT_EXPECT_EQ(test, kref_read(&ctx->ref), 1U);
	__fput_sync(ctx->file);
}

/* Whether a notification has an interrupt. */
static bool notify_interrupts(struct pfm_context *ctx)
{
	bool busy;

	local_irq_disable();
	pfm_notify_wake(ctx);
	busy = irq_work_is_busy(&ctx->notify_work);
	local_irq_enable();
	irq_work_sync(&ctx->notify_work);
	return busy;
}

/* Who does not wait for a message needs no interrupt. */
static void notify_test_awaited(struct kunit *test)
{
	struct pfm_context *ctx = pfm_fixture_new(0, NULL);
	DEFINE_WAIT(wait);

	KUNIT_ASSERT_FALSE(test, IS_ERR(ctx));
	KUNIT_ASSERT_FALSE(test, IS_ERR(pfm_file_new(ctx)));
	KUNIT_EXPECT_FALSE(test, notify_interrupts(ctx));

	add_wait_queue(&ctx->queue.wait, &wait);
	KUNIT_EXPECT_TRUE(test, notify_interrupts(ctx));
	remove_wait_queue(&ctx->queue.wait, &wait);
	KUNIT_EXPECT_FALSE(test, notify_interrupts(ctx));

	KUNIT_ASSERT_GT(test, fasync_helper(0, ctx->file, 1, &ctx->queue.fasync), 0);
	KUNIT_EXPECT_TRUE(test, notify_interrupts(ctx));
	KUNIT_ASSERT_GT(test, fasync_helper(0, ctx->file, 0, &ctx->queue.fasync), 0);
	KUNIT_EXPECT_FALSE(test, notify_interrupts(ctx));

	ctx->flags |= PFM_FL_NOTIFY_BLOCK;
	KUNIT_EXPECT_TRUE(test, notify_interrupts(ctx));
	KUNIT_EXPECT_EQ(test, kref_read(&ctx->ref), 1U);
	__fput_sync(ctx->file);
}

static struct kunit_case notify_cases[] = {
	KUNIT_CASE(notify_test_group),
	KUNIT_CASE(notify_test_awaited),
	{}
};

static struct kunit_suite notify_suite = {
	.name = "perfmon-notify",
	.test_cases = notify_cases,
};
kunit_test_suite(notify_suite);
