// SPDX-License-Identifier: GPL-2.0-only
/*
 * The default sampling format (3.6): what a sample says, how samples follow
 * one another, when the buffer is full, and what happens then; short, long
 * and randomised periods, event sets, CPUs, name spaces.
 *
 * Minor faults of a puppet are exact, so a model says what has to be in the
 * buffer. Not here: the mapping of the buffer (mmap.c), the argument of the
 * format and the registry (format.c), other formats (double.c, aggregate.c).
 */
#include "smpl.h"

#define OVFL		PFM_SETFL_OVFL_SWITCH
#define ROOMY		65536	/* bytes: never full here */

/* All PMDs of the software PMU, and the virtual ones among them. */
#define COUNTERS	0xffU
#define VIRTUALS	(PMD(PFM_VPMD_CLOCK) | PMD(PFM_VPMD_CYCLES) | \
			 PMD(PFM_VPMD_FREE_PAGES) | PMD(PFM_VPMD_RUNNABLE) | \
			 PMD(PFM_VPMD_THREAD_TIME))
#define N_ALL		13

/* ------------------------------------------------------------------------
 * A place for faults, to find the samples' instruction pointers in
 */

static __attribute__((noinline, section("smpl_touch")))
void touch(struct pages *pages, unsigned int n)
{
	pages_touch(pages, n);
}

extern const char __start_smpl_touch[], __stop_smpl_touch[];

static bool in_touch(u64 ip)
{
	return ip >= (uintptr_t)__start_smpl_touch &&
	       ip < (uintptr_t)__stop_smpl_touch;
}

/* Whether this process has code there. */
static bool is_own_code(u64 ip)
{
	FILE *f = fopen("/proc/self/maps", "re");
	unsigned long long from, to;
	bool found = false;
	char line[512], x;

	if (!f)
		die("no /proc/self/maps");
	while (!found && fgets(line, sizeof(line), f))
		found = sscanf(line, "%llx-%llx r%*c%c", &from, &to, &x) == 3 &&
			x == 'x' && ip >= from && ip < to;
	fclose(f);
	return found;
}

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

static void check_hdr(struct __test_metadata *_metadata,
		      const struct sampler *s, u64 count, u64 offs,
		      u64 overflows)
{
	EXPECT_EQ(count, s->hdr->hdr_count);
	EXPECT_EQ(offs, s->hdr->hdr_cur_offs);
	EXPECT_EQ(overflows, s->hdr->hdr_overflows);
	EXPECT_EQ(PFM_DEFAULT_SMPL_VERSION, s->hdr->hdr_version);
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
 * A puppet and what it is sampled with
 */

FIXTURE(smpl) {
	struct puppet p;
	struct sampler s;
};

/* Once around its pages: then it faults where it is told to, only. */
static void start_puppet(struct puppet *p, enum puppet_kind kind)
{
	puppet_start(p, kind);
	puppet_do(p, OP_FAULT, PUPPET_PAGES + 1);
}

FIXTURE_SETUP(smpl)
{
	self->s.fd = -1;
	start_puppet(&self->p, PUPPET_PROCESS);
}

FIXTURE_TEARDOWN(smpl)
{
	if (self->s.fd >= 0)
		sampler_close(&self->s);
	puppet_stop(&self->p);
}

/* The bits of @n PMDs, of which the first is the first counter. */
static u32 some_pmds(unsigned int n)
{
	u32 all = COUNTERS | VIRTUALS, bits = 0;

	for (; n && all; n--) {
		bits |= all & -all;
		all &= all - 1;
	}
	return bits;
}

/* So large that exactly @n samples with @values values fit. */
static u64 size_for(u64 n, unsigned int values)
{
	return dfl_min_size() + (n - 1) * (sizeof(dfl_entry_t) + 8 * values);
}

/* A sample at each fault; full after @n. */
static void sample_until(FIXTURE_DATA(smpl) *f, u32 ctx_flags, u64 n, u32 flags)
{
	sampler_open(&f->s, ctx_flags, size_for(n, 0), 0);
	sample_faults(f->s.fd, 0, 1, flags, 0);
	attach(f->s.fd, f->p.tid);
}

TEST_F(smpl, header_of_a_new_buffer)
{
	u64 sizes[] = { dfl_min_size(), 4096, 4097, ROOMY - 8 };
	static const u32 flags[] = {
		0, PFM_DFL_SMPL_NO_HDR, PFM_DFL_SMPL_IIP_HDR, 0,
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		sampler_open(&self->s, 0, sizes[i], flags[i]);
		EXPECT_EQ(page_align(sizes[i]), self->s.size);
		check_hdr(_metadata, &self->s, 0, sizeof(dfl_hdr_t), 0);
		EXPECT_EQ(sizes[i], self->s.hdr->hdr_buf_size);
		EXPECT_EQ(flags[i], self->s.hdr->hdr_flags);
		EXPECT_TRUE(all_bytes(dfl_first(&self->s),
				      self->s.size - sizeof(dfl_hdr_t), 0));
		sampler_close(&self->s);
	}
}

/* Period P over N events: N / P samples, and what is left in the counter. */
TEST_F(smpl, period_of_faults)
{
	static const unsigned int periods[] = { 1, 2, 3, 7, 50, 101 };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(periods); i++) {
		u64 period = periods[i], n = 100 / period;

		sampler_open(&self->s, 0, ROOMY, 0);
		sample_faults(self->s.fd, 0, period, 0, 0);
		attach(self->s.fd, self->p.tid);
		puppet_do(&self->p, OP_FAULT, 100);
		check_hdr(_metadata, &self->s, n,
			  sizeof(dfl_hdr_t) + n * sizeof(dfl_entry_t), 0);
		EXPECT_EQ(100 % period - period,
			  pfm_value(self->s.fd, SW_PMD(0)));
		EXPECT_TRUE(pfm_state_is(self->s.fd, "loaded"));
		sampler_close(&self->s);
	}
}

/* Nothing is sampled before PFM_START and after PFM_STOP. */
TEST_F(smpl, only_while_started)
{
	sampler_open(&self->s, 0, ROOMY, 0);
	sample_faults(self->s.fd, 0, 4, 0, 0);
	MUST(pfm_load(self->s.fd, self->p.tid));
	puppet_do(&self->p, OP_FAULT, 10);
	EXPECT_EQ(0ULL, self->s.hdr->hdr_count);
	MUST(pfm_start(self->s.fd));
	puppet_do(&self->p, OP_FAULT, 10);
	EXPECT_EQ(2ULL, self->s.hdr->hdr_count);
	MUST(pfm_stop(self->s.fd));
	puppet_do(&self->p, OP_FAULT, 10);
	EXPECT_EQ(2ULL, self->s.hdr->hdr_count);
	/* Two of the period were over. */
	MUST(pfm_start(self->s.fd));
	puppet_do(&self->p, OP_FAULT, 1);
	EXPECT_EQ(2ULL, self->s.hdr->hdr_count);
	puppet_do(&self->p, OP_FAULT, 1);
	EXPECT_EQ(3ULL, self->s.hdr->hdr_count);
}

/* ------------------------------------------------------------------------
 * What a sample says (3.6.4)
 */

static void check_fields(struct __test_metadata *_metadata, struct puppet *p,
			 pid_t pid)
{
	u64 before, after, last = 0, n;
	struct sampler s;

	sampler_open(&s, 0, ROOMY, 0);
	choose(s.fd, 0, 3, FAULTS, 0, 0, 0);
	MUST(pfm_write_period(s.fd, SW_PMD(3), -7ULL, -100ULL, -2ULL));
	attach(s.fd, p->tid);
	before = now_ns(CLOCK_MONOTONIC);
	puppet_do(p, OP_FAULT, 7 + 2 * 19);
	after = now_ns(CLOCK_MONOTONIC);
	ASSERT_EQ(20ULL, s.hdr->hdr_count);
	for (n = 0; n < 20; n++) {
		const dfl_entry_t *e = nth(&s, n, 0);

		EXPECT_EQ(pid, e->pid);
		EXPECT_EQ(p->tid, e->tid);
		EXPECT_EQ(SW_PMD(3), e->ovfl_pmd);
		EXPECT_EQ(0, e->set);
		EXPECT_EQ(0, e->pad);
		EXPECT_EQ(n ? -2ULL : -7ULL, e->last_reset_val);
		EXPECT_LT(last, e->tstamp);
		EXPECT_LE(before, e->tstamp);
		EXPECT_GE(after, e->tstamp);
		last = e->tstamp;
	}
	sampler_close(&s);
}

TEST_F(smpl, fields_for_a_process)
{
	check_fields(_metadata, &self->p, self->p.tid);
}

TEST_F(smpl, fields_for_a_thread)
{
	struct puppet p;

	start_puppet(&p, PUPPET_THREAD);
	ASSERT_NE(getpid(), p.tid);
	check_fields(_metadata, &p, getpid());
	puppet_stop(&p);
}

/* Each counter of the eight can be the one. */
TEST_F(smpl, each_counter)
{
	int i;

	sampler_open(&self->s, 0, ROOMY, 0);
	MUST(pfm_load(self->s.fd, self->p.tid));
	for (i = 0; i < PFM_SW_COUNTERS; i++) {
		sample_faults(self->s.fd, i, 2, 0, 0);
		MUST(pfm_start(self->s.fd));
		puppet_do(&self->p, OP_FAULT, 2);
		MUST(pfm_stop(self->s.fd));
		MUST(pfm_write_pmc(self->s.fd, SW_PMC(i), PFM_SW_NONE, 0));
		ASSERT_EQ((u64)i + 1, self->s.hdr->hdr_count);
		EXPECT_EQ(SW_PMD(i), nth(&self->s, (u64)i, 0)->ovfl_pmd);
	}
}

TEST_F(smpl, cpu)
{
	int cpus[2], n;

	NEED_CPUS(cpus, 2);
	for (n = 0; n < 4; n++)
		puppet_do(&self->p, OP_PIN, (unsigned int)cpus[n % 2]);
	sampler_open(&self->s, 0, ROOMY, 0);
	sample_faults(self->s.fd, 0, 1, 0, 0);
	attach(self->s.fd, self->p.tid);
	for (n = 0; n < 6; n++) {
		puppet_do(&self->p, OP_PIN, (unsigned int)cpus[n % 2]);
		puppet_do(&self->p, OP_FAULT, 5);
	}
	ASSERT_EQ(30ULL, self->s.hdr->hdr_count);
	for (n = 0; n < 30; n++)
		EXPECT_EQ(cpus[n / 5 % 2], nth(&self->s, (u64)n, 0)->cpu);
}

/* A process that faults in touch() when told to, by number. */
static void __attribute__((noreturn)) toucher(int order, int ack)
{
	struct pages pages;
	unsigned int n;

	pages_map(&pages, 500);
	touch(&pages, 501);
	while (read(order, &n, sizeof(n)) == sizeof(n)) {
		touch(&pages, n);
		MUST(write(ack, "", 1));
	}
	_exit(0);
}

static void tell_toucher(int order, int ack, unsigned int n)
{
	char c;

	MUST(write(order, &n, sizeof(n)));
	if (read(ack, &c, 1) != 1)
		die("no answer");
}

TEST_F(smpl, ip_in_another_process)
{
	int order[2], ack[2];
	pid_t pid;
	u64 n;

	MUST(pipe(order));
	MUST(pipe(ack));
	pid = fork_child();
	if (!pid)
		toucher(order[0], ack[1]);
	tell_toucher(order[1], ack[0], 1);
	sampler_open(&self->s, 0, ROOMY, 0);
	sample_faults(self->s.fd, 0, 3, 0, 0);
	attach(self->s.fd, pid);
	tell_toucher(order[1], ack[0], 300);
	ASSERT_EQ(100ULL, self->s.hdr->hdr_count);
	for (n = 0; n < 100; n++) {
		ASSERT_TRUE(in_touch(nth(&self->s, n, 0)->ip)) {
			TH_LOG("%#llx", nth(&self->s, n, 0)->ip);
		}
	}
	kill_and_reap(pid);
}

/* Oneself may fault elsewhere, too. */
TEST_F(smpl, ip_in_oneself)
{
	u64 n, hits = 0;
	struct pages pages;

	pages_map(&pages, 200);
	touch(&pages, 1);
	sampler_open(&self->s, 0, ROOMY, 0);
	sample_faults(self->s.fd, 0, 1, 0, 0);
	attach(self->s.fd, my_tid());
	touch(&pages, 150);
	MUST(pfm_stop(self->s.fd));
	for (n = 0; n < self->s.hdr->hdr_count; n++) {
		u64 ip = nth(&self->s, n, 0)->ip;

		hits += in_touch(ip);
		EXPECT_TRUE(is_own_code(ip)) {
			TH_LOG("%#llx", ip);
		}
	}
	EXPECT_EQ(150ULL, hits);
}

/* A fault of the kernel's, for a thread: where the thread called it. */
TEST_F(smpl, ip_of_a_fault_in_a_system_call)
{
	int i, zero = (int)MUST(open("/dev/zero", O_RDONLY));
	struct pages pages;
	u64 n;

	pages_map(&pages, 50);
	sampler_open(&self->s, 0, ROOMY, 0);
	sample_faults(self->s.fd, 0, 1, 0, 0);
	attach(self->s.fd, my_tid());
	for (i = 0; i < 50; i++) {
		char *page = (char *)pages.start + (size_t)i * pages.size;

		if (read(zero, page, 1) != 1)
			die("/dev/zero");
	}
	MUST(pfm_stop(self->s.fd));
	ASSERT_LE(50ULL, self->s.hdr->hdr_count);
	for (n = 0; n < self->s.hdr->hdr_count; n++) {
		u64 ip = nth(&self->s, n, 0)->ip;

		EXPECT_TRUE(is_own_code(ip)) {
			TH_LOG("%#llx", ip);
		}
		EXPECT_FALSE(in_touch(ip));
	}
}

/* The body: values in increasing order of the PMDs' numbers. */
TEST_F(smpl, body)
{
	u64 n, before, after, clock = 0, cycles = 0, time = 0, runtime;
	u32 smpl = CTR(0) | CTR(1) | CTR(5) | VIRTUALS;
	u64 memory = (u64)sysconf(_SC_PHYS_PAGES);

	sampler_open(&self->s, 0, ROOMY, 0);
	choose(self->s.fd, 0, 1, FAULTS, 0, 0, 0);
	MUST(pfm_write_pmd(self->s.fd, SW_PMD(1), 1000));
	MUST(pfm_write_pmd(self->s.fd, SW_PMD(5), 12345));
	sample_faults(self->s.fd, 0, 2, 0, smpl);
	attach(self->s.fd, self->p.tid);
	before = now_ns(CLOCK_MONOTONIC);
	puppet_do(&self->p, OP_FAULT, 40);
	after = now_ns(CLOCK_MONOTONIC);
	ASSERT_EQ(20ULL, self->s.hdr->hdr_count);
	for (n = 0; n < 20; n++) {
		const dfl_entry_t *e = nth(&self->s, n, 8);
		const u64 *v = values_of(e);

		EXPECT_EQ(SW_PMD(0), e->ovfl_pmd);
		EXPECT_EQ(0ULL, v[0]);
		EXPECT_EQ(1000 + 2 * (n + 1), v[1]);
		EXPECT_EQ(12345ULL, v[2]);
		EXPECT_LE(before, v[3]);
		EXPECT_LE(e->tstamp, v[3]);
		EXPECT_LT(clock, v[3]);
		EXPECT_GE(after, v[3]);
		EXPECT_LE(cycles, v[4]);
		EXPECT_LT(0ULL, v[5]);
		EXPECT_GE(memory, v[5]);
		EXPECT_LE(1ULL, v[6]);
		EXPECT_LE(time, v[7]);
		EXPECT_LT(0ULL, v[7]);
		clock = v[3];
		cycles = v[4];
		time = v[7];
	}
	if (thread_runtime(self->p.tid, &runtime))
		EXPECT_GE(runtime, time);
}

/*
 * Samples by time: between two of them the thread has used the period and by
 * how much the timer was late, which is in the counter.
 */
TEST_F(smpl, period_of_time)
{
	u64 period = 2 * NSEC_PER_MSEC, n, last = 0;

	sampler_open(&self->s, 0, ROOMY, 0);
	choose(self->s.fd, 0, 0, PFM_SW_TASK_CLOCK, 0,
	       CTR(0) | PMD(PFM_VPMD_THREAD_TIME), 0);
	MUST(pfm_write_period(self->s.fd, SW_PMD(0), -period, -period,
			      -period));
	attach(self->s.fd, self->p.tid);
	while (self->s.hdr->hdr_count < 8)
		puppet_do(&self->p, OP_BURN, 10);
	MUST(pfm_stop(self->s.fd));
	for (n = 0; n < self->s.hdr->hdr_count; n++) {
		const u64 *v = values_of(nth(&self->s, n, 2));

		if (n) {
			EXPECT_EQ(period + v[0], v[1] - last) {
				TH_LOG("sample %llu", n);
			}
		}
		last = v[1];
	}
}

TEST_F(smpl, no_headers)
{
	u64 n, cap = dfl_capacity(4096, 24);
	const u64 *v;

	sampler_open(&self->s, 0, 4096, PFM_DFL_SMPL_NO_HDR);
	choose(self->s.fd, 0, 1, FAULTS, 0, 0, 0);
	MUST(pfm_write_pmd(self->s.fd, SW_PMD(1), 1000));
	MUST(pfm_write_pmd(self->s.fd, SW_PMD(7), 77));
	sample_faults(self->s.fd, 0, 1, NOTIFY, CTR(7) | CTR(1) | CTR(0));
	attach(self->s.fd, self->p.tid);
	puppet_do(&self->p, OP_FAULT, (unsigned int)cap - 1);
	EXPECT_TRUE(pfm_state_is(self->s.fd, "loaded"));
	puppet_do(&self->p, OP_FAULT, 5);
	EXPECT_TRUE(pfm_state_is(self->s.fd, "masked"));
	check_hdr(_metadata, &self->s, cap, sizeof(dfl_hdr_t) + cap * 24, 1);
	v = dfl_first(&self->s);
	for (n = 0; n < cap; n++, v += 3) {
		ASSERT_EQ(0ULL, v[0]);
		ASSERT_EQ(1000 + n + 1, v[1]);
		ASSERT_EQ(77ULL, v[2]);
	}
}

/* Neither header nor body: they take no room, and are counted. */
TEST_F(smpl, nothing_but_a_count)
{
	sampler_open(&self->s, 0, dfl_min_size(), PFM_DFL_SMPL_NO_HDR);
	sample_faults(self->s.fd, 0, 1, NOTIFY, 0);
	attach(self->s.fd, self->p.tid);
	puppet_do(&self->p, OP_FAULT, 1000);
	check_hdr(_metadata, &self->s, 1000, sizeof(dfl_hdr_t), 0);
	EXPECT_TRUE(pfm_state_is(self->s.fd, "loaded"));
	EXPECT_TRUE(all_bytes(dfl_first(&self->s),
			      self->s.size - sizeof(dfl_hdr_t), 0));
}

TEST_F(smpl, nothing_but_ip)
{
	u64 n, cap = dfl_capacity(4000, 8);
	int order[2], ack[2];
	const u64 *v;
	pid_t pid;

	MUST(pipe(order));
	MUST(pipe(ack));
	pid = fork_child();
	if (!pid)
		toucher(order[0], ack[1]);
	tell_toucher(order[1], ack[0], 1);
	sampler_open(&self->s, 0, 4000, PFM_DFL_SMPL_IIP_HDR);
	sample_faults(self->s.fd, 0, 1, NOTIFY, 0);
	attach(self->s.fd, pid);
	tell_toucher(order[1], ack[0], (unsigned int)cap - 1);
	EXPECT_TRUE(pfm_state_is(self->s.fd, "loaded"));
	tell_toucher(order[1], ack[0], 5);
	EXPECT_TRUE(pfm_state_is(self->s.fd, "masked"));
	check_hdr(_metadata, &self->s, cap, sizeof(dfl_hdr_t) + cap * 8, 1);
	v = dfl_first(&self->s);
	for (n = 0; n < cap; n++) {
		ASSERT_TRUE(in_touch(v[n]));
	}
	kill_and_reap(pid);
}

TEST_F(smpl, ip_and_body)
{
	const u64 *v;
	u64 n;

	sampler_open(&self->s, 0, ROOMY, PFM_DFL_SMPL_IIP_HDR);
	MUST(pfm_write_pmd(self->s.fd, SW_PMD(6), 66));
	sample_faults(self->s.fd, 2, 3, 0, CTR(2) | CTR(6));
	attach(self->s.fd, self->p.tid);
	puppet_do(&self->p, OP_FAULT, 30);
	check_hdr(_metadata, &self->s, 10, sizeof(dfl_hdr_t) + 10 * 24, 0);
	v = dfl_first(&self->s);
	for (n = 0; n < 10; n++, v += 3) {
		/* The puppet is a fork of this very program. */
		EXPECT_TRUE(is_own_code(v[0]));
		EXPECT_EQ(0ULL, v[1]);
		EXPECT_EQ(66ULL, v[2]);
	}
}

TEST_F(smpl, two_kinds_of_headers_are_refused)
{
	EXPECT_EQ(-EINVAL, dfl_create(0, ROOMY, PFM_DFL_SMPL_NO_HDR |
				      PFM_DFL_SMPL_IIP_HDR, NULL));
}

/* Each flag of the context goes with the format. */
TEST_F(smpl, context_flags)
{
	static const u32 all = PFM_FL_NOTIFY_BLOCK | PFM_FL_SYSTEM_WIDE |
			       PFM_FL_OVFL_NO_MSG;
	u32 flags;

	for (flags = 0; flags < 0x200; flags++) {
		bool ok = !(flags & ~all) &&
			  !((flags & PFM_FL_NOTIFY_BLOCK) &&
			    (flags & PFM_FL_SYSTEM_WIDE));
		int fd = dfl_create(flags, ROOMY, 0, NULL);

		if (!ok) {
			EXPECT_EQ(-EINVAL, fd);
			continue;
		}
		ASSERT_LE(0, fd);
		EXPECT_EQ((u64)flags, pfm_fdinfo_num(fd, "pfm-flags"));
		close(fd);
	}
}

/* ------------------------------------------------------------------------
 * Several counters
 */

/* Which overflowed is the only way to know the size of a sample. */
TEST_F(smpl, samples_of_different_sizes)
{
	const char *at;
	int fd, n;

	sampler_open(&self->s, 0, ROOMY, 0);
	fd = self->s.fd;
	sample_faults(fd, 0, 5, 0, CTR(1) | CTR(2));
	sample_faults(fd, 1, 7, 0, 0);
	sample_faults(fd, 2, 3, 0, COUNTERS);
	attach(fd, self->p.tid);
	puppet_do(&self->p, OP_FAULT, 100);
	ASSERT_EQ(20ULL + 14 + 33, self->s.hdr->hdr_count);
	at = dfl_first(&self->s);
	for (n = 1; n <= 100; n++) {
		const dfl_entry_t *e = (const void *)at;

		if (n % 5 == 0) {
			ASSERT_EQ(SW_PMD(0), e->ovfl_pmd);
			/* As they were at this moment: before any reset. */
			ASSERT_EQ((u64)(n % 7 ? n % 7 - 7 : 0),
				  values_of(e)[0]);
			ASSERT_EQ((u64)(n % 3 ? n % 3 - 3 : 0),
				  values_of(e)[1]);
			e = (const void *)(at += sizeof(*e) + 16);
		}
		if (n % 7 == 0) {
			ASSERT_EQ(SW_PMD(1), e->ovfl_pmd);
			e = (const void *)(at += sizeof(*e));
		}
		if (n % 3 == 0) {
			ASSERT_EQ(SW_PMD(2), e->ovfl_pmd);
			at += sizeof(*e) + 64;
		}
	}
	EXPECT_EQ(self->s.hdr->hdr_cur_offs,
		  (u64)(at - (const char *)self->s.hdr));
}

/* Figure 3.29: consecutive, one time stamp, one set, in increasing order. */
TEST_F(smpl, simultaneous_overflows)
{
	int n;

	sampler_open(&self->s, 0, ROOMY, 0);
	sample_faults(self->s.fd, 6, 4, 0, 0);
	sample_faults(self->s.fd, 1, 4, 0, 0);
	sample_faults(self->s.fd, 4, 4, 0, 0);
	attach(self->s.fd, self->p.tid);
	puppet_do(&self->p, OP_FAULT, 40);
	ASSERT_EQ(30ULL, self->s.hdr->hdr_count);
	for (n = 0; n < 30; n += 3) {
		const dfl_entry_t *e = nth(&self->s, (u64)n, 0);

		EXPECT_EQ(SW_PMD(1), e[0].ovfl_pmd);
		EXPECT_EQ(SW_PMD(4), e[1].ovfl_pmd);
		EXPECT_EQ(SW_PMD(6), e[2].ovfl_pmd);
		EXPECT_EQ(e[0].tstamp, e[1].tstamp);
		EXPECT_EQ(e[0].tstamp, e[2].tstamp);
		EXPECT_EQ(e[0].set, e[1].set);
		EXPECT_EQ(e[0].set, e[2].set);
		if (n)
			EXPECT_LT(e[-1].tstamp, e[0].tstamp);
	}
}

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

/* ------------------------------------------------------------------------
 * Full (3.6.5)
 */

/* Figure 3.30, for many sizes of buffers and samples. */
TEST_F(smpl, full)
{
	u64 sizes[] = {
		dfl_min_size(), dfl_min_size() + 1, dfl_min_size() + 7,
		dfl_min_size() + 8, 1000, 4096, 5001,
	};
	static const unsigned int values[] = { 0, 1, 3, N_ALL };
	size_t i, k;

	for (i = 0; i < ARRAY_SIZE(sizes) * ARRAY_SIZE(values); i++) {
		u64 size = sizes[i / ARRAY_SIZE(values)], sample, cap;
		int fd, n;

		k = i % ARRAY_SIZE(values);
		sample = sizeof(dfl_entry_t) + 8 * values[k];
		cap = dfl_capacity(size, sample);
		sampler_open(&self->s, 0, size, 0);
		fd = self->s.fd;
		sample_faults(fd, 0, 1, NOTIFY, some_pmds(values[k]));
		attach(fd, self->p.tid);
		puppet_do(&self->p, OP_FAULT, (unsigned int)cap - 1);
		check_hdr(_metadata, &self->s, cap - 1,
			  sizeof(dfl_hdr_t) + (cap - 1) * sample, 0);
		EXPECT_TRUE(pfm_state_is(fd, "loaded"));
		EXPECT_EQ(0U, overflowed(fd));
		for (n = 0; n < 2; n++) {
			/* One is enough, and seven more make no difference. */
			puppet_do(&self->p, OP_FAULT, n ? 7 : 1);
			check_hdr(_metadata, &self->s, cap,
				  sizeof(dfl_hdr_t) + cap * sample, 1);
			EXPECT_TRUE(pfm_state_is(fd, "masked"));
			EXPECT_EQ(n ? 0 : CTR(0), overflowed(fd));
			EXPECT_EQ(0ULL, pfm_value(fd, SW_PMD(0)));
		}
		EXPECT_EQ(0ULL, pfm_fdinfo_num(fd, "pfm-lost"));
		sampler_close(&self->s);
	}
}

/* Not even of counters that have nothing to do with it. */
TEST_F(smpl, full_means_masked)
{
	sample_until(self, 0, 10, NOTIFY);
	MUST(pfm_stop(self->s.fd));
	choose(self->s.fd, 0, 1, FAULTS, 0, 0, 0);
	MUST(pfm_write_pmd(self->s.fd, SW_PMD(1), 0));
	sample_faults(self->s.fd, 2, 100, NOTIFY, 0);
	MUST(pfm_start(self->s.fd));
	puppet_do(&self->p, OP_FAULT, 200);
	EXPECT_EQ(10ULL, self->s.hdr->hdr_count);
	EXPECT_EQ(1ULL, self->s.hdr->hdr_overflows);
	EXPECT_EQ(0ULL, pfm_value(self->s.fd, SW_PMD(0)));
	EXPECT_EQ(10ULL, pfm_value(self->s.fd, SW_PMD(1)));
	EXPECT_EQ(-90ULL, pfm_value(self->s.fd, SW_PMD(2)));
	EXPECT_EQ(CTR(0), overflowed(self->s.fd));
	MUST(pfm_restart(self->s.fd));
	EXPECT_EQ(10ULL, pfm_value(self->s.fd, SW_PMD(1)));
	EXPECT_EQ(-90ULL, pfm_value(self->s.fd, SW_PMD(2)));
}

/* Until the restart the registers are as the last sample says. */
TEST_F(smpl, registers_of_a_full_buffer)
{
	unsigned int values = 8;
	pfarg_pmd_t pmd;
	const u64 *v;
	int i;

	sampler_open(&self->s, 0, size_for(20, values), 0);
	for (i = 1; i < PFM_SW_COUNTERS; i++) {
		choose(self->s.fd, 0, i, FAULTS, 0, 0, 0);
		MUST(pfm_write_pmd(self->s.fd, SW_PMD(i), 1000ULL * (u64)i));
	}
	choose(self->s.fd, 0, 0, FAULTS, NOTIFY, COUNTERS, CTR(1) | CTR(2));
	MUST(pfm_write_period(self->s.fd, SW_PMD(0), -3ULL, -50ULL, -2ULL));
	attach(self->s.fd, self->p.tid);
	puppet_do(&self->p, OP_FAULT, 100);
	ASSERT_TRUE(pfm_state_is(self->s.fd, "masked"));
	ASSERT_EQ(20ULL, self->s.hdr->hdr_count);
	v = values_of(nth(&self->s, 19, values));
	for (i = 0; i < PFM_SW_COUNTERS; i++) {
		pmd = read_pmd(self->s.fd, 0, i);
		EXPECT_EQ(v[i], pmd.reg_value);
	}
	EXPECT_EQ(nth(&self->s, 19, values)->last_reset_val,
		  last_reset(self->s.fd, 0));
	EXPECT_EQ(-2ULL, last_reset(self->s.fd, 0));
	/* 3 + 19 * 2 faults; two counters were reset 19 times, to 0. */
	EXPECT_EQ(0ULL, v[0]);
	EXPECT_EQ(2ULL, v[1]);
	EXPECT_EQ(2ULL, v[2]);
	EXPECT_EQ(3041ULL, v[3]);
	EXPECT_EQ(7041ULL, v[7]);
}

/* No message was asked for: saturated, and nobody is told (3.6.5). */
TEST_F(smpl, saturated)
{
	sample_until(self, 0, 10, 0);
	puppet_do(&self->p, OP_FAULT, 50);
	EXPECT_TRUE(pfm_state_is(self->s.fd, "masked"));
	check_hdr(_metadata, &self->s, 10,
		  sizeof(dfl_hdr_t) + 10 * sizeof(dfl_entry_t), 1);
	EXPECT_EQ(0, pfm_poll(self->s.fd, 20) & POLLIN);
	EXPECT_EQ(0ULL, pfm_fdinfo_num(self->s.fd, "pfm-queued"));
	EXPECT_EQ(0ULL, pfm_fdinfo_num(self->s.fd, "pfm-lost"));
	/* "...does reset the buffer and monitoring resumes." */
	MUST(pfm_restart(self->s.fd));
	EXPECT_TRUE(pfm_state_is(self->s.fd, "loaded"));
	check_hdr(_metadata, &self->s, 0, sizeof(dfl_hdr_t), 1);
	puppet_do(&self->p, OP_FAULT, 4);
	EXPECT_EQ(4ULL, self->s.hdr->hdr_count);
	puppet_do(&self->p, OP_FAULT, 40);
	check_hdr(_metadata, &self->s, 10,
		  sizeof(dfl_hdr_t) + 10 * sizeof(dfl_entry_t), 2);
}

/*
 * A counter that asks for no message fills the buffer, another one that does
 * overflows with it, and after it: there is one message, for both.
 */
TEST_F(smpl, filled_by_a_silent_counter)
{
	sampler_open(&self->s, 0, size_for(5, 0), 0);
	sample_faults(self->s.fd, 0, 4, 0, 0);
	sample_faults(self->s.fd, 1, 4, NOTIFY, 0);
	attach(self->s.fd, self->p.tid);
	puppet_do(&self->p, OP_FAULT, 12);
	EXPECT_TRUE(pfm_state_is(self->s.fd, "masked"));
	EXPECT_EQ(CTR(0) | CTR(1), overflowed(self->s.fd));
	EXPECT_EQ(1ULL, self->s.hdr->hdr_overflows);
}

/* One asks, but it is the other one that fills the buffer, alone. */
TEST_F(smpl, filled_by_the_silent_one_of_two)
{
	sampler_open(&self->s, 0, size_for(5, 0), 0);
	sample_faults(self->s.fd, 0, 2, 0, 0);
	sample_faults(self->s.fd, 1, 5, NOTIFY, 0);
	attach(self->s.fd, self->p.tid);
	/* At faults 2, 4, 5, 6, 8. */
	puppet_do(&self->p, OP_FAULT, 20);
	EXPECT_TRUE(pfm_state_is(self->s.fd, "masked"));
	EXPECT_EQ(5ULL, self->s.hdr->hdr_count);
	EXPECT_EQ(0ULL, pfm_fdinfo_num(self->s.fd, "pfm-queued"));
	EXPECT_EQ(-2ULL, pfm_value(self->s.fd, SW_PMD(1)));
}

/*
 * Counter 0 fills the buffer. Counter 1 overflows with it, and finds room for
 * its sample or not: then that is lost, but the message names it.
 */
TEST_F(smpl, no_room_beside_the_last_one)
{
	u64 largest = sizeof(dfl_entry_t) + 8 * N_ALL, left;

	if (max_sample() != largest)
		SKIP(return, "no_room_beside_the_last_one: more PMDs than %d",
		     N_ALL);
	for (left = 0; left <= 48; left += 8) {
		u64 fits = left >= sizeof(dfl_entry_t), pmd;
		int fd;

		sampler_open(&self->s, 0, sizeof(dfl_hdr_t) + largest + left,
			     0);
		fd = self->s.fd;
		choose(fd, 0, 0, FAULTS, NOTIFY, some_pmds(N_ALL), 0);
		choose(fd, 0, 1, FAULTS, NOTIFY, 0, 0);
		for (pmd = 0; pmd < 2; pmd++)
			MUST(pfm_write_period(fd, SW_PMD((int)pmd), -6ULL,
					      -20 - pmd, -3ULL));
		attach(fd, self->p.tid);
		puppet_do(&self->p, OP_FAULT, 15);
		check_hdr(_metadata, &self->s, 1 + fits, sizeof(dfl_hdr_t) +
			  largest + fits * sizeof(dfl_entry_t), 1);
		EXPECT_EQ(SW_PMD(0), nth(&self->s, 0, N_ALL)->ovfl_pmd);
		if (fits)
			EXPECT_EQ(SW_PMD(1), nth(&self->s, 1, N_ALL)->ovfl_pmd);
		EXPECT_EQ(CTR(0) | CTR(1), overflowed(fd));
		EXPECT_EQ(0ULL, pfm_value(fd, SW_PMD(1)));
		MUST(pfm_restart(fd));
		/* The one that was lost overflowed last, too. */
		EXPECT_EQ(-20ULL, pfm_value(fd, SW_PMD(0)));
		EXPECT_EQ(-21ULL, pfm_value(fd, SW_PMD(1)));
		sampler_close(&self->s);
	}
}

/* A message that nobody reads: the next one is lost, and that is counted. */
TEST_F(smpl, nobody_reads_the_messages)
{
	int n;

	sample_until(self, 0, 10, NOTIFY);
	for (n = 1; n <= 4; n++) {
		puppet_do(&self->p, OP_FAULT, 20);
		EXPECT_TRUE(pfm_state_is(self->s.fd, "masked"));
		EXPECT_EQ(10ULL, self->s.hdr->hdr_count);
		EXPECT_EQ((u64)n, self->s.hdr->hdr_overflows);
		EXPECT_EQ(1ULL, pfm_fdinfo_num(self->s.fd, "pfm-queued"));
		EXPECT_EQ((u64)n - 1, pfm_fdinfo_num(self->s.fd, "pfm-lost"));
		MUST(pfm_restart(self->s.fd));
	}
	EXPECT_EQ(CTR(0), overflowed(self->s.fd));
}

/* ------------------------------------------------------------------------
 * PFM_RESTART
 */

/* "The rest of the buffer is not touched." */
TEST_F(smpl, restart_resets_the_header)
{
	static char copy[ROOMY];
	dfl_hdr_t hdr;

	sampler_open(&self->s, 0, 4096, 0);
	sample_faults(self->s.fd, 0, 1, NOTIFY, COUNTERS);
	attach(self->s.fd, self->p.tid);
	puppet_do(&self->p, OP_FAULT, 200);
	memcpy(copy, self->s.hdr, self->s.size);
	memcpy(&hdr, copy, sizeof(hdr));
	ASSERT_LT(0ULL, hdr.hdr_count);
	MUST(pfm_restart(self->s.fd));
	check_hdr(_metadata, &self->s, 0, sizeof(dfl_hdr_t), 1);
	EXPECT_EQ(hdr.hdr_buf_size, self->s.hdr->hdr_buf_size);
	EXPECT_EQ(hdr.hdr_flags, self->s.hdr->hdr_flags);
	EXPECT_EQ(0, memcmp(copy + sizeof(hdr), dfl_first(&self->s),
			    self->s.size - sizeof(hdr)));
	/* What comes now is where the first one was. */
	puppet_do(&self->p, OP_FAULT, 1);
	check_hdr(_metadata, &self->s, 1, sizeof(dfl_hdr_t) +
		  sizeof(dfl_entry_t) + 64, 1);
	EXPECT_LT(((dfl_entry_t *)(copy + sizeof(hdr)))->tstamp,
		  nth(&self->s, 0, 8)->tstamp);
}

/* Figure 3.19: long for what filled the buffer, short for all before. */
TEST_F(smpl, restart_resets_the_last_one)
{
	int fd;

	sampler_open(&self->s, 0, size_for(5, 0), 0);
	fd = self->s.fd;
	choose(fd, 0, 0, FAULTS, NOTIFY, 0, 0);
	MUST(pfm_write_period(fd, SW_PMD(0), -3ULL, -10ULL, -3ULL));
	choose(fd, 0, 1, FAULTS, NOTIFY, 0, 0);
	MUST(pfm_write_period(fd, SW_PMD(1), -4ULL, -20ULL, -4ULL));
	attach(fd, self->p.tid);
	/* At faults 3, 4, 6, 8, 9. */
	puppet_do(&self->p, OP_FAULT, 30);
	ASSERT_EQ(5ULL, self->s.hdr->hdr_count);
	EXPECT_EQ(CTR(0), overflowed(fd));
	EXPECT_EQ(0ULL, pfm_value(fd, SW_PMD(0)));
	EXPECT_EQ(-3ULL, pfm_value(fd, SW_PMD(1)));
	MUST(pfm_restart(fd));
	EXPECT_EQ(-10ULL, pfm_value(fd, SW_PMD(0)));
	EXPECT_EQ(-3ULL, pfm_value(fd, SW_PMD(1)));
	EXPECT_EQ(-10ULL, last_reset(fd, 0));
	EXPECT_EQ(-4ULL, last_reset(fd, 1));
	/* At faults 3 and 7 by counter 1, 10 by 0, 11 by 1, 13 by 0. */
	puppet_do(&self->p, OP_FAULT, 13);
	ASSERT_EQ(5ULL, self->s.hdr->hdr_count);
	EXPECT_EQ(SW_PMD(1), nth(&self->s, 1, 0)->ovfl_pmd);
	EXPECT_EQ(SW_PMD(0), nth(&self->s, 2, 0)->ovfl_pmd);
	EXPECT_EQ(-10ULL, nth(&self->s, 2, 0)->last_reset_val);
	EXPECT_EQ(SW_PMD(1), nth(&self->s, 3, 0)->ovfl_pmd);
	EXPECT_EQ(-4ULL, nth(&self->s, 3, 0)->last_reset_val);
	EXPECT_EQ(-3ULL, nth(&self->s, 4, 0)->last_reset_val);
}

/* One does not fill the buffer, the next one does: no reset before both. */
TEST_F(smpl, restart_resets_all_that_came_together)
{
	int fd, i;

	sampler_open(&self->s, 0, size_for(6, 0), 0);
	fd = self->s.fd;
	for (i = 0; i < 2; i++) {
		choose(fd, 0, i, FAULTS, NOTIFY, 0, 0);
		MUST(pfm_write_period(fd, SW_PMD(i), -5ULL, -10 - (u64)i,
				      -5ULL));
	}
	attach(fd, self->p.tid);
	puppet_do(&self->p, OP_FAULT, 30);
	ASSERT_EQ(6ULL, self->s.hdr->hdr_count);
	EXPECT_EQ(CTR(0) | CTR(1), overflowed(fd));
	EXPECT_EQ(0ULL, pfm_value(fd, SW_PMD(0)));
	EXPECT_EQ(0ULL, pfm_value(fd, SW_PMD(1)));
	MUST(pfm_restart(fd));
	EXPECT_EQ(-10ULL, pfm_value(fd, SW_PMD(0)));
	EXPECT_EQ(-11ULL, pfm_value(fd, SW_PMD(1)));
}

/* "Simply resets the buffer header" (3.6.5), and nothing but that. */
TEST_F(smpl, active_restart)
{
	u64 faults = 0;
	int fd, n;

	sampler_open(&self->s, 0, ROOMY, 0);
	fd = self->s.fd;
	choose(fd, 0, 0, FAULTS, NOTIFY, 0, CTR(1));
	MUST(pfm_write_period(fd, SW_PMD(0), -5ULL, -100ULL, -5ULL));
	choose(fd, 0, 1, FAULTS, 0, 0, 0);
	MUST(pfm_write_period(fd, SW_PMD(1), 1000, 2000, 3000));
	EXPECT_EQ(-EBUSY, pfm_restart(fd));
	attach(fd, self->p.tid);
	for (n = 0; n < 5; n++) {
		u64 before = faults / 5;

		puppet_do(&self->p, OP_FAULT, 12);
		faults += 12;
		EXPECT_EQ(faults / 5 - before, self->s.hdr->hdr_count);
		ASSERT_EQ(0, pfm_restart(fd));
		check_hdr(_metadata, &self->s, 0, sizeof(dfl_hdr_t), 0);
		EXPECT_TRUE(pfm_state_is(fd, "loaded"));
		EXPECT_EQ(faults % 5 - 5, pfm_value(fd, SW_PMD(0)));
		EXPECT_EQ(faults % 5 + 3000, pfm_value(fd, SW_PMD(1)));
		EXPECT_EQ(-5ULL, last_reset(fd, 0));
	}
	EXPECT_EQ(0U, overflowed(fd));
}

/* Stopped, it is not masked; the buffer is reset all the same. */
TEST_F(smpl, restart_while_stopped)
{
	sample_until(self, 0, 10, NOTIFY);
	puppet_do(&self->p, OP_FAULT, 3);
	MUST(pfm_stop(self->s.fd));
	EXPECT_EQ(3ULL, self->s.hdr->hdr_count);
	ASSERT_EQ(0, pfm_restart(self->s.fd));
	EXPECT_EQ(0ULL, self->s.hdr->hdr_count);
	puppet_do(&self->p, OP_FAULT, 3);
	EXPECT_EQ(0ULL, self->s.hdr->hdr_count);
	MUST(pfm_start(self->s.fd));
	/* Full, then stopped, then restarted: stopped it stays. */
	puppet_do(&self->p, OP_FAULT, 30);
	EXPECT_EQ(10ULL, self->s.hdr->hdr_count);
	MUST(pfm_stop(self->s.fd));
	EXPECT_TRUE(pfm_state_is(self->s.fd, "masked"));
	ASSERT_EQ(0, pfm_restart(self->s.fd));
	EXPECT_TRUE(pfm_state_is(self->s.fd, "loaded"));
	puppet_do(&self->p, OP_FAULT, 3);
	check_hdr(_metadata, &self->s, 0, sizeof(dfl_hdr_t), 1);
	MUST(pfm_start(self->s.fd));
	puppet_do(&self->p, OP_FAULT, 3);
	EXPECT_EQ(3ULL, self->s.hdr->hdr_count);
}

/*
 * PFM_RESTART finds an overflow that nobody has seen yet, and that fills the
 * buffer: it came before. Masked with an empty buffer it would be for ever.
 */
TEST_F(smpl, restart_that_finds_an_overflow)
{
	u64 period = 2000;
	int n;

	sampler_open(&self->s, 0, size_for(1, 0), 0);
	choose(self->s.fd, 0, 0, PFM_SW_TASK_CLOCK, 0, 0, 0);
	MUST(pfm_write_period(self->s.fd, SW_PMD(0), -period, -period,
			      -period));
	attach(self->s.fd, my_tid());
	for (n = 0; n < 500; n++) {
		ASSERT_EQ(0, pfm_restart(self->s.fd));
		if (pfm_state_is(self->s.fd, "masked")) {
			ASSERT_EQ(1ULL, self->s.hdr->hdr_count);
		}
	}
	EXPECT_LT(0ULL, self->s.hdr->hdr_overflows);
}

/* The PMDs that go with a period: short at each sample, long when full. */
TEST_F(smpl, reset_pmds)
{
	int fd, n;

	sampler_open(&self->s, 0, size_for(6, 1), 0);
	fd = self->s.fd;
	choose(fd, 0, 0, FAULTS, NOTIFY, CTR(1), CTR(1) | CTR(3));
	MUST(pfm_write_period(fd, SW_PMD(0), -4ULL, -9ULL, -4ULL));
	choose(fd, 0, 1, FAULTS, 0, 0, 0);
	MUST(pfm_write_period(fd, SW_PMD(1), 50, 500, 0));
	/* This one does not count. */
	MUST(pfm_write_period(fd, SW_PMD(3), 30, 31, 32));
	attach(fd, self->p.tid);
	puppet_do(&self->p, OP_FAULT, 4);
	EXPECT_EQ(0ULL, pfm_value(fd, SW_PMD(1)));
	EXPECT_EQ(32ULL, pfm_value(fd, SW_PMD(3)));
	puppet_do(&self->p, OP_FAULT, 40);
	ASSERT_EQ(6ULL, self->s.hdr->hdr_count);
	for (n = 0; n < 6; n++)
		EXPECT_EQ(n ? 4ULL : 54ULL,
			  values_of(nth(&self->s, (u64)n, 1))[0]);
	/* Masked: not yet. */
	EXPECT_EQ(4ULL, pfm_value(fd, SW_PMD(1)));
	EXPECT_EQ(32ULL, pfm_value(fd, SW_PMD(3)));
	MUST(pfm_restart(fd));
	EXPECT_EQ(-9ULL, pfm_value(fd, SW_PMD(0)));
	EXPECT_EQ(500ULL, pfm_value(fd, SW_PMD(1)));
	EXPECT_EQ(31ULL, pfm_value(fd, SW_PMD(3)));
}

/* ------------------------------------------------------------------------
 * Randomised periods (3.4.2)
 */

#define MASK	0xfULL

/* Park and Miller's generator by plain division. */
static u64 next_random(u64 *state)
{
	*state = *state * 16807 % 2147483647;
	return *state;
}

static void randomise(int fd, u64 base, u64 long_base, u32 seed)
{
	pfarg_pmd_t pmd = {
		.reg_num = (__u16)SW_PMD(0), .reg_value = -1ULL,
		.reg_long_reset = long_base, .reg_short_reset = base,
		.reg_random_mask = MASK, .reg_random_seed = seed,
	};

	choose(fd, 0, 0, FAULTS, NOTIFY | PFM_REGFL_RANDOM, CTR(1), 0);
	MUST(pfm(fd, PFM_WRITE_PMDS, &pmd, 1));
	choose(fd, 0, 1, FAULTS, 0, 0, 0);
	MUST(pfm_write_pmd(fd, SW_PMD(1), 0));
}

/* The series follows from the seed, and so do the samples. */
TEST_F(smpl, random_periods)
{
	static const u32 seeds[] = { 1, 4711, 0x7ffffffe };
	u64 base = -40ULL, n;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(seeds); i++) {
		u64 state = seeds[i], last = -1ULL, at = 0;

		sampler_open(&self->s, 0, ROOMY, 0);
		randomise(self->s.fd, base, -60ULL, seeds[i]);
		attach(self->s.fd, self->p.tid);
		puppet_do(&self->p, OP_FAULT, 1500);
		/* Periods are 25 to 40 faults. */
		ASSERT_LT(30ULL, self->s.hdr->hdr_count);
		for (n = 0; n < self->s.hdr->hdr_count; n++) {
			const dfl_entry_t *e = nth(&self->s, n, 1);

			ASSERT_EQ(last, e->last_reset_val);
			ASSERT_TRUE(!n || (e->last_reset_val >= base &&
					   e->last_reset_val <= base + MASK));
			/* It ended as many events after the one before. */
			at += -last;
			ASSERT_EQ(at, values_of(e)[0]);
			last = base + (next_random(&state) & MASK);
		}
		EXPECT_EQ(last, last_reset(self->s.fd, 0));
		sampler_close(&self->s);
	}
}

/* A long value takes the next of the same series. */
TEST_F(smpl, random_long_periods)
{
	u64 state = 99, n;

	sampler_open(&self->s, 0, size_for(4, 1), 0);
	randomise(self->s.fd, -40ULL, -80ULL, 99);
	attach(self->s.fd, self->p.tid);
	puppet_do(&self->p, OP_FAULT, 300);
	ASSERT_EQ(CTR(0), overflowed(self->s.fd));
	for (n = 1; n < 4; n++)
		EXPECT_EQ(-40 + (next_random(&state) & MASK),
			  nth(&self->s, n, 1)->last_reset_val);
	/* The last one has not been reset. */
	MUST(pfm_restart(self->s.fd));
	EXPECT_EQ(-80 + (next_random(&state) & MASK),
		  last_reset(self->s.fd, 0));
	puppet_do(&self->p, OP_FAULT, 300);
	ASSERT_EQ(CTR(0), overflowed(self->s.fd));
	for (n = 1; n < 4; n++)
		EXPECT_EQ(-40 + (next_random(&state) & MASK),
			  nth(&self->s, n, 1)->last_reset_val);
}

/* ------------------------------------------------------------------------
 * Event sets (3.7.7)
 */

/* Set @id is left when its counter @i has overflowed @thres times. */
static void make_set(int fd, int id, int i, u64 period, u64 long_reset,
		     u64 thres, u32 smpl)
{
	pfarg_setdesc_t desc = { .set_id = (__u16)id, .set_flags = OVFL };
	pfarg_pmd_t pmd = {
		.reg_num = (__u16)SW_PMD(i), .reg_set = (__u16)id,
		.reg_value = -period, .reg_long_reset = long_reset,
		.reg_short_reset = -period, .reg_ovflsw_thres = thres,
	};

	MUST(pfm(fd, PFM_CREATE_EVTSETS, &desc, 1));
	choose(fd, id, i, FAULTS, NOTIFY, smpl, 0);
	MUST(pfm(fd, PFM_WRITE_PMDS, &pmd, 1));
}

/* Each sample says in which set it was taken, and has that set's body. */
TEST_F(smpl, sets)
{
	static const struct {
		int set, pmd;
		unsigned int values;
	} want[] = {
		/* By turns: 2 * 3 faults in set 0, 5 in 7, 1 in 300. */
		{ 0, SW_PMD(0), 2 }, { 0, SW_PMD(0), 2 },
		{ 7, SW_PMD(1), 0 }, { 300, SW_PMD(0), 1 },
	};
	const char *at;
	u64 n, last;

	sampler_open(&self->s, 0, ROOMY, 0);
	make_set(self->s.fd, 0, 0, 3, -50ULL, 2, CTR(0) | CTR(4));
	make_set(self->s.fd, 7, 1, 5, -50ULL, 1, 0);
	make_set(self->s.fd, 300, 0, 1, -50ULL, 1, CTR(0));
	attach(self->s.fd, self->p.tid);
	puppet_do(&self->p, OP_FAULT, 12 * 20);
	ASSERT_EQ(4ULL * 20, self->s.hdr->hdr_count);
	at = dfl_first(&self->s);
	for (n = 0, last = 0; n < 4ULL * 20; n++) {
		const dfl_entry_t *e = (const void *)at;

		ASSERT_EQ(want[n % 4].set, e->set);
		ASSERT_EQ(want[n % 4].pmd, e->ovfl_pmd);
		ASSERT_EQ(self->p.tid, e->tid);
		ASSERT_LT(last, e->tstamp);
		if (want[n % 4].values) {
			ASSERT_EQ(0ULL, values_of(e)[0]);
		}
		last = e->tstamp;
		at += sizeof(*e) + 8 * want[n % 4].values;
	}
	EXPECT_EQ(self->s.hdr->hdr_cur_offs,
		  (u64)(at - (const char *)self->s.hdr));
}

/*
 * Full just when a switch is due: PFM_RESTART does it, and loads the long
 * values of what last overflowed in the set that comes.
 */
TEST_F(smpl, full_when_a_switch_is_due)
{
	pfm_msg_t msg;
	int fd;

	sampler_open(&self->s, 0, size_for(5, 0), 0);
	fd = self->s.fd;
	make_set(fd, 0, 0, 2, -7ULL, 1, 0);
	make_set(fd, 1, 1, 3, -11ULL, 1, 0);
	attach(fd, self->p.tid);
	/* At faults 2 and 5, 7 and 10, 12, which fills the buffer. */
	puppet_do(&self->p, OP_FAULT, 20);
	ASSERT_EQ(5ULL, self->s.hdr->hdr_count);
	EXPECT_EQ(0, nth(&self->s, 4, 0)->set);
	EXPECT_EQ(0ULL, pfm_fdinfo_num(fd, "pfm-set"));
	ASSERT_EQ(PFM_MSG_OVFL, pfm_next_msg(fd, &msg, 0));
	EXPECT_EQ(0, msg.pfm_ovfl_msg.msg_active_set);
	EXPECT_TRUE(vec_test(msg.pfm_ovfl_msg.msg_ovfl_pmds,
			     (unsigned int)SW_PMD(0)));
	MUST(pfm_restart(fd));
	EXPECT_EQ(1ULL, pfm_fdinfo_num(fd, "pfm-set"));
	EXPECT_EQ(-11ULL, read_pmd(fd, 1, 1).reg_value);
	puppet_do(&self->p, OP_FAULT, 13);
	ASSERT_EQ(2ULL, self->s.hdr->hdr_count);
	EXPECT_EQ(1, nth(&self->s, 0, 0)->set);
	EXPECT_EQ(-11ULL, nth(&self->s, 0, 0)->last_reset_val);
	EXPECT_EQ(0, nth(&self->s, 1, 0)->set);
	EXPECT_EQ(-2ULL, nth(&self->s, 1, 0)->last_reset_val);
}

/* The message names the set that was active. */
TEST_F(smpl, full_in_another_set)
{
	pfm_msg_t msg;

	sampler_open(&self->s, 0, size_for(2, 0), 0);
	make_set(self->s.fd, 0, 0, 2, -7ULL, 1, 0);
	make_set(self->s.fd, 9, 3, 3, -11ULL, 5, 0);
	attach(self->s.fd, self->p.tid);
	puppet_do(&self->p, OP_FAULT, 20);
	ASSERT_EQ(PFM_MSG_OVFL, pfm_next_msg(self->s.fd, &msg, 0));
	EXPECT_EQ(9, msg.pfm_ovfl_msg.msg_active_set);
	EXPECT_TRUE(vec_test(msg.pfm_ovfl_msg.msg_ovfl_pmds,
			     (unsigned int)SW_PMD(3)));
	EXPECT_EQ(9, nth(&self->s, 1, 0)->set);
}

/* ------------------------------------------------------------------------
 * Who is sampled
 */

/* Two threads of a process, two buffers: nothing gets into the wrong one. */
TEST_F(smpl, threads_of_a_process)
{
	struct sampler s[2];
	struct puppet p[2];
	int i, round;
	u64 n;

	for (i = 0; i < 2; i++) {
		start_puppet(&p[i], PUPPET_THREAD);
		sampler_open(&s[i], 0, ROOMY, 0);
		sample_faults(s[i].fd, 0, 1, 0, 0);
		attach(s[i].fd, p[i].tid);
	}
	for (round = 0; round < 10; round++)
		for (i = 0; i < 2; i++)
			puppet_do(&p[i], OP_FAULT, 10 + 5 * (unsigned int)i);
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(100ULL + 50 * (u64)i, s[i].hdr->hdr_count);
		for (n = 0; n < s[i].hdr->hdr_count; n++) {
			ASSERT_EQ(getpid(), nth(&s[i], n, 0)->pid);
			ASSERT_EQ(p[i].tid, nth(&s[i], n, 0)->tid);
		}
		sampler_close(&s[i]);
		puppet_stop(&p[i]);
	}
}

static u64 samples_of(const struct sampler *s, pid_t tid)
{
	u64 n, sum = 0;

	for (n = 0; n < s->hdr->hdr_count; n++)
		sum += nth(s, n, 0)->tid == tid;
	return sum;
}

/* A CPU's samples tell who ran, whoever it was. */
TEST_F(smpl, system_wide)
{
	int i, cpu = pin_somewhere();
	struct puppet p[2];
	u64 n;

	for (i = 0; i < 2; i++) {
		start_puppet(&p[i], i ? PUPPET_THREAD : PUPPET_PROCESS);
		puppet_do(&p[i], OP_PIN, (unsigned int)cpu);
	}
	sampler_open(&self->s, PFM_FL_SYSTEM_WIDE, 1 << 20, 0);
	sample_faults(self->s.fd, 0, 1, NOTIFY, 0);
	attach(self->s.fd, my_tid());
	puppet_do(&p[0], OP_FAULT, 123);
	puppet_do(&p[1], OP_FAULT, 321);
	puppet_do(&p[0], OP_FAULT, 100);
	MUST(pfm_stop(self->s.fd));
	ASSERT_EQ(0ULL, self->s.hdr->hdr_overflows);
	EXPECT_EQ(223ULL, samples_of(&self->s, p[0].tid));
	EXPECT_EQ(321ULL, samples_of(&self->s, p[1].tid));
	for (n = 0; n < self->s.hdr->hdr_count; n++) {
		const dfl_entry_t *e = nth(&self->s, n, 0);

		ASSERT_EQ(cpu, e->cpu);
		ASSERT_LT(0, e->tid);
		if (e->tid == p[0].tid) {
			ASSERT_EQ(p[0].tid, e->pid);
		}
		if (e->tid == p[1].tid) {
			ASSERT_EQ(getpid(), e->pid);
		}
	}
	for (i = 0; i < 2; i++)
		puppet_stop(&p[i]);
}

/* The idle thread is process 0. */
static int idle_session(struct sampler *s, u32 set_flags)
{
	pfarg_setdesc_t desc = { .set_flags = set_flags };

	pin_somewhere();
	sampler_open(s, PFM_FL_SYSTEM_WIDE, ROOMY, 0);
	MUST(pfm(s->fd, PFM_CREATE_EVTSETS, &desc, 1));
	choose(s->fd, 0, 0, PFM_SW_CSWITCHES, 0, 0, 0);
	MUST(pfm_write_period(s->fd, SW_PMD(0), -1ULL, -1ULL, -1ULL));
	attach(s->fd, my_tid());
	return s->fd;
}

TEST_F(smpl, the_idle_thread)
{
	int fd = idle_session(&self->s, 0);
	u64 n, seen = 0;

	while (!seen) {
		sleep_ms(2);
		seen = samples_of(&self->s, 0);
		for (n = 0; n < self->s.hdr->hdr_count; n++)
			EXPECT_EQ(!nth(&self->s, n, 0)->tid,
				  !nth(&self->s, n, 0)->pid);
		MUST(pfm_restart(fd));
	}
}

TEST_F(smpl, the_idle_thread_is_excluded)
{
	int n, fd = idle_session(&self->s, PFM_SETFL_EXCL_IDLE);
	u64 seen = 0;

	for (n = 0; n < 50 || !seen; n++) {
		sleep_ms(2);
		seen += samples_of(&self->s, my_tid());
		EXPECT_EQ(0ULL, samples_of(&self->s, 0));
		MUST(pfm_restart(fd));
	}
}

/* ------------------------------------------------------------------------
 * Name spaces
 */

/* Process 1 of a new name space of processes; the caller's exit ends it. */
static pid_t fork_in_pid_ns(void)
{
	pid_t pid;

	MUST(unshare(CLONE_NEWPID));
	pid = (pid_t)MUST(fork());
	if (!pid)
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	return pid;
}

/* In there: 0 if samples have the numbers that are known in there. */
static int sample_in_pid_ns(void)
{
	struct sampler s;
	struct puppet p;
	u64 n;

	start_puppet(&p, PUPPET_PROCESS);
	sampler_open(&s, 0, ROOMY, 0);
	sample_faults(s.fd, 0, 1, 0, 0);
	attach(s.fd, p.tid);
	puppet_do(&p, OP_FAULT, 10);
	if (getpid() != 1 || s.hdr->hdr_count != 10)
		return 1;
	for (n = 0; n < 10; n++)
		if (nth(&s, n, 0)->pid != p.tid || nth(&s, n, 0)->tid != p.tid)
			return 2;
	sampler_close(&s);
	/* And those of oneself, who is process 1. */
	sampler_open(&s, 0, ROOMY, 0);
	sample_faults(s.fd, 0, 1, 0, 0);
	attach(s.fd, my_tid());
	pages_touch(&p.pages, 10);
	MUST(pfm_stop(s.fd));
	for (n = 0; n < s.hdr->hdr_count; n++)
		if (nth(&s, n, 0)->pid != 1 || nth(&s, n, 0)->tid != 1)
			return 3;
	return n < 10 ? 4 : 0;
}

TEST_F(smpl, inside_a_pid_namespace)
{
	pid_t pid;

	NEED_ROOT();
	pid = fork_in_pid_ns();
	if (!pid)
		_exit(sample_in_pid_ns());
	EXPECT_EQ(0, reap(pid));
}

/* Whoever looks from outside sees the numbers that he knows. */
TEST_F(smpl, into_a_pid_namespace)
{
	int order[2], ack[2];
	pid_t pid;
	u64 n;

	NEED_ROOT();
	MUST(pipe(order));
	MUST(pipe(ack));
	pid = fork_in_pid_ns();
	if (!pid)
		toucher(order[0], ack[1]);
	tell_toucher(order[1], ack[0], 1);
	sampler_open(&self->s, 0, ROOMY, 0);
	sample_faults(self->s.fd, 0, 1, 0, 0);
	attach(self->s.fd, pid);
	tell_toucher(order[1], ack[0], 10);
	ASSERT_EQ(10ULL, self->s.hdr->hdr_count);
	for (n = 0; n < 10; n++) {
		EXPECT_EQ(pid, nth(&self->s, n, 0)->pid);
		EXPECT_EQ(pid, nth(&self->s, n, 0)->tid);
	}
	kill_and_reap(pid);
}

/* And from inside nothing is known of the numbers outside. */
static int sample_cpu_in_pid_ns(int cpu, int ready, int go)
{
	struct sampler s;
	u64 n, strange = 0;
	char c;

	pin_cpu(cpu);
	sampler_open(&s, PFM_FL_SYSTEM_WIDE, 1 << 20, 0);
	sample_faults(s.fd, 0, 1, 0, 0);
	attach(s.fd, my_tid());
	MUST(write(ready, "", 1));
	MUST(read(go, &c, 1));
	MUST(pfm_stop(s.fd));
	for (n = 0; n < s.hdr->hdr_count; n++) {
		const dfl_entry_t *e = nth(&s, n, 0);

		if (e->pid != 0 && e->pid != 1)
			return 1;
		if (e->pid != e->tid)
			return 2;
		strange += e->pid == 0;
	}
	return strange < 50 ? 3 : 0;
}

TEST_F(smpl, out_of_a_pid_namespace)
{
	int ready[2], go[2], cpu = pin_somewhere();
	pid_t pid;
	char c;

	NEED_ROOT();
	puppet_do(&self->p, OP_PIN, (unsigned int)cpu);
	MUST(pipe(ready));
	MUST(pipe(go));
	pid = fork_in_pid_ns();
	if (!pid)
		_exit(sample_cpu_in_pid_ns(cpu, ready[1], go[0]));
	MUST(read(ready[0], &c, 1));
	puppet_do(&self->p, OP_FAULT, 50);
	MUST(write(go[1], "", 1));
	EXPECT_EQ(0, reap(pid));
}

/* ------------------------------------------------------------------------
 * Flags of the context
 */

/* The thread waits when the buffer is full, and not before. */
TEST_F(smpl, notify_block)
{
	int round;

	sample_until(self, PFM_FL_NOTIFY_BLOCK, 10, NOTIFY);
	for (round = 1; round <= 3; round++) {
		puppet_do(&self->p, OP_FAULT, 9);
		EXPECT_EQ(9ULL, self->s.hdr->hdr_count);
		puppet_post(&self->p, OP_FAULT, 4);
		ASSERT_EQ(PFM_MSG_OVFL,
			  pfm_next_msg(self->s.fd, NULL, PATIENCE));
		EXPECT_FALSE(puppet_done(&self->p, 50));
		EXPECT_EQ(10ULL, self->s.hdr->hdr_count);
		EXPECT_EQ((u64)round, self->s.hdr->hdr_overflows);
		MUST(pfm_restart(self->s.fd));
		ASSERT_TRUE(puppet_done(&self->p, PATIENCE));
		/* None of its faults went by. */
		EXPECT_EQ(3ULL, self->s.hdr->hdr_count);
		MUST(pfm_restart(self->s.fd));
	}
}

/* Nobody would be told: it does not wait for a buffer that saturates. */
TEST_F(smpl, notify_block_when_saturated)
{
	sample_until(self, PFM_FL_NOTIFY_BLOCK, 10, 0);
	puppet_do(&self->p, OP_FAULT, 30);
	EXPECT_TRUE(pfm_state_is(self->s.fd, "masked"));
	EXPECT_EQ(10ULL, self->s.hdr->hdr_count);
	MUST(pfm_restart(self->s.fd));
	puppet_do(&self->p, OP_FAULT, 5);
	EXPECT_EQ(5ULL, self->s.hdr->hdr_count);
}

/* A blocked thread is let go with its context. */
TEST_F(smpl, notify_block_and_close)
{
	sample_until(self, PFM_FL_NOTIFY_BLOCK, 10, NOTIFY);
	puppet_post(&self->p, OP_FAULT, 30);
	ASSERT_EQ(PFM_MSG_OVFL, pfm_next_msg(self->s.fd, NULL, PATIENCE));
	EXPECT_FALSE(puppet_done(&self->p, 20));
	sampler_close(&self->s);
	EXPECT_TRUE(puppet_done(&self->p, PATIENCE));
}

static volatile sig_atomic_t hits;

static void count_signal(int sig)
{
	(void)sig;
	hits++;
}

/* The signal is all that says that the buffer is full. */
TEST_F(smpl, no_message)
{
	struct sigaction sa = {
		.sa_handler = count_signal, .sa_flags = SA_RESTART,
	};
	int n;

	MUST(sigaction(SIGIO, &sa, NULL));
	sample_until(self, PFM_FL_OVFL_NO_MSG, 10, NOTIFY);
	MUST(fcntl(self->s.fd, F_SETOWN, getpid()));
	MUST(fcntl(self->s.fd, F_SETFL, O_ASYNC | O_NONBLOCK));
	for (n = 1; n <= 5; n++) {
		puppet_do(&self->p, OP_FAULT, 9);
		EXPECT_EQ(n - 1, hits);
		puppet_do(&self->p, OP_FAULT, 9);
		while (hits < n)
			sleep_ms(1);
		EXPECT_EQ(n, hits);
		EXPECT_TRUE(pfm_state_is(self->s.fd, "masked"));
		EXPECT_EQ(10ULL, self->s.hdr->hdr_count);
		EXPECT_EQ(0, pfm_poll(self->s.fd, 0) & POLLIN);
		MUST(pfm_restart(self->s.fd));
	}
	EXPECT_EQ(0ULL, pfm_fdinfo_num(self->s.fd, "pfm-lost"));
}

/* ------------------------------------------------------------------------
 * After the end
 */

static void check_row(struct __test_metadata *_metadata,
		      const struct sampler *s, u64 from, u64 to, pid_t tid)
{
	for (; from < to; from++) {
		EXPECT_EQ(tid, nth(s, from, 0)->tid);
		EXPECT_EQ(SW_PMD(0), nth(s, from, 0)->ovfl_pmd);
		EXPECT_LT(0ULL, nth(s, from, 0)->tstamp);
	}
}

/* Unloaded, the samples are there; loaded anew, others follow them. */
TEST_F(smpl, unload_and_load)
{
	struct puppet other;

	start_puppet(&other, PUPPET_PROCESS);
	sampler_open(&self->s, 0, ROOMY, 0);
	sample_faults(self->s.fd, 0, 2, 0, 0);
	attach(self->s.fd, self->p.tid);
	puppet_do(&self->p, OP_FAULT, 20);
	MUST(pfm_unload(self->s.fd));
	puppet_do(&self->p, OP_FAULT, 20);
	EXPECT_EQ(10ULL, self->s.hdr->hdr_count);
	check_row(_metadata, &self->s, 0, 10, self->p.tid);
	EXPECT_EQ(-EBUSY, pfm_restart(self->s.fd));
	attach(self->s.fd, other.tid);
	puppet_do(&other, OP_FAULT, 10);
	EXPECT_EQ(15ULL, self->s.hdr->hdr_count);
	check_row(_metadata, &self->s, 0, 10, self->p.tid);
	check_row(_metadata, &self->s, 10, 15, other.tid);
	puppet_stop(&other);
}

TEST_F(smpl, end_of_the_thread)
{
	struct puppet p;

	start_puppet(&p, PUPPET_PROCESS);
	sampler_open(&self->s, 0, ROOMY, 0);
	sample_faults(self->s.fd, 0, 1, 0, 0);
	attach(self->s.fd, p.tid);
	puppet_do(&p, OP_FAULT, 25);
	kill_and_reap(p.tid);
	EXPECT_EQ(PFM_MSG_END, pfm_next_msg(self->s.fd, NULL, PATIENCE));
	/* Dying may have cost it a fault or two. */
	EXPECT_LE(25ULL, self->s.hdr->hdr_count);
	check_row(_metadata, &self->s, 0, 25, p.tid);
	attach(self->s.fd, self->p.tid);
	puppet_do(&self->p, OP_FAULT, 3);
	EXPECT_LE(28ULL, self->s.hdr->hdr_count);
	check_row(_metadata, &self->s, self->s.hdr->hdr_count - 3,
		  self->s.hdr->hdr_count, self->p.tid);
}

/* What was full stays full; the next overflow says so again. */
TEST_F(smpl, unload_when_full)
{
	u64 offs;

	sample_until(self, 0, 10, NOTIFY);
	puppet_do(&self->p, OP_FAULT, 20);
	EXPECT_EQ(CTR(0), overflowed(self->s.fd));
	offs = self->s.hdr->hdr_cur_offs;
	MUST(pfm_unload(self->s.fd));
	check_hdr(_metadata, &self->s, 10, offs, 1);
	MUST(pfm_write_period(self->s.fd, SW_PMD(0), -4ULL, -1ULL, -1ULL));
	attach(self->s.fd, self->p.tid);
	puppet_do(&self->p, OP_FAULT, 20);
	EXPECT_TRUE(pfm_state_is(self->s.fd, "masked"));
	EXPECT_EQ(CTR(0), overflowed(self->s.fd));
	EXPECT_LE(10ULL, self->s.hdr->hdr_count);
	EXPECT_GE(self->s.hdr->hdr_buf_size, self->s.hdr->hdr_cur_offs);
	EXPECT_EQ(0ULL, pfm_value(self->s.fd, SW_PMD(0)));
	MUST(pfm_restart(self->s.fd));
	check_hdr(_metadata, &self->s, 0, sizeof(dfl_hdr_t),
		  self->s.hdr->hdr_overflows);
	puppet_do(&self->p, OP_FAULT, 3);
	EXPECT_EQ(3ULL, self->s.hdr->hdr_count);
}

/* ------------------------------------------------------------------------
 * What a sample must not tell
 */

/* Has the kernel work for us, for some milliseconds. */
static void work_in_the_kernel(void)
{
	size_t size = 4 << 20;
	void *mem = mmap(NULL, size, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	if (mem == MAP_FAILED)
		die("mmap: %s", strerror(errno));
	munmap(mem, size);
}

/*
 * As somebody: 0 if samples of one's own time that were taken in the kernel
 * say where there, 1 if they do not.
 */
static int kernel_is_hidden(bool root, u64 samples)
{
	pid_t pid = fork_child();
	struct sampler s;
	u64 n, seen = 0;

	if (pid)
		return reap(pid);
	if (!root)
		become(NOBODY);
	sampler_open(&s, 0, ROOMY, 0);
	choose(s.fd, 0, 0, PFM_SW_TASK_CLOCK, 0, 0, 0);
	MUST(pfm_write_period(s.fd, SW_PMD(0), -200000ULL, -200000ULL,
			      -200000ULL));
	attach(s.fd, my_tid());
	while (seen < samples) {
		work_in_the_kernel();
		MUST(pfm_stop(s.fd));
		for (n = 0; n < s.hdr->hdr_count; n++) {
			u64 ip = nth(&s, n, 0)->ip;

			if (!ip)
				_exit(2);
			if (!is_own_code(ip))
				_exit(0);
		}
		seen += n;
		MUST(pfm_restart(s.fd));
		MUST(pfm_start(s.fd));
	}
	_exit(1);
}

FIXTURE(hidden) {
	char saved[16];
};

FIXTURE_SETUP(hidden)
{
	if (read_text(HARDENED, self->saved, sizeof(self->saved)) < 0)
		die("no " HARDENED);
}

FIXTURE_TEARDOWN(hidden)
{
	if (is_root())
		write_text(HARDENED, self->saved);
}

TEST_F(hidden, kernel_addresses)
{
	u64 enough = is_slow() ? 50 : 300;

	NEED_ROOT();
	harden(true);
	EXPECT_EQ(1, kernel_is_hidden(false, enough));
	EXPECT_EQ(0, kernel_is_hidden(true, 1000000));
}

TEST_F(hidden, kernel_addresses_when_open)
{
	NEED_ROOT();
	harden(false);
	EXPECT_EQ(0, kernel_is_hidden(false, 1000000));
	EXPECT_EQ(0, kernel_is_hidden(true, 1000000));
}

TEST_HARNESS_MAIN
