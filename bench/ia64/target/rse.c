// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * IA-64: the register stack
 *
 * The frame is at gr[32], registers of callers are in the ring. Nothing is stored or loaded
 * before it has to be, and there is no clean partition: bspstore is where the next register
 * goes to, and the next one comes from.
 */
#include "qemu/osdep.h"
#include "cpu.h"
#include "exec/cpu_ldst.h"
#include "exec/exec-all.h"
#include "exec/helper-proto.h"

static int rse_mmu_index(CPUIA64State *env)
{
    return env->psr & PSR_RT ? extract64(env->rsc, 2, 2) : MMU_PHYS;
}

static void rse_store(CPUIA64State *env, uint64_t val, uintptr_t ra)
{
    env->access = ISR_RS;
    cpu_stq_le_mmuidx_ra(env, env->bspstore, val, rse_mmu_index(env), ra);
    env->access = 0;
    env->bspstore += 8;
}

static uint64_t rse_load(CPUIA64State *env, uint64_t address, uintptr_t ra)
{
    uint64_t val;

    env->access = ISR_RS;
    val = cpu_ldq_le_mmuidx_ra(env, address, rse_mmu_index(env), ra);
    env->access = 0;
    return val;
}

/* spill: one register, and the NaT bits before it if it is their turn */
static void spill(CPUIA64State *env, uintptr_t ra)
{
    uint32_t bit;

    if (is_slot_rnat(env->bspstore)) {
        rse_store(env, env->rnat & ~(1ull << 63), ra);
        env->rnat = 0;
    }
    bit = env->bspstore >> 3 & 63;
    rse_store(env, env->ring[env->head], ra);
    env->rnat = deposit64(env->rnat, bit, 1, env->ring_nat[env->head]);
    env->head = (env->head + 1) % NR_STACKED;
    env->ndirty--;
}

/* fetch: the register before bspstore; after it, bspstore is its address */
static uint64_t fetch(CPUIA64State *env, uint8_t *nat, uintptr_t ra)
{
    uint64_t address = env->bspstore - 8, val;

    if (is_slot_rnat(address)) {
        env->rnat = rse_load(env, address, ra);
        env->bspstore = address;
        address -= 8;
    }
    val = rse_load(env, address, ra);
    *nat = env->rnat >> (address >> 3 & 63) & 1;
    env->bspstore = address;
    env->ndirty++;
    return val;
}

/* rse_complete: load what the frame lacks. ip and cfm are the target's already. */
void rse_complete(CPUIA64State *env)
{
    uint32_t index;
    uint64_t val;
    uint8_t nat;

    while (env->ndirty < 0) {
        index = 31 - env->ndirty;
        val = fetch(env, &nat, 0);
        env->gr[index] = val;
        nat_set(env, index, nat);
    }
}

/* push: the first @count registers of the frame become a caller's */
static void push(CPUIA64State *env, uint32_t count)
{
    uint32_t i, at;

    for (i = 0; i < count; i++) {
        /* What an incomplete frame lacks is in memory. */
        if (env->ndirty >= 0) {
            at = (env->head + env->ndirty) % NR_STACKED;
            env->ring[at] = env->gr[32 + i];
            env->ring_nat[at] = nat_get(env, 32 + i);
        }
        env->ndirty++;
    }
    env->bsp = rse_skip(env->bsp, count);
}

/* shift: the frame's @size registers go to @to, from @from */
static void shift(CPUIA64State *env, uint32_t to, uint32_t from, uint32_t size)
{
    uint64_t nats[2] = { env->gr_nat[0], env->gr_nat[1] };
    uint32_t i;

    memmove(env->gr + 32 + to, env->gr + 32 + from, size * sizeof(env->gr[0]));
    for (i = 0; i < size; i++) {
        nat_set(env, 32 + to + i, nats[(32 + from + i) / 64] >> (32 + from + i) % 64 & 1);
    }
}

/* clear_nats: of registers that are in no frame, so that none slows the others down */
static void clear_nats(CPUIA64State *env, uint32_t first)
{
    uint32_t i;

    if (env->gr_nat[0] >> 32 | env->gr_nat[1]) {
        for (i = first; i < NR_STACKED; i++) {
            nat_set(env, 32 + i, false);
        }
    }
}

/* rse_cover: the first @count registers of the frame become a caller's; cfm stays */
void rse_cover(CPUIA64State *env, uint32_t count)
{
    uint32_t rest = CFM_SOF(env->cfm) - count;

    push(env, count);
    shift(env, 0, count, rest);
    clear_nats(env, rest);
}

/* rse_uncover: go back to the frame @cfm, of which @count registers are a caller's now */
void rse_uncover(CPUIA64State *env, uint64_t cfm, uint32_t count)
{
    uint32_t sof = CFM_SOF(cfm), i, at;

    if (count > sof || sof > NR_STACKED) {
        ia64_stop(env, "a frame that cannot be");
    }
    shift(env, count, 0, sof - count);
    clear_nats(env, sof);
    for (i = count; i-- > 0;) {
        if (env->ndirty > 0) {
            at = (env->head + env->ndirty - 1) % NR_STACKED;
            env->gr[32 + i] = env->ring[at];
            nat_set(env, 32 + i, env->ring_nat[at]);
        }
        env->ndirty--;
    }
    env->bsp = rse_skip(env->bsp, -(int64_t)count);
    env->cfm = cfm;
}

static void need_complete(CPUIA64State *env, const char *what)
{
    if (env->ndirty < 0) {
        ia64_stop(env, what);
    }
}

void HELPER(alloc)(CPUIA64State *env, uint32_t frame)
{
    uint32_t sof = CFM_SOF(frame), old = CFM_SOF(env->cfm), i;

    need_complete(env, "alloc in an incomplete frame");
    if (CFM_SOR(frame) != CFM_SOR(env->cfm) && env->cfm & CFM_RRB) {
        ia64_fault(env, VEC_GENERAL, GENERAL_ILLEGAL, GETPC());
    }
    while (env->ndirty + (int32_t)sof > NR_STACKED) {
        spill(env, GETPC());
    }
    for (i = old; i < sof; i++) {
        nat_set(env, 32 + i, false);
    }
    env->cfm = (env->cfm & CFM_RRB) | frame;
    clear_nats(env, sof);
}

void HELPER(call)(CPUIA64State *env, uint32_t b1, uint64_t link)
{
    uint32_t sol = CFM_SOL(env->cfm);

    need_complete(env, "a call in an incomplete frame");
    env->pfs = env->cfm | env->ec << PFS_EC_SHIFT | (uint64_t)env->cpl << PFS_PPL_SHIFT;
    env->br[b1] = link;
    rse_cover(env, sol);
    env->cfm = CFM_SOF(env->cfm) - sol;
}

void HELPER(ret)(CPUIA64State *env, uint64_t target, uint32_t slot)
{
    uint64_t cfm = env->pfs & CFM_ALL;
    uint32_t sol = CFM_SOL(cfm), level = env->cpl;

    need_complete(env, "a return in an incomplete frame");
    env->ec = extract64(env->pfs, PFS_EC_SHIFT, 6);
    ia64_set_cpl(env, MAX(level, env->pfs >> PFS_PPL_SHIFT));
    if (env->ndirty - (int32_t)sol + (int32_t)CFM_SOF(cfm) > NR_STACKED) {
        /* SDM 2:144: there is no room. */
        rse_uncover(env, sol | sol << 7, sol);
        env->cfm = 0;
        clear_nats(env, 0);
    } else {
        rse_uncover(env, cfm, sol);
    }
    env->ip = target & ~15ull;
    env->ri = 0;
    ia64_trap(env, ISR_BRANCH | (env->cpl > level ? ISR_LOWER : 0), slot);
    /* A fault from here on is one of the target's first instruction. */
    rse_complete(env);
}

void HELPER(cover)(CPUIA64State *env)
{
    uint64_t cfm = env->cfm;

    rse_cover(env, CFM_SOF(cfm));
    env->cfm = 0;
    if (!(env->psr & PSR_IC)) {
        env->cr[CR_IFS] = cfm | 1ull << 63;
    }
}

void HELPER(flushrs)(CPUIA64State *env)
{
    need_complete(env, "flushrs in an incomplete frame");
    while (env->ndirty) {
        spill(env, GETPC());
    }
}

void HELPER(loadrs)(CPUIA64State *env)
{
    uint64_t start = env->bsp - (extract64(env->rsc, 16, 14) & ~7ull);
    uint64_t val;
    uint8_t nat;

    need_complete(env, "loadrs in an incomplete frame");
    if (env->rsc & 3 || (CFM_SOF(env->cfm) && start != env->bsp)) {
        ia64_fault(env, VEC_GENERAL, GENERAL_ILLEGAL, GETPC());
    }
    /* There may be more than is wanted: the oldest are dropped. */
    while (env->ndirty && env->bspstore < start) {
        env->bspstore = rse_skip(env->bspstore, 1);
        env->head = (env->head + 1) % NR_STACKED;
        env->ndirty--;
    }
    while (env->bspstore > start && env->ndirty < NR_STACKED) {
        if (env->bspstore - 8 == start && is_slot_rnat(start)) {
            env->rnat = rse_load(env, start, GETPC());
            env->bspstore = start;
            break;
        }
        val = fetch(env, &nat, GETPC());
        env->head = (env->head + NR_STACKED - 1) % NR_STACKED;
        env->ring[env->head] = val;
        env->ring_nat[env->head] = nat;
    }
}

/* rse_set_bspstore: what is dirty goes to the new store */
void rse_set_bspstore(CPUIA64State *env, uint64_t val)
{
    need_complete(env, "mov ar.bspstore= in an incomplete frame");
    env->bspstore = val & ~7ull;
    env->bsp = rse_skip(env->bspstore, env->ndirty);
}
