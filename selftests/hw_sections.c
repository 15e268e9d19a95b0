// SPDX-License-Identifier: GPL-2.0-only
/*
 * Overflow interrupts in each section of the kernel's: counters of what the kernel executes, at
 * short and random periods, while threads are switched and move, and while other threads
 * read, stop, start, write and restart their contexts. The interrupt is an NMI on x86 and on
 * PowerPC of 64 bits, and finds half done whatever it interrupts. The same with contexts of
 * the CPUs beside those of the threads.
 *
 * Not here: what a sample holds (hw_samples.c), and where chains go (hw_chains.c).
 */
#include "hw_bench.h"

#define THREADS		8
#define CONTROLLERS	2
#define ROUNDS		(is_slow() ? 1500U : 3000U)
#define PERIOD		(is_slow() ? 60000ULL : 5000ULL)
#define RANDOM_MASK	(is_slow() ? 0x7fffU : 0xfffU)

/* The counters: one overflows, two count the same. */
enum { OVERFLOWS, FIRST, SECOND, COUNTERS };

struct worker {
	pthread_t thread;
	bool alone;
	int fd;
	bool commanded;		/* others stop and start it; else they only read */
	bool stormy;
	u64 count[COUNTERS];
};

static struct worker workers[THREADS];
/*
 * Where threads meet: workers and controllers before the first round; workers and the test
 * after the last one; and again when the controllers have ended.
 */
static pthread_barrier_t begin, done, end;
static volatile bool over;

/* Contexts of the CPUs, which count the kernel, too, in a counter of their own. */
#define AGENT	COUNTERS
#define CPUS	8

static void meet(const struct worker *w, pthread_barrier_t *where)
{
	if (!w->alone)
		pthread_barrier_wait(where);
}

/*
 * Those of a thread that is left alone count the program, as exactly as any. Others count
 * what an interrupt can find half done: the kernel.
 */
static enum hw_level plain_level(const struct worker *w)
{
	if (hw_levels_are_per_set())
		return HW_BOTH;
	return w->commanded ? HW_KERNEL : HW_USER;
}

/* Not all processors start, stop and read all counters at one moment: in so many events. */
static u64 tolerance(const struct worker *w)
{
	return plain_level(w) == HW_USER ? 0 : 1 << 20;
}

static void write_period(int fd)
{
	pfarg_pmd_t req = {
		.reg_num = (__u16)hw_find()->pmd(OVERFLOWS, HW_INSTRUCTIONS),
		.reg_value = -PERIOD, .reg_long_reset = -PERIOD,
		.reg_short_reset = -PERIOD, .reg_random_mask = RANDOM_MASK,
		.reg_random_seed = 4711,
	};

	MUST(pfm(fd, PFM_WRITE_PMDS, &req, 1));
}

static void read_all(int fd, u64 *count)
{
	pfarg_pmd_t req[COUNTERS] = {};
	unsigned int k;

	for (k = 0; k < COUNTERS; k++)
		req[k].reg_num = (__u16)hw_find()->pmd(k, HW_INSTRUCTIONS);
	MUST(pfm(fd, PFM_READ_PMDS, req, COUNTERS));
	for (k = 0; k < COUNTERS; k++)
		count[k] = req[k].reg_value;
}

/* Always the same instructions at user level between start and stop. */
static void *work(void *arg)
{
	struct worker *w = arg;
	enum hw_level level = hw_levels_are_per_set() ? HW_BOTH : HW_KERNEL;
	u32 flags = w->commanded ? PFM_REGFL_OVFL_NOTIFY : 0;
	unsigned int i;

	w->fd = (int)MUST(pfm_create(0));
	/* Two controllers may want one message: who comes second must not wait for the next. */
	set_nonblock(w->fd);
	MUST(hw_find()->write(w->fd, 0, OVERFLOWS, HW_INSTRUCTIONS, level,
			      flags | PFM_REGFL_RANDOM));
	write_period(w->fd);
	hw_counter(w->fd, 0, FIRST, HW_INSTRUCTIONS, plain_level(w), 0, 0);
	hw_counter(w->fd, 0, SECOND, HW_INSTRUCTIONS, plain_level(w), 0, 0);
	MUST(pfm_load(w->fd, my_tid()));
	meet(w, &begin);
	MUST(pfm_start(w->fd));
	for (i = 0; i < ROUNDS; i++) {
		hw_loop(50);
		syscall(SYS_sched_yield);
		if (i % 2)
			read_all(w->fd, w->count);
	}
	MUST(pfm_stop(w->fd));
	meet(w, &done);
	meet(w, &end);
	MUST(pfm_stop(w->fd));
	w->stormy = hw_stormy(w->fd);
	read_all(w->fd, w->count);
	close(w->fd);
	return NULL;
}

/* One thing that can be done to another thread's context while that thread runs. */
static void command(struct worker *w, u32 what)
{
	u64 count[COUNTERS];
	pfm_msg_t msg;

	switch (w->commanded ? what : 0) {
	case 0:
		read_all(w->fd, count);
		break;
	case 1:
		MUST(pfm_stop(w->fd));
		break;
	case 2:
		MUST(pfm_start(w->fd));
		break;
	case 3:
		write_period(w->fd);
		break;
	default:
		if (read(w->fd, &msg, sizeof(msg)) < 0 && errno != EAGAIN)
			die("read: %s", strerror(errno));
		/* It is not masked, or the other controller has been here. */
		if (pfm_restart(w->fd) && errno != EBUSY)
			die("restart: %s", strerror(errno));
		break;
	}
}

static void *control(void *arg)
{
	u32 seed = (u32)(uintptr_t)arg, what;

	pthread_barrier_wait(&begin);
	while (!over) {
		what = random_below(&seed, 8);
		command(&workers[random_below(&seed, THREADS)], what);
		if (!random_below(&seed, 16))
			sched_yield();
	}
	return NULL;
}

/* On its own CPU, as such a context wants it. */
static void *watch(void *arg)
{
	int cpu = (int)(uintptr_t)arg, fd;
	u32 seed = (u32)cpu + 17;
	pfm_msg_t msg;

	pin_cpu(cpu);
	fd = (int)MUST(pfm_create(PFM_FL_SYSTEM_WIDE));
	set_nonblock(fd);
	hw_counter(fd, 0, AGENT, HW_INSTRUCTIONS, HW_KERNEL, PFM_REGFL_OVFL_NOTIFY, PERIOD * 3);
	MUST(pfm_load(fd, my_tid()));
	MUST(pfm_start(fd));
	pthread_barrier_wait(&begin);
	while (!over) {
		switch (random_below(&seed, 4)) {
		case 0:
			hw_value(fd, 0, AGENT, HW_INSTRUCTIONS);
			break;
		case 1:
			MUST(pfm_stop(fd));
			MUST(pfm_start(fd));
			break;
		default:
			if (read(fd, &msg, sizeof(msg)) < 0 && errno != EAGAIN)
				die("read: %s", strerror(errno));
			if (pfm_restart(fd) && errno != EBUSY)
				die("restart: %s", strerror(errno));
		}
		sched_yield();
	}
	close(fd);
	return NULL;
}

FIXTURE(sections)
{
};

FIXTURE_SETUP(sections)
{
}

FIXTURE_TEARDOWN(sections)
{
}

/*
 * The counters FIRST and SECOND of a thread agree, whatever commands its context had. In a
 * thread whose context was only read they have the count of a thread that runs alone.
 */
static void sections(struct __test_metadata *_metadata, unsigned int cpus)
{
	struct worker alone = { .alone = true };
	pthread_t controllers[CONTROLLERS], agents[CPUS];
	u64 overflows, apart, stormy = 0;
	unsigned int i, runs;

	/* A thread, too: how long it takes to clear an array depends on where its stack is. */
	for (runs = 0; runs < HW_RUNS; runs++) {
		ASSERT_EQ(0, pthread_create(&alone.thread, NULL, work, &alone));
		pthread_join(alone.thread, NULL);
		/* What a storm has masked is no measure. */
		if (!alone.stormy)
			break;
	}
	ASSERT_GT(HW_RUNS, runs);
	over = false;
	pthread_barrier_init(&begin, NULL, THREADS + CONTROLLERS + cpus);
	pthread_barrier_init(&done, NULL, THREADS + 1);
	pthread_barrier_init(&end, NULL, THREADS + 1);
	overflows = debugfs_sum("overflows");
	for (i = 0; i < THREADS; i++) {
		workers[i] = (struct worker){ .commanded = i & 1 };
		ASSERT_EQ(0, pthread_create(&workers[i].thread, NULL, work, &workers[i]));
	}
	for (i = 0; i < CONTROLLERS; i++)
		ASSERT_EQ(0, pthread_create(&controllers[i], NULL, control,
					    (void *)(uintptr_t)(i + 1)));
	for (i = 0; i < cpus; i++)
		ASSERT_EQ(0, pthread_create(&agents[i], NULL, watch, (void *)(uintptr_t)i));
	pthread_barrier_wait(&done);
	over = true;
	for (i = 0; i < CONTROLLERS; i++)
		pthread_join(controllers[i], NULL);
	for (i = 0; i < cpus; i++)
		pthread_join(agents[i], NULL);
	pthread_barrier_wait(&end);
	for (i = 0; i < THREADS; i++) {
		const struct worker *w = &workers[i];

		pthread_join(w->thread, NULL);
		apart = w->count[FIRST] - w->count[SECOND];
		EXPECT_GE(2 * tolerance(w), apart + tolerance(w));
		stormy += w->stormy;
		/* A storm masks, and what the kernel executes is not the same each time. */
		if (w->commanded || w->stormy || plain_level(w) != HW_USER)
			continue;
		EXPECT_EQ(alone.count[FIRST], w->count[FIRST]);
	}
	overflows = debugfs_sum("overflows") - overflows;
	TH_LOG("%llu overflows, %llu threads in storms", overflows, stormy);
	EXPECT_LT(is_slow() ? 100ULL : 1000ULL, overflows);
}

TEST_F_TIMEOUT(sections, counters_agree, 300)
{
	NEED_HW_INTERRUPT();
	NEED_DEBUGFS();
	if (hw_counters() < COUNTERS)
		SKIP(return, "needs %u counters", COUNTERS);
	sections(_metadata, 0);
}

TEST_F_TIMEOUT(sections, beside_the_cpus, 300)
{
	unsigned int cpus = (unsigned int)sysconf(_SC_NPROCESSORS_ONLN);

	NEED_HW_INTERRUPT();
	NEED_DEBUGFS();
	NEED_ROOT();
	if (hw_counters() <= AGENT || !hw_shares())
		SKIP(return, "needs %u counters that can be shared", AGENT + 1);
	sections(_metadata, cpus < CPUS ? cpus : CPUS);
}

TEST_HARNESS_MAIN
