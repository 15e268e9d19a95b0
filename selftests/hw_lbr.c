// SPDX-License-Identifier: GPL-2.0-only
/*
 * The last branches (Intel, Nehalem to Haswell): data registers that do not count. They
 * are what the processor has recorded, filtered as LBR_SELECT says; they are of one
 * thread, and of no other; a sample has them as they were at the overflow; kernel
 * addresses are for those who may see them; and nothing is left when the PMU is given back.
 *
 * Not here: which processors have them (KUnit, arch/i386/perfmon/tests/lbr_test.c), and
 * whether the bench's are right (bench/tests/intel.c).
 */
#include "hw_bench.h"
#include "sampling.h"
#include "bench/lbr-select.h"

#include <sys/ptrace.h>

#define PAIRS		16
#define PMC_SELECT	36
#define PMD_FROM(n)	(32 + 2 * (n))
#define PMD_TO(n)	(33 + 2 * (n))
#define PMD_TOS		64

#define MSR_SELECT	0x1c8
#define MSR_DEBUGCTL	0x1d9
#define MSR_FROM(n)	(0x680 + (n))
#define MSR_TO(n)	(0x6c0 + (n))
#define DEBUGCTL_LBR	0x1ULL
#define DEBUGCTL_FREEZE	0x800ULL
#define DEBUGCTL_SMM	0x4000ULL	/* not ours, and harmless */

#define USER_ONLY	(NOT_KERNEL | FAR)
/* At user level, one kind alone. */
#define ONLY(kind)	(NOT_KERNEL | (KINDS & ~(kind)))

#if defined(__x86_64__) || defined(__i386__)

static bool has_lbr(void)
{
	pfarg_pmcinfo_t info = { .reg_num = PMC_SELECT };

	return !pfm(-1, PFM_GETINFO_PMCS, &info, 1) &&
	       info.reg_type == PFM_REG_TYPE_MSR && info.reg_index == MSR_SELECT;
}

#define NEED_LBR()							\
	do {								\
		if (!has_lbr())						\
			SKIP(return, "%s: no last branches", _metadata->name); \
	} while (0)

/* ------------------------------------------------------------------------
 * Code whose branches are known: one of each kind, and one that is not taken
 */

#ifdef __x86_64__
#define AX	"%rax"
#define CLOBBERED "rax", "rcx", "memory", "cc"
#define ADDRESS(label) "lea " label "(%rip), %rax\n"
#define SYSCALL	"syscall"
#else
#define AX	"%eax"
#define CLOBBERED "eax", "ecx", "memory", "cc"
#define ADDRESS(label) "mov $" label ", %eax\n"
#define SYSCALL	"int $0x80"
#endif

__asm__(".text\n"
"branches:	xor %eax, %eax\n"
"from_jcc:	je to_jcc\n"
"	nop\n"
"to_jcc:	jne branches\n"
"from_jmp:	jmp to_jmp\n"
"	nop\n"
"to_jmp:\n"	ADDRESS("to_ind")
"from_ind:	jmp *" AX "\n"
"	nop\n"
"to_ind:\n"
"from_call:	call to_call\n"
"ret_1:\n"	ADDRESS("to_call")
"from_icall:	call *" AX "\n"
"ret_2:	mov %cs, %eax\n"
"	push " AX "\n"
	ADDRESS("to_far")
"	push " AX "\n"
#ifdef __x86_64__
"from_far:	lretq\n"
#else
"from_far:	lret\n"
#endif
"	nop\n"
"to_far:	mov $2, %ecx\n"
"to_loop:	nop\n"
"from_loop:	loop to_loop\n"
"from_ret:	ret\n"
"to_call:	nop\n"
"from_cret:	ret\n"
"branches_end:\n"
/* What another thread does: indirect calls. */
"others:	mov $40, %ecx\n"
"1:\n"		ADDRESS("others_end")
"from_other:	call *" AX "\n"
"	dec %ecx\n"
"	jnz 1b\n"
"	ret\n"
"others_end:	ret\n");

void branches(void);
void others(void);
extern char from_jcc[], to_jcc[], from_jmp[], to_jmp[], from_ind[], to_ind[], from_call[],
	to_call[], ret_1[], from_icall[], ret_2[], from_far[], to_far[], from_loop[],
	to_loop[], from_cret[], from_ret[], branches_end[], from_other[];

static const struct branch {
	u32 kind;
	char *from, *to;
} taken[] = {
	{ JCC, from_jcc, to_jcc }, { JMP, from_jmp, to_jmp },
	{ IND_JMP, from_ind, to_ind }, { CALL, from_call, to_call },
	{ RET, from_cret, ret_1 }, { IND_CALL, from_icall, to_call },
	{ RET, from_cret, ret_2 }, { FAR, from_far, to_far },
	{ JCC, from_loop, to_loop }, { RET, from_ret, NULL },
};
#define N_TAKEN	(sizeof(taken) / sizeof(taken[0]))

/* Registers that a call of branches() or others() may change. */
static inline void do_branches(void)
{
	__asm__ volatile("call branches" : : : CLOBBERED);
}

static inline void do_others(void)
{
	__asm__ volatile("call others" : : : CLOBBERED);
}

/* A command without an argument, and without a branch but its own. */
static inline void bare(int fd, int cmd)
{
	long ret;

#ifdef __x86_64__
	register long r10 __asm__("r10") = 0;

	__asm__ volatile(SYSCALL : "=a"(ret)
			 : "a"((long)__NR_perfmonctl), "D"((long)fd), "S"((long)cmd), "d"(0L),
			   "r"(r10)
			 : "rcx", "r11", "memory");
#else
	__asm__ volatile(SYSCALL : "=a"(ret)
			 : "a"(__NR_perfmonctl), "b"(fd), "c"(cmd), "d"(0), "S"(0)
			 : "memory");
#endif
	MUST(ret);
}

/* ------------------------------------------------------------------------
 * The ring
 */

struct ring {
	u64 from[PAIRS], to[PAIRS], tos;
};

/* The newest entry is number 0. */
static u64 ring_from(const struct ring *r, unsigned int n)
{
	return r->from[(r->tos - n) % PAIRS];
}

static u64 ring_to(const struct ring *r, unsigned int n)
{
	return r->to[(r->tos - n) % PAIRS];
}

static void ring_read(int fd, struct ring *r, u32 flags)
{
	pfarg_pmd_t req[2 * PAIRS + 1] = {};
	unsigned int i;

	for (i = 0; i < 2 * PAIRS + 1; i++) {
		req[i].reg_num = (__u16)(PMD_FROM(0) + i);
		req[i].reg_flags = req[i].reg_num == PMD_TOS ? 0 : flags;
	}
	MUST(pfm(fd, PFM_READ_PMDS, req, 2 * PAIRS + 1));
	for (i = 0; i < PAIRS; i++) {
		r->from[i] = req[2 * i].reg_value;
		r->to[i] = req[2 * i + 1].reg_value;
	}
	r->tos = req[2 * PAIRS].reg_value;
}

/* The values of a sample, if all were asked for. */
static void ring_of_sample(const u64 *values, struct ring *r)
{
	unsigned int i;

	for (i = 0; i < PAIRS; i++) {
		r->from[i] = values[2 * i];
		r->to[i] = values[2 * i + 1];
	}
	r->tos = values[2 * PAIRS];
}

static unsigned int ring_entries(const struct ring *r)
{
	unsigned int i, n = 0;

	for (i = 0; i < PAIRS; i++)
		n += r->from[i] || r->to[i];
	return n;
}

static bool is_kernel(u64 address)
{
	/* The highest bits are marks. */
	return address >> 60 & 1;
}

static unsigned int ring_kernel(const struct ring *r)
{
	unsigned int i, n = 0;

	for (i = 0; i < PAIRS; i++)
		n += is_kernel(r->from[i]) || is_kernel(r->to[i]);
	return n;
}

static bool is_between(u64 address, const void *begin, const void *end)
{
	return address >= (unsigned long)begin && address < (unsigned long)end;
}

/* Whether the ring has those branches of branches() that @select leaves, in order. */
static bool ring_is_right(const struct ring *r, u32 select)
{
	unsigned int n, want = N_TAKEN;

	for (n = 0; n < PAIRS; n++) {
		if (!is_between(ring_from(r, n), branches, branches_end))
			continue;
		do {
			if (!want--)
				return false;
		} while (select & taken[want].kind);
		if (ring_from(r, n) != (unsigned long)taken[want].from ||
		    (taken[want].to && ring_to(r, n) != (unsigned long)taken[want].to))
			return false;
	}
	while (want)
		if (!(select & taken[--want].kind))
			return false;
	return true;
}

static unsigned int ring_others(const struct ring *r)
{
	unsigned int n, sum = 0;

	for (n = 0; n < PAIRS; n++)
		sum += r->from[n] == (unsigned long)from_other;
	return sum;
}

static unsigned int ring_branches(const struct ring *r)
{
	unsigned int n, sum = 0;

	for (n = 0; n < PAIRS; n++)
		sum += is_between(r->from[n], branches, branches_end);
	return sum;
}

/* The ring is one CPU's: the caller, and whom it forks, stay here. */
static int lbr_context(u32 ctx_flags, u64 select)
{
	int fd;

	pin_cpu(sched_getcpu());
	fd = (int)MUST(pfm_create(ctx_flags));
	MUST(pfm_write_pmc(fd, PMC_SELECT, select, 0));
	return fd;
}

static void record(int fd, struct ring *r)
{
	bare(fd, PFM_START);
	do_branches();
	bare(fd, PFM_STOP);
	ring_read(fd, r, 0);
}

/* ------------------------------------------------------------------------
 * What is recorded
 */

TEST(known_branches)
{
	struct ring r;
	int fd;

	NEED_LBR();
	fd = lbr_context(0, USER_ONLY);
	MUST(pfm_load(fd, my_tid()));
	record(fd, &r);
	EXPECT_TRUE(ring_is_right(&r, USER_ONLY));
	/* The values stay when the context is stopped, and when it is loaded nowhere. */
	do_others();
	do_branches();
	ring_read(fd, &r, 0);
	EXPECT_TRUE(ring_is_right(&r, USER_ONLY));
	MUST(pfm_unload(fd));
	ring_read(fd, &r, 0);
	EXPECT_TRUE(ring_is_right(&r, USER_ONLY));
	close(fd);
}

TEST(each_kind)
{
	static const u32 kinds[] = { JCC, CALL, IND_CALL, RET, IND_JMP, JMP };
	struct ring r;
	unsigned int i;
	int fd;

	NEED_LBR();
	fd = lbr_context(0, USER_ONLY);
	MUST(pfm_load(fd, my_tid()));
	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		MUST(pfm_write_pmc(fd, PMC_SELECT, ONLY(kinds[i]), 0));
		record(fd, &r);
		EXPECT_TRUE(ring_is_right(&r, ONLY(kinds[i])));
		MUST(pfm_write_pmc(fd, PMC_SELECT, USER_ONLY | kinds[i], 0));
		record(fd, &r);
		EXPECT_TRUE(ring_is_right(&r, USER_ONLY | kinds[i]));
	}
	close(fd);
}

/* By default nothing is, and nobody can write what has been. */
TEST(defaults)
{
	struct ring r;
	int fd;

	NEED_LBR();
	fd = (int)MUST(pfm_create(0));
	MUST(pfm_load(fd, my_tid()));
	record(fd, &r);
	EXPECT_EQ(0U, ring_entries(&r));
	EXPECT_EQ(-EINVAL, pfm_write_pmd(fd, PMD_FROM(3), 1));
	EXPECT_EQ(-EINVAL, pfm_write_pmd(fd, PMD_TO(3), 1));
	EXPECT_EQ(-EINVAL, pfm_write_pmd(fd, PMD_TOS, 1));
	close(fd);
}

/* Beside counters that count what they would without. */
TEST(beside_a_counter)
{
	u64 alone, value;
	struct ring r;
	int fd;

	NEED_LBR();
	alone = hw_total(1000);
	fd = lbr_context(0, USER_ONLY);
	hw_counter(fd, 0, 0, HW_INSTRUCTIONS, HW_USER, 0, 0);
	MUST(pfm_load(fd, my_tid()));
	run(fd, 1000);
	value = hw_value(fd, 0, 0, HW_INSTRUCTIONS);
	EXPECT_EQ(alone, value);
	record(fd, &r);
	EXPECT_TRUE(ring_is_right(&r, USER_ONLY));
	close(fd);
}

/* PFM_REGFL_READ_RESET empties what it reads; but where the ring is, it stays. */
TEST(read_reset)
{
	pfarg_pmd_t tos = { .reg_num = PMD_TOS, .reg_flags = PFM_REGFL_READ_RESET };
	struct ring r;
	int fd;

	NEED_LBR();
	fd = lbr_context(0, ONLY(IND_CALL));
	MUST(pfm_load(fd, my_tid()));
	bare(fd, PFM_START);
	do_branches();
	ring_read(fd, &r, PFM_REGFL_READ_RESET);
	EXPECT_TRUE(ring_is_right(&r, ONLY(IND_CALL)));
	MUST(pfm_stop(fd));
	ring_read(fd, &r, 0);
	EXPECT_FALSE(ring_is_right(&r, ONLY(IND_CALL)));
	EXPECT_EQ(-EINVAL, pfm(fd, PFM_READ_PMDS, &tos, 1));
	close(fd);
}

/* ------------------------------------------------------------------------
 * The kernel
 */

/* System calls, faults and interrupts leave nothing behind. */
TEST(kernel_is_hidden)
{
	struct pages pages;
	struct ring r;
	unsigned int i;
	int fd;

	NEED_LBR();
	pages_map(&pages, 100);
	fd = lbr_context(0, USER_ONLY);
	MUST(pfm_load(fd, my_tid()));
	MUST(pfm_start(fd));
	for (i = 0; i < 50; i++) {
		nap();
		pages_touch(&pages, 10);
		hw_loop(20000);
		getppid();
		ring_read(fd, &r, 0);
		EXPECT_EQ(0U, ring_kernel(&r));
		EXPECT_EQ((unsigned int)PAIRS, ring_entries(&r));
	}
	close(fd);
}

/* Where the kernel's level is not for all, its branches are not, nor ways back from it. */
TEST(kernel_needs_the_right)
{
	static const u32 refused[] = { 0, NOT_USER, NOT_KERNEL, FAR, ONLY(FAR) };
	struct ring r;
	unsigned int i;
	int fd, status;
	pid_t pid;

	NEED_LBR();
	NEED_ROOT();
	harden(true);
	fd = lbr_context(0, 0);
	MUST(pfm_load(fd, my_tid()));
	record(fd, &r);
	/* The way to where it is stopped. */
	EXPECT_LT(0U, ring_kernel(&r));
	MUST(pfm_write_pmc(fd, PMC_SELECT, ONLY(FAR), 0));
	MUST(pfm_start(fd));
	getppid();
	MUST(pfm_stop(fd));
	ring_read(fd, &r, 0);
	EXPECT_LT(0U, ring_kernel(&r));
	close(fd);

	pid = fork_child();
	if (!pid) {
		become(NOBODY);
		fd = (int)MUST(pfm_create(0));
		for (i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
			if (pfm_write_pmc(fd, PMC_SELECT, refused[i], 0) != -EPERM)
				_exit((int)i + 1);
		if (pfm_write_pmc(fd, PMC_SELECT, USER_ONLY, 0))
			_exit(100);
		_exit(0);
	}
	status = reap(pid);
	harden(false);
	EXPECT_EQ(0, status);
}

/* ------------------------------------------------------------------------
 * Others on the same CPU
 */

struct neighbour {
	pid_t pid;
	int go[2], done[2];
};

/* On this CPU; with a context of its own that records, or without. */
static void neighbour_start(struct neighbour *nb, bool records)
{
	struct ring r;
	int fd = -1, tries;
	char c;

	pin_cpu(sched_getcpu());
	MUST(pipe(nb->go));
	MUST(pipe(nb->done));
	nb->pid = fork_child();
	close(nb->go[nb->pid ? 0 : 1]);
	close(nb->done[nb->pid ? 1 : 0]);
	if (nb->pid)
		return;
	if (records) {
		fd = lbr_context(0, ONLY(IND_CALL));
		MUST(pfm_load(fd, my_tid()));
		bare(fd, PFM_START);
	}
	MUST(write(nb->done[1], "", 1));
	while (read(nb->go[0], &c, 1) == 1 && c) {
		do_others();
		/* The parent may still run, and take the CPU in between: the record is empty then. */
		for (tries = 0; records; tries++) {
			ring_read(fd, &r, 0);
			if (ring_branches(&r) || tries == 1000)
				_exit(1);
			if (ring_others(&r))
				break;
			do_others();
		}
		MUST(write(nb->done[1], "", 1));
	}
	_exit(0);
}

/* It has done what it was told to. */
static void neighbour_wait(struct neighbour *nb)
{
	char c;

	if (read(nb->done[0], &c, 1) != 1)
		die("the neighbour is gone");
}

/* And it sleeps, so that it does not come in between. */
static void neighbour_sleeps(struct neighbour *nb)
{
	if (!wait_state(nb->pid, "S", PATIENCE))
		die("the neighbour does not sleep");
}

static void neighbour_turn(struct neighbour *nb)
{
	char c = 1;

	MUST(write(nb->go[1], &c, 1));
	neighbour_wait(nb);
}

static int neighbour_stop(struct neighbour *nb)
{
	char c = 0;

	MUST(write(nb->go[1], &c, 1));
	return reap(nb->pid);
}

/* What one thread has recorded is not found by the next one that records. */
TEST(two_threads)
{
	struct neighbour nb;
	struct ring r;
	unsigned int i;
	int fd;

	NEED_LBR();
	neighbour_start(&nb, true);
	neighbour_wait(&nb);
	fd = lbr_context(0, ONLY(IND_CALL));
	MUST(pfm_load(fd, my_tid()));
	MUST(pfm_start(fd));
	for (i = 0; i < 20; i++) {
		neighbour_sleeps(&nb);
		do_branches();
		ring_read(fd, &r, 0);
		EXPECT_TRUE(ring_is_right(&r, ONLY(IND_CALL)));
		neighbour_turn(&nb);
		ring_read(fd, &r, 0);
		EXPECT_EQ(0U, ring_others(&r));
		/* Nor its own of before: another one had the registers. */
		EXPECT_EQ(0U, ring_branches(&r));
	}
	EXPECT_EQ(0, neighbour_stop(&nb));
	close(fd);
}

/* Nor do threads that are not monitored leave anything; and the record goes on. */
TEST(unmonitored_threads)
{
	struct neighbour nb;
	struct ring r;
	int fd;

	NEED_LBR();
	neighbour_start(&nb, false);
	neighbour_wait(&nb);
	fd = lbr_context(0, ONLY(IND_CALL));
	MUST(pfm_load(fd, my_tid()));
	MUST(pfm_start(fd));
	do_branches();
	neighbour_turn(&nb);
	ring_read(fd, &r, 0);
	EXPECT_EQ(0U, ring_others(&r));
	EXPECT_TRUE(ring_is_right(&r, ONLY(IND_CALL)));
	EXPECT_EQ(0, neighbour_stop(&nb));
	close(fd);
}

/* A system-wide context has those of all threads of its CPU. */
TEST(system_wide)
{
	struct neighbour nb;
	struct ring r;
	int fd;

	NEED_LBR();
	NEED_ROOT();
	neighbour_start(&nb, false);
	neighbour_wait(&nb);
	fd = lbr_context(PFM_FL_SYSTEM_WIDE, USER_ONLY);
	MUST(pfm_load(fd, my_tid()));
	record(fd, &r);
	EXPECT_TRUE(ring_is_right(&r, USER_ONLY));
	MUST(pfm_write_pmc(fd, PMC_SELECT, ONLY(IND_CALL), 0));
	MUST(pfm_start(fd));
	neighbour_turn(&nb);
	MUST(pfm_stop(fd));
	ring_read(fd, &r, 0);
	EXPECT_LT(0U, ring_others(&r));
	EXPECT_EQ(0, neighbour_stop(&nb));
	close(fd);
}

/* A set that has none does not disturb another one's: each begins anew. */
TEST(sets)
{
	pfarg_setdesc_t set = { .set_id = 1 };
	pfarg_start_t start = { .start_set = 1 };
	struct ring r;
	int fd;

	NEED_LBR();
	fd = lbr_context(0, ONLY(IND_CALL));
	MUST(pfm(fd, PFM_CREATE_EVTSETS, &set, 1));
	MUST(hw_find()->write(fd, 1, 0, HW_INSTRUCTIONS, HW_USER, 0));
	MUST(pfm_load(fd, my_tid()));
	MUST(pfm_start(fd));
	do_branches();
	MUST(pfm(fd, PFM_START, &start, 1));
	do_others();
	ring_read(fd, &r, 0);
	EXPECT_TRUE(ring_is_right(&r, ONLY(IND_CALL)));
	EXPECT_EQ(0U, ring_others(&r));
	EXPECT_LT(40ULL, hw_value(fd, 1, 0, HW_INSTRUCTIONS));
	start.start_set = 0;
	MUST(pfm(fd, PFM_START, &start, 1));
	ring_read(fd, &r, 0);
	EXPECT_EQ(0U, ring_branches(&r));
	close(fd);
}

/* ------------------------------------------------------------------------
 * Samples
 */

#define PERIOD	10007ULL
#define TURNS	200000UL
#define N_PMDS	(2 * PAIRS + 1)

/* Whether branch n went from the code of a loop, so many bytes at most, to it. */
static bool ring_within(const struct ring *r, unsigned int n, void (*loop)(unsigned long),
			unsigned int bytes)
{
	const char *code = (const char *)loop;

	return is_between(ring_from(r, n), code, code + bytes) &&
	       is_between(ring_to(r, n), code, code + bytes);
}

static bool ring_in_loop(const struct ring *r, unsigned int n)
{
	return ring_within(r, n, hw_loop, 32);
}

static void lbr_sampler(struct sampler *s, u64 select, u64 period, bool reset)
{
	struct hw_more more = {};
	unsigned int i;

	sampler_open(s, 0, 1 << 20, 0);
	for (i = 0; i < N_PMDS; i++) {
		vec_set(more.smpl_pmds, PMD_FROM(0) + i);
		if (reset)
			vec_set(more.reset_pmds, PMD_FROM(0) + i);
	}
	hw_counter_more(s->fd, 0, 0, 0, period, &more);
	MUST(pfm_write_pmc(s->fd, PMC_SELECT, select, 0));
	pin_cpu(sched_getcpu());
	MUST(pfm_load(s->fd, my_tid()));
}

/* Each sample has the way to where it was taken. */
static void check_samples(struct __test_metadata *_metadata, u64 select)
{
	unsigned int n, in = 0, whole = 0;
	struct sampler s;
	struct ring r;
	u64 i;

	lbr_sampler(&s, select, PERIOD, false);
	run(s.fd, TURNS);
	ASSERT_LT(10ULL, s.hdr->hdr_count);
	for (i = 0; i < s.hdr->hdr_count; i++) {
		ring_of_sample(values_of(nth(&s, i, N_PMDS)), &r);
		in += ring_in_loop(&r, 0);
		for (n = 0; n < PAIRS && ring_in_loop(&r, n); n++)
			;
		whole += n == PAIRS;
	}
	TH_LOG("%u of %llu samples end in the loop, %u have nothing else", in,
	       s.hdr->hdr_count, whole);
	EXPECT_LE(s.hdr->hdr_count - s.hdr->hdr_count / 10, (u64)in);
	EXPECT_LE(s.hdr->hdr_count - s.hdr->hdr_count / 4, (u64)whole);
	sampler_close(&s);
}

TEST(samples)
{
	NEED_LBR();
	check_samples(_metadata, USER_ONLY);
}

/* Although the handler has branches, too: the interrupt has stopped the record. */
TEST(samples_end_at_the_overflow)
{
	NEED_LBR();
	NEED_ROOT();
	check_samples(_metadata, 0);
}

/* With reset_pmds a sample has the branches since the one before, and no others. */
TEST(samples_begin_at_the_last)
{
	unsigned int few = 0;
	struct sampler s;
	struct ring r;
	u64 i;

	NEED_LBR();
	lbr_sampler(&s, ONLY(JCC), 320, true);
	MUST(pfm_start(s.fd));
	hw_long_loop(1000);
	MUST(pfm_stop(s.fd));
	ASSERT_LT(50ULL, s.hdr->hdr_count);
	for (i = 1; i < s.hdr->hdr_count; i++) {
		ring_of_sample(values_of(nth(&s, i, N_PMDS)), &r);
		/* 320 instructions of the loop are 5 branches. */
		few += ring_within(&r, 0, hw_long_loop, 128) && ring_entries(&r) <= 6;
	}
	EXPECT_LE(s.hdr->hdr_count - s.hdr->hdr_count / 4, (u64)few);
	sampler_close(&s);
}

/* ------------------------------------------------------------------------
 * The registers themselves
 */

static u64 msr(u32 num)
{
	u64 value = ~0ULL;

	if (!msr_access(0, num, &value, false))
		die("MSR 0x%x", num);
	return value;
}

#define NEED_MSR()							\
	do {								\
		u64 __value;						\
									\
		NEED_ROOT();						\
		if (!msr_access(0, MSR_DEBUGCTL, &__value, false))	\
			SKIP(return, "%s: no /dev/cpu/0/msr", _metadata->name); \
	} while (0)

/* DEBUGCTL has our two bits while a thread that records runs, and others' always. */
TEST(debugctl_is_shared)
{
	u64 smm = DEBUGCTL_SMM, none = 0;
	int fd;

	NEED_LBR();
	NEED_MSR();
	pin_cpu(0);
	ASSERT_TRUE(msr_access(0, MSR_DEBUGCTL, &smm, true));
	fd = lbr_context(0, USER_ONLY);
	MUST(pfm_load(fd, my_tid()));
	EXPECT_EQ(DEBUGCTL_SMM, msr(MSR_DEBUGCTL));
	MUST(pfm_start(fd));
	EXPECT_EQ(DEBUGCTL_SMM | DEBUGCTL_FREEZE | DEBUGCTL_LBR, msr(MSR_DEBUGCTL));
	MUST(pfm_stop(fd));
	EXPECT_EQ(DEBUGCTL_SMM, msr(MSR_DEBUGCTL));
	MUST(pfm_write_pmc(fd, PMC_SELECT, KINDS, 0));
	hw_counter(fd, 0, 0, HW_INSTRUCTIONS, HW_USER, 0, 0);
	MUST(pfm_start(fd));
	EXPECT_EQ(DEBUGCTL_SMM, msr(MSR_DEBUGCTL));
	close(fd);
	EXPECT_EQ(DEBUGCTL_SMM, msr(MSR_DEBUGCTL));
	ASSERT_TRUE(msr_access(0, MSR_DEBUGCTL, &none, true));
}

/* A debugger steps through the thread: it uses DEBUGCTL, and its exceptions clear LBR. */
TEST(single_steps)
{
	struct ring r;
	int fd, i, status;
	pid_t pid;

	NEED_LBR();
	pin_cpu(sched_getcpu());
	pid = fork_child();
	if (!pid) {
		MUST(ptrace(PTRACE_TRACEME, 0, NULL, NULL));
		MUST(raise(SIGSTOP));
		hw_loop(1000);
		do_branches();
		MUST(raise(SIGSTOP));
		_exit(0);
	}
	MUST(waitpid(pid, &status, 0));
	fd = lbr_context(0, ONLY(IND_CALL));
	MUST(pfm_load(fd, pid));
	MUST(pfm_start(fd));
	for (i = 0; i < 5; i++) {
		MUST(ptrace(PTRACE_SINGLEBLOCK, pid, NULL, NULL));
		MUST(waitpid(pid, &status, 0));
		ASSERT_TRUE(WIFSTOPPED(status) && WSTOPSIG(status) == SIGTRAP);
	}
	MUST(ptrace(PTRACE_CONT, pid, NULL, NULL));
	MUST(waitpid(pid, &status, 0));
	ring_read(fd, &r, 0);
	EXPECT_TRUE(ring_is_right(&r, ONLY(IND_CALL)));
	close(fd);
	kill_and_reap(pid);
}

/* Somebody else has them recorded while our thread is away. */
TEST(left_on)
{
	u64 lbr = DEBUGCTL_LBR;
	struct ring r;
	int fd;

	NEED_LBR();
	NEED_MSR();
	pin_cpu(0);
	fd = lbr_context(0, ONLY(IND_CALL));
	MUST(pfm_load(fd, my_tid()));
	record(fd, &r);
	ASSERT_TRUE(msr_access(0, MSR_DEBUGCTL, &lbr, true));
	do_others();
	MUST(pfm_start(fd));
	MUST(pfm_stop(fd));
	EXPECT_EQ(0ULL, msr(MSR_DEBUGCTL));
	ring_read(fd, &r, 0);
	EXPECT_EQ(0U, ring_others(&r));
	close(fd);
}

/* Nothing is left for the next user of the PMU. */
TEST(given_back)
{
	struct ring r;
	unsigned int i;
	int fd;

	NEED_LBR();
	NEED_MSR();
	pin_cpu(0);
	fd = lbr_context(0, USER_ONLY);
	MUST(pfm_load(fd, my_tid()));
	record(fd, &r);
	EXPECT_EQ((unsigned long)from_ret, msr(MSR_FROM(r.tos)));
	close(fd);
	for (i = 0; i < PAIRS; i++) {
		EXPECT_EQ(0ULL, msr(MSR_FROM(i)));
		EXPECT_EQ(0ULL, msr(MSR_TO(i)));
	}
	EXPECT_EQ(0ULL, msr(MSR_SELECT));
	EXPECT_EQ(0ULL, msr(MSR_DEBUGCTL));
}

#else

TEST(no_x86)
{
	SKIP(return, "last branches are of Intel's processors");
}

#endif

TEST_HARNESS_MAIN
