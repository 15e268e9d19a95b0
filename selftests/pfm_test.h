/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the test programs share: the bare system call, shorthands that make,
 * program and read a context, events that are exact (a page fault, a context
 * switch), and ways to look at a thread from outside.
 *
 * The pfm_*() functions return 0 (or a descriptor) or -errno, so that a test
 * can expect either. Everything that merely has to work for the test to make
 * sense goes through MUST() and ends the test when it does not.
 */
#ifndef PFM_TEST_H
#define PFM_TEST_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <linux/capability.h>

#include <perfmon/perfmon.h>

#include "kselftest_harness.h"

#include "lib/device.h"

/*
 * The CPUs may be virtual ones that have to wait for a real one, for seconds
 * and at any point. So a test may take its time, waits this many ms for what
 * has to come, and asks of times only what a delay cannot change.
 */
#undef TEST_TIMEOUT_DEFAULT
#define TEST_TIMEOUT_DEFAULT	200
#define PATIENCE		60000

#define SYSFS		"/sys/kernel/perfmon"
#define DEBUGFS		"/sys/kernel/debug/perfmon"
#define MODPROBE	"/proc/sys/kernel/modprobe"

#define SW_PMC(i)	(PFM_SW_PMC0 + (i))
#define SW_PMD(i)	(PFM_SW_PMD0 + (i))

#define NSEC_PER_SEC	1000000000ULL
#define NSEC_PER_MSEC	1000000ULL

typedef __u64 u64;
typedef __u32 u32;

static inline size_t page_size(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

/* ------------------------------------------------------------------------
 * Failing
 */

static inline void __attribute__((noreturn, format(printf, 3, 4)))
die_at(const char *file, int line, const char *fmt, ...)
{
	va_list ap;

	fprintf(stderr, "# %s:%d: ", file, line);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	abort();
}

#define die(...)	die_at(__FILE__, __LINE__, __VA_ARGS__)

/* For a system call (-1, errno) and for a pfm_ function (-errno). */
#define MUST(expr)							\
({									\
	long __must = (long)(expr);					\
									\
	if (__must < 0)							\
		die("%s: %s", #expr,					\
		    strerror(__must == -1 ? errno : (int)-__must));	\
	__must;								\
})

/* ------------------------------------------------------------------------
 * PFM_TESTS: only the tests that it names are run
 */

static inline bool test_is_named(const char *names, const char *name, size_t len)
{
	const char *at = names;

	while ((at = strstr(at, name))) {
		if ((at == names || at[-1] == ' ') && strchr(" ", at[len]))
			return true;
		at += len;
	}
	return false;
}

/* One that this program does not have is an error: a list must not lose tests. */
static inline void test_must_exist(const char *name, size_t len)
{
	struct __fixture_metadata *f;
	struct __test_metadata *t;

	for (f = __fixture_list; f; f = f->next)
		for (t = f->tests; t; t = t->next)
			if (strlen(t->name) == len && !strncmp(t->name, name, len))
				return;
	die("no test %.*s", (int)len, name);
}

static inline void test_select(void)
{
	const char *names = getenv("PFM_TESTS"), *name;
	struct __fixture_metadata *f;
	struct __test_metadata **at;

	if (!names || !*names)
		return;
	for (name = names; *name; name += strcspn(name, " "), name += strspn(name, " "))
		test_must_exist(name, strcspn(name, " "));
	for (f = __fixture_list; f; f = f->next)
		for (at = &f->tests; *at; )
			if (test_is_named(names, (*at)->name, strlen((*at)->name)))
				at = &(*at)->next;
			else
				*at = (*at)->next;
	printf("# only %s\n", names);
}

#undef TEST_HARNESS_MAIN
#define TEST_HARNESS_MAIN						\
	static void __attribute__((constructor)) __constructor_order_last(void) \
	{								\
		if (!__constructor_order)				\
			__constructor_order = _CONSTRUCTOR_ORDER_BACKWARD; \
	}								\
	int main(int argc, char **argv)					\
	{								\
		test_select();						\
		return test_harness_run(argc, argv);			\
	}

static inline bool is_root(void)
{
	return geteuid() == 0;
}

#define NEED_ROOT()							\
do {									\
	if (!is_root())							\
		SKIP(return, "%s: needs root", _metadata->name);	\
} while (0)

/* Of its capabilities this process keeps those in @mask, which take effect. */
static inline void caps_keep(u64 mask)
{
	struct __user_cap_header_struct h = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct d[2];
	int i;

	MUST(syscall(SYS_capget, &h, d));
	for (i = 0; i < 2; i++) {
		d[i].permitted &= (u32)(mask >> 32 * i);
		d[i].effective = d[i].permitted;
	}
	MUST(syscall(SYS_capset, &h, d));
}

#define CAP_BIT(cap)	(1ULL << (cap))

/* The debug kernels are several times slower than the plain ones. */
static inline bool is_slow(void)
{
	return getenv("PFM_SLOW") != NULL;
}

/* ------------------------------------------------------------------------
 * The system call
 */

static inline int pfm(int fd, int cmd, void *arg, int narg)
{
	long ret = syscall(__NR_perfmonctl, fd, cmd, arg, narg);

	/* A module has another way in. */
	if (ret == -1 && errno == ENOSYS)
		ret = pfm_device_perfmonctl(fd, cmd, arg, narg);
	return ret == -1 ? -errno : (int)ret;
}

/* A module cannot know how many threads could run: the register is missing there. */
static inline bool has_runnable(void)
{
	pfarg_pmdinfo_t info = { .reg_num = PFM_VPMD_RUNNABLE };

	return !pfm(-1, PFM_GETINFO_PMDS, &info, 1);
}

static inline int pfm_create(u32 flags)
{
	pfarg_ctx_t ctx = { .ctx_flags = flags, .ctx_fd = -1 };
	int ret = pfm(-1, PFM_CREATE_CONTEXT, &ctx, 1);

	return ret ? ret : ctx.ctx_fd;
}

static inline int pfm_write_pmc(int fd, int num, u64 value, u32 flags)
{
	pfarg_pmc_t pmc = {
		.reg_num = (__u16)num, .reg_flags = flags, .reg_value = value,
	};

	return pfm(fd, PFM_WRITE_PMCS, &pmc, 1);
}

static inline int pfm_write_pmd(int fd, int num, u64 value)
{
	pfarg_pmd_t pmd = { .reg_num = (__u16)num, .reg_value = value };

	return pfm(fd, PFM_WRITE_PMDS, &pmd, 1);
}

/* Value now, value after PFM_RESTART, value after an overflow unnoticed. */
static inline int pfm_write_period(int fd, int num, u64 value, u64 long_reset,
				   u64 short_reset)
{
	pfarg_pmd_t pmd = {
		.reg_num = (__u16)num, .reg_value = value,
		.reg_long_reset = long_reset, .reg_short_reset = short_reset,
	};

	return pfm(fd, PFM_WRITE_PMDS, &pmd, 1);
}

static inline int pfm_read_pmd(int fd, int num, u64 *value)
{
	/* Not 0, which would pass for the value of a counter. */
	pfarg_pmd_t pmd = { .reg_num = (__u16)num, .reg_value = 0xdeadbeef };
	int ret = pfm(fd, PFM_READ_PMDS, &pmd, 1);

	*value = pmd.reg_value;
	return ret;
}

static inline u64 pfm_value(int fd, int num)
{
	u64 value;

	MUST(pfm_read_pmd(fd, num, &value));
	return value;
}

static inline int pfm_load(int fd, pid_t tid)
{
	pfarg_load_t load = { .load_pid = tid };

	return pfm(fd, PFM_LOAD_CONTEXT, &load, 1);
}

static inline int pfm_unload(int fd)
{
	return pfm(fd, PFM_UNLOAD_CONTEXT, NULL, 0);
}

static inline int pfm_start(int fd)
{
	return pfm(fd, PFM_START, NULL, 0);
}

static inline int pfm_stop(int fd)
{
	return pfm(fd, PFM_STOP, NULL, 0);
}

static inline int pfm_restart(int fd)
{
	return pfm(fd, PFM_RESTART, NULL, 0);
}

/* A context whose counter 0 counts @event from @value on. */
static inline int pfm_counter(u32 ctx_flags, int event, u32 pmc_flags,
			      u64 value)
{
	int fd = (int)MUST(pfm_create(ctx_flags));

	MUST(pfm_write_pmc(fd, SW_PMC(0), (u64)event, pmc_flags));
	MUST(pfm_write_period(fd, SW_PMD(0), value, value, value));
	return fd;
}

/* The same, attached to @tid and started. */
static inline int pfm_session(u32 ctx_flags, int event, u32 pmc_flags,
			      u64 value, pid_t tid)
{
	int fd = pfm_counter(ctx_flags, event, pmc_flags, value);

	MUST(pfm_load(fd, tid));
	MUST(pfm_start(fd));
	return fd;
}

static inline bool vec_test(const u64 *v, unsigned int n)
{
	return v[n / 64] >> (n % 64) & 1;
}

static inline void vec_set(u64 *v, unsigned int n)
{
	v[n / 64] |= 1ULL << (n % 64);
}

/* A number below @n that follows from *@state, which is changed for the next one. */
static inline u32 random_below(u32 *state, u32 n)
{
	*state = *state * 1664525 + 1013904223;
	return (u32)((u64)*state * n >> 32);
}

static inline bool all_bytes(const void *p, size_t n, unsigned char byte)
{
	const unsigned char *c = p;

	while (n--)
		if (*c++ != byte)
			return false;
	return true;
}

/* ------------------------------------------------------------------------
 * Event sets
 */

static inline int delete_set(int fd, int id)
{
	pfarg_setdesc_t desc = { .set_id = (__u16)id };

	return pfm(fd, PFM_DELETE_EVTSETS, &desc, 1);
}

static inline bool set_exists(int fd, int id)
{
	pfarg_setinfo_t info = { .set_id = (__u16)id };
	int ret = pfm(fd, PFM_GETINFO_EVTSETS, &info, 1);

	if (ret && !(info.set_flags & PFM_SET_RETFL_NOSET))
		die("set %d: %s", id, strerror(-ret));
	return !ret;
}

static inline pfarg_setinfo_t info_of_set(int fd, int id)
{
	pfarg_setinfo_t info = { .set_id = (__u16)id };

	MUST(pfm(fd, PFM_GETINFO_EVTSETS, &info, 1));
	return info;
}

/* ------------------------------------------------------------------------
 * Messages
 */

/* What poll() says within @ms milliseconds. */
static inline int pfm_poll(int fd, int ms)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	int ret;

	do {
		ret = poll(&p, 1, ms);
	} while (ret < 0 && errno == EINTR);
	MUST(ret);
	return ret ? p.revents : 0;
}

static inline void set_nonblock(int fd)
{
	int flags = (int)MUST(fcntl(fd, F_GETFL));

	MUST(fcntl(fd, F_SETFL, flags | O_NONBLOCK));
}

/* The type of the next message, 0 if there is none within @ms. */
static inline u32 pfm_next_msg(int fd, pfm_msg_t *msg, int ms)
{
	pfm_msg_t scratch;

	if (!msg)
		msg = &scratch;
	if (!(pfm_poll(fd, ms) & POLLIN))
		return 0;
	memset(msg, 0xa5, sizeof(*msg));
	if (read(fd, msg, sizeof(*msg)) != sizeof(*msg))
		die("poll() promised a message: %s", strerror(errno));
	return msg->msg_type;
}

/*
 * The address of a function's code. On IA-64 and PowerPC's 64-bit ELF V1 a pointer to a function
 * is one to a descriptor, whose first word is that address.
 */
static inline u64 code_of(const void *function)
{
#if defined(__ia64__) || (defined(__powerpc64__) && _CALL_ELF != 2)
	return *(const u64 *)function;
#else
	return (uintptr_t)function;
#endif
}

/* ------------------------------------------------------------------------
 * Files in /proc and /sys
 */

/* The file's text without its last newline; -errno if it cannot be read. */
static inline int read_text(const char *path, char *buf, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = 0, r = 0;
	int err;

	if (fd < 0)
		return -errno;
	while ((size_t)n < size - 1 &&
	       (r = read(fd, buf + n, size - 1 - (size_t)n)) > 0)
		n += r;
	err = errno;
	close(fd);
	if (r < 0)
		return -err;
	while (n && buf[n - 1] == '\n')
		n--;
	buf[n] = '\0';
	return (int)n;
}

static inline int write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	ssize_t n;
	int err;

	if (fd < 0)
		return -errno;
	n = write(fd, text, strlen(text));
	err = errno;
	close(fd);
	return n < 0 ? -err : n == (ssize_t)strlen(text) ? 0 : -EIO;
}

/* The kernel runs @path to load a module on demand; none if @path is empty. */
static inline void set_modprobe(const char *path)
{
	char line[PATH_MAX + 2];

	snprintf(line, sizeof(line), "%s\n", path);
	MUST(write_text(MODPROBE, line));
}

/* Whether the kernel hides its own data, from root too: lockdown=confidentiality. */
static inline bool is_confidential(void)
{
	char buf[64];

	return read_text("/sys/kernel/security/lockdown", buf, sizeof(buf)) > 0 &&
	       strstr(buf, "[confidentiality]");
}

/* Whether the kernel has perfmon as a module: Documentation/module.rst says what differs. */
static inline bool is_module(void)
{
	char host[16];

	MUST(read_text(SYSFS "/host", host, sizeof(host)));
	return !strcmp(host, "module");
}

/* What follows "@key:" and blanks in @path. */
static inline bool text_field(const char *path, const char *key, char *value,
			      size_t size)
{
	char buf[8192], *line, *save;
	size_t len = strlen(key);

	if (read_text(path, buf, sizeof(buf)) < 0)
		return false;
	for (line = strtok_r(buf, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save)) {
		if (strncmp(line, key, len))
			continue;
		line += len;
		line += strspn(line, " \t");
		if (*line++ != ':')
			continue;
		line += strspn(line, " \t");
		snprintf(value, size, "%s", line);
		return true;
	}
	return false;
}

static inline void pfm_fdinfo(int fd, const char *key, char *value,
			      size_t size)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	if (!text_field(path, key, value, size))
		die("no %s in %s", key, path);
}

static inline u64 pfm_fdinfo_num(int fd, const char *key)
{
	char value[64];

	pfm_fdinfo(fd, key, value, sizeof(value));
	return strtoull(value, NULL, 0);
}

/* Take all messages from the queue, which may only be of overflows. Returns how many. */
static inline u64 pfm_take_overflows(int fd)
{
	u64 n = 0;

	while (pfm_fdinfo_num(fd, "pfm-queued")) {
		if (pfm_next_msg(fd, NULL, 0) != PFM_MSG_OVFL)
			die("no message");
		n++;
	}
	return n;
}

static inline bool pfm_state_is(int fd, const char *state)
{
	char value[64];

	pfm_fdinfo(fd, "pfm-state", value, sizeof(value));
	return !strcmp(value, state);
}

static inline u64 sysfs_u64(const char *name)
{
	char path[PATH_MAX], buf[64];

	snprintf(path, sizeof(path), SYSFS "/%s", name);
	MUST(read_text(path, buf, sizeof(buf)));
	return strtoull(buf, NULL, 0);
}

/* Of all CPUs. */
static inline u64 debugfs_sum(const char *name)
{
	char path[PATH_MAX], buf[64];
	u64 sum = 0;
	int cpu, n = 0;

	for (cpu = 0; cpu < 64; cpu++) {
		snprintf(path, sizeof(path), DEBUGFS "/cpu%d/%s", cpu, name);
		if (read_text(path, buf, sizeof(buf)) < 0)
			continue;
		sum += strtoull(buf, NULL, 10);
		n++;
	}
	if (!n)
		die("no %s in " DEBUGFS, name);
	return sum;
}

#define NEED_DEBUGFS()							\
do {									\
	if (access(DEBUGFS, X_OK))					\
		SKIP(return, "%s: debugfs: %s", _metadata->name,	\
		     strerror(errno));					\
} while (0)

/* The counters that the only message in the queue names; 0 without one. */
static inline unsigned int overflowed(int fd)
{
	unsigned int i, bits = 0;
	pfm_msg_t msg;
	u64 queued = pfm_fdinfo_num(fd, "pfm-queued");

	if (!queued)
		return 0;
	if (queued != 1)
		die("%llu messages", queued);
	if (pfm_next_msg(fd, &msg, 0) != PFM_MSG_OVFL)
		die("no overflow message");
	for (i = 0; i < PFM_MAX_PMDS; i++) {
		if (!vec_test(msg.pfm_ovfl_msg.msg_ovfl_pmds, i))
			continue;
		if (i < PFM_SW_PMD0 || i >= PFM_SW_PMD0 + PFM_SW_COUNTERS)
			die("PMD %u overflowed", i);
		bits |= 1U << (i - PFM_SW_PMD0);
	}
	return bits;
}

/* ------------------------------------------------------------------------
 * Time, CPUs, threads
 */

static inline pid_t my_tid(void)
{
	return (pid_t)syscall(SYS_gettid);
}

static inline u64 now_ns(clockid_t clock)
{
	struct timespec ts;

	MUST(clock_gettime(clock, &ts));
	return (u64)ts.tv_sec * NSEC_PER_SEC + (u64)ts.tv_nsec;
}

static inline void sleep_ms(unsigned int ms)
{
	struct timespec ts = { ms / 1000, (long)(ms % 1000) * 1000000 };

	while (nanosleep(&ts, &ts) && errno == EINTR)
		;
}

/*
 * CLOCK_MONOTONIC, for an upper bound of what the kernel counts from now on. Without a
 * stable TSC its local_clock() goes no further than a tick until the next one comes:
 * after this CPU stood still it makes up for time that was before. Being idle, or a tick,
 * brings it up to date, and both come after the time that this returns.
 */
static inline u64 wall_begin(void)
{
	u64 begin = now_ns(CLOCK_MONOTONIC);

	sleep_ms(5);
	return begin;
}

/*
 * Whether it comes to be @want. For what is still held by processes that
 * this process cannot wait for: the children of a process that was killed.
 */
static inline bool sysfs_becomes(const char *name, u64 want)
{
	int n;

	for (n = 0; n < PATIENCE && sysfs_u64(name) != want; n++)
		sleep_ms(1);
	return sysfs_u64(name) == want;
}

/* Uses @ms milliseconds of this thread's CPU time. */
static inline void burn_ms(unsigned int ms)
{
	u64 end = now_ns(CLOCK_THREAD_CPUTIME_ID) + ms * NSEC_PER_MSEC;

	while (now_ns(CLOCK_THREAD_CPUTIME_ID) < end)
		;
}

static inline void pin_cpu(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((size_t)cpu, &set);
	MUST(sched_setaffinity(0, sizeof(set), &set));
}

static inline u64 my_naps(void)
{
	struct rusage ru;

	MUST(getrusage(RUSAGE_THREAD, &ru));
	return (u64)ru.ru_nvcsw;
}

/*
 * Sleeps, and leaves the CPU for it: a short time may be over before that.
 */
static inline void nap(void)
{
	unsigned int us = 500;
	u64 before = my_naps();

	do {
		usleep(us);
		us += us < 500000 ? us : 0;
	} while (my_naps() == before);
}

/* The CPUs that this thread may run on, at most @max; returns how many. */
static inline int my_cpus(int *cpus, int max)
{
	cpu_set_t set;
	int cpu, n = 0;

	MUST(sched_getaffinity(0, sizeof(set), &set));
	for (cpu = 0; cpu < CPU_SETSIZE && n < max; cpu++)
		if (CPU_ISSET((size_t)cpu, &set))
			cpus[n++] = cpu;
	return n;
}

/* Two CPUs, one that stays and one that can go, and the file that says so. */
static inline bool can_unplug(char *path, size_t size, int *home, int *cpu)
{
	int cpus[2];

	if (!is_root() || my_cpus(cpus, 2) < 2)
		return false;
	*home = cpus[0];
	*cpu = cpus[1];
	snprintf(path, size, "/sys/devices/system/cpu/cpu%d/online", *cpu);
	return !access(path, W_OK);
}

/* Stays on the first CPU that it may use; which one that is. */
static inline int pin_somewhere(void)
{
	int cpu = 0;

	my_cpus(&cpu, 1);
	pin_cpu(cpu);
	return cpu;
}

#define NEED_CPUS(cpus, n)						\
do {									\
	if (my_cpus(cpus, n) < (n))					\
		SKIP(return, "%s: needs %d CPUs", _metadata->name, n);	\
} while (0)

/*
 * fork() whose child dies with the thread that called. The child must end in
 * _exit() and must not use the harness' macros.
 */
static inline pid_t fork_child(void)
{
	pid_t parent = getpid();
	pid_t pid = (pid_t)MUST(fork());

	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent)
			_exit(99);
	}
	return pid;
}

/* The exit status of @pid, or minus the signal that killed it. */
static inline int reap(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			die("waitpid: %s", strerror(errno));
	return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static inline int kill_and_reap(pid_t pid)
{
	kill(pid, SIGKILL);
	return reap(pid);
}

/* The letter of a thread's state in /proc, 'X' if there is no such thread. */
static inline char thread_state(pid_t tid)
{
	char path[64], buf[1024], *p;

	snprintf(path, sizeof(path), "/proc/%d/stat", tid);
	if (read_text(path, buf, sizeof(buf)) < 0)
		return 'X';
	p = strrchr(buf, ')');
	return p && p[1] ? p[2] : 'X';
}

static inline bool wait_state(pid_t tid, const char *letters, int ms)
{
	for (;;) {
		if (strchr(letters, thread_state(tid)))
			return true;
		if (ms-- <= 0)
			return false;
		sleep_ms(1);
	}
}

/* ------------------------------------------------------------------------
 * Minor faults, exactly as many as asked for
 */

struct pages {
	volatile char *start, *next, *end;
	size_t size;
};

/* @n untouched anonymous pages: the first write to each is one minor fault. */
static inline void pages_map(struct pages *p, unsigned int n)
{
	char *mem;

	p->size = page_size();
	mem = mmap(NULL, n * p->size, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (mem == MAP_FAILED)
		die("mmap: %s", strerror(errno));
	/* Not an error: a kernel without huge pages does not know it. */
	madvise(mem, n * p->size, MADV_NOHUGEPAGE);
	p->start = p->next = mem;
	p->end = mem + n * p->size;
}

static inline __attribute__((always_inline)) void
pages_touch(struct pages *p, unsigned int n)
{
	while (n--) {
		if (p->next == p->end) {
			/* Given back they fault anew. */
			MUST(madvise((void *)p->start,
				     (size_t)(p->end - p->start),
				     MADV_DONTNEED));
			p->next = p->start;
		}
		*p->next = 1;
		p->next += p->size;
	}
}

static inline u64 my_minor_faults(void)
{
	struct rusage ru;

	MUST(getrusage(RUSAGE_THREAD, &ru));
	return (u64)ru.ru_minflt;
}

static inline u64 my_switches(void)
{
	struct rusage ru;

	MUST(getrusage(RUSAGE_THREAD, &ru));
	return (u64)ru.ru_nvcsw + (u64)ru.ru_nivcsw;
}

#endif /* PFM_TEST_H */
