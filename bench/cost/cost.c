// SPDX-License-Identifier: GPL-2.0-only
/*
 * cost - what perfmon and perf_events cost, in instructions
 *
 * What closes many contexts must not take longer for each than what closes few.
 * Each other figure is the median of many rounds, less the cost of reading
 * executed(). Both sides count the same events: software's, and the hardware's if
 * there is a PMU of machine.h. With the argument "switch" only switches of threads are
 * measured; with "short" before it there are fewer rounds, and contexts.
 */
#include "cost.h"
#include "short.h"
#include <perfmon/default_smpl.h>
#include <perfmon/pmon.h>
#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>

static int rounds = ROUNDS;
static uint64_t overhead;

#define MEASURE(statement) ({						\
	uint64_t v_[ROUNDS], m_;					\
	int i_;								\
									\
	for (i_ = 0; i_ < rounds; i_++) {				\
		uint64_t t_ = executed();				\
									\
		statement;						\
		v_[i_] = executed() - t_;				\
	}								\
	m_ = median(v_, rounds);					\
	m_ > overhead ? m_ - overhead : 0;				\
})

/* Two by turns, each by itself, since one undoes the other. */
#define MEASURE_TURNS(one, other, got_one, got_other) do {		\
	uint64_t v_[ROUNDS], w_[ROUNDS];				\
	int i_;								\
									\
	for (i_ = 0; i_ < rounds; i_++) {				\
		uint64_t t0_ = executed(), t1_, t2_;			\
									\
		one;							\
		t1_ = executed();					\
		other;							\
		t2_ = executed();					\
		v_[i_] = t1_ - t0_;					\
		w_[i_] = t2_ - t1_;					\
	}								\
	got_one = median(v_, rounds) - overhead;			\
	got_other = median(w_, rounds) - overhead;			\
} while (0)

/* What is measured with 1 and with 4 counters, and the most it should be. */
enum { SETUP, START, STOP, START_STOP, READ_STOPPED, READ, READ_ONE, READ_THREADS, CYCLE,
       REGION, SWITCH, SWITCH_BOTH, SWITCH_TREE, FORK, SWITCH_CPU, FAULT, FAULT_CPU, OVERFLOW, ROWS };

static const struct {
	const char *name;
	int goal[2];		/* of the hardware's counters */
} rows[ROWS] = {
	{ "set up, and down", { 6500, 0 } },
	{ "start", { 0, 0 } },
	{ "stop", { 0, 0 } },
	{ "start + stop", { 680, 765 } },
	{ "read while stopped", { 0, 0 } },
	{ "read while running", { 370, 570 } },
	{ "... one of them", { 0, 0 } },
	{ "... in a process with two threads", { 0, 0 } },
	{ "start + stop + read", { 1200, 2500 } },
	{ "a region of libperfmon, begin + end", { 0, 0 } },
	{ "added to a switch of threads", { 76, 118 } },
	{ "... if both are monitored", { 250, 400 } },
	{ "... if a tree has both", { 10, 10 } },
	/* 20 and 150; and the tree leaves the CPU with the member, and is back. */
	{ "added by a tree to vfork and exit", { 322, 406 } },
	{ "... if the CPU is monitored", { 4, 4 } },
	{ "added to a page fault", { 4, 4 } },
	{ "... if the CPU is monitored, there", { 4, 4 } },
	{ "a notified overflow", { 850, 850 } },
};

static bool only_switches;
static int64_t pfm_got[2][ROWS], perf_got[2][ROWS];

static uint64_t bare_loop;
static pid_t sleeps;		/* a child that is there, and does nothing */

#define LOOP 50000

/*
 * One of two: to a thread that is monitored, or from it. Nobody preempts whom he has woken
 * (SCHED_BATCH, see main()): else some switches are of one kind and some of another.
 */
static uint64_t switches(void)
{
	uint64_t least = UINT64_MAX, now;
	int i;

	for (i = 0; i < 20; i++)
		round_trip();
	for (i = 0; i < 5; i++) {
		now = MEASURE(round_trip()) / 2;
		least = now < least ? now : least;
	}
	return least;
}

static void fault(void)
{
	static char *page;

	if (!page) {
		page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		must(page != MAP_FAILED, "mmap");
	}
	must(!madvise(page, 4096, MADV_DONTNEED), "madvise");
	*(volatile char *)page = 1;
}

static uint64_t faults(void)
{
	fault();
	return MEASURE(fault());
}

/* What a switch costs more now than when nobody is monitored, two seconds later. */
static int64_t added(int fd)
{
	uint64_t with = switches();

	close(fd);
	sleep(2);
	return (int64_t)(with - switches());
}

/* Both threads of a switch are monitored, by equal events; or the CPU is; or one faults. */
static void pfm_added(const struct events *e, pid_t other, int n, int64_t *got)
{
	pid_t self = getpid();
	int64_t with;
	int fd, fd2;

	fd = pfm_open(e, self, n, 0, 0);
	pfm_run(fd, PFM_START);
	got[FAULT] = faults();
	fd2 = pfm_open(e, other, n, 0, 0);
	pfm_run(fd2, PFM_START);
	with = switches();
	close(fd2);
	close(fd);
	sleep(2);
	got[SWITCH_BOTH] = with - switches();
	got[FAULT] -= faults();

	fd = pfm_open_as(e, PFM_FL_SYSTEM_WIDE, self, n, 0, 0);
	pfm_run(fd, PFM_START);
	got[FAULT_CPU] = faults();
	got[SWITCH_CPU] = added(fd);
	got[FAULT_CPU] -= faults();
}

/* Switches to and from a new partner, a child of this process. */
static uint64_t switches_to_child(void)
{
	int old[2][2];
	uint64_t n;
	pid_t pid;
	int i;

	memcpy(old[0], ping, sizeof(ping));
	memcpy(old[1], pong, sizeof(pong));
	must(!pipe(ping) && !pipe(pong), "pipe");
	pid = child(answer);
	n = switches();
	kill(pid, SIGKILL);
	must(waitpid(pid, NULL, 0) == pid, "waitpid");
	for (i = 0; i < 2; i++) {
		close(ping[i]);
		close(pong[i]);
	}
	memcpy(ping, old[0], sizeof(ping));
	memcpy(pong, old[1], sizeof(pong));
	return n;
}

enum { BIRTH, END, REAPED, PARTS };

/*
 * A process makes another one, which ends. By parts: until the child runs, until the parent
 * runs again, until it has reaped the child.
 */
static void beget(uint64_t *part)
{
	volatile uint64_t born = 0;
	uint64_t begin = executed(), end;
	pid_t pid = vfork();

	/* In the parent's memory. */
	if (!pid) {
		born = executed();
		_exit(0);
	}
	end = executed();
	must(pid > 0 && waitpid(pid, NULL, 0) == pid, "vfork");
	part[BIRTH] = born - begin;
	part[END] = end - born;
	part[REAPED] = executed() - end;
}

/*
 * The sum of the least of many for each part, in which nothing else of the kernel's came due:
 * memory to be freed, a tick.
 */
static uint64_t births(void)
{
	uint64_t least[PARTS], part[PARTS];
	int i, k;

	memset(least, 0xff, sizeof(least));
	for (i = 0; i < ROUNDS; i++) {
		beget(part);
		for (k = 0; k < PARTS; k++)
			least[k] = part[k] < least[k] ? part[k] : least[k];
	}
	return least[BIRTH] + least[END] + least[REAPED];
}

/* Both threads of a switch are of a tree. */
static void pfm_tree(const struct events *e, pid_t other, int n, int64_t *got)
{
	int fd = pfm_open_as(e, PFM_FL_TREE, getpid(), n, 0, 0);
	uint64_t with;

	pfm_run(fd, PFM_START);
	got[FORK] = births();
	with = switches();
	close(fd);
	/* What they keep of the tree goes with the next context. */
	close(pfm_open(e, getpid(), n, 0, 0));
	close(pfm_open(e, other, n, 0, 0));
	close(pfm_open(e, sleeps, n, 0, 0));
	sleep(2);
	got[SWITCH_TREE] = with - switches();
	got[FORK] -= births();
}

/*
 * The same of perf_events. Its way to monitor two threads by equal events is that a child
 * inherits them.
 */
static void perf_added(const struct events *e, int n, int64_t *got)
{
	int64_t with;
	int fd;

	got[SWITCH_BOTH] = -switches_to_child();
	got[FORK] = -births();
	fd = perf_open_as(e, PERF_INHERIT, getpid(), n, 0);
	perf_run(fd, PERF_EVENT_IOC_ENABLE);
	got[SWITCH_BOTH] += switches_to_child();
	got[SWITCH_TREE] = got[SWITCH_BOTH];
	got[FORK] += births();
	perf_close(n);
	sleep(2);

	fd = perf_open(e, getpid(), n, 0);
	perf_run(fd, PERF_EVENT_IOC_ENABLE);
	got[FAULT] = faults();
	perf_close(n);
	sleep(2);
	got[FAULT] -= faults();

	fd = perf_open(e, -1, n, 0);
	perf_run(fd, PERF_EVENT_IOC_ENABLE);
	got[FAULT_CPU] = faults();
	with = switches();
	perf_close(n);
	sleep(2);
	got[SWITCH_CPU] = with - switches();
	got[FAULT_CPU] -= faults();
}

static void *idle(void *arg)
{
	pause();
	return arg;
}

/* As of a process whose table of descriptors has two threads. */
#define WITH_A_THREAD(statement) do {					\
	pthread_t thread_;						\
									\
	must(!pthread_create(&thread_, NULL, idle, NULL), "pthread_create");	\
	statement;							\
	pthread_cancel(thread_);					\
	pthread_join(thread_, NULL);					\
} while (0)

/* A region of libperfmon, which reads the environment once: in a process of its own. */
static int64_t region(const struct events *e, int n)
{
	static const char *const names[2][2] = {
		{ "instructions", "instructions,cycles,branches,cycles:u" },
		{ "context-switches", "context-switches,migrations,minor-faults,task-clock" },
	};
	int64_t got = 0;
	pid_t pid;
	int p[2];

	must(!pipe(p), "pipe");
	pid = fork();
	must(pid >= 0, "fork");
	if (!pid) {
		setenv("PMON_EVENTS", names[e == &software][n > 1], 1);
		setenv("PMON_OUTPUT", "/dev/null", 1);
		if (!pmon_region_begin("first") && !pmon_region_end("first"))
			got = MEASURE((pmon_region_begin("again"), pmon_region_end("again")));
		must(write(p[1], &got, sizeof(got)) == sizeof(got), "write");
		_exit(0);
	}
	close(p[1]);
	must(read(p[0], &got, sizeof(got)) == sizeof(got), "read");
	close(p[0]);
	waitpid(pid, NULL, 0);
	return got;
}

static void pfm_measure(const struct events *e, pid_t other, int n, int64_t *got)
{
	pid_t self = getpid();
	uint64_t v[ROUNDS];
	pfm_msg_t msg;
	int fd, i, keep;

	if (only_switches)
		goto switches;
	/* Another context keeps the PMU: the first and the last one pay for that. */
	keep = pfm_open(e, other, n, 0, 0);
	got[SETUP] = MEASURE((fd = pfm_open(e, self, n, 0, 0), close(fd)));
	close(keep);

	fd = pfm_open(e, self, n, 0, 0);
	MEASURE_TURNS(pfm_run(fd, PFM_START), pfm_run(fd, PFM_STOP),
		      got[START], got[STOP]);
	got[START_STOP] = MEASURE((pfm_run(fd, PFM_START), pfm_run(fd, PFM_STOP)));
	got[CYCLE] = MEASURE((pfm_run(fd, PFM_START), pfm_run(fd, PFM_STOP),
			      pfm_read(e, fd, n)));
	got[READ_STOPPED] = MEASURE(pfm_read(e, fd, n));
	pfm_run(fd, PFM_START);
	got[READ] = MEASURE(pfm_read(e, fd, n));
	got[READ_ONE] = MEASURE(pfm_read(e, fd, 1));
	WITH_A_THREAD(got[READ_THREADS] = MEASURE(pfm_read(e, fd, n)));
	close(fd);
	got[REGION] = region(e, n);

switches:
	fd = pfm_open(e, other, n, 0, 0);
	pfm_run(fd, PFM_START);
	got[SWITCH] = added(fd);
	pfm_added(e, other, n, got);
	pfm_tree(e, other, n, got);

	if (e != &hardware || only_switches)
		return;
	fd = pfm_open(e, self, n, LOOP, PFM_REGFL_OVFL_NOTIFY);
	pfm_run(fd, PFM_START);
	for (i = 0; i < rounds; i++) {
		uint64_t t = executed();

		loop(LOOP);
		v[i] = executed() - t - bare_loop;
		must(read(fd, &msg, sizeof(msg)) == sizeof(msg), "read");
		pfm_run(fd, PFM_RESTART);
	}
	got[OVERFLOW] = median(v, rounds);
	close(fd);
}

static void perf_measure(const struct events *e, pid_t other, int n, int64_t *got)
{
	pid_t self = getpid();
	uint64_t v[ROUNDS], with;
	int fd, i;
	void *map;

	if (only_switches)
		goto switches;
	got[SETUP] = MEASURE((perf_open(e, self, n, 0), perf_close(n)));

	fd = perf_open(e, self, n, 0);
	MEASURE_TURNS(perf_run(fd, PERF_EVENT_IOC_ENABLE),
		      perf_run(fd, PERF_EVENT_IOC_DISABLE),
		      got[START], got[STOP]);
	got[START_STOP] = MEASURE((perf_run(fd, PERF_EVENT_IOC_ENABLE),
				   perf_run(fd, PERF_EVENT_IOC_DISABLE)));
	got[CYCLE] = MEASURE((perf_run(fd, PERF_EVENT_IOC_ENABLE),
			      perf_run(fd, PERF_EVENT_IOC_DISABLE),
			      perf_read(fd, n)));
	got[READ_STOPPED] = MEASURE(perf_read(fd, n));
	perf_run(fd, PERF_EVENT_IOC_ENABLE);
	got[READ] = MEASURE(perf_read(fd, n));
	/* What a program without a library would do. */
	got[REGION] = MEASURE((perf_read(fd, n), perf_read(fd, n)));
	WITH_A_THREAD(got[READ_THREADS] = MEASURE(perf_read(fd, n)));
	perf_close(n);
	fd = perf_open_as(e, PERF_ALONE, self, n, 0);
	perf_run(fd, PERF_EVENT_IOC_ENABLE);
	got[READ_ONE] = MEASURE(perf_read_alone(fd));
	perf_close(n);

switches:
	fd = perf_open(e, other, n, 0);
	perf_run(fd, PERF_EVENT_IOC_ENABLE);
	with = switches();
	perf_close(n);
	sleep(2);
	got[SWITCH] = (int64_t)(with - switches());
	perf_added(e, n, got);

	if (e != &hardware || only_switches)
		return;
	fd = perf_open(e, self, n, LOOP);
	map = mmap(NULL, 65 * sysconf(_SC_PAGESIZE), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	must(map != MAP_FAILED, "mmap");
	perf_run(fd, PERF_EVENT_IOC_ENABLE);
	for (i = 0; i < rounds; i++) {
		struct perf_event_mmap_page *page = map;
		uint64_t t = executed();

		loop(LOOP);
		v[i] = executed() - t - bare_loop;
		page->data_tail = page->data_head;
	}
	got[OVERFLOW] = median(v, rounds);
	munmap(map, 65 * sysconf(_SC_PAGESIZE));
	perf_close(n);
}

/*
 * The most of perf_events' instructions that the hardware's counters should cost, percent;
 * but where perf_events has next to none, or the row has a goal of its own.
 */
#define SHARE	20
#define NOTHING	50

static void print_share(int row)
{
	bool missed = false;
	int k;

	for (k = 0; k < 2; k++) {
		if (perf_got[k][row] < NOTHING) {
			printf(" %s   -", k ? "/ " : "  ");
			continue;
		}
		printf(" %s%3lld%%", k ? "/ " : "  ",
		       (long long)(100 * pfm_got[k][row] / perf_got[k][row]));
		missed |= 100 * pfm_got[k][row] > SHARE * perf_got[k][row];
	}
	fputs(missed && !rows[row].goal[0] ? " missed" : "       ", stdout);
}

static void print(const char *what, bool goals)
{
	int r, k;

	printf("%-36s %17s %17s", what, "perfmon 1 / 4", "perf_events 1 / 4");
	if (goals)
		printf("   share, goal %d%%   instructions, goal", SHARE);
	putchar('\n');
	for (r = 0; r < ROWS; r++) {
		if ((r == OVERFLOW && !goals) || (only_switches && (r < SWITCH || r > FAULT_CPU)))
			continue;
		printf("%-36s", rows[r].name);
		printf(" %8lld %8lld", (long long)pfm_got[0][r],
		       (long long)pfm_got[1][r]);
		printf(" %8lld %8lld", (long long)perf_got[0][r],
		       (long long)perf_got[1][r]);
		if (goals)
			print_share(r);
		for (k = 0; k < 2 && goals && rows[r].goal[k]; k++)
			printf(" %s%d%s", k ? "/ " : "   ", rows[r].goal[k],
			       pfm_got[k][r] > rows[r].goal[k] ? " missed" : "");
		putchar('\n');
	}
	putchar('\n');
}

static void measure(const struct events *e, pid_t other)
{
	int k;

	/* Each leaves its hooks on for a second, at the other one's cost. */
	for (k = 0; k < 2; k++) {
		sleep(2);
		pfm_measure(e, other, k ? 4 : 1, pfm_got[k]);
		sleep(2);
		perf_measure(e, other, k ? 4 : 1, perf_got[k]);
	}
}

/* What the end of one of many contexts costs, in a process with many threads. */

#define CLOSERS	64	/* threads */
#define FEW	1000
#define MANY	10000

static int few = FEW, many = MANY;

enum { PLAIN, SHARED, BLOCKING, MAPPED, INHERITED, KINDS };

static const char *const kinds[KINDS] = {
	"close of a context", "... that a child has, too", "... that blocks",
	"... that is mapped", "... that vfork() has inherited",
};

static int close_open(int kind)
{
	struct {
		pfarg_ctx_t ctx;
		pfm_default_smpl_arg_t arg;
	} req = {
		.ctx.ctx_flags = kind == BLOCKING ? PFM_FL_NOTIFY_BLOCK : 0,
		.arg.buf_size = sysconf(_SC_PAGESIZE),
	};

	if (kind >= MAPPED)
		memcpy(req.ctx.ctx_smpl_buf_id, (pfm_uuid_t)PFM_DEFAULT_SMPL_UUID,
		       sizeof(pfm_uuid_t));
	must(!pfm(-1, PFM_CREATE_CONTEXT, &req, 1),
	     "PFM_CREATE_CONTEXT");
	if (kind >= MAPPED)
		must(mmap(NULL, req.ctx.ctx_smpl_buf_size, PROT_READ, MAP_SHARED,
			  req.ctx.ctx_fd, 0) != MAP_FAILED, "mmap");
	return req.ctx.ctx_fd;
}

static uint64_t close_all(const int *fd, int n)
{
	uint64_t t = executed();
	int i;

	for (i = 0; i < n; i++)
		close(fd[i]);
	return executed() - t;
}

/* As whoever starts a program does: in the parent's memory. */
static __attribute__((noinline)) uint64_t close_in_child(const int *fd, int n)
{
	volatile uint64_t t = 0;
	pid_t pid = vfork();

	if (!pid) {
		t = close_all(fd, n);
		_exit(0);
	}
	must(pid > 0 && waitpid(pid, NULL, 0) == pid, "vfork");
	return t;
}

/* Instructions for each of n, in a process of its own; 0 if it failed. */
static uint64_t close_cost(int kind, int n)
{
	static int fd[MANY];
	pid_t pid, holder = 0;
	pthread_attr_t attr;
	uint64_t t = 0;
	pthread_t thread;
	int i, p[2];

	must(!pipe(p), "pipe");
	pid = fork();
	must(pid >= 0, "fork");
	if (!pid) {
		must(!setrlimit(RLIMIT_NOFILE, &(struct rlimit){
			MANY + 100, MANY + 100 }), "RLIMIT_NOFILE");
		pthread_attr_init(&attr);
		pthread_attr_setstacksize(&attr, 65536);
		for (i = 1; i < CLOSERS; i++)
			must(!pthread_create(&thread, &attr, idle, NULL),
			     "pthread_create");
		for (i = 0; i < n; i++)
			fd[i] = close_open(kind);
		if (kind == SHARED)
			holder = child(sleeper);
		t = (kind == INHERITED ? close_in_child : close_all)(fd, n) / n;
		must(write(p[1], &t, sizeof(t)) == sizeof(t), "write");
		if (holder)
			kill(holder, SIGKILL);
		_exit(0);
	}
	close(p[1]);
	if (read(p[0], &t, sizeof(t)) != sizeof(t))
		t = 0;
	close(p[0]);
	waitpid(pid, NULL, 0);
	return t;
}

/* By default 10,000 contexts do not fit into a guest of a gigabyte. */
static void raise_limit(void)
{
	FILE *f = fopen("/sys/kernel/perfmon/set_mem_max", "w");

	must(f && fprintf(f, "%u", 256U << 20) > 0 && !fclose(f), "set_mem_max");
}

static void closes(void)
{
	int k;

	raise_limit();
	printf("%-36s %8d %8d\n", "in a process with 64 threads", few, many);
	for (k = 0; k < KINDS; k++) {
		uint64_t of_few = close_cost(k, few), of_many = close_cost(k, many);

		printf("%-36s %8llu %8llu%s\n", kinds[k],
		       (unsigned long long)of_few, (unsigned long long)of_many,
		       !of_few || !of_many || of_many > of_few + of_few / 4 ? " missed" : "");
	}
	putchar('\n');
}

int main(int argc, char **argv)
{
	pid_t other;
	int64_t third;
	int fd;

	if (take_short(&argc, &argv)) {
		rounds = ROUNDS / 5;
		few = FEW / 5;
		many = MANY / 5;
	}
	only_switches = argc > 1 && !strcmp(argv[1], "switch");
	overhead = MEASURE((void)0);
	must(!sched_setscheduler(0, SCHED_BATCH, &(struct sched_param){ 0 }), "SCHED_BATCH");
	must(!pipe(ping) && !pipe(pong), "pipe");
	other = child(answer);
	sleeps = child(sleeper);
	usleep(10000);

	bare_loop = MEASURE(loop(LOOP)) + overhead;
	printf("instructions: getppid() %llu, a switch of threads by a pipe %llu\n\n",
	       (unsigned long long)MEASURE((void)syscall(SYS_getppid)),
	       (unsigned long long)switches());
	fd = pfm_open(&software, sleeps, 4, 0, 0);
	pfm_run(fd, PFM_START);
	third = added(fd);

	measure(&software, other);
	print("software's counters", false);
	printf("%-36s %8lld\n\n", "... if a third thread is monitored",
	       (long long)third);
	if (!only_switches)
		closes();
	if (have_hardware()) {
		measure(&hardware, other);
		print("the hardware's counters", true);
	} else {
		puts("No PMU of " MODELS ": make bench-cost without CPU= has one.");
	}

	kill(sleeps, SIGKILL);
	kill(other, SIGKILL);
	while (wait(NULL) > 0)
		;
	return 0;
}
