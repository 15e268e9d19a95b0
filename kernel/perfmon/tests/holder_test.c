// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who has a context's descriptor, or its buffer mapped, at moments that no program can
 * choose: while the file is freed, and while a fork is under way.
 */
#include <linux/file.h>
#include <linux/fs.h>

#include "fixture.h"

static struct pfm_context *holder_context(struct kunit *test)
{
	struct pfm_context *ctx = pfm_context_new(0, NULL);

	KUNIT_ASSERT_FALSE(test, IS_ERR(ctx));
	KUNIT_ASSERT_FALSE(test, IS_ERR(pfm_file_new(ctx)));
	return ctx;
}

/*
 * A thread exits, finds its context, and is held up. Meanwhile the context is closed, and
 * the memory of its file becomes the file of somebody else: here of another context, one
 * of whose mappings is in the count.
 */
static void holder_test_reused(struct kunit *test)
{
	struct pfm_context *ctx = holder_context(test), *other = holder_context(test);
	struct file *file = ctx->file;

	KUNIT_EXPECT_FALSE(test, pfm_mapping_others(ctx));
	other->buf.vmas = 1;
	file->private_data = other;
	KUNIT_EXPECT_FALSE(test, pfm_mapping_others(ctx));
	file->private_data = ctx;
	other->buf.vmas = 0;

	get_file(file);
	KUNIT_EXPECT_TRUE(test, pfm_mapping_others(ctx));
	fput(file);
	__fput_sync(file);
	__fput_sync(other->file);
}

static struct kunit_case holder_cases[] = {
	KUNIT_CASE(holder_test_reused),
	{}
};

static struct kunit_suite holder_suite = {
	.name = "perfmon-holder",
	.test_cases = holder_cases,
};
kunit_test_suite(holder_suite);
