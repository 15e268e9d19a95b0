// SPDX-License-Identifier: GPL-2.0-only
/*
 * Stacks of programs without frame pointers. A child of this program is executed instruction
 * by instruction: wherever it is, its calls are those that its functions say.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
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
	char path[32];
	ssize_t n;
	int fd;

	if (!m)
		return false;
	snprintf(path, sizeof(path), "/proc/%d/mem", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = pread(fd, stack, sizeof(stack), (off_t)registers[m->sp]);
	close(fd);
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

static void end_child(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
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
	end_child(pid);
}

/* A child in aaa(), behind what it does to the stack. */
static pid_t child_in_aaa(struct pmon_user *user)
{
	pid_t pid = start_child();
	unsigned int n = 0;
	bool cut;

	while (get_user(pid, user) && n < 20) {
		n += unwind_it(user, &cut) && !strcmp(name_of(0), "aaa");
		if (!step(pid, signal_of(pid)))
			break;
	}
	return pid;
}

/* What there is of a stack makes the innermost calls of the whole one. */
static void test_short_stacks(const struct pmon_user *whole)
{
	unsigned int n = unwind_it(whole, &(bool){ false }), i, last = 0, grew = 0;
	struct pmon_user user = *whole;
	uint64_t all[UNWIND_MAX];
	bool cut;

	memcpy(all, chain, sizeof(all));
	for (user.stack_size = 0; user.stack_size <= whole->stack_size; user.stack_size += 8) {
		i = unwind_it(&user, &cut);
		CHECK(i >= last && i <= n && !memcmp(all, chain, i * sizeof(*all)));
		CHECK(cut == (i < n));
		grew += i > last;
		last = i;
	}
	CHECK(last == n && grew == n);
}

/* Numbers that are good places for calls and for stacks, and all others. */
static uint64_t random_word(const struct pmon_user *user)
{
	static uint64_t seed = 1;
	const uint64_t sp = registers[cfi_machine(user->machine)->sp];
	seed = seed * 6364136223846793005 + 1442695040888963407;
	switch (seed >> 60) {
	case 0:
		return seed;
	case 1 ... 6:
		return sp + (seed >> 33) % (2 * STACK) - STACK / 2;
	default:
		return (uintptr_t)aaa + (seed >> 40) % 512;
	}
}

/* Whatever a stack has: the walk ends, and reads nothing that is not there (sanitizers). */
static void test_hostile_stacks(const struct pmon_user *whole)
{
	const struct cfi_machine *m = cfi_machine(whole->machine);
	unsigned int try, i, n, longest = 0;
	uint64_t saved[CFI_REGS];
	struct pmon_user user = *whole;
	bool cut;

	memcpy(saved, registers, sizeof(saved));
	for (try = 0; try < 2000; try++) {
		for (i = 0; i < user.stack_size; i += 8)
			memcpy(stack + i, &(uint64_t){ random_word(whole) }, 8);
		for (i = 0; i < m->regs; i++)
			if (i != m->sp)
				registers[i] = random_word(whole);
		n = unwind_it(&user, &cut);
		if (n > longest)
			longest = n;
		CHECK(n >= 1 && n <= UNWIND_MAX);
	}
	CHECK(longest > 3);
	/* All of memory from the highest address down. */
	registers[m->sp] = UINT64_MAX - 7;
	CHECK(unwind_it(&user, &cut) >= 1);
	memcpy(registers, saved, sizeof(saved));
}

/* A machine that nobody knows, one of which registers are missing, and another one than the files'. */
static void test_other_machines(const struct pmon_user *whole)
{
	struct pmon_user user = *whole;
	bool cut;

	user.machine = EM_ARM;
	CHECK(!unwind_it(&user, &cut));
	user.machine = whole->machine;
	user.regs--;
	CHECK(!unwind_it(&user, &cut));
	user.machine = EM_PPC;
	user.regs = 34;
	registers[33] = registers[cfi_machine(whole->machine)->pc];
	CHECK(unwind_it(&user, &cut) == 1);
}

/* Code that a process has made has frame pointers, if anything. */
static void test_frame_pointers(void)
{
	static const uint64_t sp = 0x7000;
	const uint64_t words[] = {
		0, sp + 32, 0x10020, 0, sp + 48, 0x10030, sp + 64, 0x10040, sp + 40, 0x10050,
	};
	struct df_header header = { .kernel_base = 1ULL << 63 };
	struct df_process process = { .pid = 1, .time = 100 };
	struct data_process p = { &process, "made", "made" };
	struct df_map map = { .pid = 1, .time = 100, .start = 0x10000, .end = 0x11000 };
	struct data_map m = { &map, "[anonymous]" };
	struct pmon_user user = {
		.machine = EM_X86_64, .regs = 17, .reg = registers,
		.stack_size = sizeof(words), .stack = words,
	};
	struct space *other = space;
	bool cut;

	if (!symtab_has_elf)
		return;
	space = space_new(&header, NULL);
	space_add_process(space, &p);
	space_add_map(space, &m);
	space_complete(space);
	memset(registers, 0, sizeof(registers));
	registers[16] = 0x10010;
	registers[7] = sp;
	registers[6] = sp + 8;
	/* The last one points down. */
	CHECK(unwind_it(&user, &cut) == 5 && !cut);
	CHECK(chain[0] == 0x10010 && chain[1] == 0x10020 && chain[2] == 0x10030);
	CHECK(chain[3] == 0x10040 && chain[4] == 0x10050);
	registers[6] = sp - 8;
	CHECK(unwind_it(&user, &cut) == 1);
	registers[6] = sp + 8;
	user.stack_size = 56;
	CHECK(unwind_it(&user, &cut) == 3 && cut);
	space_free(space);
	space = other;
}

/* Of 32 bits, and the other byte order. */
static void test_frames(void)
{
	static union {
		struct cfi_frame frame;
		unsigned char bytes[4096];
	} u;
	static const unsigned char words[] = { 0, 0, 0, 0, 0x12, 0x34, 0x56, 0x78, 0, 0, 0, 1 };
	struct cfi_frame *f = &u.frame;
	const size_t size = sizeof(*f) + 5 * sizeof(f->op[0]);
	struct cfi_state state;
	unsigned int i;

	f->machine = EM_386;
	f->back = 8;
	f->ops = 5;
	f->cfa = (struct cfi_rule){ CFI_IS, 0, 1 };
	f->op[0] = (struct cfi_op){ CFI_PUSH_REG, 4, 8 };
	for (i = 0; i < CFI_REGS; i++)
		f->reg[i].kind = CFI_UNDEFINED;
	f->reg[4] = (struct cfi_rule){ CFI_IS, 1, 1 };
	f->op[1].kind = CFI_PUSH_CFA;
	f->reg[8] = (struct cfi_rule){ CFI_AT, 2, 3 };
	f->op[2].kind = CFI_PUSH_CFA;
	f->op[3] = (struct cfi_op){ CFI_PUSH, 0, (uint64_t)-4 };
	f->op[4].kind = CFI_ADD;
	CHECK(cfi_parse(f, size));
	CHECK(!cfi_parse(f, size - 1) && !cfi_parse(f, size + 16) && !cfi_parse(f, 1));

	state = (struct cfi_state){ .machine = EM_386, .known = 0x1ff, .stack_at = 0xffff0000,
				    .stack = words, .stack_size = sizeof(words) };
	state.reg[4] = 0xffff0000;
	CHECK(cfi_apply(f, &state) == CFI_CALLER);
	CHECK(state.reg[8] == 0x78563412 && state.reg[4] == 0xffff0008 && state.known == 0x110);
	/* Again: there are 4 bytes only. */
	CHECK(cfi_apply(f, &state) == CFI_END && state.cut);

	f->machine = EM_PPC;
	f->big = 1;
	f->is_signal = 1;
	f->op[0].reg = 1;
	f->back = 32;
	f->reg[1] = f->reg[4];
	f->reg[32] = f->reg[8];
	state = (struct cfi_state){ .machine = EM_PPC, .known = 2, .stack = words,
				    .stack_size = sizeof(words) };
	CHECK(cfi_apply(f, &state) == CFI_SIGNAL);
	CHECK(state.reg[33] == 0x12345678 && state.reg[32] == 0x12345678 && state.reg[1] == 8);
	/* Who has not stored where he returns to may have no frame; else that is no end. */
	f->op[0].n = 0;
	f->reg[32].kind = CFI_SAME;
	state.known |= 1ULL << 32;
	CHECK(cfi_apply(f, &state) == CFI_SIGNAL && state.reg[1] == 8);
	state.known &= ~(1ULL << 32);
	CHECK(cfi_apply(f, &state) == CFI_END);

	for (i = 0; i < 4; i++) {
		struct cfi_frame bad = *f;

		memcpy(&bad, f, sizeof(bad));
		*(uint16_t *[]){ &bad.back, &bad.ops, &bad.reg[3].first, &bad.cfa.kind }[i] = 600;
		memcpy(f, &bad, sizeof(bad));
		CHECK(!cfi_parse(f, size));
		*(uint16_t *[]){ &bad.back, &bad.ops, &bad.reg[3].first, &bad.cfa.kind }[i] =
			(uint16_t[]){ 32, 5, 0, CFI_IS }[i];
		memcpy(f, &bad, sizeof(bad));
		CHECK(cfi_parse(f, size));
	}
	f->op[4].kind = CFI_OP_KINDS;
	CHECK(!cfi_parse(f, size));
}

/* What an expression of these operations makes; @fails: nothing. */
static void expect_number(uint16_t machine, const struct cfi_op *op, unsigned int n, bool fails,
			  uint64_t want)
{
	static union {
		struct cfi_frame frame;
		unsigned char bytes[4096];
	} u;
	const struct cfi_machine *m = cfi_machine(machine);
	static const unsigned char words[16] = { 0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff };
	struct cfi_state state = { .machine = machine, .known = 0x1ff | 1U << 16,
				   .stack_at = 0x100, .stack = words, .stack_size = 16 };
	struct cfi_frame *f = &u.frame;

	memset(&u, 0, sizeof(u));
	f->machine = machine;
	f->back = (uint16_t)m->pc;
	f->ops = (uint16_t)(n + 1);
	f->cfa = f->reg[m->pc] = f->reg[m->sp] = (struct cfi_rule){ CFI_IS, 0, 1 };
	f->reg[0] = (struct cfi_rule){ CFI_IS, 1, (uint16_t)n };
	f->op[0] = (struct cfi_op){ CFI_PUSH, 0, 0x108 };
	memcpy(&f->op[1], op, n * sizeof(*op));
	CHECK(cfi_parse(f, sizeof(*f) + f->ops * sizeof(*op)));
	CHECK(cfi_apply(f, &state) == CFI_CALLER);
	CHECK((state.known & 1) == !fails);
	if (!fails)
		CHECK(state.reg[0] == want);
}

static void test_expressions(void)
{
	static const struct {
		enum cfi_op_kind kind;
		int64_t a, b, want;
	} two[] = {
		{ CFI_ADD, 5, -3, 2 }, { CFI_SUB, 5, 7, -2 }, { CFI_MUL, 5, -3, -15 },
		{ CFI_AND, 12, 10, 8 }, { CFI_OR, 12, 10, 14 }, { CFI_XOR, 12, 10, 6 },
		{ CFI_SHL, 3, 4, 48 }, { CFI_SHR, 48, 4, 3 }, { CFI_SHL, 3, 64, 0 },
		{ CFI_SHRA, -48, 4, -3 }, { CFI_SHRA, -1, 1000, -1 }, { CFI_EQ, 3, 3, 1 },
		{ CFI_NE, 3, 3, 0 }, { CFI_GE, -1, 0, 0 }, { CFI_GT, 1, -1, 1 },
		{ CFI_LE, -1, -1, 1 }, { CFI_LT, -1, 1, 1 }, { CFI_SWAP, 1, 2, 1 },
		{ CFI_DROP, 1, 2, 1 }, { CFI_NEG, 1, 2, -2 }, { CFI_NOT, 1, 2, -3 },
		{ CFI_ABS, 1, -2, 2 }, { CFI_PICK, 7, 8, 7 },
	};
	static const uint16_t machines[] = { EM_X86_64, EM_386 };
	struct cfi_op op[40] = { { 0 } };
	unsigned int i, k;

	for (k = 0; k < 2; k++) {
		const uint64_t mask = k ? UINT32_MAX : UINT64_MAX;

		for (i = 0; i < sizeof(two) / sizeof(two[0]); i++) {
			op[0] = (struct cfi_op){ CFI_PUSH, 0, (uint64_t)two[i].a };
			op[1] = (struct cfi_op){ CFI_PUSH, 0, (uint64_t)two[i].b };
			op[2] = (struct cfi_op){ two[i].kind, 0, two[i].kind == CFI_PICK };
			expect_number(machines[k], op, 3, false, (uint64_t)two[i].want & mask);
			/* With less on the stack than that needs. */
			if (two[i].kind != CFI_DROP)
				expect_number(machines[k], op + 2, 1, true, 0);
		}
		op[0] = (struct cfi_op){ CFI_PUSH, 0, 0x100 };
		op[1] = (struct cfi_op){ CFI_LOAD, 0, 2 };
		expect_number(machines[k], op, 2, false, 0xfffe);
		op[1].n = 9;
		expect_number(machines[k], op, 2, true, 0);
		op[1].n = 0;
		expect_number(machines[k], op, 2, true, 0);
		op[0].n = 0x110;
		op[1].n = 1;
		expect_number(machines[k], op, 2, true, 0);
		/* A register that has no value. */
		op[0] = (struct cfi_op){ CFI_PUSH_REG, 9, 0 };
		expect_number(machines[k], op, 1, true, 0);
		op[0] = (struct cfi_op){ CFI_PUSH, 0, 1 };
		op[1] = (struct cfi_op){ CFI_PUSH, 0, 2 };
		op[2] = (struct cfi_op){ CFI_PUSH, 0, 3 };
		op[3].kind = CFI_ROT;
		expect_number(machines[k], op, 4, false, 2);
		/* As many numbers as there is room for, and one more. */
		for (i = 0; i < 33; i++)
			op[i] = (struct cfi_op){ CFI_PUSH, 0, i };
		expect_number(machines[k], op, 32, false, 31);
		expect_number(machines[k], op, 33, true, 0);
	}
}

static unsigned int count_children(void)
{
	char path[64], word[16];
	unsigned int n = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/task/%d/children", (int)getpid());
	f = fopen(path, "re");
	while (f && fscanf(f, "%15s", word) == 1)
		n++;
	if (f)
		fclose(f);
	return n;
}

/* More files than there may be processes that read them: all of them answer, again and again. */
static void test_many_files(void)
{
	static struct symtab t[40];
	static struct cfi *cfi[40];
	struct cfi_state state;
	struct place place;
	unsigned int i, round;

	name_place((uintptr_t)aaa, &place);
	for (i = 0; i < 40; i++) {
		CHECK(!symtab_read_elf(&t[i], "/proc/self/exe"));
		cfi[i] = cfi_new(&t[i]);
		CHECK(cfi[i]);
	}
	for (round = 0; round < 3; round++) {
		for (i = 0; i < 40; i++) {
			state = (struct cfi_state){ .machine = EM_PPC };
			/* Of this file, but of another machine. */
			CHECK(cfi_step(cfi[i], place.addr + round, &state) == CFI_END);
			CHECK(cfi_step(cfi[i], round, &state) == CFI_NONE);
		}
	}
	CHECK(count_children() <= 34);
	for (i = 0; i < 40; i++) {
		cfi_free(cfi[i]);
		symtab_free(&t[i]);
	}
	CHECK(count_children() <= 2);
}

int main(void)
{
	struct pmon_user user;
	pid_t pid;

	make_space();
	if (symtab_has_elf) {
		test_every_instruction();
		pid = child_in_aaa(&user);
		test_short_stacks(&user);
		test_other_machines(&user);
		test_hostile_stacks(&user);
		end_child(pid);
		test_many_files();
	} else {
		SKIP("there is no libdw: no stack is unwound");
	}
	test_frame_pointers();
	test_frames();
	test_expressions();
	space_free(space);
	return check_done();
}
