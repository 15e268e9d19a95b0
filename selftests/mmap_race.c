// SPDX-License-Identifier: GPL-2.0-only
/*
 * Mapping, forking, closing, overflows and commands all at once under one
 * descriptor: the kernel survives it and nothing is left.
 */
#include "mapping.h"

#define RACE_FD		200
#define RACE_PAGES	4U

static volatile bool stop;
static struct puppet racer;
static void *volatile race_at;

static void *race_map(void *arg)
{
	u32 seed = (u32)(uintptr_t)arg;
	size_t size = RACE_PAGES * page_size(), page = page_size();

	while (!stop) {
		char *p = buf_mmap(RACE_FD, size);

		if (p == MAP_FAILED) {
			if (errno != EBUSY && errno != EBADF && errno != EINVAL)
				return (void *)(long)errno;
			p = race_at;
			if (!p)
				continue;
		}
		race_at = p;
		switch (random_below(&seed, 6)) {
		case 0: munmap(p, size); break;
		case 1:
			munmap(p + random_below(&seed, RACE_PAGES) * page,
			       page);
			break;
		case 2: do_mremap(p, size, size, MREMAP_MAYMOVE, NULL); break;
		case 3: do_mremap(p, size, 2 * size, MREMAP_MAYMOVE, NULL);
			break;
		case 4: mprotect(p, size, PROT_READ | PROT_WRITE); break;
		default: sched_yield();
		}
	}
	return NULL;
}

/* Other mappings may take the place, so only a look by way of the kernel. */
static void *race_look(void *arg)
{
	char buf[4096];
	int fds[2];

	(void)arg;
	MUST(pipe2(fds, O_NONBLOCK));
	while (!stop) {
		void *p = race_at;

		if (p && write(fds[1], p, sizeof(buf)) > 0)
			while (read(fds[0], buf, sizeof(buf)) > 0)
				;
		sched_yield();
	}
	return NULL;
}

static void *race_fork(void *arg)
{
	u32 seed = (u32)(uintptr_t)arg;

	while (!stop) {
		pid_t pid = fork();

		if (pid < 0)
			return (void *)(long)errno;
		if (!pid) {
			void *p = race_at;

			if (random_below(&seed, 2))
				close(RACE_FD);
			if (p && random_below(&seed, 2))
				munmap(p, page_size());
			if (random_below(&seed, 4) == 0)
				execl("/proc/self/exe", "mmap", "--exit", NULL);
			_exit(0);
		}
		waitpid(pid, NULL, 0);
		random_below(&seed, 2);
	}
	return NULL;
}

static void *race_command(void *arg)
{
	u32 seed = (u32)(uintptr_t)arg;
	u64 value;

	while (!stop) {
		switch (random_below(&seed, 8)) {
		case 0: pfm_load(RACE_FD, racer.tid); break;
		case 1: pfm_start(RACE_FD); break;
		case 2: pfm_stop(RACE_FD); break;
		case 3: pfm_unload(RACE_FD); break;
		case 4: pfm_read_pmd(RACE_FD, SW_PMD(0), &value); break;
		case 5: sched_yield(); break;
		default: pfm_restart(RACE_FD);
		}
	}
	return NULL;
}

/* A new context takes the place of the old one, which is closed by that. */
static void *race_create(void *arg)
{
	u32 seed = (u32)(uintptr_t)arg;

	while (!stop) {
		u32 flags = random_below(&seed, 4) ? 0 : PFM_FL_OVFL_NO_MSG;
		u64 size = random_below(&seed, 4) ? RACE_PAGES : 1;
		int fd = dfl_create(flags, size * page_size(), 0, NULL);

		if (fd < 0)
			return (void *)(long)-fd;
		set_nonblock(fd);
		sample_faults(fd, 0, 1 + random_below(&seed, 3), NOTIFY, 0);
		MUST(dup2(fd, RACE_FD));
		close(fd);
		usleep(random_below(&seed, 3000));
		if (!random_below(&seed, 8))
			close(RACE_FD);
	}
	return NULL;
}

static volatile int map_fd;
static volatile bool mapped_it;

static void *map_once(void *arg)
{
	size_t size = RACE_PAGES * page_size();
	int fd;

	(void)arg;
	while ((fd = map_fd) < 0)
		;
	mapped_it = buf_mmap(fd, size) != MAP_FAILED;
	return NULL;
}

/*
 * One thread maps what another closes: whoever is first, in the end there is no
 * mapping that would keep the context attached without a descriptor.
 */
TEST(mmap_against_close)
{
	u64 before = buffers_now();
	int round, n, fd, maps = 0;
	struct puppet p;
	pthread_t t;

	puppet_start(&p, PUPPET_PROCESS);
	for (round = 0; round < (is_slow() ? 300 : 2000); round++) {
		fd = (int)MUST(dfl_create(0, RACE_PAGES * page_size(), 0, NULL));
		map_fd = -1;
		ASSERT_EQ(0, pthread_create(&t, NULL, map_once, NULL));
		MUST(pfm_load(fd, p.tid));
		map_fd = fd;
		for (n = 0; n < round % 64 * 32; n++)
			__asm__ volatile("" : : : "memory");
		close(fd);
		pthread_join(t, NULL);
		maps += mapped_it;
		ASSERT_EQ(0, count_mappings());
		ASSERT_TRUE(buffers_become(before));
		ASSERT_EQ(0ULL, sysfs_u64("thread_sessions"));
	}
	TH_LOG("%d of %d times the mapping was first", maps, round);
	puppet_stop(&p);
}

/*
 * Maps, forks, closes, overflows, unloads and restarts of contexts under one
 * descriptor. The kernel has to survive it, and nothing may be left.
 */
TEST(race)
{
	static void *(*const work[])(void *) = {
		race_map, race_map, race_look, race_fork, race_command,
		race_create,
	};
	u64 before = buffers_now(), end;
	pthread_t t[ARRAY_SIZE(work)];
	struct sampler s;
	void *ret;
	size_t i;

	puppet_start(&racer, PUPPET_PROCESS);
	end = now_ns(CLOCK_MONOTONIC) + race_ns() * 3 / 2;
	for (i = 0; i < ARRAY_SIZE(work); i++) {
		ASSERT_EQ(0, pthread_create(&t[i], NULL, work[i],
					    (void *)(i + 1)));
	}
	while (now_ns(CLOCK_MONOTONIC) < end)
		puppet_do(&racer, OP_FAULT, 50);
	stop = true;
	for (i = 0; i < ARRAY_SIZE(work); i++) {
		pthread_join(t[i], &ret);
		EXPECT_EQ(0, (long)ret) {
			TH_LOG("thread %zu: %s", i, strerror((int)(long)ret));
		}
	}
	close(RACE_FD);
	/* Whoever maps a buffer just while it is closed has not got it. */
	EXPECT_EQ(0, count_mappings());
	EXPECT_TRUE(buffers_become(before));
	EXPECT_EQ(0ULL, sysfs_u64("thread_sessions"));
	/* And the puppet can be sampled as ever. */
	sampler_open(&s, 0, 65536, 0);
	sample_faults(s.fd, 0, 1, 0, 0);
	attach(s.fd, racer.tid);
	puppet_do(&racer, OP_FAULT, 5);
	EXPECT_EQ(5ULL, s.hdr->hdr_count);
	puppet_stop(&racer);
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "--exit"))
		return 0;
	return test_harness_run(argc, argv);
}
