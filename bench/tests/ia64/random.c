// SPDX-License-Identifier: GPL-2.0-only
/*
 * random SEED SEQUENCES - a program for the IA-64 machine: random integer code, and what
 * registers and predicates this host's arithmetic says that it ends with
 *
 * The instructions are here as their descriptions have them, and know nothing of how QEMU
 * executes them. They use r8 to r23, and all predicates.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

typedef uint64_t u64;
typedef int64_t s64;

#define LENGTH 40
#define FIRST 8
#define COUNT 16

static u64 state, gr[128], pr;

static u64 next(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state * 0x2545f4914f6cdd1dull;
}

static unsigned int below(unsigned int n)
{
	return (next() >> 33) % n;
}

static u64 mask(int len)
{
	return len == 64 ? ~0ull : (1ull << len) - 1;
}

static s64 sign(u64 val, int len)
{
	return (s64)(val << (64 - len)) >> (64 - len);
}

/* A value: often one that is near a border */
static u64 value(void)
{
	u64 val = next();

	switch (below(8)) {
	case 0: return 0;
	case 1: return ~0ull >> below(64);
	case 2: return 1ull << below(64);
	case 3: return val & 127;
	case 4: return (u64)(int32_t)val;
	case 5: return val & (u64)0xff00ff00ff00ff00;
	default: return val;
	}
}

static int any(void) { return FIRST + below(COUNT); }
static int source(void) { return below(10) ? any() : 0; }

/*
 * An instruction is told to the assembler by tell(), at once; what it does is done at its end if
 * its predicate was 1.
 */
static int qp;

static void tell(const char *format, ...)
{
	va_list args;

	if (qp)
		printf("\t(p%d) ", qp);
	else
		printf("\t");
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf("\n");
}

static int on(void)
{
	return pr >> qp & 1;
}

static void set(int r, u64 val)
{
	if (on())
		gr[r] = val;
}

static void set_p(int p, int val)
{
	if (p)
		pr = (pr & ~(1ull << p)) | (u64)val << p;
}

/* Two different predicates; either may be p0. */
static void two(int *p1, int *p2)
{
	*p1 = below(64);
	do {
		*p2 = below(64);
	} while (*p1 == *p2);
}

/* The low half of a sum, with the upper bits of a 32-bit pointer moved to the region's */
static u64 pointer(u64 sum, u64 base)
{
	return (sum & 0xffffffff) | (base >> 30 & 3) << 61;
}

static void arithmetic(void)
{
	static const char *const logic[] = { "and", "andcm", "or", "xor" };
	int r1 = any(), r2 = source(), r3 = source(), n = below(4);
	s64 i8 = sign(next(), 8), i14 = sign(next(), 14), i22 = sign(next(), 22);
	u64 a = gr[r2], b = gr[r3];

	switch (below(14)) {
	case 0: tell("add r%d = r%d, r%d", r1, r2, r3); set(r1, a + b); break;
	case 1: tell("add r%d = r%d, r%d, 1", r1, r2, r3); set(r1, a + b + 1); break;
	case 2: tell("sub r%d = r%d, r%d", r1, r2, r3); set(r1, a - b); break;
	case 3: tell("sub r%d = r%d, r%d, 1", r1, r2, r3); set(r1, a - b - 1); break;
	case 4: tell("sub r%d = %d, r%d", r1, (int)i8, r3); set(r1, i8 - b); break;
	case 5: tell("addp4 r%d = r%d, r%d", r1, r2, r3); set(r1, pointer(a + b, b)); break;
	case 6: tell("addp4 r%d = %d, r%d", r1, (int)i14, r3); set(r1, pointer(i14 + b, b)); break;
	case 7: tell("adds r%d = %d, r%d", r1, (int)i14, r3); set(r1, i14 + b); break;
	case 8: tell("addl r%d = %d, r0", r1, (int)i22); set(r1, i22); break;
	case 9: tell("shladd r%d = r%d, %d, r%d", r1, r2, n + 1, r3); set(r1, (a << (n + 1)) + b); break;
	case 10: tell("shladdp4 r%d = r%d, %d, r%d", r1, r2, n + 1, r3); set(r1, pointer((a << (n + 1)) + b, b)); break;
	case 11: case 12:
		tell("%s r%d = r%d, r%d", logic[n], r1, r2, r3);
		set(r1, n == 0 ? a & b : n == 1 ? a & ~b : n == 2 ? a | b : a ^ b);
		break;
	case 13:
		tell("%s r%d = %d, r%d", logic[n], r1, (int)i8, r3);
		a = i8;
		set(r1, n == 0 ? a & b : n == 1 ? a & ~b : n == 2 ? a | b : a ^ b);
		break;
	}
}

/* What a comparison of one type makes of its relation */
static void conclude(const char *type, int p1, int p2, int rel)
{
	if (!type[0]) {
		if (on())
			set_p(p1, rel), set_p(p2, !rel);
	} else if (type[1] == 'u') {
		int good = on();

		set_p(p1, good && rel), set_p(p2, good && !rel);
	} else if (!on()) {
		return;
	} else if (type[1] == 'a') {
		if (!rel)
			set_p(p1, 0), set_p(p2, 0);
	} else if (type[3] == 0) {
		if (rel)
			set_p(p1, 1), set_p(p2, 1);
	} else if (rel) {
		set_p(p1, 1), set_p(p2, 0);
	}
}

static int related(const char *rel, u64 a, u64 b)
{
	switch (rel[0] << 16 | rel[1] << 8 | rel[2]) {
	case 'e' << 16 | 'q' << 8: return a == b;
	case 'n' << 16 | 'e' << 8: return a != b;
	case 'l' << 16 | 't' << 8: return (s64)a < (s64)b;
	case 'l' << 16 | 'e' << 8: return (s64)a <= (s64)b;
	case 'g' << 16 | 't' << 8: return (s64)a > (s64)b;
	case 'g' << 16 | 'e' << 8: return (s64)a >= (s64)b;
	case 'l' << 16 | 't' << 8 | 'u': return a < b;
	case 'l' << 16 | 'e' << 8 | 'u': return a <= b;
	case 'g' << 16 | 't' << 8 | 'u': return a > b;
	default: return a >= b;
	}
}

static void comparison(void)
{
	static const char *const plain[] = { "eq", "ne", "lt", "le", "gt", "ge", "ltu", "leu", "gtu", "geu" };
	static const char *const parallel[] = { ".and", ".or", ".or.andcm" };
	int p1, p2, r2 = source(), r3 = source(), word = below(2);
	const char *type, *rel;
	s64 i8 = sign(next(), 8);
	u64 a = gr[r2], b = gr[r3];
	char left[8];

	/* Equal operands would be rare. */
	if (!below(3))
		r3 = r2, b = a;
	two(&p1, &p2);
	if (below(2)) {
		type = below(2) ? "" : ".unc";
		rel = plain[below(10)];
		snprintf(left, sizeof(left), "r%d", r2);
		if (below(2)) {
			/* leu and gtu are other relations of a constant less one: no bound of that. */
			if (rel[2])
				i8 &= 63, i8 += 2;
			else if (i8 == -128)
				i8 = 5;
			a = i8;
			snprintf(left, sizeof(left), "%d", (int)i8);
		}
	} else {
		type = parallel[below(3)];
		rel = plain[below(6)];
		if (rel[0] == 'e' || rel[0] == 'n') {
			snprintf(left, sizeof(left), "r%d", r2);
			if (below(2)) {
				a = i8;
				snprintf(left, sizeof(left), "%d", (int)i8);
			}
		} else {
			a = 0;
			snprintf(left, sizeof(left), "r0");
		}
	}
	if (word) {
		int is_unsigned = rel[2];

		a = is_unsigned ? (u64)(uint32_t)a : (u64)sign(a, 32);
		b = is_unsigned ? (u64)(uint32_t)b : (u64)sign(b, 32);
	}
	tell("cmp%s.%s%s p%d, p%d = %s, r%d", word ? "4" : "", rel, type, p1, p2, left, r3);
	conclude(type, p1, p2, related(rel, a, b));
}

static void bit(void)
{
	static const char *const types[] = { "", ".unc", ".and", ".or", ".or.andcm" };
	const char *type = types[below(5)];
	int p1, p2, r3 = source(), n = below(64), zero = below(2);

	two(&p1, &p2);
	tell("tbit.%s%s p%d, p%d = r%d, %d", zero ? "z" : "nz", type, p1, p2, r3, n);
	conclude(type, p1, p2, (int)(gr[r3] >> n & 1) != zero);
}

static u64 bytes(u64 val, const char *from)
{
	u64 result = 0;

	/* The uppermost first, as the manual writes them */
	for (; *from; from++)
		result = result << 8 | (val >> (*from - '0') * 8 & 0xff);
	return result;
}

static void field(void)
{
	static const char *const types[] = { "brcst", "mix", "shuf", "alt", "rev" };
	static const char *const from[] = { "00000000", "73516240", "73625140", "75316420", "01234567" };
	int r1 = any(), r2 = source(), r3 = source(), pos = below(64), len = 1 + below(64 - pos), i;
	int count = below(64), left = below(2), size = 8 << below(3);
	u64 a = gr[r2], b = gr[r3], val;

	switch (below(20)) {
	case 0:
		tell("shr r%d = r%d, r%d", r1, r2, r3);
		set(r1, (s64)a >> (b > 63 ? 63 : b));
		break;
	case 1:
		tell("shr.u r%d = r%d, r%d", r1, r2, r3);
		set(r1, b > 63 ? 0 : a >> b);
		break;
	case 2:
		tell("shl r%d = r%d, r%d", r1, r2, r3);
		set(r1, b > 63 ? 0 : a << b);
		break;
	case 3:
		tell("extr r%d = r%d, %d, %d", r1, r2, pos, len);
		set(r1, sign(a >> pos, len));
		break;
	case 4:
		tell("extr.u r%d = r%d, %d, %d", r1, r2, pos, len);
		set(r1, a >> pos & mask(len));
		break;
	case 5:
		tell("dep.z r%d = r%d, %d, %d", r1, r2, pos, len);
		set(r1, (a & mask(len)) << pos);
		break;
	case 6:
		i = (int)sign(next(), 8);
		tell("dep.z r%d = %d, %d, %d", r1, i, pos, len);
		set(r1, ((u64)(s64)i & mask(len)) << pos);
		break;
	case 7:
		i = -(int)below(2);
		tell("dep r%d = %d, r%d, %d, %d", r1, i, r3, pos, len);
		set(r1, (b & ~(mask(len) << pos)) | ((u64)(s64)i & mask(len)) << pos);
		break;
	case 8:
		len = len > 16 ? 16 : len;
		tell("dep r%d = r%d, r%d, %d, %d", r1, r2, r3, pos, len);
		set(r1, (b & ~(mask(len) << pos)) | (a & mask(len)) << pos);
		break;
	case 9:
		tell("shrp r%d = r%d, r%d, %d", r1, r2, r3, count);
		set(r1, count ? b >> count | a << (64 - count) : b);
		break;
	case 10:
		tell("popcnt r%d = r%d", r1, r3);
		set(r1, __builtin_popcountll(b));
		break;
	case 11:
		tell("zxt%d r%d = r%d", size / 8, r1, r3);
		set(r1, b & mask(size));
		break;
	case 12:
		tell("sxt%d r%d = r%d", size / 8, r1, r3);
		set(r1, sign(b, size));
		break;
	case 13:
		tell("czx1.%c r%d = r%d", left ? 'l' : 'r', r1, r3);
		for (i = 0; i < 8 && (left ? b >> 56 : b & 0xff); i++)
			b = left ? b << 8 : b >> 8;
		set(r1, i);
		break;
	case 14:
		i = below(5);
		tell("mux1 r%d = r%d, @%s", r1, r2, types[i]);
		set(r1, bytes(a, from[i]));
		break;
	case 15:
		tell("mux2 r%d = r%d, 0x%x", r1, r2, pos << 2 | left);
		for (i = 3, val = 0; i >= 0; i--)
			val = val << 16 | (a >> ((pos << 2 | left) >> i * 2 & 3) * 16 & 0xffff);
		set(r1, val);
		break;
	case 16:
		tell("mix4.%c r%d = r%d, r%d", left ? 'l' : 'r', r1, r2, r3);
		set(r1, left ? (a >> 32) << 32 | b >> 32 : a << 32 | (b & 0xffffffff));
		break;
	case 17:
		tell("unpack4.l r%d = r%d, r%d", r1, r2, r3);
		set(r1, a << 32 | (b & 0xffffffff));
		break;
	case 18:
		tell("padd4 r%d = r%d, r%d", r1, r2, r3);
		set(r1, ((a >> 32) + (b >> 32)) << 32 | (uint32_t)(a + b));
		break;
	case 19:
		tell("pmpy2.r r%d = r%d, r%d", r1, r2, r3);
		set(r1, (u64)(uint32_t)(sign(a >> 32, 16) * sign(b >> 32, 16)) << 32 |
		    (uint32_t)(sign(a, 16) * sign(b, 16)));
		break;
	}
}

static void move(void)
{
	int r1 = any(), r2 = source();
	u64 val = value();
	s64 bits;

	switch (below(4)) {
	case 0:
		tell("movl r%d = 0x%" PRIx64, r1, val);
		set(r1, val);
		break;
	case 1:
		tell("mov r%d = pr", r1);
		set(r1, pr);
		break;
	case 2:
		bits = sign(val, 17) & ~1;
		tell("mov pr = r%d, %" PRId64, r2, bits);
		if (on())
			pr = (pr & ~bits) | (gr[r2] & bits) | 1;
		break;
	case 3:
		bits = sign(val, 28);
		tell("mov pr.rot = 0x%" PRIx64, (u64)bits << 16);
		if (on())
			pr = (pr & 0xffff) | (u64)bits << 16;
		break;
	}
}

int main(int argc, char **argv)
{
	int sequences, i, n;
	u64 before[COUNT], pr_before;

	if (argc != 3)
		return 2;
	state = strtoull(argv[1], NULL, 0) * 2 + 1;
	sequences = atoi(argv[2]);
	for (n = 0; n < sequences; n++) {
		for (i = 0; i < COUNT; i++)
			before[i] = gr[FIRST + i] = value();
		pr_before = pr = next() | 1;
		printf("sequence%d:\n", n);
		for (i = 0; i < LENGTH; i++) {
			qp = below(3) ? 0 : below(64);
			switch (below(8)) {
			case 0: case 1: arithmetic(); break;
			case 2: case 3: comparison(); break;
			case 4: bit(); break;
			case 5: case 6: field(); break;
			case 7: move(); break;
			}
		}
		printf("\tbr.cond.sptk compare\n\t.pushsection .data\n\tdata8 sequence%d", n);
		for (i = 0; i < COUNT; i++)
			printf(", 0x%" PRIx64, before[i]);
		printf(", 0x%" PRIx64 "\n\tdata8 0x%" PRIx64, pr_before, gr[FIRST]);
		for (i = 1; i < COUNT; i++)
			printf(", 0x%" PRIx64, gr[FIRST + i]);
		printf(", 0x%" PRIx64 "\n\t.popsection\n", pr);
	}
	puts("\t.section .data\nsequences_end:");
	return 0;
}
