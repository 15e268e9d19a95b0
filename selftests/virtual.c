// SPDX-License-Identifier: GPL-2.0-only
/*
 * The read-only virtual registers (3.2.2): that each says what it is meant to
 * say, in every state of the context.
 *
 * Not here: that they cannot be written (regs.c).
 */
#include "puppet.h"

#include <sys/utsname.h>

FIXTURE(virtual) {
	int fd;
};

FIXTURE_VARIANT(virtual) {
	u32 flags;
	bool load, start;
};

FIXTURE_VARIANT_ADD(virtual, unloaded) { .load = false };
FIXTURE_VARIANT_ADD(virtual, stopped) { .load = true };
FIXTURE_VARIANT_ADD(virtual, started) { .load = true, .start = true };
FIXTURE_VARIANT_ADD(virtual, cpu) {
	.flags = PFM_FL_SYSTEM_WIDE, .load = true, .start = true,
};

FIXTURE_SETUP(virtual)
{
	pin_somewhere();
	self->fd = (int)MUST(pfm_create(variant->flags));
	if (variant->load)
		MUST(pfm_load(self->fd, my_tid()));
	if (variant->start)
		MUST(pfm_start(self->fd));
}

FIXTURE_TEARDOWN(virtual)
{
	close(self->fd);
}

/* Each value of @pmd lies between two looks at a clock of the kernel's. */
static void check_clock(struct __test_metadata *_metadata, int fd, int pmd,
			clockid_t clock)
{
	u64 last = 0;
	int i;

	for (i = 0; i < 200; i++) {
		u64 before = now_ns(clock);
		u64 seen = pfm_value(fd, pmd);
		u64 after = now_ns(clock);

		ASSERT_LE(before, seen);
		ASSERT_GE(after, seen);
		ASSERT_LE(last, seen);
		last = seen;
	}
}

TEST_F(virtual, clock)
{
	check_clock(_metadata, self->fd, PFM_VPMD_CLOCK, CLOCK_MONOTONIC);
}

/* The clock itself. */
static u64 cycle_clock(void)
{
#ifdef __powerpc__
	return __builtin_ppc_get_timebase();
#elif defined(__ia64__)
	u64 itc;

	__asm__ volatile("mov %0=ar.itc" : "=r"(itc));
	return itc;
#else
	return __builtin_ia32_rdtsc();
#endif
}

/* What the kernel's cycles_t holds of it: on PowerPC that has the kernel's word size. */
static u64 cycles_held(void)
{
	struct utsname name;

	MUST(uname(&name));
	return strcmp(name.machine, "ppc") ? -1ULL : 0xffffffff;
}

TEST_F(virtual, cycles)
{
	u64 a = pfm_value(self->fd, PFM_VPMD_CYCLES), b, before, seen, after;
	u64 held = cycles_held();

	burn_ms(2);
	b = pfm_value(self->fd, PFM_VPMD_CYCLES);
	before = cycle_clock();
	seen = pfm_value(self->fd, PFM_VPMD_CYCLES);
	after = cycle_clock();
	EXPECT_EQ(seen, seen & held);
	EXPECT_GE(after - before, (seen - before) & held);
	EXPECT_NE(a & held, b & held);
	EXPECT_GT(held / 2, (b - a) & held);
}

static u64 mem_free_pages(void)
{
	char value[64];

	if (!text_field("/proc/meminfo", "MemFree", value, sizeof(value)))
		die("no MemFree");
	return strtoull(value, NULL, 10) * 1024 /
	       (u64)sysconf(_SC_PAGESIZE);
}

TEST_F(virtual, free_pages)
{
	size_t size = 32 << 20;
	u64 pages = size / (size_t)sysconf(_SC_PAGESIZE);
	u64 before, kernel, after;
	int tries;
	char *p;
	int i;

	/*
	 * The kernel's number has per-CPU remainders, ours may, too. Others may take
	 * memory, and give some back, between the two looks.
	 */
	for (tries = 0; tries < 50; tries++) {
		before = pfm_value(self->fd, PFM_VPMD_FREE_PAGES);
		kernel = mem_free_pages();
		if (kernel + 2000 > before && kernel < before + 2000)
			break;
		sleep_ms(20);
	}
	EXPECT_GT(kernel + 2000, before);
	EXPECT_LT(kernel, before + 2000);
	/* What was free in a CPU's own lists, which may be long, comes first. */
	for (i = 0; i < 8; i++) {
		p = mmap(NULL, size, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
		ASSERT_NE(MAP_FAILED, (void *)p);
		after = pfm_value(self->fd, PFM_VPMD_FREE_PAGES);
		if (before > after + pages / 2)
			break;
	}
	EXPECT_GT(8, i);
}

TEST_F(virtual, runnable)
{
	u64 end = now_ns(CLOCK_MONOTONIC) + PATIENCE * NSEC_PER_MSEC;
	u64 alone, crowd;
	pid_t pid[4];
	int i;

	if (!has_runnable())
		SKIP(return, "a module cannot know");
	alone = pfm_value(self->fd, PFM_VPMD_RUNNABLE);
	EXPECT_LE(1ULL, alone);
	EXPECT_GT(100ULL, alone);
	for (i = 0; i < 4; i++) {
		pid[i] = fork_child();
		if (!pid[i])
			for (;;)
				;
	}
	/* They inherit the CPU that we are pinned to; one may wait for a page. */
	do
		crowd = pfm_value(self->fd, PFM_VPMD_RUNNABLE);
	while (crowd < 5 && now_ns(CLOCK_MONOTONIC) < end);
	EXPECT_LE(5ULL, crowd);
	for (i = 0; i < 4; i++)
		kill_and_reap(pid[i]);
}

TEST_F(virtual, thread_time)
{
	check_clock(_metadata, self->fd, PFM_VPMD_THREAD_TIME, CLOCK_THREAD_CPUTIME_ID);
}

/* Of a thread that is monitored from outside: its time, not the reader's. */
TEST(time_of_another_thread)
{
	int fd = (int)MUST(pfm_create(0));
	struct puppet p;
	u64 runtime;

	burn_ms(100);
	puppet_start(&p, PUPPET_PROCESS);
	puppet_do(&p, OP_BURN, 20);
	puppet_settle(&p);
	MUST(pfm_load(fd, p.tid));
	if (!thread_runtime(p.tid, &runtime))
		SKIP(return, "time_of_another_thread: no schedstat");
	EXPECT_EQ(runtime, pfm_value(fd, PFM_VPMD_THREAD_TIME));
	EXPECT_LE(20 * NSEC_PER_MSEC, runtime);
	puppet_stop(&p);
}

TEST(all_in_one_call)
{
	int i, fd = (int)MUST(pfm_create(0));
	pfarg_pmd_t pmd[6] = {};

	for (i = 0; i < 5; i++)
		pmd[i].reg_num = (__u16)(PFM_VPMD_CLOCK + i);
	if (!has_runnable())
		pmd[PFM_VPMD_RUNNABLE - PFM_VPMD_CLOCK].reg_num = PFM_VPMD_CLOCK;
	pmd[5].reg_num = SW_PMD(0);
	pmd[5].reg_value = 1;
	ASSERT_EQ(0, pfm(fd, PFM_READ_PMDS, pmd, 6));
	for (i = 0; i < 5; i++)
		EXPECT_LT(0ULL, pmd[i].reg_value);
	EXPECT_EQ(0ULL, pmd[5].reg_value);
}

TEST_HARNESS_MAIN
