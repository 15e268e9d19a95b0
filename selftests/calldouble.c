// SPDX-License-Identifier: GPL-2.0-only
/*
 * The call chain format in two halves, as perfmon/calldouble_smpl.h promises it:
 * whose half is whose and when, messages, what is lost, where that is said, and how
 * it is counted; arguments of another length; reading while the kernel writes.
 *
 * A sample at each fault, with the number of faults in it, so that the records
 * can be checked one after the other; registers and stacks of programs that have values
 * there that are known. Not here: what else stands in samples, in MAP and EXEC records, and
 * where that comes from (callchain.c).
 */
#include "chains.h"
#include <perfmon/calldouble_smpl.h>

#include <linux/elf-em.h>

#define MASK_FULL	PFM_CALLDOUBLE_SMPL_MASK_WHEN_FULL
#define CHAIN_KERNEL	PFM_CALLCHAIN_SMPL_KERNEL
#define CHAIN_USER	PFM_CALLCHAIN_SMPL_USER
#define MAPS		PFM_CALLCHAIN_SMPL_MAPS
#define FORKS		PFM_CALLDOUBLE_SMPL_FORKS
#define FREE		PFM_CALLDOUBLE_SMPL_FREE
#define KERNEL		PFM_CALLDOUBLE_SMPL_KERNEL
#define USER		PFM_CALLDOUBLE_SMPL_USER
#define MAX_STACK	PFM_CALLDOUBLE_SMPL_MAX_STACK

typedef pfm_calldouble_smpl_hdr_t hdr_t;
typedef pfm_calldouble_smpl_half_t half_t;
typedef pfm_calldouble_smpl_arg_t arg_t;
typedef pfm_calldouble_smpl_user_t user_t;

static const pfm_uuid_t calldouble_uuid = PFM_CALLDOUBLE_SMPL_UUID;

/* A sample without a chain and with one value. */
#define SAMPLE	(sizeof(sample_t) + 8)

static int twice_create(u32 ctx_flags, arg_t arg, u64 *size)
{
	arg.arg_size = sizeof(arg);
	return smpl_create(calldouble_uuid, ctx_flags, &arg, sizeof(arg), size);
}

static u64 reserve(unsigned int depth, unsigned int parts)
{
	return sizeof(lost_t) + largest(depth, parts);
}

/* Each half has room for @n samples of SAMPLE bytes. */
static u64 size_for(u64 n)
{
	return sizeof(hdr_t) + 2 * (reserve(0, 0) + (n - 1) * SAMPLE);
}

/*
 * The registers as the header has them: how many there are, where the stack pointer and the
 * instruction's address are among them, and which fault_known() gives a known value.
 */
#if defined(__x86_64__)
#define MACHINE		EM_X86_64
#define NR_REGS		17
#define SP		7
#define IP		16
#define PAGE		5
#define KNOWN		0xff5fU
#define KEPT		0xf778U		/* ... and call_known() in system calls */
#elif defined(__i386__)
#define MACHINE		EM_386
/* A kernel of 64 bits keeps room for its own. */
#define NR_REGS		(is_kernel_64() ? 17U : 9U)
#define SP		4
#define IP		8
#define PAGE		7
#define KNOWN		0x6fU
#define KEPT		0x6eU
#elif defined(__powerpc__)
#ifdef __powerpc64__
#define MACHINE		EM_PPC64
#else
#define MACHINE		EM_PPC
#endif
#define NR_REGS		34
#define SP		1
#define IP		33
#define PAGE		3
#define KNOWN		0xbfffdff1U
#define KEPT		0xbfff8000U
/* Where a program that comes from a system call finds itself what the kernel had there. */
#define LEFT		0x1e01U
#else
/* It has no such format: the tests are left out. */
#define MACHINE		EM_NONE
#define NR_REGS		0
#define SP		0
#define IP		0
#define PAGE		0
#define KNOWN		0
#define KEPT		0
#endif

#ifndef LEFT
#define LEFT		0
#endif

static inline bool is_kernel_64(void)
{
	struct utsname u;

	MUST(uname(&u));
	return strstr(u.machine, "64");
}

static u64 known(unsigned int reg)
{
	return 0x5a000000 + reg;
}

/* Writes to @p, which is not there, with known values in the registers. */
static __attribute__((noipa)) void fault_known(volatile char *p)
{
#if defined(__x86_64__)
	__asm__ volatile("lea -128(%%rsp), %%rsp\n\tpush %%rbp\n\t"
			 "mov $0x5a000000, %%eax\n\tmov $0x5a000001, %%edx\n\t"
			 "mov $0x5a000002, %%ecx\n\tmov $0x5a000003, %%ebx\n\t"
			 "mov $0x5a000004, %%esi\n\tmov $0x5a000006, %%ebp\n\t"
			 ".irp n,8,9,10,11,12,13,14,15\n\t"
			 "mov $0x5a000000 + \\n, %%r\\n\n\t.endr\n\t"
			 "movb $1, (%%rdi)\n\t"
			 "pop %%rbp\n\tlea 128(%%rsp), %%rsp"
			 : : "D"(p) : "rax", "rdx", "rcx", "rbx", "rsi", "r8", "r9", "r10",
			 "r11", "r12", "r13", "r14", "r15", "memory");
#elif defined(__i386__)
	__asm__ volatile("push %%ebp\n\t"
			 "mov $0x5a000000, %%eax\n\tmov $0x5a000001, %%ecx\n\t"
			 "mov $0x5a000002, %%edx\n\tmov $0x5a000003, %%ebx\n\t"
			 "mov $0x5a000005, %%ebp\n\tmov $0x5a000006, %%esi\n\t"
			 "movb $1, (%%edi)\n\tpop %%ebp"
			 : : "D"(p) : "eax", "ecx", "edx", "ebx", "esi", "memory");
#elif defined(__powerpc__)
	register volatile char *page __asm__("r3") = p;

	__asm__ volatile(".irp n,0,4,5,6,7,8,9,10,11,12,14,15,16,17,18,19,20,21,22,23,24,"
			 "25,26,27,28,29,31\n\t"
			 "lis \\n, 0x5a00\n\tori \\n, \\n, \\n\n\t.endr\n\t"
			 "mtlr 0\n\tstb 3, 0(3)"
			 : : "r"(page) : "r0", "r4", "r5", "r6", "r7", "r8", "r9", "r10",
			 "r11", "r12", "r14", "r15", "r16", "r17", "r18", "r19", "r20",
			 "r21", "r22", "r23", "r24", "r25", "r26", "r27", "r28", "r29",
			 "r31", "lr", "memory");
#else
	*p = 1;
#endif
}

static bool in_fault_known(u64 ip)
{
	return ip >= code_of(fault_known) && ip < code_of(fault_known) + 512;
}

/* What stands behind the addresses of a sample, or NULL. */
static const user_t *user_of(const sample_t *s)
{
	size_t size = sizeof(*s) + 8U * (s->nr_values + s->nr_kernel + s->nr_user);

	return size == s->size ? NULL : (const void *)((const char *)s + size);
}

static const u64 *regs_of(const user_t *u)
{
	return (const u64 *)(u + 1);
}

static const char *stack_of(const user_t *u)
{
	return (const char *)(regs_of(u) + u->nr_regs);
}

/* What a reader has seen. */
struct reader {
	u32 seq, at;
	u64 number;	/* of the last sample, lost ones counted */
	u64 samples, maps, lost, lost_maps, gaps, released;
	u64 last_time;
	const lost_t *last_gap;
};

FIXTURE(calldouble) {
	struct format_module m;
	struct puppet p;
	int fd;
	u64 size;
	const hdr_t *hdr;
	struct reader r;
};

FIXTURE_SETUP(calldouble)
{
	self->fd = -1;
	format_get(&self->m, "calldouble");
	puppet_start(&self->p, PUPPET_PROCESS);
	puppet_do(&self->p, OP_FAULT, PUPPET_PAGES + 1);
}

FIXTURE_TEARDOWN(calldouble)
{
	if (self->fd >= 0)
		close(self->fd);
	puppet_stop(&self->p);
	format_put(&self->m);
}

static void open_buffer(FIXTURE_DATA(calldouble) *f, u32 ctx_flags, arg_t arg)
{
	f->fd = (int)MUST(twice_create(ctx_flags, arg, &f->size));
	f->hdr = buf_map(f->fd, f->size);
	set_nonblock(f->fd);
	f->r = (struct reader){ .at = f->hdr->hdr_half[0].half_begin };
}

static void close_buffer(FIXTURE_DATA(calldouble) *f)
{
	close(f->fd);
	f->fd = -1;
}

/* A sample at each fault, with the faults up to it; @n fill a half. */
static void open_halves(FIXTURE_DATA(calldouble) *f, u32 ctx_flags, u64 n,
			u32 buf_flags, u32 flags)
{
	open_buffer(f, ctx_flags, (arg_t){
		.buf_size = size_for(n), .buf_flags = buf_flags });
	choose(f->fd, 0, 1, FAULTS, 0, 0, 0);
	MUST(pfm_write_pmd(f->fd, SW_PMD(1), 0));
	sample_faults(f->fd, 0, 1, flags, CTR(1));
	attach(f->fd, f->p.tid);
}

static void fault(FIXTURE_DATA(calldouble) *f, u64 n)
{
	puppet_do(&f->p, OP_FAULT, (unsigned int)n);
}

static u32 load(const __u32 *p)
{
	return __atomic_load_n(p, __ATOMIC_ACQUIRE);
}

/* The records are those that must come next. Returns the size. */
static u32 use(struct __test_metadata *_metadata, struct reader *r,
	       const rec_t *rec)
{
	const sample_t *s = (const void *)rec;
	const lost_t *l = (const void *)rec;
	const map_t *m = (const void *)rec;

	EXPECT_LE(sizeof(*rec), rec->size);
	EXPECT_EQ(0, rec->size % 8);
	switch (rec->type) {
	case PFM_CALLCHAIN_SMPL_SAMPLE:
		EXPECT_EQ(sizeof(*s) + 8U * (s->nr_values + s->nr_kernel +
					     s->nr_user), s->size);
		EXPECT_LT(r->last_time, s->tstamp);
		r->last_time = s->tstamp;
		r->samples++;
		r->number++;
		if (s->nr_values)
			EXPECT_EQ(r->number, ((const u64 *)(s + 1))[0]);
		break;
	case PFM_CALLCHAIN_SMPL_MAP:
		EXPECT_LT(r->last_time, m->tstamp);
		r->last_time = m->tstamp;
		r->maps++;
		break;
	case PFM_CALLCHAIN_SMPL_EXEC:
		r->maps++;
		break;
	case PFM_CALLCHAIN_SMPL_LOST:
		EXPECT_EQ(sizeof(*l), l->size);
		EXPECT_EQ(0, l->pid);
		EXPECT_EQ(0, l->tid);
		EXPECT_EQ(0U, l->pad);
		EXPECT_LT(0ULL, l->samples + l->maps);
		EXPECT_LT(r->last_time, l->tstamp);
		EXPECT_LE(l->tstamp, l->until);
		EXPECT_EQ(l->samples + l->maps > 1, l->tstamp < l->until);
		r->last_time = l->until;
		r->lost += l->samples;
		r->lost_maps += l->maps;
		r->number += l->samples;
		r->gaps++;
		r->last_gap = l;
		break;
	default:
		EXPECT_EQ(0, rec->type);
	}
	return rec->size;
}

/*
 * The header's recipe, to the end of the half. False if the next one is not there
 * yet; @release: or if this one is the kernel's, else it is given back.
 */
static bool follow(struct __test_metadata *_metadata,
		   FIXTURE_DATA(calldouble) *f, bool release)
{
	const half_t *half = &f->hdr->hdr_half[f->r.seq % 2];
	u32 state, end;

	if (load(&half->half_seq) != f->r.seq)
		return false;
	state = load(&half->half_state);
	end = load(&half->half_end);
	while (f->r.at < end)
		f->r.at += use(_metadata, &f->r,
			       (const void *)((const char *)f->hdr + f->r.at));
	EXPECT_EQ(end, f->r.at);
	if (state != USER || !release)
		return false;
	MUST(pfm_restart(f->fd));
	f->r.released++;
	f->r.at = f->hdr->hdr_half[++f->r.seq % 2].half_begin;
	return true;
}

/* What must hold of any header while nothing happens, all records having been read. */
static void check_sums(struct __test_metadata *_metadata,
		       FIXTURE_DATA(calldouble) *f)
{
	const hdr_t *h = f->hdr;
	const lost_t *g = &h->hdr_gap;

	EXPECT_EQ(PFM_CALLDOUBLE_SMPL_VERSION, h->hdr_version);
	EXPECT_EQ(sizeof(*h), h->hdr_size);
	EXPECT_EQ(0, h->hdr_stack);
	EXPECT_EQ(h->hdr_samples, h->hdr_lost + f->r.samples);
	EXPECT_EQ(h->hdr_maps, h->hdr_lost_maps + f->r.maps);
	EXPECT_EQ(h->hdr_lost, f->r.lost + g->samples);
	EXPECT_EQ(h->hdr_lost_maps, f->r.lost_maps + g->maps);
	EXPECT_EQ(g->samples + g->maps ? PFM_CALLCHAIN_SMPL_LOST : 0, g->type);
}

static void check_half(struct __test_metadata *_metadata,
		       FIXTURE_DATA(calldouble) *f, int i, u32 state, u32 seq,
		       u64 bytes)
{
	const half_t *half = &f->hdr->hdr_half[i];

	EXPECT_EQ(state, half->half_state);
	if (state == FREE)
		return;
	EXPECT_EQ(seq, half->half_seq);
	EXPECT_EQ(bytes, half->half_end - half->half_begin);
	if (state == KERNEL)
		EXPECT_EQ((u32)i, f->hdr->hdr_cur);
}

static void check_masked(struct __test_metadata *_metadata,
			 FIXTURE_DATA(calldouble) *f, bool masked)
{
	EXPECT_TRUE(pfm_state_is(f->fd, masked ? "masked" : "loaded"));
}

/* ------------------------------------------------------------------------
 * The argument and the header
 */

TEST_F(calldouble, header)
{
	static const u32 flags[] = { 0, CHAIN_USER, CHAIN_KERNEL | CHAIN_USER | MAPS };
	static const u64 more[] = { 0, 1, 15, 16, 4096, 100001 };
	size_t i, k;

	NEED_FORMAT(&self->m);
	for (i = 0; i < ARRAY_SIZE(flags); i++) {
		for (k = 0; k < ARRAY_SIZE(more); k++) {
			u64 room = reserve(9, (unsigned int)i);
			u64 size = sizeof(hdr_t) + 2 * room + more[k];
			const hdr_t *h;

			open_buffer(self, 0, (arg_t){
				.buf_size = size, .buf_flags = flags[i],
				.buf_max_depth = 9 });
			h = self->hdr;
			EXPECT_EQ(page_align(size), self->size);
			EXPECT_EQ(size, h->hdr_buf_size);
			EXPECT_EQ(flags[i], h->hdr_flags);
			EXPECT_EQ(9, h->hdr_max_depth);
			EXPECT_EQ(largest(9, (unsigned int)i), h->hdr_max_sample);
			EXPECT_EQ(0U, h->hdr_half_size % 8);
			EXPECT_LE(room, h->hdr_half_size);
			EXPECT_EQ(sizeof(hdr_t), h->hdr_half[0].half_begin);
			EXPECT_EQ(sizeof(hdr_t) + h->hdr_half_size,
				  h->hdr_half[1].half_begin);
			EXPECT_GE(size, sizeof(hdr_t) + 2 * h->hdr_half_size);
			EXPECT_LT(size, sizeof(hdr_t) + 2 * h->hdr_half_size + 16);
			check_half(_metadata, self, 0, KERNEL, 0, 0);
			EXPECT_EQ((u32)FREE, h->hdr_half[1].half_state);
			EXPECT_EQ(~0U, h->hdr_half[1].half_seq);
			EXPECT_EQ(0ULL, h->hdr_overflows);
			check_sums(_metadata, self);
			close_buffer(self);
		}
	}
}

TEST_F(calldouble, bad_arguments)
{
	static const u64 huge[] = { 1ULL << 31, 1ULL << 32, 1ULL << 63, ~0ULL };
	static const u32 known = CHAIN_KERNEL | CHAIN_USER | MAPS | MASK_FULL;
	const arg_t good = { .buf_size = 65536, .buf_max_depth = 4 };
	u64 before = buffers_now();
	arg_t arg;
	size_t i;
	int fd;

	NEED_FORMAT(&self->m);
	for (i = 0; i < 32; i++) {
		arg = good;
		arg.buf_flags = 1U << i;
		fd = twice_create(0, arg, NULL);
		EXPECT_EQ(known & 1U << i ? 0 : -EINVAL, fd < 0 ? fd : 0);
		close(fd);
		/* To wait for what never comes? */
		fd = twice_create(PFM_FL_NOTIFY_BLOCK, arg, NULL);
		EXPECT_EQ(MASK_FULL & 1U << i ? 0 : -EINVAL, fd < 0 ? fd : 0);
		close(fd);
	}
	/* What it is that maps go with has to be asked for, too. */
	arg = good;
	arg.buf_flags = FORKS | MAPS;
	fd = twice_create(0, arg, NULL);
	EXPECT_LE(0, fd);
	close(fd);
	arg = good;
	arg.buf_size = sizeof(hdr_t) + 2 * reserve(0, 0);
	fd = twice_create(0, arg, NULL);
	EXPECT_LE(0, fd);
	close(fd);
	arg.buf_size--;
	EXPECT_EQ(-EINVAL, twice_create(0, arg, NULL));
	arg.buf_size = 0;
	EXPECT_EQ(-EINVAL, twice_create(0, arg, NULL));
	for (i = 0; i < ARRAY_SIZE(huge); i++) {
		arg.buf_size = huge[i];
		EXPECT_EQ(-EINVAL, twice_create(0, arg, NULL));
	}
	arg = good;
	arg.buf_max_depth = PFM_CALLCHAIN_SMPL_MAX_DEPTH + 1;
	EXPECT_EQ(-EINVAL, twice_create(0, arg, NULL));
	for (i = 0; i < ARRAY_SIZE(arg.buf_pad); i++) {
		arg = good;
		arg.buf_pad[i] = 1;
		EXPECT_EQ(-EINVAL, twice_create(0, arg, NULL));
	}
	EXPECT_EQ(before, buffers_now());
}

/* Stacks of any multiple of 8 bytes up to the largest, for which there is room in a half. */
TEST_F(calldouble, stack_sizes)
{
	static const unsigned int good[] = { 8, 16, 4096, 8192, MAX_STACK },
		bad[] = { 1, 4, 7, 12, MAX_STACK - 1, MAX_STACK + 1, MAX_STACK + 8, 32768, 65535 };
	u64 room;
	arg_t arg;
	size_t i;
	int fd;

	NEED_FORMAT(&self->m);
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		arg = (arg_t){ .buf_size = 1 << 20, .buf_stack = (__u16)bad[i] };
		EXPECT_EQ(-EINVAL, twice_create(0, arg, NULL));
	}
	for (i = 0; i < ARRAY_SIZE(good); i++) {
		room = reserve(9, 1) + sizeof(user_t) + 8 * NR_REGS + good[i];
		arg = (arg_t){
			.buf_size = sizeof(hdr_t) + 2 * room - 1, .buf_max_depth = 9,
			.buf_flags = CHAIN_USER, .buf_stack = (__u16)good[i],
		};
		fd = twice_create(0, arg, NULL);
		EXPECT_EQ(-EINVAL, fd);
		close(fd);
		arg.buf_size++;
		open_buffer(self, 0, arg);
		EXPECT_EQ(good[i], self->hdr->hdr_stack);
		EXPECT_EQ(room - sizeof(lost_t), self->hdr->hdr_max_sample);
		close_buffer(self);
	}
}

/* 0, or the number of what a user who is not root was allowed, or not. */
static int try_stacks(void)
{
	const arg_t arg = { .buf_size = 65536, .buf_stack = 64 },
		    without = { .buf_size = 65536 };

	if (twice_create(PFM_FL_SYSTEM_WIDE, arg, NULL) != -EPERM)
		return 1;
	if (twice_create(0, arg, NULL) < 0)
		return 2;
	return twice_create(PFM_FL_SYSTEM_WIDE, without, NULL) < 0 ? 3 : 0;
}

/* Everybody may monitor an open kernel, and not look into others' memory. */
TEST_F(calldouble, stacks_of_others)
{
	pid_t pid;
	int fd;

	NEED_FORMAT(&self->m);
	NEED_ROOT();
	harden(false);
	pid = fork_child();
	if (!pid) {
		become(NOBODY);
		_exit(try_stacks());
	}
	EXPECT_EQ(0, reap(pid));
	fd = twice_create(PFM_FL_SYSTEM_WIDE, (arg_t){ .buf_size = 65536, .buf_stack = 64 },
			  NULL);
	EXPECT_LE(0, fd);
	close(fd);
}

/* Of an older program, of a later one, and of one that makes no sense. */
TEST_F(calldouble, argument_sizes)
{
	struct {
		arg_t arg;
		u32 more[4];
	} req = { .arg = { .buf_size = 65536 } };
	u32 size;
	int fd;

	NEED_FORMAT(&self->m);
	for (size = 0; size <= sizeof(req); size++) {
		req.arg.arg_size = size;
		fd = smpl_create(calldouble_uuid, 0, &req, sizeof(req), NULL);
		EXPECT_EQ(size < PFM_CALLDOUBLE_SMPL_ARG_SIZE ? -EINVAL : 0,
			  fd < 0 ? fd : 0) {
			TH_LOG("%u bytes", size);
		}
		close(fd);
	}
	/* What is there and not known is not ignored, what is not there is. */
	req.more[1] = 1;
	req.arg.arg_size = sizeof(req);
	EXPECT_EQ(-E2BIG, smpl_create(calldouble_uuid, 0, &req, sizeof(req), NULL));
	req.arg.arg_size = sizeof(req.arg) + 4;
	fd = smpl_create(calldouble_uuid, 0, &req, sizeof(req), NULL);
	EXPECT_LE(0, fd);
	close(fd);
	req.arg.arg_size = ~0U;
	EXPECT_EQ(-E2BIG, smpl_create(calldouble_uuid, 0, &req, sizeof(req), NULL));
}

/* ------------------------------------------------------------------------
 * One half after the other
 */

/* Full it is the program's, and monitoring goes on in the other one. */
TEST_F(calldouble, first_half)
{
	NEED_FORMAT(&self->m);
	open_halves(self, 0, 20, 0, NOTIFY);
	fault(self, 19);
	check_half(_metadata, self, 0, KERNEL, 0, 19 * SAMPLE);
	check_half(_metadata, self, 1, FREE, 0, 0);
	EXPECT_EQ(0U, overflowed(self->fd));
	fault(self, 1);
	check_half(_metadata, self, 0, USER, 0, 20 * SAMPLE);
	check_half(_metadata, self, 1, KERNEL, 1, 0);
	EXPECT_EQ(CTR(0), overflowed(self->fd));
	EXPECT_EQ(1ULL, self->hdr->hdr_overflows);
	check_masked(_metadata, self, false);
	/* The short value has been loaded. */
	EXPECT_EQ(-1ULL, pfm_value(self->fd, SW_PMD(0)));
	fault(self, 5);
	check_half(_metadata, self, 0, USER, 0, 20 * SAMPLE);
	check_half(_metadata, self, 1, KERNEL, 1, 5 * SAMPLE);
	follow(_metadata, self, true);
	follow(_metadata, self, true);
	EXPECT_EQ(25ULL, self->r.samples);
	check_sums(_metadata, self);
}

/* Read and released in time, nothing is lost, for as long as you like. */
TEST_F(calldouble, by_turns)
{
	static char copy[65536];
	u32 round;

	NEED_FORMAT(&self->m);
	open_halves(self, 0, 50, 0, NOTIFY);
	for (round = 0; round < 12; round++) {
		int i = round % 2;
		const half_t *half = &self->hdr->hdr_half[i];
		const char *at = (const char *)self->hdr + half->half_begin;

		fault(self, round ? 49 : 50);
		EXPECT_EQ(CTR(0), overflowed(self->fd));
		check_half(_metadata, self, i, USER, round, 50 * SAMPLE);
		check_half(_metadata, self, !i, KERNEL, round + 1, 0);
		/* Not even the last place is touched while others come in. */
		memcpy(copy, at, self->hdr->hdr_half_size);
		fault(self, 1);
		EXPECT_EQ(0, memcmp(copy, at, self->hdr->hdr_half_size));
		EXPECT_TRUE(follow(_metadata, self, true));
		check_half(_metadata, self, i, FREE, 0, 0);
		check_half(_metadata, self, !i, KERNEL, round + 1, SAMPLE);
	}
	EXPECT_FALSE(follow(_metadata, self, true));
	EXPECT_EQ(601ULL, self->r.samples);
	EXPECT_EQ(12ULL, self->hdr->hdr_overflows);
	EXPECT_EQ(0ULL, self->hdr->hdr_lost);
	check_sums(_metadata, self);
}

/* Nothing is the program's: it changes nothing, and is no error. */
TEST_F(calldouble, release_of_nothing)
{
	hdr_t hdr;

	NEED_FORMAT(&self->m);
	open_halves(self, 0, 20, 0, NOTIFY);
	fault(self, 10);
	hdr = *self->hdr;
	ASSERT_EQ(0, pfm_restart(self->fd));
	EXPECT_EQ(0, memcmp(&hdr, self->hdr, sizeof(hdr)));
	check_masked(_metadata, self, false);
}

/* No counter asks for messages: sampling goes on without. */
TEST_F(calldouble, silent)
{
	NEED_FORMAT(&self->m);
	open_halves(self, 0, 10, 0, 0);
	fault(self, 15);
	check_half(_metadata, self, 0, USER, 0, 10 * SAMPLE);
	EXPECT_TRUE(follow(_metadata, self, true));
	fault(self, 10);
	EXPECT_TRUE(follow(_metadata, self, true));
	EXPECT_FALSE(follow(_metadata, self, true));
	EXPECT_EQ(25ULL, self->r.samples);
	EXPECT_EQ(0ULL, pfm_fdinfo_num(self->fd, "pfm-queued"));
}

/* Of two at one event the first fills a half, the second begins the other. */
static void check_two(struct __test_metadata *_metadata, FIXTURE_DATA(calldouble) *self,
		      __u16 stack)
{
	const u64 room = reserve(8, 1) +
			 (stack ? sizeof(user_t) + 8 * NR_REGS + stack : 0);
	const sample_t *a, *b;

	open_buffer(self, 0, (arg_t){
		.buf_size = sizeof(hdr_t) + 2 * (room + 1), .buf_stack = stack,
		.buf_max_depth = 8, .buf_flags = CHAIN_USER });
	sample_faults(self->fd, 0, 1, NOTIFY, 0);
	sample_faults(self->fd, 1, 1, NOTIFY, 0);
	attach(self->fd, self->p.tid);
	fault(self, 1);
	check_half(_metadata, self, 0, USER, 0,
		   self->hdr->hdr_half[0].half_end - sizeof(hdr_t));
	a = (const void *)(self->hdr + 1);
	b = (const void *)((const char *)self->hdr +
			   self->hdr->hdr_half[1].half_begin);
	EXPECT_EQ(SW_PMD(0), a->ovfl_pmd);
	EXPECT_EQ(SW_PMD(1), b->ovfl_pmd);
	EXPECT_EQ(a->tstamp, b->tstamp);
	/* One event, one chain. */
	EXPECT_LT(0, a->nr_user);
	ASSERT_EQ(a->nr_user, b->nr_user);
	EXPECT_EQ(0, memcmp(a + 1, b + 1, 8U * a->nr_user));
	ASSERT_EQ(a->size, b->size);
	EXPECT_EQ(0, memcmp(a + 1, b + 1, a->size - sizeof(*a)));
	EXPECT_EQ(stack > 0, !!user_of(a));
	close_buffer(self);
}

TEST_F(calldouble, simultaneous_overflows)
{
	NEED_FORMAT(&self->m);
	check_two(_metadata, self, 0);
	check_two(_metadata, self, 512);
}

/* ------------------------------------------------------------------------
 * A program that is late
 */

/* What is there stays; what comes is counted, and said where it is missing. */
TEST_F(calldouble, late)
{
	static char copy[65536];
	u64 before, after;
	const char *at;

	NEED_FORMAT(&self->m);
	open_halves(self, 0, 20, 0, NOTIFY);
	fault(self, 40);
	EXPECT_EQ(CTR(0), overflowed(self->fd));
	/* Full, and nothing is lost yet. */
	check_half(_metadata, self, 1, KERNEL, 1, 20 * SAMPLE);
	EXPECT_EQ(0, self->hdr->hdr_gap.type);
	EXPECT_EQ(2ULL, self->hdr->hdr_overflows);
	at = (const char *)(self->hdr + 1);
	memcpy(copy, at, 2 * self->hdr->hdr_half_size);
	before = now_ns(CLOCK_MONOTONIC);
	fault(self, 33);
	after = now_ns(CLOCK_MONOTONIC);
	EXPECT_EQ(0, memcmp(copy, at, 2 * self->hdr->hdr_half_size));
	EXPECT_EQ(0U, overflowed(self->fd));
	EXPECT_EQ(33ULL, self->hdr->hdr_gap.samples);
	EXPECT_EQ(33ULL, self->hdr->hdr_lost);
	check_masked(_metadata, self, false);

	EXPECT_TRUE(follow(_metadata, self, true));
	EXPECT_FALSE(follow(_metadata, self, true));
	EXPECT_EQ(40ULL, self->r.samples);
	EXPECT_EQ(0ULL, self->r.gaps);
	check_sums(_metadata, self);
	/* Now the next one finds room again, behind the gap. */
	fault(self, 3);
	EXPECT_EQ(CTR(0), overflowed(self->fd));
	EXPECT_TRUE(follow(_metadata, self, true));
	check_half(_metadata, self, 0, KERNEL, 2, sizeof(lost_t) + 3 * SAMPLE);
	EXPECT_FALSE(follow(_metadata, self, true));
	EXPECT_EQ(1ULL, self->r.gaps);
	ASSERT_EQ(33ULL, self->r.lost);
	EXPECT_LE(before, self->r.last_gap->tstamp);
	EXPECT_GE(after, self->r.last_gap->until);
	EXPECT_EQ(43ULL, self->r.samples);
	EXPECT_EQ(0, self->hdr->hdr_gap.type);
	check_sums(_metadata, self);
}

/* Always late: with the LOST record a half still has room for the largest sample. */
TEST_F(calldouble, late_again_and_again)
{
	u32 round;

	NEED_FORMAT(&self->m);
	open_halves(self, 0, 1, 0, 0);
	for (round = 0; round < 20; round++) {
		fault(self, 7);
		while (follow(_metadata, self, true))
			;
		check_sums(_metadata, self);
	}
	EXPECT_LE(10ULL, self->r.gaps);
	EXPECT_EQ(140ULL, self->hdr->hdr_samples);
	EXPECT_EQ(140ULL, self->r.number + self->hdr->hdr_gap.samples);
}

/* ------------------------------------------------------------------------
 * PFM_CALLDOUBLE_SMPL_MASK_WHEN_FULL
 */

TEST_F(calldouble, mask_when_full)
{
	u32 round;

	NEED_FORMAT(&self->m);
	open_halves(self, 0, 10, MASK_FULL, NOTIFY);
	fault(self, 10);
	EXPECT_EQ(CTR(0), overflowed(self->fd));
	for (round = 1; round < 8; round++) {
		int i = round % 2;

		fault(self, 25);
		check_masked(_metadata, self, true);
		EXPECT_EQ(CTR(0), overflowed(self->fd));
		check_half(_metadata, self, i, USER, round, 10 * SAMPLE);
		check_half(_metadata, self, !i, USER, round - 1, 10 * SAMPLE);
		/* The older one is given back, and written next. */
		EXPECT_TRUE(follow(_metadata, self, true));
		check_masked(_metadata, self, false);
		check_half(_metadata, self, !i, KERNEL, round + 1, 0);
	}
	EXPECT_EQ(0ULL, self->hdr->hdr_lost);
	EXPECT_TRUE(follow(_metadata, self, true));
	check_sums(_metadata, self);
}

/* What overflows with the one that masks finds no room: it is counted. */
TEST_F(calldouble, lost_beside_the_last_one)
{
	NEED_FORMAT(&self->m);
	open_buffer(self, 0, (arg_t){
		.buf_size = sizeof(hdr_t) + 2 * (reserve(0, 0) + 4 * sizeof(sample_t)),
		.buf_flags = MASK_FULL });
	sample_faults(self->fd, 0, 1, NOTIFY, 0);
	attach(self->fd, self->p.tid);
	fault(self, 9);
	EXPECT_EQ(CTR(0), overflowed(self->fd));
	sample_faults(self->fd, 1, 1, NOTIFY, 0);
	fault(self, 10);
	check_masked(_metadata, self, true);
	EXPECT_EQ(CTR(0) | CTR(1), overflowed(self->fd));
	EXPECT_EQ(11ULL, self->hdr->hdr_samples);
	EXPECT_EQ(1ULL, self->hdr->hdr_lost);
	MUST(pfm_restart(self->fd));
	fault(self, 1);
	/* The gap, then the two of that fault; the first fault is the long value's. */
	EXPECT_EQ(PFM_CALLCHAIN_SMPL_LOST, ((const rec_t *)(self->hdr + 1))->type);
	EXPECT_EQ(1ULL, ((const lost_t *)(self->hdr + 1))->samples);
}

/* With PFM_FL_NOTIFY_BLOCK it waits when both are full, and not before. */
TEST_F(calldouble, notify_block)
{
	u32 round;

	NEED_FORMAT(&self->m);
	open_halves(self, PFM_FL_NOTIFY_BLOCK, 10, MASK_FULL, NOTIFY);
	fault(self, 19);
	EXPECT_EQ(CTR(0), overflowed(self->fd));
	for (round = 1; round < 5; round++) {
		puppet_post(&self->p, OP_FAULT, 10);
		ASSERT_EQ(PFM_MSG_OVFL, pfm_next_msg(self->fd, NULL, PATIENCE));
		EXPECT_FALSE(puppet_done(&self->p, 30));
		EXPECT_EQ(10ULL * round + 10, self->hdr->hdr_samples);
		EXPECT_TRUE(follow(_metadata, self, true));
		ASSERT_TRUE(puppet_done(&self->p, PATIENCE));
		EXPECT_EQ(10ULL * round + 19, self->hdr->hdr_samples);
	}
	EXPECT_EQ(0ULL, self->hdr->hdr_lost);
}

/* Without a message no program would release the thread: it does not block. */
TEST_F(calldouble, masked_in_silence)
{
	NEED_FORMAT(&self->m);
	open_halves(self, PFM_FL_NOTIFY_BLOCK, 10, MASK_FULL, 0);
	fault(self, 50);
	check_masked(_metadata, self, true);
	EXPECT_EQ(0ULL, pfm_fdinfo_num(self->fd, "pfm-queued"));
	EXPECT_EQ(20ULL, self->hdr->hdr_samples);
	EXPECT_TRUE(follow(_metadata, self, true));
	fault(self, 5);
	check_half(_metadata, self, 0, KERNEL, 2, 5 * SAMPLE);
}

/* Loaded anew, with both halves full as they were. */
TEST_F(calldouble, load_when_both_are_full)
{
	NEED_FORMAT(&self->m);
	open_halves(self, 0, 10, MASK_FULL, NOTIFY);
	fault(self, 10);
	EXPECT_EQ(CTR(0), overflowed(self->fd));
	fault(self, 10);
	EXPECT_EQ(CTR(0), overflowed(self->fd));
	MUST(pfm_unload(self->fd));
	MUST(pfm_write_period(self->fd, SW_PMD(0), -1ULL, -1ULL, -1ULL));
	attach(self->fd, self->p.tid);
	fault(self, 5);
	check_masked(_metadata, self, true);
	EXPECT_EQ(1ULL, self->hdr->hdr_lost);
	check_half(_metadata, self, 0, USER, 0, 10 * SAMPLE);
	check_half(_metadata, self, 1, USER, 1, 10 * SAMPLE);
}

/* ------------------------------------------------------------------------
 * Maps
 */

static void map_once(void)
{
	MUST(munmap(map_exe(RX, MAP_PRIVATE, 0), page_size()));
}

static u64 map_size(void)
{
	char path[PATH_MAX];

	if (!realpath("/proc/self/exe", path))
		die("/proc/self/exe: %s", strerror(errno));
	return sizeof(map_t) + (strlen(path) + 8) / 8 * 8;
}

/* They turn the halves, too; the message comes with the next sample. */
TEST_F(calldouble, maps_turn)
{
	u64 bytes = map_size();
	unsigned int n;

	NEED_FORMAT(&self->m);
	pages_map(&pages, 64);
	outer(1);
	open_buffer(self, 0, (arg_t){
		.buf_size = sizeof(hdr_t) + 2 * (reserve(1, 0) + 3 * bytes),
		.buf_max_depth = 1, .buf_flags = MAPS });
	sample_faults(self->fd, 0, 1, NOTIFY, 0);
	MUST(pfm_load(self->fd, my_tid()));
	for (n = 0; n < 3; n++)
		map_once();
	check_half(_metadata, self, 0, KERNEL, 0, 3 * bytes);
	map_once();
	check_half(_metadata, self, 0, USER, 0, 3 * bytes);
	check_half(_metadata, self, 1, KERNEL, 1, bytes);
	EXPECT_EQ(1U, self->hdr->hdr_untold);
	EXPECT_EQ(0U, overflowed(self->fd));
	MUST(pfm_start(self->fd));
	outer(1);
	EXPECT_EQ(CTR(0), overflowed(self->fd));
	MUST(pfm_stop(self->fd));
	EXPECT_EQ(0U, self->hdr->hdr_untold);
	EXPECT_EQ(0ULL, self->hdr->hdr_overflows);
	while (follow(_metadata, self, true))
		;
	EXPECT_EQ(4ULL, self->r.maps);
	check_sums(_metadata, self);
}

/* Those that find no room are in the LOST record, too; a sample still finds room. */
TEST_F(calldouble, lost_maps)
{
	u64 bytes = map_size();
	unsigned int n;

	NEED_FORMAT(&self->m);
	pages_map(&pages, 64);
	outer(1);
	open_buffer(self, 0, (arg_t){
		.buf_size = sizeof(hdr_t) + 2 * (reserve(1, 0) + 3 * bytes),
		.buf_max_depth = 1, .buf_flags = MAPS });
	MUST(pfm_load(self->fd, my_tid()));
	for (n = 0; n < 16; n++)
		map_once();
	check_half(_metadata, self, 1, KERNEL, 1, 3 * bytes);
	EXPECT_EQ(10ULL, self->hdr->hdr_gap.maps);
	EXPECT_EQ(0ULL, self->hdr->hdr_gap.samples);
	check_masked(_metadata, self, false);
	EXPECT_TRUE(follow(_metadata, self, true));
	map_once();
	while (follow(_metadata, self, true))
		;
	EXPECT_EQ(1ULL, self->r.gaps);
	EXPECT_EQ(10ULL, self->r.lost_maps);
	EXPECT_EQ(7ULL, self->r.maps);
	check_sums(_metadata, self);
}

/* One that no half has room for is lost, and the halves stay as they are. */
TEST_F(calldouble, map_larger_than_a_half)
{
	NEED_FORMAT(&self->m);
	open_buffer(self, 0, (arg_t){
		.buf_size = sizeof(hdr_t) + 2 * reserve(1, 0),
		.buf_max_depth = 1, .buf_flags = MAPS });
	MUST(pfm_load(self->fd, my_tid()));
	map_once();
	check_half(_metadata, self, 0, KERNEL, 0, 0);
	check_half(_metadata, self, 1, FREE, 0, 0);
	EXPECT_EQ(1ULL, self->hdr->hdr_lost_maps);
	check_sums(_metadata, self);
}

TEST_F(calldouble, maps_not_asked_for)
{
	NEED_FORMAT(&self->m);
	open_buffer(self, 0, (arg_t){ .buf_size = 65536 });
	MUST(pfm_load(self->fd, my_tid()));
	map_once();
	EXPECT_EQ(0ULL, self->hdr->hdr_maps);
	check_half(_metadata, self, 0, KERNEL, 0, 0);
}

static void *do_nothing(void *arg)
{
	return arg;
}

/* Each process that the thread makes, in whichever way; threads are none. */
static void make_four(pid_t *pid)
{
	pthread_t t;
	int i;

	if (pthread_create(&t, NULL, do_nothing, NULL))
		die("pthread_create");
	pthread_join(t, NULL);
	for (i = 0; i < 4; i++) {
		pid[i] = i == 3 ? vfork() : (pid_t)MUST(fork());
		if (!pid[i])
			_exit(0);
		reap(pid[i]);
	}
}

/* The next record of that type behind @at, or the first one; NULL: there is none. */
static const rec_t *next_of(const FIXTURE_DATA(calldouble) *f, const rec_t *at, unsigned int type)
{
	const half_t *half = &f->hdr->hdr_half[0];
	const char *p = at ? (const char *)at + at->size : (const char *)f->hdr + half->half_begin;

	for (; p < (const char *)f->hdr + half->half_end; p += ((const rec_t *)p)->size)
		if (((const rec_t *)p)->type == type)
			return (const rec_t *)p;
	return NULL;
}

TEST_F(calldouble, forks)
{
	const pfm_callchain_smpl_fork_t *f = NULL;
	pid_t pid[4];
	u64 last = 0;
	int i;

	NEED_FORMAT(&self->m);
	open_buffer(self, 0, (arg_t){ .buf_size = 65536, .buf_flags = MAPS | FORKS });
	MUST(pfm_load(self->fd, my_tid()));
	make_four(pid);
	for (i = 0; i < 4; i++) {
		f = (const void *)next_of(self, (const rec_t *)f, PFM_CALLCHAIN_SMPL_FORK);
		ASSERT_NE(NULL, f);
		EXPECT_EQ(sizeof(*f), f->size);
		EXPECT_EQ(getpid(), f->pid);
		EXPECT_EQ(my_tid(), f->tid);
		EXPECT_EQ(pid[i], f->child);
		EXPECT_LT(last, f->tstamp);
		last = f->tstamp;
	}
	EXPECT_EQ(NULL, next_of(self, (const rec_t *)f, PFM_CALLCHAIN_SMPL_FORK));
	EXPECT_LE(4ULL, self->hdr->hdr_maps);
}

TEST_F(calldouble, forks_not_asked_for)
{
	pid_t pid[4];

	NEED_FORMAT(&self->m);
	open_buffer(self, 0, (arg_t){ .buf_size = 65536, .buf_flags = MAPS });
	MUST(pfm_load(self->fd, my_tid()));
	make_four(pid);
	EXPECT_EQ(NULL, next_of(self, NULL, PFM_CALLCHAIN_SMPL_FORK));
}

/* In a tree all members' processes, each with the one that has made it. */
TEST_F(calldouble, forks_in_a_tree)
{
	pfarg_load_t load = { .load_flags = PFM_LOADFL_SLOTS };
	const pfm_callchain_smpl_fork_t *f = NULL;
	int sum, go[2], i, parent;
	pid_t pid;
	char c;

	NEED_FORMAT(&self->m);
	pin_somewhere();
	MUST(pipe(go));
	pid = fork_child();
	if (!pid) {
		MUST(read(go[0], &c, 1));
		/* A chain of three. */
		for (i = 0; i < 3; i++) {
			pid = (pid_t)MUST(fork());
			if (pid) {
				reap(pid);
				_exit(0);
			}
		}
		_exit(0);
	}
	sum = (int)MUST(pfm_create(PFM_FL_TREE));
	load.load_pid = pid;
	MUST(pfm(sum, PFM_LOAD_CONTEXT, &load, 1));
	open_buffer(self, PFM_FL_TREE, (arg_t){ .buf_size = 65536, .buf_flags = MAPS | FORKS });
	load.load_pid = sum;
	load.load_flags = PFM_LOADFL_JOIN;
	MUST(pfm(self->fd, PFM_LOAD_CONTEXT, &load, 1));
	MUST(write(go[1], "", 1));
	EXPECT_EQ(0, reap(pid));
	for (i = 0, parent = pid; i < 3; i++, parent = f->child) {
		f = (const void *)next_of(self, (const rec_t *)f, PFM_CALLCHAIN_SMPL_FORK);
		ASSERT_NE(NULL, f);
		EXPECT_EQ(parent, f->pid);
		EXPECT_LT(0, f->child);
	}
	close(sum);
}

TEST_F(calldouble, chain)
{
	const sample_t *s;
	unsigned int n = 0;
	u32 at;

	NEED_FORMAT(&self->m);
	pages_map(&pages, 64);
	outer(1);
	open_buffer(self, 0, (arg_t){ .buf_size = 1 << 18, .buf_flags = CHAIN_USER });
	sample_faults(self->fd, 0, 1, 0, 0);
	attach(self->fd, my_tid());
	outer(20);
	MUST(pfm_stop(self->fd));
	for (at = self->hdr->hdr_half[0].half_begin;
	     at < self->hdr->hdr_half[0].half_end; at += s->size) {
		const u64 *ips;

		s = (const void *)((const char *)self->hdr + at);
		ips = (const u64 *)(s + 1) + s->nr_values;
		if (!in_leaf(s->ip))
			continue;
		ASSERT_LE(4, s->nr_user);
		EXPECT_EQ(s->ip, ips[0]);
		EXPECT_EQ(leaf_return, ips[1]);
		EXPECT_EQ(middle_return, ips[2]);
		EXPECT_EQ(outer_return, ips[3]);
		n++;
	}
	EXPECT_EQ(20, n);
}

/* ------------------------------------------------------------------------
 * Registers and stacks
 */

/* The sample behind @s in the first half, the first one if that is NULL; or NULL. */
static const sample_t *next_sample(const hdr_t *h, const sample_t *s)
{
	const char *at = s ? (const char *)s + s->size : (const char *)(h + 1);

	for (; at < (const char *)h + h->hdr_half[0].half_end; at += ((const rec_t *)at)->size)
		if (((const rec_t *)at)->type == PFM_CALLCHAIN_SMPL_SAMPLE)
			return (const void *)at;
	return NULL;
}

/* The same of one with the registers of fault_known(). */
static const user_t *next_known(const hdr_t *h, const sample_t **s)
{
	do {
		*s = next_sample(h, *s);
	} while (*s && !in_fault_known((*s)->ip));
	return *s ? user_of(*s) : NULL;
}

/* A buffer with @stack bytes of each sample of this thread's faults. */
static void open_stacks(FIXTURE_DATA(calldouble) *f, unsigned int stack)
{
	pages_map(&pages, 64);
	outer(1);
	fault_known(pages.next);
	pages.next += pages.size;
	open_buffer(f, 0, (arg_t){ .buf_size = 1 << 20, .buf_stack = (__u16)stack });
	sample_faults(f->fd, 0, 1, 0, 0);
	attach(f->fd, my_tid());
}

static void check_user(struct __test_metadata *_metadata, const sample_t *s, const user_t *u)
{
	EXPECT_EQ(MACHINE, u->machine);
	EXPECT_EQ(IP + 1, u->nr_regs);
	EXPECT_EQ(0U, u->stack_size % 8);
	EXPECT_EQ((const char *)s + s->size, stack_of(u) + u->stack_size);
}

/* The registers are those of the instruction that faults, the bytes those above its stack pointer. */
TEST_F(calldouble, registers_and_stack)
{
	static const unsigned int sizes[] = { 8, 512, 4096, MAX_STACK };
	volatile u64 pattern[40];
	const sample_t *s = NULL;
	const user_t *u;
	unsigned int i, k;
	u64 at;

	NEED_FORMAT(&self->m);
	for (k = 0; k < ARRAY_SIZE(pattern); k++)
		pattern[k] = 0x123456789abcdefULL * (k + 1);
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		open_stacks(self, sizes[i]);
		fault_known(pages.next);
		MUST(pfm_stop(self->fd));
		s = NULL;
		u = next_known(self->hdr, &s);
		ASSERT_NE(NULL, u);
		check_user(_metadata, s, u);
		for (k = 0; k < 32; k++) {
			if (!(KNOWN & 1U << k))
				continue;
			EXPECT_EQ(known(k), regs_of(u)[k]) {
				TH_LOG("register %u", k);
			}
		}
#ifdef __powerpc__
		EXPECT_EQ(known(0), regs_of(u)[32]);
#endif
		EXPECT_EQ(address((const void *)pages.next), regs_of(u)[PAGE]);
		EXPECT_EQ(s->ip, regs_of(u)[IP]);
		EXPECT_LE(8U, u->stack_size);
		EXPECT_LE(u->stack_size, sizes[i]);
		at = address((const void *)pattern) - regs_of(u)[SP];
		EXPECT_GT(4096ULL, at);
		if (sizes[i] >= 4096 && at < 4096 - sizeof(pattern))
			EXPECT_EQ(0, memcmp((const void *)pattern, stack_of(u) + at,
					    sizeof(pattern)));
		EXPECT_EQ(NULL, next_known(self->hdr, &s));
		close_buffer(self);
	}
}

/* A thread whose stack ends at @end, and what lies behind. */
struct edge {
	FIXTURE_DATA(calldouble) *f;
	char *end;
	size_t more;
};

static void *fault_at_edge(void *arg)
{
	struct edge *e = arg;
	size_t i;

	open_stacks(e->f, MAX_STACK);
	fault_known(pages.next);
	pages.next += pages.size;
	for (i = 0; i < e->more; i += page_size())
		e->end[i] = 1;
	fault_known(pages.next);
	pages.next += pages.size;
	MUST(mprotect(e->end, e->more, PROT_NONE));
	fault_known(pages.next);
	MUST(pfm_stop(e->f->fd));
	return NULL;
}

/* They end where nothing is, or nothing may be read: and nothing is paged in. */
TEST_F(calldouble, end_of_stack)
{
	const size_t size = 64 * page_size();
	struct edge e = { .f = self, .more = MAX_STACK + page_size() };
	const sample_t *s = NULL;
	pthread_attr_t attr;
	pthread_t thread;
	const user_t *u;
	unsigned int i;
	char *mem;
	u64 end;

	NEED_FORMAT(&self->m);
	mem = mmap(NULL, size + e.more, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		   -1, 0);
	ASSERT_NE(MAP_FAILED, mem);
	madvise(mem, size + e.more, MADV_NOHUGEPAGE);
	e.end = mem + size;
	ASSERT_EQ(0, pthread_attr_init(&attr));
	ASSERT_EQ(0, pthread_attr_setstack(&attr, mem, size));
	ASSERT_EQ(0, pthread_create(&thread, &attr, fault_at_edge, &e));
	ASSERT_EQ(0, pthread_join(thread, NULL));
	for (i = 0; i < 3; i++) {
		u = next_known(self->hdr, &s);
		ASSERT_NE(NULL, u);
		check_user(_metadata, s, u);
		end = regs_of(u)[SP] + u->stack_size;
		if (i == 1) {
			EXPECT_EQ(MAX_STACK, u->stack_size);
		} else {
			EXPECT_LT(address(e.end) - 8, end);
			EXPECT_GE(address(e.end), end);
		}
	}
	EXPECT_EQ(NULL, next_known(self->hdr, &s));
	munmap(mem, size + e.more);
}

extern const char call_known_begin[], call_known_end[];

#define LOOP(code)	"\ncall_known_begin:\n\t" code "\ncall_known_end:\n\t"

/* @n system calls with known values in the registers. */
static __attribute__((noipa)) void call_known(unsigned long n)
{
#if defined(__x86_64__)
	__asm__ volatile("lea -128(%%rsp), %%rsp\n\tpush %%rbp\n\t"
			 "mov $0x5a000003, %%ebx\n\tmov $0x5a000004, %%esi\n\t"
			 "mov $0x5a000005, %%edi\n\tmov $0x5a000006, %%ebp\n\t"
			 ".irp n,8,9,10,12,13,14,15\n\t"
			 "mov $0x5a000000 + \\n, %%r\\n\n\t.endr\n"
			 LOOP("mov %1, %%eax\n\tsyscall\n\tdec %%rdx\n\tjnz call_known_begin")
			 "pop %%rbp\n\tlea 128(%%rsp), %%rsp"
			 : "+d"(n) : "i"(SYS_getppid) : "rax", "rcx", "rbx", "rsi", "rdi", "r8",
			 "r9", "r10", "r11", "r12", "r13", "r14", "r15", "memory");
#elif defined(__i386__)
	__asm__ volatile("push %%ebp\n\t"
			 "mov $0x5a000001, %%ecx\n\tmov $0x5a000002, %%edx\n\t"
			 "mov $0x5a000003, %%ebx\n\tmov $0x5a000005, %%ebp\n\t"
			 "mov $0x5a000006, %%esi\n"
			 LOOP("mov %1, %%eax\n\tint $0x80\n\tdec %%edi\n\tjnz call_known_begin")
			 "pop %%ebp"
			 : "+D"(n) : "i"(SYS_getppid) : "eax", "ecx", "edx", "ebx", "esi",
			 "memory");
#elif defined(__powerpc__)
	register unsigned long count __asm__("r14") = n;

	__asm__ volatile(".irp n,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,31\n\t"
			 "lis \\n, 0x5a00\n\tori \\n, \\n, \\n\n\t.endr\n\t"
			 LOOP("li 0, %1\n\tsc\n\taddic. %0, %0, -1\n\tbne call_known_begin")
			 : "+r"(count) : "i"(SYS_getppid) : "r0", "r3", "r4", "r5", "r6", "r7", "r8",
			 "r9", "r10", "r11", "r12", "r15", "r16", "r17", "r18", "r19", "r20",
			 "r21", "r22", "r23", "r24", "r25", "r26", "r27", "r28", "r29",
			 "r31", "ctr", "cr0", "memory");
#else
	/* No labels in a loop that the compiler makes. */
	__asm__ volatile(LOOP(""));
	while (n--)
		syscall(SYS_getppid);
#endif
}

static bool in_calls(u64 ip)
{
	return ip >= address(call_known_begin) && ip < address(call_known_end);
}

/* In the kernel it is where the program has left user level: nothing of the kernel shows. */
TEST_F(calldouble, registers_in_system_calls)
{
	const u64 period = -1000000ULL;
	unsigned int k, inside = 0, outside = 0;
	const sample_t *s = NULL;
	const user_t *u;
	u64 end, now;

	NEED_FORMAT(&self->m);
	NEED_ROOT();
	open_buffer(self, 0, (arg_t){ .buf_size = 1 << 20, .buf_stack = 512,
				      .buf_flags = CHAIN_KERNEL });
	choose(self->fd, 0, 0, PFM_SW_TASK_CLOCK, 0, 0, 0);
	MUST(pfm_write_period(self->fd, SW_PMD(0), period, period, period));
	attach(self->fd, my_tid());
	end = now_ns(CLOCK_MONOTONIC) + (is_slow() ? 1000 : 300) * NSEC_PER_MSEC;
	do {
		call_known(1000);
		now = now_ns(CLOCK_MONOTONIC);
	} while (now < end || (self->hdr->hdr_samples < 100 &&
			       now < end + PATIENCE * NSEC_PER_MSEC));
	MUST(pfm_stop(self->fd));
	while ((s = next_sample(self->hdr, s))) {
		u = user_of(s);
		/* On its way to or from the kernel. */
		if (!u)
			continue;
		check_user(_metadata, s, u);
		if (!in_calls(regs_of(u)[IP]))
			continue;
		for (k = 0; k < u->nr_regs; k++) {
			if (k < 32 && LEFT >> k & 1)
				continue;
			/* What the system call gives is there already: an error, at first. */
			EXPECT_FALSE(is_kernel(regs_of(u)[k]) && (unsigned long)-regs_of(u)[k] > 4095) {
				TH_LOG("register %u is %#llx", k, regs_of(u)[k]);
			}
		}
		for (k = 0; k < 32; k++) {
			if (!(KEPT & 1U << k))
				continue;
			EXPECT_EQ(known(k), regs_of(u)[k]) {
				TH_LOG("register %u", k);
			}
		}
		if (s->nr_kernel)
			inside++;
		else
			outside++;
	}
	TH_LOG("%u samples in system calls, %u outside", inside, outside);
	EXPECT_LT(0, inside);
}

/* ------------------------------------------------------------------------
 * Anything, in any order
 */

struct model {
	u64 bytes[2], cap;
	u32 state[2], seq[2], cur;
	u64 samples, lost, gap, overflows, messages;
	bool masks, masked;
};

static bool model_turn(struct model *m)
{
	u32 other = !m->cur;

	if (m->state[other] != FREE)
		return false;
	m->state[m->cur] = USER;
	m->state[other] = KERNEL;
	m->seq[other] = m->seq[m->cur] + 1;
	m->bytes[other] = 0;
	m->cur = other;
	m->messages++;
	return true;
}

static bool model_is_full(const struct model *m)
{
	return m->bytes[m->cur] > (m->cap - 1) * SAMPLE;
}

static void model_sample(struct model *m)
{
	if (m->masked)
		return;
	m->samples++;
	if (model_is_full(m) && !model_turn(m)) {
		m->lost++;
		m->gap++;
		return;
	}
	if (m->gap)
		m->bytes[m->cur] += sizeof(lost_t);
	m->gap = 0;
	m->bytes[m->cur] += SAMPLE;
	if (!model_is_full(m))
		return;
	m->overflows++;
	if (!model_turn(m) && m->masks) {
		m->state[m->cur] = USER;
		m->messages++;
		m->masked = true;
	}
}

static void model_restart(struct model *m)
{
	u32 other = !m->cur;

	if (m->state[m->cur] == USER) {
		m->state[other] = KERNEL;
		m->seq[other] = m->seq[m->cur] + 1;
		m->bytes[other] = 0;
		m->cur = other;
	} else if (m->state[other] == USER) {
		m->state[other] = FREE;
	}
	m->masked = false;
}

static void check_model(struct __test_metadata *_metadata,
			FIXTURE_DATA(calldouble) *f, const struct model *m)
{
	const hdr_t *h = f->hdr;
	int i;

	for (i = 0; i < 2; i++)
		check_half(_metadata, f, i, m->state[i], m->seq[i], m->bytes[i]);
	EXPECT_EQ(m->samples, h->hdr_samples);
	EXPECT_EQ(m->lost, h->hdr_lost);
	EXPECT_EQ(m->gap, h->hdr_gap.samples);
	EXPECT_EQ(m->overflows, h->hdr_overflows);
	check_masked(_metadata, f, m->masked);
}

TEST_F(calldouble, model)
{
	int round, op, ops = 40;
	u32 seed = 631;

	NEED_FORMAT(&self->m);
	for (round = 0; round < 4; round++) {
		struct model m = {
			.cap = 1 + random_below(&seed, 30), .masks = round & 1,
			.state = { KERNEL },
		};
		u64 messages = 0;

		open_halves(self, 0, m.cap, m.masks ? MASK_FULL : 0, NOTIFY);
		for (op = 0; op < ops; op++) {
			u32 n = random_below(&seed, 3 * (u32)m.cap / 2 + 1);

			if (random_below(&seed, 3)) {
				fault(self, n);
				while (n--)
					model_sample(&m);
			} else if (follow(_metadata, self, true)) {
				model_restart(&m);
			}
			messages += pfm_take_overflows(self->fd);
			ASSERT_EQ(m.messages, messages);
			check_model(_metadata, self, &m);
		}
		while (follow(_metadata, self, true))
			;
		check_sums(_metadata, self);
		close_buffer(self);
	}
}

/* ------------------------------------------------------------------------
 * Reading while the kernel writes
 */

/* The recipe, as fast as it goes and with pauses: all is there, or said to be lost. */
TEST_F(calldouble, reading_while_it_goes_on)
{
	u64 all = 5000, looks = 0;

	NEED_FORMAT(&self->m);
	open_halves(self, 0, 25, 0, 0);
	puppet_post(&self->p, OP_FAULT, (unsigned int)all);
	do {
		if (follow(_metadata, self, true) && ++looks % 16 == 0)
			sleep_ms(1);
	} while (!puppet_done(&self->p, 0));
	while (follow(_metadata, self, true))
		;
	EXPECT_EQ(all, self->hdr->hdr_samples);
	EXPECT_EQ(all, self->r.number + self->hdr->hdr_gap.samples);
	check_sums(_metadata, self);
	TH_LOG("%llu halves, %llu samples, %llu lost in %llu gaps", self->r.released,
	       self->r.samples, self->r.lost, self->r.gaps);
}

/* And as it is meant to be: nothing is lost though it never stops. */
TEST_F(calldouble, reading_for_good)
{
	u64 all = 5000;

	NEED_FORMAT(&self->m);
	open_halves(self, PFM_FL_NOTIFY_BLOCK, 200, MASK_FULL, NOTIFY);
	puppet_post(&self->p, OP_FAULT, (unsigned int)all);
	while (self->r.released < all / 200) {
		ASSERT_EQ(PFM_MSG_OVFL, pfm_next_msg(self->fd, NULL, PATIENCE));
		ASSERT_TRUE(follow(_metadata, self, true));
	}
	EXPECT_TRUE(puppet_done(&self->p, PATIENCE));
	EXPECT_EQ(all, self->r.number);
	EXPECT_EQ(0ULL, self->hdr->hdr_lost);
	check_sums(_metadata, self);
}

TEST_HARNESS_MAIN
