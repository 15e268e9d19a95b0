// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who has a context's descriptor, or its buffer mapped, at moments that no program can
 * choose: while the file is freed, and while a fork is under way.
 */
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>

#include "fixture.h"

static int holder_getsize(u32 flags, void *arg, size_t *size)
{
	*size = PAGE_SIZE;
	return 0;
}

static int holder_handler(void *buf, pfm_ovfl_arg_t *arg, u64 tstamp, void *data)
{
	return 0;
}

static const pfm_buffer_fmt_t holder_fmt = {
	.fmt_name = "holder",
	.fmt_uuid = { 0x68, 0x6f, 0x6c, 0x64, 0x65, 0x72, 1 },
	.fmt_msgq_depth = 1,
	.fmt_getsize = holder_getsize,
	.fmt_handler = holder_handler,
};

static int holder_init(struct kunit *test)
{
	return pfm_register_buffer_fmt(&holder_fmt);
}

static void holder_exit(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, pfm_unregister_buffer_fmt(holder_fmt.fmt_uuid), 0);
}

/* With a buffer of a page, and a file without a descriptor. */
static struct pfm_context *holder_context(struct kunit *test)
{
	struct pfm_format *f = pfm_format_get(holder_fmt.fmt_uuid);
	struct pfm_context *ctx;

	KUNIT_ASSERT_FALSE(test, IS_ERR(f));
	ctx = pfm_fixture_new(0, f);
	KUNIT_ASSERT_FALSE(test, IS_ERR(ctx));
	KUNIT_ASSERT_EQ(test, pfm_format_open(ctx, NULL), 0);
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

/*
 * What dup_mmap() does with a mapping of the buffer: the child's VMA is opened, and has a
 * reference to the file a moment later. A second descriptor is not to be taken for that
 * reference meanwhile.
 */
static void holder_test_fork(struct kunit *test)
{
	struct pfm_context *ctx = holder_context(test);
	struct mm_struct *mm = mm_alloc();
	struct vm_area_struct *vma, *child;
	unsigned long addr;

	KUNIT_ASSERT_NOT_NULL(test, mm);
	/* As execve() does: PowerPC's hash MMU insists on it. */
	mm->task_size = TASK_SIZE;
	arch_pick_mmap_layout(mm, &current->signal->rlim[RLIMIT_STACK]);
	kthread_use_mm(mm);
	addr = vm_mmap(ctx->file, 0, PAGE_SIZE, PROT_READ, MAP_SHARED, 0);
	KUNIT_ASSERT_FALSE(test, IS_ERR_VALUE(addr));
	KUNIT_EXPECT_FALSE(test, pfm_mapping_others(ctx));

	mmap_write_lock(mm);
	vma = vma_lookup(mm, addr);
	child = vm_area_dup(vma);
	KUNIT_ASSERT_NOT_NULL(test, child);
	child->vm_mm = &init_mm;
	child->vm_ops->open(child);
	mmap_write_unlock(mm);
	get_file(ctx->file);
	KUNIT_EXPECT_TRUE(test, pfm_mapping_others(ctx));
	fput(ctx->file);
	child->vm_ops->close(child);
	vm_area_free(child);
	KUNIT_EXPECT_FALSE(test, pfm_mapping_others(ctx));

	KUNIT_EXPECT_EQ(test, vm_munmap(addr, PAGE_SIZE), 0);
	kthread_unuse_mm(mm);
	mmput(mm);
	__fput_sync(ctx->file);
}

static struct kunit_case holder_cases[] = {
	KUNIT_CASE(holder_test_reused),
	KUNIT_CASE(holder_test_fork),
	{}
};

static struct kunit_suite holder_suite = {
	.name = "perfmon-holder",
	.init = holder_init,
	.exit = holder_exit,
	.test_cases = holder_cases,
};
kunit_test_suite(holder_suite);
