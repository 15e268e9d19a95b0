// SPDX-License-Identifier: GPL-2.0-only
/*
 * Stacks of programs without frame pointers. A child of this program is executed instruction
 * by instruction: wherever it is, its calls are those that its functions say.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <inttypes.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "../cfi.h"
#include "../cfi_frame.h"
#include "../space.h"
#include "../unwind.h"

#define STACK		16384
#define STEPS_LEAST	1500	/* instructions that the child executes, at least */

static struct space *space;
static unsigned char stack[STACK];
static uint64_t registers[CFI_REGS];
static uint64_t chain[UNWIND_MAX];
static volatile int sink;

#define ALONE	__attribute__((noinline, noclone))

static ALONE void caught(int signal)
{
	sink += signal;
}

static ALONE int compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

/* No frame pointer, and a stack that grows while it runs. */
static ALONE int aaa(int n)
{
	int list[8] = { n, 3, 9, 1, n + 1, 2, 7, 4 };

	raise(SIGUSR1);
	qsort(list, 8, sizeof(list[0]), compare);
	sink += list[0];
	return list[n & 7] + sink;
}

/* With one, for the sake of what has an unknown size. */
static ALONE int mid(int n)
{
	char text[16 + n];

	snprintf(text, sizeof(text), "%d", n);
	return aaa(n) + text[0] + sink;
}

static ALONE int outer(int n)
{
	return mid(n + 1) + mid(n + 2) + sink;
}

static ALONE void child(void)
{
	signal(SIGUSR1, caught);
	ptrace(PTRACE_TRACEME, 0, NULL, NULL);
	raise(SIGSTOP);
	outer(3);
	_exit(sink == 0);
}

#if defined(__x86_64__) || defined(__i386__)
static uint16_t get_registers(pid_t pid)
{
	struct user_regs_struct r;

	if (ptrace(PTRACE_GETREGS, pid, NULL, &r))
		return 0;
#ifdef __x86_64__
	const uint64_t all[] = {
		r.rax, r.rdx, r.rcx, r.rbx, r.rsi, r.rdi, r.rbp, r.rsp, r.r8, r.r9, r.r10,
		r.r11, r.r12, r.r13, r.r14, r.r15, r.rip,
	};
	const uint16_t machine = EM_X86_64;
#else
	const uint64_t all[] = {
		(uint32_t)r.eax, (uint32_t)r.ecx, (uint32_t)r.edx, (uint32_t)r.ebx,
		(uint32_t)r.esp, (uint32_t)r.ebp, (uint32_t)r.esi, (uint32_t)r.edi,
		(uint32_t)r.eip,
	};
	const uint16_t machine = EM_386;
#endif
	memcpy(registers, all, sizeof(all));
	return machine;
}
#else
static uint16_t get_registers(pid_t pid)
{
	(void)pid;
	return 0;
}
#endif

/* The stack of a process that is stopped. */
static bool get_user(pid_t pid, struct pmon_user *user)
{
	uint16_t machine = get_registers(pid);
	const struct cfi_machine *m = cfi_machine(machine);
	struct iovec to = { stack, sizeof(stack) }, from = { .iov_len = sizeof(stack) };
	ssize_t n;

	if (!m)
		return false;
	from.iov_base = (void *)(uintptr_t)registers[m->sp];
	n = process_vm_readv(pid, &to, 1, &from, 1, 0);
	*user = (struct pmon_user){
		.machine = machine, .regs = (uint16_t)m->regs, .reg = registers,
		.stack_size = n > 0 ? (size_t)n & ~(size_t)7 : 0, .stack = stack,
	};
	return true;
}

static unsigned int unwind_it(const struct pmon_user *user, bool *cut)
{
	const struct pmon_sample sample = { .pid = 1, .time = 200, .count = 1 };

	*cut = false;
	return unwind(space, &sample, user, chain, cut);
}

static void name_place(uint64_t ip, struct place *place)
{
	struct pmon_sample sample = { .pid = 1, .time = 200, .count = 1, .ip = ip };

	space_find(space, &sample, place);
}

static const char *name_of(unsigned int i)
{
	struct place place;

	name_place(chain[i] - !!i, &place);
	return place.symbol;
}

/* "aaa;mid;outer;child;main": those of this program, the innermost first; and the last call. */
static const char *calls(unsigned int n)
{
	static const char *const known[] = {
		"caught", "compare", "aaa", "mid", "outer", "child", "main", "_start",
	};
	static char text[256];
	unsigned int i, k;

	*text = '\0';
	for (i = 0; i < n; i++)
		for (k = 0; k < sizeof(known) / sizeof(known[0]); k++)
			if (!strcmp(name_of(i), known[k]))
				snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s",
					 *text ? ";" : "", known[k]);
	return text;
}

/* As a recording has it that does not say which files they are: those of this program. */
static void make_space(void)
{
	struct df_header header = { .order = DF_ORDER, .kernel_base = 1ULL << 63 };
	struct df_process process = { .pid = 1, .time = 100 };
	struct data_process p = { &process, "unit", "unit" };
	FILE *f = fopen("/proc/self/maps", "re");
	struct df_map map = { .pid = 1, .time = 100 };
	struct data_map m = { &map, NULL };
	char line[4096], access[8];
	int path = 0;

	space = space_new(&header, NULL);
	space_add_process(space, &p);
	while (f && fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = '\0';
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %*s %*s %n", &map.start,
			   &map.end, access, &map.offset, &path) != 4 || !strchr(access, 'x'))
			continue;
		m.path = line + path;
		space_add_map(space, &m);
	}
	fclose(f);
	space_complete(space);
}

static pid_t start_child(void)
{
	pid_t pid = fork();
	int status;

	if (!pid)
		child();
	if (waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status))
		exit(2);
	return pid;
}

static bool step(pid_t pid, int signal)
{
	int status;

	return !ptrace(PTRACE_SINGLESTEP, pid, NULL, signal) &&
	       waitpid(pid, &status, 0) == pid && WIFSTOPPED(status);
}

/* The calls that can be where the innermost function of this program is the first of them. */
static bool is_true(const char *found)
{
	static const char *const ways[] = {
		"caught;aaa;mid;outer;child;main;_start",
		"compare;aaa;mid;outer;child;main;_start",
		"aaa;mid;outer;child;main;_start", "mid;outer;child;main;_start",
		"outer;child;main;_start", "child;main;_start",
	};
	size_t i;

	for (i = 0; i < sizeof(ways) / sizeof(ways[0]); i++)
		if (!strcmp(found, ways[i]))
			return true;
	return false;
}

static int signal_of(pid_t pid)
{
	siginfo_t info;

	return !ptrace(PTRACE_GETSIGINFO, pid, NULL, &info) && info.si_signo != SIGTRAP &&
	       info.si_signo != SIGSTOP ? info.si_signo : 0;
}

/* Wherever it is, also in libc, where a function begins or ends, and in a signal's handler. */
static void test_every_instruction(void)
{
	unsigned int n, steps = 0, wrong = 0, in[4] = { 0 };
	pid_t pid = start_child();
	struct pmon_user user;
	const char *found;
	bool cut;

	for (; get_user(pid, &user); steps++) {
		n = unwind_it(&user, &cut);
		found = calls(n);
		in[0] += !strncmp(found, "aaa;", 4) && !strcmp(name_of(0), "aaa");
		in[1] += !strncmp(found, "mid;", 4) && !strcmp(name_of(0), "mid");
		in[2] += !strncmp(found, "caught;", 7);
		in[3] += !strncmp(found, "compare;", 8);
		CHECK(is_true(found));
		CHECK(!cut);
		if (!is_true(found) && wrong++ < 5)
			printf("at %" PRIx64 " in %s: %s\n", chain[0], name_of(0), found);
		if (!step(pid, signal_of(pid)))
			break;
	}
	CHECK(steps > STEPS_LEAST);
	CHECK(in[0] > 20 && in[1] > 20 && in[2] > 2 && in[3] > 20);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

int main(void)
{
	make_space();
	test_every_instruction();
	space_free(space);
	return check_done();
}
