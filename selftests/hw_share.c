// SPDX-License-Identifier: GPL-2.0-only
/*
 * A thread and its CPU, both monitored by the hardware's counters: each has registers of its
 * own, and its counts are what they are alone, whatever the other one does meanwhile (3.1.7).
 * Where a PMU cannot be shared, who comes second is refused.
 *
 * Not here: one of them in software (hw_sessions.c); interrupts at any moment (hw_sections.c).
 */
#include "hw_bench.h"
#include "sampling.h"

#define CPU	0
#define THREAD	1
#define TURNS	50000UL

static const u32 kinds[2] = { PFM_FL_SYSTEM_WIDE, 0 };

/* A context of this thread or of its CPU with counter @k, not loaded. */
static int context(int kind, unsigned int k)
{
	int fd = (int)MUST(pfm_create(kinds[kind]));

	hw_counter(fd, 0, k, HW_INSTRUCTIONS, HW_USER, 0, 0);
	return fd;
}

static unsigned int some_counters(void)
{
	return hw_counters() < 4 ? hw_counters() : 4;
}

/* Whether register @n is in one of the kernel's lists, as "0-3,16". */
static bool is_free(const char *name, unsigned int n)
{
	char text[128], path[128], *at = text;
	unsigned long from, to;

	snprintf(path, sizeof(path), SYSFS "/%s", name);
	if (read_text(path, text, sizeof(text)) < 0)
		die("no %s", name);
	while (*at >= '0' && *at <= '9') {
		from = to = strtoul(at, &at, 10);
		if (*at == '-')
			to = strtoul(at + 1, &at, 10);
		if (n >= from && n <= to)
			return true;
		at += *at == ',';
	}
	return false;
}

#define NEED_SHARED()							\
do {									\
	NEED_HW();							\
	NEED_ROOT();							\
	if (!hw_shares())						\
		SKIP(return, "this PMU is one kind's at a time");	\
} while (0)

/* Each pair of counters, either kind first: only the same one is refused. */
TEST(every_pair)
{
	const char *const frees[2] = { "free_system", "free_thread" };
	int first, fd[2];
	unsigned int k[2];
	u64 alone, cpu;

	NEED_HW();
	NEED_ROOT();
	pin_somewhere();
	alone = hw_total(TURNS);
	for (first = 0; first < 2; first++)
	for (k[0] = 0; k[0] < some_counters(); k[0]++)
	for (k[1] = 0; k[1] < some_counters(); k[1]++) {
		const bool both = hw_shares() && k[0] != k[1];

		fd[0] = context(CPU, k[0]);
		fd[1] = context(THREAD, k[1]);
		MUST(pfm_load(fd[first], my_tid()));
		if (hw_shares()) {
			EXPECT_FALSE(is_free(frees[!first], k[first]));
			EXPECT_EQ(both, is_free(frees[!first], k[!first]));
			EXPECT_TRUE(is_free(frees[first], k[first]));
		}
		EXPECT_EQ(both ? 0 : -EBUSY, pfm_load(fd[!first], my_tid())) {
			TH_LOG("%u and %u, first %d", k[0], k[1], first);
		}
		if (both) {
			MUST(pfm_start(fd[CPU]));
			run(fd[THREAD], TURNS);
			MUST(pfm_stop(fd[CPU]));
			EXPECT_EQ(alone, hw_value(fd[THREAD], 0, k[1], HW_INSTRUCTIONS));
			cpu = hw_value(fd[CPU], 0, k[0], HW_INSTRUCTIONS);
			EXPECT_LE(alone, cpu);
			EXPECT_GT(alone + TURNS, cpu);
		}
		close(fd[0]);
		close(fd[1]);
		if (hw_shares())
			EXPECT_TRUE(is_free(frees[CPU], k[0]) && is_free(frees[CPU], k[1]));
	}
}

/* Loaded, neither gets what the other has; and its default is nobody's. */
TEST(programmed_while_loaded)
{
	int first, fd[2];
	u64 before;

	NEED_SHARED();
	pin_somewhere();
	for (first = 0; first < 2; first++) {
		fd[first] = context(first, 0);
		fd[!first] = context(!first, 1);
		MUST(pfm_load(fd[first], my_tid()));
		MUST(pfm_load(fd[!first], my_tid()));
		MUST(pfm_start(fd[first]));
		MUST(pfm_start(fd[!first]));
		EXPECT_EQ(-EBUSY, hw_find()->write(fd[!first], 0, 0, HW_INSTRUCTIONS, HW_USER, 0));
		before = hw_value(fd[first], 0, 0, HW_INSTRUCTIONS);
		EXPECT_EQ(0, hw_write_one(fd[!first], 0, 0, 0, 0));
		hw_loop(TURNS);
		EXPECT_LE(before + 2 * TURNS, hw_value(fd[first], 0, 0, HW_INSTRUCTIONS));
		EXPECT_LE(2 * TURNS, hw_value(fd[!first], 0, 1, HW_INSTRUCTIONS));
		MUST(pfm_unload(fd[first]));
		EXPECT_EQ(0, hw_find()->write(fd[!first], 0, 0, HW_INSTRUCTIONS, HW_USER, 0));
		EXPECT_EQ(-EBUSY, pfm_load(fd[first], my_tid()));
		close(fd[0]);
		close(fd[1]);
	}
}

#define PERIOD_THREAD	10007ULL
#define PERIOD_CPU	7001ULL

/*
 * Both are sampled, each with its period, so that interrupts are for one, for the other, or
 * for both: each sample of the thread is there.
 */
TEST(sampled)
{
	static const struct hw_more nothing_more;
	static const u64 period[2] = { PERIOD_CPU, PERIOD_THREAD };
	const u64 turns = 500000;
	struct sampler s[2];
	u64 total, n;
	int i;

	NEED_SHARED();
	NEED_HW_INTERRUPT();
	if (hw_counters() < 4)
		SKIP(return, "needs 4 counters");
	pin_somewhere();
	for (i = 0; i < 2; i++) {
		sampler_open(&s[i], kinds[i], 1 << 20, 0);
		hw_counter_more(s[i].fd, 0, 2 * i, 0, period[i], &nothing_more);
		hw_counter(s[i].fd, 0, 2 * i + 1, HW_INSTRUCTIONS, HW_USER, 0, 0);
		MUST(pfm_load(s[i].fd, my_tid()));
		MUST(pfm_start(s[i].fd));
	}
	hw_loop(turns);
	for (i = 0; i < 2; i++)
		MUST(pfm_stop(s[i].fd));
	for (i = 0; i < 2; i++) {
		total = hw_value(s[i].fd, 0, 2 * i + 1, HW_INSTRUCTIONS);
		EXPECT_LE(2 * turns, total);
		n = s[i].hdr->hdr_count;
		EXPECT_GE(total / period[i], n);
		EXPECT_LE(set_skid(0) ? total / period[i] : total / period[i] / 2, n);
		if (set_skid(0))
			EXPECT_EQ(-period[i] + total % period[i],
				  hw_value(s[i].fd, 0, 2 * i, HW_INSTRUCTIONS));
		sampler_close(&s[i]);
	}
}

/* One is masked, or goes from set to set, as often as it likes: the other one's count is exact. */
TEST(other_is_masked)
{
	int kind, fd[2];
	unsigned int i;
	u64 alone;

	NEED_SHARED();
	NEED_HW_INTERRUPT();
	pin_somewhere();
	alone = hw_total(TURNS);
	for (kind = 0; kind < 2; kind++) {
		fd[kind] = (int)MUST(pfm_create(kinds[kind]));
		set_nonblock(fd[kind]);
		hw_counter(fd[kind], 0, 0, HW_INSTRUCTIONS, HW_USER, PFM_REGFL_OVFL_NOTIFY, 1000);
		fd[!kind] = context(!kind, 1);
		for (i = 0; i < 2; i++) {
			MUST(pfm_load(fd[i], my_tid()));
		}
		for (i = 0; i < 20; i++) {
			u64 before = hw_value(fd[!kind], 0, 1, HW_INSTRUCTIONS), now;

			MUST(pfm_start(fd[kind]));
			run(fd[!kind], TURNS);
			now = hw_value(fd[!kind], 0, 1, HW_INSTRUCTIONS) - before;
			/* A CPU counts a few of others, too. */
			EXPECT_LE(alone, now);
			EXPECT_GE(alone + (kind == CPU ? 0 : TURNS), now);
			EXPECT_EQ(PFM_MSG_OVFL, pfm_next_msg(fd[kind], NULL, PATIENCE));
			MUST(pfm_restart(fd[kind]));
		}
		close(fd[0]);
		close(fd[1]);
	}
}

TEST(other_changes_sets)
{
	int kind, fd[2];
	unsigned int i;
	u64 alone;

	NEED_SHARED();
	pin_somewhere();
	if (hw_counters() < 3)
		SKIP(return, "needs 3 counters");
	alone = hw_total(TURNS);
	for (kind = 0; kind < 2; kind++) {
		pfarg_setdesc_t set = { .set_id = 1 };

		fd[!kind] = context(!kind, 1);
		fd[kind] = context(kind, 0);
		MUST(pfm(fd[kind], PFM_CREATE_EVTSETS, &set, 1));
		hw_counter(fd[kind], 1, 2, HW_INSTRUCTIONS, HW_USER, 0, 0);
		MUST(pfm_load(fd[0], my_tid()));
		MUST(pfm_load(fd[1], my_tid()));
		MUST(pfm_start(fd[kind]));
		for (i = 0; i < 20; i++) {
			pfarg_start_t start = { .start_set = i & 1 };
			u64 before = hw_value(fd[!kind], 0, 1, HW_INSTRUCTIONS), now;

			MUST(pfm_start(fd[!kind]));
			hw_loop(TURNS / 2);
			MUST(pfm(fd[kind], PFM_START, &start, 1));
			hw_loop(TURNS / 2);
			MUST(pfm_stop(fd[!kind]));
			now = hw_value(fd[!kind], 0, 1, HW_INSTRUCTIONS) - before;
			EXPECT_LE(2 * TURNS, now);
			EXPECT_GE(alone + TURNS, now);
		}
		EXPECT_LE(2 * TURNS * 9, hw_value(fd[kind], 0, 0, HW_INSTRUCTIONS));
		EXPECT_LE(2 * TURNS * 9, hw_value(fd[kind], 1, 2, HW_INSTRUCTIONS));
		close(fd[0]);
		close(fd[1]);
	}
}

#define USERS	8

struct user {
	pthread_t thread;
	int cpu;
	u64 count;
};

/* A user of a shared machine: counts itself, again and again. */
static void *use(void *arg)
{
	struct user *u = arg;
	unsigned int i;

	pin_cpu(u->cpu);
	u->count = hw_total(TURNS);
	for (i = 0; i < 20; i++) {
		u64 count = hw_total(TURNS);

		if (count != u->count)
			die("%llu instructions, and %llu", u->count, count);
	}
	return NULL;
}

/* Root's agent counts the CPU, and reads all the time; users count themselves beside it. */
TEST(agent_and_users)
{
	u64 alone, last = 0, now;
	struct user u[USERS];
	int fd, i, cpu, left;

	NEED_SHARED();
	cpu = pin_somewhere();
	alone = hw_total(TURNS);
	fd = context(CPU, 1);
	MUST(pfm_load(fd, my_tid()));
	MUST(pfm_start(fd));
	for (i = 0; i < USERS; i++) {
		u[i] = (struct user){ .cpu = cpu };
		ASSERT_EQ(0, pthread_create(&u[i].thread, NULL, use, &u[i]));
	}
	for (left = USERS; left;) {
		now = hw_value(fd, 0, 1, HW_INSTRUCTIONS);
		EXPECT_LE(last, now);
		last = now;
		if (!pthread_tryjoin_np(u[left - 1].thread, NULL))
			left--;
		sched_yield();
	}
	for (i = 0; i < USERS; i++)
		EXPECT_EQ(alone, u[i].count);
	/* All that they have executed, and what this thread has. */
	EXPECT_LE(USERS * 21 * alone, hw_value(fd, 0, 1, HW_INSTRUCTIONS));
	close(fd);
}

/*
 * The same with all that can come in between: an agent for each CPU, whose sets take turns;
 * users whose sets take turns, who are counted alone, or who interrupt all the time, until they
 * are throttled and go on; CPUs that go and come; interrupts that are late; and somebody who
 * looks at all contexts, which keeps NMIs from their locks.
 */
#define MANY		20
#define STORMS		2
#define STORM_PERIOD	(is_slow() ? 5000ULL : 500ULL)
#define CPUS		8
#define AGENT_PAIR	2		/* the first counter of an agent's two */

static bool trouble_is_over;		/* atomic */

static bool is_over(void)
{
	return __atomic_load_n(&trouble_is_over, __ATOMIC_RELAXED);
}

/* Each user counts itself so often, and goes on for as long as PFM_SHARE_MINUTES says. */
static u64 share_end;

static bool share_goes_on(unsigned int turns)
{
	return turns < (is_slow() ? 3 : 10) || now_ns(CLOCK_MONOTONIC) < share_end;
}

static void add_set(int fd, __u16 id, long long ns)
{
	pfarg_setdesc_t set = {
		.set_id = id, .set_flags = PFM_SETFL_TIME_SWITCH, .set_timeout = { 0, ns },
	};

	MUST(pfm(fd, PFM_CREATE_EVTSETS, &set, 1));
}

/* hw_total(), in two sets that take turns. */
static u64 total_of_sets(unsigned long n)
{
	int fd = (int)MUST(pfm_create(0));
	u64 total = 0;
	__u16 set;

	for (set = 0; set < 2; set++) {
		add_set(fd, set, 300000);
		hw_counter(fd, set, set, HW_INSTRUCTIONS, HW_USER, 0, 0);
	}
	MUST(pfm_load(fd, my_tid()));
	run(fd, n);
	for (set = 0; set < 2; set++)
		total += hw_value(fd, set, set, HW_INSTRUCTIONS);
	close(fd);
	return total;
}

struct patient {
	pthread_t thread;
	u64 alone;		/* instructions of one turn */
	unsigned int turns;	/* that it has counted */
	int cpu;		/* or -1: any */
	bool sets;
};

static void *count_amid(void *arg)
{
	struct patient *p = arg;
	u64 count;

	if (p->cpu >= 0)
		pin_cpu(p->cpu);
	for (; share_goes_on(p->turns); p->turns++) {
		count = p->sets ? total_of_sets(TURNS) : hw_total(TURNS);
		if (count != p->alone)
			die("%llu instructions%s, and %llu alone", count,
			    p->sets ? " in two sets" : "", p->alone);
	}
	return NULL;
}

struct agent {
	pthread_t thread;
	int cpu;
	bool ready;		/* atomic: it counts */
	unsigned int loads, reads;
	u64 count;		/* of both sets */
};

/* Both sets' pairs, or false if the context is not this CPU's. */
static bool agent_reads(struct agent *a, int fd)
{
	pfarg_pmd_t req[4] = {};
	unsigned int i;

	for (i = 0; i < 4; i++) {
		req[i].reg_set = (__u16)(i / 2);
		req[i].reg_num = (__u16)hw_find()->pmd(AGENT_PAIR + i % 2, HW_INSTRUCTIONS);
	}
	if (pfm(fd, PFM_READ_PMDS, req, 4))
		return false;
	for (i = 0; i < 4; i += 2)
		if (req[i].reg_value != req[i + 1].reg_value)
			die("CPU %d, set %u: %llu instructions, and %llu", a->cpu, i / 2,
			    req[i].reg_value, req[i + 1].reg_value);
	a->count = req[0].reg_value + req[2].reg_value;
	a->reads++;
	return true;
}

/* Counts on the CPU, again and again if that goes and comes. */
static void *be_agent(void *arg)
{
	struct agent *a = arg;
	int fd = (int)MUST(pfm_create(PFM_FL_SYSTEM_WIDE));
	cpu_set_t cpus;
	__u16 set;

	CPU_ZERO(&cpus);
	CPU_SET((size_t)a->cpu, &cpus);
	for (set = 0; set < 2; set++) {
		add_set(fd, set, 1000000);
		hw_counter(fd, set, AGENT_PAIR, HW_INSTRUCTIONS, HW_USER, 0, 0);
		hw_counter(fd, set, AGENT_PAIR + 1, HW_INSTRUCTIONS, HW_USER, 0, 0);
	}
	while (!is_over()) {
		if (pfm_state_is(fd, "unloaded")) {
			/* Where it is moved if its CPU goes now there is another agent. */
			if (sched_setaffinity(0, sizeof(cpus), &cpus) ||
			    pfm_load(fd, my_tid()) || pfm_start(fd)) {
				nap();
				continue;
			}
			a->loads++;
			__atomic_store_n(&a->ready, true, __ATOMIC_RELEASE);
		}
		agent_reads(a, fd);
		nap();
	}
	while (!agent_reads(a, fd))
		nap();
	close(fd);
	return NULL;
}

/* Masked for its interrupts it goes on at once. */
static void *storm(void *arg)
{
	int fd = (int)MUST(pfm_create(0));

	(void)arg;
	set_nonblock(fd);
	hw_counter(fd, 0, 1, HW_INSTRUCTIONS, HW_BOTH, 0, STORM_PERIOD);
	MUST(pfm_load(fd, my_tid()));
	MUST(pfm_start(fd));
	while (!is_over()) {
		hw_loop(1000);
		pfm_next_msg(fd, NULL, 0);
		pfm_restart(fd);
	}
	close(fd);
	return NULL;
}

static void *look_at_all(void *arg)
{
	char path[64], text[1024];
	int fd;

	(void)arg;
	while (!is_over()) {
		for (fd = 3; fd < 3 + 2 * MANY; fd++) {
			snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
			read_text(path, text, sizeof(text));
		}
		sched_yield();
	}
	return NULL;
}

static void *delay(void *arg)
{
	u32 seed = 4711;

	(void)arg;
	while (!is_over()) {
		set_skid(random_below(&seed, 3000));
		nap();
	}
	set_skid(0);
	return NULL;
}

static void *plug_and_unplug(void *arg)
{
	const char *path = arg;

	while (!is_over()) {
		write_text(path, "0");
		nap();
		write_text(path, "1");
		nap();
	}
	return NULL;
}

FIXTURE(share) {
	const char *minutes;
};

FIXTURE_SETUP(share)
{
	self->minutes = getenv("PFM_SHARE_MINUTES");
	if (self->minutes)
		share_end = now_ns(CLOCK_MONOTONIC) + strtoul(self->minutes, NULL, 0) * 60 * NSEC_PER_SEC;
}

FIXTURE_TEARDOWN(share)
{
}

/* Whoever asks for so many minutes tells run.sh of them, too (PFM_TIMEOUT). */
TEST_F_TIMEOUT(share, agents_in_trouble, 24 * 3600)
{
	static void *(*const makers[])(void *) = { look_at_all, delay, plug_and_unplug };
	pthread_t maker[ARRAY_SIZE(makers)], storms[STORMS];
	int cpus[CPUS], n, i, home = -1, away = -1, made;
	struct agent agents[CPUS] = {};
	unsigned int turns = 0, loads = 0, reads = 0;
	struct patient p[MANY];
	u64 pinned = 0, before;
	char path[96];

	NEED_SHARED();
	NEED_HW_INTERRUPT();
	NEED_DEBUGFS();
	if (hw_counters() < AGENT_PAIR + 2)
		SKIP(return, "needs %d counters", AGENT_PAIR + 2);
	n = my_cpus(cpus, CPUS);
	made = ARRAY_SIZE(makers) - !can_unplug(path, sizeof(path), &home, &away);
	home = cpus[0];
	before = debugfs_sum("overflows");
	for (i = 0; i < MANY; i++) {
		p[i] = (struct patient){ .cpu = i % 4 ? -1 : home, .sets = i % 2 };
		p[i].alone = p[i].sets ? total_of_sets(TURNS) : hw_total(TURNS);
	}
	for (i = 0; i < n; i++) {
		agents[i].cpu = cpus[i];
		ASSERT_EQ(0, pthread_create(&agents[i].thread, NULL, be_agent, &agents[i]));
		while (!__atomic_load_n(&agents[i].ready, __ATOMIC_ACQUIRE))
			nap();
	}
	for (i = 0; i < made; i++)
		ASSERT_EQ(0, pthread_create(&maker[i], NULL, makers[i], path));
	for (i = 0; i < STORMS; i++)
		ASSERT_EQ(0, pthread_create(&storms[i], NULL, storm, NULL));
	for (i = 0; i < MANY; i++)
		ASSERT_EQ(0, pthread_create(&p[i].thread, NULL, count_amid, &p[i]));

	for (i = 0; i < MANY; i++) {
		pthread_join(p[i].thread, NULL);
		turns += p[i].turns;
		pinned += p[i].cpu >= 0 ? p[i].alone * p[i].turns : 0;
	}
	__atomic_store_n(&trouble_is_over, true, __ATOMIC_RELAXED);
	for (i = 0; i < STORMS; i++)
		pthread_join(storms[i], NULL);
	for (i = 0; i < made; i++)
		pthread_join(maker[i], NULL);
	for (i = 0; i < n; i++) {
		pthread_join(agents[i].thread, NULL);
		loads += agents[i].loads;
		reads += agents[i].reads;
		if (agents[i].cpu == home) {
			EXPECT_EQ(1U, agents[i].loads);
			EXPECT_LE(pinned, agents[i].count);
		}
	}
	before = debugfs_sum("overflows") - before;
	EXPECT_LT(0U, before);
	if (self->minutes)
		TH_LOG("users counted themselves %u times, %d agents read %u times in %u loads, "
		       "%llu overflows", turns, n, reads, loads, before);
}

TEST_HARNESS_MAIN
