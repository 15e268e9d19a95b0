// SPDX-License-Identifier: GPL-2.0-only
/*
 * hooks - what the kernel does where our hooks are, in instructions
 *
 * No context exists. Run on a kernel with perfmon and on one without: the
 * difference is what those pay who do not use it. Each figure is the least of
 * many rounds: what comes in between, as a tick, only ever adds.
 */
#include "cost.h"
#include "short.h"

static uint64_t overhead;

#define MEASURE(statement) ({						\
	uint64_t least_ = ~0ULL;					\
	int i_;								\
									\
	for (i_ = 0; i_ < ROUNDS; i_++) {				\
		uint64_t t_ = executed();				\
									\
		statement;						\
		t_ = executed() - t_;					\
		if (t_ < least_)					\
			least_ = t_;					\
	}								\
	least_ - overhead;						\
})

static void print(uint64_t n, const char *what)
{
	printf("%llu\t%s\n", (unsigned long long)n, what);
}

static void map_and_unmap(void)
{
	void *p = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	must(p != MAP_FAILED && !munmap(p, 4096), "mmap");
}

static void fault(char *page)
{
	must(!madvise(page, 4096, MADV_DONTNEED), "madvise");
	*(volatile char *)page = 1;
}

static void fork_and_wait(void)
{
	pid_t pid = vfork();

	if (!pid)
		_exit(0);
	must(pid > 0 && waitpid(pid, NULL, 0) == pid, "vfork");
}

int main(int argc, char **argv)
{
	pid_t other;
	char *page;

	take_short(&argc, &argv);
	overhead = MEASURE((void)0);
	must(!pipe(ping) && !pipe(pong), "pipe");
	other = child(answer);
	page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		    -1, 0);
	must(page != MAP_FAILED, "mmap");

	print(MEASURE(round_trip()), "two switches of threads, by pipes");
	print(MEASURE(fault(page)), "a page fault, and madvise()");
	print(MEASURE(map_and_unmap()), "mmap() and munmap()");
	print(MEASURE(fork_and_wait()), "vfork(), _exit() and waitpid()");
	kill(other, SIGKILL);
	return 0;
}
