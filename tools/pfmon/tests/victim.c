// SPDX-License-Identifier: GPL-2.0-only
/*
 * Programs to be measured, with known behaviour:
 *
 *	touch P		touch P pages of fresh memory: P minor faults
 *	fork N P	N child processes, each touches P pages
 *	vfork N P	N times vfork() and exec() of "touch P"
 *	thread N P	N threads, each touches P pages
 *	brief N		N threads, one after the other, each for 40 ms
 *	serial N P	when it has read a byte, N threads, one after the other, each of
 *			a loop of two million instructions and P pages; print how many
 *			minor faults it has had since, and wait until input ends
 *	account CMD...	when it has read a byte, run CMD, and do the same: the faults of
 *			CMD and of all that it has waited for, too
 *	tracer		trace a child, which executes "touch 1", with its stops
 *	thread-child	a thread other than the first has a child process, which waits;
 *			print its number, and wait
 *	orphan [MS]	leave a process behind whose first thread has ended before
 *			the other one, which does "hot MS" and sleeps; print its number
 *	exec-thread P	a thread other than the first executes "touch P";
 *			"exec-thread P late" does when it has read a byte
 *	nap N		sleep N times for a millisecond, until switched out; print
 *			how often it was switched then, and in all
 *	hidden MS	a child process that tracers do not see uses so much CPU time
 *	signal N	send itself N signals and handle them
 *	spin MS		use so much CPU time
 *	hot MS		the same, in three functions: hot_60, hot_30 and hot_10
 *			use so many percent of it
 *	replace MS WHAT...	code of hot_60 for so much CPU time each, from a mapping
 *			that takes the place of the one before: of a copy of this
 *			program, or of "+" and that, mapped to be written and made
 *			executable; "-" has a copy without a file where its pages are
 *	made MS [fork]	code that it copies to memory, and calls made_here in
 *			/tmp/perf-PID.map, does the same; in a child process. Prints
 *			PID, whose file remains
 *	mappings N	N of this program's code, until input ends
 *	rounds N STEPS	N rounds of as many in each, all of the same instructions
 *	hot-fork N MS	N child processes, one after the other, do so
 *	pattern N	N times ten minor faults: six in fault_60, then three in
 *			fault_30, then one in fault_10, and no others
 *	scatter N	N times 256 minor faults at as many places
 *	freeze N MS	stop the parent process, do "hot MS" and "scatter N", and
 *			let it go on
 *	bpf		print "ready", then be in a program of BPF until input ends
 *	where		print "NAME BEGIN END" of all these functions
 *	wait		print "ready", then wait for signals
 *	catch		the same, and exit with 42 when SIGINT comes
 *	stop		print "ready" and stop itself, exit with 7 when continued
 *	hold N		N threads that wait, until input ends; one more for each
 *			byte of it. That of a "t" has minor faults all the time,
 *			that of an "e" waits for another byte and then executes
 *			"hold 0", by a link that gives it the name "exe"
 *
 * and ways to run others:
 *
 *	dfl CMD...	with SIGINT not ignored, as at a terminal
 *	ign CMD...	with SIGINT ignored
 *	tty CMD...	on a terminal of its own, which sends Ctrl-C when CMD has
 *			printed "ready"; exits with CMD's status, 99 if there are
 *			no terminals
 *	user CMD...	as an ordinary user
 *	insmod FILE	a module of the kernel, inserted
 */
#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <linux/bpf.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#define SKIPPED	99
#define NOBODY	65534

static char *self;

static size_t page;

/* Fresh pages, each of which is good for one minor fault. */
static volatile char *fresh(size_t pages)
{
	volatile char *mem;

	page = (size_t)sysconf(_SC_PAGESIZE);
	mem = mmap(NULL, pages * page, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (mem == MAP_FAILED)
		err(1, "mmap");
	/* Huge pages would take one fault for many; old kernels have none. */
	madvise((void *)mem, pages * page, MADV_NOHUGEPAGE);
	return mem;
}

/* Where pages are large, some of them time and again. */
__attribute__((noinline)) static void touch(long pages)
{
	long most = (256 << 20) / sysconf(_SC_PAGESIZE), i;
	volatile char *mem;

	if (!pages)
		return;
	if (most > pages)
		most = pages;
	mem = fresh((size_t)most);
	for (i = 0; i < pages; i++) {
		if (i && i % most == 0)
			madvise((void *)mem, (size_t)most * page, MADV_DONTNEED);
		mem[(size_t)(i % most) * page] = 1;
	}
}

static void *touch_thread(void *arg)
{
	touch((long)arg);
	return NULL;
}

static void do_fork(long n, long pages)
{
	while (n-- > 0) {
		pid_t pid = fork();

		if (pid < 0)
			err(1, "fork");
		if (!pid) {
			touch(pages);
			_exit(0);
		}
		waitpid(pid, NULL, 0);
	}
}

__attribute__((noinline)) static void vfork_touch(const char *pages)
{
	pid_t pid = vfork();

	if (!pid) {
		execl(self, self, "touch", pages, (char *)NULL);
		_exit(127);
	}
	waitpid(pid, NULL, 0);
}

static void do_vfork(long n, long pages)
{
	char text[24];

	snprintf(text, sizeof(text), "%ld", pages);
	while (n-- > 0)
		vfork_touch(text);
}

static void do_thread(long n, long pages)
{
	pthread_t thread;

	while (n-- > 0) {
		if (pthread_create(&thread, NULL, touch_thread, (void *)pages))
			errx(1, "pthread_create");
		pthread_join(thread, NULL);
	}
}

static void *relay_thread(void *arg)
{
	volatile long n = (long)arg;

	while (n-- > 0)
		;
	return NULL;
}

/* Threads one after the other, until the end of the input: each a fraction of a millisecond. */
static void do_relay(long n)
{
	pthread_t thread;
	char byte;

	fcntl(0, F_SETFL, O_NONBLOCK);
	while (read(0, &byte, 1)) {
		if (pthread_create(&thread, NULL, relay_thread, (void *)n))
			errx(1, "pthread_create");
		pthread_join(thread, NULL);
	}
}

static long minor_faults(int who)
{
	struct rusage usage;

	getrusage(who, &usage);
	return usage.ru_minflt;
}

static void read_byte(void)
{
	char byte;

	if (read(0, &byte, 1) != 1)
		err(1, "read");
}

/* What was since @before; there is nothing more to do then. */
static void print_faults(long before)
{
	printf("%ld\n", minor_faults(RUSAGE_SELF) + minor_faults(RUSAGE_CHILDREN) - before);
	fflush(stdout);
	while (getchar() != EOF)
		;
}

static void *serial_thread(void *pages)
{
#if defined(__x86_64__) || defined(__i386__)
	unsigned int turns = 1000000;

	__asm__ volatile("1: dec %0\n\tjnz 1b" : "+r"(turns) : : "cc");
#endif
	return touch_thread(pages);
}

static void do_serial(long n, long pages)
{
	long before = minor_faults(RUSAGE_SELF);
	pthread_t thread;

	read_byte();
	while (n-- > 0)
		if (pthread_create(&thread, NULL, serial_thread, (void *)pages) ||
		    pthread_join(thread, NULL))
			errx(1, "thread");
	print_faults(before);
}

static void do_account(char **command)
{
	long before = minor_faults(RUSAGE_SELF);
	int status;
	pid_t pid;

	read_byte();
	pid = fork();
	if (!pid) {
		execvp(command[0], command);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
		errx(1, "%s failed", command[0]);
	print_faults(before);
}

/* Stops are those of the tracer, whoever measures both. */
static void do_tracer(void)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		if (ptrace(PTRACE_TRACEME, 0, NULL, NULL))
			_exit(3);
		raise(SIGSTOP);
		execl(self, self, "touch", "1", (char *)NULL);
		_exit(4);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		err(1, "waitpid");
	if (!WIFSTOPPED(status) || WSTOPSIG(status) != SIGSTOP)
		errx(1, "the child may not be traced: %#x", status);
	ptrace(PTRACE_CONT, pid, NULL, NULL);
	if (waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status) || WSTOPSIG(status) != SIGTRAP)
		errx(1, "the child's exec() did not stop: %#x", status);
	ptrace(PTRACE_CONT, pid, NULL, NULL);
	if (waitpid(pid, &status, 0) != pid || status)
		errx(1, "the child ended with %#x", status);
}

static bool exec_late;

static void *exec_thread(void *pages)
{
	char byte;

	if (exec_late && read(0, &byte, 1) != 1)
		err(1, "read");
	execl(self, self, "touch", (char *)pages, (char *)NULL);
	err(1, "exec");
}

static void do_exec_thread(char *pages)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, exec_thread, pages))
		errx(1, "pthread_create");
	for (;;)
		pause();
}

/* @sleeps: only those of its own accord. */
static long switches(int sleeps)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_nvcsw + (sleeps ? 0 : usage.ru_nivcsw);
}

/* A millisecond may be over before it has gone to sleep. */
static void do_nap(long n)
{
	const struct timespec ms = { 0, 1000000 };
	long before = switches(0), last;

	while (n-- > 0) {
		last = switches(1);
		do
			nanosleep(&ms, NULL);
		while (switches(1) == last);
	}
	printf("%ld %ld\n", switches(0) - before, switches(0));
}

static void nothing(int sig)
{
	(void)sig;
}

static void do_signal(long n)
{
	signal(SIGUSR1, nothing);
	while (n-- > 0)
		raise(SIGUSR1);
}

static long cpu_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

/* A filter of packets that adds, and is given none but by us: again and again. */
static void do_bpf(void)
{
	static struct bpf_insn code[4000];
	static const size_t n = sizeof(code) / sizeof(code[0]);
	union bpf_attr load = {
		.prog_type = BPF_PROG_TYPE_SOCKET_FILTER, .insns = (uintptr_t)code, .insn_cnt = n,
		.license = (uintptr_t)"GPL", .prog_name = "victim",
	};
	union bpf_attr run = { .test = { .repeat = 1000 } };
	char packet[64] = "", byte;
	size_t i;

	code[0] = (struct bpf_insn){ .code = BPF_ALU64 | BPF_MOV | BPF_K };
	for (i = 1; i < n; i++)
		code[i] = (struct bpf_insn){ .code = BPF_ALU64 | BPF_ADD | BPF_K, .imm = 1 };
	code[n - 1] = (struct bpf_insn){ .code = BPF_JMP | BPF_EXIT };
	run.test.prog_fd = (unsigned int)syscall(SYS_bpf, BPF_PROG_LOAD, &load, sizeof(load));
	if ((int)run.test.prog_fd < 0)
		exit(SKIPPED);
	run.test.data_in = (uintptr_t)packet;
	run.test.data_size_in = sizeof(packet);
	fcntl(0, F_SETFL, O_NONBLOCK);
	puts("ready");
	fflush(stdout);
	while (read(0, &byte, 1))
		if (syscall(SYS_bpf, BPF_PROG_TEST_RUN, &run, sizeof(run)))
			err(1, "BPF_PROG_TEST_RUN");
}

/* From now on: it has used some time before it was executed. */
static void do_spin(long ms)
{
	long end = cpu_ms() + ms;

	while (cpu_ms() < end)
		;
}

static void do_hidden(long ms)
{
	pid_t pid = (pid_t)syscall(SYS_clone, CLONE_UNTRACED | SIGCHLD, 0, 0, 0, 0);

	if (pid < 0)
		err(1, "clone");
	if (!pid) {
		do_spin(ms);
		_exit(0);
	}
	if (waitpid(pid, NULL, 0) != pid)
		err(1, "waitpid");
}

/* Else a function that calls no other has no frame, and its caller is missed. */
#define HAVE_FRAME	__asm__ volatile("" : : "r"(__builtin_frame_address(0)))

/* A function in a section of its own: the linker says where that ends. */
#define PLACED(name)							\
	extern char __start_in_##name[], __stop_in_##name[];			\
	__attribute__((noinline, noclone, section("in_" #name)))			\
	static void name

/* The steps are the same in all, so the work is what their number says. */
#define HOT(name)							\
	PLACED(name)(long steps)					\
	{								\
		HAVE_FRAME;						\
		while (steps-- > 0)					\
			__asm__ volatile("" : : : "memory");		\
	}

HOT(hot_60)
HOT(hot_30)
HOT(hot_10)

/*
 * One percent of a round is some microseconds: no function is cut to pieces.
 * Rounds are of different lengths, or they could keep step with the samples.
 * The compiler is not to know how many steps: it would make other functions.
 */
__attribute__((noinline)) static void do_hot(long ms)
{
	unsigned int random = 1;
	volatile long step;
	long end = cpu_ms() + ms;

	do {
		random = random * 1664525 + 1013904223;
		step = 2000 + (random >> 16) % 6000;
		hot_60(60 * step);
		hot_30(30 * step);
		hot_10(10 * step);
	} while (cpu_ms() < end);
}

__attribute__((noinline)) static void do_rounds(long n, long steps)
{
	volatile long step = steps / 100;

	while (n-- > 0) {
		hot_60(60 * step);
		hot_30(30 * step);
		hot_10(10 * step);
	}
}

/* The function whose code begins there. On some machines a pointer is to more than that. */
static void run_at(char *code, long ms)
{
	struct { char *code; void *toc, *environment; } function = { code, NULL, NULL };
	void *pointer = code;
	void (*hot)(long steps);
	long end = cpu_ms() + ms;

#if defined(__powerpc64__) && (!defined(_CALL_ELF) || _CALL_ELF == 1)
	pointer = &function;
#endif
	(void)function;
	memcpy(&hot, &pointer, sizeof(hot));
	do
		hot(100000);
	while (cpu_ms() < end);
}

/* Where in this program's file that is. */
static size_t file_offset(const char *code)
{
	unsigned long start, end, offset;
	char line[4352];
	FILE *f = fopen("/proc/self/maps", "r");

	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%lx-%lx %*s %lx", &start, &end, &offset) == 3 &&
		    start <= (unsigned long)code && (unsigned long)code < end) {
			fclose(f);
			return (unsigned long)code - start + offset;
		}
	}
	errx(1, "there is no line for %p", (const void *)code);
}

/* A file in the place of @at, of which @size becomes the size. */
static char *map_code(const char *path, char *at, size_t *size)
{
	int late = *path == '+', flags = MAP_PRIVATE | (at ? MAP_FIXED : 0);
	int access = late ? PROT_READ | PROT_WRITE : PROT_READ | PROT_EXEC;
	int fd = open(path + late, O_RDONLY | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		err(1, "%s", path);
	if (at)
		munmap(at, *size);
	*size = (size_t)st.st_size;
	at = mmap(at, *size, access, flags, fd, 0);
	if (at == MAP_FAILED || (late && mprotect(at, *size, PROT_READ | PROT_EXEC)))
		err(1, "%s", path);
	close(fd);
	return at;
}

/* A copy of the pages from @from to @to in their own place, as for large pages. */
static void copy_in_place(char *from, char *to)
{
	size_t size = (size_t)(to - from);
	char *copy = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (copy == MAP_FAILED)
		err(1, "mmap");
	memcpy(copy, from, size);
	__builtin___clear_cache(copy, copy + size);
	if (mprotect(copy, size, PROT_READ | PROT_EXEC) ||
	    mremap(copy, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, from) != from)
		err(1, "mremap");
}

static void do_replace(long ms, char **what)
{
	size_t offset = file_offset(__start_in_hot_60), size = 0, from, to;
	size_t mask = (size_t)sysconf(_SC_PAGESIZE) - 1;
	char *map = NULL;

	from = offset & ~mask;
	to = (offset + (size_t)(__stop_in_hot_60 - __start_in_hot_60) + mask) & ~mask;
	for (; *what; what++) {
		if (strcmp(*what, "-")) {
			map = map_code(*what, map, &size);
		} else {
			/* What was the file's on either side is to remain. */
			if (!from || to >= (size & ~mask))
				exit(SKIPPED);
			copy_in_place(map + from, map + to);
		}
		run_at(map + offset, ms);
	}
	munmap(map, size);
}

static void do_made(long ms, int in_child)
{
	size_t size = (size_t)(__stop_in_hot_60 - __start_in_hot_60);
	char *code = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char path[48];
	FILE *f;

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	f = fopen(path, "w");
	if (code == MAP_FAILED || !f)
		err(1, "%s", path);
	fprintf(f, "%lx %zx made_here\n", (unsigned long)code, size);
	fclose(f);
	memcpy(code, __start_in_hot_60, size);
	__builtin___clear_cache(code, code + size);
	if (mprotect(code, size, PROT_READ | PROT_EXEC))
		err(1, "mprotect");
	if (in_child && fork()) {
		wait(NULL);
	} else {
		run_at(code, ms);
		if (in_child)
			return;
	}
	printf("%d\n", (int)getpid());
}

static void do_mappings(long n)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	char byte;
	long i;

	/* Two beside each other are one, unless they differ. */
	for (i = 0; i < 2 * n; i++)
		if (mmap(NULL, 1, i % 2 ? PROT_READ | PROT_EXEC : PROT_READ, MAP_PRIVATE, fd,
			 0) == MAP_FAILED)
			err(1, "mmap");
	if (write(1, "ready\n", 6) != 6)
		_exit(1);
	while (read(0, &byte, 1) == 1)
		;
}

static void do_hot_fork(long n, long ms)
{
	while (n-- > 0) {
		pid_t pid = fork();

		if (pid < 0)
			err(1, "fork");
		if (!pid) {
			do_hot(ms);
			_exit(0);
		}
		waitpid(pid, NULL, 0);
	}
}

#define FAULT(name)							\
	PLACED(name)(volatile char *mem, size_t from, size_t to)	\
	{								\
		HAVE_FRAME;						\
		for (; from < to; from++)				\
			mem[from * page] = 1;				\
	}

FAULT(fault_60)
FAULT(fault_30)
FAULT(fault_10)

__attribute__((noinline)) static void do_pattern(long n)
{
	volatile char *mem = fresh(10);

	while (n-- > 0) {
		fault_60(mem, 0, 6);
		fault_30(mem, 6, 9);
		fault_10(mem, 9, 10);
		madvise((void *)mem, 10 * page, MADV_DONTNEED);
	}
}

#define STORE	mem[i++ * page] = 1;
#define STORE4	STORE STORE STORE STORE
#define STORE16	STORE4 STORE4 STORE4 STORE4
#define STORE64	STORE16 STORE16 STORE16 STORE16

static void do_scatter(long n)
{
	volatile char *mem = fresh(256);
	size_t i;

	while (n-- > 0) {
		i = 0;
		STORE64 STORE64 STORE64 STORE64
		madvise((void *)mem, 256 * page, MADV_DONTNEED);
	}
}

/* A tracer's stop is not awaited by its tracee: look until it is there. */
static void stop_parent(void)
{
	char path[32], line[512], *state;
	FILE *f;

	if (kill(getppid(), SIGSTOP))
		err(1, "kill");
	snprintf(path, sizeof(path), "/proc/%d/stat", (int)getppid());
	for (state = NULL; !state || state[2] != 'T';) {
		f = fopen(path, "r");
		if (!f || !fgets(line, sizeof(line), f))
			err(1, "%s", path);
		fclose(f);
		state = strrchr(line, ')');
	}
}

static void do_freeze(long n, long ms)
{
	stop_parent();
	if (ms)
		do_hot(ms);
	do_scatter(n);
	kill(getppid(), SIGCONT);
}

static void print_where(const char *name, const char *begin, const char *end)
{
	printf("%s %p %p\n", name, (const void *)begin, (const void *)end);
}

#define WHERE(name)	print_where(#name, __start_in_##name, __stop_in_##name)

static void do_where(void)
{
	WHERE(hot_60);
	WHERE(hot_30);
	WHERE(hot_10);
	WHERE(fault_60);
	WHERE(fault_30);
	WHERE(fault_10);
}

static void on_int(int sig)
{
	(void)sig;
	_exit(42);
}

static void *brief_thread(void *unused)
{
	(void)unused;
	usleep(40000);
	return NULL;
}

static void do_brief(long n)
{
	pthread_t thread;

	while (n-- > 0)
		if (pthread_create(&thread, NULL, brief_thread, NULL) ||
		    pthread_join(thread, NULL))
			errx(1, "thread");
}

static void *orphan_thread(void *ms)
{
	if (ms)
		do_hot((long)ms);
	sleep(1000);
	return NULL;
}

/* The state of a process, as /proc has it. */
static char state_of(pid_t pid)
{
	char path[32], state = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	f = fopen(path, "r");
	if (f && fscanf(f, "%*d (%*[^)]) %c", &state) != 1)
		state = 0;
	if (f)
		fclose(f);
	return state;
}

static void do_orphan(long ms)
{
	pthread_t thread;
	pid_t pid = fork();

	if (pid < 0)
		err(1, "fork");
	if (!pid) {
		/* Nobody waits for it to close these. */
		close(1);
		close(2);
		if (pthread_create(&thread, NULL, orphan_thread, (void *)ms))
			_exit(1);
		pthread_exit(NULL);
	}
	while (state_of(pid) != 'Z')
		usleep(1000);
	printf("%d\n", (int)pid);
}

static void *parent_thread(void *unused)
{
	pid_t pid = fork();

	if (!pid)
		for (;;)
			pause();
	printf("%d\n", (int)pid);
	fflush(stdout);
	for (;;)
		pause();
	return unused;
}

static void do_thread_child(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, parent_thread, NULL) || pthread_join(thread, NULL))
		errx(1, "thread");
}

static void do_wait(void)
{
	if (write(1, "ready\n", 6) != 6)
		_exit(1);
	for (;;)
		pause();
}

static void *hold_thread(void *arg)
{
	for (;;)
		pause();
	return arg;
}

static void *hold_exec(void *arg)
{
	char byte;

	if (read(0, &byte, 1) == 1)
		execl("/proc/self/exe", self, "hold", "0", (char *)NULL);
	_exit(1);
	return arg;
}

/* The thread that a byte asks for. */
static void hold_more(char byte)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, byte == 't' ? touch_thread :
			   byte == 'e' ? hold_exec : hold_thread, (void *)LONG_MAX))
		errx(1, "pthread_create");
	while (byte == 'e')
		pause();
}

static void do_hold(long n)
{
	pthread_t thread;
	char byte;

	while (n-- > 0)
		if (pthread_create(&thread, NULL, hold_thread, NULL))
			errx(1, "pthread_create");
	if (write(1, "ready\n", 6) != 6)
		_exit(1);
	while (read(0, &byte, 1) == 1)
		hold_more(byte);
}

static void run(char **argv)
{
	execvp(argv[0], argv);
	err(127, "%s", argv[0]);
}

static void on_terminal(int master, char **argv)
{
	struct termios t;
	int slave;

	setsid();
	slave = open(ptsname(master), O_RDWR);
	if (slave < 0 || ioctl(slave, TIOCSCTTY, 0) || tcgetattr(slave, &t))
		_exit(SKIPPED);
	/* What is printed while Ctrl-C is on its way is not to be thrown away. */
	t.c_lflag |= NOFLSH;
	tcsetattr(slave, TCSANOW, &t);
	dup2(slave, 0);
	dup2(slave, 1);
	dup2(slave, 2);
	close(slave);
	close(master);
	signal(SIGINT, SIG_DFL);
	run(argv);
}

static int do_tty(char **argv)
{
	char buf[4096], all[65536];
	size_t len = 0;
	int master, status, sent = 0;
	ssize_t n;
	pid_t pid;

	master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (master < 0 || grantpt(master) || unlockpt(master))
		return SKIPPED;
	pid = fork();
	if (!pid)
		on_terminal(master, argv);
	while ((n = read(master, buf, sizeof(buf))) > 0) {
		fwrite(buf, 1, (size_t)n, stdout);
		if (len + (size_t)n < sizeof(all)) {
			memcpy(all + len, buf, (size_t)n);
			len += (size_t)n;
			all[len] = '\0';
		}
		if (!sent && strstr(all, "ready")) {
			sent = 1;
			if (write(master, "\003", 1) != 1)
				warn("terminal");
		}
	}
	fflush(stdout);
	waitpid(pid, &status, 0);
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static void as_user(char **argv)
{
	if (setgroups(0, NULL) || setgid(NOBODY) || setuid(NOBODY))
		err(SKIPPED, "setuid");
	run(argv);
}

static int do_insmod(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || syscall(SYS_finit_module, fd, "", 0))
		err(1, "%s", path);
	return 0;
}

static int run_other(const char *how, char **argv)
{
	if (!strcmp(how, "tty"))
		return do_tty(argv);
	if (!strcmp(how, "user"))
		as_user(argv);
	if (!strcmp(how, "dfl"))
		signal(SIGINT, SIG_DFL);
	else if (!strcmp(how, "ign"))
		signal(SIGINT, SIG_IGN);
	else
		errx(2, "what is %s?", how);
	run(argv);
	return 1;
}

static int run_simple(const char *what, long n, long m)
{
	if (!strcmp(what, "touch"))
		touch(n);
	else if (!strcmp(what, "fork"))
		do_fork(n, m);
	else if (!strcmp(what, "vfork"))
		do_vfork(n, m);
	else if (!strcmp(what, "thread"))
		do_thread(n, m);
	else if (!strcmp(what, "brief"))
		do_brief(n);
	else if (!strcmp(what, "orphan"))
		do_orphan(n);
	else if (!strcmp(what, "serial"))
		do_serial(n, m);
	else if (!strcmp(what, "tracer"))
		do_tracer();
	else if (!strcmp(what, "thread-child"))
		do_thread_child();
	else if (!strcmp(what, "nap"))
		do_nap(n);
	else if (!strcmp(what, "signal"))
		do_signal(n);
	else if (!strcmp(what, "spin"))
		do_spin(n);
	else if (!strcmp(what, "hidden"))
		do_hidden(n);
	else if (!strcmp(what, "hot"))
		do_hot(n);
	else if (!strcmp(what, "rounds"))
		do_rounds(n, m);
	else if (!strcmp(what, "hot-fork"))
		do_hot_fork(n, m);
	else if (!strcmp(what, "mappings"))
		do_mappings(n);
	else if (!strcmp(what, "pattern"))
		do_pattern(n);
	else if (!strcmp(what, "scatter"))
		do_scatter(n);
	else if (!strcmp(what, "freeze"))
		do_freeze(n, m);
	else if (!strcmp(what, "where"))
		do_where();
	else if (!strcmp(what, "wait"))
		do_wait();
	else if (!strcmp(what, "relay"))
		do_relay(n);
	else if (!strcmp(what, "bpf"))
		do_bpf();
	else if (!strcmp(what, "hold"))
		do_hold(n);
	else
		return -1;
	return 0;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	long n = argc > 2 ? atol(argv[2]) : 0, m = argc > 3 ? atol(argv[3]) : 0;

	self = argv[0];
	if (run_simple(what, n, m) == 0)
		return 0;
	if (!strcmp(what, "catch")) {
		signal(SIGINT, on_int);
		do_wait();
	}
	if (!strcmp(what, "stop")) {
		if (write(1, "ready\n", 6) != 6)
			return 1;
		raise(SIGSTOP);
		return 7;
	}
	if (argc < 3)
		errx(2, "usage: see the source");
	if (!strcmp(what, "account")) {
		do_account(argv + 2);
		return 0;
	}
	if (!strcmp(what, "replace")) {
		do_replace(n, argv + 3);
		return 0;
	}
	if (!strcmp(what, "made")) {
		do_made(n, argc > 3);
		return 0;
	}
	exec_late = argc > 3 && !strcmp(argv[3], "late");
	if (!strcmp(what, "exec-thread"))
		do_exec_thread(argv[2]);
	if (!strcmp(what, "insmod"))
		return do_insmod(argv[2]);
	return run_other(what, argv + 2);
}
