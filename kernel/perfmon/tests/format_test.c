// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a format's handler is told of an overflow, and the call chain format's use
 * of it, without anything that overflows.
 */
#include <linux/ktime.h>
#include <linux/kallsyms.h>
#include <linux/slab.h>
#include <linux/wait_bit.h>
#include <perfmon/callchain_smpl.h>
#include <perfmon/format.h>

#include "fixture.h"

#define PROBE_UUID { 0x70, 0x72, 0x6f, 0x62, 0x65, 1 }

static struct {
	unsigned int calls;
	u64 tstamp[4];
	void *event[4];
	u64 ip[4];
	unsigned int depth[4];		/* of the kernel's calls ... */
	u64 calls_of[4][2];		/* ... and the innermost of them */
} probe;

static int probe_handler(void *buf, pfm_ovfl_arg_t *arg, u64 tstamp, void *data)
{
	struct pfm_ovfl_data *d = data;
	unsigned int i = probe.calls++ & 3;

	probe.tstamp[i] = tstamp;
	probe.event[i] = d->event;
	probe.ip[i] = d->ip;
	if (IS_ENABLED(CONFIG_PERFMON_STACKS))
		probe.depth[i] = pfm_sample_stack_kernel(d, probe.calls_of[i],
							 ARRAY_SIZE(probe.calls_of[i]));
	d->event = &probe;
	return 0;
}

static const pfm_buffer_fmt_t probe_fmt = {
	.fmt_name = "probe",
	.fmt_uuid = PROBE_UUID,
	.fmt_msgq_depth = 1,
	.fmt_handler = probe_handler,
};

static int format_init(struct kunit *test)
{
	memset(&probe, 0, sizeof(probe));
	return pfm_register_buffer_fmt(&probe_fmt);
}

static void format_exit(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, pfm_unregister_buffer_fmt(probe_fmt.fmt_uuid), 0);
}

static struct pfm_context *format_context(struct kunit *test)
{
	struct pfm_format *f = pfm_format_get(probe_fmt.fmt_uuid);
	struct pfm_context *ctx;

	KUNIT_ASSERT_FALSE(test, IS_ERR(f));
	ctx = pfm_fixture_new(0, f);
	KUNIT_ASSERT_FALSE(test, IS_ERR(ctx));
	KUNIT_ASSERT_EQ(test, pfm_format_open(ctx, NULL), 0);
	ctx->task = current;
	return ctx;
}

/*
 * Two events of two counters each, on a CPU whose last sample is from later than the
 * clock is now: the time goes on from there (3.5.14), one time for one event.
 */
static void format_test_time_stamps(struct kunit *test)
{
	struct pfm_context *ctx = format_context(test);
	u64 last, ovfl = BIT_ULL(pfm_fixture_sw(0)) | BIT_ULL(pfm_fixture_sw(1));
	pfm_ovfl_ctrl_t ctrl;
	unsigned long flags;
	struct pfm_cpu *c;

	raw_spin_lock_irqsave(&ctx->lock, flags);
	c = this_cpu_ptr(&pfm_cpu);
	last = ktime_get_mono_fast_ns() + 3600ULL * NSEC_PER_SEC;
	c->tstamp = last;
	ctx->cpu = smp_processor_id();
	pfm_format_overflow(ctx, ovfl, &ctrl);
	pfm_format_overflow(ctx, ovfl, &ctrl);
	ctx->cpu = -1;
	c->tstamp = 0;
	raw_spin_unlock_irqrestore(&ctx->lock, flags);
	ctx->task = NULL;
	pfm_context_close(ctx);

	KUNIT_EXPECT_EQ(test, probe.calls, 4U);
	KUNIT_EXPECT_EQ(test, probe.tstamp[0], last + 1);
	KUNIT_EXPECT_EQ(test, probe.tstamp[1], last + 1);
	KUNIT_EXPECT_EQ(test, probe.tstamp[2], last + 2);
	KUNIT_EXPECT_EQ(test, probe.tstamp[3], last + 2);
	/* What a handler leaves is the event's, not the next one's. */
	KUNIT_EXPECT_PTR_EQ(test, probe.event[0], NULL);
	KUNIT_EXPECT_PTR_EQ(test, probe.event[1], (void *)&probe);
	KUNIT_EXPECT_PTR_EQ(test, probe.event[2], NULL);
}

/* [s] */
struct format_switch {
	unsigned long word;		/* that is waited for */
	struct pfm_context *ctx;
	bool switching;			/* as a hook of the scheduler says */
};

static struct format_switch format_switch;

/*
 * Called by a function that counts as the scheduler's, as its hooks are: a counter of software
 * overflows on current's CPU.
 */
static int format_overflow(struct wait_bit_key *key, int mode)
{
	struct pfm_context *ctx = format_switch.ctx;
	pfm_ovfl_ctrl_t ctrl;
	unsigned long flags;

	raw_spin_lock_irqsave(&ctx->lock, flags);
	ctx->cpu = smp_processor_id();
	__this_cpu_write(pfm_cpu.switching, format_switch.switching);
	pfm_format_overflow(ctx, BIT_ULL(pfm_fixture_sw(0)), &ctrl);
	__this_cpu_write(pfm_cpu.switching, false);
	ctx->cpu = -1;
	raw_spin_unlock_irqrestore(&ctx->lock, flags);
	return 1;
}

static noinline void format_wait(bool switching)
{
	format_switch.word = 1;
	format_switch.switching = switching;
	wait_on_bit_action(&format_switch.word, 0, format_overflow, TASK_UNINTERRUPTIBLE);
	barrier();
}

/* In the first @size bytes of @function, or of what follows it. */
static bool format_is_in(void *function, unsigned int size, u64 ip)
{
	unsigned long begin = (unsigned long)dereference_function_descriptor(function);

	return ip > begin && ip < begin + size;
}

/*
 * A sample that a hook of the scheduler finds says where current has called the scheduler, and the
 * kernel's calls go on from there; one that something else finds, and one for those who may
 * not see the kernel, say nothing of it: this thread has no user level.
 */
static void format_test_switch(struct kunit *test)
{
	struct pfm_context *ctx = format_context(test);

	format_switch.ctx = ctx;
	KUNIT_EXPECT_TRUE(test, ctx->heeds);
	format_wait(true);
	format_wait(false);
	ctx->see_kernel = false;
	format_wait(true);
	ctx->task = NULL;
	pfm_context_close(ctx);

	KUNIT_EXPECT_EQ(test, probe.calls, 3U);
	KUNIT_EXPECT_EQ(test, probe.ip[1], 0ULL);
	KUNIT_EXPECT_EQ(test, probe.ip[2], 0ULL);
	if (!IS_ENABLED(CONFIG_PERFMON_STACKS)) {
		KUNIT_EXPECT_EQ(test, probe.ip[0], 0ULL);
		return;
	}
	KUNIT_EXPECT_TRUE(test, format_is_in(format_wait, 512, probe.ip[0]));
	KUNIT_EXPECT_EQ(test, probe.depth[0], 2U);
	KUNIT_EXPECT_EQ(test, probe.calls_of[0][0], probe.ip[0]);
	/* The one that called it, and that may stand right behind it. */
	KUNIT_EXPECT_NE(test, probe.calls_of[0][1], probe.ip[0]);
	KUNIT_EXPECT_TRUE(test, format_is_in(format_test_switch, 4096, probe.calls_of[0][1]));
	KUNIT_EXPECT_EQ(test, probe.depth[1], 0U);
	KUNIT_EXPECT_EQ(test, probe.depth[2], 0U);
}

/* Counters that overflow at once: the stack is not walked again. */
static void format_test_one_chain(struct kunit *test)
{
	static const pfm_uuid_t uuid = PFM_CALLCHAIN_SMPL_UUID;
	pfm_callchain_smpl_arg_t smpl = {
		.buf_size = 1 << 16, .buf_flags = PFM_CALLCHAIN_SMPL_USER,
	};
	struct {
		pfm_callchain_smpl_sample_t s;
		u64 values[1];
		u64 chain[3];
	} same = {
		.s = { .nr_values = 1, .nr_kernel = 1, .nr_user = 2 },
		.values = { 1 }, .chain = { 0x111, 0x222, 0x333 },
	};
	struct pfm_ovfl_data data = { .task = current, .event = &same };
	const pfm_callchain_smpl_sample_t *s;
	const pfm_buffer_fmt_t *fmt;
	pfm_ovfl_arg_t *arg;
	struct pfm_format *f;
	const u64 *v;
	void *buf;

	f = pfm_format_get(uuid);
	if (IS_ERR(f)) {
		kunit_mark_skipped(test, "no call chain format");
		return;
	}
	fmt = pfm_format_fmt(f);
	buf = kunit_kzalloc(test, smpl.buf_size, GFP_KERNEL);
	arg = kunit_kzalloc(test, sizeof(*arg), GFP_KERNEL);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, buf);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, arg);
	KUNIT_ASSERT_EQ(test, fmt->fmt_validate(0, 8, &smpl), 0);
	KUNIT_ASSERT_EQ(test, fmt->fmt_init(0, &smpl, buf), 0);
	s = buf + ((pfm_callchain_smpl_hdr_t *)buf)->hdr_cur_offs;
	arg->num_smpl_pmds = 2;
	arg->smpl_pmds_values[0] = 10;
	arg->smpl_pmds_values[1] = 20;
	KUNIT_EXPECT_EQ(test, fmt->fmt_handler(buf, arg, 1, &data), 0);

	v = (const u64 *)(s + 1);
	KUNIT_EXPECT_EQ(test, (int)s->nr_values, 2);
	KUNIT_EXPECT_EQ(test, (int)s->nr_kernel, 1);
	KUNIT_EXPECT_EQ(test, (int)s->nr_user, 2);
	KUNIT_EXPECT_EQ(test, (int)s->size, (int)(sizeof(*s) + 5 * sizeof(u64)));
	KUNIT_EXPECT_EQ(test, v[1], 20ULL);
	KUNIT_EXPECT_EQ(test, v[2], 0x111ULL);
	KUNIT_EXPECT_EQ(test, v[4], 0x333ULL);

	/* The first of the next event has none of it, and leaves its own. */
	s = (const void *)s + s->size;
	data.event = NULL;
	KUNIT_EXPECT_EQ(test, fmt->fmt_handler(buf, arg, 2, &data), 0);
	KUNIT_EXPECT_EQ(test, (int)s->nr_user, 0);
	KUNIT_EXPECT_PTR_EQ(test, data.event, (void *)s);
	pfm_format_put(f);
}

/* Each context that samples has one. */
static void format_test_arg_is_small(struct kunit *test)
{
	KUNIT_EXPECT_LE(test, kmalloc_size_roundup(sizeof(pfm_ovfl_arg_t)), (size_t)1024);
}

static struct kunit_case format_cases[] = {
	KUNIT_CASE(format_test_time_stamps),
	KUNIT_CASE(format_test_switch),
	KUNIT_CASE(format_test_one_chain),
	KUNIT_CASE(format_test_arg_is_small),
	{}
};

static struct kunit_suite format_suite = {
	.name = "perfmon-format",
	.init = format_init,
	.exit = format_exit,
	.test_cases = format_cases,
};
kunit_test_suite(format_suite);
