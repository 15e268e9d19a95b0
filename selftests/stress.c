// SPDX-License-Identifier: GPL-2.0-only
/*
 * 64 threads and processes that sleep, migrate, fault, fork, exec, exit and
 * are killed, while contexts are loaded on them, read, unloaded and closed.
 *
 * Half of them are counted from a moment of rest to a moment of rest: what
 * their contexts say, the kernel's own counters must say, each and in sum.
 * The other half come and go and give the kernel something to trip over.
 *
 * PFM_STRESS_SECONDS says how long each of the tests runs. Not here: wrong
 * use of the interface (race.c, fuzz.c).
 */
#include "puppet.h"

#define N_PROCESSES	24	/* counted */
#define N_THREADS	8	/* counted, of this process */
#define N_COUNTED	(N_PROCESSES + N_THREADS)
#define N_CHURN		32	/* come and go */
#define N_CONTROLLERS	4

#define LEAST		50	/* works of each that is counted, in any time */

static unsigned int seconds(void)
{
	const char *s = getenv("PFM_STRESS_SECONDS");

	return s && atoi(s) > 0 ? (unsigned int)atoi(s) : 8;
}

/* ------------------------------------------------------------------------
 * What the workers do. In processes that are forked from one with threads:
 * nothing here takes a lock of the C library's.
 */

static void some_faults(u32 *seed)
{
	size_t page = page_size(), n = 1 + random_below(seed, 32), i;
	char *p = mmap(NULL, n * page, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		return;
	for (i = 0; i < n; i++)
		((volatile char *)p)[i * page] = 1;
	munmap(p, n * page);
}

static void some_move(u32 *seed, const cpu_set_t *all)
{
	u32 n = random_below(seed, (u32)CPU_COUNT(all));
	cpu_set_t one;
	int cpu;

	for (cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET((size_t)cpu, all) && !n--)
			break;
	CPU_ZERO(&one);
	CPU_SET((size_t)cpu, &one);
	sched_setaffinity(0, sizeof(one), &one);
	if (random_below(seed, 2))
		sched_setaffinity(0, sizeof(*all), all);
}

static void some_child(u32 *seed)
{
	u32 n = random_below(seed, 3);
	pid_t pid = fork();

	if (!pid) {
		some_faults(seed);
		if (n == 0)
			kill(getpid(), SIGKILL);
		_exit(0);
	}
	if (pid > 0)
		waitpid(pid, NULL, 0);
}

static void some_work(u32 *seed, const cpu_set_t *all)
{
	struct timespec ts = { 0, (long)random_below(seed, 10000000) };
	volatile u32 turns;

	switch (random_below(seed, 12)) {
	case 0: case 1: case 2:
		nanosleep(&ts, NULL);
		break;
	case 3:
		sched_yield();
		break;
	case 4: case 5: case 6:
		some_faults(seed);
		break;
	case 7: case 8:
		some_move(seed, all);
		break;
	case 9:
		if (!random_below(seed, 4))
			some_child(seed);
		break;
	default:
		for (turns = random_below(seed, 100000); turns; turns--)
			;
	}
}

/* And @least works, however long that takes. */
static void work_until(u64 end, unsigned int least, u32 seed)
{
	unsigned int n;
	cpu_set_t all;

	sched_getaffinity(0, sizeof(all), &all);
	for (n = 0; n < least || now_ns(CLOCK_MONOTONIC) < end; n++)
		some_work(&seed, &all);
	sched_setaffinity(0, sizeof(all), &all);
}

/*
 * A counted process: waits for a byte on descriptor 0, works for some time,
 * executes itself in the middle of it, says so on descriptor 1, rests.
 */
static void __attribute__((noreturn)) rest(void)
{
	if (write(1, "r", 1) != 1)
		_exit(1);
	for (;;)
		pause();
}

static void __attribute__((noreturn)) second_half(unsigned int ms, u32 seed)
{
	work_until(now_ns(CLOCK_MONOTONIC) + ms * NSEC_PER_MSEC, LEAST, seed);
	rest();
}

static void __attribute__((noreturn)) first_half(unsigned int ms, u32 seed)
{
	char a[16], b[16], c;

	snprintf(a, sizeof(a), "%u", ms / 2);
	snprintf(b, sizeof(b), "%u", seed + 1);
	if (read(0, &c, 1) != 1)
		_exit(1);
	work_until(now_ns(CLOCK_MONOTONIC) + ms / 2 * NSEC_PER_MSEC, LEAST,
		   seed);
	if (seed % 2)
		second_half(ms / 2, seed + 1);
	execl("/proc/self/exe", "stress", "--second-half", a, b, NULL);
	_exit(1);
}

/* ------------------------------------------------------------------------
 * The counted half
 */

struct counted {
	pid_t tid;
	bool is_thread;
	pthread_t thread;
	int go[2], done[2];
	u32 seed;
	int fd;
	u64 faults, switches;	/* the kernel's, before */
};

static struct counted counted[N_COUNTED];
static volatile bool stop;

static void *counted_thread(void *arg)
{
	struct counted *c = arg;
	char byte;

	c->tid = my_tid();
	MUST(write(c->done[1], "s", 1));
	MUST(read(c->go[0], &byte, 1));
	work_until(now_ns(CLOCK_MONOTONIC) + seconds() * NSEC_PER_SEC, LEAST,
		   c->seed);
	MUST(write(c->done[1], "r", 1));
	/* Rests, and ends when told to. */
	MUST(read(c->go[0], &byte, 1));
	return NULL;
}

static void counted_start(struct counted *c, u32 n)
{
	char byte;

	c->seed = n + 1;
	c->is_thread = n >= N_PROCESSES;
	MUST(pipe2(c->go, O_CLOEXEC));
	MUST(pipe2(c->done, O_CLOEXEC));
	if (c->is_thread) {
		if (pthread_create(&c->thread, NULL, counted_thread, c))
			die("pthread_create");
		MUST(read(c->done[0], &byte, 1));
		return;
	}
	c->tid = fork_child();
	if (!c->tid) {
		MUST(dup2(c->go[0], 0));
		MUST(dup2(c->done[1], 1));
		first_half(seconds() * 1000, c->seed);
	}
}

static void counted_attach(struct counted *c)
{
	wait_rest(c->tid, "S");
	c->fd = pfm_counter(0, PFM_SW_MINOR_FAULTS, 0, 0);
	MUST(pfm_write_pmc(c->fd, SW_PMC(1), PFM_SW_CSWITCHES, 0));
	MUST(pfm_write_pmc(c->fd, SW_PMC(2), PFM_SW_TASK_CLOCK, 0));
	/*
	 * And one that overflows often, silently. Each time is a timer's interrupt: if it
	 * took as long as the period, which 100 us are for a debugging kernel whose CPUs
	 * share a thread of the host, threads would hardly get on.
	 */
	MUST(pfm_write_pmc(c->fd, SW_PMC(3), PFM_SW_TASK_CLOCK, 0));
	MUST(pfm_write_period(c->fd, SW_PMD(3), -10000000ULL, 0, -10000000ULL));
	MUST(pfm_load(c->fd, c->tid));
	MUST(pfm_start(c->fd));
	c->faults = thread_minor_faults(c->tid);
	c->switches = thread_switches(c->tid);
}

/* ------------------------------------------------------------------------
 * The other half
 */

static volatile pid_t churn[N_CHURN];

static void __attribute__((noreturn)) churn_life(u32 seed)
{
	u64 end = now_ns(CLOCK_MONOTONIC) +
		  random_below(&seed, 200000) * 1000ULL;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* It has the descriptors of contexts, its own among them, or not. */
	if (random_below(&seed, 2))
		syscall(SYS_close_range, 3, ~0U, 0);
	work_until(end, 0, seed);
	switch (random_below(&seed, 4)) {
	case 0:
		execl("/proc/self/exe", "stress", "--exit", NULL);
		break;
	case 1:
		kill(getpid(), SIGKILL);
	}
	_exit(0);
}

/* Keeps its quarter of the churn going. */
static void *churn_main(void *arg)
{
	u32 first = (u32)(uintptr_t)arg * (N_CHURN / 4), seed = first + 77, i;

	while (!stop) {
		for (i = first; i < first + N_CHURN / 4; i++) {
			pid_t pid = churn[i];

			if (pid && !random_below(&seed, 4)) {
				kill(pid, SIGKILL);
				waitpid(pid, NULL, 0);
				pid = 0;
			} else if (pid && waitpid(pid, NULL, WNOHANG) == pid) {
				pid = 0;
			}
			if (!pid) {
				u32 child_seed = random_below(&seed, 1 << 30);

				pid = fork();
				if (!pid)
					churn_life(child_seed);
				if (pid < 0)
					pid = 0;
			}
			churn[i] = pid;
		}
		usleep(1000);
	}
	for (i = first; i < first + N_CHURN / 4; i++)
		if (churn[i])
			kill_and_reap(churn[i]);
	return NULL;
}

/* ------------------------------------------------------------------------
 * The controllers
 */

struct controller {
	pthread_t thread;
	u32 seed;
	u64 loads, failed, reads;
	u64 last[N_COUNTED];
	const char *wrong;
};

/* Does what a monitor does to a thread that may vanish at any time. */
static void monitor(struct controller *c)
{
	u32 flags = random_below(&c->seed, 4) ? 0 : PFM_FL_NOTIFY_BLOCK;
	pid_t pid = churn[random_below(&c->seed, N_CHURN)];
	int ret, fd;
	u64 value;

	fd = pfm_create(flags);
	if (fd < 0) {
		c->wrong = "create";
		return;
	}
	fcntl(fd, F_SETFD, FD_CLOEXEC);
	pfm_write_pmc(fd, SW_PMC(0), PFM_SW_MINOR_FAULTS, 0);
	pfm_write_pmc(fd, SW_PMC(1), PFM_SW_CSWITCHES, PFM_REGFL_OVFL_NOTIFY);
	pfm_write_pmd(fd, SW_PMD(1), -3ULL);
	ret = pid ? pfm_load(fd, pid) : -ESRCH;
	if (!ret) {
		c->loads++;
		pfm_start(fd);
		if (random_below(&c->seed, 2))
			usleep(random_below(&c->seed, 3000));
		pfm_read_pmd(fd, SW_PMD(0), &value);
		pfm_restart(fd);
		if (random_below(&c->seed, 2))
			pfm_stop(fd);
		if (random_below(&c->seed, 2))
			pfm_unload(fd);
	} else {
		c->failed++;
		if (ret != -ESRCH && ret != -EBUSY && ret != -EPERM)
			c->wrong = "load";
	}
	close(fd);
}

/* The counted ones are only read, by all controllers at once. */
static void watch(struct controller *c)
{
	u32 n = random_below(&c->seed, N_COUNTED);
	u64 value;

	if (pfm_read_pmd(counted[n].fd, SW_PMD(0), &value))
		c->wrong = "read";
	if (value < c->last[n])
		c->wrong = "a count went backwards";
	c->last[n] = value;
	c->reads++;
}

static void *controller_main(void *arg)
{
	struct controller *c = arg;

	while (!stop && !c->wrong) {
		if (random_below(&c->seed, 3))
			watch(c);
		else
			monitor(c);
	}
	return NULL;
}

/* Whether they have done what can be asked of them. */
static bool enough(const volatile struct controller *c)
{
	u64 loads = 0, reads = 0;
	int i;

	for (i = 0; i < N_CONTROLLERS; i++) {
		if (c[i].wrong)
			return true;
		loads += c[i].loads;
		reads += c[i].reads;
	}
	return loads > 20 && reads > 100;
}

FIXTURE(stress) {
	pthread_t churners[4];
};

FIXTURE_SETUP(stress)
{
	(void)self;
}

FIXTURE_TEARDOWN(stress)
{
	(void)self;
}

static void churn_start(FIXTURE_DATA(stress) *s)
{
	size_t i;

	for (i = 0; i < 4; i++)
		if (pthread_create(&s->churners[i], NULL, churn_main,
				   (void *)i))
			die("pthread_create");
}

static void churn_stop(FIXTURE_DATA(stress) *s)
{
	int i;

	stop = true;
	for (i = 0; i < 4; i++)
		pthread_join(s->churners[i], NULL);
}

/* Exactly what the kernel counted, for each thread and in sum. */
static void compare_counts(struct __test_metadata *_metadata)
{
	u64 faults = 0, switches = 0, kernel_faults = 0, kernel_switches = 0;
	int i;

	for (i = 0; i < N_COUNTED; i++) {
		struct counted *c = &counted[i];
		u64 f = thread_minor_faults(c->tid) - c->faults;
		u64 s = thread_switches(c->tid) - c->switches;

		EXPECT_EQ(f, pfm_value(c->fd, SW_PMD(0))) {
			TH_LOG("faults of %d", i);
		}
		EXPECT_EQ(s, pfm_value(c->fd, SW_PMD(1))) {
			TH_LOG("switches of %d", i);
		}
		EXPECT_LT(0ULL, pfm_value(c->fd, SW_PMD(2)));
		kernel_faults += f;
		kernel_switches += s;
		faults += pfm_value(c->fd, SW_PMD(0));
		switches += pfm_value(c->fd, SW_PMD(1));
	}
	EXPECT_EQ(kernel_faults, faults);
	EXPECT_EQ(kernel_switches, switches);
	EXPECT_LT(100ULL * N_COUNTED / 8, faults);
	EXPECT_LT(100ULL * N_COUNTED / 8, switches);
	TH_LOG("%llu faults, %llu switches", faults, switches);
}

TEST_F_TIMEOUT(stress, per_thread, 300)
{
	struct controller ctl[N_CONTROLLERS] = {};
	u64 loads = 0, failed = 0, reads = 0;
	unsigned int tries;
	u32 i;
	char byte;

	for (i = 0; i < N_COUNTED; i++)
		counted_start(&counted[i], i);
	for (i = 0; i < N_COUNTED; i++)
		counted_attach(&counted[i]);
	churn_start(self);
	for (i = 0; i < N_CONTROLLERS; i++) {
		ctl[i].seed = i + 1000;
		ASSERT_EQ(0, pthread_create(&ctl[i].thread, NULL,
					    controller_main, &ctl[i]));
	}
	for (i = 0; i < N_COUNTED; i++)
		MUST(write(counted[i].go[1], "", 1));
	for (i = 0; i < N_COUNTED; i++)
		ASSERT_EQ(1, read(counted[i].done[0], &byte, 1));
	/* The controllers may have had to wait until now. */
	for (tries = 0; tries < PATIENCE && !enough(ctl); tries++)
		sleep_ms(1);
	churn_stop(self);
	for (i = 0; i < N_CONTROLLERS; i++) {
		pthread_join(ctl[i].thread, NULL);
		EXPECT_EQ(NULL, ctl[i].wrong) {
			TH_LOG("%s", ctl[i].wrong ?: "");
		}
		loads += ctl[i].loads;
		failed += ctl[i].failed;
		reads += ctl[i].reads;
	}
	for (i = 0; i < N_COUNTED; i++)
		wait_rest(counted[i].tid, "S");
	compare_counts(_metadata);
	EXPECT_LT(20ULL, loads);
	EXPECT_LT(100ULL, reads);
	TH_LOG("%llu loads, %llu too late, %llu reads", loads, failed, reads);
	/* The churn's grandchildren may have outlived it, with descriptors. */
	EXPECT_TRUE(sysfs_becomes("thread_sessions", N_COUNTED));
	/* Each ends its session in another way. */
	for (i = 0; i < N_COUNTED; i++) {
		if (i % 3 == 0)
			MUST(pfm_unload(counted[i].fd));
		if (i % 3 == 1)
			close(counted[i].fd);
		if (counted[i].is_thread) {
			MUST(write(counted[i].go[1], "", 1));
			pthread_join(counted[i].thread, NULL);
		} else {
			kill_and_reap(counted[i].tid);
		}
	}
	EXPECT_TRUE(sysfs_becomes("thread_sessions", 0));
}

#define MAX_CPUS 64

static u64 total_switches(void)
{
	static char buf[65536];
	char *p;

	MUST(read_text("/proc/stat", buf, sizeof(buf)));
	p = strstr(buf, "\nctxt ");
	return p ? strtoull(p + 6, NULL, 10) : 0;
}

/* The same crowd under system-wide contexts on all CPUs. */
TEST_F_TIMEOUT(stress, system_wide, 300)
{
	int cpus[MAX_CPUS], fd[MAX_CPUS], n = my_cpus(cpus, MAX_CPUS), i;
	u64 outer, inner, end_inner, end_outer, sum = 0, last[MAX_CPUS] = {};
	u64 end, late;

	churn_start(self);
	for (i = 0; i < n; i++) {
		pin_cpu(cpus[i]);
		fd[i] = pfm_counter(PFM_FL_SYSTEM_WIDE, PFM_SW_CSWITCHES, 0, 0);
		MUST(pfm_write_pmc(fd[i], SW_PMC(1), PFM_SW_TASK_CLOCK, 0));
		MUST(pfm_write_period(fd[i], SW_PMD(1), -100000ULL, 0,
				      -100000ULL));
		MUST(pfm_load(fd[i], my_tid()));
	}
	outer = total_switches();
	for (i = 0; i < n; i++) {
		pin_cpu(cpus[i]);
		MUST(pfm_start(fd[i]));
	}
	inner = total_switches();
	end = now_ns(CLOCK_MONOTONIC) + (1 + seconds() / 3) * NSEC_PER_SEC;
	late = end + PATIENCE * NSEC_PER_MSEC;
	while (now_ns(CLOCK_MONOTONIC) < end ||
	       (last[0] < 200 && now_ns(CLOCK_MONOTONIC) < late))
		for (i = 0; i < n; i++) {
			u64 seen;

			pin_cpu(cpus[i]);
			seen = pfm_value(fd[i], SW_PMD(0));
			ASSERT_LE(last[i], seen);
			last[i] = seen;
		}
	end_inner = total_switches();
	for (i = 0; i < n; i++) {
		pin_cpu(cpus[i]);
		MUST(pfm_stop(fd[i]));
		sum += pfm_value(fd[i], SW_PMD(0));
	}
	end_outer = total_switches();
	churn_stop(self);
	EXPECT_LT(100ULL, sum);
	EXPECT_LE(end_inner - inner, sum);
	EXPECT_GE(end_outer - outer, sum);
	TH_LOG("%llu switches; the kernel: %llu to %llu", sum,
	       end_inner - inner, end_outer - outer);
	for (i = 0; i < n; i++)
		close(fd[i]);
	/* The churn's grandchildren may have outlived it, with descriptors. */
	EXPECT_TRUE(sysfs_becomes("sys_sessions", 0));
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "--exit"))
		return 0;
	if (argc == 4 && !strcmp(argv[1], "--second-half"))
		second_half((unsigned int)atoi(argv[2]), (u32)atoi(argv[3]));
	return test_harness_run(argc, argv);
}
