// SPDX-License-Identifier: GPL-2.0-only
/*
 * PFM_FL_NOTIFY_BLOCK: the monitored thread waits for PFM_RESTART after an
 * overflow, and whatever else ends the wait.
 *
 * Not here: that the flag is refused for oneself and for CPUs (load.c, fd.c).
 */
#include "puppet.h"
#include <sys/ptrace.h>

#define NOTIFY	PFM_REGFL_OVFL_NOTIFY

FIXTURE(block) {
	struct puppet p;
	int fd;
};

FIXTURE_VARIANT(block) {
	enum puppet_kind kind;
};

FIXTURE_VARIANT_ADD(block, process) { .kind = PUPPET_PROCESS };
FIXTURE_VARIANT_ADD(block, thread) { .kind = PUPPET_THREAD };

FIXTURE_SETUP(block)
{
	puppet_start(&self->p, variant->kind);
	self->fd = pfm_session(PFM_FL_NOTIFY_BLOCK, PFM_SW_MINOR_FAULTS, NOTIFY,
			       -3ULL, self->p.tid);
}

FIXTURE_TEARDOWN(block)
{
	/* Lets the puppet run, whatever the test did to it. */
	close(self->fd);
	if (self->p.kind == PUPPET_PROCESS)
		kill_and_reap(self->p.tid);
	else
		puppet_stop(&self->p);
}

/* Has the puppet overflow; it must not get to acknowledge that. */
static void block(struct __test_metadata *_metadata,
		  FIXTURE_DATA(block) *s)
{
	puppet_post(&s->p, OP_FAULT, 20);
	ASSERT_EQ(PFM_MSG_OVFL, pfm_next_msg(s->fd, NULL, PATIENCE));
	ASSERT_FALSE(puppet_done(&s->p, 50));
	EXPECT_TRUE(pfm_state_is(s->fd, "masked"));
}

TEST_F(block, waits_for_restart)
{
	block(_metadata, self);
	EXPECT_FALSE(puppet_done(&self->p, 200));
	MUST(pfm_write_period(self->fd, SW_PMD(0), 0, 0, 0));
	EXPECT_EQ(0, pfm_restart(self->fd));
	EXPECT_TRUE(puppet_done(&self->p, PATIENCE));
	/* It had 17 of the 20 faults yet to take. */
	EXPECT_EQ(17ULL, pfm_value(self->fd, SW_PMD(0)));
}

/* It stops at the fault itself, not at the end of a time slice. */
TEST_F(block, no_event_passes)
{
	u64 before;

	puppet_settle(&self->p);
	before = thread_minor_faults(self->p.tid);
	block(_metadata, self);
	EXPECT_EQ(before + 3, thread_minor_faults(self->p.tid));
	EXPECT_EQ(0ULL, pfm_value(self->fd, SW_PMD(0)));
}

/* Blocked it uses no CPU time. */
TEST_F(block, does_not_run)
{
	u64 a, b;

	block(_metadata, self);
	wait_rest(self->p.tid, "DIS");
	if (!thread_runtime(self->p.tid, &a))
		SKIP(return, "does_not_run: no schedstat");
	sleep_ms(100);
	ASSERT_TRUE(thread_runtime(self->p.tid, &b));
	EXPECT_EQ(a, b);
}

TEST_F(block, every_overflow_blocks)
{
	int n;

	puppet_post(&self->p, OP_FAULT, 30);
	for (n = 0; n < 10; n++) {
		ASSERT_EQ(PFM_MSG_OVFL, pfm_next_msg(self->fd, NULL, PATIENCE));
		EXPECT_EQ(0, pfm_poll(self->fd, 5) & POLLIN);
		EXPECT_FALSE(puppet_done(&self->p, 0));
		ASSERT_EQ(0, pfm_restart(self->fd));
	}
	EXPECT_TRUE(puppet_done(&self->p, PATIENCE));
}

TEST_F(block, commands_work_meanwhile)
{
	block(_metadata, self);
	EXPECT_EQ(0, pfm_write_pmd(self->fd, SW_PMD(1), 5));
	EXPECT_EQ(5ULL, pfm_value(self->fd, SW_PMD(1)));
	EXPECT_EQ(0, pfm_write_pmc(self->fd, SW_PMC(2), PFM_SW_CSWITCHES, 0));
	EXPECT_EQ(0, pfm_stop(self->fd));
	/* STOP does not end the wait: only RESTART says it is handled. */
	EXPECT_FALSE(puppet_done(&self->p, 50));
	EXPECT_EQ(0, pfm_restart(self->fd));
	EXPECT_TRUE(puppet_done(&self->p, PATIENCE));
}

TEST_F(block, freed_by_unload)
{
	block(_metadata, self);
	EXPECT_EQ(0, pfm_unload(self->fd));
	EXPECT_TRUE(puppet_done(&self->p, PATIENCE));
	/* And the next attachment blocks anew. */
	MUST(pfm_write_pmd(self->fd, SW_PMD(0), -3ULL));
	MUST(pfm_load(self->fd, self->p.tid));
	MUST(pfm_start(self->fd));
	block(_metadata, self);
	MUST(pfm_unload(self->fd));
	EXPECT_TRUE(puppet_done(&self->p, PATIENCE));
}

TEST_F(block, freed_by_close)
{
	block(_metadata, self);
	close(self->fd);
	EXPECT_TRUE(puppet_done(&self->p, PATIENCE));
	/* For the teardown. */
	self->fd = (int)MUST(pfm_create(0));
}

TEST_F(block, system_calls_block_too)
{
	/* A context switch inside read(): blocked before user level. */
	puppet_settle(&self->p);
	MUST(pfm_write_pmc(self->fd, SW_PMC(0), PFM_SW_CSWITCHES, NOTIFY));
	MUST(pfm_write_period(self->fd, SW_PMD(0), ~0ULL, 0, 0));
	puppet_post(&self->p, OP_NONE, 0);
	ASSERT_EQ(PFM_MSG_OVFL, pfm_next_msg(self->fd, NULL, PATIENCE));
	/* Whether it was switched before or after it obeyed. */
	wait_rest(self->p.tid, "DIS");
	if (puppet_done(&self->p, 0))
		puppet_post(&self->p, OP_NONE, 0);
	EXPECT_FALSE(puppet_done(&self->p, 50));
	MUST(pfm_restart(self->fd));
	EXPECT_TRUE(puppet_done(&self->p, PATIENCE));
}

/*
 * A thread in user mode that makes no system call: by the timer. Whose
 * interrupt may be so late that the thread has spun enough.
 */
TEST_F(block, spinning_thread)
{
	int tries;
	u64 a, b;

	for (tries = 0; tries < 50; tries++) {
		puppet_settle(&self->p);
		MUST(pfm_write_period(self->fd, SW_PMD(0),
				      -(5 * NSEC_PER_MSEC), 0, 0));
		MUST(pfm_write_pmc(self->fd, SW_PMC(0), PFM_SW_TASK_CLOCK,
				   NOTIFY));
		puppet_post(&self->p, OP_SPIN, 50);
		ASSERT_EQ(PFM_MSG_OVFL, pfm_next_msg(self->fd, NULL, PATIENCE));
		if (!puppet_done(&self->p, 100))
			break;
		MUST(pfm_restart(self->fd));
	}
	EXPECT_GT(50, tries);
	wait_rest(self->p.tid, "DIS");
	if (thread_runtime(self->p.tid, &a)) {
		sleep_ms(50);
		thread_runtime(self->p.tid, &b);
		EXPECT_EQ(a, b);
	}
	MUST(pfm_restart(self->fd));
	EXPECT_TRUE(puppet_done(&self->p, PATIENCE));
}

TEST_F(block, two_restarts)
{
	block(_metadata, self);
	MUST(pfm_write_period(self->fd, SW_PMD(0), 0, 0, 0));
	EXPECT_EQ(0, pfm_restart(self->fd));
	EXPECT_EQ(-EBUSY, pfm_restart(self->fd));
	EXPECT_TRUE(puppet_done(&self->p, PATIENCE));
}

/* Both flags: the signal is all there is, the thread waits all the same. */
TEST(without_a_message)
{
	struct puppet p;
	int fd;

	puppet_start(&p, PUPPET_PROCESS);
	fd = pfm_session(PFM_FL_NOTIFY_BLOCK | PFM_FL_OVFL_NO_MSG,
			 PFM_SW_MINOR_FAULTS, NOTIFY, ~0ULL, p.tid);
	MUST(pfm_write_period(fd, SW_PMD(0), ~0ULL, 0, 0));
	puppet_post(&p, OP_FAULT, 1);
	while (!pfm_state_is(fd, "masked"))
		sleep_ms(1);
	EXPECT_FALSE(puppet_done(&p, 50));
	EXPECT_TRUE(pfm_state_is(fd, "masked"));
	EXPECT_EQ(0, pfm_poll(fd, 0) & POLLIN);
	EXPECT_EQ(0, pfm_restart(fd));
	EXPECT_TRUE(puppet_done(&p, PATIENCE));
	puppet_stop(&p);
}

static int blocked_child(struct puppet *p)
{
	int fd;

	puppet_start(p, PUPPET_PROCESS);
	fd = pfm_session(PFM_FL_NOTIFY_BLOCK, PFM_SW_MINOR_FAULTS, NOTIFY,
			 ~0ULL, p->tid);
	puppet_post(p, OP_FAULT, 20);
	if (pfm_next_msg(fd, NULL, PATIENCE) != PFM_MSG_OVFL)
		die("no overflow");
	if (puppet_done(p, 30))
		die("it is not blocked");
	return fd;
}

TEST(dies_by_sigkill)
{
	struct puppet p;
	int fd = blocked_child(&p);

	EXPECT_EQ(-SIGKILL, kill_and_reap(p.tid));
	EXPECT_EQ(PFM_MSG_END, pfm_next_msg(fd, NULL, PATIENCE));
	EXPECT_TRUE(pfm_state_is(fd, "unloaded"));
	EXPECT_EQ(-EBUSY, pfm_restart(fd));
}

/* A whole process, of which a thread is blocked, can exit. */
TEST(exit_of_its_process)
{
	int fd = (int)MUST(pfm_create(PFM_FL_NOTIFY_BLOCK)), tid[2], go[2];
	pid_t pid, blocked;

	MUST(pipe(tid));
	MUST(pipe(go));
	MUST(pfm_write_pmc(fd, SW_PMC(0), PFM_SW_MINOR_FAULTS, NOTIFY));
	MUST(pfm_write_pmd(fd, SW_PMD(0), ~0ULL));
	pid = fork_child();
	if (!pid) {
		struct puppet t;
		char c;

		close(fd);
		puppet_start(&t, PUPPET_THREAD);
		MUST(write(tid[1], &t.tid, sizeof(t.tid)));
		MUST(read(go[0], &c, 1));
		puppet_post(&t, OP_FAULT, 1);
		/* When it is blocked. */
		MUST(read(go[0], &c, 1));
		if (puppet_done(&t, 50))
			_exit(1);
		_exit(42);
	}
	MUST(read(tid[0], &blocked, sizeof(blocked)));
	MUST(pfm_load(fd, blocked));
	MUST(pfm_start(fd));
	MUST(write(go[1], "", 1));
	EXPECT_EQ(PFM_MSG_OVFL, pfm_next_msg(fd, NULL, PATIENCE));
	MUST(write(go[1], "", 1));
	EXPECT_EQ(42, reap(pid));
	EXPECT_EQ(PFM_MSG_END, pfm_next_msg(fd, NULL, PATIENCE));
}

TEST(freed_by_the_death_of_the_controller)
{
	struct puppet p;
	pid_t controller;
	int ready[2];
	char c;

	puppet_start(&p, PUPPET_PROCESS);
	MUST(pipe(ready));
	controller = fork_child();
	if (!controller) {
		int fd = pfm_session(PFM_FL_NOTIFY_BLOCK, PFM_SW_MINOR_FAULTS,
				     NOTIFY, ~0ULL, p.tid);

		puppet_post(&p, OP_FAULT, 20);
		if (pfm_next_msg(fd, NULL, PATIENCE) == PFM_MSG_OVFL)
			MUST(write(ready[1], "", 1));
		pause();
	}
	ASSERT_EQ(1, read(ready[0], &c, 1));
	EXPECT_FALSE(puppet_done(&p, 100));
	kill_and_reap(controller);
	EXPECT_TRUE(puppet_done(&p, PATIENCE));
	puppet_stop(&p);
}

static volatile sig_atomic_t handled;

static void handler(int sig)
{
	handled = sig;
}

/* A signal other than a fatal one does not get it out of the wait. */
TEST(signals_wait_too)
{
	struct sigaction sa = { .sa_handler = handler };
	struct puppet p;
	int fd;

	MUST(sigaction(SIGUSR1, &sa, NULL));
	fd = blocked_child(&p);
	kill(p.tid, SIGUSR1);
	EXPECT_FALSE(puppet_done(&p, 50));
	EXPECT_TRUE(pfm_state_is(fd, "masked"));
	MUST(pfm_write_period(fd, SW_PMD(0), 0, 0, 0));
	MUST(pfm_restart(fd));
	EXPECT_TRUE(puppet_done(&p, PATIENCE));
	puppet_stop(&p);
}

TEST(stopped_while_blocked)
{
	struct puppet p;
	int fd = blocked_child(&p);

	kill(p.tid, SIGSTOP);
	sleep_ms(20);
	MUST(pfm_write_period(fd, SW_PMD(0), 0, 0, 0));
	MUST(pfm_restart(fd));
	EXPECT_TRUE(wait_state(p.tid, "T", PATIENCE));
	kill(p.tid, SIGCONT);
	EXPECT_TRUE(puppet_done(&p, PATIENCE));
	puppet_stop(&p);
}

TEST(traced_while_blocked)
{
	struct puppet p;
	int fd = blocked_child(&p), status;

	ASSERT_EQ(0, ptrace(PTRACE_SEIZE, p.tid, NULL, NULL));
	EXPECT_FALSE(puppet_done(&p, 20));
	MUST(pfm_write_period(fd, SW_PMD(0), 0, 0, 0));
	MUST(pfm_restart(fd));
	EXPECT_TRUE(puppet_done(&p, PATIENCE));
	ASSERT_EQ(0, ptrace(PTRACE_INTERRUPT, p.tid, NULL, NULL));
	EXPECT_EQ(p.tid, waitpid(p.tid, &status, 0));
	ASSERT_EQ(0, ptrace(PTRACE_DETACH, p.tid, NULL, NULL));
	puppet_stop(&p);
}

/* How often this thread went to sleep. */
static u64 my_sleeps(void)
{
	struct rusage ru;

	MUST(getrusage(RUSAGE_THREAD, &ru));
	return (u64)ru.ru_nvcsw;
}

#define N_CLOSED 100

/*
 * The end of a context waits for nobody, above all not for a grace period of
 * RCU, in which the thread that closes would sleep: once for each context.
 */
TEST(close_does_not_sleep)
{
	static const u32 flags[] = { 0, PFM_FL_NOTIFY_BLOCK };
	int fds[N_CLOSED], i;
	struct puppet p;
	u64 before;
	size_t k;

	puppet_start(&p, PUPPET_PROCESS);
	for (k = 0; k < ARRAY_SIZE(flags); k++) {
		for (i = 0; i < N_CLOSED; i++)
			fds[i] = (int)MUST(pfm_create(flags[k]));
		before = my_sleeps();
		for (i = 0; i < N_CLOSED; i++)
			close(fds[i]);
		EXPECT_GT(N_CLOSED / 5, my_sleeps() - before) {
			TH_LOG("flags %#x", flags[k]);
		}
	}
	/* Whose notification has just been sent. */
	for (i = 0; i < 20; i++) {
		fds[i] = pfm_session(PFM_FL_NOTIFY_BLOCK, PFM_SW_MINOR_FAULTS,
				     NOTIFY, ~0ULL, p.tid);
		puppet_post(&p, OP_FAULT, 5);
		while (!pfm_state_is(fds[i], "masked"))
			;
		close(fds[i]);
		EXPECT_TRUE(puppet_done(&p, PATIENCE));
	}
	puppet_stop(&p);
}

TEST_HARNESS_MAIN
