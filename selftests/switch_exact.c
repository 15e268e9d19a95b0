// SPDX-License-Identifier: GPL-2.0-only
/*
 * No event is lost by a switch: the sum over the sets is what the kernel
 * itself has counted, also while the thread migrates or others read the
 * counters; and contexts end well while they switch.
 */
#include "switch.h"

/* Each fault, or whatever @event is, ends one set's activity. */
static void conserve_start(FIXTURE_DATA(switching) *s, u64 event)
{
	int i;

	for (i = 0; i < 2; i++) {
		make_set(s->fd, i, OVFL, 0, 0);
		choose(s->fd, i, 0, event, 0);
		set_pmd(s->fd, i, 0, ~0ULL, ~0ULL, ~0ULL, 1);
		choose(s->fd, i, 1, event, 0);
	}
	puppet_settle(&s->p);
	MUST(pfm_load(s->fd, s->p.tid));
	MUST(pfm_start(s->fd));
}

/* @events is what the kernel has counted since. */
static void conserve_check(struct __test_metadata *_metadata,
			   FIXTURE_DATA(switching) *s, u64 events)
{
	u64 a = value_of(s->fd, 0, 1), b = value_of(s->fd, 1, 1);

	EXPECT_EQ(events, a + b);
	EXPECT_EQ(events + 1, all_runs(s->fd, 2));
	/* By turns. */
	EXPECT_EQ((events + 1) / 2, a);
	TH_LOG("%llu events", events);
}

/* Many, or what there is time for. */
static bool enough(u64 faults, u64 end)
{
	return faults >= MANY ||
	       (faults >= MANY / 20 && now_ns(CLOCK_MONOTONIC) > end);
}

TEST_F(switching, conserves)
{
	u64 base, faults = 0, end;

	conserve_start(self, FAULTS);
	base = thread_minor_faults(self->p.tid);
	end = now_ns(CLOCK_MONOTONIC) + PATIENCE * NSEC_PER_MSEC;
	while (!enough(faults, end)) {
		puppet_do(&self->p, OP_FAULT, 2000);
		faults = thread_minor_faults(self->p.tid) - base;
	}
	puppet_settle(&self->p);
	conserve_check(_metadata, self,
		       thread_minor_faults(self->p.tid) - base);
}

/* The thread is sent from CPU to CPU while it faults. */
TEST_F(switching, conserves_while_migrating)
{
	u64 base, faults = 0, end;
	int cpus[2], at = 0;
	cpu_set_t set;

	NEED_CPUS(cpus, 2);
	conserve_start(self, FAULTS);
	base = thread_minor_faults(self->p.tid);
	end = now_ns(CLOCK_MONOTONIC) + PATIENCE * NSEC_PER_MSEC;
	while (!enough(faults, end)) {
		puppet_post(&self->p, OP_FAULT, 2000);
		do {
			CPU_ZERO(&set);
			CPU_SET((size_t)cpus[at], &set);
			MUST(sched_setaffinity(self->p.tid, sizeof(set),
					       &set));
			at = !at;
		} while (!puppet_done(&self->p, 1));
		faults = thread_minor_faults(self->p.tid) - base;
	}
	/* And of its own accord. */
	CPU_SET((size_t)cpus[!at], &set);
	CPU_SET((size_t)cpus[at], &set);
	MUST(sched_setaffinity(self->p.tid, sizeof(set), &set));
	for (at = 0; at < 20; at++) {
		puppet_do(&self->p, OP_MIGRATE, 5);
		puppet_do(&self->p, OP_FAULT, 20);
	}
	puppet_settle(&self->p);
	conserve_check(_metadata, self,
		       thread_minor_faults(self->p.tid) - base);
}

struct reader {
	pthread_t thread;
	int fd;
	volatile bool stop;
	u64 reads;
	const char *wrong;
};

/* Both sets' counters at one moment: their sum never goes back. */
static void *reader_main(void *arg)
{
	struct reader *r = arg;
	u64 last = 0, sum, runs = 0, now;
	pfarg_pmd_t pmd[2];

	while (!r->stop && !r->wrong) {
		memset(pmd, 0, sizeof(pmd));
		pmd[0].reg_num = pmd[1].reg_num = SW_PMD(1);
		pmd[1].reg_set = 1;
		if (pfm(r->fd, PFM_READ_PMDS, pmd, 2))
			r->wrong = "read";
		sum = pmd[0].reg_value + pmd[1].reg_value;
		if (sum < last)
			r->wrong = "the counts went back";
		last = sum;
		now = all_runs(r->fd, 2);
		/* One activity more than faults; there were some since. */
		if (now < runs || now < sum + 1)
			r->wrong = "the runs went back";
		runs = now;
		r->reads++;
	}
	return NULL;
}

/* Another thread reads the counters all the time. */
TEST_F(switching, conserves_while_read)
{
	u64 base, faults = 0, end;
	struct reader r = { .fd = self->fd };

	conserve_start(self, FAULTS);
	base = thread_minor_faults(self->p.tid);
	ASSERT_EQ(0, pthread_create(&r.thread, NULL, reader_main, &r));
	end = now_ns(CLOCK_MONOTONIC) + PATIENCE * NSEC_PER_MSEC;
	while (!enough(faults, end) ||
	       (*(volatile u64 *)&r.reads < 20 &&
		now_ns(CLOCK_MONOTONIC) < end)) {
		puppet_do(&self->p, OP_FAULT, 2000);
		faults = thread_minor_faults(self->p.tid) - base;
	}
	r.stop = true;
	pthread_join(r.thread, NULL);
	EXPECT_EQ(NULL, r.wrong) {
		TH_LOG("%s", r.wrong ?: "");
	}
	EXPECT_LT(10ULL, r.reads);
	puppet_settle(&self->p);
	conserve_check(_metadata, self,
		       thread_minor_faults(self->p.tid) - base);
}

/* An event of the scheduler's: the switch is one of threads and of sets. */
TEST_F(switching, conserves_context_switches)
{
	u64 base;

	conserve_start(self, PFM_SW_CSWITCHES);
	base = thread_switches(self->p.tid);
	puppet_do(&self->p, OP_SLEEP, 300);
	puppet_settle(&self->p);
	EXPECT_LE(300ULL, thread_switches(self->p.tid) - base);
	conserve_check(_metadata, self, thread_switches(self->p.tid) - base);
}

/* CPU time, too, belongs to one set or the other. */
TEST_F(switching, conserves_task_clock)
{
	u64 base, now, sum = 0;
	int i;

	for (i = 0; i < 3; i++) {
		make_set(self->fd, i, TIME, 0, NSEC_PER_MSEC);
		choose(self->fd, i, 0, PFM_SW_TASK_CLOCK, 0);
	}
	puppet_settle(&self->p);
	if (!thread_runtime(self->p.tid, &base))
		SKIP(return, "conserves_task_clock: no schedstat");
	MUST(pfm_load(self->fd, self->p.tid));
	MUST(pfm_start(self->fd));
	EXPECT_TRUE(puppet_burns_until(&self->p, self->fd, 3, 10));
	puppet_settle(&self->p);
	for (i = 0; i < 3; i++)
		sum += value_of(self->fd, i, 0);
	ASSERT_TRUE(thread_runtime(self->p.tid, &now));
	EXPECT_EQ(now - base, sum);
}

/* Detached in the middle; then it begins with a third set, not active until then. */
TEST_F(switching, reloaded_at_another_set)
{
	u64 sum, tries = 0;

	conserve_start(self, FAULTS);
	puppet_post(&self->p, OP_FAULT, 5000);
	while (value_of(self->fd, 0, 1) < 100 && tries++ < PATIENCE)
		sleep_ms(1);
	MUST(pfm_unload(self->fd));
	sum = value_of(self->fd, 0, 1) + value_of(self->fd, 1, 1);
	EXPECT_LE(200ULL, sum + 1);
	EXPECT_EQ(sum + 1, all_runs(self->fd, 2));
	ASSERT_TRUE(puppet_done(&self->p, PATIENCE));
	EXPECT_EQ(sum, value_of(self->fd, 0, 1) + value_of(self->fd, 1, 1));

	make_set(self->fd, 2, OVFL, 0, 0);
	trigger(self->fd, 0, 0, 1, 1);
	trigger(self->fd, 1, 0, 1, 1);
	trigger(self->fd, 2, 0, 10, 1);
	choose(self->fd, 2, 1, FAULTS, 0);
	MUST(load_at(self->fd, self->p.tid, 2));
	MUST(pfm_start(self->fd));
	puppet_do(&self->p, OP_FAULT, 9);
	EXPECT_EQ(2, active(self->fd));
	EXPECT_EQ(9ULL, value_of(self->fd, 2, 1));
	EXPECT_EQ(sum, value_of(self->fd, 0, 1) + value_of(self->fd, 1, 1));
	puppet_do(&self->p, OP_FAULT, 1 + 2);
	EXPECT_EQ(2, active(self->fd));
	EXPECT_EQ(10ULL, value_of(self->fd, 2, 1));
	EXPECT_EQ(sum + 2, value_of(self->fd, 0, 1) + value_of(self->fd, 1, 1));
	EXPECT_EQ(2ULL, runs_of(self->fd, 2));
}

/* Two sets on a thread that is killed: what they have is what it had. */
static void check_killed(struct __test_metadata *_metadata, u32 mode)
{
	int i, tries, fd;
	struct puppet p;
	u64 base, sum;

	puppet_start(&p, PUPPET_PROCESS);
	/* Only now: who has the descriptor is not told of its own end. */
	fd = (int)MUST(pfm_create(0));
	for (i = 0; i < 2; i++) {
		make_set(fd, i, mode, 0, NSEC_PER_MSEC / 4);
		trigger(fd, i, 0, 1, 1);
		choose(fd, i, 1, FAULTS, 0);
	}
	puppet_settle(&p);
	base = thread_minor_faults(p.tid);
	MUST(pfm_load(fd, p.tid));
	MUST(pfm_start(fd));
	puppet_post(&p, OP_FAULT, 1000000000);
	for (tries = 0; tries < PATIENCE; tries++) {
		if (all_runs(fd, 2) > 20 && value_of(fd, 1, 1) > 200)
			break;
		sleep_ms(1);
	}
	ASSERT_GT(PATIENCE, tries);
	MUST(kill(p.tid, SIGKILL));
	ASSERT_EQ(PFM_MSG_END, pfm_next_msg(fd, NULL, PATIENCE));
	EXPECT_TRUE(pfm_state_is(fd, "unloaded"));
	sum = value_of(fd, 0, 1) + value_of(fd, 1, 1);
	/* Not reaped yet it still shows what it had. */
	ASSERT_TRUE(wait_state(p.tid, "Z", PATIENCE));
	EXPECT_EQ(thread_minor_faults(p.tid) - base, sum);
	if (mode == OVFL) {
		EXPECT_EQ(sum + 1, all_runs(fd, 2));
	}
	EXPECT_EQ(-SIGKILL, reap(p.tid));
	EXPECT_EQ(sum, value_of(fd, 0, 1) + value_of(fd, 1, 1));
	close(fd);
}

TEST(killed_while_it_switches_by_overflows)
{
	check_killed(_metadata, OVFL);
}

TEST(killed_while_it_switches_by_time)
{
	check_killed(_metadata, TIME);
}

TEST_HARNESS_MAIN
