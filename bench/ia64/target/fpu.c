// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * IA-64: floating point
 *
 * Results are computed exactly, and rounded once, for any exponent that a register can have.
 * What processors leave to software (denormal operands and results, quotients and roots near
 * the ends of the range) is computed here, too: there is no interruption for software
 * assistance, which the architecture permits (SDM 1:104).
 */
#include "qemu/osdep.h"
#include "cpu.h"
#include "exec/cpu_ldst.h"
#include "exec/exec-all.h"
#include "exec/helper-proto.h"
#include "qemu/host-utils.h"

typedef unsigned __int128 u128;

#define INTEGER_BIT (1ull << 63)
#define QUIET_BIT   (1ull << 62)

/* Exceptions, as ar.fpsr has them: 0 to 5 disables them, and so do the flags of a field */
enum { INVALID = 1, DENORMAL = 2, DIVISION = 4, OVERFLOW = 8, UNDERFLOW = 16, INEXACT = 32 };

enum { NEAREST, DOWN, UP, TO_ZERO };

/* What ISR.code says of a trap: these are bits 14:11, or 10:7 of the lower half */
enum { TRAP_O = 1, TRAP_U = 2, TRAP_I = 4, TRAP_AWAY = 8 };

/* How an instruction is done, and what it gives besides its result */
typedef struct Operation {
    uint32_t disabled;      /* exceptions that do not interrupt */
    uint32_t rc;
    bool flush;             /* tiny results become 0 */
    bool parallel;
    int bits, emin, emax;   /* of results */
    uint32_t flags;         /* exceptions that there were */
    uint32_t fault, trap;   /* for ISR.code */
} Operation;

/* How an instruction says what its results have room for */
enum { BY_FIELD, SINGLE, DOUBLE, PARALLEL };

/*
 * Values
 */

static const IA64Float zero, indefinite = { INTEGER_BIT | QUIET_BIT, FR_SIGN | FR_EXP };
static const IA64Float natval = { 0, FR_NATVAL };

static bool is_natval(IA64Float x)
{
    return !x.sig && x.se == FR_NATVAL;
}

static bool is_special(IA64Float x)
{
    return (x.se & FR_EXP) == FR_EXP;
}

static bool is_unsupported(IA64Float x)
{
    return is_special(x) && !(x.sig & INTEGER_BIT);
}

static bool is_infinity(IA64Float x)
{
    return is_special(x) && x.sig == INTEGER_BIT;
}

static bool is_nan(IA64Float x)
{
    return is_special(x) && x.sig > INTEGER_BIT;
}

static bool is_signaling(IA64Float x)
{
    return is_nan(x) && !(x.sig & QUIET_BIT);
}

/* is_zero: pseudo-zeros, which have an exponent, are none */
static bool is_zero(IA64Float x)
{
    return !x.sig && !(x.se & FR_EXP);
}

static bool is_unnormal(IA64Float x)
{
    if (is_special(x) || is_natval(x)) {
        return false;
    }
    return x.se & FR_EXP ? !(x.sig & INTEGER_BIT) : x.sig != 0;
}

static IA64Float quiet(IA64Float x)
{
    x.sig |= QUIET_BIT;
    return x;
}

static IA64Float make(bool sign, uint32_t exponent, uint64_t sig)
{
    return (IA64Float) { sig, exponent | (sign ? FR_SIGN : 0) };
}

static IA64Float infinity(bool sign)
{
    return make(sign, FR_EXP, INTEGER_BIT);
}

static IA64Float integer(uint64_t val)
{
    return make(false, FR_INTEGER, val);
}

/* A finite value, sig * 2^(exp - 63), whose top bit is 1; or sig is 0 */
typedef struct Number {
    bool sign;
    int exp;
    uint64_t sig;
} Number;

static bool sign_of(IA64Float x)
{
    return x.se & FR_SIGN;
}

/* number: of a finite register; exponent 0 is that of extended denormals: SDM 1:86 */
static Number number(IA64Float x)
{
    Number n = { .sign = sign_of(x), .sig = x.sig };
    int shift;

    if (x.sig) {
        shift = clz64(x.sig);
        n.sig <<= shift;
        n.exp = (int)(x.se & FR_EXP ? x.se & FR_EXP : FR_EXTENDED_MIN) - FR_BIAS - shift;
    }
    return n;
}

/*
 * Formats in memory, and in the halves of a register's significand
 */

/* from_format: @exp is of @exp_bits, @fraction is at the top of a significand, below bit 63 */
static IA64Float from_format(bool sign, uint32_t exp, int exp_bits, uint64_t fraction)
{
    uint32_t all = (1u << exp_bits) - 1, bias = all >> 1;

    if (exp == all) {
        return make(sign, FR_EXP, INTEGER_BIT | fraction);
    }
    if (exp) {
        return make(sign, exp - bias + FR_BIAS, INTEGER_BIT | fraction);
    }
    return make(sign, fraction ? 1 - bias + FR_BIAS : 0, fraction);
}

static IA64Float from_single(uint32_t val)
{
    return from_format(val >> 31, extract32(val, 23, 8), 8, (uint64_t)extract32(val, 0, 23) << 40);
}

static IA64Float from_double(uint64_t val)
{
    return from_format(val >> 63, extract64(val, 52, 11), 11, extract64(val, 0, 52) << 11);
}

/* from_extended: here the integer bit is in memory, and exponent 0 is kept: SDM 1:86 */
static IA64Float from_extended(uint64_t sig, uint32_t se)
{
    uint32_t exp = se & 0x7fff;

    if (exp) {
        exp = exp == 0x7fff ? FR_EXP : exp - 0x3fff + FR_BIAS;
    }
    return make(se >> 15 & 1, exp, sig);
}

/* Stores round nothing: they take the bits for which there is room. */
static uint32_t to_single(IA64Float x)
{
    uint32_t exp = x.sig & INTEGER_BIT ? (x.se >> 16 & 1) << 7 | (x.se & 0x7f) : 0;

    return (uint32_t)sign_of(x) << 31 | exp << 23 | extract64(x.sig, 40, 23);
}

static uint64_t to_double(IA64Float x)
{
    uint64_t exp = x.sig & INTEGER_BIT ? (x.se >> 16 & 1) << 10 | (x.se & 0x3ff) : 0;

    return (uint64_t)sign_of(x) << 63 | exp << 52 | extract64(x.sig, 11, 52);
}

static uint32_t to_extended(IA64Float x)
{
    return (uint32_t)sign_of(x) << 15 | (x.se >> 16 & 1) << 14 | (x.se & 0x3fff);
}

/*
 * Exceptions
 */

static Operation operation(CPUIA64State *env, uint32_t sf, int room)
{
    static const struct { int bits, emax; } rooms[] = {
        [SINGLE] = { 24, 127 }, [DOUBLE] = { 53, 1023 }, [PARALLEL] = { 24, 127 },
    };
    static const int bits[4] = { 24, 24, 53, 64 };
    uint32_t field = extract64(env->fpsr, 6 + sf * 13, 13);
    Operation op = { .flush = field & 1, .rc = extract32(field, 4, 2) };

    op.disabled = sf && field & 1 << 6 ? 63 : env->fpsr & 63;
    op.parallel = room == PARALLEL;
    op.bits = room == BY_FIELD ? bits[extract32(field, 2, 2)] : rooms[room].bits;
    op.emax = room == BY_FIELD ? 16383 : rooms[room].emax;
    if (field & 2 && room != PARALLEL) {
        op.emax = FR_BIAS;
    }
    op.emin = 1 - op.emax;
    return op;
}

/* fault: there is the exception @what */
static void fault(Operation *op, uint32_t what)
{
    *(op->disabled & what ? &op->flags : &op->fault) |= what;
}

static IA64Float invalid(Operation *op)
{
    fault(op, INVALID);
    return indefinite;
}

static void check_unnormal(Operation *op, IA64Float x)
{
    if (is_unnormal(x)) {
        fault(op, DENORMAL);
    }
}

/*
 * inexact: @away if the result is larger than the exact one. Where there is another trap, @also, its
 * ISR tells of this whatever is enabled.
 */
static void inexact(Operation *op, bool away, uint32_t also)
{
    op->flags |= INEXACT;
    if (!(op->disabled & INEXACT) || also) {
        op->trap |= TRAP_I | (away ? TRAP_AWAY : 0);
    }
}

static void finish_both(CPUIA64State *env, uint32_t sf, Operation *high, Operation *low,
                        uintptr_t ra)
{
    uint32_t flags = high->flags | (low ? low->flags : 0);
    uint32_t code = high->fault | (low ? low->fault << 4 : 0);

    if (code) {
        ia64_fault(env, VEC_FP_FAULT, code, ra);
    }
    env->fpsr |= (uint64_t)flags << (6 + sf * 13 + 7);
    env->fp_trap = high->trap << 11 | (low ? low->trap << 7 : 0);
}

static void finish(CPUIA64State *env, uint32_t sf, Operation *op, uintptr_t ra)
{
    finish_both(env, sf, op, NULL, ra);
}

/*
 * Rounding
 */

/* Of 192 bits, 128 in front of 64 */
typedef struct Wide {
    u128 high;
    uint64_t low;
} Wide;

/* right: what is lost on the way makes the last bit 1 */
static Wide right(Wide w, int count)
{
    bool lost = false;

    if (count >= 192) {
        return (Wide) { 0, w.high || w.low };
    }
    for (; count >= 64; count -= 64) {
        lost |= w.low != 0;
        w.low = w.high;
        w.high >>= 64;
    }
    if (count) {
        lost |= w.low << (64 - count) != 0;
        w.low = w.low >> count | (uint64_t)w.high << (64 - count);
        w.high >>= count;
    }
    w.low |= lost;
    return w;
}

/*
 * rounded: the upper @bits bits of @sig, which goes on behind its end if @more. 0 is a carry out
 * of the top.
 */
static u128 rounded(Operation *op, bool sign, u128 sig, bool more, int bits, bool *lossy,
                    bool *away)
{
    u128 unit = (u128)1 << (128 - bits), rest = sig & (unit - 1);

    *lossy = rest || more;
    switch (op->rc) {
    case NEAREST:
        *away = rest > unit >> 1 || (rest == unit >> 1 && (more || sig & unit));
        break;
    case DOWN:
        *away = *lossy && sign;
        break;
    case UP:
        *away = *lossy && !sign;
        break;
    case TO_ZERO:
        *away = false;
        break;
    }
    return sig - rest + (*away ? unit : 0);
}

/* wrapped: with the exponent's lowest bits alone, for who has enabled a trap: SDM 1:105 */
static IA64Float wrapped(Operation *op, bool sign, int exp, u128 sig)
{
    int bias = op->parallel ? 127 : FR_BIAS, mask = op->parallel ? 0xff : FR_EXP;

    return make(sign, ((exp + bias) & mask) - bias + FR_BIAS, sig >> 64);
}

static IA64Float overflow(Operation *op, bool sign, int exp, u128 sig, bool lossy, bool away)
{
    bool huge = op->rc == NEAREST || op->rc == (sign ? DOWN : UP);

    op->flags |= OVERFLOW;
    if (!(op->disabled & OVERFLOW)) {
        op->trap |= TRAP_O;
        if (lossy) {
            inexact(op, away, op->trap);
        }
        return wrapped(op, sign, exp, sig);
    }
    inexact(op, huge, 0);
    if (huge) {
        return infinity(sign);
    }
    return make(sign, op->emax + FR_BIAS, ~0ull << (64 - op->bits));
}

static IA64Float denormal(Operation *op, bool sign, int exp, u128 sig, bool more)
{
    Wide w = right((Wide) { sig, more }, op->emin - exp);
    bool lossy, away;

    sig = rounded(op, sign, w.high, w.low, op->bits, &lossy, &away);
    if (lossy) {
        op->flags |= UNDERFLOW;
        inexact(op, away, 0);
    }
    if (!sig) {
        return make(sign, 0, 0);
    }
    if (!(sig >> 127) && op->emin + FR_BIAS == FR_EXTENDED_MIN) {
        return make(sign, 0, sig >> 64);
    }
    return make(sign, op->emin + FR_BIAS, sig >> 64);
}

/* result: of @sig * 2^(@exp - 127), whose top bit is 1, and whose value is not 0 */
static IA64Float result(Operation *op, bool sign, int exp, u128 sig, bool more)
{
    bool lossy, away;
    u128 upper = rounded(op, sign, sig, more, op->bits, &lossy, &away);
    int upper_exp = exp;

    if (!upper) {
        upper = (u128)1 << 127;
        upper_exp++;
    }
    if (upper_exp > op->emax) {
        return overflow(op, sign, upper_exp, upper, lossy, away);
    }
    if (upper_exp < op->emin) {
        if (!(op->disabled & UNDERFLOW)) {
            op->flags |= UNDERFLOW;
            op->trap |= TRAP_U;
            if (lossy) {
                inexact(op, away, op->trap);
            }
            return wrapped(op, sign, upper_exp, upper);
        }
        if (op->flush) {
            op->flags |= UNDERFLOW;
            inexact(op, false, 0);
            return make(sign, 0, 0);
        }
        return denormal(op, sign, exp, sig, more);
    }
    if (lossy) {
        inexact(op, away, 0);
    }
    return make(sign, upper_exp + FR_BIAS, upper >> 64);
}

/*
 * Multiply and add
 */

static IA64Float sum(Operation *op, bool p_sign, int p_exp, u128 p_sig, Number a)
{
    Wide large = { p_sig, 0 }, small = { (u128)a.sig << 64, 0 };
    bool sign = p_sign;
    int exp = p_exp;

    if (a.exp > p_exp || (a.exp == p_exp && small.high > large.high)) {
        large = small;
        small.high = p_sig;
        sign = a.sign;
        exp = a.exp;
    }
    small = right(small, abs(a.exp - p_exp));
    if (p_sign == a.sign) {
        /* large.low is 0. */
        large.low = small.low;
        large.high += small.high;
        if (large.high < small.high) {
            large = right(large, 1);
            large.high |= (u128)1 << 127;
            exp++;
        }
        return result(op, sign, exp, large.high, large.low);
    }
    large.high -= small.high + (small.low != 0);
    large.low = -small.low;
    if (!large.high && !large.low) {
        return make(op->rc == DOWN, 0, 0);
    }
    while (!(large.high >> 127)) {
        large.high = large.high << 1 | large.low >> 63;
        large.low <<= 1;
        exp--;
    }
    return result(op, sign, exp, large.high, large.low);
}

/* propagate: what the NaNs among these give, the first first; false if there are none */
static bool propagate(Operation *op, IA64Float *x, int count, IA64Float *nan)
{
    bool found = false;
    int i;

    for (i = 0; i < count; i++) {
        if (is_unsupported(x[i])) {
            *nan = invalid(op);
            return true;
        }
    }
    for (i = 0; i < count; i++) {
        if (is_signaling(x[i])) {
            fault(op, INVALID);
        }
        if (is_nan(x[i]) && !found) {
            *nan = quiet(x[i]);
            found = true;
        }
    }
    return found;
}

/* Signs of a product and of what is added to it that are inverted: fms, fnma */
enum { MINUS_SUM = 1, MINUS_PRODUCT = 2 };

/* multiply_add: @a * @b + @c; the product by itself if @alone */
static IA64Float multiply_add(Operation *op, IA64Float a, IA64Float b, IA64Float c, int minus,
                              bool alone)
{
    bool sign = sign_of(a) ^ sign_of(b) ^ !!(minus & MINUS_PRODUCT);
    IA64Float nan, all[3] = { b, c, a };        /* SDM 1:90 */
    Number x, y, z;
    u128 product;
    int exp;

    if (propagate(op, all, 3, &nan)) {
        return nan;
    }
    c.se ^= minus & MINUS_SUM ? FR_SIGN : 0;
    if (is_infinity(a) || is_infinity(b)) {
        if (is_zero(a) || is_zero(b) || (is_infinity(c) && sign_of(c) != sign)) {
            return invalid(op);
        }
    }
    check_unnormal(op, a);
    check_unnormal(op, b);
    check_unnormal(op, c);
    if (is_infinity(a) || is_infinity(b)) {
        return infinity(sign);
    }
    if (is_infinity(c)) {
        return infinity(sign_of(c));
    }
    x = number(a);
    y = number(b);
    z = number(c);
    if (!x.sig || !y.sig) {
        if (alone) {
            return make(sign, 0, 0);
        }
        if (!z.sig) {
            return make(sign == z.sign ? sign : op->rc == DOWN, 0, 0);
        }
        return result(op, z.sign, z.exp, (u128)z.sig << 64, false);
    }
    product = (u128)x.sig * y.sig;
    exp = x.exp + y.exp + 1;
    if (!(product >> 127)) {
        product <<= 1;
        exp--;
    }
    if (!z.sig) {
        return result(op, sign, exp, product, false);
    }
    return sum(op, sign, exp, product, z);
}

/*
 * Reciprocals
 */

/* These find the bits of a quotient and of a root one after the other. */
static IA64Float quotient(Operation *op, Number a, Number b)
{
    u128 rest = a.sig, sig = 0;
    int exp = a.exp - b.exp, i;

    if (a.sig < b.sig) {
        rest <<= 1;
        exp--;
    }
    for (i = 0; i < 128; i++) {
        sig <<= 1;
        if (rest >= b.sig) {
            rest -= b.sig;
            sig |= 1;
        }
        rest <<= 1;
    }
    return result(op, a.sign ^ b.sign, exp, sig, rest != 0);
}

static IA64Float root(Operation *op, Number a)
{
    u128 radicand = (u128)a.sig << (a.exp & 1 ? 64 : 63), rest = 0, sig = 0, next;
    int i;

    for (i = 0; i < 66; i++) {
        rest = rest << 2 | radicand >> 126;
        radicand <<= 2;
        next = sig << 2 | 1;
        sig <<= 1;
        if (rest >= next) {
            rest -= next;
            sig |= 1;
        }
    }
    return result(op, false, a.exp >> 1, sig << 62, rest != 0);
}

/* The approximations are what is exact at the middle of an interval, rounded to 11 bits. */
static IA64Float about_reciprocal(Number a)
{
    uint64_t index = extract64(a.sig, 55, 8);
    uint64_t sig = (2048 * 512 * 2 / (2 * index + 513) + 1) / 2;

    return make(a.sign, FR_BIAS - 1 - a.exp, sig << 53);
}

static IA64Float about_root(Number a)
{
    uint64_t index = extract64(a.sig, 56, 7), sig = 0, bit;
    uint64_t square = (a.exp & 1 ? 1ull << 31 : 1ull << 32) / (2 * index + 257);

    for (bit = 1 << 12; bit; bit >>= 1) {
        sig |= (sig | bit) * (sig | bit) <= square ? bit : 0;
    }
    return make(false, FR_BIAS - 1 - (a.exp >> 1), (sig + 1) / 2 << 53);
}

/*
 * reciprocal: frcpa, and fprcpa of a half: @good if the result is an approximation of 1 / @b, from
 * which a program gets to the quotient, else that is what the result is
 */
static IA64Float reciprocal(Operation *op, IA64Float a, IA64Float b, bool *good)
{
    bool sign = sign_of(a) ^ sign_of(b);
    IA64Float nan, all[2] = { a, b };
    Number x, y;

    *good = false;
    if (propagate(op, all, 2, &nan)) {
        return nan;
    }
    if ((is_infinity(a) && is_infinity(b)) || (!a.sig && !b.sig)) {
        return invalid(op);
    }
    if (!is_infinity(a) && !b.sig) {
        fault(op, DIVISION);
        return infinity(sign);
    }
    check_unnormal(op, a);
    check_unnormal(op, b);
    if (is_infinity(a)) {
        return infinity(sign);
    }
    if (!a.sig || is_infinity(b)) {
        return make(sign, 0, 0);
    }
    x = number(a);
    y = number(b);
    if (op->parallel) {
        /* What has no reciprocal of this format has the one that is next to it. */
        if (is_unnormal(b)) {
            return infinity(sign_of(b));
        }
        if (y.exp >= 125) {
            return make(sign_of(b), 0, 0);
        }
        *good = x.exp - y.exp < 127 && x.exp - y.exp > -125 && x.exp > -103;
        return about_reciprocal(y);
    }
    if (y.exp <= -FR_BIAS || y.exp >= FR_BIAS - 2 || x.exp - y.exp <= 2 - FR_BIAS ||
        x.exp - y.exp >= FR_BIAS || x.exp <= 64 - FR_BIAS) {
        return quotient(op, x, y);
    }
    *good = true;
    return about_reciprocal(y);
}

static IA64Float reciprocal_root(Operation *op, IA64Float a, bool *good)
{
    IA64Float nan;
    Number x;

    *good = false;
    if (propagate(op, &a, 1, &nan)) {
        return nan;
    }
    if (sign_of(a) && a.sig) {
        return invalid(op);
    }
    if (is_infinity(a)) {
        return op->parallel ? zero : a;
    }
    check_unnormal(op, a);
    if (!a.sig) {
        return op->parallel ? infinity(sign_of(a)) : make(sign_of(a), 0, 0);
    }
    x = number(a);
    if (!op->parallel && x.exp <= 64 - FR_BIAS) {
        return root(op, x);
    }
    *good = !op->parallel || x.exp > -103;
    return about_root(x);
}

/*
 * Comparisons
 */

/* compare: negative if @a is less than @b, 0 if they are equal, else positive; neither is a NaN */
static int compare(IA64Float a, IA64Float b)
{
    Number x = number(a), y = number(b);
    int result;

    if (!x.sig || !y.sig) {
        result = (x.sig != 0) - (y.sig != 0);
        return (x.sig ? x.sign : y.sign) ? -result : result;
    }
    if (x.sign != y.sign) {
        return x.sign ? -1 : 1;
    }
    result = x.exp != y.exp ? (x.exp > y.exp) - (x.exp < y.exp) :
        (x.sig > y.sig) - (x.sig < y.sig);
    return x.sign ? -result : result;
}

/* By x6 of fpcmp; fcmp has the first four. 4 is added for the contrary. */
enum { RELATION_EQ, RELATION_LT, RELATION_LE, RELATION_UNORD };

static bool related(Operation *op, IA64Float a, IA64Float b, int relation)
{
    bool ordered = relation == RELATION_LT || relation == RELATION_LE;

    if (is_unsupported(a) || is_unsupported(b) || is_nan(a) || is_nan(b)) {
        if (ordered || is_unsupported(a) || is_unsupported(b) || is_signaling(a) ||
            is_signaling(b)) {
            fault(op, INVALID);
        }
        return relation == RELATION_UNORD;
    }
    check_unnormal(op, a);
    check_unnormal(op, b);
    switch (relation) {
    case RELATION_EQ: return compare(a, b) == 0;
    case RELATION_LT: return compare(a, b) < 0;
    case RELATION_LE: return compare(a, b) <= 0;
    default: return false;
    }
}

/* extreme: of fmin, fmax, famin, famax, by x6 1:0; @b if neither is less than the other */
static IA64Float extreme(Operation *op, IA64Float a, IA64Float b, int which)
{
    IA64Float x = a, y = b;

    if (which & 2) {
        x.se &= ~FR_SIGN;
        y.se &= ~FR_SIGN;
    }
    return (which & 1 ? related(op, y, x, RELATION_LT) : related(op, x, y, RELATION_LT)) ? a : b;
}

/*
 * Integers
 */

/* to_integer: of @width bits, and how by x6 1:0: without a sign; to zero */
static uint64_t to_integer(Operation *op, IA64Float a, int how, int width)
{
    uint64_t limit = 1ull << (width - 1), val;
    bool lossy = false, away = false, fits;
    Number x = number(a);
    Wide w;

    if (how & 2) {
        op->rc = TO_ZERO;
    }
    if (is_special(a) || (x.sig && x.exp > 63)) {
        fault(op, INVALID);
        return limit;
    }
    w = right((Wide) { (u128)x.sig << 64, 0 }, x.sig ? 63 - x.exp : 0);
    val = rounded(op, x.sign, w.high, w.low, 64, &lossy, &away) >> 64;
    if (how & 1) {
        fits = x.sign ? !val : val <= limit - 1 + limit;
    } else {
        fits = val < limit || (x.sign && val == limit);
    }
    if (!fits) {
        fault(op, INVALID);
        return limit;
    }
    check_unnormal(op, a);
    if (lossy) {
        inexact(op, away, 0);
    }
    return x.sign ? -val : val;
}

/*
 * Instructions; each gets its form, whose fields are where the architecture has them
 */

#define F(insn, pos, len) ((uint32_t)extract64(insn, pos, len))
#define SF(insn) F(insn, 34, 2)

static IA64Float fr(CPUIA64State *env, uint64_t insn, int pos)
{
    return env->fr[fr_index(env, F(insn, pos, 7))];
}

#define FR2(env, insn) fr(env, insn, 13)
#define FR3(env, insn) fr(env, insn, 20)
#define FR4(env, insn) fr(env, insn, 27)

static void set_fr(CPUIA64State *env, uint32_t f, IA64Float val)
{
    env->fr[fr_index(env, f)] = val;
    env->psr |= f < 32 ? PSR_MFL : PSR_MFH;
}

static void set(CPUIA64State *env, uint64_t insn, IA64Float val)
{
    set_fr(env, F(insn, 6, 7), val);
}

/* Halves of a significand: 1 is the upper one */
static uint32_t half(uint64_t sig, int which)
{
    return which ? sig >> 32 : sig;
}

static IA64Float half_of(IA64Float x, int which)
{
    return from_single(half(x.sig, which));
}

static IA64Float both(uint32_t high, uint32_t low)
{
    return integer((uint64_t)high << 32 | low);
}

/* fma: op 8 to 13 */
void HELPER(fma)(CPUIA64State *env, uint64_t insn)
{
    static const int minus[3] = { 0, MINUS_SUM, MINUS_PRODUCT };
    uint32_t form = F(insn, 37, 4) - 8, sf = SF(insn), halves[2];
    bool alone = !F(insn, 13, 7);
    IA64Float a = FR3(env, insn), b = FR4(env, insn), c = FR2(env, insn), val;
    Operation op[2];
    int i;

    if (is_natval(a) || is_natval(b) || is_natval(c)) {
        set(env, insn, natval);
        return;
    }
    if (!(form & 1) || !F(insn, 36, 1)) {
        op[0] = operation(env, sf, form & 1 ? DOUBLE : F(insn, 36, 1) ? SINGLE : BY_FIELD);
        val = multiply_add(&op[0], a, b, c, minus[form >> 1], alone);
        finish(env, sf, &op[0], GETPC());
    } else {
        for (i = 0; i < 2; i++) {
            op[i] = operation(env, sf, PARALLEL);
            halves[i] = to_single(multiply_add(&op[i], half_of(a, i), half_of(b, i),
                                                    half_of(c, i), minus[form >> 1], alone));
        }
        finish_both(env, sf, &op[1], &op[0], GETPC());
        val = both(halves[1], halves[0]);
    }
    set(env, insn, val);
}

/* xma: the low or high half of a product of integers and what is added, by x2; fselect */
void HELPER(xma)(CPUIA64State *env, uint64_t insn)
{
    IA64Float a = FR3(env, insn), b = FR4(env, insn), c = FR2(env, insn);
    u128 product;

    if (is_natval(a) || is_natval(b) || is_natval(c)) {
        set(env, insn, natval);
        return;
    }
    if (!F(insn, 36, 1)) {
        set(env, insn, integer((a.sig & c.sig) | (b.sig & ~c.sig)));
        return;
    }
    if (SF(insn) == 3) {
        product = (__int128)(int64_t)a.sig * (int64_t)b.sig;
    } else {
        product = (u128)a.sig * b.sig;
    }
    product += c.sig;
    set(env, insn, integer(SF(insn) ? product >> 64 : product));
}

/* freciprocal: frcpa, frsqrta; fprcpa, fprsqrta if op is 1. The result is that of p2. */
uint64_t HELPER(freciprocal)(CPUIA64State *env, uint64_t insn)
{
    bool is_root = F(insn, 36, 1), good[2] = { true, true };
    IA64Float a = is_root ? zero : FR2(env, insn), b = FR3(env, insn), val[2];
    uint32_t sf = SF(insn);
    Operation op[2];
    int i;

    if (is_natval(a) || is_natval(b)) {
        set(env, insn, natval);
        return 0;
    }
    if (F(insn, 37, 4) == 0) {
        op[0] = operation(env, sf, BY_FIELD);
        val[0] = is_root ? reciprocal_root(&op[0], b, &good[0]) :
            reciprocal(&op[0], a, b, &good[0]);
        finish(env, sf, &op[0], GETPC());
        set(env, insn, val[0]);
        return good[0];
    }
    for (i = 0; i < 2; i++) {
        op[i] = operation(env, sf, PARALLEL);
        val[i] = is_root ? reciprocal_root(&op[i], half_of(b, i), &good[i]) :
            reciprocal(&op[i], half_of(a, i), half_of(b, i), &good[i]);
    }
    finish_both(env, sf, &op[1], &op[0], GETPC());
    set(env, insn, both(to_single(val[1]), to_single(val[0])));
    return good[0] && good[1];
}

/* fcmp: bit 0 is the relation, bit 1 its contrary; 0 with a NaTVal */
uint64_t HELPER(fcmp)(CPUIA64State *env, uint64_t insn)
{
    static const int relations[4] = { RELATION_EQ, RELATION_LE, RELATION_LT, RELATION_UNORD };
    IA64Float a = FR2(env, insn), b = FR3(env, insn);
    Operation op = operation(env, SF(insn), BY_FIELD);
    bool val;

    if (is_natval(a) || is_natval(b)) {
        return 0;
    }
    val = related(&op, a, b, relations[F(insn, 36, 1) << 1 | F(insn, 33, 1)]);
    finish(env, SF(insn), &op, GETPC());
    return val ? 1 : 2;
}

/* Bits of fclass's operand */
enum {
    CLASS_POSITIVE = 1, CLASS_NEGATIVE = 2, CLASS_ZERO = 4, CLASS_UNNORMAL = 8, CLASS_NORMAL = 16,
    CLASS_INFINITY = 32, CLASS_SIGNALING = 64, CLASS_QUIET = 128, CLASS_NATVAL = 256,
};

uint64_t HELPER(fclass)(CPUIA64State *env, uint64_t insn)
{
    uint32_t wanted = F(insn, 20, 7) << 2 | F(insn, 33, 2), class;
    IA64Float a = FR2(env, insn);

    if (is_natval(a)) {
        return wanted & CLASS_NATVAL ? 1 : 0;
    }
    if (is_unsupported(a)) {
        return 2;
    }
    if (is_nan(a)) {
        return wanted & (is_signaling(a) ? CLASS_SIGNALING : CLASS_QUIET) ? 1 : 2;
    }
    class = is_infinity(a) ? CLASS_INFINITY : is_zero(a) ? CLASS_ZERO :
        is_unnormal(a) ? CLASS_UNNORMAL : CLASS_NORMAL;
    return wanted & class && wanted & (sign_of(a) ? CLASS_NEGATIVE : CLASS_POSITIVE) ? 1 : 2;
}

/* fminmax: fmin and its like, x6 14 to 17 of op 0, and of op 1 for halves */
void HELPER(fminmax)(CPUIA64State *env, uint64_t insn)
{
    IA64Float a = FR2(env, insn), b = FR3(env, insn), val;
    uint32_t sf = SF(insn), which = F(insn, 27, 2), halves[2];
    Operation op[2];
    int i;

    if (is_natval(a) || is_natval(b)) {
        set(env, insn, natval);
        return;
    }
    if (F(insn, 37, 4) == 0) {
        op[0] = operation(env, sf, BY_FIELD);
        val = extreme(&op[0], a, b, which);
        finish(env, sf, &op[0], GETPC());
    } else {
        for (i = 0; i < 2; i++) {
            op[i] = operation(env, sf, PARALLEL);
            halves[i] = to_single(extreme(&op[i], half_of(a, i), half_of(b, i), which));
        }
        finish_both(env, sf, &op[1], &op[0], GETPC());
        val = both(halves[1], halves[0]);
    }
    set(env, insn, val);
}

/* fpcmp: a half is all ones where the relation holds */
void HELPER(fpcmp)(CPUIA64State *env, uint64_t insn)
{
    IA64Float a = FR2(env, insn), b = FR3(env, insn);
    uint32_t halves[2];
    Operation op[2];
    int i;

    if (is_natval(a) || is_natval(b)) {
        set(env, insn, natval);
        return;
    }
    for (i = 0; i < 2; i++) {
        op[i] = operation(env, SF(insn), PARALLEL);
        halves[i] = -(related(&op[i], half_of(a, i), half_of(b, i), F(insn, 27, 2)) ^
                      F(insn, 29, 1));
    }
    finish_both(env, SF(insn), &op[1], &op[0], GETPC());
    set(env, insn, both(halves[1], halves[0]));
}

/* fcvt: fcvt.fx and its like, x6 18 to 1b of op 0, and of op 1 for halves */
void HELPER(fcvt)(CPUIA64State *env, uint64_t insn)
{
    uint32_t sf = SF(insn), how = F(insn, 27, 2), halves[2];
    IA64Float a = FR2(env, insn), val;
    Operation op[2];
    int i;

    if (is_natval(a)) {
        set(env, insn, natval);
        return;
    }
    if (F(insn, 37, 4) == 0) {
        op[0] = operation(env, sf, BY_FIELD);
        val = integer(to_integer(&op[0], a, how, 64));
        finish(env, sf, &op[0], GETPC());
    } else {
        for (i = 0; i < 2; i++) {
            op[i] = operation(env, sf, PARALLEL);
            halves[i] = to_integer(&op[i], half_of(a, i), how, 32);
        }
        finish_both(env, sf, &op[1], &op[0], GETPC());
        val = both(halves[1], halves[0]);
    }
    set(env, insn, val);
}

/* fcvt_xf: from a signed integer, of which a significand has all bits */
static IA64Float from_integer(uint64_t val)
{
    bool sign = val >> 63;
    uint64_t sig = sign ? -val : val;
    int shift;

    if (!sig) {
        return zero;
    }
    shift = clz64(sig);
    return make(sign, FR_INTEGER - shift, sig << shift);
}

/* merge: sign, or sign and exponent, of @a before the rest of @b, in each half, by x6 */
static uint32_t merge(uint32_t a, uint32_t b, uint32_t x6)
{
    uint32_t of_a = x6 == 0x12 ? 0xff800000 : 0x80000000;

    return ((x6 == 0x11 ? ~a : a) & of_a) | (b & ~of_a);
}

/* fmove: those of op 0 and 1 that raise no exception; op is bit 6 of the number below */
void HELPER(fmove)(CPUIA64State *env, uint64_t insn)
{
    uint32_t form = F(insn, 27, 6) | F(insn, 37, 1) << 6;
    IA64Float a = FR2(env, insn), b = FR3(env, insn), val = b;
    uint32_t a1 = half(a.sig, 1), a0 = half(a.sig, 0), b1 = half(b.sig, 1), b0 = half(b.sig, 0);

    if (is_natval(a) || (form != 0x1c && is_natval(b))) {
        set(env, insn, natval);
        return;
    }
    switch (form) {
    case 0x10: val.se = (a.se & FR_SIGN) | (b.se & FR_EXP); break;
    case 0x11: val.se = (~a.se & FR_SIGN) | (b.se & FR_EXP); break;
    case 0x12: val.se = a.se; break;
    case 0x1c: val = from_integer(a.sig); break;
    case 0x28: val = both(to_single(a), to_single(b)); break;
    case 0x2c: val = integer(a.sig & b.sig); break;
    case 0x2d: val = integer(a.sig & ~b.sig); break;
    case 0x2e: val = integer(a.sig | b.sig); break;
    case 0x2f: val = integer(a.sig ^ b.sig); break;
    case 0x34: val = both(b0, a1); break;
    case 0x35: val = both(b0 ^ 0x80000000, a1); break;
    case 0x36: val = both(b0, a1 ^ 0x80000000); break;
    case 0x39: val = both(a1, b0); break;
    case 0x3a: val = both(a0, b0); break;
    case 0x3b: val = both(a1, b1); break;
    case 0x3c: val = both(-(a0 >> 31), b0); break;
    case 0x3d: val = both(-(a1 >> 31), b1); break;
    default: val = both(merge(a1, b1, form & 63), merge(a0, b0, form & 63)); break;
    }
    set(env, insn, val);
}

/*
 * ar.fpsr
 */

/* ia64_fpsr_ok: what is reserved is 0, and no field asks for precision 1 */
bool ia64_fpsr_ok(uint64_t val)
{
    int sf;

    for (sf = 0; sf < 4; sf++) {
        if (extract64(val, 6 + sf * 13 + 2, 2) == 1) {
            return false;
        }
    }
    return !(val >> 58) && !(val >> 12 & 1);
}

/* fsetc: controls of a field, from those of field 0 */
void HELPER(fsetc)(CPUIA64State *env, uint64_t insn)
{
    uint64_t controls = (extract64(env->fpsr, 6, 7) & F(insn, 13, 7)) | F(insn, 20, 7);
    uint64_t val = deposit64(env->fpsr, 6 + SF(insn) * 13, 7, controls);

    if (!ia64_fpsr_ok(val)) {
        ia64_fault(env, VEC_GENERAL, GENERAL_RESERVED, GETPC());
    }
    env->fpsr = val;
}

void HELPER(fclrf)(CPUIA64State *env, uint32_t sf)
{
    env->fpsr = deposit64(env->fpsr, 6 + sf * 13 + 7, 6, 0);
}

/* fchkf: whether a field has flags that would interrupt, or that field 0 has not */
uint64_t HELPER(fchkf)(CPUIA64State *env, uint32_t sf)
{
    uint64_t flags = extract64(env->fpsr, 6 + sf * 13 + 7, 6);

    return flags & ~(env->fpsr & extract64(env->fpsr, 13, 6)) ? 1 : 0;
}

/*
 * Between general and floating-point registers; x6 is 1c to 1f
 */

void HELPER(setf)(CPUIA64State *env, uint64_t insn)
{
    uint32_t r = gr_index(env, F(insn, 13, 7));
    uint64_t val = env->gr[r];

    if (nat_get(env, r)) {
        set(env, insn, natval);
        return;
    }
    switch (F(insn, 30, 2)) {
    case 0: set(env, insn, integer(val)); break;
    case 1: set(env, insn, make(val >> 17 & 1, val & FR_EXP, INTEGER_BIT)); break;
    case 2: set(env, insn, from_single(val)); break;
    case 3: set(env, insn, from_double(val)); break;
    }
}

void HELPER(getf)(CPUIA64State *env, uint64_t insn)
{
    uint32_t r = gr_index(env, F(insn, 6, 7));
    IA64Float a = FR2(env, insn);

    switch (F(insn, 30, 2)) {
    case 0: env->gr[r] = a.sig; break;
    case 1: env->gr[r] = a.se; break;
    case 2: env->gr[r] = to_single(a); break;
    case 3: env->gr[r] = to_double(a); break;
    }
    nat_set(env, r, is_natval(a));
}

uint64_t HELPER(fnatval)(CPUIA64State *env, uint32_t f)
{
    return is_natval(env->fr[fr_index(env, f)]);
}

/*
 * Loads and stores
 */

/* Formats, as x6 1:0 has them, and that of fills and spills */
enum { EXTENDED, INTEGER, FORMAT_SINGLE, FORMAT_DOUBLE, WHOLE };

static uint32_t format_size(uint32_t format)
{
    return format == EXTENDED || format == WHOLE ? 16 : format == FORMAT_SINGLE ? 4 : 8;
}

static IA64Float load(CPUIA64State *env, uint64_t address, uint32_t format, uint32_t mode,
                      uintptr_t ra)
{
    uint64_t low = format == FORMAT_SINGLE ? cpu_ldl_le_mmuidx_ra(env, address, mode, ra) :
        cpu_ldq_le_mmuidx_ra(env, address, mode, ra);

    switch (format) {
    case EXTENDED:
        return from_extended(low, cpu_lduw_le_mmuidx_ra(env, address + 8, mode, ra));
    case INTEGER:
        return integer(low);
    case FORMAT_SINGLE:
        return from_single(low);
    case FORMAT_DOUBLE:
        return from_double(low);
    default:
        return (IA64Float) {
            low, cpu_ldq_le_mmuidx_ra(env, address + 8, mode, ra) & (FR_EXP | FR_SIGN)
        };
    }
}

/*
 * ldf: @form has the target 6:0, the second one of a pair 13:7 or 0, the address's register 20:14,
 * QEMU's mode 24:21, the format 27:25, and in bit 28 whether the load is speculative
 */
void HELPER(ldf)(CPUIA64State *env, uint32_t form, uint64_t address)
{
    uint32_t f1 = form & 127, f2 = form >> 7 & 127, r3 = form >> 14 & 127;
    uint32_t mode = form >> 21 & 15, format = form >> 25 & 7;
    uint32_t size = format_size(format), whole = f2 ? size * 2 : size;
    IA64Float first = natval, second = natval;

    if (f2 && !((fr_index(env, f1) ^ fr_index(env, f2)) & 1)) {
        ia64_fault(env, VEC_GENERAL, GENERAL_ILLEGAL, GETPC());
    }
    if (!(form >> 28) || !(nat_get(env, gr_index(env, r3)) ||
                           ia64_load_defers(env, address, whole, GETPC()))) {
        if (env->psr & PSR_AC && address & (whole - 1)) {
            ia64_do_unaligned(env_cpu(env), address, MMU_DATA_LOAD, mode, GETPC());
        }
        first = load(env, address, format, mode, GETPC());
        if (f2) {
            second = load(env, address + size, format, mode, GETPC());
        }
    }
    set_fr(env, f1, first);
    if (f2) {
        set_fr(env, f2, second);
    }
}

/* stf: @form has the register 6:0, QEMU's mode 24:21, the format 27:25 */
void HELPER(stf)(CPUIA64State *env, uint32_t form, uint64_t address)
{
    IA64Float a = env->fr[fr_index(env, form & 127)];
    uint32_t mode = form >> 21 & 15, format = form >> 25 & 7, size = format_size(format);
    uint64_t end = (address + (format == EXTENDED ? 9 : size - 1)) & TARGET_PAGE_MASK;

    if (format != WHOLE && is_natval(a)) {
        ia64_fault(env, VEC_NAT, ISR_W | NAT_USED, GETPC());
    }
    if (env->psr & PSR_AC && address & (size - 1)) {
        ia64_do_unaligned(env_cpu(env), address, MMU_DATA_STORE, mode, GETPC());
    }
    /* Nothing is stored if the end cannot be. */
    probe_access(env, address, 0, MMU_DATA_STORE, mode, GETPC());
    if (end != (address & TARGET_PAGE_MASK)) {
        probe_access(env, end, 0, MMU_DATA_STORE, mode, GETPC());
    }
    switch (format) {
    case FORMAT_SINGLE:
        cpu_stl_le_mmuidx_ra(env, address, to_single(a), mode, GETPC());
        break;
    case FORMAT_DOUBLE:
        cpu_stq_le_mmuidx_ra(env, address, to_double(a), mode, GETPC());
        break;
    default:
        cpu_stq_le_mmuidx_ra(env, address, a.sig, mode, GETPC());
        if (format == EXTENDED) {
            cpu_stw_le_mmuidx_ra(env, address + 8, to_extended(a), mode, GETPC());
        } else if (format == WHOLE) {
            cpu_stq_le_mmuidx_ra(env, address + 8, a.se, mode, GETPC());
        }
    }
}
