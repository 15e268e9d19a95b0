// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which commands go without the context's mutex: those of a thread on its own context.
 */
#include <linux/file.h>
#include <linux/rcupdate.h>

#include "../reach.h"
#include "fixture.h"

#define REACH_RESULT	7

static int reach_fn(struct pfm_context *ctx, void *arg)
{
	unsigned int *n = arg;

	pfm_assert_live(ctx);
	++*n;
	return REACH_RESULT;
}

/* Whether the function was called, by a descriptor of that file. */
static bool reach_own(struct kunit *test, const struct file *file)
{
	unsigned int n = 0;
	int ret = 0;
	const bool done = pfm_reach_own(file, -1, reach_fn, &n, &ret);

	KUNIT_EXPECT_EQ(test, n, done ? 1U : 0U);
	KUNIT_EXPECT_EQ(test, ret, done ? REACH_RESULT : 0);
	return done;
}

static void reach_test_own(struct kunit *test)
{
	struct pfm_context *ctx = pfm_fixture_new(0, NULL);
	const struct cred *cred;
	const int hardened = pfm_access_hardened;
	struct file *file;

	KUNIT_ASSERT_FALSE(test, IS_ERR(ctx));
	file = pfm_file_new(ctx);
	KUNIT_ASSERT_FALSE(test, IS_ERR(file));
	mutex_lock_nested(&ctx->mutex, 1);
	pfm_fixture_load(ctx);
	ctx->task = current;
	migrate_disable();
	KUNIT_EXPECT_FALSE(test, reach_own(test, file));
	rcu_assign_pointer(current->pfm_context, ctx);
	KUNIT_EXPECT_FALSE(test, reach_own(test, file));
	pfm_fixture_in(ctx);
	KUNIT_EXPECT_TRUE(test, reach_own(test, file));

	KUNIT_EXPECT_FALSE(test, reach_own(test, file + 1));
	KUNIT_EXPECT_FALSE(test, reach_own(test, NULL));
	pfm_reach_slow = true;
	KUNIT_EXPECT_FALSE(test, reach_own(test, file));
	pfm_reach_slow = false;

	cred = ctx->cred;
	ctx->cred = NULL;
	pfm_access_hardened = 1;
	KUNIT_EXPECT_FALSE(test, reach_own(test, file));
	pfm_access_hardened = 0;
	KUNIT_EXPECT_TRUE(test, reach_own(test, file));
	pfm_access_hardened = hardened;
	ctx->cred = cred;

	RCU_INIT_POINTER(current->pfm_context, NULL);
	pfm_fixture_out(ctx);
	migrate_enable();
	ctx->task = NULL;
	ctx->state = PFM_UNLOADED;
	mutex_unlock(&ctx->mutex);
	__fput_sync(file);
}

static struct kunit_case reach_cases[] = {
	KUNIT_CASE(reach_test_own),
	{}
};

static struct kunit_suite reach_suite = {
	.name = "perfmon-reach",
	.test_cases = reach_cases,
};
kunit_test_suite(reach_suite);
