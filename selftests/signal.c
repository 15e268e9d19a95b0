// SPDX-License-Identifier: GPL-2.0-only
/*
 * Asynchronous notification (3.3.7): O_ASYNC with F_SETOWN and F_SETSIG, the
 * order of message and signal, PFM_FL_OVFL_NO_MSG, and calling the interface
 * from a signal handler (5.7), a timer's among them (3.4).
 *
 * Not here: the queue itself (message.c).
 */
#include "puppet.h"
#include <sys/time.h>

#define MSG	sizeof(pfm_msg_t)
#define SIG	(SIGRTMIN + 3)

/* What the last handled signals were. */
static volatile sig_atomic_t hits, last_sig, last_fd, queued_at_signal;
static volatile sig_atomic_t handler_errors, handler_tid;
static volatile long last_band;
static int handler_ctx = -1;

static void handler(int sig, siginfo_t *info, void *uc)
{
	pfm_msg_t msg;

	(void)uc;
	last_sig = sig;
	last_fd = info->si_fd;
	last_band = info->si_band;
	handler_tid = my_tid();
	if (handler_ctx >= 0) {
		/* The message is there before the signal, always. */
		ssize_t n = read(handler_ctx, &msg, MSG);

		queued_at_signal = n == (ssize_t)MSG;
	}
	hits++;
}

static void handle(int sig)
{
	struct sigaction sa = {
		.sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_RESTART,
	};

	hits = last_sig = last_fd = queued_at_signal = 0;
	MUST(sigaction(sig, &sa, NULL));
}

static void make_async(int fd, int sig)
{
	int flags = (int)MUST(fcntl(fd, F_GETFL));

	MUST(fcntl(fd, F_SETOWN, getpid()));
	if (sig)
		MUST(fcntl(fd, F_SETSIG, sig));
	MUST(fcntl(fd, F_SETFL, flags | O_ASYNC | O_NONBLOCK));
}

static bool wait_hits(int n, int ms)
{
	while (hits < n && ms-- > 0)
		sleep_ms(1);
	return hits >= n;
}

static int fault_session(u32 flags)
{
	return pfm_session(flags, PFM_SW_MINOR_FAULTS, PFM_REGFL_OVFL_NOTIFY,
			   0, my_tid());
}

/* Exactly one overflow of a context of fault_session(). */
static void overflow(int fd, struct pages *pages)
{
	MUST(pfm_stop(fd));
	MUST(pfm_write_pmd(fd, SW_PMD(0), ~0ULL));
	MUST(pfm_start(fd));
	pages_touch(pages, 1);
}

TEST(sigio_by_default)
{
	int fd = fault_session(0);
	struct pages pages;

	pages_map(&pages, 2);
	handle(SIGIO);
	make_async(fd, 0);
	overflow(fd, &pages);
	ASSERT_TRUE(wait_hits(1, PATIENCE));
	EXPECT_EQ(SIGIO, last_sig);
	EXPECT_EQ(POLLIN, pfm_poll(fd, 0));
	sleep_ms(10);
	EXPECT_EQ(1, hits);
}

TEST(no_signal_unless_asked)
{
	int fd = fault_session(0);
	struct pages pages;

	pages_map(&pages, 2);
	handle(SIGIO);
	overflow(fd, &pages);
	EXPECT_TRUE(pfm_state_is(fd, "masked"));
	EXPECT_EQ(POLLIN, pfm_poll(fd, PATIENCE));
	EXPECT_FALSE(wait_hits(1, 30));
}

TEST(setsig_and_si_fd)
{
	int a = fault_session(0), b, band;
	struct pages pages;

	pages_map(&pages, 4);
	MUST(pfm_unload(a));
	b = fault_session(0);
	handle(SIG);
	make_async(a, SIG);
	make_async(b, SIG);
	overflow(b, &pages);
	ASSERT_TRUE(wait_hits(1, PATIENCE));
	EXPECT_EQ(SIG, last_sig);
	EXPECT_EQ(b, last_fd);
	band = (int)last_band;
	EXPECT_TRUE(band & POLLIN);
	MUST(pfm_unload(b));
	MUST(pfm_load(a, my_tid()));
	overflow(a, &pages);
	ASSERT_TRUE(wait_hits(2, PATIENCE));
	EXPECT_EQ(a, last_fd);
}

TEST(switched_off_again)
{
	int fd = fault_session(0);
	struct pages pages;

	pages_map(&pages, 4);
	handle(SIG);
	make_async(fd, SIG);
	overflow(fd, &pages);
	ASSERT_TRUE(wait_hits(1, PATIENCE));
	MUST(pfm_restart(fd));
	MUST(fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_ASYNC));
	overflow(fd, &pages);
	EXPECT_TRUE(pfm_state_is(fd, "masked"));
	EXPECT_FALSE(wait_hits(2, 30));
}

/* "The message is always appended before the signal is sent." */
TEST(message_before_signal)
{
	struct pages pages;
	int i;

	pages_map(&pages, 300);
	handler_ctx = fault_session(0);
	handle(SIG);
	make_async(handler_ctx, SIG);
	for (i = 1; i <= 200; i++) {
		queued_at_signal = 0;
		overflow(handler_ctx, &pages);
		ASSERT_TRUE(wait_hits(i, PATIENCE));
		ASSERT_EQ(1, queued_at_signal);
		MUST(pfm_restart(handler_ctx));
	}
	EXPECT_EQ(200, hits);
	EXPECT_EQ(0ULL, pfm_fdinfo_num(handler_ctx, "pfm-queued"));
}

/* The signal alone; PFM_RESTART is needed all the same. */
TEST(no_msg)
{
	int i, fd = fault_session(PFM_FL_OVFL_NO_MSG);
	struct pages pages;
	pfm_msg_t msg;

	pages_map(&pages, 20);
	handle(SIG);
	make_async(fd, SIG);
	for (i = 1; i <= 10; i++) {
		overflow(fd, &pages);
		ASSERT_TRUE(wait_hits(i, PATIENCE));
		EXPECT_TRUE(pfm_state_is(fd, "masked"));
		EXPECT_EQ(0, pfm_poll(fd, 0) & POLLIN);
		EXPECT_EQ(-1, read(fd, &msg, MSG));
		EXPECT_EQ(EAGAIN, errno);
		EXPECT_EQ(0, pfm_restart(fd));
	}
	EXPECT_EQ(10, hits);
	EXPECT_EQ(0ULL, pfm_fdinfo_num(fd, "pfm-queued"));
	EXPECT_EQ(0ULL, pfm_fdinfo_num(fd, "pfm-lost"));
}

/* OVFL_NO_MSG is about overflows: END still is a message, and a signal. */
TEST(no_msg_has_end)
{
	struct puppet p;
	int fd;

	puppet_start(&p, PUPPET_PROCESS);
	fd = pfm_session(PFM_FL_OVFL_NO_MSG, PFM_SW_MINOR_FAULTS,
			 PFM_REGFL_OVFL_NOTIFY, -2ULL, p.tid);
	handle(SIG);
	make_async(fd, SIG);
	puppet_do(&p, OP_FAULT, 2);
	ASSERT_TRUE(wait_hits(1, PATIENCE));
	EXPECT_EQ(0, pfm_poll(fd, 0) & POLLIN);
	puppet_stop(&p);
	EXPECT_TRUE(wait_hits(2, PATIENCE));
	EXPECT_EQ(PFM_MSG_END, pfm_next_msg(fd, NULL, PATIENCE));
}

TEST(signal_for_the_end)
{
	struct puppet p;
	int fd;

	puppet_start(&p, PUPPET_PROCESS);
	fd = pfm_session(0, PFM_SW_MINOR_FAULTS, 0, 0, p.tid);
	handle(SIG);
	make_async(fd, SIG);
	EXPECT_FALSE(wait_hits(1, 10));
	puppet_stop(&p);
	ASSERT_TRUE(wait_hits(1, PATIENCE));
	EXPECT_EQ(fd, last_fd);
	EXPECT_EQ(PFM_MSG_END, pfm_next_msg(fd, NULL, 0));
}

/* A full queue loses the message, not the signal. */
TEST(signal_with_a_full_queue)
{
	int n = 0, fd = fault_session(0);
	struct pages pages;

	pages_map(&pages, 1000);
	handle(SIG);
	make_async(fd, SIG);
	while (pfm_fdinfo_num(fd, "pfm-lost") < 3) {
		overflow(fd, &pages);
		ASSERT_TRUE(wait_hits(++n, PATIENCE));
		MUST(pfm_restart(fd));
	}
	EXPECT_EQ(n, hits);
}

/* To one thread of several, by F_SETOWN_EX. */
TEST(owner_is_a_thread)
{
	struct f_owner_ex owner = { .type = F_OWNER_TID };
	int fd = fault_session(0);
	struct pages pages;
	struct puppet t;

	pages_map(&pages, 2);
	puppet_start(&t, PUPPET_THREAD);
	handle(SIG);
	make_async(fd, SIG);
	owner.pid = t.tid;
	MUST(fcntl(fd, F_SETOWN_EX, &owner));
	overflow(fd, &pages);
	ASSERT_TRUE(wait_hits(1, PATIENCE));
	EXPECT_EQ(t.tid, handler_tid);
	puppet_stop(&t);
}

static int sample_ctx;
static volatile sig_atomic_t samples;
static volatile u64 timed;		/* what the timer's samples have seen */
static struct pages handler_pages;

/* A profiler of one's own thread: read, restart, all in the handler. */
static void sample_handler(int sig, siginfo_t *info, void *uc)
{
	pfm_msg_t msg;
	u64 value;

	(void)sig;
	(void)uc;
	if (info->si_fd != sample_ctx ||
	    read(sample_ctx, &msg, MSG) != (ssize_t)MSG ||
	    msg.msg_type != PFM_MSG_OVFL ||
	    pfm_read_pmd(sample_ctx, SW_PMD(1), &value) ||
	    pfm_restart(sample_ctx))
		handler_errors++;
	samples++;
}

/* One of the group that waits for the signal, and says 0 if it was that of the context. */
static pid_t member_of(pid_t group, int sig, int fd, int ready)
{
	pid_t pid = fork_child();
	siginfo_t info;
	sigset_t set;

	if (pid) {
		MUST(setpgid(pid, group ? group : pid));
		return pid;
	}
	sigemptyset(&set);
	sigaddset(&set, sig);
	MUST(sigprocmask(SIG_BLOCK, &set, NULL));
	MUST(write(ready, "", 1));
	_exit(sigwaitinfo(&set, &info) == sig && info.si_fd == fd ? 0 : 1);
}

/* A process group is told by a worker, who may come late, but not in vain. */
TEST(owner_is_a_group)
{
	int fd = fault_session(0), ready[2], i;
	struct pages pages;
	pid_t pid[5];
	char c;

	pages_map(&pages, 4);
	MUST(pipe(ready));
	for (i = 0; i < 5; i++)
		pid[i] = member_of(i ? pid[0] : 0, SIG, fd, ready[1]);
	for (i = 0; i < 5; i++)
		MUST(read(ready[0], &c, 1));
	make_async(fd, SIG);
	MUST(fcntl(fd, F_SETOWN, -pid[0]));
	overflow(fd, &pages);
	for (i = 0; i < 5; i++)
		EXPECT_EQ(0, reap(pid[i]));
}

TEST(profiler_in_a_signal_handler)
{
	struct sigaction sa = {
		.sa_sigaction = sample_handler,
		.sa_flags = SA_SIGINFO | SA_RESTART,
	};
	const u64 period = 2 * NSEC_PER_MSEC;
	int tries;
	u64 total;

	MUST(sigaction(SIG, &sa, NULL));
	sample_ctx = pfm_counter(0, PFM_SW_TASK_CLOCK, PFM_REGFL_OVFL_NOTIFY,
				 -period);
	MUST(pfm_write_pmc(sample_ctx, SW_PMC(1), PFM_SW_TASK_CLOCK, 0));
	make_async(sample_ctx, SIG);
	MUST(pfm_load(sample_ctx, my_tid()));
	MUST(pfm_start(sample_ctx));
	/* One that is late is one for several periods. */
	burn_ms(200);
	for (tries = 0; tries < 1000 && samples < 10; tries++)
		burn_ms(5);
	MUST(pfm_stop(sample_ctx));
	total = pfm_value(sample_ctx, SW_PMD(1));
	EXPECT_EQ(0, handler_errors);
	/* PMD 1 is masked with the rest between overflow and restart. */
	EXPECT_LE(10, samples);
	EXPECT_GE(total / period + 1, (u64)samples);
}

/* All of a session, as far as it can be in one. */
static void session_handler(int sig)
{
	u64 value = 0;
	int fd;

	(void)sig;
	fd = pfm_create(0);
	if (fd < 0 || pfm_write_pmc(fd, SW_PMC(0), PFM_SW_MINOR_FAULTS, 0) ||
	    pfm_write_pmd(fd, SW_PMD(0), 1000) || pfm_load(fd, my_tid()) ||
	    pfm_start(fd))
		handler_errors++;
	pages_touch(&handler_pages, 7);
	if (pfm_stop(fd) || pfm_read_pmd(fd, SW_PMD(0), &value) ||
	    value != 1007 || pfm_unload(fd) || close(fd))
		handler_errors++;
	hits++;
}

TEST(session_in_a_signal_handler)
{
	struct sigaction sa = { .sa_handler = session_handler };
	int n;

	pages_map(&handler_pages, 100);
	MUST(sigaction(SIG, &sa, NULL));
	for (n = 0; n < 10; n++)
		MUST(raise(SIG));
	EXPECT_EQ(10, hits);
	EXPECT_EQ(0, handler_errors);
	EXPECT_EQ(0ULL, sysfs_u64("thread_sessions"));
}

/* Sampling by time (3.4): a timer's signal, and a read, also while stopped. */
static void timer_handler(int sig)
{
	static u64 last;
	u64 value = last;
	int stop = samples & 1;

	(void)sig;
	if ((stop && pfm_stop(sample_ctx)) ||
	    pfm_read_pmd(sample_ctx, SW_PMD(0), &value) || value < last ||
	    (stop && pfm_start(sample_ctx)))
		handler_errors++;
	timed += value - last;
	last = value;
	samples++;
}

TEST(sampled_by_a_timer)
{
	struct itimerval none = {}, often = {
		.it_interval.tv_usec = 2000, .it_value.tv_usec = 2000,
	};
	struct sigaction sa = {
		.sa_handler = timer_handler, .sa_flags = SA_RESTART,
	};
	int tries;
	u64 total;

	pages_map(&handler_pages, 100);
	MUST(sigaction(SIGALRM, &sa, NULL));
	sample_ctx = pfm_session(0, PFM_SW_MINOR_FAULTS, 0, 0, my_tid());
	MUST(setitimer(ITIMER_REAL, &often, NULL));
	for (tries = 0; tries < PATIENCE && samples < 20; tries++) {
		pages_touch(&handler_pages, 10);
		burn_ms(1);
	}
	MUST(setitimer(ITIMER_REAL, &none, NULL));
	EXPECT_LE(20, samples);
	EXPECT_EQ(0, handler_errors);
	/* What the samples have not seen is what came after the last one. */
	total = pfm_value(sample_ctx, SW_PMD(0));
	EXPECT_LT(0ULL, timed);
	EXPECT_GE(total, timed);
	MUST(raise(SIGALRM));
	EXPECT_LE(total, timed);
}

TEST_HARNESS_MAIN
