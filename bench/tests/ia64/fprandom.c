// SPDX-License-Identifier: GPL-2.0-only
/*
 * fprandom SEED CASES FILE - for a program for the IA-64 machine: every form of floating
 * point, with random operands and a random ar.fpsr
 *
 * Writes the code of all forms, which fprandom.s runs, and in FILE the cases: operands,
 * and what there has to be afterwards. Numbers are integers of a quarter of a million bits
 * here, so that nothing but the result is ever rounded, and nothing is known of how QEMU
 * computes. Where the host has a format and an operation, its answer is compared, too.
 */
#include <fenv.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef uint64_t u64;
typedef int64_t s64;
typedef unsigned __int128 u128;

static u64 state;

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

/* A register: se is its sign in bit 17, and its exponent */
struct reg {
	u64 sig, se;
};

#define BIAS 0xffff
#define TOP (1ull << 63)
#define MINUS 0x20000
#define INTEGER 0x1003e

static const struct reg natval = { 0, 0x1fffe }, one = { TOP, BIAS };
static const struct reg indefinite = { 3ull << 62, 0x3ffff };

static int exponent(struct reg x) { return x.se & 0x1ffff; }
static int negative(struct reg x) { return x.se >> 17 & 1; }
static int is_nat(struct reg x) { return !x.sig && x.se == 0x1fffe; }
static int is_wild(struct reg x) { return exponent(x) == 0x1ffff; }
static int is_inf(struct reg x) { return is_wild(x) && x.sig == TOP; }
static int is_bad(struct reg x) { return is_wild(x) && x.sig < TOP; }
static int is_nan(struct reg x) { return is_wild(x) && x.sig > TOP; }
static int is_snan(struct reg x) { return is_nan(x) && x.sig < 3ull << 62; }
static int is_zero(struct reg x) { return !x.sig && !exponent(x); }

static int is_unnormal(struct reg x)
{
	return !is_wild(x) && !is_nat(x) && !is_zero(x) && (x.sig < TOP || !exponent(x));
}

/* The weight of a finite register's last bit */
static int weight(struct reg x)
{
	return (exponent(x) ? exponent(x) : 0xc001) - BIAS - 63;
}

static struct reg make(int sign, int exp, u64 sig)
{
	struct reg x = { sig, (u64)sign << 17 | exp };

	return x;
}

static struct reg whole(u64 val)
{
	return make(0, INTEGER, val);
}

/*
 * One large number, big * 2^-SCALE
 */
#define SCALE (64 * 2052)
#define WORDS 4106

static u64 big[WORDS];

/* put: add or subtract val * 2^weight; the sum is modulo 2^(64 * WORDS) */
static void put(u128 val, int weight, int minus)
{
	int at = (weight + SCALE) / 64, shift = (weight + SCALE) % 64, i;
	u64 parts[3] = { (u64)val << shift, (u64)(val >> 64), 0 };
	u64 old, part, carry = 0;

	parts[1] = shift ? (u64)(val >> (64 - shift)) : (u64)(val >> 64);
	parts[2] = shift ? (u64)(val >> 64) >> (64 - shift) : 0;
	for (i = 0; at + i < WORDS; i++) {
		part = i < 3 ? parts[i] : 0;
		if (i >= 3 && !carry)
			break;
		old = big[at + i];
		if (minus) {
			big[at + i] = old - part - carry;
			carry = old < part || (carry && old == part);
		} else {
			big[at + i] = old + part + carry;
			carry = old + part < old || (carry && old + part == ~0ull);
		}
	}
}

/* absolute: whether the number was negative */
static int absolute(void)
{
	int i, carry = 1;

	if (!(big[WORDS - 1] >> 63))
		return 0;
	for (i = 0; i < WORDS; i++) {
		big[i] = ~big[i] + carry;
		carry = carry && !big[i];
	}
	return 1;
}

/* The weight of the first bit; INT_MIN if there is none */
static int first_bit(void)
{
	int i = WORDS;

	while (--i >= 0)
		if (big[i])
			return i * 64 + 63 - __builtin_clzll(big[i]) - SCALE;
	return INT32_MIN;
}

static int bit(int weight)
{
	return weight + SCALE >= 0 && big[(weight + SCALE) / 64] >> (weight + SCALE) % 64 & 1;
}

static int any_below(int weight)
{
	int at = weight + SCALE, i;

	if (at <= 0)
		return 0;
	for (i = 0; i < at / 64; i++)
		if (big[i])
			return 1;
	return (big[at / 64] & ((1ull << at % 64) - 1)) != 0;
}

/* What an operation is to do, and has done */
struct env {
	unsigned int disabled, rc, ftz, parallel;
	int bits, emin, emax;
	unsigned int flags, fault, trap;
};
enum { V = 1, D = 2, Z = 4, O = 8, U = 16, I = 32 };

/* How many units of 2^unit the number is, rounded */
static u128 units(struct env *env, int sign, int unit, int *lossy, int *larger)
{
	int half = bit(unit - 1), less = any_below(unit - 1), i;
	u128 val = 0;

	for (i = 64; i >= 0; i--)
		val = val << 1 | (unsigned int)bit(unit + i);
	*lossy = half || less;
	switch (env->rc) {
	case 0: *larger = half && (less || (val & 1)); break;
	case 1: *larger = *lossy && sign; break;
	case 2: *larger = *lossy && !sign; break;
	default: *larger = 0;
	}
	return val + (unsigned int)*larger;
}

static void trap_inexact(struct env *env, int larger, int anyway)
{
	env->flags |= I;
	if (anyway || !(env->disabled & I))
		env->trap |= larger ? 12 : 4;
}

static struct reg normal(int sign, int exp, u128 val, int parallel)
{
	int biased = exp + BIAS;

	while (val >> 64)
		val >>= 1;
	while (!(val >> 63))
		val <<= 1;
	if (parallel)
		biased = ((exp + 127) & 255) - 127 + BIAS;
	return make(sign, biased & 0x1ffff, val);
}

/* The number as a result, which is not 0 */
static struct reg round_it(struct env *env, int sign)
{
	int first = first_bit(), exp, lossy, larger, to_infinity;
	u128 val = units(env, sign, first - env->bits + 1, &lossy, &larger);

	exp = first + (int)(val >> env->bits);
	to_infinity = env->rc == 0 || env->rc == (sign ? 1 : 2);
	if (exp > env->emax && env->disabled & O) {
		env->flags |= O;
		trap_inexact(env, to_infinity, 0);
		if (to_infinity)
			return make(sign, 0x1ffff, TOP);
		return make(sign, env->emax + BIAS, ~0ull << (64 - env->bits));
	}
	if (exp > env->emax || (exp < env->emin && !(env->disabled & U))) {
		env->flags |= exp > env->emax ? O : U;
		env->trap |= exp > env->emax ? 1 : 2;
		if (lossy)
			trap_inexact(env, larger, 1);
		return normal(sign, exp, val, env->parallel);
	}
	if (exp >= env->emin) {
		if (lossy)
			trap_inexact(env, larger, 0);
		return normal(sign, exp, val, 0);
	}
	if (env->ftz) {
		env->flags |= U;
		trap_inexact(env, 0, 0);
		return make(sign, 0, 0);
	}
	val = units(env, sign, env->emin - env->bits + 1, &lossy, &larger);
	if (lossy) {
		env->flags |= U;
		trap_inexact(env, larger, 0);
	}
	if (!val)
		return make(sign, 0, 0);
	val <<= 64 - env->bits;
	return make(sign, env->emin == -16382 && !(val >> 63) ? 0 : env->emin + BIAS, val);
}

static void raise_fault(struct env *env, unsigned int what)
{
	if (env->disabled & what)
		env->flags |= what;
	else
		env->fault |= what;
}

static struct reg invalid(struct env *env)
{
	raise_fault(env, V);
	return indefinite;
}

/* nan_of: the first NaN among some values, quiet now; 0 if there is none */
static int nan_of(struct env *env, struct reg *result, int count, ...)
{
	int bad = 0, signals = 0, found = 0;
	struct reg x;
	va_list args;

	va_start(args, count);
	while (count--) {
		x = va_arg(args, struct reg);
		bad |= is_bad(x);
		signals |= is_snan(x);
		if (is_nan(x) && !found++)
			*result = make(negative(x), 0x1ffff, x.sig | 1ull << 62);
	}
	va_end(args);
	if (bad || signals)
		raise_fault(env, V);
	if (bad)
		*result = indefinite;
	return bad || found;
}

/*
 * Formats
 */

static struct reg of_single(uint32_t val)
{
	int exp = val >> 23 & 255;
	u64 sig = (u64)(val & 0x7fffff) << 40;

	if (exp == 255)
		return make(val >> 31, 0x1ffff, TOP | sig);
	if (exp)
		return make(val >> 31, exp - 127 + BIAS, TOP | sig);
	return make(val >> 31, sig ? -126 + BIAS : 0, sig);
}

static struct reg of_double(u64 val)
{
	int exp = val >> 52 & 2047;
	u64 sig = (val & ((1ull << 52) - 1)) << 11;

	if (exp == 2047)
		return make(val >> 63, 0x1ffff, TOP | sig);
	if (exp)
		return make(val >> 63, exp - 1023 + BIAS, TOP | sig);
	return make(val >> 63, sig ? -1022 + BIAS : 0, sig);
}

static uint32_t as_single(struct reg x)
{
	uint32_t exp = x.sig < TOP ? 0 : (x.se & 0x10000) >> 9 | (x.se & 127);

	return (uint32_t)negative(x) << 31 | exp << 23 | (x.sig << 1 >> 41);
}

static u64 as_double(struct reg x)
{
	u64 exp = x.sig < TOP ? 0 : (x.se & 0x10000) >> 6 | (x.se & 1023);

	return (u64)negative(x) << 63 | exp << 52 | x.sig << 1 >> 12;
}

static struct reg of_extended(u64 sig, unsigned int se)
{
	int exp = se & 0x7fff;

	return make(se >> 15, exp == 0x7fff ? 0x1ffff : exp ? exp + 0xc000 : 0, sig);
}

static unsigned int as_extended(struct reg x)
{
	return negative(x) << 15 | (x.se & 0x10000) >> 2 | (x.se & 0x3fff);
}

/*
 * Operations. Each has three values, and gives one; it may change two predicates.
 */

static struct reg add_product(struct env *env, struct reg a, struct reg b, struct reg c,
			      int minus_product, int minus_sum, int alone)
{
	int sign = negative(a) ^ negative(b) ^ minus_product, c_sign = negative(c) ^ minus_sum;
	struct reg result;

	if (nan_of(env, &result, 3, b, c, a))
		return result;
	if (is_inf(a) || is_inf(b)) {
		if (is_zero(a) || is_zero(b) || (is_inf(c) && sign != c_sign))
			return invalid(env);
	}
	if (is_unnormal(a) || is_unnormal(b) || is_unnormal(c))
		raise_fault(env, D);
	if (is_inf(a) || is_inf(b))
		return make(sign, 0x1ffff, TOP);
	if (is_inf(c))
		return make(c_sign, 0x1ffff, TOP);
	if (alone && (!a.sig || !b.sig))
		return make(sign, 0, 0);
	memset(big, 0, sizeof(big));
	put((u128)a.sig * b.sig, weight(a) + weight(b), sign);
	if (c.sig)
		put(c.sig, weight(c), c_sign);
	if ((!a.sig || !b.sig) && !c.sig && sign == c_sign)
		return make(sign, 0, 0);
	sign = absolute();
	if (first_bit() == INT32_MIN)
		return make(env->rc == 1, 0, 0);
	return round_it(env, sign);
}

static int exp_of(struct reg x)
{
	return weight(x) + 63 - __builtin_clzll(x.sig);
}

static u64 normal_sig(struct reg x)
{
	return x.sig << __builtin_clzll(x.sig);
}

static struct reg divide(struct env *env, struct reg a, struct reg b)
{
	u64 x = normal_sig(a), y = normal_sig(b);
	u128 high = ((u128)x << 64) / y, rest = ((u128)x << 64) % y, low;
	int unit = exp_of(a) - exp_of(b) - 64;

	low = (rest << 64) / y;
	rest = (rest << 64) % y;
	memset(big, 0, sizeof(big));
	put(high, unit, 0);
	put(low, unit - 64, 0);
	put(rest != 0, unit - 65, 0);
	return round_it(env, negative(a) ^ negative(b));
}

/* The root of an integer, whole */
static u64 whole_root(u128 val)
{
	u64 root = 0, b;

	for (b = TOP; b; b >>= 1)
		if ((u128)(root | b) * (root | b) <= val)
			root |= b;
	return root;
}

static struct reg root_of(struct env *env, struct reg a)
{
	int exp = exp_of(a), odd = exp & 1;
	u128 square = (u128)normal_sig(a) << (odd ? 64 : 63);
	u64 root = whole_root(square);
	u128 rest = square - (u128)root * root;
	int unit = (exp - odd) / 2 - 63;

	memset(big, 0, sizeof(big));
	put(root, unit, 0);
	/* Half a unit more would be more than the root only if the rest is no more than it. */
	put(rest > root, unit - 1, 0);
	put(rest != 0, unit - 2, 0);
	return round_it(env, 0);
}

/* The manual's tables of approximations, as what they were computed from */
static struct reg recip(struct reg b)
{
	int i = normal_sig(b) >> 55 & 255;

	return make(negative(b), BIAS - 1 - exp_of(b),
		    (u64)floor(2048 / (1 + (i + 0.5) / 256) + 0.5) << 53);
}

static struct reg recip_root(struct reg b)
{
	int i = normal_sig(b) >> 56 & 127, odd = exp_of(b) & 1;
	double val = (1 + (i + 0.5) / 128) * (odd ? 2 : 1);

	return make(0, BIAS - 1 - (exp_of(b) - odd) / 2, (u64)floor(2048 / sqrt(val) + 0.5) << 53);
}

static struct reg frcpa(struct env *env, struct reg a, struct reg b, int *good)
{
	int sign = negative(a) ^ negative(b), x, y;
	struct reg result;

	*good = 0;
	if (nan_of(env, &result, 2, a, b))
		return result;
	if (is_inf(a) ? is_inf(b) : !a.sig && !b.sig)
		return invalid(env);
	if (!b.sig && !is_inf(a)) {
		raise_fault(env, Z);
		return make(sign, 0x1ffff, TOP);
	}
	if (is_unnormal(a) || is_unnormal(b))
		raise_fault(env, D);
	if (is_inf(a))
		return make(sign, 0x1ffff, TOP);
	if (!a.sig || is_inf(b))
		return make(sign, 0, 0);
	x = exp_of(a) + BIAS;
	y = exp_of(b) + BIAS;
	if (env->parallel) {
		x += 127 - BIAS;
		y += 127 - BIAS;
		if (is_unnormal(b))
			return make(negative(b), 0x1ffff, TOP);
		if (y >= 252)
			return make(negative(b), 0, 0);
		*good = x - y <= 126 && x - y >= -124 && x >= 25;
		return recip(b);
	}
	if (y <= 0 || y > 0x1fffb || x - y < -0xfffc || x - y > 0xfffe || x <= 64)
		return divide(env, a, b);
	*good = 1;
	return recip(b);
}

static struct reg frsqrta(struct env *env, struct reg b, int *good)
{
	struct reg result;

	*good = 0;
	if (nan_of(env, &result, 1, b))
		return result;
	if (negative(b) && b.sig)
		return invalid(env);
	if (is_inf(b))
		return env->parallel ? make(0, 0, 0) : b;
	if (is_unnormal(b))
		raise_fault(env, D);
	if (!b.sig)
		return env->parallel ? make(negative(b), 0x1ffff, TOP) : make(negative(b), 0, 0);
	if (!env->parallel && exp_of(b) + BIAS <= 64)
		return root_of(env, b);
	*good = !env->parallel || exp_of(b) > -103;
	return recip_root(b);
}

/* The sign of a - b, of numbers and infinities */
static int order(struct reg a, struct reg b)
{
	int minus;

	if (is_inf(a) || is_inf(b)) {
		int x = is_inf(a) ? (negative(a) ? -1 : 1) : 0;
		int y = is_inf(b) ? (negative(b) ? -1 : 1) : 0;

		return x - y;
	}
	memset(big, 0, sizeof(big));
	put(a.sig, weight(a), negative(a));
	put(b.sig, weight(b), !negative(b));
	minus = absolute();
	return first_bit() == INT32_MIN ? 0 : minus ? -1 : 1;
}

static int relation(struct env *env, const char *rel, struct reg a, struct reg b)
{
	int quiet = !strcmp(rel, "eq") || !strcmp(rel, "unord"), sign;

	if (is_bad(a) || is_bad(b) || is_nan(a) || is_nan(b)) {
		if (!quiet || is_bad(a) || is_bad(b) || is_snan(a) || is_snan(b))
			raise_fault(env, V);
		return !strcmp(rel, "unord");
	}
	if (is_unnormal(a) || is_unnormal(b))
		raise_fault(env, D);
	if (!strcmp(rel, "unord"))
		return 0;
	sign = order(a, b);
	return !strcmp(rel, "eq") ? sign == 0 : !strcmp(rel, "lt") ? sign < 0 : sign <= 0;
}

static struct reg extreme(struct env *env, const char *name, struct reg a, struct reg b)
{
	int magnitude = strstr(name, "am") != NULL, max = strstr(name, "max") != NULL;
	struct reg x = a, y = b;

	if (magnitude) {
		x.se &= ~MINUS;
		y.se &= ~MINUS;
	}
	return relation(env, "lt", max ? y : x, max ? x : y) ? a : b;
}

static u64 to_integer(struct env *env, const char *name, struct reg a, int bits)
{
	int is_unsigned = strstr(name, "fxu") != NULL, lossy, larger, high;
	u64 bad = 1ull << (bits - 1);
	u128 val;

	if (strstr(name, "trunc"))
		env->rc = 3;
	if (is_wild(a) || (a.sig && exp_of(a) > 66)) {
		raise_fault(env, V);
		return bad;
	}
	memset(big, 0, sizeof(big));
	put(a.sig, weight(a), 0);
	val = 0;
	for (high = 66; high > 64; high--)
		val |= (u128)bit(high) << high;
	val |= units(env, negative(a), 0, &lossy, &larger);
	if (is_unsigned ? negative(a) ? val != 0 : val >> bits != 0 :
			  val > bad - !negative(a)) {
		raise_fault(env, V);
		return bad;
	}
	if (is_unnormal(a))
		raise_fault(env, D);
	if (lossy)
		trap_inexact(env, larger, 0);
	return negative(a) ? -(u64)val : (u64)val;
}

/*
 * The host's answers
 */

static unsigned int host_answers;

static void differs(const char *what, struct reg a, struct reg b, struct reg c, u64 ours, u64 host)
{
	fprintf(stderr, "fprandom: %s of %05" PRIx64 ":%016" PRIx64 ", %05" PRIx64 ":%016" PRIx64
		", %05" PRIx64 ":%016" PRIx64 ": %" PRIx64 ", the host has %" PRIx64 "\n",
		what, a.se, a.sig, b.se, b.sig, c.se, c.sig, ours, host);
	exit(1);
}

static unsigned int host_flags(void)
{
	int e = fetestexcept(FE_ALL_EXCEPT);

	return (e & FE_INVALID ? V : 0) | (e & FE_DIVBYZERO ? Z : 0) | (e & FE_OVERFLOW ? O : 0) |
		(e & FE_UNDERFLOW ? U : 0) | (e & FE_INEXACT ? I : 0);
}

static const int host_modes[4] = { FE_TONEAREST, FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO };

static void begin_host(int rc)
{
	feclearexcept(FE_ALL_EXCEPT);
	fesetround(host_modes[rc]);
}

static int is_plain(struct reg x)
{
	return !is_nan(x) && !is_bad(x) && !is_nat(x);
}

static int is_double(struct reg x)
{
	struct reg y = of_double(as_double(x));

	return is_plain(x) && y.sig == x.sig && y.se == x.se;
}

static int is_single(struct reg x)
{
	struct reg y = of_single(as_single(x));

	return is_plain(x) && y.sig == x.sig && y.se == x.se;
}

static double host_double(struct reg x)
{
	u64 val = as_double(x);
	double d;

	memcpy(&d, &val, 8);
	return d;
}

static float host_single(struct reg x)
{
	uint32_t val = as_single(x);
	float f;

	memcpy(&f, &val, 4);
	return f;
}

#ifdef __x86_64__
static int is_extended(struct reg x)
{
	struct reg y = of_extended(x.sig, as_extended(x));

	return is_plain(x) && y.sig == x.sig && y.se == x.se &&
		(exponent(x) ? x.sig >= TOP : x.sig < TOP);
}

static long double host_extended(struct reg x)
{
	unsigned int se = as_extended(x);
	long double d = 0;

	memcpy(&d, &x.sig, 8);
	memcpy((char *)&d + 8, &se, 2);
	return d;
}

static struct reg from_host(long double d)
{
	uint16_t se;
	u64 sig;

	memcpy(&sig, &d, 8);
	memcpy(&se, (char *)&d + 8, 2);
	return of_extended(sig, se);
}

/* A sum or product as x87 has it, with the exponents of extended numbers for any precision */
static void ask_x87(struct env *env, unsigned int pc, struct reg a, struct reg b, struct reg c,
		    int alone, struct reg ours)
{
	uint16_t control = 0x3f | pc << 8 | env->rc << 10, usual, status;
	volatile long double x = host_extended(a), y = host_extended(alone ? b : c), z;
	struct reg host;

	__asm__ volatile("fnstcw %0" : "=m"(usual));
	__asm__ volatile("fnclex; fldcw %0" : : "m"(control));
	z = alone ? x * y : x + y;
	__asm__ volatile("fnstsw %0; fnclex; fldcw %1" : "=m"(status) : "m"(usual));
	host = from_host(z);
	host_answers++;
	/* Its flags are where ours are. */
	if (host.sig != ours.sig || host.se != ours.se || (status & 0x3f) != env->flags)
		differs(alone ? "x87's product" : "x87's sum", a, b, c, ours.sig, host.sig);
}

/* A conversion to a signed integer that it has room for */
static void ask_integer(struct env *env, struct reg a, u64 ours)
{
	unsigned int flags;
	s64 host;

	begin_host(env->rc);
	host = llrintl(host_extended(a));
	flags = host_flags();
	fesetround(FE_TONEAREST);
	if (flags & V)
		return;
	host_answers++;
	if ((u64)host != ours || flags != (env->flags & ~D))
		differs("llrintl", a, a, a, ours, host);
}
#else
static int is_extended(struct reg x) { return x.sig && 0; }
static void ask_x87(struct env *, unsigned int, struct reg, struct reg, struct reg, int, struct reg) { }
static void ask_integer(struct env *, struct reg, u64) { }
#endif

static void ask_fma(struct env *env, char pc, struct reg a, struct reg b, struct reg c,
		    int alone, struct reg ours)
{
	volatile double x, y, z;
	volatile float fx, fy, fz;
	unsigned int flags;
	u64 host, expected;

	if (pc == 'd') {
		x = host_double(a), y = host_double(b), z = host_double(c);
		begin_host(env->rc);
		x = alone ? x * y : fma(x, y, z);
		flags = host_flags();
		fesetround(FE_TONEAREST);
		memcpy(&host, (void *)&x, 8);
		expected = as_double(ours);
	} else {
		uint32_t val;

		fx = host_single(a), fy = host_single(b), fz = host_single(c);
		begin_host(env->rc);
		fx = alone ? fx * fy : fmaf(fx, fy, fz);
		flags = host_flags();
		fesetround(FE_TONEAREST);
		memcpy(&val, (void *)&fx, 4);
		host = val;
		expected = as_single(ours);
	}
	host_answers++;
	if (host != expected)
		differs(pc == 'd' ? "fma" : "fmaf", a, b, c, expected, host);
	if (flags != (env->flags & ~D))
		differs(pc == 'd' ? "fma's flags" : "fmaf's flags", a, b, c, env->flags, flags);
}

/*
 * Forms
 */
enum kind {
	FMA, XMA, SELECT, RECIPROCAL, ROOT, EXTREME, PARALLEL_COMPARE, CONVERT, MERGE, HALVES, FROM_INTEGER,
	COMPARE, CLASS, MEMORY, TO_GENERAL, FROM_GENERAL, DIVISION, INTEGER_DIVISION, SQUARE_ROOT,
};

struct form {
	enum kind kind;
	int sf, alone, sum, qp, slot, mask, unc;
	char name[24];
};

#define FORMS 1500
static struct form forms[FORMS];
static int nr_forms, nr_fma, first_reciprocal, nr_reciprocals;

/* Registers of a form's operands, which differ, and of its result, which may be one of them */
static int regs[4];

static void choose_regs(int first)
{
	int i, j;

	for (i = 0; i < 4; i++)
		do {
			regs[i] = first + below(128 - first);
			for (j = 0; j < i && regs[j] != regs[i]; j++)
				;
		} while (j < i);
	if (below(2))
		regs[3] = regs[below(3)];
}

static void bundle(const char *qp, int slot, const char *format, ...)
{
	va_list args;

	printf("\t.explicit\n\t{ %s\n\tnop.m 0\n", slot == 1 ? ".mfi" : ".mmf");
	if (slot == 2)
		puts("\tnop.m 0");
	printf("\t%s", qp);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	puts(slot == 1 ? "\n\tnop.i 0;;\n\t}\n\t.auto" : ";;\n\t}\n\t.auto");
}

/* The code of a form: what may be interrupted goes on at its second half. */
static void emit(struct form *f)
{
	const char *qp = f->qp ? "(p8) " : "", *name = f->name;
	int n = f - forms, a, b, c, d, i;
	char sf[16] = "";
	u64 insn;

	choose_regs(f->kind < DIVISION ? 2 : 32);
	a = regs[0], b = regs[1], c = regs[2], d = regs[3];
	if (f->sf >= 0)
		snprintf(sf, sizeof(sf), ".s%d", f->sf);
	printf("\t.align 16\nform%d:\n", n);
	for (i = 0; i < 4; i++)
		if (i < 3 || (d != a && d != b && d != c))
			printf("\tldf.fill f%d = [r12], 16\n", regs[i]);
	switch (f->kind) {
	case FMA:
		bundle(qp, f->slot, "%s%s f%d = f%d, f%d, f%d", name, sf, d, a, f->sum ? 1 : b, f->alone ? 0 : c);
		break;
	case XMA: case SELECT:
		bundle(qp, f->slot, "%s f%d = f%d, f%d, f%d", name, d, a, b, c);
		break;
	case RECIPROCAL:
		bundle(qp, f->slot, "%s%s f%d, p6 = f%d, f%d", name, sf, d, a, b);
		break;
	case ROOT:
		bundle(qp, f->slot, "%s%s f%d, p6 = f%d", name, sf, d, b);
		break;
	case EXTREME: case PARALLEL_COMPARE: case MERGE: case HALVES:
		bundle(qp, f->slot, "%s%s f%d = f%d, f%d", name, sf, d, a, b);
		break;
	case CONVERT: case FROM_INTEGER:
		bundle(qp, f->slot, "%s%s f%d = f%d", name, sf, d, a);
		break;
	case COMPARE:
		bundle(qp, f->slot, "fcmp.%s%s%s p6, p7 = f%d, f%d", name, f->unc ? ".unc" : "", sf, a, b);
		break;
	case CLASS:
		/* The assembler would add both signs to classes that have none. */
		insn = 5ull << 37 | (f->mask & 3ull) << 33 | 7 << 27 | f->mask >> 2 << 20 | a << 13 |
			f->unc << 12 | 6 << 6 | (f->qp ? 8 : 0);
		printf(f->slot == 1 ? "\tbundle 0xd, NOP, %" PRIu64 ", NOP\n" :
		       "\tbundle 0xf, NOP, NOP, %" PRIu64 "\n", insn);
		break;
	case MEMORY:
		printf("\t.align 16\n\t%sst%s [r11] = f%d\n", qp, name, a);
		printf("\t%sld%s f%d = [r11]\n", qp,
		       !strcmp(name, "f.spill") ? "f.fill" : name, d);
		break;
	case TO_GENERAL:
		printf("\t%sgetf.%s r9 = f%d\n\t%ssetf.sig f%d = r9\n", qp, name, a, qp, d);
		break;
	case FROM_GENERAL:
		printf("\tgetf.sig r9 = f%d\n\t%ssetf.%s f%d = r9\n", a, qp, name, d);
		break;
	case DIVISION:
		printf("\tdivision %s, f%d, f%d, f%d\n", name, d, a, b);
		break;
	case INTEGER_DIVISION:
		printf("\tinteger_division f%d, f%d, f%d\n", d, a, b);
		break;
	case SQUARE_ROOT:
		printf("\tsquare_root f%d, f%d\n", d, a);
		break;
	}
	printf("\t.align 16\nafter%d:\n\tstf.spill [r15] = f%d\n\tbr.cond.sptk back\n", n, d);
	printf("\t.pushsection .data\n\tdata8 form%d, after%d, name%d, %d\n", n, n, n,
	       d == a ? 1 : d == b ? 2 : d == c ? 3 : 0);
	printf("\t.section .rodata\nname%d:\t.asciz \"%s%s%s\"\n\t.popsection\n", n, name,
	       f->kind == COMPARE ? " by fcmp" : "", sf);
}

/* Whether the result's register is one of the operands, 1 to 3; by form */
static int same[FORMS];

static struct form *add_form(enum kind kind, int sf, const char *name)
{
	struct form *f = &forms[nr_forms++];

	f->kind = kind;
	f->sf = sf;
	f->qp = kind < DIVISION && !below(4);
	f->slot = 1 + below(2);
	snprintf(f->name, sizeof(f->name), "%s", name);
	return f;
}

static void each(enum kind kind, int with_sf, const char *names)
{
	char all[512], *name;
	int sf;

	snprintf(all, sizeof(all), "%s", names);
	for (name = strtok(all, " "); name; name = strtok(NULL, " "))
		for (sf = with_sf ? 0 : -1; sf < (with_sf ? 4 : 0); sf++)
			add_form(kind, sf, name);
}

static void list_forms(void)
{
	static const char *const relations[] = { "eq", "lt", "le", "unord" };
	int i, n;

	each(FMA, 1, "fma fma.s fma.d fms fms.s fms.d fnma fnma.s fnma.d fpma fpms fpnma");
	n = nr_forms;
	for (i = 0; i < n; i++) {
		struct form *f = add_form(FMA, forms[i].sf, forms[i].name);

		f->alone = 1;
		/* 1.0 is two other singles. */
		if (forms[i].name[1] != 'p') {
			f = add_form(FMA, forms[i].sf, forms[i].name);
			f->sum = 1;
		}
	}
	nr_fma = nr_forms;
	each(XMA, 0, "xma.l xma.h xma.hu");
	each(SELECT, 0, "fselect");
	first_reciprocal = nr_forms;
	each(RECIPROCAL, 1, "frcpa fprcpa");
	each(ROOT, 1, "frsqrta fprsqrta");
	nr_reciprocals = nr_forms - first_reciprocal;
	each(EXTREME, 1, "fmin fmax famin famax fpmin fpmax fpamin fpamax");
	each(PARALLEL_COMPARE, 1, "fpcmp.eq fpcmp.lt fpcmp.le fpcmp.unord fpcmp.neq fpcmp.nlt fpcmp.nle fpcmp.ord");
	each(CONVERT, 1, "fcvt.fx fcvt.fxu fcvt.fx.trunc fcvt.fxu.trunc fpcvt.fx fpcvt.fxu fpcvt.fx.trunc fpcvt.fxu.trunc");
	each(FROM_INTEGER, 0, "fcvt.xf");
	each(MERGE, 0, "fmerge.s fmerge.ns fmerge.se fpmerge.s fpmerge.ns fpmerge.se");
	each(HALVES, 0, "fpack fand fandcm for fxor fswap fswap.nl fswap.nr fmix.l fmix.r fmix.lr fsxt.l fsxt.r");
	for (i = 0; i < 32; i++) {
		struct form *f = add_form(COMPARE, i % 4, relations[i / 4 % 4]);

		f->unc = i / 16;
	}
	for (i = 0; i < 24; i++) {
		struct form *f = add_form(CLASS, -1, "fclass");

		f->mask = i < 9 ? 1 << i | 3 : (int)below(512);
		f->unc = i & 1;
	}
	each(MEMORY, 0, "fs fd fe f8 f.spill");
	each(TO_GENERAL, 0, "s d exp sig");
	each(FROM_GENERAL, 0, "s d exp sig");
	each(DIVISION, 0, "s d");
	each(INTEGER_DIVISION, 0, "division");
	each(SQUARE_ROOT, 0, "root");
}

/*
 * Cases
 */

static u64 random_sig(void)
{
	u64 sig = next() | TOP;

	switch (below(8)) {
	case 0: return TOP;
	case 1: return ~0ull << below(64);
	case 2: return TOP | 1ull << below(63);
	case 3: return ~0ull;
	case 4: return sig & ~0ull << 40;
	case 5: return sig & ~0ull << 11;
	default: return sig;
	}
}

/* An exponent that many operands of a case have, by about some bits */
static int around;

static struct reg random_value(void)
{
	static const int ends[] = {
		1, 2, 64, 65, 0xc001, 0xc001 - 63, 0xfc01, 0xfc01 - 52, 0xff81, 0xff81 - 23, BIAS, 0x1003d,
		0x1003e, 0x1007e, 0x103fe, 0x13ffe, 0x1fffb, 0x1fffd, 0x1fffe,
	};
	int sign = below(2), exp;
	u64 sig = random_sig();

	switch (below(24)) {
	case 0: return make(sign, 0, 0);
	case 1: return make(sign, 0x1ffff, TOP);
	case 2: return make(sign, 0x1ffff, sig);
	case 3: return make(sign, 0x1ffff, sig >> below(3));
	case 4: return below(3) ? one : natval;
	case 5: return make(sign, 1 + below(0x1fffd), 0);
	case 6: return make(sign, 0, sig >> below(64));
	case 7: return make(sign, below(0x1ffff), sig >> below(64));
	case 8: return make(sign, around - below(8), sig >> below(9));
	case 9: return of_single(next() & 0x807fffff);
	case 10: return of_double(next() & ~(0x7ffull << 52));
	case 11: return whole(next() >> below(64));
	case 12: return make(sign, below(0x1ffff), sig);
	case 13: case 14:
		exp = ends[below(sizeof(ends) / sizeof(ends[0]))] + below(5) - 2;
		return make(sign, exp < 1 ? 1 : exp > 0x1fffe ? 0x1fffe : exp, sig);
	default:
		exp = around + below(3) * (below(130) - 65);
		return make(sign, exp < 1 ? 1 : exp > 0x1fffe ? 0x1fffe : exp, sig);
	}
}

static uint32_t random_single(void)
{
	uint32_t val = next() >> 20, exp;

	switch (below(8)) {
	case 0: return val & 0x80000000;
	case 1: return (val & 0x80000000) | 0x7f800000;
	case 2: return val | 0x7f800000;
	case 3: return val & 0x807fffff;
	case 4: exp = 120 + below(16); break;
	case 5: exp = 1 + below(26); break;
	case 6: exp = 240 + below(15); break;
	default: return val;
	}
	return (val & 0x807fffff & (below(2) ? ~0u : 0xffff0000)) | exp << 23;
}

static u64 random_fpsr(int sf)
{
	u64 val = below(2) ? 63 : below(64), field;
	int i;

	for (i = 0; i < 4; i++) {
		field = (below(8) ? 0 : 1) | (below(3) ? 0 : 2) | below(16) << 2 |
			(!i || below(4) ? 0 : 64) | (below(2) ? 0 : below(64) << 7);
		if ((field >> 2 & 3) == 1)
			field |= 3 << 2;
		if (i == sf && below(2))
			field &= ~3ull;
		val |= field << (6 + 13 * i);
	}
	return val;
}

static struct env environment(u64 fpsr, int sf, char pc)
{
	unsigned int field = fpsr >> (6 + 13 * sf) & 0x1fff, pcs[4] = { 24, 0, 53, 64 };
	struct env env = { .disabled = field & 64 ? 63 : fpsr & 63, .ftz = field & 1, .rc = field >> 4 & 3 };

	env.bits = pc == 's' || pc == 'p' ? 24 : pc == 'd' ? 53 : (int)pcs[field >> 2 & 3];
	env.emax = pc == 's' || pc == 'p' ? 127 : pc == 'd' ? 1023 : 16383;
	if (field & 2 && pc != 'p')
		env.emax = BIAS;
	env.emin = 1 - env.emax;
	env.parallel = pc == 'p';
	return env;
}

static u64 halves(uint32_t high, uint32_t low)
{
	return (u64)high << 32 | low;
}

static u64 move_halves(const char *name, struct reg a, struct reg b)
{
	uint32_t a1 = a.sig >> 32, a0 = a.sig, b1 = b.sig >> 32, b0 = b.sig, minus = 1u << 31;

	if (!strcmp(name, "fpack")) return halves(as_single(a), as_single(b));
	if (!strcmp(name, "fand")) return a.sig & b.sig;
	if (!strcmp(name, "fandcm")) return a.sig & ~b.sig;
	if (!strcmp(name, "for")) return a.sig | b.sig;
	if (!strcmp(name, "fxor")) return a.sig ^ b.sig;
	if (!strcmp(name, "fswap")) return halves(b0, a1);
	if (!strcmp(name, "fswap.nl")) return halves(b0 ^ minus, a1);
	if (!strcmp(name, "fswap.nr")) return halves(b0, a1 ^ minus);
	if (!strcmp(name, "fmix.l")) return halves(a1, b1);
	if (!strcmp(name, "fmix.r")) return halves(a0, b0);
	if (!strcmp(name, "fmix.lr")) return halves(a1, b0);
	if (!strcmp(name, "fsxt.l")) return halves(a1 & minus ? ~0u : 0, b1);
	return halves(a0 & minus ? ~0u : 0, b0);
}

static uint32_t merge_half(const char *how, uint32_t a, uint32_t b)
{
	if (!strcmp(how, "s"))
		return (a & 1u << 31) | (b & ~(1u << 31));
	if (!strcmp(how, "ns"))
		return (~a & 1u << 31) | (b & ~(1u << 31));
	return (a & 0xff800000) | (b & 0x7fffff);
}

static struct reg merge(const char *name, struct reg a, struct reg b)
{
	const char *how = strchr(name, '.') + 1;

	if (name[1] == 'p')
		return whole(halves(merge_half(how, a.sig >> 32, b.sig >> 32), merge_half(how, a.sig, b.sig)));
	if (!strcmp(how, "s"))
		return make(negative(a), exponent(b), b.sig);
	if (!strcmp(how, "ns"))
		return make(!negative(a), exponent(b), b.sig);
	return make(negative(a), exponent(a), b.sig);
}

struct one_case {
	u64 form, fpsr;
	struct reg a, b, c, d, expected;
	u64 fpsr_after, vector, isr, pr, pr_after, nothing;
};

/* Whether some operand of those that a form has is a NaTVal */
static int has_nat(struct form *f, struct one_case *k)
{
	switch (f->kind) {
	case FMA:
		return is_nat(k->a) || (!f->sum && is_nat(k->b)) || (!f->alone && is_nat(k->c));
	case XMA: case SELECT:
		return is_nat(k->a) || is_nat(k->b) || is_nat(k->c);
	case ROOT:
		return is_nat(k->b);
	case RECIPROCAL: case EXTREME: case PARALLEL_COMPARE: case MERGE: case HALVES: case COMPARE:
		return is_nat(k->a) || is_nat(k->b);
	default:
		return is_nat(k->a);
	}
}

static void set_pr(struct one_case *k, int p6, int p7)
{
	k->pr_after = (k->pr & ~(3ull << 6)) | (u64)p6 << 6 | (u64)p7 << 7;
}

static struct reg host_quotient(struct one_case *k, const char *pc, unsigned int *flags)
{
	struct reg result;

	begin_host(k->fpsr >> 10 & 3);
	if (*pc == 'd') {
		volatile double x = host_double(k->a), y = host_double(k->b), q = x / y;
		u64 val;

		memcpy(&val, (void *)&q, 8);
		result = of_double(val);
	} else {
		volatile float x = host_single(k->a), y = host_single(k->b), q = x / y;
		uint32_t val;

		memcpy(&val, (void *)&q, 4);
		result = of_single(val);
	}
	*flags = host_flags();
	fesetround(FE_TONEAREST);
	return result;
}

static struct reg host_root(struct one_case *k, unsigned int *flags)
{
	volatile double x = host_double(k->a), q;
	u64 val;

	begin_host(k->fpsr >> 10 & 3);
	q = sqrt(x);
	*flags = host_flags();
	fesetround(FE_TONEAREST);
	memcpy(&val, (void *)&q, 8);
	return of_double(val);
}

/* For sequences of instructions: what programs have in ar.fpsr, and operands that are no NaNs */
static void plan_division(struct form *f, struct one_case *k)
{
	u64 x = next(), y = next();

	if (below(2)) {
		x = (x & ~(0x7ffull << 52)) | (u64)(1013 + below(20)) << 52;
		y = (y & ~(0x7ffull << 52)) | (u64)(1013 + below(20)) << 52;
	}
	k->fpsr = 0x9804c0270033full | (u64)below(4) << 10;
	k->a = of_double(x);
	k->b = of_double(y);
	if (!strcmp(f->name, "s")) {
		k->a = of_single(random_single());
		k->b = of_single(random_single());
	}
	if (is_nan(k->a))
		k->a = one;
	if (is_nan(k->b))
		k->b = one;
	if (f->kind == SQUARE_ROOT)
		k->a.se &= ~MINUS;
	if (f->kind == INTEGER_DIVISION) {
		k->a = whole(next() >> below(64));
		k->b = whole(next() >> below(64));
		if (!k->b.sig)
			k->b.sig = 1;
	}
}

/* Operands of reciprocals at whose borders an approximation is no longer good enough */
static void plan_ends(struct one_case *k, int parallel)
{
	static const int near[] = { 1, 64, 0xfffd, 0x1fffc, BIAS, BIAS + 100, BIAS - 30000 };
	int b = near[below(7)] + below(5) - 2, a = below(2) ? near[below(7)] : b + near[1 + below(4)] - BIAS;
	int i, x, y;
	u64 root;

	a += below(5) - 2;
	if (below(2)) {
		i = a;
		a = b;
		b = i;
	}
	a = a < 1 ? 1 : a > 0x1fffe ? 0x1fffe : a;
	b = b < 1 ? 1 : b > 0x1fffe ? 0x1fffe : b;
	root = TOP >> 32 | below(1u << 31);
	k->a = below(16) ? make(below(2), a, random_sig() >> (below(4) ? 0 : below(70) % 64)) :
		make(0, below(2) * BIAS, 0);
	k->b = below(16) ? make(!below(4), b, below(2) ? random_sig() : root * root | TOP) :
		make(below(2), below(2) * BIAS, 0);
	if (!below(4))
		k->b.sig >>= below(64);
	for (i = 0; parallel && i < 2; i++) {
		y = below(2) ? 250 + below(4) : 1 + below(254);
		x = below(2) ? 22 + below(6) : y + (below(2) ? 125 : -127) + below(4);
		x = x < 1 ? 1 : x > 254 ? 254 : x;
		k->a.sig = k->a.sig << 32 | (random_single() & 0x807fffff) | x << 23;
		k->b.sig = k->b.sig << 32 | (random_single() & (below(4) ? 0x7fffff : 0x807fffff)) | y << 23;
		if (!below(8))
			k->b.sig = (k->b.sig & ~0xffffffffull) | (22 + below(6)) << 23;
		k->a.se = k->b.se = INTEGER;
	}
}

/* Sums of which one part is half of the last place of the least number, or next to that */
static void plan_tiny(struct form *f, struct one_case *k)
{
	int bits = strstr(f->name, ".s") ? 24 : strstr(f->name, ".d") ? 53 : 64;
	int first = strstr(f->name, ".s") ? 0xff81 : strstr(f->name, ".d") ? 0xfc01 : 0xc001;
	int exp = first - (below(2) ? below(bits) : below(2) ? 1 : bits + 1 - below(3));

	k->c = make(below(2), exp, below(2) ? random_sig() : ~0ull);
	k->a = make(below(2), BIAS - 3000 - below(1000), random_sig());
	k->b = make(below(2), exp - 200 - below(200) + 3000, random_sig());
	if (f->alone || below(3)) {
		k->a = k->c;
		k->b = one;
	}
	k->fpsr |= 16;
	k->fpsr &= ~(2ull << (6 + 13 * f->sf));
}

static void plan(struct form *f, struct one_case *k)
{
	int parallel = f->name[1] == 'p' && f->kind != HALVES;

	around = below(3) ? BIAS + below(200) - 100 : 70 + below(0x1ff00);
	k->fpsr = random_fpsr(f->sf);
	if (parallel) {
		k->a = whole(halves(random_single(), random_single()));
		k->b = whole(halves(random_single(), random_single()));
		k->c = whole(halves(random_single(), random_single()));
		if (!below(30))
			k->a = natval;
		if (!below(30))
			k->b = natval;
	} else {
		k->a = random_value();
		k->b = random_value();
		k->c = random_value();
		if (!below(8))
			k->b = k->a;
	}
	if (f->kind == CONVERT && !parallel && below(2))
		k->a = make(below(2), BIAS - 2 + below(68), random_sig());
	if (f->kind == CONVERT && parallel && below(2))
		k->a = whole(halves((random_single() & 0x807fffff) | (125 + below(36)) << 23,
				    (random_single() & 0x807fffff) | (125 + below(36)) << 23));
	/* A sum in which almost nothing is left, and operands that the host knows */
	if (f->kind == FMA && !parallel && !below(3) && k->a.sig && k->b.sig &&
	    !is_wild(k->a) && !is_wild(k->b)) {
		u128 product = (u128)normal_sig(k->a) * normal_sig(k->b);
		int exp = exp_of(k->a) + exp_of(k->b) + BIAS + (int)(product >> 127);

		if (exp > 0 && exp < 0x1ffff)
			k->c = make(below(2), exp, (u64)(product >> (64 - !(product >> 127))) + below(3) - 1);
	} else if (f->kind == FMA && !parallel && below(4)) {
		u64 mask = ~0ull << (strstr(f->name, ".s") ? 40 : strstr(f->name, ".d") ? 11 : 0);
		int range = strstr(f->name, ".s") ? 280 : strstr(f->name, ".d") ? 2100 : 33000, n;

		for (n = 0; n < 3; n++) {
			struct reg *x = n == 0 ? &k->a : n == 1 ? &k->b : &k->c;
			int exp = below(3) ? BIAS + below(120) - 60 : BIAS + below(range) - range / 2;

			*x = make(below(2), exp, random_sig() & mask);
		}
		k->fpsr |= 63;
		k->fpsr &= ~(3ull << (6 + 13 * f->sf));
	}
	if ((f->kind == RECIPROCAL || f->kind == ROOT) && below(2))
		plan_ends(k, parallel);
	if (f->kind == FMA && !parallel && !below(8))
		plan_tiny(f, k);
	if (f->kind >= DIVISION)
		plan_division(f, k);
	if (same[k->form])
		k->d = same[k->form] == 1 ? k->a : same[k->form] == 2 ? k->b : k->c;
	else
		k->d = make(1, 0x12345, 0xdeadbeef00000000 | k->form);
	k->pr = 1 | below(4) << 6 | (below(4) ? 1 << 8 : 0);
}

static void conclude(struct form *f, struct one_case *k, struct env *high, struct env *low)
{
	unsigned int faults = high->fault | (low ? low->fault << 4 : 0);
	unsigned int traps = high->trap << 11 | (low ? low->trap << 7 : 0);

	if (faults) {
		k->expected = k->d;
		k->pr_after = k->pr;
		k->vector = 0x5c00;
		k->isr = faults | (u64)f->slot << 41;
		return;
	}
	k->fpsr_after |= (u64)(high->flags | (low ? low->flags : 0)) << (13 + 13 * f->sf);
	if (traps) {
		k->vector = 0x5d00;
		k->isr = traps | 1 | (u64)f->slot << 41;
	}
}

static struct reg compute_fma(struct form *f, struct env *env, struct reg a, struct reg b, struct reg c)
{
	return add_product(env, a, b, c, !strncmp(strchr(f->name, 'n') ?: "", "nma", 3),
			   strstr(f->name, "ms") != NULL, f->alone);
}

static void ask_host(struct form *f, struct one_case *k, struct env *env, char pc)
{
	struct reg b = f->sum ? one : k->b, c = f->alone ? make(0, 0, 0) : k->c;

	if (env->disabled != 63 || env->ftz || env->emax == BIAS || strncmp(f->name, "fma", 3))
		return;
	if (pc == 'd' && is_double(k->a) && is_double(b) && is_double(c))
		ask_fma(env, pc, k->a, b, c, f->alone, k->expected);
	if (pc == 's' && is_single(k->a) && is_single(b) && is_single(c))
		ask_fma(env, pc, k->a, b, c, f->alone, k->expected);
	if (!pc && (f->sum || f->alone) && is_extended(k->a) && is_extended(b) && is_extended(c))
		ask_x87(env, env->bits == 24 ? 0 : env->bits == 53 ? 2 : 3, k->a, b, c, f->alone,
			k->expected);
}

static void execute(struct form *f, struct one_case *k)
{
	int on = !f->qp || k->pr >> 8 & 1, parallel = f->name[1] == 'p', good[2] = { 1, 1 }, rel, i;
	struct reg a = k->a, b = k->b, c = k->c;
	const char *name = f->name, *dot = strrchr(name, '.');
	uint32_t half[2];
	struct env env[2];
	unsigned int flags;
	char pc = parallel ? 'p' : dot && !dot[2] ? dot[1] : 0;

	k->expected = k->d;
	k->fpsr_after = k->fpsr;
	k->pr_after = k->pr;
	k->vector = ~0ull;
	if (f->kind == RECIPROCAL || f->kind == ROOT)
		set_pr(k, 0, k->pr >> 7 & 1);
	if (f->unc)
		set_pr(k, 0, 0);
	if (!on)
		return;
	if (has_nat(f, k)) {
		switch (f->kind) {
		case COMPARE:
			set_pr(k, 0, 0);
			return;
		case CLASS:
			set_pr(k, f->mask >> 8, 0);
			return;
		case MEMORY:
			if (strcmp(name, "f.spill")) {
				k->vector = 0x5600;
				k->isr = 1ull << 33 | 0x10;
				return;
			}
			k->expected = natval;
			return;
		default:
			k->expected = natval;
			return;
		}
	}
	if (f->sf >= 0)
		env[0] = env[1] = environment(k->fpsr, f->sf, f->kind == FMA || parallel ? pc : 0);
	switch (f->kind) {
	case FMA:
		if (f->sum)
			b = one;
		if (!parallel) {
			if (f->alone)
				c = make(0, 0, 0);
			k->expected = compute_fma(f, &env[0], a, b, c);
			ask_host(f, k, &env[0], pc);
			conclude(f, k, &env[0], NULL);
			return;
		}
		for (i = 0; i < 2; i++)
			half[i] = as_single(compute_fma(f, &env[i], of_single(a.sig >> 32 * i),
							of_single(b.sig >> 32 * i),
							of_single(f->alone ? 0 : c.sig >> 32 * i)));
		k->expected = whole(halves(half[1], half[0]));
		conclude(f, k, &env[1], &env[0]);
		return;
	case XMA:
		if (!strcmp(name, "xma.l"))
			k->expected = whole(a.sig * b.sig + c.sig);
		else if (!strcmp(name, "xma.hu"))
			k->expected = whole(((u128)a.sig * b.sig + c.sig) >> 64);
		else
			k->expected = whole((u128)((__int128)(s64)a.sig * (s64)b.sig + c.sig) >> 64);
		return;
	case SELECT:
		k->expected = whole((a.sig & c.sig) | (b.sig & ~c.sig));
		return;
	case RECIPROCAL: case ROOT:
		for (i = 0; i < (parallel ? 2 : 1); i++) {
			struct reg x = parallel ? of_single(a.sig >> 32 * i) : a;
			struct reg y = parallel ? of_single(b.sig >> 32 * i) : b;

			x = f->kind == ROOT ? frsqrta(&env[i], y, &good[i]) : frcpa(&env[i], x, y, &good[i]);
			half[i] = as_single(x);
			k->expected = parallel ? whole(halves(half[i], half[0])) : x;
		}
		set_pr(k, good[0] && good[1], k->pr >> 7 & 1);
		conclude(f, k, &env[parallel], parallel ? &env[0] : NULL);
		return;
	case EXTREME:
		for (i = 0; i < (parallel ? 2 : 1); i++) {
			struct reg x = parallel ? of_single(a.sig >> 32 * i) : a;
			struct reg y = parallel ? of_single(b.sig >> 32 * i) : b;

			x = extreme(&env[i], name, x, y);
			half[i] = as_single(x);
			k->expected = parallel ? whole(halves(half[i], half[0])) : x;
		}
		conclude(f, k, &env[parallel], parallel ? &env[0] : NULL);
		return;
	case PARALLEL_COMPARE:
		name = dot + 1;
		rel = *name == 'n' || !strcmp(name, "ord");
		for (i = 0; i < 2; i++)
			half[i] = relation(&env[i], !strcmp(name, "ord") ? "unord" : name + (*name == 'n' && name[1] != 0 ? 1 : 0),
					   of_single(a.sig >> 32 * i), of_single(b.sig >> 32 * i)) != rel ? ~0u : 0;
		k->expected = whole(halves(half[1], half[0]));
		conclude(f, k, &env[1], &env[0]);
		return;
	case CONVERT:
		if (!parallel) {
			k->expected = whole(to_integer(&env[0], name, a, 64));
			if (!strncmp(name, "fcvt.fx.", 8) + !strcmp(name, "fcvt.fx") &&
			    env[0].disabled == 63 && is_extended(a))
				ask_integer(&env[0], a, k->expected.sig);
			conclude(f, k, &env[0], NULL);
			return;
		}
		for (i = 0; i < 2; i++)
			half[i] = to_integer(&env[i], name, of_single(a.sig >> 32 * i), 32);
		k->expected = whole(halves(half[1], half[0]));
		conclude(f, k, &env[1], &env[0]);
		return;
	case FROM_INTEGER:
		if (!a.sig) {
			k->expected = make(0, 0, 0);
			return;
		}
		k->expected = whole(a.sig >> 63 ? -a.sig : a.sig);
		k->expected = make(a.sig >> 63, exp_of(k->expected) + BIAS, normal_sig(k->expected));
		return;
	case MERGE:
		k->expected = merge(name, a, b);
		return;
	case HALVES:
		k->expected = whole(move_halves(name, a, b));
		return;
	case COMPARE:
		rel = relation(&env[0], name, a, b);
		set_pr(k, rel, !rel);
		conclude(f, k, &env[0], NULL);
		return;
	case CLASS:
		rel = is_bad(a) ? 0 : is_nan(a) ? f->mask >> (is_snan(a) ? 6 : 7) & 1 :
			f->mask >> negative(a) & 1 &&
			f->mask >> (is_inf(a) ? 5 : is_zero(a) ? 2 : is_unnormal(a) ? 3 : 4) & 1;
		set_pr(k, rel, !rel);
		return;
	case MEMORY:
		if (!strcmp(name, "fs"))
			k->expected = of_single(as_single(a));
		else if (!strcmp(name, "fd"))
			k->expected = of_double(as_double(a));
		else if (!strcmp(name, "fe"))
			k->expected = of_extended(a.sig, as_extended(a));
		else if (!strcmp(name, "f8"))
			k->expected = whole(a.sig);
		else
			k->expected = a;
		return;
	case TO_GENERAL:
		k->expected = whole(*name == 'd' ? as_double(a) : !strcmp(name, "s") ? as_single(a) :
				    !strcmp(name, "exp") ? a.se : a.sig);
		return;
	case FROM_GENERAL:
		k->expected = *name == 'd' ? of_double(a.sig) : !strcmp(name, "s") ? of_single(a.sig) :
			!strcmp(name, "exp") ? make(a.sig >> 17 & 1, a.sig & 0x1ffff, TOP) : whole(a.sig);
		return;
	case DIVISION: case SQUARE_ROOT:
		k->expected = f->kind == DIVISION ? host_quotient(k, name, &flags) : host_root(k, &flags);
		if (is_nan(k->expected))
			k->expected = indefinite;
		if (!(flags & (V | Z)) && (is_unnormal(a) || (f->kind == DIVISION && is_unnormal(b))))
			flags |= D;
		k->fpsr_after |= (u64)flags << 13;
		return;
	case INTEGER_DIVISION:
		k->expected = whole(a.sig / b.sig);
		return;
	}
}

/* Those for which the host has an answer, and those with many special cases, more often */
static int random_form(void)
{
	switch (below(6)) {
	case 0: case 1: return below(nr_fma);
	case 2: return first_reciprocal + below(nr_reciprocals);
	default: return below(nr_forms);
	}
}

/* Each entry of the tables of approximations once */
static void plan_table(struct one_case *k, int i)
{
	const char *name = i < 256 ? "frcpa" : "frsqrta";
	u64 rest = next() >> 9;

	for (k->form = 0; strcmp(forms[k->form].name, name) || forms[k->form].qp; k->form++)
		;
	plan(&forms[k->form], k);
	k->a = one;
	k->b = i < 256 ? make(below(2), BIAS + 5, TOP | (u64)i << 55 | rest) :
		make(0, BIAS + (i & 1), TOP | (u64)(i - 256) >> 1 << 56 | rest);
	if (same[k->form])
		k->d = same[k->form] == 1 ? k->a : same[k->form] == 2 ? k->b : k->c;
}

int main(int argc, char **argv)
{
	struct one_case k;
	int cases, i;
	FILE *out;

	out = argc == 4 ? fopen(argv[3], "w") : NULL;
	if (!out)
		return 2;
	state = strtoull(argv[1], NULL, 0) * 2 + 1;
	cases = atoi(argv[2]);
	list_forms();
	for (i = 0; i < nr_forms; i++) {
		emit(&forms[i]);
		same[i] = regs[3] == regs[0] ? 1 : regs[3] == regs[1] ? 2 : regs[3] == regs[2] ? 3 : 0;
	}
	for (i = 0; i < cases; i++) {
		memset(&k, 0, sizeof(k));
		if (i < 512) {
			plan_table(&k, i);
		} else {
			k.form = i - 512 < nr_forms ? i - 512 : random_form();
			plan(&forms[k.form], &k);
		}
		execute(&forms[k.form], &k);
		if (fwrite(&k, sizeof(k), 1, out) != 1)
			return 2;
	}
	printf("// %d forms, %d cases, %u answers of the host\n", nr_forms, cases, host_answers);
	if (host_answers < (unsigned int)cases / 100) {
		fprintf(stderr, "fprandom: the host was asked %u times\n", host_answers);
		return 1;
	}
	return fclose(out) ? 2 : 0;
}
