// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * IA-64: integer instructions that are not generated, and registers that rotate
 */
#include "qemu/osdep.h"
#include "cpu.h"
#include "exec/exec-all.h"
#include "exec/helper-proto.h"

uint64_t HELPER(rot_get)(CPUIA64State *env, uint32_t r)
{
    return env->gr[gr_index(env, r)];
}

void HELPER(rot_set)(CPUIA64State *env, uint32_t r, uint64_t val)
{
    env->gr[gr_index(env, r)] = val;
}

uint64_t HELPER(pr_get)(CPUIA64State *env, uint32_t p)
{
    return env->pr >> pr_index(env, p) & 1;
}

void HELPER(pr_set)(CPUIA64State *env, uint32_t p, uint64_t val)
{
    env->pr = deposit64(env->pr, pr_index(env, p), 1, val);
}

static bool any_nat(CPUIA64State *env, uint32_t sources)
{
    return nat_get(env, gr_index(env, sources & 127)) ||
        nat_get(env, gr_index(env, sources >> 7));
}

uint64_t HELPER(nat_any)(CPUIA64State *env, uint32_t sources)
{
    return any_nat(env, sources);
}

void HELPER(nat_set)(CPUIA64State *env, uint32_t r, uint32_t sources)
{
    nat_set(env, gr_index(env, r), any_nat(env, sources));
}

void HELPER(nat_check)(CPUIA64State *env, uint32_t sources, uint64_t isr)
{
    if (any_nat(env, sources)) {
        ia64_fault(env, VEC_NAT, isr | NAT_USED, GETPC());
    }
}

/* Multimedia forms; byte 0 is the lowest */

uint64_t HELPER(mux1)(uint64_t val, uint32_t type)
{
    static const uint8_t from[16][8] = {    /* the source of byte 0, 1, ... */
        [8] = { 0, 4, 2, 6, 1, 5, 3, 7 },
        [9] = { 0, 4, 1, 5, 2, 6, 3, 7 },
        [10] = { 0, 2, 4, 6, 1, 3, 5, 7 },
        [11] = { 7, 6, 5, 4, 3, 2, 1, 0 },
    };
    uint64_t result = 0;
    int i;

    for (i = 0; i < 8; i++) {
        result = deposit64(result, i * 8, 8, val >> from[type][i] * 8);
    }
    return result;
}

uint64_t HELPER(mux2)(uint64_t val, uint32_t type)
{
    uint64_t result = 0;
    int i;

    for (i = 0; i < 4; i++) {
        result = deposit64(result, i * 16, 16, val >> (type >> i * 2 & 3) * 16);
    }
    return result;
}

/* czx: the number of the first byte that is zero, from the @left or right; 8: none */
uint64_t HELPER(czx)(uint64_t val, uint32_t left)
{
    int i;

    for (i = 0; i < 8 && (val >> (left ? 56 - i * 8 : i * 8) & 0xff); i++) {
    }
    return i;
}

uint64_t HELPER(pmpy2r)(uint64_t a, uint64_t b)
{
    uint32_t high = sextract64(a, 32, 16) * sextract64(b, 32, 16);
    uint32_t low = sextract64(a, 0, 16) * sextract64(b, 0, 16);

    return (uint64_t)high << 32 | low;
}

/* Moves of all predicates have the bits where they are, whatever has rotated. */
uint64_t HELPER(mov_from_pr)(CPUIA64State *env)
{
    return env->pr;
}

void HELPER(mov_to_pr)(CPUIA64State *env, uint64_t val, uint64_t mask)
{
    env->pr = (env->pr & ~mask) | (val & mask) | 1;
}

/*
 * Branches of loops that rotate
 */

static uint64_t down(uint64_t rrb, uint64_t size)
{
    return rrb ? rrb - 1 : size - 1;
}

static void rotate(CPUIA64State *env, bool p63)
{
    uint64_t cfm = env->cfm;

    env->pr = deposit64(env->pr, pr_index(env, 63), 1, p63);
    if (CFM_SOR(cfm) > 0) {
        env->cfm = deposit64(env->cfm, 18, 7, down(CFM_RRB_GR(cfm), CFM_SOR(cfm)));
    }
    env->cfm = deposit64(env->cfm, 25, 7, down(CFM_RRB_FR(cfm), 96));
    env->cfm = deposit64(env->cfm, 32, 6, down(CFM_RRB_PR(cfm), 48));
}

/* epilogue: the end of a loop, and whether it goes on */
static bool epilogue(CPUIA64State *env)
{
    if (env->ec == 0) {
        env->pr = deposit64(env->pr, pr_index(env, 63), 1, 0);
        return false;
    }
    rotate(env, false);
    return --env->ec != 0;
}

uint64_t HELPER(ctop)(CPUIA64State *env)
{
    if (env->lc) {
        env->lc--;
        rotate(env, true);
        return 1;
    }
    return epilogue(env);
}

uint64_t HELPER(wtop)(CPUIA64State *env, uint64_t qp)
{
    if (qp) {
        rotate(env, false);
        return 1;
    }
    return epilogue(env);
}

void HELPER(clrrrb)(CPUIA64State *env, uint32_t only_pr)
{
    env->cfm &= only_pr ? ~(63ull << 32) : ~CFM_RRB;
}
