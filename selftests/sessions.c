// SPDX-License-Identifier: GPL-2.0-only
/*
 * A thread and the CPU that it runs on, monitored at once by contexts that count in
 * software only: which loads that allows, and that both count, sample, switch sets
 * and end as they do alone.
 *
 * Not here: contexts that have programmed the hardware (hw_sessions.c).
 */
#include "sampling.h"

#define CPU	0
#define THREAD	1

/* One descriptor for this CPU, and one for a puppet that stays on it. */
FIXTURE(sessions) {
	struct puppet p;
	int fd[2];
	int cpu;
};

FIXTURE_SETUP(sessions)
{
	self->cpu = pin_somewhere();
	puppet_start(&self->p, PUPPET_PROCESS);
	puppet_do(&self->p, OP_PIN, (unsigned int)self->cpu);
	self->fd[CPU] = (int)MUST(pfm_create(PFM_FL_SYSTEM_WIDE));
	self->fd[THREAD] = (int)MUST(pfm_create(0));
}

FIXTURE_TEARDOWN(sessions)
{
	close(self->fd[CPU]);
	close(self->fd[THREAD]);
	puppet_stop(&self->p);
}

static pid_t target(FIXTURE_DATA(sessions) *self, int which)
{
	return which == CPU ? my_tid() : self->p.tid;
}

/* Counter @i of both counts @event. */
static void both_count(FIXTURE_DATA(sessions) *self, int i, u64 event)
{
	int k;

	for (k = 0; k < 2; k++)
		MUST(pfm_write_pmc(self->fd[k], SW_PMC(i), event, 0));
}

static void both_start(FIXTURE_DATA(sessions) *self)
{
	int k;

	for (k = 0; k < 2; k++)
		attach(self->fd[k], target(self, k));
}

/* Either first; and each ends for itself (3.1.7 leaves it to the implementation). */
TEST_F(sessions, load_in_any_order)
{
	int first, k;

	for (first = 0; first < 2; first++) {
		for (k = 0; k < 2; k++) {
			int fd = self->fd[first ^ k];

			ASSERT_EQ(0, pfm_load(fd, target(self, first ^ k)));
		}
		EXPECT_EQ(1ULL, sysfs_u64("sys_sessions"));
		EXPECT_EQ(1ULL, sysfs_u64("thread_sessions"));
		ASSERT_EQ(0, pfm_unload(self->fd[first]));
		EXPECT_TRUE(pfm_state_is(self->fd[!first], "loaded"));
		ASSERT_EQ(0, pfm_unload(self->fd[!first]));
	}
}

/* What the software PMU counts can be chosen while the other kind is loaded, too. */
TEST_F(sessions, programmed_while_loaded)
{
	MUST(pfm_load(self->fd[CPU], my_tid()));
	MUST(pfm_load(self->fd[THREAD], self->p.tid));
	both_count(self, 0, PFM_SW_MINOR_FAULTS);
	MUST(pfm_start(self->fd[CPU]));
	MUST(pfm_start(self->fd[THREAD]));
	puppet_do(&self->p, OP_FAULT, 100);
	EXPECT_EQ(100ULL, pfm_value(self->fd[THREAD], SW_PMD(0)));
	EXPECT_LE(100ULL, pfm_value(self->fd[CPU], SW_PMD(0)));
}

/* A thread that monitors itself and its CPU. */
TEST(oneself_and_the_cpu)
{
	struct pages pages;
	int cpu, self;

	pin_somewhere();
	pages_map(&pages, 50);
	cpu = pfm_session(PFM_FL_SYSTEM_WIDE, PFM_SW_MINOR_FAULTS, 0, 0, my_tid());
	self = pfm_session(0, PFM_SW_MINOR_FAULTS, 0, 0, my_tid());
	pages_touch(&pages, 50);
	EXPECT_LE(50ULL, pfm_value(self, SW_PMD(0)));
	EXPECT_LE(pfm_value(self, SW_PMD(0)), pfm_value(cpu, SW_PMD(0)));
	close(self);
	pages_touch(&pages, 50);
	EXPECT_LE(100ULL, pfm_value(cpu, SW_PMD(0)));
	close(cpu);
}

/* Each event is counted twice, once for each. */
TEST_F(sessions, all_events)
{
	u64 thread[4], cpu[4], switches;
	int i;

	for (i = 0; i < 4; i++)
		both_count(self, i, (u64)(PFM_SW_TASK_CLOCK + i));
	switches = thread_switches(self->p.tid);
	both_start(self);
	puppet_do(&self->p, OP_FAULT, 500);
	puppet_do(&self->p, OP_SLEEP, 50);
	puppet_do(&self->p, OP_BURN, 20);
	MUST(pfm_stop(self->fd[THREAD]));
	switches = thread_switches(self->p.tid) - switches;
	MUST(pfm_stop(self->fd[CPU]));
	for (i = 0; i < 4; i++) {
		thread[i] = pfm_value(self->fd[THREAD], SW_PMD(i));
		cpu[i] = pfm_value(self->fd[CPU], SW_PMD(i));
	}
	EXPECT_LE(20 * NSEC_PER_MSEC, thread[0]);
	EXPECT_LE(50ULL, thread[1]);
	EXPECT_GE(switches, thread[1]);
	EXPECT_EQ(500ULL, thread[3]);
	/* The CPU began earlier and stopped later. */
	EXPECT_LE(thread[0], cpu[0] + NSEC_PER_MSEC);
	EXPECT_LE(thread[3], cpu[3]);
	/* After each switch from the thread comes one to it. */
	EXPECT_LE(2 * thread[1], cpu[1] + 1);
}

/* A fault can end a period of each, and be a sample of each. */
TEST_F(sessions, samples_of_both)
{
	struct sampler s[2];
	u64 n, mine = 0;
	int k;

	for (k = 0; k < 2; k++) {
		sampler_open(&s[k], k == CPU ? PFM_FL_SYSTEM_WIDE : 0, 1 << 20, 0);
		sample_faults(s[k].fd, 0, 1, 0, 0);
		attach(s[k].fd, target(self, k));
	}
	puppet_do(&self->p, OP_FAULT, 1000);
	for (k = 0; k < 2; k++)
		MUST(pfm_stop(s[k].fd));
	EXPECT_EQ(1000ULL, s[THREAD].hdr->hdr_count);
	for (n = 0; n < s[CPU].hdr->hdr_count; n++) {
		mine += nth(&s[CPU], n, 0)->tid == self->p.tid;
		if (n)
			ASSERT_LT(nth(&s[CPU], n - 1, 0)->tstamp,
				  nth(&s[CPU], n, 0)->tstamp);
	}
	EXPECT_EQ(1000ULL, mine);
	for (k = 0; k < 2; k++)
		sampler_close(&s[k]);
}

/* One that waits for PFM_RESTART does not keep the other from counting. */
TEST_F(sessions, masked_alone)
{
	int masked, other;

	for (masked = 0; masked < 2; masked++) {
		other = !masked;
		both_count(self, 0, PFM_SW_MINOR_FAULTS);
		MUST(pfm_write_pmc(self->fd[masked], SW_PMC(0), PFM_SW_MINOR_FAULTS,
				   PFM_REGFL_OVFL_NOTIFY));
		MUST(pfm_write_period(self->fd[masked], SW_PMD(0), -10ULL, -1000000ULL,
				      -1000000ULL));
		MUST(pfm_write_pmd(self->fd[other], SW_PMD(0), 0));
		both_start(self);
		puppet_do(&self->p, OP_FAULT, 100);
		EXPECT_TRUE(pfm_state_is(self->fd[masked], "masked"));
		EXPECT_TRUE(pfm_state_is(self->fd[other], "loaded"));
		EXPECT_LE(100ULL, pfm_value(self->fd[other], SW_PMD(0)));
		EXPECT_EQ(0ULL, pfm_value(self->fd[masked], SW_PMD(0)));
		ASSERT_EQ(0, pfm_restart(self->fd[masked]));
		puppet_do(&self->p, OP_FAULT, 100);
		EXPECT_LE(-1000000ULL + 100, pfm_value(self->fd[masked], SW_PMD(0)));
		EXPECT_LE(200ULL, pfm_value(self->fd[other], SW_PMD(0)));
		MUST(pfm_unload(self->fd[CPU]));
		MUST(pfm_unload(self->fd[THREAD]));
	}
}

/* The CPU has one timer: the periods of both clocks end, short or long. */
TEST_F(sessions, periods_of_both_clocks)
{
	static const u64 period[2] = { 2 * NSEC_PER_MSEC, 3 * NSEC_PER_MSEC };
	int k, n, swapped;

	for (swapped = 0; swapped < 2; swapped++) {
		for (k = 0; k < 2; k++) {
			u64 p = -period[k ^ swapped];

			MUST(pfm_write_pmc(self->fd[k], SW_PMC(0), PFM_SW_TASK_CLOCK,
					   PFM_REGFL_OVFL_NOTIFY));
			MUST(pfm_write_period(self->fd[k], SW_PMD(0), p, p, p));
		}
		both_start(self);
		for (n = 0; n < 20; n++) {
			puppet_do(&self->p, OP_BURN, 4);
			for (k = 0; k < 2; k++) {
				ASSERT_EQ(PFM_MSG_OVFL,
					  pfm_next_msg(self->fd[k], NULL, PATIENCE));
				MUST(pfm_restart(self->fd[k]));
			}
		}
		MUST(pfm_unload(self->fd[CPU]));
		MUST(pfm_unload(self->fd[THREAD]));
	}
}

static u64 runs_of(int fd)
{
	return info_of_set(fd, 0).set_runs + info_of_set(fd, 1).set_runs;
}

/* Sets of both take turns by time. */
TEST_F(sessions, sets_of_both)
{
	pfarg_setdesc_t set[2] = {
		{ .set_flags = PFM_SETFL_TIME_SWITCH,
		  .set_timeout = { 0, NSEC_PER_MSEC } },
		{ .set_id = 1, .set_flags = PFM_SETFL_TIME_SWITCH,
		  .set_timeout = { 0, NSEC_PER_MSEC } },
	};
	int k, tries;

	for (k = 0; k < 2; k++)
		MUST(pfm(self->fd[k], PFM_CREATE_EVTSETS, set, 2));
	both_start(self);
	for (tries = 0; tries < 1000; tries++) {
		puppet_do(&self->p, OP_BURN, 5);
		if (runs_of(self->fd[CPU]) >= 20 && runs_of(self->fd[THREAD]) >= 20)
			break;
	}
	EXPECT_GT(1000, tries);
}

/* The thread goes: its context hears of it, and the CPU's goes on. */
TEST_F(sessions, thread_ends)
{
	both_count(self, 0, PFM_SW_MINOR_FAULTS);
	both_start(self);
	puppet_do(&self->p, OP_FAULT, 10);
	puppet_stop(&self->p);
	EXPECT_EQ(PFM_MSG_END, pfm_next_msg(self->fd[THREAD], NULL, PATIENCE));
	EXPECT_LE(10ULL, pfm_value(self->fd[THREAD], SW_PMD(0)));
	EXPECT_TRUE(pfm_state_is(self->fd[CPU], "loaded"));
	puppet_start(&self->p, PUPPET_PROCESS);
	puppet_do(&self->p, OP_PIN, (unsigned int)self->cpu);
	MUST(pfm_write_pmd(self->fd[CPU], SW_PMD(0), 0));
	puppet_do(&self->p, OP_FAULT, 10);
	EXPECT_LE(10ULL, pfm_value(self->fd[CPU], SW_PMD(0)));
}

#define PUPPETS	6
#define ROUNDS	40

/*
 * Threads that move between the CPUs, each with a context, and a context on each CPU:
 * what a thread has counted is what the kernel says, and no CPU misses it.
 */
TEST(many)
{
	u64 faults[PUPPETS], want = 0, have = 0;
	struct puppet p[PUPPETS];
	int cpus[8], cpu[8], fd[PUPPETS], n, i, round;

	n = my_cpus(cpus, 8);
	for (i = 0; i < PUPPETS; i++)
		puppet_start(&p[i], i & 1 ? PUPPET_PROCESS : PUPPET_THREAD);
	for (i = 0; i < n; i++) {
		pin_cpu(cpus[i]);
		cpu[i] = pfm_counter(PFM_FL_SYSTEM_WIDE, PFM_SW_MINOR_FAULTS, 0, 0);
		/* A clock with a period, for the timer to come. */
		MUST(pfm_write_pmc(cpu[i], SW_PMC(1), PFM_SW_TASK_CLOCK, 0));
		MUST(pfm_write_period(cpu[i], SW_PMD(1), -200000ULL, -200000ULL,
				      -200000ULL));
		attach(cpu[i], my_tid());
	}
	for (i = 0; i < PUPPETS; i++) {
		faults[i] = thread_minor_faults(p[i].tid);
		fd[i] = pfm_counter(0, PFM_SW_MINOR_FAULTS, 0, 0);
		MUST(pfm_write_pmc(fd[i], SW_PMC(1), PFM_SW_TASK_CLOCK, 0));
		MUST(pfm_write_period(fd[i], SW_PMD(1), -300000ULL, -300000ULL,
				      -300000ULL));
		attach(fd[i], p[i].tid);
	}
	for (round = 0; round < ROUNDS; round++) {
		static const enum puppet_op ops[4] = {
			OP_FAULT, OP_MIGRATE, OP_FAULT, OP_BURN,
		};

		for (i = 0; i < PUPPETS; i++)
			puppet_post(&p[i], ops[(round + i) % 4],
				    ops[(round + i) % 4] == OP_FAULT ? 100 : 2);
		for (i = 0; i < PUPPETS; i++)
			ASSERT_TRUE(puppet_done(&p[i], PATIENCE));
	}
	for (i = 0; i < PUPPETS; i++) {
		EXPECT_EQ(thread_minor_faults(p[i].tid) - faults[i],
			  pfm_value(fd[i], SW_PMD(0)));
		want += pfm_value(fd[i], SW_PMD(0));
		close(fd[i]);
	}
	for (i = 0; i < n; i++) {
		pin_cpu(cpus[i]);
		have += pfm_value(cpu[i], SW_PMD(0));
		close(cpu[i]);
	}
	EXPECT_LE(want, have);
	for (i = 0; i < PUPPETS; i++)
		puppet_stop(&p[i]);
}

TEST_HARNESS_MAIN
