// SPDX-License-Identifier: GPL-2.0-only
/*
 * Chains of calls, in memory: functions as compilers make them, interrupted at each of
 * their instructions, and stacks that are none.
 */
#include <linux/string.h>

#include <kunit/test.h>

#include "../frame.h"

/* Where the memory of the tests seems to be. */
#define STACK		0x10000UL
#define STACK_SIZE	1024UL
#define CODE		0x20000UL
#define CODE_INSNS	256

/* What is no address that a walk may return. */
#define JUNK		0x0badc0deUL
/* Where the function, its caller and that one's return to. */
#define RET		0x31000UL
#define OUTER		0x32000UL
#define OUTERMOST	0x33000UL

#define CALLS		16

/* From where the function returns: the stack, the link register, or a register. */
enum {
	SAVED = 32,
	LINK,
};

/* What there is before the instruction; @unsure: it does not tell. */
struct frame_insn {
	u32 insn;
	bool framed;
	unsigned int ret;
	bool unsure;
};

static struct {
	unsigned int word;
	union {
		u32 w[STACK_SIZE / 4];
		u64 d[STACK_SIZE / 8];
	} stack;
	u32 code[CODE_INSNS];
	unsigned int frame_reads, code_reads;
} mem;

static bool mem_read(void *to, const void *memory, unsigned long at, unsigned long bytes,
		     unsigned long from, size_t size)
{
	if (from < at || from > at + bytes - size)
		return false;
	memcpy(to, memory + (from - at), size);
	return true;
}

static bool mem_read_frame(void *to, unsigned long from, size_t size)
{
	mem.frame_reads++;
	return mem_read(to, &mem.stack, STACK, STACK_SIZE, from, size);
}

static bool mem_read_code(void *to, unsigned long from, size_t size)
{
	mem.code_reads++;
	return mem_read(to, mem.code, CODE, sizeof(mem.code), from, size);
}

static struct pfm_ppc_stack mem_stack(void)
{
	return (struct pfm_ppc_stack){
		.frame = mem_read_frame, .code = mem_read_code, .word = mem.word,
	};
}

static void mem_put(unsigned long at, unsigned long value)
{
	if (mem.word == 4)
		mem.stack.w[(at - STACK) / 4] = value;
	else
		mem.stack.d[(at - STACK) / 8] = value;
}

static void mem_clear(unsigned int word)
{
	unsigned long at;

	memset(&mem, 0, sizeof(mem));
	mem.word = word;
	for (at = STACK; at < STACK + STACK_SIZE; at += word)
		mem_put(at, JUNK);
}

/* A frame at @sp: where its caller's is, and where a function that it called returns to. */
static void mem_frame(unsigned long sp, unsigned long back, unsigned long slot)
{
	mem_put(sp, back);
	mem_put(sp + (mem.word == 4 ? 4 : 16), slot);
}

/* The sizes of words whose addresses this kernel can hold. */
static const unsigned int words[] = { 4, IS_ENABLED(CONFIG_64BIT) ? 8 : 4 };

/*
 * The function @code, whose frame has @size bytes, interrupted at each instruction: the
 * stack and the registers are what it has made of them by then.
 */
static void frame_function(struct kunit *test, unsigned int word, unsigned long size,
			   const struct frame_insn *code, unsigned int n)
{
	const unsigned long caller = STACK + 256, outer = caller + 64;
	const unsigned long outermost = outer + 64;
	unsigned long gpr[32], ips[CALLS];
	struct pfm_ppc_stack stack;
	struct pfm_ppc_place at;
	unsigned int i, k, got;

	for (i = 0; i < n; i++) {
		if (code[i].unsure)
			continue;
		mem_clear(word);
		stack = mem_stack();
		for (k = 0; k < n; k++)
			mem.code[k] = code[k].insn;
		for (k = 0; k < 32; k++)
			gpr[k] = k == code[i].ret ? RET : JUNK;
		gpr[1] = caller - (code[i].framed ? size : 0);
		mem_frame(caller, outer, code[i].ret == SAVED ? RET : JUNK);
		mem_frame(outer, outermost, OUTER);
		mem_frame(outermost, 0, OUTERMOST);
		if (code[i].framed)
			mem_frame(gpr[1], caller, JUNK);
		at = (struct pfm_ppc_place){
			.ip = CODE + 4 * i, .gpr = gpr,
			.link = code[i].ret == LINK ? RET : JUNK,
		};
		got = pfm_ppc_frames(&stack, &at, ips, CALLS);
		KUNIT_ASSERT_EQ_MSG(test, got, 4U, "at %u of %u bits", i, 8 * word);
		KUNIT_EXPECT_EQ(test, ips[0], at.ip);
		KUNIT_EXPECT_EQ_MSG(test, ips[1], RET, "at %u of %u bits", i, 8 * word);
		KUNIT_EXPECT_EQ(test, ips[2], OUTER);
		KUNIT_EXPECT_EQ(test, ips[3], OUTERMOST);
	}
}

/* One that calls: 32 bits, 64 bits. */
static void frame_test_calls(struct kunit *test)
{
	static const struct frame_insn code32[] = {
		{ 0x9421fff0, false, LINK },	/* stwu 1,-16(1) */
		{ 0x7c0802a6, true, LINK },	/* mflr 0 */
		{ 0x93e1000c, true, 0 },	/* stw 31,12(1) */
		{ 0x90010014, true, 0 },	/* stw 0,20(1) */
		{ 0x48000101, true, SAVED },	/* bl */
		{ 0x80010014, true, SAVED },	/* lwz 0,20(1) */
		{ 0x83e1000c, true, 0 },	/* lwz 31,12(1) */
		{ 0x7c0803a6, true, 0 },	/* mtlr 0 */
		{ 0x38210010, true, LINK },	/* addi 1,1,16 */
		{ 0x4e800020, false, LINK },	/* blr */
	};
	static const struct frame_insn code64[] = {
		{ 0x7c0802a6, false, LINK },	/* mflr 0 */
		{ 0xf8010010, false, 0 },	/* std 0,16(1) */
		{ 0xf821ffe1, false, LINK },	/* stdu 1,-32(1) */
		{ 0x48000101, true, SAVED },	/* bl */
		{ 0x60000000, true, SAVED },	/* nop */
		{ 0x38210020, true, SAVED },	/* addi 1,1,32 */
		{ 0xe8010010, false, SAVED },	/* ld 0,16(1) */
		{ 0x7c0803a6, false, 0 },	/* mtlr 0 */
		{ 0x4e800020, false, LINK },	/* blr */
	};

	frame_function(test, 4, 16, code32, ARRAY_SIZE(code32));
	if (IS_ENABLED(CONFIG_64BIT))
		frame_function(test, 8, 32, code64, ARRAY_SIZE(code64));
}

/* One that calls nothing: without a frame, and with one. */
static void frame_test_leaf(struct kunit *test)
{
	static const struct frame_insn bare[] = {
		{ 0x7c632214, false, LINK },	/* add 3,3,4 */
		{ 0x2c030000, false, LINK },	/* cmpwi 3,0 */
		{ 0x4082fff8, false, LINK },	/* bne .-8 */
		{ 0x4d820020, false, LINK },	/* beqlr */
		{ 0x4e800020, false, LINK },	/* blr */
	};
	static const struct frame_insn framed32[] = {
		{ 0x9421fff0, false, LINK },	/* stwu 1,-16(1) */
		{ 0x90610008, true, LINK },	/* stw 3,8(1) */
		{ 0x80610008, true, LINK },	/* lwz 3,8(1) */
		{ 0x38210010, true, LINK },	/* addi 1,1,16 */
		{ 0x4e800020, false, LINK },	/* blr */
	};
	/* As GCC's of -O0 does it. */
	static const struct frame_insn pointer32[] = {
		{ 0x9421ffe0, false, LINK },	/* stwu 1,-32(1) */
		{ 0x93e1001c, true, LINK },	/* stw 31,28(1) */
		{ 0x7c3f0b78, true, LINK },	/* mr 31,1 */
		{ 0x397f0020, true, LINK },	/* addi 11,31,32 */
		{ 0x83ebfffc, true, LINK },	/* lwz 31,-4(11) */
		{ 0x7d615b78, true, LINK },	/* mr 1,11 */
		{ 0x4e800020, false, LINK },	/* blr */
	};
	static const struct frame_insn framed64[] = {
		{ 0xf821ff81, false, LINK },	/* stdu 1,-128(1) */
		{ 0xe8610020, true, LINK },	/* ld 3,32(1) */
		{ 0x38210080, true, LINK },	/* addi 1,1,128 */
		{ 0x4e800020, false, LINK },	/* blr */
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(words); i++)
		frame_function(test, words[i], 0, bare, ARRAY_SIZE(bare));
	frame_function(test, 4, 16, framed32, ARRAY_SIZE(framed32));
	frame_function(test, 4, 32, pointer32, ARRAY_SIZE(pointer32));
	if (IS_ENABLED(CONFIG_64BIT))
		frame_function(test, 8, 128, framed64, ARRAY_SIZE(framed64));
}

/* Ends that are no blr, a start with a look at the program counter, and much in between. */
static void frame_test_odd(struct kunit *test)
{
	/* Position-independent: the link register is used for something else. */
	static const struct frame_insn pic32[] = {
		{ 0x9421fff0, false, LINK },	/* stwu 1,-16(1) */
		{ 0x7c0802a6, true, LINK },	/* mflr 0 */
		{ 0x429f0005, true, 0 },	/* bcl 20,31,.+4 */
		{ 0x7fc802a6, true, 0 },	/* mflr 30 */
		{ 0x90010014, true, 0 },	/* stw 0,20(1) */
		{ 0x4e800421, true, SAVED },	/* bctrl */
		{ 0x80010014, true, SAVED },	/* lwz 0,20(1) */
		{ 0x38210010, true, 0 },	/* addi 1,1,16 */
		{ 0x7c0803a6, false, 0 },	/* mtlr 0 */
		{ 0x4e800420, false, LINK, true },	/* bctr: a tail call, or a switch */
	};
	/* A leaf that jumps over code of another function to a tail call of a third. */
	static const struct frame_insn jumps[] = {
		{ 0x48000010, false, LINK },	/* b .+16 */
		{ 0x48000001, true, SAVED },	/* bl . */
		{ 0x38210010, true, LINK },	/* addi 1,1,16 */
		{ 0x4e800020, false, LINK },	/* blr */
		{ 0x60000000, false, LINK },	/* nop */
		{ 0x48000004, false, LINK },	/* b .+4 */
		{ 0x94210000 | (u16)-16, false, LINK },	/* stwu 1,-16(1) */
	};
	/* The first is a prefix, and what follows looks like a call. */
	static const struct frame_insn prefixed[] = {
		{ 0x06000000, false, LINK },	/* pli 3,... */
		{ 0x48000001, true, SAVED },	/* is a call if it stands alone */
		{ 0x4e800020, false, LINK },	/* blr */
	};
	/* scv changes the link register. */
	static const struct frame_insn scv64[] = {
		{ 0x7c0802a6, false, LINK },	/* mflr 0 */
		{ 0xf8010010, false, 0 },	/* std 0,16(1) */
		{ 0x44000001, false, SAVED },	/* scv 0 */
		{ 0xe8010010, false, SAVED },	/* ld 0,16(1) */
		{ 0x7c0803a6, false, 0 },	/* mtlr 0 */
		{ 0x4e800020, false, LINK },	/* blr */
	};
	struct frame_insn slow[48];
	unsigned int i;

	frame_function(test, 4, 16, pic32, ARRAY_SIZE(pic32));
	frame_function(test, 4, 16, jumps, ARRAY_SIZE(jumps));
	for (i = 0; i < ARRAY_SIZE(words); i++)
		frame_function(test, words[i], 32, prefixed, ARRAY_SIZE(prefixed));
	if (IS_ENABLED(CONFIG_64BIT))
		frame_function(test, 8, 32, scv64, ARRAY_SIZE(scv64));
	for (i = 0; i < ARRAY_SIZE(slow); i++)
		slow[i] = (struct frame_insn){ 0x7c632214, false, LINK };
	slow[i - 1].insn = 0x4e800020;
	frame_function(test, 4, 0, slow, ARRAY_SIZE(slow));
}

/* A function that has a frame and calls, at @sp. */
static unsigned int frame_walk(unsigned long sp, unsigned long *ips, unsigned int max)
{
	unsigned long gpr[32] = { [1] = sp };
	const struct pfm_ppc_place at = { .ip = CODE, .link = JUNK, .gpr = gpr };
	const struct pfm_ppc_stack stack = mem_stack();

	mem.code[0] = 0x48000001;
	mem.frame_reads = 0;
	mem.code_reads = 0;
	return pfm_ppc_frames(&stack, &at, ips, max);
}

/* No stack, one that is not aligned, goes down, in a circle, out of memory, or on and on. */
static void frame_test_hostile(struct kunit *test)
{
	const unsigned long a = STACK + 128, b = a + 64, end = STACK + STACK_SIZE;
	unsigned long ips[64], at;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(words); i++) {
		const unsigned int word = words[i];
		const unsigned long bad[] = {
			0, 1, 4, STACK - 2 * word, end, end - word, ~0UL, ~0UL << 4,
			a + word, a + 1, a + 2, b + word,
		};
		unsigned int k;

		mem_clear(word);
		mem_frame(a, b, RET);
		mem_frame(b, 0, OUTER);
		KUNIT_EXPECT_EQ(test, frame_walk(a, ips, 64), 2U);
		KUNIT_EXPECT_EQ(test, ips[1], OUTER);
		for (k = 0; k < ARRAY_SIZE(bad); k++) {
			mem_frame(b, 0, OUTER);
			KUNIT_EXPECT_EQ(test, frame_walk(bad[k], ips, 64), 1U);
			mem_frame(b, bad[k], OUTER);
			KUNIT_EXPECT_EQ_MSG(test, frame_walk(a, ips, 64), 2U, "%u", k);
		}
		/* Downwards, to itself, and in a circle. */
		mem_frame(b, a, OUTER);
		KUNIT_EXPECT_EQ(test, frame_walk(a, ips, 64), 2U);
		mem_frame(b, b, OUTER);
		KUNIT_EXPECT_EQ(test, frame_walk(a, ips, 64), 2U);
		KUNIT_EXPECT_LE(test, mem.frame_reads, 3U);
		/* What is no return address. */
		mem_frame(b, b + 64, 0);
		KUNIT_EXPECT_EQ(test, frame_walk(a, ips, 64), 1U);
		mem_frame(b, b + 64, OUTER + 1);
		KUNIT_EXPECT_EQ(test, frame_walk(a, ips, 64), 1U);
		/* Misaligned, and all that stands there could be frames. */
		for (at = STACK; at < end; at += word)
			mem_put(at, at + 2 * word);
		KUNIT_EXPECT_EQ(test, frame_walk(a + word, ips, 64), 1U);
		mem_put(a, b + word);
		KUNIT_EXPECT_EQ(test, frame_walk(a, ips, 64), 1U);
		/* As many as there is room for. */
		for (at = STACK; at + 2 * word < end; at += 2 * word)
			mem_put(at, at + 2 * word);
		for (k = 1; k <= 16; k++) {
			mem_frame(STACK + 32 * k, STACK + 32 * (k + 1), RET + 4 * k);
			KUNIT_EXPECT_EQ(test, frame_walk(STACK + 32, ips, k), k);
		}
		KUNIT_EXPECT_LE(test, mem.frame_reads, 16U);
	}
}

/*
 * Interrupts have stacks of their own: a chain goes on in another one, wherever it lies. The
 * function that goes there has a frame on both.
 */
static void frame_test_areas(struct kunit *test)
{
	const unsigned long low = STACK, high = STACK + 512;
	struct pfm_ppc_frame frame = { .sp = high, .back = low + 64 };
	struct pfm_ppc_stack stack;

	mem_clear(sizeof(long));
	stack = mem_stack();
	mem_frame(high, low + 64, RET);
	mem_frame(low + 64, low + 128, JUNK);
	mem_frame(low + 128, low + 192, OUTER);
	mem_frame(low + 192, low, OUTERMOST);
	KUNIT_EXPECT_FALSE(test, pfm_ppc_frame_next(&stack, &frame));
	stack.area = 512;
	KUNIT_EXPECT_TRUE(test, pfm_ppc_frame_next(&stack, &frame));
	KUNIT_EXPECT_EQ(test, frame.ret, OUTER);
	KUNIT_EXPECT_TRUE(test, pfm_ppc_frame_next(&stack, &frame));
	KUNIT_EXPECT_EQ(test, frame.ret, OUTERMOST);
	KUNIT_EXPECT_FALSE(test, pfm_ppc_frame_next(&stack, &frame));
}

/* Code that goes in a circle, that cannot be read, and that runs on without an end. */
static void frame_test_code(struct kunit *test)
{
	const unsigned long a = STACK + 128, b = a + 64;
	unsigned long gpr[32] = { [1] = a }, ips[CALLS];
	struct pfm_ppc_place at = { .ip = CODE, .link = JUNK, .gpr = gpr };
	struct pfm_ppc_stack stack;
	unsigned int i;

	mem_clear(sizeof(long));
	stack = mem_stack();
	mem_frame(a, b, JUNK);
	mem_frame(b, 0, RET);
	for (i = 0; i < CODE_INSNS; i++)
		mem.code[i] = 0x48000000;	/* b . */
	KUNIT_EXPECT_EQ(test, pfm_ppc_frames(&stack, &at, ips, CALLS), 2U);
	KUNIT_EXPECT_EQ(test, ips[1], RET);
	KUNIT_EXPECT_LE(test, mem.code_reads, 8U);
	for (i = 0; i < CODE_INSNS; i++)
		mem.code[i] = 0x60000000;	/* nop */
	mem.code_reads = 0;
	KUNIT_EXPECT_EQ(test, pfm_ppc_frames(&stack, &at, ips, CALLS), 2U);
	KUNIT_EXPECT_LE(test, mem.code_reads, 8U);
	mem.code[0] = 0x4bfffffc;		/* b .-4: out of it */
	KUNIT_EXPECT_EQ(test, pfm_ppc_frames(&stack, &at, ips, CALLS), 2U);
	at.ip = 0x40000;
	KUNIT_EXPECT_EQ(test, pfm_ppc_frames(&stack, &at, ips, CALLS), 2U);
	KUNIT_EXPECT_EQ(test, ips[0], 0x40000UL);
	KUNIT_EXPECT_EQ(test, ips[1], RET);
}

static struct kunit_case frame_cases[] = {
	KUNIT_CASE(frame_test_calls),
	KUNIT_CASE(frame_test_leaf),
	KUNIT_CASE(frame_test_odd),
	KUNIT_CASE(frame_test_hostile),
	KUNIT_CASE(frame_test_areas),
	KUNIT_CASE(frame_test_code),
	{}
};

static struct kunit_suite frame_suite = {
	.name = "perfmon-ppc-frame",
	.test_cases = frame_cases,
};
kunit_test_suite(frame_suite);
