// SPDX-License-Identifier: GPL-2.0-only
/*
 * Random commands with random arguments on random descriptors from several
 * processes and threads. All that is asked of the kernel is that it survives,
 * answers with errors that are documented, and works as before afterwards.
 *
 * PFM_FUZZ_SEED and PFM_FUZZ_SECONDS choose the run; the seed is printed.
 * The threads race each other, so that a seed says what was tried, not in
 * which order. Not here: judging whether an answer is the right one.
 */
#include "puppet.h"

#define N_PROCESSES	3
#define N_THREADS	3
#define N_FUZZERS	(N_PROCESSES * N_THREADS)
#define N_SLOTS		6

static const int commands[] = {
	PFM_WRITE_PMCS, PFM_WRITE_PMDS, PFM_READ_PMDS, PFM_STOP, PFM_START,
	PFM_CREATE_CONTEXT, PFM_RESTART, PFM_LOAD_CONTEXT, PFM_UNLOAD_CONTEXT,
	PFM_CREATE_EVTSETS, PFM_DELETE_EVTSETS, PFM_GETINFO_EVTSETS,
	PFM_GETINFO_PMCS, PFM_GETINFO_PMDS, PFM_SET_CONFIG, PFM_GET_CONFIG,
};

struct fuzzer {
	pthread_t thread;
	u64 seed;
	char *page;		/* followed by a hole */
	char *read_only;
	u64 calls, good;
	int odd_cmd, odd_ret;	/* an answer that is not documented */
};

static int slots[N_SLOTS];
static pid_t targets[N_PROCESSES + 2];
static u64 end_ns;
static volatile u32 *put_off;	/* by so many seconds; all processes share it */

static bool is_over(void)
{
	return now_ns(CLOCK_MONOTONIC) >= end_ns + *put_off * NSEC_PER_SEC;
}


static u64 next_random(struct fuzzer *f)
{
	f->seed ^= f->seed << 13;
	f->seed ^= f->seed >> 7;
	f->seed ^= f->seed << 17;
	return f->seed;
}

static u32 below(struct fuzzer *f, u32 n)
{
	return (u32)((next_random(f) >> 32) * n >> 32);
}

/* A number that is likely to matter. */
static u64 number(struct fuzzer *f)
{
	static const u64 odd[] = {
		0, 1, 2, 7, 8, 255, 256, 287, 288, 295, 296, 304, 308, 309, 319,
		320, 321, 65535, 65536, 0x7fffffff, 0x80000000, 0xffffffff,
		0x7fffffffffffffff, 0x8000000000000000, -2ULL, -1ULL,
	};

	return below(f, 4) ? odd[below(f, ARRAY_SIZE(odd))] : next_random(f);
}

static pid_t target(struct fuzzer *f)
{
	switch (below(f, 6)) {
	case 0: return my_tid();
	case 1: return (pid_t)number(f);
	default: return targets[below(f, ARRAY_SIZE(targets))];
	}
}

/* Arguments that have a chance to be accepted, for a start. */
static void plausible(struct fuzzer *f, int cmd, char *arg)
{
	pfarg_pmc_t *pmc = (void *)arg;
	pfarg_pmd_t *pmd = (void *)arg;
	pfarg_load_t *load = (void *)arg;
	pfarg_setdesc_t *set = (void *)arg;

	switch (cmd) {
	case PFM_WRITE_PMCS:
		pmc->reg_num = (__u16)SW_PMC(below(f, 8));
		pmc->reg_flags = below(f, 4);
		pmc->reg_value = below(f, 7);
		if (!below(f, 4))
			vec_set(pmc->reg_reset_pmds, 288 + below(f, 16));
		break;
	case PFM_WRITE_PMDS:
	case PFM_READ_PMDS:
		pmd->reg_num = (__u16)SW_PMD(below(f, 24));
		pmd->reg_value = -(u64)below(f, 1000000);
		pmd->reg_long_reset = -(u64)below(f, 1000000);
		pmd->reg_short_reset = -(u64)below(f, 1000000);
		pmd->reg_random_mask = below(f, 65536);
		pmd->reg_random_seed = below(f, 5);
		break;
	case PFM_LOAD_CONTEXT:
		load->load_pid = target(f);
		break;
	case PFM_CREATE_CONTEXT:
		*(u32 *)(void *)arg = (below(f, 4) & 3) | (below(f, 2) << 7);
		break;
	case PFM_CREATE_EVTSETS:
		set->set_flags = below(f, 16);
		set->set_timeout.tv_nsec = below(f, 1000000000);
		break;
	case PFM_GETINFO_PMCS:
	case PFM_GETINFO_PMDS:
		*(__u16 *)(void *)arg = (__u16)(284 + below(f, 30));
		break;
	case PFM_SET_CONFIG:
		pfm(-1, PFM_GET_CONFIG, arg, 1);
		break;
	}
}

static void mutate(struct fuzzer *f, char *arg, size_t size)
{
	u64 value = number(f);
	size_t width = 1UL << below(f, 4), at;

	at = below(f, (u32)(size / width)) * width;
	memcpy(arg + at, &value, width);
}

/* The errors that perfmonctl(2) may give. */
static bool documented(int cmd, int ret)
{
	switch (-ret) {
	case 0:
	case EINVAL:
	case EFAULT:
	case E2BIG:
	case ENOMEM:
		return true;
	case EBADF:
	case EBUSY:
		return cmd != PFM_CREATE_CONTEXT && cmd != PFM_GET_CONFIG &&
		       cmd != PFM_SET_CONFIG && cmd != PFM_GETINFO_PMCS &&
		       cmd != PFM_GETINFO_PMDS;
	case EPERM:
		return cmd == PFM_CREATE_CONTEXT || cmd == PFM_SET_CONFIG ||
		       cmd == PFM_LOAD_CONTEXT;
	case ESRCH:
		return cmd == PFM_LOAD_CONTEXT;
	case EMFILE:
	case ENFILE:
		return cmd == PFM_CREATE_CONTEXT;
	}
	return false;
}

/* 416 bytes in front of the hole, that is some vectors' worth. */
#define ROOM 416

static void one_call(struct fuzzer *f)
{
	char *room = f->page + page_size() - ROOM, *arg = room;
	int cmd = commands[below(f, ARRAY_SIZE(commands))], n = 1, ret;
	int fd = slots[below(f, N_SLOTS)];

	memset(room, 0, ROOM);
	plausible(f, cmd, room);
	while (!below(f, 3))
		mutate(f, room, ROOM);
	if (cmd == PFM_STOP || cmd == PFM_RESTART ||
	    cmd == PFM_UNLOAD_CONTEXT || (cmd == PFM_START && below(f, 2))) {
		arg = NULL;
		n = 0;
	}
	switch (below(f, 16)) {
	case 0: n = (int)number(f); break;
	case 1: n = (int)below(f, 5); break;
	case 2: arg = room + below(f, ROOM + 8); break;
	case 3: arg = f->read_only; break;
	case 4: arg = (char *)(uintptr_t)number(f); break;
	case 5: fd = (int)number(f); break;
	case 6: cmd = (int)number(f); break;
	}
	ret = pfm(fd, cmd, arg, n);
	f->calls++;
	f->good += !ret;
	if (!documented(cmd, ret)) {
		f->odd_cmd = cmd;
		f->odd_ret = ret;
	}
	if (!ret && cmd == PFM_CREATE_CONTEXT) {
		int made = ((pfarg_ctx_t *)(void *)arg)->ctx_fd;

		/* Replaces one that others may be using at this moment. */
		if (made > 2) {
			fcntl(made, F_SETFL, O_NONBLOCK);
			dup2(made, slots[below(f, N_SLOTS)]);
			close(made);
		}
	}
}

static void something_else(struct fuzzer *f)
{
	int fd = slots[below(f, N_SLOTS)];
	struct pollfd p = { .fd = fd, .events = POLLIN };
	char buf[256];
	cpu_set_t set;

	switch (below(f, 10)) {
	case 0: case 1:
		if (read(fd, buf, 48 * below(f, 6)) < 0)
			sched_yield();
		break;
	case 2: poll(&p, 1, 0); break;
	case 3:
		snprintf(buf, sizeof(buf), "/proc/self/fdinfo/%d", fd);
		read_text(buf, buf, sizeof(buf));
		break;
	case 4:
		CPU_ZERO(&set);
		CPU_SET(below(f, 2), &set);
		sched_setaffinity(0, sizeof(set), &set);
		break;
	case 5: usleep(below(f, 200)); break;
	case 6: dup2(fd, slots[below(f, N_SLOTS)]); break;
	case 7:
		fcntl(fd, F_SETOWN, getpid());
		fcntl(fd, F_SETFL, O_NONBLOCK | (below(f, 2) ? O_ASYNC : 0));
		break;
	default:
		madvise(f->page, page_size(), MADV_DONTNEED);
	}
}

static void *fuzz_main(void *arg)
{
	struct fuzzer *f = arg;

	while (!is_over()) {
		if (below(f, 5))
			one_call(f);
		else
			something_else(f);
	}
	return NULL;
}

static void fuzzer_init(struct fuzzer *f, u64 seed)
{
	memset(f, 0, sizeof(*f));
	f->seed = seed * 0x9e3779b97f4a7c15 | 1;
	f->page = mmap(NULL, 2 * page_size(), PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	f->read_only = mmap(NULL, page_size(), PROT_READ,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (f->page == MAP_FAILED || f->read_only == MAP_FAILED ||
	    munmap(f->page + page_size(), page_size()))
		die("mmap: %s", strerror(errno));
}

/*
 * Ends what its threads have blocked each other in: they may wait for a
 * RESTART that no thread would send. It is never a target itself.
 */
static void __attribute__((noreturn)) rescue(void)
{
	int i, over = 0;

	do {
		over = is_over() ? over + 1 : 0;
		for (i = 0; i < N_SLOTS; i++)
			pfm_restart(slots[i]);
		sleep_ms(20);
	} while (over < 10);
	_exit(0);
}

static void *rescue_main(void *arg)
{
	(void)arg;
	rescue();
}

static void __attribute__((noreturn)) process(u64 seed, struct fuzzer *f)
{
	pthread_t t;
	int i;

	signal(SIGIO, SIG_IGN);
	pthread_create(&t, NULL, rescue_main, NULL);
	for (i = 0; i < N_THREADS; i++) {
		fuzzer_init(&f[i], seed * N_THREADS + (u64)i + 1);
		pthread_create(&f[i].thread, NULL, fuzz_main, &f[i]);
	}
	for (;;)
		pause();
}

static u64 env_number(const char *name, u64 otherwise)
{
	const char *s = getenv(name);

	return s ? strtoull(s, NULL, 0) : otherwise;
}

/* Whether each of them has made some calls. */
static bool all_busy(const volatile struct fuzzer *f)
{
	int i;

	for (i = 0; i < N_FUZZERS; i++)
		if (f[i].calls <= 50 || f[i].good <= 10)
			return false;
	return true;
}

FIXTURE(fuzz) {
	pfarg_config_t saved;
};

FIXTURE_SETUP(fuzz)
{
	MUST(pfm(-1, PFM_GET_CONFIG, &self->saved, 1));
}

FIXTURE_TEARDOWN(fuzz)
{
	if (is_root())
		MUST(pfm(-1, PFM_SET_CONFIG, &self->saved, 1));
}

TEST_F_TIMEOUT(fuzz, commands, 300)
{
	u64 seed = env_number("PFM_FUZZ_SEED", now_ns(CLOCK_REALTIME));
	u64 span = env_number("PFM_FUZZ_SECONDS", 4), calls = 0, good = 0;
	pid_t pid[N_PROCESSES];
	struct puppet p[2];
	struct fuzzer *f;
	int i, fd;

	TH_LOG("PFM_FUZZ_SEED=%llu", seed);
	f = mmap(NULL, (N_FUZZERS + 1) * sizeof(*f), PROT_READ | PROT_WRITE,
		 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, (void *)f);
	put_off = (void *)&f[N_FUZZERS];
	for (i = 0; i < 2; i++)
		puppet_start(&p[i], PUPPET_PROCESS);
	for (i = 0; i < (int)ARRAY_SIZE(targets); i++)
		targets[i] = p[i & 1].tid;
	/* The processes begin with common contexts. */
	for (i = 0; i < N_SLOTS; i++) {
		slots[i] = (int)MUST(pfm_create(i ? 0 : PFM_FL_SYSTEM_WIDE));
		set_nonblock(slots[i]);
	}
	end_ns = now_ns(CLOCK_MONOTONIC) + span * NSEC_PER_SEC;
	for (i = 0; i < N_PROCESSES; i++) {
		pid[i] = fork_child();
		if (!pid[i]) {
			targets[2 + i] = getpid();
			process(seed + (u64)i, &f[i * N_THREADS]);
		}
		targets[2 + i] = pid[i];
	}
	/* The targets do something worth counting meanwhile, if they can. */
	while (!is_over()) {
		for (i = 0; i < 2; i++) {
			puppet_post(&p[i], i ? OP_SLEEP : OP_FAULT, 1);
			puppet_done(&p[i], 10);
		}
		/* Some may have waited all the time, for a CPU or a restart. */
		if (now_ns(CLOCK_MONOTONIC) + NSEC_PER_SEC >
		    end_ns + *put_off * NSEC_PER_SEC &&
		    *put_off < PATIENCE / 1000 && !all_busy(f))
			++*put_off;
	}
	for (i = 0; i < N_PROCESSES; i++)
		EXPECT_EQ(0, reap(pid[i]));
	for (i = 0; i < N_FUZZERS; i++) {
		EXPECT_LT(50ULL, f[i].calls);
		EXPECT_LT(10ULL, f[i].good);
		EXPECT_EQ(0, f[i].odd_ret) {
			TH_LOG("command %#x: %s", f[i].odd_cmd,
			       strerror(-f[i].odd_ret));
		}
		calls += f[i].calls;
		good += f[i].good;
	}
	TH_LOG("%llu calls, %llu succeeded", calls, good);
	for (i = 0; i < N_SLOTS; i++)
		close(slots[i]);
	for (i = 0; i < 2; i++)
		kill_and_reap(p[i].tid);
	if (is_root())
		MUST(pfm(-1, PFM_SET_CONFIG, &self->saved, 1));
	/* And it still works. */
	EXPECT_EQ(0ULL, sysfs_u64("thread_sessions"));
	EXPECT_EQ(0ULL, sysfs_u64("sys_sessions"));
	puppet_start(&p[0], PUPPET_PROCESS);
	fd = pfm_session(0, PFM_SW_MINOR_FAULTS, 0, 0, p[0].tid);
	puppet_do(&p[0], OP_FAULT, 9);
	EXPECT_EQ(9ULL, pfm_value(fd, SW_PMD(0)));
	puppet_stop(&p[0]);
}

TEST_HARNESS_MAIN
