// SPDX-License-Identifier: GPL-2.0-only
/*
 * What an attacker would try at the edges in time: arguments that change
 * while they are read, descriptors closed under a command, loads, unloads and
 * closes of one context from many threads, threads that exit or execute in
 * the middle of every command, signals against blocked threads.
 *
 * The kernel has to survive that (the log is searched afterwards) and no
 * session may leak; each test also has something of its own that must hold.
 * Each takes its time, or longer if that is not enough for some rounds.
 * Not here: random arguments (fuzz.c), conservation of counts (stress.c).
 */
#include "puppet.h"
#include <sys/ptrace.h>

static u64 race_ns(void)
{
	return (is_slow() ? 900 : 700) * NSEC_PER_MSEC;
}

static volatile bool stop;

/* ------------------------------------------------------------------------
 * Double fetches
 */

static pfarg_ctx_t shared_ctx;

static void *flip_ctx(void *arg)
{
	volatile u32 *flags = &shared_ctx.ctx_flags;
	volatile unsigned char *uuid = shared_ctx.ctx_smpl_buf_id;

	while (!stop) {
		*flags = PFM_FL_SYSTEM_WIDE | PFM_FL_NOTIFY_BLOCK;
		*uuid = 1;
		*flags = 0x40000000;
		*uuid = 0;
		*flags = PFM_FL_SYSTEM_WIDE;
		*flags = PFM_FL_NOTIFY_BLOCK;
	}
	return arg;
}

/* A context must never get flags that were not checked. */
TEST(context_arguments_change)
{
	u64 end = now_ns(CLOCK_MONOTONIC) + race_ns();
	int made = 0, refused = 0;
	pthread_t t;

	ASSERT_EQ(0, pthread_create(&t, NULL, flip_ctx, NULL));
	while (now_ns(CLOCK_MONOTONIC) < end || made + refused < 10) {
		int fd, ret;
		u64 flags;

		shared_ctx.ctx_fd = -1;
		ret = pfm(-1, PFM_CREATE_CONTEXT, &shared_ctx, 1);
		if (ret) {
			ASSERT_EQ(-EINVAL, ret);
			refused++;
			continue;
		}
		fd = shared_ctx.ctx_fd;
		ASSERT_LE(0, fd);
		flags = pfm_fdinfo_num(fd, "pfm-flags");
		/* 0 is what bytes of two of the values can make. */
		ASSERT_TRUE(flags == PFM_FL_SYSTEM_WIDE ||
			    flags == PFM_FL_NOTIFY_BLOCK || !flags) {
			TH_LOG("%#llx", flags);
		}
		close(fd);
		made++;
	}
	stop = true;
	pthread_join(t, NULL);
	TH_LOG("%d made, %d refused", made, refused);
}

static pfarg_pmc_t shared_pmc[4];

static void *flip_pmc(void *arg)
{
	volatile pfarg_pmc_t *p = &shared_pmc[2];

	while (!stop) {
		p->reg_num = SW_PMC(0);
		p->reg_num = 65535;
		p->reg_value = 200;
		p->reg_num = PFM_MAX_PMCS;
		p->reg_value = PFM_SW_MINOR_FAULTS;
		p->reg_set = 7;
		p->reg_num = SW_PMC(1);
		p->reg_set = 0;
	}
	return arg;
}

/* The verdict is about what was used: success means a legal event. */
TEST(register_arguments_change)
{
	u64 end = now_ns(CLOCK_MONOTONIC) + race_ns();
	int fd = (int)MUST(pfm_create(0)), i;
	struct pages pages;
	pthread_t t;

	ASSERT_EQ(0, pthread_create(&t, NULL, flip_pmc, NULL));
	MUST(pfm_load(fd, my_tid()));
	MUST(pfm_start(fd));
	while (now_ns(CLOCK_MONOTONIC) < end) {
		int ret;

		for (i = 0; i < 4; i++) {
			if (i == 2)
				continue;
			shared_pmc[i] = (pfarg_pmc_t){
				.reg_num = (__u16)SW_PMC(4 + i),
			};
		}
		shared_pmc[2].reg_flags = 0;
		ret = pfm(fd, PFM_WRITE_PMCS, shared_pmc, 4);
		ASSERT_TRUE(ret == 0 || ret == -EINVAL);
		ASSERT_EQ(0U, shared_pmc[0].reg_flags);
		ASSERT_EQ(0U, shared_pmc[1].reg_flags);
	}
	stop = true;
	pthread_join(t, NULL);
	/* Only PMC 0 and 1 can have been programmed, and they still can. */
	for (i = 2; i < PFM_SW_COUNTERS; i++)
		EXPECT_EQ(0ULL, pfm_value(fd, SW_PMD(i)));
	pages_map(&pages, 9);
	MUST(pfm_write_pmc(fd, SW_PMC(0), PFM_SW_MINOR_FAULTS, 0));
	MUST(pfm_write_pmd(fd, SW_PMD(0), 0));
	pages_touch(&pages, 9);
	EXPECT_LE(9ULL, pfm_value(fd, SW_PMD(0)));
	EXPECT_GT(100ULL, pfm_value(fd, SW_PMD(0)));
}

/* ------------------------------------------------------------------------
 * Descriptors
 */

#define FIRST_FD 100
#define N_FDS 8

static void *close_contexts(void *arg)
{
	u32 seed = (u32)(uintptr_t)arg;

	while (!stop)
		close(FIRST_FD + (int)random_below(&seed, N_FDS));
	return NULL;
}

static void *use_contexts(void *arg)
{
	u32 seed = (u32)(uintptr_t)arg;
	pfm_msg_t msg;
	u64 value;

	while (!stop) {
		int fd = FIRST_FD + (int)random_below(&seed, N_FDS);

		switch (random_below(&seed, 9)) {
		case 0: pfm_load(fd, my_tid()); break;
		case 1: pfm_load(fd, getpid()); break;
		case 2: pfm_start(fd); break;
		case 3: pfm_stop(fd); break;
		case 4: pfm_unload(fd); break;
		case 5: pfm_read_pmd(fd, SW_PMD(0), &value); break;
		case 6: pfm_restart(fd); break;
		case 7: pfm_write_pmc(fd, SW_PMC(0), PFM_SW_TASK_CLOCK,
				      PFM_REGFL_OVFL_NOTIFY); break;
		case 8: pfm_poll(fd, 0);
			if (read(fd, &msg, sizeof(msg)) < 0)
				sched_yield();
		}
	}
	return NULL;
}

/* Contexts come, are used and are closed, all by guessing numbers. */
TEST(descriptors_are_closed_under_commands)
{
	u64 end = now_ns(CLOCK_MONOTONIC) + 2 * race_ns(), made = 0;
	pthread_t t[6];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(t); i++)
		ASSERT_EQ(0, pthread_create(&t[i], NULL, i < 2 ?
					    close_contexts : use_contexts,
					    (void *)(i + 1)));
	while (now_ns(CLOCK_MONOTONIC) < end || made < 20) {
		int fd = pfm_create(made & 1 ? 0 : PFM_FL_OVFL_NO_MSG);

		ASSERT_LE(0, fd);
		set_nonblock(fd);
		dup2(fd, FIRST_FD + (int)(made++ % N_FDS));
		close(fd);
	}
	stop = true;
	for (i = 0; i < ARRAY_SIZE(t); i++)
		pthread_join(t[i], NULL);
	for (i = 0; i < N_FDS; i++)
		close(FIRST_FD + (int)i);
	EXPECT_EQ(0ULL, sysfs_u64("thread_sessions"));
}

/* ------------------------------------------------------------------------
 * One context, many threads
 */

static int one_ctx;
static pid_t victims[2];

static void *quarrel(void *arg)
{
	u32 seed = (u32)(uintptr_t)arg;
	u64 value;
	int ret = 0;

	while (!stop) {
		switch (random_below(&seed, 8)) {
		case 0:
		case 1:
			ret = pfm_load(one_ctx,
				       victims[random_below(&seed, 2)]);
			break;
		case 2: ret = pfm_unload(one_ctx); break;
		case 3: ret = pfm_start(one_ctx); break;
		case 4: ret = pfm_stop(one_ctx); break;
		case 5: ret = pfm_restart(one_ctx); break;
		case 6: ret = pfm_read_pmd(one_ctx, SW_PMD(0), &value); break;
		case 7: ret = pfm_write_pmd(one_ctx, SW_PMD(0), -30ULL); break;
		}
		if (ret && ret != -EBUSY)
			return (void *)(long)ret;
	}
	return NULL;
}

static void many_quarrel(struct __test_metadata *_metadata, u32 flags)
{
	struct puppet p[2];
	pthread_t t[6];
	void *ret;
	u64 end;
	size_t i;

	for (i = 0; i < 2; i++) {
		puppet_start(&p[i], PUPPET_PROCESS);
		victims[i] = p[i].tid;
	}
	one_ctx = pfm_counter(flags, PFM_SW_MINOR_FAULTS,
			      PFM_REGFL_OVFL_NOTIFY, -30ULL);
	for (i = 0; i < ARRAY_SIZE(t); i++)
		ASSERT_EQ(0, pthread_create(&t[i], NULL, quarrel,
					    (void *)(i + 1)));
	end = now_ns(CLOCK_MONOTONIC) + race_ns();
	while (now_ns(CLOCK_MONOTONIC) < end)
		for (i = 0; i < 2; i++)
			puppet_do(&p[i], OP_FAULT, 1);
	stop = true;
	for (i = 0; i < ARRAY_SIZE(t); i++) {
		pthread_join(t[i], &ret);
		/* 0 and EBUSY are all that this can give. */
		EXPECT_EQ(0, (long)ret);
	}
	/* The context is none the worse for it. */
	pfm_unload(one_ctx);
	MUST(pfm_write_pmd(one_ctx, SW_PMD(0), 0));
	EXPECT_EQ(0ULL, sysfs_u64("thread_sessions"));
	ASSERT_EQ(0, pfm_load(one_ctx, victims[0]));
	ASSERT_EQ(0, pfm_start(one_ctx));
	puppet_do(&p[0], OP_FAULT, 5);
	EXPECT_EQ(5ULL, pfm_value(one_ctx, SW_PMD(0)));
	pfm_unload(one_ctx);
	for (i = 0; i < 2; i++)
		puppet_stop(&p[i]);
}

TEST(one_context_many_threads)
{
	many_quarrel(_metadata, 0);
}

TEST(one_blocking_context_many_threads)
{
	many_quarrel(_metadata, PFM_FL_NOTIFY_BLOCK);
}

/* ------------------------------------------------------------------------
 * The monitored thread goes away
 */

/* Lives for about @us microseconds, faulting, then ends as @how says. */
static void __attribute__((noreturn)) short_life(unsigned int us, int how)
{
	u64 end = now_ns(CLOCK_MONOTONIC) + us * 1000ULL;
	struct pages pages;

	pages_map(&pages, 4096);
	while (now_ns(CLOCK_MONOTONIC) < end)
		pages_touch(&pages, 1);
	if (how == 1)
		execl("/proc/self/exe", "race", "--exit", NULL);
	if (how == 2)
		kill(getpid(), SIGKILL);
	_exit(0);
}

static int one_command(int fd, u32 which, pid_t pid)
{
	u64 value;

	switch (which) {
	case 0: return pfm_load(fd, pid);
	case 1: return pfm_start(fd);
	case 2: return pfm_stop(fd);
	case 3: return pfm_read_pmd(fd, SW_PMD(0), &value);
	case 4: return pfm_write_pmd(fd, SW_PMD(0), -5ULL);
	case 5: return pfm_write_pmc(fd, SW_PMC(1), PFM_SW_TASK_CLOCK, 0);
	case 6: return pfm_restart(fd);
	default: return pfm_unload(fd);
	}
}

/*
 * Every command against a thread that exits, executes or is killed at a
 * random moment. Afterwards the context is unloaded and fit for use.
 */
TEST(target_ends_during_commands)
{
	u64 end = now_ns(CLOCK_MONOTONIC) + 3 * race_ns();
	u32 seed = 1, rounds = 0, k;

	while (now_ns(CLOCK_MONOTONIC) < end || rounds < 20) {
		u32 flags = rounds % 3 ? 0 : PFM_FL_NOTIFY_BLOCK;
		int fd = pfm_counter(flags, PFM_SW_MINOR_FAULTS,
				     PFM_REGFL_OVFL_NOTIFY, -40ULL);
		pid_t pid;

		MUST(fcntl(fd, F_SETFD, FD_CLOEXEC));
		pid = fork_child();
		if (!pid) {
			if (rounds & 1)
				close(fd);
			short_life(random_below(&seed, 2000), (int)rounds % 3);
		}
		for (k = 0; k < 40; k++) {
			int ret = one_command(fd, random_below(&seed, 8), pid);

			ASSERT_TRUE(ret == 0 || ret == -EBUSY ||
				    ret == -ESRCH || ret == -EPERM) {
				TH_LOG("%d", ret);
			}
		}
		/* A blocked one is freed by this, if by nothing before. */
		if (rounds & 2)
			close(fd);
		else
			pfm_unload(fd);
		kill(pid, SIGKILL);
		reap(pid);
		if (!(rounds & 2)) {
			ASSERT_TRUE(pfm_state_is(fd, "unloaded"));
			/* One that blocks cannot be loaded on oneself. */
			ASSERT_EQ(flags ? -EINVAL : 0, pfm_load(fd, my_tid()));
			close(fd);
		}
		rounds++;
	}
	EXPECT_EQ(0ULL, sysfs_u64("thread_sessions"));
}

/* Loads against a thread that is just being born or already dying. */
TEST(load_of_short_lived_threads)
{
	u64 end = now_ns(CLOCK_MONOTONIC) + race_ns();
	int loaded = 0, missed = 0;

	while (now_ns(CLOCK_MONOTONIC) < end || loaded + missed < 20) {
		int ret, fd = (int)MUST(pfm_create(0));
		pid_t pid;

		MUST(fcntl(fd, F_SETFD, FD_CLOEXEC));
		pid = fork();
		if (!pid)
			_exit(0);
		ret = pfm_load(fd, pid);
		ASSERT_TRUE(ret == 0 || ret == -ESRCH);
		loaded += !ret;
		missed += !!ret;
		reap(pid);
		ASSERT_TRUE(pfm_state_is(fd, "unloaded"));
		close(fd);
	}
	TH_LOG("%d loaded, %d too late", loaded, missed);
}

/* What was the file of a context is one of these, a moment later. */
static void *open_pipes(void *arg)
{
	int p[2];

	while (!stop) {
		if (pipe(p))
			continue;
		close(p[0]);
		close(p[1]);
	}
	return arg;
}

/*
 * The last descriptor is closed while the thread exits, and that exit wants to know who
 * has the descriptor: its file may be freed by then, and another's.
 */
TEST(closed_in_the_exit)
{
	u64 end = now_ns(CLOCK_MONOTONIC) + 2 * race_ns(), close_at;
	int loaded = 0, missed = 0;
	pthread_t t;
	u32 seed = 3;

	ASSERT_EQ(0, pthread_create(&t, NULL, open_pipes, NULL));
	while (now_ns(CLOCK_MONOTONIC) < end || loaded < 20) {
		int ret, fd = (int)MUST(pfm_create(0));
		pid_t pid = fork_child();

		if (!pid) {
			close(fd);
			short_life(random_below(&seed, 300), 0);
		}
		ret = pfm_load(fd, pid);
		ASSERT_TRUE(ret == 0 || ret == -ESRCH);
		loaded += !ret;
		missed += !!ret;
		close_at = now_ns(CLOCK_MONOTONIC) + random_below(&seed, 400) * 1000ULL;
		while (now_ns(CLOCK_MONOTONIC) < close_at)
			;
		close(fd);
		ASSERT_EQ(0, reap(pid));
	}
	stop = true;
	pthread_join(t, NULL);
	TH_LOG("%d loaded, %d too late", loaded, missed);
	EXPECT_EQ(0ULL, sysfs_u64("thread_sessions"));
}

/* Two processes fight over a third one: one at a time gets it. */
TEST(two_monitors_one_thread)
{
	u64 end = now_ns(CLOCK_MONOTONIC) + race_ns();
	struct puppet p;
	pid_t rival;

	puppet_start(&p, PUPPET_PROCESS);
	rival = fork_child();
	for (;;) {
		int ret, fd = (int)MUST(pfm_create(0));

		ret = pfm_load(fd, p.tid);
		if (ret && ret != -EBUSY)
			die("load: %d", ret);
		if (!ret && pfm_start(fd))
			die("start");
		close(fd);
		if (now_ns(CLOCK_MONOTONIC) > end)
			break;
	}
	if (!rival)
		_exit(0);
	EXPECT_EQ(0, reap(rival));
	EXPECT_EQ(0ULL, sysfs_u64("thread_sessions"));
	EXPECT_EQ(0, pfm_load((int)MUST(pfm_create(0)), p.tid));
	puppet_stop(&p);
}

/* ------------------------------------------------------------------------
 * Blocked threads
 */

static void on_signal(int sig)
{
	(void)sig;
}

/* Signals, stops, traces and kills against a thread that gets blocked. */
TEST(signals_against_a_blocked_thread)
{
	static const int signals[] = { SIGUSR1, SIGSTOP, SIGCONT, SIGUSR1 };
	struct sigaction sa = { .sa_handler = on_signal };
	u64 end = now_ns(CLOCK_MONOTONIC) + 2 * race_ns();
	u32 seed = 7;
	int rounds = 0;

	MUST(sigaction(SIGUSR1, &sa, NULL));
	while (now_ns(CLOCK_MONOTONIC) < end || rounds < 3) {
		struct puppet p;
		int fd, k;

		puppet_start(&p, PUPPET_PROCESS);
		fd = pfm_session(PFM_FL_NOTIFY_BLOCK, PFM_SW_MINOR_FAULTS,
				 PFM_REGFL_OVFL_NOTIFY, -2ULL, p.tid);
		puppet_post(&p, OP_FAULT, 50);
		for (k = 0; k < 30; k++) {
			kill(p.tid, signals[random_below(&seed, 4)]);
			if (random_below(&seed, 2))
				pfm_restart(fd);
			if (!random_below(&seed, 8)) {
				pfm_unload(fd);
				pfm_load(fd, p.tid);
				pfm_start(fd);
			}
		}
		ASSERT_EQ(-SIGKILL, kill_and_reap(p.tid));
		close(fd);
		close(p.order[0]);
		close(p.order[1]);
		close(p.ack[0]);
		close(p.ack[1]);
		munmap((void *)p.pages.start,
		       (size_t)(p.pages.end - p.pages.start));
		rounds++;
	}
	EXPECT_EQ(0ULL, sysfs_u64("thread_sessions"));
}

/* A thread that takes its time, and is restarted whenever it gets blocked. */
static void *spin_main(void *arg)
{
	pid_t tid = my_tid();

	MUST(write(*(int *)arg, &tid, sizeof(tid)));
	for (;;)
		;
	return NULL;
}

static void __attribute__((noreturn)) spinner(int out)
{
	pthread_t thread;

	MUST(pthread_create(&thread, NULL, spin_main, &out) ? -1 : 0);
	for (;;)
		pause();
}

/*
 * A thread that gets blocked on its way out, when its process has been told
 * to end: no PFM_RESTART will come and no further signal, and its tracer
 * has it run work in the middle of the exit.
 */
TEST(blocked_in_the_exit_of_its_process)
{
	u64 end = now_ns(CLOCK_MONOTONIC) + 2 * race_ns();
	int rounds = 0, out[2], status;
	u32 seed = 5;

	MUST(pipe(out));
	while (now_ns(CLOCK_MONOTONIC) < end || rounds < 3) {
		pid_t tid, pid = fork_child();
		u64 stop_at;
		int fd;

		if (!pid)
			spinner(out[1]);
		MUST(read(out[0], &tid, sizeof(tid)));
		ASSERT_EQ(0, ptrace(PTRACE_SEIZE, tid, NULL,
				    PTRACE_O_TRACEEXIT));
		fd = (int)MUST(pfm_create(PFM_FL_NOTIFY_BLOCK));
		MUST(pfm_write_pmc(fd, SW_PMC(0), PFM_SW_TASK_CLOCK,
				   PFM_REGFL_OVFL_NOTIFY));
		MUST(pfm_write_period(fd, SW_PMD(0), -20000ULL, -20000ULL, 0));
		MUST(pfm_load(fd, tid));
		MUST(pfm_start(fd));
		stop_at = now_ns(CLOCK_MONOTONIC) +
			  random_below(&seed, 3000) * 1000ULL;
		while (now_ns(CLOCK_MONOTONIC) < stop_at)
			pfm_restart(fd);
		kill(pid, SIGTERM);
		pfm_restart(fd);
		ASSERT_EQ(tid, waitpid(tid, &status, __WALL));
		if (WIFSTOPPED(status))
			ptrace(PTRACE_DETACH, tid, NULL, NULL);
		/* Hangs if the thread does. */
		ASSERT_EQ(-SIGTERM, reap(pid));
		close(fd);
		rounds++;
	}
	TH_LOG("%d rounds", rounds);
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "--exit"))
		return 0;
	test_select();
	return test_harness_run(argc, argv);
}
