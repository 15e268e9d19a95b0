// SPDX-License-Identifier: GPL-2.0-only
/*
 * The call chain format: chains of functions that are known, in programs of
 * this kernel's word size and of 32 bits; the kernel's part, and who gets it;
 * records of what is mapped and executed, and those that find no room.
 *
 * Page faults are exact events: a sample is at the instruction that faults.
 */
#include "chains.h"

#include <dirent.h>
#include <linux/io_uring.h>

#define KERNEL	PFM_CALLCHAIN_SMPL_KERNEL
#define USER	PFM_CALLCHAIN_SMPL_USER
#define MAPS	PFM_CALLCHAIN_SMPL_MAPS

typedef pfm_callchain_smpl_hdr_t hdr_t;

#define NEED_CALLCHAIN()						\
do {									\
	if (!have_format("callchain"))					\
		SKIP(return, "%s: there is no format callchain",	\
		     _metadata->name);					\
} while (0)

static int chain_create(u32 ctx_flags, pfm_callchain_smpl_arg_t arg, u64 *size)
{
	static const pfm_uuid_t uuid = PFM_CALLCHAIN_SMPL_UUID;

	return smpl_create(uuid, ctx_flags, &arg, sizeof(arg), size);
}

struct chains {
	int fd;
	const hdr_t *hdr;
};

static void chains_open(struct chains *c, u64 buf_size, unsigned int depth,
			unsigned int flags)
{
	pfm_callchain_smpl_arg_t arg = {
		.buf_size = buf_size, .buf_max_depth = (__u16)depth,
		.buf_flags = (__u16)flags,
	};
	u64 size = 0;

	c->fd = (int)MUST(chain_create(0, arg, &size));
	c->hdr = buf_map(c->fd, size);
	set_nonblock(c->fd);
}

/* The record after @r, of any type if @type is 0; the first if @r is NULL. */
static const void *next(const struct chains *c, const void *r, int type)
{
	const char *end = (const char *)c->hdr + c->hdr->hdr_cur_offs;
	const char *p = r;

	do {
		p = p ? p + ((const rec_t *)p)->size
		      : (const char *)(c->hdr + 1);
		if (p >= end)
			return NULL;
		if (((const rec_t *)p)->size % 8 ||
		    ((const rec_t *)p)->size < sizeof(rec_t))
			die("a record of %u bytes", ((const rec_t *)p)->size);
	} while (type && ((const rec_t *)p)->type != type);
	return p;
}

static unsigned int count(const struct chains *c, int type)
{
	const void *r = NULL;
	unsigned int n = 0;

	while ((r = next(c, r, type)))
		n++;
	return n;
}

static const u64 *values(const sample_t *s)
{
	return (const u64 *)(s + 1);
}

static const u64 *kernel_part(const sample_t *s)
{
	return values(s) + s->nr_values;
}

static const u64 *user_part(const sample_t *s)
{
	return kernel_part(s) + s->nr_kernel;
}

static bool sample_size_ok(const sample_t *s)
{
	return s->size == sizeof(*s) + 8U * (s->nr_values + s->nr_kernel +
					     s->nr_user);
}

/* ------------------------------------------------------------------------
 * Samples of this thread
 */

/* The next sample after @s that was taken in leaf(). */
static const sample_t *next_leaf(const struct chains *c, const sample_t *s)
{
	do {
		s = next(c, s, PFM_CALLCHAIN_SMPL_SAMPLE);
	} while (s && !in_leaf(s->ip));
	return s;
}

/* A context that samples this thread at each fault. */
static void sample_me(struct chains *c, unsigned int depth, unsigned int flags)
{
	/* What they touch themselves is there already, and so is the stack. */
	pages_map(&pages, 64);
	outer(1);
	descend(150, 1);
	chains_open(c, 1 << 20, depth, flags);
	sample_faults(c->fd, 0, 1, 0, 0);
	attach(c->fd, my_tid());
}

/* ------------------------------------------------------------------------
 * Chains
 */

TEST(user_chain)
{
	const sample_t *s = NULL;
	struct chains c;
	unsigned int n = 0;
	u64 before, after;

	NEED_CALLCHAIN();
	pages_map(&pages, 64);
	outer(1);
	chains_open(&c, 1 << 20, 0, USER);
	sample_faults(c.fd, 0, 1, 0, CTR(0) | CTR(1));
	choose(c.fd, 0, 1, FAULTS, 0, 0, 0);
	attach(c.fd, my_tid());
	before = now_ns(CLOCK_MONOTONIC);
	outer(20);
	after = now_ns(CLOCK_MONOTONIC);
	MUST(pfm_stop(c.fd));

	while ((s = next_leaf(&c, s))) {
		const u64 *ips = user_part(s);

		ASSERT_TRUE(sample_size_ok(s));
		ASSERT_EQ(0, s->nr_kernel);
		ASSERT_LE(4, s->nr_user);
		ASSERT_GE(64, s->nr_user);
		EXPECT_EQ(s->ip, ips[0]);
		EXPECT_EQ(leaf_return, ips[1]);
		EXPECT_EQ(middle_return, ips[2]);
		EXPECT_EQ(outer_return, ips[3]);
		EXPECT_EQ(getpid(), s->pid);
		EXPECT_EQ(my_tid(), s->tid);
		EXPECT_EQ(SW_PMD(0), s->ovfl_pmd);
		EXPECT_EQ(0, s->set);
		EXPECT_EQ(-1ULL, s->last_reset_val);
		EXPECT_LE(before, s->tstamp);
		EXPECT_GE(after, s->tstamp);
		/* The value of the one that overflowed is 0: it wrapped. */
		ASSERT_EQ(2, s->nr_values);
		EXPECT_EQ(0ULL, values(s)[0]);
		EXPECT_LT(n, values(s)[1]);
		n++;
	}
	EXPECT_EQ(20, n);
	EXPECT_EQ(0ULL, c.hdr->hdr_lost);
}

TEST(header)
{
	struct chains c;

	NEED_CALLCHAIN();
	chains_open(&c, 100000, 9, USER | KERNEL);
	EXPECT_EQ(0ULL, c.hdr->hdr_count);
	EXPECT_EQ(sizeof(hdr_t), c.hdr->hdr_cur_offs);
	EXPECT_EQ(0ULL, c.hdr->hdr_overflows);
	EXPECT_EQ(100000ULL, c.hdr->hdr_buf_size);
	EXPECT_EQ(PFM_CALLCHAIN_SMPL_VERSION, c.hdr->hdr_version);
	EXPECT_EQ(sizeof(hdr_t), c.hdr->hdr_size);
	EXPECT_EQ(USER | KERNEL, c.hdr->hdr_flags);
	EXPECT_EQ(0ULL, c.hdr->hdr_lost);
	EXPECT_EQ(0ULL, c.hdr->hdr_lost_maps);
	EXPECT_EQ(0ULL, c.hdr->hdr_cleared);
	EXPECT_EQ(largest(9, 2), c.hdr->hdr_max_sample);
	EXPECT_EQ(9, c.hdr->hdr_max_depth);
}

/* Deeper than the limit: as many as it says, and the innermost. */
static void check_depth(struct __test_metadata *_metadata, unsigned int depth,
			unsigned int want)
{
	const sample_t *s = NULL;
	struct chains c;
	unsigned int n = 0;

	sample_me(&c, depth, USER);
	EXPECT_EQ(want, c.hdr->hdr_max_depth);
	descend(140, 3);
	MUST(pfm_stop(c.fd));
	while ((s = next_leaf(&c, s))) {
		EXPECT_EQ(want, s->nr_user);
		EXPECT_EQ(s->ip, user_part(s)[0]);
		if (want > 1)
			EXPECT_EQ(leaf_return, user_part(s)[1]);
		/* From the third on all return to descend(), from itself. */
		if (want > 3)
			EXPECT_EQ(user_part(s)[2], user_part(s)[want - 1]);
		n++;
	}
	EXPECT_EQ(3, n);
	close(c.fd);
}

TEST(max_depth)
{
	NEED_CALLCHAIN();
	check_depth(_metadata, 1, 1);
	check_depth(_metadata, 2, 2);
	check_depth(_metadata, 8, 8);
	check_depth(_metadata, 0, PFM_CALLCHAIN_SMPL_DEF_DEPTH);
	check_depth(_metadata, PFM_CALLCHAIN_SMPL_MAX_DEPTH,
		    PFM_CALLCHAIN_SMPL_MAX_DEPTH);
}

/* Without interrupts there is no kernel part; without the flag, no user part. */
TEST(only_what_is_asked_for)
{
	const sample_t *s = NULL;
	struct chains c;
	unsigned int n = 0;

	NEED_CALLCHAIN();
	sample_me(&c, 0, KERNEL);
	outer(5);
	MUST(pfm_stop(c.fd));
	while ((s = next_leaf(&c, s))) {
		EXPECT_EQ(0, s->nr_kernel);
		EXPECT_EQ(0, s->nr_user);
		EXPECT_TRUE(sample_size_ok(s));
		n++;
	}
	EXPECT_EQ(5, n);
}

/*
 * Faults at @p with @fp for a frame pointer (PowerPC: for its stack pointer; IA-64 has no
 * chain of frames).
 */
static __attribute__((noipa)) void fault_with(volatile char *p, const void *fp)
{
#if defined(__powerpc__)
	__asm__ volatile("mr 10,1\n\tmr 1,%1\n\tstb 10,0(%0)\n\tmr 1,10"
			 : : "b"(p), "r"(fp) : "r10", "memory");
#elif defined(__x86_64__)
	__asm__ volatile("mov %%rbp, %%rcx\n\tmov %1, %%rbp\n\t"
			 "movb $1, (%0)\n\tmov %%rcx, %%rbp"
			 : : "a" (p), "d" (fp) : "rcx", "memory");
#elif defined(__ia64__)
	(void)fp;
	*p = 1;
#else
	__asm__ volatile("mov %%ebp, %%ecx\n\tmov %1, %%ebp\n\t"
			 "movb $1, (%0)\n\tmov %%ecx, %%ebp"
			 : : "a" (p), "d" (fp) : "ecx", "memory");
#endif
}

/*
 * Addresses in the user part if fault_with() has a frame that leads nowhere (ALONE): its own;
 * on PowerPC the one in the link register, too. If the frames lead in a circle (ROUND): as
 * many as there is room for; on PowerPC, where a caller's frame must lie above, no more.
 */
#ifdef __powerpc__
#define ALONE		2
#define ROUND		2
#else
#define ALONE		1
#define ROUND		9
#endif

/* Frame pointers to nowhere, to an end that is none, and in a circle. */
TEST(bad_frame_pointers)
{
	struct frame {
		const void *next;
		uintptr_t address;
	} __attribute__((aligned(16))) end = { NULL, UINTPTR_MAX }, circle = { &circle, 4096 };
	const struct {
		const void *fp;
		unsigned int want;
	} tries[] = {
		{ NULL, ALONE },
		{ (void *)1, ALONE },
		{ (void *)4096, ALONE },
		{ (void *)UINTPTR_MAX, ALONE },
		{ (void *)(UINTPTR_MAX - 7), ALONE },
		/* The kernel's, or none. */
		{ (void *)(UINTPTR_MAX << (8 * sizeof(long) - 1) | 1UL << 30), ALONE },
		{ &end, ALONE },
		{ &circle, ROUND },
	};
	const unsigned int n_tries = sizeof(tries) / sizeof(*tries);
	const sample_t *s = NULL;
	struct chains c;
	unsigned int n = 0;

	NEED_CALLCHAIN();
	sample_me(&c, 9, USER | KERNEL);
	for (n = 0; n < n_tries; n++) {
		fault_with(pages.next, tries[n].fp);
		pages.next += pages.size;
	}
	MUST(pfm_stop(c.fd));
	n = 0;
	while ((s = next(&c, s, PFM_CALLCHAIN_SMPL_SAMPLE))) {
		if (s->ip < code_of(fault_with) ||
		    s->ip >= code_of(fault_with) + 64)
			continue;
		ASSERT_GT(n_tries, n);
		EXPECT_EQ(tries[n].want, s->nr_user);
		EXPECT_EQ(s->ip, user_part(s)[0]);
		EXPECT_TRUE(sample_size_ok(s));
		if (s->nr_user > ALONE)
			EXPECT_EQ(4096ULL, user_part(s)[s->nr_user - 1]);
		n++;
	}
	EXPECT_EQ(n_tries, n);
}

#ifdef __powerpc__
/* ------------------------------------------------------------------------
 * PowerPC's frames: the caller's address, and where a function that it has called
 * returns to
 */

#ifdef __powerpc64__
#define LR_WORD		2
#else
#define LR_WORD		1
#endif

/* A frame at @at, with @back for its caller's. */
static uintptr_t *put_frame(uintptr_t *at, uintptr_t back, uintptr_t slot)
{
	at[0] = back;
	at[LR_WORD] = slot;
	return at;
}

/* What follows fault_with() and where that returns to, if it faults with a frame at @fp. */
static unsigned int frames_from(struct chains *c, const void *fp, u64 *ips)
{
	const sample_t *s = NULL;
	unsigned int n = 0;

	sample_me(c, 9, USER);
	fault_with(pages.next, fp);
	MUST(pfm_stop(c->fd));
	while ((s = next(c, s, PFM_CALLCHAIN_SMPL_SAMPLE))) {
		if (s->ip < code_of(fault_with) || s->ip >= code_of(fault_with) + 64)
			continue;
		if (s->nr_user < ALONE || s->ip != user_part(s)[0])
			die("a chain of %u", s->nr_user);
		n = s->nr_user - ALONE;
		memcpy(ips, user_part(s) + ALONE, n * sizeof(*ips));
	}
	close(c->fd);
	munmap((void *)c->hdr, 1 << 20);
	return n;
}

/*
 * Stacks that are none: in a circle, downwards, misaligned, in the kernel, where nothing
 * is or nothing may be read; and one that is longer than there is room for. The walk ends
 * there, and what comes before is right.
 */
TEST(hostile_stacks)
{
	const uintptr_t kernel = (uintptr_t)3 << (8 * sizeof(long) - 2);
	const size_t words = page_size() / sizeof(uintptr_t);
	uintptr_t *mem = mmap(NULL, 3 * page_size(), PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uintptr_t *a = mem + 64, *b = a + 16, *c = b + 16;
	uintptr_t *none = mem + words, *gone = none + words;
	const uintptr_t ends[] = {
		(uintptr_t)a, (uintptr_t)b, (uintptr_t)mem, (uintptr_t)c + sizeof(long),
		(uintptr_t)c + 1, (uintptr_t)c + 4, 1, kernel, kernel + 65536, UINTPTR_MAX,
		UINTPTR_MAX & ~(uintptr_t)15, (uintptr_t)none, (uintptr_t)none + 32,
		(uintptr_t)gone, (uintptr_t)gone - 32,
	};
	struct chains ch;
	u64 ips[9];
	size_t i;

	NEED_CALLCHAIN();
	ASSERT_NE(MAP_FAILED, (void *)mem);
	MUST(mprotect(none, page_size(), PROT_NONE));
	MUST(munmap(gone, page_size()));
	put_frame(a, (uintptr_t)b, 4);
	put_frame(b, (uintptr_t)c, 8);
	put_frame(c, 0, 4096);
	EXPECT_EQ(1U, frames_from(&ch, a, ips));
	EXPECT_EQ(4096ULL, ips[0]);
	for (i = 0; i < ARRAY_SIZE(ends); i++) {
		put_frame(c, ends[i], 4096);
		EXPECT_EQ(1U, frames_from(&ch, a, ips)) {
			TH_LOG("%#llx", (u64)ends[i]);
		}
		EXPECT_EQ(4096ULL, ips[0]);
		put_frame(b, ends[i], 8);
		EXPECT_EQ(0U, frames_from(&ch, a, ips)) {
			TH_LOG("%#llx", (u64)ends[i]);
		}
		put_frame(b, (uintptr_t)c, 8);
	}
	/* Returns to nowhere, and to what is no instruction. */
	put_frame(c, (uintptr_t)c + 64, 0);
	EXPECT_EQ(0U, frames_from(&ch, a, ips));
	put_frame(c, (uintptr_t)c + 64, 4097);
	EXPECT_EQ(0U, frames_from(&ch, a, ips));
	for (i = 0; i + 8 < words; i += 8)
		put_frame(mem + i, (uintptr_t)(mem + i + 8), 4 * i + 4);
	EXPECT_EQ(9U - ALONE, frames_from(&ch, mem, ips));
	for (i = 0; i < 9 - ALONE; i++)
		EXPECT_EQ(4 * 8 * (i + 2) + 4, ips[i]);
	MUST(munmap(mem, 2 * page_size()));
}

/*
 * Functions that fault, at (3), where the stack does not say who has called them: before
 * they have saved the link register, or a frame is there; after both have gone; and those
 * that never do it.
 */
#ifdef __powerpc64__
#define FRAME		"stdu 1,-32(1)\n"
#define NO_FRAME	"addi 1,1,32\n"
#define SAVE		"std 0,16(1)\n"
#define LOAD		"ld 0,16(1)\n"
#define SPOIL		SAVE
#define BEFORE_FRAME	"mflr 0\n" SAVE
#define IN_FRAME	""
#define LATE_LOAD	LOAD
#define EARLY_LOAD	""
#else
#define FRAME		"stwu 1,-16(1)\n"
#define NO_FRAME	"addi 1,1,16\n"
#define SAVE		"stw 0,20(1)\n"
#define SPOIL		"stw 0,4(1)\n"
#define BEFORE_FRAME	""
#define IN_FRAME	"mflr 0\n" SAVE
#define LATE_LOAD	""
#define EARLY_LOAD	"lwz 0,20(1)\n"
#endif
#define FAULT		"stb 3,0(3)\n"
#define CALL		"bl 1f\n"
#define RETURN		"mtlr 0\nblr\n1: blr\n"
/* The 64-bit ELF V1 ABI has descriptors. */
#if defined(__powerpc64__) && _CALL_ELF != 2
#define LABEL(name)							\
	".section .opd,\"aw\"\n.balign 8\n"				\
	#name ": .quad .L_" #name ",.TOC.@tocbase,0\n.previous\n.L_" #name ":\n"
#else
#define LABEL(name)	#name ":\n"
#endif
#define FUNCTION(name, code)						\
	void name(volatile char *p);					\
	__asm__(".text\n.balign 16\n.type " #name ",@function\n" LABEL(name) code)

FUNCTION(at_begin, FAULT BEFORE_FRAME FRAME IN_FRAME CALL EARLY_LOAD NO_FRAME LATE_LOAD RETURN);
FUNCTION(before_frame, BEFORE_FRAME FAULT FRAME IN_FRAME CALL EARLY_LOAD NO_FRAME LATE_LOAD
	 RETURN);
FUNCTION(in_new_frame, BEFORE_FRAME FRAME FAULT IN_FRAME CALL EARLY_LOAD NO_FRAME LATE_LOAD
	 RETURN);
FUNCTION(before_call, BEFORE_FRAME FRAME IN_FRAME FAULT CALL EARLY_LOAD NO_FRAME LATE_LOAD
	 RETURN);
FUNCTION(after_call, BEFORE_FRAME FRAME IN_FRAME "mr 31,3\n" CALL "mr 3,31\n" FAULT EARLY_LOAD
	 NO_FRAME LATE_LOAD RETURN);
FUNCTION(without_frame, BEFORE_FRAME FRAME IN_FRAME CALL EARLY_LOAD NO_FRAME FAULT LATE_LOAD
	 RETURN);
FUNCTION(leaf_bare, FAULT "blr\n");
FUNCTION(leaf_framed, FRAME FAULT NO_FRAME "blr\n");
/* Puts where its caller's callees save their link register what is no address of a call. */
FUNCTION(spoil, "li 0,64\n" SPOIL "blr\n");
FUNCTION(leaf_branches, "cmpwi 3,0\nbeq 2f\n" FAULT "b 3f\n2: trap\n3: blr\n");

static u64 call_return;

/*
 * Calls @fn after spoil() has put a wrong address where @fn may save its own: a walk that
 * takes that for saved is found out.
 */
#pragma GCC push_options
#pragma GCC optimize("no-optimize-sibling-calls", "no-shrink-wrap")
static __attribute__((noipa)) void call_it(void (*fn)(volatile char *), volatile char *p)
{
	call_return = address(__builtin_return_address(0));
	spoil(p);
	fn(p);
	__asm__ volatile("" : : : "memory", "r31");
}
#pragma GCC pop_options

TEST(interrupted_anywhere)
{
	static void (*const fns[])(volatile char *) = {
		at_begin, before_frame, in_new_frame, before_call, after_call,
		without_frame, leaf_bare, leaf_framed, leaf_branches,
	};
	const sample_t *s = NULL;
	struct chains c;
	size_t i;

	NEED_CALLCHAIN();
	sample_me(&c, 9, USER);
	for (i = 0; i < ARRAY_SIZE(fns); i++) {
		pages.next += pages.size;
		call_it(fns[i], pages.next);
	}
	MUST(pfm_stop(c.fd));
	i = 0;
	while ((s = next(&c, s, PFM_CALLCHAIN_SMPL_SAMPLE))) {
		u64 from = i < ARRAY_SIZE(fns) ? code_of(fns[i]) : 0;

		/* What call_it() itself touches may fault, too. */
		if (s->ip < from || s->ip >= from + 64)
			continue;
		ASSERT_LE(3, s->nr_user);
		EXPECT_EQ(s->ip, user_part(s)[0]);
		EXPECT_LT(code_of(call_it), user_part(s)[1]) {
			TH_LOG("function %zu", i);
		}
		EXPECT_GT(code_of(call_it) + 256, user_part(s)[1]) {
			TH_LOG("function %zu", i);
		}
		EXPECT_EQ(call_return, user_part(s)[2]) {
			TH_LOG("function %zu", i);
		}
		i++;
	}
	EXPECT_EQ(ARRAY_SIZE(fns), i);
}
#endif /* __powerpc__ */

/* Samples by time, most of the time in the kernel. */
static void sample_system_calls(struct chains *c)
{
	const u64 period = -1000000ULL;
	u64 now, end;

	chains_open(c, 1 << 20, 0, KERNEL | USER);
	choose(c->fd, 0, 0, PFM_SW_TASK_CLOCK, 0, 0, 0);
	MUST(pfm_write_period(c->fd, SW_PMD(0), period, period, period));
	attach(c->fd, my_tid());
	end = now_ns(CLOCK_MONOTONIC) + (is_slow() ? 1000 : 300) * NSEC_PER_MSEC;
	do {
		if (access("/no/such/file", F_OK) == 0)
			die("there is /no/such/file");
		now = now_ns(CLOCK_MONOTONIC);
		/* A CPU that stands still takes fewer. */
	} while (now < end || (c->hdr->hdr_count < 100 &&
			       now < end + PATIENCE * NSEC_PER_MSEC));
	MUST(pfm_stop(c->fd));
}

TEST(kernel_chain)
{
	const sample_t *s = NULL;
	struct chains c;
	unsigned int i, deep = 0;

	NEED_CALLCHAIN();
	NEED_ROOT();
	sample_system_calls(&c);
	while ((s = next(&c, s, PFM_CALLCHAIN_SMPL_SAMPLE))) {
		ASSERT_TRUE(sample_size_ok(s));
		EXPECT_EQ(is_kernel(s->ip), s->nr_kernel > 0);
		if (s->nr_kernel)
			EXPECT_EQ(s->ip, kernel_part(s)[0]);
		for (i = 0; i < s->nr_kernel; i++) {
			EXPECT_TRUE(is_kernel(kernel_part(s)[i]));
			EXPECT_NE(-1ULL, kernel_part(s)[i]);
		}
		/* Where it entered, if nothing else. */
		EXPECT_LE(1, s->nr_user);
		EXPECT_FALSE(is_kernel(user_part(s)[0]));
		deep += s->nr_kernel > 2;
	}
	EXPECT_LT(0, deep);
}

/* A function of the kernel's. */
struct function {
	const char *name;
	u64 begin, end;
};

/* Where they are, from /proc/kallsyms, which is in no order; what is not there is nowhere. */
static void find_functions(struct function *fns, size_t n)
{
	FILE *f = fopen("/proc/kallsyms", "r");
	unsigned long long addr;
	char line[512];
	size_t i;

	if (!f)
		return;
	while (fgets(line, sizeof(line), f)) {
		char type, name[256];

		if (sscanf(line, "%llx %c %255s", &addr, &type, name) != 3 ||
		    !strchr("tTwW", type))
			continue;
		/* Where functions have descriptors, the names of their code begin with a dot. */
		for (i = 0; i < n; i++)
			if (!strcmp(fns[i].name, name + (*name == '.')))
				fns[i].begin = fns[i].end = addr;
	}
	rewind(f);
	while (fgets(line, sizeof(line), f)) {
		addr = strtoull(line, NULL, 16);
		for (i = 0; i < n; i++)
			if (fns[i].begin && addr > fns[i].begin &&
			    (addr < fns[i].end || fns[i].end == fns[i].begin))
				fns[i].end = addr;
	}
	fclose(f);
}

/* From @i on, the first in the kernel's part of @s that is in one of @fns; else how many. */
static unsigned int find_call(const sample_t *s, unsigned int i, const struct function *fns,
			      size_t n)
{
	const u64 *ips = kernel_part(s);
	size_t k;

	for (; i < s->nr_kernel; i++)
		for (k = 0; k < n; k++)
			if (ips[i] >= fns[k].begin && ips[i] < fns[k].end)
				return i;
	return s->nr_kernel;
}

/*
 * The kernel faults in a system call: what it does then, where it faulted, which is a function
 * that calls nothing, and the calls that led there.
 */
TEST(kernel_chain_over_a_fault)
{
	struct function fns[] = {
		{ .name = "handle_mm_fault" }, { .name = "vfs_read" },
		{ .name = "__arch_clear_user" }, { .name = "__clear_user" },
		{ .name = "clear_user_original" }, { .name = "clear_user_rep_good" },
		{ .name = "clear_user_erms" }, { .name = "clear_user" },
		/* Since 6.4 x86-64 calls that, or where it need not has it in the caller. */
		{ .name = "rep_stos_alternative" }, { .name = "iov_iter_zero" },
	};
	const u64 period = -1000000ULL;
	const size_t size = 64 * page_size();
	unsigned int n = 0, over = 0, i;
	const sample_t *s = NULL, *more;
	struct chains c;
	char *mem;
	u64 end;
	int fd;

	NEED_CALLCHAIN();
	NEED_ROOT();
	find_functions(fns, ARRAY_SIZE(fns));
	if (!fns[0].begin)
		SKIP(return, "%s: /proc/kallsyms does not show addresses", _metadata->name);
	fd = (int)MUST(open("/dev/zero", O_RDONLY));
	mem = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, mem);
	/* Not every kernel has huge pages. */
	madvise(mem, size, MADV_NOHUGEPAGE);
	chains_open(&c, 1 << 20, 0, KERNEL);
	choose(c.fd, 0, 0, PFM_SW_TASK_CLOCK, 0, 0, 0);
	MUST(pfm_write_period(c.fd, SW_PMD(0), period, period, period));
	attach(c.fd, my_tid());
	end = now_ns(CLOCK_MONOTONIC) + PATIENCE * NSEC_PER_MSEC;
	while (over < 50 && now_ns(CLOCK_MONOTONIC) < end) {
		MUST(madvise(mem, size, MADV_DONTNEED));
		MUST(read(fd, mem, size));
		while ((more = next(&c, s, PFM_CALLCHAIN_SMPL_SAMPLE))) {
			s = more;
			i = find_call(s, 0, &fns[0], 1);
			if (i == s->nr_kernel)
				continue;
			n++;
			i = find_call(s, i + 1, &fns[2], ARRAY_SIZE(fns) - 2);
			over += find_call(s, i + 1, &fns[1], 1) < s->nr_kernel;
		}
	}
	MUST(pfm_stop(c.fd));
	EXPECT_LE(50U, over);
	/* The test itself may have faulted once or twice. */
	EXPECT_LE(n, over + over / 4);
	close(fd);
}

/* Two threads that wait for each other by pipes. */
#define TURNS	300

struct player {
	pthread_t thread;
	pthread_barrier_t *both;
	pid_t tid;
	int from, to;
	struct chains c;
	u64 naps, switches;	/* while it was monitored */
};

static void *play(void *arg)
{
	const u64 period = -1ULL;
	struct player *p = arg;
	char turn = 0;
	int i;

	p->tid = my_tid();
	chains_open(&p->c, 1 << 20, 0, USER | KERNEL);
	choose(p->c.fd, 0, 0, PFM_SW_CSWITCHES, 0, 0, 0);
	MUST(pfm_write_period(p->c.fd, SW_PMD(0), period, period, period));
	pthread_barrier_wait(p->both);
	attach(p->c.fd, p->tid);
	p->naps = my_naps();
	p->switches = my_switches();
	for (i = 0; i < TURNS; i++) {
		MUST(write(p->to, &turn, 1));
		MUST(read(p->from, &turn, 1));
	}
	p->naps = my_naps() - p->naps;
	p->switches = my_switches() - p->switches;
	MUST(pfm_stop(p->c.fd));
	return NULL;
}

/*
 * A switch of threads is where the thread has called the scheduler: one that waits for a pipe is in
 * the function that reads pipes, and the calls that led there follow.
 */
TEST(where_threads_wait)
{
	struct function fns[] = {
		{ .name = "vfs_read" }, { .name = "vfs_write" },
		{ .name = "pipe_read" }, { .name = "pipe_write" },
		{ .name = "anon_pipe_read" }, { .name = "anon_pipe_write" },
	};
	pthread_barrier_t both;
	struct player p[2] = { { .both = &both }, { .both = &both } };
	int i, pipes[2][2];

	NEED_CALLCHAIN();
	NEED_ROOT();
	find_functions(fns, ARRAY_SIZE(fns));
	if (!fns[0].begin)
		SKIP(return, "%s: /proc/kallsyms does not show addresses", _metadata->name);
	pin_somewhere();
	ASSERT_EQ(0, pthread_barrier_init(&both, NULL, 2));
	for (i = 0; i < 2; i++)
		MUST(pipe(pipes[i]));
	for (i = 0; i < 2; i++) {
		p[i].from = pipes[i][0];
		p[i].to = pipes[!i][1];
		ASSERT_EQ(0, pthread_create(&p[i].thread, NULL, play, &p[i]));
	}
	for (i = 0; i < 2; i++)
		pthread_join(p[i].thread, NULL);
	/* On one CPU one of them waits in each turn, but for the first and the last ones. */
	EXPECT_LE((u64)TURNS / 2, p[0].naps + p[1].naps);
	for (i = 0; i < 2; i++) {
		const sample_t *s = NULL;
		u64 all = 0, waits = 0;

		while ((s = next(&p[i].c, s, PFM_CALLCHAIN_SMPL_SAMPLE))) {
			all++;
			ASSERT_EQ(p[i].tid, s->tid);
			ASSERT_LE(2, s->nr_kernel);
			ASSERT_LE(1, s->nr_user);
			EXPECT_TRUE(is_kernel(s->ip));
			EXPECT_EQ(s->ip, kernel_part(s)[0]);
			EXPECT_FALSE(is_kernel(user_part(s)[0]));
			waits += !find_call(s, 0, &fns[2], ARRAY_SIZE(fns) - 2) &&
				 find_call(s, 1, &fns[0], 2) < s->nr_kernel;
		}
		EXPECT_LE(p[i].switches, all);
		EXPECT_LE(p[i].naps, waits);
		TH_LOG("%llu of %llu switches, %llu waits, are in a pipe", waits, all,
		       p[i].naps);
	}
}

/*
 * A thread of this program that stays in the kernel: it polls the memory of an io_uring for a
 * second after it was woken. Returns its number; the ring's descriptor to @ring, or -errno.
 */
static pid_t thread_of_io_uring(int *ring)
{
	struct io_uring_params params = {
		.flags = IORING_SETUP_SQPOLL, .sq_thread_idle = 1000,
	};
	struct dirent *d;
	pid_t tid = 0;
	DIR *dir;

	*ring = (int)syscall(SYS_io_uring_setup, 1, &params);
	if (*ring < 0) {
		*ring = -errno;
		return 0;
	}
	dir = opendir("/proc/self/task");
	while (dir && (d = readdir(dir)))
		if (atoi(d->d_name) && atoi(d->d_name) != my_tid())
			tid = atoi(d->d_name);
	if (dir)
		closedir(dir);
	return tid;
}

/* io_uring's threads have the program's memory, and no user level. */
TEST(no_user_level)
{
	pfarg_load_t load = {};
	const sample_t *s;
	struct chains c;
	u64 end;
	int ring;

	NEED_CALLCHAIN();
	load.load_pid = thread_of_io_uring(&ring);
	if (ring < 0)
		SKIP(return, "no io_uring: %s", strerror(-ring));
	ASSERT_LT(0, (int)load.load_pid);
	c.fd = (int)MUST(pfm_create(PFM_FL_NOTIFY_BLOCK));
	EXPECT_EQ(-EPERM, pfm(c.fd, PFM_LOAD_CONTEXT, &load, 1));
	close(c.fd);

	chains_open(&c, 65536, 0, USER | KERNEL);
	MUST(pfm_write_pmc(c.fd, SW_PMC(0), PFM_SW_TASK_CLOCK, 0));
	MUST(pfm_write_period(c.fd, SW_PMD(0), -1000000ULL, -1000000ULL, -1000000ULL));
	attach(c.fd, (pid_t)load.load_pid);
	end = now_ns(CLOCK_MONOTONIC) + PATIENCE * NSEC_PER_MSEC;
	while (c.hdr->hdr_count < 10 && now_ns(CLOCK_MONOTONIC) < end) {
		MUST(syscall(SYS_io_uring_enter, ring, 0, 0, IORING_ENTER_SQ_WAKEUP, NULL, 0));
		sched_yield();
	}
	MUST(pfm_stop(c.fd));
	EXPECT_LE(10ULL, c.hdr->hdr_count);
	for (s = NULL; (s = next(&c, s, PFM_CALLCHAIN_SMPL_SAMPLE)); )
		EXPECT_EQ(0, s->nr_user);
	close(c.fd);
	close(ring);
}

/* Whether a sample of one's own system calls shows a kernel address. */
static int shows_kernel(void)
{
	const sample_t *s = NULL;
	unsigned int n = 0;
	struct chains c;

	sample_system_calls(&c);
	while ((s = next(&c, s, PFM_CALLCHAIN_SMPL_SAMPLE))) {
		if (s->nr_kernel || is_kernel(s->ip))
			return 1;
		if (!s->nr_user || is_kernel(user_part(s)[0]))
			return 2;
		n++;
	}
	return n ? 0 : 3;
}

TEST(kernel_hidden_from_others)
{
	pid_t pid;

	NEED_CALLCHAIN();
	NEED_ROOT();
	harden(true);
	pid = fork_child();
	if (!pid) {
		become(NOBODY);
		_exit(shows_kernel());
	}
	EXPECT_EQ(0, reap(pid));
	harden(false);
}

/* ------------------------------------------------------------------------
 * Maps
 */

/* The line of /proc/self/maps that begins with @addr, as a record. */
static bool proc_map(u64 addr, map_t *m, char *path, size_t size)
{
	FILE *f = fopen("/proc/self/maps", "r");
	unsigned long long start, end, offset, ino;
	char line[PATH_MAX + 128], perm[8];
	unsigned int major, minor;
	bool found = false;
	int at = 0;

	if (!f)
		die("/proc/self/maps: %s", strerror(errno));
	while (!found && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%llx-%llx %7s %llx %x:%x %llu %n", &start,
			   &end, perm, &offset, &major, &minor, &ino, &at) != 7)
			die("%s", line);
		found = start == addr;
	}
	fclose(f);
	if (!found)
		return false;
	line[strcspn(line, "\n")] = '\0';
	snprintf(path, size, "%s", line + at);
	*m = (map_t) {
		.addr = start, .len = end - start, .pgoff = offset, .ino = ino,
		.major = major, .minor = minor,
		.flags = (perm[0] == 'r' ? PFM_CALLCHAIN_MAP_READ : 0) |
			 (perm[1] == 'w' ? PFM_CALLCHAIN_MAP_WRITE : 0) |
			 (perm[2] == 'x' ? PFM_CALLCHAIN_MAP_EXEC : 0) |
			 (perm[3] == 's' ? PFM_CALLCHAIN_MAP_SHARED : 0),
	};
	return true;
}

static const char *path_of(const map_t *m)
{
	return (const char *)(m + 1);
}

static void check_map(struct __test_metadata *_metadata, const map_t *m,
		      const void *addr)
{
	char path[PATH_MAX];
	map_t want;

	ASSERT_TRUE(proc_map(address(addr), &want, path, sizeof(path)));
	EXPECT_EQ(want.addr, m->addr);
	EXPECT_EQ(want.len, m->len);
	EXPECT_EQ(want.pgoff, m->pgoff);
	EXPECT_EQ(want.ino, m->ino);
	EXPECT_EQ(want.major, m->major);
	EXPECT_EQ(want.minor, m->minor);
	EXPECT_EQ(want.flags, m->flags);
	EXPECT_EQ(getpid(), m->pid);
	EXPECT_EQ(my_tid(), m->tid);
	EXPECT_STREQ(path, path_of(m));
	EXPECT_EQ(sizeof(*m) + (strlen(path) + 8) / 8 * 8, m->size);
	EXPECT_TRUE(all_bytes(path_of(m) + strlen(path),
			      m->size - sizeof(*m) - strlen(path), 0));
}

TEST(maps)
{
	const map_t *m;
	struct chains c;
	u64 before, after;
	void *a, *b, *d;

	NEED_CALLCHAIN();
	chains_open(&c, 65536, 0, MAPS);
	a = map_exe(RX, MAP_PRIVATE, 0);
	EXPECT_EQ(0ULL, c.hdr->hdr_count);
	MUST(munmap(a, page_size()));

	MUST(pfm_load(c.fd, my_tid()));
	before = now_ns(CLOCK_MONOTONIC);
	a = map_exe(RX, MAP_PRIVATE, page_size());
	after = now_ns(CLOCK_MONOTONIC);
	MUST(pfm_start(c.fd));
	b = map_exe(RX, MAP_SHARED, 0);
	/* Not these: not executable, or no file's. */
	map_exe(PROT_READ, MAP_PRIVATE, 0);
	ASSERT_NE(MAP_FAILED, mmap(NULL, page_size(), RX,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
	d = map_exe(RX | PROT_WRITE, MAP_PRIVATE, 0);
	ASSERT_EQ(3ULL, c.hdr->hdr_count);
	ASSERT_EQ(3, count(&c, PFM_CALLCHAIN_SMPL_MAP));

	m = next(&c, NULL, 0);
	check_map(_metadata, m, a);
	EXPECT_LE(before, m->tstamp);
	EXPECT_GE(after, m->tstamp);
	m = next(&c, m, 0);
	check_map(_metadata, m, b);
	EXPECT_EQ(PFM_CALLCHAIN_MAP_READ | PFM_CALLCHAIN_MAP_EXEC |
		  PFM_CALLCHAIN_MAP_SHARED, m->flags);
	m = next(&c, m, 0);
	check_map(_metadata, m, d);

	MUST(pfm_unload(c.fd));
	map_exe(RX, MAP_SHARED, page_size());
	EXPECT_EQ(3ULL, c.hdr->hdr_count);
}

/* A module learns of what becomes executable later, too. */
TEST(maps_by_mprotect)
{
	const map_t *m;
	struct chains c;
	void *a;

	NEED_CALLCHAIN();
	chains_open(&c, 65536, 0, MAPS);
	attach(c.fd, my_tid());
	a = map_exe(PROT_READ, MAP_PRIVATE, 0);
	ASSERT_EQ(0, count(&c, PFM_CALLCHAIN_SMPL_MAP));
	MUST(mprotect(a, page_size(), RX));
	ASSERT_EQ(is_module(), count(&c, PFM_CALLCHAIN_SMPL_MAP));
	m = next(&c, NULL, 0);
	if (is_module())
		check_map(_metadata, m, a);
	munmap(a, page_size());
}

TEST(maps_not_asked_for)
{
	struct chains c;

	NEED_CALLCHAIN();
	chains_open(&c, 65536, 0, USER);
	attach(c.fd, my_tid());
	map_exe(RX, MAP_PRIVATE, 0);
	EXPECT_EQ(0, count(&c, PFM_CALLCHAIN_SMPL_MAP));
	EXPECT_EQ(0ULL, c.hdr->hdr_lost_maps);
}

/* Another thread's mappings are in the contexts of that thread. */
static void *other_thread(void *arg)
{
	(void)arg;
	return map_exe(RX, MAP_PRIVATE, 0);
}

TEST(maps_of_the_thread_only)
{
	struct chains c;
	pthread_t t;

	NEED_CALLCHAIN();
	chains_open(&c, 65536, 0, MAPS);
	attach(c.fd, my_tid());
	ASSERT_EQ(0, pthread_create(&t, NULL, other_thread, NULL));
	pthread_join(t, NULL);
	EXPECT_EQ(0ULL, c.hdr->hdr_count);
}

TEST(exec)
{
	const exec_t *e;
	const map_t *m;
	char path[PATH_MAX];
	bool found = false;
	struct chains c;
	int go[2];
	pid_t pid;
	char byte;

	NEED_CALLCHAIN();
	if (!realpath("/proc/self/exe", path))
		die("/proc/self/exe: %s", strerror(errno));
	MUST(pipe2(go, O_CLOEXEC));
	pid = fork_child();
	if (!pid) {
		MUST(read(go[0], &byte, 1));
		execl(path, path, "--exit", NULL);
		_exit(95);
	}
	/* Now: one who has the descriptor himself is not told of his end. */
	chains_open(&c, 65536, 0, MAPS | USER);
	attach(c.fd, pid);
	MUST(write(go[1], "", 1));
	EXPECT_EQ(0, reap(pid));
	EXPECT_EQ(PFM_MSG_END, pfm_next_msg(c.fd, NULL, PATIENCE));

	ASSERT_EQ(1, count(&c, PFM_CALLCHAIN_SMPL_EXEC));
	e = next(&c, NULL, 0);
	ASSERT_EQ(PFM_CALLCHAIN_SMPL_EXEC, e->type);
	EXPECT_EQ(sizeof(*e), e->size);
	EXPECT_EQ(pid, e->pid);
	EXPECT_EQ(pid, e->tid);
	EXPECT_STREQ("callchain", e->comm);
	EXPECT_NE(0ULL, e->tstamp);
	for (m = (const void *)e; (m = next(&c, m, PFM_CALLCHAIN_SMPL_MAP)); ) {
		EXPECT_EQ(pid, m->pid);
		EXPECT_EQ(pid, m->tid);
		EXPECT_LE(e->tstamp, m->tstamp);
		EXPECT_TRUE(m->flags & PFM_CALLCHAIN_MAP_EXEC);
		EXPECT_NE(0ULL, m->len);
		EXPECT_NE(0ULL, m->ino);
		found |= !strcmp(path, path_of(m));
	}
	EXPECT_TRUE(found);
	EXPECT_EQ(0ULL, c.hdr->hdr_lost_maps);
}

/* ------------------------------------------------------------------------
 * Room
 */

TEST(lost_maps)
{
	struct chains c;
	int i;

	NEED_CALLCHAIN();
	/* Room for a sample, and that is not for maps. */
	chains_open(&c, sizeof(hdr_t) + largest(1, 1), 1, MAPS | USER);
	attach(c.fd, my_tid());
	for (i = 1; i <= 10; i++) {
		MUST(munmap(map_exe(RX, MAP_PRIVATE, 0), page_size()));
		EXPECT_EQ((u64)i, c.hdr->hdr_lost_maps);
	}
	EXPECT_EQ(0ULL, c.hdr->hdr_count);
	EXPECT_EQ(0ULL, c.hdr->hdr_overflows);
	EXPECT_TRUE(pfm_state_is(c.fd, "loaded"));
	EXPECT_EQ(0, pfm_poll(c.fd, 0) & POLLIN);
	/* They are not forgotten. */
	EXPECT_EQ(0, pfm_restart(c.fd));
	EXPECT_EQ(10ULL, c.hdr->hdr_lost_maps);
}

/* Those that are written and those that are lost are all that there are. */
TEST(maps_until_there_is_no_room)
{
	struct chains c;
	u64 n, i;

	NEED_CALLCHAIN();
	chains_open(&c, 4096, 1, MAPS);
	attach(c.fd, my_tid());
	for (i = 0; i < 100; i++)
		MUST(munmap(map_exe(RX, MAP_PRIVATE, 0), page_size()));
	n = count(&c, PFM_CALLCHAIN_SMPL_MAP);
	EXPECT_LT(0ULL, n);
	EXPECT_EQ(n, c.hdr->hdr_count);
	EXPECT_EQ(100 - n, c.hdr->hdr_lost_maps);
	EXPECT_LE(c.hdr->hdr_max_sample,
		  c.hdr->hdr_buf_size - c.hdr->hdr_cur_offs);
	EXPECT_EQ(0ULL, c.hdr->hdr_overflows);
	EXPECT_TRUE(pfm_state_is(c.fd, "loaded"));
	EXPECT_EQ(0, pfm_restart(c.fd));
	EXPECT_EQ(0ULL, c.hdr->hdr_count);
	EXPECT_EQ(n, c.hdr->hdr_cleared);
	MUST(munmap(map_exe(RX, MAP_PRIVATE, 0), page_size()));
	EXPECT_EQ(1ULL, c.hdr->hdr_count);
}

/* Full: masked and told; nothing is added until PFM_RESTART. */
TEST(full)
{
	const u64 room = 4096 - sizeof(hdr_t);
	u64 capacity, offs;
	struct chains c;

	NEED_CALLCHAIN();
	capacity = capacity_of(room, sizeof(sample_t), largest(1, 0));
	pages_map(&pages, 1000);
	outer(1);
	/* Without chains all samples are of one size. */
	chains_open(&c, 4096, 1, MAPS);
	sample_faults(c.fd, 0, 1, NOTIFY, 0);
	/* Overflows with the last one, and finds no room. */
	choose(c.fd, 0, 1, FAULTS, 0, 0, 0);
	MUST(pfm_write_period(c.fd, SW_PMD(1), -capacity, -capacity, -capacity));
	attach(c.fd, my_tid());
	leaf((unsigned int)capacity + 10);
	EXPECT_TRUE(pfm_state_is(c.fd, "masked"));
	EXPECT_EQ(CTR(0) | CTR(1), overflowed(c.fd));
	EXPECT_EQ(capacity, c.hdr->hdr_count);
	EXPECT_EQ(capacity, count(&c, PFM_CALLCHAIN_SMPL_SAMPLE));
	EXPECT_EQ(1ULL, c.hdr->hdr_overflows);
	EXPECT_EQ(1ULL, c.hdr->hdr_lost);

	offs = c.hdr->hdr_cur_offs;
	MUST(munmap(map_exe(RX, MAP_PRIVATE, 0), page_size()));
	EXPECT_EQ(offs, c.hdr->hdr_cur_offs);
	EXPECT_EQ(capacity, c.hdr->hdr_count);
	EXPECT_EQ(1ULL, c.hdr->hdr_lost_maps);

	EXPECT_EQ(0, pfm_restart(c.fd));
	EXPECT_EQ(capacity, c.hdr->hdr_cleared);
	EXPECT_TRUE(pfm_state_is(c.fd, "loaded"));
	MUST(pfm_stop(c.fd));
	EXPECT_EQ(1ULL, c.hdr->hdr_lost);
}

/* Without a message the program would not learn that it has to release the thread. */
TEST(full_in_silence)
{
	pfm_callchain_smpl_arg_t arg = {
		.buf_size = 4096, .buf_max_depth = 1,
	};
	struct puppet p = {};
	int fd;

	NEED_CALLCHAIN();
	fd = (int)MUST(chain_create(PFM_FL_NOTIFY_BLOCK, arg, NULL));
	puppet_start(&p, PUPPET_PROCESS);
	sample_faults(fd, 0, 1, 0, 0);
	attach(fd, p.tid);
	puppet_do(&p, OP_FAULT, 200);
	EXPECT_TRUE(pfm_state_is(fd, "masked"));
	EXPECT_EQ(0, pfm_poll(fd, 0) & POLLIN);
	EXPECT_EQ(0, pfm_restart(fd));
	EXPECT_TRUE(pfm_state_is(fd, "loaded"));
	puppet_stop(&p);
}

TEST(bad_arguments)
{
	pfm_callchain_smpl_arg_t arg, good = {
		.buf_max_depth = 4, .buf_flags = KERNEL | USER | MAPS,
	};
	u64 size = 0;
	int fd;

	NEED_CALLCHAIN();
	good.buf_size = sizeof(hdr_t) + largest(4, 2);
	fd = (int)MUST(chain_create(0, good, &size));
	EXPECT_EQ(page_align(good.buf_size), size);
	close(fd);

	arg = good;
	arg.buf_size--;
	EXPECT_EQ(-EINVAL, chain_create(0, arg, NULL));
	arg.buf_size = 0;
	EXPECT_EQ(-EINVAL, chain_create(0, arg, NULL));
	arg.buf_size = -1ULL;
	EXPECT_EQ(-EINVAL, chain_create(0, arg, NULL));
	/* A larger depth, or 64 by default, needs more. */
	arg = good;
	arg.buf_max_depth = 5;
	EXPECT_EQ(-EINVAL, chain_create(0, arg, NULL));
	arg.buf_max_depth = 0;
	EXPECT_EQ(-EINVAL, chain_create(0, arg, NULL));

	arg = good;
	arg.buf_size = 65536;
	arg.buf_max_depth = PFM_CALLCHAIN_SMPL_MAX_DEPTH + 1;
	EXPECT_EQ(-EINVAL, chain_create(0, arg, NULL));
	arg.buf_max_depth = 0xffff;
	EXPECT_EQ(-EINVAL, chain_create(0, arg, NULL));
	arg.buf_max_depth = 4;
	arg.buf_flags = 0x8;
	EXPECT_EQ(-EINVAL, chain_create(0, arg, NULL));
	arg.buf_flags = 0x8000;
	EXPECT_EQ(-EINVAL, chain_create(0, arg, NULL));
	arg.buf_flags = USER;
	arg.buf_pad = 1;
	EXPECT_EQ(-EINVAL, chain_create(0, arg, NULL));
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "--exit"))
		return 0;
	return test_harness_run(argc, argv);
}
