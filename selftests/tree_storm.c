// SPDX-License-Identifier: GPL-2.0-only
/*
 * Families of processes that fork as fast as they can, in all ways, while contexts of trees are
 * loaded on them, joined, read, stopped, unloaded and closed, others take single threads, and
 * CPUs go and come. One family is counted by a tree from the first moment to the last: to the
 * last page fault.
 *
 * PFM_STORM_FORKS says how many processes and threads there are to be, at least. Not here:
 * trees of which each change is expected (tree_count.c, tree_smpl.c, tree_trouble.c).
 */
#include "member.h"
#include "sampling.h"

#define N_FAMILIES	3	/* that contexts come to and leave; and one that is counted */
#define N_MONITORS	4
#define LOADS		20	/* of each monitor, at least */
#define CPUS		16
#define COUNTER		SW_PMD(0)

/* What all processes see. */
struct storm {
	bool end;
	u32 forks;
	pid_t pid[N_FAMILIES + 1];
};

static struct storm *storm;

static u32 forks_wanted(void)
{
	const char *s = getenv("PFM_STORM_FORKS");

	return s && atoi(s) > 0 ? (u32)atoi(s) : is_slow() ? 200 : 1000;
}

static bool is_over(void)
{
	return __atomic_load_n(&storm->end, __ATOMIC_RELAXED);
}

/* ------------------------------------------------------------------------
 * Families: nothing in them takes a lock of the C library's
 */

static int storm_child(void *unused)
{
	(void)unused;
	touch_in_thread((void *)3L);
	return 0;
}

/* In the memory of the one that makes it, which waits until it has left that. */
static void storm_vfork(bool exec)
{
	pid_t pid = vfork();

	if (!pid) {
		if (exec)
			execl("/proc/self/exe", "tree_storm", "--obey", "", NULL);
		_exit(0);
	}
	reap(pid);
}

static void storm_fork(u32 *seed, unsigned int generations, bool orphans)
{
	u32 how = random_below(seed, 8);
	pid_t pid = (pid_t)MUST(fork());

	if (!pid) {
		storm_child(NULL);
		if (generations > 1)
			storm_fork(seed, generations - 1, orphans);
		/* One whose child nobody waits for, and one that is killed. */
		if (how == 0 && orphans && !fork())
			storm_child(NULL);
		if (how == 1)
			kill(getpid(), SIGKILL);
		_exit(0);
	}
	reap(pid);
}

static void storm_clone(u32 *seed)
{
	static const int flags[] = { 0, CLONE_VM, CLONE_UNTRACED, CLONE_FILES | CLONE_FS };
	static char stack[16384] __attribute__((aligned(16)));

	reap((pid_t)MUST(clone(storm_child, stack + sizeof(stack),
			       flags[random_below(seed, 4)] | SIGCHLD, NULL)));
}

static void storm_once(u32 *seed, bool orphans)
{
	switch (random_below(seed, 8)) {
	case 0:
		storm_vfork(!random_below(seed, 4));
		break;
	case 1: case 2:
		make_threads(2, 3);
		__atomic_fetch_add(&storm->forks, 1, __ATOMIC_RELAXED);
		break;
	case 3:
		storm_clone(seed);
		break;
	default:
		storm_fork(seed, 1 + random_below(seed, 2), orphans);
	}
	__atomic_fetch_add(&storm->forks, 1, __ATOMIC_RELAXED);
}

/* Three processes that make others, from a byte on until it is over. */
static void family(int from, u32 seed, bool orphans)
{
	char c;
	int i;

	MUST(read(from, &c, 1));
	for (i = 0; i < 2; i++) {
		if (!MUST(fork())) {
			seed += 77u * (u32)(i + 1);
			break;
		}
	}
	while (!is_over())
		storm_once(&seed, orphans);
	while (wait(NULL) > 0)
		;
	_exit(0);
}

/* ------------------------------------------------------------------------
 * Monitors
 */

struct monitor {
	pthread_t thread;
	u32 seed;
	u32 loads, refused, joined;
	const char *wrong;
};

static void monitor_read(struct monitor *m, int fd)
{
	u64 first = pfm_value(fd, COUNTER);

	if (pfm_value(fd, COUNTER) < first)
		m->wrong = "a count went back";
	info_of_set(fd, 0);
}

/* A context that samples joins on one CPU, for some time. */
static void monitor_join(struct monitor *m, int sum)
{
	struct sampler s;
	int cpus[CPUS], n, ret;
	cpu_set_t old, one;

	MUST(sched_getaffinity(0, sizeof(old), &old));
	n = my_cpus(cpus, CPUS);
	sampler_open(&s, PFM_FL_TREE, 65536, 0);
	sample_faults(s.fd, 0, 5, 0, 0);
	CPU_ZERO(&one);
	CPU_SET((size_t)cpus[random_below(&m->seed, (u32)n)], &one);
	/* The CPU may have gone meanwhile. */
	if (!sched_setaffinity(0, sizeof(one), &one)) {
		ret = tree_load(s.fd, sum, PFM_LOADFL_JOIN);
		m->joined += !ret;
		if (ret && ret != -EBUSY && ret != -ESRCH && ret != -EINVAL)
			m->wrong = "an unexpected error of a join";
		if (!ret && random_below(&m->seed, 2))
			pfm_value(s.fd, COUNTER);
		if (!ret && random_below(&m->seed, 2))
			pfm_unload(s.fd);
	}
	sched_setaffinity(0, sizeof(old), &old);
	sampler_close(&s);
}

static bool may_refuse(int ret)
{
	return ret == -EBUSY || ret == -ESRCH || ret == -EPERM;
}

/* A tree, or a thread alone, of one of the families. */
static void monitor_once(struct monitor *m)
{
	pid_t pid = storm->pid[random_below(&m->seed, N_FAMILIES)];
	unsigned int flags = PFM_LOADFL_ALL;
	bool tree = random_below(&m->seed, 4);
	int fd, ret;

	fd = (int)MUST(pfm_create(tree ? PFM_FL_TREE : 0));
	MUST(pfm_write_pmc(fd, SW_PMC(0), PFM_SW_MINOR_FAULTS, 0));
	if (random_below(&m->seed, 3) == 0)
		flags = PFM_LOADFL_SLOTS;
	if (random_below(&m->seed, 3))
		flags |= PFM_LOADFL_THREADS;
	if ((flags & PFM_LOADFL_THREADS) && random_below(&m->seed, 2))
		flags |= PFM_LOADFL_CHILDREN;
	if (random_below(&m->seed, 8) == 0)
		flags |= PFM_LOADFL_EXEC;
	ret = tree_load(fd, pid, tree ? flags : 0);
	if (ret) {
		m->refused++;
		if (!may_refuse(ret))
			m->wrong = "an unexpected error of a load";
		close(fd);
		return;
	}
	m->loads++;
	if (!(flags & PFM_LOADFL_EXEC) || !tree)
		pfm_start(fd);
	if (tree && (flags & PFM_LOADFL_SLOTS))
		monitor_join(m, fd);
	else
		monitor_read(m, fd);
	if (random_below(&m->seed, 4) == 0) {
		pfm_stop(fd);
		pfm_start(fd);
	}
	if (random_below(&m->seed, 2)) {
		pfm_unload(fd);
		pfm_value(fd, COUNTER);
	}
	close(fd);
}

static void *monitor_main(void *arg)
{
	struct monitor *m = arg;

	while (!is_over() && !m->wrong)
		monitor_once(m);
	return NULL;
}

static bool enough(const struct monitor *m)
{
	int i;

	for (i = 0; i < N_MONITORS; i++) {
		if (m[i].wrong)
			return true;
		if (__atomic_load_n(&m[i].loads, __ATOMIC_RELAXED) < LOADS)
			return false;
	}
	return __atomic_load_n(&storm->forks, __ATOMIC_RELAXED) >= forks_wanted();
}

FIXTURE(storm)
{
};

FIXTURE_SETUP(storm)
{
}

FIXTURE_TEARDOWN(storm)
{
}

TEST_F_TIMEOUT(storm, fork_storm, 600)
{
	u64 before, faults = 0, end = now_ns(CLOCK_MONOTONIC) + 500 * NSEC_PER_SEC;
	struct monitor m[N_MONITORS] = {};
	int fd, i, home, cpu, status, go[2];
	struct rusage ru;
	char path[64];
	bool unplug;
	pid_t pid;

	unplug = can_unplug(path, sizeof(path), &home, &cpu);
	storm = mmap(NULL, sizeof(*storm), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		     -1, 0);
	ASSERT_NE(MAP_FAILED, (void *)storm);
	MUST(pipe(go));
	for (i = 0; i <= N_FAMILIES; i++) {
		pid = fork_child();
		if (!pid)
			family(go[0], 1000u * (u32)(i + 1), i < N_FAMILIES);
		storm->pid[i] = pid;
	}
	fd = (int)MUST(pfm_create(PFM_FL_TREE));
	MUST(pfm_write_pmc(fd, SW_PMC(0), PFM_SW_MINOR_FAULTS, 0));
	ASSERT_EQ(0, tree_load(fd, storm->pid[N_FAMILIES], PFM_LOADFL_ALL));
	EXPECT_TRUE(wait_state(storm->pid[N_FAMILIES], "S", PATIENCE));
	before = faults_of(storm->pid[N_FAMILIES]);
	ASSERT_EQ(0, pfm_start(fd));
	for (i = 0; i < N_MONITORS; i++) {
		m[i].seed = (u32)i + 1;
		ASSERT_EQ(0, pthread_create(&m[i].thread, NULL, monitor_main, &m[i]));
	}
	for (i = 0; i <= N_FAMILIES; i++)
		MUST(write(go[1], "", 1));
	while (!enough(m) && now_ns(CLOCK_MONOTONIC) < end) {
		if (unplug)
			write_text(path, "0");
		sleep_ms(5);
		if (unplug)
			write_text(path, "1");
		if (pfm_value(fd, COUNTER) < faults)
			break;
		faults = pfm_value(fd, COUNTER);
	}
	EXPECT_TRUE(enough(m));
	EXPECT_LE(faults, pfm_value(fd, COUNTER));
	__atomic_store_n(&storm->end, true, __ATOMIC_RELAXED);
	for (i = 0; i < N_MONITORS; i++) {
		pthread_join(m[i].thread, NULL);
		EXPECT_EQ(NULL, m[i].wrong) {
			TH_LOG("%s", m[i].wrong ?: "");
		}
		TH_LOG("%u loads, %u refused, %u joined", m[i].loads, m[i].refused, m[i].joined);
	}
	for (i = 0; i < N_FAMILIES; i++)
		EXPECT_EQ(0, reap(storm->pid[i]));
	MUST(wait4(storm->pid[N_FAMILIES], &status, 0, &ru));
	EXPECT_EQ(0, status);
	EXPECT_TRUE(tree_ends(fd));
	EXPECT_EQ((u64)ru.ru_minflt - before, pfm_value(fd, COUNTER));
	EXPECT_EQ(0ULL, pfm_fdinfo_num(fd, "pfm-missed"));
	TH_LOG("%u times made a process or threads, %llu faults of one family", storm->forks,
	       pfm_value(fd, COUNTER));
	close(fd);
	EXPECT_TRUE(sysfs_becomes("thread_sessions", 0));
}

int main(int argc, char **argv)
{
	return member_main(argc, argv);
}
