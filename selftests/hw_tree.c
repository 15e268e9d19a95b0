// SPDX-License-Identifier: GPL-2.0-only
/*
 * The counters of the hardware: process trees (PFM_FL_TREE), to the last instruction.
 *
 * A program whose children each run a loop of known length is counted twice, with loops of
 * two lengths: all else is the same, so the difference is that of the loops, as a plain
 * context counts it.
 *
 * Not here: software events (tree_count.c, tree_smpl.c).
 */
#include "hw_bench.h"
#include "sampling.h"

#include <sched.h>

#define CHILDREN	10
#define THREADS		4

static u64 loop_alone(unsigned int turns)
{
	int fd = counter(0, HW_INSTRUCTIONS, HW_USER, 0, 0);
	u64 value;

	MUST(pfm_start(fd));
	hw_loop(turns);
	MUST(pfm_stop(fd));
	value = hw_value(fd, 0, 0, HW_INSTRUCTIONS);
	close(fd);
	return value;
}

static void *loop_in_thread(void *turns)
{
	unsigned int i;

	/* Threads of the same program on few CPUs: from member to member, many times. */
	for (i = 0; i < 20; i++) {
		hw_loop((unsigned int)(long)turns);
		syscall(SYS_sched_yield);
	}
	return NULL;
}

/* By a static stack: no call of an allocator, whose way depends on what was before. */
static void children(unsigned int turns)
{
	pid_t pid[CHILDREN];
	int i;

	for (i = 0; i < CHILDREN; i++) {
		pid[i] = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
		if (!pid[i]) {
			loop_in_thread((void *)(long)turns);
			syscall(SYS_exit_group, 0);
		}
	}
	for (i = 0; i < CHILDREN; i++)
		while (syscall(SYS_wait4, pid[i], NULL, 0, NULL) < 0)
			;
}

/* What samples a tree on a CPU. */
struct slot {
	struct sampler s;
	int cpu;
};

/* Each of our CPUs gets one; how many. */
static int join_all(struct slot *slots, int max, int sum, u64 period)
{
	pfarg_load_t load = { .load_pid = sum, .load_flags = PFM_LOADFL_JOIN };
	struct hw_more more = {};
	int i, n, cpus[64];
	cpu_set_t old;

	MUST(sched_getaffinity(0, sizeof(old), &old));
	n = my_cpus(cpus, max);
	vec_set(more.smpl_pmds, hw_find()->pmd(0, HW_INSTRUCTIONS));
	for (i = 0; i < n; i++) {
		slots[i].cpu = cpus[i];
		sampler_open(&slots[i].s, PFM_FL_TREE, 4 << 20, 0);
		hw_counter_more(slots[i].s.fd, 0, 0, 0, period, &more);
		pin_cpu(cpus[i]);
		MUST(pfm(slots[i].s.fd, PFM_LOAD_CONTEXT, &load, 1));
	}
	MUST(sched_setaffinity(0, sizeof(old), &old));
	return n;
}

static u64 taken;

/* By samples, each with what had come after its overflow, and after the last one. */
static u64 sampled(const struct slot *slot, u64 period)
{
	u64 sum = hw_value(slot->s.fd, 0, 0, HW_INSTRUCTIONS) + period, n;
	const dfl_entry_t *e;

	for (n = 0; n < slot->s.hdr->hdr_count; n++) {
		e = nth(&slot->s, n, 1);
		if (e->cpu != slot->cpu || e->pid <= 0)
			die("sample of process %d on CPU %d", e->pid, e->cpu);
		sum += period + values_of(e)[0];
	}
	taken += n;
	return sum;
}

/* By a context that adds up, or, with a @period, by one a CPU that samples. */
static u64 count_tree(unsigned int sets, unsigned int turns, u64 period)
{
	int fd = (int)MUST(pfm_create(PFM_FL_TREE)), go[2];
	pfarg_load_t load = { .load_flags = period ? PFM_LOADFL_SLOTS : PFM_LOADFL_ALL };
	pfarg_setdesc_t desc = { .set_flags = PFM_SETFL_TIME_SWITCH,
				 .set_timeout = { .tv_nsec = 1000000 } };
	struct slot slots[16];
	u64 value = 0;
	unsigned int i;
	int n = 0;
	pid_t pid;
	char c;

	for (i = 0; i < sets; i++) {
		desc.set_id = (__u16)i;
		if (sets > 1)
			MUST(pfm(fd, PFM_CREATE_EVTSETS, &desc, 1));
		hw_counter(fd, (__u16)i, 0, HW_INSTRUCTIONS, HW_USER, 0, 0);
	}
	MUST(pipe(go));
	pid = fork_child();
	if (!pid) {
		/* A process that has the descriptor hears of no end. */
		close(fd);
		MUST(syscall(SYS_read, go[0], &c, 1));
		children(turns);
		syscall(SYS_exit_group, 0);
	}
	/* What it does until it waits is not always counted. */
	if (!wait_state(pid, "S", PATIENCE))
		die("the child does not wait");
	load.load_pid = pid;
	MUST(pfm(fd, PFM_LOAD_CONTEXT, &load, 1));
	if (period)
		n = join_all(slots, 16, fd, period);
	MUST(pfm_start(fd));
	MUST(write(go[1], "", 1));
	if (reap(pid))
		die("the child failed");
	if (pfm_next_msg(fd, NULL, PATIENCE) != PFM_MSG_END)
		die("no end");
	for (i = 0; i < sets; i++)
		value += hw_value(fd, (__u16)i, 0, HW_INSTRUCTIONS);
	while (n--) {
		value += sampled(&slots[n], period);
		sampler_close(&slots[n].s);
	}
	close(fd);
	close(go[0]);
	close(go[1]);
	return value;
}

FIXTURE(tree)
{
};

FIXTURE_SETUP(tree)
{
}

FIXTURE_TEARDOWN(tree)
{
}

static void adds_up(struct __test_metadata *_metadata, unsigned int sets, u64 period)
{
	const unsigned int turns = is_slow() ? 500 : 5000;
	u64 want = CHILDREN * 20 * (loop_alone(2 * turns) - loop_alone(turns));
	u64 one, two;

	one = count_tree(sets, turns, period);
	two = count_tree(sets, 2 * turns, period);

	TH_LOG("%llu, wanted %llu", two - one, want);
	EXPECT_EQ(want, two - one);
}

TEST_F_TIMEOUT(tree, instructions_of_all_children, 300)
{
	NEED_HW();
	adds_up(_metadata, 1, 0);
}

TEST_F_TIMEOUT(tree, sets_add_up, 300)
{
	NEED_HW();
	adds_up(_metadata, 3, 0);
}

/* No sample is lost, nor any instruction between two of them. */
TEST_F_TIMEOUT(tree, samples_add_up, 300)
{
	NEED_HW();
	adds_up(_metadata, 0, 10007);
	EXPECT_LT(is_slow() ? 10ULL : 100ULL, taken);
}

/*
 * Sets that take turns by overflows: an interrupt on whichever CPU it is ends a turn. Until the
 * virtual CPU takes the interrupt, the thread executes up to 1,500 instructions more if the host
 * is busy, and these make the turn longer: so a turn is much longer than that.
 */
TEST_F_TIMEOUT(tree, turns_by_overflows, 300)
{
	const unsigned int turns = is_slow() ? 5000 : 50000, every = 100000;
	pfarg_load_t load = { .load_flags = PFM_LOADFL_ALL };
	struct hw_more more = { .thres = 1 };
	u64 runs = 0, value = 0;
	int fd, i, go[2];
	pid_t pid;
	char c;

	NEED_HW_INTERRUPT();
	MUST(pipe(go));
	pid = fork_child();
	if (!pid) {
		MUST(read(go[0], &c, 1));
		children(turns);
		_exit(0);
	}
	fd = (int)MUST(pfm_create(PFM_FL_TREE));
	for (i = 0; i < 2; i++) {
		pfarg_setdesc_t desc = { .set_id = (__u16)i, .set_flags = PFM_SETFL_OVFL_SWITCH };

		MUST(pfm(fd, PFM_CREATE_EVTSETS, &desc, 1));
		hw_counter_more(fd, (__u16)i, 0, 0, every, &more);
	}
	load.load_pid = pid;
	ASSERT_EQ(0, pfm(fd, PFM_LOAD_CONTEXT, &load, 1));
	ASSERT_EQ(0, pfm_start(fd));
	MUST(write(go[1], "", 1));
	EXPECT_EQ(0, reap(pid));
	EXPECT_EQ(PFM_MSG_END, pfm_next_msg(fd, NULL, PATIENCE));
	for (i = 0; i < 2; i++)
		runs += info_of_set(fd, i).set_runs;
	value = CHILDREN * 20 * loop_alone(turns) / every;
	TH_LOG("%llu turns, of %llu", runs, value);
	EXPECT_LE(value * 9 / 10, runs);
	close(fd);
}

/* One asks, the other answers, on one CPU: from member to member the registers stay. */
static void ask_and_answer(unsigned int n)
{
	int ask[2], answer[2];
	pid_t pid;
	char c;

	pin_somewhere();
	MUST(pipe(ask));
	MUST(pipe(answer));
	pid = (pid_t)MUST(fork());
	if (!pid) {
		close(ask[1]);
		while (read(ask[0], &c, 1) == 1)
			MUST(write(answer[1], &c, 1));
		_exit(0);
	}
	while (n--) {
		MUST(write(ask[1], "", 1));
		MUST(read(answer[0], &c, 1));
	}
	close(ask[1]);
	reap(pid);
}

TEST_F_TIMEOUT(tree, members_take_turns_for_nothing, 300)
{
	pfarg_load_t load = { .load_flags = PFM_LOADFL_ALL };
	const unsigned int turns = is_slow() ? 500 : 5000;
	u64 before, times;
	int fd, go[2];
	pid_t pid;
	char c;

	NEED_HW();
	NEED_DEBUGFS();
	MUST(pipe(go));
	pid = fork_child();
	if (!pid) {
		MUST(read(go[0], &c, 1));
		ask_and_answer(turns);
		_exit(0);
	}
	fd = (int)MUST(pfm_create(PFM_FL_TREE));
	hw_counter(fd, 0, 0, HW_INSTRUCTIONS, HW_USER, 0, 0);
	load.load_pid = pid;
	ASSERT_EQ(0, pfm(fd, PFM_LOAD_CONTEXT, &load, 1));
	ASSERT_EQ(0, pfm_start(fd));
	before = debugfs_sum("sched_in");
	MUST(write(go[1], "", 1));
	EXPECT_EQ(0, reap(pid));
	times = debugfs_sum("sched_in") - before;
	/* Others run in between, now and then. */
	EXPECT_GT(turns / 2, times);
	TH_LOG("%llu times in %u turns", times, turns);
	close(fd);
}

/* Beside the CPUs' own contexts, by other counters. */
TEST_F_TIMEOUT(tree, beside_a_cpu, 300)
{
	int fd;

	NEED_HW();
	if (!hw_shares() || hw_counters() < 2)
		SKIP(return, "a PMU that cannot be shared, or with one counter");
	if (!is_root())
		SKIP(return, "needs root");
	pin_somewhere();
	fd = (int)MUST(pfm_create(PFM_FL_SYSTEM_WIDE));
	hw_counter(fd, 0, 1, HW_INSTRUCTIONS, HW_USER, 0, 0);
	MUST(pfm_load(fd, my_tid()));
	MUST(pfm_start(fd));
	adds_up(_metadata, 1, 0);
	close(fd);
}

/* What was programmed while members run counts from then on, on all CPUs. */
TEST_F_TIMEOUT(tree, members_on_all_cpus, 300)
{
	int fd = (int)MUST(pfm_create(PFM_FL_TREE)), i, n, cpus[64];
	pfarg_load_t load = { .load_flags = PFM_LOADFL_ALL | PFM_LOADFL_THREADS |
					    PFM_LOADFL_CHILDREN };
	u64 value, per_turn;
	volatile int *stop;
	pid_t pid;

	NEED_HW();
	per_turn = (loop_alone(2000) - loop_alone(1000)) / 1000;
	stop = mmap(NULL, page_size(), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	n = my_cpus(cpus, 64);
	pid = fork_child();
	if (!pid) {
		close(fd);
		for (i = 1; i < n && fork(); i++)
			;
		if (i < n)
			prctl(PR_SET_PDEATHSIG, SIGKILL);
		pin_cpu(cpus[i % n]);
		__sync_fetch_and_add(&stop[1], 1);
		while (!*stop)
			hw_loop(100);
		while (wait(NULL) > 0)
			;
		_exit(0);
	}
	while (stop[1] < n)
		sleep_ms(1);
	load.load_pid = pid;
	ASSERT_EQ(0, pfm(fd, PFM_LOAD_CONTEXT, &load, 1));
	EXPECT_EQ((u64)n, pfm_fdinfo_num(fd, "pfm-members"));
	ASSERT_EQ(0, pfm_start(fd));
	hw_counter(fd, 0, 0, HW_INSTRUCTIONS, HW_USER, 0, 0);
	for (i = 0; i < 20; i++) {
		value = hw_value(fd, 0, 0, HW_INSTRUCTIONS);
		/* All of them have run meanwhile: it grows. */
		while (hw_value(fd, 0, 0, HW_INSTRUCTIONS) <= value)
			sleep_ms(1);
	}
	/* Unloaded, they go on, and nothing of it counts, for whoever has the PMU next. */
	ASSERT_EQ(0, pfm_unload(fd));
	value = hw_value(fd, 0, 0, HW_INSTRUCTIONS);
	EXPECT_LT(0ULL, value);
	for (i = 0; i < 20; i++)
		EXPECT_EQ(1000 * per_turn, loop_alone(2000) - loop_alone(1000));
	EXPECT_EQ(value, hw_value(fd, 0, 0, HW_INSTRUCTIONS));
	*stop = 1;
	EXPECT_EQ(0, reap(pid));
	close(fd);
}

TEST_HARNESS_MAIN
