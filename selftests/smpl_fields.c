// SPDX-License-Identifier: GPL-2.0-only
/*
 * The fields of a sample of the default format (3.6.4): process, thread, CPU,
 * set, time, instruction pointer, the last reset value; and that a sample
 * tells no kernel address to those who may not know them.
 *
 * Not here: the values that follow (smpl_body.c), samples of other threads and
 * CPUs, name spaces (smpl_task.c).
 */
#include "smpl_default.h"
#include "toucher.h"

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

TEST_F(smpl, ip_in_another_process)
{
	struct toucher t;
	u64 n;

	toucher_start(&t, fork_child);
	sampler_open(&self->s, 0, ROOMY, 0);
	sample_faults(self->s.fd, 0, 3, 0, 0);
	attach(self->s.fd, t.pid);
	toucher_do(&t, 300);
	ASSERT_EQ(100ULL, self->s.hdr->hdr_count);
	for (n = 0; n < 100; n++) {
		ASSERT_TRUE(in_touch(nth(&self->s, n, 0)->ip)) {
			TH_LOG("%#llx", nth(&self->s, n, 0)->ip);
		}
	}
	kill_and_reap(t.pid);
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
 * As root or as another user: 0 if samples of the process' own CPU time show
 * addresses in the kernel, 1 if they do not.
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
	if (is_confidential()) {
		EXPECT_EQ(1, kernel_is_hidden(true, enough));
	} else {
		EXPECT_EQ(0, kernel_is_hidden(true, 1000000));
	}
}

TEST_F(hidden, kernel_addresses_when_open)
{
	NEED_ROOT();
	harden(false);
	EXPECT_EQ(0, kernel_is_hidden(false, 1000000));
	EXPECT_EQ(0, kernel_is_hidden(true, 1000000));
}

TEST_HARNESS_MAIN
