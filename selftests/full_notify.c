// SPDX-License-Identifier: GPL-2.0-only
/*
 * Whether a full buffer is told does not depend on which of the counters fills
 * it (3.6.5: "only if any one of the overflowed PMD registers has the
 * PFM_REGFL_OVFL_NOTIFY flag set").
 *
 * Two counters overflow with each fault. One of them asks for a notification.
 * Either of them takes the sample that fills the buffer, depending on the
 * buffer's size. The program gets the message, and the thread is blocked if
 * the context says so, in each case; and in none if neither of them asks.
 *
 * Not here: counters that overflow alone (smpl.c, double.c, call*.c).
 */
#include "sampling.h"
#include <perfmon/calldouble_smpl.h>
#include <perfmon/double_smpl.h>
#include <perfmon/aggregate_smpl.h>

#define MAX_SAMPLES	6U

/* A buffer of @format in which about @n samples fill what is to be told of. */
static int create(const char *format, u32 ctx_flags, u64 n)
{
	static const pfm_uuid_t double_uuid = PFM_DOUBLE_SMPL_UUID;
	static const pfm_uuid_t chain_uuid = PFM_CALLCHAIN_SMPL_UUID;
	static const pfm_uuid_t call_uuid = PFM_CALLDOUBLE_SMPL_UUID;
	u64 room = max_sample() + (n - 1) * sizeof(dfl_entry_t);
	pfm_double_smpl_arg_t twice = {
		.buf_size = sizeof(pfm_double_smpl_hdr_t) + 2 * room,
		.buf_flags = PFM_DOUBLE_SMPL_MASK_WHEN_FULL,
	};
	pfm_callchain_smpl_arg_t chain = {
		.buf_size = sizeof(pfm_callchain_smpl_hdr_t) +
			    n * sizeof(pfm_callchain_smpl_sample_t) +
			    8 * num_impl_pmds(),
	};

	pfm_calldouble_smpl_arg_t call = {
		.arg_size = sizeof(call),
		.buf_size = sizeof(pfm_calldouble_smpl_hdr_t) +
			    2 * (sizeof(pfm_callchain_smpl_lost_t) +
				 n * sizeof(pfm_callchain_smpl_sample_t) +
				 8 * num_impl_pmds()),
		.buf_flags = PFM_CALLDOUBLE_SMPL_MASK_WHEN_FULL,
	};

	if (!strcmp(format, "default"))
		return dfl_create(ctx_flags, sizeof(dfl_hdr_t) + room, 0, NULL);
	if (!strcmp(format, "double"))
		return smpl_create(double_uuid, ctx_flags, &twice,
				   sizeof(twice), NULL);
	if (!strcmp(format, "calldouble"))
		return smpl_create(call_uuid, ctx_flags, &call, sizeof(call), NULL);
	return smpl_create(chain_uuid, ctx_flags, &chain, sizeof(chain), NULL);
}

/* Counter @i asks to be told if bit i of @who is set. Started on @tid. */
static int sample(const char *format, u32 ctx_flags, u64 n, u32 who, pid_t tid)
{
	int fd = (int)MUST(create(format, ctx_flags, n)), i;

	set_nonblock(fd);
	for (i = 0; i < 2; i++)
		sample_faults(fd, i, 1, who >> i & 1 ? NOTIFY : 0, 0);
	attach(fd, tid);
	return fd;
}

/* The messages in the queue, of which each names both counters. */
static unsigned int messages(int fd)
{
	unsigned int n = 0;
	pfm_msg_t msg;

	while (pfm_next_msg(fd, &msg, 0) == PFM_MSG_OVFL) {
		if (!vec_test(msg.pfm_ovfl_msg.msg_ovfl_pmds, SW_PMD(0)) ||
		    !vec_test(msg.pfm_ovfl_msg.msg_ovfl_pmds, SW_PMD(1)))
			die("a message that does not name both counters");
		n++;
	}
	return n;
}

FIXTURE(full) {
	struct format_module m;
	struct puppet p;
};

FIXTURE_VARIANT(full) {
	const char *format;
	unsigned int messages;		/* until it is masked */
};

FIXTURE_VARIANT_ADD(full, dfl) { .format = "default", .messages = 1 };
FIXTURE_VARIANT_ADD(full, twice) { .format = "double", .messages = 2 };
FIXTURE_VARIANT_ADD(full, calldouble) { .format = "calldouble", .messages = 2 };
FIXTURE_VARIANT_ADD(full, callchain) { .format = "callchain", .messages = 1 };

FIXTURE_SETUP(full)
{
	format_get(&self->m, variant->format);
	puppet_start(&self->p, PUPPET_PROCESS);
	puppet_do(&self->p, OP_FAULT, PUPPET_PAGES + 1);
}

FIXTURE_TEARDOWN(full)
{
	puppet_stop(&self->p);
	format_put(&self->m);
}

/* Each room for samples, with each choice of counters that ask, is tried by @one. */
static void each(struct __test_metadata *_metadata, u32 ctx_flags,
		 FIXTURE_DATA(full) *f, const FIXTURE_VARIANT(full) *v,
		 void (*one)(struct __test_metadata *_metadata,
			     FIXTURE_DATA(full) *f, int fd,
			     unsigned int messages))
{
	unsigned int n;
	u32 who;
	int fd;

	for (n = 2; n <= MAX_SAMPLES; n++) {
		for (who = 0; who < 4; who++) {
			fd = sample(v->format, ctx_flags, n, who, f->p.tid);
			one(_metadata, f, fd, who ? v->messages : 0);
			if (!_metadata->passed) {
				TH_LOG("room for %u, counters %#x ask", n, who);
			}
			close(fd);
		}
	}
}

static void told(struct __test_metadata *_metadata, FIXTURE_DATA(full) *f,
		 int fd, unsigned int wanted)
{
	puppet_do(&f->p, OP_FAULT, 2 * MAX_SAMPLES);
	EXPECT_TRUE(pfm_state_is(fd, "masked"));
	EXPECT_EQ(wanted, messages(fd));
}

TEST_F(full, is_told_whoever_fills_it)
{
	NEED_FORMAT(&self->m);
	each(_metadata, 0, self, variant, told);
}

static void blocked(struct __test_metadata *_metadata, FIXTURE_DATA(full) *f,
		    int fd, unsigned int wanted)
{
	puppet_post(&f->p, OP_FAULT, 2 * MAX_SAMPLES);
	if (wanted) {
		/* It rests before it begins, too. */
		while (!pfm_state_is(fd, "masked"))
			sleep_ms(1);
		wait_rest(f->p.tid, "DIS");
		EXPECT_FALSE(puppet_done(&f->p, 5));
		EXPECT_EQ(wanted, messages(fd));
		MUST(pfm_unload(fd));
	}
	/* Silently saturated, it runs on. */
	ASSERT_TRUE(puppet_done(&f->p, PATIENCE));
}

TEST_F(full, blocks_whoever_fills_it)
{
	NEED_FORMAT(&self->m);
	each(_metadata, PFM_FL_NOTIFY_BLOCK, self, variant, blocked);
}

/* The table is full: said once, whichever of the counters was the last. */
TEST(aggregate_is_told_once)
{
	static const pfm_uuid_t uuid = PFM_AGGREGATE_SMPL_UUID;
	pfm_aggregate_smpl_arg_t arg = {
		.buf_slots = PFM_AGGREGATE_SMPL_MIN_SLOTS,
	};
	struct format_module m;
	struct pages pages;
	int fd, who;

	format_get(&m, "aggregate");
	NEED_FORMAT(&m);
	for (who = 0; who < 3; who++) {
		const pfm_aggregate_smpl_hdr_t *h;
		u64 size, eventid;

		fd = (int)MUST(smpl_create(uuid, 0, &arg, sizeof(arg), &size));
		h = buf_map(fd, size);
		set_nonblock(fd);
		pages_map(&pages, 1000);
		MUST(pfm_load(fd, my_tid()));
		MUST(pfm_start(fd));
		/* New event identifiers make new entries, two with each fault. */
		for (eventid = 0; eventid < 100; eventid++) {
			int i;

			for (i = 0; i < 2; i++) {
				pfarg_pmc_t pmc = {
					.reg_num = (__u16)SW_PMC(i),
					.reg_value = FAULTS,
					.reg_flags = who == i ? NOTIFY : 0,
					.reg_smpl_eventid = eventid,
				};

				MUST(pfm_write_period(fd, SW_PMD(i), -1ULL,
						      -1ULL, -1ULL));
				MUST(pfm(fd, PFM_WRITE_PMCS, &pmc, 1));
			}
			pages_touch(&pages, 1);
			for (i = 0; i < 2; i++)
				MUST(pfm_write_pmc(fd, SW_PMC(i), 0, 0));
		}
		EXPECT_LT(h->hdr_mark - 1, h->hdr_used);
		EXPECT_EQ(who < 2 ? 1U : 0U, messages(fd)) {
			TH_LOG("counter %d asks", who);
		}
		EXPECT_EQ(who < 2 ? PFM_AGGREGATE_SMPL_TOLD :
			  PFM_AGGREGATE_SMPL_FULL, h->hdr_state);
		close(fd);
	}
	format_put(&m);
}

TEST_HARNESS_MAIN
