// SPDX-License-Identifier: GPL-2.0-only
/*
 * What contexts cost those who switch threads: next to nothing for a thread that is
 * not monitored, and little for one whose context counts nothing (2.1). And what is not
 * to grow with the number of processes. Counted in instructions of the kernel, by
 * perf_events: a context that uses the software PMU only leaves it the hardware.
 *
 * The limits of switches are shares of one by way of two pipes, and several times what
 * it takes: they tell a mistake from what is there, on every kernel. Not here: exact
 * figures (bench/cost).
 */
#include "hw.h"
#include "puppet.h"
#include "sampling.h"

#include <linux/perf_event.h>
#include <sys/ioctl.h>

#define TURNS	300

static int count_kernel(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE, .size = sizeof(attr),
		.config = PERF_COUNT_HW_INSTRUCTIONS, .disabled = 1,
		.exclude_user = 1,
	};

	return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1,
			    PERF_FLAG_FD_CLOEXEC);
}

/* Somebody who answers each byte with one. */
static pid_t echo_start(int to[2], int from[2])
{
	char c;
	pid_t pid;

	MUST(pipe(to));
	MUST(pipe(from));
	pid = fork_child();
	if (pid) {
		close(to[0]);
		close(from[1]);
		return pid;
	}
	close(to[1]);
	while (read(to[0], &c, 1) == 1)
		MUST(write(from[1], &c, 1));
	_exit(0);
}

/* The kernel's instructions in a turn: the least of many, since interrupts add theirs. */
static u64 turn_cost(int pe, int to, int from)
{
	u64 least = ~0ULL, before, after;
	unsigned int n;
	char c = 0;

	MUST(ioctl(pe, PERF_EVENT_IOC_ENABLE, 0));
	for (n = 0; n < TURNS; n++) {
		MUST(read(pe, &before, sizeof(before)));
		MUST(write(to, &c, 1));
		MUST(read(from, &c, 1));
		MUST(read(pe, &after, sizeof(after)));
		if (after - before < least)
			least = after - before;
	}
	MUST(ioctl(pe, PERF_EVENT_IOC_DISABLE, 0));
	return least;
}

TEST(a_switch_of_threads)
{
	int pe, fd, to[2], from[2];
	u64 plain, again, beside, stopped, counting;
	struct puppet p;
	pid_t pid;

	NEED_HW();
	NEED_ROOT();
	pin_somewhere();
	pe = count_kernel();
	if (pe < 0)
		SKIP(return, "perf_events counts no instructions here");
	pid = echo_start(to, from);
	plain = turn_cost(pe, to[1], from[0]);
	ASSERT_LT(100ULL, plain);
	again = turn_cost(pe, to[1], from[0]);
	if (again > plain + plain / 10 || plain > again + again / 10)
		SKIP(return, "perf_events counts %llu and %llu instructions for the same",
		     plain, again);

	puppet_start(&p, PUPPET_PROCESS);
	fd = pfm_session(0, PFM_SW_CSWITCHES, 0, 0, p.tid);
	beside = turn_cost(pe, to[1], from[0]);
	close(fd);

	fd = pfm_counter(0, PFM_SW_CSWITCHES, 0, 0);
	MUST(pfm_load(fd, my_tid()));
	stopped = turn_cost(pe, to[1], from[0]);
	MUST(pfm_start(fd));
	counting = turn_cost(pe, to[1], from[0]);
	EXPECT_LE((u64)TURNS, pfm_value(fd, SW_PMD(0)));
	close(fd);

	TH_LOG("a turn: %llu, beside a monitored thread %llu, stopped %llu, counting %llu",
	       plain, beside, stopped, counting);
	EXPECT_GE(plain + plain / 10, beside);
	EXPECT_GE(plain + plain / 4, stopped);
	EXPECT_GE(plain + plain / 3, counting);
	/* It has the pipe, too. */
	puppet_stop(&p);
	close(to[1]);
	EXPECT_EQ(0, reap(pid));
}

#define MANY	400
#define TRIES	25

/*
 * What close() takes a process that has inherited the mapping: the least of many, since
 * on a slow machine an interrupt comes in most of them.
 */
static u64 close_cost(int fd)
{
	u64 least = ~0ULL, cost;
	int i, out[2];

	MUST(pipe(out));
	for (i = 0; i < TRIES; i++) {
		pid_t pid = fork_child();

		if (!pid) {
			int pe = (int)MUST(count_kernel());

			MUST(ioctl(pe, PERF_EVENT_IOC_ENABLE, 0));
			close(fd);
			MUST(read(pe, &cost, sizeof(cost)));
			MUST(write(out[1], &cost, sizeof(cost)));
			_exit(0);
		}
		MUST(read(out[0], &cost, sizeof(cost)));
		reap(pid);
		if (cost < least)
			least = cost;
	}
	close(out[0]);
	close(out[1]);
	return least;
}

/* It finds its own among the mappings of many processes, without a look at all of them. */
TEST(close_of_one_mapping_of_many)
{
	int pe, fd, go[2], i;
	u64 size, few, again, many;
	pid_t pid[MANY];
	char c;

	NEED_HW();
	NEED_ROOT();
	pin_somewhere();
	pe = count_kernel();
	if (pe < 0)
		SKIP(return, "perf_events counts no instructions here");
	close(pe);
	fd = (int)MUST(dfl_create(0, page_size(), 0, &size));
	buf_map(fd, size);
	few = close_cost(fd);
	MUST(pipe(go));
	for (i = 0; i < MANY; i++) {
		pid[i] = fork_child();
		if (!pid[i]) {
			close(go[1]);
			MUST(read(go[0], &c, 1));
			_exit(0);
		}
	}
	many = close_cost(fd);
	close(go[1]);
	for (i = 0; i < MANY; i++)
		EXPECT_EQ(0, reap(pid[i]));
	again = close_cost(fd);
	TH_LOG("close(): %llu, beside %d processes %llu, then %llu", few, MANY, many, again);
	close(fd);
	/* What is judged is smaller: on some models the counts have interrupts in them. */
	if (again > few + MANY || few > again + MANY)
		SKIP(return, "perf_events counts %llu and %llu instructions for the same",
		     few, again);
	/* A look at each takes four instructions at least; a way down a tree some hundreds in all. */
	EXPECT_GE(few + 3 * MANY, many);
}

TEST_HARNESS_MAIN
