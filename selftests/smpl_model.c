// SPDX-License-Identifier: GPL-2.0-only
/*
 * Random counters, periods, samples and resets against a model of the default
 * format: the buffer must contain exactly what the model says, in a large
 * buffer and in one that fills up again and again.
 */
#include "smpl_default.h"

/* ------------------------------------------------------------------------
 * What has to be in the buffer
 */

#define MODEL_SIZE	300000

/* Counters of faults; and the samples, each with its event as time stamp. */
struct model {
	u64 value[PFM_SW_COUNTERS], last[PFM_SW_COUNTERS];
	u64 long_reset[PFM_SW_COUNTERS], short_reset[PFM_SW_COUNTERS];
	u32 smpl[PFM_SW_COUNTERS], reset[PFM_SW_COUNTERS];
	u32 used, ovfl;
	bool full;
	u64 room, count, overflows, event;
	char *at;
	char shadow[MODEL_SIZE] __attribute__((aligned(8)));
};

static struct model model;

static void model_empty(struct model *m, u64 buf_size)
{
	m->room = buf_size - sizeof(dfl_hdr_t);
	m->count = 0;
	m->at = m->shadow;
	m->full = false;
}

static void model_sample(struct model *m, int i)
{
	u64 size = sizeof(dfl_entry_t) +
		   8 * (u64)__builtin_popcount(m->smpl[i]);
	dfl_entry_t *e = (dfl_entry_t *)m->at;
	u64 *value = (u64 *)(e + 1);
	int k;

	if (size > m->room)
		return;
	if (m->at + size > m->shadow + sizeof(m->shadow))
		die("the model is too small");
	*e = (dfl_entry_t){
		.ovfl_pmd = (__u16)SW_PMD(i), .last_reset_val = m->last[i],
		.tstamp = m->event,
	};
	for (k = 0; k < PFM_SW_COUNTERS; k++)
		if (m->smpl[i] & CTR(k))
			*value++ = m->value[k];
	m->at += size;
	m->room -= size;
	m->count++;
}

static void model_reset(struct model *m, bool is_long)
{
	u32 all = m->ovfl;
	int i;

	for (i = 0; i < PFM_SW_COUNTERS; i++)
		if (m->ovfl & CTR(i))
			all |= m->reset[i];
	for (i = 0; i < PFM_SW_COUNTERS; i++)
		if (all & CTR(i))
			m->value[i] = m->last[i] =
				is_long ? m->long_reset[i] : m->short_reset[i];
}

/* One more fault; nothing if the buffer is full. */
static void model_fault(struct model *m, u64 max)
{
	int i;

	if (m->full)
		return;
	m->event++;
	m->ovfl = 0;
	for (i = 0; i < PFM_SW_COUNTERS; i++)
		if ((m->used & CTR(i)) && !++m->value[i])
			m->ovfl |= CTR(i);
	for (i = 0; i < PFM_SW_COUNTERS; i++) {
		if (!(m->ovfl & CTR(i)))
			continue;
		model_sample(m, i);
		m->full |= m->room < max;
	}
	if (m->full)
		m->overflows++;
	else
		model_reset(m, false);
}

static void model_program(const struct model *m, int fd, u32 flags)
{
	int i;

	for (i = 0; i < PFM_SW_COUNTERS; i++) {
		choose(fd, 0, i, m->used & CTR(i) ? FAULTS : PFM_SW_NONE,
		       flags, m->smpl[i], m->reset[i]);
		MUST(pfm_write_period(fd, SW_PMD(i), m->value[i],
				      m->long_reset[i], m->short_reset[i]));
	}
}

/* Counters, samples, resets: anything. */
static void model_random(struct model *m, u32 *seed)
{
	int i;

	m->used = CTR(random_below(seed, PFM_SW_COUNTERS));
	m->event = m->overflows = 0;
	for (i = 0; i < PFM_SW_COUNTERS; i++) {
		if (random_below(seed, 2))
			m->used |= CTR(i);
		m->value[i] = -(1ULL + random_below(seed, 9));
		m->last[i] = m->value[i];
		m->short_reset[i] = -(1ULL + random_below(seed, 9));
		m->long_reset[i] = -(1ULL + random_below(seed, 20));
		m->smpl[i] = random_below(seed, 256);
		if (!random_below(seed, 3))
			m->smpl[i] = 0;
		m->reset[i] = random_below(seed, 256);
		if (random_below(seed, 4))
			m->reset[i] = 0;
	}
}

static void check_sample(struct __test_metadata *_metadata,
			 const dfl_entry_t *want, const dfl_entry_t *e,
			 unsigned int values, pid_t pid)
{
	ASSERT_EQ(pid, e->pid);
	ASSERT_EQ(pid, e->tid);
	ASSERT_EQ(want->ovfl_pmd, e->ovfl_pmd);
	ASSERT_EQ(0, e->set);
	ASSERT_EQ(0, e->pad);
	ASSERT_EQ(want->last_reset_val, e->last_reset_val);
	ASSERT_EQ(0, memcmp(values_of(want), values_of(e), 8 * values));
}

/* The samples of @pid's first thread are those of the model. */
static void check_model(struct __test_metadata *_metadata,
			const struct sampler *s, const struct model *m,
			pid_t pid)
{
	const char *want = m->shadow, *got = dfl_first(s);
	u64 n, event = 0, tstamp = 0;

	check_hdr(_metadata, s, m->count,
		  sizeof(dfl_hdr_t) + (u64)(m->at - m->shadow), m->overflows);
	for (n = 0; n < m->count; n++) {
		const dfl_entry_t *w = (const void *)want;
		const dfl_entry_t *e = (const void *)got;
		u32 smpl = m->smpl[w->ovfl_pmd - PFM_SW_PMD0];
		unsigned int values = (unsigned int)__builtin_popcount(smpl);

		check_sample(_metadata, w, e, values, pid);
		/* One time for all samples of an event. */
		if (w->tstamp == event) {
			ASSERT_EQ(tstamp, e->tstamp);
		} else {
			ASSERT_LT(tstamp, e->tstamp);
		}
		event = w->tstamp;
		tstamp = e->tstamp;
		want += sizeof(*w) + 8 * values;
		got += sizeof(*e) + 8 * values;
	}
}

/* ------------------------------------------------------------------------
 * Several counters
 */

/* Anything of all that, together. */
TEST_F(smpl, model)
{
	int round, rounds = is_slow() ? 5 : 15, i;
	u32 seed = 20041;

	for (round = 0; round < rounds; round++) {
		u64 max = max_sample();

		model_random(&model, &seed);
		model_empty(&model, MODEL_SIZE);
		sampler_open(&self->s, 0, MODEL_SIZE, 0);
		model_program(&model, self->s.fd, round & 1 ? NOTIFY : 0);
		attach(self->s.fd, self->p.tid);
		puppet_do(&self->p, OP_FAULT, 200);
		for (i = 0; i < 200; i++)
			model_fault(&model, max);
		check_model(_metadata, &self->s, &model, self->p.tid);
		for (i = 0; i < PFM_SW_COUNTERS; i++)
			EXPECT_EQ(model.value[i],
				  pfm_value(self->s.fd, SW_PMD(i)));
		EXPECT_EQ(0U, overflowed(self->s.fd));
		sampler_close(&self->s);
	}
}

/* And with a buffer that gets full again and again. */
TEST_F(smpl, model_of_a_small_buffer)
{
	int round, rounds = is_slow() ? 3 : 8, fill, i;
	u64 max = max_sample();
	u32 seed = 2004200;

	for (round = 0; round < rounds; round++) {
		u64 size = dfl_min_size() + random_below(&seed, 3000);

		model_random(&model, &seed);
		sampler_open(&self->s, 0, size, 0);
		model_program(&model, self->s.fd, NOTIFY);
		attach(self->s.fd, self->p.tid);
		for (fill = 0; fill < 5; fill++) {
			model_empty(&model, size);
			for (i = 0; i < 500 && !model.full; i++)
				model_fault(&model, max);
			puppet_do(&self->p, OP_FAULT, (unsigned int)i);
			if (model.full)
				puppet_do(&self->p, OP_FAULT, 9);
			check_model(_metadata, &self->s, &model, self->p.tid);
			EXPECT_EQ(model.full ? model.ovfl : 0,
				  overflowed(self->s.fd));
			EXPECT_TRUE(pfm_state_is(self->s.fd, model.full ?
						 "masked" : "loaded"));
			MUST(pfm_restart(self->s.fd));
			if (model.full)
				model_reset(&model, true);
			for (i = 0; i < PFM_SW_COUNTERS; i++)
				EXPECT_EQ(model.value[i],
					  pfm_value(self->s.fd, SW_PMD(i)));
		}
		sampler_close(&self->s);
	}
}

TEST_HARNESS_MAIN
