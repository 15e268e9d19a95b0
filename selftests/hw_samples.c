// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sampling formats that are called in the overflow interrupt of a hardware counter
 * (an NMI on most of these processors): how many samples come, where they say that
 * the thread was, and what is in them; random periods, registers that are reset
 * with a sample, silent counters beside notifying ones, a full buffer.
 *
 * Not here: the formats themselves (smpl_*.c, double.c, aggregate.c, call*.c).
 */
#include "hw_bench.h"
#include "sampling.h"
#include <perfmon/aggregate_smpl.h>
#include <perfmon/callaggregate_smpl.h>
#include <perfmon/calldouble_smpl.h>
#include <perfmon/double_smpl.h>

#define RANDOM	PFM_REGFL_RANDOM
#define PERIOD	10007ULL
#define TURNS	500000UL
#define ROOM	(1 << 20)

static const struct hw_more nothing_more;

static bool in_loop(u64 ip)
{
	u64 begin = code_of(hw_loop);

	return ip >= begin && ip < begin + 32;
}

/* Nearly all of @n samples are in the loop, since nearly all instructions are. */
#define EXPECT_IN_LOOP(in, n)	EXPECT_LE((n) - (n) / 20, (u64)(in))

/*
 * All of @n samples of a counter that counts at user level are there, too, but for those whose
 * interrupt was held off by another one, as it can be on PowerPC. On x86 one of 999 was in the
 * kernel in one run on EPYC, and none in 24 more: why is not known.
 */
#define EXPECT_USER_LEVEL(at_user, n)	EXPECT_LE((n) - (hw_is_ppc() ? (n) / 20 : 1), at_user)

/* As many samples as periods in @total events. */
#define EXPECT_SAMPLES(total, period, n)				\
do {									\
	u64 __max = (total) / (period), __n = (n);			\
									\
	EXPECT_GE(__max, __n);						\
	EXPECT_LE(set_skid(0) ? __max : __max / 2, __n);		\
} while (0)

static void start_sampling(int fd, unsigned long n)
{
	MUST(pfm_load(fd, my_tid()));
	run(fd, n);
}

TEST(default_format)
{
	const dfl_entry_t *e;
	struct sampler s;
	u64 total, i, in = 0, last = 0;

	NEED_HW_INTERRUPT();
	total = hw_total(TURNS);
	sampler_open(&s, 0, ROOM, 0);
	hw_counter_more(s.fd, 0, 0, 0, PERIOD, &nothing_more);
	start_sampling(s.fd, TURNS);
	EXPECT_SAMPLES(total, PERIOD, s.hdr->hdr_count);
	for (i = 0; i < s.hdr->hdr_count; i++) {
		e = nth(&s, i, 0);
		in += in_loop(e->ip);
		EXPECT_EQ(my_tid(), e->tid);
		EXPECT_EQ(getpid(), e->pid);
		EXPECT_EQ(hw_find()->pmd(0, HW_INSTRUCTIONS), e->ovfl_pmd);
		EXPECT_EQ(-PERIOD, e->last_reset_val);
		/* "A constantly increasing time stamp" (3.5.14). */
		EXPECT_LT(last, e->tstamp);
		last = e->tstamp;
	}
	EXPECT_IN_LOOP(in, s.hdr->hdr_count);
	sampler_close(&s);
}

/* What a sample records, and what is reset with it: of this period alone. */
TEST(reset_pmds)
{
	struct hw_more more = {};
	struct sampler s;
	u64 total, i;

	NEED_HW_INTERRUPT();
	total = hw_total(TURNS);
	sampler_open(&s, 0, ROOM, 0);
	vec_set(more.smpl_pmds, hw_find()->pmd(1, HW_INSTRUCTIONS));
	vec_set(more.reset_pmds, hw_find()->pmd(1, HW_INSTRUCTIONS));
	hw_counter_more(s.fd, 0, 0, 0, PERIOD, &more);
	hw_counter(s.fd, 0, 1, HW_INSTRUCTIONS, HW_USER, 0, 0);
	start_sampling(s.fd, TURNS);
	EXPECT_SAMPLES(total, PERIOD, s.hdr->hdr_count);
	for (i = 0; i < s.hdr->hdr_count; i++) {
		u64 v = *values_of(nth(&s, i, 1));

		EXPECT_LE(PERIOD, v);
		EXPECT_GE(PERIOD + HW_LATE, v);
		if (set_skid(0))
			EXPECT_EQ(PERIOD, v);
	}
	/* It stands where the last, unfinished, period does. */
	if (set_skid(0))
		EXPECT_EQ(total % PERIOD, hw_value(s.fd, 0, 1, HW_INSTRUCTIONS));
	EXPECT_GT(PERIOD, hw_value(s.fd, 0, 1, HW_INSTRUCTIONS));
	sampler_close(&s);
}

/* Each period is what the sample says that it was. */
TEST(random_periods)
{
	struct hw_more more = { .random_mask = 0xfff, .random_seed = 4711 };
	u64 total, sum = 0, i, v, last = 0, differ = 0;
	struct sampler s;

	NEED_HW_INTERRUPT();
	total = hw_total(TURNS);
	sampler_open(&s, 0, ROOM, 0);
	hw_counter_more(s.fd, 0, 0, RANDOM, PERIOD, &more);
	start_sampling(s.fd, TURNS);
	ASSERT_LT(20ULL, s.hdr->hdr_count);
	for (i = 0; i < s.hdr->hdr_count; i++) {
		v = -nth(&s, i, 0)->last_reset_val;
		/* The first one was written, not drawn. */
		EXPECT_GE(PERIOD, v);
		EXPECT_LE(PERIOD - (i ? 0xfff : 0), v);
		differ += v != last;
		last = v;
		sum += v;
	}
	EXPECT_LE(s.hdr->hdr_count - s.hdr->hdr_count / 8, differ);
	/* And the one that is not over yet. */
	v = hw_value(s.fd, 0, 0, HW_INSTRUCTIONS) - last_reset_of(s.fd, 0);
	EXPECT_EVENTS(total, sum + v, s.hdr->hdr_count);
	sampler_close(&s);
}

/*
 * Counter 0 is silent, counter 1 asks for a message when the buffer is full.
 * Samples of both are in it, each at its own period.
 */
TEST(silent_and_notifying)
{
	const u64 periods[] = { 7001, 10007 };
	u64 i, of[2] = {}, both;
	unsigned int k, rounds, told = 0;
	struct sampler s;

	NEED_HW_INTERRUPT();
	sampler_open(&s, 0, dfl_min_size() + 20 * sizeof(dfl_entry_t), 0);
	for (k = 0; k < 2; k++)
		hw_counter_more(s.fd, 0, k, k ? NOTIFY : 0, periods[k],
				&nothing_more);
	MUST(pfm_load(s.fd, my_tid()));
	MUST(pfm_start(s.fd));
	for (rounds = 0; rounds < 40; rounds++) {
		while (!pfm_state_is(s.fd, "masked"))
			hw_loop(10000);
		for (i = 0; i < s.hdr->hdr_count; i++)
			of[nth(&s, i, 0)->ovfl_pmd ==
			   hw_find()->pmd(1, HW_INSTRUCTIONS)]++;
		/* Told if the counter that asks has filled it. */
		i = s.hdr->hdr_count - 1;
		k = nth(&s, i, 0)->ovfl_pmd == hw_find()->pmd(1, HW_INSTRUCTIONS);
		EXPECT_EQ(k ? 1ULL : 0, pfm_fdinfo_num(s.fd, "pfm-queued"));
		told += pfm_next_msg(s.fd, NULL, 0) == PFM_MSG_OVFL;
		MUST(pfm_restart(s.fd));
	}
	both = of[0] + of[1];
	TH_LOG("%llu and %llu samples, told %u of 40 times", of[0], of[1], told);
	EXPECT_LT(0U, told);
	EXPECT_GT(40U, told);
	/* Their shares are those of their periods' inverses. */
	EXPECT_LE(both * periods[1] / (periods[0] + periods[1]) - both / 10, of[0]);
	EXPECT_GE(both * periods[1] / (periods[0] + periods[1]) + both / 10, of[0]);
	sampler_close(&s);
}

/* Samples are whole and in order while the program empties half after half. */
TEST(double_format)
{
	static const pfm_uuid_t uuid = PFM_DOUBLE_SMPL_UUID;
	pfm_double_smpl_arg_t arg = { .buf_size = 16384 };
	const pfm_double_smpl_hdr_t *h;
	struct format_module m;
	u64 total, size, told = 0, i;
	int fd, runs;

	NEED_HW_INTERRUPT();
	format_get(&m, "double");
	NEED_FORMAT(&m);
	total = hw_total(10 * TURNS);
	for (runs = 0; runs < HW_RUNS; runs++) {
		fd = (int)MUST(smpl_create(uuid, 0, &arg, sizeof(arg), &size));
		h = buf_map(fd, size);
		set_nonblock(fd);
		hw_counter_more(fd, 0, 0, NOTIFY, PERIOD, &nothing_more);
		start_sampling(fd, 10 * TURNS);
		if (!hw_stormy(fd))
			break;
		munmap((void *)h, (size_t)size);
		close(fd);
	}
	ASSERT_GT(HW_RUNS, runs);
	EXPECT_SAMPLES(total, PERIOD, h->hdr_samples);
	/* The program has not emptied it: the kernel goes on in the other half. */
	EXPECT_LT(1ULL, h->hdr_overflows);
	while (pfm_next_msg(fd, NULL, 0))
		told++;
	EXPECT_EQ(1ULL, told);
	EXPECT_TRUE(pfm_state_is(fd, "loaded"));
	for (i = 0; i < 2; i++) {
		const pfm_double_smpl_half_t *half = &h->hdr_half[i];
		const dfl_entry_t *e = (const void *)((const char *)h +
						      half->half_offs);
		u64 k;

		for (k = 0; k < half->half_count; k++) {
			EXPECT_EQ(my_tid(), e[k].tid);
			EXPECT_EQ(-PERIOD, e[k].last_reset_val);
		}
	}
	EXPECT_EQ(h->hdr_samples, h->hdr_lost + h->hdr_half[0].half_count +
		  h->hdr_half[1].half_count);
	close(fd);
	format_put(&m);
}

/* All samples are in the table, most of them in the entries of the loop. */
TEST(aggregate_format)
{
	static const pfm_uuid_t uuid = PFM_AGGREGATE_SMPL_UUID;
	pfm_aggregate_smpl_arg_t arg = { .buf_slots = 1024 };
	const pfm_aggregate_smpl_entry_t *e;
	const pfm_aggregate_smpl_hdr_t *h;
	struct hw_more more = { .eventid = 0x123456789abcdefULL };
	u64 total, size, sum = 0, in = 0;
	struct format_module m;
	unsigned int i;
	int fd, runs;

	NEED_HW_INTERRUPT();
	format_get(&m, "aggregate");
	NEED_FORMAT(&m);
	total = hw_total(10 * TURNS);
	for (runs = 0; runs < HW_RUNS; runs++) {
		fd = (int)MUST(smpl_create(uuid, 0, &arg, sizeof(arg), &size));
		h = buf_map(fd, size);
		hw_counter_more(fd, 0, 0, 0, PERIOD, &more);
		start_sampling(fd, 10 * TURNS);
		if (!hw_stormy(fd))
			break;
		munmap((void *)h, (size_t)size);
		close(fd);
	}
	ASSERT_GT(HW_RUNS, runs);
	e = (const void *)(h + 1);
	for (i = 0; i < h->hdr_slots; i++) {
		if (e[i].ent_gen != h->hdr_gen)
			continue;
		sum += e[i].ent_count;
		in += in_loop(e[i].ent_ip) ? e[i].ent_count : 0;
		EXPECT_EQ(more.eventid, e[i].ent_eventid);
		EXPECT_EQ(getpid(), e[i].ent_pid);
	}
	EXPECT_EQ(0ULL, h->hdr_lost);
	EXPECT_EQ(h->hdr_samples, sum);
	EXPECT_SAMPLES(total, PERIOD, sum);
	EXPECT_IN_LOOP(in, sum);
	close(fd);
	format_put(&m);
}

/* A chain is found in an NMI, and begins where the thread was. */
TEST(callchain_format)
{
	static const pfm_uuid_t uuid = PFM_CALLCHAIN_SMPL_UUID;
	pfm_callchain_smpl_arg_t arg = {
		.buf_size = ROOM,
		.buf_flags = PFM_CALLCHAIN_SMPL_USER | PFM_CALLCHAIN_SMPL_KERNEL,
	};
	const pfm_callchain_smpl_hdr_t *h;
	u64 total, size, i, in = 0, chains = 0, at_user = 0;
	struct format_module m;
	const char *pos;
	int fd;

	NEED_HW_INTERRUPT();
	format_get(&m, "callchain");
	NEED_FORMAT(&m);
	total = hw_total(TURNS);
	fd = (int)MUST(smpl_create(uuid, 0, &arg, sizeof(arg), &size));
	h = buf_map(fd, size);
	hw_counter_more(fd, 0, 0, 0, PERIOD, &nothing_more);
	start_sampling(fd, TURNS);
	EXPECT_SAMPLES(total, PERIOD, h->hdr_count);
	pos = (const char *)(h + 1);
	for (i = 0; i < h->hdr_count; i++) {
		const pfm_callchain_smpl_sample_t *e = (const void *)pos;

		ASSERT_EQ(PFM_CALLCHAIN_SMPL_SAMPLE, e->type);
		EXPECT_EQ(my_tid(), e->tid);
		at_user += !e->nr_kernel;
		in += in_loop(e->ip);
		chains += e->nr_user &&
			  ((const u64 *)(e + 1))[e->nr_values] == e->ip;
		pos += e->size;
	}
	EXPECT_EQ(h->hdr_cur_offs, (u64)(pos - (const char *)h));
	EXPECT_IN_LOOP(in, h->hdr_count);
	EXPECT_IN_LOOP(chains, h->hdr_count);
	EXPECT_USER_LEVEL(at_user, h->hdr_count);
	EXPECT_EQ(0ULL, h->hdr_lost);
	close(fd);
	format_put(&m);
}

/* Half after half in NMIs, none of which the program looks at before the end. */
TEST(calldouble_format)
{
	static const pfm_uuid_t uuid = PFM_CALLDOUBLE_SMPL_UUID;
	pfm_calldouble_smpl_arg_t arg = {
		.arg_size = sizeof(arg), .buf_size = 65536, .buf_max_depth = 4,
		.buf_flags = PFM_CALLCHAIN_SMPL_USER | PFM_CALLCHAIN_SMPL_KERNEL,
	};
	const pfm_calldouble_smpl_hdr_t *h;
	u64 total, size, in = 0, n = 0, lost = 0, at_user = 0;
	struct format_module m;
	int fd, i;

	NEED_HW_INTERRUPT();
	format_get(&m, "calldouble");
	NEED_FORMAT(&m);
	total = hw_total(10 * TURNS);
	fd = (int)MUST(smpl_create(uuid, 0, &arg, sizeof(arg), &size));
	h = buf_map(fd, size);
	hw_counter_more(fd, 0, 0, 0, PERIOD, &nothing_more);
	start_sampling(fd, 10 * TURNS);
	EXPECT_SAMPLES(total, PERIOD, h->hdr_samples);
	for (i = 0; i < 2; i++) {
		const pfm_calldouble_smpl_half_t *half = &h->hdr_half[i];
		const char *pos = (const char *)h + half->half_begin;

		for (; pos < (const char *)h + half->half_end; n++) {
			const pfm_callchain_smpl_sample_t *e = (const void *)pos;

			ASSERT_EQ(PFM_CALLCHAIN_SMPL_SAMPLE, e->type);
			EXPECT_EQ(my_tid(), e->tid);
			at_user += !e->nr_kernel;
			in += in_loop(e->ip);
			pos += e->size;
		}
	}
	lost = h->hdr_gap.samples;
	EXPECT_EQ(lost, h->hdr_lost);
	EXPECT_EQ(h->hdr_samples, n + lost);
	EXPECT_IN_LOOP(in, n);
	EXPECT_USER_LEVEL(at_user, n);
	close(fd);
	format_put(&m);
}

/* Chains are looked for, kept and counted in NMIs. */
TEST(callaggregate_format)
{
	static const pfm_uuid_t uuid = PFM_CALLAGGREGATE_SMPL_UUID;
	pfm_callaggregate_smpl_arg_t arg = {
		.arg_size = sizeof(arg), .buf_slots = 1024, .buf_words = 65536,
		.buf_flags = PFM_CALLCHAIN_SMPL_USER | PFM_CALLCHAIN_SMPL_KERNEL,
	};
	const pfm_callaggregate_smpl_entry_t *e;
	const pfm_callaggregate_smpl_table_t *t;
	const pfm_callaggregate_smpl_hdr_t *h;
	u64 total, size, sum = 0, in = 0, at_user = 0;
	struct format_module m;
	unsigned int i;
	int fd;

	NEED_HW_INTERRUPT();
	format_get(&m, "callaggregate");
	NEED_FORMAT(&m);
	total = hw_total(10 * TURNS);
	fd = (int)MUST(smpl_create(uuid, 0, &arg, sizeof(arg), &size));
	h = buf_map(fd, size);
	hw_counter_more(fd, 0, 0, 0, PERIOD, &nothing_more);
	start_sampling(fd, 10 * TURNS);
	t = &h->hdr_table[h->hdr_gen % 2];
	e = (const void *)((const char *)h + t->tab_slots);
	for (i = 0; i < h->hdr_slots; i++) {
		const pfm_callaggregate_smpl_chain_t *c;

		if (e[i].ent_gen != t->tab_gen)
			continue;
		c = (const void *)((const char *)h + e[i].ent_chain);
		sum += e[i].ent_count;
		if (!c->chain_nr_kernel)
			at_user += e[i].ent_count;
		EXPECT_EQ(getpid(), e[i].ent_pid);
		if (c->chain_nr_user && in_loop(((const u64 *)(c + 1))[0]))
			in += e[i].ent_count;
	}
	EXPECT_EQ(0ULL, h->hdr_lost);
	EXPECT_EQ(h->hdr_samples, sum);
	EXPECT_SAMPLES(total, PERIOD, sum);
	EXPECT_IN_LOOP(in, sum);
	EXPECT_USER_LEVEL(at_user, sum);
	close(fd);
	format_put(&m);
}

/* Full by an interrupt: masked there and then, and nothing is lost with it. */
TEST(full_buffer)
{
	u64 total, samples = 0;
	struct sampler s;
	unsigned int n;

	NEED_HW_INTERRUPT();
	sampler_open(&s, 0, dfl_min_size() + 9 * sizeof(dfl_entry_t), 0);
	hw_counter_more(s.fd, 0, 0, NOTIFY, PERIOD, &nothing_more);
	hw_counter(s.fd, 0, 1, HW_INSTRUCTIONS, HW_USER, 0, 0);
	MUST(pfm_load(s.fd, my_tid()));
	MUST(pfm_start(s.fd));
	for (n = 1; n <= 10; n++) {
		while (!pfm_state_is(s.fd, "masked"))
			hw_loop(10000);
		EXPECT_EQ(10ULL, s.hdr->hdr_count);
		samples += s.hdr->hdr_count;
		ASSERT_EQ(PFM_MSG_OVFL, pfm_next_msg(s.fd, NULL, PATIENCE));
		total = hw_value(s.fd, 0, 1, HW_INSTRUCTIONS);
		EXPECT_LE(samples * PERIOD, total);
		EXPECT_GE(samples * (PERIOD + HW_LATE), total);
		if (set_skid(0))
			EXPECT_EQ(samples * PERIOD, total);
		MUST(pfm_restart(s.fd));
		EXPECT_EQ(0ULL, s.hdr->hdr_count);
	}
	sampler_close(&s);
}

TEST_HARNESS_MAIN
