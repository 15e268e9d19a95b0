// SPDX-License-Identifier: GPL-2.0-only
/*
 * What contexts cost those who switch threads: next to nothing for a thread that is
 * not monitored, and little for one whose context counts nothing (2.1). Counted in
 * instructions of the kernel, by perf_events: a context that uses the software PMU
 * only leaves it the hardware.
 *
 * The limits are shares of a switch by way of two pipes, and several times what it
 * takes: they tell a mistake from what is there, on every kernel. Not here: exact
 * figures (cost/).
 */
#include "hw.h"
#include "puppet.h"

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

TEST_HARNESS_MAIN
