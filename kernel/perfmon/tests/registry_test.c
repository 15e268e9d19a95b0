// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a format may look like and what it may answer (3.5.7-3.5.15): registration,
 * call-backs that are missing or fail, and answers of the handler that no format of
 * ours gives. The counters are software's, of the thread that runs the test.
 */
#include <linux/mm.h>
#include <linux/sizes.h>

#include "fixture.h"

#define NOTIFY		PFM_REGFL_OVFL_NOTIFY
#define FAULTS		PFM_SW_MINOR_FAULTS
#define UUID(n)		{ 0x72, 0x65, 0x67, 0x69, 0x73, 0x74, 0x72, 0x79, n }

/* What the format answers, and what it was told. */
static struct {
	int validate, getsize, init, exit, restarted;	/* answers */
	size_t size;
	pfm_ovfl_ctrl_t ctrl[2];		/* for counters 0 and 1 */
	pfm_ovfl_ctrl_t restart;
	char calls[64];				/* v, g, i, x: in that order */
	pfm_ovfl_arg_t arg[2];			/* of the last event */
	unsigned int handled;
} reg;

static void reg_called(char c)
{
	reg.calls[strlen(reg.calls)] = c;
}

static int reg_validate(u32 ctx_flags, u16 num_pmds, void *arg)
{
	reg_called('v');
	return reg.validate;
}

static int reg_getsize(u32 ctx_flags, void *arg, size_t *size)
{
	reg_called('g');
	*size = reg.size;
	return reg.getsize;
}

static int reg_init(u32 ctx_flags, void *arg, void *buf)
{
	reg_called('i');
	return reg.init;
}

static int reg_exit(void *buf)
{
	reg_called('x');
	return reg.exit;
}

static int reg_handler(void *buf, pfm_ovfl_arg_t *arg, u64 tstamp, void *data)
{
	unsigned int i = arg->ovfl_pmd - PFM_SW_PMD0;

	reg.handled++;
	reg.arg[i & 1] = *arg;
	arg->ovfl_ctrl = reg.ctrl[i & 1];
	return 0;
}

static int reg_restart(void *buf, int is_active, pfm_ovfl_ctrl_t *ctrl)
{
	*ctrl = reg.restart;
	return reg.restarted;
}

static const pfm_buffer_fmt_t reg_all = {
	.fmt_name = "registry", .fmt_uuid = UUID(1), .fmt_msgq_depth = 3,
	.fmt_validate = reg_validate, .fmt_getsize = reg_getsize,
	.fmt_init = reg_init, .fmt_handler = reg_handler,
	.fmt_restart = reg_restart, .fmt_exit = reg_exit,
};

static const pfm_buffer_fmt_t reg_bare = {
	.fmt_name = "bare", .fmt_uuid = UUID(2), .fmt_handler = reg_handler,
};

static int reg_setup(struct kunit *test)
{
	memset(&reg, 0, sizeof(reg));
	return 0;
}

/* A context with the format, which is registered for it; not opened. */
static struct pfm_context *reg_new(struct kunit *test, u32 flags,
				   const pfm_buffer_fmt_t *fmt)
{
	struct pfm_context *ctx;
	struct pfm_format *f;

	KUNIT_ASSERT_EQ(test, pfm_register_buffer_fmt(fmt), 0);
	f = pfm_format_get(fmt->fmt_uuid);
	KUNIT_ASSERT_FALSE(test, IS_ERR(f));
	ctx = pfm_fixture_new(flags, f);
	KUNIT_ASSERT_FALSE(test, IS_ERR(ctx));
	return ctx;
}

static void reg_end(struct kunit *test, struct pfm_context *ctx,
		    const pfm_buffer_fmt_t *fmt)
{
	irq_work_sync(&ctx->notify_work);
	pfm_context_close(ctx);
	KUNIT_EXPECT_EQ(test, pfm_unregister_buffer_fmt(fmt->fmt_uuid), 0);
}

/* Counters 0 and 1 have a period of 3 faults; both are set up and started. */
static struct pfm_context *reg_start(struct kunit *test, u32 flags, u32 notify)
{
	struct pfm_context *ctx = reg_new(test, flags, &reg_all);
	unsigned int i;

	KUNIT_ASSERT_EQ(test, pfm_format_open(ctx, NULL), 0);
	mutex_lock(&ctx->mutex);
	pfm_fixture_set(ctx, 0, PFM_SETFL_OVFL_SWITCH);
	pfm_fixture_set(ctx, 1, 0);
	for (i = 0; i < 2; i++) {
		pfm_fixture_pmc(ctx, i, FAULTS, notify & BIT(i) ? NOTIFY : 0, 0);
		pfm_fixture_pmd(ctx, i, -3ULL, -50ULL, -20ULL);
	}
	pfm_fixture_pmc(ctx, PFM_FIXTURE_IN(1, 0), FAULTS, 0, 0);
	pfm_fixture_load(ctx);
	pfm_fixture_start(ctx);
	return ctx;
}

static void reg_stop(struct kunit *test, struct pfm_context *ctx)
{
	ctx->state = PFM_UNLOADED;
	ctx->task = NULL;
	mutex_unlock(&ctx->mutex);
	reg_end(test, ctx, &reg_all);
}

static void reg_test_refused(struct kunit *test)
{
	static const char *const names[] = {
		NULL, "", ".", ".hidden", "a/b", "a b", "a\tb", "a\n",
		"a name that has thirty-two chars", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
	};
	pfm_buffer_fmt_t fmt;
	unsigned int i;

	KUNIT_EXPECT_EQ(test, pfm_register_buffer_fmt(NULL), -EINVAL);
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		fmt = reg_all;
		fmt.fmt_name = names[i];
		KUNIT_EXPECT_EQ(test, pfm_register_buffer_fmt(&fmt), -EINVAL);
	}
	fmt = reg_all;
	fmt.fmt_handler = NULL;
	KUNIT_EXPECT_EQ(test, pfm_register_buffer_fmt(&fmt), -EINVAL);
	fmt = reg_all;
	memset(fmt.fmt_uuid, 0, sizeof(fmt.fmt_uuid));
	KUNIT_EXPECT_EQ(test, pfm_register_buffer_fmt(&fmt), -EINVAL);
	for (i = 0; i < 32; i++) {
		fmt = reg_all;
		fmt.fmt_flags = BIT(i);
		if (!(fmt.fmt_flags & (PFM_FMTFL_NOSET | PFM_FMTFL_ARG_SIZE | PFM_FMTFL_FORKS)))
			KUNIT_EXPECT_EQ(test, pfm_register_buffer_fmt(&fmt), -EINVAL);
	}
	/* No room for the size. */
	fmt = reg_all;
	fmt.fmt_flags = PFM_FMTFL_ARG_SIZE;
	fmt.fmt_arg_size = 3;
	KUNIT_EXPECT_EQ(test, pfm_register_buffer_fmt(&fmt), -EINVAL);
	fmt = reg_all;
	fmt.fmt_arg_size = 65537;
	KUNIT_EXPECT_EQ(test, pfm_register_buffer_fmt(&fmt), -EINVAL);
	/* Nothing of that is there. */
	KUNIT_EXPECT_EQ(test, pfm_unregister_buffer_fmt(reg_all.fmt_uuid), -EINVAL);
}

/* One of a name, one of a UUID; and it stays while contexts use it. */
static void reg_test_taken(struct kunit *test)
{
	pfm_buffer_fmt_t name = reg_bare, uuid = reg_bare;
	struct pfm_format *f;

	name.fmt_name = reg_all.fmt_name;
	memcpy(uuid.fmt_uuid, reg_all.fmt_uuid, sizeof(uuid.fmt_uuid));
	KUNIT_ASSERT_EQ(test, pfm_register_buffer_fmt(&reg_all), 0);
	KUNIT_EXPECT_EQ(test, pfm_register_buffer_fmt(&reg_all), -EBUSY);
	KUNIT_EXPECT_EQ(test, pfm_register_buffer_fmt(&name), -EBUSY);
	KUNIT_EXPECT_EQ(test, pfm_register_buffer_fmt(&uuid), -EBUSY);
	KUNIT_EXPECT_EQ(test, pfm_register_buffer_fmt(&reg_bare), 0);
	KUNIT_EXPECT_EQ(test, pfm_unregister_buffer_fmt(reg_bare.fmt_uuid), 0);
	KUNIT_EXPECT_EQ(test, pfm_unregister_buffer_fmt(reg_bare.fmt_uuid), -EINVAL);

	f = pfm_format_get(reg_all.fmt_uuid);
	KUNIT_ASSERT_FALSE(test, IS_ERR(f));
	KUNIT_EXPECT_EQ(test, pfm_unregister_buffer_fmt(reg_all.fmt_uuid), -EBUSY);
	pfm_format_put(f);
	KUNIT_EXPECT_EQ(test, pfm_unregister_buffer_fmt(reg_all.fmt_uuid), 0);
	f = pfm_format_get(reg_all.fmt_uuid);
	KUNIT_EXPECT_EQ(test, PTR_ERR(f), (long)-EINVAL);
}

/* Without call-backs: no buffer, a queue of one, PFM_RESTART resets and goes on. */
static void reg_test_optional(struct kunit *test)
{
	pfm_buffer_fmt_t sized = reg_bare;
	pfm_ovfl_ctrl_t ctrl;
	struct pfm_context *ctx = reg_new(test, 0, &reg_bare);
	unsigned long flags;
	int ret;

	KUNIT_EXPECT_EQ(test, pfm_format_open(ctx, NULL), 0);
	KUNIT_EXPECT_PTR_EQ(test, ctx->buf.addr, NULL);
	KUNIT_EXPECT_EQ(test, ctx->queue.depth, 1U);
	raw_spin_lock_irqsave(&ctx->lock, flags);
	ret = pfm_format_restart(ctx, &ctrl);
	raw_spin_unlock_irqrestore(&ctx->lock, flags);
	KUNIT_EXPECT_EQ(test, ret, 0);
	KUNIT_EXPECT_EQ(test, (int)ctrl.reset_ovfl_pmds, 1);
	KUNIT_EXPECT_EQ(test, (int)ctrl.mask_monitoring, 0);
	reg_end(test, ctx, &reg_bare);

	/* A size alone: the buffer is there, zeroed. */
	sized.fmt_getsize = reg_getsize;
	reg.size = 5000;
	ctx = reg_new(test, 0, &sized);
	KUNIT_EXPECT_EQ(test, pfm_format_open(ctx, NULL), 0);
	KUNIT_ASSERT_PTR_NE(test, ctx->buf.addr, NULL);
	KUNIT_EXPECT_EQ(test, ctx->buf.size, (size_t)PAGE_ALIGN(5000));
	KUNIT_EXPECT_PTR_EQ(test, memchr_inv(ctx->buf.addr, 0, ctx->buf.size), NULL);
	reg_end(test, ctx, &sized);

	ctx = reg_new(test, 0, &reg_all);
	KUNIT_EXPECT_EQ(test, ctx->queue.depth, 3U);
	reg_end(test, ctx, &reg_all);
}

static pfm_buffer_fmt_t reg_private;

/* It is there, zeroed, and the format remembers the context in it. */
static int reg_private_init(u32 ctx_flags, void *arg, void *buf)
{
	unsigned char *priv = pfm_fmt_priv(&reg_private, buf);

	if (!PAGE_ALIGNED(priv) || memchr_inv(priv, 0, PAGE_ALIGN(reg_private.fmt_priv_size)))
		return -EDOM;
	memset(priv, 0xa5, reg_private.fmt_priv_size);
	return reg_init(ctx_flags, arg, buf);
}

/* Nobody else has changed it; what stands before the buffer is all of it. */
static int reg_private_exit(void *buf)
{
	if (!memchr_inv(pfm_fmt_priv(&reg_private, buf), 0xa5, reg_private.fmt_priv_size) &&
	    !memchr_inv(buf, 0, reg.size))
		reg_called('p');
	return 0;
}

/* What a format keeps to itself is not a part of what programs map, but of what it costs. */
static void reg_test_private(struct kunit *test)
{
	static const size_t sizes[] = { 0, 1, PAGE_SIZE, PAGE_SIZE + 1, SZ_1M };
	struct pfm_context *ctx;
	unsigned int i;
	u64 before;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		reg_setup(test);
		reg_private = reg_all;
		reg_private.fmt_init = reg_private_init;
		reg_private.fmt_exit = reg_private_exit;
		reg_private.fmt_priv_size = sizes[i];
		ctx = reg_new(test, 0, &reg_private);
		before = atomic64_read(&pfm_config.smpl_buf_size_cur);
		reg.size = 5000;
		KUNIT_EXPECT_EQ(test, pfm_format_open(ctx, NULL), 0);
		KUNIT_EXPECT_EQ(test, ctx->buf.size, (size_t)PAGE_ALIGN(5000));
		KUNIT_EXPECT_EQ(test, (u64)atomic64_read(&pfm_config.smpl_buf_size_cur),
				before + PAGE_ALIGN(5000) + PAGE_ALIGN(sizes[i]));
		reg_end(test, ctx, &reg_private);
		KUNIT_EXPECT_STREQ(test, reg.calls, "vgip");
		KUNIT_EXPECT_EQ(test, (u64)atomic64_read(&pfm_config.smpl_buf_size_cur),
				before);
	}
	/* There is none without a buffer; and no more of it than that. */
	reg_setup(test);
	reg_private.fmt_init = reg_init;
	reg_private.fmt_exit = reg_exit;
	ctx = reg_new(test, 0, &reg_private);
	KUNIT_EXPECT_EQ(test, pfm_format_open(ctx, NULL), 0);
	KUNIT_EXPECT_PTR_EQ(test, ctx->buf.addr, NULL);
	reg_end(test, ctx, &reg_private);
	KUNIT_EXPECT_STREQ(test, reg.calls, "vgix");
	reg_private.fmt_priv_size++;
	KUNIT_EXPECT_EQ(test, pfm_register_buffer_fmt(&reg_private), -EINVAL);
}

/* Each may refuse; those after it are not called, nor is the end. */
static void reg_test_fails(struct kunit *test)
{
	static const struct { int v, g, i, want; const char *calls; } cases[] = {
		{ 0, 0, 0, 0, "vgix" },
		{ -EDOM, 0, 0, -EDOM, "v" },
		{ 0, -ERANGE, 0, -ERANGE, "vg" },
		{ 0, 0, -ENOSPC, -ENOSPC, "vgi" },
		/* A positive number is no errno. */
		{ EDOM, 0, 0, -EINVAL, "v" },
		{ 0, 7, 0, -EINVAL, "vg" },
		{ 0, 0, 1, -EINVAL, "vgi" },
		/* Nor is one that programs are not to see. */
		{ -ERESTARTSYS, 0, 0, -EIO, "v" },
		{ 0, -100000, 0, -EIO, "vg" },
		{ 0, 0, -EIOCBQUEUED, -EIO, "vgi" },
	};
	struct pfm_context *ctx;
	unsigned int n;

	for (n = 0; n < ARRAY_SIZE(cases); n++) {
		reg_setup(test);
		reg.validate = cases[n].v;
		reg.getsize = cases[n].g;
		reg.init = cases[n].i;
		ctx = reg_new(test, 0, &reg_all);
		KUNIT_EXPECT_EQ(test, pfm_format_open(ctx, NULL), cases[n].want);
		reg_end(test, ctx, &reg_all);
		KUNIT_EXPECT_STREQ(test, reg.calls, cases[n].calls);
	}
}

/* The end comes, whatever the format says to it (3.5.13). */
static void reg_test_exit(struct kunit *test)
{
	struct pfm_context *ctx = reg_new(test, 0, &reg_all);
	u64 before = atomic64_read(&pfm_config.smpl_buf_size_cur);

	reg.exit = -EBUSY;
	reg.size = 5000;
	KUNIT_EXPECT_EQ(test, pfm_format_open(ctx, NULL), 0);
	KUNIT_EXPECT_NE(test, (u64)atomic64_read(&pfm_config.smpl_buf_size_cur), before);
	reg_end(test, ctx, &reg_all);
	KUNIT_EXPECT_STREQ(test, reg.calls, "vgix");
	KUNIT_EXPECT_EQ(test, (u64)atomic64_read(&pfm_config.smpl_buf_size_cur), before);
}

/* The argument is subject to the administrator's limit, as a vector is. */
static void reg_test_argument(struct kunit *test)
{
	const u64 limit = READ_ONCE(pfm_config.arg_size_max);
	pfm_buffer_fmt_t fmt = reg_all;
	struct pfm_context *ctx;

	/* The limit is a page at first, and some machines' have 65536 bytes. */
	fmt.fmt_arg_size = 65536;
	ctx = reg_new(test, 0, &fmt);
	WRITE_ONCE(pfm_config.arg_size_max, 65535);
	KUNIT_EXPECT_EQ(test, pfm_format_open(ctx, NULL), -E2BIG);
	WRITE_ONCE(pfm_config.arg_size_max, limit);
	reg_end(test, ctx, &fmt);
	KUNIT_EXPECT_STREQ(test, reg.calls, "");
}

/* 3.7.7: a format that knows one set only. */
static void reg_test_noset(struct kunit *test)
{
	pfm_buffer_fmt_t fmt = reg_bare;
	pfarg_setdesc_t desc = { .set_id = 1 };
	struct pfm_context *ctx;

	fmt.fmt_flags = PFM_FMTFL_NOSET;
	ctx = reg_new(test, 0, &fmt);
	KUNIT_EXPECT_EQ(test, pfm_format_open(ctx, NULL), 0);
	mutex_lock(&ctx->mutex);
	KUNIT_EXPECT_EQ(test, pfm_set_create(ctx, &desc), -EINVAL);
	KUNIT_EXPECT_EQ(test, desc.set_flags, PFM_SET_RETFL_EINVAL);
	KUNIT_EXPECT_PTR_EQ(test, pfm_set_find(ctx, 1), NULL);
	/* Set 0 is there, and can be changed. */
	desc = (pfarg_setdesc_t){ .set_flags = PFM_SETFL_OVFL_SWITCH };
	KUNIT_EXPECT_EQ(test, pfm_set_create(ctx, &desc), 0);
	mutex_unlock(&ctx->mutex);
	reg_end(test, ctx, &fmt);
}

/* The counter's value, and what to record with it, event by event. */
static void reg_test_told(struct kunit *test)
{
	pfarg_pmc_t req = { .reg_num = PFM_SW_PMC0, .reg_value = FAULTS };
	const unsigned int w = PFM_SW_PMD0 / 64, b = PFM_SW_PMD0 % 64;
	struct pfm_context *ctx;
	unsigned int n;

	reg.ctrl[0].reset_ovfl_pmds = reg.ctrl[1].reset_ovfl_pmds = 1;
	ctx = reg_start(test, 0, BIT(1));
	pfm_fixture_pmd(ctx, 1, 1000, 0, 0);
	for (n = 0; n < 4; n++) {
		/* Other registers each time. */
		req.reg_smpl_pmds[w] = n ? (u64)n << b | 2ULL << b : 0;
		req.reg_smpl_eventid = 100 + n;
		KUNIT_ASSERT_EQ(test, pfm_fixture_write_pmc(ctx, &req), 0);
		pfm_fixture_pmd(ctx, 0, -3ULL, -50ULL, -20ULL);
		/* Several at once: it has gone on beyond its end. */
		current->min_flt += 4 + n;
		pfm_fixture_faults(ctx, 1);
		KUNIT_EXPECT_EQ(test, reg.handled, n + 1);
		KUNIT_EXPECT_EQ(test, reg.arg[0].pmd_value, 2ULL + n);
		KUNIT_EXPECT_EQ(test, reg.arg[0].pmd_last_reset, -3ULL);
		KUNIT_EXPECT_EQ(test, reg.arg[0].pmd_eventid, 100ULL + n);
		KUNIT_EXPECT_EQ(test, reg.arg[0].smpl_pmds[w], req.reg_smpl_pmds[w]);
		KUNIT_EXPECT_EQ(test, reg.arg[0].smpl_pmds[0], 0ULL);
		KUNIT_EXPECT_EQ(test, (unsigned int)reg.arg[0].num_smpl_pmds,
				hweight64(req.reg_smpl_pmds[w]));
		if (n)
			KUNIT_EXPECT_EQ(test, reg.arg[0].smpl_pmds_values[n & 1],
					pfm_fixture_read(ctx, 1));
		KUNIT_EXPECT_EQ(test, (int)reg.arg[0].ovfl_notify, 0);
		KUNIT_EXPECT_EQ(test, pfm_fixture_read(ctx, 0), -20ULL);
	}
	reg_stop(test, ctx);
}

/* One is reset at once, the other one waits for PFM_RESTART (3.5.14). */
static void reg_test_reset_one_of_two(struct kunit *test)
{
	unsigned int which;

	for (which = 0; which < 2; which++) {
		static const struct { int answer, want; } refusals[] = {
			{ -EDOM, -EDOM }, { 7, -EINVAL }, { -ERESTARTSYS, -EIO },
		};
		struct pfm_context *ctx;
		unsigned int i;

		reg_setup(test);
		reg.ctrl[which].reset_ovfl_pmds = 1;
		reg.restart.reset_ovfl_pmds = 1;
		ctx = reg_start(test, 0, 0);
		pfm_fixture_faults(ctx, 5);
		KUNIT_EXPECT_EQ(test, reg.handled, 2U);
		KUNIT_EXPECT_EQ(test, pfm_fixture_read(ctx, which), -18ULL);
		KUNIT_EXPECT_EQ(test, pfm_fixture_read(ctx, !which), 2ULL);
		KUNIT_EXPECT_EQ(test, (int)ctx->state, (int)PFM_LOADED);
		for (i = 0; i < ARRAY_SIZE(refusals); i++) {
			reg.restarted = refusals[i].answer;
			KUNIT_EXPECT_EQ(test, pfm_fixture_restart(ctx), refusals[i].want);
			KUNIT_EXPECT_EQ(test, pfm_fixture_read(ctx, !which), 2ULL);
		}
		reg.restarted = 0;
		KUNIT_EXPECT_EQ(test, pfm_fixture_restart(ctx), 0);
		/* What was reset is not reset again. */
		KUNIT_EXPECT_EQ(test, pfm_fixture_read(ctx, which), -18ULL);
		KUNIT_EXPECT_EQ(test, pfm_fixture_read(ctx, !which), -50ULL);
		reg_stop(test, ctx);
	}
}

/* Each bit needs one answer, of whichever counter; and 3.6.5's any one asks. */
static void reg_test_one_of_two_answers(struct kunit *test)
{
	unsigned int which, asks;

	for (which = 0; which < 2; which++) {
		for (asks = 0; asks < 4; asks++) {
			struct pfm_context *ctx;

			reg_setup(test);
			reg.ctrl[which] = (pfm_ovfl_ctrl_t){
				.notify_user = 1, .block_thread = 1,
				.mask_monitoring = 1,
			};
			reg.ctrl[!which].reset_ovfl_pmds = 1;
			ctx = reg_start(test, PFM_FL_NOTIFY_BLOCK, asks);
			pfm_fixture_faults(ctx, 3);
			KUNIT_EXPECT_EQ(test, reg.handled, 2U);
			KUNIT_EXPECT_EQ(test, (int)reg.arg[which].event_notify,
					!!asks);
			KUNIT_EXPECT_EQ(test, (int)ctx->state, (int)PFM_MASKED);
			KUNIT_EXPECT_TRUE(test, ctx->blocked);
			KUNIT_EXPECT_EQ(test, pfm_message_count(&ctx->queue),
					asks ? 1U : 0U);
			/* "Masking has priority over reset." */
			KUNIT_EXPECT_EQ(test, pfm_fixture_read(ctx, !which), 0ULL);
			reg_stop(test, ctx);
		}
	}
}

/* A PFM_RESTART that stays masked leaves the switch due; the next one makes it. */
static void reg_test_deferred_switch(struct kunit *test)
{
	struct pfm_context *ctx;

	reg.ctrl[0] = (pfm_ovfl_ctrl_t){ .mask_monitoring = 1, .block_thread = 1 };
	reg.restart.mask_monitoring = 1;
	ctx = reg_start(test, PFM_FL_NOTIFY_BLOCK, 0);
	pfm_fixture_trigger(ctx, 0, -3ULL, -50ULL, -20ULL, 1);
	pfm_fixture_faults(ctx, 3);
	KUNIT_EXPECT_EQ(test, (int)ctx->state, (int)PFM_MASKED);
	KUNIT_EXPECT_TRUE(test, ctx->blocked);
	KUNIT_EXPECT_EQ(test, pfm_fixture_restart(ctx), 0);
	KUNIT_EXPECT_EQ(test, (int)ctx->state, (int)PFM_MASKED);
	KUNIT_EXPECT_FALSE(test, ctx->blocked);
	KUNIT_EXPECT_EQ(test, (int)ctx->set->id, 0);
	reg.restart = (pfm_ovfl_ctrl_t){ .reset_ovfl_pmds = 1 };
	KUNIT_EXPECT_EQ(test, pfm_fixture_restart(ctx), 0);
	KUNIT_EXPECT_EQ(test, (int)ctx->state, (int)PFM_LOADED);
	KUNIT_EXPECT_EQ(test, (int)ctx->set->id, 1);
	pfm_fixture_faults(ctx, 4);
	KUNIT_EXPECT_EQ(test, pfm_fixture_read(ctx, PFM_FIXTURE_IN(1, 0)), 4ULL);
	reg_stop(test, ctx);
}

static struct kunit_case reg_cases[] = {
	KUNIT_CASE(reg_test_refused),
	KUNIT_CASE(reg_test_taken),
	KUNIT_CASE(reg_test_optional),
	KUNIT_CASE(reg_test_private),
	KUNIT_CASE(reg_test_fails),
	KUNIT_CASE(reg_test_exit),
	KUNIT_CASE(reg_test_argument),
	KUNIT_CASE(reg_test_noset),
	KUNIT_CASE(reg_test_told),
	KUNIT_CASE(reg_test_reset_one_of_two),
	KUNIT_CASE(reg_test_one_of_two_answers),
	KUNIT_CASE(reg_test_deferred_switch),
	{}
};

static struct kunit_suite reg_suite = {
	.name = "perfmon-registry",
	.init = reg_setup,
	.test_cases = reg_cases,
};
kunit_test_suite(reg_suite);
