// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the software PMU counts, against the kernel's own counts of the same
 * thread in /proc: exactly, at rest. Counting only while started, 64-bit
 * wrap, several counters of one event, the task clock's period.
 *
 * Not here: system-wide counting (soft_cpu.c), the virtual registers
 * (virtual.c), overflow handling (overflow.c).
 */
#include "puppet.h"

FIXTURE(soft) {
	struct puppet p;
	int fd;
};

FIXTURE_VARIANT(soft) {
	enum puppet_kind kind;
};

FIXTURE_VARIANT_ADD(soft, process) { .kind = PUPPET_PROCESS };
FIXTURE_VARIANT_ADD(soft, thread) { .kind = PUPPET_THREAD };

FIXTURE_SETUP(soft)
{
	puppet_start(&self->p, variant->kind);
	self->fd = (int)MUST(pfm_create(0));
}

FIXTURE_TEARDOWN(soft)
{
	close(self->fd);
	puppet_stop(&self->p);
}

static void start_event(FIXTURE_DATA(soft) *s, int event)
{
	MUST(pfm_write_pmc(s->fd, SW_PMC(0), (u64)event, 0));
	puppet_settle(&s->p);
	MUST(pfm_load(s->fd, s->p.tid));
	MUST(pfm_start(s->fd));
}

TEST_F(soft, context_switches)
{
	u64 base;

	start_event(self, PFM_SW_CSWITCHES);
	base = thread_switches(self->p.tid);
	EXPECT_EQ(0ULL, pfm_value(self->fd, SW_PMD(0)));
	puppet_do(&self->p, OP_SLEEP, 100);
	puppet_settle(&self->p);
	EXPECT_LE(100ULL, pfm_value(self->fd, SW_PMD(0)));
	EXPECT_EQ(thread_switches(self->p.tid) - base,
		  pfm_value(self->fd, SW_PMD(0)));
}

/* Preempted, too: another thread wants the same CPU. */
TEST_F(soft, involuntary_context_switches)
{
	int i, cpu = pin_somewhere();
	u64 base, forced;
	pid_t rival;

	puppet_do(&self->p, OP_PIN, (unsigned int)cpu);
	start_event(self, PFM_SW_CSWITCHES);
	base = thread_switches(self->p.tid);
	forced = thread_status(self->p.tid, "nonvoluntary_ctxt_switches");
	rival = fork_child();
	if (!rival)
		for (;;)
			;
	for (i = 0; i < 100; i++) {
		puppet_do(&self->p, OP_BURN, 60);
		if (thread_status(self->p.tid, "nonvoluntary_ctxt_switches") >
		    forced)
			break;
	}
	kill_and_reap(rival);
	puppet_settle(&self->p);
	EXPECT_LT(forced, thread_status(self->p.tid,
					"nonvoluntary_ctxt_switches"));
	EXPECT_EQ(thread_switches(self->p.tid) - base,
		  pfm_value(self->fd, SW_PMD(0)));
}

TEST_F(soft, minor_faults)
{
	u64 base;

	start_event(self, PFM_SW_MINOR_FAULTS);
	base = thread_minor_faults(self->p.tid);
	puppet_do(&self->p, OP_FAULT, 500);
	EXPECT_EQ(500ULL, pfm_value(self->fd, SW_PMD(0)));
	EXPECT_EQ(thread_minor_faults(self->p.tid) - base,
		  pfm_value(self->fd, SW_PMD(0)));
}

TEST_F(soft, task_clock)
{
	u64 base, now;

	start_event(self, PFM_SW_TASK_CLOCK);
	if (!thread_runtime(self->p.tid, &base))
		SKIP(return, "task_clock: no schedstat");
	puppet_do(&self->p, OP_BURN, 30);
	puppet_settle(&self->p);
	ASSERT_TRUE(thread_runtime(self->p.tid, &now));
	EXPECT_LE(30 * NSEC_PER_MSEC, now - base);
	EXPECT_EQ(now - base, pfm_value(self->fd, SW_PMD(0)));
	/* Asleep it stands still. */
	sleep_ms(50);
	EXPECT_EQ(now - base, pfm_value(self->fd, SW_PMD(0)));
}

TEST_F(soft, migrations)
{
	u64 base = 0, now = 0, seen;
	int cpus[2];
	bool known;

	NEED_CPUS(cpus, 2);
	start_event(self, PFM_SW_MIGRATIONS);
	known = thread_migrations(self->p.tid, &base);
	puppet_do(&self->p, OP_MIGRATE, 50);
	puppet_settle(&self->p);
	seen = pfm_value(self->fd, SW_PMD(0));
	EXPECT_LE(50ULL, seen);
	EXPECT_GE(60ULL, seen);
	if (known) {
		ASSERT_TRUE(thread_migrations(self->p.tid, &now));
		EXPECT_EQ(now - base, pfm_value(self->fd, SW_PMD(0)));
	} else {
		TH_LOG("no /proc/PID/sched: compared with the moves only");
	}
}

/* Pages of a file that were not read yet, one by one. */
TEST(major_faults)
{
	static const char *const files[] = {
		"/var/lib/dpkg/status", "/usr/bin/perl", "/usr/bin/gdb",
	};
	/* Asked for once to have what answers that in memory. */
	u64 base = thread_major_faults(my_tid()), seen;
	int fd = pfm_session(0, PFM_SW_MAJOR_FAULTS, 0, 0, my_tid());
	volatile char sum = 0;
	struct stat st;
	size_t i;
	off_t at;

	base = thread_major_faults(my_tid());
	for (i = 0; i < ARRAY_SIZE(files); i++) {
		int file = open(files[i], O_RDONLY);
		char *p;

		if (file < 0 || fstat(file, &st) || st.st_size < 65536)
			continue;
		posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
		p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE,
			 file, 0);
		if (p == MAP_FAILED)
			continue;
		madvise(p, (size_t)st.st_size, MADV_RANDOM);
		for (at = 0; at < 65536; at += (off_t)page_size())
			sum = (char)(sum + p[at]);
	}
	seen = pfm_value(fd, SW_PMD(0));
	if (thread_major_faults(my_tid()) == base)
		SKIP(return, "major_faults: all pages were in memory");
	EXPECT_EQ(thread_major_faults(my_tid()) - base, seen);
}

TEST_F(soft, only_while_started)
{
	MUST(pfm_write_pmc(self->fd, SW_PMC(0), PFM_SW_MINOR_FAULTS, 0));
	puppet_do(&self->p, OP_FAULT, 10);
	MUST(pfm_load(self->fd, self->p.tid));
	puppet_do(&self->p, OP_FAULT, 10);
	EXPECT_EQ(0ULL, pfm_value(self->fd, SW_PMD(0)));
	MUST(pfm_start(self->fd));
	puppet_do(&self->p, OP_FAULT, 1);
	MUST(pfm_stop(self->fd));
	puppet_do(&self->p, OP_FAULT, 10);
	EXPECT_EQ(1ULL, pfm_value(self->fd, SW_PMD(0)));
	MUST(pfm_start(self->fd));
	puppet_do(&self->p, OP_FAULT, 2);
	MUST(pfm_unload(self->fd));
	puppet_do(&self->p, OP_FAULT, 10);
	EXPECT_EQ(3ULL, pfm_value(self->fd, SW_PMD(0)));
}

/* All five events at once, and eight counters of them. */
TEST_F(soft, all_events_together)
{
	static const int events[PFM_SW_COUNTERS] = {
		PFM_SW_MINOR_FAULTS, PFM_SW_CSWITCHES, PFM_SW_TASK_CLOCK,
		PFM_SW_MIGRATIONS, PFM_SW_MAJOR_FAULTS, PFM_SW_NONE,
		PFM_SW_MINOR_FAULTS, PFM_SW_CSWITCHES,
	};
	u64 faults, switches;
	int i;

	for (i = 0; i < PFM_SW_COUNTERS; i++)
		MUST(pfm_write_pmc(self->fd, SW_PMC(i), (u64)events[i], 0));
	puppet_settle(&self->p);
	MUST(pfm_load(self->fd, self->p.tid));
	MUST(pfm_start(self->fd));
	faults = thread_minor_faults(self->p.tid);
	switches = thread_switches(self->p.tid);
	puppet_do(&self->p, OP_FAULT, 20);
	puppet_do(&self->p, OP_SLEEP, 20);
	puppet_do(&self->p, OP_BURN, 5);
	puppet_settle(&self->p);
	EXPECT_EQ(thread_minor_faults(self->p.tid) - faults,
		  pfm_value(self->fd, SW_PMD(0)));
	EXPECT_EQ(thread_switches(self->p.tid) - switches,
		  pfm_value(self->fd, SW_PMD(1)));
	EXPECT_LE(5 * NSEC_PER_MSEC, pfm_value(self->fd, SW_PMD(2)));
	EXPECT_EQ(0ULL, pfm_value(self->fd, SW_PMD(5)));
	EXPECT_EQ(pfm_value(self->fd, SW_PMD(0)),
		  pfm_value(self->fd, SW_PMD(6)));
	EXPECT_EQ(pfm_value(self->fd, SW_PMD(1)),
		  pfm_value(self->fd, SW_PMD(7)));
}

/* Counters of one event agree in every call, on a running thread, too. */
TEST(same_event_same_value)
{
	static const int events[] = {
		PFM_SW_TASK_CLOCK, PFM_SW_CSWITCHES, PFM_SW_MINOR_FAULTS,
	};
	int i, k, fd = (int)MUST(pfm_create(0));
	pfarg_pmd_t pmd[PFM_SW_COUNTERS];
	struct pages pages;
	size_t e;

	pages_map(&pages, 1000);
	MUST(pfm_load(fd, my_tid()));
	for (e = 0; e < ARRAY_SIZE(events); e++) {
		for (i = 0; i < PFM_SW_COUNTERS; i++) {
			MUST(pfm_write_pmc(fd, SW_PMC(i), (u64)events[e], 0));
			MUST(pfm_write_pmd(fd, SW_PMD(i), 0));
		}
		MUST(pfm_start(fd));
		for (k = 0; k < 50; k++) {
			pages_touch(&pages, 1);
			memset(pmd, 0, sizeof(pmd));
			for (i = 0; i < PFM_SW_COUNTERS; i++)
				pmd[i].reg_num = (__u16)SW_PMD(i);
			MUST(pfm(fd, PFM_READ_PMDS, pmd, PFM_SW_COUNTERS));
			/* The first read may fault pages in between. */
			for (i = 1; i < PFM_SW_COUNTERS; i++)
				ASSERT_EQ(pmd[0].reg_value, pmd[i].reg_value);
		}
		MUST(pfm_stop(fd));
		EXPECT_LT(0ULL, pmd[0].reg_value +
				(events[e] == PFM_SW_CSWITCHES));
	}
}

/* A new event goes on from the old value. */
TEST_F(soft, event_changed_while_started)
{
	start_event(self, PFM_SW_MINOR_FAULTS);
	puppet_do(&self->p, OP_FAULT, 5);
	MUST(pfm_write_pmc(self->fd, SW_PMC(0), PFM_SW_NONE, 0));
	puppet_do(&self->p, OP_FAULT, 50);
	EXPECT_EQ(5ULL, pfm_value(self->fd, SW_PMD(0)));
	MUST(pfm_write_pmc(self->fd, SW_PMC(0), PFM_SW_MINOR_FAULTS, 0));
	EXPECT_EQ(5ULL, pfm_value(self->fd, SW_PMD(0)));
	puppet_do(&self->p, OP_FAULT, 3);
	EXPECT_EQ(8ULL, pfm_value(self->fd, SW_PMD(0)));
	MUST(pfm_write_pmc(self->fd, SW_PMC(0), PFM_SW_MAJOR_FAULTS, 0));
	puppet_do(&self->p, OP_FAULT, 3);
	EXPECT_EQ(8ULL, pfm_value(self->fd, SW_PMD(0)));
	/* A counter programmed later starts from now. */
	MUST(pfm_write_pmc(self->fd, SW_PMC(1), PFM_SW_MINOR_FAULTS, 0));
	puppet_do(&self->p, OP_FAULT, 2);
	EXPECT_EQ(2ULL, pfm_value(self->fd, SW_PMD(1)));
}

TEST_F(soft, value_written_while_started)
{
	start_event(self, PFM_SW_MINOR_FAULTS);
	puppet_do(&self->p, OP_FAULT, 5);
	MUST(pfm_write_pmd(self->fd, SW_PMD(0), 0xffffffff));
	puppet_do(&self->p, OP_FAULT, 5);
	EXPECT_EQ(0x100000004ULL, pfm_value(self->fd, SW_PMD(0)));
	MUST(pfm_write_pmd(self->fd, SW_PMD(0), 0));
	puppet_do(&self->p, OP_FAULT, 1);
	EXPECT_EQ(1ULL, pfm_value(self->fd, SW_PMD(0)));
	MUST(pfm_write_pmd(self->fd, SW_PMD(0), ~0ULL));
	puppet_do(&self->p, OP_FAULT, 1);
	EXPECT_EQ(0ULL, pfm_value(self->fd, SW_PMD(0)));
}

/* Self-monitoring: what is read is as of now. */
TEST(own_task_clock)
{
	int fd = pfm_counter(0, PFM_SW_TASK_CLOCK, 0, 0), i;
	u64 outer, inner, seen, last = 0;

	MUST(pfm_load(fd, my_tid()));
	outer = now_ns(CLOCK_THREAD_CPUTIME_ID);
	MUST(pfm_start(fd));
	inner = now_ns(CLOCK_THREAD_CPUTIME_ID);
	for (i = 0; i < 200; i++) {
		u64 before = now_ns(CLOCK_THREAD_CPUTIME_ID), after;

		seen = pfm_value(fd, SW_PMD(0));
		after = now_ns(CLOCK_THREAD_CPUTIME_ID);
		ASSERT_LE(before - inner, seen);
		ASSERT_GE(after - outer, seen);
		ASSERT_LE(last, seen);
		last = seen;
		if (i % 20 == 0)
			sleep_ms(1);
	}
}

TEST(own_switches_and_faults)
{
	int i, fd = pfm_session(0, PFM_SW_CSWITCHES, 0, 0, my_tid());
	u64 outer, inner, least, faults, seen;
	struct pages pages;

	pages_map(&pages, 400);
	MUST(pfm_write_pmc(fd, SW_PMC(1), PFM_SW_MINOR_FAULTS, 0));
	for (i = 0; i < 2; i++) {
		/* The first time is to get all code into memory. */
		/* A switch may come between any two of these lines. */
		outer = my_switches();
		MUST(pfm_write_pmd(fd, SW_PMD(0), 0));
		inner = my_switches();
		nap();
		usleep(1);
		least = my_switches() - inner;
		seen = pfm_value(fd, SW_PMD(0));
		EXPECT_LE(1ULL, least);
		EXPECT_LE(least, seen);
		EXPECT_GE(my_switches() - outer, seen);
		MUST(pfm_write_pmd(fd, SW_PMD(1), 0));
		faults = my_minor_faults();
		pages_touch(&pages, 200);
		seen = pfm_value(fd, SW_PMD(1));
		faults = my_minor_faults() - faults;
		EXPECT_LE(200ULL, seen);
		if (i) {
			EXPECT_EQ(faults, seen);
			EXPECT_EQ(200ULL, seen);
		}
	}
}

/*
 * Faults that the kernel takes for the program, one each page. They are counted. A period in
 * faults ends there, and where perfmon is a module at the next fault of the program's own.
 */
TEST(faults_of_the_kernel)
{
	const size_t n = 64, size = n * page_size();
	int fd, mem = (int)MUST(open("/proc/self/mem", O_RDONLY | O_CLOEXEC));
	char *to = mmap(NULL, size, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	char *from = mmap(NULL, size, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	u64 before, counted = 0;
	int i;

	ASSERT_NE(MAP_FAILED, (void *)to);
	ASSERT_NE(MAP_FAILED, (void *)from);
	fd = pfm_session(0, PFM_SW_MINOR_FAULTS, PFM_REGFL_OVFL_NOTIFY, 0, my_tid());
	/* The first time the code of this, too, may have a fault. */
	for (i = 0; i < 2; i++) {
		MUST(madvise(from, size, MADV_DONTNEED));
		before = pfm_value(fd, SW_PMD(0));
		ASSERT_EQ((ssize_t)size, pread64(mem, to, size, (off64_t)(uintptr_t)from));
		counted = pfm_value(fd, SW_PMD(0)) - before;
	}
	EXPECT_EQ(n, counted);
	close(fd);

	MUST(madvise(from, size, MADV_DONTNEED));
	fd = pfm_session(0, PFM_SW_MINOR_FAULTS, PFM_REGFL_OVFL_NOTIFY, -(u64)(n / 2),
			 my_tid());
	ASSERT_EQ((ssize_t)size, pread64(mem, to, size, (off64_t)(uintptr_t)from));
	if (!is_module())
		EXPECT_EQ(PFM_MSG_OVFL, pfm_next_msg(fd, NULL, 0));
	MUST(madvise(to, page_size(), MADV_DONTNEED));
	*(volatile char *)to = 1;
	if (is_module())
		EXPECT_EQ(PFM_MSG_OVFL, pfm_next_msg(fd, NULL, 0));
	EXPECT_EQ(0, pfm_poll(fd, 0));
	close(fd);
	close(mem);
	munmap(from, size);
	munmap(to, size);
}

/*
 * A period ends when the timer says so, not at the next tick or switch. A
 * virtual CPU that has to wait for a real one is late all the same: so some of
 * many periods have to show it. PMD 1 counts the same from the beginning and
 * shows how far it got.
 */
TEST(task_clock_period)
{
	/* A tick, of 4 ms, would be 3.5 ms late. */
	u64 period = 4500000, limit = (is_slow() ? 1500 : 500) * 1000ULL;
	u64 last = 0, sum, late, least = ~0ULL, end;
	int fd = (int)MUST(pfm_create(0)), n, in_time = 0;

	MUST(pfm_write_pmc(fd, SW_PMC(0), PFM_SW_TASK_CLOCK,
			   PFM_REGFL_OVFL_NOTIFY));
	MUST(pfm_write_period(fd, SW_PMD(0), -period, -period, 0));
	MUST(pfm_write_pmc(fd, SW_PMC(1), PFM_SW_TASK_CLOCK, 0));
	MUST(pfm_load(fd, my_tid()));
	MUST(pfm_start(fd));
	for (n = 0; n < 1000 && (n < 20 || in_time < 5); n++) {
		end = now_ns(CLOCK_MONOTONIC) + PATIENCE * NSEC_PER_MSEC;
		/* No command of ours that would notice the overflow. */
		while (!(pfm_poll(fd, 0) & POLLIN))
			ASSERT_GT(end, now_ns(CLOCK_MONOTONIC));
		ASSERT_EQ(PFM_MSG_OVFL, pfm_next_msg(fd, NULL, 0));
		sum = pfm_value(fd, SW_PMD(1));
		/* Never early. */
		ASSERT_LE(period, sum - last);
		late = sum - last - period;
		/* Masked, so it is the time of the overflow. */
		ASSERT_EQ(late, pfm_value(fd, SW_PMD(0)));
		in_time += late < limit;
		least = late < least ? late : least;
		last = sum;
		MUST(pfm_restart(fd));
	}
	TH_LOG("%d of %d in time, at best late by %llu ns", in_time, n, least);
	EXPECT_LE(5, in_time);
}

/* A switch that ends a period is told when it happens, not when it is over. */
TEST_F(soft, overflow_of_the_switch_to_sleep)
{
	int i;

	puppet_settle(&self->p);
	MUST(pfm_write_pmc(self->fd, SW_PMC(0), PFM_SW_CSWITCHES,
			   PFM_REGFL_OVFL_NOTIFY));
	MUST(pfm_write_period(self->fd, SW_PMD(0), ~0ULL, ~0ULL, 0));
	MUST(pfm_load(self->fd, self->p.tid));
	MUST(pfm_start(self->fd));
	for (i = 0; i < 3; i++) {
		puppet_post(&self->p, OP_NONE, 0);
		/* It sleeps now, until the next order. */
		ASSERT_EQ(PFM_MSG_OVFL, pfm_next_msg(self->fd, NULL, PATIENCE));
		puppet_settle(&self->p);
		ASSERT_TRUE(puppet_done(&self->p, PATIENCE));
		MUST(pfm_restart(self->fd));
	}
}

/*
 * Its timer runs with the thread: sleep neither ends nor delays a period. How
 * much of it is over the kernel says.
 */
TEST_F(soft, task_clock_period_of_a_sleeper)
{
	u64 period = 300 * NSEC_PER_MSEC, base, now;
	int tries;

	MUST(pfm_write_pmc(self->fd, SW_PMC(0), PFM_SW_TASK_CLOCK,
			   PFM_REGFL_OVFL_NOTIFY));
	puppet_settle(&self->p);
	if (!thread_runtime(self->p.tid, &base))
		SKIP(return, "task_clock_period_of_a_sleeper: no schedstat");
	MUST(pfm_load(self->fd, self->p.tid));
	for (tries = 0; tries < 100; tries++) {
		MUST(pfm_write_pmd(self->fd, SW_PMD(0), -period));
		MUST(pfm_start(self->fd));
		sleep_ms(100);
		EXPECT_EQ(0, pfm_poll(self->fd, 0));
		puppet_do(&self->p, OP_BURN, 10);
		puppet_settle(&self->p);
		ASSERT_TRUE(thread_runtime(self->p.tid, &now));
		if (now - base < period)
			break;
		/* Its CPU stood still meanwhile; so it was long enough. */
		ASSERT_EQ(PFM_MSG_OVFL, pfm_next_msg(self->fd, NULL, PATIENCE));
		MUST(pfm_restart(self->fd));
		MUST(pfm_stop(self->fd));
		base = now;
	}
	ASSERT_GT(100, tries);
	EXPECT_EQ(0, pfm_poll(self->fd, 50));
	puppet_do(&self->p, OP_BURN, 310);
	EXPECT_EQ(POLLIN, pfm_poll(self->fd, PATIENCE));
}

/* The smallest period must not take the CPU away from the program. */
TEST(task_clock_period_of_a_nanosecond)
{
	int i, fd = pfm_counter(0, PFM_SW_TASK_CLOCK, 0, ~0ULL);
	u64 start = now_ns(CLOCK_MONOTONIC);

	for (i = 0; i < PFM_SW_COUNTERS; i++) {
		MUST(pfm_write_pmc(fd, SW_PMC(i), PFM_SW_TASK_CLOCK, 0));
		MUST(pfm_write_period(fd, SW_PMD(i), ~0ULL, ~0ULL, ~0ULL));
	}
	MUST(pfm_load(fd, my_tid()));
	MUST(pfm_start(fd));
	burn_ms(50);
	MUST(pfm_stop(fd));
	EXPECT_GT(30 * NSEC_PER_SEC, now_ns(CLOCK_MONOTONIC) - start);
	EXPECT_EQ(~0ULL >> 16, pfm_value(fd, SW_PMD(0)) >> 16 & ~0ULL >> 16);
}

TEST_HARNESS_MAIN
