// SPDX-License-Identifier: GPL-2.0-only
/*
 * The counters of the hardware on CPUs that go and come: these forget what was in their
 * registers.
 *
 * Not here: the software PMU's (hotplug.c).
 */
#include "hw_bench.h"

FIXTURE(unplugged)
{
	char path[96];
	int home, cpu;		/* one that stays, one that goes */
	int ask[2], answer[2];
	pid_t pid;
};

FIXTURE_SETUP(unplugged)
{
	char c;

	if (!can_unplug(self->path, sizeof(self->path), &self->home,
			&self->cpu)) {
		self->path[0] = '\0';
		return;
	}
	MUST(pipe2(self->ask, O_CLOEXEC));
	MUST(pipe2(self->answer, O_CLOEXEC));
	self->pid = fork_child();
	if (self->pid)
		return;
	pin_cpu(self->home);
	while (read(self->ask[0], &c, 1) == 1) {
		if (c == '0' || c == '1')
			c = (char)write_text(self->path, c == '0' ? "0" : "1");
		MUST(write(self->answer[1], &c, 1));
	}
	_exit(0);
}

FIXTURE_TEARDOWN(unplugged)
{
	if (!self->path[0])
		return;
	kill_and_reap(self->pid);
	write_text(self->path, "1");
}

#define NEED_UNPLUG()							\
	do {								\
		NEED_HW();						\
		if (!self->path[0])					\
			SKIP(return, "needs root and a CPU to unplug");	\
	} while (0)

/* The same instructions here, whatever is done there. */
static void plug(FIXTURE_DATA(unplugged) *s, char how)
{
	char c = how;

	MUST(write(s->ask[1], &c, 1));
	MUST(read(s->answer[0], &c, 1));
}

/* On the CPU that goes, and comes, if @how is "01"; and then not. */
static u64 count_through(FIXTURE_DATA(unplugged) *s, int fd, const char *how)
{
	u64 before = hw_value(fd, 0, 0, HW_INSTRUCTIONS);

	MUST(pfm_start(fd));
	pin_cpu(s->cpu);
	hw_loop(100000);
	plug(s, how[0]);
	hw_loop(100000);
	plug(s, how[1]);
	pin_cpu(s->cpu);
	hw_loop(100000);
	MUST(pfm_stop(fd));
	return hw_value(fd, 0, 0, HW_INSTRUCTIONS) - before;
}

/* To the last instruction: a count, and a period on the CPU that came. */
TEST_F(unplugged, thread_goes_on)
{
	u64 base;
	int fd, n;

	NEED_UNPLUG();
	fd = counter(0, HW_INSTRUCTIONS, HW_USER, 0, 0);
	base = count_through(self, fd, "--");
	EXPECT_LE(600000ULL, base);
	for (n = 0; n < 3; n++)
		EXPECT_EQ(base, count_through(self, fd, "01"));
	close(fd);

	if (hw_is_silent())
		return;
	fd = counter(0, HW_INSTRUCTIONS, HW_USER, PFM_REGFL_OVFL_NOTIFY, 100000);
	MUST(pfm_start(fd));
	plug(self, '0');
	plug(self, '1');
	pin_cpu(self->cpu);
	for (n = 0; n < 5; n++) {
		hw_loop(60000);
		ASSERT_EQ(PFM_MSG_OVFL, pfm_next_msg(fd, NULL, PATIENCE));
		EXPECT_GT(1000ULL, hw_value(fd, 0, 0, HW_INSTRUCTIONS));
		MUST(pfm_restart(fd));
	}
	close(fd);
}

/* A context of that CPU ends there with all that it counted, and may begin anew. */
TEST_F(unplugged, cpu_begins_anew)
{
	u64 seen;
	int fd, pe;

	NEED_UNPLUG();
	fd = (int)MUST(pfm_create(PFM_FL_SYSTEM_WIDE));
	hw_counter(fd, 0, 0, HW_INSTRUCTIONS, HW_USER, 0, 0);
	pin_cpu(self->cpu);
	MUST(pfm_load(fd, my_tid()));
	MUST(pfm_start(fd));
	hw_loop(1000000);
	pin_cpu(self->home);
	plug(self, '0');
	EXPECT_TRUE(pfm_state_is(fd, "unloaded"));
	seen = hw_value(fd, 0, 0, HW_INSTRUCTIONS);
	EXPECT_LE(2000000ULL, seen);
	hw_loop(1000000);
	EXPECT_EQ(seen, hw_value(fd, 0, 0, HW_INSTRUCTIONS));
	/* And gives the PMU back, if perf_events could want it. */
	pe = perf_event(PERF_COUNT_HW_INSTRUCTIONS);
	EXPECT_NE(-EBUSY, pe);
	close(pe);
	plug(self, '1');
	pin_cpu(self->cpu);
	ASSERT_EQ(0, pfm_load(fd, my_tid()));
	hw_loop(1000000);
	EXPECT_EQ(seen, hw_value(fd, 0, 0, HW_INSTRUCTIONS));
	MUST(pfm_start(fd));
	hw_loop(1000000);
	MUST(pfm_stop(fd));
	EXPECT_LE(seen + 2000000, hw_value(fd, 0, 0, HW_INSTRUCTIONS));
	close(fd);
}

/* Nor on a CPU that was offline when the PMU was given back, once it is there again. */
TEST_F(unplugged, nothing_is_left_there)
{
	u64 count, control;
	int fd, other;

	NEED_UNPLUG();
	if (!first_counter(self->cpu, &count, &control))
		SKIP(return, "no files of these registers, or they hold other things, too");
	/* The PMU is in our use until the CPU is away. */
	other = (int)MUST(pfm_create(PFM_FL_SYSTEM_WIDE));
	hw_counter(other, 0, 0, HW_INSTRUCTIONS, HW_USER, 0, 0);
	pin_cpu(self->home);
	MUST(pfm_load(other, my_tid()));
	fd = (int)MUST(pfm_create(PFM_FL_SYSTEM_WIDE));
	hw_counter(fd, 0, 0, HW_INSTRUCTIONS, HW_USER, 0, 0);
	pin_cpu(self->cpu);
	MUST(pfm_load(fd, my_tid()));
	MUST(pfm_start(fd));
	hw_loop(100000);
	ASSERT_TRUE(first_counter(self->cpu, &count, &control));
	EXPECT_FALSE(control_is_off(control));
	pin_cpu(self->home);
	plug(self, '0');
	EXPECT_TRUE(pfm_state_is(fd, "unloaded"));
	close(fd);
	close(other);
	plug(self, '1');
	ASSERT_TRUE(first_counter(self->cpu, &count, &control));
	EXPECT_EQ(0ULL, count);
	EXPECT_TRUE(control_is_off(control));
}

TEST_HARNESS_MAIN
