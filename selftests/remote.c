// SPDX-License-Identifier: GPL-2.0-only
/*
 * A controller that reads, writes, stops, starts and reloads the context of
 * a thread while that thread runs on another CPU, some thousand times:
 * nothing goes backwards, nothing is lost, nothing is counted twice.
 *
 * Not here: threads that exit or move meanwhile in numbers (stress.c).
 */
#include "puppet.h"

#define TURNS	2000

/*
 * Whether turn @n of a loop is to be taken: there are TURNS, or as many as a
 * half a second is for, where the emulator takes long to reach the other CPU.
 * A pause now and then is for the other thread, if it shares our CPU.
 */
static bool turn(int n)
{
	static u64 end;

	if (n % 64 == 0)
		usleep(200);
	if (!n)
		end = now_ns(CLOCK_MONOTONIC) + NSEC_PER_SEC / 2;
	return n < TURNS && (n < 10 || now_ns(CLOCK_MONOTONIC) < end);
}

/*
 * Whether there is need of one more when the loop has seen nothing yet: the
 * other thread's CPU may be standing still. Not for ever.
 */
static bool one_more(bool seen)
{
	static u64 tries;

	if (seen || ++tries > PATIENCE)
		return false;
	sleep_ms(1);
	return true;
}

struct shared {
	volatile bool stop;
	volatile u64 faults;
};

static struct shared *shared_page(void)
{
	struct shared *s = mmap(NULL, sizeof(*s), PROT_READ | PROT_WRITE,
				MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (s == MAP_FAILED)
		die("mmap: %s", strerror(errno));
	return s;
}

/* A process that faults pages in and throws them away until told to stop. */
static pid_t faulter(struct shared *s, int cpu)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), size = 64 * page, i;
	pid_t pid = fork_child();
	volatile char *p;

	if (pid)
		return pid;
	if (cpu >= 0)
		pin_cpu(cpu);
	p = mmap(NULL, size, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	madvise((void *)p, size, MADV_NOHUGEPAGE);
	while (!s->stop) {
		for (i = 0; i < size; i += page) {
			p[i] = 1;
			s->faults++;
		}
		madvise((void *)p, size, MADV_DONTNEED);
	}
	/* At rest, still there to be asked about. */
	for (;;)
		pause();
}

static void quiet(struct shared *s, pid_t pid)
{
	s->stop = true;
	wait_rest(pid, "S");
}

FIXTURE(remote) {
	struct shared *s;
	pid_t pid;
	int fd;
};

FIXTURE_VARIANT(remote) {
	bool pinned;
};

/* On another CPU all the time, or wherever the scheduler puts it. */
FIXTURE_VARIANT_ADD(remote, other_cpu) { .pinned = true };
FIXTURE_VARIANT_ADD(remote, any_cpu) { .pinned = false };

FIXTURE_SETUP(remote)
{
	int cpus[2] = { 0, 0 }, n = my_cpus(cpus, 2);

	self->s = shared_page();
	self->pid = faulter(self->s, variant->pinned && n == 2 ? cpus[1] : -1);
	if (variant->pinned)
		pin_cpu(cpus[0]);
	while (self->s->faults < 1000)
		sleep_ms(1);
	self->fd = (int)MUST(pfm_create(0));
}

FIXTURE_TEARDOWN(remote)
{
	close(self->fd);
	kill_and_reap(self->pid);
}

TEST_F(remote, reads)
{
	static const int events[3] = {
		PFM_SW_MINOR_FAULTS, PFM_SW_TASK_CLOCK, PFM_SW_CSWITCHES,
	};
	u64 last[3] = {}, base, final;
	int i, n;

	for (i = 0; i < 3; i++)
		MUST(pfm_write_pmc(self->fd, SW_PMC(i), (u64)events[i], 0));
	MUST(pfm_load(self->fd, self->pid));
	base = self->s->faults;
	MUST(pfm_start(self->fd));
	for (n = 0; turn(n) || one_more(last[0] > 100); n++) {
		pfarg_pmd_t pmd[3] = {};

		for (i = 0; i < 3; i++)
			pmd[i].reg_num = (__u16)SW_PMD(i);
		ASSERT_EQ(0, pfm(self->fd, PFM_READ_PMDS, pmd, 3));
		for (i = 0; i < 3; i++) {
			ASSERT_LE(last[i], pmd[i].reg_value);
			last[i] = pmd[i].reg_value;
		}
		/* It cannot have counted what has not happened yet. */
		ASSERT_LE(last[0], self->s->faults - base + 200);
	}
	EXPECT_LT(100ULL, last[0]);
	EXPECT_LT(0ULL, last[1]);
	quiet(self->s, self->pid);
	final = pfm_value(self->fd, SW_PMD(0));
	EXPECT_LE(last[0], final);
}

/* From a rest to a rest, with thousands of reads between: exact. */
TEST_F(remote, reads_lose_nothing)
{
	u64 base, seen = 0;
	int n;

	MUST(pfm_write_pmc(self->fd, SW_PMC(0), PFM_SW_MINOR_FAULTS, 0));
	kill(self->pid, SIGSTOP);
	wait_rest(self->pid, "T");
	base = thread_minor_faults(self->pid);
	MUST(pfm_load(self->fd, self->pid));
	MUST(pfm_start(self->fd));
	kill(self->pid, SIGCONT);
	for (n = 0; turn(n) || one_more(seen > 500); n++)
		seen = pfm_value(self->fd, SW_PMD(0));
	quiet(self->s, self->pid);
	EXPECT_LT(500ULL, seen);
	EXPECT_EQ(thread_minor_faults(self->pid) - base,
		  pfm_value(self->fd, SW_PMD(0)));
}

TEST_F(remote, stop_and_start)
{
	u64 last = 0, a, b;
	int n, grew = 0;

	MUST(pfm_write_pmc(self->fd, SW_PMC(0), PFM_SW_MINOR_FAULTS, 0));
	MUST(pfm_load(self->fd, self->pid));
	for (n = 0; turn(n) || one_more(grew); n++) {
		ASSERT_EQ(0, pfm_start(self->fd));
		a = pfm_value(self->fd, SW_PMD(0));
		ASSERT_LE(last, a);
		if (!grew)
			usleep((useconds_t)n);
		ASSERT_EQ(0, pfm_stop(self->fd));
		a = pfm_value(self->fd, SW_PMD(0));
		b = pfm_value(self->fd, SW_PMD(0));
		/* Stopped is stopped when the call returns. */
		ASSERT_EQ(a, b);
		grew += a > last;
		last = a;
	}
	EXPECT_LT(0, grew);
	EXPECT_GE(self->s->faults + 200, last);
}

/*
 * Harvest and clear while stopped, against a second counter that is never
 * cleared: the harvests sum up to it.
 */
TEST_F(remote, harvests_add_up)
{
	u64 sum = 0;
	int n;

	MUST(pfm_write_pmc(self->fd, SW_PMC(0), PFM_SW_MINOR_FAULTS, 0));
	MUST(pfm_write_pmc(self->fd, SW_PMC(1), PFM_SW_MINOR_FAULTS, 0));
	MUST(pfm_load(self->fd, self->pid));
	for (n = 0; turn(n) || one_more(sum); n++) {
		MUST(pfm_start(self->fd));
		if (n % 16 == 0)
			usleep(100);
		MUST(pfm_stop(self->fd));
		sum += pfm_value(self->fd, SW_PMD(0));
		MUST(pfm_write_pmd(self->fd, SW_PMD(0), 0));
	}
	EXPECT_LT(0ULL, sum);
	EXPECT_EQ(sum, pfm_value(self->fd, SW_PMD(1)));
}

/* A write lands once, between two events, not before and after. */
TEST_F(remote, writes)
{
	int n;

	MUST(pfm_write_pmc(self->fd, SW_PMC(0), PFM_SW_MINOR_FAULTS, 0));
	MUST(pfm_write_pmc(self->fd, SW_PMC(1), PFM_SW_MINOR_FAULTS, 0));
	MUST(pfm_load(self->fd, self->pid));
	MUST(pfm_start(self->fd));
	for (n = 1; turn(n - 1); n++) {
		u64 target = (u64)n << 40, seen;

		ASSERT_EQ(0, pfm_write_pmd(self->fd, SW_PMD(0), target));
		seen = pfm_value(self->fd, SW_PMD(0));
		ASSERT_LE(target, seen);
		ASSERT_GT(target + (1ULL << 32), seen);
	}
}

TEST_F(remote, events_change)
{
	int n;
	u64 seen;

	MUST(pfm_load(self->fd, self->pid));
	MUST(pfm_start(self->fd));
	for (n = 0; turn(n); n++) {
		MUST(pfm_write_pmc(self->fd, SW_PMC(0), PFM_SW_NONE, 0));
		MUST(pfm_write_pmd(self->fd, SW_PMD(0), 0));
		MUST(pfm_write_pmc(self->fd, SW_PMC(0), PFM_SW_MAJOR_FAULTS,
				   0));
		MUST(pfm_write_pmc(self->fd, SW_PMC(0), PFM_SW_NONE, 0));
		seen = pfm_value(self->fd, SW_PMD(0));
		/* Anonymous memory has no major faults to count. */
		ASSERT_EQ(0ULL, seen);
		MUST(pfm_write_pmc(self->fd, SW_PMC(0), PFM_SW_MINOR_FAULTS,
				   0));
		ASSERT_GT(1ULL << 32, pfm_value(self->fd, SW_PMD(0)));
	}
}

TEST_F(remote, load_and_unload)
{
	u64 last = 0, seen;
	int n;

	MUST(pfm_write_pmc(self->fd, SW_PMC(0), PFM_SW_MINOR_FAULTS, 0));
	for (n = 0; turn(n) || one_more(last); n++) {
		ASSERT_EQ(0, pfm_load(self->fd, self->pid));
		ASSERT_EQ(0, pfm_start(self->fd));
		seen = pfm_value(self->fd, SW_PMD(0));
		ASSERT_LE(last, seen);
		if (!last)
			usleep((useconds_t)n);
		ASSERT_EQ(0, pfm_unload(self->fd));
		seen = pfm_value(self->fd, SW_PMD(0));
		ASSERT_LE(last, seen);
		ASSERT_EQ(seen, pfm_value(self->fd, SW_PMD(0)));
		last = seen;
	}
	EXPECT_LT(0ULL, last);
	EXPECT_GE(self->s->faults + 200, last);
}

struct reader {
	pthread_t thread;
	FIXTURE_DATA(remote) *r;
	u64 last, end;
	bool back;
};

static void *reader_main(void *arg)
{
	struct reader *r = arg;
	u64 late = r->end + PATIENCE * NSEC_PER_MSEC, now, seen;
	int n = 0;

	do {
		seen = pfm_value(r->r->fd, SW_PMD(0));

		r->back |= seen < r->last;
		r->last = seen;
		now = now_ns(CLOCK_MONOTONIC);
	} while ((++n < TURNS / 2 && now < r->end) || (!seen && now < late));
	return NULL;
}

/* Four controllers of one context at once. */
TEST_F(remote, several_readers)
{
	struct reader r[4] = {};
	int i;

	MUST(pfm_write_pmc(self->fd, SW_PMC(0), PFM_SW_MINOR_FAULTS, 0));
	MUST(pfm_load(self->fd, self->pid));
	MUST(pfm_start(self->fd));
	for (i = 0; i < 4; i++) {
		r[i].r = self;
		r[i].end = now_ns(CLOCK_MONOTONIC) + NSEC_PER_SEC / 2;
		ASSERT_EQ(0, pthread_create(&r[i].thread, NULL, reader_main,
					    &r[i]));
	}
	for (i = 0; i < 4; i++) {
		pthread_join(r[i].thread, NULL);
		EXPECT_FALSE(r[i].back);
		EXPECT_LT(0ULL, r[i].last);
	}
}

/* Overflows and restarts against a thread that never waits. */
TEST_F(remote, restarts)
{
	u64 total = 0;
	int n;

	MUST(pfm_write_pmc(self->fd, SW_PMC(0), PFM_SW_MINOR_FAULTS,
			   PFM_REGFL_OVFL_NOTIFY));
	MUST(pfm_write_period(self->fd, SW_PMD(0), -10ULL, -10ULL, 0));
	MUST(pfm_write_pmc(self->fd, SW_PMC(1), PFM_SW_MINOR_FAULTS, 0));
	MUST(pfm_load(self->fd, self->pid));
	MUST(pfm_start(self->fd));
	for (n = 0; n < TURNS / 10 && turn(n); n++) {
		ASSERT_EQ(PFM_MSG_OVFL, pfm_next_msg(self->fd, NULL, PATIENCE));
		total += 10;
		/* Ten events a period, whatever the thread does meanwhile. */
		ASSERT_EQ(total, pfm_value(self->fd, SW_PMD(1)));
		ASSERT_EQ(0, pfm_restart(self->fd));
	}
}

TEST_HARNESS_MAIN
