// SPDX-License-Identifier: GPL-2.0-only
/*
 * The module is loaded and unloaded, again and again, while threads that are monitored
 * execute programs, exit, are killed or wait for PFM_RESTART, and while a program
 * creates contexts and reads the files in sysfs. As long as there is a context it stays.
 *
 * For kernels that have perfmon as a module; PERFMON_KERNEL says where the modules are.
 * PFM_RELOAD_ROUNDS: how often (20).
 *
 * Not here: what the module leaves in the kernel's memory and log (run.sh).
 */
#include "../sampling.h"
#include <sys/mount.h>

#ifndef SYS_mseal
#define SYS_mseal	462
#endif

#define THREADS		64
#define LOST		6
#define PERIOD		(-3ULL)
#define BUFFER		(2 * page_size())

/* In the order in which they are loaded. */
static const char * const names[] = { "perfmon", "pfm_default", "pfm_callchain" };

#define N_NAMES		((int)(sizeof(names) / sizeof(names[0])))

static int load(const char *name)
{
	const char *kernel = getenv("PERFMON_KERNEL");
	char path[PATH_MAX];

	if (!kernel)
		die("no PERFMON_KERNEL");
	if (!strncmp(name, "pfm_", 4)) {
		if (!module_path(name + 4, path, sizeof(path)))
			die("no file of %s", name);
	} else {
		snprintf(path, sizeof(path), "%s/%s.ko", kernel, name);
	}
	return module_insert(path);
}

static void load_all(void)
{
	int i, ret;

	for (i = 0; i < N_NAMES; i++) {
		ret = load(names[i]);
		if (ret && ret != -EEXIST)
			die("%s cannot be loaded: %s", names[i], strerror(-ret));
	}
}

/*
 * Unload perfmon and its formats. Returns 0 when no module is left. A module that is in use
 * stays, and the error is returned; those that are not are unloaded all the same.
 */
static int unload_all(void)
{
	int i, ret, first = 0;

	for (i = N_NAMES; i-- > 0; ) {
		ret = module_remove(names[i]);
		if (ret && ret != -ENOENT && !first)
			first = ret;
	}
	return first;
}

/* Threads that are killed may be a moment away from their last task work. */
static void unload_at_last(void)
{
	int ret;

	while ((ret = unload_all()) == -EWOULDBLOCK)
		sleep_ms(1);
	if (ret)
		die("the module cannot be unloaded: %s", strerror(-ret));
	if (!access(SYSFS, F_OK) || !access(PFM_DEVICE, F_OK))
		die("the module has left files");
}

FIXTURE(reload) {
	bool module;
	char path[96];		/* of a CPU that was told to go */
};

FIXTURE_SETUP(reload)
{
	char host[16];

	self->module = read_text(SYSFS "/host", host, sizeof(host)) >= 0 &&
		       !strcmp(host, "module");
}

FIXTURE_TEARDOWN(reload)
{
	if (self->path[0])
		write_text(self->path, "1");
	if (is_root() && self->module)
		load_all();
}

#define NEED_MODULE()							\
do {									\
	NEED_ROOT();							\
	if (!self->module)						\
		SKIP(return, "%s: perfmon is no module here", _metadata->name); \
} while (0)

/* The only thing that holds the module: it stays, works, and goes when that is over. */
static void stays(struct __test_metadata *_metadata)
{
	/* Without the unused formats, each of which holds the module perfmon, too. */
	EXPECT_EQ(-EWOULDBLOCK, unload_all());
	EXPECT_EQ(0, access(SYSFS, F_OK));
	EXPECT_EQ(0, access(PFM_DEVICE, F_OK));
}

static void goes(struct __test_metadata *_metadata)
{
	unload_at_last();
	EXPECT_EQ(-ENOENT, module_remove("perfmon"));
	EXPECT_EQ(-ENOSYS, pfm_create(0));
	load_all();
	close((int)MUST(pfm_create(0)));
}

TEST_F(reload, stays_with_a_descriptor)
{
	int fd;

	NEED_MODULE();
	fd = (int)MUST(pfm_create(0));
	stays(_metadata);
	close(fd);
	goes(_metadata);
}

TEST_F(reload, stays_with_a_descriptor_of_another)
{
	pid_t pid;
	int fd;

	NEED_MODULE();
	fd = (int)MUST(pfm_create(0));
	pid = fork_child();
	if (!pid)
		for (;;)
			pause();
	close(fd);
	stays(_metadata);
	kill_and_reap(pid);
	goes(_metadata);
}

TEST_F(reload, stays_with_a_mapping)
{
	void *buf;
	u64 size;
	int fd;

	NEED_MODULE();
	fd = (int)MUST(dfl_create(0, BUFFER, 0, &size));
	buf = (void *)buf_map(fd, size);
	stays(_metadata);
	EXPECT_EQ(-EWOULDBLOCK, module_remove("pfm_default"));
	MUST(munmap(buf, size));
	close(fd);
	goes(_metadata);
}

/* It is the program's end that removes it. */
TEST_F(reload, stays_with_a_sealed_mapping)
{
	int report[2], fd;
	void *buf;
	pid_t pid;
	u64 size;
	char c;

	NEED_MODULE();
	MUST(pipe2(report, O_CLOEXEC));
	pid = fork_child();
	if (!pid) {
		fd = (int)MUST(dfl_create(0, BUFFER, 0, &size));
		buf = (void *)buf_map(fd, size);
		c = syscall(SYS_mseal, buf, (size_t)size, 0) ? (errno == ENOSYS ? '-' : 'E') : 'S';
		close(fd);
		MUST(write(report[1], &c, 1));
		for (;;)
			pause();
	}
	ASSERT_EQ(1, read(report[0], &c, 1));
	if (c == '-') {
		kill_and_reap(pid);
		SKIP(return, "stays_with_a_sealed_mapping: the kernel has no mseal()");
	}
	EXPECT_EQ('S', c);
	stays(_metadata);
	EXPECT_EQ(-EWOULDBLOCK, module_remove("pfm_default"));
	kill_and_reap(pid);
	goes(_metadata);
}

TEST_F(reload, stays_with_a_monitored_thread)
{
	struct puppet p;
	int fd;

	NEED_MODULE();
	puppet_start(&p, PUPPET_PROCESS);
	fd = pfm_session(0, PFM_SW_CSWITCHES, 0, 0, p.tid);
	stays(_metadata);
	puppet_do(&p, OP_SLEEP, 3);
	EXPECT_LE(3ULL, pfm_value(fd, SW_PMD(0)));
	/* Its exit ends the attachment, not the context. */
	puppet_stop(&p);
	stays(_metadata);
	close(fd);
	goes(_metadata);
}

TEST_F(reload, stays_with_a_thread_that_waits)
{
	struct puppet p;
	int fd;

	NEED_MODULE();
	puppet_start(&p, PUPPET_PROCESS);
	fd = pfm_session(PFM_FL_NOTIFY_BLOCK, PFM_SW_MINOR_FAULTS, NOTIFY, PERIOD, p.tid);
	puppet_post(&p, OP_FAULT, 20);
	ASSERT_EQ(PFM_MSG_OVFL, pfm_next_msg(fd, NULL, PATIENCE));
	wait_rest(p.tid, "DIS");
	stays(_metadata);
	close(fd);
	EXPECT_TRUE(puppet_done(&p, PATIENCE));
	goes(_metadata);
	puppet_stop(&p);
}

/* Whether the module was told to find no function for that: selftests/refused. */
static bool cannot_freeze(void)
{
	char name[64];

	return read_text("/sys/module/perfmon/parameters/absent", name, sizeof(name)) > 0 &&
	       strstr(name, "_frozen");
}

static bool frozen(const char *group)
{
	char file[128], text[64];

	snprintf(file, sizeof(file), "%s/cgroup.events", group);
	MUST(read_text(file, text, sizeof(text)));
	return strstr(text, "frozen 1");
}

/*
 * A thread that waits counts as frozen for its control group; without the kernel's
 * functions for that it does not, until it has done with waiting. Freed by close() it
 * leaves our code, whether or not the group is thawed.
 */
TEST_F(reload, stays_with_a_frozen_thread)
{
	char dir[] = "/tmp/reload-XXXXXX", group[64], file[128], text[64];
	struct puppet p;
	int fd;

	NEED_MODULE();
	MUST(mkdtemp(dir) ? 0 : -1);
	if (mount("cgroup2", dir, "cgroup2", 0, NULL)) {
		rmdir(dir);
		SKIP(return, "stays_with_a_frozen_thread: control groups: %s", strerror(errno));
	}
	snprintf(group, sizeof(group), "%s/frozen", dir);
	MUST(mkdir(group, 0755));
	puppet_start(&p, PUPPET_PROCESS);
	fd = pfm_session(PFM_FL_NOTIFY_BLOCK, PFM_SW_MINOR_FAULTS, NOTIFY, PERIOD, p.tid);
	puppet_post(&p, OP_FAULT, 20);
	ASSERT_EQ(PFM_MSG_OVFL, pfm_next_msg(fd, NULL, PATIENCE));
	wait_rest(p.tid, "S");
	snprintf(file, sizeof(file), "%s/cgroup.procs", group);
	snprintf(text, sizeof(text), "%d", p.tid);
	MUST(write_text(file, text));
	snprintf(file, sizeof(file), "%s/cgroup.freeze", group);
	MUST(write_text(file, "1"));
	/* The freezer has it wait in another way. */
	wait_rest(p.tid, "DI");
	EXPECT_EQ(!cannot_freeze(), frozen(group));

	stays(_metadata);
	EXPECT_EQ(!cannot_freeze(), frozen(group));
	close(fd);
	/* Now it is the kernel that has it wait. */
	while (!frozen(group))
		sleep_ms(1);
	goes(_metadata);
	EXPECT_FALSE(puppet_done(&p, 0));
	EXPECT_TRUE(frozen(group));
	MUST(write_text(file, "0"));
	EXPECT_TRUE(puppet_done(&p, PATIENCE));
	puppet_stop(&p);
	MUST(rmdir(group));
	MUST(umount(dir));
	MUST(rmdir(dir));
}

/*
 * A file of the core that is open does not hold it: what is read then is
 * an error, or what was there.
 */
TEST_F(reload, goes_in_spite_of_an_open_file)
{
	char buf[64];
	int file;

	NEED_MODULE();
	file = (int)MUST(open(SYSFS "/thread_sessions", O_RDONLY | O_CLOEXEC));
	unload_at_last();
	EXPECT_EQ(-1, read(file, buf, sizeof(buf)));
	EXPECT_EQ(ENODEV, errno);
	load_all();
	close(file);
}

/* Counts on @cpu: a thread there, and all of it. The caller stays on @home. */
static void counts_on(struct __test_metadata *_metadata, int cpu, int home)
{
	int all, one, tries;
	struct puppet p;

	puppet_start(&p, PUPPET_PROCESS);
	puppet_do(&p, OP_PIN, (unsigned int)cpu);
	pin_cpu(cpu);
	all = pfm_counter(PFM_FL_SYSTEM_WIDE, PFM_SW_CSWITCHES, 0, 0);
	MUST(pfm_write_pmc(all, SW_PMC(1), PFM_SW_MINOR_FAULTS, 0));
	attach(all, my_tid());
	pin_cpu(home);
	one = pfm_session(0, PFM_SW_MINOR_FAULTS, 0, 0, p.tid);
	puppet_do(&p, OP_SLEEP, 3);
	puppet_do(&p, OP_FAULT, 100);
	EXPECT_LE(100ULL, pfm_value(one, SW_PMD(0)));
	pin_cpu(cpu);
	EXPECT_LE(3ULL, pfm_value(all, SW_PMD(0)));
	/* Of a CPU that has just come these are counted a moment later. */
	for (tries = 0; tries < PATIENCE && !pfm_value(all, SW_PMD(1)); tries++)
		puppet_do(&p, OP_FAULT, 1);
	EXPECT_LT(0ULL, pfm_value(all, SW_PMD(1)));
	EXPECT_EQ(-EWOULDBLOCK, unload_all());
	close(one);
	close(all);
	pin_cpu(home);
	puppet_stop(&p);
}

/*
 * CPUs that go and come, with the module and without. What is held for one that is away
 * goes with the module, and there is counting on one that comes.
 */
TEST_F(reload, cpus_come_and_go)
{
	int home, cpu, fd, turn;
	char path[96];

	NEED_MODULE();
	if (!can_unplug(path, sizeof(path), &home, &cpu))
		SKIP(return, "cpus_come_and_go: needs a CPU to unplug");
	memcpy(self->path, path, sizeof(path));
	for (turn = 0; turn < 2; turn++) {
		counts_on(_metadata, cpu, home);
		pin_cpu(cpu);
		fd = pfm_session(PFM_FL_SYSTEM_WIDE, PFM_SW_CSWITCHES, 0, 0, my_tid());
		pin_cpu(home);
		MUST(write_text(path, "0"));
		EXPECT_TRUE(pfm_state_is(fd, "unloaded"));
		EXPECT_EQ(-EWOULDBLOCK, unload_all());
		close(fd);
		unload_at_last();
		/* It comes back with the new module there, and with none. */
		if (turn)
			MUST(write_text(path, "1"));
		load_all();
		if (turn)
			continue;
		/* Its hooks are on then. */
		fd = pfm_session(PFM_FL_SYSTEM_WIDE, PFM_SW_CSWITCHES, 0, 0, my_tid());
		MUST(write_text(path, "1"));
		counts_on(_metadata, cpu, home);
		close(fd);
	}
	counts_on(_metadata, cpu, home);
	goes(_metadata);
}

enum kind { EXECUTES, EXITS, KILLED, SURVIVES, WAITS, SAMPLED, N_KINDS };

/* One of the monitored processes; it goes its way when @go is hung up. */
static void __attribute__((noreturn)) live(enum kind kind, int go)
{
	struct pages pages;
	char c;

	/* Those that use the CPU are not to keep the others from it. */
	setpriority(PRIO_PROCESS, 0, 19);
	switch (kind) {
	case EXECUTES:
	case EXITS:
		while (read(go, &c, 1) < 0 && errno == EINTR)
			;
		if (kind == EXECUTES)
			execl("/proc/self/exe", "reload", "--true", NULL);
		_exit(0);
	case KILLED:
		for (;;)
			syscall(SYS_getppid);
	default:
		pages_map(&pages, 64);
		for (;;) {
			pages_touch(&pages, 8);
			usleep(3000);
		}
	}
}

/* Until it is killed; there may be no perfmon at the moment. */
static void __attribute__((noreturn)) visit(void)
{
	static const char * const files[] = {
		"host", "thread_sessions", "pmu_model", "version", "formats/default/uuid",
	};
	char path[PATH_MAX], buf[4096];
	unsigned int i;
	int fd, file;

	for (;;) {
		fd = pfm_create(0);
		for (i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
			snprintf(path, sizeof(path), SYSFS "/%s", files[i]);
			file = open(path, O_RDONLY | O_CLOEXEC);
			if (i == 1 && fd >= 0) {
				close(fd);
				fd = -1;
			}
			if (file >= 0) {
				if (read(file, buf, sizeof(buf)) < 0 && errno != ENODEV)
					die("%s: %s", path, strerror(errno));
				close(file);
			}
		}
		usleep(3000);
	}
}

/*
 * This program, in a file that only root may read: who executes it can be traced
 * by root only.
 */
static int unreadable(void)
{
	int in = (int)MUST(open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
	int out = (int)MUST(memfd_create("reload", MFD_CLOEXEC));
	char buf[65536];
	ssize_t n;
	int fd;

	while ((n = read(in, buf, sizeof(buf))) > 0)
		MUST(write(out, buf, (size_t)n));
	MUST(fchmod(out, 0111));
	snprintf(buf, sizeof(buf), "/proc/self/fd/%d", out);
	fd = (int)MUST(open(buf, O_RDONLY | O_CLOEXEC));
	close(in);
	/* Nobody may have it open for writing. */
	close(out);
	return fd;
}

/* An ordinary user, who loses his threads by what they execute: @go says when. */
static void __attribute__((noreturn)) lose(int program, int go)
{
	static char * const argv[] = { "reload", "--true", NULL };
	int fd[LOST], hold[2], i;
	pid_t pid;
	char c;

	while (read(go, &c, 1) < 0 && errno == EINTR)
		;
	become(NOBODY);
	prctl(PR_SET_DUMPABLE, 1);
	MUST(pipe2(hold, O_CLOEXEC));
	for (i = 0; i < LOST; i++) {
		pid = fork_child();
		if (!pid) {
			close(hold[1]);
			while (read(hold[0], &c, 1) < 0 && errno == EINTR)
				;
			fexecve(program, argv, environ);
			_exit(1);
		}
		fd[i] = pfm_session(0, PFM_SW_CSWITCHES, 0, 0, pid);
	}
	close(hold[1]);
	for (i = 0; i < LOST; i++) {
		if (pfm_next_msg(fd[i], NULL, -1) != PFM_MSG_END)
			die("no message of the end");
		close(fd[i]);
	}
	/* They may be in the kernel still, on the way to the new program. */
	_exit(0);
}

struct monitored {
	pid_t pid;
	int fd;
	void *buf;
	u64 size;
};

static void monitor(struct monitored *m, enum kind kind)
{
	switch (kind) {
	case WAITS:
		m->fd = pfm_session(PFM_FL_NOTIFY_BLOCK, PFM_SW_MINOR_FAULTS, NOTIFY,
				    PERIOD, m->pid);
		break;
	case SAMPLED:
		m->fd = (int)MUST(dfl_create(0, BUFFER, 0, &m->size));
		m->buf = (void *)buf_map(m->fd, m->size);
		sample_faults(m->fd, 0, 2, 0, CTR(1));
		attach(m->fd, m->pid);
		break;
	default:
		m->fd = pfm_session(0, PFM_SW_CSWITCHES, 0, 0, m->pid);
	}
}

static void leave(struct monitored *m)
{
	if (m->fd < 0)
		return;
	if (m->buf)
		MUST(munmap(m->buf, m->size));
	close(m->fd);
	m->fd = -1;
}

/* The module is not there when it begins, and when it ends. */
static void one_round(struct __test_metadata *_metadata, int program, u32 *state)
{
	struct monitored m[THREADS] = { };
	int go[2], ready[2], i;
	pid_t loser;

	MUST(pipe2(go, O_CLOEXEC));
	MUST(pipe2(ready, O_CLOEXEC));
	loser = fork_child();
	if (!loser) {
		close(ready[1]);
		close(go[1]);
		lose(program, ready[0]);
	}
	close(ready[0]);
	for (i = 0; i < THREADS; i++) {
		m[i].pid = fork_child();
		if (!m[i].pid) {
			close(go[1]);
			close(ready[1]);
			live(i % N_KINDS, go[0]);
		}
	}
	close(go[0]);
	/* They are running meanwhile. */
	load_all();
	close(ready[1]);
	for (i = 0; i < THREADS; i++)
		monitor(&m[i], i % N_KINDS);
	EXPECT_EQ(-EWOULDBLOCK, unload_all());

	close(go[1]);
	for (i = 0; i < THREADS; i++) {
		if (i % N_KINDS == KILLED)
			kill(m[i].pid, SIGKILL);
		if (random_below(state, 2))
			leave(&m[i]);
	}
	for (i = 0; i < THREADS; i++)
		leave(&m[i]);
	EXPECT_EQ(0, reap(loser));
	unload_at_last();
	for (i = 0; i < THREADS; i++)
		if (i % N_KINDS > EXITS)
			kill(m[i].pid, SIGKILL);
	for (i = 0; i < THREADS; i++)
		EXPECT_EQ(i % N_KINDS > EXITS ? -SIGKILL : 0, reap(m[i].pid));
}

TEST_F_TIMEOUT(reload, again_and_again, INT_MAX)
{
	const char *env = getenv("PFM_RELOAD_ROUNDS");
	int n = env ? atoi(env) : 20, i;
	u64 begin = now_ns(CLOCK_MONOTONIC);
	u32 state = 1;
	pid_t visitor;
	int program;

	NEED_MODULE();
	program = unreadable();
	visitor = fork_child();
	if (!visitor)
		visit();
	unload_at_last();
	for (i = 0; i < n; i++) {
		one_round(_metadata, program, &state);
		if (i % 50 == 49)
			TH_LOG("%d rounds", i + 1);
	}
	EXPECT_EQ(-SIGKILL, kill_and_reap(visitor));
	TH_LOG("%d rounds, %llu ms each", n,
	       (now_ns(CLOCK_MONOTONIC) - begin) / NSEC_PER_MSEC / (u64)(n ?: 1));
}

/* The program that is executed: it ends before main() begins the tests. */
static void __attribute__((constructor)) ends(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "--true"))
		_exit(0);
}

TEST_HARNESS_MAIN
